"""Resampling, quasi-Monte Carlo, density estimates, bins, multivariate distributions beside SciPy's."""

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs
from cuproxide._lib import routes
from cuproxide.scipy.stats import _kde, qmc
from launches import launches
from ways import take_ways

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.normal(size=50), RANDOM.normal(size=60) + 0.3
PLANE, POINTS, WEIGHTS = RANDOM.normal(size=(2, 60)), RANDOM.normal(size=(2, 7)), RANDOM.uniform(size=60)
COVARIANCE, MEAN = np.array([[2, 0.5, 0.1], [0.5, 1, 0.2], [0.1, 0.2, 1.5]]), np.array([1.0, 2, 3])
SPACE = RANDOM.normal(size=(5, 3))
SIMPLEX = RANDOM.dirichlet([1, 2, 3], size=4).T
MATRICES = np.stack([theirs.wishart.rvs(5, COVARIANCE, random_state=i) for i in range(4)], -1)
UNIT = SPACE / np.linalg.norm(SPACE, axis=-1, keepdims=True)
ROWS = np.array([[1, 0.5], [0.5, 2]])
TABLE = [
    ("multivariate_normal", "logpdf", (SPACE, MEAN, COVARIANCE)), ("multivariate_normal", "pdf", (SPACE[0], None, 2.0)),
    ("multivariate_normal", "pdf", (SPACE[:, 0],)), ("multivariate_normal", "entropy", (MEAN, COVARIANCE)),
    ("multivariate_normal", "pdf", (SPACE, MEAN, np.diag([1, 1, 0.0]), True)), ("multivariate_t", "logpdf", (SPACE, MEAN, COVARIANCE, 3.5)),  # noqa: E501
    ("multivariate_t", "entropy", (MEAN, COVARIANCE, 3)), ("dirichlet", "pdf", (SIMPLEX, [1.0, 2, 3])), ("dirichlet", "var", ([1.0, 2, 3],)),  # noqa: E501
    ("dirichlet", "cov", ([1.0, 2, 3],)), ("dirichlet", "entropy", ([1.0, 2, 3],)), ("multinomial", "pmf", ([[1, 2, 1], [4, 0, 0]], 4, [0.2, 0.3, 0.5])),  # noqa: E501
    ("multinomial", "cov", (4, [0.2, 0.3, 0.5])), ("multinomial", "entropy", (4, [0.2, 0.3, 0.5])),
    ("dirichlet_multinomial", "pmf", ([1, 2, 1], [1.0, 2, 3], 4)), ("dirichlet_multinomial", "cov", ([1.0, 2, 3], 4)),
    ("multivariate_hypergeom", "pmf", ([1, 2, 1], [4, 5, 6], 4)), ("multivariate_hypergeom", "cov", ([4, 5, 6], 4)),
    ("matrix_normal", "logpdf", (SPACE[:2], np.zeros((2, 3)), ROWS, COVARIANCE)), ("matrix_normal", "entropy", (ROWS, COVARIANCE)),  # noqa: E501
    *[("wishart", m, (5, COVARIANCE)) for m in ("mean", "var", "entropy", "mode")], ("wishart", "logpdf", (MATRICES, 5, COVARIANCE)),  # noqa: E501
    *[("invwishart", m, (7, COVARIANCE)) for m in ("mean", "var", "entropy", "mode")], ("invwishart", "logpdf", (MATRICES, 7, COVARIANCE)),  # noqa: E501
    ("vonmises_fisher", "pdf", (UNIT, [1.0, 0, 0], 3.0)), ("vonmises_fisher", "entropy", ([1.0, 0, 0], 3.0)),
    ("normal_inverse_gamma", "pdf", (1.0, 2.0, 0.5, 1.0, 3.0, 2.0)),
]  # fmt: skip


def device(value):
    return cp.asarray(value) if isinstance(value, np.ndarray) else value


def same(actual, expected, bound=1e-9):
    actual = actual.get() if isinstance(actual, cp.ndarray) else np.asarray(actual)
    assert actual.shape == np.shape(expected)
    np.testing.assert_allclose(actual, expected, rtol=bound, atol=1e-13)


@pytest.mark.parametrize(("name", "method", "args"), TABLE, ids=[f"{n}.{m}-{i}" for i, (n, m, _) in enumerate(TABLE)])
def test_multivariate(name, method, args):
    same(getattr(getattr(ours, name), method)(*map(device, args)), getattr(getattr(theirs, name), method)(*args))


DRAWS = [
    ("multivariate_normal", (MEAN, COVARIANCE)), ("multivariate_t", (MEAN, COVARIANCE, 9)), ("dirichlet", ([1.0, 2, 3],)), ("multinomial", (4, [0.2, 0.3, 0.5])),  # noqa: E501
    ("multivariate_hypergeom", ([4, 5, 6], 4)), ("wishart", (5, COVARIANCE)), ("invwishart", (12, COVARIANCE)), ("ortho_group", (3,)), ("special_ortho_group", (3,)),  # noqa: E501
    ("unitary_group", (3,)), ("uniform_direction", (3,)), ("vonmises_fisher", ([1.0, 0, 0], 3.0)), ("matrix_normal", (np.zeros((2, 3)), ROWS, COVARIANCE)),  # noqa: E501
]  # fmt: skip


@pytest.mark.parametrize(("name", "args"), DRAWS, ids=[n for n, _ in DRAWS])
def test_multivariate_samples(name, args):
    one = getattr(ours, name).rvs(*map(device, args), size=2000, random_state=1).get()
    other = getattr(theirs, name).rvs(*args, size=2000, random_state=1)
    assert one.shape == other.shape and one.dtype == other.dtype
    error = 6 * (abs(other).std() + abs(other).mean()) / np.sqrt(2000)
    assert abs(one.mean(axis=0) - other.mean(axis=0)).max() < error


def test_normal_cdf_and_frozen():
    d, e = ours.multivariate_normal(MEAN, COVARIANCE), theirs.multivariate_normal(MEAN, COVARIANCE)
    np.testing.assert_allclose(d.cdf(SPACE).get(), e.cdf(SPACE), atol=3e-5)
    same(d.pdf(SPACE), e.pdf(SPACE))
    assert d.rvs(2, random_state=1).shape == (2, 3)
    values = np.linalg.eigvalsh(ours.random_correlation.rvs([0.5, 0.8, 1.2, 1.5], random_state=1).get())
    np.testing.assert_allclose(values, [0.5, 0.8, 1.2, 1.5], rtol=1e-9)


def difference(a, b, axis):
    return a.mean(axis=axis) - b.mean(axis=axis)


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
def test_bootstrap(method):
    one = ours.bootstrap((cp.asarray(X),), cp.mean, method=method, rng=1, n_resamples=4000)
    other = theirs.bootstrap((X,), np.mean, method=method, rng=1, n_resamples=4000)
    width = other.confidence_interval.high - other.confidence_interval.low
    for a, b in zip(one.confidence_interval, other.confidence_interval, strict=True):
        assert abs(a.item() - b) < 0.1 * width
    assert one.bootstrap_distribution.shape == (4000,)


def test_exact_permutations():
    small = (X[:5], Y[:4])
    same(
        ours.permutation_test(tuple(map(cp.asarray, small)), difference).pvalue,
        theirs.permutation_test(small, difference).pvalue,
    )
    pairs = (X[:7], Y[:7])
    for kind, statistic in (("samples", difference), ("pairings", lambda a, b, axis: (a * b).sum(axis=axis))):
        data = pairs if kind == "samples" else (X[:4], Y[:4])
        options = {"permutation_type": kind, "n_resamples": 5000}
        one = ours.permutation_test(tuple(map(cp.asarray, data)), statistic, **options)
        same(one.pvalue, theirs.permutation_test(data, statistic, **options).pvalue)


def test_random_permutations_and_monte_carlo():
    one = ours.permutation_test((cp.asarray(X), cp.asarray(Y)), difference, rng=1)
    assert abs(one.pvalue.item() - theirs.permutation_test((X, Y), difference, rng=1).pvalue) < 0.02
    one = ours.monte_carlo_test(
        cp.asarray(X), lambda size: cp.random.normal(size=size), lambda a, axis: a.mean(axis=axis)
    )
    expected = 2 * theirs.norm.sf(abs(X.mean()) * np.sqrt(50))
    assert abs(one.pvalue.item() - expected) < 0.03


@pytest.mark.parametrize("options", [{}, {"weights": WEIGHTS}, {"bw_method": "silverman"}, {"bw_method": 0.3}], ids=str)
def test_kde(options):
    one, other = (
        ours.gaussian_kde(cp.asarray(PLANE), **{k: device(v) for k, v in options.items()}),
        theirs.gaussian_kde(PLANE, **options),
    )
    same(one(cp.asarray(POINTS)), other(POINTS))
    same(one.logpdf(cp.asarray(POINTS) * 30), other.logpdf(POINTS * 30))
    same(one.integrate_gaussian([0.0, 0.0], np.eye(2)), other.integrate_gaussian([0, 0], np.eye(2)))
    same(one.integrate_kde(one), other.integrate_kde(other))
    same(one.marginal(0)(cp.asarray(POINTS[0])), other.marginal(0)(POINTS[0]))
    assert one.resample(9, seed=1).shape == (2, 9)
    assert (
        abs(
            ours.gaussian_kde(cp.asarray(X)).integrate_box_1d(-1, 2).item()
            - theirs.gaussian_kde(X).integrate_box_1d(-1, 2)
        )
        < 1e-12
    )


@pytest.mark.parametrize("statistic", ["mean", "median", "count", "sum", "std", "min", "max"])
def test_binned(statistic):
    x, y = cp.asarray(X), cp.asarray(Y[:50])
    for one, other in zip(
        ours.binned_statistic(x, x * 2, statistic, bins=7),
        theirs.binned_statistic(X, X * 2, statistic, bins=7),
        strict=True,
    ):
        same(one, other)
    one = ours.binned_statistic_2d(x, y, x * 2, statistic, bins=[4, 5])
    for a, b in zip(one, theirs.binned_statistic_2d(X, Y[:50], X * 2, statistic, bins=[4, 5]), strict=True):
        same(a, b)


@pytest.mark.parametrize("beside", [False, True], ids=["rows", "kernel"])
@pytest.mark.parametrize("dimensions", [1, 2, 4, 5])
def test_kde_by_both_ways(monkeypatch, dimensions, beside):
    """Also far from all data, where a term alone is left, and at infinity."""
    take_ways(monkeypatch, beside, "density by rows", "parts of a density")
    random = np.random.default_rng(2)
    data, weights = random.normal(size=(dimensions, 300)), random.uniform(size=300)
    weights[::7] = 0
    at = random.normal(size=(dimensions, 40)) * np.array([1, 3, 20, 1e3])[np.arange(40) % 4]
    one = ours.gaussian_kde(cp.asarray(data), weights=cp.asarray(weights))
    # SciPy's takes the logarithm of a weight of 0.
    other = theirs.gaussian_kde(data[:, weights > 0], weights=weights[weights > 0])
    same(one.logpdf(cp.asarray(at)), other.logpdf(at), 1e-12)
    assert one.logpdf(cp.full((dimensions, 1), 1e200)).item() == -np.inf
    assert one.logpdf(cp.empty((dimensions, 0))).shape == (0,)


@pytest.mark.parametrize("count", [1, 2, 7, 300])
def test_kde_finds_the_nearest_on_a_line_by_sorting(monkeypatch, count):
    """Equal points, points without weight, places beyond all data and no numbers."""
    random = np.random.default_rng(count)
    data, weights = cp.asarray(random.normal(size=(1, count)).round(1)), cp.asarray(random.uniform(size=count).round())
    weights[0] = 0.5
    at = cp.asarray(np.concatenate([random.normal(size=50).round(1), [1e200, -1e200, np.inf, -np.inf, np.nan, 0.0]]))
    for by_rows in (False, True):
        take_ways(monkeypatch, not by_rows, "density by rows")
        found = _kde._log_density(data, weights, at[None, :], False)
        monkeypatch.setitem(routes.ROUTES, "nearest by sorting", routes.Route(False, False, ""))
        np.testing.assert_array_equal(found.get(), _kde._log_density(data, weights, at[None, :], False).get())
        monkeypatch.undo()


@pytest.mark.parametrize("count", [2, 3, 65, 1000])
@pytest.mark.parametrize("width", [0.01, 1.0, 300.0])
def test_kde_leaves_out_what_changes_no_digit(monkeypatch, count, width):
    """Equal weights in one dimension: sums over a part of the sorted data, near them, between them and far out."""
    take_ways(monkeypatch, True, "density by rows", "parts of a density")
    random = np.random.default_rng(count)
    data = np.concatenate([random.normal(size=count // 2), 50 + random.normal(size=count - count // 2)]) / width
    at = np.concatenate([random.normal(size=40) * 30 / width, data, [1e8, -1e12, 1e200, -np.inf, np.inf, np.nan]])
    found = _kde._log_density(cp.asarray(data[None]), None, cp.asarray(at[None]), True).get()
    with np.errstate(over="ignore", invalid="ignore"):
        squares = (data.astype(np.longdouble) - at.astype(np.longdouble)[:, None]) ** 2
        nearest = squares.min(axis=1, keepdims=True)
        expected = np.log(np.exp((nearest - squares) / 2).mean(axis=1)) - nearest[:, 0] / 2
    expected = np.where(
        np.isfinite(nearest[:, 0]) & (nearest[:, 0] < 1e300), expected, np.where(np.isnan(at), at, -np.inf)
    )
    np.testing.assert_allclose(found, expected.astype(float), rtol=1e-13, atol=1e-13)


@pytest.mark.skipif(cp.fusion.is_eager(), reason="nothing is deferred")
def test_kde_reads_once(monkeypatch):
    """An estimate waits for its bandwidth alone, and its launches do not depend on how many points there are."""
    take_ways(monkeypatch, True)

    def work(size):
        x, at = cp.linspace(0, 1, size), cp.linspace(-1, 2, 3 * size)
        return lambda: ours.gaussian_kde(x)(at)

    assert launches(work(100), ("copy",)) == 1
    assert launches(work(100)) == launches(work(3000)) <= 10


def test_kde_of_more_pairs_than_memory_would_hold(monkeypatch):
    """The matrix that is reduced must not even be asked for."""
    data, at = cp.sin(cp.arange(300.0)), cp.linspace(-3, 3, 40)
    by_rows = ours.gaussian_kde(data)(at)
    monkeypatch.setattr(routes, "PAIRS", 11_999)
    monkeypatch.setattr(_kde, "_density_by_rows", None)
    same(ours.gaussian_kde(data)(at), by_rows.get(), 1e-12)


def test_kde_makes_no_matrix():
    """A hundred thousand pairs a megabyte: 20,000 points and 3,000 places would be 480 MB."""
    at, one = cp.linspace(-3, 3, 3000), ours.gaussian_kde(cp.sin(cp.arange(20_000.0)))
    pool = cp.get_default_memory_pool()
    cp.evaluate(at)
    pool.free_all_blocks()
    before = pool.total_bytes()
    cp.evaluate(one(at))
    assert pool.total_bytes() - before < 20e6


@pytest.mark.parametrize(("d", "bits"), [(1, None), (7, None), (300, None), (1111, None), (5, 10)])
def test_sobol_is_scipys(d, bits):
    one, other = qmc.Sobol(d, scramble=False, bits=bits), theirs.qmc.Sobol(d, scramble=False, bits=bits)
    for n in (1, 4, 64, 3, 200, 1):
        assert np.array_equal(one.random(n).get(), other.random(n))
    one.fast_forward(5), other.fast_forward(5)
    assert np.array_equal(one.random(8).get(), other.random(8))


def test_sequences_are_even():
    same(qmc.Halton(8, scramble=False).random(50), theirs.qmc.Halton(8, scramble=False).random(50), 1e-14)
    for engine in (qmc.Sobol(3, rng=1), qmc.Halton(3, rng=1)):
        x = engine.random(512)
        assert float(qmc.discrepancy(x)) < 1e-4
    for strength in (1, 2):
        x = qmc.LatinHypercube(3, strength=strength, rng=1).random(49).get()
        assert all(sorted((x[:, j] * 49).astype(int)) == list(range(49)) for j in range(3))
    assert len({tuple(row) for row in (x[:, :2] * 7).astype(int)}) == 49
    z = qmc.MultivariateNormalQMC([1, 2], [[2, 0.5], [0.5, 1]], rng=1).random(1024).get()
    np.testing.assert_allclose(np.cov(z.T), [[2, 0.5], [0.5, 1]], atol=0.05)
    assert qmc.MultinomialQMC([0.2, 0.3, 0.5], 100, rng=1).random(3).sum(axis=1).tolist() == [100] * 3


def test_discrepancy():
    x = RANDOM.uniform(size=(20, 3))
    for method in ("CD", "WD", "MD", "L2-star"):
        for iterative in (False, True):
            options = {"method": method, "iterative": iterative}
            assert abs(float(qmc.discrepancy(cp.asarray(x), **options)) - theirs.qmc.discrepancy(x, **options)) < 1e-12
    for method in ("mindist", "mst"):
        assert (
            abs(float(qmc.geometric_discrepancy(cp.asarray(x), method)) - theirs.qmc.geometric_discrepancy(x, method))
            < 1e-12
        )
    start = theirs.qmc.discrepancy(x[:-1], iterative=True)
    assert (
        abs(
            float(qmc.update_discrepancy(x[-1], cp.asarray(x[:-1]), start))
            - theirs.qmc.update_discrepancy(x[-1], x[:-1], start)
        )
        < 1e-12
    )
    np.testing.assert_allclose(qmc.scale(cp.asarray(x), 1, 3).get(), theirs.qmc.scale(x, [1] * 3, [3] * 3))


ERRORS = [
    lambda m, a: m.qmc.Sobol(30000), lambda m, a: m.qmc.scale(a([[2.0]]), 0, 1), lambda m, a: m.qmc.discrepancy(a([[0.5]]), method="no"),  # noqa: E501
    lambda m, a: m.bootstrap((a([1.0]),), np.mean), lambda m, a: m.permutation_test((a([1.0, 2.0]),), np.mean), lambda m, a: m.gaussian_kde(a([1.0])),  # noqa: E501
    lambda m, a: m.binned_statistic(a([1.0]), a([1.0]), "no"), lambda m, a: m.multivariate_normal.pdf(a([0.0]), cov=a([[-1.0]])),  # noqa: E501
    lambda m, a: m.dirichlet.pdf(a([0.5, 0.5]), a([-1.0, 1.0])), lambda m, a: m.wishart.rvs(1, a(np.eye(3))),
]  # fmt: skip


@pytest.mark.parametrize("call", ERRORS, ids=range(len(ERRORS)))
def test_errors(call):
    with pytest.raises(Exception) as expected:
        call(theirs, np.asarray)
    with pytest.raises(expected.type):
        call(ours, cp.asarray)


def test_shares_that_are_not_one_together():
    """The last share is not made to fit, as it was before SciPy 1.18: what has no distribution is NaN."""
    for shares in ([0.3, 0.3], [0.5, 0.6], [[0.2, 0.7], [0.25, 0.75]]):
        known = abs(np.sum(shares, axis=-1) - 1) < 1e-9
        for name, arguments in (("pmf", ([1, 2], 3)), ("entropy", (3,)), ("mean", (3,))):
            value = getattr(ours.multinomial, name)(*arguments, cp.asarray(shares)).get()
            lost = np.isnan(value)
            assert np.array_equal(lost.all(-1) if lost.ndim > known.ndim else lost, ~known), name
        if not known.all():
            with pytest.raises(ValueError, match="p.sum"):
                ours.multinomial.rvs(3, shares[0] if np.ndim(known) else shares)
    # Sums that rounding keeps from one are ones.
    assert float(ours.multinomial.pmf([1] * 10, 10, [0.1] * 10)) > 0
    assert float(ours.multinomial.pmf([1] * 3, 3, cp.full(3, 1 / 3, np.float32))) > 0
