//! The environment variables of the library, for the Python half.

use std::sync::atomic::{AtomicBool, Ordering};

use cuproxide_hal::settings::{self, SECTIONS, Value};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::errors::{Result, key_error};

/// A row of the table: subject, what holds for all of it, name, the name read where that is not set, what the variable
/// holds, its default, the folder of the code that reads it, and what it does.
type Row =
    (&'static str, &'static str, &'static str, Option<&'static str>, String, &'static str, &'static str, &'static str);

/// What an environment variable of the table is set to: a bool, a number, a part of a whole as a float, a version as two
/// numbers, or a text; `None` if it is not set.
#[pyfunction]
pub fn setting(py: Python<'_>, name: &str) -> Result<Option<Py<PyAny>>> {
    let variable =
        settings::find(name).ok_or_else(|| key_error(format!("{name} is no environment variable of this library")))?;
    let Some(value) = variable.value()? else { return Ok(None) };
    Ok(Some(match value {
        Value::Flag(yes) => yes.into_py_any(py)?,
        Value::Integer(number) => number.into_py_any(py)?,
        Value::Fraction(part) => part.into_py_any(py)?,
        Value::Version(major, minor) => (major, minor).into_py_any(py)?,
        Value::Text(text) => text.into_py_any(py)?,
    }))
}

/// Raises a `ValueError` for the first environment variable whose value has no meaning.
#[pyfunction]
pub fn check_settings() -> Result<()> {
    Ok(settings::check()?)
}

/// The table of environment variables.
#[pyfunction]
pub fn settings_table() -> Vec<Row> {
    let rows = SECTIONS.iter().flat_map(|section| section.variables.iter().map(move |row| (section, row)));
    rows.map(|(section, row)| {
        let expected = row.kind.expected();
        (section.title, section.opening, row.name, row.fallback, expected, row.default, row.reader, row.meaning)
    })
    .collect()
}

/// Makes updates through repeated indices give the same bits at every call on every device, or no longer; returns what
/// held before.
#[pyfunction]
pub fn set_deterministic(enabled: bool) -> bool {
    cuproxide_core::ops::gather::set_deterministic(enabled)
}

/// Whether updates through repeated indices give the same bits at every call on devices whose threads race, too.
#[pyfunction]
pub fn is_deterministic() -> bool {
    cuproxide_core::ops::gather::is_deterministic()
}

/// Whether what CuPy documents and NumPy does not holds: diagonals and elements may be written to, by arrays of one, bounds of
/// slices may be floats, results lie in C order, copies are made on the current device, and the default stream is one object.
static FOLLOWS_CUPY: AtomicBool = AtomicBool::new(false);

/// Makes what [`FOLLOWS_CUPY`] lists hold throughout the process, as in CuPy, or no longer; returns what held before.
pub fn set_following_cupy(follows: bool) -> bool {
    cuproxide_core::layout::set_c_results(follows);
    FOLLOWS_CUPY.swap(follows, Ordering::Relaxed)
}

/// See [`set_following_cupy`].
pub fn follows_cupy() -> bool {
    FOLLOWS_CUPY.load(Ordering::Relaxed)
}
