"""Eigenvalues and singular values of large matrices, beside dense solvers and SciPy's."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as theirs
from cuproxide._cuproxide import host_transfers
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg as ours
from helpers import same_error
from ways import take_ways

COUNT = 80


@pytest.fixture(params=[1, 8], ids=["cpu", "gpu"], autouse=True)
def _ways(request, monkeypatch):
    """The ways in which a CPU and a GPU make vectors orthogonal, on whatever device there is."""
    take_ways(monkeypatch, request.param > 1, "columns between reads", "basis on the device", "vectors kept")


def symmetric(dtype="float64"):
    random = np.random.default_rng(3)
    G = sp.random(COUNT, COUNT, 0.1, rng=random).toarray()
    A = G + G.T + np.diag(np.arange(COUNT) / 10.0)
    return (A + 1j * (G - G.T) if np.dtype(dtype).kind == "c" else A).astype(dtype)


def weights():
    random = np.random.default_rng(4)
    G = np.diag(random.random(COUNT - 1) * 0.3, 1)
    return G + G.T + np.diag(1 + random.random(COUNT))


def device(A):
    return sparse.csr_array(sp.csr_array(A))


def tolerance(dtype):
    return 2e-3 if np.zeros(0, dtype).real.dtype.char == "f" else 1e-8


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_hermitian(dtype):
    A, tol = symmetric(dtype), tolerance(dtype)
    whole = np.linalg.eigvalsh(A.astype("complex128"))
    size = abs(A)
    for which in ("LM", "LA", "SA", "BE"):
        if which == "BE" and A.dtype.kind == "c":
            same_error(lambda: ours.eigsh(device(A), 3, which="BE"), lambda: theirs.eigsh(A, 3, which="BE"))
            continue
        w, v = ours.eigsh(device(A), 5, which=which)
        expected = {
            "LM": np.sort(whole[np.argsort(-abs(whole))[:5]]),
            "LA": whole[-5:],
            "SA": whole[:5],
            "BE": np.concatenate([whole[:2], whole[-3:]]),
        }[which]
        w, v = cp.asnumpy(w), cp.asnumpy(v)
        assert w.dtype == A.real.dtype
        assert v.dtype == A.dtype
        np.testing.assert_allclose(w, expected, rtol=tol, atol=tol)
        assert np.linalg.norm(A @ v - v * w) < tol * size.sum() ** 0.5
        np.testing.assert_allclose(v.conj().T @ v, np.eye(5), atol=tol)
    w = cp.asnumpy(ours.eigsh(device(A), 4, sigma=2.0, return_eigenvectors=False))
    np.testing.assert_allclose(w, np.sort(whole[np.argsort(abs(whole - 2.0))[:4]]), rtol=tol, atol=tol)


def test_generalised_problems():
    A, B = symmetric(), weights()
    definite = A @ A + np.eye(COUNT)
    for matrix, options in [
        (A, {}),
        (A, {"which": "SA"}),
        (A, {"sigma": 1.0}),
        (A, {"sigma": 1.0, "mode": "cayley"}),
        (definite, {"sigma": 2.0, "mode": "buckling"}),
    ]:
        w, v = ours.eigsh(device(matrix), 4, M=device(B), **options)
        expected = theirs.eigsh(sp.csc_array(matrix), 4, M=sp.csc_array(B), return_eigenvectors=False, **options)
        w, v = cp.asnumpy(w), cp.asnumpy(v)
        np.testing.assert_allclose(w, np.sort(expected), rtol=1e-8)
        np.testing.assert_allclose(matrix @ v, B @ v * w, atol=1e-6 * abs(w).max())
    w, v = ours.eigs(device(A), 4, M=device(B), which="LR")
    np.testing.assert_allclose(A @ cp.asnumpy(v), B @ cp.asnumpy(v * w), atol=1e-6)
    w, v = ours.eigs(device(A), 4, M=device(B), sigma=1.0)
    np.testing.assert_allclose(A @ cp.asnumpy(v), B @ cp.asnumpy(v * w), atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_general(dtype):
    random = np.random.default_rng(5)
    A = random.normal(size=(COUNT, COUNT)) + (1j * random.normal(size=(COUNT, COUNT)) if dtype == "complex128" else 0)
    A = (A + np.diag(np.arange(COUNT) % 7 * 3)).astype(dtype)
    whole = np.linalg.eigvals(A.astype("complex128"))
    tol = tolerance(dtype)
    keys = {"LM": -abs(whole), "LR": -whole.real, "SR": whole.real, "LI": -abs(whole.imag)}
    for which, key in keys.items():
        w, v = ours.eigs(cp.array(A), 6, which=which)
        w, v = cp.asnumpy(w), cp.asnumpy(v)
        assert w.dtype == np.result_type(A.dtype, "complex64")
        assert np.linalg.norm(A @ v - v * w) < tol * 100
        own = {"LM": -abs(w), "LR": -w.real, "SR": w.real, "LI": -abs(w.imag)}[which]
        np.testing.assert_allclose(np.sort(own), np.sort(key)[:6], rtol=tol * 10, atol=tol * 10)
    for sigma in (0.3, 0.3 + 0.5j):
        w, v = ours.eigs(cp.array(A), 4, sigma=sigma)
        w, v = cp.asnumpy(w), cp.asnumpy(v)
        assert np.linalg.norm(A @ v - v * w) < tol * 100
        np.testing.assert_allclose(
            np.sort(abs(w - sigma)), np.sort(abs(whole - sigma))[:4], rtol=tol * 20, atol=tol * 20
        )


def test_invariant_spaces():
    # The start lies in few dimensions, all values are equal, or there are none: another direction goes on.
    for A in (np.eye(30), np.zeros((30, 30)), np.diag([1.0] * 15 + [2.0] * 15), np.diag([5.0] + [0.0] * 29)):
        w = cp.asnumpy(ours.eigsh(cp.array(A), 4, which="LA", return_eigenvectors=False))
        np.testing.assert_allclose(w, np.sort(np.diag(A))[-4:], atol=1e-12)
        w, v = ours.eigs(cp.array(A), 4, which="LR")
        np.testing.assert_allclose(np.sort(cp.asnumpy(w).real), np.sort(np.diag(A))[-4:], atol=1e-12)
    # A defective matrix: a Jordan block.
    J = np.eye(30) * 2 + np.diag(np.ones(29), 1)
    w, v = ours.eigs(cp.array(J), 2, tol=1e-3, which="LR")
    assert np.linalg.norm(J @ cp.asnumpy(v) - cp.asnumpy(v * w)) < 0.1
    start = np.zeros(30)
    start[3] = 1
    w = ours.eigsh(cp.array(np.diag(np.arange(30.0))), 3, v0=cp.array(start), return_eigenvectors=False)
    np.testing.assert_allclose(cp.asnumpy(w), [27, 28, 29])


def test_operators_and_given_inverses():
    A = symmetric()
    matrix = cp.array(A)
    operator = ours.LinearOperator(A.shape, matvec=lambda x: matrix @ x, dtype=A.dtype)
    whole = np.linalg.eigvalsh(A)
    w = ours.eigsh(operator, 3, which="LA", return_eigenvectors=False)
    np.testing.assert_allclose(cp.asnumpy(w), whole[-3:])
    near = np.sort(whole[np.argsort(abs(whole - 3.01))[:3]])
    inverse = cp.linalg.inv(matrix - 3.01 * cp.eye(COUNT))
    for options in ({"OPinv": ours.aslinearoperator(inverse)}, {}):
        w = ours.eigsh(operator if options else matrix, 3, sigma=3.01, return_eigenvectors=False, **options)
        np.testing.assert_allclose(cp.asnumpy(w), near, rtol=1e-7)
    w = ours.eigsh(operator, 2, sigma=-20.0, return_eigenvectors=False, tol=1e-8)
    np.testing.assert_allclose(cp.asnumpy(w), whole[:2], rtol=1e-6)


def test_no_convergence():
    A = symmetric()
    with pytest.raises(ours.ArpackNoConvergence) as caught:
        ours.eigsh(device(A), 6, which="SM", ncv=8, maxiter=2)
    assert len(caught.value.eigenvalues) == caught.value.eigenvectors.shape[1] < 6
    with pytest.raises(ours.ArpackError):
        ours.eigsh(device(A), 3, v0=cp.zeros(COUNT))
    with pytest.raises(ours.ArpackError):
        ours.eigsh(cp.full((30, 30), cp.nan), 3)


def test_reads_grow_with_restarts_only():
    A = device(np.diag(np.arange(COUNT, dtype=float) ** 2))
    before = host_transfers()
    ours.eigsh(A, 3, which="LA", return_eigenvectors=False)
    assert host_transfers() - before < 60


def test_wrong_arguments():
    A = symmetric()
    for call in [
        lambda m, xp, A: m.eigsh(A, 0),
        lambda m, xp, A: m.eigsh(A, 3, which="LR"),
        lambda m, xp, A: m.eigsh(A, 3, ncv=2),
        lambda m, xp, A: m.eigsh(A, 3, sigma=1.0, mode="other"),
        lambda m, xp, A: m.eigsh(A, 3, maxiter=-1),
        lambda m, xp, A: m.eigsh(A[:4], 2),
        lambda m, xp, A: m.eigs(A, 0),
        lambda m, xp, A: m.eigs(A, 3, which="LA"),
        lambda m, xp, A: m.eigs(A, 3, ncv=4),
        lambda m, xp, A: m.svds(A, 0),
        lambda m, xp, A: m.svds(A, COUNT),
        lambda m, xp, A: m.svds(A, 3, which="LA"),
        lambda m, xp, A: m.svds(A, 3, solver="other"),
        lambda m, xp, A: m.svds(A, 3, return_singular_vectors="v"),
        lambda m, xp, A: m.svds(A, 3, tol=-1.0),
    ]:
        same_error(lambda call=call: call(ours, cp, cp.array(A)), lambda call=call: call(theirs, np, A))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in (lambda m, A: m.eigsh(A, COUNT), lambda m, A: m.eigs(A, COUNT - 1)):
            same_error(lambda call=call: call(ours, device(A)), lambda call=call: call(theirs, sp.csr_array(A)))
        w = ours.eigsh(cp.array(A), COUNT, return_eigenvectors=False)
    np.testing.assert_allclose(cp.asnumpy(w), np.linalg.eigvalsh(A))


@pytest.mark.parametrize("shape", [(60, 40), (40, 60), (50, 50)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_svds(shape, dtype):
    random = np.random.default_rng(6)
    A = random.normal(size=shape) + (1j * random.normal(size=shape) if dtype == "complex128" else 0)
    A, tol = A.astype(dtype), tolerance(dtype)
    whole = np.linalg.svd(A)[1]
    for which, expected in (("LM", whole[:4][::-1]), ("SM", whole[-4:][::-1])):
        u, s, vh = (cp.asnumpy(part) for part in ours.svds(cp.array(A), 4, which=which))
        assert (u.shape, vh.shape, s.dtype) == ((shape[0], 4), (4, shape[1]), A.real.dtype)
        np.testing.assert_allclose(s, expected, rtol=tol * 10, atol=tol)
        np.testing.assert_allclose(A @ vh.conj().T, u * s, atol=tol * 500)
        np.testing.assert_allclose(u.conj().T @ A, s[:, None] * vh, atol=tol * 500)
    for choice, missing in (("u", 2), ("vh", 0)):
        assert ours.svds(device(A), 3, return_singular_vectors=choice)[missing] is None
    s = ours.svds(ours.aslinearoperator(device(A)), 3, return_singular_vectors=False)
    np.testing.assert_allclose(cp.asnumpy(s), whole[:3][::-1], rtol=tol * 10)


def test_svds_of_low_rank():
    random = np.random.default_rng(7)
    A = random.normal(size=(30, 2)) @ random.normal(size=(2, 25))
    u, s, vh = (cp.asnumpy(part) for part in ours.svds(cp.array(A), 4))
    np.testing.assert_allclose(s, np.linalg.svd(A)[1][:4][::-1], atol=1e-6)
    np.testing.assert_allclose((u * s) @ vh, A, atol=1e-6)
    np.testing.assert_allclose(cp.asnumpy(ours.svds(cp.array(A), 4, return_singular_vectors=False))[:2], 0, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_lobpcg(dtype):
    A, B = symmetric(dtype), weights()
    random = np.random.default_rng(8)
    X = random.normal(size=(COUNT, 4))
    for largest in (True, False):
        for right in (None, B):
            whole = scipy.linalg.eigh(A, right)[0]
            expected = whole[::-1][:4] if largest else whole[:4]
            given = None if right is None else device(right)
            w, v = ours.lobpcg(device(A), cp.array(X), B=given, largest=largest, maxiter=300, tol=1e-7)
            np.testing.assert_allclose(cp.asnumpy(w), expected, atol=1e-7)
            image = cp.asnumpy(v) if right is None else right @ cp.asnumpy(v)
            np.testing.assert_allclose(A @ cp.asnumpy(v), image * cp.asnumpy(w), atol=1e-6)
    top = np.linalg.eigh(A)[1][:, -2:]
    w, v, lambdas, residuals = ours.lobpcg(
        device(A),
        cp.array(X),
        Y=cp.array(top),
        maxiter=300,
        tol=1e-7,
        retLambdaHistory=True,
        retResidualNormsHistory=True,
    )
    np.testing.assert_allclose(cp.asnumpy(w), np.linalg.eigvalsh(A)[::-1][2:6], atol=1e-7)
    assert len(lambdas) == len(residuals)
    M = ours.aslinearoperator(cp.array(np.diag(1 / (np.diag(A).real + 2))))
    w, _ = ours.lobpcg(device(A), cp.array(X), M=M, largest=False, maxiter=300, tol=1e-7)
    np.testing.assert_allclose(cp.asnumpy(w), np.linalg.eigvalsh(A)[:4], atol=1e-7)


def test_lobpcg_of_small_matrices_and_bad_guesses():
    A = np.diag(np.arange(1.0, 9))
    for fixed in (None, np.eye(8)[:, -1:]):
        with pytest.warns(UserWarning, match="dense"):
            w, v = ours.lobpcg(
                cp.array(A),
                cp.array(np.random.default_rng(0).normal(size=(8, 2))),
                Y=None if fixed is None else cp.array(fixed),
            )
        np.testing.assert_allclose(cp.asnumpy(w), [8, 7] if fixed is None else [7, 6])
    # Guesses that depend on each other, and ones that are right already.
    big = np.diag(np.arange(1.0, 61))
    twice = np.ones((60, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        w, v = ours.lobpcg(cp.array(big), cp.array(twice), maxiter=100)
        assert np.isfinite(cp.asnumpy(v)).all()
    w, v = ours.lobpcg(cp.array(big), cp.array(np.eye(60)[:, -2:]))
    np.testing.assert_allclose(np.sort(cp.asnumpy(w)), [59, 60])
    with pytest.raises(ValueError):
        ours.lobpcg(cp.array(big), cp.ones(60))


@pytest.mark.parametrize("dtype", ["i1", "u8", "i8"])
def test_singular_values_of_integers(dtype):
    A = np.arange(12).reshape(4, 3).astype(dtype)
    expected = theirs.svds(A, 2, return_singular_vectors=False)
    for matrix in (cp.asarray(A), sparse.csr_array(sp.csr_array(A))):
        found = ours.svds(matrix, 2, return_singular_vectors=False)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected)
    assert float(ours.norm(sparse.csr_array(sp.csr_array(A)), 2)) == pytest.approx(expected.max())


def test_small_ends_of_wide_spectra_take_as_many_products_as_the_order():
    r = np.random.default_rng(0)
    q = np.linalg.qr(r.standard_normal((100, 100)))[0]
    values = np.logspace(-6, 6, 100)
    matrix, count = cp.asarray((q * values) @ q.T), [0]

    def product(x):
        count[0] += 1
        return matrix @ x

    operator = cp.scipy.sparse.linalg.LinearOperator((100, 100), matvec=product, dtype=np.float64)
    found = cp.scipy.sparse.linalg.eigsh(operator, k=6, which="SA", return_eigenvectors=False).get()
    # The least of them are the rounding of the largest.
    np.testing.assert_allclose(found, values[:6], atol=1e-8)
    assert count[0] <= 210


def test_default_restarts_take_as_many_products_as_arpacks():
    from cuproxide.scipy.sparse.linalg._krylov import usual_restarts, usual_size

    assert usual_size(6, 50) == 50 and usual_size(6, 1000) < 100
    for count in (300, 10_000):
        ncv = usual_size(6, count)
        assert abs(usual_restarts(6, count, ncv) * (ncv - 6) - 10 * count * 14) <= ncv


@pytest.mark.parametrize("generalised", [False, True])
def test_lobpcg_stays_beside_its_constraints_after_convergence(generalised):
    """Residuals along the constraints do not fall, and as directions they would lead out of the space."""
    A, Y = np.diag(np.arange(1, 61.0)), np.ones((60, 1))
    B = np.diag(1 + np.arange(60) / 30) + 0.1 if generalised else np.eye(60)
    X = np.random.RandomState(0).randn(60, 3)
    inside = scipy.linalg.null_space((B @ Y).T)
    expected = scipy.linalg.eigh(inside.T @ A @ inside, inside.T @ B @ inside, eigvals_only=True)[::-1][:3]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        w, v = ours.lobpcg(
            cp.array(A), cp.array(X), B=cp.array(B) if generalised else None, Y=cp.array(Y), maxiter=300, tol=1e-9
        )
    np.testing.assert_allclose(w.get(), expected, rtol=1e-12)
    np.testing.assert_allclose(Y.T @ B @ v.get(), 0, atol=1e-12)


@pytest.mark.parametrize("maxiter", [-2, -1, 0, 1, 2, 3])
def test_lobpcg_takes_as_many_steps_as_scipy(maxiter):
    A, X = np.diag(np.arange(1, 61.0)), np.random.RandomState(0).randn(60, 3)
    with pytest.warns(UserWarning, match="not reaching"):
        w, _ = ours.lobpcg(cp.array(A), cp.array(X), maxiter=maxiter, tol=1e-9)
    with pytest.warns(UserWarning, match="not reaching"):
        expected, _ = theirs.lobpcg(A, X.copy(), maxiter=maxiter, tol=1e-9)
    np.testing.assert_allclose(w.get(), expected, rtol=1e-10)
