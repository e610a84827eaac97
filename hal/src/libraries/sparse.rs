//! Sparse matrix products.

use crate::{DType, Result, Scalar, Stream};

/// A sparse matrix in compressed sparse row form with sorted or unsorted columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparseMatrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Stored elements.
    pub stored: usize,
    /// Element type of `values`.
    pub dtype: DType,
    /// Integer type of `offsets` and `indices`: int32 or int64.
    pub index_dtype: DType,
    /// Address of `rows + 1` row offsets.
    pub offsets: u64,
    /// Address of the column indices.
    pub indices: u64,
    /// Address of the values.
    pub values: u64,
}

/// `c = alpha * a @ b + beta * c` with sparse `a` and dense row-major `b` and `c` of `n` columns.
#[derive(Clone, Copy, Debug)]
pub struct Spmm {
    /// The sparse operand.
    pub a: SparseMatrix,
    /// Columns of `b` and `c`; 1 for a vector.
    pub n: usize,
    /// Address of the dense operand.
    pub b: u64,
    /// Address of the result.
    pub c: u64,
    /// Factor of the product.
    pub alpha: Scalar,
    /// Factor of the old content of `c`.
    pub beta: Scalar,
}

/// Sparse products.
pub trait Sparse: Send + Sync {
    /// Scratch bytes that `spmm` needs.
    fn spmm_scratch_bytes(&self, product: &Spmm) -> Result<usize>;

    /// Queues a product.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes that the shapes imply.
    unsafe fn spmm(&self, stream: &dyn Stream, product: &Spmm, scratch: u64) -> Result<()>;
}
