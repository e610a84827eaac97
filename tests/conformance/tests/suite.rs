//! The suite itself: what it keeps of a run, and that no interface is left out.

use std::collections::BTreeSet;
use std::time::Duration;

use cuproxide_conformance::devices::{GROUPS, LIBRARIES};
use cuproxide_conformance::{Log, Outcome, TestResult};
use cuproxide_hal::libraries::Libraries;

#[test]
fn runs_go_on_where_they_ended() {
    let path = std::env::temp_dir().join(format!("conformance-{}.log", std::process::id()));
    let failed = TestResult {
        group: "folds",
        name: "sum".to_owned(),
        outcome: Outcome::Failed("1 is\nnot 2".to_owned()),
        elapsed: Duration::from_millis(7),
    };
    let mut log = Log::open(&path).unwrap();
    log.begin("folds", "sum").unwrap();
    log.end(&failed).unwrap();
    log.begin("folds", "max").unwrap();
    let log = Log::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let sum = (Outcome::Failed("1 is not 2".to_owned()), Duration::from_millis(7));
    assert_eq!(log.ended("folds", "sum"), Some(sum));
    assert_eq!(log.ended("folds", "max").unwrap().0, Outcome::Failed("ended the process".to_owned()));
    assert_eq!(log.ended("folds", "min"), None);
}

#[test]
fn every_library_is_tested() {
    let tested: BTreeSet<&str> = LIBRARIES.iter().map(|(library, _)| *library).collect();
    assert_eq!(tested, Libraries::NAMES.iter().copied().collect());
    for (library, group) in LIBRARIES {
        let tests = GROUPS.iter().find(|(name, _)| *name == group).map_or(0, |(_, tests)| tests.len());
        assert!(tests > 0, "{library}: no tests in {group}");
    }
}
