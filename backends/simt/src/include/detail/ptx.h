// The instructions that texts may name in `asm`: a statement is rewritten to calls of functions of these names, with the
// operands in their order.
#pragma once

namespace __cpx {
namespace ptx {

static inline float widen(unsigned short half) {
    const unsigned sign = (unsigned)(half & 0x8000u) << 16, exponent = half >> 10 & 0x1fu, fraction = half & 0x3ffu;
    if (exponent == 0x1f) return from_bits<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) return from_bits<float>(sign | (exponent + 112u) << 23 | fraction << 13);
    const float tiny = (float)fraction * 5.9604644775390625e-8f;
    return sign ? -tiny : tiny;
}

// Rounds to 11 bits by doubles, which hold every sum exactly. The hardware makes one NaN of all.
static inline unsigned short narrow(double value) {
    const unsigned short sign = std::signbit(value) ? 0x8000u : 0u;
    const double size = std::fabs(value);
    if (value != value) return 0x7fffu;
    if (size >= 65520.0) return (unsigned short)(sign | 0x7c00u);
    if (size < 6.103515625e-05) return (unsigned short)(sign | (unsigned)std::nearbyint(size * 16777216.0));
    int exponent;
    const double fraction = std::frexp(size, &exponent);
    const unsigned whole = (unsigned)std::nearbyint(fraction * 2048.0);
    return (unsigned short)(sign | (((unsigned)(exponent + 13) << 10) + whole));
}

static inline void cvt_f32_f16(float& to, unsigned short from) { to = widen(from); }
static inline void cvt_f64_f16(double& to, unsigned short from) { to = widen(from); }
static inline void cvt_rn_f16_f32(unsigned short& to, float from) { to = narrow(from); }
static inline void cvt_rn_f16_f64(unsigned short& to, double from) { to = narrow(from); }

// Better than the hardware's, which is off by a unit in the last place.
static inline void rsqrt_approx_ftz_f32(float& to, float from) { to = (float)(1.0 / std::sqrt((double)from)); }
// As rough as the hardware's, whose results have 20 bits.
static inline void rcp_approx_ftz_f64(double& to, double from) {
    const double inverse = 1.0 / from;
    unsigned long long bits;
    memcpy(&bits, &inverse, sizeof bits);
    bits &= ~0ull << 32;
    memcpy(&to, &bits, sizeof bits);
}
static inline void min_NaN_f32(float& to, float a, float b) {
    to = a != a || b != b ? __builtin_nanf("") : a < b || (a == b && std::signbit(a)) ? a : b;
}
static inline void max_NaN_f32(float& to, float a, float b) {
    to = a != a || b != b ? __builtin_nanf("") : a > b || (a == b && std::signbit(b)) ? a : b;
}

// Words that pass the caches by.
static inline void ld_global_cs_v4_u32(unsigned& a, unsigned& b, unsigned& c, unsigned& d, const void* from) {
    unsigned words[4];
    memcpy(words, from, sizeof words);
    a = words[0], b = words[1], c = words[2], d = words[3];
}
static inline void st_global_cs_v4_u32(void* to, unsigned a, unsigned b, unsigned c, unsigned d) {
    const unsigned words[4] = {a, b, c, d};
    memcpy(to, words, sizeof words);
}

// Special registers.
#define CPX_REGISTER(name, value) \
    struct name { operator unsigned() const { return value; } };
CPX_REGISTER(laneid, lane())
CPX_REGISTER(warpid, thread_rank() / warpSize)
CPX_REGISTER(lanemask_lt, (unsigned)((1ull << lane()) - 1))
CPX_REGISTER(lanemask_le, (unsigned)((2ull << lane()) - 1))
CPX_REGISTER(lanemask_eq, (unsigned)(1ull << lane()))
CPX_REGISTER(lanemask_gt, (unsigned)~((2ull << lane()) - 1))
CPX_REGISTER(lanemask_ge, (unsigned)~((1ull << lane()) - 1))
#undef CPX_REGISTER
static inline void mov_u32(unsigned& to, unsigned from) { to = from; }

}  // namespace ptx
}  // namespace __cpx
