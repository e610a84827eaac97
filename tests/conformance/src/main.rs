//! Runs the conformance suite on one device: `conformance [options] [backend or device [filter ...]]`.
//!
//! Tests run whose `group/name` contains one of the filters. `--small` leaves out the largest sizes, `--every=N` runs every
//! N-th case of those with a kernel. What fails for want of a vendor's library counts as a failure unless
//! `--without-libraries` says otherwise.

use std::process::ExitCode;

use cuproxide_conformance::Selection;

fn main() -> ExitCode {
    let (options, arguments): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|text| text.starts_with("--"));
    let mut selection = Selection::default();
    let mut without_libraries = false;
    for option in options {
        match (option.as_str(), option.strip_prefix("--every=").map(str::parse)) {
            ("--without-libraries", _) => without_libraries = true,
            ("--small", _) => selection.small = true,
            (_, Some(Ok(every))) if every > 0 => selection.every = every,
            _ => {
                eprintln!("{option} is no option");
                return ExitCode::FAILURE;
            }
        }
    }
    let mut arguments = arguments.into_iter();
    let device = match arguments.next() {
        Some(name) => cuproxide_backends::device(&name),
        None => cuproxide_backends::default_device(),
    };
    let device = match device {
        Ok(device) => device,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    selection.filters = arguments.collect();
    let summary = cuproxide_conformance::run_selected(device, &selection);
    print!("{summary}");
    if summary.passed() || (without_libraries && summary.passed_without_libraries()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
