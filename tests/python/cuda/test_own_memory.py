"""Memory that programs bring themselves: subclasses of `Memory` and `PinnedMemory`; devices and streams as objects."""

import gc

import cuproxide as cp
import numpy as np
import pytest
from cupy_stand_in import compat_installed

cuda = cp.cuda
ON_HOST = cp.Device().backend == "cpu"


class Own(cuda.memory.BaseMemory):
    """Memory that sets its address itself, and frees it when nobody uses it any more."""

    freed = 0

    def __init__(self, size):
        self.size = size
        self.device_id = cp.Device().id
        self.ptr = 0
        self.ptr = cuda.runtime.malloc(max(size, 1))

    def __del__(self):
        if self.ptr:
            Own.freed += 1
            cuda.runtime.free(self.ptr)


def test_subclasses_set_the_address():
    before = Own.freed
    memory = Own(24)
    assert memory.size == 24 and memory.device == cp.Device() and int(memory) == memory.ptr > 0
    pointer = cuda.MemoryPointer(memory, 8)
    assert pointer.ptr == memory.ptr + 8 and pointer.mem is memory
    array = cp.ndarray((2,), "f8", memptr=pointer)
    array[...] = [3, 4]
    assert array.data.mem is memory and array.sum() == 7
    with pytest.raises(ValueError, match="leave"):
        pointer + 100
    del memory, pointer
    assert array.tolist() == [3, 4]
    del array
    gc.collect()
    assert Own.freed == before + 1


def test_allocators_give_such_memory():
    before = Own.freed
    with cuda.using_allocator(lambda size: cuda.MemoryPointer(Own(size), 0)):
        x = cp.arange(100.0)
        assert type(x.data.mem) is Own and float((x * 2).sum()) == 9900
    del x
    gc.collect()
    assert Own.freed > before


def test_subclasses_call_super():
    class More(cuda.Memory):
        def __init__(self, size, label):
            super().__init__(size)
            self.label = label

    memory = More(64, "mine")
    assert memory.label == "mine" and memory.size == 64 and memory.ptr
    x = cp.ndarray((8,), "f8", memptr=cuda.MemoryPointer(memory))
    x.fill(2)
    assert x.sum() == 16 and isinstance(x.data.mem, More)


def test_memory_without_an_address():
    class Nothing(cuda.memory.BaseMemory):
        def __init__(self):
            self.size = 8

    with pytest.raises(ValueError, match="ptr=0"):
        cuda.MemoryPointer(Nothing())
    with pytest.raises(TypeError):
        cuda.Memory()
    with pytest.raises(ValueError):
        cuda.runtime.free(-1) if False else cuda.UnownedMemory(0, 8, None)


def test_free():
    pool = cuda.MemoryPool()
    pointer = pool.malloc(1000)
    memory = pointer.mem
    assert isinstance(memory, cuda.memory.PooledMemory) and pool.used_bytes() == 1024
    memory.free()
    # Pointers and arrays keep the block.
    assert memory.ptr == memory.size == 0 and pool.used_bytes() == 1024
    memory.free()
    del pointer
    gc.collect()
    assert pool.used_bytes() == 0 and pool.free_bytes() == 1024
    direct = cuda.Memory(10)
    direct.free()
    assert direct.ptr == 0
    managed = cuda.malloc_managed(16) if ON_HOST else None
    assert managed is None or managed.mem.size == 16


def test_no_bytes_have_no_address():
    assert cp.empty((0, 3)).data.ptr == 0 == cp.empty(0).data.ptr
    assert cp.arange(3)[:0].shape == (0,) and cp.empty(0).tolist() == []
    x = cp.ones(4)
    assert x[:0].data.ptr == x.data.ptr


def test_pinned_memory_of_programs():
    class Pinned(cuda.PinnedMemory):
        def __init__(self, size):
            self.host = np.zeros(size, np.uint8)
            self.size, self.ptr = size, self.host.ctypes.data

    pointer = cuda.PinnedMemoryPointer(Pinned(16), 8)
    np.frombuffer(pointer, np.float64)[:] = 5
    assert pointer.mem.host.view(np.float64).tolist() == [0, 5] and pointer.size() == 8
    assert pointer.ptr == pointer.mem.ptr + 8 == int(pointer)

    class More(cuda.PinnedMemory):
        def __init__(self, size):
            super().__init__(size)
            self.label = size

    more = More(32)
    view = np.frombuffer(cuda.PinnedMemoryPointer(more), np.uint8)
    # Views of what was allocated stay valid whatever the object says later.
    more.ptr, more.size = 0, 0
    gc.collect()
    view[:] = 7
    assert more.label == 32 and view.sum() == 7 * 32
    cuda.set_pinned_memory_allocator(lambda size: cuda.PinnedMemoryPointer(More(size), 0))
    try:
        assert (cp.zeros_pinned(5) == 0).all()
    finally:
        cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)


# Devices and streams.


def test_devices_that_do_not_exist():
    """They can be named, compared and asked for, and fail when they are used."""
    absent = cp.Device(63)
    assert absent == cp.Device(63) != cp.Device(0) and hash(absent) == hash(cp.Device(63))
    assert absent.id == int(absent) == 63 and absent.backend == cp.Device().backend and "absent" in repr(absent)
    assert str(absent) == f"{absent.backend}:63" and absent > cp.Device(0)
    calls = [absent.use, absent.synchronize, absent.__enter__, lambda: absent.mem_info, lambda: absent.name]
    calls += [lambda: absent.compute_capability, lambda: cp.ones(2, device=absent), lambda: cp.ones(2, device=63)]
    for call in calls:
        with pytest.raises(cp.DeviceError, match="63"):
            call()
    assert cp.ones(2).device == cp.Device()
    for name in ("cpu:63", "nothing"):
        with pytest.raises((cp.DeviceError, ValueError)):
            cp.Device(name)
    with pytest.raises(ValueError, match="negative"):
        cp.Device(-2)
    with pytest.raises(TypeError):
        cp.Device(True)


def test_streams_keep_their_identity():
    null, first, second = cuda.Stream.null, cuda.Stream(), cuda.Stream()
    assert cuda.Stream.null is null and cuda.Stream(null=True) == null
    with first:
        assert cuda.get_current_stream() is first
        with second:
            assert cuda.get_current_stream() is second
        assert cuda.get_current_stream() is first
        second.use()
        with first:
            assert cuda.get_current_stream() is first
        assert cuda.get_current_stream() is second
        with null:
            assert cuda.get_current_stream() is null == null
    assert cuda.get_current_stream() == null
    first.use()
    try:
        with second:
            pass
        assert cuda.get_current_stream() is first and cuda.get_current_stream(cp.Device().id) is first
    finally:
        assert null.use() is null
    assert cuda.get_current_stream() is null


def test_the_default_stream_is_one_object_under_compat():
    import threading

    with compat_installed():
        found = []
        worker = threading.Thread(target=lambda: found.append(cuda.get_current_stream() is cuda.Stream.null))
        worker.start()
        worker.join()
        assert found == [True]
