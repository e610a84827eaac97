"""Bits in bytes."""

from __future__ import annotations

import operator

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import kernel as k
from .._lib.conversions import as_array, real_axis
from .._lib.routes import way
from .._typing import ArrayLike

__all__ = ["packbits", "unpackbits"]


# What multiplies eight bytes of 0 and 1, so that they are the bits of the highest byte of the product; that of the
# other order keeps one bit of each of eight equal bytes.
_GATHERING = {"big": 0x8040_2010_0804_0201, "little": 0x0102_0408_1020_4080}
_SPREADING = {"big": _GATHERING["little"], "little": _GATHERING["big"]}
# Eight bytes of 1, and of 127.
_ONES, _SEVENS = np.uint64(0x0101_0101_0101_0101), np.uint64(0x7F7F_7F7F_7F7F_7F7F)


@k.kernel
def _packed(word: k.Each, *, factor: int):
    """The bits of a byte say which of the eight bytes of `word` are not 0."""
    # Of bools, too, any byte may be true.
    bits = ((((word & _SEVENS) + _SEVENS) | word) >> np.uint64(7)) & _ONES
    # Vectors have no product of 64 bits: each half of the bytes makes half of the bits.
    lower = bits.astype(np.uint32) * np.uint32(factor >> 32)
    upper = (bits >> np.uint64(32)).astype(np.uint32) * np.uint32(factor & 0xFFFF_FFFF)
    return ((lower | upper) >> np.uint32(24)).astype(np.uint8)


@k.kernel
def _unpacked(byte: k.Each, *, mask: int):
    """The bits of a byte as the eight bytes of a word."""
    # Copies are made in narrow words, of which vectors hold more.
    word = byte
    for wide in (np.uint16, np.uint32, np.uint64):
        bits = 8 * word.dtype.itemsize
        word = word.astype(wide)
        word = word | (word << wide(bits))
    # Each bit alone in its byte; what is not 0 becomes 1.
    return (((word & np.uint64(mask)) + _SEVENS) >> np.uint64(7)) & _ONES


def _checked(bitorder: str) -> str:
    if not isinstance(bitorder, str):
        raise TypeError(f"bitorder must be a string, not {type(bitorder).__name__}")
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    return bitorder


def _lanes(a: ndarray, axis: int | None) -> tuple[ndarray, int]:
    """`a` with the axis to work along as the last one, and where that axis belongs."""
    a = a.ravel() if axis is None or a.ndim == 0 else a
    axis = _core.normalize_axis(0 if axis is None else real_axis(axis), a.ndim)
    return _core.moveaxis(a, axis, -1), axis


def packbits(a: ArrayLike, /, axis: int | None = None, bitorder: str = "big") -> ndarray:
    """Packs whether elements are not 0 into the bits of bytes, along `axis` or flattened; zeros fill the last byte.

    Raises
    ------
    TypeError
        Unless `a` is of integers or bool.

    >>> cp.packbits(cp.asarray([1, 0, 1, 0, 0, 0, 0, 1], dtype=bool))
    array([161], dtype=uint8)
    """
    a, factor = as_array(a), _GATHERING[_checked(bitorder)]
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    lanes, axis = _lanes(a, axis)
    bits = lanes if lanes.dtype.itemsize == 1 else lanes != 0
    if way("bits by registers", bits):
        return _core.moveaxis(_core.pack_bits(bits, bitorder == "big"), -1, axis)
    length = lanes.shape[-1]
    count = -(-length // 8)
    if length != count * 8:
        longer = _core.zeros((*lanes.shape[:-1], count * 8), bits.dtype)
        longer[..., :length] = bits
        bits = longer
    if bits.size == 0:
        return _core.moveaxis(_core.zeros((*lanes.shape[:-1], count), np.uint8), -1, axis)
    words = (bits if bits.flags.c_contiguous else bits.copy()).view(np.uint64)
    return _core.moveaxis(_packed(words, factor=factor), -1, axis)


def unpackbits(a: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> ndarray:
    """The bits of bytes as bytes of 0 and 1, along `axis` or flattened.

    `count` is how many to give, with zeros behind the last; if negative, how many to leave out at the end.

    Parameters
    ----------
    count : int, optional
        The number of bits, or if negative how many to leave out.

    Raises
    ------
    TypeError
        Unless `a` is of uint8.

    >>> cp.unpackbits(cp.asarray([161], dtype=cp.uint8))
    array([1, 0, 1, 0, 0, 0, 0, 1], dtype=uint8)
    """
    a, mask = as_array(a), _SPREADING[_checked(bitorder)]
    if a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    lanes, axis = _lanes(a, axis)
    outer, length = lanes.shape[:-1], lanes.shape[-1] * 8
    if count is None:
        count = length
    else:
        count = operator.index(count)
        if count < -length:
            raise ValueError(f"-count larger than number of elements ({length})")
        count = count + length if count < 0 else count
    if way("bits by registers", lanes):
        return _core.moveaxis(_core.unpack_bits(lanes, count, bitorder == "big"), -1, axis)
    words = _unpacked(lanes if lanes.flags.c_contiguous else lanes.copy(), mask=mask)
    bits = words.view(np.uint8).reshape((*outer, length))
    if count <= length:
        bits = bits[..., :count]
    else:
        longer = _core.zeros((*outer, count), np.uint8)
        longer[..., :length] = bits
        bits = longer
    return _core.moveaxis(bits, -1, axis)
