"""Operators and iterative solvers, beside SciPy's."""

import threading
import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg as theirs
from cuproxide._cuproxide import host_transfers
from cuproxide.scipy.sparse import csr_array
from cuproxide.scipy.sparse import linalg as ours
from cuproxide.scipy.sparse.linalg import _panel
from helpers import check, same_error
from launches import launches
from versions import SCIPY_1_18
from ways import take_ways

DTYPES = ["float32", "float64", "complex64", "complex128"]
GENERAL = ["bicg", "bicgstab", "cgs", "gmres", "lgmres", "gcrotmk", "qmr", "tfqmr"]


def system(dtype, count=40, definite=False, seed=0):
    random = np.random.default_rng(seed)
    A = random.normal(size=(count, count)) * 0.3 + np.eye(count) * 4
    b = random.normal(size=count)
    if np.dtype(dtype).kind == "c":
        A, b = A + 0.3j * random.normal(size=A.shape), b + 1j * random.normal(size=count)
    if definite:
        A = A @ A.conj().T + np.eye(count)
    return A.astype(dtype), b.astype(dtype)


def near(ours, theirs, dtype, factor=1):
    tolerance = {"f": 2e-4, "d": 1e-8}[np.zeros(0, dtype).real.dtype.char] * factor
    assert ours.dtype == theirs.dtype, (ours.dtype, theirs.dtype)
    np.testing.assert_allclose(cp.asnumpy(ours), theirs, rtol=tolerance, atol=tolerance * (abs(theirs).max() + 1e-30))


@pytest.fixture(params=[1, 8], ids=["cpu", "gpu"])
def _ways(request, monkeypatch):
    """The ways in which a CPU and a GPU make vectors orthogonal, on whatever device there is."""
    take_ways(monkeypatch, request.param > 1, "columns between reads", "basis on the device")


@pytest.mark.usefixtures("_ways")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*GENERAL, "cg"])
def test_solvers(name, dtype):
    A, b = system(dtype, definite=name == "cg")
    options = {"callback_type": "pr_norm"} if name == "gmres" else {}
    calls = [], []
    x, info = getattr(ours, name)(cp.array(A), cp.array(b), callback=lambda _: calls[0].append(1), **options)
    y, expected = getattr(theirs, name)(A, b, callback=lambda _: calls[1].append(1), **options)
    near(x, y, dtype, 50)
    assert info == expected == 0
    # Conjugates lose digits at different steps in single precision.
    assert abs(len(calls[0]) - len(calls[1])) <= (2 if np.dtype(dtype).char in "fF" else 0)
    # Without a callback the end is noticed some steps later, and nothing changes meanwhile.
    z, info = getattr(ours, name)(cp.array(A), cp.array(b))
    assert info == 0
    near(z, cp.asnumpy(x), dtype)


@pytest.mark.parametrize("name", [*GENERAL, "cg", "minres"])
def test_sparse_matrices_guesses_and_preconditioners(name):
    A, b = system("float64", definite=name in ("cg", "minres"))
    A[abs(A) < 0.2] = 0
    A = (A + A.T) / 2
    guess = np.linspace(0, 1, 40)
    diagonal = np.diag(1 / np.diag(A))
    keys = ("M1", "M2") if name == "qmr" else ("M",)
    given = {key: theirs.aslinearoperator(diagonal) for key in keys}
    mine = {key: cp.array(diagonal) for key in keys}
    for sparse in (csr_array(scipy.sparse.csr_array(A)), ours.aslinearoperator(cp.array(A))):
        x, info = getattr(ours, name)(sparse, cp.array(b)[:, None], cp.array(guess), rtol=1e-10, **mine)
        y, expected = getattr(theirs, name)(A, b[:, None], guess, rtol=1e-10, **given)
        assert (info, x.shape) == (expected, y.shape)
        # SciPy's `tfqmr` with a preconditioner solves another system (findings/scipy_tfqmr_preconditioner.sh).
        if name != "tfqmr":
            np.testing.assert_allclose(cp.asnumpy(x), y, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(A @ cp.asnumpy(x), b, atol=1e-7)


@pytest.mark.parametrize("name", [*GENERAL, "cg"])
def test_too_few_iterations(name):
    A, b = system("float64", 30, definite=name == "cg")
    for most in (1, 3, 9):
        limits = {"restart": 1} if name == "gmres" else {"inner_m": 1} if name == "lgmres" else {}
        limits = {"m": 1, "k": 0} if name == "gcrotmk" else limits
        x, info = getattr(ours, name)(cp.array(A), cp.array(b), maxiter=most, rtol=1e-12, **limits)
        y, expected = getattr(theirs, name)(A, b, maxiter=most, rtol=1e-12, **limits)
        assert info == expected, most
        np.testing.assert_allclose(cp.asnumpy(x), y, rtol=1e-6, atol=1e-8)


def test_few_reads():
    A, b = (cp.array(part) for part in system("float64", definite=True))
    before = host_transfers()
    ours.cg(A, b, rtol=0, maxiter=64)
    assert host_transfers() - before <= 64 // 8 + 4


@pytest.mark.parametrize("name", [*GENERAL, "cg", "minres"])
def test_trivial_and_wrong_arguments(name):
    solve, other = getattr(ours, name), getattr(theirs, name)
    x, info = solve(cp.eye(4), cp.zeros(4))
    assert info == 0
    assert not cp.asnumpy(x).any()
    x, info = solve(cp.eye(4), cp.arange(4))
    np.testing.assert_allclose(cp.asnumpy(x), np.arange(4))
    for call in [
        lambda xp, f: f(xp.ones((3, 4)), xp.ones(3)),
        lambda xp, f: f(xp.eye(4), xp.ones(3)),
        lambda xp, f: f(xp.eye(4), xp.ones(4), M=xp.eye(3)) if name != "qmr" else f(xp.eye(4), xp.ones(5)),
        lambda xp, f: f(xp.eye(4), xp.ones(4), xp.ones(5)),
        lambda xp, f: f(xp.eye(4), xp.ones(4), atol=-1.0) if name != "minres" else f(xp.eye(4), xp.ones(5)),
    ]:
        same_error(lambda call=call: call(cp, solve), lambda call=call: call(np, other))


def test_minres():
    A, b = system("float64", definite=True)
    values = np.linalg.eigvalsh(A)
    indefinite = A - np.eye(40) * values[20] * 1.01
    for matrix, options in [
        (A, {}),
        (indefinite, {}),
        (A, {"shift": float(values[0]) / 2}),
        (np.diag([1.0, 0, 2]), {}),
    ]:
        right = matrix @ b[: matrix.shape[0]]
        x, info = ours.minres(cp.array(matrix), cp.array(right), rtol=1e-9, callback=lambda _: None, **options)
        y, expected = theirs.minres(matrix, right, rtol=1e-9, **options)
        assert info == expected
        np.testing.assert_allclose(cp.asnumpy(x), y, rtol=1e-6, atol=1e-7)
    with pytest.raises(ValueError, match="non-symmetric"):
        ours.minres(cp.array(np.triu(A)), cp.array(b), check=True)
    with pytest.raises(ValueError, match="indefinite"):
        ours.minres(cp.array(A), cp.array(b), M=-cp.eye(40))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_minres_of_hermitian_systems(dtype):
    draw = np.random.default_rng(5)
    A = draw.normal(size=(30, 30)) + 1j * draw.normal(size=(30, 30))
    A = (A + A.conj().T).astype(dtype)
    A[np.diag_indices(30)] += 2
    b = (A @ (draw.normal(size=30) + 1j * draw.normal(size=30))).astype(dtype)
    rtol = 1e-10 if dtype == "complex128" else 1e-6
    x, info = ours.minres(cp.array(A), cp.array(b), rtol=rtol, maxiter=400, check=dtype == "complex128")
    assert info == 0 and x.dtype == dtype
    assert np.linalg.norm(A @ x.get() - b) < 1e3 * rtol * np.linalg.norm(b)
    shifted, _ = ours.minres(cp.array(A), cp.array(b), rtol=rtol, maxiter=400, shift=0.25)
    assert np.linalg.norm((A - 0.25 * np.eye(30)) @ shifted.get() - b) < 1e3 * rtol * np.linalg.norm(b)
    # Symmetric, but not Hermitian.
    with pytest.raises(ValueError, match="non-symmetric"):
        ours.minres(cp.array(A * 1j), cp.array(b), check=True)


@pytest.mark.usefixtures("_ways")
def test_gmres_callbacks():
    A, b = system("float64")
    for kind in ("x", "pr_norm", "legacy"):
        seen = [], []
        for solve, xp, into in ((ours.gmres, cp, seen[0]), (theirs.gmres, np, seen[1])):
            note = lambda value, into=into: into.append(np.array(cp.asnumpy(value)))  # noqa: E731
            solve(xp.array(A), xp.array(b), restart=4, callback=note, callback_type=kind, maxiter=7)
        np.testing.assert_allclose(np.array(seen[0]), np.array(seen[1]), atol=1e-10)
    with pytest.warns(DeprecationWarning, match="callback_type"):
        ours.gmres(cp.array(A), cp.array(b), callback=lambda _: None)
    with pytest.raises(ValueError, match="callback_type"):
        ours.gmres(cp.array(A), cp.array(b), callback=lambda _: None, callback_type="y")


def poisson(side):
    line = scipy.sparse.diags_array([-np.ones(side - 1), 2 * np.ones(side), -np.ones(side - 1)], offsets=[-1, 0, 1])
    eye = scipy.sparse.eye_array(side)
    return csr_array((scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line)).tocsr())


def test_a_step_of_gmres_is_five_launches(monkeypatch):
    """A product, inner products, what they take away, and the same for a second pass, which is empty as a rule."""
    take_ways(monkeypatch, True, "columns between reads", "basis on the device")
    matrix, right = poisson(24), cp.ones(24 * 24)
    few, many = (launches(lambda n=n: ours.gmres(matrix, right, restart=n, maxiter=1, rtol=1e-14)) for n in (10, 20))
    assert many - few <= 5 * 10 + 2
    reads = []
    for count in (20, 40):
        before = host_transfers()
        ours.gmres(matrix, right, restart=count, maxiter=1, rtol=1e-14)
        reads.append(np.subtract(host_transfers(), before).sum())
    assert reads[1] - reads[0] <= 2 * 2


def test_vectors_stay_orthogonal(monkeypatch):
    """Where the first pass loses much, there is a second one; a vector that others span leaves zeros."""
    take_ways(monkeypatch, True, "basis on the device")
    random = np.random.default_rng(5)
    for dtype, eps in (("float64", 1e-14), ("complex64", 1e-5)):
        near = random.normal(size=50) + (1j * random.normal(size=50) if dtype == "complex64" else 0)
        given = [near + 1e-3 * random.normal(size=50) for _ in range(8)]
        for bearable, most in ((0.0, eps), (1e-3, 1e-3)):
            panel = _panel.Panel(cp.asarray((near / np.linalg.norm(near)).astype(dtype)), 9, bearable=bearable)
            for w in given:
                panel.add(cp.asarray(w.astype(dtype)))
            V, H = cp.asnumpy(panel.V)[:9], cp.asnumpy(panel.H)
            assert abs(V.conj() @ V.T - np.eye(9)).max() < most
            for j, w in enumerate(given):
                np.testing.assert_allclose(H[j, : j + 2] @ V[: j + 2], w, rtol=100 * eps, atol=100 * eps)
            panel.add(cp.asarray((given[2] + given[5]).astype(dtype)))
            assert abs(cp.asnumpy(panel.H)[8, 9]) < 100 * eps


@pytest.mark.usefixtures("_ways")
def test_singular_systems():
    # The right-hand side lies in the range: minimal residuals find a solution without dividing by 0.
    A = np.diag([1.0, 2, 3, 0, 0])
    b = np.array([1.0, 2, 3, 0, 0])
    for name in ("gmres", "lgmres", "gcrotmk", "minres", "bicgstab", "cg"):
        x, _ = getattr(ours, name)(cp.array(A), cp.array(b))
        np.testing.assert_allclose(A @ cp.asnumpy(x), b, atol=1e-4, err_msg=name)
    # It does not: the residual stays, and that is said.
    x, info = ours.gmres(cp.array(A), cp.array(b + 1))
    assert info > 0
    assert np.isfinite(cp.asnumpy(x)).all()


@pytest.mark.usefixtures("_ways")
def test_recycled_vectors():
    A, b = system("float64")
    kept, CU = [], []
    for right in (b, b[::-1].copy()):
        x, info = ours.lgmres(cp.array(A), cp.array(right), outer_v=kept, inner_m=5, rtol=1e-10)
        assert info == 0
        np.testing.assert_allclose(A @ cp.asnumpy(x), right, atol=1e-8)
        for truncate in ("oldest", "smallest"):
            x, info = ours.gcrotmk(cp.array(A), cp.array(right), CU=CU, m=4, k=3, truncate=truncate, rtol=1e-10)
            assert info == 0
            np.testing.assert_allclose(A @ cp.asnumpy(x), right, atol=1e-8)
    assert 0 < len(kept) <= 3
    assert len(CU) > 0
    with pytest.raises(ValueError, match="finite"):
        ours.lgmres(cp.array(A), cp.array(b * np.nan))
    with pytest.raises(ValueError, match="truncate"):
        ours.gcrotmk(cp.array(A), cp.array(b), truncate="none")


def test_gcrotmk_keeps_its_digits_where_no_residual_is_small_enough():
    for seed in (21, 68, 156, 322, 386):
        rng = np.random.default_rng(seed)
        A, b = rng.normal(size=(2, 2)) + np.eye(2), rng.normal(size=2)
        x, _ = ours.gcrotmk(cp.array(A), cp.array(b), rtol=0.0, maxiter=100)
        np.testing.assert_allclose(x.get(), np.linalg.solve(A, b), rtol=1e-12)
    A, b = rng.normal(size=(16, 16)) + 8 * np.eye(16), rng.normal(size=16)
    x, info = ours.gcrotmk(cp.array(A), cp.array(b), atol=np.nan, maxiter=60)
    assert info == 60
    np.testing.assert_allclose(x.get(), np.linalg.solve(A, b), rtol=1e-12)


def equations_of_least_squares(A, b, x, damp=0.0, shift=0.0):
    """The size of the gradient at a solution."""
    return np.linalg.norm(A.conj().T @ (b - A @ x) - damp**2 * (x - shift))


@pytest.mark.parametrize("shape", [(30, 20), (20, 30), (20, 20)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_least_squares(shape, dtype):
    random = np.random.default_rng(2)
    A = random.normal(size=shape) + (1j * random.normal(size=shape) if dtype == "complex128" else 0)
    A, b = A + np.eye(*shape) * 6, random.normal(size=shape[0])
    for name in ("lsqr", "lsmr"):
        for options in ({}, {"damp": 0.5}, {"x0": np.ones(shape[1])}, {"damp": 2.0, "atol": 1e-12, "btol": 1e-12}):
            mine = {key: cp.array(value) if key == "x0" else value for key, value in options.items()}
            found = getattr(ours, name)(cp.array(A), cp.array(b), **mine)
            expected = getattr(theirs, name)(A, b, **options) if dtype == "float64" else None
            if expected is None:
                # SciPy's fail for complex matrices and real vectors: the equations of least squares tell.
                if found[1] == 7:
                    # Where as many steps as columns are the most, rounding decides how close the last one comes.
                    assert found[2] == (2 * shape[1] if name == "lsqr" else min(shape))
                    more = {"iter_lim" if name == "lsqr" else "maxiter": 100}
                    found = getattr(ours, name)(cp.array(A), cp.array(b), **mine, **more)
                    assert found[1] in (1, 2)
                damp, shift = options.get("damp", 0), options.get("x0", 0)
                rest = equations_of_least_squares(A, b, cp.asnumpy(found[0]), damp, shift)
                assert rest < 1e-4 * np.linalg.norm(A) * np.linalg.norm(b)
                continue
            np.testing.assert_allclose(cp.asnumpy(found[0]), expected[0], rtol=1e-5, atol=1e-6)
            assert found[1:3] == expected[1:3], (name, options)
            np.testing.assert_allclose(
                np.array(found[3:8], float), np.array(expected[3:8], float), rtol=1e-2, atol=1e-5
            )


def test_least_squares_far_past_the_end():
    # Other orders of sums, as devices have them, and steps long after the space is exhausted.
    random = np.random.default_rng(2)
    full = random.normal(size=(20, 20)) + 1j * random.normal(size=(20, 20)) + np.eye(20) * 6
    b = random.normal(size=20)
    for name, limit in (("lsqr", "iter_lim"), ("lsmr", "maxiter")):
        for A in (full, full * (np.arange(20) < 5), full * (np.arange(20)[:, None] < 5), np.ones((20, 20)) * 1e-100):
            for _ in range(3):
                nudged = A * (1 + 2e-16 * random.normal(size=A.shape))
                options = {limit: 100, "x0": cp.ones(20)}
                found = getattr(ours, name)(cp.array(nudged), cp.array(b), **options)
                assert found[1] in (1, 2, 3, 4, 5)
                size = np.linalg.norm(A) * np.linalg.norm(b)
                assert equations_of_least_squares(A, b, cp.asnumpy(found[0])) <= 1e-4 * size, name
                none = {"atol": 0.0, "btol": 0.0, "conlim": 0.0}
                found = getattr(ours, name)(cp.array(nudged), cp.array(b), **options, **none)
                assert np.isfinite(cp.asnumpy(found[0])).all()
                assert equations_of_least_squares(A, b, cp.asnumpy(found[0])) <= 1e-8 * size, name


def test_least_squares_edges():
    A = np.array([[1.0, 2], [2, 4], [0, 0]])
    for name in ("lsqr", "lsmr"):
        solve, other = getattr(ours, name), getattr(theirs, name)
        for b in (np.array([1.0, 2, 0]), np.zeros(3), np.array([0.0, 0, 1]), np.array([[1.0], [0], [0]])):
            found, expected = solve(cp.array(A), cp.array(b)), other(A, b)
            np.testing.assert_allclose(cp.asnumpy(found[0]), expected[0], atol=1e-8)
            assert found[1] == expected[1]
        with pytest.raises(ValueError):
            solve(cp.array(A), cp.ones(2))
    few = ours.lsqr(cp.array(A), cp.array([1.0, 3, 1]), iter_lim=4, calc_var=True)
    np.testing.assert_allclose(cp.asnumpy(few[9]), theirs.lsqr(A, np.array([1.0, 3, 1]), iter_lim=4, calc_var=True)[9])


def test_operator_arithmetic():
    random = np.random.default_rng(3)
    A, B = random.normal(size=(2, 4, 4)) + 1j * random.normal(size=(2, 4, 4))
    x, X = random.normal(size=4), random.normal(size=(4, 3))
    mine = [ours.aslinearoperator(cp.array(M)) for M in (A, B)]
    his = [theirs.aslinearoperator(M) for M in (A, B)]
    for make in [
        lambda P, Q: P + Q,
        lambda P, Q: P - Q,
        lambda P, Q: -P,
        lambda P, Q: P @ Q,
        lambda P, Q: P * Q,
        lambda P, Q: 2j * P,
        lambda P, Q: P * 3.0,
        lambda P, Q: P / 2j,
        lambda P, Q: P**3,
        lambda P, Q: P.H,
        lambda P, Q: P.T,
        lambda P, Q: ((2j * P + Q) @ P.T).H,
        lambda P, Q: (P**2).H.T,
        lambda P, Q: P.adjoint().transpose(),
    ]:
        P, Q = make(*mine), make(*his)
        assert (P.shape, P.dtype) == (Q.shape, Q.dtype)
        for method, argument in [("matvec", x), ("rmatvec", x), ("matmat", X), ("rmatmat", X), ("dot", x), ("dot", X)]:
            expected = getattr(Q, method)(argument)
            np.testing.assert_allclose(cp.asnumpy(getattr(P, method)(cp.array(argument))), expected, rtol=1e-12)
        np.testing.assert_allclose(cp.asnumpy(P @ cp.array(x)[:, None]), Q @ x[:, None])
        np.testing.assert_allclose(cp.asnumpy(cp.array(x) @ P), x @ Q)
        np.testing.assert_allclose(cp.asnumpy(P(cp.array(X))), Q(X))
    assert "4x4" in repr(mine[0])


def test_products_from_the_right():
    random = np.random.default_rng(3)
    A = random.normal(size=(3, 5)) + 1j * random.normal(size=(3, 5))
    operator = ours.aslinearoperator(cp.array(A))
    for x in (np.arange(3.0), np.arange(3.0)[None], random.normal(size=(4, 3)) * 1j):
        found = operator.rdot(cp.array(x))
        assert found.shape == (x @ A).shape
        np.testing.assert_allclose(cp.asnumpy(found), x @ A, rtol=1e-12, atol=1e-14)
    scaled, product = operator.rdot(2j), operator.rdot(operator.H)
    np.testing.assert_allclose(cp.asnumpy(scaled @ cp.eye(5)), 2j * A, rtol=1e-12)
    np.testing.assert_allclose(cp.asnumpy(product @ cp.eye(5)), A.conj().T @ A, rtol=1e-12)
    for x in (np.ones(5), np.ones((3, 1)), np.ones((2, 4, 5))):
        with pytest.raises(ValueError, match="shape|mismatch"):
            operator.rdot(cp.array(x))


def test_operators_of_functions():
    A = np.arange(6.0).reshape(2, 3)
    device = cp.array(A)
    operator = ours.LinearOperator((2, 3), matvec=lambda x: device @ x, rmatvec=lambda x: device.T @ x)
    assert operator.dtype == np.float64
    check(operator.matmat(cp.eye(3)), A)
    check(operator.rmatmat(cp.eye(2)), A.T)
    check(operator.H @ cp.ones(2), A.T @ np.ones(2))
    check(operator.T.matvec(cp.ones((2, 1))), A.T @ np.ones((2, 1)))

    class Twice(ours.LinearOperator):
        def _matvec(self, x):
            return 2 * x

    check(Twice(np.float64, (3, 3)).matmat(cp.eye(3)), 2 * np.eye(3))
    with pytest.raises(NotImplementedError):
        Twice(np.float64, (3, 3)).rmatvec(cp.ones(3))

    for call in [
        lambda module, xp: module.LinearOperator((2, -1), matvec=lambda x: x),
        lambda module, xp: module.aslinearoperator(xp.ones((2, 3))).matvec(xp.ones(2)),
        lambda module, xp: module.aslinearoperator(xp.ones((2, 3))).rmatvec(xp.ones(3)),
        lambda module, xp: module.aslinearoperator(xp.ones((2, 3))).matmat(xp.ones((2, 2))),
        lambda module, xp: module.aslinearoperator(xp.ones((2, 3))) @ 2,
        lambda module, xp: 2 @ module.aslinearoperator(xp.ones((2, 3))),
        lambda module, xp: module.aslinearoperator(xp.ones((2, 3))) ** 2,
        lambda module, xp: module.aslinearoperator(xp.ones((2, 3))) + module.aslinearoperator(xp.ones((3, 3))),
        lambda module, xp: module.aslinearoperator(xp.ones((2, 3))) @ module.aslinearoperator(xp.ones((2, 3))),
        lambda module, xp: module.aslinearoperator("matrix"),
        lambda module, xp: module.aslinearoperator(xp.ones((2, 3))) / xp.ones(2),
    ][: 4 if SCIPY_1_18 else None]:
        same_error(lambda call=call: call(ours, cp), lambda call=call: call(theirs, np))


def test_integers_and_half_precision():
    A = np.array([[4, 1], [1, 3]])
    for dtype in ("int32", "float16", "bool"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x, info = ours.cg(cp.array(A.astype("int64")), cp.array([1, 2]).astype(dtype))
        assert info == 0
        assert x.dtype == np.float64


@pytest.mark.parametrize("name", ["cg", "bicg", "bicgstab", "cgs", "qmr", "minres"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_captured_steps_compute_the_same(name, dtype, monkeypatch):
    """Steps that are launched as a graph, and those that are not because an operator or a callback runs."""
    from cuproxide.scipy.sparse.linalg import _systems

    random = np.random.default_rng(3)
    dense = random.random((60, 60)) * (random.random((60, 60)) < 0.1)
    dense = dense + dense.T + np.diag(np.linspace(6, 400, 60))
    matrix = cp.scipy.sparse.csr_array(cp.asarray(dense.astype(dtype)))
    right = cp.asarray(random.random(60).astype(dtype))
    solve = getattr(cp.scipy.sparse.linalg, name)
    captures, original = [], _systems.CapturedStep

    def counted(*args):
        captures.append(args[1])
        return original(*args)

    monkeypatch.setattr(_systems, "CapturedStep", counted)
    products = cp.scipy.sparse.linalg.LinearOperator(
        matrix.shape, lambda x: matrix @ x, lambda x: matrix.T.conj() @ x, dtype=matrix.dtype
    )
    monkeypatch.setattr(_systems, "CAPTURE_AT", (4, 12))
    for options, expected in (({"maxiter": 5}, []), ({"maxiter": 20, "rtol": 1e-30}, [4, 12]), ({"rtol": 1e-5}, None)):
        captures.clear()
        found, info = solve(matrix, right, **options)
        assert expected is None or captures == (expected if threading.active_count() == 1 else [])
        captures.clear()
        wanted, status = solve(products, right, **options)
        assert not captures
        assert info == status
        if cp.Device().asynchronous and name in ("bicg", "qmr"):
            # Products with the transposed matrix add up in any order there.
            np.testing.assert_allclose(found.get(), wanted.get(), rtol=1e-3 if dtype == "f4" else 1e-9)
        else:
            np.testing.assert_array_equal(found.get(), wanted.get())
        assert (matrix @ found).dtype == dtype


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("M", [None, "jacobi"])
def test_captured_steps_of_gmres_compute_the_same(dtype, M, monkeypatch):
    """One graph serves all restarts; operators of the program and a second thread prevent it."""
    take_ways(monkeypatch, True, "columns between reads", "basis on the device")
    monkeypatch.setattr(_panel, "CAPTURE_AT", (3, 9))
    random = np.random.default_rng(4)
    dense = random.random((70, 70)) * (random.random((70, 70)) < 0.1) + np.diag(np.linspace(4, 90, 70))
    matrix, right = csr_array(cp.asarray(dense.astype(dtype))), cp.asarray(random.random(70).astype(dtype))
    captures, original = [], _panel.CapturedStep
    monkeypatch.setattr(_panel, "CapturedStep", lambda *args: captures.append(1) or original(*args))
    options = {"restart": 6, "maxiter": 4, "rtol": 1e-30, "M": M and ours.jacobi(matrix)}
    found, info = ours.gmres(matrix, right, **options)
    assert len(captures) == (2 if threading.active_count() == 1 else 0)
    captures.clear()
    products = ours.LinearOperator(matrix.shape, lambda x: matrix @ x, dtype=matrix.dtype)
    wanted, status = ours.gmres(products, right, **options)
    assert not captures
    assert info == status == 4
    np.testing.assert_array_equal(found.get(), wanted.get())


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_captured_steps_of_least_squares_compute_the_same(name, dtype, monkeypatch):
    from cuproxide.scipy.sparse.linalg import _systems

    random = np.random.default_rng(8)
    dense = random.random((60, 40)) * (random.random((60, 40)) < 0.2) + np.eye(60, 40)
    matrix = csr_array(cp.asarray((dense * (1 - 2j if dtype == "c16" else 1)).astype(dtype)))
    captures, original = [], _systems.CapturedStep
    monkeypatch.setattr(_systems, "CapturedStep", lambda *args: captures.append(1) or original(*args))
    monkeypatch.setattr(_systems, "CAPTURE_AT", (4, 12))
    products = ours.LinearOperator(
        matrix.shape, lambda x: matrix @ x, lambda x: matrix.T.conj() @ x, dtype=matrix.dtype
    )
    options = {"atol": 0, "btol": 0, "conlim": 0, "iter_lim" if name == "lsqr" else "maxiter": 21}
    options |= {"calc_var": True} if name == "lsqr" else {}
    found = getattr(ours, name)(matrix, cp.ones(60), **options)
    assert len(captures) == (2 if threading.active_count() == 1 else 0)
    captures.clear()
    wanted = getattr(ours, name)(products, cp.ones(60), **options)
    assert not captures
    assert found[1:3] == wanted[1:3]
    for one, other in zip(found, wanted, strict=True):
        # Products with the transposed matrix add up in any order on a GPU.
        np.testing.assert_allclose(cp.asnumpy(one), cp.asnumpy(other), rtol=1e-6, atol=1e-9)


def test_cg_leaves_the_arrays_of_the_program_alone():
    matrix = csr_array(cp.diag(cp.arange(1.0, 40)))
    for guess in (cp.full(39, 0.5), "Mb"):
        right = cp.linspace(1, 2, 39)
        before = right.get(), guess if isinstance(guess, str) else guess.get()
        x, info = ours.cg(matrix, right, guess, rtol=1e-12)
        assert info == 0
        np.testing.assert_allclose((matrix @ x).get(), before[0], rtol=1e-9)
        np.testing.assert_array_equal(right.get(), before[0])
        assert isinstance(guess, str) or (guess.get() == before[1]).all()


def test_what_cannot_be_captured_is_launched_as_before():
    """A format that is converted for each product reads on the host, whatever it says of itself."""
    side = 40
    line = cp.scipy.sparse.diags_array([-1.0, 2.1, -1.0], offsets=[-1, 0, 1], shape=(side, side)).tocoo()
    operator = cp.scipy.sparse.linalg.aslinearoperator(line)
    assert not operator.is_capturable
    right = cp.ones(side)
    wanted, info = cp.scipy.sparse.linalg.cg(operator, right, rtol=1e-10)
    operator.is_capturable = True
    found, status = cp.scipy.sparse.linalg.cg(operator, right, rtol=1e-10)
    assert info == status == 0
    np.testing.assert_array_equal(found.get(), wanted.get())


def test_nothing_is_captured_beside_other_threads(monkeypatch):
    from cuproxide.scipy.sparse.linalg import _systems

    monkeypatch.setattr(_systems, "CapturedStep", None)
    waits = threading.Event()
    thread = threading.Thread(target=waits.wait)
    thread.start()
    try:
        _, info = ours.cg(csr_array(cp.diag(cp.arange(1.0, 60))), cp.ones(59), maxiter=40, rtol=1e-30)
    finally:
        waits.set()
        thread.join()
    assert info == 40


@pytest.mark.parametrize("solver", ["bicg", "bicgstab", "cg", "cgs", "gmres", "minres", "qmr", "tfqmr"])
@pytest.mark.parametrize("place", ["matrix", "right side", "both"])
def test_no_solver_converges_beside_infinities(solver, place):
    A, b = np.array([[4.0, -1.0, 0.0], [-1.0, 4.0, 1.0], [0.0, 1.0, 6.0]]), np.array([-0.75, 2.0, -1.75])
    if place != "right side":
        A[1, 1] = -np.inf
    if place != "matrix":
        b[1] = np.inf
    x, info = getattr(cp.scipy.sparse.linalg, solver)(cp.array(A), cp.array(b))
    assert info > 0 and cp.isnan(x).all()
