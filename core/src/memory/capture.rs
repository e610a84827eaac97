//! Captures under way, and what a graph keeps alive.
//!
//! A graph refers to memory by address, so that memory must not go to anybody else while the graph lives. Three rules see
//! to it. Blocks allocated by a capture come from an arena of its own, which nobody uses afterwards. A block from before
//! that the captured work touches is *held*: when its last array goes, the graph has it. And so is memory of other
//! libraries.

use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use cuproxide_hal::{DeviceId, Stream};
use parking_lot::Mutex;

use super::{Block, Buffer, Owner};
use crate::context::Context;

/// Number of captures under way: the one thing that other work has to look at.
static OPEN: AtomicUsize = AtomicUsize::new(0);
static RUNNING: Mutex<Vec<Running>> = Mutex::new(Vec::new());

/// Frees what graphs hold that nobody has any more and that run no longer.
static RECLAIM: OnceLock<fn()> = OnceLock::new();

/// Sets what [`reclaim`] does.
pub(crate) fn set_reclaim(reclaim: fn()) {
    let _ = RECLAIM.set(reclaim);
}

/// Frees memory of graphs that are done, if there are any.
pub(crate) fn reclaim() {
    if let Some(reclaim) = RECLAIM.get() {
        reclaim();
    }
}

struct Running {
    device: DeviceId,
    /// Id of the stream on which it began, and the stream: without it the capture cannot end.
    id: u64,
    stream: Weak<dyn Stream>,
    hold: Arc<Hold>,
}

/// What a capture, and then its graph, keeps alive.
pub struct Hold {
    /// The capture's number.
    pub(crate) capture: u64,
    kept: Mutex<Vec<Kept>>,
}

enum Kept {
    /// A block whose arrays are gone.
    Block(#[allow(dead_code, reason = "kept for its drop")] Block),
    /// Somebody else's memory, or a library's object.
    Other(Arc<dyn Any + Send + Sync>),
}

impl Hold {
    /// Keeps a block that nobody else uses any more.
    pub(crate) fn keep_block(&self, block: Block) {
        self.kept.lock().push(Kept::Block(block));
    }

    /// Keeps an object.
    pub fn keep(&self, object: Arc<dyn Any + Send + Sync>) {
        let mut kept = self.kept.lock();
        let address = Arc::as_ptr(&object).cast::<u8>();
        let known = |kept: &Kept| matches!(kept, Kept::Other(other) if Arc::as_ptr(other).cast::<u8>() == address);
        if !kept.iter().any(known) {
            kept.push(Kept::Other(object));
        }
    }
}

/// Whether anything captures.
#[inline]
pub fn any_open() -> bool {
    OPEN.load(Ordering::Relaxed) > 0
}

/// Whether any capture goes on that can still end; forgets those whose stream is gone.
pub(crate) fn any_running() -> bool {
    if !any_open() {
        return false;
    }
    let abandoned: Vec<Running> = {
        let mut running = RUNNING.lock();
        let abandoned: Vec<Running> = running.extract_if(.., |running| running.stream.strong_count() == 0).collect();
        OPEN.fetch_sub(abandoned.len(), Ordering::SeqCst);
        abandoned
    };
    drop(abandoned);
    any_open()
}

/// Notes that a capture has begun.
pub(crate) fn begin(device: DeviceId, stream: &Arc<dyn Stream>, capture: u64) {
    let hold = Arc::new(Hold { capture, kept: Mutex::default() });
    RUNNING.lock().push(Running { device, id: stream.id(), stream: Arc::downgrade(stream), hold });
    OPEN.fetch_add(1, Ordering::SeqCst);
}

/// Notes that the capture has ended that began on a stream; returns what it holds.
pub(crate) fn end(device: DeviceId, stream: u64) -> Option<Arc<Hold>> {
    let mut running = RUNNING.lock();
    let position = running.iter().position(|running| running.device == device && running.id == stream)?;
    OPEN.fetch_sub(1, Ordering::SeqCst);
    Some(running.swap_remove(position).hold)
}

/// What the capture holds that a stream takes part in.
#[inline]
pub fn of(device: DeviceId, stream: &dyn Stream) -> Option<Arc<Hold>> {
    if !any_open() {
        return None;
    }
    let capture = stream.capture().ok().flatten()?;
    RUNNING.lock().iter().find(|r| r.device == device && r.hold.capture == capture).map(|r| r.hold.clone())
}

/// What the capture holds that the thread's current stream takes part in.
pub fn current(context: &Context) -> Option<Arc<Hold>> {
    if any_open() { context.with_stream(|stream| of(context.id(), stream.as_ref())) } else { None }
}

/// Notes that captured work uses a buffer.
#[inline]
pub(crate) fn touch(context: &Context, buffer: &Buffer) {
    if any_open() {
        touch_held(context, buffer);
    }
}

#[cold]
fn touch_held(context: &Context, buffer: &Buffer) {
    let Some(hold) = current(context) else { return };
    match &buffer.owner {
        Owner::Pool(block) => block.hold_for(&hold),
        Owner::Foreign(owner) => hold.keep(owner.clone()),
    }
}

/// Lets the current stream's capture, if any, keep an object that its work uses.
pub(crate) fn keep<T: Send + Sync + 'static>(context: &Context, object: impl FnOnce() -> T) {
    if let Some(hold) = current(context) {
        hold.keep(Arc::new(object()));
    }
}
