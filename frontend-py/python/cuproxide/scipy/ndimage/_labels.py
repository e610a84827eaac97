"""Components of an array, where they lie, and functions of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import searchsorted, unravel_index
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.conversions import as_array
from ..._lib.routes import way
from ..._typing import ArrayLike
from . import _components as components
from ._binary import _cross
from ._common import host, real_input

__all__ = ["find_objects", "label", "labeled_comprehension", "value_indices"]


def label(input: ArrayLike, structure: ArrayLike | None = None, output: Any = None) -> Any:
    """Numbers the connected components of what is not 0. See `scipy.ndimage.label`.

    Parameters
    ----------
    input : array_like
        What is not 0 belongs to a component.
    structure : array_like of bool, optional
        The neighbours that are connected, 3 along each axis and symmetric; by default those along the axes.
    output : ndarray or dtype, optional
        What the numbers are stored in, or their dtype; by default int32, for large arrays int64.

    Returns
    -------
    labels : ndarray
        0 where `input` is 0, else the number of the component from 1, in the order of first elements. Not returned if
        `output` is an array.
    count : int
        The number of components, for which the host waits.

    Raises
    ------
    TypeError
        If `input` is complex.
    RuntimeError
        If the structure has another number of axes, or the numbers do not fit the output's dtype.
    ValueError
        If the structure is not 3 long along each axis, or the output has another shape.

    >>> labels, count = cp.scipy.ndimage.label(cp.asarray([0, 1, 1, 0, 1]))
    >>> labels, count
    (array([0, 1, 1, 0, 2], dtype=int32), 2)
    """
    input = real_input(input)
    element = _cross(input.ndim) if structure is None else host(structure, bool)
    if element.ndim != input.ndim:
        raise RuntimeError("structure and input must have equal rank")
    if any(length != 3 for length in element.shape):
        raise ValueError("structure dimensions must be equal to 3")
    is_given = isinstance(output, ndarray)
    if is_given:
        if output.shape != input.shape:
            raise ValueError("output shape not correct")
    else:
        wide = input.size >= 2**31 - 2
        output = _core.empty(input.shape, (np.int64 if wide else np.int32) if output is None else output)
    count = 0
    if input.size == 0:
        pass
    elif input.ndim == 0:
        count = int(bool(input != 0))
        output[...] = count
    else:
        if input.dtype.itemsize == 2 and input.dtype.kind == "f":
            raise TypeError(f"label does not take {input.dtype}")
        if not (element == np.flip(element)).all():
            raise AssertionError("Structuring element is not symmetric")
        # Numbers follow the order in which lines of the output lie in memory.
        axis = min(range(output.ndim), key=lambda a: abs(output.strides[a]) if output.shape[a] > 1 else 2**62)
        foreground = _core.moveaxis(input if input.dtype.kind == "b" else input != 0, axis, -1)
        foreground = _core.array(foreground, order="C", copy=None)
        found = components.Components(foreground, components.half(np.moveaxis(element, axis, -1), [1] * input.ndim))
        while found.count:
            roots = found.roots
            ranks = (roots == _core.arange(0, 1, roots.size, roots.dtype)).cumsum(dtype=roots.dtype)
            # One read tells whether all are joined, and how many there are.
            changed, count = map(int, _core.asnumpy(_core.concatenate((found.changed, ranks[-1:]))))
            if not changed:
                break
            found.join()
        dtype = output.dtype
        if dtype.kind in "iu" and count > np.iinfo(dtype).max or dtype.kind == "b" and count > 255:
            raise RuntimeError("insufficient bit-depth in requested output type")
        found.spread(ranks[roots] if found.count else found.roots, _core.moveaxis(output, axis, -1))
    return count if is_given else (output, count)


# ------------------------------------------------------------------------------------------------------------- objects


def runs(a: ndarray) -> tuple[int, int]:
    """How a kernel over all elements shares them out: how many elements a thread takes, and their stride.

    Neighbours mostly have the same label, so a thread adds to what others add to once for a run of them. Threads of a
    GPU take elements beside each other, those of a CPU one part each.
    """
    found: tuple[int, int] = way("runs of labels", a, a.size, a.shape[-1] if a.ndim > 1 else 0)
    return found


@k.function
def _extend(low, high, number, line, first, last):
    """Makes the box of a label hold a run of elements."""
    # Most runs change nothing, which is cheap to see.
    for axis, coordinate in enumerate(line):
        if coordinate < low[number, axis]:
            low.min((number, axis), coordinate)
        if coordinate > high[number, axis]:
            high.max((number, axis), coordinate)
    axis = len(line)
    if first < low[number, axis]:
        low.min((number, axis), first)
    if last > high[number, axis]:
        high.max((number, axis), last)


@k.kernel
def _extents(labels: k.Array, low: k.Out[2], high: k.Out[2], count: int, chunk: int):
    """The smallest and largest coordinates of each label."""
    *line, number = k.coordinates()
    start = number * chunk
    end = k.minimum(start + chunk, labels.shape[-1])
    label, first = labels[(*line, start)], start
    for i in k.steps(start, end):
        here = labels[(*line, i)]
        if here != label:
            number = label.astype("int64") - 1
            if number >= 0 and number < count:
                _extend(low, high, number, line, first, i - 1)
            label, first = here, i
    number = label.astype("int64") - 1
    if number >= 0 and number < count:
        _extend(low, high, number, line, first, end - 1)


def find_objects(input: ArrayLike, max_label: int = 0) -> list[Any]:
    """The smallest box around each label. See `scipy.ndimage.find_objects`.

    Parameters
    ----------
    input : array_like of int
        Labels.
    max_label : int
        The largest label to look for; by default the largest there is.

    Returns
    -------
    list of tuple of slice
        One tuple for each label from 1, None for missing labels. The host waits for it.

    Raises
    ------
    TypeError
        If `input` has no integers.
    ValueError
        If `input` is empty and `max_label` not given.

    >>> cp.scipy.ndimage.find_objects(cp.asarray([[0, 1, 1], [2, 0, 1]]))
    [(slice(0, 2, None), slice(1, 3, None)), (slice(1, 2, None), slice(0, 1, None))]
    """
    input = real_input(input)
    if max_label < 1:
        if input.size == 0:
            raise ValueError("zero-size array to reduction operation maximum which has no identity")
        if input.dtype.kind not in "iu":
            raise TypeError(f"'{input.dtype}' object cannot be interpreted as an integer")
        max_label = int(input.max())
    if max_label < 1:
        return []
    if input.dtype.kind == "f":
        input = input.astype(np.int64)
    if input.ndim == 0:
        number = int(input)
        return [() if i == number else None for i in range(1, max_label + 1)]
    low = _core.full((max_label, input.ndim), 2**62, np.int64)
    high = _core.full((max_label, input.ndim), -1, np.int64)
    if input.size:
        chunk = way("elements of a thread", input)
        _extents(input, low, high, max_label, chunk, shape=(*input.shape[:-1], -(-input.shape[-1] // chunk)))
    bounds = _core.asnumpy(_core.concatenate([low, high + 1], axis=1)).tolist()
    rank = input.ndim
    return [
        tuple(map(slice, row[:rank], row[rank:])) if row[rank] > 0 else None
        for row in bounds
    ]  # fmt: skip


def value_indices(
    arr: ArrayLike, *, ignore_value: int | None = None, adaptive_index_dtype: bool = False
) -> dict[Any, tuple[ndarray, ...]]:
    """Where each value of an array stands. See `scipy.ndimage.value_indices`.

    Parameters
    ----------
    arr : array_like of int
        Values.
    ignore_value : int, optional
        A value to leave out.
    adaptive_index_dtype : bool
        Whether coordinates are of the smallest signed integer type that holds those of `arr`, instead of int64. An
        extension, also in CuPy.

    Returns
    -------
    dict
        For each value a tuple of arrays of its coordinates, one for each axis, in C order. The host waits for the
        values.

    Raises
    ------
    ValueError
        If `arr` has no integers.

    >>> cp.scipy.ndimage.value_indices(cp.asarray([3, 0, 3]))[3]
    (array([0, 2]),)
    """
    arr = as_array(arr)
    if arr.dtype.kind not in "iu":
        raise ValueError("Parameter 'arr' must be an integer array")
    if arr.size == 0:
        return {}
    flat = arr.reshape(-1)
    order = flat.argsort(kind="stable")
    ordered = flat[order]
    changes = _core.concatenate([_core.full(1, True, np.bool_), ordered[1:] != ordered[:-1]])
    starts = changes.nonzero()[0]
    values, bounds = _core.asnumpy(ordered[starts]), [*_core.asnumpy(starts).tolist(), arr.size]
    places = unravel_index(order, arr.shape) if arr.ndim else ()
    if adaptive_index_dtype and places:
        smallest = np.min_scalar_type(-max(arr.shape))
        places = tuple(axis.astype(smallest) for axis in places)
    ignored = None if ignore_value is None else np.asarray(ignore_value).astype(arr.dtype)[()]
    return {
        value: tuple(axis[bounds[i] : bounds[i + 1]] for axis in places)
        for i, value in enumerate(values)
        if ignored is None or value != ignored
    }


def is_scalar(index: Any) -> bool:
    """Whether a label is one and no list of labels."""
    return bool(np.isscalar(index)) or isinstance(index, ndarray) and index.ndim == 0


def together(input: ArrayLike, labels: ArrayLike) -> tuple[ndarray, ndarray]:
    """An array and its labels, broadcast to one shape."""
    input, labels = as_array(input), as_array(labels)
    shape = _core.broadcast_shapes(input.shape, labels.shape)
    return _core.broadcast_to(input, shape), _core.broadcast_to(labels, shape)


def wanted_labels(index: Any, dtype: Any) -> np.ndarray:
    """Labels on the host in the dtype of all labels: an error for those that are no values of it."""
    wanted = np.atleast_1d(host(index))
    if np.any(wanted.astype(dtype).astype(wanted.dtype) != wanted):
        raise ValueError(
            f"Cannot convert index values from <{wanted.dtype}> to <{dtype}> (labels' type) without loss of precision"
        )
    return wanted.astype(dtype)


def labeled_comprehension(
    input: ArrayLike,
    labels: ArrayLike | None,
    index: Any,
    func: Callable[..., Any],
    out_dtype: Any,
    default: Any,
    pass_positions: bool = False,
) -> Any:
    """A function of the elements of each label. See `scipy.ndimage.labeled_comprehension`.

    The function is called on the host once for each label, with arrays on the device.

    Parameters
    ----------
    input : array_like
        Elements.
    labels : array_like of int or None
        The label of each; None takes all elements together.
    index : int or sequence of int or None
        The labels wanted; None takes all elements whose label is more than 0 together.
    func : callable
        `func(elements)`, or `func(elements, positions)`.
    out_dtype : dtype
        The dtype of the results; with `object` they are a NumPy array.
    default : scalar
        The result for labels without elements.
    pass_positions : bool
        Whether the function gets the positions in C order, too.

    Returns
    -------
    ndarray
        One result for each label, or what the function gives.

    Raises
    ------
    ValueError
        If labels are wanted and not given, shapes do not fit, or labels are no values of the labels' dtype.

    >>> a, labels = cp.asarray([1.0, 2.0, 5.0]), cp.asarray([1, 1, 2])
    >>> cp.scipy.ndimage.labeled_comprehension(a, labels, [1, 2, 3], cp.mean, float, 0)
    array([1.5, 5. , 0. ])
    """
    as_one = is_scalar(index)
    input = as_array(input)
    positions = _core.arange(0, 1, input.size, np.int64).reshape(input.shape)
    if labels is None:
        if index is not None:
            raise ValueError("index without defined labels")
        return func(input.ravel(), positions.ravel()) if pass_positions else func(input.ravel())
    try:
        input, labels = together(input, labels)
    except ValueError:
        raise ValueError("input and labels must have the same shape (excepting dimensions with width 1)") from None
    if index is None:
        chosen = labels > 0
        return func(input[chosen], positions[chosen]) if pass_positions else func(input[chosen])
    wanted = wanted_labels(index, labels.dtype)
    flat = labels.reshape(-1)
    order = flat.argsort(kind="stable")
    ordered, on_device = flat[order], _core.array(wanted.ravel())
    low, high = (_core.asnumpy(searchsorted(ordered, on_device, side=side)).tolist() for side in ("left", "right"))
    inputs = [input.reshape(-1)[order]]
    if pass_positions:
        inputs.append(positions.reshape(-1)[order])
    found = [func(*(a[i:j] for a in inputs)) if j > i else default for i, j in zip(low, high, strict=True)]
    if np.dtype(out_dtype) == object:
        results = np.empty(len(found), object)
        for i, value in enumerate(found):
            results[i] = value
        return results[0] if as_one else results.reshape(wanted.shape)
    parts = [as_array(value).astype(out_dtype).reshape(1) for value in found]
    joined = _core.concatenate(parts) if parts else _core.empty(0, out_dtype)
    return joined[0] if as_one else joined.reshape(wanted.shape)
