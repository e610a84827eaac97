"""Cuproxide: NumPy's arrays on GPUs and CPUs.

    import cuproxide as cp

    x = cp.arange(10, dtype=cp.float32)
    print((x * x).sum())

Names and semantics are NumPy's. Arrays live on a device (`cp.Device("cuda:0")`, `cp.Device("cpu")`), `cp.asarray`
copies data there and `cp.asnumpy` back. `CUPROXIDE_BACKEND` chooses the device of a program and
`python -m cuproxide.doctor` tells what was found. Importing opens no driver; the first array does.
"""

# ruff: noqa: F401, F403, F405

from __future__ import annotations

import atexit
import builtins
import importlib
import os
from typing import TYPE_CHECKING, Any

from numpy import e, euler_gamma, inf, nan, newaxis, pi

from . import _cuproxide
from . import dtypes as _dtypes
from ._cuproxide import (
    CompileError,
    Device,
    MissingLibraryError,
    OutOfMemoryError,
    UnsupportedError,
    __version__,
    available_devices,
    evaluate,
    get_default_memory_pool,
    get_default_pinned_memory_pool,
    ndarray,
    ufunc,
)
from ._cuproxide import from_capsule as fromDlpack
from ._devices.errors import DeviceError
from ._devices.pinned import empty_like_pinned, empty_pinned, zeros_like_pinned, zeros_pinned
from ._devices.settings import apply as _apply_settings
from ._devices.synchronization import DeviceSynchronized, allow_synchronize
from ._lib.element_types import EXTENSIONS as _EXTENSIONS
from ._lib.texts import complete as _complete
from ._lib.ufuncs import NUMPY as _UFUNCS
from ._protocols.array_api import VERSION as __array_api_version__
from ._protocols.array_api import namespace_info as __array_namespace_info__
from ._protocols.members import UfuncSignature as _UfuncSignature
from ._routines import TOPICS as _ROUTINES
from ._routines._texts import TEXTS as _TEXTS
from ._routines.binary import *
from ._routines.coordinates import *
from ._routines.creation import *
from ._routines.differences import *
from ._routines.einsum import *
from ._routines.errstate import *
from ._routines.functional import *
from ._routines.gufuncs import *
from ._routines.histograms import *
from ._routines.index_tricks import *
from ._routines.indexing import *
from ._routines.io import *
from ._routines.iterators import *
from ._routines.joining import *
from ._routines.logic import *
from ._routines.padding import *
from ._routines.polynomials import *
from ._routines.products import *
from ._routines.quantiles import *
from ._routines.ranges import *
from ._routines.rearranging import *
from ._routines.rounding import *
from ._routines.sequences import *
from ._routines.sets import *
from ._routines.shapes import *
from ._routines.sorting import *
from ._routines.special_matrices import *
from ._routines.statistics import *
from ._routines.sums import *
from ._routines.vectorizing import *
from ._routines.windows import *
from .dtypes import *

if TYPE_CHECKING:
    from types import ModuleType

    from ml_dtypes import bfloat16

    from . import (
        compat,
        cuda,
        cutensor,
        distributed,
        doctor,
        exceptions,
        fft,
        fusion,
        jit,
        lib,
        linalg,
        optimizing,
        polynomial,
        profiler,
        random,
        scipy,
        testing,
        typing,
    )
    from ._kernels import *
    from ._ufuncs import *

# What is being compiled when the interpreter ends must be finished before the compiler's library goes.
atexit.register(_cuproxide.shut_down)
# A child has none of the locks that other threads hold at the fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_cuproxide.before_fork,
        after_in_parent=_cuproxide.after_fork_in_parent,
        after_in_child=_cuproxide.after_fork_in_child,
    )

_ufuncs = {name: function for name, function in _UFUNCS.items() if not name.startswith("_")}
# Some names are functions with more arguments than the ufunc of the name.
_ufuncs = {name: function for name, function in _ufuncs.items() if name not in globals()}
globals().update(_ufuncs)

_apply_settings()

ufunc.__signature__ = _UfuncSignature()  # type: ignore[attr-defined]


def load_ipython_extension(ipython: Any) -> None:
    """Gives IPython the magics `%gpu_time` and `%gpu_trace`: `%load_ext cuproxide`."""
    from ._tools.notebook import load

    load(ipython)


_SUBMODULES = (
    "compat",
    "cuda",
    "cutensor",
    "cudnn",
    "distributed",
    "doctor",
    "exceptions",
    "fft",
    "fusion",
    "jit",
    "lib",
    "linalg",
    "polynomial",
    "optimizing",
    "profiler",
    "random",
    "scipy",
    "signal",
    "testing",
    "typing",
)

# Kernels that a program writes itself are imported when the first of their names is asked for.
_KERNELS = (
    "ElementwiseKernel",
    "RawKernel",
    "RawModule",
    "ReductionKernel",
    "clear_memo",
    "fuse",
    "memoize",
)

_TOPICS = (_dtypes, *(importlib.import_module(f"._routines.{topic}", __name__) for topic in _ROUTINES))

__all__ = [  # noqa: PLE0604
    "CompileError",
    "Device",
    "DeviceError",
    "DeviceSynchronized",
    "MissingLibraryError",
    "OutOfMemoryError",
    "UnsupportedError",
    "__array_api_version__",
    "__array_namespace_info__",
    "__version__",
    "allow_synchronize",
    "available_devices",
    "e",
    "empty_like_pinned",
    "empty_pinned",
    "euler_gamma",
    "evaluate",
    "fromDlpack",
    "get_array_module",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "inf",
    "is_available",
    "nan",
    "ndarray",
    "newaxis",
    "pi",
    "show_config",
    "show_runtime",
    "ufunc",
    "zeros_like_pinned",
    "zeros_pinned",
    *(name for topic in _TOPICS for name in topic.__all__),
    *_ufuncs,
    *_KERNELS,
]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _EXTENSIONS:
        return getattr(_dtypes, name)
    if name in _KERNELS:
        kernels = importlib.import_module(f"{__name__}._kernels")
        _complete(vars(kernels), _KERNELS, _TEXTS, "numpy", _KERNELS)
        globals().update({each: getattr(kernels, each) for each in _KERNELS})
        return globals()[name]
    if name == "special":
        # Where the array API's extension of special functions is looked for.
        return importlib.import_module(f"{__name__}.scipy.special")
    if name == "emath":
        return importlib.import_module(f"{__name__}.lib.scimath")
    if name == "byte_bounds":
        return importlib.import_module(f"{__name__}.lib.array_utils").byte_bounds
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_EXTENSIONS, "byte_bounds", "emath", "special", *_SUBMODULES})


def get_array_module(*args: Any) -> ModuleType:
    """This package if one of the arguments is an array of it, otherwise `numpy`.

    For code that serves both: `xp = cp.get_array_module(x)`.

    >>> cp.get_array_module(cp.ones(2)).__name__
    'cuproxide'
    """
    for arg in args:
        if isinstance(arg, ndarray):
            return importlib.import_module(__name__)
    return importlib.import_module("numpy")


def is_available() -> builtins.bool:
    """Whether a device can be used.

    >>> cp.is_available()
    True
    """
    return len(available_devices()) > 0


def show_config(mode: str = "stdout", *, _full: builtins.bool = False) -> dict[str, Any] | None:
    """Prints the versions, backends, devices and libraries that were found, or returns them with mode "dicts".

    It always says all that it knows, so `_full` of CuPy changes nothing.

    Parameters
    ----------
    mode : {'stdout', 'dicts'}
        Whether to print or to return.
    _full : bool
        Taken for compatibility.

    Returns
    -------
    dict or None

    Examples
    --------
    >>> sorted(cp.show_config("dicts")["versions"])[0]
    'cuproxide'
    """
    from . import doctor

    del _full
    if mode == "dicts":
        return doctor.examine()
    if mode != "stdout":
        raise ValueError(f"mode must be 'stdout' or 'dicts' (got {mode!r})")
    print(doctor.describe(doctor.examine()))
    return None


def show_runtime() -> None:
    """Prints what runs here: the interpreter, the platform, and what `show_config` finds. See `numpy.show_runtime`."""
    import platform
    import pprint
    import sys

    from . import doctor

    pprint.pprint([{"python": sys.version, "uname": tuple(platform.uname())}, doctor.examine()])


# What NumPy does not have.
_OWN = (
    "GeneralizedUFunc",
    "in1d",
    "is_deterministic",
    "make_aligned_dtype",
    "msort",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "set_deterministic",
    "who",
)
_complete(globals(), ("empty_like_pinned", "empty_pinned", "zeros_like_pinned", "zeros_pinned"), _TEXTS)
for _topic in _TOPICS:
    _complete(vars(_topic), _topic.__all__, _TEXTS, "numpy", _OWN)
