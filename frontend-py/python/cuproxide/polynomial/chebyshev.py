"""Series of Chebyshev polynomials. See `numpy.polynomial.chebyshev`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.texts import complete
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike
from ._basis import CHEBYSHEV, members
from ._classes import ABCPolyBase, publish
from ._functions import constants
from ._texts import TEXTS
from .polyutils import mapdomain


def __getattr__(name: str) -> Any:
    return constants(CHEBYSHEV, name)


def chebpts1(npts: int) -> ndarray:
    """The roots of the Chebyshev polynomial of degree `npts`. See `numpy.polynomial.chebyshev.chebpts1`.

    >>> cp.polynomial.chebyshev.chebpts1(2).round(6)
    array([-0.707107,  0.707107])
    """
    count = int(npts)
    if count != npts:
        raise ValueError("npts must be integer")
    if count < 1:
        raise ValueError("npts must be >= 1")
    return _ufuncs["sin"](0.5 * math.pi / count * _core.arange(1 - count, 2, count, np.int64))


def chebpts2(npts: int) -> ndarray:
    """The extrema of the Chebyshev polynomial of degree `npts - 1`. See `numpy.polynomial.chebyshev.chebpts2`.

    >>> cp.polynomial.chebyshev.chebpts2(3).round(6)
    array([-1.,  0.,  1.])
    """
    count = int(npts)
    if count != npts:
        raise ValueError("npts must be integer")
    if count < 2:
        raise ValueError("npts must be >= 2")
    return _ufuncs["cos"](_core.arange(-math.pi, math.pi / (count - 1), count, np.float64))


def chebinterpolate(func: Callable[..., ndarray], deg: int, args: Sequence[Any] = ()) -> ndarray:
    """The series that agrees with `func(x, *args)` at the roots of the polynomial of degree `deg + 1`.

    >>> cp.polynomial.chebyshev.chebinterpolate(lambda x: 1 + 2 * x, 1).round(6)
    array([1., 2.])
    """
    degree = np.asarray(deg)
    if degree.ndim > 0 or degree.dtype.kind not in "iu" or degree.size == 0:
        raise TypeError("deg must be an int")
    if degree < 0:
        raise ValueError("expected deg >= 0")
    order = int(degree) + 1
    points = chebpts1(order)
    found = members(CHEBYSHEV, points, order) @ func(points, *args)
    found[0] /= order
    found[1:] /= 0.5 * order
    return found


def _interpolate(
    cls: type[ABCPolyBase],
    func: Callable[..., ndarray],
    deg: int,
    domain: ArrayLike | None = None,
    args: Sequence[Any] = (),
) -> Any:
    """The series that agrees with `func(x, *args)` at the Chebyshev points of `domain`."""
    interval = cls.domain if domain is None else domain
    return cls(chebinterpolate(lambda x: func(mapdomain(x, cls.window, interval), *args), deg), domain=interval)


__all__ = [  # noqa: PLE0604
    *publish(globals(), CHEBYSHEV, interpolate=classmethod(_interpolate)),
    "chebinterpolate",
    "chebpts1",
    "chebpts2",
]


complete(globals(), __all__, TEXTS, "numpy.polynomial.chebyshev")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
