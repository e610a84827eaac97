//! Quotients and remainders of 64-bit integers, which processors compute one by one and slowly.
//!
//! Those of numbers below 2^51 are computed as floats, which hold them and every product of a quotient. A quotient of `x`
//! that is no integer is at least `1 / x` of itself away from one, so that no rounding reaches it. Those of larger numbers
//! by one and the same divisor are products with its reciprocal.

use super::{apply, never};

/// To which floats between -2^51 and 2^51 are added so that their integers lie in the lower bits, and the other way round.
const LARGE: f64 = 1.5 * 4_503_599_627_370_496.0;
/// Bits of the integers that floats are used for.
const BITS: u32 = 51;

#[inline(always)]
fn float(x: i64) -> f64 {
    f64::from_bits(LARGE.to_bits().wrapping_add(x as u64)) - LARGE
}

#[inline(always)]
fn integer(x: f64) -> i64 {
    (x + LARGE).to_bits().wrapping_sub(LARGE.to_bits()) as i64
}

/// Whether a number is not computed with as a float.
#[inline(always)]
fn is_large(x: i64) -> bool {
    x.wrapping_add(1 << BITS) as u64 >> (BITS + 1) != 0
}

/// A number that takes the place of a divisor `d` other than -1, 0 and 1: Granlund and Montgomery, "Division by invariant
/// integers using multiplication", 1994, theorem 4.2 for magnitudes of 63 bits.
///
/// With `2^l` the next power of two from `|d|` on, `multiplier = floor(2^(63 + l) / |d|) + 1` is less than `2^64`, and
/// `floor(multiplier * n / 2^(63 + l))` is `floor(n / |d|)` for `n` below `2^63`. It is for `n = 2^63` too: the error of
/// `multiplier / 2^l` is at most `2^-l`, and a quotient that is no integer is `1 / |d| > 2^-l` or more below the next.
#[derive(Clone, Copy)]
struct Reciprocal {
    multiplier: u64,
    shift: u32,
    divisor: i64,
}

impl Reciprocal {
    fn new(divisor: i64) -> Option<Reciprocal> {
        let magnitude = divisor.unsigned_abs();
        if magnitude < 2 {
            return None;
        }
        let bits = u64::BITS - (magnitude - 1).leading_zeros();
        let multiplier = ((1_u128 << (63 + bits)) / u128::from(magnitude) + 1) as u64;
        Some(Reciprocal { multiplier, shift: bits - 1, divisor })
    }

    #[inline(always)]
    fn quotient(self, x: i64) -> i64 {
        let product = u128::from(self.multiplier) * u128::from(x.unsigned_abs());
        let magnitude = ((product >> 64) as u64 >> self.shift) as i64;
        let sign = (x ^ self.divisor) >> 63;
        (magnitude ^ sign).wrapping_sub(sign)
    }
}

/// Quotients of a strip, rounded to zero, or what they leave if `REMAINDER`. By zero, which compiled code does not ask for,
/// some number.
///
/// # Safety
/// `x` and `y` are readable and `output` is writable for `count` elements, at any address.
#[inline(always)]
pub unsafe fn divide<const REMAINDER: bool>(x: *const i64, y: *const i64, output: *mut i64, count: usize) {
    /// Points from which a reciprocal is worth its price.
    const WORTH: usize = 32;
    // SAFETY: the caller's promise.
    let read = |from: *const i64, at: usize| unsafe { from.add(at).read_unaligned() };
    if !(0..count).fold(false, |large, at| large | is_large(read(x, at)) | is_large(read(y, at))) {
        let divide = |[x, y]: [i64; 2]| {
            let (x, y) = (float(x), float(y));
            let quotient = (x / y).trunc();
            integer(if REMAINDER { x - quotient * y } else { quotient })
        };
        // SAFETY: the caller's promise.
        return unsafe { apply::<i64, 2, 32>([x, y], output, count, divide, never, |[x, _]| x) };
    }
    let first = read(y, 0);
    if count >= WORTH
        && !(0..count).fold(false, |others, at| others | (read(y, at) != first))
        && let Some(reciprocal) = Reciprocal::new(first)
    {
        let divide = |[x]: [i64; 1]| {
            let quotient = reciprocal.quotient(x);
            if REMAINDER { x.wrapping_sub(quotient.wrapping_mul(first)) } else { quotient }
        };
        // SAFETY: the caller's promise.
        return unsafe { apply::<i64, 1, 32>([x], output, count, divide, never, |[x]| x) };
    }
    for at in 0..count {
        let (x, y) = (read(x, at), read(y, at));
        let result = match y {
            0 => 0,
            _ if REMAINDER => x.wrapping_rem(y),
            _ => x.wrapping_div(y),
        };
        // SAFETY: the caller's promise.
        unsafe { output.add(at).write_unaligned(result) };
    }
}
