"""QR decompositions of matrices that have changed: by products of low rank, rows or columns."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from ... import _cuproxide as _core
from ... import concatenate, eye, triu
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array
from ..._typing import ArrayLike
from ._common import LinAlgError, adjoint, computed, epsilon, finite
from ._orthogonal import svdvals


def _given(Q: ArrayLike, R: ArrayLike, *more: ArrayLike, check_finite: bool) -> tuple[ndarray, ...]:
    """Factors and what changes them, in one type; `ValueError` for what does not fit together."""
    given = [as_array(a) for a in (Q, R, *more)]
    q, r = given[:2]
    for name, a in (("Q", q), ("R", r)):
        if a.ndim < 2:
            raise ValueError(f"{name} must be a matrix, got {a.ndim} dimensions")
    if q.dtype != r.dtype:
        raise ValueError("Q and R must have the same dtype")
    (m, inner), (height, n) = q.shape[-2:], r.shape[-2:]
    if m < inner or inner != height or m > inner != n:
        raise ValueError(f"Q {q.shape} and R {r.shape} are neither a full nor an economic decomposition")
    if q.size == 0 or r.size == 0:
        raise ValueError("one of the input arrays is empty")
    dtype = computed(*given)
    return tuple(finite(a, check_finite).astype(dtype, copy=False) for a in given)


def _position(k: int, length: int, last: int) -> int:
    k = operator.index(k)
    if not -length <= k <= last:
        raise ValueError("'k' is out of bounds")
    return k + length if k < 0 else k


def _factored(a: ndarray, complete: bool) -> tuple[ndarray, ndarray]:
    """Householder QR; the unitary factor is orthonormal to working precision whatever the rank of `a` is."""
    reflections, tau = _core.qr_factor(a)
    count = a.shape[-2] if complete else min(a.shape[-2:])
    return _core.qr_vectors(reflections, tau, count), triu(reflections)[..., :count, :]


def _joined(parts: Sequence[ndarray], axis: int) -> ndarray:
    """Matrices of stacks side by side (axis -1) or below each other (axis -2)."""
    outer = _core.broadcast_shapes(*(part.shape[:-2] for part in parts))
    return concatenate([_core.broadcast_to(part, (*outer, *part.shape[-2:])) for part in parts], axis)


def _restored(q: ndarray, r: ndarray, start: int = 0, stop: int | None = None) -> tuple[ndarray, ndarray]:
    """`q` and a triangular factor with the product `q @ r`, where only rows from `start` to `stop` of `r` are not."""
    height, n = r.shape[-2:]
    stop = height if stop is None else min(stop, height)
    if start >= min(stop, n):
        return q, triu(r)
    turn, corner = _factored(r[..., start:stop, start:], True)
    # The change may be a stack where the factors are one matrix.
    q, r = _core.broadcast_to(q, (*turn.shape[:-2], *q.shape[-2:])).copy(), r.copy()
    q[..., start:stop] = _core.matmul(q[..., start:stop], turn)
    r[..., start:stop, start:] = corner
    return q, triu(r)


def _widened(q: ndarray, more: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """An orthonormal basis for the columns of both, and what it must be multiplied by to give each."""
    basis, factor = _factored(_joined([q, more], -1), False)
    return basis, factor[..., : q.shape[-1]], factor[..., q.shape[-1] :]


def qr_update(
    Q: ArrayLike,
    R: ArrayLike,
    u: ArrayLike,
    v: ArrayLike,
    overwrite_qruv: bool = False,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray]:
    """The decomposition of `Q @ R + u @ v.conj().T`, full or economic as the one given.

    `u` and `v` are vectors or as many columns.

    Parameters
    ----------
    v : array_like
        The second factor of the change.
    overwrite_qruv : bool
        Taken for compatibility; the input is never overwritten.

    >>> a = cp.array([[3.0, 1], [2, 5], [1, 7]])
    >>> q, r = linalg.qr(a)
    >>> u, v = cp.array([1.0, 0, 2]), cp.array([1.0, 3])
    >>> q1, r1 = linalg.qr_update(q, r, u, v)
    >>> bool(cp.allclose(q1 @ r1, a + cp.outer(u, v)))
    True
    """
    q, r, u, v = _given(Q, R, u, v, check_finite=check_finite)
    if u.ndim == 0 or v.ndim == 0 or (u.ndim == 1) != (v.ndim == 1):
        raise ValueError("u and v must have the same number of dimensions, 1 or 2")
    u, v = (a[:, None] if a.ndim == 1 else a for a in (u, v))
    if u.shape[-2] != q.shape[-2]:
        raise ValueError("u.shape[0] must equal Q.shape[0]")
    if v.shape[-2] != r.shape[-1]:
        raise ValueError("v.shape[0] must equal R.shape[1]")
    if u.shape[-1] != v.shape[-1]:
        raise ValueError("Second dimension of u and v must be the same")
    if q.shape[-2] == q.shape[-1]:
        return _restored(q, r + _core.matmul(_core.matmul(adjoint(q), u), adjoint(v)))
    basis, left, right = _widened(q, u)
    turn, upper = _factored(_core.matmul(left, r) + _core.matmul(right, adjoint(v)), False)
    return _core.matmul(basis, turn), upper


def qr_insert(
    Q: ArrayLike,
    R: ArrayLike,
    u: ArrayLike,
    k: int,
    which: str = "row",
    rcond: float | None = None,
    overwrite_qru: bool = False,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray]:
    """The decomposition of `Q @ R` with rows or columns `u` inserted before row or column `k`.

    Columns that lie in the span of an economic `Q`, to within `rcond`, are a `LinAlgError`. By default `rcond` is M
    times the machine epsilon (SciPy's is the epsilon itself).

    Parameters
    ----------
    k : int
        The row or column before which to insert.
    overwrite_qru : bool
        Taken for compatibility; the input is never overwritten.

    >>> a = cp.array([[3.0, 1], [2, 5], [1, 7]])
    >>> q, r = linalg.qr(a)
    >>> q1, r1 = linalg.qr_insert(q, r, cp.array([4.0, 4]), 1)
    >>> cp.round(q1 @ r1, 3)
    array([[3., 1.],
           [4., 4.],
           [2., 5.],
           [1., 7.]])
    """
    if which not in ("row", "col"):
        raise ValueError("'which' must be either 'row' or 'col'")
    q, r, u = _given(Q, R, u, check_finite=check_finite)
    (m, inner), n = q.shape[-2:], r.shape[-1]
    if which == "row":
        k = _position(k, m, m)
        rows = u[None, :] if u.ndim == 1 else u
        if rows.ndim < 2 or rows.shape[-1] != n:
            raise ValueError(f"'u' should be either (N,) or (p,N) when inserting rows. Found {u.shape}.")
        p = rows.shape[-2]
        wide = _core.zeros((*q.shape[:-2], m + p, inner + p), q.dtype)
        wide[..., :k, :inner], wide[..., k + p :, :inner] = q[..., :k, :], q[..., k:, :]
        wide[..., k : k + p, inner:] = eye(p, dtype=q.dtype)
        factor = _joined([r, rows], -2)
        if m == inner:
            return _restored(wide, factor)
        turn, upper = _factored(factor, False)
        return _core.matmul(wide, turn), upper
    k = _position(k, n, n)
    columns = u[:, None] if u.ndim == 1 else u
    if columns.ndim < 2 or columns.shape[-2] != m:
        raise ValueError(f"'u' should be either (M,) or (M,p) when inserting columns. Found {u.shape}.")
    if m == inner:
        inserted = _core.matmul(adjoint(q), columns)
    else:
        # The smallest singular value itself is only known to so much.
        _refuse_dependent(q, columns, m * epsilon(q) if rcond is None else rcond)
        q, left, inserted = _widened(q, columns)
        r = _core.matmul(left, r)
    return _restored(q, _joined([r[..., :k], inserted, r[..., k:]], -1), k)


def _refuse_dependent(q: ndarray, columns: ndarray, rcond: float) -> None:
    """`LinAlgError` if a basis with one more column, of length 1, is singular to within `rcond`. Waits."""
    lengths = _core.reduce("norm", columns, (-2,), None, None, True)
    units = columns / _core.where(lengths == 0, lengths.dtype.type(1), lengths)
    for j in range(min(units.shape[-1], q.shape[-2] - q.shape[-1])):
        wide = _joined([q, units[..., j : j + 1]], -1)
        values = svdvals(wide, check_finite=False)
        q, found = _factored(wide, False)[0], float((values[..., -1] / values[..., 0]).min())
        if found < rcond:
            raise LinAlgError(
                "One of the columns of u lies in the span of Q. Found reciprocal condition number of "
                f"{found} for Q augmented with u/||u||."
            )


def qr_delete(
    Q: ArrayLike,
    R: ArrayLike,
    k: int,
    p: int = 1,
    which: str = "row",
    overwrite_qr: bool = False,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray]:
    """The decomposition of `Q @ R` without `p` rows or columns from `k` on.

    Parameters
    ----------
    k : int
        The first row or column.
    p : int
        Their number.
    overwrite_qr : bool
        Taken for compatibility; the input is never overwritten.

    >>> a = cp.array([[3.0, 1], [2, 5], [1, 7]])
    >>> q, r = linalg.qr(a)
    >>> q1, r1 = linalg.qr_delete(q, r, 1)
    >>> cp.round(q1 @ r1, 3)
    array([[3., 1.],
           [1., 7.]])
    """
    if which not in ("row", "col"):
        raise ValueError("'which' must be either 'row' or 'col'")
    q, r = _given(Q, R, check_finite=check_finite)
    (m, inner), n = q.shape[-2:], r.shape[-1]
    length = m if which == "row" else n
    k, p = _position(k, length, length - 1), operator.index(p)
    if p <= 0 or k + p > length:
        raise ValueError("'p' is out of range")
    if which == "col":
        q, r = _restored(q, _joined([r[..., :k], r[..., k + p :]], -1), k, max(n, 1))
        return (q, r) if m == inner else (q[..., : n - p], r[..., : n - p, :])
    if m > inner:
        # The deleted rows join the basis, so that they can be turned into rows of the identity.
        units = _core.zeros((m, p), q.dtype)
        units[k : k + p] = eye(p, dtype=q.dtype)
        q, left, _ = _widened(q, units)
        r = _core.matmul(left, r)
    turn, _ = _factored(adjoint(q[..., k : k + p, :]), True)
    q, r = _core.matmul(q, turn), _core.matmul(adjoint(turn), r)
    return _restored(_joined([q[..., :k, p:], q[..., k + p :, p:]], -2), r[..., p:, :])


__all__ = ["qr_delete", "qr_insert", "qr_update"]
