//! The vendor libraries behind traits: one file an area, each with its contract.
//!
//! All calls are queued on the stream they are given. Pointers are device addresses. Strides are in elements here, as
//! the vendors count, not in bytes.

mod blas;
mod collectives;
mod fft;
mod primitives;
mod rng;
mod solver;
mod sparse;

pub use blas::{Blas, ComputeType, Gemm, Matrix};
pub use collectives::{Collectives, Communicator, ReduceOp};
pub use fft::{Fft, FftDirection, FftKind, FftPlan, FftSpec};
pub use primitives::{
    Binning, Compaction, Distinct, Edges, Histogram, Joining, Piece, Primitives, RandomWords, Search, Searching,
    Select, Sort, Sorted,
};
pub use rng::{Rng, RngDistribution, RngGenerator, RngKind};
pub use solver::{SingularVectors, Solver, SolverOp, SolverSpec, Triangle};
pub use sparse::{Sparse, SparseMatrix, Spmm};
