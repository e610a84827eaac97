//! The operators of the IR on single numbers.

use cuproxide_hal::ir::{Binary, Compare, Unary};
use cuproxide_hal::{DType, Kind};
use num_complex::Complex64;

use super::number::{Number, next_after, round, round_complex, round_integer, wrap};
use super::{complex, libm};

/// Applies a unary operator to an operand of type `dtype`.
pub fn unary(op: Unary, dtype: DType, x: Number) -> Number {
    match x {
        Number::Int(x) if op == Unary::HalfToFloat => Number::Real(half::f16::from_bits(x as u16).to_f64()),
        Number::Int(x) => Number::Int(wrap(dtype, integer_unary(op, dtype, x))),
        Number::Real(x) if op == Unary::FloatToHalf => {
            Number::Int(half::f16::from_f64(round(DType::F16, x)).to_bits().into())
        }
        Number::Real(x) => Number::Real(round(dtype, real_unary(op, x))),
        Number::Complex(z) => match op {
            Unary::Abs => Number::Real(round(dtype.real(), z.re.hypot(z.im))),
            Unary::Real => Number::Real(z.re),
            Unary::Imag => Number::Real(z.im),
            _ => Number::Complex(complex::unary(op, dtype, z)),
        },
    }
}

fn integer_unary(op: Unary, dtype: DType, x: i128) -> i128 {
    match op {
        Unary::Neg => -x,
        Unary::Abs => x.abs(),
        Unary::Not if dtype == DType::Bool => 1 - x,
        Unary::Not => !x,
        Unary::Popcount => x.count_ones().into(),
        _ => unreachable!("{op:?} of an integer"),
    }
}

fn real_unary(op: Unary, x: f64) -> f64 {
    match op {
        Unary::Neg => -x,
        Unary::Abs => x.abs(),
        Unary::Sqrt | Unary::SqrtNormal => x.sqrt(),
        Unary::Cbrt => x.cbrt(),
        Unary::Exp => x.exp(),
        Unary::Exp2 => x.exp2(),
        Unary::Expm1 => x.exp_m1(),
        Unary::Log => x.ln(),
        Unary::Log2 => x.log2(),
        Unary::Log10 => x.log10(),
        Unary::Log1p => x.ln_1p(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Asin => x.asin(),
        Unary::Acos => x.acos(),
        Unary::Atan => x.atan(),
        Unary::Sinh => x.sinh(),
        Unary::Cosh => x.cosh(),
        Unary::Tanh => x.tanh(),
        Unary::Asinh => libm::asinh(x),
        Unary::Acosh => libm::acosh(x),
        Unary::Atanh => libm::atanh(x),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Trunc => x.trunc(),
        Unary::Rint => x.round_ties_even(),
        _ => unreachable!("{op:?} of a real number"),
    }
}

/// Applies a binary operator to operands of type `dtype`.
pub fn binary(op: Binary, dtype: DType, a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) if dtype == DType::Bool => Number::Int(match op {
            Binary::Add | Binary::Or | Binary::Max => a | b,
            Binary::Mul | Binary::And | Binary::Min => a & b,
            Binary::Xor => a ^ b,
            _ => unreachable!("{op:?} of bools"),
        }),
        (Number::Int(a), Number::Int(b)) => Number::Int(wrap(dtype, integer_binary(op, dtype, a, b))),
        (Number::Real(a), Number::Real(b)) => Number::Real(round(dtype, real_binary(op, dtype, a, b))),
        _ => Number::Complex(complex::binary(op, dtype, a.complex(), b.complex())),
    }
}

fn integer_binary(op: Binary, dtype: DType, a: i128, b: i128) -> i128 {
    let bits = dtype.bits() as i128;
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div => a.checked_div(b).unwrap_or(0),
        Binary::Rem => a.checked_rem(b).unwrap_or(0),
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => {
            if (0..bits).contains(&b) {
                a << b
            } else {
                0
            }
        }
        Binary::Shr => a >> if (0..bits).contains(&b) { b } else { bits },
        Binary::MulHigh => (((a as u128) * (b as u128)) >> bits) as i128,
        _ => unreachable!("{op:?} of integers"),
    }
}

fn real_binary(op: Binary, dtype: DType, a: f64, b: f64) -> f64 {
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Rem => a % b,
        Binary::Pow => a.powf(b),
        Binary::Atan2 => a.atan2(b),
        Binary::Hypot => a.hypot(b),
        Binary::Copysign => a.copysign(b),
        Binary::Nextafter => next_after(dtype, a, b),
        Binary::Min if a.is_nan() || b.is_nan() => f64::NAN,
        Binary::Max if a.is_nan() || b.is_nan() => f64::NAN,
        Binary::Min => {
            if a.total_cmp(&b).is_lt() {
                a
            } else {
                b
            }
        }
        Binary::Max => {
            if a.total_cmp(&b).is_gt() {
                a
            } else {
                b
            }
        }
        _ => unreachable!("{op:?} of real numbers"),
    }
}

/// Compares two numbers of one type.
pub fn compare(op: Compare, a: Number, b: Number) -> bool {
    fn ordered<T: PartialOrd>(op: Compare, a: T, b: T) -> bool {
        match op {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::Lt => a < b,
            Compare::Le => a <= b,
            Compare::Gt => a > b,
            Compare::Ge => a >= b,
        }
    }
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => ordered(op, a, b),
        (Number::Real(a), Number::Real(b)) => ordered(op, a, b),
        _ => complex::compare(op, a.complex(), b.complex()),
    }
}

/// a * b + c with one rounding.
pub fn fma(dtype: DType, a: f64, b: f64, c: f64) -> f64 {
    match dtype {
        DType::F64 => a.mul_add(b, c),
        DType::F32 => (a as f32).mul_add(b as f32, c as f32).into(),
        _ => {
            // The product is exact; a sum that is not exact is rounded to odd, off the midpoints of narrow numbers.
            let (product, sum) = (a * b, a * b + c);
            let second = sum - product;
            let lost = (product - (sum - second)) + (c - second);
            let odd = match lost.partial_cmp(&0.0) {
                None | Some(std::cmp::Ordering::Equal) => sum,
                _ if sum.to_bits() & 1 == 1 => sum,
                Some(side) => {
                    let outwards = (side == std::cmp::Ordering::Greater) == (sum > 0.0);
                    f64::from_bits(if outwards { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
                }
            };
            round(dtype, odd)
        }
    }
}

/// Converts between types.
pub fn cast(to: DType, x: Number) -> Number {
    let z = x.complex();
    match to.kind() {
        Kind::Bool => Number::Int(match x {
            Number::Int(x) => (x != 0).into(),
            _ => (z.re != 0.0 || z.im != 0.0).into(),
        }),
        Kind::Signed | Kind::Unsigned => Number::Int(match x {
            Number::Int(x) => wrap(to, x),
            _ => truncate(to, z.re),
        }),
        Kind::Float => Number::Real(real_part(to, x)),
        Kind::Complex => Number::Complex(match x {
            Number::Complex(z) => round_complex(to, z),
            _ => Complex64::new(real_part(to.real(), x), 0.0),
        }),
    }
}

fn real_part(to: DType, x: Number) -> f64 {
    match x {
        Number::Int(x) => round_integer(to, x),
        _ => round(to, x.real()),
    }
}

fn truncate(to: DType, x: f64) -> i128 {
    let x = x.trunc();
    let two_63 = 2f64.powi(63);
    if to == DType::U64 && x >= two_63 && x < 2.0 * two_63 {
        return x as i128;
    }
    let signed = if x >= -two_63 && x < two_63 { x as i64 } else { i64::MIN };
    wrap(to, signed.into())
}
