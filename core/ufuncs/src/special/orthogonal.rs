//! Orthogonal polynomials of whole order by their recurrences (DLMF 18.9), of any order as hypergeometric functions
//! (DLMF 18.5): the rows, and Legendre's, Hermite's and Laguerre's.

use std::f64::consts::FRAC_1_PI;

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::COMPLEX;
use super::approximation::{either, sin_pi};
use super::beta::binom;
use super::called::called;
use super::chebyshev::{chebyt, chebyu};
use super::continuation::times_real;
use super::double_double::Double;
use super::gauss;
use super::hypergeometric::{hyp1f1_within, most_lost};
use super::jacobi::{gegenbauer, jacobi, sh_jacobi, value_at_end};
use super::recurrences::{
    by_differences, from_ends, is_odd, middle_first, of_any_order, recurrence, shifted, symmetric,
};
use crate::Ufunc;
use crate::table::{binary, general, ternary};

/// Below this distance from 0 Legendre's functions are linear in its logarithm.
const BESIDE: f64 = 1.0 / (1_u128 << 127) as f64;

/// From this size on numbers of a recurrence are divided by 2 to the power of this.
const LARGE: f64 = 1e250;
const SHIFT: f64 = 800.0;
/// A power of 2 whose square is nothing beside 1, times any order of a polynomial in range.
const NEAR_ZERO: f64 = 1.0 / (1u64 << 60) as f64;

pub(super) fn rows() -> Vec<Ufunc> {
    const ANY: &str = "ld->d, ff->f, fF->F, dd->d, dD->D";
    const ANY3: &str = "ldd->d, fff->f, ffF->F, ddd->d, ddD->D";
    const ANY4: &str = "lddd->d, ffff->f, fffF->F, dddd->d, dddD->D";
    const WHOLE: &str = "ld->d";
    let rows = [
        binary("eval_chebyt", ANY, "Chebyshev polynomial of the first kind.", |n, x| chebyt(n, x, false)),
        binary("eval_chebyu", ANY, "Chebyshev polynomial of the second kind.", |n, x| chebyu(n, x, false)),
        binary("eval_chebyc", ANY, "Chebyshev polynomial of the first kind on [-2, 2].", |n, x| {
            let two = x.like(2.0);
            chebyt(n, x / two, false) * two
        })
        .in_double(COMPLEX),
        binary("eval_chebys", ANY, "Chebyshev polynomial of the second kind on [-2, 2].", |n, x| {
            chebyu(n, x / x.like(2.0), false)
        }),
        binary("eval_sh_chebyt", ANY, "Chebyshev polynomial of the first kind on [0, 1].", |n, x| chebyt(n, x, true)),
        binary("eval_sh_chebyu", ANY, "Chebyshev polynomial of the second kind on [0, 1].", |n, x| chebyu(n, x, true)),
        binary("eval_legendre", ANY, "Legendre polynomial.", legendre),
        binary("eval_sh_legendre", ANY, "Legendre polynomial on [0, 1].", sh_legendre),
        binary("eval_hermite", WHOLE, "Hermite polynomial of the physicists.", |n, x| hermite(n, x, 2.0)),
        binary("eval_hermitenorm", WHOLE, "Hermite polynomial of the probabilists.", |n, x| hermite(n, x, 1.0)),
        binary("eval_laguerre", ANY, "Laguerre polynomial.", |n, x| genlaguerre(n, n.cast(DType::F64).like(0.0), x)),
        ternary("eval_genlaguerre", ANY3, "Generalized Laguerre polynomial.", genlaguerre),
        ternary("eval_gegenbauer", ANY3, "Gegenbauer polynomial.", gegenbauer),
        general("eval_jacobi", (4, 1), ANY4, "Jacobi polynomial.", |v| {
            smallvec::smallvec![jacobi(v[0], v[1], v[2], v[3])]
        }),
        general("eval_sh_jacobi", (4, 1), ANY4, "Jacobi polynomial on [0, 1].", sh_jacobi),
    ];
    rows.into_iter()
        .map(|row| row.source("DLMF 18.9: recurrences; 18.5: angles, hypergeometric functions").special())
        .collect()
}

fn sh_legendre<'b>(n: Var<'b>, x: Var<'b>) -> Var<'b> {
    let most = most_lost(x.dtype());
    let whole = |n: Var<'b>, x: Var<'b>| called!(whole_legendre(n, shifted(x)));
    of_any_order(n, x, whole, |n, x| {
        let one = n.like(1.0);
        let parameters = [Double::new(-n), Double::sum(n, one), Double::new(one)];
        if x.dtype().is_complex() {
            let z = n.builder().complex(one - x.re(), -x.im());
            return gauss::beside(parameters, z, x, n.like(most));
        }
        // Next to 0 it is linear in the logarithm, DLMF 15.4.21: its value at a larger number, and what is between.
        let beside = x.abs().lt(n.like(BESIDE)) & x.ne(x.like(0.0));
        let at = n.like(BESIDE).when(beside, x);
        let log = one.when(!beside, x).log() - n.like(0.0).when(!beside, n.like(BESIDE.ln()));
        gauss::beside(parameters, one - at, at, n.like(most)) + log * sin_pi(n) * n.like(FRAC_1_PI)
    })
}

fn legendre<'b>(n: Var<'b>, x: Var<'b>) -> Var<'b> {
    let most = most_lost(x.dtype());
    of_any_order(n, x, whole_legendre, |n, x| {
        let one = n.like(1.0);
        let step = |k: Var<'b>, now: Var<'b>, before: Var<'b>| {
            times_real(times_real(x * now, k + k + one) - times_real(before, k), one / (k + one))
        };
        middle_first(n, x, n.builder().boolean(true), x, step, || {
            from_ends([Double::new(-n), Double::sum(n, one), Double::new(one)], x, most)
        })
    })
}

fn whole_legendre<'b>(n: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (zero, one, two) = (n.like(0.0), n.like(1.0), n.like(2.0));
    let n = (-n - one).when(n.lt(zero), n);
    let near =
        |x: Var<'b>| recurrence(n, one, x, |k, now, before| ((two * k + one) * x * now - k * before) / (k + one));
    let far = |x: Var<'b>| {
        let less = x - one;
        by_differences(n, less, |k, now, d| ((two * k + one) * less * now + k * d) / (k + one))
    };
    symmetric(n, x, near, far)
}

/// Hermite polynomials with the weight exp(-x**2 * scale / 2).
fn hermite<'b>(n: Var<'b>, x: Var<'b>, scale: f64) -> Var<'b> {
    let n = n.cast(DType::F64);
    let scale = x.like(scale);
    let plain = recurrence(n, x.like(1.0), scale * x, |k, now, before| scale * (x * now - k * before));
    let infinity = x.like(f64::INFINITY);
    // Differences of infinite numbers have no sign, but far out the first term decides.
    let overflowed = !plain.abs().lt(infinity) & x.abs().lt(infinity);
    let far = x.abs().gt(x.like(1e50));
    let leading = (-infinity).when(is_odd(n) & x.lt(x.like(0.0)), infinity);
    let in_range = || hermite_in_range(n, x, scale);
    let value = either(overflowed & !far, in_range, || leading.when(overflowed, plain), DType::F64);
    x.like(f64::NAN).when(n.lt(n.like(0.0)) | x.is_nan(), value)
}

/// The same with large numbers of the recurrence divided by a power of 2.
fn hermite_in_range<'b>(n: Var<'b>, x: Var<'b>, scale: Var<'b>) -> Var<'b> {
    let (builder, zero, one) = (n.builder(), x.like(0.0), x.like(1.0));
    // Next to 0 odd polynomials are multiples of x, which would leave the range below their even neighbours.
    let near = x.like(NEAR_ZERO);
    let linear = x.abs().lt(near) & x.ne(zero);
    let share = (x / near).when(linear & is_odd(n), one);
    let x = near.when(linear, x);
    let (shrink, grow) = (x.like((-SHIFT).exp2()), x.like(SHIFT.exp2()));
    let (k, shifts) = (builder.local(one), builder.local(zero));
    let (last, current) = (builder.local(one), builder.local(scale * x));
    builder.repeat(
        || k.get().lt(n),
        || {
            let (before, now) = (last.get(), current.get());
            let next = scale * (x * now - k.get() * before);
            let large = next.abs().gt(x.like(LARGE));
            let factor = shrink.when(large, one);
            last.set(now * factor);
            current.set(next * factor);
            shifts.set(shifts.get() + one.when(large, zero));
            k.set(k.get() + one);
        },
    );
    let found = current.get() * (share * grow.when(shifts.get().gt(zero), one));
    let found = (found * grow).when(shifts.get().gt(one), found);
    (found * grow).when(shifts.get().gt(one + one), found)
}

fn laguerre<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> Var<'b> {
    let one = x.like(1.0);
    let value = by_differences(n, -x / (alpha + one), |k, now, d| (k * d - x * now) / (k + alpha + one));
    x.when(x.is_nan(), x.like(0.0).when(n.lt(n.like(0.0)), value))
}

fn genlaguerre<'b>(n: Var<'b>, alpha: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (alpha, most) = (alpha.cast(DType::F64), most_lost(x.dtype()));
    let whole = |n: Var<'b>, x: Var<'b>| {
        let value = laguerre(n, alpha, x);
        let next_to_pole = || called!(value_at_end(n, alpha));
        let end = either(alpha.lt(alpha.like(-0.5)), next_to_pole, || called!(binom(n + alpha, n)), DType::F64);
        let scaled = value * end;
        let scaled = value.when(n.le(n.like(0.0)), scaled);
        x.like(f64::NAN).when(alpha.le(alpha.like(-1.0)) | alpha.is_nan() | x.is_nan(), scaled)
    };
    of_any_order(n, x, whole, |n, x| {
        let value = hyp1f1_within(-n, Double::sum(alpha, n.like(1.0)), x, n.like(most));
        let value = times_real(value, called!(value_at_end(n, alpha)));
        x.like(f64::NAN).when(alpha.le(alpha.like(-1.0)), value)
    })
}
