//! Mathieu functions: DLMF 28. Characteristic values are eigenvalues of tridiagonal matrices (28.6(ii), 28.4(ii)), the
//! functions are their Fourier series (28.4(i)), and the radial ones series of products of Bessel functions (28.24).

use std::f64::consts::PI;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{ArrayVar, Var};
use smallvec::smallvec;

use super::approximation::{either, in_double, unless_cancelled};
use super::bessel_first::{y0, y1};
use super::recurrences::is_odd;
use super::tridiagonal::{LARGEST, Ratios, Tridiagonal};
use crate::table::{binary, general, ternary};
use crate::{Outputs, Ufunc};

/// What terms may be beside their sum, and those of the derivative: far coefficients are off by some units.
const CANCELLED: [f64; 2] = [1e7, 2e6];

/// The rows of this file.
pub(super) fn rows() -> Vec<Ufunc> {
    const THREE: &str = "fff->ff, ddd->dd";
    let rows = vec![
        binary("mathieu_a", super::NARROW[2], "Characteristic value of even Mathieu functions.", |m, q| {
            in_double(&[m, q], |x| characteristic(x[0], x[1], false))
        }),
        binary("mathieu_b", super::NARROW[2], "Characteristic value of odd Mathieu functions.", |m, q| {
            in_double(&[m, q], |x| characteristic(x[0], x[1], true))
        }),
        general("mathieu_cem", (3, 2), THREE, "Even Mathieu function of degrees and its derivative.", |x| {
            angular(x, false)
        }),
        general("mathieu_sem", (3, 2), THREE, "Odd Mathieu function of degrees and its derivative.", |x| {
            angular(x, true)
        }),
        general(
            "mathieu_modcem1",
            (3, 2),
            THREE,
            "Even modified Mathieu function of the first kind and derivative.",
            |x| radial(x, false, false),
        ),
        general(
            "mathieu_modcem2",
            (3, 2),
            THREE,
            "Even modified Mathieu function of the second kind and derivative.",
            |x| radial(x, false, true),
        ),
        general(
            "mathieu_modsem1",
            (3, 2),
            THREE,
            "Odd modified Mathieu function of the first kind and derivative.",
            |x| radial(x, true, false),
        ),
        general(
            "mathieu_modsem2",
            (3, 2),
            THREE,
            "Odd modified Mathieu function of the second kind and derivative.",
            |x| radial(x, true, true),
        ),
        ternary("_mathieu_even_coef", super::WIDE[3], "Fourier coefficient of an even Mathieu function.", |m, q, k| {
            in_double(&[m, q, k], |x| coefficient(x[0], x[1], x[2], false))
        }),
        ternary("_mathieu_odd_coef", super::WIDE[3], "Fourier coefficient of an odd Mathieu function.", |m, q, k| {
            in_double(&[m, q, k], |x| coefficient(x[0], x[1], x[2], true))
        }),
    ];
    let source = "DLMF 28.4, 28.6, 28.24; bisection of tridiagonal matrices, Givens (1954)";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

fn index(k: Var<'_>) -> Var<'_> {
    k.cast(DType::I64)
}

/// 1, or -1 for an odd number.
fn parity(m: Var<'_>) -> Var<'_> {
    m.like(-1.0).when(is_odd(m), m.like(1.0))
}

/// One of four classes of Mathieu functions for q >= 0: cosines or sines of even or odd multiples.
#[derive(Clone, Copy)]
struct Family<'b> {
    q: Var<'b>,
    /// Which of its class the function is.
    place: Var<'b>,
    /// The first multiple: 0, 1 or 2.
    first: Var<'b>,
    sine: Var<'b>,
    odd: Var<'b>,
}

impl<'b> Family<'b> {
    fn new(m: Var<'b>, q: Var<'b>, sine: Var<'b>) -> Family<'b> {
        let odd = is_odd(m);
        let (zero, one, two) = (m.like(0.0), m.like(1.0), m.like(2.0));
        let first = one.when(odd, two.when(sine, zero));
        Family { q, place: (m - first) * m.like(0.5), first, sine, odd }
    }

    fn multiple(&self, k: Var<'b>) -> Var<'b> {
        k + k + self.first
    }

    /// The matrix, and the range of the value.
    fn matrix(&self) -> (Tridiagonal<'b>, Var<'b>, Var<'b>) {
        let q = self.q;
        let (zero, one, two) = (q.like(0.0), q.like(1.0), q.like(2.0));
        let length = self.length().min(q.like(LARGEST as f64 - 1.0));
        let matrix = Tridiagonal::new(length, |k| {
            let multiple = self.multiple(k);
            let corner = q.when(self.odd & k.eq(zero), zero);
            let corner = (-corner).when(self.sine, corner);
            let square = q * q;
            let square = (square * two).when(k.eq(one) & !self.odd & !self.sine, square);
            (multiple * multiple + corner, square.when(k.gt(zero), zero))
        });
        let top = self.multiple(self.place) + one;
        (matrix, -(two * q) - one, top * top + two * q + one)
    }

    /// How many coefficients count.
    fn length(&self) -> Var<'b> {
        let q = self.q;
        let root = q.sqrt();
        let small = self.place + root * q.like(1.5);
        // For large q those of a parabolic cylinder function: up to the multiple whose square is the value + 2 q, and
        // beyond it as a normal distribution falls.
        let order = self.multiple(self.place);
        let turning = (q.like(2.0) * root * (order + order + q.like(1.0))).sqrt();
        let large = turning * q.like(0.5) + root.sqrt() * q.like(5.0);
        let large = large.when((order * order).lt(q), small);
        (small.min(large) + q.like(22.0)).ceil()
    }

    /// The characteristic value.
    fn value(&self, matrix: &Tridiagonal<'b>, low: Var<'b>, high: Var<'b>) -> Var<'b> {
        let value = matrix.eigenvalue(self.place, low, high, self.estimate());
        let q = self.q;
        // That of order 0 is nearly -q**2 / 2, whose digits its continued fraction has.
        let small = q.lt(q.like(1.0)) & self.place.eq(q.like(0.0)) & self.first.eq(q.like(0.0));
        either(small, || self.of_order_0(value), || value, DType::F64)
    }

    /// About the characteristic value: the leading terms for small q, DLMF 28.6, or for large ones, 28.8.1.
    fn estimate(&self) -> Var<'b> {
        let q = self.q;
        let (zero, one, two) = (q.like(0.0), q.like(1.0), q.like(2.0));
        let order = self.multiple(self.place);
        let square = order * order;
        let bend = q * q * q.like(0.5) / (square - one).when(square.gt(one), one);
        let first = one + (-q).when(self.sine, q) - q * q * q.like(0.125);
        let small = first.when(order.eq(one), square + bend.when(order.gt(zero), -bend));
        let s = order + order + (-one).when(self.sine, one);
        let large = two * (s * q.sqrt() - q) - (s * s + one) * q.like(0.125);
        small.when(q.lt(square * q.like(0.4) + one), large)
    }

    fn of_order_0(&self, start: Var<'b>) -> Var<'b> {
        let (builder, q) = (self.q.builder(), self.q);
        let square = q * q;
        let (value, step) = (builder.local(start), builder.local(q.like(0.0)));
        builder.repeat(
            || step.get().lt(q.like(30.0)),
            || {
                let at = value.get();
                let fraction = (1..10).rev().fold(q.like(0.0), |rest, k| {
                    let numerator = if k == 1 { square + square } else { square };
                    numerator / (q.like(f64::from(4 * k * k)) - at - rest)
                });
                value.set(-fraction);
                step.set(step.get() + q.like(1.0));
            },
        );
        value.get()
    }

    /// The eigenvector; its elements are 1 at the centre.
    fn vector(&self) -> Vector<'b> {
        let (matrix, low, high) = self.matrix();
        let value = self.value(&matrix, low, high);
        let zero = self.q.like(0.0);
        let centre = ((value.max(zero).sqrt() - self.first) * zero.like(0.5)).rint().max(zero);
        let ratios = matrix.ratios(value, centre);
        Vector { family: *self, ratios, centre }
    }
}

/// Fourier coefficients.
struct Vector<'b> {
    family: Family<'b>,
    ratios: Ratios<'b>,
    centre: Var<'b>,
}

impl<'b> Vector<'b> {
    fn visit(&self, visit: impl Fn(Var<'b>, Var<'b>)) {
        let Family { q, odd, sine, .. } = self.family;
        // The constant's row counts its neighbour once, and its neighbour's row counts it twice.
        let twice = |k: Var<'b>| (q + q).when(k.eq(q.like(1.0)) & !odd & !sine, q);
        self.ratios.visit(|_| q, twice, visit);
    }

    /// What the elements are multiplied with for the norm and the sign of DLMF 28.2(vi), with one more sum.
    fn scale_and_sum(&self, term: impl Fn(Var<'b>, Var<'b>) -> (Var<'b>, Var<'b>)) -> (Var<'b>, Var<'b>, Var<'b>) {
        let family = self.family;
        let (builder, zero) = (family.q.builder(), family.q.like(0.0));
        let [norm, sign, first, second] = [(); 4].map(|()| builder.local(zero));
        let plain = family.odd.eq(family.sine);
        self.visit(|k, element| {
            let square = element * element;
            let constant = k.eq(zero) & !family.odd & !family.sine;
            norm.set(norm.get() + (square + square).when(constant, square));
            let weight = zero.like(1.0).when(plain, family.multiple(k));
            sign.set(sign.get() + weight * parity(k) * element);
            let (a, b) = term(k, element);
            first.set(first.get() + a);
            second.set(second.get() + b);
        });
        let scale = (sign.get() * parity(family.place)) / sign.get().abs() / norm.get().sqrt();
        (scale, first.get(), second.get())
    }
}

/// Whether m and q are what a function is defined for.
fn is_proper<'b>(m: Var<'b>, q: Var<'b>, sine: bool) -> Var<'b> {
    let least = m.like(if sine { 1.0 } else { 0.0 });
    let fits = family(m, q, sine).length().lt(m.like(LARGEST as f64));
    m.eq(m.floor()) & m.ge(least) & m.lt(m.like(400.0)) & (q.abs().lt(m.like(2e4)) | fits)
}

/// The function's class: for negative q that of the complement, of which odd ones change places.
fn family<'b>(m: Var<'b>, q: Var<'b>, sine: bool) -> Family<'b> {
    let swapped = q.lt(q.like(0.0)) & is_odd(m);
    let sine = q.builder().boolean(sine);
    Family::new(m, q.abs(), (!sine).when(swapped, sine))
}

fn characteristic<'b>(m: Var<'b>, q: Var<'b>, sine: bool) -> Var<'b> {
    let proper = is_proper(m, q, sine);
    let (m, q) = (m.when(proper, m.like(2.0)), q.when(proper, q.like(1.0)));
    let family = family(m, q, sine);
    let (matrix, low, high) = family.matrix();
    family.value(&matrix, low, high).when(proper, m.like(f64::NAN))
}

/// Coefficient k of the Fourier series, for q >= 0.
fn coefficient<'b>(m: Var<'b>, q: Var<'b>, k: Var<'b>, sine: bool) -> Var<'b> {
    let proper = is_proper(m, q, sine) & q.ge(q.like(0.0));
    let (m, q) = (m.when(proper, m.like(2.0)), q.when(proper, q.like(1.0)));
    let zero = q.like(0.0);
    let vector = family(m, q, sine).vector();
    let (scale, value, _) = vector.scale_and_sum(|at, element| (element.when(at.eq(k), zero), zero));
    (scale * value).when(proper, m.like(f64::NAN))
}

/// ce or se of x degrees, and the derivative by radians.
fn angular<'b>(inputs: &[Var<'b>], sine: bool) -> Outputs<'b> {
    let [m, q, x] = [0, 1, 2].map(|k: usize| inputs[k].cast(DType::F64));
    let (zero, nan) = (q.like(0.0), q.like(f64::NAN));
    let proper = is_proper(m, q, sine) & x.abs().lt(x.like(f64::INFINITY));
    let (m, q) = (m.when(proper, m.like(2.0)), q.when(proper, q.like(1.0)));
    let negative = q.lt(zero);
    let family = family(m, q, sine);
    let vector = family.vector();
    // For negative q the function of 90 degrees less x.
    let at = (x.like(90.0) - x).when(negative, x);
    let at = at % x.like(360.0);
    let (value_size, slope_size) = (x.builder().local(zero), x.builder().local(zero));
    let (scale, value, slope) = vector.scale_and_sum(|k, element| {
        let multiple = family.multiple(k);
        // Degrees to within half a turn, exactly.
        let whole = multiple * at;
        let builder = x.builder();
        let angle = builder.fma(x.like(-360.0), (whole * x.like(1.0 / 360.0)).rint(), whole);
        let radians = angle * x.like(PI / 180.0);
        let (s, c) = (radians.sin(), radians.cos());
        let s = zero.when(angle.abs().eq(x.like(180.0)), s);
        let c = zero.when(angle.abs().eq(x.like(90.0)), c);
        let size = element * multiple;
        let (value, slope) = (s.when(family.sine, c) * element, c.when(family.sine, -s) * size);
        value_size.set(value_size.get() + value.abs());
        slope_size.set(slope_size.get() + slope.abs());
        (value, slope)
    });
    // Between the turning points the functions of large q are far below their coefficients.
    let (value, slope) = unless_cancelled(CANCELLED, (value, value_size.get()), (slope, slope_size.get()));
    let (value, slope) = (value * scale, slope * scale);
    // (-1)**n of the function's place among its own: m / 2 of cosines, (m - 1) / 2 of sines, rounded down.
    let half = m * m.like(0.5);
    let place = if sine { (half - m.like(0.5)).floor() } else { half.floor() };
    let sign = parity(place);
    let value = (value * sign).when(negative, value);
    let slope = (-(slope * sign)).when(negative, slope);
    let dtype = inputs[0].dtype();
    let known = |value: Var<'b>| value.when(proper, nan).cast(dtype);
    // se of order 0 is 0.
    let order_0 = inputs[0].cast(DType::F64).eq(zero);
    let by_order = |value: Var<'b>| if sine { zero.cast(dtype).when(order_0, known(value)) } else { known(value) };
    smallvec![by_order(value), by_order(slope)]
}

/// J of orders 0 to `top` (below the length of the array) at a positive number: upwards while that is stable, else by Miller's
/// rule.
fn bessel_first<'b>(into: ArrayVar<'b>, top: Var<'b>, v: Var<'b>) {
    let builder = v.builder();
    let (zero, one, two) = (v.like(0.0), v.like(1.0), v.like(2.0));
    let start = (top.max(v.min(top * two)) + v.like(30.0) + (v * v.like(40.0)).min(v.like(4000.0)).sqrt()).ceil();
    let upwards = || {
        let (k, before, current) = (
            builder.local(zero),
            builder.local(-super::bessel_first::j1(v)),
            builder.local(super::bessel_first::j0(v)),
        );
        builder.repeat(
            || k.get().le(top),
            || {
                into.set(index(k.get()), current.get());
                let next = k.get() * two / v * current.get() - before.get();
                before.set(current.get());
                current.set(next);
                k.set(k.get() + one);
            },
        );
    };
    let downwards = || {
        let (k, before, current, sum) =
            (builder.local(start), builder.local(zero), builder.local(v.like(1e-300)), builder.local(zero));
        let last = v.like(LARGEST as f64 - 1.0);
        builder.repeat(
            || k.get().ge(zero),
            || {
                let at = k.get();
                let large = current.get().abs().gt(v.like(1e200));
                let factor = v.like(1e-200).when(large, one);
                // Numbers that were stored before shrink with the others only in effect: they are beneath notice.
                before.set(before.get() * factor);
                current.set(current.get() * factor);
                sum.set(sum.get() * factor);
                builder.branch(
                    large,
                    || {
                        let j = builder.local(at + one);
                        builder.repeat(
                            || j.get().le(top),
                            || {
                                into.set(index(j.get()), into.get(index(j.get())) * factor);
                                j.set(j.get() + one);
                            },
                        );
                    },
                    || (),
                );
                builder.branch(at.le(top) & at.le(last), || into.set(index(at), current.get()), || ());
                let share = (current.get() + current.get()).when(at.gt(zero), current.get());
                sum.set(sum.get() + share.when(!is_odd(at), zero));
                let next = at * two / v * current.get() - before.get();
                before.set(current.get());
                current.set(next);
                k.set(at - one);
            },
        );
        let scale = one / sum.get();
        k.set(zero);
        builder.repeat(
            || k.get().le(top),
            || {
                into.set(index(k.get()), into.get(index(k.get())) * scale);
                k.set(k.get() + one);
            },
        );
    };
    builder.branch(v.gt(top), upwards, downwards);
}

/// Y of orders 0 to `top` at a positive number.
fn bessel_second<'b>(into: ArrayVar<'b>, top: Var<'b>, v: Var<'b>) {
    let builder = v.builder();
    let (zero, one, two) = (v.like(0.0), v.like(1.0), v.like(2.0));
    let (k, before, current) = (builder.local(zero), builder.local(-y1(v)), builder.local(y0(v)));
    builder.repeat(
        || k.get().le(top),
        || {
            into.set(index(k.get()), current.get());
            let next = k.get() * two / v * current.get() - before.get();
            before.set(current.get());
            current.set(next.max(v.like(-1e300)));
            k.set(k.get() + one);
        },
    );
}

/// Mc or Ms of the first or second kind, and the derivative: DLMF 28.24.2 to 28.24.5, about the largest coefficient.
fn radial<'b>(inputs: &[Var<'b>], sine: bool, second: bool) -> Outputs<'b> {
    let [m, q, x] = [0, 1, 2].map(|k: usize| inputs[k].cast(DType::F64));
    let builder = q.builder();
    let (zero, one, nan) = (q.like(0.0), q.like(1.0), q.like(f64::NAN));
    let left = x.lt(zero);
    let at_zero = q.eq(zero) & m.eq(m.floor()) & m.ge(if sine { one } else { zero }) & x.abs().lt(x.like(300.0));
    let proper = is_proper(m, q, sine) & q.gt(zero) & x.abs().lt(x.like(300.0));
    let (m, q, x) = (m.when(proper, m.like(2.0)), q.when(proper, one), x.when(proper, one));
    let family = family(m, q, sine);
    let vector = family.vector();
    let (centre, shift) = (vector.centre, family.first);
    // The coefficients that count: the others are nothing beside the largest.
    let peak = builder.local(zero);
    let place = builder.local(centre);
    let largest = builder.local(one);
    vector.visit(|k, element| {
        let size = element.abs();
        let above = size.gt(largest.get());
        place.set(k.when(above, place.get()));
        largest.set(size.when(above, largest.get()));
    });
    vector.visit(|k, element| {
        let counts = element.abs().gt(largest.get() * q.like(1e-19));
        peak.set(k.when(counts & k.gt(peak.get()), peak.get()));
    });
    let (s, last) = (place.get(), peak.get());
    let top = (last + s + shift + one).min(q.like(LARGEST as f64 - 1.0));
    let (first, other) = (builder.array(LARGEST, zero), builder.array(LARGEST, zero));
    // A function of any order at one of the numbers, and that times the derivative.
    let of = |array: ArrayVar<'b>, order: Var<'b>, at: Var<'b>| {
        let size = order.abs();
        let sign = parity(order).when(order.lt(zero), one);
        let here = array.get(index(size.min(q.like(LARGEST as f64 - 1.0))));
        let above = array.get(index((size + one).min(q.like(LARGEST as f64 - 1.0))));
        (here * sign, (size * here - at * above) * sign)
    };
    // The functions of the first kind are even or odd. Of the second kind one part is that of the first kind, by the values
    // or slopes at 0, and changes its sign: to the left both kinds are computed, there and at 0.
    let (sum, slope) = (builder.local(zero), builder.local(zero));
    let [first_sum, first_slope, share, at_place] = [(); 4].map(|()| builder.local(zero));
    let (pass, passes) = (builder.local(zero), q.like(4.0).when(left, one));
    let passes = if second { passes } else { one };
    builder.repeat(
        || pass.get().lt(passes),
        || {
            // At 0, of the second and the first kind, then at the point, of the first kind and the second one.
            let number = pass.get();
            let point = zero.when(number.lt(passes - q.like(2.0)), x.abs());
            let by_second = (number.eq(zero) & builder.boolean(second)) | number.eq(q.like(3.0));
            let root = q.sqrt();
            let (near, far) = (root * (-point).exp(), root * point.exp());
            bessel_first(first, top, near);
            if second {
                builder.branch(by_second, || bessel_second(other, top, far), || bessel_first(other, top, far));
            } else {
                bessel_first(other, top, far);
            }
            let (before, before_slope) = (sum.get(), slope.get());
            sum.set(zero);
            slope.set(zero);
            vector.visit(|k, element| {
                at_place.set(element.when(k.eq(s), at_place.get()));
                let counts = k.le(last);
                let (low, high) = (k - s, k + s + shift);
                let (a, a_slope) = of(first, low, near);
                let (b, b_slope) = of(other, high, far);
                let (c, c_slope) = of(first, high, near);
                let (d, d_slope) = of(other, low, far);
                let sign = (-one).when(family.sine, one);
                let value = a * b + sign * (c * d);
                let change = a * b_slope - a_slope * b + sign * (c * d_slope - c_slope * d);
                let weight = element * parity(k);
                sum.set(sum.get() + (weight * value).when(counts, zero));
                slope.set(slope.get() + (weight * change).when(counts, zero));
            });
            let quotient = if sine { before_slope / slope.get() } else { before / sum.get() };
            share.set(quotient.when(number.eq(one), share.get()));
            first_sum.set(sum.get().when(number.eq(q.like(2.0)), first_sum.get()));
            first_slope.set(slope.get().when(number.eq(q.like(2.0)), first_slope.get()));
            pass.set(number + one);
        },
    );
    let twice_share = share.get() + share.get();
    let turn = if sine { one } else { -one };
    let mirrored = |value: Var<'b>, of_first: Var<'b>| {
        if second { (value - twice_share * of_first) * turn } else { -(value * turn) }
    };
    let value = mirrored(sum.get(), first_sum.get()).when(left, sum.get());
    let change = (-mirrored(slope.get(), first_slope.get())).when(left, slope.get());
    // Both terms are the same about the constant.
    let twice = s.eq(zero) & shift.eq(zero);
    let scale = parity(family.place) / at_place.get();
    let scale = (scale * q.like(0.5)).when(twice, scale);
    // The limits for small q.
    let lowest = inputs[0].cast(DType::F64).eq(zero);
    let (limit, limit_slope) = if second {
        (q.like(f64::NEG_INFINITY), q.like(2.0 / PI).when(lowest, q.like(f64::INFINITY)))
    } else {
        (one.when(lowest, zero), zero)
    };
    let dtype = inputs[0].dtype();
    let known = |value: Var<'b>, limit: Var<'b>| limit.when(at_zero, value.when(proper, nan)).cast(dtype);
    smallvec![known(value * scale, limit), known(change * scale, limit_slope)]
}
