"""What the device's library does of products and transpositions, beside the package's own kernels and SciPy."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import _products
from cuproxide.scipy.sparse.linalg import spsolve_triangular

pytestmark = pytest.mark.filterwarnings("ignore")

TYPES = ["f4", "f8", "c8", "c16"]


def values(random, shape, dtype):
    made = random.standard_normal(shape)
    if dtype[0] == "c":
        made = made + 1j * random.standard_normal(shape)
    return made.astype(dtype)


def drawn(random, rows, columns, longest, dtype, index="i4"):
    """Rows that are not sorted and in which places may repeat; the last one is long."""
    lengths = random.integers(0, longest + 1, rows)
    lengths[-1] = 40 * longest
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    indices = random.integers(0, columns, indptr[-1]).astype(index)
    return scipy.sparse.csr_array((values(random, indptr[-1], dtype), indices, indptr), shape=(rows, columns))


def to_device(host):
    parts = (host.data, host.indices, host.indptr)
    return sparse.csr_array(tuple(map(cp.asarray, parts)), shape=host.shape)


def by(monkeypatch, choice, work):
    """The host's copy of what some work gives if `choice` does it."""
    monkeypatch.setenv("CUPROXIDE_SPARSE", choice)
    made = work()
    return (made.get(),) if isinstance(made, cp.ndarray) else tuple(part.get() for part in made._parts)


def has_library():
    return _products.by_library("transposition", (cp.ones(1), cp.zeros(1, np.int32), cp.zeros(2, np.int32)))


def compare(monkeypatch, work, wanted, dtype, ordered=True):
    """Both near SciPy's result, and on a CPU the same bits, in the same order, from both."""
    own, library = (by(monkeypatch, choice, work) for choice in ("own", "library"))
    for mine, theirs in zip(own, library, strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.shape == theirs.shape
        if not cp.cuda.Device().asynchronous:
            np.testing.assert_array_equal(mine, theirs)
    if ordered:
        np.testing.assert_allclose(library[0], wanted, rtol=3e-4 if np.finfo(dtype).bits == 32 else 1e-11, atol=1e-3)


def test_a_cpu_has_a_library():
    if not cp.cuda.Device().asynchronous:
        assert has_library()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("index", ["i4", "i8"])
def test_products_with_columns(dtype, index, monkeypatch):
    random = np.random.default_rng(1)
    for rows, columns, longest, widths in (
        (1, 1, 1, (2, 5)),
        (300, 200, 9, (2, 3, 17, 31, 32, 33, 64, 131)),
        (4000, 50, 20, (8,)),
    ):
        host = drawn(random, rows, columns, longest, dtype, index)
        array = to_device(host)
        for width in widths:
            x = values(random, (columns, width), dtype)
            device = cp.asarray(x)
            compare(monkeypatch, lambda a=array, x=device: a @ x, host @ x, dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_transpositions(dtype, monkeypatch):
    random = np.random.default_rng(2)
    for rows, columns, longest in ((1, 1, 1), (7, 3, 2), (500, 9000, 6), (9000, 500, 6), (20000, 20000, 9)):
        host = drawn(random, rows, columns, longest, dtype)
        array, wanted = to_device(host), host.tocsc()
        compare(monkeypatch, array.tocsc, wanted.data, dtype)
        made = array.tocsc().get()
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(made, part), getattr(wanted, part))


@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_two(dtype, monkeypatch):
    """Many and few columns for the number of products; rows without elements."""
    random = np.random.default_rng(3)
    for rows, shared, columns, longest in (
        (1, 1, 1, 1),
        (40, 30, 20, 4),
        (3000, 3000, 3000, 7),
        (60, 50, 3_000_000, 5),
    ):
        a, b = (drawn(random, *shape, longest, dtype) for shape in ((rows, shared), (shared, columns)))
        for x in (a, b):
            x.sum_duplicates()
        first, second = to_device(a), to_device(b)
        if columns < 1 << 20:
            compare(monkeypatch, lambda a=first, b=second: a @ b, None, dtype, ordered=False)
        monkeypatch.setenv("CUPROXIDE_SPARSE", "library")
        made, wanted = (first @ second).get(), a @ b
        assert made.dtype == wanted.dtype
        made.sort_indices()
        wanted.sort_indices()
        np.testing.assert_array_equal(made.indptr, wanted.indptr)
        np.testing.assert_array_equal(made.indices, wanted.indices)
        np.testing.assert_allclose(made.data, wanted.data, rtol=3e-4 if dtype in ("f4", "c8") else 1e-10, atol=1e-3)


@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_two_without_elements(dtype, monkeypatch):
    monkeypatch.setenv("CUPROXIDE_SPARSE", "library")
    a = sparse.csr_array((cp.ones(2, dtype), cp.array([1, 1], np.int32), cp.array([0, 1, 2], np.int32)), shape=(2, 3))
    b = sparse.csr_array((cp.ones(1, dtype), cp.array([0], np.int32), cp.array([0, 1, 1, 1], np.int32)), shape=(3, 4))
    made = a @ b
    assert made.nnz == 0
    assert made.shape == (2, 4)
    np.testing.assert_array_equal(made.toarray().get(), np.zeros((2, 4), dtype))


def test_a_product_of_two_without_memory_is_a_memory_error(monkeypatch):
    monkeypatch.setenv("CUPROXIDE_SPARSE", "library")
    a, b = sparse.csr_array(cp.ones((6000, 1))), sparse.csr_array(cp.ones((1, 6000)))
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    # The product takes 430 MB, more than lies free between the arrays of other tests.
    pool.set_limit(size=pool.total_bytes() + 2**20)
    try:
        with pytest.raises(MemoryError, match="out of memory"):
            a @ b
    finally:
        pool.set_limit(size=0)
    assert (a[:10] @ b).nnz == 60000


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangles(dtype, lower, unit, monkeypatch):
    random = np.random.default_rng(4)
    host = drawn(random, 60, 60, 3, dtype)
    host.sum_duplicates()
    dense = (np.tril if lower else np.triu)(host.toarray() * 0.1, -1 if lower else 1) + 2 * np.eye(60, dtype=dtype)
    dense = dense.astype(dtype)
    if unit:
        np.fill_diagonal(dense, 1)
    right = values(random, 60, dtype)
    monkeypatch.setenv("CUPROXIDE_SPARSE", "library")
    array = sparse.csr_array(cp.asarray(dense))
    found = spsolve_triangular(array, cp.asarray(right), lower=lower, unit_diagonal=unit).get()
    np.testing.assert_allclose(dense @ found, right, rtol=2e-3, atol=2e-3)
