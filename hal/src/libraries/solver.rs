//! Dense factorisations, linear systems and eigenvalues.

use crate::{DType, Result, Stream};

/// Which triangle of a symmetric or triangular matrix is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Triangle {
    /// The lower triangle.
    Lower,
    /// The upper triangle.
    Upper,
}

/// A factorisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Factorization {
    /// Cholesky, in place.
    Cholesky(Triangle),
    /// LU with partial pivoting, in place; pivots are int32, counted from 1 as LAPACK does.
    Lu,
    /// QR by Householder reflections, in place, with the factors `tau`.
    Qr,
    /// Singular values, with vectors if `true`.
    Svd(bool),
    /// Eigenvalues of a Hermitian matrix, ascending, with vectors in place if `true`.
    EigenHermitian(bool, Triangle),
    /// Eigenvalues of a general matrix, with right vectors if `true`.
    Eigen(bool),
}

/// A batch of factorisations of column-major matrices that lie one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SolverSpec {
    /// What to compute.
    pub factorization: Factorization,
    /// Element type: float32, float64, complex64 or complex128.
    pub dtype: DType,
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// Number of matrices.
    pub batch: usize,
}

/// Factorisations.
///
/// Contract: matrices are column-major and contiguous. `outputs` are the addresses of the results in LAPACK's order.
/// `info` is device memory of `batch` int32 that receives LAPACK's info values; reading them is the caller's business.
pub trait Solver: Send + Sync {
    /// Scratch bytes that `factor` needs.
    fn scratch_bytes(&self, spec: &SolverSpec) -> Result<usize>;

    /// Queues a factorisation of the matrices at `a`.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes that `spec` implies.
    unsafe fn factor(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        a: u64,
        outputs: &[u64],
        info: u64,
        scratch: u64,
    ) -> Result<()>;
}
