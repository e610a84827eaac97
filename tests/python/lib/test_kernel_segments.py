"""Kernels in Python that fold ranges, and local arrays of kernels."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide._lib import kernel as k
from helpers import INTEGERS
from launches import launches


@k.segments("add")
def row_products(i, values: k.Array[1], columns: k.Array[1], x: k.Array[1]):
    return values[i] * x[columns[i]]


@k.segments("add")
def matrix_products(i, values: k.Array[1], columns: k.Array[1], x: k.Array[2]):
    return values[i] * x[columns[i], k.coordinates()[1]]


@k.segments("maximum", "minimum", "add")
def extremes(i, x: k.Array[1], *, power: int):
    product = 1.0
    for _ in range(power):
        product *= x[i]
    return x[i], x[i], product


def compressed(dtype, rows=60, columns=40, seed=0):
    """A matrix with rows of all lengths, some empty and one long, in compressed form and dense."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 5, rows) * (rng.random(rows) < 0.7)
    lengths[rows // 2] = 37
    ends = np.concatenate([[0], np.cumsum(lengths)])
    places = np.concatenate([np.sort(rng.permutation(columns)[:n]) for n in lengths]).astype("i4")
    values = rng.integers(1, 9, len(places)).astype(dtype)
    dense = np.zeros((rows, columns), dtype)
    dense[np.repeat(np.arange(rows), lengths), places] = values
    return values, places, ends, dense


@pytest.mark.parametrize("dtype", ["i1", "u4", "i8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("bounds", ["i4", "i8"])
def test_products_of_rows(dtype, bounds):
    values, places, ends, dense = compressed(dtype)
    x = (np.arange(40) % 3).astype(dtype)
    ends = cp.asarray(ends.astype(bounds))
    got = row_products(ends[:-1], ends[1:], cp.asarray(values), cp.asarray(places), cp.asarray(x), over=values.size)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.get(), dense @ x)
    several = np.stack([x, x + 1], 1).astype(dtype)
    got = matrix_products(
        ends[:-1, None],
        ends[1:, None],
        cp.asarray(values),
        cp.asarray(places),
        cp.asarray(several),
        over=values.size,
        shape=(60, 2),
    )
    np.testing.assert_array_equal(got.get(), dense @ several)


def test_several_folds_and_empty_ranges():
    x = np.array([3.0, -1.0, 4.0, 1.5])
    begin, end = cp.asarray([0, 2, 3]), cp.asarray([2, 2, 4])
    high, low, total = extremes(begin, end, cp.asarray(x), over=4, power=2)
    np.testing.assert_array_equal(high.get(), [3, -np.inf, 1.5])
    np.testing.assert_array_equal(low.get(), [-1, np.inf, 1.5])
    np.testing.assert_array_equal(total.get(), [10, 0, 2.25])
    assert not np.signbit(total.get()[1])


def test_layouts_and_out():
    values, places, ends, dense = compressed("f8")
    x = np.arange(80.0)[::-2]
    ends = cp.asarray(ends)
    out = cp.zeros((60, 2), "f4")[:, 1]
    given = row_products(
        ends[:-1], ends[1:], cp.asarray(values), cp.asarray(places), cp.arange(80.0)[::-2], over=values.size, out=out
    )
    assert given is out
    np.testing.assert_array_equal(out.get(), (dense @ x).astype("f4"))


def test_one_launch_however_long():
    values, places, ends, _ = compressed("f8")
    arguments = [cp.asarray(a) for a in (ends[:-1], ends[1:], values, places, np.ones(40))]
    assert launches(lambda: row_products(*arguments, over=values.size)) == 1


@k.segments("add")
def _total(i, x: k.Array[1]):
    return x[i]


@pytest.mark.parametrize("lines", [1, 3])
def test_ranges_of_all_lengths_beside_each_other(lines):
    """Many tasks; ranges that overlap, and some that are a task, or many, by themselves."""
    rng = np.random.default_rng(12)
    x = rng.integers(-9, 10, 400_000)
    lengths = rng.choice([0, 1, 5, 63, 64, 65, 255, 256, 257, 1000], (lines, 2500))
    lengths[:, [0, 700, 701, 2499]] = 4096, 5000, 300_000, 399_999
    begins = rng.integers(0, x.size - lengths)
    sums = np.concatenate([[0], np.cumsum(x)])
    wanted = sums[begins + lengths] - sums[begins]
    got = _total(cp.asarray(begins), cp.asarray(begins + lengths), cp.asarray(x), over=x.size)
    np.testing.assert_array_equal(got.get(), wanted)
    # The same sum wherever a range of its length lies.
    floats = cp.full(x.size, 0.1)
    found = _total(cp.asarray(begins), cp.asarray(begins + lengths), floats, over=x.size).get()
    for length in np.unique(lengths):
        assert len(set(found[lengths == length])) == 1


def test_errors_of_folds():
    x = cp.ones(4)
    columns = cp.zeros(4, int)
    with pytest.raises(TypeError, match="over="):
        row_products(columns, columns, x, columns, x)
    with pytest.raises(TypeError, match="arrays of integers"):
        row_products(0, 4, x, columns, x, over=4)
    with pytest.raises(TypeError, match="arrays of integers"):
        row_products(x, x, x, columns, x, over=4)

    @k.segments("add", "add")
    def too_few(i, x: k.Array[1]):
        return x[i]

    @k.segments("no such reduction")
    def unknown(i, x: k.Array[1]):
        return x[i]

    with pytest.raises(TypeError, match="returns 1 values and names 2"):
        too_few(columns, columns, x, over=4)
    with pytest.raises(ValueError, match="no reduction"):
        unknown(columns, columns, x, over=4)


# -------------------------------------------------------------------------------------------------------- local arrays


@k.kernel
def median_of_five(x: k.Array[1]):
    window = k.local_array(5, 0, x.dtype)
    for j in range(5):
        window[j] = x[k.clamp(k.index() + j - 2, 0, x.shape[0] - 1)]
    for last in range(4, 0, -1):
        for j in range(last):
            window[j], window[j + 1] = min(window[j], window[j + 1]), max(window[j], window[j + 1])
    return window[2]


@k.kernel
def counts(x: k.Array[1], start: k.Each):
    """How often the most frequent of the next eight numbers below 16 occurs, and the number."""
    found = k.local_array(16, 0)
    for j in k.steps(8):
        place = x[start + j]
        found[place] += 1
    most, which = 0, 0
    for j in k.steps(16):
        if found[j] > most:
            most, which = found[j], j
    return most, which


@pytest.mark.parametrize("dtype", [*INTEGERS, "f2", "f4", "f8"], ids=str)
def test_indices_that_are_known(dtype):
    x = np.random.default_rng(3).integers(0, 100, 50).astype(dtype)
    padded = np.pad(x, 2, mode="edge")
    expected = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), -1).astype(dtype)
    np.testing.assert_array_equal(median_of_five(cp.asarray(x), shape=(50,)).get(), expected)


def test_indices_that_are_computed():
    x = np.random.default_rng(4).integers(0, 16, 200)
    starts = np.arange(0, 190, 3)
    expected = [np.bincount(x[s : s + 8], minlength=16) for s in starts]
    most, which = counts(cp.asarray(x), cp.asarray(starts))
    np.testing.assert_array_equal(most.get(), [e.max() for e in expected])
    np.testing.assert_array_equal(which.get(), [e.argmax() for e in expected])


def test_each_point_has_its_own_array():
    @k.kernel
    def collect(x: k.Each):
        own = k.local_array(3, 1.0)
        own[-1] = x
        if x > 1:
            own[0] = 5.0
        return own[0] + own[1] + own[2], len(own)

    total, length = collect(cp.arange(4.0))
    np.testing.assert_array_equal(total.get(), [2, 3, 8, 9])
    np.testing.assert_array_equal(length.get(), 3)


def test_errors_of_local_arrays():
    def written(body):
        @k.kernel
        def wrong(x: k.Each):
            return body(x)

        wrong(cp.ones(3))

    with pytest.raises(k.KernelError, match="from 1 to 256"):
        written(lambda x: k.local_array(257)[0])
    with pytest.raises(k.KernelError, match="out of bounds for a local array of 4"):
        written(lambda x: k.local_array(4)[4])
    with pytest.raises(k.KernelError, match="not an index"):
        written(lambda x: k.local_array(4)[x])
