//! The type slots of binary operators, one row each.
//!
//! PyO3's own slots set up a guard before they inspect their operands, which takes as long as recording a predicted operation.
//! These slots therefore first try [`elementwise::follow`], which needs no guard, because it runs no Python code and never
//! fails. All other calls use PyO3's trampoline.

use std::any::Any;
use std::marker::PhantomData;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use cuproxide_core::ops::elementwise::{self, Input};
use cuproxide_core::ufunc::Ufunc;
use pyo3::ffi;
use pyo3::impl_::pyclass::{PyClassImpl, PyClassItems};
use pyo3::impl_::trampoline::{MethodDef, binaryfunc};
use pyo3::panic::PanicException;
use pyo3::prelude::*;

use super::expected::input;
use super::operators::{OPERATORS, binary, in_place};
use super::{NdArray, objects};

/// The ufunc of an operator.
trait Operator {
    fn ufunc() -> &'static Ufunc;
}

/// The fallback of an operator's slot, for PyO3's trampoline.
struct Apply<O>(PhantomData<O>);

impl<O: Operator> MethodDef<binaryfunc::Func> for Apply<O> {
    const METH: binaryfunc::Func = apply_fallback::<O>;
}

/// [`Apply`] for an in-place operator.
struct Update<O>(PhantomData<O>);

impl<O: Operator> MethodDef<binaryfunc::Func> for Update<O> {
    const METH: binaryfunc::Func = update_fallback::<O>;
}

/// The slot of an operator.
///
/// # Safety
/// The thread is attached to the interpreter, and the operands are objects.
unsafe extern "C" fn apply<O: Operator>(left: *mut ffi::PyObject, right: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as promised by the caller.
    let followed = catch_unwind(AssertUnwindSafe(|| unsafe { follow(O::ufunc(), left, right) }));
    match followed {
        Ok(Some(made)) => made,
        // SAFETY: as promised by the caller.
        Ok(None) => unsafe { binaryfunc::<Apply<O>>(left, right) },
        // SAFETY: as promised by the caller.
        Err(payload) => unsafe { raise_panic(payload) },
    }
}

/// The slot of an in-place operator.
///
/// # Safety
/// As for [`apply`].
unsafe extern "C" fn update<O: Operator>(left: *mut ffi::PyObject, right: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as promised by the caller.
    let followed = catch_unwind(AssertUnwindSafe(|| unsafe { follow_update(O::ufunc(), left, right) }));
    match followed {
        // SAFETY: the caller gets a reference of its own.
        Ok(Some(())) => unsafe {
            ffi::Py_INCREF(left);
            left
        },
        // SAFETY: as promised by the caller.
        Ok(None) => unsafe { binaryfunc::<Update<O>>(left, right) },
        // SAFETY: as promised by the caller.
        Err(payload) => unsafe { raise_panic(payload) },
    }
}

/// Sets a Python exception for a panic, and returns a null pointer.
///
/// # Safety
/// The thread is attached to the interpreter.
#[cold]
unsafe fn raise_panic(payload: Box<dyn Any + Send>) -> *mut ffi::PyObject {
    // SAFETY: as promised by the caller.
    let py = unsafe { Python::assume_attached() };
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    PanicException::new_err(text.unwrap_or("panic from Rust code").to_owned()).restore(py);
    // Dropping the payload could panic again.
    mem::forget(payload);
    ptr::null_mut()
}

/// Updates an array if the script of the current group predicts the operation; otherwise returns `None` and does nothing.
///
/// # Safety
/// As for [`apply`].
#[inline]
unsafe fn follow_update(ufunc: &'static Ufunc, left: *mut ffi::PyObject, right: *mut ffi::PyObject) -> Option<()> {
    // SAFETY: the thread stays attached during this function, which runs no Python code.
    unsafe {
        let inputs = [input(left)?, input(right)?];
        let Input::Array(out) = inputs[0] else { return None };
        let object = Borrowed::from_ptr(Python::assume_attached(), left).cast_unchecked::<NdArray>();
        let is_updated = !object.get().is_read_only() && elementwise::follow_into(ufunc, &inputs, out);
        is_updated.then_some(())
    }
}

/// The result of an operation that the script of the current group predicts, or a null pointer if allocating its object fails.
///
/// # Safety
/// As for [`apply`].
#[inline]
unsafe fn follow(
    ufunc: &'static Ufunc,
    left: *mut ffi::PyObject,
    right: *mut ffi::PyObject,
) -> Option<*mut ffi::PyObject> {
    // SAFETY: the thread stays attached during this function, which runs no Python code before the last use of the inputs.
    let (py, inputs) = unsafe { (Python::assume_attached(), [input(left)?, input(right)?]) };
    match objects::wrap_expected(py, elementwise::follow(ufunc, &inputs)?) {
        Ok(object) => Some(object.into_ptr()),
        Err(failure) => {
            PyErr::from(failure).restore(py);
            Some(ptr::null_mut())
        }
    }
}

/// The operator of the left operand, then the reflected one of the right operand.
///
/// # Safety
/// As for [`apply`].
unsafe fn apply_fallback<O: Operator>(
    py: Python<'_>,
    left: *mut ffi::PyObject,
    right: *mut ffi::PyObject,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: as promised by the caller.
    let (left, right) = unsafe { (Borrowed::from_ptr(py, left), Borrowed::from_ptr(py, right)) };
    for (own, other, reflected) in [(&left, &right, false), (&right, &left, true)] {
        if let Ok(own) = own.cast::<NdArray>() {
            let made = binary(&own, other, O::ufunc(), reflected)?;
            if !made.is(py.NotImplemented()) {
                return Ok(made.into_ptr());
            }
        }
    }
    Ok(py.NotImplemented().into_ptr())
}

/// The in-place operator.
///
/// # Safety
/// As for [`apply`].
unsafe fn update_fallback<O: Operator>(
    py: Python<'_>,
    left: *mut ffi::PyObject,
    right: *mut ffi::PyObject,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: as promised by the caller.
    let (left, right) = unsafe { (Borrowed::from_ptr(py, left), Borrowed::from_ptr(py, right)) };
    let target = left.cast::<NdArray>()?;
    in_place(&target, &right, O::ufunc())?;
    Ok(left.to_owned().into_ptr())
}

/// Registers the slots of operators and in-place operators with the class, from rows of the ufunc table.
macro_rules! slots {
    ($($slot:ident, $update:ident => $row:ident $name:ident;)*) => {
        $(
            struct $name;

            impl Operator for $name {
                #[inline]
                fn ufunc() -> &'static Ufunc {
                    OPERATORS.$row
                }
            }
        )*

        pyo3::inventory::submit! {
            type Inventory = <NdArray as PyClassImpl>::Inventory;
            Inventory::new(PyClassItems {
                methods: &[],
                slots: &[$(
                    ffi::PyType_Slot { slot: ffi::$slot, pfunc: apply::<$name> as *mut _ },
                    ffi::PyType_Slot { slot: ffi::$update, pfunc: update::<$name> as *mut _ },
                )*],
            })
        }
    };
}

slots! {
    Py_nb_add, Py_nb_inplace_add => add Add;
    Py_nb_subtract, Py_nb_inplace_subtract => subtract Subtract;
    Py_nb_multiply, Py_nb_inplace_multiply => multiply Multiply;
    Py_nb_true_divide, Py_nb_inplace_true_divide => divide Divide;
    Py_nb_floor_divide, Py_nb_inplace_floor_divide => floor_divide FloorDivide;
    Py_nb_remainder, Py_nb_inplace_remainder => remainder Remainder;
    Py_nb_lshift, Py_nb_inplace_lshift => left_shift LeftShift;
    Py_nb_rshift, Py_nb_inplace_rshift => right_shift RightShift;
    Py_nb_and, Py_nb_inplace_and => bitwise_and And;
    Py_nb_or, Py_nb_inplace_or => bitwise_or Or;
    Py_nb_xor, Py_nb_inplace_xor => bitwise_xor Xor;
}
