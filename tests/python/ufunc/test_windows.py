"""Windows, i0, packed bits, histograms of several dimensions and other small topics."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import _cuproxide as core
from helpers import FLOATS, INTEGERS, LAYOUTS, NUMPY_DTYPES, check, compare, in_layout, same_error, sample, to_device


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
@pytest.mark.parametrize("points", [-1, 0, 1, 2, 3, 8, 51, 2.5, True, np.int8(7)])
def test_windows(name, points):
    check(getattr(cp, name)(points), getattr(np, name)(points), ulp=8, scale=1, signs=False)


@pytest.mark.parametrize("points", [-1, 0, 1, 2, 3, 8, 51, 4.5])
@pytest.mark.parametrize("beta", [0, 1, 8.6, 14])
def test_kaiser(points, beta):
    check(cp.kaiser(points, beta), np.kaiser(points, beta), ulp=64, scale=1)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
def test_i0(dtype):
    values = sample(dtype, 40, small=True)
    if dtype == np.float16:
        check(cp.i0(cp.asarray(values)), np.i0(values.astype(np.float64)).astype(dtype), ulp=2)
    else:
        check(cp.i0(cp.asarray(values)), np.i0(values), ulp=8)
    same_error(lambda: cp.i0(cp.asarray([1j])), lambda: np.i0(np.asarray([1j])))


BITS = [np.dtype(bool), *INTEGERS]


@pytest.mark.parametrize("dtype", BITS, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_packbits(dtype, layout):
    host = in_layout(sample(dtype, (5, 19)), layout)
    for order in ("big", "little"):
        for axis in (None, 0, -1, 1):
            compare(lambda xp, a, axis=axis, order=order: xp.packbits(a, axis, order), host)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [None, 0, 3, 8, 19, 100, -1, -9, -1000])
def test_unpackbits(layout, count):
    if layout == "empty" and count is not None and count > 0:
        # NumPy gives what happens to lie in memory.
        assert not cp.unpackbits(cp.empty(0, np.uint8), count=count).any()
        return
    host = in_layout(np.random.default_rng(1).integers(0, 256, (3, 4)).astype(np.uint8), layout)
    for order in ("big", "little"):
        for axis in (None, 0, -1):
            compare(lambda xp, a, axis=axis, order=order: xp.unpackbits(a, axis, count, order), host)


def test_bits_refuse():
    for name in ("packbits", "unpackbits"):
        for values in ([1.5], [1j], [-1] if name == "unpackbits" else [2.0]):
            same_error(
                lambda n=name, v=values: getattr(cp, n)(cp.asarray(v)), lambda n=name, v=values: getattr(np, n)(v)
            )
        for options in ({"bitorder": "middle"}, {"bitorder": 1}, {"axis": 3}):
            same_error(
                lambda n=name, o=options: getattr(cp, n)(cp.zeros(3, np.uint8), **o),
                lambda n=name, o=options: getattr(np, n)(np.zeros(3, np.uint8), **o),
            )


HISTOGRAMS = {
    "2d": lambda xp, x, y: xp.histogram2d(x, y),
    "2d bins": lambda xp, x, y: xp.histogram2d(x, y, [4, 7]),
    "2d edges": lambda xp, x, y: xp.histogram2d(x, y, [xp.asarray([-2.0, 0, 0.5, 2]), 3]),
    "2d one edges": lambda xp, x, y: xp.histogram2d(x, y, xp.asarray([-2.0, 0, 0.5, 2])),
    "2d range": lambda xp, x, y: xp.histogram2d(x, y, 5, [[-1, 1], [0, 2]]),
    "2d density": lambda xp, x, y: xp.histogram2d(x, y, 5, density=True),
    "2d weights": lambda xp, x, y: xp.histogram2d(x, y, 5, weights=x * x),
    "2d list": lambda xp, x, y: xp.histogram2d([1, 2, 3], [4, 5.5, 6], 2),
    "dd": lambda xp, x, y: xp.histogramdd(xp.stack([x, y, x * y], axis=1), 4),
    "dd list": lambda xp, x, y: xp.histogramdd([x, y, x + y], (2, 3, 4)),
    "dd range": lambda xp, x, y: xp.histogramdd([x, y], 3, range=[None, (0, 1)]),
    "dd density": lambda xp, x, y: xp.histogramdd([x, y], 3, density=True, weights=abs(y)),
    "dd one": lambda xp, x, y: xp.histogramdd(x, [6]),
    "dd empty": lambda xp, x, y: xp.histogramdd([x[:0], y[:0]], 3),
    "dd dims": lambda xp, x, y: xp.histogramdd([x, y], [1, 2, 3]),
    "dd no bins": lambda xp, x, y: xp.histogramdd([x, y], 0),
    "dd half a bin": lambda xp, x, y: xp.histogramdd([x, y], 2.5),
    "dd falling": lambda xp, x, y: xp.histogramdd([x], [xp.asarray([2, 1, 0])]),
    "dd ranges": lambda xp, x, y: xp.histogramdd([x, y], 2, range=[(0, 1)]),
    "dd nan": lambda xp, x, y: xp.histogramdd([x / 0 * 0], 2),
    "lengths": lambda xp, x, y: xp.histogram2d(x, y[:3]),
    "edges": lambda xp, x, y: xp.histogram_bin_edges(x),
    "edges range": lambda xp, x, y: xp.histogram_bin_edges(x, 7, (-1, 1)),
    "edges given": lambda xp, x, y: xp.histogram_bin_edges(x, xp.asarray([1, 2, 4])),
    "edges falling": lambda xp, x, y: xp.histogram_bin_edges(x, xp.asarray([2, 1])),
    "edges ints": lambda xp, x, y: xp.histogram_bin_edges((x * 10).astype(int), 4),
    "edges equal": lambda xp, x, y: xp.histogram_bin_edges(x * 0),
    "edges unknown": lambda xp, x, y: xp.histogram_bin_edges(x, "unknown"),
    "edges weighted": lambda xp, x, y: xp.histogram_bin_edges(x, "auto", weights=y),
    "edges none": lambda xp, x, y: xp.histogram_bin_edges(x, 0),
    "edges half": lambda xp, x, y: xp.histogram_bin_edges(x, 1.5),
}
for estimator in ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"):
    HISTOGRAMS[estimator] = lambda xp, x, y, name=estimator: xp.histogram_bin_edges(x, name)
    HISTOGRAMS[f"{estimator} range"] = lambda xp, x, y, name=estimator: xp.histogram_bin_edges(x, name, (-1, 1))
    HISTOGRAMS[f"{estimator} ints"] = lambda xp, x, y, name=estimator: xp.histogram_bin_edges(
        (x * 20).astype(int), name
    )
    HISTOGRAMS[f"{estimator} none"] = lambda xp, x, y, name=estimator: xp.histogram_bin_edges(x[:0], name)


@pytest.mark.parametrize("case", HISTOGRAMS)
def test_histograms(case):
    random = np.random.default_rng(7)
    compare(HISTOGRAMS[case], random.normal(size=500), random.normal(size=500), ulp=64, scale=1)


METHODS = [
    "linear",
    "lower",
    "higher",
    "midpoint",
    "nearest",
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "median_unbiased",
    "normal_unbiased",
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nanquantile(method, dtype):
    host = np.random.default_rng(3).normal(size=(6, 7, 5)).astype(dtype)
    host[host > 0.7] = np.nan
    host[2, :, 3] = np.nan
    for axis in (None, 0, 1, (0, 2), -1):
        for q in (0.3, 0.0, 1.0, [0.1, 0.5, 0.9], [[0.25], [0.75]]):
            for keepdims in (False, True):
                if axis == (0, 2) and isinstance(q, list) and isinstance(q[0], list):
                    # NumPy leaves the axes of `q` in the wrong place here, other than in `quantile`.
                    continue
                ours = cp.nanquantile(cp.asarray(host), q, axis=axis, method=method, keepdims=keepdims)
                theirs = np.nanquantile(host, q, axis=axis, method=method, keepdims=keepdims)
                check(ours, theirs, ulp=16, scale=1)
    ours = cp.nanpercentile(cp.asarray(host), [30, 65], axis=1, method=method)
    check(ours, np.nanpercentile(host, [30, 65], axis=1, method=method), ulp=16, scale=1)


def test_nanquantile_kinds():
    for dtype in NUMPY_DTYPES:
        host = sample(dtype, (4, 5), small=True)
        if dtype == np.bool_:
            continue
        compare(lambda xp, a: xp.nanquantile(a, 0.4, axis=0), host, ulp=4)
    compare(lambda xp, a: xp.nanquantile(a, 1.5), np.ones(3))
    compare(lambda xp, a: xp.nanpercentile(a, 101), np.ones(3))
    compare(lambda xp, a: xp.nanpercentile(a, 10, method="none"), np.ones(3))
    compare(lambda xp, a: xp.nanmedian(a) - xp.nanpercentile(a, 50), np.array([np.nan, 1, 2, 4]))


ALONG = {
    "sum": lambda xp, a: xp.apply_along_axis(lambda lane: lane.sum(), 0, a),
    "sort": lambda xp, a: xp.apply_along_axis(xp.sort, 1, a),
    "matrix": lambda xp, a: xp.apply_along_axis(xp.diag, -1, a),
    "arguments": lambda xp, a: xp.apply_along_axis(lambda lane, b, c: lane[:2] * b + c, 1, a, 2, c=1),
    "axis": lambda xp, a: xp.apply_along_axis(xp.sum, 3, a),
    "none": lambda xp, a: xp.apply_along_axis(xp.sum, 0, a[:, :0]),
}


@pytest.mark.parametrize("case", ALONG)
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
def test_apply_along_axis(case, shape):
    compare(ALONG[case], sample(np.float64, shape, small=True), ulp=4, scale=1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_byte_bounds(layout):
    host = in_layout(sample(np.int16, (4, 6)), layout)
    device = to_device(host)
    low, high = cp.byte_bounds(device)
    theirs = np.lib.array_utils.byte_bounds(np.empty(device.shape, np.int16))
    if layout in ("C", "F", "reversed", "scalar", "empty"):
        assert high - low == theirs[1] - theirs[0]
    if device.size:
        assert low <= device.data.ptr < high
    assert cp.lib.array_utils.byte_bounds is cp.byte_bounds


def test_modules_of_arrays():
    scipy = pytest.importorskip("scipy")
    assert cp.scipy.get_array_module(cp.ones(2)) is cp.scipy
    assert cp.scipy.get_array_module(np.ones(2), 3) is scipy
    assert cp.format_parser("i4, f8", "a, b", []).dtype == np.dtype([("a", "i4"), ("b", "f8")])


def test_nothing_goes_by_way_of_the_host():
    a = cp.arange(60.0).reshape(6, 10) % 7
    c = cp.asarray([1.0, 2, 3, 4])

    def run():
        (
            cp.packbits(a > 3, axis=0),
            cp.unpackbits(a.astype(np.uint8), count=-1),
            cp.i0(a),
            cp.hamming(9),
            cp.kaiser(9, 3),
        )
        cp.apply_along_axis(cp.sort, 1, a)
        if cp.Device().asynchronous:
            # Devices that compute at once look at the results, for NumPy's warnings.
            cp.nanquantile(a, [0.1, 0.5], axis=1), cp.nanpercentile(a, 30)
        cp.polyval(c, a), cp.polyadd(c, c[:2]), cp.polyder(c), cp.polyint(c), cp.polynomial.polynomial.polyval(a, c)
        cp.polynomial.polynomial.polyvander(c, 3), cp.polynomial.polynomial.polyder(c)

    before = core.host_transfers()
    run()
    assert core.host_transfers() == before, "something was read back"
