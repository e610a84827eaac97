// A program that knows CUDA only: warps of 32 threads with masks, half precision, complex numbers, arrays of the package.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cupy/carray.cuh>
#include <cupy/complex.cuh>
#include <cupy/cuda_workaround.h>
#include <cupy/math_constants.h>

template <> struct std::is_floating_point<float16> : std::true_type {};
template <> struct std::is_signed<float16> : std::true_type {};
template <class T> __device__ std::enable_if_t<std::is_floating_point<T>::value || std::is_signed<T>::value, T> size(T x) {
    return x < T(0) ? T(-x) : x;
}
template <class T> __device__ std::enable_if_t<std::is_unsigned<T>::value, T> size(T x) { return x; }
template <class T> __device__ std::make_unsigned_t<T> bits(T x) { return size(std::make_unsigned_t<T>(x)); }
extern "C" __global__ void traits(float16* h) { h[0] = size(float16(h[1])) + size(-2.5f) + bits(-3); }
extern "C" __global__ void updates(long long* n, float16* h, float* x, double* y) {
    atomicAdd(n, -3ll);
    atomicAdd(h, float16(0.5f));
    atomicMax(x, 2.0f);
    atomicMin(y, CUDART_PI);
}

template <typename T> __device__ T warp_sum(T value) {
    for (int by = warpSize / 2; by > 0; by /= 2) value += __shfl_down_sync(0xffffffff, value, by);
    return value;
}

extern "C" __global__ void block_sum(const float* x, float* out, int n) {
    __shared__ float sums[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += __ldg(&x[i]);
    sum = warp_sum(sum);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < (int)blockDim.x / warpSize ? sums[lane] : 0.0f;
        sum = warp_sum(sum);
        if (lane == 0) atomicAdd(out, sum);
    }
}

extern "C" __global__ void votes(const int* x, unsigned* out) {
    const unsigned full = 0xffffffffu, at = blockIdx.x * blockDim.x + threadIdx.x;
    const int value = x[at];
    unsigned result = __ballot_sync(full, value > 0);
    result ^= __popc(__activemask()) + __any_sync(full, value > 3) + 2 * __all_sync(full, value > -9);
    result += __shfl_sync(full, value, 3) + __shfl_up_sync(full, value, 1) + __shfl_xor_sync(full, value, 1, 16);
    result += __match_any_sync(full, value) + __reduce_add_sync(full, (unsigned)value);
    int agreed;
    result += __match_all_sync(full, value, &agreed) + agreed;
    __syncwarp();
    out[at] = result;
}

template <typename T> __global__ void scale(CArray<T, 2> x, CIndexer<2> at, float by) {
    CUPY_FOR(i, at.size()) { at.set(i); x._indexing(at.get()) = x[i] * T(by); }
}
template __global__ void scale<float>(CArray<float, 2>, CIndexer<2>, float);
template __global__ void scale<float16>(CArray<float16, 2>, CIndexer<2>, float);
template __global__ void scale<complex<float>>(CArray<complex<float>, 2>, CIndexer<2>, float);

extern "C" __global__ void mixed(complex<double>* z, __half* h, __half2* pair, __nv_bfloat16* b, cuFloatComplex* c) {
    z[0] = exp(z[0]) / 2.0 + pow(z[1], complex<float>(1, 2)) * asin(z[2]) + abs(z[3]) + CUDART_PI;
    h[0] = __hadd(h[1], __float2half(1.5f));
    h[2] = __hfma(h[3], __double2half(0.1), h[4]);
    if (__hlt(h[5], h[6])) h[7] = hsqrt(h[5]);
    atomicAdd(&h[8], h[9]);
    pair[0] = __hmax2(__hadd2(pair[1], __floats2half2_rn(1.0f, 2.0f)), __half2half2(h[0]));
    b[0] = __float2bfloat16(__bfloat162float(b[1]) + 1.0f);
    c[0] = cuCmulf(c[1], make_cuFloatComplex(1, 2));
}

// Pairs of numbers of 16 bits.
extern "C" __global__ void pairs(__half2* h, __nv_bfloat162* b, float2* f) {
    h[0] = __hfma2(h[1], h[2], __float22half2_rn(f[0]));
    b[0] = __hfma2(b[1], h2sqrt(b[2]), __floats2bfloat162_rn(f[0].x, f[0].y)) + -b[3];
    f[1] = __bfloat1622float2(__hmax2(b[0], __bfloat162bfloat162(__low2bfloat16(b[1]))));
    if (__hbgt2(b[0], b[1])) atomicAdd(b, b[1]);
    atomicAdd(h, h[1]);
}

// What texts bring along for devices that lack it.
#if __CUDA_ARCH__ < 700
__device__ __half atomicAdd(__half* address, __half value) { return *address = __hadd(*address, value); }
#endif
#if __CUDA_ARCH__ < 800
__device__ __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) { return *address = *address + value; }
#endif
__device__ void* operator new(decltype(sizeof(0)) bytes) { return malloc(bytes); }
extern "C" __global__ void own(__half* h, __nv_bfloat16* b, int** x) {
    atomicAdd(h, h[1]);
    atomicAdd(b, b[1]);
    x[0] = new int;
}
