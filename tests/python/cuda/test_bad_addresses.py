"""Addresses and descriptors without a meaning, given to `cuda.runtime`: an error each, in a process that goes on."""

import ctypes

import cuproxide as cp
import pytest
from cuproxide.cuda import runtime
from cuproxide.cuda.runtime._arrays import ChannelFormat, Memcpy3DParms

ON_HOST = cp.Device().backend == "cpu"
NOWHERE = [0, 16, 2**47 + 8, 2**63, 2**64 - 8, -8]


@pytest.fixture(scope="module")
def block():
    ptr = runtime.malloc(64)
    yield ptr
    runtime.free(ptr)


@pytest.mark.parametrize("address", [*NOWHERE, 2**64, 4097])
def test_descriptors_that_are_not_there(address):
    with pytest.raises(runtime.CUDARuntimeError, match="descPtr"):
        runtime.mallocArray(address, 4, 4)
    with pytest.raises(runtime.CUDARuntimeError, match="copyParamsPtr"):
        runtime.memcpy3D(address)


@pytest.mark.parametrize(
    "bits, kind",
    [
        ((0, 0, 0, 0), 0),
        ((-8, 0, 0, 0), 0),
        ((8, 16, 0, 0), 0),
        ((0, 8, 0, 0), 0),
        ((8, 0, 8, 0), 0),
        ((7, 0, 0, 0), 0),
        ((64, 0, 0, 0), 1),
        ((8, 0, 0, 0), 2),
        ((2**31 - 1,) * 4, 0),
        ((8, 0, 0, 0), 3),
        ((8, 0, 0, 0), -1),
    ],
)
def test_channels_that_no_image_has(bits, kind):
    descriptor = ChannelFormat(*bits, kind)
    with pytest.raises(runtime.CUDARuntimeError, match="channels"):
        runtime.mallocArray(ctypes.addressof(descriptor), 4, 4)


def test_boxes_that_overlap_themselves(block):
    memory = (ctypes.c_byte * 64)()
    here = ctypes.addressof(memory)
    for pitch, ysize in ((4, 2), (0, 2)):
        params = Memcpy3DParms(kind=4)
        for end in (params.srcPtr, params.dstPtr):
            end.ptr, end.pitch, end.ysize = here, pitch, ysize
        params.extent.x, params.extent.y, params.extent.z = 8, 2, 1
        with pytest.raises(runtime.CUDARuntimeError, match=f"pitch={pitch}"):
            runtime.memcpy3D(ctypes.addressof(params))


@pytest.mark.skipif(not ON_HOST, reason="drivers check addresses by themselves, and some are lost by them")
@pytest.mark.parametrize("address", NOWHERE[:-1])
def test_memory_that_is_not_there(block, address):
    for call in (
        lambda: runtime.memcpy(address, block, 8, 4),
        lambda: runtime.memcpy(block, address, 8, 4),
        lambda: runtime.memcpyPeer(address, 0, block, 0, 8),
        lambda: runtime.memcpyPeer(block, 0, address, 0, 8),
        lambda: runtime.memset(address, 1, 8),
        lambda: runtime.memcpy2D(address, 8, block, 8, 8, 2, 4),
        lambda: runtime.memcpy2D(block, 8, address, 8, 8, 2, 4),
    ):
        with pytest.raises((runtime.CUDARuntimeError, ValueError)):
            call()
    # Nothing is copied, so nothing has to be there.
    runtime.memcpy(address, block, 0, 4)
    runtime.memset(address, 1, 0)


def test_lengths_that_leave_memory(block):
    for size in (-8, 2**64):
        with pytest.raises((OverflowError, ValueError)):
            runtime.memcpy(block, block, size, 4)
        with pytest.raises((OverflowError, ValueError)):
            runtime.memset(block, 1, size)
    with pytest.raises(ValueError, match="memory"):
        runtime.memset(block, 1, 2**64 - 1)
    with pytest.raises(ValueError, match="memory"):
        runtime.memcpy2D(block, 2**63, block, 2**63, 8, 5, 4)


def test_memory_without_an_address():
    with pytest.raises(ValueError, match="ptr=0"):
        cp.cuda.UnownedMemory(0, 64, None)
    assert cp.cuda.UnownedMemory(0, 0, None).size == 0
