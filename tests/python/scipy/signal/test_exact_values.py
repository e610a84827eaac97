"""Designs, conversions and transforms beside values that are right to the last digit, or follow by arithmetic."""

import functools
import warnings

import cuproxide as cp
import cuproxide.scipy.signal as ours
import mpmath
import numpy as np
import pytest
import scipy.signal as theirs


def bessel_reference(order, norm, poles):
    """The poles next to approximate ones and the gain, from the polynomial with 90 digits."""
    with mpmath.workdps(90 + order):
        c = [
            mpmath.factorial(2 * order - i)
            / (mpmath.mpf(2) ** (order - i) * mpmath.factorial(i) * mpmath.factorial(order - i))
            for i in range(order, -1, -1)
        ]
        if norm == "phase":
            scale = c[-1] ** (mpmath.mpf(-1) / order)
        elif norm == "delay":
            scale = mpmath.mpf(1)
        else:
            power = lambda s: functools.reduce(lambda total, factor: total * s + factor, c)  # noqa: E731
            start = mpmath.sqrt((2 * order - 1) * mpmath.log(2)) if order > 1 else 1
            loss = lambda w: mpmath.log(abs(power(1j * w)) ** 2 / (2 * c[-1] ** 2))  # noqa: E731
            scale = 1 / mpmath.findroot(loss, start)
        found = []
        for pole in poles:
            s = mpmath.mpc(pole) / scale
            for _ in range(3):
                value, slope = mpmath.mpc(0), mpmath.mpc(0)
                for factor in c:
                    value, slope = value * s + factor, slope * s + value
                s -= value / slope
            found.append(s * scale)
        separate = min((abs(a - b) for i, a in enumerate(found) for b in found[:i]), default=1)
        assert separate > 0.01 * abs(found[0]) / order
        return [complex(s) for s in found], float(1 if norm == "phase" else c[-1] * scale**order)


@pytest.mark.parametrize("norm", ["phase", "delay", "mag"])
@pytest.mark.parametrize("order", [1, 2, 3, 8, 25, 34, 51, 60])
def test_bessel_prototypes_are_right_to_the_last_digit(order, norm):
    z, p, k = ours.besselap(order, norm)
    poles, gain = bessel_reference(order, norm, p.get().tolist())
    poles = np.array([complex(s.real, 0.0 if abs(s.imag) < 1e-30 else s.imag) for s in poles])
    assert z.size == 0 and p.size == order
    np.testing.assert_array_max_ulp(p.get().real, poles.real, 1)
    np.testing.assert_array_max_ulp(p.get().imag, poles.imag, 1)
    assert k == gain


def test_bessel_order_of_poles_and_gains_that_overflow():
    for order in (2, 3, 7):
        np.testing.assert_allclose(ours.besselap(order)[1].get(), theirs.besselap(order)[1], rtol=1e-12, atol=1e-13)
    assert ours.besselap(0)[1].dtype == np.complex128
    with pytest.raises(OverflowError, match="N=151"):
        ours.besselap(151, "delay")
    assert 1e133 < ours.besselap(151, "mag")[2] < 1e134


@pytest.mark.parametrize("pass_zero", [None, 0, 1, "yes"])
@pytest.mark.parametrize("kind", ["notch", "peak"])
def test_combs_take_any_truth_value(kind, pass_zero):
    found = ours.iircomb(0.25, 5.0, kind, pass_zero=pass_zero)
    for one, other in zip(found, theirs.iircomb(0.25, 5.0, kind, pass_zero=bool(pass_zero)), strict=True):
        np.testing.assert_allclose(one.get(), other, rtol=1e-12, atol=1e-15)


def test_states_of_sections_that_do_not_begin_with_one():
    np.testing.assert_allclose(ours.sosfilt_zi([[2.0, 1, 0, 4, 1, 0]]).get(), [[0.1, 0]], rtol=1e-14)
    with pytest.raises(ValueError, match="ones"):
        ours.sosfilt([[2.0, 1, 0, 4, 1, 0]], cp.ones(3))


@pytest.mark.parametrize("start", [1.0, cp.asarray(1.0), [1], [1.0, 1.0]])
def test_states_at_the_start_may_be_one_number(start):
    system = ([1.0, 2], [1.0, -0.3, 0.2], 0.5)
    expected = theirs.dlsim(system, np.ones(5), x0=[1.0, 1.0])[1]
    np.testing.assert_allclose(ours.dlsim(system, cp.ones(5), x0=start)[1].get(), expected, rtol=1e-13)
    expected = theirs.lsim(system[:2], np.ones(5), np.arange(5) * 0.5, [1.0, 1.0])[1]
    found = ours.lsim(system[:2], cp.ones(5), cp.arange(5) * 0.5, start)[1]
    np.testing.assert_allclose(found.get(), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="2 elements"):
        ours.dlsim(system, cp.ones(5), x0=[1.0, 2, 3])


def test_expansions_without_poles():
    for b, a in (([1.28], [1, 0, 0]), ([2.0], [2.0]), ([1.0, 2, 3], [1.0])):
        r, p, k = ours.residuez(b, a)
        assert r.size == p.size == 0 and r.dtype == np.float64
        np.testing.assert_allclose(k.get(), np.array(b) / a[0])
    np.testing.assert_allclose(ours.residue([1.0, 2, 3], [1.0])[2].get(), [1, 2, 3])
    b, a = ours.invresz([1, 2], [1], [])
    assert b.dtype == np.int64 and a.tolist() == [1, -1]
    with pytest.raises(ValueError, match="finite"):
        ours.unique_roots([np.nan, 1.0])


@pytest.mark.parametrize("n, m, w, a", [(20, 30, 0.9, 0.9j), (20, None, 1.1, 1.0), (40, 5, 0.9 + 0.1j, 1.2)])
def test_transforms_off_the_circle(n, m, w, a):
    x = np.random.default_rng(1).normal(size=n)
    found = ours.czt(cp.asarray(x), m, cp.asarray(w), cp.asarray(a)).get()
    with mpmath.workdps(60):
        z = [mpmath.mpc(a) * mpmath.mpc(w) ** -k for k in range(m or n)]
        expected = np.array([complex(sum(mpmath.mpf(v) * s**-i for i, v in enumerate(x))) for s in z])
        size = np.array([float(sum(abs(v) * abs(s) ** -i for i, v in enumerate(x))) for s in z])
    assert (abs(found - expected) <= 1e-13 * size).all()


def test_zoom_takes_frequencies_of_the_device():
    x = cp.arange(12.0)
    one = ours.zoom_fft(x, [cp.asarray(0.1), cp.asarray(0.5)], 5, fs=cp.asarray(4.0))
    np.testing.assert_allclose(one.get(), theirs.zoom_fft(x.get(), [0.1, 0.5], 5, fs=4.0), rtol=1e-11)


def test_decimation_by_a_complex_filter():
    x, system = np.random.default_rng(2).normal(size=40), ([0.2j], [0.5j], 1.0)
    for zero_phase in (True, False):
        expected = theirs.decimate(x, 3, ftype=theirs.dlti(*system), zero_phase=zero_phase)
        found = ours.decimate(cp.asarray(x), 3, ftype=ours.dlti(*system), zero_phase=zero_phase)
        np.testing.assert_allclose(found.get(), expected, rtol=1e-10, atol=1e-12)


def test_windows_by_name_and_length():
    expected = theirs.get_window(("kaiser_bessel_derived", 3.0), 8, False)
    np.testing.assert_allclose(ours.get_window(("kaiser_bessel_derived", 3.0), 8, False).get(), expected, rtol=1e-12)
    assert ours.windows.dpss(1, 0.4, 1).shape == (1,)
    for length in (0, 3.0, -2):
        with pytest.raises(ValueError, match="positive integer"):
            ours.get_window("hann", length)
    with pytest.raises(ValueError, match="does not allow parameters"):
        ours.get_window(("hann", 3), 4)


def test_lombscargle_by_position():
    t = np.linspace(0, 5, 20)
    with pytest.warns(DeprecationWarning, match="precenter, normalize"):
        found = ours.lombscargle(cp.asarray(t), cp.asarray(np.sin(t)), cp.asarray([1.0, 2.0]), False, True)
    expected = theirs.lombscargle(t, np.sin(t), np.array([1.0, 2.0]), normalize=True)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-10)


@pytest.mark.parametrize("lamb", [0.0075, 0.01, 0.03, 1 / 24, 0.05, 1.0])
def test_smoothing_splines_minimise_their_functional(lamb):
    """Far from the ends the coefficients solve the equations of a smoothing spline (Unser, Aldroubi and Eden 1993)."""
    x = np.random.default_rng(5).normal(size=64)
    c = ours.cspline1d(cp.asarray(x), lamb).get()
    taps = lamb * np.array([1.0, -4, 6, -4, 1]) + np.array([0, 1, 4, 1, 0]) / 6
    np.testing.assert_allclose(np.convolve(c, taps, "valid")[20:40], x[22:42], rtol=0, atol=1e-9 * abs(c).max())
    assert ours.cspline1d(cp.asarray([1.5])).tolist() == [1.5]


@pytest.mark.parametrize("length", [2, 3, 5, 9, 41])
@pytest.mark.parametrize("lamb", [0.0, 0.1, 5.0, 1e4])
def test_splines_of_short_signals_are_mirrored_again_and_again(length, lamb):
    """Beside the mirrored signal as one period, whose equations a Fourier transform solves."""
    x = np.random.default_rng(0).normal(size=length)
    period = np.concatenate([x, x[::-1]])
    u = 2 * np.cos(2 * np.pi * np.fft.fftfreq(period.size))

    def solved(response):
        return np.fft.ifft(np.fft.fft(period) / response).real[:length]

    expected = solved(lamb * (u - 2) ** 2 + (u + 4) / 6)
    np.testing.assert_allclose(ours.cspline1d(cp.asarray(x), lamb).get(), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours.qspline1d(cp.asarray(x)).get(), solved((u + 6) / 8), rtol=0, atol=1e-12)


def test_smoothing_that_needs_too_many_points_is_refused():
    with pytest.raises(ValueError, match="mirrored points"):
        ours.cspline1d(cp.ones(8), 1e24)


def test_fill_values_have_the_type_of_the_result():
    image, taps = np.arange(6, dtype=np.uint8).reshape(2, 3), np.ones((2, 2)) * 0.5
    expected = theirs.convolve2d(image, taps, fillvalue=1.5)
    np.testing.assert_allclose(ours.convolve2d(cp.asarray(image), cp.asarray(taps), fillvalue=1.5).get(), expected)


def test_dtypes_of_filters_and_conversions():
    image = cp.ones((4, 5), np.float32)
    assert ours.sepfir2d(image, [1, 2, 1], [1, 2, 1]).dtype == np.float32
    assert ours.sepfir2d(cp.ones((4, 5), np.int64), [1, 2, 1], [1]).dtype == np.float64
    # SciPy multiplies in the type of the roots, where these wrap around.
    assert ours.zpk2tf([-1], np.array([2, 3], np.uint8), 3)[1].tolist() == [1, -5, 6]
    narrow = np.array([1, 2], np.float32)
    assert ours.lp2hp(narrow, narrow)[0].dtype == np.float32
    assert ours.tf2zpk([1j, 2], [1.0, 3])[1].dtype == np.complex128
    assert ours.symiirorder1(cp.arange(30.0), 0.5, 0.3j).dtype == np.complex128


def test_refusals_and_warnings():
    with pytest.warns(ours.BadCoefficients):
        ours.normalize([0.0], [1.0, 2.0])
    with pytest.warns(RuntimeWarning, match="Order is zero"):
        ours.buttord(0.3, 0.2, 3, 3)
    for call in (
        lambda: ours.bilinear([[1.0, 2]], [1.0, 2]),
        lambda: ours.bilinear([1.0], [1.0, 2], fs=None),
        lambda: ours.firwin(5, 0.3, pass_zero=None),
        lambda: ours.deconvolve(cp.zeros(0), [1.0]),
        lambda: ours.windows.dpss(1, 0.4, norm="x"),
    ):
        with pytest.raises(ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()


@pytest.mark.parametrize("name", ["lp2bp", "lp2lp"])
def test_leading_zeros_of_a_numerator_give_a_warning(name):
    b, a = np.array([0, 1, -4]), np.array([6, -2, -2, 2])
    with pytest.warns(theirs.BadCoefficients):
        expected = getattr(theirs, name)(b, a, 0.5)
    with pytest.warns(ours.BadCoefficients):
        found = getattr(ours, name)(b, a, 0.5)
    for left, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(cp.asnumpy(left), right, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("mode", ["full", "same"])
@pytest.mark.parametrize("boundary", ["fill", "wrap"])
def test_images_without_elements_are_surrounded_by_the_fill_value(name, mode, boundary):
    image, taps = np.zeros((3, 0)), np.arange(6.0).reshape(2, 3)
    found = getattr(ours, name)(cp.asarray(image), cp.asarray(taps), mode, boundary, 1.5).get()
    if boundary == "fill":
        np.testing.assert_array_equal(found, getattr(theirs, name)(image, taps, mode, boundary, 1.5))
    else:
        assert found.shape[0] == (4 if mode == "full" else 3)


def test_the_gain_of_a_filter_in_single_precision():
    b, a = np.array([2, 1], np.float32), np.array([1, 0.5], np.float32)
    assert ours.tf2zpk(b, a)[2].dtype == theirs.tf2zpk(b, a)[2].dtype == np.float32
    assert type(ours.tf2zpk(b.astype(float), a)[2]) is float


@pytest.mark.parametrize("name", ["welch", "periodogram", "csd", "coherence", "spectrogram", "stft"])
@pytest.mark.parametrize("fs", [0, -1, np.nan])
def test_sampling_frequencies_are_positive(name, fs):
    x = cp.arange(256.0)
    with pytest.raises(ValueError, match=f"Sampling frequency fs={fs} must be positive!"):
        getattr(ours, name)(*([x, x] if name in ("csd", "coherence") else [x]), fs=fs)


@pytest.mark.parametrize("ripples", [(3.0, 2.0), (1.0, np.nan), (np.nan, 40.0)])
def test_ripples_above_the_attenuation_are_refused(ripples):
    with pytest.raises(ValueError, match="rp must be less than the attenuation rs"):
        ours.ellip(3, *ripples, 0.5)
