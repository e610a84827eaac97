//! Pools, the program's own allocators, and observers of allocations.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuproxide_core::memory::hooks::{self, Action, MemoryEvent};
use cuproxide_core::memory::{Buffer, MemoryPool as Pool, Owner, PoolStats, Source};
use cuproxide_core::{Context, Error};
use cuproxide_hal::{DeviceId, MemoryKind};
use parking_lot::Mutex;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};

use crate::device;
use crate::errors::{Failure, Result, host_error, type_error, value_error};
use crate::memory::MemoryPointer;
use crate::pinned::PinnedMemoryPointer;
use crate::stream::Stream;
use crate::wait;

/// The pools of the devices: those that arrays use, or those of one Python object.
enum Pools {
    /// The device's own: of the one named, or of the thread's current one at each call.
    Default(Option<Arc<Context>>),
    /// One for each device, over what the allocator gives or (`None`) over the device's memory.
    Own { allocator: Option<Arc<Py<PyAny>>>, made: Mutex<Vec<(DeviceId, Arc<Pool>)>> },
}

impl Pools {
    fn own(allocator: Option<Py<PyAny>>) -> Pools {
        Pools::Own { allocator: allocator.map(Arc::new), made: Mutex::default() }
    }

    fn with<T>(&self, kind: MemoryKind, use_pool: impl FnOnce(&Pool, &Arc<Context>) -> Result<T>) -> Result<T> {
        let context = match self {
            Pools::Default(Some(context)) => context.clone(),
            _ => Context::current()?,
        };
        match self {
            Pools::Default(_) if kind == MemoryKind::Pinned => use_pool(context.pinned_pool(), &context),
            Pools::Default(_) => use_pool(context.pool(), &context),
            Pools::Own { allocator, made } => {
                let pool = {
                    let mut made = made.lock();
                    let position = made.iter().position(|(id, _)| *id == context.id()).unwrap_or_else(|| {
                        let device = context.device().clone();
                        let pool = match allocator {
                            None => Pool::new(device, kind),
                            Some(function) => {
                                let source = Custom { function: function.clone(), live: Mutex::default() };
                                Pool::over(device, Box::new(source))
                            }
                        };
                        made.push((context.id(), Arc::new(pool)));
                        made.len() - 1
                    });
                    made[position].1.clone()
                };
                use_pool(&pool, &context)
            }
        }
    }
}

/// Segments from a Python function.
struct Custom {
    function: Arc<Py<PyAny>>,
    /// What it returned, by address.
    live: Mutex<HashMap<u64, Py<PyAny>>>,
}

/// The address of what an allocator returned, if there is room for `bytes`.
fn checked(pointer: &Bound<'_, PyAny>, bytes: usize) -> PyResult<u64> {
    let room = if let Ok(pointer) = pointer.cast::<MemoryPointer>() {
        pointer.get().remaining()
    } else if let Ok(pointer) = pointer.cast::<PinnedMemoryPointer>() {
        pointer.get().remaining()
    } else {
        return Err(type_error(format!("an allocator returned {}, not a MemoryPointer", pointer.get_type())).into());
    };
    let ptr: u64 = pointer.getattr(intern!(pointer.py(), "ptr"))?.extract()?;
    if ptr == 0 && bytes > 0 {
        let message = format!("an allocator was asked for {bytes} bytes and returned no address");
        return Err(Failure::from(Error::OutOfMemory(message)).into());
    }
    if room < bytes {
        return Err(value_error(format!("an allocator was asked for {bytes} bytes and returned {room}")).into());
    }
    Ok(ptr)
}

impl Source for Custom {
    fn allocate(&self, bytes: usize) -> cuproxide_core::Result<u64> {
        wait::attached(|py| {
            let made = self.function.bind(py).call1((bytes,)).map_err(out_of_memory)?;
            let ptr = checked(&made, bytes).map_err(out_of_memory)?;
            // What it gave out twice is dropped without the lock: that may run the program's code.
            let before = self.live.lock().insert(ptr, made.unbind());
            drop(before);
            Ok(ptr)
        })
    }

    fn free(&self, ptr: u64, _bytes: usize) -> cuproxide_core::Result<()> {
        let gone = self.live.lock().remove(&ptr);
        drop(gone);
        Ok(())
    }
}

/// What an allocator raised; lack of memory in the form that makes pools free what they can.
fn out_of_memory(raised: PyErr) -> Error {
    Python::attach(|py| {
        if raised.is_instance_of::<pyo3::exceptions::PyMemoryError>(py) {
            Error::OutOfMemory(raised.value(py).to_string())
        } else {
            host_error(raised)
        }
    })
}

/// A caching pool of device memory. `MemoryPool(allocator)` takes its memory from `allocator(size)`, by default from the
/// device.
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct MemoryPool {
    pools: Pools,
}

impl MemoryPool {
    fn with<T>(&self, use_pool: impl FnOnce(&Pool, &Arc<Context>) -> Result<T>) -> Result<T> {
        self.pools.with(MemoryKind::Device, use_pool)
    }

    /// The statistics, with all that is deferred in memory.
    fn stats(&self) -> Result<PoolStats> {
        self.with(|pool, context| {
            context.flush()?;
            Ok(pool.stats())
        })
    }
}

#[pymethods]
impl MemoryPool {
    #[new]
    #[pyo3(signature = (allocator=None))]
    fn __new__(allocator: Option<Py<PyAny>>) -> MemoryPool {
        MemoryPool { pools: Pools::own(allocator) }
    }

    /// Whether this is the pool that arrays of any device use unless told otherwise.
    #[getter]
    fn serves_arrays(&self) -> bool {
        matches!(self.pools, Pools::Default(None))
    }

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

    /// Returns cached memory to the device, of one stream or of all; with all goes what is kept for later calls.
    #[pyo3(signature = (stream=None))]
    fn free_all_blocks(&self, py: Python<'_>, stream: Option<&Bound<'_, Stream>>) -> Result<()> {
        if stream.is_none() {
            release_kept(py);
        }
        let id = stream.map(|stream| stream.get().resolve().map(|(_, stream)| stream.id())).transpose()?;
        self.with(|pool, context| {
            wait::long(py, || {
                // Work that cannot run now stays deferred, and its memory in use.
                let _ = context.flush();
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
            Ok(MemoryPointer::over(context, Buffer { ptr: block.ptr, bytes: size, owner: Owner::Pool(block) }))
        })
    }

    /// Sets the most bytes that the pool may hold, as a number or as a fraction of the device's memory; without either,
    /// there is no limit.
    ///
    /// Parameters
    /// ----------
    /// size : int, optional
    ///     The number of bytes.
    /// fraction : float, optional
    ///     The limit as a share of the device's memory.
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

/// A caching pool of page-locked host memory. `PinnedMemoryPool(allocator)` takes its memory from `allocator(size)`.
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct PinnedMemoryPool {
    pools: Pools,
}

impl PinnedMemoryPool {
    fn with<T>(&self, use_pool: impl FnOnce(&Pool, &Arc<Context>) -> Result<T>) -> Result<T> {
        self.pools.with(MemoryKind::Pinned, use_pool)
    }
}

#[pymethods]
impl PinnedMemoryPool {
    #[new]
    #[pyo3(signature = (allocator=None))]
    fn __new__(allocator: Option<Py<PyAny>>) -> PinnedMemoryPool {
        PinnedMemoryPool { pools: Pools::own(allocator) }
    }

    /// Memory from the pool.
    fn malloc(&self, py: Python<'_>, size: usize) -> Result<PinnedMemoryPointer> {
        self.with(|pool, context| {
            let block = pool.allocate(size, &context.stream())?;
            PinnedMemoryPointer::over(py, Buffer { ptr: block.ptr, bytes: size, owner: Owner::Pool(block) })
        })
    }

    /// Number of cached blocks.
    fn n_free_blocks(&self) -> Result<usize> {
        self.with(|pool, _| Ok(pool.stats().free_blocks))
    }

    /// Returns cached memory to the system.
    fn free_all_blocks(&self, py: Python<'_>) -> Result<()> {
        self.with(|pool, _| wait::long(py, || pool.free_all_blocks(None)))
    }
}

/// Gives up what the package keeps for later calls, unless a stream captures: then no library may free memory.
pub fn release_kept(py: Python<'_>) {
    let Some(_quiet) = cuproxide_core::memory::quiet::quiet() else { return };
    let released = crate::package::RELEASE_KEPT.get(py).and_then(|release| release.call0());
    if let Err(error) = released {
        error.write_unraisable(py, None);
    }
}

/// The pool of device memory.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub fn get_default_memory_pool(py: Python<'_>, device: Option<&Bound<'_, PyAny>>) -> Result<Py<MemoryPool>> {
    /// That of whichever device is current: one object, as programs compare it.
    static POOL: PyOnceLock<Py<MemoryPool>> = PyOnceLock::new();
    let of = |device| Py::new(py, MemoryPool { pools: Pools::Default(device) });
    match device::parse_optional(device)? {
        None => Ok(POOL.get_or_try_init(py, || of(None))?.clone_ref(py)),
        device => Ok(of(device)?),
    }
}

/// The pool of page-locked host memory.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub fn get_default_pinned_memory_pool(
    py: Python<'_>,
    device: Option<&Bound<'_, PyAny>>,
) -> Result<Py<PinnedMemoryPool>> {
    /// As for device memory.
    static POOL: PyOnceLock<Py<PinnedMemoryPool>> = PyOnceLock::new();
    let of = |device| Py::new(py, PinnedMemoryPool { pools: Pools::Default(device) });
    match device::parse_optional(device)? {
        None => Ok(POOL.get_or_try_init(py, || of(None))?.clone_ref(py)),
        device => Ok(of(device)?),
    }
}

/// The allocator of all threads.
static GLOBAL: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

/// How many threads have chosen one of their own.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The allocator of the thread; `Some(None)` is the pool of the device.
    static LOCAL: RefCell<Option<Option<Py<PyAny>>>> = const { RefCell::new(None) };
    static OBSERVERS: RefCell<Vec<Py<PyAny>>> = const { RefCell::new(Vec::new()) };
}

/// The current allocator of the thread; `None` is the pool of the device.
fn current(py: Python<'_>) -> Option<Py<PyAny>> {
    let local = LOCAL.with_borrow(|local| local.as_ref().map(|chosen| chosen.as_ref().map(|f| f.clone_ref(py))));
    local.unwrap_or_else(|| GLOBAL.lock().as_ref().map(|function| function.clone_ref(py)))
}

/// Sets the function that makes the memory of arrays for all threads; `None` for the pool of the device.
#[pyfunction]
#[pyo3(signature = (function))]
pub fn set_global_allocator(function: Option<Py<PyAny>>) {
    let before = {
        let mut global = GLOBAL.lock();
        let before = std::mem::replace(&mut *global, function);
        use_chosen(&global);
        before
    };
    drop(before);
}

/// Has allocations ask for a function only while any is chosen: a thread that ended with a choice counts as one.
fn use_chosen(global: &Option<Py<PyAny>>) {
    hooks::use_allocator(global.is_some() || THREADS.load(Ordering::Relaxed) > 0);
}

/// Sets the function for this thread, as a tuple of one (`(None,)` for the pool of the device), or leaves it to all
/// threads' (`None`). Returns what was set before.
#[pyfunction]
#[pyo3(signature = (choice))]
pub fn set_thread_allocator(choice: Option<(Option<Py<PyAny>>,)>) -> Option<(Option<Py<PyAny>>,)> {
    // The lock orders what several threads choose.
    let global = GLOBAL.lock();
    let before = LOCAL.with_borrow_mut(|local| {
        match (local.is_some(), choice.is_some()) {
            (false, true) => THREADS.fetch_add(1, Ordering::Relaxed),
            (true, false) => THREADS.fetch_sub(1, Ordering::Relaxed),
            _ => 0,
        };
        std::mem::replace(local, choice.map(|(function,)| function))
    });
    use_chosen(&global);
    before.map(|before| (before,))
}

/// The function that makes the memory of this thread's arrays; `None` is the pool of the device.
#[pyfunction]
pub fn current_allocator(py: Python<'_>) -> Option<Py<PyAny>> {
    current(py)
}

fn allocate(context: &Arc<Context>, bytes: usize) -> Option<cuproxide_core::Result<Buffer>> {
    wait::attached(|py| {
        let function = current(py)?;
        // The function shall see the device that the memory is for.
        let before = Context::make_current(Some(context.clone()));
        let made = function.bind(py).call1((bytes,)).and_then(|pointer| {
            let ptr = checked(&pointer, bytes)?;
            let device = pointer.cast::<MemoryPointer>()?.get().place().0.context().id();
            if device != context.id() {
                return Err(
                    value_error(format!("the allocator returned memory of {device}, not of {}", context.id())).into()
                );
            }
            Ok(Buffer { ptr, bytes, owner: Owner::Foreign(Arc::new(pointer.unbind())) })
        });
        Context::make_current(before);
        Some(made.map_err(host_error))
    })
}

/// Sets the hooks of this thread, in the order of their calls.
#[pyfunction]
pub fn set_memory_hooks(list: &Bound<'_, PyList>) {
    let chosen: Vec<Py<PyAny>> = list.iter().map(Bound::unbind).collect();
    hooks::observe(!chosen.is_empty());
    let before = OBSERVERS.replace(chosen);
    drop(before);
}

fn notify(event: &MemoryEvent) -> cuproxide_core::Result<()> {
    wait::attached(|py| {
        let observers: Vec<Py<PyAny>> =
            OBSERVERS.with_borrow(|observers| observers.iter().map(|hook| hook.clone_ref(py)).collect());
        // What a hook itself allocates is not its business.
        hooks::observe(false);
        let outcome = observers.iter().try_for_each(|hook| call(py, hook, event));
        hooks::observe(OBSERVERS.with_borrow(|observers| !observers.is_empty()));
        outcome.map_err(|raised| {
            if event.action == Action::GiveBack {
                raised.write_unraisable(py, None);
                return Error::Value(String::new());
            }
            host_error(raised)
        })
    })
}

fn call(py: Python<'_>, hook: &Py<PyAny>, event: &MemoryEvent) -> PyResult<()> {
    let arguments = PyDict::new(py);
    arguments.set_item("device_id", event.device.ordinal)?;
    arguments.set_item("mem_size", event.bytes)?;
    if event.action == Action::Take {
        arguments.set_item("size", event.asked)?;
    }
    if event.done || event.action == Action::GiveBack {
        arguments.set_item("mem_ptr", event.ptr)?;
        if event.action != Action::Allocate {
            // A block is named by its address while it is in use.
            arguments.set_item("pmem_id", event.ptr)?;
        }
    }
    let name = match (event.action, event.done) {
        (Action::Allocate, false) => intern!(py, "alloc_preprocess"),
        (Action::Allocate, true) => intern!(py, "alloc_postprocess"),
        (Action::Take, false) => intern!(py, "malloc_preprocess"),
        (Action::Take, true) => intern!(py, "malloc_postprocess"),
        (Action::GiveBack, false) => intern!(py, "free_preprocess"),
        (Action::GiveBack, true) => intern!(py, "free_postprocess"),
    };
    hook.bind(py).call_method(name, (), Some(&arguments)).map(drop)
}

/// Tells core about the functions of this module.
pub fn register() {
    hooks::set_functions(notify, allocate);
}
