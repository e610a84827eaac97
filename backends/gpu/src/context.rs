//! Making a device's context the current one of the calling thread.

use cuproxide_hal::{DeviceId, Result};

use crate::api::driver::{Context, Driver};
use crate::unfinished;

/// A device's primary context, which it shares with every other library in the process.
#[derive(Clone, Copy, Debug)]
pub struct Primary {
    /// What the driver calls it.
    pub context: Context,
    /// Name of the backend.
    pub backend: &'static str,
    /// Number of the device.
    pub ordinal: usize,
}

// SAFETY: a context may be used from any thread that makes it current.
unsafe impl Send for Primary {}
// SAFETY: as above; the driver locks where it must.
unsafe impl Sync for Primary {}

impl Primary {
    /// The device's name in this process.
    pub fn id(self) -> DeviceId {
        DeviceId { backend: self.backend, ordinal: self.ordinal }
    }

    /// Makes the context current for this thread. Other libraries change the current context behind our back, so the
    /// driver is asked each time: the answer is a read of its own thread-local storage.
    #[inline]
    pub fn enter(self, driver: &Driver) -> Result<()> {
        unfinished::entered(self.id());
        let mut current = std::ptr::null_mut();
        // SAFETY: the driver writes one pointer; the context is retained for the life of the process.
        unsafe {
            driver.context_current(&mut current)?;
            if current != self.context {
                driver.context_set(self.context)?;
            }
        }
        Ok(())
    }
}
