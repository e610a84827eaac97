//! Environment variables about compiling, with the spelling `CUPY_` where that of the package is not set.

use std::ffi::OsString;

/// The content of `CUPROXIDE_<name>`, else of `CUPY_<name>`; one that is set to nothing counts as unset.
pub fn variable(name: &str) -> Option<OsString> {
    let spelled = |prefix: &str| std::env::var_os(format!("{prefix}_{name}")).filter(|value| !value.is_empty());
    spelled("CUPROXIDE").or_else(|| spelled("CUPY"))
}

/// Whether the variable says yes: anything but 0.
pub fn flag(name: &str) -> bool {
    variable(name).is_some_and(|value| value != "0")
}
