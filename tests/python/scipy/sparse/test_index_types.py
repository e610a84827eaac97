"""Types of indices: what has 64 bits keeps them, new matrices go by what has to fit, as in SciPy and CuPy."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
from cuproxide.scipy import sparse


def assigned(x, index, value):
    x = x.copy()
    x[index] = value
    return x


def resized(x):
    x = x.copy()
    x.sum_duplicates()
    x.eliminate_zeros()
    x.resize((3, 3))
    return x


def on_the_diagonal(x):
    x = x.copy()
    x.setdiag(3)
    return x


# Functions of the module, an array whose indices may be wide, and a narrow one.
CALLS = {
    "itself": lambda xp, x, y: x,
    "tocsr": lambda xp, x, y: x.tocsr(),
    "tocsc": lambda xp, x, y: x.tocsc(),
    "tocoo": lambda xp, x, y: x.tocoo(),
    "tobsr": lambda xp, x, y: x.tobsr((1, 1)),
    "todia": lambda xp, x, y: x.todia().tocsr(),
    "tolil": lambda xp, x, y: x.tolil().tocsr(),
    "transpose": lambda xp, x, y: x.T,
    "negative": lambda xp, x, y: -x,
    "scaled": lambda xp, x, y: x * 2,
    "power": lambda xp, x, y: x.power(2),
    "astype": lambda xp, x, y: x.astype("f"),
    "add": lambda xp, x, y: x + y,
    "add from the left": lambda xp, x, y: y + x,
    "subtract": lambda xp, x, y: x - y,
    "multiply": lambda xp, x, y: x.multiply(y),
    "maximum": lambda xp, x, y: x.maximum(y),
    "compare": lambda xp, x, y: x > y,
    "product": lambda xp, x, y: x @ y,
    "product from the left": lambda xp, x, y: y @ x,
    "max": lambda xp, x, y: x.max(axis=0),
    "vstack": lambda xp, x, y: xp.vstack([x, y]),
    "hstack": lambda xp, x, y: xp.hstack([y, x]),
    "block_array": lambda xp, x, y: xp.block_array([[x, None], [None, y]]),
    "block_diag": lambda xp, x, y: xp.block_diag([x, y]),
    "kron": lambda xp, x, y: xp.kron(x, y, format="csr"),
    "tril": lambda xp, x, y: xp.tril(x, format="csr"),
    "reshape": lambda xp, x, y: x.reshape(4, 1),
    "of eye": lambda xp, x, y: x + xp.eye_array(2, format="csr"),
    "array of it": lambda xp, x, y: xp.csr_array(x),
    "matrix of it": lambda xp, x, y: xp.csr_matrix(x),
}
# Of CSR and CSC: BSR does not know these in SciPy, or goes by way of COO here, and COO gives wide indices
# to whatever it is.
INDEXED = {
    "resize": lambda xp, x, y: resized(x),
    "rows": lambda xp, x, y: x[1:],
    "columns": lambda xp, x, y: x[:, 1:],
    "list": lambda xp, x, y: x[[1, 0]],
    "assignment": lambda xp, x, y: assigned(x, (0, 1), 5.0),
    "assignment of a column": lambda xp, x, y: assigned(x, (slice(None), 0), 0.0),
    "setdiag": lambda xp, x, y: on_the_diagonal(x),
}


def made(xp, convert, kind, format, index):
    row, column, ends = (convert(np.array(part, index)) for part in ([0, 1, 1], [0, 0, 1], [0, 1, 3]))
    construct = getattr(xp, f"{format}_{kind}")
    if format == "coo":
        return construct((convert(np.ones(3)), (row, column)), shape=(2, 2))
    return construct((convert(np.ones((3, 1, 1) if format == "bsr" else 3)), column, ends), shape=(2, 2))


def indices(x):
    return x.coords if x.format == "coo" else (x.offsets,) if x.format == "dia" else (x.indices, x.indptr)


@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("index", ["int64", "int32", "uint8"])
def test_types_of_results(index, kind, format):
    calls = CALLS if format in ("coo", "bsr") else {**CALLS, **INDEXED}
    for name, call in calls.items():
        results = []
        for xp, convert in ((scipy.sparse, np.asarray), (sparse, cp.asarray)):
            first, second = made(xp, convert, kind, format, index), made(xp, convert, kind, format, "int32")
            results.append(call(xp, first, second))
        theirs, ours = results
        assert [part.dtype for part in indices(ours)] == [part.dtype for part in indices(theirs)], name
        np.testing.assert_array_equal(ours.toarray().get(), theirs.toarray(), err_msg=name)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "bsr"])
def test_types_of_what_is_made_of_other_things(format):
    for make in (
        lambda xp, array: getattr(xp, f"{format}_array")(array(np.eye(3))),
        lambda xp, array: getattr(xp, f"{format}_array")((4, 4)),
        lambda xp, array: (
            getattr(xp, f"{format}_array")(([1.0, 2], ([0, 1], [1, 1])), shape=(2, 2))
            if format not in ("dia",)
            else xp.dia_array(([[1.0, 2]], [0]), shape=(2, 2))
        ),
        lambda xp, array: xp.eye_array(3, format=format),
        lambda xp, array: xp.diags_array([array(np.ones(3))], offsets=[0], format=format),
        lambda xp, array: xp.random_array((4, 4), density=0.5, format=format),
    ):
        theirs, ours = make(scipy.sparse, np.asarray), make(sparse, cp.asarray)
        assert [part.dtype for part in indices(ours)] == [part.dtype for part in indices(theirs)]


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_wide_indices_of_parts_stay(kind, format):
    """As in CuPy 15, whose programs hand the indices to kernels of their own."""
    make = getattr(sparse, f"{format}_{kind}")._from_parts
    parts = cp.asarray([1.0, 2, 3]), cp.asarray([0, 2, 1]), cp.asarray([0, 1, 3, 3])
    a = make(*parts, (3, 3))
    assert a.indices is parts[1]
    assert a.indptr is parts[2]
    expected = getattr(scipy.sparse, f"{format}_array")(tuple(map(cp.asnumpy, parts)), shape=(3, 3)).toarray()
    for name, call in {
        "itself": lambda a: a,
        "sum": lambda a: a + a,
        "product": lambda a: a @ a,
        "copy": lambda a: a.copy(),
        "negative": lambda a: -a,
        "transposed": lambda a: a.T,
        "rows": lambda a: a.tocsr(),
        "columns": lambda a: a.tocsc(),
        "picked": lambda a: a[1:],
    }.items():
        found = call(a)
        assert [part.dtype for part in indices(found)] == [np.int64] * 2, name
        np.testing.assert_array_equal(found.toarray().get(), call(scipy.sparse.csr_array(expected)).toarray())
    assert [part.dtype for part in indices(a)] == [np.int64] * 2
    assert make(parts[0], *(part.astype("i4") for part in parts[1:]), (3, 3)).indices.dtype == np.int32


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_parts_are_checked(format):
    make = getattr(sparse, f"{format}_matrix")._from_parts
    data, minor, ends = cp.asarray([1.0, 2, 3]), cp.asarray([2, 0, 0]), cp.asarray([0, 2, 3])
    with pytest.raises(ValueError, match="same dtype"):
        make(data, minor.astype("i4"), ends, (2, 2))
    for minor_bad, ends_bad in ((minor + 2**40, ends), (minor, ends[:2]), (minor[:2], ends), (minor, ends[::-1])):
        with pytest.raises(ValueError, match="ind"):
            make(data, minor_bad, ends_bad, (2, 3) if format == "csr" else (3, 2))
    # What is said of the order is not believed.
    a = make(data, minor, ends, (2, 3) if format == "csr" else (3, 2), has_canonical_format=True)
    assert not a.has_sorted_indices
    assert not a.has_canonical_format
    assert not make(data, minor, ends, a.shape, has_sorted_indices=False).has_sorted_indices


@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_wide_coordinates_of_parts_stay(kind):
    make = getattr(sparse, f"coo_{kind}")._from_parts
    data, row, col = cp.asarray([1.0, 2, 3]), cp.asarray([1, 0, 1]), cp.asarray([2, 0, 2])
    a = make(data, row, col, (2, 3), has_canonical_format=True)
    for found in (a, a.tocsr(), a.T, -a, a.copy()):
        assert [part.dtype for part in indices(found)] == [np.int64] * 2
    np.testing.assert_array_equal(a.toarray().get(), [[2, 0, 0], [0, 0, 4]])
    assert not a.has_canonical_format
    for bad in ((row + 2, col), (row, -1 - col), (row[:2], col)):
        with pytest.raises(ValueError, match="index|same length"):
            make(data, *bad, (2, 3))


def test_indices_that_a_program_widens_stay_wide():
    a = sparse.csr_matrix(cp.eye(3))
    assert a.indices.dtype == np.int32
    a.indices, a.indptr = a.indices.astype("i8"), a.indptr.astype("i8")
    np.testing.assert_array_equal((a + a).toarray().get(), 2 * np.eye(3))
    assert a.indices.dtype == a.indptr.dtype == np.int64


TOO_LONG = (
    *(("uint8", 256), ("uint8", 300), ("int8", 128), ("int8", 200), ("int16", 32768), ("uint16", 65537)),
    *(("int32", 2**31), ("int32", 2**32 + 5), ("uint32", 2**32 + 5)),
)
"""Types of indices, and lengths of axes that they do not count up to."""


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_narrow_indices_along_axes_too_long_for_their_type(format):
    def make(index, length, last):
        data, others, inner = cp.ones(2), cp.asarray([0, 1]), cp.asarray([0, last]).astype(index)
        if format == "coo":
            return sparse.coo_array((data, (others, inner)), shape=(2, length))
        shape = (2, length) if format == "csr" else (length, 2)
        return getattr(sparse, f"{format}_array")((data, inner, cp.asarray([0, 1, 2])), shape=shape)

    for index, length in TOO_LONG:
        last = min(np.iinfo(index).max, 2**31 - 1, length - 1)
        made = make(index, length, last)
        assert made.sum() == 2, (index, length)
        assert int(made.tocoo().coords[0 if format == "csc" else 1].max()) == last, (index, length)
        if np.dtype(index).kind == "i":
            with pytest.raises(ValueError, match="negative|>= 0"):
                make(index, length, -1).sum()
