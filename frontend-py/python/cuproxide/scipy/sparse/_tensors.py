"""Arrays in the format COO with more than two axes: products and parts."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

import cuproxide as cp

from ._base import sparse_base
from ._checks import Shape, as_elements, broadcast_shape, is_dense, is_integer
from ._indexing import fitted, parse
from ._kinds import CONTAINERS
from ._structure import raveled, unraveled


def _as_matrix(a: Any, rows: list[int], columns: list[int]) -> Any:
    """The axes `rows` and `columns` of a sparse or dense array, flattened."""
    lengths = [math.prod(a.shape[axis] for axis in axes) for axes in (rows, columns)]
    if isinstance(a, sparse_base):
        coo = a.tocoo(copy=False)
        parts = []
        for axes in (rows, columns):
            shape = tuple(a.shape[axis] for axis in axes)
            coords = tuple(coo.coords[axis] for axis in axes)
            parts.append(raveled(coords, shape) if axes else cp.zeros(coo.data.size, np.int64))
        return CONTAINERS["coo", True]._made(coo.data, tuple(part.astype(np.int64) for part in parts), lengths)
    return a.transpose(*rows, *columns).reshape(lengths)


def _from_matrix(product: Any, first: Shape, second: Shape) -> Any:
    """A product of matrices with the axes that its rows and columns were made of."""
    shape = (*first, *second)
    if not isinstance(product, sparse_base):
        return product.reshape(shape)
    coo = product.tocoo(copy=False)
    if not shape:
        return coo.toarray().reshape(())
    coords: list[cp.ndarray] = []
    for index, part in zip(coo.coords, (first, second), strict=True):
        if part:
            coords.extend(unraveled(index.astype(np.int64), part))
    return CONTAINERS["coo", True]._made(coo.data, tuple(coords), shape)


def tensordot(a: Any, b: Any, axes: Any) -> Any:
    """The sum of products over axes of both arrays."""
    b = a._operand(b)
    if b is None:
        raise TypeError(f"tensordot arg not supported type: {type(b)}")
    try:
        count = operator.index(axes)
        if count > min(a.ndim, b.ndim):
            raise ValueError(f"axes integer is too large for input dimensions: {count}")
        ours, theirs = list(range(a.ndim - count, a.ndim)), list(range(count))
    except TypeError:
        if not isinstance(axes, (tuple, list)):
            raise TypeError(f"axes must be an integer or a tuple/list of integers, got {axes!r}") from None
        if len(axes) != 2:
            raise ValueError("axes must be a tuple/list of length 2") from None
        ours, theirs = ([axis] if is_integer(axis) else list(axis) for axis in axes)
    if len(ours) != len(theirs):
        raise ValueError("axes lists/tuples must be of the same length")
    for found, ndim in ((ours, a.ndim), (theirs, b.ndim)):
        if any(not -ndim <= axis < ndim for axis in found):
            raise ValueError("axes indices must be within bounds")
    ours, theirs = [axis % a.ndim for axis in ours], [axis % b.ndim for axis in theirs]
    if any(a.shape[x] != b.shape[y] for x, y in zip(ours, theirs, strict=True)):
        raise ValueError("sizes of the corresponding axes must match")
    return _summed(a, ours, b, theirs)


def _summed(a: Any, ours: list[int], b: Any, theirs: list[int]) -> Any:
    kept_a = [axis for axis in range(a.ndim) if axis not in ours]
    kept_b = [axis for axis in range(b.ndim) if axis not in theirs]
    left, right = _as_matrix(a, kept_a, ours), _as_matrix(b, theirs, kept_b)
    return _from_matrix(left @ right, tuple(a.shape[x] for x in kept_a), tuple(b.shape[x] for x in kept_b))


def dot(a: Any, b: Any) -> Any:
    """The sum of products over the last axis of `a` and the last but one of `b`."""
    theirs = max(b.ndim - 2, 0)
    if a.shape[-1] != b.shape[theirs]:
        raise ValueError(f"shapes {a.shape} and {b.shape} are not aligned for n-D dot")
    return _summed(a, [a.ndim - 1], b, [theirs])


def stacked_product(a: Any, b: Any) -> Any:
    """Products of matrices in the last two axes of arrays, at least one of them sparse; the others are broadcast.

    All matrices of a stack become blocks on the diagonal of one matrix.
    """
    if 0 in (a.ndim, b.ndim):
        raise ValueError("could not interpret dimensions")
    one_a, one_b = a.ndim == 1, b.ndim == 1
    a = a.reshape(1, a.shape[0]) if one_a else a
    b = b.reshape(b.shape[0], 1) if one_b else b
    (rows, middle), columns = a.shape[-2:], b.shape[-1]
    if b.shape[-2] != middle:
        raise ValueError(
            f"matmul: dimension mismatch with signature (n,..,k={middle}),(k={b.shape[-2]},..,m)->(n,..,m)"
        )
    try:
        stack = broadcast_shape(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError("Batch dimensions are not broadcastable") from None
    count = math.prod(stack)
    shape = (*stack, *(() if one_a else (rows,)), *(() if one_b else (columns,)))
    if isinstance(a, sparse_base):
        left = _blocks(a, stack, (count * rows, count * middle), True)
        if not isinstance(b, sparse_base):
            dense = cp.broadcast_to(b, (*stack, middle, columns)).reshape(count * middle, columns)
            return (left @ dense).reshape(shape)
        right = _blocks(b, stack, (count * middle, columns), False)
        product = (left @ right).tocoo()
    else:
        # As dense matrices from the left: the transposes the other way round.
        axes = [*range(a.ndim - 2), a.ndim - 1, a.ndim - 2]
        turned = [*range(b.ndim - 2), b.ndim - 1, b.ndim - 2]
        result = stacked_product(b.tocoo(copy=False).transpose(turned), a.transpose(*axes))
        return result.transpose(*range(result.ndim - 2), result.ndim - 1, result.ndim - 2).reshape(shape)
    flat = product.row.astype(np.int64) * columns + product.col
    if not shape:
        return product.toarray().reshape(())
    return CONTAINERS["coo", True]._made(product.data, unraveled(flat, shape), shape)


def _blocks(a: Any, stack: Shape, shape: tuple[int, int], both: bool) -> Any:
    """The matrices of a stack one below the other, on the diagonal if `both`."""
    rows, columns = a.shape[-2:]
    coo = a.tocoo(copy=False)._broadcast_to((*stack, rows, columns))
    number = raveled(coo.coords[:-2], stack).astype(np.int64) if stack else cp.zeros(coo.data.size, np.int64)
    row, column = (index.astype(np.int64) for index in coo.coords[-2:])
    return (
        CONTAINERS["coo", True]
        ._made(coo.data, (number * rows + row, number * columns + column if both else column), shape)
        .tocsr()
    )


def chosen(a: Any, index: list[Any], shape: Shape) -> Any:
    """A part of an array with any number of axes, and new ones of length one."""
    a = a._deduplicated()
    data, coords = a.data, list(a.coords)
    inside = cp.ones(data.size, bool)
    kept: list[Any] = []
    arrays, axes = [], []
    for axis, (part, place) in enumerate(zip(index, coords, strict=True)):
        if is_integer(part):
            inside &= place == part
        elif isinstance(part, slice):
            start, stop, step = part.indices(a.shape[axis])
            steps = len(range(start, stop, step))
            moved = (place - start) // step
            inside &= (moved >= 0) & (moved < steps) & (moved * step + start == place)
            kept.append(moved)
        else:
            arrays.append(part)
            axes.append(axis)
    found = cp.flatnonzero(inside)
    if not shape:
        return data[found].sum(dtype=a.dtype)
    data, kept = data[found], [place[found] for place in kept]
    if arrays:
        common = broadcast_shape(*(part.shape for part in arrays))
        lengths = tuple(a.shape[axis] for axis in axes)
        wanted = raveled(tuple(cp.broadcast_to(part, common).reshape(-1) for part in arrays), lengths).astype(np.int64)
        key = raveled(tuple(coords[axis][found] for axis in axes), lengths).astype(np.int64)
        # Each stored element meets all wanted places with its key.
        order = cp.argsort(wanted, kind="stable")
        ordered = wanted[order]
        low, high = cp.searchsorted(ordered, key), cp.searchsorted(ordered, key, side="right")
        counts = high - low
        element = cp.repeat(cp.arange(key.size), counts)
        first = cp.cumsum(counts) - counts
        target = order[low[element] + cp.arange(element.size) - first[element]]
        data, kept = data[element], [place[element] for place in kept]
        position = _array_position(index)
        kept[position:position] = unraveled(target, common)
    # New axes are what the shape has in addition.
    rest = iter(kept)
    lengths = _lengths_without_new(index, a.shape)
    made = CONTAINERS["coo", True]._made(data, tuple(rest), lengths) if lengths else None
    if made is None:
        return CONTAINERS["coo", True]._made(data, tuple(cp.zeros(data.size, np.int64) for _ in shape), shape)
    return made if lengths == shape else made.reshape(shape)


def _array_position(index: list[Any]) -> int:
    """Where in the result the axes of index arrays are."""
    places = [axis for axis, part in enumerate(index) if not isinstance(part, slice)]
    if places[-1] - places[0] + 1 != len(places) and sum(is_dense(part) for part in index) > 1:
        return 0
    return sum(isinstance(part, slice) for part in index[: places[0]])


def _lengths_without_new(index: list[Any], shape: Shape) -> Shape:
    lengths = [len(range(*part.indices(n))) for part, n in zip(index, shape, strict=True) if isinstance(part, slice)]
    arrays = [part.shape for part in index if is_dense(part)]
    if arrays:
        position = _array_position(index)
        lengths[position:position] = broadcast_shape(*arrays)
    return tuple(lengths)


def _flat_places(index: list[Any], shape: Shape, own: Shape) -> cp.ndarray:
    """The positions, in a flat array of the shape `own`, of what an index chooses, in the shape that it has."""
    arrays = [part for part in index if is_dense(part)]
    common = broadcast_shape(*(part.shape for part in arrays)) if arrays else ()
    position = _array_position(index) if arrays else 0
    total: Any = 0
    slices = 0
    for axis, part in enumerate(index):
        step = math.prod(own[axis + 1 :])
        if is_integer(part):
            total = total + int(part) * step
            continue
        if isinstance(part, slice):
            place = cp.arange(*part.indices(own[axis]), dtype=np.int64)
            # Where this axis is in the result, counted from its end.
            before = slices + (len(common) if arrays and slices >= position else 0)
            slices += 1
        else:
            place = part.astype(np.int64)
            before = position + len(common) - part.ndim
        behind = len(shape) - before - place.ndim
        total = total + place.reshape(*place.shape, *(1,) * behind) * step
    return cp.broadcast_to(cp.asarray(total, dtype=np.int64), shape)


def assign(a: Any, key: Any, value: Any) -> None:
    """Replaces a part of an array; of several values for one place the last one stays, and zeros are not stored."""
    index, _ = parse(key, a.shape)
    shape = _lengths_without_new(index, a.shape)
    if isinstance(value, sparse_base) and 0 in value.shape:
        return
    flat = _flat_places(index, shape, a.shape).reshape(-1)
    values = value.toarray() if isinstance(value, sparse_base) else as_elements(value, a.dtype)
    if not shape and values.size != 1:
        raise ValueError("Trying to assign a sequence to an item")
    values = fitted(values, shape).astype(a.dtype).reshape(-1)
    if not values.size:
        return
    order = cp.argsort(flat, kind="stable")
    wanted = flat[order]
    last = cp.ones(wanted.size, bool)
    last[:-1] = wanted[1:] != wanted[:-1]
    # Elements that are stored at these places go, and values that are not zero come.
    old = raveled(a.coords, a.shape).astype(np.int64)
    place = cp.minimum(cp.searchsorted(wanted, old), wanted.size - 1)
    kept = cp.flatnonzero(wanted[place] != old)
    values = values[order]
    new = cp.flatnonzero(last & (values != 0))
    places = unraveled(cp.concatenate((old[kept], wanted[new])), a.shape)
    coords = tuple(part.astype(index.dtype) for part, index in zip(places, a.coords, strict=True))
    a._put(cp.concatenate((a.data[kept], values[new])), coords)
