"""Functions whose roundings are few: errors in units of the last place beside mpmath."""

import cuproxide as cp
import mpmath as mp
import numpy as np
import pytest
from cuproxide.scipy import special
from references import distance, precisely

RANDOM = np.random.default_rng(57)


def complex_distance(found, reference):
    """Units in the last place of the modulus."""
    with mp.workdps(60):
        return max(
            float(abs(mp.mpmathify(complex(value)) - exact)) / float(np.spacing(abs(complex(exact))))
            for value, exact in zip(np.ravel(found).tolist(), reference, strict=True)
        )


def exactly(function, *columns):
    with mp.workdps(60):
        return [+function(*map(mp.mpmathify, each)) for each in zip(*(c.tolist() for c in columns), strict=True)]


ELLIPTIC = {
    "elliprf": (3, mp.elliprf, 3.2, 4),
    "elliprd": (3, mp.elliprd, 4.2, 5),
    "elliprg": (3, mp.elliprg, 4, 5),
    "elliprc": (2, mp.elliprc, 3, 4),
    "elliprj": (4, mp.elliprj, 12, 30),
}


@pytest.mark.parametrize("name", ELLIPTIC)
@pytest.mark.parametrize("wide", [False, True])
def test_elliptic_integrals_of_real_numbers(name, wide):
    count, exact, most, _ = ELLIPTIC[name]
    columns = 10.0 ** RANDOM.uniform(-20, 20, (count, 40)) if wide else RANDOM.uniform(0, 9, (count, 40))
    found = getattr(special, name)(*map(cp.asarray, columns)).get()
    assert distance(found, exactly(exact, *columns)) <= most


@pytest.mark.parametrize("name", ELLIPTIC)
def test_elliptic_integrals_of_complex_numbers(name):
    count, exact, _, most = ELLIPTIC[name]
    columns = RANDOM.uniform(0.1, 9, (count, 30)) + 1j * RANDOM.uniform(-9, 9, (count, 30))
    found = getattr(special, name)(*map(cp.asarray, columns)).get()
    assert complex_distance(found, exactly(exact, *columns)) <= most


# From where on products of two numbers leave the range, and 0.
@pytest.mark.parametrize("name", ["elliprf", "elliprd", "elliprg"])
def test_elliptic_integrals_at_the_ends_of_the_range(name):
    columns = np.array([[1e-149, 3e-151, 1e-180], [2e149, 5e150, 1e-140], [1e180, 2e150, 1e149], [0.0, 1e-160, 3.0],
                        [1e-200, 1e-160, 2.0], [4e151, 0.0, 2e-3], [1e-151, 1e151, 1.0]]).T  # fmt: skip
    found = getattr(special, name)(*map(cp.asarray, columns)).get()
    assert distance(found, exactly(getattr(mp, name), *columns)) <= 6


def test_elliptic_integral_of_numbers_on_both_sides_of_the_negative_axis():
    columns = np.array([[-1 + 1e-3j, -1 - 1e-3j, -1 + 2e-3j], [-2 - 1e-9j, -2 + 1e-9j, -2.01 + 1e-9j],
                        [-3 + 1e-5j, -3 + 2e-5j, -3 + 1e-5j]]).T  # fmt: skip
    found = special.elliprf(*map(cp.asarray, columns)).get()
    # By the definition, an integral over the positive axis, whose path passes each number's pole on its side.
    with mp.workdps(30):
        for value, row in zip(found.tolist(), columns.T.tolist(), strict=True):
            numbers = [mp.mpmathify(number) for number in row]

            def integrand(t, numbers=numbers):
                return 0.5 / mp.fprod(mp.sqrt(t + number) for number in numbers)

            stops = sorted(-number.real for number in numbers)
            beside = [stop * (1 + sign * mp.mpf(10) ** -k) for stop in stops for sign in (-1, 1) for k in range(1, 12)]
            turned = [0, 0.5, *beside, *stops, 10, mp.inf]
            exact = mp.quad(integrand, sorted(set(turned)))
            np.testing.assert_allclose(value, complex(exact), rtol=1e-6)


# The continued fraction, of which numbers near 1 need many steps, and the series beside it.
def spherical(n, x):
    return mp.sqrt(mp.pi / 2 / x) * mp.bessely(n + mp.mpf(1) / 2, x)


@pytest.mark.parametrize(
    ("n", "x"),
    [(672, 3409.6140065181094), (3, 0.01), (0, 2.0), (8, 25.5), (40, 3.0), (40, 1e-3), (33, 30.5)],
)
def test_spherical_functions_of_the_second_kind_by_recurrence(n, x):
    found = special.spherical_yn(cp.asarray([n]), cp.asarray([x])).get()
    assert distance(found, [precisely(lambda x: spherical(n, x), x)]) <= 60


def test_spherical_functions_beyond_the_range():
    n, x = np.array([5, 5, 4, 0, 1, 2, 1000, 3]), np.array([1e-70, 1e-61, 1e-61, 5e-324, 5e-324, 1e-309, 0.5, np.inf])
    found = special.spherical_yn(cp.asarray(n), cp.asarray(x)).get()
    assert found.tolist() == [-np.inf, -np.inf, pytest.approx(-105e305, rel=1e-15), *[-np.inf] * 4, 0]
    assert np.isnan(special.spherical_yn(cp.asarray([2]), np.nan).get()).all()


@pytest.mark.parametrize(("n", "x"), [(486, 11583.067602894023), (1000, 10001.0), (39, 20.0), (12, 1e-3), (30, 1e7)])
def test_bessel_functions_of_whole_orders_far_out(n, x):
    found = special.yn(cp.asarray([n]), cp.asarray([x])).get()
    assert distance(found, [precisely(lambda x: mp.bessely(n, x), x)]) <= 2000
    edge = special.yn(cp.asarray([0, 1, 2, 39]), cp.asarray([5e-324, 5e-309, 4e-309, 1e-30])).get()
    assert edge.tolist() == [
        pytest.approx(-473.99907342300423),
        pytest.approx(-1.2732395447351628e308),
        -np.inf,
        -np.inf,
    ]


def test_logarithm_of_gamma_about_three():
    z = np.array([3 + 6.5e-10 + 8.4e-10j, 2.9 - 4e-15j, 3.79 + 0.05j, 2.5 + 0.6j, 3 - 0.79j, 3 + 0j, 3.85 + 0.1j])
    assert complex_distance(special.loggamma(cp.asarray(z)).get(), exactly(mp.loggamma, z)) <= 16
    assert complex_distance(special.loggamma(cp.asarray(z[:6])).get(), exactly(mp.loggamma, z[:6])) <= 3


def test_integrals_on_and_beside_their_cuts_and_roots():
    x = -np.array([1e-300, 0.1, 0.3725074107813666, 5.0, 18.62284768157802, 45.0, 700.0])
    for sign in (1.0, -1.0):
        z = x.astype("c16")
        z.imag = np.copysign(0.0, sign)
        exact = [-value - sign * 1j * mp.pi for value in exactly(mp.ei, -x)]
        assert complex_distance(special.exp1(cp.asarray(z)).get(), exact) <= 3
    # Next to roots of Ci and to the axis each part has its digits; then on both sides of where that ends.
    z = np.array([3.4088055888785203 + 1.32e-25j, 6.430778014634203 - 1.6e-26j, 3.38418 + 9e-9j, 0.61650548 - 6e-9j])
    found, exact = special.sici(cp.asarray(z))[1].get(), np.array(exactly(mp.ci, z)).astype(complex)
    np.testing.assert_allclose(found.real, exact.real, rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(found.imag, exact.imag, rtol=1e-14)
    z = np.array([1e-5 + 1e-13j, 1e-5 + 1e-14j, 1e9 + 0.5j, -3.2 + 2e-9j, 40.0 + 9e-9j, 40 + 1.1e-8j, 1e-300 + 1e-310j])
    si, ci = (part.get() for part in special.sici(cp.asarray(z)))
    assert complex_distance(si, exactly(mp.si, z)) <= 6
    assert complex_distance(ci, exactly(mp.ci, z)) <= 6
    x = np.array([-811804715482.255, -2.5, -1e300, -0.3])
    z = x.astype("c16")
    for sign in (1.0, -1.0):
        z.imag = np.copysign(0.0, sign)
        found, exact = special.spence(cp.asarray(z)).get(), exactly(lambda x: mp.polylog(2, 1 - x), x)
        # From above the cut and from below it the values are conjugate.
        assert (np.signbit(found.imag) == (sign > 0)).all()
        assert complex_distance(found.real + 1j * abs(found.imag), [mp.mpc(v.real, abs(v.imag)) for v in exact]) <= 2.5


def test_scaled_error_function_left_of_zero():
    x = np.array([-0.10053324818941833, -1e-320, -1e-9, -0.5, -3.0, -26.0, -26.64, -30.0, -np.inf, 0.0, -0.0])
    found = special.erfcx(cp.asarray(x)).get()
    assert distance(found[:7], exactly(lambda x: mp.exp(x * x) * mp.erfc(x), x[:7])) <= 2
    assert found[7:].tolist() == [np.inf, np.inf, 1, 1]


def test_number_of_trials_without_success():
    y, p = np.array([0.09792872562700061, 0.5, 1e-300, 0.9999999924865354]), np.array([6.2e-33, 0.5, 0.3, 1.6e-10])
    found = special.bdtrin(0.0, cp.asarray(y), cp.asarray(p)).get()
    assert distance(found, exactly(lambda y, p: mp.log(y) / mp.log1p(-p), y, p)) <= 2
    assert np.isnan(special.bdtrin(0.0, cp.asarray([0.0, 1.0, 0.5]), cp.asarray([0.5, 0.5, 0.0])).get()).all()


def loss(delta, r):
    return delta**2 * (mp.sqrt(1 + (r / delta) ** 2) - 1)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_smooth_loss_at_the_ends_of_the_range(dtype):
    info = np.finfo(dtype)
    large, tiny = float(info.max) / 4, float(info.tiny) * 4
    points = [(tiny, large), (large, tiny), (large, 1.0), (1e10, 1e10), (1.0, large), (tiny, 1.0),
              (large, large / 1e38), (1.0, 1 - 2.0**-20), (1.0, 1 + 2.0**-20), (3.0, -4.0), (1e-30, 1e30)]  # fmt: skip
    delta, r = np.array(points, dtype).T
    found = special.pseudo_huber(cp.asarray(delta), cp.asarray(r)).get()
    assert distance(found, exactly(loss, delta, r)) <= 3
    delta, r = np.array([(np.inf, 3), (np.inf, np.inf), (1, -np.inf), (0, np.inf), (-1, 2), (np.nan, np.inf)], dtype).T
    found = special.pseudo_huber(cp.asarray(delta), cp.asarray(r)).get()
    np.testing.assert_array_equal(found, np.array([4.5, np.inf, np.inf, 0, np.inf, np.nan], dtype))


def test_carlson_integral_of_subnormal_numbers():
    """All terms would leave the range beside the largest number, unless all are scaled."""
    for y in (5e-324, 1e-320, 1e-300):
        for z in (1e-90, 1e-101, 1e-158, 1e-200, 1e-250):
            wanted = precisely(lambda x, y, z: mp.elliprg(x, y, z), 0.0, y, z)
            assert distance(special.elliprg(cp.asarray([0.0]), y, z).get(), [wanted]) <= 8
