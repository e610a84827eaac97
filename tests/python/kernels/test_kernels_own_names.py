"""Texts that define names which the host's headers have too, as texts for a GPU's compiler may."""

from __future__ import annotations

import cuproxide as cp
import numpy as np
import pytest

ON_CPU = cp.Device().backend == "cpu"
cpu_only = pytest.mark.skipif(not ON_CPU, reason="which of these names are free depends on the vendor's compiler")


def run(code, size=8, dtype="i8", **kwargs):
    out = cp.zeros(size, dtype)
    cp.RawKernel(code, "k", **kwargs)((1,), (1,), (out,))
    return cp.asnumpy(out).tolist()


def test_fixed_width_integers_of_the_text():
    code = """
    typedef signed char int8_t;
    typedef unsigned char uint8_t;
    typedef int int32_t;
    typedef unsigned int uint32_t;
    typedef long long int64_t;
    typedef unsigned long long uint64_t;
    static __device__ uint64_t rotl64(uint64_t x, int8_t r) { return (x << r) | (x >> (64 - r)); }
    extern "C" __global__ void k(uint64_t* out) {
        out[0] = rotl64(0xff00000000000001ull, 8);
        out[1] = sizeof(int8_t) + 10 * sizeof(uint8_t) + 100 * sizeof(int32_t) + 1000 * sizeof(uint32_t);
        out[2] = sizeof(int64_t) + 10 * sizeof(uint64_t);
        atomicAdd(&out[3], (uint64_t)5);
    }
    """
    assert run(code, dtype="u8")[:4] == [0x1FF, 4411, 88, 5]


def test_an_elementwise_kernel_with_a_preamble_of_its_own_types():
    kernel = cp.ElementwiseKernel(
        "int32 seed",
        "T y",
        "uint64_t state[2]; start(state, i, seed); y = uniform(state)",
        "xorshift",
        preamble="""
        #ifndef __HIPCC__
        typedef unsigned long long uint64_t;
        #endif
        __device__ inline void start(uint64_t* s, int i, int seed) { s[0] = i + 1; s[1] = 0x87654321ull + seed; }
        __device__ inline double uniform(uint64_t* s) {
            uint64_t a = s[0];
            const uint64_t b = s[1];
            s[0] = b;
            a ^= a << 23;
            s[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
            return (s[1] + b) * (1.0 / 18446744073709551616.0);
        }
        """,
    )
    got = kernel(cp.int32(7), cp.empty(1000))
    state = [np.arange(1, 1001, dtype="u8"), np.full(1000, 0x87654321 + 7, "u8")]
    a, b = state
    a = a ^ (a << np.uint64(23))
    last = a ^ b ^ (a >> np.uint64(17)) ^ (b >> np.uint64(26))
    np.testing.assert_array_equal(cp.asnumpy(got), (last + b) * (1.0 / 2**64))


def test_expressions_name_such_types():
    code = """
    typedef unsigned long long uint64_t;
    template <class T> __global__ void fill(T* out) { out[0] = sizeof(T); }
    """
    module = cp.RawModule(code=code, name_expressions=["fill<uint64_t>", "fill<int>"])
    out = cp.zeros(1, "u8")
    module.get_function("fill<uint64_t>")((1,), (1,), (out,))
    assert int(out[0]) == 8


@cpu_only
def test_names_of_the_c_library():
    """Variables, functions and types; `gamma`, `y1` and the like are functions of the library."""
    code = """
    typedef unsigned long long ulong;
    struct div_t { int a; };
    typedef struct { char bytes[3]; } lldiv_t;
    enum timer_t { one = 1 };
    using time_t = short;
    __constant__ float gamma = 2, y1 = 3;
    static const double M_PI = 3;
    __device__ int index(int i, int j) { return i * 10 + j; }
    __device__ unsigned rand(unsigned s) { return s * 2; }
    static inline __device__ int random() { return 4; }
    int linux = 5, unix = 6;
    struct point { int index, gamma; };
    extern "C" __global__ void k(long long* out) {
        point p = {7, 8};
        out[0] = gamma + y1;
        out[1] = sizeof(div_t) + 10 * sizeof(lldiv_t) + 100 * sizeof(time_t) + 1000 * sizeof(ulong);
        out[2] = M_PI;
        out[3] = index(1, 2) + rand(50) + 1000 * random();
        out[4] = linux + 10 * unix + 100 * one;
        out[5] = p.index + 10 * p.gamma;
    }
    """
    assert run(code)[:6] == [5, 8234, 3, 4112, 165, 87]


@cpu_only
def test_variables_are_found_by_the_name_in_the_text():
    """And never those of the C library."""
    code = """
    __device__ float gamma = 2;
    extern "C" { __device__ int daylight = 7; }
    extern "C" __global__ void k(float* out) { out[0] = gamma * daylight; }
    """
    module = cp.RawModule(code=code)
    pointer = module.get_global("gamma")
    cp.ndarray(1, "f4", pointer)[...] = 5
    out = cp.zeros(1, "f4")
    module.get_function("k")((1,), (1,), (out,))
    assert float(out[0]) == 35
    assert int(cp.ndarray(1, "i4", module.get_global("daylight"))[0]) == 7
    for name in ("sin", "stdout", "environ", "timezone"):
        with pytest.raises(AttributeError):
            module.get_global(name)


@cpu_only
def test_shared_memory_may_have_them():
    code = """
    extern "C" __global__ void k(int* out) {
        extern __shared__ int index[];
        __shared__ int gamma[8], y1;
        int t = threadIdx.x;
        index[t] = t, gamma[t] = 10 * t;
        if (t == 0) y1 = 100;
        __syncthreads();
        out[t] = index[7 - t] + gamma[t] + y1;
    }
    """
    out = cp.zeros(8, "i4")
    cp.RawKernel(code, "k")((1,), (8,), (out,), shared_mem=64)
    assert cp.asnumpy(out).tolist() == [7 - t + 10 * t + 100 for t in range(8)]


@cpu_only
def test_what_the_text_only_declares_is_the_libraries():
    code = """
    extern "C" int abs(int);
    extern int daylight;
    extern "C" __global__ void k(int* x) { x[0] = abs(-3) + 0 * daylight; }
    """
    assert run(code, dtype="i4")[0] == 3


@cpu_only
def test_what_a_text_does_not_define_is_there_all_the_same():
    code = """
    #include <cstdint>
    #include <vector>
    __device__ double fmin(double a, float3 b) { return b.x; }
    __device__ int abs(float3 a) { return 9; }
    extern "C" __global__ void k(double* out) {
        std::uint64_t a = ~uint64_t(0);
        out[0] = M_PI;
        out[1] = (a >> 63) + sizeof(size_t) + INT32_MAX % 10;
        out[2] = fmin(1.0, 2.0) + fmin(1.0, make_float3(4, 0, 0)) + abs(-3) + abs(make_float3(0, 0, 0));
        out[3] = std::vector<uint32_t>(3, 2u).size() + NAN * 0 != 0;
    }
    """
    assert run(code, dtype="f8")[:4] == [np.pi, 1 + 8 + 7, 1 + 4 + 3 + 9, 1]


@cpu_only
def test_a_header_of_the_program_may_define_them(tmp_path):
    (tmp_path / "types.h").write_text("typedef unsigned long long uint64_t;\n")
    code = """
    #include "types.h"
    #include <cstdint>
    extern "C" __global__ void k(uint64_t* x) { x[0] = sizeof(std::uint64_t); }
    """
    assert run(code, options=(f"-I{tmp_path}",))[0] == 8


@cpu_only
def test_messages_have_the_names_of_the_text():
    code = 'typedef unsigned long long uint64_t;\nextern "C" __global__ void k(uint64_t* x) { x = 1.5 * x; }'
    with pytest.raises(cp.CompileError) as raised:
        run(code)
    assert "uint64_t" in raised.value.log and "__cpx" not in raised.value.log
