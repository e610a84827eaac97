"""Conversions of coordinates that are in order already, wholly or by rows, and slices of rows: results and reads."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
from cuproxide._lib import routes
from cuproxide.scipy import sparse
from launches import recorded
from ways import take_ways

ORDERS = [
    "canonical",
    "repeated",
    "rows in order",
    "columns in order",
    "no order",
    "a long row",
    "one row",
    "one place",
]


def places(order, random):
    rows, columns, count = (40, 700, 900) if order != "one row" else (1, 700, 500)
    row, column = random.integers(0, rows, count), random.integers(0, columns, count)
    if order == "a long row":
        row[: count - 20] = 7
    if order == "one place":
        row[:], column[:] = 3, 5
    if order in ("canonical", "one row"):
        flat = np.unique(row * columns + column)
        row, column = flat // columns, flat % columns
    keys = {
        "rows in order": (row,),
        "a long row": (row,),
        "columns in order": (row, column),
        "no order": (random.random(count),),
    }
    by = np.lexsort(keys.get(order, (column, row)))
    return row[by], column[by], (rows, columns)


@pytest.fixture(params=["CPU", "GPU"])
def ways(request, monkeypatch):
    """Takes the kernels of a CPU or of a GPU, whatever device there is."""
    if request.param == "CPU" and cp.cuda.Device().asynchronous:
        pytest.skip("kernels in order are for one thread after another")
    take_ways(monkeypatch, request.param == "GPU")
    monkeypatch.setattr(routes, "LOOKED_AT", 0)
    monkeypatch.setenv("CUPROXIDE_SPARSE", "own")
    return request.param


def agree(found, wanted):
    wanted.sum_duplicates()
    assert found.dtype == wanted.dtype
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, part).get(), getattr(wanted, part), err_msg=part)
    assert found.has_canonical_format
    found.check_format()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", ["f8", "i2", "c8", "?"])
def test_every_order(order, dtype, ways):
    random = np.random.default_rng(31)
    row, column, shape = places(order, random)
    data = random.integers(-2, 3, row.size).astype(dtype)
    host = scipy.sparse.coo_array((data, (row, column)), shape=shape)
    array = sparse.coo_array((cp.array(data), (cp.array(row), cp.array(column))), shape=shape)
    agree(array.tocsr(), host.tocsr())
    agree(array.tocsc(), host.tocsc())
    again = array.tocsr().tocoo()
    assert again.has_canonical_format
    agree(again.tocsr(), host.tocsr())
    rows, columns = (cp.asnumpy(index) for index in array.coords)
    np.testing.assert_array_equal(rows, row)
    np.testing.assert_array_equal(columns, column)
    np.testing.assert_array_equal(array.data.get(), data)


def reads(work):
    return sum(span.kind == "copy" and span.name == "device to host" for span in recorded(work))


@pytest.mark.parametrize(("order", "most"), [("canonical", 1), ("rows in order", 2), ("no order", 2)])
def test_reads(order, most, ways):
    random = np.random.default_rng(32)
    row, column, shape = places("canonical", random)
    if order != "canonical":
        by = np.lexsort((random.random(row.size), row)) if order == "rows in order" else random.permutation(row.size)
        row, column = row[by], column[by]
    array = sparse.coo_array((cp.ones(row.size), (cp.array(row), cp.array(column))), shape=shape)
    if ways == "GPU":
        assert reads(array.tocsr) <= most
    known = array.tocsr().tocoo()
    assert reads(known.tocsr) == 0


def test_flags_of_programs_are_not_trusted(ways):
    row, column = cp.array([3, 0, 3, 1]), cp.array([1, 2, 0, 1])
    array = sparse.coo_array((cp.arange(1.0, 5.0), (row, column)), shape=(4, 3))
    array.has_canonical_format = True
    assert array.has_canonical_format and array.copy().has_canonical_format
    for made in (array, array.copy(), sparse.coo_array(array)):
        np.testing.assert_array_equal(made.tocsr().toarray().get(), array.toarray().get())
        np.testing.assert_array_equal(made.tocsr().indptr.get(), [0, 1, 2, 2, 4])


def test_changed_coordinates_are_sorted_again(ways):
    array = sparse.csr_array(cp.array([[0, 1, 0], [2, 0, 3]])).tocoo()
    array.row[0] = 1
    array.col[0] = 0
    np.testing.assert_array_equal(array.tocsr().toarray().get(), [[0, 0, 0], [3, 0, 3]])


def test_results_have_memory_of_their_own(ways):
    coo = sparse.csr_array(cp.array([[0.0, 1, 0], [2, 0, 3]])).tocoo()
    csr = coo.tocsr()
    csr.data *= 10
    csr.indices[0] = 2
    np.testing.assert_array_equal(coo.toarray().get(), [[0, 1, 0], [2, 0, 3]])
    part = csr[0:1]
    part.data *= 10
    np.testing.assert_array_equal(csr.data.get(), [10, 20, 30])


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "csr_matrix"])
def test_slices_of_rows(kind):
    host = getattr(scipy.sparse, kind)(np.random.default_rng(33).integers(0, 3, (9, 9)) % 2 * 1.5)
    array = getattr(sparse, kind)(host)
    along = (lambda a, part: a[:, part]) if kind == "csc_array" else (lambda a, part: a[part])
    parts = [slice(0, 4), slice(4, None), slice(2, 7), slice(3, 4), slice(-3, -1)]
    for part in (*parts, slice(5, 2), slice(None), slice(8, 2, -2)):
        found, wanted = along(array, part), along(host, part)
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, name).get(), getattr(wanted, name), err_msg=f"{name} {part}")
        found.check_format()
    for part in parts:
        assert reads(lambda part=part: along(array, part)) == 1, part
