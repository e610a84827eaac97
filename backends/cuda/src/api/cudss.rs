//! cuDSS 1: handles, matrices, phases. Before 1.0 matrices had another signature and settings other numbers.

use std::ffi::{c_char, c_int, c_void};

use cuproxide_gpu::loader::Wanted;
use cuproxide_gpu::table;
use cuproxide_hal::Error;

/// The library. Packages for CUDA 12 and 13 have it by one name, in folders of their own.
pub(crate) const WANTED: Wanted = Wanted {
    name: "cuDSS",
    sonames: &["libcudss.so.1"],
    wheel: "cu12",
    probe: "cudssCreate",
    hint: "pip install nvidia-cudss-cu13 (CUDA 13) or nvidia-cudss-cu12 (CUDA 12)",
};

/// A handle, matrix, set of settings or set of factors.
pub(crate) type Raw = *mut c_void;

table! {
    /// The functions.
    CudssTable {
        fn create = cudssCreate(handle: *mut Raw);
        fn property = cudssGetProperty(property: c_int, value: *mut c_int);
        fn set_stream = cudssSetStream(handle: Raw, stream: u64);
        fn set_threads = cudssSetThreadingLayer(handle: Raw, path: *const c_char);
        fn settings_create = cudssConfigCreate(made: *mut Raw);
        fn settings_destroy = cudssConfigDestroy(settings: Raw);
        fn set = cudssConfigSet(settings: Raw, setting: c_int, value: *const c_void, bytes: usize);
        fn factors_create = cudssDataCreate(handle: Raw, made: *mut Raw);
        fn factors_destroy = cudssDataDestroy(handle: Raw, factors: Raw);
        fn read = cudssDataGet(
            handle: Raw, factors: Raw, fact: c_int, value: *mut c_void, bytes: usize, written: *mut usize,
        );
        fn execute = cudssExecute(
            handle: Raw, phase: c_int, settings: Raw, factors: Raw, matrix: Raw, solution: Raw, right: Raw,
        );
        fn dense = cudssMatrixCreateDn(
            made: *mut Raw, rows: i64, columns: i64, leading: i64, values: u64, dtype: c_int, layout: c_int,
        );
        fn rows = cudssMatrixCreateCsr(
            made: *mut Raw, rows: i64, columns: i64, stored: i64, starts: u64, ends: u64, indices: u64, values: u64,
            offset_type: c_int, index_type: c_int, dtype: c_int, kind: c_int, view: c_int, base: c_int,
        );
        fn matrix_destroy = cudssMatrixDestroy(matrix: Raw);
        fn set_values = cudssMatrixSetValues(matrix: Raw, values: u64);
    }
}

impl CudssTable {
    /// The error for a status that is not success.
    #[cold]
    pub(crate) fn failure(&self, call: &'static str, code: i32) -> Error {
        let (name, message) = match code {
            1 => ("NOT_INITIALIZED", "a handle or matrix was not initialised"),
            2 => ("ALLOC_FAILED", "there is too little memory"),
            3 => ("INVALID_VALUE", "an argument has a value that the library does not take"),
            4 => ("NOT_SUPPORTED", "the library does not support this combination"),
            5 => ("EXECUTION_FAILED", "a kernel of the library failed"),
            6 => ("INTERNAL_ERROR", "an operation inside the library failed"),
            7 => ("IR_FAILED", "the refinement of a solution failed"),
            _ => ("unknown", "see the documentation of the library"),
        };
        Error::Call { call, code: code.into(), name: name.to_owned(), message: message.to_owned() }
    }
}
