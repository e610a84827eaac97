//! Functions of the module for settings: the environment variables, and what a program sets while it runs.

use cuproxide_core::ops::gather;
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
    let variable = settings::find(name)
        .ok_or_else(|| key_error(format!("{name} is not an environment variable of this library")))?;
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
    gather::set_deterministic(enabled)
}

/// Whether updates through repeated indices give the same bits at every call on devices whose threads race, too.
#[pyfunction]
pub fn is_deterministic() -> bool {
    gather::is_deterministic()
}

/// Makes indices out of bounds wrap around throughout the process, or no longer; returns what held before.
#[pyfunction]
pub fn set_index_wrapping(wrapping: bool) -> bool {
    gather::set_wrapping(wrapping)
}

/// Lets diagonals be written to, arrays of one element become elements, floats be bounds of slices, results lie in C order, and
/// copies be made on the current device throughout the process, as in CuPy, or no longer; returns what held before.
#[pyfunction]
pub fn set_following_cupy(follows: bool) -> bool {
    crate::settings::set_following_cupy(follows)
}

/// Lets the thread wait for devices, or no longer; returns what held before.
#[pyfunction]
pub fn set_waiting(allowed: bool) -> bool {
    cuproxide_core::waits::allow(allowed)
}
