"""The singular value decomposition by way of the polar decomposition, which is made of products of matrices."""

from __future__ import annotations

import math

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import adjoint
from .._lib.ufuncs import NUMPY as _ufuncs
from .indexing import take_along_axis
from .special_matrices import eye, triu

# Matrices 1 + c x'x up to this c have their factors refined once; below, one factorisation is as good.
_WELL_CONDITIONED = 100.0


def by_size(values: ndarray, vectors: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """Signs and absolute values of eigenvalues, descending, and their vectors in that order."""
    sign, values = _ufuncs["copysign"](1.0, values).astype(values.dtype, copy=False), _ufuncs["absolute"](values)
    order = _core.argsort(values, -1)[..., ::-1]
    vectors = take_along_axis(vectors, order[..., None, :], -1)
    return take_along_axis(sign, order, -1), take_along_axis(values, order, -1), vectors


def _length(a: ndarray) -> ndarray:
    """Frobenius' norm of every matrix."""
    return _ufuncs["sqrt"]((_ufuncs["absolute"](a) ** 2).sum((-2, -1), keepdims=True))


def _weights(least: float) -> tuple[float, float, float]:
    """a, b and c of the rational function x (a + b x^2) / (1 + c x^2) that lifts [least, 1] the most."""
    square = least * least
    d = (4 * (1 - square) / square**2) ** (1 / 3)
    root = math.sqrt(1 + d)
    a = root + math.sqrt(max(8 - 4 * d + 8 * (2 - square) / (square * root), 0.0)) / 2
    b = (a - 1) ** 2 / 4
    return a, b, a + b - 1


def _factor(z: ndarray, identity: ndarray | float, c: float) -> ndarray:
    """The lower Cholesky factor of `identity + c z z'`."""
    factor, _ = _core.cholesky(_core.matmul(z * c, adjoint(z)) + identity, False)
    return factor


def _divide(factor: ndarray, right: ndarray) -> ndarray:
    """`factor^-1 right`, of a lower triangle."""
    return _core.solve_triangular(factor, right, False, False)


def _step(z: ndarray, identity: ndarray, weights: tuple[float, float, float]) -> ndarray:
    """The next iterate: its singular values are the rational function of those of `z`."""
    a, b, c = weights
    factor = _factor(z, identity, c)
    if c <= _WELL_CONDITIONED:
        upper = adjoint(factor)
        solved = _core.solve_triangular(upper, _divide(factor, z), True, False)
        return z * (b / c) + solved * (a - b / c)
    # The orthonormal factor of (c^1/2 z', 1), by Cholesky's factors twice.
    first, second = _divide(factor, z * math.sqrt(c)), _divide(factor, identity)
    factor = _factor(first, _core.matmul(second, adjoint(second)), 1.0)
    first, second = _divide(factor, first), _divide(factor, second)
    return z * (b / c) + _core.matmul(adjoint(second) * ((a - b / c) / math.sqrt(c)), first)


def _unitary(x: ndarray, least: float) -> ndarray:
    """The adjoint of the unitary polar factor of square matrices with singular values from `least` to 1."""
    epsilon = float(np.finfo(x.dtype).eps)
    # What Cholesky's factors bear; smaller values take a step more.
    bearable = 1e-10 if epsilon < 1e-10 else 1e-4
    identity = eye(x.shape[-1], dtype=x.dtype)
    if x.ndim > 2:
        identity = _core.broadcast_to(identity, x.shape)
    z = adjoint(x)
    while abs(1 - least) > 10 * epsilon:
        a, b, c = _weights(max(least, bearable))
        z = _step(z, identity, (a, b, c))
        least = min(least * (a + b * least**2) / (1 + c * least**2), 1.0)
    return z


def polar_svd(a: ndarray) -> tuple[ndarray, ndarray, ndarray] | None:
    """Left singular vectors, singular values and the adjoint of the right vectors of square matrices.

    `None` for matrices that are singular to working precision, and where the result turned out less orthonormal than
    that of other ways. Waits for the device. The polar factor is Nakatsukasa and Higham's ("Stable and efficient
    spectral divide and conquer algorithms", SIAM J. Sci. Comput. 35, 2013), with QR decompositions by Cholesky's
    factors.
    """
    side, epsilon = a.shape[-1], float(np.finfo(a.dtype).eps)
    largest = _ufuncs["absolute"](a).max((-2, -1), keepdims=True)
    x = a / largest
    length = _length(x)
    x = x / length
    identity = _core.broadcast_to(eye(side, dtype=a.dtype), a.shape)
    triangle = triu(_core.qr_factor(x)[0])
    least = float(1 / _length(_core.solve_triangular(triangle, identity, True, False)).max())
    # NaN compares as false.
    if not least > 4 * epsilon:
        return None
    unitary = _unitary(x, least)
    hermitian = _core.matmul(unitary, x)
    defect = _ufuncs["absolute"](_core.matmul(unitary, adjoint(unitary)) - identity).max()
    defect = _ufuncs["maximum"](defect, _ufuncs["absolute"](hermitian - adjoint(hermitian)).max())
    if not float(defect) < side * epsilon:
        return None
    values, vectors, _ = _core.eigen_hermitian((hermitian + adjoint(hermitian)) * 0.5, True, False)
    sign, values, vectors = by_size(values, vectors)
    left = _core.matmul(adjoint(unitary), vectors * sign[..., None, :])
    return left, values * (largest * length)[..., 0], adjoint(vectors)
