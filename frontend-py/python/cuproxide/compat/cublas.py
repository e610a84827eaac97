"""`cupy.cublas`: the operations of BLAS on arrays, by their names there.

Each is what the ufuncs and products of this package compute, on every device; `cuproxide.linalg` and `cuproxide.matmul`
are the interface for new programs. Names and arguments are those of the reference BLAS, whose definitions hold: vectors
are arrays with one axis, matrices with two, of float32, float64, complex64 or complex128.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

import cuproxide as cp

from .._cuproxide import ndarray
from .._lib.texts import complete
from ..cuda.cublas import CUBLAS_OP_C, CUBLAS_OP_N, CUBLAS_OP_T
from ._texts import TEXTS

__all__ = [
    "asum",
    "axpy",
    "batched_gesv",
    "dgmm",
    "dot",
    "dotc",
    "dotu",
    "geam",
    "gemm",
    "gemv",
    "ger",
    "gerc",
    "geru",
    "get_batched_gesv_limit",
    "iamax",
    "iamin",
    "nrm2",
    "sbmv",
    "scal",
    "set_batched_gesv_limit",
    "syrk",
]

_batched_gesv_limit = 256


# What the arguments must be.


def _check(name: str, a: Any, ndim: int) -> ndarray:
    if not isinstance(a, ndarray):
        raise TypeError(f"{name} must be an array of a device, not {type(a).__name__}")
    if a.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes (it has {a.ndim})")
    if a.dtype.char not in "fdFD":
        raise TypeError(f"{name} must be of float32, float64, complex64 or complex128, not {a.dtype}")
    return a


def _vectors(x: Any, y: Any) -> None:
    _check("x", x, 1), _check("y", y, 1)
    if x.size != y.size:
        raise TypeError(f"x and y must have the same size ({x.size} and {y.size})")
    _same(x=x, y=y)


def _same(**arrays: ndarray) -> None:
    if len({a.dtype for a in arrays.values()}) > 1:
        types = ", ".join(f"{name} {a.dtype}" for name, a in arrays.items())
        raise TypeError(f"the arrays must be of the same dtype ({types})")


def _shaped(name: str, a: ndarray, shape: tuple[int, ...]) -> None:
    if a.shape != shape:
        raise ValueError(f"{name} must have the shape {shape} (it has {a.shape})")


def _scalar(value: Any, dtype: np.dtype[Any]) -> Any:
    """A factor, from the host or from a device, in the dtype of the arrays."""
    if isinstance(value, ndarray):
        return value.reshape(()).astype(dtype, copy=False)
    return dtype.type(value.item() if isinstance(value, np.ndarray) else value)


def _is_zero(value: Any) -> bool:
    """Whether a factor is known to be zero: what it multiplies is not read then, as BLAS has it."""
    return not isinstance(value, ndarray) and value == 0


def _operated(trans: Any, a: ndarray) -> ndarray:
    if trans in ("N", "n", CUBLAS_OP_N):
        return a
    if trans in ("T", "t", CUBLAS_OP_T):
        return a.T
    if trans in ("H", "h", "C", "c", CUBLAS_OP_C):
        return a.T.conj()
    raise TypeError(f"trans must be 'N', 'T' or 'H' (got {trans!r})")


def _update(out: ndarray, product: Any, beta: Any) -> ndarray:
    """`out = product + beta * out`."""
    out[...] = product if _is_zero(beta) else product + beta * out
    return out


def _given(result: ndarray, out: Any) -> Any:
    if out is None:
        return result
    if isinstance(out, ndarray):
        out[...] = result.reshape(out.shape)
    elif isinstance(out, np.ndarray):
        out[...] = result.get().reshape(out.shape)
    else:
        raise TypeError(f"out must be an array of a device or of NumPy, not {type(out).__name__}")
    return out


def _size_of(x: ndarray) -> ndarray:
    """What BLAS compares and adds up: of complex numbers the sum of both parts' absolute values."""
    return abs(x.real) + abs(x.imag) if x.dtype.kind == "c" else abs(x)


# Vectors.


class Extreme(Protocol):
    """The place of an extreme element."""

    def __call__(self, x: ndarray, out: Any = None) -> Any: ...


def _extreme(name: str, method: str, text: str, example: str) -> Extreme:
    def extreme(x: ndarray, out: Any = None) -> Any:
        x = _check("x", x, 1)
        place = getattr(_size_of(x), method)() + 1 if x.size else cp.zeros(())
        return _given(place.astype(np.int32), out)

    return _row(name, text, example, extreme)


def _row(name: str, text: str, example: str, function: Any, see: str = "") -> Any:
    """A function with the name and the docstring of its row."""
    function.__name__ = function.__qualname__ = name
    example = f"Examples\n--------\n>>> from cuproxide.compat import cublas\n>>> cublas.{name}{example}\n"
    see = f"See Also\n--------\nscipy.linalg.blas.{see} : The function that this one follows.\n\n" if see else ""
    function.__doc__ = f"{text}\n\nReturns\n-------\nndarray\n\n{see}{example}"
    return function


iamax = _extreme(
    "iamax",
    "argmax",
    """The place of the first element of largest size, counted from 1; 0 if there are none.

The size of a complex number is the sum of its parts' absolute values. `out` may be an array of a device or of
NumPy. See `scipy.linalg.blas.idamax`, which counts from 0.""",
    "(cp.asarray([1.0, -3.0, 2.0]))\narray(2, dtype=int32)",
)
iamin = _extreme(
    "iamin",
    "argmin",
    "The place of the first element of smallest size, counted from 1; 0 if there are none. See `iamax`.",
    "(cp.asarray([1.0, -3.0, 0.5]))\narray(3, dtype=int32)",
)


def asum(x: ndarray, out: Any = None) -> Any:
    """The sum of absolute values, of complex numbers those of both parts.

    See Also
    --------
    scipy.linalg.blas.dasum : The function that this one follows.

    >>> cublas.asum(cp.asarray([1.0, -3.0]))
    array(4.)
    """
    return _given(_size_of(_check("x", x, 1)).sum(), out)


def nrm2(x: ndarray, out: Any = None) -> Any:
    """The Euclidean norm, which overflows only if the result does.

    See Also
    --------
    scipy.linalg.blas.dnrm2 : The function that this one follows.

    >>> cublas.nrm2(cp.asarray([3e200, 4e200]))
    array(5.e+200)
    """
    x = _check("x", x, 1)
    if not x.size:
        return _given(cp.zeros((), x.real.dtype), out)
    sizes = abs(x)
    largest = sizes.max()
    scale = cp.where((largest > 0) & cp.isfinite(largest), largest, sizes.dtype.type(1))
    return _given(scale * cp.sqrt(cp.square(sizes / scale).sum()), out)


def axpy(a: Any, x: ndarray, y: ndarray) -> ndarray:
    """Adds `a * x` to `y`, in place, and returns `y`; `a` is a number or an array of one.

    Parameters
    ----------
    a : ndarray
        The factor of the first vector.

    See Also
    --------
    scipy.linalg.blas.daxpy : The function that this one follows.

    >>> cublas.axpy(2, cp.asarray([1.0, 2.0]), cp.asarray([1.0, 1.0]))
    array([3., 5.])
    """
    _vectors(x, y)
    y += _scalar(a, x.dtype) * x
    return y


def scal(a: Any, x: ndarray) -> ndarray:
    """Multiplies `x` by `a`, in place, and returns it.

    Parameters
    ----------
    a : ndarray
        The factor.

    See Also
    --------
    scipy.linalg.blas.dscal : The function that this one follows.

    >>> cublas.scal(2, cp.asarray([1.0, 2.0]))
    array([2., 4.])
    """
    x = _check("x", x, 1)
    x *= _scalar(a, x.dtype)
    return x


def dot(x: ndarray, y: ndarray, out: Any = None) -> Any:
    """The product of two real vectors; `TypeError` for complex ones.

    See Also
    --------
    scipy.linalg.blas.ddot : The function that this one follows.

    >>> cublas.dot(cp.asarray([1.0, 2.0]), cp.asarray([3.0, 4.0]))
    array(11.)
    """
    _vectors(x, y)
    if x.dtype.kind == "c":
        raise TypeError("complex vectors have two products: use dotu() or dotc()")
    return _given(cp.dot(x, y), out)


def dotu(x: ndarray, y: ndarray, out: Any = None) -> Any:
    """The product of two vectors, none of them conjugated.

    See Also
    --------
    scipy.linalg.blas.zdotu : The function that this one follows.

    >>> cublas.dotu(cp.asarray([1j, 2]), cp.asarray([1j, 1]))
    array(1.+0.j)
    """
    _vectors(x, y)
    return _given(cp.dot(x, y), out)


def dotc(x: ndarray, y: ndarray, out: Any = None) -> Any:
    """The product of the conjugate of `x` with `y`.

    See Also
    --------
    scipy.linalg.blas.zdotc : The function that this one follows.

    >>> cublas.dotc(cp.asarray([1j, 2]), cp.asarray([1j, 1]))
    array(3.+0.j)
    """
    _vectors(x, y)
    return _given(cp.vdot(x, y), out)


# A matrix and vectors.


def gemv(transa: Any, alpha: Any, a: ndarray, x: ndarray, beta: Any, y: ndarray) -> ndarray:
    """`y = alpha * op(a) @ x + beta * y`, in place; `op` is given by 'N', 'T' or 'H'.

    See Also
    --------
    scipy.linalg.blas.dgemv : The function that this one follows.

    >>> cublas.gemv("T", 1, cp.asarray([[1.0, 2.0], [3.0, 4.0]]), cp.ones(2), 0, cp.empty(2))
    array([4., 6.])
    """
    a, x, y = _check("a", a, 2), _check("x", x, 1), _check("y", y, 1)
    _same(a=a, x=x, y=y)
    matrix = _operated(transa, a)
    _shaped("x", x, matrix.shape[1:])
    _shaped("y", y, matrix.shape[:1])
    return _update(y, _scalar(alpha, a.dtype) * (matrix @ x), _scalar(beta, a.dtype))


class RankOne(Protocol):
    """An update of a matrix by an outer product, in place."""

    def __call__(self, alpha: Any, x: ndarray, y: ndarray, a: ndarray) -> ndarray: ...


def _rank_one(name: str, see: str, text: str, example: str, conjugate: bool = False, real: bool = False) -> RankOne:
    def update(alpha: Any, x: ndarray, y: ndarray, a: ndarray) -> ndarray:
        if real and isinstance(a, ndarray) and a.dtype.kind == "c":
            raise TypeError("complex matrices have two such updates: use geru() or gerc()")
        x, y, a = _check("x", x, 1), _check("y", y, 1), _check("a", a, 2)
        _same(x=x, y=y, a=a)
        _shaped("a", a, (x.size, y.size))
        a += _scalar(alpha, a.dtype) * x[:, None] * (y.conj() if conjugate else y)
        return a

    return _row(name, text, example, update, see)


ger = _rank_one(
    "ger",
    "dger",
    "Adds `alpha * outer(x, y)` to the real matrix `a`, in place.",
    "(1, cp.asarray([1.0, 2.0]), cp.asarray([1.0, 3.0]), cp.zeros((2, 2)))\narray([[1., 3.],\n       [2., 6.]])",
    real=True,
)
geru = _rank_one(
    "geru",
    "zgeru",
    "Adds `alpha * outer(x, y)` to `a`, in place.",
    "(1, cp.asarray([1j]), cp.asarray([1j]), cp.zeros((1, 1), complex))\narray([[-1.+0.j]])",
)
gerc = _rank_one(
    "gerc",
    "zgerc",
    "Adds `alpha * outer(x, conj(y))` to `a`, in place.",
    "(1, cp.asarray([1j]), cp.asarray([1j]), cp.zeros((1, 1), complex))\narray([[1.+0.j]])",
    conjugate=True,
)


def sbmv(k: int, alpha: Any, a: ndarray, x: ndarray, beta: Any, y: ndarray, lower: bool = False) -> ndarray:
    """`y = alpha * A @ x + beta * y`, in place, for a symmetric band matrix A with `k` diagonals beside the main one.

    `a` has the shape `(k + 1, n)` as in LAPACK: row `k - d` holds diagonal `d` from its place `d` on, or with `lower`
    row `d` from place 0 on.

    Parameters
    ----------
    k : int
        The number of diagonals.

    See Also
    --------
    scipy.linalg.blas.dsbmv : The function that this one follows.

    >>> cublas.sbmv(1, 1, cp.asarray([[0.0, 1.0], [2.0, 3.0]]), cp.ones(2), 0, cp.empty(2))
    array([3., 4.])
    """
    a, x, y = _check("a", a, 2), _check("x", x, 1), _check("y", y, 1)
    _same(a=a, x=x, y=y)
    n = x.size
    _shaped("a", a, (k + 1, n))
    _shaped("y", y, (n,))
    product = a[0 if lower else k] * x
    for d in range(1, min(k, n - 1) + 1):
        diagonal = a[d, : n - d] if lower else a[k - d, d:]
        product[: n - d] += diagonal * x[d:]
        product[d:] += diagonal * x[: n - d]
    return _update(y, _scalar(alpha, a.dtype) * product, _scalar(beta, a.dtype))


# Matrices.


def gemm(
    transa: Any,
    transb: Any,
    a: ndarray,
    b: ndarray,
    out: ndarray | None = None,
    alpha: Any = 1.0,
    beta: Any = 0.0,
) -> ndarray:
    """`alpha * op(a) @ op(b)`, or `out = alpha * op(a) @ op(b) + beta * out` in place.

    See Also
    --------
    scipy.linalg.blas.dgemm : The function that this one follows.

    >>> a = cp.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> cublas.gemm("N", "T", a, a, alpha=2.0)
    array([[10., 22.],
           [22., 50.]])
    """
    a, b = _check("a", a, 2), _check("b", b, 2)
    _same(a=a, b=b)
    left, right = _operated(transa, a), _operated(transb, b)
    if left.shape[1] != right.shape[0]:
        raise ValueError(f"op(a) has {left.shape[1]} columns, op(b) has {right.shape[0]} rows")
    product = _scalar(alpha, a.dtype) * (left @ right)
    if out is None:
        return product
    _same(a=a, out=_check("out", out, 2))
    _shaped("out", out, product.shape)
    return _update(out, product, _scalar(beta, a.dtype))


def geam(
    transa: Any, transb: Any, alpha: Any, a: ndarray, beta: Any, b: ndarray, out: ndarray | None = None
) -> ndarray:
    """`alpha * op(a) + beta * op(b)`, written to `out` if it is given.

    >>> a = cp.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> cublas.geam("N", "T", 1, a, -1, a)
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    a, b = _check("a", a, 2), _check("b", b, 2)
    _same(a=a, b=b)
    left, right = _operated(transa, a), _operated(transb, b)
    if left.shape != right.shape:
        raise ValueError(f"op(a) has the shape {left.shape}, op(b) {right.shape}")
    alpha, beta = _scalar(alpha, a.dtype), _scalar(beta, a.dtype)
    terms = [factor * matrix for factor, matrix in ((alpha, left), (beta, right)) if not _is_zero(factor)]
    result = sum(terms[1:], start=terms[0]) if terms else cp.zeros(left.shape, a.dtype)
    if out is None:
        return result
    _same(a=a, out=_check("out", out, 2))
    _shaped("out", out, result.shape)
    out[...] = result
    return out


def dgmm(side: Any, a: ndarray, x: ndarray, out: ndarray | None = None, incx: int = 1) -> ndarray:
    """`diag(x) @ a` for the side 'L', `a @ diag(x)` for 'R', written to `out` if it is given.

    `incx` is the step from one element of `x` to the next; a negative one goes from its end.

    Parameters
    ----------
    side : {'L', 'R'}
        The side of the diagonal matrix.
    incx : int
        The distance of the vector's elements.

    >>> cublas.dgmm("R", cp.ones((2, 2)), cp.asarray([1.0, 2.0]))
    array([[1., 2.],
           [1., 2.]])
    """
    a, x = _check("a", a, 2), _check("x", x, 1)
    _same(a=a, x=x)
    if side not in ("L", "l", "R", "r", 0, 1):
        raise ValueError(f"side must be 'L' or 'R' (got {side!r})")
    left = side in ("L", "l", 0)
    count = a.shape[0 if left else 1]
    if incx == 0:
        factors = cp.broadcast_to(x[:1], (count,))
    else:
        needed = (count - 1) * abs(incx) + 1 if count else 0
        if x.size < needed:
            raise ValueError(f"x has {x.size} elements, {needed} are needed for {count} of step {incx}")
        factors = x[:needed][::incx]
    result = factors[:, None] * a if left else a * factors
    return _given(result, out)


def syrk(
    trans: Any, a: ndarray, out: ndarray | None = None, alpha: Any = 1.0, beta: Any = 0.0, lower: bool = False
) -> ndarray:
    """One triangle of `alpha * a @ a.T + beta * out`, or of `alpha * a.T @ a + beta * out` with `trans` 'T'.

    The other triangle of `out` stays as it is; without `out` it is zero.

    Parameters
    ----------
    trans : {'N', 'T', 'H'}
        Whether the matrix is taken as it is, transposed or adjoint.

    See Also
    --------
    scipy.linalg.blas.dsyrk : The function that this one follows.

    >>> cublas.syrk("N", cp.asarray([[1.0, 2.0], [3.0, 4.0]]))
    array([[ 5., 11.],
           [ 0., 25.]])
    """
    a = _check("a", a, 2)
    if trans in ("H", "h", "C", "c", CUBLAS_OP_C) and a.dtype.kind == "c":
        raise ValueError("syrk takes the transpose, not the adjoint, of complex matrices")
    matrix = a if trans in ("N", "n", CUBLAS_OP_N) else _operated(trans, a)
    alpha, beta = _scalar(alpha, a.dtype), _scalar(beta, a.dtype)
    product = alpha * (matrix @ matrix.T)
    if out is None:
        return cp.tril(product) if lower else cp.triu(product)
    _same(a=a, out=_check("out", out, 2))
    _shaped("out", out, product.shape)
    if not _is_zero(beta):
        product = product + beta * out
    triangle = cp.tri(len(product), dtype=bool)
    out[...] = cp.where(triangle if lower else triangle.T, product, out)
    return out


# Stacks of systems.


def get_batched_gesv_limit() -> int:
    """The size of matrices up to which `batched_gesv` does not warn.

    >>> from cuproxide.compat import cublas
    >>> cublas.get_batched_gesv_limit()
    256
    """
    return _batched_gesv_limit


def set_batched_gesv_limit(limit: int) -> None:
    """Sets what `get_batched_gesv_limit` gives; it changes nothing, since matrices of all sizes are solved alike.

    >>> from cuproxide.compat import cublas
    >>> cublas.set_batched_gesv_limit(256)
    """
    global _batched_gesv_limit
    _batched_gesv_limit = limit


def batched_gesv(a: ndarray, b: ndarray) -> ndarray:
    """Solves `a @ x = b` for stacks: `a` is `(..., M, M)`, `b` is `(..., M)` or `(..., M, K)`.

    `b` is a stack of vectors where it has one axis less than `a`. See `cuproxide.linalg.solve`.

    Raises
    ------
    LinAlgError
        For a singular matrix.

    >>> cublas.batched_gesv(cp.asarray([[[2.0]], [[4.0]]]), cp.asarray([[2.0], [2.0]]))
    array([[1. ],
           [0.5]])
    """
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise cp.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if b.ndim not in (a.ndim, a.ndim - 1) or a.shape[:-1] != b.shape[: a.ndim - 1]:
        raise ValueError("a must have the shape (..., M, M) and b the shape (..., M) or (..., M, K)")
    if np.promote_types(a.dtype, np.float32).char not in "fdFD":
        raise TypeError(f"a must be of real or complex numbers, not {a.dtype}")
    return cp.linalg.solve(a, b) if a.ndim == b.ndim else cp.linalg.solve(a, b[..., None])[..., 0]


complete(globals(), __all__, TEXTS)
