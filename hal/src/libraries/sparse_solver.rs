//! Sparse factorisations, which are computed on the host whatever the device is.
//!
//! Each has a symbolic phase, which needs the pattern alone, and a numeric one, which is repeated for other values.
//! Numbers are double precision; complex ones are pairs of neighbours.

use std::sync::Arc;

use crate::Result;

/// The pattern of a square matrix on the host, in compressed sparse column form with sorted rows and no duplicates.
#[derive(Clone, Copy, Debug)]
pub struct SparsePattern<'a> {
    /// Rows and columns.
    pub order: usize,
    /// `order + 1` offsets of the columns.
    pub offsets: &'a [usize],
    /// The row of each element.
    pub rows: &'a [usize],
}

/// The elements of a matrix or of right-hand sides.
#[derive(Clone, Copy, Debug)]
pub enum SparseValues<'a> {
    /// Real numbers.
    Real(&'a [f64]),
    /// Real and imaginary parts in turns.
    Complex(&'a [f64]),
}

/// How a matrix is factored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SparseMethod {
    /// `L L'` of a Hermitian positive definite matrix, of which the lower triangle is read.
    Cholesky,
    /// `P A Q = L U` with partial pivoting.
    Lu,
}

/// Which matrix a solution is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SparseForm {
    /// The matrix itself.
    Plain,
    /// Its transpose.
    Transposed,
    /// Its conjugate transpose.
    Adjoint,
}

/// How columns are ordered before an explicit factorisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SparseOrdering {
    /// As they are.
    Natural,
    /// Approximate minimum degree of `A + A'`.
    Symmetric,
    /// Column approximate minimum degree, for `A' A`.
    Columns,
}

/// Options of an explicit factorisation.
#[derive(Clone, Copy, Debug)]
pub struct ExplicitLu {
    /// Order of the columns.
    pub ordering: SparseOrdering,
    /// The element on the diagonal is the pivot if it is at least this share of the largest one in its column.
    pub threshold: f64,
    /// Elements below this share of the largest one of their column in the matrix are dropped; 0 keeps all.
    pub drop: f64,
    /// Most elements of a column of either factor, as a multiple of the average in the matrix; infinite for no limit.
    pub fill: f64,
}

/// A triangular factor in compressed sparse column form with sorted rows.
#[derive(Clone, Debug, Default)]
pub struct SparseTriangle {
    /// Offsets of the columns.
    pub offsets: Vec<usize>,
    /// The row of each element.
    pub rows: Vec<usize>,
    /// The elements, in pairs if they are complex.
    pub values: Vec<f64>,
}

/// `A[rows, columns] = L U`: row `i` of the product is row `rows[i]` of the matrix.
#[derive(Clone, Debug, Default)]
pub struct LuParts {
    /// The unit lower triangle.
    pub lower: SparseTriangle,
    /// The upper triangle.
    pub upper: SparseTriangle,
    /// The row of the matrix for each row of the product.
    pub rows: Vec<usize>,
    /// The column of the matrix for each column of the product.
    pub columns: Vec<usize>,
}

/// Direct solvers of sparse systems.
pub trait SparseSolver: Send + Sync {
    /// The symbolic phase.
    fn analyse(&self, pattern: &SparsePattern<'_>, method: SparseMethod) -> Result<Arc<dyn SparseSymbolic>>;

    /// Factors as they are, complete or incomplete; `None` if the matrix is singular.
    fn explicit(
        &self,
        pattern: &SparsePattern<'_>,
        values: SparseValues<'_>,
        options: &ExplicitLu,
    ) -> Result<Option<LuParts>>;
}

/// What the pattern alone decides.
pub trait SparseSymbolic: Send + Sync {
    /// The numeric phase, for a matrix with the pattern that was analysed. `None` if it has no such factors: it is singular,
    /// or not positive definite.
    fn factor(
        self: Arc<Self>,
        pattern: &SparsePattern<'_>,
        values: SparseValues<'_>,
    ) -> Result<Option<Arc<dyn SparseFactor>>>;
}

/// Factors of a matrix.
pub trait SparseFactor: Send + Sync {
    /// Replaces right-hand sides, which lie one after another, by solutions. They are complex if the matrix is.
    fn solve(&self, form: SparseForm, right: &mut [f64]) -> Result<()>;
}
