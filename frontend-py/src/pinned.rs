//! Page-locked host memory.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use cuproxide_core::Context;
use cuproxide_core::detach::detached;
use cuproxide_core::memory::{Buffer, Owner};
use cuproxide_hal as hal;
use cuproxide_hal::{Allocation, MemoryKind};
use pyo3::ffi;
use pyo3::prelude::*;

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

/// A block of page-locked host memory. `PinnedMemory(size)` asks the system for one, past the pool. Has the buffer
/// protocol.
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct PinnedMemory {
    buffer: Buffer,
}

#[pymethods]
impl PinnedMemory {
    #[new]
    #[pyo3(signature = (size, flags=0))]
    fn __new__(size: usize, flags: u32) -> Result<PinnedMemory> {
        if flags != 0 {
            return Err(value_error(format!("flags={flags}: only 0 has a meaning on every device")));
        }
        let device = Context::current()?.device().clone();
        let allocation = detached(|| device.allocate(MemoryKind::Pinned, size))?;
        let owner = Owner::Foreign(Arc::new(Locked { device, allocation }));
        Ok(PinnedMemory { buffer: Buffer { ptr: allocation.ptr, bytes: size, owner } })
    }

    /// Address of the first byte.
    #[getter]
    fn ptr(&self) -> u64 {
        self.buffer.ptr
    }

    /// Size in bytes.
    #[getter]
    fn size(&self) -> usize {
        self.buffer.bytes
    }

    fn __int__(&self) -> u64 {
        self.buffer.ptr
    }
}

/// An address within a `PinnedMemory`. Has the buffer protocol: `numpy.frombuffer(pointer, dtype, count)`.
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct PinnedMemoryPointer {
    memory: Py<PinnedMemory>,
    offset: usize,
}

impl PinnedMemoryPointer {
    /// The pointer to the beginning of a buffer.
    pub fn over(py: Python<'_>, buffer: Buffer) -> Result<PinnedMemoryPointer> {
        Ok(PinnedMemoryPointer { memory: Py::new(py, PinnedMemory { buffer })?, offset: 0 })
    }

    /// Bytes from here to the end of the memory.
    pub fn remaining(&self) -> usize {
        self.memory.get().buffer.bytes - self.offset
    }

    fn moved(&self, py: Python<'_>, by: isize) -> Result<PinnedMemoryPointer> {
        match self.offset.checked_add_signed(by) {
            Some(offset) if offset <= self.memory.get().buffer.bytes => {
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
        self.memory.get().buffer.ptr + self.offset as u64
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
