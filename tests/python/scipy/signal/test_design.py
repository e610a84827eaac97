"""The design of filters, conversions and responses beside SciPy's."""

import itertools
import math

import cuproxide as cp
import effort
import numpy as np
import pytest
import scipy.signal
from signals import on_host, ours, same

RANDOM = np.random.default_rng(3)
BANDS = [("low", 0.3), ("high", 0.3), ("band", [0.2, 0.4]), ("bandstop", [0.2, 0.5])]
KINDS = {"butter": (), "cheby1": (1,), "cheby2": (40,), "ellip": (1, 40), "bessel": ()}
CASES = list(itertools.product(KINDS, BANDS, ("ba", "sos"), (False, True), (1, 2, 3, 5, 8)))


@pytest.mark.parametrize("kind, band, output, analog, order", effort.sample(CASES, 120))
def test_filters(kind, band, output, analog, order):
    btype, edges = band
    tolerance = 1e-5 if order > 5 else 1e-8
    same(kind, order, *KINDS[kind], edges, btype, analog, output, tolerance=tolerance)


@pytest.mark.parametrize("kind", KINDS)
def test_zeros_and_poles(kind):
    for btype, edges in BANDS:
        expected = getattr(scipy.signal, kind)(4, *KINDS[kind], edges, btype, output="zpk")
        found = getattr(ours, kind)(4, *KINDS[kind], edges, btype, output="zpk")
        for one, other in zip(found, expected, strict=True):
            one, other = (np.sort_complex(np.round(np.atleast_1d(on_host(part)), 6)) for part in (one, other))
            np.testing.assert_allclose(one, other, atol=2e-6)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4, 7])
def test_prototypes(order):
    for name, args in (("buttap", ()), ("cheb1ap", (0.5,)), ("cheb2ap", (40,)), ("ellipap", (0.5, 60))):
        expected = getattr(scipy.signal, name)(order, *args)
        for one, other in zip(getattr(ours, name)(order, *args), expected, strict=True):
            np.testing.assert_allclose(np.atleast_1d(on_host(one)), np.atleast_1d(other), 1e-9, 1e-12)
    for norm in ("phase", "delay", "mag", "none"):
        if norm == "none":
            if order:
                same("besselap", order, norm)
            continue
        expected = np.sort_complex(scipy.signal.besselap(order, norm)[1])
        np.testing.assert_allclose(np.sort_complex(on_host(ours.besselap(order, norm)[1])), expected, 1e-9)


def test_bessel_poles_of_high_orders():
    """The step that Newton's method would still take with 60 digits; SciPy's poles are right to 8 digits or so."""
    import mpmath

    order = 25
    c = [math.factorial(2 * order - i) // (2 ** (order - i) * math.factorial(i) * math.factorial(order - i))
         for i in range(order, -1, -1)]  # fmt: skip
    poles = on_host(ours.besselap(order, "delay")[1])
    assert len(set(poles)) == order
    with mpmath.workdps(60):
        for pole in poles:
            value, slope = mpmath.polyval(c, mpmath.mpc(pole), derivative=True)
            assert abs(value / slope) < 4e-15 * abs(pole)


EDGES = [(0.2, 0.3), (0.3, 0.2), ([0.2, 0.5], [0.1, 0.6]), ([0.1, 0.6], [0.2, 0.5]), ([0.1, 0.3], [0.2, 0.5])]


@pytest.mark.parametrize("wp, ws", EDGES)
def test_orders(wp, ws):
    for name in ("buttord", "cheb1ord", "cheb2ord", "ellipord"):
        for analog in (False, True):
            same(name, wp, ws, 1, 40, analog, tolerance=1e-6)
            same(name, wp, ws, 3, 60, analog, tolerance=1e-6)
    for kind in ("butter", "cheby1", "cheby2", "ellip", "bessel", "none"):
        same("iirdesign", wp, ws, 1, 40, ftype=kind, output="sos", tolerance=1e-4)


def test_orders_and_bad_specifications():
    same("buttord", 20, 30, 1, 40, fs=100)
    same("iirdesign", 20, 30, 1, 40, fs=100, tolerance=1e-6)
    for gains in ((-1, 40), (1, -1), (40, 1)):
        same("cheb1ord", 0.2, 0.3, *gains)
        same("iirdesign", 0.2, 0.3, *gains)
    for kind in ("butter", "cheby", "ellip", "none"):
        same("band_stop_obj", 0.2, 0, np.array([0.1, 1.0]), np.array([0.4, 0.6]), 1.0, 40.0, kind)


@pytest.mark.parametrize("options", [
    {"btype": "none"}, {"ftype": "none"}, {"output": "none"}, {"ftype": "cheby1"}, {"ftype": "cheby2"},
    {"btype": "low"},
    {"analog": True, "fs": 3}, {"ftype": "ellip", "rp": 1}, {"ftype": "cheby1", "rp": -1},
])  # fmt: skip
def test_bad_filters(options):
    same("iirfilter", 3, [0.2, 0.4], **options)


@pytest.mark.parametrize("args", [(3, [0.4, 0.2], "band"), (3, 1.2), (3, 0.2, "band"), (2.5, 0.2), (3, -0.2), (3, 0)])
def test_bad_frequencies(args):
    same("butter", *args)


def test_notches_combs_and_gammatones():
    for name in ("iirnotch", "iirpeak"):
        same(name, 0.3, 20)
        same(name, 60, 20, fs=400)
        same(name, 3, 2)
    for kind, zero in itertools.product(("notch", "peak", "none"), (True, False)):
        same("iircomb", 50, 20, kind, fs=400, pass_zero=zero)
    same("iircomb", 70, 20, fs=400)
    same("iircomb", 300, 20, fs=400)
    for kind in ("fir", "iir", "none"):
        same("gammatone", 440, kind, fs=16000)
        same("gammatone", 440, kind, 3, 40, fs=16000)
        same("gammatone", -1, kind, fs=16000)


@pytest.mark.parametrize("taps", [2, 3, 10, 11, 64])
def test_fir(taps):
    for cutoff in (0.3, [0.2, 0.5], [0.1, 0.2, 0.6], 1.2, [0.5, 0.2]):
        for zero in (True, False, "lowpass", "highpass", "bandpass", "bandstop", "none"):
            same("firwin", taps, cutoff, pass_zero=zero)
        same("firwin", taps, cutoff, width=0.1, fs=2.5, scale=False)
    for antisymmetric in (True, False):
        same("firwin2", taps, [0, 0.3, 0.5, 1], [0, 1, 1, 0], antisymmetric=antisymmetric)
        same("firwin2", taps, [0, 0.3, 0.3, 1], [1, 1, 0, 0], antisymmetric=antisymmetric)
        same("firwin2", taps, [0, 0.3, 0.5, 1], [1, 1, 0, 2], antisymmetric=antisymmetric, window=None)
    same("firls", taps, [0, 0.2, 0.3, 1], [1, 1, 0, 0])
    same("firls", taps, [0, 0.2, 0.3, 0.6, 0.7, 1], [1, 0.5, 0, 0, 1, 2], weight=[1, 2, 3])
    same("firls", taps, [0, 0.2, 0.3], [1, 1, 0, 0])


def test_fir_of_images_and_kaiser():
    same("firwin_2d", (5, 7), ("hamming", "hann"), fc=0.4)
    same("firwin_2d", (5, 7), "hamming", fc=0.4, circular=True)
    same("firwin_2d", (5, 7), "hamming", circular=True)
    same("kaiserord", 60, 0.1)
    same("kaiserord", 5, 0.1)
    for attenuation in (10, 30, 60):
        same("kaiser_beta", attenuation)
    same("kaiser_atten", 20, 0.1)


@pytest.mark.parametrize("taps", [20, 21, 33, 56])
def test_remez(taps):
    for bands, desired, options in (
        ([0, 0.1, 0.2, 0.5], [1, 0], {}),
        ([0, 0.1, 0.2, 0.3, 0.35, 0.5], [0, 1, 0], {"weight": [2, 1, 3]}),
        ([0.05, 0.45], [1], {"type": "hilbert"}),
        ([0, 0.3, 0.4, 0.5], [1, 0], {"type": "differentiator"}),
    ):
        same("remez", taps, bands, desired, tolerance=3e-4, **options)
    same("remez", taps, [0, 0.1, 0.2, 0.6], [1, 0])
    same("remez", taps, [0, 0.1, 0.2], [1, 0])
    same("remez", taps, [0, 0.1, 0.2, 0.5], [1, 0], type="none")


def test_minimum_phase():
    for taps in (
        scipy.signal.firwin(21, 0.3),
        scipy.signal.firwin(20, 0.3),
        scipy.signal.remez(31, [0, 0.2, 0.3, 0.5], [1, 0]),
    ):
        for options in ({}, {"half": False}, {"n_fft": 1001}, {"n_fft": 999, "half": False}, {"n_fft": 3}):
            # The transform is nearly zero somewhere, and its rounding shows there.
            same("minimum_phase", taps, tolerance=1e-4, **options)
        same("minimum_phase", taps, "hilbert", tolerance=1e-3)
    same("minimum_phase", np.ones(2))
    same("minimum_phase", np.ones(3) * 1j)


SYSTEMS = [scipy.signal.butter(5, 0.3), scipy.signal.butter(5, 2.0, analog=True), ([0, 0, 1, 2], [0, 2, 1])]


@pytest.mark.parametrize("b, a", SYSTEMS)
def test_conversions(b, a):
    for name in ("tf2zpk", "tf2sos", "normalize", "bilinear", "tf2ss"):
        same(name, b, a, tolerance=1e-6)
    for name in ("lp2lp", "lp2hp", "lp2bp", "lp2bs"):
        same(name, b, a)
        same(name, b, a, 2.0)
    same("lp2bp", b, a, 2.0, 0.5)
    same("lp2bs", b, a, 2.0, 0.5)
    same("bilinear", b, a, fs=3.0)


def test_sections_and_zeros():
    z, p, k = scipy.signal.butter(5, 0.3, output="zpk")
    for pairing in ("nearest", "keep_odd", "minimal", "none", None):
        same("zpk2sos", z, p, k, pairing)
        same("zpk2sos", z, p, k, pairing, analog=True)
    for args in (([], [], 2.0), ([1j], [0.5], 1.0), ([1.0], [0.5, 0.2, 0.3], 1.0), ([1.0, 2.0, 3.0], [0.5], 1.0)):
        for name in ("zpk2tf", "zpk2sos"):
            same(name, *args)
    same("zpk2tf", np.array([[1.0, 2], [3, 4]]), [0.5, 0.3], np.array([1.0, 2]))
    sos = scipy.signal.ellip(7, 1, 40, 0.3, output="sos")
    same("sos2tf", sos)
    same("sos2zpk", sos)
    for name in ("lp2lp_zpk", "lp2hp_zpk", "lp2bp_zpk", "lp2bs_zpk", "bilinear_zpk"):
        same(name, [-3.0], [-1.0, -2 + 1j, -2 - 1j], 2.0, 3.0)
        same(name, [-3.0, 1, 2, 3], [-1.0], 2.0, 3.0)


def test_results_lie_on_the_device():
    assert all(isinstance(part, cp.ndarray) for part in ours.butter(3, 0.2))
    z, p, k = ours.tf2zpk(cp.asarray([1.0, 2.0]), cp.asarray([1.0, 3.0]))
    assert isinstance(z, cp.ndarray) and isinstance(p, cp.ndarray) and isinstance(k, float)


POINTS = (512, 5, 0, 1, None, np.linspace(0, 3, 7), -1, np.arange(3), [0.1, 0.2], 2.5)


@pytest.mark.parametrize("number", range(len(POINTS)))
def test_responses(number):
    points = POINTS[number]
    b, a = scipy.signal.butter(4, 0.3)
    z, p, k = scipy.signal.butter(4, 0.3, output="zpk")
    sos = scipy.signal.butter(4, 0.3, output="sos")
    for whole, fs in itertools.product((True, False), (2 * np.pi, 10.0)):
        same("freqz", b, a, points, whole, fs=fs)
        same("freqz", b, 1, points, whole, fs=fs, include_nyquist=True)
        same("freqz_zpk", z, p, k, points, whole, fs=fs)
        same("freqz_sos", sos, points, whole, fs=fs)
        same("sosfreqz", sos, points, whole, fs=fs)
        # Near Nyquist's frequency both lose digits.
        same("group_delay", (b, a), points, whole, fs=fs, tolerance=1e-6)
    b, a = scipy.signal.butter(3, 2.0, analog=True)
    same("freqs", b, a, points)
    same("freqs_zpk", *scipy.signal.butter(3, 2.0, analog=True, output="zpk"), points)


def test_other_responses():
    same("freqz", RANDOM.normal(size=(3, 1, 1)), 1, 8)
    same("freqz", RANDOM.normal(size=(3, 8)), np.array([1.0, 2]), 8)
    same("findfreqs", np.array([1.0, 2]), np.array([1.0, 8, 25]), 20)
    with pytest.warns(UserWarning, match="singular"):
        ours.group_delay(([1.0, -1.0], [1.0]), [0.0])


CASES = [
    ([1], [1, 3, 2]), ([1, 2, 3], [1, 3, 2]), ([5, 3, -2, 7], [-4, 0, 8, 3]), ([1, 0, 0, 0], [1, 3, 2]),
    ([1], np.poly([1, 1, 2])), ([1, 2], np.poly([1, 1, 1, -2.0])), ([0], [1, 2]), ([1], [0]), ([1], [0, 1, 2]),
    ([-3, 2, 1], np.poly([0.5, 0.5, 0.3])), ([1j], [1, 3, 2]), ([1, 2, 3, 4], [1, 2]),
]  # fmt: skip


@pytest.mark.parametrize("b, a", CASES)
def test_residues(b, a):
    for name in ("residue", "residuez"):
        same(name, b, a, tolerance=1e-7)
        try:
            parts = getattr(scipy.signal, name)(b, a)
        except ValueError:
            continue
        if len(parts[1]):
            same("inv" + name.replace("idue", ""), *parts, tolerance=1e-7)


def test_unique_roots():
    for kind in ("min", "max", "avg", "none"):
        same("unique_roots", [0, 1.3, 1.31, 2.8, 1.25, 2.2, 10.3], 0.02, kind)
    same("unique_roots", [1 + 1j, 1 + 1.0001j, 2], 0.01, "avg")


def test_gains_of_integers_do_not_wrap_around():
    zeros, poles = np.array([-1, -2]) * 10**10, np.array([-1, -2, -4]) * 10**10
    for name in ("lp2hp_zpk", "lp2bs_zpk"):
        assert getattr(cp.scipy.signal, name)(zeros, poles, 8e10)[2] == 2.0
        assert getattr(cp.scipy.signal, name)(cp.asarray(zeros), cp.asarray(poles), 8e10)[2] == 2.0
