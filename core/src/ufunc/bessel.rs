//! The modified Bessel function of the first kind and order 0, which the Kaiser window needs.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

/// I0 of a real number as NumPy has it: infinite where exp(x) is.
pub(super) fn i0(a: Var<'_>) -> Var<'_> {
    let x = a.abs();
    x.exp() * scaled(x)
}

/// I0 of a real number.
pub(super) fn i0_to_the_end(a: Var<'_>) -> Var<'_> {
    let x = a.abs();
    let half = (x * a.like(0.5)).exp();
    half * scaled(x) * half
}

/// exp(-x) I0(x) of x from 0: a Chebyshev series up to 8, and another one in 1 / x beyond.
fn scaled(x: Var<'_>) -> Var<'_> {
    let (one, eight) = (x.like(1.0), x.like(8.0));
    let near = series(&NEAR, x / x.like(4.0) - one);
    let far = series(&FAR, x.like(16.0) / x.max(eight) - one) / x.sqrt();
    near.when(x.le(eight), far)
}

/// Sum of a Chebyshev series at `t` by Clenshaw's recurrence, without terms that the type cannot notice.
fn series<'b>(coefficients: &[f64], t: Var<'b>) -> Var<'b> {
    let smallest = if t.dtype() == DType::F64 { 0.0 } else { 1e-10 };
    let (mut last, mut before) = (t.like(0.0), t.like(0.0));
    let double = t + t;
    for &coefficient in coefficients[1..].iter().rev().filter(|coefficient| coefficient.abs() > smallest) {
        (last, before) = (double * last - before + t.like(coefficient), last);
    }
    t * last - before + t.like(coefficients[0])
}

/// Chebyshev coefficients of exp(-x) I0(x) over x / 4 - 1, for x up to 8.
const NEAR: [f64; 30] = [
    0.33839763720473803,
    -0.3046826723431984,
    0.17162090152220877,
    -0.09490109704804764,
    0.04930528423967071,
    -0.02373741480589947,
    0.010546460394594998,
    -0.004324309995050576,
    0.0016394756169413357,
    -0.0005763755745385824,
    0.00018850288509584165,
    -5.754195010082104e-05,
    1.6448448070728896e-05,
    -4.4167383584587505e-06,
    1.1173875391201037e-06,
    -2.670793853940612e-07,
    6.046995022541919e-08,
    -1.300025009986248e-08,
    2.6598237246823866e-09,
    -5.189795601635263e-10,
    9.675809035373237e-11,
    -1.726826291441556e-11,
    2.95505266312964e-12,
    -4.856446783111929e-13,
    7.676185498604936e-14,
    -1.1685332877993451e-14,
    1.715391285555133e-15,
    -2.431279846547955e-16,
    3.3307945188222384e-17,
    -4.4153416464793395e-18,
];

/// Chebyshev coefficients of sqrt(x) exp(-x) I0(x) over 16 / x - 1, for x from 8.
const FAR: [f64; 25] = [
    0.4022452055070544,
    0.0033691164782556943,
    6.889758346916825e-05,
    2.8913705208347567e-06,
    2.0489185894690638e-07,
    2.266668990498178e-08,
    3.3962320257083865e-09,
    4.94060238822497e-10,
    1.1889147107846439e-11,
    -3.1499165279632416e-11,
    -1.3215811840447713e-11,
    -1.7941785315068062e-12,
    7.180124451383666e-13,
    3.8527783827421426e-13,
    1.54008621752141e-14,
    -4.150569347287222e-14,
    -9.554846698828307e-15,
    3.8116806693526224e-15,
    1.7725601330565263e-15,
    -3.425485619677219e-16,
    -2.8276239805165836e-16,
    3.461222867697461e-17,
    4.46562142029676e-17,
    -4.830504485944182e-18,
    -7.233180487874754e-18,
];
