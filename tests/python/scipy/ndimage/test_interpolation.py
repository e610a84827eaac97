"""Splines and geometric transforms, beside SciPy's."""

import copy

import cuproxide as cp
import numpy as np
import pytest
import scipy.ndimage
from cuproxide._lib import routes
from helpers import check
from images import FILTER_MODES, REALS, Draw, agree, draws, outcome
from versions import SCIPY_1_18
from ways import take_ways

ndimage = cp.scipy.ndimage
MODES = FILTER_MODES
SHAPES = [(7,), (1,), (2,), (60,), (5, 6), (1, 4), (3, 1, 5), (4, 3, 3)]
# Before 1.18 SciPy overwrites the first element of a line while it still needs it: an error of pole ** (2 n - 1).
INEXACT = () if SCIPY_1_18 else ("reflect", "grid-mirror", "nearest")


@pytest.mark.parametrize("draw", draws(120, 31))
def test_splines(draw):
    order, mode = draw(0, 1, 2, 3, 4, 5, 6), draw(*MODES, "unknown")
    shape = (60,) if mode in INEXACT else draw(*SHAPES)
    x = draw.layout(draw.array(shape, draw(*REALS, "c8", "c16")))
    agree("spline_filter1d", x, order, draw(0, -1), draw(np.float64, np.float32), mode, tolerance=1e-10)
    agree("spline_filter", x, order, draw(np.float64, np.float32), mode, tolerance=1e-10)


@pytest.mark.parametrize("mode", ["reflect", "grid-mirror", "mirror", "grid-wrap"])
@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("n", [2, 3, 5, 9])
def test_splines_pass_through_the_elements(n, order, mode):
    x = np.random.default_rng(n).normal(size=n) * 100
    coefficients = ndimage.spline_filter1d(cp.asarray(x), order, mode=mode)
    at = ndimage.map_coordinates(coefficients, cp.arange(float(n))[None], order=order, mode=mode, prefilter=False)
    np.testing.assert_allclose(at.get(), x, rtol=1e-12, atol=1e-11)


@pytest.fixture(params=["views", "elements", "tables"])
def sampling(request, monkeypatch):
    """How a transform looks at the array: as processors do, or devices with many threads for few and many results."""
    if request.param != "views":
        take_ways(monkeypatch, True, "flat elements", "tables of a zoom")
        monkeypatch.setattr(routes, "TABLED", 0 if request.param == "tables" else 2**40)


@pytest.mark.parametrize("draw", draws(120, 32))
def test_transforms(draw, sampling):
    draw = copy.deepcopy(draw)
    x = draw.layout(draw.array(draw(*SHAPES), draw(*REALS, "c8", "c16")))
    rank = x.ndim
    order = draw(0, 1, 2, 3, 4, 5) if rank < 3 else draw(0, 1, 2)
    mode, cval = draw(*MODES, "unknown"), draw(0, 2.5, 300)
    output, prefilter = draw(None, None, "f4", np.float64, np.uint8, np.int16), draw(True, True, False)
    prefilter = prefilter and (mode not in INEXACT or min(x.shape) >= 60)
    rest = (output, order, mode, cval, prefilter)
    coordinates = draw.random.normal(size=(rank, 4, 3)) * 8
    coordinates = draw(coordinates, np.round(coordinates), coordinates.astype("i4"))
    agree("map_coordinates", x, coordinates, *rest, tolerance=1e-9)
    moves = draw.random.normal(size=rank).tolist()
    agree("shift", x, draw(1, 0.5, -3.25, 10, moves), *rest, tolerance=1e-9)
    # SciPy leaves `grid_mode` out for complex numbers.
    grid = {} if x.dtype.kind == "c" else {"grid_mode": draw(False, True)}
    factors = (draw.random.random(rank) * 2).tolist()
    agree("zoom", x, draw(1, 0.5, 2, 1.5, factors), *rest, **grid, tolerance=1e-9)
    square = (rank, rank)
    matrix = draw(
        draw.random.normal(size=square), draw.random.normal(size=rank), draw.random.normal(size=(rank, rank + 1))
    )
    agree("affine_transform", x, matrix, draw(0, 1.5, moves), None, *rest, tolerance=1e-9)
    agree("affine_transform", x, draw.random.normal(size=(rank, 2)), draw(0, 1.5), (3, 4), *rest, tolerance=1e-9)
    plane = draw((1, 0), (0, 1), (-1, 0))
    agree("rotate", x, draw(0, 90, 33, 180, -50, 270, 12.5), plane, draw(True, False), *rest, tolerance=1e-9)


@pytest.mark.parametrize("order", range(6))
def test_mappings_of_the_caller(order):
    x = Draw(33).array((6, 5), "f8")

    def mapping(at, move, scale=1.0):
        return at[0] * scale - move, at[1] + move

    agree("geometric_transform", x, mapping, (5, 4), None, order, "mirror", 0.0, True, (0.3,), {"scale": 0.9})
    agree("geometric_transform", x * 1j, mapping, None, None, order, "nearest", 1.5, True, (0.3,))


@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("mode", ["mirror", "reflect", "grid-wrap"])
def test_long_lines_are_filtered_in_parts(order, mode):
    x = Draw(34).array((3, 1000), "f8")
    for axis, values in ((1, x), (0, np.ascontiguousarray(x.T))):
        check(
            ndimage.spline_filter1d(cp.array(values), order, axis, mode=mode),
            scipy.ndimage.spline_filter1d(values, order, axis, mode=mode),
            ulp=8, scale=200,
        )  # fmt: skip


@pytest.mark.parametrize("shape", [(70, 9), (9, 70), (5, 13, 11), (67, 2)])
@pytest.mark.parametrize("order", [3, 5])
def test_many_lines(shape, order):
    x = Draw(38).layout(Draw(39).array(shape, "f4"))
    for mode in {"mirror", "reflect", "grid-wrap"} - set(INEXACT):
        agree("spline_filter", x, order, np.float64, mode)
        # Reflected lines have coefficients that are whole numbers but for the last bit, which integers hang on.
        agree("spline_filter", x, order, np.float32 if mode == "reflect" else np.int32, mode)
    own = cp.array(x.astype(np.float64))
    ndimage.spline_filter(own, order, own)
    check(own, scipy.ndimage.spline_filter(x, order), ulp=64, scale=100)


def test_many_coefficients_of_a_point():
    x = Draw(35).array((4, 3, 4, 3), "f8")
    coordinates = np.random.default_rng(36).random((4, 10)) * 3
    agree("map_coordinates", x, coordinates, order=4, mode="mirror", tolerance=1e-9)
    agree("map_coordinates", x, coordinates, order=5, mode="grid-constant", cval=2.0, tolerance=1e-9)


def test_coordinates_that_are_no_numbers():
    x = cp.arange(5.0)
    at = cp.array([[np.nan, np.inf, -np.inf, 1e300, 2.0]])
    for mode in MODES:
        assert ndimage.map_coordinates(x, at, order=1, mode=mode).shape == (5,)
    result = cp.asnumpy(ndimage.map_coordinates(x, at, order=1, mode="constant", cval=-1.0))
    assert result[1:4].tolist() == [-1.0] * 3
    result = cp.asnumpy(ndimage.map_coordinates(x, at, order=1, mode="nearest"))
    assert result[1:].tolist() == [4.0, 0.0, 4.0, 2.0]


def test_output_and_integers():
    x = Draw(37).array((8, 9), "u1")
    for dtype in ("u1", "i1", "u8", "i8", "f4", "?"):
        out = cp.empty((8, 9), dtype)
        assert ndimage.shift(cp.array(x), 0.5, output=out, order=1, cval=-3.0) is out
        expected = scipy.ndimage.shift(x, 0.5, output=dtype if dtype != "?" else bool, order=1, cval=-3.0)
        check(out, expected.view(np.uint8) != 0 if dtype == "?" else expected)
    same = cp.array(x)
    ndimage.rotate(same, 20, reshape=False, output=same)
    check(same, scipy.ndimage.rotate(x, 20, reshape=False))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: ndimage.spline_filter(x, 1), RuntimeError),
        (lambda x: ndimage.zoom(x, 2, order=6), RuntimeError),
        (lambda x: ndimage.shift(x, 1, mode="edge"), RuntimeError),
        (lambda x: ndimage.map_coordinates(x, [[0.0]]), RuntimeError),
        (lambda x: ndimage.map_coordinates(x, cp.ones((2, 3)) * 1j), TypeError),
        (lambda x: ndimage.affine_transform(x, np.ones((3, 2))), RuntimeError),
        (lambda x: ndimage.affine_transform(x, np.ones((3, 3))), ValueError),
        (lambda x: ndimage.affine_transform(x, np.ones((2, 2)), output_shape=(3,)), RuntimeError),
        (lambda x: ndimage.zoom(x, (1, 2, 3)), RuntimeError),
        (lambda x: ndimage.rotate(x, 1, axes=(0, 2)), ValueError),
        (lambda x: ndimage.rotate(x, 1, axes=(0, 0)), ValueError),
        (lambda x: ndimage.rotate(x[0], 1), ValueError),
        (lambda x: ndimage.geometric_transform(x, 3), RuntimeError),
        (lambda x: ndimage.shift(x.astype(cp.float16), 1), RuntimeError),
    ],
)
def test_errors(call, error):
    assert isinstance(outcome(call, cp.ones((3, 4))), error)
