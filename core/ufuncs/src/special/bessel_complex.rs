//! Bessel functions of real order and complex argument. One engine gives I and K in the first quadrant, the other functions
//! come from rotations and reflections: DLMF 10.4, 10.11, 10.27, 10.34; D. E. Amos, ACM TOMS 12 (1986).
//!
//! Away from the turning point i v Debye's uniform expansions hold (DLMF 10.41); elsewhere K goes up by recurrence from an
//! order of at most 1 / 2 (Temme's sums), and I comes from its series or from the Wronskian.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, PI};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{TINY, cos_pi, either, sin_pi};
use super::bessel_order::{DEBYE, DEBYE_TERMS, leading_power};
use super::tables::bessel_order::{TEMME_GAMMA_1, TEMME_GAMMA_2};
use crate::Ufunc;
use crate::table::binary;

/// How far the exponent is from that of the turning point where Debye's expansions have all digits.
const FAR: f64 = 30.0;
/// The absolute value of sqrt(v**2 + z**2) from which on they do.
const LONG: f64 = 12.0;
/// The largest order of recurrences. Above it the result is NaN next to the turning point.
const LARGEST: f64 = 20_000.0;
/// The relative change at which a sum has converged.
const EPSILON: f64 = 5e-17;
/// The largest number of terms; sums end earlier by their own conditions.
const TERMS: f64 = 500.0;
/// Recurrences divide by this once a number is larger.
const HUGE: f64 = 1e250;
/// A power of two that makes subnormal numbers normal ones.
const LIFT: f64 = (1_u64 << 60) as f64;

/// The type loops of functions of real and complex arguments.
pub(super) const LOOPS: &str = "ff->f, dd->d, fF->F, dD->D";

/// The rows of this file.
pub(super) fn rows() -> Vec<Ufunc> {
    const HANKEL: &str = "fF->F, dD->D";
    let rows = vec![
        binary("hankel1", HANKEL, "Hankel function of the first kind.", |v, z| hankel(v, z, false, false)),
        binary("hankel1e", HANKEL, "Exponentially scaled hankel1, times exp(-i z).", |v, z| hankel(v, z, false, true)),
        binary("hankel2", HANKEL, "Hankel function of the second kind.", |v, z| hankel(v, z, true, false)),
        binary("hankel2e", HANKEL, "Exponentially scaled hankel2, times exp(i z).", |v, z| hankel(v, z, true, true)),
    ];
    let source = "DLMF 10.25, 10.27, 10.34, 10.41; Temme (1975); Amos, ACM TOMS 12 (1986), for the arrangement";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// A number as a complex one.
pub(super) fn number<'b>(re: Var<'b>) -> Var<'b> {
    re.builder().complex(re, re.like(0.0))
}

/// A complex number times a real one.
pub(super) fn scale<'b>(z: Var<'b>, by: Var<'b>) -> Var<'b> {
    z.builder().complex(z.re() * by, z.im() * by)
}

/// The sum of the absolute values of both parts.
pub(super) fn size(z: Var<'_>) -> Var<'_> {
    z.re().abs() + z.im().abs()
}

/// exp(i pi x).
pub(super) fn turn(x: Var<'_>) -> Var<'_> {
    x.builder().complex(cos_pi(x), sin_pi(x))
}

/// i z.
pub(super) fn times_i(z: Var<'_>) -> Var<'_> {
    z.builder().complex(-z.im(), z.re())
}

/// A polynomial of a complex number with real coefficients, the constant first.
pub(super) fn polynomial<'b>(z: Var<'b>, coefficients: &[f64]) -> Var<'b> {
    let re = z.re();
    let (last, rest) = coefficients.split_last().expect("a polynomial has a coefficient");
    rest.iter().rev().fold(number(re.like(*last)), |sum, &c| sum * z + number(re.like(c)))
}

/// exp(-z - shift) I and exp(z + shift) K.
#[derive(Clone, Copy)]
pub(super) struct Modified<'b> {
    /// exp(-z - shift) I.
    pub(super) i: Var<'b>,
    /// exp(z + shift) K.
    pub(super) k: Var<'b>,
    /// A real number that keeps both in range; 0 for orders up to 50.
    shift: Var<'b>,
}

/// From this real part on [`Modified::shift`] holds the real part of the exponent.
const SHIFTED: f64 = 300.0;

/// Temme's sums for |z| up to 2: K at m and m + 1.
fn temme<'b>(m: Var<'b>, z: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = m.builder();
    let (zero, one, half, two) = (m.like(0.0), m.like(1.0), m.like(0.5), m.like(2.0));
    let square = m * m;
    let (gamma_1, gamma_2) = (TEMME_GAMMA_1.at(square), TEMME_GAMMA_2.at(square));
    let (up, down) = (builder.fma(-m, gamma_1, gamma_2), builder.fma(m, gamma_1, gamma_2));
    let log = -scale(z, half).log();
    let e = scale(log, m);
    let angle = m * m.like(PI);
    let factor = one.when(angle.abs().lt(m.like(1e-8)), angle / angle.sin());
    let sinh = number(one).when(size(e).lt(m.like(1e-8)), e.sinh() / e);
    let power = e.exp();
    let start = scale(scale(e.cosh(), gamma_1) + scale(sinh * log, gamma_2), factor);
    let (p, q) = (scale(power, half / up), number(half / down) / power);
    let quarter = scale(z * z, m.like(0.25));
    let (k, c) = (builder.local(zero), builder.local(number(one)));
    let (f, p, q) = (builder.local(start), builder.local(p), builder.local(q));
    let (sum, above) = (builder.local(start), builder.local(p.get()));
    let change = builder.local(m.like(f64::INFINITY));
    builder.repeat(
        || change.get().gt(size(sum.get()) * m.like(EPSILON)) & k.get().lt(m.like(TERMS)),
        || {
            let n = k.get() + one;
            k.set(n);
            f.set(scale(scale(f.get(), n) + p.get() + q.get(), one / (n * n - square)));
            c.set(scale(c.get() * quarter, one / n));
            p.set(scale(p.get(), one / (n - m)));
            q.set(scale(q.get(), one / (n + m)));
            let term = c.get() * f.get();
            sum.set(sum.get() + term);
            above.set(above.get() + c.get() * p.get() - scale(term, n));
            change.set(size(term));
        },
    );
    // Quotients by subnormal numbers alone are infinite.
    let lift = m.like(LIFT).when(size(z).lt(m.like(TINY)), one);
    (sum.get(), scale(above.get(), two * lift) / scale(z, lift))
}

/// exp(z) K at m and m + 1 beyond 2: Temme's sum along the second continued fraction.
fn second_fraction<'b>(m: Var<'b>, z: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = m.builder();
    let (zero, one, half) = (m.like(0.0), m.like(1.0), m.like(0.5));
    let unit = number(one);
    let start = unit / ((unit + z) + (unit + z));
    let (b, d) = (builder.local((unit + z) + (unit + z)), builder.local(start));
    let (h, change) = (builder.local(start), builder.local(start));
    let (before, current) = (builder.local(number(zero)), builder.local(unit));
    let first = m.like(0.25) - m * m;
    let (c, a) = (builder.local(first), builder.local(-first));
    let q = builder.local(number(first));
    let sum = builder.local(unit + scale(start, first));
    let (k, term) = (builder.local(one), builder.local(m.like(f64::INFINITY)));
    builder.repeat(
        || term.get().gt(size(sum.get()) * m.like(EPSILON)) & k.get().lt(m.like(2000.0)),
        || {
            a.set(a.get() - (k.get() + k.get()));
            k.set(k.get() + one);
            c.set(-(a.get() * c.get()) / k.get());
            let next = scale(before.get() - b.get() * current.get(), one / a.get());
            before.set(current.get());
            current.set(next);
            q.set(q.get() + scale(next, c.get()));
            b.set(b.get() + number(m.like(2.0)));
            d.set(unit / (b.get() + scale(d.get(), a.get())));
            change.set((b.get() * d.get() - unit) * change.get());
            h.set(h.get() + change.get());
            let step = q.get() * change.get();
            term.set(size(step));
            sum.set(sum.get() + step);
        },
    );
    let value = number(m.like(FRAC_PI_2.sqrt())) / (z.sqrt() * sum.get());
    (value, value * ((number(m + half) + z) - scale(h.get(), first)) / z)
}

/// The ratio of I at v + 1 to that at v: a continued fraction by Lentz's rule, DLMF 10.33.
fn ratio<'b>(v: Var<'b>, z: Var<'b>) -> Var<'b> {
    let builder = v.builder();
    let (one, tiny) = (v.like(1.0), v.like(1e-300));
    let unit = number(one);
    let away = |value: Var<'b>| number(tiny).when(size(value).eq(v.like(0.0)), value);
    let step = number(v.like(2.0)) / z;
    let first = scale(step, v + one);
    let start = unit / away(first);
    let (k, b) = (builder.local(one), builder.local(first));
    let (c, d, h) = (builder.local(number(one / tiny)), builder.local(start), builder.local(start));
    let change = builder.local(v.like(f64::INFINITY));
    builder.repeat(
        || change.get().gt(v.like(3e-16)) & k.get().lt(v.like(2.0 * LARGEST)),
        || {
            k.set(k.get() + one);
            b.set(b.get() + step);
            d.set(unit / away(b.get() + d.get()));
            c.set(away(b.get() + unit / c.get()));
            let factor = c.get() * d.get();
            change.set(size(factor - unit));
            h.set(h.get() * factor);
        },
    );
    h.get()
}

/// exp(-z) I by its power series.
fn power_series<'b>(v: Var<'b>, z: Var<'b>) -> Var<'b> {
    let (builder, one) = (v.builder(), v.like(1.0));
    let half = scale(z, v.like(0.5));
    let quarter = half * half;
    let (k, term, sum) = (builder.local(v.like(0.0)), builder.local(number(one)), builder.local(number(one)));
    builder.repeat(
        || size(term.get()).gt(size(sum.get()) * v.like(EPSILON)) & k.get().lt(v.like(TERMS)),
        || {
            k.set(k.get() + one);
            term.set(scale(term.get() * quarter, one / (k.get() * (k.get() + v))));
            sum.set(sum.get() + term.get());
        },
    );
    let angle = v * z.im().atan2(z.re());
    let direction = builder.complex(angle.cos(), angle.sin());
    scale(direction * sum.get() * (-z).exp(), leading_power(v, z.re().hypot(z.im())))
}

/// I and K of a finite order v, not negative, at a finite z in the first quadrant, not 0.
fn first_quadrant<'b>(v: Var<'b>, z: Var<'b>) -> Modified<'b> {
    let builder = v.builder();
    let (zero, one) = (v.like(0.0), v.like(1.0));
    let (x, y) = (z.re(), z.im());
    // sqrt(v**2 + z**2) by factors, exact beside the turning point.
    let length = builder.complex(x, y + v).sqrt() * builder.complex(x, y - v).sqrt();
    let rest = scale(number(v) / (length + z), v);
    // asinh(v / z), accurate where v / z is small.
    let exponent = rest - scale(((number(v) + rest) / z).log1p(), v);
    let xi = exponent + z - builder.complex(zero, v * v.like(FRAC_PI_2));
    let short = x.hypot(y).le(v.like(2.0));
    // For small |z| the exponents are large: recurrences keep more digits.
    let far = size(xi).ge(v.like(FAR * std::f64::consts::SQRT_2)) & size(length).ge(v.like(LONG));
    let far = far & (!short | v.gt(v.like(50.0)));
    let unknown = builder.complex(v.like(f64::NAN), v.like(f64::NAN));
    let (i, k, shift) = (builder.local(unknown), builder.local(unknown), builder.local(zero));
    let uniform = || {
        let large = exponent.re().abs().gt(v.like(SHIFTED));
        shift.set(exponent.re().when(large, zero));
        let rest = builder.complex(zero.when(large, exponent.re()), exponent.im());
        let inverse = number(one) / length;
        let p = scale(inverse, v);
        let (q, square) = (p * p, inverse * inverse);
        let term = |k: usize| polynomial(q, &DEBYE[k]);
        let sum = |from: usize| {
            let mut terms = (0..=DEBYE_TERMS).filter(|k| k % 2 == from).rev();
            let last = term(terms.next().expect("there are terms"));
            terms.fold(last, |sum, k| sum * square + term(k))
        };
        let (even, odd) = (sum(0), inverse * sum(1));
        let root = number(one) / length.sqrt();
        let second = scale(root * (even - odd), v.like(FRAC_PI_2.sqrt())) * (-rest).exp();
        let first = scale(root * (even + odd), v.like((0.5 / PI).sqrt())) * rest.exp();
        // Beyond the Stokes line from the turning point: i exp(i pi v) K / pi.
        let beyond = xi.im().gt(zero) & xi.re().gt(v.like(-1.0));
        let shifted = z + number(shift.get());
        let other = times_i(turn(v) * (-(shifted + shifted)).exp() * second);
        i.set(first + scale(other, v.like(1.0 / PI)).when(beyond, number(zero)));
        k.set(second);
    };
    let near = || {
        let steps = (v + v.like(0.5)).floor();
        let m = v - steps;
        let (at, above) = (builder.local(number(one)), builder.local(number(one)));
        builder.branch(
            short,
            || {
                let (first, second) = temme(m, z);
                let grow = z.exp();
                at.set(first * grow);
                above.set(second * grow);
            },
            || {
                let (first, second) = second_fraction(m, z);
                at.set(first);
                above.set(second);
            },
        );
        let double = number(v.like(2.0)) / z;
        let (count, divided) = (builder.local(zero), builder.local(one));
        builder.repeat(
            || count.get().lt(steps),
            || {
                count.set(count.get() + one);
                let next = scale(double, m + count.get()) * above.get() + at.get();
                let large = size(next).gt(v.like(HUGE));
                let factor = v.like(1.0 / HUGE).when(large, one);
                at.set(scale(above.get(), factor));
                above.set(scale(next, factor));
                divided.set(divided.get() * factor);
            },
        );
        // Numbers that were divided are out of range.
        let infinite = divided.get().lt(one);
        let beyond = scale(at.get(), v.like(HUGE));
        k.set(beyond.when(infinite, at.get()));
        let by_series = short | (x * x + y * y).le((v + one) * v.like(4.0));
        let wronskian = || {
            let sum = above.get() + ratio(v, z) * at.get();
            scale(number(one) / (z * sum), divided.get())
        };
        i.set(either(by_series, || power_series(v, z), wronskian, DType::C128));
    };
    builder.branch(far, uniform, || builder.branch(v.lt(v.like(LARGEST)), near, || ()));
    Modified { i: i.get(), k: k.get(), shift: shift.get() }
}

/// I and K at z in the right half plane.
pub(super) fn right_half_plane<'b>(v: Var<'b>, z: Var<'b>) -> Modified<'b> {
    let builder = v.builder();
    let below = z.im().lt(v.like(0.0));
    let Modified { i, k, shift } = first_quadrant(v, builder.complex(z.re(), z.im().abs()));
    Modified { i: i.conj().when(below, i), k: k.conj().when(below, k), shift }
}

impl<'b> Modified<'b> {
    /// z + shift.
    fn exponent(&self, z: Var<'b>) -> Var<'b> {
        z + number(self.shift)
    }
}

/// The sum of `first` exp(-by) and `second` exp(by) as a number and an exponent: that of the larger exponential.
fn joined<'b>(first: Var<'b>, second: Var<'b>, by: Var<'b>) -> (Var<'b>, Var<'b>) {
    let falls = is_negative(by.re());
    let grows = (-by).when(falls, by);
    let shrink = (-(grows + grows)).exp();
    let sum = (first + second * shrink).when(falls, first * shrink + second);
    (sum, grows)
}

/// z times exp(by) of a real number, in two halves that stay in range.
fn times_real_exp<'b>(z: Var<'b>, by: Var<'b>) -> Var<'b> {
    let half = (by * by.like(0.5)).exp();
    scale(scale(z, half), half)
}

/// z times exp(by), where only the product has to be in range.
pub(super) fn times_exp<'b>(z: Var<'b>, by: Var<'b>) -> Var<'b> {
    let bound = by.re().like(1400.0);
    let half = by.re().max(-bound).min(bound) * by.re().like(0.5);
    let grow = half.exp();
    let direction = by.builder().complex(by.im().cos(), by.im().sin());
    // The product of an infinite number and a direction would have NaN in its parts.
    let turned = z.when(by.im().eq(by.re().like(0.0)), z * direction);
    scale(scale(turned, grow), grow)
}

/// Calls `body` in float64 with arguments that are neither 0 nor infinite. The result at 0 is `at_zero` of the order, that
/// of infinite arguments NaN.
fn guarded<'b>(
    v: Var<'b>,
    z: Var<'b>,
    at_zero: impl FnOnce(Var<'b>) -> Var<'b>,
    body: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let (v, wide) = (v.cast(DType::F64), z.cast(DType::C128));
    let builder = v.builder();
    let infinity = v.like(f64::INFINITY);
    let zero = size(wide).eq(v.like(0.0));
    let proper = size(wide).lt(infinity) & v.abs().lt(infinity);
    let order = v.when(proper, v.like(0.25));
    let argument = wide.when(proper & !zero, number(v.like(1.0)));
    let value = body(order, argument);
    let nan = builder.complex(v.like(f64::NAN), v.like(f64::NAN));
    at_zero(order).when(zero, value).when(proper, nan).cast(z.dtype())
}

fn nan(v: Var<'_>) -> Var<'_> {
    v.builder().complex(v.like(f64::NAN), v.like(f64::NAN))
}

/// Functions of the first kind at 0: 1 for order 0, 0 for other whole and for positive orders, else NaN.
fn regular_at_zero(v: Var<'_>) -> Var<'_> {
    let (zero, one) = (number(v.like(0.0)), number(v.like(1.0)));
    let known = v.gt(v.like(0.0)) | v.eq(v.floor());
    one.when(v.eq(v.like(0.0)), zero.when(known, nan(v)))
}

fn is_negative(x: Var<'_>) -> Var<'_> {
    x.lt(x.like(0.0))
}

/// I at any z.
fn modified_first<'b>(v: Var<'b>, z: Var<'b>, scaled: bool) -> Var<'b> {
    guarded(v, z, regular_at_zero, |v, z| {
        let (a, left) = (v.abs(), is_negative(z.re()));
        let w = (-z).when(left, z);
        let found = right_half_plane(a, w);
        let (i, exponent) = (found.i, found.exponent(w));
        let second = scale(found.k, sin_pi(a) * v.like(FRAC_2_PI));
        let both = is_negative(v) & v.ne(v.floor());
        let (sum, grows) = joined(second, i, exponent);
        let (value, exponent) = (sum.when(both, i), grows.when(both, exponent));
        let rotation = turn(v);
        let rotation = rotation.conj().when(is_negative(z.im()), rotation);
        // Rotated before the exponential, which may overflow.
        let value = (value * rotation).when(left, value);
        let by = if scaled { exponent - number(w.re()) } else { exponent };
        times_exp(value, by)
    })
}

/// K at any z.
fn modified_second<'b>(v: Var<'b>, z: Var<'b>, scaled: bool) -> Var<'b> {
    guarded(v, z, nan, |v, z| {
        let (a, left) = (v.abs(), is_negative(z.re()));
        let w = (-z).when(left, z);
        let found = right_half_plane(a, w);
        let (k, exponent) = (found.k, found.exponent(w));
        let below = is_negative(z.im());
        let rotation = turn(a);
        let rotation = rotation.when(below, rotation.conj());
        let first = scale(times_i(found.i), v.like(PI).when(below, v.like(-PI)));
        let (sum, grows) = joined(k * rotation, first, exponent);
        let by = grows.when(left, -exponent);
        times_exp(sum.when(left, k), if scaled { by + z } else { by })
    })
}

/// J, Y and both Hankel functions of the absolute value of the order in the upper half plane.
struct Upper<'b> {
    j: Var<'b>,
    y: Var<'b>,
    first: Var<'b>,
    second: Var<'b>,
}

/// All four at z in the upper half plane. If `scaled`, J and Y are multiplied by exp(-Im z), the Hankel functions by
/// exp(-i z) and exp(i z).
fn upper<'b>(a: Var<'b>, z: Var<'b>, scaled: bool) -> Upper<'b> {
    let builder = a.builder();
    let (x, y) = (z.re(), z.im());
    let w = builder.complex(y, -x);
    let found = right_half_plane(a, w);
    let half = turn(a * a.like(0.5));
    // J exp(-w - shift) and H1 exp(w + shift), then both without the shift.
    let j_shifted = half * found.i;
    let h_shifted = scale(times_i(half.conj() * found.k), a.like(-FRAC_2_PI));
    let (j, h) = (times_real_exp(j_shifted, found.shift), times_real_exp(h_shifted, -found.shift));
    // On the positive axis J and Y are real, and the real part of H1 is J.
    let real = y.eq(a.like(0.0)) & x.gt(a.like(0.0));
    let direction = builder.complex(x.cos(), -x.sin());
    let axis_j = number((j * direction).re());
    // For large orders Y is out of range.
    let infinite = !size(h).lt(a.like(f64::INFINITY));
    let axis_y = a.like(f64::NEG_INFINITY).when(infinite & a.gt(x), (h * direction.conj()).im());
    let axis_h = builder.complex(axis_j.re(), axis_y);
    let (grown, shrunk) = if scaled {
        // The shift and exp(-2 y) together: each of them may leave the range.
        (j * direction, times_exp(h_shifted, -(found.exponent(w) + number(y))))
    } else {
        (times_exp(j_shifted, found.exponent(w)), times_exp(h_shifted, -found.exponent(w)))
    };
    let (j_out, h_out) = (axis_j.when(real, grown), axis_h.when(real, shrunk));
    let difference = j_out - h_out;
    let y_out = times_i(difference);
    let y_out = number(axis_h.im()).when(real, y_out);
    let (first, second) = if scaled {
        (h, (j + j) - times_exp(h_shifted, -(found.exponent(w) + w)))
    } else {
        (h_out, (j_out + j_out) - h_out)
    };
    Upper { j: j_out, y: y_out, first, second }
}

/// A function of the upper half plane, reflected at the real axis.
fn reflected<'b>(z: Var<'b>, body: impl FnOnce(Var<'b>) -> Var<'b>) -> Var<'b> {
    let below = is_negative(z.im());
    let value = body(z.builder().complex(z.re(), z.im().abs()));
    value.conj().when(below, value)
}

/// J at any z.
fn first_kind<'b>(v: Var<'b>, z: Var<'b>, scaled: bool) -> Var<'b> {
    guarded(v, z, regular_at_zero, |v, z| {
        reflected(z, |z| {
            let a = v.abs();
            let Upper { j, y, .. } = upper(a, z, scaled);
            let whole = v.eq(v.floor());
            let other = scale(j, cos_pi(a)) - scale(y, sin_pi(a)).when(!whole, number(v.like(0.0)));
            other.when(is_negative(v), j)
        })
    })
}

/// Y at any z.
fn second_kind<'b>(v: Var<'b>, z: Var<'b>, scaled: bool) -> Var<'b> {
    let at_zero = |v: Var<'b>| {
        if scaled {
            return nan(v);
        }
        let (low, cosine) = (v.like(f64::NEG_INFINITY), cos_pi(v));
        let reflected = low.copysign(-cosine);
        let half = v.lt(v.like(0.0)) & cosine.eq(v.like(0.0));
        number(v.like(f64::NAN).when(half, reflected.when(v.lt(v.like(0.0)), low)))
    };
    guarded(v, z, at_zero, |v, z| {
        reflected(z, |z| {
            let a = v.abs();
            let Upper { j, y, .. } = upper(a, z, scaled);
            let whole = v.eq(v.floor());
            let other = scale(y, cos_pi(a)) + scale(j, sin_pi(a)).when(!whole, number(v.like(0.0)));
            other.when(is_negative(v), y)
        })
    })
}

/// A Hankel function at any z: in the lower half plane the conjugate of the other one at the conjugate.
fn hankel<'b>(v: Var<'b>, z: Var<'b>, second: bool, scaled: bool) -> Var<'b> {
    guarded(v, z, nan, |v, z| {
        let a = v.abs();
        let below = is_negative(z.im());
        let pair = upper(a, v.builder().complex(z.re(), z.im().abs()), scaled);
        let (here, there) = if second { (pair.second, pair.first) } else { (pair.first, pair.second) };
        let value = there.conj().when(below, here);
        let rotation = if second { turn(a).conj() } else { turn(a) };
        (value * rotation).when(is_negative(v), value)
    })
}

/// J.
pub(super) fn jv<'b>(v: Var<'b>, z: Var<'b>) -> Var<'b> {
    first_kind(v, z, false)
}

/// exp(-|Im z|) J.
pub(super) fn jve<'b>(v: Var<'b>, z: Var<'b>) -> Var<'b> {
    first_kind(v, z, true)
}

/// Y.
pub(super) fn yv<'b>(v: Var<'b>, z: Var<'b>) -> Var<'b> {
    second_kind(v, z, false)
}

/// exp(-|Im z|) Y.
pub(super) fn yve<'b>(v: Var<'b>, z: Var<'b>) -> Var<'b> {
    second_kind(v, z, true)
}

/// I.
pub(super) fn iv<'b>(v: Var<'b>, z: Var<'b>) -> Var<'b> {
    modified_first(v, z, false)
}

/// exp(-|Re z|) I.
pub(super) fn ive<'b>(v: Var<'b>, z: Var<'b>) -> Var<'b> {
    modified_first(v, z, true)
}

/// K.
pub(super) fn kv<'b>(v: Var<'b>, z: Var<'b>) -> Var<'b> {
    modified_second(v, z, false)
}

/// exp(z) K.
pub(super) fn kve<'b>(v: Var<'b>, z: Var<'b>) -> Var<'b> {
    modified_second(v, z, true)
}
