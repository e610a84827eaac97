//! Names every backend and finds the devices of this machine.
//!
//! The only place above `hal` that knows which backends exist: one line of [`TABLE`] each. Nothing is opened before a
//! device is asked for, so a program that never computes never touches a driver.
#![deny(missing_docs)]

mod settings;

use std::sync::{Arc, OnceLock};

use cuproxide_fault::Faulty;
use cuproxide_hal::{Backend, Device, DeviceInfo, Error, Precompile, Precompiled, Report, Result};
use parking_lot::Mutex;

pub use cuproxide_fault as fault;
pub use settings::{BACKEND_VARIABLE, FAULT_VARIABLE};

/// A backend and how it takes part in the search.
struct Entry {
    name: &'static str,
    make: fn() -> Arc<dyn Backend>,
    /// Whether it is found without being named.
    automatic: bool,
    made: OnceLock<Arc<dyn Backend>>,
}

impl Entry {
    const fn new(name: &'static str, automatic: bool, make: fn() -> Arc<dyn Backend>) -> Entry {
        Entry { name, make, automatic, made: OnceLock::new() }
    }
}

/// The backends, in the order in which they are probed.
static TABLE: [Entry; 4] = [
    Entry::new("cuda", true, cuproxide_cuda::backend),
    Entry::new("hip", true, cuproxide_hip::backend),
    Entry::new("cpu", true, cuproxide_cpu::backend),
    Entry::new("noop", false, cuproxide_noop::backend),
];

/// What became of one backend when the default device was searched.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Name of the backend.
    pub backend: &'static str,
    /// Number of devices, or why the backend cannot be used.
    pub devices: Result<usize>,
}

static DEFAULT: Mutex<Option<Arc<dyn Device>>> = Mutex::new(None);
static PROBES: Mutex<Vec<Probe>> = Mutex::new(Vec::new());

/// The names of all backends, in the order in which they are probed.
pub fn names() -> Vec<&'static str> {
    TABLE.iter().map(|entry| entry.name).collect()
}

/// The backend with this name.
///
/// # Errors
/// [`Error::InvalidSetting`] lists the known names.
pub fn backend(name: &str) -> Result<Arc<dyn Backend>> {
    open(find("backend", name)?)
}

/// The device that is used when none is chosen: the first one of the backend that `CUPROXIDE_BACKEND` names (a device
/// name such as `cuda:1` serves too), or else of the first backend that has one. The same device on every call.
///
/// # Errors
/// Why the named backend cannot be used, or [`Error::InvalidSetting`] for a name that does not exist.
pub fn default_device() -> Result<Arc<dyn Device>> {
    let mut default = DEFAULT.lock();
    if let Some(device) = &*default {
        return Ok(device.clone());
    }
    cuproxide_hal::settings::check()?;
    let device = match settings::backend() {
        Some(name) => named_device(BACKEND_VARIABLE, &name)?,
        None => probe()?,
    };
    tracing::debug!(device = %device.info().id, "default device");
    Ok(default.insert(device).clone())
}

/// A device by its name: `cuda:1`, or the name of a backend for its first device.
///
/// # Errors
/// [`Error::InvalidSetting`] for a malformed or unknown name, [`Error::NoSuchDevice`] for a number that is too high, or
/// why the backend cannot be used.
pub fn device(name: &str) -> Result<Arc<dyn Device>> {
    named_device("device", name)
}

/// The devices of every backend that is found without being named; those of backends that cannot be used are left out.
pub fn devices() -> Vec<DeviceInfo> {
    automatic().filter_map(|entry| devices_of(entry).ok()).flatten().collect()
}

/// What each backend found and tried, except `noop`. Opens everything that can be opened.
pub fn reports() -> Vec<Report> {
    automatic()
        .map(|entry| match open(entry) {
            Ok(backend) => backend.report(),
            Err(error) => Report { backend: entry.name, devices: Err(error), libraries: vec![], facts: vec![] },
        })
        .collect()
}

/// What became of each backend while [`default_device`] searched; empty if nothing was searched.
pub fn probes() -> Vec<Probe> {
    PROBES.lock().clone()
}

/// Compiles ahead of time with the first backend that knows the architectures.
///
/// # Errors
/// Those of [`Backend::precompile`]; [`Error::Unsupported`] if no backend compiles for them.
pub fn precompile(work: &Precompile<'_>) -> Result<Precompiled> {
    for entry in automatic() {
        match open(entry)?.precompile(work) {
            Err(Error::Unsupported { .. }) => {}
            result => return result,
        }
    }
    let names = work.architectures.join(", ");
    Err(Error::unsupported("this machine", format!("compiling ahead of time for {names}")))
}

fn automatic() -> impl Iterator<Item = &'static Entry> {
    TABLE.iter().filter(|entry| entry.automatic)
}

fn find(setting: &'static str, name: &str) -> Result<&'static Entry> {
    TABLE.iter().find(|entry| entry.name == name).ok_or_else(|| Error::InvalidSetting {
        setting,
        value: name.to_owned(),
        reason: format!("known backends are {}", names().join(", ")),
    })
}

fn open(entry: &'static Entry) -> Result<Arc<dyn Backend>> {
    let injected = settings::fault_plan()?.is_some();
    let make = || {
        let backend = (entry.make)();
        if injected { Faulty::wrap(backend, fault::global().clone()) } else { backend }
    };
    Ok(entry.made.get_or_init(make).clone())
}

fn devices_of(entry: &'static Entry) -> Result<Vec<DeviceInfo>> {
    let backend = open(entry)?;
    (0..backend.device_count()?).map(|ordinal| Ok(backend.device(ordinal)?.info().clone())).collect()
}

fn named_device(setting: &'static str, name: &str) -> Result<Arc<dyn Device>> {
    let (backend, ordinal) = match name.split_once(':') {
        None => (name, Some(0)),
        Some((backend, ordinal)) => (backend, ordinal.parse().ok()),
    };
    let entry = find(setting, backend)?;
    let ordinal = ordinal.ok_or_else(|| Error::InvalidSetting {
        setting,
        value: name.to_owned(),
        reason: format!("a device is named like {backend} or {backend}:0"),
    })?;
    open(entry)?.device(ordinal)
}

/// The first device of the first backend that has one.
fn probe() -> Result<Arc<dyn Device>> {
    let mut trail = Vec::new();
    let found = automatic().find_map(|entry| {
        let attempt = open(entry).and_then(|backend| {
            let count = backend.device_count()?;
            let device = if count > 0 { Some(backend.device(0)?) } else { None };
            Ok((count, device))
        });
        let (devices, device) = match attempt {
            Ok((count, device)) => (Ok(count), device),
            Err(error) => (Err(error), None),
        };
        match &devices {
            Ok(count) => tracing::debug!(backend = entry.name, count, "probed"),
            Err(error) => tracing::info!(backend = entry.name, %error, "passed over"),
        }
        trail.push(Probe { backend: entry.name, devices });
        device
    });
    let reason = trail.last().and_then(|probe| probe.devices.clone().err());
    *PROBES.lock() = trail;
    found.ok_or_else(|| reason.unwrap_or_else(|| Error::unsupported("this machine", "any backend")))
}
