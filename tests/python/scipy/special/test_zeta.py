"""Zeta functions, Lambert's W and functions that iterate, beside SciPy and, where that is less precise, mpmath."""

import cuproxide as cp
import numpy as np
import pytest

mp = pytest.importorskip("mpmath")
special = pytest.importorskip("scipy.special")
INF, NAN = np.inf, np.nan
EDGES = np.array([0, -0.0, 0.5, 1, 1.5, 2, 3, -1, -0.5, -1.5, -20.3, 1e10, INF, -INF, NAN, 30.0])


@pytest.mark.parametrize("name", ["zeta", "zetac", "wrightomega", "kolmogorov"])
def test_special_values(name):
    with np.errstate(all="ignore"):
        expected = getattr(special, name)(EDGES)
    np.testing.assert_allclose(getattr(cp.scipy.special, name)(cp.asarray(EDGES)).get(), expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["zeta", "agm"])
def test_special_pairs(name):
    first, second = np.meshgrid(EDGES, EDGES)
    with np.errstate(all="ignore"):
        expected = getattr(special, name)(first, second)
    found = getattr(cp.scipy.special, name)(cp.asarray(first), cp.asarray(second)).get()
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "exact", "low", "high", "bound"),
    [
        ("zeta", mp.zeta, -1, 3, 4),
        ("zeta", mp.zeta, 3, 50, 4),
        ("zeta", mp.zeta, -19.5, -1, 40),
        ("zetac", lambda x: mp.zeta(x) - 1, -1, 3, 4),
        ("zetac", lambda x: mp.zeta(x) - 1, 3, 50, 6),
        ("wrightomega", lambda x: mp.re(mp.lambertw(mp.exp(x))), -30, 40, 4),
    ],
)
def test_accuracy(name, exact, low, high, bound):
    x = np.random.default_rng(5).uniform(low, high, 40)
    found = getattr(cp.scipy.special, name)(cp.asarray(x)).get()
    with mp.workdps(40):
        errors = [
            float(abs(mp.mpf(float(value)) - exact(mp.mpf(float(point)))) / mp.mpf(float(np.spacing(abs(value)))))
            for value, point in zip(found, x, strict=True)
        ]
    assert max(errors) < bound


@pytest.mark.parametrize("k", [0, -1, 1, 2, -3])
def test_lambertw(k):
    random = np.random.default_rng(1)
    z = (random.normal(size=600) + 1j * random.normal(size=600)) * np.exp(random.uniform(-8, 8, 600))
    near = -1 / np.e + 1e-2 * (random.normal(size=50) + 1j * random.normal(size=50))
    z = np.concatenate([z, near, [0, INF, -INF, NAN, 1, -0.2, -0.36, 1e300, -1e300, 1e-300, 1j, -1j]])
    found = cp.scipy.special.lambertw(cp.asarray(z), k).get()
    np.testing.assert_allclose(found, special.lambertw(z, k), rtol=1e-13)


def test_lambertw_at_the_branch_point():
    # The double is a little below -1 / e: the result is complex.
    with mp.workdps(40):
        exact = complex(mp.lambertw(mp.mpf(-1 / np.e)))
    found = complex(cp.scipy.special.lambertw(cp.asarray(-1 / np.e)))
    assert abs(found - exact) < 1e-14


def _branch(z, k):
    """The branch k of Lambert's W at this very number; below a cut on which z lies for a part of -0."""
    z = complex(z)
    if z.imag == 0 and np.signbit(z.imag):
        return mp.conj(_branch(z.conjugate(), -k))
    with mp.workdps(60):
        w = mp.lambertw(mp.mpc(z) if z.imag else mp.mpf(z.real), k)
        for _ in range(3):
            # Newton's rule for w + log(w), as mpmath ends early next to the branch point.
            w -= (w - z * mp.exp(-w)) / (1 + w)
        return +mp.mpmathify(w)


def _check_branches(z, branches, bound=4):
    for k in branches:
        found = cp.scipy.special.lambertw(cp.asarray(z), k).get()
        for point, value in zip(z, found, strict=True):
            exact = _branch(point, k)
            assert abs(mp.mpc(value) - exact) <= bound * 2.0**-52 * abs(exact), (point, k, value)


def test_lambertw_of_real_numbers_next_to_the_branch_point():
    point = -1 / np.e
    ulps = [point + n * np.spacing(-point) for n in (-3, -2, -1, 0, 1, 2, 3)]
    distances = np.concatenate([10.0 ** np.arange(-16, 0), [0.01599, 0.01601, 0.0999, 0.1001, 0.299, 0.301]])
    _check_branches(np.concatenate([ulps, point + distances, point - distances]), (0, -1, 1, 2))


def test_lambertw_of_complex_numbers_next_to_the_branch_point():
    angles = np.exp(1j * np.array([0.01, 0.8, 1.6, 2.4, 3.1, -0.01, -0.8, -1.6, -2.4, -3.1]))
    distances = np.concatenate([10.0 ** np.arange(-17, 0, 2), [0.01599, 0.01601, 0.0999, 0.1001, 0.299, 0.301]])
    z = (-1 / np.e + distances[:, None] * angles).ravel()
    tiny = [complex(-1 / np.e + by, im) for by in (0.0, 1e-16, -1e-9, 1e-3) for im in (1e-20, -1e-20, 1e-300, 5e-324)]
    _check_branches(np.concatenate([z, tiny]), (0, -1, 1, -2))
    # Both sides of the cut, told apart by the sign of zero.
    sides = np.array([complex(-0.36787944127144234, -0.0), complex(-0.38, 0.0), complex(-0.38, -0.0)])
    _check_branches(sides, (0, -1, 1))
    # complex64 is taken as it is, in double precision.
    _check_branches(z[::7].astype(np.complex64), (0, -1, 1))


@pytest.mark.parametrize("k", [0, -1, 1, 3, -2])
def test_lambertw_of_subnormal_numbers(k):
    parts = [5e-324, -5e-324, -3e-320, 1e-310, -1e-310, 2e-308, 1e-291, -1e-289]
    z = np.array([complex(*pair) for a in parts for pair in ((a, 0.0), (0.0, a), (a, parts[3]), (parts[5], a))])
    _check_branches(z, [k])
    _check_branches(np.array(parts), [k])


def test_polygamma():
    n, x = np.arange(8)[:, None], np.array([0.3, 1, 2.5, 25.5])
    found = cp.scipy.special.polygamma(cp.asarray(n), cp.asarray(x)).get()
    np.testing.assert_allclose(found, special.polygamma(n, x), rtol=1e-13)


def test_multigammaln():
    a = np.array([23.5, 30.0])
    for d in (1, 3, 10):
        found = cp.scipy.special.multigammaln(cp.asarray(a), d).get()
        np.testing.assert_allclose(found, special.multigammaln(a, d), rtol=1e-14)
    with pytest.raises(ValueError, match="not met"):
        cp.scipy.special.multigammaln(cp.asarray(1.0), 4)
    with pytest.raises(ValueError, match="positive integer"):
        cp.scipy.special.multigammaln(cp.asarray(1.0), 1.5)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 0, -1, 2.5])
def test_diric(n):
    turns = np.arange(-9, 9) * np.pi
    x = np.concatenate([np.random.default_rng(2).uniform(-20, 20, 100), turns[1::2], [0.0, NAN]])
    found = cp.scipy.special.diric(cp.asarray(x), n).get()
    np.testing.assert_allclose(found, special.diric(x, n), rtol=1e-11, atol=1e-13)
    whole = np.arange(-9, 9)
    if n in (1, 2, 3, 7):
        at_poles = cp.scipy.special.diric(cp.asarray(2 * np.pi * whole), n).get()
        np.testing.assert_allclose(at_poles, (-1.0) ** (whole * (n - 1)), atol=1e-13)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 40])
@pytest.mark.parametrize("name", ["bernoulli", "euler"])
def test_numbers(name, n):
    found = getattr(cp.scipy.special, name)(n).get()
    expected = getattr(special, name)(n)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
    with pytest.raises(ValueError, match="non-negative"):
        getattr(cp.scipy.special, name)(-1)


@pytest.mark.parametrize(("name", "sign"), [("bernoulli", -1), ("euler", 1)])
def test_numbers_beyond_the_largest(name, sign):
    found = getattr(cp.scipy.special, name)(100_003).get()
    assert found.shape == (100_004,) and not found[301::2].any()
    halves = np.arange(150, 50_002)
    assert (found[300::2] == sign * np.where(halves % 2, -np.inf, np.inf)).all()
