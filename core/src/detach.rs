//! Releasing the interpreter's lock while a thread waits for a device.
//!
//! A thread that waits with the interpreter's lock keeps host callbacks from running, and the device's work may itself wait
//! for these ([`cuproxide_hal::host`]). So every wait of this crate goes through [`detached`]. Calls that only queue work
//! go through [`queueing`]: backends release the lock themselves there, but only after they have taken their own locks.
//! A lock that a thread holds meanwhile must be one for which other threads wait detached, too.

use cuproxide_hal::host;
use once_cell::sync::OnceCell;
use parking_lot::{Mutex, MutexGuard};

use crate::fork::AtWork;

/// Runs its argument without the interpreter's lock, so that other threads of the host language run.
pub type Detach = fn(&mut (dyn FnMut() + Send));

static DETACH: OnceCell<Detach> = OnceCell::new();

/// Sets how to release the interpreter's lock; once for the process.
pub fn set_detach(detach: Detach) {
    let _ = DETACH.set(detach);
    host::set_release(release);
}

fn release(work: &mut (dyn FnMut() + Send)) {
    let Some(detach) = DETACH.get().filter(|_| !AtWork::is_now()) else { return work() };
    // Said before the thread detaches: the interpreter does not wait for it from then on.
    match AtWork::go_on() {
        Some(_at_work) => detach(work),
        None => work(),
    }
}

/// Runs work that may take long, or wait for a device or another thread.
pub fn detached<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    host::released(work)
}

/// Locks a mutex that other threads hold while they wait for a device, or while they release and re-acquire the
/// interpreter's lock: a thread that waited here with that lock would block them.
pub(crate) fn lock<T: Send>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    loop {
        if let Some(guard) = mutex.try_lock() {
            return guard;
        }
        detached(|| drop(mutex.lock()));
    }
}

/// Runs work that queues more for a device, and waits for the device only now and then: when a queue is full, when code
/// is loaded, when a library makes its first call.
#[inline]
pub fn queueing<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if host::is_awaited() { detached(work) } else { work() }
}
