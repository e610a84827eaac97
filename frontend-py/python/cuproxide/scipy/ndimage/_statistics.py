"""Statistics of the elements of each label: one pass over all of them, not one for each label."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import lexsort, searchsorted
from ... import median as _median
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array
from ..._lib.ufuncs import NUMPY as ufuncs
from ..._typing import ArrayLike
from ._labels import is_scalar, labeled_comprehension, runs, together, wanted_labels

__all__ = [
    "center_of_mass",
    "extrema",
    "histogram",
    "maximum",
    "maximum_position",
    "mean",
    "median",
    "minimum",
    "minimum_position",
    "standard_deviation",
    "sum",
    "sum_labels",
    "variance",
]


# --------------------------------------------------------------------------------------------------------- the kernels


@k.function
def group(wanted, label):
    """The position of a label in an increasing list, -1 if it is not there."""
    low, high = 0, wanted.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if wanted[middle] < label:
            low = middle + 1
        else:
            high = middle
    last = k.minimum(low, wanted.shape[0] - 1)
    return k.where((low < wanted.shape[0]) & (wanted[last] == label), last, -1)


@k.function
def _coordinates_of(position, shape, narrow):
    """The coordinates of a position in C order; divisions of 32 bits take a GPU a fraction of the time."""
    kind = "uint32" if narrow else "uint64"
    position, found = position.astype(kind), ()
    for length in reversed(shape[1:]):
        before = position // length.astype(kind)
        found = ((position - before * length.astype(kind)).astype("float64"), *found)
        position = before
    return (position.astype("float64"), *found)


@k.kernel
def _sums(
    values: k.Array[1],
    labels: k.Array[1],
    wanted: k.Array[1],
    means: k.Array[1],
    found: k.Out[2],
    shape0: int,
    shape1: int,
    shape2: int,
    shape3: int,
    chunk: int,
    stride: int,
    *,
    kind: str,
    rank: int,
    narrow: bool,
):
    """Sums of each label: 'sums' are numbers of elements and their sum, 'squares' squared distances from the mean,
    'moments' sums of elements and of these times each coordinate.
    """
    shape = (shape0, shape1, shape2, shape3)[4 - rank :] if rank else ()
    size = values.shape[0]
    me = k.index()
    at = me // stride * (chunk * stride) + me % stride
    zero = k.value(0.0, "float64")
    totals = (zero, zero) if kind == "sums" else (zero,) if kind == "squares" else (zero,) * (rank + 1)
    current, label = k.value(-1), labels[k.minimum(at, size - 1)]
    current = group(wanted, label)
    for _ in k.steps(chunk):
        if at < size:
            if labels[at] != label:
                if current >= 0:
                    for i in range(len(totals)):
                        found.add((i, current), totals[i])
                totals = tuple(zero for _ in totals)
                label = labels[at]
                current = group(wanted, label)
            value = values[at].astype("float64")
            if kind == "sums":
                totals = (totals[0] + 1.0, totals[1] + value)
            elif kind == "squares":
                distance = value - means[k.maximum(current, 0)]
                totals = (totals[0] + distance * distance,)
            else:
                factors = (1.0, *(_coordinates_of(at, shape, narrow) if rank else ()))
                totals = tuple(total + value * factor for total, factor in zip(totals, factors, strict=True))
        at = at + stride
    if current >= 0:
        for i in range(len(totals)):
            found.add((i, current), totals[i])


@k.function
def _key(value):
    """A 64-bit integer with the order of a number; what is no number comes last."""
    if value.dtype.kind == "f":
        bits = value.astype("float64").view("int64")
        bits = bits ^ ((bits >> 63) & (2**63 - 1))
        return k.where(value == value, bits, 2**63 - 2)
    if value.dtype == np.uint64:
        return (value ^ np.uint64(2**63)).view("int64")
    return value.astype("int64")


@k.kernel
def _value(key: k.Each, *, dtype: str):
    """The number with a key, 0 for none."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        value = (key ^ ((key >> 63) & (2**63 - 1))).view("float64").astype(dtype)
        value = k.where(key == 2**63 - 2, float("nan"), value)
    elif kind == np.uint64:
        value = key.view("uint64") ^ np.uint64(2**63)
    else:
        value = key.astype(dtype)
    return value


@k.kernel
def _extreme_keys(
    values: k.Array[1],
    labels: k.Array[1],
    wanted: k.Array[1],
    low: k.Out[1],
    high: k.Out[1],
    counts: k.Out[1],
    chunk: int,
    stride: int,
):
    size = values.shape[0]
    me = k.index()
    at = me // stride * (chunk * stride) + me % stride
    label = labels[k.minimum(at, size - 1)]
    current = group(wanted, label)
    first = _key(values[k.minimum(at, size - 1)])
    least, most, count = first, first, k.value(0)
    for _ in k.steps(chunk):
        if at < size:
            key = _key(values[at])
            if labels[at] != label:
                if current >= 0:
                    low.min(current, least)
                    high.max(current, most)
                    counts.add(current, count)
                label = labels[at]
                current = group(wanted, label)
                least, most, count = key, key, k.value(0)
            least, most, count = k.minimum(least, key), k.maximum(most, key), count + 1
        at = at + stride
    if current >= 0 and count > 0:
        low.min(current, least)
        high.max(current, most)
        counts.add(current, count)


@k.kernel
def _extreme_places(
    value: k.Each,
    label: k.Each,
    wanted: k.Array[1],
    low: k.Array[1],
    high: k.Array[1],
    first: k.Out[1],
    last: k.Out[1],
):
    current = group(wanted, label)
    if current >= 0:
        key = _key(value)
        if key == low[current]:
            first.min(current, k.index())
        if key == high[current]:
            last.max(current, k.index())


@k.kernel
def _groups(label: k.Each, wanted: k.Array[1]):
    return group(wanted, label)


@k.kernel
def _packed(value: k.Each, label: k.Each, wanted: k.Array[1]):
    """The group of an element and the order of its value in one integer; those of no group come last."""
    current = group(wanted, label)
    if value.dtype.kind == "f":
        bits = value.astype("float32").view("int32")
        bits = bits ^ ((bits >> 31) & (2**31 - 1))
        key = k.where(value == value, bits, 2**31 - 1).astype("int64")
    else:
        key = value.astype("int64")
    low = k.where(current < 0, 2**30, current).astype("int64")
    return (low << 32) + (key + 2**31 if value.dtype != np.uint32 else key)


@k.kernel
def _unpacked(packed: k.Each, *, dtype: str):
    key = packed & (2**32 - 1)
    kind = np.dtype(dtype)
    if kind == np.uint32:
        return key.astype(dtype)
    key = key - 2**31
    if kind.kind == "f":
        bits = key.astype("int32")
        return (bits ^ ((bits >> 31) & (2**31 - 1))).view("float32").astype(dtype)
    return key.astype(dtype)


@k.kernel
def _counts(value: k.Each, label: k.Each, wanted: k.Array[1], edges: k.Array[1], found: k.Out[2]):
    """Counts elements by label and bin; the last bin holds its upper edge."""
    current = group(wanted, label)
    bins = edges.shape[0] - 1
    if current >= 0 and value >= edges[0] and value <= edges[bins]:
        low, high = 0, bins
        while low + 1 < high:
            middle = (low + high) >> 1
            if edges[middle] <= value:
                low = middle
            else:
                high = middle
        found.add((current, low), 1)


# -------------------------------------------------------------------------------------------------------- preparations


class _Labelled:
    """Elements with labels, and the labels that are wanted, each once and increasing."""

    def __init__(self, input: ArrayLike, labels: ArrayLike, index: Any) -> None:
        self.input, self.labels = together(input, labels)
        index = index if isinstance(index, ndarray) else _core.array(np.asarray(index))
        if index.dtype.kind not in "biu" and self.labels.dtype.kind in "biu":
            index = index.astype(np.int64)
        common = np.promote_types(index.dtype, self.labels.dtype)
        self.index = index.astype(common)
        self.labels = self.labels.astype(common, copy=False)
        self.shape = self.index.shape
        self.wanted = self.index.reshape(-1).copy()
        self.wanted.sort()
        self.count = self.wanted.size
        self.values, self.flat = self.input.reshape(-1), self.labels.reshape(-1)

    def threads(self) -> tuple[tuple[int], int, int]:
        """The shape of a launch in which each thread takes a run of elements."""
        chunk, stride = runs(self.input)
        return (-(-self.values.size // (chunk * stride)) * stride,), chunk, stride

    def spread(self, found: ndarray) -> ndarray:
        """Results of the wanted labels as those of the index. A label that is wanted twice is found at the first."""
        places = searchsorted(self.wanted, self.index.reshape(-1))
        return found[..., places].reshape((*found.shape[:-1], *self.shape))

    def sums(self, kind: str, rows: int, means: ndarray | None = None) -> ndarray:
        """Rows of sums of the wanted labels."""
        if self.input.dtype.kind == "c":
            raise TypeError(
                "Cannot cast array data from dtype('complex128') to dtype('float64') according to the rule 'safe'"
            )
        found = _core.zeros((rows, self.count), np.float64)
        if not self.count or not self.values.size:
            return found
        rank = self.input.ndim if kind == "moments" else 0
        if rank > 4:
            raise ValueError(f"moments of more than 4 axes: {rank}")
        shape = [1] * (4 - rank) + list(self.input.shape) if rank else [1] * 4
        launch, chunk, stride = self.threads()
        means = found[0] if means is None else means
        _sums(
            self.values, self.flat, self.wanted, means.copy(), found, *shape, chunk, stride,
            shape=launch, kind=kind, rank=rank, narrow=self.values.size < 2**32,
        )  # fmt: skip
        return found

    def extremes(self) -> tuple[ndarray, ndarray, ndarray]:
        """Keys of the smallest and largest elements, and the numbers of elements."""
        low = _core.full(self.count, 2**63 - 1, np.int64)
        high = _core.full(self.count, -(2**63), np.int64)
        counts = _core.zeros(self.count, np.int64)
        if self.count and self.values.size:
            launch, chunk, stride = self.threads()
            _extreme_keys(self.values, self.flat, self.wanted, low, high, counts, chunk, stride, shape=launch)
        return low, high, counts

    def ordered(self) -> tuple[ndarray, ndarray, ndarray]:
        """The elements by label and value, and where those of each wanted label begin and end."""
        small = self.input.dtype.itemsize <= 4 and self.input.dtype.kind in "biuf"
        if small and self.count < 2**30:
            packed = _packed(self.values, self.flat, self.wanted)
            packed.sort()
            numbers = packed >> 32
            values = _unpacked(packed, dtype=self.input.dtype.name)
        else:
            numbers = _groups(self.flat, self.wanted)
            numbers = _core.where(numbers < 0, self.count, numbers)
            parts = [self.values.imag, self.values.real] if self.input.dtype.kind == "c" else [self.values]
            order = lexsort((*parts, numbers))
            values, numbers = self.values[order], numbers[order]
        which = _core.arange(0, 1, self.count, np.int64)
        return values, searchsorted(numbers, which), searchsorted(numbers, which, side="right")


def _chosen(input: ArrayLike, labels: Any, index: Any) -> tuple[ndarray, ndarray | None]:
    """The elements of one group: all, those with labels above 0, or those with one label; a mask, or None for all."""
    if labels is None:
        return as_array(input), None
    input, labels = together(input, labels)
    return input, labels > 0 if index is None else labels == index


def _is_one_group(labels: Any, index: Any) -> bool:
    return labels is None or index is None or is_scalar(index)


def _one_sum(input: ndarray, mask: ndarray | None) -> tuple[ndarray | int, ndarray]:
    if mask is None:
        return input.size, input.sum()
    # What is not chosen may be no number: it is left out, not multiplied by zero.
    return mask.sum(), _core.where(mask, input, np.zeros((), input.dtype)[()]).sum(dtype=None)


def _floats(elements: ndarray) -> ndarray:
    """`elements`, as doubles where their sum may leave the range: integers and half precision."""
    return elements.astype(np.float64) if elements.dtype.kind in "biu" or elements.dtype == np.float16 else elements


# ---------------------------------------------------------------------------------------------------------------- sums


def sum_labels(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> ndarray:
    """The sum of the elements of each label. See `scipy.ndimage.sum_labels`.

    Parameters
    ----------
    input : array_like
        Elements.
    labels : array_like of int, optional
        The label of each, broadcast with `input`; by default all elements are one group.
    index : int or sequence of int, optional
        The labels wanted; by default all elements whose label is more than 0 are one group.

    Returns
    -------
    ndarray
        One sum for each label of `index` as doubles, or one sum. Sums of doubles by atomics may differ in their last
        digits from one call to the next on GPUs.

    Raises
    ------
    TypeError
        If elements of several labels are complex.

    >>> cp.scipy.ndimage.sum_labels(cp.asarray([1, 2, 5]), cp.asarray([1, 1, 2]), [1, 2, 3])
    array([3., 5., 0.])
    """
    if _is_one_group(labels, index):
        return _one_sum(*_chosen(input, labels, index))[1]
    labelled = _Labelled(input, labels, index)  # type: ignore[arg-type]
    return labelled.spread(labelled.sums("sums", 2)[1])


def sum(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> ndarray:
    """The sum of the elements of each label, by an older name: see `sum_labels`.

    Parameters and results are those of `sum_labels`.

    >>> cp.scipy.ndimage.sum(cp.asarray([1, 2, 5]), cp.asarray([1, 1, 2]), 1)
    array(3)
    """
    return sum_labels(input, labels, index)


def mean(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> ndarray:
    """The mean of the elements of each label.

    Parameters and errors are those of `sum_labels`.

    Returns
    -------
    ndarray
        One mean for each label of `index`, or one; NaN for labels without elements.

    >>> cp.scipy.ndimage.mean(cp.asarray([1, 2, 5]), cp.asarray([1, 1, 2]), [1, 2])
    array([1.5, 5. ])
    """
    if _is_one_group(labels, index):
        elements, mask = _chosen(input, labels, index)
        count, total = _one_sum(_floats(elements), mask)
        return total / as_array(count).astype(np.float64)
    labelled = _Labelled(input, labels, index)  # type: ignore[arg-type]
    counts, totals = labelled.sums("sums", 2)
    return labelled.spread(totals / counts)


def variance(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> ndarray:
    """The variance of the elements of each label.

    Parameters and errors are those of `sum_labels`.

    Returns
    -------
    ndarray
        One variance for each label of `index`, or one; NaN for labels without elements.

    >>> cp.scipy.ndimage.variance(cp.asarray([1, 2, 5]), cp.asarray([1, 1, 2]), [1, 2])
    array([0.25, 0.  ])
    """
    if _is_one_group(labels, index):
        elements, mask = _chosen(input, labels, index)
        elements = _floats(elements)
        count, total = _one_sum(elements, mask)
        count = as_array(count).astype(np.float64)
        centered = elements - total / count
        squares = (centered * centered.conj()).real if elements.dtype.kind == "c" else centered * centered
        total = _one_sum(squares, mask)[1] / count
        return total.astype(np.complex128) if elements.dtype.kind == "c" else total
    labelled = _Labelled(input, labels, index)  # type: ignore[arg-type]
    counts, totals = labelled.sums("sums", 2)
    return labelled.spread(labelled.sums("squares", 1, totals / counts)[0] / counts)


def standard_deviation(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> ndarray:
    """The standard deviation of the elements of each label.

    Parameters and errors are those of `sum_labels`.

    Returns
    -------
    ndarray
        One for each label of `index`, or one; NaN for labels without elements.

    >>> cp.scipy.ndimage.standard_deviation(cp.asarray([1, 2, 5]), cp.asarray([1, 1, 2]), [1, 2])
    array([0.5, 0. ])
    """
    return ufuncs["sqrt"](variance(input, labels, index))


def center_of_mass(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Any:
    """The mean of the coordinates of each label, weighted by its elements.

    Parameters and errors are those of `sum_labels`.

    Returns
    -------
    tuple of float, or list of tuple
        The centre of each label of `index`, or one. The host waits for it.

    >>> cp.scipy.ndimage.center_of_mass(cp.asarray([[0, 0, 0], [0, 1, 1], [0, 1, 1]]))
    (np.float64(1.5), np.float64(1.5))
    """
    if _is_one_group(labels, index):
        elements, mask = _chosen(input, labels, index)
        elements = _floats(elements)
        total = _one_sum(elements, mask)[1]
        rows = []
        for axis, length in enumerate(elements.shape):
            grid = _core.arange(0, 1, length, np.float64).reshape([-1] + [1] * (elements.ndim - 1 - axis))
            rows.append((_one_sum(elements * grid, mask)[1] / total).reshape(1))
        return tuple(_core.asnumpy(_core.concatenate(rows))) if rows else ()
    labelled = _Labelled(input, labels, index)  # type: ignore[arg-type]
    moments = labelled.sums("moments", labelled.input.ndim + 1)
    centers = labelled.spread(moments[1:] / moments[0])
    return list(zip(*_core.asnumpy(centers), strict=True))


# ------------------------------------------------------------------------------------------------------------ extremes


def _select(input: ArrayLike, labels: Any, index: Any, places: bool) -> tuple[Any, Any, Any, Any]:
    """The smallest and largest elements, and where they are: of ties the first smallest and the last largest."""
    if _is_one_group(labels, index):
        elements, mask = _chosen(input, labels, index)
        positions = None
        flat = elements.reshape(-1)
        if mask is not None:
            chosen = mask.reshape(-1).nonzero()[0]
            flat, positions = flat[chosen], chosen
        least, most = flat.min(), flat.max()
        if not places:
            return least, most, None, None
        found = [int(flat.argmin()), int(flat.argmax())]
        if positions is not None:
            found = [int(positions[place]) for place in found]
        return least, most, found[0], found[1]
    labelled = _Labelled(input, labels, index)
    if labelled.input.dtype.kind == "c":
        if places:
            raise TypeError("positions of complex extremes are not defined")
        values, low, high = labelled.ordered()
        last = max(labelled.values.size - 1, 0)
        bounds = [ufuncs["minimum"](low, last), ufuncs["maximum"](high - 1, 0)]
        least, most = (_core.where(high > low, values[bound], 0) for bound in bounds)
        return labelled.spread(least), labelled.spread(most), None, None
    low, high, counts = labelled.extremes()
    least, most = (_core.where(counts > 0, key, _zero_key(labelled.input.dtype)) for key in (low, high))
    values = [labelled.spread(_value(key, dtype=labelled.input.dtype.name)) for key in (least, most)]
    if not places:
        return values[0], values[1], None, None
    first = _core.full(labelled.count, 2**62, np.int64)
    last = _core.full(labelled.count, -1, np.int64)
    _extreme_places(labelled.values, labelled.flat, labelled.wanted, low, high, first, last)
    first, last = (_core.where(counts > 0, place, 0) for place in (first, last))
    return values[0], values[1], labelled.spread(first), labelled.spread(last)


def _zero_key(dtype: np.dtype[Any]) -> int:
    return -(2**63) if dtype == np.uint64 else 0


def _coordinates(places: Any, shape: tuple[int, ...]) -> Any:
    """Positions in C order as tuples of coordinates."""
    if isinstance(places, int):
        return tuple(np.unravel_index(places, shape)) if shape else ()
    if not shape:
        return [()] * places.size
    found = np.array(np.unravel_index(_core.asnumpy(places).reshape(-1), shape))
    return [tuple(row) for row in found.T]


def minimum(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> ndarray:
    """The smallest element of each label.

    Parameters are those of `sum_labels`.

    Returns
    -------
    ndarray
        One for each label of `index`, 0 for labels without elements; or one.

    Raises
    ------
    ValueError
        If one group is wanted and has no elements.

    >>> cp.scipy.ndimage.minimum(cp.asarray([1, 2, 5]), cp.asarray([1, 1, 2]), [1, 2])
    array([1, 5])
    """
    return _select(input, labels, index, False)[0]


def maximum(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> ndarray:
    """The largest element of each label.

    Parameters, results and errors are those of `minimum`.

    >>> cp.scipy.ndimage.maximum(cp.asarray([1, 2, 5]), cp.asarray([1, 1, 2]), [1, 2])
    array([2, 5])
    """
    return _select(input, labels, index, False)[1]


def minimum_position(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Any:
    """Where the smallest element of each label is.

    Parameters and errors are those of `minimum`.

    Returns
    -------
    tuple of int, or list of tuple
        The coordinates of the first smallest element of each label of `index`, or of one. The host waits for them.

    >>> cp.scipy.ndimage.minimum_position(cp.asarray([[4, 2], [9, 3]]))
    (np.int64(0), np.int64(1))
    """
    return _coordinates(_select(input, labels, index, True)[2], as_array(input).shape)


def maximum_position(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> Any:
    """Where the largest element of each label is.

    Parameters and errors are those of `minimum`.

    Returns
    -------
    tuple of int, or list of tuple
        The coordinates of the last largest element of each label of `index`, or of the first of one group, as in SciPy.

    >>> cp.scipy.ndimage.maximum_position(cp.asarray([[4, 2], [9, 3]]))
    (np.int64(1), np.int64(0))
    """
    return _coordinates(_select(input, labels, index, True)[3], as_array(input).shape)


def extrema(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> tuple[Any, Any, Any, Any]:
    """The smallest and largest element of each label, and where they are.

    Parameters and errors are those of `minimum`.

    Returns
    -------
    tuple
        What `minimum`, `maximum`, `minimum_position` and `maximum_position` give.

    >>> cp.scipy.ndimage.extrema(cp.asarray([4, 2, 9, 3]))
    (array(2), array(9), (np.int64(1),), (np.int64(2),))
    """
    least, most, first, last = _select(input, labels, index, True)
    shape = as_array(input).shape
    return least, most, _coordinates(first, shape), _coordinates(last, shape)


def median(input: ArrayLike, labels: ArrayLike | None = None, index: Any = None) -> ndarray:
    """The median of the elements of each label.

    All elements are sorted once by label and value.

    Parameters are those of `sum_labels`.

    Returns
    -------
    ndarray
        One for each label of `index`, or one; NaN for labels without elements, for which SciPy gives some element.

    >>> cp.scipy.ndimage.median(cp.asarray([1, 2, 5]), cp.asarray([1, 1, 2]), [1, 2])
    array([1.5, 5. ])
    """
    if _is_one_group(labels, index):
        elements, mask = _chosen(input, labels, index)
        return _median(elements if mask is None else elements[mask])
    labelled = _Labelled(input, labels, index)  # type: ignore[arg-type]
    dtype = np.dtype(np.float64) if labelled.input.dtype.kind in "biu" else labelled.input.dtype
    if not labelled.values.size:
        return labelled.spread(_core.full(labelled.count, np.nan, dtype))
    values, low, high = labelled.ordered()
    is_there = high > low
    low, high = _core.where(is_there, low, 0), _core.where(is_there, high - 1, 0)
    step = (high - low) // 2
    values = values.astype(dtype, copy=False)
    middle = (values[low + step] + values[high - step]) / dtype.type(2)
    return labelled.spread(_core.where(is_there, middle, dtype.type(np.nan)))


def histogram(
    input: ArrayLike, min: float, max: float, bins: int, labels: ArrayLike | None = None, index: Any = None
) -> Any:
    """Numbers of elements in bins, for each label. See `scipy.ndimage.histogram`.

    Parameters
    ----------
    input : array_like
        Elements.
    min, max : float
        The edges of the first and the last bin.
    bins : int
        The number of bins.

    Returns
    -------
    ndarray
        The numbers of one group; for several labels a NumPy array that holds one such array for each, and None
        for labels without elements.

    Raises
    ------
    ValueError
        If labels are wanted and not given.

    >>> cp.scipy.ndimage.histogram(cp.asarray([1.0, 2.0, 2.5, 9.0]), 0, 3, 3)
    array([0, 1, 2])
    """
    edges = np.linspace(min, max, bins + 1)
    if labels is None or index is None:
        from ... import histogram as counted

        return labeled_comprehension(input, labels, index, lambda a: counted(a, _core.array(edges))[0], object, None)
    if np.any(edges[:-1] > edges[1:]):
        raise ValueError("`bins` must increase monotonically, when an array")
    labels = as_array(labels)
    wanted_labels(index, labels.dtype)
    labelled = _Labelled(input, labels, index)
    if labelled.input.dtype.kind == "c":
        raise TypeError("bins of complex numbers are not defined")
    found = _core.zeros((labelled.count, bins), np.int64)
    _counts(labelled.values, labelled.flat, labelled.wanted, _core.array(edges), found)
    sizes = _core.asnumpy(labelled.spread(labelled.sums("sums", 2)[0])).reshape(-1)
    rows = labelled.spread(found.T).reshape(bins, len(sizes)).T
    results = np.empty(len(sizes), object)
    for i, size in enumerate(sizes):
        results[i] = rows[i] if size else None
    return results[0] if is_scalar(index) else results.reshape(labelled.shape)
