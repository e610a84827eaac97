//! Kelvin functions: modified Bessel functions of order 0 on the diagonal, DLMF 10.61 to 10.68.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use super::NARROW;
use super::approximation::{either, polynomial};
use super::bessel_complex::{Modified, number, right_half_plane, times_exp};
use crate::table::{general, unary};
use crate::{Outputs, Ufunc};

const EULER: f64 = 0.577_215_664_901_532_9;
/// Up to where power series have all digits: of ber and bei, and of ker and kei.
const NEAR: [f64; 2] = [5.0, 2.0];
const TERMS: usize = 12;
/// 1 / sqrt(2) less the nearest number.
const ROOT_REST: f64 = -4.833_646_656_726_457e-17;

/// The rows of this file.
pub(super) fn rows() -> Vec<Ufunc> {
    let rows = vec![
        unary("ber", NARROW[1], "Kelvin function ber.", |x| one(x, false, false).re().cast(x.dtype())),
        unary("bei", NARROW[1], "Kelvin function bei.", |x| one(x, false, false).im().cast(x.dtype())),
        unary("berp", NARROW[1], "Derivative of the Kelvin function ber.", |x| {
            one(x, false, true).re().cast(x.dtype())
        }),
        unary("beip", NARROW[1], "Derivative of the Kelvin function bei.", |x| {
            one(x, false, true).im().cast(x.dtype())
        }),
        unary("ker", NARROW[1], "Kelvin function ker.", |x| one(x, true, false).re().cast(x.dtype())),
        unary("kei", NARROW[1], "Kelvin function kei.", |x| one(x, true, false).im().cast(x.dtype())),
        unary("kerp", NARROW[1], "Derivative of the Kelvin function ker.", |x| one(x, true, true).re().cast(x.dtype())),
        unary("keip", NARROW[1], "Derivative of the Kelvin function kei.", |x| one(x, true, true).im().cast(x.dtype())),
        general(
            "kelvin",
            (1, 4),
            "f->FFFF, d->DDDD",
            "Kelvin functions and their derivatives as complex numbers.",
            |x| all(x[0]),
        ),
    ];
    let source = "DLMF 10.65 (series), 10.61 with the engine of complex arguments";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// The coefficients of powers of (x / 2)**4 of ber, or of bei over (x / 2)**2; times digamma(n + 1) where `with_digamma`.
fn coefficients(odd: bool, with_digamma: bool) -> Vec<f64> {
    let (mut factorial, mut harmonic, mut result) = (1.0, 0.0, vec![]);
    for n in 0..2 * TERMS {
        if n > 0 {
            factorial *= n as f64;
            harmonic += 1.0 / n as f64;
        }
        if (n % 2 == 1) == odd {
            let sign = if n / 2 % 2 == 0 { 1.0 } else { -1.0 };
            let weight = if with_digamma { harmonic - EULER } else { 1.0 };
            result.push(sign * weight / (factorial * factorial));
        }
    }
    result
}

/// The sums of ber and bei, or of what ker and kei have beside logarithms, and the derivatives.
fn sums<'b>(x: Var<'b>, with_digamma: bool, slope: bool) -> (Var<'b>, Var<'b>) {
    let half = x * x.like(0.5);
    let square = half * half;
    let u = square * square;
    let (even, odd) = (coefficients(false, with_digamma), coefficients(true, with_digamma));
    if slope {
        let even: Vec<f64> = even.iter().enumerate().skip(1).map(|(k, c)| 2.0 * k as f64 * c).collect();
        let odd: Vec<f64> = odd.iter().enumerate().map(|(k, c)| (2 * k + 1) as f64 * c).collect();
        (half * square * polynomial(u, &even), half * polynomial(u, &odd))
    } else {
        (polynomial(u, &even), square * polynomial(u, &odd))
    }
}

/// ber + i bei or ker + i kei by power series, x positive.
fn near<'b>(x: Var<'b>, second: bool, slope: bool) -> Var<'b> {
    let (ber, bei) = sums(x, false, slope);
    if !second {
        return x.builder().complex(ber, bei);
    }
    let (p, q) = sums(x, true, slope);
    let (log, quarter) = ((x * x.like(0.5)).log(), x.like(FRAC_PI_4));
    let (mut ker, mut kei) = (quarter * bei - log * ber + p, q - log * bei - quarter * ber);
    if slope {
        let (ber, bei) = sums(x, false, false);
        ker = ker - ber / x;
        kei = kei - bei / x;
    }
    x.builder().complex(ker, kei)
}

/// exp(i pi / 4) z.
fn eighth_turn(z: Var<'_>) -> Var<'_> {
    let root = z.re().like(FRAC_1_SQRT_2);
    z.builder().complex((z.re() - z.im()) * root, (z.re() + z.im()) * root)
}

/// One of the four from the functions at x exp(i pi / 4), x positive; `order` is 1 for derivatives.
fn far<'b>(x: Var<'b>, order: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = x.builder();
    let part = x * x.like(FRAC_1_SQRT_2);
    // The product's rounding.
    let rest = builder.fma(x, x.like(FRAC_1_SQRT_2), -part) + x * x.like(ROOT_REST);
    let z = builder.complex(part, part);
    let rest = builder.complex(rest, rest);
    let Modified { i, k, .. } = right_half_plane(order, z);
    let (first, second) = (i + i * rest, k - k * rest);
    let slope = order.gt(x.like(0.0));
    let (first, second) = (eighth_turn(first).when(slope, first), (-eighth_turn(second)).when(slope, second));
    (times_exp(first, z), times_exp(second, -z))
}

/// One of ber + i bei, ker + i kei and their derivatives.
fn one<'b>(x: Var<'b>, second: bool, slope: bool) -> Var<'b> {
    let x = x.cast(DType::F64);
    let (zero, infinity) = (x.like(0.0), x.like(f64::INFINITY));
    let a = x.abs();
    let proper = a.lt(infinity) & a.gt(zero);
    let a = a.when(proper, x.like(1.0));
    let order = x.like(if slope { 1.0 } else { 0.0 });
    let beyond = || {
        let (first, other) = far(a, order);
        if second { other } else { first }
    };
    let limit = a.le(x.like(NEAR[usize::from(second)]));
    let value = either(limit, || near(a, second, slope), beyond, DType::C128);
    edges(x, value, proper, second, slope)
}

/// The values at 0, infinity and negative numbers.
fn edges<'b>(x: Var<'b>, value: Var<'b>, proper: Var<'b>, second: bool, slope: bool) -> Var<'b> {
    let builder = x.builder();
    let (zero, nan) = (x.like(0.0), x.like(f64::NAN));
    let number_of = |re: f64, im: f64| builder.complex(x.like(re), x.like(im));
    let at_zero = match (second, slope) {
        (false, false) => number_of(1.0, 0.0),
        (false, true) => number_of(0.0, 0.0),
        (true, false) => number_of(f64::INFINITY, -FRAC_PI_4),
        (true, true) => number_of(f64::NEG_INFINITY, 0.0),
    };
    let unknown = builder.complex(nan, nan);
    let negative = match (second, slope) {
        (false, false) => value,
        (false, true) => -value,
        (true, _) => unknown,
    };
    let value = negative.when(x.lt(zero), value);
    value.when(proper, at_zero.when(x.eq(zero), unknown))
}

/// ber + i bei, ker + i kei, and their derivatives.
fn all(input: Var<'_>) -> Outputs<'_> {
    let x = input.cast(DType::F64);
    let builder = x.builder();
    let (zero, one) = (x.like(0.0), x.like(1.0));
    let a = x.abs();
    let proper = a.lt(x.like(f64::INFINITY)) & a.gt(zero);
    let a = a.when(proper, one);
    let none = number(zero);
    let locals = [(); 4].map(|()| builder.local(none));
    let [first, second, first_slope, second_slope] = locals;
    let set = |near: [bool; 2], values: [Var<'_>; 4]| {
        for (k, (local, value)) in locals.iter().zip(values).enumerate() {
            if near[k % 2] {
                local.set(builder.var(value.id()));
            }
        }
    };
    let beyond = || {
        let order = builder.local(zero);
        builder.repeat(
            || order.get().lt(x.like(1.5)),
            || {
                let (i, k) = far(a, order.get());
                first.set(first_slope.get());
                second.set(second_slope.get());
                first_slope.set(i);
                second_slope.set(k);
                order.set(order.get() + one);
            },
        );
    };
    builder.branch(a.gt(x.like(NEAR[1])), beyond, || {
        set([false, true], [none, near(a, true, false), none, near(a, true, true)]);
    });
    builder.branch(
        a.le(x.like(NEAR[0])),
        || set([true, false], [near(a, false, false), none, near(a, false, true), none]),
        || (),
    );
    let results =
        [(first, false, false), (second, true, false), (first_slope, false, true), (second_slope, true, true)];
    let mut outputs: Outputs<'_> = smallvec![];
    for (local, is_second, slope) in results {
        let value = edges(x, local.get(), proper, is_second, slope);
        let dtype = if input.dtype() == DType::F32 { DType::C64 } else { DType::C128 };
        outputs.push(value.cast(dtype));
    }
    outputs
}
