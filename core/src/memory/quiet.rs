//! Moments in which no graph is captured: device memory is freed only in these.
//!
//! Freeing device memory waits for the whole device first, which would invalidate every capture, in any thread and stream.

use std::time::Duration;
use std::{mem, thread};

use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::capture;

/// Giving memory back takes it for reading, the beginning of a capture for writing.
static GATE: RwLock<()> = RwLock::new(());
/// Work that is put off until the last capture ends.
static WAITING: Mutex<Vec<Box<dyn FnOnce() + Send>>> = Mutex::new(Vec::new());

/// A moment in which nothing captures; it lasts as long as this.
pub struct Quiet(#[expect(dead_code, reason = "held")] RwLockReadGuard<'static, ()>);

/// Such a moment, unless something captures. What has waited for one is done first.
pub fn quiet() -> Option<Quiet> {
    // Work that has waited may come here again, while another thread waits to begin a capture.
    let gate = GATE.read_recursive();
    if capture::any_running() {
        return None;
    }
    let waiting = mem::take(&mut *WAITING.lock());
    waiting.into_iter().for_each(|work| work());
    Some(Quiet(gate))
}

/// Such a moment if there is one soon, for what captures of other threads spoil; a capture of this thread goes on all the
/// while. Called where the interpreter's lock is not held.
pub(crate) fn soon() -> Option<Quiet> {
    const TURNS: usize = 50;
    for _ in 0..TURNS {
        if let found @ Some(_) = quiet() {
            return found;
        }
        thread::sleep(Duration::from_millis(1));
    }
    None
}

/// Does the work now, or when the last capture has ended.
pub(crate) fn when_quiet(work: impl FnOnce() + Send + 'static) {
    if let Some(_quiet) = quiet() {
        return work();
    }
    WAITING.lock().push(Box::new(work));
    // The last capture may have ended meanwhile.
    drop(quiet());
}

/// Waits until nobody gives memory back, and keeps it so while a capture begins.
pub(crate) fn closed() -> RwLockWriteGuard<'static, ()> {
    GATE.write()
}
