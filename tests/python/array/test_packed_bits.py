"""Bits in bytes and back, beside NumPy."""

import itertools

import cuproxide as cp
import numpy as np
import pytest
from helpers import check
from ways import take_ways

ORDERS = ["big", "little"]


@pytest.fixture(autouse=True, params=["of the device", "of a GPU"])
def ways(request, monkeypatch):
    if request.param == "of a GPU":
        take_ways(monkeypatch, True, "bits by registers")


@pytest.mark.parametrize("order", ORDERS)
def test_every_byte_is_unpacked_and_packed_again(order):
    a = np.arange(256, dtype=np.uint8)
    bits = cp.unpackbits(cp.asarray(a), bitorder=order)
    check(bits, np.unpackbits(a, bitorder=order))
    check(cp.packbits(bits, bitorder=order), a)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int16, np.uint32, np.int64])
def test_any_value_but_zero_is_a_bit(dtype, order):
    a = np.random.default_rng(1).integers(0, 3, 1003).astype(dtype)
    if dtype in (np.int8, np.uint8, np.bool_):
        # All bytes, of bools too.
        a = np.concatenate((np.arange(256, dtype=np.uint8).view(dtype), a))
    for count in (0, 1, 7, 8, 9, 64, 65, a.size):
        check(cp.packbits(cp.asarray(a[:count]), bitorder=order), np.packbits(a[:count], bitorder=order))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
def test_along_axes_of_any_layout(axis, order):
    a = np.random.default_rng(2).integers(0, 2, (9, 17, 16)).astype(np.uint8) * 255
    layouts = [lambda x: x, lambda x: x.T, lambda x: x[::-1, 1:, ::2], lambda x: x[:, :0], lambda x: x[3:4, 2:3, 5:6]]
    for layout, function in itertools.product(layouts, ("packbits", "unpackbits")):
        found = getattr(cp, function)(layout(cp.asarray(a)), axis=axis, bitorder=order)
        check(found, getattr(np, function)(layout(a), axis=axis, bitorder=order))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("length", [1, 7, 8, 31, 32, 33, 63, 64, 65, 127, 129, 262_145])
def test_lengths_around_registers(length, order):
    a = np.random.default_rng(3).integers(0, 2, (3, length)).astype(bool)
    packed = np.packbits(a, axis=1, bitorder=order)
    check(cp.packbits(cp.asarray(a), axis=1, bitorder=order), packed)
    check(cp.packbits(cp.asarray(a[:, ::-1]), axis=0, bitorder=order), np.packbits(a[:, ::-1], axis=0, bitorder=order))
    for count in (None, 0, length, length - 1, -1, 8 * packed.shape[1] + 3):
        check(
            cp.unpackbits(cp.asarray(packed), axis=1, count=count, bitorder=order),
            np.unpackbits(packed, axis=1, count=count, bitorder=order),
        )


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 5)])
def test_no_elements(shape):
    for axis in (None, *range(len(shape))):
        check(cp.packbits(cp.zeros(shape, bool), axis=axis), np.packbits(np.zeros(shape, bool), axis=axis))
        for count in (None, 0, 5):
            # NumPy leaves bits beyond no bytes as they are in memory.
            bits = list(shape) if axis is not None else [0]
            bits[axis or 0] = 8 * bits[axis or 0] if count is None else count
            found = cp.unpackbits(cp.zeros(shape, np.uint8), axis=axis, count=count)
            check(found, np.zeros(bits, np.uint8))
