"""What the modules of polynomials share. See `numpy.polynomial.polyutils`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import SCALARS, as_array, is_complex
from .._lib.texts import complete
from .._routines.joining import stack
from .._routines.shapes import atleast_1d
from .._typing import ArrayLike
from ..dtypes import common_type
from ._texts import TEXTS

__all__ = ["as_series", "format_float", "getdomain", "mapdomain", "mapparms", "trimcoef", "trimseq"]


def as_series(alist: Sequence[ArrayLike], trim: bool = True) -> list[ndarray]:
    """Copies of the coefficients as arrays of one axis and of one inexact dtype, without trailing zeros if `trim`.

    Trimming waits for the device.

    Parameters
    ----------
    alist : sequence of array_like
        The series.
    trim : bool
        Whether trailing zeros are removed.

    >>> cp.polynomial.polyutils.as_series([[1, 2], [3]])
    [array([1., 2.]), array([3.])]
    """
    arrays = [atleast_1d(as_array(item)) for item in alist]
    for array in arrays:
        if array.size == 0:
            raise ValueError("Coefficient array is empty")
        if array.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
    if trim:
        arrays = [trimseq(array) for array in arrays]
    try:
        dtype = common_type(*arrays)
    except TypeError as error:
        raise ValueError("Coefficient arrays have no common type") from error
    return [array.astype(dtype) for array in arrays]


def trimseq(seq: ndarray) -> ndarray:
    """`seq` without trailing zeros, at least one element. Waits for the device.

    See `numpy.polynomial.polyutils.trimseq`.

    >>> cp.polynomial.polyutils.trimseq(cp.asarray([1.0, 0.0]))
    array([1.])
    """
    return _trim(seq, 0) if len(seq) else seq


def _trim(c: ndarray, tol: float) -> ndarray:
    kept = abs(c[::-1]) > tol if tol else c[::-1] != 0
    return c[: c.size - int(_core.where(kept.any(), kept.argmax(), c.size - 1))]


def trimcoef(c: ArrayLike, tol: float = 0) -> ndarray:
    """Coefficients without trailing ones of at most `tol` in magnitude; 0 if none is larger. Waits for the device.

    Parameters
    ----------
    tol : float
        What counts as zero.

    >>> cp.polynomial.polyutils.trimcoef([1.0, 0.0])
    array([1.])
    """
    if tol < 0:
        raise ValueError("tol must be non-negative")
    (series,) = as_series([c])
    trimmed = _trim(series, tol)
    return _core.where(abs(trimmed) > tol, trimmed, 0 * trimmed) if trimmed.size == 1 else trimmed.copy()


def getdomain(x: ArrayLike) -> ndarray:
    """The smallest interval, or rectangle of complex numbers, that holds `x`.

    See `numpy.polynomial.polyutils.getdomain`.

    >>> cp.polynomial.polyutils.getdomain([3.0, 1.0])
    array([1., 3.])
    """
    (x,) = as_series([x], trim=False)
    if is_complex(x.dtype):
        corners = [(x.real.min(), x.imag.min()), (x.real.max(), x.imag.max())]
        return stack([real + 1j * imag for real, imag in corners]).astype(_core.dtype(complex), copy=False)
    return stack((x.min(), x.max()))


def mapparms(old: ArrayLike, new: ArrayLike) -> tuple[Any, Any]:
    """Offset and scale of the linear map of the interval `old` to `new`.

    Returns
    -------
    tuple of two numbers

    >>> cp.polynomial.polyutils.mapparms([0, 1], [2, 4])
    (2.0, 2.0)
    """
    before: Any = old
    after: Any = new
    width = before[1] - before[0]
    return (before[1] * after[0] - before[0] * after[1]) / width, (after[1] - after[0]) / width


def mapdomain(x: ArrayLike, old: ArrayLike, new: ArrayLike) -> Any:
    """`x` under the linear map of the interval `old` to `new`.

    Returns
    -------
    ndarray

    >>> cp.polynomial.polyutils.mapdomain([0.0, 1.0], [0, 1], [2, 4])
    array([2., 4.])
    """
    offset, scale = mapparms(old, new)
    return offset + scale * (x if isinstance(x, SCALARS) else as_array(x))


def format_float(x: Any, parens: bool = False) -> str:
    """A number as series print it, in parentheses if `parens` and the notation is scientific.

    Waits for the device if `x` is on one.

    Parameters
    ----------
    x : float
        The number.
    parens : bool
        Whether to set numbers in scientific notation in parentheses.

    >>> cp.polynomial.polyutils.format_float(2.5)
    '2.5'
    """
    return np.polynomial.polyutils.format_float(x.get()[()] if isinstance(x, ndarray) else x, parens)


complete(globals(), __all__, TEXTS, "numpy.polynomial.polyutils")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
