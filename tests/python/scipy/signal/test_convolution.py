"""Convolutions, correlations and changes of the sampling rate beside SciPy's."""

import cuproxide as cp
import effort
import numpy as np
import pytest
import scipy.signal
from signals import ours, same
from ways import take_ways

RANDOM = np.random.default_rng(1)
SHAPES = [
    ((10,), (3,)), ((3,), (10,)), ((7, 8), (3, 2)), ((3, 2), (7, 8)), ((7, 3), (3, 8)), ((5, 6, 7), (2, 3, 4)),
    ((40, 50), (25, 24)), ((100,), (100,)), ((5, 1), (3, 4)), ((1,), (1,)), ((), ()), ((5,), (2, 2)),
]  # fmt: skip


def array(shape, dtype):
    values = RANDOM.normal(size=shape) * 5
    return (values + 1j * RANDOM.normal(size=shape) if dtype[0] == "c" else values).astype(dtype)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1"])
@pytest.mark.parametrize("mode", ["full", "same", "valid", "none"])
def test_few_taps_on_devices_with_many_threads(mode, dtype, monkeypatch):
    take_ways(monkeypatch, True, "short rows in one kernel")
    tolerance = 1e-4 if dtype == "f4" else 1e-9
    for one, other in [((1,), (1,)), ((3,), (10,)), ((257,), (33,)), ((258,), (32,)), ((17,), (16,)), ((400,), (129,))]:
        a, b = array(one, dtype), array(other, dtype)
        for name in ("fftconvolve", "oaconvolve", "convolve", "correlate"):
            same(name, a, b, mode, tolerance=tolerance)
    for one, other, axis in [((5, 40), (1, 7), 1), ((40, 6), (7, 1), 0), ((3, 41), (1, 9), -1), ((40, 6), (7, 6), 0)]:
        a, b = array(one, dtype), array(other, dtype)
        for pair in ((a, b), (b, a)):
            for name in ("fftconvolve", "oaconvolve"):
                same(name, *pair, mode, axis, tolerance=tolerance)


def test_errors_of_few_taps_are_below_those_of_transforms(monkeypatch):
    take_ways(monkeypatch, True, "short rows in one kernel")
    x, h = array((20000,), "f4"), array((400,), "f4")
    exact = scipy.signal.fftconvolve(x.astype("f8"), h.astype("f8"))
    found, reference = ours.fftconvolve(cp.asarray(x), cp.asarray(h)).get(), scipy.signal.fftconvolve(x, h)
    assert np.linalg.norm(found - exact) <= np.linalg.norm(reference - exact)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i4", "u1"])
@pytest.mark.parametrize("mode", ["full", "same", "valid", "none"])
def test_convolve(mode, dtype):
    tolerance = 1e-4 if dtype == "f4" else 1e-9
    for one, other in effort.sample(SHAPES, 7, seed=len(mode)):
        a, b = array(one, dtype), array(other, dtype)
        for name in ("convolve", "correlate"):
            for method in ("direct", "fft", "auto", "none"):
                same(name, a, b, mode, method, tolerance=tolerance)
        same("fftconvolve", a, b, mode, tolerance=tolerance)
        same("oaconvolve", a, b, mode, tolerance=tolerance)


@pytest.mark.parametrize("axes", [0, 1, [0], (0, 1), [], 2, [0, 0], 0.5])
@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve"])
def test_axes(name, axes):
    a, b = array((40, 6), "f8"), array((5, 6), "f8")
    for mode in ("full", "same", "valid"):
        same(name, a, b, mode, axes=axes)
        same(name, a, b[:, :1], mode, axes=axes)
        same(name, b, a, mode, axes=axes)


def test_long_overlap_add():
    same("oaconvolve", array((5000,), "f8"), array((7,), "f8"))
    same("oaconvolve", array((1000, 7), "f8"), array((7, 500), "f8"))
    same("oaconvolve", array((7, 500), "c16"), array((1000, 7), "f8"), "same")


def test_convolution_of_integers_is_exact():
    a = np.full(300, 2**30, np.int64)
    assert ours.choose_conv_method(cp.asarray(a), cp.asarray(a)) == "direct"
    same("convolve", a, a[:200])
    same("convolve", np.ones(5, bool), np.ones(3, bool))


def test_method_by_measurement():
    method, seconds = ours.choose_conv_method(cp.ones(40), cp.ones(30), measure=True)
    assert method == min(seconds, key=seconds.get) and set(seconds) == {"direct", "fft"}


def test_special_values_stay_where_they_are():
    x = array((50,), "f8")
    x[20], x[40] = np.nan, np.inf
    same("convolve", x, array((5,), "f8"), "full", "direct")


@pytest.mark.parametrize("mode", ["full", "same", "valid", "none"])
@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm", "none"])
def test_images(mode, boundary):
    for one, other in (((7, 8), (3, 4)), ((3, 4), (7, 8)), ((7, 3), (3, 5)), ((6, 6), (6, 6))):
        for name in ("convolve2d", "correlate2d"):
            same(name, array(one, "f8"), array(other, "f8"), mode, boundary)
            same(name, array(one, "c16"), array(other, "c16"), mode, boundary, 2.0)
            same(name, array(one, "i4"), array(other, "i4"), mode, boundary, 3)


def test_large_taps_and_bad_images():
    a = array((40, 50), "f8")
    same("convolve2d", a, array((26, 25), "f8"), "same")
    same("convolve2d", a, a[0])
    same("sepfir2d", a, np.array([1.0, 2, 3]), np.array([1.0, 5, 2, 3, 4]))
    same("sepfir2d", a, np.array([1.0, 2]), np.array([1.0]))


def test_lags():
    for mode in ("full", "same", "valid", "none"):
        for a, b in ((3, 5), (5, 3), (6, 3), (3, 6), (4, 4), (1, 1)):
            same("correlation_lags", a, b, mode)


MODES = ["constant", "symmetric", "edge", "smooth", "wrap", "reflect", "antisymmetric", "antireflect", "line", "none"]


@pytest.mark.parametrize("mode", MODES)
def test_upfirdn(mode):
    x = array((4, 40), "f8")
    for up, down in ((1, 1), (2, 1), (3, 2), (1, 5), (2, 3)):
        for taps in (1, 4, 13):
            same("upfirdn", array((taps,), "f8"), x, up, down, mode=mode)
            same("upfirdn", array((taps,), "f8"), x[0, :3], up, down, mode=mode, cval=2.0)
            same("upfirdn", array((taps,), "c16"), x, up, down, 0)


def test_bad_rates():
    x = array((9,), "f8")
    for up, down in ((0, 1), (1, 0), (-1, 2)):
        same("upfirdn", np.ones(3), x, up, down)
        same("resample_poly", x, up, down)
    same("upfirdn", np.ones(0), x)
    same("upfirdn", np.ones((2, 2)), x)
    same("resample_poly", x, 1.5, 2)
    same("resample_poly", x, 2, 3, padtype="edge", cval=1)


@pytest.mark.parametrize("padtype", ["constant", "mean", "median", "minimum", "maximum", "line", "wrap", "none"])
def test_resample_poly(padtype):
    x = array((4, 50), "f8")
    for up, down in ((3, 2), (2, 5), (4, 2), (3, 3)):
        same("resample_poly", x, up, down, 1, padtype=padtype)
        same("resample_poly", x, up, down, 0, padtype=padtype)
    same("resample_poly", x, 3, 2, 1, "hann", padtype)
    same("resample_poly", x, 3, 2, 1, np.hanning(11), padtype)
    same("resample_poly", x.astype("f4"), 3, 2, 1, padtype=padtype, tolerance=1e-5)


@pytest.mark.parametrize("length", [1, 2, 3, 40, 41])
def test_resample(length):
    x = array((length, 2), "f8")
    for count in (1, 2, 20, length, 42, 83):
        for values in (x, x + 1j * x[::-1], x.astype("f4")):
            tolerance = 1e-5 if values.dtype == np.float32 else 1e-9
            same("resample", values, count, tolerance=tolerance)
            same("resample", values.T, count, axis=1, window="hann", tolerance=tolerance)
            same("resample", values, count, domain="freq", tolerance=tolerance)
    if length > 1:
        same("resample", x, 7, np.arange(length) * 0.5 + 1)
    same("resample", x, 5, domain="none")
    same("resample", x, 5, window=np.ones(length + 1))


@pytest.mark.parametrize("kind", ["iir", "fir", "none"])
def test_decimate(kind):
    x = array((3, 300), "f8")
    for factor in (2, 5):
        for zero_phase in (True, False):
            for values in (x, (x * 10).astype(int), x * (1 + 1j)):
                same("decimate", values, factor, ftype=kind, zero_phase=zero_phase)
            same("decimate", x.T, factor, 4, kind, 0, zero_phase)
            same("decimate", x.astype("f4"), factor, ftype=kind, zero_phase=zero_phase, tolerance=1e-3)


def test_decimate_by_a_system():
    import scipy.signal

    x = array((300,), "f8")
    b, a = scipy.signal.butter(3, 0.2)
    expected = scipy.signal.decimate(x, 3, ftype=scipy.signal.dlti(b, a))
    found = ours.decimate(cp.asarray(x), 3, ftype=ours.dlti(b, a))
    np.testing.assert_allclose(found.get(), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_changes_of_the_rate_on_devices_with_many_threads(dtype, monkeypatch):
    take_ways(monkeypatch, True, "upsampling")
    tolerance = 1e-4 if dtype == "f4" else 1e-9
    for length, taps, up, down in [(1, 1, 1, 1), (7, 5, 3, 2), (100, 61, 2, 3), (2000, 9, 7, 1), (700, 2, 20, 40)]:
        x, h = array((length,), dtype), array((taps,), dtype)
        same("upfirdn", h, x, up, down, tolerance=tolerance)
    for axis in range(3):
        same("upfirdn", array((9,), dtype), array((3, 50, 4), dtype), 3, 2, axis, tolerance=tolerance)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_large_images_in_bands(mode):
    image, taps = np.random.default_rng(0).random((1201, 1003)), np.random.default_rng(1).random((5, 3))
    found = ours.convolve2d(cp.asarray(image), cp.asarray(taps), mode)
    np.testing.assert_allclose(found.get(), scipy.signal.convolve2d(image, taps, mode), rtol=1e-13)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("where", ["samples", "taps"])
def test_infinities_stay_in_the_sums_that_have_them(bad, where):
    rng = np.random.default_rng(7)
    for shape, taps in (
        ((9,), (3,)),
        ((4,), (7,)),
        ((2, 4), (5, 3)),
        ((5, 4), (7, 2)),
        ((5, 4), (2, 3)),
        ((4, 3), (1, 1)),
    ):
        x, h = rng.normal(size=shape), rng.normal(size=taps)
        (x if where == "samples" else h).flat[1 % min(x.size, h.size)] = bad
        for function in ("convolve", "correlate"):
            for mode in ("full", "same", "valid"):
                if mode == "valid" and not (np.greater_equal(shape, taps).all() or np.less_equal(shape, taps).all()):
                    continue
                found = getattr(cp.scipy.signal, function)(cp.asarray(x), cp.asarray(h), mode, "direct").get()
                theirs = getattr(scipy.signal, function)(x, h, mode, "direct")
                if mode == "same" and where == "taps" and shape == (4,):
                    # SciPy multiplies the tap with zeros beside the samples; a sum over these alone has it once.
                    assert not np.isfinite(theirs).any()
                    theirs = getattr(scipy.signal, function)(x, h, "full", "direct")[3:7]
                np.testing.assert_allclose(found, theirs, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "bad", [complex(np.inf, 0), complex(0, -np.inf), complex(-np.inf, 1.5), complex(np.inf, np.inf)]
)
@pytest.mark.parametrize("both", [True, False])
def test_complex_infinities_have_the_parts_of_their_products(bad, both):
    """Beside the sum of products of NumPy's complex numbers, of which BLAS's vector code makes NaN more often."""
    rng = np.random.default_rng(9)
    for length, taps in ((1, 2), (5, 3), (2, 6)):
        x, h = (rng.normal(size=size) + 1j * rng.normal(size=size) for size in (length, taps))
        h = h if both else h.real
        x[length // 2] = bad
        expected = np.zeros(length + taps - 1, complex)
        with np.errstate(all="ignore"):
            for i, j in np.ndindex(length, taps):
                expected[i + j] += x[i] * h[j]
        found = cp.scipy.signal.convolve(cp.asarray(x), cp.asarray(h), "full", "direct").get()
        for part, wanted in ((found.real, expected.real), (found.imag, expected.imag)):
            if cp.Device().asynchronous:
                # cuBLAS makes NaN of more of them: the product of all full shifts is its.
                wanted = np.where(np.isnan(part) & np.isinf(wanted), np.nan, wanted)
            np.testing.assert_allclose(part, wanted, rtol=1e-12, atol=1e-13)
