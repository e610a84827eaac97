"""Polynomials on the device: power series and those of the classical orthogonal bases. See `numpy.polynomial`.

Series have the lowest degree first. Each module has the functions of a basis and its class.
"""

from numpy.polynomial import set_default_printstyle

from . import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils
from .chebyshev import Chebyshev
from .hermite import Hermite
from .hermite_e import HermiteE
from .laguerre import Laguerre
from .legendre import Legendre
from .polynomial import Polynomial

__all__ = [
    "Chebyshev",
    "Hermite",
    "HermiteE",
    "Laguerre",
    "Legendre",
    "Polynomial",
    "chebyshev",
    "hermite",
    "hermite_e",
    "laguerre",
    "legendre",
    "polynomial",
    "polyutils",
    "set_default_printstyle",
]


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
