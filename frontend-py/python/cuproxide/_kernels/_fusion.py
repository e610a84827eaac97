"""Functions whose elementwise operations are to run as one kernel."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .._cuproxide import evaluate, is_eager, ndarray, set_fusing

__all__ = ["fuse"]


def _arrays(result: Any) -> list[ndarray]:
    """The arrays that a function returned, alone or in tuples."""
    if isinstance(result, (tuple, list)):
        return [array for part in result for array in _arrays(part)]
    return [result] if isinstance(result, ndarray) else []


def fuse(*args: Any, **kwargs: Any) -> Any:
    """Decorates a function of arrays whose elementwise operations become one kernel.

    Parameters
    ----------
    kernel_name : str, optional
        A name for the kernel, in `fusion.history()` and in traces; that of the function without it.

    Notes
    -----
    Used as `@fuse`, `@fuse()` or `@fuse(kernel_name="name")`. While the function runs, its operations are deferred,
    also where `CUPROXIDE_EAGER=1` lets all others run at once; operations of one shape then make one kernel, which a
    reduction of their result absorbs. Dtypes and rounding are those of separate operations. NumPy's arrays and numbers
    may be passed as well and give NumPy's results.

    Examples
    --------
    >>> import cuproxide as cp
    >>> @cp.fuse(kernel_name="squared_difference")
    ... def squared_difference(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_difference(cp.arange(4.0), cp.ones(4))
    array([1., 0., 1., 4.])
    """

    def decorate(function: Callable[..., Any], kernel_name: str | None = None) -> Callable[..., Any]:
        name = kernel_name or getattr(function, "__name__", "fused")

        @functools.wraps(function)
        def fused(*arguments: Any, **named: Any) -> Any:
            before = set_fusing(name)
            try:
                result = function(*arguments, **named)
            finally:
                set_fusing(before)
            if is_eager():
                evaluate(*_arrays(result))
            return result

        fused.kernel_name = name  # type: ignore[attr-defined]
        return fused

    if len(args) == 1 and not kwargs and callable(args[0]):
        return decorate(args[0])
    signature = inspect.Signature(
        [inspect.Parameter("kernel_name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)]
    )
    name = signature.bind(*args, **kwargs).arguments.get("kernel_name")
    return lambda function: decorate(function, name)
