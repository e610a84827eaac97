"""To and from host memory: arrays of SciPy."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

import cuproxide as cp

from ._kinds import CONTAINERS
from ._operators import is_foreign

_PARTS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "dia": ("data", "offsets"),
}


def from_scipy(x: Any, is_array: bool) -> Any:
    """The array of this package for one of `scipy.sparse`; None for anything else."""
    if not is_foreign(x):
        return None
    if x.format in _PARTS:
        parts = tuple(cp.asarray(np.asarray(getattr(x, name))) for name in _PARTS[x.format])
        return CONTAINERS[x.format, is_array](parts, shape=x.shape)
    x = x.tocoo()
    is_array = is_array or x.ndim != 2
    coords = tuple(cp.asarray(np.asarray(index)) for index in getattr(x, "coords", None) or (x.row, x.col))
    made = CONTAINERS["coo", is_array]((cp.asarray(x.data), coords), shape=x.shape)
    made.has_canonical_format = bool(getattr(x, "has_canonical_format", False))
    return made


def to_host(x: Any) -> Any:
    """The array of `scipy.sparse` for one of this package."""
    scipy_sparse = importlib.import_module("scipy.sparse")
    kind = getattr(scipy_sparse, f"{x.format}_{'array' if x._is_array else 'matrix'}")
    if x.format in _PARTS:
        shape, *parts = guarded = x._guarded()
        # Arrays of rows and columns know on the host again whether they are sorted.
        made = kind(tuple(part.get() for part in parts), shape=shape)
        if x.format != "dia" and not x._knows(*guarded):
            # Another thread may have written to the indices since they were checked: SciPy would leave its memory.
            _check_copy(made)
        return made
    coo = x.tocoo(copy=False)
    coords = tuple(index.get() for index in coo.coords)
    if x.format == "coo":
        return kind((coo.data.get(), coords), shape=x.shape)
    made = scipy_sparse.coo_array if x._is_array else scipy_sparse.coo_matrix
    return made((coo.data.get(), coords), shape=x.shape).asformat(x.format)


def _check_copy(x: Any) -> None:
    """Raises `ValueError` unless all indices of a compressed array of SciPy lie in its shape, and its offsets rise."""
    shape = x.shape if x.ndim == 2 else (1, *x.shape)
    sizes = x.blocksize if x.format == "bsr" else (1, 1)
    majors, minors = (length // size for length, size in zip(shape, sizes, strict=True))
    if x.format == "csc":
        majors, minors = minors, majors
    offsets, indices = np.asarray(x.indptr), np.asarray(x.indices)
    if (
        len(offsets) != majors + 1
        or offsets[0] != 0
        or offsets[-1] > min(len(indices), len(x.data))
        or (offsets[1:] < offsets[:-1]).any()
        or not ((indices >= 0) & (indices < minors)).all()
    ):
        raise ValueError("another thread changed this array while it was copied to the host")
