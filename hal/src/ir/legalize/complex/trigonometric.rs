//! Hyperbolic functions; the circular ones are the same functions of the turned argument.

use crate::ir::Var;

use super::{Complex, Limits, is_infinite, is_zero, not_finite};

/// Hyperbolic cosine and sine of a real number, as multiples of `factor` so that large ones do not overflow too early.
struct Hyperbolic<'b> {
    cosh: Var<'b>,
    sinh: Var<'b>,
    factor: Var<'b>,
}

/// Both functions from one exponential of the absolute value.
fn hyperbolic(x: Var<'_>) -> Hyperbolic<'_> {
    let limit = Limits::of(x).exp_limit;
    let (lowered, above) = Complex::lower(x.abs(), limit);
    let (one, half) = (x.like(1.0), x.like(0.5));
    let excess = lowered.expm1();
    let exp = excess + one;
    let cosh = (exp + one / exp) * half;
    let sinh = (excess + excess / exp) * half;
    Hyperbolic {
        cosh: exp.when(above, cosh),
        sinh: exp.when(above, sinh).copysign(x),
        factor: x.like(limit.exp() / 2.0).when(above, one),
    }
}

impl<'b> Complex<'b> {
    /// sinh x cos y + i cosh x sin y.
    pub(super) fn sinh(self) -> Complex<'b> {
        let Complex { re: x, im: y } = self;
        let Hyperbolic { cosh, sinh, factor } = hyperbolic(x);
        let vague = (is_zero(x) | is_infinite(x)) & not_finite(y);
        Complex { re: x.when(vague, sinh * (y.cos() * factor)), im: y.when(is_zero(y), cosh * (y.sin() * factor)) }
    }

    /// cosh x cos y + i sinh x sin y.
    pub(super) fn cosh(self) -> Complex<'b> {
        let Complex { re: x, im: y } = self;
        let Hyperbolic { cosh, sinh, factor } = hyperbolic(x);
        let vague = not_finite(y);
        let zero = y * y.like(1.0).copysign(x);
        let im = x.when(is_zero(x) & vague, sinh * (y.sin() * factor));
        Complex { re: cosh.when(is_infinite(x) & vague, cosh * (y.cos() * factor)), im: zero.when(is_zero(y), im) }
    }

    /// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), whose terms never cancel.
    pub(super) fn tanh(self) -> Complex<'b> {
        let Complex { re: x, im: y } = self;
        let limit = x.like(Limits::of(x).tanh_limit);
        let beyond = x.abs().gt(limit);
        let bounded = limit.when(beyond, x.abs());
        let Hyperbolic { cosh, sinh, .. } = hyperbolic(bounded);
        let (sine, cosine) = (y.sin(), y.cos());
        let denominator = sinh * sinh + cosine * cosine;
        let decay = (x.like(2.0) * (bounded - x.abs())).exp();
        let vague = not_finite(y);
        let saturated = beyond & (is_infinite(x) | !vague);
        let re = x.like(1.0).when(saturated, sinh * cosh / denominator).copysign(x);
        let im = sine * cosine / denominator * decay;
        let zero = y.like(0.0).copysign(y);
        let im = zero.when(is_infinite(x) & vague, im);
        Complex { re: x.when(is_zero(x), re), im: y.when(is_zero(y), im) }
    }
}
