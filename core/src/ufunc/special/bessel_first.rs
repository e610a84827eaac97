//! Bessel functions of the first and second kind of orders 0 and 1: DLMF 10.8 near 0, from their zeros, and 10.17 far away.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{Table, either, in_double};
use super::tables::bessel_first::*;
use super::{WIDE, real};
use crate::ufunc::Ufunc;
use crate::ufunc::table::unary;

/// A zero as the nearest number and the rest.
type Zero = [f64; 2];

const J0_ZEROS: [Zero; 2] = [[2.404825557695773, -1.176691651530894e-16], [5.520078110286311, 8.088597146146722e-17]];
const J1_ZEROS: [Zero; 2] =
    [[3.8317059702075125, -1.5269184090088067e-16], [7.015586669815619, -9.414165653410389e-17]];
const Y0_ZEROS: [Zero; 3] = [
    [0.8935769662791675, 2.6596231539720385e-17],
    [3.957678419314858, -1.0764340697562706e-16],
    [7.086051060301773, -8.835285723085408e-17],
];
const Y1_ZEROS: [Zero; 2] = [[2.197141326031017, -4.8259835876454966e-17], [5.429681040794135, 4.162514026670377e-16]];

/// From where on the expansions for large numbers hold.
const FAR: f64 = 8.0;

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

/// The distance of `x` from a zero.
fn from_zero(x: Var<'_>, zero: Zero) -> Var<'_> {
    (x - x.like(zero[0])) - x.like(zero[1])
}

/// x**2 less the square of a zero.
fn squares_less(x: Var<'_>, zero: Zero) -> Var<'_> {
    from_zero(x, zero) * (x + x.like(zero[0]))
}

/// The function of the first kind over x**order, x up to [`FAR`].
fn first_near<'b>(x: Var<'b>, zeros: &[Zero; 2], table: &Table) -> Var<'b> {
    squares_less(x, zeros[0]) * squares_less(x, zeros[1]) * table.at(x * x)
}

/// The number for the region of `x`: the first, or from each bound on the next one.
fn by_region<'b, const N: usize>(x: Var<'b>, bounds: [f64; N], values: impl Fn(usize) -> Var<'b>) -> Var<'b> {
    bounds.iter().enumerate().fold(values(0), |value, (k, &bound)| value.when(x.le(x.like(bound)), values(k + 1)))
}

/// The function of the second kind up to [`FAR`], of `first`, that of the first kind: the regions between the bounds have
/// a zero and a table each. `scale` is what the table's values are multiplied by.
fn second_near<'b, const N: usize>(
    x: Var<'b>,
    first: Var<'b>,
    bounds: [f64; N],
    zeros: &[Zero],
    tables: &[&Table],
    scale: Option<Var<'b>>,
) -> Var<'b> {
    let part = |part: usize| by_region(x, bounds, |k| x.like(zeros[k][part]));
    let (zero, rest) = (part(0), part(1));
    let distance = (x - zero) - rest;
    let near = distance / zero;
    // 2 / pi log(x / r), with all digits at the zero r.
    let log = near.log1p().when(near.abs().lt(x.like(0.5)), (x / zero).log());
    let square = x * x;
    let smooth = distance * (x + zero) * by_region(x, bounds, |k| tables[k].at(square));
    let smooth = scale.map_or(smooth, |scale| smooth * scale);
    x.like(FRAC_2_PI) * log * first + smooth
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
        let near = || first_near(x, &J0_ZEROS, &J0_NEAR);
        let value = either(x.le(x.like(FAR)), near, || far(x, &P0_FAR, &Q0_FAR, 0, false), DType::F64);
        where_finite(x, value)
    })
}

/// J1(x).
pub(super) fn j1(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let (sign, x) = (inputs[0], inputs[0].abs());
        let near = || x * first_near(x, &J1_ZEROS, &J1_NEAR);
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
        let near = || {
            let first = first_near(x, &J0_ZEROS, &J0_NEAR);
            second_near(x, first, [3.0, 5.5], &Y0_ZEROS, &[&Y0_FIRST, &Y0_SECOND, &Y0_THIRD], None)
        };
        second(x, near, || far(x, &P0_FAR, &Q0_FAR, 0, true))
    })
}

/// Y1(x).
pub(super) fn y1(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        let near = || {
            let first = x * first_near(x, &J1_ZEROS, &J1_NEAR);
            second_near(x, first, [4.0], &Y1_ZEROS, &[&Y1_FIRST, &Y1_SECOND], Some(x.like(1.0) / x))
        };
        second(x, near, || far(x, &P1_FAR, &Q1_FAR, 1, true))
    })
}
