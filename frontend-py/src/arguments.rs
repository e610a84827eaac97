//! Arguments of Python functions as the core wants them.

use std::ops::Deref;
use std::sync::Arc;

use cuproxide_core::layout::{Dims, MAX_NDIM, Order, Strides, checked_size};
use cuproxide_core::ops::elementwise::Input;
use cuproxide_core::ops::{copy, creation};
use cuproxide_core::promotion::{Casting, can_cast};
use cuproxide_core::{Array, Context};
use cuproxide_hal::{DType, Scalar};
use parking_lot::RwLockReadGuard;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyList, PyRange, PySet, PyTuple};
use smallvec::SmallVec;

use crate::dtypes::Numpy;
use crate::errors::{Result, type_error, value_error};
use crate::interop;
use crate::ndarray::{NdArray, wrap};
use crate::scalars::Number;
use crate::settings;

/// A list of axes or of lengths that may be -1.
pub type Signed = Strides;

const NO_AXIS: &str = "an integer is required for the axis";

/// An array argument: borrowed from a Python object, or made for this call.
pub enum ArrayRef<'a> {
    /// From an `ndarray`.
    Borrowed(RwLockReadGuard<'a, Array>),
    /// A converted foreign object.
    Owned(Array),
}

impl Deref for ArrayRef<'_> {
    type Target = Array;

    fn deref(&self) -> &Array {
        match self {
            ArrayRef::Borrowed(guard) => guard,
            ArrayRef::Owned(array) => array,
        }
    }
}

/// An operand of an elementwise operation.
pub enum Argument<'a> {
    /// An array.
    Array(ArrayRef<'a>),
    /// A number.
    Number(Number),
}

impl<'a> Argument<'a> {
    /// The operand that an object is: an array of this library or of another GPU library, or a number.
    pub fn parse(object: &'a Bound<'_, PyAny>) -> Result<Option<Argument<'a>>> {
        if let Ok(array) = object.cast_exact::<NdArray>() {
            return Ok(Some(Argument::Array(ArrayRef::Borrowed(array.get().read()))));
        }
        if let Some(number) = Number::parse(object)? {
            return Ok(Some(Argument::Number(number)));
        }
        if let Ok(array) = object.cast::<NdArray>() {
            return Ok(Some(Argument::Array(ArrayRef::Borrowed(array.get().read()))));
        }
        Ok(interop::from_device_object(object)?.map(|shared| Argument::Array(ArrayRef::Owned(shared.array))))
    }

    /// Like [`Argument::parse`], where an object without a meaning is a `TypeError`.
    pub fn require(object: &'a Bound<'_, PyAny>) -> Result<Argument<'a>> {
        Argument::parse(object)?.ok_or_else(|| unsupported(object))
    }

    /// Like [`Argument::require`], where a sequence becomes an array on the device that `beside` tells.
    pub fn operand(
        object: &'a Bound<'_, PyAny>,
        beside: impl FnOnce() -> Result<Arc<Context>>,
    ) -> Result<Argument<'a>> {
        match Argument::parse(object)? {
            Some(argument) => Ok(argument),
            None if is_sequence(object) => {
                Ok(Argument::Array(ArrayRef::Owned(interop::from_anything(object, &beside()?)?)))
            }
            None => Err(unsupported(object)),
        }
    }

    /// The operand as the core wants it; see [`Number::input`].
    pub fn input(&self, among_floats: bool) -> Result<Input<'_>> {
        match self {
            Argument::Array(array) => Ok(Input::Array(array)),
            Argument::Number(number) => number.input(among_floats),
        }
    }

    /// Whether the operand has a floating type of its own.
    pub fn is_inexact(&self) -> bool {
        match self {
            Argument::Array(array) => array.dtype().is_inexact(),
            Argument::Number(number) => !matches!(number, Number::Huge(..)) && number.dtype().is_inexact(),
        }
    }
}

/// Whether an object is a Python sequence that operations take for an array, as NumPy does and CuPy does not.
pub fn is_sequence(object: &Bound<'_, PyAny>) -> bool {
    let is_one =
        object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyRange>();
    is_one && !settings::follows_cupy()
}

/// The device of the first array among objects, the current one if there is none.
pub fn device_among<'py, O>(objects: impl IntoIterator<Item = O>) -> Result<Arc<Context>>
where
    O: Deref<Target = Bound<'py, PyAny>>,
{
    let found =
        objects.into_iter().find_map(|object| Some(object.cast::<NdArray>().ok()?.get().read().context().clone()));
    found.map_or_else(|| Ok(Context::current()?), Ok)
}

/// All operands of an operation.
///
/// # Errors
/// `TypeError` for what is no array, number or sequence.
pub fn operands<'a, 'py: 'a>(
    objects: impl Iterator<Item = &'a Bound<'py, PyAny>> + Clone,
) -> Result<SmallVec<[Argument<'a>; 4]>> {
    objects.clone().map(|object| Argument::operand(object, || device_among(objects.clone()))).collect()
}

/// The object, or the array that a sequence is on the device that `beside` tells.
pub fn sequence_to_array<'py>(
    object: &Bound<'py, PyAny>,
    beside: impl FnOnce() -> Result<Arc<Context>>,
) -> Result<Bound<'py, PyAny>> {
    if is_sequence(object) {
        wrap(object.py(), interop::from_anything(object, &beside()?)?)
    } else {
        Ok(object.clone())
    }
}

/// The `TypeError` for an operand that is neither an array of this library nor a number.
pub fn unsupported(object: &Bound<'_, PyAny>) -> crate::errors::Failure {
    let hint = match Numpy::get(object.py()).and_then(|numpy| numpy.is_array(object)) {
        Ok(true) => ": it is not copied to the device implicitly; use cuproxide.asarray(x)",
        _ => "",
    };
    type_error(format!("Unsupported type {}{hint}", object.get_type()))
}

/// All operands as the core wants them.
pub fn inputs<'a>(arguments: &'a [Argument<'_>]) -> Result<SmallVec<[Input<'a>; 4]>> {
    let among_floats = arguments.iter().any(Argument::is_inexact);
    arguments.iter().map(|argument| argument.input(among_floats)).collect()
}

/// An array of this library.
///
/// # Errors
/// `TypeError` for anything else.
pub fn array<'a>(object: &'a Bound<'_, PyAny>) -> Result<ArrayRef<'a>> {
    match object.cast::<NdArray>() {
        Ok(array) => Ok(ArrayRef::Borrowed(array.get().read())),
        Err(_) => Err(unsupported(object)),
    }
}

/// The Python object of an array of this library.
///
/// # Errors
/// `TypeError` for anything else.
pub fn owner<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Result<&'a Bound<'py, NdArray>> {
    object.cast::<NdArray>().map_err(|_| unsupported(object))
}

/// The Python object of an array of this library, made of a sequence if need be.
///
/// # Errors
/// `TypeError` for anything else.
pub fn owner_or_sequence<'py>(object: &Bound<'py, PyAny>) -> Result<Bound<'py, NdArray>> {
    owner(&sequence_to_array(object, || Ok(Context::current()?))?).cloned()
}

/// An `out=` argument.
///
/// # Errors
/// `TypeError` for what is no array of this library, `ValueError` for one that is read-only.
pub fn out<'a>(object: Option<&'a Bound<'_, PyAny>>) -> Result<Option<ArrayRef<'a>>> {
    let Some(object) = object.filter(|object| !object.is_none()) else { return Ok(None) };
    match object.cast::<NdArray>() {
        Ok(array) => Ok(Some(ArrayRef::Borrowed(array.get().output()?))),
        Err(_) => Err(type_error("return arrays must be of ArrayType, which here is cuproxide.ndarray")),
    }
}

/// Checks the type of an `out=` that stands in for a buffer of the result, which its type must fit, as in NumPy.
///
/// # Errors
/// `TypeError` for one that does not.
pub fn writes_back(target: &Array, result: &Array) -> Result<()> {
    if can_cast(target.dtype(), result.dtype(), Casting::Safe) {
        return Ok(());
    }
    Err(type_error(format!(
        "Cannot cast array data from dtype('{}') to dtype('{}') according to the rule 'safe'",
        target.dtype(),
        result.dtype()
    )))
}

/// Checks a `like=` argument, which says whose arrays to make: only this library's can be made here.
pub fn like(object: Option<&Bound<'_, PyAny>>) -> Result<()> {
    match object.filter(|object| !object.is_none()) {
        Some(object) if !object.is_instance_of::<NdArray>() => {
            Err(type_error(format!("The `like` argument must be an array of this library, not {}", object.get_type())))
        }
        _ => Ok(()),
    }
}

/// A `where=` argument: nothing for `True`; a mask that has to be made is made on `context`.
pub fn mask<'a>(object: Option<&'a Bound<'_, PyAny>>, context: Option<&Arc<Context>>) -> Result<Option<ArrayRef<'a>>> {
    if let Some(Ok(array)) = object.map(|object| object.cast::<NdArray>()) {
        return Ok(Some(ArrayRef::Borrowed(array.get().read())));
    }
    let Some(object) = given(object)? else { return Ok(None) };
    match Number::parse(object)? {
        Some(Number::Typed(truth)) if truth.dtype == DType::Bool => {
            if truth.to_integer() != 0 {
                return Ok(None);
            }
            mask_of(false, context)
        }
        // As in NumPy: of numbers and of sequences truth values are made, of arrays they are not.
        Some(number) if !Numpy::get(object.py())?.is_array(object)? => {
            if number.element(DType::Bool)?.to_integer() != 0 {
                return Ok(None);
            }
            mask_of(false, context)
        }
        None if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() => {
            let context = context.map_or_else(Context::current, |context| Ok(context.clone()))?;
            Ok(Some(ArrayRef::Owned(interop::to_be_assigned(object, &context, DType::Bool)?)))
        }
        _ => Err(unsupported(object)),
    }
}

/// A mask without axes.
fn mask_of<'a>(truth: bool, context: Option<&Arc<Context>>) -> Result<Option<ArrayRef<'a>>> {
    let context = context.map_or_else(Context::current, |context| Ok(context.clone()))?;
    let mask = creation::full(&context, DType::Bool, &[], Order::C, Scalar::integer(DType::Bool, truth.into()))?;
    Ok(Some(ArrayRef::Owned(mask)))
}

/// An argument that is an array or a number, as an array; numbers take `dtype`, or their own type.
pub fn array_or_number<'a>(
    object: &'a Bound<'_, PyAny>,
    context: &Arc<Context>,
    dtype: Option<DType>,
) -> Result<ArrayRef<'a>> {
    match Argument::parse(object)? {
        Some(Argument::Array(array)) => Ok(array),
        Some(Argument::Number(number)) => {
            let value = number.converted(object.py(), dtype.unwrap_or_else(|| number.dtype()))?;
            Ok(ArrayRef::Owned(creation::full(context, value.dtype, &[], Order::C, value)?))
        }
        None => Ok(ArrayRef::Owned(match dtype {
            Some(dtype) => interop::to_be_assigned(object, context, dtype)?,
            None => interop::from_anything(object, context)?,
        })),
    }
}

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
