"""Functions of matrices."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, errstate, stack
from ... import linalg as _numpy
from ..._cuproxide import ndarray
from ..._lib.categories import category
from ..._lib.conversions import counting
from ..._typing import ArrayLike
from ...linalg import matrix_power
from ._common import (
    LinAlgWarning,
    adjoint,
    as_array,
    epsilon,
    identity,
    is_complex,
    matrices,
    to_complex,
    triangular,
    ufuncs,
)  # fmt: skip
from ._exponentials import column_norm, exponentials
from ._parlett import parlett
from ._schur import rsf2csf, schur, triangular_sylvester


def _real_if_close(a: ndarray, result: ndarray) -> ndarray:
    """The real part of a result that should be real, as SciPy decides: `a` is real and no imaginary part counts."""
    if is_complex(a.dtype) or result.size == 0:
        return result
    limit = epsilon(a) * 1e3
    close = ufuncs["absolute"](result.imag).max() <= limit * ufuncs["absolute"](result).max()
    return result.real.copy() if bool(close) else result


def _complex_schur(a: ndarray) -> tuple[ndarray, ndarray]:
    """The complex Schur form, on whose diagonal real eigenvalues of real matrices lie on the real axis, not below it.

    For below the negative axis roots and logarithms have another branch; minus zero lies below, too. Triangles are
    their own form, lower ones backwards: the iteration would round eigenvalues that are tiny next to the rest to 0.
    """
    if is_complex(a.dtype):
        t, z = schur(a, "complex", check_finite=False)
    else:
        t, z = schur(a, "real", check_finite=False)
        t, z = rsf2csf(t, z, check_finite=False)
    index = counting(t.shape[-1])
    below, own = index[:, None] > index, a.astype(t.dtype)
    upper, lower = (~((a != 0) & part).any((-2, -1), None, True) for part in (below, below.T))
    t, z = _core.where(lower, own[..., ::-1, ::-1], t), _core.where(lower, identity(t)[..., ::-1], z)
    t, z = _core.where(upper, own, t), _core.where(upper, identity(t), z)
    if not is_complex(a.dtype):
        t[..., index, index] = t.diagonal(0, -2, -1) + t.dtype.type(0)
    return t, z


def _spectrum(a: ndarray, t: ndarray) -> tuple[bool, bool]:
    """Whether a root or logarithm of `a` with the Schur form `t` is real, and whether any matrix is singular.

    It is real for real matrices with no eigenvalue on the negative axis, however small. One read for both.
    """
    values = t.diagonal(0, -2, -1)
    zero, below = (values == 0).any(), ((values.imag == 0) & (values.real < 0)).any()
    singular, negative = stack([zero, below]).tolist()
    return not is_complex(a.dtype) and not negative, bool(singular)


def _from_triangle(t: ndarray, z: ndarray, real: bool) -> ndarray:
    result = _core.matmul(_core.matmul(z, t), adjoint(z))
    return result.real.copy() if real else result


def _null_parts(a: ndarray, t: ndarray, power: int = 1) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Singular matrices as `regular - size * projector`, with the size and where that failed.

    `projector` belongs to the eigenvalue 0. `regular` has the positive `size` there and the other eigenvalues of `a`,
    so that a function of `a` with the value 0 at 0 is that of `regular` less `f(size) * projector`. It fails where
    0 has longer chains of vectors than `power`.
    """
    values = t.diagonal(0, -2, -1)
    size = ufuncs["absolute"](values).max(-1, None, True)
    size = _core.where(size == 0, size.dtype.type(1), size)
    count = (values == 0).sum(-1, None, None, True)
    u, s, vh = _numpy.svd(matrix_power(a / size[..., None].astype(a.real.dtype), power))
    n = a.shape[-1]
    chosen = counting(n) >= n - count
    failed = (chosen & (s > n * epsilon(a) * ufuncs["maximum"](s.max(-1, None, True), s.dtype.type(1)))).any(-1)
    mask = chosen.astype(a.dtype)
    right, left = adjoint(vh) * mask[..., None, :], u * mask[..., None, :]
    inner = _core.matmul(adjoint(left), right) + identity(a) * (1 - mask)[..., None, :]
    with errstate(linalg="ignore"):
        projector = _core.matmul(right, _numpy.solve(inner, adjoint(left)))
    regular = _core.matmul(a, identity(a) - projector) + size[..., None].astype(a.real.dtype) * projector
    return regular, projector, size[..., None], failed[..., None, None]


def _of_singular(
    function: Callable[[ndarray, ndarray, bool], ndarray], scalar: Callable[[ndarray], ndarray], a: ndarray, t: ndarray,
    power: int, real: bool, name: str,
) -> ndarray:  # fmt: skip
    """A root or a power of a stack with singular matrices, NaN where there is none, and a warning."""
    warnings.warn(
        f"{name}: a matrix is singular. The result might be inaccurate, or NaN where there is none.",
        category(LinAlgWarning),
        stacklevel=3,
    )
    regular, projector, size, failed = _null_parts(a, t, power)
    regular = _core.where(failed, identity(a), regular)
    form, z = _complex_schur(regular)
    result = function(form, z, real) - projector * scalar(size).astype(a.real.dtype)
    return _core.where(failed, result.dtype.type(np.nan), result)


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

    Real matrices have a real result where it is one. A singular matrix, but for a single 0, gives a `LinAlgWarning`; it
    may have no root: the result then holds NaN.
    With `disp=False` the estimate `norm(x @ x - a) / norm(a)` is returned too, for the whole stack.

    Parameters
    ----------
    blocksize : int
        Taken for compatibility.

    >>> cp.scipy.linalg.sqrtm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[1., 0.],
           [0., 1.]])
    """
    a = matrices(A, True, square=True)
    if a.size == 0:
        result = a.copy()
    else:
        t, z = _complex_schur(a)
        real, singular = _spectrum(a, t)
        # The root of one number is exact, also of 0.
        doubtful = singular and a.shape[-1] > 1

        def root(t: ndarray, z: ndarray, real: bool) -> ndarray:
            return _from_triangle(_triangular_root(t), z, real)

        result = _of_singular(root, ufuncs["sqrt"], a, t, 1, real, "sqrtm") if doubtful else root(t, z, real)
    if disp:
        return result
    rest = _core.reduce("norm", _core.matmul(result, result) - a)
    return result, rest / _core.reduce("norm", a)


# Nodes and weights on [0, 1] of the approximant of the logarithm as a sum of fractions.
_NODES, _WEIGHTS = (values.tolist() for values in np.polynomial.legendre.leggauss(7))


def _gaps(values: ndarray, logs: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """Of neighbours on a diagonal: the difference of the logarithms, that of the values, and where they are equal.

    The first has all its digits; the second is 1 where it would be 0.
    """
    first, last, one = values[..., :-1], values[..., 1:], values.dtype.type(1)
    gap, total = last - first, last + first
    difference = logs[..., 1:] - logs[..., :-1]
    ratio = gap / _core.where(total == 0, one, total)
    near = ufuncs["absolute"](ratio) < 0.5
    exact = 2 * ufuncs["arctanh"](_core.where(near, ratio, ratio.dtype.type(0)))
    turns = ufuncs["rint"]((difference.imag - exact.imag) / (2 * math.pi))
    difference = _core.where(near, exact + turns * values.dtype.type(2j * math.pi), difference)
    return difference, _core.where(gap == 0, one, gap), gap == 0


def _rise(share: float, first: ndarray, last: ndarray, difference: ndarray) -> ndarray:
    """The difference of two powers `share`, of the logarithms of their bases and the difference of these."""
    return 2 * ufuncs["exp"](share / 2 * (first + last)) * ufuncs["sinh"](share / 2 * difference)


def _triangular_log(t: ndarray) -> ndarray:
    """The principal logarithm of upper triangular matrices, by roots until they are near 1 (Al-Mohy, Higham 2012)."""
    eye, logs = identity(t), ufuncs["log"](t.diagonal(0, -2, -1))
    # Subnormal matrices lose their digits in products and quotients.
    size, limits = ufuncs["absolute"](t).max((-2, -1), None, True), np.finfo(t.dtype)
    one = size.dtype.type(1)
    t = t * _core.where(size < limits.tiny / limits.eps, one / limits.eps**3, one)
    values = t.diagonal(0, -2, -1)
    # The norm up to which the approximant of degree 7 serves; the diagonal says how many roots it takes at least.
    reach = 0.264
    scaled = ufuncs["log"](values)
    size = float(ufuncs["absolute"](scaled).max())
    count = max(0, math.ceil(math.log2(size / reach))) if 0 < size < math.inf else 0
    root = t
    for _ in range(count):
        root = _triangular_root(root)
    while True:
        x = root - eye
        size = float(column_norm(x).max())
        if size > reach and count < 100:
            # The norm may be large where its powers are small; NaN ends the loop, too.
            square = _core.matmul(x, x)
            pairs = ((2, square), (3, _core.matmul(square, x)), (4, _core.matmul(square, square)))
            d2, d3, d4 = (column_norm(power) ** (1 / order) for order, power in pairs)
            size = float(ufuncs["minimum"](ufuncs["maximum"](d2, d3), ufuncs["maximum"](d3, d4)).max())
        if not size > reach or count >= 100:
            break
        root, count = _triangular_root(root), count + 1
    # Two diagonals of the root less 1, and of the logarithm, are known without cancellation and detour.
    index, share = counting(t.shape[-1]), 0.5**count
    x[..., index, index] = ufuncs["expm1"](share * scaled)
    if t.shape[-1] > 1:
        beside = t.diagonal(1, -2, -1)
        first, last = scaled[..., :-1], scaled[..., 1:]
        difference, gap, same = _gaps(values, scaled)
        # Quotients first: both may be subnormal.
        ratio = beside / _core.where(same, values[..., :-1], gap)
        rise = _core.where(same, share * ufuncs["exp"](share * first), _rise(share, first, last, difference))
        x[..., index[:-1], index[1:]] = ratio * rise
    result = _core.zeros_like(x)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        at, part = (node + 1) / 2, weight / 2
        result = result + part * triangular(eye + at * x, x, False)
    result = result * 2.0**count
    result[..., index, index] = logs
    if t.shape[-1] > 1:
        result[..., index[:-1], index[1:]] = ratio * _core.where(same, difference.dtype.type(1), difference)
    return result


# Eigenvalues below it make a logarithm doubtful; it stands for the eigenvalue 0.
_NEARLY_SINGULAR = 1e-20


def logm(A: ArrayLike, disp: bool = True) -> Any:
    """The principal logarithms of square matrices, by the complex Schur form and roots of it.

    Real matrices have a real result where it is one. Zero eigenvalues of singular matrices are taken for 1e-20, as in
    SciPy, with a `LinAlgWarning`, which smaller eigenvalues give, too. Where the estimate `norm(expm(x) - a) / norm(a)`
    of the error is above 1,000 units of rounding there is a `RuntimeWarning`; with `disp=False` it is returned instead.
    Steered by the host.

    >>> cp.scipy.linalg.logm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[0., 0.],
           [0., 0.]])
    """
    a = matrices(A, True, square=True)
    if a.size == 0:
        return a.copy()
    t, z = _complex_schur(a)
    near = (ufuncs["absolute"](t.diagonal(0, -2, -1)) < _NEARLY_SINGULAR).any()
    real, singular = _spectrum(a, t)
    if singular:
        # SciPy's number for a logarithm that does not exist.
        warnings.warn("The logm input matrix is exactly singular.", category(LinAlgWarning), stacklevel=2)
        index, values = counting(t.shape[-1]), t.diagonal(0, -2, -1)
        t[..., index, index] = _core.where(values == 0, values.dtype.type(_NEARLY_SINGULAR), values)
    result = _from_triangle(_triangular_log(t), z, real)
    # Where no digits are left, the estimate is NaN.
    error = column_norm(exponentials(result)[0] - a) / column_norm(a)
    if not disp:
        return result, error
    worst, near = stack([error.max(), near]).tolist()
    if near and not singular:
        warnings.warn("The logm input matrix may be nearly singular.", category(LinAlgWarning), stacklevel=2)
    if not worst < 1000 * epsilon(a):
        warnings.warn(f"logm result may be inaccurate, approximate err = {worst}", RuntimeWarning, stacklevel=2)
    return result


def fractional_matrix_power(A: ArrayLike, t: float) -> ndarray:
    """Square matrices to a power that need not be whole: the whole part by products, the rest by a logarithm.

    Parameters
    ----------
    t : float
        The exponent.

    >>> cp.scipy.linalg.fractional_matrix_power(cp.asarray([[4.0, 0.0], [0.0, 9.0]]), 0.5).round(6)
    array([[2., 0.],
           [0., 3.]])
    """
    given, whole = as_array(A), math.floor(t)
    a = matrices(given, True, square=True)
    if t == whole:
        # Products of integers are integers.
        return matrix_power(given if given.dtype.kind in "biu" and whole >= 0 else a, int(whole))
    if t - whole > 0.5 and whole < 0:
        whole += 1
    form, z = _complex_schur(a)
    real, singular = _spectrum(a, form)

    def power(form: ndarray, z: ndarray, real: bool) -> ndarray:
        part = _from_triangle(exponentials((t - whole) * _triangular_log(form))[0], z, real)
        if not whole:
            return part
        # Singular matrices to a negative power are NaN, as their logarithm is.
        with errstate(linalg="ignore"):
            return _core.matmul(part, matrix_power(a if t < 0 else _from_triangle(form, z, real), whole))

    if a.shape[-1] == 1 and t > 0:
        # The power of a number loses nothing, and 0 has one.
        return _from_triangle(ufuncs["power"](form, t), z, real)
    if singular and t > 0:
        scalar = lambda size: size**t  # noqa: E731
        return _of_singular(power, scalar, a, form, math.ceil(t), real, "fractional_matrix_power")
    result = power(form, z, real)
    if singular:
        none = (form.diagonal(0, -2, -1) == 0).any(-1)[..., None, None]
        result = _core.where(none, result.dtype.type(np.nan), result)
    return result


def funm(A: ArrayLike, func: Callable[[ndarray], ndarray], disp: bool = True) -> Any:
    """A function of square matrices, by Parlett's recurrence on the complex Schur form.

    `func` takes arrays of numbers. Inaccurate where eigenvalues are close to each other. With `disp=False` an estimate
    of the error is returned too.

    Parameters
    ----------
    func : callable
        The function of arrays of numbers.

    >>> cp.scipy.linalg.funm(cp.asarray([[1.0, 0.0], [0.0, 4.0]]), cp.sqrt).round(6)
    array([[1., 0.],
           [0., 2.]])
    """
    a = matrices(A, True, square=True)
    t, z = _complex_schur(a)
    f, least = parlett(t, to_complex(func(t.diagonal(0, -2, -1).copy())))
    one = t.real.dtype.type(1)
    result = _real_if_close(a, _core.matmul(_core.matmul(z, f), adjoint(z)))
    if disp:
        return result
    spread = column_norm(f - f * identity(f)).max()
    least = one if least is None else _core.where(least == 0, one * epsilon(t), least)
    return result, ufuncs["minimum"](one, ufuncs["maximum"](one * epsilon(t), epsilon(t) / least * spread))


__all__ = [
    "fractional_matrix_power",
    "funm",
    "logm",
    "sqrtm",
]
