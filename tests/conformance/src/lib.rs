//! The conformance suite: one set of tests over the HAL traits that every backend must pass.
//!
//! Kernels ([`cases`]) run on the device and in an interpreter ([`interpreter`]) of the IR as it is written; the results
//! must agree within the bounds of [`tolerance`]. Memory, streams and libraries ([`devices`]) are tested by what they
//! promise. [`run`] does all of it on one device.
#![deny(missing_docs)]

pub mod case;
pub mod cases;
pub mod devices;
pub mod interpreter;
pub mod rig;
pub mod samples;
mod summary;
pub mod tolerance;

use std::sync::Arc;
use std::time::Instant;

use cuproxide_hal::Device;

use case::Case;
use rig::{Check, Failure, Rig};
pub use summary::{Outcome, Summary, TestResult};

/// Runs the whole suite.
pub fn run(device: Arc<dyn Device>) -> Summary {
    run_matching(device, "")
}

/// Runs the tests whose `group/name` contains `filter`.
pub fn run_matching(device: Arc<dyn Device>, filter: &str) -> Summary {
    let mut summary = Summary::new(device.info());
    let rig = Rig::new(device);
    let mut test = |group: &'static str, name: &str, check: &mut dyn FnMut() -> Check| {
        if !format!("{group}/{name}").contains(filter) {
            return;
        }
        let start = Instant::now();
        let outcome = match check() {
            Ok(()) => Outcome::Passed,
            Err(Failure::Unsupported(what)) => Outcome::Unsupported(what),
            Err(Failure::Wrong(why)) => Outcome::Failed(why),
        };
        summary.results.push(TestResult { group, name: name.to_owned(), outcome, elapsed: start.elapsed() });
    };
    for (group, tests) in devices::GROUPS {
        for (name, check) in tests {
            test(group, name, &mut || check(&rig));
        }
    }
    for (group, cases) in cases::groups() {
        for case in cases {
            test(group, &case.name, &mut || kernel(&rig, &case));
        }
    }
    summary
}

/// Runs a kernel on the device and compares with the interpreter.
fn kernel(rig: &Rig, case: &Case) -> Check {
    let (found, fault) = rig.run(case)?;
    let (expected, expected_fault) = case.interpret(&case.kernel, false);
    rig::ensure(fault == expected_fault, || format!("fault {fault:?}, expected {expected_fault:?}"))?;
    Ok(case.compare(&expected, &found)?)
}
