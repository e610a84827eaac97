//! The gamma function and its logarithms: DLMF 5.

use std::f64::consts::PI;

use cuproxide_hal::ir::{LocalVar, Var};

use super::approximation::{distance_to_whole, either, in_double, sin_pi};
use super::called::called;
use super::tables::gamma::*;
use cuproxide_hal::DType;

/// log(2 pi) / 2.
const HALF_LOG_TWO_PI: f64 = 0.918_938_533_204_672_8;
/// log(pi).
const LOG_PI: f64 = 1.144_729_885_849_400_2;
/// sqrt(2 pi).
const ROOT_TWO_PI: f64 = 2.506_628_274_631_000_7;
/// The positive root of digamma as two numbers.
const DIGAMMA_ROOT: [f64; 2] = [1.461_632_144_968_362_2, 9.549_995_429_965_697e-17];

/// Up to where the recurrence leads to [1, 2]; whole numbers stay exact as long as float64 holds them.
pub(super) const RECURRENCE: f64 = 34.0;

/// gamma(x) as a quotient, |x| up to [`RECURRENCE`]: gamma(y) of the y in [1, 2] that lies whole steps away, times a
/// product of what lies between, or divided by it.
fn quotient<'b>(x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = x.builder();
    let (one, two) = (x.like(1.0), x.like(2.0));
    let (y, numerator, denominator) = (builder.local(x), builder.local(one), builder.local(one));
    // What the roundings of the products leave.
    let (above, below) = (builder.local(x.like(0.0)), builder.local(x.like(0.0)));
    let multiply = |product: LocalVar<'b>, rest: LocalVar<'b>, factor: Var<'b>| {
        let before = product.get();
        let next = before * factor;
        rest.set(builder.fma(rest.get(), factor, builder.fma(before, factor, -next)));
        product.set(next);
    };
    builder.repeat(
        || y.get().gt(two),
        || {
            y.set(y.get() - one);
            multiply(numerator, above, y.get());
        },
    );
    builder.repeat(
        || y.get().lt(one),
        || {
            multiply(denominator, below, y.get());
            y.set(y.get() + one);
        },
    );
    let center = GAMMA_CENTER.at(y.get());
    let product = builder.fma(numerator.get(), center, above.get() * center);
    (product, denominator.get() + below.get())
}

/// log gamma(x) less its leading terms, x from 3 on: the rest of Stirling's series.
pub(super) fn stirling_rest(x: Var<'_>) -> Var<'_> {
    let inverse = x.like(1.0) / x;
    STIRLING.at(inverse * inverse) * inverse
}

/// The divided difference of [`stirling_rest`] as a function of the inverses of its arguments, which are `first` and `second`.
pub(super) fn stirling_slope<'b>(first: Var<'b>, second: Var<'b>) -> Var<'b> {
    let (middle, half) = ((STIRLING.low + STIRLING.high) / 2.0, (STIRLING.high - STIRLING.low) / 2.0);
    let point = |x: Var<'b>| (x * x - x.like(middle)) * x.like(1.0 / half);
    let (t, u) = (point(first), point(second));
    let coefficients = if first.dtype() == DType::F32 { STIRLING.single } else { STIRLING.double };
    // Horner's scheme for the value at t, and for the divided difference at t and u.
    let start = (first.like(0.0), first.like(0.0));
    let (value, slope) = coefficients.iter().rev().fold(start, |(value, slope), &coefficient| {
        let builder = first.builder();
        (builder.fma(value, t, first.like(coefficient)), builder.fma(slope, u, value))
    });
    value + second * (first + second) * slope * first.like(1.0 / half)
}

/// gamma(a) for a beyond [`RECURRENCE`], as two factors of which neither overflows before their product does.
fn stirling_factors(a: Var<'_>) -> (Var<'_>, Var<'_>) {
    let power = a.pow(a * a.like(0.5) - a.like(0.25));
    let factor = a.like(ROOT_TWO_PI) * stirling_rest(a).exp() * (-a).exp();
    (power, factor * power)
}

/// gamma(x).
pub(super) fn gamma(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        let (zero, nan, infinity, a) = (x.like(0.0), x.like(f64::NAN), x.like(f64::INFINITY), x.abs());
        let near = || {
            let (numerator, denominator) = called!(quotient(x));
            let pole = infinity.copysign(x).when(x.eq(zero), nan);
            pole.when(denominator.eq(zero), numerator / denominator)
        };
        let far = || {
            // Beyond 172 the positive side is infinite, the negative one 0 from 190 on.
            let bounded = a.min(x.like(200.0));
            let (power, rest) = stirling_factors(bounded);
            let positive = infinity.when(a.gt(x.like(171.7)), power * rest);
            let sine = sin_pi(x);
            let negative = x.like(-PI) / (x * sine) / power / rest;
            let negative = nan.when(sine.eq(zero) | a.eq(infinity), negative);
            positive.when(x.gt(zero), negative)
        };
        // NaN compares false and must not enter the recurrence.
        either(a.le(x.like(RECURRENCE)), near, || x.when(x.is_nan(), far()), DType::F64)
    })
}

/// 1 / gamma(x).
pub(super) fn rgamma(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        let (zero, a) = (x.like(0.0), x.abs());
        let near = || {
            let (numerator, denominator) = called!(quotient(x));
            zero.when(denominator.eq(zero), denominator / numerator)
        };
        let far = || {
            let (power, rest) = stirling_factors(a.min(x.like(200.0)));
            let positive = x.like(1.0) / power / rest;
            let sine = sin_pi(x);
            let negative =
                zero.when(sine.eq(zero) | a.eq(x.like(f64::INFINITY)), x * sine * x.like(-1.0 / PI) * power * rest);
            positive.when(x.gt(zero), negative)
        };
        either(a.le(x.like(RECURRENCE)), near, || x.when(x.is_nan(), far()), DType::F64)
    })
}

/// log(gamma(a)) for a > 0.
fn positive_gammaln(a: Var<'_>) -> Var<'_> {
    let (one, two, three) = (a.like(1.0), a.like(2.0), a.like(3.0));
    let log = a.log();
    let large = a.max(three);
    let rest = a.like(HALF_LOG_TWO_PI - 0.5) + stirling_rest(large);
    let far = a.builder().fma(large - a.like(0.5), log - one, rest);
    let lifted = (a + one).when(a.lt(one), a.min(three));
    // The distances to the roots at 1 and 2 come from `a` itself: it is exact.
    let (first, second) = (a.when(a.lt(one), lifted - one), (a - one).when(a.lt(one), lifted - two));
    let near = first * second * LOG_GAMMA_CENTER.at(lifted);
    let near = (near - log).when(a.lt(one), near);
    // 0 at the roots has no sign.
    far.when(a.ge(three), near + a.like(0.0))
}

/// log(gamma(1 + a)) for a not negative, with all digits near 0.
pub(super) fn log_gamma_1p(a: Var<'_>) -> Var<'_> {
    let one = a.like(1.0);
    let near = a * (a - one) * LOG_GAMMA_CENTER.at((a + one).min(a.like(3.0)));
    near.when(a.lt(a.like(2.0)), positive_gammaln(a + one))
}

/// log(|gamma(x)|).
pub(super) fn gammaln(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        let (a, zero, infinity) = (x.abs(), x.like(0.0), x.like(f64::INFINITY));
        let positive = positive_gammaln(a);
        let sine = sin_pi(a).abs();
        let negative = infinity.when(sine.eq(zero), x.like(LOG_PI) - (a * sine).log() - positive);
        // Next to 0 the product is no normal number.
        let negative = positive.when(a.lt(x.like(1e-100)), negative);
        let value = positive.when(x.gt(zero), negative);
        // SciPy's gammaln(-inf) is -inf.
        x.when(a.eq(infinity) | x.is_nan(), infinity.when(x.eq(zero), value))
    })
}

/// log(gamma(x)) on the principal branch, which is real for positive numbers alone.
pub(super) fn loggamma(x: Var<'_>) -> Var<'_> {
    let (zero, nan) = (x.like(0.0), x.like(f64::NAN));
    gammaln(x).when(x.ge(zero), nan)
}

/// The sign of gamma(x).
pub(super) fn gammasgn(x: Var<'_>) -> Var<'_> {
    let (zero, one, nan) = (x.like(0.0), x.like(1.0), x.like(f64::NAN));
    let half = x.floor() * x.like(0.5);
    let negative = one.when(half.eq(half.floor()), -one);
    let rest = distance_to_whole(x).abs();
    let negative = negative.when(rest.gt(zero), nan);
    let value = one.when(x.gt(zero), negative);
    let value = one.copysign(x).when(x.eq(zero), value);
    x.when(x.is_nan(), value)
}

/// The derivative of log(gamma(x)).
pub(super) fn digamma(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| digamma_anywhere(inputs[0]))
}

fn digamma_anywhere(x: Var<'_>) -> Var<'_> {
    let (zero, one) = (x.like(0.0), x.like(1.0));
    // Negative numbers are mirrored at 1 / 2.
    let mirrored = x.lt(zero);
    let a = (one - x).when(mirrored, x);
    let (far_from, edge) = (x.like(2.5), x.like(2.5));
    let large = a.max(far_from);
    let inverse = one / large;
    let square = inverse * inverse;
    let far = (large.log() - x.like(0.5) * inverse) - DIGAMMA_LARGE.at(square) * square;
    let lifted = (a + one).when(a.lt(one), a.min(edge));
    let near = ((lifted - x.like(DIGAMMA_ROOT[0])) - x.like(DIGAMMA_ROOT[1])) * DIGAMMA_CENTER.at(lifted);
    let near = (near - one / a).when(a.lt(one), near);
    let value = far.when(a.ge(edge), near);
    let rest = distance_to_whole(x) * x.like(PI);
    let value = (value - x.like(PI) / rest.tan()).when(mirrored, value);
    let value = x.like(f64::NAN).when(mirrored & rest.eq(zero), value);
    x.like(f64::NEG_INFINITY).copysign(-x).when(x.eq(zero), value)
}
