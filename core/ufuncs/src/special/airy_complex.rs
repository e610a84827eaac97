//! Airy functions of complex numbers by modified Bessel functions of orders 1 / 3 and 2 / 3: DLMF 9.6, 10.34.

use std::f64::consts::{FRAC_1_PI, PI};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use super::bessel_complex::{Modified, number, right_half_plane, scale, times_exp, times_i, turn};
use crate::Outputs;

/// Ai(0) and -Ai'(0).
const AT_ZERO: [f64; 2] = [0.355_028_053_887_817_2, 0.258_819_403_792_806_8];
const ROOT_3: f64 = 1.732_050_807_568_877_2;
/// Where power series take over, by the sum of the sizes of the parts.
const NEAR: f64 = 0.5;
/// Terms of the power series.
const TERMS: i32 = 9;

/// Ai, Ai', Bi, Bi' for small z.
fn near(z: Var<'_>) -> [Var<'_>; 4] {
    let re = z.re();
    let cube = z * z * z;
    // f = 1 + z**3 / 6 + ..., g = z (1 + z**3 / 12 + ...), and their slopes.
    let (f, g) = (series(cube, 2.0, 3.0), z * series(cube, 3.0, 4.0));
    let f_slope = scale(z * z, re.like(0.5)) * series(cube, 3.0, 5.0);
    let g_slope = series(cube, 1.0, 3.0);
    let (a, b) = (re.like(AT_ZERO[0]), re.like(AT_ZERO[1]));
    let root = re.like(ROOT_3);
    [
        scale(f, a) - scale(g, b),
        scale(f_slope, a) - scale(g_slope, b),
        scale(scale(f, a) + scale(g, b), root),
        scale(scale(f_slope, a) + scale(g_slope, b), root),
    ]
}

/// The sum of the powers of `cube` whose divisors are products of two numbers, each every third from the given ones on.
fn series(cube: Var<'_>, first: f64, second: f64) -> Var<'_> {
    let re = cube.re();
    let mut coefficients = vec![1.0];
    for k in 0..TERMS {
        let step = 3.0 * f64::from(k);
        coefficients.push(coefficients[coefficients.len() - 1] / ((first + step) * (second + step)));
    }
    let (last, rest) = coefficients.split_last().expect("a series has terms");
    rest.iter().rev().fold(number(re.like(*last)), |sum, &c| sum * cube + number(re.like(c)))
}

/// The four functions, where `keep_scale` those of `airye`.
pub(super) fn outputs<'b>(input: Var<'b>, keep_scale: bool) -> Outputs<'b> {
    let wide = input.cast(DType::C128);
    let builder = input.builder();
    let (x, y) = (wide.re(), wide.im());
    let (zero, one, infinity) = (x.like(0.0), x.like(1.0), x.like(f64::INFINITY));
    let finite = x.abs().lt(infinity) & y.abs().lt(infinity);
    let below = y.lt(zero);
    let proper = builder.complex(x, y.abs()).when(finite, number(one));
    let small = proper.re().abs() + proper.im();
    let is_near = small.lt(x.like(NEAR));
    let root = proper.sqrt();
    let zeta = scale(proper * root, x.like(2.0 / 3.0));
    let results = [(); 4].map(|()| builder.local(number(zero)));
    let set = |values: [Var<'b>; 4]| results.iter().zip(values).for_each(|(local, value)| local.set(value));
    let beside_zero = || {
        let values = near(proper);
        if keep_scale {
            let (grow, shrink) = (zeta.exp(), (-zeta.re().abs()).exp());
            set([values[0] * grow, values[1] * grow, scale(values[2], shrink), scale(values[3], shrink)]);
        } else {
            set(values);
        }
    };
    let beyond = || {
        // Beyond the angle pi / 3 zeta lies in the left half plane, and w opposite to it.
        let left = proper.im().gt(proper.re() * x.like(ROOT_3));
        let w = (-zeta).when(left, zeta);
        let w = builder.complex(w.re().abs(), w.im());
        let (count, order) = (builder.local(zero), builder.local(x.like(1.0 / 3.0)));
        let zero_pair = number(zero);
        let [first, second, first_slope, second_slope] = [(); 4].map(|()| builder.local(zero_pair));
        builder.repeat(
            || count.get().lt(x.like(2.0)),
            || {
                let v = order.get();
                let Modified { i, k, .. } = right_half_plane(v, w);
                let rotation = turn(v);
                let shrunk = k * (-(w + w)).exp();
                let turned = rotation.conj() * shrunk - scale(times_i(i), x.like(PI));
                let a = turned.when(left, k);
                let regular = (rotation * i).when(left, i);
                let singular = turned.when(left, shrunk);
                let b = regular + regular + scale(singular, x.like(ROOT_3 / PI));
                first.set(first_slope.get());
                second.set(second_slope.get());
                first_slope.set(a);
                second_slope.set(b);
                order.set(x.like(2.0 / 3.0));
                count.set(count.get() + one);
            },
        );
        let third = scale(root, x.like(1.0 / ROOT_3));
        let values = [
            scale(third * first.get(), x.like(FRAC_1_PI)),
            scale(proper * first_slope.get(), x.like(-FRAC_1_PI / ROOT_3)),
            third * second.get(),
            scale(proper * second_slope.get(), x.like(1.0 / ROOT_3)),
        ];
        let sign = w.when(left, -w);
        let turned = builder.complex(zero, w.im());
        if keep_scale {
            set([values[0], values[1], times_exp(values[2], turned), times_exp(values[3], turned)]);
        } else {
            set([
                times_exp(values[0], sign),
                times_exp(values[1], sign),
                times_exp(values[2], w),
                times_exp(values[3], w),
            ]);
        }
    };
    builder.branch(is_near, beside_zero, beyond);
    let nan = builder.complex(x.like(f64::NAN), x.like(f64::NAN));
    // Real numbers have real values, but for the scale of negative ones.
    let is_real = y.eq(zero);
    let mut outputs: Outputs<'b> = smallvec![];
    for (k, local) in results.into_iter().enumerate() {
        let value = local.get();
        let real = if keep_scale && k < 2 { is_real & x.ge(zero) } else { is_real };
        let value = number(value.re()).when(real, value);
        outputs.push(value.conj().when(below, value).when(finite, nan).cast(input.dtype()));
    }
    outputs
}
