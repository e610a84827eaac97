"""Arrays with few elements on long axes: work and memory follow the elements, not the lengths."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse as host_sparse
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg
from cuproxide.scipy.sparse._structure import HOLLOW
from ways import take_ways

pytestmark = pytest.mark.filterwarnings("ignore:Changing the sparsity structure")

LENGTH = 10**8
FEW = 1 << 20
"""Bytes that no operation here allocates in all; a table of an axis takes 400 MB at least."""
MAJOR = np.array([0, 1, 1, 2, 2])
MINOR = np.array([5, 7, LENGTH - 1, 5, 123456])
DATA = np.array([1.0, 2, 3, 4, 5])


def hollow(format, module=sparse):
    xp = cp if module is sparse else np
    major, minor, data = xp.asarray(MAJOR), xp.asarray(MINOR), xp.asarray(DATA)
    places = {"csr": (major, minor), "csc": (minor, major), "coo": (minor, minor[::-1].copy())}[format]
    shape = {"csr": (3, LENGTH), "csc": (LENGTH, 3), "coo": (LENGTH, LENGTH)}[format]
    return getattr(module, f"{format}_array")((data, places), shape=shape)


class Counter(cp.cuda.MemoryHook):
    name = "counter"

    def __init__(self):
        self.bytes = 0

    def malloc_postprocess(self, **call):
        self.bytes += call["mem_size"]


OPERATIONS = {
    "csr": {
        "columns": lambda a: a[:, [5, LENGTH - 1, 5, 8]],
        "columns from the end": lambda a: a[:, [-1, 7]],
        "outer": lambda a: a[[[1], [0]], [LENGTH - 1, 5]],
        "elements": lambda a: a[[0, 1], [5, 7]],
        "slice of columns": lambda a: a[:, 5 : LENGTH - 1],
        "steps": lambda a: a[:, 5::7],
        "turned": lambda a: a[:, ::-1],
        "column": lambda a: a[:, 5],
        "row": lambda a: a[1],
        "maxima": lambda a: a.max(axis=0),
        "minima": lambda a: a.min(axis=0, explicit=True),
        "largest": lambda a: a.max(),
        "where": lambda a: a.argmax(),
        "sum": lambda a: a.sum(axis=1),
        "product": lambda a: a @ a.T,
        "of a row": lambda a: a @ a[[2]].T,
        "vectors": lambda a: a[1] @ a[2] + a[2] @ a[2],
        "columns of a vector": lambda a: a[2][[5, LENGTH - 1]],
        "sums of vectors": lambda a: a[0] + a[1],
        "beside": lambda a: (sparse if hasattr(a, "device") else host_sparse).hstack([a, a]),
        "diagonal": lambda a: a.diagonal(LENGTH - 2),
        "setdiag": lambda a: a.setdiag([8.0, 9.0], 3) or a,
        "set": lambda a: a.__setitem__(([0, 1], [5, 8]), 7) or a,
        "nonzero": lambda a: a.nonzero(),
        "reshape": lambda a: a.reshape(LENGTH // 2, 6),
        "norm": lambda a: (linalg if hasattr(a, "device") else host_sparse.linalg).norm(a),
        "norms": lambda a: tuple(linalg.norm(a, order) for order in (1, -1, np.inf, -np.inf)),
        "mask": lambda a: a[a > 2],
        "coordinates": lambda a: a.tocoo(),
    },
    "csc": {
        "rows": lambda a: a[[5, LENGTH - 1, 5, 8]],
        "row": lambda a: a[5],
        "column": lambda a: a[:, 1],
        "maxima": lambda a: a.max(axis=1),
        "product": lambda a: a.T @ a,
        "nonzero": lambda a: a.nonzero(),
        "norm": lambda a: (linalg if hasattr(a, "device") else host_sparse.linalg).norm(a),
        "norms": lambda a: tuple(linalg.norm(a, order) for order in (1, -1, np.inf, -np.inf)),
        "mask": lambda a: a[a > 2],
        "above": lambda a: (sparse if hasattr(a, "device") else host_sparse).vstack([a, a]),
    },
    "coo": {
        "rows": lambda a: a[[5, LENGTH - 1, 8]],
        "outer": lambda a: a[[[5], [7]], [5, LENGTH - 1]],
        "elements": lambda a: a[[5, 7], [123456, 5]],
        "slices": lambda a: a[5:LENGTH, 3 : LENGTH - 1],
        "steps": lambda a: a[::-1, 5::2],
        "row": lambda a: a[5],
        "column": lambda a: a[:, 5],
        "element": lambda a: a[5, 123456],
        "maxima": lambda a: a.max(axis=0),
        "minima": lambda a: a.min(axis=1),
        "norm": lambda a: (linalg if hasattr(a, "device") else host_sparse.linalg).norm(a),
        "duplicates": lambda a: a.sum_duplicates() or a,
        "products": lambda a: (sparse if hasattr(a, "device") else host_sparse).kron(a[5:8, 4:6], a, format="coo"),
    },
}
TABLES = {
    *("columns", "columns from the end", "outer", "maxima", "minima", "product", "of a row", "vectors", "rows"),
    *("steps", "turned", "norms"),
}
CASES = [(format, name) for format, operations in OPERATIONS.items() for name in operations]


def elements(x):
    """The places and values of a result that are not zero, whatever its form."""
    if isinstance(x, tuple):
        return [cp.asnumpy(part).tolist() for part in x]
    if not hasattr(x, "tocoo"):
        return np.asarray(cp.asnumpy(x)).tolist()
    coo = x.tocoo()
    coords, data = [cp.asnumpy(part).tolist() for part in coo.coords], cp.asnumpy(coo.data).tolist()
    return x.shape, sorted(zip(*coords, data, strict=True))


@pytest.mark.parametrize(("format", "name"), CASES)
def test_memory_follows_elements(format, name):
    a, operation = hollow(format), OPERATIONS[format][name]
    with Counter() as counter:
        result = operation(a)
        cp.cuda.get_current_stream().synchronize()
    assert counter.bytes < FEW
    # SciPy makes tables of an axis for some of these; values are compared below, on short axes.
    if name not in TABLES:
        assert elements(result) == elements(operation(hollow(format, host_sparse)))


def test_the_longest_axis():
    length = 2**31 - 1
    a = sparse.csr_array((cp.array([1.0, 2]), (cp.array([0, 1]), cp.array([7, length - 1]))), shape=(2, length))
    with Counter() as counter:
        assert a[:, [length - 1, 7]].toarray().tolist() == [[0, 1], [2, 0]]
    assert counter.bytes < FEW


@pytest.mark.parametrize("is_hollow", [False, True])
@pytest.mark.parametrize("width", [1, 8])
def test_both_ways_give_the_same(monkeypatch, is_hollow, width):
    from cuproxide.scipy.sparse import _compressed, _csc, _indexing, _minmax

    for module in (_indexing, _minmax, _compressed, _csc):
        monkeypatch.setattr(module, "is_hollow", lambda *lengths: is_hollow)
    if cp.Device().backend == "cpu":
        take_ways(monkeypatch, width > 1)
    draw = np.random.default_rng(width)
    for dtype in ("f8", "i4", "?", "f4"):
        for _ in range(4):
            rows, columns = draw.integers(1, 9, 2)
            dense = np.where(draw.random((rows, columns)) < 0.5, draw.integers(-5, 5, (rows, columns)), 0).astype(dtype)
            chosen, wanted = draw.integers(-rows, rows, 4), draw.integers(-columns, columns, draw.integers(0, 7))
            for format in ("csr", "csc", "coo"):
                a = getattr(sparse, f"{format}_array")(cp.asarray(dense))
                b = getattr(host_sparse, f"{format}_array")(dense)
                for key in (
                    *(
                        (slice(None), wanted),
                        (chosen, slice(None)),
                        (chosen[:, None], wanted),
                        (slice(None, None, -1), wanted),
                    ),
                    *(
                        (0, slice(None)),
                        (slice(None), columns - 1),
                        (chosen[:1], wanted[:1]) if wanted.size else (0, 0),
                    ),
                ):
                    found = a[key]
                    found = found.toarray() if sparse.issparse(found) else found
                    np.testing.assert_array_equal(cp.asnumpy(found), dense[key])
                for axis in (0, 1):
                    for explicit in (False, True):
                        for name in ("max", "min"):
                            found = getattr(a, name)(axis=axis, explicit=explicit).toarray().get()
                            want = getattr(b, name)(axis=axis, explicit=explicit).toarray()
                            np.testing.assert_array_equal(found, want)
                if dtype != "?":
                    np.testing.assert_array_equal((a @ a.T).toarray().get(), dense @ dense.T)
                    np.testing.assert_array_equal((a.tocsc() @ a.T.tocoo()).toarray().get(), dense @ dense.T)
                for found, want in zip(a.nonzero(), dense.nonzero(), strict=True):
                    assert found.tolist() == want.tolist()


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_norms_of_long_axes(format, dtype):
    """Of elements in several rows and columns, some of them repeated."""
    i, j = np.array([0, 1, 1, 2, 2, 2]), np.array([5, 7, 7, 5, 9, 5])
    for length in (12, 2 * HOLLOW):
        places, shape = ((i, j), (3, length)) if format == "csr" else ((j, i), (length, 3))
        data = np.array([1, -2, 5, 4, -7, 2]).astype(dtype)
        a, host = (m.coo_array((data, places), shape=shape).asformat(format) for m in (sparse, host_sparse))
        for order in (1, -1, np.inf, -np.inf):
            found, expected = linalg.norm(a, order), host_sparse.linalg.norm(host, order)
            assert float(found) == float(expected) and found.dtype == np.float64
