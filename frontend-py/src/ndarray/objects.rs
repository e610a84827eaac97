//! Allocation of the Python objects of arrays.
//!
//! Programs make an object for each operation and soon drop it, so a free list keeps the memory of dropped objects for new ones.
//! PyO3's own free list takes a lock each time and calls `object.__new__`. Objects from the free list are not tracked by Python's
//! garbage collector. Arrays have no `tp_traverse`, so the collector would find no references in them anyway. Like NumPy's
//! arrays, they are missing from `gc.get_objects()`.

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

/// Whether the interpreter has a GIL, so that only one thread at a time is attached. Free-threaded builds use neither the free
/// list nor predictions, because both would need a lock.
pub const HAS_GIL: bool = cfg!(not(Py_GIL_DISABLED));

/// Most objects on the free list: as many results as a program of some hundred operations holds at a time.
const MAX_FREE: usize = 512;

/// The free list: memory of dropped objects of exactly the class `ndarray`, whose contents have been dropped.
struct FreeList(UnsafeCell<Vec<*mut ffi::PyObject>>);

// SAFETY: only attached threads use the list, and only if `HAS_GIL`. PyO3 lets one interpreter of a process import the module, so
// only one thread at a time uses it.
unsafe impl Sync for FreeList {}

static FREE_LIST: FreeList = FreeList(UnsafeCell::new(Vec::new()));

/// The class `ndarray`, once it has been made. PyO3's lookup checks each time whether the class exists.
static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(ptr::null_mut());

/// Bytes from the start of an object to its contents.
static CONTENTS_OFFSET: AtomicUsize = AtomicUsize::new(0);

/// Whether an object is of exactly the class `ndarray`.
///
/// # Safety
/// The thread is attached to the interpreter, and the object is alive.
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
        if !HAS_GIL || !is_array(object) {
            return None;
        }
        let array = Borrowed::from_ptr(Python::assume_attached(), object).cast_unchecked::<NdArray>();
        Some(&*array.get().array.data_ptr())
    }
}

/// [`NdArray::snapshot`] by an attached thread, which takes no lock if there is a GIL.
#[inline]
pub fn attached_snapshot(object: &Bound<'_, NdArray>) -> Array {
    // SAFETY: this thread is attached, and a clone runs no other code.
    unsafe { peek(object.as_ptr()) }.map_or_else(|| object.get().snapshot(), Array::clone)
}

/// An object for an array that owns its memory.
#[inline(always)]
fn new(py: Python<'_>, array: Array) -> Result<Bound<'_, NdArray>> {
    wrap_contents(py, NdArray::new(array))
}

/// An object for the result of a predicted operation.
#[inline(always)]
pub fn wrap_expected(py: Python<'_>, made: Expected) -> Result<Bound<'_, NdArray>> {
    wrap_with(py, || NdArray::new(made.array()))
}

/// An object with these contents.
#[inline(always)]
fn wrap_contents(py: Python<'_>, contents: NdArray) -> Result<Bound<'_, NdArray>> {
    wrap_with(py, || contents)
}

/// An object with contents that are built in place.
#[inline(always)]
fn wrap_with(py: Python<'_>, contents: impl FnOnce() -> NdArray) -> Result<Bound<'_, NdArray>> {
    // SAFETY: with the GIL this thread alone is attached, and no other code runs while the list is borrowed.
    let spare = if HAS_GIL { unsafe { (*FREE_LIST.0.get()).pop() } } else { None };
    let Some(memory) = spare else { return allocate(py, contents()) };
    // SAFETY: the memory is that of a dead object of this class: its contents were dropped, its weak references were cleared, and
    // nothing else points to it. It gets new contents, a class and one reference.
    unsafe {
        memory.byte_add(CONTENTS_OFFSET.load(Ordering::Relaxed)).cast::<NdArray>().write(contents());
        ffi::PyObject_Init(memory, CLASS.load(Ordering::Relaxed));
        Ok(Bound::from_owned_ptr(py, memory).cast_into_unchecked())
    }
}

/// An object in newly allocated memory.
#[cold]
fn allocate(py: Python<'_>, contents: NdArray) -> Result<Bound<'_, NdArray>> {
    let made = Bound::new(py, contents)?;
    CONTENTS_OFFSET.store(ptr::from_ref(made.get()).addr() - made.as_ptr().addr(), Ordering::Relaxed);
    CLASS.store(NdArray::type_object_raw(py), Ordering::Relaxed);
    Ok(made)
}

/// A Python object for a new array.
#[inline]
pub fn wrap(py: Python<'_>, array: Array) -> Result<Bound<'_, PyAny>> {
    Ok(new(py, array)?.into_any())
}

/// A Python object of the owner's class, for a view of the owner's memory.
pub fn wrap_view<'py>(owner: &Bound<'py, NdArray>, array: Array) -> Result<Bound<'py, PyAny>> {
    let plain = plain_view(owner, array)?;
    if owner.is_exact_instance_of::<NdArray>() {
        return Ok(plain.into_any());
    }
    of_class(&owner.get_type(), plain, owner)
}

/// A Python object of the class `ndarray` itself, for a view of the owner's memory.
pub fn plain_view<'py>(owner: &Bound<'py, NdArray>, array: Array) -> Result<Bound<'py, NdArray>> {
    let py = owner.py();
    let base = match &owner.get().base {
        Some(base) => base.clone_ref(py),
        None => owner.clone().into_any().unbind(),
    };
    wrap_contents(py, NdArray::over_memory_of(base, array, owner.get().is_read_only()))
}

/// A Python object of the class of `like` for a new array, by NumPy's `__array_finalize__` protocol.
pub fn wrap_like<'py>(like: &Bound<'py, NdArray>, array: Array) -> Result<Bound<'py, PyAny>> {
    wrap_like_at_once(like, array)
}

/// [`wrap_like`], inlined: recording an operation takes few instructions besides this.
#[inline(always)]
pub fn wrap_like_at_once<'py>(like: &Bound<'py, NdArray>, array: Array) -> Result<Bound<'py, PyAny>> {
    let plain = new(like.py(), array)?;
    if like.is_exact_instance_of::<NdArray>() { Ok(plain.into_any()) } else { of_class(&like.get_type(), plain, like) }
}

/// Makes an object of a subclass over the memory of a plain array, and calls its `__array_finalize__`.
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

/// The `tp_free` slot.
///
/// # Safety
/// The thread is attached to the interpreter. The object's contents have been dropped, and the collector does not track it.
unsafe extern "C" fn free(memory: *mut c_void) {
    let object = memory.cast::<ffi::PyObject>();
    // SAFETY: as promised by the caller. With the GIL this thread alone is attached, and no other code runs while the list is
    // borrowed.
    unsafe {
        if HAS_GIL && is_array(object) && (*FREE_LIST.0.get()).len() < MAX_FREE {
            (*FREE_LIST.0.get()).push(object);
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
