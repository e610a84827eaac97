//! Bessel functions of any real order and real numbers: DLMF 10; N. M. Temme, J. Comput. Phys. 19 (1975) for small numbers
//! and orders near 0; I. J. Thompson, A. R. Barnett, J. Comput. Phys. 64 (1986) for continued fractions.
//!
//! Orders below [`LARGE`] go up by recurrence from one that is at most 1 / 2 in size; others, and large numbers, have
//! asymptotic expansions.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI, FRAC_PI_2, LN_2, PI};
use std::sync::LazyLock;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Builder, LocalVar, Var};

use super::airy;
use super::approximation::{either, in_double, polynomial, sin_pi};
use super::bessel_complex::{self, LOOPS};
use super::bessel_first::{y0, y1};
use super::called::called;
use super::double_double::Double;
use super::gamma::{rgamma, stirling_rest};
use super::tables::bessel_order::*;
use crate::Ufunc;
use crate::table::binary;

/// From where on orders (J, Y), or the lengths of order and number (I, K), have uniform expansions.
const LARGE: f64 = 40.0;
/// Up to this order, and from this multiple of it on, Y of whole orders goes up from the lowest.
const MOST_STEPS: f64 = 1000.0;
const FAR_OUT: f64 = 10.0;
/// From where on numbers have Hankel's expansions for orders near 0.
const HANKEL: f64 = 20.0;
/// Bounds of loops, which end earlier by their own conditions.
const TERMS: f64 = 200.0;
/// Steps of a loop between two looks at what they change.
const STEPS: u8 = 4;
/// What a sum may still change by.
const EPSILON: f64 = 5e-17;
/// Below this halves of numbers may be subnormal ones.
const TINY: f64 = 2.0 * f64::MIN_POSITIVE;
/// Up to this length their exponent has twice the digits.
const MODERATE: f64 = 1e6;
/// Terms of Debye's expansions.
pub(super) const DEBYE_TERMS: usize = 15;

/// The rows of this file.
pub(super) fn rows() -> Vec<Ufunc> {
    let whole = "ld->d, ff->f, dd->d";
    let rows = vec![
        binary("jv", LOOPS, "Bessel function of the first kind of real order.", |v, z| {
            by_type(v, z, jv, bessel_complex::jv)
        })
        .aliases(&["jn"]),
        binary("jve", LOOPS, "Exponentially scaled jv.", |v, z| by_type(v, z, jve, bessel_complex::jve)),
        binary("yn", whole, "Bessel function of the second kind of integer order.", yn),
        binary("yv", LOOPS, "Bessel function of the second kind of real order.", |v, z| {
            by_type(v, z, yv, bessel_complex::yv)
        }),
        binary("yve", LOOPS, "Exponentially scaled yv.", |v, z| by_type(v, z, yve, bessel_complex::yve)),
        binary("iv", LOOPS, "Modified Bessel function of the first kind of real order.", |v, z| {
            by_type(v, z, iv, bessel_complex::iv)
        }),
        binary("ive", LOOPS, "Exponentially scaled iv.", |v, z| by_type(v, z, ive, bessel_complex::ive)),
        binary("kn", whole, "Modified Bessel function of the second kind of integer order.", kn),
        binary("kv", LOOPS, "Modified Bessel function of the second kind of real order.", |v, z| {
            by_type(v, z, kv, bessel_complex::kv)
        }),
        binary("kve", LOOPS, "Exponentially scaled kv.", |v, z| by_type(v, z, kve, bessel_complex::kve)),
    ];
    let source = "DLMF 10: 10.2 and 10.25 (series), 10.8 and Temme (1975), Thompson and Barnett (1986), 10.17, 10.19, 10.20, \
                  10.40, 10.41; tables of ci/special/bessel_order.py";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// The body for real arguments, or that for complex ones.
fn by_type<'b>(
    v: Var<'b>,
    z: Var<'b>,
    real: fn(Var<'b>, Var<'b>) -> Var<'b>,
    complex: fn(Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    if z.dtype().is_complex() { complex(v, z) } else { real(v, z) }
}

/// The polynomials U_k(p) / p**k in p**2: DLMF 10.41.9.
pub(super) static DEBYE: LazyLock<Vec<Vec<f64>>> = LazyLock::new(|| {
    let mut result = vec![vec![1.0]];
    for k in 0..DEBYE_TERMS {
        let mut next = vec![0.0; k + 2];
        for (j, c) in result[k].iter().enumerate() {
            let n = (k + 2 * j) as f64;
            next[j] += c * (n / 2.0 + 1.0 / (8.0 * (n + 1.0)));
            next[j + 1] -= c * (n / 2.0 + 5.0 / (8.0 * (n + 3.0)));
        }
        result.push(next);
    }
    result
});

/// Two functions at a time.
#[derive(Clone, Copy)]
struct Pair<'b> {
    first: LocalVar<'b>,
    second: LocalVar<'b>,
}

impl<'b> Pair<'b> {
    fn new(like: Var<'b>) -> Pair<'b> {
        let builder = like.builder();
        Pair { first: builder.local(like.like(0.0)), second: builder.local(like.like(0.0)) }
    }

    fn set(self, (first, second): (Var<'b>, Var<'b>)) {
        self.first.set(first);
        self.second.set(second);
    }

    fn get(self) -> (Var<'b>, Var<'b>) {
        (self.first.get(), self.second.get())
    }
}

/// Sums of the even and of the odd terms of Debye's expansions; the argument `q` is p**2, `inverse` is p / v. `turning` is
/// -1 where signs of pairs of terms alternate.
fn debye<'b>(q: Var<'b>, inverse: Var<'b>, turning: f64) -> (Var<'b>, Var<'b>) {
    let square = inverse * inverse * q.like(turning);
    let term = |k: usize| polynomial(q, &DEBYE[k]);
    let sum = |from: usize| {
        let mut terms = (0..=DEBYE_TERMS).filter(|k| k % 2 == from).rev();
        let last = term(terms.next().expect("there are terms"));
        terms.fold(last, |sum, k| sum * square + term(k))
    };
    (sum(0), inverse * sum(1))
}

/// cos(pi x), exact where 2 x is whole.
fn cos_pi(x: Var<'_>) -> Var<'_> {
    let a = x.abs();
    sin_pi((a - (a * a.like(0.5)).floor() * a.like(2.0)) + a.like(0.5))
}

/// (x / 2)**v / gamma(v + 1).
pub(super) fn leading_power<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, half) = (v.builder(), x * v.like(0.5));
    // Halves of subnormal numbers are rounded.
    let power = || either(x.lt(v.like(TINY)), || x.pow(v) * (-v).exp2(), || half.pow(v), DType::F64);
    let few = || power() * called!(rgamma(v + v.like(1.0)));
    // By Stirling's series, with the rounding of the quotient, and by halves, of which neither underflows alone.
    let many = || {
        let quotient = half / v;
        let rest = builder.fma(-quotient, v, half) / half;
        let power = quotient.pow(v * v.like(0.5));
        let correction = builder.fma(v, rest, -stirling_rest(v)).exp();
        power * (v.exp() * correction / (v * v.like(2.0 * PI)).sqrt()) * power
    };
    either(v.lt(v.like(3.0)), few, many, DType::F64)
}

/// (x / 2)**v / gamma(v + 1) times the sum of the power series, whose terms have the given sign: a quotient, so that no term
/// needs a division.
fn power_series<'b>(v: Var<'b>, x: Var<'b>, sign: f64) -> Var<'b> {
    let (builder, one) = (v.builder(), v.like(1.0));
    let half = x * v.like(0.5);
    let quarter = half * half * v.like(sign);
    let (k, term) = (builder.local(v.like(0.0)), builder.local(one));
    let (numerator, denominator) = (builder.local(one), builder.local(one));
    builder.repeat(
        || term.get().abs().gt(numerator.get().abs() * v.like(EPSILON)) & k.get().lt(v.like(TERMS)),
        || {
            for step in 1..=STEPS {
                let k = k.get() + v.like(step.into());
                let next = k * (k + v);
                term.set(term.get() * quarter);
                numerator.set(builder.fma(numerator.get(), next, term.get()));
                denominator.set(denominator.get() * next);
            }
            k.set(k.get() + v.like(STEPS.into()));
        },
    );
    leading_power(v, x) * (numerator.get() / denominator.get())
}

/// Temme's sums for x up to 2 and |m| up to 1 / 2: the function of the second kind at m and m + 1, of Bessel's equation where
/// `sign` is -1, else of the modified one.
fn temme<'b>(m: Var<'b>, x: Var<'b>, sign: f64) -> (Var<'b>, Var<'b>) {
    let builder = m.builder();
    let (zero, one, half, two) = (m.like(0.0), m.like(1.0), m.like(0.5), m.like(2.0));
    let square = m * m;
    let (gamma_1, gamma_2) = (TEMME_GAMMA_1.at(square), TEMME_GAMMA_2.at(square));
    let (up, down) = (builder.fma(-m, gamma_1, gamma_2), builder.fma(m, gamma_1, gamma_2));
    // Halves of subnormal numbers are rounded.
    let tiny = x.lt(m.like(TINY));
    let log = m.like(LN_2).when(tiny, zero) - x.when(tiny, x * half).log();
    let e = m * log;
    // pi m / sin(pi m) and sinh(e) / e.
    let angle = m * m.like(PI);
    let factor = one.when(angle.abs().lt(m.like(1e-8)), angle / angle.sin());
    let sinh = one.when(e.abs().lt(m.like(1e-8)), e.sinh() / e);
    let power = e.exp();
    let modified = sign > 0.0;
    let scale = m.like(if modified { 1.0 } else { FRAC_2_PI });
    let start = scale * factor * (gamma_1 * e.cosh() + gamma_2 * sinh * log);
    let (p, q) = if modified {
        (power * half / up, half / (power * down))
    } else {
        (power / (m.like(PI) * up), one / (power * m.like(PI) * down))
    };
    // The correction that the derivative of the first kind brings: DLMF 10.8, 0 for modified functions.
    let half_angle = angle * half;
    let ratio = one.when(half_angle.abs().lt(m.like(1e-8)), half_angle.sin() / half_angle);
    let r = m.like(PI) * half_angle * ratio * ratio;
    let correct = |f: Var<'b>, q: Var<'b>| if modified { f } else { f + r * q };
    let quarter = x * x * m.like(0.25 * sign);
    let (k, c) = (builder.local(zero), builder.local(one));
    let (f, p, q) = (builder.local(start), builder.local(p), builder.local(q));
    let (sum, above) = (builder.local(correct(start, q.get())), builder.local(p.get()));
    let change = builder.local(m.like(f64::INFINITY));
    builder.repeat(
        || change.get().gt(sum.get().abs() * m.like(EPSILON)) & k.get().lt(m.like(TERMS)),
        || {
            let n = k.get() + one;
            k.set(n);
            // The reciprocals of n - m, n + m and n, of one division.
            let (less, more) = (n - m, n + m);
            let product = less * more;
            let inverse = one / (n * product);
            let of_product = inverse * n;
            f.set((n * f.get() + p.get() + q.get()) * of_product);
            c.set(c.get() * (quarter * (inverse * product)));
            p.set(p.get() * (of_product * more));
            q.set(q.get() * (of_product * less));
            let term = c.get() * correct(f.get(), q.get());
            sum.set(sum.get() + term);
            above.set(above.get() + c.get() * p.get() - n * term);
            change.set(term.abs() + above.get().abs().min(one) * m.like(1e-300));
        },
    );
    // The quotient by x alone may be infinite.
    let above = above.get() * two / x;
    if modified { (sum.get(), above) } else { (-sum.get(), -above) }
}

/// Sums of Hankel's expansions, DLMF 10.17.3: the factors of the cosine and of the sine; or, `modified`, the sum with signs
/// that alternate (K) and the one without (I).
fn hankel_sums<'b>(v: Var<'b>, x: Var<'b>, modified: bool) -> (Var<'b>, Var<'b>) {
    let builder = v.builder();
    let (zero, one) = (v.like(0.0), v.like(1.0));
    let (square, inverse) = (v * v * v.like(4.0), one / (x * v.like(8.0)));
    let (k, term) = (builder.local(zero), builder.local(one));
    let (even, odd) = (builder.local(one), builder.local(zero));
    let next = |k: Var<'b>| {
        let odd = k + k - one;
        (square - odd * odd) * inverse / k
    };
    let smallest = builder.local(v.like(f64::INFINITY));
    builder.repeat(
        || {
            let size = term.get().abs();
            size.gt(v.like(EPSILON)) & k.get().lt(v.like(100.0)) & size.le(smallest.get() * v.like(2.0))
        },
        || {
            smallest.set(term.get().abs().max(v.like(0.1)).min(smallest.get()));
            let sign = v.like(if modified { 1.0 } else { -1.0 });
            let first = term.get() * next(k.get() + one);
            odd.set(odd.get() + first);
            let second = first * next(k.get() + v.like(2.0)) * sign;
            even.set(even.get() + second);
            k.set(k.get() + v.like(2.0));
            term.set(second);
        },
    );
    if modified { (even.get() + odd.get(), even.get() - odd.get()) } else { (even.get(), odd.get()) }
}

/// J and Y by Hankel's expansion.
fn hankel<'b>(v: Var<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (p, q) = hankel_sums(v, x, false);
    // The angle is x - (v / 2 + 1 / 4) pi: x is reduced by itself, and the order modulo 4.
    let order = v * v.like(0.5);
    let turn = (order - (order * v.like(0.5)).floor() * v.like(2.0)) + v.like(0.25);
    let (a, b) = (cos_pi(turn), sin_pi(turn));
    let (s, c) = (x.sin(), x.cos());
    let (cosine, sine) = (c * a + s * b, s * a - c * b);
    let scale = v.like(FRAC_2_PI.sqrt()) / x.sqrt();
    ((cosine * p - sine * q) * scale, (sine * p + cosine * q) * scale)
}

/// Numerators and denominators of a continued fraction, which recurrences give, and which are brought back to the size of
/// numbers now and then.
struct Convergents<'b> {
    here: [LocalVar<'b>; 2],
    before: [LocalVar<'b>; 2],
}

impl<'b> Convergents<'b> {
    /// Of a / (b + ...).
    fn new(a: Var<'b>, b: Var<'b>) -> Convergents<'b> {
        let builder = a.builder();
        let local = |value: Var<'b>| builder.local(value);
        Convergents { here: [local(a), local(b)], before: [local(a.like(0.0)), local(a.like(1.0))] }
    }

    /// Appends + a / (b + ...).
    fn step(&self, a: Var<'b>, b: Var<'b>) {
        for (here, before) in self.here.iter().zip(&self.before) {
            let next = a.builder().fma(b, here.get(), a * before.get());
            before.set(here.get());
            here.set(next);
        }
    }

    fn shrink(&self) {
        let one = self.here[1].get().like(1.0);
        let scale = one.like(1e-150).when(self.here[1].get().abs().gt(one.like(1e150)), one);
        self.here.iter().chain(&self.before).for_each(|local| local.set(local.get() * scale));
    }

    fn value(&self) -> Var<'b> {
        self.here[0].get() / self.here[1].get()
    }
}

/// The ratio of the function of order v + 1 to that of order v, of the first kind, and the sign of the latter against that of
/// large orders: a continued fraction, DLMF 10.10 and 10.33.
fn ratio<'b>(v: Var<'b>, x: Var<'b>, sign: f64) -> (Var<'b>, Var<'b>) {
    let builder = v.builder();
    let (one, sign) = (v.like(1.0), v.like(sign));
    let step = v.like(2.0) / x;
    let (k, b) = (builder.local(one), builder.local((v + one) * step));
    let convergents = Convergents::new(one, b.get());
    let (value, change) = (builder.local(v.like(0.0)), builder.local(one));
    builder.repeat(
        || change.get().gt(v.like(4.5e-16)) & k.get().lt(v.like(4000.0)),
        || {
            for _ in 0..STEPS {
                b.set(b.get() + step);
                convergents.step(sign, b.get());
            }
            k.set(k.get() + v.like(STEPS.into()));
            convergents.shrink();
            let found = convergents.value();
            change.set(((found - value.get()) / found).abs());
            value.set(found);
        },
    );
    (value.get(), one.copysign(convergents.here[1].get()))
}

/// J and Y at m and m + 1, for 2 < x < [`HANKEL`]: Steed's second fraction with the first one's ratio.
fn steed<'b>(m: Var<'b>, x: Var<'b>) -> [Var<'b>; 4] {
    let builder = m.builder();
    let (one, two) = (m.like(1.0), m.like(2.0));
    // p + i q = -1 / (2 x) + i + i / x times the fraction of a(k) / (2 (x + i k)), with complex convergents.
    let (br, bi) = (x + x, builder.local(two));
    let (k, a) = (builder.local(one), builder.local(m.like(0.25) - m * m));
    let zero = m.like(0.0);
    let pair = |re: Var<'b>, im: Var<'b>| [builder.local(re), builder.local(im)];
    let (above, above_before) = (pair(a.get(), zero), pair(zero, zero));
    let (below, below_before) = (pair(br, two), pair(one, zero));
    let (value, change) = (pair(zero, zero), builder.local(one));
    builder.repeat(
        || change.get().gt(m.like(3e-16)) & k.get().lt(m.like(1000.0)),
        || {
            for _ in 0..STEPS {
                a.set(a.get() + k.get() + k.get());
                k.set(k.get() + one);
                bi.set(bi.get() + two);
                for (here, before) in [(&above, &above_before), (&below, &below_before)] {
                    let (re, im, at) = (here[0].get(), here[1].get(), bi.get());
                    let next_re = builder.fma(br, re, builder.fma(-at, im, a.get() * before[0].get()));
                    let next_im = builder.fma(br, im, builder.fma(at, re, a.get() * before[1].get()));
                    before[0].set(re);
                    before[1].set(im);
                    here[0].set(next_re);
                    here[1].set(next_im);
                }
            }
            let large = below[0].get().abs().max(below[1].get().abs()).gt(m.like(1e100));
            let scale = m.like(1e-100).when(large, one);
            for local in [above, above_before, below, below_before].into_iter().flatten() {
                local.set(local.get() * scale);
            }
            let (re, im) = (below[0].get(), below[1].get());
            let inverse = one / (re * re + im * im);
            let found_re = (above[0].get() * re + above[1].get() * im) * inverse;
            let found_im = (above[1].get() * re - above[0].get() * im) * inverse;
            change.set((found_re - value[0].get()).abs() + (found_im - value[1].get()).abs());
            value[0].set(found_re);
            value[1].set(found_im);
        },
    );
    let (p, q) = (-(m.like(0.5) + value[1].get()) / x, one + value[0].get() / x);
    let (up, sign) = ratio(m, x, -1.0);
    let slope = m / x - up;
    let gamma = (p - slope) / q;
    let wronskian = m.like(FRAC_2_PI) / x;
    let first = sign * (wronskian / ((p - slope) * gamma + q)).sqrt();
    // Y = gamma J, and its derivative from p and q, without quotients by J.
    let second = first * gamma;
    let derivative = first * (q + p * gamma);
    [first, second, first * up, m / x * second - derivative]
}

/// J and Y of order v below [`LARGE`] and x up to its half square; each one where it is wanted.
fn by_recurrence<'b>(v: Var<'b>, x: Var<'b>, wanted: Wanted<'b>) -> (Var<'b>, Var<'b>) {
    let builder = v.builder();
    let one = v.like(1.0);
    let few = (x * x).le(v.like(8.0) * (v + one)) & x.le(v.like(12.0)) | x.le(v.like(2.0));
    let result = Pair::new(v);
    builder.branch(few & !wanted.second, || {}, || result.set(called!(upward(v, x, few))));
    builder.branch(few & wanted.first, || result.first.set(power_series(v, x, -1.0)), || {});
    result.get()
}

/// Y, and J where the power series has no digits, or the terms are not `few`.
fn upward<'b>(v: Var<'b>, x: Var<'b>, few: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = v.builder();
    let (zero, one) = (v.like(0.0), v.like(1.0));
    let steps = (v + v.like(0.5)).floor();
    let m = v - steps;
    let locals = [(); 4].map(|()| builder.local(zero));
    let set = |values: [Var<'b>; 4]| locals.iter().zip(values).for_each(|(local, value)| local.set(value));
    builder.branch(
        x.gt(v.like(HANKEL)),
        || {
            let (at, above) = (called!(hankel(m, x)), called!(hankel(m + one, x)));
            set([at.0, at.1, above.0, above.1]);
        },
        || {
            builder.branch(
                x.le(v.like(2.0)),
                || {
                    let (at, above) = temme(m, x, -1.0);
                    set([zero, at, zero, above]);
                },
                || set(called!(steed(m, x))),
            );
        },
    );
    let [j, y, j_above, y_above] = locals;
    let k = builder.local(zero);
    builder.repeat(
        || k.get().lt(steps),
        || {
            k.set(k.get() + one);
            let twice = (m + k.get()) * v.like(2.0) / x;
            let (next_j, next_y) = (twice * j_above.get() - j.get(), twice * y_above.get() - y.get());
            j.set(j_above.get());
            // An infinite one stays that.
            y.set(y_above.get());
            j_above.set(next_j);
            y_above.set(y_above.get().when(y_above.get().eq(v.like(f64::NEG_INFINITY)), next_y));
        },
    );
    let fraction = || {
        let (up, _) = ratio(v, x, -1.0);
        v.like(FRAC_2_PI) / x / (up * y.get() - y_above.get())
    };
    let first = either(v.gt(x) & !few, fraction, || j.get(), DType::F64);
    (first, y.get())
}

/// J and Y of an order from [`LARGE`] on and a number below its half square: DLMF 10.19 and, near the turning point, 10.20.
fn uniform<'b>(v: Var<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = v.builder();
    let (zero, one) = (v.like(0.0), v.like(1.0));
    let z = x / v;
    // 1 - z**2, exact near the turning point.
    let s = ((v - x) / v) * ((v + x) / v);
    let w = s.abs().sqrt();
    let below = s.gt(zero);
    // (atanh(w) - w) / w**3, or (w - atan(w)) / w**3 beyond the turning point.
    let direct = || {
        let inside = ((one + w) / z).log() - w;
        inside.when(below, w - w.atan()) / (w * w * w)
    };
    let near = s.abs().lt(v.like(0.3));
    let rest = either(near, || ATANH_REST.at(s), direct, DType::F64);
    let xi = v * (w * w * w * rest);
    let result = Pair::new(v);
    let far = || {
        let r = v * w;
        let inverse = one / r;
        let q = one / s;
        let scale = (v.like(FRAC_2_PI) / r).sqrt();
        builder.branch(
            below,
            || {
                let (even, odd) = debye(q, inverse, 1.0);
                let (shrink, grow) = ((-xi).exp(), xi.exp());
                let half = scale * v.like(0.5);
                result.set((half * (even + odd) * shrink, -(scale * (even - odd) * grow)));
            },
            || {
                let (even, odd) = debye(q, inverse, -1.0);
                let (s, c) = (xi.sin(), xi.cos());
                let scale = scale * v.like(FRAC_1_SQRT_2);
                let (cosine, sine) = ((c + s) * scale, (s - c) * scale);
                result.set((cosine * even + sine * odd, sine * even - cosine * odd));
            },
        );
    };
    let turning = || {
        let two_thirds = v.like(1.5) * rest;
        let root = two_thirds.cbrt();
        let zeta = s * root * root;
        let third = v.cbrt();
        let argument = third * third * zeta;
        let airy::Airy { values: [ai, ai_slope, bi, bi_slope], zeta: scale, .. } = airy::scaled(argument);
        let inverse = one / (v * v);
        let a = ((OLVER_A3.at(zeta) * inverse + OLVER_A2.at(zeta)) * inverse + OLVER_A1.at(zeta)) * inverse + one;
        let b = (OLVER_B3.at(zeta) * inverse + OLVER_B2.at(zeta)) * inverse + OLVER_B1.at(zeta);
        let b = b * inverse + OLVER_B0.at(zeta);
        // (4 zeta / (1 - z**2))**(1 / 4), of the quotient's root.
        let factor = (root * v.like(2.0)).sqrt() / third;
        let slope = b / (third * v);
        let (shrink, grow) = ((-scale).exp(), scale.exp());
        result.set((factor * (ai * a + ai_slope * slope) * shrink, -(factor * (bi * a + bi_slope * slope) * grow)));
    };
    builder.branch(xi.ge(v.like(30.0)), far, turning);
    result.get()
}

/// Which of two functions is computed for an element: the other one may be any number.
#[derive(Clone, Copy)]
struct Wanted<'b> {
    first: Var<'b>,
    second: Var<'b>,
}

impl<'b> Wanted<'b> {
    fn both(builder: &'b Builder) -> Wanted<'b> {
        Wanted { first: builder.boolean(true), second: builder.boolean(true) }
    }
}

/// J and Y of a finite order v, not negative, and a finite positive x.
pub(super) fn bessel<'b>(v: Var<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>) {
    bessel_where(v, x, Wanted::both(v.builder()))
}

fn bessel_where<'b>(v: Var<'b>, x: Var<'b>, wanted: Wanted<'b>) -> (Var<'b>, Var<'b>) {
    let builder = v.builder();
    let result = Pair::new(v);
    let far = x.ge(v.like(HANKEL)) & (x + x).ge(v * v);
    builder.branch(
        far,
        || result.set(called!(hankel(v, x))),
        || {
            builder.branch(
                v.lt(v.like(LARGE)),
                || result.set(by_recurrence(v, x, wanted)),
                || result.set(called!(uniform(v, x))),
            );
        },
    );
    result.get()
}

/// I and K of a finite order v, not negative, and a finite positive x.
pub(super) fn modified<'b>(v: Var<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>) {
    modified_where(v, x, Wanted::both(v.builder()), false)
}

/// I and K, or where `scaled` exp(-x) I and exp(x) K. Either may be in range where the other one is not.
fn modified_where<'b>(v: Var<'b>, x: Var<'b>, wanted: Wanted<'b>, scaled: bool) -> (Var<'b>, Var<'b>) {
    let builder = v.builder();
    let (one, half) = (v.like(1.0), v.like(0.5));
    let result = Pair::new(v);
    let length = v.hypot(x);
    let uniform = || {
        let ratio = v / length;
        let (even, odd) = debye(ratio * ratio, one / length, 1.0);
        // The exponent less x.
        let (high, low) = called!(debye_exponent(v, x, length));
        let exponent = Double { high, low };
        let scale = one / length.sqrt();
        let (first, second) =
            (scale * v.like((0.5 / PI).sqrt()) * (even + odd), scale * v.like(FRAC_PI_2.sqrt()) * (even - odd));
        if scaled {
            result.set((first * exponent.exp(), second * exponent.negated().exp()));
        } else {
            // With x, and by halves: the factors' product may be finite where one is not.
            let sum = exponent.plus(Double::new(x));
            let half = |sign: f64| sum.scaled(v.like(0.5 * sign)).exp();
            let (grow, shrink) = (half(1.0), half(-1.0));
            result.set((first * grow * grow, second * shrink * shrink));
        }
    };
    let second = || {
        let steps = (v + half).floor();
        let m = v - steps;
        let (at, above) = (builder.local(one), builder.local(one));
        builder.branch(
            x.le(v.like(2.0)),
            || {
                let (first, second) = temme(m, x, 1.0);
                let scale = if scaled { x.exp() } else { one };
                at.set(first * scale);
                above.set(second * scale);
            },
            || {
                let (first, second) = called!(second_fraction(m, x));
                let scale = if scaled { one } else { (-x).exp() };
                at.set(first * scale);
                above.set(second * scale);
            },
        );
        let k = builder.local(v.like(0.0));
        builder.repeat(
            || k.get().lt(steps),
            || {
                k.set(k.get() + one);
                let next = (m + k.get()) * v.like(2.0) / x * above.get() + at.get();
                at.set(above.get());
                above.set(next);
            },
        );
        result.second.set(at.get());
    };
    let small = || {
        let scale = if scaled { (-x).exp() } else { one };
        builder.branch(wanted.first, || result.first.set(power_series(v, x, 1.0) * scale), || {});
        builder.branch(wanted.second, second, || {});
    };
    builder.branch(length.ge(v.like(LARGE)), uniform, small);
    result.get()
}

/// The exponent of Debye's expansions less x, `length` is that of (v, x): that of moderate numbers with twice the digits.
fn debye_exponent<'b>(v: Var<'b>, x: Var<'b>, length: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (builder, zero) = (v.builder(), v.like(0.0));
    let (high, low) = (builder.local(zero), builder.local(zero));
    let precise = || {
        let squared = |number: Var<'b>| Double::new(number).times(Double::new(number));
        let rest = squared(v).plus(squared(x)).plus(squared(length).negated()).high / (length + length);
        let length = Double { high: length, low: rest };
        let log = Double::new(v).plus(length).over(Double::new(x)).log();
        let sum = length.plus(Double::new(-x)).plus(log.scaled(-v));
        high.set(sum.high);
        low.set(sum.low);
    };
    let plain = || high.set(v * (v / (length + x)) - v * asinh_ratio(v, x));
    builder.branch(length.lt(v.like(MODERATE)) & x.gt(v.like(1.0 / MODERATE)), precise, plain);
    (high.get(), low.get())
}

/// asinh(v / x) without overflow.
fn asinh_ratio<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    let ratio = v / x;
    let far = v.log() - x.log() + v.like(LN_2);
    ratio.min(v.like(1e30)).asinh().when(ratio.lt(v.like(1e20)), far)
}

/// exp(x) K at m and m + 1, for x beyond 2: Temme's sum along the second fraction.
fn second_fraction<'b>(m: Var<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = m.builder();
    let (zero, one, half) = (m.like(0.0), m.like(1.0), m.like(0.5));
    let start = one / ((one + x) + (one + x));
    let (b, d) = (builder.local((one + x) + (one + x)), builder.local(start));
    let (h, change) = (builder.local(start), builder.local(start));
    let (before, current) = (builder.local(zero), builder.local(one));
    let first = m.like(0.25) - m * m;
    let (q, c, a) = (builder.local(first), builder.local(first), builder.local(-first));
    let sum = builder.local(one + first * start);
    let (k, term) = (builder.local(one), builder.local(m.like(f64::INFINITY)));
    builder.repeat(
        || term.get().abs().gt(sum.get().abs() * m.like(EPSILON)) & k.get().lt(m.like(1000.0)),
        || {
            a.set(a.get() - (k.get() + k.get()));
            k.set(k.get() + one);
            c.set(-(a.get() * c.get()) / k.get());
            let next = (before.get() - b.get() * current.get()) / a.get();
            before.set(current.get());
            current.set(next);
            q.set(q.get() + c.get() * next);
            b.set(b.get() + m.like(2.0));
            d.set(one / (b.get() + a.get() * d.get()));
            change.set((b.get() * d.get() - one) * change.get());
            h.set(h.get() + change.get());
            term.set(q.get() * change.get());
            sum.set(sum.get() + term.get());
        },
    );
    let value = m.like(FRAC_PI_2.sqrt()) / x.sqrt() / sum.get();
    (value, value * (m + x + half - first * h.get()) / x)
}

/// The arguments that the functions above take: the size of the order and of the number, or numbers in their place that do no
/// harm; and whether they are those.
struct Arguments<'b> {
    v: Var<'b>,
    x: Var<'b>,
    proper: Var<'b>,
}

fn arguments<'b>(v: Var<'b>, x: Var<'b>) -> Arguments<'b> {
    let (zero, infinity) = (v.like(0.0), v.like(f64::INFINITY));
    let proper = v.abs().lt(infinity) & x.abs().lt(infinity) & x.abs().gt(zero);
    Arguments { v: v.abs().when(proper, v.like(0.25)), x: x.abs().when(proper, v.like(1.0)), proper }
}

/// 1, or -1 for an odd order.
fn parity(v: Var<'_>) -> Var<'_> {
    let half = v * v.like(0.5);
    v.like(1.0).when(half.eq(half.floor()), v.like(-1.0))
}

fn is_whole(v: Var<'_>) -> Var<'_> {
    v.eq(v.floor())
}

/// J of an order v and a number x in float64: DLMF 10.4.1 and 10.11.1.
fn first_kind<'b>(v: Var<'b>, x: Var<'b>, scaled: bool) -> Var<'b> {
    let (zero, one, nan, infinity) = (v.like(0.0), v.like(1.0), v.like(f64::NAN), v.like(f64::INFINITY));
    let Arguments { v: a, x: size, proper } = arguments(v, x);
    let (whole, negative) = (is_whole(v), v.lt(zero));
    let wanted = Wanted { first: v.builder().boolean(true), second: negative & !whole };
    let (j, y) = bessel_where(a, size, wanted);
    let cosine = cos_pi(a);
    let reflected = (cosine * j).when(whole, zero.when(cosine.eq(zero), cosine * j) - sin_pi(a) * y);
    let value = reflected.when(negative, j);
    let value = (value * parity(v)).when(x.lt(zero), value);
    let value = nan.when(x.lt(zero) & !whole, value);
    // At 0: 1 of order 0, 0 of positive and whole ones, else infinite with the sign of 1 / gamma(v + 1).
    let pole = if scaled { nan } else { infinity.copysign(gamma_sign(v)) };
    let negative_whole = (zero * parity(v)).when(whole, pole);
    let at_zero = one.when(v.eq(zero), zero.when(v.gt(zero), negative_whole));
    let at_zero = (if scaled { nan } else { zero }).when(v.abs().eq(infinity), at_zero);
    value.when(proper, nan.when(x.ne(zero) | v.is_nan(), at_zero))
}

/// The sign of gamma(v + 1) for a negative v that is not whole.
fn gamma_sign(v: Var<'_>) -> Var<'_> {
    let below = v.floor() + v.like(1.0);
    parity(below).when(v.lt(v.like(-1.0)), v.like(1.0))
}

/// What orders a function is for.
#[derive(Clone, Copy)]
enum Orders {
    Real,
    Whole,
}

/// Y of a whole order, not negative, by recurrence from orders 0 and 1.
fn from_lowest<'b>(n: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, one) = (n.builder(), n.like(1.0));
    let (y, above, k) = (builder.local(called!(y0(x))), builder.local(called!(y1(x))), builder.local(n.like(0.0)));
    let step = n.like(2.0) / x;
    builder.repeat(
        || k.get().lt(n),
        || {
            k.set(k.get() + one);
            let next = k.get() * step * above.get() - y.get();
            y.set(above.get());
            // An infinite one stays that.
            above.set(above.get().when(above.get().eq(n.like(f64::NEG_INFINITY)), next));
        },
    );
    y.get()
}

/// Y of an order v and a number x in float64: DLMF 10.4.1.
fn second_kind<'b>(v: Var<'b>, x: Var<'b>, scaled: bool, orders: Orders) -> Var<'b> {
    let (zero, nan, low) = (v.like(0.0), v.like(f64::NAN), v.like(f64::NEG_INFINITY));
    let Arguments { v: a, x: size, proper } = arguments(v, x);
    let wanted = Wanted { first: v.lt(zero) & !is_whole(v), second: v.builder().boolean(true) };
    let (j, y) = match orders {
        Orders::Real => bessel_where(a, size, wanted),
        Orders::Whole => {
            let beyond = || bessel_where(a, size, wanted).1;
            // Far out the phase of other formulas is rounded.
            let far = a.le(v.like(MOST_STEPS)) & size.gt(a * v.like(FAR_OUT));
            (zero, either(a.lt(v.like(LARGE)) | far, || from_lowest(a, size), beyond, DType::F64))
        }
    };
    let cosine = cos_pi(a);
    let reflected = (cosine * y).when(is_whole(v), zero.when(cosine.eq(zero), cosine * y) + sin_pi(a) * j);
    let value = nan.when(x.lt(zero), reflected.when(v.lt(zero), y));
    // The sign at 0 is that of the nearest whole order, the smaller of two.
    let order = (v.abs() - v.like(0.5)).ceil();
    let at_zero = (low * parity(order)).when(v.lt(zero) & v.abs().lt(v.like(f64::INFINITY)), low);
    let at_zero = if scaled { nan } else { at_zero };
    value.when(proper, nan.when(x.ne(zero) | v.is_nan(), at_zero))
}

/// I of an order v and a number x in float64, times exp(-|x|) where `scaled`: DLMF 10.27.2.
fn modified_first<'b>(v: Var<'b>, x: Var<'b>, scaled: bool) -> Var<'b> {
    let (zero, one, nan, infinity) = (v.like(0.0), v.like(1.0), v.like(f64::NAN), v.like(f64::INFINITY));
    let Arguments { v: a, x: size, proper } = arguments(v, x);
    let whole = is_whole(v);
    let wanted = Wanted { first: v.builder().boolean(true), second: v.lt(zero) & !whole };
    let (i, k) = modified_where(a, size, wanted, scaled);
    let sine = sin_pi(a) * v.like(FRAC_2_PI);
    let shrink = if scaled { (-size).exp() } else { one };
    let value = i.when(whole | v.ge(zero), i + sine * k * shrink * shrink);
    let value = (value * parity(v)).when(x.lt(zero), value);
    let value = nan.when(x.lt(zero) & !whole, value);
    let pole = if scaled { nan } else { infinity };
    let at_zero = one.when(v.eq(zero), zero.when(whole | v.gt(zero), pole));
    // Of infinite order all finite numbers have 0.
    let infinite = v.abs().eq(infinity);
    let at_zero = if scaled { nan.when(infinite, at_zero) } else { at_zero };
    let other = if scaled { nan } else { zero.when(infinite & x.abs().lt(infinity), nan) };
    value.when(proper, other.when(x.ne(zero) | v.is_nan(), at_zero))
}

/// K of an order v and a number x in float64, times exp(x) where `scaled`.
fn modified_second<'b>(v: Var<'b>, x: Var<'b>, scaled: bool) -> Var<'b> {
    let (zero, nan, infinity) = (v.like(0.0), v.like(f64::NAN), v.like(f64::INFINITY));
    let Arguments { v: a, x: size, proper } = arguments(v, x);
    let wanted = Wanted { first: v.builder().boolean(false), second: v.builder().boolean(true) };
    let (_, k) = modified_where(a, size, wanted, scaled);
    let value = nan.when(x.lt(zero), k);
    let edge = if scaled { nan } else { zero.when(x.eq(infinity) & v.abs().lt(infinity), nan) };
    value.when(proper, infinity.when(x.eq(zero) & !v.is_nan(), edge))
}

/// J.
pub(super) fn jv<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[v, x], |inputs| first_kind(inputs[0], inputs[1], false))
}

/// J: the scale of a real number is 1.
fn jve<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[v, x], |inputs| first_kind(inputs[0], inputs[1], true))
}

/// Y.
pub(super) fn yv<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[v, x], |inputs| second_kind(inputs[0], inputs[1], false, Orders::Real))
}

/// Y: the scale of a real number is 1.
fn yve<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[v, x], |inputs| second_kind(inputs[0], inputs[1], true, Orders::Real))
}

/// Y of the order without its fraction.
fn yn<'b>(n: Var<'b>, x: Var<'b>) -> Var<'b> {
    second_kind(n.cast(DType::F64).trunc(), x.cast(DType::F64), false, Orders::Whole).cast(x.dtype())
}

/// I.
pub(super) fn iv<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[v, x], |inputs| modified_first(inputs[0], inputs[1], false))
}

/// exp(-|x|) I.
fn ive<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[v, x], |inputs| modified_first(inputs[0], inputs[1], true))
}

/// K of the order without its fraction.
fn kn<'b>(n: Var<'b>, x: Var<'b>) -> Var<'b> {
    modified_second(n.cast(DType::F64).trunc(), x.cast(DType::F64), false).cast(x.dtype())
}

/// K.
pub(super) fn kv<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[v, x], |inputs| modified_second(inputs[0], inputs[1], false))
}

/// exp(x) K.
fn kve<'b>(v: Var<'b>, x: Var<'b>) -> Var<'b> {
    in_double(&[v, x], |inputs| modified_second(inputs[0], inputs[1], true))
}
