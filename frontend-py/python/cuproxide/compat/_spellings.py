"""CuPy's arguments where this package has NumPy's or SciPy's, and its functions that speak of `cupy` itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from .._cuproxide import Device, get_current_stream, ndarray
from ._hosts import NAMES, with_hosts
from ._order import PACKAGES, in_c_order, lays_out

# Function (below `cupy`, or of `cupyx`): CuPy's name of an argument = the name here, or its place where it has none.
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
cupyx.scipy.linalg.expm: a=A
cupyx.scipy.ndimage.distance_transform_edt: image=input
cupyx.scipy.signal.symiirorder1: input=signal
cupyx.scipy.sparse.linalg.eigsh: a=A
cupyx.scipy.sparse.linalg.minres: tol=rtol
cupyx.scipy.sparse.linalg.svds: a=A
cupyx.scipy.spatial.distance.jensenshannon: u=p v=q
"""
# Function: the place from which on CuPy has other arguments than NumPy or SciPy, and which.
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
    "cupyx.scipy.ndimage.gaussian_filter": (7, ("radius", "axes")),
    "cupyx.scipy.ndimage.maximum_filter": (7, ("axes",)),
    "cupyx.scipy.ndimage.median_filter": (7, ("axes",)),
    "cupyx.scipy.ndimage.minimum_filter": (7, ("axes",)),
    "cupyx.scipy.ndimage.percentile_filter": (8, ("axes",)),
    "cupyx.scipy.ndimage.rank_filter": (8, ("axes",)),
    "cupyx.scipy.ndimage.uniform_filter": (6, ("axes",)),
    "cupyx.scipy.signal.firls": (3, ("weight", "fs")),
    "cupyx.scipy.signal.firwin": (2, ("width", "window", "pass_zero", "scale", "fs")),
    "cupyx.scipy.signal.firwin2": (3, ("nfreqs", "window", "nyq", "antisymmetric", "fs")),
    "cupyx.scipy.signal.minimum_phase": (3, ("half",)),
    "cupyx.scipy.signal.windows.kaiser_bessel_derived": (2, ("sym",)),
    "cupyx.scipy.signal.windows.lanczos": (1, ("sym",)),
    "cupyx.scipy.sparse.linalg.lsmr": (2, ("x0", "damp", "atol", "btol", "conlim", "maxiter")),
    "cupyx.scipy.sparse.linalg.minres": (3, ("shift", "tol", "maxiter", "M", "callback", "check")),
    "cupyx.scipy.spatial.distance.cdist": (3, ("out",)),
}
# Function: arguments of CuPy's that change nothing, and those that are not given where they are None. Coordinates are
# computed in float64 here.
_IDLE = {"corrcoef": ("bias", "ddof"), "cupyx.scipy.ndimage.affine_transform": ("float64_coords",)}
_OPTIONAL = {
    "bincount": ("minlength",),
    "percentile": ("interpolation",),
    "quantile": ("interpolation",),
    "cupyx.scipy.signal.firwin2": ("nyq",),
}
_BLOCKING = ("array", "asarray", "asanyarray")
_MOVING = (*_BLOCKING, "copy")


def _read(table: str) -> dict[str, dict[str, str]]:
    rows = (line.split(":") for line in table.strip().splitlines())
    return {name: dict(pair.split("=") for pair in pairs.split()) for name, pairs in rows}


_SPELLINGS = _read(_TABLE)
_RESPELLED = _SPELLINGS.keys() | _PLACES.keys() | _IDLE.keys() | _OPTIONAL.keys()


def _modules(function: str) -> Iterator[str]:
    """The modules that lead to a function, from the first below `cupy` or `cupyx` on."""
    parts = (function if function.startswith("cupyx.") else f"cupy.{function}").split(".")
    return (".".join(parts[:end]) for end in range(2, len(parts)))


MODULES = {
    module for name in _RESPELLED | NAMES | {f"{package}.*" for package in PACKAGES} for module in _modules(name)
}
"""The modules that have such functions, or have one that does."""
_ARRAY_MODULES = ("get_array_module", "cupyx.scipy.get_array_module")


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
    """What `name`, below `cupy` or of `cupyx`, is there, of what it is here."""
    made = value
    if name in _ARRAY_MODULES:
        real = value.__module__

        @functools.wraps(value)
        def get_array_module(*args: Any) -> ModuleType:
            module = value(*args)
            return facade if module.__name__ == real else module

        made = get_array_module
    if lays_out(name, value):
        made = in_c_order(made)
    if name in _MOVING:
        made = _to_this_device(made)
    if name in _BLOCKING:
        made = _blocking(made)
    if name in NAMES:
        made = with_hosts(name, made)
    if name in _RESPELLED:
        made = _respelled(made, name)
    if made is not value:
        # It is pickled by the name under which a process that has the hook finds it.
        made.__module__, made.__qualname__ = facade.__name__, name.rpartition(".")[2]
    return made
