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

/// Whether one of two numbers needs the processor's own division.
#[inline(always)]
pub fn is_large(x: i64, y: i64) -> bool {
    let moved = |x: i64| x.wrapping_add(1 << BITS) as u64;
    (moved(x) | moved(y)) >> (BITS + 1) != 0
}

/// `x / y`, rounded to zero.
#[inline(always)]
pub fn quotient(x: i64, y: i64) -> i64 {
    integer((float(x) / float(y)).trunc())
}

/// `x - y * quotient(x, y)`.
#[inline(always)]
pub fn remainder(x: i64, y: i64) -> i64 {
    let (x, y) = (float(x), float(y));
    integer(x - (x / y).trunc() * y)
}

/// The quotient of large numbers; zero by zero, which compiled code does not ask for.
pub fn large_quotient(x: i64, y: i64) -> i64 {
    if y == 0 { 0 } else { x.wrapping_div(y) }
}

/// The remainder of large numbers; zero by zero, which compiled code does not ask for.
pub fn large_remainder(x: i64, y: i64) -> i64 {
    if y == 0 { 0 } else { x.wrapping_rem(y) }
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

/// Divides a strip with large numbers by one and the same divisor; whether it was such a strip. `REMAINDER` asks for what
/// is left.
///
/// # Safety
/// `x` and `y` are readable and `output` is writable for `count` elements, at any address.
#[inline(always)]
pub unsafe fn by_one_number<const REMAINDER: bool>(
    x: *const i64,
    y: *const i64,
    output: *mut i64,
    count: usize,
) -> bool {
    /// Points from which a reciprocal is worth its price.
    const WORTH: usize = 32;
    if count < WORTH {
        return false;
    }
    // SAFETY: the caller's promise.
    let read = |from: *const i64, at: usize| unsafe { from.add(at).read_unaligned() };
    let divisor = read(y, 0);
    if read(y, count - 1) != divisor
        || !(0..count).fold(false, |large, at| large | is_large(read(x, at), divisor))
        || (0..count).fold(false, |others, at| others | (read(y, at) != divisor))
    {
        return false;
    }
    let Some(reciprocal) = Reciprocal::new(divisor) else { return false };
    let result = |[x]: [i64; 1]| {
        let quotient = reciprocal.quotient(x);
        if REMAINDER { x.wrapping_sub(quotient.wrapping_mul(divisor)) } else { quotient }
    };
    // SAFETY: the caller's promise.
    unsafe { apply::<i64, 1, 32>([x], output, count, result, never, |[x]| x) };
    true
}
