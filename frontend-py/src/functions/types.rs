//! Functions over element types: promotion and casting.

use cuproxide_core::promotion::{self, Casting, Operand};
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyTuple};

use crate::arguments;
use crate::dtypes;
use crate::errors::{Result, type_error, value_error};
use crate::ndarray::NdArray;
use crate::scalars::Number;

/// The NumPy dtype, if there are arrays of it here.
#[pyfunction]
pub fn dtype<'py>(obj: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    dtypes::to_numpy(obj.py(), dtypes::parse(obj)?)
}

/// The smallest type that both cast to safely.
///
/// >>> cp.promote_types("i4", "f4")
/// dtype('float64')
#[pyfunction]
pub fn promote_types<'py>(type1: &Bound<'py, PyAny>, type2: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    dtypes::to_numpy(type1.py(), promotion::promote(dtypes::parse(type1)?, dtypes::parse(type2)?))
}

/// The type of a result of arrays, numbers and types; Python numbers only lend their kind.
///
/// >>> cp.result_type(cp.ones(2, dtype=cp.float32), 2.5)
/// dtype('float32')
#[pyfunction]
#[pyo3(signature = (*arrays_and_dtypes))]
pub fn result_type<'py>(py: Python<'py>, arrays_and_dtypes: &Bound<'py, PyTuple>) -> Result<Bound<'py, PyAny>> {
    if arrays_and_dtypes.is_empty() {
        return Err(value_error("at least one array or dtype is required"));
    }
    let operand = |object: Bound<'py, PyAny>| -> Result<Operand> {
        if let Ok(array) = object.cast::<NdArray>() {
            return Ok(Operand::Strong(array.get().read().dtype()));
        }
        if let Some(number) = Number::parse(&object)? {
            return Ok(number.operand());
        }
        if dtypes::Numpy::get(py)?.is_array(&object)? {
            return Ok(Operand::Strong(dtypes::parse(&object.getattr("dtype")?)?));
        }
        Ok(Operand::Strong(dtypes::parse(&object)?))
    };
    let operands = arrays_and_dtypes.iter().map(operand).collect::<Result<Vec<_>>>()?;
    dtypes::to_numpy(py, promotion::result_type(&operands))
}

/// Whether a casting rule allows a conversion.
///
/// >>> cp.can_cast("f8", "f4")
/// False
#[pyfunction]
#[pyo3(signature = (from_, to, casting=None))]
pub fn can_cast(from_: &Bound<'_, PyAny>, to: &Bound<'_, PyAny>, casting: Option<&str>) -> Result<bool> {
    let py = from_.py();
    let casting = arguments::casting(casting, Casting::Safe)?;
    let is_python = [py.get_type::<PyInt>(), py.get_type::<PyFloat>(), py.get_type::<PyComplex>()]
        .iter()
        .any(|class| from_.is_instance(class).unwrap_or(false));
    if is_python && from_.get_type().getattr_opt("dtype")?.is_none() {
        return Err(type_error(
            "can_cast() does not support Python ints, floats, and complex because the result used to depend on the \
             value.\nThis change was part of adopting NEP 50, we may explicitly allow them again in the future.",
        ));
    }
    let from = match from_.cast::<NdArray>() {
        Ok(array) => array.get().read().dtype(),
        Err(_) => match Number::parse(from_)? {
            Some(number) => number.dtype(),
            None => dtypes::parse(from_)?,
        },
    };
    Ok(promotion::can_cast(from, dtypes::parse(to)?, casting))
}
