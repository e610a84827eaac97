//! Decompositions: what the module `linalg` composes NumPy's functions of. Each function also returns info values.

use cuproxide_core::ops::{products, sliding, solver};
use cuproxide_core::{Array, routes};
use cuproxide_hal::libraries::SingularVectors;
use pyo3::prelude::*;

use crate::errors::{Result, value_error};
use crate::ndarray::wrap;
use crate::{arguments, dtypes, wait};

type Object<'py> = Bound<'py, PyAny>;
type Pair<'py> = (Object<'py>, Object<'py>);
type Triple<'py> = (Object<'py>, Object<'py>, Object<'py>);

fn wrap_optional<'py>(py: Python<'py>, array: Option<Array>) -> Result<Bound<'py, PyAny>> {
    array.map_or_else(|| Ok(py.None().into_bound(py)), |array| wrap(py, array))
}

/// Products of each row of `a` with the row of `v` at every shift; see the core's `sliding_products`.
#[pyfunction]
pub fn sliding_products<'py>(
    a: &Bound<'py, PyAny>,
    v: &Bound<'py, PyAny>,
    before: usize,
    after: usize,
) -> Result<Bound<'py, PyAny>> {
    let (py, a, v) = (a.py(), arguments::array(a)?.clone(), arguments::array(v)?.clone());
    wrap(py, wait::long(py, || sliding::sliding_products(&a, &v, before, after))?)
}

/// The Cholesky factor of a triangle, with anything in the other, and info.
#[pyfunction]
pub fn cholesky<'py>(a: &Bound<'py, PyAny>, upper: bool) -> Result<Pair<'py>> {
    let (py, a) = (a.py(), arguments::array(a)?.clone());
    let (factor, info) = wait::long(py, || solver::cholesky(&a, upper))?;
    Ok((wrap(py, factor)?, wrap(py, info)?))
}

/// LU factors in one matrix, pivots counted from 1, and info.
#[pyfunction]
pub fn lu_factor<'py>(a: &Bound<'py, PyAny>) -> Result<Triple<'py>> {
    let (py, a) = (a.py(), arguments::array(a)?.clone());
    let (factors, pivots, info) = wait::long(py, || solver::lu(&a))?;
    Ok((wrap(py, factors)?, wrap(py, pivots)?, wrap(py, info)?))
}

/// Solutions from LU factors, of stacks with the same shape.
#[pyfunction]
pub fn lu_solve<'py>(
    factors: &Bound<'py, PyAny>,
    pivots: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>> {
    let py = b.py();
    let (factors, pivots) = (arguments::array(factors)?.clone(), arguments::array(pivots)?.clone());
    let right = arguments::array(b)?.clone();
    wrap(py, wait::long(py, || solver::lu_solve(&factors, &pivots, &right))?)
}

/// Solutions of linear systems, of stacks with the same shape, and info.
#[pyfunction]
pub fn solve<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> Result<Pair<'py>> {
    let py = a.py();
    let (a, b) = (arguments::array(a)?.clone(), arguments::array(b)?.clone());
    let (solution, info) = wait::long(py, || solver::solve(&a, &b))?;
    Ok((wrap(py, solution)?, wrap(py, info)?))
}

/// Inverses of square matrices, and info.
#[pyfunction]
pub fn inverse<'py>(a: &Bound<'py, PyAny>) -> Result<Pair<'py>> {
    let (py, a) = (a.py(), arguments::array(a)?.clone());
    let (inverse, info) = wait::long(py, || solver::inverse(&a))?;
    Ok((wrap(py, inverse)?, wrap(py, info)?))
}

/// Householder reflections with R, and their factors.
#[pyfunction]
pub fn qr_factor<'py>(a: &Bound<'py, PyAny>) -> Result<Pair<'py>> {
    let (py, a) = (a.py(), arguments::array(a)?.clone());
    let (reflections, tau) = wait::long(py, || solver::qr(&a))?;
    Ok((wrap(py, reflections)?, wrap(py, tau)?))
}

/// The first columns of the unitary factor of a QR decomposition.
#[pyfunction]
pub fn qr_vectors<'py>(
    reflections: &Bound<'py, PyAny>,
    tau: &Bound<'py, PyAny>,
    count: usize,
) -> Result<Bound<'py, PyAny>> {
    let py = tau.py();
    let (reflections, tau) = (arguments::array(reflections)?.clone(), arguments::array(tau)?.clone());
    wrap(py, wait::long(py, || solver::qr_vectors(&reflections, &tau, count))?)
}

/// Left vectors, singular values, adjoint right vectors and info. `vectors` is "none", "thin" or "full".
#[pyfunction]
pub fn svd<'py>(a: &Bound<'py, PyAny>, vectors: &str) -> Result<(Object<'py>, Object<'py>, Object<'py>, Object<'py>)> {
    let (py, a) = (a.py(), arguments::array(a)?.clone());
    let wanted = match vectors {
        "none" => SingularVectors::None,
        "thin" => SingularVectors::Thin,
        "full" => SingularVectors::Full,
        other => return Err(value_error(format!("'{other}' names no kind of singular vectors"))),
    };
    let made = wait::long(py, || solver::svd(&a, wanted))?;
    let (left, right) = made.vectors.unzip();
    Ok((wrap_optional(py, left)?, wrap(py, made.values)?, wrap_optional(py, right)?, wrap(py, made.info)?))
}

/// Side of matrices from which on the array's device is better at products than at [`svd`]; None if never.
#[pyfunction]
pub fn polar_from(a: &Bound<'_, PyAny>) -> Result<Option<usize>> {
    Ok(routes::polar_from(arguments::array(a)?.context())?)
}

/// Rows from which on the array's device factorises matrices of single precision in double; None if never.
#[pyfunction]
pub fn double_from(a: &Bound<'_, PyAny>) -> Result<Option<usize>> {
    Ok(routes::double_from(arguments::array(a)?.context())?)
}

/// How many times as fast the array's device is with a whole matrix as one thread of a kernel is with a band.
#[pyfunction]
pub fn dense_advantage(a: &Bound<'_, PyAny>) -> Result<usize> {
    Ok(routes::dense_advantage(arguments::array(a)?.context())?)
}

/// Eigenvalues of real symmetric tridiagonal matrices and info, or None where the device has no such operation.
#[pyfunction]
pub fn eigen_tridiagonal<'py>(
    diagonal: &Bound<'py, PyAny>,
    beside: &Bound<'py, PyAny>,
) -> Result<Option<(Object<'py>, Object<'py>)>> {
    let py = diagonal.py();
    let (diagonal, beside) = (arguments::array(diagonal)?.clone(), arguments::array(beside)?.clone());
    let Some((values, info)) = wait::long(py, || solver::eigen_tridiagonal(&diagonal, &beside))? else {
        return Ok(None);
    };
    Ok(Some((wrap(py, values)?, wrap(py, info)?)))
}

/// Eigenvalues of Hermitian matrices, vectors or None, and info.
#[pyfunction]
pub fn eigen_hermitian<'py>(a: &Bound<'py, PyAny>, vectors: bool, upper: bool) -> Result<Triple<'py>> {
    let (py, a) = (a.py(), arguments::array(a)?.clone());
    let (values, vectors, info) = wait::long(py, || solver::eigen_hermitian(&a, vectors, upper))?;
    Ok((wrap(py, values)?, wrap_optional(py, vectors)?, wrap(py, info)?))
}

/// Eigenvalues of general matrices, vectors (packed for real matrices) or None, and info.
#[pyfunction]
pub fn eigen<'py>(a: &Bound<'py, PyAny>, vectors: bool) -> Result<Triple<'py>> {
    let (py, a) = (a.py(), arguments::array(a)?.clone());
    let (values, vectors, info) = wait::long(py, || solver::eigen(&a, vectors))?;
    Ok((wrap(py, values)?, wrap_optional(py, vectors)?, wrap(py, info)?))
}

/// Solutions of systems with a triangle, of stacks with the same shape.
#[pyfunction]
pub fn solve_triangular<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    upper: bool,
    unit: bool,
) -> Result<Bound<'py, PyAny>> {
    let py = a.py();
    let (a, b) = (arguments::array(a)?.clone(), arguments::array(b)?.clone());
    wrap(py, wait::long(py, || solver::solve_triangular(&a, &b, upper, unit))?)
}

/// The Hessenberg or Schur form, the unitary matrix that leads there, and info.
#[pyfunction]
pub fn unitary_form<'py>(a: &Bound<'py, PyAny>, schur: bool) -> Result<Triple<'py>> {
    let (py, a) = (a.py(), arguments::array(a)?.clone());
    let (form, basis, info) = wait::long(py, || solver::unitary_form(&a, schur))?;
    Ok((wrap(py, form)?, wrap(py, basis)?, wrap(py, info)?))
}

/// Chooses the arithmetic of products of a dtype: "default", "tf32" (float32, complex64) or "half" (float16).
#[pyfunction]
pub fn set_compute_type(dtype: &Bound<'_, PyAny>, compute: &str) -> Result<()> {
    Ok(products::set_compute_type(dtypes::parse(dtype)?, compute)?)
}

/// The arithmetic of products of a dtype.
#[pyfunction]
pub fn compute_type(dtype: &Bound<'_, PyAny>) -> Result<&'static str> {
    Ok(products::compute_type_name(dtypes::parse(dtype)?))
}
