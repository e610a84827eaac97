"""Linear algebra beyond NumPy's: factors, functions of matrices, equations, special matrices. See `scipy.linalg`."""

from __future__ import annotations

from ..._lib.texts import complete as _complete
from . import interpolative
from ._balance import matrix_balance
from ._banded import cho_solve_banded, cholesky_banded, solve_banded, solveh_banded
from ._basic import (
    det,
    inv,
    lstsq,
    matmul_toeplitz,
    pinv,
    pinvh,
    solve,
    solve_circulant,
    solve_toeplitz,
)
from ._common import LinAlgError, LinAlgWarning
from ._cosine_sine import cossin
from ._eigen import (
    eig,
    eig_banded,
    eigh,
    eigh_tridiagonal,
    eigvals,
    eigvals_banded,
    eigvalsh,
    eigvalsh_tridiagonal,
)
from ._equations import (
    solve_continuous_are,
    solve_continuous_lyapunov,
    solve_discrete_are,
    solve_discrete_lyapunov,
    solve_lyapunov,
)
from ._exponentials import (
    coshm,
    cosm,
    expm,
    expm_cond,
    expm_frechet,
    sinhm,
    sinm,
    tanhm,
    tanm,
)
from ._factors import (
    cho_factor,
    cho_solve,
    cholesky,
    lu,
    lu_factor,
    lu_solve,
    solve_triangular,
)
from ._functions import (
    fractional_matrix_power,
    funm,
    logm,
    sqrtm,
)
from ._indefinite import ldl
from ._orthogonal import (
    diagsvd,
    null_space,
    orth,
    orthogonal_procrustes,
    polar,
    qr,
    qr_multiply,
    rq,
    subspace_angles,
    svd,
    svdvals,
)
from ._pencils import ordqz, qz
from ._schur import cdf2rdf, hessenberg, rsf2csf, schur, solve_sylvester
from ._signs import signm
from ._sketches import clarkson_woodruff_transform
from ._structured import (
    bandwidth,
    block_diag,
    circulant,
    companion,
    convolution_matrix,
    dft,
    fiedler,
    fiedler_companion,
    hadamard,
    hankel,
    helmert,
    hilbert,
    invhilbert,
    invpascal,
    ishermitian,
    issymmetric,
    khatri_rao,
    leslie,
    norm,
    pascal,
    toeplitz,
)
from ._texts import TEXTS as _TEXTS
from ._updates import qr_delete, qr_insert, qr_update

__all__ = [
    "LinAlgError",
    "LinAlgWarning",
    "bandwidth",
    "block_diag",
    "cdf2rdf",
    "cho_factor",
    "cho_solve",
    "cho_solve_banded",
    "cholesky",
    "cholesky_banded",
    "circulant",
    "clarkson_woodruff_transform",
    "companion",
    "convolution_matrix",
    "coshm",
    "cosm",
    "cossin",
    "det",
    "dft",
    "diagsvd",
    "eig",
    "eig_banded",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvals_banded",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "expm",
    "expm_cond",
    "expm_frechet",
    "fiedler",
    "fiedler_companion",
    "fractional_matrix_power",
    "funm",
    "hadamard",
    "hankel",
    "helmert",
    "hessenberg",
    "hilbert",
    "interpolative",
    "inv",
    "invhilbert",
    "invpascal",
    "ishermitian",
    "issymmetric",
    "khatri_rao",
    "ldl",
    "leslie",
    "logm",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul_toeplitz",
    "matrix_balance",
    "norm",
    "null_space",
    "ordqz",
    "orth",
    "orthogonal_procrustes",
    "pascal",
    "pinv",
    "pinvh",
    "polar",
    "qr",
    "qr_delete",
    "qr_insert",
    "qr_multiply",
    "qr_update",
    "qz",
    "rq",
    "rsf2csf",
    "schur",
    "signm",
    "sinhm",
    "sinm",
    "solve",
    "solve_banded",
    "solve_circulant",
    "solve_continuous_are",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_lyapunov",
    "solve_sylvester",
    "solve_toeplitz",
    "solve_triangular",
    "solveh_banded",
    "sqrtm",
    "subspace_angles",
    "svd",
    "svdvals",
    "tanhm",
    "tanm",
    "toeplitz",
]


_complete(globals(), __all__, _TEXTS, "scipy.linalg")
_complete(vars(interpolative), interpolative.__all__, _TEXTS, "scipy.linalg.interpolative")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
