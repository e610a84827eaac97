//! `hipblas/hipblas.h` of ROCm 7.2.4, written by `generate`.

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
pub type hipComplex = hipFloatComplex;
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
pub const HIPBLAS_STATUS_SUCCESS: hipblasStatus_t = 0;
pub const HIPBLAS_STATUS_NOT_INITIALIZED: hipblasStatus_t = 1;
pub const HIPBLAS_STATUS_ALLOC_FAILED: hipblasStatus_t = 2;
pub const HIPBLAS_STATUS_INVALID_VALUE: hipblasStatus_t = 3;
pub const HIPBLAS_STATUS_MAPPING_ERROR: hipblasStatus_t = 4;
pub const HIPBLAS_STATUS_EXECUTION_FAILED: hipblasStatus_t = 5;
pub const HIPBLAS_STATUS_INTERNAL_ERROR: hipblasStatus_t = 6;
pub const HIPBLAS_STATUS_NOT_SUPPORTED: hipblasStatus_t = 7;
pub const HIPBLAS_STATUS_ARCH_MISMATCH: hipblasStatus_t = 8;
pub const HIPBLAS_STATUS_HANDLE_IS_NULLPTR: hipblasStatus_t = 9;
pub const HIPBLAS_STATUS_INVALID_ENUM: hipblasStatus_t = 10;
pub const HIPBLAS_STATUS_UNKNOWN: hipblasStatus_t = 11;
pub type hipblasStatus_t = ::core::ffi::c_uint;
pub const HIPBLAS_OP_N: hipblasOperation_t = 111;
pub const HIPBLAS_OP_T: hipblasOperation_t = 112;
pub const HIPBLAS_OP_C: hipblasOperation_t = 113;
pub type hipblasOperation_t = ::core::ffi::c_uint;
pub const HIPBLAS_COMPUTE_16F: hipblasComputeType_t = 0;
pub const HIPBLAS_COMPUTE_16F_PEDANTIC: hipblasComputeType_t = 1;
pub const HIPBLAS_COMPUTE_32F: hipblasComputeType_t = 2;
pub const HIPBLAS_COMPUTE_32F_PEDANTIC: hipblasComputeType_t = 3;
pub const HIPBLAS_COMPUTE_32F_FAST_16F: hipblasComputeType_t = 4;
pub const HIPBLAS_COMPUTE_32F_FAST_16BF: hipblasComputeType_t = 5;
pub const HIPBLAS_COMPUTE_32F_FAST_TF32: hipblasComputeType_t = 6;
pub const HIPBLAS_COMPUTE_64F: hipblasComputeType_t = 7;
pub const HIPBLAS_COMPUTE_64F_PEDANTIC: hipblasComputeType_t = 8;
pub const HIPBLAS_COMPUTE_32I: hipblasComputeType_t = 9;
pub const HIPBLAS_COMPUTE_32I_PEDANTIC: hipblasComputeType_t = 10;
pub const HIPBLAS_COMPUTE_32F_FAST_8F_FNUZ: hipblasComputeType_t = 100;
pub const HIPBLAS_COMPUTE_32F_FAST_8BF_FNUZ: hipblasComputeType_t = 101;
pub const HIPBLAS_COMPUTE_32F_FAST_8F8BF_FNUZ: hipblasComputeType_t = 102;
pub const HIPBLAS_COMPUTE_32F_FAST_8BF8F_FNUZ: hipblasComputeType_t = 103;
pub type hipblasComputeType_t = ::core::ffi::c_uint;
pub type hipblasHandle_t = *mut ::core::ffi::c_void;
pub type hipblasStride = i64;
pub const HIPBLAS_FILL_MODE_UPPER: hipblasFillMode_t = 121;
pub const HIPBLAS_FILL_MODE_LOWER: hipblasFillMode_t = 122;
pub const HIPBLAS_FILL_MODE_FULL: hipblasFillMode_t = 123;
pub type hipblasFillMode_t = ::core::ffi::c_uint;
pub const HIPBLAS_DIAG_NON_UNIT: hipblasDiagType_t = 131;
pub const HIPBLAS_DIAG_UNIT: hipblasDiagType_t = 132;
pub type hipblasDiagType_t = ::core::ffi::c_uint;
pub const HIPBLAS_SIDE_LEFT: hipblasSideMode_t = 141;
pub const HIPBLAS_SIDE_RIGHT: hipblasSideMode_t = 142;
pub const HIPBLAS_SIDE_BOTH: hipblasSideMode_t = 143;
pub type hipblasSideMode_t = ::core::ffi::c_uint;
pub const HIPBLAS_GEMM_DEFAULT: hipblasGemmAlgo_t = 160;
pub type hipblasGemmAlgo_t = ::core::ffi::c_uint;
pub struct Hipblas {
    __library: ::libloading::Library,
    pub hipblasCreate:
        Result<unsafe extern "C" fn(handle: *mut hipblasHandle_t) -> hipblasStatus_t, ::libloading::Error>,
    pub hipblasDestroy: Result<unsafe extern "C" fn(handle: hipblasHandle_t) -> hipblasStatus_t, ::libloading::Error>,
    pub hipblasSetStream: Result<
        unsafe extern "C" fn(handle: hipblasHandle_t, streamId: hipStream_t) -> hipblasStatus_t,
        ::libloading::Error,
    >,
    pub hipblasStrsmStridedBatched: Result<
        unsafe extern "C" fn(
            handle: hipblasHandle_t,
            side: hipblasSideMode_t,
            uplo: hipblasFillMode_t,
            transA: hipblasOperation_t,
            diag: hipblasDiagType_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            alpha: *const f32,
            AP: *const f32,
            lda: ::core::ffi::c_int,
            strideA: hipblasStride,
            BP: *mut f32,
            ldb: ::core::ffi::c_int,
            strideB: hipblasStride,
            batchCount: ::core::ffi::c_int,
        ) -> hipblasStatus_t,
        ::libloading::Error,
    >,
    pub hipblasDtrsmStridedBatched: Result<
        unsafe extern "C" fn(
            handle: hipblasHandle_t,
            side: hipblasSideMode_t,
            uplo: hipblasFillMode_t,
            transA: hipblasOperation_t,
            diag: hipblasDiagType_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            alpha: *const f64,
            AP: *const f64,
            lda: ::core::ffi::c_int,
            strideA: hipblasStride,
            BP: *mut f64,
            ldb: ::core::ffi::c_int,
            strideB: hipblasStride,
            batchCount: ::core::ffi::c_int,
        ) -> hipblasStatus_t,
        ::libloading::Error,
    >,
    pub hipblasCtrsmStridedBatched: Result<
        unsafe extern "C" fn(
            handle: hipblasHandle_t,
            side: hipblasSideMode_t,
            uplo: hipblasFillMode_t,
            transA: hipblasOperation_t,
            diag: hipblasDiagType_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            alpha: *const hipComplex,
            AP: *const hipComplex,
            lda: ::core::ffi::c_int,
            strideA: hipblasStride,
            BP: *mut hipComplex,
            ldb: ::core::ffi::c_int,
            strideB: hipblasStride,
            batchCount: ::core::ffi::c_int,
        ) -> hipblasStatus_t,
        ::libloading::Error,
    >,
    pub hipblasZtrsmStridedBatched: Result<
        unsafe extern "C" fn(
            handle: hipblasHandle_t,
            side: hipblasSideMode_t,
            uplo: hipblasFillMode_t,
            transA: hipblasOperation_t,
            diag: hipblasDiagType_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            alpha: *const hipDoubleComplex,
            AP: *const hipDoubleComplex,
            lda: ::core::ffi::c_int,
            strideA: hipblasStride,
            BP: *mut hipDoubleComplex,
            ldb: ::core::ffi::c_int,
            strideB: hipblasStride,
            batchCount: ::core::ffi::c_int,
        ) -> hipblasStatus_t,
        ::libloading::Error,
    >,
    pub hipblasGemmStridedBatchedEx: Result<
        unsafe extern "C" fn(
            handle: hipblasHandle_t,
            transA: hipblasOperation_t,
            transB: hipblasOperation_t,
            m: ::core::ffi::c_int,
            n: ::core::ffi::c_int,
            k: ::core::ffi::c_int,
            alpha: *const ::core::ffi::c_void,
            A: *const ::core::ffi::c_void,
            aType: hipDataType,
            lda: ::core::ffi::c_int,
            strideA: hipblasStride,
            B: *const ::core::ffi::c_void,
            bType: hipDataType,
            ldb: ::core::ffi::c_int,
            strideB: hipblasStride,
            beta: *const ::core::ffi::c_void,
            C: *mut ::core::ffi::c_void,
            cType: hipDataType,
            ldc: ::core::ffi::c_int,
            strideC: hipblasStride,
            batchCount: ::core::ffi::c_int,
            computeType: hipblasComputeType_t,
            algo: hipblasGemmAlgo_t,
        ) -> hipblasStatus_t,
        ::libloading::Error,
    >,
    pub hipblasStatusToString:
        Result<unsafe extern "C" fn(status: hipblasStatus_t) -> *const ::core::ffi::c_char, ::libloading::Error>,
}
impl Hipblas {
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
        let hipblasCreate = __library.get(c"hipblasCreate").map(|sym| *sym);
        let hipblasDestroy = __library.get(c"hipblasDestroy").map(|sym| *sym);
        let hipblasSetStream = __library.get(c"hipblasSetStream").map(|sym| *sym);
        let hipblasStrsmStridedBatched = __library.get(c"hipblasStrsmStridedBatched").map(|sym| *sym);
        let hipblasDtrsmStridedBatched = __library.get(c"hipblasDtrsmStridedBatched").map(|sym| *sym);
        let hipblasCtrsmStridedBatched = __library.get(c"hipblasCtrsmStridedBatched").map(|sym| *sym);
        let hipblasZtrsmStridedBatched = __library.get(c"hipblasZtrsmStridedBatched").map(|sym| *sym);
        let hipblasGemmStridedBatchedEx = __library.get(c"hipblasGemmStridedBatchedEx").map(|sym| *sym);
        let hipblasStatusToString = __library.get(c"hipblasStatusToString").map(|sym| *sym);
        Ok(Hipblas {
            __library,
            hipblasCreate,
            hipblasDestroy,
            hipblasSetStream,
            hipblasStrsmStridedBatched,
            hipblasDtrsmStridedBatched,
            hipblasCtrsmStridedBatched,
            hipblasZtrsmStridedBatched,
            hipblasGemmStridedBatchedEx,
            hipblasStatusToString,
        })
    }
    pub unsafe fn hipblasCreate(&self, handle: *mut hipblasHandle_t) -> hipblasStatus_t {
        (self.hipblasCreate.as_ref().expect("Expected function, got error."))(handle)
    }
    pub unsafe fn hipblasDestroy(&self, handle: hipblasHandle_t) -> hipblasStatus_t {
        (self.hipblasDestroy.as_ref().expect("Expected function, got error."))(handle)
    }
    pub unsafe fn hipblasSetStream(&self, handle: hipblasHandle_t, streamId: hipStream_t) -> hipblasStatus_t {
        (self.hipblasSetStream.as_ref().expect("Expected function, got error."))(handle, streamId)
    }
    pub unsafe fn hipblasStrsmStridedBatched(
        &self,
        handle: hipblasHandle_t,
        side: hipblasSideMode_t,
        uplo: hipblasFillMode_t,
        transA: hipblasOperation_t,
        diag: hipblasDiagType_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        alpha: *const f32,
        AP: *const f32,
        lda: ::core::ffi::c_int,
        strideA: hipblasStride,
        BP: *mut f32,
        ldb: ::core::ffi::c_int,
        strideB: hipblasStride,
        batchCount: ::core::ffi::c_int,
    ) -> hipblasStatus_t {
        (self.hipblasStrsmStridedBatched.as_ref().expect("Expected function, got error."))(
            handle, side, uplo, transA, diag, m, n, alpha, AP, lda, strideA, BP, ldb, strideB, batchCount,
        )
    }
    pub unsafe fn hipblasDtrsmStridedBatched(
        &self,
        handle: hipblasHandle_t,
        side: hipblasSideMode_t,
        uplo: hipblasFillMode_t,
        transA: hipblasOperation_t,
        diag: hipblasDiagType_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        alpha: *const f64,
        AP: *const f64,
        lda: ::core::ffi::c_int,
        strideA: hipblasStride,
        BP: *mut f64,
        ldb: ::core::ffi::c_int,
        strideB: hipblasStride,
        batchCount: ::core::ffi::c_int,
    ) -> hipblasStatus_t {
        (self.hipblasDtrsmStridedBatched.as_ref().expect("Expected function, got error."))(
            handle, side, uplo, transA, diag, m, n, alpha, AP, lda, strideA, BP, ldb, strideB, batchCount,
        )
    }
    pub unsafe fn hipblasCtrsmStridedBatched(
        &self,
        handle: hipblasHandle_t,
        side: hipblasSideMode_t,
        uplo: hipblasFillMode_t,
        transA: hipblasOperation_t,
        diag: hipblasDiagType_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        alpha: *const hipComplex,
        AP: *const hipComplex,
        lda: ::core::ffi::c_int,
        strideA: hipblasStride,
        BP: *mut hipComplex,
        ldb: ::core::ffi::c_int,
        strideB: hipblasStride,
        batchCount: ::core::ffi::c_int,
    ) -> hipblasStatus_t {
        (self.hipblasCtrsmStridedBatched.as_ref().expect("Expected function, got error."))(
            handle, side, uplo, transA, diag, m, n, alpha, AP, lda, strideA, BP, ldb, strideB, batchCount,
        )
    }
    pub unsafe fn hipblasZtrsmStridedBatched(
        &self,
        handle: hipblasHandle_t,
        side: hipblasSideMode_t,
        uplo: hipblasFillMode_t,
        transA: hipblasOperation_t,
        diag: hipblasDiagType_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        alpha: *const hipDoubleComplex,
        AP: *const hipDoubleComplex,
        lda: ::core::ffi::c_int,
        strideA: hipblasStride,
        BP: *mut hipDoubleComplex,
        ldb: ::core::ffi::c_int,
        strideB: hipblasStride,
        batchCount: ::core::ffi::c_int,
    ) -> hipblasStatus_t {
        (self.hipblasZtrsmStridedBatched.as_ref().expect("Expected function, got error."))(
            handle, side, uplo, transA, diag, m, n, alpha, AP, lda, strideA, BP, ldb, strideB, batchCount,
        )
    }
    pub unsafe fn hipblasGemmStridedBatchedEx(
        &self,
        handle: hipblasHandle_t,
        transA: hipblasOperation_t,
        transB: hipblasOperation_t,
        m: ::core::ffi::c_int,
        n: ::core::ffi::c_int,
        k: ::core::ffi::c_int,
        alpha: *const ::core::ffi::c_void,
        A: *const ::core::ffi::c_void,
        aType: hipDataType,
        lda: ::core::ffi::c_int,
        strideA: hipblasStride,
        B: *const ::core::ffi::c_void,
        bType: hipDataType,
        ldb: ::core::ffi::c_int,
        strideB: hipblasStride,
        beta: *const ::core::ffi::c_void,
        C: *mut ::core::ffi::c_void,
        cType: hipDataType,
        ldc: ::core::ffi::c_int,
        strideC: hipblasStride,
        batchCount: ::core::ffi::c_int,
        computeType: hipblasComputeType_t,
        algo: hipblasGemmAlgo_t,
    ) -> hipblasStatus_t {
        (self.hipblasGemmStridedBatchedEx.as_ref().expect("Expected function, got error."))(
            handle,
            transA,
            transB,
            m,
            n,
            k,
            alpha,
            A,
            aType,
            lda,
            strideA,
            B,
            bType,
            ldb,
            strideB,
            beta,
            C,
            cType,
            ldc,
            strideC,
            batchCount,
            computeType,
            algo,
        )
    }
    pub unsafe fn hipblasStatusToString(&self, status: hipblasStatus_t) -> *const ::core::ffi::c_char {
        (self.hipblasStatusToString.as_ref().expect("Expected function, got error."))(status)
    }
}
