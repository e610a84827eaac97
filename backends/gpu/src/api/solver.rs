//! Dense solvers.

use std::ffi::{c_int, c_schar, c_void};

use cuproxide_hal::Error;

use crate::table;

type Handle = *mut c_void;
type Params = *mut c_void;

table! {
    /// The library's functions, by the names that cuSOLVER gives them.
    SolverTable {
        fn create = cusolverDnCreate(handle: *mut Handle);
        fn create_params = cusolverDnCreateParams(params: *mut Params);
        fn set_stream = cusolverDnSetStream(handle: Handle, stream: u64);
        fn cholesky_size = cusolverDnXpotrf_bufferSize(
            handle: Handle, params: Params, triangle: c_int, n: i64, a_type: c_int, a: u64, a_leading: i64,
            compute: c_int, device_bytes: *mut usize, host_bytes: *mut usize,
        );
        fn cholesky = cusolverDnXpotrf(
            handle: Handle, params: Params, triangle: c_int, n: i64, a_type: c_int, a: u64, a_leading: i64,
            compute: c_int, device: u64, device_bytes: usize, host: *mut c_void, host_bytes: usize, info: u64,
        );
        fn lu_size = cusolverDnXgetrf_bufferSize(
            handle: Handle, params: Params, m: i64, n: i64, a_type: c_int, a: u64, a_leading: i64, compute: c_int,
            device_bytes: *mut usize, host_bytes: *mut usize,
        );
        fn lu = cusolverDnXgetrf(
            handle: Handle, params: Params, m: i64, n: i64, a_type: c_int, a: u64, a_leading: i64, pivots: u64,
            compute: c_int, device: u64, device_bytes: usize, host: *mut c_void, host_bytes: usize, info: u64,
        );
        fn lu_solve = cusolverDnXgetrs(
            handle: Handle, params: Params, operation: c_int, n: i64, columns: i64, a_type: c_int, a: u64,
            a_leading: i64, pivots: u64, b_type: c_int, b: u64, b_leading: i64, info: u64,
        );
        fn qr_size = cusolverDnXgeqrf_bufferSize(
            handle: Handle, params: Params, m: i64, n: i64, a_type: c_int, a: u64, a_leading: i64, tau_type: c_int,
            tau: u64, compute: c_int, device_bytes: *mut usize, host_bytes: *mut usize,
        );
        fn qr = cusolverDnXgeqrf(
            handle: Handle, params: Params, m: i64, n: i64, a_type: c_int, a: u64, a_leading: i64, tau_type: c_int,
            tau: u64, compute: c_int, device: u64, device_bytes: usize, host: *mut c_void, host_bytes: usize, info: u64,
        );
        fn vectors_size_f32 = cusolverDnSorgqr_bufferSize(
            handle: Handle, m: c_int, n: c_int, k: c_int, a: u64, a_leading: c_int, tau: u64, elements: *mut c_int,
        ),
            vectors_size_f64 = cusolverDnDorgqr_bufferSize,
            vectors_size_c64 = cusolverDnCungqr_bufferSize,
            vectors_size_c128 = cusolverDnZungqr_bufferSize;
        fn vectors_f32 = cusolverDnSorgqr(
            handle: Handle, m: c_int, n: c_int, k: c_int, a: u64, a_leading: c_int, tau: u64, work: u64,
            elements: c_int, info: u64,
        ),
            vectors_f64 = cusolverDnDorgqr,
            vectors_c64 = cusolverDnCungqr,
            vectors_c128 = cusolverDnZungqr;
        fn svd_size = cusolverDnXgesvd_bufferSize(
            handle: Handle, params: Params, left: c_schar, right: c_schar, m: i64, n: i64, a_type: c_int, a: u64,
            a_leading: i64, s_type: c_int, s: u64, u_type: c_int, u: u64, u_leading: i64, v_type: c_int, v: u64,
            v_leading: i64, compute: c_int, device_bytes: *mut usize, host_bytes: *mut usize,
        );
        fn svd = cusolverDnXgesvd(
            handle: Handle, params: Params, left: c_schar, right: c_schar, m: i64, n: i64, a_type: c_int, a: u64,
            a_leading: i64, s_type: c_int, s: u64, u_type: c_int, u: u64, u_leading: i64, v_type: c_int, v: u64,
            v_leading: i64, compute: c_int, device: u64, device_bytes: usize, host: *mut c_void, host_bytes: usize,
            info: u64,
        );
        fn hermitian_size = cusolverDnXsyevd_bufferSize(
            handle: Handle, params: Params, mode: c_int, triangle: c_int, n: i64, a_type: c_int, a: u64,
            a_leading: i64, w_type: c_int, w: u64, compute: c_int, device_bytes: *mut usize, host_bytes: *mut usize,
        );
        fn hermitian = cusolverDnXsyevd(
            handle: Handle, params: Params, mode: c_int, triangle: c_int, n: i64, a_type: c_int, a: u64,
            a_leading: i64, w_type: c_int, w: u64, compute: c_int, device: u64, device_bytes: usize, host: *mut c_void,
            host_bytes: usize, info: u64,
        );
        fn hermitian_batch_size = cusolverDnXsyevBatched_bufferSize(
            handle: Handle, params: Params, mode: c_int, triangle: c_int, n: i64, a_type: c_int, a: u64,
            a_leading: i64, w_type: c_int, w: u64, compute: c_int, device_bytes: *mut usize, host_bytes: *mut usize,
            batch: i64,
        );
        fn hermitian_batch = cusolverDnXsyevBatched(
            handle: Handle, params: Params, mode: c_int, triangle: c_int, n: i64, a_type: c_int, a: u64,
            a_leading: i64, w_type: c_int, w: u64, compute: c_int, device: u64, device_bytes: usize, host: *mut c_void,
            host_bytes: usize, info: u64, batch: i64,
        );
        fn general_size = cusolverDnXgeev_bufferSize(
            handle: Handle, params: Params, left: c_int, right: c_int, n: i64, a_type: c_int, a: u64, a_leading: i64,
            w_type: c_int, w: u64, l_type: c_int, l: u64, l_leading: i64, r_type: c_int, r: u64, r_leading: i64,
            compute: c_int, device_bytes: *mut usize, host_bytes: *mut usize,
        );
        fn general = cusolverDnXgeev(
            handle: Handle, params: Params, left: c_int, right: c_int, n: i64, a_type: c_int, a: u64, a_leading: i64,
            w_type: c_int, w: u64, l_type: c_int, l: u64, l_leading: i64, r_type: c_int, r: u64, r_leading: i64,
            compute: c_int, device: u64, device_bytes: usize, host: *mut c_void, host_bytes: usize, info: u64,
        );
    }
}

impl SolverTable {
    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        if let Some(status) = self.names.status {
            let (name, message) = status(code);
            return Error::Call { call, code: code.into(), name: name.to_owned(), message: message.to_owned() };
        }
        let (name, message) = match code {
            1 => ("CUSOLVER_STATUS_NOT_INITIALIZED", "the library was not initialised"),
            2 => ("CUSOLVER_STATUS_ALLOC_FAILED", "memory inside the library ran out"),
            3 => ("CUSOLVER_STATUS_INVALID_VALUE", "an argument has a value that the library does not take"),
            4 => ("CUSOLVER_STATUS_ARCH_MISMATCH", "the device lacks an ability that the library needs"),
            6 => ("CUSOLVER_STATUS_EXECUTION_FAILED", "a kernel of the library failed"),
            7 => ("CUSOLVER_STATUS_INTERNAL_ERROR", "an operation inside the library failed"),
            8 => ("CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "the library does not take such a matrix"),
            9 => ("CUSOLVER_STATUS_NOT_SUPPORTED", "the library does not support this combination"),
            31 => ("CUSOLVER_STATUS_INVALID_WORKSPACE", "the workspace is too small"),
            _ => ("unknown", "the library gives no explanation"),
        };
        Error::Call { call, code: code.into(), name: name.to_owned(), message: message.to_owned() }
    }
}
