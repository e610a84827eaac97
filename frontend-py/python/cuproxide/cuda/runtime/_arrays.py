"""The run-time interface's calls about images, which it calls arrays."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from ..._cuproxide import Device, Images
from ._descriptors import structure_at
from ._errors import invalid
from ._memory import check_copy
from ._streams import stream_of, streamSynchronize

__all__ = [
    "freeArray",
    "malloc3DArray",
    "mallocArray",
    "memcpy2DFromArray",
    "memcpy2DFromArrayAsync",
    "memcpy2DToArray",
    "memcpy2DToArrayAsync",
    "memcpy3D",
    "memcpy3DAsync",
]

Format = tuple[int, tuple[int, int, int, int]]

SIGNED, UNSIGNED, FLOAT = range(3)
SURFACE_LOAD_STORE = 2
_KNOWN_FLAGS = {0, SURFACE_LOAD_STORE}


class ChannelFormat(ctypes.Structure):
    """`cudaChannelFormatDesc`: bits of up to four channels, and the kind of numbers that they hold."""

    _fields_ = [(name, ctypes.c_int) for name in "xyzwf"]

    def format(self) -> Format:
        """Kind and bits, as the compiled half takes them."""
        bits = (self.x, self.y, self.z, self.w)
        used = [width for width in bits if width]
        # The channels that there are come first, and all have one width.
        if self.f not in (SIGNED, UNSIGNED, FLOAT) or len({*used}) != 1 or bits[: len(used)] != (*used,):
            raise invalid(f"no image has channels of {bits} bits of kind f={self.f}")
        if used[0] not in ((16, 32) if self.f == FLOAT else (8, 16, 32)):
            raise invalid(f"no image has channels of {bits} bits of kind f={self.f}")
        return self.f, bits

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return (self.x + self.y + self.z + self.w) // 8


@dataclass(frozen=True)
class Image:
    """An image that was made here. A direction that it does not have is 0 long."""

    images: Images
    device: str
    format: Format
    itemsize: int
    width: int
    height: int
    depth: int


_made: dict[int, Image] = {}


def image(handle: int) -> Image:
    """The properties of an image."""
    found = _made.get(handle)
    if found is None:
        raise invalid(f"{handle:#x} is not an array that this process made")
    return found


def _create(descriptor: ChannelFormat, width: int, height: int, depth: int, flags: int) -> int:
    if flags not in _KNOWN_FLAGS:
        raise invalid(f"flags={flags} is neither cudaArrayDefault nor cudaArraySurfaceLoadStore")
    if width < 1 or min(height, depth) < 0 or (depth and not height):
        raise invalid(f"no array has {width} x {height} x {depth} elements")
    images = Images()
    handle = images.create(descriptor.format(), width, height, depth, flags)
    _made[handle] = Image(images, str(Device()), descriptor.format(), descriptor.itemsize, width, height, depth)
    return handle


def mallocArray(descPtr: int, width: int, height: int, flags: int = 0) -> int:
    """An array of one (`height=0`) or two dimensions, whose elements a `cudaChannelFormatDesc` at an address tells.

    >>> from cuproxide.cuda import runtime, texture
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> image = runtime.mallocArray(floats.ptr, 640, 480)
    >>> runtime.freeArray(image)
    """
    return malloc3DArray(descPtr, width, height, 0, flags)


def malloc3DArray(descPtr: int, width: int, height: int, depth: int, flags: int = 0) -> int:
    """An array of up to three dimensions; a length of 0 is a dimension that it does not have.

    Parameters
    ----------
    depth : int
        The depth.

    >>> from cuproxide.cuda import runtime, texture
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> volume = runtime.malloc3DArray(floats.ptr, 64, 64, 32)
    >>> runtime.freeArray(volume)
    """
    return _create(structure_at(ChannelFormat, descPtr, "descPtr"), width, height, depth, flags)


def freeArray(ptr: int) -> None:
    """Frees an array once no work uses it; 0 is nothing."""
    if ptr == 0:
        return
    found = _made.pop(ptr, None) or image(ptr)
    found.images.destroy(ptr)


def copy_box(
    stream: int,
    array: int,
    at: tuple[int, int, int],
    memory: tuple[int, int, int],
    box: tuple[int, int, int],
    to_array: bool,
) -> None:
    """Queues a copy of a box between an array (from a position in bytes, rows, planes on) and memory.

    Memory is an address, the bytes from row to row, and the rows from plane to plane; a box has bytes, rows, planes.
    """
    found = image(array)
    limits = (found.width * found.itemsize, max(found.height, 1), max(found.depth, 1))
    for begin, length, limit in zip(at, box, limits, strict=True):
        if begin < 0 or length < 0 or begin + length > limit:
            raise invalid(f"a box of {box} at {at} does not fit an array of {limits}")
    ptr, pitch, rows = memory
    if box[0] > pitch and (box[1] > 1 or box[2] > 1):
        raise invalid(f"rows of {box[0]} bytes overlap at a pitch of {pitch}")
    if 0 in box:
        return
    ends = ("image", array, *at), ("memory", ptr, pitch, rows, 0)
    source, target = ends[::-1] if to_array else ends
    found.images.copy(stream_of(stream), source, target, *box)


def memcpy2DFromArray(
    dst: int, dpitch: int, src: int, wOffset: int, hOffset: int, width: int, height: int, kind: int
) -> None:
    """Copies rows of an array to memory and waits for the copy; `wOffset` and `width` count bytes.

    >>> from cuproxide.cuda import runtime, texture
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> image = runtime.mallocArray(floats.ptr, 4, 2)
    >>> rows = np.arange(8, dtype=np.float32).reshape(2, 4)
    >>> runtime.memcpy2DToArray(image, 0, 0, rows.ctypes.data, 16, 16, 2, runtime.memcpyHostToDevice)
    >>> column = np.empty((2, 1), np.float32)  # the second one, which begins at byte 4
    >>> runtime.memcpy2DFromArray(column.ctypes.data, 4, image, 4, 0, 4, 2, runtime.memcpyDeviceToHost)
    >>> column.ravel()
    array([1., 5.], dtype=float32)
    """
    memcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, 0)
    streamSynchronize(0)


def memcpy2DFromArrayAsync(
    dst: int, dpitch: int, src: int, wOffset: int, hOffset: int, width: int, height: int, kind: int, stream: int
) -> None:
    """Queues a copy of rows of an array to memory.

    >>> from cuproxide.cuda import runtime, texture
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> image = runtime.mallocArray(floats.ptr, 4, 2)
    >>> rows = np.arange(8, dtype=np.float32).reshape(2, 4)
    >>> runtime.memcpy2DToArray(image, 0, 0, rows.ctypes.data, 16, 16, 2, runtime.memcpyHostToDevice)
    >>> row = np.empty(4, np.float32)  # the second one
    >>> runtime.memcpy2DFromArrayAsync(row.ctypes.data, 16, image, 0, 1, 16, 1, runtime.memcpyDeviceToHost, 0)
    >>> runtime.streamSynchronize(0)
    >>> row
    array([4., 5., 6., 7.], dtype=float32)
    """
    check_copy(kind)
    copy_box(stream, src, (wOffset, hOffset, 0), (dst, dpitch, height), (width, height, 1), False)


def memcpy2DToArray(
    dst: int, wOffset: int, hOffset: int, src: int, spitch: int, width: int, height: int, kind: int
) -> None:
    """Copies memory to rows of an array and waits for the copy; `wOffset` and `width` count bytes.

    >>> from cuproxide.cuda import runtime, texture
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> image = runtime.mallocArray(floats.ptr, 4, 2)
    >>> rows = np.arange(8, dtype=np.float32).reshape(2, 4)
    >>> runtime.memcpy2DToArray(image, 0, 0, rows.ctypes.data, 16, 16, 2, runtime.memcpyHostToDevice)
    >>> runtime.freeArray(image)
    """
    memcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, 0)
    streamSynchronize(0)


def memcpy2DToArrayAsync(
    dst: int, wOffset: int, hOffset: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """Queues a copy of memory to rows of an array.

    >>> from cuproxide.cuda import runtime, texture
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> image = runtime.mallocArray(floats.ptr, 4, 2)
    >>> rows = np.arange(8, dtype=np.float32).reshape(2, 4)
    >>> runtime.memcpy2DToArrayAsync(image, 0, 0, rows.ctypes.data, 16, 16, 2, runtime.memcpyHostToDevice, 0)
    >>> runtime.streamSynchronize(0)
    >>> runtime.freeArray(image)
    """
    check_copy(kind)
    copy_box(stream, dst, (wOffset, hOffset, 0), (src, spitch, height), (width, height, 1), True)


class _Triple(ctypes.Structure):
    """`cudaPos` and `cudaExtent`."""

    _fields_ = [(name, ctypes.c_size_t) for name in "xyz"]


class _Pitched(ctypes.Structure):
    """`cudaPitchedPtr`."""

    _fields_ = [
        ("ptr", ctypes.c_void_p),
        ("pitch", ctypes.c_size_t),
        ("xsize", ctypes.c_size_t),
        ("ysize", ctypes.c_size_t),
    ]


class Memcpy3DParms(ctypes.Structure):
    """`cudaMemcpy3DParms`."""

    _fields_ = [
        ("srcArray", ctypes.c_void_p),
        ("srcPos", _Triple),
        ("srcPtr", _Pitched),
        ("dstArray", ctypes.c_void_p),
        ("dstPos", _Triple),
        ("dstPtr", _Pitched),
        ("extent", _Triple),
        ("kind", ctypes.c_int),
    ]


def _end(array: int | None, position: _Triple, pitched: _Pitched) -> tuple[int | None, _Triple, _Pitched]:
    if (array is None) == (pitched.ptr is None):
        raise invalid("each end of a copy is either an array or memory")
    return array, position, pitched


def memcpy3D(copyParamsPtr: int) -> None:
    """Copies what a `cudaMemcpy3DParms` at an address describes and waits for the copy."""
    memcpy3DAsync(copyParamsPtr, 0)
    streamSynchronize(0)


def memcpy3DAsync(copyParamsPtr: int, stream: int) -> None:
    """Queues the copy that a `cudaMemcpy3DParms` at an address describes, between an array and memory or arrays.

    Positions and the extent count elements where an array takes part, else bytes.

    Parameters
    ----------
    copyParamsPtr : int
        The address of the parameters.

    >>> import ctypes
    >>> from cuproxide.cuda import runtime, texture
    >>> from cuproxide.cuda.runtime._arrays import Memcpy3DParms
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> volume = runtime.malloc3DArray(floats.ptr, 4, 3, 2)
    >>> values = cp.arange(24, dtype=np.float32).reshape(2, 3, 4)
    >>> asked = Memcpy3DParms(dstArray=volume, kind=runtime.memcpyDeviceToDevice)
    >>> asked.srcPtr.ptr, asked.srcPtr.pitch, asked.srcPtr.ysize = values.data.ptr, 16, 3
    >>> asked.extent.x, asked.extent.y, asked.extent.z = 4, 3, 2
    >>> stream = cp.cuda.Stream.null
    >>> runtime.memcpy3DAsync(ctypes.addressof(asked), stream.ptr)
    >>> stream.synchronize()
    >>> runtime.freeArray(volume)
    """
    asked = structure_at(Memcpy3DParms, copyParamsPtr, "copyParamsPtr")
    check_copy(asked.kind)
    source = _end(asked.srcArray, asked.srcPos, asked.srcPtr)
    target = _end(asked.dstArray, asked.dstPos, asked.dstPtr)
    arrays = [array for array, _, _ in (source, target) if array is not None]
    item = image(arrays[0]).itemsize if arrays else 1
    box = (asked.extent.x * item, asked.extent.y, asked.extent.z)
    ends = []
    for array, position, pitched in (source, target):
        x = position.x * item
        if array is not None:
            found = image(array)
            limits = (found.width * found.itemsize, max(found.height, 1), max(found.depth, 1))
            places = (x, position.y, position.z)
            if any(begin + length > limit for begin, length, limit in zip(places, box, limits, strict=True)):
                raise invalid(f"a box of {box} at {places} does not fit an array of {limits}")
            ends.append(("image", array, x, position.y, position.z))
        else:
            rows = pitched.ysize or box[1]
            if (box[0] > pitched.pitch and (box[1] > 1 or box[2] > 1)) or (rows < box[1] and box[2] > 1):
                raise invalid(f"a box of {box} overlaps itself in memory of pitch={pitched.pitch} and ysize={rows}")
            first = pitched.ptr + x + position.y * pitched.pitch + position.z * pitched.pitch * rows
            ends.append(("memory", first, pitched.pitch, rows, 0))
    if 0 not in box:
        images = image(arrays[0]).images if arrays else Images()
        images.copy(stream_of(stream), ends[0], ends[1], *box)
