//! What `os.fork` calls, so that no lock is held in the child by a thread that is not there.

use std::time::{Duration, Instant};

use cuproxide_core::{dispatch, fork};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;

/// How long a fork waits. Work that takes longer may be waiting for what the program does after the fork.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits for other threads that compute, before a fork. `RuntimeWarning` if one computes for long.
#[pyfunction]
pub fn before_fork(py: Python<'_>) -> PyResult<()> {
    let deadline = Instant::now() + PATIENCE;
    while !fork::is_reached() {
        if Instant::now() > deadline {
            let text = c"a fork while another thread computes: the child may wait for that thread forever";
            return PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), text, 1);
        }
        py.detach(fork::nap);
    }
    Ok(())
}

/// Lets other threads go on.
#[pyfunction]
pub fn after_fork_in_parent() {
    fork::is_over();
}

/// Forgets the other threads, which the child has not.
#[pyfunction]
pub fn after_fork_in_child() {
    fork::begin_child();
    dispatch::forget_background();
}
