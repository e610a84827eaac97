//! Calls that match the prediction of the fuser, from Python objects.

use cuproxide_core::ops::elementwise::{self, Input};
use cuproxide_core::ufunc::Ufunc;
use pyo3::ffi;
use pyo3::prelude::*;

use super::objects;
use crate::errors::Result;

/// The result of a ufunc call with one to three operands, if the script of the current group predicts it.
#[inline]
pub fn follow_call<'py>(
    py: Python<'py>,
    ufunc: &'static Ufunc,
    operands: &[&Bound<'py, PyAny>],
) -> Option<Result<Bound<'py, PyAny>>> {
    if !elementwise::is_any_expected() {
        return None;
    }
    // SAFETY: no Python code runs before the inputs' last use.
    let input = |position: usize| unsafe { input(operands[position].as_ptr()) };
    let made = match operands.len() {
        1 => elementwise::follow(ufunc, &[input(0)?]),
        2 => elementwise::follow(ufunc, &[input(0)?, input(1)?]),
        3 => elementwise::follow(ufunc, &[input(0)?, input(1)?, input(2)?]),
        _ => None,
    };
    Some(objects::wrap_expected(py, made?).map(Bound::into_any))
}

/// An operand that is an array, a float or an int of 64 bits, and no instance of a subclass of these; `None` for all others.
///
/// # Safety
/// The thread is attached to the interpreter, and the object is alive. The caller drops the input before any other code may run
/// in this thread.
#[inline]
pub unsafe fn input<'a>(object: *mut ffi::PyObject) -> Option<Input<'a>> {
    if !objects::HAS_GIL || !elementwise::is_any_expected() {
        return None;
    }
    // SAFETY: as promised by the caller; an object has a class.
    unsafe {
        let class = ffi::Py_TYPE(object);
        if let Some(array) = objects::peek(object) {
            return Some(Input::Array(array));
        }
        if class == &raw mut ffi::PyFloat_Type {
            return Some(Input::Float(ffi::PyFloat_AsDouble(object)));
        }
        if class == &raw mut ffi::PyLong_Type {
            let mut overflow = 0;
            let value = ffi::PyLong_AsLongLongAndOverflow(object, &raw mut overflow);
            return (overflow == 0).then_some(Input::Int(value.into()));
        }
        None
    }
}
