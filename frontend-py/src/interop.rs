//! Python objects as arrays of the core.

use std::any::Any;
use std::sync::Arc;

use cuproxide_core::layout::{MAX_NDIM, Order, show_shape};
use cuproxide_core::ops::{copy, creation, joining};
use cuproxide_core::promotion::Casting;
use cuproxide_core::{Array, Context};
use cuproxide_hal::DType;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyTuple};

use crate::device;
use crate::dlpack;
use crate::dtypes::{self, Numpy};
use crate::errors::{Result, type_error, value_error};
use crate::foreign::{Described, PROTOCOLS, foreign, wait_for_foreign_stream};
use crate::ndarray::NdArray;
use crate::numpy::{empty, from_numpy};
use crate::scalars::Number;

/// An array of another object's.
#[derive(Clone)]
pub struct Shared {
    /// The array.
    pub array: Array,
    /// Whether the object said that nobody must write to it.
    pub read_only: bool,
}

/// The array behind an object that hands one of this library out by `__cupy_get_ndarray__`, CuPy's protocol, or describes
/// GPU memory by `__cuda_array_interface__`.
pub fn from_device_object(object: &Bound<'_, PyAny>) -> Result<Option<Shared>> {
    let py = object.py();
    let hand_out = intern!(py, "__cupy_get_ndarray__");
    if object.get_type().getattr_opt(hand_out)?.is_some() {
        let own = object.call_method0(hand_out)?;
        return match own.cast::<NdArray>() {
            Ok(array) => Ok(Some(Shared { array: array.get().snapshot(), read_only: array.get().is_read_only() })),
            Err(_) => Err(type_error(format!("__cupy_get_ndarray__ returned {}, not an ndarray", own.get_type()))),
        };
    }
    let name = intern!(py, "__cuda_array_interface__");
    // Looking at the type and the object's own attributes keeps properties with side effects from running on every operand.
    let set_on_it = || -> PyResult<bool> {
        let own = object.getattr_opt(intern!(py, "__dict__"))?;
        own.map_or(Ok(false), |own| own.contains(name))
    };
    if object.get_type().getattr_opt(name)?.is_none() && !set_on_it()? {
        return Ok(None);
    }
    let Some(interface) = object.getattr_opt(name)? else { return Ok(None) };
    let described = Described::read(&interface)?;
    let context = device::gpu()?;
    if let Some(raw) = described.stream
        && PROTOCOLS.read().synchronize
    {
        wait_for_foreign_stream(&context, raw)?;
    }
    let owner: Arc<dyn Any + Send + Sync> = Arc::new(object.clone().unbind());
    let Described { dtype, shape, strides, ptr, read_only, .. } = described;
    Ok(Some(Shared { array: foreign(&context, dtype, shape, strides, ptr, owner)?, read_only }))
}

/// Whether a sequence holds arrays of this library, at most `depth` levels down.
fn holds_arrays(items: &Bound<'_, PyAny>, depth: usize) -> bool {
    let inside = |item: &Bound<'_, PyAny>| is_device_object(item) || (depth > 0 && holds_arrays(item, depth - 1));
    if let Ok(list) = items.cast::<PyList>() {
        return list.iter().any(|item| inside(&item));
    }
    items.cast::<PyTuple>().is_ok_and(|tuple| tuple.iter_borrowed().any(|item| inside(&item)))
}

/// Whether an object is an array of a device, or hands one out.
fn is_device_object(object: &Bound<'_, PyAny>) -> bool {
    if object.is_exact_instance_of::<PyInt>() || object.is_exact_instance_of::<PyFloat>() {
        return false;
    }
    let py = object.py();
    let protocols = [intern!(py, "__cupy_get_ndarray__"), intern!(py, "__cuda_array_interface__")];
    let class = object.get_type();
    object.is_instance_of::<NdArray>() || protocols.iter().any(|name| class.hasattr(name).unwrap_or(false))
}

/// Stacks the members of a sequence, which become arrays each.
fn stack(items: &Bound<'_, PyAny>, context: &Arc<Context>, depth: usize) -> Result<Array> {
    if depth == 0 {
        return Err(value_error("the sequence is nested too deeply"));
    }
    let row = |item: Bound<'_, PyAny>| {
        if let Ok(array) = item.cast::<NdArray>() {
            return Ok(array.get().snapshot().insert_axis(0));
        }
        let is_nested = item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>();
        if is_nested && holds_arrays(&item, depth) {
            return Ok(stack(&item, context, depth - 1)?.insert_axis(0));
        }
        Ok(from_anything(&item, context)?.insert_axis(0))
    };
    let rows = items.try_iter()?.map(|item| row(item?)).collect::<Result<Vec<Array>>>()?;
    if let Some(odd) = rows.iter().find(|row| row.shape() != rows[0].shape()) {
        return Err(value_error(format!(
            "the members of the sequence have different shapes: {} and {}",
            show_shape(&rows[0].shape()[1..]),
            show_shape(&odd.shape()[1..])
        )));
    }
    Ok(joining::concatenate(&rows, Some(0), None, None, Casting::SameKind)?)
}

/// Any array-like as an array on `context`.
pub fn from_anything(object: &Bound<'_, PyAny>, context: &Arc<Context>) -> Result<Array> {
    if let Ok(array) = object.cast::<NdArray>() {
        return Ok(array.get().snapshot());
    }
    convert(object, context, None).and_then(Converted::for_reading)
}

/// Like [`from_anything`], where the elements of a sequence become `dtype` as those of `numpy.array(object, dtype)` do.
pub fn to_be_assigned(object: &Bound<'_, PyAny>, context: &Arc<Context>, dtype: DType) -> Result<Array> {
    convert(object, context, Some(dtype)).and_then(Converted::for_reading)
}

/// What NumPy makes of an object that is assigned to an element of `dtype`.
///
/// # Errors
/// NumPy's, for lists and for text that is no number.
pub fn element(object: &Bound<'_, PyAny>, dtype: DType) -> Result<Number> {
    let py = object.py();
    let host = empty(py, &dtypes::to_numpy(py, dtype)?, &[], false)?;
    host.set_item(PyTuple::empty(py), object)?;
    Number::parse(&host)?.ok_or_else(|| type_error(format!("an element cannot be {}", object.get_type())))
}

/// What became of an object.
pub struct Converted {
    pub array: Array,
    /// Whether the memory is the object's.
    pub shared: bool,
    /// Whether that memory must not be written.
    pub read_only: bool,
}

impl Converted {
    /// New memory.
    fn fresh(array: Array) -> Converted {
        Converted { array, shared: false, read_only: false }
    }

    /// The array for callers that keep no note of what must not be written: a copy of such.
    fn for_reading(self) -> Result<Array> {
        Ok(if self.read_only { copy::copy(&self.array, Order::K)? } else { self.array })
    }
}

/// Whether the elements of a NumPy array are of a kind that no device has, and yet may be numbers.
fn is_foreign_kind(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind: String = array.getattr(intern!(array.py(), "dtype"))?.getattr(intern!(array.py(), "kind"))?.extract()?;
    Ok("OSUMm".contains(&kind))
}

/// Any object but an `ndarray` as an array.
pub fn convert(object: &Bound<'_, PyAny>, context: &Arc<Context>, dtype: Option<DType>) -> Result<Converted> {
    let py = object.py();
    let numpy = Numpy::get(py)?;
    if numpy.is_array(object)? {
        let Some(dtype) = dtype.filter(|_| is_foreign_kind(object).unwrap_or(false)) else {
            return Ok(Converted::fresh(from_numpy(object, context)?));
        };
        // Objects, text and dates become numbers on the host.
        let host = object.call_method1(intern!(py, "astype"), (dtypes::to_numpy(py, dtype)?,))?;
        return Ok(Converted::fresh(from_numpy(&host, context)?));
    }
    if let Some(number) = Number::parse(object)? {
        let element = number.converted(py, dtype.unwrap_or_else(|| number.dtype()))?;
        return Ok(Converted::fresh(creation::full(context, element.dtype, &[], Order::C, element)?));
    }
    let is_sequence = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    if is_sequence && holds_arrays(object, MAX_NDIM) {
        return Ok(Converted::fresh(copy::ascontiguous(&stack(object, context, MAX_NDIM)?, false)?));
    }
    if !is_sequence {
        if let Some(Shared { array, read_only }) = from_device_object(object)? {
            return Ok(Converted { array, shared: true, read_only });
        }
        let class = object.get_type();
        if class.getattr_opt(intern!(py, "__dlpack__"))?.is_some()
            && class.getattr_opt(intern!(py, "__dlpack_device__"))?.is_some()
        {
            return Ok(Converted { array: dlpack::import(object, None, None)?, shared: true, read_only: false });
        }
    }
    let keywords = PyDict::new(py);
    // ml_dtypes rounds doubles to floats before it rounds them to its types; a device rounds them once.
    if let Some(dtype) = dtype.filter(|dtype| dtype.info().in_numpy) {
        keywords.set_item("dtype", dtypes::to_numpy(py, dtype)?)?;
    }
    let mut host = py.import("numpy")?.call_method("array", (object,), Some(&keywords))?;
    if let Some(dtype) = dtype.filter(|_| is_foreign_kind(&host).unwrap_or(false)) {
        host = host.call_method1(intern!(py, "astype"), (dtypes::to_numpy(py, dtype)?,))?;
    }
    Ok(Converted::fresh(from_numpy(&host, context)?))
}
