//! The backend object: devices by number.

use std::sync::Arc;

use cuproxide_codegen::cache::DiskCache;
use cuproxide_hal as hal;
use cuproxide_hal::{Error, Precompile, Precompiled, Report, Result};
use once_cell::sync::OnceCell;

use crate::api::driver::NO_DEVICE;
use crate::device::GpuDevice;
use crate::pack::Pack;
use crate::precompile;
use crate::vendor::Vendor;

/// Devices of the process; the driver is shared by all of them.
pub struct GpuBackend {
    vendor: &'static Vendor,
    devices: OnceCell<Vec<OnceCell<Arc<GpuDevice>>>>,
}

impl GpuBackend {
    /// The backend of a vendor. Opens nothing yet.
    pub const fn new(vendor: &'static Vendor) -> GpuBackend {
        GpuBackend { vendor, devices: OnceCell::new() }
    }

    fn slots(&self) -> Result<&[OnceCell<Arc<GpuDevice>>]> {
        let slots = self.devices.get_or_try_init(|| {
            let driver = match (self.vendor.driver)() {
                Ok(driver) => driver,
                // A driver without devices is an answer, not a failure; the report keeps the reason.
                Err(Error::Call { code: NO_DEVICE, .. }) => return Ok(vec![]),
                Err(error) => return Err(error),
            };
            let mut count = 0;
            // SAFETY: the driver writes one integer.
            unsafe { driver.device_count(&mut count) }?;
            Ok(std::iter::repeat_with(OnceCell::new).take(count.max(0) as usize).collect())
        })?;
        Ok(slots)
    }
}

impl hal::Backend for GpuBackend {
    fn name(&self) -> &'static str {
        self.vendor.name
    }

    fn device_count(&self) -> Result<usize> {
        Ok(self.slots()?.len())
    }

    fn device(&self, ordinal: usize) -> Result<Arc<dyn hal::Device>> {
        let slots = self.slots()?;
        let Some(slot) = slots.get(ordinal) else {
            if slots.is_empty() {
                // The driver knows why there is none.
                (self.vendor.driver)()?;
            }
            return Err(Error::NoSuchDevice { backend: self.vendor.name.to_owned(), ordinal, count: slots.len() });
        };
        let device = slot.get_or_try_init(|| GpuDevice::open(self.vendor, ordinal).map(Arc::new))?;
        Ok(device.clone())
    }

    fn report(&self) -> Report {
        let devices = self.device_count().and_then(|count| {
            (0..count).map(|ordinal| self.device(ordinal).map(|device| device.info().clone())).collect()
        });
        let cache = DiskCache::of_process().place();
        let pack = Pack::of_process(self.vendor).map_or("none".to_owned(), |pack| {
            let targets: Vec<&str> = pack.targets().map(|target| target.name).collect();
            format!("{} for {}, in {}", pack.texts(), targets.join(", "), pack.path().display())
        });
        let mut facts = (self.vendor.facts)();
        facts.push(("kernel cache".to_owned(), cache));
        facts.push(("precompiled kernels".to_owned(), pack));
        Report { backend: self.vendor.name, devices, libraries: (self.vendor.statuses)(), facts }
    }

    fn precompile(&self, work: &Precompile<'_>) -> Result<Precompiled> {
        precompile::run(self.vendor, work)
    }
}
