"""The cosine-sine decomposition."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from ... import _cuproxide as _core
from ... import concatenate, stack
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array
from ..._typing import ArrayLike
from ._common import adjoint, computed, finite, ufuncs
from ._orthogonal import svd


def cossin(
    X: ArrayLike | Iterable[ArrayLike],
    p: int | None = None,
    q: int | None = None,
    separate: bool = False,
    swap_sign: bool = False,
    compute_u: bool = True,
    compute_vh: bool = True,
) -> tuple[Any, ndarray, Any]:
    """The factors `u`, `cs` and `vh` of a unitary matrix of 2 x 2 blocks, the upper left one `p` x `q`.

    `u` and `vh` are block-diagonal, `cs` holds cosines and sines; with `separate` the parts are returned instead:
    `(u1, u2)`, the angles, `(v1h, v2h)`. The blocks may be given one by one. `X` must be unitary, which is not checked.
    Stacks of matrices are taken.

    Parameters
    ----------
    X : array_like
        The matrix.
    p : optional
        The number of rows of the upper left block.
    q : array_like, optional
        The number of its columns.
    separate : bool
        Whether blocks and angles are returned separately.
    swap_sign : bool
        Whether the signs of the sine blocks are exchanged.
    compute_u : bool
        Whether the left factors are computed.
    compute_vh : bool
        Whether the right factors are computed.

    Returns
    -------
    tuple of ndarray

    >>> q, _ = cp.linalg.qr(cp.arange(16.0).reshape(4, 4) % 7)
    >>> u, cs, vh = linalg.cossin(q, p=2, q=2)
    >>> bool(cp.allclose(u @ cs @ vh, q))
    True
    """
    if p or q:
        p, q = (1 if side is None else operator.index(side) for side in (p, q))
        whole = finite(as_array(X), True)
        if whole.ndim < 2 or whole.shape[-1] != whole.shape[-2]:
            raise ValueError(f"Cosine Sine decomposition only supports square matrices, got {whole.shape[-2:]}")
        m = whole.shape[-1]
        for name, side in (("p", p), ("q", q)):
            if not 0 < side < m:
                raise ValueError(f"invalid {name}={side}, 0<{name}<{m} must hold")
        blocks = [whole[..., :p, :q], whole[..., :p, q:], whole[..., p:, :q], whole[..., p:, q:]]
    elif not isinstance(X, Iterable):
        raise ValueError("When p and q are None, X must be an Iterable containing the subblocks of X")
    else:
        blocks = [finite(as_array(x), True) for x in X]
        if len(blocks) != 4:
            raise ValueError(f"When p and q are None, exactly four arrays should be in X, got {len(blocks)}")
        blocks = [x[None] if x.ndim == 1 else x for x in blocks]
        _check_shapes(blocks)
    dtype = computed(*blocks)
    blocks = [x.astype(dtype, copy=False) for x in blocks]
    decompose = _one_by_one if blocks[0].ndim > 2 else _decompose
    (u1, u2), theta, (v1h, v2h) = decompose(blocks, swap_sign)
    nothing = _core.empty((*theta.shape[:-1], 0, 0), dtype)
    if separate:
        u = (u1, u2) if compute_u else (nothing, nothing)
        return u, theta, (v1h, v2h) if compute_vh else (nothing, nothing)
    cs = _middle(theta, u1.shape[-1], u2.shape[-1], v1h.shape[-1], v2h.shape[-1], swap_sign)
    u = _diagonal(u1, u2) if compute_u else nothing
    return u, cs, _diagonal(v1h, v2h) if compute_vh else nothing


def _check_shapes(blocks: list[ndarray]) -> None:
    x11, x12, x21, x22 = blocks
    (p, q), (mmp, mmq) = x11.shape[-2:], x22.shape[-2:]
    if x12.shape[-2:] != (p, mmq):
        raise ValueError(f"Invalid x12 dimensions: desired {(p, mmq)}, got {x12.shape[-2:]}")
    if x21.shape[-2:] != (mmp, q):
        raise ValueError(f"Invalid x21 dimensions: desired {(mmp, q)}, got {x21.shape[-2:]}")
    if p + mmp != q + mmq:
        raise ValueError(
            "The subblocks have compatible sizes but don't form a square array (instead they form a "
            f"{p + mmp}x{q + mmq} array). This might be due to missing p, q arguments."
        )


def _diagonal(a: ndarray, b: ndarray) -> ndarray:
    """The block-diagonal matrix of two."""
    rows, columns = (a.shape[axis] + b.shape[axis] for axis in (-2, -1))
    joined = _core.zeros((*a.shape[:-2], rows, columns), a.dtype)
    joined[..., : a.shape[-2], : a.shape[-1]] = a
    joined[..., a.shape[-2] :, a.shape[-1] :] = b
    return joined


def _aligned(a: ndarray) -> ndarray:
    """A unitary matrix whose first columns have the directions of those of `a`, which are orthogonal."""
    r, tau = _core.qr_factor(a)
    q = _core.qr_vectors(r, tau, a.shape[0]).copy()
    count = min(a.shape)
    head = r.diagonal()
    size = ufuncs["absolute"](head)
    phase = _core.where(size > 0, head / _core.where(size > 0, size, size.dtype.type(1)), a.dtype.type(1))
    q[:, :count] = q[:, :count] * phase
    return q


def _decompose(blocks: list[ndarray], swap_sign: bool) -> tuple[tuple, ndarray, tuple]:
    """The parts, of one matrix."""
    x11, x12, x21, x22 = blocks
    (p, q), (mmp, mmq) = x11.shape[-2:], x22.shape[-2:]
    r, ones = min(p, q, mmp, mmq), min(p, q) - min(p, q, mmp, mmq)
    # Cosines, descending: first those that are 1 because of the shapes.
    u1, cosines, v1h = svd(x11, check_finite=False)
    v1 = adjoint(v1h)
    # The lower block has orthogonal columns then, and sines for their lengths. Where they are short, cosines next to 1
    # say nothing about them: another decomposition, of short columns alone, sets them right (Van Loan, 1985).
    lower = _core.matmul(x21, v1)
    count = int((cosines > 0.7).sum())
    if count > 1:
        _, _, turn = svd(lower[:, :count], check_finite=False)
        # Short sines first.
        turn = adjoint(turn)[:, ::-1]
        v1 = concatenate([_core.matmul(v1[:, :count], turn), v1[:, count:]], 1)
        upper = _core.matmul(x11, v1[:, :count])
        u1 = _reorthogonal(concatenate([_aligned(upper)[:, :count], u1[:, count:]], 1), count)
    lower = _core.matmul(x21, v1)
    # Long columns first, so that those that are next to zero come out orthogonal.
    turned = _aligned(lower[:, ones:][:, ::-1])
    taken = min(q - ones, mmp)
    u2 = concatenate([turned[:, taken:], turned[:, :taken][:, ::-1]], 1)
    cosine = (ufuncs["conjugate"](u1[:, ones : ones + r]) * _core.matmul(x11, v1)[:, ones : ones + r]).sum(0).real
    first = mmp - taken
    sine = (ufuncs["conjugate"](u2[:, first : first + r]) * lower[:, ones : ones + r]).sum(0).real
    theta = ufuncs["arctan2"](sine, cosine)
    # What is left follows from the rest: rows of the right factor are those of the left product, weighed.
    middle = _middle(theta, p, mmp, q, mmq, False)[:, q:].astype(x11.dtype)
    product = concatenate([_core.matmul(adjoint(u1), x12), _core.matmul(adjoint(u2), x22)], 0)
    v2h = _core.matmul(middle.T, product)
    if swap_sign:
        # -S moves to the lower left when the lower rows and the right columns change sign.
        u2, v2h = -u2, -v2h
    return (u1, u2), theta, (adjoint(v1), v2h)


def _reorthogonal(u: ndarray, count: int) -> ndarray:
    """`u` with its columns from `count` on made orthogonal to those before, which are."""
    if count >= u.shape[1]:
        return u
    head, tail = u[:, :count], u[:, count:]
    for _ in range(2):
        tail = tail - _core.matmul(head, _core.matmul(adjoint(head), tail))
    return concatenate([head, _aligned(tail)[:, : tail.shape[1]]], 1)


def _one_by_one(blocks: list[ndarray], swap_sign: bool) -> tuple[tuple, ndarray, tuple]:
    """A stack: how many columns are short differs from matrix to matrix."""
    shape = blocks[0].shape[:-2]
    flat = [x.reshape(-1, *x.shape[-2:]) for x in blocks]
    found = [_decompose([x[i] for x in flat], swap_sign) for i in range(flat[0].shape[0])]

    def joined(parts: list[ndarray]) -> ndarray:
        return stack(parts).reshape(*shape, *parts[0].shape)

    us, thetas, vs = zip(*found, strict=True)
    return (
        (joined([u[0] for u in us]), joined([u[1] for u in us])),
        joined(list(thetas)),
        (joined([v[0] for v in vs]), joined([v[1] for v in vs])),
    )


def _middle(theta: ndarray, p: int, mmp: int, q: int, mmq: int, swap_sign: bool) -> ndarray:
    """The matrix of cosines and sines."""
    r = theta.shape[-1]
    n11, n12, n21, n22 = (min(pair) - r for pair in ((p, q), (p, mmq), (mmp, q), (mmp, mmq)))
    cs = _core.zeros((*theta.shape[:-1], p + mmp, q + mmq), theta.dtype)
    c, s = ufuncs["cos"](theta), ufuncs["sin"](theta)
    minus = -1 if swap_sign else 1

    def put(row: int, column: int, length: int, values: Any) -> None:
        index = _core.arange(0, 1, length, "int64")
        cs[..., row + index, column + index] = values

    put(0, 0, n11, 1)
    put(n11, n11, r, c)
    put(n11, q + n22, r, -minus * s)
    put(n11 + r, q + n22 + r, n12, -minus)
    put(p, q, n22, 1)
    put(p + n22, n11, r, minus * s)
    put(p + n22, q + n22, r, c)
    put(p + n22 + r, n11 + r, n21, minus)
    return cs


__all__ = ["cossin"]
