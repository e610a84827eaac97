//! Addresses within device memory, and copies from and to them.

use std::sync::Arc;

use cuproxide_core::memory::{Buffer, Owner};
use cuproxide_core::storage::Storage;
use cuproxide_core::timeline::{self, Work};
use cuproxide_core::{Array, Context, waits};
use cuproxide_hal as hal;
use pyo3::intern;
use pyo3::prelude::*;

use super::{Kept, Memory};
use crate::device::{self, Device};
use crate::errors::{Result, type_error, value_error};
use crate::stream::{self, Stream};
use crate::wait;

/// The section on parameters of a docstring.
macro_rules! parameters {
    ($($name:ident)+) => { concat!("\nParameters\n----------", $(parameters!(@ $name)),+) };
    (@ mem) => { "\nmem : pointer or array\n    The memory to copy from or to." };
    (@ src) => { "\nsrc : pointer\n    The memory to copy from." };
    (@ value) => { "\nvalue : int\n    The value of each byte." };
    (@ size) => { "\nsize : int\n    The number of bytes." };
    (@ stream) => { "\nstream : Stream, optional\n    The stream to work on; by default the current one." };
}

/// An address within a `Memory`.
///
/// Parameters
/// ----------
/// mem : Memory
///     The memory, which the pointer keeps alive.
/// offset : int
///     The number of bytes from its beginning.
///
/// Examples
/// --------
/// >>> memory = cp.cuda.Memory(1024)
/// >>> cp.cuda.MemoryPointer(memory, 256).ptr - memory.ptr
/// 256
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct MemoryPointer {
    storage: Arc<Storage>,
    offset: usize,
    /// The object that the pointer was made of, if it was made of one.
    memory: Option<Py<Memory>>,
}

/// A host address: a number, a `ctypes.c_void_p`, or an object with `ptr`.
fn host_address(object: &Bound<'_, PyAny>) -> Result<u64> {
    let py = object.py();
    if let Ok(address) = object.extract::<u64>() {
        return Ok(address);
    }
    for name in [intern!(py, "value"), intern!(py, "ptr")] {
        if let Some(value) = object.getattr_opt(name)? {
            return if value.is_none() { Ok(0) } else { Ok(value.extract()?) };
        }
    }
    Err(type_error(format!("a host address is given by a number or a ctypes pointer, not by {}", object.get_type())))
}

impl MemoryPointer {
    /// The pointer to an array's first element.
    pub fn of(array: &Array) -> MemoryPointer {
        MemoryPointer { storage: array.storage().clone(), offset: array.offset(), memory: None }
    }

    /// The pointer to the beginning of a buffer.
    pub fn over(context: &Arc<Context>, buffer: Buffer) -> MemoryPointer {
        MemoryPointer { storage: Storage::ready(context, buffer), offset: 0, memory: None }
    }

    /// The memory and the offset within it.
    pub fn place(&self) -> (Arc<Storage>, usize) {
        (self.storage.clone(), self.offset)
    }

    /// Bytes from here to the end of the memory.
    pub fn remaining(&self) -> usize {
        self.storage.bytes() - self.offset
    }

    fn moved(&self, py: Python<'_>, by: isize) -> Result<MemoryPointer> {
        match self.offset.checked_add_signed(by) {
            Some(offset) if offset <= self.storage.bytes() => Ok(MemoryPointer {
                storage: self.storage.clone(),
                offset,
                memory: self.memory.as_ref().map(|memory| memory.clone_ref(py)),
            }),
            _ => Err(value_error("the pointer would leave its memory")),
        }
    }

    /// The address, where there is room for `size` bytes.
    fn room(&self, size: usize) -> Result<u64> {
        if size > self.remaining() {
            return Err(value_error(format!("{size} bytes do not fit: the memory ends after {}", self.remaining())));
        }
        self.ptr()
    }

    /// Queues work on a stream of the memory's device, and waits for it if asked.
    fn queue(
        &self,
        py: Python<'_>,
        stream: Option<&Bound<'_, Stream>>,
        wait_for_it: bool,
        size: usize,
        work: impl FnOnce(&dyn hal::Device, &dyn hal::Stream) -> hal::Result<()> + Send,
    ) -> Result<()> {
        let context = self.storage.context();
        let stream = stream::or_current(stream, context)?;
        wait::long(py, || {
            if wait_for_it {
                waits::check("a copy is waited for")?;
            }
            let span = timeline::scope(Work::Copy, "memory", context.id(), || size);
            work(context.device().as_ref(), stream.as_ref())?;
            drop(span);
            if wait_for_it {
                stream.synchronize()?;
                context.check_fault()?;
            }
            Ok(())
        })
    }

    fn take_from(
        &self,
        py: Python<'_>,
        src: &MemoryPointer,
        size: usize,
        stream: Option<&Bound<'_, Stream>>,
        wait_for_it: bool,
    ) -> Result<()> {
        let (to, from) = (self.room(size)?, src.room(size)?);
        let source = src.storage.context();
        if source == self.storage.context() {
            // SAFETY: both ranges lie within their memory, which the caller's pointers keep.
            return self
                .queue(py, stream, wait_for_it, size, |device, stream| unsafe { device.copy(stream, to, from, size) });
        }
        self.queue(py, stream, wait_for_it, size, |device, stream| {
            // SAFETY: as above.
            unsafe { device.copy_from_peer(stream, to, source.device().as_ref(), from, size) }
        })
    }

    fn take_from_host(
        &self,
        py: Python<'_>,
        mem: &Bound<'_, PyAny>,
        size: usize,
        stream: Option<&Bound<'_, Stream>>,
        wait_for_it: bool,
    ) -> Result<()> {
        let (to, from) = (self.room(size)?, host_address(mem)? as usize);
        self.queue(py, stream, wait_for_it, size, |device, stream| {
            // SAFETY: the range lies within the memory; the program keeps the host's until the copy is done.
            unsafe { device.copy_from_host(stream, to, from as *const u8, size) }
        })
    }

    fn give_to_host(
        &self,
        py: Python<'_>,
        mem: &Bound<'_, PyAny>,
        size: usize,
        stream: Option<&Bound<'_, Stream>>,
        wait_for_it: bool,
    ) -> Result<()> {
        let (from, to) = (self.room(size)?, host_address(mem)? as usize);
        self.queue(py, stream, wait_for_it, size, |device, stream| {
            // SAFETY: as above.
            unsafe { device.copy_to_host(stream, to as *mut u8, from, size) }
        })
    }

    fn fill(
        &self,
        py: Python<'_>,
        value: u8,
        size: usize,
        stream: Option<&Bound<'_, Stream>>,
        wait_for_it: bool,
    ) -> Result<()> {
        let to = self.room(size)?;
        // SAFETY: the range lies within the memory.
        self.queue(py, stream, wait_for_it, size, |device, stream| unsafe { device.fill(stream, to, value, size) })
    }
}

#[pymethods]
impl MemoryPointer {
    #[new]
    #[pyo3(signature = (mem, offset=0))]
    fn __new__(py: Python<'_>, mem: Bound<'_, Memory>, offset: isize) -> Result<MemoryPointer> {
        let storage = Memory::for_pointer(&mem)?;
        MemoryPointer { storage, offset: 0, memory: Some(mem.unbind()) }.moved(py, offset)
    }

    /// The address; 0 for memory of no bytes.
    #[getter]
    fn ptr(&self) -> Result<u64> {
        let buffer = self.storage.expose()?;
        let absent = buffer.bytes == 0 && !matches!(buffer.owner, Owner::Foreign(_));
        Ok(if absent { 0 } else { buffer.ptr + self.offset as u64 })
    }

    /// The memory; of an array that the program's own allocator made, the object that it gave.
    #[getter]
    fn mem(&self, py: Python<'_>) -> Result<Py<Memory>> {
        if let Some(memory) = &self.memory {
            return Ok(memory.clone_ref(py));
        }
        if let Owner::Foreign(owner) = &self.storage.read()?.owner {
            if let Some(kept) = owner.downcast_ref::<Kept>() {
                return Ok(kept.memory.clone_ref(py));
            }
            let object = owner.downcast_ref::<Py<PyAny>>().map(|owner| owner.bind(py).cast::<MemoryPointer>());
            if let Some(Ok(pointer)) = object {
                return pointer.get().mem(py);
            }
        }
        Ok(Py::new(py, Memory::of(self.storage.clone()))?)
    }

    /// The device.
    #[getter]
    fn device(&self) -> Device {
        Device::of(self.storage.context())
    }

    /// Number of the device.
    #[getter]
    fn device_id(&self) -> usize {
        self.storage.context().id().ordinal
    }

    /// Copies `size` bytes from a pointer or from a host address, and waits for the copy.
    #[doc = parameters!(mem size)]
    fn copy_from(&self, py: Python<'_>, mem: &Bound<'_, PyAny>, size: usize) -> Result<()> {
        match mem.cast::<MemoryPointer>() {
            Ok(pointer) => self.take_from(py, pointer.get(), size, None, true),
            Err(_) => self.copy_from_host(py, mem, size),
        }
    }

    /// Queues a copy of `size` bytes from a pointer or from a host address.
    #[doc = parameters!(mem size stream)]
    #[pyo3(signature = (mem, size, stream=None))]
    fn copy_from_async(
        &self,
        py: Python<'_>,
        mem: &Bound<'_, PyAny>,
        size: usize,
        stream: Option<&Bound<'_, Stream>>,
    ) -> Result<()> {
        match mem.cast::<MemoryPointer>() {
            Ok(pointer) => self.take_from(py, pointer.get(), size, stream, false),
            Err(_) => self.copy_from_host_async(py, mem, size, stream),
        }
    }

    /// Copies `size` bytes from a pointer and waits for the copy.
    #[doc = parameters!(src size)]
    fn copy_from_device(&self, py: Python<'_>, src: &Bound<'_, MemoryPointer>, size: usize) -> Result<()> {
        self.take_from(py, src.get(), size, None, true)
    }

    /// Queues a copy of `size` bytes from a pointer.
    #[doc = parameters!(src size stream)]
    #[pyo3(signature = (src, size, stream=None))]
    fn copy_from_device_async(
        &self,
        py: Python<'_>,
        src: &Bound<'_, MemoryPointer>,
        size: usize,
        stream: Option<&Bound<'_, Stream>>,
    ) -> Result<()> {
        self.take_from(py, src.get(), size, stream, false)
    }

    /// Copies `size` bytes from a host address and waits for the copy.
    #[doc = parameters!(mem size)]
    fn copy_from_host(&self, py: Python<'_>, mem: &Bound<'_, PyAny>, size: usize) -> Result<()> {
        self.take_from_host(py, mem, size, None, true)
    }

    /// Queues a copy of `size` bytes from a host address, which should be pinned memory.
    #[doc = parameters!(mem size stream)]
    #[pyo3(signature = (mem, size, stream=None))]
    fn copy_from_host_async(
        &self,
        py: Python<'_>,
        mem: &Bound<'_, PyAny>,
        size: usize,
        stream: Option<&Bound<'_, Stream>>,
    ) -> Result<()> {
        self.take_from_host(py, mem, size, stream, false)
    }

    /// Copies `size` bytes to a host address and waits for the copy.
    #[doc = parameters!(mem size)]
    fn copy_to_host(&self, py: Python<'_>, mem: &Bound<'_, PyAny>, size: usize) -> Result<()> {
        self.give_to_host(py, mem, size, None, true)
    }

    /// Queues a copy of `size` bytes to a host address, which should be pinned memory.
    #[doc = parameters!(mem size stream)]
    #[pyo3(signature = (mem, size, stream=None))]
    fn copy_to_host_async(
        &self,
        py: Python<'_>,
        mem: &Bound<'_, PyAny>,
        size: usize,
        stream: Option<&Bound<'_, Stream>>,
    ) -> Result<()> {
        self.give_to_host(py, mem, size, stream, false)
    }

    /// Sets `size` bytes to the low byte of `value` and waits for it.
    #[doc = parameters!(value size)]
    fn memset(&self, py: Python<'_>, value: i64, size: usize) -> Result<()> {
        self.fill(py, value as u8, size, None, true)
    }

    /// Queues setting `size` bytes to the low byte of `value`.
    #[doc = parameters!(value size stream)]
    #[pyo3(signature = (value, size, stream=None))]
    fn memset_async(&self, py: Python<'_>, value: i64, size: usize, stream: Option<&Bound<'_, Stream>>) -> Result<()> {
        self.fill(py, value as u8, size, stream, false)
    }

    fn __add__(&self, py: Python<'_>, offset: isize) -> Result<MemoryPointer> {
        self.moved(py, offset)
    }

    fn __radd__(&self, py: Python<'_>, offset: isize) -> Result<MemoryPointer> {
        self.moved(py, offset)
    }

    fn __sub__(&self, py: Python<'_>, offset: isize) -> Result<MemoryPointer> {
        self.moved(py, offset.checked_neg().ok_or_else(|| value_error("the pointer would leave its memory"))?)
    }

    fn __int__(&self) -> Result<u64> {
        self.ptr()
    }

    fn __repr__(&self) -> Result<String> {
        Ok(format!(
            "<MemoryPointer {:#x} device={} mem={:#x}>",
            self.ptr()?,
            self.storage.context().id(),
            self.storage.expose()?.ptr
        ))
    }
}

/// Memory from the current allocator, by default the pool of the device.
///
/// Parameters
/// ----------
/// size : int
///     The number of bytes.
/// device : int or Device, optional
///     The device.
///
/// Returns
/// -------
/// MemoryPointer
///
/// Examples
/// --------
/// >>> pointer = cp.cuda.alloc(32)
/// >>> x = cp.ndarray(4, float, pointer)
/// >>> x.data.ptr == pointer.ptr
/// True
#[pyfunction]
#[pyo3(signature = (size, device=None))]
pub fn alloc(size: usize, device: Option<&Bound<'_, PyAny>>) -> Result<MemoryPointer> {
    Ok(MemoryPointer { storage: Storage::allocate(device::parse(device)?, size)?, offset: 0, memory: None })
}
