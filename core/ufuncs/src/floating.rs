//! Bodies that depend on how floating point numbers are made: special values, bits, Python's division.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use crate::row::Outputs;

/// The layout of float32 or float64, for bodies that look at bits.
struct Format {
    bits: DType,
    mantissa: i128,
    /// All ones in the exponent's place, moved to the right end.
    exponent: i128,
    /// A power of two that lifts every subnormal number to a normal one.
    lift: i32,
}

impl Format {
    fn of(dtype: DType) -> Format {
        match dtype {
            DType::F64 => Format { bits: DType::I64, mantissa: 52, exponent: 0x7ff, lift: 54 },
            _ => Format { bits: DType::I32, mantissa: 23, exponent: 0xff, lift: 25 },
        }
    }

    fn bias(&self) -> i128 {
        self.exponent / 2
    }
}

/// Quotient rounded down and remainder with the sign of the divisor, with Python's rules for special values.
pub(crate) fn divmod<'b>(a: Var<'b>, b: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (zero, one, half) = (a.like(0.0), a.like(1.0), a.like(0.5));
    let truncated = a % b;
    let no_rest = truncated.eq(zero);
    let adjust = truncated.ne(zero) & b.lt(zero).ne(truncated.lt(zero));
    let remainder = zero.copysign(b).when(no_rest, (truncated + b).when(adjust, truncated));
    let exact = (a - truncated) / b;
    let quotient = (exact - one).when(adjust, exact);
    let floor = quotient.floor();
    let snapped = (floor + one).when((quotient - floor).gt(half), floor);
    let quotient = zero.copysign(a / b).when(quotient.eq(zero), snapped);
    let by_zero = b.eq(zero);
    ((a / b).when(by_zero, quotient), truncated.when(by_zero, remainder))
}

/// -1, 0 or 1, NaN for NaN; of a complex number z, z / |z|.
pub(crate) fn sign(a: Var<'_>) -> Var<'_> {
    if a.dtype().is_complex() {
        return direction(a);
    }
    let (zero, one) = (a.like_integer(0), a.like_integer(1));
    let (below, rest) = match a.dtype() {
        dtype if dtype.is_float() => (-one, a),
        dtype if dtype.is_signed() => (-one, zero),
        _ => (zero, zero),
    };
    one.when(a.gt(zero), below.when(a.lt(zero), zero.when(a.eq(zero), rest)))
}

/// z / |z|; an infinite part alone gives the unit on its axis.
fn direction(z: Var<'_>) -> Var<'_> {
    let (re, im, modulus) = (z.re(), z.im(), z.abs());
    let (zero, nan) = (re.like(0.0), re.like(f64::NAN));
    let unit = |part| {
        let axis = sign(part).when(is_infinite(part), zero);
        let finite = zero.when(modulus.eq(zero), part / modulus);
        axis.when(is_infinite(modulus), finite)
    };
    let undefined = z.is_nan() | (is_infinite(re) & is_infinite(im));
    z.builder().complex(nan.when(undefined, unit(re)), nan.when(undefined, unit(im)))
}

/// 0 below zero, 1 above, `at_zero` at zero, NaN for NaN.
pub(crate) fn heaviside<'b>(x: Var<'b>, at_zero: Var<'b>) -> Var<'b> {
    let (zero, one) = (x.like(0.0), x.like(1.0));
    x.when(x.is_nan(), at_zero.when(x.eq(zero), zero.when(x.lt(zero), one)))
}

/// Larger operand, or the one that is not NaN; of two the first.
pub(crate) fn fmax<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    if a.dtype().is_inexact() { a.when(b.is_nan(), b.when(a.is_nan(), a.max(b))) } else { a.max(b) }
}

/// Smaller operand, or the one that is not NaN; of two the first.
pub(crate) fn fmin<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    if a.dtype().is_inexact() { a.when(b.is_nan(), b.when(a.is_nan(), a.min(b))) } else { a.min(b) }
}

/// log(exp(a) + exp(b)).
pub(crate) fn logaddexp<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    let sum = a.max(b) + (-(a - b).abs()).exp().log1p();
    (a + a.like(std::f64::consts::LN_2)).when(a.eq(b), sum)
}

/// log2(2**a + 2**b).
pub(crate) fn logaddexp2<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    let sum = a.max(b) + (-(a - b).abs()).exp2().log1p() * a.like(std::f64::consts::LOG2_E);
    (a + a.like(1.0)).when(a.eq(b), sum)
}

/// Radians to degrees.
pub(crate) fn degrees(a: Var<'_>) -> Var<'_> {
    by_constant(a, 180.0 / std::f64::consts::PI)
}

/// Degrees to radians.
pub(crate) fn radians(a: Var<'_>) -> Var<'_> {
    by_constant(a, std::f64::consts::PI / 180.0)
}

/// The product with a positive number, of which float32 would keep too few digits: there it has two parts, both positive
/// so that they have one infinity.
fn by_constant(a: Var<'_>, factor: f64) -> Var<'_> {
    if a.dtype() != DType::F32 {
        return a * a.like(factor);
    }
    let nearest = factor as f32;
    let high = f64::from(if f64::from(nearest) > factor { nearest.next_down() } else { nearest });
    a.builder().fma(a, a.like(high), a * a.like(factor - high))
}

/// Whether neither infinite nor NaN, in all parts.
pub(crate) fn is_finite(a: Var<'_>) -> Var<'_> {
    match a.dtype() {
        dtype if dtype.is_complex() => is_finite(a.re()) & is_finite(a.im()),
        dtype if dtype.is_float() => a.abs().lt(a.like(f64::INFINITY)),
        _ => a.builder().boolean(true),
    }
}

/// Whether infinite, in any part.
pub(crate) fn is_infinite(a: Var<'_>) -> Var<'_> {
    match a.dtype() {
        dtype if dtype.is_complex() => is_infinite(a.re()) | is_infinite(a.im()),
        dtype if dtype.is_float() => a.abs().eq(a.like(f64::INFINITY)),
        _ => a.builder().boolean(false),
    }
}

/// Whether the sign bit is set, also of zero and NaN.
pub(crate) fn sign_bit(a: Var<'_>) -> Var<'_> {
    let bits = a.bitcast(Format::of(a.dtype()).bits);
    bits.lt(bits.like_integer(0))
}

/// Distance to the next number away from zero, with the operand's sign; in float16 the next above, as in NumPy.
pub(crate) fn spacing(a: Var<'_>) -> Var<'_> {
    let (infinity, nan) = (a.like(f64::INFINITY), a.like(f64::NAN));
    if a.dtype() == DType::F16 {
        return (a.nextafter(infinity) - a).when(is_finite(a), nan);
    }
    let step = a.abs().nextafter(infinity) - a.abs();
    step.when(a.eq(a.like(0.0)), step.copysign(a))
}

/// Fractional and whole part, both with the operand's sign.
pub(crate) fn modf(a: Var<'_>) -> Outputs<'_> {
    let whole = a.trunc();
    let fraction = a.like(0.0).when(is_infinite(a), a - whole);
    smallvec![fraction.copysign(a), whole]
}

/// Applies a rounding function; bools and integers are whole already.
pub(crate) fn whole<'b>(a: Var<'b>, function: fn(Var<'b>) -> Var<'b>) -> Var<'b> {
    if a.dtype().is_float() { function(a) } else { a }
}

/// Mantissa and exponent, by the bits; zero, infinity and NaN have exponent 0.
pub(crate) fn frexp(a: Var<'_>) -> Outputs<'_> {
    let format = Format::of(a.dtype());
    let constant = |value| a.builder().integer(format.bits, value);
    let smallest_normal = 2f64.powi(1 - format.bias() as i32);
    let subnormal = a.abs().lt(a.like(smallest_normal));
    let lifted = (a * a.like(2f64.powi(format.lift))).when(subnormal, a);
    let bits = lifted.bitcast(format.bits);
    let exponent = (bits >> constant(format.mantissa)) & constant(format.exponent);
    let offset = constant(format.bias() - 1);
    let lift = constant(format.lift.into()).when(subnormal, constant(0));
    let cleared = bits & constant(!(format.exponent << format.mantissa));
    let mantissa = (cleared | (offset << constant(format.mantissa))).bitcast(a.dtype());
    let special = a.eq(a.like(0.0)) | !is_finite(a);
    smallvec![a.when(special, mantissa), constant(0).when(special, exponent - offset - lift)]
}

/// x times 2 to the power n, rounded once: three factors at most, none of which makes an early subnormal number.
pub(crate) fn ldexp<'b>(x: Var<'b>, n: Var<'b>) -> Var<'b> {
    let format = Format::of(x.dtype());
    let (top, precision) = (format.bias(), format.mantissa + 1);
    let down = 1 - top + precision;
    // The exponents beyond this give 0 or infinity whatever x is, and it fits every integer type of a loop.
    let limit = n.like_integer(3 * format.exponent);
    let (mut value, mut rest) = (x, n.min(limit).max(-limit));
    for _ in 0..2 {
        let (high, low) = (rest.gt(n.like_integer(top)), rest.lt(n.like_integer(1 - top)));
        let (up, shrink) = (x.like(2f64.powi(top as i32)), x.like(2f64.powi(down as i32)));
        value = (value * up).when(high, (value * shrink).when(low, value));
        let step = n.like_integer(top).when(high, n.like_integer(down).when(low, n.like_integer(0)));
        rest = rest - step;
    }
    let rest = rest.min(n.like_integer(top)).max(n.like_integer(1 - top)).cast(format.bits);
    let constant = |value| x.builder().integer(format.bits, value);
    let power = ((rest + constant(top)) << constant(format.mantissa)).bitcast(x.dtype());
    value * power
}

/// The wider of a real type and an integer's: rounding of integers to tens is done in the type of the factor.
pub(crate) fn at_least(a: Var<'_>, factor: Var<'_>) -> DType {
    if a.dtype().is_inexact() { a.dtype() } else { factor.dtype() }
}

/// sin(pi x) / (pi x), 1 at zero.
pub(crate) fn sinc(a: Var<'_>) -> Var<'_> {
    let angle = a * a.like(std::f64::consts::PI);
    let one = a.like(1.0);
    // Of the angle, which is 0 for the least numbers, too.
    one.when(angle.eq(angle.like(0.0)), angle.sin() / angle)
}
