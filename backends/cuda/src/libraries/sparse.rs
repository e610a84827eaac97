//! Opens cuSPARSE, and says what it is used for.

use std::sync::Arc;

use cuproxide_gpu::api::sparse::SparseTable;
use cuproxide_gpu::loader::Wanted;
use cuproxide_gpu::{Driver, GpuSparse, Primary};
use cuproxide_hal::Result;
use cuproxide_hal::libraries::{Sparse, SparseWork};

use crate::places;

/// cuSPARSE.
pub(crate) const WANTED: Wanted = Wanted {
    name: "cuSPARSE",
    sonames: &["libcusparse.so.12"],
    wheel: "cusparse",
    probe: "cusparseCreate",
    hint: "pip install nvidia-cusparse (CUDA 13) or nvidia-cusparse-cu12 (CUDA 12)",
};

/// What cuSPARSE computed faster than our kernels on an H100, as measured in CuPy, which calls it. Our kernels are
/// faster for rows of few elements, for dense operands with many columns and for transpositions.
const FASTER: &[SparseWork] = &[SparseWork::Vector, SparseWork::Product, SparseWork::Triangle];

/// Opens the library.
pub(crate) fn open(driver: &'static Driver, primary: Primary) -> Result<Arc<dyn Sparse>> {
    let table = SparseTable::new(places::of_process().open(&WANTED)?);
    Ok(Arc::new(GpuSparse::new(table, driver, primary, FASTER)?))
}
