"""Fourier coefficients of Mathieu functions. DLMF 28.4."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from ... import arange
from ..._cuproxide import ndarray
from ..._lib.ufuncs import SPECIAL as _special

__all__ = ["mathieu_even_coef", "mathieu_odd_coef"]


_DOC = """Fourier coefficients of the {parity} Mathieu function of order `m`.

    Parameters
    ----------
    m : int
        Order, {least} at least.
    q : float
        Parameter, not negative.

    Returns
    -------
    ndarray
        The coefficients of the {waves} of every second multiple of the angle.

    Raises
    ------
    ValueError
        An argument is not a scalar, or not what it may be.

    See Also
    --------
    scipy.special.{name} : The function that this one follows; DLMF 28.4(i).

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.{name}({example}, 1.0)[:3].round(6)
    array([{shown}])
    """


def _made(name: str, least: int, parity: str, waves: str, example: int, shown: str) -> Callable[[int, float], ndarray]:
    message = "m must be an integer >=0." if least == 0 else "m must be an integer > 0"

    def coefficients(m: int, q: float) -> ndarray:
        if np.ndim(m) != 0 or np.ndim(q) != 0:
            raise ValueError("m and q must be scalars.")
        if q < 0:
            raise ValueError("q >=0")
        if m != np.floor(m) or m < least:
            raise ValueError(message)
        root = float(q) ** 0.5
        # As many as SciPy gives.
        if q <= 1:
            count = 7.5 + 56.1 * root - 134.7 * q + 90.7 * root * q
        else:
            count = 17.0 + 3.1 * root - 0.126 * q + 0.0037 * root * q
        length = int(count + 0.5 * m)
        if length > 251:
            warnings.warn("Too many predicted coefficients.", RuntimeWarning, stacklevel=2)
            length = 251
        return _special[f"_{name}"](float(m), float(q), arange(length).astype(np.float64))

    coefficients.__name__ = coefficients.__qualname__ = name
    coefficients.__doc__ = _DOC.format(name=name, least=least, parity=parity, waves=waves, example=example, shown=shown)
    return coefficients


mathieu_even_coef = _made("mathieu_even_coef", 0, "even", "cosines", 0, " 0.67299 , -0.306304,  0.018646")
mathieu_odd_coef = _made("mathieu_odd_coef", 1, "odd", "sines", 1, " 0.993968, -0.109584,  0.004368")
