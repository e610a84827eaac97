//! Triangular systems, one row after another. The package's kernels share rows that do not wait for each other.

use cuproxide_hal::libraries::{SparseMatrix, SparseSubstitution, Triangle};
use cuproxide_hal::{DType, Error, Result, Stream};
use num_complex::Complex;

use super::matrix::{Index, Number, Rows, Target, elements};
use crate::graph;

/// A triangle of a matrix.
pub struct Substitution {
    pub a: SparseMatrix,
    pub triangle: Triangle,
    pub unit: bool,
}

/// That there is a function for these types.
pub fn check<I: Index, T: Number>() -> Result<()> {
    Ok(())
}

impl SparseSubstitution for Substitution {
    unsafe fn solve(&self, stream: &dyn Stream, b: u64, x: u64) -> Result<()> {
        let Substitution { a, triangle, unit } = *self;
        graph::run_or_record(stream, "sparse triangular system", move || {
            // SAFETY: the caller's promise.
            unsafe { typed!(a, substitute(&a, triangle == Triangle::Lower, unit, b, x)) }
        })
    }
}

/// # Safety
/// As for `SparseSubstitution::solve`.
unsafe fn substitute<I: Index, T: Number>(a: &SparseMatrix, lower: bool, unit: bool, b: u64, x: u64) -> Result<()> {
    // SAFETY: the caller's promise; the vectors do not overlap.
    let (rows, right, x) =
        unsafe { (Rows::<I, T>::new(a), elements::<T>(b, a.rows), Target::<T>::new(x).part(0..a.rows)) };
    for turn in 0..a.rows {
        let row = if lower { turn } else { a.rows - 1 - turn };
        let (mut rest, mut diagonal) = (right[row], T::default());
        for place in rows.row(row) {
            let (column, value) = (rows.column(&rows.indices[place]), rows.values[place]);
            if column == row {
                diagonal = diagonal + value;
            } else if (column < row) == lower {
                rest = rest - value * x[column];
            }
        }
        x[row] = if unit { rest } else { rest / diagonal };
    }
    Ok(())
}
