"""The stand-ins themselves: they must see what they are there to see."""

import ctypes
import signal

import cuproxide as cp
import numpy as np
import pytest

DOUBLE = 'extern "C" __global__ void twice(double* x) { x[threadIdx.x] *= 2; }'


def test_the_device_is_the_stand_in():
    properties = cp.cuda.runtime.getDeviceProperties(0)
    assert properties["name"] == b"Stand-in for a GPU"
    assert cp.cuda.Device().compute_capability == "90"


def test_the_host_cannot_touch_device_memory(run_python):
    result = run_python("import ctypes, cuproxide as cp; a = cp.ones(4); a.get(); ctypes.string_at(a.data.ptr, 8)")
    assert result.returncode == -signal.SIGSEGV


def test_new_memory_is_full_of_ones():
    cp.get_default_memory_pool().free_all_blocks()
    assert np.isnan(cp.empty(1 << 18).get()).all()


def test_copies_stay_within_their_memory():
    memory = cp.cuda.runtime.malloc(1000)
    host = np.zeros(2000, np.uint8)
    runtime = cp.cuda.runtime
    runtime.memcpy(host.ctypes.data, memory, 1000, runtime.memcpyDeviceToHost)
    assert (host[:1000] == 255).all()
    for start, size in [(memory, 1001), (memory + 500, 501), (memory - 1, 1)]:
        with pytest.raises(RuntimeError, match="invalid argument"):
            runtime.memcpy(host.ctypes.data, start, size, runtime.memcpyDeviceToHost)
    runtime.free(memory)
    with pytest.raises(RuntimeError, match="invalid argument"):
        runtime.memcpy(host.ctypes.data, memory, 1, runtime.memcpyDeviceToHost)


def test_work_of_one_stream_waits_for_no_other():
    """Page-locked memory shows when a stream's work is done: at nobody's request but its own."""
    kernel = cp.RawKernel(DOUBLE, "twice")
    kernel.compile()
    a = cp.ones(4)
    cp.Device().synchronize()
    first, second = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    event = cp.cuda.Event()
    with first:
        kernel((1,), (4,), (a,))
        event.record()
    with second:
        second.wait_event(event)
        kernel((1,), (4,), (a,))
    second.synchronize()
    assert event.done
    assert (a.get() == 4).all()


def test_captures_forbid_what_they_must(standin):
    """The package itself lets its threads do what a capture forbids, so the driver is asked directly."""
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture(0)
        address = ctypes.c_uint64()
        assert standin.library.cuMemAlloc_v2(ctypes.byref(address), 100) == 900
        with pytest.raises(RuntimeError, match="(?i)captur"):
            stream.end_capture()


def test_functions_of_the_host_may_not_wait():
    stream = cp.cuda.Stream(non_blocking=True)
    seen = []

    def wait(_):
        try:
            stream.synchronize()
        except RuntimeError as error:
            seen.append(str(error))

    stream.launch_host_func(wait, None)
    stream.synchronize()
    assert len(seen) == 1 and "CUDA_ERROR_NOT_PERMITTED" in seen[0]


@pytest.mark.parametrize("blocks", [1, 7, 64])
def test_blocks_that_wait_for_earlier_ones_make_progress(blocks):
    """A chain through all blocks: each spins until the one before it has written."""
    source = r"""
    extern "C" __global__ void chain(volatile int* x) {
        if (threadIdx.x == 0) {
            const int before = blockIdx.x;
            while (before > 0 && x[before - 1] == 0) __nanosleep(100);
            x[before] = before > 0 ? x[before - 1] + 1 : 1;
        }
        __syncthreads();
    }"""
    x = cp.zeros(blocks, "i4")
    cp.RawKernel(source, "chain")((blocks,), (64,), (x,))
    assert (x.get() == np.arange(1, blocks + 1)).all()


def test_instructions_of_the_device_mean_what_they_mean():
    source = r"""
    extern "C" __global__ void f(const float* x, unsigned short* y, float* z, unsigned* lane) {
        const int i = threadIdx.x;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y[i]) : "f"(x[i]));
        asm volatile("min.NaN.f32 %0, %1, %2;" : "=f"(z[i]) : "f"(x[i]), "f"(0.5f));
        asm("mov.u32 %0, %%laneid;" : "=r"(lane[i]));
    }"""
    x = np.random.default_rng(1).normal(size=96).astype("f4") * np.float32(10.0) ** np.arange(-48, 48).clip(-9, 6)
    x = np.append(x[:90], [np.nan, np.inf, -np.inf, 65519.0, 65520.0, -0.0]).astype("f4")
    y, z, lane = cp.zeros(96, "u2"), cp.zeros(96, "f4"), cp.zeros(96, "u4")
    cp.RawKernel(source, "f")((1,), (96,), (cp.asarray(x), y, z, lane))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(y.view("f2").get(), x.astype("f2"))
    np.testing.assert_array_equal(z.get(), np.minimum(x, np.float32(0.5)))
    np.testing.assert_array_equal(lane.get(), np.arange(96) % 32)


def test_threads_that_compile_first_share_the_prepared_headers(run_python, tmp_path):
    code = """
import concurrent.futures
import cuproxide as cp

def work(number):
    name = f"fill_{number}"
    kernel = cp.RawKernel(f'extern "C" __global__ void {name}(int* x) {{ x[threadIdx.x] = {number}; }}', name)
    kernel.compile()
    return name

with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(len(list(pool.map(work, range(16)))))
"""
    result = run_python(code, CUPROXIDE_CACHE_DIR=tmp_path)
    assert result.stdout == "16\n", result.stderr[:2000]
    assert sum(path.name.startswith("headers-") for path in tmp_path.iterdir()) == 1
    assert not any(path.name.startswith("cuproxide-") for path in tmp_path.iterdir())


def test_large_copies_from_the_host_are_staged(standin):
    """In pieces of 4 MiB. Without page-locked memory the driver copies; a piece that fails is an error."""
    host = np.arange(9 << 19, dtype=np.float64)
    standin.fail("cuMemHostAlloc:*=2")
    assert (cp.asarray(host).get() == host).all()
    standin.fail("")
    before = standin.calls("cuMemcpyHtoDAsync_v2")
    assert (cp.asarray(host).get() == host).all()
    assert standin.calls("cuMemcpyHtoDAsync_v2") - before == 9
    standin.fail("cuMemcpyHtoDAsync_v2:3=2")
    with pytest.raises((MemoryError, RuntimeError), match="cuMemcpyHtoDAsync"):
        cp.asarray(host)
    standin.fail("")
    assert (cp.asarray(host[::-1].copy()).get() == host[::-1]).all()
