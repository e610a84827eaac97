//! What came of a test.

use std::time::Duration;

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should.
    Passed,
    /// The device says that it cannot do this.
    Unsupported(String),
    /// It needs the library of this name, which is not installed.
    Missing(String),
    /// Otherwise than it should.
    Failed(String),
}

/// One test of a run.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// The part of the suite.
    pub group: &'static str,
    /// The test.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took, the interpreter's share included and the compiler's left out.
    pub elapsed: Duration,
}
