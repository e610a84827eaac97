//! Products of a dense matrix with one of which half of each group of elements is zero (structured sparsity), as the
//! vendors' libraries have them: descriptors, a selection of an algorithm, a plan. `core` does not use them; programs do.
//!
//! What a library keeps in a part is the library's: memory of [`OPAQUE_BYTES`], more than any version takes. A part gives
//! its resources back with its last user, of which the parts made of it are some. Types, attributes and algorithms are
//! the numbers of the library.

use std::sync::Arc;

use crate::{Result, Stream};

/// Bytes of a part. The versions that are known take 512, or 11024.
pub const OPAQUE_BYTES: usize = 16384;

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StructuredKind {
    /// Description of a matrix.
    Matrix,
    /// Description of a product.
    Product,
    /// A selection of an algorithm.
    Selection,
    /// A plan.
    Plan,
}

/// Something that the library made.
pub trait StructuredPart: Send + Sync {
    /// What it is.
    fn kind(&self) -> StructuredKind;

    /// Address of the library's data, in memory of the host.
    fn address(&self) -> u64;
}

/// A part and its users.
pub type SharedPart = Arc<dyn StructuredPart>;

/// A matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructuredMatrix {
    /// Rows.
    pub rows: i64,
    /// Columns.
    pub columns: i64,
    /// Distance between rows, or between columns.
    pub leading: i64,
    /// Bytes of which the address is a multiple.
    pub alignment: u32,
    /// Number of the element type.
    pub dtype: i32,
    /// Whether rows are contiguous, and not columns.
    pub row_major: bool,
    /// Number of the sparsity, if it is the sparse one.
    pub sparsity: Option<i32>,
}

/// Arithmetic inside a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructuredCompute {
    /// int32.
    I32,
    /// float16.
    F16,
    /// float32.
    F32,
}

/// `D = op(A) @ op(B)` with a factor, `C` with another, and what attributes add.
#[derive(Clone)]
pub struct StructuredProduct {
    /// Numbers of the operations: 0 for the matrix as it is, 1 transposed.
    pub operations: [i32; 2],
    /// The descriptions of `A`, `B`, `C` and `D`.
    pub matrices: [SharedPart; 4],
    /// Arithmetic.
    pub compute: StructuredCompute,
}

/// Addresses of a multiplication: factors in memory of the host, all else of the device.
#[derive(Clone, Copy, Debug)]
pub struct Multiplication {
    /// Factor of the product.
    pub alpha: u64,
    /// `A`, compressed if it is the sparse one.
    pub a: u64,
    /// `B`, likewise.
    pub b: u64,
    /// Factor of `C`.
    pub beta: u64,
    /// `C`.
    pub c: u64,
    /// `D`.
    pub d: u64,
    /// Scratch memory.
    pub workspace: u64,
}

/// What says how a sparse matrix lies in memory.
#[derive(Clone)]
pub enum SparseSide {
    /// A product, or a plan of one: its sparse matrix.
    Of(SharedPart),
    /// The description of the sparse matrix itself.
    Matrix {
        /// The description.
        matrix: SharedPart,
        /// Whether it stands on the left.
        is_left: bool,
        /// Number of the operation.
        operation: i32,
    },
}

/// The library for one device, with a handle of its own.
pub trait StructuredHandle: Send + Sync {
    /// Address of the library's data, in memory of the host.
    fn address(&self) -> u64;

    /// Version of the library, as major * 1000 + minor * 100 + patch level, or as it counts.
    fn version(&self) -> Result<i32>;

    /// Describes a matrix.
    fn matrix(&self, matrix: &StructuredMatrix) -> Result<SharedPart>;

    /// Describes a product.
    fn product(&self, product: &StructuredProduct) -> Result<SharedPart>;

    /// Selects an algorithm.
    fn selection(&self, product: &SharedPart, algorithm: i32) -> Result<SharedPart>;

    /// Prepares a product.
    fn plan(&self, product: &SharedPart, selection: &SharedPart) -> Result<SharedPart>;

    /// Sets an attribute of a part.
    ///
    /// # Safety
    /// `data` is memory of the host of `bytes`.
    unsafe fn set_attribute(&self, part: &SharedPart, attribute: i32, data: u64, bytes: usize) -> Result<()>;

    /// Reads an attribute of a part.
    ///
    /// # Safety
    /// As above.
    unsafe fn attribute(&self, part: &SharedPart, attribute: i32, data: u64, bytes: usize) -> Result<()>;

    /// Scratch bytes of a plan.
    fn workspace_bytes(&self, plan: &SharedPart) -> Result<usize>;

    /// Queues a multiplication; with `search` it waits, tries what algorithms there are, and changes the plan to the best.
    ///
    /// # Safety
    /// The addresses are memory of the sizes that the plan implies.
    unsafe fn multiply(
        &self,
        stream: &dyn Stream,
        plan: &SharedPart,
        addresses: &Multiplication,
        search: bool,
    ) -> Result<()>;

    /// Queues setting elements to zero so that a matrix has the structure.
    ///
    /// # Safety
    /// Both addresses are memory of the device for the matrix; they may be equal.
    unsafe fn prune(&self, stream: &dyn Stream, side: &SparseSide, src: u64, dst: u64, algorithm: i32) -> Result<()>;

    /// Queues a look at whether a matrix has the structure: `valid` becomes 0 if it does.
    ///
    /// # Safety
    /// `src` is memory of the device for the matrix, `valid` that of an int32.
    unsafe fn check(&self, stream: &dyn Stream, side: &SparseSide, src: u64, valid: u64) -> Result<()>;

    /// Bytes of a compressed matrix, and of the scratch memory for compressing.
    fn compressed_bytes(&self, side: &SparseSide) -> Result<(usize, usize)>;

    /// Queues compressing a matrix that has the structure.
    ///
    /// # Safety
    /// The addresses are memory of the device of the sizes that `compressed_bytes` says.
    unsafe fn compress(
        &self,
        stream: &dyn Stream,
        side: &SparseSide,
        dense: u64,
        compressed: u64,
        scratch: u64,
    ) -> Result<()>;
}

/// The library of a device.
pub trait Structured: Send + Sync {
    /// A handle.
    fn handle(&self) -> Result<Arc<dyn StructuredHandle>>;

    /// The library's name and words for a status.
    fn status_text(&self, status: i32) -> (String, String);
}
