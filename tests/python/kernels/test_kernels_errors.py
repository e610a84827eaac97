"""What kernels, streams and allocators do with bad input: an exception that names them, and nothing is lost."""

from __future__ import annotations

import gc

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.cuda import runtime

ON_CUDA = cp.Device().backend == "cuda"
ON_HIP = cp.Device().backend == "hip"
CODE = 'extern "C" __global__ void store_one(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }'


@pytest.fixture(scope="module")
def kernel():
    return cp.RawKernel(CODE, "store_one")


@pytest.fixture(autouse=True)
def memory_is_given_back(used_bytes):
    before = used_bytes()
    yield
    assert used_bytes() <= before


@pytest.mark.skipif(ON_HIP, reason="HIP does not tell the sizes of parameters")
@pytest.mark.parametrize("args", [(), (1,), (1, 2, 3), (1, 2, 3, 4)])
def test_wrong_number_of_arguments(kernel, args):
    with pytest.raises((TypeError, cp.DeviceError), match=r"store_one.*takes 2 arguments"):
        kernel((1,), (1,), (cp.zeros(1, "f4"), *args)[: len(args)])


@pytest.mark.parametrize("wrong", ["text", object(), [1], np.zeros(2), {}])
def test_wrong_type_of_argument(kernel, wrong):
    with pytest.raises(TypeError, match="store_one.*argument 1"):
        kernel((1,), (1,), (cp.zeros(1, "f4"), wrong))
    with pytest.raises(OverflowError, match="store_one.*argument 1"):
        kernel((1,), (1,), (cp.zeros(1, "f4"), 1 << 70))


@pytest.mark.parametrize("what", ["grid", "block"])
@pytest.mark.parametrize("wrong", [(), (0,), (1, 0), (-1,), (1, 1, 1, 1), (1 << 40,), "x", (1.5,)])
def test_no_grid_or_block(kernel, what, wrong):
    sizes = {"grid": (1,), "block": (1,), what: wrong}
    with pytest.raises((ValueError, TypeError)) as raised:
        kernel(sizes["grid"], sizes["block"], (cp.zeros(1, "f4"), 1))
    assert not isinstance(raised.value, ValueError) or "store_one" in str(raised.value)


@pytest.mark.parametrize("block", [(2048,), (1024, 2), (1, 1, 65)])
def test_too_many_threads(kernel, block):
    with pytest.raises(cp.DeviceError, match="store_one"):
        kernel((1,), block, (cp.zeros(1, "f4"), 1))
    x = cp.zeros(1, "f4")
    kernel((1,), (1,), (x, 1))
    assert float(x[0]) == 1


def test_too_much_shared_memory(kernel):
    with pytest.raises(cp.DeviceError, match="store_one"):
        kernel((1,), (1,), (cp.zeros(1, "f4"), 1), shared_mem=1 << 20)
    with pytest.raises(cp.DeviceError, match="store_one"):
        kernel.max_dynamic_shared_size_bytes = 1 << 20


def test_unknown_placeholders_and_types():
    with pytest.raises(TypeError, match="wrong32"):
        cp.ElementwiseKernel("wrong32 x", "T y", "y = x", "odd")
    with pytest.raises(TypeError, match=r"odd.*U.*y"):
        cp.ElementwiseKernel("T x", "U y", "y = x", "odd")(cp.ones(3))
    with pytest.raises(TypeError, match=r"odd.*U"):
        cp.ReductionKernel("T x", "U y", "x", "a + b", "y = a", "0", "odd")(cp.ones(3))
    with pytest.raises(TypeError, match=r"odd.*mismatched"):
        cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "odd")(cp.ones(3), cp.ones(3, "i4"))
    with pytest.raises(TypeError, match="odd"):
        cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "odd")(cp.ones(3))
    with pytest.raises(ValueError, match=r"\(3,\).*\(4,\)"):
        cp.ElementwiseKernel("T x", "T y", "y = x", "odd")(cp.ones(3), cp.ones(4))


def test_failures_inside_a_kernel_name_it():
    if ON_CUDA or ON_HIP:
        pytest.skip("ends the use of the GPU by the process; see the next test")
    failing = cp.RawKernel('#include <assert.h>\nextern "C" __global__ void fails(int x) { assert(x < 3); }', "fails")
    failing((1,), (1,), (2,))
    with pytest.raises(cp.DeviceError, match=r"fails.*x < 3"):
        failing((1,), (1,), (5,))
    failing((1,), (1,), (2,))


@pytest.mark.skipif(
    not ON_CUDA, reason="the host has no protection of memory for kernels, and AMD's driver ends the process"
)
def test_illegal_addresses_lose_the_device_and_say_so(run_python):
    done = run_python(
        """
import cuproxide as cp
wild = cp.RawKernel('extern "C" __global__ void wild(float* x) { x[1ll << 40] = 1; }', "wild")
x = cp.zeros(4, "f4")
wild((1,), (1,), (x,))
try:
    cp.cuda.Device().synchronize()
except cp.DeviceError as error:
    print("first", error)
try:
    wild((1,), (1,), (x,))
except cp.DeviceError as error:
    print("then", error)
print("host", cp.Device("cpu").name != "")
"""
    )
    assert "first" in done.stdout and "ILLEGAL_ADDRESS" in done.stdout, done.stderr
    assert "wild" in done.stdout and "host True" in done.stdout, done.stdout + done.stderr


@pytest.mark.skipif(not (ON_CUDA or ON_HIP), reason="needs two devices")
def test_pointers_of_another_device(kernel):
    with cp.Device("cpu"):
        elsewhere = cp.zeros(1, "f4")
    with pytest.raises(ValueError, match=f"store_one.*cpu:0.*{cp.Device()}"):
        kernel((1,), (1,), (elsewhere, 1))


def test_destroyed_streams_and_events():
    handle = runtime.streamCreate()
    runtime.streamDestroy(handle)
    for use in (runtime.streamSynchronize, runtime.streamQuery, runtime.streamDestroy):
        with pytest.raises(runtime.CUDARuntimeError, match=f"{handle:#x}"):
            use(handle)
    event = runtime.eventCreate()
    runtime.eventDestroy(event)
    with pytest.raises(runtime.CUDARuntimeError, match=f"{event:#x}"):
        runtime.eventSynchronize(event)


@pytest.mark.parametrize("method", ["malloc_preprocess", "alloc_preprocess"])
def test_hooks_that_raise_stop_the_allocation(method):
    class Hook(cp.cuda.MemoryHook):
        name = "raising"

    def refuse(self, **kwargs):
        raise KeyError("no memory today")

    setattr(Hook, method, refuse)
    # Arrays of earlier tests must not be collected after this, and give the pool a block.
    gc.collect()
    cp.get_default_memory_pool().free_all_blocks()
    with Hook(), pytest.raises(KeyError, match="no memory today"):
        cp.empty(1 << 22).data.ptr  # noqa: B018
    assert float(cp.ones(10).sum()) == 10


@pytest.mark.parametrize("wrong", ["raises", "little", "nothing", "number"])
def test_allocators_that_fail(wrong):
    def allocator(size):
        if wrong == "raises":
            raise KeyError("empty")
        if wrong == "little":
            return cp.cuda.MemoryPointer(cp.cuda.Memory(8), 0)
        return None if wrong == "nothing" else 7

    kinds = {"raises": KeyError, "little": (ValueError, MemoryError, RuntimeError), "nothing": TypeError}
    with cp.cuda.using_allocator(allocator), pytest.raises(kinds.get(wrong, TypeError)):
        cp.ones(100).data.ptr  # noqa: B018
    assert float(cp.ones(10).sum()) == 10


def test_kernels_are_compiled_again_by_the_process_that_gets_them(kernel):
    import pickle

    again = pickle.loads(pickle.dumps(kernel))
    assert again is not kernel and (again.code, again.name) == (kernel.code, kernel.name)


def test_raw_kernels_tell_what_they_were_made_of(kernel):
    assert (kernel.code, kernel.name, kernel.options, kernel.backend) == (CODE, "store_one", (), "nvrtc")
    assert kernel.file_path is None and kernel.kernel is kernel and not kernel.enable_cooperative_groups
    assert kernel.attributes["max_threads_per_block"] == kernel.max_threads_per_block
    module = cp.RawModule(code=CODE)
    assert module.get_function("store_one").code == CODE
    special = type("Special", (cp.RawKernel,), {"extra": 3})(CODE, "store_one")
    x = cp.zeros(4, "f4")
    special((1,), (4,), (x, np.int32(4)))
    assert special.extra == 3 and float(x.sum()) == 4
    for number in (np.int8(4), np.uint64(4), np.bool_(True), np.float64(0), np.int64(-1)):
        sized = cp.RawKernel(
            f'extern "C" __global__ void sized({ {1: "char", 8: "long long"}[number.itemsize] } n) {{ }}', "sized"
        )
        sized((1,), (1,), (number,))
