"""RawKernel and RawModule: what CuPy's guide documents, arguments of all kinds, threads that meet, errors."""

import concurrent.futures
import os
import warnings

import cuproxide as cp
import numpy as np
import pytest
from helpers import check

ADD = r"""
extern "C" __global__
void my_add(const float* x1, const float* x2, float* y) {
    int tid = blockDim.x * blockIdx.x + threadIdx.x;
    y[tid] = x1[tid] + x2[tid];
}
"""


@pytest.fixture(scope="module")
def on_cpu():
    return cp.Device().backend == "cpu"


def run(code, *args, grid=(1,), block=(1,), name="k", **kwargs):
    shared = kwargs.pop("shared_mem", 0)
    cp.RawKernel(code, name, **kwargs)(grid, block, args, shared_mem=shared)


def test_documented_example():
    add_kernel = cp.RawKernel(ADD, "my_add")
    x1 = cp.arange(25, dtype=cp.float32).reshape(5, 5)
    y = cp.zeros((5, 5), dtype=cp.float32)
    add_kernel((5,), (5,), (x1, x1, y))
    check(y, 2 * np.arange(25, dtype=np.float32).reshape(5, 5))
    add_kernel(5, 5, [y, y, y])
    check(y, 4 * np.arange(25, dtype=np.float32).reshape(5, 5))


def test_documented_complex_example():
    code = r"""
    #include <cupy/complex.cuh>
    extern "C" __global__
    void my_func(const complex<float>* x1, const complex<float>* x2, complex<float>* y, float a) {
        int tid = blockDim.x * blockIdx.x + threadIdx.x;
        y[tid] = x1[tid] + a * x2[tid];
    }
    """
    x1 = cp.arange(25, dtype=cp.complex64).reshape(5, 5)
    x2 = 1j * cp.arange(25, dtype=cp.complex64).reshape(5, 5)
    y = cp.zeros((5, 5), dtype=cp.complex64)
    cp.RawKernel(code, "my_func")((5,), (5,), (x1, x2, y, cp.float32(2.0)))
    check(y, (np.arange(25) * (1 + 2j)).reshape(5, 5).astype(np.complex64))


def test_documented_module():
    code = r"""
    extern "C"{
    __global__ void test_sum(const float* x1, const float* x2, float* y, unsigned int N) {
        unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
        if (tid < N) { y[tid] = x1[tid] + x2[tid]; }
    }
    __global__ void test_multiply(const float* x1, const float* x2, float* y, unsigned int N) {
        unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
        if (tid < N) { y[tid] = x1[tid] * x2[tid]; }
    }
    }"""
    module = cp.RawModule(code=code)
    x1 = cp.arange(100, dtype=cp.float32).reshape(10, 10)
    x2 = cp.full((10, 10), 3, dtype=cp.float32)
    y = cp.zeros((10, 10), dtype=cp.float32)
    module.get_function("test_sum")((10,), (10,), (x1, x2, y, 100))
    check(y, cp.asnumpy(x1) + 3)
    module.get_function("test_multiply")((10,), (10,), (x1, x2, y, 100))
    check(y, cp.asnumpy(x1) * 3)
    with pytest.raises(AttributeError, match="nothing"):
        module.get_function("nothing")
    with pytest.raises(AttributeError, match="nothing"):
        module.get_global("nothing")


def test_documented_templates():
    code = r"""
    template<typename T>
    __global__ void fx3(T* arr, int N) {
        unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
        if (tid < N) { arr[tid] = arr[tid] * 3; }
    }
    """
    names = ["fx3<float>", "fx3<double>"]
    module = cp.RawModule(code=code, options=("-std=c++17",), name_expressions=names)
    for name, dtype in zip(names, (np.float32, np.float64), strict=True):
        a = cp.arange(10, dtype=dtype)
        module.get_function(name)((1,), (10,), (a, 10))
        check(a, np.arange(10, dtype=dtype) * 3)
    assert module.name_expressions == tuple(names)


def test_global_variables():
    code = r"""
    __constant__ float table[4];
    __device__ int counter = 7;
    extern "C" __global__ void look(float* x) { x[threadIdx.x] = table[threadIdx.x % 4]; atomicAdd(&counter, 1); }
    """
    module, other = cp.RawModule(code=code), cp.RawModule(code=code)
    table = cp.ndarray(4, np.float32, module.get_global("table"))
    table[...] = cp.asarray([1, 2, 3, 4], np.float32)
    x = cp.empty(8, np.float32)
    module.get_function("look")((1,), (8,), (x,))
    check(x, np.tile(np.arange(1, 5, dtype=np.float32), 2))
    assert int(cp.ndarray(1, np.int32, module.get_global("counter"))[0]) == 15
    assert int(cp.ndarray(1, np.int32, other.get_global("counter"))[0]) == 7
    assert module.get_global("table").mem.size == 16


def test_numbers_are_passed_by_value():
    code = r"""
    extern "C" __global__ void k(double* out, bool b, long long i, double d, signed char c, unsigned short h,
                                 float f, int small, unsigned long long big) {
        out[0] = b; out[1] = i; out[2] = d; out[3] = c; out[4] = h; out[5] = f; out[6] = small; out[7] = big;
    }
    """
    out = cp.zeros(8)
    run(code, out, True, -5, 2.5, np.int8(-3), np.uint16(65535), np.float32(0.5), 12, np.uint64(2**63))
    check(out, np.array([1, -5, 2.5, -3, 65535, 0.5, 12, 2.0**63]))
    run(code, out, np.bool_(False), np.int64(7), np.float64(1), np.int8(1), np.array([3], np.uint16),
        np.array(4, np.float32), -9, 2**64 - 1)  # fmt: skip
    check(out, np.array([0, 7, 1, 1, 3, 4, -9, 2.0**64]))


def test_complex_numbers_and_structures():
    code = r"""
    #include <cupy/complex.cuh>
    struct Inner { float x, y, z; };
    struct Outer { Inner inner; double d; short s[3]; };
    extern "C" __global__ void k(double* out, complex<double> z, complex<float> w, float3 v, Outer o) {
        out[0] = z.real() + 10 * z.imag(); out[1] = w.real() + 10 * w.imag(); out[2] = v.x + v.y + v.z;
        out[3] = o.inner.z; out[4] = o.d; out[5] = o.s[2];
    }
    """
    float3 = np.dtype({"names": ["x", "y", "z"], "formats": [np.float32] * 3})
    outer = np.dtype([("inner", float3), ("d", np.float64), ("s", np.int16, 3)], align=True)
    value = np.zeros((), outer)
    value["inner"]["z"], value["d"], value["s"] = 3, 4.5, (5, 6, 7)
    out = cp.zeros(6)
    vector = np.array([1, 2, 3], np.float32).view(float3)
    run(code, out, 1 + 2j, np.complex64(3 + 4j), vector, value)
    check(out, np.array([21, 43, 6, 3, 4.5, 7]))
    run(code, out, 1 + 2j, np.complex64(3 + 4j), vector[0], value[()])
    check(out, np.array([21, 43, 6, 3, 4.5, 7]))


def test_pointers():
    code = r"""extern "C" __global__ void k(int* x, const int* y) { x[0] = y ? y[0] : -1; }"""
    x, y = cp.zeros(1, np.int32), cp.arange(5, 8, dtype=np.int32)
    for pointer, expected in ((y, 5), (y.data, 5), (y[1:], 6), (y.data + 8, 7), (None, -1), (y.data.ptr, 5)):
        run(code, x, pointer)
        assert int(x[0]) == expected


def test_shared_memory_and_barriers():
    code = r"""
    extern "C" __global__ void k(const float* x, float* total) {
        extern __shared__ float part[];
        __shared__ float first;
        int t = threadIdx.x;
        part[t] = x[blockIdx.x * blockDim.x + t];
        if (t == 0) first = 0.5f;
        __syncthreads();
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            if (t < half) part[t] += part[t + half];
            __syncthreads();
        }
        if (t == 0) total[blockIdx.x] = part[0] + first;
    }
    """
    x = np.arange(4096, dtype=np.float32)
    total = cp.zeros(16, np.float32)
    run(code, cp.asarray(x), total, grid=(16,), block=(256,), shared_mem=1024)
    check(total, x.reshape(16, 256).sum(1) + np.float32(0.5))


def test_warps():
    code = r"""
    extern "C" __global__ void k(int* out) {
        int t = threadIdx.x, v = t;
        for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
        unsigned odd = __ballot_sync(0xffffffffu, t & 1);
        out[t] = v + __popc(odd) * 1000 + (__all_sync(0xffffffffu, t < 64) ? 100000 : 0);
    }
    """
    out = cp.zeros(64, np.int32)
    run(code, out, block=(64,))
    check(out, np.repeat(np.array([496, 1520], np.int32), 32) + np.int32(116000))


def test_lanes_match_by_bits():
    """As NaN does with itself, and the two zeros do not."""
    code = r"""extern "C" __global__ void k(const float* x, const double* y, unsigned* found) {
        const unsigned t = threadIdx.x;
        found[t] = __match_any_sync(0xffffffff, x[t]);
        found[32 + t] = __match_any_sync(0xffffffff, y[t]);
    }"""
    x, found = np.resize([0.0, -0.0, np.nan, 1.0], 32), cp.zeros(64, np.uint32)
    with warnings.catch_warnings():
        # That 64 threads run in step.
        warnings.simplefilter("ignore")
        cp.RawKernel(code, "k")((1,), (32,), (cp.array(x, np.float32), cp.array(x), found))
    check(found, np.resize(np.array([0x11111111, 0x22222222, 0x44444444, 0x88888888], np.uint32), 64))


def test_atomics_over_blocks():
    code = r"""
    extern "C" __global__ void k(const unsigned char* x, unsigned* counts, int n) {
        __shared__ unsigned own[256];
        for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
        __syncthreads();
        int step = gridDim.x * blockDim.x;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) atomicAdd(&own[x[i]], 1u);
        __syncthreads();
        for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&counts[i], own[i]);
    }
    """
    x = np.random.default_rng(3).integers(0, 256, 100_000).astype(np.uint8)
    counts = cp.zeros(256, np.uint32)
    run(code, cp.asarray(x), counts, x.size, grid=(32,), block=(128,))
    check(counts, np.bincount(x, minlength=256).astype(np.uint32))


def test_cooperative_launch():
    code = r"""
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void k(int* x, int n) {
        cg::grid_group grid = cg::this_grid();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        for (int step = 0; step < 5; step++) {
            int next = x[(i + 1) % n];
            grid.sync();
            x[i] = next;
            grid.sync();
        }
    }
    """
    x = cp.arange(256, dtype=np.int32)
    try:
        run(code, x, 256, grid=(8,), block=(32,), enable_cooperative_groups=True)
    except cp.CompileError as error:
        if cp.Device().backend == "cpu" or "could not open source file" not in error.log:
            raise
        pytest.skip("cooperative_groups.h comes with the vendor's toolkit")
    check(x, np.roll(np.arange(256, dtype=np.int32), -5))


def test_half_precision():
    code = r"""
    #include <cuda_fp16.h>
    extern "C" __global__ void k(const __half* x, __half* y, float f) {
        int t = threadIdx.x;
        y[t] = __hadd(__hmul(x[t], x[t]), __float2half(f));
    }
    """
    x = np.linspace(-3, 3, 33).astype(np.float16)
    y = cp.zeros(33, np.float16)
    run(code, cp.asarray(x), y, np.float32(0.25), block=(33,))
    check(y, x * x + np.float16(0.25))


def test_carray_header():
    code = r"""
    #include <cupy/carray.cuh>
    extern "C" __global__ void k(float* x, int n) { CUPY_FOR(i, n) { x[i] = i * 2; } }
    """
    x = cp.zeros(1000, np.float32)
    run(code, x, 1000, grid=(3,), block=(32,))
    check(x, np.arange(1000, dtype=np.float32) * 2)


@pytest.mark.parametrize("translate", [False, True])
def test_cucomplex(translate):
    code = r"""
    #include <cuComplex.h>
    extern "C" __global__ void k(cuFloatComplex* z, cuDoubleComplex* w) {
        int t = threadIdx.x;
        cuFloatComplex a = cuCaddf(z[t], make_cuFloatComplex(1, 2));
        z[t] = cuCmulf(a, cuConjf(a));
        w[t] = cuCdiv(w[t], make_cuDoubleComplex(cuCreal(w[t]), 1));
    }
    """
    z = np.arange(4).astype(np.complex64) * (1 + 1j)
    w = np.arange(4).astype(np.complex128) + 2j
    ours = cp.asarray(z), cp.asarray(w)
    run(code, *ours, block=(4,), translate_cucomplex=translate)
    check(ours[0], (np.abs(z + (1 + 2j)) ** 2).astype(np.complex64), ulp=4)
    check(ours[1], w / (w.real + 1j), ulp=4)


def test_three_dimensions():
    code = r"""
    extern "C" __global__ void k(int* x) {
        int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        x[block * 24 + thread] = block * 100 + thread;
    }
    """
    x = cp.zeros((30, 24), np.int32)
    run(code, x, grid=(2, 3, 5), block=(4, 3, 2))
    check(x, np.arange(30, dtype=np.int32)[:, None] * np.int32(100) + np.arange(24, dtype=np.int32))


def test_streams():
    kernel = cp.RawKernel(ADD, "my_add")
    x, y = cp.ones(32, np.float32), cp.zeros(32, np.float32)
    stream = cp.cuda.Stream()
    cp.Device().synchronize()
    with stream:
        kernel((1,), (32,), (x, x, y))
    kernel((1,), (32,), (y, x, y), stream=stream)
    stream.synchronize()
    check(y, np.full(32, 3, np.float32))


def test_kernels_see_pending_arrays():
    """Arrays whose elements are still to be computed are computed before the kernel runs."""
    x = cp.arange(32, dtype=np.float32)
    y = cp.zeros(32, np.float32)
    before = y + 1
    cp.RawKernel(ADD, "my_add")((1,), (32,), (x * 2, x + 1, y))
    check(y, np.arange(32, dtype=np.float32) * 3 + 1)
    check(before, np.ones(32, np.float32))


def test_attributes():
    kernel = cp.RawKernel(
        r"""extern "C" __global__ void k(int* x) { extern __shared__ int s[]; s[threadIdx.x] = 1; __syncthreads();
        x[threadIdx.x] = s[threadIdx.x]; }""",
        "k",
    )
    assert set(kernel.attributes) >= {"max_threads_per_block", "num_regs", "max_dynamic_shared_size_bytes"}
    assert kernel.max_threads_per_block == 1024
    assert kernel.max_dynamic_shared_size_bytes >= 48 * 1024 - 16
    x = cp.zeros(32, np.int32)
    if cp.Device().backend != "hip":  # Where all of it is there without asking.
        with pytest.raises(cp.DeviceError, match="k"):
            kernel((1,), (32,), (x,), shared_mem=60_000)
    kernel.max_dynamic_shared_size_bytes = 65_536
    assert kernel.max_dynamic_shared_size_bytes == 65_536
    kernel((1,), (32,), (x,), shared_mem=60_000)
    check(x, np.ones(32, np.int32))
    with pytest.raises(cp.DeviceError):
        kernel.max_dynamic_shared_size_bytes = 10_000_000
    assert (kernel.name, kernel.backend, kernel.options) == ("k", "nvrtc", ())
    for name in ("num_regs", "local_size_bytes", "const_size_bytes", "shared_size_bytes", "binary_version"):
        assert isinstance(getattr(kernel, name), int)


def test_options():
    code = r"""extern "C" __global__ void k(int* x) { x[0] = VALUE; }"""
    x = cp.zeros(1, np.int32)
    for value in (3, 4):
        run(code, x, options=(f"-DVALUE={value}",))
        assert int(x[0]) == value


def test_headers_of_the_users(tmp_path):
    header = tmp_path / "own.h"
    code = '#include "own.h"\nextern "C" __global__ void k(int* x) { x[0] = value(); }'
    x = cp.zeros(1, np.int32)
    for value in (3, 4):
        header.write_text(f"__device__ int value() {{ return {value}; }}")
        run(code, x, options=("-I", str(tmp_path)))
        assert int(x[0]) == value


def test_errors_of_the_compiler():
    kernel = cp.RawKernel('\n\nextern "C" __global__ void broken(int* x) {\n  x[0] = undeclared;\n}', "broken")
    with pytest.raises(cp.CompileError, match="undeclared") as caught:
        kernel((1,), (1,), (cp.zeros(1, np.int32),))
    assert "broken.cu" in caught.value.log and "4" in caught.value.log
    assert "4 |   x[0] = undeclared;" in str(caught.value)
    assert isinstance(caught.value, cp.cuda.compiler.CompileException)
    with pytest.raises(AttributeError, match="other"):
        cp.RawKernel(ADD, "other")((1,), (1,), ())


def test_bad_launches():
    kernel = cp.RawKernel(ADD, "my_add")
    x = cp.zeros(4, np.float32)
    for grid, block in (((0,), (1,)), ((1,), (0,)), ((1,), (-1,)), ((1, 1, 1, 1), (1,)), ((), (1,))):
        with pytest.raises(ValueError, match="my_add"):
            kernel(grid, block, (x, x, x))
    for grid, block in (((1,), (2048,)), ((1,), (64, 64)), ((1, 70_000), (1,))):
        with pytest.raises(cp.DeviceError, match="my_add"):
            kernel(grid, block, (x, x, x))
    with pytest.raises(TypeError):
        kernel(("1",), (1,), (x, x, x))
    kernel((1,), (4,), (x, x, x))


def test_bad_arguments(on_cpu):
    kernel = cp.RawKernel(ADD, "my_add")
    x = cp.zeros(4, np.float32)
    for wrong in ("text", object(), np.zeros(3), [1, 2]):
        with pytest.raises(TypeError, match="my_add"):
            kernel((1,), (4,), (x, x, wrong))
    with pytest.raises(OverflowError):
        kernel((1,), (4,), (x, x, 2**64))
    if on_cpu:
        with pytest.raises(TypeError, match="takes 3 arguments, 2 were given"):
            kernel((1,), (4,), (x, x))
        with pytest.raises(TypeError, match="argument 2"):
            kernel((1,), (4,), (x, x, np.float32(3)))


def test_bad_definitions(tmp_path):
    with pytest.raises(TypeError):
        cp.RawModule()
    with pytest.raises(TypeError):
        cp.RawModule(code="", path="x")
    with pytest.raises(TypeError):
        cp.RawKernel(ADD, "my_add", options="-DX")
    with pytest.raises(ValueError):
        cp.RawKernel(ADD, "my_add", backend="other")
    with pytest.raises(FileNotFoundError):
        cp.RawModule(path=str(tmp_path / "missing.cubin"))
    (tmp_path / "bad.cubin").write_bytes(b"no machine code")
    with pytest.raises(cp.DeviceError):
        cp.RawModule(path=str(tmp_path / "bad.cubin")).compile()


def test_failures_inside_kernels(on_cpu):
    if not on_cpu:
        pytest.skip("a failing assertion loses a GPU's context")
    x = cp.zeros(1, np.int32)
    with pytest.raises(cp.DeviceError, match=r"kernel k: block \(0, 0, 0\): k.cu:1: .* Assertion `x\[0\] == 1` failed"):
        run('extern "C" __global__ void k(int* x) { assert(x[0] == 1); }', x)
    with pytest.raises(cp.DeviceError, match="deadlock.*16 wait for __syncwarp"):
        code = 'extern "C" __global__ void k(int* x) { if (threadIdx.x < 16) __syncwarp(); else __syncthreads(); }'
        run(code, x, block=(32,))


def test_printing(run_python):
    code = """
import cuproxide as cp
cp.RawKernel('extern "C" __global__ void k(int n) { printf("%d of %d\\\\n", threadIdx.x, n); }', "k")((1,), (2,), (2,))
cp.Device().synchronize()
"""
    result = run_python(code)
    assert sorted(result.stdout.split("\n")) == ["", "0 of 2", "1 of 2"], result.stderr


def test_without_a_compiler(run_python, on_cpu, tmp_path):
    if not on_cpu:
        pytest.skip("the GPU's compiler is a library")
    code = f"""
import cuproxide as cp
try:
    cp.RawKernel({ADD!r}, "my_add").compile()
except cp.MissingLibraryError as error:
    print(error)
"""
    result = run_python(code, PATH=tmp_path, CXX="", VIRTUAL_ENV="")
    if "ziglang" not in result.stderr + result.stdout:
        pytest.skip("the package ziglang is installed")
    assert "a C++ compiler could not be loaded" in result.stdout and "apt install g++" in result.stdout
    result = run_python(code, CXX="no-such-compiler")
    assert "no-such-compiler" in result.stdout


def test_the_cache_on_disk(run_python, tmp_path, on_cpu):
    if not on_cpu:
        pytest.skip("the cache of GPU kernels is tested elsewhere")
    code = f"""
import cuproxide as cp, os
if os.environ.get("BREAK"):
    os.environ["TMPDIR"] = "/nowhere"
x = cp.arange(4, dtype=cp.float32)
cp.RawKernel({ADD!r}, "my_add")((1,), (4,), (x, x, x))
print(x)
"""
    for _ in range(2):
        assert run_python(code, CUPROXIDE_CACHE_DIR=tmp_path).stdout == "[0. 2. 4. 6.]\n"
    files = list(tmp_path.iterdir())
    assert len(files) == 1
    files[0].write_bytes(files[0].read_bytes()[:1000])
    assert run_python(code, CUPROXIDE_CACHE_DIR=tmp_path).stdout == "[0. 2. 4. 6.]\n"


def test_threads():
    """Many threads may compile and launch one kernel at a time."""
    kernel = cp.RawKernel(ADD.replace("my_add", "threaded"), "threaded")
    x = cp.arange(256, dtype=np.float32)

    def work(_):
        y = cp.zeros(256, np.float32)
        kernel((8,), (32,), (x, x, y))
        return cp.asnumpy(y)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for result in pool.map(work, range(32)):
            np.testing.assert_array_equal(result, np.arange(256) * 2)


def test_memoize_and_clear_memo():
    calls = []

    @cp.memoize()
    def make(a, b=2):
        calls.append((a, b))
        return a + b

    @cp.memoize(for_each_device=True)
    def place():
        calls.append("place")
        return str(cp.Device())

    assert [make(1), make(1), make(1, b=3), place(), place()] == [3, 3, 4, str(cp.Device()), str(cp.Device())]
    assert calls == [(1, 2), (1, 3), "place"]
    cp.clear_memo()
    assert make(1) == 3 and len(calls) == 4
    assert make.__name__ == "make"


def test_fuse():
    @cp.fuse()
    def squared_diff(x, y):
        return (x - y) * (x - y)

    @cp.fuse(kernel_name="total")
    def sum_of_products(x, y):
        return cp.sum(x * y, axis=-1)

    @cp.fuse
    def plain(x):
        """Doc."""
        return x + 1

    host = np.arange(10)
    check(squared_diff(cp.arange(10), cp.arange(10)[::-1]), (host - host[::-1]) ** 2)
    assert (squared_diff(host, host[::-1]) == (host - host[::-1]) ** 2).all()
    check(sum_of_products(cp.arange(10), cp.arange(10)), np.asarray(285))
    assert sum_of_products.kernel_name == "total" and plain.kernel_name == "plain"
    check(plain(cp.arange(3)), np.arange(3) + 1)
    assert plain.__doc__ == "Doc."
    with pytest.raises(TypeError):
        cp.fuse(nonsense=1)


def test_a_shared_library_can_be_loaded(tmp_path, on_cpu):
    if not on_cpu:
        pytest.skip("cubins are made by the vendor's compiler")
    with pytest.raises(cp.DeviceError, match="os"):
        path = tmp_path / "os.so"
        path.write_bytes(open(os.path.realpath("/proc/self/exe"), "rb").read()[:100])
        cp.RawModule(path=str(path)).compile()


WARPS = {
    "masks": "v += __shfl_down_sync(0xffffffffu, v, 1);",
    "counts": "if (threadIdx.x % 32 == 0) v += (float)__any(v > 0);",
    "neither": "v += threadIdx.x % 32;",
}


@pytest.mark.parametrize("text", WARPS)
def test_assumptions_about_warps_are_warned_of_once(text):
    device = cp.Device()
    wide = device.backend == "hip" and device.attributes["WarpSize"] == 64
    if text == "counts" and device.backend != "hip":
        pytest.skip("votes without masks are AMD's")
    body = f"float v = x[threadIdx.x]; {WARPS[text]} x[threadIdx.x] = v;"
    kernel = cp.RawKernel(f'extern "C" __global__ void {text}(float* x) {{ {body} }}', text)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for _ in range(2):
            kernel((1,), (64,), (cp.zeros(64, np.float32),))
    if not wide or text == "neither":
        assert not found
        return
    (warning,) = found
    assert warning.category is RuntimeWarning and warning.filename == __file__
    assert f"kernel {text} on {device.backend}:" in str(warning.message) and "64 threads" in str(warning.message)


def test_choices_between_types_by_cupys_names():
    text = """
    using signed_t = typename cupy::type_traits::conditional<
        cupy::type_traits::is_same<T, unsigned long long>::value, long long, T>::type;
    y = signed_t(x) < 0;
    """
    kernel = cp.ElementwiseKernel("T x", "bool y", text, "is_negative")
    assert kernel(cp.asarray([2**64 - 1, 1], "Q")).tolist() == [True, False]
    assert kernel(cp.asarray([-1.5, 1])).tolist() == [True, False]


def test_traits_of_types():
    """What CuPy's `cuda_workaround.h` gives programs whose compiler has no standard library."""
    text = r"""
    #include <cupy/cuda_workaround.h>
    #include <cupy/math_constants.h>
    template <> struct std::is_floating_point<float16> : std::true_type {};
    template <> struct std::is_signed<float16> : std::true_type {};
    template <class T> __device__ typename std::enable_if<std::is_signed<T>::value, T>::type size(T x) {
        return x < T(0) ? T(-x) : x;
    }
    template <class T> __device__ typename std::enable_if<std::is_unsigned<T>::value, T>::type size(T x) { return x; }
    template <class T> __device__ typename std::make_unsigned<T>::type bits(T x) {
        return size(typename std::make_unsigned<T>::type(x));
    }
    static_assert(std::is_same<std::remove_cv<const int>::type, int>::value, "");
    """
    assert cp.ElementwiseKernel("T x", "T y", "y = size(x)", "size_of", preamble=text)(
        cp.asarray([-2.5, 3])
    ).tolist() == [2.5, 3]
    halves = cp.asarray([-2.5, 3], "e")
    assert cp.ElementwiseKernel("T x", "T y", "y = size(x)", "size_of_half", preamble=text)(halves).tolist() == [2.5, 3]
    kernel = cp.ElementwiseKernel(
        "int32 x", "uint32 y, float64 z", "y = bits(x); z = CUDART_PI", "bits_of", preamble=text
    )
    y, z = kernel(cp.asarray([-1, 7], "i"))
    assert y.tolist() == [2**32 - 1, 7] and z.tolist() == [np.pi] * 2


@pytest.mark.parametrize(
    ("dtype", "function", "values"),
    [
        ("q", "atomicAdd", [3, -5, 2**40]),
        ("e", "atomicAdd", [0.5, 1.25, -4]),
        ("f", "atomicMax", [-3.5, 2.25, np.nan, 1]),
        ("d", "atomicMax", [-3.5, -2.25, -9]),
        ("f", "atomicMin", [-3.5, 2.25, -0.0]),
        ("d", "atomicMin", [3.5, 2.25, np.nan]),
    ],
)
def test_updates_that_cupys_header_adds(dtype, function, values):
    """Of types that CUDA has no such functions for."""
    x = cp.asarray(values, dtype)
    out = cp.full(1, values[0], dtype)
    if function == "atomicAdd":
        wanted = np.sum(np.array(values + values[:1], dtype))
    else:
        wanted = (np.nanmax if function == "atomicMax" else np.nanmin)(np.array(values, dtype))
    cp.ElementwiseKernel("T x", "raw T y", f"{function}(&y[0], x)", f"{function}_{dtype}")(x, out)
    assert out.get()[0] == wanted


def test_constants_without_a_header():
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x > 0 ? T(CUDART_NAN) : T(CUDART_PI)", "constants")
    np.testing.assert_array_equal(kernel(cp.asarray([1.0, -1.0])).get(), [np.nan, np.pi])
