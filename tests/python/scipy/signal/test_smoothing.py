"""Rank filters, local statistics and polynomials, splines, waveforms and wavelets beside SciPy's."""

import itertools

import cuproxide as cp
import launches
import numpy as np
import pytest
import scipy.signal
from cuproxide.scipy.signal._splines import smoothing_poles
from helpers import in_layout, to_device
from signals import ours, same
from versions import SCIPY_1_18
from ways import take_ways

RANDOM = np.random.default_rng(6)


@pytest.mark.parametrize("dtype", ["f8", "f4", "u1", "i2", "i8", "u4", "f2", "c8"])
def test_ranks(dtype):
    for shape in ((40,), (13, 17), (3, 4, 5), (2, 3)):
        x = RANDOM.normal(size=shape) * 50
        x = (abs(x) if dtype[0] == "u" else x).astype(dtype)
        for size in (None, 1, 5, 11, 4) if x.ndim < 3 else (3, 5):
            same("medfilt", x, size)
        if len(shape) != 2:
            continue
        for size in (3, [3, 5], 9, 11):
            same("medfilt2d", x, size)
        for rank in (0, 1, 4, 8, -1, 9):
            same("order_filter", x, np.ones((3, 3)), rank)
        same("order_filter", x, np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), 1)
        same("order_filter", x, np.ones((11, 9)), 20)
        same("order_filter", x, np.ones((2, 3)), 1)


def test_ranks_of_layouts_and_signed_zeros():
    values = RANDOM.normal(size=(20, 24))
    for layout in ("F", "strided", "reversed", "broadcast"):
        x = in_layout(values, layout)
        for size in (3, 11):
            np.testing.assert_array_equal(
                ours.medfilt2d(to_device(x), size).get(), scipy.signal.medfilt2d(np.ascontiguousarray(x), size)
            )
    x = np.where(RANDOM.random(300) < 0.5, -0.0, np.inf) * RANDOM.choice([-1, 1], 300)
    x = np.nan_to_num(x, nan=0.0)
    same("medfilt", x, 101)


def test_one_kernel_for_neighbourhoods(monkeypatch):
    """What devices that run ahead do."""
    take_ways(monkeypatch, True)
    for dtype in ("f4", "u1", "i8"):
        x = (abs(RANDOM.normal(size=(13, 17))) * 50).astype(dtype)
        for size in (1, 3, 5, [3, 7]):
            same("medfilt2d", x, size)
        for rank in (0, 2, 7):
            same("order_filter", x, np.ones((3, 3)), rank)
        same("convolve2d", x, np.ones((9, 11), dtype), "same", tolerance=1e-5)
    x = RANDOM.normal(size=(3, 50))
    same("resample_poly", x, 3, 2, 1)
    same("upfirdn", np.ones(13), x, 2, 3)
    same("medfilt", x[0], 5)
    same("medfilt", RANDOM.normal(size=(4, 5, 6)), 3)


def test_wiener():
    for dtype in ("f8", "i2"):
        x = (RANDOM.normal(size=(13, 17)) * 50).astype(dtype)
        same("wiener", x)
        same("wiener", x, 5)
        same("wiener", x, (3, 5), 0.5)
        # Even sizes reach further back; long ones reach over both edges.
        same("wiener", x, (4, 2))
        same("wiener", x, (40, 31), 20.0)
    same("wiener", x[0], 4)
    same("wiener", RANDOM.normal(size=(4, 5, 6)), 3)
    same("wiener", (RANDOM.normal(size=(13, 17)) * 5).astype("f4"), 5, tolerance=1e-5)
    for size in (0, (3,), (3, 3, 3), (0, 3), -1):
        with pytest.raises(ValueError):
            cp.scipy.signal.wiener(cp.asarray(x), size)


def test_wiener_launches_as_much_for_any_size():
    x = cp.ones((20, 20))
    counts = {size: launches.launches(lambda size=size: cp.scipy.signal.wiener(x, size)) for size in (3, 5, 15)}
    assert len(set(counts.values())) == 1


@pytest.mark.parametrize("length, order", [(5, 2), (7, 3), (6, 3), (4, 1), (1, 0), (11, 5), (25, 4), (5, 5), (31, 2)])
@pytest.mark.parametrize("one_kernel", [False, True])
def test_savgol(length, order, one_kernel, monkeypatch):
    take_ways(monkeypatch, one_kernel, "smoothing as a convolution")
    x = RANDOM.normal(size=(30, 25))
    for derivative in (0, 1, 2, 6):
        for mode in ("interp", "mirror", "constant", "nearest", "wrap", "none"):
            same("savgol_filter", x, length, order, derivative, 0.5, mode=mode, cval=2.0, tolerance=1e-7)
            same("savgol_filter", x, length, order, derivative, axis=0, mode=mode, tolerance=1e-7)
        same("savgol_coeffs", length, order, derivative)
        same("savgol_coeffs", length, order, derivative, pos=1, use="dot")
        same("savgol_coeffs", length, order, derivative, pos=99)
        same("savgol_coeffs", length, order, use="none")
    if order < 5:
        same("savgol_filter", x.astype("f4"), length, order, tolerance=1e-4)
        same("savgol_filter", (x * 9).astype(int), length, order, tolerance=1e-7)


def test_splines():
    points = np.linspace(-15, 90, 77)
    # SciPy's sums at the ends stop with the signal, which has to be long.
    for length in (60, 200):
        x = RANDOM.normal(size=length)
        same("cspline1d", x)
        same("qspline1d", x)
        same("qspline1d", x, 1.0)
        c = scipy.signal.cspline1d(x)
        same("cspline1d_eval", c, points)
        same("cspline1d_eval", c * 1j, points, 0.5, 2.0)
        same("qspline1d_eval", c, points)
    same("cspline1d_eval", np.zeros(0), points)
    same("gauss_spline", points, 3)


def mirrored(x, radius, omega):
    """The symmetric filter of second order along the last axis, with five mirror images on each side."""
    a = [1, -2 * radius * np.cos(omega), radius**2]
    longer = np.concatenate([x[..., ::-1], x] * 5 + [x[..., ::-1]], axis=-1)
    y = scipy.signal.lfilter([sum(a)], a, longer)
    y = scipy.signal.lfilter([sum(a)], a, y[..., ::-1])[..., ::-1]
    n = x.shape[-1]
    return y[..., 5 * n : 6 * n]


def test_smoothing_splines():
    """Beside mirror images: SciPy's sums at the ends stop early, or leave terms out."""
    radius, omega = smoothing_poles(5.0)
    x = RANDOM.normal(size=200)
    np.testing.assert_allclose(ours.cspline1d(cp.asarray(x), 5.0).get(), mirrored(x, radius, omega), atol=1e-12)
    image = RANDOM.normal(size=(60, 70))
    expected = mirrored(mirrored(image, radius, omega).T, radius, omega).T
    np.testing.assert_allclose(ours.cspline2d(cp.asarray(image), 5.0).get(), expected, atol=1e-12)
    found = ours.spline_filter(cp.asarray(image)).get()
    np.testing.assert_allclose(found[25:-25, 25:-25], scipy.signal.spline_filter(image)[25:-25, 25:-25], atol=1e-5)
    same("cspline2d", image, tolerance=1e-5)
    same("qspline2d", image, tolerance=1e-5)
    same("qspline2d", image, 1.0)
    same("cspline2d", image[:3])
    same("spline_filter", (image * 5).astype(int))


T = np.linspace(-3, 9, 101)


@pytest.mark.parametrize("method", ["linear", "quadratic", "logarithmic", "hyperbolic", "none"])
def test_chirp(method):
    for options in ({}, {"vertex_zero": False}, {"phi": 30}, {"complex": True}):
        for first, last in ((2.0, 7.0), (2.0, 2.0), (0.0, -2.0), (7.0, 2.0)):
            same("chirp", T, first, 5.0, last, method, **options)
        same("chirp", np.arange(5), 2.0, 5.0, 7.0, method, **options)
        same("chirp", T.astype("f4"), 2.0, 5.0, 7.0, method, tolerance=1e-4, **options)


def test_waveforms():
    same("sweep_poly", T, np.array([0.1, 2.0, 0.3]), 20)
    same("sweep_poly", T, np.poly1d([0.1, 2.0, 0.3]))
    for name in ("sawtooth", "square"):
        same(name, T)
        same(name, T, 0.3)
        same(name, T, 0)
        same(name, T, np.linspace(-0.5, 1.5, 101))
        same(name, np.arange(20), 0.5)
        if SCIPY_1_18:
            # Older ones make float64 of it.
            same(name, T.astype("f4"), 0.4, tolerance=1e-6)
    for options in ({}, {"retquad": True}, {"retenv": True}, {"retquad": True, "retenv": True}, {"bw": 0.1, "bwr": -3},
                    {"bw": -1}, {"fc": -1}, {"bwr": 1}):  # fmt: skip
        same("gausspulse", T, **{"fc": 5.0, **options})
    same("gausspulse", "cutoff", 5.0)
    same("gausspulse", "none")
    same("gausspulse", "cutoff", tpr=1)
    for args in ((5,), (5, 2), (5, "mid"), ((3, 4),), ((3, 4), (1, 2)), ((3, 4), 1), ((3, 4), "mid"), (5, 7)):
        same("unit_impulse", *args)
    same("unit_impulse", 5, 2, int)


@pytest.mark.parametrize("bits", [2, 3, 5, 8, 13, 16, 1, 33])
def test_longest_sequences(bits):
    for length in (None, 3, 0, 1000, -1):
        same("max_len_seq", bits, length=length)


def test_sequences_of_other_registers():
    same("max_len_seq", 5, np.array([0, 1, 0, 1, 1]))
    same("max_len_seq", 5, taps=[2, 4])
    same("max_len_seq", 5, taps=[0, 5, 3])
    same("max_len_seq", 4, np.zeros(4))
    same("max_len_seq", 4, np.ones(3))
    same("max_len_seq", 4, taps=[7])
    # A long one of a register whose period is longer.
    same("max_len_seq", 31, length=5000)


def test_wavelets():
    """By their definitions, since SciPy has them no more."""
    x = np.linspace(-2 * np.pi, 2 * np.pi, 50)
    wave = (np.exp(5j * x) - np.exp(-12.5)) * np.exp(-0.5 * x**2) * np.pi**-0.25
    np.testing.assert_allclose(ours.morlet(50).get(), wave, atol=1e-15)
    x = (np.arange(51) - 25) / 3.0
    np.testing.assert_allclose(
        ours.morlet2(51, 3.0, 2).get(), np.exp(2j * x - x**2 / 2) * np.pi**-0.25 / 3**0.5, atol=1e-15
    )
    np.testing.assert_allclose(
        ours.ricker(51, 3.0).get(), 2 / (9**0.5 * np.pi**0.25) * (1 - x**2) * np.exp(-(x**2) / 2), atol=1e-15
    )
    np.testing.assert_array_equal(ours.qmf(cp.asarray([1.0, 2, 3, 4])).get(), [4, -3, 2, -1])
    data = RANDOM.normal(size=300)
    rows = ours.cwt(cp.asarray(data), ours.ricker, [2, 5]).get()
    for row, width in zip(rows, (2, 5), strict=True):
        expected = scipy.signal.convolve(data, ours.ricker(10 * width, width).get()[::-1], "same")
        np.testing.assert_allclose(row, expected, atol=1e-12)
    assert ours.cwt(cp.asarray(data), ours.morlet2, [2.0]).dtype == np.complex128


def test_names_are_those_of_scipy():
    missing = set(scipy.signal.__all__) - set(ours.__all__) - {"whittaker_henderson"}
    assert not missing
    for name, members in itertools.chain(
        ((name, dir(getattr(scipy.signal, name))) for name in ("lti", "dlti", "StateSpace", "CZT", "ZoomFFT")),
    ):
        assert not {member for member in members if member[0] != "_"} - set(dir(getattr(ours, name))), name


@pytest.mark.parametrize("evaluate", ["cspline1d_eval", "qspline1d_eval"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_a_spline_at_nan_is_nan(evaluate, dtype):
    coefficients, points = RANDOM.normal(size=6).astype(dtype), [1.25, np.nan, 4.5]
    found = getattr(cp.scipy.signal, evaluate)(cp.asarray(coefficients), cp.asarray(points))
    assert found.dtype == dtype
    np.testing.assert_array_equal(np.isnan(cp.asnumpy(found)), [False, True, False])
