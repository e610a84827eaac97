"""What stands for `cupy._core._routines_indexing`."""

from __future__ import annotations

from ... import argwhere, ndarray

__all__ = ["_ndarray_argwhere"]


def _ndarray_argwhere(a: ndarray) -> ndarray:
    """The places of elements other than zero, a row each: `argwhere`."""
    return argwhere(a)
