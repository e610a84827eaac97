"""Arrays of other libraries where CuPy takes them: it calls their methods, or copies those of NumPy to the device."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._cuproxide import array, ndarray

# CuPy calls the method of the argument: an array of the host gives a result on the host, one of Dask a lazy one.
_FORWARDED = """all amax amin any argmax argmin argpartition choose clip compress copy diagonal max mean min nonzero
prod ptp ravel repeat reshape squeeze std sum swapaxes take trace transpose var""".split()
# Names of methods that differ from those of functions, and functions whose array is not the first argument.
_METHODS = {"amax": "max", "amin": "min", "around": "round"}
_RECEIVERS = {"compress": 1}
# CuPy copies the arguments.
_COPIED = """allclose argsort around atleast_1d atleast_2d atleast_3d average cov cross diff einsum empty_like
fft.fftshift fft.ifftshift full_like in1d isclose isin kron linalg.norm ones_like round sort tile tril triu unique
unwrap zeros_like""".split()
# Of these it calls the method after that.
_COPIED_RECEIVERS = ("argsort", "around", "round")
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
    method, place = _METHODS.get(name, name), _RECEIVERS.get(name, 0)
    if name in _FORWARDED:
        theirs = getattr(np, name)

        @functools.wraps(function)
        def forward(*args: Any, **kwargs: Any) -> Any:
            if len(args) > place and not isinstance(a := args[place], ndarray):
                if isinstance(a, np.ndarray):
                    return theirs(*args, **kwargs)
                if _is_array(a) and hasattr(a, method):
                    return getattr(a, method)(*args[:place], *args[place + 1 :], **kwargs)
            return function(*args, **kwargs)

        return forward
    if name in _PARAMETERS:
        parameter, at = _PARAMETERS[name]

        @functools.wraps(function)
        def with_parameter(*args: Any, **kwargs: Any) -> Any:
            if len(args) > at:
                args = (*args[:at], _listed(args[at]), *args[at + 1 :])
            elif parameter in kwargs:
                kwargs[parameter] = _listed(kwargs[parameter])
            return function(*args, **kwargs)

        return with_parameter

    calls_method = name in _COPIED_RECEIVERS

    @functools.wraps(function)
    def copy(*args: Any, **kwargs: Any) -> Any:
        if calls_method and args and not isinstance(a := args[0], (ndarray, np.ndarray)):
            if _is_array(a) and hasattr(a, method):
                return getattr(a, method)(*args[1:], **kwargs)
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
