"""Direct solvers of very large and very small matrices, growth in incomplete factors, and types of solutions."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse as host_sparse
import scipy.sparse.linalg as host_linalg
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg
from versions import SCIPY_1_18

UNIT = np.finfo(float).eps


def system(complex_elements, order=12):
    draw = np.random.default_rng(3)
    kept = draw.random((order, order)) < 0.4
    dense = np.where(kept, draw.standard_normal((order, order)), 0) + 3 * np.eye(order)
    right = draw.standard_normal(order)
    return (dense + 1j * dense.T, right + 1j * right[::-1]) if complex_elements else (dense, right)


SOLVERS = {
    "spsolve": linalg.spsolve,
    "splu": lambda A, b: linalg.splu(A).solve(b),
    "spilu": lambda A, b: linalg.spilu(A, drop_tol=0.0).solve(b),
    "factorized": lambda A, b: linalg.factorized(A)(b),
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("complex_elements", [False, True])
@pytest.mark.parametrize("exponent", [-1070, -1030, -1000, 1000, 1020])
def test_matrices_of_all_sizes(exponent, complex_elements, name):
    dense, right = system(complex_elements)
    steps = [2.0 ** (exponent // 2), 2.0 ** (exponent - exponent // 2)]
    small, b = (dense * steps[0] * steps[1], right * steps[0] * steps[1])
    # What is left of the digits of tiny numbers is an exact matrix: that one is to be solved.
    near = small / steps[0] / steps[1]
    expected = np.linalg.solve(near, b / steps[0] / steps[1])
    x = SOLVERS[name](sparse.csc_array(cp.asarray(small)), cp.asarray(b)).get()
    np.testing.assert_allclose(x, expected, rtol=0, atol=2000 * UNIT * abs(expected).max())


def test_factors_of_small_matrices():
    dense, _ = system(False)
    small = dense * 2.0**-1000
    factors = linalg.splu(sparse.csc_array(cp.asarray(small)))
    product = (factors.L @ factors.U).toarray().get()
    rows, columns = factors.perm_r.get(), factors.perm_c.get()
    permuted = np.empty_like(small)
    permuted[np.ix_(rows, columns)] = small
    np.testing.assert_allclose(product * 2.0**1000, permuted * 2.0**1000, atol=100 * UNIT)


def test_quotients_of_small_complex_pivots():
    # Squares of the pivots' sizes are no numbers, and no power of two brings both pivots near 1.
    dense = np.diag([1.0, 1e-200j, 1e170 + 1e170j])
    dense[2, 0] = 0.5
    right = cp.asarray([1.0, 1e-200j, 0.5 + 1e170 + 1e170j])
    for factors in (linalg.splu, linalg.spilu):
        x = factors(sparse.csc_array(cp.asarray(dense))).solve(right).get()
        np.testing.assert_allclose(x, [1, 1, 1], rtol=1e-14)


@pytest.mark.parametrize("order", [30, 60])
def test_incomplete_factors_without_growth(order):
    # Wilkinson's matrix, whose elements double with every row that is eliminated by its diagonal.
    dense = np.tril(-np.ones((order, order)), -1) + np.eye(order)
    dense[:, -1] = 1
    b = np.random.default_rng(1).standard_normal(order)
    A = sparse.csc_array(cp.asarray(dense))
    x = linalg.spilu(A, drop_tol=0.0, fill_factor=order).solve(cp.asarray(b)).get()
    error = np.abs(b - dense @ x) / (np.abs(dense) @ np.abs(x) + np.abs(b))
    assert error.max() < 100 * UNIT
    # Who asks for pivots on the diagonal gets them.
    largest = abs(linalg.spilu(A, drop_tol=0.0, fill_factor=order, diag_pivot_thresh=0.1).U).max()
    assert float(largest) > 1e3


@pytest.mark.parametrize("types", [("f4", "f4"), ("f8", "f4"), ("i4", "f8"), ("i8", "i8")])
@pytest.mark.parametrize("guess", [None, "f4", "f8"])
@pytest.mark.parametrize("name", ["minres", "lsqr", "lsmr", "cg", "gmres"])
def test_types_of_solutions(name, types, guess):
    dense, right = np.diag([2.0, 3, 4]).astype(types[0]), np.ones(3, types[1])
    start = None if guess is None else np.zeros(3, guess)
    theirs = getattr(host_linalg, name)(host_sparse.csr_array(dense), right, x0=start)[0]
    start = None if start is None else cp.asarray(start)
    mine = getattr(linalg, name)(sparse.csr_array(cp.asarray(dense)), cp.asarray(right), x0=start)[0]
    # Before SciPy 1.18 `minres` computes in double precision whatever it is given.
    assert mine.dtype == (theirs.dtype if SCIPY_1_18 or name != "minres" else np.result_type(*types, "f4"))
    np.testing.assert_allclose(mine.get(), theirs, rtol=1e-4)


def test_indices_of_inverses_are_narrow():
    A = sparse.csr_array(cp.asarray(system(False)[0]))
    assert linalg.inv(A).indices.dtype == host_linalg.inv(A.get().tocsc()).indices.dtype == np.int32


ITERATIVE = ["bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr"]
RANGES = [("float32", -80), ("float32", 80), ("float64", -600), ("float64", 600), ("complex64", -80)]


@pytest.mark.parametrize("name", ITERATIVE)
@pytest.mark.parametrize("dtype, exponent", RANGES)
def test_right_sides_whose_squares_leave_the_range(dtype, exponent, name):
    """Their norm would be 0 or infinite, and the solution `b` itself (findings/scipy_tiny_right_sides.sh)."""
    if name == "minres" and dtype == "complex64":
        pytest.skip("of real matrices")
    dense, right = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 5]], dtype), np.array([1, 2, 3], dtype)
    power, solver, seen = np.dtype(dtype).type(2.0**exponent), getattr(linalg, name), []
    wanted, _ = solver(sparse.csr_array(cp.asarray(dense)), cp.asarray(right), rtol=1e-6)
    for A, shift in ((dense, 0), (dense * power, -exponent)):
        matrix = sparse.csr_array(cp.asarray(A))
        options = {"callback": lambda x: seen.append(x), "rtol": 1e-6}
        if name == "gmres":
            options["callback_type"] = "x"
        x, info = solver(matrix, cp.asarray(right * power), **options)
        assert info == 0 and x.dtype == dtype
        np.testing.assert_allclose(x.get() / 2.0 ** (exponent + shift), wanted.get(), rtol=1e-4)
        if seen and name in ("cg", "gmres", "minres"):
            np.testing.assert_allclose(seen[-1].get() / 2.0 ** (exponent + shift), wanted.get(), rtol=1e-4)


def test_right_sides_with_guesses_and_preconditioners():
    dense, right = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 5]], "float32"), np.array([1, 2, 3], "float32")
    power = np.float32(2.0**-80)
    A, b = sparse.csr_array(cp.asarray(dense * power)), cp.asarray(right * power)
    inverse = cp.asarray((np.linalg.inv(dense.astype(float)) / float(power)).astype("float32"))
    for solver in (linalg.cg, linalg.gmres, linalg.lgmres, linalg.minres):
        x, info = solver(A, b, cp.asarray([0.1, 0.4, 0.5], "float32"), M=inverse)
        assert info == 0
        np.testing.assert_allclose(x.get(), np.linalg.solve(dense, right), rtol=1e-4)
    # A tolerance above the norm of `b` is met by zero.
    x, info = linalg.cg(A, b, atol=1e-20, rtol=0)
    assert info == 0 and not x.any()


@pytest.mark.parametrize("name", ITERATIVE)
def test_tolerances_and_norms_beyond_the_range(name):
    solver, A = getattr(linalg, name), sparse.csr_array(cp.asarray(np.diag(np.full(9, 2.0))))
    # The norm of these finite elements is infinite.
    x, info = solver(A, cp.full(9, 1.5e308))
    assert info == 0
    np.testing.assert_allclose(x.get(), 0.75e308, rtol=1e-5)
    if name != "minres":
        # In the unit of the right-hand side this tolerance is infinite.
        x, info = solver(A, cp.full(9, 1e-310), atol=1.0)
        assert info == 0 and float(abs(x).max()) <= 1e-310


def test_shifts_far_beyond_the_matrix():
    A = sparse.csr_array(cp.asarray(np.diag([1e-310, 2e-310])))
    x, info = linalg.minres(A, cp.asarray([1e-310, 2e-310]), shift=1.0)
    assert info == 0
    np.testing.assert_allclose(x.get(), [-1e-310, -2e-310], rtol=1e-5)


@pytest.mark.parametrize("dtype, exponent", RANGES[:4] + [("float64", -400), ("float32", -30)])
def test_eigenvalues_and_singular_values_of_all_sizes(dtype, exponent):
    draw = np.random.default_rng(5)
    dense = draw.standard_normal((40, 40)).astype(dtype)
    power = np.dtype(dtype).type(2.0**exponent)
    tolerance = {"rtol": 1e-4 if dtype == "float32" else 1e-10}
    for kind in (sparse.csr_array, lambda x: x):
        A = kind(cp.asarray((dense + dense.T) * power))
        values, vectors = linalg.eigsh(A, k=3)
        wanted = np.linalg.eigvalsh((dense + dense.T).astype(float))
        wanted = np.sort(wanted[np.argsort(-abs(wanted))][:3])
        np.testing.assert_allclose(values.get() / float(power), wanted, **tolerance)
        values = linalg.eigs(A, k=2, return_eigenvectors=False).real
        np.testing.assert_allclose(np.sort(abs(values.get())) / float(power), np.sort(abs(wanted))[1:], **tolerance)
        A, wanted = kind(cp.asarray(dense * power)), np.linalg.svd(dense.astype(float))[1][:3]
        u, s, vh = linalg.svds(A, k=3)
        np.testing.assert_allclose(s.get()[::-1] / float(power), wanted, **tolerance)
        found = linalg.svds(A, k=3, return_singular_vectors=False)
        np.testing.assert_allclose(found.get()[::-1] / float(power), wanted, **tolerance)
        images = cp.asarray(dense.astype(float)).T @ u.astype(float)
        np.testing.assert_allclose(images.get(), (vh.T * (s / power)).get(), atol=2e-3 if dtype == "float32" else 1e-8)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
@pytest.mark.parametrize("unit", [1e-140, 1e-100, 1e-16, 1e-12, 1.0, 1e12, 1e100, 1e140])
def test_least_squares_in_any_unit(unit, name):
    """SciPy's tests for the end have summands of a size of their own (findings/scipy_least_squares_units.sh)."""
    draw = np.random.default_rng(0)
    dense = draw.standard_normal((20, 5))
    right = dense @ np.arange(1.0, 6) + 0.3 * draw.standard_normal(20)
    found = getattr(linalg, name)(cp.asarray(dense * unit), cp.asarray(right * unit), atol=1e-8, btol=1e-8)
    np.testing.assert_allclose(found[0].get(), np.linalg.lstsq(dense, right)[0], rtol=1e-6)
    assert found[1:3] == (2, 5)


def positive_definite(order=30):
    draw = np.random.default_rng(1).standard_normal((order, order))
    return draw @ draw.T + order * np.eye(order)


@pytest.mark.parametrize("exponents", [(0, 20), (-20, 0), (-60, 0), (30, 60), (-700, 0), (0, 700), (-700, -700)])
def test_minres_knows_no_unit(exponents):
    """SciPy's ends after a step where the matrix is smaller than the right side (findings/scipy_minres_units.sh)."""
    dense = positive_definite()
    right, (of_matrix, of_side) = dense @ np.ones(len(dense)), exponents
    wanted, _ = linalg.minres(cp.asarray(dense), cp.asarray(right))
    x, info = linalg.minres(cp.asarray(dense * 2.0**of_matrix), cp.asarray(right * 2.0**of_side))
    assert info == 0
    np.testing.assert_allclose(np.ldexp(x.get(), of_matrix - of_side), wanted.get(), rtol=1e-9)


def test_minres_beside_special_matrices():
    assert linalg.minres(cp.zeros((3, 3)), cp.ones(3))[0].tolist() == [0, 0, 0]
    x, info = linalg.minres(cp.eye(3) * 1e-30, cp.asarray([1.0, 2, 3]))
    assert info == 0
    np.testing.assert_allclose(x.get(), [1e30, 2e30, 3e30], rtol=1e-12)
    x, info = linalg.minres(cp.eye(3) * 1e-200, cp.asarray([1.0, 2, 3]), shift=2.0)
    np.testing.assert_allclose(x.get(), [-0.5, -1, -1.5], rtol=1e-12)
    with pytest.raises(ValueError, match="non-symmetric"):
        linalg.minres(cp.asarray([[1.0, 5.0], [0.0, 2.0]]) * 1e-20, cp.asarray([1.0, 2]), check=True)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
@pytest.mark.parametrize("exponents", [(0, -900), (-900, 0), (-900, -900), (0, 900), (900, 0), (-1040, -1040)])
def test_least_squares_beyond_the_range_of_squares(exponents, name):
    dense = np.random.default_rng(2).integers(-9, 9, (9, 4)).astype(float)
    right, (of_matrix, of_side), damp = np.arange(1.0, 10), exponents, 0.5
    solver, back = getattr(linalg, name), of_side - of_matrix
    wanted = solver(cp.asarray(dense), cp.asarray(right), damp=damp, atol=1e-12, btol=1e-12)
    found = solver(
        sparse.csr_array(cp.asarray(np.ldexp(dense, of_matrix))),
        cp.asarray(np.ldexp(right, of_side)),
        damp=np.ldexp(damp, of_matrix),
        atol=1e-12,
        btol=1e-12,
        x0=cp.zeros(4),
    )
    np.testing.assert_allclose(np.ldexp(found[0].get(), -back), wanted[0].get(), rtol=1e-9)
    assert found[1] == wanted[1]
    powers = [of_side, of_side, of_matrix, 0, of_matrix + of_side, back]
    powers = powers if name == "lsqr" else [of_side, of_matrix + of_side, of_matrix, 0, back]
    for value, reference, power in zip(found[3:], wanted[3:], powers, strict=False):
        if abs(power) < 1000:
            assert value == pytest.approx(np.ldexp(reference, power), rel=1e-3, abs=np.ldexp(1e-9, power))


def test_least_squares_beside_a_large_damping():
    for solver in (linalg.lsqr, linalg.lsmr):
        x = solver(cp.eye(3) * 1e-300, cp.asarray([1.0, 2, 3]), damp=1.0)[0]
        np.testing.assert_allclose(x.get(), [0, 0, 0], atol=1e-299)


@pytest.mark.parametrize("name", ["gcrotmk", "bicgstab", "cg", "gmres", "lgmres", "qmr", "tfqmr", "cgs", "bicg"])
@pytest.mark.parametrize("dtype, exponent", [("f4", 100), ("f4", -100), ("f8", 900), ("f8", -900), ("F", -100)])
def test_matrices_whose_squares_leave_the_range(dtype, exponent, name):
    dense = positive_definite(9).astype(dtype)
    right = (dense @ np.ones(9)).astype(dtype)
    A = cp.asarray(dense * np.dtype(dtype).type(2.0**exponent))
    x, info = getattr(linalg, name)(A, cp.asarray(right), maxiter=3 if name == "gcrotmk" else 90)
    assert info == 0
    np.testing.assert_allclose(x.get() * 2.0**exponent, np.ones(9), atol=1e-3)


def test_right_sides_of_the_least_numbers():
    right = cp.asarray(np.array([4, 3j], complex) * 2.0**-1050)
    for name in ITERATIVE:
        x, info = getattr(linalg, name)(cp.eye(2, dtype=complex) * 2, right)
        assert info == 0
        np.testing.assert_allclose(x.get() * 2.0**1000, np.array([2, 1.5j]) * 2.0**-50, rtol=1e-4)
        # A tolerance that is infinite in the unit of the right-hand side.
        loose = {} if name == "minres" else {"atol": 1.0}
        assert getattr(linalg, name)(cp.eye(2, dtype=complex), right, **loose)[1] == 0


@pytest.mark.parametrize("dtype, exponent", [("f4", 100), ("f4", -100), ("f8", 520), ("f8", -900), ("D", -1000)])
def test_eigenvalues_near_a_shift_of_matrices_of_all_sizes(dtype, exponent):
    values = np.arange(1.0, 13)
    orthogonal = np.linalg.qr(positive_definite(12))[0]
    dense = ((orthogonal * values) @ orthogonal.T).astype(dtype) * np.dtype(dtype).type(2.0**exponent)
    shift = 4.2 * 2.0**exponent
    for A in (cp.asarray(dense), sparse.csr_array(cp.asarray(dense))):
        found = linalg.eigsh(A, 3, sigma=shift, return_eigenvectors=False)
        np.testing.assert_allclose(found.get().astype(float) * 2.0**-exponent, [3, 4, 5], rtol=1e-4)
        found = linalg.eigsh(A, 3, sigma=shift, mode="cayley", return_eigenvectors=False)
        np.testing.assert_allclose(found.get().astype(float) * 2.0**-exponent, [3, 4, 5], rtol=1e-4)
        found = linalg.eigs(A, 3, sigma=shift, return_eigenvectors=False).get().astype(complex)
        np.testing.assert_allclose(np.sort(found.real * 2.0**-exponent), [3, 4, 5], rtol=1e-4)
        found = linalg.eigsh(A, 3, M=cp.eye(12, dtype=dtype) * 2, return_eigenvectors=False)
        np.testing.assert_allclose(found.get().astype(float) * 2.0**-exponent, [5, 5.5, 6], rtol=1e-4)


@pytest.mark.parametrize("form", ["lil", "dok", "operator"])
@pytest.mark.parametrize("dtype, exponent", [("f4", 100), ("f4", -100), ("f8", 520), ("f8", -900)])
def test_eigenvalues_of_matrices_of_all_sizes_and_formats(dtype, exponent, form):
    dense = np.diag(np.arange(1, 13)).astype(dtype) * np.dtype(dtype).type(2.0**exponent)
    A = cp.asarray(dense)
    A = linalg.aslinearoperator(A) if form == "operator" else getattr(sparse, form + "_array")(A)
    for solver in (linalg.eigsh, linalg.eigs):
        found = solver(A, 3, return_eigenvectors=False).get()
        np.testing.assert_allclose(np.sort(found.real.astype(float) * 2.0**-exponent), [10, 11, 12], rtol=1e-4)
    found = linalg.svds(A, 3, return_singular_vectors=False).get()
    np.testing.assert_allclose(np.sort(found.astype(float) * 2.0**-exponent), [10, 11, 12], rtol=1e-4)


def test_an_operator_may_call_anything_its_A():
    class Gram(linalg.LinearOperator):
        def __init__(self, A):
            self.A = A
            super().__init__(A.dtype, A.shape)

        def _matvec(self, x):
            return self.A.T @ (self.A @ x)

    A = cp.diag(cp.arange(1.0, 13))
    np.testing.assert_allclose(linalg.eigsh(A.get(), 2, sigma=4.2, return_eigenvectors=False).get(), [4, 5])
    np.testing.assert_allclose(linalg.eigsh(Gram(A), 2, sigma=0, return_eigenvectors=False).get(), [1, 4])
