"""`scipy.linalg`: banded and tridiagonal matrices, pivoted QR, symmetric factors: hostile matrices and stacks."""

import cuproxide as cp
import cuproxide.scipy.linalg as ours
import numpy as np
import pytest
import residuals
from launches import launches, recorded
from matrices import DTYPES, adjoint, hermitian, host, matrix, near, pair

theirs = pytest.importorskip("scipy.linalg")

#: Residuals in units of `k eps norm(a)`.
BOUND = 20


def spread(ab, below, above):
    n = ab.shape[-1]
    a = np.zeros((*ab.shape[:-2], n, n), ab.dtype)
    for i in range(n):
        for j in range(max(i - below, 0), min(i + above + 1, n)):
            a[..., i, j] = ab[..., above + i - j, j]
    return a


def residual(a, x, b):
    """The backward error of a solution, in units of epsilon times the order."""
    a, x, b = (residuals.wide(part) for part in (a, x, b))
    size = np.linalg.norm(a) * np.linalg.norm(x) + np.linalg.norm(b)
    return np.linalg.norm(a @ x - b) / size / len(a) if size else 0.0


# Bands.


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("band", [(0, 0), (1, 1), (3, 0), (0, 3), (2, 5), (6, 2)], ids=str)
def test_bands_that_need_pivots(dtype, band):
    below, above = band
    for n in (1, 2, 9, 60):
        ab = matrix(dtype, (below + above + 1, n), n)
        if below and above:
            ab[above] *= 1e-3
        else:
            # A triangle with a small diagonal is singular to working precision.
            ab[above] += 4
        b = matrix(dtype, (n, 3), n + 1)
        x = host(ours.solve_banded(band, cp.array(ab), cp.array(b)))
        assert x.dtype == dtype and x.shape == b.shape
        assert residual(spread(ab, below, above), x, b) < BOUND * residuals.epsilon(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_bands_of_extreme_size(dtype, scale):
    ab, b = matrix(dtype, (4, 20)) * np.float32(scale), matrix(dtype, (20,), 1) * np.float32(scale)
    x = host(ours.solve_banded((1, 2), cp.array(ab), cp.array(b)))
    assert residual(spread(ab, 1, 2) / np.float32(scale), x, b / np.float32(scale)) < BOUND * residuals.epsilon(dtype)


def test_stacks_of_bands():
    ab, b = matrix(np.float64, (3, 1, 4, 12)), matrix(np.float64, (2, 12, 2), 1)
    ab[..., 2, :] += 4
    x = host(ours.solve_banded((1, 2), cp.array(ab), cp.array(b)))
    assert x.shape == (3, 2, 12, 2)
    near(spread(ab, 1, 2) @ x, np.broadcast_to(b, x.shape), factor=50)
    for lower in (False, True):
        half = matrix(np.complex128, (3, 1, 3, 12), 2)
        half[..., 0 if lower else 2, :] = 12
        x = host(ours.solveh_banded(cp.array(half), cp.array(b), lower=lower))
        a = spread(half, 2, 0) if lower else spread(half, 0, 2)
        a = a + adjoint(np.tril(a, -1) if lower else np.triu(a, 1))
        near(a @ x, np.broadcast_to(b, x.shape), factor=50)


def test_bands_in_other_layouts_and_types():
    ab, b = matrix(np.float64, (3, 14)), matrix(np.float64, (14,), 1)
    ab[1] += 4
    device, right = cp.array(ab.T.copy()).T[:, ::-1], cp.array(np.repeat(b, 2))[::2]
    np.testing.assert_allclose(
        host(ours.solve_banded((1, 1), device, right)), theirs.solve_banded((1, 1), ab[:, ::-1], b), rtol=1e-12
    )
    whole = ours.solve_banded((1, 0), cp.array([[2, 2], [1, 0]]), cp.array([2, 3]))
    assert host(whole).tolist() == [1.0, 1.0]
    mixed = ours.solve_banded((0, 0), cp.array([[2.0, 4.0]]), cp.array([2j, 4.0]))
    assert mixed.dtype == np.complex128 and host(mixed).tolist() == [1j, 1]


def test_wide_bands_are_spread_out():
    n = 40
    ab, b = matrix(np.float64, (2 * n - 1, n)), matrix(np.float64, (n,), 1)
    x = host(ours.solve_banded((n - 1, n - 1), cp.array(ab), cp.array(b)))
    assert residual(spread(ab, n - 1, n - 1), x, b) < BOUND * residuals.epsilon(np.float64)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("transposed", [False, True])
def test_tridiagonal_systems_read_three_diagonals(dtype, transposed):
    a, b = matrix(dtype, (9, 9)) + 4 * np.eye(9, dtype=dtype), matrix(dtype, (9, 2), 1)
    arguments = {"assume_a": "tridiagonal", "transposed": transposed}
    x = host(ours.solve(cp.array(a), cp.array(b), **arguments))
    banded = np.triu(np.tril(a, 1), -1)
    near(x, theirs.solve(banded.T if transposed else banded, b), factor=50)
    pair("solve", np.zeros((3, 3)), np.ones(3), assume_a="tridiagonal")


def test_empty_bands():
    assert ours.solve_banded((1, 1), cp.zeros((3, 0)), cp.zeros(0)).shape == (0,)
    assert ours.solve_banded((0, 0), cp.ones((1, 3)), cp.zeros((3, 0))).shape == (3, 0)
    assert ours.cholesky_banded(cp.zeros((2, 0))).shape == (2, 0)
    assert ours.solve_banded((0, 0), cp.ones((0, 1, 3)), cp.ones(3)).shape == (0, 3)


def test_bands_that_fail():
    for ab in (np.zeros((3, 4)), np.array([[0.0, 1, 1], [1, 1, 0], [1, 0, 0]]) * [1, 1, 0]):
        pair("solve_banded", (1, 1), ab, np.ones(ab.shape[1]))
    half = np.array([[1.0, 1, -1], [0, 0, 0]])
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        ours.cholesky_banded(cp.array(half), lower=True)
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        ours.solveh_banded(cp.array(half), cp.ones(3), lower=True)
    with pytest.raises(ValueError, match="infs or NaNs"):
        ours.solve_banded((0, 0), cp.array([[np.nan]]), cp.ones(1))
    assert np.isnan(host(ours.solve_banded((0, 0), cp.array([[np.nan]]), cp.ones(1), check_finite=False))).all()
    with pytest.raises(ValueError, match="l\\+u\\+1"):
        ours.solve_banded((-1, 2), cp.ones((2, 3)), cp.ones(3))


def test_bands_take_as_many_launches_at_any_size():
    def count(n, width, stack):
        ab, b = matrix(np.float64, (*stack, 2 * width + 1, n)), cp.array(matrix(np.float64, (n, 2)))
        ab[..., width, :] += 4 * width + 4
        half = cp.array(np.abs(ab[..., width:, :]))
        general = cp.array(ab)
        return (
            launches(lambda: ours.solve_banded((width, width), general, b)),
            launches(lambda: ours.solveh_banded(half, b, lower=True)),
        )

    # A stack takes some copies more.
    one, other, stack = count(400, 1, ()), count(900, 2, ()), count(500, 1, (7,))
    assert one == other and all(b <= a + 4 for a, b in zip(one, stack, strict=True))


# Tridiagonal.


HOSTILE = {
    "random": lambda rng, n: (rng.standard_normal(n), rng.standard_normal(n - 1)),
    "Wilkinson": lambda rng, n: (np.abs(np.arange(n) - n // 2).astype(float), np.ones(n - 1)),
    "differences": lambda rng, n: (np.full(n, 2.0), np.full(n - 1, -1.0)),
    "zero": lambda rng, n: (np.zeros(n), np.zeros(n - 1)),
    "no diagonal": lambda rng, n: (np.zeros(n), np.ones(n - 1)),
    "graded": lambda rng, n: (np.logspace(0, -12, n), np.logspace(-1, -13, n)[1:]),
    "parts": lambda rng, n: (np.arange(n) % 3.0, (np.arange(n - 1) % 2) * 1.0),
    "huge": lambda rng, n: (rng.standard_normal(n) * 1e37, rng.standard_normal(n - 1) * 1e37),
    "tiny": lambda rng, n: (rng.standard_normal(n) * 1e-36, rng.standard_normal(n - 1) * 1e-36),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_tridiagonal_values(kind, dtype):
    for n in (1, 2, 3, 17, 80):
        d, e = (part.astype(dtype) for part in HOSTILE[kind](np.random.default_rng(n), n))
        whole = np.diag(d.astype("f8")) + np.diag(e.astype("f8"), 1) + np.diag(e.astype("f8"), -1)
        unit = residuals.unit(whole)
        expected = np.linalg.eigvalsh(whole / unit)
        bound = BOUND * residuals.epsilon(dtype) * max(np.abs(expected).max(), 1e-300)
        for select in ((0, n - 1), (n // 3, n // 2), None):
            options = {} if select is None else {"select": "i", "select_range": select}
            values = host(ours.eigvalsh_tridiagonal(cp.array(d), cp.array(e), **options))
            low, high = select or (0, n - 1)
            assert values.dtype == dtype and np.all(np.diff(values) >= 0)
            assert np.abs(values.astype("f8") / unit - expected[low : high + 1]).max() <= bound


def test_tridiagonal_stacks_and_selections():
    d, e = matrix(np.float64, (2, 3, 9)), matrix(np.float64, (3, 8), 1)
    values = host(ours.eigvalsh_tridiagonal(cp.array(d), cp.array(e), select="i", select_range=(2, 4)))
    assert values.shape == (2, 3, 3)
    for index in np.ndindex(2, 3):
        expected = theirs.eigvalsh_tridiagonal(d[index], e[index[1]])[2:5]
        np.testing.assert_allclose(values[index], expected, atol=1e-13)
    low, high = -0.5, 1.0
    one = ours.eigvalsh_tridiagonal(cp.array(d[0, 0]), cp.array(e[0]), "v", (low, high))
    expected = theirs.eigvalsh_tridiagonal(d[0, 0], e[0], "v", (low, high))
    np.testing.assert_allclose(host(one), expected, atol=1e-13)
    pair("eigvalsh_tridiagonal", d[0, 0], e[0], "i", (3, 9))
    pair("eigvalsh_tridiagonal", d[0, 0], e[0], "v", (3, 2))
    with pytest.raises(ValueError, match="infs or NaNs"):
        ours.eigvalsh_tridiagonal(cp.array([np.nan, 1]), cp.ones(1))


def test_tridiagonal_takes_no_matrix():
    # A whole matrix of this order would take 32 GB.
    n = 64_000
    values = ours.eigvalsh_tridiagonal(cp.full(n, 2.0), cp.full(n - 1, -1.0), select="i", select_range=(n - 3, n - 1))
    np.testing.assert_allclose(host(values), 2 + 2 * np.cos(np.pi * np.arange(3, 0, -1) / (n + 1)), rtol=1e-14)


# QR with pivoting.


@pytest.mark.parametrize("kind", residuals.TYPES)
@pytest.mark.parametrize("dtype", residuals.DTYPES)
def test_pivoted_qr_of_hostile_matrices(kind, dtype):
    for m, n in [(5, 5), (33, 33), (40, 20), (20, 40)]:
        a = residuals.matrix(kind, m, n, dtype)
        (q, r, p), unit = host(ours.qr(cp.array(a), mode="economic", pivoting=True)), residuals.unit(a)
        size = residuals.norm(residuals.wide(a, unit)) * residuals.epsilon(dtype) * min(m, n)
        error = residuals.norm(residuals.wide(a, unit)[:, p] - residuals.wide(q) @ residuals.wide(r, unit))
        assert error <= BOUND * size and residuals.orthogonality(q, dtype) <= BOUND
        d = np.abs(np.diagonal(residuals.wide(r, unit)))
        assert np.all(d[1:] <= d[:-1] * (1 + 100 * residuals.epsilon(dtype)) + size)


@pytest.mark.parametrize("dtype", DTYPES)
def test_pivoted_reflections_are_lapacks(dtype):
    a = matrix(dtype, (7, 5))
    (reflections, tau), r, p = ours.qr(cp.array(a), mode="raw", pivoting=True)
    (other, other_tau), other_r, other_p = theirs.qr(a, mode="raw", pivoting=True)
    np.testing.assert_array_equal(host(p), other_p)
    for mine, expected in ((reflections, other), (tau, other_tau), (r, other_r)):
        np.testing.assert_allclose(host(mine), expected, atol=100 * residuals.epsilon(dtype))


def test_pivoted_qr_of_stacks_launches_as_often():
    stack = matrix(np.float64, (4, 3, 6, 6))
    whole = host(ours.qr(cp.array(stack), pivoting=True))
    for index in np.ndindex(4, 3):
        for mine, other in zip(whole, host(ours.qr(cp.array(stack[index]), pivoting=True)), strict=True):
            np.testing.assert_array_equal(mine[index], other)
    assert launches(lambda: ours.qr(cp.array(stack), pivoting=True)) <= 6 + launches(
        lambda: ours.qr(cp.array(stack[0, 0]), pivoting=True)
    )


# Symmetric factors.


@pytest.mark.parametrize(
    "kind", ["random", "zero", "identity", "deficient", "holes", "huge", "tiny", "hilbert", "steep"]
)
@pytest.mark.parametrize("dtype", residuals.DTYPES)
def test_ldl_of_hostile_matrices(kind, dtype):
    for n in (5, 33):
        a = residuals._hermitian(residuals.matrix(kind, n, n, dtype)).astype(dtype)
        lu, d, perm = host(ours.ldl(cp.array(a)))
        unit = residuals.unit(a)
        wide, middle = residuals.wide(lu), residuals.wide(d, unit)
        size = residuals.norm(np.abs(wide) @ np.abs(middle) @ np.abs(wide).T)
        error = residuals.norm(wide @ middle @ adjoint(wide) - residuals.wide(a, unit))
        assert error <= BOUND * residuals.epsilon(dtype) * size
        assert np.array_equal(np.sort(perm), np.arange(n))
        assert not np.triu(lu[perm], 1).any()


def test_ldl_of_stacks_launches_as_often():
    stack = hermitian(np.complex128, (5, 6, 6))
    for lower in (False, True):
        whole = host(ours.ldl(cp.array(stack), lower))
        for i in range(5):
            for mine, other in zip(whole, host(ours.ldl(cp.array(stack[i]), lower)), strict=True):
                np.testing.assert_array_equal(mine[i], other)
    assert launches(lambda: ours.ldl(cp.array(stack))) <= 6 + launches(lambda: ours.ldl(cp.array(stack[0])))


def test_factors_are_not_read_back():
    a, s = cp.array(matrix(np.float64, (12, 12))), cp.array(hermitian(np.float64, (12, 12)))
    for work in (lambda: ours.qr(a, pivoting=True, check_finite=False), lambda: ours.ldl(s, check_finite=False)):
        assert not [span.name for span in recorded(work) if span.name == "device to host"]
