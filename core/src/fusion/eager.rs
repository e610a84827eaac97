//! Whether this thread's operations are deferred, and the name that their kernel gets.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cuproxide_hal::settings;
use once_cell::sync::Lazy;

use crate::trace;

static EAGER: Lazy<AtomicBool> = Lazy::new(|| {
    let is_on = settings::EAGER.is_on();
    if is_on {
        trace::note_watched();
    }
    AtomicBool::new(is_on)
});

thread_local! {
    /// The name of the kernel that the thread's operations are to become, while it runs a function that is to be fused.
    static FUSING: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// Whether any thread has ever had a name for its operations, for which others need not look before.
static NAMED: AtomicBool = AtomicBool::new(false);

/// Defers this thread's operations, whatever [`set_eager`] says, under a name for their kernel; with `None` no longer.
/// Returns the name before.
pub fn set_fusing(name: Option<Arc<str>>) -> Option<Arc<str>> {
    if name.is_some() {
        trace::note_watched();
        NAMED.store(true, Ordering::Relaxed);
    }
    FUSING.replace(name)
}

/// The name that this thread's operations have for their kernel.
#[inline]
pub(super) fn label() -> Option<Arc<str>> {
    if NAMED.load(Ordering::Relaxed) { FUSING.with_borrow(Clone::clone) } else { None }
}

/// Whether this thread's operations have a name for their kernel.
#[inline]
pub(super) fn is_labelled() -> bool {
    NAMED.load(Ordering::Relaxed) && FUSING.with_borrow(Option::is_some)
}

/// Whether every operation runs at once.
#[inline]
pub fn is_eager() -> bool {
    EAGER.load(Ordering::Relaxed) && FUSING.with_borrow(Option::is_none)
}

/// Whether this thread's operations are deferred without anybody watching: not by `fuse`, and under no name.
#[inline]
pub(crate) fn is_usual() -> bool {
    !trace::is_any_watched() || (!EAGER.load(Ordering::Relaxed) && !is_labelled() && !trace::is_on())
}

/// Makes every operation run at once, or not; returns what was before. What is deferred already stays so.
pub fn set_eager(eager: bool) -> bool {
    trace::note_watched();
    EAGER.swap(eager, Ordering::Relaxed)
}
