"""Memory classes, pointers, pools, allocators and hooks, on whatever device is the default."""

import ctypes
import gc
import io
import json
import threading

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.cuda import memory, pinned_memory


@pytest.fixture(autouse=True)
def default_allocator():
    yield
    cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)
    pinned_memory._allocator = None


def host(pointer, size):
    buffer = (ctypes.c_ubyte * size)()
    pointer.copy_to_host(ctypes.cast(buffer, ctypes.c_void_p), size)
    return bytes(buffer)


MAKERS = {
    "alloc": cp.cuda.alloc,
    "pool": lambda size: cp.cuda.MemoryPool().malloc(size),
    "direct": lambda size: cp.cuda.MemoryPointer(cp.cuda.Memory(size), 0),
    "managed": cp.cuda.malloc_managed,
    "async": cp.cuda.malloc_async,
}


@pytest.mark.parametrize("maker", MAKERS)
def test_pointers_copy_and_fill(maker):
    pointer = MAKERS[maker](64)
    assert pointer.mem.size >= 64 and pointer.device == cp.Device() and pointer.device_id == cp.Device().id
    content = np.arange(64, dtype=np.uint8)
    pointer.copy_from_host(content.ctypes.data, 64)
    assert host(pointer, 64) == content.tobytes()
    pointer.memset(7, 16)
    (pointer + 16).memset_async(8, 16)
    other = MAKERS[maker](64)
    other.copy_from_device(pointer, 64)
    assert host(other, 64) == bytes([7] * 16 + [8] * 16 + list(range(32, 64)))
    stream = cp.cuda.Stream()
    other.copy_from_device_async(pointer + 32, 8, stream)
    back = cp.cuda.alloc_pinned_memory(8)
    other.copy_to_host_async(back, 8, stream)
    stream.synchronize()
    assert bytes(memoryview(back))[:8] == bytes(range(32, 40))
    other.copy_from(pointer, 4)
    other.copy_from(content.ctypes.data_as(ctypes.c_void_p), 2)
    other.copy_from_async(pointer, 1)
    assert host(other, 4) == bytes([7, 1, 7, 7])
    array = cp.ndarray((8,), np.uint8, pointer + 32)
    np.testing.assert_array_equal(array.get(), content[32:40])


def test_pointers_stay_within_their_memory():
    pointer = cp.cuda.MemoryPointer(cp.cuda.Memory(100), 10)
    assert pointer.ptr == pointer.mem.ptr + 10 == int(pointer.mem) + 10
    assert (pointer + 90).ptr == (90 + pointer).ptr and ((pointer + 5) - 5).ptr == pointer.ptr
    for wrong in (lambda: pointer + 91, lambda: pointer - 11, lambda: cp.cuda.MemoryPointer(pointer.mem, 101)):
        with pytest.raises(ValueError, match="leave its memory"):
            wrong()
    for wrong in (
        lambda: pointer.memset(0, 91),
        lambda: pointer.copy_from_device(pointer, 91),
        lambda: pointer.copy_to_host(0, 1000),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            wrong()
    with pytest.raises(TypeError):
        pointer.copy_from_host("here", 1)
    moved = pointer
    moved += 8
    assert moved.ptr == pointer.ptr + 8
    assert moved.mem is pointer.mem


def test_unowned_memory():
    owner = cp.arange(10)
    block = cp.cuda.UnownedMemory(owner.data.ptr, owner.nbytes, owner, cp.Device().id)
    assert isinstance(block, memory.BaseMemory)
    view = cp.ndarray((10,), owner.dtype, cp.cuda.MemoryPointer(block, 0))
    view[3] = 100
    assert owner[3] == 100
    del owner, block
    gc.collect()
    assert view.get().tolist() == [0, 1, 2, 100, 4, 5, 6, 7, 8, 9]


def test_managed_memory():
    block = cp.cuda.ManagedMemory(1 << 16)
    stream = cp.cuda.get_current_stream()
    try:
        block.advise(cp.cuda.runtime.cudaMemAdviseSetReadMostly, cp.Device())
        block.prefetch(stream)
        block.prefetch(stream, device_id=-1)
    except cp.DeviceError as error:
        # Not every GPU can migrate memory at will.
        assert cp.Device().backend != "cpu", error
    stream.synchronize()


def test_a_pool_over_managed_memory():
    pool = cp.cuda.MemoryPool(cp.cuda.malloc_managed)
    cp.cuda.set_allocator(pool.malloc)
    a = cp.arange(1000.0)
    b = a * 2
    assert pool.used_bytes() >= a.nbytes + b.nbytes
    assert isinstance(b.data.mem, cp.cuda.Memory)
    np.testing.assert_array_equal(b.get(), np.arange(1000.0) * 2)
    del a, b
    assert pool.used_bytes() == 0 and pool.free_bytes() > 0
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


def test_own_pools(used_bytes):
    pool = cp.cuda.MemoryPool()
    assert not pool.serves_arrays and cp.get_default_memory_pool().serves_arrays
    used = used_bytes()
    with cp.cuda.using_allocator(pool.malloc):
        assert cp.cuda.get_allocator() == pool.malloc
        a = cp.ones(1000)
        assert pool.used_bytes() >= 8000
        assert used_bytes() == used
    pool.set_limit(size=1 << 20)
    assert pool.get_limit() == 1 << 20
    with pytest.raises(cp.OutOfMemoryError):
        pool.malloc(1 << 21)
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() > 0
    pool.set_limit()
    assert a.get().sum() == 1000


def test_allocators_of_threads():
    pool = cp.cuda.MemoryPool()
    seen = {}
    with cp.cuda.using_allocator(pool.malloc):
        with pytest.raises(ValueError, match="using_allocator"):
            cp.cuda.set_allocator(None)

        def elsewhere():
            seen["other"] = cp.cuda.get_allocator()
            cp.empty(10)

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert pool.used_bytes() == 0
        with cp.cuda.using_allocator(None):
            a = cp.empty(10)
            a[...] = 1
        assert pool.used_bytes() == 0
        assert cp.cuda.get_allocator() == pool.malloc
    assert seen["other"] != pool.malloc
    assert a.get().sum() == 10
    assert cp.cuda.get_allocator().__self__.serves_arrays
    with pytest.raises(TypeError, match="function"):
        cp.cuda.set_allocator(3)


def test_without_a_pool(used_bytes):
    cp.cuda.set_allocator(None)
    used = used_bytes()
    a = cp.ones(1 << 16)
    assert used_bytes() == used
    assert (a + a).get().sum() == 2 << 16
    cp.cuda.set_allocator()


def test_python_function_allocator():
    live = {}

    def malloc(size, device):
        block = cp.cuda.Memory(size)
        live[block.ptr] = (block, device)
        return block.ptr

    def free(ptr, device):
        assert live.pop(ptr)[1] == device

    allocator = cp.cuda.PythonFunctionAllocator(malloc, free)
    cp.cuda.set_allocator(allocator.malloc)
    a = cp.arange(100)
    b = a + 1
    np.testing.assert_array_equal(b.get(), np.arange(100) + 1)
    assert len(live) >= 2
    del a, b
    gc.collect()
    assert live == {}


def test_c_function_allocator():
    with pytest.raises(cp.OutOfMemoryError):
        refusing = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)(lambda *_: None)
        release = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(lambda *_: None)
        addresses = [ctypes.cast(function, ctypes.c_void_p).value for function in (refusing, release)]
        cp.cuda.CFunctionAllocator(0, *addresses, (refusing, release)).malloc(10)
    blocks = {}

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    def malloc(param, size, device):
        assert param == 42
        block = cp.cuda.Memory(size)
        blocks[block.ptr] = block
        return block.ptr

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    def free(param, ptr, device):
        del blocks[ptr]

    addresses = [ctypes.cast(function, ctypes.c_void_p).value for function in (malloc, free)]
    allocator = cp.cuda.CFunctionAllocator(42, *addresses, (malloc, free))
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        assert isinstance(cp.zeros(3).data.mem, cp.cuda.ManagedMemory)
    assert cp.cuda.get_allocator() == cp.cuda.get_allocator()
    with cp.cuda.using_allocator(allocator.malloc):
        a = cp.empty(50)
        assert len(blocks) == 1
        a[...] = 1
        assert (a.get() == 1).all()
    del a
    gc.collect()
    assert blocks == {}


@pytest.mark.parametrize(
    "allocator, error",
    [
        (lambda size: None, TypeError),
        (lambda size: 5, TypeError),
        (lambda size: cp.cuda.MemoryPool().malloc(max(size - 8, 0)), ValueError),
        (lambda size: {}["missing"], KeyError),
        (lambda size: (_ for _ in ()).throw(MemoryError("none left")), MemoryError),
    ],
    ids=["none", "number", "too little", "raises", "out of memory"],
)
def test_allocators_that_fail(allocator, error, used_bytes):
    before = used_bytes()
    with cp.cuda.using_allocator(allocator), pytest.raises(error):
        cp.empty(100)
    with pytest.raises(error):
        cp.cuda.MemoryPool(allocator).malloc(1000)
    assert cp.ones(10).get().sum() == 10
    assert used_bytes() == before


def test_async_pool():
    pool = cp.cuda.MemoryAsyncPool()
    with cp.cuda.using_allocator(pool.malloc):
        a = cp.arange(1000)
        b = a * 3
        assert isinstance(a.data.mem, cp.cuda.Memory)
        np.testing.assert_array_equal(b.get(), np.arange(1000) * 3)
    if pool.memoryAsyncHasStat:
        assert pool.used_bytes() >= 16000
        assert pool.total_bytes() >= pool.used_bytes() and pool.free_bytes() >= 0
    else:
        with pytest.raises(cp.UnsupportedError):
            pool.used_bytes()
    del a, b
    pool.free_all_blocks()
    block = cp.cuda.MemoryAsync(100, cp.cuda.get_current_stream())
    assert block.stream_ref == cp.cuda.get_current_stream() and block.size == 100
    with pytest.raises(ValueError):
        cp.cuda.MemoryAsyncPool("other")


class Recorder(cp.cuda.MemoryHook):
    name = "Recorder"

    def __init__(self):
        self.calls = []

    def __getattribute__(self, attribute):
        if attribute.endswith("process"):
            return lambda **numbers: self.calls.append((attribute, numbers))
        return super().__getattribute__(attribute)


def test_hooks():
    hook = Recorder()
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    with hook:
        a = cp.empty(1000, np.uint8)
        ptr = a.data.ptr
        del a
        cp.empty(1000, np.uint8)
    calls = hook.calls
    names = [name for name, _ in calls]
    taking, freeing = ["malloc_preprocess", "malloc_postprocess"], ["free_preprocess", "free_postprocess"]
    growing = ["alloc_preprocess", "alloc_postprocess"]
    assert names[-8:] == [*taking, *freeing, *taking, *freeing] or names[:6] == [
        taking[0],
        *growing,
        taking[1],
        *freeing,
    ]
    first = dict(calls)["malloc_postprocess"]
    assert first["size"] == 1000 and first["mem_size"] == 1024 and first["mem_ptr"] == ptr
    assert first["device_id"] == cp.Device().id and first["pmem_id"] == dict(calls)["free_postprocess"]["pmem_id"]
    count = len(hook.calls)
    cp.empty(10)
    assert len(hook.calls) == count


def test_hooks_belong_to_a_thread_and_have_names():
    hook = Recorder()
    with hook:
        with pytest.raises(KeyError, match="already exists"), Recorder():
            pass
        thread = threading.Thread(target=lambda: cp.empty(10))
        thread.start()
        thread.join()
        assert hook.calls == []
        cp.empty(10)
        assert hook.calls


def test_hooks_that_raise(used_bytes):
    class Refusing(cp.cuda.MemoryHook):
        name = "Refusing"

        def malloc_preprocess(self, *, device_id, size, mem_size):
            if size > 1000:
                raise ZeroDivisionError("no")

    before = used_bytes()
    with Refusing():
        a = cp.ones(10)
        with pytest.raises(ZeroDivisionError):
            cp.empty(1000)
        assert a.get().sum() == 10
    assert cp.ones(1000).get().sum() == 1000
    del a
    assert used_bytes() == before


def test_debug_print_hook():
    file = io.StringIO()
    cp.get_default_memory_pool().free_all_blocks()
    with cp.cuda.memory_hooks.DebugPrintHook(file=file):
        a = cp.empty(100_000)
        del a
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert [line["hook"] for line in lines] == ["alloc", "malloc", "free"]
    assert lines[1]["size"] == 800_000 and lines[1]["mem_ptr"] == lines[2]["mem_ptr"] == lines[0]["mem_ptr"]


def test_line_profile_hook():
    hook = cp.cuda.memory_hooks.LineProfileHook()
    with hook:
        a = cp.empty(1 << 16)  # this line
        b = [cp.empty_like(a) for _ in range(3)]
    file = io.StringIO()
    hook.print_report(file)
    text = file.getvalue()
    assert text.startswith("_root (2.00MB") and "# this line" in text and "test_cuda_memory.py" in text
    assert len(b) == 3
    with pytest.raises(ValueError):
        cp.cuda.memory_hooks.LineProfileHook(-1)


def test_pinned_memory():
    pool = cp.get_default_pinned_memory_pool()
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0
    pointer = cp.cuda.alloc_pinned_memory(100)
    assert pointer.size() == 100 and pointer.mem.size == 100 and int(pointer) == pointer.ptr
    assert (pointer + 10).size() == 90 and ((pointer + 10) - 10).ptr == pointer.ptr
    with pytest.raises(ValueError, match="leave"):
        pointer + 101
    view = np.frombuffer(pointer, np.float32, 25)
    view[...] = 3
    again = np.frombuffer(pointer + 4, np.float32, 24)
    assert (again == 3).all() and again.flags.writeable
    del pointer
    gc.collect()
    view[0] = 5
    assert view.sum() == 5 + 72
    del view, again
    gc.collect()
    assert pool.n_free_blocks() == 1
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0
    block = cp.cuda.PinnedMemory(50)
    assert cp.cuda.PinnedMemoryPointer(block, 20).ptr == block.ptr + 20
    with pytest.raises(ValueError):
        cp.cuda.PinnedMemory(10, flags=99)


def test_pinned_allocators():
    own = cp.cuda.PinnedMemoryPool()
    cp.cuda.set_pinned_memory_allocator(own.malloc)
    a = cp.empty_pinned(100)
    del a
    gc.collect()
    assert own.n_free_blocks() == 1
    own.free_all_blocks()
    cp.cuda.set_pinned_memory_allocator()
    assert isinstance(cp.cuda.alloc_pinned_memory(10), cp.cuda.PinnedMemoryPointer)
    with pytest.raises(TypeError):
        cp.cuda.set_pinned_memory_allocator("here")


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex128"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(), 5, (3, 4), (0, 2), (2, 3, 4)])
def test_pinned_arrays(shape, order, dtype):
    made, wanted = cp.zeros_pinned(shape, dtype, order), np.zeros(shape, dtype, order)
    assert type(made) is np.ndarray and made.dtype == wanted.dtype
    assert made.strides == wanted.strides or made.size == 0
    np.testing.assert_array_equal(made, wanted)
    assert cp.empty_pinned(shape, dtype, order).shape == wanted.shape
    np.testing.assert_array_equal(cp.asarray(made).get(), wanted)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_pinned_arrays_like_others(order):
    base = np.arange(24.0).reshape(2, 3, 4)
    for array in (base, np.asfortranarray(base), base.transpose(1, 0, 2), base[0, 0, 0]):
        for prototype in (array, cp.asarray(array)):
            made, wanted = cp.zeros_like_pinned(prototype, order=order), np.zeros_like(array, order=order)
            assert made.strides == wanted.strides and (made == 0).all()
    assert cp.empty_like_pinned(base, np.int8, shape=(5,)).shape == (5,)
    with pytest.raises(ValueError):
        cp.empty_pinned(-1)
    with pytest.raises(ValueError):
        cp.empty_like_pinned(base, order="X")
    with pytest.raises(TypeError):
        cp.empty_like_pinned(base, subok=True)


def test_pinned_memory_is_read_anew_by_graphs():
    source = cp.zeros_pinned(10)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        # Memory of this stream: that of the default one may still be written by what had it before.
        pointer = cp.cuda.alloc(80)
        target = cp.ndarray((10,), np.float64, pointer)
        stream.begin_capture()
        pointer.copy_from_host_async(source.ctypes.data, 80, stream)
        graph = stream.end_capture()
    for value in (3.0, 4.0):
        source[...] = value
        graph.launch(stream)
        stream.synchronize()
        assert (target.get() == value).all()
