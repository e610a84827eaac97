"""What stands for `cupy._core` and for its modules `core`, `_kernel` and `_reduction`: classes by their first address.

`isinstance(x, cupy._core.core.ndarray)` is how many programs tell arrays of CuPy from others, and arrays that CuPy
itself has pickled name `cupy._core.core.array`.
"""

from __future__ import annotations

import sys

from ... import array, ascontiguousarray, copyto, ndarray, ufunc
from ..._kernels import ElementwiseKernel, RawKernel, RawModule, ReductionKernel, fuse
from . import accelerator as _accelerator
from . import dtypes as _dtype
from . import indexing as _routines_indexing
from . import internal
from . import scalar as _scalar
from .accelerator import (
    get_reduction_accelerators,
    get_routine_accelerators,
    set_reduction_accelerators,
    set_routine_accelerators,
)

__all__ = [
    "ElementwiseKernel",
    "RawKernel",
    "RawModule",
    "ReductionKernel",
    "_accelerator",
    "_dtype",
    "_kernel",
    "_reduction",
    "_routines_indexing",
    "_scalar",
    "array",
    "ascontiguousarray",
    "core",
    "elementwise_copy",
    "fuse",
    "get_reduction_accelerators",
    "get_routine_accelerators",
    "internal",
    "ndarray",
    "set_reduction_accelerators",
    "set_routine_accelerators",
    "ufunc",
]

# These modules of CuPy's are this one.
core = _kernel = _reduction = sys.modules[__name__]


def elementwise_copy(x: ndarray, out: ndarray) -> ndarray:
    """Copies elements into an array of the same or a larger shape, cast from any dtype.

    Parameters
    ----------
    x : array
    out : array

    Returns
    -------
    array
        `out`.

    Raises
    ------
    ValueError
        If `x` cannot be broadcast to the shape of `out`.

    Examples
    --------
    >>> from cuproxide.compat.private.core import elementwise_copy
    >>> elementwise_copy(cp.asarray([1.5, 2.5]), cp.zeros(2, int))
    array([1, 2])
    """
    copyto(out, x, casting="unsafe")
    return out
