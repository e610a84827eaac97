"""How records lie in memory: what follows from a dtype, the flags, and words of elements that move as numbers do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray

WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def checked(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.hasobject:
        raise TypeError(f"Unsupported dtype {dtype}: objects of Python lie in no device's memory")
    return dtype


def is_number(dtype: np.dtype[Any]) -> bool:
    """Whether elements are numbers of another library, such as float8: bytes here, with which nothing is computed."""
    return dtype.kind == "V" and dtype.names is None and not issubclass(dtype.type, np.void)


def fields(dtype: np.dtype[Any]) -> list[tuple[np.dtype[Any], int]]:
    return [dtype.fields[name][:2] for name in dtype.names or ()]  # type: ignore[index]


def is_packed(dtype: np.dtype[Any]) -> bool:
    """Whether all bytes of an element belong to its fields, or may be copied with them."""
    return dtype.names is None or dtype.itemsize <= sum(field.itemsize for field, _ in fields(dtype))


def word_of(dtype: np.dtype[Any]) -> int:
    """The bytes of the widest word that elements consist of."""
    return math.gcd(8, dtype.itemsize)


def host_dtype(value: Any, dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The dtype to read a value as: records are tuples, all else are numbers."""
    inner = value
    while isinstance(inner, list) and inner:
        inner = inner[0]
    return dtype if isinstance(inner, (tuple, bytes)) else None


def resized(data: ndarray, strides: tuple[int, ...], itemsize: int) -> ndarray:
    """Elements in bytes cut into elements of another size, along the last axis."""
    old = data.shape[-1]
    if not strides:
        raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
    length = data.shape[-2]
    if length != 1 and strides[-1] != old and data.size:
        raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
    if itemsize < old and old % itemsize:
        raise ValueError("When changing to a smaller dtype, its size must be a divisor of the size of original dtype")
    if length * old % itemsize:
        raise ValueError(
            "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis "
            "of the array."
        )
    return data.reshape(*data.shape[:-2], length * old // itemsize, itemsize)


def described(thing: Any) -> np.dtype[Any] | None:
    """The dtype of records or dates that another library's object of a GPU describes itself with."""
    if isinstance(thing, (ndarray, np.ndarray, np.generic, str, type)):
        return None
    interface: Any = getattr(thing, "__cuda_array_interface__", None)
    typestr = interface.get("typestr") if isinstance(interface, dict) else None
    if not isinstance(typestr, str) or typestr[1:2] not in ("V", "M", "m"):
        return None
    fields = interface.get("descr")
    named = typestr[1] == "V" and fields and (len(fields) > 1 or fields[0][0])
    dtype = np.dtype([tuple(field) for field in fields] if named else typestr)
    if dtype.itemsize != np.dtype(typestr).itemsize:
        raise ValueError(f"__cuda_array_interface__ has descr={fields!r}, which is not of the size of {typestr!r}")
    return dtype


class Flags:
    """The flags of an array of records: those of its words, whose axis takes no part in the order of the others."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getitem__(self, key: str) -> bool:
        words, axes = self._array._words, range(self._array.ndim)
        c = words.flags.c_contiguous
        f = words.transpose(*axes[::-1], len(axes)).flags.c_contiguous
        own = self._array.base is None
        known = {
            ("C", "CONTIGUOUS", "C_CONTIGUOUS"): c,
            ("F", "FORTRAN", "F_CONTIGUOUS"): f,
            ("O", "OWNDATA"): own,
            ("FNC",): f and not c,
            ("FORC",): f or c,
            ("CA", "CARRAY"): c and words.flags.behaved,
            ("FA", "FARRAY"): f and not c and words.flags.aligned,
        }
        for names, value in known.items():
            if key in names:
                return value
        return words.flags[key]

    def __setitem__(self, key: str, value: bool) -> None:
        self._array._words.flags[key] = value

    def __getattr__(self, name: str) -> bool:
        if len(name) < 3 or not name.islower():
            raise AttributeError(f"'flagsobj' object has no attribute '{name}'")
        try:
            return self[name.upper()]
        except KeyError:
            raise AttributeError(f"'flagsobj' object has no attribute '{name}'") from None

    @property
    def writeable(self) -> bool:
        """Whether the elements can be set."""
        return self._array._words.flags.writeable

    @writeable.setter
    def writeable(self, value: bool) -> None:
        self._array._words.flags.writeable = value

    def __repr__(self) -> str:
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in names)


def by_words(call: Callable[[list[ndarray]], Any], arrays: list[Any]) -> Any:
    """What `call` makes of records, told what it makes of one word of each element.

    `call` gets that word of each of `arrays`, which are of one dtype. A view of it is extended to the other words;
    what is new is made for each word.
    """
    words = [a._words for a in arrays]
    if len({part.dtype for part in words}) > 1:
        words = [a._bytes for a in arrays]
    first = call([part[..., 0] for part in words])
    if first is None or not _is_view(first, words):
        rest = [call([part[..., place] for part in words]) for place in range(1, words[0].shape[-1])]
        return _joined([first, *rest], arrays[0])
    return _extended(first, arrays[0], words[0])


def _is_view(result: Any, words: Iterable[ndarray]) -> bool:
    part = result[0] if isinstance(result, (list, tuple)) else result
    return any(_core.may_share_memory(part, given) for given in words)


def _extended(result: Any, a: Any, words: ndarray) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(_extended(part, a, words) for part in result)
    view = _core.as_strided(result, (*result.shape, words.shape[-1]), (*result.strides, words.strides[-1]))
    return type(a)(view, a.dtype, a if a.base is None else a.base)


def _joined(results: list[Any], a: Any) -> Any:
    if results[0] is None:
        return None
    if isinstance(results[0], (list, tuple)):
        return type(results[0])(_joined(list(parts), a) for parts in zip(*results, strict=True))
    return type(a)(_core.concatenate([part[..., None] for part in results], -1), a.dtype)
