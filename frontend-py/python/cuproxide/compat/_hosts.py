"""Arrays of other libraries where CuPy takes them: it calls their methods, or copies those of NumPy to the device."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._cuproxide import array, ndarray

# CuPy calls the method of the argument: an array of the host gives a result on the host, one of Dask a lazy one.
_FORWARDED = """all amax amin any argmax argmin choose copy diagonal max mean min prod ravel reshape squeeze std sum
swapaxes take trace transpose var""".split()
# CuPy copies the arguments.
_COPIED = """allclose argsort around atleast_1d atleast_2d atleast_3d average cov cross diff einsum empty_like
fft.fftshift fft.ifftshift full_like in1d isclose isin kron linalg.norm ones_like round sort tile tril triu unique
unwrap zeros_like""".split()
# Parameters beside the data, which programs make on the host: function, name and place.
_PARAMETERS = {
    "digitize": ("bins", 1),
    "histogram": ("bins", 1),
    "histogram2d": ("bins", 2),
    "histogramdd": ("bins", 1),
    "nanpercentile": ("q", 1),
    "nanquantile": ("q", 1),
    "percentile": ("q", 1),
    "quantile": ("q", 1),
}
NAMES = {*_FORWARDED, *_COPIED, *_PARAMETERS}
"""The functions below `cupy` that take arrays of the host."""


def with_hosts(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes arrays of NumPy as CuPy's does."""
    if name in _FORWARDED:
        theirs, method = getattr(np, name), name.removeprefix("a") if name in ("amax", "amin") else name

        @functools.wraps(function)
        def forward(*args: Any, **kwargs: Any) -> Any:
            if args and not isinstance(args[0], ndarray):
                if isinstance(args[0], np.ndarray):
                    return theirs(*args, **kwargs)
                if _is_array(args[0]) and hasattr(args[0], method):
                    return getattr(args[0], method)(*args[1:], **kwargs)
            return function(*args, **kwargs)

        return forward
    if name in _PARAMETERS:
        parameter, place = _PARAMETERS[name]

        @functools.wraps(function)
        def with_parameter(*args: Any, **kwargs: Any) -> Any:
            if len(args) > place:
                args = (*args[:place], _listed(args[place]), *args[place + 1 :])
            elif parameter in kwargs:
                kwargs[parameter] = _listed(kwargs[parameter])
            return function(*args, **kwargs)

        return with_parameter

    @functools.wraps(function)
    def copy(*args: Any, **kwargs: Any) -> Any:
        return function(*map(_copied, args), **{key: _copied(value) for key, value in kwargs.items()})

    return copy


def _is_array(value: Any) -> bool:
    """Whether an object is an array of another library, which has methods of its own; no number of NumPy's."""
    return hasattr(value, "shape") and hasattr(value, "dtype") and not isinstance(value, np.generic)


def _copied(value: Any) -> Any:
    return array(value) if isinstance(value, np.ndarray) else value


def _listed(value: Any) -> Any:
    """A parameter, or a sequence of such, whose arrays of NumPy go to the device."""
    if isinstance(value, (list, tuple)) and any(isinstance(item, np.ndarray) for item in value):
        return type(value)(map(_copied, value))
    return _copied(value)
