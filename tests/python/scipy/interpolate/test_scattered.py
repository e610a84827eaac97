"""Radial basis functions, triangulations and nearest values."""

import itertools

import cuproxide.scipy.interpolate as ours
import numpy as np
import pytest
import scipy.interpolate as theirs
from effort import sample
from interpolants import near, outcome

KERNELS = [
    "linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric", "inverse_quadratic",
    "gaussian",
]  # fmt: skip
OPTIONS = {"plain": {}, "smooth": {"smoothing": 0.1}, "degree": {"degree": 2}, "none": {"degree": -1},
           "neighbors": {"neighbors": 12}, "both": {"neighbors": 20, "smoothing": np.linspace(0, 1, 40)}}  # fmt: skip
RADIAL = list(itertools.product([1, 2, 3], [(), (2,), (2, 3)], KERNELS, OPTIONS, [False, True]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("ndim", "trailing", "kernel", "option", "is_complex"), sample(RADIAL, 50))
def test_radial_basis_functions(ndim, trailing, kernel, option, is_complex):
    random = np.random.default_rng(ndim)
    y = (random.permutation(40)[:, None] + random.random((40, 1))) / 40 if ndim == 1 else random.random((40, ndim))
    d, x = random.normal(size=(40, *trailing)), random.random((130, ndim))
    d = d + 1j * d[::-1] if is_complex else d
    options = {"kernel": kernel, "epsilon": {1: 40.0, 2: 9.0, 3: 6.0}[ndim], **OPTIONS[option]}
    near(ours.RBFInterpolator(y, d, **options)(x), theirs.RBFInterpolator(y, d, **options)(x), 1e-6)


def test_many_points_of_radial_basis_functions():
    random = np.random.default_rng(4)
    y, d, x = random.random((60, 2)), random.random(60), random.random((500, 2))
    near(ours.RBFInterpolator(y, d)(x), theirs.RBFInterpolator(y, d)(x), 1e-8)
    near(ours.RBFInterpolator(y, d)(x[:0]), theirs.RBFInterpolator(y, d)(x[:0]))


@pytest.mark.parametrize(
    "function", ["multiquadric", "inverse", "gaussian", "linear", "cubic", "quintic", "thin_plate"]
)
def test_older_interface(function):
    random = np.random.default_rng(5)
    x, y, z = random.random((3, 20))
    at = x[:5] + 0.1, y[:5]
    for values, mode in ((z, "1-D"), (np.stack([z, y], 1), "N-D")):
        options = {"function": function, "smooth": 0.01, "mode": mode}
        near(ours.Rbf(x, y, values, **options)(*at), theirs.Rbf(x, y, values, **options)(*at), 1e-7)
    near(ours.Rbf(x, z, function=lambda r: r**3)(x), theirs.Rbf(x, z, function=lambda r: r**3)(x), 1e-6)


NAMES = ["LinearNDInterpolator", "NearestNDInterpolator", "CloughTocher2DInterpolator"]
SIMPLICES = list(itertools.product([2, 3], NAMES, [(), (2,), (2, 2)], ["f8", "c16", "f4", "i4"], [False, True]))


@pytest.mark.parametrize(("ndim", "name", "trailing", "dtype", "rescale"), sample(SIMPLICES, 30))
def test_triangulations(ndim, name, trailing, dtype, rescale):
    if ndim == 3 and name.startswith("Clough"):
        ndim = 2
    random = np.random.default_rng(ndim)
    sizes = np.array([1, 3, 2])[:ndim]
    points, values = random.random((60, ndim)) * sizes, (random.normal(size=(60, *trailing)) * 9).astype(dtype)
    x = random.random((4, 20, ndim)) * sizes * 1.1 - 0.05
    # SciPy's gradients stop at an error of 1e-6.
    tolerance = 1e-5 if name.startswith("Clough") else 1e-9
    a, b = (getattr(library, name)(points, values, rescale=rescale) for library in (ours, theirs))
    parts = [x[..., d] for d in range(ndim)]
    for args in ((x,), (x[0, 0],), parts, (tuple(parts),)):
        near(a(*args), b(*args), tolerance)


def test_reproduction_of_planes():
    """Both interpolants of a plane are the plane, up to rounding."""
    random = np.random.default_rng(6)
    points, x = random.random((80, 2)), random.random((50, 2)) * 0.5 + 0.25
    values, expected = points @ [2.0, -1.0] + 3, x @ [2.0, -1.0] + 3
    near(ours.LinearNDInterpolator(points, values)(x), expected, 1e-13)
    near(ours.CloughTocher2DInterpolator(points, values)(x), expected, 1e-12)


@pytest.mark.parametrize("method", ["nearest", "linear", "cubic"])
def test_griddata(method):
    random = np.random.default_rng(7)
    points, values = random.random((60, 2)), random.normal(size=60)
    grid = np.mgrid[0:1:5j, 0:1:4j]
    for args in ((points, values, random.random((7, 2))), ((points[:, 0], points[:, 1]), values, tuple(grid)),
                 (points[:, 0], values, np.array([0.2, 0.5, 7]))):  # fmt: skip
        near(ours.griddata(*args, method), theirs.griddata(*args, method), 1e-5)
    options = {"fill_value": -3.0, "rescale": True}
    near(ours.griddata(points, values, tuple(grid), method, **options),
         theirs.griddata(points, values, tuple(grid), method, **options), 1e-5)  # fmt: skip


PLANE, SPACE = np.random.default_rng(8).random((9, 2)), np.random.default_rng(8).random((9, 3))
ONES = np.ones(9)
REFUSED = {
    "rbf axes": lambda m: m.RBFInterpolator([1, 2.0], [1, 2]),
    "rbf length": lambda m: m.RBFInterpolator([[1.0], [2]], [1, 2, 3]),
    "rbf kernel": lambda m: m.RBFInterpolator([[1.0], [2]], [1, 2], kernel="x"),
    "rbf epsilon": lambda m: m.RBFInterpolator([[1.0], [2]], [1, 2], kernel="gaussian"),
    "rbf degree": lambda m: m.RBFInterpolator([[1.0], [2]], [1, 2], degree=3),
    "rbf negative": lambda m: m.RBFInterpolator([[1.0], [2]], [1, 2], degree=-2),
    "rbf smoothing": lambda m: m.RBFInterpolator([[1.0], [2]], [1, 2], smoothing=np.ones(3)),
    "rbf singular": lambda m: m.RBFInterpolator([[1.0, 1], [1, 2], [1, 3], [1, 4]], [1, 2, 3, 4]),
    "rbf points": lambda m: m.RBFInterpolator([[1.0], [2]], [1, 2])([1.0]),
    "rbf dimension": lambda m: m.RBFInterpolator([[1.0], [2]], [1, 2])([[1.0, 2]]),
    "old mode": lambda m: m.Rbf([1, 2.0], [1, 2.0], mode="x"),
    "old function": lambda m: m.Rbf([1, 2.0], [1, 2.0], function="x"),
    "old length": lambda m: m.Rbf([1, 2.0], [1, 2.0, 3]),
    "old points": lambda m: m.Rbf([1, 2.0], [1, 2.0], [1, 2.0])([1], [1, 2]),
    "method": lambda m: m.griddata(PLANE, ONES, PLANE, "other"),
    "cubic in space": lambda m: m.griddata(SPACE, ONES, SPACE, "cubic"),
    "length": lambda m: m.LinearNDInterpolator(PLANE, ONES[:3]),
    "one dimension": lambda m: m.LinearNDInterpolator(PLANE[:, :1], ONES),
    "points": lambda m: m.LinearNDInterpolator(SPACE, ONES)(PLANE),
    "space": lambda m: m.CloughTocher2DInterpolator(SPACE, ONES),
    "one coordinate": lambda m: m.griddata(PLANE[:, 0], ONES, (PLANE[:, 0], PLANE[:, 0])),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refusals(call):
    assert outcome(call, ours, 12) == outcome(call, theirs, 12) != ("no error", "")


def test_flat_points():
    from cuproxide.scipy.spatial import QhullError

    with pytest.raises(QhullError):
        ours.LinearNDInterpolator([[0, 0], [1, 1], [2, 2.0]], [1, 2, 3])


@pytest.mark.parametrize("name", ["LinearNDInterpolator", "CloughTocher2DInterpolator"])
def test_tolerance_of_simplices_at_a_call(name):
    """SciPy has it from 1.18 on: a point that lies outside by more than the usual distance, and one by less."""
    points, values = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([1.0, 2.0, 4.0])
    interpolator, outside = getattr(ours, name)(points, values), [[-1e-10, 0.25]]
    assert np.isnan(interpolator(outside).get()).all()
    found = interpolator(outside, simplex_tolerance=1e5)
    np.testing.assert_allclose(found.get(), [1.75], rtol=1e-6)
    # One call does not change the next.
    assert np.isnan(interpolator(outside).get()).all()
    np.testing.assert_allclose(interpolator([[0.25, 0.25]], simplex_tolerance=1e-6).get(), [2.0], rtol=1e-6)
    for tolerance in (0, -1.0):
        with pytest.raises(ValueError, match="simplex_tolerance"):
            interpolator(outside, simplex_tolerance=tolerance)
