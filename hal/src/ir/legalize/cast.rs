//! Conversions between plain types, made total, and conversions of constants.

use crate::ir::{Literal, Var};
use crate::{DType, Scalar};

/// 2^63, where int64 ends.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_64: f64 = 2.0 * TWO_63;

/// Whether a plain value is not zero.
pub(super) fn to_bool(x: Var<'_>) -> Var<'_> {
    if x.dtype() == DType::Bool { x } else { x.ne(x.like_integer(0)) }
}

/// Converts a plain value to a plain type that is not bool.
pub(super) fn convert(x: Var<'_>, dtype: DType) -> Var<'_> {
    match (x.dtype().is_float(), dtype) {
        (true, DType::U64) => float_to_u64(x),
        (true, _) if dtype.is_integer() => {
            let inside = x.abs().lt(x.like(TWO_63));
            x.when(inside, x.like(-TWO_63)).cast(DType::I64).cast(dtype)
        }
        _ => x.cast(dtype),
    }
}

/// Numbers from 2^63 on are moved into the range of int64 and back.
fn float_to_u64(x: Var<'_>) -> Var<'_> {
    let high = x.ge(x.like(TWO_63)) & x.lt(x.like(TWO_64));
    let moved = (x - x.like(TWO_63)).when(high, x);
    let inside = moved.abs().lt(x.like(TWO_63));
    let low = moved.when(inside, x.like(-TWO_63)).cast(DType::I64).cast(DType::U64);
    low ^ low.like_integer(1 << 63).when(high, low.like_integer(0))
}

/// The cast of a constant.
pub(super) fn fold(literal: Literal, dtype: DType) -> Literal {
    cast_scalar(literal.scalar(), dtype).into()
}

/// A number cast on the host, with the result that a kernel's `Cast` has.
pub fn cast_scalar(scalar: Scalar, dtype: DType) -> Scalar {
    let (re, im) = scalar.to_complex();
    match (scalar.dtype.is_inexact(), dtype) {
        // Also of a bool, whose byte may be any.
        (_, DType::Bool) => Scalar::integer(dtype, (re != 0.0 || im != 0.0).into()),
        _ if scalar.dtype == dtype => scalar,
        (false, _) if dtype.is_integer() => Scalar::integer(dtype, scalar.to_integer()),
        // Directly, because a step through float64 would round twice.
        (false, DType::F32 | DType::C64) => Scalar::real(dtype, f64::from(scalar.to_integer() as f32)),
        (false, DType::BF16) => Scalar::from_integer(dtype, scalar.to_integer()),
        (true, DType::U64) if (TWO_63..TWO_64).contains(&re) => Scalar::integer(dtype, (re as u64).into()),
        (true, _) if dtype.is_integer() => {
            Scalar::integer(dtype, if re.abs() < TWO_63 { re as i64 } else { i64::MIN }.into())
        }
        _ => Scalar::complex(dtype, re, im),
    }
}
