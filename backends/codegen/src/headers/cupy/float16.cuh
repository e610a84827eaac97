// Numbers of 16 bits that compute as float: `float16` and `bfloat16`.
#pragma once

#define CPX_DEVICE __host__ __device__ inline

namespace cpx_half {

template <typename To, typename From>
CPX_DEVICE To same_bits(From value) {
    static_assert(sizeof(To) == sizeof(From), "types of one size");
    To result;
    char* to = reinterpret_cast<char*>(&result);
    const char* from = reinterpret_cast<const char*>(&value);
    for (unsigned i = 0; i < sizeof(To); i++) to[i] = from[i];
    return result;
}

// A double as a float whose last bit records that something was cut off: rounding it once more is then exact.
CPX_DEVICE float to_odd(double value) {
    float result = (float)value;
    if ((double)result == value || value != value || value - value != 0.0) return result;
    unsigned bits = same_bits<unsigned>(result);
    const bool away = result > 0.0f ? (double)result > value : (double)result < value;
    if (away) bits -= 1;
    return same_bits<float>(bits | 1u);
}

// An integer of 64 bits as a double, likewise: a bit of those that are cut off says so.
template <typename Integer>
CPX_DEVICE double whole_to_odd(Integer value) {
    const Integer cut = value & 0xfff, size = value < 0 ? -value : value;
    return (double)(cut == 0 || (unsigned long long)size < 1ull << 53 ? value : value - cut + 0x800);
}

// The sum of two doubles, likewise: it is too large or too small by the error of rounding, which is a double itself.
CPX_DEVICE double sum_to_odd(double a, double b) {
    const double sum = a + b, of_b = sum - a, error = (a - (sum - of_b)) + (b - of_b);
    unsigned long long bits = same_bits<unsigned long long>(sum);
    // Infinity and NaN have no error of rounding, and what is odd is so already.
    if (!(error != 0.0) || sum - sum != 0.0 || (bits & 1u)) return sum;
    return same_bits<double>((error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1);
}

// A float that is whole, as an integer: the nearest, and 0 for NaN.
template <typename Integer>
CPX_DEVICE Integer whole(float value) {
    const bool is_signed = (Integer)-1 < (Integer)0;
    const int bits = 8 * (int)sizeof(Integer) - (is_signed ? 1 : 0);
    const Integer most = (Integer)(~0ull >> (64 - bits)), least = is_signed ? (Integer)(-most - 1) : (Integer)0;
    // 2 to the power of `bits`.
    const float above = (float)(1ull << (bits - 1)) * 2.0f;
    return value >= above ? most : value < (float)least ? least : value == value ? (Integer)value : (Integer)0;
}

#ifdef __CUPROXIDE_HOST__

CPX_DEVICE float widen(unsigned short half) {
    const unsigned sign = (unsigned)(half & 0x8000u) << 16, exponent = half >> 10 & 0x1fu, fraction = half & 0x3ffu;
    if (exponent == 0x1f) return same_bits<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) return same_bits<float>(sign | (exponent + 112u) << 23 | fraction << 13);
    const float tiny = (float)fraction * 5.9604644775390625e-8f;
    return sign ? -tiny : tiny;
}

CPX_DEVICE unsigned short narrow(float value) {
    const unsigned bits = same_bits<unsigned>(value), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return (unsigned short)(sign | 0x7e00u | (size >> 13 & 0x3ffu));
    if (size >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
    if (size >= 0x38800000u) {
        const unsigned rebased = size - 0x38000000u;
        return (unsigned short)(sign | (rebased + 0xfffu + (rebased >> 13 & 1u)) >> 13);
    }
    // Adding one half lines the last bit of a subnormal up with that of a float.
    return (unsigned short)(sign | (same_bits<unsigned>(same_bits<float>(size) + 0.5f) - 0x3f000000u));
}

CPX_DEVICE unsigned short narrow(double value) { return narrow(to_odd(value)); }

#elif defined(__HIP__)

CPX_DEVICE float widen(unsigned short half) { return (float)__builtin_bit_cast(_Float16, half); }
// A product and its conversion would become a multiplication with 0 added, which loses the sign of -0 (seen with LLVM 21 and 22).
CPX_DEVICE unsigned short narrow(float value) {
    return __builtin_bit_cast(unsigned short, (_Float16)__builtin_canonicalizef(value));
}
CPX_DEVICE unsigned short narrow(double value) { return narrow(to_odd(value)); }

#else

CPX_DEVICE float widen(unsigned short half) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}

CPX_DEVICE unsigned short narrow(float value) {
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}

CPX_DEVICE unsigned short narrow(double value) {
    unsigned short half;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(half) : "d"(value));
    return half;
}

#endif

// Puts `next` where `old` is found; returns what was found.
__device__ inline unsigned short swap_if_equal(unsigned short* at, unsigned short old, unsigned short next) {
#ifdef __HIP__
    __hip_atomic_compare_exchange_strong(at, &old, next, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    return old;
#else
    return atomicCAS(at, old, next);
#endif
}

CPX_DEVICE float widen_brain(unsigned short bits) { return same_bits<float>((unsigned)bits << 16); }

CPX_DEVICE unsigned short narrow_brain(float value) {
    const unsigned bits = same_bits<unsigned>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (unsigned short)(bits >> 16 | 0x40u);
    return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

CPX_DEVICE unsigned short narrow_brain(double value) { return narrow_brain(to_odd(value)); }

}  // namespace cpx_half

#define CPX_NARROW_FLOAT(name, widen, narrow)                                                   \
    class name {                                                                                \
        unsigned short bits_;                                                                   \
                                                                                                \
    public:                                                                                     \
        name() = default;                                                                       \
        CPX_DEVICE name(float value) : bits_(cpx_half::narrow(value)) {}                        \
        CPX_DEVICE name(double value) : bits_(cpx_half::narrow(value)) {}                       \
        template <typename T>                                                                   \
        CPX_DEVICE explicit name(T value) : bits_(cpx_half::narrow((float)value)) {}            \
        CPX_DEVICE name(int value) : bits_(cpx_half::narrow((double)value)) {}                  \
        CPX_DEVICE operator float() const { return cpx_half::widen(bits_); }                    \
        CPX_DEVICE unsigned short raw() const { return bits_; }                                 \
        CPX_DEVICE static name from_bits(unsigned short bits) {                                 \
            name made;                                                                          \
            made.bits_ = bits;                                                                  \
            return made;                                                                        \
        }                                                                                       \
        CPX_DEVICE bool isnan() const { return (float)*this != (float)*this; }                  \
        CPX_DEVICE name& operator+=(float other) { return *this = name((float)*this + other); } \
        CPX_DEVICE name& operator-=(float other) { return *this = name((float)*this - other); } \
        CPX_DEVICE name& operator*=(float other) { return *this = name((float)*this * other); } \
        CPX_DEVICE name& operator/=(float other) { return *this = name((float)*this / other); } \
    };                                                                                          \
    CPX_DEVICE name min(const name& a, const name& b) { return (float)b < (float)a ? b : a; }    \
    CPX_DEVICE name max(const name& a, const name& b) { return (float)a < (float)b ? b : a; }

CPX_NARROW_FLOAT(float16, widen, narrow)
CPX_NARROW_FLOAT(bfloat16, widen_brain, narrow_brain)

#undef CPX_NARROW_FLOAT
#undef CPX_DEVICE
