//! Runs the conformance suite on one device: `conformance [--without-libraries] [backend or device [filter]]`.
//! What fails for want of a vendor's library counts as a failure unless the option says otherwise.

use std::process::ExitCode;

fn main() -> ExitCode {
    const OPTION: &str = "--without-libraries";
    let without_libraries = std::env::args().any(|argument| argument == OPTION);
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != OPTION);
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
    let summary = cuproxide_conformance::run_matching(device, &arguments.next().unwrap_or_default());
    print!("{summary}");
    if summary.passed() || (without_libraries && summary.passed_without_libraries()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
