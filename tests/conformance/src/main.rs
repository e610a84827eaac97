//! Runs the conformance suite on one device: `conformance [options] [backend or device [filter ...]]`.
//!
//! Tests run whose `group/name` contains one of the filters. `--small` leaves out the largest sizes, `--every=N` runs every
//! N-th case of those with a kernel. What fails for want of a vendor's library counts as a failure unless
//! `--without-libraries` says otherwise. `--log=FILE` keeps a line a test; tests that it has already are not run again, so
//! that a run which a fault of the device ended can be taken up.

use std::path::Path;
use std::process::ExitCode;

use cuproxide_conformance::{Log, Selection, run_selected};

fn main() -> ExitCode {
    let (options, arguments): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|text| text.starts_with("--"));
    let mut selection = Selection::default();
    let mut without_libraries = false;
    let mut log = None;
    for option in options {
        match option.split_once('=').map_or((option.as_str(), ""), |(name, value)| (name, value)) {
            ("--without-libraries", "") => without_libraries = true,
            ("--small", "") => selection.small = true,
            ("--every", number) => match number.parse() {
                Ok(every) if every > 0 => selection.every = every,
                _ => return fail(&format!("{option}: a positive number is wanted")),
            },
            ("--log", path) => match Log::open(Path::new(path)) {
                Ok(opened) => log = Some(opened),
                Err(error) => return fail(&format!("{path}: {error}")),
            },
            _ => return fail(&format!("{option} is no option")),
        }
    }
    let mut arguments = arguments.into_iter();
    let device = match arguments.next() {
        Some(name) => cuproxide_backends::device(&name),
        None => cuproxide_backends::default_device(),
    };
    let device = match device {
        Ok(device) => device,
        Err(error) => return fail(&error.to_string()),
    };
    selection.filters = arguments.collect();
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
