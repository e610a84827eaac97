"""What goes through the devices' own algorithms, at sizes around those that blocks of threads take at a time."""

import cuproxide as cp
import numpy as np
import pytest
from helpers import BFLOAT16, DTYPES, INTEGERS, NUMPY_DTYPES, check, sample

REAL = [dtype for dtype in NUMPY_DTYPES if dtype.kind != "c"]
VIEWS = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[::2, 1::3],
    lambda a: a[::-1, ::-1],
    lambda a: a[3, 5:][None].repeat(4, 0),
    lambda a: a[:0],
]
SHAPES = [(1,), (4097,), (100_003,), (3, 20_011), (700, 33), (40, 5000), (2, 3, 9001)]


@pytest.mark.parametrize("dtype", [*NUMPY_DTYPES, BFLOAT16], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sort_is_stable_at_any_size(dtype, shape):
    host = sample(dtype, shape)
    oracle = host.astype(np.float32) if dtype == BFLOAT16 else host
    order = np.argsort(oracle, axis=-1, kind="stable")
    device = cp.array(host)
    check(cp.argsort(device), order)
    found, wanted = cp.asnumpy(cp.sort(device)), np.take_along_axis(host, order, -1)
    # To the bit: zeros and NaNs keep their signs.
    np.testing.assert_array_equal(found.view(np.uint8), wanted.view(np.uint8))


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex64])
def test_sort_along_other_axes(dtype):
    host = sample(dtype, (50, 70, 11))
    for axis in range(3):
        check(cp.argsort(cp.array(host), axis=axis), np.argsort(host, axis=axis, kind="stable"))
        check(cp.argsort(cp.array(host).T, axis=axis), np.argsort(host.T, axis=axis, kind="stable"))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("view", VIEWS, ids=VIEWS.index)
def test_masks(dtype, view):
    values = sample(dtype, (80, 132))
    host, device = view(values), view(cp.array(values))
    flags = np.random.default_rng(1).random(host.shape) < 0.4
    for mask in (flags, np.asfortranarray(flags), np.zeros_like(flags), np.ones_like(flags)):
        check(device[cp.array(mask)], host[mask])
    wide = np.random.default_rng(2).random((*host.shape[:-1], 2 * host.shape[-1])) < 0.5
    check(device[cp.array(wide)[..., 1::2]], host[wide[..., 1::2]])


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 16_384, 16_385, 300_001])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_selection_at_any_size(count, share):
    mask = np.random.default_rng(count).random(count) < share
    host = np.arange(count, dtype=np.int32)
    check(cp.array(host)[cp.array(mask)], host[mask])
    check(cp.array(mask).nonzero()[0], mask.nonzero()[0])
    # A mask that begins off the alignment of its memory.
    check(cp.array(mask)[1:].nonzero()[0], mask[1:].nonzero()[0])
    check(cp.array(host)[1:][cp.array(mask)[1:]], host[1:][mask[1:]])


def test_nonzero_of_several_axes():
    host = np.random.default_rng(5).integers(-1, 2, (30, 41, 7)).astype(np.float32)
    for found, wanted in zip(cp.array(host).nonzero(), host.nonzero(), strict=True):
        check(found, wanted)


@pytest.mark.parametrize("dtype", [np.dtype(bool), *(d for d in INTEGERS if d != np.uint64)], ids=str)
@pytest.mark.parametrize("bins", [1, 2, 100, 9000, 70_000])
def test_bincount(dtype, bins):
    most = min(bins, 2 if dtype.kind == "b" else np.iinfo(dtype).max + 1)
    host = np.random.default_rng(bins).integers(0, most, 50_001).astype(dtype)
    for a, b in ((cp.array(host), host), (cp.array(host)[::-3], host[::-3])):
        check(cp.bincount(a), np.bincount(b))
        check(cp.bincount(a, minlength=bins + 5), np.bincount(b, minlength=bins + 5))
    weights = np.random.default_rng(3).integers(0, 9, host.size).astype(np.float64)
    check(cp.bincount(cp.array(host), cp.array(weights)), np.bincount(host, weights))


@pytest.mark.parametrize("dtype", [*REAL, BFLOAT16], ids=str)
@pytest.mark.parametrize("count", [1, 2, 17, 4095, 4097, 16_385, 300_001])
@pytest.mark.parametrize("equal_nan", [True, False])
def test_unique_at_any_size(dtype, count, equal_nan):
    as_numbers = np.dtype(np.float32) if dtype == BFLOAT16 else dtype
    few = sample(dtype, (count,), small=True).astype(as_numbers)
    # Without infinities: NumPy 2.4 sorts those of float16 wrongly on some processors.
    most = 1 << (15 if as_numbers == np.float16 else 20)
    many = np.random.default_rng(count).integers(-most, most, count).astype(as_numbers)
    if as_numbers.kind == "f":
        # NumPy's own `unique` tells apart what bfloat16 does not.
        many = cp.asnumpy(cp.array(many).astype(dtype).astype(as_numbers))
        few[:: max(count // 40, 1)] = np.nan
    for host in (few, many, np.full_like(few, 1), np.sort(many)):
        check(
            cp.unique(cp.array(host).astype(dtype), equal_nan=equal_nan),
            np.unique(host, equal_nan=equal_nan).astype(dtype),
        )
        check(cp.unique(cp.array(host).astype(dtype)[::-3]), np.unique(host[::-3]).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8, np.float16, np.complex128], ids=str)
@pytest.mark.parametrize("shape", [(1,), (1023,), (4097,), (300_001,), (3, 100_003), (2, 1_200_001)], ids=str)
def test_scans_at_any_size(dtype, shape):
    """Rows of a few tiles and of many groups of them, from any alignment."""
    host = np.random.default_rng(shape[-1]).integers(0, 3, shape).astype(dtype)
    wide = np.float64 if dtype in (np.float16, np.float32) else None
    for a, b in (
        (cp.array(host), host),
        (cp.array(host)[..., 1:], host[..., 1:]),
        (cp.array(host)[..., ::-2], host[..., ::-2]),
    ):
        # Small whole numbers: every way to add them up is exact.
        check(cp.cumsum(a, -1), np.cumsum(b, -1, dtype=wide).astype(np.cumsum(b[..., :1], -1).dtype))
        if np.dtype(dtype).kind != "c":
            check(cp.maximum.accumulate(a, -1), np.maximum.accumulate(b, -1))


def test_scans_repeat_to_the_bit():
    host = np.random.default_rng(8).standard_normal(3_000_001)
    first = cp.asnumpy(cp.cumsum(cp.array(host)))
    np.testing.assert_allclose(first, np.cumsum(host), rtol=1e-9, atol=1e-9)
    for _ in range(5):
        np.testing.assert_array_equal(cp.asnumpy(cp.cumsum(cp.array(host))).view(np.int64), first.view(np.int64))


@pytest.mark.parametrize("dtype", [np.int64, np.uint16, np.int32], ids=str)
@pytest.mark.parametrize("bins", [10_000, 65_536, 90_000])
def test_bincount_of_many_values_in_many_bins(dtype, bins):
    host = np.random.default_rng(bins).integers(0, min(bins, np.iinfo(dtype).max + 1), 1_600_003).astype(dtype)
    check(cp.bincount(cp.array(host), minlength=bins), np.bincount(host, minlength=bins))
    # Off the widest alignment, and all in one bin.
    check(cp.bincount(cp.array(host)[3:], minlength=bins), np.bincount(host[3:], minlength=bins))
    check(cp.bincount(cp.array(np.full_like(host, 9999))), np.bincount(np.full_like(host, 9999)))


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_histogram(dtype):
    host = sample(dtype, (3001,), small=True)
    ends = (0.0, 1.0) if dtype.kind == "b" else (-3.0, 4.0)
    a = cp.array(host)
    for bins in (1, 10, 257, 3000):
        # NumPy bins float16 by edges of float32.
        if dtype != np.float16 and dtype.kind != "b":
            for found, wanted in zip(cp.histogram(a, bins, ends), np.histogram(host, bins, ends), strict=True):
                check(found, wanted)
    for edges in ([0, 1], [-2.5, 0, 0, 1, 1, 3.25], np.arange(-4, 5), np.linspace(-3, 3, 4001), [0.1, 0.2, 0.7]):
        if dtype.kind == "b" and not isinstance(edges, list):
            continue
        oracle = host.astype(np.uint8) if dtype.kind == "b" else host
        check(cp.histogram(a, cp.array(edges))[0], np.histogram(oracle, edges)[0])


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", BFLOAT16], ids=str)
@pytest.mark.parametrize("bins", [2, (-1.0, 0.25, 3.0)], ids=str)
def test_weights_of_narrow_floats_are_added_in_double_precision(dtype, bins):
    # A float16 stops growing at 2^11 ones, a float32 at 2^24.
    weights = cp.full(30_000, 1 / 3, dtype)
    found, _ = cp.histogram(cp.full(30_000, 1.0), bins, weights=weights)
    assert found.dtype == weights.dtype
    wanted = (np.asarray([0, 30_000]) * cp.asnumpy(weights)[0].astype("c16")).astype("c8").astype(weights.dtype)
    np.testing.assert_array_equal(cp.asnumpy(found), wanted)


EDGES = {
    "evenly random": np.sort(np.random.default_rng(1).random(65)),
    "many": np.sort(np.random.default_rng(2).normal(size=3000)),
    "by powers": 2.0 ** np.arange(-60, 40),
    "in heaps": np.sort(np.concatenate([np.full(20, 0.5), 0.25 + np.arange(40) * 1e-12, [0, 1e9]])),
    "infinite": np.array([-np.inf, -1, 0.3, 0.3, 2, np.inf]),
    "as wide as floats": np.array([-1.7e308, -1, 0, 0.7, 1.7e308]),
    "equal": np.array([0.5, 0.5, 0.5]),
    "integers": np.array([-(2**62), -7, 0, 1, 5, 2**40, 2**62]),
}


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u1"])
def test_histogram_of_uneven_edges(name, dtype):
    random = np.random.default_rng(9)
    values = [random.random(2000), random.normal(size=500) * 1e3, 2.0 ** random.integers(-70, 50, 500), [0.5, 0.0, 1.0]]
    host = np.concatenate(values)
    host = np.clip(host, 0, 255).astype(dtype) if dtype == "u1" else host.astype(dtype)
    edges = EDGES[name]
    if dtype == "f8":
        host = np.concatenate([host, edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf), [np.nan]])
    for part in (host, host[:7]):
        wanted = np.array(
            [np.sum((part >= low) & (part < high)) for low, high in zip(edges[:-1], edges[1:], strict=True)]
        )
        wanted[-1] += np.sum(part == edges[-1])
        check(cp.histogram(cp.array(part), cp.array(edges))[0], wanted)


@pytest.mark.parametrize("bins", [1, 2, 10, 100, 1000, 5000])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
def test_histogram_of_even_edges(bins, dtype):
    """Values at edges, next to them and outside, in counts around those that vectors and threads take."""
    random = np.random.default_rng(bins)
    edges = np.linspace(-3.0, 7.0, bins + 1).astype(dtype if dtype[0] == "f" else "f8")
    inside = [edges, np.nextafter(edges, edges.dtype.type(np.inf)), np.nextafter(edges, edges.dtype.type(-np.inf))]
    outside = [[np.nan, np.inf, -np.inf, -0.0, 1e30, -1e30], random.normal(2, 4, 200_000)]
    host = np.concatenate([*inside, *(outside if dtype[0] == "f" else outside[1:])])
    host = random.permutation(np.rint(host) if dtype[0] == "i" else host).astype(dtype)
    for count in (1, 63, 64, 65, 4100, 65_537, host.size):
        for part in (host[:count], host[-count:], np.full(count, edges[bins // 2]).astype(dtype)):
            a = cp.array(part)
            known = part[(part >= edges[0]) & (part <= edges[-1])]
            place = np.minimum(np.searchsorted(edges, known, "right") - 1, bins - 1)
            wanted = np.bincount(place, minlength=bins)
            check(cp.histogram(a, cp.array(edges))[0], wanted)
            check(cp.histogram(a[::-1], cp.array(edges))[0], wanted)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u8"])
@pytest.mark.parametrize("low", [np.float16, np.float32, np.float64, np.int64, float])
@pytest.mark.parametrize("high", [np.float32, np.float64, np.int8, int])
def test_edges_have_the_precision_of_their_ends(dtype, low, high):
    host = (np.random.default_rng(4).random(300) * 90).astype(dtype)
    for ends in ((low(3.7), high(61.3)), (host.min(), host.max())):
        for found, wanted in zip(cp.histogram(cp.array(host), 100, ends), np.histogram(host, 100, ends), strict=True):
            check(found, wanted)
    check(cp.histogram(cp.array(host[:0]), 1000)[1], np.histogram(host[:0], 1000)[1])


@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_ends_that_are_no_floats_bound_integers(dtype):
    host = np.arange(2**60 - 300, 2**60 + 300).astype(dtype)
    weights = np.arange(600.0)
    for ends in ((2**60 - 130, 2**60 + 257), (np.int64(2**60 - 255), np.int64(2**60 + 129)), (0.5, 2**60 + 1)):
        for more in ({}, {"weights": weights}):
            wanted = np.histogram(host, 2, ends, **more)
            on_device = {name: cp.array(values) for name, values in more.items()}
            for found, right in zip(cp.histogram(cp.array(host), 2, ends, **on_device), wanted, strict=True):
                check(found, right)


def test_histogram_drops_what_is_no_number():
    host = np.array([np.nan, -np.inf, 0.0, 0.5, 1.0, np.inf, 2.0, -0.0])
    check(cp.histogram(cp.array(host), 4, (0, 1))[0], np.array([2, 0, 1, 1]))
    check(cp.histogram(cp.array(host), cp.array([0.0, 0.5, 1.0]))[0], np.array([2, 2]))


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("length", [0, 1, 2, 3, 64, 1000])
def test_searchsorted(dtype, side, length):
    ranked = np.sort(sample(dtype, (length,)))
    values = sample(dtype, (37, 11), seed=1)
    check(cp.searchsorted(cp.array(ranked), cp.array(values), side), np.searchsorted(ranked, values, side))
    check(cp.searchsorted(cp.array(ranked), cp.array(values).T, side), np.searchsorted(ranked, values.T, side))
    twice = np.repeat(ranked, 2)
    check(
        cp.searchsorted(cp.array(twice)[::2], cp.array(values[0, 0]), side), np.searchsorted(ranked, values[0, 0], side)
    )


@pytest.mark.parametrize("dtype", [*REAL, BFLOAT16], ids=str)
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 1000, 1023, 1024, 2047, 2048, 4095, 4096, 4097, 9000, 100_003])
def test_searchsorted_of_many_values(dtype, side, length):
    as_numbers = np.float32 if dtype == BFLOAT16 else dtype
    ranked = np.sort(sample(dtype, (length,)).astype(as_numbers))
    values = sample(dtype, (8001,), seed=1).astype(as_numbers)
    values[:length] = ranked[:8001]
    wanted = np.searchsorted(ranked, values, side)
    device, sought = cp.array(ranked).astype(dtype), cp.array(values).astype(dtype)
    check(cp.searchsorted(device, sought, side), wanted)
    # Off the widest alignment, and of two dimensions.
    check(cp.searchsorted(device, sought[1:], side), wanted[1:])
    check(cp.searchsorted(device, sought[1:].reshape(80, 100), side), wanted[1:].reshape(80, 100))


def test_searchsorted_of_values_that_are_no_numbers():
    special = np.array([-np.inf, -1.0, -0.0, 0.0, 5e-324, 1.0, np.inf, np.nan, -np.nan])
    values = np.tile(special, 1000)
    for ranked in (np.sort(special), np.sort(special)[:-2], np.full(5000, np.nan), np.zeros(4097)):
        for dtype in (np.float16, np.float32, np.float64):
            for side in ("left", "right"):
                a, v = ranked.astype(dtype), values.astype(dtype)
                check(cp.searchsorted(cp.array(a), cp.array(v), side), np.searchsorted(a, v, side))


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.complex128])
@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("count", [1, 3, 70, 300])
def test_concatenate_many(dtype, axis, count):
    random = np.random.default_rng(count)
    if axis == 0:
        shapes = [(int(random.integers(0, 9)), 5) for _ in range(count)]
    else:
        shapes = [(6, int(random.integers(0, 40))) for _ in range(count)]
    hosts = [random.integers(0, 100, shape).astype(dtype) for shape in shapes]
    check(cp.concatenate([cp.array(host) for host in hosts], axis), np.concatenate(hosts, axis))
    turned = [np.asfortranarray(host) for host in hosts]
    check(cp.concatenate([cp.array(host) for host in turned], axis), np.concatenate(turned, axis))


def test_concatenate_into_an_array():
    hosts = [np.arange(7.0), np.arange(30.0)[::-3], np.ones(5)]
    for out, oracle in ((cp.zeros(22), np.zeros(22)), (cp.zeros(44)[::2], np.zeros(44)[::2])):
        cp.concatenate([cp.array(host) for host in hosts], out=out)
        check(out, np.concatenate(hosts, out=oracle))


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float16, np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("shape", [(600_001,), (3, 200_003), (300, 3001), (4001, 100), (90_000, 3)], ids=str)
def test_running_sums_at_any_size(dtype, shape):
    # Whole numbers whose sums are exact in every type.
    host = (np.random.default_rng(7).random(shape) < 1e-3).astype(dtype)
    device = cp.array(host)
    for axis in range(len(shape)):
        check(cp.cumsum(device, axis), np.cumsum(host, axis))
        check(cp.cumsum(device[..., ::-1], axis), np.cumsum(host[..., ::-1], axis))


@pytest.mark.parametrize("shape", [(400_000,), (2, 300_000), (5000, 64)], ids=str)
def test_running_sums_have_the_same_bits_in_every_run(shape):
    device = cp.array(np.random.default_rng(9).standard_normal(shape))
    for axis in range(len(shape)):
        first = cp.asnumpy(cp.cumsum(device, axis)).tobytes()
        assert all(cp.asnumpy(cp.cumsum(device, axis)).tobytes() == first for _ in range(5))


@pytest.mark.parametrize("count, width, rows", [(2, 999, 1), (3, 40_000, 1), (300, 77, 1), (1000, 64, 1), (400, 5, 33)])
@pytest.mark.parametrize("alike", [True, False])
def test_joining_of_many_pieces(count, width, rows, alike):
    """As many as one launch names, and more; equally wide ones, repeated ones, and such as begin anywhere."""
    random = np.random.default_rng(count)
    hosts = [random.integers(0, 99, (rows, width - (0 if alike else k % 3))).astype(np.uint8) for k in range(count)]
    pieces = [cp.array(host) for host in hosts]
    wanted = np.concatenate(hosts, axis=1)
    check(cp.concatenate(pieces, axis=1), wanted)
    out = cp.zeros(wanted.shape, np.uint8)
    cp.concatenate(pieces, axis=1, out=out)
    check(out, wanted)
    check(cp.concatenate([pieces[0]] * count, axis=1), np.concatenate([hosts[0]] * count, axis=1))
    offset = [piece.reshape(-1)[1:] for piece in pieces]
    check(cp.concatenate(offset), np.concatenate([host.reshape(-1)[1:] for host in hosts]))


def test_joining_of_many_pieces_in_a_graph():
    hosts = [np.arange(7.0) + k for k in range(500)]
    pieces, out, stream = [cp.array(host) for host in hosts], cp.zeros(3500), cp.cuda.Stream()
    with stream:
        stream.begin_capture()
        cp.concatenate(pieces, out=out)
        graph = stream.end_capture()
        for _ in range(2):
            out[...] = 0
            graph.launch(stream)
            stream.synchronize()
            check(out, np.concatenate(hosts))


def test_joining_of_many_pieces_in_a_fused_function():
    @cp.fuse
    def joined(x):
        return cp.concatenate([x * 1.0 for _ in range(200)]) + 1

    for start in range(4):
        host = np.arange(6.0) + start
        check(joined(cp.array(host)), np.concatenate([host] * 200) + 1)


@pytest.mark.parametrize("mode", ["take", "index", "assign", "add"])
@pytest.mark.parametrize("bad", [None, 0, 500, 999])
def test_indices_outside_are_found_wherever_they_are(mode, bad):
    """Also in the middle of many, and the next call is none the worse."""
    index = np.random.default_rng(4).integers(-100, 100, 1000)
    host = np.arange(100.0)
    if bad is not None:
        index[bad] = 100 if bad else -101
    a, places = cp.array(host), cp.array(index)
    calls = {
        "take": lambda: a.take(places),
        "index": lambda: a[places],
        "assign": lambda: a.__setitem__(places, 1.0),
        "add": lambda: cp.add.at(a, places, 1.0),
    }
    if bad is None:
        calls[mode]()
    else:
        with pytest.raises(IndexError):
            calls[mode]()
            cp.cuda.Device().synchronize()
    check(cp.array(host).take(cp.array([-1, 5])), host.take([-1, 5]))


@pytest.mark.parametrize("edges", [(-8e299, np.inf, np.inf), (-np.inf, 0.0, np.inf), (0.0, 1e-320, 2e-320), (1.0, 1.0)])
def test_bins_with_edges_that_have_no_width(edges):
    edges = np.array(edges)
    values = np.concatenate([edges, [-np.inf, np.inf, np.nan, 0.5, 1.0], np.nextafter(edges, 0)] * 9)
    found = cp.histogram(cp.asarray(values), cp.asarray(edges))[0]
    np.testing.assert_array_equal(found.get(), np.histogram(values, edges)[0])
