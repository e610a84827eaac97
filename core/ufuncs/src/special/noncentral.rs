//! Noncentral distributions, and these and the F distribution solved for their parameters. Mixtures with Poisson's weights
//! are summed from above their peak downwards, where the recurrence of the central distribution only adds: C. G. Ding,
//! Appl. Stat. 41 (1992); D. Benton, K. Krishnamoorthy, Comput. Stat. Data Anal. 43 (2003). Student's noncentral
//! distribution is such a mixture, or where that cancels an integral of positive numbers, by the trapezoidal rule.

use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, PI, SQRT_2};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;
use smallvec::smallvec;

use super::approximation::{TINY, either, half_of, in_double, log_rest};
use super::beta::beta_power;
use super::called::called;
use super::error::{log_ndtr, ndtr};
use super::gamma::{rgamma, stirling_rest};
use super::parameters::{LARGEST, distance, root};
use super::{incomplete_beta, incomplete_gamma, real3};
use crate::Ufunc;
use crate::table::general;

/// Most terms of a mixture, and nodes of a quadrature on one side.
const TERMS: f64 = 20_000.0;
/// From where on a mixture's terms are so smooth that some of them stand for all.
const SMOOTH: f64 = 1e4;
/// Gains below the first are multiplied by the second: those of further terms would have few digits.
const SMALL: f64 = 1e-150;
const LIFT: f64 = 2.582_249_878_086_908_6e120;
/// Up to this half noncentrality, and from this gain on, tails beyond a point are sums of their own.
const MOST_BEYOND: f64 = 1e3;
const LEAST_GAIN: f64 = 1e-200;
/// From this probability on equations are solved by the tail beyond.
const NEXT_TO_ONE: f64 = 0.9;
/// The largest noncentrality that is looked for.
const LARGEST_NONCENTRALITY: f64 = 1e9;
/// Below these degrees of freedom Student's variable is infinite.
const LEAST_FREEDOM: f64 = 1e-300;
/// Where a search for degrees of freedom starts.
const START: f64 = 5.0;
/// From this noncentrality on, and below so many times it degrees of freedom, Student's distribution is an integral over
/// the normal variable; the distance of its nodes, and the number of the last one.
const FAR: f64 = 50.0;
const MOST_FREEDOM: f64 = 20.0;
const NODE: f64 = 0.4;
const LAST_NODE: f64 = 120.0;
const FARTHEST: f64 = 1e140;
const HALF_LOG_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// A row of functions of four real numbers.
macro_rules! real4 {
    ($name:literal, $doc:literal, $body:path) => {
        general($name, (4, 1), "ffff->f, dddd->d", $doc, |inputs| {
            smallvec![in_double(inputs, |v| $body(v[0], v[1], v[2], v[3]))]
        })
    };
}

/// A body of three numbers, in float64.
macro_rules! wide3 {
    ($body:path) => {
        |a, b, c| in_double(&[a, b, c], |v| $body(v[0], v[1], v[2]))
    };
}

pub(super) fn rows() -> Vec<Ufunc> {
    let rows = [
        real3("chndtr", "Cumulative distribution of the noncentral chi square distribution.", wide3!(chndtr)),
        real3("chndtrix", "Inverse of chndtr in x.", wide3!(chndtrix)),
        real3("chndtridf", "Inverse of chndtr in the degrees of freedom.", wide3!(chndtridf)),
        real3("chndtrinc", "Inverse of chndtr in the noncentrality.", wide3!(chndtrinc)),
        real4!("ncfdtr", "Cumulative distribution of the noncentral F distribution.", ncfdtr),
        real4!("ncfdtri", "Inverse of ncfdtr in f.", ncfdtri),
        real4!("ncfdtridfd", "Inverse of ncfdtr in the degrees of freedom of the denominator.", ncfdtridfd),
        real4!("ncfdtridfn", "Inverse of ncfdtr in the degrees of freedom of the numerator.", ncfdtridfn),
        real4!("ncfdtrinc", "Inverse of ncfdtr in the noncentrality.", ncfdtrinc),
        real3("nctdtr", "Cumulative distribution of the noncentral t distribution.", wide3!(nctdtr)),
        real3("nctdtrit", "Inverse of nctdtr in t.", wide3!(nctdtrit)),
        real3("nctdtridf", "Inverse of nctdtr in the degrees of freedom.", wide3!(nctdtridf)),
        real3("nctdtrinc", "Inverse of nctdtr in the noncentrality.", wide3!(nctdtrinc)),
        real3("fdtridfd", "Inverse of fdtr in the degrees of freedom of the denominator.", wide3!(fdtridfd)),
    ];
    let source = "Ding (1992); Benton and Krishnamoorthy (2003): mixtures from their peaks; bracketed false position";
    rows.into_iter().map(|row| row.source(source).special()).collect()
}

/// A distribution whose mixture is wanted: `value(j)` decreases, `value(j - 1)` is `value(j)` + `gain(j - 1)`, and
/// `gain(j - 1)` is `gain(j)` (shape + j) / (share (shape + j + other)).
struct Mixed<'b> {
    shape: Var<'b>,
    share: Var<'b>,
    /// None where the last factor is no part.
    other: Option<Var<'b>>,
    /// Where terms are the largest.
    peak: Var<'b>,
}

impl<'b> Mixed<'b> {
    /// What `gain(j - 1)` is of `gain(j)`.
    fn down(&self, j: Var<'b>) -> Var<'b> {
        let number = self.shape + j;
        number / self.other.map_or(self.share, |other| self.share * (number + other))
    }

    /// The sum over j of Poisson's weights with mean `lambda` times `value(j)`.
    fn sum(
        &self,
        lambda: Var<'b>,
        value: impl FnOnce(Var<'b>) -> Var<'b>,
        gain: impl FnOnce(Var<'b>) -> Var<'b>,
    ) -> Var<'b> {
        let (builder, zero, one) = (lambda.builder(), lambda.like(0.0), lambda.like(1.0));
        let peak = self.peak.floor();
        // The deviation of terms that fall as those of two gamma functions do.
        let width = one / (one / peak.max(one) + one / (self.shape + peak).max(one)).sqrt();
        let stride = (width * lambda.like(0.5)).floor().max(one).when(lambda.gt(lambda.like(SMOOTH)), one);
        // Beside a tiny share all but the first term are nothing, and their gains vanish.
        let single = builder.local(stride.eq(one) & self.share.gt(lambda.like(1e-100)));
        let far = (peak + lambda.like(9.0) * peak.sqrt() + lambda.like(30.0)).floor();
        // Few terms of small weights: more would underflow.
        let few = (lambda.like(-40.0) / lambda.min(lambda.like(0.1)).log()).ceil() + one;
        let few = zero.when(lambda.lt(lambda.like(1e-30)), few);
        let top = few.when(lambda.lt(lambda.like(0.1)), far);
        // Weights and gains are the most precise at the peak: from there they are multiplied up to the top.
        let (j, weight, gained) =
            (builder.local(peak.when(single.get(), top)), builder.local(zero), builder.local(zero));
        let (share, sum, n) = (builder.local(zero), builder.local(zero), builder.local(zero));
        let (rising, more) = (builder.local(single.get()), builder.local(builder.boolean(true)));
        let (at_start, peak_gain) = (builder.local(builder.boolean(true)), builder.local(zero));
        let lift = builder.local(one);
        // One loop for the way up, whose terms do not count, and the way down.
        builder.repeat(
            || more.get() & n.get().lt(lambda.like(TERMS)),
            || {
                let at = j.get();
                builder.branch(
                    at_start.get() | !single.get(),
                    || {
                        weight.set(incomplete_gamma::factor(at, lambda));
                        let found = gain(at);
                        lift.set(lambda.like(LIFT).when(at_start.get() & found.lt(lambda.like(SMALL)), lift.get()));
                        gained.set(found * lift.get());
                    },
                    || {
                        builder.branch(
                            rising.get(),
                            || {
                                weight.set(weight.get() * lambda / at);
                                gained.set(gained.get() / self.down(at));
                            },
                            || {
                                weight.set(weight.get() * (at + one) / lambda);
                                gained.set(gained.get() * self.down(at + one));
                            },
                        );
                    },
                );
                // Gains that have become nothing beside the first one need no way further up.
                peak_gain.set(gained.get().when(at_start.get(), peak_gain.get()));
                let counts =
                    gained.get().gt(peak_gain.get() * lambda.like(1e-25)) & gained.get().gt(lambda.like(1e-290));
                let climbing = rising.get() & at.lt(top) & counts;
                // Far from the mixture the gain at the peak is nothing already: every value is taken by itself, from the top.
                let lost = at_start.get() & single.get() & !gained.get().gt(lambda.like(1e-290));
                at_start.set(builder.boolean(false));
                let arrived = rising.get() & !climbing;
                builder.branch(
                    arrived | !single.get(),
                    || share.set(value(at) * lift.get()),
                    || share.set((share.get() + gained.get()).when(!climbing, zero)),
                );
                rising.set(climbing);
                let term = zero.when(climbing | lost, weight.get() * share.get());
                sum.set(sum.get() + term);
                more.set(climbing | lost | (at.ge(stride) & (at.gt(peak) | term.gt(sum.get() * lambda.like(1e-18)))));
                j.set(top.when(lost, (at + one).when(climbing, at - stride)));
                single.set(single.get() & !lost);
                n.set(n.get() + one);
            },
        );
        // A sum that its bound ended is no value.
        (sum.get() / lift.get() * stride).min(one).when(!more.get(), lambda.like(f64::NAN))
    }

    /// As `sum`, of `beyond(j)`, 1 less `value(j)`: it increases, and is summed upwards. NaN of more terms than it takes.
    fn sum_beyond(
        &self,
        lambda: Var<'b>,
        beyond: impl FnOnce(Var<'b>) -> Var<'b>,
        gain: impl FnOnce(Var<'b>) -> Var<'b>,
    ) -> Var<'b> {
        let (builder, zero, one) = (lambda.builder(), lambda.like(0.0), lambda.like(1.0));
        let first = (lambda - lambda.like(9.0) * lambda.sqrt() - lambda.like(30.0)).floor().max(zero);
        let (weight, share, gained) = (incomplete_gamma::factor(first, lambda), beyond(first), gain(first));
        let known = lambda.lt(lambda.like(MOST_BEYOND)) & gained.gt(lambda.like(LEAST_GAIN));
        let (j, sum) = (builder.local(first), builder.local(weight * share));
        let (weight, share, gained) = (builder.local(weight), builder.local(share), builder.local(gained));
        let more = builder.local(known);
        builder.repeat(
            || more.get(),
            || {
                let next = j.get() + one;
                weight.set(weight.get() * lambda / next);
                share.set(share.get() + gained.get());
                gained.set(gained.get() / self.down(next));
                let term = weight.get() * share.get();
                sum.set(sum.get() + term);
                j.set(next);
                let small = next.gt(lambda) & term.lt(sum.get() * lambda.like(1e-17));
                more.set(!small & next.lt(lambda.like(TERMS)));
            },
        );
        sum.get().min(one).when(known & j.get().lt(lambda.like(TERMS)), lambda.like(f64::NAN))
    }
}

/// The probability beyond x > 0, NaN where it is too far from a sum of its own.
fn noncentral_chi_beyond<'b>(x: Var<'b>, df: Var<'b>, nc: Var<'b>) -> Var<'b> {
    let (point, a, lambda) = (x * x.like(0.5), half_of(df), nc * x.like(0.5));
    Mixed { shape: a, share: point, other: None, peak: lambda }.sum_beyond(
        lambda,
        |j| called!(incomplete_gamma::regularised(a + j, point, x.builder().boolean(true))),
        |j| incomplete_gamma::factor(a + j, point),
    )
}

/// The probability up to x > 0.
fn noncentral_chi<'b>(x: Var<'b>, df: Var<'b>, nc: Var<'b>) -> Var<'b> {
    let half = x.like(0.5);
    let (point, a, lambda) = (half * x, half_of(df), half * nc);
    let quarter = half * a;
    // Where terms are as large as their neighbours, if probabilities are the leading terms of tails.
    let peak =
        lambda.min(lambda * point / (quarter + (quarter * quarter + lambda * point * half * half).sqrt() + half));
    let peak = peak.max(lambda.min((quarter * quarter + lambda * point).sqrt() - quarter));
    let mixture = || {
        Mixed { shape: a, share: point, other: None, peak }.sum(
            lambda,
            |j| called!(incomplete_gamma::regularised(a + j, point, x.builder().boolean(false))),
            |j| incomplete_gamma::factor(a + j, point),
        )
    };
    // Next to 0 the first distribution is all, of the number's logarithm.
    let first = || (incomplete_gamma::log_near_zero(a, x.log() - x.like(LN_2)) - lambda).exp();
    either(x.lt(x.like(TINY)), first, mixture, DType::F64)
}

/// What a distribution gives at the ends of its range, else `body`.
fn within<'b>(x: Var<'b>, valid: Var<'b>, body: impl FnOnce() -> Var<'b>) -> Var<'b> {
    let (zero, infinity) = (x.like(0.0), x.like(f64::INFINITY));
    let inside = valid & x.gt(zero) & x.lt(infinity);
    let edge = zero.when(x.eq(zero), x.like(1.0).when(x.eq(infinity), x.like(f64::NAN)));
    let edge = edge.when(valid, x.like(f64::NAN));
    either(inside, body, || edge, DType::F64)
}

/// Whether a number is positive and finite.
fn is_positive(x: Var<'_>) -> Var<'_> {
    x.gt(x.like(0.0)) & x.lt(x.like(f64::INFINITY))
}

/// Whether a number is a noncentrality.
fn is_noncentrality(nc: Var<'_>) -> Var<'_> {
    nc.ge(nc.like(0.0)) & nc.lt(nc.like(f64::INFINITY))
}

/// Whether a number is a probability, the ends left out.
fn is_inside(p: Var<'_>) -> Var<'_> {
    p.gt(p.like(0.0)) & p.lt(p.like(1.0))
}

fn chndtr<'b>(x: Var<'b>, df: Var<'b>, nc: Var<'b>) -> Var<'b> {
    let all_beyond = nc.eq(nc.like(f64::INFINITY)) & is_positive(df) & is_positive(x);
    let value = within(x, is_positive(df) & is_noncentrality(nc), || called!(noncentral_chi(x, df, nc)));
    x.like(0.0).when(all_beyond, value)
}

/// The positive number at which `value`, increasing or `falling`, is p; next to 1 `beyond`, 1 less it, has the digits.
fn solved<'b>(
    p: Var<'b>,
    valid: Var<'b>,
    (start, most): (Var<'b>, f64),
    falling: Var<'b>,
    value: impl FnOnce(Var<'b>) -> Var<'b>,
    beyond: impl FnOnce(Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let (one, close) = (p.like(1.0), p.gt(p.like(NEXT_TO_ONE)));
    let solve = || {
        root(start, p.like(0.0), p.like(most), |at| {
            let tail = p.builder().local(p.like(f64::NAN));
            p.builder().branch(close, || tail.set(beyond(at)), || {});
            let upper = tail.get().ge(p.like(0.0));
            let by_value = || distance(value(at), p);
            let found = either(upper, || -distance(tail.get(), one - p), by_value, DType::F64);
            (-found).when(falling, found)
        })
    };
    either(valid & is_inside(p), solve, || p.like(f64::NAN), DType::F64)
}

/// The quantiles of the ends.
fn with_ends<'b>(p: Var<'b>, valid: Var<'b>, value: Var<'b>) -> Var<'b> {
    let (zero, infinity) = (p.like(0.0), p.like(f64::INFINITY));
    zero.when(valid & p.eq(zero), infinity.when(valid & p.eq(p.like(1.0)), value))
}

fn chndtrix<'b>(p: Var<'b>, df: Var<'b>, nc: Var<'b>) -> Var<'b> {
    let valid = is_positive(df) & is_noncentrality(nc);
    with_ends(
        p,
        valid,
        solved(
            p,
            valid,
            (df + nc, LARGEST),
            p.builder().boolean(false),
            |x| called!(noncentral_chi(x, df, nc)),
            |x| called!(noncentral_chi_beyond(x, df, nc)),
        ),
    )
}

fn chndtridf<'b>(x: Var<'b>, p: Var<'b>, nc: Var<'b>) -> Var<'b> {
    let valid = is_positive(x) & is_noncentrality(nc);
    solved(
        p,
        valid,
        (x.max(x.like(1.0)), LARGEST),
        p.builder().boolean(true),
        |df| called!(noncentral_chi(x, df, nc)),
        |df| called!(noncentral_chi_beyond(x, df, nc)),
    )
}

fn chndtrinc<'b>(x: Var<'b>, df: Var<'b>, p: Var<'b>) -> Var<'b> {
    let valid = is_positive(x) & is_positive(df);
    solved(
        p,
        valid,
        (x, LARGEST_NONCENTRALITY),
        p.builder().boolean(true),
        |nc| called!(noncentral_chi(x, df, nc)),
        |nc| called!(noncentral_chi_beyond(x, df, nc)),
    )
}

/// The probability beyond f > 0, NaN where it is too far from a sum of its own.
fn noncentral_f_beyond<'b>(dfn: Var<'b>, dfd: Var<'b>, nc: Var<'b>, f: Var<'b>) -> Var<'b> {
    let (one, a, b, lambda) = (f.like(1.0), half_of(dfn), half_of(dfd), nc * f.like(0.5));
    let product = dfn * f;
    let (x, y) = (product / (product + dfd), dfd / (product + dfd));
    Mixed { shape: a, share: x, other: Some(b - one), peak: lambda }.sum_beyond(
        lambda,
        |j| called!(incomplete_beta::regularised(a + j, b, x, y, f.builder().boolean(true))),
        |j| called!(beta_power(a + j, b, x, y)) / (a + j),
    )
}

/// The probability up to f > 0.
fn noncentral_f<'b>(dfn: Var<'b>, dfd: Var<'b>, nc: Var<'b>, f: Var<'b>) -> Var<'b> {
    let (half, one) = (f.like(0.5), f.like(1.0));
    let (a, b, lambda) = (half_of(dfn), half_of(dfd), half * nc);
    // Both shares from the sum, so that the smaller one keeps its digits.
    let product = dfn * f;
    let (x, y) = (product / (product + dfd), dfd / (product + dfd));
    let y = y.max(f.like(f64::from_bits(1)));
    let c = lambda * x;
    let middle = half * (c - a);
    let root = (middle * middle + c * (a + b)).sqrt();
    let peak = (middle + root).when(middle.gt(f.like(0.0)), c * (a + b) / (root - middle));
    let peak = lambda.min(peak.max(f.like(0.0)));
    let mixture = || {
        Mixed { shape: a, share: x, other: Some(b - one), peak }.sum(
            lambda,
            |j| called!(incomplete_beta::regularised(a + j, b, x, y, f.builder().boolean(false))),
            |j| called!(beta_power(a + j, b, x, y)) / (a + j),
        )
    };
    // Next to 0 the first distribution is all, of the share's logarithm.
    let tiny = x.lt(f.like(TINY)) & (product * (nc + one)).lt(f.like(incomplete_beta::ALONE));
    let first = || {
        let log = dfn.log() + f.log() - dfd.log();
        (called!(incomplete_beta::log_near_zero(dfn, dfd, log)) - lambda).exp()
    };
    either(tiny, first, mixture, DType::F64)
}

fn ncfdtr<'b>(dfn: Var<'b>, dfd: Var<'b>, nc: Var<'b>, f: Var<'b>) -> Var<'b> {
    let valid = is_positive(dfn) & is_positive(dfd) & is_noncentrality(nc);
    within(f, valid, || called!(noncentral_f(dfn, dfd, nc, f)))
}

fn ncfdtri<'b>(dfn: Var<'b>, dfd: Var<'b>, nc: Var<'b>, p: Var<'b>) -> Var<'b> {
    let valid = is_positive(dfn) & is_positive(dfd) & is_noncentrality(nc);
    with_ends(
        p,
        valid,
        solved(
            p,
            valid,
            (p.like(1.0), LARGEST),
            p.builder().boolean(false),
            |f| called!(noncentral_f(dfn, dfd, nc, f)),
            |f| called!(noncentral_f_beyond(dfn, dfd, nc, f)),
        ),
    )
}

fn ncfdtridfd<'b>(dfn: Var<'b>, p: Var<'b>, nc: Var<'b>, f: Var<'b>) -> Var<'b> {
    let valid = is_positive(dfn) & is_noncentrality(nc) & is_positive(f);
    solved(
        p,
        valid,
        (p.like(START), LARGEST),
        p.builder().boolean(false),
        |dfd| called!(noncentral_f(dfn, dfd, nc, f)),
        |dfd| called!(noncentral_f_beyond(dfn, dfd, nc, f)),
    )
}

fn ncfdtridfn<'b>(p: Var<'b>, dfd: Var<'b>, nc: Var<'b>, f: Var<'b>) -> Var<'b> {
    let valid = is_positive(dfd) & is_noncentrality(nc) & is_positive(f);
    // From few degrees of freedom, where all is at 0 or beyond f, to many, where the numerator is 1.
    let half = p.like(0.5);
    let many = called!(incomplete_gamma::regularised(half * dfd, half * dfd / f, p.builder().boolean(true)));
    let falling = many.lt((-(half * nc)).exp());
    solved(
        p,
        valid,
        (p.like(START), LARGEST),
        falling,
        |dfn| called!(noncentral_f(dfn, dfd, nc, f)),
        |dfn| called!(noncentral_f_beyond(dfn, dfd, nc, f)),
    )
}

fn ncfdtrinc<'b>(dfn: Var<'b>, dfd: Var<'b>, p: Var<'b>, f: Var<'b>) -> Var<'b> {
    let valid = is_positive(dfn) & is_positive(dfd) & is_positive(f);
    solved(
        p,
        valid,
        (f, LARGEST_NONCENTRALITY),
        p.builder().boolean(true),
        |nc| called!(noncentral_f(dfn, dfd, nc, f)),
        |nc| called!(noncentral_f_beyond(dfn, dfd, nc, f)),
    )
}

fn fdtridfd<'b>(dfn: Var<'b>, p: Var<'b>, x: Var<'b>) -> Var<'b> {
    let (valid, no, yes) = (is_positive(dfn) & is_positive(x), p.builder().boolean(false), p.builder().boolean(true));
    let value = |dfd: Var<'b>| called!(incomplete_beta::f_probability(dfn, dfd, x, no));
    let beyond = |dfd: Var<'b>| called!(incomplete_beta::f_probability(dfn, dfd, x, yes));
    solved(p, valid, (p.like(START), LARGEST), no, value, beyond)
}

/// exp(v), where `more` is exp(v) - 1.
fn root_of<'b>(v: Var<'b>, more: Var<'b>) -> Var<'b> {
    either(v.lt(v.like(-1.0)), || v.exp(), || more + v.like(1.0), DType::F64)
}

/// The logarithm of the root's weight at v beside that at 0; `more` is exp(v) - 1.
fn log_weight<'b>(df: Var<'b>, v: Var<'b>, more: Var<'b>) -> Var<'b> {
    df * (log_rest(more, v) - v.like(0.5) * more * more)
}

/// The probability up to t: the normal distribution's at t u - nc, over the distribution of u, the root of a chi square
/// variable over its degrees of freedom; v is its logarithm.
fn noncentral_t<'b>(df: Var<'b>, nc: Var<'b>, t: Var<'b>) -> Var<'b> {
    let (builder, zero, one, half, two) = (t.builder(), t.like(0.0), t.like(1.0), t.like(0.5), t.like(2.0));
    let root_at = |v: Var<'b>, more: Var<'b>| called!(root_of(v, more));
    let deviate = |u: Var<'b>, more: Var<'b>| (t * u - nc).when(u.lt(half), (t - nc) + t * more);
    let weight = |v: Var<'b>, more: Var<'b>| called!(log_weight(df, v, more));
    // The peak of the integrand, about, by Newton's rule in a bracket, later by bisection.
    let (peak, n, moved) = (builder.local(zero), builder.local(zero), builder.local(one));
    let (low, high) = (builder.local(t.like(-700.0)), builder.local(t.like(350.0)));
    builder.repeat(
        || n.get().lt(t.like(100.0)) & moved.get().abs().gt(t.like(1e-2)),
        || {
            let v = peak.get();
            let more = v.expm1();
            let u = root_at(v, more);
            let z = deviate(u, more);
            // The density over the probability, and what its derivative is of it.
            let far = z.lt(t.like(-30.0));
            let near = (-(half * z * z) - t.like(HALF_LOG_TWO_PI) - called!(log_ndtr(z))).exp();
            let hazard = (-z - one / z).when(far, near);
            let decrease = one.when(far, near * (z + near));
            let pull = t * u * hazard;
            let slope = pull - df * more * (more + two);
            let bend = two * df * u * u - pull + (t * u) * (t * u) * decrease;
            let rises = slope.gt(zero);
            low.set(v.when(rises, low.get()));
            high.set(high.get().when(rises, v));
            let bend = bend.max(df * u * u);
            let next = v + (slope / bend).min(one).max(-one);
            // At the peak itself it is an end of the bracket.
            let newton = next.ge(low.get()) & next.le(high.get()) & n.get().lt(t.like(30.0));
            let next = next.when(newton, half * (low.get() + high.get()));
            moved.set((next - v) * bend.sqrt().max(one)); // In units of the peak's width.
            peak.set(next);
            n.set(n.get() + one);
        },
    );
    let peak = peak.get();
    let more = peak.expm1();
    let scale = root_at(peak, more);
    // How fast the integrand grows off the real line.
    let (slope, below) = (t.abs() * scale, (-deviate(scale, more)).max(zero));
    // Right of its rise the normal distribution is constant.
    let slope = slope.min(nc.abs() + t.like(8.0)).when(t.gt(zero), slope);
    // Left of 0 it ends in a step, which counts where the weight has not vanished.
    let end = nc / t;
    let ends = t.lt(zero) & nc.lt(zero) & weight(end.log(), end - one).gt(weight(peak, more) - t.like(45.0));
    let slope = slope.max(nc.abs()).when(ends, slope);
    let curvature = two * df * scale * scale + slope * (slope + below);
    let step = t.like(0.1).min(t.like(0.55) / curvature.sqrt());
    let top = weight(peak, more) + called!(log_ndtr(deviate(scale, more)));
    let (sum, side, k) = (builder.local(one), builder.local(-one), builder.local(one));
    let flat = -t.like(40.0) - (one + t.abs()).log();
    builder.repeat(
        || side.get().le(one),
        || {
            let v = peak + side.get() * k.get() * step;
            let more = v.expm1();
            let term = (weight(v, more) + called!(log_ndtr(deviate(root_at(v, more), more))) - top).exp();
            // Far to the left terms are a geometric series.
            let is_flat = side.get().lt(zero) & v.lt(flat);
            let rest = zero.when(!is_flat, term / (df * step).expm1());
            sum.set(sum.get() + term + rest);
            let endless = k.get().gt(t.like(TERMS)) | term.is_nan();
            sum.set(t.like(f64::NAN).when(endless, sum.get()));
            let ended = is_flat | endless | term.lt(sum.get() * t.like(1e-18));
            k.set(one.when(ended, k.get() + one));
            side.set((side.get() + two).when(ended, side.get()));
        },
    );
    // 2 (n / 2)**(n / 2) exp(-n / 2) / gamma(n / 2).
    let n = half * df;
    let large = || (df * t.like(1.0 / PI)).sqrt() * (-called!(stirling_rest(n))).exp();
    let small = || two * n * n.pow(n) * (-n).exp() * called!(rgamma(n + one));
    let constant = either(n.ge(t.like(3.0)), large, small, DType::F64);
    (sum.get() * step * constant * top.exp()).min(one)
}

/// The probability up to t of a large noncentrality: that of the chi square variable where the normal one is z, over z.
/// The first is smooth there.
fn of_large_noncentrality<'b>(df: Var<'b>, nc: Var<'b>, t: Var<'b>) -> Var<'b> {
    let (builder, zero, one, half) = (t.builder(), t.like(0.0), t.like(1.0), t.like(0.5));
    let positive = nc.gt(zero);
    let (k, sum) = (builder.local(t.like(-LAST_NODE)), builder.local(zero));
    builder.repeat(
        || k.get().le(t.like(LAST_NODE)),
        || {
            let z = k.get() * t.like(NODE);
            let root = (z + nc.abs()) / t.abs();
            let point = (half * df * root * root).min(t.like(1e300));
            let share = called!(incomplete_gamma::regularised(half * df, point, positive));
            sum.set(sum.get() + (-(half * z * z)).exp() * share);
            k.set(k.get() + one);
        },
    );
    let value = (sum.get() * t.like(NODE / SQRT_2 / PI.sqrt())).min(one);
    // A variable of the other sign has no probability.
    value.when(positive.eq(t.gt(zero)), zero.when(positive, one))
}

/// The probability up to t as a mixture (R. V. Lenth, Appl. Stat. 38 (1989), AS 243; its central distributions downwards,
/// where their recurrence only adds), and what its terms without their signs add up to.
fn student_mixture<'b>(df: Var<'b>, nc: Var<'b>, t: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (builder, zero, one, half, two) = (t.builder(), t.like(0.0), t.like(1.0), t.like(0.5), t.like(2.0));
    let square = t * t;
    let (x, y) = (square / (df + square), df / (df + square));
    let (b, lambda) = (half * df, half * nc * nc);
    let count = (lambda + t.like(8.0) * lambda.sqrt() + t.like(14.0)).floor();
    // Of a small share a few terms are all, and powers of it leave the range.
    let ratio = lambda * x * (b + t.like(40.0));
    let few = (t.like(-46.0) / ratio.log()).ceil() + two;
    let count = count.min(few.when(ratio.lt(t.like(0.1)), count));
    let count = count.when(lambda.gt(t.like(1e-16)), zero);
    // Weights of the even and of the odd terms, and what the central distributions lose from one to the next.
    let start = (-lambda).exp();
    let (even, odd) = (builder.local(start), builder.local(start * lambda.sqrt() * t.like(FRAC_2_SQRT_PI)));
    let first = called!(beta_power(half, b, x, y));
    let (even_gain, odd_gain) = (builder.local(two * first), builder.local(x * b * (b * y.log()).exp()));
    let j = builder.local(zero);
    // Terms beyond those whose gains leave the range are nothing, and from 0 nothing comes back.
    builder.repeat(
        || j.get().lt(count) & even_gain.get().min(odd_gain.get()).gt(t.like(1e-280)),
        || {
            let (low, middle, high) = (j.get() + one, j.get() + t.like(1.5), j.get() + two);
            // The reciprocals of all three, of one division.
            let inverse = one / (low * middle * high);
            even_gain.set(even_gain.get() * x * (j.get() + half + b) * (inverse * low * high));
            odd_gain.set(odd_gain.get() * x * (low + b) * (inverse * low * middle));
            even.set(even.get() * lambda * (inverse * middle * high));
            odd.set(odd.get() * lambda * (inverse * low * high));
            j.set(low);
        },
    );
    let no = builder.boolean(false);
    let even_value = builder.local(called!(incomplete_beta::regularised(j.get() + half, b, x, y, no)));
    let odd_value = builder.local(called!(incomplete_beta::regularised(j.get() + one, b, x, y, no)));
    let (even_sum, odd_sum) =
        (builder.local(even.get() * even_value.get()), builder.local(odd.get() * odd_value.get()));
    let (of_x, of_lambda) = (one / x, one / lambda.max(t.like(1e-300)));
    builder.repeat(
        || j.get().gt(zero),
        || {
            let (low, middle, high) = (j.get(), j.get() + half, j.get() + one);
            let (less, more) = (j.get() - half + b, low + b);
            let inverse = of_x / (less * more);
            even_gain.set(even_gain.get() * middle * (inverse * more));
            odd_gain.set(odd_gain.get() * high * (inverse * less));
            even.set(even.get() * low * of_lambda);
            odd.set(odd.get() * middle * of_lambda);
            even_value.set(even_value.get() + even_gain.get());
            odd_value.set(odd_value.get() + odd_gain.get());
            even_sum.set(even_sum.get() + even.get() * even_value.get());
            odd_sum.set(odd_sum.get() + odd.get() * odd_value.get());
            j.set(j.get() - one);
        },
    );
    let right = one.copysign(t);
    let (even_sum, odd_sum) = (half * even_sum.get(), half * odd_sum.get());
    let center = called!(ndtr(-nc));
    (center + right * even_sum + one.copysign(nc) * odd_sum, center + even_sum + odd_sum)
}

fn student_noncentral<'b>(df: Var<'b>, nc: Var<'b>, t: Var<'b>) -> Var<'b> {
    let builder = t.builder();
    let normal = t.eq(t.like(0.0)) | df.gt(t.like(1e16));
    let other = || {
        let (value, known) = (builder.local(t.like(0.0)), builder.local(builder.boolean(false)));
        let share = t * t / df;
        let few = nc.abs().lt(t.like(8.0)) & t.abs().gt(t.like(1e-8)) & df.lt(t.like(1e6)) & share.lt(t.like(1e4));
        // Further out the gains of the first terms leave the range.
        let few = few & (df * share.log1p()).lt(t.like(1000.0));
        let mixture = || {
            let (found, size) = called!(student_mixture(df, nc, t));
            value.set(found.min(t.like(1.0)));
            // What cancels leaves no digits.
            known.set(found.gt(size * t.like(0.02)));
        };
        builder.branch(few, mixture, || {});
        let large = nc.abs().gt(t.like(FAR)) & df.lt(nc.abs() * t.like(MOST_FREEDOM));
        let others = || {
            let by_nodes = || called!(of_large_noncentrality(df, nc, t));
            // Farther out the tail beyond is a power, and squares would leave the range.
            let near = t.max(t.like(-FARTHEST)).min(t.like(FARTHEST));
            let by_peak = || {
                let found = called!(noncentral_t(df, nc, near));
                let share = (near / t).pow(df);
                let beyond = t.like(1.0) - (t.like(1.0) - found) * share;
                found.when(near.eq(t), beyond.when(t.gt(t.like(0.0)), found * share))
            };
            either(large, by_nodes, by_peak, DType::F64)
        };
        builder.branch(known.get(), || {}, || value.set(others()));
        value.get()
    };
    // Of next to no degrees of freedom it has the signs of a normal variable, and infinite sizes.
    let signs = df.lt(t.like(LEAST_FREEDOM)) & t.ne(t.like(0.0));
    either(normal | signs, || called!(ndtr((-nc).when(signs, t - nc))), other, DType::F64)
}

fn nctdtr<'b>(df: Var<'b>, nc: Var<'b>, t: Var<'b>) -> Var<'b> {
    let (zero, one, infinity) = (t.like(0.0), t.like(1.0), t.like(f64::INFINITY));
    let valid = df.gt(zero) & nc.abs().lt(infinity);
    let inside = valid & t.abs().lt(infinity);
    let edge = one.when(t.eq(infinity), zero.when(t.eq(-infinity), t.like(f64::NAN)));
    let edge = edge.when(valid, t.like(f64::NAN));
    either(inside, || called!(student_noncentral(df, nc, t)), || edge, DType::F64)
}

fn nctdtrit<'b>(df: Var<'b>, nc: Var<'b>, p: Var<'b>) -> Var<'b> {
    let (zero, one, infinity) = (p.like(0.0), p.like(1.0), p.like(f64::INFINITY));
    let valid = df.gt(zero) & nc.abs().lt(infinity);
    let solve = || {
        // On the side of 0 that the probability there tells.
        let side = one.when(p.gt(called!(ndtr(-nc))), -one);
        let start = nc.abs().max(one);
        side * root(start, zero, p.like(LARGEST), |size| {
            side * distance(called!(student_noncentral(df, nc, side * size)), p)
        })
    };
    let value = either(valid & is_inside(p), solve, || p.like(f64::NAN), DType::F64);
    (-infinity).when(valid & p.eq(zero), infinity.when(valid & p.eq(one), value))
}

fn nctdtridf<'b>(p: Var<'b>, nc: Var<'b>, t: Var<'b>) -> Var<'b> {
    let (zero, one, infinity) = (p.like(0.0), p.like(1.0), p.like(f64::INFINITY));
    let valid = nc.abs().lt(infinity) & t.abs().lt(infinity) & is_inside(p);
    let side = one.when(t.gt(zero), -one);
    let solve =
        || root(p.like(START), zero, p.like(1e10), |df| side * distance(called!(student_noncentral(df, nc, t)), p));
    either(valid, solve, || p.like(f64::NAN), DType::F64)
}

fn nctdtrinc<'b>(df: Var<'b>, p: Var<'b>, t: Var<'b>) -> Var<'b> {
    let (zero, infinity) = (p.like(0.0), p.like(f64::INFINITY));
    let valid = df.gt(zero) & t.abs().lt(infinity) & is_inside(p);
    let end = p.like(1e6);
    let solve = || root(zero, -end, end, |nc| -distance(called!(student_noncentral(df, nc, t)), p));
    either(valid, solve, || p.like(f64::NAN), DType::F64)
}
