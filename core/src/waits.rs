//! Whether a thread may wait for a device: programs forbid it where they look for what makes them wait.

use std::cell::Cell;

use crate::error::{Error, Result};

thread_local! {
    static ALLOWED: Cell<bool> = const { Cell::new(true) };
}

/// Sets whether the calling thread may wait for a device, and returns what held before.
pub fn allow(allowed: bool) -> bool {
    ALLOWED.replace(allowed)
}

/// Whether the calling thread may wait for a device.
pub fn are_allowed() -> bool {
    ALLOWED.get()
}

/// Asks before a wait, of devices that work at once too, so that programs can be examined there.
///
/// # Errors
/// [`Error::Waits`] where the thread may not wait.
pub fn check(what: &str) -> Result<()> {
    if ALLOWED.get() { Ok(()) } else { Err(Error::Waits(what.to_owned())) }
}
