"""Decompositions of matrices that break them, measured as LAPACK's own tests do, on whichever device is the default.

A run draws some of the cases; `CUPROXIDE_TEST_FULL=1` takes every one, and larger matrices.
"""

import os
import subprocess
import sys

import cuproxide as cp
import numpy as np
import pytest
import residuals
from effort import FULL, drawn
from residuals import DTYPES, MEASURES, TYPES, Ours, cases, epsilon, matrix, norm, orthogonality, wide

ALL = FULL

#: What LAPACK's tests allow, in units of the shorter side times epsilon.
THRESHOLD = 30.0
#: For the orthogonality of columns that are sums of thousands of equal signs, where LAPACK itself is off by 42.
TALL_THRESHOLD = 120.0
#: Rows of float32 for which one wrong step loses everything.
TALL = [(600_000, 4), (1_000_000, 3), (524_289, 2)]


def drawn_cases(name, dtype):
    every = list(cases(name, ALL))
    if ALL:
        return every
    rng = np.random.default_rng([7, *map(ord, name + dtype)])
    picked = [every[i] for i in rng.permutation(len(every))[: drawn(24)]]
    # Of each type one that is not small.
    large = {}
    for kind, m, n in every:
        if 30 <= min(m, n) <= 64:
            large.setdefault(kind, (kind, m, n))
    return picked + [large[kind] for kind in TYPES if kind in large][: drawn(12)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", MEASURES)
def test_residuals(name, dtype):
    measure = MEASURES[name][0]
    worse = []
    for kind, m, n in drawn_cases(name, dtype):
        a = matrix(kind, m, n, dtype)
        found = measure(Ours(), a)
        limit = TALL_THRESHOLD if max(m, n) >= 1000 else THRESHOLD
        worse += [f"{kind} {m} x {n}: {what} {ratio:.3g}" for what, ratio in found.items() if not ratio <= limit]
    assert not worse, "\n".join(worse)


@pytest.mark.parametrize("shape", TALL[: 3 if ALL else 2], ids=str)
@pytest.mark.parametrize("kind", ["random", "dependent", "ones"])
def test_tall_single_precision(shape, kind):
    a = matrix(kind, *shape, "f4")
    q, r = map(cp.asnumpy, cp.linalg.qr(cp.asarray(a)))
    assert orthogonality(q, "f4") < TALL_THRESHOLD
    assert norm(wide(q) @ wide(r) - wide(a)) < THRESHOLD * shape[1] * epsilon("f4") * norm(wide(a))
    values = cp.asnumpy(cp.linalg.svdvals(cp.asarray(a)))
    expected = np.linalg.svd(np.linalg.qr(wide(a), "r"), compute_uv=False)
    assert np.abs(values - expected).max() < THRESHOLD * shape[1] * epsilon("f4") * expected[0]


@pytest.mark.parametrize("mode", ["complete", "reduced", "r", "raw"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_modes_of_qr(dtype, mode):
    for kind in ("dependent", "graded columns", "holes", "zero"):
        for shape in [(40, 7), (7, 40), (33, 33), (200, 70)]:
            a = matrix(kind, *shape, dtype)
            given = cp.asarray(a)
            triangle = cp.asnumpy(cp.linalg.qr(given, "r"))
            if mode == "r":
                assert np.array_equal(triangle, np.triu(triangle))
                continue
            if mode == "raw":
                reflections, tau = map(cp.asnumpy, cp.linalg.qr(given, mode))
                q = np.eye(shape[0], dtype=np.result_type(dtype, "f8"))
                for i in range(len(tau) - 1, -1, -1):
                    v = np.r_[np.zeros(i), 1, reflections[i, i + 1 :]]
                    q -= tau[i] * np.outer(v, v.conj() @ q)
                q = q[:, : min(shape)]
            else:
                q, r = map(cp.asnumpy, cp.linalg.qr(given, mode))
                assert np.array_equal(r[: min(shape)], triangle)
                assert q.shape == (shape[0], shape[0] if mode == "complete" else min(shape))
            assert orthogonality(q, dtype) < THRESHOLD
            error = norm(wide(q)[:, : min(shape)] @ wide(triangle) - wide(a))
            assert error <= THRESHOLD * min(shape) * epsilon(dtype) * norm(wide(a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_full_singular_vectors(dtype):
    for kind in ("steep", "deficient", "dependent", "zero"):
        for shape in [(50, 6), (6, 50), (33, 30)]:
            a = matrix(kind, *shape, dtype)
            u, s, vh = map(cp.asnumpy, cp.linalg.svd(cp.asarray(a)))
            assert orthogonality(u, dtype) < THRESHOLD and orthogonality(vh.conj().T, dtype) < THRESHOLD
            k = min(shape)
            error = norm((wide(u)[:, :k] * s) @ wide(vh)[:k] - wide(a))
            assert error <= THRESHOLD * k * epsilon(dtype) * norm(wide(a))


THREADS = """
import hashlib
import cuproxide as cp, numpy as np
rng = np.random.default_rng(0)
for shape in [(260, 260), (300, 240), (30_000, 5), (12_000, 40), (3, 210, 210)]:
    a = cp.asarray(rng.standard_normal(shape))
    results = [*cp.linalg.qr(a), *cp.linalg.svd(a, full_matrices=False)]
    if a.ndim == 2:
        results.append(cp.linalg.lstsq(a, a[:, 0])[0])
    if shape[-1] == shape[-2]:
        results += [*cp.linalg.eig(a), *cp.linalg.eigh(a), cp.linalg.solve(a, a), cp.linalg.eigvalsh(a)]
    print(*[hashlib.sha256(cp.asnumpy(x).tobytes()).hexdigest()[:12] for x in results])
"""


def test_number_of_threads_changes_no_bit():
    def printed(count):
        variables = {**os.environ, "CUPROXIDE_NUM_THREADS": str(count)}
        return subprocess.run([sys.executable, "-c", THREADS], env=variables, capture_output=True, check=True).stdout

    assert printed(1) == printed(2) == printed(5)


# Default tolerances.


def test_least_squares_of_many_rows():
    rng = np.random.default_rng(3)
    a = (rng.standard_normal((100_000, 5)) * np.logspace(0, -2, 5)).astype("f4")
    b = a.sum(1)
    for rcond in (None, -1):
        x, residuals_, rank, s = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b), rcond)
        theirs = np.linalg.lstsq(a, b, rcond)
        assert rank == theirs[2] == 5
        assert x.dtype == residuals_.dtype == s.dtype == np.float32
        np.testing.assert_allclose(cp.asnumpy(x), theirs[0], rtol=1e-5)
        np.testing.assert_allclose(cp.asnumpy(s), theirs[3], rtol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(40_000, 4), (300, 12), (12, 12)], ids=str)
@pytest.mark.parametrize("power", [0, 3, 6, 9], ids="1e-{}".format)
def test_default_tolerances(dtype, shape, power):
    import scipy.linalg
    from cuproxide.scipy import linalg

    rng = np.random.default_rng([5, power, *shape])
    a = residuals._normal(rng, *shape, dtype) * np.logspace(0, -power, shape[1])
    a[:, 1] = a[:, 0]
    a = a.astype(dtype)
    given = cp.asarray(a)
    assert cp.linalg.lstsq(given, given[:, :1])[2] == np.linalg.lstsq(a, a[:, :1], rcond=None)[2]
    # With SciPy's epsilon alone the value that rounding leaves of a zero may count or not.
    assert abs(int(linalg.lstsq(given, given[:, :1])[2]) - int(scipy.linalg.lstsq(a, a[:, :1])[2])) <= 1
    assert int(cp.linalg.matrix_rank(given)) == np.linalg.matrix_rank(a)
    assert linalg.orth(given).shape == scipy.linalg.orth(a).shape
    if shape[0] < 1000:
        assert linalg.null_space(given).shape == scipy.linalg.null_space(a).shape
        assert linalg.pinv(given, return_rank=True)[1] == scipy.linalg.pinv(a, return_rank=True)[1]
    ours, theirs = cp.asnumpy(cp.linalg.pinv(given)), np.linalg.pinv(a)
    assert ours.dtype == theirs.dtype
    if power < 9 and dtype in ("f4", "c8"):
        assert norm(wide(ours) - theirs) <= 1e-4 * norm(wide(theirs))
    gram = (a.conj().T @ a).astype(dtype)
    if power < 9:
        ours = linalg.pinvh(cp.asarray(gram), return_rank=True)[1]
        assert abs(int(ours) - int(scipy.linalg.pinvh(gram, return_rank=True)[1])) <= 1


def test_pseudo_inverse_of_a_single_precision_matrix_of_rank_one():
    a = np.ones((3, 3), "f4")
    np.testing.assert_allclose(cp.asnumpy(cp.linalg.pinv(cp.asarray(a))), np.linalg.pinv(a), rtol=1e-6)


def test_polynomial_through_many_points():
    x = np.linspace(-1, 1, 50_000)
    for dtype in ("f4", "f8"):
        points = x.astype(dtype)
        values = (1 + points - 3 * points**2).astype(dtype)
        ours = cp.polyfit(cp.asarray(points), cp.asarray(values), 2)
        np.testing.assert_allclose(cp.asnumpy(ours), np.polyfit(points, values, 2), rtol=1e-4, atol=1e-4)


def test_circulant_system_of_single_precision():
    from cuproxide.scipy import linalg

    c = np.random.default_rng(1).standard_normal(40_000).astype("f4") * 1e-2
    c[0] = 1
    b = np.ones(len(c), "f4")
    x = cp.asnumpy(linalg.solve_circulant(cp.asarray(c), cp.asarray(b)))
    np.testing.assert_allclose(x, 1 / c.astype("f8").sum(), rtol=1e-3)
