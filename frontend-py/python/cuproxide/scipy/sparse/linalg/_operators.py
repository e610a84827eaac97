"""Linear operators: products with vectors and matrices, however they are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from .. import issparse
from .._devices import own_device
from .._foreign import taken

__all__ = ["LinearOperator", "aslinearoperator"]


def _is_scalar(x: Any) -> bool:
    return np.isscalar(x) or (isinstance(x, (np.ndarray, cp.ndarray)) and x.ndim == 0)


def _dtype_of(*parts: Any) -> np.dtype[Any]:
    return np.result_type(*(part.dtype if hasattr(part, "dtype") else part for part in parts if part is not None))


class LinearOperator:
    """A linear map, given by functions that multiply by it.

    Called with functions it makes an operator of them. A subclass defines `_matvec` or `_matmat`, `_adjoint` or
    `_rmatvec` and `_rmatmat` where they are needed, and calls `__init__(dtype, shape)`.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    matvec : callable
        Returns the product with a vector of shape (N,) or (N, 1).
    rmatvec : callable, optional
        Returns the product of the conjugate transpose with a vector of length M.
    matmat : callable, optional
        Returns the product with a matrix; without it, columns are multiplied one after another.
    dtype : dtype, optional
        Of the products; without it, one product with a vector of zeros tells.
    rmatmat : callable, optional
        Returns the product of the conjugate transpose with a matrix.

    Raises
    ------
    ValueError
        For a shape that is no pair of non-negative integers, and from products for operands of another shape.

    Notes
    -----
    Source: `scipy.sparse.linalg.LinearOperator`.

    Examples
    --------
    >>> twice = cp.scipy.sparse.linalg.LinearOperator((3, 3), matvec=lambda x: 2 * x)
    >>> twice @ cp.arange(3.0)
    array([0., 2., 4.])
    """

    # Operators come before arrays in `array @ operator`.
    __array_ufunc__ = None
    __array_priority__ = 20
    ndim = 2
    shape: tuple[int, int]
    dtype: Any
    args: tuple[Any, ...] = ()
    is_capturable = False
    """Whether products run no code of the program, and read nothing on the host from the second one on."""

    def __new__(cls, *args: Any, **kwargs: Any) -> LinearOperator:
        return super().__new__(FunctionOperator if cls is LinearOperator else cls)

    def __init__(self, dtype: Any, shape: Any) -> None:
        shape = tuple(shape)
        if len(shape) != 2 or any(int(n) != n or n < 0 for n in shape):
            raise ValueError(f"invalid shape {shape!r} (must be 2-d)")
        self.dtype = None if dtype is None else np.dtype(dtype)
        self.shape = (int(shape[0]), int(shape[1]))

    def _init_dtype(self) -> None:
        """The dtype of a product with zeros, where none was given."""
        if self.dtype is None:
            self.dtype = self.matvec(cp.zeros(self.shape[1], np.int8)).dtype

    def _matvec(self, x: Any) -> Any:
        return self.matmat(x.reshape(-1, 1))

    def _matmat(self, X: Any) -> Any:
        return cp.hstack([self.matvec(X[:, i : i + 1]) for i in range(X.shape[1])])

    def _rmatvec(self, x: Any) -> Any:
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H.matvec(x)
        if type(self)._rmatmat is not LinearOperator._rmatmat:
            return self._rmatmat(x.reshape(-1, 1)).reshape(-1)
        raise NotImplementedError(f"{type(self).__name__} has no product with its adjoint")

    def _rmatmat(self, X: Any) -> Any:
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H.matmat(X)
        return cp.hstack([self.rmatvec(X[:, i : i + 1]) for i in range(X.shape[1])])

    def _adjoint(self) -> LinearOperator:
        return _Adjoint(self)

    def _transpose(self) -> LinearOperator:
        return _Transposed(self)

    def _vector(self, product: Callable[[Any], Any], x: Any, rows: int, columns: int) -> Any:
        x = cp.asarray(x)
        if x.shape not in ((columns,), (columns, 1)):
            raise ValueError(f"dimension mismatch: an operator of shape {self.shape} and a vector of shape {x.shape}")
        return cp.asarray(product(x)).reshape((rows,) if x.ndim == 1 else (rows, 1))

    def _matrix(self, product: Callable[[Any], Any], X: Any, columns: int) -> Any:
        if issparse(X):
            raise TypeError(
                "Unable to multiply a LinearOperator with a sparse matrix. Wrap the matrix in aslinearoperator first."
            )
        X = cp.asarray(X)
        if X.ndim != 2:
            raise ValueError(f"expected 2-d ndarray or matrix, not {X.ndim}-d")
        if X.shape[0] != columns:
            raise ValueError(f"dimension mismatch: {self.shape}, {X.shape}")
        return product(X)

    def matvec(self, x: Any) -> Any:
        """The product with a vector of shape (N,) or (N, 1)."""
        return self._vector(self._matvec, x, *self.shape)

    def rmatvec(self, x: Any) -> Any:
        """The product of the conjugate transpose with a vector of shape (M,) or (M, 1)."""
        return self._vector(self._rmatvec, x, self.shape[1], self.shape[0])

    def matmat(self, X: Any) -> Any:
        """The product with a matrix of N rows."""
        return self._matrix(self._matmat, X, self.shape[1])

    def rmatmat(self, X: Any) -> Any:
        """The product of the conjugate transpose with a matrix of M rows."""
        return self._matrix(self._rmatmat, X, self.shape[0])

    def adjoint(self) -> LinearOperator:
        """The conjugate transpose."""
        return self._adjoint()

    def transpose(self) -> LinearOperator:
        """The transpose."""
        return self._transpose()

    @property
    def H(self) -> LinearOperator:
        """The conjugate transpose."""
        return self.adjoint()

    @property
    def T(self) -> LinearOperator:
        """The transpose."""
        return self.transpose()

    def dot(self, x: Any) -> Any:
        """The product with an operator, a number, a vector or a matrix."""
        if isinstance(x, LinearOperator):
            return _Product(self, x)
        if _is_scalar(x):
            return _Scaled(self, x)
        if issparse(x):
            return self.matmat(x)
        x = cp.asarray(x)
        if x.ndim == 1 or (x.ndim == 2 and x.shape[1] == 1):
            return self.matvec(x)
        if x.ndim == 2:
            return self.matmat(x)
        raise ValueError(f"expected 1-d or 2-d array or matrix, got the shape {x.shape}")

    def rdot(self, x: Any) -> Any:
        """The product `x A` of an operator, a number, a vector of M elements or a matrix of M columns."""
        if isinstance(x, LinearOperator):
            return _Product(x, self)
        if _is_scalar(x):
            return _Scaled(self, x)
        x = cp.asarray(x)
        if x.ndim == 1 or (x.ndim == 2 and x.shape[0] == 1):
            return self.T.matvec(x.T).T
        if x.ndim == 2:
            return self.T.matmat(x.T).T
        raise ValueError(f"expected 1-d or 2-d array or matrix, got the shape {x.shape}")

    def __call__(self, x: Any) -> Any:
        return self @ x

    def __mul__(self, x: Any) -> Any:
        return self.dot(x)

    def __rmul__(self, x: Any) -> Any:
        return self.rdot(x)

    def __matmul__(self, x: Any) -> Any:
        if _is_scalar(x):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self.dot(x)

    def __rmatmul__(self, x: Any) -> Any:
        if _is_scalar(x):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self.rdot(x)

    def __truediv__(self, x: Any) -> LinearOperator:
        if not _is_scalar(x):
            raise ValueError("Can only divide a linear operator by a scalar.")
        return _Scaled(self, 1.0 / x)

    def __pow__(self, p: Any) -> Any:
        return _Power(self, p) if _is_scalar(p) else NotImplemented

    def __add__(self, x: Any) -> Any:
        return _Sum(self, x) if isinstance(x, LinearOperator) else NotImplemented

    def __neg__(self) -> LinearOperator:
        return _Scaled(self, -1)

    def __sub__(self, x: Any) -> Any:
        return self + (-x)

    def __repr__(self) -> str:
        kind = "unspecified dtype" if self.dtype is None else f"dtype={self.dtype}"
        return f"<{self.shape[0]}x{self.shape[1]} {type(self).__name__} with {kind}>"


class FunctionOperator(LinearOperator):
    """An operator made of functions."""

    def __init__(
        self,
        shape: Any,
        matvec: Callable[[Any], Any] | None,
        rmatvec: Callable[[Any], Any] | None = None,
        matmat: Callable[[Any], Any] | None = None,
        dtype: Any = None,
        rmatmat: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(dtype, shape)
        self.args = ()
        self._functions = (matvec, rmatvec, matmat, rmatmat)
        self._init_dtype()

    def _matvec(self, x: Any) -> Any:
        return self._functions[0](x)

    def _rmatvec(self, x: Any) -> Any:
        if self._functions[1] is None:
            raise NotImplementedError("rmatvec is not defined")
        return self._functions[1](x)

    def _matmat(self, X: Any) -> Any:
        return super()._matmat(X) if self._functions[2] is None else self._functions[2](X)

    def _rmatmat(self, X: Any) -> Any:
        if self._functions[3] is not None:
            return self._functions[3](X)
        return cp.hstack([self.rmatvec(X[:, i : i + 1]) for i in range(X.shape[1])])

    def _adjoint(self) -> LinearOperator:
        matvec, rmatvec, matmat, rmatmat = self._functions
        return FunctionOperator(self.shape[::-1], rmatvec, matvec, rmatmat, self.dtype, matmat)


class _Adjoint(LinearOperator):
    def __init__(self, A: LinearOperator) -> None:
        super().__init__(A.dtype, A.shape[::-1])
        self.A, self.args = A, (A,)

    def _matvec(self, x: Any) -> Any:
        return self.A._rmatvec(x)

    def _rmatvec(self, x: Any) -> Any:
        return self.A._matvec(x)

    def _matmat(self, X: Any) -> Any:
        return self.A._rmatmat(X)

    def _rmatmat(self, X: Any) -> Any:
        return self.A._matmat(X)


class _Transposed(LinearOperator):
    def __init__(self, A: LinearOperator) -> None:
        super().__init__(A.dtype, A.shape[::-1])
        self.A, self.args = A, (A,)

    def _matvec(self, x: Any) -> Any:
        return self.A._rmatvec(x.conj()).conj()

    def _rmatvec(self, x: Any) -> Any:
        return self.A._matvec(x.conj()).conj()

    def _matmat(self, X: Any) -> Any:
        return self.A._rmatmat(X.conj()).conj()

    def _rmatmat(self, X: Any) -> Any:
        return self.A._matmat(X.conj()).conj()


class _Sum(LinearOperator):
    def __init__(self, A: LinearOperator, B: LinearOperator) -> None:
        if A.shape != B.shape:
            raise ValueError(f"cannot add {A} and {B}: shape mismatch")
        super().__init__(_dtype_of(A, B), A.shape)
        self.args = (A, B)

    def _matvec(self, x: Any) -> Any:
        return self.args[0].matvec(x) + self.args[1].matvec(x)

    def _rmatvec(self, x: Any) -> Any:
        return self.args[0].rmatvec(x) + self.args[1].rmatvec(x)

    def _matmat(self, X: Any) -> Any:
        return self.args[0].matmat(X) + self.args[1].matmat(X)

    def _rmatmat(self, X: Any) -> Any:
        return self.args[0].rmatmat(X) + self.args[1].rmatmat(X)

    def _adjoint(self) -> LinearOperator:
        return self.args[0].H + self.args[1].H


class _Product(LinearOperator):
    def __init__(self, A: LinearOperator, B: LinearOperator) -> None:
        if A.shape[1] != B.shape[0]:
            raise ValueError(f"cannot multiply {A} and {B}: shape mismatch")
        super().__init__(_dtype_of(A, B), (A.shape[0], B.shape[1]))
        self.args = (A, B)

    def _matvec(self, x: Any) -> Any:
        return self.args[0].matvec(self.args[1].matvec(x))

    def _rmatvec(self, x: Any) -> Any:
        return self.args[1].rmatvec(self.args[0].rmatvec(x))

    def _matmat(self, X: Any) -> Any:
        return self.args[0].matmat(self.args[1].matmat(X))

    def _rmatmat(self, X: Any) -> Any:
        return self.args[1].rmatmat(self.args[0].rmatmat(X))

    def _adjoint(self) -> LinearOperator:
        return self.args[1].H @ self.args[0].H


class _Scaled(LinearOperator):
    def __init__(self, A: LinearOperator, alpha: Any) -> None:
        if isinstance(A, _Scaled):
            A, alpha = A.args[0], alpha * A.args[1]
        super().__init__(np.result_type(A.dtype, alpha.dtype if hasattr(alpha, "dtype") else type(alpha)), A.shape)
        self.args = (A, alpha)

    def _matvec(self, x: Any) -> Any:
        return self.args[1] * self.args[0].matvec(x)

    def _rmatvec(self, x: Any) -> Any:
        return np.conj(self.args[1]) * self.args[0].rmatvec(x)

    def _matmat(self, X: Any) -> Any:
        return self.args[1] * self.args[0].matmat(X)

    def _rmatmat(self, X: Any) -> Any:
        return np.conj(self.args[1]) * self.args[0].rmatmat(X)

    def _adjoint(self) -> LinearOperator:
        return self.args[0].H * np.conj(self.args[1])


class _Power(LinearOperator):
    def __init__(self, A: LinearOperator, p: Any) -> None:
        if A.shape[0] != A.shape[1]:
            raise ValueError(f"square LinearOperator expected, got {A!r}")
        if int(p) != p or p < 0:
            raise ValueError(f"non-negative integer expected as p, got {p!r}")
        super().__init__(A.dtype, A.shape)
        self.args = (A, int(p))

    def _repeat(self, product: Callable[[Any], Any], x: Any) -> Any:
        for _ in range(self.args[1]):
            x = product(x)
        return x

    def _matvec(self, x: Any) -> Any:
        return self._repeat(self.args[0].matvec, x)

    def _rmatvec(self, x: Any) -> Any:
        return self._repeat(self.args[0].rmatvec, x)

    def _matmat(self, X: Any) -> Any:
        return self._repeat(self.args[0].matmat, X)

    def _rmatmat(self, X: Any) -> Any:
        return self._repeat(self.args[0].rmatmat, X)

    def _adjoint(self) -> LinearOperator:
        return self.args[0].H ** self.args[1]


class MatrixLinearOperator(LinearOperator):
    """The operator of a dense or sparse matrix."""

    def __init__(self, A: Any, adjoint: MatrixLinearOperator | None = None) -> None:
        super().__init__(A.dtype, A.shape)
        # Other formats are converted for each product.
        self.is_capturable = not issparse(A) or A.format in ("csr", "csc")
        self.A, self.args, self._other = A, (A,), adjoint

    def _matvec(self, x: Any) -> Any:
        return self.A @ x

    def _matmat(self, X: Any) -> Any:
        return self.A @ X

    def _adjoint(self) -> LinearOperator:
        # Made once: solvers multiply by it in every iteration.
        if self._other is None:
            adjoint = self.A.T.conj() if np.dtype(self.A.dtype).kind == "c" else self.A.T
            self._other = MatrixLinearOperator(adjoint, self)
        return self._other


class IdentityOperator(LinearOperator):
    """The identity."""

    is_capturable = True

    def __init__(self, shape: Any, dtype: Any = None) -> None:
        super().__init__(dtype, shape)

    def _matvec(self, x: Any) -> Any:
        return x

    _rmatvec = _matmat = _rmatmat = _matvec

    def _adjoint(self) -> LinearOperator:
        return self


@own_device
def aslinearoperator(A: Any) -> LinearOperator:
    """`A` as a `LinearOperator`.

    Parameters
    ----------
    A : array, sparse array or matrix, LinearOperator, or an object with `shape` and `matvec`
        The last may have `rmatvec`, `rmatmat` and `dtype`.

    Returns
    -------
    LinearOperator
        `A` itself if it is one.

    Raises
    ------
    ValueError
        For arrays with more than two axes.
    TypeError
        For other objects.

    Notes
    -----
    Source: `scipy.sparse.linalg.aslinearoperator`.

    Examples
    --------
    >>> cp.scipy.sparse.linalg.aslinearoperator(cp.ones((2, 3))) @ cp.ones(3)
    array([3., 3.])
    """
    if isinstance(A, LinearOperator):
        return A
    A = taken(A)
    if issparse(A):
        return MatrixLinearOperator(A)
    if isinstance(A, (cp.ndarray, np.ndarray)):
        if A.ndim > 2:
            raise ValueError(f"array must have ndim <= 2, got {A.ndim}")
        return MatrixLinearOperator(cp.atleast_2d(cp.asarray(A)))
    if hasattr(A, "shape") and hasattr(A, "matvec"):
        optional = {name: getattr(A, name, None) for name in ("rmatvec", "rmatmat", "dtype")}
        return FunctionOperator(A.shape, A.matvec, **optional)
    raise TypeError(f"an array, a sparse array or a linear operator is expected, got {type(A).__name__}")
