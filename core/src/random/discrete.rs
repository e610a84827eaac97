//! Distributions over the integers. Parameters outside their range give -1.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::attempts::{only_where, open, search, trials, until, until_from};
use super::elementary::{exp, ln, ln_1p, ln_gamma, ln_gamma_mostly_large, ln_normal};
use super::philox::{Stream, lower_open_unit, open_unit};

/// Largest float64 that fits in an int64.
const LARGEST: f64 = 9_223_372_036_854_774_784.0;

/// Lemire (2019): the upper half of a product, where the lower half rejects what would be drawn too often.
fn below<'b>(stream: &Stream<'b>, span: Var<'b>, draw: impl Fn() -> Var<'b>) -> Var<'b> {
    let b = stream.builder();
    let (zero, one) = (span.like_integer(0), span.like_integer(1));
    let length = span + one;
    let bits = b.local(draw());
    // One round of a loop, not a branch: elements that are computed together skip it if none is in doubt.
    let doubtful = b.local((bits.get() * length).lt(length));
    b.repeat(
        || doubtful.get(),
        || {
            let excess = (zero - length) % length;
            b.repeat(|| (bits.get() * length).lt(excess), || bits.set(draw()));
            doubtful.set(b.integer(DType::Bool, 0));
        },
    );
    let bits = bits.get();
    bits.when(length.eq(zero), bits.mul_high(length))
}

/// `p[0]` plus a number from 0 to `p[1]` < 2^32, both included.
pub(super) fn integers32<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    p[0] + below(stream, p[1].cast(DType::U32), || stream.word()).cast(DType::U64)
}

/// As [`integers32`] where the elements of a block are two of 64 bits: each takes the lower of its words.
pub(super) fn integers32_wide<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    p[0] + below(stream, p[1].cast(DType::U32), || stream.wide().cast(DType::U32)).cast(DType::U64)
}

/// `p[0]` plus a number from 0 to `p[1]`, both included.
pub(super) fn integers64<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    p[0] + below(stream, p[1], || stream.wide())
}

/// Rounds of [`permutation`], and the odd factors that mix within one.
const ROUNDS: usize = 12;
const MIXERS: [i128; 2] = [0x9E37_79B1, 0x85EB_CA77];

/// The place of an element in a random order of the `p[0]` <= 2^`p[1]` elements of the draw: a Feistel network over numbers
/// of `p[1]` bits, keyed by the draw and walked until it leads below `p[0]` (Black and Rogaway, 2002). Of 2 to 62 bits.
pub(super) fn permutation<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let b = stream.builder();
    let one = p[1].like_integer(1);
    let right_bits = (p[1] + one) >> one;
    let left_bits = p[1] - right_bits;
    let keys = stream.shared();
    let mask = (one << right_bits) - one;
    let mix = |half: Var<'b>, round: usize, bits: Var<'b>| {
        let step = half.like_integer((round as i128 * 0x9E37_79B9) & 0xFFFF_FFFF);
        let mut word = (half ^ (keys[round % 4] + step)) * half.like_integer(MIXERS[0]);
        word = (word ^ (word >> word.like_integer(15))) * half.like_integer(MIXERS[1]);
        word >> (word.like_integer(32) - bits.cast(DType::U32))
    };
    let walk = |from: Var<'b>| {
        let (mut left, mut right) = ((from >> right_bits).cast(DType::U32), (from & mask).cast(DType::U32));
        for round in (0..ROUNDS).step_by(2) {
            left = left ^ mix(right, round, left_bits);
            right = right ^ mix(left, round + 1, right_bits);
        }
        left.cast(DType::U64) << right_bits | right.cast(DType::U64)
    };
    let at = b.local(walk(b.index().cast(DType::U64)));
    b.repeat(|| at.get().ge(p[0]), || at.set(walk(at.get())));
    at.get()
}

fn whole<'b>(value: Var<'b>) -> Var<'b> {
    let bounded = value.min(value.like(LARGEST)).cast(DType::I64);
    bounded.like_integer(-1).when(value.is_nan(), bounded)
}

pub(super) fn geometric<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    whole(trials(stream, p[0]))
}

/// Poisson variates: inversion for a mean below 10, Hörmann's PTRS (1993) from there on. An attempt takes one uint64, whose lower
/// half decides: a number has it beyond 32 bits, which moves less of its probability than one number in 2^32 has.
pub(super) fn poisson_variate<'b>(stream: &Stream<'b>, mean: Var<'b>, invalid: Var<'b>) -> Var<'b> {
    let b = stream.builder();
    let (zero, one) = (mean.like(0.0), mean.like(1.0));
    let result = b.local(invalid);
    let first = stream.wide();
    b.branch(
        mean.lt(mean.like(10.0)),
        || {
            let counted = search(b, mean.ge(zero), invalid, open_unit(first), exp(-mean), |k| mean / k);
            result.set(counted);
        },
        || {
            let root = mean.sqrt();
            let slope = mean.like(0.931) + mean.like(2.53) * root;
            let a = mean.like(-0.059) + mean.like(0.02483) * slope;
            let scale = mean.like(1.1239) + mean.like(1.1328) / (slope - mean.like(3.4));
            let squeeze = mean.like(0.9277) - mean.like(3.6224) / (slope - mean.like(2.0));
            let log_mean = ln(mean);
            let valid = mean.lt(mean.like(f64::INFINITY));
            let counted = until_from(
                stream,
                valid,
                invalid,
                [first],
                || [stream.wide()],
                |[word]| {
                    let (u, v) = (open_unit(word) - mean.like(0.5), lower_open_unit(word));
                    let us = mean.like(0.5) - u.abs();
                    let k = ((mean.like(2.0) * a / us + slope) * u + mean + mean.like(0.43)).floor();
                    let at_once = us.ge(mean.like(0.07)) & v.le(squeeze);
                    let outside = k.lt(zero) | (us.lt(mean.like(0.013)) & v.gt(us));
                    let rejected = only_where(b, !at_once & !outside, !at_once & outside, || {
                        let density = k * log_mean - mean - ln_gamma_mostly_large(k.max(zero) + one);
                        ln_normal(v * scale / (a / (us * us) + slope)).gt(density)
                    });
                    (k, rejected)
                },
            );
            result.set(counted);
        },
    );
    result.get()
}

pub(super) fn poisson<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    whole(poisson_variate(stream, p[0], p[0].like(f64::NAN)))
}

/// Inversion for a mean below 10, Hörmann's BTRS (1993) from there on.
pub(super) fn binomial<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let b = stream.builder();
    let (n, given) = (p[0], p[1]);
    let (zero, one, half) = (n.like(0.0), n.like(1.0), n.like(0.5));
    let mirrored = given.gt(half);
    let p = (one - given).when(mirrored, given);
    let valid = n.ge(zero) & given.ge(zero) & given.le(one);
    let mean = n * p;
    let result = b.local(n.like(f64::NAN));
    b.branch(
        mean.lt(n.like(10.0)),
        || {
            let odds = p / (one - p);
            let none = exp(n * ln_1p(-p));
            let counted = search(b, valid, n.like(f64::NAN), open(stream), none, |k| (n - k + one) / k * odds);
            result.set(n.when(counted.gt(n), counted));
        },
        || {
            let deviation = (mean * (one - p)).sqrt();
            let slope = n.like(1.15) + n.like(2.53) * deviation;
            let a = n.like(-0.0873) + n.like(0.0248) * slope + n.like(0.01) * p;
            let centre = mean + half;
            let squeeze = n.like(0.92) - n.like(4.2) / slope;
            let alpha = (n.like(2.83) + n.like(5.1) / slope) * deviation;
            let odds = ln(p / (one - p));
            let mode = ((n + one) * p).floor();
            let top = ln_gamma(mode + one) + ln_gamma(n - mode + one);
            let counted = until(stream, valid & n.lt(n.like(f64::INFINITY)), n.like(f64::NAN), || {
                let [v, centred] = stream.uniforms();
                let u = centred - half;
                let us = half - u.abs();
                let k = ((n.like(2.0) * a / us + slope) * u + centre).floor();
                let outside = k.lt(zero) | k.gt(n);
                let at_once = us.ge(n.like(0.07)) & v.le(squeeze);
                let inside = k.max(zero).min(n);
                let rejected = only_where(b, !at_once & !outside, outside, || {
                    let factorials = [inside, n - inside].map(|count| ln_gamma_mostly_large(count + one));
                    let density = top - factorials[0] - factorials[1] + (inside - mode) * odds;
                    ln(v * alpha / (a / (us * us) + slope)).gt(density)
                });
                (k, rejected)
            });
            result.set(counted);
        },
    );
    let successes = result.get();
    whole((n - successes).when(mirrored, successes))
}

/// Drawing from `p[0]` good and `p[1]` bad things `p[2]` times without putting back: one by one below ten draws, the
/// ratio of uniforms (Stadlober's HRUA, 1989) from there on.
pub(super) fn hypergeometric<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let b = stream.builder();
    let (good, bad, sample) = (p[0], p[1], p[2]);
    let (zero, one, half) = (good.like(0.0), good.like(1.0), good.like(0.5));
    let total = good + bad;
    // As good is drawing what stays behind.
    let inverted = (sample + sample).gt(total);
    let count = (total - sample).when(inverted, sample);
    let valid = good.ge(zero) & bad.ge(zero) & sample.ge(zero) & sample.le(total) & total.lt(good.like(f64::INFINITY));
    let drawn = b.local(good.like(f64::NAN));
    b.branch(
        count.lt(good.like(10.0)),
        || {
            let (left, rest, open_draws) = (b.local(good), b.local(total), b.local(count));
            let kept = until(stream, valid & count.gt(zero) & good.gt(zero), good, || {
                let hit = (open(stream) * rest.get()).lt(left.get());
                left.set((left.get() - one).when(hit, left.get()));
                rest.set(rest.get() - one);
                open_draws.set(open_draws.get() - one);
                (left.get(), open_draws.get().gt(zero) & left.get().gt(zero))
            });
            drawn.set((good - kept).when(valid, good.like(f64::NAN)));
        },
        || {
            let (less, more) = (good.min(bad), good.max(bad));
            let (chance, other) = (less / total, more / total);
            let centre = count * chance + half;
            let variance = (total - count) * count * chance * other / (total - one);
            let deviation = (variance + half).sqrt();
            let width = good.like(1.715_527_769_921_413_5) * deviation + good.like(0.898_916_162_058_898_8);
            let mode = ((count + one) * (less + one) / (total + good.like(2.0))).floor();
            let density = |k: Var<'b>| {
                ln_gamma(k + one)
                    + ln_gamma(less - k + one)
                    + ln_gamma(count - k + one)
                    + ln_gamma(more - count + k + one)
            };
            let top = density(mode);
            let end = (count.min(less) + one).min((centre + good.like(16.0) * deviation).floor());
            let found = until(stream, valid, good.like(f64::NAN), || {
                let [u, v] = stream.uniforms();
                let x = centre + width * (v - half) / u;
                let outside = x.lt(zero) | x.ge(end);
                let k = x.floor().max(zero).min(end - one);
                let ratio = top - density(k);
                (k, outside | (ln(u) + ln(u)).gt(ratio))
            });
            drawn.set((count - found).when(good.gt(bad), found));
        },
    );
    let drawn = drawn.get();
    whole((good - drawn).when(inverted, drawn))
}

/// Kemp (1981): geometric variates with a random probability.
pub(super) fn logseries<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let (u, v) = (open(stream), open(stream));
    let one = u.like(1.0);
    // 1 - (1 - p)^u.
    let q = one - exp(u * ln_1p(-p[0]));
    let terms = (ln(v) / ln(q)).floor() + one;
    let bounded = terms.max(one);
    whole(p[0].like(f64::NAN).when(p[0].is_nan(), one.when(v.ge(p[0]), bounded)))
}

/// Rejection from a Pareto distribution (Devroye, 1986). What exceeds an int64 is drawn again.
pub(super) fn zipf<'b>(stream: &Stream<'b>, p: &[Var<'b>]) -> Var<'b> {
    let a = p[0];
    let one = a.like(1.0);
    let slope = a - one;
    let b = exp(slope * a.like(std::f64::consts::LN_2));
    // Numbers below this would exceed an int64.
    let least = exp(-slope * a.like(LARGEST.ln()));
    let drawn = until(stream, a.gt(one), a.like(f64::NAN), || {
        let [u, v] = stream.uniforms();
        let x = exp(-ln(least + u * (one - least)) / slope).floor();
        let t = exp(slope * ln_1p(one / x));
        (x, (v * x * (t - one) / (b - one)).gt(t / b) | x.lt(one) | x.gt(a.like(LARGEST)))
    });
    whole(drawn)
}
