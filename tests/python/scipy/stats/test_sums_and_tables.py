"""Sums of uniform numbers and of trials, matrix t, tables of counts."""

import cuproxide as cp
import cuproxide.scipy.stats as ours
import mpmath
import numpy as np
import pytest
import scipy.stats as theirs
from kept import kept


@kept()
def irwinhall(method, n, at):
    power = n - (method == "pdf")
    with mpmath.workdps(120 + 2 * n):
        terms = ((-1) ** k * mpmath.binomial(n, k) * (mpmath.mpf(at) - k) ** power for k in range(int(at) + 1))
        value = sum(terms) / mpmath.factorial(power)
        return 1 - value if method == "sf" else value


@pytest.mark.parametrize("n", [1, 2, 12, 100, 500, 600])
def test_irwinhall_is_exact_relative_to_its_size(n):
    x = np.array([1e-3, 0.5, n * 0.1, n * 0.3, n * 0.5, n * 0.77, n - 0.4])
    x = np.unique(x[(x > 0) & (x < n)])

    bound = 1e-14 if n <= 500 else 1e-11
    for method in ("pdf", "cdf", "sf"):
        expected = np.array([float(irwinhall(method, n, at)) for at in x.tolist()])
        good = expected > 1e-300
        actual = getattr(ours.irwinhall, method)(cp.asarray(x), n).get()
        np.testing.assert_allclose(actual[good], expected[good], rtol=bound, atol=0, err_msg=method)


def test_irwinhall_beside_scipy():
    n = np.array([1, 4, 9])
    for got, expected in zip(
        ours.irwinhall.stats(n, moments="mvsk"), theirs.irwinhall.stats(n, moments="mvsk"), strict=True
    ):
        np.testing.assert_allclose(got.get(), expected, atol=1e-14)
    assert ours.irwinhall.moment(6, 5).item() == pytest.approx(theirs.irwinhall.moment(6, 5), rel=1e-13)
    q = np.array([[0.0], [0.01], [0.5], [0.99], [1.0]])
    np.testing.assert_allclose(ours.irwinhall.ppf(cp.asarray(q), n).get(), theirs.irwinhall.ppf(q, n), rtol=1e-12)
    np.testing.assert_allclose(ours.irwinhall.pdf(0.5, [-1, 1.5, 2]).get(), [np.nan, np.nan, 0.5])
    x = ours.irwinhall.rvs(n, size=(4000, 3), random_state=1).get()
    np.testing.assert_allclose(x.mean(axis=0), n / 2, rtol=0.03)
    with pytest.raises(NotImplementedError):
        ours.irwinhall.fit(x[:, 0])


PROBABILITIES = np.array([[0.1, 0.6, 0.7, 0.8], [0.2, 0.2, 0.3, 1.0]])


def test_poisson_binom():
    k, q = np.arange(-1, 6)[:, None], np.array([[0.0], [0.1], [0.5], [0.9], [1.0]])
    for method in ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf"):
        actual = getattr(ours.poisson_binom, method)(cp.asarray(k), PROBABILITIES).get()
        np.testing.assert_allclose(
            actual, getattr(theirs.poisson_binom, method)(k, PROBABILITIES), rtol=1e-12, atol=1e-15
        )
    for method in ("ppf", "isf"):
        actual = getattr(ours.poisson_binom, method)(cp.asarray(q), PROBABILITIES).get()
        np.testing.assert_array_equal(actual, getattr(theirs.poisson_binom, method)(q, PROBABILITIES))
    one, other = ours.poisson_binom(PROBABILITIES[0], loc=2), theirs.poisson_binom(PROBABILITIES[0], loc=2)
    for got, expected in zip(one.stats(moments="mvsk"), other.stats(moments="mvsk"), strict=True):
        assert got.item() == pytest.approx(float(expected), rel=1e-12)
    assert one.entropy().item() == pytest.approx(float(other.entropy()))
    assert one.expect().item() == pytest.approx(4.2)
    assert ours.poisson_binom.moment(3, PROBABILITIES[0]).item() == pytest.approx(15.112)
    assert np.isnan(ours.poisson_binom.pmf(1, [0.5, 1.5]).item())
    x = ours.poisson_binom.rvs(PROBABILITIES, size=(4000, 2), random_state=1)
    assert x.dtype == np.int64
    np.testing.assert_allclose(x.get().mean(axis=0), PROBABILITIES.sum(axis=1), rtol=0.03)
    p = np.random.default_rng(1).random(700)
    actual = ours.poisson_binom.pmf(cp.arange(701), p).get()
    np.testing.assert_allclose(actual, theirs.poisson_binom.pmf(np.arange(701), p), rtol=1e-11, atol=1e-300)
    assert float(ours.poisson_binom.cdf(0, [])) == 1
    with pytest.raises(ValueError, match="at least one dimension"):
        ours.poisson_binom.pmf(1, 0.5)


MEAN = np.arange(6.0).reshape(3, 2)
ROWS, COLUMNS = np.diag([1.0, 2.0, 3.0]) + 0.2, np.array([[1.0, 0.3], [0.3, 2.0]])


def test_matrix_t():
    x = np.random.default_rng(1).random((5, 4, 3, 2))
    for points in (x, x[0], x[0, 0]):
        actual = ours.matrix_t.logpdf(cp.asarray(points), MEAN, ROWS, COLUMNS, 3.5).get()
        np.testing.assert_allclose(actual, theirs.matrix_t.logpdf(points, MEAN, ROWS, COLUMNS, 3.5), rtol=1e-12)
    wide = ours.matrix_t.pdf(cp.asarray(x[0, 0].T), MEAN.T, COLUMNS, ROWS, 3.5).get()
    np.testing.assert_allclose(wide, theirs.matrix_t.pdf(x[0, 0].T, MEAN.T, COLUMNS, ROWS, 3.5), rtol=1e-12)
    drawn = ours.matrix_t(MEAN, ROWS, COLUMNS, 9).rvs(4000, random_state=1).get()
    np.testing.assert_allclose(drawn.mean(axis=0), MEAN, atol=0.05)
    spread = np.kron(ROWS, COLUMNS) / 7
    np.testing.assert_allclose(np.cov(drawn.reshape(4000, -1).T), spread, atol=0.07)
    assert ours.matrix_t.rvs(MEAN, ROWS, COLUMNS, 9).shape == (3, 2)


MATRIX_T_ERRORS = [
    (np.zeros(3), 1, 1, 1), (MEAN, np.eye(2), 1, 1), (MEAN, 1, np.eye(3), 1), (MEAN, np.ones((3, 2)), 1, 1),
    (MEAN, 1, 1, -1.0), (MEAN, 1, 1, [1.0, 2.0]), (MEAN, np.ones((3, 3)), 1, 1), (np.zeros((0, 2)), 1, 1, 1),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(MATRIX_T_ERRORS)))
def test_matrix_t_errors(case):
    with pytest.raises(Exception) as expected:  # noqa: PT011
        theirs.matrix_t.pdf(MEAN, *MATRIX_T_ERRORS[case])
    with pytest.raises(type(expected.value)):
        ours.matrix_t.pdf(MEAN, *MATRIX_T_ERRORS[case])


ROW, COLUMN = [7, 6, 0, 3], [3, 8, 5]


@pytest.mark.parametrize("method", ["boyett", "patefield", None])
def test_random_tables(method):
    x = ours.random_table.rvs(ROW, COLUMN, size=3000, method=method, random_state=1).get()
    assert (x.sum(axis=1) == COLUMN).all()
    assert (x.sum(axis=2) == ROW).all()
    assert x.min() >= 0
    np.testing.assert_allclose(x.mean(axis=0), theirs.random_table.mean(ROW, COLUMN), atol=0.08)
    # The frequencies are the probabilities.
    tables, counts = np.unique(x, axis=0, return_counts=True)
    often = counts > 40
    p = ours.random_table.pmf(tables[often], ROW, COLUMN).get()
    np.testing.assert_allclose(counts[often], 3000 * p, atol=5 * np.sqrt(3000 * p.max()))


def test_probabilities_of_tables():
    x = np.array([[1, 5, 1], [2, 3, 1]])
    both = np.stack([x, x + 1])
    actual = ours.random_table.logpmf(both, [7, 6], [3, 8, 2]).get()
    np.testing.assert_allclose(actual, theirs.random_table.logpmf(both, [7, 6], [3, 8, 2]))
    frozen = ours.random_table([7, 6], [3, 8, 2])
    assert frozen.pmf(x).item() == pytest.approx(0.19580419580419592)
    assert frozen.rvs((2, 3), random_state=1).shape == (2, 3, 2, 3)
    np.testing.assert_allclose(frozen.mean().get(), theirs.random_table.mean([7, 6], [3, 8, 2]))
    for row, column in (([[1]], [1]), ([1], [2]), ([-1], [-1]), ([1.5], [1.5]), ([1], [0.5, 0.5])):
        with pytest.raises(ValueError, match="row|col"):
            ours.random_table.mean(row, column)
    for table in ([1, 2], [[0.5, 1]], [[-1, 1]], [[1, 1, 1]]):
        with pytest.raises(ValueError, match="`x`"):
            ours.random_table.pmf(table, [2], [1, 1])
    with pytest.raises(ValueError, match="not recognized"):
        frozen.rvs(method="guess")
