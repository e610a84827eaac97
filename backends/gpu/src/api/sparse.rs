//! Sparse matrices of the vendors' libraries, which have one interface, constants included.

use std::ffi::{c_int, c_void};

use cuproxide_hal::Error;

use crate::table;

type Handle = *mut c_void;
/// A descriptor of a matrix, a vector or an algorithm.
pub type Descriptor = *mut c_void;
type Number = *const c_void;

table! {
    /// The functions that are used, by the names that cuSPARSE gives them.
    SparseTable {
        fn create = cusparseCreate(handle: *mut Handle);
        fn set_stream = cusparseSetStream(handle: Handle, stream: u64);
        fn create_csr = cusparseCreateCsr(
            matrix: *mut Descriptor, rows: i64, columns: i64, stored: i64, offsets: u64, indices: u64, values: u64,
            offset_type: c_int, index_type: c_int, base: c_int, value_type: c_int,
        );
        fn destroy_matrix = cusparseDestroySpMat(matrix: Descriptor);
        fn matrix_size = cusparseSpMatGetSize(matrix: Descriptor, rows: *mut i64, columns: *mut i64, stored: *mut i64);
        fn set_pointers = cusparseCsrSetPointers(matrix: Descriptor, offsets: u64, indices: u64, values: u64);
        fn set_attribute = cusparseSpMatSetAttribute(
            matrix: Descriptor, attribute: c_int, value: *const c_void, bytes: usize,
        );
        fn create_vector = cusparseCreateDnVec(vector: *mut Descriptor, size: i64, values: u64, value_type: c_int);
        fn destroy_vector = cusparseDestroyDnVec(vector: Descriptor);
        fn create_dense = cusparseCreateDnMat(
            dense: *mut Descriptor, rows: i64, columns: i64, leading: i64, values: u64, value_type: c_int, order: c_int,
        );
        fn destroy_dense = cusparseDestroyDnMat(dense: Descriptor);
        fn vector_size = cusparseSpMV_bufferSize(
            handle: Handle, operation: c_int, alpha: Number, a: Descriptor, x: Descriptor, beta: Number, y: Descriptor,
            compute: c_int, algorithm: c_int, bytes: *mut usize,
        );
        fn times_vector = cusparseSpMV(
            handle: Handle, operation: c_int, alpha: Number, a: Descriptor, x: Descriptor, beta: Number, y: Descriptor,
            compute: c_int, algorithm: c_int, buffer: u64,
        );
        fn dense_size = cusparseSpMM_bufferSize(
            handle: Handle, operation: c_int, other: c_int, alpha: Number, a: Descriptor, b: Descriptor, beta: Number,
            c: Descriptor, compute: c_int, algorithm: c_int, bytes: *mut usize,
        );
        fn times_dense = cusparseSpMM(
            handle: Handle, operation: c_int, other: c_int, alpha: Number, a: Descriptor, b: Descriptor, beta: Number,
            c: Descriptor, compute: c_int, algorithm: c_int, buffer: u64,
        );
        fn create_product = cusparseSpGEMM_createDescr(product: *mut Descriptor);
        fn destroy_product = cusparseSpGEMM_destroyDescr(product: Descriptor);
        fn estimate_product = cusparseSpGEMM_workEstimation(
            handle: Handle, operation: c_int, other: c_int, alpha: Number, a: Descriptor, b: Descriptor, beta: Number,
            c: Descriptor, compute: c_int, algorithm: c_int, product: Descriptor, bytes: *mut usize, buffer: u64,
        );
        fn compute_product = cusparseSpGEMM_compute(
            handle: Handle, operation: c_int, other: c_int, alpha: Number, a: Descriptor, b: Descriptor, beta: Number,
            c: Descriptor, compute: c_int, algorithm: c_int, product: Descriptor, bytes: *mut usize, buffer: u64,
        );
        fn copy_product = cusparseSpGEMM_copy(
            handle: Handle, operation: c_int, other: c_int, alpha: Number, a: Descriptor, b: Descriptor, beta: Number,
            c: Descriptor, compute: c_int, algorithm: c_int, product: Descriptor,
        );
        fn create_substitution = cusparseSpSV_createDescr(substitution: *mut Descriptor);
        fn destroy_substitution = cusparseSpSV_destroyDescr(substitution: Descriptor);
        fn substitution_size = cusparseSpSV_bufferSize(
            handle: Handle, operation: c_int, alpha: Number, a: Descriptor, b: Descriptor, x: Descriptor, compute: c_int,
            algorithm: c_int, substitution: Descriptor, bytes: *mut usize,
        );
        fn analyse_substitution = cusparseSpSV_analysis(
            handle: Handle, operation: c_int, alpha: Number, a: Descriptor, b: Descriptor, x: Descriptor, compute: c_int,
            algorithm: c_int, substitution: Descriptor, buffer: u64,
        );
        fn substitute = cusparseSpSV_solve(
            handle: Handle, operation: c_int, alpha: Number, a: Descriptor, b: Descriptor, x: Descriptor, compute: c_int,
            algorithm: c_int, substitution: Descriptor,
        );
        fn transposition_size = cusparseCsr2cscEx2_bufferSize(
            handle: Handle, rows: c_int, columns: c_int, stored: c_int, values: u64, offsets: u64, indices: u64,
            to_values: u64, to_offsets: u64, to_indices: u64, value_type: c_int, action: c_int, base: c_int,
            algorithm: c_int, bytes: *mut usize,
        );
        fn transpose = cusparseCsr2cscEx2(
            handle: Handle, rows: c_int, columns: c_int, stored: c_int, values: u64, offsets: u64, indices: u64,
            to_values: u64, to_offsets: u64, to_indices: u64, value_type: c_int, action: c_int, base: c_int,
            algorithm: c_int, buffer: u64,
        );
    }
}

impl SparseTable {
    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let (name, message) = match code {
            1 => ("NOT_INITIALIZED", "the library is not initialised"),
            2 => ("ALLOC_FAILED", "no memory for the library"),
            3 => ("INVALID_VALUE", "an argument is out of range"),
            4 => ("ARCH_MISMATCH", "not supported on this device"),
            5 => ("MAPPING_ERROR", "memory of the device cannot be mapped"),
            6 => ("EXECUTION_FAILED", "a kernel could not be launched"),
            7 => ("INTERNAL_ERROR", "internal error of the library"),
            8 => ("MATRIX_TYPE_NOT_SUPPORTED", "the type of the matrix is not supported"),
            9 => ("ZERO_PIVOT", "an element of the diagonal is zero"),
            10 => ("NOT_SUPPORTED", "the operation or the types are not supported"),
            11 => ("INSUFFICIENT_RESOURCES", "there is too little memory"),
            _ => ("unknown", "see the documentation of the library"),
        };
        Error::Call { call, code: code.into(), name: name.to_owned(), message: message.to_owned() }
    }
}
