//! Exponential, trigonometric and hyperbolic integrals and the dilogarithm of complex numbers: DLMF 6 and 25.12.
//!
//! All but the dilogarithm come from E1 in the upper half plane. With p = |z| + Re z its power series loses exp(p), and its
//! continued fraction needs some 170 / p steps: a parabola around the negative axis parts their regions. Far out the
//! asymptotic series has all digits.

use std::f64::consts::{FRAC_PI_2, PI};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use super::approximation::{either, fused_product};
use super::bessel_complex::{number, polynomial, scale, size, times_exp};
use super::called::called;
use super::gamma_complex::bernoulli_quotient;
use super::integrals::{self, EULER, ZETA_2};
use crate::Outputs;

/// The parabola: p below it belongs to the power series.
const PARABOLA: f64 = 1.5;
/// From here on the smallest term of the asymptotic series counts nothing.
const FAR: f64 = 43.0;
/// Bounds of the loops.
const TERMS: f64 = 200.0;
/// What a sum may still change by.
const EPSILON: f64 = 1e-17;
/// Up to this size the hyperbolic integrals are power series, with so many terms.
const NEAR: f64 = 4.0;
const NEAR_TERMS: i32 = 20;
/// Up to this relative distance from the real axis Si and Ci come from their first terms in it.
const BESIDE_AXIS: f64 = 1e-8;

/// `weight` times a function that is E1(z), or -Ei(-z) beside the negative axis, where that has no branch cut.
struct Upper<'b> {
    value: Var<'b>,
    /// Where the logarithm of z, for E1, or of -z is still to be subtracted.
    is_series: Var<'b>,
    /// Where it is -Ei(-z).
    is_left: Var<'b>,
}

/// Ein(z) less Euler's constant: DLMF 6.6.2.
fn series(z: Var<'_>) -> Var<'_> {
    let (builder, zero, one) = (z.builder(), z.re().like(0.0), z.re().like(1.0));
    let (sum, power, last, k) = (builder.local(z), builder.local(z), builder.local(z), builder.local(one));
    builder.repeat(
        || size(last.get()).gt(size(sum.get()) * zero.like(EPSILON)) & k.get().lt(zero.like(TERMS)),
        || {
            k.set(k.get() + one);
            let inverse = one / k.get();
            power.set(scale(power.get() * z, -inverse));
            last.set(scale(power.get(), inverse));
            sum.set(sum.get() + last.get());
        },
    );
    sum.get() - number(zero.like(EULER))
}

/// exp(z) E1(z): DLMF 6.9.1, whose denominators are Laguerre polynomials of -z; they and the numerators grow by their
/// differences.
fn fraction<'b>(z: Var<'b>, p: Var<'b>) -> Var<'b> {
    let (builder, one) = (z.builder(), p.like(1.0));
    let unit = number(one);
    let steps = p.like(175.0) / p + p.like(6.0);
    let (a, a_step) = (builder.local(unit), builder.local(unit));
    let (b, b_step, k) = (builder.local(z + unit), builder.local(z), builder.local(one));
    builder.repeat(
        || k.get().lt(steps),
        || {
            let before = k.get();
            let next = before + one;
            let inverse = one / next;
            a_step.set(scale(scale(a_step.get(), before) + z * a.get(), inverse));
            b_step.set(scale(scale(b_step.get(), before) + z * b.get(), inverse));
            a.set(a.get() + a_step.get());
            b.set(b.get() + b_step.get());
            k.set(next);
        },
    );
    a.get() / b.get()
}

/// exp(z) E1(z) for large z: DLMF 6.12.1.
fn asymptotic(z: Var<'_>) -> Var<'_> {
    let (builder, one) = (z.builder(), z.re().like(1.0));
    let inverse = number(one) / z;
    let (sum, term, k) = (builder.local(number(one)), builder.local(number(one)), builder.local(one));
    builder.repeat(
        || size(term.get()).gt(one.like(EPSILON)) & k.get().le(one.like(FAR)),
        || {
            term.set(scale(term.get() * inverse, -k.get()));
            sum.set(sum.get() + term.get());
            k.set(k.get() + one);
        },
    );
    sum.get() * inverse
}

/// The function for y >= 0; z is finite and not 0.
fn upper(z: Var<'_>, weight: f64) -> Upper<'_> {
    let distance = z.abs();
    let p = distance + z.re();
    let (near, left) = (distance.lt(p.like(FAR)), p.lt(p.like(PARABOLA)));
    let is_series = near & left;
    let with_power = || {
        let bounded = either(near, || fraction(z, p), || asymptotic(z), DType::C128);
        // Whatever a power that large is divided by, it is infinite.
        let factor = distance.min(p.like(1e308)).when(z.re().lt(p.like(-1e4)), p.like(weight));
        times_exp(scale(bounded, factor), -z)
    };
    let value = either(is_series, || scale(series(z), p.like(weight)), with_power, DType::C128);
    Upper { value, is_series, is_left: left & !near }
}

/// What is left of a logarithm where it does not count.
fn where_series<'b>(upper: &Upper<'b>, z: Var<'b>) -> Var<'b> {
    z.when(upper.is_series, number(z.re().like(1.0))).log()
}

/// The parts of a number, whether it is finite, whether 0, and itself or 1 in the upper half plane.
struct Argument<'b> {
    x: Var<'b>,
    y: Var<'b>,
    finite: Var<'b>,
    is_zero: Var<'b>,
    above: Var<'b>,
}

fn argument(input: Var<'_>) -> Argument<'_> {
    let wide = input.cast(DType::C128);
    let (x, y) = (wide.re(), wide.im());
    let (zero, infinity) = (x.like(0.0), x.like(f64::INFINITY));
    let finite = x.abs().lt(infinity) & y.abs().lt(infinity);
    let is_zero = x.eq(zero) & y.eq(zero);
    let above = x.builder().complex(x, y.abs()).when(finite & !is_zero, number(x.like(1.0)));
    Argument { x, y, finite, is_zero, above }
}

fn nan(x: Var<'_>) -> Var<'_> {
    x.builder().complex(x.like(f64::NAN), x.like(f64::NAN))
}

/// E1(z).
pub(super) fn exp1(input: Var<'_>) -> Var<'_> {
    let Argument { x, y, finite, is_zero, above } = argument(input);
    let (builder, zero, infinity, pi) = (x.builder(), x.like(0.0), x.like(f64::INFINITY), x.like(PI));
    let found = upper(above, 1.0);
    let value = found.value - where_series(&found, above);
    let on_cut = finite & y.eq(zero) & x.lt(zero);
    let re = either(on_cut, || -called!(integrals::expi(-x)), || value.re(), DType::F64);
    let value = builder.complex(re, value.im() - pi.when(found.is_left, zero));
    // The sign of zero says which side of the negative axis is meant.
    let value = value.conj().when(x.like(1.0).copysign(y).lt(zero), value);
    let vanishes = x.gt(-infinity) & !y.is_nan();
    let grows = x.eq(-infinity) & y.eq(zero);
    let edge = number(zero).when(vanishes, builder.complex(-infinity, (-pi).copysign(-y)).when(grows, nan(x)));
    number(infinity).when(is_zero, value.when(finite, edge)).cast(input.dtype())
}

/// Ei(z), real on the negative axis.
pub(super) fn expi(input: Var<'_>) -> Var<'_> {
    let Argument { x, y, finite, is_zero, above } = argument(input);
    let (builder, zero, infinity, pi) = (x.builder(), x.like(0.0), x.like(f64::INFINITY), x.like(PI));
    let found = upper(builder.complex(-above.re(), above.im()), 1.0);
    let value = where_series(&found, above) - found.value.conj();
    let angle = value.im() + zero.when(found.is_series | found.is_left, pi);
    let on_axis = y.eq(zero);
    let value = builder.complex(value.re(), y.when(on_axis, (-angle).when(y.lt(zero), angle)));
    let vanishes = x.lt(infinity) & !y.is_nan();
    let limit = builder.complex(zero, zero.when(on_axis, pi.copysign(y)));
    let edge = limit.when(vanishes, number(infinity).when(x.eq(infinity) & on_axis, nan(x)));
    number(-infinity).when(is_zero, value.when(finite, edge)).cast(input.dtype())
}

/// The coefficients 1 / (n n!) of every second n.
fn coefficients(first: i32) -> Vec<f64> {
    let mut factorial = 1.0;
    let all = (1..=2 * NEAR_TERMS).map(|n| {
        factorial *= f64::from(n);
        1.0 / (f64::from(n) * factorial)
    });
    all.skip(usize::try_from(first - 1).expect("n is positive")).step_by(2).collect()
}

/// Shi(z) and Chi(z) - `turn` i, with a `turn` of pi / 2 away from the real axis, in the first quadrant: DLMF 6.5, 6.6.
fn hyperbolic(z: Var<'_>) -> (Var<'_>, Var<'_>, Var<'_>) {
    let (builder, zero, one) = (z.builder(), z.re().like(0.0), z.re().like(1.0));
    let [shi, chi] = [(); 2].map(|()| builder.local(number(zero)));
    let turn = builder.local(zero);
    let near = || {
        let square = z * z;
        shi.set(z * polynomial(square, &coefficients(1)));
        chi.set(z.log() + number(zero.like(EULER)) + square * polynomial(square, &coefficients(2)));
    };
    let far = || {
        // E1(z) / 2, and that of the mirror image, of which Ei(z) is made.
        let (point, first, second) = (builder.local(z), builder.local(number(zero)), builder.local(number(zero)));
        let (count, half) = (builder.local(zero), zero.like(0.5));
        builder.repeat(
            || count.get().lt(one.like(2.0)),
            || {
                let found = upper(point.get(), 0.5);
                first.set(second.get());
                second.set(scale(where_series(&found, z), half) - found.value.conj());
                turn.set(zero.when(found.is_series | found.is_left, zero.like(FRAC_PI_2)));
                point.set(builder.complex(-z.re(), z.im()));
                count.set(count.get() + one);
            },
        );
        let (ei, e1) = (second.get(), -first.get().conj());
        let sum = ei + e1;
        shi.set(builder.complex(sum.re(), sum.im() + turn.get()));
        chi.set(ei - e1);
    };
    builder.branch(z.abs().lt(one.like(NEAR)), near, far);
    (shi.get(), chi.get(), turn.get())
}

/// The two values, of numbers in all quadrants: the first is odd and real on the real axis, the second one even but for pi i;
/// both are conjugate for conjugate numbers.
fn unfold<'b>(
    input: Var<'b>,
    argument: &Argument<'b>,
    (odd, even): (Var<'b>, Var<'b>),
    (odd_limit, even_limit): (Var<'b>, Var<'b>),
) -> Outputs<'b> {
    let &Argument { x, y, finite, is_zero, .. } = argument;
    let (builder, zero, infinity) = (x.builder(), x.like(0.0), x.like(f64::INFINITY));
    let (left, below) = (x.lt(zero), y.lt(zero));
    let real_infinity = x.abs().eq(infinity) & y.eq(zero);
    let odd_edge = number(odd_limit.copysign(x)).when(real_infinity, nan(x));
    let even_edge = even_limit.when(real_infinity, nan(x));
    let odd = builder.complex((-odd.re()).when(left, odd.re()), (-odd.im()).when(below, odd.im()));
    let angle = (x.like(PI) - even.im()).when(left, even.im());
    let even = builder.complex(even.re(), (-angle).when(below, angle));
    let at_zero = builder.complex(-infinity, x.like(f64::NAN));
    smallvec![
        builder.complex(x, y).when(is_zero, odd.when(finite, odd_edge)).cast(input.dtype()),
        at_zero.when(is_zero, even.when(finite, even_edge)).cast(input.dtype()),
    ]
}

/// Shi(z) and Chi(z).
pub(super) fn shichi(input: Var<'_>) -> Outputs<'_> {
    let argument = argument(input);
    let (x, builder) = (argument.x, input.builder());
    let infinity = x.like(f64::INFINITY);
    let (shi, chi, turn) = hyperbolic(builder.complex(argument.above.re().abs(), argument.above.im()));
    let chi = builder.complex(chi.re(), chi.im() + turn);
    unfold(input, &argument, (shi, chi), (infinity, number(infinity)))
}

/// Si(z) = -i Shi(i z) and Ci(z) = Chi(i z) - pi i / 2, by the conjugate numbers, which lie in the first quadrant, too.
pub(super) fn sici<'b>(input: Var<'b>) -> Outputs<'b> {
    let argument = argument(input);
    let (x, builder) = (argument.x, input.builder());
    let (zero, quarter) = (x.like(0.0), x.like(FRAC_PI_2));
    let [si, ci] = [(); 2].map(|()| builder.local(number(zero)));
    let (size, height) = (argument.above.re().abs(), argument.above.im());
    // Next to the axis both real functions and their first terms in the distance: Ci has roots there.
    let beside_axis = || {
        let (real_si, real_ci) = called!(integrals::sici(size));
        let (sine, cosine, slope) = (size.sin(), size.cos(), height / size);
        let bend = slope * x.like(0.5) * (height * sine + slope * cosine);
        let off_axis = |part: Var<'b>| zero.when(height.eq(zero), slope * part);
        si.set(builder.complex(real_si, off_axis(sine)));
        ci.set(builder.complex(real_ci + bend, off_axis(cosine)));
    };
    let apart = || {
        let (shi, chi, turn) = hyperbolic(builder.complex(height, size));
        si.set(builder.complex(shi.im(), shi.re()));
        ci.set(builder.complex(chi.re(), (quarter - turn) - chi.im()));
    };
    builder.branch(height.le(size.min(x.like(1.0)) * x.like(BESIDE_AXIS)), beside_axis, apart);
    let (si, ci) = (si.get(), ci.get());
    let limit = builder.complex(zero, x.like(PI).when(x.lt(zero), zero));
    unfold(input, &argument, (si, ci), (quarter, limit))
}

/// Terms of the series of the dilogarithm after the first two.
const DILOGARITHM_TERMS: i32 = 11;

/// The dilogarithm of 1 - z, by the series in log(z) after inversion or reflection: DLMF 25.12.4, 25.12.6.
pub(super) fn spence(input: Var<'_>) -> Var<'_> {
    let z = input.cast(DType::C128);
    let (builder, x, y) = (z.builder(), z.re(), z.im());
    let (zero, one, infinity) = (x.like(0.0), x.like(1.0), x.like(f64::INFINITY));
    let unit = number(one);
    let less = z - unit;
    let inside = x.le(x.like(0.5)) & (x * x + y * y).le(one);
    let direct = !inside & (less.re() * less.re() + y * y).le(one);
    let first = z.when(inside, unit.when(direct, less)).log();
    let second = (-z).when(inside, less.when(direct, -(unit / z))).log1p();
    let u = (-second).when(inside | direct, second);
    // B(2 n) / (2 n + 1)!.
    let bernoulli: Vec<f64> = (1..=DILOGARITHM_TERMS).map(|n| bernoulli_quotient(n) / f64::from(2 * n + 1)).collect();
    let square = u * u;
    let series = u - scale(square, x.like(0.25)) + u * (square * polynomial(square, &bernoulli));
    let product = fused_product(first, second.when(inside, scale(first, x.like(0.5))));
    let is_zero = x.eq(zero) & y.eq(zero);
    let product = number(zero).when(is_zero, product);
    let constant = number(x.like(ZETA_2).when(inside, x.like(-ZETA_2)));
    let value = series.when(direct, (constant - series) - product);
    let finite = x.abs().lt(infinity) & y.abs().lt(infinity);
    let nan = builder.complex(x.like(f64::NAN), x.like(f64::NAN));
    value.when(finite, nan).cast(input.dtype())
}
