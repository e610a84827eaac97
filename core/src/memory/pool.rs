//! The caching memory pool of a device.

use std::sync::{Arc, Weak};

use cuproxide_hal::{Allocation, Device, DeviceId, MemoryKind, Stream};
use once_cell::sync::OnceCell;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::arena::{Arena, GRANULE, QUICK_BYTES};
use super::capture::{self, Hold};
use super::hooks::{self, Action, MemoryEvent};
use super::quiet::{quiet, when_quiet};
use crate::context::Context;
use crate::detach::detached;
use crate::error::{Error, Result};
use crate::timeline::{self, Work};

/// Caches device memory: best fit, split and merge, one arena a stream, and one for each stream of a capture.
///
/// A block that is given back is reused by later work *of the same stream*, so no synchronisation is needed. When the
/// device has no memory left, cached blocks are returned to it, then plans of libraries go and the pressure hook runs (the
/// front end collects garbage there), then the request fails with a message that says how the memory is used.
pub struct MemoryPool {
    inner: Arc<Inner>,
}

struct Inner {
    device: Arc<dyn Device>,
    id: DeviceId,
    source: Arc<dyn Source>,
    state: Mutex<State>,
}

/// Where a pool gets its segments from.
pub trait Source: Send + Sync {
    /// A segment of so many bytes; running out of memory makes the pool free what it can and ask again.
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// Takes a segment back that nothing uses any more.
    fn free(&self, ptr: u64, bytes: usize) -> Result<()>;
}

/// The device's own memory.
struct DeviceMemory {
    device: Arc<dyn Device>,
    kind: MemoryKind,
}

impl Source for DeviceMemory {
    fn allocate(&self, bytes: usize) -> Result<u64> {
        let name = if self.kind == MemoryKind::Device { "device memory" } else { "pinned memory" };
        let _span = timeline::scope(Work::Allocate, name, self.device.info().id, || bytes);
        Ok(detached(|| self.device.allocate(self.kind, bytes))?.ptr)
    }

    fn free(&self, ptr: u64, bytes: usize) -> Result<()> {
        let (device, kind) = (self.device.clone(), self.kind);
        // SAFETY: the pool promises a segment that came from `allocate` and that nothing uses any more.
        let free = move || detached(|| unsafe { device.free(Allocation { ptr, bytes, kind }) });
        if let Some(_quiet) = quiet() {
            return Ok(free()?);
        }
        when_quiet(move || {
            if let Err(error) = free() {
                tracing::error!(%error, ptr, bytes, "freeing memory after a capture failed");
            }
        });
        Ok(())
    }
}

/// The most that the pools of devices hold unless a limit is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// So many bytes.
    Bytes(usize),
    /// A part of the device's memory.
    Fraction(f64),
}

static DEFAULT_LIMIT: RwLock<Option<Limit>> = RwLock::new(None);

/// Sets the limit that pools of device memory begin with.
pub fn set_default_limit(limit: Option<Limit>) {
    *DEFAULT_LIMIT.write() = limit;
}

/// What the lock guards. It is never held across a call of the device.
#[derive(Default)]
struct State {
    /// Few streams allocate, so a list beats a map.
    arenas: Vec<Owned>,
    /// Who holds blocks that were allocated outside of their capture, by the block's address.
    held: FxHashMap<u64, SmallVec<[Weak<Hold>; 1]>>,
    /// Bytes held from the device, used or cached.
    total: usize,
    used: usize,
    peak: usize,
    allocations: usize,
    /// 0: no limit.
    limit: usize,
}

/// Whose arena it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    stream: u64,
    /// The number of the capture that allocated, or none.
    capture: Option<u64>,
}

/// The arena of a stream, or of a stream within a capture.
struct Owned {
    key: Key,
    owner: Life,
    arena: Arena,
}

/// Who may still use an arena.
enum Life {
    Stream(Weak<dyn Stream>),
    Graph(Weak<Hold>),
}

impl Owned {
    /// Whether nobody will allocate from the arena again, nor launch a graph over it.
    fn is_orphan(&self) -> bool {
        match &self.owner {
            Life::Stream(stream) => stream.strong_count() == 0,
            Life::Graph(hold) => hold.strong_count() == 0,
        }
    }

    /// Whether a graph, living or being captured, owns the memory.
    fn is_pinned(&self) -> bool {
        matches!(&self.owner, Life::Graph(hold) if hold.strong_count() > 0)
    }
}

/// The place that an allocation comes from.
struct Place<'a> {
    key: Key,
    stream: &'a Arc<dyn Stream>,
    hold: Option<Arc<Hold>>,
}

impl State {
    #[inline]
    fn arena(&mut self, key: Key) -> Option<&mut Arena> {
        self.arenas.iter_mut().find(|owned| owned.key == key).map(|owned| &mut owned.arena)
    }

    fn arena_of(&mut self, place: &Place<'_>) -> &mut Arena {
        let key = place.key;
        let position = self.arenas.iter().position(|owned| owned.key == key).unwrap_or_else(|| {
            let owner = match &place.hold {
                Some(hold) => Life::Graph(Arc::downgrade(hold)),
                None => Life::Stream(Arc::downgrade(place.stream)),
            };
            self.arenas.push(Owned { key, owner, arena: Arena::default() });
            self.arenas.len() - 1
        });
        &mut self.arenas[position].arena
    }

    /// A cached block, counted as used.
    fn take(&mut self, bytes: usize, place: &Place<'_>) -> Option<u64> {
        let ptr = self.arena_of(place).take(bytes)?;
        self.count(bytes);
        Some(ptr)
    }

    /// The living graph that holds a block, if any.
    fn holder(&mut self, ptr: u64) -> Option<Arc<Hold>> {
        let holders = self.held.get(&ptr)?;
        let found = holders.iter().find_map(Weak::upgrade);
        if found.is_none() {
            self.held.remove(&ptr);
        }
        found
    }

    fn count(&mut self, bytes: usize) {
        self.used += bytes;
        self.peak = self.peak.max(self.used);
    }
}

/// A block in use; dropping it gives it back to its pool.
pub struct Block {
    pool: Arc<Inner>,
    /// Address.
    pub ptr: u64,
    /// Size in bytes, a multiple of 512.
    pub bytes: usize,
    key: Key,
}

impl Block {
    /// Lets `hold` have the block when nobody uses it any more. Blocks of the capture's own arena need no holding: their
    /// memory may serve the same capture again.
    pub(crate) fn hold_for(&self, hold: &Arc<Hold>) {
        if self.key.capture == Some(hold.capture) {
            return;
        }
        let mut state = self.pool.state.lock();
        let holders = state.held.entry(self.ptr).or_default();
        holders.retain(|known| known.strong_count() > 0);
        if holders.iter().all(|known| known.as_ptr() != Arc::as_ptr(hold)) {
            holders.push(Arc::downgrade(hold));
        }
    }
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

/// Gives up what is kept for later calls only, and what nobody uses any more: the plans of libraries, then whatever the hook
/// knows of.
fn make_room() {
    // Libraries free memory of their own, which a capture does not allow.
    if let Some(_quiet) = quiet() {
        for context in Context::all() {
            context.clear_plans();
        }
    }
    if let Some(hook) = PRESSURE_HOOK.get() {
        hook();
    }
}

impl MemoryPool {
    /// An empty pool over memory of one kind.
    pub fn new(device: Arc<dyn Device>, kind: MemoryKind) -> MemoryPool {
        let source = DeviceMemory { device: device.clone(), kind };
        let pool = MemoryPool::over(device, Box::new(source));
        match *DEFAULT_LIMIT.read() {
            Some(Limit::Bytes(bytes)) if kind == MemoryKind::Device => pool.set_limit(bytes),
            Some(Limit::Fraction(fraction)) if kind == MemoryKind::Device => {
                pool.set_limit((pool.inner.device.info().total_memory as f64 * fraction) as usize);
            }
            _ => {}
        }
        pool
    }

    /// An empty pool over memory of a device from any source.
    pub fn over(device: Arc<dyn Device>, source: Box<dyn Source>) -> MemoryPool {
        let id = device.info().id;
        MemoryPool { inner: Arc::new(Inner { device, id, source: source.into(), state: Mutex::default() }) }
    }

    /// A small block that work of the stream with this id has given back, as most new blocks are. `None` where there is none, or a
    /// hook or a capture has to see allocations: [`MemoryPool::allocate`] serves all.
    #[inline]
    pub(crate) fn take_waiting(&self, bytes: usize, stream: u64) -> Option<Block> {
        if bytes > QUICK_BYTES || hooks::are_set() || capture::any_open() {
            return None;
        }
        let bytes = bytes.max(1).next_multiple_of(GRANULE);
        let key = Key { stream, capture: None };
        let mut state = self.inner.state.lock();
        let ptr = state.arena(key)?.take_waiting(bytes)?;
        state.count(bytes);
        drop(state);
        Some(Block { pool: self.inner.clone(), ptr, bytes, key })
    }

    /// A block of at least `bytes` for work on `stream`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] when the device or the limit has no room left even after giving back what is cached.
    pub fn allocate(&self, bytes: usize, stream: &Arc<dyn Stream>) -> Result<Block> {
        let rounded = bytes.max(1).checked_next_multiple_of(GRANULE).filter(|&b| b <= isize::MAX as usize);
        let Some(rounded) = rounded else { return Err(self.out_of_memory(bytes)) };
        let hold = capture::of(self.inner.id, stream.as_ref());
        let key = Key { stream: stream.id(), capture: hold.as_ref().map(|hold| hold.capture) };
        let place = Place { key, stream, hold };
        let observed = hooks::observed();
        if observed {
            self.inner.tell(Action::Take, false, bytes, rounded, 0)?;
        }
        let cached = self.inner.state.lock().take(rounded, &place);
        let ptr = cached.map_or_else(|| self.grow(rounded, bytes, &place), Ok)?;
        let block = Block { pool: self.inner.clone(), ptr, bytes: rounded, key };
        if observed {
            self.inner.tell(Action::Take, true, bytes, rounded, ptr)?;
        }
        Ok(block)
    }

    /// Asks the device for a segment, climbing the out-of-memory ladder.
    #[cold]
    fn grow(&self, rounded: usize, asked: usize, place: &Place<'_>) -> Result<u64> {
        capture::reclaim();
        let inner = &self.inner;
        for rung in 0..3 {
            match rung {
                0 => self.sweep()?,
                1 => self.free_all_blocks(None)?,
                _ => {
                    make_room();
                    // What the hook dropped may fit without asking the device.
                    if let Some(ptr) = inner.state.lock().take(rounded, place) {
                        return Ok(ptr);
                    }
                    self.free_all_blocks(None)?;
                }
            }
            // Reserve first, so that two threads cannot pass the limit together.
            let fits = {
                let mut state = inner.state.lock();
                let fits = state.limit == 0 || state.total + rounded <= state.limit;
                state.total += if fits { rounded } else { 0 };
                fits
            };
            if !fits {
                continue;
            }
            match inner.segment(rounded) {
                Ok(ptr) => {
                    let mut state = inner.state.lock();
                    state.allocations += 1;
                    state.count(rounded);
                    state.arena_of(place).add_segment(ptr, rounded);
                    return Ok(ptr);
                }
                Err(error) => {
                    inner.state.lock().total -= rounded;
                    if !error.is_out_of_memory() {
                        return Err(error);
                    }
                }
            }
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

    /// Returns wholly free segments to the device, of the stream with this id or of all.
    ///
    /// # Errors
    /// Those of waiting for the device; the segments are returned all the same.
    pub fn free_all_blocks(&self, stream: Option<u64>) -> Result<()> {
        capture::reclaim();
        self.free_where(|owned| stream.is_none_or(|id| id == owned.key.stream) && !owned.is_pinned())
    }

    /// Returns what streams that are gone have left: nobody would use it again.
    pub(crate) fn sweep(&self) -> Result<()> {
        self.free_where(Owned::is_orphan)?;
        let mut state = self.inner.state.lock();
        state.arenas.retain(|owned| !owned.is_orphan() || !owned.arena.is_empty());
        Ok(())
    }

    fn free_where(&self, chosen: impl Fn(&Owned) -> bool) -> Result<()> {
        let Some(_quiet) = quiet() else { return Ok(()) };
        let drained: Vec<(u64, usize)> = {
            let mut state = self.inner.state.lock();
            let owned = state.arenas.iter_mut().filter(|owned| chosen(owned));
            owned.flat_map(|owned| owned.arena.drain_free_segments()).collect()
        };
        if drained.is_empty() {
            return Ok(());
        }
        // Work that still uses a cached block may be queued.
        let synchronized = detached(|| self.inner.device.synchronize());
        self.inner.release(&drained);
        Ok(synchronized?)
    }

    /// Sets the most bytes the pool may hold; 0 for no limit.
    pub fn set_limit(&self, bytes: usize) {
        self.inner.state.lock().limit = bytes;
    }

    /// The counters.
    pub fn stats(&self) -> PoolStats {
        let mut state = self.inner.state.lock();
        PoolStats {
            used: state.used,
            total: state.total,
            peak: state.peak,
            device_allocations: state.allocations,
            free_blocks: state.arenas.iter_mut().map(|owned| owned.arena.free_blocks()).sum(),
            limit: state.limit,
        }
    }
}

impl Inner {
    /// A segment from the source.
    fn segment(&self, bytes: usize) -> Result<u64> {
        if !hooks::observed() {
            return self.source.allocate(bytes);
        }
        self.tell(Action::Allocate, false, bytes, bytes, 0)?;
        let ptr = self.source.allocate(bytes)?;
        self.tell(Action::Allocate, true, bytes, bytes, ptr)
            .inspect_err(|_| discard(self.source.as_ref(), ptr, bytes))?;
        Ok(ptr)
    }

    fn tell(&self, action: Action, done: bool, asked: usize, bytes: usize, ptr: u64) -> Result<()> {
        hooks::tell(&MemoryEvent { action, done, device: self.id, asked, bytes, ptr })
    }

    fn release(&self, segments: &[(u64, usize)]) {
        for &(ptr, bytes) in segments {
            discard(self.source.as_ref(), ptr, bytes);
            self.state.lock().total -= bytes;
        }
    }
}

/// Gives a segment back to its source.
fn discard(source: &dyn Source, ptr: u64, bytes: usize) {
    if let Err(error) = source.free(ptr, bytes) {
        tracing::error!(%error, ptr, bytes, "freeing device memory failed");
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        let drained: Vec<_> = state.arenas.iter_mut().flat_map(|owned| owned.arena.drain_free_segments()).collect();
        if drained.is_empty() {
            return;
        }
        let (device, source) = (self.device.clone(), self.source.clone());
        when_quiet(move || {
            // Best effort: at process end the driver may be gone already.
            let _ = detached(|| device.synchronize());
            drained.into_iter().for_each(|(ptr, bytes)| discard(source.as_ref(), ptr, bytes));
        });
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let mut state = self.pool.state.lock();
        if !state.held.is_empty()
            && let Some(hold) = state.holder(self.ptr)
        {
            drop(state);
            hold.keep_block(Block { pool: self.pool.clone(), ptr: self.ptr, bytes: self.bytes, key: self.key });
            return;
        }
        let observed = hooks::observed();
        if observed {
            drop(state);
            // Nobody is there to take an error.
            let _ = self.pool.tell(Action::GiveBack, false, self.bytes, self.bytes, self.ptr);
            state = self.pool.state.lock();
        }
        state.used -= self.bytes;
        if let Some(arena) = state.arena(self.key) {
            arena.give_back(self.ptr, self.bytes);
        }
        drop(state);
        if observed {
            let _ = self.pool.tell(Action::GiveBack, true, self.bytes, self.bytes, self.ptr);
        }
    }
}
