"""`scipy.linalg`: orthogonal factors."""

import cuproxide as cp
import cuproxide.scipy.linalg as ours
import numpy as np
import pytest
from helpers import check
from matrices import DTYPES, SHAPES, adjoint, host, matrix, near, pair, unitary

theirs = pytest.importorskip("scipy.linalg")


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
