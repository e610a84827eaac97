//! Matrix products.

use cuproxide_hal::libraries::{Blas, Gemm};
use cuproxide_hal::{Error, Result, Stream};

/// Products through `faer` and `gemm`.
pub struct CpuBlas;

impl Blas for CpuBlas {
    unsafe fn gemm(&self, _stream: &dyn Stream, _gemm: &Gemm) -> Result<()> {
        Err(Error::unsupported("cpu", "products"))
    }
}
