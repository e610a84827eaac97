"""k-means and vector quantisation beside SciPy's."""

import warnings

import cuproxide as cp
import cuproxide.scipy.cluster.vq as cv
import numpy as np
import pytest
import scipy.cluster.vq as sv
from helpers import check, in_layout, same_error, to_device


def observations(dtype=np.float64, count=200):
    return (np.random.default_rng(1).normal(size=(count, 3)) * 5).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_quantisation(dtype):
    x = observations(dtype)
    for codes in (x[:7], x[:1], x[:4]):
        for one, other in zip(cv.vq(cp.asarray(x), cp.asarray(codes)), sv.vq(x, codes), strict=True):
            check(one, other, ulp=300, scale=1)
    check(cv.vq(cp.asarray(x[:, 0]), cp.asarray(x[:5, 0]))[1], sv.vq(x[:, 0], x[:5, 0])[1], ulp=300, scale=1)
    if dtype is not np.int64:
        check(cv.whiten(cp.asarray(x)), sv.whiten(x), ulp=16)
    with pytest.warns(RuntimeWarning, match="deviation zero"):
        check(cv.whiten(cp.ones((3, 2))), np.ones((3, 2)))


@pytest.mark.parametrize("layout", ["F", "strided", "reversed", "broadcast", "empty"])
def test_layouts(layout):
    x = in_layout(observations(), layout)
    codes = observations()[:5]
    for one, other in zip(cv.vq(to_device(x), cp.asarray(codes)), sv.vq(np.array(x), codes), strict=True):
        check(one, other, ulp=64)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_means(dtype):
    x = observations(dtype)
    for start, options in ((5, {"rng": 3}), (5, {"seed": 4}), (x[:7], {}), (1, {"rng": 0})):
        found, expected = cv.kmeans(cp.asarray(x), start, **options), sv.kmeans(x, start, **options)
        check(found[0], expected[0], ulp=500, scale=5)
        assert float(found[1]) == pytest.approx(float(expected[1]), rel=1e-5)
    line = x[:, 0]
    check(cv.kmeans(cp.asarray(line), 3, rng=5)[0], sv.kmeans(line, 3, rng=5)[0], ulp=500, scale=5)
    for minit in ("points", "random", "++"):
        for data in (x, line):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found, expected = (m.kmeans2(d, 4, minit=minit, rng=5) for m, d in ((cv, cp.asarray(data)), (sv, data)))
            # SciPy keeps first centroids of single precision in double.
            check(
                found[0].astype(np.float64),
                expected[0].astype(np.float64),
                ulp=1e12 if dtype == np.float32 else 1000,
                scale=5,
            )
            check(found[1], expected[1])
    found, expected = (m.kmeans2(d, x[:4], minit="matrix") for m, d in ((cv, cp.asarray(x)), (sv, x)))
    check(found[0], expected[0], ulp=500, scale=5)
    check(found[1], expected[1])


def test_fewer_dimensions_than_columns():
    x = np.random.default_rng(2).normal(size=(3, 6))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, expected = (m.kmeans2(d, 2, rng=1) for m, d in ((cv, cp.asarray(x)), (sv, x)))
    # The sign of singular vectors is open, so only the shapes agree.
    assert found[0].shape == expected[0].shape


def test_empty_clusters():
    x, codes = np.array([[0.0], [1.0]]), np.array([[0.0], [50.0]])
    with pytest.warns(UserWarning, match="is empty"):
        found = cv.kmeans2(cp.asarray(x), codes, minit="matrix")
    with pytest.warns(UserWarning, match="is empty"):
        expected = sv.kmeans2(x, codes, minit="matrix")
    check(found[0], expected[0])
    with pytest.raises(cv.ClusterError):
        cv.kmeans2(cp.asarray(x), codes, minit="matrix", missing="raise")
    check(cv.kmeans(cp.asarray(x), codes)[0], sv.kmeans(x, codes)[0])


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: m.vq(x, x[0]),
        lambda m, x: m.vq(x, x[:, :2]),
        lambda m, x: m.vq(x * np.nan, x),
        lambda m, x: m.kmeans(x, 0),
        lambda m, x: m.kmeans(x, 1.5),
        lambda m, x: m.kmeans(x, x[:0]),
        lambda m, x: m.kmeans(x, 2, iter=0),
        lambda m, x: m.kmeans2(x, 2, iter=0),
        lambda m, x: m.kmeans2(x, 0),
        lambda m, x: m.kmeans2(x, 2, minit="nothing"),
        lambda m, x: m.kmeans2(x, 2, missing="nothing"),
        lambda m, x: m.kmeans2(x[None], 2),
        lambda m, x: m.kmeans2(x[:0], 2),
        lambda m, x: m.kmeans2(x, x[:2, :2], minit="matrix"),
        lambda m, x: m.kmeans2(x, x[0], minit="matrix"),
    ],
)
def test_errors(call):
    x = observations(count=9)
    same_error(lambda: call(cv, cp.asarray(x)), lambda: call(sv, x))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("features", [1, 2, 5, 8, 17])
def test_nearest_of_equally_near_codes(dtype, features):
    random = np.random.default_rng(features)
    for count, codes in ((1, 1), (7, 3), (1000, 5), (2050, 64)):
        # Whole numbers: sums are exact, and many codes are equally near.
        x = random.integers(-2, 3, (count, features)).astype(dtype)
        book = random.integers(-2, 3, (codes, features)).astype(dtype)
        squares = ((x[:, None, :] - book) ** 2).sum(axis=-1)
        x, book = cp.asarray(x), cp.asarray(book)
        columns = cp.ascontiguousarray(book.T)
        for labels, distances in (cv.vq(x, book), cv._nearest(x, columns, codes, shape=(count,))):
            check(labels, squares.argmin(axis=1).astype(np.int32))
            check(distances, np.sqrt(squares.min(axis=1)), ulp=1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_codes_that_are_not_finite(dtype):
    x = np.array([[0, 1], [np.nan, 0], [np.inf, 0], [3, 3]], dtype)
    book = np.array([[np.nan, 0], [0, np.inf], [3, 3], [0, 1], [0, 1]], dtype)
    x, book = cp.asarray(x), cp.asarray(book)
    columns = cp.ascontiguousarray(book.T)
    for labels, distances in (cv.vq(x, book, check_finite=False), cv._nearest(x, columns, 5, shape=(4,))):
        check(labels, np.array([3, 0, 0, 2], np.int32))
        check(distances, np.array([0, np.inf, np.inf, 0], dtype))


def test_py_vq_is_vq():
    x = np.random.default_rng(0).normal(size=(20, 3))
    for one, other in zip(cp.scipy.cluster.vq.py_vq(x, x[:4]), cp.scipy.cluster.vq.vq(x, x[:4]), strict=True):
        np.testing.assert_array_equal(one.get(), other.get())
