"""Convolution and correlation of arrays with any number of axes."""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray, reads_at_once
from ..._lib import kernel as k
from ..._lib.arguments import as_device, is_integer
from ..._lib.routes import way
from . import _short as short
from ._common import along, as_inexact

__all__ = [
    "choose_conv_method",
    "convolve",
    "correlate",
    "correlation_lags",
    "fftconvolve",
    "oaconvolve",
]

MODES = ("full", "same", "valid")


def check_mode(mode: Any) -> str:
    """One of the three modes, or `ValueError`."""
    if mode not in MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    return mode


def _swapped(mode: str, shape: tuple[int, ...], other: tuple[int, ...], axes: Any = None) -> bool:
    """Whether the second array is the one that contains the other, for mode "valid"."""
    if mode != "valid" or not shape:
        return False
    axes = range(len(shape)) if axes is None else axes
    if all(shape[i] >= other[i] for i in axes):
        return False
    if all(other[i] >= shape[i] for i in axes):
        return True
    raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")


def _centred(a: ndarray, shape: tuple[int, ...]) -> ndarray:
    starts = [(have - want) // 2 for have, want in zip(a.shape, shape, strict=True)]
    return a[tuple(slice(start, start + want) for start, want in zip(starts, shape, strict=True))]


def _cut(full: ndarray, first: tuple[int, ...], second: tuple[int, ...], mode: str, axes: Any) -> ndarray:
    """The part of a full convolution that a mode asks for."""
    if mode == "full":
        return full
    if mode == "same":
        return _centred(full, first)
    sizes = [full.shape[i] if i not in axes else first[i] - second[i] + 1 for i in range(full.ndim)]
    return _centred(full, tuple(sizes))


@k.kernel
def _overlaps(x: k.Array, h: k.Array, *, ndim, kind):
    """Sums of products at each shift at which `h` lies in `x`."""
    place = k.coordinates()
    total = k.value(0, kind) if kind != "bool" else k.value(False)
    if ndim == 2:
        for i in k.steps(h.shape[0]):
            for j in k.steps(h.shape[1]):
                term = x[place[0] + i, place[1] + j].astype(kind) * h[i, j].astype(kind)
                total = (total | term) if kind == "bool" else (total + term)
        return total
    for t in k.steps(h.size):
        # Coordinates in `h`.
        left, at, tap = t, [], []
        for axis in reversed(range(ndim)):
            before = left // h.shape[axis]
            coordinate = left - before * h.shape[axis]
            tap.append(coordinate)
            at.append(place[axis] + coordinate)
            left = before
        term = x[tuple(reversed(at))].astype(kind) * h[tuple(reversed(tap))].astype(kind)
        total = (total | term) if kind == "bool" else (total + term)
    return total


def sliding(x: ndarray, h: ndarray, dtype: Any) -> ndarray:
    """Sums of products of `h` with each part of `x` of its shape."""
    dtype = np.dtype(dtype)
    shape = tuple(have - taps + 1 for have, taps in zip(x.shape, h.shape, strict=True))
    if 0 in shape:
        return cp.zeros(shape, dtype)
    if way("taps in a loop", x, h.size):
        return _overlaps(x, h, shape=shape, ndim=x.ndim, kind=dtype.name)
    x, h = x.astype(dtype, copy=False), h.astype(dtype, copy=False)
    bands = way("bands", x, math.prod(shape))
    if bands == 1 or shape[0] < bands:
        return _sum_of_taps(x, h, shape)
    # Sums of some taps are arrays of the size of what is computed at a time.
    total = cp.empty(shape, dtype)
    for band in range(bands):
        start, end = (shape[0] * edge // bands for edge in (band, band + 1))
        total[start:end] = _sum_of_taps(x[start : end + h.shape[0] - 1], h, (end - start, *shape[1:]))
    return total


def _sum_of_taps(x: ndarray, h: ndarray, shape: tuple[int, ...]) -> ndarray:
    total: Any = None
    for tap in np.ndindex(h.shape):
        view = x[tuple(slice(start, start + size) for start, size in zip(tap, shape, strict=True))]
        term = view * h[tap]
        total = term if total is None else total + term
    return total


def _direct(x: ndarray, h: ndarray, mode: str) -> ndarray:
    """The correlation of `x` with `h`, not conjugated, of which `x` is the larger in mode "valid"."""
    dtype = np.result_type(x.dtype, h.dtype)
    if x.size == 0 or h.size == 0:
        raise ValueError("all dimensions of in1 and in2 must be non-empty")
    if mode == "valid":
        return sliding(x, h, dtype)
    if mode == "full" and h.size > x.size:
        # As in SciPy, the larger array is padded; shifts run backwards.
        return _direct(h, x, mode)[(slice(None, None, -1),) * x.ndim]
    pads = [(taps - 1, taps - 1) for taps in h.shape]
    if mode == "same":
        pads = [(taps // 2, (taps - 1) // 2) for taps in h.shape]
    return sliding(cp.pad(x, pads), h, dtype)


def _reversed_conjugate(a: ndarray) -> ndarray:
    back = a[(slice(None, None, -1),) * a.ndim]
    return back.conj() if a.dtype.kind == "c" else back


def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> ndarray:
    """The cross-correlation of two arrays with the same number of axes.

    Parameters
    ----------
    in1, in2 : array_like
        Real or complex arrays; `in2` is conjugated.
    mode : {'full', 'valid', 'same'}
        All shifts, those at which one array contains the other, or as many as `in1` has elements, centred.

    Returns
    -------
    ndarray
        The sums of products in the dtype of both arrays together.

    Raises
    ------
    ValueError
        The numbers of axes differ, an argument is unknown, or in mode "valid" no array contains the other.

    >>> cp.scipy.signal.correlate(cp.asarray([1, 2, 3]), cp.asarray([0, 1, 2]))
    array([2, 5, 8, 3, 0])
    """
    in1, in2 = as_device(in1), as_device(in2)
    if in1.ndim == in2.ndim == 0:
        return in1 * in2.conj()
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    check_mode(mode)
    if method in ("fft", "auto"):
        return convolve(in1, _reversed_conjugate(in2), mode, method)
    if method != "direct":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    if in1.ndim == 1 and in1.size and in2.size and in1.dtype.kind in "fc":
        return _one_axis(in1, _reversed_conjugate(in2), mode)
    in2_conjugate = in2.conj() if in2.dtype.kind == "c" else in2
    # With the arrays exchanged, shifts run backwards.
    if _swapped(mode, in1.shape, in2.shape):
        return _direct(in2_conjugate, in1, mode)[(slice(None, None, -1),) * in1.ndim]
    return _direct(in1, in2_conjugate, mode)


def _one_axis(x: ndarray, h: ndarray, mode: str) -> ndarray:
    """NumPy's convolution; where it centres "same" on the longer array, this is cut from the full one."""
    dtype = np.result_type(x.dtype, h.dtype)
    found = _direct_rows(x, h, (0,), x.shape, mode) if dtype.kind == "f" else None
    if found is not None:
        return found.astype(dtype, copy=False)
    if mode == "same" and h.size > x.size:
        return _centred(cp.convolve(x, h), x.shape)
    return cp.convolve(x, h, mode)


def convolve(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> ndarray:
    """The convolution of two arrays with the same number of axes.

    Parameters
    ----------
    in1, in2 : array_like
        Real or complex arrays.
    mode : {'full', 'valid', 'same'}
        All sums, those at which one array contains the other, or as many as `in1` has elements, centred.

    Returns
    -------
    ndarray
        The convolution in the dtype of both arrays together; of integers it is exact if it is direct.

    Raises
    ------
    ValueError
        The numbers of axes differ, an argument is unknown, or in mode "valid" no array contains the other.

    >>> cp.scipy.signal.convolve(cp.asarray([1, 2, 3]), cp.asarray([1, 1]), mode="same")
    array([1, 3, 5])
    """
    volume, taps = as_device(in1), as_device(in2)
    if volume.ndim == taps.ndim == 0:
        return volume * taps
    if volume.ndim != taps.ndim:
        raise ValueError("volume and kernel should have the same dimensionality")
    if _swapped(mode, volume.shape, taps.shape):
        volume, taps = taps, volume
    if method == "auto":
        method = choose_conv_method(volume, taps, mode)
    if method == "fft":
        dtype = np.result_type(volume.dtype, taps.dtype)
        found = fftconvolve(volume, taps, mode)
        if dtype.kind in "iu":
            found = cp.rint(found)
        # One number that is not finite spreads to all sums. The look is spared where it would wait for the device.
        elif found.size and reads_at_once(found) and not bool(cp.isfinite(found[(0,) * found.ndim])):
            warnings.warn(
                "Use of fft convolution on input with NAN or inf results in NAN or inf output. Consider using "
                "method='direct' instead.",
                RuntimeWarning,
                stacklevel=2,
            )
        return found.astype(dtype, copy=False)
    if method != "direct":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    check_mode(mode)
    if volume.ndim == 1 and volume.size and taps.size:
        return _one_axis(volume, taps, mode)
    return _direct(volume, taps[(slice(None, None, -1),) * taps.ndim], mode)


def _operations(shape: tuple[int, ...], other: tuple[int, ...], mode: str) -> tuple[float, float]:
    """Estimates of the work of the direct method and of transforms, in one unit."""
    full = [a + b - 1 for a, b in zip(shape, other, strict=True)]
    out = {"full": full, "same": shape, "valid": [abs(a - b) + 1 for a, b in zip(shape, other, strict=True)]}[mode]
    direct = math.prod(out) * min(math.prod(shape), math.prod(other))
    size = math.prod(full)
    # Three transforms; a point of a transform costs a few products, and each call a few launches.
    return float(direct), 30.0 * size * math.log2(size + 1) + 20000.0


def _fits_transforms(in1: ndarray, in2: ndarray) -> bool:
    """Whether sums of products of integers are below what float64 holds exactly."""
    largest = [int(abs(a.astype(np.float64)).max()) if a.size else 0 for a in (in1, in2)]
    return largest[0] * largest[1] * min(in1.size, in2.size) <= 2**52 - 1


def choose_conv_method(in1: Any, in2: Any, mode: str = "full", measure: bool = False) -> Any:
    """The faster of the ways to convolve, "direct" or "fft".

    Parameters
    ----------
    in1, in2 : array_like
        The arrays that are to be convolved.
    mode : {'full', 'valid', 'same'}
        As for `convolve`.
    measure : bool
        Whether both are run and timed instead of estimated.

    Returns
    -------
    str, or a tuple of it and a dict of seconds if `measure`
        Integers whose sums float64 does not hold are always "direct".

    See Also
    --------
    scipy.signal.choose_conv_method : The function that this one follows; its estimates are those of its own loops.

    >>> cp.scipy.signal.choose_conv_method(cp.ones(8), cp.ones(3))
    'direct'
    """
    volume, taps = as_device(in1), as_device(in2)
    check_mode(mode)
    if measure:
        seconds = {}
        for method in ("fft", "direct"):
            convolve(volume, taps, mode, method).get()
            start = time.perf_counter()
            convolve(volume, taps, mode, method).get()
            seconds[method] = time.perf_counter() - start
        return min(seconds, key=seconds.__getitem__), seconds
    if volume.ndim != taps.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if volume.dtype.kind == "b" and taps.dtype.kind == "b":
        return "direct"
    if volume.size == 0 or taps.size == 0:
        return "direct"
    direct, transforms = _operations(volume.shape, taps.shape, mode)
    if direct <= transforms:
        return "direct"
    if (volume.dtype.kind in "iu" or taps.dtype.kind in "iu") and not _fits_transforms(volume, taps):
        return "direct"
    return "fft"


def _frequency_arguments(in1: Any, in2: Any, mode: str, axes: Any) -> tuple[Any, Any, tuple[int, ...]]:
    """Both arrays, the first one the larger in mode "valid", and the axes that are transformed."""
    if axes is None:
        chosen = range(in1.ndim)
    else:
        try:
            given = [axes] if is_integer(axes) else list(axes)
        except TypeError:
            given = [axes]
        if not given:
            raise ValueError("when provided, axes cannot be empty")
        if not all(is_integer(axis) for axis in given):
            raise ValueError("axes must be a scalar or iterable of integers")
        given = [int(axis) for axis in given]
        if any(not -in1.ndim <= axis < in1.ndim for axis in given):
            raise ValueError("axes exceeds dimensionality of input")
        chosen = sorted(axis % in1.ndim for axis in given)
        if len(set(chosen)) != len(chosen):
            raise ValueError("all axes must be unique")
    for i in range(in1.ndim):
        if i not in chosen and in1.shape[i] != in2.shape[i] and 1 not in (in1.shape[i], in2.shape[i]):
            raise ValueError(f"incompatible shapes for in1 and in2: {in1.shape} and {in2.shape}")
    # An axis of length 1 is broadcast.
    along = tuple(i for i in chosen if in1.shape[i] != 1 and in2.shape[i] != 1)
    if _swapped(mode, in1.shape, in2.shape, along):
        in1, in2 = in2, in1
    return in1, in2, along


def _transformed(in1: ndarray, in2: ndarray, sizes: list[int], axes: tuple[int, ...]) -> ndarray:
    """The circular convolution of these sizes along `axes`."""
    in1, in2 = as_inexact(in1), as_inexact(in2)
    if in1.dtype.kind == "c" or in2.dtype.kind == "c":
        return cp.fft.ifftn(cp.fft.fftn(in1, sizes, axes) * cp.fft.fftn(in2, sizes, axes), sizes, axes)
    return cp.fft.irfftn(cp.fft.rfftn(in1, sizes, axes) * cp.fft.rfftn(in2, sizes, axes), sizes, axes)


def _full_shape(in1: ndarray, in2: ndarray, axes: Any) -> list[int]:
    return [
        max(a, b) if i not in axes else a + b - 1 for i, (a, b) in enumerate(zip(in1.shape, in2.shape, strict=True))
    ]


def _fast_length(length: int) -> int:
    from ..fft import next_fast_len

    return next_fast_len(length)


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> ndarray:
    """The convolution of two arrays by Fourier transforms.

    Parameters
    ----------
    in1, in2 : array_like
        Real or complex arrays with the same number of axes.
    mode : {'full', 'valid', 'same'}
        As for `convolve`.
    axes : int or sequence of int, optional
        The axes of the convolution, by default all. Along the others the arrays are broadcast.

    Returns
    -------
    ndarray
        The convolution in a floating dtype.

    Raises
    ------
    ValueError
        The shapes do not fit, or an argument is unknown.

    >>> cp.scipy.signal.fftconvolve(cp.asarray([1.0, 2.0, 3.0]), cp.asarray([1.0, 1.0])).round(6)
    array([1., 3., 5., 3.])
    """
    in1, in2 = as_device(in1), as_device(in2)
    if in1.ndim == in2.ndim == 0:
        return in1 * in2
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if in1.size == 0 or in2.size == 0:
        return cp.asarray([])
    first = in1.shape
    check_mode(mode)
    in1, in2, chosen = _frequency_arguments(in1, in2, mode, axes)
    if mode == "valid":
        first = in1.shape
    shape = _full_shape(in1, in2, chosen)
    found = _direct_rows(in1, in2, chosen, first, mode)
    if found is not None:
        return found
    if chosen:
        sizes = [_fast_length(shape[i]) for i in chosen]
        full = _transformed(in1, in2, sizes, chosen)[tuple(slice(size) for size in shape)]
    else:
        full = in1 * in2
    return _finished(full, first, in2.shape, mode, chosen)


def _direct_rows(in1: ndarray, in2: ndarray, axes: tuple[int, ...], first: Any, mode: str) -> ndarray | None:
    """The convolution along one axis with few taps, where summing them takes less time than transforms."""
    if len(axes) != 1:
        return None
    (axis,) = axes
    x, taps = (in1, in2) if in1.shape[axis] >= in2.shape[axis] else (in2, in1)
    dtype = np.result_type(as_inexact(in1[:0]).dtype, as_inexact(in2[:0]).dtype)
    if taps.size != taps.shape[axis] or not short.fits(x, taps.size, dtype):
        return None
    length = {"full": x.shape[axis] + taps.size - 1, "same": first[axis], "valid": x.shape[axis] - taps.size + 1}[mode]
    start = (x.shape[axis] + taps.size - 1 - length) // 2
    x = cp.moveaxis(x.astype(dtype, copy=False), axis, -1)
    y = short.short_convolution(x.reshape(-1, x.shape[-1]), taps.astype(dtype, copy=False), start, length)
    y = cp.moveaxis(y.reshape(*x.shape[:-1], length), -1, axis)
    # Axes along which the first array was stretched are cut, too.
    return _centred(y, first).copy() if mode == "same" and y.shape != first else y


def _finished(full: ndarray, first: Any, second: Any, mode: str, chosen: tuple[int, ...]) -> ndarray:
    found = _cut(full, first, second, mode, chosen)
    # What is cut out is a copy, so that the whole can be freed.
    return found.copy() if found.size < full.size else found


def _block(long: int, short: int) -> int:
    """The length of transforms for which overlap-add does the least work on each point."""
    best, least = None, math.inf
    size = 1 << max(3, (2 * short - 2).bit_length())
    while size // 2 < long + short:
        work = size * math.log2(size) / (size - short + 1)
        if work < least:
            best, least = size, work
        size *= 2
    whole = _fast_length(long + short - 1)
    return whole if best is None or best >= whole else best


def oaconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> ndarray:
    """The convolution of two arrays by transforms of overlapping blocks, for arrays of very different sizes.

    Parameters, results and errors are those of `fftconvolve`.

    Parameters
    ----------
    axes : int or sequence of int, optional
        The axes of the convolution, by default all.

    >>> cp.scipy.signal.oaconvolve(cp.ones(6), cp.asarray([1.0, 1.0])).round(6)
    array([1., 2., 2., 2., 2., 2., 1.])
    """
    in1, in2 = as_device(in1), as_device(in2)
    if in1.ndim == in2.ndim == 0:
        return in1 * in2
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if in1.size == 0 or in2.size == 0:
        return cp.asarray([])
    if in1.shape == in2.shape:
        return fftconvolve(in1, in2, mode=mode, axes=axes)
    first = in1.shape
    check_mode(mode)
    in1, in2, chosen = _frequency_arguments(in1, in2, mode, axes)
    if mode == "valid":
        first = in1.shape
    second = in2.shape
    shape = _full_shape(in1, in2, chosen)
    if not chosen:
        return _finished(in1 * in2, first, second, mode, chosen)
    found = _direct_rows(in1, in2, chosen, first, mode)
    if found is not None:
        return found
    in1, in2 = as_inexact(in1), as_inexact(in2)
    sizes, steps, shift = [], [], 0
    # Each axis in blocks becomes two, the blocks and the places in them.
    for axis in chosen:
        at = axis + shift
        long, short = max(in1.shape[at], in2.shape[at]), min(in1.shape[at], in2.shape[at])
        size = _block(long, short)
        step = size - short + 1
        sizes.append(size)
        steps.append(step)
        blocks = -(-long // step)
        parts = []
        for array in (in1, in2):
            if array.shape[at] == long and (long != short or array is in1):
                pads = [(0, blocks * step - long if i == at else 0) for i in range(array.ndim)]
                array = cp.pad(array, pads).reshape(*array.shape[:at], blocks, step, *array.shape[at + 1 :])
            else:
                array = cp.expand_dims(array, at)
            parts.append(array)
        in1, in2 = parts
        shift += 1
    places = tuple(axis + number + 1 for number, axis in enumerate(chosen))
    full = _transformed(in1, in2, sizes, places)
    for axis, size, step in zip(chosen, sizes, steps, strict=True):
        full = _overlapped(full, axis, size, step)
    return _finished(full[tuple(slice(length) for length in shape)], first, second, mode, chosen)


def _overlapped(blocks: ndarray, axis: int, size: int, step: int) -> ndarray:
    """The sum of blocks (`axis`) whose places (the next axis) overlap."""
    ndim = blocks.ndim
    head = blocks[along(ndim, axis + 1, slice(step))]
    tail = blocks[along(ndim, axis + 1, slice(step, None))]
    none = [(0, 0)] * ndim
    pads, more = list(none), list(none)
    pads[axis] = (0, 1)
    more[axis], more[axis + 1] = (1, 0), (0, 2 * step - size)
    total = cp.pad(head, pads) + cp.pad(tail, more)
    return total.reshape(*total.shape[:axis], -1, *total.shape[axis + 2 :])


def correlation_lags(in1_len: int, in2_len: int, mode: str = "full") -> ndarray:
    """The shifts that the elements of `correlate` belong to, for arrays of one axis.

    Parameters
    ----------
    in1_len : int
        The length of the first array.
    in2_len : int
        The length of the second array.

    >>> cp.scipy.signal.correlation_lags(3, 2)
    array([-1,  0,  1,  2])
    """
    if mode == "full":
        return cp.arange(-in2_len + 1, in1_len)
    if mode == "same":
        lags = np.arange(-in2_len + 1, in1_len)
        middle = lags.size // 2
        bound = in1_len // 2
        return cp.asarray(lags[middle - bound : middle + bound + (in1_len % 2)])
    if mode == "valid":
        bound = in1_len - in2_len
        return cp.arange(bound + 1) if bound >= 0 else cp.arange(bound, 1)
    raise ValueError(f"Mode {mode} is invalid")
