"""`scipy.linalg`: eigenvalues and the forms that show them."""

import functools

import cuproxide as cp
import cuproxide.scipy.linalg as ours
import numpy as np
import pytest
from helpers import check
from matrices import DTYPES, SIDES, adjoint, hermitian, host, matrix, near, pair, positive, unitary

theirs = pytest.importorskip("scipy.linalg")


def hard(dtype, n):
    """Matrices at which an iteration may fail: defective, a permutation, zero, Hermitian, graded."""
    yield 2 * np.eye(n, dtype=dtype) + np.eye(n, k=1, dtype=dtype)
    yield np.roll(np.eye(n, dtype=dtype), 1, 0)
    yield np.zeros((n, n), dtype)
    yield hermitian(dtype, (n, n))
    scale = 10.0 ** -np.linspace(0, 6, n)
    yield (matrix(dtype, (n, n)) * scale[:, None]).astype(dtype)
    yield (np.triu(matrix(dtype, (n, n))) + np.eye(n, k=-1)).astype(dtype)


def is_standard(t):
    """Whether a real form is triangular but for pairs in standard form."""
    below = np.diagonal(t, -1)
    assert not np.tril(t, -2).any()
    assert not np.any((below[1:] != 0) & (below[:-1] != 0))
    for i in np.nonzero(below)[0]:
        assert t[i, i] == t[i + 1, i + 1] and t[i, i + 1] * t[i + 1, i] < 0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIDES)
def test_schur_and_hessenberg(dtype, n):
    for a in (matrix(dtype, (n, n)), *hard(dtype, n)):
        size = a if a.any() else np.eye(n)
        h, q = host(ours.hessenberg(cp.array(a), calc_q=True))
        assert not np.tril(h, -2).any()
        unitary(q)
        near(q @ h @ adjoint(q), a, size)
        t, z = host(ours.schur(cp.array(a)))
        assert t.dtype == z.dtype == dtype
        unitary(z)
        near(z @ t @ adjoint(z), a, size)
        if np.dtype(dtype).kind == "f":
            is_standard(t)
        else:
            assert np.array_equal(t, np.triu(t))
        t, z = host(ours.schur(cp.array(a), "complex"))
        assert np.array_equal(t, np.triu(t)) and t.dtype == np.result_type(dtype, np.complex64)
        unitary(z)
        near(z @ t @ adjoint(z), a.astype(t.dtype), size)
    near(host(ours.hessenberg(cp.array(a))), host(ours.hessenberg(cp.array(a), True)[0]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_forms_at_the_ends_of_the_range(dtype):
    """Squares of the elements are beyond the range of numbers."""
    facts = np.finfo(dtype)
    a = matrix(dtype, (6, 6))
    for exponent in (facts.minexp + 4, facts.minexp // 2 - facts.nmant, facts.maxexp // 2 + 8, facts.maxexp - 8):
        unit = facts.dtype.type(2.0**exponent)
        for form in (ours.schur, functools.partial(ours.hessenberg, calc_q=True)):
            t, z = host(form(cp.array(a * unit)))
            t = t / unit
            unitary(z)
            near(z @ t @ adjoint(z), a)
            if form is not ours.schur:
                assert not np.tril(t, -2).any()
            elif np.dtype(dtype).kind == "f":
                is_standard(t)
            else:
                assert np.array_equal(t, np.triu(t))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stack", [(3,), (2, 0), (2, 1, 2)], ids=str)
def test_forms_of_stacks(dtype, stack):
    a = matrix(dtype, (*stack, 7, 7))
    for form, basis in (ours.schur(cp.array(a)), ours.hessenberg(cp.array(a), True)):
        form, basis = host((form, basis))
        near(basis @ form @ adjoint(basis), a)
    assert host(ours.schur(cp.zeros((0, 0)))[0]).shape == (0, 0)


def test_schur_refuses():
    pair("schur", np.full((2, 2), np.nan))
    pair("schur", np.ones((2, 3)))
    pair("schur", np.eye(2), "odd")
    with pytest.raises(np.linalg.LinAlgError):
        ours.schur(cp.array([[np.nan, 1], [1, 2]]), check_finite=False)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sort", ["lhp", "rhp", "iuc", "ouc", "function"])
def test_sorted_schur(dtype, sort):
    a = matrix(dtype, (9, 9), 5)
    real = np.dtype(dtype).kind == "f"
    if sort == "function":
        sort = (lambda x, y: abs(y) > 1) if real else (lambda w: abs(w.imag) > 1)
    t, z, count = ours.schur(cp.array(a), sort=sort)
    expected = theirs.schur(a, sort=sort)
    t, z = host((t, z))
    assert count == expected[2]
    unitary(z)
    near(z @ t @ adjoint(z), a, factor=50)
    if real:
        is_standard(t)
    chosen = np.linalg.eigvals(t[:count, :count])
    other = np.linalg.eigvals(expected[0][:count, :count])
    np.testing.assert_allclose(np.sort_complex(chosen), np.sort_complex(other), atol=2e3 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_conversions_of_forms(dtype):
    a = matrix(dtype, (6, 6))
    t, z = host(ours.rsf2csf(*ours.schur(cp.array(a))))
    near(z @ t @ adjoint(z), a.astype(t.dtype))
    assert np.array_equal(t, np.triu(t))
    w, v = np.linalg.eig(np.stack([matrix(np.float64, (5, 5), seed) for seed in range(4)]))
    w, v = w.astype(complex), v.astype(complex)
    for mine, other in zip(ours.cdf2rdf(cp.array(w), cp.array(v)), theirs.cdf2rdf(w, v), strict=True):
        check(mine, other, ulp=4)
    pair("cdf2rdf", np.array([1j, 2]), np.eye(2) + 0j)


def same_values(actual, expected, tolerance):
    """Each value has one near it, the other way round too; the order is open."""
    actual, expected = np.asarray(actual).ravel(), np.asarray(expected).ravel()
    finite = np.isfinite(expected)
    assert finite.sum() == np.isfinite(actual).sum()
    distance = np.abs(actual[np.isfinite(actual)][:, None] - expected[finite])
    if distance.size:
        limit = tolerance * max(1, np.abs(expected[finite]).max())
        assert distance.min(0).max() <= limit and distance.min(1).max() <= limit


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_eig(dtype, n):
    a, b = matrix(dtype, (n, n)), matrix(dtype, (n, n), 1)
    eps = np.finfo(dtype).eps
    w, left, right = host(ours.eig(cp.array(a), left=True))
    near(a @ right, right * w, a, factor=50)
    near(adjoint(left) @ a, w[:, None] * adjoint(left), a, factor=500)
    same_values(host(ours.eigvals(cp.array(a))), theirs.eigvals(a), 500 * n * eps)
    w, left, right = host(ours.eig(cp.array(a), cp.array(b), left=True))
    size = np.linalg.norm(a) + np.linalg.norm(b) * np.abs(w).max()
    assert np.abs(a @ right - (b @ right) * w).max() <= 100 * n * eps * size
    assert np.abs(adjoint(left) @ a - w[:, None] * (adjoint(left) @ b)).max() <= 500 * n * eps * size
    same_values(w, theirs.eigvals(a, b), 5e3 * n * eps)
    pairs = host(ours.eigvals(cp.array(a), cp.array(b), homogeneous_eigvals=True))
    assert pairs.shape == (2, n)
    same_values(pairs[0] / pairs[1], w, 100 * eps)
    singular = b.copy()
    singular[:, 0] = 0
    values = host(ours.eigvals(cp.array(a), cp.array(singular)))
    assert np.isinf(values).sum() == 1
    same_values(values, theirs.eigvals(a, singular), 5e4 * n * eps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [False, True])
def test_eigh(dtype, lower):
    a, b = hermitian(dtype, (6, 6)), positive(dtype, (6, 6), 1)
    half = np.tril if lower else np.triu
    w, v = host(ours.eigh(cp.array(half(a)), lower=lower))
    near(a @ v, v * w)
    for kind in (1, 2, 3):
        w, v = host(ours.eigh(cp.array(half(a)), cp.array(half(b)), lower=lower, type=kind))
        expected = theirs.eigh(a, b, type=kind, eigvals_only=True)
        np.testing.assert_allclose(w, expected, atol=2e3 * np.finfo(dtype).eps * np.abs(expected).max())
        for left, right in {1: ((a @ v, b @ v * w)), 2: ((a @ b @ v, v * w)), 3: ((b @ a @ v, v * w))}.items():
            if left == kind:
                np.testing.assert_allclose(right[0], right[1], atol=5e3 * np.finfo(dtype).eps)
        weight = np.linalg.inv(b) if kind == 3 else b
        np.testing.assert_allclose(adjoint(v) @ weight @ v, np.eye(6), atol=1e3 * np.finfo(dtype).eps)
    all_values = theirs.eigvalsh(a)
    check(ours.eigvalsh(cp.array(a), subset_by_index=[1, 3]), all_values[1:4], ulp=100, scale=3)
    middle = float(all_values[2] + all_values[3]) / 2
    check(ours.eigvalsh(cp.array(a), subset_by_value=[-np.inf, middle]), all_values[:3], ulp=100, scale=3)
    w, v = ours.eigh(cp.array(a), subset_by_index=[4, 5])
    assert v.shape == (6, 2)
    pair("eigh", a, subset_by_index=[4, 9])
    pair("eigh", a, subset_by_value=[4, 2])
    pair("eigh", a, -b)
    stack = np.stack([a, 2 * a])
    check(ours.eigvalsh(cp.array(stack)), np.linalg.eigvalsh(stack), ulp=100, scale=6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_banded_eigenvalues(dtype):
    for lower in (False, True):
        band = matrix(dtype, (3, 7))
        band[0 if lower else 2] = band[0 if lower else 2].real
        expected = theirs.eigvals_banded(band, lower)
        check(ours.eigvals_banded(cp.array(band), lower), expected, ulp=200, scale=5)
        check(
            ours.eigvals_banded(cp.array(band), lower, select="i", select_range=(1, 3)), expected[1:4], ulp=200, scale=5
        )
        w, v = host(ours.eig_banded(cp.array(band), lower))
        unitary(v)
    if np.dtype(dtype).kind == "f":
        d, e = matrix(dtype, (8,)), matrix(dtype, (7,), 1)
        check(ours.eigvalsh_tridiagonal(cp.array(d), cp.array(e)), theirs.eigvalsh_tridiagonal(d, e), ulp=200, scale=3)
        w, v = host(ours.eigh_tridiagonal(cp.array(d), cp.array(e)))
        near((np.diag(d) + np.diag(e, 1) + np.diag(e, -1)) @ v, v * w)
    else:
        pair("eigh_tridiagonal", matrix(dtype, (3,)), matrix(dtype, (2,)))
