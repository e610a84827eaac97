//! Fourier transforms by hipFFT.

use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::Arc;

use cuproxide_gpu::fft::{FftHandle, FftLibrary, Kind, Request};
use cuproxide_gpu::loader::Library;
use cuproxide_gpu::{Driver, Primary, api};
use cuproxide_hal::libraries::Fft;
use cuproxide_hal::{Error, Result};
use cuproxide_hip_sys::hipfft::{self, Hipfft};

use crate::api::library::{self, call, kind};
use crate::api::pointer;

/// hipFFT.
pub(crate) const KIND: library::Kind = kind!("hipFFT", "hipfft", 0, 0, 0, "hipfftGetVersion", "hipfft");

/// The opened library.
pub(crate) struct HipfftLibrary {
    library: Library,
    symbols: Hipfft,
}

/// One of the library's plans.
#[derive(Clone, Copy)]
pub(crate) struct Plan(hipfft::hipfftHandle);

// SAFETY: hipFFT allows a plan to be used from any thread, by one at a time.
unsafe impl Send for Plan {}

/// Opens the library.
pub(crate) fn open(driver: &'static Driver, primary: Primary) -> Result<Arc<dyn Fft>> {
    let library = KIND.open()?;
    let lacks = || api::missing(&library, "hipfftCreate");
    let handle = library.share().ok_or_else(lacks)?;
    // SAFETY: the functions have the signatures of the headers, which did not change from ROCm 5 to 7.
    let symbols = unsafe { Hipfft::from_library(handle) }.map_err(|_| lacks())?;
    Ok(Arc::new(FftHandle::new(HipfftLibrary { library, symbols }, driver, primary)))
}

impl HipfftLibrary {
    #[cold]
    fn failure(&self, call: &'static str, code: i32) -> Error {
        let (name, message) = match code {
            1 => ("HIPFFT_INVALID_PLAN", "the plan is not valid"),
            2 => ("HIPFFT_ALLOC_FAILED", "no memory for the plan"),
            3 => ("HIPFFT_INVALID_TYPE", "the type is not valid"),
            4 => ("HIPFFT_INVALID_VALUE", "an argument is not valid"),
            5 => ("HIPFFT_INTERNAL_ERROR", "internal error of the driver or the library"),
            6 => ("HIPFFT_EXEC_FAILED", "the transform could not be launched"),
            7 => ("HIPFFT_SETUP_FAILED", "the library could not be initialised"),
            8 => ("HIPFFT_INVALID_SIZE", "a length is not supported"),
            9 => ("HIPFFT_UNALIGNED_DATA", "data are not aligned"),
            11 => ("HIPFFT_INVALID_DEVICE", "the plan belongs to another device"),
            14 => ("HIPFFT_NOT_IMPLEMENTED", "not implemented"),
            16 => ("HIPFFT_NOT_SUPPORTED", "not supported for these arguments"),
            _ => ("unknown", "see the documentation of hipfftResult"),
        };
        Error::Call { call, code: code.into(), name: name.to_owned(), message: message.to_owned() }
    }
}

impl FftLibrary for HipfftLibrary {
    type Plan = Plan;
    const NAME: &'static str = "hipFFT";

    fn create(&self) -> Result<Plan> {
        let mut plan = null_mut();
        // SAFETY: the library writes one handle.
        unsafe { call!(self, hipfftCreate(&mut plan)) }?;
        Ok(Plan(plan))
    }

    unsafe fn prepare(&self, plan: Plan, request: &mut Request) -> Result<usize> {
        let (rank, lengths, form) = request.layout();
        let ((stride, distance), kind) = (request.strides.unwrap_or((1, 0)), request.kind as hipfft::hipfftType);
        let (plan, batch, mut bytes) = (plan.0, request.batch, 0);
        // SAFETY: the library reads as many lengths and embeddings as the rank says, and writes one integer; without
        // embeddings the data are contiguous and strides are not read.
        unsafe {
            call!(self, hipfftSetAutoAllocation(plan, 0))?;
            call!(
                self,
                hipfftMakePlanMany64(
                    plan, rank, lengths, form, stride, distance, form, stride, distance, kind, batch, &mut bytes
                )
            )?;
        }
        Ok(bytes)
    }

    unsafe fn direct(&self, plan: Plan, stream: u64, work: Option<u64>) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            call!(self, hipfftSetStream(plan.0, pointer(stream)))?;
            match work {
                Some(work) => call!(self, hipfftSetWorkArea(plan.0, pointer(work))),
                None => Ok(()),
            }
        }
    }

    unsafe fn execute(&self, plan: Plan, kind: Kind, input: u64, output: u64, sign: c_int) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            match kind {
                Kind::ComplexSingle => call!(self, hipfftExecC2C(plan.0, pointer(input), pointer(output), sign)),
                Kind::ComplexDouble => call!(self, hipfftExecZ2Z(plan.0, pointer(input), pointer(output), sign)),
                Kind::ForwardSingle => call!(self, hipfftExecR2C(plan.0, pointer(input), pointer(output))),
                Kind::ForwardDouble => call!(self, hipfftExecD2Z(plan.0, pointer(input), pointer(output))),
                Kind::BackSingle => call!(self, hipfftExecC2R(plan.0, pointer(input), pointer(output))),
                Kind::BackDouble => call!(self, hipfftExecZ2D(plan.0, pointer(input), pointer(output))),
            }
        }
    }

    unsafe fn destroy(&self, plan: Plan) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { call!(self, hipfftDestroy(plan.0)) }
    }
}
