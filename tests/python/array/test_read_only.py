"""Read-only arrays: `setflags`, `flags.writeable`, and every way to write."""

import cuproxide as cp
import numpy as np
import pytest
from helpers import check, same_error

# Statements that write to `a`, float64 of shape (2, 3), or to a view of it; `m` is (3, 3).
WRITES = """
a[0] = 1
a[[0, 1]] = 1
a[a > 1] = 1
a[0][1] = 1
a.T[0] = 1
a.reshape(3, 2)[0] = 1
a.ravel()[0] = 1
a.real = 1
a.flat[0] = 1
a.flat = 1
a += 1
a @= m
a.fill(1)
a.sort()
a.partition(1)
a.put([0], 1)
a.byteswap(inplace=True)
a.setfield(1, float)
xp.add(a, a, out=a)
xp.add(a, a, a)
xp.divmod(a, 2, out=(a, None))
xp.add.at(a, 0, 1)
xp.add.reduce(a, axis=0, out=a[0])
xp.add.accumulate(a, out=a)
xp.sum(a, axis=0, out=a[0])
xp.cumsum(a, axis=0, out=a)
xp.matmul(a, m, out=a)
xp.dot(a, m, out=a)
xp.clip(a, 0, 1, out=a)
xp.round(a, 1, out=a)
xp.take(a, [0, 1], axis=0, out=a)
xp.concatenate([m[0], m[1]], out=a.ravel())
xp.copyto(a, 1)
xp.put(a, [0], 1)
xp.place(a, a > 1, [1])
xp.putmask(a, a > 1, 1)
xp.fill_diagonal(a, 1)
xp.put_along_axis(a, xp.asarray([[0], [0]]), 1, 1)
xp.nan_to_num(a, copy=False)
xp.median(m, axis=0, out=a[0])
xp.random.default_rng(1).random(out=a)
xp.random.default_rng(1).shuffle(a)
""".strip().splitlines()


def arrays(xp):
    return {"xp": xp, "a": xp.arange(6.0).reshape(2, 3).copy(), "m": xp.eye(3)}


@pytest.mark.parametrize("statement", WRITES)
def test_nothing_writes(statement):
    def run(xp):
        names = arrays(xp)
        names["a"].setflags(write=False)
        try:
            exec(statement, names)
        finally:
            check(cp.asarray(names["a"]), np.arange(6.0).reshape(2, 3))

    same_error(lambda: run(cp), lambda: run(np))


@pytest.mark.parametrize("statement", WRITES)
def test_the_same_is_allowed_otherwise(statement):
    names = arrays(cp)
    names["a"].setflags(write=False)
    names["a"].flags.writeable = True
    exec(statement, names)


VIEWS = "a[0] a.T a.view() a[None] a.reshape(6) a.real a.flat.base xp.asarray(a) a.squeeze()".split()
COPIES = "a.copy() a+1 a[[0]] a.astype('f4') xp.array(a) a.flatten() xp.require(a,requirements='W')".split()


@pytest.mark.parametrize("call", VIEWS + COPIES)
@pytest.mark.parametrize("write", [False, True])
def test_views_are_as_writeable(call, write):
    def run(xp):
        names = arrays(xp)
        names["a"].setflags(write=write)
        return eval(call, names).flags.writeable

    assert run(cp) == run(np) == (write or call in COPIES)


FLAGS = """
a.flags.writeable
a.flags["WRITEABLE"]
a.flags["W"]
a.flags.behaved
a.flags.carray
a.flags.farray
a.flags.num & 0x500
repr(a.flags)
a.T.flags.farray
""".strip().splitlines()


@pytest.mark.parametrize("call", FLAGS)
@pytest.mark.parametrize("write", [False, True])
def test_flags(call, write):
    def run(xp):
        names = arrays(xp)
        names["a"].setflags(write)
        return eval(call, names)

    assert run(cp) == run(np)


def test_flags_follow_the_array():
    a = cp.ones(3)
    flags = a.flags
    a.setflags(write=False)
    assert not flags.writeable and flags == a.flags and flags != cp.ones(3).flags
    flags["WRITEABLE"] = True
    a[0] = 2
    assert flags.writeable and a.flags == flags and a.flags != 3


def test_setflags():
    for bad in ({"uic": True}, {"align": False}):
        with pytest.raises(ValueError):
            cp.ones(3).setflags(**bad)
    a = cp.ones(3)
    a.setflags(None, True, False)
    assert a.flags.writeable
    a.setflags(write=0)
    view = a[:2]
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
        view.setflags(write=True)
    a.setflags(write=True)
    view.setflags(write=True)
    view[0] = 5
    assert a.tolist() == [5, 1, 1]
    for name, kind in (("c_contiguous", AttributeError), ("num", AttributeError), ("nothing", AttributeError)):
        with pytest.raises(kind):
            setattr(a.flags, name, True)
    with pytest.raises(KeyError):
        a.flags["C"] = True


def test_read_only_memory_stays_so_elsewhere():
    a = cp.ones(3)
    a.setflags(write=False)
    with pytest.raises(BufferError, match="read-only"):
        a.__dlpack__()
    # Older consumers than DLPack 1.0 cannot be told, newer ones copy or refuse.
    assert not cp.may_share_memory(cp.from_dlpack(a), a)
    with pytest.raises(BufferError):
        cp.from_dlpack(a, copy=False)
    # NumPy takes host memory only.
    host = cp.ones(3, device="cpu")
    host.setflags(write=False)
    assert not np.from_dlpack(host).flags.writeable


def test_spread_views():
    """Several elements of a view may be one in memory."""
    a = cp.arange(3)
    view = cp.broadcast_to(a, (2, 3))
    assert not view.flags.writeable and not cp.broadcast_to(a, (3,)).flags.writeable and a.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 1
    windows = cp.lib.stride_tricks.sliding_window_view(a, 2)
    with pytest.raises(ValueError, match="read-only"):
        windows[0] = 1
    cp.lib.stride_tricks.sliding_window_view(a, 2, writeable=True)[0] = 7
    assert a.tolist() == [7, 7, 2]


def test_diagonals():
    """They are read-only until a program says otherwise; those that the package itself fills are of no concern."""
    a = cp.zeros((3, 3))
    for view in (a.diagonal(), cp.diagonal(a, 1), cp.diag(a), cp.linalg.diagonal(a)):
        assert not view.flags.writeable and view.base is a
    view = a.diagonal()
    view.flags.writeable = True
    view[:] = 2
    assert a.tolist() == np.diag([2.0, 2, 2]).tolist()
    cp.fill_diagonal(a, 3)
    assert a.tolist() == (3 * np.eye(3)).tolist()


def test_subclasses():
    class Named(cp.ndarray):
        """A subclass."""

    a = cp.ones(3).view(Named)
    a.setflags(write=False)
    assert type(a[:2]) is Named and not a[:2].flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        a[:2] += 1
