//! Device algorithms that are not a map, a reduction or a scan.

use crate::{DType, Result, Stream};

/// A sort of the rows of a contiguous matrix.
///
/// Order is NumPy's: NaN last, complex numbers lexicographically with NaN rules of `numpy.sort`, -0.0 equal to 0.0.
/// The sort is stable.
#[derive(Clone, Copy, Debug)]
pub struct Sort {
    /// Element type of the keys.
    pub dtype: DType,
    /// Number of rows.
    pub rows: usize,
    /// Elements of a row.
    pub length: usize,
    /// Address of the keys, rows x length, contiguous; not changed.
    pub keys: u64,
    /// Where the sorted keys go, or 0 if only the indices are wanted.
    pub sorted: u64,
    /// Where the int64 indices within the row go, or 0 if only the keys are wanted.
    pub indices: u64,
    /// Scratch memory of [`Primitives::sort_scratch_bytes`] bytes, aligned to 256.
    pub scratch: u64,
}

/// Sorting; more to come (histogram, partition).
pub trait Primitives: Send + Sync {
    /// Scratch bytes that `sort` needs.
    fn sort_scratch_bytes(&self, sort: &Sort) -> usize;

    /// Queues a sort.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes stated in [`Sort`] and do not overlap.
    unsafe fn sort(&self, stream: &dyn Stream, sort: &Sort) -> Result<()>;
}
