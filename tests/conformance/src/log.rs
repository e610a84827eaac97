//! A run's log: lines that say when a test begins and how it ends, from which a run that the device ended goes on.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use crate::outcome::{Outcome, TestResult};

/// Results on a disk, a line each: `outcome`, `group/name`, milliseconds and what was said, with tabs between.
#[derive(Debug)]
pub struct Log {
    file: File,
    ended: HashMap<String, (Outcome, Duration)>,
}

impl Log {
    /// Opens the log at `path`, with what earlier runs left there. A test that began and never ended has ended its process.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn open(path: &Path) -> io::Result<Log> {
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let ended = io::read_to_string(&mut file)?.lines().filter_map(read).collect();
        Ok(Log { file, ended })
    }

    /// How a test ended in an earlier run.
    pub fn ended(&self, group: &str, name: &str) -> Option<(Outcome, Duration)> {
        self.ended.get(&format!("{group}/{name}")).cloned()
    }

    /// Notes that a test begins.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(&mut self, group: &str, name: &str) -> io::Result<()> {
        writeln!(self.file, "begun\t{group}/{name}\t0\t")
    }

    /// Notes how a test ended.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn end(&mut self, result: &TestResult) -> io::Result<()> {
        let TestResult { group, name, outcome, elapsed } = result;
        let (word, said) = match outcome {
            Outcome::Passed => ("passed", ""),
            Outcome::Unsupported(what) => ("unsupported", what.as_str()),
            Outcome::Missing(library) => ("missing", library.as_str()),
            Outcome::Failed(why) => ("failed", why.as_str()),
        };
        let said = said.replace(['\n', '\t'], " ");
        writeln!(self.file, "{word}\t{group}/{name}\t{}\t{said}", elapsed.as_millis())
    }
}

/// The test and its end that a line tells of. The last line of a test counts.
fn read(line: &str) -> Option<(String, (Outcome, Duration))> {
    let mut parts = line.splitn(4, '\t');
    let mut part = || parts.next().map(str::to_owned);
    let (word, test, elapsed, said) = (part()?, part()?, part()?, part()?);
    let outcome = match word.as_str() {
        "passed" => Outcome::Passed,
        "unsupported" => Outcome::Unsupported(said),
        "missing" => Outcome::Missing(said),
        "failed" => Outcome::Failed(said),
        _ => Outcome::Failed("ended the process".to_owned()),
    };
    Some((test, (outcome, Duration::from_millis(elapsed.parse().ok()?))))
}
