"""Failures of the driver and its compiler: the error that a program sees, and that nothing is left behind."""

import gc
import os
import shutil
import threading
from pathlib import Path

import cuproxide as cp
import numpy as np
import pytest

FOLDER = os.environ.get("CUPROXIDE_CUDA_DRIVER_PATH", "")
DRIVER = Path(FOLDER, "libcuda.so.1")


def program():
    """Copies, kernels, a sort, a stream, an event, page-locked memory and a graph."""
    host = np.arange(1000.0)
    a = cp.asarray(host)
    total = float((a * 2 + 1).sum())
    ordered = cp.sort(a[::-1]).get()
    stream, event = cp.cuda.Stream(non_blocking=True), cp.cuda.Event()
    pinned = cp.zeros_pinned(10)
    cp.Device().synchronize()
    with stream:
        stream.begin_capture()
        b = a[:10] + 1
        graph = stream.end_capture()
        graph.launch(stream)
        pinned[...] = b.get()
    event.record(stream)
    event.synchronize()
    stream.synchronize()
    return total, ordered[0], pinned.sum()


@pytest.mark.parametrize("pool", [cp.cuda.MemoryPool, cp.cuda.PinnedMemoryPool])
def test_memory_that_another_thread_gives_back_leaves_captures_alone(standin, pool):
    a, stream = cp.ones(1000), cp.cuda.Stream(non_blocking=True)
    call = "cuMemFree_v2" if pool is cp.cuda.MemoryPool else "cuMemFreeHost"

    def give_back():
        own = pool()
        memory = own.malloc(1 << 20)
        del memory
        own.free_all_blocks()

    cp.Device().synchronize()
    with stream:
        stream.begin_capture()
        before = standin.calls(call)
        b = a + 1
        thread = threading.Thread(target=give_back)
        thread.start()
        thread.join()
        assert standin.calls(call) == before
        graph = stream.end_capture()
        assert standin.calls(call) == before + 1
        graph.launch(stream)
    stream.synchronize()
    assert (b.get() == 2).all()


RIGHT = (1_000_000.0, 0.0, 55.0)


@pytest.fixture(autouse=True, scope="module")
def warm():
    """Kernels are compiled and loaded before anything is counted."""
    program()
    program()


def test_nothing_is_left_behind(standin):
    before = standin.live()
    assert program() == RIGHT
    assert standin.live() == before
    assert before["memory"] == before["bytes"] == before["streams"] == before["graphs"] == 0


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("cuMemAlloc_v2:1", 999),
        ("cuMemAlloc_v2:2", 999),
        ("cuMemcpyHtoDAsync_v2:1", 1),
        ("cuMemcpyDtoHAsync_v2:1", 1),
        ("cuMemcpyDtoHAsync_v2:2", 999),
        ("cuLaunchKernel:1", 1),
        ("cuLaunchKernel:2", 701),
        ("cuLaunchKernel:3", 999),
        ("cuStreamCreateWithPriority:1", 2),
        ("cuStreamBeginCapture_v2:1", 999),
        ("cuGraphInstantiateWithFlags:1", 2),
        ("cuGraphLaunch:1", 1),
        ("cuEventCreate:1", 2),
        ("cuEventRecord:1", 400),
        ("cuEventSynchronize:1", 999),
        ("cuStreamSynchronize:1", 999),
        ("cuCtxSynchronize:1", 999),
        ("cuCtxGetCurrent:1", 201),
    ],
)
def test_a_failed_call_is_an_error_that_names_it_and_leaks_nothing(standin, call, status):
    before = standin.live()
    name = call.partition(":")[0]
    standin.fail(f"{call}={status}")
    with pytest.raises(RuntimeError, match=rf"(?s){name}.*\b{status}\b|captur") as failure:
        program()
    assert isinstance(failure.value, cp.DeviceError)
    standin.fail("")
    del failure
    gc.collect()
    assert program() == RIGHT
    assert standin.live() == before


def test_memory_that_runs_out_is_taken_from_the_caches_or_a_memory_error(standin):
    before = standin.live()
    standin.fail("cuMemAlloc_v2:1=2")
    assert program() == RIGHT, "the second try succeeds"
    standin.live()
    standin.fail("cuMemAlloc_v2:*=2")
    with pytest.raises(MemoryError, match=r"out of memory on cuda:0: allocating 8000 bytes"):
        program()
    standin.fail("")
    assert program() == RIGHT
    assert standin.live() == before


def test_more_memory_than_there_is(standin):
    before = standin.live()
    with pytest.raises(MemoryError, match="allocating 8796093022208 bytes"):
        cp.empty(1 << 40)
    assert standin.live() == before


@pytest.mark.parametrize("status", [700, 716, 719])
def test_a_lost_device_says_so_from_then_on(run_python, status):
    result = run_python(
        "import cuproxide as cp\n"
        "a = cp.ones(3)\n"
        "for turn in range(3):\n"
        "    try:\n"
        "        print((a + turn + cp.arange(3)).get())\n"
        "    except cp.DeviceError as error:\n"
        "        print('lost' if 'cuda:0 is lost' in str(error) else error)\n",
        STANDIN_FAIL=f"cuLaunchKernel:1={status}",
    )
    assert (result.returncode, result.stdout.split()) == (0, ["lost"] * 3), result.stderr


def test_a_kernel_that_reads_what_is_not_aligned_loses_the_device(run_python):
    result = run_python(
        "import cuproxide as cp\n"
        "kernel = cp.RawKernel('extern \"C\" __global__ void odd(double* x) { x[0] += 1; }', 'odd')\n"
        "a = cp.zeros(40, 'u1')[1:33].view('f8')\n"
        "assert (a + 1).tolist() == [1.0] * 4\n"
        "kernel((1,), (1,), (a,))\n"
        "try:\n"
        "    a.get()\n"
        "except cp.DeviceError as error:\n"
        "    print(error)\n"
    )
    assert "cuda:0 is lost" in result.stdout and "CUDA_ERROR_MISALIGNED_ADDRESS" in result.stdout, result.stderr
    assert result.returncode == 0


def test_a_kernel_out_of_bounds_loses_the_device(run_python):
    result = run_python(
        "import cuproxide as cp\n"
        "kernel = cp.RawKernel('extern \"C\" __global__ void far(float* x) { x[1 << 30] = 1; }', 'far')\n"
        "a = cp.zeros(4, 'f4')\n"
        "kernel((1,), (1,), (a,))\n"
        "try:\n"
        "    a.get()\n"
        "except cp.DeviceError as error:\n"
        "    print(error)\n"
    )
    assert "cuda:0 is lost" in result.stdout and "CUDA_ERROR_ILLEGAL_ADDRESS" in result.stdout, result.stderr
    assert "launched since the last wait, the latest last: far\n" in result.stdout
    assert result.returncode == 0


def test_a_lost_device_names_the_kernels_that_nobody_waited_for(run_python):
    kernel = "'extern \"C\" __global__ void %s(float* x) { x[%s] = 1; }' % ("
    result = run_python(
        "import cuproxide as cp\n"
        f"first, second, far = (cp.RawKernel({kernel}name, index), name)\n"
        "    for name, index in [('first', 0), ('second', 1), ('far', 1 << 30)])\n"
        "a, b = cp.zeros(4, 'f4'), cp.zeros(4, 'f4')\n"
        "stream, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)\n"
        "cp.Device().synchronize()\n"
        "first((1,), (1,), (a,), stream=stream)\n"
        "stream.synchronize()\n"
        "second((1,), (1,), (b,), stream=other)\n"
        "far((1,), (1,), (a,), stream=stream)\n"
        "for wait in (stream.synchronize, other.synchronize, lambda: first((1,), (1,), (a,))):\n"
        "    try:\n"
        "        wait()\n"
        "    except cp.DeviceError as error:\n"
        "        print(str(error).partition('; ')[2])\n"
    )
    assert result.stdout.splitlines() == ["launched since the last wait, the latest last: second, far"] * 3, (
        result.stderr
    )


def test_parameters_are_asked_for_by_no_call_that_fails(standin):
    """Tools that watch the driver show every failed call."""
    kernel = cp.RawKernel('extern "C" __global__ void f(int* x, float y, char z) {}', "f")
    before = standin.calls("cuFuncGetParamInfo")
    kernel.compile()
    kernel((1,), (1,), (cp.zeros(1, "i4"), np.float32(1), np.int8(2)))
    assert standin.calls("cuFuncGetParamInfo") - before == 3


def test_a_failed_assertion_loses_the_device(run_python):
    result = run_python(
        "import cuproxide as cp\n"
        "kernel = cp.RawKernel('#include <assert.h>\\nextern \"C\" __global__ void f(int* x) { assert(*x); }', 'f')\n"
        "kernel((1,), (1,), (cp.zeros(4, 'i4'),))\n"
        "try:\n"
        "    cp.Device().synchronize()\n"
        "except cp.DeviceError as error:\n"
        "    print(error)\n"
    )
    assert "CUDA_ERROR_ASSERT" in result.stdout, result.stderr


def test_no_device(run_python):
    program = "import cuproxide as cp; print(cp.ones(3).device)"
    assert run_python(program, STANDIN_DEVICES=0, CUPROXIDE_BACKEND="").stdout.strip() == "cpu:0"
    named = run_python(program, STANDIN_DEVICES=0)
    text = "cuInit failed with code 100 (CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice): no CUDA-capable device is detected"
    assert text in named.stderr


def test_no_driver(run_python, tmp_path):
    program = "import cuproxide as cp; print(cp.ones(3).device)"
    variables = {"CUPROXIDE_CUDA_DRIVER_PATH": tmp_path}
    assert run_python(program, CUPROXIDE_BACKEND="", **variables).stdout.strip() == "cpu:0"
    named = run_python(program, **variables)
    assert f"{tmp_path}/libcuda.so.1" in named.stderr
    assert "install NVIDIA's driver" in named.stderr


def test_a_driver_that_is_too_old(run_python):
    program = "import cuproxide as cp; print(cp.ones(3).device)"
    assert run_python(program, STANDIN_VERSION=11080, CUPROXIDE_BACKEND="").stdout.strip() == "cpu:0"
    named = run_python(program, STANDIN_VERSION=11080)
    assert "it serves CUDA 11.8, and 12.0 or newer is needed" in named.stderr
    assert "hint: " in named.stderr
    assert run_python(program, STANDIN_VERSION=12000).stdout.strip() == "cuda:0"


def test_no_compiler(run_python, tmp_path):
    shutil.copy(DRIVER, tmp_path / "libcuda.so.1")
    result = run_python(
        "import cuproxide as cp; print(cp.ones(3) + 1)", CUPROXIDE_LIBRARY_PATH=tmp_path, CUPROXIDE_CACHE_DIR=tmp_path
    )
    assert "NVRTC could not be loaded" in result.stderr
    assert "pip install nvidia-cuda-nvrtc" in result.stderr


def test_a_driver_of_cuda_12_wants_its_own_compiler(run_python, tmp_path):
    variables = {"STANDIN_VERSION": 12080, "CUPROXIDE_CACHE_DIR": tmp_path / "cache"}
    program = "import cuproxide as cp; print((cp.ones(3) + 1).get().sum())"
    newer = run_python(program, **variables)
    assert "libnvrtc.so.12" in newer.stderr and "libnvrtc.so.13" not in newer.stderr
    (tmp_path / "libnvrtc.so.12").symlink_to(DRIVER)
    assert run_python(program, CUPROXIDE_LIBRARY_PATH=tmp_path, **variables).stdout.strip() == "6.0"


def test_a_failed_compilation_shows_the_log():
    with pytest.raises(cp.cuda.compiler.CompileException, match=r"wrong.*not declared"):
        cp.RawKernel('extern "C" __global__ void f(int* x) { *x = wrong; }', "f").compile()


@pytest.mark.parametrize("name", ["cuMemPoolTrimTo", "cuGraphDebugDotPrint"])
def test_a_function_that_the_driver_lacks_is_an_error_of_its_users_only(run_python, tmp_path, name):
    # The name is changed within the library, whose table of symbols then has no such entry.
    image = DRIVER.read_bytes()
    assert name.encode() + b"\0" in image
    (tmp_path / "libcuda.so.1").write_bytes(image.replace(name.encode() + b"\0", b"x" + name.encode()[1:] + b"\0"))
    result = run_python(
        "import cuproxide as cp\n"
        "print((cp.ones(3) + 1).get().sum())\n"
        "stream = cp.cuda.Stream(non_blocking=True)\n"
        "a = cp.ones(3)\n"
        "with stream:\n"
        "    stream.begin_capture(); b = a + 1; graph = stream.end_capture()\n"
        "for use in [lambda: cp.cuda.runtime.memPoolTrimTo(cp.cuda.runtime.deviceGetDefaultMemPool(0), 0),\n"
        "            lambda: graph.debug_dot_str()]:\n"
        "    try:\n"
        "        use(); print('fine')\n"
        "    except Exception as error:\n"
        "        print(type(error).__name__, error)\n",
        CUPROXIDE_CUDA_DRIVER_PATH=tmp_path,
    )
    lines = result.stdout.splitlines()
    assert lines[:1] == ["6.0"], (result.returncode, result.stderr)
    assert sum(f"has no symbol {name}" in line for line in lines) == 1, result.stdout + result.stderr
    assert lines.count("fine") == 1


def test_missing_libraries_say_what_to_install():
    for use, package in [
        (lambda: cp.ones((3, 3)) @ cp.ones((3, 3)), "nvidia-cublas"),
        (lambda: cp.fft.fft(cp.ones(5)), "nvidia-cufft"),
        (lambda: cp.linalg.svd(cp.eye(3)), "nvidia-cusolver"),
        (lambda: cp.random.XORWOW(1, library=True).random_raw(3), "nvidia-curand"),
    ]:
        with pytest.raises(cp.MissingLibraryError, match=f"hint: pip install {package}") as failure:
            use()
        assert FOLDER in str(failure.value)
