//! Whether this thread defers operations, and the name of the kernel that they become.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cuproxide_hal::settings;
use once_cell::sync::Lazy;

use crate::trace;

static EAGER: Lazy<AtomicBool> = Lazy::new(|| {
    let is_on = settings::EAGER.is_on();
    if is_on {
        trace::note_mode_used();
    }
    AtomicBool::new(is_on)
});

thread_local! {
    /// The name of the kernel that the thread's operations become, while the thread runs a function decorated with `fuse`.
    static FUSING: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// Whether any thread has ever named its operations. Until then no thread looks for a name.
static NAMED: AtomicBool = AtomicBool::new(false);

/// Defers this thread's operations, whatever [`set_eager`] says, and names their kernel; `None` ends this.
/// Returns the previous name.
pub fn set_fusing(name: Option<Arc<str>>) -> Option<Arc<str>> {
    if name.is_some() {
        trace::note_mode_used();
        NAMED.store(true, Ordering::Relaxed);
    }
    FUSING.replace(name)
}

/// The name that this thread gives to the kernel of its operations.
#[inline]
pub(super) fn label() -> Option<Arc<str>> {
    if NAMED.load(Ordering::Relaxed) { FUSING.with_borrow(Clone::clone) } else { None }
}

/// Whether this thread names the kernel of its operations.
#[inline]
pub(super) fn is_labelled() -> bool {
    NAMED.load(Ordering::Relaxed) && FUSING.with_borrow(Option::is_some)
}

/// Whether this thread runs every operation at once.
#[inline]
pub fn is_eager() -> bool {
    EAGER.load(Ordering::Relaxed) && FUSING.with_borrow(Option::is_none)
}

/// Whether this thread neither traces, names nor eagerly runs its operations.
#[inline]
pub(crate) fn has_default_mode() -> bool {
    !trace::was_mode_used() || (!EAGER.load(Ordering::Relaxed) && !is_labelled() && !trace::is_on())
}

/// Makes every operation run at once, or not; returns the previous setting. Operations that are deferred already stay deferred.
pub fn set_eager(eager: bool) -> bool {
    trace::note_mode_used();
    EAGER.swap(eager, Ordering::Relaxed)
}
