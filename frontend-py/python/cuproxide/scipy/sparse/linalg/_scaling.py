"""Powers of two that bring very large and very small matrices to numbers near 1, which changes no digit."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ._operators import FunctionOperator, MatrixLinearOperator, as_matrix_operator


def exponent_of(values: Any, power: int = 3) -> int:
    """The exponent of the largest number if it is so large or so small that its `power` leaves the range; else 0.

    It is 0, too, if without it the smallest number would lose digits. One read.
    """
    if not values.size or values.dtype.kind not in "fc":
        return 0
    sizes = cp.maximum(abs(values.real), abs(values.imag)) if values.dtype.kind == "c" else abs(values)
    largest, least = cp.stack((sizes.max(), cp.where(sizes > 0, sizes, np.inf).min())).tolist()
    if largest == 0 or not math.isfinite(largest):
        return 0
    exponent, kind = math.frexp(largest)[1], np.finfo(values.dtype)
    is_extreme = abs(exponent) > kind.maxexp // power
    return exponent if is_extreme and (exponent < 0 or math.frexp(least)[1] - exponent > kind.minexp) else 0


def times_power(values: Any, exponent: int) -> Any:
    """Values times a power of two, in steps that are numbers themselves."""
    step = np.finfo(values.dtype).maxexp - 2
    while exponent:
        part = max(-step, min(step, exponent))
        values = values * values.real.dtype.type(2.0**part)
        exponent -= part
    return values


def near_one(A: Any, power: int = 3, beside: Any = 0) -> tuple[Any, int]:
    """A matrix times a power of two, and the exponent that takes it back; the matrix itself as a rule.

    An operator that was made of a matrix counts as that; others stay what they are. So does a matrix that is nothing
    beside a shift.
    """
    given, A = A, A.A if type(A) is MatrixLinearOperator else A
    if getattr(A, "format", None) in ("lil", "dok"):
        A = A.tocsr()
    values = A if isinstance(A, cp.ndarray) else A.data if hasattr(A, "_with_data") else None
    exponent = exponent_of(values, power) if isinstance(values, cp.ndarray) else 0
    if not exponent or beside and math.frexp(abs(beside))[1] - exponent > np.finfo(A.dtype).maxexp // power:
        return given, 0
    scaled = times_power(values, -exponent)
    return scaled if values is A else A._with_data(scaled, copy=False), exponent


class OutOfRange(Exception):
    """Squares of the elements of a right-hand side leave the range of their type."""


def matrix_near_one(arguments: dict[str, Any], beside: str) -> tuple[Any, int]:
    """`near_one` of the matrix among the arguments of a solver; `beside` names the multiple of the identity."""
    # Vectors that a program keeps for another system belong to the matrix as it is.
    kept = arguments.get("outer_v") is not None or arguments.get("CU") is not None
    A = arguments["A"]
    return (A, 0) if kept else near_one(as_matrix_operator(A), beside=arguments.get(beside, 0))


def side_near_one(arguments: dict[str, Any], of_matrix: int, beside: str) -> int:
    """Scales the other arguments, those of a matrix that was scaled, and gives the exponent that takes `b` back."""
    b = cp.asarray(arguments["b"])
    of_side = exponent_of(b)
    arguments["b"] = times_power(b, -of_side)
    x0 = arguments.get("x0")
    if x0 is not None and not isinstance(x0, str):
        arguments["x0"] = times_power(cp.asarray(x0), of_matrix - of_side)
    if arguments.get(beside):
        arguments[beside] = _number_times_power(float(arguments[beside]), -of_matrix)
    return of_side


def within_range(solver: Callable[..., Any], retries: bool = False) -> Callable[..., Any]:
    """Lets an iterative solver start again with `A` and `b` scaled by powers of two if squares leave the range.

    The iterates are the same up to these powers. A solver that broke down is tried again; one that does not converge
    beyond the range, without a breakdown, `retries` after every failure, which costs a read.
    """

    signature = inspect.signature(solver)

    @functools.wraps(solver)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = None
        try:
            found = solver(*args, **kwargs)
            if found[1] == 0 or found[1] > 0 and not retries:
                return found
        except OutOfRange:
            pass
        options = signature.bind(*args, **kwargs).arguments
        options["A"], of_matrix = matrix_near_one(options, "shift")
        if found is not None and of_matrix == 0:
            return found
        of_side = side_near_one(options, of_matrix, "shift")
        back = of_side - of_matrix
        if options.get("atol"):
            options["atol"] = _number_times_power(options["atol"], -of_side)
        if of_matrix:
            for name in {"M", "M1", "M2"} & options.keys():
                # Half of it where two preconditioners share it would be no power of two: the first takes all.
                if options[name] is not None and (name != "M2" or options.get("M1") is None):
                    options[name] = _times_power_operator(options[name], of_matrix)
        callback = options.get("callback")
        if callback is not None:
            options["callback"] = lambda x: callback(times_power(x, back) if isinstance(x, cp.ndarray) else x)
        x, info = solver(**options)
        return times_power(x, back), info

    return call


def _number_times_power(number: float, exponent: int) -> float:
    """A Python number times a power of two, infinite beyond the range."""
    try:
        return math.ldexp(number, exponent)
    except OverflowError:
        return math.copysign(math.inf, number)


def _times_power_operator(M: Any, exponent: int) -> FunctionOperator:
    operator = as_matrix_operator(M)
    return FunctionOperator(
        operator.shape,
        lambda x: times_power(operator.matvec(x), exponent),
        lambda x: times_power(operator.rmatvec(x), exponent),
        dtype=operator.dtype,
    )


class Scaled:
    """Factors of a matrix that was multiplied by a power of two, as those of the matrix."""

    def __init__(self, factors: Any, exponent: int) -> None:
        self._factors, self._exponent = factors, exponent

    def solve(self, b: Any, form: str) -> Any:
        """Solutions for the matrix ('N'), its transpose ('T') or its conjugate transpose ('H')."""
        return solved(lambda right: self._factors.solve(right, form), b, self._exponent)


def solved(solve: Any, b: Any, exponent: int) -> Any:
    """Solutions of a system by those of the system that was multiplied by a power of two."""
    if not exponent:
        return solve(b)
    b = b if b.dtype.kind in "fc" else b.astype(np.float64)
    own = exponent_of(b)
    return times_power(solve(times_power(b, -own)), own - exponent)
