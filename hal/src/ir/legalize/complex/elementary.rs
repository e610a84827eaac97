//! Square root, exponentials and logarithms.

use crate::DType;
use crate::ir::{Unary, Var};

use super::{Complex, Limits, is_infinite, is_zero, not_finite, two_square, two_sum};

/// A power of two that depends on the size of a number: 1/4 for big ones, 2^`lift` for small ones, else 1.
struct Scaling<'b> {
    big: Var<'b>,
    small: Var<'b>,
    lift: f64,
}

impl<'b> Scaling<'b> {
    fn pick(&self, like: Var<'b>, value: impl Fn(f64) -> f64) -> Var<'b> {
        let [big, small, other] = [-2.0, self.lift, 0.0].map(|exponent| like.like(value(exponent)));
        big.when(self.big, small.when(self.small, other))
    }

    /// The factor to the power `power`.
    fn power(&self, like: Var<'b>, power: f64) -> Var<'b> {
        self.pick(like, |exponent| (exponent * power).exp2())
    }

    /// The factor's base-2 logarithm, times `unit`.
    fn exponent(&self, like: Var<'b>, unit: f64) -> Var<'b> {
        self.pick(like, |exponent| exponent * unit)
    }
}

impl<'b> Complex<'b> {
    /// How to scale the parts so that their squares' sum neither overflows nor loses digits.
    fn scaling(self) -> Scaling<'b> {
        let limits = Limits::of(self.re);
        let lift = f64::from(limits.lift_exponent);
        let size = self.re.abs().max(self.im.abs());
        let big = size.gt(size.like(limits.max / 4.0));
        let small = size.lt(size.like((-lift).exp2() / limits.max.sqrt().sqrt()));
        Scaling { big, small, lift }
    }

    /// The principal square root.
    pub(super) fn sqrt(self) -> Complex<'b> {
        let (re, im) = (self.re, self.im);
        let scaling = self.scaling();
        let factor = scaling.power(re, 1.0);
        let (x, y) = (re.abs() * factor, im.abs() * factor);
        let back = scaling.power(re, -0.5);
        let large = ((x + x.hypot(y)) * x.like(0.5)).sqrt();
        let small = (y / (large + large)).when(!is_zero(large), large);
        let infinite = is_infinite(im);
        let infinity = re.like(f64::INFINITY);
        let large = infinity.when(infinite, large * back);
        let small = infinity.when(infinite, small * back);
        let negative = re.lt(re.like(0.0));
        Complex { re: small.when(negative, large), im: large.when(negative, small).copysign(im) }
    }

    /// Combines a real exponential and an angle, where the exponential is `value * factor` so that it need not overflow
    /// or lose digits when the result does not.
    fn polar(self, value: Var<'b>, factor: Var<'b>, angle: Var<'b>) -> Complex<'b> {
        let vague = is_infinite(self.re) & not_finite(self.im);
        let re = value.when(vague, value * (angle.cos() * factor));
        let im = value * (angle.sin() * factor);
        let vanishing = vague & self.re.lt(self.re.like(0.0));
        Complex { re, im: self.im.when(is_zero(self.im), value.when(vanishing, im)) }
    }

    /// Lowers an argument above `limit` by it: (what is left, whether that happened).
    pub(super) fn lower(x: Var<'b>, limit: f64) -> (Var<'b>, Var<'b>) {
        let limit = x.like(limit);
        let above = x.gt(limit);
        ((x - limit).when(above, x), above)
    }

    /// e to the power z.
    pub(super) fn exp(self) -> Complex<'b> {
        let limit = Limits::of(self.re).exp_limit;
        let (x, above) = Self::lower(self.re, limit);
        let factor = x.like(limit.exp()).when(above, x.like(1.0));
        self.polar(x.exp(), factor, self.im)
    }

    /// 2 to the power z.
    pub(super) fn exp2(self) -> Complex<'b> {
        let limit = Limits::of(self.re).exp2_limit;
        let (x, above) = Self::lower(self.re, limit);
        let factor = x.like(limit.exp2()).when(above, x.like(1.0));
        self.polar(x.exp2(), factor, self.im * self.im.like(std::f64::consts::LN_2))
    }

    /// exp(z) - 1: the real part is expm1(x) cos(y) - 2 sin(y/2)^2.
    pub(super) fn expm1(self) -> Complex<'b> {
        let exp = self.exp();
        let half_sine = (self.im * self.im.like(0.5)).sin();
        let versine = (half_sine + half_sine) * half_sine;
        let near = self.re.expm1() * self.im.cos() - versine;
        let far = self.re.abs().gt(self.re.like(1.0));
        Complex { re: (exp.re - exp.re.like(1.0)).when(far, near), im: exp.im }
    }

    /// x^2 + y^2 + `start`, summed with twice the digits because the terms may cancel.
    fn square_sum(self, start: Var<'b>) -> Var<'b> {
        if start.dtype() == DType::F32 {
            let [x, y, start] = [self.re, self.im, start].map(|term| term.cast(DType::F64));
            return (start + x * x + y * y).cast(DType::F32);
        }
        let (x, x_error) = two_square(self.re);
        let (y, y_error) = two_square(self.im);
        let (sum, sum_error) = two_sum(start, x);
        let (total, total_error) = two_sum(sum, y);
        total + (total_error + sum_error + x_error + y_error)
    }

    /// The logarithm to base e, 2 or 10. Close to the unit circle its real part comes from |z|^2 - 1, computed with
    /// twice the digits.
    pub(super) fn log(self, op: Unary) -> Complex<'b> {
        use std::f64::consts::{LN_2, LOG2_E, LOG10_2, LOG10_E};
        let (per_e, per_two) = match op {
            Unary::Log2 => (LOG2_E, 1.0),
            Unary::Log10 => (LOG10_E, LOG10_2),
            _ => (1.0, LN_2),
        };
        let scaling = self.scaling();
        let modulus = self.scale(scaling.power(self.re, 1.0)).abs();
        let far = modulus.unary(op) - scaling.exponent(self.re, per_two);
        let excess = self.square_sum(self.re.like(-1.0));
        let near = excess.log1p() * excess.like(0.5 * per_e);
        let angle = self.arg();
        let im = if per_e == 1.0 { angle } else { angle * angle.like(per_e) };
        Complex { re: near.when(near_one(modulus), far), im }
    }

    /// log(1 + z): as [`Self::log`], with |1 + z|^2 - 1 = 2x + x^2 + y^2.
    pub(super) fn log1p(self) -> Complex<'b> {
        let shifted = Complex { re: self.re + self.re.like(1.0), im: self.im };
        let scaling = shifted.scaling();
        let modulus = shifted.scale(scaling.power(self.re, 1.0)).abs();
        let far = modulus.log() - scaling.exponent(self.re, std::f64::consts::LN_2);
        let excess = self.square_sum(self.re + self.re);
        let near = excess.log1p() * excess.like(0.5);
        Complex { re: near.when(near_one(modulus), far), im: shifted.arg() }
    }
}

fn near_one(modulus: Var<'_>) -> Var<'_> {
    modulus.gt(modulus.like(0.7)) & modulus.lt(modulus.like(1.5))
}
