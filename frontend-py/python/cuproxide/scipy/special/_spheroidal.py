"""Sequences of characteristic values of spheroidal wave functions. DLMF 30.3."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ... import arange
from ..._cuproxide import ndarray
from ..._lib.ufuncs import SPECIAL as _special

__all__ = ["obl_cv_seq", "pro_cv_seq"]


_DOC = """Characteristic values of {shape} spheroidal wave functions of orders n from m to `n`.

    Parameters
    ----------
    m, n : int
        Orders.
    c : float
        Parameter.

    Returns
    -------
    ndarray
        The n - m + 1 values.

    Raises
    ------
    ValueError
        An argument is not a scalar, an order not whole, or the difference of the orders larger than 199.

    See Also
    --------
    scipy.special.{name} : The function that this one follows; DLMF 30.3.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.{name}(0, 2, 1.0).round(6)
    array([{shown}])
    """


def _made(name: str, shape: str, shown: str) -> Callable[[int, int, float], ndarray]:
    def values(m: int, n: int, c: float) -> ndarray:
        if np.ndim(m) != 0 or np.ndim(n) != 0 or np.ndim(c) != 0:
            raise ValueError("Arguments must be scalars.")
        if n != np.floor(n) or m != np.floor(m):
            raise ValueError("Modes must be integers.")
        if n - m > 199:
            raise ValueError("Difference between n and m is too large.")
        orders = (arange(int(n - m) + 1) + int(m)).astype(np.float64)
        return _special[name.removesuffix("_seq")](float(m), orders, float(c))

    values.__name__ = values.__qualname__ = name
    values.__doc__ = _DOC.format(name=name, shape=shape, shown=shown)
    return values


pro_cv_seq = _made("pro_cv_seq", "prolate", "0.319   , 2.593085, 6.533472")
obl_cv_seq = _made("obl_cv_seq", "oblate", "-0.348602,  1.393206,  5.4868  ")
