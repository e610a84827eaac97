//! Parabolic cylinder functions of real order: DLMF 12.
//!
//! D of a positive number comes from its integral over a positive function (12.5.1) at a low order, by trapezoidal rule, and
//! recurrence upwards (12.8); V and W grow away from 0, from where Taylor series of the differential equation lead.

use std::f64::consts::{PI, SQRT_2};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use super::approximation::{cos_pi, exp_of_two, sin_pi, square};
use super::called::called;
use super::gamma::{gammaln, rgamma};
use super::gamma_complex;
use crate::table::general;
use crate::{Outputs, Ufunc};

/// The order at which integrals have no long tail towards 0.
const LOW: f64 = 8.0;
/// From this order down integrals give negative numbers, too: the gamma function of the reflection overflows.
const FAR_BELOW: f64 = -150.0;
/// Bounds of orders and of loops.
const LARGEST: f64 = 5000.0;
const NODES: f64 = 600.0;
const STEPS: f64 = 4000.0;
/// Where the expansion of W far out serves, and its terms.
const FAR: f64 = 12.0;
const ASYMPTOTIC: u32 = 18;
/// Terms of Taylor series, and the length of a step over the wave length or the length of a decay.
const TERMS: usize = 26;
const STEP: f64 = 1.5;

/// The rows of this file.
pub(super) fn rows() -> Vec<Ufunc> {
    const LOOPS: &str = "ff->ff, dd->dd";
    let rows = vec![
        general("pbdv", (2, 2), LOOPS, "Parabolic cylinder function D and its derivative.", |x| outputs(x, pbdv)),
        general("pbvv", (2, 2), LOOPS, "Parabolic cylinder function V and its derivative.", |x| outputs(x, pbvv)),
        general("pbwa", (2, 2), LOOPS, "Parabolic cylinder function W and its derivative.", |x| outputs(x, pbwa)),
    ];
    let source = "DLMF 12.2, 12.5.1, 12.8, 12.14; trapezoidal rule, Taylor series of the differential equation";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

type Two<'b> = (Var<'b>, Var<'b>);

fn outputs<'b>(inputs: &[Var<'b>], body: fn(Var<'b>, Var<'b>) -> Two<'b>) -> Outputs<'b> {
    let dtype = inputs[0].dtype();
    let (order, x) = (inputs[0].cast(DType::F64), inputs[1].cast(DType::F64));
    let proper = order.abs().lt(order.like(LARGEST)) & x.abs().lt(x.like(1e4));
    let (value, slope) = body(order.when(proper, order.like(0.5)), x.when(proper, x.like(1.0)));
    let nan = x.like(f64::NAN);
    smallvec![value.when(proper, nan).cast(dtype), slope.when(proper, nan).cast(dtype)]
}

/// D and its derivative at x; x may be negative for orders that need no recurrence.
fn by_integral<'b>(v: Var<'b>, x: Var<'b>) -> Two<'b> {
    let builder = v.builder();
    let (zero, one, half) = (v.like(0.0), v.like(1.0), v.like(0.5));
    // From an order that is low enough.
    let steps = (v + v.like(LOW)).floor().max(zero) + one.when(v.gt(v.like(-LOW)), zero);
    let start = v - steps;
    let s = -start;
    // The integrand in the logarithm of t: its peak, and the width there.
    let root = (x * x + s * v.like(4.0)).sqrt();
    let peak = ((s + s) / (x + root)).when(x.gt(zero), (root - x) * half);
    let width = one / (peak * (peak + peak + x)).sqrt();
    let is_wide = (width * width * s * v.like(4.0)).gt(one);
    let tail = (v.like(40.0) / s).when(is_wide | x.lt(zero), zero);
    let low = (v.like(12.0) * width + tail).min(v.like(40.0) / s + v.like(1.5) + v.like(12.0) * width);
    let step = width * v.like(0.35);
    let count = ((low + v.like(10.0) * width) / step).ceil().min(v.like(NODES));
    let (k, sum, above) = (builder.local(zero), builder.local(zero), builder.local(zero));
    builder.repeat(
        || k.get().lt(count),
        || {
            let u = k.get() * step - low;
            let grown = u.expm1();
            // t - peak, and what the exponent is less than at the peak.
            let distance = peak * grown;
            let exponent = s * u - distance * (peak + x + half * distance);
            let share = exponent.exp();
            sum.set(sum.get() + share);
            above.set(above.get() + share * (grown + one));
            k.set(k.get() + one);
        },
    );
    let quarter = x * x * v.like(0.25);
    let exponent = s * peak.log() - peak * (half * peak + x) - quarter - called!(gammaln(s));
    let scale = (exponent * half).exp();
    let factor = |value: Var<'b>| value * step * scale * scale;
    // Orders start and start - 1.
    let current = builder.local(factor(sum.get()));
    let before = builder.local(factor(above.get() * peak) / s);
    k.set(zero);
    builder.repeat(
        || k.get().lt(steps),
        || {
            let order = start + k.get();
            let next = x * current.get() - order * before.get();
            before.set(current.get());
            current.set(next);
            k.set(k.get() + one);
        },
    );
    let value = current.get();
    (value, v * before.get() - half * x * value)
}

/// The solution of y'' = (sign x**2 / 4 + a) y with the given value and slope at 0, at a positive x.
fn from_zero<'b>(a: Var<'b>, x: Var<'b>, sign: f64, start: Two<'b>) -> Two<'b> {
    along(a, (a.like(0.0), x), sign, start)
}

/// The same from one number to another, neither of which is negative.
fn along<'b>(a: Var<'b>, (start, x): Two<'b>, sign: f64, (value, slope): Two<'b>) -> Two<'b> {
    let builder = a.builder();
    let (zero, one) = (a.like(0.0), a.like(1.0));
    let (at, y, derivative) = (builder.local(start), builder.local(value), builder.local(slope));
    let count = builder.local(zero);
    builder.repeat(
        || at.get().ne(x) & count.get().lt(a.like(STEPS)),
        || {
            let here = at.get();
            let reach = (one + a.abs() + (here + one) * (here + one) * a.like(0.25)).sqrt();
            let left = x - here;
            let next = x.when((left * reach).abs().le(a.like(STEP)), here + (a.like(STEP) / reach).copysign(left));
            let t = next - here;
            let square = t * t;
            let (q, linear, quadratic) = (
                (here * here * a.like(0.25 * sign) + a) * square,
                here * a.like(0.5 * sign) * square * t,
                square * square * a.like(0.25 * sign),
            );
            let mut terms = vec![y.get(), derivative.get() * t];
            for k in 0..TERMS {
                let mut sum = q * terms[k];
                if k >= 1 {
                    sum = sum + linear * terms[k - 1];
                }
                if k >= 2 {
                    sum = sum + quadratic * terms[k - 2];
                }
                terms.push(sum * a.like(1.0 / ((k + 1) * (k + 2)) as f64));
            }
            y.set(terms.iter().rev().fold(zero, |sum, &term| sum + term));
            let change =
                terms.iter().enumerate().skip(1).rev().fold(zero, |sum, (k, &term)| sum + term * a.like(k as f64));
            derivative.set(change / t);
            at.set(next);
            count.set(count.get() + one);
        },
    );
    (y.get(), derivative.get())
}

/// D of a whole order, not negative, by recurrence from order 0: DLMF 12.7.2 and 12.8.1.
fn of_whole_order<'b>(n: Var<'b>, x: Var<'b>) -> Two<'b> {
    let (builder, one, half) = (n.builder(), n.like(1.0), n.like(0.5));
    let (high, low) = square(x * half);
    let (value, before, k) =
        (builder.local(exp_of_two(-high, -low)), builder.local(n.like(0.0)), builder.local(n.like(0.0)));
    builder.repeat(
        || k.get().lt(n),
        || {
            let next = x * value.get() - k.get() * before.get();
            before.set(value.get());
            value.set(next);
            k.set(k.get() + one);
        },
    );
    (value.get(), n * before.get() - half * x * value.get())
}

/// V of a positive x times a factor, without which it may leave the range: DLMF 12.2.8 and 12.2.9.
fn growing<'b>(v: Var<'b>, x: Var<'b>, factor: Var<'b>) -> Two<'b> {
    let (half, one) = (v.like(0.5), v.like(1.0));
    let a = -v - half;
    let power = (-v * half).exp2() * v.like(PI);
    let (even, odd) = (called!(rgamma(one + v * half)), called!(rgamma(half + v * half)));
    let value = power * even * (even * factor) * called!(rgamma(-v * half));
    let slope = power * v.like(SQRT_2) * odd * (odd * factor) * called!(rgamma(half - v * half));
    from_zero(a, x, 1.0, (value, slope))
}

fn pbdv<'b>(v: Var<'b>, x: Var<'b>) -> Two<'b> {
    let builder = v.builder();
    let zero = v.like(0.0);
    let (value, slope) = (builder.local(zero), builder.local(zero));
    let set = |(found, change): Two<'b>| {
        value.set(found);
        slope.set(change);
    };
    // Neither the exponential nor the polynomial leaves the range of numbers.
    let short = v.ge(zero) & v.le(v.like(60.0)) & v.eq(v.floor()) & x.abs().le(v.like(30.0));
    builder.branch(short, || set(called!(of_whole_order(v, x))), || set(called!(of_real_order(v, x))));
    (value.get(), slope.get())
}

fn of_real_order<'b>(v: Var<'b>, x: Var<'b>) -> Two<'b> {
    let builder = v.builder();
    let zero = v.like(0.0);
    // Upwards negative numbers cancel.
    let mirrored = x.lt(zero) & v.gt(v.like(FAR_BELOW));
    let at = x.abs().when(mirrored, x);
    let (value, slope) = called!(by_integral(v, at));
    let (first, second) = (builder.local(value), builder.local(slope));
    // DLMF 12.2.15.
    builder.branch(
        mirrored,
        || {
            let whole = v.eq(v.floor());
            let cosine = cos_pi(v);
            let factor = called!(rgamma(-v)) * v.like(PI);
            let (grown, grown_slope) = called!(growing(v, at, factor));
            let keep = whole & v.ge(zero);
            first.set((cosine * value).when(keep, cosine * value + grown));
            second.set((-(cosine * slope)).when(keep, -(cosine * slope + grown_slope)));
        },
        || (),
    );
    (first.get(), second.get())
}

fn pbvv<'b>(v: Var<'b>, x: Var<'b>) -> Two<'b> {
    let builder = v.builder();
    let zero = v.like(0.0);
    let at = x.abs();
    let (value, slope) = called!(growing(v, at, v.like(1.0)));
    let (first, second) = (builder.local(value), builder.local(slope));
    // DLMF 12.2.16.
    builder.branch(
        x.lt(zero),
        || {
            let (small, small_slope) = called!(by_integral(v, at));
            let factor = sin_pi(v) * called!(rgamma(v + v.like(1.0)));
            let cosine = cos_pi(v);
            // What is infinite may have no part in it.
            let part = |grown: Var<'b>| zero.when(cosine.eq(zero), cosine * grown);
            first.set(-(factor * small + part(value)));
            second.set(factor * small_slope + part(slope));
        },
        || (),
    );
    (first.get(), second.get())
}

/// W and its derivative far out: DLMF 12.14.17 with the sums of 12.14.18 as one of complex numbers.
fn oscillating<'b>(a: Var<'b>, x: f64) -> Two<'b> {
    let builder = a.builder();
    let (zero, half, one) = (a.like(0.0), a.like(0.5), a.like(1.0));
    // Terms (-i)**r gamma(2 r + 1 / 2 + i a) / (gamma(1 / 2 + i a) r! (2 x**2)**r), and r times them.
    let [mut re, mut im] = [one, zero];
    let [mut sum_re, mut sum_im, mut slope_re, mut slope_im] = [one, zero, zero, zero];
    for r in 1..=ASYMPTOTIC {
        let r = f64::from(r);
        let square = a * a;
        let (p, q) = (2.0 * r - 1.5, 2.0 * r - 0.5);
        let (factor_re, factor_im) = (a.like(p * q) - square, a * a.like(p + q));
        let scale = a.like(1.0 / (2.0 * r * x * x));
        // The product times -i.
        let next_re = (re * factor_im + im * factor_re) * scale;
        let next_im = -((re * factor_re - im * factor_im) * scale);
        (re, im) = (next_re, next_im);
        (sum_re, sum_im) = (sum_re + re, sum_im + im);
        (slope_re, slope_im) = (slope_re + a.like(r) * re, slope_im + a.like(r) * im);
    }
    let phase = gamma_complex::loggamma(builder.complex(half, a)).im();
    let angle = a.like(x * x / 4.0 + PI / 4.0) - a * a.like(x.ln()) + half * phase;
    let grown = (a * a.like(PI)).exp();
    let k = one / ((one + grown * grown).sqrt() + grown);
    let scale = (k * a.like(2.0 / x)).sqrt();
    let (s, c) = (angle.sin(), angle.cos());
    let value = sum_re * c - sum_im * s;
    // The derivatives of the angle, of the terms and of the root before them.
    let speed = a.like(x / 2.0) - a * a.like(1.0 / x);
    let terms = (slope_re * c - slope_im * s) * a.like(-2.0 / x);
    let slope = terms - speed * (sum_re * s + sum_im * c) - value * a.like(0.5 / x);
    (value * scale, slope * scale)
}

/// W: DLMF 12.14.2 and 12.14.3. To the right of 0 it falls for positive a up to where it oscillates: from there back. Beyond 5, as in SciPy, NaN: for positive a the functions of both sides differ too much.
fn pbwa<'b>(a: Var<'b>, x: Var<'b>) -> Two<'b> {
    let zero = a.like(0.0);
    let five = a.like(5.0);
    let inside = a.abs().le(five) & x.abs().le(five);
    let (a, x) = (a.when(inside, zero), x.when(inside, zero));
    let builder = a.builder();
    let of = |re: f64| {
        let z = builder.complex(a.like(re), a * a.like(0.5));
        gamma_complex::loggamma(z).re()
    };
    let half = (of(0.25) - of(0.75)) * a.like(0.5);
    let value = half.exp() * a.like(0.5_f64.powf(0.75));
    let slope = (-half).exp() * a.like(-(0.5_f64.powf(0.25)));
    let left = x.lt(zero);
    let start = (-slope).when(left, slope);
    let falls = !left & a.gt(a.like(1.0)) & x.gt(zero);
    let far = oscillating(a.when(falls, a.like(1.0)), FAR);
    let at = a.like(FAR).when(falls, zero);
    let (result, change) = along(a, (at, x.abs()), -1.0, (far.0.when(falls, value), far.1.when(falls, start)));
    let change = (-change).when(left, change);
    let change = slope.when(x.eq(zero), change);
    let nan = a.like(f64::NAN);
    (result.when(inside, nan), change.when(inside, nan))
}
