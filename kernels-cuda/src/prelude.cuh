// CUDA dialect: the names that kernels are written in and that each vendor spells its own way. No vendor header is needed
// or wanted: each one costs tens of milliseconds at run time. `common.cuh` follows.

#define DEVICE static __device__ __forceinline__
#define FUNCTION static __device__ __noinline__
#define DEVICE_MEMBER __device__ __forceinline__
#define ENTRY(threads) extern "C" __global__ __launch_bounds__(threads)
// A kernel of which so many blocks are to run on a processor at a time.
#define ENTRY_RESIDENT(threads, blocks) extern "C" __global__ __launch_bounds__(threads, blocks)
#define ARGUMENT const __grid_constant__
#define SHARED __shared__
#define CONSTANT __constant__
#define UNROLLED _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")

// Threads that run in lock step, and a bit for each.
enum { WARP = 32 };
typedef unsigned int LaneMask;

DEVICE float widen_half(unsigned short bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

DEVICE unsigned short narrow_to_half(float value) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

// The square root as IEEE 754 rounds it, of finite numbers from 2^-100 on and of all. sqrtf branches to a function for numbers
// at the ends of the range, which cuts what is around it apart; here they are scaled, by 2^64 and 2^-32.
DEVICE float normal_root(float x) {
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    const float guess = x * inverse, rest = fmaf(-guess, guess, x);
    return fmaf(rest, inverse * 0.5f, guess);
}
DEVICE float exact_root(float x) {
    const bool small = x < 7.888609052210118e-31f;
    const float root = normal_root(small ? x * 18446744073709551616.0f : x);
    return x == 0.0f || x > 3.402823466e38f ? x : small ? root * 2.3283064365386963e-10f : root;
}

// The smaller and the larger of two numbers: a NaN wins, and -0 is smaller than 0, so that the extremum of many numbers
// does not depend on their order.
#if __CUDA_ARCH__ >= 800
#define EXTREMA_HAVE_ONE_NAN 1
DEVICE float minimum(float a, float b) {
    float value;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
    return value;
}
DEVICE float maximum(float a, float b) {
    float value;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
    return value;
}
#else
#define EXTREMA_HAVE_ONE_NAN 0
DEVICE float minimum(float a, float b) {
    const float chosen = a < b || a != a ? a : b;
    return a == b ? __int_as_float(__float_as_int(a) | __float_as_int(b)) : chosen;
}
DEVICE float maximum(float a, float b) {
    const float chosen = a > b || a != a ? a : b;
    return a == b ? __int_as_float(__float_as_int(a) & __float_as_int(b)) : chosen;
}
#endif

// What every lane of a warp calls together: the values of other lanes, and which lanes vote for something.
template <class T> DEVICE T shuffle_down(T value, unsigned lanes) { return __shfl_down_sync(0xffffffffu, value, lanes); }
template <class T> DEVICE T shuffle_up(T value, unsigned lanes) { return __shfl_up_sync(0xffffffffu, value, lanes); }
template <class T> DEVICE T shuffle_xor(T value, unsigned lanes) { return __shfl_xor_sync(0xffffffffu, value, lanes); }
template <class T> DEVICE T shuffle_from(T value, unsigned lane) { return __shfl_sync(0xffffffffu, value, lane); }
DEVICE LaneMask ballot(bool vote) { return __ballot_sync(0xffffffffu, vote); }
DEVICE void warp_barrier() { __syncwarp(); }

// How blocks pass words on to later blocks of the same launch.
template <class T> DEVICE T read_word(const T* at) { return *(const volatile T*)at; }
template <class T> DEVICE void write_word(T* at, T value) { *(volatile T*)at = value; }

// Puts `next` where `old` is found; returns what was found.
template <class T> DEVICE T swap_if_equal(T* at, T old, T next) { return atomicCAS(at, old, next); }

// Accesses of 16 bytes to memory that is not needed again soon; a dialect without them leaves STREAMED undefined.
#define STREAMED
template <class T> DEVICE T load_streamed(const T* from) {
    union { unsigned words[4]; T value; } both;
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(both.words[0]), "=r"(both.words[1]), "=r"(both.words[2]), "=r"(both.words[3]) : "l"(from) : "memory");
    return both.value;
}
template <class T> DEVICE void store_streamed(T* to, const T& value) {
    union { T value; unsigned words[4]; } both;
    both.value = value;
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
        :: "l"(to), "r"(both.words[0]), "r"(both.words[1]), "r"(both.words[2]), "r"(both.words[3]) : "memory");
}
