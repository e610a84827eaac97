//! Device memory as Python sees it: blocks, and pointers into them.

mod pointer;

pub use pointer::{MemoryPointer, alloc};

use std::sync::Arc;

use cuproxide_core::Context;
use cuproxide_core::detach::detached;
use cuproxide_core::memory::{Buffer, Owner};
use cuproxide_core::storage::Storage;
use cuproxide_hal as hal;
use cuproxide_hal::{Allocation, MemoryKind};
use parking_lot::Mutex;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::device::{self, Device};
use crate::errors::{Result, value_error};
use crate::stream::Stream;

/// A block straight from the device, which gets it back when this is dropped.
struct Direct {
    device: Arc<dyn hal::Device>,
    allocation: Allocation,
}

impl Direct {
    fn buffer(context: &Arc<Context>, kind: MemoryKind, bytes: usize) -> Result<Buffer> {
        let device = context.device().clone();
        let allocation = detached(|| device.allocate(kind, bytes))?;
        Ok(Buffer { ptr: allocation.ptr, bytes, owner: Owner::Foreign(Arc::new(Direct { device, allocation })) })
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        // SAFETY: the block is ours; devices wait for the work that uses a block before they take it back.
        let _ = detached(|| unsafe { self.device.free(self.allocation) });
    }
}

/// A block in the order of a stream.
struct Ordered {
    device: Arc<dyn hal::Device>,
    stream: Arc<dyn hal::Stream>,
    ptr: u64,
}

impl Drop for Ordered {
    fn drop(&mut self) {
        if let Ok(system) = self.device.system() {
            // SAFETY: the block is ours and goes once; its stream orders it after the work that used it.
            let _ = unsafe { system.free_ordered(self.stream.as_ref(), self.ptr) };
        }
    }
}

/// A block of device memory, kept alive by this object. `Memory(size)` asks the current device for one, past its pool.
///
/// A subclass may set `ptr`, `size` and `device_id` itself instead of calling `super().__init__`: memory that is its own,
/// and its own to free.
///
/// Parameters
/// ----------
/// size : int
///     The number of bytes.
///
/// See Also
/// --------
/// alloc : Memory from the pool.
///
/// Examples
/// --------
/// >>> cp.cuda.Memory(1024).size
/// 1024
#[pyclass(module = "cuproxide.cuda", frozen, subclass)]
pub struct Memory {
    held: Mutex<Held>,
}

/// Whose the memory is.
enum Held {
    /// This package's.
    Block(Arc<Storage>),
    /// A subclass's, at an address of a device that it says; nothing before it does, and after `free`.
    Given { ptr: u64, size: usize, device: Option<Arc<Context>> },
}

impl Held {
    const NOTHING: Held = Held::Given { ptr: 0, size: 0, device: None };
}

/// What pointers to a subclass's memory keep.
struct Kept {
    memory: Py<Memory>,
    /// The block of the object, which the program may free.
    _block: Option<Arc<Storage>>,
}

impl Memory {
    fn over(context: &Arc<Context>, buffer: Buffer) -> Memory {
        Memory { held: Mutex::new(Held::Block(Storage::ready(context, buffer))) }
    }

    fn of(storage: Arc<Storage>) -> Memory {
        Memory { held: Mutex::new(Held::Block(storage)) }
    }

    /// The block; an error if it was freed.
    fn block(&self) -> Result<Arc<Storage>> {
        match &*self.held.lock() {
            Held::Block(storage) => Ok(storage.clone()),
            Held::Given { .. } => Err(value_error("the memory has been freed, or was never allocated")),
        }
    }

    /// The memory for a pointer, which keeps the object in the place of a block.
    fn for_pointer(slf: &Bound<'_, Memory>) -> Result<Arc<Storage>> {
        let (block, ptr, size, device) = match &*slf.get().held.lock() {
            Held::Block(storage) => (Some(storage.clone()), 0, storage.bytes(), Some(storage.context().clone())),
            Held::Given { ptr, size, device } => (None, *ptr, *size, device.clone()),
        };
        let own = slf.get_type().getattr(intern!(slf.py(), "__module__"))?;
        let ptr = match &block {
            Some(storage) if own.eq("cuproxide.cuda")? => return Ok(storage.clone()),
            Some(storage) => storage.expose()?.ptr,
            None if ptr == 0 && size > 0 => return Err(value_error(format!("ptr=0 is not memory of size={size}"))),
            None => ptr,
        };
        let context = device.map_or_else(Context::current, Ok)?;
        let owner = Owner::Foreign(Arc::new(Kept { memory: slf.clone().unbind(), _block: block }));
        Ok(Storage::ready(&context, Buffer { ptr, bytes: size, owner }))
    }

    fn give(&self, change: impl FnOnce(&mut u64, &mut usize, &mut Option<Arc<Context>>)) {
        let mut held = self.held.lock();
        let mut next = match &*held {
            Held::Block(_) => Held::NOTHING,
            Held::Given { ptr, size, device } => Held::Given { ptr: *ptr, size: *size, device: device.clone() },
        };
        if let Held::Given { ptr, size, device } = &mut next {
            change(ptr, size, device);
        }
        let before = std::mem::replace(&mut *held, next);
        // A block goes without the lock: devices may wait.
        drop(held);
        drop(before);
    }
}

#[pymethods]
impl Memory {
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn __new__(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Memory {
        Memory { held: Mutex::new(Held::NOTHING) }
    }

    fn __init__(&self, size: usize) -> Result<()> {
        let context = Context::current()?;
        let made = Storage::ready(&context, Direct::buffer(&context, MemoryKind::Device, size)?);
        let before = std::mem::replace(&mut *self.held.lock(), Held::Block(made));
        drop(before);
        Ok(())
    }

    /// Address of the first byte; 0 if there is none.
    #[getter]
    fn ptr(&self) -> Result<u64> {
        let held = self.held.lock();
        match &*held {
            Held::Given { ptr, .. } => Ok(*ptr),
            Held::Block(storage) => {
                let storage = storage.clone();
                drop(held);
                Ok(storage.expose()?.ptr)
            }
        }
    }

    #[setter]
    fn set_ptr(&self, ptr: u64) {
        self.give(|own, _, _| *own = ptr);
    }

    /// Size in bytes.
    #[getter]
    fn size(&self) -> usize {
        match &*self.held.lock() {
            Held::Block(storage) => storage.bytes(),
            Held::Given { size, .. } => *size,
        }
    }

    #[setter]
    fn set_size(&self, size: usize) {
        self.give(|_, own, _| *own = size);
    }

    /// The device.
    #[getter]
    fn device(&self) -> Result<Device> {
        match &*self.held.lock() {
            Held::Block(storage) => Ok(Device::of(storage.context())),
            Held::Given { device: Some(context), .. } => Ok(Device::of(context)),
            Held::Given { .. } => Ok(Device::of(&Context::current()?)),
        }
    }

    /// Number of the device.
    #[getter]
    fn device_id(&self) -> Result<usize> {
        self.device().map(|device| device.id())
    }

    #[setter]
    fn set_device_id(&self, device_id: &Bound<'_, PyAny>) -> Result<()> {
        let context = device::parse_id(Some(device_id))?;
        self.give(|_, _, own| *own = Some(context));
        Ok(())
    }

    /// Gives the memory back as soon as no pointer and no array uses it; this object holds none from now on.
    fn free(&self) {
        let before = std::mem::replace(&mut *self.held.lock(), Held::NOTHING);
        drop(before);
    }

    fn __int__(&self) -> Result<u64> {
        self.ptr()
    }
}

/// Memory that migrates between the host and the device.
#[pyclass(module = "cuproxide.cuda", frozen, extends = Memory)]
pub struct ManagedMemory;

/// A device by number for the driver's calls about managed memory; -1 is the host.
fn place(ordinal: i64) -> Result<Option<usize>> {
    match ordinal {
        -1 => Ok(None),
        ordinal => {
            usize::try_from(ordinal).map(Some).map_err(|_| value_error(format!("device number {ordinal} is negative")))
        }
    }
}

#[pymethods]
impl ManagedMemory {
    #[new]
    fn __new__(size: usize) -> Result<PyClassInitializer<ManagedMemory>> {
        let context = Context::current()?;
        let memory = Memory::over(&context, Direct::buffer(&context, MemoryKind::Managed, size)?);
        Ok(PyClassInitializer::from(memory).add_subclass(ManagedMemory))
    }

    #[pyo3(signature = (*_arguments, **_keywords))]
    fn __init__(&self, _arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) {}

    /// Queues moving the memory to a device (by default that of the stream), or to the host (-1).
    ///
    /// Parameters
    /// ----------
    /// stream : Stream
    ///     The stream to work on; by default the current one.
    /// device_id : int, optional
    ///     The number of the device.
    #[pyo3(signature = (stream, *, device_id=None))]
    fn prefetch(slf: PyRef<'_, Self>, stream: &Bound<'_, Stream>, device_id: Option<i64>) -> Result<()> {
        let storage = &slf.as_super().block()?;
        let (context, stream) = stream.get().resolve()?;
        let to = device_id.map_or(Ok(Some(context.id().ordinal)), place)?;
        let (buffer, system) = (storage.buffer()?, context.device().system()?);
        // SAFETY: the block is managed memory.
        Ok(unsafe { system.prefetch(stream.as_ref(), buffer.ptr, buffer.bytes, to) }?)
    }

    /// Tells the driver how the memory will be used (the numbers of `runtime`), by a device or by the host (-1).
    ///
    /// Parameters
    /// ----------
    /// advise : int
    ///     The number of the advice.
    /// device : int or Device
    ///     The device.
    fn advise(slf: PyRef<'_, Self>, advise: i32, device: &Bound<'_, PyAny>) -> Result<()> {
        let storage = &slf.as_super().block()?;
        let ordinal = match device.cast::<Device>() {
            Ok(device) => device.get().id() as i64,
            Err(_) => device.extract()?,
        };
        let (buffer, system) = (storage.buffer()?, storage.context().device().system()?);
        // SAFETY: as above.
        Ok(unsafe { system.advise(buffer.ptr, buffer.bytes, advise, place(ordinal)?) }?)
    }
}

/// Memory allocated, and given back, in the order of a stream, by the driver's own pool.
///
/// Parameters
/// ----------
/// size : int
///     The number of bytes.
/// stream : Stream
///     The stream. Work of other streams has to wait for it before it uses the memory.
/// pool : int
///     The handle of a pool of the driver, from `runtime.memPoolCreate`; 0 is the current one of the device.
///
/// Examples
/// --------
/// >>> memory = cp.cuda.MemoryAsync(1024, cp.cuda.Stream.null)
/// >>> memory.size
/// 1024
#[pyclass(module = "cuproxide.cuda", frozen, extends = Memory)]
pub struct MemoryAsync {
    stream: Py<Stream>,
}

#[pymethods]
impl MemoryAsync {
    #[new]
    #[pyo3(signature = (size, stream, *, pool=0))]
    fn __new__(size: usize, stream: Bound<'_, Stream>, pool: u64) -> Result<PyClassInitializer<MemoryAsync>> {
        let (context, queue) = stream.get().resolve()?;
        let device = context.device().clone();
        let ptr = device.system()?.allocate_ordered(queue.as_ref(), pool, size)?;
        let owner = Owner::Foreign(Arc::new(Ordered { device, stream: queue, ptr }));
        let memory = Memory::over(&context, Buffer { ptr, bytes: size, owner });
        Ok(PyClassInitializer::from(memory).add_subclass(MemoryAsync { stream: stream.unbind() }))
    }

    #[pyo3(signature = (*_arguments, **_keywords))]
    fn __init__(&self, _arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) {}

    /// The stream.
    #[getter]
    fn stream_ref(&self, py: Python<'_>) -> Py<Stream> {
        self.stream.clone_ref(py)
    }
}

/// Memory of another library at address `ptr`, which `owner` keeps alive.
///
/// Parameters
/// ----------
/// ptr : int
///     The address.
/// size : int
///     The number of bytes.
/// owner : object
///     The owner of the memory; it lives as long as this object.
/// device_id : int, optional
///     The number of the device, the current one by default.
///
/// Examples
/// --------
/// >>> x = cp.arange(4)
/// >>> memory = cp.cuda.UnownedMemory(x.data.ptr, x.nbytes, x)
/// >>> cp.ndarray(4, int, cp.cuda.MemoryPointer(memory, 0))
/// array([0, 1, 2, 3])
#[pyclass(module = "cuproxide.cuda", frozen, extends = Memory)]
pub struct UnownedMemory;

#[pymethods]
impl UnownedMemory {
    #[new]
    #[pyo3(signature = (ptr, size, owner, device_id=None))]
    fn __new__(
        ptr: u64,
        size: usize,
        owner: Py<PyAny>,
        device_id: Option<&Bound<'_, PyAny>>,
    ) -> Result<PyClassInitializer<UnownedMemory>> {
        if ptr == 0 && size > 0 {
            return Err(value_error(format!("ptr=0 is not memory of size={size}")));
        }
        let buffer = Buffer { ptr, bytes: size, owner: Owner::Foreign(Arc::new(owner)) };
        let memory = Memory::over(&device::parse_id(device_id)?, buffer);
        Ok(PyClassInitializer::from(memory).add_subclass(UnownedMemory))
    }

    #[pyo3(signature = (*_arguments, **_keywords))]
    fn __init__(&self, _arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) {}
}
