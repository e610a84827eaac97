//! The zeta function of Riemann and Wright's omega function of complex numbers.

use std::f64::consts::{PI, TAU};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::either;
use super::bessel_complex::{number, polynomial, scale, size, times_exp};
use super::gamma_complex::{bernoulli_quotient, right_log, sine_parts};
use super::zeta::PI_REST;

/// (-1)**n gamma(n) / n! for Stieltjes's constants gamma(n), `mpmath.stieltjes`: the series of zeta at its pole, DLMF 25.2.4.
const STIELTJES: [f64; 32] = [
    0.5772156649015329,
    0.07281584548367673,
    -0.00484518159643616,
    -0.00034230573671722433,
    9.689041939447084e-05,
    -6.6110318108421895e-06,
    -3.316240908752772e-07,
    1.0462094584479188e-07,
    -8.733218100273798e-09,
    9.47827778276236e-11,
    5.658421927608708e-11,
    -6.768689863513697e-12,
    3.4921159366720317e-13,
    4.4104247417577536e-15,
    -2.3997862217709992e-15,
    2.1677312200726828e-16,
    -9.544466076366965e-18,
    -7.387676660538637e-20,
    4.800850782488065e-20,
    -4.139956737713306e-21,
    1.9168201593991233e-22,
    -2.0441543122262165e-24,
    -4.818498501107353e-25,
    4.8118570515125666e-26,
    -2.560263310318815e-27,
    6.927840895304667e-29,
    1.628607550485587e-30,
    -3.1939375611532554e-31,
    2.0991515893634255e-32,
    -8.33674529544144e-34,
    1.3412593772192187e-35,
    9.137143891298173e-37,
];
/// The distance from the pole up to which that series is used.
const NEAR_POLE: f64 = 3.0;
/// Terms of the formula of Euler and Maclaurin after the sum.
const CORRECTIONS: i32 = 20;
/// Beyond this imaginary part sums in and beside the critical strip are too long, and their phases have no digits left.
const HIGHEST: f64 = 1e9;

/// zeta(s) for real parts that are not negative, away from the pole: DLMF 25.2.9.
fn euler_maclaurin(s: Var<'_>) -> Var<'_> {
    let (builder, x, y) = (s.builder(), s.re(), s.im());
    let (zero, one) = (x.like(0.0), x.like(1.0));
    let last = ((s.abs() + x.like(8.0)) * x.like(0.45)).ceil().max(x.like(10.0));
    let known = x.ge(x.like(2.5)) | y.abs().le(x.like(HIGHEST));
    let (sum, power) = (builder.local(number(zero)), builder.local(number(one)));
    let (n, length) = (builder.local(one), builder.local(one));
    builder.repeat(
        || n.get().lt(last) & length.get().gt(x.like(1e-18)) & known,
        || {
            sum.set(sum.get() + power.get());
            let next = n.get() + one;
            let logarithm = next.log();
            let angle = -(y * logarithm);
            n.set(next);
            length.set((-(x * logarithm)).exp());
            power.set(scale(builder.complex(angle.cos(), angle.sin()), length.get()));
        },
    );
    let (w, inverse) = (n.get(), one / n.get());
    let mut factor = scale(s, inverse);
    let mut tail = number(x.like(0.5));
    for k in 1..=CORRECTIONS {
        tail = tail + scale(factor, x.like(bernoulli_quotient(k)));
        let step = |k: i32| builder.complex((x + x.like(f64::from(k))) * inverse, y * inverse);
        factor = factor * step(2 * k - 1) * step(2 * k);
    }
    let rest = power.get() * (number(w) / (s - number(one)) + tail);
    // Where terms have become nothing, so has the rest, and its factors may be infinite.
    let value = sum.get() + number(zero).when(length.get().le(x.like(1e-18)), rest);
    value.when(known, s.builder().complex(x.like(f64::NAN), x.like(f64::NAN)))
}

/// zeta(s), by DLMF 25.4.1 from that of 1 - s for negative real parts.
pub(super) fn zeta(input: Var<'_>) -> Var<'_> {
    let wide = input.cast(DType::C128);
    let (builder, x, y) = (wide.builder(), wide.re(), wide.im());
    let (zero, one, infinity) = (x.like(0.0), x.like(1.0), x.like(f64::INFINITY));
    let unit = number(one);
    let finite = x.abs().lt(infinity) & y.abs().lt(infinity);
    let s = wide.when(finite, scale(unit, x.like(2.0)));
    let mirror = unit - s;
    let reflected = s.re().lt(zero) & mirror.abs().ge(x.like(NEAR_POLE));
    let place = mirror.when(reflected, s);
    let offset = place - unit;
    let series = || {
        let is_pole = offset.eq(number(zero));
        let pole = number(infinity).when(is_pole, unit / unit.when(is_pole, offset));
        pole + polynomial(offset, &STIELTJES)
    };
    let far = || euler_maclaurin(place);
    let value = either(offset.abs().le(x.like(NEAR_POLE)), series, far, DType::C128);
    let mirrored = || {
        let (sine, growth) = sine_parts(scale(s, x.like(0.5)));
        let exponent = right_log(mirror) + scale(s, x.like(TAU.ln())) + number(growth);
        times_exp(value * scale(builder.complex(sine.0, sine.1), x.like(1.0 / TAU)), exponent)
    };
    let value = either(reflected, mirrored, || value, DType::C128);
    let right = x.eq(infinity) & y.abs().lt(infinity);
    let nan = builder.complex(x.like(f64::NAN), x.like(f64::NAN));
    value.when(finite, unit.when(right, nan)).cast(input.dtype())
}

/// Up to this distance from the branch point the iteration starts from its series.
const NEAR_BRANCH: f64 = 1.7;
/// Up to this distance from 1 it starts from the series there.
const NEAR_ONE: f64 = 2.4;
/// Most steps of the iteration.
const STEPS: f64 = 20.0;
/// Up to this real part the function is exp(z), unless z is beyond the cut.
const FAR_LEFT: f64 = -50.0;
/// The series of omega + 1 at the branch point in i sqrt(2 (z + 1 - pi i)), of omega at 1, and in exp(z): the orders from 1 on.
const AT_BRANCH: [f64; 5] = [1.0, -1.0 / 3.0, 1.0 / 36.0, 1.0 / 270.0, 1.0 / 4320.0];
const AT_ONE: [f64; 6] = [1.0, 0.5, 1.0 / 16.0, -1.0 / 192.0, -1.0 / 3072.0, 13.0 / 61440.0];
const AT_LEFT: [f64; 5] = [1.0, -1.0, 1.5, -8.0 / 3.0, 125.0 / 24.0];

/// What the rule of Fritsch, Shafer and Crowley (CACM 16, 1973) adds to w, for a residual and w + 1, as a part of it.
fn correction<'b>(next: Var<'b>, residual: Var<'b>) -> Var<'b> {
    let two_thirds = next.re().like(2.0 / 3.0);
    let product = next * (next + scale(residual, two_thirds));
    let product = product + product;
    residual / next * ((product - residual) / (product - residual - residual))
}

/// What z - log(z) lacks for large numbers is small: the leading terms of de Bruijn's expansion.
fn far_start<'b>(z: Var<'b>, logarithm: Var<'b>) -> Var<'b> {
    let quotient = logarithm / z;
    let second = quotient * (scale(logarithm, z.re().like(0.5)) - number(z.re().like(1.0))) / z;
    z - logarithm + quotient + second
}

/// Steps from a start, which come nearer by the fourth power: two at least, until one changes little.
fn iterate<'b>(start: Var<'b>, step: impl Fn(Var<'b>) -> Var<'b>) -> Var<'b> {
    let (builder, zero) = (start.builder(), start.re().like(0.0));
    let (w, n, change) = (builder.local(start), builder.local(zero), builder.local(zero.like(f64::INFINITY)));
    builder.repeat(
        || n.get().lt(zero.like(2.0)) | (change.get().gt(zero.like(1e-5)) & n.get().lt(zero.like(STEPS))),
        || {
            let next = step(w.get());
            change.set(size(next - w.get()) / size(next));
            w.set(next);
            n.set(n.get() + zero.like(1.0));
        },
    );
    w.get()
}

/// w with w + log(w) = z but for the strips beyond pi: regions and starts of Lawrence, Corless and Jeffrey, ACM TOMS 38 (2012).
pub(super) fn wrightomega<'b>(input: Var<'b>) -> Var<'b> {
    let wide = input.cast(DType::C128);
    let (builder, x, y) = (wide.builder(), wide.re(), wide.im());
    let (zero, one, infinity) = (x.like(0.0), x.like(1.0), x.like(f64::INFINITY));
    let finite = x.abs().lt(infinity) & y.abs().lt(infinity);
    let z = builder.complex(x, y.abs()).when(finite, number(one));
    let (x, unit) = (z.re(), number(one));
    // z - pi i: the branch cut to the left of -1 + pi i is between two numbers.
    let lowered = builder.complex(x, (z.im() - x.like(PI)) - x.like(PI_REST));
    let beyond = lowered.im().gt(zero);
    let exponential = z.exp();
    let offset = lowered + unit;
    let at_branch = offset.abs().lt(x.like(NEAR_BRANCH));
    // Beside the cut, w is near the negative axis: the equation is that of -w and z - pi i.
    let negative = at_branch | (beyond & x.le(-one));
    let opposite = || {
        let root = scale(offset, x.like(2.0)).sqrt();
        let root = builder.complex(-root.im(), root.re());
        let near = || root * polynomial(root, &AT_BRANCH);
        let far = || far_start(lowered, (-lowered).log()) + unit;
        let start = either(at_branch, near, far, DType::C128);
        // u = w + 1 keeps the digits of what is small at the branch point.
        let step = |u: Var<'b>| u + (u - unit) * correction(u, offset - u - (-u).log1p());
        iterate(start, step) - unit
    };
    let usual = || {
        let left = x.lt(-one);
        let bounded = exponential.when(left & x.gt(x.like(FAR_LEFT)), unit);
        let near = (z - unit).abs().lt(x.like(NEAR_ONE));
        let series = || polynomial(z - unit, &AT_ONE);
        let by_size = || either(near, series, || far_start(z, z.log()), DType::C128);
        let start = either(left, || bounded * polynomial(bounded, &AT_LEFT), by_size, DType::C128);
        // On the left by the quotient of w and exp(z), whose logarithm is small.
        let (sum, divisor) = (number(zero).when(left, z), bounded);
        let step = |w: Var<'b>| w + w * correction(w + unit, sum - w - (w / divisor).log());
        iterate(start, step)
    };
    let moderate = || either(negative, opposite, usual, DType::C128);
    // Far out this is exact, and squares overflow.
    let value = either(z.abs().gt(x.like(1e18)), || z - z.log(), moderate, DType::C128);
    let value = exponential.when(x.le(x.like(FAR_LEFT)) & !beyond, value);
    let value = value.conj().when(y.lt(zero), value);
    let vanishing = wide.re().eq(-infinity) & y.abs().le(x.like(PI));
    let nan = builder.complex(x.like(f64::NAN), x.like(f64::NAN));
    let edge = wide.exp().when(vanishing, nan.when(wide.re().is_nan() | y.is_nan(), wide));
    value.when(finite, edge).cast(input.dtype())
}
