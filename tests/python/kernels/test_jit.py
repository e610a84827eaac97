"""Kernels written in Python: calls, arguments, control flow and layouts."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import jit

LIMIT = 3


@jit.rawkernel()
def copy(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]


def test_the_example_of_the_guide():
    x = cp.arange(1000, dtype=cp.float32)
    y = cp.zeros_like(x)
    copy((4,), (32,), (x, y, 1000))
    assert (x == y).all()
    y[...] = 0
    copy[4, 32](x, y, 1000)
    assert (x == y).all()
    y[...] = 0
    copy[(2, 1), (8, 1, 1), 0, cp.cuda.Stream.null](x, y, np.int32(10))
    assert (cp.asnumpy(y) == np.where(np.arange(1000) < 10, np.arange(1000), 0)).all()
    assert copy.cached_code in copy.cached_codes.values()
    assert len(copy.cached_codes) == 1
    copy((4,), (32,), (x[::2], y[::-2], 500))
    assert len(copy.cached_codes) == 2
    assert (y[::-2] == x[::2]).all()
    assert "copy" in repr(copy)


def test_control_flow():
    table = (10, 20, 30)

    @jit.rawkernel()
    def kernel(y, n):
        """Walks through all statements."""
        i = 0
        while True:
            if i >= n:
                break
            elif i % 3 == 0:
                i += 1
                continue
            else:
                y[i] = i
            i += 1
        for j in range(n - 1, -1, -2):
            y[j] += 100
        for j in jit.range(0, 4, unroll=2):
            for k in jit.range(2, unroll=True):
                y[j] += k
        for j in range(n, 0, n - n - 1):
            y[0] += j - j + 1
        a, (b, c) = 1, (table[LIMIT - 1], n)
        a, b = b, a
        d = e = a + b
        pair = (c, 2.5)
        y[1] += d + e + pair[1] + len(pair)
        f: int = 3
        if LIMIT == 3 and y.ndim == 1 or f:
            y[-1] = y.shape[0] + len(y) + y.size + f
        else:
            pass

    n = 12
    want = np.zeros(n)
    for i in range(n):
        if i % 3:
            want[i] = i
    want[n - 1 :: -2] += 100
    want[:4] += 1
    want[0] += n
    want[1] += 62 + 2.5 + 2
    want[-1] = 3 * n + 3
    y = cp.zeros(n)
    kernel[1, 1](y, n)
    np.testing.assert_array_equal(cp.asnumpy(y), want)


def test_layouts_and_parts():
    @jit.rawkernel()
    def kernel(x, y, scalar):
        i, j = jit.grid(2)
        rows, columns = jit.gridsize(2)
        if i < x.shape[0] and j < x.shape[1]:
            row = x[i]
            y[i, j] = row[j] * scalar[()] + rows * columns + x.strides[1] * 0
            y[i, -1] = -1

    for x in (
        cp.arange(12.0).reshape(3, 4),
        cp.asfortranarray(cp.arange(12.0).reshape(3, 4)),
        cp.arange(24.0).reshape(3, 8)[::-1, ::-2],
        cp.broadcast_to(cp.arange(4.0), (3, 4)),
    ):
        y = cp.zeros((3, 4))
        kernel((2, 2), (2, 2), (x, y, cp.asarray(2.0)))
        want = cp.asnumpy(x) * 2 + 16
        want[:, -1] = -1
        np.testing.assert_array_equal(cp.asnumpy(y), want)
    kernel((2, 2), (2, 2), (cp.zeros((0, 4)), cp.zeros((0, 4)), cp.asarray(2.0)))


def test_negative_constants_count_from_the_end_among_other_indices():
    @jit.rawkernel()
    def kernel(x, y, z):
        i = jit.threadIdx.x
        y[i] = x[i, -1] + x[-1, i] * x[-3, -4]
        jit.atomic_add(z, (-1, i), x[i, -2])
        z[i, -4] += 1

    x = cp.arange(12.0).reshape(3, 4) + 1
    y, z = cp.zeros(3), cp.zeros((3, 4))
    kernel((1,), (3,), (x, y, z))
    want = x.get()
    np.testing.assert_array_equal(y.get(), want[:, -1] + want[-1, :3])
    expected = np.zeros((3, 4))
    expected[-1, :3] += want[:, -2]
    expected[:, -4] += 1
    np.testing.assert_array_equal(z.get(), expected)


def test_device_functions():
    @jit.rawkernel(device=True)
    def clipped(x, low, high):
        if x < low:
            return low
        if x > high:
            return high
        return x

    @jit.rawkernel(device=True)
    def divided(a, b):
        return a // b, a % b

    @jit.rawkernel(device=True)
    def store(y, i, value):
        y[i] = value

    @jit.rawkernel()
    def kernel(x, y):
        i = jit.threadIdx.x
        q, r = divided(int(x[i]), 3)
        pair = divided(7, 2)
        store(y, i, clipped(x[i], 1, 2.5) * 1000 + q * 100 + r * 10 + pair[0] + pair[1])

    x = cp.asarray([0.0, 2.0, 9.0])
    y = cp.zeros(3)
    kernel[1, 3](x, y)
    assert cp.asnumpy(y).tolist() == [1004.0, 2024.0, 2804.0]
    with pytest.raises(TypeError, match="device function"):
        clipped[1, 1](1, 2, 3)


def test_names_of_helpers():
    """Functions may be called as what the texts of all kernels define."""

    @jit.rawkernel(device=True)
    def item(x):
        return x + 1

    @jit.rawkernel()
    def maximum(x):
        x[0] = max(item(x[0]), x[1])

    x = cp.asarray([3.0, 2.0])
    maximum[1, 1](x)
    assert x.tolist() == [4.0, 2.0]


def test_arguments():
    @jit.rawkernel()
    def kernel(y, flag, number, small, z):
        y[0] = cp.complex128(flag) + number + small + z

    y = cp.zeros(1, complex)
    kernel[1, 1](y, True, 1 << 40, np.int8(-3), 2j)
    assert y[0] == 1 + (1 << 40) - 3 + 2j
    with pytest.raises(TypeError, match="argument 1 is of the type <class 'str'>"):
        kernel[1, 1](y, "text", 1, 1, 1)
    with pytest.raises(TypeError, match="takes 5 arguments, not 1"):
        kernel[1, 1](y)
    with pytest.raises(OverflowError, match="more than 64 bits"):
        kernel[1, 1](y, True, 1 << 70, 1, 1)
    with pytest.raises(TypeError, match="two to four"):
        kernel[1]
    with pytest.raises(ValueError, match="mode must be"):
        jit.rawkernel(mode="c")
    with pytest.raises(RuntimeError, match="not been compiled"):
        _ = jit.rawkernel()(test_arguments).cached_code
    with pytest.raises(cp.DeviceError):
        kernel[1, 1 << 20](y, True, 1, 1, 1)
    for function in (jit.syncthreads, jit.cg.this_grid):
        with pytest.raises(RuntimeError, match="can only be called in a function"):
            function()


def test_names_of_cpp():
    @jit.rawkernel()
    def template(double, int_, new, größe):
        register = jit.grid(1)
        unsigned = new[register]
        double[register] = unsigned + int_ + größe

    x = cp.arange(4.0)
    y = cp.zeros(4)
    template[1, 4](y, 2, x, 0.5)
    assert cp.asnumpy(y).tolist() == [2.5, 3.5, 4.5, 5.5]


def test_under_the_name_of_cupyx(run_python):
    result = run_python(
        """
import cuproxide.compat
cuproxide.compat.install()
import cupy
from cupyx import jit
import cupyx.jit
assert cupyx.jit is jit and not hasattr(cupy, "jit")
from cupyx.jit import cg
print(jit.rawkernel.__name__)
"""
    )
    assert result.stdout.strip() == "rawkernel", result.stderr
