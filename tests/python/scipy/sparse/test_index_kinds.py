"""Every kind of index on every format, beside SciPy: elements, shapes, classes and kinds of errors."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse as host_sparse
from cuproxide.scipy import sparse

pytestmark = pytest.mark.filterwarnings("ignore:Changing the sparsity structure", "ignore:Data type alias 'a'")

DENSE = np.array([[1.0, 0, 2, 0], [0, 0, 3, 4], [5, 0, 0, 0]])
LINE = np.array([0, 3.0, 0, 4, 5])


class Part:
    """An array of the library that is indexed."""

    def __init__(self, values):
        self.values = np.array(values)

    def of(self, module):
        return module.asarray(self.values)


KEYS = {
    "number in an array": (Part(1), 2),
    "numbers in arrays": (Part(1), Part(2)),
    "negative number in an array": (Part(-1), 0),
    "row in an array": Part(1),
    "array and slice": (Part(1), slice(None)),
    "slice and array": (slice(None), Part(2)),
    "array and list": (Part(1), [0, 2]),
    "integers and ellipsis": (1, 1, ...),
    "ellipsis and integers": (..., 1, 1),
    "row and ellipsis": (1, ...),
    "ellipsis and column": (..., 1),
    "ellipsis": ...,
    "element, new axis first": (None, 1, 2),
    "element, new axis between": (1, None, 2),
    "element, new axis last": (1, 2, None),
    "element, two new axes": (None, None, 1, 2),
    "row, new axis": (None, 1),
    "slice, new axis": (slice(None), None),
    "integers of NumPy": (np.int64(1), np.int8(2)),
    "text": (2, "foo"),
    "text alone": "foo",
    "set": {1},
    "bytes": b"a",
    "float": 1.5,
    "complex": 1j,
    "negative": (-1, -1),
    "outside": (3, 0),
    "outside below": (0, -5),
    "lists": ([0, 1], [0, 2]),
    "list": [0, 2],
    "column and row": (Part([[0], [2]]), Part([0, 2])),
    "mask": Part(DENSE > 1),
    "mask of rows": Part([True, False, True]),
    "mask of columns": (slice(None), Part([True, False, True, False])),
    "empty list": [],
    "too many": (0, 0, 0),
    "two ellipses": (..., ...),
    "steps": (slice(None, None, -2), slice(1, None)),
    "row": (1, slice(None)),
    "column": (slice(None), 2),
    "range": (slice(None), range(1, 3)),
    "bytes as indices": Part(np.array([0, 2], "u1")),
}
# SciPy's LIL makes COO of what its other formats give as dense arrays.
KNOWN = {("lil", "array", name) for name in KEYS if name.startswith("element, new axis")}
LINE_KEYS = {
    "number in an array": Part(1),
    "integer and ellipsis": (1, ...),
    "ellipsis and integer": (..., 1),
    "element, new axis": (None, 1),
    "slice": slice(1, 4),
    "slice, new axis": (None, slice(1, 4)),
    "list": [0, 3],
    "lists": [[0, 3], [1, 2]],
    "mask": Part(LINE > 3),
    "text": "a",
    "outside": 9,
    "two": (1, 2),
    "new axis": None,
}


def key_of(key, module):
    if isinstance(key, Part):
        return key.of(module)
    return tuple(key_of(part, module) for part in key) if isinstance(key, tuple) else key


def outcome(work):
    """The class, shape and elements of a result, or the kind of error."""
    try:
        result = work()
    except (IndexError, ValueError, TypeError, NotImplementedError) as error:
        return type(error).__name__
    kind = type(result).__name__ if hasattr(result, "toarray") else "dense"
    dense = cp.asnumpy(result.toarray() if hasattr(result, "toarray") else result)
    return kind, np.shape(dense), np.asarray(dense).tolist()


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("format", ["csr", "csc", "lil", "dok", "coo"])
def test_every_kind_of_index(format, kind):
    mine = getattr(sparse, f"{format}_{kind}")(cp.asarray(DENSE))
    theirs = getattr(host_sparse, f"{format}_{kind}")(DENSE)
    for name, key in KEYS.items():
        if (format, kind, name) not in KNOWN:
            want = outcome(lambda key=key: theirs[key_of(key, np)])
            assert outcome(lambda key=key: mine[key_of(key, cp)]) == want, name


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("format", ["csr", "csc", "lil", "dok"])
def test_every_kind_of_assignment(format, kind):
    def assigned(a, key, module):
        a = a.copy()
        a[key_of(key, module)] = 7
        return a

    mine = getattr(sparse, f"{format}_{kind}")(cp.asarray(DENSE))
    theirs = getattr(host_sparse, f"{format}_{kind}")(DENSE)
    for name, key in KEYS.items():
        want = outcome(lambda key=key: assigned(theirs, key, np))
        assert outcome(lambda key=key: assigned(mine, key, cp)) == want, name


@pytest.mark.parametrize("format", ["csr", "coo", "dok"])
def test_every_kind_of_index_of_one_axis(format):
    mine, theirs = getattr(sparse, f"{format}_array")(cp.asarray(LINE)), getattr(host_sparse, f"{format}_array")(LINE)
    for name, key in LINE_KEYS.items():
        want = outcome(lambda key=key: theirs[key_of(key, np)])
        assert outcome(lambda key=key: mine[key_of(key, cp)]) == want, name


def test_the_index_of_an_extremum():
    a = sparse.csr_array(cp.asarray(DENSE))
    assert float(a[cp.argmax(cp.array([1, 5, 2])), 2]) == 3


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("format", ["csr", "csc", "lil", "dok", "coo"])
def test_rows_that_are_met_one_by_one(format, kind):
    if (format, kind) == ("coo", "matrix"):
        pytest.skip("SciPy's coo_matrix cannot be indexed")
    rows = list(getattr(sparse, f"{format}_{kind}")(cp.asarray(DENSE)))
    others = list(getattr(host_sparse, f"{format}_{kind}")(DENSE))
    assert [outcome(lambda row=row: row) for row in rows] == [outcome(lambda row=row: row) for row in others]


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil", "dok", "dia"])
@pytest.mark.parametrize("name", ["getrow", "getcol"])
def test_classes_of_rows_and_columns(format, name):
    mine = getattr(getattr(sparse, f"{format}_matrix")(cp.asarray(DENSE)), name)(2)
    theirs = getattr(getattr(host_sparse, f"{format}_matrix")(DENSE), name)(2)
    assert outcome(lambda: mine) == outcome(lambda: theirs)


def test_dictionaries_are_joined():
    a, b = sparse.dok_array((2, 2)), sparse.dok_array((2, 2))
    a[0, 1], b[1, 1] = 3, 5
    assert a | {(1, 0): 2} == {(0, 1): 3, (1, 0): 2}
    assert a | b == {(0, 1): 3, (1, 1): 5}
    assert {(1, 0): 2} | a == {(0, 1): 3, (1, 0): 2}
    a |= {(1, 0): 2}
    assert a.toarray().tolist() == [[0, 3], [2, 0]]
    with pytest.raises(IndexError, match="too large"):
        a |= {(7, 0): 1}


def test_classes_take_parameters():
    assert sparse.csr_array[int].__origin__ is sparse.csr_array
    assert sparse.coo_matrix[np.float32].__args__ == (np.float32,)


@pytest.mark.parametrize(
    ("shape", "new"), [(4, (2, 2)), (5, (2, 2)), (4, (3, 4)), (6, (1, 3)), ((2, 3), (4,)), ((2, 3), (9,))]
)
def test_resize_to_other_axes(shape, new):
    dense = np.arange(1, np.prod(shape) + 1).reshape(shape)
    mine, theirs = sparse.coo_array(cp.asarray(dense)), host_sparse.coo_array(dense)
    mine.resize(*new)
    expected = np.zeros(np.prod(new), int)
    expected[: min(dense.size, expected.size)] = dense.reshape(-1)[: expected.size]
    assert mine.toarray().tolist() == expected.reshape(new).tolist()
    if dense.size <= expected.size:
        theirs.resize(*new)
        assert theirs.toarray().tolist() == mine.toarray().tolist()


def test_powers_of_matrices():
    a = sparse.csr_matrix(cp.asarray(DENSE[:, :3]))
    assert (a**0).format == "dia"
    assert (a**0).toarray().tolist() == np.eye(3).tolist()
    for exponent, message in ((0.5, "must be an integer"), (0.0, "must be an integer"), (-1, ">= 0")):
        with pytest.raises(ValueError, match=message):
            a**exponent
    with pytest.raises(NotImplementedError):
        sparse.csr_array(cp.asarray(DENSE)) ** 0
