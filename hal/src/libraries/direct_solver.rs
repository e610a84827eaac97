//! Direct solvers of sparse systems that lie in device memory. Like [`SparseSolver`](super::SparseSolver), of host memory,
//! they have a symbolic and a numeric phase. They pivot inside parts of the matrix only and replace pivots that are too
//! small, so callers look at [`Pivots`] and at residuals before they trust a solution.

use super::{SparseForm, SparseMatrix, SparseMethod};
use crate::{Result, Stream};

/// What a numeric factorisation says of its pivots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pivots {
    /// How many were replaced because they were too small, or, for Cholesky, not positive.
    pub replaced: u64,
    /// The least and the greatest absolute value, where the library tells them.
    pub range: Option<(f64, f64)>,
}

/// Direct solvers of systems in float32, float64 and their complex types, with indices of int32 or int64. None of the calls
/// can be captured, and all wait for the device but solving.
pub trait DirectSolver: Send + Sync {
    /// Whether benchmarks show it faster than factors of the host for a matrix of so many rows; `again` if its pattern comes
    /// again, so that analysing it pays off.
    fn is_faster(&self, order: usize, again: bool) -> bool;

    /// The symbolic phase for a square matrix, whose columns are sorted in each row, without duplicates. Its elements may be
    /// looked at, to find large ones for the diagonal. For Cholesky both triangles are stored.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes that the shape implies, and hold what [`SparseMatrix`] says. Offsets and indices live, unchanged, until what
    /// is returned is dropped.
    unsafe fn analyse(
        &self,
        stream: &dyn Stream,
        a: &SparseMatrix,
        method: SparseMethod,
    ) -> Result<Box<dyn DirectFactor>>;
}

/// A matrix that was analysed, and its factors.
pub trait DirectFactor: Send + Sync {
    /// The numeric phase, for elements in the pattern that was analysed. Called again, it replaces the factors.
    ///
    /// # Safety
    /// The address is device memory of all elements, which live, unchanged, as long as the factors do.
    unsafe fn factor(&self, stream: &dyn Stream, values: u64) -> Result<Pivots>;

    /// Elements of the factors, once the pattern is analysed.
    fn stored(&self) -> Result<usize>;

    /// Queues the solution for right-hand sides that lie one after another.
    ///
    /// # Safety
    /// The matrix is factored. The addresses are device memory of so many vectors each, and do not overlap.
    unsafe fn solve(&self, stream: &dyn Stream, form: SparseForm, columns: usize, b: u64, x: u64) -> Result<()>;
}
