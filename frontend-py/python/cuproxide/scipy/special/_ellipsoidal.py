"""Ellipsoidal harmonics. DLMF 29; G. Dassios, Ellipsoidal Harmonics (2012)."""

from __future__ import annotations

from typing import Any

from ..._lib.conversions import as_operand
from ..._lib.ufuncs import SPECIAL as _special
from ..._typing import ArrayLike

__all__ = ["ellip_harm", "ellip_harm_2", "ellip_normal"]


def ellip_harm(
    h2: ArrayLike, k2: ArrayLike, n: ArrayLike, p: ArrayLike, s: ArrayLike, signm: ArrayLike = 1, signn: ArrayLike = 1
) -> Any:
    """Ellipsoidal harmonic functions of the first kind: Lamé functions with the leading coefficient 1.

    Parameters
    ----------
    h2, k2 : array_like
        Squares of the two parameters, the smaller one first.
    s : array_like
        Coordinate.
    signm, signn : array_like, optional
        Signs of the roots of s**2 - h2 and s**2 - k2, 1 or -1.

    >>> cp.scipy.special.ellip_harm(5, 8, 1, 1, cp.asarray([2.5, 3.0]))
    array([2.5, 3. ])
    """
    return _special["_ellip_harm"](*map(as_operand, (h2, k2, n, p, s, signm, signn)))


def ellip_harm_2(h2: ArrayLike, k2: ArrayLike, n: ArrayLike, p: ArrayLike, s: ArrayLike) -> Any:
    """Ellipsoidal harmonic functions of the second kind.

    Parameters
    ----------
    h2, k2 : array_like
        Squares of the two parameters, the smaller one first.
    s : array_like
        Coordinate, beyond the root of `k2`.

    >>> cp.scipy.special.ellip_harm_2(5, 8, 2, 1, 10.0).round(8)
    array(0.00108057)
    """
    return _special["_ellip_harm_2"](*map(as_operand, (h2, k2, n, p, s)))


def ellip_normal(h2: ArrayLike, k2: ArrayLike, n: ArrayLike, p: ArrayLike) -> Any:
    """Norms of ellipsoidal harmonics.

    Parameters
    ----------
    h2, k2 : array_like
        Squares of the two parameters, the smaller one first.

    >>> cp.scipy.special.ellip_normal(5, 8, 0, 1).round(6)
    array(12.566371)
    """
    return _special["_ellip_normal"](*map(as_operand, (h2, k2, n, p)))
