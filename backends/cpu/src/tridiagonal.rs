//! Eigenvalues of symmetric tridiagonal matrices without vectors, by the QL iteration of Pal, Walker and Kahan, which takes
//! no square roots (Parlett, *The Symmetric Eigenvalue Problem*, 8-15; LAPACK's `sterf`).

use rustfft::num_traits::Float;

use crate::matrices::unit_of;

/// Iterations for each eigenvalue until the matrix is given up.
const ITERATIONS: usize = 30;

/// Replaces the diagonal by the eigenvalues, ascending; `below` has one element less and is destroyed. `None` if the
/// iteration does not converge.
pub fn eigenvalues<F: Float>(diagonal: &mut [F], below: &mut [F]) -> Option<()> {
    let n = diagonal.len();
    let mut left = ITERATIONS * n;
    let mut start = 0;
    while start < n {
        let parted =
            |i: &usize| below[*i].abs() <= diagonal[*i].abs().sqrt() * diagonal[*i + 1].abs().sqrt() * F::epsilon();
        let end = (start..n - 1).find(parted).map_or(n, |i| i + 1);
        block(&mut diagonal[start..end], &mut below[start..end - 1], &mut left)?;
        start = end;
    }
    diagonal.sort_unstable_by(|a, b| a.partial_cmp(b).expect("eigenvalues are numbers"));
    Some(())
}

/// The same for a matrix that does not fall apart, unsorted.
fn block<F: Float>(d: &mut [F], e: &mut [F], left: &mut usize) -> Option<()> {
    let largest = d.iter().chain(&*e).fold(F::zero(), |most, x| most.max(x.abs()));
    let unit = unit_of(largest);
    d.iter_mut().for_each(|x| *x = *x / unit);
    e.iter_mut().for_each(|x| *x = (*x / unit).powi(2));
    // The iteration finds the values at the start first and is more exact if these are the smaller ones.
    if d[d.len() - 1].abs() < d[0].abs() {
        d.reverse();
        e.reverse();
    }
    let mut first = 0;
    while first < d.len() {
        let negligible = |i: &usize| e[*i] <= F::epsilon().powi(2) * (d[*i] * d[*i + 1]).abs();
        let last = (first..e.len()).find(negligible).unwrap_or(e.len());
        match last - first {
            0 => first += 1,
            1 => {
                [d[first], d[last]] = pair(d[first], d[last], e[first]);
                first += 2;
            }
            _ => {
                *left = left.checked_sub(1)?;
                step(&mut d[first..=last], &mut e[first..last]);
            }
        }
    }
    d.iter_mut().for_each(|x| *x = *x * unit);
    Some(())
}

/// The eigenvalues of two rows with the square of what lies beside the diagonal, the one of larger magnitude first.
fn pair<F: Float>(a: F, b: F, square: F) -> [F; 2] {
    let half = F::from(0.5).expect("a small number");
    let (sum, distance) = (a + b, (a - b).hypot(square.sqrt() / half));
    if sum == F::zero() {
        return [half * distance, -half * distance];
    }
    let larger = half * (sum + distance.copysign(sum));
    let [high, low] = if a.abs() > b.abs() { [a, b] } else { [b, a] };
    [larger, (high / larger) * low - square / larger]
}

/// One iteration, with Wilkinson's shift. `e` holds squares.
fn step<F: Float>(d: &mut [F], e: &mut [F]) {
    let root = e[0].sqrt();
    let ratio = (d[1] - d[0]) / (root + root);
    let shift = d[0] - root / (ratio + ratio.hypot(F::one()).copysign(ratio));
    let (mut cosine, mut sine) = (F::one(), F::zero());
    let mut gamma = d[e.len()] - shift;
    let mut p = gamma * gamma;
    for i in (0..e.len()).rev() {
        let square = e[i];
        let r = p + square;
        if i + 1 < e.len() {
            e[i + 1] = sine * r;
        }
        let (cosine_before, gamma_before) = (cosine, gamma);
        cosine = p / r;
        sine = square / r;
        gamma = cosine * (d[i] - shift) - sine * gamma_before;
        d[i + 1] = gamma_before + (d[i] - gamma);
        p = if cosine == F::zero() { cosine_before * square } else { gamma * gamma / cosine };
    }
    e[0] = sine * p;
    d[0] = shift + gamma;
}

#[cfg(test)]
mod tests {
    use super::eigenvalues;

    fn found(diagonal: &[f64], below: &[f64]) -> Vec<f64> {
        let (mut diagonal, mut below) = (diagonal.to_vec(), below.to_vec());
        eigenvalues(&mut diagonal, &mut below).expect("the iteration converges");
        diagonal
    }

    #[test]
    fn second_differences() {
        for n in [1, 2, 3, 10, 257] {
            let values = found(&vec![2.0; n], &vec![-1.0; n - 1]);
            for (i, value) in values.iter().enumerate() {
                let angle = std::f64::consts::PI * (i + 1) as f64 / (n + 1) as f64;
                assert!((value - (2.0 - 2.0 * angle.cos())).abs() < 1e-14, "{n}: {value}");
            }
        }
    }

    #[test]
    fn blocks_of_any_size() {
        let values = found(&[0.0, 0.0, 1e200, 1e200, 0.0, 0.0], &[1e-200, 0.0, 1e200, 0.0, 3.0]);
        for (value, expected) in values.iter().zip([-3.0, -1e-200, 0.0, 1e-200, 3.0, 2e200]) {
            assert!((value - expected).abs() <= 1e-15 * expected.abs(), "{value:e} for {expected:e}");
        }
    }

    #[test]
    fn graded() {
        let diagonal: Vec<f64> = (0..12).map(|i| 10f64.powi(-2 * i)).collect();
        let below: Vec<f64> = (0..11).map(|i| 1e-3 * 10f64.powi(-2 * i - 1)).collect();
        let values = found(&diagonal, &below);
        let trace: f64 = values.iter().sum();
        assert!((trace - diagonal.iter().sum::<f64>()).abs() < 1e-15);
        assert!(values.windows(2).all(|pair| 0.0 < pair[0] && 50.0 * pair[0] < pair[1]), "{values:?}");
    }
}
