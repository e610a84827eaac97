"""Devices, streams, events and memory pools."""

import cuproxide as cp
import numpy as np
import pytest
from helpers import check


def test_devices():
    device = cp.Device()
    assert str(device) == f"{device.backend}:{device.id}"
    assert device == cp.Device(str(device)) and device == str(device)
    assert hash(device) == hash(cp.Device(str(device)))
    assert int(device) == device.id
    assert device <= device <= cp.Device(str(device)) and not device < device and not device > device
    assert device in cp.available_devices()
    assert cp.Device("cpu") in cp.available_devices()
    free, total = device.mem_info
    assert 0 < free <= total
    assert device.name and device.architecture
    device.synchronize()
    assert "Device" in repr(device)


def test_current_device():
    outer = cp.Device()
    with cp.Device("noop") as inner:
        assert cp.Device() == inner == "noop:0"
        assert cp.zeros(2).device == inner
        with cp.Device("cpu"):
            assert cp.zeros(2).device == "cpu:0"
        assert cp.Device() == inner
    assert cp.Device() == outer
    assert cp.empty(2, device="cpu").device == "cpu:0"
    with pytest.raises(ZeroDivisionError), cp.Device("noop"):
        1 / 0  # noqa: B018
    assert cp.Device() == outer


def test_transfers_between_devices():
    a = cp.arange(12.0).reshape(3, 4)
    for view in (a, a.T, a[::2, ::-1]):
        host = view.to_device("cpu")
        assert host.device == "cpu:0"
        check(host, cp.asnumpy(view))
        check(host.to_device(a.device), cp.asnumpy(view))
    assert a.to_device(a.device) is a or cp.shares_memory(a.to_device(a.device), a)
    check(cp.asarray(a, device="cpu"), np.arange(12.0).reshape(3, 4))
    with cp.Device("cpu"):
        b = cp.ones(3)
    check(b + 1, np.full(3, 2.0))
    assert (b + 1).device == "cpu:0"


def test_streams():
    stream = cp.cuda.Stream(non_blocking=True)
    before = cp.cuda.get_current_stream()
    with stream:
        assert cp.cuda.get_current_stream() == stream
        a = cp.arange(1000.0)
        b = a * 2
    assert cp.cuda.get_current_stream() == before
    stream.synchronize()
    check(b, np.arange(1000.0) * 2)
    assert stream.done
    assert cp.cuda.Stream.null.ptr == cp.cuda.Stream(null=True).ptr
    assert isinstance(stream.ptr, int)


def test_events():
    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    a = cp.ones(100_000)
    for _ in range(10):
        a = a * 1.5
    end.record()
    end.synchronize()
    assert end.done
    assert cp.cuda.get_elapsed_time(start, end) >= 0
    other = cp.cuda.Stream()
    other.wait_event(end)
    other.synchronize()
    assert isinstance(cp.cuda.get_current_stream().record(), cp.cuda.Event)


def test_pool_statistics(used_bytes):
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    before = used_bytes()
    a = cp.empty(1 << 20, np.uint8)
    assert pool.used_bytes() >= before + (1 << 20)
    assert pool.total_bytes() >= pool.used_bytes()
    del a
    assert pool.used_bytes() == before
    assert pool.free_bytes() >= 1 << 20 and pool.n_free_blocks() > 0
    pool.free_all_blocks()
    assert pool.free_bytes() == 0 or pool.n_free_blocks() > 0
    assert pool.peak_bytes() >= 1 << 20


def test_blocks_are_used_again():
    pool = cp.get_default_memory_pool()
    for _ in range(3):
        cp.empty(123_456)
    calls = pool.device_allocations()
    for _ in range(50):
        cp.empty(123_456)
    assert pool.device_allocations() == calls


def test_views_keep_memory(used_bytes):
    before = used_bytes()
    view = cp.arange(100_000)[10:20]
    assert used_bytes() > before
    check(view, np.arange(10, 20))
    del view
    assert used_bytes() == before


def test_memory_pointers():
    pointer = cp.cuda.alloc(64)
    assert (pointer + 8).ptr == pointer.ptr + 8 and int(pointer) == pointer.ptr
    a = cp.ndarray((4,), np.float64, pointer)
    a[...] = 7
    b = cp.ndarray((2,), np.float64, pointer + 16)
    check(b, np.full(2, 7.0))
    assert a.data.ptr == pointer.ptr
    c = cp.arange(10)
    assert c[3:].data.ptr == c.data.ptr + 24
    assert c.data.mem.size >= c.nbytes and c.data.mem.device == c.device


def test_runtime_calls():
    runtime = cp.cuda.runtime
    assert runtime.getDeviceCount() >= 1
    runtime.setDevice(runtime.getDevice())
    runtime.deviceSynchronize()
    assert len(runtime.memGetInfo()) == 2
    assert isinstance(cp.cuda.is_available(), bool)
    assert cp.get_default_pinned_memory_pool() is not None
    assert issubclass(cp.cuda.compiler.CompileException, RuntimeError)
    assert issubclass(cp.MissingLibraryError, ImportError)
