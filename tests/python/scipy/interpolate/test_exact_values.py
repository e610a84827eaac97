"""Derivatives beyond degrees, ill-posed input and single points beside values that follow by arithmetic."""

import cuproxide as cp
import cuproxide.scipy.interpolate as ours
import numpy as np
import pytest
import scipy.interpolate as theirs

T = np.linspace(0, 1, 8)
Y = np.random.default_rng(1).normal(size=8)


@pytest.mark.parametrize("kind", ["CubicSpline", "PchipInterpolator", "Akima1DInterpolator"])
@pytest.mark.parametrize("nu", [4, 5, 9])
def test_derivatives_beyond_the_degree_are_zero(kind, nu):
    p = getattr(ours, kind)(cp.asarray(T), cp.asarray(Y))
    assert p.derivative(nu).c.shape == (1, 7)
    assert p.derivative(nu)(cp.asarray([0.1, 0.7])).tolist() == [0.0, 0.0]
    assert p.antiderivative(-nu).c.tolist() == [[0.0] * 7]


def test_derivatives_of_surfaces_beyond_the_degree():
    p = ours.NdPPoly(cp.ones((2, 3, 1, 1)), ([0, 1.0], [0, 1.0]))
    assert p.derivative((5, 0))(cp.asarray([[0.1, 0.2]])).tolist() == [0.0]


def test_one_point():
    p = ours.BarycentricInterpolator([1.0], [2.0])
    assert p([0.0, 1.0, 5.0]).tolist() == [2.0, 2.0, 2.0]
    assert p.derivative(0.5).item() == 0.0
    assert ours.barycentric_interpolate([1.0], [[2.0, 3.0]], 0.5).tolist() == [2.0, 3.0]


@pytest.mark.parametrize("size", [4, 6, 7])
def test_surfaces_through_grids_do_not_oscillate(size):
    x, y = (v.ravel() for v in np.meshgrid(np.linspace(0, 1, size), np.linspace(0, 1, size)))
    values = np.sin(3 * x) + np.cos(2 * y)
    tck = ours.bisplrep(cp.asarray(x), cp.asarray(y), cp.asarray(values), s=0)
    at = np.linspace(0, 1, 11)
    found = ours.bisplev(cp.asarray(at), cp.asarray(at), tck).get()
    # As many coefficients as points interpolate; more would be free between them.
    assert (tck[0].size - 4) * (tck[1].size - 4) == x.size
    assert abs(found - (np.sin(3 * at[:, None]) + np.cos(2 * at[None]))).max() < {4: 0.05, 6: 5e-3, 7: 2e-3}[size]


def test_surfaces_on_spheres_through_points():
    theta, phi, r = np.linspace(0.1, 3, 18), np.linspace(0, 6, 18), np.random.default_rng(3).normal(size=18)
    expected = theirs.SmoothSphereBivariateSpline(theta, phi, r, s=0)
    found = ours.SmoothSphereBivariateSpline(*(cp.asarray(v) for v in (theta, phi, r)), s=0)
    np.testing.assert_allclose(found.ev(theta, phi).get(), r, atol=1e-9)
    assert found.get_residual() == expected.get_residual() == 0.0


def test_smoothing_splines_of_points_that_nearly_coincide_are_refused():
    for x, lam in (([0, 1e-20, 2e-20, 1, 2], 0.1), ([0, 1, 1 + 1e-14, 2, 3], 0.1), ([0, 1, 1 + 1e-14, 2, 3], None)):
        with pytest.raises(ValueError, match="ill-posed"):
            ours.make_smoothing_spline(x, [1, 2, 4, 3, 1.0], lam=lam)
    # The system is solved well here, but its elements have no digits.
    for lam in (0.1, None):
        with pytest.raises(ValueError, match="ill-posed"):
            ours.make_smoothing_spline([0, 1e-12, 2e-12, 1, 2, 3], [1.0, 2, 1, 5, 4, 2], lam=lam)
    with pytest.raises(ValueError, match="ill-posed"):
        ours.make_smoothing_spline([0, 1, 2, 3, 4.0], [1, 2, np.nan, 3, 1.0], lam=0.1)
    with pytest.raises(ValueError, match="ill-posed"):
        ours.make_smoothing_spline(cp.asarray(T), cp.asarray(Y), lam=1e12)
    for lam in (1e-8, 0.1, 1e4):
        expected = theirs.make_smoothing_spline(T, Y, lam=lam)(0.3)
        np.testing.assert_allclose(ours.make_smoothing_spline(T, Y, lam=lam)(0.3).item(), expected, rtol=1e-8)


@pytest.mark.parametrize("first", [-3.0, -1.0, 0.0])
def test_longitudes_of_any_turn(first):
    theta, phi = np.linspace(0.2, 3, 6), first + np.linspace(0, 5.5, 7)
    r = np.outer(np.arange(6.0), np.cos(phi))
    spline = ours.RectSphereBivariateSpline(theta, phi, r)
    expected = theirs.RectSphereBivariateSpline(theta, phi, r).ev(0.5, first + 0.7)
    for turns in (-2, -1, 0, 1, 3):
        found = spline.ev(0.5, first + 0.7 + turns * 2 * np.pi).item()
        np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_design_matrix_of_one_point():
    knots = [0, 0, 0, 1, 2, 3, 3, 3]
    expected = theirs.BSpline.design_matrix([0.5], knots, 2).toarray()
    np.testing.assert_allclose(ours.BSpline.design_matrix(0.5, knots, 2).toarray().get(), expected)
    with pytest.raises(ValueError, match="one axis"):
        ours.BSpline.design_matrix([[0.5]], knots, 2)


def test_rational_functions_stay_narrow():
    x = np.linspace(-1, 1, 20, dtype=np.float32)
    a = ours.AAA(cp.asarray(x), cp.asarray(np.exp(x)), rtol=1e-2)
    assert a.weights.dtype == np.float32
    assert a.poles().dtype == a.roots().dtype == np.complex64


def test_options_of_scattered_splines_are_checked():
    x, y, z = np.random.default_rng(2).normal(size=(3, 20))
    for options in ({"s": -1}, {"eps": 2.0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            ours.bisplrep(x, y, z, **options)


@pytest.mark.parametrize("method", ["linear", "cubic"])
def test_points_a_little_outside(method):
    points = np.array([[0, 0], [1.0, 0], [0, 1], [1, 1]])
    at = np.array([[0.5, -1e-11]])
    values = points[:, 0]
    assert np.isnan(ours.griddata(points, values, at, method).item())
    np.testing.assert_allclose(ours.griddata(points, values, at, method, simplex_tolerance=1e6).item(), 0.5, rtol=1e-8)
    with pytest.raises(ValueError, match="simplex_tolerance"):
        ours.griddata(points, values, at, method, simplex_tolerance=0)
