"""Arrays of a device that is not the current one: there is one in any case that runs nothing."""

import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg
from cuproxide.scipy import sparse

DENSE = np.array([[4.0, 1, 0, 0], [1, 5, 2, 0], [0, 2, 6, 1], [0, 0, 1, 3]])
COLUMN, BLOCK = np.array([1.0, 2, 3, 4]), np.arange(8.0).reshape(4, 2)

METHODS = {
    "add": lambda a, b, x, y: a + b,
    "subtract": lambda a, b, x, y: a - b,
    "multiply": lambda a, b, x, y: a.multiply(b),
    "multiply dense": lambda a, b, x, y: a.multiply(x),
    "divide": lambda a, b, x, y: a / 2,
    "not equal": lambda a, b, x, y: a != b,
    "greater": lambda a, b, x, y: a > b,
    "maximum": lambda a, b, x, y: a.maximum(b),
    "power": lambda a, b, x, y: a.power(2),
    "negative": lambda a, b, x, y: -a,
    "absolute": lambda a, b, x, y: abs(a),
    "sin": lambda a, b, x, y: a.sin(),
    "product with vector": lambda a, b, x, y: a @ x,
    "product with matrix": lambda a, b, x, y: a @ y,
    "transposed product": lambda a, b, x, y: a.T @ x,
    "product from the left": lambda a, b, x, y: x @ a,
    "product": lambda a, b, x, y: a @ b,
    "sum": lambda a, b, x, y: a.sum(),
    "sum of columns": lambda a, b, x, y: a.sum(axis=0),
    "mean": lambda a, b, x, y: a.mean(axis=1),
    "maximum of rows": lambda a, b, x, y: a.max(axis=1),
    "place of the maximum": lambda a, b, x, y: a.argmax(axis=1),
    "smallest": lambda a, b, x, y: a.min(),
    "trace": lambda a, b, x, y: a.trace(),
    "diagonal": lambda a, b, x, y: a.diagonal(1),
    "element": lambda a, b, x, y: a[1, 2],
    "row": lambda a, b, x, y: a[[1]],
    "rows": lambda a, b, x, y: a[2:0:-1],
    "columns": lambda a, b, x, y: a[:, 1:3],
    "fancy": lambda a, b, x, y: a[[0, 2], [0, 1]],
    "mask": lambda a, b, x, y: a[a > 1],
    "reshape": lambda a, b, x, y: a.reshape(2, 8),
    "to csc": lambda a, b, x, y: a.tocsc(),
    "to csr": lambda a, b, x, y: a.tocsr(),
    "to coo": lambda a, b, x, y: a.tocoo(),
    "to dia": lambda a, b, x, y: a.todia(),
    "to bsr": lambda a, b, x, y: a.tobsr((2, 2)),
    # These two lie on the host: what is made of them goes to the current device.
    "to lil": lambda a, b, x, y: a.tolil().nnz,
    "to dok": lambda a, b, x, y: a.todok().nnz,
    "to array": lambda a, b, x, y: a.toarray(),
    "sorted": lambda a, b, x, y: a.has_sorted_indices,
    "stored": lambda a, b, x, y: a.count_nonzero(),
    "nonzero": lambda a, b, x, y: a.nonzero(),
    "copy": lambda a, b, x, y: a.copy(),
    "print": lambda a, b, x, y: str(a),
}
FUNCTIONS = {
    "kron": lambda sp, a, b, x: sp.kron(a, b),
    "stack": lambda sp, a, b, x: sp.vstack([a, b]),
    "blocks": lambda sp, a, b, x: sp.block_array([[a, None], [None, b]]),
    "lower": lambda sp, a, b, x: sp.tril(a),
    "find": lambda sp, a, b, x: sp.find(a),
    "diagonals": lambda sp, a, b, x: sp.diags_array(x),
    "norm": lambda sp, a, b, x: sp.linalg.norm(a),
    "cg": lambda sp, a, b, x: sp.linalg.cg(a, x, rtol=1e-10)[0].round(8),
    "gmres": lambda sp, a, b, x: sp.linalg.gmres(a, x, rtol=1e-10)[0].round(8),
    "lsqr": lambda sp, a, b, x: sp.linalg.lsqr(a, x, atol=1e-12, btol=1e-12)[0].round(6),
    "spsolve": lambda sp, a, b, x: sp.linalg.spsolve(a.tocsc(), x).round(10),
    "splu": lambda sp, a, b, x: sp.linalg.splu(a.tocsc()).solve(x).round(10),
    "spilu": lambda sp, a, b, x: sp.linalg.spilu(a.tocsc()).solve(x).round(10),
    "triangle": lambda sp, a, b, x: sp.linalg.spsolve_triangular(sp.tril(a, format="csr"), x).round(10),
    "expm": lambda sp, a, b, x: sp.linalg.expm_multiply(a, x).round(4),
    "eigsh": lambda sp, a, b, x: sp.linalg.eigsh(a, k=2, return_eigenvectors=False).round(8),
    "components": lambda sp, a, b, x: sp.csgraph.connected_components(a, directed=False)[1],
    "paths": lambda sp, a, b, x: sp.csgraph.dijkstra(a),
    "tree": lambda sp, a, b, x: sp.csgraph.minimum_spanning_tree(a),
    "laplacian": lambda sp, a, b, x: sp.csgraph.laplacian(a),
}


def values(thing):
    """What a result holds, on the host; its arrays lie on the device of the operands."""
    if isinstance(thing, tuple):
        return [values(part) for part in thing]
    if isinstance(thing, cp.ndarray) or (hasattr(thing, "format") and hasattr(getattr(thing, "data", None), "device")):
        if not isinstance(thing, np.ndarray) and not isinstance(thing, scipy.sparse.sparray):
            assert cp.Device(str((thing if isinstance(thing, cp.ndarray) else thing.data).device)) == HOME
            thing = thing.get()
    return thing.toarray() if hasattr(thing, "toarray") else np.asarray(thing)


HOME = cp.Device()


def compare(found, wanted):
    if isinstance(wanted, list):
        for pair in zip(found, wanted, strict=True):
            compare(*pair)
    elif wanted.dtype.kind in "US":
        assert str(found).split() == str(wanted).split() or found.dtype.kind == "U"
    else:
        np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "bsr"])
def test_methods(format):
    host = getattr(scipy.sparse, f"{format}_array")(DENSE)
    array, x, y = getattr(sparse, f"{format}_array")(cp.asarray(DENSE)), cp.asarray(COLUMN), cp.asarray(BLOCK)
    other = array.tocsr() * 2
    for name, call in METHODS.items():
        try:
            wanted = call(host.copy(), host.tocsr() * 2, COLUMN, BLOCK)
        except (TypeError, AttributeError, NotImplementedError, ValueError):
            continue
        with cp.Device("noop"):
            found = call(array.copy(), other, x, y)
        try:
            compare(values(found), values(wanted))
        except Exception as error:
            raise AssertionError(f"{name} of {format}") from error


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    array, x = sparse.csr_array(cp.asarray(DENSE)), cp.asarray(COLUMN)
    host = scipy.sparse.csr_array(DENSE)
    wanted = FUNCTIONS[name](scipy.sparse, host, host, COLUMN)
    with cp.Device("noop"):
        found = FUNCTIONS[name](sparse, array, array, x)
    compare(values(found), values(wanted))


@pytest.mark.filterwarnings("ignore")
def test_constructors():
    data, indices, indptr = map(cp.asarray, ([1.0, 2, 3], [0, 2, 1], [0, 2, 3]))
    dense = cp.asarray(DENSE)
    with cp.Device("noop"):
        made = [
            sparse.csr_array((data, indices, indptr), shape=(2, 3)),
            sparse.csr_array((data, (indices, indices))),
            sparse.coo_matrix((data, (indices, indices)), shape=(3, 3)),
            sparse.csc_array(dense),
            sparse.dia_array(dense),
            sparse.bsr_array(dense, blocksize=(2, 2)),
        ]
        made[0][0, 1] = 5
        made[1].sum_duplicates()
    assert all(array.data.device == HOME for array in made)
    np.testing.assert_array_equal(made[0].toarray().get(), [[1, 5, 2], [0, 3, 0]])


def test_warnings_name_the_line_of_the_program():
    array = sparse.csr_array(cp.asarray(DENSE))
    calls = (
        lambda: array == 0,
        lambda: array.maximum(1),
        lambda: array.__setitem__((0, 3), 1.0),
        lambda: sparse.linalg.splu(array),
        lambda: sparse.linalg.spsolve_triangular(array.tocoo(), cp.asarray(COLUMN)),
    )
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert caught
        assert {warning.filename for warning in caught} == {__file__}
