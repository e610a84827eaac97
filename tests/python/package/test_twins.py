"""Functions that check the same thing raise alike: each row's calls with each of its arguments, beside NumPy or SciPy.

`v`, `w` are vectors of floats, `i` of integers, `u` of bytes, `m` a matrix of 2 x 3, `s` a square one, `e` empty, `z`
without axes, `c` complex, `b` of bools, `n` with NaN, `f` with infinity.
"""

import importlib
import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.signal

for name in ("fft", "integrate", "signal", "signal.windows"):
    importlib.import_module(f"cuproxide.scipy.{name}")

HOSTS = {
    "v": np.arange(4.0),
    "w": np.array([4.0, 1, 2, 3]),
    "i": np.arange(4),
    "u": np.array([3, 1, 2], np.uint8),
    "m": np.arange(6.0).reshape(2, 3),
    "s": np.array([[2.0, 1], [1, 3]]),
    "e": np.zeros(0),
    "z": np.array(2.0),
    "c": np.array([1 + 2j, 3j]),
    "b": np.array([True, False, True]),
    "n": np.array([1.0, np.nan, 3]),
    "f": np.array([1.0, np.inf, 3]),
}
EDGES = "xp.histogram({}, 3) | xp.histogram_bin_edges({}, 3) | xp.histogram2d({}, {}, 3) | xp.histogramdd(({},), 3)"
BINS = "xp.histogram(v, {}) | xp.histogram_bin_edges(v, {}) | xp.histogram2d(v, w, {}) | xp.histogramdd((v,), ({},))"
RANGES = "xp.histogram(v, 3, {}) | xp.histogram_bin_edges(v, 3, {}) | xp.histogramdd((v,), 3, ({},))"
SPACES = "xp.linspace({}, 5, 4) | xp.geomspace({}, 5, 4) | xp.logspace({}, 5, 4)"
COUNTS = "xp.linspace(1, 5, {}) | xp.geomspace(1, 5, {}) | xp.logspace(1, 5, {})"
MEANS = "xp.mean(m, {}) | m.mean({}) | xp.average(m, {}) | xp.nanmean(m, {}) | xp.median(m, {}) | xp.nanmedian(m, {})"
SPREADS = "xp.var(m, {}) | m.var({}) | xp.std(m, {}) | m.std({}) | xp.nanvar(m, {}) | xp.nanstd(m, {}) | xp.ptp(m, {})"
SUMS = """
    xp.sum(m, {}) | m.sum({}) | xp.nansum(m, {}) | xp.max(m, {}) | m.max({}) | xp.nanmax(m, {})
    xp.count_nonzero(m, {})
"""
PLACES = """
    xp.argmax(m, {}) | m.argmax({}) | xp.cumsum(m, {}) | m.cumsum({}) | xp.nancumsum(m, {})
    xp.cumulative_sum(m, axis={})
"""
ORDERS = (
    "xp.sort(m, {}) | xp.argsort(m, {}) | m.argsort({}) | xp.partition(m, 0, {}) | xp.flip(m, {}) | xp.roll(m, 1, {})"
)
SHAPES = "xp.squeeze(m, {}) | m.squeeze({}) | xp.expand_dims(m, {}) | xp.stack((m, m), {}) | xp.concatenate((m, m), {})"
TAKERS = """
    xp.take(m, 0, {}) | m.take(0, {}) | xp.compress([1], m, {}) | m.compress([1], {}) | xp.repeat(m, 2, {})
    m.repeat(2, {})
"""
PARTS = """
    xp.delete(m, 0, {}) | xp.insert(m, 0, 1, {}) | xp.append(m, m, {}) | xp.diff(m, axis={})
    xp.trapezoid(m, axis={})
"""
AXES = """
    2 ; -3 ; 0.0 ; np.float64(0) ; 'a' ; (0, 5) ; np.int64(1) ; np.uint8(1) ; np.int8(-1) ; (np.int64(0), np.int8(1))
    1j ; None
"""
EMPTY = """
    xp.mean({}) | xp.average({}) | xp.var({}) | xp.median({}) | xp.nanmedian({}) | xp.percentile({}, 50)
    xp.nanpercentile({}, 50)
    xp.max({}) | xp.nanmax({}) | xp.argmax({}) | xp.nanargmax({}) | xp.ptp({}) | xp.cov({}) | xp.quantile({}, 0.5)
    {}.max()
    {}.argmax() | xp.trapezoid({}) | xp.gradient({}) | xp.bincount({}.astype(int))
"""
QUANTILES = """
    xp.percentile(v, {}) | xp.quantile(v, {}) | xp.nanpercentile(v, {}) | xp.nanquantile(v, {})
    xp.quantile(v, {}, weights=v + 1, method="inverted_cdf")
"""
WEIGHTS = """
    xp.percentile(v, 50, weights={}, method="inverted_cdf") | xp.nanquantile(v, 0.5, weights={}, method="inverted_cdf")
    xp.average(v, weights={}) | xp.cov(v, aweights={}) | xp.cov(v, fweights={}) | xp.histogram(v, 3, weights={})
    xp.histogram_bin_edges(v, 3, weights={})
"""
INDICES = """
    xp.take(v, {}) | v.take({}) | xp.put(v, {}, 1) | xp.delete(v, {}) | xp.insert(v, {}, 9) | v[{}]
    xp.choose({}, [v, w])
    xp.compress({}, v) | v.compress({}) | xp.select([{}], [v]) | xp.bincount({}) | xp.unravel_index({}, (2, 3))
"""
JOINING = "xp.stack({}) | xp.vstack({}) | xp.hstack({}) | xp.dstack({}) | xp.column_stack({}) | xp.concatenate({})"
TRAPEZOIDS = """
    xp.trapezoid(v, {}) | sp.integrate.trapezoid(v, {}) | sp.integrate.cumulative_trapezoid(v, {})
    sp.integrate.simpson(v, x={}) | xp.gradient(v, {})
"""
CONVOLUTIONS = """
    xp.convolve({}, v) | xp.convolve(v, {}) | xp.correlate({}, v) | sp.signal.convolve({}, v)
    sp.signal.correlate({}, v)
    sp.signal.fftconvolve({}, v) | sp.signal.oaconvolve({}, v) | sp.signal.upfirdn({}, v)
"""
SERIES = """
    xp.polynomial.polynomial.poly{} | xp.polynomial.chebyshev.cheb{} | xp.polynomial.legendre.leg{}
    xp.polynomial.laguerre.lag{} | xp.polynomial.hermite.herm{} | xp.polynomial.hermite_e.herme{}
"""
SERIES_CALLS = """
    val(v, e) ; val(z, v) ; der(v, -1) ; der(v, 1.5) ; der(v, 1, axis=3) ; der(v, np.int64(1)) ; int(v, -1)
    int(v, 1, [1, 2])
    int(v, 2, lbnd=[1]) ; vander(v, -1) ; vander(v, 1.5) ; vander(v, np.int64(2)) ; vander2d(v, w, [1])
    vander2d(v, w[:3], [1, 1])
    fit(v, w, -1) ; fit(v, w[:3], 1) ; fit(m, w, 1) ; fit(e, e, 1) ; fit(v, w, 1.5) ; fit(v, w, 1, w=m) ; roots(m)
    fromroots(m) ; companion([1]) ; div(v, [0]) ; div(m, v) ; add(v, e) ; sub(v, []) ; mul(v, m) ; mulx([])
    pow(v, -1)
    pow(v, 1.5) ; pow(v, 20, maxpower=3) ; pow(v, np.int64(2)) ; val2d(v, w[:3], m) ; trim(v, -1) ; trim(m)
"""
TRANSFORMS = """
    fft(v, 0) ; fft(v, -1) ; fft(v, 1.5) ; fft(v, np.int64(3)) ; fft(v, axis=1) ; fft(v, axis=0.5) ; fft(z) ; fft(e)
    fft(v, norm="no") ; rfft(c) ; irfft(v, -2) ; ihfft(c) ; fft2(v) ; fft2(m, (1,)) ; fft2(m, axes=(0, 5))
    fftn(m, (1, 2, 3))
    rfftn(c) ; fftfreq(0) ; fftfreq(1.5) ; fftfreq(np.int64(3)) ; rfftfreq(0) ; fftshift(m, 5) ; fftshift(m, 0.5)
"""
WINDOWS = """
    hann(-1) ; hann(1.5) ; hann("a") ; hann(np.int64(5)) ; taylor(5, 0) ; taylor(5, 2.5) ; general_cosine(5, m)
    tukey(5, "a")
    dpss(5, 3) ; dpss(5, 1, 6) ; dpss(5, 1, norm="no") ; kaiser_bessel_derived(5, 1) ; boxcar(2.5) ; parzen(-2)
"""
TABLE = [
    (EDGES, "v ; e ; n ; f ; u ; [1e308, -1e308] ; [1, 1 + 2**-52] ; [0.0, 5e-324]"),
    (BINS, "0 ; -1 ; 2.5 ; [3, 2, 1] ; [[1, 2]] ; [1, 1] ; np.int64(2) ; np.uint8(2) ; np.float64(2) ; 1j"),
    (RANGES, "(1, 0) ; (0, np.inf) ; (np.nan, 1) ; (0,) ; (1, 1) ; (0, 5e-324) ; (-1e308, 1e308) ; (1, 1 + 2e-16)"),
    (SPACES, "0 ; np.inf ; 1j ; 'a' ; v + 1 ; np.float32(3) ; np.uint8(3)"),
    (COUNTS, "0 ; -1 ; 2.5 ; None ; '3' ; np.int64(3) ; np.uint8(3) ; np.float64(3) ; True ; [3]"),
    *((row, AXES) for row in (MEANS, SPREADS, SUMS, PLACES, ORDERS, SHAPES, TAKERS, PARTS)),
    (EMPTY, "e ; m[:0] ; m[:, :0] ; z"),
    (QUANTILES, "-1 ; 101 ; np.nan ; [] ; [[[0.5]]] ; [[0.5]] ; [0.5, 2e3] ; xp.asarray([[[0.5]]]) ; np.float32(0.5)"),
    (WEIGHTS, "v ; m ; w[:3] ; -v ; v * 0 ; e ; i ; [1, 0, 0, 1] ; [1.5, 1, 1, 1] ; w"),
    (INDICES, "i ; [9] ; [-9] ; v ; e ; [] ; [[0, 1]]"),
    (JOINING, "[] ; [z] ; [v, m] ; [v, v[:3]] ; v ; z ; [v, 1] ; (x for x in [v]) ; [e, v] ; [v, c] ; 5"),
    (TRAPEZOIDS, "w[:3] ; m ; e ; z ; n"),
    (CONVOLUTIONS, "v ; e ; m ; z ; c ; []"),
    (SERIES, SERIES_CALLS),
    ("xp.fft.{} | sp.fft.{}", TRANSFORMS),
    ("sp.signal.windows.{}", WINDOWS),
    ("sp.signal.get_window('hann', {})", "0 ; -1 ; 5.0 ; 2.5 ; np.int64(4) ; np.uint8(4) ; np.float64(4)"),
    ("xp.interp(v, v, w, left={}) | xp.interp(v, v, w, right={})", "0 ; 1j ; v ; np.float32(2) ; np.nan"),
    (
        "xp.round(m, out={}) | m.round(out={})",
        "xp.zeros((2, 3)) ; xp.zeros(3) ; xp.zeros((1, 2, 3)) ; xp.zeros((2, 3), int)",
    ),
]


def split(text, mark):
    return [part.strip() for line in text.strip().splitlines() for part in line.split(f" {mark} ")]


def outcome(call, xp, sp, convert):
    names = {name: convert(value) for name, value in HOSTS.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = eval(call, {"xp": xp, "sp": sp, "np": np, **names})
            # GPUs find indices that are out of bounds when a result is read.
            return result.get() if isinstance(result, cp.ndarray) else result
        except Exception as error:
            return error


@pytest.mark.parametrize(("call", "arguments"), [(call, row[1]) for row in TABLE for call in split(row[0], "|")])
def test_what_raises(call, arguments):
    for argument in split(arguments, ";"):
        text = call.replace("{}", argument)
        wanted = outcome(text, np, scipy, np.copy)
        given = outcome(text, cp, cp.scipy, cp.asarray)
        assert isinstance(given, Exception) == isinstance(wanted, Exception), (text, wanted, given)
        if isinstance(wanted, Exception):
            same = isinstance(given, type(wanted)) or isinstance(wanted, type(given))
            assert same, (text, repr(wanted), repr(given))


def test_bins_that_are_too_narrow():
    for call in (cp.histogram, cp.histogram_bin_edges):
        for values, count in (([1e308, -1e308], 3), ([1.0, 1.0 + 2**-52], 3), ([0.0, 1e-320], 10_000)):
            with pytest.raises(
                ValueError, match=rf"Too many bins for data range. Cannot create {count} finite-sized bins"
            ):
                call(cp.asarray(values), count)
    # The width of these bins is rounded to a multiple of the least number, so the last edge would lie before others.
    with pytest.raises(ValueError, match="Too many bins"):
        cp.histogram(cp.asarray([1.04e-322, 4.857e-321]), 127)
    half = cp.asarray([1.0, 1.1], np.float16)
    with pytest.raises(ValueError, match="Too many bins"):
        cp.histogram(half, 1000)
    counts, edges = cp.histogram(cp.asarray([1.0, 1.0 + 8 * 2**-52]), 8)
    assert cp.asnumpy(counts).tolist() == [1, 0, 0, 0, 0, 0, 0, 1] and bool((edges[1:] > edges[:-1]).all())


def test_histograms_of_bools_warn():
    for name in ("histogram", "histogram_bin_edges"):
        with pytest.warns(RuntimeWarning) as wanted:
            getattr(np, name)(HOSTS["b"])
        with pytest.warns(RuntimeWarning) as given:
            getattr(cp, name)(cp.asarray(HOSTS["b"]))
        assert [str(warning.message) for warning in given] == [str(warning.message) for warning in wanted]
