"""Labels, statistics by label and filters of spectra, beside SciPy's."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.ndimage
from cuproxide._cuproxide import host_transfers
from helpers import check
from images import REALS, Draw, agree, draws, outcome
from ways import take_ways

ndimage = cp.scipy.ndimage
SHAPES = [(7,), (1,), (2,), (5, 6), (1, 4), (3, 1, 5), (12, 13), (4, 5, 6)]
STATISTICS = ["sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum"]
PLACES = ["minimum_position", "maximum_position", "extrema"]


@pytest.mark.parametrize("draw", draws(120, 51))
def test_labels(draw):
    shape = draw(*SHAPES, (0, 3))
    x = draw.layout((draw.random.random(shape) > draw(0.3, 0.5, 0.8)).astype(draw("?", "u1", "i4", "f8", "f4")))
    structure = None
    if draw(False, True):
        structure = draw.random.random((3,) * len(shape)) > 0.5
        structure = structure | np.flip(structure)
        structure[(1,) * len(shape)] = True
    agree("label", x, structure, draw(None, None, np.int64, np.uint8, np.float32))
    for order in "CF":
        theirs, ours = np.zeros(shape, "i4", order=order), cp.zeros(shape, "i4", order=order)
        count = scipy.ndimage.label(x, structure, theirs)
        assert ndimage.label(cp.array(x), structure, ours) == count
        check(ours, theirs)
    labels = draw.random.integers(-1, 6, shape).astype(draw("i4", "i8", "u1", "i2"))
    agree("find_objects", labels, draw(0, 0, 3, 9))
    theirs, ours = scipy.ndimage.value_indices(labels), ndimage.value_indices(cp.array(labels))
    assert list(theirs) == list(ours)
    for value, places in theirs.items():
        check(ours[value], places)


def test_labels_of_a_large_image():
    x = np.random.default_rng(52).random((200, 301))
    for density in (0.3, 0.42, 0.6):
        agree("label", x > density)
        agree("label", x > density, np.ones((3, 3)))
    agree("label", np.indices((50, 50)).sum(0) % 2, np.ones((3, 3)))
    agree("label", np.ones((64, 65)))
    agree("label", np.random.default_rng(53).random((20, 21, 22)) > 0.6)


@pytest.mark.parametrize("draw", draws(120, 54))
def test_statistics(draw):
    shape = draw(*SHAPES)
    count = int(np.prod(shape))
    # No two elements are equal, so that there is one smallest.
    x = draw.random.permutation(count).reshape(shape)
    x = draw.layout(x.astype(draw("i4", "f4", "f8", "u8", "i8", "u4", "u2")))
    labels = draw.layout(draw.random.integers(-1, 6, shape).astype(draw("i4", "i8", "u1", "i2")))
    index = draw(None, 1, 2, [0, 1, 2], np.array([5, 3, 1, 1]), [7, 1], np.arange(6), np.array([[1, 2], [3, 4]]))
    args = draw((x, labels, index), (x, labels, index), (x,))
    for name in [*STATISTICS, *PLACES]:
        # SciPy computes the variance of one group in single precision.
        agree(name, *args, tolerance=1e-6 if x.dtype == np.float32 else 1e-11)
    if not (isinstance(index, np.ndarray) and index.ndim == 2):
        agree("center_of_mass", *args, tolerance=1e-9)
        agree("labeled_comprehension", x, labels, index, lambda a: float(a.sum()), float, -1.0)
    there = np.unique(labels)
    agree("median", x, labels, there)
    if np.ndim(index) == 0 and (index is None and (labels > 0).any() or index in there):
        agree("median", x, labels, index)


def test_statistics_of_many_elements():
    random = np.random.default_rng(55)
    labels = random.integers(0, 1000, (300, 400)).astype("i4")
    x = random.permutation(labels.size).reshape(labels.shape).astype("f4")
    there = np.unique(labels)
    for name in [*STATISTICS, "median", "center_of_mass", "extrema"]:
        agree(name, x, labels, there if name == "median" else np.arange(1, 1001), tolerance=1e-9)
        agree(name, x, labels // 500, np.array([0, 1]), tolerance=1e-9)


def test_values_that_are_no_numbers():
    x = np.array([np.nan, 1.0, np.inf, -np.inf, 2.0, -0.0])
    labels = np.array([1, 1, 2, 2, 3, 3])
    for name in ("minimum", "maximum", "median", "sum_labels"):
        agree(name, x, labels, [1, 2, 3])
    result = cp.asnumpy(ndimage.median(cp.array(x), cp.array(labels), [3, 9]))
    assert result[0] == 1.0
    assert np.isnan(result[1])


def test_the_index_is_not_changed():
    index = cp.array([3, 1, 2])
    ndimage.mean(cp.arange(4.0), cp.arange(4), index)
    check(index, np.array([3, 1, 2]))


def test_arrays_without_axes():
    x, labels = np.array(3.5), np.array(1)
    for name in [*STATISTICS, "median", "maximum_position"]:
        agree(name, x, labels, [1])
        agree(name, x)
    agree("find_objects", labels)


def test_few_reads():
    x, labels = cp.arange(10_000.0), cp.arange(10_000) % 100
    before = host_transfers()
    for name in [*STATISTICS, "median"]:
        getattr(ndimage, name)(x, labels, cp.arange(100))
    assert host_transfers() == before
    ndimage.center_of_mass(x, labels, cp.arange(100))
    assert host_transfers() - before <= 2


def test_comprehensions_and_histograms():
    x, labels = np.array([[1.0, 2.0, 5.0], [4.0, 3.0, 3.0]]), np.array([[1, 1, 2], [2, 0, 0]])
    agree("labeled_comprehension", x, labels, [1, 2, 5], lambda a, p: float((a * p).sum()), float, -1, True)
    agree("labeled_comprehension", x, None, None, lambda a: float(a.sum()), float, -1)
    agree("histogram", x, 0, 6, 4)
    agree("histogram", x, 0, 6, 4, labels)
    agree("histogram", x, 0, 6, 4, labels, 1)
    ours = ndimage.histogram(cp.array(x), 0, 5, 4, cp.array(labels), [1, 2, 5])
    theirs = scipy.ndimage.histogram(x, 0, 5, 4, labels, [1, 2, 5])
    assert ours[2] is None
    for one, other in zip(ours[:2], theirs[:2], strict=True):
        check(one, other)


@pytest.mark.parametrize("draw", draws(80, 56))
def test_spectra(draw):
    x = draw.layout(draw.array(draw(*SHAPES, (0, 3)), draw(*REALS, "c8", "c16")))
    output = draw(None, None, np.complex64, np.float32, np.float64)
    for name in ("fourier_gaussian", "fourier_uniform", "fourier_shift", "fourier_ellipsoid"):
        agree(name, x, draw(1, 0.5, 2.3), draw(-1, -1, 8, 9), draw(-1, 0), output, tolerance=1e-9)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: ndimage.label(x * 1j), TypeError),
        (lambda x: ndimage.label(x, np.ones(3)), RuntimeError),
        (lambda x: ndimage.label(x, np.ones((2, 3))), ValueError),
        (lambda x: ndimage.label(x, output=cp.empty((3, 3), int)), ValueError),
        (lambda x: ndimage.label(cp.eye(300), output="u1"), RuntimeError),
        (lambda x: ndimage.find_objects(x), TypeError),
        (lambda x: ndimage.find_objects(cp.empty((0, 3), int)), ValueError),
        (lambda x: ndimage.value_indices(x), ValueError),
        (lambda x: ndimage.labeled_comprehension(x, None, 1, cp.sum, float, 0), ValueError),
        (lambda x: ndimage.labeled_comprehension(x, x.astype(int), [1.5], cp.sum, float, 0), ValueError),
        (lambda x: ndimage.labeled_comprehension(x, cp.ones(5, int), [1], cp.sum, float, 0), ValueError),
        (lambda x: ndimage.minimum(x, x.astype(int), 9), ValueError),
        (lambda x: ndimage.sum_labels(x * 1j, x.astype(int), [1]), TypeError),
        (lambda x: ndimage.fourier_gaussian(x, 1, output=int), RuntimeError),
        (lambda x: ndimage.fourier_shift(x, 1, output=cp.empty((3, 3), complex)), RuntimeError),
        (lambda x: ndimage.fourier_ellipsoid(cp.ones((1, 1, 1, 2)), 1), NotImplementedError),
    ],
)
def test_errors(call, error):
    assert isinstance(outcome(call, cp.ones((3, 4))), error)


def test_labels_in_floats():
    draw = Draw(57)
    labels = draw.random.integers(0, 4, 50) / 2
    x = draw.random.permutation(50) + 0.5
    for name in (*STATISTICS, "median"):
        agree(name, x, labels, np.array([0.5, 1.0]))


@pytest.mark.parametrize("density", [0.3, 0.6, 0.9])
def test_labels_on_devices_with_many_threads(density, monkeypatch):
    # Trees are shortened on the way, which processors do not need.
    take_ways(monkeypatch, True, "components in launches")
    for shape in ((70, 90), (9, 20, 15)):
        x = np.random.default_rng(9).random(shape) < density
        for structure in (None, np.ones((3,) * x.ndim)):
            agree("label", x, structure)
