//! Fourier transforms by cuFFT.

use std::ffi::c_int;
use std::sync::Arc;

use cuproxide_gpu::fft::{FftHandle, FftLibrary, Kind, Request};
use cuproxide_gpu::{Driver, Primary};
use cuproxide_hal::Result;
use cuproxide_hal::libraries::Fft;

use crate::api::cufft::{Cufft, WANTED, WANTED_12};
use crate::places;

/// Opens the library.
pub(crate) fn open(driver: &'static Driver, primary: Primary) -> Result<Arc<dyn Fft>> {
    let old_driver = driver.version().is_ok_and(|(major, _)| major < 13);
    let library = places::of_process().open(if old_driver { &WANTED_12 } else { &WANTED })?;
    Ok(Arc::new(FftHandle::new(Cufft::new(library), driver, primary)))
}

impl FftLibrary for Cufft {
    type Plan = c_int;
    const NAME: &'static str = "cuFFT";

    fn create(&self) -> Result<c_int> {
        let mut plan = 0;
        // SAFETY: the library writes one integer.
        unsafe { Cufft::create(self, &mut plan) }?;
        Ok(plan)
    }

    unsafe fn prepare(&self, plan: c_int, request: &mut Request) -> Result<usize> {
        let (rank, lengths, embedding) = request.layout();
        let ((stride, distance), kind) = (request.strides.unwrap_or((1, 0)), request.kind as c_int);
        let (batch, mut bytes) = (request.batch, 0);
        // SAFETY: the library reads as many lengths and embeddings as the rank says, and writes one integer; without
        // embeddings the data are contiguous and strides are not read.
        unsafe {
            self.set_auto_allocation(plan, 0)?;
            self.make_plan(
                plan, rank, lengths, embedding, stride, distance, embedding, stride, distance, kind, batch, &mut bytes,
            )?;
        }
        Ok(bytes)
    }

    unsafe fn direct(&self, plan: c_int, stream: u64, work: Option<u64>) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            self.set_stream(plan, stream)?;
            if let Some(work) = work { self.set_work_area(plan, work) } else { Ok(()) }
        }
    }

    unsafe fn execute(&self, plan: c_int, kind: Kind, input: u64, output: u64, sign: c_int) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            match kind {
                Kind::ComplexSingle => self.complex_single(plan, input, output, sign),
                Kind::ComplexDouble => self.complex_double(plan, input, output, sign),
                Kind::ForwardSingle => self.forward_single(plan, input, output),
                Kind::ForwardDouble => self.forward_double(plan, input, output),
                Kind::BackSingle => self.back_single(plan, input, output),
                Kind::BackDouble => self.back_double(plan, input, output),
            }
        }
    }

    unsafe fn destroy(&self, plan: c_int) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { Cufft::destroy(self, plan) }
    }
}

#[cfg(test)]
mod tests {
    use cuproxide_gpu::loader::{Places, Wanted};
    use cuproxide_hal::Error;

    use super::*;

    #[test]
    fn statuses_have_names_and_missing_functions_are_errors() {
        let libc = Wanted { name: "cuFFT", sonames: &["libc.so.6"], wheel: "", probe: "malloc", hint: "" };
        let library = Places { loaded: true, ..Places::default() }.open(&libc).expect("this process holds libc");
        let cufft = Cufft::new(library);
        assert!(cufft.failure("cufftCreate", 8).to_string().contains("CUFFT_INVALID_SIZE"));
        let missing = FftLibrary::create(&cufft).expect_err("libc has no transforms");
        assert!(matches!(missing, Error::MissingSymbol { symbol, .. } if symbol == "cufftCreate"));
    }
}
