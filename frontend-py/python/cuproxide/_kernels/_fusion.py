"""Functions whose elementwise operations are to run as few kernels."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["fuse"]


def fuse(*args: Any, **kwargs: Any) -> Any:
    """Decorates a function of arrays whose operations belong into one kernel.

    Parameters
    ----------
    kernel_name : str, optional
        A name for the kernel; that of the function without it.

    Used as `@fuse`, `@fuse()` or `@fuse(kernel_name="name")`. The function runs on its arguments as it stands:
    elementwise operations need no mark to be fused, and dtypes and rounding are those of separate operations. NumPy's
    arrays and numbers may be passed as well and give NumPy's results.
    """

    def decorate(function: Callable[..., Any], kernel_name: str | None = None) -> Callable[..., Any]:
        @functools.wraps(function)
        def fused(*arguments: Any, **named: Any) -> Any:
            return function(*arguments, **named)

        fused.kernel_name = kernel_name or function.__name__  # type: ignore[attr-defined]
        return fused

    if len(args) == 1 and not kwargs and callable(args[0]):
        return decorate(args[0])
    signature = inspect.Signature(
        [inspect.Parameter("kernel_name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)]
    )
    name = signature.bind(*args, **kwargs).arguments.get("kernel_name")
    return lambda function: decorate(function, name)
