"""Filters that smooth: by rank, by statistics of the neighbourhood, by local polynomials."""

from __future__ import annotations

import functools
import math
import operator
import warnings
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_host
from ..._lib.routes import way
from ._convolution import sliding

__all__ = ["medfilt", "medfilt2d", "order_filter", "savgol_coeffs", "savgol_filter", "wiener"]

# Up to so many values are selected from in registers, by exchanges of pairs; more by the bits of the value sought.
FEW = 81


class _Network:
    """Selection by exchanges of pairs, of arrays or of values in a kernel."""

    def __init__(self, minimum: Any, maximum: Any) -> None:
        self.minimum, self.maximum = minimum, maximum

    def exchange(self, values: list[Any], i: int, j: int) -> None:
        """Puts the smaller of two values in the first place."""
        values[i], values[j] = self.minimum(values[i], values[j]), self.maximum(values[i], values[j])

    def median(self, values: list[Any]) -> Any:
        """The median of an odd number of values, by forgetting extremes: they cannot be the median of all."""
        count = len(values)
        held = values[: count // 2 + 2] if count > 1 else values
        rest = values[len(held) :]
        while len(held) > 2:
            last = len(held) - 1
            # Pairs first, so that the least is among one half and the greatest among the other.
            for i in range(len(held) // 2):
                self.exchange(held, i, last - i)
            for i in range(1, (len(held) + 1) // 2):
                self.exchange(held, 0, i)
            for i in range(len(held) // 2, last):
                self.exchange(held, i, last)
            held = held[1:-1]
            if rest:
                held.append(rest.pop())
        return held[0]

    def ranked(self, values: list[Any], rank: int) -> Any:
        """The value of some rank, from the nearer end on."""
        count = len(values)
        if count % 2 and rank == count // 2:
            return self.median(values)
        upwards = rank < count - 1 - rank
        for _ in range(min(rank, count - 1 - rank)):
            for i in range(1, len(values)):
                self.exchange(values, *((0, i) if upwards else (i, 0)))
            values = values[1:]
        extreme = self.minimum if upwards else self.maximum
        found = values[0]
        for value in values[1:]:
            found = extreme(found, value)
        return found


@k.kernel
def _neighbours(x: k.Array, *, places, rank):
    """The value of some rank among the elements at places from a point."""
    at = k.coordinates()
    values = [x[tuple(start + shift for start, shift in zip(at, place, strict=True))] for place in places]
    return _Network(k.minimum, k.maximum).ranked(values, rank)


@k.kernel
def _select(keys: k.Array, offsets: k.Array, base: k.Each, rank: int, *, bits, kind):
    """The key of some rank among those at offsets from a place, its bits from the highest on."""
    found = k.value(0, kind)
    one = k.value(1, kind)
    for number in k.steps(bits):
        bit = one << (bits - 1 - number).astype(kind)
        trial = found | bit
        below = 0
        for t in k.steps(offsets.shape[0]):
            below = below + (keys[base + offsets[t]] < trial)
        found = k.where(below <= rank, trial, found)
    return found


def _keys(x: ndarray) -> tuple[ndarray, Any]:
    """Unsigned integers in the order of the values, and the way back."""
    width = x.dtype.itemsize
    unsigned = np.dtype(f"u{width}")
    top = unsigned.type(1 << (8 * width - 1))
    if x.dtype.kind in "ub":
        return x.astype(unsigned), lambda keys: keys.astype(x.dtype)
    bits = x.view(unsigned)
    if x.dtype.kind == "i":
        return bits ^ top, lambda keys: (keys ^ top).view(x.dtype)
    ones = unsigned.type((1 << (8 * width)) - 1)
    keys = cp.where((bits & top) != 0, bits ^ ones, bits ^ top)
    return keys, lambda keys: cp.where((keys & top) != 0, keys ^ top, keys ^ ones).view(x.dtype)


def rank_filtered(x: ndarray, footprint: np.ndarray, rank: int) -> ndarray:
    """The value of some rank of the neighbourhood that a footprint (odd sizes) marks, with zeros around."""
    count = int(np.count_nonzero(footprint))
    rank = rank + count if rank < 0 else rank
    if not 0 <= rank < count:
        raise RuntimeError("rank not within filter footprint size")
    padded = cp.pad(x, [(size // 2, size // 2) for size in footprint.shape])
    places = np.argwhere(footprint)
    if x.size == 0:
        return x.copy()
    if way("ranks of neighbours in one kernel", x, count):
        return _neighbours(padded, places=tuple(map(tuple, places.tolist())), rank=rank, shape=x.shape)
    if count <= FEW:
        views = [
            padded[tuple(slice(start, start + size) for start, size in zip(place, x.shape, strict=True))]
            for place in places.tolist()
        ]
        return _Network(cp.minimum, cp.maximum).ranked(views, rank)
    keys, back = _keys(cp.ascontiguousarray(padded))
    steps = [math.prod(padded.shape[axis + 1 :]) for axis in range(x.ndim)]
    offsets = places @ np.array(steps)
    base = cp.zeros(x.shape, np.int64)
    for axis, (size, step) in enumerate(zip(x.shape, steps, strict=True)):
        base = base + (cp.arange(size) * step).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    bits = 8 * x.dtype.itemsize
    return back(_select(keys.ravel(), cp.asarray(offsets), base, rank, bits=bits, kind=keys.dtype.name))


def _check_kind(x: ndarray, name: str) -> None:
    if not (x.dtype.kind in "iu" or x.dtype in (np.float32, np.float64)):
        raise ValueError(f"dtype={x.dtype} is not supported by {name}")


def order_filter(a: Any, domain: Any, rank: int) -> ndarray:
    """The value of some rank of each neighbourhood, with zeros around the array.

    Parameters
    ----------
    a : array_like
        The array.
    domain : array_like
        Nonzero where a neighbour counts; of odd sizes.
    rank : int
        The rank from 0, the least.

    Returns
    -------
    ndarray
        The values, in the dtype of `a`.

    Raises
    ------
    ValueError
        A size is even, or the dtype has no order.
    RuntimeError
        There are not so many neighbours.

    >>> cp.scipy.signal.order_filter(cp.asarray([3, 1, 2, 5]), cp.ones(3), 2)
    array([3, 3, 5, 5])
    """
    domain = to_host(domain)
    if any(size % 2 != 1 for size in domain.shape):
        raise ValueError("Each dimension of domain argument should have an odd number of elements.")
    x = as_device(a)
    _check_kind(x, "order_filter")
    if domain.ndim != x.ndim:
        raise RuntimeError(f"domain must have as many axes as a: {domain.ndim} and {x.ndim}")
    return rank_filtered(x, domain != 0, operator.index(rank))


def medfilt(volume: Any, kernel_size: Any = None) -> ndarray:
    """The median of each neighbourhood, with zeros around the array.

    Parameters
    ----------
    volume : array_like
        The array.
    kernel_size : int or array_like of int, optional
        The odd sizes of neighbourhoods, by default 3.

    Returns
    -------
    ndarray
        The medians, in the dtype of `volume`.

    Raises
    ------
    ValueError
        A size is even, or the dtype has no order.

    >>> cp.scipy.signal.medfilt(cp.asarray([1.0, 9.0, 2.0, 3.0]))
    array([1., 2., 3., 2.])
    """
    x = cp.atleast_1d(as_device(volume))
    _check_kind(x, "medfilt")
    sizes = np.asarray([3] * x.ndim if kernel_size is None else to_host(kernel_size))
    sizes = [int(size) for size in (np.repeat(sizes, x.ndim) if sizes.ndim == 0 else sizes)]
    if any(size % 2 != 1 for size in sizes):
        raise ValueError("Each element of kernel_size should be odd.")
    if len(sizes) != x.ndim:
        raise RuntimeError(f"kernel_size must have {x.ndim} elements, not {len(sizes)}")
    if any(size > length for size, length in zip(sizes, x.shape, strict=True)):
        warnings.warn("kernel_size exceeds volume extent: the volume will be zero-padded.", stacklevel=2)
    return rank_filtered(x, np.ones(sizes, bool), math.prod(sizes) // 2)


def medfilt2d(input: Any, kernel_size: Any = 3) -> ndarray:
    """The median of each neighbourhood of an image, with zeros around it; see `medfilt`.

    Parameters
    ----------
    kernel_size : int or pair of int
        The lengths of the neighbourhood, which are odd.

    >>> cp.scipy.signal.medfilt2d(cp.eye(3))
    array([[0., 0., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    x = as_device(input)
    if x.ndim != 2:
        raise ValueError(f"object of too small depth for desired array: an image has two axes, not {x.ndim}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return medfilt(x, 3 if kernel_size is None else kernel_size)


def _box_sums(x: ndarray, sizes: list[int]) -> ndarray:
    """The sum of each point's neighbourhood, axis by axis; there are zeros beyond the edges."""
    x = x.astype(np.result_type(x.dtype, np.float64))
    for axis, size in enumerate(sizes):
        x = cp.scipy.ndimage.correlate1d(x, np.ones(size), axis, mode="constant")
    return x


def wiener(im: Any, mysize: Any = None, noise: Any = None) -> ndarray:
    """Wiener's filter: each value moves towards the mean of its neighbourhood where that varies no more than noise.

    Parameters
    ----------
    im : array_like
        The array.
    mysize : int or array_like of int, optional
        The sizes of neighbourhoods, by default 3.
    noise : float, optional
        The variance of the noise, by default the mean of the local variances.

    Returns
    -------
    ndarray
        The filtered array.

    Raises
    ------
    ValueError
        There are more or fewer sizes than axes, or one of them is not positive.

    >>> cp.scipy.signal.wiener(cp.ones(5), noise=1.0).round(3)
    array([0.667, 1.   , 1.   , 1.   , 0.667])
    """
    x = as_device(im)
    sizes = np.asarray([3] * x.ndim if mysize is None else to_host(mysize))
    sizes = [operator.index(size) for size in (np.repeat(sizes, x.ndim) if sizes.ndim == 0 else sizes)]
    if x.size == 0:
        return x.astype(np.result_type(x.dtype, np.float64))
    if len(sizes) != x.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if min(sizes, default=1) < 1:
        raise ValueError("the sizes of neighbourhoods must be positive")
    x = x.astype(np.float64) if x.dtype.kind in "biu" else x
    count = float(math.prod(sizes))
    mean = _box_sums(x, sizes) / count
    variance = _box_sums(x**2, sizes) / count - mean**2
    level = variance.mean() if noise is None else noise
    found = (x - mean) * (1 - level / variance) + mean
    return cp.where(variance < level, mean, found)


def savgol_coeffs(
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    pos: float | None = None,
    use: str = "conv",
    *,
    xp: Any = None,
    device: Any = None,
) -> Any:
    """The taps of Savitzky and Golay's filter: the least-squares polynomial at one place of a window.

    Parameters
    ----------
    window_length : int
        The length of windows.
    polyorder : int
        The order of polynomials, below the length.
    deriv : int
        Which derivative is taken.
    delta : float
        The distance of points.
    pos : float, optional
        The place, by default the middle.
    use : {'conv', 'dot'}
        Whether the taps are for a convolution, that is backwards.

    Returns
    -------
    ndarray
        The taps.

    Raises
    ------
    ValueError
        An argument is out of range.

    See Also
    --------
    scipy.signal.savgol_coeffs : The function that this one follows; Savitzky and Golay 1964.

    >>> cp.scipy.signal.savgol_coeffs(5, 2).round(4)
    array([-0.0857,  0.3429,  0.4857,  0.3429, -0.0857])
    """
    return cp.asarray(_taps(window_length, polyorder, deriv, delta, pos, use))


def _taps(
    window_length: int, polyorder: int, deriv: int, delta: float, pos: float | None = None, use: str = "conv"
) -> np.ndarray:
    if polyorder >= window_length:
        raise ValueError("polyorder must be less than window_length.")
    half, odd = divmod(window_length, 2)
    if pos is None:
        pos = half if odd else half - 0.5
    if not 0 <= pos < window_length:
        raise ValueError("pos must be nonnegative and less than window_length.")
    if use not in ("conv", "dot"):
        raise ValueError("`use` must be 'conv' or 'dot'")
    if deriv > polyorder:
        return np.zeros(window_length)
    # Legendre polynomials on the window keep the digits that powers of large numbers lose.
    middle, scale = (window_length - 1) / 2, window_length / 2
    series = np.polynomial.legendre
    basis = series.legvander((np.arange(window_length) - middle) / scale, polyorder).T
    slopes = series.legder(np.eye(polyorder + 1), deriv, axis=0)
    wanted = series.legval((pos - middle) / scale, slopes) / (delta * scale) ** deriv
    taps = np.linalg.lstsq(basis, wanted, rcond=None)[0]
    return taps[::-1] if use == "conv" else taps


_MODES = {"mirror": "reflect", "constant": "constant", "nearest": "edge", "wrap": "wrap"}


def savgol_filter(
    x: Any,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    axis: int = -1,
    mode: str = "interp",
    cval: float = 0.0,
) -> ndarray:
    """Savitzky and Golay's filter, which fits a polynomial to each window.

    Parameters
    ----------
    window_length, polyorder, deriv, delta
        As for `savgol_coeffs`.
    axis : int
        The axis of windows.
    mode : {'interp', 'mirror', 'constant', 'nearest', 'wrap'}
        Whether the polynomials of the outermost windows serve the ends, or how the signal is continued.
    cval : float
        The value for "constant".

    Returns
    -------
    ndarray
        The filtered signal, float32 if `x` is, else float64.

    Raises
    ------
    ValueError
        An argument is unknown or out of range.

    >>> cp.scipy.signal.savgol_filter(cp.arange(5.0) ** 2, 3, 2).round(6) + 0.0
    array([ 0.,  1.,  4.,  9., 16.])
    """
    if mode not in (*_MODES, "interp"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    x = as_device(x)
    if x.dtype not in (np.float32, np.float64):
        x = x.astype(np.float64)
    axis = normalize_axis_index(axis, x.ndim)
    taps = _taps(window_length, polyorder, deriv, delta)
    length = x.shape[axis]
    if mode == "interp" and window_length > length:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    if mode == "interp" and polyorder < 0:
        raise ValueError("If mode is 'interp', polyorder must be at least 0.")
    half = window_length // 2
    if x.size == 0:
        return x.copy()
    how = "constant" if mode == "interp" else _MODES[mode]
    if way("smoothing as a convolution", x):
        from ..ndimage import convolve1d

        y = convolve1d(x, taps, axis, mode="constant" if mode == "interp" else mode, cval=cval)
        y = cp.moveaxis(y, axis, -1)
        if mode == "interp":
            y[..., :half], y[..., length - half :] = _ends(x, axis, half, window_length, polyorder, deriv, float(delta))
        return cp.moveaxis(y, -1, axis)
    pads = (half - 1 + window_length % 2, half)
    rows = cp.moveaxis(x, axis, -1)
    widths = [(0, 0)] * (x.ndim - 1) + [pads]
    if mode == "interp":
        padded = rows
    else:
        padded = cp.pad(rows, widths, how, **({"constant_values": cval} if how == "constant" else {}))
    weights = cp.asarray(taps[::-1].astype(x.dtype)).reshape([1] * (x.ndim - 1) + [-1])
    y = sliding(padded, weights, x.dtype)
    if mode == "interp":
        first, last = _ends(x, axis, half, window_length, polyorder, deriv, float(delta))
        inner = y if window_length % 2 else y[..., 1:]
        y = cp.concatenate((first, inner, last), axis=-1)
    return cp.moveaxis(y, -1, axis)


@functools.lru_cache(maxsize=64)
def _polynomials(window_length: int, polyorder: int, deriv: int, delta: float) -> np.ndarray:
    """The weights of a window's elements in its polynomial at each of its places."""
    place = np.arange(window_length, dtype=float)
    powers = place[:, None] ** np.arange(polyorder + 1)
    solve = np.linalg.pinv(powers)
    order = np.arange(polyorder + 1)
    factors = np.array([math.perm(int(n), deriv) if n >= deriv else 0 for n in order], float) / delta**deriv
    exponents = np.maximum(order - deriv, 0)
    return (factors * place[:, None] ** exponents) @ solve


def _ends(x: ndarray, axis: int, half: int, window_length: int, *which: Any) -> tuple[ndarray, ndarray]:
    """The polynomials of the first and last windows at the places of their outer halves."""
    rows = cp.moveaxis(x, axis, -1)
    edge = _polynomials(window_length, *which).T.astype(x.dtype)
    first = rows[..., :window_length] @ cp.asarray(edge[:, :half])
    last = rows[..., rows.shape[-1] - window_length :] @ cp.asarray(edge[:, window_length - half :])
    return first, last
