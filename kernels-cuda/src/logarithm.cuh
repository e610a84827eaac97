// 2 (atanh(s) - s) / s^3 as a polynomial of s^2 up to 0.0295, interpolated at Chebyshev's points, the constant last. In constant
// memory one instruction computes with what it reads.
CONSTANT f64 of_artanh[7] = {0.1461703754879165, 0.1533167403016786, 0.18182890556695602, 0.2222221111514416,
    0.2857142862609589, 0.3999999999989924, 0.666666666666667};

// log(1 + x) in a third of the instructions that the vendor's function takes: one path for all numbers. With 2^k the power
// next to 1 + x and f = (1 + x) / 2^k - 1, rounded once, it is k log(2) + log(1 + f), the latter by the series of
// 2 atanh(f / (2 + f)) (DLMF 4.6.4), arranged so that f itself, which is x for k = 0, is its leading part.
DEVICE f64 logarithm_1p(f64 x) {
    // The inverses of powers up to 2^1022 are normal numbers: what is larger is divided by 2^512 first.
    const i32 top = (i32)(bitcast<u64>(x) >> 32), shift = top >= 0x7fd00000 ? 512 : 0;
    const f64 point = bitcast<f64>(bitcast<u64>(x) - ((u64)shift << 52)), sum = 1.0 + point;
    const i32 high = (i32)(bitcast<u64>(sum) >> 32);
    // From sqrt(1 / 2) on mantissas belong to the next power.
    const i32 down = -((high - 0x3fe6a09e) >> 20);
    const f64 scale = bitcast<f64>((u64)(u32)(0x3ff00000 + (i32)((u32)down << 20)) << 32);
    const f64 f = down == 0 ? point : fma(scale, point, scale - 1.0), left = fma(scale, point, (scale - 1.0) - f);
    // What the quotient leaves is small beside f: its inverse need not be rounded.
    const f64 below = 2.0 + f;
    f64 inverse = approximate_inverse(below);
    inverse = fma(fma(-below, inverse, 1.0), inverse, inverse);
    inverse = fma(fma(-below, inverse, 1.0), inverse, inverse);
    const f64 s = f * inverse, square = s * s, half = 0.5 * f * f;
    f64 rest = of_artanh[0];
    UNROLLED
    for (int i = 1; i < 7; ++i) rest = fma(rest, square, of_artanh[i]);
    // -0 for k = 0, so that the sum keeps the sign of 0.
    const f64 k = -(f64)(down - shift);
    const f64 low = fma(s, fma(rest, square, half), k * 1.9082149292705877e-10);
    // The rounding of the leading sum, and of f, counts where the two nearly cancel.
    const f64 leading = fma(k, 0.6931471803691238, f), rounding = fma(k, 0.6931471803691238, -leading) + f;
    const f64 value = leading - ((half - low) - (rounding + left));
    if ((u32)high - 1 < 0x7fefffff && top < 0x7ff00000) return value;
    return sum == 0.0 ? -bitcast<f64>(0x7ff0000000000000ull) : sum < 0.0 ? bitcast<f64>(0x7ff8000000000000ull) : x;
}
