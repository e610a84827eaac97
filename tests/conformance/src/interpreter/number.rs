//! Numbers of the interpreter and their representation in memory.

use cuproxide_hal::DType;
use num_complex::Complex64;

/// A value of any element type; integers and bools are `Int`, and every number is representable in its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer or bool.
    Int(i128),
    /// A real number.
    Real(f64),
    /// A complex number.
    Complex(Complex64),
}

impl Number {
    /// The integer.
    pub fn int(self) -> i128 {
        match self {
            Number::Int(x) => x,
            other => unreachable!("{other:?} is not an integer"),
        }
    }

    /// The truth value.
    pub fn truth(self) -> bool {
        self.int() != 0
    }

    /// The number as a complex one.
    pub fn complex(self) -> Complex64 {
        match self {
            Number::Int(x) => Complex64::new(x as f64, 0.0),
            Number::Real(x) => Complex64::new(x, 0.0),
            Number::Complex(z) => z,
        }
    }

    /// The real part.
    pub fn real(self) -> f64 {
        self.complex().re
    }
}

/// Wraps an integer to a type.
pub fn wrap(dtype: DType, x: i128) -> i128 {
    let shift = 128 - dtype.bits();
    if dtype.is_signed() { (x << shift) >> shift } else { ((x as u128) << shift >> shift) as i128 }
}

/// (digits, exponent of the smallest normal number, largest number) of a real type.
fn shape(dtype: DType) -> (i32, i32, f64) {
    match dtype {
        DType::F16 => (11, -14, 65504.0),
        DType::BF16 => (8, -126, half::bf16::MAX.to_f64()),
        DType::F32 => (24, -126, f32::MAX.into()),
        _ => (53, -1022, f64::MAX),
    }
}

/// The largest finite number of a real type.
pub fn largest(dtype: DType) -> f64 {
    shape(dtype).2
}

/// Rounds a real number to a type, ties to even.
pub fn round(dtype: DType, x: f64) -> f64 {
    let (digits, smallest, max) = shape(dtype);
    if digits == 53 || x == 0.0 || !x.is_finite() {
        return x;
    }
    let exponent = ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(smallest);
    let unit = f64::powi(2.0, exponent - (digits - 1));
    let rounded = (x / unit).round_ties_even() * unit;
    if rounded.abs() > max { f64::INFINITY.copysign(x) } else { rounded }
}

/// Rounds an integer to a real type, ties to even.
pub fn round_integer(dtype: DType, x: i128) -> f64 {
    let digits = shape(dtype).0 as u32;
    let magnitude = x.unsigned_abs();
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(digits);
    let unit = 1u128 << excess;
    let (mut kept, rest) = (magnitude / unit, magnitude % unit);
    if rest * 2 > unit || (rest * 2 == unit && kept % 2 == 1) {
        kept += 1;
    }
    round(dtype, (kept * unit) as f64).copysign(if x < 0 { -1.0 } else { 1.0 })
}

/// Rounds both parts.
pub fn round_complex(dtype: DType, z: Complex64) -> Complex64 {
    Complex64::new(round(dtype.real(), z.re), round(dtype.real(), z.im))
}

/// Distance between neighbouring numbers of a real type near `x`.
pub fn ulp(dtype: DType, x: f64) -> f64 {
    let (digits, smallest, max) = shape(dtype);
    let bounded = x.abs().min(max);
    let exponent = if bounded == 0.0 { smallest } else { (bounded.log2().floor() as i32).max(smallest) };
    // In two steps, because the smallest float64 is out of reach of one.
    f64::powi(2.0, exponent) * f64::powi(2.0, 1 - digits)
}

/// Reads an element.
pub fn decode(dtype: DType, bytes: &[u8]) -> Number {
    let mut scalar = cuproxide_hal::Scalar::integer(dtype, 0);
    scalar.bytes[..dtype.size()].copy_from_slice(&bytes[..dtype.size()]);
    match dtype {
        DType::C64 | DType::C128 => {
            let (re, im) = scalar.to_complex();
            Number::Complex(Complex64::new(re, im))
        }
        _ if dtype.is_float() => Number::Real(scalar.to_complex().0),
        DType::Bool => Number::Int((scalar.to_integer() != 0).into()),
        _ => Number::Int(scalar.to_integer()),
    }
}

/// The bytes of an element.
pub fn encode(dtype: DType, number: Number) -> Vec<u8> {
    use cuproxide_hal::Scalar;
    let scalar = match number {
        Number::Int(x) => Scalar::integer(dtype, x),
        Number::Real(x) => Scalar::real(dtype, x),
        Number::Complex(z) => Scalar::complex(dtype, z.re, z.im),
    };
    scalar.bytes[..dtype.size()].to_vec()
}

/// The number after `x` towards `y` in a real type.
pub fn next_after(dtype: DType, x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == y {
        return y;
    }
    let step = |bits: u64, sign: u64| {
        if x == 0.0 {
            1 | if y < 0.0 { sign } else { 0 }
        } else if (x < y) == (x > 0.0) {
            bits + 1
        } else {
            bits - 1
        }
    };
    match dtype {
        DType::F16 => half::f16::from_bits(step(half::f16::from_f64(x).to_bits().into(), 1 << 15) as u16).to_f64(),
        DType::BF16 => half::bf16::from_bits(step(half::bf16::from_f64(x).to_bits().into(), 1 << 15) as u16).to_f64(),
        DType::F32 => f32::from_bits(step((x as f32).to_bits().into(), 1 << 31) as u32).into(),
        _ => f64::from_bits(step(x.to_bits(), 1 << 63)),
    }
}
