"""Decompositions of `scipy.linalg` that SciPy takes from LAPACK: residuals, and values beside SciPy's."""

import cuproxide as cp
import cuproxide.scipy.linalg as ours
import cuproxide.scipy.linalg.interpolative as interpolative
import numpy as np
import pytest
import scipy.linalg
from launches import launches
from matrices import DTYPES, adjoint, hermitian, host, matrix, near, unitary

theirs = pytest.importorskip("scipy.linalg")


def orthogonal(dtype, n, seed=0, stack=()):
    return np.linalg.qr(matrix(dtype, (*stack, n, n), seed))[0]


# Updates of QR.


def is_qr(q, r, expected):
    q, r = host(q), host(r)
    assert q.dtype == r.dtype == expected.dtype
    near(q @ r, expected, factor=40)
    unitary(q)
    assert not np.tril(r, -1).any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["full", "economic"])
@pytest.mark.parametrize("shape", [(1, 1), (6, 6), (9, 4), (40, 25), (4, 9)])
def test_qr_updates(dtype, mode, shape):
    m, n = shape
    a = matrix(dtype, shape)
    q, r = theirs.qr(a, mode=mode)
    q_, r_ = cp.array(q), cp.array(r)
    for p in (1, 3):
        u, v = matrix(dtype, (m, p), 1), matrix(dtype, (n, p), 2)
        is_qr(*ours.qr_update(q_, r_, cp.array(u), cp.array(v)), a + u @ adjoint(v))
        for k in (0, m // 2, m, -1):
            rows = matrix(dtype, (p, n), 3)
            is_qr(*ours.qr_insert(q_, r_, cp.array(rows), k), np.insert(a, [k] * p, rows, 0))
        for k in (0, n // 2, n, -1):
            columns = matrix(dtype, (m, p), 4)
            is_qr(*ours.qr_insert(q_, r_, cp.array(columns), k, "col"), np.insert(a, [k] * p, columns, 1))
        for k in (0, m // 2):
            if m - p >= 1 and k + p <= m and (mode == "full" or m > n):
                is_qr(*ours.qr_delete(q_, r_, k, p), np.delete(a, range(k, k + p), 0))
        for k in (0, n // 2):
            if n - p >= 1 and k + p <= n:
                is_qr(*ours.qr_delete(q_, r_, k, p, "col"), np.delete(a, range(k, k + p), 1))
    is_qr(*ours.qr_update(q_, r_, cp.array(u[:, 0]), cp.array(v[:, 0])), a + np.outer(u[:, 0], v[:, 0].conj()))
    is_qr(*ours.qr_insert(q_, r_, cp.array(rows[0]), 0), np.insert(a, 0, rows[0], 0))
    is_qr(*ours.qr_insert(q_, r_, cp.array(columns[:, 0]), 0, "col"), np.insert(a, 0, columns[:, 0], 1))


@pytest.mark.parametrize("mode", ["full", "economic"])
@pytest.mark.parametrize("shape", [(7, 7), (8, 3)])
def test_shapes_and_errors_of_qr_updates(mode, shape):
    m, n = shape
    q, r = theirs.qr(matrix(np.float64, shape), mode=mode)
    cases = [
        ("qr_delete", (0, 1)),
        ("qr_delete", (-1,)),
        ("qr_delete", (m,)),
        ("qr_delete", (-m - 1,)),
        ("qr_delete", (1, 0)),
        ("qr_delete", (m - 1, 2)),
        ("qr_delete", (0, n - 1, "col")),
        ("qr_delete", (0, n + 1, "col")),
        ("qr_delete", (0, 1, "odd")),
        ("qr_delete", (0, m - n + 1) if m > n else (0, 2)),
        ("qr_insert", (np.ones(n + 1), 0)),
        ("qr_insert", (np.ones(n), m + 1)),
        ("qr_insert", (np.ones(n), m)),
        ("qr_insert", (np.ones(m + 1), 0, "col")),
        ("qr_insert", (np.ones((m, m)), n, "col")),
        ("qr_update", (np.ones(m + 1), np.ones(n))),
        ("qr_update", (np.ones(m), np.ones(n + 1))),
        ("qr_update", (np.ones((m, 2)), np.ones((n, 1)))),
        ("qr_update", (np.full(m, np.nan), np.ones(n))),
    ]
    for name, args in cases:
        given = [cp.array(a) if isinstance(a, np.ndarray) else a for a in args]
        try:
            expected = getattr(theirs, name)(q, r, *args)
        except ValueError as error:
            with pytest.raises(type(error), match=r"."):
                getattr(ours, name)(cp.array(q), cp.array(r), *given)
            continue
        actual = getattr(ours, name)(cp.array(q), cp.array(r), *given)
        assert [x.shape for x in actual] == [x.shape for x in expected], (name, args)
    if mode == "economic" and m > n:
        with pytest.raises(np.linalg.LinAlgError, match="span of Q"):
            ours.qr_insert(cp.array(q), cp.array(r), cp.array(q[:, 0] + q[:, 1]), 0, "col")


# The cosine-sine decomposition.


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("m", "p", "q"),
    [(2, 1, 1), (5, 2, 3), (5, 3, 2), (5, 1, 4), (6, 3, 3), (7, 5, 5), (7, 2, 2), (8, 7, 1), (9, 6, 2), (30, 12, 17)],
)
@pytest.mark.parametrize("swap", [False, True])
def test_cossin(dtype, m, p, q, swap):
    x = orthogonal(dtype, m)
    u, cs, vh = ours.cossin(cp.array(x), p, q, swap_sign=swap)
    expected = theirs.cossin(x, p, q, swap_sign=swap)[1]
    assert cs.dtype == expected.dtype
    near(host(cs), expected.astype(x.dtype), x)
    unitary(host(u))
    unitary(host(vh))
    near(host(u) @ host(cs) @ host(vh), x)
    assert not host(u)[:p, p:].any()
    assert not host(vh)[q:, :q].any()
    (u1, u2), theta, (v1h, v2h) = ours.cossin(
        [cp.array(block) for block in (x[:p, :q], x[:p, q:], x[p:, :q], x[p:, q:])], separate=True, swap_sign=swap
    )
    assert theta.dtype == x.real.dtype
    assert [y.shape[0] for y in (u1, u2, v1h, v2h)] == [p, m - p, q, m - q]
    np.testing.assert_array_equal(host(u1), host(u)[:p, :p])
    assert ours.cossin(cp.array(x), p, q, compute_u=False)[0].size == 0


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_cossin_with_angles_next_to_zero_and_right_ones(dtype):
    # Cosines say nothing about such sines, nor the other way round.
    theta = np.array([0, 0, 1e-12, 1e-9, 1.7e-9, 1e-8, 0.3, 0.3, np.pi / 2 - 1e-9, np.pi / 2])
    n = len(theta)
    c, s = np.diag(np.cos(theta)), np.diag(np.sin(theta))
    turns = [orthogonal(dtype, n, seed) for seed in range(4)]
    blocks = [turns[0] @ c @ turns[2], -turns[0] @ s @ turns[3], turns[1] @ s @ turns[2], turns[1] @ c @ turns[3]]
    x = np.block([blocks[:2], blocks[2:]])
    u, cs, vh = map(host, ours.cossin(cp.array(x), n, n))
    near(u @ cs @ vh, x)
    unitary(u)
    unitary(vh)
    (_, _), found, (_, _) = ours.cossin(cp.array(x), n, n, separate=True)
    np.testing.assert_allclose(host(found), theta, rtol=0, atol=1e-14)


def test_cossin_of_stacks_and_errors():
    x = orthogonal(np.float64, 5, stack=(2, 3))
    u, cs, vh = map(host, ours.cossin(cp.array(x), 2, 3))
    near(u @ cs @ vh, x)
    for args in [(x[0, 0], 5, 2), (x[0, 0], 2, 0), (x[0, 0], -1, 2), (x[0, 0, :4], 2, 2), (1.5,), ([x[0, 0]] * 3,)]:
        first = [cp.array(a) for a in args[0]] if isinstance(args[0], list) else args[0]
        first = cp.array(first) if isinstance(first, np.ndarray) else first
        with pytest.raises(ValueError, match=r"."):
            theirs.cossin(*args)
        with pytest.raises(ValueError, match=r"."):
            ours.cossin(first, *args[1:])
    with pytest.raises(ValueError, match="square array"):
        ours.cossin([cp.eye(2), cp.ones((2, 3)), cp.ones((1, 2)), cp.ones((1, 3))])


# Symmetric factors.


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 33])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("hermitian_", [False, True])
def test_ldl(dtype, n, lower, hermitian_):
    a = matrix(dtype, (n, n))
    a = a + (adjoint(a) if hermitian_ else a.T)
    a[: n // 2, : n // 2] *= 1e-3
    if n > 2:
        a[0, 0] = a[1, 1] = 0
    triangle = np.tril(a) if lower else np.triu(a)
    lu, d, perm = map(host, ours.ldl(cp.array(triangle), lower, hermitian_))
    expected = theirs.ldl(triangle, lower, hermitian_)
    near(lu @ d @ (adjoint(lu) if hermitian_ else lu.T), a)
    np.testing.assert_array_equal(perm, expected[2])
    near(lu, expected[0], factor=200)
    near(d, expected[1], factor=200)
    assert not (np.triu if lower else np.tril)(lu[perm] - np.eye(n), 0).any()


def test_ldl_of_edges():
    for a in (np.zeros((4, 4)), np.array([[0.0, 1], [1, 0]]), np.diag([1.0, 0, 2])):
        for mine, other in zip(ours.ldl(cp.array(a)), theirs.ldl(a), strict=True):
            np.testing.assert_array_equal(host(mine), other)
    stack = hermitian(np.complex128, (2, 3, 5, 5))
    lu, d, perm = map(host, ours.ldl(cp.array(stack)))
    assert perm.shape == (2, 3, 5)
    near(lu @ d @ adjoint(lu), stack)
    assert [x.shape for x in ours.ldl(cp.zeros((0, 0)))] == [(0, 0), (0, 0), (0,)]
    with pytest.raises(ValueError, match="square"):
        ours.ldl(cp.ones((2, 3)))
    with pytest.raises(ValueError, match="infs or NaNs"):
        ours.ldl(cp.full((2, 2), np.nan))
    with pytest.warns(np.exceptions.ComplexWarning):
        ours.ldl(cp.array([[1j, 0], [0, 1]]))


# Balancing.


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 20])
@pytest.mark.parametrize("density", [0.1, 0.3, 1.0])
def test_matrix_balance(dtype, n, density):
    rng = np.random.default_rng(n)
    a = matrix(dtype, (n, n)) * 2.0 ** rng.integers(-12, 12, (n, n))
    a = np.where(rng.random((n, n)) < density, a, 0).astype(dtype)
    for permute in (False, True):
        for scale in (False, True):
            balanced, (factors, order) = ours.matrix_balance(cp.array(a), permute, scale, separate=True)
            expected, (scales, perm) = theirs.matrix_balance(a, permute, scale, separate=True)
            np.testing.assert_array_equal(host(order), perm)
            np.testing.assert_array_equal(host(factors), scales)
            np.testing.assert_array_equal(host(balanced), expected)
            transform = host(ours.matrix_balance(cp.array(a), permute, scale)[1])
            np.testing.assert_array_equal(transform, theirs.matrix_balance(a, permute, scale)[1])


@pytest.mark.parametrize("seed", range(12))
def test_matrix_balance_takes_the_steps_of_lapack(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    a = rng.standard_normal((n, n)) * 10.0 ** rng.integers(-8, 9, (n, 1)) * 10.0 ** rng.integers(-8, 9, (1, n))
    a = (a + 1j * rng.standard_normal((n, n)) if seed % 3 == 0 else a).astype("FDfd"[seed % 2 + 2 * (seed % 3 != 0)])
    a[rng.random((n, n)) < 0.5] = 0
    a = np.triu(a)[::-1, ::-1] if seed % 4 == 0 else a
    for permute, scale in [(True, True), (True, False), (False, True)]:
        balanced, (factors, order) = ours.matrix_balance(cp.array(a), permute, scale, separate=True)
        expected, (scales, perm) = theirs.matrix_balance(a, permute, scale, separate=True)
        np.testing.assert_array_equal(host(balanced), expected)
        np.testing.assert_array_equal(host(factors), scales)
        np.testing.assert_array_equal(host(order), perm)


def test_matrix_balance_launches_as_often_for_any_matrix():
    counts = []
    for shape in [(3, 3), (30, 30), (20, 30, 30)]:
        a = cp.array(np.random.default_rng(0).standard_normal(shape))
        counts.append(launches(lambda: ours.matrix_balance(a, separate=True)))  # noqa: B023
    assert len(set(counts)) == 1


def test_matrix_balance_of_stacks_and_errors():
    a = matrix(np.float64, (2, 3, 4, 4)) * 2.0 ** np.arange(-8, 8).reshape(4, 4)
    balanced, transform = map(host, ours.matrix_balance(cp.array(a)))
    np.testing.assert_allclose(transform @ balanced, a @ transform, rtol=1e-13)
    assert ours.matrix_balance(cp.zeros((0, 0)))[0].shape == (0, 0)
    with pytest.raises(ValueError, match="square"):
        ours.matrix_balance(cp.ones((2, 3)))
    with pytest.raises(ValueError, match="infs or NaNs"):
        ours.matrix_balance(cp.array([[np.inf]]))


# Pencils.


def is_form(aa, bb, q, z, a, b, real):
    unitary(q)
    unitary(z)
    near(q @ aa @ adjoint(z), a, factor=100)
    near(q @ bb @ adjoint(z), b, factor=100)
    assert not np.tril(bb, -1).any()
    diagonal = bb.diagonal()
    assert np.all(diagonal.imag == 0)
    assert np.all(diagonal.real >= 0)
    below = aa.diagonal(-1) != 0
    assert not np.tril(aa, -2).any()
    assert not below.any() if not real else not (below[1:] & below[:-1]).any()
    for k in np.flatnonzero(below):
        assert bb[k, k + 1] == 0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 30])
@pytest.mark.parametrize("output", ["real", "complex"])
def test_qz(dtype, n, output):
    a, b = matrix(dtype, (n, n), 1), matrix(dtype, (n, n), 2)
    forms = [host(x) for x in ours.qz(cp.array(a), cp.array(b), output)]
    wanted = np.result_type(dtype, np.complex64) if output == "complex" else np.dtype(dtype)
    assert {x.dtype for x in forms} == {wanted}
    is_form(*forms, a.astype(wanted), b.astype(wanted), wanted.kind == "f")


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("sort", ["lhp", "rhp", "iuc", "ouc", lambda alpha, beta: abs(alpha) > 2 * abs(beta)])
def test_ordqz(dtype, sort):
    n = 12
    a, b = matrix(dtype, (n, n), 3), matrix(dtype, (n, n), 4)
    aa, bb, alpha, beta, q, z = map(host, ours.ordqz(cp.array(a), cp.array(b), sort))
    is_form(aa, bb, q, z, a, b, dtype == np.float64)
    expected = theirs.ordqz(a, b, sort)
    values, other = alpha / beta, expected[2] / expected[3]
    count = {"lhp": other.real < 0, "rhp": other.real > 0, "iuc": abs(other) < 1, "ouc": abs(other) > 1}
    chosen = int(np.sum(count[sort] if isinstance(sort, str) else abs(other) > 2))
    for part in (slice(0, chosen), slice(chosen, None)):
        distance = abs(values[part, None] - other[None, part])
        assert distance.min(0).max(initial=0) < 1e-9 * abs(other).max()
        assert distance.min(1).max(initial=0) < 1e-9 * abs(other).max()


def test_pencils_with_a_singular_matrix():
    a, b = matrix(np.float64, (6, 6), 5), matrix(np.float64, (6, 6), 6)
    b[:, 2] = 0
    aa, bb, alpha, beta, q, z = map(host, ours.ordqz(cp.array(a), cp.array(b), "ouc"))
    is_form(aa, bb, q, z, a, b, True)
    assert np.sum(beta == 0) == 1
    assert np.sum(theirs.ordqz(a, b, "ouc")[3] == 0) <= 1
    is_form(*map(host, ours.qz(cp.array(a), cp.zeros((6, 6)))), a, np.zeros((6, 6)), True)


def test_pencils_of_stacks_and_errors():
    a, b = matrix(np.float64, (2, 3, 4, 4), 7), matrix(np.float64, (3, 4, 4), 8)
    aa, bb, q, z = map(host, ours.qz(cp.array(a), cp.array(b)))
    near(q @ aa @ adjoint(z), a, factor=100)
    near(q @ bb @ adjoint(z), np.broadcast_to(b, a.shape), factor=100)
    one = cp.ones((2, 2))
    for call in (
        lambda: ours.qz(one, cp.ones((3, 3))),
        lambda: ours.qz(one, one, output="odd"),
        lambda: ours.qz(one, one, sort="lhp"),
        lambda: ours.qz(one * np.nan, one),
        lambda: ours.ordqz(one, one, sort="odd"),
    ):
        with pytest.raises(ValueError, match=r"."):
            call()
    assert [x.shape for x in ours.qz(cp.ones((0, 0)), cp.ones((0, 0)))] == [(0, 0)] * 4


# Sketches and interpolative decompositions.


@pytest.mark.parametrize("dtype", [*DTYPES, np.int32])
def test_clarkson_woodruff(dtype):
    rows = 40
    sketch = host(ours.clarkson_woodruff_transform(cp.eye(300, dtype=dtype), rows, 3))
    assert sketch.shape == (rows, 300)
    # Each row of the input goes to one row, with a sign; all rows are taken and both signs.
    assert np.all((sketch != 0).sum(0) == 1)
    assert set(sketch[sketch != 0]) == {1, -1}
    assert np.all((sketch != 0).any(1))
    a = (matrix(np.float64, (300, 4)) * 10).astype(dtype)
    near(host(ours.clarkson_woodruff_transform(cp.array(a), rows, 3)), sketch @ a)
    stack = np.stack([a, 2 * a])
    near(host(ours.clarkson_woodruff_transform(cp.array(stack), rows, 3)), sketch @ stack)


def test_clarkson_woodruff_keeps_norms_and_refuses():
    a = matrix(np.float64, (5000, 3))
    sketch = host(ours.clarkson_woodruff_transform(cp.array(a), 800, rng=cp.random.default_rng(1)))
    lengths = np.linalg.norm(sketch, axis=0) / np.linalg.norm(a, axis=0)
    assert np.all(abs(lengths - 1) < 0.2)
    with pytest.raises(ValueError, match="sketch_size"):
        ours.clarkson_woodruff_transform(cp.array(a), 0)
    with pytest.raises(TypeError):
        ours.clarkson_woodruff_transform(cp.array(a), 2, 1, seed=1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(40, 25), (25, 40)])
def test_interpolative(dtype, shape):
    rank = 7
    a = matrix(dtype, (shape[0], rank), 1) @ matrix(dtype, (rank, shape[1]), 2)
    eps = 1e-4 if np.dtype(dtype) in (np.float32, np.complex64) else 1e-9
    a_ = cp.array(a)
    for rand in (False, True):
        found, *parts = interpolative.interp_decomp(a_, eps, rand)
        assert found == rank
        for idx, proj in (parts, interpolative.interp_decomp(a_, rank, rand, 1)):
            assert idx.dtype == np.int64
            skeleton = interpolative.reconstruct_skel_matrix(a_, rank, idx)
            np.testing.assert_array_equal(host(skeleton), a[:, host(idx)[:rank]])
            near(host(interpolative.reconstruct_matrix_from_id(skeleton, idx, proj)), a, factor=50)
            u, s, v = map(host, interpolative.id_to_svd(skeleton, idx, proj))
            near((u * s) @ adjoint(v), a, factor=50)
            unitary(u)
            unitary(v)
            near(s[None], np.linalg.svd(a, compute_uv=False)[None, :rank], factor=50)
        for request in (eps, rank):
            u, s, v = map(host, interpolative.svd(a_, request, rand, 2))
            near((u * s) @ adjoint(v), a, factor=50)
    assert interpolative.estimate_rank(a_, eps) == rank
    norm = np.linalg.norm(a, 2)
    assert abs(interpolative.estimate_spectral_norm(a_, rng=1) / norm - 1) < 0.02
    near_zero = interpolative.estimate_spectral_norm_diff(
        a_, a_ + a_.dtype.type(eps) * cp.eye(*shape, dtype=dtype), rng=1
    )
    assert abs(near_zero / eps - 1) < 0.1


def test_interpolative_refuses():
    with pytest.raises(ValueError, match="rank"):
        interpolative.interp_decomp(cp.ones((3, 4)), 4)
    with pytest.raises(ValueError, match="one matrix"):
        interpolative.svd(cp.ones((2, 3, 4)), 1)
    with pytest.raises(ValueError, match="eps"):
        interpolative.estimate_rank(cp.ones((3, 4)), 2)
    with pytest.raises(ValueError, match="differ"):
        interpolative.estimate_spectral_norm_diff(cp.ones((3, 4)), cp.ones((4, 3)))


def test_riccati_equations_of_numbers():
    a, b, q = [[4, 3], [-4.5, -3.5]], [[1], [-1]], [[9, 6], [6, 4]]
    for name, r in (("solve_continuous_are", 1), ("solve_discrete_are", 1.0), ("solve_continuous_are", [1.0])):
        solve, other = getattr(ours, name), getattr(scipy.linalg, name)
        np.testing.assert_allclose(solve(a, b, q, r).get(), other(a, b, q, r), rtol=1e-8)
    np.testing.assert_allclose(ours.solve_continuous_are(1.0, 1.0, 1.0, 1.0).get(), [[1 + 2**0.5]])


def test_permutations_are_of_32_bits():
    a = np.random.default_rng(0).normal(size=(4, 4))
    p, low, up = ours.lu(cp.asarray(a), p_indices=True)
    assert p.dtype == scipy.linalg.lu(a, p_indices=True)[0].dtype == np.int32
    np.testing.assert_allclose((low[p] @ up).get(), a, atol=1e-14)


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array"])
def test_sketches_of_sparse_matrices(kind):
    dense = np.where(np.random.default_rng(1).random((100, 5)) < 0.3, 1.5, 0)
    a = getattr(cp.scipy.sparse, kind)(cp.asarray(dense))
    sketch = ours.clarkson_woodruff_transform(a, 20, rng=3)
    assert sketch.shape == (20, 5)
    assert isinstance(sketch, cp.scipy.sparse.sparray) == kind.endswith("array")
    expected = ours.clarkson_woodruff_transform(cp.asarray(dense), 20, rng=3)
    np.testing.assert_allclose(sketch.toarray().get(), expected.get(), atol=1e-14)
