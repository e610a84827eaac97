//! Sparse factorisations: factors times solutions are right-hand sides.

use cuproxide_hal::libraries::{
    ExplicitLu, SparseForm, SparseMethod, SparseOrdering, SparsePattern, SparseTriangle, SparseValues,
};
use num_complex::Complex64;

use super::Test;
use crate::rig::{Check, Rig, ensure};
use crate::samples::Random;

pub const TESTS: &[Test] = &[
    ("lu", |rig| systems(rig, SparseMethod::Lu)),
    ("cholesky", |rig| systems(rig, SparseMethod::Cholesky)),
    ("singular", singular),
    ("explicit", explicit),
];

/// A matrix with numbers that are pairs, the imaginary parts zero where it is real.
pub struct Matrix {
    pub order: usize,
    pub offsets: Vec<usize>,
    pub rows: Vec<usize>,
    pub values: Vec<Complex64>,
}

impl Matrix {
    /// Few elements, and a diagonal that makes it regular; Hermitian and positive definite if asked for.
    pub fn random(order: usize, complex: bool, definite: bool) -> Matrix {
        let mut random = Random::new(order as u64 + 7);
        let mut dense = vec![Complex64::new(0.0, 0.0); order * order];
        for row in 0..order {
            for column in 0..order {
                if random.below(100) < 8 {
                    let part = |random: &mut Random| random.below(21) as f64 / 10.0 - 1.0;
                    let value = Complex64::new(part(&mut random), if complex { part(&mut random) } else { 0.0 });
                    dense[column * order + row] += value;
                    if definite {
                        dense[row * order + column] += value.conj();
                    }
                }
            }
        }
        for at in 0..order {
            let sum: f64 = (0..order).map(|row| dense[at * order + row].norm()).sum();
            dense[at * order + at] = Complex64::new(sum + 1.0, 0.0);
        }
        let (mut offsets, mut rows, mut values) = (vec![0], vec![], vec![]);
        for column in 0..order {
            for row in 0..order {
                if dense[column * order + row].norm() > 0.0 {
                    rows.push(row);
                    values.push(dense[column * order + row]);
                }
            }
            offsets.push(rows.len());
        }
        Matrix { order, offsets, rows, values }
    }

    fn pattern(&self) -> SparsePattern<'_> {
        SparsePattern { order: self.order, offsets: &self.offsets, rows: &self.rows }
    }

    pub fn times(&self, form: SparseForm, x: &[Complex64]) -> Vec<Complex64> {
        let mut y = vec![Complex64::new(0.0, 0.0); self.order];
        for column in 0..self.order {
            for at in self.offsets[column]..self.offsets[column + 1] {
                let (row, value) = (self.rows[at], self.values[at]);
                match form {
                    SparseForm::Plain => y[row] += value * x[column],
                    SparseForm::Transposed => y[column] += value * x[row],
                    SparseForm::Adjoint => y[column] += value.conj() * x[row],
                }
            }
        }
        y
    }
}

fn parts(values: &[Complex64], complex: bool) -> Vec<f64> {
    values.iter().flat_map(|z| if complex { vec![z.re, z.im] } else { vec![z.re] }).collect()
}

fn pairs(parts: &[f64], complex: bool) -> Vec<Complex64> {
    let width = if complex { 2 } else { 1 };
    parts.chunks_exact(width).map(|z| Complex64::new(z[0], if complex { z[1] } else { 0.0 })).collect()
}

fn values(parts: &[f64], complex: bool) -> SparseValues<'_> {
    if complex { SparseValues::Complex(parts) } else { SparseValues::Real(parts) }
}

fn systems(rig: &Rig, method: SparseMethod) -> Check {
    let solver = rig.device.libraries().sparse_solver()?;
    for order in [1, 2, 17, 120] {
        for complex in [false, true] {
            let matrix = Matrix::random(order, complex, method == SparseMethod::Cholesky);
            let elements = parts(&matrix.values, complex);
            let symbolic = solver.analyse(&matrix.pattern(), method)?;
            let factor = symbolic.factor(&matrix.pattern(), values(&elements, complex))?;
            let Some(factor) = factor else {
                return Err(format!("{method:?} of order {order} is not singular").into());
            };
            for form in [SparseForm::Plain, SparseForm::Transposed, SparseForm::Adjoint] {
                let wanted: Vec<Complex64> =
                    (0..2 * order).map(|at| Complex64::new(1.0 + (at % 5) as f64, 0.0)).collect();
                let mut right = parts(&wanted, complex);
                factor.solve(form, &mut right)?;
                for (b, x) in wanted.chunks(order).zip(pairs(&right, complex).chunks(order)) {
                    let found = matrix.times(form, x);
                    let far = found.iter().zip(b).map(|(f, b)| (f - b).norm()).fold(0.0, f64::max);
                    ensure(far < 1e-10, || format!("{method:?} {form:?} of order {order}: a residual of {far}"))?;
                }
            }
        }
    }
    Ok(())
}

/// A row without elements, and a matrix that is not definite.
fn singular(rig: &Rig) -> Check {
    let solver = rig.device.libraries().sparse_solver()?;
    for (offsets, rows, elements, method) in [
        (vec![0, 1, 2], vec![0, 0], vec![1.0, 2.0], SparseMethod::Lu),
        (vec![0, 2, 4], vec![0, 1, 0, 1], vec![1.0, 2.0, 2.0, 4.0], SparseMethod::Lu),
        (vec![0, 0, 1], vec![1], vec![1.0], SparseMethod::Lu),
        (vec![0, 1, 2], vec![0, 1], vec![1.0, -1.0], SparseMethod::Cholesky),
    ] {
        let pattern = SparsePattern { order: 2, offsets: &offsets, rows: &rows };
        let factor = solver.analyse(&pattern, method)?.factor(&pattern, SparseValues::Real(&elements))?;
        ensure(factor.is_none(), || format!("{method:?} of {elements:?} in the rows {rows:?} has factors"))?;
    }
    Ok(())
}

fn explicit(rig: &Rig) -> Check {
    let solver = rig.device.libraries().sparse_solver()?;
    for ordering in [SparseOrdering::Natural, SparseOrdering::Symmetric, SparseOrdering::Columns] {
        for complex in [false, true] {
            let matrix = Matrix::random(40, complex, false);
            let elements = parts(&matrix.values, complex);
            let options = ExplicitLu { ordering, threshold: 1.0, drop: 0.0, fill: f64::INFINITY };
            let parts = solver.explicit(&matrix.pattern(), values(&elements, complex), &options)?;
            let Some(parts) = parts else { return Err("a regular matrix has factors".to_owned().into()) };
            let dense = |triangle: &SparseTriangle| {
                let mut dense = vec![Complex64::new(0.0, 0.0); 40 * 40];
                let numbers = pairs(&triangle.values, complex);
                for column in 0..40 {
                    for at in triangle.offsets[column]..triangle.offsets[column + 1] {
                        dense[triangle.rows[at] * 40 + column] = numbers[at];
                    }
                }
                dense
            };
            let (lower, upper) = (dense(&parts.lower), dense(&parts.upper));
            for row in 0..40 {
                for column in 0..40 {
                    let found: Complex64 = (0..40).map(|k| lower[row * 40 + k] * upper[k * 40 + column]).sum();
                    let (from, at) = (parts.rows[row], parts.columns[column]);
                    let range = matrix.offsets[at]..matrix.offsets[at + 1];
                    let wanted = range.into_iter().find(|&place| matrix.rows[place] == from);
                    let wanted = wanted.map_or(Complex64::new(0.0, 0.0), |place| matrix.values[place]);
                    let far = (found - wanted).norm();
                    ensure(far < 1e-12, || format!("{ordering:?}: element {row}, {column} is {far} off"))?;
                }
            }
        }
    }
    Ok(())
}
