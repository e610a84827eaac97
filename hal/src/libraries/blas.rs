//! Dense matrix products.

use crate::{DType, Result, Scalar, Stream};

/// A (stack of) matrices in memory; strides in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Address of the first element.
    pub ptr: u64,
    /// Distance between rows.
    pub row_stride: isize,
    /// Distance between columns.
    pub column_stride: isize,
    /// Distance between matrices of the stack; 0 repeats one matrix.
    pub batch_stride: isize,
}

/// Arithmetic inside a product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ComputeType {
    /// At least the precision of the operands; float16 and bfloat16 accumulate in float32.
    #[default]
    Default,
    /// TensorFloat-32 for float32 operands.
    Tf32,
    /// float16 accumulation for float16 operands.
    Half,
}

/// `c = alpha * a @ b + beta * c` for a stack of matrices.
#[derive(Clone, Copy, Debug)]
pub struct Gemm {
    /// Element type of all three operands: floating or complex.
    pub dtype: DType,
    /// Arithmetic.
    pub compute: ComputeType,
    /// Rows of `a` and `c`.
    pub m: usize,
    /// Columns of `b` and `c`.
    pub n: usize,
    /// Columns of `a`, rows of `b`. Zero is allowed: `c` is scaled by `beta`.
    pub k: usize,
    /// Number of products.
    pub batch: usize,
    /// Left operand, m x k.
    pub a: Matrix,
    /// Right operand, k x n.
    pub b: Matrix,
    /// Result, m x n.
    pub c: Matrix,
    /// Factor of the product, of type `dtype`.
    pub alpha: Scalar,
    /// Factor of the old content of `c`, of type `dtype`; with 0 the old content is not read.
    pub beta: Scalar,
}

/// Matrix products.
///
/// Contract: in every matrix one of the two inner strides is 1 and the other is at least the length of the dimension
/// that has stride 1 (a dimension of length 1 may have any stride, negative ones excluded); the caller copies what does
/// not fit. `c` does not overlap `a` or `b`.
pub trait Blas: Send + Sync {
    /// Queues a product.
    ///
    /// # Safety
    /// The matrices are device memory of the sizes that the shapes and strides reach.
    unsafe fn gemm(&self, stream: &dyn Stream, gemm: &Gemm) -> Result<()>;

    /// Whether the lines of an operand may overlap, as windows over a sequence do.
    fn takes_overlapping(&self) -> bool {
        false
    }
}
