// CUDA dialect: the names that generated kernels are written in. No vendor header is needed or wanted: each one costs
// tens of milliseconds at run time.

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef unsigned char byte;

#define DEVICE static __device__ __forceinline__
#define ENTRY(threads) extern "C" __global__ __launch_bounds__(threads)
// A kernel of which so many blocks are to run on a processor at a time.
#define ENTRY_RESIDENT(threads, blocks) extern "C" __global__ __launch_bounds__(threads, blocks)
#define ARGUMENT const __grid_constant__
#define SHARED __shared__
#define UNROLLED _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")

enum { WARP = 32 };

DEVICE u32 thread() { return threadIdx.x; }
DEVICE u32 block() { return blockIdx.x; }
DEVICE u32 block_size() { return blockDim.x; }
DEVICE void barrier() { __syncthreads(); }

DEVICE u32 multiply_high(u32 a, u32 b) { return __umulhi(a, b); }
DEVICE u64 multiply_high(u64 a, u64 b) { return __umul64hi(a, b); }
DEVICE u32 popcount(u32 a) { return (u32)__popc(a); }
DEVICE u64 popcount(u64 a) { return (u64)__popcll(a); }

// The vendor's function rounds up to infinity where one side is next to the largest number.
DEVICE f32 hypotenuse(f32 a, f32 b) {
    const f32 length = hypotf(a, b), wide = fmaxf(fabsf(a), fabsf(b)), ratio = fminf(fabsf(a), fabsf(b)) / wide;
    return isinf(length) && !isinf(wide) ? wide * sqrtf(1.0f + ratio * ratio) : length;
}
DEVICE f64 hypotenuse(f64 a, f64 b) {
    const f64 length = hypot(a, b), wide = fmax(fabs(a), fabs(b)), ratio = fmin(fabs(a), fabs(b)) / wide;
    return isinf(length) && !isinf(wide) ? wide * sqrt(1.0 + ratio * ratio) : length;
}

template <class To, class From> DEVICE To bitcast(From from) {
    union { From from; To to; } both;
    both.from = from;
    return both.to;
}

DEVICE f32 half_to_float(u16 bits) {
    f32 value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

DEVICE u16 float_to_half(f32 value) {
    u16 bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

// The smaller and the larger of two numbers; a NaN wins.
#if __CUDA_ARCH__ >= 800
DEVICE f32 minimum(f32 a, f32 b) {
    f32 value;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
    return value;
}
DEVICE f32 maximum(f32 a, f32 b) {
    f32 value;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
    return value;
}
#else
DEVICE f32 minimum(f32 a, f32 b) { return a < b || a != a ? a : b; }
DEVICE f32 maximum(f32 a, f32 b) { return a > b || a != a ? a : b; }
#endif
DEVICE f64 minimum(f64 a, f64 b) { return a < b || a != a ? a : b; }
DEVICE f64 maximum(f64 a, f64 b) { return a > b || a != a ? a : b; }

DEVICE u32 shuffle_down(u32 value, u32 lanes) { return __shfl_down_sync(0xffffffffu, value, lanes); }
DEVICE u32 shuffle_up(u32 value, u32 lanes) { return __shfl_up_sync(0xffffffffu, value, lanes); }
DEVICE u32 shuffle_from(u32 value, u32 lane) { return __shfl_sync(0xffffffffu, value, lane); }

DEVICE void warp_barrier() { __syncwarp(); }

// How blocks pass words on to later blocks of the same launch.
template <class T> DEVICE T read_word(const T* at) { return *(const volatile T*)at; }
template <class T> DEVICE void write_word(T* at, T value) { *(volatile T*)at = value; }
DEVICE u32 take_ticket(u32* counter) { return atomicAdd(counter, 1u); }

// Keeps an early fault. The word lies in host memory, where the hardware need not have atomics; whole words are enough.
DEVICE void record_fault(u32* word, u32 code) {
    volatile u32* kept = word;
    if (*kept == 0) *kept = code;
}
