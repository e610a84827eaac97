//! Compiling ahead of time what this process has used.

use std::path::PathBuf;

use cuproxide_core::dispatch::used_kernels;
use cuproxide_hal::Precompile;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::Result;
use crate::wait;

/// The kernels that this process has used, by name, with the versions of them that launches asked for.
#[pyfunction(name = "used_kernels")]
pub fn list_used_kernels() -> Vec<(String, u128)> {
    used_kernels().into_iter().map(|(kernel, version)| (kernel.name.clone(), version.0)).collect()
}

/// Compiles every kernel that this process has used, and the hand-written ones, for the named architectures.
#[pyfunction]
#[pyo3(signature = (architectures, *, part = (0, 1), pack = None))]
pub fn precompile<'py>(
    py: Python<'py>,
    architectures: Vec<String>,
    part: (usize, usize),
    pack: Option<PathBuf>,
) -> Result<Bound<'py, PyDict>> {
    let work = || {
        let used = used_kernels();
        let kernels: Vec<_> = used.iter().map(|(kernel, version)| (&**kernel, *version)).collect();
        let work = Precompile { kernels: &kernels, architectures: &architectures, part, pack: pack.as_deref() };
        cuproxide_backends::precompile(&work)
    };
    let done = wait::detached(py, work)?;
    let out = PyDict::new(py);
    out.set_item("wanted", done.wanted)?;
    out.set_item("compiled", done.compiled)?;
    out.set_item("bytes", done.bytes)?;
    Ok(out)
}
