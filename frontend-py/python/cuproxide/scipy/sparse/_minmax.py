"""Extrema of sparse arrays and where they are; zeros that are not stored count unless `explicit`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib import kernel as k
from ._checks import check_axis, index_dtype
from ._devices import on_own_device
from ._structure import is_hollow, raveled, row_range

_FOLDS = {"max": "maximum", "min": "minimum", "nanmax": "fmax", "nanmin": "fmin"}


@k.kernel
def _fold_row(indptr: k.Array[1], data: k.Array[1], minors: int, *, name: str, explicit: bool):
    row = k.index()
    begin, end = row_range(indptr, row, data)
    found = k.value(0, data.dtype)
    if begin < end:
        found = data[begin]
        for p in k.steps(begin + 1, end):
            found = k.ufunc(name)(found, data[p])
        if not explicit and end - begin < minors:
            found = k.ufunc(name)(found, k.value(0, data.dtype))
    return found


@k.kernel
def _find_row(indptr: k.Array[1], indices: k.Array[1], data: k.Array[1], minors: int, *, largest: bool, explicit: bool):
    """The index of the extremum of a canonical row, the first one of several."""
    row = k.index()
    begin, end = row_range(indptr, row, indices, data)
    found = k.value(0, np.int64)
    if begin < end:
        best, place = data[begin], begin
        for p in k.steps(begin + 1, end):
            x = data[p]
            better = x > best if largest else x < best
            # The first nan wins.
            if better or (x != x and best == best):
                best, place = x, p
        found = indices[place].astype(np.int64)
        if not explicit:
            beats = best > 0 if largest else best < 0
            if not beats and end - begin < minors:
                missing = k.value(0, np.int64)
                while missing < end - begin and indices[begin + missing] == missing:
                    missing += 1
                if best == 0:
                    found = min(found, missing)
                else:
                    found = missing
    return found


@on_own_device
class Extrema:
    """`max`, `min`, `argmax` and their relatives, for formats with an array of elements."""

    def max(self: Any, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """The largest element, or those along an axis.

        Parameters
        ----------
        axis : int or tuple of int, optional

        Returns
        -------
        largest : 0-d array, or sparse array in the format COO

        >>> a = cp.scipy.sparse.csr_array([[-1, -2], [0, 3]])
        >>> a.max(axis=1).toarray()
        array([-1,  3])
        """
        return self._extreme("max", axis, out, explicit)

    def min(self: Any, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """The smallest element, or those along an axis; see `max`."""
        return self._extreme("min", axis, out, explicit)

    def nanmax(self: Any, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """The largest element that is not nan, or those along an axis; see `max`."""
        return self._extreme("nanmax", axis, out, explicit)

    def nanmin(self: Any, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """The smallest element that is not nan, or those along an axis; see `max`."""
        return self._extreme("nanmin", axis, out, explicit)

    def argmax(self: Any, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """The index of the largest element, the first one of several.

        Parameters
        ----------
        axis : int, optional
            If not given, elements are counted in C order.

        Returns
        -------
        index : int, or dense array

        >>> cp.scipy.sparse.csr_array([[-1, -2], [0, 3]]).argmax(axis=1)
        array([0, 1])
        """
        return self._where_extreme("argmax", axis, out, explicit)

    def argmin(self: Any, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """The index of the smallest element, the first one of several; see `argmax`."""
        return self._where_extreme("argmin", axis, out, explicit)

    def _extreme(self: Any, name: str, axis: Any, out: Any, explicit: bool) -> Any:
        if out is not None:
            raise ValueError("Sparse min/max does not support an 'out' parameter.")
        axes = check_axis(axis, self.ndim)
        fold = getattr(cp, _FOLDS[name])
        if axes is None:
            if 0 in self.shape:
                raise ValueError("zero-size array to reduction operation")
            array = self._deduplicated().tocoo(copy=False)._deduplicated()
            if array.data.size == 0:
                return cp.zeros((), self.dtype)
            result = fold.reduce(array.data)
            # Without `explicit`, zeros that are not stored count.
            if not explicit and array.data.size < math.prod(self.shape):
                result = fold(result, cp.zeros((), self.dtype))
            return result
        if any(self.shape[axis] == 0 for axis in axes):
            raise ValueError("zero-size array to reduction operation")
        shape = tuple(length for axis, length in enumerate(self.shape) if axis not in axes)
        count = math.prod(shape)
        numbers, rows = self._stored_rows(axes) if is_hollow(count, self.nnz) else (None, self._rows_along(axes)[0])
        rows = rows._deduplicated()
        minors = rows._shape2[1]
        values = _fold_row(
            rows.indptr, rows.data, minors, name=_FOLDS[name], explicit=explicit, shape=(rows.indptr.size - 1,)
        )
        kept = cp.flatnonzero(values)
        coo = self._class("coo")
        flat = (kept if numbers is None else numbers[kept]).astype(index_dtype((count, minors)), copy=False)
        if self._is_array:
            made = coo._made(values[kept], (flat,), (count,), True)
            return made if len(shape) == 1 else made.reshape(shape)
        zeros = cp.zeros_like(flat)
        if axes[0] == 0:
            return coo._made(values[kept], (zeros, flat), (1, count), True)
        return coo._made(values[kept], (flat, zeros), (count, 1), True)

    def _stored_rows(self: Any, axes: tuple[int, ...]) -> tuple[cp.ndarray, Any]:
        """The numbers of what is reduced, where anything is stored, and these as rows in the format CSR."""
        coo, parts = self.tocoo(copy=False), []
        for chosen in ([axis for axis in range(self.ndim) if axis not in axes], axes):
            lengths = tuple(self.shape[axis] for axis in chosen)
            parts.append((raveled(tuple(coo.coords[axis] for axis in chosen), lengths), math.prod(lengths)))
        (row, _), (column, minors) = parts
        numbers, row = cp.unique(row, return_inverse=True)
        made = self._class("coo")._made(coo.data, (row, column), (numbers.size, minors))
        return numbers, made.tocsr()

    def _rows_along(self: Any, axes: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
        """An array in the format CSR whose rows are what is reduced, and the shape of the result."""
        if self.ndim == 2:
            array = self.tocsr() if axes[0] == 1 else self.tocsc().transpose()
            return array, (array.shape[0],)
        kept = [axis for axis in range(self.ndim) if axis not in axes]
        shape = tuple(self.shape[axis] for axis in kept)
        coo = self.tocoo(copy=False).transpose((*kept, *axes))
        return coo.reshape(math.prod(shape), math.prod(self.shape[axis] for axis in axes)).tocsr(), shape

    def _where_extreme(self: Any, name: str, axis: Any, out: Any, explicit: bool) -> Any:
        if out is not None:
            raise ValueError(f"Sparse {name} does not support an 'out' parameter.")
        axes = check_axis(axis, self.ndim)
        largest = name == "argmax"
        if axes is not None:
            if any(self.shape[axis] == 0 for axis in axes):
                raise ValueError(f"Cannot apply {name} along a zero-sized dimension.")
            rows, shape = self._rows_along(axes)
            rows = rows._deduplicated()
            found = _find_row(
                *(rows.indptr, rows.indices, rows.data, rows._shape2[1]),
                largest=largest,
                explicit=explicit,
                shape=(rows.indptr.size - 1,),
            )
            if self._is_array:
                return found.reshape(shape)
            return found.reshape((1, -1) if axes[0] == 0 else (-1, 1))
        if 0 in self.shape:
            raise ValueError(f"Cannot apply {name} to an empty matrix.")
        if self.nnz == 0:
            if explicit:
                raise ValueError(f"Cannot apply {name} to zero matrix when explicit=True.")
            return 0
        array = self.tocoo(copy=False)._deduplicated()
        place = getattr(array.data, name)()
        if explicit:
            return int(place)
        flat = raveled(array.coords, self.shape)
        missing = cp.count_nonzero(cp.cumprod(flat == cp.arange(flat.size, dtype=flat.dtype), dtype=np.int8))
        values = array.data[place]
        beats, is_zero = (values > 0 if largest else values < 0), values == 0
        state = cp.stack([x.astype(np.int64) for x in (flat[place], missing, beats, is_zero)]).tolist()
        found, first, is_beaten, equal = state
        if is_beaten or array.data.size == math.prod(self.shape):
            return found
        return min(found, first) if equal else first
