"""Index arrays that a program changes after an array was made: never a death, a panic, or numbers from other memory."""

import inspect
import os
import pathlib
import subprocess
import sys
import types

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import _cuproxide as core
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import csgraph, linalg
from cuproxide.scipy.sparse._checks import SparseFormatWarning
from effort import CASES, drawn

PROGRAM = pathlib.Path(__file__).parents[2] / "support" / "spoiled.py"
FORMATS = ("csr", "csc", "bsr", "coo", "dia", "lil", "dok")


def matrix(format="csr", kind="array"):
    dense = cp.array([[1.0, 0, 2], [0, 3, 0], [4, 0, 5]])
    return getattr(sparse, f"{format}_{kind}")(dense)


def test_random_spoiled_arrays():
    # The long mode: `CUPROXIDE_TEST_CASES=20000 python -m pytest tests/python/scipy/sparse/test_spoiled_indices.py`.
    count, part = CASES or drawn(400), 1000
    for first in range(0, count, part):
        command = [sys.executable, str(PROGRAM), str(first), str(min(part, count - first))]
        done = subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr[-3000:]


# ------------------------------------------------------------------------------------------------- what the issue found


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("bad", [-1, 3, 10**6, -(2**31)])
def test_indices_outside_of_the_shape(format, bad):
    operations = [
        *(
            lambda a: linalg.spsolve(a, cp.ones(3)),
            lambda a: a.tocsc().tocsr(),
            lambda a: a[0, 1],
            lambda a: a.max(axis=0),
        ),
        *(lambda a: a.tocoo(), lambda a: a.tobsr(), lambda a: a.tolil(), lambda a: a[1:], lambda a: a @ cp.ones(3)),
        *(lambda a: cp.ones(3) @ a, lambda a: a @ a, lambda a: a + a, lambda a: csgraph.dijkstra(a), lambda a: a.get()),
    ]
    for operation in operations:
        a = matrix(format)
        a.indices[1] = bad
        with pytest.raises(ValueError, match="indices must be"):
            operation(a)


@pytest.mark.parametrize(
    ("indptr", "message"),
    [
        ([0, 2, 1, 5], "non-decreasing"),
        ([1, 2, 3, 5], "should start with 0"),
        ([-1, 2, 3, 5], "should start with 0"),
        ([0, 2, 3, 6], "Last value"),
        ([0, 2, 3, 2**31 - 1], "Last value"),
        ([0, -5, 3, 5], "non-decreasing"),
        ([0, 2, 3], "index pointer size"),
        ([[0, 2, 3, 5]], "1-D"),
    ],
)
def test_offsets(indptr, message):
    a = matrix()
    a.indptr = cp.array(indptr, dtype="int32")
    with pytest.raises(ValueError, match=message):
        a @ cp.ones(3)
    with pytest.raises(ValueError, match=message):
        a.check_format()
    # It can be looked at, and mended.
    assert "5 stored elements" in repr(a)
    a.indptr = cp.array([0, 2, 3, 5])
    assert (a @ cp.ones(3)).tolist() == [3, 3, 9]


def test_what_lies_behind_the_last_offset_is_dropped():
    a = matrix()
    a.indptr[3] = 4
    assert a.toarray().tolist() == [[1, 0, 2], [0, 3, 0], [4, 0, 0]]
    assert a.nnz == 4


def test_other_types_of_indices():
    a = matrix()
    a.indices = a.indices.astype("f8")
    with pytest.warns(SparseFormatWarning, match="indices array has non-integer dtype"):
        assert (a @ cp.ones(3)).tolist() == [3, 3, 9]
    for bad in (np.nan, np.inf, 1e300):
        a = matrix()
        a.indices = a.indices + bad
        with pytest.warns(SparseFormatWarning), pytest.raises(ValueError, match="indices must be"):
            a.tocoo()
    a = matrix()
    a.indices = a.indices.astype("i8") + 2**40
    with pytest.raises(ValueError, match="indices must be"):
        a.T @ cp.ones(3)
    a.indices = [0, 2, 1, 0, 2]
    assert (a @ cp.ones(3)).tolist() == [3, 3, 9]
    a.indices = np.array([0, 2, 1, 0, 2])
    assert (a @ cp.ones(3)).tolist() == [3, 3, 9]


def test_lengths_of_data():
    for format in ("csr", "csc", "coo"):
        a = matrix(format)
        a.data = a.data[:-1]
        with pytest.raises(ValueError, match="the same"):
            a.toarray()
    a = matrix("dia")
    a.data = a.data[:-1]
    with pytest.raises(ValueError, match="number of diagonals"):
        a @ cp.ones(3)
    a = matrix("bsr")
    a.data = a.data.reshape(-1)
    with pytest.raises(ValueError, match="3-D"):
        a.tocsr()


def test_coordinates():
    a = matrix("coo")
    a.row[0] = 10**6
    with pytest.raises(ValueError, match="axis 0 index 1000000 exceeds matrix dimension 3"):
        a.toarray()
    a.row[0] = -1
    with pytest.raises(ValueError, match="negative axis 0 index: -1"):
        a.tocsr()
    a.coords = a.coords[:1]
    with pytest.raises(ValueError, match="mismatching number of index arrays"):
        a.sum(axis=0)
    for bad in (np.nan, 2.0**63):
        with pytest.warns(SparseFormatWarning), pytest.raises(ValueError, match="index"):
            sparse.coo_array((cp.ones(1), (cp.array([bad]), cp.array([0]))), shape=(2, 2))
    with pytest.raises(ValueError, match="exceeds matrix dimension"):
        sparse.coo_array((cp.ones(1), (cp.array([2**63 + 1], dtype="u8"), cp.array([0]))), shape=(2, 2))


def test_diagonals():
    a = matrix("dia")
    a.offsets[1] = a.offsets[0]
    with pytest.raises(ValueError, match="duplicate"):
        a @ cp.ones(3)
    with pytest.raises(ValueError, match="offsets must be integers of 32 bits"):
        sparse.dia_array((cp.ones((1, 3)), [2**32]), shape=(3, 3))


def test_lists_and_dictionaries():
    a = matrix("lil")
    a.rows[0].append(9)
    with pytest.raises(ValueError, match="lengths"):
        a.tocsr()
    a.data[0].append(1.0)
    with pytest.raises(IndexError, match=r"column index \(9\)"):
        a @ cp.ones(3)
    a = matrix("lil")
    a.rows[0].reverse()
    assert a.toarray().tolist() == [[2, 0, 1], [0, 3, 0], [4, 0, 5]]
    a = matrix("dok")
    a.setdefault((7, 0), 1.0)
    with pytest.raises(IndexError, match="index"):
        a.tocoo()


def test_predecessors():
    graph = matrix()
    for bad in (3, 10**6):
        with pytest.raises(ValueError, match="predecessors must be nodes from 0 to 2"):
            csgraph.reconstruct_path(graph, cp.array([-9999, bad, 0]))
        with pytest.raises(ValueError, match="predecessors must be nodes"):
            csgraph.construct_dist_matrix(graph, cp.full((3, 3), bad))


# ------------------------------------------------------------------------------------------- when indices are looked at


@pytest.fixture
def checks(monkeypatch):
    """The classes of arrays whose indices were looked at."""
    from cuproxide.scipy.sparse._devices import Guarded

    seen, recheck = [], Guarded._recheck

    def counted(self):
        seen.append(type(self).__name__)
        return recheck(self)

    monkeypatch.setattr(Guarded, "_recheck", counted)
    return seen


def test_nothing_is_checked_that_nobody_wrote_to(checks):
    a = sparse.random_array((100, 100), density=0.1, format="csr", rng=1)
    x, eye = cp.ones(100), sparse.eye_array(100, format="csr")
    checks.clear()
    results = [
        *(
            a @ x,
            a.T @ x,
            a @ cp.ones((100, 3)),
            a + a,
            a @ a,
            a.multiply(a),
            a.tocsc(),
            a.tocoo().tocsr(),
            a.tobsr(),
            -a,
        ),
        *(
            a.sum(axis=0),
            a.max(axis=1),
            a[3],
            a[:, [1, 2]],
            a[2:4],
            a[[5, 1]],
            a.toarray(),
            a.diagonal(),
            a.astype("f4"),
        ),
        *(
            sparse.hstack([a, a]),
            sparse.kron(a, a[:2]),
            linalg.norm(a),
            csgraph.connected_components(a),
            a.copy().T @ x,
        ),
        *(
            linalg.cg(a + a.T + 9 * eye, x),
            linalg.spsolve(a + eye, x),
        ),
    ]
    # Reading the parts is no change.
    results += [a.indices.sum(), a.indptr.tolist(), a.indices[a.indptr[1] :], cp.bincount(a.indices), a @ x, a.tocsc()]
    results += [cp.argsort(a.indices), cp.unique(a.indices), a.indices + 1, a @ x]
    assert len(results) == 36
    assert not checks
    a.sum_duplicates()
    a[1, 1] = 5
    a.eliminate_zeros()
    a.resize(90, 80)
    a.sort_indices()
    assert (a @ x[:80]).shape == (90,)
    assert not checks


@pytest.mark.parametrize(
    "change",
    [
        lambda part: part.__setitem__(0, 9),
        lambda part: part.__setitem__(slice(0, 1), 9),
        lambda part: part.__iadd__(9),
        lambda part: part[1:].fill(9),
        lambda part: cp.add(part, 9, out=part),
        lambda part: cp.put(part, [0], [9]),
        lambda part: cp.copyto(part, 9),
        lambda part: part.data.memset(1, part.nbytes),
        lambda part: cp.from_dlpack(part).fill(9),
        lambda part: part.resize(1),
        lambda part: cp.ElementwiseKernel("", "T x", "x = 9", "set_nine")(part),
        lambda part: cp.add.at(part, [0], 9),
        lambda part: part[cp.array([True, False, False, False, False])].fill(9) or part.__setitem__(part == 0, 9),
    ],
)
def test_every_way_to_write_is_noticed(change):
    for through in (lambda a: a, lambda a: a.T, lambda a: a.tocoo(copy=False), lambda a: a.astype("f8", copy=False)):
        a = matrix()
        shared = through(a)
        part = shared.col if shared.format == "coo" else shared.indices
        if change.__code__.co_names == ("resize",) and shared is not a:
            continue
        change(part)
        with pytest.raises(ValueError, match="indices|size"):
            a @ cp.ones(3)


def test_memory_of_others_is_checked_at_each_call(checks):
    host = np.array([0, 2, 1, 0, 2], dtype="i4")
    if cp.Device().backend != "cpu":
        pytest.skip("NumPy's memory is not the device's")
    a = sparse.csr_array((cp.ones(5), cp.from_dlpack(host), cp.array([0, 2, 3, 5], dtype="i4")), shape=(3, 3))
    checks.clear()
    a @ cp.ones(3), a.tocsc()
    assert checks
    host[0] = 77
    with pytest.raises(ValueError, match="indices must be < 3"):
        a @ cp.ones(3)


def test_what_was_found_out_is_forgotten():
    a = matrix()
    assert a.has_canonical_format
    a.indices[:2] = cp.array([2, 0])
    assert a.toarray().tolist() == [[2, 0, 1], [0, 3, 0], [4, 0, 5]]
    assert not a.has_sorted_indices
    a.indices[:2] = 1
    assert not a.has_canonical_format
    assert (a + a).toarray().tolist() == [[0, 6, 0], [0, 6, 0], [8, 0, 10]]
    # Which rows depend on each other is kept with a matrix, and changes with it.
    lower = sparse.csr_array(cp.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1]]))
    assert linalg.spsolve_triangular(lower, cp.ones((3, 2))).tolist() == [[1, 1], [0, 0], [1, 1]]
    lower.indptr[:] = cp.array([0, 1, 2, 4])
    lower.indices[:] = cp.array([0, 1, 1, 2])
    assert linalg.spsolve_triangular(lower, cp.ones((3, 2))).tolist() == [[1, 1], [1, 1], [0, 0]]


def test_every_public_function_checks():
    for module in (sparse, linalg, csgraph):
        for name in module.__all__:
            function = getattr(module, name)
            takes_arrays = isinstance(function, types.FunctionType) and {
                "A",
                "a",
                "x",
                "blocks",
                "csgraph",
                "graph",
            } & set(inspect.signature(function).parameters)
            if takes_arrays and not name.startswith("is"):
                assert hasattr(function, "__wrapped__"), name
    for format in FORMATS:
        for kind in ("array", "matrix"):
            for owner in getattr(sparse, f"{format}_{kind}").__mro__:
                for name, member in vars(owner).items():
                    is_public = not name.startswith("_") or name.startswith("__")
                    if owner.__module__.startswith("cuproxide.scipy.sparse") and is_public:
                        is_function = isinstance(member, types.FunctionType)
                        assert not is_function or hasattr(member, "__wrapped__"), (owner, name)


# --------------------------------------------------------------------------------------------------------------- panics


def test_a_panic_is_an_error_that_except_catches():
    with pytest.raises(RuntimeError, match="internal error, please report it.*: in a test"):
        core.provoke_panic("in a test")
    try:
        core.provoke_panic("again")
    except Exception as error:
        assert isinstance(error, RuntimeError)
