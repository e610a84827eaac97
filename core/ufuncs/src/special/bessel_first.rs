//! Bessel functions of the first and second kind of orders 0 and 1: DLMF 10.8 near 0, from their zeros, and 10.17 far away.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{Table, either, in_double};
use super::tables::bessel_first::*;
use super::{WIDE, real};
use crate::Ufunc;
use crate::table::unary;

/// A number as the nearest one of float64 and the rest.
type Exact = [f64; 2];

/// Zeros of Y.
const Y0_ZEROS: [Exact; 3] = [
    [0.8935769662791675, 2.6596231539720385e-17],
    [3.957678419314858, -1.0764340697562706e-16],
    [7.086051060301773, -8.835285723085408e-17],
];
const Y1_ZEROS: [Exact; 2] = [[2.197141326031017, -4.8259835876454966e-17], [5.429681040794135, 4.162514026670377e-16]];
/// The squares of zeros.
const J0_SQUARES: [Exact; 2] =
    [[5.783185962946784, 4.123247343506204e-16], [30.471262343662087, -2.366534485750659e-16]];
const J1_SQUARES: [Exact; 2] =
    [[14.681970642123893, -9.858177825793294e-17], [49.2184563216946, 5.086354069436341e-16]];
const Y0_SQUARES: [Exact; 3] = [
    [0.7984797946646804, 4.7669625702155175e-17],
    [15.663218470710552, -1.2449460534307681e-17],
    [50.212119629203876, 1.0289315832123128e-15],
];
const Y1_SQUARES: [Exact; 2] =
    [[4.827430006553336, -3.103816863372602e-16], [29.481436204759284, -1.1778563350856906e-15]];
/// Divided differences of the polynomial that is log(r) at the squares of these zeros.
const Y0_SLOPES: [f64; 3] = [0.12650527074884205, 0.1014601379062284, 0.04324977592555177];
const Y0_BEND: f64 = -0.0016848686941919276;

/// From where on the expansions for large numbers hold.
const FAR: f64 = 8.0;
/// Below this the leading terms are all, and 2**600, which makes smaller numbers normal ones.
const TINY: f64 = 1e-300;
const LIFT: f64 = 4.149_515_568_880_993e180;

/// The rows of this file.
pub(super) fn rows() -> Vec<Ufunc> {
    let rows = vec![
        real("j0", "Bessel function of the first kind, order 0.", j0),
        real("j1", "Bessel function of the first kind, order 1.", j1),
        unary("y0", WIDE[1], "Bessel function of the second kind, order 0.", y0),
        unary("y1", WIDE[1], "Bessel function of the second kind, order 1.", y1),
    ];
    let source = "DLMF 10.8 and 10.17: tables of ci/special/bessel_first.py";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// x**2 less the square of a zero, with all digits.
fn squares_less(x: Var<'_>, square: Exact) -> Var<'_> {
    x.builder().fma(x, x, x.like(-square[0])) - x.like(square[1])
}

/// What is left from x**2 to the square of [`FAR`].
fn to_far(x: Var<'_>) -> Var<'_> {
    x.builder().fma(-x, x, x.like(FAR * FAR))
}

/// The function of the first kind over x**order, x up to [`FAR`].
fn first_near<'b>(x: Var<'b>, squares: &[Exact; 2], table: &Table) -> Var<'b> {
    squares_less(x, squares[0]) * squares_less(x, squares[1]) * table.at(to_far(x))
}

/// The number for the region of `x`: the first, or from each bound on the next one.
fn by_region<'b, const N: usize>(x: Var<'b>, bounds: [f64; N], values: impl Fn(usize) -> Var<'b>) -> Var<'b> {
    bounds.iter().enumerate().fold(values(0), |value, (k, &bound)| value.when(x.le(x.like(bound)), values(k + 1)))
}

/// log(x / r) for the zero r of the region of `x`, with all digits there: of the rounded quotient, and what that leaves.
fn log_of_quotient<'b, const N: usize>(x: Var<'b>, bounds: [f64; N], zeros: &[Exact]) -> Var<'b> {
    let constant = |of: &dyn Fn(Exact) -> f64| by_region(x, bounds, |k| x.like(of(zeros[k])));
    let (zero, rest, inverse) = (constant(&|zero| zero[0]), constant(&|zero| zero[1]), constant(&|zero| 1.0 / zero[0]));
    let quotient = x * inverse;
    let left = x.builder().fma(-quotient, zero, x) - quotient * rest;
    quotient.log() + left * inverse
}

/// Y0 up to [`FAR`]. With L(x) = log(x) - p(x**2), whose polynomial p makes it 0 at three zeros of Y0, it is 2 / pi L J0 and
/// a product over these zeros.
fn y0_near(x: Var<'_>) -> Var<'_> {
    let bounds = [3.0, 5.5];
    let factors = Y0_SQUARES.map(|square| squares_less(x, square));
    // p less its value at the zero of the region.
    let slope = by_region(x, bounds, |k| x.like(Y0_SLOPES[k]));
    let change = by_region(x, bounds, |k| factors[k]) * x.builder().fma(x * x, x.like(Y0_BEND), slope);
    // Quotients of subnormal numbers have few digits.
    let tiny = x.lt(x.like(TINY));
    let lifted = (x * x.like(LIFT)).when(tiny, x);
    let log = log_of_quotient(lifted, bounds, &Y0_ZEROS) - change;
    let log = log - x.like(LIFT.ln()).when(tiny, x.like(0.0));
    let first = first_near(x, &J0_SQUARES, &J0_NEAR);
    x.like(FRAC_2_PI) * log * first + factors[0] * factors[1] * factors[2] * Y0_NEAR.at(to_far(x))
}

/// Y1 up to [`FAR`]: 2 / pi log(x / r) J1 and what is 0 at the zero r, one for each of two regions.
fn y1_near(x: Var<'_>) -> Var<'_> {
    let (bounds, square, tables) = ([4.0], x * x, [&Y1_FIRST, &Y1_SECOND]);
    let first = x * first_near(x, &J1_SQUARES, &J1_NEAR);
    let smooth = by_region(x, bounds, |k| squares_less(x, Y1_SQUARES[k]) * tables[k].at(square));
    x.like(FRAC_2_PI) * log_of_quotient(x, bounds, &Y1_ZEROS) * first + smooth / x
}

/// The function for x from [`FAR`] on, of order 0 or 1: the first kind, or the second one.
fn far<'b>(x: Var<'b>, cosine: &Table, sine: &Table, order: u8, second: bool) -> Var<'b> {
    let inverse = x.like(1.0) / x;
    let square = inverse * inverse;
    let (p, q) = (cosine.at(square), inverse * sine.at(square));
    let (s, c) = (x.sin(), x.cos());
    // sin and cos of x - pi / 4, or of x - 3 pi / 4, times sqrt(2): of x itself, whose reduction is exact.
    let (sum, difference) = (s + c, s - c);
    let (cosine, sine) = if order == 0 { (sum, difference) } else { (difference, -sum) };
    let value = if second { sine * p + cosine * q } else { cosine * p - sine * q };
    value * x.like(FRAC_1_SQRT_2 * FRAC_2_PI.sqrt()) / x.sqrt()
}

/// `value` where x is a finite number, else NaN.
fn where_finite<'b>(x: Var<'b>, value: Var<'b>) -> Var<'b> {
    let finite = x.abs().lt(x.like(f64::INFINITY));
    value.when(finite, x.like(f64::NAN))
}

/// J0(x).
pub(super) fn j0(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0].abs();
        let near = || first_near(x, &J0_SQUARES, &J0_NEAR);
        let value = either(x.le(x.like(FAR)), near, || far(x, &P0_FAR, &Q0_FAR, 0, false), DType::F64);
        where_finite(x, value)
    })
}

/// J1(x).
pub(super) fn j1(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let (sign, x) = (inputs[0], inputs[0].abs());
        let near = || x * first_near(x, &J1_SQUARES, &J1_NEAR);
        let value = either(x.le(x.like(FAR)), near, || far(x, &P1_FAR, &Q1_FAR, 1, false), DType::F64);
        let zero = x.like(0.0);
        where_finite(x, (-value).when(sign.lt(zero), sign.when(sign.eq(zero), value)))
    })
}

/// A function of the second kind: its value where x is positive and finite, minus infinity at 0, else NaN.
fn second<'b>(x: Var<'b>, near: impl FnOnce() -> Var<'b>, beyond: impl FnOnce() -> Var<'b>) -> Var<'b> {
    let value = either(x.le(x.like(FAR)), near, beyond, DType::F64);
    let value = x.like(f64::NAN).when(x.lt(x.like(0.0)), where_finite(x, value));
    x.like(f64::NEG_INFINITY).when(x.eq(x.like(0.0)), value)
}

/// Y0(x).
pub(super) fn y0(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        second(x, || y0_near(x), || far(x, &P0_FAR, &Q0_FAR, 0, true))
    })
}

/// Y1(x).
pub(super) fn y1(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        // The quotient by the zero has no digits where it is no normal number.
        let pole = x.like(-FRAC_2_PI) / x;
        second(x, || pole.when(x.lt(x.like(TINY)), y1_near(x)), || far(x, &P1_FAR, &Q1_FAR, 1, true))
    })
}
