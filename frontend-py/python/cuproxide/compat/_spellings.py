"""CuPy's names of arguments where this package has NumPy's, and its functions that speak of `cupy` itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

# Function: CuPy's name of an argument = the name here, or its place where it has none.
_TABLE = """
array: obj=0
array_str: arr=a
concat: tup=0
concatenate: tup=0
corrcoef: a=x
cov: a=m
delete: indices=obj
ediff1d: arr=ary
empty_like: prototype=0
extract: a=arr
flip: a=m
fliplr: a=m
flipud: a=m
histogram: x=a
inner: a=0 b=1
intersect1d: arr1=ar1 arr2=ar2
may_share_memory: a=0 b=1
percentile: interpolation=method
quantile: interpolation=method
reshape: newshape=shape
rot90: a=m
stack: tup=arrays
take_along_axis: a=arr
union1d: arr1=ar1 arr2=ar2
unravel_index: dims=shape
vdot: a=0 b=1
where: condition=0 x=1 y=2
"""
# Arguments of CuPy's that change nothing here: a copy to the device has always been read when a call returns.
_IDLE = dict.fromkeys(("array", "asarray", "asanyarray"), ("blocking",)) | {"corrcoef": ("bias", "ddof")}


def _read(table: str) -> dict[str, dict[str, str]]:
    rows = (line.split(":") for line in table.strip().splitlines())
    return {name: dict(pair.split("=") for pair in pairs.split()) for name, pairs in rows}


_SPELLINGS = _read(_TABLE)


def _respelled(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    spellings, idle = _SPELLINGS.get(name, {}), _IDLE.get(name, ())

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for theirs, ours in spellings.items() if kwargs else ():
            if theirs not in kwargs:
                continue
            if not ours.isdigit():
                kwargs[ours] = kwargs.pop(theirs)
            elif len(args) == int(ours):
                args += (kwargs.pop(theirs),)
        for theirs in idle if kwargs else ():
            kwargs.pop(theirs, None)
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
    return _respelled(value, name) if name in _SPELLINGS or name in _IDLE else value
