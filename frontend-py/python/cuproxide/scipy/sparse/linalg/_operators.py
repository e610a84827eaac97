"""Linear operators: products with vectors and matrices, however they are computed."""

from __future__ import annotations

import math
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


def _turned(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the transpose of each map."""
    return (*shape[:-2], shape[-1], shape[-2])


class LinearOperator:
    """A linear map, given by functions that multiply by it.

    Called with functions it makes an operator of them. A subclass defines `_matvec` or `_matmat`, `_adjoint` or
    `_rmatvec` and `_rmatmat` where they are needed, and calls `__init__(dtype, shape)`.

    Parameters
    ----------
    shape : tuple of int
        Rows M and columns N; further axes before them make a stack of maps.
    matvec : callable
        Returns the product with a vector of shape (N,) or (N, 1); with vectors (..., N) if it is of a stack.
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
        For a shape of fewer than two non-negative integers, and from products for operands of another shape.

    Notes
    -----
    Source: `scipy.sparse.linalg.LinearOperator`.

    >>> twice = cp.scipy.sparse.linalg.LinearOperator((3, 3), matvec=lambda x: 2 * x)
    >>> twice @ cp.arange(3.0)
    array([0., 2., 4.])
    """

    # Operators come before arrays in `array @ operator`.
    __array_ufunc__ = None
    __array_priority__ = 20
    shape: tuple[int, ...]
    dtype: Any
    args: tuple[Any, ...] = ()
    is_capturable = False
    """Whether products run no code of the program, and read nothing on the host from the second one on."""

    def __new__(cls, *args: Any, **kwargs: Any) -> LinearOperator:
        return super().__new__(FunctionOperator if cls is LinearOperator else cls)

    def __init__(self, dtype: Any, shape: Any) -> None:
        shape = tuple(shape)
        if len(shape) < 2 or any(int(n) != n or n < 0 for n in shape):
            raise ValueError(f"invalid shape {shape!r} (must be at least 2-d, of non-negative integers)")
        self.dtype = None if dtype is None else np.dtype(dtype)
        self.shape = tuple(int(n) for n in shape)

    def _init_dtype(self) -> None:
        """The dtype of a product with zeros, where none was given."""
        if self.dtype is None:
            self.dtype = self.matvec(cp.zeros(self.shape[-1], np.int8)).dtype

    @property
    def ndim(self) -> int:
        """The number of axes: 2, or more for a stack."""
        return len(self.shape)

    def _one(self, product: Callable[[Any], Any], x: Any) -> Any:
        """The product with vectors by one with matrices of one column."""
        return product(x.reshape(-1, 1)) if self.ndim == 2 else product(x[..., None])[..., 0]

    def _columns(self, product: Callable[[Any], Any], X: Any) -> Any:
        """The product with matrices, one column after another."""
        if self.ndim == 2:
            return cp.hstack([product(X[:, i : i + 1]) for i in range(X.shape[1])])
        return cp.stack([product(X[..., i]) for i in range(X.shape[-1])], axis=-1)

    def _matvec(self, x: Any) -> Any:
        return self._one(self.matmat, x)

    def _matmat(self, X: Any) -> Any:
        return self._columns(self.matvec, X)

    def _rmatvec(self, x: Any) -> Any:
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H.matvec(x)
        if type(self)._rmatmat is not LinearOperator._rmatmat:
            return self._one(self._rmatmat, x)
        raise NotImplementedError(f"{type(self).__name__} has no product with its adjoint")

    def _rmatmat(self, X: Any) -> Any:
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H.matmat(X)
        return self._columns(self.rmatvec, X)

    def _adjoint(self) -> LinearOperator:
        return _Adjoint(self)

    def _transpose(self) -> LinearOperator:
        return _Transposed(self)

    def _spread(self, made: Any, stack: tuple[int, ...], *core: int) -> Any:
        """What a product of a stack made, with an axis for each of the stack's and of its operand's."""
        shape = (*np.broadcast_shapes(self.shape[:-2], stack), *core)
        made = cp.asarray(made)
        return made.reshape(shape) if made.size == math.prod(shape) else cp.broadcast_to(made, shape)

    def _vector(
        self, product: Callable[[Any], Any], many: Callable[[Any], Any], x: Any, rows: int, columns: int
    ) -> Any:
        x = cp.asarray(x)
        if x.shape in ((columns,), (columns, 1)) and self.ndim == 2:
            return cp.asarray(product(x)).reshape((rows,) if x.ndim == 1 else (rows, 1))
        if x.shape == (columns, 1):
            return self._matrix(many, x, rows, columns)
        if x.ndim == 0 or x.shape[-1] != columns:
            raise ValueError(f"dimension mismatch: an operator of shape {self.shape} and vectors of shape {x.shape}")
        if self.ndim == 2:
            return cp.asarray(many(x.reshape(-1, columns).T)).T.reshape(*x.shape[:-1], rows)
        return self._spread(product(x), x.shape[:-1], rows)

    def _matrix(self, product: Callable[[Any], Any], X: Any, rows: int, columns: int) -> Any:
        if issparse(X):
            raise TypeError(
                "Unable to multiply a LinearOperator with a sparse matrix. Wrap the matrix in aslinearoperator first."
            )
        X = cp.asarray(X)
        if X.ndim < 2:
            raise ValueError(f"expected at least 2-d ndarray or matrix, not {X.ndim}-d")
        if X.shape[-2] != columns:
            raise ValueError(f"dimension mismatch: an operator of shape {self.shape} and matrices of shape {X.shape}")
        if self.ndim > 2:
            return self._spread(product(X), X.shape[:-2], rows, X.shape[-1])
        if X.ndim == 2:
            return product(X)
        columns_of_all = cp.moveaxis(X, -2, 0)
        made = cp.asarray(product(columns_of_all.reshape(columns, -1)))
        return cp.moveaxis(made.reshape(rows, *columns_of_all.shape[1:]), 0, -2)

    def matvec(self, x: Any) -> Any:
        """The product with a vector of shape (N,) or (N, 1), or with vectors (..., N)."""
        return self._vector(self._matvec, self._matmat, x, *self.shape[-2:])

    def rmatvec(self, x: Any) -> Any:
        """The product of the conjugate transpose with a vector of shape (M,) or (M, 1), or with vectors (..., M)."""
        return self._vector(self._rmatvec, self._rmatmat, x, *self.shape[:-3:-1])

    def matmat(self, X: Any) -> Any:
        """The product with a matrix of N rows, or with matrices (..., N, K)."""
        return self._matrix(self._matmat, X, *self.shape[-2:])

    def rmatmat(self, X: Any) -> Any:
        """The product of the conjugate transpose with a matrix of M rows, or with matrices (..., M, K)."""
        return self._matrix(self._rmatmat, X, *self.shape[:-3:-1])

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
        """The product with an operator, a number, a vector, or a matrix or a stack of them."""
        if isinstance(x, LinearOperator):
            return _Product(self, x)
        if _is_scalar(x):
            return _Scaled(self, x)
        if issparse(x):
            return self.matmat(x)
        x = cp.asarray(x)
        if x.ndim == 1 or (x.ndim == 2 and x.shape[1] == 1):
            return self.matvec(x)
        return self.matmat(x)

    def rdot(self, x: Any) -> Any:
        """The product `x A` of an operator, a number, a vector of M elements, or a matrix of M columns or a stack of
        them.
        """
        if isinstance(x, LinearOperator):
            return _Product(x, self)
        if _is_scalar(x):
            return _Scaled(self, x)
        x = cp.asarray(x)
        if x.ndim == 1:
            return self.T.matvec(x)
        if x.ndim == 2 and x.shape[0] == 1:
            return self.T.matvec(x.T).mT
        return self.T.matmat(x.mT).mT

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
        return f"<{'x'.join(map(str, self.shape))} {type(self).__name__} with {kind}>"


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
        self._functions: tuple[Any, ...] = (matvec, rmatvec, matmat, rmatmat)
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
        return self._columns(self.rmatvec, X)

    def _adjoint(self) -> LinearOperator:
        matvec, rmatvec, matmat, rmatmat = self._functions
        return FunctionOperator(_turned(self.shape), rmatvec, matvec, rmatmat, self.dtype, matmat)


class _Adjoint(LinearOperator):
    def __init__(self, A: LinearOperator) -> None:
        super().__init__(A.dtype, _turned(A.shape))
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
        super().__init__(A.dtype, _turned(A.shape))
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
        if A.shape[-2:] != B.shape[-2:]:
            raise ValueError(f"cannot add {A} and {B}: shape mismatch")
        super().__init__(_dtype_of(A, B), np.broadcast_shapes(A.shape, B.shape))
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
        if A.shape[-1] != B.shape[-2]:
            raise ValueError(f"cannot multiply {A} and {B}: shape mismatch")
        stack = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
        super().__init__(_dtype_of(A, B), (*stack, A.shape[-2], B.shape[-1]))
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
        if A.shape[-2] != A.shape[-1]:
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
    """The operator of a dense or sparse matrix, or of a stack of dense ones."""

    def __init__(self, A: Any, adjoint: MatrixLinearOperator | None = None) -> None:
        super().__init__(A.dtype, A.shape)
        # Other formats are converted for each product.
        self.is_capturable = not issparse(A) or A.format in ("csr", "csc")
        self.A, self.args, self._other = A, (A,), adjoint

    def _matvec(self, x: Any) -> Any:
        return self.A @ x if self.ndim == 2 else (self.A @ x[..., None])[..., 0]

    def _matmat(self, X: Any) -> Any:
        return self.A @ X

    def _adjoint(self) -> LinearOperator:
        # Made once: solvers multiply by it in every iteration.
        if self._other is None:
            turned = self.A.T if self.ndim == 2 else self.A.mT
            adjoint = turned.conj() if np.dtype(self.A.dtype).kind == "c" else turned
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
        `A` itself if it is one. An array of more than two axes is a stack of matrices.

    Raises
    ------
    TypeError
        For other objects.

    Notes
    -----
    Source: `scipy.sparse.linalg.aslinearoperator`.

    >>> cp.scipy.sparse.linalg.aslinearoperator(cp.ones((2, 3))) @ cp.ones(3)
    array([3., 3.])
    """
    if isinstance(A, LinearOperator):
        return A
    A = taken(A)
    if issparse(A):
        return MatrixLinearOperator(A)
    if isinstance(A, (cp.ndarray, np.ndarray)):
        return MatrixLinearOperator(cp.atleast_2d(cp.asarray(A)))
    if hasattr(A, "shape") and hasattr(A, "matvec"):
        optional = {name: getattr(A, name, None) for name in ("rmatvec", "rmatmat", "dtype")}
        return FunctionOperator(A.shape, A.matvec, **optional)
    raise TypeError(f"an array, a sparse array or a linear operator is expected, got {type(A).__name__}")


def as_matrix_operator(A: Any) -> LinearOperator:
    """`A` as an operator that is no stack, for what needs a single one."""
    operator = aslinearoperator(A)
    if operator.ndim != 2:
        raise ValueError(f"{operator.ndim}-dimensional `A` is unsupported, expected 2-D.")
    return operator
