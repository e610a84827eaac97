//! The fault that compiled code has found.

use std::sync::atomic::{AtomicU32, Ordering};

use cuproxide_hal::Fault;

/// The first fault since the last call of `take_fault`, or 0.
static FAULT: AtomicU32 = AtomicU32::new(0);

/// Records a fault unless one is recorded already; compiled code calls it.
pub extern "C" fn record_fault(code: u32) {
    let _ = FAULT.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
}

/// The first fault since the last call.
pub fn take() -> Option<Fault> {
    Fault::from_code(FAULT.swap(0, Ordering::Relaxed))
}
