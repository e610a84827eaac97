//! Fourier transforms that may fail.

use std::sync::Arc;

use cuproxide_hal::libraries::{Fft, FftDirection, FftPlan, FftSpec};
use cuproxide_hal::{Result, Stream};

use crate::injector::Guard;
use crate::kernel::FaultyLibraries;
use crate::plan::Site;

/// A plan in front of another.
struct FaultyFftPlan {
    inner: Arc<dyn FftPlan>,
    guard: Guard,
}

impl Fft for FaultyLibraries {
    fn plan(&self, spec: &FftSpec) -> Result<Arc<dyn FftPlan>> {
        self.guard.alive()?;
        Ok(Arc::new(FaultyFftPlan { inner: self.inner.fft()?.plan(spec)?, guard: self.guard.clone() }))
    }
}

impl FftPlan for FaultyFftPlan {
    fn scratch_bytes(&self) -> usize {
        self.inner.scratch_bytes()
    }

    fn overwrites_input(&self) -> bool {
        self.inner.overwrites_input()
    }

    unsafe fn execute(
        &self,
        stream: &dyn Stream,
        direction: FftDirection,
        input: u64,
        output: u64,
        scratch: u64,
    ) -> Result<()> {
        self.guard.pass(Site::Launch, "FftPlan::execute")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.execute(stream, direction, input, output, scratch) }
    }
}
