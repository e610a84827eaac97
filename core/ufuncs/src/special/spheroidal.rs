//! Spheroidal wave functions: DLMF 30; C. Flammer, Spheroidal Wave Functions (1957), whose normalization SciPy has.
//!
//! Characteristic values are eigenvalues of tridiagonal matrices (30.8.2, 30.8.3), angular functions are sums of Legendre
//! functions, radial ones sums of spherical Bessel functions. Functions of the second kind next to the singular point, and at
//! small oblate coordinates, come from the sums further out by Taylor series of the differential equation.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{ArrayVar, Var};
use smallvec::smallvec;

use super::approximation::{either, unless_cancelled};
use super::tridiagonal::{LARGEST, Tridiagonal};
use crate::table::{general, ternary};
use crate::{Outputs, Ufunc};

/// Rows beyond that of the function for a small parameter.
const MARGIN: f64 = 22.0;
/// The largest matrix whose Bessel functions fit into a local array.
const RADIAL: f64 = 126.0;
/// Terms of Taylor series, and the most steps.
const TERMS: usize = 44;
const STEPS: f64 = 2000.0;
/// What terms may be beside their sum.
const CANCELLED: [f64; 2] = [2e7, 2e7];

/// What is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Angular,
    First,
    Second,
}

macro_rules! rows_of {
    ($name:literal, $given:literal, $text:literal, $oblate:literal, $kind:path) => {
        [
            general($name, (4, 2), "ffff->ff, dddd->dd", concat!($text, " and its derivative."), |x| {
                outputs(x, None, $oblate, $kind)
            }),
            general(
                $given,
                (5, 2),
                "fffff->ff, ddddd->dd",
                concat!($text, " and its derivative, of a known characteristic value."),
                |x| outputs(x, Some(x[3]), $oblate, $kind),
            ),
        ]
    };
}

/// The rows of this file.
pub(super) fn rows() -> Vec<Ufunc> {
    let values = [
        ternary("pro_cv", super::NARROW[3], "Characteristic value of prolate spheroidal wave functions.", |m, n, c| {
            characteristic(m, n, c, false)
        }),
        ternary("obl_cv", super::NARROW[3], "Characteristic value of oblate spheroidal wave functions.", |m, n, c| {
            characteristic(m, n, c, true)
        }),
    ];
    let pairs = [
        rows_of!("pro_ang1", "pro_ang1_cv", "Prolate angular function of the first kind", false, Kind::Angular),
        rows_of!("pro_rad1", "pro_rad1_cv", "Prolate radial function of the first kind", false, Kind::First),
        rows_of!("pro_rad2", "pro_rad2_cv", "Prolate radial function of the second kind", false, Kind::Second),
        rows_of!("obl_ang1", "obl_ang1_cv", "Oblate angular function of the first kind", true, Kind::Angular),
        rows_of!("obl_rad1", "obl_rad1_cv", "Oblate radial function of the first kind", true, Kind::First),
        rows_of!("obl_rad2", "obl_rad2_cv", "Oblate radial function of the second kind", true, Kind::Second),
    ];
    let source = "Flammer (1957); DLMF 30.8, 30.11; bisection of tridiagonal matrices, Givens (1954)";
    values.into_iter().chain(pairs.into_iter().flatten()).map(|row| row.source(source).special()).collect()
}

fn index(k: Var<'_>) -> Var<'_> {
    k.cast(DType::I64)
}

/// 1, or -1 for an odd number.
fn parity(m: Var<'_>) -> Var<'_> {
    let half = m * m.like(0.5);
    m.like(1.0).when(half.eq(half.floor()), m.like(-1.0))
}

/// The equation of orders m and n and the square of the parameter, negative for oblate functions.
#[derive(Clone, Copy)]
struct Equation<'b> {
    m: Var<'b>,
    n: Var<'b>,
    square: Var<'b>,
    /// The parity of n - m, and which of its kind the function is.
    odd: Var<'b>,
    place: Var<'b>,
    length: Var<'b>,
}

impl<'b> Equation<'b> {
    fn new(m: Var<'b>, n: Var<'b>, c: Var<'b>, oblate: bool) -> Equation<'b> {
        let square = c * c * m.like(if oblate { -1.0 } else { 1.0 });
        let difference = n - m;
        let place = (difference * m.like(0.5)).floor();
        let length = (place + c.abs() * m.like(0.75) + m.like(MARGIN)).ceil();
        Equation { m, n, square, odd: difference - place - place, place, length }
    }

    fn step(&self, k: Var<'b>) -> Var<'b> {
        k + k + self.odd
    }

    /// What row k multiplies element k + 1 with.
    fn above(&self, k: Var<'b>) -> Var<'b> {
        let (m, r) = (self.m, self.step(k));
        let (one, two, sum) = (m.like(1.0), m.like(2.0), self.m + self.m + self.step(k));
        let twice = sum + r;
        (sum + two) * (sum + one) / ((twice + m.like(3.0)) * (twice + m.like(5.0))) * self.square
    }

    /// What row k multiplies element k - 1 with.
    fn below(&self, k: Var<'b>) -> Var<'b> {
        let (m, r) = (self.m, self.step(k));
        let one = m.like(1.0);
        let twice = m + m + r + r;
        r * (r - one) / ((twice - m.like(3.0)) * (twice - one)) * self.square
    }

    fn matrix(&self, most: f64) -> Tridiagonal<'b> {
        let (m, zero, one) = (self.m, self.m.like(0.0), self.m.like(1.0));
        Tridiagonal::new(self.length.min(m.like(most)), |k| {
            let r = self.step(k);
            let l = m + r;
            let (energy, twice) = (l * (l + one), l + l);
            let share = (energy + energy - (m * m + m * m) - one) / ((twice - one) * (twice + m.like(3.0)));
            let product = self.above(k - one) * self.below(k);
            (energy + share * self.square, product.when(k.gt(zero), zero))
        })
    }

    fn value(&self, matrix: &Tridiagonal<'b>) -> Var<'b> {
        let (one, two) = (self.m.like(1.0), self.m.like(2.0));
        let size = self.square.abs();
        let high = (self.n + two) * (self.n + two + one) + size;
        matrix.eigenvalue(self.place, -size - one, high, (high - size) * self.m.like(0.5))
    }

    /// The coefficients of the sums, of a common factor.
    fn coefficients(&self, matrix: Tridiagonal<'b>, value: Var<'b>, most: f64) -> ArrayVar<'b> {
        let builder = value.builder();
        let (zero, half) = (value.like(0.0), value.like(0.5));
        // Where the diagonal passes the value.
        let l = (value - self.square * half + value.like(0.25)).max(zero).sqrt() - half;
        let centre = ((l - self.m - self.odd) * half).rint();
        let last = self.length.min(value.like(most)) - value.like(2.0);
        let centre = centre.max(zero).min(last);
        let result = builder.array(LARGEST, zero);
        matrix.ratios(value, centre).visit(|k| self.above(k), |k| self.below(k), |k, d| result.set(index(k), d));
        result
    }
}

/// Whether orders are what functions are defined for, and the parameter one whose matrix fits.
fn is_proper<'b>(m: Var<'b>, n: Var<'b>, c: Var<'b>, most: f64) -> Var<'b> {
    let whole = m.eq(m.floor()) & n.eq(n.floor()) & m.ge(m.like(0.0)) & n.ge(m) & (n - m).le(m.like(198.0));
    let needed = (n - m) * m.like(0.5) + c.abs() * m.like(0.75) + m.like(MARGIN + 1.0);
    whole & needed.lt(m.like(most)) & n.lt(m.like(1000.0))
}

fn characteristic<'b>(m: Var<'b>, n: Var<'b>, c: Var<'b>, oblate: bool) -> Var<'b> {
    let dtype = m.dtype();
    let [m, n, c] = [m, n, c].map(|x| x.cast(DType::F64));
    let most = LARGEST as f64 - 1.0;
    let proper = is_proper(m, n, c, most);
    let (zero, one) = (m.like(0.0), m.like(1.0));
    let equation = Equation::new(m.when(proper, zero), n.when(proper, one), c.when(proper, one), oblate);
    let value = equation.value(&equation.matrix(most));
    value.when(proper, m.like(f64::NAN)).cast(dtype)
}

fn outputs<'b>(inputs: &[Var<'b>], given: Option<Var<'b>>, oblate: bool, kind: Kind) -> Outputs<'b> {
    let dtype = inputs[0].dtype();
    let [m, n, c, x] = [0, 1, 2, inputs.len() - 1].map(|k| inputs[k].cast(DType::F64));
    let most = if kind == Kind::Angular { LARGEST as f64 - 1.0 } else { RADIAL };
    let (zero, one, infinity) = (m.like(0.0), m.like(1.0), m.like(f64::INFINITY));
    let inside = match (kind, oblate) {
        (Kind::Angular, _) => x.abs().lt(one),
        (_, false) => x.gt(one) & x.lt(infinity) & c.gt(zero),
        (_, true) => x.ge(zero) & x.lt(infinity) & c.gt(zero),
    };
    let proper = is_proper(m, n, c, most) & inside;
    let (m, n, c) = (m.when(proper, zero), n.when(proper, one), c.when(proper, one));
    let x = x.when(proper, m.like(if kind == Kind::Angular { 0.5 } else { 2.0 }));
    let equation = Equation::new(m, n, c, oblate);
    let matrix = equation.matrix(most);
    let value = match given {
        Some(value) => value.cast(DType::F64),
        None => equation.value(&matrix),
    };
    let coefficients = equation.coefficients(matrix, value, most);
    let (result, slope) = match kind {
        Kind::Angular => angular(&equation, coefficients, value, x, oblate),
        Kind::First => radial_first(&equation, coefficients, value, c, x, oblate),
        Kind::Second => radial_second(&equation, coefficients, value, c, x, oblate),
    };
    let nan = m.like(f64::NAN);
    smallvec![result.when(proper, nan).cast(dtype), slope.when(proper, nan).cast(dtype)]
}

/// The sum of Legendre functions over (2 m - 1)!! (1 - x**2)**(m / 2), and its derivative.
fn legendre_sum<'b>(equation: &Equation<'b>, d: ArrayVar<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = x.builder();
    let (zero, one) = (x.like(0.0), x.like(1.0));
    let m = equation.m;
    let [r, p, p_slope, before, before_slope, sum, slope] = [(); 7].map(|()| builder.local(zero));
    p.set(one);
    let last = equation.step(equation.length - one);
    builder.repeat(
        || r.get().le(last),
        || {
            let at = r.get();
            let k = (at - equation.odd) * x.like(0.5);
            let weight = d.get(index(k.floor().max(zero)));
            let weight = weight.when(k.eq(k.floor()) & k.ge(zero), zero);
            sum.set(sum.get() + weight * p.get());
            slope.set(slope.get() + weight * p_slope.get());
            let twice = m + m + at + at + one;
            let (a, b) = (twice / (at + one), (m + m + at) / (at + one));
            let next = a * x * p.get() - b * before.get();
            let next_slope = a * (p.get() + x * p_slope.get()) - b * before_slope.get();
            before.set(p.get());
            before_slope.set(p_slope.get());
            p.set(next);
            p_slope.set(next_slope);
            r.set(at + one);
        },
    );
    (sum.get(), slope.get())
}

/// The Legendre function of n over (2 m - 1)!! at 0, or its slope for an odd difference of the orders.
fn at_origin<'b>(equation: &Equation<'b>) -> Var<'b> {
    let builder = equation.m.builder();
    let (one, m) = (equation.m.like(1.0), equation.m);
    let is_odd = equation.odd.gt(m.like(0.0));
    // From r to r + 2: -(r + 2 m + 1) / (r + 2), or -(r + 2 m + 2) / (r + 1) for odd r; the first one is 1 or 2 m + 1.
    let (k, value) = (builder.local(m.like(0.0)), builder.local((m + m + one).when(is_odd, one)));
    builder.repeat(
        || k.get().lt(equation.place),
        || {
            value.set(value.get() * origin_ratio(equation, k.get()));
            k.set(k.get() + one);
        },
    );
    value.get()
}

fn origin_ratio<'b>(equation: &Equation<'b>, k: Var<'b>) -> Var<'b> {
    let (r, m) = (equation.step(k), equation.m);
    let (one, two) = (m.like(1.0), m.like(2.0));
    let is_odd = equation.odd.gt(m.like(0.0));
    let (top, bottom) = (r + m + m + one, r + two);
    -((top + one).when(is_odd, top) / (bottom - one).when(is_odd, bottom))
}

/// The angular function, whose value or slope at 0 is that of the Legendre function.
fn angular<'b>(
    equation: &Equation<'b>,
    d: ArrayVar<'b>,
    value: Var<'b>,
    x: Var<'b>,
    oblate: bool,
) -> (Var<'b>, Var<'b>) {
    let builder = x.builder();
    let (zero, one, m) = (x.like(0.0), x.like(1.0), equation.m);
    let origin = at_origin(equation);
    let half = x.like(0.5);
    // Oblate functions are small at 0: there their power series, of which little cancels, gives them, and at 1 / 2 the scale of
    // the sum.
    let near = x.abs().le(half);
    let point = x.when(near, half);
    let (at, at_slope) = if oblate { power_series(equation, value, origin, point) } else { (zero, zero) };
    let scale = if oblate {
        let (sum, slope) = legendre_sum(equation, d, point);
        let weight = one / (one + equation.n * (equation.n + one));
        (at * sum + weight * at_slope * slope) / (sum * sum + weight * slope * slope)
    } else {
        let start = (m + m + one).when(equation.odd.gt(zero), one);
        let (k, factor, sum) = (builder.local(zero), builder.local(start), builder.local(zero));
        builder.repeat(
            || k.get().lt(equation.length),
            || {
                sum.set(sum.get() + d.get(index(k.get())) * factor.get());
                factor.set(factor.get() * origin_ratio(equation, k.get()));
                k.set(k.get() + one);
            },
        );
        origin / sum.get()
    };
    let (sum, slope) = legendre_sum(equation, d, x);
    // (2 m - 1)!! (1 - x**2)**(m / 2).
    let (k, factor) = (builder.local(one), builder.local(one));
    let rest = (one - x) * (one + x);
    let root = rest.sqrt();
    builder.repeat(
        || k.get().le(m),
        || {
            factor.set(factor.get() * (k.get() + k.get() - one) * root);
            k.set(k.get() + one);
        },
    );
    let (sum, slope) = (sum * scale, slope * scale);
    let (sum, slope) = if oblate { (at.when(near, sum), at_slope.when(near, slope)) } else { (sum, slope) };
    (sum * factor.get(), factor.get() * (slope - m * x * sum / rest))
}

/// The function over (1 - x**2)**(m / 2) and its derivative at numbers up to 1 / 2, from the value or slope at 0.
fn power_series<'b>(equation: &Equation<'b>, value: Var<'b>, origin: Var<'b>, x: Var<'b>) -> (Var<'b>, Var<'b>) {
    let builder = value.builder();
    let (zero, one, two, m) = (value.like(0.0), value.like(1.0), value.like(2.0), equation.m);
    let energy = value - m * (m + one);
    let is_odd = equation.odd.gt(zero);
    // Coefficients of x**k, and the powers of orders k - 1 and k.
    let [k, before, sum, slope] = [(); 4].map(|()| builder.local(zero));
    let (coefficient, power) = (builder.local(origin), builder.local(x.when(is_odd, one)));
    let below = builder.local(equation.odd);
    k.set(equation.odd);
    builder.repeat(
        || k.get().lt(value.like(400.0)),
        || {
            let (at, own) = (k.get(), coefficient.get());
            sum.set(sum.get() + own * power.get());
            slope.set(slope.get() + at * own * below.get());
            let share = at * (at - one) + two * (m + one) * at - energy;
            coefficient.set((share * own + equation.square * before.get()) / ((at + one) * (at + two)));
            before.set(own);
            below.set(power.get() * x);
            power.set(power.get() * x * x);
            k.set(at + two);
        },
    );
    (sum.get(), slope.get())
}

/// The weights (2 m + r)! / r! over the first one: what the next is multiplied with.
fn weight_ratio<'b>(equation: &Equation<'b>, k: Var<'b>) -> Var<'b> {
    let (r, m) = (equation.step(k), equation.m);
    let (one, two) = (m.like(1.0), m.like(2.0));
    let sum = m + m + r;
    (sum + two) * (sum + one) / ((r + two) * (r + one))
}

/// Sums of spherical functions over that of the coefficients, and of their slopes by the coordinate. `functions` gives those of
/// orders l and l + 1 of l - m.
fn bessel_sum<'b>(
    equation: &Equation<'b>,
    d: ArrayVar<'b>,
    c: Var<'b>,
    x: Var<'b>,
    oblate: bool,
    value: Var<'b>,
    functions: impl Fn(Var<'b>) -> (Var<'b>, Var<'b>),
) -> (Var<'b>, Var<'b>) {
    let builder = x.builder();
    let (zero, one, m) = (x.like(0.0), x.like(1.0), equation.m);
    let [k, norm, sum, slope, sum_size, slope_size] = [(); 6].map(|()| builder.local(zero));
    let weight = builder.local(one);
    let still = builder.local(zero);
    builder.repeat(
        || k.get().lt(equation.length) & still.get().lt(x.like(4.0)),
        || {
            let at = k.get();
            let r = equation.step(at);
            let share = d.get(index(at)) * weight.get();
            norm.set(norm.get() + share);
            let signed = share * parity(at - equation.place);
            let (here, above) = functions(r);
            // l + m / (x**2 - 1), or l - m / (x**2 + 1) without cancellation.
            let square = x * x;
            let lead = if oblate { r + m * square / (square + one) } else { m + r + m / ((x - one) * (x + one)) };
            let (term, change) = (signed * here, signed * (lead * here / x - c * above));
            let finite = term.abs().lt(x.like(1e300)) & change.abs().lt(x.like(1e300));
            sum.set(sum.get() + term.when(finite, zero));
            slope.set(slope.get() + change.when(finite, zero));
            sum_size.set(sum_size.get() + term.abs().when(finite, zero));
            slope_size.set(slope_size.get() + change.abs().when(finite, zero));
            // Beyond the largest terms, those that change nothing end the sum.
            let small = share.abs().le(norm.get().abs() * x.like(1e-18))
                & (term.abs().le(sum.get().abs() * x.like(1e-18)) | !finite)
                & at.gt(equation.place);
            still.set((still.get() + one).when(small, zero));
            weight.set(weight.get() * weight_ratio(equation, at));
            k.set(at + one);
        },
    );
    let square = x * x;
    let base = if oblate { (square + one) / square } else { (x - one) * (x + one) / square };
    let norm = if oblate { norm.get() } else { norm_at_one(equation, d, value, norm.get()) };
    let factor = base.pow(m * x.like(0.5)) / norm;
    let (value, slope) = unless_cancelled(CANCELLED, (sum.get(), sum_size.get()), (slope.get(), slope_size.get()));
    (value * factor, slope * factor)
}

/// The sum of the weighted coefficients, which is the angular function at 1. Where that is small beside its values inside, it
/// comes from those by the power series about 1, of which little cancels.
fn norm_at_one<'b>(equation: &Equation<'b>, d: ArrayVar<'b>, value: Var<'b>, sum: Var<'b>) -> Var<'b> {
    let builder = value.builder();
    let (zero, one, two, m) = (value.like(0.0), value.like(1.0), value.like(2.0), equation.m);
    let (square, energy) = (equation.square, value - m * (m + one));
    let by_series = || {
        let x = (energy / square).max(zero).sqrt();
        let t = one - x;
        // Terms b_k t**k, b_0 = 1.
        let [k, before, second, total, slope] = [(); 5].map(|()| builder.local(zero));
        let term = builder.local(one);
        builder.repeat(
            || k.get().lt(value.like(300.0)),
            || {
                let (at, own) = (k.get(), term.get());
                total.set(total.get() + own);
                slope.set(slope.get() - at * own);
                let share = at * (at - one) + two * (m + one) * at - (energy - square);
                let next = share * own * t - two * square * before.get() * t * t + square * second.get() * t * t * t;
                second.set(before.get());
                before.set(own);
                term.set(next / (two * (at + one) * (at + m + one)));
                k.set(at + one);
            },
        );
        let (there, slope) = (total.get(), slope.get() / t);
        let (inside, inside_slope) = legendre_sum(equation, d, x);
        let weight = one / (one + square);
        // The weights are those over the first one, 1 or 2 m + 1.
        let first = (m + m + one).when(equation.odd.gt(zero), one);
        (inside * there + weight * inside_slope * slope) / (there * there + weight * slope * slope) / first
    };
    either(energy.lt(square) & square.gt(value.like(16.0)), by_series, || sum, DType::F64)
}

fn radial_first<'b>(
    equation: &Equation<'b>,
    d: ArrayVar<'b>,
    value: Var<'b>,
    c: Var<'b>,
    x: Var<'b>,
    oblate: bool,
) -> (Var<'b>, Var<'b>) {
    // Oblate functions are regular at 0: even or odd.
    let least = x.like(1e-9);
    let near = x.lt(least);
    let at = if oblate { x.max(least) } else { x };
    let values = spherical_first(equation, c * at);
    let of = |r: Var<'b>| (values.get(index(r)), values.get(index(r + r.like(1.0))));
    let (result, slope) = bessel_sum(equation, d, c, at, oblate, value, of);
    if !oblate {
        return (result, slope);
    }
    let is_odd = equation.odd.gt(x.like(0.0));
    let zero = x.like(0.0);
    (
        (slope * x).when(near & is_odd, result),
        (slope * x / at).when(near & !is_odd, slope).when(x.gt(zero) | is_odd, zero),
    )
}

/// Spherical Bessel functions of the first kind of orders from m on at z, by order less m: upwards where that is stable, else
/// by Miller's rule.
fn spherical_first<'b>(equation: &Equation<'b>, z: Var<'b>) -> ArrayVar<'b> {
    let builder = z.builder();
    let (zero, one, m) = (z.like(0.0), z.like(1.0), equation.m);
    let into = builder.array(LARGEST, zero);
    let last = m + equation.step(equation.length.min(z.like(RADIAL))) + one;
    let last = last.min(m + z.like(LARGEST as f64 - 1.0));
    let (s, c) = (z.sin(), z.cos());
    // Small numbers: the series of the first two.
    let square = z * z;
    let small = z.lt(z.like(0.1));
    let zeroth = (one
        - square * z.like(1.0 / 6.0) * (one - square * z.like(1.0 / 20.0) * (one - square * z.like(1.0 / 42.0))))
    .when(small, s / z);
    let first = (z
        * z.like(1.0 / 3.0)
        * (one - square * z.like(0.1) * (one - square * z.like(1.0 / 28.0) * (one - square * z.like(1.0 / 54.0)))))
    .when(small, (s / z - c) / z);
    let put = |l: Var<'b>, value: Var<'b>| {
        builder.branch(l.ge(m) & l.le(last), || into.set(index((l - m).max(zero)), value), || ());
    };
    let upwards = || {
        let (l, before, current) = (builder.local(zero), builder.local(c / z), builder.local(zeroth));
        builder.repeat(
            || l.get().le(last),
            || {
                put(l.get(), current.get());
                let next = (l.get() + l.get() + one) / z * current.get() - before.get();
                before.set(current.get());
                current.set(next);
                l.set(l.get() + one);
            },
        );
    };
    let downwards = || {
        let start = (last + z.like(30.0) + (last * z.like(4.0)).sqrt()).ceil();
        let (l, before, current) = (builder.local(start), builder.local(zero), builder.local(z.like(1e-250)));
        builder.repeat(
            || l.get().ge(zero),
            || {
                let at = l.get();
                put(at, current.get());
                builder.branch(
                    current.get().abs().gt(z.like(1e200)),
                    || {
                        let factor = z.like(1e-200);
                        current.set(current.get() * factor);
                        before.set(before.get() * factor);
                        let j = builder.local((at - m).max(zero));
                        builder.repeat(
                            || j.get().le(last - m),
                            || {
                                into.set(index(j.get()), into.get(index(j.get())) * factor);
                                j.set(j.get() + one);
                            },
                        );
                    },
                    || (),
                );
                // The last step leaves the functions of orders 0 and 1.
                let next = (at + at + one) / z * current.get() - before.get();
                let go = at.gt(zero);
                before.set(current.get().when(go, before.get()));
                current.set(next.when(go, current.get()));
                l.set(at - one);
            },
        );
        let by_zeroth = zeroth.abs().ge(first.abs());
        let scale = zeroth.when(by_zeroth, first) / current.get().when(by_zeroth, before.get());
        let j = builder.local(zero);
        builder.repeat(
            || j.get().le(last - m),
            || {
                into.set(index(j.get()), into.get(index(j.get())) * scale);
                j.set(j.get() + one);
            },
        );
    };
    builder.branch(z.gt(last), upwards, downwards);
    into
}

/// The sums of functions of the second kind, at a coordinate well beyond 1.
fn second_sum<'b>(
    equation: &Equation<'b>,
    d: ArrayVar<'b>,
    value: Var<'b>,
    c: Var<'b>,
    x: Var<'b>,
    oblate: bool,
) -> (Var<'b>, Var<'b>) {
    let builder = x.builder();
    let (one, zero, m) = (x.like(1.0), x.like(0.0), equation.m);
    let z = c * x;
    let (s, co) = (z.sin(), z.cos());
    // Orders l - 1 and l, up to where a sum asks.
    let (l, before, current) = (builder.local(zero), builder.local(s / z), builder.local(-(co / z)));
    let advance = |to: Var<'b>| {
        builder.repeat(
            || l.get().lt(to),
            || {
                let next = (l.get() + l.get() + one) / z * current.get() - before.get();
                before.set(current.get());
                current.set(next.max(x.like(-1e305)));
                l.set(l.get() + one);
            },
        );
    };
    bessel_sum(equation, d, c, x, oblate, value, |r| {
        advance(m + r + one);
        (before.get(), current.get())
    })
}

/// The radial function of the second kind.
fn radial_second<'b>(
    equation: &Equation<'b>,
    d: ArrayVar<'b>,
    value: Var<'b>,
    c: Var<'b>,
    x: Var<'b>,
    oblate: bool,
) -> (Var<'b>, Var<'b>) {
    let builder = x.builder();
    let (zero, one, two, m) = (x.like(0.0), x.like(1.0), x.like(2.0), equation.m);
    // Where the sums converge fast: they are longer for large parameters.
    let start = x.like(1.5).when(c.gt(x.like(40.0)), x.like(3.0));
    let from = x.max(start);
    let (first, first_slope) = second_sum(equation, d, value, c, from, oblate);
    // The function without the power that is singular at 1: R = (x**2 - 1)**(-m / 2) v.
    let side = if oblate { one } else { -one };
    let power = |at: Var<'b>| (at * at + side).pow(m * x.like(0.5));
    let scale = power(from);
    let v = builder.local(first * scale);
    let slope = builder.local((first_slope + m * from * first / (from * from + side)) * scale);
    let (at, count) = (builder.local(from), builder.local(zero));
    builder.repeat(
        || at.get().gt(x) & count.get().lt(x.like(STEPS)),
        || {
            let here = at.get();
            // Part of the way to the singular point, less for functions that grow fast, and short against the waves.
            let reach = if oblate { (here * here + one).sqrt() } else { here - one };
            let distance = (reach / (two + equation.n * x.like(0.125))).min(two / c).min(here - x);
            let next = (here - distance).max(x);
            let step = next - here;
            let a = if oblate { here * here + one } else { (here - one) * (here + one) };
            let square = c * c;
            let b = m * (m - one) - value + square * here * here;
            // Terms times powers of the step.
            let (mut terms, t) = (vec![v.get(), slope.get() * step], step);
            let none = zero;
            for k in 0..TERMS {
                let n = k as f64;
                let term = |j: usize| if k >= j { terms[k - j] } else { none };
                let (this, above) = (terms[k], terms[k + 1]);
                let mixed = here * x.like(n + 1.0) * (x.like(2.0 * n) + two * (one - m));
                let own = x.like(n * (n - 1.0)) + two * (one - m) * x.like(n) + b;
                let total =
                    mixed * t * above + t * t * (own * this + square * t * (two * here * term(1) + t * term(2)));
                terms.push(-(total / (a * x.like((n + 1.0) * (n + 2.0)))));
            }
            let sum = terms.iter().rev().fold(zero, |sum, &term| sum + term);
            let change =
                terms.iter().enumerate().skip(1).rev().fold(zero, |sum, (k, &term)| sum + term * x.like(k as f64));
            v.set(sum);
            slope.set(change / step);
            at.set(next);
            count.set(count.get() + one);
        },
    );
    let scale = one / power(x);
    let result = v.get() * scale;
    let moved = x.lt(start);
    let at_end = slope.get() * scale - m * x * result / (x * x + side);
    (either(moved, || result, || first, DType::F64), at_end.when(moved, first_slope))
}
