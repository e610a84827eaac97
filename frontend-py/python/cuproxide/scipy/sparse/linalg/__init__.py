"""Linear algebra with sparse matrices and operators. See `scipy.sparse.linalg` and `docs/sparse-linalg.md`."""

# ruff: noqa: F403, F405

from __future__ import annotations

from ...._lib.exports import declared as _declared
from ...._lib.texts import complete as _complete
from .._texts import TEXTS as _TEXTS
from ._conjugate import *
from ._direct import *
from ._eigen import *
from ._functions import *
from ._krylov import *
from ._laplacian_nd import *
from ._least_squares import *
from ._lobpcg import *
from ._norms import *
from ._operators import *
from ._preconditioners import *
from ._quasi_minimal import *
from ._residuals import *
from ._singular import *
from ._triangular import *

__all__ = _declared(globals())

_complete(globals(), __all__, _TEXTS, "scipy.sparse.linalg", without=("ic0", "ilu0", "jacobi"))


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
