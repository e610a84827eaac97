"""Pencils with eigenvalues at infinity, singular and badly scaled pencils, beside SciPy."""

import cuproxide as cp
import cuproxide.scipy.linalg as ours
import numpy as np
import pytest
import scipy.linalg as theirs
from matrices import DTYPES, adjoint, host, matrix, near, unitary


def device(*arrays):
    return [cp.array(x) for x in arrays]


def of_rank(dtype, n, rank, seed=0):
    return matrix(dtype, (n, rank), seed) @ matrix(dtype, (rank, n), seed + 1)


def diagonal(dtype, n, rank, seed=0):
    """Infinite eigenvalues in chains, if the corner of the other matrix is singular."""
    return np.diag(np.arange(n) < rank).astype(dtype)


def same_set(actual, expected, limit):
    """The same numbers of infinities and NaN, and the same finite values in some order."""
    assert actual.dtype == expected.dtype
    for kind in (np.isinf, np.isnan):
        assert kind(actual).sum() == kind(expected).sum(), (actual, expected)
    actual, expected = (x[np.isfinite(x)] for x in (actual, expected))
    if actual.size:
        distance = np.abs(actual[:, None] - expected) / (1 + np.abs(expected))
        assert distance.min(0).max() <= limit, (actual, expected)
        assert distance.min(1).max() <= limit, (actual, expected)


def residuals(a, b, pairs, right, left=None):
    """Vectors of length 1 whose residuals are small, in units of `n eps`."""
    sizes = np.linalg.norm(a) * np.abs(pairs[1]) + np.linalg.norm(b) * np.abs(pairs[0])
    sizes = np.where(sizes == 0, 1, sizes) * len(a) * np.finfo(a.dtype).eps
    known = np.abs(pairs).max(0) > 0
    for m, k, w, v in ((a, b, pairs, right), (adjoint(a), adjoint(b), pairs.conj(), left)):
        if v is None:
            continue
        error = np.linalg.norm((m @ v) * w[1] - (k @ v) * w[0], axis=0) / sizes
        assert error.max(initial=0) < 300, error
        np.testing.assert_allclose(np.linalg.norm(v[:, known], axis=0), 1, rtol=100 * np.finfo(a.dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("make", [of_rank, diagonal])
@pytest.mark.parametrize(("n", "lost"), [(1, 1), (2, 1), (5, 1), (5, 2), (6, 4), (12, 2), (5, 5)])
def test_a_singular_divisor_gives_infinite_eigenvalues(dtype, make, n, lost):
    wide = np.result_type(dtype, np.float64)
    a, b = matrix(dtype, (n, n), 7), make(wide, n, n - lost)
    # In single precision SciPy misses some: it takes less to be negligible than the rounding of a product leaves.
    expected = theirs.eigvals(a.astype(wide), b).astype(np.result_type(dtype, np.complex64))
    b = b.astype(dtype)
    # What SciPy takes for negligible depends on its BLAS.
    expected[np.abs(expected) > 1e13] = np.inf
    limit = 1e4 * n * np.finfo(dtype).eps
    assert np.isinf(expected).sum() == lost
    same_set(host(ours.eigvals(*device(a, b))), expected, limit)
    pairs, left, right = host(ours.eig(*device(a, b), left=True, homogeneous_eigvals=True))
    assert pairs.shape == (2, n)
    infinite = pairs[1] == 0
    assert infinite.sum() == lost and np.all(pairs[0][infinite] != 0)
    assert np.all(pairs[1].imag == 0) and np.all(pairs[1].real >= 0)
    same_set(pairs[0][~infinite] / pairs[1][~infinite], expected[np.isfinite(expected)], limit)
    residuals(a, b, pairs, right, left)
    # Those of infinite values are null vectors.
    for image in (b @ right, adjoint(b) @ left):
        assert np.abs(image[:, infinite]).max(initial=0) <= 50 * n * np.finfo(dtype).eps * np.linalg.norm(b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_chains_of_infinite_eigenvalues(dtype):
    # (1 - w d) with a singular corner: the second step of the deflation finds as many again.
    n, rank = 8, 6
    a, b = matrix(dtype, (n, n), 3), diagonal(dtype, n, rank)
    a[rank:, rank:] = 0
    expected = theirs.eigvals(a, b)
    assert np.isinf(expected).sum() == 4
    limit = 1e4 * n * np.finfo(dtype).eps
    same_set(host(ours.eigvals(*device(a, b))), expected, limit)
    # In other bases SciPy does not see that; the values are the same.
    p, q = (np.linalg.qr(matrix(dtype, (n, n), seed))[0] for seed in (4, 5))
    a, b = p @ a @ q, p @ b @ q
    pairs, left, right = host(ours.eig(*device(a, b), left=True, homogeneous_eigvals=True))
    infinite = pairs[1] == 0
    assert infinite.sum() == 4
    same_set(pairs[0][~infinite] / pairs[1][~infinite], expected[np.isfinite(expected)], limit)
    residuals(a, b, pairs, right, left)
    nilpotent = np.eye(5, k=1).astype(dtype)
    assert np.isinf(host(ours.eigvals(*device(np.eye(5, dtype=dtype), nilpotent)))).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_pencils_give_an_answer(dtype):
    n = 5
    zero, a = np.zeros((n, n), dtype), matrix(dtype, (n, n), 1)
    assert np.isnan(host(ours.eigvals(*device(zero, zero)))).all()
    assert np.isnan(theirs.eigvals(zero, zero)).all()
    assert not np.any(host(ours.eigvals(*device(zero, a))))
    a[:, 2] = 0
    b = matrix(dtype, (n, n), 2)
    b[:, 2] = 0
    for x, y in ((a, b), (adjoint(a).copy(), adjoint(b).copy()), (of_rank(dtype, n, 3), of_rank(dtype, n, 2, 5))):
        pairs, left, right = host(ours.eig(*device(x, y), left=True, homogeneous_eigvals=True))
        assert np.isfinite(pairs).all() and np.isfinite(left).all() and np.isfinite(right).all()
        aa, bb, q, z = map(host, ours.qz(*device(x, y)))
        form(aa, bb, q, z, x, y)
    assert np.isnan(host(ours.eigvals(*device(a, b)))).sum() == 1


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_badly_scaled_pencils(dtype):
    n = 6
    a, b = matrix(dtype, (n, n), 1), of_rank(dtype, n, n - 1, 2)
    expected = theirs.eigvals(a, b)
    d = 2.0 ** np.array([-40, -20, -3, 0, 15, 37])
    for rows, columns in ((d, d), (d, 1 / d), (d[::-1], np.ones(n))):
        x, y = rows[:, None] * a * columns, rows[:, None] * b * columns
        same_set(host(ours.eigvals(*device(x, y))), expected, 1e-9)
    # Norms that overflow, and a ratio of the norms that is no number.
    big, small = 2.0**1000, 2.0**-1000
    same_set(host(ours.eigvals(*device(a * big, b * big))), expected, 1e-10)
    same_set(host(ours.eigvals(*device(a * small, b * small))), expected, 1e-10)
    most = np.finfo(dtype).max / max(np.abs(a.view(np.float64)).max(), np.abs(b.view(np.float64)).max()) / 2
    same_set(host(ours.eigvals(*device(a * most, b * most))), expected, 1e-10)
    values = host(ours.eigvals(*device(a * small, b * big)))
    assert np.isinf(values).sum() == 1 and np.all(values[np.isfinite(values)] == 0)
    aa, bb, q, z = map(host, ours.qz(*device(a * big, b * big)))
    form(aa / big, bb / big, q, z, a, b)
    # Values of regular diagonal pencils, each in its own units, are exact.
    values = 10.0 ** np.array([0, -17, -200, 12])
    pairs = np.diag(3 * values).astype(dtype), np.diag(values).astype(dtype)
    np.testing.assert_allclose(host(ours.eigvals(*device(*pairs))), np.full(4, 3), rtol=1e-15)


def test_real_pencils_have_real_values_or_exact_conjugates():
    for seed in range(4):
        a, b = matrix(np.float64, (9, 9), seed), of_rank(np.float64, 9, 8, 50 + seed)
        values, vectors = host(ours.eig(*device(a, b)))
        same_set(values, theirs.eigvals(a, b), 1e-9)
        finite = values[np.isfinite(values)]
        np.testing.assert_array_equal(np.sort_complex(finite), np.sort_complex(finite.conj()))
        assert np.all(vectors[:, values.imag == 0].imag == 0)


def test_small_and_large_values_together():
    a, b = np.diag([1.0, 1e-9, 1e3]), np.diag([1e-9, 1.0, 1e3])
    values = host(ours.eigvals(*device(a, b)))
    np.testing.assert_allclose(np.sort(values.real), [1e-9, 1, 1e9], rtol=1e-14)


def test_stacks_of_different_ranks():
    n = 5
    a = matrix(np.float64, (2, 3, n, n), 1)
    b = np.stack([[of_rank(np.float64, n, n - k - i, 9) for k in range(3)] for i in range(2)])
    values, left, right = host(ours.eig(*device(a, b), left=True))
    assert values.shape == (2, 3, n) and left.shape == right.shape == a.shape
    for index in np.ndindex(2, 3):
        same_set(values[index], theirs.eigvals(a[index], b[index]), 1e-9)
        alone, vectors = host(ours.eig(*device(a[index], b[index])))
        same_set(values[index], alone, 1e-12)
        infinite = np.isinf(values[index])
        assert infinite.sum() == sum(index)
        pairs = np.where(infinite, [[1], [0]], [np.where(infinite, 1, values[index]), np.ones(n)])
        residuals(a[index], b[index], pairs, right[index], left[index])
    wide = host(ours.eigvals(*device(a, b[0, 1])))
    same_set(wide[1, 2], theirs.eigvals(a[1, 2], b[0, 1]), 1e-9)
    for shape in ((0, 3, 3), (2, 0, 0)):
        assert host(ours.eigvals(cp.ones(shape), cp.ones(shape))).shape == shape[:-1]


def form(aa, bb, q, z, a, b):
    unitary(q)
    unitary(z)
    near(q @ aa @ adjoint(z), a, factor=100)
    near(q @ bb @ adjoint(z), b, factor=100)
    assert not np.tril(bb, -1).any() and not np.tril(aa, -2).any()
    assert np.all(bb.diagonal().imag == 0) and np.all(bb.diagonal().real >= 0)


SORTS = ["lhp", "rhp", "iuc", "ouc", lambda alpha, beta: beta == 0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("make", [of_rank, diagonal])
def test_ordqz_with_infinite_eigenvalues(dtype, sort, make):
    n = 7
    a, b = matrix(dtype, (n, n), 11), make(dtype, n, n - 2, 3)
    a[-1:, -2:] = 0
    a[-1, 0] = 2
    aa, bb, alpha, beta, q, z = map(host, ours.ordqz(*device(a, b), sort))
    form(aa, bb, q, z, a, b)
    with np.errstate(all="ignore"):
        expected = theirs.eigvals(a, b)
        infinite = beta == 0
        values = np.where(infinite, np.inf, alpha / np.where(infinite, 1, beta)).astype(expected.dtype)
        same_set(values, expected, 1e5 * n * np.finfo(dtype).eps)
        tests = {
            "lhp": values.real < 0,
            "rhp": ~infinite & (values.real > 0),
            "iuc": abs(values) < 1,
            "ouc": abs(values) > 1,
        }
    chosen = tests[sort] if isinstance(sort, str) else infinite
    np.testing.assert_array_equal(chosen, np.arange(n) < chosen.sum())


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh_of_a_divisor_that_is_not_positive(dtype):
    a = np.eye(3, dtype=dtype)
    for b in (np.diag([1.0, -1, 2]), np.zeros((3, 3)), -np.eye(3)):
        for library, convert in ((theirs, np.asarray), (ours, cp.array)):
            for function in (library.eigh, library.eigvalsh):
                with pytest.raises(np.linalg.LinAlgError):
                    function(convert(a), convert(b.astype(dtype)))


def riccati(dtype, seed=0):
    n, m = 5, 2
    wide = np.result_type(dtype, np.float64)
    a, b, e, s = (matrix(wide, shape, seed + k) for k, shape in enumerate([(n, n), (n, m), (n, n), (n, m)]))
    return a, b, np.eye(n, dtype=wide), np.eye(m, dtype=wide), e + 3 * np.eye(n), s * 0.1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("weights", [(1, 1), (1, 0), (0, 0), (1, 1e-12)])
@pytest.mark.parametrize("more", [False, True])
def test_discrete_riccati_equations_with_singular_weights(dtype, weights, more):
    a, b, q, _, e, s = riccati(dtype)
    r = np.diag(weights).astype(a.dtype)
    # Without a weight of an input there can be none between it and the states.
    parts = [a, b, q, r, *([e, s * np.array(weights)] if more else [])]
    expected = theirs.solve_discrete_are(*parts)
    actual = host(ours.solve_discrete_are(*device(*(x.astype(dtype) for x in parts))))
    assert actual.dtype == dtype
    near(actual, expected, factor=1e4)
    if not more:
        stacked = host(ours.solve_discrete_are(*device(np.stack([a, a / 2]), b, q, r)))
        assert stacked.shape == (2, 5, 5)
        near(stacked[0], expected, factor=1e4)
        near(stacked[1], theirs.solve_discrete_are(a / 2, b, q, r), factor=1e4)


def test_discrete_riccati_equations_give_the_stabilising_solution():
    one, zero = np.eye(2), np.zeros((2, 2))
    # Without a weight of the states zero is a solution, which stabilises nothing.
    for a, b in ((2 * one, one), (np.array([[2.0, 1], [0, 0.5]]), np.ones((2, 1)))):
        r = np.eye(b.shape[1])
        expected = theirs.solve_discrete_are(a, b, zero, r)
        np.testing.assert_allclose(host(ours.solve_discrete_are(*device(a, b, zero, r))), expected, atol=1e-12)
    assert not host(ours.solve_discrete_are(*device(one / 2, one, zero, one))).any()
    # Nothing can be stabilised, and nothing is off the unit circle.
    for parts in ((2 * one, zero, one, one), (one, one, zero, one)):
        for library, convert in ((theirs, np.asarray), (ours, cp.array)):
            with pytest.raises(np.linalg.LinAlgError):
                library.solve_discrete_are(*map(convert, parts))


@pytest.mark.parametrize("name", ["solve_continuous_are", "solve_discrete_are"])
def test_riccati_equations_with_singular_matrices_that_must_not_be(name):
    a, b, q, r, e, _ = riccati(np.float64)
    e[:, 0] = 0
    cases = [(a, b, q, r, e)]
    if name == "solve_continuous_are":
        cases.append((a, b, q, np.diag([1.0, 0]), None))
    for parts in cases:
        for library, convert in ((theirs, np.asarray), (ours, cp.array)):
            with pytest.raises(ValueError, match="numerically singular"):
                getattr(library, name)(*(None if x is None else convert(x) for x in parts))
