//! The environment variables that choose a backend.

use std::sync::OnceLock;

use cuproxide_fault::{Plan, global};
use cuproxide_hal::{Error, Result};

/// Names the backend or device to use; unset, empty or `auto` searches.
pub const BACKEND_VARIABLE: &str = "CUPROXIDE_BACKEND";
/// Arms fault injection: a [`Plan`] in its text form. `off` wraps the devices without a fault, for tests that set plans.
pub const FAULT_VARIABLE: &str = "CUPROXIDE_FAULT";

/// What `CUPROXIDE_BACKEND` asks for, if anything.
pub(crate) fn backend() -> Option<String> {
    variable(BACKEND_VARIABLE).map(|value| value.to_ascii_lowercase()).filter(|value| value != "auto")
}

/// The content of a variable that is set to something.
fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?.to_string_lossy().trim().to_owned();
    (!value.is_empty()).then_some(value)
}

/// Whether `CUPROXIDE_FAULT` is set; the first call arms the process-wide injector with its plan.
pub(crate) fn fault_plan() -> Result<Option<&'static Plan>> {
    static PLAN: OnceLock<Result<Option<Plan>>> = OnceLock::new();
    let read = || {
        let Some(value) = variable(FAULT_VARIABLE) else { return Ok(None) };
        match value.parse::<Plan>() {
            Ok(plan) => {
                global().set_plan(Some(plan.clone()));
                Ok(Some(plan))
            }
            Err(reason) => Err(Error::InvalidSetting { setting: FAULT_VARIABLE, value, reason }),
        }
    };
    PLAN.get_or_init(read).as_ref().map(Option::as_ref).map_err(Clone::clone)
}
