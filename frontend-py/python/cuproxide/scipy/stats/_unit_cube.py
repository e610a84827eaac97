"""Points of the unit cube, and boxes that they are scaled to."""

from __future__ import annotations

from typing import Any

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._common import holds, points


def _rows(sample: Any) -> ndarray:
    x = points(as_device(sample))
    if x.ndim != 2:
        raise ValueError("Sample is not a 2D array")
    return x


def in_unit_cube(sample: Any) -> ndarray:
    """Points as rows, or the error of some that lie outside."""
    x = _rows(sample)
    if not holds((x >= 0) & (x <= 1)):
        raise ValueError("Sample is not in unit hypercube")
    return x


def scale(sample: Any, l_bounds: Any, u_bounds: Any, *, reverse: bool = False) -> ndarray:
    """Points of the unit cube scaled to bounds, or the reverse.

    Parameters
    ----------
    l_bounds : array_like
        The lower bounds.
    u_bounds : array_like
        The upper bounds.
    reverse : bool
        Whether to go from bounds to the unit cube.

    >>> cp.scipy.stats.qmc.scale(cp.asarray([[0.5, 0.75]]), [-2, 0], [6, 4])
    array([[2., 3.]])
    """
    x = _rows(sample)
    low, high = box(l_bounds, u_bounds, x.shape[1])
    if not reverse:
        return in_unit_cube(x) * (high - low) + low
    if not holds((x >= low) & (x <= high)):
        raise ValueError("Sample is out of bounds")
    return (x - low) / (high - low)


def box(low: Any, high: Any, d: int) -> tuple[ndarray, ndarray]:
    """The bounds of a box in so many dimensions, or the error of some that do not fit."""
    try:
        low, high = (cp.broadcast_to(points(as_device(b)), (d,)) for b in (low, high))
    except ValueError as error:
        raise ValueError("'l_bounds' and 'u_bounds' must be broadcastable and respect the sample dimension") from error
    if not holds(low < high):
        raise ValueError("Bounds are not consistent 'l_bounds' < 'u_bounds'")
    return low, high
