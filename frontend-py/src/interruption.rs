//! Exceptions of signal handlers, Ctrl-C's above all, that end long work on the host.

use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use cuproxide_geometry as geometry;
use cuproxide_hal::interrupt::{self, Watcher};
use pyo3::prelude::*;

use crate::{raised, wait};

static MAIN: OnceLock<ThreadId> = OnceLock::new();

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
    if !raised::is_there() {
        wait::try_attached(|py| {
            if let Err(error) = py.check_signals() {
                raised::keep(error);
            }
        });
    }
    raised::is_there()
}
