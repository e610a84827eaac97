"""Textures and surfaces: how kernels sample, read and write images.

On the CPU the kernels' engine samples as the documentation of CUDA describes it: with all address, filter and read
modes, normalised coordinates, and interpolation by eight bits of fraction.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from .._cuproxide import Images, Stream, get_current_stream, ndarray
from .._kernels._parameters import Handle
from . import runtime
from .runtime import _arrays
from .runtime._arrays import ChannelFormat

__all__ = [
    "CUDAarray",
    "ChannelFormatDescriptor",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureDescriptor",
    "TextureObject",
]


class _Handle:
    """An object of the process, which means nothing elsewhere."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{type(self).__name__} objects belong to the process that made them")


class ChannelFormatDescriptor(_Handle):
    """The elements of an image.

    Parameters
    ----------
    x, y, z, w : int
        Bits of the channels; 0 for missing ones. There are one, two or four, of the same 8, 16 or 32 bits.
    f : int
        The kind of numbers: `runtime.cudaChannelFormatKindSigned`, `...Unsigned` or `...Float`.
    """

    def __init__(self, x: int, y: int, z: int, w: int, f: int) -> None:
        """Channels of the given bits and kind."""
        self._below = ChannelFormat(x, y, z, w, f)

    @property
    def ptr(self) -> int:
        """Address of the `cudaChannelFormatDesc`."""
        return ctypes.addressof(self._below)

    def get_channel_format(self) -> dict[str, int]:
        """The arguments by their names."""
        return {name: getattr(self._below, name) for name in "xyzwf"}


def _dtype(descriptor: ChannelFormatDescriptor) -> np.dtype[Any]:
    """The type of a channel."""
    kind, (bits, *_) = descriptor._below.format()
    return np.dtype(f"{'iuf'[kind]}{bits // 8}")


class CUDAarray(_Handle):
    """An image of one, two or three dimensions.

    Parameters
    ----------
    desc : ChannelFormatDescriptor
        What its elements are.
    width, height, depth : int
        Its lengths; 0 for a dimension that it does not have.
    flags : int
        `runtime.cudaArraySurfaceLoadStore` if surfaces shall be made over it.
    """

    __slots__ = {
        "ptr": "The handle.",
        "desc": "What the elements are.",
        "width": "Elements of a row.",
        "height": "Rows; 0 if there is one direction only.",
        "depth": "Planes; 0 if there are fewer directions.",
        "flags": "How it was made.",
        "ndim": "Number of directions.",
    }

    def __init__(self, desc: ChannelFormatDescriptor, width: int, height: int = 0, depth: int = 0, flags: int = 0):
        """An image of undefined content."""
        self.ptr = 0
        if not isinstance(desc, ChannelFormatDescriptor):
            raise TypeError(f"desc must be a ChannelFormatDescriptor, not {type(desc).__name__}")
        if width < 1:
            raise ValueError(f"width={width} is less than 1")
        if min(height, depth) < 0 or (depth > 0 and height == 0):
            raise ValueError(f"height={height} and depth={depth} are not lengths of an image")
        self.desc, self.width, self.height, self.depth, self.flags = desc, width, height, depth, flags
        self.ndim = 3 if depth else 2 if height else 1
        self.ptr = runtime.malloc3DArray(desc.ptr, width, height, depth, flags)

    def __del__(self) -> None:
        ptr, self.ptr = getattr(self, "ptr", 0), 0
        if ptr:
            runtime.freeArray(ptr)

    def _check(self, array: Any, name: str) -> None:
        """Raises where the image's content does not fit an array."""
        if not isinstance(array, (ndarray, np.ndarray)):
            raise TypeError(f"{name} must be an array of this library or of NumPy, not {type(array).__name__}")
        channels = sum(bits > 0 for bits in self.desc._below.format()[1])
        shape = tuple(length for length in (self.depth, self.height) if length) + (self.width * channels,)
        if array.shape != shape:
            raise ValueError(f"{name} has the shape {array.shape}; the image takes {shape}")
        if array.dtype != _dtype(self.desc):
            raise ValueError(f"{name} has the dtype {array.dtype}; the image holds {_dtype(self.desc)}")
        if isinstance(array, ndarray) and str(array.device) != _arrays.image(self.ptr).device:
            raise ValueError(f"{name} is on {array.device}, the image on {_arrays.image(self.ptr).device}")

    def _copy(self, array: Any, name: str, stream: Stream | None, to_image: bool) -> None:
        self._check(array, name)
        stream = get_current_stream() if stream is None else stream
        if not array.flags.c_contiguous:
            if not to_image:
                raise ValueError(f"{name} must be C-contiguous")
            with stream:
                array = array.copy("C")
        address = array.data.ptr if isinstance(array, ndarray) else array.ctypes.data
        found = _arrays.image(self.ptr)
        row = found.width * found.itemsize
        box = (row, max(self.height, 1), max(self.depth, 1))
        image, memory = ("image", self.ptr, 0, 0, 0), ("memory", address, row, box[1], 0)
        found.images.copy(stream, *((memory, image) if to_image else (image, memory)), *box, (self, array))
        if isinstance(array, np.ndarray):
            # Nothing else keeps memory of the host until the copy is done.
            stream.synchronize()

    def copy_from(self, in_arr: Any, stream: Stream | None = None) -> None:
        """Fills the image from an array of this library or of NumPy.

        Parameters
        ----------
        in_arr : array
            Of the type of a channel and of shape `(width * channels,)`, `(height, width * channels)` or
            `(depth, height, width * channels)`. An array that is not C-contiguous is copied first.
        stream : Stream, optional
            The current one by default.
        """
        self._copy(in_arr, "in_arr", stream, True)

    def copy_to(self, out_arr: Any, stream: Stream | None = None) -> None:
        """Copies the image to a C-contiguous array, of which otherwise the same holds as for `copy_from`.

        Parameters
        ----------
        out_arr : array
            What is written.
        stream : Stream, optional
            The stream to work on; by default the current one.
        """
        self._copy(out_arr, "out_arr", stream, False)


class ResourceDescriptor(_Handle):
    """The memory of a texture or surface.

    Parameters
    ----------
    restype : int
        `runtime.cudaResourceTypeArray`, `...Linear` or `...Pitch2D`.
    cuArr : CUDAarray, optional
        The image, for the first.
    arr : array, optional
        The memory, for the others.
    chDesc : ChannelFormatDescriptor, optional
        What its elements are.
    sizeInBytes : int
        The size of linear memory.
    width, height : int
        Elements of a row, and rows, of pitched memory.
    pitchInBytes : int
        Bytes from row to row.
    """

    __slots__ = {
        "cuArr": "The image, or None.",
        "arr": "The memory, or None.",
        "chDesc": "What the elements of the memory are, or None.",
    }

    def __init__(
        self,
        restype: int,
        cuArr: CUDAarray | None = None,
        arr: ndarray | None = None,
        chDesc: ChannelFormatDescriptor | None = None,
        sizeInBytes: int = 0,
        width: int = 0,
        height: int = 0,
        pitchInBytes: int = 0,
    ) -> None:
        """A description; see the class."""
        over_image = restype == runtime.cudaResourceTypeArray
        if restype not in (
            runtime.cudaResourceTypeArray,
            runtime.cudaResourceTypeLinear,
            runtime.cudaResourceTypePitch2D,
        ):
            raise ValueError(f"restype={restype} is none of cudaResourceTypeArray, ...Linear, ...Pitch2D")
        if over_image and (not isinstance(cuArr, CUDAarray) or arr is not None):
            raise ValueError("cudaResourceTypeArray takes cuArr, a CUDAarray, and no arr")
        if not over_image:
            if cuArr is not None or not isinstance(arr, ndarray) or not isinstance(chDesc, ChannelFormatDescriptor):
                raise ValueError("linear and pitched memory take arr and chDesc, and no cuArr")
            used = sizeInBytes
            if restype == runtime.cudaResourceTypePitch2D:
                row = width * chDesc._below.itemsize
                if min(width, height) < 1 or pitchInBytes < row:
                    raise ValueError(f"{width=}, {height=}, {pitchInBytes=} do not describe rows of elements")
                used = pitchInBytes * (height - 1) + row
            if not 0 < used <= arr.nbytes:
                raise ValueError(f"{used} bytes are described, arr has {arr.nbytes}")
            if not arr.flags.c_contiguous:
                raise ValueError("arr must be C-contiguous")
        self.cuArr, self._kind = cuArr, restype
        # Both are there unless `cuArr` is.
        self.arr: Any = arr
        self.chDesc: Any = chDesc
        self._size, self._width, self._height, self._pitch = sizeInBytes, width, height, pitchInBytes

    @property
    def ptr(self) -> int:
        """Address of what is described: the image, or the first byte of the memory."""
        return self.cuArr.ptr if self.cuArr is not None else self.arr.data.ptr

    def get_resource_desc(self) -> dict[str, Any]:
        """The fields of `cudaResourceDesc` that are used, by their names."""
        found: dict[str, Any] = {"resType": self._kind}
        if self.cuArr is not None:
            return found | {"array": self.cuArr.ptr}
        found |= {"devPtr": self.ptr, "desc": self.chDesc.get_channel_format()}
        if self._kind == runtime.cudaResourceTypeLinear:
            return found | {"sizeInBytes": self._size}
        return found | {"width": self._width, "height": self._height, "pitchInBytes": self._pitch}


class TextureDescriptor(_Handle):
    """How a texture samples.

    Parameters
    ----------
    addressModes : sequence of int, optional
        What lies outside, for each dimension: `runtime.cudaAddressModeWrap`, `...Clamp`, `...Mirror` or `...Border`.
        Wrapping and mirroring need normalised coordinates. By default 0 each.
    filterMode : int
        `runtime.cudaFilterModePoint` or `...Linear`.
    readMode : int
        `runtime.cudaReadModeElementType`, or `...NormalizedFloat` for integers as fractions of their range.
    sRGB : int, optional
        Whether colors are decoded from sRGB.
    borderColors : sequence of float, optional
        The color outside.
    normalizedCoords : int, optional
        Whether coordinates go from 0 to 1.
    maxAnisotropy : int, optional
        Most samples of an anisotropic filter.
    """

    def __init__(
        self,
        addressModes: Sequence[int] | None = None,
        filterMode: int = 0,
        readMode: int = 0,
        sRGB: int | None = None,
        borderColors: Sequence[float] | None = None,
        normalizedCoords: int | None = None,
        maxAnisotropy: int | None = None,
    ) -> None:
        """A description; see the class."""
        modes = tuple(addressModes or ())
        if len(modes) > 3 or any(mode not in range(4) for mode in modes):
            raise ValueError(f"addressModes={addressModes!r} are not up to three of cudaAddressMode...")
        if filterMode not in (0, 1):
            raise ValueError(f"filterMode={filterMode!r} is neither cudaFilterModePoint nor cudaFilterModeLinear")
        if readMode not in (0, 1):
            raise ValueError(
                f"readMode={readMode!r} is neither cudaReadModeElementType nor cudaReadModeNormalizedFloat"
            )
        colors = tuple(map(float, borderColors or ()))
        if len(colors) > 4:
            raise ValueError(f"borderColors={borderColors!r} has more than four channels")
        self._modes = modes + (0,) * (3 - len(modes))
        self._colors = colors + (0.0,) * (4 - len(colors))
        self._filter, self._read = filterMode, readMode
        self._srgb, self._normalized = bool(sRGB), bool(normalizedCoords)
        self._anisotropy = int(maxAnisotropy or 0)

    @property
    def ptr(self) -> int:
        """A number that names the description in this process."""
        return id(self)

    def get_texture_desc(self) -> dict[str, Any]:
        """The arguments by the names of `cudaTextureDesc`."""
        return {
            "addressMode": self._modes,
            "filterMode": self._filter,
            "readMode": self._read,
            "sRGB": int(self._srgb),
            "borderColor": self._colors,
            "normalizedCoords": int(self._normalized),
            "maxAnisotropy": self._anisotropy,
        }

    def _sampling(self) -> tuple[Any, ...]:
        return (
            self._modes,
            self._filter,
            self._read,
            self._normalized,
            self._srgb,
            self._colors,
            self._anisotropy,
        )


class TextureObject(_Handle, Handle):
    """A texture: what kernels take as `cudaTextureObject_t` and sample with `tex1D`, `tex2D`, `tex3D`, `tex1Dfetch`.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        What is sampled; kept as long as the texture.
    TexDesc : TextureDescriptor
        How it is sampled.

    Examples
    --------
    >>> import cuproxide as cp
    >>> from cuproxide.cuda import runtime, texture
    >>> format = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> image = texture.CUDAarray(format, 4)
    >>> image.copy_from(cp.asarray([0, 10, 20, 30], dtype="float32"))
    >>> line = texture.TextureObject(
    ...     texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=image),
    ...     texture.TextureDescriptor((runtime.cudaAddressModeClamp,), runtime.cudaFilterModeLinear),
    ... )
    >>> between = cp.RawKernel(r'''
    ... extern "C" __global__ void between(cudaTextureObject_t line, float* out) {
    ...     out[threadIdx.x] = tex1D<float>(line, threadIdx.x + 1.0f);
    ... }''', "between")
    >>> out = cp.empty(4, dtype="float32")
    >>> between((1,), (4,), (line, out))
    >>> out
    array([ 5., 15., 25., 30.], dtype=float32)
    """

    __slots__ = {
        "ptr": "The handle, which kernels take.",
        "ResDesc": "What is sampled.",
        "TexDesc": "How it is sampled.",
    }

    def __init__(self, ResDesc: ResourceDescriptor, TexDesc: TextureDescriptor) -> None:
        """A texture of the current device."""
        self.ptr = 0
        if not isinstance(ResDesc, ResourceDescriptor):
            raise TypeError(f"ResDesc must be a ResourceDescriptor, not {type(ResDesc).__name__}")
        if not isinstance(TexDesc, TextureDescriptor):
            raise TypeError(f"TexDesc must be a TextureDescriptor, not {type(TexDesc).__name__}")
        self.ResDesc, self.TexDesc = ResDesc, TexDesc
        sampling = TexDesc._sampling()
        self._images = Images()
        if ResDesc.cuArr is not None:
            self._images = _arrays.image(ResDesc.cuArr.ptr).images
            self.ptr = self._images.texture_of_image(ResDesc.cuArr.ptr, sampling)
        else:
            format = ResDesc.chDesc._below.format()
            if ResDesc._kind == runtime.cudaResourceTypeLinear:
                self.ptr = self._images.texture_of_line(ResDesc.ptr, ResDesc._size, format, sampling)
            else:
                size = (ResDesc._width, ResDesc._height, ResDesc._pitch)
                self.ptr = self._images.texture_of_rows(ResDesc.ptr, format, *size, sampling)

    def __del__(self) -> None:
        ptr, self.ptr = getattr(self, "ptr", 0), 0
        if ptr:
            self._images.destroy_texture(ptr)


class SurfaceObject(_Handle):
    """A surface: what kernels take as `cudaSurfaceObject_t`, to read and write with `surf2Dread`, `surf2Dwrite`, ...

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        Describes an image that was made with `runtime.cudaArraySurfaceLoadStore`; kept as long as the surface.
    """

    __slots__ = {"ptr": "The handle, which kernels take.", "ResDesc": "What is read and written."}

    def __init__(self, ResDesc: ResourceDescriptor) -> None:
        """A surface over an image."""
        self.ptr = 0
        if not isinstance(ResDesc, ResourceDescriptor) or ResDesc.cuArr is None:
            raise TypeError("ResDesc must be a ResourceDescriptor of an image")
        if ResDesc.cuArr.flags != runtime.cudaArraySurfaceLoadStore:
            raise ValueError("the image of a surface must be made with flags=runtime.cudaArraySurfaceLoadStore")
        self.ResDesc = ResDesc
        self._images = _arrays.image(ResDesc.cuArr.ptr).images
        self.ptr = self._images.surface(ResDesc.cuArr.ptr)

    def __del__(self) -> None:
        ptr, self.ptr = getattr(self, "ptr", 0), 0
        if ptr:
            self._images.destroy_surface(ptr)
