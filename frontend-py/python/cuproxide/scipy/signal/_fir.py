"""The design of filters with finite impulse responses: a handful of numbers, computed on the host."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ._windows import host_window

__all__ = [
    "firls",
    "firwin",
    "firwin2",
    "firwin_2d",
    "kaiser_atten",
    "kaiser_beta",
    "kaiserord",
    "minimum_phase",
    "remez",
]


def sampling_rate(fs: Any, default: float = 2.0) -> float:
    """The sampling frequency, a single number."""
    if fs is None:
        return default
    values = np.asarray(fs)
    if values.size != 1 or values.ndim:
        raise ValueError("Sampling frequency fs must be a single scalar.")
    return float(values)


def given_rate(fs: Any) -> Any:
    if fs is None:
        raise ValueError("Sampling frequency can not be none: fs=None")
    return fs


def kaiser_beta(a: float) -> float:
    """The `beta` of Kaiser's window for an attenuation of `a` dB. See `scipy.signal.kaiser_beta`.

    Parameters
    ----------
    a : float
        The attenuation, in decibels.

    >>> import cuproxide as cp
    >>> round(cp.scipy.signal.kaiser_beta(65.0), 4)
    6.2043
    """
    if a > 50:
        return 0.1102 * (a - 8.7)
    return 0.5842 * (a - 21) ** 0.4 + 0.07886 * (a - 21) if a > 21 else 0.0


def kaiser_atten(numtaps: int, width: float) -> float:
    """The attenuation in dB of a filter by Kaiser's window with a transition of `width` (1 is Nyquist's frequency).

    >>> import cuproxide as cp
    >>> round(cp.scipy.signal.kaiser_atten(211, 0.0375), 3)
    64.481
    """
    return 2.285 * (numtaps - 1) * np.pi * width + 7.95


def kaiserord(ripple: float, width: float) -> tuple[int, float]:
    """The number of taps and the `beta` of Kaiser's window for a ripple in dB and a transition of `width`.

    Parameters
    ----------
    ripple : float
        The ripple in decibels.

    Returns
    -------
    tuple[int, float]

    Raises
    ------
    ValueError
        For ripples below 8 dB.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.kaiserord(65.0, 0.1)[0]
    81
    """
    ripple = abs(ripple)
    if ripple < 8:
        raise ValueError("Requested maximum ripple attenuation is too small for the Kaiser formula.")
    return int(math.ceil((ripple - 7.95) / 2.285 / (np.pi * width) + 1)), kaiser_beta(ripple)


_SHAPES = {"lowpass": (True, 1), "highpass": (False, 1), "bandpass": (False, 2), "bandstop": (True, 2)}


def firwin(
    numtaps: int,
    cutoff: Any,
    *,
    width: float | None = None,
    window: Any = "hamming",
    pass_zero: Any = True,
    scale: bool = True,
    fs: Any = None,
) -> Any:
    """The taps of a filter by the window method.

    Parameters
    ----------
    numtaps : int
        The number of taps; odd, if frequencies up to Nyquist's pass.
    cutoff : float or array_like
        The edges of bands, in units of `fs`.
    width : float, optional
        The width of transitions; then Kaiser's window is used.
    window : str, tuple or float
        The window; see `get_window`.
    pass_zero : bool or {'bandpass', 'lowpass', 'highpass', 'bandstop'}
        Whether the constant passes.
    scale : bool
        Whether the gain at the middle of the first band is 1.

    Raises
    ------
    ValueError
        Edges are out of range or do not increase, or the number of taps does not fit.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.firwin(3, 0.5).round(4)
    array([0.0462, 0.9076, 0.0462])
    """
    nyquist = 0.5 * sampling_rate(fs)
    edges = np.atleast_1d(np.asarray(cutoff, float)) / nyquist
    if edges.ndim > 1:
        raise ValueError("The cutoff argument must be at most one-dimensional.")
    if edges.size == 0:
        raise ValueError("At least one cutoff frequency must be given.")
    if edges.min() <= 0 or edges.max() >= 1:
        raise ValueError("Invalid cutoff frequency: frequencies must be greater than 0 and less than fs/2.")
    if np.any(np.diff(edges) <= 0):
        raise ValueError("Invalid cutoff frequencies: the frequencies must be strictly increasing.")
    if width is not None:
        window = ("kaiser", kaiser_beta(kaiser_atten(numtaps, float(width) / nyquist)))
    if isinstance(pass_zero, str):
        if pass_zero not in _SHAPES:
            raise ValueError(f'pass_zero must be True, False, "bandpass", "lowpass", "highpass", or "bandstop", got '
                             f"{pass_zero}")  # fmt: skip
        name, (pass_zero, least) = pass_zero, _SHAPES[pass_zero]
        if least == 1 and edges.size != 1:
            raise ValueError(f'cutoff must have one element if pass_zero=="{name}", got {edges.shape}')
        if least == 2 and edges.size < 2:
            raise ValueError(f'cutoff must have at least two elements if pass_zero=="{name}", got {edges.shape}')
    else:
        if not np.isscalar(pass_zero) or pass_zero not in (True, False):
            raise ValueError(
                f"Parameter pass_zero={pass_zero} not in (True, False, 'bandpass', 'lowpass', 'highpass', 'bandstop')"
            )
        pass_zero = bool(pass_zero)
    pass_nyquist = bool(edges.size & 1) ^ pass_zero
    if pass_nyquist and numtaps % 2 == 0:
        raise ValueError(
            "A filter with an even number of coefficients must have zero response at the Nyquist frequency."
        )
    bands = np.concatenate(([0.0] * pass_zero, edges, [1.0] * pass_nyquist)).reshape(-1, 2)
    m = np.arange(numtaps) - 0.5 * (numtaps - 1)
    h = np.zeros(numtaps)
    for left, right in bands:
        h += right * np.sinc(right * m) - left * np.sinc(left * m)
    h *= host_window(window, numtaps, fftbins=False)
    if scale:
        left, right = bands[0]
        middle = 0.0 if left == 0 else 1.0 if right == 1 else 0.5 * (left + right)
        h /= np.sum(h * np.cos(np.pi * m * middle))
    return h


def firwin2(
    numtaps: int,
    freq: Any,
    gain: Any,
    *,
    nfreqs: int | None = None,
    window: Any = "hamming",
    antisymmetric: bool = False,
    fs: Any = None,
) -> Any:
    """The taps of a filter whose gain is piecewise linear, by the window method.

    Parameters
    ----------
    numtaps : int
        The number of taps, less than `nfreqs`.
    freq, gain : array_like
        Frequencies from 0 to `fs` / 2, and the gains there.
    nfreqs : int, optional
        The number of frequencies at which the gain is sampled: a power of two, and one.
    window : str, tuple, float or None
        The window; see `get_window`.
    antisymmetric : bool
        Whether the taps have odd symmetry.

    Raises
    ------
    ValueError
        Frequencies and gains are not those that a filter of this kind can have.

    >>> import cuproxide as cp
    >>> abs(cp.scipy.signal.firwin2(3, [0.0, 1.0], [1.0, 1.0]).round(4))
    array([0., 1., 0.])
    """
    nyquist = 0.5 * sampling_rate(fs)
    freq, gain = np.array(freq, float), np.asarray(gain, float)
    if len(freq) != len(gain):
        raise ValueError("freq and gain must be of same length.")
    if nfreqs is not None and numtaps >= nfreqs:
        raise ValueError(f"ntaps must be less than nfreqs, but firwin2 was called with ntaps={numtaps} and "
                         f"nfreqs={nfreqs}")  # fmt: skip
    if freq[0] != 0 or freq[-1] != nyquist:
        raise ValueError("freq must start with 0 and end with fs/2.")
    step = np.diff(freq)
    if (step < 0).any():
        raise ValueError("The values in freq must be nondecreasing.")
    if (step[:-1] + step[1:] == 0).any():
        raise ValueError("A value in freq must not occur more than twice.")
    if freq[1] == 0:
        raise ValueError("Value 0 must not be repeated in freq")
    if freq[-2] == nyquist:
        raise ValueError("Value fs/2 must not be repeated in freq")
    kind = (3 if numtaps % 2 else 4) if antisymmetric else (1 if numtaps % 2 else 2)
    if kind == 2 and gain[-1] != 0.0:
        raise ValueError("A Type II filter must have zero gain at the Nyquist frequency.")
    if kind == 3 and (gain[0] != 0.0 or gain[-1] != 0.0):
        raise ValueError("A Type III filter must have zero gain at zero and Nyquist frequencies.")
    if kind == 4 and gain[0] != 0.0:
        raise ValueError("A Type IV filter must have zero gain at zero frequency.")
    if nfreqs is None:
        nfreqs = 1 + 2 ** math.ceil(math.log2(numtaps))
    if (step == 0).any():
        # The sides of a jump are moved apart.
        for i in range(len(freq) - 1):
            if freq[i] == freq[i + 1]:
                freq[i] -= np.finfo(float).eps * nyquist
                freq[i + 1] += np.finfo(float).eps * nyquist
        if (np.diff(freq) <= 0).any():
            raise ValueError("freq cannot contain numbers that are too close (within eps * (fs/2): "
                             f"{np.finfo(float).eps * nyquist}) to a repeated value")  # fmt: skip
    x = np.linspace(0.0, nyquist, nfreqs)
    shift = np.exp(-(numtaps - 1) / 2.0 * 1j * np.pi * x / nyquist) * (1j if kind > 2 else 1)
    taps = np.fft.irfft(np.interp(x, freq, gain) * shift)[:numtaps]
    if window is not None:
        taps = taps * host_window(window, numtaps, fftbins=False)
    if kind == 3:
        taps[taps.size // 2] = 0.0
    return taps


def firwin_2d(
    hsize: Any,
    window: Any,
    *,
    fc: Any = None,
    fs: Any = 2,
    circular: bool = False,
    pass_zero: Any = True,
    scale: bool = True,
) -> Any:
    """The taps of a filter of images by the window method, a product of two filters or round.

    Parameters
    ----------
    hsize : tuple of two int
        The size.
    window : tuple or list of two windows, or one if `circular`
        See `get_window`.
    fc, fs, pass_zero, scale
        Those of `firwin`.
    circular : bool
        Whether the filter is a function of the radius.

    Returns
    -------
    ndarray
        The taps, of the shape `hsize`.

    Raises
    ------
    ValueError
        Sizes or windows are not two, or a round filter has no `fc`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.firwin_2d((3, 3), ("hamming", "hamming"), fc=0.5).shape
    (3, 3)
    """
    if len(hsize) != 2:
        raise ValueError("hsize must be a 2-element tuple or list.")
    if circular:
        if fc is None:
            raise ValueError("Cutoff frequency `fc` must be provided when `circular` is True.")
        count = max(hsize[0], hsize[1]) * 8
        taps = firwin(count, cutoff=fc, window=window, fs=fs, pass_zero=pass_zero, scale=scale)
        x, y = np.meshgrid(np.linspace(-1, 1, hsize[0]), np.linspace(-1, 1, hsize[1]))
        found = np.interp(np.hypot(x, y), np.linspace(0, 1, count), taps)
        return found
    if len(window) != 2:
        raise ValueError("window must be a 2-element tuple or list.")
    row, column = (
        firwin(size, cutoff=fc, window=shape, fs=fs, pass_zero=pass_zero, scale=scale)
        for size, shape in zip(hsize, window, strict=True)
    )
    return np.outer(row, column)


def firls(numtaps: int, bands: Any, desired: Any, *, weight: Any = None, fs: Any = None) -> Any:
    """The taps of a filter whose gain is nearest in the mean square to a piecewise linear one.

    Parameters
    ----------
    numtaps : int
        The odd number of taps.
    bands : array_like
        The edges of bands, two for each.
    desired : array_like
        The gains at the edges.
    weight : array_like, optional
        The weights of the bands.

    Raises
    ------
    ValueError
        The number of taps is even, or bands, gains and weights do not fit.

    See Also
    --------
    scipy.signal.firls : The function that this one follows; Selesnick 2005.

    >>> import cuproxide as cp
    >>> abs(cp.scipy.signal.firls(3, [0.0, 1.0], [1.0, 1.0]).round(4))
    array([0., 1., 0.])
    """
    nyquist = 0.5 * sampling_rate(fs)
    numtaps = int(numtaps)
    if numtaps % 2 == 0 or numtaps < 1:
        raise ValueError("numtaps must be odd and >= 1")
    half = (numtaps - 1) // 2
    bands = np.asarray(bands, float).flatten() / nyquist
    if len(bands) % 2:
        raise ValueError("bands must contain frequency pairs.")
    if (bands < 0).any() or (bands > 1).any():
        raise ValueError("bands must be between 0 and 1 relative to Nyquist")
    bands = bands.reshape(-1, 2)
    desired = np.asarray(desired, float).flatten()
    if bands.size != desired.size:
        raise ValueError(f"desired must have one entry per frequency, got {desired.size} gains for {bands.size} "
                         "frequencies.")  # fmt: skip
    desired = desired.reshape(-1, 2)
    if (np.diff(bands) <= 0).any() or (np.diff(bands[:, 0]) < 0).any():
        raise ValueError("bands must be monotonically nondecreasing and have width > 0.")
    if (bands[:-1, 1] > bands[1:, 0]).any():
        raise ValueError("bands must not overlap.")
    if (desired < 0).any():
        raise ValueError("desired must be non-negative.")
    weight = np.ones(len(desired)) if weight is None else np.asarray(weight, float).flatten()
    if len(weight) != len(desired):
        raise ValueError("weight must be the same size as the number of band pairs.")
    if (weight < 0).any():
        raise ValueError("weight must be non-negative.")
    n = np.arange(numtaps)[:, None, None]
    q = np.diff(np.sinc(bands * n) * bands, axis=2)[:, :, 0] @ weight
    order = np.arange(half + 1)
    # Toeplitz and Hankel: products of cosines.
    matrix = q[abs(order[:, None] - order)] + q[order[:, None] + order]
    slope = np.diff(desired, axis=1) / np.diff(bands, axis=1)
    constant = desired[:, :1] - bands[:, :1] * slope
    n = n[: half + 1]
    right = bands * (slope * bands + constant) * np.sinc(bands * n)
    right[0] -= slope * bands * bands / 2.0
    right[1:] += slope * np.cos(n[1:] * np.pi * bands) / (np.pi * n[1:]) ** 2
    right = np.diff(right, axis=2)[:, :, 0] @ weight
    try:
        if np.linalg.cond(matrix) > 1 / np.finfo(float).eps:
            raise np.linalg.LinAlgError
        found = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        found = np.linalg.lstsq(matrix, right, rcond=None)[0]
    return np.concatenate((found[:0:-1], [2 * found[0]], found[1:]))


def _barycentric(nodes: np.ndarray) -> np.ndarray:
    """Weights of the interpolation at nodes, up to a common factor."""
    differences = 2 * (nodes[:, None] - nodes)
    np.fill_diagonal(differences, 1.0)
    # Sums of logarithms, since products of many differences leave the range.
    logarithm = -np.log(abs(differences)).sum(1)
    return np.exp(logarithm - logarithm.max()) * np.prod(np.sign(differences), 1)


def _interpolated(x: np.ndarray, nodes: np.ndarray, weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    distance = x[:, None] - nodes
    hit = distance == 0
    distance[hit] = 1.0
    terms = weights / distance
    found = (terms @ values) / terms.sum(1)
    rows, columns = np.nonzero(hit)
    found[rows] = values[columns]
    return found


def _alternation(error: np.ndarray, ends: list[tuple[int, int]], count: int) -> np.ndarray:
    """The places of `count` extrema of alternating sign; each band is a range of places."""
    places: list[int] = []
    for start, stop in ends:
        e = error[start:stop]
        rising = np.concatenate(([True], e[1:] >= e[:-1])) & np.concatenate((e[:-1] > e[1:], [True]))
        falling = np.concatenate(([True], e[1:] <= e[:-1])) & np.concatenate((e[:-1] < e[1:], [True]))
        places.extend(start + np.flatnonzero((rising & (e > 0)) | (falling & (e < 0))))
    kept: list[int] = []
    for place in places:
        if kept and (error[kept[-1]] > 0) == (error[place] > 0):
            if abs(error[place]) > abs(error[kept[-1]]):
                kept[-1] = place
        else:
            kept.append(place)
    while len(kept) > count:
        if len(kept) - count == 1:
            # One too many: the smaller of both ends.
            kept.pop(0 if abs(error[kept[0]]) < abs(error[kept[-1]]) else -1)
            continue
        # Two too many: the neighbours of which the larger one is least.
        least = min(range(len(kept) - 1), key=lambda i: max(abs(error[kept[i]]), abs(error[kept[i + 1]])))
        inner = max(abs(error[kept[least]]), abs(error[kept[least + 1]]))
        if inner < min(abs(error[kept[0]]), abs(error[kept[-1]])):
            del kept[least : least + 2]
        else:
            kept.pop(0 if abs(error[kept[0]]) < abs(error[kept[-1]]) else -1)
    return np.array(kept, int)


def remez(
    numtaps: int,
    bands: Any,
    desired: Any,
    *,
    weight: Any = None,
    type: str = "bandpass",
    maxiter: int = 25,
    grid_density: int = 16,
    fs: Any = None,
) -> Any:
    """The taps of the filter with the least greatest error, by the exchange of Parks and McClellan.

    Parameters
    ----------
    bands : array_like
        The edges of bands, two for each, from 0 to `fs` / 2.
    desired : array_like
        The gain in each band.
    weight : array_like, optional
        The weight of each band.
    type : {'bandpass', 'differentiator', 'hilbert'}
        Even symmetry, odd symmetry with a gain proportional to the frequency, or odd symmetry.
    maxiter, grid_density : int
        The most exchanges, and how densely frequencies lie.
    fs : float, optional
        The sampling frequency, by default 1.

    Raises
    ------
    ValueError
        An argument is out of range, or the exchange did not converge.

    See Also
    --------
    scipy.signal.remez : The function that this one follows; McClellan and Parks 1973.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.remez(5, [0.0, 0.1, 0.2, 0.5], [1.0, 0.0]).round(3)
    array([0.172, 0.273, 0.281, 0.273, 0.172])
    """
    fs = sampling_rate(fs, 1.0)
    kinds = {"bandpass": 1, "differentiator": 2, "hilbert": 3}
    if type not in kinds:
        raise ValueError("Type must be 'bandpass', 'differentiator', or 'hilbert'")
    bands, desired = np.asarray(bands, float).ravel(), np.asarray(desired, float).ravel()
    if len(bands) % 2 or len(bands) // 2 != len(desired):
        raise ValueError("The inputs desired must have half as many elements as bands.")
    weight = np.ones(len(desired)) if weight is None else np.asarray(weight, float).ravel()
    if len(weight) != len(desired):
        raise ValueError("The inputs weight and desired must have the same length.")
    if numtaps < 2 or maxiter < 1 or grid_density < 1:
        raise ValueError("The number of taps must be at least 2, and maxiter and grid_density positive.")
    bands = (bands / fs).reshape(-1, 2)
    if (np.diff(bands.ravel()) < 0).any():
        raise ValueError("Bands must be monotonic starting at zero.")
    if bands.min() < 0 or bands.max() > 0.5:
        raise ValueError("Band edges should be less than 1/2 the sampling frequency")
    odd = numtaps % 2
    even_symmetry = type == "bandpass"
    half = numtaps // 2
    order = half + 1 if odd and even_symmetry else half
    step = 0.5 / (grid_density * order)
    grids, wanted, weights = [], [], []
    for number, (low, high) in enumerate(bands):
        start = max(low, step) if number == 0 and not even_symmetry else low
        f = start + step * np.arange(max(int((high - start) / step + 0.5), 1))
        f[-1] = high
        # A gain that the symmetry makes zero at Nyquist's frequency is not asked for there.
        if number == len(bands) - 1 and even_symmetry != bool(odd) and f[-1] > 0.5 - step:
            f = f[:-1]
        if f.size == 0:
            continue
        gain = np.full(f.size, desired[number])
        scale = np.full(f.size, weight[number])
        if type == "differentiator":
            gain = gain * f
            # Relative errors in bands that pass.
            scale = scale / f if desired[number] > 1e-4 else scale
        grids.append(f)
        wanted.append(gain)
        weights.append(scale)
    f, gain, scale = np.concatenate(grids), np.concatenate(wanted), np.concatenate(weights)
    # The response is a fixed factor times a sum of cosines.
    if even_symmetry:
        factor = np.ones(f.size) if odd else np.cos(np.pi * f)
    else:
        factor = np.sin(2 * np.pi * f) if odd else np.sin(np.pi * f)
    gain, scale = gain / factor, scale * factor
    ends, position = [], 0
    for part in grids:
        ends.append((position, position + part.size))
        position += part.size
    if f.size < order + 1:
        raise ValueError("The grid has too few frequencies for this number of taps.")
    x = np.cos(2 * np.pi * f)
    places = np.linspace(0, f.size - 1, order + 1).astype(int)
    for _ in range(maxiter):
        nodes = x[places]
        all_weights = _barycentric(nodes)
        signs = (-1.0) ** np.arange(order + 1)
        deviation = (all_weights @ gain[places]) / (all_weights @ (signs / scale[places]))
        values = gain[places] - signs * deviation / scale[places]
        # The polynomial goes through all nodes; one less determines it.
        inner = _barycentric(nodes[:-1])
        response = _interpolated(x, nodes[:-1], inner, values[:-1])
        error = scale * (gain - response)
        error[places] = signs * deviation
        following = _alternation(error, ends, order + 1)
        if following.size < order + 1:
            raise ValueError("Failure to converge: too few extrema were found, because the filter is too long or the "
                             "bands are too narrow.")  # fmt: skip
        if np.array_equal(following, places) or np.ptp(abs(error[following])) <= 1e-4 * abs(error[following]).max():
            places = following
            break
        places = following
    else:
        warnings.warn("remez did not converge within maxiter exchanges", RuntimeWarning, stacklevel=3)
    nodes = x[places]
    all_weights = _barycentric(nodes)
    signs = (-1.0) ** np.arange(order + 1)
    deviation = (all_weights @ gain[places]) / (all_weights @ (signs / scale[places]))
    values = gain[places] - signs * deviation / scale[places]
    inner = _barycentric(nodes[:-1])
    # Taps are the transform of the response at evenly spaced frequencies.
    frequencies = np.arange(numtaps) / numtaps
    sums = _interpolated(np.cos(2 * np.pi * frequencies), nodes[:-1], inner, values[:-1])
    m = np.arange(numtaps) - (numtaps - 1) / 2
    if even_symmetry:
        amplitude = sums * (1.0 if odd else np.cos(np.pi * frequencies))
        return (amplitude * np.cos(2 * np.pi * np.outer(m, frequencies))).sum(1) / numtaps
    amplitude = sums * (np.sin(2 * np.pi * frequencies) if odd else np.sin(np.pi * frequencies))
    return -(amplitude * np.sin(2 * np.pi * np.outer(m, frequencies))).sum(1) / numtaps


def minimum_phase(h: Any, method: str = "homomorphic", n_fft: int | None = None, *, half: bool = True) -> Any:
    """The taps of the filter of minimum phase that a filter of linear phase leads to.

    Parameters
    ----------
    h : array_like
        The symmetric taps.
    method : {'homomorphic', 'hilbert'}
        By the cepstrum, or by the Hilbert transform, for filters of equal ripple with gains of 0 or 1.
    n_fft : int, optional
        The length of transforms.
    half : bool
        Whether the filter has half the length and the square root of the gain ("homomorphic").

    Returns
    -------
    ndarray
        The taps, (n + 1) // 2 of them if `half`, else n.

    Raises
    ------
    ValueError
        `h` is complex or has less than three taps, or an argument is unknown.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.minimum_phase([1.0, 2.5, 1.0]).round(3)
    array([1.414, 0.707])
    """
    h = np.asarray(h)
    if h.dtype.kind == "c":
        raise ValueError("Complex filters not supported")
    kind = np.float32 if h.dtype in (np.float16, np.float32) else np.float64
    h = h.astype(float)
    if h.ndim != 1 or h.size <= 2:
        raise ValueError("h must be 1-D and at least 2 samples long")
    middle = h.size // 2
    if not np.allclose(h[-middle:][::-1], h[:middle]):
        warnings.warn("h does not appear to by symmetric, conversion may fail", RuntimeWarning, stacklevel=3)
    if not isinstance(method, str) or method not in ("homomorphic", "hilbert"):
        raise ValueError(f'method must be "homomorphic" or "hilbert", got {method!r}')
    if method == "hilbert" and not half:
        raise ValueError("`half=False` is only supported when `method='homomorphic'`")
    if n_fft is None:
        n_fft = 2 ** math.ceil(math.log2(2 * (h.size - 1) / 0.01))
    n_fft = int(n_fft)
    if n_fft < h.size:
        raise ValueError(f"n_fft must be at least len(h)=={h.size}")
    if method == "hilbert":
        w = np.arange(n_fft) * (2 * np.pi / n_fft * middle)
        response = np.real(np.fft.fft(h, n_fft) * np.exp(1j * w))
        passing, stopping = response.max() - 1, -response.min()
        scale = 4.0 / (np.sqrt(1 + passing + stopping) + np.sqrt(1 - passing + stopping)) ** 2
        magnitude = np.sqrt((response + stopping) * scale) + 1e-10
        side = np.sign(np.fft.fftfreq(n_fft))
        side[n_fft // 2] = 0
        phase = np.fft.fft(side * np.fft.ifft(np.log(magnitude)))
        return np.fft.ifft(magnitude * np.exp(phase)).real[: middle + h.size % 2].astype(kind)
    magnitude = abs(np.fft.fft(h, n_fft))
    magnitude += 1e-7 * magnitude[magnitude > 0].min()
    logarithm = np.log(magnitude)
    cepstrum = np.fft.ifft(0.5 * logarithm if half else logarithm).real
    fold = np.zeros(n_fft)
    fold[0] = 1
    fold[1 : n_fft // 2] = 2
    fold[n_fft // 2] = n_fft % 2
    found = np.fft.ifft(np.exp(np.fft.fft(cepstrum * fold))).real
    return found[: middle + h.size % 2 if half else h.size].astype(kind)
