"""Whittaker and Henderson's smoothing: a signal with small differences of some order near to the given one."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float

__all__ = ["whittaker_henderson"]


def whittaker_henderson(signal: Any, *, lamb: Any = "reml", order: int = 2, weights: Any = None) -> Any:
    """The signal that minimises weighted squared residuals and `lamb` times its squared differences of an order.

    Points without weight are interpolated, by polynomials of the degree 2 `order` - 1, and extrapolated, by those of
    the degree `order` - 1. With `order=2` it is Hodrick and Prescott's filter.

    Parameters
    ----------
    signal : array_like of shape (n,)
        The signal, with more than `order` points; what has no weight may be any number.
    lamb : float or 'reml'
        The penalty, not negative; "reml" is the one with the largest restricted likelihood.
    order : int
        The order of the differences, at least 1.
    weights : array_like of shape (n,), optional
        The weights, not negative; 1 by default.

    Returns
    -------
    OptimizeResult
        `x`, the smoothed signal, and `lamb`, the penalty.

    Raises
    ------
    TypeError
        The order is no integer.
    ValueError
        A shape does not fit, a point with a weight is not finite, or `lamb` or the order is out of range.

    See Also
    --------
    scipy.signal.whittaker_henderson : The function that this one follows; Eilers 2003, Weinert 2007.

    >>> r = cp.scipy.signal.whittaker_henderson([1.0, 4.0, 2.0, 1.0], lamb=2.0)
    >>> r.x.round(4)
    array([2.0857, 2.3429, 2.0571, 1.5143])
    """
    from ..optimize import OptimizeResult, minimize_scalar

    y, w, order = _checked(signal, order, weights)
    if not (isinstance(lamb, str) and lamb == "reml"):
        number = math.nan if isinstance(lamb, str) else to_float(as_device(lamb))
        if not number >= 0:
            raise ValueError(f"Parameter lamb must be string 'reml' or a non-negative float; got lamb={lamb!r}.")
        return OptimizeResult(x=_smoothed(y, w, number, order), lamb=lamb)
    penalty = _penalty(y.size, order)

    def loss(log: Any) -> float:
        return _loss(y, w, penalty, math.exp(to_float(as_device(log))), order)

    found = minimize_scalar(loss, bracket=(-10, 10))
    best = math.exp(to_float(as_device(found.x)))
    return OptimizeResult(x=_solved(y, w, penalty, best)[0], lamb=best)


def _checked(signal: Any, order: Any, weights: Any) -> tuple[ndarray, ndarray, int]:
    try:
        order = operator.index(order)
    except TypeError:
        raise TypeError(f"order must be an integer, not {order!r}.") from None
    if order < 1:
        raise ValueError(f"order must be an integer not less than 1, but it is {order}")
    y = as_device(signal)
    if y.ndim != 1:
        raise ValueError(f"Input array signal must be of shape (n,); got {y.shape}")
    if y.size <= order:
        raise ValueError(f"Input array signal must be at least of shape ({order + 1},); got {y.size}.")
    y = y.astype(np.complex128 if y.dtype.kind == "c" else np.float64)
    w = cp.ones(y.shape) if weights is None else as_device(weights).astype(np.float64)
    if w.shape != y.shape:
        raise ValueError(f"Input array weights must have the same shape as the signal array, {y.shape}; got {w.shape}.")
    if weights is not None and not bool((w >= 0).all()):
        raise ValueError("Input array weights must not be negative or NaN.")
    y = cp.where(w > 0, y, 0)
    if not bool(cp.isfinite(y).all()):
        raise ValueError("Input array signal must be finite where weights are positive.")
    return y, w, order


def _penalty(n: int, order: int) -> ndarray:
    """The product of the matrix of differences with its transpose, as lower diagonals of `n` places."""
    c = np.array([(-1.0) ** (order - i) * math.comb(order, i) for i in range(order + 1)])
    rows = []
    for k in range(order + 1):
        diagonal = cp.convolve(cp.ones(n - order), cp.asarray(c[: order + 1 - k] * c[k:]))
        rows.append(cp.concatenate([diagonal, cp.zeros(k)]))
    return cp.stack(rows)


def _solved(y: ndarray, w: ndarray, penalty: ndarray, lamb: float) -> tuple[ndarray, ndarray]:
    """The smoothed signal, and the diagonal of the factor of its equations."""
    from ..linalg import cho_solve_banded, cholesky_banded

    band = penalty * lamb
    band[0] += w
    factor = cholesky_banded(band, lower=True)
    right = y * w
    columns = cp.stack([right.real, right.imag], axis=1) if y.dtype.kind == "c" else right[:, None]
    x = cho_solve_banded((factor, True), columns)
    return (x[:, 0] + 1j * x[:, 1] if y.dtype.kind == "c" else x[:, 0]), factor[0]


def _smoothed(y: ndarray, w: ndarray, lamb: float, order: int) -> ndarray:
    if lamb == 0:
        return y.copy()
    if not math.isinf(lamb):
        return _solved(y, w, _penalty(y.size, order), lamb)[0]
    from ..linalg import lstsq

    # Without differences: the polynomial of the least squares.
    place = cp.linspace(-1.0, 1.0, y.size)
    powers = cp.stack([place**i for i in range(order)], axis=1)
    root = cp.sqrt(w)
    return powers @ lstsq(powers * root[:, None], y * root)[0]


def _loss(y: ndarray, w: ndarray, penalty: ndarray, lamb: float, order: int) -> float:
    """Twice the negative restricted likelihood of a penalty, whose variance is the most likely one, but for a constant.

    Bates, Maechler, Bolker and Walker 2015, equation 41.
    """
    try:
        x, diagonal = _solved(y, w, penalty, lamb)
    except np.linalg.LinAlgError:
        # A penalty with which the equations have lost their digits is none to choose.
        return math.inf
    free = y.size - order
    squares = (w * abs(y - x) ** 2).sum() + lamb * (abs(cp.diff(x, order)) ** 2).sum()
    return to_float(free * cp.log(squares / free) + 2 * cp.log(diagonal).sum()) - free * math.log(lamb)
