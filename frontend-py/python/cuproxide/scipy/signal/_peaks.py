"""Peaks of signals: each step is a bounded number of launches, whatever the signal.

Bases of prominences and ends of widths lie at unknown distances. They are found in a pyramid of the least and greatest
values of blocks of 32, of 32 blocks, and so on, so that a search takes steps of any size.
"""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device

__all__ = [
    "argrelextrema",
    "argrelmax",
    "argrelmin",
    "find_peaks",
    "peak_prominences",
    "peak_widths",
]

BLOCK = 32
_SHIFT = 5
# So many steps are taken one by one first, as most bases are near.
NEAR = 48
_LEVELS = 6


def _signal(x: Any, name: str) -> ndarray:
    x = as_device(x)
    if x.ndim != 1:
        raise ValueError(f"`{name}` must be a 1-D array")
    if x.dtype.kind == "c":
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to dtype('float64') according to the rule 'safe'")
    return x.astype(np.float64, copy=False)


# ------------------------------------------------------------------------------------------------------------- maxima


def _local_maxima(x: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """The middles and edges of all maxima, plateaus included, that neighbours on both sides are below."""
    n = x.size
    if n < 3:
        empty = cp.zeros(0, np.int64)
        return empty, empty, empty
    rises = x[:-1] < x[1:]
    # Where a plateau ends: the next place with another value, found from the right.
    place = cp.arange(n - 1)
    same = x[:-1] == x[1:]
    end = cp.where(same, n - 1, place)
    end = cp.minimum.accumulate(end[::-1])[::-1]
    end = cp.concatenate((end, cp.full(1, n - 1)))
    # A maximum starts after a rise, and after its plateau the signal falls.
    last = end[1:-1]
    begins = rises[:-1] & (last < n - 1)
    begins &= x[cp.minimum(last + 1, n - 1)] < x[1:-1]
    left = cp.flatnonzero(begins) + 1
    right = end[left]
    return (left + right) // 2, left, right


# ----------------------------------------------------------------------------------------------------------- distances


@k.function
def _settle(place, i, position, priority, state, distance):
    """Decides about a peak as far as it can be: it stays if all peaks near it that come first are gone."""
    count = position.shape[0]
    mine, at = priority[i], position[i]
    stays = True
    for sign in (-1, 1):
        j = i + sign
        near = True
        while near:
            if j < 0 or j >= count:
                near = False
            elif abs(position[j] - at) >= distance:
                near = False
            else:
                other = priority[j]
                first = (other > mine) | ((other == mine) & (j > i))
                if first and state[j] != 2:
                    stays = False
                    near = False
                j += sign
    if stays:
        state[i] = 1
        for sign in (-1, 1):
            j = i + sign
            near = True
            while near:
                if j < 0 or j >= count:
                    near = False
                elif abs(position[j] - at) >= distance:
                    near = False
                else:
                    state[j] = 2
                    j += sign
    return stays


@k.kernel
def _round(position: k.Array, priority: k.Array, state: k.Out, distance: int, i: k.Each):
    """One round: what is decided here may decide others on the way to both sides."""
    count = position.shape[0]
    if state[i] == 0:
        if _settle(i, i, position, priority, state, distance):
            for sign in (-1, 1):
                j = i + sign
                going = True
                while going:
                    if j < 0 or j >= count:
                        going = False
                    elif state[j] == 0:
                        going = _settle(i, j, position, priority, state, distance)
                        j += sign
                    elif state[j] == 2:
                        j += sign
                    else:
                        going = False


@k.kernel(ordered=True)
def _finish(order: k.Array, position: k.Array, state: k.Out, distance: int, one: k.Each):
    """The peaks that are left, one after another from the one that comes first on."""
    count = order.shape[0]
    for t in k.steps(count):
        i = order[count - 1 - t]
        if state[i] == 0:
            state[i] = 1
            for sign in (-1, 1):
                j = i + sign
                near = True
                while near:
                    if j < 0 or j >= count:
                        near = False
                    elif abs(position[j] - position[i]) >= distance:
                        near = False
                    else:
                        state[j] = 2
                        j += sign


def _apart(peaks: ndarray, priority: ndarray, distance: int) -> ndarray:
    """Which peaks stay if lower ones give way to those nearer than a distance.

    Whether a peak stays depends on those near it that come first: all are asked at once, and what is not decided yet
    again in the next round. Rows of rising peaks are followed within a round. What 24 rounds leave is settled in one
    launch.
    """
    count = peaks.size
    state = cp.zeros(count, np.int32)
    places = cp.arange(count)
    for _ in range(3):
        for _ in range(8):
            _round(peaks, priority, state, distance, places)
        if not bool((state == 0).any()):
            return state == 1
    order = cp.argsort(priority, kind="stable")
    _finish(order, peaks, state, distance, cp.zeros(1))
    return state == 1


# ------------------------------------------------------------------------------------------------------------- pyramid


def _pyramid(x: ndarray) -> tuple[ndarray, ndarray]:
    """The least and greatest values of blocks at all levels, one after another; NaN counts as both.

    Level 0 is the signal. Level i starts at the sum of the lengths before; the last levels may be empty.
    """
    low, high = [x], [x]
    for _ in range(_LEVELS - 1):
        length = low[-1].size
        whole = -(-length // BLOCK)
        if length <= 1:
            break
        more = whole * BLOCK - length
        parts = []
        for values, how, fill in ((low[-1], cp.min, np.inf), (high[-1], cp.max, -np.inf)):
            padded = cp.concatenate((values, cp.full(more, fill))) if more else values
            parts.append(how(padded.reshape(whole, BLOCK), axis=1))
        low.append(parts[0])
        high.append(parts[1])
    return cp.concatenate(low), cp.concatenate(high)


def _levels(n: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where levels start in the pyramid, and the sizes of their blocks."""
    starts, sizes, length, start = [], [], n, 0
    for level in range(_LEVELS):
        starts.append(start)
        sizes.append(BLOCK**level)
        if length <= 1:
            break
        start += length
        length = -(-length // BLOCK)
    return tuple(starts), tuple(sizes)


@k.function
def _at(level, starts, sizes):
    """Where a level starts, and the logarithm of its blocks' size."""
    first = starts[0]
    for number in range(1, len(sizes)):
        first = k.where(level == number, starts[number], first)
    return first, level * _SHIFT


@k.function
def _search(low, high, start, stop, sign, bound, least, starts, sizes):
    """The first place from `start` to `stop`, in steps of `sign`, whose value is above `bound` (if it is not None), at
    most `least` (if it is not None), or no number; `stop` + `sign` if there is none.

    Whole blocks in which there is no such value are passed over, after a walk of a few steps.
    """
    i, count, passes = start, 0, True
    while passes and count < NEAR and (i - stop) * sign <= 0:
        passes = high[i] <= bound if least is None else low[i] > least
        if passes:
            i += sign
            count += 1
    level = 0
    searching = passes and (i - stop) * sign <= 0
    while searching:
        first, shift = _at(level, starts, sizes)
        block = i >> shift
        end = (block << shift) + ((1 << shift) - 1 if sign > 0 else 0)
        # A block counts as a whole if the walk enters it at its end and leaves it before `stop`.
        inside = (end - stop) * sign <= 0
        passes = high[first + block] <= bound if least is None else low[first + block] > least
        if inside and passes:
            i = end + sign
            # The next larger block, if the walk stands at its end.
            if level < len(sizes) - 1:
                larger = 1 << (shift + _SHIFT)
                if (i & (larger - 1)) == (0 if sign > 0 else larger - 1):
                    level = level + 1
            searching = (i - stop) * sign <= 0
        elif level == 0:
            searching = False
        else:
            level = level - 1
    return i


@k.function
def _least(low, start, stop, sign, starts, sizes):
    """The least value from `start` to `stop`, both included."""
    i, level, count = start, 0, 0
    found = low[start]
    while (i - stop) * sign <= 0:
        first, shift = _at(level, starts, sizes)
        block = i >> shift
        end = (block << shift) + ((1 << shift) - 1 if sign > 0 else 0)
        if (end - stop) * sign <= 0:
            found = min(found, low[first + block])
            i = end + sign
            count += 1
            if level < len(sizes) - 1 and count >= NEAR:
                larger = 1 << (shift + _SHIFT)
                if (i & (larger - 1)) == (0 if sign > 0 else larger - 1):
                    level = level + 1
        else:
            level = level - 1
    return found


@k.kernel
def _prominence(low: k.Array, high: k.Array, n: int, window: int, peak: k.Each, *, starts, sizes):
    """The prominence of a peak, and the places of its bases."""
    height = low[peak]
    half = window // 2
    first = max(peak - half, 0) if window >= 2 else 0 * peak
    last = min(peak + half, n - 1) if window >= 2 else n - 1 + 0 * peak
    bases: tuple[ndarray, ...] = ()
    lows: tuple[ndarray, ...] = ()
    for sign in (-1, 1):
        stop = first if sign < 0 else last
        i, value, place, count, going = peak, height, peak, 0, True
        while going and count < NEAR:
            if (i - stop) * sign > 0:
                going = False
            else:
                here = low[i]
                if here <= height:
                    if here < value:
                        value, place = here, i
                    i += sign
                    count += 1
                else:
                    going = False
        if going:
            # The signal stays at or below the peak up to here.
            end = _search(low, high, i, stop, sign, height, None, starts, sizes) - sign
            if (end - i) * sign >= 0:
                least = _least(low, i, end, sign, starts, sizes)
                if least < value:
                    # The place nearest to the peak with the least value.
                    value, place = least, _search(low, high, i, end, sign, None, least, starts, sizes)
        bases = (*bases, place)
        lows = (*lows, value)
    return height - max(lows[0], lows[1]), bases[0], bases[1]


@k.kernel
def _width(
    low: k.Array, high: k.Array, relative: float, peak: k.Each, prominence: k.Each, left: k.Each, right: k.Each,
    *, starts, sizes,
):  # fmt: skip
    """The width of a peak at a part of its prominence, that height, and where the signal crosses it."""
    level = low[peak] - prominence * relative
    ends: tuple[ndarray, ...] = ()
    for sign in (-1, 1):
        stop = left if sign < 0 else right
        # A base counts as an end even if the signal is above there.
        i = _search(low, high, peak, stop - sign, sign, None, level, starts, sizes)
        i = k.where((i - stop) * sign > 0, stop, i)
        value = low[i]
        end = i.astype(np.float64)
        if value < level:
            between = (level - value) / (low[i - sign] - value)
            end = end - sign * between
        ends = (*ends, end)
    return ends[1] - ends[0], level, ends[0], ends[1]


def _peak_indices(peaks: Any, size: int) -> ndarray:
    peaks = as_device(peaks)
    if peaks.size == 0:
        return cp.zeros(0, np.int64)
    if peaks.ndim != 1:
        raise ValueError("`peaks` must be a 1-D array")
    if peaks.dtype.kind not in "iub" or peaks.dtype == np.uint64:
        raise TypeError(f"cannot safely cast `peaks` to dtype('intp') from {peaks.dtype!r}")
    peaks = peaks.astype(np.int64)
    if bool(((peaks < 0) | (peaks >= size)).any()):
        bad = int(peaks[cp.argmax((peaks < 0) | (peaks >= size))])
        raise ValueError(f"peak {bad} is not a valid index for `x`")
    return peaks


def _window_length(wlen: Any) -> int:
    if wlen is None:
        return -1
    if wlen > 1:
        return int(math.ceil(wlen)) if isinstance(wlen, float) else operator.index(wlen)
    raise ValueError(f"`wlen` must be larger than 1, was {wlen}")


class PeakPropertyWarning(RuntimeWarning):
    """A property of a peak is zero."""


def _prominences(x: ndarray, pyramid: Any, peaks: ndarray, wlen: int, warn: bool) -> tuple[ndarray, ndarray, ndarray]:
    if peaks.size == 0:
        return cp.zeros(0), cp.zeros(0, np.int64), cp.zeros(0, np.int64)
    starts, sizes = _levels(x.size)
    # An even window has its peak in the middle of one that is longer by one.
    found = _prominence(*pyramid, x.size, wlen, peaks, starts=starts, sizes=sizes)
    if warn and bool((found[0] == 0).any()):
        warnings.warn("some peaks have a prominence of 0", PeakPropertyWarning, stacklevel=3)
    return found


def peak_prominences(x: Any, peaks: Any, wlen: Any = None) -> tuple[ndarray, ndarray, ndarray]:
    """How far peaks rise above the higher of the valleys on their sides.

    Parameters
    ----------
    wlen : int, optional
        The length of the window around each peak, an odd number of points, in which bases lie.

    Returns
    -------
    tuple of ndarray
        Prominences, and the places of bases on the left and on the right.

    Raises
    ------
    ValueError
        A place is not one of `x`, an array has not one axis, or `wlen` is too small.

    >>> cp.scipy.signal.peak_prominences(cp.asarray([0.0, 3.0, 1.0, 2.0, 0.5]), cp.asarray([1, 3]))[0]
    array([2.5, 1. ])
    """
    x = _signal(x, "x")
    peaks = _peak_indices(peaks, x.size)
    return _prominences(x, _pyramid(x) if peaks.size else None, peaks, _window_length(wlen), True)


def _widths(
    x: ndarray, pyramid: Any, peaks: ndarray, rel_height: float, data: Any, check: bool
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    if rel_height < 0:
        raise ValueError("`rel_height` must be greater or equal to 0.0")
    if peaks.size == 0:
        return cp.zeros(0), cp.zeros(0), cp.zeros(0), cp.zeros(0)
    prominences, left, right = data
    if check:
        bad = (left < 0) | (left > peaks) | (peaks > right) | (right >= x.size)
        if bool(bad.any()):
            raise ValueError(f"prominence data is invalid for peak {int(peaks[cp.argmax(bad)])}")
    starts, sizes = _levels(x.size)
    found = _width(*pyramid, float(rel_height), peaks, prominences, left, right, starts=starts, sizes=sizes)
    if bool((found[0] == 0).any()):
        warnings.warn("some peaks have a width of 0", PeakPropertyWarning, stacklevel=3)
    return found


def peak_widths(
    x: Any, peaks: Any, rel_height: float = 0.5, prominence_data: Any = None, wlen: Any = None
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """The widths of peaks at a part of their prominences.

    Parameters
    ----------
    rel_height : float
        The part of the prominence below the peak.
    prominence_data : tuple, optional
        What `peak_prominences` gave.
    wlen : int, optional
        As for `peak_prominences`.

    Returns
    -------
    tuple of ndarray
        Widths, the heights that they are measured at, and the places where the signal crosses them.

    Raises
    ------
    ValueError
        A place is not one of `x`, or an argument is out of range.

    >>> cp.scipy.signal.peak_widths(cp.asarray([0.0, 1.0, 2.0, 1.0, 0.0]), cp.asarray([2]))[0]
    array([2.])
    """
    x = _signal(x, "x")
    peaks = _peak_indices(peaks, x.size)
    pyramid = _pyramid(x) if peaks.size else None
    if prominence_data is None:
        prominence_data = _prominences(x, pyramid, peaks, _window_length(wlen), True)
    else:
        prominence_data = tuple(as_device(part) for part in prominence_data)
    return _widths(x, pyramid, peaks, rel_height, prominence_data, True)


def _interval(condition: Any, x: ndarray, peaks: ndarray) -> tuple[Any, Any]:
    """The least and the most of a condition; of arrays with a value for each sample those at the peaks."""
    try:
        low, high = condition
    except (TypeError, ValueError):
        low, high = condition, None
    if isinstance(condition, ndarray) and condition.ndim and condition.size == 2 and x.size != 2:
        low, high = condition[0], condition[1]
    found = []
    for name, bound in (("lower", low), ("upper", high)):
        if isinstance(bound, (ndarray, np.ndarray)) and bound.ndim:
            if bound.size != x.size:
                raise ValueError(f"array size of {name} interval border must match x")
            bound = as_device(bound)[peaks]
        found.append(bound)
    return found[0], found[1]


def _within(values: ndarray, low: Any, high: Any) -> ndarray:
    keep = cp.ones(values.shape, bool)
    if low is not None:
        keep &= low <= values
    if high is not None:
        keep &= values <= high
    return keep


def find_peaks(
    x: Any,
    height: Any = None,
    threshold: Any = None,
    distance: Any = None,
    prominence: Any = None,
    width: Any = None,
    wlen: Any = None,
    rel_height: float = 0.5,
    plateau_size: Any = None,
) -> tuple[ndarray, dict[str, ndarray]]:
    """The peaks of a signal that have certain properties.

    Parameters
    ----------
    height, threshold, prominence, width, plateau_size : number, array_like or pair of them, optional
        The least and the most height, distance to the neighbours' values, prominence, width and number of equal points;
        arrays have a value for each point.
    distance : number, optional
        The least distance between peaks; lower ones give way.
    wlen, rel_height
        As for `peak_prominences` and `peak_widths`.

    Returns
    -------
    tuple
        The places of peaks, and a dict of the properties that were asked for.

    Raises
    ------
    ValueError
        `x` has not one axis, or an argument is out of range.

    >>> cp.scipy.signal.find_peaks(cp.asarray([0.0, 2.0, 1.0, 3.0, 0.0]), height=2.5)[0]
    array([3])
    """
    x = _signal(x, "x")
    if distance is not None and distance < 1:
        raise ValueError("`distance` must be greater or equal to 1")
    peaks, left, right = _local_maxima(x)
    properties: dict[str, ndarray] = {}

    def keep(mask: ndarray) -> None:
        nonlocal peaks, properties
        chosen = cp.flatnonzero(mask)
        peaks = peaks[chosen]
        properties = {name: values[chosen] for name, values in properties.items()}

    if plateau_size is not None:
        sizes = right - left + 1
        low, high = _interval(plateau_size, x, peaks)
        properties = {"plateau_sizes": sizes, "left_edges": left, "right_edges": right}
        keep(_within(sizes, low, high))
    if height is not None:
        heights = x[peaks]
        low, high = _interval(height, x, peaks)
        properties["peak_heights"] = heights
        keep(_within(heights, low, high))
    if threshold is not None:
        low, high = _interval(threshold, x, peaks)
        before, after = x[peaks] - x[peaks - 1], x[peaks] - x[peaks + 1]
        properties["left_thresholds"], properties["right_thresholds"] = before, after
        keep(_within(cp.minimum(before, after), low, None) & _within(cp.maximum(before, after), None, high))
    if distance is not None and peaks.size:
        keep(_apart(peaks, x[peaks], int(math.ceil(distance))))
    pyramid = None
    if prominence is not None or width is not None:
        pyramid = _pyramid(x) if peaks.size else None
        found = _prominences(x, pyramid, peaks, _window_length(wlen), False)
        properties.update(zip(("prominences", "left_bases", "right_bases"), found, strict=True))
    if prominence is not None:
        low, high = _interval(prominence, x, peaks)
        keep(_within(properties["prominences"], low, high))
    if width is not None:
        data = tuple(properties[name] for name in ("prominences", "left_bases", "right_bases"))
        found = _widths(x, pyramid, peaks, rel_height, data, False)
        properties.update(zip(("widths", "width_heights", "left_ips", "right_ips"), found, strict=True))
        low, high = _interval(width, x, peaks)
        keep(_within(properties["widths"], low, high))
    return peaks, properties


# ------------------------------------------------------------------------------------------------------------ extrema


def relative_extrema(data: ndarray, comparator: Any, axis: int, order: int, mode: str) -> ndarray:
    """Where values compare with their neighbours on both sides up to a distance."""
    if int(order) != order or order < 1:
        raise ValueError("Order must be an int >= 1")
    rows = cp.moveaxis(data, axis, -1)
    n = rows.shape[-1]
    found = cp.ones(rows.shape, bool)
    if n == 0:
        return cp.moveaxis(found, -1, axis)
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if mode == "raise":
        raise IndexError(f"index {n} is out of bounds for axis {axis} with size {n}")
    place = cp.arange(n)
    for shift in range(1, order + 1):
        after, before = place + shift, place - shift
        if mode == "clip":
            after, before = cp.minimum(after, n - 1), cp.maximum(before, 0)
        else:
            after, before = after % n, before % n
        found = found & comparator(rows, rows[..., after]) & comparator(rows, rows[..., before])
    return cp.moveaxis(found, -1, axis)


def argrelextrema(data: Any, comparator: Any, axis: int = 0, order: int = 1, mode: str = "clip") -> Any:
    """The places at which a function compares values with all neighbours up to a distance.

    Parameters
    ----------
    data : array_like
        The values.
    comparator : callable
        A function of two arrays, such as `cuproxide.greater`.
    axis : int
        The axis of neighbours.
    order : int
        The distance.
    mode : {'clip', 'wrap'}
        What neighbours at the ends are: the last values, or those of the other end.

    Returns
    -------
    tuple of ndarray
        The places, as those of `nonzero`.

    Raises
    ------
    ValueError
        `order` is not positive or `mode` unknown.

    >>> cp.scipy.signal.argrelextrema(cp.asarray([2, 1, 2, 3, 2]), cp.greater)
    (array([3]),)
    """
    return cp.nonzero(relative_extrema(as_device(data), comparator, axis, order, mode))


def argrelmin(data: Any, axis: int = 0, order: int = 1, mode: str = "clip") -> Any:
    """The places of relative minima; arguments are those of `argrelextrema`.

    >>> cp.scipy.signal.argrelmin(cp.asarray([2, 1, 2, 3, 2]))
    (array([1]),)
    """
    return argrelextrema(data, cp.less, axis, order, mode)


def argrelmax(data: Any, axis: int = 0, order: int = 1, mode: str = "clip") -> Any:
    """The places of relative maxima; arguments are those of `argrelextrema`.

    >>> cp.scipy.signal.argrelmax(cp.asarray([2, 1, 2, 3, 2]))
    (array([3]),)
    """
    return argrelextrema(data, cp.greater, axis, order, mode)
