//! Ellipsoidal harmonics: Lamé functions as products of roots and polynomials (DLMF 29.12), whose coefficients are eigenvectors
//! of tridiagonal matrices; G. Dassios, Ellipsoidal Harmonics (2012), for the functions of the second kind and the norms.

use std::f64::consts::FRAC_PI_2;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{ArrayVar, Var};
use smallvec::smallvec;

use super::tridiagonal::{LARGEST, Tridiagonal};
use crate::table::general;
use crate::{Outputs, Ufunc};

/// Nodes of quadrature.
const NODES: f64 = 160.0;
const STEP: f64 = 0.0625;

/// The rows of this file: parts of functions that take fewer arguments.
pub(super) fn rows() -> Vec<Ufunc> {
    let rows = vec![
        general("_ellip_harm", (7, 1), "ddddddd->d, fffffff->f", "Ellipsoidal harmonic of the first kind.", |x| {
            outputs(x, |lame, a| {
                let value = lame.at(a[4]);
                // Signs of the two roots.
                let first = a[5].when(lame.beta, a[5].like(1.0));
                let second = a[6].when(lame.gamma, a[6].like(1.0));
                value * first * second
            })
        }),
        general("_ellip_harm_2", (5, 1), "ddddd->d, fffff->f", "Ellipsoidal harmonic of the second kind.", |x| {
            outputs(x, |lame, a| second(lame, a[4]))
        }),
        general("_ellip_normal", (4, 1), "dddd->d, ffff->f", "Norm of an ellipsoidal harmonic.", |x| {
            outputs(x, |lame, _| norm(lame))
        }),
    ];
    let source = "DLMF 29.12; Dassios (2012); bisection of tridiagonal matrices, Givens (1954)";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

fn index(k: Var<'_>) -> Var<'_> {
    k.cast(DType::I64)
}

/// A Lamé function of degree n: roots of s, of s**2 - h**2 and of s**2 - k**2 that it has as factors, and a polynomial of
/// s**2 - h**2 with the leading coefficient 1.
struct Lame<'b> {
    h2: Var<'b>,
    k2: Var<'b>,
    n: Var<'b>,
    alpha: Var<'b>,
    beta: Var<'b>,
    gamma: Var<'b>,
    degree: Var<'b>,
    coefficients: ArrayVar<'b>,
}

fn as_number(condition: Var<'_>) -> Var<'_> {
    condition.cast(DType::F64)
}

fn outputs<'b>(inputs: &[Var<'b>], body: impl FnOnce(&Lame<'b>, &[Var<'b>]) -> Var<'b>) -> Outputs<'b> {
    let dtype = inputs[0].dtype();
    let mut wide: Vec<Var<'b>> = inputs.iter().map(|input| input.cast(DType::F64)).collect();
    let (zero, one) = (wide[0].like(0.0), wide[0].like(1.0));
    let (h2, k2, n, p) = (wide[0], wide[1], wide[2], wide[3]);
    let infinity = zero.like(f64::INFINITY);
    let whole = n.eq(n.floor()) & p.eq(p.floor());
    let proper = h2.gt(zero) & k2.gt(h2) & k2.lt(infinity) & n.ge(zero) & n.lt(n.like(400.0)) & whole;
    let proper = proper & p.ge(one) & p.le(n + n + one);
    let mut proper = proper;
    // Signs are 1 or -1.
    for sign in wide.iter().skip(5) {
        proper = proper & sign.abs().eq(one);
    }
    let safe = [one, one + one, one, one];
    for (value, other) in wide.iter_mut().zip(safe) {
        *value = value.when(proper, other);
    }
    let lame = Lame::new(wide[0], wide[1], wide[2], wide[3]);
    let value = body(&lame, &wide);
    smallvec![value.when(proper, zero.like(f64::NAN)).cast(dtype)]
}

impl<'b> Lame<'b> {
    fn new(h2: Var<'b>, k2: Var<'b>, n: Var<'b>, p: Var<'b>) -> Lame<'b> {
        let builder = n.builder();
        let (zero, one, half) = (n.like(0.0), n.like(1.0), n.like(0.5));
        // Of four kinds in a row: without roots, with the first, with the second, with both.
        let r = (n * half).floor();
        let odd = n - r - r;
        let (first, other) = (r + one, n - r);
        let with_first = p.gt(first) & p.le(first + other);
        let with_second = p.gt(first + other) & p.le(first + other + other);
        let with_both = p.gt(first + other + other);
        let (beta, gamma) = (with_first | with_both, with_second | with_both);
        let single = with_first | with_second;
        let place = p - one;
        let before =
            first.when(with_first, (first + other).when(with_second, (first + other + other).when(with_both, zero)));
        let place = place - before;
        let alpha = (one - odd).when(single, odd);
        let (b, c) = (as_number(beta), as_number(gamma));
        let degree = ((n - alpha - b - c) * half).rint();
        let (low, high) = (h2, k2 - h2);
        let sigma = alpha + b + c;
        let top = degree * (degree + sigma + half);
        // What row j of the equation for the polynomial in u = s**2 - h**2 multiplies its neighbours with.
        let above = |j: Var<'b>| -(low * high * (j + one) * (j + b + half));
        let below = |j: Var<'b>| (j - one) * (j + sigma - half) - top;
        let slope = (b + half) * (low - high) + (c + half) * low - (alpha + half) * high;
        let length = degree + one;
        let matrix = Tridiagonal::new(length, |j| {
            let diagonal = j * (j - one) * (low - high) + j * slope;
            (diagonal, (above(j - one) * below(j)).when(j.gt(zero), zero))
        });
        let bound = (top + one) * (k2 + k2) * n.like(4.0) + n.like(1e-300);
        // Functions of a kind come in the order of falling eigenvalues of this matrix.
        let value = matrix.eigenvalue(degree - place, -bound, bound, zero);
        let centre = matrix.centre(value);
        let coefficients = builder.array(LARGEST, zero);
        matrix.ratios(value, centre).visit(above, below, |j, element| coefficients.set(index(j), element));
        let leading = coefficients.get(index(degree));
        let j = builder.local(zero);
        builder.repeat(
            || j.get().le(degree),
            || {
                coefficients.set(index(j.get()), coefficients.get(index(j.get())) / leading);
                j.set(j.get() + one);
            },
        );
        Lame { h2, k2, n, alpha, beta, gamma, degree, coefficients }
    }

    /// The polynomial at u = s**2 - h**2, over u to the power of its degree where `reversed` (then the argument is 1 / u).
    fn polynomial(&self, u: Var<'b>, reversed: bool) -> Var<'b> {
        let builder = u.builder();
        let (zero, one) = (u.like(0.0), u.like(1.0));
        let (j, sum) = (builder.local(zero), builder.local(zero));
        builder.repeat(
            || j.get().le(self.degree),
            || {
                let place = if reversed { j.get() } else { self.degree - j.get() };
                sum.set(sum.get() * u + self.coefficients.get(index(place)));
                j.set(j.get() + one);
            },
        );
        sum.get()
    }

    /// The function without signs, of a number of either sign.
    fn at(&self, s: Var<'b>) -> Var<'b> {
        let one = s.like(1.0);
        let square = s * s;
        let root = |value: Var<'b>, has: Var<'b>| value.abs().sqrt().when(has, one);
        let (first, second) = (root(square - self.h2, self.beta), root(square - self.k2, self.gamma));
        s.when(self.alpha.gt(s.like(0.5)), one) * first * second * self.polynomial(square - self.h2, false)
    }
}

/// (2 n + 1) E(s) times the integral of 1 / (E(t)**2 sqrt((t**2 - h**2) (t**2 - k**2))) from s on, in the angle whose sine is
/// k / t: a double exponential rule.
fn second<'b>(lame: &Lame<'b>, s: Var<'b>) -> Var<'b> {
    let builder = s.builder();
    let (zero, one, half) = (s.like(0.0), s.like(1.0), s.like(0.5));
    let size = s.abs();
    let k = lame.k2.sqrt();
    let beyond = size.gt(k);
    let point = size.when(beyond, k * s.like(2.0));
    let end = (k / point).asin();
    let (j, sum) = (builder.local(zero), builder.local(zero));
    // E(t) over that at s, whose square may be beyond all numbers.
    let base = lame.at(point);
    builder.repeat(
        || j.get().lt(s.like(112.0)),
        || {
            let w = j.get() * s.like(STEP) - s.like(3.5);
            let inner = w.sinh() * s.like(FRAC_PI_2);
            let weight = w.cosh() * s.like(FRAC_PI_2) / (inner.cosh() * inner.cosh());
            let angle = end * half * (one + inner.tanh());
            let sine = angle.sin();
            let t = (k / sine).min(s.like(1e150)).max(point);
            // As a power times factors of 1 / t, so that nothing overflows.
            let inverse = one / (t * t);
            let left = one - lame.h2 * inverse;
            let right = one - lame.k2 * inverse;
            let scaled_u = inverse / left;
            let degree = lame.degree;
            let shape = left.pow(degree) * lame.polynomial(scaled_u, true);
            let shape = shape * left.sqrt().when(lame.beta, one) * right.max(zero).sqrt().when(lame.gamma, one);
            let ratio = (point / t).pow(lame.n) / shape;
            let term = ratio * ratio / left.sqrt() * weight;
            sum.set(sum.get() + term.when(sine.gt(zero), zero));
            j.set(j.get() + one);
        },
    );
    // dt / sqrt((t**2 - h**2) (t**2 - k**2)) is the angle's, over k sqrt(1 - h**2 / t**2).
    let shape = base / point.pow(lame.n);
    let value = (lame.n + lame.n + one) * shape * sum.get() * s.like(STEP) * end * half / k / point.pow(lame.n);
    // The integral from 0 to 1 / s is odd, and the function itself is where it has the factor s.
    let sign = one.when(s.gt(zero), lame.alpha + lame.alpha - one);
    (value * sign).when(beyond, s.like(f64::NAN))
}

/// The integral of the squares' product over an ellipsoid with the weight of its harmonics: products of four integrals over
/// quarters of circles, by trapezoidal rules.
fn norm<'b>(lame: &Lame<'b>) -> Var<'b> {
    let builder = lame.n.builder();
    let (zero, one, half) = (lame.n.like(0.0), lame.n.like(1.0), lame.n.like(0.5));
    let sums = [(); 4].map(|()| builder.local(zero));
    let j = builder.local(zero);
    let nodes = one.like(NODES) + lame.n * one.like(2.0);
    let nodes = nodes.min(one.like(900.0));
    builder.repeat(
        || j.get().le(nodes),
        || {
            let angle = j.get() * one.like(FRAC_PI_2) / nodes;
            let weight = half.when(j.get().eq(zero) | j.get().eq(nodes), one);
            let (s, c) = (angle.sin(), angle.cos());
            let inner = lame.h2 * s * s;
            let outer = lame.h2 * c * c + lame.k2 * s * s;
            for (place, (square, share)) in
                [(inner, one / (lame.k2 - inner).sqrt()), (outer, one / outer.sqrt())].into_iter().enumerate()
            {
                let value = lame.at(square.sqrt());
                let term = value * value * share * weight;
                let [plain, moment] = [sums[2 * place], sums[2 * place + 1]];
                plain.set(plain.get() + term);
                moment.set(moment.get() + term * square);
            }
            j.set(j.get() + one);
        },
    );
    let [inner, inner_moment, outer, outer_moment] = sums.map(|sum| sum.get() * one.like(FRAC_PI_2) / nodes);
    (outer_moment * inner - outer * inner_moment) * one.like(8.0)
}
