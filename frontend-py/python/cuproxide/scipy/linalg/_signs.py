"""The sign of matrices."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import errstate, stack
from ... import linalg as _numpy
from ..._cuproxide import ndarray
from ..._typing import ArrayLike
from ._common import adjoint, epsilon, identity, is_complex, matrices, ufuncs
from ._exponentials import column_norm
from ._parlett import parlett
from ._schur import schur


def signm(A: ArrayLike, disp: bool = True) -> Any:
    """The sign of square matrices: each eigenvalue by the sign of its real part, by Newton's iteration.

    The sign of eigenvalues whose real part is 0, to about a thousand rounding errors of the largest, is 0. With
    `disp=False` an estimate of the error is returned too.

    Parameters
    ----------
    A : array_like
        The matrix, or a stack of them in the last two axes.

    Returns
    -------
    ndarray, or a tuple of it and the estimate of the error

    >>> cp.scipy.linalg.signm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[1., 0.],
           [0., 1.]])
    """
    a = matrices(A, True, square=True)
    if a.size == 0:
        return a.copy() if disp else (a.copy(), a.real.sum())
    x, sure = newton_sign(a)
    if not sure:
        x = _sign_with_zeros(a)
    return x if disp else (x, column_norm(_core.matmul(_core.matmul(x, x), x) - x).max())


def _sign_with_zeros(a: ndarray) -> ndarray:
    """The sign where real parts of eigenvalues may count as 0: their sign is 0."""
    t, z = schur(a, "complex", check_finite=False)
    values = t.diagonal(0, -2, -1)
    real, size = ufuncs["absolute"](values.real), ufuncs["absolute"](values).max(-1, None, True)
    zero = real <= size * real.dtype.type(1e3 * epsilon(a))
    infinite = real.dtype.type(np.inf)
    least = _core.where(zero, infinite, real).min(-1, None, True)
    # By the recurrence where it is accurate: it is for signs that depend much on the matrix, unless values lie close.
    signs = _core.where(zero, real.dtype.type(0), ufuncs["sign"](values.real)).astype(t.dtype)
    result = _core.matmul(_core.matmul(z, parlett(t, signs)[0]), adjoint(z))
    result = result if is_complex(a.dtype) else result.real.copy()
    error = column_norm(_core.matmul(_core.matmul(result, result), result) - result)
    size = column_norm(result)
    accurate = error <= ufuncs["maximum"](size * size * size, size) * size.dtype.type(1e3 * epsilon(a))
    if bool(accurate.all()):
        return result
    # Moved to both sides by half the distance of the others, these eigenvalues have both signs, half each.
    shift = _core.where(zero.any(-1, None, True) & (least < infinite), least / 2, least.dtype.type(0))[..., None]
    nothing, eye = (least == infinite)[..., None], identity(a)
    harmless = _core.where(nothing | accurate[..., None, None], eye, a)
    shift = _core.where(accurate[..., None, None], shift.dtype.type(0), shift)
    one, two = (newton_sign(harmless + side * shift.astype(a.real.dtype) * eye, True)[0] for side in (1, -1))
    return _core.where(accurate[..., None, None], result, _core.where(nothing, a.dtype.type(0), (one + two) / 2))


def newton_sign(a: ndarray, final: bool = False) -> tuple[ndarray, bool]:
    """The sign of matrices by Newton's iteration, scaled (Higham, 2008), and whether it is sure.

    It is not for nearly singular matrices and after many steps, which mean eigenvalues close to the imaginary axis. If
    `final`, what has not converged is NaN, with a warning.
    """
    size = ufuncs["absolute"](a).max((-2, -1), None, True)
    x = a / _core.where(size == 0, size.dtype.type(1), size)
    limit, unit = a.shape[-1] * epsilon(a), x.real.dtype.type(1)
    scaled, before, sure = True, math.inf, True
    for step in range(100):
        with errstate(linalg="ignore"):
            inverse = _numpy.inv(x)
        mu = unit
        if scaled:
            (one, other), (columns, rows) = (
                [ufuncs["absolute"](m).sum(axis).max(-1) for axis in (-2, -1)] for m in (inverse, x)
            )
            mu = ((one / columns) ** 0.25 * (other / rows) ** 0.25)[..., None, None]
            condition = one * columns
        new = (mu * x + inverse / mu) / 2
        change = (column_norm(new - x) / column_norm(new)).max()
        if step == 0:
            change, first = stack([change, condition.max()]).tolist()
            sure = first < 1e-3 / epsilon(a)
        change, x = float(change), new
        if not change > limit or (change < 1e-2 and change >= before / 2) or not math.isfinite(change):
            break
        scaled, before = scaled and change > 1e-2, change
        if step == 20 and not final:
            break
    good = change <= 1e3 * limit
    if final and not good:
        warnings.warn("signm: the iterations did not converge.", RuntimeWarning, stacklevel=4)
        kept = (column_norm(_core.matmul(x, x) - identity(x)) <= math.sqrt(epsilon(a)))[..., None, None]
        x = _core.where(kept, x, x.dtype.type(np.nan))
    return x, bool(sure and good)


__all__ = ["signm"]
