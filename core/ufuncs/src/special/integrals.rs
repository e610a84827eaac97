//! Exponential, trigonometric, hyperbolic and Fresnel integrals, and the dilogarithm: DLMF 6, 7 and 25.12.

use std::f64::consts::{FRAC_PI_2, PI};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use super::approximation::{either, in_double, square};
use super::integrals_complex;
use super::tables::integrals::*;
use crate::table::{binary, general, unary};
use crate::{Outputs, Ufunc};

/// Euler's constant.
pub(super) const EULER: f64 = 0.577_215_664_901_532_9;
/// The root of expi as two numbers.
const ROOT_OF_EI: [f64; 2] = [0.3725074107813666, 1.3140183414386028e-17];
/// pi**2 / 6.
pub(super) const ZETA_2: f64 = 1.644_934_066_848_226_4;
/// Most terms of series.
const TERMS: f64 = 300.0;

const UNARY: &str = "f->f, d->d, F->F, D->D";
const PAIR: &str = "f->ff, d->dd, F->FF, D->DD";

pub(super) fn rows() -> Vec<Ufunc> {
    vec![
        analytic!("exp1", UNARY, "Exponential integral E1.", exp1, integrals_complex::exp1),
        analytic!("expi", UNARY, "Exponential integral Ei.", expi, integrals_complex::expi),
        binary("expn", "ld->d, ff->f, dd->d", "Generalized exponential integral En.", expn),
        general("sici", (1, 2), PAIR, "Sine and cosine integrals.", |x| {
            if x[0].dtype().is_complex() { integrals_complex::sici(x[0]) } else { two(x[0], sici) }
        }),
        general("shichi", (1, 2), PAIR, "Hyperbolic sine and cosine integrals.", |x| {
            if x[0].dtype().is_complex() { integrals_complex::shichi(x[0]) } else { two(x[0], shichi) }
        }),
        general("fresnel", (1, 2), "d->dd, f->ff, D->DD, F->FF", "Fresnel integrals S and C.", |x| {
            if x[0].dtype().is_complex() { super::faddeeva::fresnel(x[0]) } else { two(x[0], fresnel) }
        }),
        analytic!("spence", UNARY, "Spence's function: the dilogarithm of 1 - z.", spence, integrals_complex::spence),
    ]
}

/// A body of two results in float64.
fn two<'b>(x: Var<'b>, body: fn(Var<'b>) -> (Var<'b>, Var<'b>)) -> Outputs<'b> {
    let (first, second) = body(x.cast(DType::F64));
    smallvec![first.cast(x.dtype()), second.cast(x.dtype())]
}

/// The pair of one of two regions; only that is computed.
fn either_pair<'b>(
    condition: Var<'b>,
    yes: impl FnOnce() -> (Var<'b>, Var<'b>),
    no: impl FnOnce() -> (Var<'b>, Var<'b>),
) -> (Var<'b>, Var<'b>) {
    let builder = condition.builder();
    let (first, second) = (builder.local(builder.real(DType::F64, 0.0)), builder.local(builder.real(DType::F64, 0.0)));
    let set = |(a, b)| {
        first.set(a);
        second.set(b);
    };
    builder.branch(condition, || set(yes()), || set(no()));
    (first.get(), second.get())
}

/// E1(x) for x > 0.
fn exp1_positive(x: Var<'_>) -> Var<'_> {
    let one = x.like(1.0);
    let near = || x * EIN.at(x) - (x.log() + x.like(EULER));
    let far = || {
        let (three, bounded) = (x.like(3.0), x.min(x.like(1e18)));
        (-x).exp() / x * E1_LARGE.at((bounded - three) / (bounded + three))
    };
    either(x.le(one), near, far, DType::F64)
}

/// E1(x).
fn exp1(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        exp1_positive(x).when(x.ge(x.like(0.0)), x.like(f64::NAN))
    })
}

/// `factor` Ei(x) for x >= 1: no factor overflows before the product does.
fn expi_large<'b>(x: Var<'b>, factor: f64) -> Var<'b> {
    let root = (x * x.like(0.5)).exp();
    let upper = || {
        let inverse = x.like(1.0) / x;
        either(x.lt(x.like(24.0)), || EI_8.at(x), || EI_LARGE.at(inverse), DType::F64)
    };
    let lower = || either(x.lt(x.like(3.0)), || EI_1.at(x), || EI_3.at(x), DType::F64);
    let scaled = either(x.lt(x.like(8.0)), lower, upper, DType::F64);
    x.when(x.eq(x.like(f64::INFINITY)), root / x * scaled * (root * x.like(factor)))
}

/// Ei(x).
pub(super) fn expi(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        let (zero, one) = (x.like(0.0), x.like(1.0));
        let small = || x.like(EULER) + x.log() + x * EIN.at(-x);
        let center = || ((x - x.like(ROOT_OF_EI[0])) - x.like(ROOT_OF_EI[1])) * EI_ROOT.at(x);
        let near = || either(x.lt(x.like(0.25)), small, center, DType::F64);
        let right = || either(x.lt(one), near, || expi_large(x, 1.0), DType::F64);
        either(x.lt(zero), || -exp1_positive(-x), right, DType::F64)
    })
}

/// En(x): the power series where x is small and n is, else a continued fraction (DLMF 8.19.8, 8.19.17).
fn expn<'b>(n: Var<'b>, x: Var<'b>) -> Var<'b> {
    let dtype = x.dtype();
    let (n, x) = (n.cast(DType::F64).trunc(), x.cast(DType::F64));
    let builder = x.builder();
    let (zero, one, two) = (x.like(0.0), x.like(1.0), x.like(2.0));
    let small = builder.real(DType::F64, 1e-17);
    let series = || {
        let (sum, power, harmonic, m) =
            (builder.local(zero), builder.local(one), builder.local(zero), builder.local(zero));
        let logarithm = -x.log() - x.like(EULER);
        builder.repeat(
            || (m.get().le(n) | power.get().abs().gt(small * sum.get().abs())) & m.get().lt(x.like(TERMS)),
            || {
                let rest = m.get() - (n - one);
                let ordinary = -power.get() / one.when(rest.eq(zero), rest);
                let term = (power.get() * (logarithm + harmonic.get())).when(rest.eq(zero), ordinary);
                sum.set(sum.get() + term);
                m.set(m.get() + one);
                power.set(power.get() * -x / m.get());
                harmonic.set(harmonic.get() + one / m.get());
            },
        );
        sum.get()
    };
    let fraction = || {
        // exp(-x) / (x + n - 1 n / (x + n + 2 - 2 (n + 1) / (x + n + 4 - ...))), from its far end: errors do not add up.
        let k = builder.local((x.like(20.0) + x.like(90.0) / x).min(x.like(100.0)).trunc());
        let value = builder.local(x + n + two * k.get());
        builder.repeat(
            || k.get().gt(zero),
            || {
                let a = -k.get() * (n - one + k.get());
                k.set(k.get() - one);
                value.set(x + n + two * k.get() + a / value.get());
            },
        );
        (-x).exp() / value.get()
    };
    let general = || either(x.gt(one) | n.ge(x.like(20.0)), fraction, series, DType::F64);
    let ordinary = || either(n.eq(zero), || (-x).exp() / x, general, DType::F64);
    let at_zero = x.like(f64::INFINITY).when(n.lt(two), one / (n - one));
    let at_edge = at_zero.when(x.eq(zero), zero.when(x.eq(x.like(f64::INFINITY)), x.like(f64::NAN)));
    let inside = x.gt(zero) & x.lt(x.like(f64::INFINITY)) & n.ge(zero);
    let value = either(inside, ordinary, || at_edge, DType::F64);
    value.when(n.ge(zero), x.like(f64::NAN)).cast(dtype)
}

/// Si(x) and Ci(|x|).
pub(super) fn sici<'b>(x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (a, square, infinity) = (x.abs(), x * x, x.like(f64::INFINITY));
    let near = || (x * SI_SMALL.at(square), x.like(EULER) + a.log() - square * CIN_SMALL.at(square));
    let far = || {
        let inverse = x.like(1.0) / square;
        let (f, g) = either_pair(
            a.lt(x.like(12.0)),
            || (SICI_F_4.at(inverse), SICI_G_4.at(inverse)),
            || (SICI_F.at(inverse), SICI_G.at(inverse)),
        );
        let (f, g) = (f / a, g * inverse);
        let (sine, cosine) = (a.sin(), a.cos());
        let limit = x.like(FRAC_PI_2);
        let si = limit.when(a.eq(infinity), limit - f * cosine - g * sine).copysign(x);
        let ci = x.like(0.0).when(x.eq(infinity), f * sine - g * cosine);
        (si, ci)
    };
    let (si, ci) = either_pair(a.le(x.like(4.0)), near, far);
    (x.when(x.is_nan(), si), ci)
}

/// Shi(x) and Chi(|x|).
fn shichi<'b>(x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (a, square) = (x.abs(), x * x);
    let near = || (x * SHI_SMALL.at(square), x.like(EULER) + a.log() + square * CHIN_SMALL.at(square));
    let far = || {
        let (growing, falling) = (expi_large(a, 0.5), x.like(0.5) * exp1_positive(a));
        ((growing + falling).copysign(x), growing - falling)
    };
    either_pair(a.lt(x.like(1.0)), near, far)
}

/// The dilogarithm of 1 - x: its table after inversion or reflection (DLMF 25.12.4, 25.12.6).
fn spence(x: Var<'_>) -> Var<'_> {
    in_double(&[x], |inputs| {
        let x = inputs[0];
        let (zero, one, half) = (x.like(0.0), x.like(1.0), x.like(0.5));
        let center = || {
            let y = one - x;
            y * SPENCE.at(y)
        };
        let high = || {
            let (inverse, logarithm) = (one / (one - x), (x - one).log());
            -x.like(ZETA_2) - half * logarithm * logarithm - inverse * SPENCE.at(inverse)
        };
        let low = || {
            let product = x.log() * (-x).log1p();
            x.like(ZETA_2) - zero.when(x.eq(zero), product) - x * SPENCE.at(x)
        };
        let outside = || either(x.gt(one), high, low, DType::F64);
        let value = either(x.ge(half) & x.le(x.like(2.0)), center, outside, DType::F64);
        value.when(x.ge(zero) & x.lt(x.like(f64::INFINITY)), x.like(f64::NAN))
    })
}

/// sin(pi x x / 2) and cos of the same; the square is exact until its whole turns are gone.
fn of_quarter_turns<'b>(x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (high, low) = square(x);
    let turns = |value: Var<'b>| value - x.like(4.0) * (value * x.like(0.25)).rint();
    let (high, low) = (turns(high), turns(low));
    let quadrant = (high + low).rint();
    let angle = ((high - quadrant) + low) * x.like(FRAC_PI_2);
    let (sine, cosine) = (angle.sin(), angle.cos());
    // The quadrant runs from -4 to 4.
    let quadrant = quadrant - x.like(4.0) * (quadrant * x.like(0.25)).floor();
    let is = |value: f64| quadrant.eq(x.like(value));
    let odd = is(1.0) | is(3.0);
    let (first, second) = (cosine.when(odd, sine), sine.when(odd, cosine));
    ((-first).when(is(2.0) | is(3.0), first), (-second).when(is(1.0) | is(2.0), second))
}

/// The Fresnel integrals S and C.
fn fresnel<'b>(x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (a, half) = (x.abs(), x.like(0.5));
    let square = x * x;
    let near = || {
        let fourth = square * square;
        (x * square * FRESNEL_S.at(fourth), x * FRESNEL_C.at(fourth))
    };
    let far = || {
        // Beyond the bound both are 1 / 2 to the last bit.
        let bounded = a.min(x.like(1e17));
        let inverse = x.like(1.0) / (bounded * bounded);
        let fourth = inverse * inverse;
        let (f, g) = either_pair(
            fourth.gt(x.like(1.0 / 50.0)),
            || (FRESNEL_F_1.at(fourth), FRESNEL_G_1.at(fourth)),
            || (FRESNEL_F.at(fourth), FRESNEL_G.at(fourth)),
        );
        let (f, g) = (f / (x.like(PI) * bounded), g * inverse / (x.like(PI * PI) * bounded));
        let (sine, cosine) = of_quarter_turns(bounded);
        ((half - f * cosine - g * sine).copysign(x), (half + f * sine - g * cosine).copysign(x))
    };
    let (s, c) = either_pair(a.lt(x.like(1.6)), near, far);
    (x.when(x.is_nan(), s), x.when(x.is_nan(), c))
}
