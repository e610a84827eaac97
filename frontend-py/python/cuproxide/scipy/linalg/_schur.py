"""The Hessenberg and Schur forms, their order, and Sylvester's equation, which is solved by them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, empty
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array, counting
from ..._typing import ArrayLike
from ._common import (
    adjoint,
    complain,
    computed,
    epsilon,
    identity,
    is_complex,
    matrices,
    stacked,
    to_complex,
    transposed,
    triangular,
)
from ._orthogonal import qr

__all__ = ["cdf2rdf", "hessenberg", "rsf2csf", "schur"]


def hessenberg(
    a: ArrayLike, calc_q: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> ndarray | tuple[ndarray, ndarray]:
    """`h` of `a = q @ h @ q.conj().T` with zeros below the first subdiagonal, and with `calc_q` the unitary `q`.

    Parameters
    ----------
    calc_q : bool
        Whether the unitary factor is returned too.

    >>> cp.scipy.linalg.hessenberg(cp.ones((3, 3))).shape
    (3, 3)
    """
    h, q, _ = _core.unitary_form(matrices(a, check_finite, square=True), False)
    return (h, q) if calc_q else h


_SORTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "lhp": lambda w: w.real < 0,
    "rhp": lambda w: w.real >= 0,
    "iuc": lambda w: abs(w) <= 1,
    "ouc": lambda w: abs(w) > 1,
}


def schur(
    a: ArrayLike,
    output: str = "real",
    lwork: int | None = None,
    overwrite_a: bool = False,
    sort: str | Callable[..., bool] | None = None,
    check_finite: bool = True,
) -> tuple:
    """`t` and unitary `z` of `a = z @ t @ z.conj().T`, with `t` upper triangular.

    Of real matrices `t` is real with blocks of two rows for pairs of complex eigenvalues, unless `output` is "complex".
    `sort` brings eigenvalues to the top: those of a half plane ("lhp", "rhp"), inside or outside of the unit circle
    ("iuc", "ouc"), or for which a function says so; then their number is returned too. Sorting is steered by the
    host, a matrix at a time.

    Returns
    -------
    tuple of ndarray

    >>> t, z = cp.scipy.linalg.schur(cp.asarray([[2.0, 1.0], [1.0, 3.0]]))
    >>> bool(cp.allclose(z @ t @ z.T, cp.asarray([[2.0, 1.0], [1.0, 3.0]])))
    True
    """
    if output not in ("real", "complex", "r", "c"):
        raise ValueError("argument must be 'real', or 'complex'")
    a = matrices(a, check_finite, square=True)
    if output in ("complex", "c"):
        a = to_complex(a)
    t, z, info = _core.unitary_form(a, True)
    complain(info != 0, "Schur form not found. Possibly ill-conditioned.")
    if sort is None:
        return t, z
    if not callable(sort) and sort not in _SORTS:
        raise ValueError("'sort' parameter must either be 'None', or a callable, or one of ('lhp','rhp','iuc','ouc')")
    if t.ndim > 2:
        raise ValueError("sorted Schur forms are made one matrix at a time")
    return _sorted(t, z, sort)


def blocks_of(t: ndarray) -> list[tuple[int, int, complex]]:
    """First row, size and an eigenvalue of each block, on the host."""
    n = t.shape[-1]
    diagonal = _core.asnumpy(t.diagonal())
    below, above = (_core.asnumpy(t.diagonal(k)) for k in (-1, 1))
    found, k = [], 0
    while k < n:
        pair = k + 1 < n and below[k] != 0
        value = complex(diagonal[k])
        if pair:
            value += 1j * abs(complex(above[k] * below[k])) ** 0.5
        found.append((k, 2 if pair else 1, value))
        k += 2 if pair else 1
    return found


def _sorted(t: ndarray, z: ndarray, sort: str | Callable[..., bool]) -> tuple[ndarray, ndarray, int]:
    """Chosen blocks moved to the top, by exchanging neighbours."""
    blocks = blocks_of(t)
    if callable(sort):
        real = not is_complex(t.dtype)
        chosen = [bool(sort(w.real, w.imag) if real else sort(w)) for _, _, w in blocks]
    else:
        chosen = [bool(_SORTS[sort](np.complex128(w))) for _, _, w in blocks]
    return moved_up(t, z, [size for _, size, _ in blocks], chosen)


def moved_up(t: ndarray, z: ndarray, sizes: list[int], chosen: list[bool]) -> tuple[ndarray, ndarray, int]:
    """The Schur form with the blocks that are chosen at the top, and the number of their rows."""
    t, z = t.copy(), z.copy()
    for target in range(len(sizes)):
        if True not in chosen[target:]:
            break
        source = chosen.index(True, target)
        for k in range(source, target, -1):
            start = sum(sizes[: k - 1])
            t, z = _exchange(t, z, start, sizes[k - 1], sizes[k])
            sizes[k - 1], sizes[k] = sizes[k], sizes[k - 1]
            chosen[k - 1], chosen[k] = chosen[k], chosen[k - 1]
    return t, z, sum(size for size, wanted in zip(sizes, chosen, strict=True) if wanted)


def _exchange(t: ndarray, z: ndarray, start: int, p: int, q: int) -> tuple[ndarray, ndarray]:
    """Neighbouring blocks of `p` and `q` rows exchanged: the second one's subspace comes first (Bai, Demmel, 1993)."""
    middle, end = start + p, start + p + q
    x = solve_sylvester(t[start:middle, start:middle], -t[middle:end, middle:end], -t[start:middle, middle:end])
    basis = _core.zeros((p + q, q), t.dtype)
    basis[:p], basis[p:] = x, identity(basis[:q])
    turn = qr(basis, mode="full", check_finite=False)[0]
    t, z = _turned(t, z, start, turn)
    t[start + q : end, start : start + q] = 0
    for first, size in ((start, q), (start + q, p)):
        if size == 2:
            # Back to the standard form of a pair.
            block, turn, _ = _core.unitary_form(t[first : first + 2, first : first + 2].copy(), True)
            t, z = _turned(t, z, first, turn)
            t[first : first + 2, first : first + 2] = block
    return t, z


def _turned(t: ndarray, z: ndarray, start: int, turn: ndarray) -> tuple[ndarray, ndarray]:
    rows = slice(start, start + turn.shape[0])
    t[rows] = _core.matmul(adjoint(turn), t[rows])
    t[:, rows] = _core.matmul(t[:, rows], turn)
    z[:, rows] = _core.matmul(z[:, rows], turn)
    return t, z


def rsf2csf(T: ArrayLike, Z: ArrayLike, check_finite: bool = True) -> tuple[ndarray, ndarray]:
    """The complex Schur form from a real one.

    Parameters
    ----------
    T : array_like
        The triangular factor of the Schur form.
    Z : array_like
        The unitary factor of the Schur form.

    >>> cp.scipy.linalg.rsf2csf(*cp.scipy.linalg.schur(cp.asarray([[0.0, 1.0], [-1.0, 0.0]])))[0].dtype
    dtype('complex128')
    """
    t, z = matrices(T, check_finite, square=True, name="T"), matrices(Z, check_finite, square=True, name="Z")
    if t.shape[-2:] != z.shape[-2:]:
        raise ValueError(f"Input array shapes must match: Z: {z.shape[-2:]} vs. T: {t.shape[-2:]}")
    t, z = stacked(t, z)
    form, basis, info = _core.unitary_form(to_complex(t), True)
    complain(info != 0, "Schur form not found. Possibly ill-conditioned.")
    return form, _core.matmul(to_complex(z), basis)


def cdf2rdf(w: ArrayLike, v: ArrayLike) -> tuple[ndarray, ndarray]:
    """Real block-diagonal values and real vectors from complex eigenvalues in conjugate pairs and their vectors.

    Parameters
    ----------
    w : array_like
        The eigenvalues.
    v : array_like
        The eigenvectors.

    Raises
    ------
    ValueError
        For values without a partner.

    >>> values, vectors = cp.linalg.eig(cp.asarray([[0.0, 1.0], [-1.0, 0.0]]))
    >>> cp.scipy.linalg.cdf2rdf(values, vectors)[0].shape
    (2, 2)
    """
    w, v = as_array(w), as_array(v)
    if w.ndim < 1:
        raise ValueError("expected w to be at least 1D")
    if v.ndim < 2:
        raise ValueError("expected v to be at least 2D")
    if v.ndim != w.ndim + 1:
        raise ValueError(f"expected v to have one dimension more than w, got {v.ndim} and {w.ndim}")
    n = w.shape[-1]
    if v.shape[-1] != n or v.shape[-2] != n:
        raise ValueError("expected v to be a square matrix or a stack of square matrices, of the size of w")
    w, v = to_complex(w), to_complex(v)
    positive, negative = w.imag > 0, w.imag < 0
    paired = (positive[..., :-1] == negative[..., 1:]).all() & ~negative[..., :1].any() & ~positive[..., -1:].any()
    paired = (
        paired & (w[..., :-1][positive[..., :-1]] == w[..., 1:][negative[..., 1:]].conj()).all() if n > 1 else paired
    )
    if n and not bool(paired):
        raise ValueError("expected complex-conjugate pairs of eigenvalues")
    values = _core.zeros((*w.shape, n), w.real.dtype)
    index = counting(n)
    values[..., index, index] = w.real
    if n > 1:
        zero = w.real.dtype.type(0)
        upper = _core.where(positive[..., :-1], w.imag[..., :-1], zero)
        values[..., index[:-1], index[1:]] = upper
        values[..., index[1:], index[:-1]] = -upper
    # Of a pair with the first vector x + iy, the columns are -y and x.
    vectors = v.real.copy()
    if n > 1:
        first = _core.broadcast_to(positive[..., None, :-1], v[..., 1:].shape)
        vectors[..., 1:] = _core.where(first, v.real[..., :-1], v.real[..., 1:])
        vectors[..., :-1] = _core.where(first, -v.imag[..., :-1], vectors[..., :-1])
    return values, vectors


def triangular_sylvester(a: ndarray, b: ndarray, c: ndarray) -> ndarray:
    """`x` of `a @ x + x @ b = c` for upper triangular `a` and `b`, by halves down to single rows or columns."""
    rows, columns = c.shape[-2:]
    if columns == 1:
        return triangular(a + b * identity(a), c, False)
    if rows == 1:
        return transposed(triangular(b + a * identity(b), transposed(c), False, 1))
    if rows >= columns:
        half = columns // 2
        first = triangular_sylvester(a, b[..., :half, :half], c[..., :half])
        rest = c[..., half:] - _core.matmul(first, b[..., :half, half:])
        return concatenate([first, triangular_sylvester(a, b[..., half:, half:], rest)], axis=-1)
    half = rows // 2
    second = triangular_sylvester(a[..., half:, half:], b, c[..., half:, :])
    rest = c[..., :half, :] - _core.matmul(a[..., :half, half:], second)
    return concatenate([triangular_sylvester(a[..., :half, :half], b, rest), second], axis=-2)


def solve_sylvester(a: ArrayLike, b: ArrayLike, q: ArrayLike) -> ndarray:
    """`x` of `a @ x + x @ b = q`, by Schur forms (Bartels and Stewart, 1972).

    Parameters
    ----------
    b : array_like
        The second coefficient.

    Raises
    ------
    LinAlgError
        If an eigenvalue of `a` is that of `-b`, or differs from it by rounding alone: by less than some units of the
        last place of the norms of the matrices that are not upper triangular.

    >>> cp.scipy.linalg.solve_sylvester(cp.eye(2), cp.eye(2), cp.eye(2)).round(6)
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    a, b = matrices(a, True, square=True), matrices(b, True, square=True, name="b")
    q = matrices(q, True, name="q")
    if q.shape[-2:] != (a.shape[-1], b.shape[-1]):
        raise ValueError(f"q has the shape {q.shape}, expected {(a.shape[-1], b.shape[-1])} in the last axes")
    dtype = computed(a, b, q)
    a, b, q = (m.astype(dtype, copy=False) for m in (a, b, q))
    if q.size == 0:
        return empty((*np.broadcast_shapes(*(m.shape[:-2] for m in (a, b, q))), *q.shape[-2:]), dtype)
    (r, u), (s, v) = (schur(m, "complex", check_finite=False) for m in (a, b))
    rounding = epsilon(a) * (_schur_error(a, r) + _schur_error(b, s))
    inner = _core.matmul(_core.matmul(adjoint(u), to_complex(q)), v)
    r, inner = stacked(r, inner)
    s, inner = stacked(s, inner)
    r, inner = stacked(r, inner)
    y = triangular_sylvester(r, s, inner)
    x = _core.matmul(_core.matmul(u, y), adjoint(v))
    # A sum of two eigenvalues below the rounding of the Schur forms leaves no digit.
    left, right = r.diagonal(0, -2, -1)[..., :, None], s.diagonal(0, -2, -1)[..., None, :]
    lost = (x != x).any((-2, -1)) | (abs(left + right).min((-2, -1)) <= rounding)
    complain(lost, "the equation has no unique solution")
    # Where failures are ignored, the other matrices of a stack keep their solutions.
    x = _core.where(lost[..., None, None], float("nan"), x).astype(x.dtype, copy=False)
    return x if is_complex(dtype) else x.real


def _schur_error(a: ndarray, form: ndarray) -> ndarray:
    """The error of eigenvalues in units of the last place: some norms of a matrix, 0 if it is triangular already."""
    size = 4 * abs(a).sum(-1).max(-1)
    return _core.where((form == a).all((-2, -1)), 0, size)
