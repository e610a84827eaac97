"""`dask.array` over chunks of this package, beside NumPy."""

import tomllib
from importlib import import_module
from pathlib import Path

import cuproxide as cp
import numpy as np
import pytest

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

A = np.random.default_rng(0).normal(size=(40, 30))
SQUARE = A[:30] @ A[:30].T + 30 * np.eye(30)


def chunked(values, chunks):
    return da.from_array(cp.asarray(values), chunks=chunks, asarray=False)


def check(collection, wanted, rtol=1e-10):
    got = collection.compute(scheduler="sync")
    assert isinstance(got, cp.ndarray), type(got)
    got = cp.asnumpy(got)
    wanted = np.asarray(wanted)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape, (got.dtype, wanted.dtype, got.shape, wanted.shape)
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=1e-12)


@pytest.fixture
def x():
    return chunked(A, (13, 11))


@pytest.fixture
def tall():
    return chunked(A, (16, 30))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize(
    "name", "sum prod mean std var min max any all argmin argmax nansum nanmean nanstd nanmax".split()
)
def test_reductions(x, name, axis):
    check(getattr(da, name)(x, axis=axis), getattr(np, name)(A, axis=axis))


@pytest.mark.parametrize("dtype", ["bool", "int32", "uint8", "float32", "complex64"])
def test_dtypes(dtype):
    values = (A * 3).astype(dtype)
    x = chunked(values, 9)
    check(x + x, values + values, 1e-6)
    check(x.sum(axis=0), values.sum(axis=0), 1e-4)
    check(x.T, values.T)
    check(x.astype("complex128"), values.astype("complex128"))


FUNCTIONS = {
    "cumsum": (lambda x: da.cumsum(x, axis=0), lambda a: np.cumsum(a, axis=0)),
    "median": (lambda x: da.median(x, axis=1), lambda a: np.median(a, axis=1)),
    "topk": (lambda x: da.topk(x, 3, axis=0), lambda a: np.sort(a, axis=0)[::-1][:3]),
    "percentile": (lambda x: da.percentile(x[:, 0].rechunk(40), [10, 50]), lambda a: np.percentile(a[:, 0], [10, 50])),
    "tensordot": (lambda x: da.tensordot(x, x, axes=((0,), (0,))), lambda a: a.T @ a),
    "matmul": (lambda x: x.T @ x, lambda a: a.T @ a),
    "einsum": (lambda x: da.einsum("ij,ik->jk", x, x), lambda a: a.T @ a),
    "concatenate": (lambda x: da.concatenate([x, x], axis=1), lambda a: np.concatenate([a, a], axis=1)),
    "stack": (lambda x: da.stack([x, x]), lambda a: np.stack([a, a])),
    "take": (lambda x: da.take(x, [3, 1, 22], axis=0), lambda a: a[[3, 1, 22]]),
    "slices": (lambda x: x[3:20:2, ::-1], lambda a: a[3:20:2, ::-1]),
    "mask": (lambda x: x[x > 0].sum(), lambda a: a[a > 0].sum()),
    "rechunk": (lambda x: x.rechunk((5, 30)), lambda a: a),
    "reshape": (lambda x: x.reshape(8, 5, 30), lambda a: a.reshape(8, 5, 30)),
    "norm": (lambda x: da.linalg.norm(x), np.linalg.norm),
    "fft": (lambda x: da.fft.fft(x.rechunk((40, 11)), axis=0), lambda a: np.fft.fft(a, axis=0)),
    "rfft2": (lambda x: da.fft.rfft2(x.rechunk(40)), np.fft.rfft2),
    "map_blocks": (lambda x: x.map_blocks(lambda part: part * 2), lambda a: a * 2),
    "map_overlap": (lambda x: x.map_overlap(lambda part: part + 1, depth=1, boundary="reflect"), lambda a: a + 1),
    "histogram": (
        lambda x: da.histogram(x.ravel(), bins=5, range=(-3, 3))[0],
        lambda a: np.histogram(a, bins=5, range=(-3, 3))[0],
    ),
    "where": (lambda x: da.where(x > 0, x, 0), lambda a: np.where(a > 0, a, 0)),
    "ufunc": (np.sin, np.sin),
    "with an array": (lambda x: x + cp.asarray(A[0]), lambda a: a + a[0]),
    "from an array": (lambda x: cp.asarray(A) - x * 2, lambda a: a - a * 2),
    "diag": (lambda x: da.diag(x[:, 0]), lambda a: np.diag(a[:, 0])),
    "tril": (da.tril, np.tril),
    "pad": (lambda x: da.pad(x, 1), lambda a: np.pad(a, 1)),
    "roll": (lambda x: da.roll(x, 3, axis=0), lambda a: np.roll(a, 3, axis=0)),
    "cov": (lambda x: da.cov(x.T), lambda a: np.cov(a.T)),
    "gufunc": (
        lambda x: da.apply_gufunc(lambda v: v.mean(-1), "(i)->()", x.rechunk((13, 30))),
        lambda a: a.mean(1),
    ),
    "ones_like": (da.ones_like, np.ones_like),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(x, name):
    function, wanted = FUNCTIONS[name]
    check(function(x), wanted(A))


def test_decompositions(tall):
    q, r = da.linalg.qr(tall)
    check(q @ r, A)
    check(q.T @ q, np.eye(30))
    q, r = da.linalg.tsqr(tall)
    check(q @ r, A)
    u, s, v = da.linalg.svd(tall)
    check(s, np.linalg.svd(A)[1])
    check((u * s) @ v, A)
    check(da.linalg.lstsq(tall, chunked(A[:, 0], 16))[0], np.linalg.lstsq(A, A[:, 0])[0])
    check(da.linalg.cholesky(chunked(SQUARE, 10), lower=True), np.linalg.cholesky(SQUARE))
    right = chunked(A[:30, 0], 10)
    check(da.linalg.solve(chunked(SQUARE, 10), right, assume_a="pos"), np.linalg.solve(SQUARE, A[:30, 0]))
    # Chunks of NumPy still go to SciPy.
    plain = da.from_array(SQUARE, chunks=10)
    solved = da.linalg.solve(plain, da.from_array(A[:30, 0], chunks=10)).compute(scheduler="sync")
    assert isinstance(solved, np.ndarray)


def test_sparse_chunks():
    from cuproxide.scipy import sparse

    values = np.where(A > 1, A, 0)
    x = chunked(values, (10, 30)).map_blocks(sparse.csr_matrix, dtype="f8", meta=sparse.csr_matrix(cp.empty((0, 0))))
    whole = x.compute(scheduler="sync")
    assert sparse.issparse(whole)
    np.testing.assert_array_equal(whole.toarray().get(), values)
    doubled = x.map_blocks(lambda part: part * 2).compute(scheduler="sync")
    np.testing.assert_array_equal(doubled.toarray().get(), values * 2)


def test_the_backend_makes_arrays():
    with dask.config.set({"array.backend": "cuproxide"}):
        check(da.ones((5, 6), chunks=3), np.ones((5, 6)))
        check(da.zeros((5, 6), chunks=3, dtype="int8"), np.zeros((5, 6), "int8"))
        check(da.full((5, 6), 3.5, chunks=3), np.full((5, 6), 3.5))
        check(da.arange(2, 20, 3, chunks=3), np.arange(2, 20, 3))
        assert da.empty((5, 6), chunks=3).compute(scheduler="sync").shape == (5, 6)
        for make in (lambda: da.random.default_rng(3), lambda: da.random.RandomState(3)):
            drawn = make().normal(2, 0.5, size=(400, 50), chunks=90)
            assert isinstance(drawn._meta, cp.ndarray)
            first, again = (
                value.compute(scheduler="sync") for value in (drawn, make().normal(2, 0.5, size=(400, 50), chunks=90))
            )
            assert isinstance(first, cp.ndarray) and (first == again).all()
            assert abs(float(first.mean()) - 2) < 0.02 and abs(float(first.std()) - 0.5) < 0.02
            # Chunks have different numbers.
            assert not (first[:90, :50] == first[90:180, :50]).any()
        integers = da.random.default_rng(3).integers(0, 5, size=1000, chunks=300).compute(scheduler="sync")
        assert set(cp.asnumpy(integers).tolist()) == set(range(5))


def test_between_backends():
    plain = da.from_array(A, chunks=7)
    ours = plain.to_backend("cuproxide")
    check(ours, A)
    assert ours.to_backend("cuproxide") is ours
    assert isinstance(ours.to_backend("numpy").compute(scheduler="sync"), np.ndarray)


def test_sizes():
    from cuproxide.scipy import sparse
    from dask.sizeof import sizeof

    assert sizeof(cp.ones((10, 10))) == 800
    matrix = sparse.csr_matrix(cp.eye(10))
    assert sizeof(matrix) == matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes


@pytest.mark.parametrize(
    "make",
    [
        lambda: cp.arange(12.0).reshape(3, 4),
        lambda: cp.arange(12).reshape(3, 4).T,
        lambda: cp.arange(12, dtype="c8").reshape(3, 4)[::-1, ::2],
        lambda: cp.ones(3, "bfloat16"),
        lambda: cp.ones((2, 0, 3), "f2"),
        lambda: cp.asarray(True),
    ],
)
def test_what_workers_send(make):
    protocol = pytest.importorskip("distributed.protocol")
    array = make()
    header, frames = protocol.serialize(array)
    # The elements themselves, not a pickle of them.
    assert header["serializer"] == "dask" and sum(memoryview(frame).nbytes for frame in frames) == array.nbytes
    got = protocol.deserialize(header, frames)
    assert isinstance(got, cp.ndarray) and got.dtype == array.dtype and got.shape == array.shape
    assert (got == array).all() and got.flags.f_contiguous == (
        array.copy(order="K") if array.ndim else array
    ).flags.f_contiguous
    # In pieces, as the network brings them.
    pieces = [part for frame in frames for part in (bytes(frame)[:5], bytes(frame)[5:])]
    assert (protocol.deserialize(header, pieces) == array).all()


def test_sparse_matrices_are_sent():
    protocol = pytest.importorskip("distributed.protocol")
    from cuproxide.scipy import sparse

    matrix = sparse.csr_matrix(cp.asarray(np.where(A > 1, A, 0)))
    got = protocol.deserialize(*protocol.serialize(matrix))
    assert (abs(got - matrix)).sum() == 0


def test_entry_points_lead_somewhere():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    points = project["entry-points"]
    assert set(points) == {"dask.array.backends", "dask.sizeof"}
    for group in points.values():
        for target in group.values():
            module, _, name = target.partition(":")
            assert callable(getattr(import_module(module), name))
