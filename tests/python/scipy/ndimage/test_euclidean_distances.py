"""Exact Euclidean distances on devices with many threads, beside SciPy's and those of a CPU."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.ndimage
from helpers import check
from images import agree, draws
from launches import launches
from ways import take_ways

ndimage = cp.scipy.ndimage
envelopes = ndimage._envelopes


@pytest.fixture
def many_threads(monkeypatch):
    """Sets how far a thread looks and how wide bands are, on a device that passes for one with many threads."""

    def start(reach, width, bands=2**17):
        take_ways(monkeypatch, True, "distances of lines")
        for name, value in (("_REACH", reach), ("_WIDTH", width), ("_BANDS", bands)):
            monkeypatch.setattr(envelopes, name, value)

    return start


def beside(x, sampling=None):
    """Distances and indices of the passes by bands, checked beside those of the passes by lines and SciPy's."""
    found = ndimage.distance_transform_edt(cp.array(x), sampling, return_indices=True)
    agree("distance_transform_edt", x, sampling)
    return [cp.asnumpy(result) for result in found]


SHAPES = (40, 50), (7, 8, 9), (60,), (1, 5), (300, 3), (3, 300), (1, 1, 90), (2, 35, 1, 41)


@pytest.mark.parametrize("draw", draws(120, 51))
def test_bands(draw, many_threads, monkeypatch):
    x = draw.random.random(draw(*SHAPES)) < draw(0, 0.02, 0.5, 0.9, 0.98, 0.998, 1)
    sampling = draw(None, None, 2.0, (draw.random.random(x.ndim) + 0.2).tolist())
    many_threads(draw(0, 1, 3, 32), draw(1, 2, 7, 64), draw(1, 50, 2**17))
    found = beside(x, sampling)
    monkeypatch.undo()
    alone = ndimage.distance_transform_edt(cp.array(x), sampling, return_indices=True)
    for ours, expected in zip(found, alone, strict=True):
        np.testing.assert_array_equal(ours, cp.asnumpy(expected))


def curves(n):
    """Backgrounds that leave envelopes of many different forms: few sites, many, and such that later bands remove."""
    y, x = np.mgrid[:n, :n]
    c, r = n // 2, n // 3
    yield "circle", abs(np.hypot(y - c, x - c) - r) > 0.7
    yield "disc", np.hypot(y - c, x - c) > r
    yield "diagonal", y != x
    yield "parabola", abs(y - (x - c) ** 2 // n) > 0
    yield "inverse parabola", abs(y - n + 1 + (x - c) ** 2 // n) > 0
    yield "corners", ~np.isin(y, (0, n - 1)) | ~np.isin(x, (0, n - 1))
    yield "one place", (y != c) | (x != 1)
    yield "staircase", y != (x // 8) * 8
    yield "saw", y != (x % 16) * (n // 16)
    yield "slow wave", abs(y - c - (0.4 * n * np.sin(x / 9)).astype(int)) > 0


@pytest.mark.parametrize("name", [name for name, _ in curves(97)])
@pytest.mark.parametrize("sampling", [None, (0.7, 1.9)])
def test_curves(name, sampling, many_threads):
    x = dict(curves(97))[name]
    expected = scipy.ndimage.distance_transform_edt(x, sampling)
    for reach, width in ((0, 1), (0, 5), (2, 16), (0, 97)):
        many_threads(reach, width)
        for image in (x, x.T):
            distances, indices = beside(image, sampling if image is x or sampling is None else sampling[::-1])
            np.testing.assert_allclose(distances, expected if image is x else expected.T, rtol=1e-13)
            assert not image[tuple(indices)].any()
            apart = (indices - np.indices(image.shape)).astype(float)
            if sampling is not None:
                apart *= np.reshape(sampling if image is x else sampling[::-1], (2, 1, 1))
            np.testing.assert_allclose(np.sqrt((apart**2).sum(0)), distances, rtol=1e-13)


def test_ties_go_to_the_first_place(many_threads):
    x = np.ones((3, 41), bool)
    x[1, ::4] = False
    expected = (np.arange(41) + 1) // 4 * 4
    for reach, width in ((32, 64), (0, 1), (0, 3), (1, 4), (0, 64)):
        many_threads(reach, width)
        rows, columns = beside(x)[1]
        np.testing.assert_array_equal(rows, np.full((3, 41), 1))
        np.testing.assert_array_equal(columns, np.tile(expected, (3, 1)))


def test_long_lines(many_threads):
    # Squares of these distances are beyond int32.
    x = np.ones((2, 70_000), np.int8)
    x[1, 3] = 0
    many_threads(32, 64)
    distances, indices = beside(x)
    np.testing.assert_array_equal(indices[1], np.full(x.shape, 3))
    np.testing.assert_array_equal(distances[1], abs(np.arange(70_000.0) - 3))
    assert distances[0, -1] == np.hypot(1, 69_996)
    x = np.ones(70_000, bool)
    x[[5, 60_000]] = False
    np.testing.assert_array_equal(beside(x)[0], np.minimum(abs(np.arange(7e4) - 5), abs(np.arange(7e4) - 6e4)))


def test_no_background(many_threads):
    many_threads(1, 4)
    for shape in ((9,), (5, 8), (3, 7, 9)):
        agree("distance_transform_edt", np.ones(shape), None, True, True)


@pytest.mark.parametrize("length", [1, 2, 15, 16, 17, 31, 32, 33, 65])
@pytest.mark.parametrize("reach", [0, 5, 256])
def test_ends_of_stretches(length, reach, many_threads):
    many_threads(reach, 8)
    random = np.random.default_rng(length)
    for shape in ((6, length), (5, length, 4)):
        for part in (0.3, 0.9, 0.99):
            beside(random.random(shape) < part, random.choice([None, 0.3]))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("whole", [True, False])
def test_results_in_given_arrays(order, whole, many_threads):
    many_threads(2, 4)
    x = np.random.default_rng(9).random((13, 21)) < (1.1 if whole else 0.95)
    expected = scipy.ndimage.distance_transform_edt(x, (0.5, 2.0))
    for dtype, is_wide in ((np.float64, True), (np.float32, False)):
        out = cp.asarray(np.empty(x.shape, dtype, order=order))
        options = {"distances": out, "float64_distances": is_wide}
        assert ndimage.distance_transform_edt(cp.array(x), (0.5, 2.0), **options) is None
        np.testing.assert_allclose(out.get(), expected, rtol=1e-15 if is_wide else 1e-7)
        found = ndimage.distance_transform_edt(cp.array(x), (0.5, 2.0), float64_distances=is_wide)
        check(found, expected.astype(dtype))


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f2", "f8", "c16"])
def test_types_and_layouts(dtype, many_threads):
    x = (np.random.default_rng(5).random((90, 80)) < 0.995).astype(dtype)
    many_threads(2, 8)
    for view in (lambda a: a, lambda a: a.T, lambda a: a[::-2, 3::2], lambda a: a[:, :1]):
        expected = scipy.ndimage.distance_transform_edt(view(x) != 0)
        check(ndimage.distance_transform_edt(view(cp.array(x))), expected)


def test_launches_do_not_depend_on_the_image(many_threads):
    many_threads(8, 8)
    random = np.random.default_rng(6)
    counts = set()
    for shape, part in (((50, 40), 0.5), ((50, 40), 0.999), ((400, 700), 0.9999), ((400, 700), 1.0)):
        x = cp.array(random.random(shape) < part)
        counts.add(launches(lambda x=x: ndimage.distance_transform_edt(x)))
    assert len(counts) == 1


def test_negative_sampling_is_its_size():
    x = np.random.default_rng(7).random((12, 13)) < 0.9
    expected = scipy.ndimage.distance_transform_edt(x, (2.0, 0.5))
    check(ndimage.distance_transform_edt(cp.array(x), (-2.0, 0.5)), expected)


def test_a_large_image():
    x = np.random.default_rng(48).random((150, 170)) < 0.995
    agree("distance_transform_edt", x, return_indices=True)


@pytest.mark.parametrize(
    "bands", [(1, 1), (1, 1, 1, 1), (0, 1, 1), (1, 0, 1), (1, 1, -1), (1, 3, 1), (2, 1, 1), (1, 4, 1), (1, 1, 32)]
)
def test_bands_that_cupy_refuses(bands):
    with pytest.raises(ValueError, match="block_params"):
        ndimage.distance_transform_edt(cp.ones((12, 9)), block_params=bands)


@pytest.mark.parametrize(("shape", "bands"), [((12, 9), (3, 1, 1)), ((70, 9), (3, 1, 3)), ((64, 64), (2, 2, 2))])
def test_bands_change_nothing(shape, bands):
    """Three bands of 32 lines fill a side that is padded to 96."""
    x = cp.array(np.random.default_rng(3).random(shape) < 0.9)
    plain = ndimage.distance_transform_edt(x)
    np.testing.assert_array_equal(ndimage.distance_transform_edt(x, block_params=bands).get(), plain.get())


@pytest.mark.parametrize("bands", [(1, 1), (1, 1, 0)])
def test_bands_of_volumes(bands):
    with pytest.raises(ValueError, match="three numbers"):
        ndimage.distance_transform_edt(cp.ones((4, 4, 4)), block_params=bands)
