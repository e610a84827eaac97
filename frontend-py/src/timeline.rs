//! Recording what the process does.

use cuproxide_core::timeline;
use cuproxide_core::timeline::Record;
use pyo3::prelude::*;

use crate::errors::Result;
use crate::wait;

/// Kind, name, device, bytes, thread, start, duration, and (stream, start, duration) of the device's own clock.
type Row = (String, String, String, usize, u64, f64, f64, Option<(u64, f64, f64)>);

/// Begins to record.
#[pyfunction]
pub fn start_recording() -> Result<()> {
    Ok(timeline::start()?)
}

/// Ends the recording and returns its rows, times in microseconds.
#[pyfunction]
pub fn stop_recording(py: Python<'_>) -> Result<Vec<Row>> {
    let rows = wait::long(py, timeline::stop)?;
    let row = |record: Record| {
        let Record { kind, name, device, bytes, thread, start, duration, on_device } = record;
        (kind, name, device, bytes, thread, start, duration, on_device)
    };
    Ok(rows.into_iter().map(row).collect())
}

/// Whether a recording is under way.
#[pyfunction]
pub fn is_recording() -> bool {
    timeline::is_recording()
}

/// Microseconds since the recording began.
#[pyfunction]
pub fn recording_time() -> f64 {
    timeline::now()
}

/// Notes a range of the program's own that began at `start`.
#[pyfunction]
pub fn record_range(name: &str, start: f64) {
    timeline::mark(name, start);
}
