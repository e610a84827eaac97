"""Arrays in parts on the devices of a process, and on ranks."""

import os
import subprocess
import sys
import textwrap

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.distributed.array import DistributedArray, distributed_array, from_chunks, make_2d_index_map, matmul
from processes import started, started_by_mpi

ALL = ["int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128", "bool"]
# Parts of one device: what is between parts is the same wherever they are.
SPLIT = {0: [(slice(0, 4), slice(0, 3)), (slice(0, 4), slice(3, 7)), slice(4, 5)]}
OVER = {0: [(slice(0, 4), slice(0, 5)), (slice(2, 5), slice(0, 7)), (slice(0, 3), slice(3, 7)), 1]}


def values(dtype, shape=(5, 7)):
    return np.random.default_rng(5).integers(0, 4, shape).astype(dtype)


def same(got, wanted, rtol=0):
    assert isinstance(got, DistributedArray)
    got = got.get()
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=rtol)


@pytest.mark.parametrize("index_map", [SPLIT, OVER])
@pytest.mark.parametrize("dtype", ALL)
def test_dtypes(dtype, index_map):
    a = values(dtype)
    x = distributed_array(a, index_map)
    same(x, a)
    same(x + x, a + a)
    same(x.astype("complex128"), a.astype("complex128"))
    for axis in (None, 0, (0, 1), -1):
        for keepdims in (False, True):
            same(x.sum(axis, keepdims=keepdims), np.asarray(a.sum(axis, keepdims=keepdims)))
            same(x.prod(axis, keepdims=keepdims), np.asarray(a.prod(axis, keepdims=keepdims)))
            if not dtype.startswith("complex"):
                same(x.max(axis, keepdims=keepdims), np.asarray(a.max(axis, keepdims=keepdims)))
                same(x.min(axis, keepdims=keepdims), np.asarray(a.min(axis, keepdims=keepdims)))
            rtol = 1e-2 if dtype == "float16" else 1e-5
            same(x.mean(axis, keepdims=keepdims), np.asarray(a.mean(axis, keepdims=keepdims)), rtol)
            same(x.any(axis, keepdims=keepdims), np.asarray(a.any(axis, keepdims=keepdims)))
            same(x.all(axis, keepdims=keepdims), np.asarray(a.all(axis, keepdims=keepdims)))


@pytest.mark.parametrize("mode", ["sum", "prod", "max", "min"])
def test_modes(mode):
    a = values("float64")
    a[1, 4] = np.nan
    x = distributed_array(a, OVER).change_mode(mode)
    assert x.mode == mode and x.change_mode(mode) is x
    same(x, a)
    same(x.change_mode("replica"), a)
    same(x * 3, a * 3)
    same(x.reshard(SPLIT), a)
    same(x[::2, 1:6], a[::2, 1:6])
    parts = [cp.asarray(a[:3]), cp.asarray(a[2:])]
    made = from_chunks(a.shape, a.dtype, {0: [slice(0, 3), slice(2, 5)]}, {0: parts}, mode)
    wanted = a.copy()
    wanted[2] = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[mode](a[2], a[2])
    same(made, wanted)
    same(made.sum(0), wanted.sum(0))
    same(made.max(1), wanted.max(1))


def test_elementwise():
    a, row = values("float64"), np.arange(7.0)
    x, y = distributed_array(a, OVER), distributed_array(a * 2, SPLIT)
    same(x - y, a - a * 2)
    same(y / (x + 1), (a * 2) / (a + 1))
    same(x * row, a * row)
    same(row - x, row - a)
    same(cp.asarray(row) - x, row - a)
    same(x * distributed_array(row, {0: [slice(0, 2), slice(2, 7)]}), a * row)
    same(cp.hypot(x, y), np.hypot(a, a * 2), 1e-15)
    same(np.sqrt(x), np.sqrt(a))
    same(-x, -a)
    same(abs(-x), a)
    same(x > 1, a > 1)
    quotient, rest = np.divmod(x, 3)
    same(quotient, a // 3)
    same(rest, a % 3)
    same((x + 1j).conj().imag, np.full_like(a, -1))
    same(x.T, a.T)
    same(np.sum(x, axis=1), a.sum(1))
    same(np.add.reduce(x, axis=1), a.sum(1))
    # The types of numbers of Python are weak.
    same(distributed_array(a.astype("f4"), OVER) * 2.5, a.astype("f4") * 2.5)
    with pytest.raises(ValueError, match="broadcast"):
        x + np.ones(6)


@pytest.mark.parametrize(
    "index",
    [
        0,
        -1,
        (2, 3),
        slice(1, 4),
        (slice(None), 2),
        (Ellipsis, slice(1, 6, 2)),
        (slice(3, 3),),
        (slice(0, 5, 4), slice(6, 7)),
    ],
)
def test_indexing(index):
    a = values("int32")
    for index_map in (SPLIT, OVER):
        same(distributed_array(a, index_map)[index], np.asarray(a[index]))


@pytest.mark.parametrize("index", [7, (0, 0, 0), slice(None, None, -1), [0, 1], None, True])
def test_indices_that_are_refused(index):
    with pytest.raises((IndexError, NotImplementedError)):
        distributed_array(values("int32"), SPLIT)[index]


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64", "complex128"])
def test_products(dtype):
    a, b = values(dtype, (6, 5)), values(dtype, (5, 7))
    maps = [
        ({0: [slice(0, 2), slice(2, 6)]}, {0: [(slice(None), slice(0, 3)), (slice(None), slice(3, 7))]}),
        (
            make_2d_index_map([0, 1, 6], [0, 2, 5], [[0, 0], [0, 0]]),
            make_2d_index_map([0, 3, 5], [0, 4, 7], [[0, 0], [0, 0]]),
        ),
    ]
    for of_a, of_b in maps:
        x, y = distributed_array(a, of_a), distributed_array(b, of_b)
        same(matmul(x, y), a @ b)
        same(x @ y[:, 2], a @ b[:, 2])
        same(
            x.sum(0).dot(y) if dtype != "int32" else x.astype(dtype)[0] @ y,
            a.sum(0) @ b if dtype != "int32" else a[0] @ b,
        )
    same(
        distributed_array(a[:, :0], {0: [slice(None)]}) @ distributed_array(b[:0], {0: [slice(None)]}), a[:, :0] @ b[:0]
    )
    with pytest.raises(ValueError, match="do not match: 5 is not 7"):
        x @ y.T
    with pytest.raises(NotImplementedError, match="distribute it first"):
        matmul(x, cp.asarray(b))


def test_empty_and_0d():
    for shape in [(0,), (3, 0), ()]:
        a = np.ones(shape)
        x = distributed_array(a, {0: [()]})
        same(x, a)
        same(x + 1, a + 1)
        same(x.sum(), np.asarray(a.sum()))
    with pytest.raises(ValueError, match="zero-size"):
        distributed_array(np.ones(0), {0: [()]}).max()


@pytest.mark.parametrize("index_map", [SPLIT, OVER])
def test_assignment(index_map):
    a = values("float64")
    x = distributed_array(a, index_map)
    for index, value in [
        ((slice(1, 4), slice(0, 6, 2)), 7),
        (2, np.arange(7.0)),
        ((slice(None), 3), np.arange(5.0)),
        (Ellipsis, distributed_array(a * 2, SPLIT)),
        ((slice(2, 2),), 1),
    ]:
        a[index] = value.get() if isinstance(value, DistributedArray) else value
        x[index] = value
        same(x, a)
    view, of_a = x[1:, 2:], a[1:, 2:]
    view += 1.5
    of_a += 1.5
    same(x, a)
    x[1:] = x[:-1]
    a[1:] = a[:-1].copy()
    same(x, a)
    x *= x
    a *= a
    same(x, a)
    x[1:3] -= 1
    a[1:3] -= 1
    same(x, a)
    np.sqrt(abs(x), out=x)
    same(x, np.sqrt(abs(a)))
    x.fill(3)
    same(x, np.full_like(a, 3))
    whole = distributed_array(values("int32"), index_map)
    with pytest.raises(TypeError, match="cannot be cast"):
        whole += 0.5
    with pytest.raises(ValueError, match="shape|broadcast"):
        x[0] = np.ones(6)
    with pytest.raises(ValueError, match="shape|broadcast"):
        x[0] = np.ones((2, 7))
    with pytest.raises(NotImplementedError, match="in mode sum"):
        x.change_mode("sum")[0] = 1


def test_parts():
    x = distributed_array(values("float32"), SPLIT)
    assert x.devices == (0,) and x.index_map[0][2] == (slice(4, 5), slice(0, 7))
    assert [part.shape for part in x.all_chunks()[0]] == [(4, 3), (4, 4), (1, 7)]
    assert (x.shape, x.ndim, x.size, x.itemsize, x.nbytes, len(x)) == ((5, 7), 2, 35, 4, 140, 5)
    copied = x.copy()
    copied.all_chunks()[0][0][...] = 9
    same(x, values("float32"))
    # What is resharded shares nothing with the array it is from.
    other = x.reshard(SPLIT)
    other.all_chunks()[0][0][...] = 9
    same(x, values("float32"))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: distributed_array(np.ones((5, 7)), {0: [slice(0, 4)]}), ValueError, "leaves out"),
        (lambda: distributed_array(np.ones((5, 7)), {99: [slice(0, 5)]}), ValueError, "names 99; there are"),
        (lambda: distributed_array(np.ones(4), {0: [slice(0, 4, 2)]}), IndexError, "step 2"),
        (lambda: distributed_array(np.ones(4), {0: [9]}), IndexError, "9 on axis 0 of length 4"),
        (lambda: distributed_array(np.ones(4), {0: [()]}, mode="mean"), ValueError, "'mean' is none of"),
        (lambda: distributed_array(np.ones(4) * 1j, {0: [()]}, mode="max"), ValueError, "no order"),
        (lambda: distributed_array(np.ones(4), {0: [()]}).argsort, NotImplementedError, "have no 'argsort'"),
        (lambda: np.cumsum(distributed_array(np.ones(4), {0: [()]})), NotImplementedError, "cumsum of distributed"),
        (lambda: make_2d_index_map([0, 2], [1, 2], [[0]]), ValueError, "j_partitions"),
        (lambda: make_2d_index_map([0, 2], [0, 2], [[0, 1]]), ValueError, "devices"),
        (lambda: bool(distributed_array(np.ones(4), {0: [()]})), ValueError, "ambiguous"),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


PROGRAM = """
    import numpy as np, cuproxide as cp
    from cuproxide.distributed.array import distributed_array, make_2d_index_map
    a, b = np.random.default_rng(0).normal(size=(2, 12, 12))
    x = distributed_array(a, make_2d_index_map([0, 5, 12], [0, 6, 12], [[0, 1], [{2, 1}, 0]]))
    y = distributed_array(b, {0: [slice(0, 4)], 1: [slice(3, 9)], 2: [slice(9, 12)]})
    for place, parts in (x + y).all_chunks().items():
        assert all(part.device.id == place for part in parts)
    for got, wanted in [(x + y, a + b), (x @ y, a @ b), (x.sum(0), a.sum(0)), (y.max(1), b.max(1)), (x.T, a.T),
                        (x.reshard({2: [slice(0, 7)], 0: [slice(7, 12)]}), a), (x[3:9], a[3:9])]:
        np.testing.assert_allclose(got.get(), wanted, rtol=1e-12)
    print("ok", cp.cuda.device_count())
"""


def test_several_devices_of_a_process():
    environ = os.environ | {"CUPROXIDE_CPU_DEVICES": "3", "CUPROXIDE_BACKEND": "cpu"}
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)], env=environ, capture_output=True, text=True, timeout=60
    )
    assert result.stdout == "ok 3\n", result.stderr


@pytest.mark.parametrize("count", [2, 4])
def test_over_ranks_of_mpi(count):
    result = started_by_mpi(count, "arrays.py", "mpi", seconds=100)
    assert result.status == 0 and result.out.count("ok") == count, result.err


def test_over_ranks_of_the_store():
    result = started(3, "arrays.py", "store", seconds=100)
    assert result.status == 0 and result.out.count("ok") == 3, result.err


def test_over_the_library_of_the_device(device):
    if device.backend == "cpu":
        pytest.skip("the CPU has no such library")
    result = started(1, "arrays.py", "nccl", seconds=200)
    assert result.status == 0, result.err
