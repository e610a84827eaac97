//! Arguments that are no arrays: shapes, axes, orders, casting rules.

use cuproxide_core::Array;
use cuproxide_core::layout::{Dims, MAX_NDIM, Order, Strides, checked_size};
use cuproxide_core::ops::copy;
use cuproxide_core::promotion::Casting;
use cuproxide_hal::DType;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyList, PySet, PyString, PyTuple};

use crate::errors::{Result, type_error, value_error};

/// A list of axes or of lengths that may be -1.
pub type Signed = Strides;

const NO_AXIS: &str = "an integer is required for the axis";

/// An integer, or the integers of a sequence: the lengths of a shape.
///
/// # Errors
/// `TypeError` for what is none, truth values included.
pub fn integers(object: &Bound<'_, PyAny>) -> Result<Signed> {
    if object.is_instance_of::<PySet>() {
        return Err(no_lengths(object));
    }
    // A truth value is an instance of `int`, and of no class but its own.
    gather(
        object,
        |item| if item.is_exact_instance_of::<PyBool>() { Err(no_lengths(item)) } else { Ok(item.extract()?) },
    )
}

fn no_lengths(object: &Bound<'_, PyAny>) -> crate::errors::Failure {
    type_error(format!("expected a sequence of integers or a single integer, got '{object}'"))
}

/// Like [`integers`], where a truth value counts as 0 or 1: what NumPy's functions in Python take for axes.
pub fn positions(object: &Bound<'_, PyAny>) -> Result<Signed> {
    gather(object, |item| Ok(item.extract()?))
}

/// `object` itself, or what it contains, each by `integer`: no more than an array has axes.
fn gather<'py>(object: &Bound<'py, PyAny>, integer: impl Fn(&Bound<'py, PyAny>) -> Result<isize>) -> Result<Signed> {
    let within = |count: usize| {
        let message = || format!("maximum supported dimension for an ndarray is currently {MAX_NDIM}, found {count}");
        if count > MAX_NDIM { Err(value_error(message())) } else { Ok(()) }
    };
    // Shapes and grids are tuples nearly always, and small: no iterator's detours.
    if let Ok(tuple) = object.cast::<PyTuple>() {
        within(tuple.len())?;
        let mut integers = Signed::new();
        for item in tuple.iter_borrowed() {
            integers.push(integer(&item)?);
        }
        return Ok(integers);
    }
    if let Ok(list) = object.cast::<PyList>() {
        within(list.len())?;
        return list.iter().map(|item| integer(&item)).collect();
    }
    match integer(object) {
        Ok(single) => Ok(smallvec::smallvec![single]),
        Err(error) => match object.try_iter() {
            Ok(items) => {
                // The length alone may say that it is too long; an iterator has none.
                within(object.len().unwrap_or(0))?;
                let mut integers = Signed::new();
                for item in items {
                    within(integers.len() + 1)?;
                    integers.push(integer(&item?)?);
                }
                Ok(integers)
            }
            Err(_) => Err(error),
        },
    }
}

/// An axis: an integer that is no truth value.
fn lone_axis(object: &Bound<'_, PyAny>, complaint: &'static str) -> Result<isize> {
    let axis: PyResult<isize> = object.extract();
    match axis {
        Ok(axis) if !object.is_instance_of::<PyBool>() => Ok(axis),
        Err(error) if !error.is_instance_of::<PyTypeError>(object.py()) => Err(error.into()),
        _ => Err(type_error(complaint)),
    }
}

/// A `shape=` argument.
///
/// # Errors
/// `ValueError` for a negative length.
pub fn shape(object: &Bound<'_, PyAny>) -> Result<Dims> {
    let lengths = integers(object).map_err(|failure| {
        let error = PyErr::from(failure);
        if error.is_instance_of::<PyOverflowError>(object.py()) {
            return value_error("Maximum allowed dimension exceeded");
        }
        error.into()
    })?;
    lengths
        .iter()
        .map(|&length| usize::try_from(length).map_err(|_| value_error("negative dimensions are not allowed")))
        .collect()
}

/// An `axis=` argument that takes a tuple of axes, too: nothing for `None`.
///
/// # Errors
/// `TypeError` for what is none, lists and truth values included.
pub fn axes(object: Option<&Bound<'_, PyAny>>) -> Result<Option<Signed>> {
    let Some(object) = object.filter(|object| !object.is_none()) else { return Ok(None) };
    let axes: Result<Signed> = match object.cast::<PyTuple>() {
        Ok(tuple) => {
            tuple.iter().map(|item| lone_axis(&item, "integers are required for the axis tuple elements")).collect()
        }
        Err(_) => lone_axis(object, NO_AXIS).map(|axis| smallvec::smallvec![axis]),
    };
    axes.map(Some)
}

/// A flag such as `keepdims=`, which NumPy takes as anything that is true or false.
pub fn flag(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.is_truthy()? && !is_no_value(object)?)
}

/// [`flag`] of an argument that may be left out.
pub fn optional_flag(object: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    if object.is_none() { Ok(None) } else { flag(object).map(Some) }
}

/// The `copy=` of a function that makes an array or reshapes one: NumPy refuses text here, since `copy="never"` is true.
pub fn copy_flag(object: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    if object.is_instance_of::<PyString>() {
        return Err(PyValueError::new_err("strings are not allowed for 'copy' keyword. Use True/False/None instead."));
    }
    optional_flag(object)
}

/// The `keepdims=` of reductions that ufuncs compute: an integer, as in NumPy, and nothing else that is true or false.
pub fn keepdims(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(!is_no_value(object)? && object.extract::<i32>()? != 0)
}

/// An argument whose default is not what `None` means.
pub struct Passed<'py>(pub Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Passed<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Passed<'py>> {
        Ok(Passed(Some(object.to_owned())))
    }
}

/// Whether an argument is NumPy's word for one that was not given.
fn is_no_value(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.get_type().name()? == "_NoValueType")
}

/// An argument, unless it is `None` or NumPy's word for none.
pub fn given<'a, 'py>(object: Option<&'a Bound<'py, PyAny>>) -> PyResult<Option<&'a Bound<'py, PyAny>>> {
    match object.filter(|object| !object.is_none()) {
        Some(object) if !is_no_value(object)? => Ok(Some(object)),
        _ => Ok(None),
    }
}

/// An `axis=` argument that takes a single axis.
pub fn axis(object: Option<&Bound<'_, PyAny>>) -> Result<Option<isize>> {
    object.filter(|object| !object.is_none()).map(|object| lone_axis(object, NO_AXIS)).transpose()
}

/// [`axis`] of an argument that is always given, or has a default.
pub fn given_axis(object: &Bound<'_, PyAny>) -> PyResult<Option<isize>> {
    Ok(axis(Some(object))?)
}

/// Lowest and one-past-highest byte, relative to the first element, that a shape and strides from outside touch.
///
/// # Errors
/// `ValueError` where that or the number of elements exceeds what memory can address.
pub fn reach(shape: &[usize], strides: &[isize], dtype: DType) -> Result<(isize, isize)> {
    if shape.len() != strides.len() {
        return Err(value_error(format!("strides has {} entries, shape has {}", strides.len(), shape.len())));
    }
    checked_size(shape, dtype.size())?;
    if shape.contains(&0) {
        return Ok((0, 0));
    }
    let mut range = (0isize, dtype.size() as isize);
    for (&length, &stride) in shape.iter().zip(strides) {
        let end = (length as isize - 1).checked_mul(stride);
        let moved = end.and_then(|end| {
            let (low, high) = range;
            if end < 0 { Some((low.checked_add(end)?, high)) } else { Some((low, high.checked_add(end)?)) }
        });
        range = moved.ok_or_else(|| value_error("the strides reach beyond what memory can address"))?;
    }
    Ok(range)
}

/// An `order=` argument.
pub fn order(text: Option<&str>, default: Order) -> Result<Order> {
    text.map_or(Ok(default), |text| Ok(Order::parse(text)?))
}

/// A `casting=` argument.
pub fn casting(text: Option<&str>, default: Casting) -> Result<Casting> {
    text.map_or(Ok(default), |text| text.parse().map_err(|error: _| unknown_casting(&error)))
}

fn unknown_casting(error: &cuproxide_core::promotion::UnknownCasting) -> crate::errors::Failure {
    value_error(error.to_string())
}

/// Whether the object is `...`.
pub fn is_ellipsis(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyEllipsis>()
}

/// The order of a dense copy in which an array's elements go to the host.
pub fn wants_fortran(order: Order, array: &Array) -> bool {
    match order {
        Order::C => false,
        Order::F => true,
        Order::A | Order::K => array.layout().f_contiguous && !array.layout().c_contiguous,
    }
}

/// An array like `array` in the wanted order, copied if needed.
pub fn dense(array: &Array, order: Order) -> Result<Array> {
    Ok(copy::ascontiguous(array, wants_fortran(order, array))?)
}

/// A `TypeError` in Python's words for a call with the wrong number of arguments.
pub fn wrong_count(name: &str, least: usize, most: usize, given: usize) -> PyErr {
    let expected = if least == most { format!("{least}") } else { format!("from {least} to {most}") };
    PyTypeError::new_err(format!("{name}() takes {expected} positional arguments but {given} were given"))
}
