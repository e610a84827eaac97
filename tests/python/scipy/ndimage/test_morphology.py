"""Binary morphology, distances and watersheds, beside SciPy's."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.ndimage
from helpers import check
from images import Draw, agree, draws, outcome
from versions import SCIPY_1_15
from ways import take_ways

ndimage = cp.scipy.ndimage
SHAPES = [(7,), (1,), (2,), (5, 6), (1, 4), (3, 1, 5), (12, 13), (4, 5, 6), (0, 3)]


def binary(draw):
    shape = draw(*SHAPES)
    x = draw.random.random(shape) < draw(0.3, 0.5, 0.8, 0.97)
    return draw.layout(x.astype(draw("?", "u1", "i4", "f8")))


@pytest.mark.parametrize("draw", draws(200, 41))
def test_binary(draw):
    x = binary(draw)
    footprint = draw.footprint(x.ndim)
    structure = draw(None, None, footprint, np.ones(footprint.shape, bool))
    mask = draw(None, None, draw.random.random(x.shape) > 0.3)
    border, output, brute = draw(0, 1), draw(None, None, np.uint8), draw(False, False, True)
    origin = draw(0, 0, -1) if structure is not None and min(structure.shape) > 1 else 0
    # Without an end only what keeps its centre, so that it does end.
    iterations = draw(1, 1, 2, 3, -1) if structure is not footprint and origin == 0 else draw(1, 2, 3)
    for name in ("binary_erosion", "binary_dilation"):
        agree(name, x, structure, iterations, mask, output, border, origin, brute)
    agree(draw("binary_opening", "binary_closing"), x, structure, draw(1, 2), output, origin, mask, border)
    agree("binary_hit_or_miss", x, structure, draw(None, footprint), output, origin)
    if origin == 0 and structure is not footprint:
        agree("binary_propagation", x, structure, mask, output, border)
        agree("binary_fill_holes", x, structure, output)
    if x.ndim == 2 and SCIPY_1_15:
        agree("binary_erosion", x, draw(None, np.ones(3, bool)), draw(1, 2), mask, axes=draw(0, 1, (1,)))


def test_large_and_one_way_structures():
    x = np.random.default_rng(42).random((60, 61)) > 0.5
    agree("binary_erosion", x, np.ones((5, 5), bool))
    agree("binary_dilation", x, np.ones((7, 7), bool), 2)
    agree("binary_dilation", x, np.random.default_rng(43).random((7, 7)) > 0.3)
    one_way = np.array([[0, 0, 0], [0, 1, 1], [0, 0, 0]], bool)
    seeds = np.zeros((60, 61), bool)
    seeds[::7, ::9] = True
    agree("binary_propagation", seeds, one_way, x)
    agree("binary_erosion", x, one_way, -1)
    spiral = np.array([[1, 1, 1, 1, 1], [0, 0, 0, 0, 1], [1, 1, 1, 0, 1], [1, 0, 0, 0, 1], [1, 1, 1, 1, 1]], bool)
    seed = np.zeros((5, 5), bool)
    seed[0, 0] = True
    agree("binary_propagation", np.kron(seed, np.ones((9, 9))), None, np.kron(spiral, np.ones((9, 9))))


def test_structures():
    for rank in range(4):
        for connectivity in range(4):
            agree("generate_binary_structure", rank, connectivity)
    structure = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 1]], bool)
    for iterations in (0, 1, 2, 4):
        agree("iterate_structure", structure, iterations)
        agree("iterate_structure", structure, iterations, (0, 1))


def test_binary_output_arrays():
    x = np.random.default_rng(44).random((20, 21)) > 0.4
    for name in ("binary_hit_or_miss", "binary_fill_holes"):
        out, expected = cp.empty((20, 21), bool), np.empty((20, 21), bool)
        assert getattr(ndimage, name)(cp.array(x), output=out) is None
        getattr(scipy.ndimage, name)(x, output=expected)
        check(out, expected)
    same = cp.array(x)
    ndimage.binary_dilation(same, iterations=3, output=same)
    check(same, scipy.ndimage.binary_dilation(x, iterations=3))


@pytest.mark.parametrize("draw", draws(120, 45))
def test_distances(draw):
    x = binary(draw)
    sampling = draw(None, None, 2.0, 0.3, (draw.random.random(x.ndim) + 0.2).tolist())
    wanted = draw((True, False), (True, True), (False, True), (False, False))
    agree("distance_transform_edt", x, sampling, *wanted)
    if x.size and not (x != 0).all():
        metric = draw("euclidean", "taxicab", "chessboard", "unknown")
        agree("distance_transform_bf", x, metric, sampling, *wanted)
    structure = draw.random.random((3,) * x.ndim) > 0.4
    agree("distance_transform_cdt", x, structure, True, draw(True, False))
    agree("distance_transform_cdt", x, draw("chessboard", "taxicab", "unknown"))


@pytest.mark.parametrize("draw", draws(40, 51))
def test_distances_on_devices_with_many_threads(draw, monkeypatch):
    take_ways(monkeypatch, True, "nearest background from each element")
    monkeypatch.setattr(ndimage._distances, "_REACH", draw(1, 3, 256))
    x = draw.random.random(draw((40, 50), (7, 8, 9), (60,), (1, 5), (300, 3))) < draw(0, 0.02, 0.5, 0.98, 0.998, 1)
    sampling = draw(None, None, 2.0, (draw.random.random(x.ndim) + 0.2).tolist())
    agree("distance_transform_edt", x, sampling)
    ours = ndimage.distance_transform_edt(cp.array(x), sampling, return_indices=True)
    monkeypatch.undo()
    alone = ndimage.distance_transform_edt(cp.array(x), sampling, return_indices=True)
    for found, expected in zip(ours, alone, strict=True):
        check(found, cp.asnumpy(expected))


@pytest.mark.parametrize("metric", ["taxicab", "chessboard"])
def test_nearest_background_of_steps(metric):
    x = np.random.default_rng(46).random((15, 16)) < 0.9
    distances, indices = ndimage.distance_transform_cdt(cp.array(x), metric, return_indices=True)
    check(distances, scipy.ndimage.distance_transform_cdt(x, metric))
    at = cp.asnumpy(indices)
    assert not x[tuple(at)].any()
    apart = abs(at - np.indices(x.shape))
    np.testing.assert_array_equal(apart.sum(0) if metric == "taxicab" else apart.max(0), cp.asnumpy(distances))


def test_arrays_without_axes_or_background():
    one = np.array(True)
    for name in ("binary_erosion", "binary_dilation", "binary_propagation", "binary_fill_holes", "label"):
        result = getattr(ndimage, name)(cp.array(one))
        crashes = not SCIPY_1_15 and name in ("binary_propagation", "binary_fill_holes")
        expected = one if crashes else getattr(scipy.ndimage, name)(one)
        check(*(x[0] if isinstance(x, tuple) else x for x in (result, expected)))
    check(ndimage.distance_transform_bf(cp.array(one)), scipy.ndimage.distance_transform_bf(one))
    x = np.ones((3, 4), bool)
    agree("distance_transform_edt", x, None, True, True)
    for metric in ("euclidean", "taxicab", "chessboard"):
        agree("distance_transform_bf", x, metric, None, True, True)
    agree("distance_transform_cdt", x)


def test_results_of_distances_in_arrays():
    x = np.random.default_rng(47).random((9, 8)) < 0.8
    for name, dtype in (("edt", "f8"), ("cdt", "i4"), ("bf", "f8")):
        function = getattr(ndimage, f"distance_transform_{name}")
        distances, indices = cp.empty((9, 8), dtype), cp.empty((2, 9, 8), "i4")
        result = function(cp.array(x), return_indices=True, distances=distances, indices=indices)
        assert result is None
        expected = function(cp.array(x), return_indices=True)
        check(distances, cp.asnumpy(expected[0]))
        check(indices, cp.asnumpy(expected[1]))


def test_distances_of_a_large_image():
    x = np.random.default_rng(48).random((150, 170)) < 0.995
    agree("distance_transform_edt", x, return_indices=True)


@pytest.mark.parametrize("draw", draws(60, 49))
def test_watersheds(draw):
    shape = draw((7,), (5, 6), (12, 13), (4, 5, 6))
    heights = draw.random.integers(0, draw(2, 5, 255), shape).astype(draw("u1", "u2"))
    markers = ((draw.random.random(shape) > 0.8) * draw.random.integers(-2, 5, shape)).astype(draw("i4", "i2", "i8"))
    agree("watershed_ift", heights, markers, draw(None, np.ones((3,) * len(shape))), draw(None, np.int64))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: ndimage.binary_erosion(x * 1j), TypeError),
        (lambda x: ndimage.binary_erosion(x, iterations=1.5), TypeError),
        (lambda x: ndimage.binary_erosion(x, np.ones(3)), RuntimeError),
        (lambda x: ndimage.binary_erosion(x, np.ones((0, 3))), RuntimeError),
        (lambda x: ndimage.binary_erosion(x, mask=cp.ones(3)), RuntimeError),
        (lambda x: ndimage.binary_erosion(x, origin=5), IndexError),
        (lambda x: ndimage.distance_transform_edt(x, distances=cp.empty((3, 4), "f4")), RuntimeError),
        (lambda x: ndimage.distance_transform_edt(x, distances=cp.empty((3, 3))), RuntimeError),
        (lambda x: ndimage.distance_transform_edt(x, indices=cp.empty((2, 3, 4), "i4")), RuntimeError),
        (lambda x: ndimage.distance_transform_cdt(x, np.ones((2, 3))), ValueError),
        (lambda x: ndimage.watershed_ift(x, cp.ones((3, 4), int)), TypeError),
        (lambda x: ndimage.watershed_ift(x.astype(cp.uint8), cp.ones((3, 3), int)), RuntimeError),
        (lambda x: ndimage.watershed_ift(x.astype(cp.uint8), x), RuntimeError),
    ],
)
def test_errors(call, error):
    assert isinstance(outcome(call, cp.ones((3, 4))), error)


def test_spreading_over_many_sweeps():
    # Longer than the sweeps between two looks at whether anything changed.
    seeds, one_way = np.zeros(3000, bool), np.array([1, 1, 0], bool)
    seeds[0] = True
    agree("binary_propagation", seeds, one_way)
    agree("binary_propagation", seeds[::-1].copy(), one_way)
    draw = Draw(50)
    agree("binary_propagation", seeds, one_way, draw.random.random(3000) > 0.001)
