"""Methods of special functions meet: values on both sides of the bounds between them."""

import cuproxide as cp
import numpy
import pytest
import scipy.special


def _found(name, *arguments):
    return getattr(cp.scipy.special, name)(*map(cp.asarray, arguments)).get()


def _check(name, *arguments, rtol, atol=0.0):
    arguments = numpy.broadcast_arrays(*arguments)
    with numpy.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(*arguments)
    numpy.testing.assert_allclose(_found(name, *arguments), expected, rtol=rtol, atol=atol, err_msg=name)


def _around(*bounds):
    bounds = numpy.asarray(bounds, float)
    return numpy.concatenate([bounds * (1 - 1e-9), bounds, bounds * (1 + 1e-9)])


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_incomplete_gamma(name):
    a = _around(1e-5, 0.3, 1, 2, 3, 19.9, 20, 21, 300, 1e5)[:, None]
    x = numpy.concatenate([_around(1e-290, 1e-8, 0.5, 0.9, 1.1, 3, 12, 20, 28, 200, 420), _around(1e5)])
    _check(name, a, x, rtol=5e-12, atol=1e-300)


@pytest.mark.parametrize("name", ["betainc", "betaincc"])
def test_incomplete_beta(name):
    a = _around(1e-3, 0.5, 1, 3, 40, 1e4)[:, None, None]
    b = _around(0.2, 1, 3, 17, 1e3)[:, None]
    x = numpy.concatenate([_around(1e-12, 0.3, 0.5, 0.7), [0.95, 1 - 1e-9]])
    _check(name, a, b, x, rtol=2e-11, atol=1e-200)


def test_quantiles():
    random = numpy.random.default_rng(7)
    a = numpy.exp(random.uniform(-3, 9, 300))
    p = numpy.concatenate([random.uniform(0, 1, 200), numpy.exp(random.uniform(-200, 0, 100))])
    x = _found("gammaincinv", a, p)
    usual = x > 1e-290
    numpy.testing.assert_allclose(_found("gammainc", a, x)[usual], p[usual], rtol=1e-11)
    b = numpy.exp(random.uniform(-2, 6, 300))
    x = _found("betaincinv", a, b, p)
    usual = (x > 1e-290) & (x < 0.99)
    numpy.testing.assert_allclose(_found("betainc", a, b, x)[usual], p[usual], rtol=1e-10)


@pytest.mark.parametrize("name", ["y0", "y1", "j0", "j1"])
def test_bessel_of_orders_0_and_1(name):
    x = numpy.concatenate([_around(1e-300, 1e-9, 0.4, 0.9, 2.2, 3, 4, 5.5, 8), [25, 1000]])
    _check(name, x, rtol=1e-14, atol=1e-15)


def test_bessel_of_real_orders():
    v = numpy.concatenate([_around(0.25, 0.5, 3, 17.5, 39.5, 40), [0, 1, 7]])[:, None]
    x = _around(1e-3, 1, 2, 5, 12, 20, 35, 60)
    for name in ("jv", "yv", "iv", "kv"):
        _check(name, v, x, rtol=2e-11, atol=1e-14)
        _check(name, -v, x, rtol=2e-11, atol=1e-10)


def test_bessel_of_whole_orders():
    n = numpy.array([-41, -3, -2, -1, 0, 1, 2, 5, 20, 39, 40, 41])[:, None]
    x = numpy.array([-1, 0, 1e-310, 1e-8, 0.1, 1, 8, 30, 300, numpy.inf, numpy.nan])
    expected = scipy.special.yv(n.astype(float), x)
    # mpmath: SciPy's yv takes subnormal numbers as 0.
    expected[n[:, 0] == 0, x == 1e-310] = -454.4938756003539
    numpy.testing.assert_allclose(_found("yn", n.astype("i8"), x), expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("name", ["ellipk", "ellipkm1", "ellipe"])
def test_complete_elliptic_integrals(name):
    p = numpy.concatenate([_around(1e-300, 1e-16, 1e-3, 0.5), [0, 5e-324, 1, 1.5, 40, 1e300, numpy.inf]])
    _check(name, p if name == "ellipkm1" else 1 - p, rtol=2e-15)


def test_inverse_error_functions():
    near = 1 - numpy.exp(-6.25) * _around(0.1, 0.5, 1, 2)
    _check("erfinv", numpy.concatenate([near, -near, [0, -0.0, 1, -1, 2, numpy.nan, 1e-300]]), rtol=2e-15)
    _check("erfcinv", numpy.concatenate([_around(5e-3, 1e-28, 1e-300), [0, 1, 2]]), rtol=2e-15)


@pytest.mark.parametrize("branch", [0, -1, 1])
def test_lambert(branch):
    x = numpy.concatenate([-_around(0.3, 0.1, 1e-3, 1e-300), _around(1e-300, 0.1, 1.5, 3, 1e300), [-0.36, -0.5]])
    for z in (x, x + 0j, x + 1e-300j):
        found = cp.scipy.special.lambertw(cp.asarray(z), branch).get()
        expected = scipy.special.lambertw(z, branch)
        numpy.testing.assert_allclose(found, expected, rtol=1e-13)
        if not numpy.imag(z).any():
            numpy.testing.assert_array_equal(numpy.signbit(found.imag), numpy.signbit(expected.imag))


def test_lambert_next_to_its_branch_point():
    # w = -1 - s with s**2 / 2 = 1 + e x to leading order; SciPy has -1 in the branch -1.
    x = numpy.array([-0.36787944080212, -0.3678794411714])
    for branch in (0, -1):
        w = cp.scipy.special.lambertw(cp.asarray(x), branch).get().real
        numpy.testing.assert_allclose(w * numpy.exp(w), x, rtol=1e-15)
        assert (w > -1).all() if branch == 0 else (w < -1).all()


def test_zeta():
    q = numpy.concatenate([_around(1e-300, 0.1, 1, 8, 9, 100), [-0.5, -3.25]])[:, None]
    x = numpy.concatenate([_around(1.01, 1.5, 4, 60), [2, 3, 400]])
    with numpy.errstate(all="ignore"):
        expected = scipy.special.zeta(x, q)
    positive = (q > 0) & numpy.isfinite(expected)
    found = _found("zeta", *numpy.broadcast_arrays(x, q))
    numpy.testing.assert_allclose(found[positive], expected[positive], rtol=3e-15)


def test_parabolic_cylinder_functions():
    v = numpy.array([0, 1, 2, 7, 20, 60, 61])[:, None]
    x = numpy.array([-30, -5, -1, 0, 1e-3, 0.5, 3, 12, 30.0])
    # The recurrence over whole orders, and the methods for real ones next to them.
    values, slopes = (part.get() for part in cp.scipy.special.pbdv(cp.asarray(v + 0.0), cp.asarray(x)))
    beside = [[part.get() for part in cp.scipy.special.pbdv(cp.asarray(v + d), cp.asarray(x))] for d in (-1e-7, 1e-7)]
    for found, low, high in zip((values, slopes), *beside, strict=True):
        right = x >= 0
        bound = 1e-8 * abs(found[:, right]).max()
        numpy.testing.assert_allclose(found[:, right], (0.5 * (low + high))[:, right], rtol=1e-8, atol=bound)
    expected = scipy.special.pbdv(v[:4] + 0.0, x)
    numpy.testing.assert_allclose(values[:4], expected[0], rtol=1e-11, atol=1e-14)
    numpy.testing.assert_allclose(slopes[:4], expected[1], rtol=1e-11, atol=1e-13)
