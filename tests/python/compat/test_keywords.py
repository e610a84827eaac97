"""Arguments that CuPy documents beyond those of NumPy and SciPy, and operands that it takes where these do not."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.spatial.distance

RANDOM = np.random.default_rng(9)


def test_distances_in_single_precision(cupy):
    from cupyx.scipy import ndimage

    image = RANDOM.random((7, 9)) > 0.2
    expected = scipy.ndimage.distance_transform_edt(image, sampling=[1, 2])
    for flag, dtype in ((True, np.float64), (False, np.float32)):
        found = ndimage.distance_transform_edt(
            cupy.asarray(image), [1, 2], block_params=(1, 1, 1), float64_distances=flag
        )
        assert found.dtype == dtype
        np.testing.assert_allclose(found.get(), expected, rtol=1e-6)
        out = cupy.zeros(image.shape, dtype)
        assert (
            ndimage.distance_transform_edt(cupy.asarray(image), [1, 2], distances=out, float64_distances=flag) is None
        )
        np.testing.assert_array_equal(out.get(), found.get())
        with pytest.raises(RuntimeError):
            wrong = cupy.zeros(image.shape, np.float32 if flag else np.float64)
            ndimage.distance_transform_edt(cupy.asarray(image), distances=wrong, float64_distances=flag)


@pytest.mark.parametrize(("length", "dtype"), [(128, np.int8), (129, np.int16), (40000, np.int32)])
def test_coordinates_of_the_smallest_type(cupy, length, dtype):
    from cupyx.scipy import ndimage

    values = np.arange(length) % 3
    found = ndimage.value_indices(cupy.asarray(values), adaptive_index_dtype=True)
    assert [places[0].dtype for places in found.values()] == [dtype] * 3
    for value, places in scipy.ndimage.value_indices(values).items():
        np.testing.assert_array_equal(found[value][0].get(), places[0])
    assert ndimage.value_indices(cupy.asarray(values))[0][0].dtype == np.int64


def test_textures_interpolate_as_memory_does(cupy):
    from cupyx.scipy import ndimage

    image, matrix = RANDOM.random((6, 7)).astype("f4"), np.array([[0.9, 0.1, 0.3], [-0.1, 1.1, 0], [0, 0, 1]])
    for order in (0, 1):
        found = ndimage.affine_transform(cupy.asarray(image), cupy.asarray(matrix), order=order, texture_memory=True)
        np.testing.assert_allclose(found.get(), scipy.ndimage.affine_transform(image, matrix, order=order), rtol=1e-5)


def test_footprints_may_be_tuples(cupy):
    from cupyx.scipy import ndimage

    image, shape = RANDOM.random((6, 7)), ((0, 1, 0), (1, 1, 1), (0, 1, 0))
    for name in ("median_filter", "minimum_filter", "maximum_filter", "grey_erosion", "grey_dilation"):
        found = getattr(ndimage, name)(cupy.asarray(image), footprint=shape)
        np.testing.assert_array_equal(found.get(), getattr(scipy.ndimage, name)(image, footprint=shape), err_msg=name)
    found = ndimage.rank_filter(cupy.asarray(image), 1, footprint=shape)
    np.testing.assert_array_equal(found.get(), scipy.ndimage.rank_filter(image, 1, footprint=shape))
    for name in ("binary_erosion", "binary_dilation", "binary_opening"):
        found = getattr(ndimage, name)(cupy.asarray(image > 0.3), structure=shape)
        np.testing.assert_array_equal(found.get(), getattr(scipy.ndimage, name)(image > 0.3, structure=shape))


def test_vectors_for_each_of_several_triangles(cupy):
    from cupyx.scipy import linalg

    a, b = np.triu(RANDOM.random((3, 3, 3))) + 2 * np.eye(3), RANDOM.random((3, 3))
    found = linalg.solve_triangular(cupy.asarray(a), cupy.asarray(b))
    expected = [scipy.linalg.solve_triangular(*pair) for pair in zip(a, b, strict=True)]
    np.testing.assert_allclose(found.get(), expected)
    columns = linalg.solve_triangular(cupy.asarray(a), cupy.asarray(b)[..., None])
    np.testing.assert_allclose(columns[..., 0].get(), expected)


def test_only_one_triangle_of_a_factor_is_read(cupy):
    import cupyx.linalg

    matrix = np.array([[4.0, 2, 1], [2, 5, 3], [1, 3, 6]])
    for lower in (True, False):
        factor = np.linalg.cholesky(matrix) if lower else np.linalg.cholesky(matrix).T
        other = np.triu(np.ones((3, 3), bool), 1) if lower else np.tril(np.ones((3, 3), bool), -1)
        spoiled = cupy.asarray(np.where(other, np.nan, factor))
        found = cupyx.linalg.cho_solve((spoiled, lower), cupy.asarray([1.0, 2, 3]))
        np.testing.assert_allclose(found.get(), np.linalg.solve(matrix, [1.0, 2, 3]))
        with pytest.raises(ValueError, match="infs or NaNs"):
            cupyx.linalg.cho_solve((cupy.asarray(np.where(~other, np.nan, 0)), lower), cupy.ones(3))


@pytest.mark.parametrize(
    "name", ["canberra", "cityblock", "euclidean", "chebyshev", "cosine", "sqeuclidean", "hamming"]
)
def test_vectors_with_a_first_axis(cupy, name):
    from cupyx.scipy.spatial import distance

    u, v = RANDOM.random((2, 1, 5))
    found = getattr(distance, name)(cupy.asarray(u), cupy.asarray(v))
    np.testing.assert_allclose(float(found), getattr(scipy.spatial.distance, name)(u[0], v[0]))
    with pytest.raises(ValueError, match="1-D"):
        getattr(distance, name)(cupy.ones((2, 5)), cupy.ones((2, 5)))
    assert getattr(cp.scipy.spatial.distance, name) is getattr(distance, name)


def test_lone_weights_of_dirichlet(cupy):
    generator = cupy.random.default_rng(1)
    assert generator.dirichlet(5.0).tolist() == [1.0]
    assert generator.dirichlet(5.0, size=(2, 3)).shape == (2, 3, 1)
    with pytest.raises(ValueError, match="alpha"):
        generator.dirichlet(-5.0)


def test_without_compat():
    for call in (
        lambda: cp.random.default_rng(1).dirichlet(5.0),
        lambda: cp.scipy.spatial.distance.canberra(cp.ones((1, 3)), cp.ones((1, 3))),
        lambda: cp.scipy.linalg.solve_triangular(cp.ones((2, 3, 3)), cp.ones((2, 3))),
    ):
        with pytest.raises(ValueError):
            call()


class Lazy:
    """An array of another library."""

    shape, dtype, ndim = (3, 1), np.dtype(float), 2

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: (name, args, kwargs)


def test_arrays_of_other_libraries_are_asked_themselves(cupy):
    lazy = Lazy()
    assert cupy.squeeze(lazy) == ("squeeze", (), {})
    assert cupy.sum(lazy, axis=0) == ("sum", (), {"axis": 0})
    assert cupy.mean(lazy, 1, keepdims=True) == ("mean", (1,), {"keepdims": True})
    assert cupy.amax(lazy) == ("max", (), {}) and cupy.amin(lazy) == ("min", (), {})
    for name in ("reshape", "take", "transpose", "std", "var", "argmax", "ravel", "diagonal"):
        assert getattr(cupy, name)(lazy, 1) == (name, (1,), {})
    assert cupy.sum([1, 2]) == 3 and cupy.copy([1, 2]).tolist() == [1, 2] and cupy.sum(np.float64(2)) == 2


def test_default_pools_by_their_private_names(cupy):
    assert cupy._default_memory_pool is cupy.get_default_memory_pool()
    assert cupy._default_pinned_memory_pool is cupy.get_default_pinned_memory_pool()
    assert not hasattr(cupy, "_default_nothing")


def test_arguments_of_cupyx_at_their_places(cupy):
    """Where SciPy has others there, or takes them by name alone."""
    from cupyx.scipy import ndimage, signal, spatial
    from cupyx.scipy.sparse import linalg as sparse_linalg

    image = cupy.asarray(RANDOM.random((5, 6)))
    for name, start in (("uniform_filter", (3,)), ("median_filter", (3, None)), ("rank_filter", (1, 3, None))):
        found = getattr(ndimage, name)(image, *start, None, "nearest", 0.0, 0, (1,))
        expected = getattr(scipy.ndimage, name)(image.get(), *start, None, "nearest", 0.0, 0, axes=(1,))
        np.testing.assert_allclose(found.get(), expected, rtol=1e-12)
    found = ndimage.gaussian_filter(image, 1.0, 0, None, "nearest", 0.0, 4.0, 2, (0,))
    expected = scipy.ndimage.gaussian_filter(image.get(), 1.0, 0, None, "nearest", 0.0, 4.0, radius=2, axes=(0,))
    np.testing.assert_allclose(found.get(), expected, rtol=1e-12)
    found = ndimage.affine_transform(image, cupy.eye(2) * 0.9, float64_coords=True)
    np.testing.assert_array_equal(found.get(), ndimage.affine_transform(image, cupy.eye(2) * 0.9).get())

    taps = scipy.signal.firwin(7, 0.3, window="hann", fs=3)
    np.testing.assert_allclose(signal.firwin(7, 0.3, None, "hann", True, True, 3).get(), taps, rtol=1e-12)
    taps = scipy.signal.firwin2(9, [0, 1, 2], [1, 1, 0], nfreqs=33, window="hann", fs=4)
    found = signal.firwin2(9, [0, 1, 2], [1, 1, 0], 33, "hann", None, False, 4)
    np.testing.assert_allclose(found.get(), taps, atol=1e-12)
    found = signal.windows.lanczos(6, False)
    np.testing.assert_allclose(found.get(), scipy.signal.windows.lanczos(6, sym=False), atol=1e-15)

    a, b, start = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 5]]), np.array([1.0, 2, 3]), np.array([0.1, 0.2, 0.3])
    solution = np.linalg.solve(a, b)
    x, _ = sparse_linalg.minres(cupy.asarray(a), cupy.asarray(b), None, 0.0, 1e-12, 50)
    np.testing.assert_allclose(x.get(), solution, rtol=1e-8)
    x, *_ = sparse_linalg.lsmr(cupy.asarray(a), cupy.asarray(b), cupy.asarray(start), 0.0, 1e-12, 1e-12)
    np.testing.assert_allclose(x.get(), solution, rtol=1e-8)
    out = cupy.empty((5, 5))
    assert spatial.distance.cdist(image, image, "euclidean", out) is out


def test_names_of_arguments_of_cupyx(cupy):
    from cupyx.scipy import linalg, ndimage, signal, spatial
    from cupyx.scipy.sparse import linalg as sparse_linalg

    a = cupy.asarray(np.diag([1.0, 2, 3, 4]))
    np.testing.assert_allclose(linalg.expm(a=a).get(), np.diag(np.exp([1.0, 2, 3, 4])), rtol=1e-12)
    assert ndimage.distance_transform_edt(image=a > 0).get().max() == 1.0
    steady = cupy.asarray(RANDOM.random(60))
    np.testing.assert_array_equal(
        signal.symiirorder1(input=steady, c0=0.5, z1=0.5).get(), signal.symiirorder1(steady, 0.5, 0.5).get()
    )
    np.testing.assert_allclose(sparse_linalg.eigsh(a=a, k=1, return_eigenvectors=False).get(), [4.0], rtol=1e-10)
    np.testing.assert_allclose(sparse_linalg.svds(a=a, k=1, return_singular_vectors=False).get(), [4.0], rtol=1e-10)
    x, _ = sparse_linalg.minres(a, cupy.ones(4), tol=1e-12)
    np.testing.assert_allclose(x.get(), [1, 1 / 2, 1 / 3, 1 / 4], rtol=1e-10)
    p, q = cupy.asarray([0.1, 0.9]), cupy.asarray([0.5, 0.5])
    single = spatial.distance.jensenshannon(p, q)
    assert spatial.distance.jensenshannon(u=p, v=q) == single
    # A row is a vector.
    rows = spatial.distance.jensenshannon(p[None], q[None])
    assert rows.shape == () and rows == single > 0.3
    assert spatial.distance.jensenshannon(p[None], q[None], axis=1).tolist() == [single.item()]
    with pytest.raises(TypeError):
        cp.scipy.linalg.expm(a=a)
