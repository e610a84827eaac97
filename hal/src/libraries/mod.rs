//! The libraries of a device behind traits: one file an area, each with its contract. [`Libraries`] is the table of those
//! that a device has. A library only makes faster what `core` can do with kernels, with few exceptions (products of
//! matrices, solvers, transforms, sorting, random words), which every backend that computes has.
//!
//! All calls are queued on the stream they are given. Pointers are device addresses. Strides are in elements here, as
//! the vendors count, not in bytes.

mod blas;
mod collectives;
mod direct_solver;
pub mod dnn;
mod fft;
mod pairs;
mod primitives;
mod rng;
mod solver;
mod sparse;
mod sparse_solver;
mod structured;
mod table;
mod tensors;

pub use blas::{Blas, ComputeType, Gemm, Matrix};
pub use collectives::{Collectives, Communicator, ReduceOp};
pub use direct_solver::{DirectFactor, DirectSolver, Pivots};
pub use dnn::Dnn;
pub use fft::{Fft, FftDirection, FftKind, FftPlan, FftSpec};
pub use pairs::{Distances, Nearest, Pairs, Term};
pub use primitives::{
    Binning, Carried, Compaction, Distinct, Edges, Histogram, Joining, Piece, Ranking, Ranks, Search, Searching,
    Select, Sort, Sorted, Sorting,
};
pub use rng::{Rng, Sequence, SequenceKind, SequenceSpec};
pub use solver::{SingularVectors, Solver, SolverOp, SolverSpec, Triangle};
pub use sparse::{Scratch, Sparse, SparseMatrix, SparseProduct, SparseSubstitution, SparseWork, Spmm};
pub use sparse_solver::{
    ExplicitLu, LuParts, SparseFactor, SparseForm, SparseMethod, SparseOrdering, SparsePattern, SparseSolver,
    SparseSymbolic, SparseTriangle, SparseValues,
};
pub use structured::{
    Multiplication, OPAQUE_BYTES, SharedPart, SparseSide, Structured, StructuredCompute, StructuredHandle,
    StructuredKind, StructuredMatrix, StructuredPart, StructuredProduct,
};
pub use table::{Gate, Libraries, Library};
pub use tensors::{Tensor, TensorCompute, TensorOperation, TensorPlan, TensorSpec, TensorWorkspace, Tensors};
