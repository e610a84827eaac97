"""Statistics of values in bins of one dimension or several."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._common import points
from ._resampling import _takes_axis

BinnedStatisticResult = namedtuple("BinnedStatisticResult", ["statistic", "bin_edges", "binnumber"])
BinnedStatistic2dResult = namedtuple("BinnedStatistic2dResult", ["statistic", "x_edge", "y_edge", "binnumber"])
BinnedStatisticddResult = namedtuple("BinnedStatisticddResult", ["statistic", "bin_edges", "binnumber"])
_NAMED = ("mean", "median", "count", "sum", "std", "min", "max")


def _edges(x: ndarray, bins: Any, limits: Any) -> ndarray:
    if np.ndim(bins) == 0 and not isinstance(bins, ndarray):
        if limits is None:
            # Points infinitely far away lie outside of all bins.
            x = x[cp.isfinite(x)]
            low, high = (to_float(x.min()), to_float(x.max())) if x.size else (math.nan, math.nan)
        else:
            low, high = limits
        if int(bins) < 1:
            raise ValueError(f"the number of bins must be positive, not {bins}")
        if low > high:
            raise ValueError(f"In range, start must be <= stop, but it is {(low, high)}")
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = cp.linspace(low, high, int(bins) + 1)
        # Far from 0 a narrow range has fewer numbers than bins.
        if abs(high - low) <= int(bins) * np.spacing(max(abs(low), abs(high))):
            _refuse_equal(edges, bins)
        return edges
    edges = points(as_device(bins))
    if edges.ndim != 1 or edges.size < 2 or bool((edges[1:] < edges[:-1]).any()):
        raise ValueError(f"edges of bins must be at least two numbers that rise, not {bins}")
    _refuse_equal(edges, bins)
    return edges


def _refuse_equal(edges: ndarray, bins: Any) -> None:
    if bool((edges[1:] == edges[:-1]).any()):
        raise ValueError(f"The smallest edge difference of the bins {bins} is numerically 0.")


def binned_statistic_dd(
    sample: Any,
    values: Any,
    statistic: Any = "mean",
    bins: Any = 10,
    range: Any = None,
    expand_binnumbers: bool = False,
    binned_statistic_result: Any = None,
) -> Any:
    """A statistic of the values in each bin of several dimensions.

    Parameters
    ----------
    binned_statistic_result : optional
        A result whose numbers of bins are used again.

    Returns
    -------
    result with statistic, edges and numbers of bins

    >>> r = cp.scipy.stats.binned_statistic_dd(cp.asarray([[0.1], [0.9]]), cp.asarray([1.0, 3.0]), bins=2)
    >>> r.statistic
    array([1., 3.])
    """
    if not callable(statistic) and statistic not in _NAMED:
        raise ValueError(f"invalid statistic {statistic!r}")
    coordinates = sample if isinstance(sample, (list, tuple)) else as_device(sample)
    if isinstance(coordinates, ndarray):
        coordinates = [coordinates] if coordinates.ndim == 1 else list(coordinates.T)
    coordinates = [points(as_device(c)) for c in coordinates]
    d, n = len(coordinates), coordinates[0].size
    if values is None and statistic == "count":
        values = coordinates[0]
    rows = (
        as_device(values)
        if not isinstance(values, (list, tuple)) or np.ndim(values[0]) == 0
        else cp.stack([as_device(v) for v in values])
    )
    single = rows.ndim == 1
    rows = cp.atleast_2d(rows)
    if statistic != "count" and rows.shape[1] != n:
        raise AttributeError("The number of `values` elements must match the length of each `sample` dimension.")
    if bool(cp.isnan(cp.stack(coordinates)).any()):
        raise ValueError("The points contain NaN, which lies in no bin: remove it, or put a number in its place.")
    if binned_statistic_result is not None:
        edges = list(binned_statistic_result.bin_edges)
    else:
        each = (
            bins
            if isinstance(bins, (list, tuple))
            and len(bins) == d
            and d > 1
            or (isinstance(bins, (list, tuple)) and np.ndim(bins[0]) > 0)
            else [bins] * d
        )
        if isinstance(bins, (list, tuple)) and d > 1 and len(bins) != d:
            raise AttributeError("The dimension of bins must be equal to the dimension of the sample x.")
        if range is not None and len(range) != d:
            raise ValueError(f"range given for {len(range)} dimensions; {d} required")
        edges = [
            _edges(c, b, None if range is None else range[i])
            for i, (c, b) in enumerate(zip(coordinates, each, strict=True))
        ]
    numbers, shape = [], []
    for c, e in zip(coordinates, edges, strict=True):
        at = cp.searchsorted(e, c, side="right")
        # The last edge belongs to the last bin.
        at = cp.where(c == e[-1], e.size - 1, at)
        numbers.append(at)
        shape.append(e.size + 1)
    flat = numbers[0]
    for at, size in zip(numbers[1:], shape[1:], strict=True):
        flat = flat * size + at
    total = math.prod(shape)
    rows = rows.astype(np.complex128 if rows.dtype.kind == "c" else np.float64)
    out = _bin(rows, flat, total, statistic).reshape(rows.shape[0], *shape)
    inner = (slice(None), *(slice(1, -1) for _ in shape))
    out = out[inner]
    result = out[0] if single else out
    binnumber = cp.stack(numbers) if expand_binnumbers and d > 1 else flat
    return BinnedStatisticddResult(result, edges, binnumber)


def _bin(rows: ndarray, at: ndarray, total: int, statistic: str | Callable[..., Any]) -> ndarray:
    """A statistic of each row of values in each of `total` bins, of which `at` says the one of each value."""
    statistic = _KNOWN.get(statistic, statistic) if callable(statistic) else statistic
    count = cp.bincount(at, minlength=total)
    lead = rows.shape[0]
    if statistic == "count":
        return cp.broadcast_to(count.astype(np.float64), (lead, total)).copy()
    # All rows are tallied together: each has bins of its own.
    every = (at + cp.arange(lead)[:, None] * total).ravel()

    def tallied(weights: ndarray) -> ndarray:
        if weights.dtype.kind == "c":
            return tallied(weights.real) + 1j * tallied(weights.imag)
        return cp.bincount(every, weights=weights.ravel(), minlength=lead * total).reshape(lead, total)

    if statistic in ("sum", "mean", "std"):
        sums = tallied(rows)
        if statistic == "sum":
            return sums
        mean = sums / count
        if statistic == "mean":
            return mean
        # The deviation of complex numbers is real, in an array of their type.
        return cp.sqrt(tallied(abs(rows - mean[:, at]) ** 2) / count).astype(rows.dtype, copy=False)
    if rows.dtype.kind == "c" and isinstance(statistic, str):
        statistic = getattr(cp, statistic)
    if statistic in ("min", "max"):
        out = cp.full(lead * total, np.inf if statistic == "min" else -np.inf)
        (np.minimum if statistic == "min" else np.maximum).at(out, every, rows.ravel())
        return cp.where(count == 0, np.nan, out.reshape(lead, total))
    starts = cp.concatenate([cp.zeros(1, dtype=np.int64), cp.cumsum(count)])[:-1]
    if statistic == "median":
        order = cp.argsort(rows, axis=1, kind="stable")
        order = cp.take_along_axis(order, cp.argsort(at[order], axis=1, kind="stable"), axis=1)
        ordered = cp.take_along_axis(rows, order, axis=1)
        low = cp.clip(starts + (count - 1) // 2, 0, max(rows.shape[1] - 1, 0))
        high = cp.clip(starts + count // 2, 0, max(rows.shape[1] - 1, 0))
        return cp.where(count == 0, np.nan, (ordered[:, low] + ordered[:, high]) / 2)
    return _called(rows[:, cp.argsort(at, kind="stable")], starts, count, statistic)


def _called(ordered: ndarray, starts: ndarray, count: ndarray, statistic: Callable[..., Any]) -> ndarray:
    """A user's function of the values in each bin, which follow one another in `ordered`.

    A function with an `axis` sees all bins with one number of values, and all rows, at once; others see one bin a call.
    """
    try:
        empty = float(statistic(cp.empty(0)))
    except Exception:  # What a user's function does with nothing is its own affair.
        empty = np.nan
    out = cp.full((ordered.shape[0], count.size), empty, dtype=ordered.dtype)
    sizes = count.get()
    if _takes_axis(statistic):
        for size in np.unique(sizes[sizes > 0]).tolist():
            which = cp.asarray(np.flatnonzero(sizes == size))
            values = ordered[:, starts[which][:, None] + cp.arange(size)]
            out[:, which] = cp.asarray(statistic(values, axis=-1))
        return out
    bounds = starts.get()
    for b in np.flatnonzero(sizes).tolist():
        part = ordered[:, int(bounds[b]) : int(bounds[b] + sizes[b])]
        out[:, b] = cp.stack([cp.asarray(statistic(row)) for row in part])
    return out


_KNOWN: dict[Any, str] = {
    getattr(module, name): name for module in (np, cp) for name in ("mean", "median", "sum", "std", "min", "max")
}


def binned_statistic(
    x: Any, values: Any, statistic: Any = "mean", bins: Any = 10, range: Any = None
) -> BinnedStatisticResult:
    """A statistic of the values in each bin.

    Parameters
    ----------
    x : array_like
        What is sorted into bins.

    >>> cp.scipy.stats.binned_statistic(cp.asarray([0.1, 0.2, 0.9]), cp.asarray([1.0, 3.0, 5.0]), bins=2).statistic
    array([2., 5.])
    """
    if range is not None and len(range) == 2 and np.ndim(range[0]) == 0:
        range = [range]
    edges = bins if np.ndim(bins) == 0 and not isinstance(bins, ndarray) else [bins]
    r = binned_statistic_dd([x], values, statistic, edges, range)
    return BinnedStatisticResult(r.statistic, r.bin_edges[0], r.binnumber)


def binned_statistic_2d(
    x: Any,
    y: Any,
    values: Any,
    statistic: Any = "mean",
    bins: Any = 10,
    range: Any = None,
    expand_binnumbers: bool = False,
) -> BinnedStatistic2dResult:
    """A statistic of the values in each bin of two dimensions.

    Parameters
    ----------
    x : array_like
        The first coordinates.
    y : array_like
        The second coordinates.

    >>> x = cp.asarray([0.1, 0.9])
    >>> cp.scipy.stats.binned_statistic_2d(x, x, cp.asarray([1.0, 3.0]), bins=2).statistic
    array([[ 1., nan],
           [nan,  3.]])
    """
    if isinstance(bins, ndarray) or (isinstance(bins, (list, tuple)) and len(bins) != 2):
        bins = [bins, bins]
    r = binned_statistic_dd([x, y], values, statistic, bins, range, expand_binnumbers)
    x_edge, y_edge = r.bin_edges
    return BinnedStatistic2dResult(r.statistic, x_edge, y_edge, r.binnumber)


__all__ = ["binned_statistic", "binned_statistic_2d", "binned_statistic_dd"]
