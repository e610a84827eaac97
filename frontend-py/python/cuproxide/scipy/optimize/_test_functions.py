"""Rosenbrock's function and its derivatives."""

from __future__ import annotations

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, as_floating
from ..._typing import ArrayLike

__all__ = ["rosen", "rosen_der", "rosen_hess", "rosen_hess_prod"]


def rosen(x: ArrayLike) -> ndarray:
    """Rosenbrock's function, summed along the first axis.

    Returns
    -------
    ndarray
        Its values.

    >>> from cuproxide.scipy import optimize
    >>> float(optimize.rosen(cp.array([0.0, 0.0, 1.0])))
    102.0
    """
    x = as_floating(x)
    return cp.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0, axis=0, dtype=x.dtype)


def rosen_der(x: ArrayLike) -> ndarray:
    """The gradient of Rosenbrock's function.

    Returns
    -------
    ndarray
        The gradient, of the shape of `x`.

    >>> optimize.rosen_der(cp.array([1.0, 1.0, 2.0]))[1:]
    array([-400.,  200.])
    """
    x = as_floating(x)
    inner = x[1:-1]
    first = -400 * x[:1] * (x[1:2] - x[:1] ** 2) - 2 * (1 - x[:1])
    middle = 200 * (inner - x[:-2] ** 2) - 400 * (x[2:] - inner**2) * inner - 2 * (1 - inner)
    last = 200 * (x[-1:] - x[-2:-1] ** 2)
    return cp.concatenate([first, middle, last])


def rosen_hess(x: ArrayLike) -> ndarray:
    """The Hessian of Rosenbrock's function.

    Parameters
    ----------
    x : array_like
        The variables, one axis.

    Returns
    -------
    ndarray
        The Hessian.

    >>> optimize.rosen_hess(cp.array([1.0, 1.0]))
    array([[ 802., -400.],
           [-400.,  200.]])
    """
    x = cp.atleast_1d(as_floating(x))
    side = -400 * x[:-1]
    diagonal = cp.concatenate(
        [1200 * x[:1] ** 2 - 400 * x[1:2] + 2, 202 + 1200 * x[1:-1] ** 2 - 400 * x[2:], cp.full(1, 200, x.dtype)]
    )
    return (cp.diag(side, 1) + cp.diag(side, -1) + cp.diag(diagonal)).astype(x.dtype)


def rosen_hess_prod(x: ArrayLike, p: ArrayLike) -> ndarray:
    """The Hessian of Rosenbrock's function times a vector.

    Parameters
    ----------
    x, p : array_like
        The variables and the vector, one axis each.

    Returns
    -------
    ndarray
        The product.

    >>> optimize.rosen_hess_prod(cp.array([1.0, 1.0]), cp.array([1.0, 0.0]))
    array([ 802., -400.])
    """
    x, p = cp.atleast_1d(as_floating(x)), as_device(p)
    first = (1200 * x[:1] ** 2 - 400 * x[1:2] + 2) * p[:1] - 400 * x[:1] * p[1:2]
    middle = -400 * x[:-2] * p[:-2] + (202 + 1200 * x[1:-1] ** 2 - 400 * x[2:]) * p[1:-1] - 400 * x[1:-1] * p[2:]
    last = -400 * x[-2:-1] * p[-2:-1] + 200 * p[-1:]
    return cp.concatenate([first, middle, last])
