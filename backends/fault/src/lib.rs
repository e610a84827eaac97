//! Wraps any backend and makes chosen calls fail, so that tests can see what the layers above do about it.
//!
//! A [`Plan`] says which calls fail; an [`Injector`] counts calls and holds the plan; [`Faulty::wrap`] puts the injector
//! in front of a backend. Streams and devices answer `as_any` with the object inside, so the wrapped backend recognises
//! its own objects and the wrapper needs to know nothing about it.
#![deny(missing_docs)]

mod device;
mod injector;
mod kernel;
mod libraries;
mod plan;
mod stream;

use std::sync::Arc;

use cuproxide_hal::{Backend, Device, Precompile, Precompiled, Report, Result};
use parking_lot::Mutex;

use device::FaultyDevice;

pub use injector::{Counts, Injector, global};
pub use plan::{Plan, Rule, Site};

/// A backend whose calls may be made to fail.
pub struct Faulty {
    inner: Arc<dyn Backend>,
    injector: Arc<Injector>,
    devices: Mutex<Vec<(usize, Arc<FaultyDevice>)>>,
}

impl Faulty {
    /// Puts `injector` in front of `inner`.
    pub fn wrap(inner: Arc<dyn Backend>, injector: Arc<Injector>) -> Arc<dyn Backend> {
        Arc::new(Faulty { inner, injector, devices: Mutex::default() })
    }
}

impl Backend for Faulty {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn device_count(&self) -> Result<usize> {
        self.inner.device_count()
    }

    fn device(&self, ordinal: usize) -> Result<Arc<dyn Device>> {
        let mut devices = self.devices.lock();
        if let Some((_, device)) = devices.iter().find(|(number, _)| *number == ordinal) {
            return Ok(device.clone());
        }
        let device = Arc::new(FaultyDevice::new(self.inner.device(ordinal)?, self.injector.clone()));
        devices.push((ordinal, device.clone()));
        Ok(device)
    }

    fn report(&self) -> Report {
        let mut report = self.inner.report();
        report.facts.push(("fault injection".to_owned(), self.injector.plan().to_string()));
        report
    }

    fn precompile(&self, work: &Precompile<'_>) -> Result<Precompiled> {
        self.inner.precompile(work)
    }
}
