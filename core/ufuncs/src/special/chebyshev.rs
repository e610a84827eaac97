//! Chebyshev polynomials: by recurrence, of any order by their angles (DLMF 18.5).

use std::f64::consts::FRAC_PI_2;

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{cos_pi, either, sin_pi};
use super::continuation::times_real;
use super::recurrences::{by_differences, has_few_steps, is_odd, recurrence, shifted, symmetric, with_order};

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
        // Whole turns go after the difference, which is exact.
        let quarters = factor * self.quarters;
        let whole = quarters.rint();
        let angle = (quarters - whole) * rest.like(FRAC_PI_2) - rest;
        let number = turned(whole + shift);
        let odd = number.eq(one) | number.eq(rest.like(3.0));
        let value = angle.when(odd, angle + rest.like(FRAC_PI_2)).sin();
        (-value).when(number.eq(one) | number.eq(rest.like(2.0)), value)
    }
}

/// A factor of the angle of `x` less whole quarters of a turn, where the angle is a third of a half turn or two, and how many
/// these are, with the sign of `x`: roots are then exact.
fn less_quarters<'b>(factor: Var<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let quarters = (factor * x.like(2.0 / 3.0)).rint().when(x.abs().eq(x.like(0.5)), x.like(0.0));
    (factor - x.like(1.5) * quarters, quarters * x.like(1.0).copysign(x))
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
pub(super) fn chebyt<'b>(n: Var<'b>, x: Var<'b>, is_shifted: bool) -> Var<'b> {
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
    let known = |n: Var<'b>, x: Var<'b>| x.when(x.is_nan(), whole(n, x));
    with_order(n, x, known, |n, x| {
        if x.dtype().is_complex() {
            return complex_chebyt(n, x, is_shifted);
        }
        let (zero, one) = (x.like(0.0), x.like(1.0));
        let (less, y) = on_interval(x, is_shifted);
        let angle = Angle::new(y, less);
        let (left, quarters) = less_quarters(n, y);
        let inside = angle.cosine(n, left * angle.rest, quarters);
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
pub(super) fn chebyu<'b>(n: Var<'b>, x: Var<'b>, is_shifted: bool) -> Var<'b> {
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
    let known = |n: Var<'b>, x: Var<'b>| x.when(x.is_nan(), whole(n, x));
    with_order(n, x, known, |n, x| {
        if x.dtype().is_complex() {
            return complex_chebyu(n, x, is_shifted);
        }
        let (zero, one) = (x.like(0.0), x.like(1.0));
        let more = n + one;
        let (less, y) = on_interval(x, is_shifted);
        // (n + 1) times the angle is n times it, whose quarters may be small, and itself; a sine is the cosine less a
        // quarter.
        let angle = Angle::new(y, less);
        let (left, quarters) = less_quarters(more, y);
        let inside = angle.cosine(n, left * angle.rest, angle.quarters - one + quarters);
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
