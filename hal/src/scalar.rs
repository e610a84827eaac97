//! Scalar arguments of kernels.

use crate::dtype::DType;

/// A scalar argument: the bytes of one element, little endian, the rest zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Scalar {
    /// The element's bytes, as they would stand in memory.
    pub bytes: [u8; 16],
    /// The element's type.
    pub dtype: DType,
}

/// A number as a 32-bit float, rounded to odd: rounded to 16 bits after that it is as if it had been rounded once.
fn to_odd(value: f64) -> f32 {
    let near = value as f32;
    if value.is_nan() || f64::from(near) == value {
        return near;
    }
    // Towards zero, with the last bit set for what is cut off.
    let beyond = f64::from(near).abs() > value.abs();
    f32::from_bits((near.to_bits() - u32::from(beyond)) | 1)
}

/// The float64 next to an integer whose last bit is set if any bit was lost, so that one more rounding is right.
fn round_to_odd(value: i128) -> f64 {
    let magnitude = value.unsigned_abs();
    let shift = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let sticky = u128::from(magnitude & ((1 << shift) - 1) != 0);
    let odd = ((magnitude >> shift | sticky) << shift) as f64;
    if value < 0 { -odd } else { odd }
}

impl Scalar {
    /// An integer scalar, truncated to the type's width.
    pub fn integer(dtype: DType, value: i128) -> Scalar {
        let value = if dtype == DType::Bool { (value != 0).into() } else { value };
        let mut bytes = [0; 16];
        bytes[..dtype.size()].copy_from_slice(&value.to_le_bytes()[..dtype.size()]);
        Scalar { bytes, dtype }
    }

    /// An integer as an element of any type.
    ///
    /// Among floats by way of a double, as NumPy converts a Python integer; of bfloat16, which NumPy lacks, rounded once.
    pub fn from_integer(dtype: DType, value: i128) -> Scalar {
        match dtype {
            DType::BF16 => Scalar::real(dtype, round_to_odd(value)),
            _ if dtype.is_inexact() => Scalar::real(dtype, value as f64),
            _ => Scalar::integer(dtype, value),
        }
    }

    /// A 64-bit signed integer.
    pub fn i64(value: i64) -> Scalar {
        Scalar::integer(DType::I64, value.into())
    }

    /// A real number, rounded to the type; integers are truncated.
    #[inline]
    pub fn real(dtype: DType, value: f64) -> Scalar {
        // What most operations have as a number, without a call.
        if dtype == DType::F64 {
            return Scalar { bytes: u128::from(value.to_bits()).to_le_bytes(), dtype };
        }
        Scalar::complex(dtype, value, 0.0)
    }

    /// A complex number, rounded to the type; the imaginary part is dropped for real types.
    pub fn complex(dtype: DType, re: f64, im: f64) -> Scalar {
        let mut bytes = [0; 16];
        match dtype {
            DType::F16 => bytes[..2].copy_from_slice(&half::f16::from_f32(to_odd(re)).to_le_bytes()),
            DType::BF16 => bytes[..2].copy_from_slice(&half::bf16::from_f32(to_odd(re)).to_le_bytes()),
            DType::F32 => bytes[..4].copy_from_slice(&(re as f32).to_le_bytes()),
            DType::F64 => bytes[..8].copy_from_slice(&re.to_le_bytes()),
            DType::C64 => {
                bytes[..4].copy_from_slice(&(re as f32).to_le_bytes());
                bytes[4..8].copy_from_slice(&(im as f32).to_le_bytes());
            }
            DType::C128 => {
                bytes[..8].copy_from_slice(&re.to_le_bytes());
                bytes[8..].copy_from_slice(&im.to_le_bytes());
            }
            DType::Bool => bytes[0] = u8::from(re != 0.0 || im != 0.0),
            DType::U64 => bytes[..8].copy_from_slice(&(re as u64).to_le_bytes()),
            _ => return Scalar::integer(dtype, (re as i64).into()),
        }
        Scalar { bytes, dtype }
    }

    /// The value as (real, imaginary) parts in double precision; 64-bit integers may round.
    pub fn to_complex(&self) -> (f64, f64) {
        let word = |range: std::ops::Range<usize>| -> [u8; 8] {
            let mut out = [0; 8];
            out[..range.len()].copy_from_slice(&self.bytes[range]);
            out
        };
        let single = |at: usize| f64::from(f32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes")));
        match self.dtype {
            DType::F16 => (half::f16::from_le_bytes([self.bytes[0], self.bytes[1]]).to_f64(), 0.0),
            DType::BF16 => (half::bf16::from_le_bytes([self.bytes[0], self.bytes[1]]).to_f64(), 0.0),
            DType::F32 => (single(0), 0.0),
            DType::F64 => (f64::from_le_bytes(word(0..8)), 0.0),
            DType::C64 => (single(0), single(4)),
            DType::C128 => (f64::from_le_bytes(word(0..8)), f64::from_le_bytes(word(8..16))),
            _ => (self.to_integer() as f64, 0.0),
        }
    }

    /// The value as an integer, 0 or 1 of a bool; meaningful for bool and integer types.
    pub fn to_integer(&self) -> i128 {
        if self.dtype == DType::Bool {
            return (self.bytes[0] != 0).into();
        }
        let raw = u128::from_le_bytes(self.bytes);
        let bits = self.dtype.size() * 8;
        if self.dtype.is_signed() {
            let shift = 128 - bits;
            ((raw as i128) << shift) >> shift
        } else {
            raw as i128
        }
    }
}
