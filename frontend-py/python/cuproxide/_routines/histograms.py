"""Counts: of integers, in bins, and in cells of several dimensions."""

from __future__ import annotations

import builtins
import cmath
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import SCALARS, along, as_array, as_index_array, is_complex, is_inexact
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike
from .joining import stack
from .quantiles import percentile
from .ranges import linspace
from .sorting import searchsorted

__all__ = [
    "bincount",
    "digitize",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
]


def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: int = 0) -> ndarray:
    """How often each integer from 0 appears in `x`, or the sum of the `weights` where it does.

    Waits for the device, since the length depends on the data.

    Parameters
    ----------
    x : array_like of int
        Integers that are not negative.
    minlength : int
        The least length of the result.

    Raises
    ------
    ValueError
        For negative integers.

    >>> cp.bincount(cp.asarray([0, 2, 2]))
    array([1, 0, 2])
    """
    # An empty list has no type of its own.
    x = as_index_array(x) if isinstance(x, (list, tuple)) else as_array(x)
    if x.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if x.ndim else "object of too small depth for desired array"
        )
    if x.dtype.kind not in "biu":
        raise TypeError(
            f"Cannot cast array data from dtype('{x.dtype}') to dtype('int64') according to the rule 'safe'"
        )
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if weights is not None:
        weights = as_array(weights).astype(np.float64, casting="safe", copy=False)
        if weights.shape != x.shape:
            raise ValueError("The weights and list don't have the same length.")
    length = minlength
    if x.size:
        # Without its sign a negative integer is larger than the others.
        high = int((x.view(f"u{x.dtype.itemsize}") if x.dtype.kind == "i" else x).max())
        if high > np.iinfo(x.dtype if x.dtype.kind == "i" else np.int64).max:
            raise ValueError("'list' argument must have no negative elements")
        length = max(minlength, high + 1)
    if weights is None or not x.size:
        return _core.bincount(x, length)
    result = _core.zeros(length, np.float64)
    _core.scatter(result, x.astype(np.int64, copy=False), weights, "add")
    return result


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> ndarray:
    """The number of the bin of each element: `bins[i-1] <= x < bins[i]`, or the other ends with `right`.

    `bins` increases or decreases (`ValueError` otherwise, which waits for the device).

    Parameters
    ----------
    bins : array_like
        The edges of the bins, in order.
    right : bool
        Whether the right end of a bin belongs to it instead of the left.

    >>> cp.digitize(cp.asarray([0.5, 2.5]), cp.asarray([0.0, 1.0, 2.0]))
    array([1, 3])
    """
    x, bins = as_array(x), as_array(bins)
    if is_complex(x.dtype):
        raise TypeError("x may not be complex")
    if is_complex(bins.dtype):
        raise TypeError("bins may not be complex")
    if bins.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if bins.ndim else "object of too small depth for desired array"
        )
    rising = True
    if bins.size > 1:
        # As in NumPy the first step tells the direction, and NaN contradicts none.
        up, down = bins[1:] > bins[:-1], bins[1:] < bins[:-1]
        turn = (bins[1:] != bins[:-1]).argmax()
        steps = [up.any(), down.any(), up[turn], (bins[1:] == bins[:-1]).all()]
        any_up, any_down, first_up, equal = stack(steps).tolist()
        rising = first_up or equal
        if any_down if rising else any_up:
            raise ValueError("bins must be monotonically increasing or decreasing")
    side = "left" if right else "right"
    if rising:
        return searchsorted(bins, x, side)
    return bins.size - searchsorted(bins[::-1], x, side)


def histogram(
    a: ArrayLike,
    bins: int | str | ArrayLike = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, ndarray]:
    """The number of elements in each bin (or the sum of their `weights`), and the edges of the bins.

    `bins` is a number of equal bins over `range`, by default that of the elements, the increasing edges, or the name of
    an estimator of `histogram_bin_edges`. The last bin includes its right edge. With `density` the integral is 1.

    >>> cp.histogram(cp.asarray([1, 2, 2, 4]), bins=3)[0]
    array([1, 2, 1])
    """
    a, weights = _flat(a, weights)
    range = None if range is None else tuple(range)
    edges, ends = _bin_edges(a, bins, range, weights)
    if range is not None and ends is not None and a.dtype.kind in "iu" and any(map(_is_between_floats, range)):
        # Edges are floats, which may include integers that lie beyond these ends.
        inside = (a >= range[0]) & (a <= range[1])
        a, weights = a[inside], None if weights is None else weights[inside]
    result = _core.histogram(a, edges, ends is not None) if weights is None else None
    if edges.size == 0 and weights is not None:
        result = _core.zeros(0, weights.dtype)
    if result is None:
        result = _binned(a, edges, weights, ends)
    if density:
        widths = edges[1:] - edges[:-1]
        return result / widths.astype(np.float64) / result.sum(), edges
    return result, edges


def _binned(a: ndarray, edges: ndarray, weights: ndarray | None, ends: tuple[float, float] | None) -> ndarray:
    """The number or the weight of the elements between `edges`, which are equally far apart between `ends` if given."""
    count = edges.size - 1
    inside = (a >= edges[0]) & (a <= edges[-1])
    if ends is not None:
        low, high = ends
        # The bin follows from the distance, up to rounding, which the edges correct.
        position = (a - low) / (high - low) * count
        position = _core.clip(_core.where(inside, position, 0).astype(np.int64), 0, count - 1)
        position = position - (a < edges.take(position))
        position = position + ((a >= edges.take(position + 1)) & (position < count - 1))
    else:
        position = _ufuncs["minimum"](searchsorted(edges, a, "right") - 1, count - 1)
    # Elements outside go to a bin of their own, which is dropped.
    position = _core.where(inside, position, count)
    dtype = np.dtype(np.int64) if weights is None else weights.dtype
    # As in NumPy, floats are added in double precision: a float32 stops growing at 2^24 ones.
    result = _core.zeros(count + 1, np.promote_types(dtype, np.float64) if is_inexact(dtype) else dtype)
    if a.size:
        _core.scatter(result, position, 1 if weights is None else weights, "add")
    return result[:count].astype(dtype, copy=False)


def _ends(a: ndarray, given: Sequence[float] | None) -> tuple[float, float]:
    """The outer edges: those given, or the extremes of `a`, which waits for the device."""
    if given is not None:
        low, high = (float(edge) for edge in given)
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    elif a.size == 0:
        low, high = 0.0, 1.0
    else:
        low, high = stack((a.min(), a.max())).tolist()
        if not (cmath.isfinite(low) and cmath.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    if low == high:
        return low - 0.5, high + 0.5
    return (low, high) if is_complex(a.dtype) else (float(low), float(high))


def _flat(a: ArrayLike, weights: ArrayLike | None) -> tuple[ndarray, ndarray | None]:
    """The elements and their weights, flattened; bools as integers, which have distances."""
    a = as_array(a)
    if a.dtype == np.bool_:
        message = f"Converting input from {a.dtype} to {np.uint8} for compatibility."
        warnings.warn(message, RuntimeWarning, stacklevel=3)
        a = a.astype(np.uint8)
    if weights is not None:
        weights = as_array(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.ravel()
    return a.ravel(), weights


def _bin_edges(
    a: ndarray, bins: Any, given: Sequence[float] | None, weights: ndarray | None
) -> tuple[ndarray, tuple[float, float] | None]:
    """The edges of the bins, and the outer ones if the bins are equally wide."""
    if isinstance(bins, str):
        if bins not in _ESTIMATORS:
            raise ValueError(f"{bins!r} is not a valid estimator for `bins`")
        if weights is not None:
            raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
        low, high = _ends(a, given)
        inside = a if given is None else a[(a >= low) & (a <= high)]
        width = _ESTIMATORS[bins](inside, (low, high)) if inside.size else 0.0
        if width and a.dtype.kind in "iu":
            width = max(width, 1.0)
        count = max(math.ceil((high - low) / width), 1) if width else 1
    else:
        ndim = 0 if isinstance(bins, SCALARS) else bins.ndim if isinstance(bins, ndarray) else np.ndim(bins)
        if ndim > 1:
            raise ValueError("`bins` must be 1d, when an array")
        if ndim == 1:
            edges = as_array(bins)
            if bool((edges[:-1] > edges[1:]).any()):
                raise ValueError("`bins` must increase monotonically, when an array")
            return edges, None
        try:
            count = operator.index(bins)
        except TypeError as error:
            raise TypeError("`bins` must be an integer, a string, or an array") from error
        if count < 1:
            raise ValueError("`bins` must be positive, when an integer")
        low, high = _ends(a, given)
    _check_span(low, high, count, a)
    computed = _equal(a, low, high, count, given)
    edges = computed.astype(_core.result_type(*_dtypes(given), a.dtype, 1.0), copy=False)
    narrow = min(computed.dtype, edges.dtype, key=lambda dtype: dtype.itemsize)
    if not _are_apart(low, high, count, narrow) and not bool((edges[:-1] < edges[1:]).all()):
        raise ValueError(f"Too many bins for data range. Cannot create {count} finite-sized bins.")
    return edges, (low, high)


_FLOATS = {2: (2.0**-10, 2.0**-14, 65504.0), 4: (2.0**-23, 2.0**-126, 3.4e38), 8: (2.0**-52, 2.0**-1022, 1.7e308)}
"""The relative step of floating types by their bytes, the least normal number and the largest."""


def _are_apart(low: float, high: float, count: int, dtype: np.dtype[Any]) -> bool:
    """Whether edges surely increase, which nearly all do: the host knows it without a look at them."""
    if dtype.kind != "f" or dtype.itemsize not in _FLOATS:
        return False
    relative, least, most = _FLOATS[dtype.itemsize]
    largest, width = max(abs(low), abs(high)), high - low
    # One step more than the four that sums take: the ends are rounded to the type.
    return width <= most and largest <= most and width > 5.0 * max(largest * relative, least) * count


def _equal(a: ndarray, low: float, high: float, count: int, given: Sequence[float] | None) -> ndarray:
    """The edges of `count` equal bins, computed in the dtype of the ends if that is a floating one, as in NumPy."""
    dtype = a.dtype if given is None and a.size else _core.result_type(1.0, *_dtypes(given))
    if dtype.kind == "f":
        low, high = dtype.type(low), dtype.type(high)
    return linspace(low, high, count + 1)


def _is_between_floats(end: Any) -> bool:
    is_integer = end.dtype.kind in "iu" if hasattr(end, "dtype") else isinstance(end, int)
    return is_integer and float(end) != int(end)


def _dtypes(given: Sequence[float] | None) -> list[np.dtype[Any]]:
    """The dtypes of given ends. Python's numbers have none."""
    dtypes = [edge.dtype for edge in given or () if hasattr(edge, "dtype")]
    return [dtype for dtype in dtypes if dtype.itemsize <= 8]


def _check_span(low: Any, high: Any, count: int, a: ndarray) -> None:
    """Raises NumPy's error for ends whose distance is no number of the type of floating elements."""
    if a.dtype.kind == "c":
        return
    kind = a.dtype.type if a.dtype.kind == "f" else float
    with np.errstate(over="ignore"):
        if not math.isfinite(kind(high) - kind(low)):
            raise ValueError(f"Too many bins for data range. Cannot create {count} finite-sized bins.")


def _edges(a: ndarray, bins: Any, given: Sequence[float] | None, name: str) -> ndarray:
    """The edges of the bins of one dimension."""
    given = None if given is None else tuple(given)
    ndim = 0 if isinstance(bins, SCALARS) else np.ndim(bins) if not isinstance(bins, ndarray) else bins.ndim
    if ndim == 0:
        if bins < 1:
            raise ValueError(f"`bins[{name}]` must be positive, when an integer")
        low, high = _ends(a, given)
        try:
            count = operator.index(bins)
        except TypeError as error:
            raise TypeError(f"`bins[{name}]` must be an integer, when a scalar") from error
        if given is None:
            _check_span(low, high, count, a)
        return _equal(a, low, high, count, given)
    if ndim != 1:
        raise ValueError(f"`bins[{name}]` must be a scalar or 1d array")
    edges = as_array(bins)
    if bool((edges[:-1] > edges[1:]).any()):
        raise ValueError(f"`bins[{name}]` must be monotonically increasing, when an array")
    return edges


def histogramdd(
    sample: ArrayLike,
    bins: Any = 10,
    range: Sequence[Any] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, list[ndarray]]:
    """The number of points in each cell (or the sum of their `weights`) as floats, and the edges along each dimension.

    `sample` has a row for each point, or is a sequence of the coordinates along each dimension. `bins` is a number of
    bins or edges, for all dimensions or for each. Waits for the device.

    Parameters
    ----------
    sample : array_like
        The points, one in each row.

    Returns
    -------
    tuple of ndarray and list of ndarray

    >>> cp.histogramdd(cp.asarray([[0.0, 0.0], [1.0, 1.0]]), bins=2)[0]
    array([[1., 0.],
           [0., 1.]])
    """
    if not (isinstance(sample, ndarray) and sample.ndim == 2):
        points = stack([as_array(part) for part in sample]) if isinstance(sample, (list, tuple)) else as_array(sample)
        if points.ndim > 2:
            raise ValueError("too many values to unpack (expected 2)")
        sample = points.reshape((1, -1)).T if points.ndim < 2 else points.T
    dims = sample.shape[1]
    if isinstance(bins, ndarray) and bins.ndim == 1:
        bins = bins.tolist() if bins.dtype.kind in "iu" and bins.size == dims else list(bins)
    try:
        count = len(bins)
    except TypeError:
        bins = [bins] * dims
    else:
        if count != dims:
            raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    if range is None:
        range = (None,) * dims
    elif len(range) != dims:
        raise ValueError("range argument must have one entry per dimension")
    columns = list(sample.T)
    edges = [
        _edges(column, item, given, str(i))
        for i, (column, item, given) in enumerate(zip(columns, bins, range, strict=True))
    ]
    # Cells outside the edges are counted too, and cut off at the end.
    lengths = [edge.size + 1 for edge in edges]
    cell: Any = 0
    for column, edge, length in zip(columns, edges, lengths, strict=True):
        position = searchsorted(edge, column, "right") - (column == edge[-1])
        cell = cell * length + position
    result = bincount(cell, weights, math.prod(lengths)).reshape(lengths).astype(np.float64, casting="safe")
    result = result[(slice(1, -1),) * dims]
    if density:
        total = result.sum()
        for axis, edge in enumerate(edges):
            result = result / along(edge[1:] - edge[:-1], axis, dims)
        result = result / total
    return result, edges


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Any = 10,
    range: Sequence[Any] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, ndarray, ndarray]:
    """The number of points (`x`, `y`) in each cell, and the edges along both.

    Parameters
    ----------
    x : array_like
        The first coordinates.
    y : array_like
        The second coordinates.

    >>> cp.histogram2d(cp.asarray([0.0, 1.0]), cp.asarray([0.0, 1.0]), bins=2)[0]
    array([[1., 0.],
           [0., 1.]])
    """
    x, y = as_array(x), as_array(y)
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    try:
        count = len(bins)
    except TypeError:
        count = 1
    if count not in (1, 2):
        bins = [as_array(bins)] * 2
    result, edges = histogramdd([x, y], bins, range, density, weights)
    return result, edges[0], edges[1]


def _spread(a: ndarray) -> float:
    # As numbers of Python: the difference of small integers leaves their type.
    low, high = stack((a.min(), a.max())).tolist()
    return float(high - low)


def _quartiles(a: ndarray) -> float:
    low, high = percentile(a, [25, 75]).tolist()
    return high - low


def _stone(a: ndarray, ends: tuple[float, float]) -> float:
    n, spread = a.size, _spread(a)
    if n <= 1 or spread == 0:
        return 0.0

    def concentration(count: int) -> ndarray:
        shares = histogram(a, count, ends)[0] / n
        return (shares * shares).sum()

    upper = max(100, int(math.sqrt(n)))
    counts = builtins.range(1, upper + 1)
    # One read for all numbers of bins.
    found = _core.concatenate([concentration(count).reshape(1) for count in counts]).tolist()
    losses = {count: (2 - (n + 1) * share) * count for count, share in zip(counts, found, strict=True)}
    return spread / min(counts, key=losses.__getitem__)


def _doane(a: ndarray, ends: tuple[float, float]) -> float:
    if a.size <= 2:
        return 0.0
    error = math.sqrt(6.0 * (a.size - 2) / ((a.size + 1.0) * (a.size + 3)))
    deviation = float(a.std())
    if deviation <= 0:
        return 0.0
    skew = float((((a - a.mean()) / deviation) ** 3).mean())
    return _spread(a) / (1.0 + math.log2(a.size) + math.log2(1.0 + abs(skew) / error))


def _scott(a: ndarray, ends: tuple[float, float]) -> float:
    return (24.0 * math.pi**0.5 / a.size) ** (1.0 / 3.0) * float(a.std())


def _sturges(a: ndarray, ends: tuple[float, float]) -> float:
    return _spread(a) / (math.log2(a.size) + 1.0)


def _freedman(a: ndarray, ends: tuple[float, float]) -> float:
    return 2.0 * _quartiles(a) * a.size ** (-1.0 / 3.0)


def _auto(a: ndarray, ends: tuple[float, float]) -> float:
    freedman, sturges = _freedman(a, ends), _sturges(a, ends)
    freedman = max(freedman, (_spread(a) / math.sqrt(a.size)) / 2)
    return min(freedman, sturges)


_ESTIMATORS: dict[str, Callable[[ndarray, tuple[float, float]], float]] = {
    "stone": _stone,
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman,
    "rice": lambda a, ends: _spread(a) / (2.0 * a.size ** (1.0 / 3)),
    "scott": _scott,
    "sqrt": lambda a, ends: _spread(a) / math.sqrt(a.size),
    "sturges": _sturges,
}


def histogram_bin_edges(
    a: ArrayLike, bins: Any = 10, range: tuple[float, float] | None = None, weights: ArrayLike | None = None
) -> ndarray:
    """The edges of the bins that `histogram` would use.

    `bins` may also name an estimator of the number of bins: "auto", "fd", "doane", "scott", "stone", "rice",
    "sturges" or "sqrt". Waits for the device.

    >>> cp.histogram_bin_edges(cp.asarray([0.0, 4.0]), bins=4)
    array([0., 1., 2., 3., 4.])
    """
    a, weights = _flat(a, weights)
    return _bin_edges(a, bins, None if range is None else tuple(range), weights)[0]
