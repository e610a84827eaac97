"""Integrals over several variables by nested integrals over one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._lib.results import Vectorized
from ._quad import quad

__all__ = ["dblquad", "nquad", "tplquad"]


class _Nested:
    def __init__(self, func: Callable[..., Any], ranges: list[Any], opts: list[Any], full_output: bool) -> None:
        self.func, self.ranges, self.opts, self.full_output = func, ranges, opts, full_output
        self.error, self.evaluations = 0.0, 0
        # Whether the innermost function takes arrays is asked once.
        self.arrays: bool | None = None

    def integrate(self, *args: Any, depth: int = 0) -> Any:
        position = -(depth + 1)
        limits, options = self.ranges[position], self.opts[position]
        low, high = limits(*args) if callable(limits) else limits
        options = dict(options(*args) if callable(options) else options)
        if "points" in options:
            options["points"] = [x for x in options["points"] if low <= x <= high]
        innermost = depth + 1 == len(self.ranges)
        if innermost:
            inner = Vectorized(self.func, args)
            inner.arrays = self.arrays
        else:
            inner = Vectorized(lambda x, *rest: self.integrate(x, *rest, depth=depth + 1), args)
            inner.arrays = False
        found = quad(inner, low, high, full_output=self.full_output, **options)
        if innermost:
            self.arrays = inner.arrays if inner.arrays is not None else self.arrays
            if self.full_output:
                self.evaluations += found[2]["neval"]
        self.error = max(self.error, found[1])
        if depth:
            return found[0]
        if self.full_output:
            return found[0], self.error, {"neval": self.evaluations}
        return found[0], self.error


def nquad(
    func: Callable[..., Any], ranges: Sequence[Any], args: Any = None, opts: Any = None, full_output: bool = False
) -> tuple[Any, ...]:
    """The integral of a function of several variables, one integral inside the other.

    The innermost integral is taken on arrays of points where the function takes an array as its first argument.

    Parameters
    ----------
    func : callable
        `func(x0, x1, ..., *args)`; the first variable is that of the innermost integral.
    ranges : sequence
        For each variable its limits: a pair, or a function of the variables behind it.
    args : tuple, optional
        Further arguments of `func`, the ranges and the options.
    opts : dict or sequence of dict, optional
        Options of `quad`, for all variables or each; functions as for `ranges`.
    full_output : bool, optional
        Whether to return the number of evaluations.

    Returns
    -------
    result : float
        The integral.
    abserr : float
        The largest estimate of an error.
    out_dict : dict
        With `full_output`: `neval`.

    >>> value, error = integrate.nquad(lambda x, y, z: x * y + z, [(0, 1), (0, 2), (0, 3)])
    >>> round(value, 12)
    12.0
    """
    ranges = list(ranges)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    options = [{}] * len(ranges) if opts is None else [opts] * len(ranges) if isinstance(opts, dict) else list(opts)
    return _Nested(func, ranges, options, full_output).integrate(*args)


def _limit(bound: Any, *variables: Any) -> Any:
    return bound(*variables) if callable(bound) else bound


def dblquad(
    func: Callable[..., Any],
    a: float,
    b: float,
    gfun: Any,
    hfun: Any,
    args: tuple[Any, ...] = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> tuple[float, float]:
    """The integral of `func(y, x)` over x from `a` to `b` and y from `gfun(x)` to `hfun(x)`.

    Parameters
    ----------
    func : callable
        `func(y, x, *args)`; y may be an array of points.
    a, b : float
        The limits of x.
    gfun, hfun : callable or float
        The limits of y.
    epsabs, epsrel : float, optional
        The tolerances of each integral.

    >>> value, error = integrate.dblquad(lambda y, x: x * y, 0, 1, lambda x: x, 2)
    >>> round(value, 12)
    0.875
    """
    ranges = [lambda x, *rest: (_limit(gfun, x), _limit(hfun, x)), (a, b)]
    return nquad(func, ranges, args, {"epsabs": epsabs, "epsrel": epsrel})


def tplquad(
    func: Callable[..., Any],
    a: float,
    b: float,
    gfun: Any,
    hfun: Any,
    qfun: Any,
    rfun: Any,
    args: tuple[Any, ...] = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> tuple[float, float]:
    """The integral of `func(z, y, x)` over x from `a` to `b`, y between functions of x, z between functions of x and y.

    Parameters
    ----------
    func : callable
        `func(z, y, x, *args)`; z may be an array of points.
    a, b : float
        The limits of x.
    gfun, hfun : callable or float
        The limits of y, functions of x.
    qfun, rfun : callable or float
        The limits of z, functions of x and y.
    epsabs, epsrel : float, optional
        The tolerances of each integral.

    >>> value, error = integrate.tplquad(lambda z, y, x: x * y * z, 1, 2, 2, 3, 0, 1)
    >>> round(value, 12)
    1.875
    """
    ranges = [
        lambda y, x, *rest: (_limit(qfun, x, y), _limit(rfun, x, y)),
        lambda x, *rest: (_limit(gfun, x), _limit(hfun, x)),
        (a, b),
    ]
    return nquad(func, ranges, args, {"epsabs": epsabs, "epsrel": epsrel})
