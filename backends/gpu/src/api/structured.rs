//! Products with structured sparsity: cuSPARSELt from 0.6 on, and hipSPARSELt, by other names and with some other numbers.

use std::ffi::{CStr, c_char, c_int, c_void};

use cuproxide_hal::Error;

use crate::table;

/// The structures of the library are the caller's memory, which it knows by address.
type Opaque = *mut c_void;

table! {
    /// The functions of both, by the names that cuSPARSELt gives them.
    StructuredTable {
        fn init = cusparseLtInit(handle: Opaque);
        fn destroy = cusparseLtDestroy(handle: Opaque);
        fn version = cusparseLtGetVersion(handle: Opaque, version: *mut c_int);
        fn property = cusparseLtGetProperty(property: c_int, value: *mut c_int);
        fn dense = cusparseLtDenseDescriptorInit(
            handle: Opaque, matrix: Opaque, rows: i64, columns: i64, leading: i64, alignment: u32, dtype: c_int, order: c_int,
        );
        fn sparse = cusparseLtStructuredDescriptorInit(
            handle: Opaque, matrix: Opaque, rows: i64, columns: i64, leading: i64, alignment: u32, dtype: c_int, order: c_int,
            sparsity: c_int,
        );
        fn destroy_matrix = cusparseLtMatDescriptorDestroy(matrix: Opaque);
        fn set_matrix = cusparseLtMatDescSetAttribute(
            handle: Opaque, matrix: Opaque, attribute: c_int, data: u64, bytes: usize,
        );
        fn get_matrix = cusparseLtMatDescGetAttribute(
            handle: Opaque, matrix: Opaque, attribute: c_int, data: u64, bytes: usize,
        );
        fn product = cusparseLtMatmulDescriptorInit(
            handle: Opaque, product: Opaque, a_operation: c_int, b_operation: c_int, a: Opaque, b: Opaque, c: Opaque,
            d: Opaque, compute: c_int,
        );
        fn set_product = cusparseLtMatmulDescSetAttribute(
            handle: Opaque, product: Opaque, attribute: c_int, data: u64, bytes: usize,
        );
        fn get_product = cusparseLtMatmulDescGetAttribute(
            handle: Opaque, product: Opaque, attribute: c_int, data: u64, bytes: usize,
        );
        fn selection = cusparseLtMatmulAlgSelectionInit(
            handle: Opaque, selection: Opaque, product: Opaque, algorithm: c_int,
        );
        fn destroy_selection = cusparseLtMatmulAlgSelectionDestroy(selection: Opaque);
        fn set_selection = cusparseLtMatmulAlgSetAttribute(
            handle: Opaque, selection: Opaque, attribute: c_int, data: u64, bytes: usize,
        );
        fn get_selection = cusparseLtMatmulAlgGetAttribute(
            handle: Opaque, selection: Opaque, attribute: c_int, data: u64, bytes: usize,
        );
        fn plan = cusparseLtMatmulPlanInit(handle: Opaque, plan: Opaque, product: Opaque, selection: Opaque);
        fn destroy_plan = cusparseLtMatmulPlanDestroy(plan: Opaque);
        fn workspace = cusparseLtMatmulGetWorkspace(handle: Opaque, plan: Opaque, bytes: *mut usize);
        fn multiply = cusparseLtMatmul(
            handle: Opaque, plan: Opaque, alpha: u64, a: u64, b: u64, beta: u64, c: u64, d: u64, workspace: u64,
            streams: *mut u64, count: i32,
        );
        fn search = cusparseLtMatmulSearch(
            handle: Opaque, plan: Opaque, alpha: u64, a: u64, b: u64, beta: u64, c: u64, d: u64, workspace: u64,
            streams: *mut u64, count: i32,
        );
        fn prune = cusparseLtSpMMAPrune(
            handle: Opaque, product: Opaque, src: u64, dst: u64, algorithm: c_int, stream: u64,
        );
        fn prune_matrix = cusparseLtSpMMAPrune2(
            handle: Opaque, matrix: Opaque, is_left: c_int, operation: c_int, src: u64, dst: u64, algorithm: c_int,
            stream: u64,
        );
        fn check = cusparseLtSpMMAPruneCheck(handle: Opaque, product: Opaque, src: u64, valid: u64, stream: u64);
        fn check_matrix = cusparseLtSpMMAPruneCheck2(
            handle: Opaque, matrix: Opaque, is_left: c_int, operation: c_int, src: u64, valid: u64, stream: u64,
        );
        fn compressed = cusparseLtSpMMACompressedSize(
            handle: Opaque, plan: Opaque, bytes: *mut usize, scratch_bytes: *mut usize,
        );
        fn compressed_matrix = cusparseLtSpMMACompressedSize2(
            handle: Opaque, matrix: Opaque, bytes: *mut usize, scratch_bytes: *mut usize,
        );
        fn compress = cusparseLtSpMMACompress(
            handle: Opaque, plan: Opaque, dense: u64, compressed: u64, scratch: u64, stream: u64,
        );
        fn compress_matrix = cusparseLtSpMMACompress2(
            handle: Opaque, matrix: Opaque, is_left: c_int, operation: c_int, dense: u64, compressed: u64, scratch: u64,
            stream: u64,
        );
    }
}

impl StructuredTable {
    /// The library's name and words for a status, from the versions on that tell them.
    pub fn words(&self, code: i32) -> (String, String) {
        let ask = |name: &str, symbol: &'static str| {
            let address = self.library.symbol(self.called(name, symbol))?;
            // SAFETY: the function takes a status and returns a static string.
            let text = unsafe {
                let text = std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int) -> *const c_char>(address);
                text(code)
            };
            // SAFETY: as above; it may have none.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        let (name, text) = match code {
            0 => ("SUCCESS", "no error"),
            1 => ("NOT_INITIALIZED", "the handle was not initialised"),
            2 => ("ALLOC_FAILED", "memory inside the library ran out"),
            3 => ("INVALID_VALUE", "an argument has a value that the library does not take"),
            4 => ("ARCH_MISMATCH", "the device lacks an ability that the library needs"),
            5 => ("MAPPING_ERROR", "memory could not be accessed"),
            6 => ("EXECUTION_FAILED", "a kernel of the library failed"),
            7 => ("INTERNAL_ERROR", "an operation inside the library failed"),
            8 => ("MATRIX_TYPE_NOT_SUPPORTED", "the library does not take such a matrix"),
            10 => ("NOT_SUPPORTED", "the library does not support this combination"),
            11 => ("INSUFFICIENT_RESOURCES", "memory or other resources do not suffice"),
            _ => ("unknown", "the library gives no explanation"),
        };
        (
            ask("error_name", "cusparseLtGetErrorName").unwrap_or_else(|| name.to_owned()),
            ask("error_string", "cusparseLtGetErrorString").unwrap_or_else(|| text.to_owned()),
        )
    }

    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let (name, message) = self.words(code);
        Error::Call { call, code: code.into(), name, message }
    }
}
