//! Exceptions of signal handlers, Ctrl-C's above all, that end long work on the host.

use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use cuproxide_geometry as geometry;
use cuproxide_hal::interrupt::{self, Watcher};
use parking_lot::Mutex;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::wait;

static MAIN: OnceLock<ThreadId> = OnceLock::new();
/// What a handler raised, until the operation that it ended has unwound.
static RAISED: Mutex<Option<PyErr>> = Mutex::new(None);

/// Lets long work look for signals. Nothing if another than the main thread imports the package: handlers run there only.
pub fn register(py: Python<'_>) -> PyResult<()> {
    let threading = py.import("threading")?;
    let (main, own) = (threading.call_method0("main_thread")?, threading.call_method0("current_thread")?);
    if main.is(&own) {
        let _ = MAIN.set(thread::current().id());
        interrupt::set_watcher(Watcher { is_main, is_raised });
        geometry::set_pause(interrupt::point);
    }
    Ok(())
}

fn is_main() -> bool {
    MAIN.get() == Some(&thread::current().id())
}

fn is_raised() -> bool {
    let mut raised = RAISED.lock().is_some();
    if !raised {
        wait::try_attached(|py| {
            if let Err(error) = py.check_signals() {
                *RAISED.lock() = Some(error);
                raised = true;
            }
        });
    }
    raised
}

/// The exception that ended an operation.
pub fn taken() -> PyErr {
    RAISED.lock().take().unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))
}
