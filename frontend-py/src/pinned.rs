//! Page-locked host memory.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use cuproxide_core::Context;
use cuproxide_core::detach::detached;
use cuproxide_core::memory::{Buffer, Owner};
use cuproxide_hal as hal;
use cuproxide_hal::{Allocation, MemoryKind};
use parking_lot::Mutex;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::{Result, value_error};

struct Locked {
    device: Arc<dyn hal::Device>,
    allocation: Allocation,
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: the block is ours; the program keeps pinned memory until the copies that use it are done.
        let _ = detached(|| unsafe { self.device.free(self.allocation) });
    }
}

/// A block of page-locked host memory. `PinnedMemory(size)` asks the system for one, past the pool.
///
/// A subclass may set `ptr` and `size` itself instead of calling `super().__init__`. The buffer protocol is that of
/// `PinnedMemoryPointer`.
///
/// Parameters
/// ----------
/// size : int
///     The number of bytes.
///
/// See Also
/// --------
/// alloc_pinned_memory : Memory from the pool.
///
/// Examples
/// --------
/// >>> memory = cp.cuda.PinnedMemory(32)
/// >>> host = np.frombuffer(cp.cuda.PinnedMemoryPointer(memory), float, 4)
/// >>> cp.arange(4.0).get(out=host)
/// array([0., 1., 2., 3.])
#[pyclass(module = "cuproxide.cuda", frozen, subclass)]
pub struct PinnedMemory {
    /// Address and bytes.
    place: Mutex<(u64, usize)>,
    /// What this package allocated for it; views of it may be anywhere, so it lives as long as the object.
    blocks: Mutex<Vec<Buffer>>,
}

impl PinnedMemory {
    fn over(buffer: Buffer) -> PinnedMemory {
        PinnedMemory { place: Mutex::new((buffer.ptr, buffer.bytes)), blocks: Mutex::new(vec![buffer]) }
    }

    fn place(&self) -> (u64, usize) {
        *self.place.lock()
    }
}

#[pymethods]
impl PinnedMemory {
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn __new__(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> PinnedMemory {
        PinnedMemory { place: Mutex::default(), blocks: Mutex::default() }
    }

    #[pyo3(signature = (size, flags=0))]
    fn __init__(&self, size: usize, flags: u32) -> Result<()> {
        if flags != 0 {
            return Err(value_error(format!("flags={flags}: only 0 has a meaning on every device")));
        }
        let device = Context::current()?.device().clone();
        let allocation = detached(|| device.allocate(MemoryKind::Pinned, size))?;
        let owner = Owner::Foreign(Arc::new(Locked { device, allocation }));
        self.blocks.lock().push(Buffer { ptr: allocation.ptr, bytes: size, owner });
        *self.place.lock() = (allocation.ptr, size);
        Ok(())
    }

    /// Address of the first byte.
    #[getter]
    fn ptr(&self) -> u64 {
        self.place().0
    }

    #[setter]
    fn set_ptr(&self, ptr: u64) {
        self.place.lock().0 = ptr;
    }

    /// Size in bytes.
    #[getter]
    fn size(&self) -> usize {
        self.place().1
    }

    #[setter]
    fn set_size(&self, size: usize) {
        self.place.lock().1 = size;
    }

    fn __int__(&self) -> u64 {
        self.ptr()
    }
}

/// An address within a `PinnedMemory`. Has the buffer protocol: `numpy.frombuffer(pointer, dtype, count)`.
///
/// Parameters
/// ----------
/// mem : PinnedMemory
///     The memory, which the pointer keeps alive.
/// offset : int
///     The number of bytes from its beginning.
///
/// Examples
/// --------
/// >>> pointer = cp.cuda.PinnedMemoryPointer(cp.cuda.PinnedMemory(32), 8)
/// >>> np.frombuffer(pointer, float, 3).shape
/// (3,)
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct PinnedMemoryPointer {
    memory: Py<PinnedMemory>,
    offset: usize,
}

impl PinnedMemoryPointer {
    /// The pointer to the beginning of a buffer.
    pub fn over(py: Python<'_>, buffer: Buffer) -> Result<PinnedMemoryPointer> {
        Ok(PinnedMemoryPointer { memory: Py::new(py, PinnedMemory::over(buffer))?, offset: 0 })
    }

    /// Bytes from here to the end of the memory.
    pub fn remaining(&self) -> usize {
        self.memory.get().place().1.saturating_sub(self.offset)
    }

    fn moved(&self, py: Python<'_>, by: isize) -> Result<PinnedMemoryPointer> {
        match self.offset.checked_add_signed(by) {
            Some(offset) if offset <= self.memory.get().place().1 => {
                Ok(PinnedMemoryPointer { memory: self.memory.clone_ref(py), offset })
            }
            _ => Err(value_error("the pointer would leave its memory")),
        }
    }
}

#[pymethods]
impl PinnedMemoryPointer {
    #[new]
    #[pyo3(signature = (mem, offset=0))]
    fn __new__(py: Python<'_>, mem: Py<PinnedMemory>, offset: isize) -> Result<PinnedMemoryPointer> {
        PinnedMemoryPointer { memory: mem, offset: 0 }.moved(py, offset)
    }

    /// The address.
    #[getter]
    fn ptr(&self) -> u64 {
        self.memory.get().place().0 + self.offset as u64
    }

    /// The memory.
    #[getter]
    fn mem(&self, py: Python<'_>) -> Py<PinnedMemory> {
        self.memory.clone_ref(py)
    }

    /// Bytes from here to the end of the memory.
    fn size(&self) -> usize {
        self.remaining()
    }

    fn __add__(&self, py: Python<'_>, offset: isize) -> Result<PinnedMemoryPointer> {
        self.moved(py, offset)
    }

    fn __radd__(&self, py: Python<'_>, offset: isize) -> Result<PinnedMemoryPointer> {
        self.moved(py, offset)
    }

    fn __sub__(&self, py: Python<'_>, offset: isize) -> Result<PinnedMemoryPointer> {
        self.moved(py, offset.checked_neg().ok_or_else(|| value_error("the pointer would leave its memory"))?)
    }

    fn __int__(&self) -> u64 {
        self.ptr()
    }

    /// # Safety
    /// Python's promise about `view`.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let (address, bytes) = (slf.get().ptr() as *mut c_void, slf.get().remaining());
        // SAFETY: the view keeps this object, which keeps the memory.
        let failed = unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), address, bytes as ffi::Py_ssize_t, 0, flags) };
        if failed == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
