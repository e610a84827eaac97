//! NumPy's ufuncs called on arrays of this library.

use cuproxide_core::ufunc::{self as table, Home};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::PyUfunc;
use crate::dtypes;
use crate::errors::Result;
use crate::ndarray::NdArray;

/// `ndarray.__array_ufunc__`: NumPy's ufunc applied to operands of which one is an array of this library.
pub fn dispatch<'py>(
    py: Python<'py>,
    numpy_ufunc: &Bound<'py, PyAny>,
    method: &str,
    operands: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> Result<Bound<'py, PyAny>> {
    let name: String = numpy_ufunc.getattr(intern!(py, "__name__"))?.extract()?;
    for operand in operands.iter_borrowed() {
        if is_foreign(&operand)? {
            return Ok(py.NotImplemented().into_bound(py));
        }
    }
    // NumPy always passes `out` as a tuple.
    let keywords = match keywords {
        Some(keywords) => {
            let keywords = keywords.copy()?;
            if let Some(out) = keywords.get_item("out")?
                && let Ok(tuple) = out.cast::<PyTuple>()
                && tuple.len() == 1
            {
                keywords.set_item("out", tuple.get_item(0)?)?;
            }
            Some(keywords)
        }
        None => None,
    };
    // SciPy's own ufuncs ask by their names, too.
    let row = table::find(Home::NumPy, &name).or_else(|| table::find(Home::Special, &name));
    let function = match row {
        Some(row) => Bound::new(py, PyUfunc { row })?.into_any(),
        None => match crate::package::package(py)?.getattr_opt(name.as_str())? {
            Some(function) => function,
            None => return Ok(py.NotImplemented().into_bound(py)),
        },
    };
    let function = if method == "__call__" {
        function
    } else {
        match function.getattr_opt(method)? {
            Some(function) => function,
            None => return Ok(py.NotImplemented().into_bound(py)),
        }
    };
    Ok(function.call(operands, keywords.as_ref())?)
}

/// What an operand of another library makes of a call that this library cannot do, as NumPy asks it.
pub fn delegate<'py>(
    ufunc: &PyUfunc,
    operands: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> Result<Option<Bound<'py, PyAny>>> {
    let py = operands.py();
    for operand in operands.iter_borrowed() {
        let class = operand.get_type();
        let Some(method) = class.getattr_opt(intern!(py, "__array_ufunc__"))? else { continue };
        if method.is_none() || !is_foreign(&operand)? {
            continue;
        }
        let function = Bound::new(py, PyUfunc { row: ufunc.row })?.into_any();
        let mut arguments = vec![operand.to_owned(), function, intern!(py, "__call__").clone().into_any()];
        arguments.extend(operands.iter());
        let result = method.call(PyTuple::new(py, arguments)?, keywords)?;
        if !result.is(py.NotImplemented()) {
            return Ok(Some(result));
        }
    }
    Ok(None)
}

/// Whether an operand has its own way with NumPy's ufuncs.
fn is_foreign(object: &Bound<'_, PyAny>) -> Result<bool> {
    let py = object.py();
    if object.is_instance_of::<NdArray>() {
        return Ok(false);
    }
    let numpy = dtypes::Numpy::get(py)?;
    if numpy.is_array(object)? || object.is_instance(numpy.generic.bind(py))? {
        return Ok(false);
    }
    Ok(object.get_type().getattr_opt(intern!(py, "__array_ufunc__"))?.is_some())
}
