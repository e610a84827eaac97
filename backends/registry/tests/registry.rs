//! Names lead to devices, and names that do not lead to errors that help.

use std::process::Command;

use cuproxide_backends as backends;
use cuproxide_hal::Error;

/// Prints the default device in a process of its own, for tests of the environment.
#[test]
fn print_default_device() {
    match backends::default_device() {
        Ok(device) => println!("device: {}", device.info().id),
        Err(error) => println!("error: {error}"),
    }
}

fn default_device_with(environment: &[(&str, &str)]) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "--nocapture", "print_default_device"]);
    child.env_remove(backends::BACKEND_VARIABLE).env_remove(backends::FAULT_VARIABLE);
    let output = child.envs(environment.iter().copied()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_environment_chooses_the_default_device() {
    for (value, answer) in [
        ("cpu", "device: cpu:0"),
        (" CPU ", "device: cpu:0"),
        ("noop", "device: noop:0"),
        ("noop:1", "device: noop:1"),
        ("noop:7", "error: noop device 7 does not exist: 2 found"),
        ("nonsense", "CUPROXIDE_BACKEND=\"nonsense\" is not valid: known backends are cuda, hip, cpu, noop"),
        ("noop:x", "a device is named like noop or noop:0"),
    ] {
        let printed = default_device_with(&[(backends::BACKEND_VARIABLE, value)]);
        assert!(printed.contains(answer), "{value}: {printed}");
    }
}

#[test]
fn without_a_choice_a_real_device_is_found() {
    for environment in [&[][..], &[(backends::BACKEND_VARIABLE, "")], &[(backends::BACKEND_VARIABLE, "auto")]] {
        let printed = default_device_with(environment);
        assert!(
            (printed.contains("device: c") || printed.contains("device: hip")) && !printed.contains("noop"),
            "{printed}"
        );
    }
}

#[test]
fn a_fault_plan_that_makes_no_sense_is_an_error() {
    let printed = default_device_with(&[(backends::FAULT_VARIABLE, "oom@never")]);
    assert!(printed.contains("CUPROXIDE_FAULT=\"oom@never\" is not valid"), "{printed}");
    let printed = default_device_with(&[(backends::FAULT_VARIABLE, "oom@3+"), (backends::BACKEND_VARIABLE, "noop")]);
    assert!(printed.contains("device: noop:0"), "{printed}");
}

#[test]
fn devices_are_found_by_name_and_are_the_same_each_time() {
    let device = backends::device("noop:1").unwrap();
    assert_eq!(device.info().id.to_string(), "noop:1");
    assert!(std::sync::Arc::ptr_eq(&device, &backends::device("noop:1").unwrap()));
    assert!(matches!(backends::device("tpu"), Err(Error::InvalidSetting { setting: "device", .. })));
    assert!(matches!(backends::device("cpu:-1"), Err(Error::InvalidSetting { .. })));
    assert!(matches!(backends::device("cpu:9"), Err(Error::NoSuchDevice { .. })));
    assert!(backends::backend("").is_err());
}

#[test]
fn reports_cover_the_backends_that_are_found_without_a_name() {
    let reported: Vec<&str> = backends::reports().iter().map(|report| report.backend).collect();
    assert_eq!(reported, ["cuda", "hip", "cpu"]);
    assert!(backends::devices().iter().any(|device| device.id.backend == "cpu"));
}
