"""Eigenvalues of pencils `a - w b`: deflation of those at infinity, then those of a quotient.

A null vector of `b` is an eigenvector at infinity. Unitary bases that begin with the null space of `b` and its image
under `a` make both matrices block triangular, and the trailing blocks are a pencil without these eigenvalues, which may
have more of them (the staircase algorithm; Van Dooren, 1979). It ends with a regular `b`, also for singular pencils.
"""

from __future__ import annotations

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, errstate, stack, take_along_axis
from ... import linalg as _numpy
from ..._cuproxide import ndarray
from ._common import adjoint, complain, epsilon, to_complex, ufuncs
from ._orthogonal import svd

# Turns of the pencil that are tried; the first leaves it as it is.
TURNS = (0.0, 0.6, 1.2, 1.9, 2.6)
# Steps of the deflation: the length of the longest chain of vectors at infinity that is resolved.
MOST_STEPS = 200

_absolute, _exp2, _floor, _log2 = (ufuncs[name] for name in ("absolute", "exp2", "floor", "log2"))


def limit_of(a: ndarray) -> ndarray:
    """`n eps` of the norm: what is negligible in a matrix."""
    norm = _core.reduce("norm", a, (-2, -1))
    return norm * norm.dtype.type(a.shape[-1] * epsilon(a))


def ranks(b: ndarray, limit: ndarray) -> tuple[ndarray, ndarray, np.ndarray]:
    """Left and right singular vectors, as columns, and on the host the numbers of singular values above the limit."""
    left, values, right = svd(b, check_finite=False)
    return left, adjoint(right), _core.asnumpy((values > limit[..., None]).sum(-1))


def deflated(a: ndarray, right: ndarray, rank: int, limit: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """Unitary `q`, `z`, and the diagonal of the leading block of `q' a z`, where that of `q' b z` is zero.

    `right` are right singular vectors of `b`, those of the null space after the first `rank` columns. A value up to
    the limit is a zero: a common null vector of both matrices, the eigenvalue 0 / 0 of a singular pencil.
    """
    null = right[..., rank:]
    q, values, turn = svd(_core.matmul(a, null), check_finite=False)
    values = _core.where(values > limit[..., None], values, values.dtype.type(0))
    return q, concatenate([_core.matmul(null, adjoint(turn)), right[..., :rank]], axis=-1), values


def turned(a: ndarray, b: ndarray, before: bool) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """The cosine and sine of a turn, `lower = c b - s a`, and the quotient of `upper = c a + s b` by it.

    The quotient is `inv(lower) @ upper`, or with `before` `upper @ inv(lower)`. Its backward error in the pencil is
    `eps` times both norms, so that turn is taken for which their product is least.
    """
    real = a.real.dtype
    turns = [(real.type(np.cos(angle)), real.type(np.sin(angle))) for angle in TURNS]
    lower = stack([c * b - s * a for c, s in turns])
    upper = stack([c * a + s * b for c, s in turns])
    # A singular divisor gives infinities or NaN, which are not taken.
    with errstate(linalg="ignore"):
        quotients = adjoint(_numpy.solve(adjoint(lower), adjoint(upper))) if before else _numpy.solve(lower, upper)
    errors = _core.reduce("norm", quotients, (-2, -1)) * _core.reduce("norm", lower, (-2, -1))
    known = errors < np.inf
    complain(~known.any(0), "The quotient of the pencil is singular.")
    best = _core.where(known, errors, real.type(np.inf)).argmin(0)
    c, s = (_core.array(np.array(part))[best] for part in zip(*turns, strict=True))
    index = _core.broadcast_to(best[None, ..., None, None], (1, *a.shape))
    lower, quotient = (take_along_axis(x, index, 0)[0] for x in (lower, quotients))
    return c, s, lower, quotient


def unit_length(vectors: ndarray) -> ndarray:
    """Columns divided by their norms."""
    largest = _absolute(vectors).max(-2, None, True)
    vectors = vectors / _core.where(largest == 0, largest.dtype.type(1), largest)
    length = _core.reduce("norm", vectors, (-2,), None, None, True)
    return vectors / _core.where(length == 0, length.dtype.type(1), length)


def unit_norm(a: ndarray) -> tuple[ndarray, ndarray]:
    """Matrices divided by their norms, and the norms; those of zeros are 1."""
    norm = _core.reduce("norm", a, (-2, -1), None, None, True)
    norm = _core.where(norm > 0, norm, norm.dtype.type(1))
    return a / norm, norm


def _of_quotient(a: ndarray, b: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """`alpha`, `beta` and vectors of pencils with regular `b`; `beta` is real, and zero if it is negligible."""
    (a, norm_a), (b, norm_b) = unit_norm(a), unit_norm(b)
    _, vectors = _numpy.eig(turned(a, b, False)[3])
    # The ratio with the least residual. The quotient's values, turned back, would cancel near zero and infinity.
    images = [_core.matmul(to_complex(x), vectors) for x in (a, b)]
    first, second = (_core.reduce("norm", image, (-2,)) for image in images)
    product = (images[1].conj() * images[0]).sum(-2)
    size, one = _absolute(product), first.dtype.type(1)
    zero = size == 0
    phase = _core.where(zero, product.dtype.type(1), product / _core.where(zero, one, size))
    small = first <= second
    longer = _core.where(small, second, first)
    other = size / _core.where(longer > 0, longer, one)
    alpha, beta = _core.where(small, other, first), _core.where(small, second, other)
    none = beta <= ufuncs["hypot"](alpha, beta) * first.dtype.type(a.shape[-1] * epsilon(a))
    beta = _core.where(none, beta.dtype.type(0), beta)
    return alpha * phase * norm_a[..., 0], beta * norm_b[..., 0], vectors


class _Pencils:
    """A flat stack of pencils, and what is negligible in the matrices that they were deflated from."""

    def __init__(self, a: ndarray, b: ndarray, limits: tuple[ndarray, ndarray], steps: int) -> None:
        self.a, self.b, self.limits, self.steps = a, b, limits, steps

    def some(self, which: ndarray) -> _Pencils:
        return _Pencils(self.a[which], self.b[which], tuple(x[which] for x in self.limits), self.steps)

    def values(self) -> tuple[ndarray, ndarray, ndarray]:
        """`alpha`, `beta` and vectors; of pencils with the same rank of `b` together."""
        if self.steps == 0:
            return _of_quotient(self.a, self.b)
        _, right, found = ranks(self.b, self.limits[1])
        different = np.unique(found)
        if different.size == 1:
            return self._of_rank(right, int(different[0]))
        vectors = _core.zeros(self.a.shape, to_complex(self.a).dtype)
        alpha = _core.zeros(self.a.shape[:-1], vectors.dtype)
        beta = _core.zeros(alpha.shape, self.a.real.dtype)
        for rank in different:
            which = _core.array(np.flatnonzero(found == rank))
            alpha[which], beta[which], vectors[which] = self.some(which)._of_rank(right[which], int(rank))
        return alpha, beta, vectors

    def _of_rank(self, right: ndarray, rank: int) -> tuple[ndarray, ndarray, ndarray]:
        k = self.a.shape[-1] - rank
        if k == 0:
            return _of_quotient(self.a, self.b)
        q, z, values = deflated(self.a, right, rank, self.limits[0])
        first = to_complex(values), _core.zeros(values.shape, values.dtype), to_complex(z[..., :k])
        if rank == 0:
            return first
        a, b = (_core.matmul(_core.matmul(adjoint(q), x), z) for x in (self.a, self.b))
        alpha, beta, y = _Pencils(a[..., k:, k:], b[..., k:, k:], self.limits, self.steps - 1).values()
        # (beta a - alpha b) (x, beta y) = 0: at infinity only x remains, the vector at the head of a chain.
        x = _core.matmul(to_complex(b[..., :k, k:]), alpha[..., None, :] * y)
        x = x - _core.matmul(to_complex(a[..., :k, k:]), beta[..., None, :] * y)
        regular = values > 0
        x = x * _core.where(regular, 1 / _core.where(regular, values, values.dtype.type(1)), values)[..., :, None]
        weight = _core.where((alpha == 0) & (beta == 0), beta.dtype.type(1), beta)
        vectors = _core.matmul(to_complex(z), unit_length(concatenate([x, weight[..., None, :] * y], axis=-2)))
        alpha, beta, vectors = (concatenate(list(p), axis=-1) for p in zip(first, (alpha, beta, vectors), strict=True))
        return alpha, beta, vectors


def exponent(a: ndarray, axes: tuple[int, ...]) -> ndarray:
    """Exponents of two of the largest elements along some axes; zero for zeros."""
    largest = _absolute(a)
    for axis in axes:
        largest = largest.max(axis, None, True)
    limits = np.finfo(largest.dtype)
    tiny = largest < limits.tiny
    power = _floor(_log2(_core.where(tiny, limits.tiny, largest)))
    # Not so large that the reciprocal is subnormal.
    power = ufuncs["minimum"](power, largest.dtype.type(limits.maxexp - 4))
    return _core.where(tiny, largest.dtype.type(0), power)


def pencil_values(a: ndarray, b: ndarray) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """`alpha`, real `beta`, their quotients and right vectors of length 1, of stacks of pencils of one dtype and shape.

    Infinite quotients have a zero `beta`; those of singular pencils may be 0 / 0, which is NaN.
    """
    shape, n = a.shape[:-1], a.shape[-1]
    if a.size == 0:
        alpha = _core.zeros(shape, to_complex(a).dtype)
        return alpha, _core.zeros(shape, a.real.dtype), alpha, _core.zeros(a.shape, alpha.dtype)
    a, b = (x.reshape(-1, n, n) for x in (a, b))
    # Powers of two: both matrices, then rows, then columns have a largest element near 1.
    exponents = [exponent(x, (-1, -2)) for x in (a, b)]
    a, b = (x * _exp2(-exponent) for x, exponent in zip((a, b), exponents, strict=True))
    rows = _exp2(-exponent(concatenate([a, b], axis=-1), (-1,)))
    a, b = rows * a, rows * b
    columns = _exp2(-exponent(concatenate([a, b], axis=-2), (-2,)))
    a, b = a * columns, b * columns
    alpha, beta, vectors = _Pencils(a, b, (limit_of(a), limit_of(b)), MOST_STEPS).values()
    zero = beta == 0
    quotient = alpha / _core.where(zero, beta.dtype.type(1), beta)
    # In two steps, for the whole scale may be no number.
    scale = exponents[0][..., 0] - exponents[1][..., 0]
    half = _floor(scale / 2)
    quotient = quotient * _exp2(half) * _exp2(scale - half)
    infinite, unknown = (quotient.dtype.type(complex(x, 0)) for x in (np.inf, np.nan))
    quotient = _core.where(zero, _core.where(alpha == 0, unknown, infinite), quotient)
    alpha, beta = alpha * _exp2(exponents[0][..., 0]), beta * _exp2(exponents[1][..., 0])
    vectors = unit_length(to_complex(columns.reshape(-1, n, 1) * vectors))
    alpha, beta, quotient = (x.reshape(shape) for x in (alpha, beta, quotient))
    return alpha, beta, quotient, vectors.reshape(*shape, n)


__all__ = ["MOST_STEPS", "deflated", "exponent", "limit_of", "pencil_values", "ranks", "turned", "unit_norm"]
