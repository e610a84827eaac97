//! A backend that runs nothing: it records what it is asked to do and checks that the HAL's contract is kept.
//!
//! Memory is host memory, so copies and fills are real; kernels are validated, legalised and then only recorded. Tests
//! use it to see lifetimes, pool behaviour, launch sequences and stream order without hardware. The devices claim to be
//! asynchronous and not addressable by the host, so the layers above take the paths that they take for a GPU.
//!
//! It is chosen by name only, never as a fallback: its results are not results.
#![deny(missing_docs)]

mod core;
mod device;
mod fft;
mod kernel;
mod libraries;
mod memory;
mod name;
mod recorder;
mod stream;

use std::sync::{Arc, LazyLock};

use cuproxide_hal::{Backend, Device, Error, Report, Result};

pub use device::NoopDevice;
pub use name::NAME;
pub use recorder::{Call, Record, Recorder, Totals};

/// Devices of the shared instance: two, so that mixing devices and peer copies can be tried.
const SHARED_DEVICES: usize = 2;
/// Memory of each device of the shared instance.
const SHARED_MEMORY: usize = 4 << 30;

/// The backend.
pub struct Noop {
    devices: Vec<Arc<NoopDevice>>,
    recorder: Arc<Recorder>,
}

impl Noop {
    /// A backend of its own with `devices` devices of `memory` bytes each.
    pub fn new(devices: usize, memory: usize) -> Noop {
        let recorder = Arc::new(Recorder::default());
        let device = |ordinal| Arc::new(NoopDevice::new(ordinal, memory, recorder.clone()));
        Noop { devices: (0..devices).map(device).collect(), recorder: recorder.clone() }
    }

    /// What was asked of the backend's devices.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }
}

impl Backend for Noop {
    fn name(&self) -> &'static str {
        NAME
    }

    fn device_count(&self) -> Result<usize> {
        Ok(self.devices.len())
    }

    fn device(&self, ordinal: usize) -> Result<Arc<dyn Device>> {
        match self.devices.get(ordinal) {
            Some(device) => Ok(device.clone()),
            None => Err(Error::NoSuchDevice { backend: NAME.to_owned(), ordinal, count: self.devices.len() }),
        }
    }

    fn report(&self) -> Report {
        Report {
            backend: NAME,
            devices: Ok(self.devices.iter().map(|device| device.info().clone()).collect()),
            libraries: vec![],
            facts: vec![("purpose".to_owned(), "records calls, runs nothing".to_owned())],
        }
    }
}

/// The instance that the whole process shares.
pub fn shared() -> &'static Arc<Noop> {
    static SHARED: LazyLock<Arc<Noop>> = LazyLock::new(|| Arc::new(Noop::new(SHARED_DEVICES, SHARED_MEMORY)));
    &SHARED
}

/// The shared instance as a backend.
pub fn backend() -> Arc<dyn Backend> {
    shared().clone()
}
