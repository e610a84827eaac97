//! The exception of a signal handler, from where it is raised to the operation that it ends.

use parking_lot::Mutex;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

static RAISED: Mutex<Option<PyErr>> = Mutex::new(None);

/// Keeps an exception until the operation that it ends has unwound.
pub fn keep(error: PyErr) {
    *RAISED.lock() = Some(error);
}

/// Whether an exception is kept.
pub fn is_there() -> bool {
    RAISED.lock().is_some()
}

/// The exception that ended an operation.
pub fn taken() -> PyErr {
    RAISED.lock().take().unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))
}
