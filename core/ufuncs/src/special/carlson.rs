//! Carlson's symmetric elliptic integrals, of real and complex numbers: B. C. Carlson, Numer. Algorithms 10 (1995); DLMF
//! 19.20, 19.21 and 19.36.

use std::f64::consts::{FRAC_PI_2, LN_2};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::{either, fused_product, sum_of_two};
use crate::table::{binary, general, ternary};
use crate::{Outputs, Ufunc};

/// Bound of the duplications: arguments of different size approach each other by the square root, then by four.
const STEPS: f64 = 60.0;
/// Relative distance of the arguments at which the series, of seven orders, ends the duplications.
const CLOSE: f64 = 1e-2;
/// Up to this number, and down to its reciprocal, products of two are normal numbers.
const MODERATE: f64 = 1e150;
/// From this multiple of the other arguments on, p of R_J leaves the leading terms.
const FAR: f64 = 1e20;

pub(super) fn rows() -> Vec<Ufunc> {
    const LOOPS3: &str = "fff->f, ddd->d, FFF->F, DDD->D";
    let rows = [
        binary("elliprc", "ff->f, dd->d, FF->F, DD->D", "Degenerate symmetric elliptic integral.", elliprc),
        ternary("elliprd", LOOPS3, "Symmetric elliptic integral of the second kind.", elliprd),
        ternary("elliprf", LOOPS3, "Completely symmetric elliptic integral of the first kind.", elliprf),
        ternary("elliprg", LOOPS3, "Completely symmetric elliptic integral of the second kind.", elliprg),
        general(
            "elliprj",
            (4, 1),
            "ffff->f, dddd->d, FFFF->F, DDDD->D",
            "Symmetric elliptic integral of the third kind.",
            elliprj,
        ),
    ];
    const SOURCE: &str =
        "Carlson, Numer. Algorithms 10 (1995), DLMF 19.20, 19.21 and 19.36: duplication, then a series";
    rows.into_iter().map(|row| row.source(SOURCE).special()).collect()
}

/// Real numbers and complex ones in double precision.
fn wide(dtype: DType) -> DType {
    if dtype.is_complex() { DType::C128 } else { DType::F64 }
}

/// The body in double precision.
fn widened<'b>(inputs: &[Var<'b>], body: impl FnOnce(&[Var<'b>]) -> Var<'b>) -> Var<'b> {
    let dtype = inputs[0].dtype();
    let inputs: Vec<Var<'b>> = inputs.iter().map(|input| input.cast(wide(dtype))).collect();
    body(&inputs).cast(dtype)
}

/// Whether a number is real and below 0.
fn is_negative(x: Var<'_>) -> Var<'_> {
    if x.dtype().is_complex() { x.im().eq(x.im().like(0.0)) & x.re().lt(x.re().like(0.0)) } else { x.lt(x.like(0.0)) }
}

fn is_zero(x: Var<'_>) -> Var<'_> {
    x.abs().eq(x.abs().like(0.0))
}

fn is_infinite(x: Var<'_>) -> Var<'_> {
    if x.dtype().is_complex() {
        let infinity = x.re().like(f64::INFINITY);
        x.re().abs().eq(infinity) | x.im().abs().eq(infinity)
    } else {
        x.abs().eq(x.like(f64::INFINITY))
    }
}

/// The sum of the products of three numbers, for real ones with fused products.
fn sum_of_products<'b>(a: Var<'b>, b: Var<'b>, c: Var<'b>) -> Var<'b> {
    if a.dtype().is_complex() {
        return a * b + a * c + b * c;
    }
    let builder = a.builder();
    builder.fma(a, b, builder.fma(a, c, b * c))
}

/// The sum of the products of the roots of three numbers. Roots of the products leave equal numbers as they are, so that no
/// error adds up over many duplications.
fn lambda<'b>(a: Var<'b>, b: Var<'b>, c: Var<'b>) -> Var<'b> {
    let is_moderate = |x: Var<'b>| {
        let (part, size) = if x.dtype().is_complex() { (x.re(), x.re().max(x.im().abs())) } else { (x, x) };
        part.gt(part.like(0.0)) & size.gt(part.like(1.0 / MODERATE)) & size.lt(part.like(MODERATE))
    };
    // Of numbers in the right half plane the root of a product is that of the roots.
    either(
        is_moderate(a) & is_moderate(b) & is_moderate(c),
        || fused_product(a, b).sqrt() + fused_product(a, c).sqrt() + fused_product(b, c).sqrt(),
        || sum_of_products(a.sqrt(), b.sqrt(), c.sqrt()),
        a.dtype(),
    )
}

/// Duplicates the theorem of all integrals: `numbers` move to their mean, weighted by `weights`, until they are close.
/// `each` sees the numbers, their roots (of three it takes them itself), lambda and 4**-n before a step. Gives the mean,
/// 4**-n and the relative distances of the first numbers from the mean.
fn duplicate<'b>(
    numbers: &[Var<'b>],
    weights: &[f64],
    each: impl FnOnce(&[Var<'b>], &[Var<'b>], Var<'b>, Var<'b>),
) -> (Var<'b>, Var<'b>, Vec<Var<'b>>) {
    let first = numbers[0];
    let builder = first.builder();
    let total: f64 = weights.iter().sum();
    let sum = |values: &[Var<'b>]| {
        let weighted = values.iter().zip(weights).map(
            |(&value, &weight)| {
                if weight == 1.0 { value } else { value * first.like(weight) }
            },
        );
        weighted.reduce(|a, b| a + b).expect("an integral has arguments") * first.like(1.0 / total)
    };
    let start = sum(numbers);
    let quarter = first.like(0.25);
    let locals: Vec<_> = numbers.iter().map(|&number| builder.local(number)).collect();
    let (mean, power) = (builder.local(start), builder.local(first.like(1.0)));
    let farthest = numbers.iter().map(|&number| (start - number).abs()).reduce(Var::max).expect("as above");
    let (distance, n) = (builder.local(farthest), builder.local(farthest.like(0.0)));
    builder.repeat(
        || {
            let middle = mean.get();
            let apart = distance.get().gt(middle.abs() * farthest.like(CLOSE));
            // The roots of close numbers are not close across the negative axis.
            let apart = if middle.dtype().is_complex() { apart | middle.re().le(farthest.like(0.0)) } else { apart };
            apart & n.get().lt(farthest.like(STEPS))
        },
        || {
            let values: Vec<_> = locals.iter().map(|local| local.get()).collect();
            let roots = || values.iter().map(|value| value.sqrt()).collect::<Vec<_>>();
            let (roots, lambda) = match values[..] {
                [a, b, c] => (Vec::new(), lambda(a, b, c)),
                [_, last] => {
                    let roots = roots();
                    let product = roots[0] * roots[1];
                    (roots, product + product + last)
                }
                _ => {
                    let roots = roots();
                    let lambda = sum_of_products(roots[0], roots[1], roots[2]);
                    (roots, lambda)
                }
            };
            each(&values, &roots, lambda, power.get());
            for (local, &value) in locals.iter().zip(&values) {
                local.set((value + lambda) * quarter);
            }
            mean.set((mean.get() + lambda) * quarter);
            power.set(power.get() * quarter);
            distance.set(distance.get() * farthest.like(0.25));
            n.set(n.get() + farthest.like(1.0));
        },
    );
    let scale = power.get() / mean.get();
    let distances = numbers.iter().map(|&number| (start - number) * scale).collect();
    (mean.get(), power.get(), distances)
}

/// A series in the elementary symmetric functions of the distances, by coefficients of their monomials; less 1.
fn series<'b>(zero: Var<'b>, terms: &[(f64, Var<'b>)]) -> Var<'b> {
    terms.iter().rev().fold(zero, |sum, &(coefficient, monomial)| sum + monomial * zero.like(coefficient))
}

/// (1 + sum) / sqrt(mean) with the roundings under the root, which halves them.
fn over_root<'b>(sum: Var<'b>, mean: Var<'b>) -> Var<'b> {
    ((sum.like(1.0) + sum * (sum + sum.like(2.0))) / mean).sqrt()
}

/// R_F where no two of its arguments are 0: DLMF 19.36.1.
pub(super) fn rf<'b>(x: Var<'b>, y: Var<'b>, z: Var<'b>) -> Var<'b> {
    let (mean, _, distances) = duplicate(&[x, y, z], &[1.0; 3], |_, _, _, _| ());
    let (a, b) = (distances[0], distances[1]);
    let c = -(a + b);
    let (e2, e3) = (a * b - c * c, a * b * c);
    let sum = series(
        x.like(0.0),
        &[
            (-1.0 / 10.0, e2),
            (1.0 / 14.0, e3),
            (1.0 / 24.0, e2 * e2),
            (-3.0 / 44.0, e2 * e3),
            (-5.0 / 208.0, e2 * e2 * e2),
            (3.0 / 104.0, e3 * e3),
            (1.0 / 16.0, e2 * e2 * e3),
        ],
    );
    over_root(sum, mean)
}

/// R_C of real numbers by elementary functions: DLMF 19.2.18 and 19.2.19.
fn rc_of_reals<'b>(x: Var<'b>, y: Var<'b>) -> Var<'b> {
    let (zero, one) = (x.like(0.0), x.like(1.0));
    let rises = y.gt(x);
    let (apart, least) = ((y - x).abs(), x.when(rises, y));
    let root = apart.sqrt();
    let ratio = root / least.sqrt();
    // Of numbers whose quotient is beyond the range the logarithm.
    let far = ratio.gt(x.like(1e100));
    let log = x.like(LN_2) + (apart.log() - least.log()) * x.like(0.5);
    let angle = ratio.atan().when(rises, log.when(far, ratio.asinh()));
    (angle / root).when(apart.gt(zero), one / x.sqrt())
}

/// R_C(x, y) off the cut of y.
fn rc<'b>(x: Var<'b>, y: Var<'b>) -> Var<'b> {
    let (mean, _, distances) = duplicate(&[x, y], &[1.0, 2.0], |_, _, _, _| ());
    let s = -distances[1];
    let coefficients = [3.0 / 10.0, 1.0 / 7.0, 3.0 / 8.0, 9.0 / 22.0, 159.0 / 208.0, 9.0 / 8.0];
    let sum = coefficients.iter().rev().fold(x.like(0.0), |sum, &value| sum * s + x.like(value));
    over_root(s * s * sum, mean)
}

/// The common series of R_D and R_J: DLMF 19.36.2.
fn series_of_five<'b>(e2: Var<'b>, e3: Var<'b>, e4: Var<'b>, e5: Var<'b>) -> Var<'b> {
    let sum = series(
        e2.like(0.0),
        &[
            (-3.0 / 14.0, e2),
            (1.0 / 6.0, e3),
            (9.0 / 88.0, e2 * e2),
            (-3.0 / 22.0, e4),
            (-9.0 / 52.0, e2 * e3),
            (3.0 / 26.0, e5),
            (-1.0 / 16.0, e2 * e2 * e2),
            (3.0 / 40.0, e3 * e3),
            (3.0 / 20.0, e2 * e4),
            (45.0 / 272.0, e2 * e2 * e3),
            (-9.0 / 68.0, e3 * e4 + e2 * e5),
        ],
    );
    sum + e2.like(1.0)
}

/// R_D(x, y, z) where z and one of x and y are not 0.
pub(super) fn rd<'b>(x: Var<'b>, y: Var<'b>, z: Var<'b>) -> Var<'b> {
    let builder = x.builder();
    let (three, sum, rest) = (x.like(3.0), builder.local(x.like(0.0)), builder.local(x.like(0.0)));
    let (mean, power, distances) = duplicate(&[x, y, z], &[1.0, 1.0, 3.0], |values, _, lambda, power| {
        let (root, shifted, above) = (values[2].sqrt(), values[2] + lambda, three * power);
        let below = root * shifted;
        let term = above / below;
        let (high, low) = sum_of_two(sum.get(), term);
        let low = if x.dtype().is_complex() {
            low
        } else {
            // What the product and the quotient leave.
            let left = builder.fma(-term, below, above) - term * builder.fma(root, shifted, -below);
            low + left / below
        };
        sum.set(high);
        // An infinite sum leaves nothing.
        let (zero, size) = (x.like(0.0), high.abs());
        rest.set(rest.get() + low.when(size.lt(size.like(f64::INFINITY)), zero));
    });
    let (a, b) = (distances[0], distances[1]);
    let c = (a + b) * x.like(-1.0 / 3.0);
    let (ab, cc) = (a * b, c * c);
    let last =
        series_of_five(ab - cc * x.like(6.0), (ab * three - cc * x.like(8.0)) * c, three * (ab - cc) * cc, ab * cc * c);
    (power * last / (mean * mean.sqrt()) + rest.get()) + sum.get()
}

/// R_J(x, y, z, p) off the cut of p.
fn rj<'b>(x: Var<'b>, y: Var<'b>, z: Var<'b>, p: Var<'b>) -> Var<'b> {
    let largest = x.abs().max(y.abs()).max(z.abs());
    let far = p.abs().gt(largest * largest.like(FAR));
    // DLMF 19.27.11: each duplication divides p by 4 only.
    let leading = || x.like(3.0) * (rf(x, y, z) - x.like(FRAC_PI_2) / p.sqrt()) / p;
    either(far, leading, || rj_by_duplication(x, y, z, p), x.dtype())
}

fn rj_by_duplication<'b>(x: Var<'b>, y: Var<'b>, z: Var<'b>, p: Var<'b>) -> Var<'b> {
    let builder = x.builder();
    let one = x.like(1.0);
    let sum = builder.local(x.like(0.0));
    let (mean, power, distances) = duplicate(&[x, y, z, p], &[1.0, 1.0, 1.0, 2.0], |values, roots, lambda, power| {
        let product = (roots[3] + roots[0]) * (roots[3] + roots[1]) * (roots[3] + roots[2]);
        // One plus the product of (p - x) / (sqrt(p) + sqrt(x))**2 and its like, of which a small p leaves little.
        let other = (roots[3] + roots[3]) * (values[3] + lambda) / product;
        sum.set(sum.get() + power / product * rc(one, other));
    });
    let (a, b, c) = (distances[0], distances[1], distances[2]);
    let d = (a + b + c) * x.like(-0.5);
    let (two, three) = (x.like(2.0), x.like(3.0));
    let (dd, abc) = (d * d, a * b * c);
    let e2 = a * b + a * c + b * c - three * dd;
    let e3 = abc + two * e2 * d + x.like(4.0) * dd * d;
    let e4 = (two * abc + e2 * d + three * dd * d) * d;
    power * series_of_five(e2, e3, e4, abc * dd) / (mean * mean.sqrt()) + x.like(6.0) * sum.get()
}

fn elliprc<'b>(x: Var<'b>, y: Var<'b>) -> Var<'b> {
    widened(&[x, y], |v| {
        let (x, y) = (v[0], v[1]);
        let (nan, zero) = (x.like(f64::NAN), x.like(0.0));
        let compute = || {
            // Cauchy's principal value on the cut: DLMF 19.2.20.
            let cut = is_negative(y);
            let (p, q) = ((x - y).when(cut, x), (-y).when(cut, y));
            let value = if x.dtype().is_complex() { rc(p, q) } else { rc_of_reals(p, q) };
            (value * (x / p).sqrt()).when(cut, value)
        };
        let bad = x.is_nan() | y.is_nan() | is_negative(x);
        let edge = nan.when(is_zero(y) | (is_infinite(x) & is_negative(y)), zero);
        let plain = !(bad | is_zero(y) | is_infinite(x) | is_infinite(y));
        either(plain, compute, || nan.when(bad, edge), x.dtype())
    })
}

/// Where an argument of three is nan or below 0, is infinite, and where two of them are 0.
fn edges<'b>(x: Var<'b>, y: Var<'b>, z: Var<'b>) -> (Var<'b>, Var<'b>, Var<'b>) {
    let all = |test: fn(Var<'_>) -> Var<'_>| [test(x), test(y), test(z)];
    let [nx, ny, nz] = [x.is_nan(), y.is_nan(), z.is_nan()];
    let [mx, my, mz] = all(is_negative);
    let [ix, iy, iz] = all(is_infinite);
    let [zx, zy, zz] = all(is_zero);
    (nx | ny | nz | mx | my | mz, ix | iy | iz, (zx & zy) | (zx & zz) | (zy & zz))
}

/// A power of 4 that keeps products of numbers up to `largest` in range, and its root.
fn scale<'b>(x: Var<'b>, largest: Var<'b>) -> (Var<'b>, Var<'b>) {
    // Below the first one, integrals of a subnormal number beside it leave the range.
    const LIMITS: [f64; 2] = [1e-100, 1e200];
    let (small, large) = (largest.lt(largest.like(LIMITS[0])), largest.gt(largest.like(LIMITS[1])));
    let choose = |exponent: i32| {
        let power = |sign: i32| x.like(2f64.powi(sign * exponent));
        power(1).when(small, power(-1).when(large, x.like(1.0)))
    };
    (choose(600), choose(300))
}

/// Three numbers and perhaps more times a power of 4; and its root.
fn scaled<'b>(numbers: &[Var<'b>]) -> (Vec<Var<'b>>, Var<'b>) {
    let largest = numbers.iter().map(|number| number.abs()).reduce(Var::max).expect("an integral has arguments");
    let (factor, root) = scale(numbers[0], largest);
    (numbers.iter().map(|&number| number * factor).collect(), root)
}

fn elliprf<'b>(x: Var<'b>, y: Var<'b>, z: Var<'b>) -> Var<'b> {
    widened(&[x, y, z], |v| {
        let (x, y, z) = (v[0], v[1], v[2]);
        let (bad, infinite, zeros) = edges(x, y, z);
        let edge = x.like(0.0).when(infinite, x.like(f64::INFINITY));
        let edge = x.like(f64::NAN).when(bad, edge);
        either(
            !(bad | infinite | zeros),
            || {
                let (v, root) = scaled(&[x, y, z]);
                rf(v[0], v[1], v[2]) * root
            },
            || edge,
            x.dtype(),
        )
    })
}

fn elliprd<'b>(x: Var<'b>, y: Var<'b>, z: Var<'b>) -> Var<'b> {
    widened(&[x, y, z], |v| {
        let (x, y, z) = (v[0], v[1], v[2]);
        let (bad, infinite, zeros) = edges(x, y, z);
        let pole = is_zero(z);
        let poles = zeros | pole;
        // A pole in z stays one however large x and y are.
        let edge = x.like(0.0).when(infinite & !pole, x.like(f64::INFINITY));
        let edge = x.like(f64::NAN).when(bad, edge);
        either(
            !(bad | infinite | poles),
            || {
                let (v, root) = scaled(&[x, y, z]);
                rd(v[0], v[1], v[2]) * root * root * root
            },
            || edge,
            x.dtype(),
        )
    })
}

/// Three numbers by their absolute values.
fn sorted<'b>(x: Var<'b>, y: Var<'b>, z: Var<'b>) -> (Var<'b>, Var<'b>, Var<'b>) {
    let order = |a: Var<'b>, b: Var<'b>| {
        let right = a.abs().le(b.abs());
        (a.when(right, b), b.when(right, a))
    };
    let (x, y) = order(x, y);
    let (y, z) = order(y, z);
    let (x, y) = order(x, y);
    (x, y, z)
}

fn elliprg<'b>(x: Var<'b>, y: Var<'b>, z: Var<'b>) -> Var<'b> {
    widened(&[x, y, z], |v| {
        let (bad, infinite, zeros) = edges(v[0], v[1], v[2]);
        // With the middle one apart all terms have one sign: DLMF 19.21.10.
        let (x, z, y) = sorted(v[0], v[1], v[2]);
        let compute = || {
            let (v, root) = scaled(&[x, y, z]);
            let (x, y, z) = (v[0], v[1], v[2]);
            let (first, second) = (rf(x, y, z), rd(x, y, z));
            // The difference from the largest one by the integral first: that of both may leave the range.
            let product = (y - z) * second / x.like(3.0);
            let sum = if x.dtype().is_complex() {
                z * first + product * (z - x) + x.sqrt() * y.sqrt() / z.sqrt()
            } else {
                let builder = x.builder();
                builder.fma(product, z - x, builder.fma(z, first, (x * (y / z)).sqrt()))
            };
            sum * x.like(0.5) / root
        };
        let half = y.sqrt() * x.like(0.5);
        let edge = x.like(f64::INFINITY).when(infinite, half);
        let edge = x.like(f64::NAN).when(bad, edge);
        // Beside the largest one the others no longer count.
        let zeros = zeros | z.abs().lt(y.abs() * y.abs().like(1e-150));
        either(!(bad | infinite | zeros), compute, || edge, x.dtype())
    })
}

fn elliprj<'b>(inputs: &[Var<'b>]) -> Outputs<'b> {
    let value = widened(inputs, |v| {
        let p = v[3];
        let (bad, infinite, zeros) = edges(v[0], v[1], v[2]);
        let bad = bad | p.is_nan();
        let (x, y, z) = sorted(v[0], v[1], v[2]);
        let three = x.like(3.0);
        let compute = || {
            // Cauchy's principal value on the cut: DLMF 19.20.14 with y and z exchanged.
            let on_cut = || {
                let q = -p;
                let moved = (y * (x + z + q) - x * z) / (y + q);
                let product = x * z + moved * q;
                let tail = three * (x * y * z / product).sqrt() * rc(product, moved * q);
                ((z - y) * (y - x) / (y + q) * rj(x, y, z, moved) - three * rf(x, y, z) + tail) / (y + q)
            };
            either(is_negative(p), on_cut, || rj(x, y, z, p), x.dtype())
        };
        let edge = x.like(0.0).when(infinite | is_infinite(p), x.like(f64::INFINITY));
        let edge = x.like(f64::NAN).when(bad | (is_zero(p) & !infinite), edge);
        let plain = !(bad | infinite | is_infinite(p) | zeros | is_zero(p));
        either(plain, compute, || edge, x.dtype())
    });
    smallvec::smallvec![value]
}
