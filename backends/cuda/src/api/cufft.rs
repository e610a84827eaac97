//! cuFFT.

use std::ffi::{c_int, c_longlong};

use cuproxide_hal::Error;

use super::table;
use cuproxide_gpu::loader::Wanted;

/// The library.
pub(crate) const WANTED: Wanted = Wanted {
    name: "cuFFT",
    sonames: &["libcufft.so.12", "libcufft.so.11"],
    wheel: "cufft",
    probe: "cufftGetVersion",
    hint: "pip install nvidia-cufft (CUDA 13) or nvidia-cufft-cu12 (CUDA 12)",
};

/// For drivers of CUDA 12.
pub(crate) const WANTED_12: Wanted =
    Wanted { sonames: &["libcufft.so.11"], hint: "pip install nvidia-cufft-cu12", ..WANTED };

table! {
    /// cuFFT's functions. A plan is an integer.
    Cufft {
        fn create = cufftCreate(plan: *mut c_int);
        fn destroy = cufftDestroy(plan: c_int);
        fn set_auto_allocation = cufftSetAutoAllocation(plan: c_int, allocate: c_int);
        fn make_plan = cufftMakePlanMany64(
            plan: c_int,
            rank: c_int,
            lengths: *mut c_longlong,
            input_embedding: *mut c_longlong,
            input_stride: c_longlong,
            input_distance: c_longlong,
            output_embedding: *mut c_longlong,
            output_stride: c_longlong,
            output_distance: c_longlong,
            kind: c_int,
            batch: c_longlong,
            work_bytes: *mut usize,
        );
        fn set_work_area = cufftSetWorkArea(plan: c_int, address: u64);
        fn set_stream = cufftSetStream(plan: c_int, stream: u64);
        fn complex_single = cufftExecC2C(plan: c_int, input: u64, output: u64, direction: c_int);
        fn complex_double = cufftExecZ2Z(plan: c_int, input: u64, output: u64, direction: c_int);
        fn forward_single = cufftExecR2C(plan: c_int, input: u64, output: u64);
        fn forward_double = cufftExecD2Z(plan: c_int, input: u64, output: u64);
        fn back_single = cufftExecC2R(plan: c_int, input: u64, output: u64);
        fn back_double = cufftExecZ2D(plan: c_int, input: u64, output: u64);
    }
}

impl Cufft {
    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let (name, message) = match code {
            1 => ("CUFFT_INVALID_PLAN", "the plan is not valid"),
            2 => ("CUFFT_ALLOC_FAILED", "no memory for the plan"),
            3 => ("CUFFT_INVALID_TYPE", "the type is not valid"),
            4 => ("CUFFT_INVALID_VALUE", "an argument is not valid"),
            5 => ("CUFFT_INTERNAL_ERROR", "internal error of the driver or the library"),
            6 => ("CUFFT_EXEC_FAILED", "the transform could not be launched"),
            7 => ("CUFFT_SETUP_FAILED", "the library could not be initialised"),
            8 => ("CUFFT_INVALID_SIZE", "a length is not supported"),
            9 => ("CUFFT_UNALIGNED_DATA", "data are not aligned"),
            11 => ("CUFFT_INVALID_DEVICE", "the plan belongs to another device"),
            14 => ("CUFFT_NOT_IMPLEMENTED", "not implemented"),
            16 => ("CUFFT_NOT_SUPPORTED", "not supported for these arguments"),
            17 => ("CUFFT_MISSING_DEPENDENCY", "a library that cuFFT needs is missing"),
            _ => ("unknown", "see the documentation of cufftResult"),
        };
        Error::Call { call, code: code.into(), name: name.to_owned(), message: message.to_owned() }
    }
}
