// Read before texts of the user's that name how a result is rounded: to zero, up or down, for which AMD's run-time compiler has
// no names. Sums and products are its library's; quotients and roots are the nearest, moved where they lie on the wrong side.

#ifdef __AMDGCN__
// A result that is too large by `excess`, or by less than nothing too small, moved by a unit in its last place if that is in
// the direction of `toward`.
__device__ inline float __cpx_moved(float result, double excess, float toward) {
    return (excess > 0 && toward < result) || (excess < 0 && toward > result) ? nextafterf(result, toward) : result;
}
__device__ inline double __cpx_moved(double result, double excess, double toward) {
    return (excess > 0 && toward < result) || (excess < 0 && toward > result) ? nextafter(result, toward) : result;
}

// Products of floats are exact as doubles.
__device__ inline float __cpx_quotient(float a, float b, float toward) {
    const float quotient = __fdiv_rn(a, b);
    if (b == 0 || isinf(a) || isinf(b)) return quotient;
    const double excess = (double)quotient * (double)b - (double)a;
    return __cpx_moved(quotient, b < 0 ? -excess : excess, toward);
}
__device__ inline float __cpx_root(float a, float toward) {
    const float root = __fsqrt_rn(a);
    return isinf(a) ? root : __cpx_moved(root, (double)root * (double)root - (double)a, toward);
}

// What would leave the range of doubles is multiplied by powers of two.
__device__ inline double __cpx_quotient(double a, double b, double toward) {
    const double quotient = __ddiv_rn(a, b);
    if (b == 0 || isinf(a) || isinf(b)) return quotient;
    const double scale = fabs(a) < 0x1p-900 ? 0x1p200 : 1;
    const bool is_product = quotient != 0 && !isinf(quotient);
    const double excess = is_product ? __builtin_fma(quotient, b * scale, -a * scale) : quotient * b - a;
    return __cpx_moved(quotient, b < 0 ? -excess : excess, toward);
}
__device__ inline double __cpx_root(double a, double toward) {
    const double scale = a < 0x1p-900 ? 0x1p100 : 1, root = __dsqrt_rn(a * scale * scale);
    return isinf(a) ? root : __cpx_moved(root, __builtin_fma(root, root, -a * scale * scale), toward) / scale;
}

#define CPX_DIRECTION(type, letter, fused, size, suffix, direction, toward)                                         \
    extern "C" __device__ type __ocml_add_##direction##_##size(type, type);                                         \
    extern "C" __device__ type __ocml_sub_##direction##_##size(type, type);                                         \
    extern "C" __device__ type __ocml_mul_##direction##_##size(type, type);                                         \
    extern "C" __device__ type __ocml_fma_##direction##_##size(type, type, type);                                   \
    __device__ inline type __##letter##add_##suffix(type a, type b) { return __ocml_add_##direction##_##size(a, b); } \
    __device__ inline type __##letter##sub_##suffix(type a, type b) { return __ocml_sub_##direction##_##size(a, b); } \
    __device__ inline type __##letter##mul_##suffix(type a, type b) { return __ocml_mul_##direction##_##size(a, b); } \
    __device__ inline type __##fused##_##suffix(type a, type b, type c) {                                           \
        return __ocml_fma_##direction##_##size(a, b, c);                                                            \
    }                                                                                                               \
    __device__ inline type __##letter##div_##suffix(type a, type b) { return __cpx_quotient(a, b, (type)toward); }    \
    __device__ inline type __##letter##rcp_##suffix(type a) { return __cpx_quotient((type)1, a, (type)toward); }      \
    __device__ inline type __##letter##sqrt_##suffix(type a) { return __cpx_root(a, (type)toward); }
#define CPX_DIRECTIONS(type, letter, fused, size)                           \
    CPX_DIRECTION(type, letter, fused, size, rz, rtz, 0)                    \
    CPX_DIRECTION(type, letter, fused, size, ru, rtp, __builtin_inff())     \
    CPX_DIRECTION(type, letter, fused, size, rd, rtn, -__builtin_inff())
CPX_DIRECTIONS(float, f, fmaf, f32)
CPX_DIRECTIONS(double, d, fma, f64)
#undef CPX_DIRECTION
#undef CPX_DIRECTIONS
#endif
