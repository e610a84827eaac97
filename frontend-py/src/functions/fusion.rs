//! Deferred evaluation as seen from Python.

use cuproxide_core::fusion::{self, Tier};
use cuproxide_core::{Array, Context, dispatch};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::impl_::pyfunction::{PyFunctionDef, PyMethodDef};
use pyo3::impl_::trampoline::{MethodDef, fastcall_cfunction_with_keywords};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::{Result, type_error};
use crate::ndarray::{NdArray, peek};
use crate::records;

/// The function `evaluate` of the module. A program that needs each result at once calls it after each operation, which has run
/// already; PyO3's functions would make a tuple of the arguments first.
pub mod evaluate {
    use super::*;

    struct Full;

    impl MethodDef<fastcall_cfunction_with_keywords::Func> for Full {
        const METH: fastcall_cfunction_with_keywords::Func = evaluate_all;
    }

    /// # Safety
    /// The thread is attached to the interpreter; there are `count` arguments, then those that `names` names.
    unsafe extern "C" fn call(
        module: *mut ffi::PyObject,
        arguments: *const *mut ffi::PyObject,
        count: ffi::Py_ssize_t,
        names: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject {
        // SAFETY: as promised by the caller; no Python code runs before the array's last use.
        unsafe {
            if count == 1 && names.is_null() && peek(*arguments).is_some_and(fusion::is_evaluated) {
                ffi::Py_INCREF(ffi::Py_None());
                return ffi::Py_None();
            }
            fastcall_cfunction_with_keywords::<Full>(module, arguments, count, names)
        }
    }

    /// What `wrap_pyfunction` looks for.
    pub static _PYO3_DEF: PyFunctionDef = PyFunctionDef::from_method_def(PyMethodDef::fastcall_cfunction_with_keywords(
        c"evaluate",
        call,
        c"evaluate(*arrays)\n--\n\nQueues the deferred work that makes the given arrays, without waiting for it.\n\n\
          >>> cp.evaluate(cp.arange(3) + 1)",
    ));
}

/// Queues the deferred work that makes the arguments.
///
/// # Safety
/// As for the function that Python calls.
unsafe fn evaluate_all(
    py: Python<'_>,
    _module: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: as promised by the caller.
    let names = unsafe { Borrowed::from_ptr_or_opt(py, names) };
    if let Some(names) = names.filter(|names| names.len().is_ok_and(|count| count > 0)) {
        let name = names.get_item(0)?;
        return Err(PyTypeError::new_err(format!("evaluate() got an unexpected keyword argument '{name}'")));
    }
    for position in 0..count.unsigned_abs() {
        // SAFETY: as promised by the caller.
        let object = unsafe { Borrowed::from_ptr(py, *arguments.add(position)) };
        evaluate_one(&object)?;
    }
    Ok(py.None().into_ptr())
}

fn evaluate_one(object: &Bound<'_, PyAny>) -> Result<()> {
    let Some(array) = object.cast::<NdArray>().ok().cloned().or_else(|| records::bytes(object)) else {
        return Err(type_error(format!("evaluate() takes arrays, not {}", object.get_type())));
    };
    let array = array.get().read();
    let array: &Array = &array;
    Ok(fusion::evaluate([array])?)
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
