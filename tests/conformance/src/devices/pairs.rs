//! Distances of pairs of rows, on devices that have a primitive for them.

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{Distances, Nearest, Term};

use super::Test;
use crate::rig::{Check, Rig, ensure};
use crate::samples::Random;

pub const TESTS: &[Test] = &[("distances", distances), ("nearest", nearest)];

/// Numbers of rows, of others, and of coordinates.
const SIZES: [(usize, usize, usize); 6] = [(1, 1, 1), (3, 5, 2), (33, 70, 7), (130, 40, 3), (5, 1000, 9), (2, 3, 0)];

/// Coordinates with zeros, equal ones and, if asked for, some that are not finite.
fn drawn(random: &mut Random, count: usize, hostile: bool) -> Vec<f64> {
    let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];
    (0..count)
        .map(|_| match random.below(100) {
            place @ 0..4 if hostile => strange[place],
            4..20 => 0.0,
            number => number as f64 / 7.0 - 6.0,
        })
        .collect()
}

fn bytes(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn term(term: Term, x: f64, y: f64) -> f64 {
    match term {
        Term::Square => (x - y) * (x - y),
        Term::Difference | Term::Largest => (x - y).abs(),
        Term::Ratio if x.abs() + y.abs() == 0.0 => 0.0,
        Term::Ratio => (x - y).abs() / (x.abs() + y.abs()),
        Term::Unequal => f64::from(x != y),
    }
}

/// As the contract says it: in order, the largest with NaN.
fn expected(how: Term, x: &[f64], y: &[f64], weights: Option<&[f64]>) -> f64 {
    let terms = x.iter().zip(y).map(|(x, y)| term(how, *x, *y));
    match (how, weights) {
        (Term::Largest, _) => terms.fold(0.0, |most, t| if most > t || most.is_nan() { most } else { t }),
        (_, None) => terms.fold(0.0, |sum, t| sum + t),
        (_, Some(weights)) => terms.zip(weights).fold(0.0, |sum, (t, w)| sum + w * t),
    }
}

fn same(found: f64, wanted: f64) -> bool {
    found.to_bits() == wanted.to_bits() || (found.is_nan() && wanted.is_nan()) || (found == 0.0 && wanted == 0.0)
}

fn distances(rig: &Rig) -> Check {
    let pairs = rig.device.libraries().pairs()?;
    let mut random = Random::new(11);
    for how in [Term::Square, Term::Difference, Term::Largest, Term::Ratio, Term::Unequal] {
        for (row_count, other_count, dimension) in SIZES {
            for (hostile, condensed, weighted) in
                [(false, false, false), (true, false, false), (false, true, false), (true, false, true)]
            {
                if weighted && how == Term::Largest {
                    continue;
                }
                let rows = drawn(&mut random, row_count * dimension, hostile);
                let others =
                    if condensed { rows.clone() } else { drawn(&mut random, other_count * dimension, hostile) };
                let other_count = if condensed { row_count } else { other_count };
                let weights: Vec<f64> = (0..dimension).map(|d| d as f64 / 3.0).collect();
                let given: Vec<(usize, usize)> = (0..row_count)
                    .flat_map(|i| (if condensed { i + 1 } else { 0 }..other_count).map(move |j| (i, j)))
                    .collect();
                let (at_rows, at_others) = (rig.upload(&bytes(&rows))?, rig.upload(&bytes(&others))?);
                let (at_weights, out) = (rig.upload(&bytes(&weights))?, rig.empty(8 * given.len())?);
                let request = Distances {
                    term: how,
                    root: how == Term::Square,
                    divisor: if how == Term::Unequal { 3.0 } else { 1.0 },
                    rows: at_rows.ptr(),
                    row_count,
                    others: at_others.ptr(),
                    other_count,
                    dimension,
                    weights: weighted.then(|| at_weights.ptr()),
                    condensed,
                    out: out.ptr(),
                };
                // SAFETY: the buffers are as large as the numbers say.
                unsafe { pairs.distances(&*rig.stream, &request)? };
                for (found, (i, j)) in out.download()?.chunks_exact(8).zip(given) {
                    let found = f64::from_le_bytes(found.try_into().unwrap_or_default());
                    let (x, y) = (&rows[i * dimension..][..dimension], &others[j * dimension..][..dimension]);
                    let mut wanted = expected(how, x, y, weighted.then_some(&weights)) / request.divisor;
                    if request.root {
                        wanted = wanted.sqrt();
                    }
                    ensure(same(found, wanted), || {
                        format!("{how:?} of rows {i}, {j} of {row_count} x {other_count}: {found}, not {wanted}")
                    })?;
                }
            }
        }
    }
    Ok(())
}

fn nearest(rig: &Rig) -> Check {
    let pairs = rig.device.libraries().pairs()?;
    let mut random = Random::new(12);
    for (code_count, row_count, dimension) in SIZES.into_iter().filter(|size| size.2 > 0) {
        for (hostile, dtype) in [(false, DType::F64), (true, DType::F64), (true, DType::F32)] {
            // What float32 holds exactly in sums of squares; equally near codes are frequent.
            let whole = |x: f64| x.trunc();
            let rows: Vec<f64> = drawn(&mut random, row_count * dimension, hostile).into_iter().map(whole).collect();
            let codes: Vec<f64> = drawn(&mut random, code_count * dimension, hostile).into_iter().map(whole).collect();
            let stored = |values: &[f64]| match dtype {
                DType::F32 => values.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect(),
                _ => bytes(values),
            };
            let (at_rows, at_codes) = (rig.upload(&stored(&rows))?, rig.upload(&stored(&codes))?);
            let (numbers, out) = (rig.empty(4 * row_count)?, rig.empty(dtype.size() * row_count)?);
            let request = Nearest {
                dtype,
                rows: at_rows.ptr(),
                row_count,
                codes: at_codes.ptr(),
                code_count,
                dimension,
                numbers: numbers.ptr(),
                distances: out.ptr(),
            };
            // SAFETY: the buffers are as large as the numbers say.
            unsafe { pairs.nearest(&*rig.stream, &request)? };
            let (numbers, out) = (numbers.download()?, out.download()?);
            for i in 0..row_count {
                let (mut number, mut least) = (0_i32, f64::INFINITY);
                for j in 0..code_count {
                    let (x, y) = (&rows[i * dimension..][..dimension], &codes[j * dimension..][..dimension]);
                    let distance = expected(Term::Square, x, y, None);
                    if distance < least {
                        (number, least) = (j as i32, distance);
                    }
                }
                ensure(numbers[4 * i..4 * i + 4] == number.to_le_bytes(), || {
                    format!("row {i} of {row_count} has another code than {number} of {code_count}")
                })?;
                let wanted = stored(&[least]);
                let wanted = match dtype {
                    DType::F32 => {
                        let square = f32::from_le_bytes(wanted[..4].try_into().unwrap_or_default());
                        square.sqrt().to_le_bytes().to_vec()
                    }
                    _ => least.sqrt().to_le_bytes().to_vec(),
                };
                ensure(out[dtype.size() * i..dtype.size() * (i + 1)] == wanted[..], || {
                    format!("row {i} of {row_count} is not {} from its code", least.sqrt())
                })?;
            }
        }
    }
    Ok(())
}
