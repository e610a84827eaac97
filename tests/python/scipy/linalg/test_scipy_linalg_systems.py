"""`scipy.linalg`: triangular factors and systems of equations."""

import cuproxide as cp
import cuproxide.scipy.linalg as ours
import numpy as np
import pytest
from helpers import check, in_layout, same_error
from matrices import DTYPES, SHAPES, SIDES, STACKS, adjoint, hermitian, host, matrix, near, pair, positive

theirs = pytest.importorskip("scipy.linalg")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIDES)
@pytest.mark.parametrize("stack", STACKS, ids=str)
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_solve_triangular(dtype, n, stack, lower, unit):
    a = matrix(dtype, (*stack, n, n)) / n + (0 if unit else 2 * np.eye(n, dtype=dtype))
    a = a.astype(dtype)
    half = np.tril(a) if lower else np.triu(a)
    if unit:
        half = half - half * np.eye(n, dtype=dtype) + np.eye(n, dtype=dtype)
    b = matrix(dtype, (*stack, n, 3), 1)
    for trans, form in ((0, half), ("T", np.swapaxes(half, -1, -2)), ("C", adjoint(half))):
        x = host(ours.solve_triangular(cp.array(a), cp.array(b), trans, lower, unit))
        assert x.dtype == dtype
        near(form @ x, b, np.linalg.norm(form, axis=(-2, -1), keepdims=True) * (np.abs(x) + 1))
    if not stack:
        vector = host(ours.solve_triangular(cp.array(a), cp.array(b[:, 0]), 0, lower, unit))
        assert vector.shape == (n,)


def test_triangular_layouts_and_errors():
    a, b = matrix(np.float64, (6, 6)) + 6 * np.eye(6), matrix(np.float64, (6, 2), 1)
    for layout in ("C", "F", "strided", "reversed"):
        pair("solve_triangular", in_layout(a, layout), in_layout(b, layout), ulp=200, scale=1)
    pair("solve_triangular", a.astype(np.float32), b, ulp=200, scale=1)
    pair("solve_triangular", a, b, unit_diagonal=1, ulp=1e6, scale=1e6)
    pair("solve_triangular", (a * 4).astype(np.int64), b, ulp=200, scale=1)
    pair("solve_triangular", np.zeros((0, 0)), np.zeros((0, 2)))
    singular = a.copy()
    singular[3, 3] = 0
    for bad, right in ((singular, b), (a[:5], b), (a, b[:4]), (np.full((2, 2), np.nan), np.ones(2))):
        pair("solve_triangular", bad, right)
    with pytest.raises(ValueError, match="trans"):
        ours.solve_triangular(cp.array(a), cp.array(b), trans="X")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (3, 5, 5), (2, 6, 3), (2, 3, 6), (0, 4, 4), (0, 3), (3, 0)], ids=str)
def test_lu(dtype, shape):
    a = matrix(dtype, shape)
    p, lower, upper = host(ours.lu(cp.array(a)))
    assert lower.dtype == upper.dtype == dtype and p.dtype == a.real.dtype
    assert np.array_equal(lower, np.tril(lower)) and np.array_equal(upper, np.triu(upper))
    near(p @ lower @ upper, a)
    permuted, again = host(ours.lu(cp.array(a), permute_l=True))
    assert np.array_equal(permuted, (p @ lower).astype(dtype)) and np.array_equal(again, upper)
    index, *_ = host(ours.lu(cp.array(a), p_indices=True))
    assert np.array_equal(np.take_along_axis(lower, index[..., None], -2), permuted)
    for one, other in zip(host(ours.lu(cp.array(a))), theirs.lu(a), strict=True):
        if a.size:
            assert one.shape == other.shape
            near(one, other.astype(one.dtype), factor=200)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIDES)
@pytest.mark.parametrize("stack", STACKS, ids=str)
def test_lu_solve(dtype, n, stack):
    a = (matrix(dtype, (*stack, n, n)) + 2 * n**0.5 * np.eye(n)).astype(dtype)
    b = matrix(dtype, (*stack, n, 2), 1)
    factors = ours.lu_factor(cp.array(a))
    assert factors[1].dtype == np.int32
    for trans, form in ((0, a), (1, np.swapaxes(a, -1, -2)), (2, adjoint(a))):
        x = host(ours.lu_solve(factors, cp.array(b), trans))
        near(form @ x, b, factor=50)
    if a.size and not stack:
        assert np.array_equal(host(factors[1]), theirs.lu_factor(a)[1])
        x = host(ours.lu_solve(factors, cp.array(b[:, 0])))
        assert x.shape == (n,)


@pytest.mark.parametrize("pivot", [3, -1, 10**6, -(2**31), 2**40])
@pytest.mark.parametrize("trans", [0, 1])
def test_pivots_that_are_no_rows(pivot, trans):
    pivots = cp.asarray([0, pivot, 2])
    with pytest.raises(ValueError, match="piv"):
        ours.lu_solve((cp.eye(3), pivots), cp.ones(3), trans)
    # Unchecked, they change nothing but the result.
    assert ours.lu_solve((cp.eye(3), pivots), cp.ones(3), trans, check_finite=False).shape == (3,)


def test_lu_factor_of_tall_and_singular():
    for shape in ((5, 3), (3, 5)):
        a = matrix(np.float64, shape)
        for one, other in zip(ours.lu_factor(cp.array(a)), theirs.lu_factor(a), strict=True):
            check(one, other, ulp=50, scale=3)
    with pytest.warns(ours.LinAlgWarning, match="exactly zero"):
        ours.lu_factor(cp.ones((3, 3)))
    with cp.errstate(linalg="ignore"):
        ours.lu_factor(cp.ones((3, 3)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (6, 6), (40, 40), (3, 5, 5), (0, 3, 3), (0, 0)], ids=str)
@pytest.mark.parametrize("lower", [False, True])
def test_cholesky(dtype, shape, lower):
    a = positive(dtype, shape)
    factor = host(ours.cholesky(cp.array(a), lower))
    assert np.array_equal(factor, (np.tril if lower else np.triu)(factor))
    near(factor @ adjoint(factor) if lower else adjoint(factor) @ factor, a)
    b = matrix(dtype, (*shape[:-1], 2), 1)
    x = host(ours.cho_solve(ours.cho_factor(cp.array(a), lower), cp.array(b)))
    near(a @ x, b, factor=50)


def test_cholesky_refuses():
    pair("cholesky", np.array([[1.0, 2], [2, 1]]))
    pair("cho_factor", np.array([[-1.0]]))
    with cp.errstate(linalg="ignore"):
        ours.cholesky(cp.array([[-1.0]]))
        assert cp.geterr()["linalg"] == "ignore"
    assert cp.geterr()["linalg"] == "raise"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("band", [(0, 0), (1, 1), (2, 1), (0, 2), (4, 4)], ids=str)
def test_banded(dtype, band):
    below, above = band
    n = 7
    ab = matrix(dtype, (below + above + 1, n))
    ab[above] += 8
    b = matrix(dtype, (n, 2), 1)
    expected = theirs.solve_banded(band, ab, b)
    check(ours.solve_banded(band, cp.array(ab), cp.array(b)), expected, ulp=100, scale=1)
    check(ours.solve_banded(band, cp.array(ab), cp.array(b[:, 0])), expected[:, 0], ulp=100, scale=1)
    for lower in (False, True):
        width = below
        half = matrix(dtype, (width + 1, n), 2)
        main = 0 if lower else width
        half[main] = 10 + abs(half[main])
        check(
            ours.solveh_banded(cp.array(half), cp.array(b), lower=lower),
            theirs.solveh_banded(half, b, lower=lower),
            ulp=100,
            scale=1,
        )
        factor = ours.cholesky_banded(cp.array(half), lower=lower)
        mine, other = host(factor), theirs.cholesky_banded(half, lower=lower)
        for d in range(width + 1):
            line = slice(None, n - d) if lower else slice(d, None)
            row = d if lower else width - d
            np.testing.assert_allclose(mine[row, line], other[row, line], rtol=1e-4 if a_is_single(dtype) else 1e-12)
        x = ours.cho_solve_banded((factor, lower), cp.array(b))
        check(x, theirs.cho_solve_banded((other, lower), b), ulp=100, scale=1)


def a_is_single(dtype):
    return np.finfo(dtype).eps > 1e-10


def test_band_shapes():
    pair("solve_banded", (1, 1), np.ones((2, 4)), np.ones(4))


# Systems.


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "structure", [None, "gen", "sym", "her", "pos", "diagonal", "tridiagonal", "upper triangular", "lower triangular"]
)
def test_solve(dtype, structure):
    n = 6
    a = matrix(dtype, (n, n)) + 4 * np.eye(n, dtype=dtype)
    if structure == "sym":
        a = a + a.T
    elif structure == "her":
        a = hermitian(dtype, (n, n)) + 4 * np.eye(n, dtype=dtype)
    elif structure == "pos":
        a = positive(dtype, (n, n))
    elif structure == "diagonal":
        a = a * np.eye(n, dtype=dtype)
    elif structure == "tridiagonal":
        a = np.triu(np.tril(a, 1), -1)
    elif structure == "upper triangular":
        a = np.triu(a)
    elif structure == "lower triangular":
        a = np.tril(a)
    a = a.astype(dtype)
    b = matrix(dtype, (n, 2), 1)
    for right in (b, b[:, 0]):
        for transposed in (False, True):
            # SciPy does not solve with transposed complex matrices.
            if transposed and a.dtype.kind == "c":
                form = a.T
                x = host(ours.solve(cp.array(a), cp.array(right), assume_a=structure, transposed=True))
                np.testing.assert_allclose(form @ x, right, rtol=0, atol=1e3 * np.finfo(dtype).eps)
                continue
            expected = theirs.solve(a, right, assume_a=structure, transposed=transposed)
            x = ours.solve(cp.array(a), cp.array(right), assume_a=structure, transposed=transposed)
            check(x, expected, ulp=400, scale=1)
    near(host(ours.inv(cp.array(a))) @ a, np.eye(n, dtype=dtype), factor=100)
    stack = np.stack([a, 2 * a])
    near(
        stack @ host(ours.solve(cp.array(stack), cp.array(np.stack([b, b])), assume_a=structure)),
        np.stack([b, b]),
        factor=100,
    )


def test_solve_reads_one_triangle_and_refuses():
    a, b = positive(np.float64, (5, 5)), matrix(np.float64, (5,))
    for lower, half in ((True, np.tril(a)), (False, np.triu(a))):
        check(ours.solve(cp.array(half), cp.array(b), lower, assume_a="pos"), theirs.solve(a, b), ulp=100, scale=1)
        check(ours.solve(cp.array(half), cp.array(b), lower, assume_a="sym"), theirs.solve(a, b), ulp=100, scale=1)
        inverse = ours.inv(cp.array(half), assume_a="pos", lower=lower)
        check(inverse, np.linalg.inv(a), ulp=200, scale=1)
    pair("solve", np.ones((3, 3)), np.ones(3))
    pair("solve", np.ones((3, 2)), np.ones(3))
    pair("solve", np.eye(3), np.ones(2))
    pair("solve", np.full((2, 2), np.inf), np.ones(2))
    pair("inv", np.ones((2, 2)))
    pair("inv", np.ones((2, 3)))
    pair("det", matrix(np.float64, (3, 4, 4)), ulp=100, scale=5)
    pair("det", np.ones((2, 3)))
    with pytest.raises(ValueError, match="structure"):
        ours.solve(cp.eye(2), cp.ones(2), assume_a="odd")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(6, 6), (9, 4), (4, 9)], ids=str)
def test_lstsq_and_pinv(dtype, shape):
    a, b = matrix(dtype, shape), matrix(dtype, (shape[0], 2), 1)
    for right in (b, b[:, 0]):
        mine, other = ours.lstsq(cp.array(a), cp.array(right)), theirs.lstsq(a, right)
        check(mine[0], other[0], ulp=2000, scale=2)
        assert mine[2] == other[2]
        check(mine[3], other[3], ulp=100, scale=5)
        np.testing.assert_allclose(host(mine[1]), other[1], rtol=1e-3 if a_is_single(dtype) else 1e-9)
    check(ours.pinv(cp.array(a)), theirs.pinv(a), ulp=1000, scale=2)
    inverse, rank = ours.pinv(cp.array(a), rtol=0.5, return_rank=True)
    expected, count = theirs.pinv(a, rtol=0.5, return_rank=True)
    check(inverse, expected, ulp=500, scale=1)
    assert int(rank) == count
    h = hermitian(dtype, (5, 5))
    check(ours.pinvh(cp.array(h)), theirs.pinvh(h), ulp=1000, scale=np.abs(theirs.pinvh(h)).max())
    with pytest.raises(ValueError, match="positive"):
        ours.pinv(cp.array(a), atol=-1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_toeplitz_and_circulant_systems(dtype):
    c, r = matrix(dtype, (6,)), matrix(dtype, (6,), 1)
    c[0] = r[0] = 9
    for b in (matrix(dtype, (6,), 2), matrix(dtype, (6, 3), 2)):
        check(
            ours.solve_toeplitz((cp.array(c), cp.array(r)), cp.array(b)),
            theirs.solve_toeplitz((c, r), b).astype(dtype),
            ulp=200,
            scale=1,
        )
        check(
            ours.solve_toeplitz(cp.array(c), cp.array(b)), theirs.solve_toeplitz(c, b).astype(dtype), ulp=200, scale=1
        )
        check(ours.solve_circulant(cp.array(c), cp.array(b)), theirs.solve_circulant(c, b), ulp=200, scale=1)
        for rows, columns in ((6, 6), (4, 6), (9, 6)):
            first, top = matrix(dtype, (rows,), 3), matrix(dtype, (columns,), 4)
            product = ours.matmul_toeplitz((cp.array(first), cp.array(top)), cp.array(b))
            check(product, (theirs.toeplitz(first, top) @ b).astype(product.dtype), ulp=100, scale=10)
    singular = np.ones(4, dtype)
    assert ours.solve_circulant(cp.array(c), cp.ones((len(c), 0))).shape == (len(c), 0)
    same_error(
        lambda: ours.solve_circulant(cp.array(singular), cp.array(singular)),
        lambda: theirs.solve_circulant(singular, singular),
    )
    check(
        ours.solve_circulant(cp.array(singular), cp.array(singular), singular="lstsq"),
        theirs.solve_circulant(singular, singular, singular="lstsq"),
        ulp=100,
        scale=1,
    )


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("n", [3, 9, 300])
def test_a_band_s_factor_may_have_a_complex_diagonal(lower, n):
    """The factor times its adjoint is the matrix, whatever stands on the diagonal."""
    random = np.random.default_rng(n)
    band = random.normal(size=(2, n)) + 1j * random.normal(size=(2, n))
    band[0 if lower else 1] += 8
    b = random.normal(size=n)
    found = ours.cho_solve_banded((cp.asarray(band), lower), cp.asarray(b))
    np.testing.assert_allclose(found.get(), theirs.cho_solve_banded((band, lower), b), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype, power", [("f4", 22), ("f8", 170), ("c8", 22), ("c16", 170)])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("n", [2, 5, 40])
def test_rows_wider_than_the_range_of_numbers(n, lower, dtype, power):
    """An element times the reciprocal of its row's pivot underflows, where quotients of the substitution do not."""
    dense = np.eye(n)
    # The last two unknowns are coupled by an element whose quotient by the pivot is no number.
    small = 10.0**-power
    one, two = (n - 2, n - 1) if lower else (n - 1, n - 2)
    dense[one, one], dense[two, one], dense[two, two] = small, small, 1 / small
    right, wanted = np.ones(n), np.ones(n)
    right[two], wanted[one], wanted[two] = 2, 1 / small, small
    x = ours.solve_triangular(cp.asarray(dense.astype(dtype)), cp.asarray(right.astype(dtype)), lower=lower)
    np.testing.assert_allclose(x.get(), wanted, rtol=1e-5 if dtype in ("f4", "c8") else 1e-13)
    x = ours.lu_solve(ours.lu_factor(cp.asarray(dense.astype(dtype))), cp.asarray(right.astype(dtype)))
    np.testing.assert_allclose(x.get(), wanted, rtol=1e-5 if dtype in ("f4", "c8") else 1e-13)
