//! The class `ndarray`, one file for each subject: attributes, operators, indexing, methods, conversion. `slots` and `expected`
//! are the fast path of operators, `objects` allocates the Python objects.

mod attributes;
pub mod expected;
mod flags;
mod indexing;
mod interop;
mod methods;
mod objects;
mod operators;
mod reductions;
mod shapes;
mod slots;
mod storage;

pub use flags::Flags;
pub use indexing::{ArrayIterator, scatter};
pub use interop::rebuild;
pub use objects::{attached_snapshot, of_class, peek, plain_view, wrap, wrap_like, wrap_like_at_once, wrap_view};

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cuproxide_core::layout::{Layout, Order, Strides, checked_size};
use cuproxide_core::storage::Storage;
use cuproxide_core::{Array, Context, trace};
use cuproxide_hal::DType;
use parking_lot::{RwLock, RwLockReadGuard};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::dtypes;
use crate::errors::{Result, type_error, value_error};
use crate::memory::MemoryPointer;
use crate::plain;

/// How long [`NdArray::change`] waits for operations of other threads on the same array.
const PATIENCE: Duration = Duration::from_secs(5);

/// An n-dimensional array on a device.
///
/// Parameters
/// ----------
/// shape : int or tuple of int
///     The shape.
/// dtype : dtype, optional
///     The type of the elements, float64 by default.
/// memptr : MemoryPointer, optional
///     The memory of the elements, which the array keeps alive; new, uninitialised memory by default.
/// strides : tuple of int, optional
///     The bytes from one element to the next along each axis; by default they follow from the order.
/// order : {"C", "F"}, optional
///     The order in memory.
///
/// See Also
/// --------
/// array : An array from data.
/// zeros, empty : A new array of zeros, and an uninitialised one.
///
/// Examples
/// --------
/// >>> x = cp.ndarray((2, 3), np.float32)
/// >>> x.fill(1)
/// >>> x.sum()
/// array(6., dtype=float32)
#[pyclass(name = "ndarray", module = "cuproxide", subclass, frozen, weakref)]
pub struct NdArray {
    /// Assigning to `shape`, `strides` or `dtype`, and `resize`, replace the array. Writers never wait for this lock.
    array: RwLock<Array>,
    /// The array object that owns the memory.
    base: Option<Py<PyAny>>,
    /// Whether writing through this object is an error; new views inherit this.
    read_only: AtomicBool,
}

impl NdArray {
    /// An array that owns its memory.
    #[inline]
    pub fn new(array: Array) -> NdArray {
        NdArray { array: RwLock::new(array), base: None, read_only: AtomicBool::new(false) }
    }

    /// A view of another array's memory, which is as writeable as that one.
    pub fn over_memory_of(base: Py<PyAny>, array: Array, read_only: bool) -> NdArray {
        NdArray { array: RwLock::new(array), base: Some(base), read_only: AtomicBool::new(read_only) }
    }

    /// The array object that owns the memory, if it is not this one.
    pub fn owner(&self) -> Option<&Py<PyAny>> {
        self.base.as_ref()
    }

    /// The array, borrowed.
    #[inline]
    pub fn read(&self) -> RwLockReadGuard<'_, Array> {
        self.array.read()
    }

    /// The array, as a view of the same memory.
    pub fn snapshot(&self) -> Array {
        self.array.read().clone()
    }

    /// Whether the elements must not be written to.
    pub fn is_read_only(&self) -> bool {
        self.read_only.load(Ordering::Relaxed)
    }

    /// Sets whether the elements must not be written to.
    pub fn set_read_only(&self, read_only: bool) {
        self.read_only.store(read_only, Ordering::Relaxed);
    }

    /// The array, as a view of the same memory to write to.
    ///
    /// # Errors
    /// `ValueError` if the array is read-only.
    pub fn target(&self) -> Result<Array> {
        if self.is_read_only() {
            return Err(value_error("assignment destination is read-only"));
        }
        Ok(self.snapshot())
    }

    /// The array, borrowed as the output of an operation.
    ///
    /// # Errors
    /// `ValueError` if the array is read-only.
    pub fn output(&self) -> Result<RwLockReadGuard<'_, Array>> {
        if self.is_read_only() {
            return Err(value_error("output array is read-only"));
        }
        Ok(self.read())
    }

    /// Replaces the array, as soon as no operation borrows it.
    ///
    /// # Errors
    /// Those of `make`; `ValueError` if the array is still borrowed after some seconds.
    pub fn change(&self, py: Python<'_>, make: impl Fn(&Array) -> Result<Array>) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        let mut made: Option<(Array, Array)> = None;
        loop {
            // Made without the lock: this may allocate, wait for the device or run user code.
            let before = self.snapshot();
            if made.as_ref().is_none_or(|(of, _)| !of.is_same_view(&before)) {
                let array = make(&before)?;
                made = Some((before, array));
            }
            if let Some((of, _)) = &made
                && let Some(mut array) = self.array.try_write()
                && array.is_same_view(of)
                && let Some((_, new)) = made.take()
            {
                let old = std::mem::replace(&mut *array, new);
                // Dropped without the lock, for the same reason.
                drop(array);
                drop(old);
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(value_error("cannot change the shape of an array while it is in use"));
            }
            py.detach(std::thread::yield_now);
        }
    }
}

impl From<Array> for NdArray {
    fn from(array: Array) -> NdArray {
        NdArray::new(array)
    }
}

#[pymethods]
impl NdArray {
    #[new]
    #[pyo3(signature = (shape, dtype=None, memptr=None, strides=None, order=None))]
    fn __new__(
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        memptr: Option<&Bound<'_, PyAny>>,
        strides: Option<&Bound<'_, PyAny>>,
        order: Option<&str>,
    ) -> Result<NdArray> {
        let shape = plain::shape(shape)?;
        let dtype = dtypes::parse_or_float(dtype)?;
        let fortran = plain::order(order, Order::C)? == Order::F;
        checked_size(&shape, dtype.size())?;
        let layout = match strides.filter(|strides| !strides.is_none()) {
            None => Layout::contiguous(&shape, dtype.size(), fortran),
            Some(strides) => {
                let strides: Strides = plain::integers(strides)?;
                plain::reach(&shape, &strides, dtype)?;
                Layout::new(shape, strides, dtype.size())
            }
        };
        match memptr.filter(|memptr| !memptr.is_none()) {
            None => {
                let (low, high) = layout.extent(dtype.size());
                if low < 0 || high as usize > layout.size() * dtype.size() {
                    return Err(value_error(
                        "strides is incompatible with shape of requested array and size of buffer",
                    ));
                }
                allocate(dtype, layout)
            }
            Some(memptr) => over(memptr, dtype, layout),
        }
    }

    #[classattr]
    fn __array_priority__() -> f64 {
        100.0
    }

    #[classattr]
    fn __hash__() -> Option<Py<PyAny>> {
        None
    }

    #[classmethod]
    fn __class_getitem__<'py>(class: &Bound<'py, PyType>, item: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        Ok(class.py().import("types")?.getattr("GenericAlias")?.call1((class, item))?)
    }
}

/// A new array of a layout.
fn allocate(dtype: DType, layout: Layout) -> Result<NdArray> {
    let (low, high) = layout.extent(dtype.size());
    let storage = Storage::allocate(&Context::current()?, (high - low) as usize)?;
    Ok(NdArray::new(Array::from_storage(storage, dtype, layout.shape, layout.strides, -low as usize)))
}

/// An array over existing memory.
fn over(memptr: &Bound<'_, PyAny>, dtype: DType, layout: Layout) -> Result<NdArray> {
    trace::refuse("it makes an array over the memory of another array");
    let (storage, offset, base, read_only) = if let Ok(pointer) = memptr.cast::<MemoryPointer>() {
        let (storage, offset) = pointer.get().place();
        (storage, offset, None, false)
    } else if let Ok(array) = memptr.cast::<NdArray>() {
        let own = array.get();
        let base =
            own.base.as_ref().map_or_else(|| array.clone().into_any().unbind(), |base| base.clone_ref(array.py()));
        let view = own.snapshot();
        (view.storage().clone(), view.offset(), Some(base), own.is_read_only())
    } else {
        return Err(type_error(format!("memptr must be a MemoryPointer or an ndarray, not {}", memptr.get_type())));
    };
    let (low, high) = layout.extent(dtype.size());
    let start = offset as isize;
    if start + low < 0 || start + high > storage.bytes() as isize {
        return Err(value_error("the array would reach outside the memory at memptr"));
    }
    let array = Array::from_storage(storage, dtype, layout.shape, layout.strides, offset);
    Ok(NdArray { array: RwLock::new(array), base, read_only: AtomicBool::new(read_only) })
}
