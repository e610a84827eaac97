//! Runs the conformance suite on one device: `conformance [options] [backend or device [filter ...]]`.
//!
//! Tests run whose `group/name` contains one of the filters. `--small` leaves out the largest sizes, `--every=N` runs every
//! N-th case of those with a kernel. What fails for want of a vendor's library counts as a failure unless
//! `--without-libraries` says otherwise. The file of `--log=FILE` has a line a test; tests that it has already are not run
//! again, so that a run which a fault of the device ended can be taken up.

use std::path::Path;
use std::process::ExitCode;

use cuproxide_conformance::{Log, Selection, run_selected};

fn main() -> ExitCode {
    let (options, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let mut selection = Selection::default();
    let mut without_libraries = false;
    let mut log = None;
    for option in options {
        let every = option.strip_prefix("--every=").and_then(|count| count.parse().ok()).filter(|&count| count > 0);
        if option == "--without-libraries" {
            without_libraries = true;
        } else if option == "--small" {
            selection.small = true;
        } else if let Some(every) = every {
            selection.every = every;
        } else if let Some(path) = option.strip_prefix("--log=") {
            match Log::open(Path::new(path)) {
                Ok(opened) => log = Some(opened),
                Err(error) => return fail(&format!("{path}: {error}")),
            }
        } else {
            return fail(&format!("no such option: {option}"));
        }
    }
    let mut names = names.into_iter();
    let device = match names.next() {
        Some(name) => cuproxide_backends::device(&name),
        None => cuproxide_backends::default_device(),
    };
    let device = match device {
        Ok(device) => device,
        Err(error) => return fail(&error.to_string()),
    };
    selection.filters = names.collect();
    let summary = run_selected(device, &selection, log);
    print!("{summary}");
    if summary.passed() || (without_libraries && summary.passed_without_libraries()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn fail(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}
