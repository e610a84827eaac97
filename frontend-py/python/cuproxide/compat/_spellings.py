"""CuPy's names of arguments where this package has NumPy's, and its functions that speak of `cupy` itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .._cuproxide import Device, get_current_stream, ndarray
from ._hosts import NAMES, with_hosts

# Function (below `cupy`): CuPy's name of an argument = the name here, or its place where it has none.
_TABLE = """
array: obj=0
array_str: arr=a
bincount: x=0
concat: tup=0
concatenate: tup=0
corrcoef: a=x
cov: a=m
delete: indices=obj
ediff1d: arr=ary
extract: a=arr
flip: a=m
fliplr: a=m
flipud: a=m
fromDlpack: dltensor=capsule
from_dlpack: array=0
histogram: x=a
inner: a=0 b=1
intersect1d: arr1=ar1 arr2=ar2
linalg.cholesky: a=0
linalg.matrix_power: M=a
linalg.matrix_rank: M=A
linalg.matrix_transpose: a=0
may_share_memory: a=0 b=1
min_scalar_type: a=0
packbits: a=0
percentile: interpolation=method
putmask: a=0
quantile: interpolation=method
random.permutation: a=x
random.shuffle: a=x
reshape: a=0 newshape=shape
rot90: a=m
shares_memory: a=0 b=1
stack: tup=arrays
take_along_axis: a=arr
union1d: arr1=ar1 arr2=ar2
unpackbits: a=0
unravel_index: dims=shape
vdot: a=0 b=1
where: condition=0 x=1 y=2
"""
# Function: the place from which on CuPy has other arguments than NumPy, and which.
_PLACES = {
    "argmax": (2, ("dtype", "out", "keepdims")),
    "argmin": (2, ("dtype", "out", "keepdims")),
    "bincount": (2, ("minlength",)),
    "corrcoef": (3, ("bias", "ddof")),
    "histogram2d": (4, ("weights", "density")),
    "histogramdd": (3, ("weights", "density")),
    "nanargmax": (2, ("dtype", "out", "keepdims")),
    "nanargmin": (2, ("dtype", "out", "keepdims")),
    "unpackbits": (2, ("bitorder",)),
}
# Function: arguments of CuPy's that change nothing, and those that are not given where they are None.
_IDLE = {"corrcoef": ("bias", "ddof")}
_OPTIONAL = {"bincount": ("minlength",), "percentile": ("interpolation",), "quantile": ("interpolation",)}
_BLOCKING = ("array", "asarray", "asanyarray")
_MOVING = (*_BLOCKING, "copy")


def _read(table: str) -> dict[str, dict[str, str]]:
    rows = (line.split(":") for line in table.strip().splitlines())
    return {name: dict(pair.split("=") for pair in pairs.split()) for name, pairs in rows}


_SPELLINGS = _read(_TABLE)
_RESPELLED = _SPELLINGS.keys() | _PLACES.keys() | _IDLE.keys() | _OPTIONAL.keys()
MODULES = {name.rpartition(".")[0] for name in _RESPELLED | NAMES} - {""}
"""The modules below `cupy` that have such functions."""


def _respelled(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    spellings, idle, optional = _SPELLINGS.get(name, {}), _IDLE.get(name, ()), _OPTIONAL.get(name, ())
    first, names = _PLACES.get(name, (0, ()))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if first < len(args) <= first + len(names):
            placed = dict(zip(names, args[first:], strict=False))
            if twice := kwargs.keys() & placed.keys():
                raise TypeError(f"{name}() got multiple values for argument {min(twice)!r}")
            args, kwargs = args[:first], kwargs | placed
        for theirs in idle if kwargs else ():
            kwargs.pop(theirs, None)
        for theirs in optional if kwargs else ():
            if theirs in kwargs and kwargs[theirs] is None:
                del kwargs[theirs]
        for theirs, ours in spellings.items() if kwargs else ():
            if theirs not in kwargs:
                continue
            if not ours.isdigit():
                kwargs[ours] = kwargs.pop(theirs)
            elif len(args) == int(ours):
                args += (kwargs.pop(theirs),)
        return function(*args, **kwargs)

    return call


def _blocking(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, blocking: bool = False, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if blocking:
            # Only page-locked memory may still be read when a copy to the device returns.
            get_current_stream().synchronize()
        return result

    return call


def _to_this_device(function: Callable[..., Any]) -> Callable[..., Any]:
    """Arrays of another device are copied to the current one, as CuPy's guide says."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not args and "a" in kwargs:
            args = (kwargs.pop("a"),)
        if args and isinstance(args[0], ndarray) and kwargs.get("device") is None:
            args = (args[0].to_device(Device()), *args[1:])
        return function(*args, **kwargs)

    return call


def as_in_cupy(name: str, value: Any, facade: ModuleType) -> Any:
    """What `cupy.name` is, of what it is here."""
    if name == "get_array_module":

        @functools.wraps(value)
        def get_array_module(*args: Any) -> ModuleType:
            module = value(*args)
            return facade if module.__name__ == "cuproxide" else module

        return get_array_module
    if name in _MOVING:
        value = _to_this_device(value)
    if name in _BLOCKING:
        value = _blocking(value)
    if name in NAMES:
        value = with_hosts(name, value)
    return _respelled(value, name) if name in _RESPELLED else value
