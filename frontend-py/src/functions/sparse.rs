//! Sparse factorisations, and what a vendor's library does: what the module `scipy.sparse` composes SciPy's functions of.

use cuproxide_core::ops::sparse_direct::{self, Direct};
use cuproxide_core::ops::sparse_factors::{self, Factors};
use cuproxide_core::ops::sparse_products::{self, Analysed};
use cuproxide_core::{Array, routes};
use cuproxide_hal::libraries::{ExplicitLu, SparseForm, SparseMethod, SparseOrdering, SparseWork, Triangle};
use parking_lot::Mutex;
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
        let (form, py, right) = (form_of(form)?, b.py(), arguments::array(b)?.clone());
        wrap(py, wait::long(py, || self.factors.solve(&right, form))?)
    }
}

fn form_of(name: &str) -> Result<SparseForm> {
    match name {
        "N" => Ok(SparseForm::Plain),
        "T" => Ok(SparseForm::Transposed),
        "H" => Ok(SparseForm::Adjoint),
        other => Err(value_error(format!("trans must be N, T or H, got {other}"))),
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

type Parts<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The three arrays of a matrix: data, indices, indptr.
fn parts(parts: &Parts<'_>) -> Result<[Array; 3]> {
    Ok([arguments::array(&parts.0)?.clone(), arguments::array(&parts.1)?.clone(), arguments::array(&parts.2)?.clone()])
}

fn wrapped<'py>(py: Python<'py>, arrays: [Array; 3]) -> Result<Parts<'py>> {
    let [values, indices, offsets] = arrays;
    Ok((wrap(py, values)?, wrap(py, indices)?, wrap(py, offsets)?))
}

/// Whether the library of the device does some work on a matrix in compressed rows, given by its elements and offsets.
#[pyfunction]
pub fn sparse_library(work: &str, values: &Bound<'_, PyAny>, offsets: &Bound<'_, PyAny>) -> Result<bool> {
    let Some((_, work)) = SparseWork::ALL.into_iter().find(|(name, _)| *name == work) else {
        return Err(value_error(format!("unknown work of sparse matrices: {work}")));
    };
    let (values, offsets) = (arguments::array(values)?, arguments::array(offsets)?);
    Ok(routes::sparse(values.context(), work, values.dtype(), offsets.dtype()))
}

/// The product with a vector or a dense matrix by the device's library.
#[pyfunction]
pub fn sparse_times<'py>(a: Parts<'py>, columns: usize, x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let ([values, indices, offsets], x) = (parts(&a)?, arguments::array(x)?.clone());
    let py = interpreter(&a);
    wrap(py, wait::long(py, || sparse_products::times(&offsets, &indices, &values, columns, &x))?)
}

fn interpreter<'py>(parts: &Parts<'py>) -> Python<'py> {
    parts.0.py()
}

/// The product of two matrices by the device's library: data, indices, indptr.
#[pyfunction]
pub fn sparse_multiply<'py>(a: Parts<'py>, b: Parts<'py>, columns: usize) -> Result<Parts<'py>> {
    let py = interpreter(&a);
    let ([av, ai, ap], [bv, bi, bp]) = (parts(&a)?, parts(&b)?);
    wrapped(py, wait::long(py, || sparse_products::multiply([&ap, &ai, &av], [&bp, &bi, &bv], columns))?)
}

/// The same elements compressed along the other axis by the device's library: data, indices, indptr.
#[pyfunction]
pub fn sparse_transposed<'py>(a: Parts<'py>, columns: usize) -> Result<Parts<'py>> {
    let py = interpreter(&a);
    let [values, indices, offsets] = parts(&a)?;
    wrapped(py, wait::long(py, || sparse_products::transposed(&offsets, &indices, &values, columns))?)
}

/// A triangle that the device's library has analysed.
#[pyclass(module = "cuproxide", frozen)]
pub struct SparseAnalysis {
    analysed: Analysed,
}

#[pymethods]
impl SparseAnalysis {
    /// The solution for a vector.
    fn solve<'py>(&self, b: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        let (py, right) = (b.py(), arguments::array(b)?.clone());
        wrap(py, wait::long(py, || self.analysed.solve(&right))?)
    }
}

/// Analyses a triangle of a square matrix in compressed rows by the device's library.
#[pyfunction]
pub fn sparse_analyse(a: Parts<'_>, lower: bool, unit: bool) -> Result<SparseAnalysis> {
    let py = interpreter(&a);
    let [values, indices, offsets] = parts(&a)?;
    let triangle = if lower { Triangle::Lower } else { Triangle::Upper };
    let analysed = wait::long(py, || sparse_products::analyse(&offsets, &indices, &values, triangle, unit))?;
    Ok(SparseAnalysis { analysed })
}

/// Factors of a sparse matrix by the device's library, in device memory.
#[pyclass(module = "cuproxide", frozen)]
pub struct SparseDirect {
    direct: Mutex<Direct>,
}

#[pymethods]
impl SparseDirect {
    /// Solutions for right-hand sides in rows, in the type of the matrix: for the matrix ("N"), its transpose ("T") or its
    /// conjugate transpose ("H").
    fn solve<'py>(&self, b: &Bound<'py, PyAny>, form: &str) -> Result<Bound<'py, PyAny>> {
        let (form, py, right) = (form_of(form)?, b.py(), arguments::array(b)?.clone());
        wrap(py, wait::long(py, || self.direct.lock().solve(&right, form))?)
    }

    /// Bytes of the factors.
    #[getter]
    fn bytes(&self, py: Python<'_>) -> Result<usize> {
        // A thread that solves holds the lock meanwhile.
        wait::long(py, || self.direct.lock().bytes())
    }

    /// Factors other elements in the same pattern; whether the pivots are to be trusted.
    fn refactor(&self, values: &Bound<'_, PyAny>) -> Result<bool> {
        let (py, values) = (values.py(), arguments::array(values)?.clone());
        wait::long(py, || self.direct.lock().refactor(&values))
    }
}

/// Whether the library of the device is to factor a square matrix in compressed rows or columns; `again`: its pattern will be reused.
#[pyfunction]
pub fn sparse_direct_takes(a: Parts<'_>, again: bool) -> Result<bool> {
    let [values, indices, offsets] = parts(&a)?;
    let order = offsets.size().saturating_sub(1);
    let (dtype, index_dtype) = (values.dtype(), indices.dtype());
    let fits = offsets.dtype() == index_dtype;
    Ok(fits && routes::sparse_factors(values.context(), order, values.size(), dtype, index_dtype, again))
}

/// Factors of a square matrix in compressed rows, with sorted columns and no duplicates, by the device's library; None if its
/// pivots are not to be trusted.
#[pyfunction]
pub fn sparse_direct_factor(a: Parts<'_>, cholesky: bool) -> Result<Option<SparseDirect>> {
    let py = interpreter(&a);
    let [values, indices, offsets] = parts(&a)?;
    let method = if cholesky { SparseMethod::Cholesky } else { SparseMethod::Lu };
    let direct = wait::long(py, || sparse_direct::factor(&offsets, &indices, &values, method))?;
    Ok(direct.map(|direct| SparseDirect { direct: Mutex::new(direct) }))
}
