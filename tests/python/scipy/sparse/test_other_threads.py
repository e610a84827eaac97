"""Sparse arrays that other threads change while one computes with them: never a death or a panic."""

import os
import pathlib
import subprocess
import sys

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse._host import _check_copy

SUPPORT = pathlib.Path(__file__).parents[2] / "support"

# What loops get if indices change after the check: wrong ones, at every place.
LOOPS = """
import itertools
import cuproxide as cp
from cuproxide import _cuproxide as core
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import _elementwise, _inspection, _products, _sparse_products, _structure

# Some wrong indices ask for gigabytes.
cp.get_default_memory_pool().set_limit(size=2**29)
good = sparse.random_array((300, 200), density=0.2, rng=1).tocsr()
square = sparse.random_array((200, 200), density=0.2, rng=2).tocsr()
x, wide = cp.ones(200), cp.ones((200, 7))
bad = (-1, 200, 2**31 - 1, -(2**31))
for number, which, step, index in itertools.product(bad, ("indices", "indptr"), (1, 7), ("i4", "i8")):
    parts = [good.data.copy(), good.indices.astype(index), good.indptr.astype(index)]
    parts[1 if which == "indices" else 2][3::step] = number
    a = sparse.csr_array._made(*parts, good.shape, canonical=True)
    b = sparse.csr_array._made(square.data, square.indices.astype(index), square.indptr.astype(index), square.shape)
    c = sparse.csr_array._made(parts[0], parts[1], parts[2][: 201], square.shape, canonical=True)
    for work in (
        lambda: core.sparse_times(tuple(parts), 200, wide),
        lambda: core.sparse_transposed(tuple(parts), 200),
        lambda: core.sparse_multiply(tuple(parts), b._parts, 200),
        lambda: core.sparse_multiply(c._parts, c._parts, 200),
        lambda: _sparse_products.sparse_product(a._parts, c._parts, 300, 200, "f8", index, lambda: True),
        lambda: _products.rows_times_vector(tuple(parts), 300, x, "f8"),
        lambda: _products.skewed_rows_times_vector(tuple(parts), 300, x, "f8"),
        lambda: _products.rows_times_columns(tuple(parts), 300, wide, "f8"),
        lambda: _products.columns_times_vector(tuple(parts), 200, cp.ones(300), "f8"),
        lambda: _products.columns_times_columns(tuple(parts), 200, cp.ones((300, 7)), "f8"),
        lambda: _structure.transposed(*parts, 200),
        lambda: _structure.sorted_rows(*parts, 200),
        lambda: _structure.scatter_rows(*parts, cp.zeros((300, 200))),
        lambda: _inspection.neighbours(parts[2], parts[1]),
        lambda: _structure._grouped(parts[1], parts[2], parts[0], 200, index, are_offsets=True),
        lambda: _elementwise.merged_rows(a, a, "add"),
        lambda: _elementwise.merged_rows(a, a, "multiply"),
    ):
        try:
            work()
        except (ValueError, IndexError, MemoryError):
            pass
print("alive")
"""


def environment():
    return {**os.environ, "CUPROXIDE_BACKEND": "cpu", "CUPROXIDE_NUM_THREADS": "2"}


def test_loops_keep_indices_inside():
    command = [sys.executable, "-c", LOOPS]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr[-3000:]


def test_threads_that_write_while_others_compute():
    # The long mode: `python tests/python/support/racing.py 0 60`.
    command = [sys.executable, str(SUPPORT / "racing.py"), "1"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


COPIES = """
import racing

racing.OPERATIONS = {name: work for name, work in racing.OPERATIONS.items() if name == "get"}
for format in racing.COMPRESSED:
    for how in (racing.write, racing.replace):
        assert not racing.race(format, how, 0, 0.7, 1)
print("alive")
"""


def test_copies_for_scipy_while_others_write_are_checked():
    path = os.pathsep.join([str(SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command, settings = [sys.executable, "-c", COPIES], {**environment(), "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, env=settings, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr[-3000:]


@pytest.fixture(params=["csr", "csc", "bsr", "coo"])
def meddled(request, monkeypatch):
    """An array whose check lets something be done after it has read the indices, as another thread may."""
    a = sparse.eye_array(4).asformat(request.param)
    kind, done = type(a), []
    checked = kind._checked

    def check(self, *parts):
        found = checked(self, *parts)
        if done:
            done.pop()(self)
        return found

    monkeypatch.setattr(kind, "_checked", check)
    return a, done.append


def first_indices(a):
    return "coords" if a.format == "coo" else "indices"


def parts_of(a):
    found = getattr(a, first_indices(a))
    return found if isinstance(found, tuple) else (found,)


def write_index(a):
    parts_of(a)[0][-1] = 99


def shrink(a):
    a._shape = (2, 2)


def replace_indices(a):
    wrong = tuple(part + 99 for part in parts_of(a))
    setattr(a, first_indices(a), wrong if a.format == "coo" else wrong[0])


@pytest.mark.parametrize("change", [write_index, shrink, replace_indices])
def test_what_changes_during_a_check_is_checked_again(meddled, change):
    a, during = meddled
    during(change)
    a._recheck()
    with pytest.raises(ValueError, match="indices must be|exceeds matrix|pointer size"):
        a.sum()
    with pytest.raises(ValueError, match="indices must be|exceeds matrix|pointer size"):
        a.get()


WRONG_COPIES = {
    "an index behind the columns": ([0, 3], [0, 1, 2]),
    "a negative index": ([0, -1], [0, 1, 2]),
    "offsets that fall": ([0, 1], [0, 2, 1]),
    "offsets that begin late": ([0, 1], [1, 2, 2]),
    "offsets that end behind the indices": ([0, 1], [0, 1, 3]),
}


@pytest.mark.parametrize("name", WRONG_COPIES)
def test_copies_with_wrong_indices_are_refused(name):
    for format in ("csr", "csc", "bsr"):
        host = cp.scipy.sparse.eye_array(2).asformat(format).get()
        _check_copy(host)
        host.indices, host.indptr = (np.array(part, np.int32) for part in WRONG_COPIES[name])
        with pytest.raises(ValueError, match="another thread changed this array"):
            _check_copy(host)


@pytest.mark.parametrize("format", ["csr", "csc", "bsr", "coo", "dia"])
def test_parts_that_are_no_arrays(format):
    a = sparse.eye_array(4).asformat(format)
    name = {"coo": "coords", "dia": "offsets"}.get(format, "indices")
    setattr(a, name, None)
    for look in (repr, lambda a: a.nnz) if format in ("csr", "csc", "dia") else ():
        with pytest.raises(TypeError, match=f"{name} must be an array, not NoneType"):
            look(a)
    with pytest.raises(TypeError, match=f"{name}.* must be a.* array.*, not NoneType"):
        a.tocsr().sum(axis=0)
    a = sparse.eye_array(4).asformat(format)
    a.data = None
    with pytest.raises(TypeError, match="data must be an array, not NoneType"):
        repr(a)


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_shapes_that_change_are_seen(format):
    a = sparse.eye_array(4).asformat(format)
    assert (a @ cp.ones(4)).tolist() == [1] * 4
    a._shape = (4, 3) if format != "csc" else (3, 4)
    with pytest.raises(ValueError, match="must be < 3|exceeds matrix dimension 3|index pointer size"):
        a.tocsc() if format != "csc" else a.tocsr()
