"""Orthogonal polynomials, beside mpmath at drawn points and SciPy at special ones."""

import cuproxide as cp
import numpy as np
import pytest

special = pytest.importorskip("scipy.special")
mpmath = pytest.importorskip("mpmath")

COUNT = 40


def _chebyt(n, x):
    return mpmath.chebyt(n, x)


def _hermitenorm(n, x):
    return mpmath.hermite(n, x / mpmath.sqrt(2)) / mpmath.sqrt(2) ** n


def _laguerre(n, x):
    return mpmath.laguerre(n, 0, x)


# name, what mpmath computes, ranges of the parameters and of x
REGIONS = [
    ("eval_chebyt", _chebyt, [(-1, 1)]),
    ("eval_chebyt", _chebyt, [(-3, 3)]),
    ("eval_chebyu", mpmath.chebyu, [(-1, 1)]),
    ("eval_legendre", mpmath.legendre, [(-1, 1)]),
    ("eval_legendre", mpmath.legendre, [(-3, 3)]),
    ("eval_hermite", mpmath.hermite, [(-3, 3)]),
    ("eval_hermitenorm", _hermitenorm, [(-3, 3)]),
    ("eval_laguerre", _laguerre, [(0, 10)]),
    ("eval_genlaguerre", mpmath.laguerre, [(-0.9, 4), (0, 10)]),
    ("eval_gegenbauer", mpmath.gegenbauer, [(0.1, 5), (-1, 1)]),
    ("eval_jacobi", mpmath.jacobi, [(-0.9, 5), (-0.9, 5), (-1, 1)]),
]


@pytest.mark.parametrize("row", range(len(REGIONS)), ids=lambda row: f"{REGIONS[row][0]}-{row}")
def test_accuracy(row):
    name, exact, ranges = REGIONS[row]
    random = np.random.default_rng(row)
    n = random.integers(0, 30, COUNT)
    points = [random.uniform(*bounds, COUNT) for bounds in ranges]
    found = getattr(cp.scipy.special, name)(*map(cp.asarray, [n, *points])).get()
    scipys = getattr(special, name)(n, *points)
    with mpmath.workdps(30):
        expected = [exact(int(order), *map(mpmath.mpf, rest)) for order, *rest in zip(n, *points, strict=True)]
    expected = np.array([float(value) for value in expected])
    # Near a zero the error counts beside the slope: SciPy's own errors say how much is lost.
    scale = np.abs(expected) + 1e-2 * np.median(np.abs(expected))
    error, theirs = np.abs(found - expected) / scale, np.abs(scipys - expected) / scale
    assert error.max() < max(2 * theirs.max(), 1e-13)


@pytest.mark.parametrize("name", ["chebyt", "chebyu", "legendre", "hermite", "hermitenorm", "laguerre"])
def test_orders(name):
    ours, scipys = getattr(cp.scipy.special, f"eval_{name}"), getattr(special, f"eval_{name}")
    n, x = np.meshgrid(np.arange(-4, 8), [0.0, 1.0, -1.0, 0.5, -0.25, 2.0, -3.0, np.nan])
    if "hermite" in name:
        n = np.maximum(n, -1)
    # nan stays nan at order -1 of chebyu, too, where SciPy gives 0.
    expected = np.where((name == "chebyu") & np.isnan(x), np.nan, scipys(n, x))
    np.testing.assert_allclose(ours(cp.asarray(n), cp.asarray(x)).get(), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", ["chebyt", "chebyu", "chebyc", "chebys", "sh_chebyt", "sh_chebyu"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_chebyshevs_of_any_order(name, dtype):
    random = np.random.default_rng(1)
    x = random.uniform(0.05, 0.95, 60) + (1j * random.uniform(-0.3, 0.3, 60) if dtype[0] == "c" else 0)
    x = x.astype(dtype)
    n = random.uniform(-3, 8, 60).astype(x.real.dtype)
    expected = getattr(special, f"eval_{name}")(n, x)
    found = getattr(cp.scipy.special, f"eval_{name}")(cp.asarray(n), cp.asarray(x))
    assert found.dtype == expected.dtype
    # In float64 SciPy's hypergeometric series is the less precise side, by four digits at some of these points.
    np.testing.assert_allclose(found.get(), expected, rtol=0, atol=max(200 * np.finfo(dtype).eps, 1e-11))


def test_shifted():
    n, x = np.meshgrid(np.arange(6), np.linspace(0, 1, 9))
    for name in ("chebyt", "chebyu", "legendre"):
        found = getattr(cp.scipy.special, f"eval_sh_{name}")(cp.asarray(n), cp.asarray(x)).get()
        np.testing.assert_allclose(found, getattr(special, f"eval_sh_{name}")(n, x), rtol=1e-13, atol=1e-15)
    found = cp.scipy.special.eval_sh_jacobi(cp.asarray(n), 3.5, 1.5, cp.asarray(x)).get()
    np.testing.assert_allclose(found, special.eval_sh_jacobi(n, 3.5, 1.5, x), rtol=1e-12, atol=1e-15)


def test_fused_and_transposed():
    n, x = np.arange(6), np.linspace(-1, 1, 24).reshape(4, 6)
    found = 2 * cp.scipy.special.eval_legendre(cp.asarray(n), cp.asarray(x)[::-1]) + 1
    np.testing.assert_allclose(found.get(), 2 * special.eval_legendre(n, x[::-1]) + 1, rtol=1e-13, atol=1e-15)
    assert cp.scipy.special.eval_legendre(cp.asarray(n[:0]), cp.asarray(x[0, :0])).shape == (0,)
