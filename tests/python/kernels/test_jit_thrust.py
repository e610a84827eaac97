"""Algorithms over ranges in kernels written in Python, beside NumPy."""

import bisect

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import jit

thrust = jit.thrust
RANDOM = np.random.default_rng(11)


@jit.rawkernel(device=True)
def larger(a, b):
    return a > b


@jit.rawkernel(device=True)
def product(a, b):
    return a * b


def run(kernel, *arrays):
    """What one thread makes of copies of arrays."""
    ours = [cp.array(array) for array in arrays]
    kernel[1, 1](*ours)
    return [array.get() for array in ours]


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("size", [0, 1, 2, 37, 500])
def test_sorting(dtype, size):
    x = RANDOM.integers(0, 40, size).astype(dtype)
    if dtype == "complex64":
        x += 1j * RANDOM.integers(0, 3, size)

    @jit.rawkernel()
    def kernel(x, y, keys, values, flags):
        thrust.sort(thrust.seq, x.begin(), x.end())
        thrust.sort(thrust.device, y.begin(), y.begin() + y.size, larger)
        thrust.sort_by_key(thrust.seq, keys.begin(), keys.end(), values.begin())
        flags[0] = thrust.is_sorted(thrust.seq, x.begin(), x.end())
        flags[1] = thrust.is_sorted(thrust.seq, y.begin(), y.end(), larger)
        flags[2] = thrust.is_sorted_until(thrust.seq, values.begin(), values.end()) - values.begin()

    if dtype == "complex64":

        @jit.rawkernel()
        def kernel(x, y, keys, values, flags):
            thrust.sort(thrust.seq, x.begin(), x.end())
            thrust.sort_by_key(thrust.seq, keys.begin(), keys.end(), values.begin())

    got, down, keys, values, flags = run(kernel, x, x, x, np.arange(size), np.zeros(3, int))
    np.testing.assert_array_equal(got, np.sort(x))
    np.testing.assert_array_equal(keys, np.sort(x))
    np.testing.assert_array_equal(x[values], keys)
    if dtype != "complex64":
        np.testing.assert_array_equal(down, np.sort(x)[::-1])
        until = next((i for i in range(1, size) if values[i] < values[i - 1]), size)
        assert flags.tolist() == [1, 1, until]


@pytest.mark.parametrize("layout", ["dense", "strided", "backwards"])
def test_searching(layout):
    steps = {"dense": slice(None), "strided": slice(None, None, 2), "backwards": slice(None, None, -1)}[layout]
    wide = np.sort(RANDOM.integers(0, 20, 60))
    wide = np.repeat(wide, 2) if layout == "strided" else wide[::-1].copy() if layout == "backwards" else wide
    x = wide[steps]

    @jit.rawkernel()
    def kernel(x, found):
        i = jit.threadIdx.x
        first, last = x.begin(), x.end()
        found[i, 0] = thrust.lower_bound(thrust.seq, first, last, i) - first
        found[i, 1] = thrust.upper_bound(thrust.seq, first, last, i) - first
        found[i, 2] = thrust.binary_search(thrust.seq, first, last, i)
        found[i, 3] = thrust.count(thrust.seq, first, last, i)
        place = thrust.find(thrust.seq, first, last, i)
        found[i, 4] = place - first
        found[i, 5] = 1 if place == last else first[place - first] == i

    found = cp.zeros((25, 6), int)
    kernel[1, 25](cp.asarray(wide)[steps], found)
    values = x.tolist()
    for i, row in enumerate(found.tolist()):
        low, high = bisect.bisect_left(values, i), bisect.bisect_right(values, i)
        place = values.index(i) if i in values else len(values)
        assert row == [low, high, i in values, values.count(i), place, 1]


def test_scans_and_sums():
    x = RANDOM.integers(1, 5, 20)

    @jit.rawkernel()
    def kernel(x, y, out):
        a, b = x.begin(), x.end()
        out[0] = thrust.inclusive_scan(thrust.seq, a, b, y[0].begin()) - y[0].begin()
        thrust.exclusive_scan(thrust.seq, a, b, y[1].begin())
        thrust.exclusive_scan(thrust.seq, a, b, y[2].begin(), 100)
        thrust.inclusive_scan(thrust.seq, a, b, y[3].begin(), jit.cub.Max())
        thrust.adjacent_difference(thrust.seq, a, b, y[4].begin())
        thrust.inclusive_scan(thrust.seq, a, a + 5, y[5].begin(), product)
        out[1] = thrust.reduce(thrust.seq, a, b)
        out[2] = thrust.reduce(thrust.seq, a, b, 7)
        out[3] = thrust.reduce(thrust.seq, a, a + 5, 1, product)
        out[4] = thrust.inner_product(thrust.seq, a, b, a, 0)
        out[5] = 10 * thrust.reduce(thrust.seq, a, b, cp.float64(0.5))
        thrust.sequence(thrust.seq, y[6].begin(), y[6].end())
        thrust.sequence(thrust.seq, y[7].begin(), y[7].end(), 3, step=2)

    _, y, out = run(kernel, x, np.zeros((8, 20), int), np.zeros(6, int))
    sums = np.cumsum(x)
    expected = [sums, sums - x, sums - x + 100, np.maximum.accumulate(x), np.diff(x, prepend=0)]
    np.testing.assert_array_equal(y[:5], expected)
    assert y[5, :5].tolist() == np.cumprod(x[:5]).tolist()
    assert out.tolist() == [20, x.sum(), x.sum() + 7, x[:5].prod(), (x * x).sum(), 10 * x.sum() + 5]
    assert y[6].tolist() == list(range(20)) and y[7].tolist() == list(range(3, 43, 2))


def test_moving():
    x = RANDOM.permutation(12)

    @jit.rawkernel()
    def kernel(x, y, out):
        a, b = x.begin(), x.end()
        thrust.copy(thrust.seq, a, b, y[0].begin())
        thrust.reverse_copy(thrust.seq, a, b, y[1].begin())
        thrust.gather(thrust.seq, a, b, y[0].begin(), y[2].begin())
        thrust.scatter(thrust.seq, a, b, a, y[3].begin())
        thrust.fill(thrust.seq, y[4].begin(), y[4].begin() + 5, 9)
        thrust.replace(thrust.seq, y[0].begin(), y[0].end(), 3, 30)
        thrust.swap_ranges(thrust.seq, y[1].begin(), y[1].begin() + 4, y[2].begin())
        out[0] = thrust.max_element(thrust.seq, a, b) - a
        out[1] = thrust.min_element(thrust.seq, a, b) - a
        low, high = thrust.minmax_element(thrust.seq, a, b)
        out[2], out[3] = low - a, high - a
        thrust.reverse(thrust.seq, y[5].begin(), y[5].end())
        out[4] = thrust.equal(thrust.seq, a, b, y[0].begin())
        first, second = thrust.mismatch(thrust.seq, a, b, y[0].begin())
        out[5], out[6] = first - a, second - y[0].begin()
        end = y[6].begin() + 2
        end[0] = 5
        end[1] += 4
        out[7] = (end - 1)[1] + (end > y[6].begin()) + (end != end)

    start = np.zeros((7, 12), int)
    start[5] = start[6] = np.arange(12)
    _, y, out = run(kernel, x, start, np.zeros(8, int))
    gathered, turned = x[x], x[::-1].copy()
    turned[:4], gathered[:4] = gathered[:4].copy(), turned[:4].copy()
    assert y[0].tolist() == np.where(x == 3, 30, x).tolist()
    assert y[1].tolist() == turned.tolist() and y[2].tolist() == gathered.tolist()
    assert y[3].tolist() == list(range(12)) and y[4].tolist() == [9] * 5 + [0] * 7
    assert y[5].tolist() == list(range(12))[::-1] and y[6, 2:4].tolist() == [5, 7]
    three = x.tolist().index(3)
    assert out.tolist() == [x.argmax(), x.argmin(), x.argmin(), x.argmax(), 0, three, three, 6]


def test_sets_and_neighbours():
    a, b = np.sort(RANDOM.permutation(30)[:12]), np.sort(RANDOM.permutation(30)[:15])

    @jit.rawkernel()
    def kernel(a, b, y, ends):
        f, e, g, m = a.begin(), a.end(), b.begin(), b.end()
        ends[0] = thrust.merge(thrust.seq, f, e, g, m, y[0].begin()) - y[0].begin()
        ends[1] = thrust.set_union(thrust.seq, f, e, g, m, y[1].begin()) - y[1].begin()
        ends[2] = thrust.set_intersection(thrust.seq, f, e, g, m, y[2].begin()) - y[2].begin()
        ends[3] = thrust.set_difference(thrust.seq, f, e, g, m, y[3].begin()) - y[3].begin()
        ends[4] = thrust.set_symmetric_difference(thrust.seq, f, e, g, m, y[4].begin()) - y[4].begin()
        merged = y[0].begin()
        ends[5] = thrust.unique_copy(thrust.seq, merged, merged + ends[0], y[5].begin()) - y[5].begin()
        thrust.copy(thrust.seq, merged, merged + ends[0], y[6].begin())
        ends[6] = thrust.unique(thrust.seq, y[6].begin(), y[6].begin() + ends[0]) - y[6].begin()
        thrust.copy(thrust.seq, merged, merged + ends[0], y[7].begin())
        ends[7] = thrust.remove(thrust.seq, y[7].begin(), y[7].begin() + ends[0], a[0]) - y[7].begin()
        keys = y[8].begin()
        thrust.copy(thrust.seq, merged, merged + ends[0], keys)
        thrust.sequence(thrust.seq, y[9].begin(), y[9].end())
        last, other = thrust.unique_by_key(thrust.seq, keys, keys + ends[0], y[9].begin())
        ends[8], ends[9] = last - keys, other - y[9].begin()

    _, _, y, ends = run(kernel, a, b, np.zeros((10, 30), int), np.zeros(10, int))
    merged = np.sort(np.concatenate([a, b]))
    distinct, firsts = np.unique(merged, return_index=True)
    expected = [merged, np.union1d(a, b), np.intersect1d(a, b), np.setdiff1d(a, b), np.setxor1d(a, b)]
    expected += [distinct, distinct, merged[merged != a[0]], distinct, firsts]
    for row, end, wanted in zip(y, ends, expected, strict=True):
        assert row[:end].tolist() == wanted.tolist()


def test_each_thread_has_its_row():
    """As a program sorts the rows of a matrix."""

    @jit.rawkernel()
    def sort_rows(x):
        row = x[jit.blockIdx.x]
        thrust.sort(thrust.seq, row.begin(), row.end())

    x = cp.asarray(RANDOM.random((7, 33), np.float32))
    expected = np.sort(x.get(), 1)
    sort_rows[7, 1](x)
    np.testing.assert_array_equal(x.get(), expected)


def test_what_is_refused():
    def refused(error, message, body, *arrays):
        with pytest.raises(error, match=message):
            jit.rawkernel()(body)[1, 1](*arrays)

    x = cp.zeros((4, 4))

    def no_place(x):
        thrust.sort(thrust.seq, x, x)

    def no_policy(x):
        thrust.sort(x[0].begin(), x[0].begin(), x[0].end())

    def not_dense(x):
        thrust.sort(thrust.seq, x.begin(), x.end())

    def other_type(x):
        x[0, 0] = x[0].begin() * 2

    def missing(x):
        thrust.count(thrust.seq, x[0].begin(), x[0].end())

    def no_operator(x):
        thrust.sort(thrust.seq, x[0].begin(), x[0].end(), max)

    refused(TypeError, "place of an array", no_place, x)
    refused(TypeError, "exec_policy", no_policy, x)
    refused(TypeError, "C-contiguous", not_dense, x.T)
    refused(TypeError, "cannot be combined", other_type, x)
    refused(TypeError, "missing a required argument", missing, x)
    refused(TypeError, "operator must be", no_operator, x)
    with pytest.raises(RuntimeError, match="can only be called"):
        thrust.sort(thrust.seq, 1, 2)
    assert all(getattr(thrust, name).__doc__ for name in thrust.__all__ if name not in ("seq", "device"))
