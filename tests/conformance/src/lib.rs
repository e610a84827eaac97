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
mod log;
mod outcome;
pub mod rig;
pub mod samples;
mod summary;
pub mod tolerance;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use cuproxide_hal::{CompiledKernel, Device};

use case::Case;
pub use log::Log;
pub use outcome::{Outcome, TestResult};
use rig::{Check, Rig};
pub use summary::Summary;

/// Which tests to run.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Parts of `group/name`: tests that contain one of them; all if there are none.
    pub filters: Vec<String>,
    /// Every how many-th case of those that run a kernel; 1 for all.
    pub every: usize,
    /// Whether tests that take long on a device whose kernels the host plays leave out their largest sizes.
    pub small: bool,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection { filters: vec![], every: 1, small: false }
    }
}

/// Runs the whole suite.
pub fn run(device: Arc<dyn Device>) -> Summary {
    run_selected(device, &Selection::default(), None)
}

/// Runs the tests that are selected, and of these, with a log, the ones that it has no end of.
///
/// # Panics
/// If the log cannot be written.
pub fn run_selected(device: Arc<dyn Device>, selection: &Selection, log: Option<Log>) -> Summary {
    let mut summary = Summary::new(device.info(), log);
    let rig = Rig::new(device, selection.small);
    let chosen = |group: &str, name: &str| {
        let full = format!("{group}/{name}");
        selection.filters.is_empty() || selection.filters.iter().any(|filter| full.contains(filter))
    };
    for (group, tests) in devices::GROUPS {
        for (name, check) in tests.iter().filter(|(name, _)| chosen(group, name)) {
            if !summary.recall(group, name) {
                summary.time(group, name, || check(&rig));
            }
        }
    }
    for (group, mut cases) in cases::groups() {
        cases.retain(|case| chosen(group, &case.name));
        let mut cases: Vec<Case> = cases.into_iter().step_by(selection.every.max(1)).collect();
        cases.retain(|case| !summary.recall(group, &case.name));
        let kernels = compile(&rig, &cases);
        for (case, kernel) in cases.iter().zip(kernels) {
            summary.time(group, &case.name, || compare(&rig, case, &*kernel?));
        }
    }
    summary
}

type Compiled = cuproxide_hal::Result<Arc<dyn CompiledKernel>>;

/// Compiles the kernels of several cases, on as many threads as the host has.
fn compile(rig: &Rig, cases: &[Case]) -> Vec<Compiled> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut done = vec![];
        while let Some((index, case)) = Some(next.fetch_add(1, Relaxed)).and_then(|i| Some((i, cases.get(i)?))) {
            done.push((index, rig.compile(case)));
        }
        done
    };
    let mut compiled: Vec<(usize, Compiled)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a backend does not panic")).collect()
    });
    compiled.sort_by_key(|&(index, _)| index);
    compiled.into_iter().map(|(_, kernel)| kernel).collect()
}

/// Runs a kernel on the device and compares with the interpreter.
fn compare(rig: &Rig, case: &Case, kernel: &dyn CompiledKernel) -> Check {
    let (found, fault) = rig.run(case, kernel)?;
    let (expected, expected_fault) = case.interpret(&case.kernel, false);
    rig::ensure(fault == expected_fault, || format!("fault {fault:?}, expected {expected_fault:?}"))?;
    Ok(case.compare(&expected, &found)?)
}
