//! Solving with explicit factors.

use cuproxide_hal::Result;
use cuproxide_hal::libraries::{LuParts, SparseFactor, SparseForm, SparseTriangle};
use faer::c64;

use crate::explicit::Number;
use crate::matrices::complex;

/// Factors with all elements as complex numbers; they are rare, so there is one type of them.
pub(crate) struct Substitution {
    lower: Triangle,
    upper: Triangle,
    rows: Vec<usize>,
    columns: Vec<usize>,
    complex: bool,
}

struct Triangle {
    offsets: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<c64>,
}

impl Triangle {
    fn new(triangle: SparseTriangle, are_pairs: bool) -> Triangle {
        let values = if are_pairs {
            complex(&triangle.values)
        } else {
            triangle.values.iter().map(|&value| c64::new(value, 0.0)).collect()
        };
        Triangle { offsets: triangle.offsets, rows: triangle.rows, values }
    }

    /// Solves with the triangle, column by column from the first or from the last one.
    fn solve(&self, forward: bool, x: &mut [c64]) {
        let count = x.len();
        for step in 0..count {
            let column = if forward { step } else { count - 1 - step };
            let range = self.offsets[column]..self.offsets[column + 1];
            let pivot = if forward { range.start } else { range.end - 1 };
            x[column] = x[column].over(self.values[pivot]);
            let value = x[column];
            for at in range.filter(|&at| at != pivot) {
                x[self.rows[at]] -= self.values[at] * value;
            }
        }
    }

    /// Solves with the transpose, or with its conjugate.
    fn solve_transposed(&self, forward: bool, conjugate: bool, x: &mut [c64]) {
        let count = x.len();
        let element = |at: usize| if conjugate { self.values[at].conj() } else { self.values[at] };
        for step in 0..count {
            let column = if forward { step } else { count - 1 - step };
            let range = self.offsets[column]..self.offsets[column + 1];
            let pivot = if forward { range.end - 1 } else { range.start };
            let mut total = x[column];
            for at in range.filter(|&at| at != pivot) {
                total -= element(at) * x[self.rows[at]];
            }
            x[column] = total.over(element(pivot));
        }
    }
}

impl Substitution {
    pub(crate) fn new(parts: LuParts, complex: bool) -> Substitution {
        Substitution {
            lower: Triangle::new(parts.lower, complex),
            upper: Triangle::new(parts.upper, complex),
            rows: parts.rows,
            columns: parts.columns,
            complex,
        }
    }

    fn solve_one(&self, form: SparseForm, right: &mut [c64]) {
        // Row i of the product of the factors is row `rows[i]` of the matrix, and columns likewise.
        let (from, to) =
            if form == SparseForm::Plain { (&self.rows, &self.columns) } else { (&self.columns, &self.rows) };
        let mut x: Vec<c64> = from.iter().map(|&at| right[at]).collect();
        if form == SparseForm::Plain {
            self.lower.solve(true, &mut x);
            self.upper.solve(false, &mut x);
        } else {
            let conjugate = form == SparseForm::Adjoint;
            self.upper.solve_transposed(true, conjugate, &mut x);
            self.lower.solve_transposed(false, conjugate, &mut x);
        }
        for (&at, value) in to.iter().zip(x) {
            right[at] = value;
        }
    }
}

impl SparseFactor for Substitution {
    fn solve(&self, form: SparseForm, right: &mut [f64]) -> Result<()> {
        let order = self.rows.len();
        if order == 0 {
            return Ok(());
        }
        let width = if self.complex { 2 } else { 1 };
        for column in right.chunks_exact_mut(order * width) {
            let mut x =
                if self.complex { complex(column) } else { column.iter().map(|&value| c64::new(value, 0.0)).collect() };
            self.solve_one(form, &mut x);
            for (place, value) in column.chunks_exact_mut(width).zip(x) {
                place[0] = value.re;
                if let Some(imaginary) = place.get_mut(1) {
                    *imaginary = value.im;
                }
            }
        }
        Ok(())
    }
}
