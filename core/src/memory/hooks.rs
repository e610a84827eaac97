//! What programs may put between arrays and memory: observers of allocations, and allocators of their own.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cuproxide_hal::DeviceId;
use once_cell::sync::OnceCell;

use super::Buffer;
use crate::context::Context;
use crate::error::Result;

/// What happens to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The device is asked for a segment.
    Allocate,
    /// A pool hands out a block.
    Take,
    /// A block comes back to its pool.
    GiveBack,
}

/// Something that is about to happen, or has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryEvent {
    /// What.
    pub action: Action,
    /// Whether it has happened.
    pub done: bool,
    /// Where.
    pub device: DeviceId,
    /// Bytes that were asked for.
    pub asked: usize,
    /// Bytes of the block or segment.
    pub bytes: usize,
    /// Its address; 0 before there is one.
    pub ptr: u64,
}

/// Told of every event on the threads that [`observe`]. An error before an allocation stops it.
pub type Observer = fn(&MemoryEvent) -> Result<()>;

/// Makes the memory of an array instead of the pool; `None` leaves it to the pool.
pub type Allocator = fn(&Arc<Context>, usize) -> Option<Result<Buffer>>;

static OBSERVER: OnceCell<Observer> = OnceCell::new();
static ALLOCATOR: OnceCell<Allocator> = OnceCell::new();
static OBSERVING: AtomicUsize = AtomicUsize::new(0);
static CUSTOM: AtomicBool = AtomicBool::new(false);

thread_local! {
    static OBSERVED: Cell<bool> = const { Cell::new(false) };
}

/// Sets the functions of the front end; once for the process.
pub fn set_functions(observer: Observer, allocator: Allocator) {
    let _ = OBSERVER.set(observer);
    let _ = ALLOCATOR.set(allocator);
}

/// Starts or ends the observation of the calling thread.
pub fn observe(on: bool) {
    match (OBSERVED.replace(on), on) {
        (false, true) => _ = OBSERVING.fetch_add(1, Ordering::SeqCst),
        (true, false) => _ = OBSERVING.fetch_sub(1, Ordering::SeqCst),
        _ => {}
    }
}

/// Says whether any thread may have an allocator of its own.
pub fn use_allocator(on: bool) {
    CUSTOM.store(on, Ordering::SeqCst);
}

/// Whether any thread is observed, or may have an allocator of its own.
#[inline]
pub(crate) fn are_set() -> bool {
    OBSERVING.load(Ordering::Relaxed) > 0 || CUSTOM.load(Ordering::Relaxed)
}

/// Whether the calling thread is observed.
#[inline]
pub(crate) fn observed() -> bool {
    OBSERVING.load(Ordering::Relaxed) > 0 && OBSERVED.get()
}

/// Tells the observer.
#[cold]
pub(crate) fn tell(event: &MemoryEvent) -> Result<()> {
    OBSERVER.get().map_or(Ok(()), |observer| observer(event))
}

/// The memory of an array from the program's own allocator, if it has one.
#[inline]
pub(crate) fn allocate(context: &Arc<Context>, bytes: usize) -> Option<Result<Buffer>> {
    if CUSTOM.load(Ordering::Relaxed) { ALLOCATOR.get().and_then(|allocator| allocator(context, bytes)) } else { None }
}
