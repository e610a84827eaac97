//! Airy functions of real numbers: DLMF 9.

use std::f64::consts::FRAC_1_SQRT_2;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{LocalVar, Var};

use super::approximation::Table;
use super::tables::airy::*;
use crate::table::general;
use crate::{Outputs, Ufunc};

/// 1 / sqrt(pi).
const ROOT_OF_1_OVER_PI: f64 = 0.564_189_583_547_756_3;

/// The rows of this file.
pub(super) fn rows() -> Vec<Ufunc> {
    let rows = vec![
        general(
            "airy",
            (1, 4),
            "f->ffff, d->dddd, F->FFFF, D->DDDD",
            "Airy functions and their derivatives.",
            |inputs| outputs(inputs, false),
        ),
        general("airye", (1, 4), "f->ffff, d->dddd, F->FFFF, D->DDDD", "Exponentially scaled airy.", |inputs| {
            outputs(inputs, true)
        }),
    ];
    let source = "DLMF 9.4 and 9.7: tables of ci/special/airy.py";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// Ai, Ai', Bi, Bi'. Where x is positive, the first two are to be multiplied by exp(-zeta), the others by exp(zeta).
pub(super) struct Airy<'b> {
    /// The four numbers.
    pub(super) values: [Var<'b>; 4],
    /// 2 / 3 x**(3 / 2) where x is beyond 1 / 2, else 0.
    pub(super) zeta: Var<'b>,
    /// What the rounding of that left.
    pub(super) rest: Var<'b>,
}

/// a * sqrt(a) * 2 / 3 as the nearest number and the rest.
fn zeta_of<'b>(a: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = a.builder();
    let root = a.sqrt();
    let rest = builder.fma(-root, root, a) / (root + root);
    let product = a * root;
    let low = builder.fma(a, root, -product) + a * rest;
    let third = a.like(2.0 / 3.0);
    let high = product * third;
    // 2 / 3 less the number nearest to it.
    let low = builder.fma(product, third, -high) + low * third + product * a.like(3.700_743_415_417_188e-17);
    (high, low)
}

/// The Airy functions of a finite float64.
pub(super) fn scaled(x: Var<'_>) -> Airy<'_> {
    let builder = x.builder();
    let zero = x.like(0.0);
    let locals = [(); 4].map(|()| builder.local(zero));
    let (zeta_local, rest_local) = (builder.local(zero), builder.local(zero));
    let set = |values: [Var<'_>; 4]| {
        for (local, value) in locals.iter().zip(values) {
            builder.push(cuproxide_hal::ir::Stmt::Set(local.id(), value.id()));
        }
    };
    let direct = |tables: [&Table; 4]| set(tables.map(|table| table.at(x)));
    let right = || {
        let (zeta, rest) = zeta_of(x);
        zeta_local.set(zeta);
        rest_local.set(rest);
        let inverse = x.like(1.0) / zeta.max(x.like(1e-3));
        let power = x.sqrt().sqrt();
        let two_and_half = x.like(2.5);
        let bounded = x.min(two_and_half);
        let far = inverse.min(x.like(AI_FAR.high));
        let near = x.le(two_and_half);
        let first = |close: &Table, table: &Table| close.at(bounded).when(near, table.at(far));
        let middle = x.max(two_and_half).min(x.like(8.0));
        let distant = inverse.min(x.like(BI_FAR.high));
        let second = |close: &Table, beyond: &Table, table: &Table| {
            let outside = beyond.at(middle).when(x.le(x.like(8.0)), table.at(distant));
            close.at(bounded).when(near, outside)
        };
        set([
            first(&AI_RIGHT, &AI_FAR) / power,
            first(&AIP_RIGHT, &AIP_FAR) * power,
            second(&BI_RIGHT, &BI_BEYOND, &BI_FAR) / power,
            second(&BIP_RIGHT, &BIP_BEYOND, &BIP_FAR) * power,
        ]);
    };
    let left = || {
        let a = x.abs();
        let (high, low) = zeta_of(a);
        let (s, c) = (high.sin(), high.cos());
        // The angle's rest turns the pair; far out it is no small number.
        let (sine, cosine) = (builder.local(low), builder.local(x.like(1.0)));
        let exactly = || {
            sine.set(low.sin());
            cosine.set(low.cos());
        };
        builder.branch(low.abs().gt(x.like(1e-9)), exactly, || {});
        let (s, c) = (builder.fma(c, sine.get(), s * cosine.get()), builder.fma(-s, sine.get(), c * cosine.get()));
        let scale = x.like(ROOT_OF_1_OVER_PI * FRAC_1_SQRT_2);
        // cos and sin of zeta - pi / 4.
        let (cosine, sine) = ((c + s) * scale, (s - c) * scale);
        let inverse = x.like(1.0) / high;
        let square = inverse * inverse;
        let power = a.sqrt().sqrt();
        let (p, q) = (AIRY_COSINE.at(square), AIRY_SINE.at(square) * inverse);
        let (r, t) = (AIRYP_COSINE.at(square), AIRYP_SINE.at(square) * inverse);
        set([
            (cosine * p + sine * q) / power,
            (sine * r - cosine * t) * power,
            (cosine * q - sine * p) / power,
            (cosine * r + sine * t) * power,
        ]);
    };
    builder.branch(x.gt(x.like(0.5)), right, || {
        builder.branch(x.lt(x.like(-6.0)), left, || {
            builder.branch(
                x.gt(x.like(-2.5)),
                || direct([&AI_NEAR, &AIP_NEAR, &BI_NEAR, &BIP_NEAR]),
                || direct([&AI_LEFT, &AIP_LEFT, &BI_LEFT, &BIP_LEFT]),
            );
        });
    });
    Airy { values: locals.map(LocalVar::get), zeta: zeta_local.get(), rest: rest_local.get() }
}

fn outputs<'b>(inputs: &[Var<'b>], keep_scale: bool) -> Outputs<'b> {
    if inputs[0].dtype().is_complex() {
        return super::airy_complex::outputs(inputs[0], keep_scale);
    }
    let x = inputs[0].cast(DType::F64);
    let (zero, nan, infinity) = (x.like(0.0), x.like(f64::NAN), x.like(f64::INFINITY));
    let finite = x.abs().lt(infinity);
    let Airy { values, zeta, rest } = scaled(x.when(finite, zero));
    let results = if keep_scale {
        // The scale is that of zeta, whose logarithm is imaginary for negative x; small numbers have it, too.
        let small = x.gt(zero) & zeta.eq(zero);
        let a = x.max(zero);
        let zeta = zeta_of(a.max(x.like(1e-300))).0;
        let (grow, shrink) = (zeta.min(x.like(1.0)).exp(), (-zeta.min(x.like(1.0))).exp());
        let first = |value: Var<'b>| nan.when(x.lt(zero), (value * grow).when(small, value));
        let second = |value: Var<'b>| (value * shrink).when(small, value);
        [first(values[0]), first(values[1]), second(values[2]), second(values[3])]
    } else {
        // By halves: the factors' product may be finite where one is not.
        let bounded = zeta.min(x.like(1500.0)) * x.like(0.5);
        let (shrink, grow) = ((-bounded).exp(), bounded.exp());
        let first = |value: Var<'b>| (value - value * rest) * shrink * shrink;
        let second = |value: Var<'b>| (value + value * rest) * grow * grow;
        [first(values[0]), first(values[1]), second(values[2]), second(values[3])]
    };
    results.into_iter().map(|value| value.when(finite, nan).cast(inputs[0].dtype())).collect()
}
