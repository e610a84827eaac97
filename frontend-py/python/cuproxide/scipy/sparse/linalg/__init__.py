"""Linear algebra with sparse matrices and operators. See `scipy.sparse.linalg` and `docs/sparse-linalg.md`."""

from __future__ import annotations

from ...._lib.texts import complete as _complete
from .._texts import TEXTS as _TEXTS
from ._conjugate import bicg, bicgstab, cg, cgs
from ._direct import MatrixRankWarning, SuperLU, factorized, inv, spilu, splu, spsolve, use_solver
from ._eigen import eigs, eigsh
from ._functions import expm, expm_multiply, funm_multiply_krylov, matrix_power
from ._krylov import ArpackError, ArpackNoConvergence
from ._laplacian_nd import LaplacianNd
from ._least_squares import lsmr, lsqr
from ._lobpcg import lobpcg
from ._norms import norm, onenormest
from ._operators import LinearOperator, aslinearoperator
from ._preconditioners import ic0, ilu0, jacobi
from ._quasi_minimal import minres, qmr, tfqmr
from ._residuals import gcrotmk, gmres, lgmres
from ._singular import svds
from ._triangular import is_sptriangular, spbandwidth, spsolve_triangular

__all__ = [
    "ArpackError",
    "ArpackNoConvergence",
    "LaplacianNd",
    "LinearOperator",
    "MatrixRankWarning",
    "SuperLU",
    "aslinearoperator",
    "bicg",
    "bicgstab",
    "cg",
    "cgs",
    "eigs",
    "eigsh",
    "expm",
    "expm_multiply",
    "factorized",
    "funm_multiply_krylov",
    "gcrotmk",
    "gmres",
    "ic0",
    "ilu0",
    "inv",
    "is_sptriangular",
    "jacobi",
    "lgmres",
    "lobpcg",
    "lsmr",
    "lsqr",
    "matrix_power",
    "minres",
    "norm",
    "onenormest",
    "qmr",
    "spbandwidth",
    "spilu",
    "splu",
    "spsolve",
    "spsolve_triangular",
    "svds",
    "tfqmr",
    "use_solver",
]

_complete(globals(), __all__, _TEXTS, "scipy.sparse.linalg", without=("ic0", "ilu0", "jacobi"))


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
