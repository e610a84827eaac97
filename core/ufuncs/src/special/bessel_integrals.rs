//! Integrals of Bessel, Airy and Struve functions of order 0, and modified Fresnel integrals: DLMF 7.2, 9.10, 10.22, 10.43, 11.7.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, PI};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use super::approximation::{either, square};
use super::faddeeva::w;
use super::tables::bessel_integrals::*;
use crate::table::{general, unary};
use crate::{Outputs, Ufunc};

const EULER: f64 = 0.577_215_664_901_532_9;
/// From where on expansions for large numbers hold, and for those of K.
const FAR: f64 = 8.0;
const FAR_K: f64 = 2.0;

const TWO: &str = "f->ff, d->dd";
const ONE: &str = "f->f, d->d";

/// The rows of this file.
pub(super) fn rows() -> Vec<Ufunc> {
    let complex = "f->FF, d->DD";
    let rows = vec![
        general("itj0y0", (1, 2), TWO, "Integrals of J0 and Y0 from 0.", |x| several(x[0], itj0y0)),
        general("it2j0y0", (1, 2), TWO, "Integrals of (1 - J0) / t from 0 and of Y0 / t to infinity.", |x| {
            several(x[0], it2j0y0)
        }),
        general("iti0k0", (1, 2), TWO, "Integrals of I0 and K0 from 0.", |x| several(x[0], iti0k0)),
        general("it2i0k0", (1, 2), TWO, "Integrals of (I0 - 1) / t from 0 and of K0 / t to infinity.", |x| {
            several(x[0], it2i0k0)
        }),
        general("itairy", (1, 4), "f->ffff, d->dddd", "Integrals of the Airy functions from 0, on both sides.", |x| {
            several(x[0], itairy)
        }),
        unary("itstruve0", ONE, "Integral of the Struve function of order 0 from 0.", |x| several(x, itstruve0)[0]),
        unary("it2struve0", ONE, "Integral of the Struve function of order 0 over t to infinity.", |x| {
            several(x, it2struve0)[0]
        }),
        unary("itmodstruve0", ONE, "Integral of the modified Struve function of order 0 from 0.", |x| {
            several(x, itmodstruve0)[0]
        }),
        general("modfresnelp", (1, 2), complex, "Modified Fresnel integrals of positive sign.", |x| {
            modfresnel(x[0], 1.0)
        }),
        general("modfresnelm", (1, 2), complex, "Modified Fresnel integrals of negative sign.", |x| {
            modfresnel(x[0], -1.0)
        }),
    ];
    let source = "DLMF 10.22, 10.43, 11.7, 9.10(v), 7.5: tables of ci/special/bessel_integrals.py";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// A body in float64.
fn several<'b>(x: Var<'b>, body: impl FnOnce(Var<'b>) -> Outputs<'b>) -> Outputs<'b> {
    body(x.cast(DType::F64)).into_iter().map(|value| value.cast(x.dtype())).collect()
}

/// log(x / 2) and Euler's constant.
fn log_part(x: Var<'_>) -> Var<'_> {
    (x * x.like(0.5)).log() + x.like(EULER)
}

fn choose<'b>(condition: Var<'b>, yes: impl FnOnce() -> Var<'b>, no: impl FnOnce() -> Var<'b>) -> Var<'b> {
    either(condition, yes, no, DType::F64)
}

/// sqrt(2 / (pi x)) exp(i (x + pi / 4)) times a tail.
fn tail<'b>(x: Var<'b>, re: Var<'b>, im: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (s, c) = (x.sin(), x.cos());
    // sqrt(2) times the sine and cosine.
    let (sine, cosine) = (s + c, c - s);
    let scale = x.like(1.0 / PI.sqrt()) / x.sqrt();
    ((cosine * re - sine * im) * scale, (sine * re + cosine * im) * scale)
}

/// The integrals of J0 and Y0 from x to infinity, x large.
fn tails<'b>(x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let inverse = x.like(1.0) / x;
    let u = inverse * inverse;
    tail(x, INT_H_RE.at(u), INT_H_IM.at(u) * inverse)
}

/// The integrals of J0 / t and Y0 / t from x to infinity, x large.
fn quotient_tails<'b>(x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let inverse = x.like(1.0) / x;
    let u = inverse * inverse;
    let (first, second) = tail(x, QUO_H_RE.at(u), QUO_H_IM.at(u) * inverse);
    (first * inverse, second * inverse)
}

/// Signs, NaN and infinities of functions of positive numbers: the function for 0 < x < infinity, at 0 and at infinity, and
/// the factor of the value at negative numbers.
struct Edges {
    zero: f64,
    infinity: f64,
    negative: f64,
}

fn with_edges<'b>(x: Var<'b>, value: Var<'b>, edges: &Edges) -> Var<'b> {
    let value = (value * x.like(edges.negative)).when(x.lt(x.like(0.0)), value);
    let value = x.like(edges.zero).when(x.eq(x.like(0.0)), value);
    let limit = x.like(edges.infinity);
    let limit = (limit * x.like(edges.negative)).when(x.lt(x.like(0.0)), limit);
    let value = limit.when(x.abs().eq(x.like(f64::INFINITY)), value);
    x.like(f64::NAN).when(x.is_nan(), value)
}

/// The size of x, or 1 in place of what is no positive finite number.
fn proper_size(x: Var<'_>) -> Var<'_> {
    let a = x.abs();
    a.when(a.gt(x.like(0.0)) & a.lt(x.like(f64::INFINITY)), x.like(1.0))
}

const ODD: Edges = Edges { zero: 0.0, infinity: 1.0, negative: -1.0 };
const POSITIVE: Edges = Edges { zero: 0.0, infinity: 0.0, negative: f64::NAN };

fn itj0y0(x: Var<'_>) -> Outputs<'_> {
    let a = proper_size(x);
    let near = a.le(x.like(FAR));
    let u = a * a;
    let close = a * INT_J.at(u);
    let first = choose(near, || close, || x.like(1.0) - tails(a).0);
    let second = choose(near, || x.like(FRAC_2_PI) * log_part(a) * close + a * INT_Y.at(u), || -tails(a).1);
    smallvec![with_edges(x, first, &ODD), with_edges(x, second, &POSITIVE)]
}

fn it2j0y0(x: Var<'_>) -> Outputs<'_> {
    let a = proper_size(x);
    let near = a.le(x.like(FAR));
    let u = a * a;
    let (close, log) = (u * QUO_J.at(u), log_part(a));
    let first = choose(near, || close, || log + quotient_tails(a).0);
    let regular =
        || x.like(PI / 6.0) - log * log * x.like(1.0 / PI) + x.like(FRAC_2_PI) * log * close + u * QUO_Y.at(u);
    let second = choose(near, regular, || quotient_tails(a).1);
    let even = Edges { zero: 0.0, infinity: f64::INFINITY, negative: 1.0 };
    let pole = Edges { zero: f64::NEG_INFINITY, infinity: 0.0, negative: f64::NAN };
    smallvec![with_edges(x, first, &even), with_edges(x, second, &pole)]
}

/// A number times exp(x), of which only the product need be finite.
fn grown<'b>(value: Var<'b>, x: Var<'b>) -> Var<'b> {
    let half = (x.min(x.like(1500.0)) * x.like(0.5)).exp();
    value * half * half
}

fn iti0k0(x: Var<'_>) -> Outputs<'_> {
    let a = proper_size(x);
    let u = a * a;
    let inverse = x.like(1.0) / a;
    let small = a.le(x.like(FAR_K));
    let close = a * INT_I_SMALL.at(u.min(x.like(FAR_K * FAR_K))).when(small, INT_I.at(u.min(x.like(FAR * FAR))));
    let first = choose(a.le(x.like(FAR)), || close, || grown(INT_I_FAR.at(inverse) / a.sqrt(), a));
    let near = || a * INT_K.at(u) - log_part(a) * close;
    let far = || {
        let rest = (-a).exp() * x.like(FRAC_PI_2.sqrt()) / a.sqrt() * INT_K_FAR.at(inverse);
        x.like(FRAC_PI_2) - rest
    };
    let second = choose(small, near, far);
    let odd = Edges { zero: 0.0, infinity: f64::INFINITY, negative: -1.0 };
    let positive = Edges { zero: 0.0, infinity: FRAC_PI_2, negative: f64::NAN };
    smallvec![with_edges(x, first, &odd), with_edges(x, second, &positive)]
}

fn it2i0k0(x: Var<'_>) -> Outputs<'_> {
    let a = proper_size(x);
    let u = a * a;
    let (inverse, log) = (x.like(1.0) / a, log_part(a));
    let close = u * QUO_I.at(u.min(x.like(FAR * FAR)));
    let far = || grown(QUO_I_FAR.at(inverse) * inverse / a.sqrt(), a) - log;
    let first = choose(a.le(x.like(FAR)), || close, far);
    let near = || x.like(0.5) * log * log + x.like(PI * PI / 24.0) + log * close + u * QUO_K.at(u);
    let beyond = || (-a).exp() * x.like(FRAC_PI_2.sqrt()) * inverse / a.sqrt() * QUO_K_FAR.at(inverse);
    let second = choose(a.le(x.like(FAR_K)), near, beyond);
    let even = Edges { zero: 0.0, infinity: f64::INFINITY, negative: 1.0 };
    let pole = Edges { zero: f64::INFINITY, infinity: 0.0, negative: f64::NAN };
    smallvec![with_edges(x, first, &even), with_edges(x, second, &pole)]
}

/// The integrals of Ai and Bi from 0 to x, any finite x.
fn airy_integrals<'b>(x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = x.builder();
    let (first, second) = (builder.local(x.like(0.0)), builder.local(x.like(0.0)));
    let set = |a: Var<'b>, b: Var<'b>| {
        first.set(a);
        second.set(b);
    };
    let a = x.abs().max(x.like(1.0));
    let root = a.sqrt();
    let zeta = a * root * x.like(2.0 / 3.0);
    let inverse = x.like(1.0) / zeta;
    let power = x.like(1.0) / (root * root.sqrt());
    let right = || {
        let shrunk = (-zeta).exp() * power * INT_AI_FAR.at(inverse);
        let middle = || INT_BI_BEYOND.at(x);
        let scaled = choose(x.le(x.like(8.0)), middle, || INT_BI_FAR.at(inverse));
        set(x.like(1.0 / 3.0) - shrunk, grown(scaled * power, zeta));
    };
    let left = || {
        let square = inverse * inverse;
        let (re, im) = (INT_AIRY_RE.at(square), INT_AIRY_IM.at(square) * inverse);
        let (s, c) = (zeta.sin(), zeta.cos());
        // i exp(i (zeta - pi / 4)) is exp(i (zeta + pi / 4)).
        let scale = power * x.like(1.0 / (2.0 * PI).sqrt());
        let (cosine, sine) = ((c - s) * scale, (s + c) * scale);
        let (tail_re, tail_im) = (cosine * re - sine * im, sine * re + cosine * im);
        set(tail_re - x.like(2.0 / 3.0), -tail_im);
    };
    let close = x.abs().le(x.like(2.5));
    builder.branch(
        close,
        || set(x * INT_AI.at(x), x * INT_BI.at(x)),
        || {
            builder.branch(x.gt(x.like(0.0)), right, || {
                builder.branch(x.ge(x.like(-6.0)), || set(INT_AI_LEFT.at(x), INT_BI_LEFT.at(x)), left);
            });
        },
    );
    (first.get(), second.get())
}

fn itairy(x: Var<'_>) -> Outputs<'_> {
    let builder = x.builder();
    let (zero, infinity) = (x.like(0.0), x.like(f64::INFINITY));
    let finite = x.when(x.abs().lt(x.like(1e150)), x.like(1e150).copysign(x));
    let finite = x.like(1.0).when(x.is_nan(), finite);
    // Both sides by one body.
    let (count, at) = (builder.local(zero), builder.local(finite));
    let [a, b, c, d] = [(); 4].map(|()| builder.local(zero));
    builder.repeat(
        || count.get().lt(x.like(2.0)),
        || {
            let (first, second) = airy_integrals(at.get());
            a.set(c.get());
            b.set(d.get());
            c.set(first);
            d.set(second);
            at.set(-finite);
            count.set(count.get() + x.like(1.0));
        },
    );
    let nan = x.like(f64::NAN);
    let values = [a.get(), b.get(), -c.get(), -d.get()];
    let growing = [false, true, false, true];
    let mut outputs: Outputs<'_> = smallvec![];
    for (k, (value, grows)) in values.into_iter().zip(growing).enumerate() {
        let positive = if k < 2 { x.eq(infinity) } else { x.eq(-infinity) };
        let value = if grows { infinity.copysign(x).when(positive, value) } else { value };
        outputs.push(nan.when(x.is_nan(), value));
    }
    outputs
}

fn itstruve0(x: Var<'_>) -> Outputs<'_> {
    let a = proper_size(x);
    let u = a * a;
    let inverse = x.like(1.0) / u;
    let far = || {
        let log = a.log() + x.like(LN_2 + EULER);
        x.like(FRAC_2_PI) * log - tails(a).1 + inverse * INT_STRUVE_FAR.at(inverse)
    };
    let value = choose(a.le(x.like(FAR)), || u * INT_STRUVE.at(u), far);
    smallvec![with_edges(x, value, &Edges { zero: 0.0, infinity: f64::INFINITY, negative: 1.0 })]
}

fn it2struve0(x: Var<'_>) -> Outputs<'_> {
    let a = proper_size(x);
    let u = a * a;
    let inverse = x.like(1.0) / a;
    let far = || quotient_tails(a).1 + inverse * QUO_STRUVE_FAR.at(inverse * inverse);
    let value = choose(a.le(x.like(FAR)), || x.like(FRAC_PI_2) - a * QUO_STRUVE.at(u), far);
    let value = (x.like(PI) - value).when(x.lt(x.like(0.0)), value);
    let limit = x.like(PI).when(x.lt(x.like(0.0)), x.like(0.0));
    let value = limit.when(x.abs().eq(x.like(f64::INFINITY)), value);
    let value = x.like(FRAC_PI_2).when(x.eq(x.like(0.0)), value);
    smallvec![x.like(f64::NAN).when(x.is_nan(), value)]
}

fn itmodstruve0(x: Var<'_>) -> Outputs<'_> {
    let a = proper_size(x);
    let u = a * a;
    let far = || grown(INT_MOD_STRUVE_FAR.at(x.like(1.0) / a) / a.sqrt(), a);
    let value = choose(a.le(x.like(FAR)), || u * INT_MOD_STRUVE.at(u), far);
    smallvec![with_edges(x, value, &Edges { zero: 0.0, infinity: f64::INFINITY, negative: 1.0 })]
}

/// The integral of exp(i s t**2) from x on, and that times exp(-i s (x**2 + pi / 4)) / sqrt(pi): half of erfcx.
fn modfresnel(input: Var<'_>, sign: f64) -> Outputs<'_> {
    let x = input.cast(DType::F64);
    let builder = x.builder();
    let dtype = if input.dtype() == DType::F32 { DType::C64 } else { DType::C128 };
    let root = x.like(std::f64::consts::FRAC_1_SQRT_2);
    let negative = x.lt(x.like(0.0));
    let part = x.abs() * root;
    // erfcx(z) is w(i z), here with z = exp(-i pi / 4) |x|.
    let value = w((part, part));
    let half = x.like(0.5);
    let k = builder.complex(value.0 * half, value.1 * half);
    let (high, low) = square(x);
    let (s, c) = (high.sin(), high.cos());
    let (s, c) = (builder.fma(c, low, s), builder.fma(-s, low, c));
    let direction = builder.complex((c - s) * root, (s + c) * root);
    let scaled = k * direction;
    let factor = x.like(PI.sqrt());
    let f = builder.complex(scaled.re() * factor, scaled.im() * factor);
    let infinite = x.abs().eq(x.like(f64::INFINITY));
    let (zero, whole) = (x.like(0.0), x.like(FRAC_PI_2.sqrt()));
    // Both sides of 0 add up to the whole integral; the square has twice the digits here.
    let f = builder.complex(whole - f.re(), whole - f.im()).when(negative, f);
    let k = builder.complex(c - k.re(), -s - k.im()).when(negative, k);
    let limit = whole.when(x.lt(zero), zero);
    let f = builder.complex(limit.when(infinite, f.re()), limit.when(infinite, f.im()));
    let k = builder.complex(zero, zero).when(x.eq(x.like(f64::INFINITY)), k);
    let (f, k) = if sign > 0.0 { (f, k) } else { (f.conj(), k.conj()) };
    smallvec![f.cast(dtype), k.cast(dtype)]
}
