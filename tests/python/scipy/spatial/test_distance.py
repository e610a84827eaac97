"""Metrics beside SciPy's: vectors, all pairs, and the forms that distances are kept in."""

import cuproxide as cp
import cuproxide.scipy.spatial as cs
import cuproxide.scipy.spatial.distance as cd
import numpy as np
import pytest
import scipy.spatial as ss
import scipy.spatial.distance as sd
from cuproxide.scipy.spatial import _metrics
from helpers import check, in_layout, same_error, settle, to_device

METRICS = (
    "braycurtis canberra chebyshev cityblock correlation cosine dice euclidean hamming jaccard jensenshannon "
    "mahalanobis minkowski rogerstanimoto russellrao seuclidean sokalsneath sqeuclidean yule"
).split()
KINDS = ("float", "positive", "int", "bool", "float32")


def points(kind, rows, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, 5))
    return {
        "float": x,
        "positive": abs(x),
        "int": (3 * x).astype(int),
        "bool": x > 0,
        "float32": x.astype(np.float32),
    }[kind]


@pytest.mark.parametrize("metric", METRICS)
def test_all_pairs(metric):
    for kind in KINDS:
        a, b = points(kind, 13, 1), points(kind, 11, 2)
        for options in ({}, {"w": np.random.default_rng(3).random(5)}, {"p": 3.5}):
            for name, operands in (("cdist", (a, b)), ("pdist", (a,))):
                ours = lambda: getattr(cd, name)(*map(cp.asarray, operands), metric, **options)  # noqa: B023, E731
                theirs = lambda: getattr(sd, name)(*operands, metric, **options)  # noqa: B023, E731
                try:
                    with np.errstate(all="ignore"):
                        expected = theirs()
                except (TypeError, ValueError):
                    same_error(ours, theirs)
                    continue
                # SciPy's dice of numbers that are no truth values divides by sums that cancel.
                check(ours(), expected, ulp=2**30 if metric == "dice" else 200, scale=0.01, signs=False)


@pytest.mark.parametrize("layout", ["F", "strided", "reversed", "broadcast", "empty"])
@pytest.mark.parametrize("metric", ["cityblock", "cosine", "yule", "mahalanobis", "canberra"])
def test_layouts(metric, layout):
    a = in_layout(points("positive", 9, 1), layout)
    b = points("positive", 12, 2)
    options = {"VI": np.eye(5)} if metric == "mahalanobis" else {}
    with np.errstate(all="ignore"):
        check(cd.cdist(to_device(a), cp.asarray(b), metric, **options), sd.cdist(a, b, metric, **options), ulp=100)


@pytest.mark.parametrize("metric", METRICS)
def test_vectors(metric):
    random = np.random.default_rng(4)
    extra = {"seuclidean": {"V": np.arange(1, 8.0)}, "mahalanobis": {"VI": 2 * np.eye(7)}}.get(metric, {})
    for dtype in (np.float64, np.float32, np.int64, bool):
        u, v = (abs(3 * random.normal(size=7)).astype(dtype) for _ in range(2))
        if dtype is bool and metric == "cosine":
            continue  # SciPy's inner product of truth values is one, too.
        for options in (extra, extra | {"w": random.random(7)}):
            ours = lambda: getattr(cd, metric)(cp.asarray(u), cp.asarray(v), **options)  # noqa: B023, E731
            theirs = lambda: getattr(sd, metric)(u, v, **options)  # noqa: B023, E731
            try:
                expected = np.asarray(theirs())
            except (TypeError, ValueError):
                same_error(ours, theirs)
                continue
            # SciPy gives some of single precision as numbers of Python's.
            result = ours()
            check(result.astype(expected.dtype), expected, ulp=1e9 if dtype is np.float32 else 64)


def test_near_points_far_from_the_origin():
    """A distance by products of matrices would have lost all digits."""
    a = 1e8 + np.random.default_rng(5).random((6, 3))
    check(cd.cdist(cp.asarray(a), cp.asarray(a)), sd.cdist(a, a), ulp=4)
    check(cd.pdist(cp.asarray(a), "sqeuclidean"), sd.pdist(a, "sqeuclidean"), ulp=4)


def test_names_functions_and_results():
    a, b = cp.asarray(points("float", 4, 1)), cp.asarray(points("float", 3, 2))
    for alias in ("cb", "Euclid", "MATCHING", "pnorm"):
        check(cd.cdist(a, b, alias), sd.cdist(cp.asnumpy(a), cp.asnumpy(b), alias), ulp=4)
    check(cd.cdist(a, b, cd.cityblock), sd.cdist(cp.asnumpy(a), cp.asnumpy(b), "cityblock"), ulp=4)
    result = cp.empty((4, 3))
    assert cd.cdist(a, b, lambda u, v: abs(u - v).max(), out=result) is result
    check(result, sd.cdist(cp.asnumpy(a), cp.asnumpy(b), "chebyshev"), ulp=4)
    check(cd.pdist(a, lambda u, v: 1.5), np.full(6, 1.5))
    check(
        cd.cdist(abs(a), abs(b), "hellinger")[0, 0], np.asarray(cp.asnumpy(cd.hellinger(abs(a[0]), abs(b[0])))), ulp=8
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda d, x: d.cdist(x, x, "nothing"),
        lambda d, x: d.cdist(x, x, 7),
        lambda d, x: d.cdist(x[0], x),
        lambda d, x: d.cdist(x + 1j, x),
        lambda d, x: d.cdist(x, x[:, :2]),
        lambda d, x: d.pdist(x[0]),
        lambda d, x: d.minkowski(x[0], x[1], -1),
        lambda d, x: d.cdist(x, x, w=x[0] * 0 - 1),
        lambda d, x: d.cdist(x, x, w=x[0, :2]),
        lambda d, x: d.cdist(x, x, "seuclidean", V=x),
        lambda d, x: d.cdist(x, x, "euclidean", q=1),
        lambda d, x: d.pdist(x[:3], "mahalanobis"),
        lambda d, x: d.squareform(x[0, :4]),
        lambda d, x: d.squareform(x),
        lambda d, x: d.squareform(x[:2, :2] + 1),
        lambda d, x: d.squareform(x[None]),
        lambda d, x: d.squareform(x[0], force="tovector"),
        lambda d, x: d.num_obs_y(x[0, :4]),
        lambda d, x: d.num_obs_dm(x[0]),
        lambda d, x: d.directed_hausdorff(x, x[:, :2]),
        lambda d, x: d.hamming(x[0], x[0, :2]),
        lambda d, x: d.sokalsneath(x[0] != x[0], x[0] != x[0]),
    ],
)
def test_errors(call):
    x = np.random.default_rng(6).random((6, 5))
    same_error(lambda: call(cd, cp.asarray(x)), lambda: call(sd, x))


def test_squareform():
    for vector in (np.arange(6), np.arange(6.0), np.array([True, False, True]), np.zeros(0), np.arange(3) * 1j):
        square = sd.squareform(vector)
        check(cd.squareform(cp.asarray(vector)), square)
        check(cd.squareform(cp.asarray(square)), sd.squareform(square))
    square = sd.squareform(np.arange(6.0))
    assert cd.is_valid_dm(cp.asarray(square))
    assert not cd.is_valid_dm(cp.asarray(square + 1))
    assert cd.is_valid_dm(cp.asarray(square + 1e-9), tol=1e-8)
    assert cd.num_obs_dm(cp.asarray(square)) == cd.num_obs_y(cp.zeros(6)) == 4
    with pytest.warns(UserWarning, match="must be symmetric"):
        assert not cd.is_valid_dm(cp.asarray([[0, 1], [2, 0]]), warning=True)


def test_hausdorff_and_matrices():
    random = np.random.default_rng(7)
    u, v = random.normal(size=(20, 3)), random.normal(size=(30, 3))
    expected = sd.directed_hausdorff(u, v)
    found = [x.item() for x in settle(cd.directed_hausdorff(cp.asarray(u), cp.asarray(v)))]
    assert found[1:] == list(expected[1:])
    assert found[0] == pytest.approx(expected[0], rel=1e-15)
    for p in (1, 2, 3, np.inf):
        check(cs.distance_matrix(cp.asarray(u), cp.asarray(v), p), ss.distance_matrix(u, v, p), ulp=16)
        check(cs.minkowski_distance(cp.asarray(u), cp.asarray(v[:20]), p), ss.minkowski_distance(u, v[:20], p), ulp=16)


def test_rectangles():
    ours, theirs = (module.Rectangle([1, 2.0], [0, 3.0]) for module in (cs, ss))
    others = [module.Rectangle([5, 6.0], [3, 3.5]) for module in (cs, ss)]
    x = np.array([[3.0, 4], [0.5, 2.5]])
    for p in (1, 2, np.inf):
        for name in ("min_distance_point", "max_distance_point"):
            check(getattr(ours, name)(x, p), getattr(theirs, name)(x, p), ulp=4)
        for name in ("min_distance_rectangle", "max_distance_rectangle"):
            check(getattr(ours, name)(others[0], p), np.asarray(getattr(theirs, name)(others[1], p)), ulp=4)
    assert float(ours.volume()) == theirs.volume()
    parts = ours.split(0, 0.25)
    check(parts[0].maxes, np.array([0.25, 3.0]))
    check(parts[1].mins, np.array([0.25, 2.0]))


def test_procrustes_and_arcs():
    random = np.random.default_rng(8)
    a, b = random.normal(size=(2, 9, 3))
    for one, other in zip(cs.procrustes(cp.asarray(a), cp.asarray(b)), ss.procrustes(a, b), strict=True):
        check(one, np.asarray(other), ulp=200, scale=1)
    start, end = a[0] / np.linalg.norm(a[0]), b[0] / np.linalg.norm(b[0])
    for t in (np.linspace(0, 1, 5), 0.3, np.zeros(0)):
        for to in (end, start):
            check(cs.geometric_slerp(start, to, t), ss.geometric_slerp(start, to, t), ulp=64, scale=1)
    with pytest.warns(UserWarning, match="antipodes"):
        arc = cs.geometric_slerp(start, -start, np.linspace(0, 1, 5))
    check(cp.linalg.norm(arc, axis=1), np.ones(5), ulp=8)
    for call in (
        lambda m: m.geometric_slerp([2.0, 0], [0, 1.0], 0.5),
        lambda m: m.geometric_slerp([1.0], [1.0], 0.5),
        lambda m: m.geometric_slerp([1.0, 0], [0, 1.0], np.zeros((2, 2))),
        lambda m: m.procrustes(np.zeros((3, 2)), np.ones((3, 2))),
        lambda m: m.procrustes(np.zeros((3, 2)), np.ones((2, 2))),
    ):
        same_error(lambda: call(cs), lambda: call(ss))  # noqa: B023


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 2), (35, 70, 7), (5, 300, 9), (70, 33, 0)])
def test_terms_that_are_not_finite(shape):
    rows, columns, n = shape
    random = np.random.default_rng(5)
    a, b = (
        random.choice(
            [0.0, -0.0, 1.5, -2.0, 7.0, np.nan, np.inf, -np.inf], (m, n), p=[0.2] * 4 + [0.14, 0.02, 0.02, 0.02]
        )
        for m in (rows, columns)
    )
    x, y = a[:, None, :], b[None, :, :]
    with np.errstate(all="ignore"):
        size = abs(x) + abs(y)
        references = {
            "cityblock": abs(x - y).sum(axis=-1),
            "sqeuclidean": ((x - y) ** 2).sum(axis=-1),
            # NaN stays.
            "chebyshev": abs(x - y).max(axis=-1, initial=0.0),
            "canberra": np.where(size == 0, 0.0, abs(x - y) / np.where(size == 0, 1.0, size)).sum(axis=-1),
        }
        if n:
            references["hamming"] = (x != y).mean(axis=-1)
    for metric, expected in references.items():
        check(cd.cdist(cp.asarray(a), cp.asarray(b), metric), expected, ulp=64)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev", "canberra", "hamming"])
def test_pairs_are_those_of_the_square(metric):
    a = np.random.default_rng(6).integers(-3, 4, (75, 11)).astype(float) / 3
    square = cp.asnumpy(cd.cdist(cp.asarray(a), cp.asarray(a), metric))
    assert (cp.asnumpy(cd.pdist(cp.asarray(a), metric)) == square[np.triu_indices(75, 1)]).all()
    weights = np.arange(11.0)
    check(
        cd.cdist(cp.asarray(a), cp.asarray(a), metric, w=cp.asarray(weights)), sd.cdist(a, a, metric, w=weights), ulp=64
    )
    out = cp.empty((75, 75))
    assert cd.cdist(cp.asarray(a), cp.asarray(a), metric, out=out) is out
    assert (cp.asnumpy(out) == square).all()


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev", "canberra", "hamming"])
def test_primitives_and_kernels_have_the_same_bits(metric):
    random = np.random.default_rng(8)
    a, b = random.random((37, 9)), random.random((150, 9))
    a[3, 2], b[::7] = np.nan, a[0]
    for one, other, shape in ((a, b, (37, 150)), (a, None, (37 * 36 // 2,))):
        one, other = cp.asarray(one), None if other is None else cp.asarray(other)
        kernel = cp.empty(shape)
        _metrics._sums(one, other, None, _metrics.METRICS[metric], 2.0, kernel)
        found = _metrics.all_pairs(_metrics.METRICS[metric], one, other, None, {})
        assert np.array_equal(cp.asnumpy(kernel), cp.asnumpy(found), equal_nan=True)


@pytest.mark.parametrize("weights", [None, [1.0, 0.5, 2.0]])
@pytest.mark.parametrize("kind", ["float32", "float64", "int64"])
def test_stacks_of_vectors(kind, weights):
    """Those along the last axis, broadcast over the others; one by one the same numbers."""
    draw = np.random.default_rng(8)
    one, other = (draw.integers(-9, 9, shape).astype(kind) for shape in ((4, 1, 3), (5, 3)))
    u, v = cp.asarray(one), cp.asarray(other)
    distances = cp.scipy.spatial.distance
    calls = {"euclidean": {}, "sqeuclidean": {}, "minkowski": {"p": 3}}
    for name, options in calls.items():
        function = getattr(distances, name)
        found = function(u, v, w=weights, **options)
        assert found.shape == (4, 5)
        for i, j in ((0, 0), (3, 4), (1, 2)):
            single = function(u[i, 0], v[j], w=weights, **options)
            assert found.dtype == single.dtype
            np.testing.assert_allclose(found[i, j].get(), single.get(), rtol=1e-6 if kind == "float32" else 1e-14)
        with pytest.raises(ValueError):
            function(cp.asarray(1.0), v)
    for p in (1, np.inf):
        wanted = np.linalg.norm((one - other).astype(float), ord=p, axis=-1)
        np.testing.assert_allclose(distances.minkowski(u, v, p).get(), wanted, rtol=1e-6)


def test_squares_of_complex_vectors_are_real():
    u, v = cp.asarray([1 + 2j, 3j]), cp.asarray([0, 1 - 1j])
    assert complex(cp.scipy.spatial.distance.sqeuclidean(u, v)) == 22
