//! Functions of the host that need an interpreter's lock, and what that asks of everybody who calls a driver.
//!
//! A device waits for such a function, and the function for whoever holds the lock. So nobody may hold it in a call that
//! waits for the device, and any call of a driver may: where a queue is full, where code is loaded, or for a lock of the
//! driver's own, which another thread holds in a call that waits. Backends therefore let the interpreter's lock go around
//! their calls for as long as a function is announced. To do so always would cost more than most calls: whoever lets the
//! lock go gets it back when the others please.

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

/// Announces a function that needs the interpreter's lock, as long as this lives: kept with the function, it goes after the
/// call, or with the graph that holds it.
pub struct Announced(());

impl Announced {
    /// Announces a function that is about to be queued.
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
