//! Matrix products by cuBLAS.

use std::ffi::c_void;

use cudarc::cublas::sys::{cublasComputeType_t as Compute, cudaDataType_t as Data};
use cuproxide_hal::libraries::{Blas, ComputeType, Gemm, Matrix, Triangle};
use cuproxide_hal::{DType, Error, Result, Scalar, Stream};
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::api::cublas::{Cublas, WANTED, WANTED_12};
use crate::api::driver::Driver;
use crate::context::Primary;
use crate::loader::Places;

/// The handle of a device, opened when first needed.
pub(crate) struct LazyBlas {
    driver: &'static Driver,
    primary: Primary,
    handle: OnceCell<CublasHandle>,
}

impl LazyBlas {
    pub fn new(driver: &'static Driver, primary: Primary) -> LazyBlas {
        LazyBlas { driver, primary, handle: OnceCell::new() }
    }

    pub fn get(&self) -> Result<&CublasHandle> {
        self.handle.get_or_try_init(|| CublasHandle::new(self.driver, self.primary))
    }
}

/// A handle of cuBLAS for one device. The stream is a state of the handle, so calls take turns.
pub(crate) struct CublasHandle {
    cublas: Cublas,
    driver: &'static Driver,
    primary: Primary,
    handle: Mutex<Raw>,
}

struct Raw(*mut c_void);

// SAFETY: cuBLAS allows a handle to be used from any thread, by one at a time.
unsafe impl Send for Raw {}

impl CublasHandle {
    pub fn new(driver: &'static Driver, primary: Primary) -> Result<CublasHandle> {
        let old_driver = driver.version().is_ok_and(|(major, _)| major < 13);
        let cublas = Cublas::new(Places::of_process().open(if old_driver { &WANTED_12 } else { &WANTED })?);
        primary.enter(driver)?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the context is current; cuBLAS writes one handle, which lives as long as the process.
        unsafe { cublas.create(&mut handle) }?;
        Ok(CublasHandle { cublas, driver, primary, handle: Mutex::new(Raw(handle)) })
    }

    /// Solves for `n` right-hand sides at `b` with a triangle of the column-major matrices at `a`, one after another.
    ///
    /// # Safety
    /// The addresses are device memory of `batch` contiguous matrices of the sizes.
    pub unsafe fn solve_triangular(
        &self,
        stream: &dyn Stream,
        dtype: DType,
        (triangle, unit): (Triangle, bool),
        (m, n, batch): (usize, usize, usize),
        (a, b): (u64, u64),
    ) -> Result<()> {
        let triangle = if triangle == Triangle::Upper { 1 } else { 0 };
        let one = Scalar::real(dtype, 1.0);
        let (alpha, unit) = (one.bytes.as_ptr().cast::<c_void>(), i32::from(unit));
        let (left, rows, columns) = (0, m as i64, n as i64);
        self.primary.enter(self.driver)?;
        let handle = self.handle.lock();
        // SAFETY: the caller's promise; the factor outlives the calls, which read it at once.
        unsafe {
            self.cublas.set_stream(handle.0, stream.raw())?;
            for index in 0..batch as u64 {
                let a = a + index * (m * m * dtype.size()) as u64;
                let b = b + index * (m * n * dtype.size()) as u64;
                macro_rules! solve {
                    ($function:ident) => {
                        self.cublas.$function(
                            handle.0,
                            left,
                            triangle,
                            NO_TRANSPOSE,
                            unit,
                            rows,
                            columns,
                            alpha,
                            a,
                            rows,
                            b,
                            rows,
                        )?
                    };
                }
                match dtype {
                    DType::F32 => solve!(trsm_f32),
                    DType::F64 => solve!(trsm_f64),
                    DType::C64 => solve!(trsm_c64),
                    DType::C128 => solve!(trsm_c128),
                    _ => return Err(Error::unsupported("cuda", format!("triangular systems of {dtype}"))),
                }
            }
        }
        Ok(())
    }
}

const NO_TRANSPOSE: i32 = 0;
const TRANSPOSE: i32 = 1;
const DEFAULT_ALGORITHM: i32 = -1;

/// The operation and leading dimension with which column-major cuBLAS sees a matrix of `rows` x `columns`: as its
/// transpose when rows are contiguous.
fn view(matrix: &Matrix, rows: usize, columns: usize) -> (i32, i64) {
    let by_rows = (matrix.column_stride == 1 || columns == 1) && (rows == 1 || matrix.row_stride >= columns as isize);
    if by_rows {
        let leading = if rows == 1 { columns as i64 } else { matrix.row_stride as i64 };
        (NO_TRANSPOSE, leading.max(1))
    } else {
        let leading = if columns == 1 { rows as i64 } else { matrix.column_stride as i64 };
        (TRANSPOSE, leading.max(1))
    }
}

/// Data type, compute type and the type of the factors.
fn types(dtype: DType, compute: ComputeType) -> Result<(i32, i32, DType)> {
    let (data, wanted, factor) = match (dtype, compute) {
        (DType::F16, ComputeType::Half) => (Data::CUDA_R_16F, Compute::CUBLAS_COMPUTE_16F, DType::F16),
        (DType::F16, _) => (Data::CUDA_R_16F, Compute::CUBLAS_COMPUTE_32F, DType::F32),
        (DType::BF16, _) => (Data::CUDA_R_16BF, Compute::CUBLAS_COMPUTE_32F, DType::F32),
        (DType::F32, ComputeType::Tf32) => (Data::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F_FAST_TF32, DType::F32),
        (DType::F32, _) => (Data::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F, DType::F32),
        (DType::F64, _) => (Data::CUDA_R_64F, Compute::CUBLAS_COMPUTE_64F, DType::F64),
        (DType::C64, ComputeType::Tf32) => (Data::CUDA_C_32F, Compute::CUBLAS_COMPUTE_32F_FAST_TF32, DType::C64),
        (DType::C64, _) => (Data::CUDA_C_32F, Compute::CUBLAS_COMPUTE_32F, DType::C64),
        (DType::C128, _) => (Data::CUDA_C_64F, Compute::CUBLAS_COMPUTE_64F, DType::C128),
        _ => return Err(Error::unsupported("cuda", format!("matrix products of {dtype}"))),
    };
    Ok((data as i32, wanted as i32, factor))
}

fn transposed(matrix: Matrix) -> Matrix {
    Matrix { row_stride: matrix.column_stride, column_stride: matrix.row_stride, ..matrix }
}

impl Blas for CublasHandle {
    unsafe fn gemm(&self, stream: &dyn Stream, gemm: &Gemm) -> Result<()> {
        let Gemm { mut m, mut n, k, batch, mut a, mut b, mut c, .. } = *gemm;
        if m == 0 || n == 0 || batch == 0 {
            return Ok(());
        }
        let (data, compute, factor) = types(gemm.dtype, gemm.compute)?;
        let convert = |scalar: Scalar| {
            let (re, im) = scalar.to_complex();
            Scalar::complex(factor, re, im)
        };
        let (mut alpha, beta) = (convert(gemm.alpha), convert(gemm.beta));
        // cuBLAS writes column-major results: c is one as it stands, or its transpose is.
        if view(&c, m, n).0 == TRANSPOSE {
            (a, b, c) = (transposed(b), transposed(a), transposed(c));
            (m, n) = (n, m);
        }
        let mut depth = k;
        if k == 0 {
            // A product that is scaled by zero is not read, so any address does.
            depth = 1;
            alpha = Scalar::complex(factor, 0.0, 0.0);
            a = Matrix { ptr: c.ptr, row_stride: 1, column_stride: m as isize, batch_stride: 0 };
            b = Matrix { ptr: c.ptr, row_stride: n as isize, column_stride: 1, batch_stride: 0 };
        }
        let (a_operation, a_leading) = view(&a, m, depth);
        let (b_operation, b_leading) = view(&b, depth, n);
        let (_, c_leading) = view(&c, m, n);
        self.primary.enter(self.driver)?;
        let handle = self.handle.lock();
        // SAFETY: the caller promises matrices in device memory; the factors outlive the call, which reads them at once.
        unsafe {
            self.cublas.set_stream(handle.0, stream.raw())?;
            self.cublas.gemm(
                handle.0,
                b_operation,
                a_operation,
                n as i64,
                m as i64,
                depth as i64,
                alpha.bytes.as_ptr().cast(),
                b.ptr,
                data,
                b_leading,
                b.batch_stride as i64,
                a.ptr,
                data,
                a_leading,
                a.batch_stride as i64,
                beta.bytes.as_ptr().cast(),
                c.ptr,
                data,
                c_leading,
                c.batch_stride as i64,
                batch as i64,
                compute,
                DEFAULT_ALGORITHM,
            )
        }
    }
}
