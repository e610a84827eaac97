"""Element types: NumPy's names, and the rules of promotion and casting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import (
    bool,
    bool_,
    byte,
    cdouble,
    complex64,
    complex128,
    complexfloating,
    csingle,
    double,
    dtype,
    float16,
    float32,
    float64,
    floating,
    generic,
    half,
    inexact,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    integer,
    intp,
    isdtype,
    issubdtype,
    long,
    longlong,
    mintypecode,
    number,
    short,
    signedinteger,
    single,
    typename,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ulong,
    ulonglong,
    unsignedinteger,
    ushort,
)
from numpy.rec import format_parser

from ._cuproxide import can_cast, ndarray, promote_types, result_type
from ._limits import finfo, iinfo

__all__ = [
    "bool",
    "bool_",
    "byte",
    "can_cast",
    "cdouble",
    "common_type",
    "complex64",
    "complex128",
    "complexfloating",
    "csingle",
    "double",
    "dtype",
    "finfo",
    "float16",
    "float32",
    "float64",
    "floating",
    "format_parser",
    "generic",
    "half",
    "iinfo",
    "inexact",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "intc",
    "integer",
    "intp",
    "isdtype",
    "issubdtype",
    "long",
    "longlong",
    "min_scalar_type",
    "mintypecode",
    "number",
    "promote_types",
    "result_type",
    "short",
    "signedinteger",
    "single",
    "typename",
    "ubyte",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "unsignedinteger",
    "ushort",
]


def __getattr__(name: str) -> Any:
    # ml_dtypes takes several milliseconds to import.
    if name == "bfloat16":
        from ml_dtypes import bfloat16

        globals()[name] = bfloat16
        return bfloat16
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def min_scalar_type(a: Any, /) -> np.dtype[Any]:
    """The smallest dtype that holds a scalar; the dtype of an array. See `numpy.min_scalar_type`.

    >>> cp.min_scalar_type(300)
    dtype('uint16')
    """
    return a.dtype if isinstance(a, ndarray) else np.min_scalar_type(a)


def common_type(*arrays: ndarray) -> type[np.generic]:
    """The floating or complex type that all arrays can be computed in; integers count as float64.

    See `numpy.common_type`.

    >>> cp.common_type(cp.ones(2, dtype=cp.float32), cp.arange(2)).__name__
    'float64'
    """
    found = np.dtype(np.float16)
    for array in arrays:
        if array.dtype.kind == "b":
            raise TypeError("can't get common type for non-numeric array")
        found = promote_types(found, np.float64 if array.dtype.kind in "iu" else array.dtype)
    return found.type
