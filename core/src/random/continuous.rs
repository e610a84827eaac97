//! Continuous distributions. All but the first few compute in float64. A parameter outside its range gives NaN.

use std::f64::consts::{PI, TAU};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::attempts::{only_where, open, until, until_from};
use super::discrete;
use super::elementary::{acos, circle, exp, ln, ln_normal, pow};
use super::philox::{Stream, lower_open_unit, open_unit, unit};
use super::single;

pub(super) fn uniform32<'b>(stream: &Stream<'b>, _: &[Var<'b>]) -> Var<'b> {
    unit(stream.word())
}

pub(super) fn uniform64<'b>(stream: &Stream<'b>, _: &[Var<'b>]) -> Var<'b> {
    unit(stream.wide())
}

pub(super) fn exponential32<'b>(stream: &Stream<'b>, _: &[Var<'b>]) -> Var<'b> {
    single::scaled_ln(open_unit(stream.word()), -1.0)
}

pub(super) fn exponential64<'b>(stream: &Stream<'b>, _: &[Var<'b>]) -> Var<'b> {
    -ln_normal(open_unit(stream.wide()))
}

/// Box and Muller: a point of the plane, by the logarithm of one uint64 as a number and the angle of another.
fn point<'b>([radius, turn]: [Var<'b>; 2]) -> (Var<'b>, Var<'b>) {
    let logarithm = ln_normal(open_unit(radius));
    let length = (logarithm * logarithm.like(-2.0)).sqrt();
    let (sine, cosine) = circle(turn);
    (length * cosine, length * sine)
}

pub(super) fn normal32<'b>(stream: &Stream<'b>, _: &[Var<'b>]) -> Var<'b> {
    let [w0, w1, w2, w3] = stream.block();
    let word = stream.by_half(w0, w2);
    // All 32 bits count near 0, where the tail of the distribution comes from.
    let number = word.cast(DType::F32);
    let radius = stream.builder().fma(number, number.like(f64::exp2(-32.0)), number.like(f64::exp2(-33.0)));
    let square = single::scaled_ln(radius, -2.0);
    // Of 1, whose logarithm is 0, nearly the same.
    let length = square.max(square.like(f64::exp2(-100.0))).sqrt_normal();
    let (x, y) = single::circle(stream.by_half(w1, w3));
    stream.by_parity(length * x, length * y)
}

pub(super) fn normal64<'b>(stream: &Stream<'b>, _: &[Var<'b>]) -> Var<'b> {
    let (even, odd) = point(stream.pair());
    stream.own([even, odd])
}

/// One standard normal number from the next block.
fn normal<'b>(stream: &Stream<'b>) -> Var<'b> {
    point(stream.pair()).0
}

fn nan(x: Var<'_>) -> Var<'_> {
    x.like(f64::NAN)
}

/// What an attempt takes: a standard normal number and one in (0, 1).
type Trial<'b> = [Var<'b>; 2];

/// Two trials of the next block. The lower halves of its two uint64 decide; the normal numbers have them beyond 32 bits, which
/// moves less of their probability than one number in 2^32 has.
fn trials<'b>(stream: &Stream<'b>) -> [Trial<'b>; 2] {
    let pair = stream.pair();
    let (even, odd) = point(pair);
    [[even, lower_open_unit(pair[0])], [odd, lower_open_unit(pair[1])]]
}

/// The element's own trial of the next block.
fn trial<'b>(stream: &Stream<'b>) -> Trial<'b> {
    let [even, odd] = trials(stream);
    [0, 1].map(|i| stream.own([even[i], odd[i]]))
}

/// A gamma variate by Marsaglia and Tsang (2000), of `shape + 1` for shapes below 1, and whether the shape is.
fn gamma_attempts<'b>(stream: &Stream<'b>, shape: Var<'b>, first: Trial<'b>) -> (Var<'b>, Var<'b>) {
    let b = stream.builder();
    let (zero, one) = (shape.like(0.0), shape.like(1.0));
    let small = shape.lt(one);
    let d = (shape + one).when(small, shape) - shape.like(1.0 / 3.0);
    let c = one / (d.like(9.0) * d).sqrt();
    let variate = until_from(
        stream,
        shape.ge(zero),
        nan(shape),
        first,
        || trial(stream),
        |[x, u]| {
            let root = b.fma(c, x, one);
            let v = root * root * root;
            let square = x * x;
            let positive = v.gt(zero);
            // Below this, most are accepted without a logarithm.
            let doubtful = u.ge(b.fma(square * square, x.like(-0.0331), one));
            let rejected = only_where(b, positive & doubtful, !positive, || {
                ln_normal(u).gt(b.fma(square, x.like(0.5), d * (one - v + ln_normal(v))))
            });
            (d * v, rejected)
        },
    );
    (variate, small)
}

/// Logarithm of the factor that makes a variate of a shape below 1 of that of the next shape, from a uint64.
fn ln_factor<'b>(word: Var<'b>, shape: Var<'b>) -> Var<'b> {
    ln_normal(open_unit(word)) / shape
}

pub(super) fn log_gamma<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let (variate, small) = gamma_attempts(stream, p[0], trial(stream));
    let logarithm = ln(variate);
    only_where(stream.builder(), small, logarithm, || logarithm + ln_factor(stream.own(stream.spare()), p[0]))
}

/// A gamma variate, see [`gamma_attempts`], with what it takes of the spare block.
fn gamma_variate<'b>(
    stream: &Stream<'b>,
    shape: Var<'b>,
    first: Trial<'b>,
    part: impl FnOnce([Var<'b>; 2]) -> Var<'b>,
) -> Var<'b> {
    let (variate, small) = gamma_attempts(stream, shape, first);
    only_where(stream.builder(), small, variate, || variate * exp(ln_factor(part(stream.spare()), shape)))
}

pub(super) fn gamma<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    gamma_variate(stream, p[0], trial(stream), |pair| stream.own(pair))
}

/// As the ratio of two gamma variates; in logarithms where a shape is below 1, since both may be too small for float64.
pub(super) fn beta<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let (zero, one) = (p[0].like(0.0), p[0].like(1.0));
    let firsts = trials(stream);
    let [(first, first_small), (second, second_small)] = [0, 1].map(|i| gamma_attempts(stream, p[i], firsts[i]));
    let ratio = only_where(stream.builder(), first_small | second_small, second / first, || {
        let words = stream.spare();
        let [first_factor, second_factor] = [0, 1].map(|i| ln_factor(words[i], p[i]));
        let first = ln(first) + first_factor.when(first_small, zero);
        let second = ln(second) + second_factor.when(second_small, zero);
        exp(second - first)
    });
    one / (one + ratio)
}

/// As [`gamma_variate`].
fn chisquare_variate<'b>(
    stream: &Stream<'b>,
    df: Var<'b>,
    first: Trial<'b>,
    part: impl FnOnce([Var<'b>; 2]) -> Var<'b>,
) -> Var<'b> {
    gamma_variate(stream, df * df.like(0.5), first, part) * df.like(2.0)
}

pub(super) fn chisquare<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    chisquare_variate(stream, p[0], trial(stream), |pair| stream.own(pair))
}

/// A Poisson mixture of central ones.
pub(super) fn noncentral_chisquare<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let count = discrete::poisson_variate(stream, p[1] * p[1].like(0.5), nan(p[1]));
    chisquare_variate(stream, p[0] + count * p[0].like(2.0), trial(stream), |[word, _]| word)
}

pub(super) fn f<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let firsts = trials(stream);
    let [upper, lower] = [0, 1].map(|i| chisquare_variate(stream, p[i], firsts[i], |pair| pair[i]));
    (upper / p[0]) / (lower / p[1])
}

pub(super) fn t<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let [[numerator, _], first] = trials(stream);
    numerator / (chisquare_variate(stream, p[0], first, |[word, _]| word) / p[0]).sqrt()
}

/// Sine and cosine of half a turn at most.
fn half_turn<'b>(stream: &Stream<'b>) -> (Var<'b>, Var<'b>) {
    let [word, _] = stream.pair();
    circle(word >> word.like_integer(1))
}

pub(super) fn cauchy<'b>(stream: &Stream<'b>, _: &[Var<'b>]) -> Var<'b> {
    let (sine, cosine) = half_turn(stream);
    sine / cosine
}

pub(super) fn laplace<'b>(stream: &Stream<'b>, _: &[Var<'b>]) -> Var<'b> {
    let [u, side] = stream.uniforms();
    let magnitude = -ln_normal(u);
    (-magnitude).when(side.lt(side.like(0.5)), magnitude)
}

pub(super) fn logistic<'b>(stream: &Stream<'b>, _: &[Var<'b>]) -> Var<'b> {
    let u = open(stream);
    ln(u / (u.like(1.0) - u))
}

pub(super) fn gumbel<'b>(stream: &Stream<'b>, _: &[Var<'b>]) -> Var<'b> {
    -ln_normal(-ln_normal(open(stream)))
}

pub(super) fn lognormal<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    exp(p[0] + p[1] * normal(stream))
}

/// Of Pareto II (Lomax), as in NumPy.
pub(super) fn pareto<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    exp(-ln_normal(open(stream)) / p[0]) - p[0].like(1.0)
}

pub(super) fn power<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    exp(ln_normal(open(stream)) / p[0])
}

pub(super) fn weibull<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let zero = p[0].like(0.0);
    zero.when(p[0].eq(zero), pow(-ln_normal(open(stream)), p[0].like(1.0) / p[0]))
}

/// Michael, Schucany and Haas (1976), in a form without cancellation.
pub(super) fn wald<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let (mean, scale, one) = (p[0], p[1], p[0].like(1.0));
    let x = normal(stream);
    let w = mean * x * x / (scale * scale.like(2.0));
    let root = mean / (one + w + (w * (w + w.like(2.0))).sqrt());
    let smaller = open(stream).le(mean / (mean + root));
    root.when(smaller, mean * (mean / root))
}

/// Best and Fisher (1979); concentrations that are almost nothing or very high by their limits.
pub(super) fn vonmises<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let (mu, kappa) = (p[0], p[1]);
    let (zero, one, two) = (kappa.like(0.0), kappa.like(1.0), kappa.like(2.0));
    let (flat, narrow) = (kappa.lt(kappa.like(1e-8)), kappa.gt(kappa.like(1e6)));
    let r = one + (one + kappa.like(4.0) * kappa * kappa).sqrt();
    let rho = (r - (two * r).sqrt()) / (two * kappa);
    // The first term of the series, where the difference has cancelled.
    let s = (one / kappa + kappa).when(kappa.lt(kappa.like(1e-5)), (one + rho * rho) / (two * rho));
    let cosine = until(stream, kappa.ge(zero) & !flat & !narrow, nan(kappa), || {
        let (_, z) = half_turn(stream);
        let w = (one + s * z) / (s + z);
        let y = kappa * (s - w);
        let v = open(stream);
        (w, (y * (two - y)).lt(v) & (ln(y / v) + one).lt(y))
    });
    let [u, side] = stream.uniforms();
    let angle = acos(cosine);
    let angle = (-angle).when(side.lt(side.like(0.5)), angle);
    let angle = (normal(stream) / kappa.sqrt()).when(narrow, angle);
    let angle = ((two * u - one) * kappa.like(PI)).when(flat & kappa.ge(zero), angle);
    let sum = mu + angle;
    let wrapped = sum - ((sum + sum.like(PI)) / sum.like(TAU)).floor() * sum.like(TAU);
    wrapped.max(sum.like(-PI)).min(sum.like(PI))
}

pub(super) fn triangular<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let (left, mode, right, one) = (p[0], p[1], p[2], p[0].like(1.0));
    let (base, rise) = (right - left, mode - left);
    let u = open(stream);
    let up = left + (u * base * rise).sqrt();
    let down = right - ((one - u) * base * (right - mode)).sqrt();
    up.when(u.le(rise / base), down)
}
