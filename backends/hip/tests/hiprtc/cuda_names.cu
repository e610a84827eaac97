// Names that CUDA's compiler knows without a header.

struct Sizes {
    int n;
};

extern "C" __global__ void names(const float* x, float* y, int* counts, const __grid_constant__ Sizes sizes) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sizes.n) return;
    if (x == nullptr) __trap();
    __stcg(y + i, __ldcg(x + i) + __ldca(x + i) + __ldcs(x + i));
    atomicAdd_block(counts, __dp4a(i, 0x01020304, 0));
    atomicMax_block(counts + 1, (int)__dp4a((unsigned)i, 0x01020304u, 0u));
    __nanosleep(20);
}

// The lanes that hold the same bits.
extern "C" __global__ void same_bits(const float* x, const double* y, unsigned* found) {
    found[threadIdx.x] = __match_any_sync(0xffffffff, x[threadIdx.x]) & __match_any_sync(0xffffffff, y[threadIdx.x]);
}

// How texts tell CUDA's compiler from others.
#ifdef __CUDACC__
#define BOTH __host__ __device__
#endif
#ifndef __CUDACC_RTC__
#error "a compiler of files"
#endif
#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) { return *address += value; }
#endif
BOTH inline int next(int x) { return x + 1; }

__managed__ int total;
extern "C" __global__ void without_headers(int* x, unsigned short* words, double* sum) {
    assert(x[0] > 0);
    total = next(x[0]);
    int* more = new int[4];
    more[0] = total;
    x[1] = more[0] + (int)::__ballot_sync(0xffffffffu, x[0] > 0) + ::__any_sync(0xffffffffu, x[1]);
    delete[] more;
    atomicCAS(words, (unsigned short)1, (unsigned short)2);
    atomicAdd(sum, 1.0);
    __prof_trigger(0);
}

extern "C" __global__ void rounded(float* x, double* y) {
    x[0] = __fadd_rz(x[0], 1.f) + __fsub_ru(x[0], 2.f) + __fmul_rd(x[0], x[1]) + __fmaf_rz(x[0], x[1], x[2]);
    x[1] = __fdiv_rd(x[0], x[1]) + __frcp_ru(x[0]) + __fsqrt_rz(x[1]) + __fsqrt_rn(x[2]);
    y[0] = __dadd_rz(y[0], 1.0) + __dsub_ru(y[0], 2.0) + __dmul_rd(y[0], y[1]) + __fma_rz(y[0], y[1], y[2]);
    y[1] = __ddiv_rd(y[0], y[1]) + __drcp_ru(y[0]) + __dsqrt_rz(y[1]) + __dsqrt_rn(y[2]);
}
