"""Memory and events of one process in another."""

import cuproxide as cp
import numpy as np
import pytest

ON_GPU = cp.Device().backend in ("cuda", "hip")
runtime = cp.cuda.runtime

CHILD = """
import sys
import cuproxide as cp
runtime = cp.cuda.runtime
memory, event = bytes.fromhex(sys.argv[1]), bytes.fromhex(sys.argv[2])
pointer = runtime.ipcOpenMemHandle(memory)
done = runtime.ipcOpenEventHandle(event)
runtime.streamWaitEvent(0, done)
whole = cp.cuda.UnownedMemory(pointer, 8000, None)
array = cp.ndarray((1000,), cp.float64, cp.cuda.MemoryPointer(whole, 0))
print(int(array.sum()))
array *= 2
cp.cuda.Device().synchronize()
runtime.eventDestroy(done)
runtime.ipcCloseMemHandle(pointer)
"""


@pytest.mark.skipif(not ON_GPU, reason="memory of this device is not shared between processes")
def test_memory_and_events_of_another_process(run_python):
    memory = cp.cuda.Memory(8000)
    array = cp.ndarray((1000,), cp.float64, cp.cuda.MemoryPointer(memory, 0))
    array[...] = cp.arange(1000.0)
    event = cp.cuda.Event(disable_timing=True, interprocess=True)
    event.record()
    handles = runtime.ipcGetMemHandle(memory.ptr), runtime.ipcGetEventHandle(event.ptr)
    assert [len(handle) for handle in handles] == [64, 64]
    child = run_python(f"import sys; sys.argv[1:] = {[handle.hex() for handle in handles]!r}\n{CHILD}")
    assert child.returncode == 0, child.stderr
    assert child.stdout.split() == ["499500"]
    np.testing.assert_array_equal(cp.asnumpy(array), 2 * np.arange(1000.0))


@pytest.mark.skipif(not ON_GPU, reason="memory of this device is not shared between processes")
def test_handles_of_nothing():
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.ipcOpenMemHandle(bytes(64))
    with pytest.raises(ValueError, match="64"):
        runtime.ipcOpenMemHandle(b"short")


@pytest.mark.skipif(ON_GPU, reason="the device shares memory")
def test_devices_without_handles_say_so():
    with pytest.raises(cp.UnsupportedError):
        runtime.ipcGetMemHandle(cp.ones(3).data.ptr)
