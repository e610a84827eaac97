//! `hipsolver/hipsolver.h` of ROCm 7.2.4, written by `generate`.

#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct float2 {
    pub x: f32,
    pub y: f32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of float2"][::core::mem::size_of::<float2>() - 8usize];
    ["Alignment of float2"][::core::mem::align_of::<float2>() - 4usize];
    ["Offset of field: float2::x"][::core::mem::offset_of!(float2, x) - 0usize];
    ["Offset of field: float2::y"][::core::mem::offset_of!(float2, y) - 4usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct double2 {
    pub x: f64,
    pub y: f64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of double2"][::core::mem::size_of::<double2>() - 16usize];
    ["Alignment of double2"][::core::mem::align_of::<double2>() - 8usize];
    ["Offset of field: double2::x"][::core::mem::offset_of!(double2, x) - 0usize];
    ["Offset of field: double2::y"][::core::mem::offset_of!(double2, y) - 8usize];
};
pub type hipFloatComplex = float2;
pub type hipDoubleComplex = double2;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ihipStream_t {
    _unused: [u8; 0],
}
pub type hipStream_t = *mut ihipStream_t;
pub const HIP_R_32F: hipDataType = 0;
pub const HIP_R_64F: hipDataType = 1;
pub const HIP_R_16F: hipDataType = 2;
pub const HIP_R_8I: hipDataType = 3;
pub const HIP_C_32F: hipDataType = 4;
pub const HIP_C_64F: hipDataType = 5;
pub const HIP_C_16F: hipDataType = 6;
pub const HIP_C_8I: hipDataType = 7;
pub const HIP_R_8U: hipDataType = 8;
pub const HIP_C_8U: hipDataType = 9;
pub const HIP_R_32I: hipDataType = 10;
pub const HIP_C_32I: hipDataType = 11;
pub const HIP_R_32U: hipDataType = 12;
pub const HIP_C_32U: hipDataType = 13;
pub const HIP_R_16BF: hipDataType = 14;
pub const HIP_C_16BF: hipDataType = 15;
pub const HIP_R_4I: hipDataType = 16;
pub const HIP_C_4I: hipDataType = 17;
pub const HIP_R_4U: hipDataType = 18;
pub const HIP_C_4U: hipDataType = 19;
pub const HIP_R_16I: hipDataType = 20;
pub const HIP_C_16I: hipDataType = 21;
pub const HIP_R_16U: hipDataType = 22;
pub const HIP_C_16U: hipDataType = 23;
pub const HIP_R_64I: hipDataType = 24;
pub const HIP_C_64I: hipDataType = 25;
pub const HIP_R_64U: hipDataType = 26;
pub const HIP_C_64U: hipDataType = 27;
pub const HIP_R_8F_E4M3: hipDataType = 28;
pub const HIP_R_8F_E5M2: hipDataType = 29;
pub const HIP_R_8F_UE8M0: hipDataType = 30;
pub const HIP_R_6F_E2M3: hipDataType = 31;
pub const HIP_R_6F_E3M2: hipDataType = 32;
pub const HIP_R_4F_E2M1: hipDataType = 33;
pub const HIP_R_8F_E4M3_FNUZ: hipDataType = 1000;
pub const HIP_R_8F_E5M2_FNUZ: hipDataType = 1001;
pub type hipDataType = ::core::ffi::c_uint;
pub type hipsolverHandle_t = *mut ::core::ffi::c_void;
pub const HIPSOLVER_STATUS_SUCCESS: hipsolverStatus_t = 0;
pub const HIPSOLVER_STATUS_NOT_INITIALIZED: hipsolverStatus_t = 1;
pub const HIPSOLVER_STATUS_ALLOC_FAILED: hipsolverStatus_t = 2;
pub const HIPSOLVER_STATUS_INVALID_VALUE: hipsolverStatus_t = 3;
pub const HIPSOLVER_STATUS_MAPPING_ERROR: hipsolverStatus_t = 4;
pub const HIPSOLVER_STATUS_EXECUTION_FAILED: hipsolverStatus_t = 5;
pub const HIPSOLVER_STATUS_INTERNAL_ERROR: hipsolverStatus_t = 6;
pub const HIPSOLVER_STATUS_NOT_SUPPORTED: hipsolverStatus_t = 7;
pub const HIPSOLVER_STATUS_ARCH_MISMATCH: hipsolverStatus_t = 8;
pub const HIPSOLVER_STATUS_HANDLE_IS_NULLPTR: hipsolverStatus_t = 9;
pub const HIPSOLVER_STATUS_INVALID_ENUM: hipsolverStatus_t = 10;
pub const HIPSOLVER_STATUS_UNKNOWN: hipsolverStatus_t = 11;
pub const HIPSOLVER_STATUS_ZERO_PIVOT: hipsolverStatus_t = 12;
pub const HIPSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED: hipsolverStatus_t = 13;
pub type hipsolverStatus_t = ::core::ffi::c_uint;
pub const HIPBLAS_OP_N: hipblasOperation_t = 111;
pub const HIPBLAS_OP_T: hipblasOperation_t = 112;
pub const HIPBLAS_OP_C: hipblasOperation_t = 113;
pub type hipblasOperation_t = ::core::ffi::c_uint;
pub const HIPBLAS_FILL_MODE_UPPER: hipblasFillMode_t = 121;
pub const HIPBLAS_FILL_MODE_LOWER: hipblasFillMode_t = 122;
pub const HIPBLAS_FILL_MODE_FULL: hipblasFillMode_t = 123;
pub type hipblasFillMode_t = ::core::ffi::c_uint;
pub const HIPSOLVER_EIG_MODE_NOVECTOR: hipsolverEigMode_t = 201;
pub const HIPSOLVER_EIG_MODE_VECTOR: hipsolverEigMode_t = 202;
pub type hipsolverEigMode_t = ::core::ffi::c_uint;
pub use self::hipblasFillMode_t as hipsolverFillMode_t;
pub use self::hipblasOperation_t as hipsolverOperation_t;
pub type hipsolverDnHandle_t = hipsolverHandle_t;
pub type hipsolverDnParams_t = *mut ::core::ffi::c_void;
pub struct Hipsolver {
    __library: ::libloading::Library,
    pub hipsolverDnCreate:
        Result<unsafe extern "C" fn(handle: *mut hipsolverHandle_t) -> hipsolverStatus_t, ::libloading::Error>,
    pub hipsolverDnSetStream: Result<
        unsafe extern "C" fn(handle: hipsolverHandle_t, streamId: hipStream_t) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnSorgqr_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            k: ::core::ffi::c_int,
            A: *const f32,
            lda: ::core::ffi::c_int,
            tau: *const f32,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnDorgqr_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            k: ::core::ffi::c_int,
            A: *const f64,
            lda: ::core::ffi::c_int,
            tau: *const f64,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnCungqr_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            k: ::core::ffi::c_int,
            A: *const hipFloatComplex,
            lda: ::core::ffi::c_int,
            tau: *const hipFloatComplex,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnZungqr_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            k: ::core::ffi::c_int,
            A: *const hipDoubleComplex,
            lda: ::core::ffi::c_int,
            tau: *const hipDoubleComplex,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnSorgqr: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            k: ::core::ffi::c_int,
            A: *mut f32,
            lda: ::core::ffi::c_int,
            tau: *const f32,
            work: *mut f32,
            lwork: ::core::ffi::c_int,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnDorgqr: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            k: ::core::ffi::c_int,
            A: *mut f64,
            lda: ::core::ffi::c_int,
            tau: *const f64,
            work: *mut f64,
            lwork: ::core::ffi::c_int,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnCungqr: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            k: ::core::ffi::c_int,
            A: *mut hipFloatComplex,
            lda: ::core::ffi::c_int,
            tau: *const hipFloatComplex,
            work: *mut hipFloatComplex,
            lwork: ::core::ffi::c_int,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnZungqr: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            k: ::core::ffi::c_int,
            A: *mut hipDoubleComplex,
            lda: ::core::ffi::c_int,
            tau: *const hipDoubleComplex,
            work: *mut hipDoubleComplex,
            lwork: ::core::ffi::c_int,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnSgesvd_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnDgesvd_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnCgesvd_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnZgesvd_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnSgesvd: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobu: ::core::ffi::c_schar,
            jobv: ::core::ffi::c_schar,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            A: *mut f32,
            lda: ::core::ffi::c_int,
            S: *mut f32,
            U: *mut f32,
            ldu: ::core::ffi::c_int,
            V: *mut f32,
            ldv: ::core::ffi::c_int,
            work: *mut f32,
            lwork: ::core::ffi::c_int,
            rwork: *mut f32,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnDgesvd: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobu: ::core::ffi::c_schar,
            jobv: ::core::ffi::c_schar,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            A: *mut f64,
            lda: ::core::ffi::c_int,
            S: *mut f64,
            U: *mut f64,
            ldu: ::core::ffi::c_int,
            V: *mut f64,
            ldv: ::core::ffi::c_int,
            work: *mut f64,
            lwork: ::core::ffi::c_int,
            rwork: *mut f64,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnCgesvd: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobu: ::core::ffi::c_schar,
            jobv: ::core::ffi::c_schar,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            A: *mut hipFloatComplex,
            lda: ::core::ffi::c_int,
            S: *mut f32,
            U: *mut hipFloatComplex,
            ldu: ::core::ffi::c_int,
            V: *mut hipFloatComplex,
            ldv: ::core::ffi::c_int,
            work: *mut hipFloatComplex,
            lwork: ::core::ffi::c_int,
            rwork: *mut f32,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnZgesvd: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobu: ::core::ffi::c_schar,
            jobv: ::core::ffi::c_schar,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            A: *mut hipDoubleComplex,
            lda: ::core::ffi::c_int,
            S: *mut f64,
            U: *mut hipDoubleComplex,
            ldu: ::core::ffi::c_int,
            V: *mut hipDoubleComplex,
            ldv: ::core::ffi::c_int,
            work: *mut hipDoubleComplex,
            lwork: ::core::ffi::c_int,
            rwork: *mut f64,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnSsyevd_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobz: hipsolverEigMode_t,
            uplo: hipblasFillMode_t,
            n: ::core::ffi::c_int,
            A: *const f32,
            lda: ::core::ffi::c_int,
            W: *const f32,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnDsyevd_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobz: hipsolverEigMode_t,
            uplo: hipblasFillMode_t,
            n: ::core::ffi::c_int,
            A: *const f64,
            lda: ::core::ffi::c_int,
            W: *const f64,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnCheevd_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobz: hipsolverEigMode_t,
            uplo: hipblasFillMode_t,
            n: ::core::ffi::c_int,
            A: *const hipFloatComplex,
            lda: ::core::ffi::c_int,
            W: *const f32,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnZheevd_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobz: hipsolverEigMode_t,
            uplo: hipblasFillMode_t,
            n: ::core::ffi::c_int,
            A: *const hipDoubleComplex,
            lda: ::core::ffi::c_int,
            W: *const f64,
            lwork: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnSsyevd: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobz: hipsolverEigMode_t,
            uplo: hipblasFillMode_t,
            n: ::core::ffi::c_int,
            A: *mut f32,
            lda: ::core::ffi::c_int,
            W: *mut f32,
            work: *mut f32,
            lwork: ::core::ffi::c_int,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnDsyevd: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobz: hipsolverEigMode_t,
            uplo: hipblasFillMode_t,
            n: ::core::ffi::c_int,
            A: *mut f64,
            lda: ::core::ffi::c_int,
            W: *mut f64,
            work: *mut f64,
            lwork: ::core::ffi::c_int,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnCheevd: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobz: hipsolverEigMode_t,
            uplo: hipblasFillMode_t,
            n: ::core::ffi::c_int,
            A: *mut hipFloatComplex,
            lda: ::core::ffi::c_int,
            W: *mut f32,
            work: *mut hipFloatComplex,
            lwork: ::core::ffi::c_int,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnZheevd: Result<
        unsafe extern "C" fn(
            handle: hipsolverHandle_t,
            jobz: hipsolverEigMode_t,
            uplo: hipblasFillMode_t,
            n: ::core::ffi::c_int,
            A: *mut hipDoubleComplex,
            lda: ::core::ffi::c_int,
            W: *mut f64,
            work: *mut hipDoubleComplex,
            lwork: ::core::ffi::c_int,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnCreateParams:
        Result<unsafe extern "C" fn(params: *mut hipsolverDnParams_t) -> hipsolverStatus_t, ::libloading::Error>,
    pub hipsolverDnXgeqrf_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverDnHandle_t,
            params: hipsolverDnParams_t,
            m: i64,
            n: i64,
            dataTypeA: hipDataType,
            A: *const ::core::ffi::c_void,
            lda: i64,
            dataTypeTau: hipDataType,
            tau: *const ::core::ffi::c_void,
            computeType: hipDataType,
            lworkOnDevice: *mut usize,
            lworkOnHost: *mut usize,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnXgeqrf: Result<
        unsafe extern "C" fn(
            handle: hipsolverDnHandle_t,
            params: hipsolverDnParams_t,
            m: i64,
            n: i64,
            dataTypeA: hipDataType,
            A: *mut ::core::ffi::c_void,
            lda: i64,
            dataTypeTau: hipDataType,
            tau: *mut ::core::ffi::c_void,
            computeType: hipDataType,
            workOnDevice: *mut ::core::ffi::c_void,
            lworkOnDevice: usize,
            workOnHost: *mut ::core::ffi::c_void,
            lworkOnHost: usize,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnXgetrf_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverDnHandle_t,
            params: hipsolverDnParams_t,
            m: i64,
            n: i64,
            dataTypeA: hipDataType,
            A: *const ::core::ffi::c_void,
            lda: i64,
            computeType: hipDataType,
            lworkOnDevice: *mut usize,
            lworkOnHost: *mut usize,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnXgetrf: Result<
        unsafe extern "C" fn(
            handle: hipsolverDnHandle_t,
            params: hipsolverDnParams_t,
            m: i64,
            n: i64,
            dataTypeA: hipDataType,
            A: *mut ::core::ffi::c_void,
            lda: i64,
            devIpiv: *mut i64,
            computeType: hipDataType,
            workOnDevice: *mut ::core::ffi::c_void,
            lworkOnDevice: usize,
            workOnHost: *mut ::core::ffi::c_void,
            lworkOnHost: usize,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnXgetrs: Result<
        unsafe extern "C" fn(
            handle: hipsolverDnHandle_t,
            params: hipsolverDnParams_t,
            trans: hipsolverOperation_t,
            n: i64,
            nrhs: i64,
            dataTypeA: hipDataType,
            A: *const ::core::ffi::c_void,
            lda: i64,
            devIpiv: *const i64,
            dataTypeB: hipDataType,
            B: *mut ::core::ffi::c_void,
            ldb: i64,
            devInfo: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnXpotrf_bufferSize: Result<
        unsafe extern "C" fn(
            handle: hipsolverDnHandle_t,
            params: hipsolverDnParams_t,
            uplo: hipsolverFillMode_t,
            n: i64,
            dataTypeA: hipDataType,
            A: *const ::core::ffi::c_void,
            lda: i64,
            computeType: hipDataType,
            lworkOnDevice: *mut usize,
            lworkOnHost: *mut usize,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
    pub hipsolverDnXpotrf: Result<
        unsafe extern "C" fn(
            handle: hipsolverDnHandle_t,
            params: hipsolverDnParams_t,
            uplo: hipsolverFillMode_t,
            n: i64,
            dataTypeA: hipDataType,
            A: *mut ::core::ffi::c_void,
            lda: i64,
            computeType: hipDataType,
            workOnDevice: *mut ::core::ffi::c_void,
            lworkOnDevice: usize,
            workOnHost: *mut ::core::ffi::c_void,
            lworkOnHost: usize,
            info: *mut ::core::ffi::c_int,
        ) -> hipsolverStatus_t,
        ::libloading::Error,
    >,
}
impl Hipsolver {
    pub unsafe fn new<P>(path: P) -> Result<Self, ::libloading::Error>
    where
        P: ::libloading::AsFilename,
    {
        let library = ::libloading::Library::new(path)?;
        Self::from_library(library)
    }
    pub unsafe fn from_library<L>(library: L) -> Result<Self, ::libloading::Error>
    where
        L: Into<::libloading::Library>,
    {
        let __library = library.into();
        let hipsolverDnCreate = __library.get(c"hipsolverDnCreate").map(|sym| *sym);
        let hipsolverDnSetStream = __library.get(c"hipsolverDnSetStream").map(|sym| *sym);
        let hipsolverDnSorgqr_bufferSize = __library.get(c"hipsolverDnSorgqr_bufferSize").map(|sym| *sym);
        let hipsolverDnDorgqr_bufferSize = __library.get(c"hipsolverDnDorgqr_bufferSize").map(|sym| *sym);
        let hipsolverDnCungqr_bufferSize = __library.get(c"hipsolverDnCungqr_bufferSize").map(|sym| *sym);
        let hipsolverDnZungqr_bufferSize = __library.get(c"hipsolverDnZungqr_bufferSize").map(|sym| *sym);
        let hipsolverDnSorgqr = __library.get(c"hipsolverDnSorgqr").map(|sym| *sym);
        let hipsolverDnDorgqr = __library.get(c"hipsolverDnDorgqr").map(|sym| *sym);
        let hipsolverDnCungqr = __library.get(c"hipsolverDnCungqr").map(|sym| *sym);
        let hipsolverDnZungqr = __library.get(c"hipsolverDnZungqr").map(|sym| *sym);
        let hipsolverDnSgesvd_bufferSize = __library.get(c"hipsolverDnSgesvd_bufferSize").map(|sym| *sym);
        let hipsolverDnDgesvd_bufferSize = __library.get(c"hipsolverDnDgesvd_bufferSize").map(|sym| *sym);
        let hipsolverDnCgesvd_bufferSize = __library.get(c"hipsolverDnCgesvd_bufferSize").map(|sym| *sym);
        let hipsolverDnZgesvd_bufferSize = __library.get(c"hipsolverDnZgesvd_bufferSize").map(|sym| *sym);
        let hipsolverDnSgesvd = __library.get(c"hipsolverDnSgesvd").map(|sym| *sym);
        let hipsolverDnDgesvd = __library.get(c"hipsolverDnDgesvd").map(|sym| *sym);
        let hipsolverDnCgesvd = __library.get(c"hipsolverDnCgesvd").map(|sym| *sym);
        let hipsolverDnZgesvd = __library.get(c"hipsolverDnZgesvd").map(|sym| *sym);
        let hipsolverDnSsyevd_bufferSize = __library.get(c"hipsolverDnSsyevd_bufferSize").map(|sym| *sym);
        let hipsolverDnDsyevd_bufferSize = __library.get(c"hipsolverDnDsyevd_bufferSize").map(|sym| *sym);
        let hipsolverDnCheevd_bufferSize = __library.get(c"hipsolverDnCheevd_bufferSize").map(|sym| *sym);
        let hipsolverDnZheevd_bufferSize = __library.get(c"hipsolverDnZheevd_bufferSize").map(|sym| *sym);
        let hipsolverDnSsyevd = __library.get(c"hipsolverDnSsyevd").map(|sym| *sym);
        let hipsolverDnDsyevd = __library.get(c"hipsolverDnDsyevd").map(|sym| *sym);
        let hipsolverDnCheevd = __library.get(c"hipsolverDnCheevd").map(|sym| *sym);
        let hipsolverDnZheevd = __library.get(c"hipsolverDnZheevd").map(|sym| *sym);
        let hipsolverDnCreateParams = __library.get(c"hipsolverDnCreateParams").map(|sym| *sym);
        let hipsolverDnXgeqrf_bufferSize = __library.get(c"hipsolverDnXgeqrf_bufferSize").map(|sym| *sym);
        let hipsolverDnXgeqrf = __library.get(c"hipsolverDnXgeqrf").map(|sym| *sym);
        let hipsolverDnXgetrf_bufferSize = __library.get(c"hipsolverDnXgetrf_bufferSize").map(|sym| *sym);
        let hipsolverDnXgetrf = __library.get(c"hipsolverDnXgetrf").map(|sym| *sym);
        let hipsolverDnXgetrs = __library.get(c"hipsolverDnXgetrs").map(|sym| *sym);
        let hipsolverDnXpotrf_bufferSize = __library.get(c"hipsolverDnXpotrf_bufferSize").map(|sym| *sym);
        let hipsolverDnXpotrf = __library.get(c"hipsolverDnXpotrf").map(|sym| *sym);
        Ok(Hipsolver {
            __library,
            hipsolverDnCreate,
            hipsolverDnSetStream,
            hipsolverDnSorgqr_bufferSize,
            hipsolverDnDorgqr_bufferSize,
            hipsolverDnCungqr_bufferSize,
            hipsolverDnZungqr_bufferSize,
            hipsolverDnSorgqr,
            hipsolverDnDorgqr,
            hipsolverDnCungqr,
            hipsolverDnZungqr,
            hipsolverDnSgesvd_bufferSize,
            hipsolverDnDgesvd_bufferSize,
            hipsolverDnCgesvd_bufferSize,
            hipsolverDnZgesvd_bufferSize,
            hipsolverDnSgesvd,
            hipsolverDnDgesvd,
            hipsolverDnCgesvd,
            hipsolverDnZgesvd,
            hipsolverDnSsyevd_bufferSize,
            hipsolverDnDsyevd_bufferSize,
            hipsolverDnCheevd_bufferSize,
            hipsolverDnZheevd_bufferSize,
            hipsolverDnSsyevd,
            hipsolverDnDsyevd,
            hipsolverDnCheevd,
            hipsolverDnZheevd,
            hipsolverDnCreateParams,
            hipsolverDnXgeqrf_bufferSize,
            hipsolverDnXgeqrf,
            hipsolverDnXgetrf_bufferSize,
            hipsolverDnXgetrf,
            hipsolverDnXgetrs,
            hipsolverDnXpotrf_bufferSize,
            hipsolverDnXpotrf,
        })
    }
    pub unsafe fn hipsolverDnCreate(&self, handle: *mut hipsolverHandle_t) -> hipsolverStatus_t {
        (self.hipsolverDnCreate.as_ref().expect("Expected function, got error."))(handle)
    }
    pub unsafe fn hipsolverDnSetStream(&self, handle: hipsolverHandle_t, streamId: hipStream_t) -> hipsolverStatus_t {
        (self.hipsolverDnSetStream.as_ref().expect("Expected function, got error."))(handle, streamId)
    }
    pub unsafe fn hipsolverDnSorgqr_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        k: ::core::ffi::c_int,
        A: *const f32,
        lda: ::core::ffi::c_int,
        tau: *const f32,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnSorgqr_bufferSize.as_ref().expect("Expected function, got error."))(
            handle, m, n, k, A, lda, tau, lwork,
        )
    }
    pub unsafe fn hipsolverDnDorgqr_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        k: ::core::ffi::c_int,
        A: *const f64,
        lda: ::core::ffi::c_int,
        tau: *const f64,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnDorgqr_bufferSize.as_ref().expect("Expected function, got error."))(
            handle, m, n, k, A, lda, tau, lwork,
        )
    }
    pub unsafe fn hipsolverDnCungqr_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        k: ::core::ffi::c_int,
        A: *const hipFloatComplex,
        lda: ::core::ffi::c_int,
        tau: *const hipFloatComplex,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnCungqr_bufferSize.as_ref().expect("Expected function, got error."))(
            handle, m, n, k, A, lda, tau, lwork,
        )
    }
    pub unsafe fn hipsolverDnZungqr_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        k: ::core::ffi::c_int,
        A: *const hipDoubleComplex,
        lda: ::core::ffi::c_int,
        tau: *const hipDoubleComplex,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnZungqr_bufferSize.as_ref().expect("Expected function, got error."))(
            handle, m, n, k, A, lda, tau, lwork,
        )
    }
    pub unsafe fn hipsolverDnSorgqr(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        k: ::core::ffi::c_int,
        A: *mut f32,
        lda: ::core::ffi::c_int,
        tau: *const f32,
        work: *mut f32,
        lwork: ::core::ffi::c_int,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnSorgqr.as_ref().expect("Expected function, got error."))(
            handle, m, n, k, A, lda, tau, work, lwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnDorgqr(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        k: ::core::ffi::c_int,
        A: *mut f64,
        lda: ::core::ffi::c_int,
        tau: *const f64,
        work: *mut f64,
        lwork: ::core::ffi::c_int,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnDorgqr.as_ref().expect("Expected function, got error."))(
            handle, m, n, k, A, lda, tau, work, lwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnCungqr(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        k: ::core::ffi::c_int,
        A: *mut hipFloatComplex,
        lda: ::core::ffi::c_int,
        tau: *const hipFloatComplex,
        work: *mut hipFloatComplex,
        lwork: ::core::ffi::c_int,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnCungqr.as_ref().expect("Expected function, got error."))(
            handle, m, n, k, A, lda, tau, work, lwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnZungqr(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        k: ::core::ffi::c_int,
        A: *mut hipDoubleComplex,
        lda: ::core::ffi::c_int,
        tau: *const hipDoubleComplex,
        work: *mut hipDoubleComplex,
        lwork: ::core::ffi::c_int,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnZungqr.as_ref().expect("Expected function, got error."))(
            handle, m, n, k, A, lda, tau, work, lwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnSgesvd_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnSgesvd_bufferSize.as_ref().expect("Expected function, got error."))(handle, m, n, lwork)
    }
    pub unsafe fn hipsolverDnDgesvd_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnDgesvd_bufferSize.as_ref().expect("Expected function, got error."))(handle, m, n, lwork)
    }
    pub unsafe fn hipsolverDnCgesvd_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnCgesvd_bufferSize.as_ref().expect("Expected function, got error."))(handle, m, n, lwork)
    }
    pub unsafe fn hipsolverDnZgesvd_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnZgesvd_bufferSize.as_ref().expect("Expected function, got error."))(handle, m, n, lwork)
    }
    pub unsafe fn hipsolverDnSgesvd(
        &self,
        handle: hipsolverHandle_t,
        jobu: ::core::ffi::c_schar,
        jobv: ::core::ffi::c_schar,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        A: *mut f32,
        lda: ::core::ffi::c_int,
        S: *mut f32,
        U: *mut f32,
        ldu: ::core::ffi::c_int,
        V: *mut f32,
        ldv: ::core::ffi::c_int,
        work: *mut f32,
        lwork: ::core::ffi::c_int,
        rwork: *mut f32,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnSgesvd.as_ref().expect("Expected function, got error."))(
            handle, jobu, jobv, m, n, A, lda, S, U, ldu, V, ldv, work, lwork, rwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnDgesvd(
        &self,
        handle: hipsolverHandle_t,
        jobu: ::core::ffi::c_schar,
        jobv: ::core::ffi::c_schar,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        A: *mut f64,
        lda: ::core::ffi::c_int,
        S: *mut f64,
        U: *mut f64,
        ldu: ::core::ffi::c_int,
        V: *mut f64,
        ldv: ::core::ffi::c_int,
        work: *mut f64,
        lwork: ::core::ffi::c_int,
        rwork: *mut f64,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnDgesvd.as_ref().expect("Expected function, got error."))(
            handle, jobu, jobv, m, n, A, lda, S, U, ldu, V, ldv, work, lwork, rwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnCgesvd(
        &self,
        handle: hipsolverHandle_t,
        jobu: ::core::ffi::c_schar,
        jobv: ::core::ffi::c_schar,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        A: *mut hipFloatComplex,
        lda: ::core::ffi::c_int,
        S: *mut f32,
        U: *mut hipFloatComplex,
        ldu: ::core::ffi::c_int,
        V: *mut hipFloatComplex,
        ldv: ::core::ffi::c_int,
        work: *mut hipFloatComplex,
        lwork: ::core::ffi::c_int,
        rwork: *mut f32,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnCgesvd.as_ref().expect("Expected function, got error."))(
            handle, jobu, jobv, m, n, A, lda, S, U, ldu, V, ldv, work, lwork, rwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnZgesvd(
        &self,
        handle: hipsolverHandle_t,
        jobu: ::core::ffi::c_schar,
        jobv: ::core::ffi::c_schar,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        A: *mut hipDoubleComplex,
        lda: ::core::ffi::c_int,
        S: *mut f64,
        U: *mut hipDoubleComplex,
        ldu: ::core::ffi::c_int,
        V: *mut hipDoubleComplex,
        ldv: ::core::ffi::c_int,
        work: *mut hipDoubleComplex,
        lwork: ::core::ffi::c_int,
        rwork: *mut f64,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnZgesvd.as_ref().expect("Expected function, got error."))(
            handle, jobu, jobv, m, n, A, lda, S, U, ldu, V, ldv, work, lwork, rwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnSsyevd_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        jobz: hipsolverEigMode_t,
        uplo: hipblasFillMode_t,
        n: ::core::ffi::c_int,
        A: *const f32,
        lda: ::core::ffi::c_int,
        W: *const f32,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnSsyevd_bufferSize.as_ref().expect("Expected function, got error."))(
            handle, jobz, uplo, n, A, lda, W, lwork,
        )
    }
    pub unsafe fn hipsolverDnDsyevd_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        jobz: hipsolverEigMode_t,
        uplo: hipblasFillMode_t,
        n: ::core::ffi::c_int,
        A: *const f64,
        lda: ::core::ffi::c_int,
        W: *const f64,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnDsyevd_bufferSize.as_ref().expect("Expected function, got error."))(
            handle, jobz, uplo, n, A, lda, W, lwork,
        )
    }
    pub unsafe fn hipsolverDnCheevd_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        jobz: hipsolverEigMode_t,
        uplo: hipblasFillMode_t,
        n: ::core::ffi::c_int,
        A: *const hipFloatComplex,
        lda: ::core::ffi::c_int,
        W: *const f32,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnCheevd_bufferSize.as_ref().expect("Expected function, got error."))(
            handle, jobz, uplo, n, A, lda, W, lwork,
        )
    }
    pub unsafe fn hipsolverDnZheevd_bufferSize(
        &self,
        handle: hipsolverHandle_t,
        jobz: hipsolverEigMode_t,
        uplo: hipblasFillMode_t,
        n: ::core::ffi::c_int,
        A: *const hipDoubleComplex,
        lda: ::core::ffi::c_int,
        W: *const f64,
        lwork: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnZheevd_bufferSize.as_ref().expect("Expected function, got error."))(
            handle, jobz, uplo, n, A, lda, W, lwork,
        )
    }
    pub unsafe fn hipsolverDnSsyevd(
        &self,
        handle: hipsolverHandle_t,
        jobz: hipsolverEigMode_t,
        uplo: hipblasFillMode_t,
        n: ::core::ffi::c_int,
        A: *mut f32,
        lda: ::core::ffi::c_int,
        W: *mut f32,
        work: *mut f32,
        lwork: ::core::ffi::c_int,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnSsyevd.as_ref().expect("Expected function, got error."))(
            handle, jobz, uplo, n, A, lda, W, work, lwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnDsyevd(
        &self,
        handle: hipsolverHandle_t,
        jobz: hipsolverEigMode_t,
        uplo: hipblasFillMode_t,
        n: ::core::ffi::c_int,
        A: *mut f64,
        lda: ::core::ffi::c_int,
        W: *mut f64,
        work: *mut f64,
        lwork: ::core::ffi::c_int,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnDsyevd.as_ref().expect("Expected function, got error."))(
            handle, jobz, uplo, n, A, lda, W, work, lwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnCheevd(
        &self,
        handle: hipsolverHandle_t,
        jobz: hipsolverEigMode_t,
        uplo: hipblasFillMode_t,
        n: ::core::ffi::c_int,
        A: *mut hipFloatComplex,
        lda: ::core::ffi::c_int,
        W: *mut f32,
        work: *mut hipFloatComplex,
        lwork: ::core::ffi::c_int,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnCheevd.as_ref().expect("Expected function, got error."))(
            handle, jobz, uplo, n, A, lda, W, work, lwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnZheevd(
        &self,
        handle: hipsolverHandle_t,
        jobz: hipsolverEigMode_t,
        uplo: hipblasFillMode_t,
        n: ::core::ffi::c_int,
        A: *mut hipDoubleComplex,
        lda: ::core::ffi::c_int,
        W: *mut f64,
        work: *mut hipDoubleComplex,
        lwork: ::core::ffi::c_int,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnZheevd.as_ref().expect("Expected function, got error."))(
            handle, jobz, uplo, n, A, lda, W, work, lwork, devInfo,
        )
    }
    pub unsafe fn hipsolverDnCreateParams(&self, params: *mut hipsolverDnParams_t) -> hipsolverStatus_t {
        (self.hipsolverDnCreateParams.as_ref().expect("Expected function, got error."))(params)
    }
    pub unsafe fn hipsolverDnXgeqrf_bufferSize(
        &self,
        handle: hipsolverDnHandle_t,
        params: hipsolverDnParams_t,
        m: i64,
        n: i64,
        dataTypeA: hipDataType,
        A: *const ::core::ffi::c_void,
        lda: i64,
        dataTypeTau: hipDataType,
        tau: *const ::core::ffi::c_void,
        computeType: hipDataType,
        lworkOnDevice: *mut usize,
        lworkOnHost: *mut usize,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnXgeqrf_bufferSize.as_ref().expect("Expected function, got error."))(
            handle,
            params,
            m,
            n,
            dataTypeA,
            A,
            lda,
            dataTypeTau,
            tau,
            computeType,
            lworkOnDevice,
            lworkOnHost,
        )
    }
    pub unsafe fn hipsolverDnXgeqrf(
        &self,
        handle: hipsolverDnHandle_t,
        params: hipsolverDnParams_t,
        m: i64,
        n: i64,
        dataTypeA: hipDataType,
        A: *mut ::core::ffi::c_void,
        lda: i64,
        dataTypeTau: hipDataType,
        tau: *mut ::core::ffi::c_void,
        computeType: hipDataType,
        workOnDevice: *mut ::core::ffi::c_void,
        lworkOnDevice: usize,
        workOnHost: *mut ::core::ffi::c_void,
        lworkOnHost: usize,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnXgeqrf.as_ref().expect("Expected function, got error."))(
            handle,
            params,
            m,
            n,
            dataTypeA,
            A,
            lda,
            dataTypeTau,
            tau,
            computeType,
            workOnDevice,
            lworkOnDevice,
            workOnHost,
            lworkOnHost,
            devInfo,
        )
    }
    pub unsafe fn hipsolverDnXgetrf_bufferSize(
        &self,
        handle: hipsolverDnHandle_t,
        params: hipsolverDnParams_t,
        m: i64,
        n: i64,
        dataTypeA: hipDataType,
        A: *const ::core::ffi::c_void,
        lda: i64,
        computeType: hipDataType,
        lworkOnDevice: *mut usize,
        lworkOnHost: *mut usize,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnXgetrf_bufferSize.as_ref().expect("Expected function, got error."))(
            handle,
            params,
            m,
            n,
            dataTypeA,
            A,
            lda,
            computeType,
            lworkOnDevice,
            lworkOnHost,
        )
    }
    pub unsafe fn hipsolverDnXgetrf(
        &self,
        handle: hipsolverDnHandle_t,
        params: hipsolverDnParams_t,
        m: i64,
        n: i64,
        dataTypeA: hipDataType,
        A: *mut ::core::ffi::c_void,
        lda: i64,
        devIpiv: *mut i64,
        computeType: hipDataType,
        workOnDevice: *mut ::core::ffi::c_void,
        lworkOnDevice: usize,
        workOnHost: *mut ::core::ffi::c_void,
        lworkOnHost: usize,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnXgetrf.as_ref().expect("Expected function, got error."))(
            handle,
            params,
            m,
            n,
            dataTypeA,
            A,
            lda,
            devIpiv,
            computeType,
            workOnDevice,
            lworkOnDevice,
            workOnHost,
            lworkOnHost,
            devInfo,
        )
    }
    pub unsafe fn hipsolverDnXgetrs(
        &self,
        handle: hipsolverDnHandle_t,
        params: hipsolverDnParams_t,
        trans: hipsolverOperation_t,
        n: i64,
        nrhs: i64,
        dataTypeA: hipDataType,
        A: *const ::core::ffi::c_void,
        lda: i64,
        devIpiv: *const i64,
        dataTypeB: hipDataType,
        B: *mut ::core::ffi::c_void,
        ldb: i64,
        devInfo: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnXgetrs.as_ref().expect("Expected function, got error."))(
            handle, params, trans, n, nrhs, dataTypeA, A, lda, devIpiv, dataTypeB, B, ldb, devInfo,
        )
    }
    pub unsafe fn hipsolverDnXpotrf_bufferSize(
        &self,
        handle: hipsolverDnHandle_t,
        params: hipsolverDnParams_t,
        uplo: hipsolverFillMode_t,
        n: i64,
        dataTypeA: hipDataType,
        A: *const ::core::ffi::c_void,
        lda: i64,
        computeType: hipDataType,
        lworkOnDevice: *mut usize,
        lworkOnHost: *mut usize,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnXpotrf_bufferSize.as_ref().expect("Expected function, got error."))(
            handle,
            params,
            uplo,
            n,
            dataTypeA,
            A,
            lda,
            computeType,
            lworkOnDevice,
            lworkOnHost,
        )
    }
    pub unsafe fn hipsolverDnXpotrf(
        &self,
        handle: hipsolverDnHandle_t,
        params: hipsolverDnParams_t,
        uplo: hipsolverFillMode_t,
        n: i64,
        dataTypeA: hipDataType,
        A: *mut ::core::ffi::c_void,
        lda: i64,
        computeType: hipDataType,
        workOnDevice: *mut ::core::ffi::c_void,
        lworkOnDevice: usize,
        workOnHost: *mut ::core::ffi::c_void,
        lworkOnHost: usize,
        info: *mut ::core::ffi::c_int,
    ) -> hipsolverStatus_t {
        (self.hipsolverDnXpotrf.as_ref().expect("Expected function, got error."))(
            handle,
            params,
            uplo,
            n,
            dataTypeA,
            A,
            lda,
            computeType,
            workOnDevice,
            lworkOnDevice,
            workOnHost,
            lworkOnHost,
            info,
        )
    }
}
