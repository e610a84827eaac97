"""Sparse arrays and matrices on the device. See `scipy.sparse` and `docs/sparse.md`."""

from __future__ import annotations

import importlib
from typing import Any

from ..._lib.texts import complete as _complete
from ._base import sparray, sparse_base, spmatrix
from ._blocks import block_array, block_diag, bmat, hstack, vstack
from ._bsr import bsr_array, bsr_matrix
from ._checks import SparseEfficiencyWarning, SparseWarning, get_index_dtype, safely_cast_index_arrays
from ._construct import (
    diags,
    diags_array,
    expand_dims,
    eye,
    eye_array,
    identity,
    kron,
    kronsum,
    matrix_transpose,
    permute_dims,
    spdiags,
    swapaxes,
)
from ._coo import coo_array, coo_matrix
from ._csc import csc_array, csc_matrix
from ._csr import csr_array, csr_matrix
from ._dia import dia_array, dia_matrix
from ._dok import dok_array, dok_matrix
from ._extract import find, tril, triu
from ._files import load_npz, save_npz
from ._lil import lil_array, lil_matrix
from ._random import rand, random, random_array
from ._sampled import sampled_addmm
from ._texts import TEXTS as _TEXTS

__all__ = [
    "SparseEfficiencyWarning",
    "SparseWarning",
    "block_array",
    "block_diag",
    "bmat",
    "bsr_array",
    "bsr_matrix",
    "coo_array",
    "coo_matrix",
    "csc_array",
    "csc_matrix",
    "csgraph",
    "csr_array",
    "csr_matrix",
    "dia_array",
    "dia_matrix",
    "diags",
    "diags_array",
    "dok_array",
    "dok_matrix",
    "expand_dims",
    "eye",
    "eye_array",
    "find",
    "get_index_dtype",
    "hstack",
    "identity",
    "issparse",
    "isspmatrix",
    "isspmatrix_bsr",
    "isspmatrix_coo",
    "isspmatrix_csc",
    "isspmatrix_csr",
    "isspmatrix_dia",
    "isspmatrix_dok",
    "isspmatrix_lil",
    "kron",
    "kronsum",
    "lil_array",
    "lil_matrix",
    "linalg",
    "load_npz",
    "matrix_transpose",
    "permute_dims",
    "rand",
    "random",
    "random_array",
    "safely_cast_index_arrays",
    "sampled_addmm",
    "save_npz",
    "sparray",
    "spdiags",
    "spmatrix",
    "swapaxes",
    "tril",
    "triu",
    "vstack",
]


def issparse(x: Any) -> bool:
    """Whether `x` is a sparse array or matrix of this package; false for SciPy's, which are on the host.

    >>> cp.scipy.sparse.issparse(cp.ones(3))
    False
    """
    return isinstance(x, sparse_base)


def isspmatrix(x: Any) -> bool:
    """Whether `x` is a sparse matrix of this package, and no sparse array.

    >>> cp.scipy.sparse.isspmatrix(cp.scipy.sparse.identity(3))
    True
    """
    return isinstance(x, spmatrix)


def _is(format: str) -> Any:
    def test(x: Any) -> bool:
        return isinstance(x, spmatrix) and x.format == format

    test.__name__ = test.__qualname__ = f"isspmatrix_{format}"
    test.__doc__ = f"""Whether `x` is a sparse matrix of this package in the format {format.upper()}.

    >>> cp.scipy.sparse.isspmatrix_{format}(cp.ones(3))
    False
    """
    return test


isspmatrix_bsr = _is("bsr")
isspmatrix_coo = _is("coo")
isspmatrix_csc = _is("csc")
isspmatrix_csr = _is("csr")
isspmatrix_dia = _is("dia")
isspmatrix_dok = _is("dok")
isspmatrix_lil = _is("lil")

_complete(globals(), __all__, _TEXTS, "scipy.sparse", without=("matrix_transpose", "sampled_addmm"))


def __getattr__(name: str) -> Any:
    # These two are imported when first asked for.
    if name in ("csgraph", "linalg"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
