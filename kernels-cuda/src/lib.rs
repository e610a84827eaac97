//! CUDA C++ sources: the dialect of generated kernels and the hand-written primitives.
#![deny(missing_docs)]

use cuproxide_cpp::Dialect;

/// The names that generated kernels and the primitives are written in.
pub const PRELUDE: &str = include_str!("prelude.cuh");

/// Indivisible updates.
pub const ATOMICS: &str = include_str!("atomics.cuh");

/// The CUDA dialect.
pub const DIALECT: Dialect = Dialect { name: "cuda", prelude: PRELUDE, atomics: ATOMICS, warp: 32 };

/// What the primitives need besides [`PRELUDE`], which goes before it.
pub const WARP: &str = include_str!("warp.cuh");

/// The radix sort, to be compiled after [`WARP`] and the definitions that its first lines ask for.
pub const SORT: &str = include_str!("sort.cuh");

/// Factorisations of one matrix a block, to be compiled after [`PRELUDE`] and the definitions that its first lines ask
/// for.
pub const DENSE: &str = include_str!("dense.cuh");

/// Schur forms, to be compiled after [`DENSE`].
pub const SCHUR: &str = include_str!("schur.cuh");

/// Selecting by flags, to be compiled after [`WARP`].
pub const SELECT: &str = include_str!("select.cuh");

/// Counting by bins, to be compiled after [`WARP`] and the definitions that its first lines ask for.
pub const HISTOGRAM: &str = include_str!("histogram.cuh");

/// Joining of pieces, to be compiled after [`WARP`].
pub const JOIN: &str = include_str!("join.cuh");
