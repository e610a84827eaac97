"""Sparse arrays and matrices on the device. See `scipy.sparse` and `docs/sparse.md`."""

# ruff: noqa: F403, F405

from __future__ import annotations

import importlib
from typing import Any

from ..._lib.exports import declared as _declared
from ..._lib.texts import complete as _complete
from ._base import sparray as sparray
from ._base import sparse_base, spmatrix
from ._blocks import *
from ._bsr import *
from ._checks import *
from ._construct import *
from ._coo import *
from ._csc import *
from ._csr import *
from ._dia import *
from ._dok import *
from ._extract import *
from ._files import *
from ._lil import *
from ._random import *
from ._sampled import *
from ._texts import TEXTS as _TEXTS

_FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")

__all__ = [
    *("csgraph", "linalg", "sparray", "spmatrix", "issparse", "isspmatrix"),
    *(f"isspmatrix_{name}" for name in _FORMATS),
    *_declared(globals()),
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


isspmatrix_bsr, isspmatrix_coo, isspmatrix_csc, isspmatrix_csr, isspmatrix_dia, isspmatrix_dok, isspmatrix_lil = map(
    _is, _FORMATS
)

_complete(globals(), __all__, _TEXTS, "scipy.sparse", without=("matrix_transpose", "sampled_addmm"))


def __getattr__(name: str) -> Any:
    # These two are imported when first asked for.
    if name in ("csgraph", "linalg"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
