//! Elliptic integrals of Legendre and Jacobi's elliptic functions: complete ones by the expansions at their singularity (DLMF
//! 19.12), Carlson's integrals (DLMF 19.25), the arithmetic-geometric mean (DLMF 22.20; R. Bulirsch, Numer. Math. 7 (1965)).

use std::f64::consts::{FRAC_PI_2, PI};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use super::WIDE;
use super::approximation::{either, in_double};
use super::carlson::{rd, rf};
use super::tables::elliptic::*;
use crate::table::{binary, general, unary};
use crate::{Outputs, Ufunc};

/// What pi is beyond its nearest float64.
const PI_REST: f64 = 1.224_646_799_147_353_2e-16;

pub(super) fn rows() -> Vec<Ufunc> {
    let rows = [
        unary("ellipk", WIDE[1], "Complete elliptic integral of the first kind.", ellipk),
        unary("ellipkm1", WIDE[1], "Complete elliptic integral of the first kind of 1 - p.", ellipkm1),
        unary("ellipe", WIDE[1], "Complete elliptic integral of the second kind.", ellipe),
        binary("ellipkinc", WIDE[2], "Incomplete elliptic integral of the first kind.", ellipkinc),
        binary("ellipeinc", WIDE[2], "Incomplete elliptic integral of the second kind.", ellipeinc),
        general(
            "ellipj",
            (2, 4),
            "dd->dddd, ff->ffff",
            "Jacobi's elliptic functions sn, cn and dn, and the amplitude.",
            ellipj,
        ),
    ];
    const SOURCE: &str = "DLMF 19.12, 19.25 and 22.20: tables of ci/special/elliptic.py, arithmetic-geometric mean, Carlson's integrals; Bulirsch, Numer. Math. 7 (1965)";
    rows.into_iter().map(|row| row.source(SOURCE).special()).collect()
}

/// The complete integral of the first kind of m = 1 - p.
fn first_kind<'b>(p: Var<'b>) -> Var<'b> {
    let (zero, one, infinity) = (p.like(0.0), p.like(1.0), p.like(f64::INFINITY));
    let large = p.gt(one);
    let inside = (one / p).when(large, p);
    let left = inside.min(p.like(0.5));
    let log = inside.max(p.like(5e-324)).log();
    let far = p.builder().fma(-log, K_FACTOR.at(left), K_REGULAR.at(left));
    let value = far.when(inside.lt(p.like(0.5)), K_NEAR.at(inside.max(p.like(0.5))));
    let value = value / p.when(large, one).sqrt();
    let value = infinity.when(p.eq(zero), value);
    p.like(f64::NAN).when(p.lt(zero) | p.is_nan(), value)
}

/// The complete integral of the second kind of m = 1 - p, for p from 0 to 1.
fn second_kind_below_one<'b>(p: Var<'b>) -> Var<'b> {
    let (one, half) = (p.like(1.0), p.like(0.5));
    let left = p.min(half);
    let log = p.max(p.like(1e-300)).log();
    let far = one + p * (E_REGULAR.at(left) - log * E_FACTOR.at(left));
    far.when(p.lt(half), E_NEAR.at(p.max(half)))
}

/// The complete integral of the second kind of m = 1 - p.
fn second_kind<'b>(p: Var<'b>) -> Var<'b> {
    let (zero, one) = (p.like(0.0), p.like(1.0));
    let large = p.gt(one);
    let value = second_kind_below_one((one / p).when(large, p).max(zero));
    let value = (value * p.sqrt()).when(large, value);
    p.like(f64::NAN).when(p.lt(zero) | p.is_nan(), value)
}

fn ellipk(m: Var<'_>) -> Var<'_> {
    in_double(&[m], |v| first_kind(v[0].like(1.0) - v[0]))
}

fn ellipkm1(p: Var<'_>) -> Var<'_> {
    in_double(&[p], |v| first_kind(v[0]))
}

fn ellipe(m: Var<'_>) -> Var<'_> {
    in_double(&[m], |v| second_kind(v[0].like(1.0) - v[0]))
}

/// An incomplete integral from that for angles up to a quarter turn and the complete one.
fn incomplete<'b>(
    phi: Var<'b>,
    complete: impl FnOnce() -> Var<'b>,
    part: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let builder = phi.builder();
    let (zero, two) = (phi.like(0.0), phi.like(2.0));
    let turns = (phi * phi.like(1.0 / PI)).rint();
    let rest = builder.fma(-turns, phi.like(PI), phi);
    let rest = builder.fma(-turns, phi.like(PI_REST), rest);
    let value = part(rest.sin(), rest.cos());
    let whole = either(turns.ne(zero), || two * turns * complete(), || zero, DType::F64);
    value.when(turns.eq(zero), whole + value)
}

fn ellipkinc<'b>(phi: Var<'b>, m: Var<'b>) -> Var<'b> {
    in_double(&[phi, m], |v| {
        let (phi, m) = (v[0], v[1]);
        let (zero, one, infinity) = (phi.like(0.0), phi.like(1.0), phi.like(f64::INFINITY));
        let p = one - m;
        let compute = || {
            incomplete(
                phi,
                || first_kind(p),
                |sine, cosine| {
                    let square = sine * sine;
                    let rest = (one - m * square).when(m.lt(zero), cosine * cosine + p * square);
                    sine * rf(cosine * cosine, rest, one)
                },
            )
        };
        let value = either(phi.abs().lt(infinity) & m.le(one) & m.gt(-infinity), compute, || phi, DType::F64);
        // The integrand has a pole at a quarter turn.
        let value = infinity.when(m.eq(one) & phi.abs().ge(phi.like(FRAC_PI_2)) & phi.abs().lt(infinity), value);
        let value = zero.when(m.eq(-infinity) & phi.abs().lt(infinity), value);
        let none = phi.is_nan() | m.is_nan() | m.gt(one) | (m.eq(-infinity) & phi.abs().eq(infinity));
        phi.like(f64::NAN).when(none, phi.when(m.eq(zero), zero.when(phi.eq(zero), value)))
    })
}

fn ellipeinc<'b>(phi: Var<'b>, m: Var<'b>) -> Var<'b> {
    in_double(&[phi, m], |v| {
        let (phi, m) = (v[0], v[1]);
        let (zero, one, infinity) = (phi.like(0.0), phi.like(1.0), phi.like(f64::INFINITY));
        let p = one - m;
        let compute = || {
            incomplete(
                phi,
                || second_kind(p),
                |sine, cosine| {
                    let (s, c) = (sine * sine, cosine * cosine);
                    let negative = m.lt(zero);
                    // DLMF 19.25.9 below 0 and 19.25.10 above: all terms have one sign.
                    let rest = (one - m * s).when(negative, c + p * s);
                    let first = rf(c, rest, one);
                    let second = m * s * rd(c, rest.when(negative, one), one.when(negative, rest)) / m.like(3.0);
                    let above = p * (first + second) + m * cosine.abs() / rest.sqrt();
                    sine * (first - second).when(negative, above)
                },
            )
        };
        let value = either(phi.abs().lt(infinity) & m.le(one) & m.gt(-infinity), compute, || phi, DType::F64);
        let value = infinity.when(m.eq(-infinity) & phi.abs().lt(infinity), value);
        let none = phi.is_nan() | m.is_nan() | m.gt(one);
        phi.like(f64::NAN).when(none, phi.when(m.eq(zero), zero.when(phi.eq(zero) & m.gt(-infinity), value)))
    })
}

/// Steps that bring the mean of 1 and any sqrt(1 - m) above 0 to its last digit.
const LANDEN: usize = 8;

fn ellipj<'b>(inputs: &[Var<'b>]) -> Outputs<'b> {
    let (u, m) = (inputs[0].cast(DType::F64), inputs[1].cast(DType::F64));
    let (zero, one, half) = (u.like(0.0), u.like(1.0), u.like(0.5));
    let degenerate = m.eq(one);
    let (mut a, mut b) = (one, one.when(degenerate, one - m).max(zero).sqrt());
    let mut steps = Vec::with_capacity(LANDEN);
    for _ in 0..LANDEN {
        steps.push((a, b));
        (a, b) = (half * (a + b), (a * b).sqrt());
    }
    let w = u * a;
    // Backwards by the quotients of cn and sn, of which none is cancelled.
    let mut quotient = w.cos() / w.sin();
    let mut c = a * quotient;
    let mut dn = one;
    for &(a, b) in steps.iter().rev() {
        let product = quotient * c;
        c = c * dn;
        dn = (b + product) / (a + product);
        quotient = c / a;
    }
    let size = one / c.hypot(one);
    let sn = (-size).when(w.sin().lt(zero), size);
    let cn = c * sn;
    let angle = sn.atan2(cn);
    let turn = u.like(2.0 * PI);
    let amplitude = angle + turn * ((w - angle) / turn).rint();
    // Near 0 the quotients overflow; at m = 1 the functions are hyperbolic.
    let small = u.abs().lt(u.like(1e-9));
    let secant = one / u.cosh();
    let invalid = m.lt(zero) | m.gt(one) | m.is_nan() | u.is_nan() | u.abs().eq(u.like(f64::INFINITY));
    let finish = |value: Var<'b>, near: Var<'b>, last: Var<'b>| {
        u.like(f64::NAN).when(invalid, near.when(small, last.when(degenerate, value))).cast(inputs[0].dtype())
    };
    smallvec![
        finish(sn, u, u.tanh()),
        finish(cn, one, secant),
        finish(dn, one, secant),
        finish(amplitude, u, u.sinh().atan()),
    ]
}
