"""Rows of scipy.signal and scipy.signal.windows."""

import numpy as np

from ..draws import (
    ANY,
    alone,
    always,
    array,
    axis,
    between,
    call,
    computed,
    function,
    integer,
    made,
    mapped,
    maybe,
    number,
    one,
    positive,
    read,
    rising,
    row,
    unit,
)

side = one(True, False)
signal = one(array("N", kinds="dfDlF"), array("n M", kinds="dfD"))
real_signal = one(array("N", kinds="dflB"), array("n M", kinds="dfl"))
modes = one("full", "valid", "same")
taps = array("n+1", kinds="dfDl")
numerator = array("n+1", kinds="dfl")
denominator = mapped(
    lambda v: v + np.where(np.arange(v.shape[-1]) == 0, 3, 0).astype(v.dtype) if v.ndim else v,
    array("m+1", kinds="dfl"),
)
system = (numerator, denominator)
zpk = (array("n", between(-0.9, 0.9), "dD"), array("n+1", between(-0.9, 0.9), "dD"), one(1.0, 2.0, number(0.1, 3)))
analog = mapped(lambda v: -abs(v), array("n+1", positive, "d"))
sos = computed(lambda d: _sections(d))
kinds = one("lowpass", "highpass", "bandpass", "bandstop")
outputs = one("ba", "zpk", "sos")


def _sections(draw):
    import scipy.signal

    order = int(draw.random.integers(1, 6))
    return scipy.signal.butter(order, float(draw.random.uniform(0.1, 0.9)), output="sos")


# Conversions and designs.
row("signal.bilinear normalize tf2zpk", *system, _form=None, _bound=1e-6)
row("signal.tf2ss tf2sos", *system, _bound=1e-6)
row("signal.bilinear_zpk", *zpk, number(0.5, 4))
row("signal.lp2bp lp2bs", *system, wo=number(0.5, 3), bw=number(0.5, 2), _bound=1e-7)
row("signal.lp2hp lp2lp", *system, wo=number(0.5, 3), _bound=1e-7)
row("signal.lp2bp_zpk lp2bs_zpk", *zpk, wo=number(0.5, 3), bw=number(0.5, 2))
row("signal.lp2hp_zpk lp2lp_zpk", *zpk, wo=number(0.5, 3))
row("signal.sos2tf sos2zpk", sos)
row("signal.zpk2sos", *zpk, pairing=one("nearest", "keep_odd"), _random=True)
row("signal.zpk2tf zpk2ss", *zpk, _bound=1e-7)
edge = computed(lambda d: _edges(d))


def _edges(draw):
    low, high = sorted(draw.random.uniform(0.05, 0.95, 2))
    return draw.pick([float(low), float(high), [float(low), float(min(high + 0.02, 0.98))]])


design = {"btype": kinds, "analog": side, "output": outputs, "_bound": 1e-6}
row("signal.butter", integer(0, 8), edge, **design)
row("signal.bessel", integer(0, 8), edge, norm=one("phase", "delay", "mag"), **design)
row("signal.cheby1 cheby2", integer(0, 8), one(1, number(0.1, 40)), edge, **design)
row("signal.ellip", integer(0, 7), one(1, number(0.1, 3)), one(40, number(10, 60)), edge, **design)
row(
    "signal.iirfilter",
    integer(1, 6),
    edge,
    rp=always(1.0),
    rs=always(40.0),
    ftype=one("butter", "cheby1", "cheby2", "ellip", "bessel"),
    btype=one("lowpass", "highpass", "bandpass", "bandstop"),
    output=outputs,
    _bound=1e-6,
)
row(
    "signal.iirdesign",
    one(0.2, [0.2, 0.5], 0.6),
    one(0.3, [0.1, 0.6], 0.5),
    1,
    40,
    ftype=one("ellip", "butter", "cheby1", "cheby2"),
    output=outputs,
    _bound=1e-5,
)
for passband, stopband in ((0.2, 0.3), ([0.2, 0.5], [0.1, 0.6]), (0.6, 0.5), ([0.1, 0.6], [0.2, 0.5])):
    row(
        "signal.buttord cheb1ord cheb2ord ellipord",
        passband,
        stopband,
        number(0.5, 3),
        number(20, 60),
        analog=side,
        fs=one(None, 2.5),
        _bound=1e-5,
    )
row("signal.besselap", integer(0, 12), norm=one("phase", "delay", "mag"), _bound=1e-7)
row("signal.buttap", integer(0, 12))
row("signal.cheb1ap cheb2ap", integer(0, 12), number(0.1, 40))
row("signal.ellipap", integer(0, 9), number(0.1, 3), number(10, 60), _bound=1e-6)
row("signal.iirnotch iirpeak", number(0.01, 0.99), number(1, 40), fs=one(2.0, 3.0))
row("signal.iircomb", one(0.25, 0.5, 0.1), number(5, 40), ftype=one("notch", "peak"), pass_zero=side)
row(
    "signal.gammatone",
    number(100, 3000),
    one("fir", "iir"),
    order=integer(1, 6),
    numtaps=integer(3, 20),
    fs=always(8000.0),
    _bound=1e-6,
)
row(
    "signal.band_stop_obj",
    number(0.2, 0.3),
    integer(0, 1),
    np.array([0.1, 0.7]),
    np.array([0.2, 0.6]),
    1.0,
    40.0,
    one("butter", "cheby", "ellip"),
    _bound=1e-6,
)
window = one("hamming", "hann", ("kaiser", 4.0), "boxcar", "blackman", ("gaussian", 2.0))
row(
    "signal.firwin",
    integer(1, 20),
    one(0.3, [0.2, 0.6], number(0.05, 0.95)),
    width=one(None, 0.1),
    window=window,
    pass_zero=one(True, False, "bandpass", "lowpass", "highpass", "bandstop"),
    scale=side,
    fs=one(None, 2.0),
)
row(
    "signal.firwin2",
    integer(3, 20),
    [0.0, 0.4, 0.5, 1.0],
    [1.0, 1.0, number(0, 1), 0.0],
    nfreqs=one(None, 33, 129),
    window=window,
    antisymmetric=side,
)
row(
    "signal.firwin_2d",
    (integer(3, 6), integer(3, 6)),
    one(("hamming", "hann"), "hamming"),
    fc=always(number(0.1, 0.9)),
    circular=side,
)
row("signal.firls", one(3, 5, 11, 4), [0, 0.3, 0.5, 1], [1, 1, 0, 0], weight=one(None, [1, 2]), _bound=1e-6)
row(
    "signal.remez",
    integer(5, 14),
    [0, 0.15, 0.3, 0.5],
    [1, 0],
    weight=one(None, [1, 2]),
    type=one("bandpass", "differentiator", "hilbert"),
    _bound=1e-4,
)
row(
    "signal.minimum_phase",
    mapped(lambda v: np.convolve(v, v[::-1]), array("n+2", kinds="d", finite=True)),
    method=one("homomorphic", "hilbert"),
    half=side,
    _bound=1e-4,
)
row("signal.kaiser_atten", integer(1, 40), number(0.01, 0.9))
row("signal.kaiser_beta", number(0, 90))
row("signal.kaiserord", number(10, 90), number(0.01, 0.9))
row(
    "signal.invres invresz",
    array("n", kinds="dD"),
    mapped(lambda v: np.sort(v) + np.arange(v.size), array("n", kinds="d", finite=True)),
    one([], array("2")),
    _bound=1e-6,
)
row("signal.residue residuez", *system, _random=True)
row(
    "signal.unique_roots",
    mapped(lambda v: np.repeat(v, 2), array("n", kinds="dD", finite=True)),
    rtype=one("min", "max", "avg", "mean"),
    _unordered=True,
)
stable = {"A": always(array("3 3")), "B": always(array("3 1")), "C": always(array("1 3")), "D": always(array("1 1"))}
row("signal.abcd_normalize", **stable)
row("signal.ss2tf ss2zpk", array("3 3"), array("3 2"), array("1 3"), array("1 2"), input=integer(0, 1), _bound=1e-6)
row(
    "signal.place_poles",
    array("3 3", kinds="d", finite=True),
    array("3 3", kinds="d", finite=True),
    np.array([-1.0, -2.0, -3.0]),
    _fields=("computed_poles", "requested_poles"),
    _bound=1e-5,
)

# Filtering.
row("signal.lfilter", numerator, denominator, real_signal, axis=axis(1), _bound=1e-6)
row("signal.lfilter_zi", numerator, denominator, _bound=1e-6)
row("signal.lfiltic", numerator, denominator, array("m"), maybe(array("n")))
row("signal.sosfilt_zi", sos)
row("signal.sosfilt", sos, real_signal, axis=axis(1))
row(
    "signal.sosfiltfilt",
    sos,
    array("40", kinds="dfl"),
    padtype=one("odd", "even", "constant", None),
    padlen=one(None, 0, 5),
    _bound=1e-6,
)
row(
    "signal.filtfilt",
    [0.2, 0.3],
    [1.0, -0.4],
    one(array("40", kinds="dflD"), array("2 40", kinds="df")),
    padtype=one("odd", "even", "constant", None),
    padlen=one(None, 0, 5),
    method=one("pad", "gust"),
    axis=one(-1),
    _bound=1e-6,
)
row("signal.deconvolve", array("n+3", kinds="dfl"), array("m+1", kinds="dfl"), _bound=1e-5)
row(
    "signal.convolve correlate",
    array("n", kinds=ANY),
    array("m", kinds=ANY),
    modes,
    one("auto", "direct", "fft"),
    _bound=1e-6,
)
row(
    "signal.convolve correlate",
    array("n m", kinds="dfDl"),
    array("2 2", kinds="dfDl"),
    modes,
    one("auto", "direct", "fft"),
    _bound=1e-6,
)
row("signal.convolve correlate", array("n", kinds="D"), array("m", kinds="Dd"), modes, "direct", _bound=1e-6)
row("signal.convolve correlate", array("n m", kinds="D"), array("2 2", kinds="Dd"), modes, "direct", _bound=1e-6)
row(
    "signal.fftconvolve oaconvolve",
    array("n M", kinds="dfDl"),
    array("n m", kinds="dfDl"),
    modes,
    axes=one(None, -1, [1]),
    _bound=1e-6,
)
row(
    # SciPy divides by the size of an image that is not there, and writes past its end.
    "signal.convolve2d correlate2d",
    array("n m", kinds=ANY, least=1),
    array("2 3", kinds="dfDl"),
    modes,
    one("fill", "wrap", "symm"),
    one(0, 1.5),
    _bound=1e-6,
    _filled=True,
)
row("signal.correlation_lags", integer(1, 9), integer(1, 9), modes)
row("signal.choose_conv_method", array("n"), array("m"), modes, _random=True)
row(
    "signal.sepfir2d",
    array("8 9", kinds="df", finite=True),
    array("3", kinds="df"),
    array("5", kinds="df"),
    _bound=1e-5,
    _filled=True,
)
row("signal.symiirorder1", array("N", kinds="dfD"), number(0.1, 2), number(-0.7, 0.7), _bound=1e-5)
row("signal.symiirorder2", array("N", kinds="d"), number(0.1, 0.8), number(0.1, 2), _bound=1e-5)
row(
    "signal.upfirdn",
    taps,
    signal,
    integer(1, 4),
    integer(1, 4),
    axis=axis(1),
    mode=one("constant", "symmetric", "edge", "smooth", "wrap", "line", "reflect"),
    cval=number(-1, 1),
)
row(
    "signal.decimate",
    array("60", kinds="dfl"),
    integer(2, 4),
    ftype=one("iir", "fir"),
    zero_phase=side,
    n=one(None, 4),
    _bound=1e-6,
)
row("signal.resample", signal, integer(1, 30), window=one(None, "hamming", ("kaiser", 3.0)), axis=axis(1), _bound=1e-7)
row(
    "signal.resample_poly",
    signal,
    integer(1, 5),
    integer(1, 5),
    axis=axis(1),
    padtype=one("constant", "line", "mean", "median", "maximum"),
    window=one(("kaiser", 5.0), "hamming"),
    _bound=1e-6,
)
row("signal.medfilt", one(array("N", kinds="dflB"), array("n m", kinds="df")), kernel_size=one(None, 3, 5))
row("signal.medfilt2d", array("n m", kinds="dfB"), kernel_size=one(3, 5, (3, 1)))
row("signal.order_filter", array("n m", kinds="dfl"), np.ones((3, 3)), integer(0, 8))
row(
    "signal.wiener",
    one(array("N", kinds="dfl"), array("n m", kinds="df")),
    mysize=one(None, 3, 5),
    noise=one(None, 0.5),
    _bound=1e-6,
)
row(
    "signal.savgol_coeffs",
    one(5, 7, 9),
    integer(0, 4),
    deriv=integer(0, 2),
    delta=number(0.5, 2),
    pos=one(None, 1),
    use=one("conv", "dot"),
    _bound=1e-7,
)
row(
    "signal.savgol_filter",
    array("N", kinds="dfl"),
    one(5, 7, 9),
    integer(0, 4),
    deriv=integer(0, 2),
    mode=one("interp", "mirror", "constant", "nearest", "wrap"),
    cval=number(-1, 1),
    _bound=1e-6,
)
row("signal.detrend", signal, axis=axis(1), type=one("linear", "constant"), bp=one(0, [2, 4]), _bound=1e-7)
row(
    "signal.envelope",
    array("N", kinds="dD"),
    one((1, None), (None, None), (0, 4)),
    squared=side,
    residual=one("lowpass", "all", None),
    n_out=one(None, 12),
    _bound=1e-7,
)
row("signal.hilbert", real_signal, one(None, integer(1, 30)), axis=axis(1))
row("signal.hilbert2", array("n m", kinds="dfl"), one(None, (4, 5)), _most=50)
row("signal.cspline1d qspline1d", array("N", kinds="df"), one(0.0, 0.5), _bound=1e-6)
row(
    "signal.cspline1d_eval qspline1d_eval",
    array("N", kinds="d"),
    array("k", between(-2, 12), "d"),
    dx=number(0.5, 2),
    x0=number(-1, 1),
    _bound=1e-6,
)
row("signal.cspline2d qspline2d", array("40 41", kinds="df", finite=True), one(0.0, 0.5), _bound=1e-4)
row("signal.spline_filter", array("40 41", kinds="df", finite=True), one(5.0, 1.0), _bound=1e-4)
row("signal.gauss_spline", array("...", kinds="dfl"), integer(0, 5))

# Spectra.
frequencies = one(integer(1, 20), array("k", between(0, 3), "d"))
row("signal.freqs", *system, worN=frequencies, _bound=1e-6)
row(
    "signal.freqz",
    numerator,
    denominator,
    worN=frequencies,
    whole=side,
    fs=one(2 * np.pi, 2.0),
    include_nyquist=side,
    _bound=1e-6,
)
row("signal.freqs_zpk", *zpk, worN=frequencies, _bound=1e-6)
row("signal.freqz_zpk", *zpk, worN=frequencies, whole=side, _bound=1e-6)
row("signal.freqz_sos sosfreqz", sos, worN=frequencies, whole=side, _bound=1e-6)
row("signal.findfreqs", *system, integer(1, 9), kind=one("ba"), _bound=1e-6)
row("signal.group_delay", system, w=frequencies, whole=side, _bound=1e-5)
spectral = {
    "fs": number(0.5, 4), "window": one("hann", "boxcar", ("tukey", 0.3), ("kaiser", 3.0)), "nfft": one(None, 32), "detrend": one("constant", "linear", False),
    "return_onesided": side, "scaling": one("density", "spectrum"), "_bound": 1e-6,
}  # fmt: skip
long = one(array("50", kinds="dfDl"), array("2 50", kinds="df"))
segments = {"nperseg": one(8, 16, 25, 60), "noverlap": one(None, 0, 4)}
row("signal.periodogram", long, **spectral)
row("signal.welch", long, average=one("mean", "median"), **segments, **spectral)
row("signal.csd", long, long, average=one("mean", "median"), **segments, **spectral)
row(
    "signal.coherence",
    array("50", kinds="dfD"),
    array("50", kinds="dfD"),
    nperseg=always(one(8, 16)),
    window=spectral["window"],
    detrend=spectral["detrend"],
    _bound=1e-6,
)
row("signal.spectrogram", long, mode=one("psd", "complex", "magnitude"), **segments, **spectral)
row(
    "signal.stft",
    long,
    nperseg=always(one(8, 16, 25)),
    noverlap=one(None, 4),
    boundary=one("zeros", "even", "odd", "constant", None),
    padded=side,
    scaling=one("spectrum", "psd"),
    detrend=spectral["detrend"],
    _bound=1e-6,
)
row(
    "signal.istft",
    array("9 M", kinds="DF"),
    fs=number(0.5, 4),
    boundary=side,
    scaling=one("spectrum", "psd"),
    input_onesided=side,
    _bound=1e-6,
)
row(
    "signal.lombscargle",
    array("n+3", rising, "df"),
    array("n+3", kinds="df"),
    array("k+1", positive, "df"),
    normalize=one(False, True, "power", "amplitude"),
    floating_mean=side,
    weights=one(None, array("n+3", positive, "d")),
    _bound=1e-5,
)
row("signal.vectorstrength", array("n", positive, "df"), one(number(0.5, 3), array("k", positive, "d")))
row("signal.check_COLA check_NOLA", one("hann", "boxcar", "bartlett"), one(8, 16), one(4, 8, 0, 3))
row("signal.czt", signal, m=one(None, integer(1, 20)), a=one(1 + 0j, 0.9j), axis=axis(1), _bound=1e-6)
row("signal.czt_points", integer(1, 20), w=one(None, 0.99j), a=one(1 + 0j, 0.9j))
row(
    "signal.zoom_fft",
    signal,
    one(1, [0.2, 0.8], 0.5),
    m=one(None, integer(1, 20)),
    endpoint=side,
    axis=axis(1),
    _bound=1e-6,
)
row("signal.CZT", 12, m=one(None, 7), _steps=(call("__call__", array("12", kinds="dfD")), call("points")), _bound=1e-6)
row(
    "signal.ZoomFFT",
    12,
    one([0.2, 0.8], 0.5),
    m=one(None, 7),
    _steps=(call("__call__", array("12", kinds="dfD")),),
    _bound=1e-6,
)
row("signal.ShortTimeFFT", mapped(lambda v: 0.5 + abs(v), array("8", kinds="d", finite=True)), one(2, 4), number(0.5, 4), fft_mode=one("onesided", "twosided", "centered", "onesided2X"), scale_to=one(None, "magnitude", "psd"),
    _steps=(call("stft", array("40", kinds="d")), call("spectrogram", array("40", kinds="d")), *read("f", "T", "delta_f", "p_min", "m_num", "dual_win", "invertible"), call("p_max", 40), call("t", 40)), _bound=1e-6)  # fmt: skip
row("signal.closest_STFT_dual_window", array("8", positive, "d", finite=True), one(2, 4), scaled=side, _bound=1e-6)

# Systems.
continuous = one(
    made("signal.lti", [1.0], mapped(lambda v: np.poly(-abs(v) - 0.2), array("3", kinds="d", finite=True))),
    made(
        "signal.lti", array("2 2", kinds="d"), array("2 1", kinds="d"), array("1 2", kinds="d"), array("1 1", kinds="d")
    ),
    made("signal.lti", [], mapped(lambda v: -abs(v) - 0.1, array("2", kinds="d", finite=True)), 2.0),
)
discrete = one(
    made("signal.dlti", array("2", kinds="d"), [1.0, -0.5, 0.1], dt=always(0.5)),
    made("signal.dlti", [], [0.5, -0.3], 1.0, dt=0.1),
)
attributes = (
    read("num"),
    read("den"),
    read("zeros"),
    read("poles"),
    read("dt"),
    call("to_ss"),
    call("to_tf"),
    call("to_zpk"),
)
row(
    "signal.TransferFunction",
    *system,
    _steps=(*(each if isinstance(each, list) else [each] for each in attributes), [call("bode", n=always(7))]),
    _bound=1e-6,
)
row(
    "signal.lti",
    *system,
    _steps=(read("zeros"), read("poles"), [call("step", N=always(7))], [call("freqresp", n=always(7))]),
    _bound=1e-6,
)
row(
    "signal.dlti",
    array("2", kinds="d"),
    [1.0, -0.5, 0.1],
    dt=one(0.5, True),
    _steps=(read("zeros"), read("poles"), [call("step", n=always(7))], [call("impulse", n=always(7))]),
    _bound=1e-6,
)
row(
    "signal.ZerosPolesGain",
    *zpk,
    _steps=(read("zeros"), read("poles"), read("gain"), [call("bode", n=always(7))]),
    _bound=1e-6,
)
row(
    "signal.StateSpace",
    array("2 2", kinds="d"),
    array("2 1", kinds="d"),
    array("1 2", kinds="d"),
    array("1 1", kinds="d"),
    _steps=(read("A"), read("B"), read("C"), read("D"), read("poles"), read("zeros")),
    _bound=1e-6,
)
row("signal.bode", continuous, w=one(None, array("k", positive, "d")), n=always(9), _bound=1e-5)
row("signal.freqresp", continuous, w=one(None, array("k", positive, "d")), n=always(9), _bound=1e-5)
row("signal.dbode dfreqresp", discrete, w=one(None, array("k", unit, "d")), n=always(9), _bound=1e-5)
row("signal.dimpulse dstep", discrete, n=always(integer(1, 9)), x0=one(None), _bound=1e-6)
row("signal.dlsim", discrete, array("9", kinds="d"), _bound=1e-6)
row("signal.impulse step", continuous, N=always(integer(2, 12)), _bound=1e-5)
row("signal.lsim", continuous, array("9", kinds="d"), np.arange(9) * 0.2, interp=side, _bound=1e-5)
row(
    "signal.cont2discrete",
    one(([1.0], [1.0, 2.0, 3.0]), (array("2 2"), array("2 1"), array("1 2"), array("1 1"))),
    number(0.1, 1),
    method=one("zoh", "foh", "impulse", "euler", "backward_diff", "bilinear", "gbt"),
    alpha=one(None, 0.3),
    _bound=1e-6,
)

# Peaks and waves.
row(
    "signal.argrelmax argrelmin",
    one(array("N", kinds="dfl"), array("n M", kinds="dl")),
    axis=axis(1),
    order=integer(1, 3),
    mode=one("clip", "wrap"),
)
row(
    "signal.argrelextrema",
    array("N", kinds="dfl"),
    function(lambda xp: xp.greater, "greater"),
    order=integer(1, 3),
    mode=one("clip", "wrap"),
)
row(
    "signal.find_peaks",
    array("N", kinds="dfl"),
    height=one(None, 0.2, (0, 1)),
    threshold=one(None, 0.1),
    distance=one(None, 2, 3),
    prominence=one(None, 0.3),
    width=one(None, 1, (0.5, 3)),
    wlen=one(None, 5),
    plateau_size=one(None, 1),
)
row(
    "signal.peak_prominences peak_widths",
    np.array([0, 1, 0, 3, 1, 2, 0, 4, 0.0]),
    np.array([1, 3, 5, 7]),
    wlen=one(None, 3, 5),
)
row("signal.find_peaks_cwt", array("N", kinds="d", finite=True), np.array([1, 2, 3]))
row(
    "signal.chirp",
    array("k", between(0, 5), "dfl"),
    number(0.1, 2),
    number(1, 5),
    number(0.2, 3),
    method=one("linear", "quadratic", "logarithmic", "hyperbolic"),
    phi=number(0, 90),
    complex=side,
    _bound=1e-7,
)
row(
    "signal.gausspulse",
    one(array("k", between(-0.01, 0.01), "df"), "cutoff"),
    fc=number(100, 2000),
    bw=number(0.1, 0.9),
    retquad=side,
    retenv=side,
)
row("signal.max_len_seq", integer(2, 8), length=one(None, 20))
row("signal.sawtooth", array("k", between(-9, 9), "dfl"), one(1, 0.5, 0.0, array("k", unit, "d")))
row("signal.square", array("k", between(-9, 9), "dfl"), one(0.5, 0.1, array("k", unit, "d")))
row("signal.sweep_poly", array("k", between(0, 3), "dfl"), array("3", kinds="d"), phi=number(0, 90), _bound=1e-7)
row("signal.unit_impulse", one(5, (3, 4), integer(1, 9)), one(None, 0, "mid", -1), dtype=one(int, float, "complex64"))
alone("signal.BadCoefficients", "a warning")
alone(
    "signal.cwt morlet morlet2 qmf ricker whittaker_henderson",
    "SciPy has removed it, or has it from a later version on",
)


# Windows: one rule for all.
length, symmetric = one(*(integer(0, 40) for _ in range(8)), -1, 2.5), maybe(one(True, False))
plain = "barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann nuttall parzen triang"
row(f"signal.windows.{plain}", length, symmetric)
row("signal.windows.lanczos", length, sym=side)
row("signal.windows.chebwin", length, number(46, 100), symmetric, _bound=1e-6)
row("signal.windows.kaiser", length, number(0, 20), symmetric)
row("signal.windows.kaiser_bessel_derived", one(integer(0, 20), 8, 16), number(0, 20))
row("signal.windows.gaussian", length, number(0.5, 9), symmetric)
row("signal.windows.general_gaussian", length, number(0.5, 3), number(0.5, 9), symmetric)
row("signal.windows.general_hamming", length, number(0, 1), symmetric)
row("signal.windows.general_cosine", length, [0.5, number(0, 1), 0.1], symmetric)
row("signal.windows.exponential", length, None, number(0.5, 5), symmetric)
row("signal.windows.tukey", length, number(-0.2, 1.2), symmetric)
row("signal.windows.taylor", length, integer(1, 6), number(20, 60), side, symmetric, _bound=1e-7)
row(
    "signal.windows.dpss",
    integer(1, 30),
    number(0.5, 4),
    one(None, 1, 2),
    norm=one(None, 2, "approximate", "subsample"),
    return_ratios=side,
    _bound=1e-5,
)
every = [
    *plain.split(),
    "lanczos",
    ("kaiser", 5.0),
    ("gaussian", 2.0),
    ("tukey", 0.3),
    ("chebwin", 60),
    4.0,
    ("dpss", 2.0),
    ("exponential", None, 2.0),
    "taylor",
    ("general_hamming", 0.6),
    "no_such",
]
row("signal.windows.get_window", one(*every), length, maybe(side), _bound=1e-6)
row("signal.get_window", one(*every), length, maybe(side), _bound=1e-6)
