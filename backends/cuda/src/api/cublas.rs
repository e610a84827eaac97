//! cuBLAS.

use std::ffi::{CStr, c_char, c_int, c_void};

use cuproxide_hal::Error;

use super::table;
use cuproxide_gpu::loader::Wanted;

/// The library.
pub(crate) const WANTED: Wanted = Wanted {
    name: "cuBLAS",
    sonames: &["libcublas.so.13", "libcublas.so.12"],
    wheel: "cublas",
    probe: "cublasCreate_v2",
    hint: "pip install nvidia-cublas (CUDA 13) or nvidia-cublas-cu12 (CUDA 12)",
};

/// For drivers of CUDA 12.
pub(crate) const WANTED_12: Wanted =
    Wanted { sonames: &["libcublas.so.12"], hint: "pip install nvidia-cublas-cu12", ..WANTED };

table! {
    /// cuBLAS's functions.
    CublasTable {
        fn create = cublasCreate_v2(handle: *mut *mut c_void);
        fn version = cublasGetVersion_v2(handle: *mut c_void, version: *mut c_int);
        fn set_stream = cublasSetStream_v2(handle: *mut c_void, stream: u64);
        fn trsm_f32 = cublasStrsm_v2_64(
            handle: *mut c_void,
            side: c_int,
            triangle: c_int,
            operation: c_int,
            diagonal: c_int,
            m: i64,
            n: i64,
            alpha: *const c_void,
            a: u64,
            a_leading: i64,
            b: u64,
            b_leading: i64,
        ),
            trsm_f64 = cublasDtrsm_v2_64,
            trsm_c64 = cublasCtrsm_v2_64,
            trsm_c128 = cublasZtrsm_v2_64;
        fn gemm = cublasGemmStridedBatchedEx_64(
            handle: *mut c_void,
            a_operation: c_int,
            b_operation: c_int,
            m: i64,
            n: i64,
            k: i64,
            alpha: *const c_void,
            a: u64,
            a_type: c_int,
            a_leading: i64,
            a_batch: i64,
            b: u64,
            b_type: c_int,
            b_leading: i64,
            b_batch: i64,
            beta: *const c_void,
            c: u64,
            c_type: c_int,
            c_leading: i64,
            c_batch: i64,
            batch: i64,
            compute: c_int,
            algorithm: c_int,
        );
    }
}

impl CublasTable {
    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let text = |symbol: &str| {
            self.library.symbol(symbol).map_or("unknown".to_owned(), |address| {
                // SAFETY: the function takes a status and returns a static string for any value.
                unsafe {
                    let lookup: unsafe extern "C" fn(i32) -> *const c_char = std::mem::transmute(address);
                    CStr::from_ptr(lookup(code)).to_string_lossy().into_owned()
                }
            })
        };
        let (name, message) = (text("cublasGetStatusName"), text("cublasGetStatusString"));
        Error::Call { call, code: code.into(), name, message }
    }
}
