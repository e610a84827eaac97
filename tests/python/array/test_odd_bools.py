"""Bools whose bytes are neither 0 nor 1 give what the same truth gives in bytes 0 and 1, everywhere."""

import random

import cuproxide as cp
import numpy as np
import odd_bools
import pytest
from cuproxide import fusion
from effort import CASES, drawn
from odd_bools import GROUPS, LAYOUTS, SIZES, WAYS, lies, outcome, same

FUNCTIONS = [(group, name) for group, functions in GROUPS.items() for name in functions]
#: Functions whose text shows an error or a colon of its own.
TEXTS = ("repr", "str", "savetxt", "array2string")


def drawn_bytes(rng, size, share):
    """Bytes, of which about a share is not 0."""
    return np.where(rng.random(size) < share, rng.integers(1, 256, size), 0).astype(np.uint8)


def items_for(m, seed=1, dtype=np.int64):
    return cp.asarray(np.random.default_rng(seed).integers(-3, 9, m.shape).astype(dtype))


def check(function, content, layout, way="view", dtype=np.int64, k=3):
    odd, normal = (lies(layout, bytes_, way) for bytes_ in (content, (content != 0).view(np.uint8)))
    x = items_for(odd, dtype=dtype)
    expected = outcome(function, normal, x, k)
    found = outcome(function, odd, x, k)
    assert same(found, expected), f"{layout}, {way}, {content.size}: {found!r} instead of {expected!r}"
    return expected


@pytest.mark.parametrize(("group", "name"), FUNCTIONS)
def test_functions(group, name):
    content = drawn_bytes(np.random.default_rng(5), 24, 0.6)
    for layout in LAYOUTS:
        for eager in (False, True):
            with fusion.eager(eager):
                expected = check(GROUPS[group][name], content, layout)
        if layout in ("contiguous", "matrix"):
            assert name in TEXTS or not isinstance(expected, str), expected


CORE = ("nonzero", "x[m]", "x[m] = array", "packbits", "sum", "argsort", "unique", "where", "bincount", "invert", "csr")


@pytest.mark.parametrize("way", WAYS)
def test_ways_in(way):
    content = drawn_bytes(np.random.default_rng(7), 300, 0.5)
    assert WAYS[way](content).dtype == bool
    for group, name in FUNCTIONS:
        if name in CORE:
            check(GROUPS[group][name], content, "contiguous", way)


@pytest.mark.parametrize("way", [way for way in WAYS if "host" not in way and way != "set"])
def test_the_bytes_come_in_as_they_are(way):
    # Or the other tests would see no odd ones.
    content = np.arange(256, dtype=np.uint8)
    assert bytes(WAYS[way](content).view(np.uint8).get()) == bytes(content)


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "int64", "complex128", "bool"])
@pytest.mark.parametrize("size", SIZES)
def test_sizes(size, dtype):
    for share in (0.01, 0.5, 1):
        content = drawn_bytes(np.random.default_rng(size), size, share)
        for name in ("nonzero", "x[m]", "compress"):
            for layout in ("contiguous", "offset"):
                check(GROUPS["selections"][name], content, layout, dtype=dtype)
        check(GROUPS["order"]["argsort"], content, "contiguous")
        check(GROUPS["reductions"]["sum"], content, "contiguous")
        check(GROUPS["reductions"]["argmax"], content, "contiguous")


def test_every_byte():
    content = np.arange(256, dtype=np.uint8)
    m = cp.asarray(content).view(bool)
    np.testing.assert_array_equal(cp.flatnonzero(m).get(), np.arange(1, 256))
    assert int(m.sum()) == 255 and m.tolist() == [False] + [True] * 255
    for byte in range(256):
        many = cp.full(1000, byte, np.uint8).view(bool)
        assert cp.nonzero(many)[0].size == cp.arange(1000)[many].size == int(many.sum()) == (1000 if byte else 0)


def test_an_image_as_a_mask():
    # An 8-bit mask that is viewed as bool is what people do.
    m = cp.asarray(np.array([0, 3, 1, 2, 0, 255], np.uint8)).view(bool)
    assert cp.nonzero(m)[0].tolist() == cp.arange(6)[m].tolist() == [1, 2, 3, 5]
    whole = cp.full(1_000_000, 255, np.uint8).view(bool)
    np.testing.assert_array_equal(cp.nonzero(whole)[0].get(), np.arange(1_000_000))
    assert cp.ones(1_000_000)[whole].size == 1_000_000


COMPUTED = {
    "elementwise": ("logical_and", "bitwise_or", "maximum", "equal", "invert", "m ^ m", "logical_not", "m == 1"),
    "writes": ("m &= m", "m |= m", "m ^= m", "fill of an element"),
    "reductions": ("max of axis 0", "any of axis 0", "logical_xor.accumulate", "maximum.accumulate"),
    "order": ("sort", "sort axis 0", "unique", "diff"),
    "selections": ("where of bools", "take_along_axis"),
    "images": ("binary_dilation", "binary_fill_holes", "maximum_filter"),
}


@pytest.mark.parametrize("eager", [False, True])
def test_what_is_computed_is_0_or_1(eager):
    content = drawn_bytes(np.random.default_rng(9), 840, 0.5)
    with fusion.eager(eager):
        for group, names in COMPUTED.items():
            for name in names:
                for layout in ("contiguous", "offset", "matrix"):
                    m = lies(layout, content)
                    made = GROUPS[group][name](m, items_for(m), 3)
                    assert made.dtype == bool
                    assert set(np.unique(made.get().view(np.uint8))) <= {0, 1}, (group, name)


def test_items_and_scalars():
    m = cp.asarray(np.array([0, 2, 255], np.uint8)).view(bool)
    assert [element.item() for element in m] == [False, True, True]
    assert (int(m[1]), float(m[2]), bool(m[1]), complex(m[2])) == (1, 1.0, True, 1)
    filled = cp.full(5, m[2].item())
    assert filled.dtype == bool and filled.view(np.uint8).tolist() == [1] * 5
    assert cp.full(3, m[1], np.int32).tolist() == [1, 1, 1]


def test_running_counts():
    # What selecting falls back on where a device has no primitive for it.
    content = drawn_bytes(np.random.default_rng(11), 70_001, 0.5)
    m = cp.asarray(content).view(bool)
    ranks = cp.cumsum(m)
    np.testing.assert_array_equal(ranks.get(), np.cumsum(content != 0))


def test_histograms_and_counts_of_bools():
    content = drawn_bytes(np.random.default_rng(13), 100_003, 0.7)
    m, truth = cp.asarray(content).view(bool), content != 0
    np.testing.assert_array_equal(cp.bincount(m).get(), np.bincount(truth))
    counts, edges = cp.histogram(m, bins=[0, 1, 2])
    np.testing.assert_array_equal(counts.get(), [np.sum(~truth), np.sum(truth)])


# Kernels of programs.


def test_elementwise_kernels():
    content = np.arange(256, dtype=np.uint8)
    m = cp.asarray(content).view(bool)
    kernel = cp.ElementwiseKernel(
        "bool m, T x", "T y, bool no, int32 z", "y = m ? x : -x; no = !m; z = m + m", "odd_mask"
    )
    for odd in (m, cp.asarray(np.repeat(content, 2)).view(bool)[::2]):
        y, no, z = kernel(odd, cp.arange(256.0))
        np.testing.assert_array_equal(y.get(), np.where(content != 0, 1, -1) * np.arange(256.0))
        assert no.view(np.uint8).tolist() == [1] + [0] * 255 and z.tolist() == [0] + [2] * 255


def test_raw_parameters_of_elementwise_kernels():
    content = np.arange(256, dtype=np.uint8)
    kernel = cp.ElementwiseKernel("raw bool m, int64 x", "int32 z", "z = m[i] + m[255 - i] * 2", "odd_raw")
    for m in (cp.asarray(content).view(bool), cp.asarray(np.repeat(content, 2)).view(bool)[::2]):
        z = kernel(m, cp.arange(256))
        truth = content.astype(bool).astype(int)
        np.testing.assert_array_equal(z.get(), truth + 2 * truth[::-1])


def test_reduction_kernels():
    content = drawn_bytes(np.random.default_rng(17), 4000, 0.3).reshape(40, 100)
    m = cp.asarray(content).view(bool)
    kernel = cp.ReductionKernel("bool m", "int64 count", "(long long)m", "a + b", "count = a", "0", "odd_count")
    for axis in (None, 0, 1):
        np.testing.assert_array_equal(kernel(m, axis=axis).get(), (content != 0).sum(axis=axis))


def test_a_raw_kernel_writes_bytes():
    kernel = cp.RawKernel(
        'extern "C" __global__ void odd_write(bool* m) { ((unsigned char*)m)[threadIdx.x] = threadIdx.x; }', "odd_write"
    )
    m = cp.empty(256, bool)
    kernel((1,), (256,), (m,))
    assert cp.nonzero(m)[0].tolist() == list(range(1, 256))


def test_jit_kernels():
    from cuproxide import jit

    @jit.rawkernel()
    def count(m, n, out):
        i = jit.grid(1)
        if i < m.size:
            out[i] = m[i] + m[m.size - 1 - i] * 2
            n[i] ^= m[i]

    content = np.arange(256, dtype=np.uint8)
    m, n, out = cp.asarray(content).view(bool), cp.asarray(content[::-1].copy()).view(bool), cp.zeros(256, np.int32)
    count((2,), (128,), (m, n, out))
    truth = (content != 0).astype(int)
    np.testing.assert_array_equal(out.get(), truth + 2 * truth[::-1])
    assert n.view(np.uint8).tolist() == [1] + [0] * 254 + [1]


def test_fused_functions():
    @cp.fuse()
    def chosen(m, x):
        return cp.where(m & (x > 1), x, ~m), cp.sum(m), m ^ m

    content = drawn_bytes(np.random.default_rng(19), 1000, 0.5)
    x = cp.asarray(np.random.default_rng(1).integers(-3, 9, 1000))
    for _ in range(3):
        odd = [part.get() for part in chosen(cp.asarray(content).view(bool), x)]
        normal = [part.get() for part in chosen(cp.asarray(content != 0), x)]
        for a, b in zip(odd, normal, strict=True):
            np.testing.assert_array_equal(a, b)


def test_graphs():
    content = drawn_bytes(np.random.default_rng(23), 1000, 0.5)
    m, x = cp.asarray(content).view(bool), cp.arange(1000)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        made, chosen = cp.empty(1000, np.int64), cp.empty(1000, bool)
        stream.begin_capture()
        cp.add(x, m, out=made)
        cp.logical_xor(m, m[::-1], out=chosen)
        made[m] = 7
        graph = stream.end_capture()
        graph.launch()
    stream.synchronize()
    truth = content != 0
    np.testing.assert_array_equal(made.get(), np.where(truth, 7, np.arange(1000)))
    np.testing.assert_array_equal(chosen.get().view(np.uint8), truth ^ truth[::-1])


# Random programs. The long mode, on any device: `CUPROXIDE_TEST_CASES=20000 python -m pytest
# tests/python/array/test_odd_bools.py -k random`.

SHARES = (0.001, 0.05, 0.3, 0.5, 0.9, 0.999, 1)
DTYPES = (
    "int8",
    "int16",
    "int32",
    "int64",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "bool",
    "uint8",
    "float16",
)


def draw(seed):
    """A function, and bools that it is given."""
    choose = random.Random(seed)
    group, name = choose.choice(FUNCTIONS)
    size = choose.choice(SIZES) + choose.choice((0, 0, 1, -1)) if choose.random() < 0.3 else choose.randrange(400)
    if choose.random() < 0.02 and group in ("selections", "writes"):
        size = choose.randrange(100_000)
    # What looks at every pair or makes much of each takes small arrays.
    if name in ("outer", "meshgrid", "ix_", "repr", "str", "tolist", "array2string", "apply_along_axis"):
        size = min(size, 100)
    if group in ("sparse", "images", "packages"):
        size = min(size, 700)
    rng = np.random.default_rng(seed)
    kind = choose.randrange(4)
    if kind == 0:
        content = np.full(max(size, 0), choose.choice((1, 2, 3, 127, 128, 254, 255)), np.uint8)
    else:
        content = drawn_bytes(rng, max(size, 0), choose.choice(SHARES))
    dtype = choose.choice(DTYPES) if group in ("selections", "writes") else "int64"
    return group, name, content, choose.choice(LAYOUTS), choose.choice(sorted(WAYS)), dtype, choose.random() < 0.5


def test_random_bools():
    for seed in range(CASES or drawn(400)):
        group, name, content, layout, way, dtype, eager = draw(seed)
        with fusion.eager(eager):
            try:
                check(GROUPS[group][name], content, layout, way, dtype, k=seed % 7)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}: {group}, {name}, {dtype}: {str(error)[:2000]}") from None


def test_the_table_knows_its_layouts():
    content = np.arange(24, dtype=np.uint8)
    for layout in LAYOUTS:
        made = odd_bools.lies(layout, content).view(np.uint8).get()
        assert set(made.ravel().tolist()) == set(range(24)), layout
