//! The hypergeometric functions of SciPy, and what they are divided by constants: 0F1, 1F1, 2F1, U, associated Legendre
//! functions of any degree.

use std::f64::consts::PI;

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use super::approximation::{either, in_double, sin_pi};
use super::beta::poch;
use super::called::called;
use super::continuation::{LOST, LOST_SINGLE, WIDE, ends_series, lift, size, times_real};
use super::double_double::{self, Double};
use super::gamma::{gammaln, gammasgn, rgamma};
use super::{gauss, kummer};
use crate::Ufunc;
use crate::table::{binary, general, ternary};

/// Most steps of the recurrence of 0F1, whose number grows with the root of the argument.
const STEPS: f64 = 100_000.0;
/// Most terms of the power series.
const SERIES: f64 = 20_000.0;
/// Numbers below this are scaled.
const TINY: f64 = 1e-200;
/// Largest order and degree for which Legendre functions start from powers that are products.
const FEW_ORDERS: f64 = 10.0;
const FEW_DEGREES: f64 = 60.0;
/// Most factors that are multiplied at once of those between Legendre functions of both signs of the order.
const FACTORS: f64 = 64.0;
/// The largest number whose factorial is a number.
const LARGEST_FACTORIAL: f64 = 170.0;
/// Functions of negative order may be below all numbers where those of positive order are not: they are computed as
/// multiples by this power of two.
const RAISED: f64 = 8.452712498170644e270;
/// Coefficients of the logarithm of 0F1.
const LOGARITHM: usize = 14;
/// From where on Hankel's expansion serves small parameters.
const LARGE: f64 = 1e4;

pub(super) fn rows() -> Vec<Ufunc> {
    let rows = [
        binary("hyp0f1", "ff->f, fF->F, dd->d, dD->D", "Confluent hypergeometric limit function 0F1.", hyp0f1),
        ternary(
            "hyp1f1",
            "fff->f, ffF->F, ddd->d, ddD->D",
            "Confluent hypergeometric function 1F1, Kummer's M.",
            hyp1f1,
        ),
        general("hyp2f1", (4, 1), "dddd->d, dddD->D, ffff->f, fffF->F", "Gauss's hypergeometric function 2F1.", |v| {
            smallvec![called!(hyp2f1(v[0], v[1], v[2], v[3]))]
        }),
        ternary("hyperu", "fff->f, ddd->d", "Confluent hypergeometric function U, Tricomi's.", |a, b, x| {
            wide(&[a, b, x], |v, most| kummer::second(v[0], v[1], v[2], most))
        }),
        ternary(
            "lpmv",
            "fff->f, ddd->d",
            "Associated Legendre function of whole order and any degree, on the cut.",
            |m, v, x| in_double(&[m, v, x], |inputs| lpmv(inputs[0], inputs[1], inputs[2])),
        ),
    ];
    let source = "DLMF 13 and 15: series, transformations, continuation by power series of the differential equation; \
                  13.4.4 by the trapezoidal rule";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// A body in float64 for real parameters and a real or complex argument, the last of `inputs`; and what the parts that
/// cancel may be, relative to the result, for the digits of that argument's type.
fn wide<'b>(inputs: &[Var<'b>], body: impl FnOnce(&[Var<'b>], Var<'b>) -> Var<'b>) -> Var<'b> {
    let (z, parameters) = inputs.split_last().expect("a function has an argument");
    let mut all: Vec<Var<'b>> = parameters.iter().map(|parameter| parameter.cast(DType::F64)).collect();
    all.push(z.cast(if z.dtype().is_complex() { DType::C128 } else { DType::F64 }));
    let most = all[0].like(most_lost(z.dtype()));
    body(&all, most).cast(z.dtype())
}

/// What the parts that cancel may be, relative to a result of a type.
pub(super) fn most_lost(dtype: DType) -> f64 {
    if matches!(dtype, DType::F32 | DType::C64) { LOST_SINGLE } else { LOST }
}

/// 1F1 of a real or complex number.
pub(super) fn hyp1f1<'b>(a: Var<'b>, b: Var<'b>, z: Var<'b>) -> Var<'b> {
    wide(&[a, b, z], |v, most| hyp1f1_within(v[0], Double::new(v[1]), v[2], most))
}

/// 1F1 in double precision, whose parts that cancel may be up to `most` times the result.
pub(super) fn hyp1f1_within<'b>(a: Var<'b>, b: Double<'b>, z: Var<'b>, most: Var<'b>) -> Var<'b> {
    if z.dtype().is_complex() { kummer::complex(a, b, z, most) } else { kummer::real(a, b, z, most) }
}

/// 2F1 of a real or complex number.
pub(super) fn hyp2f1<'b>(a: Var<'b>, b: Var<'b>, c: Var<'b>, z: Var<'b>) -> Var<'b> {
    wide(&[a, b, c, z], |v, most| {
        let function = if v[3].dtype().is_complex() { gauss::complex } else { gauss::real };
        function(v[0], v[1], v[2], v[3], most)
    })
}

/// 0F1 of a large parameter: its logarithm is a power series, whose coefficients are sums over the zeros of Bessel
/// functions (DLMF 10.21(xiii)).
fn of_large_parameter<'b>(b: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (one, order) = (b.like(1.0), b - b.like(1.0));
    let mut sums = vec![one / b];
    for n in 2..=LOGARITHM {
        let all = (1..n).map(|k| sums[k - 1] * sums[n - k - 1]).reduce(|sum, term| sum + term);
        sums.push(all.expect("there are terms from 2 on") / (order + b.like(n as f64)));
    }
    let terms = sums.iter().enumerate().rev().fold(lift(x, b.like(0.0)), |sum, (k, &coefficient)| {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sum * x + lift(x, coefficient * b.like(sign / (k as f64 + 1.0)))
    });
    (terms * x).exp()
}

/// A value and what its largest part is beside it.
type Judged<'b> = (Var<'b>, Var<'b>);

/// The number of a term beyond the one that a pole next to b makes large again.
fn last_change(b: Var<'_>) -> Var<'_> {
    (-b).max(b.like(0.0)).min(b.like(SERIES)) + b.like(1.5)
}

/// The power series: DLMF 16.2.1.
fn limit_series<'b>(b: Var<'b>, x: Var<'b>) -> Judged<'b> {
    let (builder, zero, one) = (x.builder(), b.like(0.0), b.like(1.0));
    let (term, sum, n) = (builder.local(lift(x, one)), builder.local(lift(x, one)), builder.local(zero));
    let (largest, falls) = (builder.local(one), builder.local(builder.boolean(true)));
    let last = last_change(b);
    builder.repeat(
        || {
            let small = size(term.get()).le(size(sum.get()) * b.like(1e-17)) & n.get().gt(last) & falls.get();
            !small & n.get().lt(b.like(SERIES)) & size(term.get()).gt(zero)
        },
        || {
            let k = n.get();
            let ratio = one / ((b + k) * (k + one));
            term.set(times_real(term.get() * x, ratio));
            sum.set(sum.get() + term.get());
            largest.set(largest.get().max(size(term.get())));
            falls.set((ratio * size(x)).abs().lt(one));
            n.set(k + one);
        },
    );
    let lost = largest.get() / size(sum.get());
    (sum.get(), lost.when(n.get().lt(b.like(SERIES)), b.like(f64::INFINITY)))
}

/// The power series in twice the digits.
fn limit_precise<'b>(b: Var<'b>, x: Var<'b>) -> Judged<'b> {
    let one = b.like(1.0);
    double_double::series(Double::new(one), Double::new(x), last_change(b), |n| {
        (Double::new(one), Double::sum(b, n).times(Double::new(n + one)))
    })
}

/// The values for b and for successive larger parameters, downwards: contiguous functions.
fn limit_by_recurrence<'b>(b: Var<'b>, x: Var<'b>) -> Judged<'b> {
    let (builder, zero, one) = (x.builder(), b.like(0.0), b.like(1.0));
    let enough = b.like(8.0) * x.abs().sqrt() + b.like(2.0);
    let steps = (enough - b).ceil().max(zero);
    let first = b + steps;
    let (value, above) =
        (builder.local(of_large_parameter(first, x)), builder.local(of_large_parameter(first + one, x)));
    let (k, log, largest) = (builder.local(steps), builder.local(zero), builder.local(zero));
    builder.repeat(
        || k.get().gt(zero) & steps.le(b.like(STEPS)),
        || {
            k.set(k.get() - one);
            let p = b + k.get();
            let next = value.get() + times_real(x * above.get(), one / (p * (p + one)));
            // In between numbers may be smaller than the smallest.
            let tiny = size(next).lt(b.like(TINY));
            let by = b.like(1.0 / TINY).when(tiny, one);
            log.set(log.get() + b.like(TINY.ln()).when(tiny, zero));
            above.set(times_real(value.get(), by));
            value.set(times_real(next, by));
            // Of negative parameters another solution grows faster.
            largest.set((largest.get() * by).max(size(value.get())).when(p.lt(zero), size(value.get())));
        },
    );
    let scaled = times_real(value.get(), log.get().exp());
    let found = value.get().when(log.get().eq(zero), scaled).when(steps.le(b.like(STEPS)), x.like(f64::NAN));
    (found, (largest.get() / size(value.get())).when(b.lt(zero), one))
}

/// Hankel's expansion of the Bessel function that 0F1 is: DLMF 10.17.3; x is complex.
fn limit_by_hankel<'b>(b: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, zero, one) = (x.builder(), b.like(0.0), b.like(1.0));
    let order = b - one;
    let z = times_real((-x).sqrt(), b.like(2.0));
    let inverse = lift(x, b.like(0.125)) / z;
    let mu = b.like(4.0) * order * order;
    let (even, odd) = (builder.local(lift(x, one)), builder.local(lift(x, zero)));
    let (term, k) = (builder.local(lift(x, one)), builder.local(zero));
    builder.repeat(
        || size(term.get()).gt(b.like(1e-17)) & k.get().lt(b.like(40.0)),
        || {
            // a(k) / z**k, whose signs change by pairs.
            let n = k.get();
            let next = |n: Var<'b>, before: Var<'b>| {
                let factor = n + n + one;
                times_real(before * inverse, (mu - factor * factor) / (n + one))
            };
            let first = next(n, term.get());
            let second = -next(n + one, first);
            odd.set(odd.get() + first);
            even.set(even.get() + second);
            term.set(second);
            k.set(n + b.like(2.0));
        },
    );
    let angle = z - lift(x, (order + b.like(0.5)) * b.like(PI / 2.0));
    // gamma(b) (z / 2)**(1 - b) (2 / (pi z))**(1 / 2) in one exponential.
    let log = times_real((times_real(z, b.like(0.5))).log(), -order - b.like(0.5));
    let scale = log + lift(x, called!(gammaln(b)) - b.like(0.5 * PI.ln()));
    let i = builder.complex(zero, one);
    let (up, down) = ((scale + i * angle).exp(), (scale - i * angle).exp());
    let half = b.like(0.5) * gammasgn(b);
    let sum = (up + down) * even.get() + i * (up - down) * odd.get();
    let exact = size(term.get()).le(b.like(1e-16));
    times_real(sum, half).when(exact, builder.complex(b.like(f64::NAN), zero))
}

/// 0F1(b; x).
fn hyp0f1<'b>(b: Var<'b>, x: Var<'b>) -> Var<'b> {
    wide(&[b, x], |v, most| {
        let (b, x) = (v[0], v[1]);
        let builder = x.builder();
        let is_complex = x.dtype().is_complex();
        let far = x.abs().gt(b.like(LARGE)) & (b * b).lt(x.abs().sqrt()) & x.abs().lt(b.like(f64::INFINITY));
        let wide = if is_complex { x } else { builder.complex(x, x.like(0.0)) };
        let value = either(
            far,
            || {
                let found = limit_by_hankel(b, wide);
                if is_complex { found } else { found.re() }
            },
            || {
                let (sum, lost) = (builder.local(x), builder.local(b.like(f64::INFINITY)));
                // Where the recurrence to negative parameters lets another solution take over.
                let unstable = b.lt(b.like(0.0)) & x.abs().lt(b * b * b.like(0.5));
                builder.branch(
                    x.abs().lt(b.like(200.0)) | unstable | (b.lt(b.like(0.0)) & x.abs().lt(b.like(LARGE))),
                    || {
                        let (found, judged) = limit_series(b, x);
                        sum.set(found);
                        lost.set(judged);
                    },
                    || {},
                );
                builder.branch(
                    lost.get().gt(b.like(4.0)) & lost.get().lt(b.like(f64::INFINITY)),
                    || {
                        if !is_complex {
                            let (found, judged) = limit_precise(b, x);
                            let better = judged.lt(lost.get());
                            sum.set(found.when(better, sum.get()));
                            lost.set(judged.when(better, lost.get()));
                        }
                    },
                    || {},
                );
                builder.branch(
                    lost.get().le(b.like(4.0)),
                    || {},
                    || {
                        let (found, judged) = limit_by_recurrence(b, x);
                        // What is further from the series than that can be wrong is itself wrong.
                        let off = size(found - sum.get()).gt(lost.get() * size(sum.get()) * b.like(2e-14));
                        let by_series = lost.get().le(judged) | off | unstable;
                        let judged = lost.get().when(by_series, judged);
                        let chosen = sum.get().when(by_series, found);
                        sum.set(x.like(f64::NAN).when(judged.gt(most), chosen));
                    },
                );
                sum.get()
            },
            x.dtype(),
        );
        let known = !ends_series(b) & x.abs().lt(b.like(f64::INFINITY));
        let nan = b.like(f64::NAN);
        let nan = if is_complex { builder.complex(nan, nan) } else { nan };
        let value = lift(x, b.like(1.0)).when(b.eq(b.like(f64::INFINITY)), value);
        value.when(known & !b.is_nan(), nan)
    })
}

/// The function of order -m near 0 from its value and its slope there: DLMF 14.5.1, 14.5.2 and 15.10.
fn legendre_near_zero<'b>(m: Var<'b>, v: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, zero, one, half, two) = (m.builder(), m.like(0.0), m.like(1.0), m.like(0.5), m.like(2.0));
    let power = (-m).exp2() * m.like(PI.sqrt());
    let value = power * called!(rgamma((v + m) * half + one)) * called!(rgamma(((one - v) + m) * half));
    let slope = -(two * power) * called!(rgamma((v + m + one) * half)) * called!(rgamma((m - v) * half));
    // Powers of x times (1 - x**2)**(m / 2), even and odd ones.
    let (k, sum) = (builder.local(zero), builder.local(zero));
    let (even, odd) = (builder.local(value), builder.local(slope * x));
    builder.repeat(
        || k.get().lt(m.like(40.0)),
        || {
            sum.set(sum.get() + (even.get() + odd.get()));
            let here = k.get();
            let next = |own: Var<'b>, at: Var<'b>| {
                own * (x * x) * ((at + m - v) * (at + m + v + one)) / ((at + one) * (at + two))
            };
            even.set(next(even.get(), here));
            odd.set(next(odd.get(), here + one));
            k.set(here + two);
        },
    );
    sum.get() * (half * m * (-(x * x)).log1p()).exp()
}

/// What a Legendre function is but for its powers, by the distances from both ends, which add up to 1.
fn legendre<'b>(v: Var<'b>, order: Var<'b>, z: Var<'b>, y: Var<'b>) -> Var<'b> {
    let one = v.like(1.0);
    let parameters = [Double::new(-v), Double::sum(v, one), Double::sum(order, one)];
    gauss::beside(parameters, z, y, v.like(LOST))
}

/// The function on the cut, of whole order.
fn lpmv<'b>(m: Var<'b>, v: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (degree, order) = (v, m.abs());
    let whole = degree.eq(degree.floor()) & order.eq(order.floor());
    let few = order.le(m.like(FEW_ORDERS)) & order.le(degree) & degree.le(m.like(FEW_DEGREES));
    let polynomial = whole & few & x.abs().le(m.like(1.0));
    either(polynomial, || legendre_polynomial(m, v, x), || legendre_function(m, v, x), WIDE)
}

/// Of whole degrees, from the order on: DLMF 14.10.3 from 14.5.19 and 14.7.8 on; 14.9.3 for positive orders.
fn legendre_polynomial<'b>(m: Var<'b>, v: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (builder, zero, one, order) = (m.builder(), m.like(0.0), m.like(1.0), m.abs());
    let square = (one - x) * (one + x);
    // The function of order -m and degree m: (1 - x**2)**(m / 2) / (2**m m!), and what a positive order multiplies it by.
    let (power, divisor, factor) = (builder.local(one), builder.local(one), builder.local(one));
    let n = builder.local(zero);
    builder.repeat(
        || n.get().lt(order),
        || {
            n.set(n.get() + one);
            let here = n.get();
            let half = here * m.like(0.5);
            power.set(power.get() * square.when(half.eq(half.floor()), one));
            divisor.set(divisor.get() * (here + here));
            factor.set(-factor.get() * (v + here) * (v - order + here));
        },
    );
    let half = order * m.like(0.5);
    let power = power.get() * one.when(half.eq(half.floor()), square.sqrt());
    let (before, now) = (builder.local(zero), builder.local(power * m.like(RAISED) / divisor.get()));
    builder.repeat(
        || n.get().lt(v),
        || {
            // The steps from one degree to the next, of which the product is kept whole.
            let (here, last) = (n.get(), now.get());
            let high = x * last;
            let low = builder.fma(x, last, -high);
            let step = (high - before.get()) + low;
            let next = high + builder.fma((here - order) / (here + order + one), step, low);
            before.set(last);
            now.set(next);
            n.set(here + one);
        },
    );
    now.get() * (factor.get().when(m.gt(zero), one) * m.like(1.0 / RAISED))
}

/// Of any degree: DLMF 14.3.1 with 15.8.1, and 14.9.3 for negative orders.
fn legendre_function<'b>(m: Var<'b>, v: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (zero, one, half) = (m.like(0.0), m.like(1.0), m.like(0.5));
    let infinity = m.like(f64::INFINITY);
    // Of -v - 1 the function is that of v.
    let degree = (-v - one).when(v.lt(-half), v);
    let order = m.abs();
    let whole = degree.eq(degree.floor());
    // Of whole degree from the order on, the nearer end: the sign is that of the degree and the order.
    let above = order.gt(degree);
    let mirrored = whole & !above & x.lt(zero);
    let at = (-x).when(mirrored, x);
    let sum = degree + order;
    let parity = sum * half;
    let odd = parity.ne(parity.floor());
    let power = order * half;
    // What leaves the range is taken half before and half after the other factors.
    let base = (one - at) / (one + at);
    let root = base.pow(power);
    let halved = root.lt(m.like(1e-280)) | root.gt(m.like(1e280));
    let root = either(halved, || base.pow(half * power), || root, WIDE);
    let second_root = root.when(halved, one);
    let raised = m.like(RAISED).when(at.ge(zero), one);
    // The function of order -m, which is finite: two degrees from the order on, and the recurrence from there up.
    let negative = || {
        let builder = m.builder();
        // Next to -1, where other solutions of the recurrence prevail, at once.
        let near_end = !whole & ((degree + one) * (degree + one) * (one + at) * half).lt(order + one);
        // Left of 0 they prevail up to the turning point, order / sin.
        let turning = order / ((one - at) * (one + at)).sqrt();
        let lowest = turning.when(!whole & at.lt(zero), order);
        let steps = zero.when(near_end, (degree - lowest).floor().max(one) - one);
        let first = degree - steps;
        let (before, now, n) = (builder.local(zero), builder.local(zero), builder.local(zero));
        builder.repeat(
            || n.get().lt(m.like(2.0)) & (n.get().eq(zero) | steps.gt(zero)),
            || {
                let v = first + n.get();
                before.set(now.get());
                let general = || raised * called!(legendre(v, order, half * (one - at), half * (one + at)));
                // Of whole degrees from the order on there are powers, which have all digits next to 0.
                let above = v - order;
                let power = || {
                    let power = (half * (one + at)).pow(order) * raised;
                    let third = at * at * ((v + v - one) / (v + order)) - (above - one) / (v + order);
                    power * one.when(above.eq(zero), at.when(above.eq(one), third))
                };
                now.set(either(whole & above.ge(zero) & above.le(m.like(2.0)), power, general, WIDE));
                n.set(n.get() + one);
            },
        );
        builder.repeat(
            || n.get().le(steps) & steps.lt(m.like(STEPS)),
            || {
                let v = first + n.get() - one;
                let next = ((v + v + one) * at * now.get() - (v - order) * before.get()) / (v + order + one);
                before.set(now.get());
                now.set(next);
                n.set(n.get() + one);
            },
        );
        let value = root * now.get() * called!(rgamma(order + one));
        value.when(steps.lt(m.like(STEPS)), m.like(f64::NAN))
    };
    let value = either(at.gt(-one) & x.ge(-one), negative, || zero, WIDE);
    // Next to a zero at 0, that of a whole degree.
    let near_zero = (degree - degree.rint()).abs().lt(m.like(0.01)) & (x.abs() * (degree + order + one)).lt(half);
    let middle = !whole & near_zero & (degree + order).lt(m.like(100.0));
    let value = either(middle, || raised * legendre_near_zero(order, degree, x), || value, WIDE);
    let second_root = one.when(middle, second_root);
    let turn = order * half;
    let sign = one.when(turn.eq(turn.floor()), -one);
    // The product of degree + k for k from 1 - order to order; next to a whole degree below the order one factor is small.
    let nearest = degree.rint();
    let rest = degree - nearest;
    let small_factor = rest.ne(zero) & nearest.lt(order);
    let apart = || {
        let below = order - one - nearest;
        let turn = below * half;
        let product = rest * poch(one + rest, nearest + order) * poch(one - rest, below);
        product.when(turn.eq(turn.floor()), -product)
    };
    let (product, raised) = (m.builder().local(value), m.builder().local(raised));
    let lower = || {
        let large = product.get().abs().gt(one);
        product.set((product.get() / raised.get()).when(large, product.get()));
        raised.set(one.when(large, raised.get()));
    };
    lower();
    let (start, end) = (one - order, order + one);
    let k = m.builder().local(end.when(small_factor | m.lt(zero), start));
    m.builder().repeat(
        || k.get().lt(end),
        || {
            // Whole products of many factors are beyond all numbers.
            let some = (end - k.get()).min(m.like(FACTORS));
            product.set(product.get() * poch(degree + k.get(), some));
            k.set(k.get() + some);
            lower();
        },
    );
    let value = product.get() / raised.get();
    let value = value * either(small_factor & m.gt(zero), apart, || one, WIDE);
    let value = (sign * value).when(m.gt(zero), value);
    // What left the range all the same is not known, but where the other half of the powers only makes it larger.
    let larger = m.lt(zero) & second_root.gt(one);
    let vanished = value.eq(zero) & m.gt(m.like(LARGEST_FACTORIAL)) & x.abs().lt(one);
    let left = (second_root.ne(one) & value.abs().eq(infinity) & !larger) | vanished;
    let value = m.like(f64::NAN).when(left, value * second_root);
    let value = (-value).when(mirrored & odd, value);
    let value = zero.when(whole & above & m.ge(zero), value);
    // At -1 the function is infinite if the degree is no integer, with the signs of DLMF 14.8.2 and 14.9.3. It is also infinite, and
    // positive, if the order is negative and its magnitude exceeds the degree.
    let side = -sin_pi(degree) * one.when(m.ge(zero), sign);
    let beyond = above & m.lt(zero);
    let end = infinity.copysign(one.when(beyond, side));
    let value = end.when(x.eq(-one) & (!whole | beyond), value);
    let nan = m.like(f64::NAN);
    let known = m.eq(m.floor()) & x.ge(-one) & !x.is_nan() & !v.is_nan() & m.abs().lt(infinity);
    value.when(known, nan)
}
