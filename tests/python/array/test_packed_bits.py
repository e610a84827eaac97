"""Bits in bytes and back, beside NumPy."""

import itertools

import cuproxide as cp
import numpy as np
import pytest
from helpers import check

ORDERS = ["big", "little"]


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
