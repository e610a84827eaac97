//! Runs the conformance suite on one device: `conformance [backend or device [filter]]`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
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
    if summary.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
