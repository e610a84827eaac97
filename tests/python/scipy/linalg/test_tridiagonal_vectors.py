"""A part of the vectors of tridiagonal matrices: residuals and orthogonality, and no matrix of their order."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.scipy import linalg, signal

N = 160
RANDOM = np.random.default_rng(3)
MATRICES = {
    "random": (RANDOM.standard_normal(N), RANDOM.standard_normal(N - 1)),
    "Wilkinson": (np.abs(np.arange(N) - N // 2).astype(float), np.ones(N - 1)),
    "differences": (np.full(N, 2.0), np.full(N - 1, -1.0)),
    "zero": (np.zeros(N), np.zeros(N - 1)),
    "one value": (np.ones(N), np.zeros(N - 1)),
    "parts": (np.arange(N) % 3.0, (np.arange(N - 1) % 2) * 1.0),
    "graded": (np.logspace(0, -12, N), np.logspace(-1, -13, N)[1:]),
    "huge": (RANDOM.standard_normal(N) * 1e37, RANDOM.standard_normal(N - 1) * 1e37),
    "tiny": (RANDOM.standard_normal(N) * 1e-36, RANDOM.standard_normal(N - 1) * 1e-36),
}


def _check(d, e, values, vectors):
    """Residuals and orthogonality to rounding, in float64."""
    assert values.dtype == vectors.dtype == d.dtype
    size = max(float(np.abs(d).max()), float(np.abs(e).max())) or 1.0
    d, e, w, v = (part.astype(np.float64) for part in (d, e, values.get(), vectors.get()))
    d, e, w = d / size, e / size, w / size
    product = d[:, None] * v
    product[:-1] += e[:, None] * v[1:]
    product[1:] += e[:, None] * v[:-1]
    bound = 30 * np.finfo(vectors.dtype).eps
    assert np.abs(product - v * w).max() <= bound
    assert np.abs(v.T @ v - np.eye(v.shape[1])).max() <= bound


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("kind", MATRICES)
def test_vectors_by_inverse_iteration(kind, dtype):
    d, e = (part.astype(dtype) for part in MATRICES[kind])
    for low, high in ((0, 11), (N - 30, N - 1), (70, 70)):
        found = linalg.eigh_tridiagonal(cp.asarray(d), cp.asarray(e), select="i", select_range=(low, high))
        assert found[1].shape == (N, high - low + 1)
        _check(d, e, *found)


def test_vectors_of_stacks_and_of_intervals():
    d, e = RANDOM.standard_normal((2, 3, N)), RANDOM.standard_normal((3, N - 1))
    values, vectors = linalg.eigh_tridiagonal(cp.asarray(d), cp.asarray(e), select="i", select_range=(2, 6))
    assert values.shape == (2, 3, 5) and vectors.shape == (2, 3, N, 5)
    for i, j in np.ndindex(2, 3):
        _check(d[i, j], e[j], values[i, j], vectors[i, j])
    d, e = d[0, 0], e[0]
    values, vectors = linalg.eigh_tridiagonal(cp.asarray(d), cp.asarray(e), select="v", select_range=(0.2, 0.4))
    assert 0 < values.size < N // 4 and bool(((values > 0.2) & (values <= 0.4)).all())
    _check(d, e, values, vectors)
    values, vectors = linalg.eigh_tridiagonal(cp.asarray(d), cp.asarray(e), select="v", select_range=(90, 91))
    assert values.shape == (0,) and vectors.shape == (N, 0)


def test_vectors_need_no_matrix():
    # A whole matrix of this order would take 32 GB.
    n = 64_000
    d, e = cp.full(n, 2.0), cp.full(n - 1, -1.0)
    _, vectors = linalg.eigh_tridiagonal(d, e, select="i", select_range=(n - 1, n - 1))
    expected = np.sin(np.pi * n * np.arange(1, n + 1) / (n + 1)) * np.sqrt(2 / (n + 1))
    # The values lie within 1e-8 of each other, which costs the vectors as many digits.
    assert abs(abs(vectors.get()[:, 0] @ expected) - 1) < 1e-6


def test_long_windows_of_slepian():
    w, ratios = signal.windows.dpss(20_000, 2.5, 3, return_ratios=True)
    assert w.shape == (3, 20_000)
    np.testing.assert_allclose((w @ w.T).get(), np.eye(3), atol=1e-12)
    # The concentrations are those of the continuous functions (Slepian and Pollak 1961), here from a short window.
    np.testing.assert_allclose(ratios.get(), signal.windows.dpss(100, 2.5, 3, return_ratios=True)[1].get(), rtol=2e-4)
