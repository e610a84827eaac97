//! Hyperbolic functions; the circular ones are the same functions of the turned argument.

use crate::ir::Var;

use super::{Complex, Limits, is_infinite, is_zero, not_finite};

/// Hyperbolic cosine and sine of a real number, as multiples of `factor` so that large ones do not overflow too early.
struct Hyperbolic<'b> {
    cosh: Var<'b>,
    sinh: Var<'b>,
    /// The cosine less 1, with the digits that this has for small numbers.
    less: Var<'b>,
    factor: Var<'b>,
    /// exp(-|x|), while it counts beside 1.
    decay: Var<'b>,
}

/// Both functions from one exponential of the absolute value.
fn hyperbolic(x: Var<'_>) -> Hyperbolic<'_> {
    let limit = Limits::of(x).exp_limit;
    let (lowered, above) = Complex::lower(x.abs(), limit);
    let (one, half) = (x.like(1.0), x.like(0.5));
    let excess = lowered.expm1();
    let exp = excess + one;
    let decay = one / exp;
    // What the rounding of the exponential leaves in it and in its inverse.
    let rest = excess - (exp - one);
    let cosh = (exp + (decay + rest * (one - decay * decay))) * half;
    let less = (excess * half * (excess * decay)).when(lowered.lt(x.like(0.35)), cosh - one);
    let sinh = x.builder().fma(excess, decay, excess) * half;
    Hyperbolic {
        cosh: exp.when(above, cosh),
        sinh: exp.when(above, sinh).copysign(x),
        less: excess.when(above, less),
        factor: x.like(limit.exp() / 2.0).when(above, one),
        decay,
    }
}

impl<'b> Complex<'b> {
    /// sinh x cos y + i cosh x sin y.
    pub(super) fn sinh(self) -> Complex<'b> {
        let Complex { re: x, im: y } = self;
        let Hyperbolic { sinh, less, factor, .. } = hyperbolic(x);
        let vague = (is_zero(x) | is_infinite(x)) & not_finite(y);
        let sine = y.sin() * factor;
        let im = x.builder().fma(sine, less, sine);
        Complex { re: x.when(vague, sinh * (y.cos() * factor)), im: y.when(is_zero(y), im) }
    }

    /// cosh x cos y + i sinh x sin y.
    pub(super) fn cosh(self) -> Complex<'b> {
        let Complex { re: x, im: y } = self;
        let Hyperbolic { cosh, sinh, less, factor, .. } = hyperbolic(x);
        let vague = not_finite(y);
        let zero = y * y.like(1.0).copysign(x);
        let im = x.when(is_zero(x) & vague, sinh * (y.sin() * factor));
        let cosine = y.cos() * factor;
        let re = x.builder().fma(cosine, less, cosine);
        Complex { re: cosh.when(is_infinite(x) & vague, re), im: zero.when(is_zero(y), im) }
    }

    /// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), whose terms never cancel.
    pub(super) fn tanh(self) -> Complex<'b> {
        let Complex { re: x, im: y } = self;
        let limit = x.like(Limits::of(x).tanh_limit);
        let beyond = x.abs().gt(limit);
        let bounded = limit.when(beyond, x.abs());
        let Hyperbolic { cosh, sinh, decay: inverse, .. } = hyperbolic(bounded);
        let (sine, cosine) = (y.sin(), y.cos());
        let (one, square) = (x.like(1.0), cosine * cosine);
        let denominator = x.builder().fma(sinh, sinh, square);
        let decay = (x.like(2.0) * (bounded - x.abs())).exp();
        let vague = not_finite(y);
        let saturated = beyond & (is_infinite(x) | !vague);
        // Where the quotient is near 1, its distance from 1.
        let large = bounded.gt(one);
        let quotient = (sinh * inverse - square).when(large, sinh * cosh) / denominator;
        let re = one.when(saturated, quotient + one.when(large, x.like(0.0))).copysign(x);
        let im = sine * cosine / denominator * decay;
        let zero = y.like(0.0).copysign(y);
        let im = zero.when(is_infinite(x) & vague, im);
        Complex { re: x.when(is_zero(x), re), im: y.when(is_zero(y), im) }
    }
}
