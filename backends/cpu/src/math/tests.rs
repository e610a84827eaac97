use cuproxide_hal::ir::{Binary, Unary};

use super::{PairStrip, Strip, find, table};
use crate::libm as c;

/// Results to twice the digits; see the script next to it.
const REFERENCE: &str = include_str!("../../tests/data/functions.txt");

type One = (Unary, &'static str, extern "C" fn(f64) -> f64, extern "C" fn(f32) -> f32, f64);
type Two = (Binary, &'static str, extern "C" fn(f64, f64) -> f64, extern "C" fn(f32, f32) -> f32, f64);

/// Operator, name, the C library's functions and how far the float64 one may be off, in units of the last place.
const ONE_ARGUMENT: [One; 20] = [
    (Unary::Exp, "exp", c::exp, c::expf, 1.0),
    (Unary::Exp2, "exp2", c::exp2, c::exp2f, 1.0),
    (Unary::Expm1, "expm1", c::expm1, c::expm1f, 1.0),
    (Unary::Log, "log", c::log, c::logf, 1.0),
    (Unary::Log2, "log2", c::log2, c::log2f, 1.0),
    (Unary::Log10, "log10", c::log10, c::log10f, 2.0),
    (Unary::Log1p, "log1p", c::log1p, c::log1pf, 1.0),
    (Unary::Sin, "sin", c::sin, c::sinf, 1.0),
    (Unary::Cos, "cos", c::cos, c::cosf, 1.0),
    (Unary::Tan, "tan", c::tan, c::tanf, 1.0),
    (Unary::Asin, "asin", c::asin, c::asinf, 1.0),
    (Unary::Acos, "acos", c::acos, c::acosf, 1.0),
    (Unary::Atan, "atan", c::atan, c::atanf, 1.0),
    (Unary::Sinh, "sinh", c::sinh, c::sinhf, 2.0),
    (Unary::Cosh, "cosh", c::cosh, c::coshf, 2.0),
    (Unary::Tanh, "tanh", c::tanh, c::tanhf, 2.5),
    (Unary::Asinh, "asinh", c::asinh, c::asinhf, 2.0),
    (Unary::Acosh, "acosh", c::acosh, c::acoshf, 2.5),
    (Unary::Atanh, "atanh", c::atanh, c::atanhf, 2.0),
    (Unary::Cbrt, "cbrt", c::cbrt, c::cbrtf, 4.0),
];
const TWO_ARGUMENTS: [Two; 3] = [
    (Binary::Pow, "pow", c::pow, c::powf, 1.0),
    (Binary::Atan2, "atan2", c::atan2, c::atan2f, 1.0),
    (Binary::Hypot, "hypot", c::hypot, c::hypotf, 1.0),
];

/// Numbers for which functions have rules of their own, or change their method.
const SPECIAL: [f64; 32] = [
    0.0,
    f64::NAN,
    f64::INFINITY,
    5e-324,
    1e-310,
    f64::MIN_POSITIVE,
    f64::MAX,
    1e-45,
    1e-40,
    3.4e38,
    0.5,
    1.0,
    2.0,
    3.0,
    2.5,
    709.7,
    709.8,
    745.1,
    745.2,
    88.7,
    88.8,
    103.9,
    104.0,
    710.4,
    710.5,
    1023.5,
    1024.0,
    1075.0,
    1_048_576.0,
    1e22,
    1e150,
    1e300,
];

fn strip<T: Copy>(strip: Strip<T>, input: &[T]) -> Vec<T> {
    let mut output = input.to_vec();
    // SAFETY: both vectors have this length.
    unsafe { strip(input.as_ptr(), output.as_mut_ptr(), input.len()) };
    output
}

fn pair_strip<T: Copy>(strip: PairStrip<T>, x: &[T], y: &[T]) -> Vec<T> {
    let mut output = x.to_vec();
    // SAFETY: all vectors have this length.
    unsafe { strip(x.as_ptr(), y.as_ptr(), output.as_mut_ptr(), x.len()) };
    output
}

/// The distance of the numbers around `x`.
fn ulp(x: f64) -> f64 {
    let x = x.abs().clamp(f64::MIN_POSITIVE, f64::MAX);
    let down = f64::from_bits(x.to_bits() & !((1 << 52) - 1));
    down * f64::EPSILON
}

fn ulp_single(x: f64) -> f64 {
    let x = x.abs().clamp(f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
    f64::from_bits(x.to_bits() & !((1 << 52) - 1)) * f64::from(f32::EPSILON)
}

fn same(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())
}

/// Whether `got` is off by at most `limit` units of the last place; zeros, infinities and NaN must be the same.
fn is_close(got: f64, expected: f64, limit: f64) -> bool {
    let ordinary = expected.is_finite() && got.is_finite() && expected != 0.0 && got != 0.0;
    // Where a result only just overflows or vanishes, either side of the limit is right.
    let at_the_end = expected.abs() == f64::MAX || got.abs() == f64::MAX || (got - expected).abs() <= 5e-324;
    if ordinary { (got - expected).abs() <= limit * ulp(expected) } else { same(got, expected) || at_the_end }
}

fn is_close_single(got: f32, exact: f64, limit: f64) -> bool {
    let expected = exact as f32;
    let ordinary = expected.is_finite() && got.is_finite() && expected != 0.0;
    if ordinary {
        (f64::from(got) - exact).abs() <= limit * ulp_single(exact)
    } else {
        same(got.into(), expected.into())
    }
}

/// Every magnitude and sign, and the special values.
fn samples() -> Vec<f64> {
    let mut all: Vec<f64> = SPECIAL.iter().flat_map(|&x| [x, -x]).collect();
    let mut word = 1u64;
    for _ in 0..100_000 {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (word >> 11) as f64 / (1u64 << 53) as f64;
        all.push((unit - 0.5) * 2.0);
        all.push((unit - 0.5) * 60.0);
        all.push((unit - 0.5) * 1500.0);
        all.push(unit * 1e7);
        all.push(unit + 0.5);
        all.push(f64::from_bits(word));
    }
    all.extend((0..2000).map(|i| f64::from(i) * std::f64::consts::FRAC_PI_2));
    all
}

/// Pairs of samples, and every pair of special values.
fn sample_pairs() -> (Vec<f64>, Vec<f64>) {
    let (mut x, mut y) = (samples(), samples());
    y.rotate_left(5);
    let special: Vec<f64> = SPECIAL.iter().flat_map(|&x| [x, -x]).collect();
    for &a in &special {
        x.extend(std::iter::repeat_n(a, special.len()));
        y.extend(&special);
    }
    (x, y)
}

#[test]
fn float64_is_within_one_unit() {
    let Some(table) = table() else { return };
    let rows: Vec<Vec<&str>> = REFERENCE.lines().map(|line| line.split(' ').collect()).collect();
    let number = |digits: &str| f64::from_bits(u64::from_str_radix(digits, 16).expect("hexadecimal digits"));
    let names = ONE_ARGUMENT.iter().map(|row| row.1).chain(TWO_ARGUMENTS.iter().map(|row| row.1));
    for name in names {
        let rows: Vec<Vec<f64>> =
            rows.iter().filter(|row| row[0] == name).map(|row| row[1..].iter().map(|&d| number(d)).collect()).collect();
        assert!(rows.len() > 100, "{name} has a reference");
        let column = |position: usize| -> Vec<f64> { rows.iter().map(|row| row[position]).collect() };
        let output = match ONE_ARGUMENT.iter().find(|row| row.1 == name) {
            Some(row) => strip(find(table.double, row.0).expect("the row exists"), &column(0)),
            None => {
                let row = TWO_ARGUMENTS.iter().find(|row| row.1 == name).expect("the row exists");
                pair_strip(find(table.double_pairs, row.0).expect("the row exists"), &column(0), &column(1))
            }
        };
        let mut worst = 0f64;
        for (row, got) in rows.iter().zip(output) {
            let (high, low) = (row[row.len() - 2], row[row.len() - 1]);
            let error = ((got - high) - low).abs() / ulp(high);
            assert!(error <= 1.0, "{name}({:e}, ...) = {got:e} is off by {error} units", row[0]);
            worst = worst.max(error);
        }
        println!("{name}: {worst:.3}");
    }
}

#[test]
fn functions_agree_with_the_c_library() {
    let Some(table) = table() else { return };
    let input = samples();
    let narrow: Vec<f32> = input.iter().map(|&x| x as f32).collect();
    for (op, name, reference, single, slack) in ONE_ARGUMENT {
        let output = strip(find(table.double, op).expect("the row exists"), &input);
        for (&x, got) in input.iter().zip(output) {
            assert!(is_close(got, reference(x), 1.0 + slack), "{name}({x:e}) = {got:e}, not {:e}", reference(x));
        }
        let output = strip(find(table.single, op).expect("the row exists"), &narrow);
        for (&x, got) in narrow.iter().zip(output) {
            let exact = reference(x.into());
            let close = is_close_single(got, exact, 1.0) || same(got.into(), single(x).into());
            assert!(close, "{name}({x:e}) = {got:e}, not {exact:e}");
        }
    }
    let (x, y) = sample_pairs();
    let [x_narrow, y_narrow] = [&x, &y].map(|all| all.iter().map(|&x| x as f32).collect::<Vec<f32>>());
    for (op, name, reference, single, slack) in TWO_ARGUMENTS {
        let output = pair_strip(find(table.double_pairs, op).expect("the row exists"), &x, &y);
        for ((&x, &y), got) in x.iter().zip(&y).zip(output) {
            let expected = reference(x, y);
            assert!(is_close(got, expected, 1.0 + slack), "{name}({x:e}, {y:e}) = {got:e}, not {expected:e}");
        }
        let output = pair_strip(find(table.single_pairs, op).expect("the row exists"), &x_narrow, &y_narrow);
        for ((&x, &y), got) in x_narrow.iter().zip(&y_narrow).zip(output) {
            let exact = reference(x.into(), y.into());
            let close = is_close_single(got, exact, 1.0) || same(got.into(), single(x, y).into());
            assert!(close, "{name}({x:e}, {y:e}) = {got:e}, not {exact:e}");
        }
    }
}

#[test]
fn a_result_does_not_depend_on_its_neighbours() {
    let Some(table) = table() else { return };
    let input: Vec<f64> = samples().into_iter().take(1000).collect();
    for &(op, function) in table.double {
        for (&x, &together) in input.iter().zip(&strip(function, &input)) {
            let alone = strip(function, &[x])[0];
            assert!(same(alone, together), "{op:?}({x:e})");
        }
    }
    let reversed: Vec<f64> = input.iter().rev().copied().collect();
    for &(op, function) in table.double_pairs {
        for ((&x, &y), &together) in input.iter().zip(&reversed).zip(&pair_strip(function, &input, &reversed)) {
            let alone = pair_strip(function, &[x], &[y])[0];
            assert!(same(alone, together), "{op:?}({x:e}, {y:e})");
        }
    }
}

/// Integers near those where a float or the processor takes over, and others of all magnitudes.
fn sample_integers() -> Vec<i64> {
    let near = |x: i64| [x.wrapping_sub(1), x, x.wrapping_add(1)];
    let powers = (0..64).map(|power| 1_i64.wrapping_shl(power)).flat_map(|x| [x, x.wrapping_neg(), x / 3 * 2]);
    powers.chain([0, 7, -7, 10_i64.pow(15), i64::MAX]).flat_map(near).collect()
}

#[test]
fn integers_are_divided_exactly() {
    let Some(table) = table() else { return };
    // Each of the ways is taken by whole strips: as floats, by a reciprocal, one by one.
    let all = sample_integers();
    for bits in [31, 51, 52, 53, 54, 64] {
        let x: &Vec<i64> =
            &all.iter().copied().filter(|x| x.unsigned_abs().checked_shr(bits).is_none_or(|rest| rest == 0)).collect();
        for y in x.iter().copied().filter(|&y| y != 0) {
            let same = vec![y; x.len()];
            let other: Vec<i64> = same[1..].iter().copied().chain([3]).collect();
            for (op, divide) in
                [(Binary::Div, i64::wrapping_div as fn(i64, i64) -> i64), (Binary::Rem, i64::wrapping_rem)]
            {
                let strip = find(table.integer_pairs, op).expect("the row exists");
                for y in [&same, &other] {
                    for ((x, y), got) in x.iter().zip(y).zip(pair_strip(strip, x, y)) {
                        assert_eq!(got, divide(*x, *y), "{op:?} of {x} and {y}");
                    }
                }
            }
        }
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn both_instruction_sets_give_the_same_bits() {
    let Some(table) = table() else { return };
    let narrower = &super::avx2::TABLE;
    let input = samples();
    let narrow: Vec<f32> = input.iter().map(|&x| x as f32).collect();
    for (&(op, wide), &(_, other)) in table.double.iter().zip(narrower.double) {
        let results = strip(wide, &input).into_iter().zip(strip(other, &input));
        assert!(results.into_iter().all(|(x, y)| same(x, y)), "{op:?} of float64");
    }
    for (&(op, wide), &(_, other)) in table.single.iter().zip(narrower.single) {
        let results = strip(wide, &narrow).into_iter().zip(strip(other, &narrow));
        assert!(results.into_iter().all(|(x, y)| same(x.into(), y.into())), "{op:?} of float32");
    }
    let (x, y) = sample_pairs();
    for (&(op, wide), &(_, other)) in table.double_pairs.iter().zip(narrower.double_pairs) {
        let results = pair_strip(wide, &x, &y).into_iter().zip(pair_strip(other, &x, &y));
        assert!(results.into_iter().all(|(x, y)| same(x, y)), "{op:?} of float64");
    }
    let x = sample_integers();
    let y: Vec<i64> = x.iter().rev().copied().collect();
    for (&(op, wide), &(_, other)) in table.integer_pairs.iter().zip(narrower.integer_pairs) {
        assert_eq!(pair_strip(wide, &x, &y), pair_strip(other, &x, &y), "{op:?} of int64");
    }
}
