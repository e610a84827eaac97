"""Elements at addresses that are no multiples of their size, in every kind of operation."""

from __future__ import annotations

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import testing
from helpers import NUMPY_DTYPES, sample

WIDE = [dtype for dtype in NUMPY_DTYPES if dtype.alignment > 1]
every = pytest.mark.parametrize("dtype", WIDE, ids=str)
numbers = pytest.mark.parametrize("dtype", ["i2", "i8", "f2", "f4", "f8", "c8", "c16"])


def shifted(xp, host, by=1):
    """The elements of an array one byte late, or another number of bytes."""
    memory = xp.zeros(host.nbytes + 16, np.uint8)
    view = memory[by : by + host.nbytes].view(host.dtype).reshape(host.shape)
    view[...] = xp.asarray(host)
    assert view.flags.aligned == (by % host.dtype.alignment == 0)
    return view


def spread(xp, host):
    """The elements of a line with a byte between them."""
    size = host.itemsize
    memory = xp.zeros((host.size, size + 1), np.uint8)
    view = memory[:, :size].view(host.dtype)[:, 0]
    view[...] = xp.asarray(host)
    return view


def same(make, *hosts, exact=True, places=(shifted, spread)):
    """Whether a function gives the same with elements that are not aligned here and in NumPy."""
    for place in places:
        wanted = make(np, *(place(np, host) for host in hosts))
        found = make(cp, *(place(cp, host) for host in hosts))
        assert found.dtype == wanted.dtype
        if exact:
            testing.assert_array_equal(found, wanted)
        else:
            testing.assert_allclose(found, wanted, rtol=1e-2 if wanted.dtype.itemsize == 2 else 1e-5)


@every
def test_flags_tell_it(dtype):
    for by in range(5):
        ours, theirs = shifted(cp, sample(dtype, (3, 4)), by), shifted(np, sample(dtype, (3, 4)), by)
        for name in ("aligned", "behaved", "carray", "farray", "fnc", "c_contiguous"):
            assert ours.flags[name.upper()] == theirs.flags[name.upper()], name
        assert ours.flags.num == theirs.flags.num
        assert ours[:0].flags.aligned == theirs[:0].flags.aligned
        assert ours.copy().flags.aligned
    with pytest.raises(ValueError, match="cannot set aligned flag of mis-aligned array to True"):
        shifted(cp, sample(dtype, (3,))).setflags(align=True)
    line = spread(cp, sample(dtype, (5,)))
    assert not line.flags.aligned
    assert line[:1].flags.aligned


@every
def test_reading_and_writing(dtype):
    host = sample(dtype, (37,))
    same(lambda xp, a: a.copy(), host)
    same(lambda xp, a: a[::-2] == a[::-2], host)
    same(lambda xp, a: a.astype("c16"), host)
    same(lambda xp, a: xp.concatenate([a, a[3:]]), host)
    same(lambda xp, a: a[xp.asarray([3, 1, 3, -1])], host)
    same(lambda xp, a: a[a == a[5]], host)
    same(lambda xp, a: xp.sort(a), host)
    same(lambda xp, a: xp.argsort(a, stable=True), host)
    same(lambda xp, a: a.repeat(3), host)
    same(lambda xp, a: xp.asarray(a.tolist(), a.dtype), host)
    for place in (shifted, spread):
        ours, theirs = place(cp, host), place(np, host)
        for xp, a in ((cp, ours), (np, theirs)):
            a[3:9] = 1
            a[xp.asarray([0, 11])] = xp.asarray([1, 0], dtype)
            a[a == 1] = 0
            a[-4:] = a[:4]
            a.put(xp.asarray([20, 21]), 1)
            xp.copyto(a, 1, where=a == a[30])
        testing.assert_array_equal(ours, theirs)


@numbers
def test_arithmetic(dtype):
    a, b = sample(np.dtype(dtype), (301,)), np.arange(301).astype(dtype)
    if dtype[0] != "c":
        a %= 7
    same(lambda xp, a, b: a + b * 2, a, b)
    same(lambda xp, a, b: xp.add(a, b, out=b), a, b)
    same(lambda xp, a, b: xp.add(a, b, out=b, where=a == a[0]), a, b)
    same(lambda xp, a, b: xp.where(a == b, a, b), a, b)
    same(lambda xp, a, b: a.sum(), a, b, exact=dtype[0] == "i")
    same(lambda xp, a, b: a.max(), a, b)
    same(lambda xp, a, b: a.argmax(), a, b)
    same(lambda xp, a, b: xp.cumsum(b), a, b, exact=dtype[0] == "i")
    same(lambda xp, a, b: xp.subtract.accumulate(b), a, b, exact=dtype[0] == "i")
    same(lambda xp, a, b: xp.subtract.reduce(b[:9]), a, b)
    same(lambda xp, a, b: xp.add.reduceat(b, [0, 5, 40]), a, b)
    same(lambda xp, a, b: xp.sqrt(b * b), a, b, exact=False)
    if dtype[0] != "c":
        same(lambda xp, a, b: xp.searchsorted(b, a), a, b)
        same(lambda xp, a, b: xp.histogram(b, 9)[0], a, b)
        same(lambda xp, a, b: xp.unique(b), a, b)
        same(lambda xp, a, b: xp.median(b), a, b)


@numbers
def test_results_written_there(dtype):
    host = np.arange(40).astype(dtype)
    for place in (shifted, spread):
        ours, theirs = place(cp, host), place(np, host)
        for xp, a in ((cp, ours), (np, theirs)):
            xp.add.at(a, xp.asarray([0, 0, 7, 39]), a[3])
            xp.maximum.at(a, xp.asarray([5, 5]), xp.asarray([9, 50], dtype))
            xp.subtract.accumulate(a.copy(), out=a)
            xp.cumsum(xp.ones(40, dtype), out=a)
            a += 1
            a[::2] *= 2
            xp.sum(xp.ones((3, 40), dtype), 0, out=a)
            xp.take(xp.arange(50).astype(dtype), xp.arange(40), out=a, mode="clip")
            a.sort()
            a.real[3] = 5
            if dtype[0] == "c":
                a.imag[4] = 6
        testing.assert_array_equal(ours, theirs)


def test_libraries():
    generator = np.random.default_rng(0)
    a, b = generator.random((5, 6)), generator.random((6, 5))
    for dtype in ("f4", "f8", "c8", "c16", "i4"):
        only = {"exact": False, "places": (shifted,)}
        same(lambda xp, a, b: a @ b, a.astype(dtype), b.astype(dtype), **only)
        same(
            lambda xp, a, b: xp.matmul(a, b, out=shifted(xp, np.zeros((5, 5), a.dtype))),
            a.astype(dtype),
            b.astype(dtype),
            **only,
        )
        if dtype != "i4":
            same(lambda xp, a: xp.linalg.solve(a[:, :5], a[:, 5]), a.astype(dtype), **only)
            same(lambda xp, a: xp.linalg.svd(a, compute_uv=False), a.astype(dtype), **only)
            same(lambda xp, a: xp.linalg.inv(a[:, :5]), a.astype(dtype), **only)
            same(lambda xp, a: abs(xp.fft.fft(a)), a.astype(dtype), **only)
            same(lambda xp, a: xp.einsum("ij,kj->ik", a, a), a.astype(dtype), **only)


def test_every_way_to_such_memory():
    host = np.arange(64, dtype=np.uint8)
    ours, theirs = cp.asarray(host), host.copy()
    same(lambda xp, a: a[1:9].view("f8") + 1, host, places=(shifted,))
    for a in (ours, theirs):
        a[3:35].view("i8")[1] = -1
    testing.assert_array_equal(ours, theirs)
    stride = {"shape": (4,), "strides": (9,)}
    made = [xp.lib.stride_tricks.as_strided(a.view("i8"), **stride) for xp, a in ((cp, ours), (np, theirs))]
    testing.assert_array_equal(made[0] * 3, made[1] * 3)
    testing.assert_array_equal(made[0][cp.asarray([2, 0])], made[1][[2, 0]])
    testing.assert_array_equal(made[0].sum(), made[1].sum())
    for by in (1, 2, 3):
        testing.assert_array_equal(ours.view("i8").getfield("i4", by) + 1, theirs.view("i8").getfield("i4", by) + 1)
    testing.assert_array_equal(cp.frombuffer(host.tobytes(), "f8", 3, 5), np.frombuffer(host.tobytes(), "f8", 3, 5))


def test_deferred_chains():
    host = np.linspace(0, 1, 1001) ** 2
    same(lambda xp, a, b: xp.exp(a) * b - (a + b).sum() / (1 + a * a), host, host[::-1].copy(), exact=False)

    def steps(xp, a):
        for _ in range(3):
            a -= a.mean()
            a *= 2
        return a

    same(steps, host, exact=False)
    rows = np.arange(60.0).reshape(6, 10)
    same(lambda xp, a: (a - a.max(1, keepdims=True)) / a.sum(1, keepdims=True), rows, exact=False, places=(shifted,))


def test_kernels_of_the_users_refuse_it():
    double = cp.ElementwiseKernel("float64 x", "float64 y", "y = 2 * x", "double_unaligned")
    total = cp.ReductionKernel("float64 x", "float64 y", "x", "a + b", "y = a", "0", "total_unaligned")
    line = shifted(cp, np.arange(5.0))
    for call in (double, total, lambda x: double(x[::2]), lambda x: double(cp.arange(5.0), x)):
        with pytest.raises(ValueError, match="not aligned"):
            call(line)
    assert double(line.copy()).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
