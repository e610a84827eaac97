//! What tests need to know and to provoke.

use cuproxide_backends::fault::{Site, global};
use cuproxide_core::ops::transfer;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Result, value_error};

/// Makes chosen calls of devices fail from here on, in a process that started with `CUPROXIDE_FAULT`; "off" for none.
#[pyfunction]
pub fn set_fault_plan(plan: &str) -> Result<()> {
    let plan = plan.parse().map_err(|reason: String| value_error(format!("{plan:?} is not a fault plan: {reason}")))?;
    global().set_plan(Some(plan));
    Ok(())
}

/// Calls of devices by site since the fault plan was set, and how many were made to fail as "injected".
#[pyfunction]
pub fn fault_counts(py: Python<'_>) -> Result<Bound<'_, PyDict>> {
    let counts = global().counts();
    let out = PyDict::new(py);
    for site in Site::ALL {
        out.set_item(site.name(), counts.of(site))?;
    }
    out.set_item("injected", counts.injected)?;
    Ok(out)
}

/// Number of copies of array data to the host that the process has made.
#[pyfunction]
pub fn host_transfers() -> usize {
    transfer::host_reads()
}

/// Panics with this message.
#[pyfunction]
pub fn provoke_panic(message: String) {
    std::panic::panic_any(message);
}
