"""Extremes and ranks of windows, and morphology of grey images, beside SciPy's."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.ndimage
from helpers import check
from images import ALL, FILTER_MODES, SHAPES, Draw, agree, draws, outcome

ndimage = cp.scipy.ndimage
OUTPUTS = [None, None, None, "f4", np.float64, np.uint8, np.int16, bool]
GREY = ["grey_erosion", "grey_dilation", "grey_opening", "grey_closing"]
GREY += ["morphological_gradient", "morphological_laplace", "white_tophat", "black_tophat"]


@pytest.mark.parametrize("draw", draws(150, 11))
def test_extremes(draw):
    x = draw.layout(draw.array(draw(*SHAPES), draw(*ALL)))
    output, mode, cval = draw(*OUTPUTS), draw(*FILTER_MODES, "unknown"), draw(0, 2.5, 300)
    size, axis, origin = draw(0, 1, 2, 3, 7, 15, 31, 70, 700), draw(-1, 0, 1), draw(0, 0, 1, -1, 2)
    agree(draw("minimum_filter1d", "maximum_filter1d"), x, size, axis, output, mode, cval, origin)
    footprint, modes = draw.footprint(x.ndim), draw(mode, mode, [mode] * x.ndim)
    size, origin = draw(1, 2, 3, (3, 2)), draw(0, 0, -1)
    name = draw("minimum_filter", "maximum_filter")
    agree(name, x, size, draw(None, footprint), output, modes, cval, origin)
    agree(name, x, None, np.ones(3, bool), output, mode, cval, axes=draw(0, -1, (0,), (0, 1)))


@pytest.mark.parametrize("draw", draws(150, 12))
def test_ranks(draw):
    # SciPy's filter of one axis leaves the footprint out, and writes beyond outputs of other dtypes.
    x = draw.layout(draw.array(draw((5, 6), (1, 4), (3, 1, 5), (3, 0)), draw(*ALL)))
    output, mode, cval = draw(*OUTPUTS), draw(*FILTER_MODES, "unknown"), draw(0, 2.5, 300)
    footprint, modes = draw.footprint(x.ndim), draw(mode, mode, [mode] * x.ndim)
    size, origin = draw(1, 2, 3, (3, 2)), draw(0, 0, -1)
    agree("rank_filter", x, draw(0, 1, 2, -1, -2, 5), size, draw(None, footprint), output, modes, cval, origin)
    percentile = draw(0, 20.0, 50, 100, -20, 101, -101)
    agree("percentile_filter", x, percentile, size, draw(None, footprint), output, mode, cval, origin)
    size = draw(1, 3, (3, 2), (3, 7), (5, 5), (7, 7), (9, 9), (11, 11))
    agree("median_filter", x, size, None, output, mode, cval, origin, axes=draw(None, None, 0, (0, 1)))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", "f4", "f8"])
def test_ranks_of_lines(dtype):
    x = Draw(13).array(40, dtype)
    for mode in ("reflect", "constant", "nearest", "mirror"):
        for size, rank in ((3, 1), (5, -2), (30, 7)):
            agree("rank_filter", x, rank, size, mode=mode)
    check(
        ndimage.rank_filter(cp.array(x), 0, footprint=[1, 0, 1]), scipy.ndimage.minimum_filter(x, footprint=[1, 0, 1])
    )
    # The middle one of three of the five elements.
    expected = np.sort(np.stack([np.roll(x, -2), x, np.roll(x, 2)]), 0)[1]
    check(ndimage.rank_filter(cp.array(x), 1, footprint=[1, 0, 1, 0, 1], mode="wrap"), expected)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "u2", "i4", "u4", "f4", "f8"])
@pytest.mark.parametrize("size", [5, 7, 9, 13])
def test_every_method_of_selection(dtype, size):
    x = Draw(14).array((17, 19), dtype)
    agree("median_filter", x, size)
    agree("percentile_filter", x, 30, size, mode="wrap")


@pytest.mark.parametrize("dtype", ["?", "i1", "u1"])
@pytest.mark.parametrize("shape, size", [
    ((40, 300), 15), ((3, 20, 140), (1, 11, 13)), ((20, 3, 140), (11, 1, 13)), ((170, 30), (90, 1)), ((5, 30), (5, 41)),
])  # fmt: skip
def test_large_windows_of_bytes(dtype, shape, size):
    x = Draw(17).array(shape, dtype)
    agree("median_filter", x, size)
    agree("rank_filter", x, 7, size, output=np.float32, mode="nearest")


def test_wide_integers_are_compared_exactly():
    x = np.array([2**62 + 1, 2**62, 2**62 + 3, 2**62 + 2, 0], dtype=np.int64)
    windows = np.sort(np.stack([np.r_[x[0], x[:-1]], x, np.r_[x[1:], x[-1]]]), 0)
    check(ndimage.median_filter(cp.array(x.reshape(1, 5)), (1, 3)).ravel(), windows[1])
    check(ndimage.maximum_filter1d(cp.array(x), 3), windows[2])


@pytest.mark.parametrize("draw", draws(150, 15))
def test_grey_morphology(draw):
    x = draw.layout(draw.array(draw(*SHAPES), draw("i1", "u1", "i2", "u2", "i4", "u4", "i8", "f4", "f8", "c8")))
    footprint = draw.footprint(x.ndim)
    structure = draw.random.integers(-2, 3, footprint.shape) + draw(0, 0, 0.5)
    output, mode = draw(None, None, "f4", np.float64, np.int16), draw(*FILTER_MODES)
    size = draw(1, 2, 3)
    window = draw((size, None), (None, footprint), (size, footprint))
    agree(draw(*GREY), x, *window, draw(None, None, structure), output, mode, draw(0, 2.5, 50), draw(0, 0, -1))


def test_output_is_input():
    x = Draw(16).array((9, 8), "i4")
    for name, window in (
        ("white_tophat", 3),
        ("morphological_laplace", 3),
        ("median_filter", 3),
        ("minimum_filter", 20),
    ):
        own = cp.array(x)
        getattr(ndimage, name)(own, window, output=own)
        check(own, getattr(scipy.ndimage, name)(x, window))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: ndimage.minimum_filter(x), RuntimeError),
        (lambda x: ndimage.minimum_filter(x, footprint=np.zeros((3, 3))), ValueError),
        (lambda x: ndimage.minimum_filter(x, 3, origin=2), ValueError),
        (lambda x: ndimage.minimum_filter(x, footprint=np.eye(3), mode=["wrap"] * 2), RuntimeError),
        (lambda x: ndimage.minimum_filter(x * 1j, 3), TypeError),
        (lambda x: ndimage.maximum_filter1d(x, 0), RuntimeError),
        (lambda x: ndimage.rank_filter(x, 9, 3), RuntimeError),
        (lambda x: ndimage.rank_filter(x, 1.5, 3), TypeError),
        (lambda x: ndimage.median_filter(x), RuntimeError),
        (lambda x: ndimage.percentile_filter(x, 101, 3), RuntimeError),
        (lambda x: ndimage.grey_erosion(x), ValueError),
        (lambda x: ndimage.grey_erosion(x, structure=np.ones(3)), RuntimeError),
        (lambda x: ndimage.grey_erosion(x, footprint=np.ones((3, 3)), structure=np.ones((2, 3))), RuntimeError),
    ],
)
def test_errors(call, error):
    assert isinstance(outcome(call, cp.ones((3, 4))), error)
