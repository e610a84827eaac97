//! The caching memory pool of a device.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use cuproxide_hal::{self as hal, Allocation, Device, MemoryKind};
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use super::arena::{Arena, GRANULE};
use crate::error::{Error, Result};

/// Caches device memory: best fit, split and merge, one arena a stream.
///
/// A block that is given back is reused by later work *of the same stream*, so no synchronisation is needed. When the
/// device has no memory left, cached blocks are returned to it, then the pressure hook runs (the front end collects
/// garbage there), then the request fails with a message that says how the memory is used.
pub struct MemoryPool {
    inner: Arc<Inner>,
}

struct Inner {
    device: Arc<dyn Device>,
    kind: MemoryKind,
    arenas: Mutex<HashMap<u64, Arena>>,
    /// Bytes held from the device, used or cached.
    total: AtomicUsize,
    used: AtomicUsize,
    peak: AtomicUsize,
    allocations: AtomicUsize,
    /// 0: no limit.
    limit: AtomicUsize,
}

/// A block in use; dropping it gives it back to its pool.
pub struct Block {
    pool: Weak<Inner>,
    /// Address.
    pub ptr: u64,
    /// Size in bytes, a multiple of 512.
    pub bytes: usize,
    stream: u64,
}

/// Counters of a pool, in bytes unless stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// In use by arrays.
    pub used: usize,
    /// Held from the device, in use or cached.
    pub total: usize,
    /// Most that was ever in use.
    pub peak: usize,
    /// Number of allocations asked of the device.
    pub device_allocations: usize,
    /// Number of cached free blocks.
    pub free_blocks: usize,
    /// Limit, 0 for none.
    pub limit: usize,
}

static PRESSURE_HOOK: OnceCell<fn()> = OnceCell::new();

/// Sets what to run when memory is short, once for the process; it may drop arrays.
pub fn set_pressure_hook(hook: fn()) {
    let _ = PRESSURE_HOOK.set(hook);
}

impl MemoryPool {
    /// An empty pool over memory of one kind.
    pub fn new(device: Arc<dyn Device>, kind: MemoryKind) -> MemoryPool {
        let inner = Inner {
            device,
            kind,
            arenas: Mutex::new(HashMap::new()),
            total: AtomicUsize::new(0),
            used: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            allocations: AtomicUsize::new(0),
            limit: AtomicUsize::new(0),
        };
        MemoryPool { inner: Arc::new(inner) }
    }

    /// A block of at least `bytes` for work on `stream`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] when the device or the limit has no room left even after giving back what is cached.
    pub fn allocate(&self, bytes: usize, stream: u64) -> Result<Block> {
        let inner = &self.inner;
        let rounded = bytes.max(1).checked_next_multiple_of(GRANULE).filter(|&b| b <= isize::MAX as usize);
        let Some(rounded) = rounded else { return Err(self.out_of_memory(bytes)) };
        let ptr = inner.take(rounded, stream).map_or_else(|| self.grow(rounded, bytes, stream), Ok)?;
        let used = inner.used.fetch_add(rounded, Ordering::Relaxed) + rounded;
        inner.peak.fetch_max(used, Ordering::Relaxed);
        Ok(Block { pool: Arc::downgrade(inner), ptr, bytes: rounded, stream })
    }

    /// Asks the device for a segment, climbing the out-of-memory ladder.
    fn grow(&self, rounded: usize, asked: usize, stream: u64) -> Result<u64> {
        let inner = &self.inner;
        for rung in 0..3 {
            match rung {
                0 => {}
                1 => self.free_all_blocks(None)?,
                _ => {
                    if let Some(hook) = PRESSURE_HOOK.get() {
                        hook();
                    }
                    // What the hook dropped may fit without asking the device.
                    if let Some(ptr) = inner.take(rounded, stream) {
                        return Ok(ptr);
                    }
                    self.free_all_blocks(None)?;
                }
            }
            // Reserve first, so that two threads cannot pass the limit together.
            let total = inner.total.fetch_add(rounded, Ordering::Relaxed) + rounded;
            let limit = inner.limit.load(Ordering::Relaxed);
            if limit == 0 || total <= limit {
                match inner.device.allocate(inner.kind, rounded) {
                    Ok(allocation) => {
                        inner.allocations.fetch_add(1, Ordering::Relaxed);
                        let mut arenas = inner.arenas.lock();
                        arenas.entry(stream).or_default().add_segment(allocation.ptr, rounded);
                        return Ok(allocation.ptr);
                    }
                    Err(hal::Error::OutOfMemory { .. }) => {}
                    Err(other) => {
                        inner.total.fetch_sub(rounded, Ordering::Relaxed);
                        return Err(other.into());
                    }
                }
            }
            inner.total.fetch_sub(rounded, Ordering::Relaxed);
        }
        Err(self.out_of_memory(asked))
    }

    fn out_of_memory(&self, requested: usize) -> Error {
        let stats = self.stats();
        let device = self.inner.device.info().id;
        let memory = self.inner.device.memory_info();
        let memory = memory.map_or_else(|e| e.to_string(), |m| format!("{} of {} bytes free", m.free, m.total));
        let limit = if stats.limit == 0 { "none".to_owned() } else { format!("{} bytes", stats.limit) };
        Error::OutOfMemory(format!(
            "out of memory on {device}: allocating {requested} bytes (arrays use {} bytes, the pool caches {} bytes, \
             limit: {limit}; device: {memory})",
            stats.used,
            stats.total.saturating_sub(stats.used),
        ))
    }

    /// Returns wholly free segments to the device, of one stream or of all.
    pub fn free_all_blocks(&self, stream: Option<u64>) -> Result<()> {
        let drained: Vec<(u64, usize)> = {
            let mut arenas = self.inner.arenas.lock();
            let chosen = arenas.iter_mut().filter(|(id, _)| stream.is_none_or(|s| s == **id));
            chosen.flat_map(|(_, arena)| arena.drain_free_segments()).collect()
        };
        if drained.is_empty() {
            return Ok(());
        }
        // Work that still uses a cached block may be queued.
        let synchronized = self.inner.device.synchronize();
        self.inner.release(&drained);
        Ok(synchronized?)
    }

    /// Sets the most bytes the pool may hold; 0 for no limit.
    pub fn set_limit(&self, bytes: usize) {
        self.inner.limit.store(bytes, Ordering::Relaxed);
    }

    /// The counters.
    pub fn stats(&self) -> PoolStats {
        let inner = &self.inner;
        let free_blocks = inner.arenas.lock().values().map(|arena| arena.free_bytes().1).sum();
        PoolStats {
            used: inner.used.load(Ordering::Relaxed),
            total: inner.total.load(Ordering::Relaxed),
            peak: inner.peak.load(Ordering::Relaxed),
            device_allocations: inner.allocations.load(Ordering::Relaxed),
            free_blocks,
            limit: inner.limit.load(Ordering::Relaxed),
        }
    }
}

impl Inner {
    fn take(&self, rounded: usize, stream: u64) -> Option<u64> {
        self.arenas.lock().get_mut(&stream)?.take(rounded)
    }

    fn release(&self, segments: &[(u64, usize)]) {
        for &(ptr, bytes) in segments {
            // SAFETY: the segment came from this device, left the arena just now, and no queued work uses it.
            let freed = unsafe { self.device.free(Allocation { ptr, bytes, kind: self.kind }) };
            if let Err(error) = freed {
                tracing::error!(%error, ptr, bytes, "freeing device memory failed");
            }
            self.total.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Best effort: at process end the driver may be gone already.
        let _ = self.device.synchronize();
        let drained: Vec<_> = self.arenas.get_mut().values_mut().flat_map(Arena::drain_free_segments).collect();
        self.release(&drained);
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.used.fetch_sub(self.bytes, Ordering::Relaxed);
            if let Some(arena) = pool.arenas.lock().get_mut(&self.stream) {
                arena.give_back(self.ptr);
            }
        }
    }
}
