//! float16 and bfloat16, computed in float32 and rounded to the narrow type after every inexact operation.

use crate::DType;
use crate::ir::{Binary, Unary, Var};

/// The bit of the sign, in both formats.
const SIGN: i128 = 0x8000;

/// A narrow floating point type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    /// float16 or bfloat16.
    pub(super) dtype: DType,
    /// Whether the lowering converts float16 by itself.
    pub(super) native: bool,
}

/// A narrow floating point value.
#[derive(Clone, Copy)]
pub(super) struct Half<'b> {
    /// The value as float32, which the narrow type can represent.
    pub(super) value: Var<'b>,
    /// Its uint16 bits, where they are at hand.
    pub(super) bits: Option<Var<'b>>,
    /// Its type.
    pub(super) format: Format,
}

/// `x` as a bit pattern.
fn word<'b>(x: Var<'b>, bits: u32) -> Var<'b> {
    x.builder().integer(DType::U32, bits.into())
}

impl Format {
    /// The value with the given uint16 bits.
    pub(super) fn decode(self, bits: Var<'_>) -> Half<'_> {
        let value = if self.dtype == DType::BF16 {
            (bits.cast(DType::U32) << word(bits, 16)).bitcast(DType::F32)
        } else if self.native {
            bits.unary(Unary::HalfToFloat)
        } else {
            half_to_float(bits)
        };
        Half { value, bits: Some(bits), format: self }
    }

    /// The nearest value to a float32, ties to even.
    pub(super) fn round(self, x: Var<'_>) -> Half<'_> {
        if self.dtype == DType::F16 {
            return self.decode(self.encode(x));
        }
        let bits = x.bitcast(DType::U32);
        let odd = (bits >> word(x, 16)) & word(x, 1);
        let rounded = bits + (odd + word(x, 0x7fff));
        let quiet = bits | word(x, 0x0040_0000);
        let wide = quiet.when(x.is_nan(), rounded) & word(x, 0xffff_0000);
        let bits = Some((wide >> word(x, 16)).cast(DType::U16));
        Half { value: wide.bitcast(DType::F32), bits, format: self }
    }

    /// The nearest value to a plain number of any type, rounded once.
    pub(super) fn convert(self, x: Var<'_>) -> Half<'_> {
        match x.dtype() {
            DType::F64 => self.round(round_to_odd(x)),
            // What float32 rounds lies beyond the largest float16, so its rounding cannot matter.
            _ if self.dtype == DType::F16 => self.round(x.cast(DType::F32)),
            DType::I32 | DType::U32 => self.round(round_to_odd(x.cast(DType::F64))),
            DType::I64 | DType::U64 => self.round(round_to_odd(sticky(x).cast(DType::F64))),
            _ => self.round(x.cast(DType::F32)),
        }
    }

    /// The uint16 bits of a float32: of the nearest float16, but a bfloat16 must be representable already.
    fn encode(self, x: Var<'_>) -> Var<'_> {
        if self.dtype == DType::BF16 {
            (x.bitcast(DType::U32) >> word(x, 16)).cast(DType::U16)
        } else if self.native {
            x.unary(Unary::FloatToHalf)
        } else {
            float_to_half(x)
        }
    }

    /// a * b + c, rounded once: the product is exact in float64, the sum is rounded to odd.
    pub(super) fn fma<'b>(self, a: Var<'b>, b: Var<'b>, c: Var<'b>) -> Half<'b> {
        let [a, b, c] = [a, b, c].map(|x| x.cast(DType::F64));
        let product = a * b;
        let sum = product + c;
        let second = sum - product;
        let error = (product - (sum - second)) + (c - second);
        let zero = sum.like(0.0);
        let lost = error.lt(zero) | error.gt(zero);
        let beyond = lost & error.lt(zero).binary(Binary::Xor, sum.lt(zero));
        self.round(round_to_odd(make_odd(sum, lost, beyond)))
    }
}

impl<'b> Half<'b> {
    /// The uint16 bits.
    pub(super) fn encode(self) -> Var<'b> {
        self.bits.unwrap_or_else(|| self.format.encode(self.value))
    }

    fn exact(self, value: Var<'b>) -> Half<'b> {
        Half { value, bits: None, format: self.format }
    }

    /// One of two values, with its bits: a float32 in between may make another NaN of a NaN.
    pub(super) fn when(self, cond: Var<'b>, other: Half<'b>) -> Half<'b> {
        let known = self.bits.is_some() || other.bits.is_some();
        let bits = known.then(|| self.encode().when(cond, other.encode()));
        Half { value: self.value.when(cond, other.value), bits, format: self.format }
    }

    /// A result that differs from this value in its sign alone, which `change` makes of the bits.
    fn signed(self, value: Var<'b>, change: impl FnOnce(Var<'b>) -> Var<'b>) -> Half<'b> {
        Half { value, bits: self.bits.map(change), format: self.format }
    }

    /// Applies a unary operator.
    pub(super) fn unary(self, op: Unary) -> Half<'b> {
        let value = self.value.unary(op);
        match op {
            Unary::Neg => self.signed(value, |bits| bits.binary(Binary::Xor, bits.like_integer(SIGN))),
            Unary::Abs => self.signed(value, |bits| bits & bits.like_integer(SIGN - 1)),
            Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Rint => self.exact(value),
            _ => self.format.round(value),
        }
    }

    /// Applies a binary operator.
    pub(super) fn binary(self, op: Binary, other: Half<'b>) -> Half<'b> {
        match op {
            Binary::Nextafter => self.next_after(other),
            // The remainder is a multiple of the last place of the smaller operand, hence exact.
            Binary::Min | Binary::Max | Binary::Rem => self.exact(self.value.binary(op, other.value)),
            Binary::Copysign => self.signed(self.value.binary(op, other.value), |bits| {
                let sign = other.encode() & bits.like_integer(SIGN);
                (bits & bits.like_integer(SIGN - 1)) | sign
            }),
            _ => self.format.round(self.value.binary(op, other.value)),
        }
    }

    fn next_after(self, other: Half<'b>) -> Half<'b> {
        let (x, y) = (self.value, other.value);
        let bits = self.encode();
        let zero = x.like(0.0);
        let away = x.lt(y).binary(Binary::Xor, x.lt(zero));
        let one = bits.like_integer(1);
        let stepped = (bits + one).when(away, bits - one);
        let smallest = (other.encode() & bits.like_integer(SIGN)) | one;
        let next = self.format.decode(smallest.when(x.eq(zero), stepped));
        let unordered = (x + y).when(x.is_nan() | y.is_nan(), next.value);
        self.exact(y.when(x.eq(y), unordered))
    }
}

/// `x` with its last bit set if something was `lost`, after a step towards zero if it lies `beyond` the true value. A
/// number that was rounded to odd can be rounded to half its precision as if that were the only rounding.
fn make_odd<'b>(x: Var<'b>, lost: Var<'b>, beyond: Var<'b>) -> Var<'b> {
    let dtype = if x.dtype() == DType::F32 { DType::U32 } else { DType::U64 };
    let bits = x.bitcast(dtype);
    ((bits - beyond.cast(dtype)) | lost.cast(dtype)).bitcast(x.dtype())
}

/// float64 to float32, rounded to odd.
fn round_to_odd(x: Var<'_>) -> Var<'_> {
    let single = x.cast(DType::F32);
    let back = single.cast(DType::F64);
    make_odd(single, back.lt(x) | back.gt(x), back.abs().gt(x.abs()))
}

/// A 64-bit integer that float64 can represent: `x`, or if it is large, `x` rounded to odd.
fn sticky(x: Var<'_>) -> Var<'_> {
    let low = x.like_integer(0x7ff);
    let zero = x.like_integer(0);
    let lost = (x & low).ne(zero);
    let odd = (x & !low) | x.like_integer(0x800).when(lost, zero);
    let limit = 1 << 53;
    let small = if x.dtype().is_signed() {
        (x + x.like_integer(limit)).cast(DType::U64).lt(x.builder().integer(DType::U64, 2 * limit))
    } else {
        x.lt(x.like_integer(limit))
    };
    x.when(small, odd)
}

/// float16 bits to float32 by integer arithmetic: a multiplication moves the exponent and normalises subnormals.
fn half_to_float(bits: Var<'_>) -> Var<'_> {
    let bits = bits.cast(DType::U32);
    let shifted = (bits & word(bits, 0x7fff)) << word(bits, 13);
    let scaled = shifted.bitcast(DType::F32) * bits.builder().real(DType::F32, 2f64.powi(112));
    let special = scaled.ge(scaled.like(65536.0));
    let magnitude = (shifted | word(bits, 0x7f80_0000)).when(special, scaled.bitcast(DType::U32));
    let sign = (bits & word(bits, 0x8000)) << word(bits, 16);
    (magnitude | sign).bitcast(DType::F32)
}

/// float32 to the bits of the nearest float16, ties to even, by integer arithmetic.
fn float_to_half(x: Var<'_>) -> Var<'_> {
    let bits = x.bitcast(DType::U32);
    let magnitude = bits & word(x, 0x7fff_ffff);
    // Adding 1/2 aligns the last place of a subnormal float16 with the last place of the sum, which rounds.
    let half = word(x, 0x3f00_0000);
    let subnormal = (magnitude.bitcast(DType::F32) + half.bitcast(DType::F32)).bitcast(DType::U32) - half;
    let odd = (magnitude >> word(x, 13)) & word(x, 1);
    let rebias = word(x, 0x0fff_u32.wrapping_sub(112 << 23));
    let normal = (magnitude + (odd + rebias)) >> word(x, 13);
    let finite = subnormal.when(magnitude.lt(word(x, 113 << 23)), normal);
    let payload = ((magnitude >> word(x, 13)) & word(x, 0x1ff)) | word(x, 0x7e00);
    let nan = magnitude.gt(word(x, 0x7f80_0000));
    let special = payload.when(nan, word(x, 0x7c00));
    let result = special.when(magnitude.ge(word(x, 143 << 23)), finite);
    (result | ((bits >> word(x, 16)) & word(x, 0x8000))).cast(DType::U16)
}
