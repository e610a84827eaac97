//! What the environment says about backends.

use std::sync::OnceLock;

use cuproxide_fault::{Plan, global};
use cuproxide_hal::{Error, Result, settings};

/// Names the backend or device to use; unset, empty or `auto` searches.
pub const BACKEND_VARIABLE: &str = settings::BACKEND.name;
/// Arms fault injection: a [`Plan`] in its text form. `off` wraps the devices without a fault, for tests that set plans.
pub const FAULT_VARIABLE: &str = settings::FAULT.name;

/// What `CUPROXIDE_BACKEND` asks for, if anything.
pub(crate) fn backend() -> Option<String> {
    settings::BACKEND.text().map(|value| value.to_ascii_lowercase()).filter(|value| value != "auto")
}

/// Whether `CUPROXIDE_FAULT` is set; the first call arms the process-wide injector with its plan.
pub(crate) fn fault_plan() -> Result<Option<&'static Plan>> {
    static PLAN: OnceLock<Result<Option<Plan>>> = OnceLock::new();
    let read = || {
        let Some(value) = settings::FAULT.text() else { return Ok(None) };
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
