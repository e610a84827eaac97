//! Sorting.

use cuproxide_hal::libraries::{Primitives, Sort};
use cuproxide_hal::{Error, Result, Stream};

/// Algorithms of the CPU.
pub struct CpuPrimitives;

impl Primitives for CpuPrimitives {
    fn sort_scratch_bytes(&self, _sort: &Sort) -> usize {
        0
    }

    unsafe fn sort(&self, _stream: &dyn Stream, _sort: &Sort) -> Result<()> {
        Err(Error::unsupported("cpu", "sorting"))
    }
}
