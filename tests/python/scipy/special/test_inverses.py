"""Inverses, Owen's T, and complex zeros, beside mpmath and SciPy."""

import cuproxide as cp
import numpy as np
import pytest

special = pytest.importorskip("scipy.special")
mpmath = pytest.importorskip("mpmath")

NAN, INFINITY = np.nan, np.inf


def ours(name, *arguments):
    return getattr(cp.scipy.special, name)(*(cp.asarray(np.asarray(a, float)) for a in arguments)).get()


def test_ndtri_exp():
    random = np.random.default_rng(0)
    y = np.concatenate([-(10 ** random.uniform(-300, 10, 300)), -(10 ** random.uniform(-3, 3, 300))])
    np.testing.assert_allclose(ours("ndtri_exp", y), special.ndtri_exp(y), rtol=1e-12)
    far = -(10 ** random.uniform(1, 5, 20))
    with mpmath.workdps(40):
        for point, x in zip(far, ours("ndtri_exp", far), strict=True):
            value = mpmath.log(mpmath.erfc(-mpmath.mpf(x) / mpmath.sqrt(2)) / 2)
            assert abs(float(value / mpmath.mpf(point)) - 1) < 4e-16
    ends = [0.0, -INFINITY, 0.5, NAN, -1e300]
    np.testing.assert_allclose(ours("ndtri_exp", ends), special.ndtri_exp(ends), rtol=1e-14)


def test_kolmogi():
    random = np.random.default_rng(1)
    p = np.concatenate([10 ** random.uniform(-300, 0, 200), 1 - 10 ** random.uniform(-15, -1, 100), random.random(100)])
    np.testing.assert_allclose(ours("kolmogi", p), special.kolmogi(p), rtol=2e-14)
    ends = [0.0, 1.0, -1.0, 2.0, NAN]
    np.testing.assert_array_equal(ours("kolmogi", ends), special.kolmogi(ends))


def test_tukey_lambda():
    random = np.random.default_rng(2)
    x, shape = random.normal(size=300) * 3, random.uniform(-2, 2, 300)
    found = ours("tklmbda", x, shape)
    np.testing.assert_allclose(found, special.tklmbda(x, shape), rtol=1e-10, atol=1e-13)
    # The quantiles of what was found are the points.
    inside = (abs(shape) > 0.01) & (found > 0) & (found < 0.5)
    p, a = found[inside], shape[inside]
    np.testing.assert_allclose((p**a - (1 - p) ** a) / a, x[inside], rtol=1e-11)
    x, shape = np.meshgrid([0.0, 1.0, -1.0, 2.0, INFINITY, -INFINITY, NAN], [0.0, 1.0, 0.5, 2.0])
    np.testing.assert_allclose(ours("tklmbda", x, shape), special.tklmbda(x, shape), rtol=1e-13)


def _owens(h, a):
    # The integrand is of the order of 1: quadrature ends at an absolute error.
    rest = mpmath.quad(lambda t: mpmath.exp(-h * h * t * t / 2) / (1 + t * t), mpmath.linspace(0, a, 17))
    return mpmath.exp(-h * h / 2) * rest / (2 * mpmath.pi)


def test_owens_t():
    random = np.random.default_rng(3)
    h, a = random.normal(size=300) * 5, 10 ** random.uniform(-3, 3, 300) * random.choice([-1, 1], 300)
    np.testing.assert_allclose(ours("owens_t", h, a), special.owens_t(h, a), rtol=3e-13, atol=1e-300)
    with mpmath.workdps(30):
        for i in np.flatnonzero(abs(a) < 20)[:12]:
            assert abs(float(ours("owens_t", h[i], a[i]) / _owens(mpmath.mpf(h[i]), mpmath.mpf(a[i]))) - 1) < 1e-14
    h, a = np.meshgrid([0.0, 1.0, -2.0, INFINITY, NAN], [0.0, 1.0, -2.0, INFINITY, -INFINITY, NAN])
    np.testing.assert_allclose(ours("owens_t", h, a), special.owens_t(h, a), rtol=1e-14, atol=1e-300)


def test_fresnel_of_complex_numbers():
    random = np.random.default_rng(4)
    z = np.concatenate([(random.normal(size=(15, 2)) * scale) @ [1, 1j] for scale in (0.2, 1, 3)])
    with mpmath.workdps(40):
        for found, function in zip(
            cp.scipy.special.fresnel(cp.asarray(z)), (mpmath.fresnels, mpmath.fresnelc), strict=True
        ):
            for point, value in zip(z, found.get(), strict=True):
                exact = function(mpmath.mpc(point))
                # A unit of the exponent's last place is that of z squared.
                assert abs(value - exact) < 1e-15 * (4 + abs(point) ** 2) * abs(exact)
    assert cp.scipy.special.fresnel(cp.asarray(z.astype("c8")))[0].dtype == "c8"


@pytest.mark.parametrize("name", ["erf_zeros", "fresnelc_zeros", "fresnels_zeros"])
def test_zeros(name):
    found = getattr(cp.scipy.special, name)(30).get()
    np.testing.assert_allclose(found, getattr(special, name)(30), rtol=1e-13)
    for count in (0, -1, 1.5, [2]):
        with pytest.raises(ValueError, match="positive scalar integer"):
            getattr(cp.scipy.special, name)(count)
    assert [part.shape for part in cp.scipy.special.fresnel_zeros(2)] == [(2,), (2,)]


def test_assoc_laguerre():
    x = np.linspace(0, 3, 7)
    np.testing.assert_allclose(
        cp.scipy.special.assoc_laguerre(cp.asarray(x), 3, 1.5).get(), special.assoc_laguerre(x, 3, 1.5), rtol=1e-13
    )
