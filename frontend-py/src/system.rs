//! The driver's extras, as plain calls for the Python module that gives them their names.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cuproxide_core::detach::queueing;
use cuproxide_core::{Context, context, memory, ops};
use cuproxide_hal as hal;
use cuproxide_hal::DType;
use cuproxide_hal::{Allocation, MemoryKind, PitchedCopy, PoolNumber, SharedHandle};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes};

use crate::device::{self, Device};
use crate::errors::{self, Result, value_error};
use crate::event::Event;
use crate::foreign::PROTOCOLS;
use crate::stream::Stream;
use crate::wait;

/// What the driver of a device offers besides arrays. Addresses, handles and codes are plain numbers.
#[pyclass(module = "cuproxide", frozen)]
pub struct System {
    context: Arc<Context>,
}

fn kind(name: &str) -> Result<MemoryKind> {
    match name {
        "device" => Ok(MemoryKind::Device),
        "managed" => Ok(MemoryKind::Managed),
        "pinned" => Ok(MemoryKind::Pinned),
        _ => Err(value_error(format!("{name:?} is not a kind of memory"))),
    }
}

fn handle(bytes: &[u8]) -> Result<SharedHandle> {
    bytes.try_into().map_err(|_| value_error(format!("a handle has 64 bytes, not {}", bytes.len())))
}

impl System {
    fn get(&self) -> Result<&dyn hal::System> {
        Ok(self.context.device().system()?)
    }

    /// Calls what may wait for the device.
    fn waiting<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&dyn hal::System) -> hal::Result<T> + Send,
    ) -> Result<T> {
        wait::long(py, || Ok(work(self.context.device().system()?)?))
    }
}

#[pymethods]
impl System {
    #[new]
    #[pyo3(signature = (device=None))]
    fn __new__(device: Option<&Bound<'_, PyAny>>) -> Result<System> {
        Ok(System { context: device::parse_id(device)? })
    }

    fn driver_version(&self) -> Result<i32> {
        Ok(self.get()?.driver_version()?)
    }

    fn attribute(&self, number: i32) -> Result<i64> {
        Ok(self.get()?.attribute(number)?)
    }

    fn limit(&self, number: i32) -> Result<usize> {
        Ok(self.get()?.limit(number)?)
    }

    fn set_limit(&self, py: Python<'_>, number: i32, value: usize) -> Result<()> {
        self.waiting(py, |system| system.set_limit(number, value))
    }

    fn can_access(&self, peer: &Bound<'_, Device>) -> Result<bool> {
        Ok(self.get()?.can_access(peer.get().context()?.device().as_ref())?)
    }

    fn enable_access(&self, py: Python<'_>, peer: &Bound<'_, Device>) -> Result<()> {
        let context = peer.get().context()?;
        let peer = context.device();
        self.waiting(py, |system| system.enable_access(peer.as_ref()))
    }

    fn disable_access(&self, py: Python<'_>, peer: &Bound<'_, Device>) -> Result<()> {
        let context = peer.get().context()?;
        let peer = context.device();
        self.waiting(py, |system| system.disable_access(peer.as_ref()))
    }

    fn priorities(&self) -> Result<(i32, i32)> {
        Ok(self.get()?.priorities()?)
    }

    fn allocate(&self, py: Python<'_>, kind_name: &str, bytes: usize) -> Result<u64> {
        let kind = kind(kind_name)?;
        wait::long(py, || Ok(self.context.device().allocate(kind, bytes)?.ptr))
    }

    fn free(&self, py: Python<'_>, kind_name: &str, ptr: u64, bytes: usize) -> Result<()> {
        let allocation = Allocation { ptr, bytes, kind: kind(kind_name)? };
        // SAFETY: the Python module frees what it allocated, once; the device waits for work that uses it.
        wait::long(py, || Ok(unsafe { self.context.device().free(allocation) }?))
    }

    fn allocate_ordered(&self, stream: &Bound<'_, Stream>, pool: u64, bytes: usize) -> Result<u64> {
        Ok(self.get()?.allocate_ordered(stream.get().resolve()?.1.as_ref(), pool, bytes)?)
    }

    fn free_ordered(&self, stream: &Bound<'_, Stream>, ptr: u64) -> Result<()> {
        // SAFETY: the Python module frees what it allocated, once.
        Ok(unsafe { self.get()?.free_ordered(stream.get().resolve()?.1.as_ref(), ptr) }?)
    }

    fn pool(&self, first: bool) -> Result<u64> {
        Ok(self.get()?.pool(first)?)
    }

    fn set_pool(&self, pool: u64) -> Result<()> {
        Ok(self.get()?.set_pool(pool)?)
    }

    fn create_pool(&self) -> Result<u64> {
        Ok(self.get()?.create_pool()?)
    }

    fn destroy_pool(&self, py: Python<'_>, pool: u64) -> Result<()> {
        self.waiting(py, |system| system.destroy_pool(pool))
    }

    fn trim_pool(&self, py: Python<'_>, pool: u64, keep: usize) -> Result<()> {
        self.waiting(py, |system| system.trim_pool(pool, keep))
    }

    /// Bytes in use and bytes held.
    fn pool_numbers(&self, pool: u64) -> Result<(usize, usize)> {
        let system = self.get()?;
        Ok((system.pool_number(pool, PoolNumber::Used)?, system.pool_number(pool, PoolNumber::Reserved)?))
    }

    fn register(&self, py: Python<'_>, ptr: u64, bytes: usize, flags: u32) -> Result<()> {
        // SAFETY: the program vouches for its memory.
        self.waiting(py, |system| unsafe { system.register(ptr, bytes, flags) })
    }

    fn unregister(&self, py: Python<'_>, ptr: u64) -> Result<()> {
        self.waiting(py, |system| system.unregister(ptr))
    }

    /// Device number (-1 for none), kind, address for the device and for the host.
    fn pointer(&self, ptr: u64) -> Result<(i64, u32, u64, u64)> {
        let info = self.get()?.pointer(ptr)?;
        Ok((info.device.map_or(-1, |ordinal| ordinal as i64), info.kind, info.device_ptr, info.host_ptr))
    }

    fn prefetch(
        &self,
        py: Python<'_>,
        stream: &Bound<'_, Stream>,
        ptr: u64,
        bytes: usize,
        device: Option<usize>,
    ) -> Result<()> {
        let stream = stream.get().resolve()?.1;
        // SAFETY: the program vouches for its memory.
        self.waiting(py, |system| unsafe { system.prefetch(stream.as_ref(), ptr, bytes, device) })
    }

    fn advise(&self, ptr: u64, bytes: usize, advice: i32, device: Option<usize>) -> Result<()> {
        // SAFETY: as above.
        Ok(unsafe { self.get()?.advise(ptr, bytes, advice, device) }?)
    }

    /// Copies between any two addresses; rows of `width` bytes.
    #[allow(clippy::too_many_arguments, reason = "the form of the vendors' call")]
    fn copy_pitched(
        &self,
        py: Python<'_>,
        stream: &Bound<'_, Stream>,
        dst: u64,
        dst_pitch: usize,
        src: u64,
        src_pitch: usize,
        width: usize,
        rows: usize,
    ) -> Result<()> {
        if width > dst_pitch || width > src_pitch {
            return Err(value_error(format!("lines of {width} bytes overlap at pitches {dst_pitch} and {src_pitch}")));
        }
        let stream = stream.get().resolve()?.1;
        let copy = PitchedCopy { dst, dst_pitch, src, src_pitch, width, rows };
        for (ptr, pitch) in [(dst, dst_pitch), (src, src_pitch)] {
            check_rows(&self.context, ptr, width, pitch, rows)?;
        }
        // SAFETY: the program vouches for its addresses.
        self.waiting(py, |system| unsafe { system.copy_pitched(stream.as_ref(), &copy) })
    }

    /// Copies between any two addresses.
    fn copy(&self, py: Python<'_>, stream: &Bound<'_, Stream>, dst: u64, src: u64, bytes: usize) -> Result<()> {
        let stream = stream.get().resolve()?.1;
        check_rows(&self.context, dst, bytes, 0, 1)?;
        check_rows(&self.context, src, bytes, 0, 1)?;
        // SAFETY: the program vouches for its addresses.
        self.waiting(py, |system| unsafe { system.copy_any(stream.as_ref(), dst, src, bytes) })
    }

    fn copy_from_peer(
        &self,
        stream: &Bound<'_, Stream>,
        dst: u64,
        peer: &Bound<'_, Device>,
        src: u64,
        bytes: usize,
    ) -> Result<()> {
        let stream = stream.get().resolve()?.1;
        let peer = peer.get().context()?;
        let (device, source) = (self.context.device(), peer.device());
        check_rows(&self.context, dst, bytes, 0, 1)?;
        check_rows(&peer, src, bytes, 0, 1)?;
        // SAFETY: the program vouches for its addresses.
        Ok(queueing(|| unsafe { device.copy_from_peer(stream.as_ref(), dst, source.as_ref(), src, bytes) })?)
    }

    fn fill(&self, stream: &Bound<'_, Stream>, ptr: u64, value: u8, bytes: usize) -> Result<()> {
        let stream = stream.get().resolve()?.1;
        check_rows(&self.context, ptr, bytes, 0, 1)?;
        // SAFETY: the program vouches for its address.
        Ok(queueing(|| unsafe { self.context.device().fill(stream.as_ref(), ptr, value, bytes) })?)
    }

    fn share_memory<'py>(&self, py: Python<'py>, ptr: u64) -> Result<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.get()?.share_memory(ptr)?))
    }

    fn open_memory(&self, py: Python<'_>, shared: &[u8]) -> Result<u64> {
        let shared = handle(shared)?;
        self.waiting(py, |system| system.open_memory(&shared))
    }

    fn close_memory(&self, py: Python<'_>, ptr: u64) -> Result<()> {
        self.waiting(py, |system| system.close_memory(ptr))
    }

    fn share_event<'py>(&self, py: Python<'py>, event: &Bound<'_, Event>) -> Result<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.get()?.share_event(event.get().below()?.as_ref())?))
    }

    fn open_event(&self, shared: &[u8]) -> Result<Event> {
        Ok(Event::made(self.context.clone(), self.get()?.open_event(&handle(shared)?)?))
    }

    fn event_at(&self, raw: u64) -> Result<Event> {
        match Event::with_handle(raw) {
            Some(event) => Ok(event),
            None => Ok(Event::made(self.context.clone(), self.get()?.external_event(raw)?)),
        }
    }

    fn library_handle(&self, py: Python<'_>, library: &str) -> Result<u64> {
        self.waiting(py, |system| system.library_handle(library))
    }

    fn profile(&self, py: Python<'_>, on: bool) -> Result<()> {
        self.waiting(py, |system| system.profile(on))
    }
}

/// Checks memory that the program names by its address, as far as the device can tell: `rows` of `width` bytes.
pub fn check_rows(context: &Context, ptr: u64, width: usize, pitch: usize, rows: usize) -> Result<()> {
    if width == 0 || rows == 0 {
        return Ok(());
    }
    let reach = pitch.checked_mul(rows - 1).and_then(|before| before.checked_add(width));
    let Some(reach) = reach.filter(|&reach| ptr.checked_add(reach as u64).is_some()) else {
        return Err(value_error(format!(
            "{rows} rows of {width} bytes at a pitch of {pitch} from {ptr:#x} leave memory"
        )));
    };
    match context.device().system() {
        Ok(system) => Ok(system.check_memory(ptr, reach)?),
        Err(_) => Ok(()),
    }
}

/// Settings of the process that environment variables give: whether threads start on default streams of their own; the
/// most bytes (or part, as a float) that a pool holds; whether float32 products may use TensorFloat-32; how arrays are
/// exchanged (whether to wait for named streams, the version of `__cuda_array_interface__`, DLPack with versions); whether
/// texts of kernels that do not compile are printed.
#[pyfunction]
#[pyo3(signature = (*, per_thread_streams=None, memory_limit=None, tf32=None, interface_sync=None, interface_version=None,
    versioned_dlpack=None, print_sources=None))]
pub fn configure(
    per_thread_streams: Option<bool>,
    memory_limit: Option<&Bound<'_, PyAny>>,
    tf32: Option<bool>,
    interface_sync: Option<bool>,
    interface_version: Option<u32>,
    versioned_dlpack: Option<bool>,
    print_sources: Option<bool>,
) -> Result<()> {
    if let Some(print) = print_sources {
        errors::PRINT_SOURCES.store(print, Ordering::Relaxed);
    }
    if let Some(own) = per_thread_streams {
        context::set_per_thread_streams(own);
    }
    if let Some(limit) = memory_limit {
        memory::set_default_limit(Some(match limit.extract::<usize>() {
            Ok(bytes) => memory::Limit::Bytes(bytes),
            Err(_) => memory::Limit::Fraction(limit.extract()?),
        }));
    }
    if let Some(allow) = tf32 {
        let name = if allow { "tf32" } else { "default" };
        for dtype in [DType::F32, DType::C64] {
            ops::products::set_compute_type(dtype, name)?;
        }
    }
    let mut protocols = PROTOCOLS.write();
    protocols.synchronize = interface_sync.unwrap_or(protocols.synchronize);
    protocols.interface = interface_version.unwrap_or(protocols.interface);
    protocols.versioned_dlpack = versioned_dlpack.unwrap_or(protocols.versioned_dlpack);
    Ok(())
}
