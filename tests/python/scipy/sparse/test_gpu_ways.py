"""The kernels that a GPU takes instead of a CPU's, on whatever device there is."""

import itertools

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
from cuproxide._lib import routes
from cuproxide.scipy import sparse
from ways import take_ways

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def _ways_of_gpus(monkeypatch):
    take_ways(monkeypatch, True)
    monkeypatch.setenv("CUPROXIDE_SPARSE", "own")


def drawn(random, rows, columns, longest, dtype, canonical=True):
    """A matrix of SciPy's whose rows hold up to so many elements; with one long row, if `longest` is nothing."""
    if longest is None:
        lengths = np.minimum(random.integers(0, 3, rows), columns)
        lengths[random.integers(rows)] = columns * 9 // 10
    else:
        lengths = random.integers(0, min(columns, longest) + 1, rows)
    if canonical:
        parts = [np.sort(random.permutation(columns)[:length]) for length in lengths]
    else:
        parts = [random.integers(0, columns, length) for length in lengths]
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    indices = np.concatenate([*parts, []]).astype(int)
    data = random.integers(-2, 3, indices.size).astype(dtype)
    return scipy.sparse.csr_array((data, indices, indptr), shape=(rows, columns))


def to_device(host):
    return sparse.csr_array(tuple(map(cp.asarray, (host.data, host.indices, host.indptr))), shape=host.shape)


def agree(found, wanted, what):
    """The same stored elements at the same places, sorted."""
    found, wanted = found.get().tocsr(), wanted.tocsr().copy()
    wanted.sum_duplicates()
    assert found.dtype == wanted.dtype, what
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, part), getattr(wanted, part), err_msg=str(what))


PAIRS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a.multiply(b),
    "maximum": lambda a, b: a.maximum(b),
    "minimum": lambda a, b: a.minimum(b),
    "not equal": lambda a, b: a != b,
    "less": lambda a, b: a < b,
}


@pytest.mark.parametrize("is_skewed", [False, True])
def test_pairs(is_skewed, monkeypatch):
    """Rows of every kind; NaN and infinity, whose products with nothing are stored."""
    random = np.random.default_rng(28)
    monkeypatch.setattr(sparse.csr_array, "_is_skewed", lambda array: is_skewed)
    kinds = [
        (1, 1, True),
        (3, 40, True),
        (30, 3, True),
        (None, 10, True),
        (0, 5, True),
        (40, None, True),
        (9, 9, False),
    ]
    for longest, other, canonical in kinds:
        for first, second in (("f8", "f8"), ("f8", "i4"), ("u1", "i4"), ("c8", "f4"), ("?", "?")):
            rows, columns = random.integers(1, 50, 2)
            a = drawn(random, rows, columns, longest, first, canonical)
            b = drawn(random, rows, columns, other, second)
            if first == "f8" and a.nnz > 5:
                a.data[random.integers(a.nnz, size=3)] = np.nan, np.inf, -np.inf
            for name, call in PAIRS.items():
                is_complex, is_bool = first[0] == "c", second == "?"
                if (is_complex and name in ("maximum", "minimum", "less")) or (is_bool and name == "subtract"):
                    continue
                with np.errstate(all="ignore"):
                    wanted = call(a, b)
                agree(call(to_device(a), to_device(b)), wanted, (name, longest, other, first, second))


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i4", "?"])
def test_products_of_elements_write_what_is_kept(part, dtype):
    """Of rows that share nothing, some or all of their columns; infinity times what is not stored is kept, too."""
    random = np.random.default_rng(int(part * 100))
    for shape in ((1, 1), (30, 7), (5, 400), (60, 60)):
        a = scipy.sparse.random_array(shape, density=0.3, rng=random, format="csr")
        b = scipy.sparse.random_array(shape, density=0.2, rng=random, format="csr")
        b = (b + a.multiply(random.random(shape) < part)).tocsr()
        if dtype in ("f8", "c16") and a.nnz > 2:
            a.data[1], b.data[:1] = np.inf, np.nan
        a, b = ((x * 3 if dtype != "?" else x).astype(dtype) for x in (a, b))
        for x in (a, b):
            x.sort_indices()
        with np.errstate(invalid="ignore"):
            expected = a.multiply(b).tocsr()
        expected.sort_indices()
        ours = [cp.scipy.sparse.csr_array((x.data, x.indices, x.indptr), shape=shape) for x in (a, b)]
        found = ours[0].multiply(ours[1]).tocsr().get()
        assert found.dtype == expected.dtype and found.indices.dtype == expected.indices.dtype
        np.testing.assert_array_equal(found.indptr, expected.indptr)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_array_equal(found.data, expected.data)


@pytest.mark.parametrize("lanes", [1, 8])
def test_repeated_places_are_added_up_in_the_type_of_the_result(lanes, monkeypatch):
    take_ways(monkeypatch, lanes > 1, "rows merged", "compression", "order within rows")
    parts = np.array([255, 2], "u1"), np.array([1, 1]), np.array([0, 2])
    a, b = scipy.sparse.csr_array(parts, shape=(1, 3)), scipy.sparse.csr_array([[0, 1, 0]], dtype="i4")
    for name in ("add", "multiply", "maximum", "not equal"):
        agree(PAIRS[name](to_device(a), to_device(b)), PAIRS[name](a, b), name)


@pytest.mark.parametrize("ranked, expanded", [(384, 1 << 27), (2, 1 << 27), (384, -1)])
def test_products(ranked, expanded, monkeypatch):
    """By comparison within rows, by sorting all products, by hash tables."""
    monkeypatch.setattr(routes, "RANKED", ranked)
    monkeypatch.setattr(routes, "EXPANDED", expanded)
    random = np.random.default_rng(29)
    for longest, other, dtype in itertools.product((1, 6, None), (2, 25, None), ("f8", "i8", "c16", "?")):
        rows, columns = random.integers(1, 40, 2)
        a = drawn(random, rows, columns, longest, dtype, canonical=longest != 6)
        b = drawn(random, columns, random.integers(1, 60), other, dtype, canonical=other != 25)
        found = to_device(a) @ to_device(b)
        if expanded > 0:
            assert found.has_canonical_format
        found.sum_duplicates()
        agree(found, a @ b, (longest, other, dtype))


@pytest.mark.parametrize("lanes", [1, 8])
def test_products_store_no_zeros(lanes, monkeypatch):
    if lanes == 1 and cp.Device().asynchronous:
        pytest.skip("products in order are for one thread after another")
    take_ways(monkeypatch, lanes > 1, "product in order", "sparse product")
    a, b = np.array([[1.0, 1], [0, 2]]), np.array([[1.0, 0], [-1, 3]])
    for kind in ("csr_array", "csc_array"):
        made = getattr(sparse, kind)
        found = made(cp.asarray(a)) @ made(cp.asarray(b))
        assert found.nnz == (getattr(scipy.sparse, kind)(a) @ getattr(scipy.sparse, kind)(b)).nnz == 3
        np.testing.assert_array_equal(found.toarray().get(), a @ b)


@pytest.mark.parametrize("ranked", [384, 2])
def test_sorts(ranked, monkeypatch):
    """Conversions, and sorting within rows, by comparison and by the whole array."""
    monkeypatch.setattr(routes, "RANKED", ranked)
    random = np.random.default_rng(30)
    for longest, dtype in itertools.product((0, 1, 12, None), ("f8", "i2", "c8")):
        rows, columns = random.integers(1, 60, 2)
        host = drawn(random, rows, columns, longest, dtype, canonical=False)
        array = to_device(host)
        turned, wanted = array.tocsc(), host.tocsc()
        for part in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(turned, part).get(), getattr(wanted, part))
        array.sort_indices()
        wanted = host.copy()
        wanted.sort_indices()
        np.testing.assert_array_equal(array.indices.get(), wanted.indices)
        order = random.permutation(host.nnz)
        row = np.repeat(np.arange(rows), np.diff(host.indptr))[order]
        parts = cp.asarray(host.data[order]), (cp.asarray(row), cp.asarray(host.indices[order]))
        agree(sparse.coo_array(parts, shape=host.shape).tocsr(), host, (longest, dtype))
