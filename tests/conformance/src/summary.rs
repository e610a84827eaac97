//! What a run of the suite found.

use std::fmt;
use std::time::Instant;

use cuproxide_hal::DeviceInfo;

use crate::log::Log;
use crate::outcome::{Outcome, TestResult};
use crate::rig::{Check, Failure};

/// All tests of a run. It prints as a table of groups, followed by what did not pass.
#[derive(Debug)]
pub struct Summary {
    /// The device's name in the process and its product name.
    pub device: String,
    /// The tests, in the order of the run.
    pub results: Vec<TestResult>,
    log: Option<Log>,
}

impl Summary {
    pub(crate) fn new(info: &DeviceInfo, log: Option<Log>) -> Summary {
        Summary { device: format!("{} ({})", info.id, info.name), results: vec![], log }
    }

    /// Takes a test's end from the log, if the log has it.
    pub(crate) fn recall(&mut self, group: &'static str, name: &str) -> bool {
        let Some((outcome, elapsed)) = self.log.as_ref().and_then(|log| log.ended(group, name)) else { return false };
        self.results.push(TestResult { group, name: name.to_owned(), outcome, elapsed });
        true
    }

    /// Runs a test and notes how it ended.
    pub(crate) fn time(&mut self, group: &'static str, name: &str, check: impl FnOnce() -> Check) {
        const WRITABLE: &str = "the log can be written";
        if let Some(log) = &mut self.log {
            log.begin(group, name).expect(WRITABLE);
        }
        let start = Instant::now();
        let outcome = match check() {
            Ok(()) => Outcome::Passed,
            Err(Failure::Unsupported(what)) => Outcome::Unsupported(what),
            Err(Failure::Missing(library)) => Outcome::Missing(library),
            Err(Failure::Wrong(why)) => Outcome::Failed(why),
        };
        let result = TestResult { group, name: name.to_owned(), outcome, elapsed: start.elapsed() };
        if let Some(log) = &mut self.log {
            log.end(&result).expect(WRITABLE);
        }
        self.results.push(result);
    }

    /// The tests that failed.
    pub fn failures(&self) -> impl Iterator<Item = &TestResult> {
        let failed = |outcome: &Outcome| matches!(outcome, Outcome::Failed(_) | Outcome::Missing(_));
        self.results.iter().filter(move |result| failed(&result.outcome))
    }

    /// Whether nothing failed but for want of a library.
    pub fn passed_without_libraries(&self) -> bool {
        self.failures().all(|result| matches!(result.outcome, Outcome::Missing(_)))
    }

    /// Whether no test failed. What the device does not support is no failure.
    pub fn passed(&self) -> bool {
        self.failures().next().is_none()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "conformance of {}", self.device)?;
        writeln!(f, "{:<12} {:>7} {:>7} {:>12} {:>9}", "group", "passed", "failed", "unsupported", "seconds")?;
        let mut groups: Vec<&str> = self.results.iter().map(|result| result.group).collect();
        groups.dedup();
        for group in groups.into_iter().chain(["total"]) {
            let all = || self.results.iter().filter(|result| group == "total" || result.group == group);
            let passed = all().filter(|result| result.outcome == Outcome::Passed).count();
            let failed =
                all().filter(|result| matches!(result.outcome, Outcome::Failed(_) | Outcome::Missing(_))).count();
            let seconds: f64 = all().map(|result| result.elapsed.as_secs_f64()).sum();
            let unsupported = all().count() - passed - failed;
            writeln!(f, "{group:<12} {passed:>7} {failed:>7} {unsupported:>12} {seconds:>9.2}")?;
        }
        for result in &self.results {
            match &result.outcome {
                Outcome::Passed => {}
                Outcome::Unsupported(what) => writeln!(f, "unsupported {}/{}: {what}", result.group, result.name)?,
                Outcome::Missing(library) => {
                    writeln!(f, "FAILED {}/{}: {library} is missing", result.group, result.name)?;
                }
                Outcome::Failed(why) => writeln!(f, "FAILED {}/{}: {why}", result.group, result.name)?,
            }
        }
        Ok(())
    }
}
