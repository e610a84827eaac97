"""Element types: NumPy's names, and the rules of promotion and casting."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy import (
    False_,
    True_,
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
    issubdtype,
    iterable,
    little_endian,
    long,
    longlong,
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

from . import _cuproxide as _core
from . import _records
from ._cuproxide import ndarray
from ._lib.element_types import EXTENSIONS
from ._lib.limits import finfo, iinfo
from ._typing import DTypeLike

__all__ = [
    "False_",
    "True_",
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
    "iterable",
    "little_endian",
    "long",
    "longlong",
    "make_aligned_dtype",
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


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> builtins.bool:
    """Whether an element type is of a kind: `numpy.isdtype`, in which bfloat16 is a real floating type.

    Parameters
    ----------
    dtype : dtype
        The type.
    kind : dtype, str or tuple of these
        A type, or "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating" or
        "numeric"; of several one has to fit.

    Returns
    -------
    bool

    Raises
    ------
    TypeError
        If one of the arguments is no type.
    ValueError
        If `kind` is a string that names no kind.

    See Also
    --------
    numpy.isdtype : The function that this one follows.

    >>> cp.isdtype(cp.float32, "real floating"), cp.isdtype(cp.bfloat16, ("integral", cp.float64))
    (True, False)
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    others = tuple(one for one in kinds if not _is_extension(one))
    if not _is_extension(dtype):
        return np.isdtype(dtype, others)  # type: ignore[arg-type]
    np.isdtype(np.float16, others)  # type: ignore[arg-type]  # raises for what is no kind
    return len(others) < len(kinds) or np.isdtype(np.float16, tuple(one for one in others if isinstance(one, str)))


def _is_extension(given: Any) -> builtins.bool:
    given = given.type if isinstance(given, np.dtype) else given
    return isinstance(given, type) and given.__name__ in EXTENSIONS and given.__module__ == "ml_dtypes"


def __getattr__(name: str) -> Any:
    # ml_dtypes takes several milliseconds to import.
    if name in EXTENSIONS:
        import ml_dtypes

        return globals().setdefault(name, getattr(ml_dtypes, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@_records.by_dtype
def promote_types(type1: DTypeLike, type2: DTypeLike, /) -> np.dtype[Any]:
    """The smallest type that both cast to safely.

    Parameters
    ----------
    type1 : dtype
        The first type.
    type2 : dtype
        The second type.

    Returns
    -------
    dtype

    See Also
    --------
    numpy.promote_types : The function that this one follows.

    >>> cp.promote_types("i4", "f4")
    dtype('float64')
    """
    return _core.promote_types(type1, type2)


@_records.by_dtype
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The type of a result of arrays, numbers and types; Python numbers only lend their kind. See `numpy.result_type`.

    >>> cp.result_type(cp.ones(2, dtype=cp.float32), 2.5)
    dtype('float32')
    """
    return _core.result_type(*arrays_and_dtypes)


@_records.by_dtype
def can_cast(from_: DTypeLike | ndarray, to: DTypeLike, casting: str = "safe") -> builtins.bool:
    """Whether a casting rule allows a conversion.

    Parameters
    ----------
    from_ : dtype or array
        What would be cast.
    to : dtype
        The type to cast to.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Which casts are allowed.

    Returns
    -------
    bool

    See Also
    --------
    numpy.can_cast : The function that this one follows.

    >>> cp.can_cast("f8", "f4")
    False
    """
    return _core.can_cast(from_, to, casting)


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


def mintypecode(typechars: Iterable[Any], typeset: Iterable[str] = "GDFgdf", default: str = "d") -> str:
    """The letter of the smallest dtype of `typeset` that all letters or arrays can be cast to; `default` if none is.

    Parameters
    ----------
    typechars : str or sequence of str
        The letters.
    typeset : str or sequence of str
        The letters to choose from.
    default : str
        The letter if nothing fits.

    Returns
    -------
    str

    See Also
    --------
    numpy.mintypecode : The function that this one follows.

    >>> cp.mintypecode(["d", cp.ones(2, dtype=cp.complex64)])
    'D'
    """
    letters = [item.dtype.char if isinstance(item, ndarray) else item for item in typechars]
    return np.mintypecode(letters, typeset, default)


_ALIGNMENT = "device_alignment"


def _metadata(dtype: np.dtype[Any]) -> Mapping[str, Any]:
    return dtype.metadata or {}


def _alignment(dtype: np.dtype[Any]) -> int:
    """What addresses of a dtype are a multiple of on a device: the size of a number, that of both parts if complex."""
    if dtype.subdtype is not None:
        return _alignment(dtype.subdtype[0])
    if dtype.names is None:
        return dtype.itemsize if dtype.kind in "biufc" else dtype.alignment
    known = _metadata(dtype).get(_ALIGNMENT)
    return known or max((_alignment(dtype[name]) for name in dtype.names), default=1)


def make_aligned_dtype(dtype: DTypeLike, *, alignment: int = -1, recurse: Any = True) -> np.dtype[Any]:
    """A structured dtype with its fields where a compiler for devices puts those of a struct.

    Unlike in NumPy's `align=True` complex numbers are aligned to their whole size. A larger `alignment` pads the dtype
    and is kept as its metadata; a smaller one than the fields need is a `ValueError`. Nested structs are aligned too if
    `recurse`.

    Parameters
    ----------
    dtype : dtype
        The type of the result's elements.
    alignment : int
        The alignment in bytes.
    recurse : bool
        Whether fields of records are aligned too.

    Returns
    -------
    dtype

    >>> cp.make_aligned_dtype([("a", "i1"), ("b", "f8")]).itemsize
    16
    """
    given = np.dtype(dtype)
    if given.subdtype is not None:
        base, shape = given.subdtype
        return np.dtype((make_aligned_dtype(base, alignment=alignment, recurse=recurse), shape))
    if given.names is None:
        if alignment not in (-1, _alignment(given)):
            raise ValueError(f"the alignment of {given!r} is {_alignment(given)}, not {alignment}")
        return given
    formats, offsets, titles, end = [], [], [], 0
    for name in given.names:
        assert given.fields is not None
        field, _, *title = given.fields[name]
        if recurse:
            kept = _metadata(field.base).get(_ALIGNMENT, -1)
            field = make_aligned_dtype(field, alignment=kept if field.base.names else -1, recurse=True)
        step = _alignment(field)
        end = -(-end // step) * step
        formats.append(field)
        offsets.append(end)
        titles.append(title[0] if title else None)
        end += field.itemsize
    least = max((_alignment(field) for field in formats), default=1)
    if alignment != -1 and (alignment < least or alignment & (alignment - 1)):
        raise ValueError(f"alignment must be a power of two and at least the {least} of the fields (got {alignment})")
    step = least if alignment == -1 else alignment
    layout: Any = {
        "names": list(given.names),
        "formats": formats,
        "offsets": offsets,
        "titles": titles,
        "itemsize": -(-end // step) * step,
    }
    if alignment > least:
        return np.dtype(layout, align=True, metadata={_ALIGNMENT: alignment})
    return np.dtype(layout, align=True)
