//! Arguments of Python functions as the core wants them.

use std::ffi::CString;
use std::ops::Deref;
use std::sync::Arc;

use cuproxide_core::layout::Order;
use cuproxide_core::ops::creation;
use cuproxide_core::ops::elementwise::Input;
use cuproxide_core::promotion::{Casting, can_cast};
use cuproxide_core::{Array, Context};
use cuproxide_hal::{DType, Scalar};
use parking_lot::RwLockReadGuard;
use pyo3::exceptions::PyDeprecationWarning;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyRange, PyTuple};
use smallvec::SmallVec;

use crate::dtypes::Numpy;
use crate::errors::{Result, type_error, value_error};
use crate::interop;
use crate::ndarray::{NdArray, wrap};
pub use crate::plain::{
    Passed, axes, axis, casting, copy_flag, dense, flag, given, given_axis, integers, is_ellipsis, keepdims,
    optional_flag, order, positions, reach, shape, wants_fortran, wrong_count,
};
use crate::scalars::Number;
use crate::settings;

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
        Err(_) if is_ellipsis(object) => Err(type_error("out=... is only allowed as a keyword argument of ufuncs")),
        Err(_) => Err(type_error("return arrays must be of ArrayType, which here is cuproxide.ndarray")),
    }
}

/// The `out=` of a ufunc as given by name: `...` asks for an array, which results are anyway.
pub fn named_out<'a, 'py>(object: Option<&'a Bound<'py, PyAny>>) -> Option<&'a Bound<'py, PyAny>> {
    object.filter(|object| !object.is_none() && !is_ellipsis(object))
}

/// `out=...` is about all results.
pub fn no_ellipsis(out: &Bound<'_, PyTuple>) -> Result<()> {
    if out.iter().any(|object| is_ellipsis(&object)) {
        return Err(type_error("must use `...` as `out=...` and not per-operand/in a tuple"));
    }
    Ok(())
}

/// The array in the `out=` of a function of one result, which may be a tuple of one: of `None` alone, it is `None`.
pub fn only_out<'py>(out: Option<&Bound<'py, PyAny>>) -> Result<Option<Bound<'py, PyAny>>> {
    let Some(out) = named_out(out) else { return Ok(None) };
    match out.cast::<PyTuple>() {
        Ok(tuple) if tuple.len() == 1 => {
            no_ellipsis(tuple)?;
            Ok(Some(tuple.get_item(0)?))
        }
        Ok(_) => Err(value_error("The 'out' tuple must have exactly one entry per ufunc output")),
        Err(_) => Ok(Some(out.clone())),
    }
}

/// Warns, as NumPy does, where an `out=` is of another kind than the result that is cast to it.
///
/// # Errors
/// The warning itself, where warnings are errors.
pub fn warn_of_another_kind(py: Python<'_>, from: DType, to: DType) -> PyResult<()> {
    if can_cast(from, to, Casting::SameKind) {
        return Ok(());
    }
    let message = format!("casting {from} to out of dtype {to}, a different kind, is deprecated");
    PyErr::warn(py, &py.get_type::<PyDeprecationWarning>(), &CString::new(message)?, 1)
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
        let array = array.get().read();
        // First of all that may be wrong, as in NumPy, where it is a cast of the argument.
        if array.dtype() != DType::Bool {
            return Err(cuproxide_core::Error::Casting(format!(
                "Cannot cast array data from dtype('{}') to dtype('bool') according to the rule 'safe'",
                array.dtype()
            ))
            .into());
        }
        return Ok(Some(ArrayRef::Borrowed(array)));
    }
    // `...` is true, as any object of Python's is unless it says otherwise.
    let Some(object) = given(object)?.filter(|object| !is_ellipsis(object)) else { return Ok(None) };
    // As in NumPy, `True` itself is no mask, and whatever else is true is one that selects everything.
    if object.cast::<PyBool>().is_ok_and(PyBoolMethods::is_true) {
        return Ok(None);
    }
    match Number::parse(object)? {
        Some(Number::Typed(truth)) if truth.dtype == DType::Bool => mask_of(truth.to_integer() != 0, context),
        // As in NumPy: of numbers and of sequences truth values are made, of arrays they are not.
        Some(number) if !Numpy::get(object.py())?.is_array(object)? => {
            mask_of(number.element(DType::Bool)?.to_integer() != 0, context)
        }
        None if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() => {
            let context = context.map_or_else(Context::current, |context| Ok(context.clone()))?;
            Ok(Some(ArrayRef::Owned(interop::to_be_assigned(object, &context, DType::Bool)?)))
        }
        _ => Err(unsupported(object)),
    }
}

/// The `where=` of a ufunc, where `None` is false, as NumPy's ufuncs have it.
pub fn no_mask_is_false<'py>(object: Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    if object.is_none() { PyBool::new(object.py(), false).to_owned().into_any() } else { object }
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
