"""Types of indices: arrays keep the 64 bits that they were given, matrices go by what has to fit, as in SciPy."""

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
