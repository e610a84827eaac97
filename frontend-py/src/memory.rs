//! Device memory as Python sees it: pointers and pools.

use std::sync::Arc;

use cuproxide_core::memory::{Buffer, MemoryPool as Pool, Owner, PoolStats};
use cuproxide_core::storage::Storage;
use cuproxide_core::{Array, Context};
use pyo3::prelude::*;

use crate::device::{self, Device};
use crate::errors::{Result, value_error};
use crate::stream::Stream;
use crate::wait;

/// A range of device memory, kept alive by this object.
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct Memory {
    storage: Arc<Storage>,
}

#[pymethods]
impl Memory {
    /// Address of the first byte.
    #[getter]
    fn ptr(&self) -> Result<u64> {
        Ok(self.storage.expose()?.ptr)
    }

    /// Size in bytes.
    #[getter]
    fn size(&self) -> usize {
        self.storage.bytes()
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

    fn __int__(&self) -> Result<u64> {
        self.ptr()
    }
}

/// An address within a `Memory`.
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct MemoryPointer {
    storage: Arc<Storage>,
    offset: usize,
}

impl MemoryPointer {
    /// The pointer to an array's first element.
    pub fn of(array: &Array) -> MemoryPointer {
        MemoryPointer { storage: array.storage().clone(), offset: array.offset() }
    }

    /// The memory and the offset within it.
    pub fn place(&self) -> (Arc<Storage>, usize) {
        (self.storage.clone(), self.offset)
    }

    fn moved(&self, by: isize) -> Result<MemoryPointer> {
        match self.offset.checked_add_signed(by) {
            Some(offset) if offset <= self.storage.bytes() => {
                Ok(MemoryPointer { storage: self.storage.clone(), offset })
            }
            _ => Err(value_error("the pointer would leave its memory")),
        }
    }
}

#[pymethods]
impl MemoryPointer {
    #[new]
    #[pyo3(signature = (mem, offset=0))]
    fn __new__(mem: &Bound<'_, Memory>, offset: isize) -> Result<MemoryPointer> {
        MemoryPointer { storage: mem.get().storage.clone(), offset: 0 }.moved(offset)
    }

    /// The address.
    #[getter]
    fn ptr(&self) -> Result<u64> {
        Ok(self.storage.expose()?.ptr + self.offset as u64)
    }

    /// The memory.
    #[getter]
    fn mem(&self) -> Memory {
        Memory { storage: self.storage.clone() }
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

    fn __add__(&self, offset: isize) -> Result<MemoryPointer> {
        self.moved(offset)
    }

    fn __radd__(&self, offset: isize) -> Result<MemoryPointer> {
        self.moved(offset)
    }

    fn __sub__(&self, offset: isize) -> Result<MemoryPointer> {
        self.moved(offset.checked_neg().ok_or_else(|| value_error("the pointer would leave its memory"))?)
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

/// Memory from the pool of a device.
#[pyfunction]
#[pyo3(signature = (size, device=None))]
pub fn alloc(size: usize, device: Option<&Bound<'_, PyAny>>) -> Result<MemoryPointer> {
    Ok(MemoryPointer { storage: Storage::allocate(&device::parse(device)?, size)?, offset: 0 })
}

/// Memory of another library, which `owner` keeps alive.
#[pyfunction]
#[pyo3(signature = (ptr, size, owner, device=None))]
pub fn unowned_memory(ptr: u64, size: usize, owner: Py<PyAny>, device: Option<&Bound<'_, PyAny>>) -> Result<Memory> {
    let buffer = Buffer { ptr, bytes: size, owner: Owner::Foreign(Arc::new(owner)) };
    Ok(Memory { storage: Storage::ready(&device::parse(device)?, buffer) })
}

/// The caching pool of a device: of the one named, or of the thread's current one at each call.
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct MemoryPool {
    device: Option<Arc<Context>>,
    pinned: bool,
}

impl MemoryPool {
    fn context(&self) -> Result<Arc<Context>> {
        match &self.device {
            Some(context) => Ok(context.clone()),
            None => Ok(Context::current()?),
        }
    }

    /// The statistics, with all that is deferred in memory.
    fn stats(&self) -> Result<PoolStats> {
        self.with(|pool, context| {
            context.flush()?;
            Ok(pool.stats())
        })
    }

    fn with<T>(&self, use_pool: impl FnOnce(&Pool, &Context) -> Result<T>) -> Result<T> {
        let context = self.context()?;
        use_pool(if self.pinned { context.pinned_pool() } else { context.pool() }, &context)
    }
}

#[pymethods]
impl MemoryPool {
    /// Bytes in use.
    fn used_bytes(&self) -> Result<usize> {
        Ok(self.stats()?.used)
    }

    /// Bytes held from the device, in use or cached.
    fn total_bytes(&self) -> Result<usize> {
        Ok(self.stats()?.total)
    }

    /// Bytes cached.
    fn free_bytes(&self) -> Result<usize> {
        let stats = self.stats()?;
        Ok(stats.total.saturating_sub(stats.used))
    }

    /// Most bytes that were ever in use.
    fn peak_bytes(&self) -> Result<usize> {
        Ok(self.stats()?.peak)
    }

    /// Number of cached blocks.
    fn n_free_blocks(&self) -> Result<usize> {
        Ok(self.stats()?.free_blocks)
    }

    /// Number of allocations that were asked of the device.
    fn device_allocations(&self) -> Result<usize> {
        Ok(self.stats()?.device_allocations)
    }

    /// Returns cached memory to the device, of one stream or of all.
    #[pyo3(signature = (stream=None))]
    fn free_all_blocks(&self, py: Python<'_>, stream: Option<&Bound<'_, Stream>>) -> Result<()> {
        let id = stream.map(|stream| stream.get().resolve().map(|(_, stream)| stream.id())).transpose()?;
        self.with(|pool, context| {
            wait::long(py, || {
                context.flush()?;
                pool.free_all_blocks(id)
            })
        })
    }

    /// Returns all cached memory to the device.
    fn free_all_free(&self, py: Python<'_>) -> Result<()> {
        self.free_all_blocks(py, None)
    }

    /// Memory from the pool.
    fn malloc(&self, size: usize) -> Result<MemoryPointer> {
        self.with(|pool, context| {
            let block = pool.allocate(size, &context.stream())?;
            let buffer = Buffer { ptr: block.ptr, bytes: size, owner: Owner::Pool(block) };
            Ok(MemoryPointer { storage: Storage::ready(&self.context()?, buffer), offset: 0 })
        })
    }

    /// Sets the most bytes that the pool may hold, as a number or as a fraction of the device's memory; without either,
    /// there is no limit.
    #[pyo3(signature = (size=None, fraction=None))]
    fn set_limit(&self, size: Option<isize>, fraction: Option<f64>) -> Result<()> {
        self.with(|pool, context| {
            let bytes = match (size, fraction) {
                (Some(_), Some(_)) => return Err(value_error("size and fraction cannot be specified at one time")),
                (Some(size), None) => {
                    usize::try_from(size).map_err(|_| value_error("size must be greater than or equal to 0"))?
                }
                (None, Some(fraction)) if !(0.0..=1.0).contains(&fraction) => {
                    return Err(value_error("fraction must be in the range of [0, 1]"));
                }
                (None, Some(fraction)) => (context.info().total_memory as f64 * fraction) as usize,
                (None, None) => 0,
            };
            pool.set_limit(bytes);
            Ok(())
        })
    }

    /// The limit in bytes; 0 if there is none.
    fn get_limit(&self) -> Result<usize> {
        self.with(|pool, _| Ok(pool.stats().limit))
    }
}

/// The pool of device memory.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub fn get_default_memory_pool(device: Option<&Bound<'_, PyAny>>) -> Result<MemoryPool> {
    Ok(MemoryPool { device: device::parse_optional(device)?, pinned: false })
}

/// The pool of page-locked host memory.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub fn get_default_pinned_memory_pool(device: Option<&Bound<'_, PyAny>>) -> Result<MemoryPool> {
    Ok(MemoryPool { device: device::parse_optional(device)?, pinned: true })
}
