//! Runs the conformance suite on one device: `conformance [--without-libraries] [--log=FILE] [backend or device [filter]]`.
//!
//! What fails for want of a vendor's library counts as a failure unless the first option says otherwise. A log has a line a
//! test; tests that it has already are not run again, so that a run which a fault of the device ended can be taken up.

use std::path::Path;
use std::process::ExitCode;

use cuproxide_conformance::{Log, run_matching};

fn main() -> ExitCode {
    let (options, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let mut without_libraries = false;
    let mut log = None;
    for option in options {
        if option == "--without-libraries" {
            without_libraries = true;
        } else if let Some(path) = option.strip_prefix("--log=") {
            match Log::open(Path::new(path)) {
                Ok(opened) => log = Some(opened),
                Err(error) => return fail(&format!("{path}: {error}")),
            }
        } else {
            return fail(&format!("no such option: {option}"));
        }
    }
    let device = match names.first() {
        Some(name) => cuproxide_backends::device(name),
        None => cuproxide_backends::default_device(),
    };
    let device = match device {
        Ok(device) => device,
        Err(error) => return fail(&error.to_string()),
    };
    let summary = run_matching(device, names.get(1).map_or("", String::as_str), log);
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
