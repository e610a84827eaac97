"""Files of SciPy's format: an archive of NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ._base import sparse_base
from ._devices import own_device
from ._kinds import CONTAINERS

__all__ = ["load_npz", "save_npz"]

_PARTS = {
    "csc": ("indices", "indptr"),
    "csr": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "dia": ("offsets",),
    "coo": (),
}


@own_device
def save_npz(file: Any, matrix: Any, compressed: bool = True) -> None:
    """Writes a sparse array to a file that SciPy's `load_npz` reads as well.

    Parameters
    ----------
    file : str or file
        The name of the file, to which `.npz` is added if needed, or an open one.
    matrix : sparse array
        In any format but DOK and LIL.
    compressed : bool
        Whether the file is compressed.

    Raises
    ------
    NotImplementedError
        For DOK and LIL, as in SciPy.

    >>> import io
    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> file = io.BytesIO()
    >>> sparse.save_npz(file, sparse.eye_array(3, format="csr"))
    >>> _ = file.seek(0)
    >>> sparse.load_npz(file).nnz
    3
    """
    is_sparse = isinstance(matrix, sparse_base)
    if not is_sparse:
        raise TypeError(f"save_npz takes a sparse array, not {type(matrix).__name__}")
    if matrix.format not in _PARTS:
        raise NotImplementedError(f"Save is not implemented for sparse matrix of format {matrix.format}.")
    parts = {name: getattr(matrix, name).get() for name in _PARTS[matrix.format]}
    if matrix.format == "coo":
        if matrix.ndim == 2:
            parts |= {"row": matrix.row.get(), "col": matrix.col.get()}
        else:
            parts["coords"] = np.stack([index.get() for index in matrix.coords])
    parts |= {"format": matrix.format.encode("ascii"), "shape": matrix.shape, "data": matrix.data.get()}
    if matrix._is_array:
        parts["_is_array"] = True
    (np.savez_compressed if compressed else np.savez)(file, **parts)


def load_npz(file: Any) -> Any:
    """Reads a sparse array from a file that `save_npz`, or SciPy's, has written.

    Parameters
    ----------
    file : str or file
        The name of the file, or an open one.

    Returns
    -------
    array : sparse array or matrix, as it was saved

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it holds no sparse array, or one of an unknown format.

    >>> import io
    >>> import cuproxide as cp
    >>> from cuproxide.scipy import sparse
    >>> file = io.BytesIO()
    >>> sparse.save_npz(file, sparse.eye_array(3, format="coo"))
    >>> _ = file.seek(0)
    >>> sparse.load_npz(file).format
    'coo'
    """
    with np.load(file, allow_pickle=False) as loaded:
        if "format" not in loaded:
            raise ValueError(f"The file {file} does not contain a sparse array or matrix.")
        format = loaded["format"].item()
        # Files of early versions hold text.
        format = format.decode("ascii") if isinstance(format, bytes) else format
        is_array = bool(loaded.get("_is_array", False))
        if (format, is_array) not in CONTAINERS or format not in _PARTS:
            raise ValueError(f"Unknown format {format!r} in file {file}.")
        kind = CONTAINERS[format, is_array]
        shape = tuple(int(length) for length in loaded["shape"])
        data = cp.asarray(loaded["data"])
        if format == "coo":
            coords = tuple(loaded["coords"]) if "coords" in loaded else (loaded["row"], loaded["col"])
            return kind((data, tuple(cp.asarray(index) for index in coords)), shape=shape)
        return kind((data, *(cp.asarray(loaded[name]) for name in _PARTS[format])), shape=shape)
