"""Spectra, short-time transforms, trends and chirp transforms beside SciPy's."""

import itertools

import cuproxide as cp
import effort
import launches
import numpy as np
import pytest
import scipy.signal
from signals import agree, on_device, on_host, ours, outcome, same
from ways import take_ways

RANDOM = np.random.default_rng(4)
X, Y = RANDOM.normal(size=(3, 1000)), RANDOM.normal(size=(3, 1000))
SIGNALS = [X, X[0], X[:, :100], X + 1j * Y, X.astype("f4"), (X * 10).astype(int)]
OPTIONS = [
    {}, {"fs": 10.0, "window": "hamming", "detrend": "linear"}, {"detrend": False, "scaling": "spectrum"},
    {"return_onesided": False}, {"nfft": 301}, {"nfft": 64}, {"window": np.hanning(64)}, {"scaling": "none"},
]  # fmt: skip
SEGMENTS = [
    {"nperseg": 64}, {"nperseg": 63, "noverlap": 20}, {"nperseg": 64, "noverlap": 64}, {"nperseg": 64, "nfft": 32},
    {"nperseg": 0}, {"window": np.hanning(64), "nperseg": 32},
]  # fmt: skip


@pytest.fixture(params=[False, True], ids=["host", "beside"])
def way(request, monkeypatch):
    """The ways of a CPU, or of a GPU."""
    take_ways(monkeypatch, request.param, "segments in one kernel", "power in one fold")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", ["welch", "spectrogram", "periodogram"])
@pytest.mark.parametrize("number", range(len(SIGNALS)))
def test_power(name, number):
    x = SIGNALS[number]
    tolerance = 1e-4 if x.dtype == np.float32 else 1e-9
    for options in OPTIONS + (SEGMENTS if name != "periodogram" else []):
        same(name, x, tolerance=tolerance, **options)
    same(name, x.T, axis=0, tolerance=tolerance)
    if name != "spectrogram":
        same(name, x[..., :0])


@pytest.mark.usefixtures("way")
def test_averages_and_modes():
    same("welch", X, average="median", nperseg=50)
    same("welch", X, average="none")
    for mode in ("psd", "complex", "magnitude", "none"):
        same("spectrogram", X, mode=mode, nperseg=50)
        same("spectrogram", X[0], mode=mode, nperseg=50, axis=0)


@pytest.mark.parametrize("mode", ["angle", "phase"])
@pytest.mark.parametrize("x", [X, X[0]], ids=["rows", "one"])
def test_angles(mode, x):
    options = {"mode": mode, "nperseg": 50}
    *_, found = cp.scipy.signal.spectrogram(cp.asarray(x), **options)
    *_, expected = scipy.signal.spectrogram(x, **options)
    found = found.get()
    assert found.shape == expected.shape and found.dtype == expected.dtype
    # The first and the last frequency have real values; of negative ones the angle is pi or -pi, by the sign of a zero.
    np.testing.assert_allclose(found[..., 1:-1, :], expected[..., 1:-1, :], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.exp(1j * found), np.exp(1j * expected), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"nperseg": 50}, {"average": "median", "nperseg": 100}, {"detrend": "linear"}])
def test_cross_power(options):
    same("csd", X, Y, **options)
    same("csd", X, Y[0], **options)
    same("csd", X, Y[:, :700], **options)
    same("csd", X + 1j * Y, Y, **options)
    same("csd", X.T, Y.T, axis=0, **options)
    same("csd", X, RANDOM.normal(size=(2, 1000)))
    if "average" not in options:
        same("coherence", X, Y, **options)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("boundary", ["zeros", "even", "odd", "constant", None, "none"])
def test_stft(boundary):
    for padded in (True, False):
        same("stft", X[0].astype("f4"), boundary=boundary, padded=padded, tolerance=1e-5)
        same("stft", X + 1j * Y, boundary=boundary, padded=padded, return_onesided=False)
        same("stft", X, boundary=boundary, padded=padded)
        same("stft", X.T, axis=0, nperseg=50, boundary=boundary, padded=padded)
        same("stft", X, 3.0, nperseg=51, noverlap=40, scaling="psd", boundary=boundary, padded=padded)


@pytest.mark.parametrize("options", [
    {"nperseg": 64}, {"nperseg": 65}, {"nperseg": 64, "noverlap": 48}, {"nperseg": 64, "nfft": 100},
    {"nperseg": 64, "fs": 3.0},
])  # fmt: skip
def test_istft(options):
    for x, real, scaling in itertools.product((X[0], X + 1j * Y), (True, False), ("spectrum", "psd")):
        if real == (x.dtype.kind == "c"):
            continue
        z = scipy.signal.stft(x, return_onesided=real, scaling=scaling, **options)[2]
        if x.ndim == 1:
            same("istft", z, input_onesided=real, scaling=scaling, **options)
            z = scipy.signal.stft(x, return_onesided=real, boundary=None, **options)[2]
            same("istft", z, input_onesided=real, boundary=False, **options)
        else:
            # SciPy's times are counted along the wrong axis here.
            moved = np.moveaxis(z, 0, -1)
            found = ours.istft(cp.asarray(moved), input_onesided=real, time_axis=1, freq_axis=0, **options)[1]
            expected = scipy.signal.istft(moved, input_onesided=real, time_axis=1, freq_axis=0, **options)[1]
            agree(found, expected, 1e-9, "axes")


def test_overlaps():
    for window, length, overlap in (
        ("hann", 64, 32),
        ("hann", 64, 33),
        ("boxcar", 10, 3),
        ("hann", 10, 0),
        ("hann", 9, 9),
    ):
        same("check_COLA", window, length, overlap)
        same("check_NOLA", window, length, overlap)


@pytest.mark.parametrize("number", range(len(SIGNALS)))
def test_trends_and_analytic_signals(number):
    x = SIGNALS[number]
    tolerance = 1e-5 if x.dtype == np.float32 else 1e-9
    for kind in ("linear", "constant", "none"):
        same("detrend", x, type=kind, tolerance=tolerance)
        same("detrend", x, 0, kind, tolerance=tolerance)
        same("detrend", x, -1, kind, [2, 5], tolerance=tolerance)
    same("detrend", x, bp=[2, 5000])
    for options in ({}, {"N": 100}, {"N": 33}, {"axis": 0}, {"N": 0}):
        same("hilbert", x, tolerance=tolerance, **options)
    for options in ({}, {"N": 8}, {"N": (4, 9)}, {"N": (5, 8)}, {"N": 0}, {"N": (3,)}):
        same("hilbert2", x[..., :20], tolerance=tolerance, **options)


@pytest.mark.parametrize("length", [40, 41])
def test_envelope(length):
    signals = [RANDOM.normal(size=(2, length)), RANDOM.normal(size=(2, length)) * (1 + 1j)]
    bands = [(1, None), (None, None), (0, None), (3, 10), (-5, 4), (-9, -3), (None, -2), (0, 5), (5, 3), (1, 30), (1,)]
    for x, band, count in itertools.product(signals, bands, (None, 20, 80, 33)):
        for residual in ("lowpass", "all", None):
            same("envelope", x, band, n_out=count, residual=residual)
        same("envelope", x, band, squared=True, residual="none")


def test_uneven_samples():
    t = np.sort(RANDOM.uniform(0, 20, 50))
    y, f = np.cos(3 * t) + 0.1 * RANDOM.normal(size=50), np.linspace(0.1, 5, 40)
    for normalize, mean in itertools.product((True, False, "amplitude", "none"), (True, False)):
        same("lombscargle", t, y, f, normalize=normalize, floating_mean=mean)
        same("lombscargle", t, y, f, normalize=normalize, floating_mean=mean, weights=RANDOM.uniform(0, 1, 50))
    same("lombscargle", t, y[:3], f)
    same("lombscargle", t, y, f[:0])
    same("lombscargle", t, y, f, weights=-np.ones(50))
    with cp.fusion.eager():
        same("lombscargle", t, y, f, floating_mean=True, normalize="amplitude")
    same("vectorstrength", t, 2.0)
    same("vectorstrength", t, np.array([2.0, 3.0]))
    same("vectorstrength", t, -2.0)
    same("vectorstrength", t.reshape(2, -1), 2.0)


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("floating", [False, True])
def test_periodogram_keeps_its_digits(floating, eager):
    mpmath = pytest.importorskip("mpmath")
    t, y = np.sort(RANDOM.uniform(0, 30, 40)), RANDOM.normal(size=40) + 2
    frequencies = np.array([0.01, 0.1, 0.5, 1.0, 3.0, 10.0])
    with mpmath.workdps(50):

        def power(frequency):
            phases = [mpmath.mpf(frequency) * mpmath.mpf(time) for time in t.tolist()]
            c, s = ([function(phase) for phase in phases] for function in (mpmath.cos, mpmath.sin))
            mean = lambda one, other: mpmath.fdot(one, other) / len(t)  # noqa: E731
            ones, values = [1] * len(t), y.tolist()
            yc, ys, cc, ss, cs = mean(c, values), mean(s, values), mean(c, c), mean(s, s), mean(c, s)
            if floating:
                level, c, s = mean(ones, values), mean(ones, c), mean(ones, s)
                yc, ys, cc, ss, cs = yc - level * c, ys - level * s, cc - c * c, ss - s * s, cs - c * s
            return len(t) / 2 * (ss * yc**2 + cc * ys**2 - 2 * cs * yc * ys) / (cc * ss - cs * cs)

        expected = [float(power(frequency)) for frequency in frequencies.tolist()]
    with cp.fusion.eager(eager):
        found = ours.lombscargle(*map(cp.asarray, (t, y, frequencies)), floating_mean=floating)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-10 if floating else 1e-12)


@pytest.mark.skipif(cp.fusion.is_eager(), reason="nothing is deferred")
def test_segments_are_written_once(monkeypatch):
    """Neither a padded signal nor powers go through memory: the transform reads what one kernel wrote."""
    take_ways(monkeypatch, True)
    x = cp.asarray(X[0].astype("f4"))
    for name, most in (("stft", 8), ("welch", 11)):
        spans = launches.recorded(lambda name=name: getattr(cp.scipy.signal, name)(x))
        assert sum(span.kind == "kernel" for span in spans) <= most
        assert not any(span.kind == "copy" for span in spans)


def test_periodogram_launches_as_much_for_any_counts():
    def count(samples, frequencies):
        t, f = cp.linspace(0, 10, samples), cp.linspace(0.5, 5, frequencies)
        return launches.launches(lambda: ours.lombscargle(t, cp.sin(t), f))

    assert count(40, 30) == count(400, 7)


def test_periodogram_makes_no_matrix():
    t, f = cp.linspace(0, 10, 3000), cp.linspace(0.5, 5, 2000)
    pool = cp.get_default_memory_pool()
    cp.evaluate(t, f)
    pool.free_all_blocks()
    before = pool.total_bytes()
    cp.evaluate(ours.lombscargle(t, cp.sin(t), f))
    # The matrix would be 48 MB.
    assert pool.total_bytes() - before < 10e6


@pytest.mark.parametrize("count", [None, 1, 10, 50, 0, 2.5])
def test_chirp_transforms(count):
    for x in (X[:, :33], X[:, :32] + 1j, X[0, :1], X[:, :40].astype("f4")):
        same("czt", x, count)
        same("czt", x, count, np.exp(-0.02j), 0.9 + 0.1j)
        same("zoom_fft", x, [0.2, 0.7], count, fs=3.0)
        same("zoom_fft", x, 0.7, count)
        if count not in (1, None) and x.shape[-1] > 1:
            same("zoom_fft", x, [0.2, 0.7], count, endpoint=True)
    same("czt", X, axis=0)
    if count:
        same("czt_points", count)
        same("czt_points", count, np.exp(-0.02j), 0.9)


def test_chirp_transform_of_many_points_keeps_its_digits():
    x = RANDOM.normal(size=3001)
    np.testing.assert_allclose(ours.czt(cp.asarray(x)).get(), np.fft.fft(x), atol=1e-10)
    np.testing.assert_allclose(ours.CZT(8, 3).points().get(), ours.czt_points(3).get(), atol=1e-15)
    with pytest.raises(ValueError, match="length 8"):
        ours.CZT(8)(cp.ones(7))


WINDOWS = [
    scipy.signal.windows.hann(16), scipy.signal.windows.hann(15, sym=False), np.ones(7), np.array([0.0, 0, 1, 2, 3, 0]),
    scipy.signal.windows.gaussian(12, 3) * np.exp(0.1j * np.arange(12)),
]  # fmt: skip
PROPERTIES = """
    T delta_f delta_t dual_win f f_pts fac_magnitude fac_psd fft_mode fs hop invertible k_min lower_border_end m_num
    m_num_mid mfft onesided_fft p_min phase_shift scaling win
""".split()
MODES = ["onesided", "twosided", "centered", "onesided2X"]


def pair(*args, **options):
    """The object of SciPy's class and of ours, or the errors."""
    return [
        outcome(module.ShortTimeFFT, args if module is scipy.signal else [on_device(value) for value in args], options)
        for module in (scipy.signal, ours)
    ]


def both(one, other, call, *args, **options):
    """Calls a method of both objects."""
    expected = outcome(getattr(one, call), args, options)
    found = outcome(getattr(other, call), [on_device(value) for value in args], options)
    if isinstance(expected, ValueError) and "operands could not be broadcast" in str(expected):
        # A slip of SciPy's with windows that are apart.
        assert isinstance(found, cp.ndarray)
    elif isinstance(expected, Exception) or isinstance(found, Exception):
        assert type(found) is type(expected), (call, found, expected)
    else:
        agree(found, expected, 1e-9, (call, list(options)))


@pytest.mark.parametrize("number, hop", effort.sample(itertools.product(range(len(WINDOWS)), (1, 3, 4, 7)), 6))
def test_short_time_transform(number, hop):
    x = RANDOM.normal(size=50)
    for mode, options in itertools.product(
        MODES, ({}, {"mfft": 20, "phase_shift": 3}, {"phase_shift": None, "scale_to": "psd"}, {"scale_to": "magnitude"})
    ):
        one, other = pair(WINDOWS[number], hop, 2.0, fft_mode=mode, **options)
        if isinstance(one, Exception):
            assert type(other) is type(one)
            continue
        for name in PROPERTIES:
            expected = outcome(lambda name=name, one=one: getattr(one, name), (), {})
            found = outcome(lambda name=name, other=other: getattr(other, name), (), {})
            if isinstance(expected, Exception):
                assert type(found) is type(expected), name
            elif expected is not None:
                agree(found, expected, 1e-12, name)
        for name in ("k_max", "p_max", "p_num", "p_range", "upper_border_begin", "t", "extent"):
            both(one, other, name, 50)
            both(one, other, name, 5)
        for values in (x, x * (1 + 2j)):
            for padding in ("zeros", "edge", "even", "odd", "none"):
                both(one, other, "stft", values, padding=padding)
        both(one, other, "stft", x, 0, 3, k_offset=2)
        both(one, other, "stft_detrend", np.stack([x, x * 2]), "linear")
        both(one, other, "spectrogram", x, detr="constant")
        both(one, other, "spectrogram", x, x * 2)
        both(one, other, "stft", np.stack([x, x * 2], 1), axis=0)
        transform = one.stft(np.stack([x, x * 2]))
        if number != 3 and hop < 7:
            # Of windows that begin with zeros, or are apart, SciPy takes slices from the wrong end.
            for start, stop in ((0, None), (0, 50), (3, 40), (11, 37)):
                both(one, other, "istft", transform, start, stop)
        both(one, other, "istft", transform, 0, 50)
        both(one, other, "istft", transform, 0, 5000)
        both(one, other, "istft", transform, f_axis=-1)


def test_round_trip_of_part_of_a_signal():
    """Where a window begins before the first slice, the part of the signal comes back as it was."""
    x = RANDOM.normal(size=200)
    for hop in (2, 5, 7):
        transform = ours.ShortTimeFFT(scipy.signal.windows.hann(16), hop, 1.0)
        found = transform.istft(transform.stft(cp.asarray(x)), 11, 150)
        np.testing.assert_allclose(found.get(), x[11:150], atol=1e-12)


def test_windows_of_short_time_transforms():
    for win, hop in itertools.product(WINDOWS, (1, 3, 20)):
        for scaled in (True, False):
            same("closest_STFT_dual_window", win, hop, scaled=scaled)
        for name, options in (
            ("from_dual", {}), ("from_win_equals_dual", {"scale_to": "unitary"}),
            ("from_win_equals_dual", {"scale_to": "psd"}),
        ):  # fmt: skip
            expected, found = (
                outcome(getattr(module.ShortTimeFFT, name), (win, hop, 2.0), {"fft_mode": "twosided", **options})
                for module in (scipy.signal, ours)
            )
            if isinstance(expected, Exception):
                assert type(found) is type(expected)
                continue
            for part in ("win", "dual_win"):
                np.testing.assert_allclose(on_host(getattr(found, part)), getattr(expected, part), 1e-12, 1e-13)
    found = ours.ShortTimeFFT.from_window("hann", 2.0, 16, 8)
    np.testing.assert_allclose(
        found.win.get(), scipy.signal.ShortTimeFFT.from_window("hann", 2.0, 16, 8).win, atol=1e-15
    )


@pytest.mark.parametrize("dtype", ["f2", "i1", "?", "f4"])
def test_dtypes_of_results(dtype):
    x = (RANDOM.normal(size=(4, 64)) * 3).astype(dtype)
    # SciPy takes truth values for the powers of the line, too.
    for options in ({}, {"type": "constant"}) if dtype != "?" else ():
        same("detrend", x, tolerance=1e-3 if dtype == "f2" else 1e-5, **options)
    for name in ("spectrogram", "welch", "stft"):
        same(name, x, nperseg=16, tolerance=1e-3)
    same("decimate", x, 2, tolerance=1e-3)
    if dtype != "?":
        same("freqz", x[0], tolerance=1e-3)
        same("czt", x, tolerance=1e-5)
        same("resample", x, 20, axis=-1, tolerance=1e-3)
        same("medfilt", x)
        same("minimum_phase", np.array([1, 3, 1], dtype), tolerance=1e-5)
    same("wiener", x[:0].astype("f8"))
    assert ours.convolve2d(cp.asarray(x[:0]), cp.ones((2, 2))).shape == (1, 65)


def test_integers_as_arrays_without_dimensions():
    win, hop = np.hanning(9)[:-1] + 0.1, cp.asarray(2)
    expected = scipy.signal.closest_STFT_dual_window(win, 2)[0]
    np.testing.assert_allclose(ours.closest_STFT_dual_window(cp.asarray(win), hop)[0].get(), expected, rtol=1e-12)
    assert ours.ShortTimeFFT(cp.asarray(win), hop=hop, fs=1.0, mfft=cp.asarray(8)).hop == 2
    x = cp.ones((2, 3))
    np.testing.assert_array_equal(
        ours.fftconvolve(x, x, axes=cp.asarray(1)).get().round(9), ours.fftconvolve(x, x, axes=1).get().round(9)
    )
    for wrong in (2.0, cp.asarray(2.0), cp.asarray([2]), "2"):
        with pytest.raises(ValueError, match="hop"):
            ours.closest_STFT_dual_window(cp.asarray(win), wrong)
