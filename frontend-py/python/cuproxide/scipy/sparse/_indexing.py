"""Reading and changing elements and parts of arrays that are compressed, and of coordinates by way of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib import kernel as k
from ..._lib.routes import way
from ._base import sparse_base
from ._checks import (
    Shape,
    SparseEfficiencyWarning,
    as_dense,
    as_elements,
    broadcast_shape,
    index_dtype,
    is_dense,
    is_integer,
)
from ._data import sparse_data
from ._devices import on_own_device, outside
from ._structure import (
    compressed,
    copied_range,
    copy_range,
    is_hollow,
    offsets_among,
    offsets_of,
    order_of,
    row_and_lane,
    row_range,
    rows_of,
    stable_order,
)

# ---------------------------------------------------------------------------------------------------- what an index is


@k.kernel(bounded=True)
def _inspect_index(index: k.Each, length: int, found: k.Out[1]):
    """The index counted from the start; the worst ones that lie outside."""
    if index >= length:
        found.max(0, index)
    if index < -length:
        found.min(1, index)
    return k.where(index < 0, index + length, index)


def normalized(index: Any, length: int) -> cp.ndarray:
    """An index array, counted from the start and checked: one launch and one read."""
    index = as_dense(index)
    if index.size == 0:
        return index.astype(np.int64)
    if index.dtype.kind not in "iu":
        raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {index.dtype}")
    found = cp.zeros(2, np.int64)
    index = _inspect_index(index.astype(np.int64, copy=False), length, found)
    high, low = found.tolist()
    if high or low or length == 0:
        raise IndexError(f"index ({high or low}) out of range")
    return index


def inside(numbers: list[Any], length: int, what: str) -> np.ndarray:
    """Indices that lie on the host as int64, if all are in an axis."""
    try:
        made = np.array(numbers, dtype=np.int64)
    except OverflowError:
        raise IndexError(f"{what} index out of bounds for length {length}") from None
    if made.size and not 0 <= made.min() <= made.max() < length:
        worst = made.max() if made.max() >= length else made.min()
        raise IndexError(f"{what} index ({worst}) out of bounds for length {length}")
    return made


def _as_boolean(part: Any, ndim: int) -> Any:
    """A boolean index array, dense or a sparse one's places; None for anything else."""
    if isinstance(part, sparse_base) or is_dense(part):
        return part if part.dtype.kind == "b" else None
    if isinstance(part, (bool, np.bool_)):
        return None
    first = part
    for _ in range(ndim):
        if not isinstance(first, (list, tuple)) or not first:
            return None
        first = first[0]
        if isinstance(first, (bool, np.bool_)):
            return as_dense(part)
    return None


def _as_number(part: Any) -> Any:
    """An index array without axes as its number, which is read; anything else as it is."""
    return int(part) if is_dense(part) and part.ndim == 0 and part.dtype.kind in "iu" else part


def element_key(key: Any, ndim: int) -> Any:
    """A key that is an integer for each axis, beside an ellipsis, as a tuple of these; any other key as it is."""
    parts = tuple(map(_as_number, key if isinstance(key, tuple) else (key,)))
    rest = tuple(part for part in parts if part is not Ellipsis)
    is_element = len(rest) == ndim and len(parts) <= ndim + 1 and all(map(is_integer, rest))
    return rest if is_element else key


def is_element(key: Any) -> bool:
    """Whether a key chooses one element, maybe with new axes."""
    return all(
        part is None or part is Ellipsis or is_integer(part) for part in (key if isinstance(key, tuple) else (key,))
    )


def parse(key: Any, shape: Shape) -> tuple[list[Any], Shape]:
    """One integer, slice or index array for each axis, and the shape of what they choose."""
    ndim = len(shape)
    parts: list[Any] = []
    taken, ellipsis = 0, None
    for part in key if isinstance(key, tuple) else (key,):
        part = _as_number(part)
        if part is Ellipsis:
            if ellipsis is not None:
                raise IndexError("an index can only have a single ellipsis")
            ellipsis = len(parts)
        elif part is None or isinstance(part, slice) or is_integer(part):
            parts.append(part)
            taken += part is not None
        elif (mask := _as_boolean(part, ndim)) is not None:
            parts.append(mask)
            taken += mask.ndim
        elif isinstance(part, sparse_base):
            raise IndexError(
                "Indexing with sparse matrices is not supported except boolean indexing where matrix and index are "
                "equal shapes."
            )
        else:
            try:
                parts.append(as_dense(part))
            except (TypeError, ValueError):
                raise IndexError(
                    f"only integers, slices, ..., None, and arrays of integers or bools are valid indices, not {part!r}"
                ) from None
            taken += 1
    if taken > ndim:
        raise IndexError(f"Too many indices for array or tuple index out of range. {taken} for {ndim} axes")
    rest = [slice(None)] * (ndim - taken)
    place = len(parts) if ellipsis is None else ellipsis
    parts[place:place] = rest
    return _resolve(parts, shape)


def _resolve(parts: list[Any], shape: Shape) -> tuple[list[Any], Shape]:
    index: list[Any] = []
    result: list[int] = []
    arrays: list[int] = []
    # The axes of arrays and integers, and where their shape goes in the result.
    chosen: list[int] = []
    place = 0
    for part in parts:
        axis = len(index)
        if part is None:
            result.append(1)
        elif isinstance(part, slice):
            index.append(part)
            result.append(len(range(*part.indices(shape[axis]))))
        elif is_integer(part):
            length, number = shape[axis], int(part)
            if not -length <= number < length:
                raise IndexError(f"index ({number}) out of range")
            place = place if chosen else len(result)
            chosen.append(axis)
            index.append(number % length)
        elif part.dtype.kind == "b":
            wanted = shape[axis : axis + part.ndim]
            if part.shape != wanted:
                raise IndexError(f"bool index has shape {part.shape} instead of {wanted}")
            place = place if chosen else len(result)
            found = part.nonzero() if isinstance(part, sparse_base) else cp.asarray(part).nonzero()
            for one in found:
                chosen.append(len(index))
                arrays.append(len(index))
                index.append(one)
        else:
            place = place if chosen else len(result)
            chosen.append(axis)
            arrays.append(axis)
            index.append(normalized(part, shape[axis]))
    if arrays:
        try:
            common = broadcast_shape(*(index[axis].shape for axis in arrays))
        except ValueError:
            shapes = " ".join(str(index[axis].shape) for axis in arrays)
            raise IndexError(
                f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}"
            ) from None
        if len(arrays) > 1 and chosen[-1] - chosen[0] + 1 != len(chosen):
            place = 0
        result[place:place] = common
    return index, tuple(result)


# ------------------------------------------------------------------------------------------------------------ kernels


@k.function
def _find(indptr, indices, row, column):
    """Where the place is stored in a canonical array, or -1."""
    low, end = indptr[row].astype(np.int64), indptr[row + 1].astype(np.int64)
    high = end
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < column:
            low = middle + 1
        else:
            high = middle
    found = k.value(-1, np.int64)
    if low < end and indices[low] == column:
        found = low
    return found


@k.kernel(bounded=True)
def _places(indptr: k.Array[1], indices: k.Array[1], major: k.Each, minor: k.Each):
    return _find(indptr, indices, major, minor)


@k.kernel(bounded=True)
def _sample(indptr: k.Array[1], indices: k.Array[1], data: k.Array[1], major: k.Each, minor: k.Each):
    place = _find(indptr, indices, major, minor)
    value = k.value(0, data.dtype)
    if place >= 0:
        value = data[place]
    return value


@k.kernel(bounded=True)
def _row_lengths(indptr: k.Array[1], rows: k.Each, indices: k.Array[1]):
    begin, end = row_range(indptr, rows, indices)
    return end - begin


@k.kernel
def _copy_rows(
    indptr: k.Array[1],
    rows: k.Array[1],
    target: k.Array[1],
    indices: k.Array[1],
    data: k.Array[1],
    columns: k.Out[1],
    elements: k.Out[1],
    *,
    width: int,
) -> None:
    row, lane = (k.index(), 0) if width == 1 else k.coordinates()
    begin = indptr[k.inside(rows[row], indptr.shape[0])].astype(np.int64)
    place = target[row].astype(np.int64)
    count = target[row + 1].astype(np.int64) - place
    if width == 1:
        copy_range(indices, data, begin, columns, elements, place, count)
    else:
        begin, place, count = copied_range(indices, data, begin, columns, elements, place, count)
        for p in k.steps(lane, count, width):
            columns[place + p] = indices[begin + p]
            elements[place + p] = data[begin + p]


@k.kernel(bounded=True)
def _wanted_at(index: k.Each, begins: k.Array[1]):
    """Where the choices of an index begin among all choices in order, and how many they are."""
    begin = begins[index].astype(np.int64)
    return begin, begins[index + 1].astype(np.int64) - begin


@k.kernel(bounded=True)
def _wanted_among(index: k.Each, choices: k.Array[1]):
    """The same by two searches among the choices in order."""
    low, high = k.value(0, np.int64), choices.shape[0]
    while low < high:
        middle = (low + high) >> 1
        below = choices[middle] < index
        low, high = k.where(below, middle + 1, low), k.where(below, high, middle)
    begin, high = low, choices.shape[0]
    while low < high:
        middle = (low + high) >> 1
        below = choices[middle] <= index
        low, high = k.where(below, middle + 1, low), k.where(below, high, middle)
    return begin, low - begin


@k.kernel
def _copy_wanted(
    ends: k.Array[1],
    begins: k.Array[1],
    order: k.Array[1],
    data: k.Array[1],
    columns: k.Out[1],
    elements: k.Out[1],
    *,
    width: int,
) -> None:
    """An element for each of its choices, in the order of these."""
    p, lane = row_and_lane(width)
    place = k.value(0, np.int64)
    if p > 0:
        place = ends[p - 1]
    for turn in k.steps(lane, ends[p] - place, width):
        columns[place + turn] = order[begins[p] + turn]
        elements[place + turn] = data[k.inside(p, data.shape[0])]


# ----------------------------------------------------------------------------------------------------------- choosing


def take_rows(a: Any, rows: cp.ndarray) -> Any:
    """Rows (columns of CSC) in any order, possibly several times: launches and one read."""
    majors, minors = rows.size, a._lengths[1]
    shape = a._swap((majors, minors))
    indptr = cp.zeros(majors + 1, np.int64)
    data, indices, offsets = a._parts
    if majors:
        indptr[1:] = cp.cumsum(_row_lengths(offsets, rows, indices), dtype=np.int64)
    stored = int(indptr[-1])
    index = index_dtype(shape, stored, (a,))
    columns, elements = cp.empty(stored, index), cp.empty(stored, data.dtype)
    if stored:
        width = way("lanes")
        points = (majors, width) if width > 1 else (majors,)
        _copy_rows(offsets, rows, indptr, indices, data, columns, elements, width=width, shape=points)
    return a._made(elements, columns, indptr.astype(index, copy=False), shape, a._sorted, a._canonical)


def _ends(indptr: cp.ndarray, start: int, stop: int, stored: int) -> tuple[int, int]:
    """Where the elements of rows begin and end: one read of the offsets that are not known."""
    if start == 0:
        return 0, int(indptr[stop])
    if stop == indptr.size - 1:
        return int(indptr[start]), stored
    begin, end = cp.stack((indptr[start], indptr[stop])).tolist()
    return begin, end


def slice_rows(a: Any, part: slice) -> Any:
    """A slice of rows (columns of CSC)."""
    majors, minors = a._lengths
    start, stop, step = part.indices(majors)
    count = len(range(start, stop, step))
    if step != 1:
        return take_rows(a, cp.arange(start, start + step * count, step, dtype=np.int64))
    shape = a._swap((count, minors))
    if count == majors:
        return a
    if not count:
        return a.__class__(shape, dtype=a.dtype)
    data, indices, indptr = a._parts
    begin, end = _ends(indptr, start, start + count, data.size)
    offsets = indptr[start : start + count + 1] - begin
    return a._made(data[begin:end].copy(), indices[begin:end].copy(), offsets, shape, a._sorted, a._canonical)


def slice_columns(a: Any, part: slice) -> Any:
    """A slice of columns (rows of CSC)."""
    majors, minors = a._lengths
    start, stop, step = part.indices(minors)
    count = len(range(start, stop, step))
    if step == 1 and count == minors:
        return a
    shape = a._swap((majors, count))
    if not count:
        return a.__class__(shape, dtype=a.dtype)
    last = start + step * (count - 1)
    low, high = min(start, last), max(start, last)
    data, indices, offsets = a._parts
    inside = (indices >= low) & (indices <= high)
    if abs(step) != 1:
        inside &= (indices - low) % abs(step) == 0
    kept = cp.flatnonzero(inside)
    rows = rows_of(offsets, indices.size)[kept]
    columns = (indices[kept] - start) // step
    data = data[kept]
    is_sorted = a._sorted
    if step < 0:
        # Still stable within a row, and rising again.
        order = order_of(rows, columns, majors, count)
        rows, columns, data, is_sorted = rows[order], columns[order], data[order], True
    indptr = offsets_of(rows, majors, offsets.dtype)
    return a._made(data, columns.astype(indices.dtype, copy=False), indptr, shape, is_sorted, a._canonical)


def take_columns(a: Any, columns: cp.ndarray) -> Any:
    """Columns (rows of CSC) in any order, possibly several times: launches and one read.

    Each stored element looks for itself among the columns that are wanted. Rows are sorted if the columns rise.
    """
    majors, minors = a._lengths
    shape = a._swap((majors, columns.size))
    data, held, indptr = a._parts
    if not (columns.size and held.size):
        return a.__class__(shape, dtype=data.dtype)
    order = stable_order(columns, minors)
    if is_hollow(minors, held.size + columns.size):
        begins, counts = _wanted_among(held, columns[order])
    else:
        begins, counts = _wanted_at(held, offsets_of(columns, minors, index_dtype(shape)))
    ends = cp.cumsum(counts)
    stored = int(ends[-1])
    index = index_dtype(shape, stored, (a,))
    indices, elements = cp.empty(stored, index), cp.empty(stored, data.dtype)
    if stored:
        width = way("team", None, stored, held.size)
        points = (held.size * width,)
        _copy_wanted(ends, begins, order, data, indices, elements, width=width, shape=points)
    return a._made(elements, indices, offsets_among(indptr, ends).astype(index, copy=False), shape)


def choose(a: Any, rows: Any, columns: Any) -> Any:
    """The part of a 2-d array where rows and columns meet, each an integer, a slice or an array with one axis."""
    major, minor = a._swap((rows, columns))
    for part, by_slice, by_array in ((major, slice_rows, take_rows), (minor, slice_columns, take_columns)):
        if is_integer(part):
            part = slice(int(part), int(part) + 1)
        a = by_slice(a, part) if isinstance(part, slice) else by_array(a, part)
    return a


def sampled(a: Any, rows: Any, columns: Any) -> cp.ndarray:
    """Single elements, as a dense array of the shape of the indices."""
    a = a._deduplicated()
    major, minor = a._swap((rows, columns))
    shape = broadcast_shape(*(np.shape(part) if not is_dense(part) else part.shape for part in (major, minor)))
    major, minor = (cp.broadcast_to(cp.asarray(part, dtype=np.int64), shape) for part in (major, minor))
    if 0 in shape:
        return cp.zeros(shape, a.dtype)
    data, indices, indptr = a._parts
    return _sample(indptr, indices, data, major, minor)


def set_elements(
    a: Any, rows: cp.ndarray, columns: cp.ndarray, values: cp.ndarray, new: Any = None, warn: bool = True
) -> None:
    """Sets elements, in place; of several for one place the last one stays.

    With `new`, places that are not stored are added only where it is true.
    """
    a.sum_duplicates()
    majors, minors = a._lengths
    major, minor = (part.reshape(-1) for part in a._swap((rows, columns)))
    values = values.astype(a.dtype, copy=False).reshape(-1)
    if not major.size:
        return
    order = order_of(major, minor, majors, minors)
    major, minor = major[order], minor[order]
    last = cp.ones(order.size, bool)
    last[:-1] = (major[1:] != major[:-1]) | (minor[1:] != minor[:-1])
    data, indices, indptr = a._parts
    places = _places(indptr, indices, major, minor)
    old = cp.flatnonzero(last & (places >= 0))
    if old.size:
        data[places[old]] = values[order[old]]
    added = last & (places < 0)
    if new is not None:
        added &= new.reshape(-1)[order]
    fresh = cp.flatnonzero(added)
    if not fresh.size:
        return
    if warn:
        warnings.warn(
            f"Changing the sparsity structure of a {a.__class__.__name__} is expensive. "
            "lil and dok are more efficient.",
            SparseEfficiencyWarning,
            stacklevel=outside(),
        )
    all_majors = cp.concatenate((rows_of(indptr, indices.size), major[fresh].astype(indices.dtype)))
    all_minors = cp.concatenate((indices, minor[fresh].astype(indices.dtype)))
    index = index_dtype(a.shape, all_majors.size, (a,))
    elements = cp.concatenate((data, values[order[fresh]]))
    a._put(*compressed(all_majors, all_minors, elements, majors, minors, index))
    a._sorted = a._canonical = True


# -------------------------------------------------------------------------------------------------------- the classes


@on_own_device
class IndexedArray:
    """`a[key]` and `a[key] = x` for CSR and CSC."""

    def __getitem__(self: Any, key: Any) -> Any:
        index, shape = parse(key, self.shape)
        if len(shape) > 2:
            raise IndexError(
                f"Indexing that leads to >2D is not supported by {self.format} format. Try converting to COO format"
            )
        if self.ndim == 1:
            return _one_axis(self, index[0], shape)
        rows, columns = index
        are_arrays = [is_dense(part) for part in index]
        if not any(are_arrays):
            if is_integer(rows) and is_integer(columns):
                # Dense also with new axes, as in SciPy.
                return sampled(self, rows, columns).reshape(shape if self._is_array or not shape else (1, 1))
            return _shaped(self, choose(self, rows, columns), shape, index)
        if all(are_arrays) and not _is_outer(rows, columns):
            result = sampled(self, rows, columns)
            if result.ndim == 1 and self._is_array:
                return result.reshape(shape) if len(shape) == 1 else self.__class__(result.reshape(shape))
            return result.reshape(1, -1) if result.ndim == 1 else self.__class__(result)
        part = choose(self, *(part.reshape(-1) if is_dense(part) else part for part in index))
        return _shaped(self, part, shape, index)

    def __setitem__(self: Any, key: Any, value: Any) -> None:
        rows, columns, target = _target(parse(key, self.shape)[0], self.shape)
        if isinstance(value, sparse_base) and 0 in value.shape:
            return
        values, stored = _assigned(value, target, self.dtype)
        set_elements(self, rows, columns, values, stored)

    def _row(self: Any, i: Any) -> Any:
        return self[_counted(i, self.shape[0]), :].reshape(1, -1)

    def _column(self: Any, j: Any) -> Any:
        return self[:, _counted(j, self.shape[1])].reshape(-1, 1).asformat(self.format)


def _target(index: list[Any], shape: Shape) -> tuple[cp.ndarray, cp.ndarray, Shape]:
    """Rows and columns of the elements that are assigned to, and the shape of what they take."""
    lengths = shape if len(shape) == 2 else (1, *shape)
    index = index if len(shape) == 2 else [0, *index]
    rows, columns = (
        cp.arange(*part.indices(length), dtype=np.int64) if isinstance(part, slice) else part
        for part, length in zip(index, lengths, strict=True)
    )
    if isinstance(index[0], slice):
        rows = rows[:, None]
    elif isinstance(index[1], slice) and is_dense(rows):
        rows = rows.reshape(-1, 1) if rows.ndim == 1 else rows
    target = broadcast_shape(*(part.shape if is_dense(part) else () for part in (rows, columns)))
    rows, columns = (cp.broadcast_to(cp.asarray(part, dtype=np.int64), target) for part in (rows, columns))
    return rows, columns, target


def _assigned(value: Any, target: Shape, dtype: Any) -> tuple[cp.ndarray, Any]:
    """What is assigned, in the shape of its target, and where a sparse one has elements."""
    stored: Any = None
    if isinstance(value, sparse_base):
        pattern = value._deduplicated() if isinstance(value, sparse_data) else value.tocsr()
        stored, value = pattern._with_data(cp.ones(pattern.data.shape, bool)).toarray(), value.toarray()
        stored = fitted(stored, target)
    else:
        value = as_elements(value, dtype)
    if not target and value.size != 1:
        raise ValueError("Trying to assign a sequence to an item")
    return fitted(value, target), stored


def host_places(index: list[Any], chosen: Shape, shape: Shape, value: Any, dtype: Any) -> tuple[list[Any], Any]:
    """Places and elements of an assignment, for formats that are on the host."""
    del chosen
    if isinstance(value, sparse_base) and 0 in value.shape:
        return [], []
    rows, columns, target = _target(index, shape)
    values = _assigned(value, target, dtype)[0].astype(dtype).reshape(-1).get()
    columns = columns.reshape(-1).tolist()
    if len(shape) == 1:
        return [(column,) for column in columns], values
    return list(zip(rows.reshape(-1).tolist(), columns, strict=True)), values


def _counted(i: Any, length: int) -> int:
    i = int(i)
    if not -length <= i < length:
        raise IndexError(f"index ({i}) out of range")
    return i % length


def fitted(value: cp.ndarray, target: Shape) -> cp.ndarray:
    """Values in the shape that is assigned to; axes of length one may be left out or added."""
    squeezed = tuple(length for length in target if length != 1)
    if value.size and tuple(length for length in value.shape if length != 1) == squeezed:
        return value.reshape(target)
    extra = max(value.ndim - len(target), 0)
    try:
        if set(value.shape[:extra]) <= {1}:
            return cp.broadcast_to(value.reshape(value.shape[extra:]), target)
        return cp.broadcast_to(value, target)
    except ValueError:
        raise ValueError(f"shape mismatch in assignment: {value.shape} to {target}") from None


def _is_outer(rows: cp.ndarray, columns: cp.ndarray) -> bool:
    """Whether index arrays choose whole rows and columns: a column of row numbers, a row of column numbers."""
    return rows.ndim == 2 and rows.shape[1] == 1 and (columns.ndim == 1 or columns.shape[0] == 1)


def _shaped(a: Any, result: Any, shape: Shape, index: list[Any]) -> Any:
    """A part of a 2-d array as an array of `shape`; parts of matrices keep both axes."""
    if result is a:
        result = a.copy()
    if not a._is_array and len(shape) < 2:
        return result
    if result.shape == shape:
        return result
    made = result.reshape(shape)
    return made.asformat(a.format) if len(shape) == 2 else made


def _one_axis(a: Any, part: Any, shape: Shape) -> Any:
    row = a._made(*a._parts, a._shape2, a._sorted, a._canonical)
    if is_integer(part):
        element = sampled(row, 0, part)
        return element if not shape else a.__class__(element.reshape(shape))
    if is_dense(part) and part.ndim > 1:
        return a.__class__(sampled(row, 0, part).reshape(shape))
    result = choose(row, slice(None), part)
    if result is row:
        result = row.copy()
    if len(shape) == 1:
        return a._made(*result._parts, shape, result._sorted, result._canonical)
    return result.tocoo().reshape(shape)
