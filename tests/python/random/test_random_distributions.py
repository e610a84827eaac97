"""Distributions of `random` against those of SciPy, and its orders and choices."""

import cuproxide as cp
import numpy as np
import pytest
from draws import CONTINUOUS, DISCRETE, RARE, SIZE, identify, sample

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize(("name", "args", "law"), CONTINUOUS, ids=identify)
def test_continuous(name, args, law):
    values = sample(name, *args)
    assert values.dtype == np.float64 and np.isfinite(values).all()
    assert stats.kstest(values, law.cdf).pvalue > RARE
    mean, variance = law.mean(), law.var()
    if np.isfinite(mean) and np.isfinite(variance) and variance > 0:
        assert abs(values.mean() - mean) < 5 * np.sqrt(variance / SIZE)
    # Neighbours know nothing of each other.
    ranks = values.argsort().argsort()
    assert abs(np.corrcoef(ranks[:-1], ranks[1:])[0, 1]) < 5 / np.sqrt(SIZE)


@pytest.mark.parametrize(
    ("name", "args", "law"),
    [
        ("random", (), stats.uniform()),
        ("standard_normal", (), stats.norm()),
        ("standard_exponential", (), stats.expon()),
        ("standard_gamma", (1.5,), stats.gamma(1.5)),
    ],
    ids=identify,
)
def test_float32(name, args, law):
    values = sample(name, *args, dtype=np.float32)
    assert values.dtype == np.float32
    assert stats.kstest(values.astype(float), law.cdf).pvalue > RARE
    out = cp.empty((3, 4), np.float32)[:, ::2]
    result = getattr(cp.random.default_rng(11), name)(*args, out=out, dtype=np.float32)
    assert np.array_equal(cp.asnumpy(result).ravel(), values[:6]) and np.array_equal(
        cp.asnumpy(out).ravel(), values[:6]
    )


@pytest.mark.parametrize(("name", "args", "law"), DISCRETE, ids=identify)
def test_discrete(name, args, law):
    values = sample(name, *args)
    assert values.dtype == np.int64
    edges = np.unique(np.quantile(values, np.linspace(0, 1, 60)).astype(np.int64))
    # The chance of each interval between neighbouring edges, with both tails.
    chances = np.diff([0.0, *law.cdf(edges), 1.0])
    counts = np.diff([0, *np.searchsorted(np.sort(values), edges, side="right"), SIZE])
    kept = chances * SIZE > 5
    assert counts[~kept].sum() < 60
    observed, expected = counts[kept], chances[kept] * SIZE
    if kept.sum() > 1:
        assert stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue > RARE


def test_integers_have_no_bias():
    """A span of 3/4 of all words shows a modulo at once."""
    for dtype, span in ((np.uint32, 3 << 30), (np.uint64, 3 << 62)):
        values = sample("integers", 0, span, dtype=dtype)
        assert stats.kstest(values / span, "uniform").pvalue > RARE


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"])
def test_integers_of_each_type(dtype):
    least, most = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    values = sample("integers", least, most, dtype=dtype, endpoint=True)
    assert values.dtype == dtype
    scaled = (values.astype(float) - float(least)) / (float(most) - float(least) + 1)
    if np.dtype(dtype).itemsize > 1:
        assert stats.kstest(scaled, "uniform").pvalue > RARE
    else:
        assert set(np.unique(values).tolist()) == set(range(int(least), int(most) + 1))
    ones = sample("integers", 1, 2, size=10, dtype=dtype)
    assert (ones == 1).all()
    low = cp.asarray([[0], [1]]).astype(dtype)
    drawn = sample("integers", low, cp.asarray([1, 1, 1]).astype(dtype), size=(2, 3), dtype=dtype, endpoint=True)
    assert (drawn[1] == 1).all() and (drawn[0] <= 1).all()


def test_integers_between_arrays():
    low = cp.asarray([-5, 0, 10, -(2**63)])
    high = cp.asarray([5, 1, 1000, 2**63 - 1])
    values = cp.asnumpy(cp.random.default_rng(3).integers(low, high, size=(50_000, 4)))
    assert (values >= cp.asnumpy(low)).all() and (values < cp.asnumpy(high)).all()
    for column, (a, b) in enumerate([(-5, 5), (0, 1), (10, 1000), (-(2**63), 2**63 - 1)]):
        assert abs(values[:, column].mean() - (a + b - 1) / 2) < 5 * (b - a) / np.sqrt(12 * 50_000)


# Vectors and orders.


def test_dirichlet():
    for alpha in ([0.5, 2.0, 7.0], [1e-3, 1e-3]):
        points = cp.asnumpy(cp.random.default_rng(2).dirichlet(alpha, size=50_000))
        assert points.shape == (50_000, len(alpha)) and np.allclose(points.sum(axis=1), 1)
        total = sum(alpha)
        for column, a in enumerate(alpha):
            assert abs(points[:, column].mean() - a / total) < 5 * points[:, column].std() / np.sqrt(50_000)
            if a >= 0.5:
                assert stats.kstest(points[:, column], stats.beta(a, total - a).cdf).pvalue > RARE


def test_multinomial():
    chances = [0.2, 0.0, 0.5, 0.3]
    counts = cp.asnumpy(cp.random.default_rng(2).multinomial(40, chances, size=50_000))
    assert counts.shape == (50_000, 4) and (counts.sum(axis=1) == 40).all() and (counts[:, 1] == 0).all()
    for column, p in enumerate(chances):
        assert abs(counts[:, column].mean() - 40 * p) <= 5 * np.sqrt(40 * p * (1 - p) / 50_000)
    covariance = np.cov(counts[:, 0], counts[:, 2])[0, 1]
    assert abs(covariance + 40 * 0.2 * 0.5) < 0.15
    assert cp.random.default_rng(2).multinomial(cp.asarray([3, 5]), chances).sum(axis=1).tolist() == [3, 5]


PERMUTED = [6314, 26720, 44163, 33417]


def test_long_permutations():
    # Beyond the length up to which keys are sorted.
    for length in ((1 << 16) + 1, 1 << 17, 1_500_001):
        order = cp.asnumpy(cp.random.default_rng(7).permutation(length))
        assert order.dtype == np.int64
        assert np.bincount(order, minlength=length).max() == 1
        again = cp.asnumpy(cp.random.default_rng(7).permutation(length))
        np.testing.assert_array_equal(order, again)
        generator = cp.random.default_rng(7)
        generator.permutation(length)
        assert np.sum(cp.asnumpy(generator.permutation(length)) == order) < 12
        # Places, neighbours and steps are as even as chance has them.
        cells = np.histogram2d(np.arange(length), order, bins=32)[0]
        steps = np.bincount(np.diff(order) % length * 64 // length, minlength=64)
        for counts in (cells, steps):
            expected = counts.sum() / counts.size
            statistic = ((counts - expected) ** 2 / expected).sum()
            assert abs(statistic - counts.size) < 6 * np.sqrt(2 * counts.size)
        rises = np.sum(order[1:] > order[:-1]) - (length - 1) / 2
        assert abs(rises) < 5 * np.sqrt(length / 12)
        assert np.sum(order == np.arange(length)) < 12
    values = cp.arange((1 << 16) + 1)
    cp.random.default_rng(3).shuffle(values)
    expected = cp.asnumpy(cp.random.default_rng(3).permutation((1 << 16) + 1))
    np.testing.assert_array_equal(cp.asnumpy(values), expected)
    # The same on every device.
    assert expected[:4].tolist() == PERMUTED


def test_permutation_and_shuffle():
    rng = cp.random.default_rng(4)
    order = cp.asnumpy(rng.permutation(10_000))
    assert np.array_equal(np.sort(order), np.arange(10_000)) and not np.array_equal(order, np.arange(10_000))
    counts = np.zeros((4, 4))
    for _ in range(600):
        counts[np.arange(4), cp.asnumpy(rng.permutation(4))] += 1
    assert stats.chisquare(counts.ravel()).pvalue > RARE
    a = cp.arange(12).reshape(3, 4)
    columns = cp.asnumpy(rng.permutation(a, axis=1))
    assert np.array_equal(np.sort(columns[0]), np.arange(4)) and (columns - columns[0] == [[0], [4], [8]]).all()
    b = a.copy()
    rng.shuffle(b)
    assert np.array_equal(np.sort(cp.asnumpy(b), axis=0), cp.asnumpy(a))
    lines = cp.asnumpy(rng.permuted(cp.tile(cp.arange(50), (20, 1)), axis=1))
    assert np.array_equal(np.sort(lines, axis=1), np.tile(np.arange(50), (20, 1)))
    assert len({tuple(line) for line in lines.tolist()}) == 20
    assert sorted(rng.permuted(a).ravel().tolist()) == list(range(12))
    assert rng.permuted(a, axis=0, out=b) is b
    for scalar in (3, cp.asarray(3.0)):
        with pytest.raises(TypeError, match="unsized"):
            rng.permuted(scalar)
    assert rng.permutation(0).shape == (0,)


def test_choice():
    rng = cp.random.default_rng(4)
    drawn = cp.asnumpy(rng.choice(5, 50_000))
    assert stats.chisquare(np.bincount(drawn)).pvalue > RARE
    p = [0.1, 0.0, 0.6, 0.3]
    drawn = cp.asnumpy(rng.choice(cp.asarray([10, 20, 30, 40]), (50_000,), p=p))
    counts = np.array([(drawn == value).sum() for value in (10, 20, 30, 40)])
    assert counts[1] == 0
    assert stats.chisquare(counts[[0, 2, 3]], np.array([0.1, 0.6, 0.3]) * 50_000).pvalue > RARE
    distinct = rng.choice(100, 60, replace=False).tolist()
    assert len(set(distinct)) == 60
    pairs = [tuple(sorted(rng.choice(4, 2, replace=False, p=p).tolist())) for _ in range(300)]
    assert all(1 not in pair and len(set(pair)) == 2 for pair in pairs)
    assert rng.choice(cp.arange(12).reshape(3, 4), 2, axis=1).shape == (3, 2)
    assert rng.choice(3).shape == () and rng.choice(0, 0).shape == (0,)
    for generator in (rng, cp.random):
        assert set(generator.choice(cp.asarray(3), 50).tolist()) == {0, 1, 2}
        with pytest.raises(ValueError, match="a must be"):
            generator.choice(cp.asarray(3.0), 2)


# Draws without putting back, vectors of normal numbers.


@pytest.mark.parametrize(
    "args",
    [(5, 7, 3), (5, 7, 12), (5, 7, 0), (0, 7, 3), (7, 0, 3), (40, 25, 9), (40, 25, 30), (40, 25, 60), (1000, 40, 500),
     (10, 10**6, 10**5), (10**6, 2 * 10**6, 1000), (300, 300, 300)],
    ids=str,
)  # fmt: skip
def test_hypergeometric(args):
    good, bad, drawn = args
    law = stats.hypergeom(good + bad, good, drawn)
    values = sample("hypergeometric", *args)
    assert values.dtype == np.int64 and values.min() >= max(0, drawn - bad) and values.max() <= min(good, drawn)
    deviation = law.std()
    assert abs(values.mean() - law.mean()) <= 5 * deviation / np.sqrt(SIZE)
    if deviation == 0:
        return
    assert abs(values.var() / law.var() - 1) < 0.05
    edges = np.unique(np.quantile(values, np.linspace(0, 1, 60)).astype(np.int64))
    chances = np.diff([0.0, *law.cdf(edges), 1.0])
    counts = np.diff([0, *np.searchsorted(np.sort(values), edges, side="right"), SIZE])
    kept = chances * SIZE > 5
    if kept.sum() > 1:
        expected = chances[kept] * SIZE
        assert stats.chisquare(counts[kept], expected * counts[kept].sum() / expected.sum()).pvalue > RARE


@pytest.mark.parametrize(
    "args",
    [(-1, 2, 1), (1, -2, 1), (1, 2, -1), (1, 2, 4), (10**9, 2, 1), (2, 10**9, 1), ([1, -1], 2, 1)],
    ids=str,
)
def test_hypergeometric_refuses(args):
    for module in (np.random, cp.random):
        with pytest.raises(ValueError):  # noqa: PT011
            module.default_rng(0).hypergeometric(*args)
    assert cp.random.hypergeometric(2 * 10**9, 2, 3).shape == ()
    bad = cp.random.default_rng(0).hypergeometric(cp.asarray([-1.0, 5]), 2, 3)
    assert cp.asnumpy(bad)[0] == -1 and cp.asnumpy(bad)[1] >= 1


@pytest.mark.parametrize("name", ["normal", "gamma", "poisson", "binomial", "uniform", "hypergeometric", "dirichlet"])
def test_none_is_no_parameter(name):
    args = {"binomial": (5, None), "uniform": (0, None), "hypergeometric": (3, None, 2)}.get(name, (None,))
    for module in (np.random, cp.random):
        for generator in (module, module.default_rng(0)):
            with pytest.raises(TypeError):
                getattr(generator, name)(*args)


def test_what_only_generators_take():
    for name, args in (("dirichlet", ([0, 1.0],)), ("hypergeometric", (5, 5, 0)), ("hypergeometric", (5, 5, [1, 0]))):
        for module in (np.random, cp.random):
            assert np.ndim(getattr(module.default_rng(0), name)(*args)) < 2
            for generator in (module, module.RandomState(0)):
                with pytest.raises(ValueError, match="<"):
                    getattr(generator, name)(*args)


def test_multivariate_hypergeometric():
    colors, drawn = [16, 8, 4, 0, 30], 20
    for method in ("marginals", "count"):
        counts = cp.asnumpy(cp.random.default_rng(2).multivariate_hypergeometric(colors, drawn, 50_000, method))
        assert counts.shape == (50_000, 5) and (counts.sum(axis=1) == drawn).all() and (counts <= colors).all()
        for column, good in enumerate(colors):
            law = stats.hypergeom(sum(colors), good, drawn)
            assert abs(counts[:, column].mean() - law.mean()) <= 5 * law.std() / np.sqrt(50_000)
            assert abs(counts[:, column].var() - law.var()) <= 0.05 * law.var()
    rng = cp.random.default_rng(2)
    assert rng.multivariate_hypergeometric(colors, 58).tolist() == colors
    assert rng.multivariate_hypergeometric(cp.asarray(colors), 3, size=(2, 3)).shape == (2, 3, 5)
    for bad in (([1, 2], 4), ([1, -2], 1), ([[1]], 1), ([1.5], 1), ([1], -1), ([10**9], 1), ([1], 1, None, "odd")):
        for module in (np.random, cp.random):
            with pytest.raises(ValueError):  # noqa: PT011
                module.default_rng(0).multivariate_hypergeometric(*bad)


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal(method):
    mean, factor = np.array([1.0, -2, 3]), np.array([[2.0, 0, 0], [1, 1, 0], [-1, 0.5, 0.3]])
    covariance = factor @ factor.T
    rng = cp.random.default_rng(3)
    values = cp.asnumpy(rng.multivariate_normal(mean.tolist(), cp.asarray(covariance), 100_000, method=method))
    assert values.shape == (100_000, 3) and values.dtype == np.float64
    white = np.linalg.solve(factor, (values - mean).T)
    for row in white:
        assert stats.kstest(row, "norm").pvalue > RARE
    assert np.abs(np.cov(values.T) - covariance).max() < 0.1
    assert rng.multivariate_normal([0.0], [[1.0]]).shape == (1,)
    assert cp.random.multivariate_normal([0.0, 0], [[1.0, 0], [0, 1]], (2, 3)).shape == (2, 3, 2)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (([[0.0]], [[1.0]]), {}),
        (([0.0], [1.0]), {}),
        (([0.0], [[1.0, 0], [0, 1]]), {}),
        (([0.0, 0], [[1.0, 2], [2, 1]]), {"check_valid": "raise"}),
        (([0.0], [[1.0]]), {"check_valid": "odd"}),
        (([0.0], [[1.0]]), {"method": "odd"}),
        (([0.0, 0], [[1.0, 2], [2, 1]]), {"method": "cholesky"}),
    ],
    ids=str,
)
def test_multivariate_normal_refuses(args, kwargs):
    with pytest.raises((ValueError, np.linalg.LinAlgError)):
        np.random.default_rng(0).multivariate_normal(*args, **kwargs)
    with pytest.raises((ValueError, np.linalg.LinAlgError)):
        cp.random.default_rng(0).multivariate_normal(*args, **kwargs)
    with pytest.warns(RuntimeWarning, match="positive"):
        cp.random.default_rng(0).multivariate_normal([0.0, 0], [[1.0, 2], [2, 1]])


@pytest.mark.parametrize(
    ("name", "args", "distribution"),
    [
        *(("poisson", (mean,), stats.poisson(mean)) for mean in (1e-9, 0.3, 3.0, 9.99)),
        *(
            ("binomial", (n, p), stats.binom(n, p))
            for n, p in ((1, 0.5), (19, 0.5), (19, 0.52), (12, 0.8), (10**9, 3e-9), (10**15, 1e-15), (40, 0.24))
        ),
    ],
)
def test_counts_of_small_mean_by_inversion(name, args, distribution):
    values = cp.asnumpy(getattr(cp.random.default_rng(3), name)(*args, size=200_000))
    assert 0 <= values.min() and values.max() <= distribution.isf(1e-12)
    found = np.bincount(values)
    expected = 200_000 * distribution.pmf(np.arange(len(found)))
    often = expected >= 5
    # The sum of squares has as many degrees of freedom as counts that come often, and as much again for its variance.
    squares = (found[often] - expected[often]) ** 2 / expected[often]
    assert squares.sum() < often.sum() + 6 * np.sqrt(2 * often.sum())


def test_counts_stay_within_their_bounds():
    rng = cp.random.default_rng(4)
    for n in (0, 1, 2, 7):
        assert set(rng.binomial(n, 0.5, 10_000).tolist()) == set(range(n + 1))
        assert set(rng.binomial(n, 0.0, 100).tolist()) == {0}
        assert set(rng.binomial(n, 1.0, 100).tolist()) == {n}
    assert set(rng.poisson(0.0, 100).tolist()) == {0}


@pytest.mark.parametrize("shapes", [(1.0, 1.0), (2.0, 3.0), (0.4, 3.0), (3.0, 0.4), (1e6, 2e6)], ids=str)
def test_beta_of_shapes_on_both_sides_of_one(shapes):
    values = cp.asnumpy(cp.random.default_rng(5).beta(*shapes, size=100_000))
    assert stats.kstest(values, stats.beta(*shapes).cdf).statistic < 0.0062


@pytest.mark.parametrize("shape", [0.01, 0.999, 1.0, 1.5, 1e9])
def test_gamma_of_shapes_on_both_sides_of_one(shape):
    values = cp.asnumpy(cp.random.default_rng(6).standard_gamma(shape, size=100_000))
    assert stats.kstest(values, stats.gamma(shape).cdf).statistic < 0.0062


@pytest.mark.parametrize(("name", "rest"), [("binomial", (0.5,)), ("hypergeometric", (5, 3))])
@pytest.mark.parametrize("source", ["default_rng", "RandomState"])
def test_counts_are_integers(name, rest, source):
    """As in NumPy: single numbers are cut off, arrays of float64 and text are refused."""
    ours, theirs = (getattr(getattr(module.random, source)(1), name) for module in (cp, np))
    for wrong in ("3", np.array([3.0]), np.nan, np.inf, "a"):
        for draw in (ours, theirs):
            with pytest.raises((TypeError, ValueError, OverflowError)):
                draw(wrong, *rest)
    with pytest.raises(ValueError, match="NaN"):
        ours(np.nan, *rest)
    with pytest.raises(OverflowError):
        ours(np.inf, *rest)
    for good in (
        3,
        3.7,
        [2.5],
        np.float32(3.5),
        True,
        np.array([3, 4], np.int8),
        np.uint64(3),
        np.array([3], np.uint32),
    ):
        assert np.all(cp.asnumpy(ours(good, *rest)) <= 4)
    with pytest.raises(TypeError, match="real number"):
        cp.random.default_rng(1).normal("1")


def test_dirichlet_of_tiny_parameters_draws_corners():
    points = cp.asnumpy(cp.random.default_rng(3).dirichlet([1e-320, 3e-320], size=4000))
    assert set(points.ravel().tolist()) == {0.0, 1.0}
    assert points[:, 1].mean() == pytest.approx(0.75, abs=0.04)
