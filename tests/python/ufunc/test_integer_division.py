"""Quotients and remainders of integers, where their types end and where ways to compute them change."""

import cuproxide as cp
import numpy as np
import pytest
from helpers import check

INTEGERS = [np.dtype(code) for code in "bBhHiIqQ"]
FUNCTIONS = ["floor_divide", "remainder", "fmod", "divmod"]


def extremes(dtype):
    """Numbers around zero, powers of two and the ends of the type."""
    info = np.iinfo(dtype)
    near = [sign * 2**power + step for power in range(info.bits) for sign in (1, -1) for step in (-1, 0, 1)]
    near += [7, -7, 10**9, 10**15 + 7, -(10**18), info.max // 3, info.min // 3, info.max, info.min]
    return np.unique([x for x in near if info.min <= x <= info.max]).astype(dtype)


def same(function, x, y):
    with np.errstate(all="ignore"):
        theirs = getattr(np, function)(x, y)
    ours = getattr(cp, function)(*(cp.array(a) if isinstance(a, np.ndarray) else a for a in (x, y)))
    for mine, other in zip(ours, theirs, strict=True) if function == "divmod" else [(ours, theirs)]:
        check(mine, other)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_all_pairs_of_bytes(dtype, function):
    info = np.iinfo(dtype)
    x, y = np.meshgrid(*[np.arange(info.min, info.max + 1).astype(dtype)] * 2)
    same(function, x, y)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_all_pairs_of_extremes(dtype, function):
    x, y = np.meshgrid(*[extremes(dtype)] * 2)
    same(function, x, y)
    same(function, x[:, ::3], y[:, ::3])


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_one_divisor(dtype, function):
    all_of_them = extremes(dtype)
    for divisor in (1, 2, 3, 7, 10, 100, int(all_of_them[-1]), -1, -2, -7, int(all_of_them[0])):
        if np.iinfo(dtype).min <= divisor:
            same(function, all_of_them, divisor)
            same(function, np.arange(100).astype(dtype), divisor)
    same(function, all_of_them.dtype.type(100), all_of_them)


def test_times_since_1970():
    nanoseconds = np.int64(1_700_000_000) * 10**9 + np.arange(5000) * 123_456_789
    for divisor in (10**9, 86_400 * 10**9, -(10**9)):
        same("floor_divide", nanoseconds, divisor)
        same("remainder", nanoseconds, divisor)
        same("remainder", -nanoseconds, divisor)
    same("remainder", nanoseconds, nanoseconds[::-1] // 1000)
