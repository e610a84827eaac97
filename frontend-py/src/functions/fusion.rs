//! Deferred evaluation as seen from Python.

use cuproxide_core::fusion::{self, Tier};
use cuproxide_core::{Array, Context, dispatch};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::{Result, type_error};
use crate::ndarray::NdArray;
use crate::records;

/// Queues the deferred work that makes the given arrays, without waiting for it.
///
/// >>> cp.evaluate(cp.arange(3) + 1)
#[pyfunction]
#[pyo3(signature = (*arrays))]
pub fn evaluate(arrays: &Bound<'_, PyTuple>) -> Result<()> {
    for object in arrays.iter_borrowed() {
        if let Ok(array) = object.cast_exact::<NdArray>() {
            fusion::evaluate([&*array.get().read()])?;
            continue;
        }
        let Some(array) = object.cast::<NdArray>().ok().map(Borrowed::to_owned).or_else(|| records::bytes(&object))
        else {
            return Err(type_error(format!("evaluate() takes arrays, not {}", object.get_type())));
        };
        let array = array.get().read();
        let array: &Array = &array;
        fusion::evaluate([array])?;
    }
    Ok(())
}

/// The last flushes on the current device, oldest first, as dictionaries.
#[pyfunction]
pub fn fusion_history(py: Python<'_>) -> Result<Vec<Bound<'_, PyDict>>> {
    let (entries, _) = fusion::history(&Context::current()?);
    let show = |entry: fusion::Entry| {
        let out = PyDict::new(py);
        let tier = match entry.tier {
            Tier::Dropped => "dropped",
            Tier::Single => "single",
            Tier::Fused => "fused",
            Tier::Unfused => "unfused",
            Tier::Replayed => "replayed",
        };
        out.set_item("reason", entry.reason.text())?;
        out.set_item("tier", tier)?;
        out.set_item("shape", PyTuple::new(py, entry.shape)?)?;
        out.set_item("deferred", entry.deferred)?;
        out.set_item("computed", entry.computed)?;
        out.set_item("read", entry.read)?;
        out.set_item("written", entry.written)?;
        out.set_item("kernel", &*entry.name)?;
        Ok(out)
    };
    entries.into_iter().map(show).collect()
}

/// Counters of the current device.
#[pyfunction]
pub fn fusion_counts(py: Python<'_>) -> Result<Bound<'_, PyDict>> {
    let (_, info) = fusion::history(&Context::current()?);
    let out = PyDict::new(py);
    for (name, value) in [
        ("deferred", info.deferred),
        ("dropped", info.dropped),
        ("expected", info.expected),
        ("fused", info.fused),
        ("single", info.single),
        ("unfused", info.unfused),
        ("replayed", info.replayed),
        ("absorbed", info.absorbed),
        ("kernels", info.kernels as u64),
        ("pending", info.pending as u64),
    ] {
        out.set_item(name, value)?;
    }
    Ok(out)
}

/// Forgets the history and the counters of the current device.
#[pyfunction]
pub fn clear_fusion_history() -> Result<()> {
    fusion::clear_history(&Context::current()?);
    Ok(())
}

/// Defers this thread's operations under a name for their kernel, or (`None`) no longer; returns the name before.
#[pyfunction]
pub fn set_fusing(name: Option<&str>) -> Option<String> {
    fusion::set_fusing(name.map(Into::into)).map(|before| before.to_string())
}

/// Whether every operation runs at once.
#[pyfunction]
pub fn is_eager() -> bool {
    fusion::is_eager()
}

/// Makes every operation run at once, or not; returns what was before.
#[pyfunction]
pub fn set_eager(eager: bool) -> bool {
    fusion::set_eager(eager)
}

/// Waits until every kernel that is being compiled in the background is ready.
#[pyfunction]
pub fn wait_for_compiler(py: Python<'_>) {
    py.detach(dispatch::wait_for_background);
}

/// Stops compiling in the background, for the end of the process.
#[pyfunction]
pub fn shut_down(py: Python<'_>) {
    py.detach(dispatch::shut_down);
}
