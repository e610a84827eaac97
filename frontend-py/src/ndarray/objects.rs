//! The Python objects of arrays. Programs make one for each operation and soon drop it, so the memory of those that were dropped
//! is kept for the next ones. PyO3's list of free objects takes a lock each time, and makes its objects by way of `object.__new__`.

use std::cell::UnsafeCell;
use std::ffi::c_void;

use cuproxide_core::Array;
use pyo3::ffi;
use pyo3::impl_::pyclass::{PyClassImpl, PyClassItems};
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;

use super::NdArray;
use crate::errors::Result;

/// Most pieces of memory that are kept: results that a program of some hundred operations holds at a time.
const MOST: usize = 512;

/// Memory of dropped objects of exactly this class, whose contents have been dropped, too.
struct Spare(UnsafeCell<Vec<*mut ffi::PyObject>>);

// SAFETY: only threads that are attached to the interpreter, of which there is one at a time, use what is in it.
unsafe impl Sync for Spare {}

static SPARE: Spare = Spare(UnsafeCell::new(Vec::new()));

/// An object for an array that owns its memory.
#[inline(always)]
pub fn new(py: Python<'_>, array: Array) -> Result<Bound<'_, NdArray>> {
    of(py, NdArray::new(array))
}

/// An object with these contents.
#[inline(always)]
pub fn of(py: Python<'_>, contents: NdArray) -> Result<Bound<'_, NdArray>> {
    // SAFETY: this thread is attached, and no other code runs while the list is borrowed.
    let spare = unsafe { (*SPARE.0.get()).pop() };
    let Some(memory) = spare else { return Ok(Bound::new(py, contents)?) };
    // SAFETY: the memory is that of an object of this class whose contents were dropped, with no weak references left; nobody
    // else knows it. It gets a class and one reference again, and then contents, which are not dropped once more before.
    unsafe {
        ffi::PyObject_Init(memory, NdArray::type_object_raw(py));
        let object = Bound::from_owned_ptr(py, memory).cast_into_unchecked::<NdArray>();
        std::ptr::from_ref(object.get()).cast_mut().write(contents);
        Ok(object)
    }
}

/// The slot that gives back the memory of an object.
///
/// # Safety
/// The thread is attached to the interpreter; the object's contents have been dropped, and it is not tracked.
unsafe extern "C" fn free(memory: *mut c_void) {
    // SAFETY: as promised by the caller; no other code runs while the list is borrowed.
    unsafe {
        let object = memory.cast::<ffi::PyObject>();
        let spare = &mut *SPARE.0.get();
        if ffi::Py_TYPE(object) == NdArray::type_object_raw(Python::assume_attached()) && spare.len() < MOST {
            spare.push(object);
        } else {
            ffi::PyObject_GC_Del(memory);
        }
    }
}

pyo3::inventory::submit! {
    type Inventory = <NdArray as PyClassImpl>::Inventory;
    Inventory::new(PyClassItems {
        methods: &[],
        slots: &[ffi::PyType_Slot { slot: ffi::Py_tp_free, pfunc: free as *mut _ }],
    })
}
