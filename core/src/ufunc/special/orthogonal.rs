//! Orthogonal polynomials of whole order by their recurrences (DLMF 18.9), of any order as hypergeometric functions
//! (DLMF 18.5), Chebyshev's by their angles.

use std::f64::consts::FRAC_PI_2;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{LocalVar, Var};

use super::super::table::{binary, general, ternary};
use super::super::{Outputs, Ufunc};
use super::approximation::{cos_pi, either, sin_pi};
use super::beta::{binom, log_scaled_beta, poch, positive_betaln};
use super::called::called;
use super::continuation::times_real;
use super::double_double::{self, Double, DoubleVar};
use super::gamma::rgamma;
use super::gauss;
use super::hypergeometric::{hyp1f1, hyp2f1_from_one};

/// What terms that cancel may be beside their sum.
const LOST: f64 = 1e7;
/// What plain numbers may be off beside the result of a recurrence with twice the digits: that is off by 1e-16 of it.
const MOST_APART: f64 = 1e4;

pub(super) fn rows() -> Vec<Ufunc> {
    const ANY: &str = "ld->d, ff->f, fF->F, dd->d, dD->D";
    const ANY3: &str = "ldd->d, fff->f, ffF->F, ddd->d, ddD->D";
    const ANY4: &str = "lddd->d, ffff->f, fffF->F, dddd->d, dddD->D";
    const WHOLE: &str = "ld->d";
    let rows = [
        binary("eval_chebyt", ANY, "Chebyshev polynomial of the first kind.", |n, x| chebyt(n, x, false)),
        binary("eval_chebyu", ANY, "Chebyshev polynomial of the second kind.", |n, x| chebyu(n, x, false)),
        binary("eval_chebyc", ANY, "Chebyshev polynomial of the first kind on [-2, 2].", |n, x| {
            let two = x.like(2.0);
            chebyt(n, x / two, false) * two
        }),
        binary("eval_chebys", ANY, "Chebyshev polynomial of the second kind on [-2, 2].", |n, x| {
            chebyu(n, x / x.like(2.0), false)
        }),
        binary("eval_sh_chebyt", ANY, "Chebyshev polynomial of the first kind on [0, 1].", |n, x| chebyt(n, x, true)),
        binary("eval_sh_chebyu", ANY, "Chebyshev polynomial of the second kind on [0, 1].", |n, x| chebyu(n, x, true)),
        binary("eval_legendre", ANY, "Legendre polynomial.", legendre),
        binary("eval_sh_legendre", ANY, "Legendre polynomial on [0, 1].", sh_legendre),
        binary("eval_hermite", WHOLE, "Hermite polynomial of the physicists.", |n, x| hermite(n, x, 2.0)),
        binary("eval_hermitenorm", WHOLE, "Hermite polynomial of the probabilists.", |n, x| hermite(n, x, 1.0)),
        binary("eval_laguerre", ANY, "Laguerre polynomial.", |n, x| genlaguerre(n, n.cast(DType::F64).like(0.0), x)),
        ternary("eval_genlaguerre", ANY3, "Generalized Laguerre polynomial.", genlaguerre),
        ternary("eval_gegenbauer", ANY3, "Gegenbauer polynomial.", gegenbauer),
        general("eval_jacobi", (4, 1), ANY4, "Jacobi polynomial.", |v| {
            smallvec::smallvec![jacobi(v[0], v[1], v[2], v[3])]
        }),
        general("eval_sh_jacobi", (4, 1), ANY4, "Jacobi polynomial on [0, 1].", sh_jacobi),
    ];
    rows.into_iter()
        .map(|row| row.source("DLMF 18.9: recurrences; 18.5: angles, hypergeometric functions").special())
        .collect()
}

/// Up to this order polynomials of complex numbers are computed by recurrence.
const MOST_STEPS: f64 = 200.0;

/// Whether an order is whole and small.
fn has_few_steps(n: Var<'_>) -> Var<'_> {
    n.eq(n.floor()) & n.ge(n.like(0.0)) & n.le(n.like(MOST_STEPS))
}

/// From [0, 1] to [-1, 1].
fn shifted(x: Var<'_>) -> Var<'_> {
    x + x - x.like(1.0)
}

/// The number `n` steps after `first` and `second`, which are numbers 0 and 1; `step` takes k, number k and number k - 1.
fn recurrence<'b>(
    n: Var<'b>,
    first: Var<'b>,
    second: Var<'b>,
    step: impl FnOnce(Var<'b>, Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let builder = n.builder();
    let (k, last, current) = (builder.local(n.like(1.0)), builder.local(first), builder.local(second));
    builder.repeat(
        || k.get().lt(n),
        || {
            let (before, now) = (last.get(), current.get());
            let next = step(k.get(), now, before);
            last.set(now);
            current.set(next);
            k.set(k.get() + n.like(1.0));
        },
    );
    first.when(n.lt(n.like(1.0)), current.get())
}

/// As `recurrence` by the differences of successive numbers, which near the end of the interval are small; the first
/// number is 1. `step` takes k, number k and the difference before, and gives the next one.
fn by_differences<'b>(
    n: Var<'b>,
    difference: Var<'b>,
    step: impl FnOnce(Var<'b>, Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let (builder, one) = (n.builder(), difference.like(1.0));
    let (k, d, p) = (builder.local(n.like(1.0)), builder.local(difference), builder.local(one + difference));
    builder.repeat(
        || k.get().lt(n),
        || {
            let next = step(k.get(), p.get(), d.get());
            d.set(next);
            p.set(p.get() + next);
            k.set(k.get() + n.like(1.0));
        },
    );
    one.when(n.lt(n.like(1.0)), p.get())
}

/// Whether a whole number is odd.
fn is_odd(n: Var<'_>) -> Var<'_> {
    let half = n * n.like(0.5);
    half.ne(half.floor())
}

/// A polynomial that is even or odd as its order: `near` for |x| below 1/2, `far` beyond.
fn symmetric<'b>(
    n: Var<'b>,
    x: Var<'b>,
    near: impl FnOnce(Var<'b>) -> Var<'b>,
    far: impl FnOnce(Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let size = x.abs();
    let value = either(size.lt(x.like(0.5)), || near(size), || far(size), x.dtype());
    (-value).when(is_odd(n) & x.lt(x.like(0.0)), value)
}

/// A body for orders of the type of real numbers: whole ones are exact in float64.
fn with_order<'b>(
    n: Var<'b>,
    x: Var<'b>,
    whole: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
    any: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let order = n.cast(DType::F64);
    if n.dtype() == DType::I64 {
        return x.when(x.is_nan(), whole(order, x));
    }
    let wide = if x.dtype().is_complex() { DType::C128 } else { DType::F64 };
    any(order, x.cast(wide)).cast(x.dtype())
}

/// As `with_order`, of which orders of real numbers that are whole use the recurrence, too; `any` takes all others, and
/// complex arguments.
fn of_any_order<'b>(
    n: Var<'b>,
    x: Var<'b>,
    whole: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
    any: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let order = n.cast(DType::F64);
    if n.dtype() == DType::I64 {
        return whole(order, x);
    }
    if x.dtype().is_complex() {
        return any(order, x.cast(DType::C128)).cast(x.dtype());
    }
    let wide = x.cast(DType::F64);
    let is_whole = order.eq(order.floor()) & order.ge(order.like(0.0)) & order.lt(order.like(1e5));
    either(is_whole, || whole(order, wide), || any(order, wide), DType::F64).cast(x.dtype())
}

/// Of a complex number next to 0, and whole orders, the recurrence: powers of the distance from 1 lose the smaller part.
fn middle_first<'b>(
    n: Var<'b>,
    x: Var<'b>,
    second: Var<'b>,
    step: impl FnOnce(Var<'b>, Var<'b>, Var<'b>) -> Var<'b>,
    any: impl FnOnce() -> Var<'b>,
) -> Var<'b> {
    if !x.dtype().is_complex() {
        return any();
    }
    let first = n.builder().complex(n.like(1.0), n.like(0.0));
    let middle = has_few_steps(n) & x.abs().lt(n.like(0.5));
    either(middle, || recurrence(n, first, second, step), any, DType::C128)
}

/// 2F1(a, b; c; (1 - x) / 2), whose distance from 1 has all digits next to -1, too.
fn from_ends<'b>(a: Var<'b>, b: Var<'b>, c: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (one, half) = (x.like(1.0), x.like(0.5));
    let (z, y) = ((one - x) * half, (one + x) * half);
    if x.dtype().is_complex() { gauss::complex_beside(a, b, c, z, y) } else { gauss::real_beside(a, b, c, z, y) }
}

/// The angle whose cosine is a number, as quarters of a turn less a rest that has all digits next to both ends and to 0.
struct Angle<'b> {
    quarters: Var<'b>,
    rest: Var<'b>,
}

impl<'b> Angle<'b> {
    /// Of a real number in [-1, 1], `less` is half the distance of its absolute value from 1.
    fn new(x: Var<'b>, less: Var<'b>) -> Angle<'b> {
        let (zero, two) = (x.like(0.0), x.like(2.0));
        let middle = x.abs().lt(x.like(0.5));
        let arcsine = x.when(middle, less.max(zero).sqrt()).asin();
        let rest = (arcsine * two).copysign(-x);
        Angle { quarters: x.like(1.0).when(middle, zero.when(x.gt(zero), two)), rest: arcsine.when(middle, rest) }
    }

    /// The cosine of `factor` times the angle plus `shift` whole quarters.
    fn cosine(&self, factor: Var<'b>, rest: Var<'b>, shift: Var<'b>) -> Var<'b> {
        let (one, four) = (rest.like(1.0), rest.like(4.0));
        let turned = |q: Var<'b>| q - four * (q * rest.like(0.25)).floor();
        let quarters = turned(factor * self.quarters);
        let whole = quarters.rint();
        let angle = (quarters - whole) * rest.like(FRAC_PI_2) - rest;
        let number = turned(whole + shift);
        let odd = number.eq(one) | number.eq(rest.like(3.0));
        let value = angle.when(odd, angle + rest.like(FRAC_PI_2)).sin();
        (-value).when(number.eq(one) | number.eq(rest.like(2.0)), value)
    }
}

/// Half the distance from 1 of the absolute value of what a Chebyshev polynomial is of, and that number.
fn on_interval<'b>(x: Var<'b>, is_shifted: bool) -> (Var<'b>, Var<'b>) {
    let one = x.like(1.0);
    if is_shifted { (x.min(one - x), shifted(x)) } else { ((one - x.abs()) * x.like(0.5), x) }
}

/// The hyperbolic angle whose cosine is beyond 1 by twice -`less`.
fn rapidity(less: Var<'_>) -> Var<'_> {
    (-less).max(less.like(0.0)).sqrt().asinh() * less.like(2.0)
}

/// Of a complex number the rest of its angle, which are `quarters` of a turn less the rest, and whether that is precise.
fn complex_rest<'b>(x: Var<'b>, is_shifted: bool) -> (Var<'b>, Var<'b>) {
    if is_shifted {
        return (times_real(x.sqrt().asin(), x.re().like(2.0)), x.abs().lt(x.re().like(0.25)));
    }
    (x.asin(), x.abs().lt(x.re().like(0.5)))
}

/// The sine of an angle less `rest`, from the sine and the cosine of the angle.
fn sine_less<'b>(sine: Var<'b>, cosine: Var<'b>, rest: Var<'b>) -> Var<'b> {
    times_real(rest.cos(), sine) - times_real(rest.sin(), cosine)
}

/// Chebyshev polynomials of the first kind, of 2 x - 1 if `is_shifted`.
fn chebyt<'b>(n: Var<'b>, x: Var<'b>, is_shifted: bool) -> Var<'b> {
    let at = move |x: Var<'b>| if is_shifted { shifted(x) } else { x };
    let whole = |n: Var<'b>, x: Var<'b>| {
        let (n, x, two) = (n.abs(), at(x), x.like(2.0));
        let near = |x: Var<'b>| recurrence(n, x.like(1.0), x, |_, now, before| two * x * now - before);
        let far = |x: Var<'b>| {
            let less = x - x.like(1.0);
            by_differences(n, less, |_, now, d| two * less * now + d)
        };
        symmetric(n, x, near, far)
    };
    with_order(n, x, whole, |n, x| {
        if x.dtype().is_complex() {
            return complex_chebyt(n, x, is_shifted);
        }
        let (zero, one) = (x.like(0.0), x.like(1.0));
        let (less, y) = on_interval(x, is_shifted);
        let angle = Angle::new(y, less);
        let inside = angle.cosine(n, n * angle.rest, zero);
        let outside = (n * rapidity(less)).cosh();
        // Left of -1 only whole orders are real.
        let left = (-outside).when(is_odd(n), outside).when(n.eq(n.floor()), n.like(f64::NAN));
        inside.when(less.ge(zero), outside.when(y.gt(one), left))
    })
}

fn complex_chebyt<'b>(n: Var<'b>, x: Var<'b>, is_shifted: bool) -> Var<'b> {
    let (builder, zero) = (n.builder(), n.like(0.0));
    let (y, one) = (if is_shifted { shifted(x) } else { x }, builder.complex(n.like(1.0), zero));
    // At whole orders the angles lose what is left near the roots.
    let few = || recurrence(n, one, y, |_, now, before| times_real(y * now, n.like(2.0)) - before);
    let any = || {
        let (rest, precise) = complex_rest(x, is_shifted);
        let quarters = n.like(if is_shifted { 1.0 } else { 0.5 });
        // cos(a - b) is the sine of a + pi / 2 less b.
        let near = || sine_less(cos_pi(n * quarters), -sin_pi(n * quarters), times_real(rest, n));
        either(precise, near, || times_real(y.acos(), n).cos(), DType::C128)
    };
    either(has_few_steps(n), few, any, DType::C128)
}

/// Chebyshev polynomials of the second kind, of 2 x - 1 if `is_shifted`.
fn chebyu<'b>(n: Var<'b>, x: Var<'b>, is_shifted: bool) -> Var<'b> {
    let at = move |x: Var<'b>| if is_shifted { shifted(x) } else { x };
    let whole = |n: Var<'b>, x: Var<'b>| {
        let x = at(x);
        // U(-n) is -U(n - 2), and U(-1) is 0.
        let (zero, one, two) = (n.like(0.0), n.like(1.0), n.like(2.0));
        let negative = n.lt(-one);
        let order = (-n - two).when(negative, n);
        let near = |x: Var<'b>| recurrence(order, one, two * x, |_, now, before| two * x * now - before);
        let far = |x: Var<'b>| {
            let less = x - one;
            by_differences(order, two * x - one, |_, now, d| two * less * now + d)
        };
        let value = symmetric(order, x, near, far);
        zero.when(n.eq(-one), (-value).when(negative, value))
    };
    with_order(n, x, whole, |n, x| {
        if x.dtype().is_complex() {
            return complex_chebyu(n, x, is_shifted);
        }
        let (zero, one) = (x.like(0.0), x.like(1.0));
        let more = n + one;
        let (less, y) = on_interval(x, is_shifted);
        // (n + 1) times the angle is n times it, whose quarters may be small, and itself; a sine is the cosine less a
        // quarter.
        let angle = Angle::new(y, less);
        let inside = angle.cosine(n, more * angle.rest, angle.quarters - one);
        let inside = inside / (less * (one - less)).sqrt() * n.like(0.5);
        let rapidity = rapidity(less);
        let outside = (more * rapidity).sinh() / rapidity.sinh();
        let left = (-outside).when(is_odd(n), outside).when(n.eq(n.floor()), n.like(f64::NAN));
        let value = inside.when(less.gt(zero), outside.when(y.gt(one), left));
        let end = more.when(y.gt(zero), (-more).when(is_odd(n), more).when(n.eq(n.floor()), n.like(f64::NAN)));
        end.when(less.eq(zero), value)
    })
}

fn complex_chebyu<'b>(n: Var<'b>, x: Var<'b>, is_shifted: bool) -> Var<'b> {
    let (builder, zero, more) = (n.builder(), n.like(0.0), n + n.like(1.0));
    let (y, one) = (if is_shifted { shifted(x) } else { x }, builder.complex(n.like(1.0), zero));
    let few =
        || recurrence(n, one, times_real(y, n.like(2.0)), |_, now, before| times_real(y * now, n.like(2.0)) - before);
    let any = || {
        // Next to the singularity of the shifted polynomials at 0 by the square root.
        let angle = || if is_shifted { times_real(x.sqrt().acos(), n.like(2.0)) } else { y.acos() };
        let sine =
            if is_shifted { times_real(x.sqrt() * (x.like(1.0) - x).sqrt(), n.like(2.0)) } else { y.acos().sin() };
        let (rest, precise) = complex_rest(x, is_shifted);
        let rest = times_real(rest, more);
        // The sine of n + 1 times one or two quarters, from n times them.
        let near = || {
            if is_shifted {
                sine_less(-sin_pi(n), -cos_pi(n), rest)
            } else {
                sine_less(cos_pi(n * n.like(0.5)), -sin_pi(n * n.like(0.5)), rest)
            }
        };
        let value = either(precise, near, || times_real(angle(), more).sin(), DType::C128) / sine;
        builder.complex(more, zero).when(sine.abs().eq(zero), value)
    };
    either(has_few_steps(n), few, any, DType::C128)
}

fn sh_legendre<'b>(n: Var<'b>, x: Var<'b>) -> Var<'b> {
    let whole = |n: Var<'b>, x: Var<'b>| called!(whole_legendre(n, shifted(x)));
    of_any_order(n, x, whole, |n, x| {
        let one = n.like(1.0);
        called!(hyp2f1_from_one(-n, n + one, one, x))
    })
}

fn legendre<'b>(n: Var<'b>, x: Var<'b>) -> Var<'b> {
    of_any_order(n, x, whole_legendre, |n, x| {
        let one = n.like(1.0);
        let step = |k: Var<'b>, now: Var<'b>, before: Var<'b>| {
            times_real(times_real(x * now, k + k + one) - times_real(before, k), one / (k + one))
        };
        middle_first(n, x, x, step, || from_ends(-n, n + one, one, x))
    })
}

fn whole_legendre<'b>(n: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (zero, one, two) = (n.like(0.0), n.like(1.0), n.like(2.0));
    let n = (-n - one).when(n.lt(zero), n);
    let near =
        |x: Var<'b>| recurrence(n, one, x, |k, now, before| ((two * k + one) * x * now - k * before) / (k + one));
    let far = |x: Var<'b>| {
        let less = x - one;
        by_differences(n, less, |k, now, d| ((two * k + one) * less * now + k * d) / (k + one))
    };
    symmetric(n, x, near, far)
}

/// Hermite polynomials with the weight exp(-x**2 * scale / 2).
fn hermite<'b>(n: Var<'b>, x: Var<'b>, scale: f64) -> Var<'b> {
    let n = n.cast(DType::F64);
    let scale = x.like(scale);
    let value = recurrence(n, x.like(1.0), scale * x, |k, now, before| scale * (x * now - k * before));
    // What overflows in between has no value.
    x.like(f64::NAN).when(n.lt(n.like(0.0)) | x.is_nan(), value)
}

fn laguerre<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> Var<'b> {
    let one = x.like(1.0);
    let value = by_differences(n, -x / (alpha + one), |k, now, d| (k * d - x * now) / (k + alpha + one));
    x.when(x.is_nan(), x.like(0.0).when(n.lt(n.like(0.0)), value))
}

fn genlaguerre<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> Var<'b> {
    let alpha = alpha.cast(DType::F64);
    let whole = |n: Var<'b>, x: Var<'b>| {
        let value = laguerre(n, alpha, x);
        let scaled = value * called!(binom(n + alpha, n));
        let scaled = value.when(n.le(n.like(0.0)), scaled);
        x.like(f64::NAN).when(alpha.le(alpha.like(-1.0)) | alpha.is_nan() | x.is_nan(), scaled)
    };
    of_any_order(n, x, whole, |n, x| {
        let value = times_real(called!(hyp1f1(-n, alpha + n.like(1.0), x)), called!(binom(n + alpha, n)));
        x.like(f64::NAN).when(alpha.le(alpha.like(-1.0)), value)
    })
}

fn gegenbauer<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> Var<'b> {
    let alpha = alpha.cast(DType::F64);
    of_any_order(
        n,
        x,
        |n, x| whole_gegenbauer(n, alpha, x),
        |n, x| {
            let (one, twice) = (n.like(1.0), alpha + alpha);
            let step = |k: Var<'b>, now: Var<'b>, before: Var<'b>| {
                let sum = times_real(x * now, (k + alpha) * n.like(2.0)) - times_real(before, k - one + twice);
                times_real(sum, one / (k + one))
            };
            middle_first(n, x, times_real(x, twice), step, || {
                let value = from_ends(-n, n + twice, alpha + n.like(0.5), x);
                // gamma(n + 2 alpha) / (gamma(2 alpha) gamma(n + 1)).
                times_real(value, called!(poch(twice, n)) * called!(rgamma(n + one)))
            })
        },
    )
}

fn whole_gegenbauer<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (zero, one, two) = (n.like(0.0), n.like(1.0), n.like(2.0));
    let step = |x: Var<'b>| {
        move |k: Var<'b>, now: Var<'b>, before: Var<'b>| {
            (two * (k + alpha) * x * now - (k - one + two * alpha) * before) / (k + one)
        }
    };
    let near = |x: Var<'b>| recurrence(n, one, two * alpha * x, step(x));
    let far = |x: Var<'b>| {
        let less = x - one;
        let ratio = by_differences(n, less, |k, now, d| (two * (k + alpha) * less * now + k * d) / (k + two * alpha));
        // The binomial coefficient of n + 2 alpha - 1 and n, which of a small alpha is rounded: 1 / (n beta(2 alpha, n)).
        let twice = two * alpha;
        let small = || {
            let negative = alpha.lt(zero);
            let shape = (twice + one).when(negative, twice);
            let lifted = (shape / (n + twice)).when(negative, one);
            twice / n * lifted * (-called!(log_scaled_beta(shape, n.max(one)))).exp()
        };
        let factor = either(twice.lt(one), small, || called!(binom(n + twice - one, n)), DType::F64);
        one.when(n.eq(zero), ratio * factor)
    };
    // The ratio has no value where one of the numbers is 0 at the end of the interval.
    let ordinary = alpha.gt(n.like(-0.5)) & alpha.ne(zero);
    let others = || {
        // Half numbers are poles of the terms.
        let whole = (alpha + n.like(0.5)).eq((alpha + n.like(0.5)).floor());
        let precise = || {
            let (twice, size) = (two * alpha, x.abs());
            let c = Double::sum(alpha, n.like(0.5));
            let (sum, lost) = from_end_precisely(n, Double::sum(n, twice), c, rising(Double::new(twice), n), size);
            let sum = (-sum).when(is_odd(n) & x.lt(zero), sum);
            let by_recurrence = || {
                let plain = recurrence(n, one, two * alpha * x, step(x));
                let second = Double::new(two * alpha).times(Double::new(x));
                recurrence_precisely(n, plain, second, |k, now, before| {
                    let up = Double::sum(k, alpha).times(Double::new(two * x)).times(now);
                    let down = Double::sum(k - one, twice).times(before);
                    up.plus(down.negated()).over(Double::new(k + one))
                })
            };
            either(lost.le(n.like(LOST)), || sum, by_recurrence, DType::F64)
        };
        // Beside the parameters of weights the recurrence of a high degree loses few digits, and the sum of powers all.
        let mild = alpha.gt(n.like(-3.0)) & n.gt(n.like(100.0));
        let simple = whole | n.lt(two) | alpha.eq(zero) | mild;
        either(simple, || recurrence(n, one, two * alpha * x, step(x)), precise, DType::F64)
    };
    let value = either(ordinary, || symmetric(n, x, near, far), others, DType::F64);
    let value = zero.when(n.lt(zero), value);
    x.like(f64::NAN).when(alpha.is_nan() | x.is_nan(), value)
}

/// The Jacobi polynomial at 1, (alpha + 1)_n / n!.
fn value_at_end<'b>(n: Var<'b>, alpha: Var<'b>) -> Var<'b> {
    // Beside a pole of gamma the sum of both numbers does not hold the distance from it.
    let negative = alpha.lt(n.like(-0.5)) & n.lt(n.like(100.0));
    let one = n.like(1.0);
    either(
        negative,
        || called!(poch(alpha + one, n)) * called!(rgamma(n + one)),
        || called!(binom(n + alpha, n)),
        DType::F64,
    )
}

/// The shifted Jacobi polynomial of whole order by the powers of a number near 0: there a small q, which alpha and beta
/// do not hold, counts.
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

fn jacobi<'b>(n: Var<'b>, alpha: Var<'b>, beta: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (alpha, beta) = (alpha.cast(DType::F64), beta.cast(DType::F64));
    of_any_order(
        n,
        x,
        |n, x| whole_jacobi(n, alpha, beta, x),
        |n, x| {
            let value = from_ends(-n, n + alpha + beta + n.like(1.0), alpha + n.like(1.0), x);
            times_real(value, value_at_end(n, alpha))
        },
    )
}

fn whole_jacobi<'b>(n: Var<'b>, alpha: Var<'b>, beta: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (zero, one, two, half) = (n.like(0.0), n.like(1.0), n.like(2.0), n.like(0.5));
    let less = x - one;
    let invalid = n.lt(zero) | alpha.is_nan() | beta.is_nan() | x.is_nan();
    // A whole negative parameter is a zero at its end, and leaves a polynomial of lower degree: Szego (4.22.2).
    let (degree, right, left, factor) =
        (n.builder().local(n), n.builder().local(alpha), n.builder().local(beta), n.builder().local(one));
    n.builder().branch(
        alpha.le(-one) | beta.le(-one),
        || {
            let fold = |shape: LocalVar<'b>, other: LocalVar<'b>, end: Var<'b>| {
                let (order, zeros) = (degree.get(), -shape.get());
                let folds = zeros.eq(zeros.floor()) & zeros.ge(one) & zeros.le(order);
                let coefficient = called!(binom(order + other.get(), zeros)) / called!(binom(order, zeros));
                let value = end.pow(zeros) * coefficient;
                factor.set((factor.get() * value).when(folds, factor.get()));
                shape.set(zeros.when(folds, shape.get()));
                degree.set((order - zeros).when(folds, order));
            };
            fold(right, left, less * half);
            fold(left, right, (x + one) * half);
        },
        || {},
    );
    let (n, alpha, beta) = (degree.get(), right.get(), left.get());
    let first = (alpha + beta + two) * less / (two * (alpha + one));
    let ratio = by_differences(n, first, |k, now, d| {
        let t = two * k + alpha + beta;
        let product = t * (t + one) * (t + two) * less * now + two * k * (k + beta) * (t + two) * d;
        product / (two * (k + alpha + one) * (k + alpha + beta + one) * t)
    });
    let second = half * (two * (alpha + one) + (alpha + beta + two) * less);
    let beyond = alpha.le(-one) | beta.le(-one);
    let value = either(
        beyond & n.gt(one),
        || beyond_weights(n, alpha, beta, x),
        || ratio * called!(binom(n + alpha, n)),
        DType::F64,
    );
    let value = one.when(n.eq(zero), second.when(n.eq(one), value)) * factor.get();
    x.like(f64::NAN).when(invalid, value)
}

/// A recurrence with twice the digits, NaN where `plain`, the same with plain numbers, has lost so many that these may not
/// be enough. The first number is 1, `second` the next one.
fn recurrence_precisely<'b>(
    n: Var<'b>,
    plain: Var<'b>,
    second: Double<'b>,
    step: impl FnOnce(Var<'b>, Double<'b>, Double<'b>) -> Double<'b>,
) -> Var<'b> {
    let (k, one) = (n.builder().local(n.like(1.0)), n.like(1.0));
    let (last, current) = (DoubleVar::new(Double::new(one)), DoubleVar::new(second));
    n.builder().repeat(
        || k.get().lt(n),
        || {
            let (before, now) = (last.get(), current.get());
            let next = step(k.get(), now, before);
            last.set(now);
            current.set(next);
            k.set(k.get() + one);
        },
    );
    let value = current.get().high;
    value.when((plain - value).abs().le(value.abs() * n.like(MOST_APART)), n.like(f64::NAN))
}

/// The product of (start + k) / (k + 1) for the first n numbers k from 0.
fn rising<'b>(start: Double<'b>, n: Var<'b>) -> Double<'b> {
    let (builder, zero, one) = (n.builder(), n.like(0.0), n.like(1.0));
    let (k, high, low) = (builder.local(zero), builder.local(one), builder.local(zero));
    builder.repeat(
        || k.get().lt(n),
        || {
            let (before, next) = (Double { high: high.get(), low: low.get() }, k.get() + one);
            let product = before.times(start.plus(Double::new(k.get())).over(Double::new(next)));
            high.set(product.high);
            low.set(product.low);
            k.set(next);
        },
    );
    Double { high: high.get(), low: low.get() }
}

/// `first` times 2F1(-n, b; c; (1 - x) / 2) with twice the digits, and what was lost.
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
    // A pole of the terms.
    let pole = c.low.eq(n.like(0.0)) & c.high.le(n.like(0.0)) & c.high.eq(c.high.floor()) & c.high.gt(-n);
    (sum, n.like(f64::INFINITY).when(pole, lost))
}

/// Jacobi polynomials of parameters that have no weight function, where the recurrence loses digits: the powers of the
/// distance from either end (DLMF 18.5.7), and NaN where too few digits are left.
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
        // DLMF 18.9.2, multiplied by the denominator of its coefficients.
        let (two, sum) = (n.like(2.0), Double::sum(alpha, beta));
        let middle = sum.times(Double::sum(alpha, -beta));
        let first = |k: Var<'b>| sum.plus(Double::new(two * k));
        let parts = |k: Var<'b>| {
            let (t, next) = (first(k), first(k + one));
            let lead = first(k + n.like(0.5));
            let up = lead.times(t.times(next).times(Double::new(x)).plus(middle));
            let down = Double::sum(k, alpha).times(Double::sum(k, beta)).times(next).times(Double::new(two));
            (up, down, Double::new(two * (k + one)).times(sum.plus(Double::new(k + one))).times(t))
        };
        let second = first(one).times(Double::new(x)).plus(Double::sum(alpha, -beta)).times(Double::new(n.like(0.5)));
        let plain = recurrence(n, one, second.high, |k, now, before| {
            let (up, down, below) = parts(k);
            (up.high * now - down.high * before) / below.high
        });
        recurrence_precisely(n, plain, second, |k, now, before| {
            let (up, down, below) = parts(k);
            up.times(now).plus(down.times(before).negated()).over(below)
        })
    };
    either(lost.get().le(n.like(LOST)), || value.get(), by_recurrence, DType::F64)
}

fn sh_jacobi<'b>(v: &[Var<'b>]) -> Outputs<'b> {
    let (n, p, q, x) = (v[0], v[1].cast(DType::F64), v[2].cast(DType::F64), v[3]);
    let (order, one) = (n.cast(DType::F64), p.like(1.0));
    let (alpha, beta) = (p - q, q - one);
    let wide = x.cast(if x.dtype().is_complex() { DType::C128 } else { DType::F64 });
    let value = of_any_order(
        n,
        wide,
        |n, x| whole_jacobi(n, alpha, beta, shifted(x)),
        |n, x| {
            let value = called!(hyp2f1_from_one(-n, n + alpha + beta + one, alpha + one, x));
            times_real(value, value_at_end(n, alpha))
        },
    );
    let near_zero = || shifted_near_zero(order, p, q, wide);
    let close = order.eq(order.floor()) & order.ge(one) & order.le(p.like(60.0)) & (order + p).gt(p.like(0.0));
    let close = close & q.gt(p.like(0.0)) & q.lt(p.like(0.1));
    let close = close & (wide.abs() * (order + one) * ((order + p) + one)).le(p.like(0.1));
    // The binomial coefficient of 2 n + p - 1 and n, which of a large order leaves the range: (2 n + p) beta(n + 1, n + p).
    let inverse = one / called!(binom(order + order + p - one, order));
    let large = order.gt(p.like(400.0)) & (order + p).gt(p.like(1.0));
    let by_logarithm = || {
        let root = (called!(positive_betaln(order + one, order + p)) * p.like(0.5)).exp();
        // What left the range before it has no value.
        let lost = value.abs().eq(p.like(f64::INFINITY)) & wide.abs().lt(p.like(f64::INFINITY));
        let scaled = times_real(times_real(value, root), root * (order + order + p));
        let nan = p.like(f64::NAN);
        let nan = if wide.dtype().is_complex() { p.builder().complex(nan, nan) } else { nan };
        nan.when(lost, scaled)
    };
    let value = either(large, by_logarithm, || times_real(value, inverse), wide.dtype());
    smallvec::smallvec![either(close, near_zero, || value, wide.dtype()).cast(x.dtype())]
}
