//! Sparse factorisations: what the module `scipy.sparse.linalg` composes SciPy's functions of.

use cuproxide_core::ops::sparse_factors::{self, Factors};
use cuproxide_hal::libraries::{ExplicitLu, SparseForm, SparseOrdering};
use pyo3::prelude::*;

use crate::arguments;
use crate::errors::{Result, value_error};
use crate::ndarray::wrap;
use crate::wait;

/// Factors of a sparse matrix, on the host.
#[pyclass(module = "cuproxide", frozen)]
pub struct SparseFactors {
    factors: Factors,
}

#[pymethods]
impl SparseFactors {
    /// Solutions in float64 or complex128, on the device of the right-hand sides: for the matrix ("N"), its transpose ("T") or
    /// its conjugate transpose ("H").
    fn solve<'py>(&self, b: &Bound<'py, PyAny>, form: &str) -> Result<Bound<'py, PyAny>> {
        let form = match form {
            "N" => SparseForm::Plain,
            "T" => SparseForm::Transposed,
            "H" => SparseForm::Adjoint,
            other => return Err(value_error(format!("trans must be N, T or H, got {other}"))),
        };
        let (py, right) = (b.py(), arguments::array(b)?.clone());
        wrap(py, wait::long(py, || self.factors.solve(&right, form))?)
    }
}

/// Factors of a square matrix in compressed sparse column form, with sorted rows and no duplicates; None if it is singular or,
/// for Cholesky, not positive definite.
#[pyfunction]
pub fn sparse_factor(
    offsets: &Bound<'_, PyAny>,
    rows: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
    cholesky: bool,
) -> Result<Option<SparseFactors>> {
    let py = values.py();
    let [offsets, rows, values] =
        [arguments::array(offsets)?.clone(), arguments::array(rows)?.clone(), arguments::array(values)?.clone()];
    let factors = wait::long(py, || sparse_factors::factor(&offsets, &rows, &values, cholesky))?;
    Ok(factors.map(|factors| SparseFactors { factors }))
}

/// Explicit LU factors: offsets, rows and values of the columns of L, those of U, and the rows and columns of the matrix in
/// their order; None if the matrix is singular. `ordering` is "natural", "symmetric" or "columns".
#[pyfunction]
pub fn sparse_explicit_lu<'py>(
    offsets: &Bound<'py, PyAny>,
    rows: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    ordering: &str,
    threshold: f64,
    drop: f64,
    fill: f64,
) -> Result<Option<Vec<Bound<'py, PyAny>>>> {
    let py = values.py();
    let ordering = match ordering {
        "natural" => SparseOrdering::Natural,
        "symmetric" => SparseOrdering::Symmetric,
        "columns" => SparseOrdering::Columns,
        other => return Err(value_error(format!("ordering must be natural, symmetric or columns, got {other}"))),
    };
    let [offsets, rows, values] =
        [arguments::array(offsets)?.clone(), arguments::array(rows)?.clone(), arguments::array(values)?.clone()];
    let options = ExplicitLu { ordering, threshold, drop, fill };
    let parts = wait::long(py, || sparse_factors::explicit(&offsets, &rows, &values, &options))?;
    parts.map(|parts| parts.into_iter().map(|part| wrap(py, part)).collect()).transpose()
}
