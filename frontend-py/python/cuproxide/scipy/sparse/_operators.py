"""The operators of sparse arrays: arithmetic, comparisons and products of all formats."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ._checks import SparseEfficiencyWarning, as_dense, checked_dtype, is_dense, is_scalar, together
from ._devices import on_own_device, outside

_NEGATED = {
    operator.eq: operator.ne,
    operator.ne: operator.eq,
    operator.lt: operator.ge,
    operator.ge: operator.lt,
    operator.gt: operator.le,
    operator.le: operator.gt,
}
_SYMBOLS = {
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
}


def is_foreign(x: Any) -> bool:
    """Whether `x` is a SciPy sparse array."""
    return type(x).__module__.startswith("scipy.sparse") and hasattr(x, "tocoo")


def _is_sparse(x: Any) -> bool:
    return isinstance(x, Operators)


@on_own_device
class Operators:
    """What sparse arrays of all formats do with numbers and other arrays, by way of CSR unless a format does better."""

    # ------------------------------------------------------------------------------------------------------ arithmetic

    def _flat(self: Any) -> Any:
        """The elements as a row in the format CSR, for arrays with more than two axes."""
        return self.tocsr() if self.ndim < 3 else self.reshape(1, -1).tocsr()

    def _unflat(self: Any, result: Any) -> Any:
        return result if self.ndim < 3 else result.tocoo().reshape(self.shape)

    def _operand(self: Any, other: Any) -> Any:
        """What the other operand of an operator is: a sparse array, a dense one, a number, or nothing."""
        if isinstance(other, cp.ndarray) or _is_sparse(other) or is_scalar(other):
            return other
        if isinstance(other, (np.ndarray, list, tuple)):
            return as_dense(other)
        if is_foreign(other):
            return self._class("csr" if other.ndim < 3 else "coo")(other)
        return None

    def __add__(self: Any, other: Any) -> Any:
        return self._added(other, operator.add)

    def __radd__(self: Any, other: Any) -> Any:
        return self._added(other, operator.add)

    def __sub__(self: Any, other: Any) -> Any:
        return self._added(other, operator.sub)

    def __rsub__(self: Any, other: Any) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            if other == 0:
                return -self.copy()
            raise NotImplementedError("subtracting a sparse array from a nonzero scalar is not supported")
        if _is_sparse(other):
            return other - self
        return cp.broadcast_to(other, self.shape) - self.toarray()

    def _added(self: Any, other: Any, how: Any) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            if other == 0:
                return self.copy()
            doing = "adding a nonzero scalar to a" if how is operator.add else "subtracting a nonzero scalar from a"
            raise NotImplementedError(f"{doing} sparse array is not supported")
        if _is_sparse(other):
            if other.shape != self.shape:
                raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
            return self._combined(other, "add" if how is operator.add else "subtract")
        other = cp.broadcast_to(other, self.shape)
        return self._add_dense(other) if how is operator.add else self.toarray() - other

    def _add_dense(self: Any, other: cp.ndarray) -> cp.ndarray:
        return self.toarray() + other

    def _combined(self: Any, other: Any, name: str) -> Any:
        """A ufunc of two sparse arrays of the same shape that is zero for zeros."""
        result = self._flat()._combined(other._flat() if self.ndim > 2 else other, name)
        return self._unflat(result)

    def multiply(self: Any, other: Any) -> Any:
        """The product of elements, with broadcasting.

        Parameters
        ----------
        other : number, array or sparse array

        Returns
        -------
        product : sparse array

        Raises
        ------
        ValueError
            If the shapes do not fit.

        >>> a = cp.scipy.sparse.csr_array([[1, 2], [0, 3]])
        >>> a.multiply(cp.array([[10], [1]])).toarray()
        array([[10, 20],
               [ 0,  3]])
        """
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            return self._scaled(other)
        from ._elementwise import multiply

        return multiply(self, other)

    def _scaled(self: Any, factor: Any) -> Any:
        return self.tocsr()._scaled(factor)

    def __mul__(self: Any, other: Any) -> Any:
        return self.multiply(other)

    def __rmul__(self: Any, other: Any) -> Any:
        return self.multiply(other)

    def __truediv__(self: Any, other: Any) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            if np.can_cast(self.dtype, np.float64) and self.dtype.kind != "f":
                return self.astype(np.float64)._scaled(1 / other)
            if np.can_cast(self.dtype, np.float64):
                return self.astype(np.float64, copy=False)._scaled(1 / other)
            made = self._scaled(1 / other)
            if self.dtype.kind in "iu" and np.asarray(other).dtype.kind in "iu":
                return made.astype(self.dtype, copy=False)
            return made
        if not _is_sparse(other):
            return self.multiply(1 / other)
        from ._elementwise import divide

        return divide(self, other)

    def __rtruediv__(self: Any, other: Any) -> Any:
        return NotImplemented

    def __neg__(self: Any) -> Any:
        return -self.tocsr()

    def __abs__(self: Any) -> Any:
        return abs(self.tocsr())

    def __round__(self: Any, ndigits: int = 0) -> Any:
        return round(self.tocsr(), ndigits)

    def __pos__(self: Any) -> Any:
        return self.copy()

    def __iadd__(self: Any, other: Any) -> Any:
        return NotImplemented

    __isub__ = __imul__ = __itruediv__ = __iadd__

    def __pow__(self: Any, *args: Any) -> Any:
        return self.power(*args)

    def power(self: Any, n: Any, dtype: Any = None) -> Any:
        """Each element to the power `n`, a number that is not zero.

        Parameters
        ----------
        n : int
            The exponent.

        >>> cp.scipy.sparse.csr_array([[2, 0], [0, 3]]).power(2).toarray()
        array([[4, 0],
               [0, 9]])
        """
        return self.tocsr().power(n, dtype=dtype)

    def conjugate(self: Any, copy: bool = True) -> Any:
        """The complex conjugates of the elements; see `conj`."""
        return self.conj(copy=copy)

    def conj(self: Any, copy: bool = True) -> Any:
        """The complex conjugates of the elements. Real ones are shared unless `copy`."""
        if self.dtype.kind == "c":
            return self.tocsr(copy=copy).conj(copy=False)
        return self.copy() if copy else self

    def _real(self: Any) -> Any:
        return self.tocsr()._real()

    def _imag(self: Any) -> Any:
        return self.tocsr()._imag()

    def nonzero(self: Any) -> tuple[cp.ndarray, ...]:
        """The coordinates of the elements that are not zero.

        >>> cp.scipy.sparse.csr_array([[0, 2], [3, 0]]).nonzero()
        (array([0, 1], dtype=int32), array([1, 0], dtype=int32))
        """
        made = self.tocoo(copy=False)
        if not made.has_canonical_format:
            made = made.copy()
            made.sum_duplicates()
        kept = made.data != 0
        return tuple(index[kept] for index in made.coords)

    def count_nonzero(self: Any, axis: int | None = None) -> Any:
        """How many elements are not zero, in all or along an axis."""
        return self.tocoo(copy=False).count_nonzero(axis=axis)

    # ----------------------------------------------------------------------------------------------------- comparisons

    def _comparison(self: Any, other: Any, compare: Any) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            return self._compared_to_scalar(other, compare)
        if not _is_sparse(other):
            return compare(self.toarray(), other)
        self, other = together(self, other)  # noqa: PLW0642
        if self.shape != other.shape:
            if compare in (operator.eq, operator.ne):
                return compare is operator.ne
            raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        names = {operator.eq: "equal", operator.ne: "not_equal", operator.lt: "less", operator.gt: "greater"}
        names |= {operator.le: "less_equal", operator.ge: "greater_equal"}
        if not compare(0, 0):
            return self._combined(other, names[compare])
        self._warn_inefficient("two sparse matrices", compare)
        return self._inverted(self._combined(other, names[_NEGATED[compare]]))

    def _compared_to_scalar(self: Any, other: Any, compare: Any) -> Any:
        other = other.item() if is_dense(other) else other
        if not compare(0, other):
            if other != other:
                kind: Any = self.__class__
                return kind(self.shape, dtype=np.bool_)
            return self._unflat(self._flat()._mapped_by(other, compare))
        self._warn_inefficient(f"a sparse matrix with {other}", compare)
        if other != other:
            return self.__class__(cp.ones(self.shape, np.bool_))
        return self._inverted(self._unflat(self._flat()._mapped_by(other, _NEGATED[compare])))

    @staticmethod
    def _warn_inefficient(what: str, compare: Any) -> None:
        warnings.warn(
            f"Comparing {what} using {_SYMBOLS[compare]} is inefficient. "
            f"Try using {_SYMBOLS[_NEGATED[compare]]} instead.",
            SparseEfficiencyWarning,
            stacklevel=outside(),
        )

    @staticmethod
    def _inverted(truths: Any) -> Any:
        return truths.__class__(~truths.toarray())

    def __eq__(self: Any, other: object) -> Any:
        return self._comparison(other, operator.eq)

    def __ne__(self: Any, other: object) -> Any:
        return self._comparison(other, operator.ne)

    def __lt__(self: Any, other: Any) -> Any:
        return self._comparison(other, operator.lt)

    def __le__(self: Any, other: Any) -> Any:
        return self._comparison(other, operator.le)

    def __gt__(self: Any, other: Any) -> Any:
        return self._comparison(other, operator.gt)

    def __ge__(self: Any, other: Any) -> Any:
        return self._comparison(other, operator.ge)

    def maximum(self: Any, other: Any) -> Any:
        """The larger of each two elements.

        >>> cp.scipy.sparse.csr_array([[1, -2]]).maximum(cp.scipy.sparse.csr_array([[0, 5]])).toarray()
        array([[1, 5]])
        """
        return self._extremum(other, "maximum")

    def minimum(self: Any, other: Any) -> Any:
        """The smaller of each two elements; see `maximum`."""
        return self._extremum(other, "minimum")

    def _extremum(self: Any, other: Any, name: str) -> Any:
        from ._elementwise import extremum

        return extremum(self, other, name)

    # -------------------------------------------------------------------------------------------------------- products

    def dot(self: Any, other: Any) -> Any:
        """The product, of elements if `other` is a number, else as `@`.

        >>> cp.scipy.sparse.csr_array([[1, 2], [0, 3]]).dot(cp.array([1, -1]))
        array([-1, -3])
        """
        return self._scaled(other) if is_scalar(other) else self @ other

    def __matmul__(self: Any, other: Any) -> Any:
        if is_scalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._multiplied(other)

    def __rmatmul__(self: Any, other: Any) -> Any:
        if is_scalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._multiplied_from_left(other)

    def _multiplied(self: Any, other: Any) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            return self._scaled(other)
        length = self._shape[-1]
        if other.ndim == 0 or other.ndim > 2:
            raise ValueError("could not interpret dimensions")
        if other.shape[0] != length:
            rest = "m" if other.ndim == 2 else "1?"
            raise ValueError(
                f"matmul: dimension mismatch with signature (n,k={length}),(k={other.shape[0]},{rest})->(n,{rest})"
            )
        if _is_sparse(other):
            return self._times_sparse(other)
        # Data of types that sparse arrays do not hold are no operands.
        checked_dtype(other.dtype)
        if other.ndim == 1:
            return self._times_vector(other)
        if other.shape[1] == 1:
            result = self._times_vector(other.reshape(-1))
            return result.reshape(1) if self.ndim == 1 else result.reshape(-1, 1)
        return self._times_columns(other)

    def _multiplied_from_left(self: Any, other: Any) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if is_scalar(other):
            return self._scaled(other)
        result = self.transpose()._multiplied(other.transpose())
        return result if result is NotImplemented else result.transpose()

    def _times_vector(self: Any, x: cp.ndarray) -> cp.ndarray:
        return self.tocsr()._times_vector(x)

    def _times_columns(self: Any, x: cp.ndarray) -> cp.ndarray:
        return self.tocsr()._times_columns(x)

    def _times_sparse(self: Any, other: Any) -> Any:
        return self.tocsr()._times_sparse(other)
