//! Complex numbers as pairs of real ones: arithmetic, order, and the dispatch to the functions in the files beside.
//!
//! The functions follow C99 Annex G for signed zeros, infinities and NaN. They have no branches, so that a lowering can
//! compute several points at once; only the power to a small integer exponent loops.

mod elementary;
mod inverse;
mod power;
mod trigonometric;

use crate::DType;
use crate::ir::{Binary, Compare, Literal, Unary, Var};

/// A complex number.
#[derive(Clone, Copy)]
pub(super) struct Complex<'b> {
    /// Real part.
    pub(super) re: Var<'b>,
    /// Imaginary part.
    pub(super) im: Var<'b>,
}

/// Facts about a real type that algorithms need.
struct Limits {
    /// Distance from 1 to the next number.
    epsilon: f64,
    /// The largest number.
    max: f64,
    /// A power of two that lifts every subnormal number to a normal one.
    lift_exponent: i32,
    /// An integer near the logarithm of `max`, and below it.
    exp_limit: f64,
    /// The base-2 logarithm of `max`, rounded down.
    exp2_limit: f64,
    /// The hyperbolic tangent of larger arguments rounds to 1.
    tanh_limit: f64,
}

impl Limits {
    fn of(x: Var<'_>) -> Limits {
        if x.dtype() == DType::F32 {
            Limits {
                epsilon: f32::EPSILON.into(),
                max: f32::MAX.into(),
                lift_exponent: 60,
                exp_limit: 88.0,
                exp2_limit: 127.0,
                tanh_limit: 11.0,
            }
        } else {
            Limits {
                epsilon: f64::EPSILON,
                max: f64::MAX,
                lift_exponent: 120,
                exp_limit: 709.0,
                exp2_limit: 1023.0,
                tanh_limit: 22.0,
            }
        }
    }
}

fn is_infinite(x: Var<'_>) -> Var<'_> {
    x.abs().eq(x.like(f64::INFINITY))
}

/// Whether a number is infinite or NaN.
fn not_finite(x: Var<'_>) -> Var<'_> {
    !x.abs().lt(x.like(f64::INFINITY))
}

fn is_zero(x: Var<'_>) -> Var<'_> {
    x.eq(x.like(0.0))
}

/// (sum, error) with sum + error = a + b exactly.
fn two_sum<'b>(a: Var<'b>, b: Var<'b>) -> (Var<'b>, Var<'b>) {
    let sum = a + b;
    let second = sum - a;
    (sum, (a - (sum - second)) + (b - second))
}

/// (square, error) with square + error = a * a exactly, short of underflow.
fn two_square(a: Var<'_>) -> (Var<'_>, Var<'_>) {
    let square = a * a;
    (square, a.builder().fma(a, a, -square))
}

impl<'b> Complex<'b> {
    fn swap(self) -> Complex<'b> {
        Complex { re: self.im, im: self.re }
    }

    fn is_nan(self) -> Var<'b> {
        self.re.is_nan() | self.im.is_nan()
    }

    fn is_zero(self) -> Var<'b> {
        is_zero(self.re) & is_zero(self.im)
    }

    fn when(self, cond: Var<'b>, other: Complex<'b>) -> Complex<'b> {
        Complex { re: self.re.when(cond, other.re), im: self.im.when(cond, other.im) }
    }

    fn scale(self, factor: Var<'b>) -> Complex<'b> {
        Complex { re: self.re * factor, im: self.im * factor }
    }

    /// The modulus.
    pub(super) fn abs(self) -> Var<'b> {
        self.re.hypot(self.im)
    }

    fn arg(self) -> Var<'b> {
        self.im.atan2(self.re)
    }

    /// Applies a unary operator that gives a complex number.
    pub(super) fn unary(self, op: Unary) -> Complex<'b> {
        match op {
            Unary::Neg => Complex { re: -self.re, im: -self.im },
            Unary::Conj => Complex { re: self.re, im: -self.im },
            Unary::Sqrt => self.sqrt(),
            Unary::Exp => self.exp(),
            Unary::Exp2 => self.exp2(),
            Unary::Expm1 => self.expm1(),
            Unary::Log | Unary::Log2 | Unary::Log10 => self.log(op),
            Unary::Log1p => self.log1p(),
            Unary::Sinh => self.sinh(),
            Unary::Cosh => self.cosh(),
            Unary::Tanh => self.tanh(),
            Unary::Sin => self.swap().sinh().swap(),
            Unary::Cos => Complex { re: -self.im, im: self.re }.cosh(),
            Unary::Tan => self.swap().tanh().swap(),
            Unary::Asinh => self.swap().asin().swap(),
            Unary::Acosh => self.acosh(),
            Unary::Atanh => self.atanh(),
            Unary::Asin => self.asin(),
            Unary::Acos => self.acos(),
            Unary::Atan => self.swap().atanh().swap(),
            // What is left is not defined for complex numbers, and a valid kernel does not apply it.
            _ => self,
        }
    }

    /// Applies a binary operator; `constant` is the second operand where it is known.
    pub(super) fn binary(self, op: Binary, other: Complex<'b>, constant: Option<Literal>) -> Complex<'b> {
        match op {
            Binary::Add => Complex { re: self.re + other.re, im: self.im + other.im },
            Binary::Sub => Complex { re: self.re - other.re, im: self.im - other.im },
            Binary::Mul => self.multiply(other),
            Binary::Div => self.divide(other),
            Binary::Pow => self.pow(other, constant),
            Binary::Min => self.when(self.is_nan() | self.compare(Compare::Le, other), other),
            Binary::Max => self.when(self.is_nan() | self.compare(Compare::Ge, other), other),
            _ => self,
        }
    }

    fn multiply(self, other: Complex<'b>) -> Complex<'b> {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }

    /// Smith's algorithm: dividing by the larger part first avoids overflow of the squared modulus.
    fn divide(self, other: Complex<'b>) -> Complex<'b> {
        let real = other.re.abs().ge(other.im.abs());
        let denominator = other.when(real, other.swap());
        let Complex { re, im } = self.when(real, self.swap());
        let zero = real & is_zero(denominator.re);
        let ratio = denominator.im / denominator.re;
        let divisor = denominator.re.abs().when(zero, denominator.re + denominator.im * ratio);
        let inverse = divisor.like(1.0) / divisor;
        let cross = re * ratio;
        let sum = re.when(zero, re + im * ratio);
        let difference = im.when(zero, (im - cross).when(real, cross - im));
        Complex { re: sum, im: difference }.scale(inverse)
    }

    /// Compares lexicographically; the order is false when the part that decides is NaN, or an imaginary part is.
    pub(super) fn compare(self, op: Compare, other: Complex<'b>) -> Var<'b> {
        match op {
            Compare::Eq => self.re.eq(other.re) & self.im.eq(other.im),
            Compare::Ne => self.re.ne(other.re) | self.im.ne(other.im),
            _ => {
                let strict = if matches!(op, Compare::Lt | Compare::Le) { Compare::Lt } else { Compare::Gt };
                let ordered = self.im.eq(self.im) & other.im.eq(other.im);
                let decided = self.re.compare(strict, other.re) & ordered;
                decided | (self.re.eq(other.re) & self.im.compare(op, other.im))
            }
        }
    }
}
