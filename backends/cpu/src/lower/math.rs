//! The mathematical functions that compiled code calls: one row an operator.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Unary};

use crate::libm as c;

/// How a function is called.
#[derive(Clone, Copy, Debug)]
pub enum Routine {
    /// `extern "C" fn(T) -> T` or `fn(T, T) -> T` at this address.
    Scalar(usize),
    /// `extern "C" fn(input: *const T, output: *mut T, count: usize)` at this address, or the same with two inputs;
    /// every element is computed alike, however many there are.
    Strip(usize),
}

type One<T> = extern "C" fn(T) -> T;
type Two<T> = extern "C" fn(T, T) -> T;

macro_rules! pick {
    ($kind:ident, $dtype:expr, $double:ident, $single:ident) => {
        match $dtype {
            DType::F32 => Some(Routine::Scalar(c::$single as $kind<f32> as usize)),
            DType::F64 => Some(Routine::Scalar(c::$double as $kind<f64> as usize)),
            _ => None,
        }
    };
}

/// The routine for a unary operator on float32 or float64, if it is not an instruction.
pub fn unary(op: Unary, dtype: DType) -> Option<Routine> {
    if matches!(op, Unary::Sqrt | Unary::SqrtNormal) {
        return None;
    }
    if let Some(address) = crate::math::strip(op, dtype) {
        return Some(Routine::Strip(address));
    }
    match op {
        Unary::Cbrt => pick!(One, dtype, cbrt, cbrtf),
        Unary::Exp => pick!(One, dtype, exp, expf),
        Unary::Exp2 => pick!(One, dtype, exp2, exp2f),
        Unary::Expm1 => pick!(One, dtype, expm1, expm1f),
        Unary::Log => pick!(One, dtype, log, logf),
        Unary::Log2 => pick!(One, dtype, log2, log2f),
        Unary::Log10 => pick!(One, dtype, log10, log10f),
        Unary::Log1p => pick!(One, dtype, log1p, log1pf),
        Unary::Sin => pick!(One, dtype, sin, sinf),
        Unary::Cos => pick!(One, dtype, cos, cosf),
        Unary::Tan => pick!(One, dtype, tan, tanf),
        Unary::Asin => pick!(One, dtype, asin, asinf),
        Unary::Acos => pick!(One, dtype, acos, acosf),
        Unary::Atan => pick!(One, dtype, atan, atanf),
        Unary::Sinh => pick!(One, dtype, sinh, sinhf),
        Unary::Cosh => pick!(One, dtype, cosh, coshf),
        Unary::Tanh => pick!(One, dtype, tanh, tanhf),
        Unary::Asinh => pick!(One, dtype, asinh, asinhf),
        Unary::Acosh => pick!(One, dtype, acosh, acoshf),
        Unary::Atanh => pick!(One, dtype, atanh, atanhf),
        _ => None,
    }
}

/// The routine for a binary operator on float32 or float64, if it is not an instruction.
pub fn binary(op: Binary, dtype: DType) -> Option<Routine> {
    if matches!(op, Binary::Div | Binary::Min | Binary::Max) || !dtype.is_float() {
        return None;
    }
    if let Some(address) = crate::math::pair_strip(op, dtype) {
        return Some(Routine::Strip(address));
    }
    match op {
        Binary::Rem => pick!(Two, dtype, fmod, fmodf),
        Binary::Pow => pick!(Two, dtype, pow, powf),
        Binary::Atan2 => pick!(Two, dtype, atan2, atan2f),
        Binary::Hypot => pick!(Two, dtype, hypot, hypotf),
        Binary::Nextafter => pick!(Two, dtype, nextafter, nextafterf),
        _ => None,
    }
}
