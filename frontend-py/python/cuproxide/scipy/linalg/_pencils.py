"""The generalised Schur form of two matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, diag, eye, stack, triu
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array
from ..._typing import ArrayLike
from ._common import adjoint, complain, computed, epsilon, finite, is_complex, to_complex, ufuncs
from ._deflation import MOST_STEPS, deflated, exponent, limit_of, ranks, turned, unit_norm
from ._orthogonal import rq, svd
from ._schur import blocks_of, moved_up

_absolute = ufuncs["absolute"]


def qz(
    A: ArrayLike,
    B: ArrayLike,
    output: str = "real",
    lwork: int | None = None,
    sort: None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """`aa`, `bb` and unitary `q`, `z` of `A = q @ aa @ z.conj().T` and `B = q @ bb @ z.conj().T`, both triangular.

    Of real matrices `aa` has blocks of two rows for pairs of complex eigenvalues, unless `output` is "complex". The
    diagonal of `bb` is real and not negative. Infinite eigenvalues are deflated first: singular values of `B` up to
    `n * eps` of its norm are zeros. The rest is the Schur form of a quotient of two combinations of `A` and `B`, chosen
    so that its norm is small.

    Parameters
    ----------
    A : array_like
        The matrix, or a stack of them in the last two axes.
    overwrite_a, overwrite_b : bool
        Taken for compatibility; the input is never overwritten.

    Returns
    -------
    tuple of ndarray

    >>> a, b = cp.array([[1.0, 2], [3, 4]]), cp.array([[2.0, 0], [1, 5]])
    >>> aa, bb, q, z = linalg.qz(a, b)
    >>> bool(cp.allclose(q @ aa @ z.T, a) and cp.allclose(q @ bb @ z.T, b))
    True
    """
    if sort is not None:
        raise ValueError("The 'sort' input of qz() has to be None. Use ordqz instead.")
    return _each(A, B, output, check_finite, None)[:4]


def ordqz(
    A: ArrayLike,
    B: ArrayLike,
    sort: str | Callable[[Any, Any], Any] = "lhp",
    output: str = "real",
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray, ndarray, ndarray, ndarray, ndarray]:
    """`aa`, `bb`, `alpha`, `beta`, `q`, `z` of `qz`, with chosen eigenvalues `alpha / beta` first.

    `sort` is a half plane ("lhp", "rhp"), the inside or outside of the unit circle ("iuc", "ouc"), or a function of
    NumPy arrays `alpha` and `beta` that tells which to choose. The host steers sorting.

    Parameters
    ----------
    overwrite_a, overwrite_b : bool
        Taken for compatibility; the input is never overwritten.

    Returns
    -------
    tuple of ndarray

    >>> a, b = cp.array([[1.0, 2], [3, 4]]), cp.eye(2)
    >>> aa, bb, alpha, beta, q, z = linalg.ordqz(a, b, sort="rhp")
    >>> (alpha / beta).real > 0
    array([ True, False])
    """
    if not callable(sort) and sort not in _SORTS:
        raise ValueError("sort parameter must be None, a callable, or one of ('lhp','rhp','iuc','ouc')")
    aa, bb, q, z, alpha, beta = _each(A, B, output, check_finite, sort if callable(sort) else _SORTS[sort])
    return aa, bb, alpha, beta, q, z


def _quotient(alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Eigenvalues; NaN for those at infinity."""
    with np.errstate(all="ignore"):
        return alpha / np.where(beta == 0, np.nan, beta)


_SORTS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "lhp": lambda alpha, beta: _quotient(alpha, beta).real < 0,
    "rhp": lambda alpha, beta: _quotient(alpha, beta).real > 0,
    "iuc": lambda alpha, beta: abs(_quotient(alpha, beta)) < 1,
    "ouc": lambda alpha, beta: np.where(beta == 0, alpha != 0, abs(_quotient(alpha, beta)) > 1),
}


def _each(A: ArrayLike, B: ArrayLike, output: str, check_finite: bool, choose: Callable | None) -> tuple:
    """The forms of a stack of pencils, one after another."""
    if output not in ("real", "complex", "r", "c"):
        raise ValueError("argument must be 'real', or 'complex'")
    a, b = (finite(as_array(x), check_finite) for x in (A, B))
    if a.ndim < 2 or b.ndim < 2 or len({*a.shape[-2:], *b.shape[-2:]}) != 1:
        raise ValueError("Array dimensions must be square and agree")
    dtype = computed(a, b)
    a, b = (x.astype(dtype, copy=False) for x in (a, b))
    if output in ("complex", "c"):
        a, b = to_complex(a), to_complex(b)
    shape = _core.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if not shape:
        return _form(a, b, choose)
    n = a.shape[-1]
    a, b = (_core.broadcast_to(x, (*shape, n, n)).reshape(-1, n, n) for x in (a, b))
    found = zip(*(_form(a[i], b[i], choose) for i in range(a.shape[0])), strict=True)
    return tuple(stack(list(part)).reshape(*shape, *part[0].shape) for part in found)


def _form(a: ndarray, b: ndarray, choose: Callable | None) -> tuple[ndarray, ...]:
    """`aa`, `bb`, `q`, `z`, `alpha`, `beta` of one pencil."""
    if a.shape[0] == 0:
        nothing = _core.empty((0,), to_complex(a).dtype)
        return a, b, a, a, nothing, _core.empty((0,), a.dtype)
    # Powers of two, so that no norm overflows.
    exponents = [exponent(x, (-1, -2)) for x in (a, b)]
    a, b = (x * ufuncs["exp2"](-power) for x, power in zip((a, b), exponents, strict=True))
    scales = [ufuncs["exp2"](power) for power in exponents]

    chosen: Any = choose

    def choose_scaled(alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
        return chosen(*(x * float(scale.item()) for x, scale in zip((alpha, beta), scales, strict=True)))

    limits = limit_of(a), limit_of(b)
    aa, bb, q, z, starts = _staircase(a, b, None if choose is None else choose_scaled, limits, MOST_STEPS)
    alpha, beta = _values(aa, bb, starts)
    return aa * scales[0], bb * scales[1], q, z, alpha * scales[0][0], beta * scales[1][0]


def _staircase(
    a: ndarray, b: ndarray, choose: Callable | None, limits: tuple[ndarray, ndarray], steps: int
) -> tuple[ndarray, ndarray, ndarray, ndarray, np.ndarray]:
    """`aa`, `bb`, `q`, `z` and the first rows of blocks of two; eigenvalues at infinity before or after the others."""
    n = a.shape[0]
    left, right, found = ranks(b, limits[1])
    rank = int(found)
    k = n - rank
    if k == 0 or steps == 0:
        return _regular_form(a, b, choose)
    before = choose is None or bool(np.all(choose(np.ones(1, np.complex128), np.zeros(1))))
    if before:
        q, z, values = deflated(a, right, rank, limits[0])
        infinite, rest = slice(0, k), slice(k, n)
    else:
        # The adjoint pencil begins with what this one ends with.
        z, q, values = deflated(adjoint(a), left, rank, limits[0])
        q, z = (concatenate([x[:, k:], x[:, :k]], axis=-1) for x in (q, z))
        infinite, rest = slice(rank, n), slice(0, rank)
    aa, bb = (_core.matmul(_core.matmul(adjoint(q), x), z) for x in (a, b))
    aa[infinite, infinite] = diag(values).astype(a.dtype)
    aa[(rest, infinite) if before else (infinite, rest)] = 0
    bb[(slice(None), infinite) if before else (infinite, slice(None))] = 0
    if rank == 0:
        return aa, bb, q, z, np.zeros(0, np.int64)
    aa[rest, rest], bb[rest, rest], qr, zr, starts = _staircase(
        aa[rest, rest], bb[rest, rest], choose, limits, steps - 1
    )
    for x in (aa, bb):
        if before:
            x[infinite, rest] = _core.matmul(x[infinite, rest], zr)
        else:
            x[rest, infinite] = _core.matmul(adjoint(qr), x[rest, infinite])
    q[:, rest], z[:, rest] = _core.matmul(q[:, rest], qr), _core.matmul(z[:, rest], zr)
    return aa, bb, q, z, starts + rest.start


def _regular_form(
    a: ndarray, b: ndarray, choose: Callable | None
) -> tuple[ndarray, ndarray, ndarray, ndarray, np.ndarray]:
    """The form of a pencil with a regular `b`."""
    n = a.shape[0]
    units, norms = zip(*(unit_norm(x) for x in (a, b)), strict=True)
    # The quotient's Schur form is q @ t @ q', and with q' @ lower = r @ z' it is t @ r that stands for the other one.
    cosine, sine, lower, quotient = turned(units[0], units[1], True)
    t, q, info = _core.unitary_form(quotient, True)
    complain(info != 0, "The QZ iteration failed.")
    blocks = blocks_of(t)
    sizes = [size for _, size, _ in blocks]
    if choose is not None:
        values = np.array([w for _, _, w in blocks], np.complex128)
        c, s, *scales = (float(x.item()) for x in (cosine, sine, *norms))
        # The turn undone, and the scales of both matrices.
        alpha, beta = (c * values - s) * scales[0], (s * values + c) * scales[1]
        tiny = abs(beta) <= n * epsilon(a) * scales[1] * np.maximum(abs(values), 1)
        turn = np.where(tiny, 1, np.exp(-1j * np.angle(beta)))
        beta = np.where(tiny, 0, abs(beta))
        chosen = [bool(wanted) for wanted in np.broadcast_to(choose(alpha * turn, beta), values.shape)]
        t, q, _ = moved_up(t, q, sizes, chosen)
        sizes = [size for _, size, _ in blocks_of(t)]
    _, zh = rq(_core.matmul(adjoint(q), lower), check_finite=False)
    z = adjoint(zh)
    starts = np.cumsum([0, *sizes])[:-1][np.array(sizes) == 2]
    aa, bb = _triangular(a, b, q, z, starts)
    if starts.size:
        q, z = _standardised(bb, q, z, starts)
        aa, bb = _triangular(a, b, q, z, starts)
        bb = _core.where(_pair_mask(n, starts), b.dtype.type(0), bb)
    diagonal = bb.diagonal()
    size = _absolute(diagonal)
    # Next to nothing is nothing: an eigenvalue at infinity.
    none = size <= n * epsilon(a) * norms[1][0]
    phase = _core.where(none, a.dtype.type(1), diagonal / _core.where(none, size.dtype.type(1), size))
    index = _core.arange(0, 1, n, np.int64)
    q, aa, bb = q * phase, phase.conj()[:, None] * aa, phase.conj()[:, None] * bb
    bb[index, index] = _core.where(none, size.dtype.type(0), size).astype(b.dtype)
    return aa, bb, q, z, starts


def _triangular(a: ndarray, b: ndarray, q: ndarray, z: ndarray, starts: np.ndarray) -> tuple[ndarray, ndarray]:
    """Both matrices in the bases, without what rounding leaves below."""
    aa, bb = (_core.matmul(_core.matmul(adjoint(q), x), z) for x in (a, b))
    kept = triu(aa)
    if starts.size:
        first = _core.array(starts)
        kept[first + 1, first] = aa[first + 1, first]
        lower = bb[first + 1, first]
        bb = triu(bb)
        bb[first + 1, first] = lower
        return kept, bb
    return kept, triu(bb)


def _pair_mask(n: int, starts: np.ndarray) -> ndarray:
    """Where blocks of two rows are not on the diagonal."""
    mask = _core.zeros((n, n), np.bool_)
    first = _core.array(starts)
    mask[first + 1, first] = True
    mask[first, first + 1] = True
    return mask


def _standardised(bb: ndarray, q: ndarray, z: ndarray, starts: np.ndarray) -> tuple[ndarray, ndarray]:
    """Bases in which the blocks of two rows of `bb` are diagonal."""
    n = bb.shape[0]
    rows = _core.array(starts[:, None, None] + np.array([[0], [1]]))
    columns = _core.array(starts[:, None, None] + np.array([[0, 1]]))
    left, _, right = svd(bb[rows, columns], check_finite=False)
    turns = []
    for turn in (left, adjoint(right)):
        whole = eye(n, dtype=bb.dtype)
        whole[rows, columns] = turn
        turns.append(whole)
    return _core.matmul(q, turns[0]), _core.matmul(z, turns[1])


def _values(aa: ndarray, bb: ndarray, starts: np.ndarray) -> tuple[ndarray, ndarray]:
    """`alpha` and `beta` from the diagonals, and from the blocks of two rows."""
    alpha, beta = to_complex(aa.diagonal().copy()), bb.diagonal().copy()
    if starts.size and not is_complex(aa.dtype):
        first = _core.array(starts)
        second = first + 1
        one, two = bb[first, first], bb[second, second]
        a11, a12 = aa[first, first] / one, aa[first, second] / two
        a21, a22 = aa[second, first] / one, aa[second, second] / two
        half = (a11 - a22) / 2
        inside = -(half * half + a12 * a21)
        root = ufuncs["sqrt"](_core.where(inside > 0, inside, inside.dtype.type(0)))
        scale = ufuncs["sqrt"](one * two)
        value = (a11 + a22) / 2 + root.astype(alpha.dtype) * alpha.dtype.type(1j)
        alpha[first], alpha[second] = value * scale, value.conj() * scale
        beta[first], beta[second] = scale, scale
    return alpha, beta


__all__ = ["ordqz", "qz"]
