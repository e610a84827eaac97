//! The fault that compiled code has found: each thread has its own, so that none gets the error of another's launch. Threads that
//! help a launch record for the one that asked for it.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use cuproxide_hal::Fault;

thread_local! {
    /// The first fault of this thread's launches since the last call of `take`, or 0.
    static OWN: AtomicU32 = const { AtomicU32::new(0) };
    /// Where this thread records while it helps another one.
    static OTHER: Cell<Option<Place>> = const { Cell::new(None) };
}

/// Where faults are recorded.
#[derive(Clone, Copy)]
pub struct Place(*const AtomicU32);

// SAFETY: it points to an atomic number, and is followed under the promise of `Helping::begin` alone.
unsafe impl Send for Place {}
// SAFETY: as above.
unsafe impl Sync for Place {}

/// Where this thread's faults are recorded.
pub fn place() -> Place {
    OTHER.get().unwrap_or_else(|| OWN.with(|own| Place(own)))
}

/// While it lives, this thread records at the place of another one.
pub struct Helping {
    before: Option<Place>,
}

impl Helping {
    /// Begins to record for another thread.
    ///
    /// # Safety
    /// The thread of the place outlives this.
    pub unsafe fn begin(place: Place) -> Helping {
        Helping { before: OTHER.replace(Some(place)) }
    }
}

impl Drop for Helping {
    fn drop(&mut self) {
        OTHER.set(self.before);
    }
}

/// Records a fault unless one is recorded already; compiled code calls it.
pub extern "C" fn record_fault(code: u32) {
    let Place(fault) = place();
    // SAFETY: it is this thread's own, or `Helping` lives.
    let _ = unsafe { &*fault }.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
}

/// The first fault of this thread's launches since the last call.
pub fn take() -> Option<Fault> {
    OWN.with(|own| Fault::from_code(own.swap(0, Ordering::Relaxed)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool;

    #[test]
    fn helpers_record_for_the_thread_that_asked() {
        let code = Fault::IndexOutOfBounds as u32;
        std::thread::scope(|scope| {
            for faulty in [true, false, true, false] {
                scope.spawn(move || {
                    for _ in 0..200 {
                        pool::run(16, |task| {
                            if faulty && task == 11 {
                                record_fault(code);
                            }
                        });
                        assert_eq!(take().is_some(), faulty);
                        assert!(take().is_none());
                    }
                });
            }
        });
    }
}
