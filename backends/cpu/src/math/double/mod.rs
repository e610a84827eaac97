//! Functions of one float64, branch-free: at most one unit in the last place off.
//!
//! Intermediate results that cancel or dominate are carried as a rounded number and the rest that rounding took.

mod exponential;
mod hyperbolic;
mod inverse;
mod logarithm;
mod power;
mod trigonometric;

pub use exponential::{exp, exp2, expm1, power_of_two};
pub use hyperbolic::{acosh, asinh, atanh, cosh, is_beyond_acosh, is_beyond_asinh, is_beyond_atanh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2, is_extreme_atan2};
pub use logarithm::{Parts, log, log1p, log2, log10, parts};
pub use power::{cbrt, cbrt_estimate, hypot, is_extreme_cbrt, is_extreme_hypot, is_extreme_pow, pow, with_sign};
pub use trigonometric::{cos, is_far, sin, tan};

/// Added to a number below 2^51, it rounds it to an integer and leaves that in the low bits.
pub const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 with the last 21 bits zero, and the rest.
pub const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
/// See [`LN2_HIGH`].
pub const LN2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
/// What float64 does not hold of pi/2.
pub const HALF_PI_LOW: f64 = f64::from_bits(0x3c91_a626_3314_5c07);

/// A number as an unevaluated sum; `low` is below the last place of `high`.
#[derive(Clone, Copy)]
pub struct Pair {
    pub high: f64,
    pub low: f64,
}

/// a + b for |a| >= |b| or a = 0.
#[inline(always)]
pub fn fast_sum(a: f64, b: f64) -> Pair {
    let high = a + b;
    Pair { high, low: (a - high) + b }
}

/// a + b.
#[inline(always)]
pub fn sum(a: f64, b: f64) -> Pair {
    let high = a + b;
    let part = high - a;
    Pair { high, low: (a - (high - part)) + (b - part) }
}

/// n / d, where neither rest matters beyond the first order.
#[inline(always)]
pub fn quotient(n: Pair, d: Pair) -> Pair {
    let inverse = 1.0 / d.high;
    let high = n.high * inverse;
    let rest = high.mul_add(-d.high, n.high) + high.mul_add(-d.low, n.low);
    Pair { high, low: rest * inverse }
}

/// `x` with the sign bit flipped where bit 1 of `quadrants` is set.
#[inline(always)]
pub fn negate_if_bit_1(x: f64, quadrants: u64) -> f64 {
    f64::from_bits(x.to_bits() ^ (quadrants & 2) << 62)
}
