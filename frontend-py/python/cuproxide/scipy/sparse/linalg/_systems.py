"""What iterative solvers share: checks of the arguments, tolerances, and progress that stays on the device.

An iteration whose end has come must not change the solution any more, but the host learns of it only now and then: each
step computes a status on the device, and keeps the vectors as they are once it is not 0.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ._operators import FunctionOperator, IdentityOperator, LinearOperator, as_matrix_operator
from ._scaling import OutOfRange, exponent_of, times_power

CHECK_EVERY = 8
"""Steps between two reads of the status."""

CONVERGED = 1


class System:
    """A square system in one floating dtype: operator, preconditioner, first guess and right-hand side."""

    def __init__(self, A: Any, M: Any, x0: Any, b: Any) -> None:
        self.given = A
        self.A = as_matrix_operator(A)
        rows, columns = self.A.shape
        if rows != columns:
            raise ValueError(f"expected square matrix, but got shape={self.A.shape}")
        b = cp.asarray(b)
        if b.shape not in ((rows,), (rows, 1)):
            raise ValueError(f"shapes of A {self.A.shape} and b {b.shape} are incompatible")
        b = b.reshape(rows)
        if b.dtype.char not in "fdFD":
            b = b.astype(np.float64)
        kind = self.A.dtype if self.A.dtype is not None else self.A.matvec(b).dtype
        kind = np.dtype(kind) if np.dtype(kind).char in "fdFD" else np.dtype(np.float64)
        self.dtype = np.result_type(kind, b.dtype)
        self.b = b.astype(self.dtype, copy=False)
        self.size = rows
        if M is None:
            self.M = self._preconditioner()
        else:
            self.M = as_matrix_operator(M)
            if self.M.shape != self.A.shape:
                raise ValueError(f"matrix {self.A.shape} and preconditioner {self.M.shape} have different shapes")
        self.has_guess = x0 is not None
        if x0 is None:
            self.x = cp.zeros(rows, self.dtype)
        elif isinstance(x0, str):
            if x0 != "Mb":
                raise ValueError(f"x0 must be an array or 'Mb', got {x0!r}")
            self.x = self.M.matvec(self.b).astype(self.dtype, copy=False)
        else:
            x = cp.array(x0, dtype=self.dtype)
            if x.shape not in ((rows,), (rows, 1)):
                raise ValueError(f"shapes of A {self.A.shape} and x0 {x.shape} are incompatible")
            self.x = x.reshape(rows)

    def _preconditioner(self) -> LinearOperator:
        solve, adjoint = getattr(self.given, "psolve", None), getattr(self.given, "rpsolve", None)
        if solve is None and adjoint is None:
            return IdentityOperator(self.A.shape, self.A.dtype)
        return FunctionOperator(self.A.shape, solve or (lambda x: x), adjoint or (lambda x: x), dtype=self.dtype)

    def size_of_side(self) -> float:
        """The norm of the right-hand side."""
        size = host_norm(self.b)
        # The norm of finite numbers may be infinite, too.
        is_extreme = size and (size == math.inf or abs(math.frexp(size)[1]) > np.finfo(self.dtype).maxexp // 3)
        if is_extreme and exponent_of(self.b):
            raise OutOfRange
        return size

    def residual(self) -> Any:
        """What the first guess leaves of the right-hand side."""
        return self.b - self.A.matvec(self.x) if self.has_guess else self.b.copy()


def tolerance(name: str, b_norm: float, atol: Any, rtol: Any) -> float:
    """The norm of a residual that is small enough."""
    if atol is None or isinstance(atol, str) or atol < 0:
        raise ValueError(
            f"'scipy.sparse.linalg.{name}' called with invalid `atol`={atol}; if set, `atol` must be a real, "
            "non-negative number."
        )
    return max(float(atol), float(rtol) * b_norm)


def dot(x: Any, y: Any) -> Any:
    """The inner product, conjugate in the first vector, on the device; it fuses with what computes its operands."""
    return (x.conj() * y).sum() if x.dtype.kind == "c" else (x * y).sum()


def norm(x: Any) -> Any:
    """The Euclidean norm, on the device."""
    squares = x.real * x.real + x.imag * x.imag if x.dtype.kind == "c" else x * x
    return cp.sqrt(squares.sum())


def host_norm(x: Any) -> float:
    """The Euclidean norm as a number, also where squares of elements leave the range."""
    found, kind = float(norm(x)), np.finfo(x.dtype)
    if kind.tiny / kind.eps < found * found and math.isfinite(found) or not x.size:
        return found
    largest = float(abs(x).max())
    if largest == 0 or not math.isfinite(largest):
        return largest
    exponent = math.frexp(largest)[1]
    return float(norm(times_power(x, -exponent))) * 2.0 ** (exponent // 2) * 2.0 ** (exponent - exponent // 2)


def epsilon(dtype: Any) -> float:
    return float(np.finfo(dtype).eps)


class Progress:
    """The status of an iteration, on the device: 0 while it runs."""

    def __init__(self) -> None:
        self.status = cp.zeros((), np.int64)

    @property
    def runs(self) -> Any:
        return self.status == 0

    def stop(self, condition: Any, code: int) -> Any:
        """Ends the iteration where `condition` holds; returns whether it still runs."""
        self.status = cp.where(self.runs & condition, code, self.status)
        return self.runs

    def over(self, number: int, last: int, every: int = CHECK_EVERY) -> int:
        """The status, read after each `every` steps and after the last one; 0 in between."""
        return int(self.status) if (number + 1) % every == 0 or number + 1 == last else 0


def ratio(a: Any, b: Any) -> Any:
    """`a / b`, or 0 where `b` is 0."""
    zero = b == 0
    return cp.where(zero, 0, a / cp.where(zero, 1, b)).astype(np.result_type(a.dtype, b.dtype), copy=False)


CAPTURE_AT = (16, 128)
"""Steps before which one is captured as a graph; the second time, kernels that were being compiled are ready."""


class CapturedStep:
    """A step as a graph that updates the arrays of a state in place; without a state the step itself does so."""

    def __init__(self, step: Callable[[int], None], number: int, progress: Progress, state: Any) -> None:
        # A captured step reads what these arrays hold when it is launched.
        names = {} if state is None else vars(state)
        names.update({name: part.copy() for name, part in names.items()})
        if state is not None:
            progress.status = progress.status.copy()
        kept, status = dict(names), progress.status
        self.stream, outside = cp.cuda.Stream(non_blocking=True), cp.cuda.get_current_stream()
        self.graph: Any = None
        cp.evaluate(*kept.values(), status)
        self.stream.wait_event(outside.record())
        with self.stream:
            self.stream.begin_capture()
            try:
                step(number)
                found = {name: names[name] for name, part in kept.items() if names[name] is not part}
                parts = {id(part) for part in kept.values()}
                # An array that is handed on under another name is read before it is overwritten.
                found = {name: value.copy() if id(value) in parts else value for name, value in found.items()}
                for name, value in found.items():
                    kept[name][...] = value
                if progress.status is not status:
                    status[...] = progress.status
            finally:
                names.update(kept)
                progress.status = status
                self.graph = self.stream.end_capture()

    def launch(self) -> None:
        self.graph.launch(self.stream)

    def leave(self) -> None:
        """Lets the current stream wait for what was launched."""
        cp.cuda.get_current_stream().wait_event(self.stream.record())


def iterate(
    step: Callable[[int], None], progress: Progress, state: Any, maxiter: int, callback: Any, operators: Any = ()
) -> int:
    """Takes steps until the status says that it is over; returns the status, 0 if all steps were taken.

    What a step hands on to the next one are the attributes of `state`, arrays of which `x` is the solution; there is no
    state if steps change their arrays in place. If products with `operators` can be captured, steps are launched as a
    graph from `CAPTURE_AT` on.
    """
    every = 1 if callback is not None else CHECK_EVERY
    # While a stream captures, another thread that waited for the whole device would fail.
    captures = callback is None and threading.active_count() == 1
    captures = captures and all(operator.is_capturable for operator in operators)
    captured: CapturedStep | None = None
    for number in range(maxiter):
        if captures and number in CAPTURE_AT and maxiter - number >= CAPTURE_AT[0]:
            if captured is not None:
                captured.leave()
            try:
                captured = CapturedStep(step, number, progress, state)
            except RuntimeError:
                # Something in the step cannot be captured: it is launched as before.
                captures = False
        if captured is None:
            step(number)
            status = progress.over(number, maxiter, every)
        else:
            captured.launch()
            with captured.stream:
                status = progress.over(number, maxiter, every)
        if status:
            break
        if callback is not None:
            callback(None if state is None else state.x)
    else:
        status = 0
    if captured is not None:
        captured.leave()
    return status


def finite(x: float) -> bool:
    return math.isfinite(x)
