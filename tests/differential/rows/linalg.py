"""Rows of scipy.linalg and scipy.linalg.interpolative."""

import numpy as np

from ..draws import (
    LINALG,
    alone,
    always,
    array,
    between,
    computed,
    definite,
    dominant,
    integer,
    made,
    mapped,
    maybe,
    normal,
    one,
    row,
    several,
    size,
    square,
    symmetric,
    upper,
)

LINEAR = {"kinds": LINALG}
matrix = array("* m n", **LINEAR)
tame = square(then=dominant, finite=False)
spd = square(then=definite, kinds="dfl")
sym = square(then=symmetric, kinds="dfl")
flags = {"overwrite_a": one(True, False), "check_finite": one(True, False)}
finite = {"check_finite": one(True, False)}
side = one(True, False)


def absolute(result):
    """Vectors are known up to sign."""
    return [absolute(part) for part in result] if isinstance(result, (tuple, list)) else abs(np.asarray(result))


def by_size(result):
    values = np.asarray(result).ravel()
    # Pairs of conjugates have the same real part but for rounding.
    return values[np.lexsort((values.imag, np.round(values.real, 6)))]


def whole_form(result):
    """A Schur form of a symmetric matrix: the order of the diagonal follows from roundings, the product is the matrix."""
    t, z = result
    return [np.sort(np.diagonal(t, 0, -2, -1).real, axis=-1), z @ t @ np.swapaxes(z, -1, -2).conj()]


def gram(result):
    """A basis of a subspace, by its projector."""
    return result @ np.swapaxes(result, -1, -2).conj()


row("linalg.bandwidth issymmetric ishermitian", array("n n", **LINEAR))
row("linalg.issymmetric ishermitian", array("n n", then=symmetric, **LINEAR), atol=one(0, 1e-3), rtol=one(0, 1e-3))
row("linalg.block_diag", several(array("* m n", **LINEAR)), _star=True)
row("linalg.cdf2rdf", array("* n", normal, "dD"), array("* n n", **LINEAR))


def triangle(result):
    """The triangle that is the factor: SciPy leaves in the other one what was passed."""
    if not (isinstance(result, (tuple, list)) and len(result) == 2 and isinstance(result[0], np.ndarray)):
        return result
    factor, lower = result
    return type(result)((np.tril(factor) if np.all(lower) else np.triu(factor), lower))


row("linalg.cho_factor", spd, side, _form=triangle, **flags)
row("linalg.cho_solve", (array("n n", then=definite, kinds="dfD"), side), array("n", **LINEAR))
row("linalg.cho_solve", (array("n n", then=definite, kinds="dfD"), side), array("n k", **LINEAR))
row("linalg.cholesky", spd, side, **flags)
row("linalg.cholesky", sym, side)
banded = mapped(
    lambda value: value + np.where(np.arange(value.shape[0]) == 0, 9, 0)[:, None], array("2 n", kinds="dfD")
)
row("linalg.cholesky_banded", banded, lower=always(True))
row("linalg.cho_solve_banded", (banded, True), array("n", **LINEAR))
row("linalg.solveh_banded", banded, array("n", **LINEAR), lower=always(True))
row("linalg.solve_banded", (1, 1), array("3 n+2", then=lambda v: v + [[0], [9], [0]], **LINEAR), array("n+2", **LINEAR))
row("linalg.circulant companion fiedler fiedler_companion", array("* n+1", **LINEAR))
row("linalg.clarkson_woodruff_transform", array("m n"), integer(1, 9), rng=always(3), _random=True)
row("linalg.convolution_matrix", array("* n", **LINEAR), integer(1, 6), mode=one("full", "valid", "same"))
row("linalg.coshm sinhm cosm sinm tanm tanhm", square("n n", values=between(-0.7, 0.7)), _bound=1e-7)
row("linalg.expm", square(), _bound=1e-7)
row("linalg.cossin", array("6 6", kinds="d"), 3, 3, _form=absolute, _hostile=False, _random=True)
row("linalg.det inv", tame, **flags)
row("linalg.det inv", square())
row("linalg.inv", spd, assume_a=one("pos", "sym", "gen", "her"), lower=side)
row("linalg.dft", integer(0, 9), one(None, "sqrtn", "n"))
row("linalg.hadamard", one(1, 2, 4, 8, 3), dtype=one(int, complex, float))
row("linalg.helmert", integer(1, 9), full=side)
row("linalg.hilbert", integer(0, 9))
row("linalg.invhilbert invpascal pascal", integer(0, 9), exact=side, _bound=1e-6, _most=12)
row("linalg.invpascal pascal", integer(0, 9), kind=one("symmetric", "upper", "lower"), _most=12)
row("linalg.diagsvd", array("n"), size("n"), mapped(lambda n: n + 3, size("n")))
row("linalg.eigvals", square(), _bound=1e-6, _form=by_size, **flags)
row("linalg.eigvals", square(), tame, _form=by_size, _bound=1e-6)
row("linalg.eig", sym, _form=lambda r: by_size(r[0]), right=side)
row("linalg.eig", square(), left=side, right=side, _random=True)
row("linalg.eigh", sym, _form=absolute, lower=side, eigvals_only=side, _bound=1e-6)
row("linalg.eigh eigvalsh", sym, spd, _form=absolute, lower=side, type=one(1, 2, 3), _bound=1e-6)
row("linalg.eigvalsh", sym, lower=side, driver=one("ev", "evd", "evr", "evx"), _bound=1e-6)
row("linalg.eigvalsh eigh", square("5 5", then=symmetric, kinds="dfl"), subset_by_index=always((1, 3)), _form=absolute)
band = array("3 n+3", kinds="dfl")
row("linalg.eig_banded", band, lower=side, _form=absolute, _bound=1e-6)
row("linalg.eigvals_banded", band, lower=side, select=one("a", "i"), select_range=always((1, 2)), _bound=1e-6)
diagonals = (array("n+1", kinds="dfl"), array("n", kinds="dfl"))
row("linalg.eigh_tridiagonal", *diagonals, eigvals_only=side, _form=absolute, _bound=1e-6)
row("linalg.eigvalsh_tridiagonal", *diagonals, lapack_driver=one("auto", "stebz", "sterf", "stev"), _bound=1e-6)
row("linalg.expm_cond", square("n n", kinds="dfl"), _bound=1e-4)
row(
    "linalg.expm_frechet",
    square("n n"),
    square("n n"),
    method=one("SPS", "blockEnlarge"),
    compute_expm=side,
    _bound=1e-6,
)
row("linalg.fractional_matrix_power", tame, one(0.5, 2, 1.3, 0, -1, -0.5), _bound=1e-6)
row("linalg.funm", square("n n", then=dominant, kinds="dfD"), computed(lambda d: np_exp(d)), _bound=1e-5)
row("linalg.logm sqrtm signm", square("n n", then=dominant, kinds="dfD"), _bound=1e-6)
row("linalg.sqrtm", tame, _bound=1e-6)
row("linalg.hankel", array("n", **LINEAR), maybe(array("m", **LINEAR)))
row("linalg.toeplitz", array("* n", **LINEAR), maybe(array("* m", **LINEAR)))
row("linalg.hessenberg", square(), _form=absolute, calc_q=side, **flags)
row("linalg.khatri_rao", array("m k", **LINEAR), array("n k", **LINEAR))
row("linalg.ldl", sym, lower=side, hermitian=side, _bound=1e-6)
row("linalg.leslie", array("* n+1", **LINEAR), array("* n", **LINEAR))
row("linalg.lstsq", array("7 3", **LINEAR), array("7", **LINEAR), _bound=1e-6)
row("linalg.lstsq", matrix, array("* m k", **LINEAR), lapack_driver=one("gelsd", "gelsy", "gelss"), _bound=1e-5)
row("linalg.lu", matrix, permute_l=side, p_indices=side, **finite)
row("linalg.lu_factor", matrix, **flags)
row("linalg.lu_solve", made("linalg.lu_factor", tame), array("* n", **LINEAR), trans=one(0, 1, 2))
row("linalg.lu_solve", made("linalg.lu_factor", tame), array("* n k", **LINEAR))
row("linalg.matmul_toeplitz", array("n", **LINEAR), array("n k", **LINEAR))
row("linalg.matmul_toeplitz", (array("n", **LINEAR), array("n", **LINEAR)), array("n", **LINEAR))
row("linalg.solve_toeplitz", array("n", then=lambda v: v + 9 * (np.arange(v.shape[-1]) == 0), **LINEAR), array("n k"))
row("linalg.matrix_balance", square(), permute=side, scale=side, separate=side)
row(
    "linalg.norm",
    array("...", **LINEAR),
    one(None, 2, 1, np.inf, -np.inf, 0, 3, "fro", "nuc", -1),
    axis=one(None, 0, -1),
)
row("linalg.norm", array("m n", **LINEAR), one(None, 2, 1, np.inf, "fro", "nuc", -2), keepdims=side)
row("linalg.null_space", array("2 4", kinds="dfD"), _form=gram, _bound=1e-6)
row("linalg.orth", array("* m n", kinds="dfD"), _form=gram, _bound=1e-6)
row(
    "linalg.ordqz qz", square("n n", kinds="dD"), square("n n", kinds="dD"), _random=True, output=one("real", "complex")
)
row("linalg.orthogonal_procrustes", array("9 3", **LINEAR), array("9 3", **LINEAR), _bound=1e-6)
row("linalg.pinv", array("* m n", kinds="dfD"), return_rank=side, rtol=one(1e-3, 1e-6), _bound=1e-5)
row("linalg.pinvh", sym, return_rank=side, lower=side, _bound=1e-5)
row("linalg.polar", square(then=dominant, kinds="dfD"), one("left", "right"), _bound=1e-6)
row("linalg.qr", matrix, _form=absolute, mode=one("full", "r", "economic", "raw"), _bound=1e-5)
row("linalg.qr", array("m n", kinds="df"), pivoting=side, _form=absolute, _bound=1e-5)
row("linalg.rq", array("* n m", kinds="dfD"), _form=absolute, mode=one("full", "r", "economic"), _bound=1e-5)
factors = made("linalg.qr", array("6 4", kinds="dfD"))
unpacked = {"_form": lambda r: r[0] @ r[1] if isinstance(r, tuple) else r, "_bound": 1e-5}
orthogonal = mapped(lambda v: np.linalg.qr(v)[0], array("6 6", kinds="df", finite=True))
triangle = array("6 4", then=np.triu, kinds="df")
row("linalg.qr_delete", orthogonal, triangle, integer(0, 3), integer(1, 2), one("row", "col"), **unpacked)
row("linalg.qr_insert", orthogonal, triangle, array("4", kinds="df"), integer(0, 5), "row", **unpacked)
row("linalg.qr_insert", orthogonal, triangle, array("6", kinds="df"), integer(0, 3), "col", **unpacked)
row("linalg.qr_update", orthogonal, triangle, array("6", kinds="df"), array("4", kinds="df"), **unpacked)
row("linalg.qr_multiply", array("6 4", kinds="df"), array("4 4", kinds="df"), "left", _form=absolute, pivoting=side)
row("linalg.qr_multiply", array("6 4", kinds="df"), array("3 6", kinds="df"), "right", _form=absolute, pivoting=side)
row("linalg.schur", sym, _form=whole_form, output=one("real", "complex"), _bound=1e-6)
row("linalg.schur", square(), _random=True, output=one("real", "complex"), sort=one("lhp", "rhp", "iuc", "ouc"))
row(
    "linalg.rsf2csf",
    array("n n", then=upper, kinds="df"),
    mapped(lambda v: np.eye(len(v)), array("n n")),
    _form=absolute,
)
for extra in ({}, {"assume_a": one("gen", "sym", "her", "pos", "diagonal", "tridiagonal", "upper triangular")}):
    row("linalg.solve", spd, array("* n", **LINEAR), **extra)
    row("linalg.solve", tame, array("* n k", **LINEAR), transposed=side)
row(
    "linalg.solve_circulant",
    array("n", then=lambda v: v + 9, kinds="df"),
    array("n k", **LINEAR),
    singular=one("raise", "lstsq"),
)
row("linalg.solve_circulant", array("n", **LINEAR), array("n", **LINEAR))
pair = (square("n n", kinds="dfl"), square("n n", kinds="dfl"))
row(
    "linalg.solve_continuous_are solve_discrete_are",
    square("n n", kinds="dfl"), array("n 2", kinds="dfl"), array("n n", then=definite, kinds="dfl"),
    array("2 2", then=definite, kinds="dfl"), balanced=side, _bound=1e-5,
)  # fmt: skip
row("linalg.solve_continuous_lyapunov solve_lyapunov solve_discrete_lyapunov", *pair, _bound=1e-5)
row("linalg.solve_discrete_lyapunov", *pair, method=one("direct", "bilinear"), _bound=1e-5)
row("linalg.solve_sylvester", tame, square("m m", then=dominant, kinds="dfD"), array("n m", **LINEAR), _bound=1e-6)
row(
    "linalg.solve_triangular", square(then=upper), array("* n", **LINEAR), trans=one(0, 1, 2, "N", "T", "C"), lower=side
)
row("linalg.solve_triangular", square(then=upper), array("* n k", **LINEAR), unit_diagonal=side)
row("linalg.subspace_angles", array("6 2", kinds="dfD"), array("6 3", kinds="dfD"), _bound=1e-6)
row("linalg.svd", matrix, _form=absolute, compute_uv=side, full_matrices=always(False), _bound=1e-5)
row("linalg.svd", matrix, _random=True, full_matrices=side, lapack_driver=one("gesdd", "gesvd"))
row("linalg.svdvals", matrix, **flags)

low_rank = mapped(lambda v: np.asarray(v, float) @ np.ones((3, 3)) * 1.0, array("7 3", kinds="d", finite=True))
row("linalg.interpolative.estimate_rank", low_rank, one(1e-3, 1e-6), rng=always(3), _random=True)
row("linalg.interpolative.estimate_spectral_norm", array("6 4", kinds="d"), rng=always(3), _bound=1e-2)
row(
    "linalg.interpolative.estimate_spectral_norm_diff",
    array("6 4", kinds="d"),
    array("6 4", kinds="d"),
    rng=always(3),
    _bound=1e-2,
)
# A rank beyond the matrix ends the process in SciPy.
row("linalg.interpolative.interp_decomp", array("6 4", kinds="dD"), integer(1, 3), rand=always(False), _hostile=False)
row(
    "linalg.interpolative.svd",
    array("6 4", kinds="dD"),
    integer(1, 3),
    rand=always(False),
    _hostile=False,
    _random=True,
)
order = mapped(lambda v: np.argsort(v), array("4", kinds="d", finite=True))
row("linalg.interpolative.reconstruct_interp_matrix", order, array("2 2", kinds="d"))
row("linalg.interpolative.reconstruct_matrix_from_id", array("6 2", kinds="d"), order, array("2 2", kinds="d"))
row("linalg.interpolative.reconstruct_skel_matrix", array("6 4", kinds="d"), integer(1, 3), order)
row(
    "linalg.interpolative.id_to_svd",
    array("6 2", kinds="d"),
    order,
    array("2 2", kinds="d"),
    _form=lambda r: absolute(r[1]),
)
alone("linalg.LinAlgError LinAlgWarning", "an exception or a warning")


def np_exp(draw):
    from ..draws import Callback

    return Callback(lambda xp: xp.exp, "exp")
