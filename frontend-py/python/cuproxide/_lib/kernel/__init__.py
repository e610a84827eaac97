"""Kernels written in Python: a function that becomes one launch on every device.

    from .._lib import kernel as k

    @k.kernel
    def _norm(x: k.Array[1], p: float):
        total = 0.0
        for i in k.steps(x.shape[0]):
            total += abs(x[i]) ** p
        return total ** (1 / p)

The function runs once for each combination of types, on values that stand for elements, and what it does with them is
written down as a kernel. `docs/kernels-in-python.md` says how to write one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ... import _cuproxide as _core
from ._roles import Array, Each, Number, Out
from ._values import (
    KernelError,
    Value,
    choose_type,
    clamp,
    complex_,
    coordinates,
    fma,
    index,
    inside,
    local_array,
    require_index,
    steps,
    ufunc,
    value,
    where,
)

__all__ = [
    "Array",
    "Each",
    "KernelError",
    "Number",
    "Out",
    "Value",
    "choose_type",
    "clamp",
    "complex_",
    "coordinates",
    "fma",
    "function",
    "index",
    "inside",
    "kernel",
    "local_array",
    "require_index",
    "segments",
    "steps",
    "ufunc",
    "value",
    "where",
]


def kernel(function: Callable[..., Any] | None = None, *, ordered: bool = False, bounded: bool = False) -> Any:
    """A function that runs as one launch.

    Parameters are annotated with what they take; those after `*` are objects that the kernel depends on. What the
    function returns are new arrays of the launch's shape, or those of `out=`.

    With `ordered` a CPU takes the points one after another, so that of several stores to one place the last one stays.
    With `bounded` an index that is not in the array means the last element: for indices in memory that another thread
    of the program may write to. Ranges that come from there are for the kernel to bound.
    """
    if function is None:
        return functools.partial(kernel, ordered=ordered, bounded=bounded)
    return _core.Kernel(function, _parameters, functools.partial(_program, ordered, is_bounded=bounded))


def segments(*folds: str, bounded: bool = False) -> Any:
    """A function that folds, for each point of the launch, what it computes at the positions of a range.

    `folds` names a reduction for each value that the function returns: "add", "multiply", "minimum", "maximum", ... The
    function's first parameter is a position. Calls pass the first positions and those after the last ones instead, as
    two arrays of integers, and with `over=` how many positions there are in all:

        @k.segments("add")
        def _row_products(i, values: k.Array[1], columns: k.Array[1], x: k.Array[1]):
            return values[i] * x[columns[i]]

        y = _row_products(indptr[:-1], indptr[1:], values, columns, x, over=values.size)

    The elements, not the ranges, are shared out over threads. The result of an empty range is the neutral element.
    `bounded` means the same as for `kernel`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        parameters, program = functools.partial(_parameters, ranges=True), functools.partial(_program, folds)
        return _core.Kernel(function, parameters, functools.partial(program, is_bounded=bounded))

    return decorate


def function(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that kernels call, with branches and loops like theirs."""
    return _Function(function)


class _Function:
    """What `function` makes: it rewrites itself at the first call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__wrapped__, self.__name__, self.__doc__ = function, function.__name__, function.__doc__
        self._rewritten: Callable[..., Any] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._rewritten is None:
            from ._rewrite import rewritten

            self._rewritten = rewritten(self.__wrapped__)
        return self._rewritten(*args, **kwargs)


def _parameters(
    function: Callable[..., Any], ranges: bool = False
) -> list[tuple[str, str, int | None, tuple[Any] | None]]:
    from ._build import describe

    return describe(function, ranges)


def _program(*args: Any, is_bounded: bool) -> _core.KernelProgram:
    from ._build import build

    return build(*args, is_bounded=is_bounded)


def __getattr__(name: str) -> Callable[..., Any]:
    """Every ufunc of the library, for values of kernels."""
    if name.startswith("_") or not ufunc.exists(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = ufunc(name)
    globals()[name] = made
    return made
