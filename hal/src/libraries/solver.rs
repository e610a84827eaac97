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

/// Which singular vectors are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SingularVectors {
    /// None.
    None,
    /// As many left vectors as there are singular values.
    Thin,
    /// A full basis of left vectors.
    Full,
}

/// An operation on an `m` x `n` matrix `a`, with its further operands in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SolverOp {
    /// Cholesky factor of a triangle, in place; the other one is not read, and what is zero in it stays so. `m == n`, no
    /// operands.
    Cholesky(Triangle),
    /// LU with partial pivoting, in place. Operand: `min(m, n)` int64 pivots, rows counted from 1 as LAPACK does.
    Lu,
    /// Solves for `n` right-hand sides. `a` holds the `m` x `m` factors of [`SolverOp::Lu`] and is only read. Operands:
    /// the pivots; the right-hand sides, `m` x `n`, that the solutions replace.
    LuSolve,
    /// Solves for `n` right-hand sides with the `m` x `m` matrix `a`, which is destroyed. Operands: `m` int64 of
    /// scratch for pivots; the right-hand sides, `m` x `n`, that the solutions replace. The info is that of
    /// [`SolverOp::Lu`]; of a singular matrix the solutions are unspecified, as a rule infinite or NaN.
    Solve,
    /// The inverse of the `m` x `m` matrix `a`, which is destroyed. Operands: `m` int64 of scratch for pivots; the inverse.
    /// The info is that of [`SolverOp::Lu`]; of a singular matrix the inverse is unspecified. `m == n`.
    Inverse,
    /// Solves for `n` right-hand sides with a triangle of the `m` x `m` matrix `a`, which is only read; with `true` its
    /// diagonal counts as ones. Operand: the right-hand sides, `m` x `n`, that the solutions replace. A zero on the
    /// diagonal is no failure: the solutions are infinite or NaN.
    SolveTriangular(Triangle, bool),
    /// QR by Householder reflections, in place. Operand: `min(m, n)` factors `tau` of the element type.
    Qr,
    /// The first `n <= m` columns of the unitary factor, in place of as many (at most `n`) reflections as this number
    /// says, which lie in the leading columns of `a`. Operand: their `tau`.
    QrVectors(usize),
    /// Singular values; `m >= n`, `a` is destroyed. Operands: `n` real values, descending; with vectors the left ones,
    /// `m` x `n` or `m` x `m`, and the adjoint of the right ones, `n` x `n`.
    Svd(SingularVectors),
    /// Eigenvalues of a Hermitian matrix given by a triangle, with vectors in place if `true`; without, `a` is
    /// destroyed. Operand: `n` real values, ascending.
    EigenHermitian(bool, Triangle),
    /// Eigenvalues of a real symmetric tridiagonal matrix, ascending, in place of its `n` diagonal elements; `m == 1`.
    /// Operand: the `n - 1` elements beside them, which are destroyed. Only where [`Solver::has`] says so: other devices find
    /// each value by a bisection of its own.
    EigenTridiagonal,
    /// Eigenvalues of a general matrix, with right vectors of length 1 if `true`; `a` is destroyed. Operands: `n` complex
    /// values; with vectors `n` x `n` of the element type, where a real matrix has the real and imaginary parts of the
    /// vector of each first value of a conjugate pair in two neighbouring columns.
    Eigen(bool),
    /// Hessenberg form `h` with `a = q h q'`, in place, zeros below the subdiagonal. `m == n`. Operand: `q`, `n` x `n`.
    Hessenberg,
    /// Schur form `t` with `a = z t z'`, in place: triangular, of a real matrix with 2 x 2 blocks on the diagonal for
    /// pairs of complex eigenvalues, in standard form (equal diagonal, the others of opposite signs). `m == n`. Operand:
    /// `z`, `n` x `n`.
    Schur,
}

/// A batch of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SolverSpec {
    /// What to compute.
    pub op: SolverOp,
    /// Element type: float32, float64, complex64 or complex128.
    pub dtype: DType,
    /// Rows, not zero.
    pub m: usize,
    /// Columns, not zero.
    pub n: usize,
    /// Number of matrices.
    pub batch: usize,
}

/// Dense solvers.
///
/// Contract: matrices are column-major and contiguous, and so are the batches of every operand. `info` is device memory
/// of `batch` int32 that receives LAPACK's info values (0 success, positive a failure of the numbers); reading them is
/// the caller's business.
pub trait Solver: Send + Sync {
    /// Scratch bytes of device memory that `run` needs.
    fn scratch_bytes(&self, spec: &SolverSpec) -> Result<usize>;

    /// Queues an operation on the matrices at `a`.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes that `spec` implies; `operands` are those that the operation lists.
    unsafe fn run(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        a: u64,
        operands: &[u64],
        info: u64,
        scratch: u64,
    ) -> Result<()>;

    /// Whether [`run`](Solver::run) only queues work, so that a stream can capture it.
    fn is_capturable(&self, spec: &SolverSpec) -> bool {
        let _ = spec;
        true
    }

    /// Whether there is an operation that devices may lack.
    fn has(&self, op: SolverOp) -> bool {
        op != SolverOp::EigenTridiagonal
    }

    /// Side of matrices from which on singular vectors come sooner by way of the polar decomposition, which is made of
    /// products, than by [`SolverOp::Svd`].
    fn polar_from(&self) -> Option<usize> {
        None
    }

    /// Rows from which on sums along the columns of a matrix in single precision lose more digits than a factorisation should:
    /// such a matrix is factorised in double precision.
    fn double_from(&self) -> Option<usize> {
        None
    }

    /// How many times as fast as one thread of a kernel, in operations of a factorisation, this solver is with a whole
    /// matrix: what decides whether a band is worked off by such a thread or spread out.
    fn dense_advantage(&self) -> usize {
        10_000
    }

    /// Side of matrices from which on a lower Cholesky factor of columns is made so much sooner than an upper one that it is
    /// worth a transposition.
    fn lower_from(&self) -> Option<usize> {
        None
    }
}
