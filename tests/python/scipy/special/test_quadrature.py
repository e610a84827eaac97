"""Gauss quadrature and polynomials as objects, beside SciPy and exact integrals."""

import math

import cuproxide as cp
import mpmath
import numpy as np
import pytest
from cuproxide.scipy.special._quadrature import FAMILIES

special = pytest.importorskip("scipy.special")
ROWS = [(name, family.example) for name, family in FAMILIES.items()]
ROWS += [("jacobi", (-0.5, 0.25)), ("jacobi", (0.0, 0.0)), ("jacobi", (2.0, 2.0)), ("genlaguerre", (0.0,))]
ROWS += [("gegenbauer", (-0.25,)), ("sh_jacobi", (3.0, 1.0))]


@pytest.mark.parametrize(("name", "parameters"), ROWS)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 61])
def test_nodes_and_weights(name, parameters, n):
    x, w, total = getattr(cp.scipy.special, f"roots_{name}")(n, *parameters, mu=True)
    nodes, weights, expected = getattr(special, f"roots_{name}")(n, *parameters, mu=True)
    scale = max(1, abs(nodes).max())
    np.testing.assert_allclose(x.get(), nodes, atol=1e-14 * scale, rtol=1e-13)
    large = weights > 1e-280
    np.testing.assert_allclose(w.get()[large], weights[large], rtol=3e-11)
    assert math.isclose(total, expected, rel_tol=1e-14) and math.isclose(float(w.sum()), expected, rel_tol=1e-13)


@pytest.mark.parametrize(
    ("n", "parameters", "place", "node", "weight"),
    [
        # By mpmath in 60 digits.
        (10000, (0.0, 0.0), 0, -0.9999999710869617, 7.420019273239323e-08),
        (10000, (0.0, 0.0), 100, -0.9994991804651451, 9.940972260992815e-06),
        (1000, (0.0, 0.0), 3, -0.9999305501355009, 3.6973442006435494e-05),
        (3000, (0.5, 1.5), 0, -0.999998879413913, 2.7588343943324066e-15),
        (3000, (0.5, 1.5), 2999, 0.9999994522365644, 2.293318261353953e-09),
        (100, (30.0, -0.9), 0, -0.9999838726075976, 4678352387.061426),
        (2, (-0.99999999, 0.3), 0, -0.21212121622150337, 1.1210002142600127),
    ],
)
def test_weights_of_many_nodes(n, parameters, place, node, weight):
    x, w = (a.get() for a in cp.scipy.special.roots_jacobi(n, *parameters))
    assert x[place] == pytest.approx(node, rel=3e-16) and w[place] == pytest.approx(weight, rel=5e-12)
    assert (np.diff(x) > 0).all()


@pytest.mark.parametrize("n", [150, 151, 700, 2000])
def test_many_nodes_of_hermite(n):
    x, w = (a.get() for a in cp.scipy.special.roots_hermite(n))
    assert (np.diff(x) > 0).all() and (x == -x[::-1]).all() and np.isfinite(w).all()
    # Exact for polynomials: the moments of the weight function.
    for power, moment in ((0, 1.0), (2, 0.5), (4, 0.75), (6, 1.875)):
        assert math.isclose((w * x**power).sum(), moment * math.sqrt(math.pi), rel_tol=1e-12)
    if n == 150:
        np.testing.assert_allclose(x, special.roots_hermite(n)[0], rtol=1e-13)


@pytest.mark.parametrize(("name", "parameters"), ROWS)
@pytest.mark.parametrize("monic", [False, True])
def test_polynomials(name, parameters, monic):
    for n in (1, 2, 5, 9):
        ours = getattr(cp.scipy.special, name)(n, *parameters, monic=monic)
        theirs = getattr(special, name)(n, *parameters, monic=monic)
        x = np.linspace(0.1, 0.9, 7)
        values = theirs(x)
        np.testing.assert_allclose(ours(cp.asarray(x)).get(), values, atol=1e-12 * abs(values).max())
        np.testing.assert_allclose(ours.coeffs.get(), theirs.coeffs, atol=1e-11 * abs(theirs.coeffs).max())
        np.testing.assert_allclose(ours.weights.get(), theirs.weights, rtol=1e-9, atol=1e-12 * theirs.weights.max())
        assert math.isclose(ours.normcoef, abs(theirs.normcoef), rel_tol=1e-11) and ours.limits == theirs.limits
        assert isinstance(ours, cp.poly1d) and ours.order == n
        assert float(ours(2 * cp.poly1d([1.0, 0.0]))(0.25)) == pytest.approx(
            float(ours(0.5)), rel=1e-9, abs=1e-10 * abs(ours.coeffs.get()).max()
        )


@pytest.mark.parametrize("name", list(FAMILIES))
def test_degree_zero(name):
    ours = getattr(cp.scipy.special, name)(0, *FAMILIES[name].example)
    assert ours.weights.shape == (0, 3)
    value = float(getattr(special, f"eval_{name}")(0, *FAMILIES[name].example, 0.3))
    assert float(ours(0.3)) == pytest.approx(value) and ours.coeffs.get().tolist() == [pytest.approx(value)]
    # The norm is that of a constant: the weights add up to the integral of the weight function.
    total = getattr(special, f"roots_{name}")(1, *FAMILIES[name].example, mu=True)[2]
    if name not in ("chebyc", "chebys"):
        assert ours.normcoef == pytest.approx(value * math.sqrt(total))


def test_old_names():
    assert cp.scipy.special.p_roots is cp.scipy.special.roots_legendre
    for family in FAMILIES.values():
        for alias in family.alias:
            assert hasattr(special, alias) and getattr(cp.scipy.special, alias).__name__ == f"roots_{family.name}"


def test_errors():
    for n in (0, -1, 2.5):
        for name, parameters in ROWS:
            with pytest.raises(ValueError, match="n must be a positive integer"):
                getattr(cp.scipy.special, f"roots_{name}")(n, *parameters)
    with pytest.raises(ValueError, match="nonnegative"):
        cp.scipy.special.legendre(-1)
    for call, words in (
        (lambda xp: xp.roots_jacobi(3, -1, 0), "alpha and beta"),
        (lambda xp: xp.roots_genlaguerre(3, -1.5), "alpha must be"),
        (lambda xp: xp.roots_gegenbauer(3, -0.6), "alpha must be"),
        (lambda xp: xp.roots_sh_jacobi(3, 1, 3), "must be greater"),
    ):
        with pytest.raises(ValueError, match=words):
            call(cp.scipy.special)
        with pytest.raises(ValueError, match=words):
            call(special)


def test_many_nodes_of_laguerre():
    """The polynomials overflow from some 700 nodes on; small nodes keep their digits."""
    x, w = (a.get() for a in cp.scipy.special.roots_laguerre(1200))
    assert np.isfinite(x).all() and np.isfinite(w).all() and (np.diff(x) > 0).all()
    # The first node and the moments of exp(-x), from mpmath and exact.
    with mpmath.workdps(40):
        first = mpmath.findroot(lambda t: mpmath.laguerre(1200, 0, t), mpmath.mpf(float(x[0])), tol=1e-25, verify=False)
    assert math.isclose(x[0], float(first), rel_tol=1e-14)
    for order in range(5):
        assert math.isclose((w * x**order).sum(), math.factorial(order), rel_tol=1e-11)


def test_weights_of_an_endless_sum():
    """The sum of the weights overflows; the nodes are numbers still."""
    x, w, total = cp.scipy.special.roots_jacobi(8, 2.0, 1e4, mu=True)
    np.testing.assert_allclose(x.get(), special.roots_jacobi(8, 2.0, 1e4)[0], rtol=1e-12)
    assert total == math.inf and bool(cp.isinf(w).all())


@pytest.mark.parametrize("name", ["chebyt", "chebyu", "sh_chebyt", "sh_chebyu", "legendre", "hermite"])
def test_polynomials_of_a_degree_beyond_the_range(name):
    """Coefficients overflow; the object is made, as in SciPy."""
    with np.errstate(all="ignore"):
        assert getattr(cp.scipy.special, name)(1100).order == 1100
