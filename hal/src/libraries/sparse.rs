//! Products of sparse matrices, and triangular systems.

use super::Triangle;
use crate::{DType, Result, Scalar, Stream};

/// A sparse matrix in compressed sparse row form with sorted or unsorted columns.
///
/// Libraries trust what lies in its memory: offsets start with 0, do not fall and end with `stored`, and indices are at least 0
/// and less than `columns`. Callers have checked arrays that programs may have written to.
///
/// Another thread of the program may write to them after that check. A backend that reads them itself keeps what it loads inside.
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

/// What a library may do faster than kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SparseWork {
    /// Products with a vector.
    Vector,
    /// Products with a vector where most rows are short.
    ShortRows,
    /// Products with a dense matrix.
    Columns,
    /// Products of two sparse matrices.
    Product,
    /// Compression along the other axis.
    Transposition,
    /// Triangular systems.
    Triangle,
}

impl SparseWork {
    /// All of them, with their names.
    pub const ALL: [(&'static str, SparseWork); 6] = [
        ("vector", SparseWork::Vector),
        ("short rows", SparseWork::ShortRows),
        ("columns", SparseWork::Columns),
        ("product", SparseWork::Product),
        ("transposition", SparseWork::Transposition),
        ("triangle", SparseWork::Triangle),
    ];
}

/// Gives device memory of a size, at an address for which 256 is a divisor. It stays until the caller of the library has
/// dropped what the library returned.
pub type Scratch<'a> = dyn FnMut(usize) -> Result<u64> + 'a;

/// Products, transpositions and triangular systems of sparse matrices in float32, float64 and their complex types. Only
/// products with dense operands can be captured: the others wait for the device.
pub trait Sparse: Send + Sync {
    /// Whether benchmarks show it faster than kernels of segments and maps.
    fn is_faster(&self, work: SparseWork) -> bool;

    /// Scratch bytes that `spmm` needs.
    fn spmm_scratch_bytes(&self, product: &Spmm) -> Result<usize>;

    /// Queues a product.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes that the shapes imply, and hold what [`SparseMatrix`] says.
    unsafe fn spmm(&self, stream: &dyn Stream, product: &Spmm, scratch: u64) -> Result<()>;

    /// Multiplies two matrices of the same types, and writes the `a.rows + 1` row offsets of the product to `offsets`.
    ///
    /// # Safety
    /// As for [`Sparse::spmm`]; operands and scratch live until what is returned is dropped.
    unsafe fn multiply(
        &self,
        stream: &dyn Stream,
        a: &SparseMatrix,
        b: &SparseMatrix,
        offsets: u64,
        scratch: &mut Scratch<'_>,
    ) -> Result<Box<dyn SparseProduct>>;

    /// Queues the compression of `a` along its columns: `to` has its rows and columns swapped, and room for all elements.
    ///
    /// # Safety
    /// As for [`Sparse::spmm`]; scratch lives until the stream has come past it.
    unsafe fn transpose(
        &self,
        stream: &dyn Stream,
        a: &SparseMatrix,
        to: &SparseMatrix,
        scratch: &mut Scratch<'_>,
    ) -> Result<()>;

    /// Analyses a triangle of a square matrix, of which elements of the other triangle are not read; with `unit` its
    /// diagonal counts as ones.
    ///
    /// # Safety
    /// As for [`Sparse::spmm`]; the matrix and scratch live, unchanged, until what is returned is dropped.
    unsafe fn analyse(
        &self,
        stream: &dyn Stream,
        a: &SparseMatrix,
        triangle: Triangle,
        unit: bool,
        scratch: &mut Scratch<'_>,
    ) -> Result<Box<dyn SparseSubstitution>>;
}

/// A product whose size is known.
pub trait SparseProduct: Send {
    /// Elements of the product.
    fn stored(&self) -> usize;

    /// Writes columns and elements.
    ///
    /// # Safety
    /// The addresses are device memory for so many elements.
    unsafe fn write(&self, stream: &dyn Stream, indices: u64, values: u64) -> Result<()>;
}

/// An analysed triangle.
pub trait SparseSubstitution: Send + Sync {
    /// Queues the solution of a system: `b` and `x` are vectors, which may not overlap.
    ///
    /// # Safety
    /// The addresses are device memory for a vector each.
    unsafe fn solve(&self, stream: &dyn Stream, b: u64, x: u64) -> Result<()>;
}
