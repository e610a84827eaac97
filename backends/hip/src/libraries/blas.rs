//! Matrix products and triangular systems by hipBLAS.

use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

use cuproxide_gpu::blas::{Product, View};
use cuproxide_gpu::graph::Unrestricted;
use cuproxide_gpu::loader::Library;
use cuproxide_gpu::substitution::{Systems, Triangular};
use cuproxide_gpu::{Driver, Primary, api};
use cuproxide_hal::libraries::{Blas, ComputeType, Gemm, Triangle};
use cuproxide_hal::{DType, Error, Result, Scalar, Stream};
use cuproxide_hip_sys::hipblas::{self, Hipblas};
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::api::library::{HIPBLAS, call, file_version};
use crate::api::pointer;

/// The handle of a device, opened when first needed.
pub(crate) struct LazyBlas {
    driver: &'static Driver,
    primary: Primary,
    handle: OnceCell<Arc<HipblasHandle>>,
}

impl LazyBlas {
    pub fn new(driver: &'static Driver, primary: Primary) -> LazyBlas {
        LazyBlas { driver, primary, handle: OnceCell::new() }
    }

    pub fn get(&self) -> Result<&Arc<HipblasHandle>> {
        self.handle.get_or_try_init(|| {
            let _capturing = Unrestricted::enter(self.driver);
            HipblasHandle::new(self.driver, self.primary).map(Arc::new)
        })
    }
}

/// `hipblasGemmStridedBatchedEx` with the types of HIP, not those that hipBLAS had of its own.
type GemmFunction = unsafe extern "C" fn(
    hipblas::hipblasHandle_t,
    hipblas::hipblasOperation_t,
    hipblas::hipblasOperation_t,
    c_int,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    hipblas::hipDataType,
    c_int,
    hipblas::hipblasStride,
    *const c_void,
    hipblas::hipDataType,
    c_int,
    hipblas::hipblasStride,
    *const c_void,
    *mut c_void,
    hipblas::hipDataType,
    c_int,
    hipblas::hipblasStride,
    c_int,
    hipblas::hipblasComputeType_t,
    hipblas::hipblasGemmAlgo_t,
) -> hipblas::hipblasStatus_t;

/// A handle of hipBLAS for one device. The stream is a state of the handle, so calls take turns.
pub(crate) struct HipblasHandle {
    library: Library,
    symbols: Hipblas,
    gemm: (&'static str, Option<GemmFunction>),
    driver: &'static Driver,
    primary: Primary,
    handle: Mutex<Raw>,
}

struct Raw(hipblas::hipblasHandle_t);

// SAFETY: hipBLAS allows a handle to be used from any thread, by one at a time.
unsafe impl Send for Raw {}

/// The product with the types of HIP. Up to `libhipblas.so.2` the plain name has other types: there it is the one with a
/// suffix that has these, from `.so.3` on the plain one.
fn gemm_function(library: &Library, symbols: &Hipblas) -> (&'static str, Option<GemmFunction>) {
    if file_version(library).is_some_and(|version| version < 3) {
        let name = "hipblasGemmStridedBatchedEx_v2";
        // SAFETY: the function of this name has the signature of the later plain one.
        let cast = |address| unsafe { std::mem::transmute::<*const c_void, GemmFunction>(address) };
        return (name, library.symbol(name).map(cast));
    }
    ("hipblasGemmStridedBatchedEx", symbols.hipblasGemmStridedBatchedEx.as_ref().ok().copied())
}

impl HipblasHandle {
    fn new(driver: &'static Driver, primary: Primary) -> Result<HipblasHandle> {
        let library = HIPBLAS.open()?;
        let lacks = || api::missing(&library, "hipblasCreate");
        let handle = library.share().ok_or_else(lacks)?;
        // SAFETY: the functions have the signatures of the headers in every version; `gemm_function` takes the exception.
        let symbols = unsafe { Hipblas::from_library(handle) }.map_err(|_| lacks())?;
        primary.enter(driver)?;
        let gemm = gemm_function(&library, &symbols);
        let mut new =
            HipblasHandle { library, symbols, gemm, driver, primary, handle: Mutex::new(Raw(std::ptr::null_mut())) };
        let mut raw = std::ptr::null_mut();
        // SAFETY: the device is current; hipBLAS writes one handle, which lives as long as the process.
        unsafe { call!(new, hipblasCreate(&mut raw)) }?;
        new.handle.get_mut().0 = raw;
        Ok(new)
    }

    #[cold]
    fn failure(&self, call: &'static str, code: i32) -> Error {
        // SAFETY: the function takes any status and returns a static string.
        let name = self.symbols.hipblasStatusToString.as_ref().map_or("unknown".to_owned(), |text| unsafe {
            CStr::from_ptr(text(code as u32)).to_string_lossy().into_owned()
        });
        Error::Call { call, code: code.into(), name, message: "see the documentation of hipblasStatus_t".to_owned() }
    }

    fn narrow(&self, length: i64) -> Result<c_int> {
        let large = |_| Error::unsupported(self.primary.backend, format!("a matrix side of {length} by hipBLAS"));
        c_int::try_from(length).map_err(large)
    }
}

impl Triangular for LazyBlas {
    unsafe fn solve_triangular(
        &self,
        stream: &dyn Stream,
        dtype: DType,
        (triangle, unit): (Triangle, bool),
        systems: Systems,
    ) -> Result<()> {
        let Systems { a, b, rows, columns, leading, batch } = systems;
        let blas = self.get()?;
        let fill = match triangle {
            Triangle::Upper => hipblas::HIPBLAS_FILL_MODE_UPPER,
            Triangle::Lower => hipblas::HIPBLAS_FILL_MODE_LOWER,
        };
        let diagonal = if unit { hipblas::HIPBLAS_DIAG_UNIT } else { hipblas::HIPBLAS_DIAG_NON_UNIT };
        let one = Scalar::real(dtype, 1.0);
        let (a_step, b_step) = ((leading * rows) as i64, (leading * columns) as i64);
        let [rows, columns, leading, count] = [rows, columns, leading, batch].map(|length| blas.narrow(length as i64));
        let (rows, columns, leading, count) = (rows?, columns?, leading?, count?);
        self.primary.enter(self.driver)?;
        let handle = blas.handle.lock();
        // SAFETY: the caller's promise; the factor outlives the call, which reads it at once.
        unsafe {
            call!(blas, hipblasSetStream(handle.0, pointer(stream.raw())))?;
            macro_rules! solve {
                ($function:ident) => {
                    call!(
                        blas,
                        $function(
                            handle.0,
                            hipblas::HIPBLAS_SIDE_LEFT,
                            fill,
                            hipblas::HIPBLAS_OP_N,
                            diagonal,
                            rows,
                            columns,
                            one.bytes.as_ptr().cast(),
                            pointer(a),
                            leading,
                            a_step,
                            pointer(b),
                            leading,
                            b_step,
                            count,
                        )
                    )
                };
            }
            match dtype {
                DType::F32 => solve!(hipblasStrsmStridedBatched),
                DType::F64 => solve!(hipblasDtrsmStridedBatched),
                DType::C64 => solve!(hipblasCtrsmStridedBatched),
                DType::C128 => solve!(hipblasZtrsmStridedBatched),
                _ => Err(Error::unsupported(self.primary.backend, format!("triangular systems of {dtype}"))),
            }
        }
    }
}

/// Data type, compute type and the type of the factors. There is no TensorFloat-32: float32 is at least as exact.
fn types(backend: &str, dtype: DType, compute: ComputeType) -> Result<(u32, u32, DType)> {
    use hipblas::*;
    Ok(match (dtype, compute) {
        (DType::F16, ComputeType::Half) => (HIP_R_16F, HIPBLAS_COMPUTE_16F, DType::F16),
        (DType::F16, _) => (HIP_R_16F, HIPBLAS_COMPUTE_32F, DType::F32),
        (DType::BF16, _) => (HIP_R_16BF, HIPBLAS_COMPUTE_32F, DType::F32),
        (DType::F32, _) => (HIP_R_32F, HIPBLAS_COMPUTE_32F, DType::F32),
        (DType::F64, _) => (HIP_R_64F, HIPBLAS_COMPUTE_64F, DType::F64),
        (DType::C64, _) => (HIP_C_32F, HIPBLAS_COMPUTE_32F, DType::C64),
        (DType::C128, _) => (HIP_C_64F, HIPBLAS_COMPUTE_64F, DType::C128),
        _ => return Err(Error::unsupported(backend, format!("matrix products of {dtype}"))),
    })
}

fn operation(view: View) -> hipblas::hipblasOperation_t {
    if view.transposed { hipblas::HIPBLAS_OP_T } else { hipblas::HIPBLAS_OP_N }
}

impl Blas for HipblasHandle {
    unsafe fn gemm(&self, stream: &dyn Stream, gemm: &Gemm) -> Result<()> {
        let (data, compute, factor) = types(self.primary.backend, gemm.dtype, gemm.compute)?;
        let Some(Product { m, n, k, batch, a, b, c, alpha, beta }) = Product::of(gemm, factor) else { return Ok(()) };
        let (name, Some(function)) = self.gemm else { return Err(api::missing(&self.library, self.gemm.0)) };
        let [m, n, k, batch] = [self.narrow(m)?, self.narrow(n)?, self.narrow(k)?, self.narrow(batch)?];
        let [a_leading, b_leading, c_leading] =
            [self.narrow(a.leading)?, self.narrow(b.leading)?, self.narrow(c.leading)?];
        self.primary.enter(self.driver)?;
        let handle = self.handle.lock();
        // SAFETY: the caller promises matrices in device memory; the factors outlive the call, which reads them at once.
        unsafe {
            call!(self, hipblasSetStream(handle.0, pointer(stream.raw())))?;
            let status = function(
                handle.0,
                operation(a),
                operation(b),
                m,
                n,
                k,
                alpha.bytes.as_ptr().cast(),
                pointer::<c_void>(a.ptr),
                data,
                a_leading,
                a.step,
                pointer::<c_void>(b.ptr),
                data,
                b_leading,
                b.step,
                beta.bytes.as_ptr().cast(),
                pointer(c.ptr),
                data,
                c_leading,
                c.step,
                batch,
                compute,
                hipblas::HIPBLAS_GEMM_DEFAULT,
            );
            if status == hipblas::HIPBLAS_STATUS_SUCCESS { Ok(()) } else { Err(self.failure(name, status as i32)) }
        }
    }
}
