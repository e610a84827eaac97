//! Letting other threads of the host language go on while one waits for a device.
//!
//! Whoever waits with the interpreter's lock keeps functions of the host from running that the device's work may itself
//! wait for ([`Stream::call_host`](cuproxide_hal::Stream::call_host)). So all waiting of this crate goes through
//! [`detached`]. The locks that are held meanwhile must be those that others wait for detached, too.

use once_cell::sync::OnceCell;

use crate::quiet::AtWork;

/// Runs its argument in a way that lets other threads of the host language go on.
pub type Detach = fn(&mut (dyn FnMut() + Send));

static DETACH: OnceCell<Detach> = OnceCell::new();

/// Sets how to let others go on; once for the process.
pub fn set_detach(detach: Detach) {
    let _ = DETACH.set(detach);
}

/// Runs work that may take long, or wait for a device or another thread.
pub fn detached<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let Some(detach) = DETACH.get().filter(|_| !AtWork::is_now()) else { return work() };
    let (mut work, mut result) = (Some(work), None);
    detach(&mut || {
        let _at_work = AtWork::go_on();
        result = work.take().map(|work| work());
    });
    result.expect("the work ran once")
}
