//! Eigenvalues and vectors of Hermitian matrices by Jacobi's rotations (Golub and Van Loan, *Matrix Computations*, 8.5).
//!
//! They end for every matrix of finite numbers, also where the squares of some elements beside others are zero, for which
//! the iteration of `faer` does not converge; and small eigenvalues keep digits beside large ones.

use faer::MatMut;
use faer::traits::ComplexField;
use faer::traits::math_utils::{abs, conj, from_f64, from_real, mul_real, one, real, zero};
use rustfft::num_traits::Float;

use crate::matrices::elements;

/// Sweeps over all pairs until the matrix is given up. After half of them, what is small beside the whole is no reason.
const SWEEPS: usize = 600;
/// The part of the largest element that is rotated away in the same sweep. Smaller ones come later: a rotation of two
/// small rows would mix the large elements into both.
const PART: f64 = 0.0625;

/// Replaces the columns of `vectors` by eigenvectors of the Hermitian `a`, which is destroyed, by ascending `values`.
/// `None` if there are pairs left after the last sweep.
pub fn eigen<T: ComplexField<Real: Float> + Copy>(
    a: MatMut<'_, T>,
    vectors: MatMut<'_, T>,
    values: &mut [T::Real],
) -> Option<()> {
    let n = values.len();
    let mut a: Vec<&mut [T]> = a.col_iter_mut().map(elements).collect();
    let mut vectors: Vec<&mut [T]> = vectors.col_iter_mut().map(elements).collect();
    for (i, column) in vectors.iter_mut().enumerate() {
        column.fill(zero::<T>());
        column[i] = one::<T>();
    }
    let largest = a.iter().flat_map(|column| column.iter()).fold(zero::<T::Real>(), |most, x| most.max(abs(x)));
    let (mut is_left, part) = (n > 1, from_f64::<T::Real>(PART));
    for sweep in 0..SWEEPS {
        let size_of = |a: &[&mut [T]], p: usize, q: usize| {
            let beside =
                if sweep < SWEEPS / 2 { real(&a[p][p]).abs().sqrt() * real(&a[q][q]).abs().sqrt() } else { largest };
            Some(abs(&a[q][p])).filter(|&size| size > beside * T::Real::epsilon())
        };
        let pairs = || (1..n).flat_map(|q| (0..q).map(move |p| (p, q)));
        let most = pairs().filter_map(|(p, q)| size_of(&a, p, q)).fold(zero::<T::Real>(), T::Real::max);
        is_left = most > zero();
        if !is_left {
            break;
        }
        for (p, q) in pairs() {
            if let Some(size) = size_of(&a, p, q).filter(|&size| size >= most * part) {
                let ratio = (real(&a[q][q]) - real(&a[p][p])) / (size + size);
                rotate(&mut a, &mut vectors, [p, q], ratio, size);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    let found: Vec<T::Real> = (0..n).map(|i| real(&a[i][i])).collect();
    order.sort_by(|&i, &j| found[i].partial_cmp(&found[j]).expect("eigenvalues are numbers"));
    // The rotated matrix serves as memory for the vectors in order.
    for (place, &i) in order.iter().enumerate() {
        values[place] = found[i];
        a[place].copy_from_slice(vectors[i]);
    }
    vectors.iter_mut().zip(&a).for_each(|(target, column)| target.copy_from_slice(column));
    (!is_left).then_some(())
}

/// Makes the element of rows `p` and `q` zero: `ratio` is half the difference of the diagonal elements over its `size`.
fn rotate<T: ComplexField<Real: Float> + Copy>(
    a: &mut [&mut [T]],
    vectors: &mut [&mut [T]],
    [p, q]: [usize; 2],
    ratio: T::Real,
    size: T::Real,
) {
    let unit = one::<T::Real>();
    let tangent = (ratio.abs() + ratio.hypot(unit)).recip().copysign(ratio);
    let cosine = tangent.hypot(unit).recip();
    let sine = cosine * tangent;
    // Of two subnormal numbers the quotient may have another size than one.
    let phase = mul_real(&a[p][q], &size.recip());
    let phase = mul_real(&phase, &abs(&phase).recip());
    let (first, second) = (real(&a[p][p]) - tangent * size, real(&a[q][q]) + tangent * size);
    turn(a, [p, q], [cosine, sine], phase);
    turn(vectors, [p, q], [cosine, sine], phase);
    for i in [p, q] {
        (0..a.len()).for_each(|k| a[k][i] = conj(&a[i][k]));
    }
    (a[p][q], a[q][p]) = (zero::<T>(), zero::<T>());
    (a[p][p], a[q][q]) = (from_real(&first), from_real(&second));
}

/// Rotates two columns, the second one after it has been multiplied by a number of size 1.
fn turn<T: ComplexField + Copy>(columns: &mut [&mut [T]], [p, q]: [usize; 2], [cosine, sine]: [T::Real; 2], phase: T) {
    let (low, high) = columns.split_at_mut(q);
    for (x, y) in low[p].iter_mut().zip(high[0].iter_mut()) {
        let turned = *y * phase;
        (*x, *y) = (mul_real(x, &cosine) - mul_real(&turned, &sine), mul_real(x, &sine) + mul_real(&turned, &cosine));
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;
    use num_complex::Complex;

    use super::eigen;

    /// The values, and the largest element of `a v - v values`.
    fn found(a: &Mat<f64>) -> (Vec<f64>, f64) {
        let n = a.nrows();
        let (mut vectors, mut values) = (Mat::zeros(n, n), vec![0.0; n]);
        eigen(a.clone().as_mut(), vectors.as_mut(), &mut values).expect("the rotations end");
        let scaled = Mat::from_fn(n, n, |i, j| vectors[(i, j)] * values[j]);
        let left = a * &vectors - scaled;
        (values, left.norm_max())
    }

    #[test]
    fn blocks_of_other_sizes_keep_their_values() {
        let mut a = Mat::<f64>::zeros(4, 4);
        (a[(0, 0)], a[(1, 1)], a[(2, 2)], a[(3, 3)]) = (2e-200, -1e-200, 1e-200, 0.0);
        for (i, j, x) in [(0, 1, 2e-200), (1, 2, 1e-200), (2, 3, 1.0)] {
            (a[(i, j)], a[(j, i)]) = (x, x);
        }
        let (values, left) = found(&a);
        let (middle, half) = (0.5e-200, (1.5f64.powi(2) + 4.0).sqrt() * 1e-200);
        for (value, expected) in values.iter().zip([-1.0, middle - half, middle + half, 1.0]) {
            assert!((value - expected).abs() <= 1e-15 * expected.abs(), "{value:e} for {expected:e}");
        }
        assert!(left < 1e-15);
    }

    #[test]
    fn singular_and_zero_matrices() {
        let (values, left) = found(&Mat::from_fn(20, 20, |_, _| 1.0));
        assert!(left < 1e-14 && (values[19] - 20.0).abs() < 1e-13 && values[18].abs() < 1e-14);
        assert_eq!(found(&Mat::zeros(3, 3)), (vec![0.0; 3], 0.0));
        let (values, left) = found(&Mat::from_fn(30, 30, |i, j| ((i * j) as f64).sin()));
        assert!(left < 1e-14 && values.windows(2).all(|pair| pair[0] <= pair[1]));
    }

    #[test]
    fn complex_numbers() {
        let (one, i) = (Complex::new(1.0, 0.0), Complex::new(0.0, 1.0));
        let mut a = Mat::from_fn(2, 2, |row, column| if row == column { one } else { i });
        a[(1, 0)] = -i;
        let (mut vectors, mut values) = (Mat::zeros(2, 2), vec![0.0_f64; 2]);
        eigen(a.clone().as_mut(), vectors.as_mut(), &mut values).expect("the rotations end");
        assert!(values[0].abs() < 1e-15 && (values[1] - 2.0).abs() < 1e-15);
        assert!((&a * &vectors - Mat::from_fn(2, 2, |i, j| vectors[(i, j)] * values[j])).norm_max() < 1e-15);
    }
}
