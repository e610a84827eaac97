//! Functions that make arrays, and the one that takes them back to the host.

use std::sync::Arc;

use cuproxide_core::layout::Order;
use cuproxide_core::ops::{copy, creation};
use cuproxide_core::promotion::Casting;
use cuproxide_core::{Array, Context};
use cuproxide_hal::{DType, Scalar};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySequence};

use super::arrays::Any;
use crate::arguments::{self, Argument, ArrayRef};
use crate::device;
use crate::dtypes;
use crate::errors::{Result, value_error};
use crate::interop;
use crate::making::{self, Wish};
use crate::ndarray::{NdArray, wrap, wrap_like};
use crate::package;
use crate::records;
use crate::scalars::Number;
use crate::stream::{Stream, on_stream};

/// NumPy's limit of the number of axes.
const MOST_AXES: usize = 64;

/// A new array with the elements of `object`.
///
/// Parameters
/// ----------
/// object : array_like
///     What becomes an array: arrays, numbers, nested sequences, exporters of DLPack or of an array interface.
/// dtype : dtype, optional
///     The type of the result's elements.
/// copy : bool, optional
///     Whether to copy always (True), never (False, a `ValueError` if needed), or where needed (None).
/// order : {'K', 'A', 'C', 'F'}, optional
///     The order of elements in memory.
/// subok : bool
///     Whether arrays of a subclass keep their class.
/// ndmin : int
///     The least number of axes; missing ones are put in front.
/// ndmax : int
///     The greatest number of axes to look for in nested sequences.
/// device : Device or str, optional
///     Where the result is; by default the current device.
/// like : ndarray, optional
///     An array of this library, by which NumPy's functions find this one.
///
/// Returns
/// -------
/// ndarray
///
/// Examples
/// --------
/// >>> cp.array([[1, 2], [3, 4]], dtype=cp.float32)
/// array([[1., 2.],
///        [3., 4.]], dtype=float32)
#[pyfunction]
#[pyo3(signature = (
    object, dtype=None, copy=Some(true), order=None, subok=false, ndmin=0, *, ndmax=0, device=None, like=None
))]
#[expect(clippy::too_many_arguments, reason = "the arguments are those of NumPy")]
pub fn array<'py>(
    object: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    #[pyo3(from_py_with = arguments::copy_flag)] copy: Option<bool>,
    order: Option<&str>,
    #[pyo3(from_py_with = arguments::flag)] subok: bool,
    ndmin: isize,
    ndmax: isize,
    device: Any<'_, 'py>,
    like: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    arguments::like(like)?;
    let ndmin = ndmin.max(0).unsigned_abs();
    if ndmin > MOST_AXES {
        return Err(value_error(format!(
            "ndmin bigger than allowable number of dimensions NPY_MAXDIMS (={MOST_AXES})"
        )));
    }
    let wanted = match dtypes::parse_optional(dtype) {
        Ok(dtype) => dtype,
        Err(failure) => {
            return records::instead(
                object.py(),
                failure,
                &[dtype],
                "array",
                (object, dtype, copy, order, ndmin, device),
            );
        }
    };
    let wish = Wish { dtype: wanted, copy, order: arguments::order(order, Order::K)? };
    let context = device::parse_optional(device)?;
    let Some(most) = usize::try_from(ndmax).ok().filter(|&most| most <= MOST_AXES) else {
        return Err(value_error(format!("ndmax must be in the range [0, NPY_MAXDIMS ({MOST_AXES})]")));
    };
    if most > 0 && ndmin > most {
        return Err(value_error(format!("ndmin must be <= ndmax ({most})")));
    }
    let made = match making::array(object, wish, ndmin, context, subok) {
        Ok(made) => made,
        Err(failure) => {
            let arguments = (object, dtype, copy, order, ndmin, device);
            return records::instead(object.py(), failure, &[Some(object)], "array", arguments);
        }
    };
    // Only the nesting of sequences is limited.
    if most > 0 && object.is_instance_of::<PySequence>() && arguments::array(&made)?.ndim() > most {
        return Err(value_error(format!(
            "setting an array element with a sequence. The requested array would exceed the maximum number of dimension \
             of {most}."
        )));
    }
    Ok(made)
}

/// The elements as a NumPy array on the host.
///
/// Parameters
/// ----------
/// a : ndarray
///     The array.
/// stream : Stream, optional
///     The stream to work on; by default the current one.
/// order : {'C', 'F', 'A', 'K'}, optional
///     The order of elements in memory.
/// out : numpy.ndarray, optional
///     The array to copy to.
/// blocking : bool
///     Whether to wait for the copy.
///
/// Returns
/// -------
/// numpy.ndarray
///
/// Examples
/// --------
/// >>> type(cp.asnumpy(cp.arange(3))).__module__
/// 'numpy'
#[pyfunction]
#[pyo3(signature = (a, stream=None, order=None, out=None, *, blocking=true))]
pub fn asnumpy<'py>(
    a: &Bound<'py, PyAny>,
    stream: Option<&Bound<'py, Stream>>,
    order: Option<&str>,
    out: Any<'_, 'py>,
    blocking: bool,
) -> Result<Bound<'py, PyAny>> {
    // The copy has always arrived on return, whatever was asked for.
    let _ = blocking;
    let py = a.py();
    let order_wish = arguments::order(order, Order::C)?;
    let own = match a.cast::<NdArray>() {
        Ok(array) => Some(array.get().snapshot()),
        Err(_) if records::bytes(a).is_some() => {
            return Ok(package::RECORDS_TO_HOST.call(py, (a, order, out))?);
        }
        Err(_) => interop::from_device_object(a)?.map(|shared| shared.array),
    };
    if let Some(array) = own {
        return on_stream(stream, || crate::numpy::to_numpy(py, &array, order_wish, out.filter(|out| !out.is_none())));
    }
    let numpy = py.import("numpy")?;
    match out.filter(|out| !out.is_none()) {
        Some(out) => {
            numpy.call_method1("copyto", (out, a))?;
            Ok(out.clone())
        }
        None => {
            let keywords = PyDict::new(py);
            keywords.set_item("order", order.unwrap_or("C"))?;
            Ok(numpy.call_method("asarray", (a,), Some(&keywords))?)
        }
    }
}

/// An array that shares the memory of an object with `__dlpack__`, or a copy.
///
/// Parameters
/// ----------
/// x : object
///     What has `__dlpack__`.
/// device : Device or str, optional
///     Where the result is.
/// copy : bool, optional
///     Whether to copy always (True), never (False, a `ValueError` if needed), or where needed (None).
///
/// Returns
/// -------
/// ndarray
///
/// Examples
/// --------
/// >>> cp.from_dlpack(np.arange(3))
/// array([0, 1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, *, device=None, copy=None))]
pub fn from_dlpack<'py>(x: &Bound<'py, PyAny>, device: Any<'_, 'py>, copy: Option<bool>) -> Result<Bound<'py, PyAny>> {
    wrap(x.py(), crate::dlpack::import(x, device::parse_optional(device)?, copy)?)
}

/// An array from a DLPack capsule.
#[pyfunction]
pub fn from_capsule<'py>(capsule: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let (array, read_only) = crate::dlpack::consume(capsule)?;
    wrap(capsule.py(), if read_only { copy::copy(&array, Order::K)? } else { array })
}

fn dense_order(order: Option<&str>) -> Result<Order> {
    match arguments::order(order, Order::C)? {
        Order::F => Ok(Order::F),
        Order::C => Ok(Order::C),
        _ => Err(value_error("only 'C' or 'F' order is permitted")),
    }
}

/// An uninitialised array.
///
/// Parameters
/// ----------
/// shape : int or tuple of int
///     The shape of the result.
/// dtype : dtype, optional
///     The type of the result's elements.
/// order : {'C', 'F', 'A', 'K'}, optional
///     The order of elements in memory.
/// device : Device or str, optional
///     Where the result is; by default the current device.
/// like : ndarray, optional
///     An array of this library, by which NumPy's functions find this one.
///
/// Returns
/// -------
/// ndarray
///
/// Examples
/// --------
/// >>> cp.empty((2, 3)).shape
/// (2, 3)
#[pyfunction]
#[pyo3(signature = (shape, dtype=None, order=None, *, device=None, like=None))]
pub fn empty<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    device: Any<'_, 'py>,
    like: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    arguments::like(like)?;
    let wanted = match dtypes::parse_or_float(dtype) {
        Ok(wanted) => wanted,
        Err(failure) => return records::instead(py, failure, &[dtype], "empty", (shape, dtype, order, device)),
    };
    let (shape, dtype, order) = (arguments::shape(shape)?, wanted, dense_order(order)?);
    wrap(py, Array::empty(device::parse(device)?, dtype, &shape, order)?)
}

/// An array of zeros.
///
/// Parameters
/// ----------
/// shape : int or tuple of int
///     The shape of the result.
/// dtype : dtype, optional
///     The type of the result's elements.
/// order : {'C', 'F', 'A', 'K'}, optional
///     The order of elements in memory.
/// device : Device or str, optional
///     Where the result is; by default the current device.
/// like : ndarray, optional
///     An array of this library, by which NumPy's functions find this one.
///
/// Returns
/// -------
/// ndarray
///
/// Examples
/// --------
/// >>> cp.zeros((2, 2), dtype=int)
/// array([[0, 0],
///        [0, 0]])
#[pyfunction]
#[pyo3(signature = (shape, dtype=None, order=None, *, device=None, like=None))]
pub fn zeros<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    device: Any<'_, 'py>,
    like: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    arguments::like(like)?;
    let wanted = match dtypes::parse_or_float(dtype) {
        Ok(wanted) => wanted,
        Err(failure) => return records::instead(py, failure, &[dtype], "zeros", (shape, dtype, order, device)),
    };
    let (shape, dtype, order) = (arguments::shape(shape)?, wanted, dense_order(order)?);
    let zero = Scalar::integer(dtype, 0);
    wrap(py, creation::full(device::parse(device)?, dtype, &shape, order, zero)?)
}

/// What fills a new array: a number or an array that is broadcast.
enum Filling<'a> {
    Number(Number),
    Array(ArrayRef<'a>),
}

impl<'a> Filling<'a> {
    fn parse(object: &'a Bound<'_, PyAny>, context: &Arc<Context>) -> Result<Filling<'a>> {
        Ok(match Argument::parse(object)? {
            Some(Argument::Number(number)) => Filling::Number(number),
            Some(Argument::Array(array)) => Filling::Array(array),
            None => Filling::Array(ArrayRef::Owned(interop::from_anything(object, context)?)),
        })
    }

    fn dtype(&self) -> DType {
        match self {
            Filling::Number(number) => number.dtype(),
            Filling::Array(array) => array.dtype(),
        }
    }

    fn fill(&self, py: Python<'_>, target: &Array) -> Result<()> {
        match self {
            Filling::Number(number) => Ok(copy::fill(target, number.cast(py, target.dtype())?)?),
            Filling::Array(array) => {
                copy::assign(target, array, Casting::Unsafe, None)?;
                Ok(dtypes::warn_of_lost_parts(py, array.dtype(), target.dtype())?)
            }
        }
    }
}

/// An array with every element set to a value.
///
/// Parameters
/// ----------
/// shape : int or tuple of int
///     The shape of the result.
/// fill_value : scalar or array_like
///     The value.
/// dtype : dtype, optional
///     The type of the result's elements.
/// order : {'C', 'F', 'A', 'K'}, optional
///     The order of elements in memory.
/// device : Device or str, optional
///     Where the result is; by default the current device.
/// like : ndarray, optional
///     An array of this library, by which NumPy's functions find this one.
///
/// Returns
/// -------
/// ndarray
///
/// Examples
/// --------
/// >>> cp.full(3, 7)
/// array([7, 7, 7])
#[pyfunction]
#[pyo3(signature = (shape, fill_value, dtype=None, order=None, *, device=None, like=None))]
pub fn full<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyAny>,
    fill_value: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    device: Any<'_, 'py>,
    like: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    arguments::like(like)?;
    let context = device::parse(device)?;
    let (whole, layout) = (shape, order);
    let (shape, order) = (arguments::shape(shape)?, dense_order(order)?);
    let parsed = Filling::parse(fill_value, context).and_then(|filling| {
        let dtype = dtypes::parse_optional(dtype)?.unwrap_or_else(|| filling.dtype());
        Ok((filling, dtype))
    });
    let (filling, dtype) = match parsed {
        Ok(parsed) => parsed,
        Err(failure) => {
            let arguments = (whole, fill_value, dtype, layout, device);
            return records::instead(py, failure, &[dtype, Some(fill_value)], "full", arguments);
        }
    };
    let out = Array::empty(context, dtype, &shape, order)?;
    filling.fill(py, &out)?;
    wrap(py, out)
}

/// An uninitialised array like another one.
fn like(a: &Array, dtype: Any<'_, '_>, order: Option<&str>, shape: Any<'_, '_>, device: Any<'_, '_>) -> Result<Array> {
    let context = device::parse_optional(device)?;
    let dtype = dtypes::parse_optional(dtype)?.unwrap_or(a.dtype());
    let order = arguments::order(order, Order::K)?;
    let shape = shape.filter(|shape| !shape.is_none()).map(arguments::shape).transpose()?;
    let context = context.as_ref().unwrap_or(a.context());
    Ok(a.empty_of_shape(context, dtype, shape.as_deref().unwrap_or(a.shape()), order)?)
}

/// A new array, of the class of `a` if that is wanted.
fn in_class<'py>(a: &Bound<'py, PyAny>, made: Array, subok: bool) -> Result<Bound<'py, PyAny>> {
    match a.cast::<NdArray>() {
        Ok(own) if subok => wrap_like(own, made),
        _ => wrap(a.py(), made),
    }
}

/// An uninitialised array like another one.
#[pyfunction]
#[pyo3(signature = (a, dtype=None, order=None, shape=None, subok=true, *, device=None))]
pub fn empty_like<'py>(
    a: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    shape: Any<'_, 'py>,
    #[pyo3(from_py_with = arguments::flag)] subok: bool,
    device: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let made = arguments::array(a).and_then(|a| like(&a, dtype, order, shape, device));
    match made {
        Ok(made) => in_class(a, made, subok),
        Err(failure) => {
            records::instead(a.py(), failure, &[Some(a), dtype], "empty_like", (a, dtype, order, shape, device))
        }
    }
}

/// An array of zeros like another one.
#[pyfunction]
#[pyo3(signature = (a, dtype=None, order=None, shape=None, subok=true, *, device=None))]
pub fn zeros_like<'py>(
    a: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    shape: Any<'_, 'py>,
    #[pyo3(from_py_with = arguments::flag)] subok: bool,
    device: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    match arguments::array(a).and_then(|a| like(&a, dtype, order, shape, device)) {
        Ok(out) => {
            copy::fill(&out, Scalar::integer(out.dtype(), 0))?;
            in_class(a, out, subok)
        }
        Err(failure) => {
            records::instead(a.py(), failure, &[Some(a), dtype], "full_like", (a, 0, dtype, order, shape, device))
        }
    }
}

/// An array like another one with every element set to a value.
#[pyfunction]
#[pyo3(signature = (a, fill_value, dtype=None, order=None, shape=None, subok=true, *, device=None))]
pub fn full_like<'py>(
    a: &Bound<'py, PyAny>,
    fill_value: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    shape: Any<'_, 'py>,
    #[pyo3(from_py_with = arguments::flag)] subok: bool,
    device: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    match arguments::array(a).and_then(|a| like(&a, dtype, order, shape, device)) {
        Ok(out) => {
            Filling::parse(fill_value, out.context())?.fill(a.py(), &out)?;
            in_class(a, out, subok)
        }
        Err(failure) => {
            let arguments = (a, fill_value, dtype, order, shape, device);
            records::instead(a.py(), failure, &[Some(a), dtype], "full_like", arguments)
        }
    }
}

/// `start + i * step` for `i` below `length`.
#[pyfunction]
#[pyo3(signature = (start, step, length, dtype, *, device=None))]
pub fn arange<'py>(
    py: Python<'py>,
    start: &Bound<'py, PyAny>,
    step: &Bound<'py, PyAny>,
    length: usize,
    dtype: &Bound<'py, PyAny>,
    device: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let dtype = dtypes::parse(dtype)?;
    let bound = |object: &Bound<'py, PyAny>| -> Result<Scalar> {
        let number = Number::parse(object)?.ok_or_else(|| arguments::unsupported(object))?;
        // The core computes narrow types in wider ones, so the bounds keep their own type.
        number.natural()
    };
    let (start, step) = (bound(start)?, bound(step)?);
    let context = device::parse(device)?;
    wrap(py, creation::arange(context, dtype, start, step, length)?)
}
