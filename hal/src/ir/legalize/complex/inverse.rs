//! Inverse trigonometric and hyperbolic functions, after Hull, Fairgrieve and Tang, "Implementing the complex arcsine and
//! arccosine functions using exception handling", and Kahan, "Branch cuts for complex elementary functions".

use std::f64::consts::{FRAC_PI_2, LN_2};

use crate::ir::Var;

use super::{Complex, Limits, is_infinite, is_zero};

/// What the inverse functions have in common, for the absolute values x and y of the parts.
struct Ellipse<'b> {
    /// A positive multiple of the cosine of the angle whose sine is the same multiple of x.
    cosine: Var<'b>,
    /// The hyperbolic coordinate, arccosh of half the sum of the distances to the foci 1 and -1.
    radius: Var<'b>,
}

/// Elliptic coordinates of the point (x, y) of the first quadrant. Every sum is of positive terms, so nothing cancels.
fn ellipse<'b>(x: Var<'b>, y: Var<'b>) -> Ellipse<'b> {
    let (one, half) = (x.like(1.0), x.like(0.5));
    let limit = x.like(1.0 / Limits::of(x).epsilon);
    let large = x.gt(limit) | y.gt(limit);
    let (right, left) = (x + one, x - one);
    let (r, s) = (right.hypot(y), left.hypot(y));
    let a = (r + s) * half;
    let inside = x.lt(one);
    let square = y * y;
    let far = r + right;
    let near = s + left.abs();
    // 2 (a - x) and 2 (a - 1); the inverses may be infinite where they are not chosen.
    let inverses = one / far + one / near;
    let cosine_inside = ((a + x) * (square / far + near) * half).sqrt();
    let cosine_outside = y * ((a + x) * inverses * half).sqrt();
    let at_one = x.eq(one);
    let cosine = cosine_inside.when(inside | at_one, cosine_outside);
    let excess = (square * inverses).when(inside, square / far + near);
    let mean = (a + one) * half;
    let root = (y * (inverses * mean).sqrt()).when(inside, (excess * mean).sqrt());
    let grown = (x * half).hypot(y * half).when(large, excess * half + root);
    let radius = grown.log1p() + x.like(2.0 * LN_2).when(large, x.like(0.0));
    Ellipse { cosine: y.when(large, cosine), radius }
}

impl<'b> Complex<'b> {
    /// The inverse sine.
    pub(super) fn asin(self) -> Complex<'b> {
        let (x, y) = (self.re.abs(), self.im.abs());
        let Ellipse { cosine, radius } = ellipse(x, y);
        let angle = x.when(is_zero(x), x.atan2(cosine));
        Complex { re: angle.copysign(self.re), im: radius.copysign(self.im) }
    }

    /// The real part of the inverse cosine and the absolute value of the imaginary one.
    fn acos_parts(self) -> (Var<'b>, Var<'b>) {
        let x = self.re;
        let Ellipse { cosine, radius } = ellipse(x.abs(), self.im.abs());
        (x.like(FRAC_PI_2).when(is_zero(x), cosine.atan2(x)), radius)
    }

    /// The inverse cosine.
    pub(super) fn acos(self) -> Complex<'b> {
        let (angle, radius) = self.acos_parts();
        Complex { re: angle, im: radius.copysign(-self.im) }
    }

    /// The inverse hyperbolic cosine.
    pub(super) fn acosh(self) -> Complex<'b> {
        let (angle, radius) = self.acos_parts();
        Complex { re: radius, im: angle.copysign(self.im) }
    }

    /// The inverse hyperbolic tangent.
    pub(super) fn atanh(self) -> Complex<'b> {
        let (x, y) = (self.re.abs(), self.im.abs());
        let limits = Limits::of(x);
        let builder = x.builder();
        let (zero, one, two, quarter) = (x.like(0.0), x.like(1.0), x.like(2.0), x.like(0.25));
        let limit = x.like(1.0 / limits.epsilon);
        let large = x.gt(limit) | y.gt(limit);
        let infinite = is_infinite(x) | is_infinite(y);

        let left = x - one;
        let quotient = x.like(4.0) * x / (left * left + y * y);
        let pole = x.eq(one) & y.lt(x.like(limits.epsilon));
        let at_pole = (x.like(LN_2) - y.log()) * x.like(0.5);
        let modest = at_pole.when(pole, quotient.log1p() * quarter);
        let modulus = (x * quarter).hypot(y * quarter);
        let inverse = x * quarter / modulus / modulus * quarter;
        let re = zero.when(infinite, inverse.when(large, modest));
        let re = x.when(is_zero(x), re);

        let angle = (two * y).atan2((one - x) * (one + x) - y * y) * x.like(0.5);
        let angle = x.like(FRAC_PI_2).when(large, angle);
        // Next to 0 by the first terms, z + z**3 / 3.
        let small = x.like(limits.epsilon.sqrt().sqrt() / 2.0);
        let near = x.lt(small) & y.lt(small);
        let (xx, yy, third) = (x * x, y * y, x.like(1.0 / 3.0));
        let re = builder.fma(x, xx * third - yy, x).when(near, re);
        let angle = builder.fma(y, xx - yy * third, y).when(near, angle);
        let angle = y.when(is_zero(y) & x.le(one), angle);
        let unknown = self.is_nan() & !is_infinite(y);
        let angle = x.like(f64::NAN).when(unknown & !is_zero(y), angle);
        Complex { re: re.copysign(self.re), im: angle.copysign(self.im) }
    }
}
