"""Operations of sparse arrays beside SciPy: every format, array and matrix, with partners of other formats."""

import itertools
import operator

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
import sparse_cases as cases
from cuproxide._lib import routes
from cuproxide.scipy import sparse
from ways import take_ways

TABLES = {
    "arithmetic": cases.ARITHMETIC,
    "comparisons": cases.COMPARISONS,
    "products": cases.PRODUCTS,
    "reductions": cases.REDUCTIONS,
    "shapes": cases.SHAPES,
    "reads": cases.READS,
    "writes": cases.WRITES,
    "constructions": cases.CONSTRUCTIONS,
    "broadcast": cases.BROADCAST,
    "mixed": cases.MIXED,
}
SHAPE = (6, 8)
# SciPy chooses the format of these results by how it computes them.
ANY_FORMAT = {"broadcast"}
# Types that SciPy lets pass without a rule: what is assigned to a diagonal, counts as int32 or int64, means of float32.
ANY_TYPE = {"set diagonal -2", "set diagonal 3", "count", "element"}


def partners(format):
    return ("csr" if format != "csr" else "coo", format)


@pytest.mark.parametrize("kind", cases.KINDS)
@pytest.mark.parametrize("format", cases.FORMATS)
@pytest.mark.parametrize("table", TABLES)
def test_beside_scipy(table, format, kind):
    run(table, format, kind, ("float64", "int32", "complex64"))


@pytest.mark.parametrize("table", ["arithmetic", "comparisons", "products", "reductions", "reads", "writes"])
@pytest.mark.parametrize("dtype", [dtype for dtype in cases.DTYPES if dtype.char not in "dF"], ids=str)
def test_types(table, dtype):
    # Each type with formats in turn, so that all pairs are seen in few calls.
    formats = itertools.cycle(["csr", "csc", "coo"])
    for _ in range(cases.DTYPES.index(dtype) % 3 + 1):
        format = next(formats)
    run(table, format, "array", (dtype,))


def run(table, format, kind, dtypes):
    failures = []
    for number, (dtype, partner) in enumerate(itertools.product(dtypes, partners(format))):
        ours, theirs = cases.pair(format, kind, cases.dense(dtype, SHAPE, number))
        other, other_theirs = cases.pair(partner, kind, cases.dense(dtype, SHAPE, number + 10))
        for name, call in TABLES[table].items():
            if format in cases.LEFT_OUT.get(name, ()):
                continue
            wanted = cases.outcome(call, theirs, other_theirs, np, cases.scipy_sparse)
            if isinstance(wanted, NotImplementedError) or is_odd(name, wanted, np.dtype(dtype), format, kind):
                continue
            got = cases.outcome(call, ours, other, cp, cases.sparse)
            try:
                cases.agree(got, wanted, format=table not in ANY_FORMAT, dtype=name not in ANY_TYPE)
            except Exception as error:
                failures.append(f"{name} of {dtype} with {partner}: {type(error).__name__}: {error}")
    assert not failures, "\n".join(failures)


def is_odd(name, wanted, dtype, format, kind):
    """Cases in which SciPy refuses what is well defined, or has a type that we widen."""
    if isinstance(wanted, ValueError) and "does not support dtype float16" in str(wanted):
        return True
    if isinstance(wanted, TypeError) and dtype.kind == "b":
        # Negative and subtracted truths: NumPy's refusal is not SciPy's.
        return True
    if name == "divide" and dtype.kind == "c":
        # SciPy's own division of complex numbers gives nan where NumPy's gives infinity.
        return True
    if name == "expand_dims" and kind == "matrix":
        # A matrix with three axes; ours is an array.
        return True
    if name == "sparse mask" and getattr(wanted, "shape", None) == (0,):
        # Nothing chosen is a sparse array, something a dense one.
        return True
    return isinstance(wanted, TypeError) and kind == "matrix" and format == "coo" and "subscriptable" in str(wanted)


@pytest.mark.parametrize("name", cases.EMPTY)
def test_empty(name):
    wanted = cases.outcome(cases.EMPTY[name], np, cases.scipy_sparse)
    cases.agree(cases.outcome(cases.EMPTY[name], cp, cases.sparse), wanted)


def test_unsorted_repeated_and_stored_zeros():
    """Parts in any order, with places that repeat and elements that are zero, also after adding up."""
    random = np.random.default_rng(3)
    failures = []
    for format in ("csr", "csc", "coo", "bsr", "dia"):
        ours, theirs = uneven(random, format, cp, cases.sparse), None
        theirs = cases.outcome(lambda given=ours: given.get())
        other, other_theirs = cases.pair("csr", "array", cases.dense("float64", SHAPE, 4))
        for table in ("arithmetic", "comparisons", "products", "reductions", "reads", "shapes", "constructions"):
            for name, call in TABLES[table].items():
                # Stored zeros count as SciPy's way of computing has it, and it tells places that repeat repeatedly.
                if format in cases.LEFT_OUT.get(name, ()) or name in ("stored", "nonzero", "argmax explicit"):
                    continue
                wanted = cases.outcome(call, theirs.copy(), other_theirs, np, cases.scipy_sparse)
                if isinstance(wanted, NotImplementedError) or is_odd(name, wanted, np.dtype(float), format, "array"):
                    continue
                got = cases.outcome(call, ours.copy(), other, cp, cases.sparse)
                try:
                    cases.agree(got, wanted, dtype=name not in ANY_TYPE)
                except Exception as error:
                    failures.append(f"{name} of {format}: {type(error).__name__}: {error}")
    assert not failures, "\n".join(failures)


def test_diagonals_wider_than_the_shape():
    # SciPy transposes these wrongly.
    data = np.arange(36.0).reshape(4, 9) + 1
    array = cases.sparse.dia_array((cp.asarray(data), cp.asarray([2, -3, 0, 7])), shape=SHAPE)
    wanted = cases.scipy_sparse.dia_array((data, [2, -3, 0, 7]), shape=SHAPE).toarray()
    np.testing.assert_array_equal(array.T.toarray().get(), wanted.T)
    np.testing.assert_array_equal(array.sum(axis=0).get(), wanted.sum(axis=0))
    np.testing.assert_array_equal((array @ array.T).toarray().get(), wanted @ wanted.T)


def uneven(random, format, xp, sp):
    """An array of SHAPE whose parts are not canonical."""
    rows, columns = SHAPE
    if format == "dia":
        data, offsets = random.integers(-2, 3, (4, 7)).astype(float), np.array([2, -3, 0, 7])
        return sp.dia_array((xp.asarray(data), xp.asarray(offsets)), shape=SHAPE)
    if format == "bsr":
        indptr, indices = np.array([0, 3, 5, 5]), np.array([3, 0, 3, 1, 1])
        blocks = random.integers(-2, 3, (5, 2, 2)).astype(float)
        return sp.bsr_array(tuple(map(xp.asarray, (blocks, indices, indptr))), shape=SHAPE)
    count = 40
    row, column = random.integers(0, rows, count), random.integers(0, columns, count)
    data = random.integers(-2, 3, count).astype(float)
    if format == "coo":
        return sp.coo_array((xp.asarray(data), (xp.asarray(row), xp.asarray(column))), shape=SHAPE)
    majors, minor = (rows, column) if format == "csr" else (columns, row)
    indptr = np.sort(np.concatenate(([0, count], random.integers(0, count, majors - 1))))
    made = tuple(map(xp.asarray, (data, minor, indptr)))
    return getattr(sp, f"{format}_array")(made, shape=SHAPE)


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("table", ["arithmetic", "products", "reductions", "shapes", "reads"])
def test_ways_of_gpus(table, format, monkeypatch):
    """Where a GPU computes by other kernels than a CPU, these run here too."""
    take_ways(monkeypatch, True)
    monkeypatch.setenv("CUPROXIDE_SPARSE", "own")
    run(table, format, "array", ("float64", "int32"))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
def test_rows_of_very_different_lengths(dtype, monkeypatch):
    """The way of GPUs: long rows are cut in pieces."""
    from cuproxide.scipy.sparse import _products

    take_ways(monkeypatch, True)
    monkeypatch.setattr(routes, "SKEWED", 1)
    even, odd = ([0, *np.cumsum(lengths)] for lengths in ([40] * 300, [1] * 50 + [12000, 0]))
    assert not _products.is_skewed(cp.asarray(even), even[-1]) and _products.is_skewed(cp.asarray(odd), odd[-1])
    monkeypatch.setattr(_products, "is_skewed", lambda indptr, size: size > 0)
    random = np.random.default_rng(7)
    for piece in (1, 3, 8, 1024):
        monkeypatch.setattr(routes, "PIECE", piece)
        for lengths in (
            [0, 0, 9000, 1, 0],
            [9000],
            [3, 8, 0, 16, 0, 0, 9000, 24],
            [0, 9000, 0, 0],
            [1] * 50 + [12000, 0],
        ):
            indptr = np.concatenate([[0], np.cumsum(lengths)])
            columns = random.integers(0, 40, indptr[-1])
            values = random.integers(-4, 5, indptr[-1]).astype(dtype)
            x = random.integers(-3, 4, 40).astype(dtype)
            host = scipy.sparse.csr_array((values, columns, indptr), shape=(len(lengths), 40))
            made = cases.sparse.csr_array(tuple(map(cp.asarray, (values, columns, indptr))), shape=host.shape)
            found = made @ cp.asarray(x)
            assert found.dtype == (host @ x).dtype
            np.testing.assert_array_equal(found.get(), host @ x)
            np.testing.assert_array_equal((made @ cp.asarray(x)).get(), host @ x)


def test_a_cpu_takes_whole_rows_unless_one_is_long(monkeypatch):
    take_ways(monkeypatch, False, "may be skewed", "skewed", "rows times vector", "long rows")
    monkeypatch.setattr(routes, "SKEWED", 1)
    random = np.random.default_rng(8)
    for lengths, is_skewed in (([20] * 300, False), ([1] * 600 + [12000, 0], True), ([40] * 300, False)):
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        columns = random.integers(0, len(lengths), indptr[-1])
        host = scipy.sparse.csr_array((random.integers(-4, 5, indptr[-1]), columns, indptr), shape=(len(lengths),) * 2)
        made = sparse.csr_array(host)
        assert made._is_skewed() == is_skewed
        x = random.integers(-3, 4, len(lengths))
        np.testing.assert_array_equal((made @ cp.asarray(x)).get(), host @ x)


def test_flags_are_true_of_parts():
    # The first row falls, the others do not; one place of the last row repeats.
    parts = ([1.0, 2, 3, 4, 5, 6], [3, 1, 0, 2, 4, 4], [0, 2, 4, 6])
    array = cases.sparse.csr_array(tuple(map(cp.asarray, parts)), shape=(3, 5))
    assert not array.has_sorted_indices
    assert not array.has_canonical_format
    made = [array[1:], array[:2], array[[1, 1]], array[:, :3], array.tocsc(), array.T, array.copy(), array * 2, -array]
    made += [array.tocsc()[:, 1:3], array[1:2] @ array.T, cases.sparse.vstack([array, array[1:2]])]
    for part in made:
        cases.check(part)
    assert made[0].has_sorted_indices
    assert not made[0].has_canonical_format
    array.data[4] = 0
    array.data[0] = 0
    array.eliminate_zeros()
    cases.check(array)
    assert array.has_canonical_format


@pytest.mark.parametrize("format", ["dok", "lil"])
@pytest.mark.parametrize("kind", cases.KINDS)
def test_formats_of_the_host_divide_as_numpy(format, kind):
    for dtype in ("f4", "f8", "c8"):
        ours, theirs = cases.pair(format, kind, cases.dense(dtype, (3, 4), 2))
        for divisor in (0, 0.0, np.float32(0), 2, -0.5):
            values = theirs.toarray()
            with np.errstate(all="ignore"):
                expected = np.where(values == 0, 0, values / divisor)
            np.testing.assert_array_equal((ours / divisor).toarray().get(), expected)
            if divisor:
                cases.agree(ours / divisor, theirs / divisor)
                ours /= divisor
                theirs /= divisor
                cases.agree(ours, theirs)
    nothing = getattr(sparse, f"{format}_{kind}")((2, 2), dtype=int)
    assert (nothing / 0).nnz == 0


def test_lists_keep_their_type_in_place():
    for dtype, other in (("i4", "f8"), ("u1", "i8"), ("f4", "f8")):
        ours, theirs = cases.pair("lil", "array", cases.dense(dtype, (3, 4), 3))
        values = cases.dense(other, (3, 4), 4)
        with np.errstate(all="ignore"):
            for change in (operator.iadd, operator.isub):
                ours, theirs = change(ours, cp.asarray(values)), change(theirs, values)
                cases.agree(ours, theirs)
    ours, _ = cases.pair("lil", "array", cases.dense("f4", (3, 4), 3))
    with pytest.warns(np.exceptions.ComplexWarning):
        ours += cp.ones((3, 4), complex)
    assert ours.dtype == np.float32


def test_zeros_added_to_dictionaries_give_their_type():
    for number in (0, 0.0, np.float64(0), 0j, np.int8(0)):
        ours, theirs = cases.pair("dok", "array", cases.dense("i2", (3, 4), 5))
        cases.agree(ours + number, theirs + number)
        cases.agree(ours - number, theirs - number)


@pytest.mark.parametrize("format", cases.FORMATS)
@pytest.mark.parametrize("kind", cases.KINDS)
def test_dense_arrays_are_compared_from_the_left(format, kind):
    ours, theirs = cases.pair(format, kind, cases.dense("f8", (3, 4), 6))
    values = cases.dense("f8", (3, 4), 7)
    for compare in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        cases.agree(compare(cp.asarray(values), ours), compare(values, theirs))


def test_products_with_one_element_have_the_format_of_scipys():
    for format in cases.FORMATS:
        ours, theirs = cases.pair(format, "array", cases.dense("f8", (3, 4), 8))
        cases.agree(ours.multiply(cp.asarray([2.0])), theirs.multiply(np.array([2.0])))
    for format in ("coo", "csr"):
        ours, theirs = cases.pair(format, "array", cases.dense("f8", (5,), 9))
        cases.agree(ours / cp.asarray([2.0]), theirs / np.array([2.0]))
    # A column of factors gives rows, a row of factors what it is.
    ours, theirs = cases.pair("csc", "array", cases.dense("f8", (3, 4), 10))
    for shape in ((3, 1), (1, 4)):
        factors, expected = cases.pair("csr", "array", cases.dense("f8", shape, 11, density=1))
        cases.agree(ours.multiply(factors), theirs.multiply(expected))


def test_repeated_truths_are_one_factor():
    parts = (np.ones(3, bool), (np.array([0, 0, 1]), np.array([1, 1, 0])))
    ours = sparse.coo_array((cp.asarray(parts[0]), tuple(map(cp.asarray, parts[1]))), shape=(2, 2))
    theirs = scipy.sparse.coo_array(parts, shape=(2, 2))
    values = np.array([[1.0, 2], [4, 5]])
    cases.agree(ours.multiply(cp.asarray(values)), theirs.multiply(values))
    np.testing.assert_array_equal((ours / cp.asarray(values)).toarray().get(), theirs.toarray() / values)
