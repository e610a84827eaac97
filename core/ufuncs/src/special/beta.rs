//! The beta function, binomial coefficients and Pochhammer's symbol: DLMF 5.12, 1.2, 5.2(iii).

use std::f64::consts::PI;

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{cos_pi, either, in_double, is_rounded, log1p_rest, sin_pi, sum_of_two};
use super::called::called;
use super::double_double::Double;
use super::gamma::{self, RECURRENCE, gammaln, gammasgn, log_gamma_1p, stirling_rest, stirling_slope};
use super::logarithm::exact_shares;

/// Up to this sum of the parameters the logarithms of shares serve, and up to the second one where the distance from the mean
/// leaves a rounding in the exponent.
const FEW: f64 = 3000.0;
const MOST_OF_SHARES: f64 = 1e5;
/// log(pi).
const LOG_PI: f64 = 1.144_729_885_849_400_2;
/// From where on Stirling's series serves.
const LARGE: f64 = 3.0;
/// A number whose reciprocal is finite.
const LEAST: f64 = 1e-300;

/// The logarithm of gamma(a) / gamma(a + s) for a from 3 on and s >= 0, without the difference of large numbers: as precise
/// as s where that is small.
fn log_gamma_quotient<'b>(a: Var<'b>, s: Var<'b>) -> Var<'b> {
    let one = a.like(1.0);
    let (sum, ratio) = (a + s, s / a);
    // Of the rests of Stirling's series the divided difference.
    let (first, second) = (one / a, one / sum);
    let rests = stirling_slope(first, second) * (ratio * second);
    s - (a - a.like(0.5)) * ratio.log1p() - s * sum.log() + rests
}

/// The same for any s, if a + s is from 3 on.
fn log_gamma_step<'b>(a: Var<'b>, s: Var<'b>) -> Var<'b> {
    let falls = s.lt(a.like(0.0));
    let value = called!(log_gamma_quotient((a + s).when(falls, a), s.abs()));
    (-value).when(falls, value)
}

/// log(s beta(s, a)) for positive numbers, with all digits where s is small and the result near 0.
pub(super) fn log_scaled_beta<'b>(s: Var<'b>, a: Var<'b>) -> Var<'b> {
    let (one, two, three) = (a.like(1.0), a.like(2.0), a.like(3.0));
    let small = a.lt(a.like(LARGE));
    // The product of 1 + s / (a + k) for the three steps to `LARGE`, less 1.
    let near = a.min(three);
    let over = s * ((near * three + a.like(6.0)) * near + two + s * (near * three + three + s));
    let steps = (over / (near * (near + one) * (near + two))).log1p();
    log_gamma_1p(s) + (steps.when(small, a.like(0.0)) + called!(log_gamma_quotient((a + three).when(small, a), s)))
}

/// The logarithm of the beta function of positive numbers.
pub(super) fn positive_betaln<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    let (small, large) = (a.min(b), a.max(b));
    let limit = a.like(LARGE);
    let both_large = || {
        // log(a0**a b0**b) with the shares a0 = a / (a + b), b0 = b / (a + b).
        let powers = small * (large / small).log1p() + large * (small / large).log1p();
        let rest =
            called!(stirling_rest(small)) + called!(stirling_rest(large)) - called!(stirling_rest(small + large));
        let root = (a.like(2.0 * PI) * (a.like(1.0) + small / large) / small).log() * a.like(0.5);
        root - powers + rest
    };
    let one_large = || called!(gammaln(small)) + called!(log_gamma_quotient(large, small));
    let both_small = || called!(gammaln(small)) + (called!(gammaln(large)) - called!(gammaln(small + large)));
    let value =
        either(small.ge(limit), both_large, || either(large.ge(limit), one_large, both_small, a.dtype()), a.dtype());
    a.like(f64::NEG_INFINITY).when(large.eq(a.like(f64::INFINITY)), value)
}

/// beta(a, b) for positive numbers.
pub(super) fn positive_beta<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    let moderate = (a + b).le(a.like(RECURRENCE));
    // The quotient first: of two small numbers the product overflows where the function does not. What the rounding of the
    // sum leaves counts by the derivative of log(gamma).
    let quotient = || {
        let (sum, rest) = sum_of_two(a, b);
        let slope = (sum.max(a.like(1.0)) - a.like(0.5)).log();
        let of_sum = called!(gamma::rgamma(sum));
        let of_sum = of_sum - of_sum * (rest * slope);
        called!(gamma::gamma(a.min(b))) * (called!(gamma::gamma(a.max(b))) * of_sum)
    };
    either(moderate, quotient, || called!(positive_betaln(a, b)).exp(), a.dtype())
}

/// Whether a number is whole and not positive.
fn is_pole(x: Var<'_>) -> Var<'_> {
    x.le(x.like(0.0)) & x.eq(x.floor())
}

/// beta(a, b) for any numbers: at most one pole of gamma is cancelled by that of the sum.
fn beta_anywhere<'b>(a: Var<'b>, b: Var<'b>, logarithm: bool) -> Var<'b> {
    let (zero, one) = (a.like(0.0), a.like(1.0));
    let dtype = a.dtype();
    let positive = a.gt(zero) & b.gt(zero);
    let general = || {
        let (sum, lost) = sum_of_two(a, b);
        let pole = is_pole(a) | is_pole(b);
        // The sum is rounded, which counts next to the poles of its gamma function: the sine of the reflection takes both
        // of its parts, and where a pole is hit by rounding alone, the leading term.
        let missed = is_pole(sum) & lost.ne(zero);
        let beside_pole = || {
            let rounded = sin_pi(sum);
            let exact = rounded + a.like(PI) * lost * cos_pi(sum);
            (exact / rounded).when(rounded.ne(zero) & exact.ne(zero), one)
        };
        let share = either(sum.lt(a.like(0.5)) & lost.ne(zero), beside_pole, || one, dtype);
        // A pole at -n: the function is finite where the other number is whole and the sum not positive: DLMF 5.12
        // with the reflection of the pole.
        let (at, other) = (a.when(is_pole(a), b), b.when(is_pole(a), a));
        let mirrored = one - at - other;
        let cancelled = other.eq(other.floor()) & mirrored.gt(zero) & other.gt(zero);
        let half = other * a.like(0.5);
        let sign = one.when(half.eq(half.floor()), -one);
        let infinity = a.like(f64::INFINITY);
        let by_logarithms = || {
            // A positive and a negative number whose sizes are large: gamma of the first one over that of the sum, or,
            // with the second one reflected, over that of its mirror image, without the difference of large numbers.
            let (up, down, limit) = (a.max(b), a.min(b), a.like(LARGE));
            let beside = up.ge(limit) & down.lt(zero) & (sum.ge(limit) | down.le(one - limit));
            let start = limit.when(!beside, up);
            let step = down.when(sum.ge(limit), one - sum).when(beside, zero);
            let reflected = a.like(LOG_PI) - sin_pi(down).abs().log() - called!(gammaln(sum));
            let near = called!(log_gamma_step(start, step)) + called!(gammaln(down)).when(sum.ge(limit), reflected);
            // Beside a small or a negative number, or one of a smaller size, both of the others are reflected.
            let (high, low) = sum_of_two(a, b);
            let sine = sin_pi(high) * cos_pi(low) + cos_pi(high) * sin_pi(low);
            let small = (up.lt(limit) | (up * a.like(10.0)).lt(-down)) & down.lt(a.like(-100.0));
            let turned =
                called!(gammaln(up)) + (sine / sin_pi(down)).abs().log() - called!(log_gamma_step(one - down, -up));
            let plain = near.when(beside, called!(gammaln(a)) + called!(gammaln(b)) - called!(gammaln(sum)))
                + share.abs().log();
            let at_pole = called!(gammaln(a)) + called!(gammaln(b)) + called!(gammaln(one - sum)) + lost.abs().log();
            at_pole.when(missed, turned.when(small, plain))
        };
        if logarithm {
            let value = by_logarithms();
            let finite = called!(positive_betaln(mirrored.max(one), other.max(one)));
            finite.when(pole & cancelled, infinity.when(pole, value))
        } else {
            let value = by_logarithms();
            let half_sum = sum * a.like(0.5);
            let sign_at_pole = one.when(half_sum.eq(half_sum.floor()), -one) * one.copysign(lost);
            let sign_of_sum = sign_at_pole.when(missed, gammasgn(sum) * one.copysign(share));
            let value = gammasgn(a) * gammasgn(b) * sign_of_sum * value.exp();
            let small = a.abs().le(a.like(RECURRENCE)) & b.abs().le(a.like(RECURRENCE));
            let direct = called!(gamma::gamma(a)) * (called!(gamma::gamma(b)) * called!(gamma::rgamma(sum))) * share;
            let value = direct.when(small & sum.abs().le(a.like(RECURRENCE)) & !missed, value);
            let value = zero.when(is_pole(sum) & !missed, value);
            let finite = sign * called!(positive_beta(mirrored.max(one), other.max(one)));
            finite.when(pole & cancelled, infinity.when(pole, value))
        }
    };
    let value = either(
        positive,
        || if logarithm { called!(positive_betaln(a, b)) } else { called!(positive_beta(a, b)) },
        general,
        dtype,
    );
    (a + b).when(a.is_nan() | b.is_nan(), value)
}

/// The beta function.
pub(super) fn beta<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    in_double(&[a, b], |x| beta_anywhere(x[0], x[1], false))
}

/// The logarithm of the absolute value of the beta function.
pub(super) fn betaln<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    in_double(&[a, b], |x| beta_anywhere(x[0], x[1], true))
}

/// a - (a + b) x, how far the mean is beyond x, `y` is 1 - x; of the smaller one of these without a rounding.
pub(super) fn below_mean<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>, y: Var<'b>) -> Var<'b> {
    let builder = a.builder();
    let (sum, low) = sum_of_two(a, b);
    let by_x = builder.fma(-sum, x, a) - low * x;
    let by_y = builder.fma(sum, y, -b) + low * y;
    by_x.when(x.le(y), by_y)
}

/// (x / a0)**a (y / b0)**b exp(rest) with the shares a0 = a / (a + b), b0 = b / (a + b): by the logarithms of the quotients,
/// whose linear terms cancel.
fn power_by_shares<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>, y: Var<'b>, rest: Var<'b>) -> Var<'b> {
    let (first, second) = exact_shares(x, y);
    let sum = Double::sum(a, b);
    let side = |share: Double<'b>, power: Var<'b>| share.times(sum).over(Double::new(power)).log_power(power);
    side(first, a).added(side(second, b)).added(Double::new(rest)).exp()
}

/// Whether the incomplete beta functions take beta(a, b) itself: its sum is moderate and one of the parameters is small.
pub(super) fn takes_beta<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    (a + b).le(a.like(RECURRENCE)) & a.min(b).lt(a.like(LARGE))
}

/// beta(a, b) if the incomplete beta functions take it, else 1. Apart from them, so that loops, and kernels whose parameters are
/// the same at all points, compute it once.
pub(super) fn small_beta<'b>(a: Var<'b>, b: Var<'b>) -> Var<'b> {
    either(takes_beta(a, b), || called!(positive_beta(a, b)), || a.like(1.0), a.dtype())
}

/// x**a (1 - x)**b / beta(a, b), the common factor of the incomplete beta functions; `y` is 1 - x, a and b are positive.
pub(super) fn beta_power<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>, y: Var<'b>) -> Var<'b> {
    called!(beta_power_of(a, b, called!(small_beta(a, b)), x, y))
}

/// The same with what [`small_beta`] is.
pub(super) fn beta_power_of<'b>(a: Var<'b>, b: Var<'b>, beta: Var<'b>, x: Var<'b>, y: Var<'b>) -> Var<'b> {
    let (zero, sum) = (a.like(0.0), a + b);
    let large = || {
        let rest = called!(stirling_rest(sum)) - called!(stirling_rest(a)) - called!(stirling_rest(b));
        let root = (a * (b / sum) * a.like(0.5 / PI)).sqrt();
        let by_shares = || root * called!(power_by_shares(a, b, x, y, rest));
        let by_distance = || {
            // The distance of x from the mean, so that linear terms of both logarithms cancel exactly.
            let lambda = below_mean(a, b, x, y);
            let (left, right) = (-lambda / a, lambda / b);
            // Far from the mean the distance does not hold the number near 0.
            let side = |share: Var<'b>, power: Var<'b>, away: Var<'b>| {
                let far = (share * sum / power).log() - away;
                power * log1p_rest(away).when(away.gt(a.like(-0.5)), far)
            };
            let exponent = side(x, a, left) + side(y, b, right);
            let plain = || root * (exponent + rest).exp();
            either(is_rounded(exponent) & sum.le(a.like(MOST_OF_SHARES)), by_shares, plain, a.dtype())
        };
        either(sum.le(a.like(FEW)), by_shares, by_distance, a.dtype())
    };
    let small = || {
        let (first, second) = exact_shares(x, y);
        let exponent = first.log_power(a).added(second.log_power(b));
        let by_gamma = || exponent.exp() / beta;
        let by_logarithm = || exponent.added(Double::new(-called!(positive_betaln(a, b)))).exp();
        either(sum.le(a.like(RECURRENCE)), by_gamma, by_logarithm, a.dtype())
    };
    let both = a.min(b).ge(a.like(LARGE));
    let value = either(both, large, small, a.dtype());
    zero.when(x.eq(zero) | y.eq(zero), value)
}

/// The number of ways to choose k of n.
pub(super) fn binom<'b>(n: Var<'b>, k: Var<'b>) -> Var<'b> {
    in_double(&[n, k], |inputs| {
        let (n, k) = (inputs[0], inputs[1]);
        let (zero, one, half) = (n.like(0.0), n.like(1.0), n.like(0.5));
        let whole_n = n.eq(n.floor());
        let whole_k = k.eq(k.floor());
        let shorter = (n - k).when(whole_n & n.gt(zero) & k.gt(n * half) & k.le(n), k);
        let product = whole_k & shorter.ge(zero) & shorter.lt(n.like(20.0));
        let builder = n.builder();
        let multiply = || {
            let (i, up, down) = (builder.local(one), builder.local(one), builder.local(one));
            builder.repeat(
                || i.get().le(shorter),
                || {
                    // The last factor is n itself, which may be small.
                    let factor = n - (shorter - i.get());
                    let (up_next, down_next) = (up.get() * factor, down.get() * i.get());
                    let big = up_next.abs().gt(n.like(1e50));
                    up.set((up_next / down_next).when(big, up_next));
                    down.set(one.when(big, down_next));
                    i.set(i.get() + one);
                },
            );
            up.get() / down.get()
        };
        let general = || {
            // Gamma functions of negative numbers are reflected: beta functions of positive numbers are left, or their
            // reciprocals, with sines that are exact at whole numbers.
            let (left, low) = (n.lt(-half), k.lt(zero));
            let rest = n - k;
            let beyond = rest.lt(zero);
            let first = (-k).when(left & low & beyond, (-n).when(left, (n + one).when(low | beyond, rest + one)));
            let mirrored = (-rest).when(low, k + one).when(beyond, (rest + one).when(low, k + one));
            let second = mirrored.when(left, (-k).when(low, (-rest).when(beyond, k + one)));
            let inverted = (left & !(low & beyond)) | !(left | low | beyond);
            let divisor = (-k).when(low, -rest).when(left, n + one);
            let sines = || {
                let (sine_n, sine_k) = (sin_pi(n), sin_pi(k));
                // sin(pi (k - n)), of which the difference is rounded.
                let (pi, (near, lost)) = (n.like(PI), sum_of_two(k, -n));
                let apart = sin_pi(near) + pi * lost * cos_pi(near);
                let of_low = (sine_k * apart / (pi * sine_n)).when(beyond, sine_k / sine_n);
                let of_left = of_low.when(low, -(apart / sine_n));
                of_left.when(left, (-(sine_k / pi)).when(low, apart / pi))
            };
            let factor = either(left | low | beyond, sines, || one, DType::F64);
            let direct = || {
                let value = called!(positive_beta(first, second));
                factor * (one / (divisor * value)).when(inverted, value)
            };
            let by_logarithm = || {
                let log = called!(positive_betaln(first, second));
                factor * (-log - divisor.log()).when(inverted, log).exp()
            };
            either((first + second).le(n.like(RECURRENCE)), direct, by_logarithm, DType::F64)
        };
        // Reciprocals of the least numbers are infinite, of both the product is 1 up to such a number.
        let least = n.like(LEAST);
        let trivial = !product & (k.abs().lt(least) | (n - k).abs().lt(least));
        let value = one.when(trivial, either(product, multiply, general, DType::F64));
        let nan = n.like(f64::NAN);
        nan.when(n.lt(zero) & whole_n, (n + k).when(n.is_nan() | k.is_nan(), value))
    })
}

/// Pochhammer's symbol, gamma(x + m) / gamma(x).
pub(super) fn poch<'b>(x: Var<'b>, m: Var<'b>) -> Var<'b> {
    in_double(&[x, m], |inputs| {
        let builder = inputs[0].builder();
        let (zero, one) = (inputs[0].like(0.0), inputs[0].like(1.0));
        let (x, m, r) = (inputs[0], builder.local(inputs[1]), builder.local(one));
        // Whole steps towards 0, as long as they are few: products are exact where whole numbers are.
        let steps = builder.local(zero);
        let few = |steps: Var<'b>| steps.lt(x.like(30.0)) & r.get().abs().lt(x.like(1e250)) & r.get().ne(zero);
        builder.repeat(
            || m.get().ge(one) & few(steps.get()) & (x + m.get()).ne(one),
            || {
                m.set(m.get() - one);
                r.set(r.get() * (x + m.get()));
                steps.set(steps.get() + one);
            },
        );
        builder.repeat(
            || m.get().le(-one) & few(steps.get()) & (x + m.get()).ne(zero),
            || {
                r.set(r.get() / (x + m.get()));
                m.set(m.get() + one);
                steps.set(steps.get() + one);
            },
        );
        let (rest, factor) = (m.get(), r.get());
        let (sum, low) = sum_of_two(x, rest);
        // A whole sum may be a rounded one.
        let sum_is_pole = is_pole(sum) & low.eq(zero);
        let large = x.abs().gt(x.like(1e4)) & rest.abs().le(one);
        let expansion = || {
            let power = x.pow(rest);
            let less = rest - one;
            let first = rest * less / (x.like(2.0) * x);
            let second = rest * less * (rest - x.like(2.0)) * (x.like(3.0) * rest - one) / (x.like(24.0) * x * x);
            let third =
                rest * rest * less * less * (rest - x.like(2.0)) * (rest - x.like(3.0)) / (x.like(48.0) * x * x * x);
            factor * power * (one + first + second + third)
        };
        let quotient = || {
            let moderate = sum.abs().le(x.like(RECURRENCE)) & x.abs().le(x.like(RECURRENCE));
            // The sum is rounded, which counts next to the poles: the sine of the reflection takes both of its parts.
            let beside_pole = || {
                let rounded = sin_pi(sum);
                let exact = rounded + x.like(PI) * low * cos_pi(sum);
                (rounded / exact).when(rounded.ne(zero) & exact.ne(zero), one)
            };
            let factor = factor * either(sum.lt(x.like(0.5)), beside_pole, || one, DType::F64);
            let direct = || {
                // The gamma function of a tiny number is its reciprocal, which may be infinite.
                let tiny = sum.abs().max(x.abs()).lt(x.like(LEAST));
                factor * (x / sum).when(tiny, called!(gamma::gamma(sum)) * called!(gamma::rgamma(x)))
            };
            let by_logarithms = || {
                // Without the difference of large numbers where both are on one side; negative ones are reflected.
                let limit = x.like(LARGE);
                let mirrored = x.lt(zero);
                let (start, step) = ((one - x).when(mirrored, x), (-rest).when(mirrored, rest));
                let aside = start.ge(limit) & (start + step).ge(limit);
                let near = called!(log_gamma_step(start.when(aside, limit), step.when(aside, zero)));
                let near = near.when(mirrored, -near);
                let both_poles = is_pole(x) & sum_is_pole;
                let turned = cos_pi(rest).when(both_poles, sin_pi(x) / sin_pi(sum)).when(mirrored, one);
                let logarithm = called!(gammaln(sum)) - called!(gammaln(x));
                let other = logarithm.exp() * gammasgn(sum) * gammasgn(x);
                factor * (near.exp() * turned).when(aside, other)
            };
            either(moderate & !(is_pole(x) & sum_is_pole), direct, by_logarithms, DType::F64)
        };
        let value = either(large, expansion, quotient, DType::F64);
        let infinity = x.like(f64::INFINITY);
        // The leading term at a pole that the sum misses by less than its rounding.
        let beside_pole = || {
            let half = sum * x.like(0.5);
            let sign = one.when(half.eq(half.floor()), -one) * gammasgn(x);
            factor * sign * (-called!(gammaln(one - sum)) - called!(gammaln(x))).exp() / low
        };
        let value = either(is_pole(sum) & !sum_is_pole & low.abs().lt(one), beside_pole, || value, DType::F64);
        let value = infinity.when(sum_is_pole & !is_pole(x), value);
        let value = zero.when(is_pole(x) & !sum_is_pole, value);
        let value = factor.when(rest.eq(zero), value);
        (inputs[0] + inputs[1]).when(inputs[0].is_nan() | inputs[1].is_nan(), value)
    })
}
