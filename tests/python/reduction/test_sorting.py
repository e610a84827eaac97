"""Sorting, searching and sets."""

from itertools import pairwise

import cuproxide as cp
import numpy as np
import pytest
from helpers import BFLOAT16, DTYPES, SOME, check, compare, in_layout, is_inexact, same_error, sample
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from versions import NUMPY_2_4

NUMBERS = hnp.arrays(np.float64, st.integers(0, 40), elements=st.integers(-5, 5).map(float) | st.just(float("nan")))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_sort(dtype):
    host = sample(dtype, (7, 33))
    # ml_dtypes leaves NaN where it is.
    oracle = host.astype(np.float32) if dtype == BFLOAT16 else host
    for axis in (0, 1, -1, None):
        check(cp.sort(cp.array(host), axis=axis), np.sort(oracle, axis=axis).astype(dtype), signs=False)
        check(cp.argsort(cp.array(host), axis=axis), np.argsort(oracle, axis=axis, kind="stable"))
    a = cp.array(host)
    a.sort(axis=0)
    check(a, np.sort(oracle, axis=0).astype(dtype), signs=False)


@pytest.mark.parametrize("length", [0, 1, 2, 31, 1000, 5000])
def test_sort_lengths(length):
    host = sample(np.float32, (length,))
    compare(lambda xp, a: xp.sort(a), host, signs=False)
    check(cp.argsort(cp.array(host)), np.argsort(host, kind="stable"))


def sorted_by_numpy(host):
    """Sorted as float64: NumPy's sort of float16 fails on some processors (findings/numpy_float16_sort_avx512.sh)."""
    return np.sort(host.astype("f8")).astype(host.dtype)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("kind", ["normal", "patterns", "subnormal", "signs of zero", "infinite", "one subnormal"])
def test_sort_and_partition_keep_every_bit_of_floats(dtype, kind):
    """Floats of all kinds, in numbers around the blocks that registers sort."""
    random = np.random.default_rng(3)
    least, word = np.finfo(dtype).smallest_subnormal, f"u{np.dtype(dtype).itemsize}"
    for count in (22, 64, 255, 257, 513, 1030, 5000, 70_001):
        host = random.standard_normal(count).astype(dtype)
        if kind == "patterns":
            host = random.integers(0, np.iinfo(word).max, count, dtype=word, endpoint=True).view(dtype)
        elif kind == "subnormal":
            host = random.integers(-3, 4, count).astype(dtype) * least
        elif kind == "signs of zero":
            host = np.copysign(np.zeros(count, dtype), host)
        elif kind == "infinite":
            host = np.where(random.random(count) < 0.3, np.copysign(np.inf, host), host).astype(dtype)
        elif kind == "one subnormal":
            host[random.integers(count)] = least
        found, expected = cp.sort(cp.array(host)).get(), sorted_by_numpy(host)
        assert np.array_equal(found, expected, equal_nan=True)
        assert np.array_equal(np.sort(found.view(word)), np.sort(host.view(word)))
        for kth in (0, count // 3, count - 1):
            found = cp.partition(cp.array(host), kth).get()
            assert np.array_equal(found[kth], expected[kth], equal_nan=True)
            below = np.sort(found[:kth].astype("f8")).astype(dtype)
            assert np.array_equal(below, expected[:kth], equal_nan=True)
            assert np.array_equal(np.sort(found.view(word)), np.sort(host.view(word)))


@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed", "broadcast", "empty"])
def test_sort_layouts(layout):
    host = in_layout(sample(np.int16, (6, 8)), layout)
    for axis in (0, 1):
        compare(lambda xp, a, x=axis: xp.sort(a, axis=x), host)
        compare(lambda xp, a, x=axis: xp.argsort(a, axis=x, kind="stable"), host)


def test_sort_refuses():
    a, b = cp.arange(4), np.arange(4)
    same_error(lambda: cp.sort(a, axis=1), lambda: np.sort(b, axis=1))
    same_error(lambda: cp.sort(a, kind="bogus"), lambda: np.sort(b, kind="bogus"))
    same_error(lambda: cp.sort(cp.array(1)), lambda: np.sort(np.array(1)))
    same_error(lambda: cp.sort(a, kind="stable", stable=True), lambda: np.sort(b, kind="stable", stable=True))


def test_other_sorts():
    host = np.array([3, 1, 2, 1], np.int8)
    compare(lambda xp, a: xp.sort_complex(a), host)
    compare(lambda xp, a: xp.sort_complex(a * (1 + 2j)), host)
    compare(lambda xp, a: xp.lexsort((a, xp.asarray([1, 0, 1, 0]))), host)
    compare(lambda xp, a: xp.lexsort(xp.stack([a, a[::-1]]).reshape(2, 2, 2), axis=0), host)
    check(cp.msort(cp.array([[3, 1], [2, 4]])), np.array([[2, 1], [3, 4]]))
    for kth in (2, -1, [0, 3]):
        a = cp.partition(cp.array(host), kth)
        assert all(a[k] == np.sort(host)[k] for k in np.atleast_1d(kth).tolist())
        check(cp.array(host)[cp.argpartition(cp.array(host), kth)], np.sort(host))
    same_error(lambda: cp.partition(cp.array(host), 4), lambda: np.partition(host, 4))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape, axis", [((20_001,), -1), ((7, 300), 1), ((300, 7), 0), ((3, 100_000), None)], ids=str)
def test_partition(dtype, shape, axis):
    """Places that are asked for are as after sorting; lesser elements lie before them, greater ones after."""
    host = sample(dtype, shape)
    oracle = host.astype(np.float32) if dtype == BFLOAT16 else host
    if axis is None:
        host, oracle, axis = host.ravel(), oracle.ravel(), 0
    a, order = cp.array(host), np.moveaxis(np.sort(oracle, axis), axis, -1).astype(dtype)
    length = order.shape[-1]
    for kth in (0, length // 3, -1, [length // 2 - 1, length // 2], [5, -5]):
        for found in (cp.partition(a, kth, axis), cp.take_along_axis(a, cp.argpartition(a, kth, axis), axis)):
            lines = cp.moveaxis(found, axis, -1)
            edges = [0, *sorted(place % length for place in np.atleast_1d(kth).tolist()), length]
            for first, end in pairwise(edges):
                check(cp.sort(lines[..., first:end]), order[..., first:end], signs=False)
            check(lines[..., edges[1:-1]], order[..., edges[1:-1]], signs=False)
    same_error(lambda: cp.partition(a, length, axis), lambda: np.partition(oracle, length, axis))


@pytest.mark.parametrize("dtype", ["i1", "i2", "u2", "f2"])
@pytest.mark.parametrize("kth", [0, 17, 40_000, 79_999, (5, 60), (100, 79_000)], ids=str)
def test_partition_of_many_short_elements(dtype, kth):
    """Few wanted places are found otherwise than by sorting all."""
    host = np.random.default_rng(3).integers(0, 1 << 16, 80_000, np.uint16).view(np.int16)
    host = host.astype(dtype) if dtype != "f2" else host.view(dtype)
    found, wanted = cp.asnumpy(cp.partition(cp.asarray(host), kth)), sorted_by_numpy(host)
    for place in np.atleast_1d(kth):
        assert np.array_equal(found[place], wanted[place], equal_nan=True)
        for part in (slice(0, place), slice(place, None)):
            assert np.array_equal(sorted_by_numpy(found[part]), wanted[part], equal_nan=True)


def test_partition_keeps_bits():
    """Zeros of both signs and NaN of any payload are neither lost nor made."""
    host = np.tile(np.array([0.0, -0.0, 1.5, np.nan, -1.5, -np.nan]), 5000)
    np.random.default_rng(3).shuffle(host)
    for kth in (7000, 20_000, 29_000):
        found = cp.asnumpy(cp.partition(cp.array(host), kth))
        assert np.array_equal(np.sort(found.view(np.uint64)), np.sort(host.view(np.uint64)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128, np.int32], ids=str)
def test_quantiles_of_long_lines(dtype):
    host = np.random.default_rng(4).permutation(30_000).astype(dtype).reshape(3, -1)
    calls = {"median": lambda xp, a: xp.median(a, axis=1)}
    if np.dtype(dtype).kind != "c":
        for q in (0, 3, 50, 99.9, 100, [10, 90], []):
            calls[f"percentile {q}"] = lambda xp, a, q=q: xp.percentile(a, q, axis=1)
            calls[f"nanpercentile {q}"] = lambda xp, a, q=q: xp.nanpercentile(a, q, axis=1)
    ulp = 0 if NUMPY_2_4 or dtype != np.float32 else 1
    for call in calls.values():
        compare(call, host, ulp=ulp)
    if np.dtype(dtype).kind in "fc":
        for place in (0, 5000, 9999):
            host[1, place] = np.nan
            for call in calls.values():
                compare(call, host, ulp=ulp)
            host[1, place] = 1


@given(NUMBERS, hnp.arrays(np.float64, (3, 4), elements=st.integers(-6, 6).map(float) | st.just(float("nan"))))
def test_searchsorted(values, wanted):
    values = np.sort(values)
    for side in ("left", "right"):
        compare(lambda xp, a, v, s=side: xp.searchsorted(a, v, s), values, wanted)


def test_searchsorted_otherwise():
    host = np.array([5, 1, 3])
    compare(lambda xp, a: xp.searchsorted(a, [0, 1, 6], sorter=xp.argsort(a)), host)
    compare(lambda xp, a: xp.sort(a).searchsorted(3), host)
    compare(lambda xp, a: xp.searchsorted(xp.sort(a), a * 0.5, side="right"), host)
    compare(lambda xp, a: xp.searchsorted(xp.sort(a * (1 + 1j)), a * (1 + 0.5j)), host)
    same_error(lambda: cp.searchsorted(cp.array(host), 1, side="no"), lambda: np.searchsorted(host, 1, side="no"))


@given(NUMBERS, st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_unique(values, index, inverse, counts, equal_nan):
    # NumPy sorts stably only where the index is asked for, which decides between several NaNs.
    index = index or (inverse and not equal_nan)
    arguments = {"return_index": index, "return_inverse": inverse, "return_counts": counts, "equal_nan": equal_nan}
    compare(lambda xp, a: xp.unique(a, **arguments), values, signs=False)


@pytest.mark.parametrize("dtype", SOME, ids=str)
def test_unique_of_dtype(dtype):
    host = sample(dtype, (5, 6), small=True)
    compare(lambda xp, a: xp.unique(a), host, signs=False)
    compare(lambda xp, a: xp.unique(a, return_inverse=True, return_counts=True), host, signs=False)
    rows = host[[0, 1, 0, 2, 1, 1]]
    for axis in (0, 1, -1):
        compare(lambda xp, a, x=axis: xp.unique(a, True, True, True, axis=x), rows, signs=False)


def test_unique_by_standard():
    host = np.array([[3, 1, 3], [1, 2, 1]])
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        compare(lambda xp, a, n=name: tuple(getattr(xp, n)(a)), host)
    compare(lambda xp, a: xp.sort(xp.unique_values(a)), host)
    compare(lambda xp, a: xp.unique(a, axis=2), host)


INTEGERS = hnp.arrays(np.int64, st.integers(0, 12), elements=st.integers(-4, 4))


@given(INTEGERS, INTEGERS)
def test_sets(first, second):
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        compare(lambda xp, a, b, n=name: getattr(xp, n)(a, b), first, second)
    compare(lambda xp, a, b: xp.intersect1d(a, b, return_indices=True), first, second)
    compare(lambda xp, a, b: xp.isin(a, b), first, second)
    compare(lambda xp, a, b: xp.isin(a, b, invert=True), first, second)


INTEGER_TYPES = [np.dtype(code) for code in "?bBhHiIlL"]


@pytest.mark.parametrize("kind", [None, "sort", "table"])
@pytest.mark.parametrize("dtype", INTEGER_TYPES, ids=str)
def test_isin_at_the_ends_of_integers(dtype, kind):
    ends = np.iinfo(dtype) if dtype.kind in "iu" else np.iinfo(np.uint8)
    near = [ends.min, ends.min + 1, ends.min + 2, 0, 1, 2, 3, ends.max // 2, ends.max - 2, ends.max - 1, ends.max]
    element = np.array(near, dtype=object).astype(dtype).repeat(3).reshape(11, 3)[:, ::2]
    for wanted in ([near[0], near[1]], [near[-1]], near[-3:-1], [0, 2], [near[3]]):
        for invert in (False, True):
            tests = np.array(wanted, dtype=object).astype(dtype)
            compare(lambda xp, a, b, i=invert: xp.isin(a, b, invert=i, kind=kind), element, tests)


def test_isin_of_too_large_a_range():
    x, wide = cp.arange(3), cp.asarray([np.iinfo(np.int64).min, np.iinfo(np.int64).max])
    with pytest.raises(RuntimeError, match="too large a range"):
        cp.isin(x, wide, kind="table")
    assert not cp.isin(x, wide).any()
    near = cp.asarray([-100, 100], dtype=np.int8)
    assert cp.isin(near, near).all()
    assert cp.isin(near, near, kind="sort").all()


@pytest.mark.parametrize("other", INTEGER_TYPES, ids=str)
@pytest.mark.parametrize("dtype", INTEGER_TYPES, ids=str)
def test_isin_of_two_types(dtype, other):
    compare(lambda xp, a, b: xp.isin(a, b), sample(dtype, (7, 9)).T, sample(other, (5,)))
    compare(lambda xp, a, b: xp.isin(a, b[:0], invert=True), sample(dtype, (7,)), sample(other, (5,)))


@pytest.mark.parametrize("dtype", SOME, ids=str)
def test_isin(dtype):
    host = sample(dtype, (4, 5))
    compare(lambda xp, a: xp.isin(a, a[:2]), host)
    compare(lambda xp, a: xp.isin(a, [1, 0]), host)
    check(cp.in1d(cp.array([1, 2]), [2]), np.array([False, True]))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_extremes(dtype):
    host = sample(dtype, (5, 7))
    for name in ("argmax", "argmin"):
        for axis in (None, 0, 1, -1):
            compare(lambda xp, a, n=name, x=axis: getattr(xp, n)(a, axis=x), host)
            compare(lambda xp, a, n=name, x=axis: getattr(a, n)(axis=x), host[::2, ::-1])
        compare(lambda xp, a, n=name: getattr(xp, n)(a, axis=1, keepdims=True), host)
        if is_inexact(dtype):
            compare(lambda xp, a, n=name: getattr(xp, "nan" + n)(a), host)
            compare(lambda xp, a, n=name: getattr(xp, "nan" + n)(a, axis=1), sample(dtype, (5, 7), small=True))
    compare(lambda xp, a: xp.count_nonzero(a), host)
    compare(lambda xp, a: xp.count_nonzero(a, axis=0, keepdims=True), host)


def test_extremes_refuse():
    for name in ("argmax", "argmin"):
        same_error(lambda n=name: getattr(cp, n)(cp.zeros(0)), lambda n=name: getattr(np, n)(np.zeros(0)))
        same_error(
            lambda n=name: getattr(cp, n)(cp.zeros(2), axis=1), lambda n=name: getattr(np, n)(np.zeros(2), axis=1)
        )
    nan = np.full(3, np.nan)
    same_error(lambda: cp.nanargmax(cp.array(nan)), lambda: np.nanargmax(nan))


@pytest.mark.parametrize("right", [False, True])
def test_digitize(right):
    x, bins = np.array([0.2, 6.4, 3.0, 1.6, -1, 99, np.nan]), np.array([0.0, 1.0, 2.5, 4.0, 10.0])
    compare(lambda xp, a, b: xp.digitize(a, b, right), x, bins)
    compare(lambda xp, a, b: xp.digitize(a, b[::-1], right), x, bins)
    compare(lambda xp, a, b: xp.digitize(a, b, right), x, np.array([1.0, 0.0, 2.0]))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "i4", "i8", "u1", "c8", "?"])
@pytest.mark.parametrize("length", [40, 5000, 70_000])
def test_selection_of_few_places_among_many(dtype, length):
    """A part of a stable order: equal elements come in the order of their places, NaN last."""
    random = np.random.default_rng(length)
    for values in (3, 300, 2**31):
        host = random.integers(0, values, length).astype(dtype)
        if host.dtype.kind in "fc":
            host[random.integers(0, length, 5)] = np.nan
            host[random.integers(0, length, 5)] = -0.0
        order = np.argsort(host, kind="stable")
        for kth in (0, 1, length // 2, length - 1, (length // 2, length // 2 + 2)):
            places = np.atleast_1d(kth)
            places = np.arange(places[0], places[-1] + 1)
            found = cp.asnumpy(cp.argpartition(cp.asarray(host), kth))
            np.testing.assert_array_equal(np.sort(found), np.arange(length))
            np.testing.assert_array_equal(found[places], order[places])
            np.testing.assert_array_equal(np.sort(found[: places[0]]), np.sort(order[: places[0]]))
            parted = cp.asnumpy(cp.partition(cp.asarray(host), kth))
            np.testing.assert_array_equal(parted[places], host[order[places]])
            np.testing.assert_array_equal(np.sort(parted[: places[0]]), host[order[: places[0]]])
