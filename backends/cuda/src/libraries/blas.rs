//! Matrix products by cuBLAS.

use std::ffi::c_void;

use cuproxide_gpu::blas::Product;
use cuproxide_gpu::own_handle::{OwnHandle, Turn};
use cuproxide_gpu::substitution::{Systems, Triangular};
use cuproxide_gpu::{Driver, Primary};
use cuproxide_hal::libraries::{Blas, ComputeType, Gemm, Triangle};
use cuproxide_hal::{DType, Error, Result, Scalar, Stream};

use crate::api::cublas::{CublasTable, WANTED, WANTED_12};
use crate::places;

/// cuBLAS for one device.
pub(crate) struct Cublas {
    table: CublasTable,
    handle: OwnHandle,
}

impl Cublas {
    /// Opens the library and makes a handle.
    pub fn new(driver: &'static Driver, primary: Primary) -> Result<Cublas> {
        let old_driver = driver.version().is_ok_and(|(major, _)| major < 13);
        let table = CublasTable::new(places::of_process().open(if old_driver { &WANTED_12 } else { &WANTED })?);
        // SAFETY: the context is current; cuBLAS writes one handle.
        let handle = OwnHandle::new(driver, primary, |made| unsafe { table.create(made) })?;
        Ok(Cublas { table, handle })
    }

    /// The handle, for calls that go to a stream.
    fn on(&self, stream: &dyn Stream) -> Result<Turn<'_>> {
        // SAFETY: both live.
        self.handle.take_turn(|handle| unsafe { self.table.set_stream(handle, stream.raw()) })
    }
}

impl Triangular for Cublas {
    unsafe fn solve_triangular(
        &self,
        stream: &dyn Stream,
        dtype: DType,
        (triangle, unit): (Triangle, bool),
        systems: Systems,
    ) -> Result<()> {
        let Systems { a, b, rows, columns, leading, batch } = systems;
        let triangle = if triangle == Triangle::Upper { 1 } else { 0 };
        let one = Scalar::real(dtype, 1.0);
        let (alpha, unit) = (one.bytes.as_ptr().cast::<c_void>(), i32::from(unit));
        let (left, steps) = (0, [leading * rows, leading * columns].map(|step| (step * dtype.size()) as u64));
        let (rows, columns, leading) = (rows as i64, columns as i64, leading as i64);
        let handle = self.on(stream)?;
        // SAFETY: the caller's promise; the factor outlives the calls, which read it at once.
        unsafe {
            for index in 0..batch as u64 {
                let (a, b) = (a + index * steps[0], b + index * steps[1]);
                macro_rules! solve {
                    ($function:ident) => {
                        self.table.$function(
                            handle.raw(),
                            left,
                            triangle,
                            NO_TRANSPOSE,
                            unit,
                            rows,
                            columns,
                            alpha,
                            a,
                            leading,
                            b,
                            leading,
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
const DEFAULT_ALGORITHM: i32 = -1;

/// Numbers of `cudaDataType_t`.
mod data {
    pub const R_32F: i32 = 0;
    pub const R_64F: i32 = 1;
    pub const R_16F: i32 = 2;
    pub const C_32F: i32 = 4;
    pub const C_64F: i32 = 5;
    pub const R_16BF: i32 = 14;
}

/// Numbers of `cublasComputeType_t`.
mod compute {
    pub const F16: i32 = 64;
    pub const F32: i32 = 68;
    pub const F64: i32 = 70;
    pub const F32_FAST_TF32: i32 = 77;
}

/// Data type, compute type and the type of the factors.
fn types(dtype: DType, wanted: ComputeType) -> Result<(i32, i32, DType)> {
    let types = match (dtype, wanted) {
        (DType::F16, ComputeType::Half) => (data::R_16F, compute::F16, DType::F16),
        (DType::F16, _) => (data::R_16F, compute::F32, DType::F32),
        (DType::BF16, _) => (data::R_16BF, compute::F32, DType::F32),
        (DType::F32, ComputeType::Tf32) => (data::R_32F, compute::F32_FAST_TF32, DType::F32),
        (DType::F32, _) => (data::R_32F, compute::F32, DType::F32),
        (DType::F64, _) => (data::R_64F, compute::F64, DType::F64),
        (DType::C64, ComputeType::Tf32) => (data::C_32F, compute::F32_FAST_TF32, DType::C64),
        (DType::C64, _) => (data::C_32F, compute::F32, DType::C64),
        (DType::C128, _) => (data::C_64F, compute::F64, DType::C128),
        _ => return Err(Error::unsupported("cuda", format!("matrix products of {dtype}"))),
    };
    Ok(types)
}

impl Blas for Cublas {
    unsafe fn gemm(&self, stream: &dyn Stream, gemm: &Gemm) -> Result<()> {
        let (data, compute, factor) = types(gemm.dtype, gemm.compute)?;
        let Some(Product { m, n, k, batch, a, b, c, alpha, beta }) = Product::of(gemm, factor) else { return Ok(()) };
        let handle = self.on(stream)?;
        // SAFETY: the caller promises matrices in device memory; the factors outlive the call, which reads them at once.
        unsafe {
            self.table.gemm(
                handle.raw(),
                a.transposed.into(),
                b.transposed.into(),
                m,
                n,
                k,
                alpha.bytes.as_ptr().cast(),
                a.ptr,
                data,
                a.leading,
                a.step,
                b.ptr,
                data,
                b.leading,
                b.step,
                beta.bytes.as_ptr().cast(),
                c.ptr,
                data,
                c.leading,
                c.step,
                batch,
                compute,
                DEFAULT_ALGORITHM,
            )
        }
    }
}
