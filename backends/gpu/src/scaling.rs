//! Solvers of libraries that square elements as they are: what LAPACK does about the range of numbers is done around them.
//!
//! A matrix is divided by a power of two near its largest element, and what comes out is multiplied by it again (LAPACK's
//! `gesvd` and `syev` do so where squares would be out of range). Its elements move by a unit in their last place or two,
//! which is below the error of the result, so that no matrix of equal rows is reduced to squares of few bits. A Hermitian
//! matrix with a NaN is all NaN, beside which no library finds numbers. Without, rocSOLVER's eigenvalues of
//! `[[NaN, 1], [1, 2]]` are -1.414 and 1.414, those of float32 about 1e-18 are wrong, and singular vectors of
//! `ones((4, 4), float32)` are orthogonal to 0.006.

use cuproxide_hal::libraries::{Solver, SolverOp, SolverSpec, Triangle};
use cuproxide_hal::{Result, Stream};

use crate::dense::{Argument, Dense, Step};

/// Whether an operation squares elements.
pub(crate) fn squares(op: SolverOp) -> bool {
    matches!(op, SolverOp::Svd(_) | SolverOp::EigenHermitian(..) | SolverOp::Qr)
}

/// Bytes of the columns' largest elements, before the library's scratch.
pub(crate) fn bytes(spec: &SolverSpec) -> usize {
    (spec.batch * spec.n * spec.dtype.real().size()).next_multiple_of(256)
}

/// A library with the kernels that help it.
pub(crate) struct Range<'s> {
    pub dense: &'s Dense,
    pub library: &'s dyn Solver,
}

impl Range<'_> {
    /// Queues an operation that squares elements.
    ///
    /// # Safety
    /// As for `Solver::run`; the scratch has [`bytes`] more than the library's.
    pub unsafe fn run(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        a: u64,
        operands: &[u64],
        info: u64,
        scratch: u64,
    ) -> Result<()> {
        let part = match spec.op {
            SolverOp::EigenHermitian(_, Triangle::Lower) => 1,
            SolverOp::EigenHermitian(_, Triangle::Upper) => 2,
            _ => 0,
        };
        // Beside reflections the triangle above them is multiplied, else values.
        let values = if spec.op == SolverOp::Qr { 0 } else { operands[0] };
        let (m, n) = (spec.m as u64, spec.n as u64);
        let argument = Argument { a, b: scratch, c: values, info, m, n, count: part, upper: 0, unit: 0 };
        // SAFETY: the caller's promise; the largest elements have their place in the scratch.
        unsafe {
            self.dense.step_with(stream, spec, Step::Largest, argument)?;
            self.dense.step_with(stream, spec, Step::Scale, argument)?;
            self.library.run(stream, spec, a, operands, info, scratch + bytes(spec) as u64)?;
            self.dense.step_with(stream, spec, Step::Restore, argument)
        }
    }
}
