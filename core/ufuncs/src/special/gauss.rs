//! Gauss's hypergeometric function 2F1: DLMF 15.

use cuproxide_hal::ir::{LocalVar, Var};

use super::approximation::either;
use super::bessel_complex::times_exp;
use super::called::called;
use super::continuation::{Problem, SMALLEST, WIDE, ends_exactly, ends_series, lift, size, times_real};
use super::degenerate;
use super::double_double::Double;
use super::gamma::{gamma, gammaln, gammasgn, rgamma};

/// Up to this size of the argument the power series serves.
const REACH: f64 = 0.8;
/// How far beside a pole of gamma the slope there is taken.
const BESIDE: f64 = 1.0 / (1_u64 << 42) as f64;
/// Up to where gamma functions are multiplied themselves.
const MODERATE: f64 = 30.0;

/// How far off a whole number, relative to it, a parameter of an argument beyond 1 is that number.
const ROUNDINGS: f64 = 4.0 * f64::EPSILON;

/// An argument and a factor: 1 / gamma(a) is that of the argument times the factor. Next to a pole the second part counts.
pub(super) fn beside_pole<'b>(high: Var<'b>, low: Var<'b>) -> (Var<'b>, Var<'b>) {
    let (zero, one) = (high.like(0.0), high.like(1.0));
    // At a pole the function is linear: its value a little beside it, and the quotient of the distances.
    let beside = ends_series(high) & low.ne(zero);
    let step = high.like(BESIDE);
    let away = high - high.rint();
    let near = high.lt(zero) & away.ne(zero);
    let share = (low / step).when(beside, (one + low / away).when(near, one));
    ((high + step).when(beside, high), share)
}

/// A product of two gamma functions over one of two others.
pub(super) fn gamma_quotient<'b>(over: [Double<'b>; 2], under: [Double<'b>; 2]) -> Var<'b> {
    let ([a, b], [c, d]) = (over, under);
    called!(quotient_of_parts(a.high, a.low, b.high, b.low, c.high, c.low, d.high, d.low))
}

/// `gamma_quotient` of the parts of its numbers.
#[expect(clippy::too_many_arguments, reason = "a kernel's function takes plain numbers")]
fn quotient_of_parts<'b>(
    a: Var<'b>,
    a_low: Var<'b>,
    b: Var<'b>,
    b_low: Var<'b>,
    c: Var<'b>,
    c_low: Var<'b>,
    d: Var<'b>,
    d_low: Var<'b>,
) -> Var<'b> {
    let parts = [[a, a_low], [b, b_low], [c, c_low], [d, d_low]].map(|[high, low]| called!(beside_pole(high, low)));
    let share = parts[2].1 * parts[3].1 / (parts[0].1 * parts[1].1);
    plain_quotient(parts[0].0, parts[1].0, parts[2].0, parts[3].0) * share
}

/// gamma(a) gamma(b) / (gamma(c) gamma(d)).
fn plain_quotient<'b>(a: Var<'b>, b: Var<'b>, c: Var<'b>, d: Var<'b>) -> Var<'b> {
    let (over, under) = ([a, b], [c, d]);
    let all = [a, b, c, d];
    let largest = all.iter().fold(over[0].like(0.0), |largest, x| largest.max(x.abs()));
    let direct = || {
        (called!(gamma(over[0])) * called!(rgamma(under[0]))) * (called!(gamma(over[1])) * called!(rgamma(under[1])))
    };
    let by_logarithms = || {
        let sign = all.iter().fold(over[0].like(1.0), |sign, x| sign * called!(gammasgn(*x)));
        let log = (called!(gammaln(over[0])) - called!(gammaln(under[0])))
            + (called!(gammaln(over[1])) - called!(gammaln(under[1])));
        let zero = log.like(0.0);
        zero.when(ends_series(under[0]) | ends_series(under[1]), sign * log.exp())
    };
    either(largest.le(over[0].like(MODERATE)), direct, by_logarithms, WIDE)
}

/// exp(log) times a value, where only the product need be a number.
pub(super) fn grown<'b>(value: Var<'b>, log: Var<'b>) -> Var<'b> {
    let factor = (log.like(0.5) * log).exp();
    value.when(log.eq(log.like(0.0)), value * factor * factor)
}

/// The largest parameter that Pfaff's transformation keeps for its size.
const TINY: f64 = 1e-6;
/// The largest argument of Pfaff's series.
const CONVERGES: f64 = 0.95;
/// How far whole differences of parameters are off where both terms of a connection formula are used, and what terms may
/// be beside their sum in units of the inverse of that: series next to a pole have rounded parameters.
const APART: f64 = 1e-5;
const BESIDE_POLE: f64 = 1e6;
/// The largest parameter for which the gamma functions of these formulas are precise.
const LARGEST: f64 = 300.0;
/// What terms may be beside their sum.
const CANCELLED: f64 = 8.0;
const FAR_CANCELLED: f64 = 500.0;
/// The same where all other ways fail.
const LAST_CANCELLED: f64 = 2e5;
/// The share of what may cancel that pairs of terms may lose: each has several roundings.
const LAST_SHARE: f64 = 0.1;
/// From this loss on another way is tried.
const DOUBTFUL: f64 = 1e4;

/// The function from those at 1 - z, or at 1 / z where `inverse` (DLMF 15.8.2, 15.8.4), and what its largest part is beside
/// it: infinite where that is too much. On the `last` way more may be, and the series of complex arguments are Pfaff's (15.8.1).
fn connected<'b>(problem: &Problem<'b>, inverse: Option<Var<'b>>, on_last: Var<'b>) -> (Var<'b>, Var<'b>) {
    let Problem { a, b: Some(b), c, z, y, .. } = *problem else { unreachable!("this is Gauss's function") };
    let builder = z.builder();
    let (zero, one) = (c.like(0.0), c.like(1.0));
    let (ca, cb) = (below(c, a), below(c, b));
    let difference_at_one = ca.added(b.negated());
    let s = difference_at_one.high;
    let is_inverse = inverse.unwrap_or(builder.boolean(false));
    // Far out continuation may lose more.
    let allowed = c.like(FAR_CANCELLED).when(is_inverse, c.like(CANCELLED));
    let allowed = c.like(LAST_CANCELLED).when(on_last, allowed);
    let argument = inverse.map_or(y, |inverse| (lift(z, one) / z).when(inverse, y));
    let base = inverse.map_or(y, |inverse| (-z).when(inverse, y));
    let (second, sum, largest) =
        (builder.local(builder.boolean(false)), builder.local(lift(z, zero)), builder.local(zero));
    let (good, n) = (builder.local(builder.boolean(true)), builder.local(zero));
    builder.repeat(
        || n.get().lt(c.like(2.0)) & good.get(),
        || {
            let last = second.get();
            let (p, q) = (b.when(last, a), a.when(last, b));
            let below_p = cb.when(last, ca);
            let to_inverse = [p.high, one - below_p.high, p.added(q.negated()).shifted(one)];
            let to_rest = [ca.when(last, a).high, cb.when(last, b).high, (one + s).when(last, one - s)];
            let choose = |first: Var<'b>, second: Var<'b>| first.when(is_inverse, second);
            let parameters = [0, 1, 2].map(|i| choose(to_inverse[i], to_rest[i]));
            let (part, factor_of_part) = if z.dtype().is_complex() {
                by_pfaff(parameters, argument, on_last)
            } else {
                ([parameters[0], parameters[1], argument], None)
            };
            let [first, other, at] = part;
            let [first, other] = [first, other].map(Double::new);
            let part = Problem { a: first, b: Some(other), c: parameters[2], z: at, ..*problem };
            let found = part.series(at);
            let value = factor_of_part.map_or(found.value, |factor| found.value * factor);
            let select = |first: Double<'b>, second: Double<'b>| first.when(is_inverse, second);
            let at_one = difference_at_one.negated().when(last, difference_at_one);
            let difference = select(q.added(p.negated()), at_one);
            let away = (difference.high - difference.high.rint()).abs();
            let under = [select(q, a.when(last, ca)), select(below_p, b.when(last, cb))];
            let factor = gamma_quotient([Double::new(c), difference], under);
            let power = choose(-p.high, s.when(last, zero));
            // The power alone may be out of range.
            let half = power * c.like(0.5);
            let root = if z.dtype().is_complex() { (base.log() * lift(z, half)).exp() } else { base.pow(half) };
            let term = times_real(value * root, factor) * root;
            sum.set(sum.get() + term);
            let lost = found.largest / size(found.value);
            largest.set(largest.get().max((size(term) * lost).when(on_last, size(term))));
            let beside = size(term) * (one / (away * c.like(BESIDE_POLE)));
            largest.set(largest.get().max(beside * allowed));
            good.set((lost.le(allowed) | on_last) & found.log.eq(zero));
            second.set(builder.boolean(true));
            n.set(n.get() + one);
        },
    );
    let all = size(sum.get());
    // Terms next to the smallest numbers have few digits.
    let in_range = all.gt(c.like(SMALLEST)) & all.lt(c.like(f64::INFINITY));
    let known = good.get() & largest.get().le(all * allowed) & in_range;
    (sum.get(), (largest.get() / all).when(known, c.like(f64::INFINITY)))
}

/// The parameters and the argument of one of Pfaff's series where it is `wanted` and converges, and the power before it: of
/// two the one whose terms start smaller.
fn by_pfaff<'b>([a, b, c]: [Var<'b>; 3], z: Var<'b>, wanted: Var<'b>) -> ([Var<'b>; 3], Option<Var<'b>>) {
    let one = lift(z, a.like(1.0));
    let rest = one - z;
    // Terms of a series that diverges may be small for a while.
    let wanted = wanted & z.abs().lt(rest.abs() * a.like(CONVERGES));
    let by_a = (a * (c - b)).abs().lt((b * (c - a)).abs());
    let (kept, other) = (a.when(by_a, b), (c - b).when(by_a, c - a));
    let power = z.builder().local(one);
    z.builder().branch(wanted, || power.set((rest.log() * lift(z, -kept)).exp()), || {});
    ([kept.when(wanted, a), other.when(wanted, b), (-(z / rest)).when(wanted, z)], Some(power.get()))
}

/// What was found so far, and what parts that cancelled were beside it.
#[derive(Clone, Copy)]
struct Best<'b> {
    value: LocalVar<'b>,
    log: LocalVar<'b>,
    lost: LocalVar<'b>,
}

impl<'b> Best<'b> {
    /// Nothing, for numbers like `z`.
    fn new(z: Var<'b>, real: Var<'b>) -> Best<'b> {
        let builder = z.builder();
        Best {
            value: builder.local(lift(z, real.like(f64::NAN))),
            log: builder.local(real.like(0.0)),
            lost: builder.local(real.like(f64::INFINITY)),
        }
    }

    /// Takes what has lost less.
    fn keep(self, value: Var<'b>, log: Var<'b>, lost: Var<'b>) {
        let better = lost.lt(self.lost.get());
        self.value.set(value.when(better, self.value.get()));
        self.log.set(log.when(better, self.log.get()));
        self.lost.set(lost.when(better, self.lost.get()));
    }

    fn is_doubtful(self) -> Var<'b> {
        self.lost.get().gt(self.lost.get().like(DOUBTFUL))
    }
}

/// The function by the way that keeps the most digits, the logarithm of a factor, and what it lost.
fn solved<'b>(problem: &Problem<'b>, near: Var<'b>, inverse: Option<Var<'b>>) -> (Var<'b>, Var<'b>, Var<'b>) {
    let Problem { a, b: Some(b), c, .. } = *problem else { unreachable!("this is Gauss's function") };
    let (a, b) = (a.high, b.high);
    let builder = a.builder();
    let best = Best::new(problem.z, a);
    let s = c - a - b;
    let difference = inverse.map_or(s, |inverse| (a - b).when(inverse, s));
    let moderate = a.abs().max(b.abs()).max(c.abs()).lt(a.like(LARGEST));
    let apart = (difference - difference.rint()).abs().gt(a.like(APART));
    let may_connect = near & apart & moderate & !problem.is_polynomial();
    let (way, ways) = (builder.local(a.like(0.0)), a.like(2.0).when(may_connect, a.like(1.0)));
    builder.repeat(
        || way.get().lt(ways) & best.is_doubtful(),
        || {
            let on_last = way.get().gt(a.like(0.0));
            let connect = || {
                let (sum, lost) = connected(problem, inverse, on_last);
                best.keep(sum, a.like(0.0), lost);
            };
            builder.branch(may_connect, connect, || {});
            let solve = || {
                let found = problem.solve(a.like(REACH));
                best.keep(found.value, found.log, found.lost);
            };
            builder.branch(on_last | !best.is_doubtful(), || {}, solve);
            way.set(way.get() + a.like(1.0));
        },
    );
    (best.value.get(), best.log.get(), best.lost.get())
}

/// c less a parameter.
fn below<'b>(c: Var<'b>, parameter: Double<'b>) -> Double<'b> {
    Double::new(c).added(parameter.negated())
}

/// The parameters and the power of 1 - z before the function after a transformation of the argument.
struct Transformed<'b> {
    a: Double<'b>,
    b: Double<'b>,
    power: Var<'b>,
    pfaff: Var<'b>,
    /// Whether there was one.
    changed: Var<'b>,
}

/// The parameters a, b and c, and c less each of the first two and both.
#[derive(Clone, Copy)]
pub(super) struct Parameters<'b> {
    pub(super) a: Double<'b>,
    pub(super) b: Double<'b>,
    pub(super) c: Var<'b>,
    pub(super) ca: Double<'b>,
    pub(super) cb: Double<'b>,
    pub(super) s: Double<'b>,
}

impl<'b> Parameters<'b> {
    fn new([a, b, c]: [Double<'b>; 3]) -> Parameters<'b> {
        let ca = c.added(a.negated());
        Parameters { a, b, c: c.high, ca, cb: c.added(b.negated()), s: ca.added(b.negated()) }
    }

    /// With the whole numbers that end the series for parameters that are at most `ROUNDINGS` off them, where `wanted`.
    fn settled(self, wanted: Var<'b>) -> Parameters<'b> {
        let settle = |parameter: Double<'b>| {
            let whole = parameter.high.rint();
            let off = parameter.plus(Double::new(-whole));
            let near = off.high.abs().le(whole.abs() * whole.like(ROUNDINGS)) & whole.lt(whole.like(0.0));
            let off = off.when(wanted & near, Double::new(whole.like(0.0)));
            (parameter.plus(off.negated()), off)
        };
        let ((a, off_a), (b, off_b)) = (settle(self.a), settle(self.b));
        let (ca, cb) = (self.ca.plus(off_a), self.cb.plus(off_b));
        Parameters { a, b, c: self.c, ca, cb, s: self.s.plus(off_a).plus(off_b) }
    }
}

/// Euler's and Pfaff's transformations (DLMF 15.8.1): series that end and parameters that are positive are preferred. For
/// complex arguments if `wanted`.
fn transformed<'b>(p: Parameters<'b>, pfaff: Var<'b>, wanted: Option<Var<'b>>) -> Transformed<'b> {
    let Parameters { a, b, ca, cb, s, .. } = p;
    let zero = a.high.like(0.0);
    let below_zero = |a: Double<'b>, b: Double<'b>| (-a.high).max(zero) + (-b.high).max(zero);
    let ends = ends_exactly(a) | ends_exactly(b);
    let keep = wanted.map_or(ends, |wanted| ends | !wanted);
    let pfaff = pfaff & !keep;
    let less = below_zero(ca, cb).lt(below_zero(a, b));
    let (ends_a, ends_b) = (ends_exactly(ca), ends_exactly(cb));
    let euler = !pfaff & !keep & (ends_a | ends_b | less);
    // A tiny parameter multiplies all but the first term, and with them what they lose.
    let tiny = |one: Double<'b>, other: Double<'b>| one.high.abs().lt(other.high.abs().min(one.high.like(TINY)));
    let second = (below_zero(ca, b).lt(below_zero(a, cb)) & !tiny(a, b)) | ends_a | tiny(b, a);
    let second = second & !ends_b;
    let pfaff_a = ca.when(second, a);
    let pfaff_b = b.when(second, cb);
    Transformed {
        a: pfaff_a.when(pfaff, ca.when(euler, a)),
        b: pfaff_b.when(pfaff, cb.when(euler, b)),
        power: (-b.high.when(second, a.high)).when(pfaff, s.high.when(euler, zero)),
        pfaff,
        changed: pfaff | euler,
    }
}

/// The result with the transformation, or without it where that lost many digits, and what it lost.
fn attempts<'b>(
    z: Var<'b>,
    a: Var<'b>,
    attempt: impl FnOnce(Var<'b>) -> (Var<'b>, Var<'b>, Var<'b>),
) -> (Var<'b>, Var<'b>) {
    let (best, n) = (Best::new(z, a), z.builder().local(a.like(0.0)));
    z.builder().repeat(
        || n.get().lt(a.like(2.0)) & best.is_doubtful(),
        || {
            let (found, lost, changed) = attempt(n.get().eq(a.like(0.0)));
            best.keep(found, a.like(0.0), a.like(f64::INFINITY).when(size(found).is_nan(), lost));
            n.set((n.get() + a.like(1.0)).when(changed, a.like(2.0)));
        },
    );
    (best.value.get(), best.lost.get())
}

/// Where the function has a pole in c that no end of the series hides.
fn has_pole<'b>(a: Var<'b>, b: Var<'b>, c: Var<'b>) -> Var<'b> {
    let hidden = (ends_series(a) & a.ge(c)) | (ends_series(b) & b.ge(c));
    ends_series(c) & !hidden
}

/// The value at 1: DLMF 15.4.20, and what it tends to.
fn at_one(p: Parameters<'_>) -> Var<'_> {
    let Parameters { a, b, c, ca, cb, s } = p;
    let sign = called!(gammasgn(c)) * called!(gammasgn(a.high)) * called!(gammasgn(b.high));
    let infinite = sign * c.like(f64::INFINITY);
    gamma_quotient([Double::new(c), s], [ca, cb]).when(s.high.gt(c.like(0.0)), infinite)
}

/// 2F1 of a real argument; NaN where parts that cancel are larger than `most`, relative to the result.
pub(super) fn real<'b>(a: Var<'b>, b: Var<'b>, c: Var<'b>, z: Var<'b>, most: Var<'b>) -> Var<'b> {
    let y = z.like(1.0) - z;
    // Beyond 1 the imaginary part of what is a polynomial up to roundings is below them.
    let p = Parameters::new([a, b, c].map(Double::new)).settled(y.lt(z.like(0.0)));
    real_beside(p, z, y, most)
}

/// 2F1 of an argument whose distance `y` from 1 is known with all digits, and of parameters of two parts.
pub(super) fn beside<'b>(parameters: [Double<'b>; 3], z: Var<'b>, y: Var<'b>, most: Var<'b>) -> Var<'b> {
    let [a, b, c] = parameters.map(|parameter| parameter.high);
    let [a_low, b_low, c_low] = parameters.map(|parameter| parameter.low);
    called!(of_parts(a, a_low, b, b_low, c, c_low, z, y, most))
}

/// `beside` of the parts of each parameter.
#[expect(clippy::too_many_arguments, reason = "a kernel's function takes plain numbers")]
fn of_parts<'b>(
    a: Var<'b>,
    a_low: Var<'b>,
    b: Var<'b>,
    b_low: Var<'b>,
    c: Var<'b>,
    c_low: Var<'b>,
    z: Var<'b>,
    y: Var<'b>,
    most: Var<'b>,
) -> Var<'b> {
    let parts = [[a, a_low], [b, b_low], [c, c_low]].map(|[high, low]| Double { high, low });
    let function = if z.dtype().is_complex() { complex_beside } else { real_beside };
    function(Parameters::new(parts), z, y, most)
}

/// 2F1 of a real argument whose distance `y` from 1 is known with all digits.
fn real_beside<'b>(p: Parameters<'b>, z: Var<'b>, y: Var<'b>, most: Var<'b>) -> Var<'b> {
    let (zero, one, infinity) = (z.like(0.0), z.like(1.0), z.like(f64::INFINITY));
    let keep = ends_exactly(p.a) | ends_exactly(p.b);
    let s = p.s;
    // Beyond 1 only what is a polynomial, up to a whole power, is real.
    let whole_power = s.high.eq(s.high.floor()) & s.low.eq(zero);
    let rational = (ends_exactly(p.ca) | ends_exactly(p.cb)) & whole_power;
    let (a, b, c) = (p.a.high, p.b.high, p.c);
    let outside = y.lt(zero) & !keep & !rational;
    // Where an end of the series meets a pole, SciPy's real loop takes the binomial series.
    let equal = ends_series(c) & (a.eq(c) | b.eq(c)) & z.abs().lt(one);
    let simple = z.eq(zero) | (a.eq(zero) | b.eq(zero)) | equal | (y.eq(zero) & !keep);
    let trivial = z.eq(zero) | a.eq(zero) | b.eq(zero);
    let known = || {
        let binomial = y.abs().pow(-a.when(b.eq(c), b));
        let half = a.when(b.eq(c), b) * z.like(0.5);
        let binomial = (-binomial).when(y.lt(zero) & half.ne(half.floor()), binomial);
        one.when(trivial, binomial.when(equal, at_one(p)))
    };
    let general = || {
        let t = transformed(p, z.lt(zero), None);
        let (w, rest) = ((-z / y).when(t.pfaff, z), (one / y).when(t.pfaff, y));
        let problem = Problem { a: t.a, b: Some(t.b), c, z: w, y: rest, over: None, most };
        let (found, log, _) = solved(&problem, rest.lt(z.like(1.0 - REACH)), None);
        // Negative bases have whole powers only.
        let half = t.power * z.like(0.5);
        let found = (-found).when(y.lt(zero) & half.ne(half.floor()), found);
        // The power alone may be out of range, and so may the function without its factor.
        let size = y.abs();
        let moderate = t.power.abs().lt(z.like(30.0)) & size.gt(z.like(1e-8)) & size.lt(z.like(1e8));
        let plain = || found.when(t.power.eq(zero), found * size.pow(t.power));
        let far = || grown(found, log + zero.when(t.power.eq(zero), t.power * size.log()));
        either(log.eq(zero) & (moderate | t.power.eq(zero)), plain, far, WIDE)
    };
    let value = either(simple, known, || either(outside, || infinity, general, WIDE), WIDE);
    let pole = has_pole(a, b, c) & z.ne(zero);
    let value = infinity.when(pole, value);
    let unknown = a.is_nan() | b.is_nan() | c.is_nan() | z.is_nan();
    z.like(f64::NAN).when(unknown | z.eq(-infinity), value)
}

/// 2F1 of a complex argument.
pub(super) fn complex<'b>(a: Var<'b>, b: Var<'b>, c: Var<'b>, z: Var<'b>, most: Var<'b>) -> Var<'b> {
    // A zero with a sign says on which side of the cut the argument lies.
    let p = Parameters::new([a, b, c].map(Double::new));
    complex_beside(p, z, z.builder().complex(a.like(1.0) - z.re(), -z.im()), most)
}

/// 2F1 of a complex argument whose distance `y` from 1 is known with all digits.
fn complex_beside<'b>(p: Parameters<'b>, z: Var<'b>, y: Var<'b>, most: Var<'b>) -> Var<'b> {
    let builder = z.builder();
    let (a, b, c) = (p.a.high, p.b.high, p.c);
    let (x, half) = (z.re(), a.like(0.5));
    let (zero, one, infinity) = (a.like(0.0), a.like(1.0), a.like(f64::INFINITY));
    let keep = ends_exactly(p.a) | ends_exactly(p.b);
    // On the cut the zero of the argument tells the side.
    let y = builder.complex(y.re(), (-z.im()).when(y.im().eq(zero), y.im()));
    let at_end = y.re().eq(zero) & y.im().eq(zero) & !keep;
    let trivial = (x.eq(zero) & z.im().eq(zero)) | a.eq(zero) | b.eq(zero);
    let known = || lift(z, one.when(trivial, at_one(p)));
    let general = || {
        let left = x.lt(zero) | (x.lt(half) & z.abs().gt(a.like(REACH)));
        attempts(z, a, |wanted| {
            let t = transformed(p, left, Some(wanted));
            let inverse = lift(z, one) / y;
            let (w, rest) = ((-(z * inverse)).when(t.pfaff, z), inverse.when(t.pfaff, y));
            // Beyond 1, the path keeps off it.
            let side = half.copysign(z.im());
            let over = builder.complex(half, side);
            let over_rest = builder.complex(half, -side);
            let around = !t.pfaff & z.abs().gt(one) & z.im().abs().lt(x);
            let problem =
                Problem { a: t.a, b: Some(t.b), c, z: w, y: rest, over: Some((over, over_rest, around)), most };
            let inverted = w.abs().gt(a.like(1.3));
            let near = inverted | rest.abs().lt(a.like(0.6));
            let (found, log, lost) = solved(&problem, near & w.abs().gt(a.like(REACH)), Some(inverted));
            let power = lift(z, zero).when(t.power.eq(zero), y.log() * lift(z, t.power));
            (times_exp(found, power + lift(z, log)), lost, t.changed)
        })
    };
    // The series of whole differences comes first and, where other ways lose more, last.
    let degenerate = degenerate::formula(p, z, y);
    let others = || {
        let applies = degenerate.applies;
        let (way, last) = (builder.local(zero.when(applies, one)), a.like(2.0).when(applies, one));
        let best = Best::new(z, a);
        builder.repeat(
            || way.get().le(last) & best.is_doubtful(),
            || {
                let by_pairs = || {
                    let (value, lost) = degenerate.value(z, y);
                    let limit = (most * a.like(LAST_SHARE)).when(way.get().gt(one), a.like(CANCELLED));
                    best.keep(value, zero, lost.when(lost.le(limit), infinity));
                };
                let others = || {
                    let (value, lost) = general();
                    best.keep(value, zero, lost);
                };
                builder.branch(way.get().eq(one), others, by_pairs);
                way.set(way.get() + one);
            },
        );
        best.value.get()
    };
    let value = either(at_end | trivial, known, others, z.dtype());
    let pole = has_pole(a, b, c) & !(x.eq(zero) & z.im().eq(zero));
    let value = lift(z, infinity).when(pole, value);
    let unknown = a.is_nan() | b.is_nan() | c.is_nan() | z.is_nan() | !z.abs().lt(infinity);
    builder.complex(x.like(f64::NAN), x.like(f64::NAN)).when(unknown, value)
}
