//! Host callbacks that need an interpreter's lock, and the rule that follows for every call of a driver.
//!
//! A device waits for such a callback, and the callback waits for the thread that holds the lock. So no thread may hold it
//! in a call that waits for the device. Any driver call may: where a queue is full, where code is loaded, or for a lock of
//! the driver that another thread holds in a call that waits. Backends therefore release the interpreter's lock around
//! their calls for as long as a callback is announced. At other times they keep it: re-acquiring it means waiting for
//! other threads, which costs more than most calls.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does work without the interpreter's lock, or at once where the calling thread does not hold it.
pub type Release = fn(&mut (dyn FnMut() + Send));

static RELEASE: OnceLock<Release> = OnceLock::new();
static ANNOUNCED: AtomicUsize = AtomicUsize::new(0);

/// Sets how to work without the interpreter's lock; once for the process.
pub fn set_release(release: Release) {
    let _ = RELEASE.set(release);
}

/// Does work without the interpreter's lock.
pub fn released<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let Some(release) = RELEASE.get() else { return work() };
    let (mut work, mut result) = (Some(work), None);
    release(&mut || result = work.take().map(|work| work()));
    result.expect("the work was done once")
}

/// Announces a host callback that needs the interpreter's lock, as long as this lives: it is kept with the callback and
/// dropped after the call, or with the graph that holds it.
pub struct Announced(());

impl Announced {
    /// Announces a callback that is about to be queued.
    #[expect(clippy::new_without_default, reason = "it counts")]
    pub fn new() -> Announced {
        ANNOUNCED.fetch_add(1, Ordering::SeqCst);
        Announced(())
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        ANNOUNCED.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether a device may be waiting for the interpreter's lock.
#[inline]
pub fn is_awaited() -> bool {
    ANNOUNCED.load(Ordering::SeqCst) > 0
}
