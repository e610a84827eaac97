//! Matrix products and triangular systems by hipBLAS.

use std::ffi::{CStr, c_int, c_void};

use cuproxide_gpu::blas::{Product, View};
use cuproxide_gpu::loader::Library;
use cuproxide_gpu::own_handle::{OwnHandle, Turn};
use cuproxide_gpu::substitution::{Systems, Triangular};
use cuproxide_gpu::{Driver, Primary, api};
use cuproxide_hal::libraries::{Blas, ComputeType, Gemm, Triangle};
use cuproxide_hal::{DType, Error, Result, Scalar, Stream};
use cuproxide_hip_sys::hipblas;

use crate::api::library::{HIPBLAS, call, file_version};
use crate::api::pointer;

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

/// hipBLAS for one device.
pub(crate) struct Hipblas {
    functions: Functions,
    handle: OwnHandle,
}

struct Functions {
    library: Library,
    symbols: hipblas::Hipblas,
    gemm: (&'static str, Option<GemmFunction>),
}

/// The product with the types of HIP. Up to `libhipblas.so.2` the plain name has other types: there it is the one with a
/// suffix that has these, from `.so.3` on the plain one.
fn gemm_function(library: &Library, symbols: &hipblas::Hipblas) -> (&'static str, Option<GemmFunction>) {
    if file_version(library).is_some_and(|version| version < 3) {
        let name = "hipblasGemmStridedBatchedEx_v2";
        // SAFETY: the function of this name has the signature of the later plain one.
        let cast = |address| unsafe { std::mem::transmute::<*const c_void, GemmFunction>(address) };
        return (name, library.symbol(name).map(cast));
    }
    ("hipblasGemmStridedBatchedEx", symbols.hipblasGemmStridedBatchedEx.as_ref().ok().copied())
}

impl Functions {
    #[cold]
    fn failure(&self, call: &'static str, code: i32) -> Error {
        // SAFETY: the function takes any status and returns a static string.
        let name = self.symbols.hipblasStatusToString.as_ref().map_or("unknown".to_owned(), |text| unsafe {
            CStr::from_ptr(text(code as u32)).to_string_lossy().into_owned()
        });
        Error::Call { call, code: code.into(), name, message: "see the documentation of hipblasStatus_t".to_owned() }
    }
}

impl Hipblas {
    /// Opens the library and makes a handle.
    pub fn new(driver: &'static Driver, primary: Primary) -> Result<Hipblas> {
        let library = HIPBLAS.open()?;
        let lacks = || api::missing(&library, "hipblasCreate");
        let shared = library.share().ok_or_else(lacks)?;
        // SAFETY: the functions have the signatures of the headers in every version; `gemm_function` takes the exception.
        let symbols = unsafe { hipblas::Hipblas::from_library(shared) }.map_err(|_| lacks())?;
        let gemm = gemm_function(&library, &symbols);
        let functions = Functions { library, symbols, gemm };
        // SAFETY: the device is current; hipBLAS writes one handle.
        let handle = OwnHandle::new(driver, primary, |made| unsafe { call!(functions, hipblasCreate(made)) })?;
        Ok(Hipblas { functions, handle })
    }

    /// The handle, for calls that go to a stream.
    fn on(&self, stream: &dyn Stream) -> Result<Turn<'_>> {
        let Hipblas { functions, handle } = self;
        // SAFETY: both live.
        handle.take_turn(|handle| unsafe { call!(functions, hipblasSetStream(handle, pointer(stream.raw()))) })
    }

    fn narrow(&self, length: i64) -> Result<c_int> {
        let large = |_| Error::unsupported(self.handle.backend(), format!("a matrix side of {length} by hipBLAS"));
        c_int::try_from(length).map_err(large)
    }
}

impl Triangular for Hipblas {
    unsafe fn solve_triangular(
        &self,
        stream: &dyn Stream,
        dtype: DType,
        (triangle, unit): (Triangle, bool),
        systems: Systems,
    ) -> Result<()> {
        let Systems { a, b, rows, columns, leading, batch } = systems;
        let fill = match triangle {
            Triangle::Upper => hipblas::HIPBLAS_FILL_MODE_UPPER,
            Triangle::Lower => hipblas::HIPBLAS_FILL_MODE_LOWER,
        };
        let diagonal = if unit { hipblas::HIPBLAS_DIAG_UNIT } else { hipblas::HIPBLAS_DIAG_NON_UNIT };
        let one = Scalar::real(dtype, 1.0);
        let (a_step, b_step) = ((leading * rows) as i64, (leading * columns) as i64);
        let [rows, columns, leading, count] = [rows, columns, leading, batch].map(|length| self.narrow(length as i64));
        let (rows, columns, leading, count) = (rows?, columns?, leading?, count?);
        let (functions, handle) = (&self.functions, self.on(stream)?);
        // SAFETY: the caller's promise; the factor outlives the call, which reads it at once.
        unsafe {
            macro_rules! solve {
                ($function:ident) => {
                    call!(
                        functions,
                        $function(
                            handle.raw(),
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
                _ => Err(Error::unsupported(self.handle.backend(), format!("triangular systems of {dtype}"))),
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

impl Blas for Hipblas {
    unsafe fn gemm(&self, stream: &dyn Stream, gemm: &Gemm) -> Result<()> {
        let (data, compute, factor) = types(self.handle.backend(), gemm.dtype, gemm.compute)?;
        let Some(Product { m, n, k, batch, a, b, c, alpha, beta }) = Product::of(gemm, factor) else { return Ok(()) };
        let Functions { library, gemm: (name, function), .. } = &self.functions;
        let Some(function) = function else { return Err(api::missing(library, name)) };
        let [m, n, k, batch] = [self.narrow(m)?, self.narrow(n)?, self.narrow(k)?, self.narrow(batch)?];
        let [a_leading, b_leading, c_leading] =
            [self.narrow(a.leading)?, self.narrow(b.leading)?, self.narrow(c.leading)?];
        let handle = self.on(stream)?;
        // SAFETY: the caller promises matrices in device memory; the factors outlive the call, which reads them at once.
        unsafe {
            let status = function(
                handle.raw(),
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
            if status == hipblas::HIPBLAS_STATUS_SUCCESS {
                Ok(())
            } else {
                Err(self.functions.failure(name, status as i32))
            }
        }
    }
}
