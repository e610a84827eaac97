//! The backend object: devices by number.

use std::sync::Arc;

use cuproxide_hal as hal;
use cuproxide_hal::{Error, Precompile, Precompiled, Report, Result};
use once_cell::sync::OnceCell;

use crate::api::driver::{NO_DEVICE, driver};
use crate::device::CudaDevice;
use crate::{precompile, report};

/// Devices of the process; the driver is shared by all of them.
#[derive(Default)]
pub(crate) struct CudaBackend {
    devices: OnceCell<Vec<OnceCell<Arc<CudaDevice>>>>,
}

impl CudaBackend {
    fn slots(&self) -> Result<&[OnceCell<Arc<CudaDevice>>]> {
        let slots = self.devices.get_or_try_init(|| {
            let driver = match driver() {
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

impl hal::Backend for CudaBackend {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn device_count(&self) -> Result<usize> {
        Ok(self.slots()?.len())
    }

    fn device(&self, ordinal: usize) -> Result<Arc<dyn hal::Device>> {
        let slots = self.slots()?;
        let Some(slot) = slots.get(ordinal) else {
            return Err(Error::NoSuchDevice { backend: "cuda".to_owned(), ordinal, count: slots.len() });
        };
        let device = slot.get_or_try_init(|| CudaDevice::open(driver()?, ordinal).map(Arc::new))?;
        Ok(device.clone())
    }

    fn report(&self) -> Report {
        let devices = self.device_count().and_then(|count| {
            (0..count).map(|ordinal| self.device(ordinal).map(|device| device.info().clone())).collect()
        });
        Report { backend: "cuda", devices, libraries: report::libraries(), facts: report::facts() }
    }

    fn precompile(&self, work: &Precompile<'_>) -> Result<Precompiled> {
        precompile::run(work)
    }
}
