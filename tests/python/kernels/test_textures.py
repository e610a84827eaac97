"""Textures, surfaces and images, against a model of how they sample."""

from __future__ import annotations

import ctypes
import gc
import itertools
import re

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.cuda import runtime, texture

WRAP, CLAMP, MIRROR, BORDER = range(4)
KINDS = {"i": 0, "u": 1, "f": 2}

SAMPLE = r"""
extern "C" __global__ void sample1(cudaTextureObject_t t, const float* x, OUT* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = tex1D<OUT>(t, x[i]);
}
extern "C" __global__ void sample2(cudaTextureObject_t t, const float* x, OUT* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = tex2D<OUT>(t, x[2 * i], x[2 * i + 1]);
}
extern "C" __global__ void sample3(cudaTextureObject_t t, const float* x, OUT* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = tex3D<OUT>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}
extern "C" __global__ void fetch(cudaTextureObject_t t, const int* x, OUT* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = tex1Dfetch<OUT>(t, x[i]);
}
"""

_modules: dict[str, cp.RawModule] = {}


def kernels(out: str) -> cp.RawModule:
    return _modules.setdefault(out, cp.RawModule(code=SAMPLE.replace("OUT", out)))


def descriptor(dtype, channels=1):
    dtype = np.dtype(dtype)
    bits = [8 * dtype.itemsize] * channels + [0] * (4 - channels)
    return texture.ChannelFormatDescriptor(*bits, KINDS[dtype.kind])


def images_are_there():
    try:
        texture.CUDAarray(descriptor(np.float32), 1)
    except cp.UnsupportedError:
        return False
    return True


HERE = images_are_there()


@pytest.fixture(autouse=True)
def images_or_none(request):
    """Devices that have nothing that samples run one test, all others the rest."""
    if HERE == (request.function is test_devices_without_images_say_so):
        pytest.skip("the device has images" if HERE else "the device has nothing that samples images")


def test_devices_without_images_say_so():
    assert cp.Device().backend == "hip" and cp.Device().architecture.startswith(("gfx94", "gfx95"))
    with pytest.raises(cp.UnsupportedError, match=f"textures.*{re.escape(cp.Device().architecture)}"):
        texture.CUDAarray(descriptor(np.float32), 4)


def image_of(values, channels=1, flags=0):
    shape = values.shape[:-1] + (values.shape[-1] // channels,)
    made = texture.CUDAarray(descriptor(values.dtype, channels), *shape[::-1], flags=flags)
    made.copy_from(cp.asarray(values))
    return made


def texture_of(image, *args, **kwargs):
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=image)
    return texture.TextureObject(resource, texture.TextureDescriptor(*args, **kwargs))


def place(index, length, mode):
    if 0 <= index < length:
        return index
    if mode == BORDER:
        return None
    if mode == WRAP:
        return index % length
    if mode == MIRROR:
        index %= 2 * length
        return index if index < length else 2 * length - 1 - index
    return min(max(index, 0), length - 1)


def model(values, point, modes, linear, normalized, border):
    """The documented sampling of an image with one channel; `point` begins with x."""
    lengths = values.shape[::-1]
    modes = [mode if normalized or mode in (CLAMP, BORDER) else CLAMP for mode in modes]
    x = [np.float32(c) * np.float32(n) if normalized else np.float32(c) for c, n in zip(point, lengths, strict=True)]

    def element(at):
        places = [place(i, n, mode) for i, n, mode in zip(at, lengths, modes, strict=False)]
        return border if None in places else float(values[tuple(places[::-1])])

    if not linear:
        return element([int(np.floor(c)) for c in x])
    x = [c - np.float32(0.5) for c in x]
    first = [int(np.floor(c)) for c in x]
    fraction = [round(float(c - np.floor(c)) * 256) / 256 for c in x]
    total = 0.0
    for corner in itertools.product((0, 1), repeat=len(x)):
        weight = np.prod([f if upper else 1 - f for f, upper in zip(fraction, corner, strict=True)])
        if weight:
            total += weight * element([i + upper for i, upper in zip(first, corner, strict=True)])
    return total


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("mode", [WRAP, CLAMP, MIRROR, BORDER])
def test_sampling_follows_the_documentation(ndim, linear, normalized, mode):
    rng = np.random.default_rng(ndim)
    values = rng.standard_normal((3, 4, 5)[3 - ndim :]).astype(np.float32)
    lengths = np.array(values.shape[::-1])
    # Far from the borders between elements, where hardware may round to either.
    points = rng.integers(-2 * lengths * 8, 3 * lengths * 8, (300, ndim)) / 8 + 1 / 16
    if normalized:
        points = points / lengths
    points = points.astype(np.float32)
    sampler = texture_of(image_of(values), (mode,) * ndim, int(linear), 0, None, (2.5, 0, 0, 0), int(normalized))
    out = cp.empty(300, np.float32)
    kernels("float").get_function(f"sample{ndim}")((2,), (64,), (sampler, cp.asarray(points), out, 300))
    want = [model(values, point, (mode,) * ndim, linear, normalized, 2.5) for point in points]
    np.testing.assert_allclose(out.get(), want, atol=0.05 if linear else 0, rtol=0)


VECTORS = {"int8": "char", "uint8": "uchar", "int16": "short", "uint16": "ushort", "int32": "int", "uint32": "uint"}
VECTORS["float32"] = "float"


@pytest.mark.parametrize("dtype", VECTORS)
@pytest.mark.parametrize("channels", [1, 2, 4])
def test_elements_come_as_they_are(dtype, channels):
    rng = np.random.default_rng(1)
    if dtype == "float32":
        values = np.array([[np.nan, np.inf, -np.inf, -0.0, 1e-40, 3e38, 1, 2]], np.float32).repeat(2, 0)
    else:
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, (2, 8), dtype=dtype, endpoint=True)
    width = 8 // channels
    image = image_of(values, channels)
    points = np.array([(x + 0.5, y + 0.5) for y in range(2) for x in range(width)], np.float32)
    count = 2 * width
    out = cp.empty(count * channels, dtype)
    kernel = kernels(f"{VECTORS[dtype]}{channels}").get_function("sample2")
    kernel((1,), (32,), (texture_of(image, (CLAMP, CLAMP)), cp.asarray(points), out, count))
    np.testing.assert_array_equal(out.get(), values.ravel())


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_integers_come_as_fractions_of_their_range(dtype):
    info = np.iinfo(dtype)
    values = np.array([info.min, info.min + 1, -1 if info.min else 1, 0, 1, info.max - 1, info.max], dtype)
    image = image_of(values)
    points = cp.arange(7, dtype="float32") + np.float32(0.5)
    out = cp.empty(7, np.float32)
    sampler = texture_of(image, (CLAMP,), 0, runtime.cudaReadModeNormalizedFloat)
    kernels("float").get_function("sample1")((1,), (7,), (sampler, points, out, 7))
    np.testing.assert_allclose(out.get(), np.maximum(values / info.max, -1), atol=1e-6)
    if dtype == "uint8":
        linear = texture_of(image, (CLAMP,), 1, runtime.cudaReadModeNormalizedFloat)
        kernels("float").get_function("sample1")((1,), (7,), (linear, points + np.float32(0.5), out, 7))
        want = np.append((values[:-1].astype(float) + values[1:]) / 2, values[-1]) / 255
        np.testing.assert_allclose(out.get(), want, atol=1e-3)


def test_half_precision_elements():
    values = np.array([0, 1.5, -2, 65504, np.inf, 6e-8, np.nan, -0.0], np.float16)
    image = image_of(values)
    out = cp.empty(8, np.float32)
    points = cp.arange(8, dtype="float32") + np.float32(0.5)
    kernels("float").get_function("sample1")((1,), (8,), (texture_of(image, (CLAMP,)), points, out, 8))
    np.testing.assert_array_equal(out.get(), values.astype(np.float32))


@pytest.mark.parametrize("dtype", ["int32", "float32", "uint8"])
def test_linear_memory_is_fetched_by_index(dtype):
    values = cp.arange(100).astype(dtype)
    resource = texture.ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=values, chDesc=descriptor(dtype), sizeInBytes=values.nbytes
    )
    sampler = texture.TextureObject(resource, texture.TextureDescriptor())
    at = np.array([0, 99, 50, 3], np.int32)
    out = cp.empty(4, dtype)
    name = {"int32": "int", "float32": "float", "uint8": "unsigned char"}[dtype]
    kernels(name).get_function("fetch")((1,), (4,), (sampler, cp.asarray(at), out, 4))
    np.testing.assert_array_equal(out.get(), at.astype(dtype))
    values += values.dtype.type(1)
    kernels(name).get_function("fetch")((1,), (4,), (sampler, cp.asarray(at), out, 4))
    np.testing.assert_array_equal(out.get(), (at + 1).astype(dtype))


def test_pitched_memory_is_sampled_in_rows():
    memory = cp.zeros((4, 128), np.float32)
    memory[:, :5] = cp.arange(20, dtype="float32").reshape(4, 5)
    resource = texture.ResourceDescriptor(
        runtime.cudaResourceTypePitch2D,
        arr=memory,
        chDesc=descriptor("float32"),
        width=5,
        height=4,
        pitchInBytes=512,
    )
    sampler = texture.TextureObject(resource, texture.TextureDescriptor((CLAMP, CLAMP)))
    points = np.array([(x + 0.5, y + 0.5) for y in range(-1, 5) for x in range(-1, 6)], np.float32)
    out = cp.empty(len(points), np.float32)
    kernels("float").get_function("sample2")((1,), (64,), (sampler, cp.asarray(points), out, len(points)))
    want = [min(max(y, 0), 3) * 5 + min(max(x, 0), 4) for y in range(-1, 5) for x in range(-1, 6)]
    np.testing.assert_array_equal(out.get(), want)


SURFACE = r"""
extern "C" __global__ void scale(cudaSurfaceObject_t s, int width, int height, float factor) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float value;
    surf2Dread(&value, s, x * 4, y);
    surf2Dwrite(value * factor, s, x * 4, y);
}
extern "C" __global__ void edges(cudaSurfaceObject_t s, float* out) {
    out[0] = surf1Dread<float>(s, -4, cudaBoundaryModeZero);
    out[1] = surf1Dread<float>(s, -4, cudaBoundaryModeClamp);
    out[2] = surf1Dread<float>(s, 400, cudaBoundaryModeClamp);
    surf1Dwrite(7.0f, s, 400, cudaBoundaryModeZero);
    surf1Dwrite(9.0f, s, 4, cudaBoundaryModeZero);
}
extern "C" __global__ void box(cudaSurfaceObject_t s) {
    int4 value = surf3Dread<int4>(s, threadIdx.x * 16, threadIdx.y, threadIdx.z);
    surf3Dwrite(make_int4(value.w, value.z, value.y, value.x), s, threadIdx.x * 16, threadIdx.y, threadIdx.z);
}
"""


def surface_of(image):
    return texture.SurfaceObject(texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=image))


def test_surfaces_read_and_write():
    # AMD's surfaces know no edges.
    text, outside = (SURFACE.replace("Clamp", "Zero"), [0, 0]) if runtime.is_hip else (SURFACE, [1, 3])
    module = cp.RawModule(code=text)
    values = np.arange(35, dtype=np.float32).reshape(5, 7)
    image = image_of(values, flags=runtime.cudaArraySurfaceLoadStore)
    module.get_function("scale")((2, 2), (4, 4), (surface_of(image), 7, 5, np.float32(3)))
    out = np.empty_like(values)
    image.copy_to(out)
    np.testing.assert_array_equal(out, values * 3)

    line = image_of(np.array([1, 2, 3], np.float32), flags=runtime.cudaArraySurfaceLoadStore)
    found = cp.empty(3, np.float32)
    module.get_function("edges")((1,), (1,), (surface_of(line), found))
    np.testing.assert_array_equal(found.get(), [0, *outside])
    after = cp.empty(3, np.float32)
    line.copy_to(after)
    np.testing.assert_array_equal(after.get(), [1, 9, 3])

    cube = np.arange(2 * 3 * 4 * 4, dtype=np.int32).reshape(2, 3, 16)
    image = image_of(cube, 4, runtime.cudaArraySurfaceLoadStore)
    module.get_function("box")((1,), (4, 3, 2), (surface_of(image),))
    out = np.empty_like(cube)
    image.copy_to(out)
    np.testing.assert_array_equal(out, cube.reshape(2, 3, 4, 4)[..., ::-1].reshape(2, 3, 16))


@pytest.mark.parametrize("shape", [(7,), (3, 8), (2, 3, 4)])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "float32", "int32"])
def test_images_are_copied_both_ways(shape, dtype):
    values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    image = texture.CUDAarray(descriptor(dtype), *shape[::-1])
    assert (image.ndim, image.width, image.flags) == (len(shape), shape[-1], 0)
    stream = cp.cuda.Stream(non_blocking=True)
    for source in (values, cp.asarray(values)):
        cp.cuda.Device().synchronize()
        image.copy_from(source, stream)
        for target in (np.zeros_like(values), cp.zeros(shape, dtype)):
            cp.cuda.Device().synchronize()
            image.copy_to(target, stream)
            stream.synchronize()
            np.testing.assert_array_equal(cp.asnumpy(target), values)


def test_descriptions_tell_their_arguments():
    made = texture.ChannelFormatDescriptor(8, 8, 0, 0, runtime.cudaChannelFormatKindUnsigned)
    assert made.get_channel_format() == {"x": 8, "y": 8, "z": 0, "w": 0, "f": 1}
    assert ctypes.c_int.from_address(made.ptr).value == 8
    image = texture.CUDAarray(made, 4, 3)
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=image)
    assert resource.get_resource_desc() == {"resType": 0, "array": image.ptr}
    assert (resource.cuArr, resource.arr, resource.chDesc) == (image, None, None)
    how = texture.TextureDescriptor((BORDER, CLAMP), 1, 1, 1, (1, 2), 1, 4)
    assert how.get_texture_desc() == {
        "addressMode": (3, 1, 0),
        "filterMode": 1,
        "readMode": 1,
        "sRGB": 1,
        "borderColor": (1.0, 2.0, 0.0, 0.0),
        "normalizedCoords": 1,
        "maxAnisotropy": 4,
    }
    sampler = texture.TextureObject(resource, how)
    assert sampler.ptr and sampler.ResDesc is resource and sampler.TexDesc is how


def test_runtime_copies_rows_and_boxes_of_arrays():
    made = descriptor("int32")
    array = runtime.mallocArray(made.ptr, 6, 4)
    values = np.arange(24, dtype=np.int32).reshape(4, 6)
    runtime.memcpy2DToArray(array, 0, 0, values.ctypes.data, 24, 24, 4, runtime.memcpyHostToDevice)
    part = np.zeros((2, 3), np.int32)
    runtime.memcpy2DFromArray(part.ctypes.data, 12, array, 8, 1, 12, 2, runtime.memcpyDeviceToHost)
    np.testing.assert_array_equal(part, values[1:3, 2:5])
    on_device = cp.zeros((4, 8), np.int32)
    stream = runtime.streamCreate()
    runtime.memcpy2DFromArrayAsync(on_device.data.ptr, 32, array, 0, 0, 24, 4, runtime.memcpyDeviceToDevice, stream)
    runtime.memcpy2DToArrayAsync(array, 4, 3, on_device.data.ptr, 32, 8, 1, runtime.memcpyDeviceToDevice, stream)
    runtime.streamSynchronize(stream)
    np.testing.assert_array_equal(on_device.get()[:, :6], values)
    runtime.memcpy2DFromArray(part.ctypes.data, 12, array, 0, 3, 12, 1, runtime.memcpyDeviceToHost)
    np.testing.assert_array_equal(part[0], [18, 0, 1])
    for at, width, height in (((0, 3), 24, 2), ((20, 0), 8, 1), ((-4, 0), 8, 1)):
        with pytest.raises(runtime.CUDARuntimeError, match="does not fit"):
            runtime.memcpy2DFromArray(part.ctypes.data, 24, array, *at, width, height, 2)
    with pytest.raises(runtime.CUDARuntimeError, match="overlap"):
        runtime.memcpy2DFromArray(part.ctypes.data, 4, array, 0, 0, 8, 2, 2)
    runtime.streamDestroy(stream)
    runtime.freeArray(array)
    runtime.freeArray(0)
    with pytest.raises(runtime.CUDARuntimeError, match="not an array"):
        runtime.freeArray(array)


def test_runtime_copies_boxes_as_a_structure_says():
    from cuproxide.cuda.runtime._arrays import Memcpy3DParms

    made = descriptor("float32")
    array = runtime.malloc3DArray(made.ptr, 4, 3, 2)
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    asked = Memcpy3DParms(dstArray=array, kind=runtime.memcpyHostToDevice)
    asked.srcPtr.ptr, asked.srcPtr.pitch, asked.srcPtr.ysize = values.ctypes.data, 16, 3
    asked.extent.x, asked.extent.y, asked.extent.z = 4, 3, 2
    runtime.memcpy3D(ctypes.addressof(asked))
    out = np.zeros((1, 2, 2), np.float32)
    back = Memcpy3DParms(srcArray=array, kind=runtime.memcpyDeviceToHost)
    back.srcPos.x, back.srcPos.y, back.srcPos.z = 1, 1, 1
    back.dstPtr.ptr, back.dstPtr.pitch, back.dstPtr.ysize = out.ctypes.data, 8, 2
    back.extent.x, back.extent.y, back.extent.z = 2, 2, 1
    runtime.memcpy3DAsync(ctypes.addressof(back), 0)
    runtime.deviceSynchronize()
    np.testing.assert_array_equal(out, values[1:, 1:3, 1:3])
    back.extent.x = 4
    with pytest.raises(runtime.CUDARuntimeError, match="does not fit"):
        runtime.memcpy3D(ctypes.addressof(back))
    with pytest.raises(runtime.CUDARuntimeError, match="copyParamsPtr"):
        runtime.memcpy3D(0)
    runtime.freeArray(array)


def test_what_makes_no_image_or_texture_is_refused():
    image = texture.CUDAarray(descriptor("float32"), 4, 3)
    for bad in ((32, 32, 32, 0, 2), (8, 0, 0, 0, 2), (16, 8, 0, 0, 0), (0, 0, 0, 0, 0), (64, 0, 0, 0, 2)):
        with pytest.raises(cp.DeviceError):
            texture.CUDAarray(texture.ChannelFormatDescriptor(*bad), 4)
    for shape in ((0,), (4, -1), (4, 0, 2)):
        with pytest.raises(ValueError, match="width|height"):
            texture.CUDAarray(descriptor("float32"), *shape)
    with pytest.raises(TypeError, match="ChannelFormatDescriptor"):
        texture.CUDAarray(3, 4)
    for wrong, problem in (
        (cp.zeros((3, 5), np.float32), "shape"),
        (cp.zeros((3, 4), np.int32), "dtype"),
    ):
        with pytest.raises(ValueError, match=problem):
            image.copy_from(wrong)
        with pytest.raises(ValueError, match=problem):
            image.copy_to(wrong)
    with pytest.raises(ValueError, match="contiguous"):
        image.copy_to(cp.zeros((4, 3), np.float32).T)
    strided, back = np.arange(24, dtype=np.float32).reshape(4, 6)[:, ::2].T, cp.empty((3, 4), np.float32)
    for given in (strided, cp.asarray(strided), cp.asarray(strided[::-1])[::-1]):
        image.copy_from(given)
        image.copy_to(back)
        np.testing.assert_array_equal(cp.asnumpy(back), strided)
    with pytest.raises(TypeError, match="in_arr"):
        image.copy_from([1, 2])
    with pytest.raises(ValueError, match="restype"):
        texture.ResourceDescriptor(1, cuArr=image)
    with pytest.raises(ValueError, match="cuArr"):
        texture.ResourceDescriptor(0)
    memory = cp.zeros(8, np.float32)
    with pytest.raises(ValueError, match="chDesc"):
        texture.ResourceDescriptor(2, arr=memory)
    with pytest.raises(ValueError, match="bytes"):
        texture.ResourceDescriptor(2, arr=memory, chDesc=descriptor("float32"), sizeInBytes=33)
    with pytest.raises(ValueError, match="rows"):
        texture.ResourceDescriptor(3, arr=memory, chDesc=descriptor("float32"), width=4, height=2, pitchInBytes=8)
    for bad in ({"addressModes": (4,)}, {"filterMode": 2}, {"readMode": 2}, {"borderColors": (1,) * 5}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            texture.TextureDescriptor(**bad)
    resource = texture.ResourceDescriptor(0, cuArr=image)
    with pytest.raises(TypeError, match="TexDesc"):
        texture.TextureObject(resource, None)
    with pytest.raises(TypeError, match="ResDesc"):
        texture.TextureObject(None, texture.TextureDescriptor())
    with pytest.raises(ValueError, match="cudaArraySurfaceLoadStore"):
        texture.SurfaceObject(resource)
    with pytest.raises(TypeError, match="process"):
        image.__reduce__()


def test_accesses_outside_of_a_surface_trap():
    if cp.Device().asynchronous:
        pytest.skip("a trap ends the use of a GPU by the process")
    image = image_of(np.zeros(3, np.float32), flags=runtime.cudaArraySurfaceLoadStore)
    outside = cp.RawKernel(
        'extern "C" __global__ void outside(cudaSurfaceObject_t s) { surf1Dwrite(1.0f, s, 12); }', "outside"
    )
    with pytest.raises(cp.DeviceError, match="outside.*surface"):
        outside((1,), (1,), (surface_of(image),))


def test_a_graph_keeps_what_its_work_samples():
    """The texture, its image and the array that fills it may go before the graph runs."""
    values = np.arange(16, dtype=np.float32)
    out, where = cp.zeros(16, np.float32), cp.arange(16, dtype=np.int32)
    sample = cp.RawKernel(SAMPLE.replace("OUT", "float"), "sample1")
    where = where.astype(np.float32) + np.float32(0.5)
    sample((1,), (16,), (texture_of(image_of(values)), where, out, 16))
    image, source = image_of(np.zeros(16, np.float32)), cp.asarray(values * 3)
    made = texture_of(image)
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        image.copy_from(source)
        sample((1,), (16,), (made, where, out, 16))
        graph = stream.end_capture()
    del made, image, source
    gc.collect()
    others = [(image_of(np.full(16, -7, np.float32)), cp.full(16, -7, np.float32)) for _ in range(20)]
    graph.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(cp.asnumpy(out), values * 3)
    assert len(others) == 20


@pytest.mark.skipif(not HERE, reason="the device has no images")
@pytest.mark.parametrize("raw", [False, True])
def test_textures_in_elementwise_kernels(raw):
    """A texture is an operand of its own type, as in CuPy."""
    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    image = texture.CUDAarray(descriptor(np.float32), 4, 3)
    image.copy_from(cp.asarray(host))
    found = texture.TextureObject(
        texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=image),
        texture.TextureDescriptor((runtime.cudaAddressModeClamp,) * 2, runtime.cudaFilterModePoint),
    )
    read = "i % 4, i / 4"
    kernel = cp.ElementwiseKernel(
        "T x, U image" + (", raw T other" if raw else ""),
        "T y",
        f"y = x + tex2D<float>(image, (float)({read.split(',')[0]}) + 0.5f, (float)({read.split(',')[1]}) + 0.5f)"
        + (" + other[i]" if raw else ""),
        "sampled",
    )
    x = np.full(12, 100, np.float32)
    more = (cp.ones(12, "f"),) if raw else ()
    assert kernel(cp.asarray(x), found, *more).tolist() == (x + host.ravel() + len(more)).tolist()
    with pytest.raises(TypeError, match="image"):
        kernel(cp.asarray(x), image, *more)
