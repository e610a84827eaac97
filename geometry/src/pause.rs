//! What long loops call now and then, so that a program can stop them.

use std::sync::OnceLock;

static PAUSE: OnceLock<fn()> = OnceLock::new();

/// Sets what loops call; once for the process. It may unwind.
pub fn set_pause(pause: fn()) {
    let _ = PAUSE.set(pause);
}

/// Called between steps that take longer than a look at the clock.
#[inline]
pub(crate) fn pause() {
    if let Some(pause) = PAUSE.get() {
        pause();
    }
}
