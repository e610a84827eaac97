//! Wright's generalized Bessel function, and the integral of a Bessel function times a power.

use std::f64::consts::PI;

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{either, in_double};
use super::bessel_order::jv;
use super::called::called;
use super::gamma::{gammaln, rgamma, stirling_rest};
use super::inverses::legendre_rule;
use crate::Ufunc;
use crate::table::ternary;

/// Most terms on one side of the peak.
const TERMS: f64 = 3000.0;
/// Nodes of the quadrature on one panel, and most panels.
const NODES: usize = 16;
const PANELS: f64 = 10_000.0;

pub(super) fn rows() -> Vec<Ufunc> {
    const LOOPS: &str = "ddd->d, fff->f";
    let rows = [
        ternary("wright_bessel", LOOPS, "Wright's generalized Bessel function.", |a, b, x| {
            in_double(&[a, b, x], |v| wright(v[0], v[1], v[2], false))
        }),
        ternary("log_wright_bessel", LOOPS, "Logarithm of Wright's generalized Bessel function.", |a, b, x| {
            in_double(&[a, b, x], |v| wright(v[0], v[1], v[2], true))
        }),
        ternary(
            "besselpoly",
            LOOPS,
            "Weighted integral of a Bessel function, of x**lmb * called!(jv(nu, 2 a x)) to 1.",
            |a, l, v| in_double(&[a, l, v], |v| besselpoly(v[0], v[1], v[2])),
        ),
    ];
    let source = "DLMF 10.46: terms from the peak outwards, strides where they are smooth; 10.2.2 and Gauss's rule";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// The logarithm of term k: x**k / (k! gamma(a k + b)).
fn log_term<'b>(a: Var<'b>, b: Var<'b>, log_x: Var<'b>, k: Var<'b>) -> Var<'b> {
    let (one, half, three) = (k.like(1.0), k.like(0.5), k.like(3.0));
    let w = a * k + b;
    let large = || {
        // Stirling's formula for both, so that large parts cancel before they are multiplied.
        let (log_k, log_w) = (k.log(), w.log());
        let main = k * ((log_x - log_k - a * log_w) + (one + a));
        main - (b - half) * log_w + b - half * log_k - k.like((2.0 * PI).ln()) - stirling_rest(k) - stirling_rest(w)
    };
    let small = || zero_safe(k, log_x) - called!(gammaln(k + one)) - called!(gammaln(w));
    either(k.ge(three) & w.ge(three), large, small, DType::F64)
}

/// k log(x), 0 where k is.
fn zero_safe<'b>(k: Var<'b>, log_x: Var<'b>) -> Var<'b> {
    let zero = k.like(0.0);
    zero.when(k.eq(zero), k * log_x)
}

/// The sum of its terms, all of which are positive.
fn wright<'b>(a: Var<'b>, b: Var<'b>, x: Var<'b>, logarithm: bool) -> Var<'b> {
    let (builder, zero, one, infinity) = (x.builder(), x.like(0.0), x.like(1.0), x.like(f64::INFINITY));
    let log_x = x.log();
    let general = || {
        // The peak, at which x = k (a k + b)**a, by Newton's rule for its logarithm.
        let (log_k, n) = (builder.local(log_x.max(zero) / (one + a)), builder.local(zero));
        let moved = builder.local(one);
        builder.repeat(
            || n.get().lt(x.like(60.0)) & moved.get().abs().gt(x.like(1e-4)),
            || {
                let k = log_k.get().exp();
                let w = (a * k + b).max(x.like(1e-300));
                let value = log_k.get() + a * w.log() - log_x;
                let next = log_k.get() - value / (one + a * a * k / w);
                let next = next.max(x.like(-30.0));
                moved.set(next - log_k.get());
                log_k.set(next);
                n.set(n.get() + one);
            },
        );
        let peak = log_k.get().exp().floor();
        // Of a small b the first term is below the next one.
        let rises = (log_x + called!(gammaln(b))).gt(called!(gammaln(a + b)));
        let peak = one.when(peak.eq(zero) & rises, peak);
        // Numbers so smooth that some of them stand for all.
        let spread = (one / (one / peak.max(one) + a * a / (a * peak + b).max(one))).sqrt();
        let stride = (spread * x.like(0.5)).floor().max(one);
        let top = log_term(a, b, log_x, peak);
        // A first term with a pole of gamma is 0.
        let scale = zero.when(top.eq(-infinity), top);
        // The largest term apart, so that the others count beside it where they are small.
        let first = (top - scale).exp();
        let (sum, side, k) = (builder.local(zero), builder.local(one), builder.local(one));
        builder.repeat(
            || side.get().ge(-one),
            || {
                let at = peak + side.get() * k.get() * stride;
                let term = (log_term(a, b, log_x, at.max(zero)) - scale).exp();
                let term = zero.when(at.lt(zero), term);
                sum.set(sum.get() + term);
                let ended = term.le(sum.get() * x.like(1e-18)) & k.get().gt(one);
                let ended = ended | at.le(zero) & side.get().lt(zero) | k.get().gt(x.like(TERMS)) | term.is_nan();
                k.set(one.when(ended, k.get() + one));
                side.set((side.get() - x.like(2.0)).when(ended, side.get()));
            },
        );
        // Of very many terms the sum is that of a normal distribution: their logarithms have no digits left.
        let smooth = spread.gt(x.like(1e4));
        let total = (spread * x.like((2.0 * PI).sqrt())).when(smooth, (first + sum.get()) * stride);
        if logarithm {
            let apart = first.eq(one) & stride.eq(one) & !smooth;
            scale + sum.get().log1p().when(apart, total.log())
        } else {
            scale.exp() * total
        }
    };
    let simple = || {
        let (grown, inverse) = (x.exp(), called!(rgamma(b)));
        let value = if logarithm {
            zero.when(a.ne(zero), x) - called!(gammaln(b))
        } else {
            one.when(a.ne(zero), grown) * inverse
        };
        let end = zero.when(b.eq(zero) & a.eq(zero), value);
        let end = if logarithm { (-infinity).when(b.eq(zero), value) } else { end };
        infinity.when(x.eq(infinity), end)
    };
    let usual = a.gt(zero) & x.gt(zero) & x.lt(infinity);
    let value = either(usual & a.lt(infinity) & b.ge(zero) & b.lt(infinity), general, simple, DType::F64);
    let valid = a.ge(zero) & b.ge(zero) & x.ge(zero) & a.lt(infinity) & b.lt(infinity);
    value.when(valid, x.like(f64::NAN))
}

/// The integral of x**lambda J(nu, 2 a x) from 0 to 1.
fn besselpoly<'b>(a: Var<'b>, lambda: Var<'b>, nu: Var<'b>) -> Var<'b> {
    let (builder, zero, one, two) = (a.builder(), a.like(0.0), a.like(1.0), a.like(2.0));
    // Negative whole orders are positive ones but for a sign.
    let whole = nu.lt(zero) & nu.eq(nu.floor());
    let order = (-nu).when(whole, nu);
    let half = nu * a.like(0.5);
    let sign = (-one).when(whole & half.ne(half.floor()), one);
    // The power series as far as it does not cancel.
    let reach = (a.like(1.5) * (order.max(zero) + one).sqrt() / a).min(one);
    let scaled = a * reach;
    let power = lambda + order + one;
    let first = scaled.pow(order) * reach.pow(lambda + one) * called!(rgamma(order + one));
    let (term, sum, k) = (builder.local(first), builder.local(first / power), builder.local(zero));
    builder.repeat(
        || {
            let small =
                term.get().abs().le((sum.get() * power).abs() * a.like(1e-18)) & k.get().gt((-order).max(-power));
            k.get().lt(a.like(60.0)) & !small
        },
        || {
            let next = k.get() + one;
            term.set(-(term.get() * scaled * scaled) / (next * (order + next)));
            sum.set(sum.get() + term.get() / (power + two * next));
            k.set(next);
        },
    );
    // The rest by Gauss and Legendre's rule on panels of a few oscillations.
    let rule = legendre_rule(NODES);
    let (nodes, weights) = (builder.array(NODES, zero), builder.array(NODES, zero));
    for (i, (node, weight)) in rule.into_iter().enumerate() {
        nodes.set_at(i, a.like(node));
        weights.set_at(i, a.like(weight));
    }
    let span = one - reach;
    // Powers are as steep as their exponents are large.
    let steep = (lambda.abs() - a.like(10.0)).max(zero) * a.like(0.5);
    let panels = (span * (a * a + steep) * a.like(0.25)).ceil();
    let width = span / panels.max(one);
    let total = builder.local(zero);
    let (panel, node) = (builder.local(zero), builder.local(builder.integer(DType::I32, 0)));
    let known = panels.le(a.like(PANELS));
    builder.repeat(
        || panel.get().lt(panels) & known,
        || {
            let at = reach + width * (panel.get() + nodes.get(node.get()));
            let value = at.pow(lambda) * called!(jv(order, two * a * at)) * weights.get(node.get());
            total.set(total.get() + value * width);
            let next = node.get() + node.get().like_integer(1);
            let over = next.ge(next.like_integer(NODES as i128));
            node.set(next.like_integer(0).when(over, next));
            panel.set((panel.get() + one).when(over, panel.get()));
        },
    );
    let value = (sum.get() + total.get()).when(known, a.like(f64::NAN)) * sign;
    let at_zero = (one / (lambda + one)).when(order.eq(zero), zero);
    let value = a.like(f64::INFINITY).when(power.eq(zero), value);
    let value = at_zero.when(a.eq(zero), value);
    let valid = a.ge(zero) & !lambda.is_nan() & !nu.is_nan();
    value.when(valid, a.like(f64::NAN))
}
