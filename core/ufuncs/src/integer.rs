//! Bodies of arithmetic, whose rules for integers are Python's, and of comparisons.

use cuproxide_hal::ir::{Compare, Var};
use cuproxide_hal::{DType, Fault};
use smallvec::smallvec;

use super::{complex, floating};
use crate::row::Outputs;

/// The unsigned type of the same width.
fn unsigned(dtype: DType) -> DType {
    match dtype {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        other => other,
    }
}

/// The absolute value, which only an unsigned type holds for the smallest integer.
fn magnitude(a: Var<'_>) -> Var<'_> {
    absolute(a).cast(unsigned(a.dtype()))
}

/// Compares; int64 and uint64 as the numbers they are.
pub(crate) fn compare<'b>(comparison: Compare, a: Var<'b>, b: Var<'b>) -> Var<'b> {
    let negative = |x: Var<'b>| x.lt(x.like_integer(0));
    let constant = |value: bool| a.builder().boolean(value);
    match (a.dtype(), b.dtype()) {
        (DType::I64, DType::U64) => {
            let if_negative = matches!(comparison, Compare::Lt | Compare::Le | Compare::Ne);
            constant(if_negative).when(negative(a), a.cast(DType::U64).compare(comparison, b))
        }
        (DType::U64, DType::I64) => {
            let if_negative = matches!(comparison, Compare::Gt | Compare::Ge | Compare::Ne);
            constant(if_negative).when(negative(b), a.compare(comparison, b.cast(DType::U64)))
        }
        _ => a.compare(comparison, b),
    }
}

/// Absolute value; bools and unsigned integers have no other.
pub(crate) fn absolute(a: Var<'_>) -> Var<'_> {
    if a.dtype().is_signed() || a.dtype().is_inexact() { a.abs() } else { a }
}

/// One divided by the operand; 0 for the integer 0.
pub(crate) fn reciprocal(a: Var<'_>) -> Var<'_> {
    if a.dtype().is_complex() { complex::reciprocal(a) } else { a.like_integer(1) / a }
}

/// Quotient rounded down; 0 for an integer divided by 0.
pub(crate) fn floor_divide<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    match a.dtype() {
        dtype if dtype.is_float() => floating::divmod(a, b).0,
        dtype if dtype.is_signed() => {
            // A multiplication tells whether there is a remainder, which a second division would take as long as the first for.
            let (quotient, zero) = (a / b, a.like_integer(0));
            let below = (a ^ b).lt(zero) & b.ne(zero) & (quotient * b).ne(a);
            (quotient - quotient.like_integer(1)).when(below, quotient)
        }
        _ => a / b,
    }
}

/// Remainder with the sign of the divisor; 0 for an integer divided by 0.
pub(crate) fn remainder<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    match a.dtype() {
        dtype if dtype.is_float() => floating::divmod(a, b).1,
        dtype if dtype.is_signed() => {
            let remainder = a % b;
            (remainder + b).when(signs_differ(remainder, b), remainder)
        }
        _ => a % b,
    }
}

/// Both of the above.
pub(crate) fn divmod<'b>(a: Var<'b>, b: Var<'b>) -> Outputs<'b> {
    if a.dtype().is_float() {
        let (quotient, remainder) = floating::divmod(a, b);
        return smallvec![quotient, remainder];
    }
    let (quotient, zero) = (floor_divide(a, b), a.like_integer(0));
    smallvec![quotient, zero.when(b.eq(zero), a - quotient * b)]
}

/// Whether a remainder is not zero and has the other sign than the divisor.
fn signs_differ<'b>(remainder: Var<'b>, divisor: Var<'b>) -> Var<'b> {
    let zero = divisor.like_integer(0);
    remainder.ne(zero) & (remainder ^ divisor).lt(zero)
}

/// Power; of integers by repeated squaring, where a negative exponent is a fault.
pub(crate) fn power<'b>(base: Var<'b>, exponent: Var<'b>) -> Var<'b> {
    match base.dtype() {
        dtype if dtype.is_complex() => return complex::power(base, exponent),
        dtype if dtype.is_float() => return base.pow(exponent),
        _ => {}
    }
    let builder = base.builder();
    let (zero, one) = (base.like_integer(0), base.like_integer(1));
    if base.dtype().is_signed() {
        builder.require(exponent.ge(zero), Fault::NegativeIntegerPower);
    }
    let (result, square, left) = (builder.local(one), builder.local(base), builder.local(exponent));
    builder.repeat(
        || left.get().gt(zero),
        || {
            let odd = (left.get() & one).ne(zero);
            result.set(result.get() * square.get().when(odd, one));
            square.set(square.get() * square.get());
            left.set(left.get() >> one);
        },
    );
    result.get()
}

/// Greatest common divisor by Euclid's algorithm, never negative (but for the smallest integer).
pub(crate) fn gcd<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    divisor(magnitude(a), magnitude(b)).cast(a.dtype())
}

/// Least common multiple; 0 with a zero operand.
pub(crate) fn lcm<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    let (x, y) = (magnitude(a), magnitude(b));
    (x / divisor(x, y) * y).cast(a.dtype())
}

fn divisor<'b>(x: Var<'b>, y: Var<'b>) -> Var<'b> {
    let builder = x.builder();
    let (greater, smaller) = (builder.local(x), builder.local(y));
    builder.repeat(
        || smaller.get().ne(x.like_integer(0)),
        || {
            let rest = greater.get() % smaller.get();
            greater.set(smaller.get());
            smaller.set(rest);
        },
    );
    greater.get()
}

/// Number of set bits of the magnitude.
pub(crate) fn bit_count(a: Var<'_>) -> Var<'_> {
    magnitude(a).popcount()
}
