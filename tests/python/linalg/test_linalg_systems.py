"""Systems of equations: inverses, determinants and least squares, by their residuals and beside NumPy's."""

import itertools

import cuproxide as cp
import numpy as np
import pytest
from helpers import check, compare, same_error
from matrices import DTYPES, host, matrix, near

SIDES = [1, 2, 3, 8, 17, 64, 130]
STACKS = [(), (3,), (2, 0), (2, 1, 3)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIDES)
@pytest.mark.parametrize("stack", STACKS, ids=str)
def test_solve_and_inverse(dtype, n, stack):
    a = (matrix(dtype, (*stack, n, n)) + n * np.eye(n)).astype(dtype)
    b = matrix(dtype, (*stack, n, 3), 1)
    x = cp.asnumpy(cp.linalg.solve(cp.array(a), cp.array(b)))
    assert x.dtype == dtype
    near(a @ x, b, b)
    inverse = cp.asnumpy(cp.linalg.inv(cp.array(a)))
    near(a @ inverse, np.broadcast_to(np.eye(n, dtype=dtype), a.shape), a)
    assert cp.linalg.inv(cp.array(a)).dtype == dtype


@pytest.mark.parametrize("shapes", [((4, 4), (4,)), ((2, 4, 4), (4,)), ((4, 4), (5, 4, 2)), ((3, 1, 4, 4), (2, 4, 5))])
def test_solve_broadcasts(shapes):
    a, b = matrix(np.float64, shapes[0]) + 8 * np.eye(4), matrix(np.float64, shapes[1], 1)
    compare(lambda xp, a, b: xp.linalg.solve(a, b), a, b, ulp=64, scale=1)


@pytest.mark.parametrize(
    "dtypes",
    [(np.int64, np.float32), (np.bool_, np.int8), (np.float32, np.complex64), (np.float32, np.complex128)],
    ids=str,
)
def test_solve_mixed(dtypes):
    a = np.array([[3, 1], [0, 2]]).astype(dtypes[0])
    if dtypes[0] == np.bool_:
        a = np.array([[1, 1], [0, 1]], np.bool_)
    compare(lambda xp, a, b: xp.linalg.solve(a, b), a, np.array([4, 5]).astype(dtypes[1]), ulp=16, scale=1)
    compare(lambda xp, a: xp.linalg.inv(a), a, ulp=16, scale=1)
    compare(lambda xp, a: xp.linalg.det(a), a, ulp=16, scale=1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 7, 16, 32])
def test_systems_of_subnormal_numbers(dtype, n):
    """The reciprocals of their pivots are infinite."""
    unit = 512 * np.finfo(dtype).smallest_subnormal
    upper = np.triu(matrix(dtype, (n, n))) + 100 * np.eye(n)
    lengths = np.where(np.arange(n) % 3, 1, 2.0**60)
    a, graded = ((whole * unit).astype(dtype) for whole in (upper + upper.T, upper * lengths[:, None]))
    solved = [cp.linalg.solve(cp.array(left), cp.array(left.sum(1))) for left in (a, graded)]
    # A quotient of complex numbers takes a reciprocal, NumPy's too.
    if not np.iscomplexobj(a):
        solved.append(cp.linalg.lstsq(cp.array(a), cp.array(a.sum(1)))[0])
    for x in solved:
        np.testing.assert_allclose(cp.asnumpy(x), 1, rtol=1e-2)


@pytest.mark.skipif(cp.Device().backend != "cpu", reason="libraries of GPUs take reciprocals of their own")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 32])
def test_systems_of_the_largest_numbers(dtype, n):
    """The reciprocals of their pivots are subnormal; the squares of complex ones are infinite."""
    diagonal = 0.36 + 0.36j if np.dtype(dtype).kind == "c" else 0.5
    near_one = matrix(dtype, (n, n)) / (12 * n) + diagonal * np.eye(n)
    unit = np.finfo(dtype).max
    a = (near_one * unit).astype(dtype)
    wide = np.complex128 if np.iscomplexobj(a) else np.float64
    wanted = np.linalg.inv(a.astype(wide) / unit)
    with_unit = cp.asnumpy(cp.linalg.inv(cp.array(a))).astype(wide) * unit
    np.testing.assert_allclose(with_unit, wanted, rtol=0, atol=64 * np.finfo(dtype).eps * abs(wanted).max())
    solved = cp.asnumpy(cp.linalg.solve(cp.array(a), cp.array(a[:, 0])))
    np.testing.assert_allclose(solved, np.eye(n)[0], rtol=0, atol=64 * np.finfo(dtype).eps)


def test_singular():
    a = np.array([[1.0, 2], [2, 4]])
    for name, more in (("inv", ()), ("solve", (np.ones(2),))):
        same_error(
            lambda name=name, more=more: getattr(cp.linalg, name)(cp.array(a), *map(cp.array, more)),
            lambda name=name, more=more: getattr(np.linalg, name)(a, *more),
            match=True,
        )
    big = np.ones((40, 40))
    assert float(cp.linalg.det(cp.array(big))) == 0
    sign, logarithm = cp.linalg.slogdet(cp.array(big))
    assert float(sign) == 0 and float(logarithm) == -np.inf
    compare(lambda xp, a: xp.linalg.det(a), np.zeros((3, 3)))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("order", [1, -1])
def test_determinants_of_factors_near_the_ends_of_the_range(dtype, order):
    """Parts of the product are no finite numbers, or zero; the whole is."""
    powers = [200, 200, -300, -100], [-200, -200, 300, 100], [300, 300, -300, -299]
    a = np.stack([np.diag([(-10.0) ** power for power in line[::order]]) for line in powers]).astype(dtype)
    check(cp.linalg.det(cp.array(a)), np.array([1, 1, -10], dtype), ulp=5000, scale=10)
    a = np.diag([1e300, -1e300]).astype(dtype)
    assert np.isposinf(-cp.asnumpy(cp.linalg.det(cp.array(a))).real)


@pytest.mark.parametrize("values", [[np.inf, 1], [-np.inf, 1], [np.nan, 1], [np.inf, np.inf]], ids=str)
def test_determinants_of_what_is_not_finite(values):
    a = np.diag(np.array(values, np.float64))
    for function in ("det", "slogdet"):
        ours, theirs = (getattr(xp.linalg, function)(xp.array(a)) for xp in (cp, np))
        np.testing.assert_array_equal(host(tuple(ours) if function == "slogdet" else ours), theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 4, 4), (2, 0, 3, 3), (30, 30), (0, 0), (2, 0, 0)], ids=str)
def test_determinants(dtype, shape):
    a = matrix(dtype, shape)
    expected = np.linalg.det(a)
    check(cp.linalg.det(cp.array(a)), expected, ulp=400, scale=np.abs(expected))
    ours, theirs = cp.linalg.slogdet(cp.array(a)), np.linalg.slogdet(a)
    assert ours._fields == theirs._fields
    check(ours.sign, theirs.sign, ulp=400, scale=1)
    check(ours.logabsdet, theirs.logabsdet, ulp=400, scale=1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_determinants_of_all_exchanges_of_rows(dtype, n):
    """Of triangular matrices whose factors are powers of two, so that nothing is rounded; then with a row of zeros."""
    triangle = np.triu(np.full((n, n), 0.5)) + np.diag(2.0 ** np.arange(n))
    triangle = (triangle * (1j if np.dtype(dtype).kind == "c" else 1)).astype(dtype)
    orders = np.array(list(itertools.permutations(range(n))))
    a = triangle[orders]
    signs = np.linalg.det(np.eye(n)[orders]).round()
    expected = (signs * np.prod(np.diag(triangle))).astype(dtype)
    np.testing.assert_allclose(cp.asnumpy(cp.linalg.det(cp.asarray(a))), expected, rtol=4 * np.finfo(dtype).eps)
    sign, logarithm = cp.linalg.slogdet(cp.asarray(a))
    np.testing.assert_allclose(cp.asnumpy(sign), expected / abs(expected), rtol=4 * np.finfo(dtype).eps)
    np.testing.assert_allclose(cp.asnumpy(logarithm), np.log(abs(expected)), rtol=8 * np.finfo(dtype).eps)
    a[:, -1] = 0
    assert not cp.linalg.det(cp.asarray(a)).any()
    sign, logarithm = cp.linalg.slogdet(cp.asarray(a))
    assert not sign.any() and bool((logarithm == -np.inf).all())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33])
def test_determinants_of_stacks(dtype, n):
    """Matrices with exchanged rows, singular ones, large and small ones.

    One launch eliminates up to 8 rows (complex numbers: 4); more rows are factored first. On GPUs the diagonal of more
    than 32 rows is multiplied by array operations.
    """
    a = np.stack([matrix(dtype, (n, n)), matrix(dtype, (n, n))[::-1], matrix(dtype, (n, n))] * 2)
    a[2, n // 2] = 0
    a[3], a[4] = a[3] * np.array(1e-30, dtype), a[4] * np.array(1e30, dtype)
    with np.errstate(all="ignore"):
        expected, theirs = np.linalg.det(a), np.linalg.slogdet(a)
    x = cp.asarray(a)
    found, ours = cp.linalg.det(x), cp.linalg.slogdet(x)
    eps = np.finfo(dtype).eps
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=1e3 * n * eps)
    check(ours.sign, theirs.sign, ulp=1000, scale=1)
    np.testing.assert_allclose(cp.asnumpy(ours.logabsdet), theirs.logabsdet, rtol=100 * eps, atol=1e3 * n * eps)
    # A transposed stack, and one matrix.
    np.testing.assert_allclose(cp.asnumpy(cp.linalg.det(x.swapaxes(1, 2)))[:2], expected[:2], rtol=1e3 * n * eps)
    assert cp.linalg.det(x[0]).shape == () and cp.linalg.det(x[:0]).shape == (0,)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("uplo", "LU")
def test_eigenvalues_of_stacks_of_small_matrices(dtype, uplo):
    """The CPU has loops of its own up to 12 rows; only the named triangle is read."""
    for n in (1, 2, 3, 4, 7, 12, 13):
        a = matrix(dtype, (6, n, n))
        a = a + a.conj().swapaxes(1, 2)
        a[1] = np.diag(np.arange(n)[::-1])
        a[2], a[3] = 0, np.ones((n, n))
        a[4, 1:, 0] = a[4, 0, 1:] = 0
        a[5] *= np.array(1e-30, dtype)
        expected = np.linalg.eigvalsh(a)
        given = np.where(np.tri(n, dtype=bool) if uplo == "L" else np.tri(n, dtype=bool).T, a, np.array(7, dtype))
        found = cp.asnumpy(cp.linalg.eigvalsh(cp.asarray(given), uplo))
        scale = np.abs(expected).max(-1, keepdims=True)
        assert found.dtype == expected.dtype
        assert (np.abs(found - expected) <= 30 * n * np.finfo(dtype).eps * scale).all(), n


# Of factors with more than 2048 rows, GPUs invert blocks.
def test_inverse_of_a_large_matrix():
    a = matrix(np.float32, (2100, 2100)) + 50 * np.eye(2100, dtype=np.float32)
    x = cp.asnumpy(cp.linalg.inv(cp.array(a)))
    assert x.flags.c_contiguous
    assert np.abs(a @ x - np.eye(2100)).max() <= 2100 * np.finfo(np.float32).eps * np.linalg.cond(a, 1)


@pytest.mark.parametrize("count", [1, 63, 64, 200])
@pytest.mark.parametrize("dtype", DTYPES)
def test_many_right_hand_sides(dtype, count):
    a, b = matrix(dtype, (150, 150)), matrix(dtype, (150, count))
    x = cp.asnumpy(cp.linalg.solve(cp.array(a), cp.array(b)))
    near(a @ x, b, np.abs(a) @ np.abs(x))


@pytest.mark.parametrize("n", [2, 4, 7, 16, 31, 32, 33])
@pytest.mark.parametrize("dtype", DTYPES)
def test_inverses_of_matrices_with_nan(dtype, n):
    a = matrix(dtype, (9, n, n))
    a[4, 0, 0] = np.nan
    x = cp.asnumpy(cp.linalg.inv(cp.array(a)))
    assert np.isnan(x[4]).any() and not np.isnan(np.delete(x, 4, 0)).any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(6, 6), (9, 4), (4, 9), (0, 3), (3, 0)], ids=str)
@pytest.mark.parametrize("sides", [(), (2,), (0,)], ids=str)
def test_lstsq(dtype, shape, sides):
    a, b = matrix(dtype, shape), matrix(dtype, (shape[0], *sides), 1)
    ours, theirs = cp.linalg.lstsq(cp.array(a), cp.array(b)), np.linalg.lstsq(a, b)
    assert ours[2] == theirs[2]
    for i in (0, 1, 3):
        check(ours[i], theirs[i], ulp=2000, scale=max(1, np.abs(theirs[i]).max(initial=0)))


def test_lstsq_of_deficient_rank():
    a = np.outer(np.arange(1.0, 7), np.arange(1.0, 4))
    b = np.arange(6.0)
    ours, theirs = cp.linalg.lstsq(cp.array(a), cp.array(b)), np.linalg.lstsq(a, b)
    assert ours[2] == theirs[2] == 1
    for i in (0, 1, 3):
        check(ours[i], theirs[i], ulp=2000, scale=100)


@pytest.mark.parametrize("rcond", [None, -1, 0, 1e-3, 0.5, 0.999, 1, 2.0])
def test_lstsq_of_any_rcond(rcond):
    """Those that are not between 0 and 1 stand for epsilon: LAPACK says so of negative ones, and does so of others."""
    a = np.array([[1.0, 1, 1], [2, 2, 2], [0, 1, 3], [1e-17, 0, 0]])
    b = np.ones(4)
    ours, theirs = cp.linalg.lstsq(cp.array(a), cp.array(b), rcond=rcond), np.linalg.lstsq(a, b, rcond=rcond)
    assert ours[2] == theirs[2]
    for i in (0, 1, 3):
        check(ours[i], theirs[i], ulp=2000, scale=100)


def test_tensors():
    a, b = matrix(np.float64, (2, 3, 6)), matrix(np.float64, (2, 3), 1)
    compare(lambda xp, a, b: xp.linalg.tensorsolve(a, b), a, b, ulp=200, scale=4)
    moved = np.moveaxis(a, 2, 0).copy()
    compare(lambda xp, a, b: xp.linalg.tensorsolve(a, b, axes=(0,)), moved, b, ulp=200, scale=4)
    compare(lambda xp, a: xp.linalg.tensorinv(a), a, ulp=200, scale=4)
    compare(lambda xp, a: xp.linalg.tensorinv(a, ind=1), np.moveaxis(a, 2, 0).copy(), ulp=200, scale=4)
    with pytest.raises(ValueError, match="Invalid ind"):
        cp.linalg.tensorinv(cp.array(a), 0)


def test_negative_powers():
    a = matrix(np.float64, (2, 4, 4)) + 4 * np.eye(4)
    for n in (-1, -2, -5):
        compare(lambda xp, a, n=n: xp.linalg.matrix_power(a, n), a, ulp=200, scale=1)
    compare(lambda xp, a: xp.linalg.matrix_power(a, -1), np.array([[2, 0], [0, 4]]))
