"""Arrays of NumPy where CuPy takes them: it calls their methods, or copies them to the device, function by function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._cuproxide import array

# CuPy calls the method of the argument: an array of the host gives a result on the host.
_FORWARDED = """all amax amin any argmax argmin diagonal max mean min prod ravel reshape squeeze std sum swapaxes trace
transpose var""".split()
# CuPy copies the arguments.
_COPIED = """argsort atleast_1d atleast_2d atleast_3d average cov einsum empty_like full_like kron linalg.norm ones_like
sort tile tril triu zeros_like""".split()
NAMES = {*_FORWARDED, *_COPIED}
"""The functions below `cupy` that take arrays of the host."""


def with_hosts(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes arrays of NumPy as CuPy's does."""
    if name in _FORWARDED:
        theirs = getattr(np, name)

        @functools.wraps(function)
        def forward(*args: Any, **kwargs: Any) -> Any:
            if args and isinstance(args[0], np.ndarray):
                return theirs(*args, **kwargs)
            return function(*args, **kwargs)

        return forward

    @functools.wraps(function)
    def copy(*args: Any, **kwargs: Any) -> Any:
        return function(*map(_copied, args), **{key: _copied(value) for key, value in kwargs.items()})

    return copy


def _copied(value: Any) -> Any:
    return array(value) if isinstance(value, np.ndarray) else value
