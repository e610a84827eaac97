//! Arrays of structured dtypes are a class of the Python package over arrays of bytes; functions that make arrays give
//! way to it where a dtype is one that no array of numbers has.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::{Failure, Result};
use crate::ndarray::NdArray;
use crate::package;

/// What the function `name` of `cuproxide._records` makes, if the failed call was about structured data.
///
/// # Errors
/// The given one if it was not, or those of that function.
pub fn instead<'py, A>(
    py: Python<'py>,
    failure: Failure,
    clues: &[Option<&Bound<'py, PyAny>>],
    name: &str,
    arguments: A,
) -> Result<Bound<'py, PyAny>>
where
    A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
{
    let concerns = package::CONCERNS_RECORDS.get(py)?;
    for clue in clues.iter().flatten() {
        if concerns.call1((clue,))?.is_truthy()? {
            return Ok(py.import(package::RECORDS)?.getattr(name)?.call1(arguments.into_pyobject(py)?)?);
        }
    }
    Err(failure)
}

/// The bytes of an array of a structured dtype, as an array of uint8.
pub fn bytes<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, NdArray>> {
    object.getattr("_bytes").ok()?.cast_into().ok()
}
