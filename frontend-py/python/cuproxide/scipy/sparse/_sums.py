"""Sums and means of sparse arrays of all formats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ._checks import check_axis, sum_dtype, upcast
from ._devices import on_own_device


@on_own_device
class Sums:
    """Sums and means, by way of COO or of a product with ones unless a format does better."""

    def sum(self: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """The sum of all elements, or along axes.

        Parameters
        ----------
        axis : int or tuple of int, optional
        dtype : dtype, optional
            The type that elements are cast to before they are added up, and that of the result.
        out : array, optional

        Returns
        -------
        sum : 0-d array, or dense array; matrices keep both axes

        >>> cp.scipy.sparse.csr_array([[1, 2], [0, 3]]).sum(axis=0)
        array([1, 5])
        """
        axes = check_axis(axis, self.ndim)
        if dtype is not None and np.dtype(dtype) != self.dtype:
            # Elements are cast, not what is stored for one in several parts.
            whole = self.copy()
            if hasattr(whole, "sum_duplicates"):
                whole.sum_duplicates()
            return self._given(whole.astype(dtype).sum(axis), axes, dtype, out)
        wide = sum_dtype(self.dtype)
        if axes is None:
            return self._given(self._sum_all(wide), None, dtype, out)
        if self.ndim > 2:
            return self._given(self.tocoo(copy=False)._sum_axes(axes, wide), axes, dtype, out)
        return self._given(self._sum_axis(axes[0], wide), axes, dtype, out)

    def _given(self: Any, result: Any, axes: tuple[int, ...] | None, dtype: Any, out: Any) -> Any:
        """The result of a reduction: of its type, in `out`, and with both axes for a matrix."""
        if dtype is not None:
            result = result.astype(dtype, copy=False)
        if axes is not None and not self._is_array:
            result = result.reshape((1, -1) if axes[0] == 0 else (-1, 1))
        if out is None:
            return result
        if out.shape != result.shape:
            raise ValueError("dimensions do not match")
        out[...] = result
        return out

    def _sum_all(self: Any, dtype: np.dtype[Any]) -> Any:
        return self.tocoo(copy=False)._sum_all(dtype)

    def _sum_axis(self: Any, axis: int, dtype: np.dtype[Any]) -> cp.ndarray:
        ones = cp.ones(self.shape[axis], dtype)
        array = self.transpose() if axis == 0 else self
        return array._times_vector(ones)

    def mean(self: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """The mean of all elements, or along axes; see `sum`.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the result's elements.
        out : ndarray, optional
            An array for the result, which is then returned.

        >>> cp.scipy.sparse.csr_array([[1, 2], [0, 3]]).mean(axis=1)
        array([1.5, 1.5])
        """
        axes = check_axis(axis, self.ndim)
        whole = self.dtype.kind in "biu"
        result = np.dtype(dtype) if dtype is not None else np.dtype(np.float64) if whole else self.dtype
        # Sums of integers are exact in float64 as long as they fit there; float16 and float32 are added up wider.
        inner = np.dtype(np.float64) if whole else upcast(self.dtype, np.float32 if self.dtype.char == "e" else "?")
        count = math.prod(self.shape[axis] for axis in (axes if axes is not None else range(self.ndim)))
        array = self.astype(inner, copy=False)
        if count == 0:
            raise ZeroDivisionError("float division by zero")
        return self._mean_given(array.sum(axis=axes) / count, result, out)

    def _mean_given(self: Any, mean: Any, dtype: Any, out: Any) -> Any:
        mean = mean.astype(dtype, copy=False)
        if out is None:
            return mean
        if out.shape != mean.shape:
            raise ValueError("dimensions do not match")
        out[...] = mean
        return out
