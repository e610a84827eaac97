"""Load and store callbacks of Fourier transforms, with NumPy doing before and after what they do."""

import threading

import cuproxide as cp
import cuproxide.scipy.fft
import cuproxide.scipy.fftpack
import numpy as np
import pytest
from helpers import check

callbacks = cp.fft.config.set_cufft_callbacks

# What cuFFT calls elements: the type, and the letter and the suffix of names.
ELEMENTS = {
    "complex64": ("cufftComplex", "C", "Complex"),
    "complex128": ("cufftDoubleComplex", "Z", "DoubleComplex"),
    "float32": ("cufftReal", "R", "Real"),
    "float64": ("cufftDoubleReal", "D", "DoubleReal"),
}
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
TWO = ["fft2", "ifft2", "rfft2", "irfft2"]
MANY = ["fftn", "ifftn", "rfftn", "irfftn"]


def load(dtype, body, before=""):
    """A legacy text with a load callback, whose element is `x` and its real part `re`."""
    element, letter, _ = ELEMENTS[np.dtype(dtype).name]
    return f"""
    #include <cufft.h>
    #include <cufftXt.h>
    {before}
    __device__ {element} loaded(void* dataIn, size_t offset, void* callerInfo, void* sharedPtr) {{
        {element} x = (({element}*)dataIn)[offset];
        {part(dtype)}
        {body}
        return x;
    }}
    __device__ cufftCallbackLoad{letter} d_loadCallbackPtr = loaded;
    """


def store(dtype, body, where="offset"):
    """A legacy text with a store callback."""
    element, letter, _ = ELEMENTS[np.dtype(dtype).name]
    return f"""
    __device__ void stored(void* dataOut, size_t offset, {element} x, void* callerInfo, void* sharedPtr) {{
        {part(dtype)}
        {body}
        (({element}*)dataOut)[{where}] = x;
    }}
    __device__ cufftCallbackStore{letter} d_storeCallbackPtr = stored;
    """


def part(dtype):
    real = np.dtype(dtype).kind == "f"
    name = "float" if np.dtype(dtype).name in ("float32", "complex64") else "double"
    return f"{name}& re = x{'' if real else '.x'}; {name}& im = {'re' if real else 'x.y'}; (void)re; (void)im;"


def weighted(dtype):
    """The body of a callback that multiplies by what `callerInfo` has."""
    name = "float" if np.dtype(dtype).name in ("float32", "complex64") else "double"
    product = f"const {name} w = (({name}*)callerInfo)[offset]; re *= w;"
    return product if np.dtype(dtype).kind == "f" else f"{product} im *= w;"


def real_of(dtype):
    return np.zeros(0, dtype).real.dtype


def values(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def near(actual, expected):
    check(actual, expected, ulp=32, scale=float(np.max(np.abs(expected), initial=1)))


def types(name, single):
    """The dtypes of the elements that a transform loads and stores."""
    real, compound = (np.float32, np.complex64) if single else (np.float64, np.complex128)
    return real if name in ("ihfft",) or name.startswith("rfft") else compound, (
        real if name == "hfft" or name.startswith("irfft") else compound
    )


@pytest.mark.parametrize("single", [True, False], ids=["single", "double"])
@pytest.mark.parametrize("name", ONE + TWO + MANY)
def test_every_transform_runs_both(name, single):
    loads, stores = types(name, single)
    host = values((3, 4, 6), loads)
    expected = getattr(np.fft, name)(host)
    before, after = (
        values(shape, real_of(dtype), seed)
        for seed, (shape, dtype) in enumerate([(host.shape, loads), (expected.shape, stores)])
    )
    function, device = getattr(cp.fft, name), cp.array(host)
    loading = {"cb_load": load(loads, weighted(loads)), "cb_load_aux_arr": cp.array(before)}
    storing = {"cb_store": store(stores, weighted(stores)), "cb_store_aux_arr": cp.array(after)}
    with callbacks(**loading):
        near(function(device), getattr(np.fft, name)(host * before))
    with callbacks(**storing):
        near(function(device), expected * after)
    with callbacks(**loading, **storing):
        near(function(device), getattr(np.fft, name)(host * before) * after)
    near(function(device), expected)
    np.testing.assert_array_equal(cp.asnumpy(device), host, "the input was changed")


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "irfft2"])
def test_norms_scale_what_was_stored(name, norm):
    loads, stores = types(name, False)
    host = values((4, 6), loads)
    forward = name in ("fft", "rfft", "fftn", "hfft")
    unscaled = getattr(np.fft, name)(host, norm="backward" if forward else "forward")
    points = host.shape[-1] if name in ("rfft", "ihfft") else unscaled.shape[-1]
    points = unscaled.size if name in ("fftn", "irfft2") else points
    if norm == "ortho":
        factor = points**-0.5
    else:
        factor = 1 / points if forward == (norm == "forward") else 1.0
    with callbacks(cb_store=store(stores, "re += 1;")):
        near(getattr(cp.fft, name)(cp.array(host), norm=norm), (unscaled + 1) * factor)
        with pytest.raises(ValueError, match="norm"):
            getattr(cp.fft, name)(cp.array(host), norm="odd")


LAYOUTS = [
    ("fft", (5,), {}),
    ("fft", (4, 5), {"axis": 0}),
    ("fft", (2, 3, 4), {"axis": 1}),
    ("fft", (2, 3, 4), {"axis": 0, "n": 5}),
    ("ifft", (3, 4), {"n": 3}),
    ("fft", (3, 4), {"n": 7}),
    ("rfft", (3, 4), {"axis": 0, "n": 6}),
    ("irfft", (3, 4), {"n": 9}),
    ("irfft", (5, 4), {"axis": 0, "n": 5}),
    ("fftn", (2, 3, 4), {"axes": (2, 1)}),
    ("fftn", (2, 3, 4), {"axes": (0, 1)}),
    ("ifftn", (2, 3, 4), {"axes": (0, 2), "s": (3, 3)}),
    ("fftn", (2, 3, 2, 2, 3), {}),
    ("rfftn", (2, 3, 4), {"axes": (1, 0)}),
    ("rfftn", (2, 3, 4), {"axes": (2, 0, 1), "s": (5, 3, 2)}),
    ("irfftn", (2, 3, 4), {"axes": (0, 2, 1), "s": (2, 3, 6)}),
    ("rfft2", (3, 4, 2), {"axes": (0, 1)}),
]


def layout(name, shape, axis=None, n=None, axes=None, s=None):
    """The shape that a transform loads, its axes as they lie in memory, and the shape that it stores."""
    ndim = len(shape)
    axes = tuple(range(ndim)) if axes is None else axes
    axes = (-1 if axis is None else axis,) if name in ONE else axes
    axes = [a % ndim for a in axes]
    order = list(range(ndim))
    if len(axes) == 1:
        order[axes[0]], order[-1] = ndim - 1, axes[0]
    else:
        real = not name.startswith(("fft", "ifft"))
        outer = sorted(axes[:-1]) if real else sorted(axes)
        order = [a for a in order if a not in axes] + outer + ([axes[-1]] if real else [])
    loaded = list(shape)
    for a, points in zip(axes, (n,) if name in ONE else s or (None,) * len(axes), strict=True):
        if points is not None:
            loaded[a] = points
    if name.startswith("irfft") and (n or s):
        loaded[axes[-1]] = loaded[axes[-1]] // 2 + 1
    return loaded, order


@pytest.mark.parametrize(("name", "shape", "options"), LAYOUTS, ids=str)
def test_offsets_count_what_the_plan_sees(name, shape, options):
    """The load callback gives each element its offset, the store callback adds its own."""
    loads, stores = types(name, False)
    loaded, order = layout(name, shape, **options)
    back = np.argsort(order)

    def offsets(shape):
        turned = [shape[axis] for axis in order]
        return np.arange(np.prod(turned, dtype=int)).reshape(turned).transpose(back)

    host = values(shape, loads)
    # A copy: the parameters are those of other runs, too.
    options = {"norm": "forward" if "i" in name else "backward"} | options
    expected = getattr(np.fft, name)(offsets(loaded).astype(loads), **options)
    with callbacks(load(loads, "re = im = 0; re = offset;"), store(stores, "re += 3.0 * offset;")):
        near(getattr(cp.fft, name)(cp.array(host), **options), expected + 3.0 * offsets(expected.shape))


@pytest.mark.parametrize("shape", [(7,), (3, 1000), (4, 3, 2, 5)])
def test_each_element_is_loaded_and_stored_once(shape):
    counts = [cp.zeros(np.prod(shape), cp.uint32) for _ in range(2)]
    count = "atomicAdd((unsigned int*)callerInfo + offset, 1u);"
    with callbacks(
        load(np.complex64, count), store(np.complex64, count), cb_load_aux_arr=counts[0], cb_store_aux_arr=counts[1]
    ):
        cp.fft.fftn(cp.ones(shape, cp.complex64))
    for found in counts:
        check(found, np.ones(np.prod(shape), np.uint32))


def test_more_elements_than_threads(monkeypatch):
    monkeypatch.setattr(cp.fft._callbacks, "_BLOCKS", 3)
    host = values((1000, 9), np.complex64)
    with callbacks(load(np.complex64, "re += 1;"), store(np.complex64, "im = offset;")):
        found = cp.fft.fft(cp.array(host))
    near(found, np.fft.fft(host + 1).real + np.arange(9000, dtype=np.complex64).reshape(1000, 9) * 1j)


@pytest.mark.parametrize(
    "pointer",
    [
        "d_storeCallbackPtr = stored;",
        "d_storeCallbackPtr=&stored ;",
        "/* d_storeCallbackPtr = other; */ d_storeCallbackPtr = stored; // d_storeCallbackPtr = other;",
        "d_storeCallbackPtr = (cufftCallbackStoreC)stored;",
        "d_storeCallbackPtr{stored};",
        "d_storeCallbackPtr = which<1>::pointer;",
        "d_storeCallbackPtr = SELECTED;",
    ],
)
def test_ways_to_point_to_a_function(pointer):
    text = store(np.complex64, "re += 1;").split("__device__ cufftCallback")[0]
    text += """
    __device__ void stored(void* out, size_t i, float x, void*, void*) {}
    __device__ void other(void* out, size_t i, cufftComplex x, void*, void*) {}
    template <int> struct which { static constexpr cufftCallbackStoreC pointer = stored; };
    #define SELECTED stored
    """
    with callbacks(cb_store=f"{text}\n__device__ cufftCallbackStoreC {pointer}"):
        check(cp.fft.fft(cp.ones((2, 1), cp.complex64)), np.full((2, 1), 2, np.complex64))


def test_elements_may_be_stored_elsewhere():
    host = values((3, 8), np.complex128)
    with callbacks(cb_store=store(np.complex128, "", "offset / 8 * 8 + (offset + 4) % 8")):
        near(cp.fft.fft(cp.array(host)), np.fft.fftshift(np.fft.fft(host), axes=1))
    halves = cp.zeros((3, 4), np.complex128)
    text = """
    __device__ void crop(void* dataOut, size_t offset, cufftDoubleComplex x, void* callerInfo, void* sharedPtr) {
        if (offset % 8 < 4) ((cufftDoubleComplex*)callerInfo)[offset / 8 * 4 + offset % 8] = x;
    }
    __device__ cufftCallbackStoreZ d_storeCallbackPtr = crop;
    """
    with callbacks(cb_store=text, cb_store_data=halves.data):
        check(cp.fft.fft(cp.array(host)), np.zeros((3, 8), np.complex128))
    near(halves, np.fft.fft(host)[:, :4])


def test_places_in_memory_can_be_given():
    host, weights = values((4, 5), np.complex128), values((2, 4, 5), np.float64, 1)
    device = cp.array(weights)
    with callbacks(load(np.complex128, weighted(np.complex128)), cb_load_data=device.data + 8 * 20):
        near(cp.fft.fft(cp.array(host)), np.fft.fft(host * weights[1]))


def test_without_a_library():
    """A transform of one point needs none, but runs its callbacks."""
    host = values((5, 1), np.complex128)
    with callbacks(load(np.complex128, "re += offset;"), store(np.complex128, "im = -im;")):
        check(cp.fft.fft(cp.array(host)), np.conj(host + np.arange(5.0)[:, None]))
    with callbacks(load(np.float32, "x = 2 * x;"), store(np.complex64, "im = offset;")):
        check(cp.fft.rfft(cp.array([[3.0], [4.0]], cp.float32)), np.array([[6], [8 + 1j]], np.complex64))
    with callbacks(load(np.complex64, "re = 2 * re;"), store(np.float32, "x += offset;")):
        check(cp.fft.irfft(cp.array([[3 + 1j], [4]], cp.complex64), 1), np.array([[6], [9]], np.float32))


JIT_LOAD = """
#include "cufftXt.h"
__device__ float two(float* x, size_t i, int, int) { return 2 * x[i]; }
// __device__ float2 other(void*, unsigned long long, void*, void*) {}
__device__ float2 mine(void* data, unsigned long long offset, void* info, void* shared) {
    float2 x = ((float2*)data)[offset];
    return make_float2(2 * x.x, 2 * x.y);
}
"""
JIT_FIXED = """
template <typename T> __device__ T doubled(T x) { x.x *= 2; x.y *= 2; return x; }
extern "C" __device__ cufftComplex cufftJITCallbackLoadComplex(void* data, size_t offset, void*, void*) {
    return doubled(((cufftComplex*)data)[offset]);
}
__device__ cufftDoubleComplex cufftJITCallbackLoadDoubleComplex(void* data, size_t offset, void*, void*) {
    return doubled(((cufftDoubleComplex*)data)[offset]);
}
__device__ void
cufftJITCallbackStoreComplex(void* data, size_t offset, cufftComplex x, void*, void*)
{
    ((cufftComplex*)data)[offset] = make_cuComplex(x.x, 0);
}
"""


def test_functions_by_name():
    host = values((3, 4), np.complex64)
    with callbacks(JIT_LOAD, cb_load_name="mine", cb_ver="jit"):
        near(cp.fft.fft(cp.array(host)), np.fft.fft(2 * host))
    with callbacks(JIT_LOAD.replace("int, int)", "int)"), cb_ver="jit"):
        near(cp.fft.fft(cp.array(host)), np.fft.fft(2 * host))
    with callbacks(cb_load=JIT_FIXED, cb_store=JIT_FIXED, cb_ver="jit"):
        near(cp.fft.fft(cp.array(host)), np.fft.fft(2 * host).real.astype(np.complex64))
        with pytest.raises(ValueError, match="cufftJITCallbackStoreDoubleComplex"):
            cp.fft.fft(cp.array(host, np.complex128))
        with pytest.raises(ValueError, match="cufftJITCallbackLoadReal"):
            cp.fft.rfft(cp.array(host.real))
    with callbacks(cb_load=JIT_FIXED, cb_ver="jit"):
        near(cp.fft.fft(cp.array(host, np.complex128)), np.fft.fft(2 * host.astype(np.complex128)))


def test_options_of_the_compiler():
    with callbacks(load(np.complex64, "re = FACTOR;"), nvrtc_options=("-DFACTOR=7",)):
        check(cp.fft.fft(cp.zeros((1, 1), cp.complex64)), np.full((1, 1), 7, np.complex64))


LOAD, STORE = load(np.complex64, "re += 1;"), store(np.complex64, "re *= 2;")
AUX, DATA = object(), object()


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({}, ValueError, "cb_load or cb_store"),
        ({"cb_load": "", "cb_store": ""}, ValueError, "cb_load or cb_store"),
        ({"cb_load": LOAD, "cb_ver": "new"}, ValueError, "cb_ver must be 'legacy' or 'jit'.*'new'"),
        ({"cb_load": STORE}, ValueError, "d_loadCallbackPtr in cb_load"),
        ({"cb_store": LOAD}, ValueError, "d_storeCallbackPtr in cb_store"),
        ({"cb_load": LOAD, "cb_store_aux_arr": AUX}, ValueError, "store callback is not given"),
        ({"cb_store": STORE, "cb_load_aux_arr": AUX}, ValueError, "load callback is not given"),
        ({"cb_store": STORE, "cb_load_name": "mine", "cb_ver": "jit"}, ValueError, "load callback is not given"),
        ({"cb_load": 3}, TypeError, "cb_load must be of type str, got int"),
        ({"cb_load": LOAD, "cb_load_name": 3}, TypeError, "cb_load_name must be of type str, got int"),
        ({"cb_load": LOAD, "cb_load_aux_arr": [1.0]}, TypeError, "cb_load_aux_arr must be of type ndarray, got list"),
        ({"cb_load": LOAD, "cb_load_data": AUX}, TypeError, "cb_load_data must be a MemoryPointer, got ndarray"),
        (
            {"cb_load": LOAD, "cb_load_data": DATA, "cb_load_aux_arr": AUX},
            ValueError,
            "only one of cb_load_aux_arr and",
        ),
        ({"cb_load": JIT_LOAD, "cb_load_name": "mina", "cb_ver": "jit"}, ValueError, "no function 'mina'"),
        (
            {"cb_load": JIT_LOAD, "cb_ver": "jit"},
            ValueError,
            "cb_load_name must be given: cb_load has 2 device functions",
        ),
        ({"cb_store": JIT_LOAD, "cb_ver": "jit"}, ValueError, "cb_store_name must be given: cb_store has no device"),
        ({"cb_load": LOAD, "nvrtc_options": "-DX"}, TypeError, "options must be a tuple of strings"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_arguments_are_checked(options, error, match):
    made = {AUX: cp.zeros(4), DATA: cp.zeros(4).data}
    options = {name: made[value] if value in (AUX, DATA) else value for name, value in options.items()}
    with pytest.raises(error, match=match):
        callbacks(**options)
    assert cp.fft._callbacks.current() is None


def test_texts_that_do_not_compile():
    with callbacks(cb_load=LOAD.replace("re += 1", "re += one")):
        with pytest.raises(cp.cuda.compiler.CompileException, match="one") as error:
            cp.fft.fft(cp.ones((2, 1), cp.complex64))
    assert "cufftCallbackLoadC d_loadCallbackPtr = loaded;" in str(error.value)
    # Numbers would be converted in silence.
    for text, function in ((load(np.float32, ""), cp.fft.rfft), (store(np.float32, ""), cp.fft.irfft)):
        side = "cb_load" if "d_load" in text else "cb_store"
        with (
            callbacks(**{side: text}),
            pytest.raises(cp.cuda.compiler.CompileException, match="must be one for cufftDoubleReal"),
        ):
            function(cp.ones((2, 3)))


def one(x=None):
    """What the callbacks of this thread make of one."""
    return complex(cp.fft.fft(cp.ones((1, 1), cp.complex64))[0, 0].get())


def test_contexts_end():
    outer, inner = callbacks(LOAD), callbacks(cb_store=STORE)
    with outer as entered:
        assert entered is outer
        assert one() == 2
        with inner:
            assert one() == 2 and one() == 2
            with outer:
                assert one() == 2
        with pytest.raises(KeyError):
            with callbacks(LOAD, STORE):
                assert one() == 4
                raise KeyError
        assert one() == 2
        with pytest.raises(ValueError, match="Invalid number of FFT data points"):
            cp.fft.fft(cp.ones(4, cp.complex64), 0)
        with pytest.raises(TypeError):
            cp.fft.rfft(cp.ones(4, cp.complex64))
        assert one() == 2
    assert one() == 1
    assert callbacks(LOAD, STORE)(one)() == 4


def test_contexts_belong_to_their_thread():
    found, entered, seen = [], threading.Event(), threading.Event()

    def run():
        found.append(one())
        with callbacks(cb_store=STORE):
            entered.set()
            seen.wait(60)
            found.append(one())

    with callbacks(LOAD, STORE):
        thread = threading.Thread(target=run)
        thread.start()
        entered.wait(60)
        assert one() == 4
        seen.set()
        thread.join()
    assert found == [1, 2]


def test_plans():
    host = values((4, 6), np.complex64)
    device, plain, weighed = cp.array(host), np.fft.fft(host), np.fft.fft(host + 1)
    fft, get_fft_plan = cuproxide.scipy.fft.fft, cuproxide.scipy.fft.get_fft_plan
    before = get_fft_plan(device, axes=1)
    with callbacks(LOAD):
        kept = get_fft_plan(device, axes=1)
        near(fft(device, plan=before), weighed)
        with before:
            near(cp.fft.fft(device), weighed)
        with callbacks(cb_store=STORE):
            near(fft(device, plan=kept), weighed)
        with pytest.raises(ValueError, match="plan"):
            fft(device, axis=0, plan=before)
    near(fft(device, plan=before), plain)
    near(fft(device, plan=kept), weighed)
    with kept:
        near(cp.fft.fft(device), weighed)
    # Other layouts than that of the array.
    host = values((3, 2, 4, 5, 2), np.complex64)
    device = cp.array(host)
    for axes in ((3, 0), (1, 0), (2, 4, 0, 1)):
        plan = get_fft_plan(device, axes=axes)
        with callbacks(LOAD):
            near(cuproxide.scipy.fft.fftn(device, axes=axes, plan=plan), np.fft.fftn(host + 1, axes=axes))
        plan = get_fft_plan(cp.array(host.real), axes=axes, value_type="R2C")
        with callbacks(cb_store=STORE):
            result = cuproxide.scipy.fft.rfftn(cp.array(host.real), axes=axes, plan=plan)
        expected = np.fft.rfftn(host.real, axes=axes)
        near(result, expected.real * 2 + 1j * expected.imag)


def test_capture():
    weights = cp.arange(4, dtype=cp.float32)
    host, out = values((3, 4), np.complex64), cp.empty((3, 4), cp.complex64)
    device, stream = cp.array(host), cp.cuda.Stream(non_blocking=True)
    text = load(np.complex64, "re += ((float*)callerInfo)[offset % 4];")
    with callbacks(text, STORE, weights):
        cp.fft.fft(device, out=out, norm="ortho")
        cp.cuda.Device().synchronize()
        with stream:
            stream.begin_capture()
            cp.fft.fft(device, out=out, norm="ortho")
            graph = stream.end_capture()
    device *= 3
    weights += 1
    cp.cuda.Device().synchronize()
    graph.launch(stream)
    stream.synchronize()
    expected = np.fft.fft(3 * host + np.arange(1, 5, dtype=np.float32), norm="ortho")
    near(out, expected + expected.real)


def test_parameters_as_a_structure():
    """Laid out by NumPy, in memory that the program fills itself."""
    text = """
    struct window { unsigned int keep, length; };
    __device__ cufftComplex cut(void* dataIn, unsigned long long offset, void* callerInfo, void* sharedPtr) {
        const window* w = (const window*)callerInfo;
        return offset % w->length < w->keep ? ((cufftComplex*)dataIn)[offset] : make_cuComplex(0, 0);
    }
    """
    parameters = np.array([(3, 9)], [("keep", np.uint32), ("length", np.uint32)])
    memory = cp.cuda.alloc(parameters.nbytes)
    memory.copy_from_host(parameters.ctypes.data, parameters.nbytes)
    spectrum = values((5, 9), np.complex64)
    with callbacks(text, cb_load_data=memory, cb_ver="jit"):
        result = cp.fft.irfft(cp.array(spectrum))
    spectrum[:, 3:] = 0
    near(result, np.fft.irfft(spectrum))


@pytest.mark.parametrize("name", ["fft", "ifft", "fft2", "ifftn", "hfft", "irfft", "hfftn"])
def test_scipy(name):
    host = values((3, 4), np.complex64)
    expected = getattr(cuproxide.scipy.fft, name)(cp.array(host + 1))
    device = cp.array(host)
    with callbacks(LOAD):
        check(getattr(cuproxide.scipy.fft, name)(device, overwrite_x=True), cp.asnumpy(expected))
        if "h" not in name and name != "irfft":
            check(getattr(cuproxide.scipy.fftpack, name)(device), cp.asnumpy(expected))
    check(device, host)


def test_packed_spectra():
    host = values((3, 4), np.float64)
    double = load(np.float64, "x *= 2;")
    expected = cuproxide.scipy.fftpack.rfft(cp.array(2 * host))
    with callbacks(double):
        check(cuproxide.scipy.fftpack.rfft(cp.array(host)), cp.asnumpy(expected))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: cp.scipy.fft.dct(x),
        lambda x: cp.scipy.fft.idstn(x, 4),
        lambda x: cp.scipy.fft.dct(x, 3),
        lambda x: cp.scipy.fft.fht(x, 0.1, mu=0.5),
        lambda x: cp.scipy.fftpack.hilbert(x[0]),
        lambda x: cp.scipy.fftpack.shift(x[0], 0.5),
        lambda x: cp.scipy.linalg.matmul_toeplitz(x[0], x.T),
        lambda x: cp.scipy.linalg.solve_circulant(x[0], x.T),
    ],
    ids=["dct", "idstn", "dct 3", "fht", "hilbert", "shift", "matmul_toeplitz", "solve_circulant"],
)
def test_functions_built_of_transforms_run_none(function):
    x = cp.array(values((5, 8), np.float64))
    expected = cp.asnumpy(function(x))
    with callbacks(load(np.float64, "x = 0;"), store(np.complex128, "re = 0;")):
        check(function(x), expected)
        check(cp.fft.rfft(x), np.zeros((5, 5), complex), signs=False)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int8", "bool", "float64", "uint64"])
def test_inputs_are_cast_first(dtype):
    wide = dtype not in ("float16", "bfloat16", "float32")
    compound = np.complex128 if wide else np.complex64
    x = cp.array([[1, 0, 1, 1], [0, 1, 1, 0]]).astype(cp.dtype(dtype) if dtype != "bfloat16" else cp.dtypes.bfloat16)
    shifted = (cp.asnumpy(x.astype(compound)) + 1).astype(compound)
    with callbacks(load(compound, "re += 1;")):
        near(cp.fft.fft(x), np.fft.fft(shifted))
        result, expected = cp.fft.irfft(x), np.fft.irfft(shifted)
        narrow = dtype in ("float16", "bfloat16")
        assert result.dtype == (x.dtype if narrow else expected.dtype)
        wanted = cp.array(expected).astype(result.dtype)
        near(result.astype(expected.dtype), cp.asnumpy(wanted.astype(expected.dtype)))


def test_layouts_of_inputs_and_outputs():
    host = values((6, 8), np.complex64)
    device = cp.array(host)
    with callbacks(LOAD):
        for turn in (lambda x: x.T, lambda x: x[::-2, ::2], lambda x: x[1:, 3:], lambda x: x[:, :1].repeat(3, 1)):
            for axis in (0, 1):
                result = cp.fft.fft(turn(device), axis=axis)
                near(result, np.fft.fft(turn(host) + 1, axis=axis))
                assert result.flags.c_contiguous
        out = cp.empty((6, 8), cp.complex64)
        assert cp.fft.fft(device, out=out) is out
        near(out, np.fft.fft(host + 1))
        near(cp.fft.fft(device, out=device), np.fft.fft(host + 1))
        # Deferred work, and a complex number that is not aligned to its size.
        near(cp.fft.fft(cp.array(host) * 2 - 1), np.fft.fft(host * 2))
        odd = cp.zeros(9, cp.float32)[1:].view(cp.complex64)
        near(cp.fft.fft(odd), np.fft.fft(np.ones(4, np.complex64)))
        read_only = cp.array(host)
        read_only.flags.writeable = False
        near(cp.fft.fft(read_only), np.fft.fft(host + 1))


def test_empty_arrays():
    with callbacks(LOAD, STORE):
        check(cp.fft.fft(cp.zeros((0, 4), cp.complex64)), np.zeros((0, 4), np.complex64))
        check(cp.fft.irfft(cp.zeros((3, 4, 0), cp.complex64), 5, 1), np.zeros((3, 5, 0), np.float32))
        check(cp.fft.fftn(cp.ones(3, cp.complex64), axes=()), np.ones(3, np.complex64))
        with pytest.raises(ValueError, match="axes must be unique"):
            cp.fft.fftn(cp.ones((3, 3), cp.complex64), axes=(0, 0))
