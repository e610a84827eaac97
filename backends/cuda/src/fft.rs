//! Fourier transforms by cuFFT.

use std::ffi::{c_int, c_longlong};
use std::ptr::null_mut;
use std::sync::Arc;

use cuproxide_hal::libraries::{Fft, FftDirection, FftKind, FftPlan, FftSpec};
use cuproxide_hal::{DType, Error, MemoryInfo, Result, Stream};
use parking_lot::Mutex;

use crate::api::cufft::{ALLOCATION_FAILED, Cufft, WANTED, WANTED_12};
use crate::api::driver::Driver;
use crate::context::Primary;
use crate::graph::{self, Unrestricted};
use crate::loader::Places;

/// cuFFT for one device.
pub(crate) struct CufftHandle {
    cufft: Arc<Cufft>,
    driver: &'static Driver,
    primary: Primary,
}

impl CufftHandle {
    pub fn new(driver: &'static Driver, primary: Primary) -> Result<CufftHandle> {
        let old_driver = driver.version().is_ok_and(|(major, _)| major < 13);
        let library = Places::of_process().open(if old_driver { &WANTED_12 } else { &WANTED })?;
        Ok(CufftHandle { cufft: Arc::new(Cufft::new(library)), driver, primary })
    }
}

/// The library's name for what a plan computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
enum Kind {
    ForwardSingle = 0x2a,
    BackSingle = 0x2c,
    ComplexSingle = 0x29,
    ForwardDouble = 0x6a,
    BackDouble = 0x6c,
    ComplexDouble = 0x69,
}

impl Kind {
    fn of(kind: FftKind, dtype: DType) -> Result<Kind> {
        Ok(match (kind, dtype) {
            (FftKind::Complex, DType::F32) => Kind::ComplexSingle,
            (FftKind::Complex, DType::F64) => Kind::ComplexDouble,
            (FftKind::RealToComplex, DType::F32) => Kind::ForwardSingle,
            (FftKind::RealToComplex, DType::F64) => Kind::ForwardDouble,
            (FftKind::ComplexToReal, DType::F32) => Kind::BackSingle,
            (FftKind::ComplexToReal, DType::F64) => Kind::BackDouble,
            _ => return Err(Error::unsupported("cuda", format!("Fourier transforms of {dtype}"))),
        })
    }
}

/// The arguments of `cufftMakePlanMany64` that a request means: type, lengths and batch.
fn arguments(spec: &FftSpec) -> Result<(Kind, Vec<c_longlong>, c_longlong)> {
    let kind = Kind::of(spec.kind, spec.dtype)?;
    if !(1..=3).contains(&spec.lengths.len()) {
        return Err(Error::unsupported("cuda", format!("Fourier transforms over {} axes at once", spec.lengths.len())));
    }
    let large = |_| Error::unsupported("cuda", format!("a Fourier transform of lengths {:?}", spec.lengths));
    let lengths = spec.lengths.iter().map(|&length| length.try_into().map_err(large)).collect::<Result<_>>()?;
    Ok((kind, lengths, spec.batch.try_into().map_err(large)?))
}

/// `CUFFT_FORWARD` and `CUFFT_INVERSE`.
fn sign(direction: FftDirection) -> c_int {
    match direction {
        FftDirection::Forward => -1,
        FftDirection::Inverse => 1,
    }
}

/// A plan. Stream and work area are states of it, so executions are queued in turns.
struct Plan {
    cufft: Arc<Cufft>,
    driver: &'static Driver,
    primary: Primary,
    kind: Kind,
    work_bytes: usize,
    handle: Mutex<c_int>,
}

impl Drop for Plan {
    fn drop(&mut self) {
        if self.primary.enter(self.driver).is_ok() {
            // SAFETY: the plan exists and nobody else has it; the library waits for its work.
            let destroyed = unsafe { self.cufft.destroy(*self.handle.get_mut()) };
            if let Err(error) = destroyed {
                tracing::warn!(%error, "a cuFFT plan could not be destroyed");
            }
        }
    }
}

impl Fft for CufftHandle {
    fn plan(&self, spec: &FftSpec) -> Result<Arc<dyn FftPlan>> {
        let (kind, mut lengths, batch) = arguments(spec)?;
        self.primary.enter(self.driver)?;
        let _capturing = Unrestricted::enter(self.driver);
        let mut handle = 0;
        // SAFETY: the context is current; the library writes one integer.
        unsafe { self.cufft.create(&mut handle) }.map_err(|error| self.plan_error(error))?;
        let (cufft, driver, primary) = (self.cufft.clone(), self.driver, self.primary);
        let mut plan = Plan { cufft, driver, primary, kind, work_bytes: 0, handle: Mutex::new(handle) };
        // SAFETY: the plan is new. Without embeddings the data are contiguous and strides are not read; the library
        // reads as many lengths as the rank says and writes one integer.
        unsafe {
            self.cufft.set_auto_allocation(handle, 0)?;
            self.cufft.make_plan(
                handle,
                lengths.len() as c_int,
                lengths.as_mut_ptr(),
                null_mut(),
                1,
                0,
                null_mut(),
                1,
                0,
                kind as c_int,
                batch,
                &mut plan.work_bytes,
            )
        }
        .map_err(|error| self.plan_error(error))?;
        Ok(Arc::new(plan))
    }
}

impl CufftHandle {
    /// The library's lack of memory as the error that makes callers free some.
    #[cold]
    fn plan_error(&self, error: Error) -> Error {
        if graph::any_open() {
            // It copies tables on the default stream, for which a blocking stream would have to wait.
            let advice =
                "run the transform once before the capture, or capture on a stream made with non_blocking=True";
            return Error::capture(
                "cuda",
                format!("cuFFT cannot prepare a transform during this capture ({error}); {advice}"),
            );
        }
        if !matches!(error, Error::Call { code: ALLOCATION_FAILED, .. }) {
            return error;
        }
        let (mut free, mut total) = (0, 0);
        // SAFETY: the context is current; the driver writes two integers.
        let read = unsafe { self.driver.memory_info(&mut free, &mut total) };
        let memory = read.map_or(MemoryInfo { free: 0, total: 0 }, |()| MemoryInfo { free, total });
        let device = format!("cuda:{}", self.primary.ordinal);
        Error::OutOfMemory { device, requested: 0, free: memory.free, total: memory.total }
    }
}

impl FftPlan for Plan {
    fn scratch_bytes(&self) -> usize {
        self.work_bytes
    }

    fn overwrites_input(&self) -> bool {
        matches!(self.kind, Kind::BackSingle | Kind::BackDouble)
    }

    unsafe fn execute(
        &self,
        stream: &dyn Stream,
        direction: FftDirection,
        input: u64,
        output: u64,
        scratch: u64,
    ) -> Result<()> {
        self.primary.enter(self.driver)?;
        let (cufft, sign) = (&self.cufft, sign(direction));
        let handle = self.handle.lock();
        // SAFETY: the caller promises data and scratch of the plan's sizes; what is queued keeps the stream and the work
        // area of this call.
        unsafe {
            cufft.set_stream(*handle, stream.raw())?;
            if self.work_bytes > 0 {
                cufft.set_work_area(*handle, scratch)?;
            }
            match self.kind {
                Kind::ComplexSingle => cufft.complex_single(*handle, input, output, sign),
                Kind::ComplexDouble => cufft.complex_double(*handle, input, output, sign),
                Kind::ForwardSingle => cufft.forward_single(*handle, input, output),
                Kind::ForwardDouble => cufft.forward_double(*handle, input, output),
                Kind::BackSingle => cufft.back_single(*handle, input, output),
                Kind::BackDouble => cufft.back_double(*handle, input, output),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loader::Wanted;

    fn spec(kind: FftKind, dtype: DType, lengths: &[usize], batch: usize) -> FftSpec {
        FftSpec { kind, dtype, lengths: lengths.to_vec(), batch }
    }

    #[test]
    fn requests_become_the_arguments_of_the_library() {
        let (kind, lengths, batch) = arguments(&spec(FftKind::Complex, DType::F32, &[4, 5, 6], 7)).expect("supported");
        assert_eq!((kind, lengths.as_slice(), batch), (Kind::ComplexSingle, [4, 5, 6].as_slice(), 7));
        let wide = arguments(&spec(FftKind::RealToComplex, DType::F64, &[1 << 33], 1)).expect("64-bit lengths");
        assert_eq!((wide.0, wide.1), (Kind::ForwardDouble, vec![1 << 33]));
        assert!(arguments(&spec(FftKind::Complex, DType::F64, &[2; 4], 1)).is_err());
        assert!(arguments(&spec(FftKind::Complex, DType::F16, &[2], 1)).is_err());
        assert!(arguments(&spec(FftKind::Complex, DType::F64, &[usize::MAX], 1)).is_err());
    }

    #[test]
    fn statuses_have_names_and_missing_functions_are_errors() {
        let libc = Wanted { name: "cuFFT", sonames: &["libc.so.6"], wheel: "", probe: "malloc", hint: "" };
        let library = Places { loaded: true, ..Places::default() }.open(&libc).expect("this process holds libc");
        let cufft = Cufft::new(library);
        assert!(cufft.failure("cufftCreate", 8).to_string().contains("CUFFT_INVALID_SIZE"));
        let mut plan = 0;
        // SAFETY: the function is missing, so nothing is called.
        let missing = unsafe { cufft.create(&mut plan) }.expect_err("libc has no transforms");
        assert!(matches!(missing, Error::MissingSymbol { symbol, .. } if symbol == "cufftCreate"));
    }
}
