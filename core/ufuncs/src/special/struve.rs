//! Struve functions of real order: DLMF 11. Power series where nothing cancels, the integral over a positive function beside
//! the Bessel function of the second kind (11.5.2), and a series of Bessel functions of positive terms (11.4.19).

use std::f64::consts::{FRAC_1_PI, FRAC_2_SQRT_PI, PI};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{cos_pi, either, in_double, sin_pi};
use super::bessel_order::{bessel, leading_power, modified};
use super::called::called;
use super::double_double::{self, Double};
use super::gamma::rgamma;
use crate::Ufunc;
use crate::table::binary;

/// Most terms of series.
const TERMS: f64 = 3000.0;
/// Nodes of the quadrature, and their distance.
const NODES: f64 = 94.0;
const STEP: f64 = 0.1;
/// The lowest order whose series needs no more digits, and what terms of others may be beside their sum.
const LOWEST: f64 = -4.0;
const LOST: f64 = 1e7;

/// The rows of this file.
pub(super) fn rows() -> Vec<Ufunc> {
    let rows = vec![
        binary("struve", super::WIDE[2], "Struve function.", |v, x| in_double(&[v, x], |a| of_both(a[0], a[1], false))),
        binary("modstruve", super::WIDE[2], "Modified Struve function.", |v, x| {
            in_double(&[v, x], |a| of_both(a[0], a[1], true))
        }),
    ];
    let source = "DLMF 11.2.1, 11.2.2 (series), 11.4.19, 11.5.2, 11.6.2; double exponential quadrature, Takahasi and Mori (1974)";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// The power series, whose terms alternate or not.
fn series<'b>(v: Var<'b>, x: Var<'b>, modified: bool) -> Var<'b> {
    let builder = v.builder();
    let (zero, one, half) = (v.like(0.0), v.like(1.0), v.like(0.5));
    let quarter = x * x * v.like(if modified { 0.25 } else { -0.25 });
    let (k, term, sum) = (builder.local(zero), builder.local(one), builder.local(one));
    let (three_halves, low) = (v.like(1.5), builder.local(zero));
    builder.repeat(
        || {
            let passing = k.get() + v.lt(three_halves).cast(DType::F64);
            let go = term.get().abs().gt(sum.get().abs() * v.like(2e-17)) | passing.lt(-v);
            go & k.get().lt(v.like(TERMS))
        },
        || {
            term.set(term.get() * (quarter / ((k.get() + three_halves) * (k.get() + v + three_halves))));
            k.set(k.get() + one);
            // The sum in two parts: orders below 0 cancel.
            let next = sum.get() + term.get();
            let moved = next - sum.get();
            low.set(low.get() + ((sum.get() - (next - moved)) + (term.get() - moved)));
            sum.set(next);
        },
    );
    called!(leading_power(v + half, x)) * root_of_half(x) * v.like(FRAC_2_SQRT_PI) * (sum.get() + low.get())
}

/// The root of x / 2, where that is rounded, too.
fn root_of_half(x: Var<'_>) -> Var<'_> {
    (x + x).min(x.like(f64::MAX)).sqrt() * x.like(0.5)
}

/// 2 (x / 2)**v / (sqrt(pi) gamma(v + 1 / 2)) times the integral of exp(-x t) (1 + t**2)**(v - 1 / 2).
fn difference<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    let builder = v.builder();
    let (zero, one, half) = (v.like(0.0), v.like(1.0), v.like(0.5));
    let (k, sum) = (builder.local(zero), builder.local(zero));
    builder.repeat(
        || k.get().lt(v.like(NODES)),
        || {
            let u = k.get() * v.like(STEP) - v.like(4.0);
            let inner = (-u).exp();
            let s = (u - inner).exp();
            let t = s / x;
            let value = ((v - half) * (t * t).log1p() - s).exp() * s * (one + inner);
            sum.set(sum.get() + value);
            k.set(k.get() + one);
        },
    );
    leading(v, x) * sum.get() * v.like(STEP / PI.sqrt())
}

/// (x / 2)**(v - 1) / gamma(v + 1 / 2).
fn leading<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (half, root) = (v.like(0.5), x * v.like(0.5));
    let many = || called!(leading_power(v - half, x)) / root.sqrt();
    let few = || called!(rgamma(v + half)) * root.pow(v - v.like(1.0));
    either(v.gt(v.like(3.5)), many, few, DType::F64)
}

/// H from J of order v + 1 / 2, for orders that are not below x.
fn by_bessel<'b>(v: Var<'b>, x: Var<'b>, j: Var<'b>) -> Var<'b> {
    let builder = v.builder();
    let (zero, one, half) = (v.like(0.0), v.like(1.0), v.like(0.5));
    let (order, root) = (v + half, x * half);
    // Terms grow up to about x**2 / (4 v), of which there are as many.
    let size = x * x / (v * v.like(4.0));
    let most = (size + v.like(12.0) * size.sqrt() + v.like(30.0)).min(v.like(20_000.0)).ceil();
    let (k, ratio, sum) = (builder.local(most), builder.local(zero), builder.local(zero));
    builder.repeat(
        || k.get().gt(-half),
        || {
            // The ratio of J at order + k + 1 to that at order + k.
            let next = one / ((order + k.get() + one) * v.like(2.0) / x - ratio.get());
            sum.set(one / (k.get() + half) + next * (root / (k.get() + one)) * sum.get());
            ratio.set(next);
            k.set(k.get() - one);
        },
    );
    (x * v.like(0.5 * FRAC_1_PI)).sqrt() * j * sum.get()
}

/// H of a positive x.
fn struve<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (zero, half) = (v.like(0.0), v.like(0.5));
    let small = x.le(v.like(3.0)) | (x * x).le((v + v.like(1.5)) * v.like(12.0));
    let wide = v.ge(x);
    let halves = is_half(v);
    let turned = -v - half;
    let order = (v + half).when(wide, v.abs());
    let with_bessel = || {
        let (j, y) = called!(bessel(order, x));
        let by_series = || by_bessel(v, x, j);
        let by_integral = || {
            let a = v.abs();
            let reflected = cos_pi(a) * y + sin_pi(a) * j;
            let second = reflected.when(v.lt(zero), y);
            second + difference(v, x)
        };
        let other = either(wide, by_series, by_integral, DType::F64);
        // Of orders -n - 1 / 2 it is a Bessel function.
        (j * parity(turned)).when(halves, other)
    };
    either(small & !halves, || series(v, x, false), with_bessel, DType::F64)
}

fn is_half(v: Var<'_>) -> Var<'_> {
    let turned = -v - v.like(0.5);
    turned.ge(v.like(0.0)) & turned.eq(turned.floor())
}

fn parity(n: Var<'_>) -> Var<'_> {
    let half = n * n.like(0.5);
    n.like(1.0).when(half.eq(half.floor()), n.like(-1.0))
}

/// L of a positive x.
fn modified_struve<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    let builder = v.builder();
    let (zero, half) = (v.like(0.0), v.like(0.5));
    let (one, halves) = (v.like(1.0), is_half(v));
    let small = x.le(v.like(40.0)) | v.gt(x * half);
    let exact = builder.local(builder.boolean(false));
    let large = || {
        // I of order -v, without the other solution, which is nothing here.
        let (first, _) = called!(modified(v.abs(), x));
        let root = x * half;
        let square = root * root;
        let start = leading(v, x) * v.like(1.0 / PI.sqrt());
        let (k, term, sum) = (builder.local(zero), builder.local(start), builder.local(zero));
        let smallest = builder.local(v.like(f64::INFINITY));
        builder.repeat(
            || {
                let size = term.get().abs();
                k.get().lt(v.like(60.0)) & size.le(smallest.get()) & size.gt(zero)
            },
            || {
                smallest.set(term.get().abs());
                sum.set(sum.get() - term.get());
                term.set(-(term.get() * (k.get() + half) * (v - half - k.get()) / square));
                k.set(k.get() + one);
            },
        );
        let value = first + sum.get().when(!halves, zero);
        // Of large negative orders the expansion ends before its terms are small.
        exact.set(halves | smallest.get().le(value.abs() * v.like(1e-14)));
        value
    };
    let value = builder.local(zero);
    builder.branch(small & !halves, || {}, || value.set(large()));
    either(exact.get(), || value.get(), || by_series(v, x), DType::F64)
}

/// L by its series, of orders below [`LOWEST`] with twice the digits: its terms change their signs up to the size of the order.
fn by_series<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (half, three_halves) = (v.like(0.5), v.like(1.5));
    let precise = || {
        let root = x * half;
        let square = Double::new(root).times(Double::new(root));
        let (sum, lost) = double_double::series(Double::new(v.like(1.0)), square, -v, |k| {
            (Double::new(v.like(1.0)), Double::new(k + three_halves).times(Double::sum(v, k + three_halves)))
        });
        let value = called!(leading_power(v + half, x)) * root_of_half(x) * v.like(FRAC_2_SQRT_PI) * sum;
        value.when(lost.le(v.like(LOST)), v.like(f64::NAN))
    };
    either(v.lt(v.like(LOWEST)), precise, || series(v, x, true), DType::F64)
}

fn of_both<'b>(v: Var<'b>, x: Var<'b>, is_modified: bool) -> Var<'b> {
    let (zero, one, nan, infinity) = (v.like(0.0), v.like(1.0), v.like(f64::NAN), v.like(f64::INFINITY));
    let proper = v.abs().lt(infinity) & x.abs().lt(infinity) & x.ne(zero);
    let (order, size) = (v.when(proper, one), x.abs().when(proper, one));
    let value = if is_modified { modified_struve(order, size) } else { struve(order, size) };
    let whole = v.eq(v.floor());
    let value = (-(value * parity(v))).when(x.lt(zero), value);
    let value = nan.when(x.lt(zero) & !whole, value);
    // At 0: of order -1 2 / pi, of smaller ones infinite with the sign of 1 / gamma(v + 3 / 2).
    let sign = called!(rgamma(v + v.like(1.5)));
    let at_zero = v.like(2.0 * FRAC_1_PI).when(v.eq(-one), infinity.copysign(sign).when(v.lt(-one), zero));
    let at_zero = zero.when(is_half(v), at_zero);
    let beyond = if is_modified { infinity } else { nan };
    let beyond = (-(beyond * parity(v))).when(x.lt(zero), beyond);
    let beyond = nan.when(v.abs().eq(infinity) | (x.lt(zero) & !whole) | x.is_nan(), beyond);
    let edge = nan.when(v.is_nan(), at_zero.when(x.eq(zero), beyond));
    value.when(proper, edge)
}
