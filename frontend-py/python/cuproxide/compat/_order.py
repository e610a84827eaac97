"""New results of the packages below in C order, as CuPy's are: programs give them to kernels of their own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import ascontiguousarray, may_share_memory, ndarray

PACKAGES = (
    "cupyx.scipy.fft",
    "cupyx.scipy.fftpack",
    "cupyx.scipy.interpolate",
    "cupyx.scipy.ndimage",
    "cupyx.scipy.signal",
    "cupyx.signal",
)
# They move elements without computing, and keep the order of what they move.
_KEEPING = ("fftshift", "ifftshift")


def lays_out(name: str, value: Any) -> bool:
    """Whether `value`, called `name`, is a function whose results have to lie in C order."""
    if name == "argwhere":
        return True
    package, _, function = name.rpartition(".")
    return (
        package in PACKAGES
        and not function.startswith("_")
        and function not in _KEEPING
        and callable(value)
        and not isinstance(value, type)
    )


def in_c_order(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose new results lie in C order; arguments, and views of them, stay as they are."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return _laid_out(function(*args, **kwargs), (*args, *kwargs.values()))

    return call


def _laid_out(result: Any, given: tuple[Any, ...]) -> Any:
    if isinstance(result, ndarray):
        if result.flags.c_contiguous or any(isinstance(x, ndarray) and may_share_memory(x, result) for x in given):
            return result
        return ascontiguousarray(result)
    if type(result) in (tuple, list):
        return type(result)(_laid_out(item, given) for item in result)
    return result
