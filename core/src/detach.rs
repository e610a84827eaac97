//! Letting other threads of the host language go on while one waits for a device.
//!
//! Whoever waits with the interpreter's lock keeps functions of the host from running that the device's work may itself
//! wait for ([`cuproxide_hal::host`]). So all waiting of this crate goes through [`detached`]. What only queues work goes
//! through [`queueing`]: backends let the lock go by themselves there, but not before they have taken locks of their own.
//! The locks that are held meanwhile must be those that others wait for detached, too.

use cuproxide_hal::host;
use once_cell::sync::OnceCell;
use parking_lot::{Mutex, MutexGuard};

use crate::fork::AtWork;

/// Runs its argument in a way that lets other threads of the host language go on.
pub type Detach = fn(&mut (dyn FnMut() + Send));

static DETACH: OnceCell<Detach> = OnceCell::new();

/// Sets how to let others go on; once for the process.
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

/// Locks what others hold while they wait for a device, or while they let the interpreter's lock go and take it again: who
/// waits here with that lock would keep them from going on.
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
