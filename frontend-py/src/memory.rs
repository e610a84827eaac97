//! Device memory as Python sees it: blocks and pointers.

use std::sync::Arc;

use cuproxide_core::detach::detached;
use cuproxide_core::memory::{Buffer, Owner};
use cuproxide_core::storage::Storage;
use cuproxide_core::timeline::{self, Work};
use cuproxide_core::{Array, Context, waits};
use cuproxide_hal as hal;
use cuproxide_hal::{Allocation, MemoryKind};
use parking_lot::Mutex;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::device::{self, Device};
use crate::errors::{Result, type_error, value_error};
use crate::stream::{self, Stream};
use crate::wait;

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
            None if ptr == 0 && size > 0 => return Err(value_error(format!("ptr=0 is no memory of size={size}"))),
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
            return Err(value_error(format!("ptr=0 is no memory of size={size}")));
        }
        let buffer = Buffer { ptr, bytes: size, owner: Owner::Foreign(Arc::new(owner)) };
        let memory = Memory::over(&device::parse_id(device_id)?, buffer);
        Ok(PyClassInitializer::from(memory).add_subclass(UnownedMemory))
    }

    #[pyo3(signature = (*_arguments, **_keywords))]
    fn __init__(&self, _arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) {}
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
pub fn host_address(object: &Bound<'_, PyAny>) -> Result<u64> {
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
    ///
    /// Parameters
    /// ----------
    /// mem : pointer or array
    ///     The memory to copy from or to.
    /// size : int
    ///     The number of bytes.
    fn copy_from(&self, py: Python<'_>, mem: &Bound<'_, PyAny>, size: usize) -> Result<()> {
        match mem.cast::<MemoryPointer>() {
            Ok(pointer) => self.take_from(py, pointer.get(), size, None, true),
            Err(_) => self.copy_from_host(py, mem, size),
        }
    }

    /// Queues a copy of `size` bytes from a pointer or from a host address.
    ///
    /// Parameters
    /// ----------
    /// mem : pointer or array
    ///     The memory to copy from or to.
    /// size : int
    ///     The number of bytes.
    /// stream : Stream, optional
    ///     The stream to work on; by default the current one.
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
    ///
    /// Parameters
    /// ----------
    /// src : pointer
    ///     The memory to copy from.
    /// size : int
    ///     The number of bytes.
    fn copy_from_device(&self, py: Python<'_>, src: &Bound<'_, MemoryPointer>, size: usize) -> Result<()> {
        self.take_from(py, src.get(), size, None, true)
    }

    /// Queues a copy of `size` bytes from a pointer.
    ///
    /// Parameters
    /// ----------
    /// src : pointer
    ///     The memory to copy from.
    /// size : int
    ///     The number of bytes.
    /// stream : Stream, optional
    ///     The stream to work on; by default the current one.
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
    ///
    /// Parameters
    /// ----------
    /// mem : pointer or array
    ///     The memory to copy from or to.
    /// size : int
    ///     The number of bytes.
    fn copy_from_host(&self, py: Python<'_>, mem: &Bound<'_, PyAny>, size: usize) -> Result<()> {
        let (to, from) = (self.room(size)?, host_address(mem)? as usize);
        self.queue(py, None, true, size, |device, stream| {
            // SAFETY: the range lies within the memory; the program vouches for the host address.
            unsafe { device.copy_from_host(stream, to, from as *const u8, size) }
        })
    }

    /// Queues a copy of `size` bytes from a host address, which should be pinned memory.
    ///
    /// Parameters
    /// ----------
    /// mem : pointer or array
    ///     The memory to copy from or to.
    /// size : int
    ///     The number of bytes.
    /// stream : Stream, optional
    ///     The stream to work on; by default the current one.
    #[pyo3(signature = (mem, size, stream=None))]
    fn copy_from_host_async(
        &self,
        py: Python<'_>,
        mem: &Bound<'_, PyAny>,
        size: usize,
        stream: Option<&Bound<'_, Stream>>,
    ) -> Result<()> {
        let (to, from) = (self.room(size)?, host_address(mem)? as usize);
        self.queue(py, stream, false, size, |device, stream| {
            // SAFETY: as above; the program keeps the memory until the copy is done.
            unsafe { device.copy_from_host(stream, to, from as *const u8, size) }
        })
    }

    /// Copies `size` bytes to a host address and waits for the copy.
    ///
    /// Parameters
    /// ----------
    /// mem : pointer or array
    ///     The memory to copy from or to.
    /// size : int
    ///     The number of bytes.
    fn copy_to_host(&self, py: Python<'_>, mem: &Bound<'_, PyAny>, size: usize) -> Result<()> {
        let (from, to) = (self.room(size)?, host_address(mem)? as usize);
        self.queue(py, None, true, size, |device, stream| {
            // SAFETY: as above.
            unsafe { device.copy_to_host(stream, to as *mut u8, from, size) }
        })
    }

    /// Queues a copy of `size` bytes to a host address, which should be pinned memory.
    ///
    /// Parameters
    /// ----------
    /// mem : pointer or array
    ///     The memory to copy from or to.
    /// size : int
    ///     The number of bytes.
    /// stream : Stream, optional
    ///     The stream to work on; by default the current one.
    #[pyo3(signature = (mem, size, stream=None))]
    fn copy_to_host_async(
        &self,
        py: Python<'_>,
        mem: &Bound<'_, PyAny>,
        size: usize,
        stream: Option<&Bound<'_, Stream>>,
    ) -> Result<()> {
        let (from, to) = (self.room(size)?, host_address(mem)? as usize);
        self.queue(py, stream, false, size, |device, stream| {
            // SAFETY: as above.
            unsafe { device.copy_to_host(stream, to as *mut u8, from, size) }
        })
    }

    /// Sets `size` bytes to the low byte of `value` and waits for it.
    ///
    /// Parameters
    /// ----------
    /// value : int
    ///     The value of each byte.
    /// size : int
    ///     The number of bytes.
    fn memset(&self, py: Python<'_>, value: i64, size: usize) -> Result<()> {
        let to = self.room(size)?;
        // SAFETY: the range lies within the memory.
        self.queue(py, None, true, size, |device, stream| unsafe { device.fill(stream, to, value as u8, size) })
    }

    /// Queues setting `size` bytes to the low byte of `value`.
    ///
    /// Parameters
    /// ----------
    /// value : int
    ///     The value of each byte.
    /// size : int
    ///     The number of bytes.
    /// stream : Stream, optional
    ///     The stream to work on; by default the current one.
    #[pyo3(signature = (value, size, stream=None))]
    fn memset_async(&self, py: Python<'_>, value: i64, size: usize, stream: Option<&Bound<'_, Stream>>) -> Result<()> {
        let to = self.room(size)?;
        // SAFETY: the range lies within the memory.
        self.queue(py, stream, false, size, |device, stream| unsafe { device.fill(stream, to, value as u8, size) })
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
    Ok(MemoryPointer { storage: Storage::allocate(&device::parse(device)?, size)?, offset: 0, memory: None })
}
