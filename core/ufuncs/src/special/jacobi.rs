//! Gegenbauer and Jacobi polynomials. Whole orders use recurrences, other orders hypergeometric functions (DLMF 18.5).
//! Parameters without a weight function lose digits there: their sums are computed with twice the digits.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{LocalVar, Var};

use super::approximation::either;
use super::beta::{binom, log_scaled_beta, poch, positive_betaln};
use super::called::called;
use super::continuation::{ends_series, lift, size, times_real};
use super::double_double::{self, Double, DoubleVar};
use super::gamma::rgamma;
use super::gauss::{self, beside_pole};
use super::hypergeometric::most_lost;
use super::recurrences::{
    by_differences, from_ends, is_odd, middle_first, of_any_order, recurrence, shifted, symmetric,
};
use crate::Outputs;

/// The largest accepted size of terms that cancel, relative to their sum.
const LOST: f64 = 1e7;
/// The largest accepted difference between a recurrence in float64 and the same one with twice the digits, relative to the
/// latter, whose own error is then 1e-16 of that.
const MOST_APART: f64 = 1e4;
/// The same next to a root.
const MOST_APART_BESIDE_ROOT: f64 = 1e6;
/// Below this size a polynomial, which is of order 1 inside the interval, is next to a root.
const BESIDE_ROOT: f64 = 1e-5;
/// Numbers of recurrences beyond the first one are divided by 2 to the power of the second.
const LARGEST: f64 = 1e200;
const SHIFT: i32 = 800;
/// Up to this order gamma functions of the order are in range; from it on those of order plus parameter have no poles, for
/// parameters above its negative.
const MODERATE: f64 = 100.0;
/// The most zeros at an end that are split off from a function, each a step of a loop.
const MOST_ZEROS: f64 = 1e5;

/// Whether `alpha` is a half number of -1/2 or less, where alpha + 1/2 is a pole of the hypergeometric function.
fn is_negative_half(alpha: Var<'_>) -> Var<'_> {
    ends_series(alpha + alpha.like(0.5))
}

pub(super) fn gegenbauer<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (alpha, most) = (alpha.cast(DType::F64), most_lost(x.dtype()));
    of_any_order(
        n,
        x,
        |n, x| whole_gegenbauer(n, alpha, x),
        |n, x| {
            let (zero, one, half, twice) = (n.like(0.0), n.like(1.0), n.like(0.5), alpha + alpha);
            let step = |k: Var<'b>, now: Var<'b>, before: Var<'b>| {
                let sum = times_real(x * now, (k + alpha) * n.like(2.0)) - times_real(before, k - one + twice);
                times_real(sum, one / (k + one))
            };
            // The limit at a negative half number: DLMF 15.2.3 in 18.5.9, and of a polynomial with the zeros at both ends.
            let at_limit = is_negative_half(alpha);
            let zeros = half - alpha;
            let both_ends = n.eq(n.floor());
            let general = || {
                let shift = (zeros + zeros).when(both_ends, zeros);
                let a = Double::sum(shift, -n).when(at_limit, Double::new(-n));
                let b = Double::sum(n, (one - zero.when(both_ends, zeros)).when(at_limit, twice));
                let c = Double::new(zeros + one).when(at_limit, Double::sum(alpha, half));
                let value = from_ends([a, b, c], x, most);
                let at_one = || {
                    // gamma(n + 2 alpha) / (gamma(2 alpha) gamma(n + 1)), of large orders without its parts.
                    let by_parts = || called!(poch(twice, n)) * called!(rgamma(n + one));
                    times_real(
                        value,
                        either(n.lt(n.like(MODERATE)), by_parts, || called!(value_at_one(n, twice)), DType::F64),
                    )
                };
                let limit = || {
                    let one = lift(x, one);
                    let (z, y) = (times_real(one - x, half), times_real(one + x, half));
                    let power = whole_power((z * y).when(both_ends, z), zeros);
                    let choices = called!(binom(zeros + zeros, zeros));
                    times_real(value * power, zero.when(both_ends & n.lt(zero), choices))
                };
                either(at_limit, limit, at_one, x.dtype())
            };
            if !x.dtype().is_complex() {
                return general();
            }
            // Polynomials of low degree do not have that limit, and next to 0 the powers of x keep the most digits.
            let builder = n.builder();
            let below = at_limit & n.lt(zeros + zeros);
            let weighted = alpha.gt(-half);
            let whole = both_ends & n.ge(zero) & n.le(n.like(MOST_ZEROS));
            let nan = lift(x, n.like(f64::NAN));
            let value = builder.local(nan);
            let near_zero = x.abs().lt(half) & n.le(n.like(200.0)) & !weighted;
            builder.branch(
                whole & (below | near_zero),
                || {
                    let (sum, lost) = by_powers(n, alpha, x);
                    value.set(sum.when(lost.le(n.like(most)), nan));
                },
                || {},
            );
            let found = !size(value.get()).is_nan() | (whole & below);
            let others = || middle_first(n, x, weighted, times_real(x, twice), step, general);
            either(found, || value.get(), others, DType::C128)
        },
    )
}

/// The Gegenbauer polynomial at 1, (2 alpha)_n / n!, for n > 0; `twice` is 2 alpha.
fn value_at_one<'b>(n: Var<'b>, twice: Var<'b>) -> Var<'b> {
    let one = n.like(1.0);
    // The binomial coefficient rounds a small alpha: 1 / (n beta(2 alpha, n)).
    let small = || {
        let negative = twice.lt(n.like(0.0));
        let shape = (twice + one).when(negative, twice);
        let lifted = (shape / (n + twice)).when(negative, one);
        twice / n * lifted * (-called!(log_scaled_beta(shape, n.max(one)))).exp()
    };
    let others = || at_end_of_large_order(n, twice, twice - one);
    either(twice.lt(one) & twice.gt(-one), small, others, DType::F64)
}

/// (shift)_n / n!, where `less` is shift - 1.
fn at_end_of_large_order<'b>(n: Var<'b>, shift: Var<'b>, less: Var<'b>) -> Var<'b> {
    // The binomial coefficient takes sums, which do not hold the distance of `shift` from a pole of gamma.
    let apart = n.ge(n.like(MODERATE)) & shift.le(n.like(0.5)) & shift.gt(n.like(-MODERATE));
    let product = || called!(poch(n + n.like(1.0), less)) * called!(rgamma(shift));
    // Next to a pole of gamma the binomial coefficient of a sum depends on what its rounding left.
    let Double { high, low } = Double::sum(n, less);
    let (sum, share) = called!(beside_pole(high, low));
    either(apart, product, || called!(binom(sum, n)) / share, DType::F64)
}

/// A number to a whole power that is not negative.
fn whole_power<'b>(base: Var<'b>, power: Var<'b>) -> Var<'b> {
    if !base.dtype().is_complex() {
        return base.pow(power);
    }
    let builder = base.builder();
    let (square, left, product) =
        (builder.local(base), builder.local(power), builder.local(lift(base, power.like(1.0))));
    builder.repeat(
        || left.get().gt(power.like(0.0)),
        || {
            let here = square.get();
            product.set((product.get() * here).when(is_odd(left.get()), product.get()));
            square.set(here * here);
            left.set((left.get() * power.like(0.5)).floor());
        },
    );
    product.get()
}

/// The Gegenbauer polynomial by powers of x from the lowest one on (DLMF 18.5.10), and what cancelled. A real sum has twice
/// the digits.
fn by_powers<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (builder, zero, one, two) = (n.builder(), n.like(0.0), n.like(1.0), n.like(2.0));
    let pairs = (n * n.like(0.5)).floor();
    let odd = is_odd(n);
    // (alpha)_(n - pairs) / pairs!, which an odd order multiplies by 2 x.
    let first = rising(Double::new(alpha), pairs);
    let first = Double {
        high: (-first.high).when(is_odd(pairs), first.high),
        low: (-first.low).when(is_odd(pairs), first.low),
    };
    let ratio = |j: Var<'b>| {
        let k = pairs - j;
        let above = Double::sum(alpha, n - k).times(Double::new(-(k * n.like(4.0))));
        (above, Double::new((n - two * k + two) * (n - two * k + one)))
    };
    let last = Double::sum(alpha, pairs).times(Double::new(two));
    if !x.dtype().is_complex() {
        let start = first.times(last).times(Double::new(x));
        let start = Double { high: start.high.when(odd, first.high), low: start.low.when(odd, first.low) };
        let square = Double::new(x).times(Double::new(x));
        return double_double::series(start, square, pairs, ratio);
    }
    let start = times_real(times_real(x, last.high).when(odd, lift(x, one)), first.high);
    let square = x * x;
    let (term, sum, j) = (builder.local(start), builder.local(start), builder.local(zero));
    let largest = builder.local(size(start));
    builder.repeat(
        || j.get().lt(pairs),
        || {
            let (above, below) = ratio(j.get());
            let next = times_real(term.get() * square, above.high / below.high);
            term.set(next);
            sum.set(sum.get() + next);
            largest.set(largest.get().max(size(next)));
            j.set(j.get() + one);
        },
    );
    let lost = largest.get() / size(sum.get());
    (sum.get(), zero.when(largest.get().eq(zero), lost))
}

/// The Gegenbauer polynomial of whole order by its recurrence: DLMF 18.9.1.
fn gegenbauer_by_recurrence<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (one, two) = (n.like(1.0), n.like(2.0));
    recurrence(n, one, two * alpha * x, |k, now, before| {
        (two * (k + alpha) * x * now - (k - one + two * alpha) * before) / (k + one)
    })
}

fn whole_gegenbauer<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (zero, one, two, half) = (n.like(0.0), n.like(1.0), n.like(2.0), n.like(0.5));
    let invalid = alpha.is_nan() | x.is_nan();
    let negative = n.lt(zero);
    // Of a negative half number and a high degree, zeros at both ends and a polynomial that has a weight function.
    let builder = n.builder();
    let (degree, shape, factor) = (builder.local(n), builder.local(alpha), builder.local(one));
    let zeros = half - alpha;
    builder.branch(
        is_negative_half(alpha) & n.ge(zeros + zeros),
        || {
            let choices = called!(binom(n, zeros + zeros));
            let share = called!(binom(zeros + zeros, zeros)) * (-(zeros + zeros)).exp2() / choices;
            let share = n.like(f64::NAN).when(choices.eq(n.like(f64::INFINITY)), share);
            factor.set(share * ((one - x) * (one + x)).pow(zeros));
            degree.set(n - (zeros + zeros));
            shape.set(zeros + half);
        },
        || {},
    );
    let (n, alpha) = (degree.get(), shape.get());
    let plain = |x: Var<'b>| called!(gegenbauer_by_recurrence(n, alpha, x));
    let near = plain;
    let far = |x: Var<'b>| {
        let less = x - one;
        let ratio = by_differences(n, less, |k, now, d| (two * (k + alpha) * less * now + k * d) / (k + two * alpha));
        one.when(n.eq(zero), ratio * called!(value_at_one(n, two * alpha)))
    };
    // The ratio has no value where a polynomial is 0 at the end of the interval.
    let ordinary = alpha.gt(-half) & alpha.ne(zero);
    let others = || {
        let poles = is_negative_half(alpha);
        let precise = || {
            let (twice, size) = (two * alpha, x.abs());
            let c = Double::sum(alpha, half);
            let from_end = || from_end_precisely(n, Double::sum(n, twice), c, rising(Double::new(twice), n), size);
            let (value, cancelled) = (builder.local(zero), builder.local(zero));
            builder.branch(
                poles,
                || {
                    let (sum, lost) = by_powers(n, alpha, size);
                    value.set(sum);
                    cancelled.set(lost);
                },
                || {
                    let (sum, lost) = from_end();
                    value.set(sum);
                    cancelled.set(lost);
                },
            );
            let (sum, lost) = (value.get(), cancelled.get());
            let sum = (-sum).when(is_odd(n) & x.lt(zero), sum);
            let by_recurrence = || {
                let second = Double::new(two * alpha).times(Double::new(x));
                let found = recurrence_precisely(n, second, |k| {
                    let up = Double::sum(k, alpha).times(Double::new(two * x));
                    [up, Double::sum(k - one, twice).negated(), Double::new(k + one)]
                });
                let found = if_near(found, MOST_APART);
                let by_first = || {
                    let sum = by_first_parameter(n, Double::sum(n, twice), c, rising(Double::new(twice), n), size);
                    (-sum).when(is_odd(n) & x.lt(zero), sum)
                };
                either(found.is_nan() & !poles, by_first, || found, DType::F64)
            };
            either(lost.le(n.like(LOST)), || sum, by_recurrence, DType::F64)
        };
        // Next to the parameters of weights the recurrence of a high degree loses few digits, and the sum of powers all.
        let mild = alpha.gt(n.like(-3.0)) & n.gt(n.like(MODERATE)) & !poles;
        let simple = n.lt(two) | alpha.eq(zero) | mild;
        either(simple, || plain(x), precise, DType::F64)
    };
    let value = either(ordinary, || symmetric(n, x, near, far), others, DType::F64) * factor.get();
    let value = zero.when(negative, value);
    x.like(f64::NAN).when(invalid, value)
}

/// The Jacobi polynomial at 1, (alpha + 1)_n / n!.
pub(super) fn value_at_end<'b>(n: Var<'b>, alpha: Var<'b>) -> Var<'b> {
    // The sum of both numbers does not hold the distance from a pole of gamma.
    let negative = alpha.lt(n.like(-0.5)) & n.lt(n.like(MODERATE));
    let one = n.like(1.0);
    either(
        negative,
        || called!(poch(alpha + one, n)) * called!(rgamma(n + one)),
        || at_end_of_large_order(n, alpha + one, alpha),
        DType::F64,
    )
}

/// The shifted Jacobi polynomial of whole order by the powers of a number near 0: alpha and beta do not hold a small q,
/// which counts there.
fn shifted_near_zero<'b>(n: Var<'b>, p: Var<'b>, q: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, zero, one) = (n.builder(), n.like(0.0), n.like(1.0));
    let sign = (-one).when(is_odd(n), one);
    let start = sign * (called!(poch(q, n)) / called!(poch(n + p, n)));
    let start = if x.dtype().is_complex() { builder.complex(start, zero) } else { start };
    let (k, term, sum) = (builder.local(zero), builder.local(start), builder.local(start));
    builder.repeat(
        || k.get().lt(n),
        || {
            let here = k.get();
            let ratio = (here - n) * ((n + p) + here) / ((q + here) * (here + one));
            let next = times_real(term.get() * x, ratio);
            term.set(next);
            sum.set(sum.get() + next);
            k.set(here + one);
        },
    );
    sum.get()
}

pub(super) fn jacobi<'b>(n: Var<'b>, alpha: Var<'b>, beta: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (alpha, beta, most) = (alpha.cast(DType::F64), beta.cast(DType::F64), most_lost(x.dtype()));
    of_any_order(
        n,
        x,
        |n, x| whole_jacobi(n, alpha, beta, x),
        |n, x| {
            let (one, half) = (lift(x, n.like(1.0)), n.like(0.5));
            jacobi_by_gauss([n, alpha, beta], times_real(one - x, half), times_real(one + x, half), most)
        },
    )
}

/// The Jacobi function of any order as a hypergeometric function; `z` and `y` are (1 - x) / 2 and (1 + x) / 2.
fn jacobi_by_gauss<'b>(parameters: [Var<'b>; 3], z: Var<'b>, y: Var<'b>, most: f64) -> Var<'b> {
    let [n, alpha, beta] = parameters;
    let [n, alpha, beta, factor] = called!(folded(n, alpha, beta, z, y));
    let c = Double::sum(alpha, n.like(1.0));
    let b = Double::sum(n, beta).plus(c);
    let value = gauss::beside([Double::new(-n), b, c], z, y, n.like(most));
    times_real(value, called!(value_at_end(n, alpha))) * factor
}

/// The degree and the parameters that are left, and a factor, after zeros at the ends were split off, which whole negative
/// parameters mean: Szego (4.22.2). An order that is not whole has them at 1 only.
fn folded<'b>(n: Var<'b>, alpha: Var<'b>, beta: Var<'b>, z: Var<'b>, y: Var<'b>) -> [Var<'b>; 4] {
    let (builder, zero, one) = (n.builder(), n.like(0.0), n.like(1.0));
    let (degree, right, left) = (builder.local(n), builder.local(alpha), builder.local(beta));
    let factor = builder.local(lift(z, one));
    builder.branch(
        alpha.le(-one) | beta.le(-one),
        || {
            let whole = n.eq(n.floor());
            let fold = |shape: LocalVar<'b>, other: LocalVar<'b>, end: Var<'b>, fits: Var<'b>| {
                let (order, zeros) = (degree.get(), -shape.get());
                let folds = zeros.eq(zeros.floor()) & zeros.ge(one) & zeros.le(n.like(MOST_ZEROS)) & fits;
                let rest = order - zeros + one;
                let shifted = Double::sum(order, other.get()).plus(Double::new(one - zeros));
                let coefficient = rising_quotient(shifted, rest, zeros.when(folds, zero)).high;
                let value = times_real(whole_power(end, zeros.when(folds, zero)), coefficient);
                factor.set(factor.get() * value);
                shape.set(zeros.when(folds, shape.get()));
                degree.set((order - zeros).when(folds, order));
            };
            let fits = |shape: LocalVar<'b>| whole & (-shape.get()).le(degree.get());
            fold(right, left, -z, fits(right) | !whole);
            fold(left, right, y, fits(left));
        },
        || {},
    );
    [degree.get(), right.get(), left.get(), factor.get()]
}

fn whole_jacobi<'b>(n: Var<'b>, alpha: Var<'b>, beta: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (zero, one, two, half) = (n.like(0.0), n.like(1.0), n.like(2.0), n.like(0.5));
    let less = x - one;
    let invalid = n.lt(zero) | alpha.is_nan() | beta.is_nan() | x.is_nan();
    let [n, alpha, beta, factor] = called!(folded(n, alpha, beta, less * -half, (x + one) * half));
    let first = (alpha + beta + two) * less / (two * (alpha + one));
    let ratio = by_differences(n, first, |k, now, d| {
        let t = two * k + alpha + beta;
        let product = t * (t + one) * (t + two) * less * now + two * k * (k + beta) * (t + two) * d;
        product / (two * (k + alpha + one) * (k + alpha + beta + one) * t)
    });
    let beyond = alpha.le(-one) | beta.le(-one);
    let near_pole = || called!(value_at_end(n, alpha));
    let end = || either(alpha.lt(-half), near_pole, || called!(binom(n + alpha, n)), DType::F64);
    let from_end = || {
        let value = ratio * end();
        // Next to a root the distance from the end has lost digits of the number itself.
        let close = value.abs().lt(n.like(BESIDE_ROOT)) & ratio.abs().lt(n.like(BESIDE_ROOT)) & n.gt(one);
        either(close, || called!(beside_root(n, alpha, beta, x)), || value, DType::F64)
    };
    let value = either(beyond & n.gt(one), || beyond_weights(n, alpha, beta, x), from_end, DType::F64);
    let linear = || first_degree(alpha, beta, x).high;
    let value = either(n.eq(one), linear, || one.when(n.eq(zero), value), DType::F64) * factor;
    x.like(f64::NAN).when(invalid, value)
}

/// The value of a recurrence with twice the digits, where it is near enough to the plain one that these are enough, else NaN.
fn if_near<'b>((value, plain, shifts): (Var<'b>, Var<'b>, Var<'b>), most: f64) -> Var<'b> {
    let (one, up) = (value.like(1.0), value.like(2f64.powi(SHIFT)));
    let near = (plain - value).abs().le(value.abs() * value.like(most));
    // More shifts than two are beyond the range, too.
    let first = up.when(shifts.gt(value.like(0.0)), one);
    let second = up.when(shifts.gt(one), one);
    (value * first * second).when(near, value.like(f64::NAN))
}

/// A recurrence with twice the digits, the plain one, and how often both were divided by 2 to the power of [`SHIFT`]. The
/// first number is 1, `second` the next one; `coefficients` of step k are the factors of number k and of number k - 1, and
/// the divisor.
fn recurrence_precisely<'b>(
    n: Var<'b>,
    second: Double<'b>,
    coefficients: impl FnOnce(Var<'b>) -> [Double<'b>; 3],
) -> (Var<'b>, Var<'b>, Var<'b>) {
    let (builder, zero, one) = (n.builder(), n.like(0.0), n.like(1.0));
    let (k, last, current) = (builder.local(one), DoubleVar::new(Double::new(one)), DoubleVar::new(second));
    let (plain_last, plain, shifts) = (builder.local(one), builder.local(second.high), builder.local(zero));
    builder.repeat(
        || k.get().lt(n),
        || {
            let [up, down, below] = coefficients(k.get());
            let large = current.get().high.abs().gt(n.like(LARGEST));
            let unit = n.like(2f64.powi(-SHIFT)).when(large, one);
            shifts.set(shifts.get() + one.when(large, zero));
            let part = |number: Double<'b>| Double { high: number.high * unit, low: number.low * unit };
            let (now, before) = (part(current.get()), part(last.get()));
            current.set(up.times(now).plus(down.times(before)).over(below));
            last.set(now);
            let (now, before) = (plain.get() * unit, plain_last.get() * unit);
            plain.set((up.high * now + down.high * before) / below.high);
            plain_last.set(now);
            k.set(k.get() + one);
        },
    );
    (current.get().high, plain.get(), shifts.get())
}

/// The product of (start + k) / (k + 1) for the first n numbers k from 0.
fn rising<'b>(start: Double<'b>, n: Var<'b>) -> Double<'b> {
    rising_quotient(start, n.like(1.0), n)
}

/// The product of (start + k) / (under + k) for the first n numbers k from 0.
fn rising_quotient<'b>(start: Double<'b>, under: Var<'b>, n: Var<'b>) -> Double<'b> {
    let (high, low) = called!(quotients(start.high, start.low, under, n));
    Double { high, low }
}

/// `rising_quotient` of the parts of `start`.
fn quotients<'b>(start: Var<'b>, low: Var<'b>, under: Var<'b>, n: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (builder, zero, one) = (n.builder(), n.like(0.0), n.like(1.0));
    let (k, product) = (builder.local(zero), DoubleVar::new(Double::new(one)));
    builder.repeat(
        || k.get().lt(n),
        || {
            let at = k.get();
            let factor = Double { high: start, low }.plus(Double::new(at)).over(Double::sum(under, at));
            product.set(product.get().times(factor));
            k.set(at + one);
        },
    );
    let Double { high, low } = product.get();
    (high, low)
}

/// `first` times 2F1(-n, b; c; (1 - x) / 2) with twice the digits, and what cancelled.
fn from_end_precisely<'b>(
    n: Var<'b>,
    b: Double<'b>,
    c: Double<'b>,
    first: Double<'b>,
    x: Var<'b>,
) -> (Var<'b>, Var<'b>) {
    let one = n.like(1.0);
    let z = Double::sum(one, -x).times(Double::new(n.like(0.5)));
    let (sum, lost) = double_double::series(first, z, n, |k| {
        let above = Double::new(k - n).times(b.plus(Double::new(k)));
        (above, c.plus(Double::new(k)).times(Double::new(one + k)))
    });
    // The terms have a pole.
    let pole = c.low.eq(n.like(0.0)) & c.high.le(n.like(0.0)) & c.high.eq(c.high.floor()) & c.high.gt(-n);
    (sum, n.like(f64::INFINITY).when(pole, lost))
}

/// `first` times 2F1(-n, b; c; (1 - x) / 2) by the recurrence in the first parameter (DLMF 15.5.11) from 0 down to -n, whose
/// differences have twice the digits. NaN where float64 is so far off that twice the digits may not be enough.
fn by_first_parameter<'b>(n: Var<'b>, b: Double<'b>, c: Double<'b>, first: Double<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, zero, one, half) = (n.builder(), n.like(0.0), n.like(1.0), n.like(0.5));
    let (z, y) = (Double::sum(one, -x).times(Double::new(half)), Double::sum(one, x).times(Double::new(half)));
    let slope = b.times(z);
    let k = builder.local(zero);
    let (value, change) = (DoubleVar::new(Double::new(one)), DoubleVar::new(Double::new(zero)));
    let (plain, plain_change) = (builder.local(one), builder.local(zero));
    builder.repeat(
        || k.get().lt(n),
        || {
            let (at, below) = (Double::new(k.get()), c.plus(Double::new(k.get())));
            let next = change.get().times(at).times(y).plus(slope.times(value.get()).negated()).over(below);
            change.set(next);
            value.set(value.get().plus(next));
            let next = (plain_change.get() * k.get() * y.high - slope.high * plain.get()) / below.high;
            plain_change.set(next);
            plain.set(plain.get() + next);
            k.set(k.get() + one);
        },
    );
    let known = (plain.get() - value.get().high).abs().le(value.get().high.abs() * n.like(MOST_APART));
    first.times(value.get()).high.when(known, n.like(f64::NAN))
}

/// The Jacobi polynomial of degree 1.
fn first_degree<'b>(alpha: Var<'b>, beta: Var<'b>, x: Var<'b>) -> Double<'b> {
    let slope = Double::sum(alpha, beta).plus(Double::new(x.like(2.0)));
    slope.times(Double::new(x)).plus(Double::sum(alpha, -beta)).times(Double::new(x.like(0.5)))
}

/// Jacobi polynomials by their recurrence; see [`recurrence_precisely`].
fn by_recurrence_precisely<'b>(n: Var<'b>, alpha: Var<'b>, beta: Var<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>, Var<'b>) {
    let (one, two, sum) = (n.like(1.0), n.like(2.0), Double::sum(alpha, beta));
    let middle = sum.times(Double::sum(alpha, -beta));
    recurrence_precisely(n, first_degree(alpha, beta, x), |here| {
        // DLMF 18.9.2, multiplied by the denominator of its coefficients.
        let t = sum.plus(Double::new(two * here));
        let (lead, next) = (t.plus(Double::new(one)), t.plus(Double::new(two)));
        let up = lead.times(t.times(next).times(Double::new(x)).plus(middle));
        let down = Double::sum(here, alpha).times(Double::sum(here, beta)).times(next).times(Double::new(-two));
        let below = Double::new(two * (here + one)).times(sum.plus(Double::new(here + one))).times(t);
        [up, down, below]
    })
}

/// A Jacobi polynomial next to a root: 0 where it is no more than what rounds twice the digits.
fn beside_root<'b>(n: Var<'b>, alpha: Var<'b>, beta: Var<'b>, x: Var<'b>) -> Var<'b> {
    let found = called!(by_recurrence_precisely(n, alpha, beta, x));
    let noise = found.0.abs().lt(x.like(1e-28)) & found.1.abs().lt(x.like(1e-12)) & found.2.eq(x.like(0.0));
    x.like(0.0).when(noise, if_near(found, MOST_APART_BESIDE_ROOT))
}

/// Jacobi polynomials of parameters that have no weight function: the recurrence loses digits there, so that the powers of
/// the distance from either end come first (DLMF 18.5.7). NaN where too few digits are left.
fn beyond_weights<'b>(n: Var<'b>, alpha: Var<'b>, beta: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, zero, one) = (n.builder(), n.like(0.0), n.like(1.0));
    let (value, lost) = (builder.local(n.like(f64::NAN)), builder.local(n.like(f64::INFINITY)));
    let side = builder.local(zero);
    let b = Double::sum(alpha, beta).plus(Double::sum(n, one));
    builder.repeat(
        || side.get().lt(n.like(2.0)) & lost.get().gt(one),
        || {
            let right = side.get().eq(zero);
            let (shape, at) = (alpha.when(right, beta), x.when(right, -x));
            let c = Double::sum(shape, one);
            let (sum, cancelled) = from_end_precisely(n, b, c, rising(c, n), at);
            let better = cancelled.lt(lost.get());
            let odd = is_odd(n) & !right;
            value.set((-sum).when(odd, sum).when(better, value.get()));
            lost.set(cancelled.when(better, lost.get()));
            side.set(side.get() + one);
        },
    );
    let by_recurrence = || {
        let found = if_near(called!(by_recurrence_precisely(n, alpha, beta, x)), MOST_APART);
        let by_first = || {
            let c = Double::sum(alpha, one);
            by_first_parameter(n, b, c, rising(c, n), x)
        };
        either(found.is_nan(), by_first, || found, DType::F64)
    };
    either(lost.get().le(n.like(LOST)), || value.get(), by_recurrence, DType::F64)
}

pub(super) fn sh_jacobi<'b>(v: &[Var<'b>]) -> Outputs<'b> {
    let (n, p, q, x) = (v[0], v[1].cast(DType::F64), v[2].cast(DType::F64), v[3]);
    let (order, one, most) = (n.cast(DType::F64), p.like(1.0), most_lost(x.dtype()));
    let (alpha, beta) = (p - q, q - one);
    let wide = x.cast(if x.dtype().is_complex() { DType::C128 } else { DType::F64 });
    let value = of_any_order(
        n,
        wide,
        |n, x| whole_jacobi(n, alpha, beta, shifted(x)),
        |n, x| jacobi_by_gauss([n, alpha, beta], lift(x, one) - x, x, most),
    );
    let near_zero = || shifted_near_zero(order, p, q, wide);
    let close = order.eq(order.floor()) & order.ge(one) & order.le(p.like(60.0)) & (order + p).gt(p.like(0.0));
    let close = close & q.gt(p.like(0.0)) & q.lt(p.like(0.1));
    let close = close & (wide.abs() * (order + one) * ((order + p) + one)).le(p.like(0.1));
    // The binomial coefficient of 2 n + p - 1 and n. Large orders have it beyond the range: (2 n + p) beta(n + 1, n + p).
    // Next to a pole it is taken of one more, which holds what is left of small numbers.
    let next = Double::sum(order, order).plus(Double::new(p)).high;
    let pole = next.abs().lt(p.like(0.5)) & (order + p).ne(p.like(0.0));
    let choices = called!(binom(next.when(pole, order + order + p - one), order));
    let inverse = (next / (order + p)).when(pole, one) / choices;
    let large = order.gt(p.like(400.0)) & (order + p).gt(p.like(1.0));
    let by_logarithm = || {
        let root = (called!(positive_betaln(order + one, order + p)) * p.like(0.5)).exp();
        times_real(times_real(value, root), root * (order + order + p))
    };
    // A polynomial beyond the range has no value, even if the factor would bring it back.
    let lost = value.abs().eq(p.like(f64::INFINITY)) & wide.abs().lt(p.like(f64::INFINITY));
    let nan = p.like(f64::NAN);
    let nan = if wide.dtype().is_complex() { p.builder().complex(nan, nan) } else { nan };
    let value = nan.when(lost, either(large, by_logarithm, || times_real(value, inverse), wide.dtype()));
    smallvec::smallvec![either(close, near_zero, || value, wide.dtype()).cast(x.dtype())]
}
