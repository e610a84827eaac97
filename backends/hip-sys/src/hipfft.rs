//! `hipfft/hipfft.h` of ROCm 7.2.4, written by `generate`.

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
pub const HIPFFT_SUCCESS: hipfftResult_t = 0;
pub const HIPFFT_INVALID_PLAN: hipfftResult_t = 1;
pub const HIPFFT_ALLOC_FAILED: hipfftResult_t = 2;
pub const HIPFFT_INVALID_TYPE: hipfftResult_t = 3;
pub const HIPFFT_INVALID_VALUE: hipfftResult_t = 4;
pub const HIPFFT_INTERNAL_ERROR: hipfftResult_t = 5;
pub const HIPFFT_EXEC_FAILED: hipfftResult_t = 6;
pub const HIPFFT_SETUP_FAILED: hipfftResult_t = 7;
pub const HIPFFT_INVALID_SIZE: hipfftResult_t = 8;
pub const HIPFFT_UNALIGNED_DATA: hipfftResult_t = 9;
pub const HIPFFT_INCOMPLETE_PARAMETER_LIST: hipfftResult_t = 10;
pub const HIPFFT_INVALID_DEVICE: hipfftResult_t = 11;
pub const HIPFFT_PARSE_ERROR: hipfftResult_t = 12;
pub const HIPFFT_NO_WORKSPACE: hipfftResult_t = 13;
pub const HIPFFT_NOT_IMPLEMENTED: hipfftResult_t = 14;
pub const HIPFFT_NOT_SUPPORTED: hipfftResult_t = 16;
pub type hipfftResult_t = ::core::ffi::c_uint;
pub use self::hipfftResult_t as hipfftResult;
pub const HIPFFT_R2C: hipfftType_t = 42;
pub const HIPFFT_C2R: hipfftType_t = 44;
pub const HIPFFT_C2C: hipfftType_t = 41;
pub const HIPFFT_D2Z: hipfftType_t = 106;
pub const HIPFFT_Z2D: hipfftType_t = 108;
pub const HIPFFT_Z2Z: hipfftType_t = 105;
pub type hipfftType_t = ::core::ffi::c_uint;
pub use self::hipfftType_t as hipfftType;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipfftHandle_t {
    _unused: [u8; 0],
}
pub type hipfftHandle = *mut hipfftHandle_t;
pub type hipfftComplex = hipComplex;
pub type hipfftDoubleComplex = hipDoubleComplex;
pub type hipfftReal = f32;
pub type hipfftDoubleReal = f64;
pub struct Hipfft {
    __library: ::libloading::Library,
    pub hipfftCreate: Result<unsafe extern "C" fn(plan: *mut hipfftHandle) -> hipfftResult, ::libloading::Error>,
    pub hipfftMakePlanMany64: Result<
        unsafe extern "C" fn(
            plan: hipfftHandle,
            rank: ::core::ffi::c_int,
            n: *mut ::core::ffi::c_longlong,
            inembed: *mut ::core::ffi::c_longlong,
            istride: ::core::ffi::c_longlong,
            idist: ::core::ffi::c_longlong,
            onembed: *mut ::core::ffi::c_longlong,
            ostride: ::core::ffi::c_longlong,
            odist: ::core::ffi::c_longlong,
            type_: hipfftType,
            batch: ::core::ffi::c_longlong,
            workSize: *mut usize,
        ) -> hipfftResult,
        ::libloading::Error,
    >,
    pub hipfftSetAutoAllocation: Result<
        unsafe extern "C" fn(plan: hipfftHandle, autoAllocate: ::core::ffi::c_int) -> hipfftResult,
        ::libloading::Error,
    >,
    pub hipfftSetWorkArea: Result<
        unsafe extern "C" fn(plan: hipfftHandle, workArea: *mut ::core::ffi::c_void) -> hipfftResult,
        ::libloading::Error,
    >,
    pub hipfftExecC2C: Result<
        unsafe extern "C" fn(
            plan: hipfftHandle,
            idata: *mut hipfftComplex,
            odata: *mut hipfftComplex,
            direction: ::core::ffi::c_int,
        ) -> hipfftResult,
        ::libloading::Error,
    >,
    pub hipfftExecR2C: Result<
        unsafe extern "C" fn(plan: hipfftHandle, idata: *mut hipfftReal, odata: *mut hipfftComplex) -> hipfftResult,
        ::libloading::Error,
    >,
    pub hipfftExecC2R: Result<
        unsafe extern "C" fn(plan: hipfftHandle, idata: *mut hipfftComplex, odata: *mut hipfftReal) -> hipfftResult,
        ::libloading::Error,
    >,
    pub hipfftExecZ2Z: Result<
        unsafe extern "C" fn(
            plan: hipfftHandle,
            idata: *mut hipfftDoubleComplex,
            odata: *mut hipfftDoubleComplex,
            direction: ::core::ffi::c_int,
        ) -> hipfftResult,
        ::libloading::Error,
    >,
    pub hipfftExecD2Z: Result<
        unsafe extern "C" fn(
            plan: hipfftHandle,
            idata: *mut hipfftDoubleReal,
            odata: *mut hipfftDoubleComplex,
        ) -> hipfftResult,
        ::libloading::Error,
    >,
    pub hipfftExecZ2D: Result<
        unsafe extern "C" fn(
            plan: hipfftHandle,
            idata: *mut hipfftDoubleComplex,
            odata: *mut hipfftDoubleReal,
        ) -> hipfftResult,
        ::libloading::Error,
    >,
    pub hipfftSetStream:
        Result<unsafe extern "C" fn(plan: hipfftHandle, stream: hipStream_t) -> hipfftResult, ::libloading::Error>,
    pub hipfftDestroy: Result<unsafe extern "C" fn(plan: hipfftHandle) -> hipfftResult, ::libloading::Error>,
    pub hipfftGetVersion:
        Result<unsafe extern "C" fn(version: *mut ::core::ffi::c_int) -> hipfftResult, ::libloading::Error>,
}
impl Hipfft {
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
        let hipfftCreate = __library.get(c"hipfftCreate").map(|sym| *sym);
        let hipfftMakePlanMany64 = __library.get(c"hipfftMakePlanMany64").map(|sym| *sym);
        let hipfftSetAutoAllocation = __library.get(c"hipfftSetAutoAllocation").map(|sym| *sym);
        let hipfftSetWorkArea = __library.get(c"hipfftSetWorkArea").map(|sym| *sym);
        let hipfftExecC2C = __library.get(c"hipfftExecC2C").map(|sym| *sym);
        let hipfftExecR2C = __library.get(c"hipfftExecR2C").map(|sym| *sym);
        let hipfftExecC2R = __library.get(c"hipfftExecC2R").map(|sym| *sym);
        let hipfftExecZ2Z = __library.get(c"hipfftExecZ2Z").map(|sym| *sym);
        let hipfftExecD2Z = __library.get(c"hipfftExecD2Z").map(|sym| *sym);
        let hipfftExecZ2D = __library.get(c"hipfftExecZ2D").map(|sym| *sym);
        let hipfftSetStream = __library.get(c"hipfftSetStream").map(|sym| *sym);
        let hipfftDestroy = __library.get(c"hipfftDestroy").map(|sym| *sym);
        let hipfftGetVersion = __library.get(c"hipfftGetVersion").map(|sym| *sym);
        Ok(Hipfft {
            __library,
            hipfftCreate,
            hipfftMakePlanMany64,
            hipfftSetAutoAllocation,
            hipfftSetWorkArea,
            hipfftExecC2C,
            hipfftExecR2C,
            hipfftExecC2R,
            hipfftExecZ2Z,
            hipfftExecD2Z,
            hipfftExecZ2D,
            hipfftSetStream,
            hipfftDestroy,
            hipfftGetVersion,
        })
    }
    pub unsafe fn hipfftCreate(&self, plan: *mut hipfftHandle) -> hipfftResult {
        (self.hipfftCreate.as_ref().expect("Expected function, got error."))(plan)
    }
    pub unsafe fn hipfftMakePlanMany64(
        &self,
        plan: hipfftHandle,
        rank: ::core::ffi::c_int,
        n: *mut ::core::ffi::c_longlong,
        inembed: *mut ::core::ffi::c_longlong,
        istride: ::core::ffi::c_longlong,
        idist: ::core::ffi::c_longlong,
        onembed: *mut ::core::ffi::c_longlong,
        ostride: ::core::ffi::c_longlong,
        odist: ::core::ffi::c_longlong,
        type_: hipfftType,
        batch: ::core::ffi::c_longlong,
        workSize: *mut usize,
    ) -> hipfftResult {
        (self.hipfftMakePlanMany64.as_ref().expect("Expected function, got error."))(
            plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type_, batch, workSize,
        )
    }
    pub unsafe fn hipfftSetAutoAllocation(&self, plan: hipfftHandle, autoAllocate: ::core::ffi::c_int) -> hipfftResult {
        (self.hipfftSetAutoAllocation.as_ref().expect("Expected function, got error."))(plan, autoAllocate)
    }
    pub unsafe fn hipfftSetWorkArea(&self, plan: hipfftHandle, workArea: *mut ::core::ffi::c_void) -> hipfftResult {
        (self.hipfftSetWorkArea.as_ref().expect("Expected function, got error."))(plan, workArea)
    }
    pub unsafe fn hipfftExecC2C(
        &self,
        plan: hipfftHandle,
        idata: *mut hipfftComplex,
        odata: *mut hipfftComplex,
        direction: ::core::ffi::c_int,
    ) -> hipfftResult {
        (self.hipfftExecC2C.as_ref().expect("Expected function, got error."))(plan, idata, odata, direction)
    }
    pub unsafe fn hipfftExecR2C(
        &self,
        plan: hipfftHandle,
        idata: *mut hipfftReal,
        odata: *mut hipfftComplex,
    ) -> hipfftResult {
        (self.hipfftExecR2C.as_ref().expect("Expected function, got error."))(plan, idata, odata)
    }
    pub unsafe fn hipfftExecC2R(
        &self,
        plan: hipfftHandle,
        idata: *mut hipfftComplex,
        odata: *mut hipfftReal,
    ) -> hipfftResult {
        (self.hipfftExecC2R.as_ref().expect("Expected function, got error."))(plan, idata, odata)
    }
    pub unsafe fn hipfftExecZ2Z(
        &self,
        plan: hipfftHandle,
        idata: *mut hipfftDoubleComplex,
        odata: *mut hipfftDoubleComplex,
        direction: ::core::ffi::c_int,
    ) -> hipfftResult {
        (self.hipfftExecZ2Z.as_ref().expect("Expected function, got error."))(plan, idata, odata, direction)
    }
    pub unsafe fn hipfftExecD2Z(
        &self,
        plan: hipfftHandle,
        idata: *mut hipfftDoubleReal,
        odata: *mut hipfftDoubleComplex,
    ) -> hipfftResult {
        (self.hipfftExecD2Z.as_ref().expect("Expected function, got error."))(plan, idata, odata)
    }
    pub unsafe fn hipfftExecZ2D(
        &self,
        plan: hipfftHandle,
        idata: *mut hipfftDoubleComplex,
        odata: *mut hipfftDoubleReal,
    ) -> hipfftResult {
        (self.hipfftExecZ2D.as_ref().expect("Expected function, got error."))(plan, idata, odata)
    }
    pub unsafe fn hipfftSetStream(&self, plan: hipfftHandle, stream: hipStream_t) -> hipfftResult {
        (self.hipfftSetStream.as_ref().expect("Expected function, got error."))(plan, stream)
    }
    pub unsafe fn hipfftDestroy(&self, plan: hipfftHandle) -> hipfftResult {
        (self.hipfftDestroy.as_ref().expect("Expected function, got error."))(plan)
    }
    pub unsafe fn hipfftGetVersion(&self, version: *mut ::core::ffi::c_int) -> hipfftResult {
        (self.hipfftGetVersion.as_ref().expect("Expected function, got error."))(version)
    }
}
