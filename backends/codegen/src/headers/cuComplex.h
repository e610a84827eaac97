// Complex numbers as pairs, in CUDA's C spelling, for where the vendor's header is missing.
#pragma once

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define CPX_DEVICE __host__ __device__ static inline
#define CPX_PAIR(Pair, T, letter, make, length)                                                              \
    CPX_DEVICE T cuCreal##letter(Pair z) { return z.x; }                                                     \
    CPX_DEVICE T cuCimag##letter(Pair z) { return z.y; }                                                     \
    CPX_DEVICE Pair cuConj##letter(Pair z) { return make(z.x, -z.y); }                                       \
    CPX_DEVICE Pair cuCadd##letter(Pair a, Pair b) { return make(a.x + b.x, a.y + b.y); }                    \
    CPX_DEVICE Pair cuCsub##letter(Pair a, Pair b) { return make(a.x - b.x, a.y - b.y); }                    \
    CPX_DEVICE Pair cuCmul##letter(Pair a, Pair b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
    CPX_DEVICE Pair cuCdiv##letter(Pair a, Pair b) {                                                         \
        const T scale = (T)1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                            \
        const T ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;                      \
        const T inverse = (T)1 / (br * br + bi * bi);                                                        \
        return make((ar * br + ai * bi) * inverse, (ai * br - ar * bi) * inverse);                           \
    }                                                                                                        \
    CPX_DEVICE T cuCabs##letter(Pair z) { return length(z.x, z.y); }                                         \
    CPX_DEVICE Pair cuCfma##letter(Pair a, Pair b, Pair c) { return cuCadd##letter(cuCmul##letter(a, b), c); }

CPX_DEVICE cuFloatComplex make_cuFloatComplex(float re, float im) { return make_float2(re, im); }
CPX_DEVICE cuDoubleComplex make_cuDoubleComplex(double re, double im) { return make_double2(re, im); }
CPX_DEVICE cuComplex make_cuComplex(float re, float im) { return make_float2(re, im); }
CPX_PAIR(cuFloatComplex, float, f, make_float2, hypotf)
CPX_PAIR(cuDoubleComplex, double, , make_double2, hypot)
CPX_DEVICE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_double2(z.x, z.y); }
CPX_DEVICE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_float2((float)z.x, (float)z.y); }

#undef CPX_PAIR
#undef CPX_DEVICE
