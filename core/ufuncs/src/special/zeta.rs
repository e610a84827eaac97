//! Zeta functions, and functions that iterate: Lambert W, Wright's omega, the arithmetic-geometric mean, Kolmogorov's
//! distribution.

use std::f64::consts::{E, PI};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use super::approximation::{either, exp_of_two, in_double, polynomial, sin_pi, square};
use super::gamma;
use super::tables::zeta::*;
use super::zeta_complex;
use crate::table::{binary, general, unary};
use crate::{Outputs, Ufunc};

/// (2 k)! / B(2 k) for k from 1.
const EULER_MACLAURIN: [f64; 12] = [
    12.0,
    -720.0,
    30240.0,
    -1209600.0,
    47900160.0,
    -1892437580.3183792,
    74724249600.0,
    -2950130727918.164,
    116467828143500.67,
    -4597978722407473.0,
    1.8152105401943546e17,
    -7.166165256175667e18,
];
/// What float64 leaves of pi.
pub(super) const PI_REST: f64 = 1.2246467991473532e-16;
/// 1 / e as two numbers.
const INVERSE_E: [f64; 2] = [0.36787944117144233, -1.2428753672788363e-17];

pub(super) fn rows() -> Vec<Ufunc> {
    vec![
        analytic!(
            "_riemann_zeta",
            "d->d, D->D, f->f, F->F",
            "The zeta function of Riemann.",
            riemann_zeta,
            zeta_complex::zeta
        ),
        binary("_zeta", "ff->f, dd->d", "The zeta function of Hurwitz.", zeta),
        unary("zetac", "d->d, f->f", "The zeta function of Riemann minus 1.", zetac),
        general("_lambertw", (3, 1), "Dld->D, Flf->F", "Branches of Lambert's W.", lambertw),
        analytic!(
            "wrightomega",
            "f->f, d->d, F->F, D->D",
            "Wright's omega function.",
            wrightomega,
            zeta_complex::wrightomega
        ),
        binary("agm", "ff->f, dd->d", "Arithmetic-geometric mean.", agm),
        unary("kolmogorov", "f->f, d->d", "Survival function of Kolmogorov's distribution.", kolmogorov),
        unary("_kolmogc", "f->f, d->d", "Cumulative distribution of Kolmogorov's distribution.", kolmogc),
        unary("_kolmogp", "f->f, d->d", "Derivative of kolmogorov.", kolmogp),
    ]
}

/// The sum of (q + k)**-x for x > 1 and q > 0: ten terms and more, then the formula of Euler and Maclaurin (DLMF 25.2.9).
fn hurwitz<'b>(x: Var<'b>, q: Var<'b>) -> Var<'b> {
    let builder = x.builder();
    let (one, half) = (x.like(1.0), x.like(0.5));
    // From here on the terms of the formula fall. Where it begins with the first term of all it has to have all digits.
    let least = (x * x.like(0.72) + x.like(7.0)).min(q * x.like(1.6));
    let enough = ((x + x.like(24.0)) * x.like(0.26)).max(x.like(9.0)).max(least);
    let first = q.pow(-x);
    let inverse = one / q;
    let (sum, a, power) = (builder.local(x.like(0.0)), builder.local(q), builder.local(first));
    let k = builder.local(x.like(0.0));
    // Small terms last are fine here: they fall by orders or the formula takes over.
    builder.repeat(
        || a.get().lt(enough) & power.get().gt(sum.get() * x.like(1e-18)),
        || {
            sum.set(sum.get() + power.get());
            k.set(k.get() + one);
            a.set(q + k.get());
            // Of the quotient by the first one, whose logarithm is the smaller the more the term counts.
            let quotient = (-x * (k.get() * inverse).log1p()).exp();
            power.set(x.like(0.0).when(quotient.eq(x.like(0.0)), first * quotient));
        },
    );
    let (w, b) = (a.get(), power.get());
    let inverse = one / w;
    let mut factor = x * inverse;
    let mut tail = x.like(0.0);
    for (k, coefficient) in EULER_MACLAURIN.into_iter().enumerate() {
        tail = tail + factor * x.like(1.0 / coefficient);
        let k = 2.0 * k as f64;
        factor = factor * ((x + x.like(k + 1.0)) * inverse) * ((x + x.like(k + 2.0)) * inverse);
    }
    let rest = b * (w / (x - one) + (half + tail));
    // Where terms have become nothing, so has the rest, and its factors may be infinite.
    let done = b.le(sum.get() * x.like(1e-18)) | b.eq(x.like(0.0));
    sum.get() + b.when(done, rest)
}

/// The zeta function of Hurwitz; for negative q a finite sum is left out at both ends of the negative half line.
fn zeta<'b>(x: Var<'b>, q: Var<'b>) -> Var<'b> {
    let dtype = x.dtype();
    let (x, q) = (x.cast(DType::F64), q.cast(DType::F64));
    let builder = x.builder();
    let (zero, one, infinity, nan) = (x.like(0.0), x.like(1.0), x.like(f64::INFINITY), x.like(f64::NAN));
    let positive = q.gt(zero);
    let fraction = q - q.floor();
    let half = x * x.like(0.5);
    let sign = one.when(half.eq(half.floor()), -one);
    let (total, step) = (builder.local(zero), builder.local(zero));
    let last = one.when(positive, x.like(3.0));
    let usual = x.gt(one) & x.lt(infinity) & q.lt(infinity) & (positive | (fraction.gt(zero) & x.eq(x.floor())));
    builder.repeat(
        || usual & step.get().lt(last),
        || {
            let (at_first, at_second) = (step.get().eq(zero), step.get().eq(one));
            let place = q.when(positive, fraction.when(at_first, (one - fraction).when(at_second, one - q)));
            let weight = one.when(at_first, sign.when(at_second, -sign));
            total.set(total.get() + weight * hurwitz(x, place));
            step.set(step.get() + one);
        },
    );
    let between = zero.when(q.gt(x.like(1e8)), nan);
    let limit = one.when(q.eq(one), infinity.when(q.lt(one), between));
    let value = total.get().when(usual, nan);
    let value = zero.when(q.eq(infinity) & x.gt(one) & x.lt(infinity), value);
    let value = limit.when(x.eq(infinity), value);
    let pole = q.le(zero) & q.eq(q.floor()) & !x.lt(one);
    let value = infinity.when(x.eq(one) | pole, value);
    value.cast(dtype)
}

/// zeta(x) for x < -1: DLMF 25.4.1 with the gamma function in two factors that do not overflow.
fn reflected(x: Var<'_>) -> Var<'_> {
    let (one, half) = (x.like(1.0), x.like(0.5));
    let y = one - x;
    let lower = y * half;
    let exponent = -(lower + x.like(0.25));
    let power = x.like(PI).pow(exponent) * (one + exponent * x.like(PI_REST / PI));
    let factors = (gamma::gamma(lower) * power, gamma::gamma(lower + half) * power);
    // The sine may be small where the gamma function is beyond all numbers, or 0.
    let sine = sin_pi(x * half);
    x.like(0.0).when(sine.eq(x.like(0.0)), sine * factors.0 * factors.1 * hurwitz(y, one))
}

/// zeta(x).
fn riemann_zeta(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        let one = x.like(1.0);
        let center = || ZETA_CENTER.at(x) / (x - one);
        let left = || either(x.lt(-one), || reflected(x), center, DType::F64);
        let right = || one + either(x.gt(x.like(60.0)), || (-x).exp2(), || hurwitz(x, x.like(2.0)), DType::F64);
        let value = either(x.gt(x.like(3.0)), right, left, DType::F64);
        at_edges(x, value)
    })
}

/// zeta(x) - 1.
fn zetac(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        let one = x.like(1.0);
        let center = || ZETAC_CENTER.at(x) / (x - one);
        let left = || either(x.lt(-one), || reflected(x) - one, center, DType::F64);
        let right = || hurwitz(x, x.like(2.0));
        at_edges(x, either(x.gt(x.like(3.0)), right, left, DType::F64))
    })
}

fn at_edges<'b>(x: Var<'b>, value: Var<'b>) -> Var<'b> {
    let value = x.like(f64::INFINITY).when(x.eq(x.like(1.0)), value);
    value.when(x.gt(x.like(f64::NEG_INFINITY)), x.like(f64::NAN))
}

/// Up to this size a step of Halley's rule is the last one needed.
const LAST_STEP: f64 = 2e-6;
/// Up to this distance of z from the branch point the series there has all digits, and a residual of w exp(w) has not.
const CLOSE: f64 = 0.016;
/// Below this exponentials of branches other than the principal one lose digits.
const TINY: f64 = 1e-290;
/// Coefficients of W in p = +-sqrt(2 (e z + 1)), the constant first: Corless et al., 4.22 to 4.24.
const AT_BRANCH_POINT: [f64; 22] = [
    -1.0,
    1.0,
    -0.3333333333333333,
    0.1527777777777778,
    -0.07962962962962963,
    0.044502314814814814,
    -0.02598471487360376,
    0.01563563253233392,
    -0.009616892024299432,
    0.006014543252956118,
    -0.0038112980348919993,
    0.0024408779911439826,
    -0.0015769303446867841,
    0.0010262633205076071,
    -0.0006720616311561362,
    0.0004424730618146209,
    -0.00029267722472962746,
    0.00019438727605453933,
    -0.00012957426685274883,
    8.665035805208128e-05,
    -5.811360750441382e-05,
    3.907668486743905e-05,
];

/// The branch k of w exp(w) = z by Halley's rule, and next to the branch point by the series there, in complex128:
/// R. M. Corless et al., Adv. Comput. Math. 5 (1996).
fn lambertw<'b>(inputs: &[Var<'b>]) -> Outputs<'b> {
    let dtype = inputs[0].dtype();
    let z = inputs[0].cast(DType::C128);
    let (k, tolerance) = (inputs[1].cast(DType::F64), inputs[2].cast(DType::F64));
    let builder = z.builder();
    let real = |value: f64| builder.real(DType::F64, value);
    let number = |re: Var<'b>, im: Var<'b>| builder.complex(re, im);
    let (re, im) = (z.re(), z.im());
    let (zero, infinity, nan) = (real(0.0), real(f64::INFINITY), real(f64::NAN));
    let turns = number(zero, k * real(2.0 * PI));
    // The distance to the branch point, and the square root that it is a pole of.
    let offset = number((re + real(INVERSE_E[0])) + real(INVERSE_E[1]), im);
    let principal = k.eq(zero);
    let is_zero = re.eq(zero) & im.eq(zero);
    let usual = z.eq(z) & re.abs().lt(infinity) & im.abs().lt(infinity) & !is_zero;
    let (w, n, moving) = (builder.local(number(zero, zero)), builder.local(zero), builder.local(usual));
    let tiny = !principal & re.abs().max(im.abs()).lt(real(TINY));
    // Most arguments have real values: theirs need no complex functions.
    let is_real = im.eq(zero) & offset.re().ge(zero) & (principal | (k.eq(real(-1.0)) & re.lt(zero)));
    let alone = || {
        let (one, two) = (real(1.0), real(2.0));
        let root = (offset.re() * real(2.0 * E)).sqrt();
        let root = root.when(principal, -root);
        let logarithm = re.abs().log();
        let start = || {
            // To a hundredth: R. Iacono and J. P. Boyd, Adv. Comput. Math. 43 (2017).
            let least = re.log1p();
            (least - least * (least.log1p() / (least + two))).when(principal, logarithm)
        };
        let near = offset.re().lt(real(0.3).when(principal, real(0.1)));
        let at = builder.local(either(near, || polynomial(root, &AT_BRANCH_POINT), start, DType::F64));
        moving.set(usual & offset.re().ge(real(CLOSE)));
        // A tiny z as its logarithm.
        let (shift, target) = (logarithm.when(tiny, zero), (-one).when(tiny, re));
        builder.repeat(
            || moving.get() & n.get().lt(real(100.0)),
            || {
                let point = at.get();
                let positive = point.ge(zero);
                let e = (-point).when(positive, point - shift).exp();
                let difference = (point - re * e).when(positive, point * e - target);
                let scale = one.when(positive, e);
                let slope = point * scale + scale;
                let step = difference / (slope - (point + two) * difference / (two * point + two));
                let step = zero.when(difference.eq(zero), step);
                at.set(point - step);
                n.set(n.get() + one);
                // The rule is of third order: after such a step, away from the branch point, all digits are right.
                let last = real(LAST_STEP) * at.get().abs().min(one);
                let enough = tolerance * at.get().abs();
                moving.set(step.abs().gt(enough.max(last).when(at.get().gt(real(-0.5)), enough)));
            },
        );
        w.set(number(at.get(), im.when(principal, zero)));
    };
    let together = || {
        // A zero has its side of the cut, too.
        let below = real(1.0).copysign(im).lt(zero);
        let upper = principal | (k.eq(real(-1.0)) & !below) | (k.eq(real(1.0)) & below);
        let near = upper & offset.abs().lt(real(0.3).when(principal, real(0.1)));
        let root = (offset * number(real(2.0 * E), zero)).sqrt();
        let root = root.when(principal, -root);
        let at_branch = || {
            AT_BRANCH_POINT.into_iter().rev().map(real).fold(number(zero, zero), |sum, c| sum * root + number(c, zero))
        };
        let logarithm = z.log() + turns;
        let inside = principal
            & re.gt(real(-1.0))
            & re.lt(real(1.5))
            & im.abs().lt(real(1.0))
            & (im.abs() * real(-2.5) - real(0.2)).lt(re);
        w.set(either(near, at_branch, || z.log1p().when(inside, logarithm - logarithm.log()), DType::C128));
        moving.set(usual & !(upper & offset.abs().lt(real(CLOSE))));
        // A tiny z as its logarithm.
        let (shift, target) = (logarithm.when(tiny, number(zero, zero)), number(real(1.0), zero).when(tiny, z));
        builder.repeat(
            || moving.get() & n.get().lt(real(100.0)),
            || {
                let point = w.get();
                let one = number(real(1.0), zero);
                let two = one + one;
                let positive = point.re().ge(zero);
                // exp(-w) on the right, exp(w) on the left: neither overflows.
                let e = (-point).when(positive, point - shift).exp();
                let difference = (point - z * e).when(positive, point * e - target);
                let scale = one.when(positive, e);
                let slope = point * scale + scale;
                let step = difference / (slope - (point + two) * difference / (two * point + two));
                let step = number(zero, zero).when(difference.abs().eq(zero), step);
                let next = point - step;
                w.set(next);
                n.set(n.get() + real(1.0));
                moving.set(step.abs().gt(tolerance * next.abs()));
            },
        );
    };
    builder.branch(is_real, alone, together);
    let failed = moving.get();
    let value = number(nan, nan).when(failed, w.get());
    let at_zero = number(zero, zero).when(principal, number(-infinity, zero));
    let value = at_zero.when(is_zero, value);
    let value = (z + turns).when(re.eq(infinity), value);
    let value = (turns + number(zero, real(PI)) - z).when(re.eq(-infinity), value);
    let value = z.when(z.is_nan(), value);
    smallvec![value.cast(dtype)]
}

/// w with w + log(w) = x: the rule of Fritsch, Shafer and Crowley (CACM 16, 1973), and on the left Newton's for
/// w = exp(x - w).
fn wrightomega(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        let (one, two) = (x.like(1.0), x.like(2.0));
        let bounded = x.max(x.like(-2000.0)).min(x.like(1e18));
        let power = bounded.min(one).exp();
        let middle = (two * (bounded - one) / x.like(3.0)).exp();
        let logarithm = bounded.max(one).log();
        let start = bounded - logarithm + logarithm / bounded.max(one);
        let mut w = power.when(x.lt(-two), middle.when(x.lt(one), start)).max(x.like(1e-320));
        for _ in 0..2 {
            let rest = bounded - w - w.log();
            let next = w + one;
            let product = two * next * (next + two * rest / x.like(3.0));
            w = w * (one + rest / next * (product - rest) / (product - two * rest));
        }
        let fixed = power * (-w).exp();
        let left = w - (w - fixed) / (one + w);
        let value = power.when(x.lt(x.like(-50.0)), left.when(x.lt(one), w));
        x.when(x.ge(x.like(1e18)) | x.is_nan(), value)
    })
}

/// The common limit of arithmetic and geometric means (DLMF 19.8(i)); of two negative numbers, that of their sizes.
fn agm<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    let dtype = a.dtype();
    let (a, b) = (a.cast(DType::F64), b.cast(DType::F64));
    let builder = a.builder();
    let (zero, half, infinity) = (a.like(0.0), a.like(0.5), a.like(f64::INFINITY));
    let (p, q) = (builder.local(a.abs()), builder.local(b.abs()));
    let n = builder.local(zero);
    builder.repeat(
        || (p.get() - q.get()).abs().gt(p.get() * a.like(3e-16)) & n.get().lt(a.like(60.0)),
        || {
            let (first, second) = (p.get(), q.get());
            p.set(half * first + half * second);
            q.set(first.sqrt() * second.sqrt());
            n.set(n.get() + a.like(1.0));
        },
    );
    let limit = half * p.get() + half * q.get();
    let nothing = a.eq(zero) | b.eq(zero);
    let unlimited = a.abs().eq(infinity) | b.abs().eq(infinity);
    let value = zero.when(nothing, infinity.when(unlimited, limit));
    let value = a.like(f64::NAN).when(nothing & unlimited | a.is_nan() | b.is_nan(), value);
    let opposite = (a.lt(zero) & b.gt(zero)) | (a.gt(zero) & b.lt(zero));
    let value = a.like(f64::NAN).when(opposite, value);
    (-value).when(a.lt(zero) & b.lt(zero), value).cast(dtype)
}

/// The probability beyond x.
fn kolmogorov(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| at_ends(inputs[0], kolmogorov_of(inputs[0]).0, 1.0))
}

/// The probability up to x.
fn kolmogc(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| at_ends(inputs[0], kolmogorov_of(inputs[0]).1, 0.0))
}

/// The derivative of the probability beyond x.
fn kolmogp(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| at_ends(inputs[0], -kolmogorov_of(inputs[0]).2, 0.0))
}

/// Below this bound a value that float64 does not tell from its limit, and NaN where nothing is known.
fn at_ends<'b>(x: Var<'b>, value: Var<'b>, limit: f64) -> Var<'b> {
    x.when(x.is_nan(), x.like(limit).when(x.le(x.like(0.04)), value))
}

/// The probability beyond x, that up to x, and the density, for x > 0: the theta series, or its transformation on the left
/// (R. Simard, P. L'Ecuyer, J. Stat. Softw. 39, 2011).
pub(super) fn kolmogorov_of<'b>(x: Var<'b>) -> (Var<'b>, Var<'b>, Var<'b>) {
    let (zero, one, two) = (x.like(0.0), x.like(1.0), x.like(2.0));
    let low = x.lt(x.like(0.82));
    let bounded = x.max(x.like(0.02));
    let factor = x.like((2.0 * PI).sqrt()) / bounded;
    let exponent = x.like(-PI * PI / 8.0) / (bounded * bounded);
    let (mut below, mut slope_below, mut beyond, mut slope_beyond) = (zero, zero, zero, zero);
    // Terms are powers of the first ones; those behind count little, and so do the errors of their powers.
    let (first, ratio) = (exponent.exp(), (exponent * x.like(8.0)).exp());
    let cube = ratio * ratio * ratio;
    for (k, power) in [(7.0, cube * cube), (5.0, cube), (3.0, ratio), (1.0, one)] {
        let term = first * power;
        below = below + term;
        // The derivative of exp(e / x^2) / x is (-2 e / x^3 - 1 / x) of it.
        slope_below = slope_below + term * (x.like(-2.0 * k * k) * exponent - one);
    }
    let right = x.min(x.like(30.0));
    let (high, rest) = square(right);
    let power_1 = exp_of_two(high * x.like(-2.0), rest * x.like(-2.0));
    let power_4 = (power_1 * power_1) * (power_1 * power_1);
    let (power_9, power_16) = (power_4 * power_4 * power_1, (power_4 * power_4) * (power_4 * power_4));
    for (k, power) in [(5.0, power_16 * power_9), (4.0, -power_16), (3.0, power_9), (2.0, -power_4), (1.0, power_1)] {
        beyond = beyond + power;
        slope_beyond = slope_beyond + power * x.like(4.0 * k * k) * right;
    }
    let (below, slope_below) = (factor * below, factor * slope_below / bounded);
    let (beyond, slope_beyond) = (two * beyond, two * slope_beyond);
    ((one - below).when(low, beyond), below.when(low, one - beyond), slope_below.when(low, slope_beyond))
}
