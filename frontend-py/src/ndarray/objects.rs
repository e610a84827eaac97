//! The Python objects of arrays. Programs make one for each operation and soon drop it, so the memory of those that were dropped
//! is kept for the next ones. PyO3's list of free objects takes a lock each time, and makes its objects by way of `object.__new__`.
//! Objects in memory that was used before are not tracked by Python's collector, which finds no references in arrays anyway: like
//! NumPy's they are missing from `gc.get_objects()`.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use cuproxide_core::Array;
use cuproxide_core::ops::elementwise::Expected;
use pyo3::ffi;
use pyo3::impl_::pyclass::{PyClassImpl, PyClassItems};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyDict, PyTuple, PyType};

use super::NdArray;
use crate::dtypes;
use crate::errors::Result;

/// Whether one thread at a time is attached to the interpreter. Free-threaded builds keep no list, and expect no operation in a
/// slot, since both would need a lock there.
pub const IS_ALONE: bool = cfg!(not(Py_GIL_DISABLED));

/// Most pieces of memory that are kept: results that a program of some hundred operations holds at a time.
const MOST: usize = 512;

/// Memory of dropped objects of exactly this class, whose contents have been dropped, too.
struct Spare(UnsafeCell<Vec<*mut ffi::PyObject>>);

// SAFETY: only threads that are attached to the interpreter use what is in it, and only where there is one at a time.
unsafe impl Sync for Spare {}

static SPARE: Spare = Spare(UnsafeCell::new(Vec::new()));

/// The class `ndarray`. PyO3 asks each time whether it has been made yet.
static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(ptr::null_mut());

/// Where the contents lie in an object, in bytes from its start.
static PLACE: AtomicUsize = AtomicUsize::new(0);

/// Whether an object is of exactly the class `ndarray`.
///
/// # Safety
/// The thread is attached to the interpreter, and the object exists.
#[inline(always)]
pub unsafe fn is_array(object: *mut ffi::PyObject) -> bool {
    // SAFETY: as promised by the caller.
    unsafe { ffi::Py_TYPE(object) == CLASS.load(Ordering::Relaxed) }
}

/// The array of an object of exactly the class `ndarray`, where no lock is needed to look at it.
///
/// # Safety
/// The thread is attached to the interpreter, and the object exists; the array is not used after other code may have run in this
/// thread.
#[inline(always)]
pub unsafe fn peek<'a>(object: *mut ffi::PyObject) -> Option<&'a Array> {
    // SAFETY: one of exactly this class is an `NdArray`, which the caller's reference keeps alive. Its array is replaced by attached
    // threads only, of which this is the one.
    unsafe {
        if !IS_ALONE || !is_array(object) {
            return None;
        }
        let array = Borrowed::from_ptr(Python::assume_attached(), object).cast_unchecked::<NdArray>();
        Some(&*array.get().array.data_ptr())
    }
}

/// An object for an array that owns its memory.
#[inline(always)]
fn new(py: Python<'_>, array: Array) -> Result<Bound<'_, NdArray>> {
    of(py, NdArray::new(array))
}

/// An object for the result of an operation that was expected.
#[inline(always)]
pub fn followed(py: Python<'_>, made: Expected) -> Result<Bound<'_, NdArray>> {
    with(py, || NdArray::new(made.array()))
}

/// An object with these contents.
#[inline(always)]
fn of(py: Python<'_>, contents: NdArray) -> Result<Bound<'_, NdArray>> {
    with(py, || contents)
}

/// An object with contents that are made where they are to stay.
#[inline(always)]
fn with(py: Python<'_>, contents: impl FnOnce() -> NdArray) -> Result<Bound<'_, NdArray>> {
    // SAFETY: where the list is used, this thread alone is attached, and no other code runs while it is borrowed.
    let spare = if IS_ALONE { unsafe { (*SPARE.0.get()).pop() } } else { None };
    let Some(memory) = spare else { return anew(py, contents()) };
    // SAFETY: the memory is that of an object of this class whose contents were dropped, with no weak references left, which
    // nobody else knows. It gets new contents, a class and one reference.
    unsafe {
        memory.byte_add(PLACE.load(Ordering::Relaxed)).cast::<NdArray>().write(contents());
        ffi::PyObject_Init(memory, CLASS.load(Ordering::Relaxed));
        Ok(Bound::from_owned_ptr(py, memory).cast_into_unchecked())
    }
}

/// An object in memory that is new to the list.
#[cold]
fn anew(py: Python<'_>, contents: NdArray) -> Result<Bound<'_, NdArray>> {
    let made = Bound::new(py, contents)?;
    PLACE.store(ptr::from_ref(made.get()).addr() - made.as_ptr().addr(), Ordering::Relaxed);
    CLASS.store(NdArray::type_object_raw(py), Ordering::Relaxed);
    Ok(made)
}

/// A Python object for a new array.
#[inline]
pub fn wrap(py: Python<'_>, array: Array) -> Result<Bound<'_, PyAny>> {
    Ok(new(py, array)?.into_any())
}

/// A Python object for a view of another one's memory, of the same class.
pub fn wrap_view<'py>(owner: &Bound<'py, NdArray>, array: Array) -> Result<Bound<'py, PyAny>> {
    let plain = plain_view(owner, array)?;
    if owner.is_exact_instance_of::<NdArray>() {
        return Ok(plain.into_any());
    }
    of_class(&owner.get_type(), plain, owner)
}

/// A Python object of no subclass for a view of another one's memory.
pub fn plain_view<'py>(owner: &Bound<'py, NdArray>, array: Array) -> Result<Bound<'py, NdArray>> {
    let py = owner.py();
    let base = match &owner.get().base {
        Some(base) => base.clone_ref(py),
        None => owner.clone().into_any().unbind(),
    };
    of(py, NdArray::over_memory_of(base, array, owner.get().is_read_only()))
}

/// A Python object of a subclass for a new array, made from `like` as NumPy's `__array_finalize__` protocol has it.
pub fn wrap_like<'py>(like: &Bound<'py, NdArray>, array: Array) -> Result<Bound<'py, PyAny>> {
    wrap_like_at_once(like, array)
}

/// [`wrap_like`] within its caller: an operator that only records has few instructions besides.
#[inline(always)]
pub fn wrap_like_at_once<'py>(like: &Bound<'py, NdArray>, array: Array) -> Result<Bound<'py, PyAny>> {
    let plain = new(like.py(), array)?;
    if like.is_exact_instance_of::<NdArray>() { Ok(plain.into_any()) } else { of_class(&like.get_type(), plain, like) }
}

/// Makes an object of a subclass over the memory of a plain array and lets the class finish it.
pub fn of_class<'py>(
    class: &Bound<'py, PyType>,
    plain: Bound<'py, NdArray>,
    like: &Bound<'py, NdArray>,
) -> Result<Bound<'py, PyAny>> {
    let py = class.py();
    let (shape, strides, dtype) = {
        let array = plain.get().read();
        (PyTuple::new(py, array.shape())?, PyTuple::new(py, array.strides())?, dtypes::to_numpy(py, array.dtype())?)
    };
    let arguments = PyDict::new(py);
    arguments.set_item(intern!(py, "memptr"), &plain)?;
    arguments.set_item(intern!(py, "strides"), strides)?;
    let new = py.get_type::<NdArray>().getattr(intern!(py, "__new__"))?;
    let made = new.call((class, shape, dtype), Some(&arguments))?;
    made.call_method1(intern!(py, "__array_finalize__"), (like,))?;
    Ok(made)
}

/// The slot that gives back the memory of an object.
///
/// # Safety
/// The thread is attached to the interpreter; the object's contents have been dropped, and it is not tracked.
unsafe extern "C" fn free(memory: *mut c_void) {
    let object = memory.cast::<ffi::PyObject>();
    // SAFETY: as promised by the caller; where the list is used, this thread alone is attached, and no other code runs while it
    // is borrowed.
    unsafe {
        if IS_ALONE && is_array(object) && (*SPARE.0.get()).len() < MOST {
            (*SPARE.0.get()).push(object);
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
