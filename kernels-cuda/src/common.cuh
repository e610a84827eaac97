// Names that kernels of every dialect are written in. A dialect's own text comes before.

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

DEVICE u32 thread() { return threadIdx.x; }
DEVICE u32 block() { return blockIdx.x; }
DEVICE u32 block_size() { return blockDim.x; }
DEVICE u32 blocks() { return gridDim.x; }
DEVICE void barrier() { __syncthreads(); }

DEVICE u32 multiply_high(u32 a, u32 b) { return __umulhi(a, b); }
DEVICE u64 multiply_high(u64 a, u64 b) { return __umul64hi(a, b); }
DEVICE u32 popcount(u32 a) { return (u32)__popc(a); }
DEVICE u64 popcount(u64 a) { return (u64)__popcll(a); }
DEVICE u32 leading_zeros(u32 a) { return (u32)__clz((int)a); }
DEVICE u32 leading_zeros(u64 a) { return (u32)__clzll((long long)a); }
// Of a word that is not 0.
DEVICE u32 trailing_zeros(u32 a) { return (u32)__ffs((int)a) - 1; }
DEVICE u32 trailing_zeros(u64 a) { return (u32)__ffsll((long long)a) - 1; }

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

// The conversions of the hardware make every NaN the same one; these keep its sign and what fits of its payload.
DEVICE f32 half_to_float(u16 bits) {
    if ((bits & 0x7fff) > 0x7c00)
        return bitcast<f32>((u32)(bits & 0x8000) << 16 | 0x7f800000 | (u32)(bits & 0x03ff) << 13);
    return widen_half(bits);
}
// For minimum and maximum, which may make every NaN the same one as well.
DEVICE f32 widen_for_extrema(u16 bits) {
#if EXTREMA_HAVE_ONE_NAN
    return widen_half(bits);
#else
    return half_to_float(bits);
#endif
}
DEVICE u16 float_to_half(f32 value) {
    const u32 wide = bitcast<u32>(value);
    if ((wide & 0x7fffffff) > 0x7f800000) return (u16)((wide >> 16 & 0x8000) | 0x7e00 | (wide >> 13 & 0x03ff));
    return narrow_to_half(value);
}

// As the dialect has them for floats.
DEVICE f64 minimum(f64 a, f64 b) {
    const f64 chosen = a < b || a != a ? a : b;
    return a == b ? bitcast<f64>(bitcast<u64>(a) | bitcast<u64>(b)) : chosen;
}
DEVICE f64 maximum(f64 a, f64 b) {
    const f64 chosen = a > b || a != a ? a : b;
    return a == b ? bitcast<f64>(bitcast<u64>(a) & bitcast<u64>(b)) : chosen;
}

DEVICE u32 take_ticket(u32* counter) { return atomicAdd(counter, 1u); }

// Keeps an early fault. The word lies in host memory, where the hardware need not have atomics; whole words are enough.
DEVICE void record_fault(u32* word, u32 code) {
    volatile u32* kept = word;
    if (*kept == 0) *kept = code;
}
