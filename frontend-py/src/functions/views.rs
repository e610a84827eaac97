//! Functions that look at an array's memory in another way, and the arithmetic of shapes and axes.

use cuproxide_core::array::check_ndim;
use cuproxide_core::layout::{self, Dims, Strides, normalize_axes, normalize_axis};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::arrays::Any;
use crate::arguments;
use crate::errors::{Result, value_error};
use crate::ndarray::wrap_view;

/// A view stretched to a shape.
#[pyfunction]
pub fn broadcast_to<'py>(a: &Bound<'py, PyAny>, shape: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let owner = arguments::owner(a)?;
    let array = owner.get().snapshot();
    let shape = arguments::shape(shape)?;
    layout::checked_size(&shape, array.itemsize())?;
    wrap_view(owner, array.broadcast_to(&shape)?)
}

/// The common shape of several.
#[pyfunction]
#[pyo3(signature = (*shapes))]
pub fn broadcast_shapes<'py>(py: Python<'py>, shapes: &Bound<'py, PyTuple>) -> Result<Bound<'py, PyTuple>> {
    let shapes = shapes.iter().map(|shape| arguments::shape(&shape)).collect::<Result<Vec<Dims>>>()?;
    let common = layout::broadcast_shapes(shapes.iter().map(Dims::as_slice)).map_err(|_| {
        let list = shapes.iter().map(|shape| layout::show_shape(shape)).collect::<Vec<_>>().join(" and ");
        value_error(format!("shape mismatch: objects cannot be broadcast to a single shape. Shapes are {list}"))
    })?;
    Ok(PyTuple::new(py, common)?)
}

/// A view with any shape and strides that stay inside the array's memory.
#[pyfunction]
#[pyo3(signature = (a, shape=None, strides=None))]
pub fn as_strided<'py>(a: &Bound<'py, PyAny>, shape: Any<'_, 'py>, strides: Any<'_, 'py>) -> Result<Bound<'py, PyAny>> {
    let owner = arguments::owner(a)?;
    let array = owner.get().snapshot();
    let shape = shape.filter(|shape| !shape.is_none()).map(arguments::shape).transpose()?;
    let strides = strides.filter(|strides| !strides.is_none()).map(arguments::integers).transpose()?;
    let shape = shape.unwrap_or_else(|| Dims::from_slice(array.shape()));
    let strides = strides.unwrap_or_else(|| Strides::from_slice(array.strides()));
    arguments::reach(&shape, &strides, array.dtype())?;
    wrap_view(owner, array.as_strided(&shape, &strides)?)
}

/// A view with new axes of length 1 at these positions of the result.
#[pyfunction]
pub fn expand_dims<'py>(a: &Bound<'py, PyAny>, axis: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let owner = arguments::owner(a)?;
    let array = owner.get().snapshot();
    let axes = arguments::positions(axis)?;
    let mut positions = normalize_axes(&axes, array.ndim() + axes.len()).map_err(|error| {
        if matches!(error, cuproxide_core::Error::Value(_)) { repeated_axis() } else { error.into() }
    })?;
    positions.sort_unstable();
    check_ndim(array.ndim() + axes.len())?;
    let mut shape = Dims::from_slice(array.shape());
    positions.iter().for_each(|&axis| shape.insert(axis, 1));
    let expanded = array.reshape_view(&shape, false).expect("axes of length 1 fit anywhere");
    wrap_view(owner, expanded)
}

fn repeated_axis() -> crate::errors::Failure {
    value_error("repeated axis")
}

/// A view with axes moved to other positions.
#[pyfunction]
pub fn moveaxis<'py>(
    a: &Bound<'py, PyAny>,
    source: &Bound<'py, PyAny>,
    destination: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>> {
    let owner = arguments::owner(a)?;
    let array = owner.get().snapshot();
    let place = |object: &Bound<'py, PyAny>, name: &str| -> Result<Dims> {
        normalize_axes(&arguments::positions(object)?, array.ndim()).map_err(|error| {
            if matches!(error, cuproxide_core::Error::Value(_)) {
                value_error(format!("repeated axis in `{name}` argument"))
            } else {
                error.into()
            }
        })
    };
    let (from, to) = (place(source, "source")?, place(destination, "destination")?);
    if from.len() != to.len() {
        return Err(value_error("`source` and `destination` arguments must have the same number of elements"));
    }
    let mut order: Vec<isize> =
        (0..array.ndim()).filter(|axis| !from.contains(axis)).map(|axis| axis as isize).collect();
    let mut moves: Vec<(usize, usize)> = to.into_iter().zip(from).collect();
    moves.sort_unstable();
    for (to, from) in moves {
        order.insert(to, from as isize);
    }
    wrap_view(owner, array.transpose(&order)?)
}

/// Whether the byte ranges of two arrays overlap.
#[pyfunction]
pub fn may_share_memory(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> Result<bool> {
    Ok(arguments::array(a)?.may_share_memory(&*arguments::array(b)?))
}

/// An axis counted from the front.
#[pyfunction(name = "normalize_axis")]
pub fn normalize_one_axis(axis: isize, ndim: usize) -> Result<usize> {
    Ok(normalize_axis(axis, ndim)?)
}

/// Distinct axes counted from the front; all of them for `None`.
#[pyfunction(name = "normalize_axes")]
pub fn normalize_all_axes<'py>(py: Python<'py>, axes: Any<'_, 'py>, ndim: usize) -> Result<Bound<'py, PyTuple>> {
    let axes = match arguments::axes(axes)? {
        Some(axes) => normalize_axes(&axes, ndim)?,
        None => (0..ndim).collect(),
    };
    Ok(PyTuple::new(py, axes)?)
}
