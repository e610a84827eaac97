//! How far a result may be from the interpreter's, in one table, and how the distance is measured.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Unary};
use num_complex::Complex64;

use crate::interpreter::number::{Number, ulp};

/// A bound on the error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Units in the last place of the expected number; of its modulus if it is complex.
    pub ulp: f64,
    /// Whether 0.0 and -0.0 differ.
    pub signed_zero: bool,
}

impl Tolerance {
    /// The same number.
    pub const EXACT: Tolerance = Tolerance { ulp: 0.0, signed_zero: true };
    /// The same number, but a zero of any sign.
    pub const EXACT_VALUE: Tolerance = Tolerance { ulp: 0.0, signed_zero: false };

    /// Within `ulp` units in the last place.
    pub const fn within(ulp: f64) -> Tolerance {
        Tolerance { ulp, signed_zero: true }
    }

    /// The bound for a unary operator on operands of type `dtype`.
    pub fn unary(op: Unary, dtype: DType) -> Tolerance {
        use Unary::*;
        let exact = matches!(op, Neg | Abs | Not | Popcount | Floor | Ceil | Trunc | Rint | Conj | Real | Imag);
        match dtype {
            _ if exact && !(op == Abs && dtype.is_complex()) => Tolerance::EXACT,
            DType::F16 | DType::BF16 => Tolerance::within(1.0),
            DType::F32 | DType::F64 => match op {
                Sqrt => Tolerance::EXACT,
                Cbrt | Exp | Exp2 | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos => Tolerance::within(2.0),
                _ => Tolerance::within(4.0),
            },
            _ => match op {
                Abs | Sqrt => Tolerance::within(3.0),
                _ => Tolerance::within(8.0),
            },
        }
    }

    /// The bound for a binary operator on operands of type `dtype`.
    pub fn binary(op: Binary, dtype: DType) -> Tolerance {
        use Binary::*;
        match op {
            // Errors of the logarithm grow with the size of the exponent.
            Pow if dtype == DType::C64 => Tolerance::within(600.0),
            Pow if dtype == DType::C128 => Tolerance::within(4000.0),
            Pow | Atan2 | Hypot if matches!(dtype, DType::F16 | DType::BF16) => Tolerance::within(1.0),
            Pow | Atan2 | Hypot => Tolerance::within(4.0),
            _ => Tolerance::EXACT,
        }
    }

    /// Whether `found` is close enough to `expected`, both of type `dtype`.
    pub fn accepts(self, dtype: DType, expected: Number, found: Number) -> bool {
        match (expected, found) {
            (Number::Int(expected), Number::Int(found)) => expected == found,
            (Number::Real(expected), Number::Real(found)) => self.part(dtype, expected, found, expected.abs(), true),
            (Number::Complex(expected), Number::Complex(found)) => self.complex(dtype.real(), expected, found),
            _ => false,
        }
    }

    fn complex(self, part: DType, expected: Complex64, found: Complex64) -> bool {
        // Where one part is NaN, C leaves the sign of the other open.
        let signs = !expected.re.is_nan() && !expected.im.is_nan();
        let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
        let size = finite(expected.re).max(finite(expected.im));
        self.part(part, expected.re, found.re, size, signs) && self.part(part, expected.im, found.im, size, signs)
    }

    fn part(self, dtype: DType, expected: f64, found: f64, size: f64, sign: bool) -> bool {
        let (expected, found) = if sign { (expected, found) } else { (expected.abs(), found.abs()) };
        if expected.is_nan() || found.is_nan() {
            return expected.is_nan() && found.is_nan();
        }
        if expected == found {
            let negative_zero = expected == 0.0 && expected.is_sign_negative() != found.is_sign_negative();
            return !(negative_zero && self.signed_zero && self.ulp == 0.0);
        }
        // An overflow counts as the first number that is too large.
        let unit = ulp(dtype, size);
        let max = crate::interpreter::number::largest(dtype);
        let finite = |x: f64| if x.is_infinite() { (max / 2.0).copysign(x) } else { x / 2.0 };
        let (unit, infinite) =
            if expected.is_infinite() || found.is_infinite() { (ulp(dtype, max), 1.0) } else { (unit, 0.0) };
        ((finite(expected) - finite(found)) / unit * 2.0).abs() + infinite <= self.ulp
    }
}
