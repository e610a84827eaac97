"""Sequences of parabolic cylinder functions. DLMF 12."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import arange
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array
from ..._lib.ufuncs import NUMPY as _numpy
from ..._lib.ufuncs import SPECIAL as _special

__all__ = ["pbdn_seq", "pbdv_seq", "pbvv_seq"]


def _scalars(*values: Any) -> None:
    if any(np.ndim(value) != 0 for value in values):
        raise ValueError("arguments must be scalars.")


def _orders(v: float) -> ndarray:
    """The fraction of v and its whole distances up to v, two orders at least, as SciPy counts them."""
    whole = int(v)
    last = max(whole, 1) + (v - whole)
    return (arange(max(whole, 1) + 1) + (last - int(last) if v < 0 else v - whole)).astype(np.float64)


def pbdv_seq(v: float, x: float) -> tuple[ndarray, ndarray]:
    """Parabolic cylinder functions D of orders up to `v`, and their derivatives.

    Raises
    ------
    ValueError
        An argument is not a scalar.

    See Also
    --------
    scipy.special.pbdv_seq : The function that this one follows; DLMF 12.8.

    >>> cp.scipy.special.pbdv_seq(2, 1.0)[0].round(6)
    array([0.778801, 0.778801, 0.      ])
    """
    _scalars(v, x)
    return _special["pbdv"](_orders(float(v)), float(x))


def pbvv_seq(v: float, x: float) -> tuple[ndarray, ndarray]:
    """Parabolic cylinder functions V of orders up to `v`, and their derivatives.

    Raises
    ------
    ValueError
        An argument is not a scalar.

    See Also
    --------
    scipy.special.pbvv_seq : The function that this one follows; DLMF 12.8.

    >>> cp.scipy.special.pbvv_seq(1, 1.0)[0].round(6)
    array([ 0.742538, -0.281966])
    """
    _scalars(v, x)
    return _special["pbvv"](_orders(float(v)), float(x))


# Nodes of the trapezoidal rule for the logarithm of the integration variable.
_LOW, _STEP, _NODES = -40.0, 0.05, 870


def pbdn_seq(n: int, z: complex) -> tuple[ndarray, ndarray]:
    """Parabolic cylinder functions D of whole orders and a complex argument, and their derivatives.

    Parameters
    ----------
    n : int
        Orders are 0 to `n`, two at least; of negative ones -n orders from 0 down.
    z : complex
        Argument.

    Returns
    -------
    tuple of ndarray
        The functions and the derivatives, complex.

    Raises
    ------
    ValueError
        An argument is not a scalar, or `n` is not whole.

    See Also
    --------
    scipy.special.pbdn_seq : The function that this one follows; DLMF 12.5.1 and 12.8.

    >>> cp.scipy.special.pbdn_seq(1, 1.0)[0].round(6)
    array([0.778801+0.j, 0.778801+0.j])
    """
    _scalars(n, z)
    if math.floor(n) != n:
        raise ValueError("n must be an integer.")
    point = as_array(complex(z))
    start = _numpy["exp"](-(point * point) / 4)
    if n >= -1:
        count = max(int(n), 1)
        found = [start, point * start]
        for k in range(1, count):
            found.append(point * found[k] - k * found[k - 1])
        values = _core.concatenate([value.reshape(1) for value in found])
        orders = arange(count + 1).astype(np.float64)
        below = _core.concatenate([values[:1] * 0, values[:-1]])
        return values, orders * below - point / 2 * values
    # D of order -s as an integral, all orders at once.
    orders = (arange(-int(n)) + 1).astype(np.float64).reshape(-1, 1)
    u = arange(_NODES).astype(np.float64) * _STEP + _LOW
    t = _numpy["exp"](u)
    exponents = orders * u - _special["gammaln"](orders) - t * t / 2 - point * t
    values = _numpy["exp"](exponents).sum(axis=-1) * _STEP * start
    values = _core.concatenate([start.reshape(1), values])
    orders = arange(-int(n)).astype(np.float64)
    return values[:-1], -orders * values[1:] - point / 2 * values[:-1]
