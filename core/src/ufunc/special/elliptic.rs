//! Elliptic integrals of Legendre and Jacobi's elliptic functions: the arithmetic-geometric mean (DLMF 19.8, 22.20; R.
//! Bulirsch, Numer. Math. 7 (1965)) and Carlson's integrals (DLMF 19.25).

use std::f64::consts::{FRAC_PI_2, PI};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use super::super::table::{binary, general, unary};
use super::super::{Outputs, Ufunc};
use super::WIDE;
use super::approximation::{either, in_double};
use super::carlson::{rd, rf};

/// What pi is beyond its nearest float64.
const PI_REST: f64 = 1.224_646_799_147_353_2e-16;
/// Bound of the steps of the mean, whose number of right digits doubles each time.
const MEANS: f64 = 30.0;

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
    const SOURCE: &str =
        "DLMF 19.8, 19.25 and 22.20: arithmetic-geometric mean, Carlson's integrals; Bulirsch, Numer. Math. 7 (1965)";
    rows.into_iter().map(|row| row.source(SOURCE).special()).collect()
}

/// The arithmetic-geometric mean of 1 and sqrt(p), for p in (0, 1], and the sum of 2**(n-1) * c(n)**2 from n = 1 on.
fn mean<'b>(p: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (builder, one, half, two) = (p.builder(), p.like(1.0), p.like(0.5), p.like(2.0));
    let (a, b) = (builder.local(one), builder.local(p.sqrt()));
    let (n, weight, sum) = (builder.local(p.like(0.0)), builder.local(one), builder.local(p.like(0.0)));
    builder.repeat(
        // The next step changes the mean by the square of this difference.
        || (a.get() - b.get()).gt(a.get() * p.like(1e-8)) & n.get().lt(p.like(MEANS)),
        || {
            let (mean, root) = (a.get(), b.get());
            let rest = half * (mean - root);
            sum.set(sum.get() + weight.get() * rest * rest);
            weight.set(weight.get() * two);
            a.set(half * (mean + root));
            b.set((mean * root).sqrt());
            n.set(n.get() + one);
        },
    );
    (half * (a.get() + b.get()), sum.get())
}

/// The complete integral of the first kind of m = 1 - p.
fn first_kind<'b>(p: Var<'b>) -> Var<'b> {
    let (zero, one, infinity) = (p.like(0.0), p.like(1.0), p.like(f64::INFINITY));
    let large = p.gt(one);
    let inside = (one / p).when(large, p);
    let value = p.like(FRAC_PI_2) / mean(inside.max(p.like(5e-324)).min(one)).0;
    let value = (value * inside.sqrt()).when(large, value);
    let value = infinity.when(p.eq(zero), value);
    p.like(f64::NAN).when(p.lt(zero) | p.is_nan(), value)
}

/// The complete integral of the second kind of m = 1 - p, for p from 0 to 1.
fn second_kind_below_one<'b>(p: Var<'b>) -> Var<'b> {
    let (builder, zero, one, half, two) = (p.builder(), p.like(0.0), p.like(1.0), p.like(0.5), p.like(2.0));
    // DLMF 19.12.2, where the integral of the first kind is large.
    let series = || {
        let log = -half * p.log();
        let (n, term, sum) = (builder.local(zero), builder.local(half * p), builder.local(zero));
        let digamma = builder.local(p.like(2.0 * std::f64::consts::LN_2));
        builder.repeat(
            || n.get().lt(p.like(24.0)) & term.get().gt(p.like(1e-18)),
            || {
                let m = n.get();
                let odd = two * m + one;
                sum.set(sum.get() + term.get() * (log + digamma.get() - one / (odd * (odd + one))));
                term.set(term.get() * (m + half) * (m + p.like(1.5)) / ((m + two) * (m + one)) * p);
                digamma.set(digamma.get() - two / (odd * (odd + one)));
                n.set(m + one);
            },
        );
        one.when(p.eq(zero), one + sum.get())
    };
    let by_mean = || {
        let (mean, sum) = mean(p);
        p.like(FRAC_PI_2) / mean * (half * (one + p) - sum)
    };
    either(p.lt(p.like(0.15)), series, by_mean, DType::F64)
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
