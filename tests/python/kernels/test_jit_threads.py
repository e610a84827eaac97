"""What threads of kernels written in Python do together."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import jit
from cuproxide.jit import _compile


def test_shared_memory():
    @jit.rawkernel()
    def reverse(x, y, n):
        fixed = jit.shared_memory(cp.float32, 64, alignment=16)
        dynamic = jit.shared_memory(cp.int16, None)
        own = jit.local_memory(cp.float64, 2)
        t = jit.threadIdx.x
        fixed[t] = x[t]
        dynamic[t] = t
        own[0] = 0.25
        own[1] = len(fixed)
        jit.syncthreads()
        y[t] = fixed[n - 1 - t] + dynamic[n - 1 - t] + own[0] + own[1]

    x = cp.arange(64, dtype=cp.float32)
    y = cp.zeros(64, cp.float32)
    reverse((1,), (64,), (x, y, 64), shared_mem=128)
    np.testing.assert_array_equal(cp.asnumpy(y), 2 * np.arange(64)[::-1] + 64.25)


@pytest.mark.parametrize("dtype", ["int8", "float16", "uint32", "int64", "float32", "float64"])
def test_shuffles(dtype):
    @jit.rawkernel()
    def kernel(x, y):
        lane = jit.laneid()
        value = x[lane]
        y[0, lane] = jit.shfl_sync(0xFFFFFFFF, value, 3)
        y[1, lane] = jit.shfl_up_sync(0xFFFFFFFF, value, 1)
        y[2, lane] = jit.shfl_down_sync(0xFFFFFFFF, value, 2, width=16)
        jit.syncwarp()
        y[3, lane] = jit.shfl_xor_sync(0xFFFFFFFF, value, 1)
        jit.syncwarp(mask=0xFFFFFFFF)
        if jit.warpsize == 32:
            y[4, lane] = jit.warpsize

    x = np.arange(32).astype(dtype)
    y = cp.zeros((5, 32), dtype)
    kernel[1, 32](cp.asarray(x), y)
    lanes = np.arange(32)
    down = np.where(lanes % 16 < 14, lanes + 2, lanes)
    want = [x[lanes * 0 + 3], x[np.maximum(lanes - 1, 0)], x[down], x[lanes ^ 1], lanes * 0 + 32]
    np.testing.assert_array_equal(cp.asnumpy(y), np.array(want).astype(dtype))


@pytest.mark.parametrize("width", [2, 8, 32])
def test_widths_of_shuffles_that_launches_choose(width):
    @jit.rawkernel()
    def kernel(x, y, width):
        lane = jit.threadIdx.x
        y[0, lane] = jit.shfl_sync(0xFFFFFFFF, x[lane], 1, width=width)
        y[1, lane] = jit.shfl_down_sync(0xFFFFFFFF, x[lane], 1, width=width)

    x, lanes = np.arange(32) * 3, np.arange(32)
    y = cp.zeros((2, 32), int)
    kernel[1, 32](cp.asarray(x), y, width)
    down = np.where(lanes % width < width - 1, lanes + 1, lanes)
    assert y.tolist() == [x[lanes // width * width + 1].tolist(), x[down].tolist()]


def test_functions_of_what_is_known():
    """Functions of the program's own run when the kernel is compiled, if all that they are given is known then."""
    calls = []

    def tile(size, more=0):
        calls.append(size)
        return size * 2 + more

    @jit.rawkernel()
    def kernel(y):
        memory = jit.shared_memory(cp.int32, tile(8, more=16))
        i = jit.threadIdx.x
        memory[i] = i * tile(5)
        jit.syncthreads()
        y[i] = memory[31 - i]

    y = cp.zeros(32, int)
    kernel[1, 32](y)
    assert y.tolist() == [(31 - i) * 10 for i in range(32)] and set(calls) == {8, 5}

    @jit.rawkernel()
    def of_a_value(y):
        y[0] = tile(jit.threadIdx.x)

    with pytest.raises(TypeError, match="tile cannot be called in a kernel"):
        of_a_value[1, 1](y)

    @jit.rawkernel()
    def failing(y):
        y[0] = tile(None)

    with pytest.raises(TypeError, match="unsupported operand"):
        failing[1, 1](y)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_atomics(dtype):
    @jit.rawkernel()
    def kernel(y, seen):
        i = jit.grid(1)
        jit.atomic_add(y, 0, i)
        jit.atomic_sub(y, 1, 2)
        jit.atomic_min(y, 2, i)
        jit.atomic_max(y, (3,), i)
        jit.atomic_and(y, 4, ~(1 << (i % 7)))
        jit.atomic_or(y, 5, 1 << (i % 7))
        jit.atomic_xor(y, 6, i)
        jit.atomic_exch(y, 7, 9)
        before = jit.atomic_cas(y, 8, 50, i + 1000)
        if before == 50:
            seen[0] = i + 1000
        seen[1 + jit.atomic_add(y, 9, 1)] = 1

    y = cp.full(10, 50, dtype)
    y[4] = 127
    y[9] = 0
    y[1] = 1000
    seen = cp.full(101, -1)
    kernel[10, 10](y, seen)
    xor = 50
    for i in range(100):
        xor ^= i
    got = cp.asnumpy(y).tolist()
    assert got[:8] == [50 + 4950, 800, 0, 99, 0, 127, xor, 9]
    assert got[8] == int(seen[0]) and got[9] == 100
    assert (seen[1:] == 1).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_atomics_of_floats_and_counters(dtype):
    @jit.rawkernel()
    def kernel(y, counters):
        jit.atomic_add(y, (0, 1), 0.5)
        if jit.atomic_sub(y, (1, 1), 0.25) == -1:
            y[1, 0] = 7
        jit.atomic_inc(counters, 0, 6)
        jit.atomic_dec(counters, 1, 6)

    y = cp.zeros((2, 2), dtype)
    counters = cp.zeros(2, cp.uint32)
    kernel[4, 5](y, counters)
    assert cp.asnumpy(y).tolist() == [[0, 10], [7, -5]]
    assert cp.asnumpy(counters).tolist() == [20 % 7, 1]


def test_groups():
    @jit.rawkernel()
    def kernel(x, y, total):
        block = jit.cg.this_thread_block()
        memory = jit.shared_memory(cp.float64, 16)
        jit.cg.memcpy_async(block, memory, 0, x, block.group_index()[0] * 16, 16 * 8, aligned_size=8)
        jit.cg.wait(block)
        rank = block.thread_rank()
        y[jit.grid(1)] = memory[15 - rank]
        block.sync()
        jit.cg.memcpy_async(block, memory, 0, x, 0, 8)
        jit.cg.wait_prior(block, 0)
        block.sync()
        grid = jit.cg.this_grid()
        jit.atomic_add(total, 0, 1)
        jit.cg.sync(grid)
        if grid.thread_rank() == 0:
            total[1] = total[0]
            total[2] = grid.num_threads()

    x = cp.arange(64.0)
    y = cp.zeros(64)
    total = cp.zeros(3, cp.int32)
    kernel[4, 16](x, y, total)
    np.testing.assert_array_equal(cp.asnumpy(y), np.arange(64.0).reshape(4, 16)[:, ::-1].ravel())
    assert cp.asnumpy(total).tolist() == [64, 64, 64]


@pytest.mark.parametrize("own", [False, True], ids=["header", "no header"])
def test_groups_without_a_header(own, monkeypatch):
    """The text that stands for the vendor's header is taken where there is none."""
    if own:
        groups = _compile.GROUPS.replace("__has_include(<cooperative_groups/memcpy_async.h>)", "0")
        assert groups != _compile.GROUPS
        monkeypatch.setattr(_compile, "GROUPS", groups)

    @jit.rawkernel()
    def kernel(x, y, seen):
        block, grid = jit.cg.this_thread_block(), jit.cg.this_grid()
        memory = jit.shared_memory(cp.int16, 8)
        memory[block.thread_rank()] = -1
        block.sync()
        jit.cg.memcpy_async(block, memory, 0, x, 1, 15)
        jit.cg.wait_prior(block, 0)
        y[grid.thread_rank()] = memory[block.thread_rank()]
        for turn in range(3):
            jit.atomic_add(seen, turn, 1)
            jit.cg.sync(grid)
            if seen[turn] != grid.size():
                seen[3] = 1
            grid.sync()
        if grid.block_rank() == grid.num_blocks() - 1 and block.thread_rank() == 0:
            seen[4] = block.num_threads() * 100 + grid.dim_blocks()[1] * 10 + block.thread_index()[0]

    x = cp.arange(9, dtype=cp.int16) + 256
    y, seen = cp.zeros(24, cp.int16), cp.zeros(5, cp.int32)
    kernel[(1, 3), 8](x, y, seen)
    rows = y.get().reshape(3, 8)
    assert rows[:, :7].tolist() == [list(range(257, 264))] * 3
    # The half of an element is not copied.
    assert rows[:, 7].tolist() == [-1] * 3
    assert seen.get().tolist() == [24, 24, 24, 0, 830]


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint64", "float16", "float64", "complex64", "bool"])
@pytest.mark.parametrize("threads", [1, 24, 96])
def test_reductions_by_a_block(dtype, threads):
    @jit.rawkernel()
    def kernel(x, sums, valid):
        BlockReduce = jit.cub.BlockReduce[dtype, threads]
        memory = jit.shared_memory(dtype=BlockReduce.TempStorage, size=1)
        reducer = BlockReduce(memory[0])
        value = x[jit.blockIdx.x, jit.threadIdx.x]
        total = reducer.Sum(value)
        part = reducer.Reduce(value, jit.cub.Sum(), valid)
        if jit.threadIdx.x == 0:
            sums[jit.blockIdx.x, 0] = total
            sums[jit.blockIdx.x, 1] = part

    host = np.random.default_rng(3).integers(0, 3, (5, threads)).astype(dtype)
    sums = cp.zeros((5, 2), dtype)
    kernel[5, threads](cp.asarray(host), sums, 17)
    expected = np.stack([host.sum(1, dtype=dtype), host[:, :17].sum(1, dtype=dtype)], 1)
    np.testing.assert_array_equal(cp.asnumpy(sums), expected)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_reductions_of_complex_numbers(dtype):
    BlockReduce, WarpReduce = jit.cub.BlockReduce[dtype, 64], jit.cub.WarpReduce[dtype]

    @jit.rawkernel()
    def kernel(x, y):
        memory = jit.shared_memory(BlockReduce.TempStorage, 1)
        own = jit.shared_memory(WarpReduce.TempStorage, 2)
        i = jit.threadIdx.x
        largest = BlockReduce(memory[0]).Reduce(x[i], jit.cub.Max())
        jit.syncthreads()
        smallest = BlockReduce(memory[0]).Reduce(x[i], jit.cub.Min())
        total = WarpReduce(own[i // 32]).Sum(x[i])
        if i == 0:
            y[0] = largest
            y[1] = smallest
        if i % 32 == 0:
            y[2 + i // 32] = total

    random = np.random.default_rng(5)
    for nans in (0, 1):
        # Real parts that are equal, so that imaginary ones decide.
        host = (random.integers(-2, 3, 64) + 1j * random.integers(-2, 3, 64)).astype(dtype)
        host[7 * np.arange(nans) + 9] = complex(1, np.nan)
        y = cp.zeros(4, dtype)
        kernel[1, 64](cp.asarray(host), y)
        expected = [host.max(), host.min(), host[:32].sum(), host[32:].sum()]
        np.testing.assert_array_equal(y.get(), np.array(expected, dtype))


@pytest.mark.parametrize("lanes", [1, 4, 32])
def test_reductions_by_a_warp(lanes):
    @jit.rawkernel(device=True)
    def first_of(a, b):
        return a * 10 + b

    WarpReduce = jit.cub.WarpReduce[cp.int64, lanes]

    @jit.rawkernel()
    def kernel(x, y):
        i = jit.threadIdx.x
        memory = jit.shared_memory(WarpReduce.TempStorage, 64)
        reducer = WarpReduce(memory[i // lanes])
        least, most = reducer.Reduce(x[i], jit.cub.Min()), reducer.Reduce(x[i], jit.cub.Max())
        # Only sums of neighbours come out right in another order.
        total = reducer.Sum(x[i])
        last = reducer.Reduce(x[i], first_of, 2)
        if i % lanes == 0:
            y[i // lanes, 0] = least
            y[i // lanes, 1] = most
            y[i // lanes, 2] = total
            y[i // lanes, 3] = last

    threads = 56
    host = np.random.default_rng(4).integers(0, 1000, threads)
    groups = [host[start : start + lanes] for start in range(0, threads, lanes)]
    y = cp.zeros((len(groups), 4), cp.int64)
    kernel[1, threads](cp.asarray(host), y)
    expected = [[g.min(), g.max(), g.sum(), g[0] * 10 + g[1] if lanes > 1 else g[0]] for g in groups]
    assert cp.asnumpy(y).tolist() == np.array(expected).tolist()


def test_what_reductions_refuse():
    for key, kind, message in [
        (cp.int32, TypeError, "a dtype and the number of threads"),
        ((cp.int32, 0), ValueError, "from 1 to 1024"),
        ((cp.int32, 1.5), TypeError, "must be an integer"),
        (("text", 32), TypeError, "'text' is not a dtype of kernels"),
    ]:
        with pytest.raises(kind, match=message):
            jit.cub.BlockReduce[key]
    with pytest.raises(ValueError, match="must be 1, 2, 4, 8, 16 or 32, not 64"):
        jit.cub.WarpReduce[cp.int32, 64]
    with pytest.raises(RuntimeError, match="can only be called in a function"):
        jit.cub.Sum()

    @jit.rawkernel()
    def other_memory(x):
        reducer = jit.cub.WarpReduce[cp.int32](jit.shared_memory(cp.int32, 32))
        x[0] = reducer.Sum(x[0])

    with pytest.raises(TypeError, match="needs memory of its TempStorage, not memory of 32 x int32"):
        other_memory[1, 32](cp.zeros(1, cp.int32))

    @jit.rawkernel()
    def other_operator(x):
        WarpReduce = jit.cub.WarpReduce[cp.int32]
        x[0] = WarpReduce(jit.shared_memory(WarpReduce.TempStorage, 1)[0]).Reduce(x[0], min)

    with pytest.raises(TypeError, match="operator must be of jit.cub or a device function"):
        other_operator[1, 32](cp.zeros(1, cp.int32))
