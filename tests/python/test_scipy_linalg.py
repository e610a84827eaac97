"""`scipy.linalg` on the device: residuals, and values beside SciPy's."""

import inspect

import cuproxide as cp
import cuproxide.scipy.linalg as ours
import numpy as np
import pytest
from helpers import check, in_layout, same_error, to_device

theirs = pytest.importorskip("scipy.linalg")

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]
SIDES = [1, 2, 3, 5, 17, 40, 70]
STACKS = [(), (3,), (2, 0), (2, 1, 2)]
SHAPES = [(1, 1), (4, 4), (7, 3), (3, 7), (40, 20)]


def matrix(dtype, shape, seed=0):
    rng = np.random.default_rng([seed, *shape])
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def adjoint(a):
    return np.swapaxes(a, -1, -2).conj()


def positive(dtype, shape, seed=0):
    a = matrix(dtype, shape, seed)
    return (a @ adjoint(a) + shape[-1] * np.eye(shape[-1])).astype(dtype)


def hermitian(dtype, shape, seed=0):
    a = matrix(dtype, shape, seed)
    return (a + adjoint(a)) / 2


def host(value):
    return tuple(map(cp.asnumpy, value)) if isinstance(value, tuple) else cp.asnumpy(value)


def near(actual, expected, size=None, factor=10):
    """`norm(actual - expected) <= factor * n * eps * norm(size)` for each matrix."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    if actual.size == 0:
        return
    size = expected if size is None else size
    error = np.linalg.norm(actual - expected, axis=(-2, -1))
    n = max(actual.shape[-2:])
    limit = factor * n * np.finfo(actual.dtype).eps * np.linalg.norm(size, axis=(-2, -1))
    assert np.all(error <= limit), float((error / np.maximum(limit, 1e-300)).max())


def unitary(q):
    near(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1], dtype=q.dtype), (*q.shape[:-2], *q.shape[-1:] * 2)))


def pair(name, *args, ulp=0, scale=None, **kwargs):
    """A function of both libraries gives the same, or the same type of exception."""

    def call(module, convert):
        return getattr(module, name)(*[convert(a) for a in args], **kwargs)

    try:
        expected = call(theirs, lambda a: a)
    except Exception:
        same_error(
            lambda: call(ours, lambda a: cp.array(a) if isinstance(a, np.ndarray) else a),
            lambda: call(theirs, lambda a: a),
        )
        return
    actual = call(ours, lambda a: to_device(a) if isinstance(a, np.ndarray) else a)
    check(actual, expected, ulp=ulp, scale=scale)


# Triangular factors.


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


# Orthogonal factors.


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (3, 5, 4), (2, 4, 5), (0, 3), (3, 0), (0, 4, 4)], ids=str)
def test_qr(dtype, shape):
    a = matrix(dtype, shape)
    k = min(shape[-2:])
    for mode in ("full", "economic"):
        for pivoting in (False, True):
            q, r, *p = host(ours.qr(cp.array(a), mode=mode, pivoting=pivoting))
            if a.ndim == 2:
                assert [x.shape for x in (q, r, *p)] == [x.shape for x in theirs.qr(a, mode=mode, pivoting=pivoting)]
            unitary(q)
            assert np.array_equal(r, np.triu(r)) and q.dtype == r.dtype == dtype
            near(q @ r, np.take_along_axis(a, p[0][..., None, :], -1) if p else a)
            if p and a.size:
                d = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
                assert np.all(d[..., 1:] <= d[..., :-1] * (1 + 1e-3))
                assert np.array_equal(np.sort(p[0], -1), np.broadcast_to(np.arange(shape[-1]), p[0].shape))
    (only,) = host(ours.qr(cp.array(a), mode="r"))
    assert only.shape == a.shape
    (reflections, tau), r = ours.qr(cp.array(a), mode="raw")
    assert reflections.shape == a.shape and tau.shape[-1] == k and r.shape[-2] == k


@pytest.mark.parametrize("shape", [(5, 5), (6, 4), (4, 6)], ids=str)
def test_pivots_are_lapacks(shape):
    for dtype in DTYPES:
        a = matrix(dtype, shape, 3)
        check(ours.qr(cp.array(a), pivoting=True)[2], theirs.qr(a, pivoting=True)[2])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5, 5), (3, 6), (6, 3), (2, 3, 5), (1, 1)], ids=str)
@pytest.mark.parametrize("mode", ["full", "economic"])
def test_rq(dtype, shape, mode):
    a = matrix(dtype, shape)
    r, q = host(ours.rq(cp.array(a), mode=mode))
    if a.ndim == 2:
        assert [x.shape for x in (r, q)] == [x.shape for x in theirs.rq(a, mode=mode)]
    near(r @ q, a)
    unitary(adjoint(q))
    rows, columns = r.shape[-2:]
    assert np.array_equal(r, np.triu(r, columns - rows))
    assert np.array_equal(host(ours.rq(cp.array(a), mode="r")), host(ours.rq(cp.array(a)))[0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_qr_multiply(dtype):
    a, c = matrix(dtype, (6, 4)), matrix(dtype, (3, 6), 1)
    for right, mode in ((c, "right"), (c[0], "right"), (matrix(dtype, (4, 2)), "left"), (matrix(dtype, (4,)), "left")):
        for conjugate in (False, True):
            mine = ours.qr_multiply(cp.array(a), cp.array(right), mode, conjugate=conjugate)
            other = theirs.qr_multiply(a, right, mode, conjugate=conjugate)
            assert mine[0].shape == other[0].shape and mine[1].shape == other[1].shape
            q = host(ours.qr(cp.array(a), mode="economic")[0])
            q = q.conj() if conjugate else q
            expected = q @ right if mode == "left" else right @ q
            check(mine[0], expected.astype(dtype), ulp=100, scale=3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5, 5), (6, 3), (3, 6), (2, 4, 4)], ids=str)
def test_svd_and_polar(dtype, shape):
    a = matrix(dtype, shape)
    u, s, vh = host(ours.svd(cp.array(a), full_matrices=False))
    near((u * s[..., None, :]) @ vh, a)
    check(ours.svdvals(cp.array(a)), theirs.svdvals(a), ulp=100, scale=4)
    for side in ("right", "left"):
        u, p = host(ours.polar(cp.array(a), side))
        near(u @ p if side == "right" else p @ u, a)
        near(p, adjoint(p))
        if a.ndim == 2:
            other = theirs.polar(a, side)
            near(u, other[0], factor=100)
            near(p, other[1], factor=100)
    if a.ndim == 2:
        s = np.array([3.0, 2, 1])
        pair("diagsvd", s, 3, 5)
        pair("diagsvd", s, 5, 3)
        pair("diagsvd", s, 2, 5)
    with pytest.raises(ValueError, match="lapack_driver"):
        ours.svd(cp.array(a), lapack_driver="other")


@pytest.mark.parametrize("dtype", DTYPES)
def test_ranges(dtype):
    a = matrix(dtype, (6, 2)) @ matrix(dtype, (2, 5), 1)
    q, z = host(ours.orth(cp.array(a))), host(ours.null_space(cp.array(a)))
    assert q.shape == theirs.orth(a).shape == (6, 2) and z.shape == theirs.null_space(a).shape == (5, 3)
    unitary(q)
    unitary(z)
    near(q @ (adjoint(q) @ a), a, factor=50)
    assert np.abs(a @ z).max() < 100 * np.finfo(dtype).eps * np.abs(a).max()
    first, second = matrix(dtype, (7, 3)), matrix(dtype, (7, 2), 1)
    for x, y in ((first, second), (second, first), (first, first[:, :2])):
        angles, expected = host(ours.subspace_angles(cp.array(x), cp.array(y))), theirs.subspace_angles(x, y)
        assert angles.shape == expected.shape
        np.testing.assert_allclose(angles, expected, atol=100 * np.finfo(dtype).eps)
    r, total = ours.orthogonal_procrustes(cp.array(first), cp.array(matrix(dtype, (7, 3), 2)))
    expected = theirs.orthogonal_procrustes(first, matrix(dtype, (7, 3), 2))
    near(host(r), expected[0], factor=100)
    assert abs(float(total) - expected[1]) < 100 * np.finfo(dtype).eps * expected[1]


# Eigenvalues and forms.


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


# Functions.


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 20])
@pytest.mark.parametrize("size", [1e-8, 0.1, 1.0, 8.0])
def test_expm(dtype, n, size):
    a = (matrix(dtype, (n, n)) * size / n**0.5).astype(dtype)
    expected = theirs.expm(a.astype(np.result_type(dtype, np.float64)))
    actual = host(ours.expm(cp.array(a)))
    assert actual.dtype == dtype
    near(actual, expected.astype(dtype), factor=40 * max(1, size))


@pytest.mark.parametrize("name", ["cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_trigonometric(name, dtype):
    a = (matrix(dtype, (5, 5)) / 4).astype(dtype)
    wide = np.result_type(dtype, np.float64)
    actual = host(getattr(ours, name)(cp.array(a)))
    assert actual.dtype == dtype
    near(actual, getattr(theirs, name)(a.astype(wide)).astype(dtype), factor=20)
    stack = np.stack([a, a / 2])
    near(host(getattr(ours, name)(cp.array(stack)))[1], host(getattr(ours, name)(cp.array(a / 2))))


def test_expm_of_edges():
    check(ours.expm(cp.zeros((3, 3))), np.eye(3))
    assert ours.expm(cp.zeros((0, 0))).shape == (0, 0) and ours.expm(cp.zeros((2, 0, 0))).shape == (2, 0, 0)
    stack = np.stack([np.zeros((3, 3)), 20 * matrix(np.float64, (3, 3)), 1e-9 * np.eye(3)])
    near(host(ours.expm(cp.array(stack))), np.stack([theirs.expm(a) for a in stack]), factor=200)
    assert np.isnan(host(ours.expm(cp.array([[np.nan, 0], [0, 1]])))).any()
    pair("expm", np.ones((2, 3)))
    check(ours.expm(cp.array([[0, 1], [0, 0]])), np.array([[1.0, 1], [0, 1]]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_roots_and_logarithms(dtype, n):
    wide = np.result_type(dtype, np.float64)
    for a in (positive(dtype, (n, n)), (matrix(dtype, (n, n)) + 3 * n**0.5 * np.eye(n)).astype(dtype)):
        root = host(ours.sqrtm(cp.array(a)))
        near(root @ root, a, factor=50)
        assert root.dtype == dtype
        logarithm = host(ours.logm(cp.array(a)))
        near(logarithm, theirs.logm(a.astype(wide)).astype(dtype), factor=100)
        assert logarithm.dtype == dtype
        power = host(ours.fractional_matrix_power(cp.array(a), 0.3))
        near(power, theirs.fractional_matrix_power(a.astype(wide), 0.3).astype(dtype), factor=100)
        power = host(ours.fractional_matrix_power(cp.array(a), -1.7))
        near(power, theirs.fractional_matrix_power(a.astype(wide), -1.7).astype(dtype), factor=1000)
        sign = host(ours.signm(cp.array(a)))
        near(sign, np.eye(n, dtype=dtype), factor=100)
    stack = np.stack([a, 2 * a])
    near(host(ours.logm(cp.array(stack)))[0], logarithm, factor=100)
    near(host(ours.sqrtm(cp.array(stack)))[0], root, factor=100)


def test_roots_of_negative_values_are_complex():
    a = np.array([[-4.0, 1], [0, 9]])
    root = host(ours.sqrtm(cp.array(a)))
    near(root, theirs.sqrtm(a))
    near(host(ours.logm(cp.array(a))), theirs.logm(a))
    root, error = ours.sqrtm(cp.array(a), disp=False)
    assert float(error) < 1e-14
    logarithm, error = ours.logm(cp.array(a), disp=False)
    assert float(error) < 1e-13
    rotation = np.array([[0.0, -1], [1, 0]])
    near(host(ours.logm(cp.array(rotation))), theirs.logm(rotation).real)
    check(ours.sqrtm(cp.zeros((2, 2))), np.zeros((2, 2)))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_functions_of_matrices(dtype):
    a = matrix(dtype, (6, 6)) / 3
    near(host(ours.funm(cp.array(a), cp.exp)), theirs.expm(a), factor=1e3)
    value, error = ours.funm(cp.array(a), cp.sin, disp=False)
    near(host(value), theirs.sinm(a), factor=1e3)
    assert 0 <= float(error) <= 1
    near(host(ours.signm(cp.array(a))), theirs.signm(a), factor=1e3)
    direction = matrix(dtype, (6, 6), 1)
    for mine, other in zip(
        ours.expm_frechet(cp.array(a), cp.array(direction)), theirs.expm_frechet(a, direction), strict=True
    ):
        near(host(mine), other, factor=50)
    small = a[:3, :3]
    if dtype == np.float64:
        assert abs(float(ours.expm_cond(cp.array(small))) / theirs.expm_cond(small) - 1) < 1e-10


# Equations.


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 8), (8, 3), (1, 6), (6, 1)], ids=str)
def test_sylvester(dtype, shape):
    a = matrix(dtype, (shape[0],) * 2) + 5 * np.eye(shape[0], dtype=dtype)
    b = matrix(dtype, (shape[1],) * 2, 1) + 5 * np.eye(shape[1], dtype=dtype)
    q = matrix(dtype, shape, 2)
    x = host(ours.solve_sylvester(cp.array(a), cp.array(b), cp.array(q)))
    assert x.dtype == dtype
    near(a @ x + x @ b, q, factor=100)
    near(x, theirs.solve_sylvester(a, b, q), factor=100)
    stack = host(ours.solve_sylvester(cp.array(np.stack([a, 2 * a])), cp.array(b), cp.array(q)))
    near(stack[0], x, factor=100)


def test_sylvester_refuses():
    with pytest.raises(np.linalg.LinAlgError):
        ours.solve_sylvester(cp.eye(2), -cp.eye(2), cp.ones((2, 2)))
    pair("solve_sylvester", np.eye(2), np.eye(3), np.ones((3, 2)))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("n", [1, 4, 12])
def test_lyapunov(dtype, n):
    a, q = matrix(dtype, (n, n)) / n**0.5, hermitian(dtype, (n, n), 1)
    check(
        ours.solve_continuous_lyapunov(cp.array(a), cp.array(q)),
        theirs.solve_continuous_lyapunov(a, q),
        ulp=1e5,
        scale=10,
    )
    for method in (None, "direct", "bilinear"):
        expected = theirs.solve_discrete_lyapunov(a / 2, q, method)
        check(ours.solve_discrete_lyapunov(cp.array(a / 2), cp.array(q), method), expected, ulp=1e4, scale=10)
    pair("solve_discrete_lyapunov", a, q, "odd")


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("extra", [(), ("e",), ("s",), ("e", "s")], ids=str)
def test_riccati(dtype, extra):
    n, m = 5, 2
    a, b = matrix(dtype, (n, n)), matrix(dtype, (n, m), 1)
    q, r = positive(dtype, (n, n), 2), positive(dtype, (m, m), 3)
    more = {}
    if "e" in extra:
        more["e"] = positive(dtype, (n, n), 4) / 5
    if "s" in extra:
        more["s"] = matrix(dtype, (n, m), 5) / 5
    device = {name: cp.array(value) for name, value in more.items()}
    operands = [cp.array(x) for x in (a, b, q, r)]
    near(
        host(ours.solve_continuous_are(*operands, **device)),
        theirs.solve_continuous_are(a, b, q, r, **more),
        factor=1e4,
    )
    near(host(ours.solve_discrete_are(*operands, **device)), theirs.solve_discrete_are(a, b, q, r, **more), factor=1e4)


def test_riccati_refuses():
    pair("solve_continuous_are", np.eye(2), np.ones((2, 1)), np.array([[0.0, 1], [0, 0]]), np.eye(1))
    with pytest.raises(np.linalg.LinAlgError):
        ours.solve_continuous_are(cp.array([[0.0, 1], [-1, 0]]), cp.zeros((2, 1)), cp.eye(2), cp.eye(1))


# Special matrices.


@pytest.mark.parametrize("dtype", [*DTYPES, np.int64])
@pytest.mark.parametrize("name", ["toeplitz", "hankel"])
@pytest.mark.parametrize("sizes", [(1, 1), (4, 4), (3, 6), (6, 3), (0, 3), (3, 0)], ids=str)
def test_constant_diagonals(name, sizes, dtype):
    c, r = (np.arange(1, n + 1).astype(dtype) for n in sizes)
    if np.dtype(dtype).kind == "c":
        c = c * (1 + 1j)
    pair(name, c.astype(dtype))
    pair(name, c.astype(dtype), -r)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9])
def test_special_matrices(n):
    values = np.arange(1.0, n + 1)
    for name in ("circulant", "fiedler"):
        pair(name, values)
    if n > 1:
        # Versions of SciPy differ in what a single coefficient gives.
        pair("companion", values * 2, ulp=2)
        pair("fiedler_companion", values * 2, ulp=2)
        pair("leslie", values, values[1:] / 10)
    pair("helmert", n, ulp=4)
    pair("helmert", n, full=True, ulp=4)
    pair("hilbert", n, ulp=1)
    pair("invhilbert", n)
    pair("invhilbert", n, exact=True)
    pair("hadamard", n)
    pair("hadamard", n, dtype=np.float32)
    for scale in (None, "sqrtn", "n", "odd"):
        pair("dft", n, scale, ulp=4 * n, scale=1)
    for kind in ("symmetric", "lower", "upper", "odd"):
        for exact in (True, False):
            pair("pascal", n, kind, exact)
            pair("invpascal", n, kind, exact, ulp=1)
    for mode in ("full", "same", "valid", "odd"):
        for length in (1, 2, 4, 7):
            pair("convolution_matrix", values, length, mode)
    pair("convolution_matrix", values, 0)


def test_special_matrices_of_stacks():
    c = matrix(np.float64, (3, 5))
    for name in ("toeplitz", "hankel", "circulant", "fiedler"):
        stack = host(getattr(ours, name)(cp.array(c)))
        assert np.array_equal(stack, np.stack([getattr(theirs, name)(row) for row in c]))
    large = 40
    with pytest.raises(ValueError, match="fit"):
        ours.pascal(large)
    with pytest.raises(ValueError, match="fit"):
        ours.invhilbert(large, exact=True)


def test_blocks_and_products():
    parts = [np.ones((2, 3), np.int32), np.full((1, 2), 2.5), np.array([7]), np.zeros((0, 2)), np.array([[1j]])]
    pair("block_diag", *parts)
    pair("block_diag")
    pair("block_diag", 1, 2.0, [[3, 4]])
    a, b = matrix(np.float64, (3, 4)), matrix(np.float64, (2, 4), 1)
    pair("khatri_rao", a, b)
    pair("khatri_rao", a, b[:, :3])


def test_what_a_matrix_is():
    for a in (np.eye(4), np.triu(np.ones((4, 6)), 1), np.tril(np.ones((5, 3)), -2), np.zeros((2, 2)), np.zeros((0, 3))):
        assert ours.bandwidth(cp.array(a)) == tuple(theirs.bandwidth(a))
    a = hermitian(np.complex128, (4, 4))
    for value in (a, a.real, a + 1e-12, a * 1j, np.zeros((0, 0))):
        for tolerance in ({}, {"atol": 1e-9}, {"rtol": 1e-9}):
            assert ours.ishermitian(cp.array(value), **tolerance) == theirs.ishermitian(value, **tolerance)
            assert ours.issymmetric(cp.array(value), **tolerance) == theirs.issymmetric(value, **tolerance)
    pair("ishermitian", np.ones((2, 3)))
    pair("issymmetric", np.ones(3))
    for order in (None, 1, 2, np.inf, "fro", "nuc"):
        pair("norm", a, order, ulp=50, scale=5)
    pair("norm", np.array([np.nan]))


@pytest.mark.parametrize("name", [name for name in ours.__all__ if inspect.isfunction(getattr(ours, name))])
def test_signatures_are_scipys(name):
    mine = inspect.signature(getattr(ours, name)).parameters
    other = inspect.signature(getattr(theirs, name)).parameters
    # What newer versions of SciPy have dropped stays.
    assert set(other) <= set(mine) <= {*other, "lwork", "disp", "blocksize", "overwrite_b"}
    for parameter in mine.values():
        if parameter.name in other:
            assert (parameter.default is parameter.empty) == (other[parameter.name].default is parameter.empty)


def test_errstate():
    assert cp.geterr() == {
        "divide": "ignore",
        "over": "ignore",
        "under": "ignore",
        "invalid": "ignore",
        "linalg": "raise",
    }
    before = cp.seterr(linalg="ignore")
    try:
        assert before["linalg"] == "raise" and cp.geterr()["linalg"] == "ignore"
        assert not np.isfinite(host(cp.linalg.inv(cp.zeros((2, 2))))).any()
    finally:
        cp.seterr(**before)
    with pytest.raises(np.linalg.LinAlgError):
        cp.linalg.inv(cp.zeros((2, 2)))
    with pytest.raises(ValueError, match="divide"):
        cp.seterr(divide="raise")
    with pytest.raises(ValueError, match="linalg"):
        cp.seterr(linalg="warn")

    @cp.errstate(linalg="ignore")
    def run():
        return cp.linalg.cholesky(cp.array([[-1.0]]))

    run()
    assert cp.geterr()["linalg"] == "raise"


def test_nothing_waits_where_failures_are_ignored():
    """No value is read back inside `errstate(linalg="ignore")`."""
    from cuproxide import _cuproxide as core

    a, b = cp.array(positive(np.float64, (5, 5))), cp.array(matrix(np.float64, (5, 2)))

    def run():
        cp.linalg.solve(a, b)
        cp.linalg.inv(a)
        cp.linalg.cholesky(a)
        cp.linalg.eigh(a)
        cp.linalg.svd(a)
        ours.cho_solve(ours.cho_factor(a, check_finite=False), b, check_finite=False)
        ours.lu_solve(ours.lu_factor(a, check_finite=False), b, check_finite=False)
        ours.solve_triangular(a, b, check_finite=False)

    with cp.errstate(linalg="ignore"):
        run()
        before = core.host_transfers()
        run()
        assert core.host_transfers() == before
