"""What stands for `cupy._core.internal`: small functions of shapes and axes, on the host."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

__all__ = ["_normalize_axis_index", "_normalize_axis_indices", "clp2", "get_size", "prod", "prod_sequence"]


def _normalize_axis_index(axis: int, ndim: int) -> int:
    """The axis, counted from the first one.

    Parameters
    ----------
    axis : int
    ndim : int
        How many axes there are.

    Returns
    -------
    int

    Raises
    ------
    AxisError
        If there is no such axis.

    Examples
    --------
    >>> from cuproxide.compat.private.internal import _normalize_axis_index
    >>> _normalize_axis_index(-1, 3)
    2
    """
    return int(normalize_axis_index(axis, ndim))


def _normalize_axis_indices(axes: Any, ndim: int, sort_axes: bool = True) -> tuple[int, ...]:
    """The axes, counted from the first one; all of them for None.

    Parameters
    ----------
    axes : None, int or sequence of int
    ndim : int
    sort_axes : bool
        Whether to give them in rising order.

    Returns
    -------
    tuple of int

    Raises
    ------
    AxisError
        If there is no such axis.
    ValueError
        For an axis that is there twice.

    Examples
    --------
    >>> from cuproxide.compat.private.internal import _normalize_axis_indices
    >>> _normalize_axis_indices((-1, 0), 3), _normalize_axis_indices(None, 2)
    ((0, 2), (0, 1))
    """
    if axes is None:
        return tuple(range(ndim))
    found = normalize_axis_tuple(axes, ndim)
    return tuple(sorted(found)) if sort_axes else tuple(found)


def prod(args: Sequence[int], init: int = 1) -> int:
    """The product of integers.

    Parameters
    ----------
    args : sequence of int
    init : int
        What the product begins with.

    Returns
    -------
    int

    Examples
    --------
    >>> from cuproxide.compat.private.internal import prod
    >>> prod((2, 3, 4))
    24
    """
    return math.prod(args, start=init)


prod_sequence = prod


def get_size(size: Any) -> tuple[int, ...]:
    """A shape as a tuple: `()` for None, one axis for an integer.

    Examples
    --------
    >>> from cuproxide.compat.private.internal import get_size
    >>> get_size(None), get_size(3), get_size([2, 4])
    ((), (3,), (2, 4))
    """
    if size is None:
        return ()
    if isinstance(size, Sequence):
        return tuple(size)
    try:
        return (operator.index(size),)
    except TypeError:
        raise ValueError(f"size should be None, collections.abc.Sequence, or int: {size!r}") from None


def clp2(x: int) -> int:
    """The least power of two that is at least `x`.

    Examples
    --------
    >>> from cuproxide.compat.private.internal import clp2
    >>> clp2(5), clp2(8)
    (8, 8)
    """
    return 1 << max(x - 1, 0).bit_length() if x > 0 else 0
