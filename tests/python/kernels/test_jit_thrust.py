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


def test_bounds_of_several_values():
    x = np.sort(RANDOM.integers(0, 20, 50))
    values = RANDOM.integers(-3, 25, 30)

    @jit.rawkernel()
    def kernel(x, values, out, found, counts):
        first, last, a, b = x.begin(), x.end(), values.begin(), values.end()
        counts[0] = thrust.lower_bound(thrust.seq, first, last, a, b, out[0].begin()) - out[0].begin()
        thrust.upper_bound(thrust.device, first, last, values_first=a, values_last=b, result=out[1].begin())
        thrust.binary_search(thrust.seq, first, last, a, b, found.begin())
        # Of what is sorted downwards.
        thrust.reverse(thrust.seq, first, last)
        thrust.lower_bound(thrust.seq, first, last, a, b, out[2].begin(), larger)
        low, high = thrust.equal_range(thrust.seq, first, last, 7, larger)
        counts[1] = high - low
        thrust.reverse(thrust.seq, first, last)
        low, high = thrust.equal_range(thrust.seq, first, last, 7)
        counts[2] = low - first
        counts[3] = high - first

    *_, out, found, counts = run(kernel, x, values, np.zeros((3, 30), "int32"), np.zeros(30, bool), np.zeros(4, int))
    assert out[0].tolist() == np.searchsorted(x, values).tolist()
    assert out[1].tolist() == np.searchsorted(x, values, "right").tolist()
    assert out[2].tolist() == (len(x) - np.searchsorted(x, values, "right")).tolist()
    assert found.tolist() == np.isin(values, x).tolist()
    assert counts.tolist() == [30, (x == 7).sum(), np.searchsorted(x, 7), np.searchsorted(x, 7, "right")]


def test_what_copies_without_or_with_another_value():
    x = RANDOM.integers(0, 4, 30).astype("float32")

    @jit.rawkernel()
    def kernel(x, out, counts):
        first, last = x.begin(), x.end()
        counts[0] = thrust.remove_copy(thrust.seq, first, last, out[0].begin(), 2) - out[0].begin()
        counts[1] = thrust.replace_copy(thrust.seq, first, last, out[1].begin(), 2, 9) - out[1].begin()

    same, out, counts = run(kernel, x, np.full((2, 30), -1.0), np.zeros(2, int))
    assert same.tolist() == x.tolist()
    kept = x[x != 2]
    assert counts.tolist() == [len(kept), 30]
    assert out[0].tolist() == [*kept, *[-1.0] * (30 - len(kept))]
    assert out[1].tolist() == np.where(x == 2, 9, x).tolist()


@jit.rawkernel(device=True)
def alike(a, b):
    return a // 10 == b // 10


@pytest.mark.parametrize("size", [0, 1, 40])
def test_scans_and_sums_by_key(size):
    keys = np.sort(RANDOM.integers(0, 60, size))
    values = RANDOM.integers(1, 5, size)

    @jit.rawkernel()
    def kernel(keys, values, out, real, made, counts):
        a, b, v = keys.begin(), keys.end(), values.begin()
        counts[0] = thrust.inclusive_scan_by_key(thrust.seq, a, b, v, out[0].begin()) - out[0].begin()
        thrust.exclusive_scan_by_key(thrust.seq, a, b, v, out[1].begin())
        thrust.exclusive_scan_by_key(thrust.seq, a, b, v, out[2].begin(), 5, alike, product)
        thrust.inclusive_scan_by_key(thrust.seq, a, b, v, out[3].begin(), alike, jit.cub.Max())
        thrust.exclusive_scan_by_key(thrust.seq, a, b, v, real.begin(), cp.float64(0.5))
        k, s = thrust.reduce_by_key(thrust.seq, a, b, v, made[0].begin(), made[1].begin())
        counts[1] = k - made[0].begin()
        counts[2] = s - made[1].begin()
        k, s = thrust.reduce_by_key(thrust.seq, a, b, v, made[2].begin(), made[3].begin(), alike, product)
        counts[3] = k - made[2].begin()
        # In place.
        thrust.copy(thrust.seq, v, values.end(), out[4].begin())
        thrust.inclusive_scan_by_key(thrust.seq, a, b, out[4].begin(), out[4].begin())

    zeros = np.zeros((5, size), int)
    arrays = keys, values, zeros, np.zeros(size), np.zeros((4, size), int), np.zeros(4, int)
    *_, out, real, made, counts = run(kernel, *arrays)

    def groups(keys):
        edges = [0, *(i for i in range(1, size) if keys[i] != keys[i - 1]), size]
        return [slice(*pair) for pair in zip(edges, edges[1:], strict=False) if pair[0] < pair[1]]

    own, tens = groups(keys), groups(keys // 10)
    for group in own:
        sums = np.cumsum(values[group])
        assert out[0, group].tolist() == out[4, group].tolist() == sums.tolist()
        assert out[1, group].tolist() == [0, *sums[:-1]] and real[group].tolist() == [0.5, *(sums[:-1] + 0.5)]
    for group in tens:
        assert out[2, group].tolist() == [5, *(5 * np.cumprod(values[group])[:-1])]
        assert out[3, group].tolist() == np.maximum.accumulate(values[group]).tolist()
    assert counts.tolist() == [size, len(own), len(own), len(tens)]
    assert made[0, : len(own)].tolist() == [keys[group.start] for group in own]
    assert made[1, : len(own)].tolist() == [values[group].sum() for group in own]
    assert made[2, : len(tens)].tolist() == [keys[group.start] for group in tens]
    assert made[3, : len(tens)].tolist() == [values[group].prod() for group in tens]


def combined(name, a, b):
    """What an algorithm makes of sorted keys with their values, as multisets."""
    result = []
    for key in sorted({*(k for k, _ in a), *(k for k, _ in b)}):
        mine, theirs = [v for k, v in a if k == key], [v for k, v in b if k == key]
        both = min(len(mine), len(theirs))
        taken = {
            "merge": mine + theirs,
            "set_union": mine + theirs[both:],
            "set_intersection": mine[:both],
            "set_difference": mine[both:],
            "set_symmetric_difference": mine[both:] + theirs[both:],
        }[name]
        result += [(key, value) for value in taken]
    return result


@pytest.mark.parametrize(
    "name", ["merge", "set_union", "set_intersection", "set_difference", "set_symmetric_difference"]
)
@pytest.mark.parametrize("down", [False, True])
def test_sets_by_key(name, down):
    algorithm, order = getattr(thrust, f"{name}_by_key"), larger if down else None
    one = name == "set_intersection"

    @jit.rawkernel()
    def kernel(a, va, b, vb, keys, values, counts):
        if one:
            k, v = algorithm(
                thrust.seq, a.begin(), a.end(), b.begin(), b.end(), va.begin(), keys.begin(), values.begin(), order
            )
            counts[0] = k - keys.begin()
            counts[1] = v - values.begin()
        else:
            k, v = algorithm(
                thrust.seq,
                a.begin(),
                a.end(),
                b.begin(),
                b.end(),
                va.begin(),
                vb.begin(),
                keys.begin(),
                values.begin(),
                comp=order,
            )
            counts[0] = k - keys.begin()
            counts[1] = v - values.begin()

    for sizes in ((0, 5), (7, 0), (20, 30), (15, 15)):
        a, b = (np.sort(RANDOM.integers(0, 12, size)) for size in sizes)
        va, vb = np.arange(len(a)) + 0.5, np.arange(len(b)) + 100.5
        if down:
            a, b = -a, -b
        whole = sum(sizes)
        *_, keys, values, counts = run(kernel, a, va, b, vb, np.zeros(whole, int), np.zeros(whole), np.zeros(2, int))
        sign = -1 if down else 1
        pairs = [[(sign * int(k), float(v)) for k, v in zip(*both, strict=True)] for both in ((a, va), (b, vb))]
        want = combined(name, *pairs)
        assert counts.tolist() == [len(want)] * 2
        count = len(want)
        assert list(zip((sign * keys[:count]).tolist(), values[:count].tolist(), strict=True)) == want


def test_unique_keys_are_copied():
    keys, values = np.array([1, 1, 2, 5, 5, 5, 1]), np.arange(7.0)

    @jit.rawkernel()
    def kernel(keys, values, k, v, counts):
        a, b = thrust.unique_by_key_copy(thrust.seq, keys.begin(), keys.end(), values.begin(), k.begin(), v.begin())
        counts[0] = a - k.begin()
        counts[1] = b - v.begin()

    same, _, k, v, counts = run(kernel, keys, values, np.zeros(7, int), np.zeros(7), np.zeros(2, int))
    assert same.tolist() == keys.tolist() and counts.tolist() == [4, 4]
    assert k[:4].tolist() == [1, 2, 5, 1] and v[:4].tolist() == [0, 2, 3, 6]
