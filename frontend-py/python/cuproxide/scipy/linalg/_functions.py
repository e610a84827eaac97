"""Functions of matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate
from ... import linalg as _numpy
from ..._cuproxide import ndarray
from ..._lib.conversions import counting
from ..._typing import ArrayLike
from ...linalg import matrix_power
from ._common import adjoint, epsilon, identity, is_complex, matrices, to_complex, triangular, ufuncs
from ._eigen import rsf2csf, schur
from ._equations import triangular_sylvester

# Numerators of the diagonal Pade approximant of degree 13, and the norm up to which it serves (Higham, 2005).
_PADE = (
    64764752532480000,
    32382376266240000,
    7771770303897600,
    1187353796428800,
    129060195264000,
    10559470521600,
    670442572800,
    33522128640,
    1323241920,
    40840800,
    960960,
    16380,
    182,
    1,
)
_REACH = 5.371920351148152


def _column_norm(a: ndarray) -> ndarray:
    """The largest sum of absolute values in a column."""
    return ufuncs["absolute"](a).sum(-2).max(-1)


def expm(A: ArrayLike) -> ndarray:
    """The exponentials of square matrices, by scaling, a Pade approximant and squaring.

    Reads one number, the most squarings, on the host. See `scipy.linalg.expm`.

    >>> cp.scipy.linalg.expm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[2.7183, 0.    ],
           [0.    , 2.7183]])
    """
    a = matrices(A, square=True)
    if a.size == 0:
        return a.copy()
    norm = _column_norm(a)
    exponent = ufuncs["ceil"](ufuncs["log2"](ufuncs["maximum"](norm / _REACH, norm.dtype.type(1))))
    exponent = _core.where(ufuncs["isfinite"](exponent), exponent, exponent.dtype.type(0))
    most = int(exponent.max())
    a = a * ufuncs["exp2"](-exponent).astype(norm.dtype, copy=False)[..., None, None]
    eye = identity(a)
    multiply = _core.matmul
    # Scaled by the first coefficient, so that float32 holds them all.
    c = [a.real.dtype.type(number / _PADE[0]) for number in _PADE]
    square = multiply(a, a)
    fourth = multiply(square, square)
    sixth = multiply(square, fourth)
    odd = multiply(sixth, c[13] * sixth + c[11] * fourth + c[9] * square)
    odd = multiply(a, odd + c[7] * sixth + c[5] * fourth + c[3] * square + c[1] * eye)
    even = multiply(sixth, c[12] * sixth + c[10] * fourth + c[8] * square)
    even = even + c[6] * sixth + c[4] * fourth + c[2] * square + eye
    result = _numpy.solve(even - odd, even + odd)
    for step in range(most):
        squared = multiply(result, result)
        again = (exponent > step)[..., None, None]
        result = squared if a.ndim == 2 else _core.where(again, squared, result)
    return result


def _real_if_close(a: ndarray, result: ndarray) -> ndarray:
    """The real part of a result that should be real, as SciPy decides: `a` is real and no imaginary part counts."""
    if is_complex(a.dtype) or result.size == 0:
        return result
    limit = epsilon(a) * 1e3
    size = ufuncs["absolute"](result).max()
    close = ufuncs["absolute"](result.imag).max() <= limit * ufuncs["maximum"](size, size.dtype.type(1))
    return result.real.copy() if bool(close) else result


def _complex_schur(a: ndarray) -> tuple[ndarray, ndarray]:
    """The complex Schur form, on whose diagonal real eigenvalues of real matrices lie on the real axis, not below it.

    For below the negative axis roots and logarithms have another branch; minus zero lies below, too.
    """
    if is_complex(a.dtype):
        return schur(a, "complex", check_finite=False)
    t, z = rsf2csf(*schur(a, "real", check_finite=False), check_finite=False)
    index = counting(t.shape[-1])
    t[..., index, index] = t.diagonal(0, -2, -1) + t.dtype.type(0)
    return t, z


def _triangular_root(t: ndarray) -> ndarray:
    """The principal square root of upper triangular matrices, by halves (Deadman, Higham and Ralha, 2013)."""
    n = t.shape[-1]
    if n == 1:
        return ufuncs["sqrt"](t)
    half = n // 2
    first, last = _triangular_root(t[..., :half, :half]), _triangular_root(t[..., half:, half:])
    corner = triangular_sylvester(first, last, t[..., :half, half:])
    zero = _core.zeros((*t.shape[:-2], n - half, half), t.dtype)
    return concatenate([concatenate([first, corner], axis=-1), concatenate([zero, last], axis=-1)], axis=-2)


def sqrtm(A: ArrayLike, disp: bool = True, blocksize: int = 64) -> Any:
    """The principal square roots of square matrices, by the complex Schur form.

    Real matrices have a real result where it is one. A singular matrix may have no root: the result then holds NaN.
    With `disp=False` the estimate `norm(x @ x - a) / norm(a)` is returned too, for the whole stack.

    Parameters
    ----------
    A : array_like
        The matrix, or a stack of them in the last two axes.
    disp : bool
        Whether a large error is printed, instead of returned with the result.
    blocksize : int
        Taken for compatibility.

    Returns
    -------
    ndarray, or a tuple of it and the estimate of the error

    See Also
    --------
    scipy.linalg.sqrtm : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.linalg.sqrtm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[1., 0.],
           [0., 1.]])
    """
    a = matrices(A, True, square=True)
    if a.size == 0:
        result = a.copy()
    elif bool((a == 0).all()):
        result = a.copy()
    else:
        t, z = _complex_schur(a)
        result = _real_if_close(a, _core.matmul(_core.matmul(z, _triangular_root(t)), adjoint(z)))
    if disp:
        return result
    rest = _core.reduce("norm", _core.matmul(result, result) - a)
    return result, rest / _core.reduce("norm", a)


# Nodes and weights on [0, 1] of the approximant of the logarithm as a sum of fractions.
_NODES, _WEIGHTS = (values.tolist() for values in np.polynomial.legendre.leggauss(7))


def _triangular_log(t: ndarray) -> ndarray:
    """The principal logarithm of upper triangular matrices, by roots until they are near 1 (Al-Mohy, Higham 2012)."""
    eye = identity(t)
    root, count = t, 0
    # The norm up to which the approximant of degree 7 serves.
    while count < 100 and not bool((_column_norm(root - eye) <= 0.264).all()):
        if not bool(ufuncs["isfinite"](root).all()):
            break
        root, count = _triangular_root(root), count + 1
    x = root - eye
    result = _core.zeros_like(x)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        at, share = (node + 1) / 2, weight / 2
        result = result + share * triangular(eye + at * x, x, False)
    result = result * 2.0**count
    # The diagonal is known without the detour.
    index = counting(t.shape[-1])
    result[..., index, index] = ufuncs["log"](t.diagonal(0, -2, -1))
    return result


def logm(A: ArrayLike, disp: bool = True) -> Any:
    """The principal logarithms of square matrices, by the complex Schur form and roots of it.

    Real matrices have a real result where it is one. With `disp=False` the estimate `norm(expm(x) - a) / norm(a)` is
    returned too. Steered by the host.

    Parameters
    ----------
    A : array_like
        The matrix, or a stack of them in the last two axes.
    disp : bool
        Whether a large error is printed, instead of returned with the result.

    Returns
    -------
    ndarray, or a tuple of it and the estimate of the error

    See Also
    --------
    scipy.linalg.logm : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.linalg.logm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[0., 0.],
           [0., 0.]])
    """
    a = matrices(A, True, square=True)
    if a.size == 0:
        result = a.copy()
    else:
        t, z = _complex_schur(a)
        result = _real_if_close(a, _core.matmul(_core.matmul(z, _triangular_log(t)), adjoint(z)))
    if disp:
        return result
    return result, _column_norm(expm(result) - a) / _column_norm(a)


def fractional_matrix_power(A: ArrayLike, t: float) -> ndarray:
    """Square matrices to a power that need not be whole: the whole part by products, the rest by a logarithm.

    Parameters
    ----------
    A : array_like
        The matrix, or a stack of them in the last two axes.
    t : float
        The exponent.

    Returns
    -------
    ndarray

    See Also
    --------
    scipy.linalg.fractional_matrix_power : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.linalg.fractional_matrix_power(cp.asarray([[4.0, 0.0], [0.0, 9.0]]), 0.5).round(6)
    array([[2., 0.],
           [0., 3.]])
    """
    a = matrices(A, True, square=True)
    whole = math.floor(t)
    if t == whole:
        return matrix_power(a, int(whole))
    if t - whole > 0.5 and whole < 0:
        whole += 1
    form, z = _complex_schur(a)
    part = _core.matmul(_core.matmul(z, expm((t - whole) * _triangular_log(form))), adjoint(z))
    return _core.matmul(_real_if_close(a, part), matrix_power(a, whole))


def funm(A: ArrayLike, func: Callable[[ndarray], ndarray], disp: bool = True) -> Any:
    """A function of square matrices, by Parlett's recurrence on the complex Schur form.

    `func` takes arrays of numbers. Inaccurate where eigenvalues are close to each other. With `disp=False` an estimate
    of the error is returned too.

    Parameters
    ----------
    A : array_like
        The matrix.
    func : callable
        The function of arrays of numbers.
    disp : bool
        Whether a large error is printed, instead of returned with the result.

    Returns
    -------
    ndarray, or a tuple of it and the estimate of the error

    See Also
    --------
    scipy.linalg.funm : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.linalg.funm(cp.asarray([[1.0, 0.0], [0.0, 4.0]]), cp.sqrt).round(6)
    array([[1., 0.],
           [0., 2.]])
    """
    a = matrices(A, True, square=True)
    n = a.shape[-1]
    t, z = _complex_schur(a)
    values = t.diagonal(0, -2, -1)
    diagonal = to_complex(func(values.copy()))
    f = _core.zeros(t.shape, diagonal.dtype)
    index = counting(n)
    f[..., index, index] = diagonal
    one = t.real.dtype.type(1)
    least = None
    for p in range(1, n):
        rows, columns = index[: n - p], index[p:]
        # Row i of t with column i + p of f, less the same with the roles changed: terms not known yet are zeros.
        upper, lower = t[..., : n - p, :], f[..., : n - p, :]
        known = (upper * _core.moveaxis(f[..., p:], -1, -2)).sum(-1)
        known = known - (lower * _core.moveaxis(t[..., p:], -1, -2)).sum(-1)
        gap = values[..., p:] - values[..., : n - p]
        size = ufuncs["absolute"](gap)
        smallest = size.min()
        least = smallest if least is None else ufuncs["minimum"](least, smallest)
        f[..., rows, columns] = known / _core.where(size == 0, one, gap)
    result = _real_if_close(a, _core.matmul(_core.matmul(z, f), adjoint(z)))
    if disp:
        return result
    spread = _column_norm(f - f * identity(f)).max()
    least = one if least is None else _core.where(least == 0, one * epsilon(t), least)
    return result, ufuncs["minimum"](one, ufuncs["maximum"](one * epsilon(t), epsilon(t) / least * spread))


def signm(A: ArrayLike, disp: bool = True) -> Any:
    """The sign of square matrices: each eigenvalue by the sign of its real part, by Newton's iteration.

    A singular matrix is shifted a little first. With `disp=False` an estimate of the error is returned too.

    Parameters
    ----------
    A : array_like
        The matrix, or a stack of them in the last two axes.
    disp : bool
        Whether a large error is printed, instead of returned with the result.

    Returns
    -------
    ndarray, or a tuple of it and the estimate of the error

    See Also
    --------
    scipy.linalg.signm : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.linalg.signm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[1., 0.],
           [0., 1.]])
    """
    a = matrices(A, True, square=True)
    if a.size == 0:
        return a.copy() if disp else (a.copy(), a.real.sum())
    s = _numpy.svdvals(a)
    largest = s.max(-1, None, True)
    singular = s.min(-1, None, True) <= largest * (a.shape[-1] * epsilon(a))
    half = largest.dtype.type(0.5)
    shift = _core.where(singular, half / _core.where(largest == 0, half, largest), largest.dtype.type(0))
    x = a + shift[..., None] * identity(a)
    error, before = math.inf, math.inf
    for _ in range(100):
        x = (x + _numpy.inv(x)) / 2
        projector = (_core.matmul(x, x) + x) / 2
        error = float(_column_norm(_core.matmul(projector, projector) - projector).max())
        if error <= 1e3 * epsilon(a) or error == before:
            break
        before = error
    # One more step squares what is left.
    x = (x + _numpy.inv(x)) / 2
    return x if disp else (x, _column_norm(_core.matmul(x, x) - identity(x)).max())


# Trigonometric functions, from exponentials.


def _parts(a: ndarray) -> tuple[ndarray, ndarray]:
    """Cosine and sine."""
    if not is_complex(a.dtype):
        turned = expm(1j * a.astype(np.result_type(a.dtype, np.complex64)))
        return turned.real.copy(), turned.imag.copy()
    forward, back = expm(1j * a), expm(-1j * a)
    return (forward + back) / 2, (forward - back) * (-0.5j)


def cosm(A: ArrayLike) -> ndarray:
    """The cosines of square matrices. See `scipy.linalg.cosm`.

    >>> cp.scipy.linalg.cosm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[0.5403, 0.    ],
           [0.    , 0.5403]])
    """
    return _parts(matrices(A, square=True))[0]


def sinm(A: ArrayLike) -> ndarray:
    """The sines of square matrices. See `scipy.linalg.sinm`.

    >>> cp.scipy.linalg.sinm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[0.8415, 0.    ],
           [0.    , 0.8415]])
    """
    return _parts(matrices(A, square=True))[1]


def tanm(A: ArrayLike) -> ndarray:
    """The tangents of square matrices. See `scipy.linalg.tanm`.

    >>> cp.scipy.linalg.tanm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[1.5574, 0.    ],
           [0.    , 1.5574]])
    """
    cosine, sine = _parts(matrices(A, square=True))
    return _numpy.solve(cosine, sine)


def coshm(A: ArrayLike) -> ndarray:
    """The hyperbolic cosines of square matrices. See `scipy.linalg.coshm`.

    >>> cp.scipy.linalg.coshm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[1.5431, 0.    ],
           [0.    , 1.5431]])
    """
    a = matrices(A, square=True)
    return (expm(a) + expm(-a)) / 2


def sinhm(A: ArrayLike) -> ndarray:
    """The hyperbolic sines of square matrices. See `scipy.linalg.sinhm`.

    >>> cp.scipy.linalg.sinhm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[1.1752, 0.    ],
           [0.    , 1.1752]])
    """
    a = matrices(A, square=True)
    return (expm(a) - expm(-a)) / 2


def tanhm(A: ArrayLike) -> ndarray:
    """The hyperbolic tangents of square matrices. See `scipy.linalg.tanhm`.

    >>> cp.scipy.linalg.tanhm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[0.7616, 0.    ],
           [0.    , 0.7616]])
    """
    a = matrices(A, square=True)
    return _numpy.solve(coshm(a), sinhm(a))


def expm_frechet(
    A: ArrayLike, E: ArrayLike, method: str | None = None, compute_expm: bool = True, check_finite: bool = True
) -> ndarray | tuple[ndarray, ndarray]:
    """The exponential and its derivative in the direction `E`, from the exponential of a matrix of blocks.

    `method` is checked and otherwise ignored.

    Parameters
    ----------
    A : array_like
        The matrix, or a stack of them in the last two axes.
    E : array_like
        The direction.
    method : str, optional
        How it is computed.
    compute_expm : bool
        Whether the exponential is returned too.
    check_finite : bool
        Whether operands with infinities or NaN are a `ValueError`, which waits for the device.

    Returns
    -------
    ndarray or tuple of ndarray

    See Also
    --------
    scipy.linalg.expm_frechet : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.linalg.expm_frechet(cp.asarray([[2.0, 1.0], [1.0, 3.0]]), cp.eye(2))[0].shape
    (2, 2)
    """
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(f"Unknown implementation {method}")
    a, direction = matrices(A, check_finite, square=True), matrices(E, check_finite, square=True, name="E")
    if a.shape[-2:] != direction.shape[-2:]:
        raise ValueError("expected A and E to be the same shape")
    n = a.shape[-1]
    stack = _core.broadcast_shapes(a.shape[:-2], direction.shape[:-2])
    blocks = _core.zeros((*stack, 2 * n, 2 * n), np.result_type(a.dtype, direction.dtype))
    blocks[..., :n, :n] = blocks[..., n:, n:] = a
    blocks[..., :n, n:] = direction
    whole = expm(blocks)
    derivative = whole[..., :n, n:].copy()
    return (whole[..., :n, :n].copy(), derivative) if compute_expm else derivative


def expm_cond(A: ArrayLike, check_finite: bool = True) -> ndarray:
    """The condition number of the exponential in the Frobenius norm, from its derivative in every direction.

    Takes memory like the fourth power of the size.

    Parameters
    ----------
    A : array_like
        The matrix.
    check_finite : bool
        Whether operands with infinities or NaN are a `ValueError`, which waits for the device.

    Returns
    -------
    ndarray

    See Also
    --------
    scipy.linalg.expm_cond : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.linalg.expm_cond(cp.asarray([[2.0, 1.0], [1.0, 3.0]])) > 1
    array(True)
    """
    a = matrices(A, check_finite, square=True)
    n = a.shape[-1]
    directions = identity(_core.empty((n * n, n * n), a.dtype)).reshape(n * n, n, n)
    value, derivatives = expm_frechet(a[..., None, :, :], directions, check_finite=False)
    kernel = derivatives.reshape(*derivatives.shape[:-2], n * n)
    largest = _numpy.svdvals(kernel)[..., 0]
    norm_a, norm_x = (_core.reduce("norm", m, (-2, -1)) for m in (a, value[..., 0, :, :]))
    return largest * norm_a / norm_x


__all__ = [
    "coshm",
    "cosm",
    "expm",
    "expm_cond",
    "expm_frechet",
    "fractional_matrix_power",
    "funm",
    "logm",
    "signm",
    "sinhm",
    "sinm",
    "sqrtm",
    "tanhm",
    "tanm",
]
