//! CUDA C++ sources: the dialect of generated kernels and the hand-written primitives, whose texts take every dialect.
#![deny(missing_docs)]

use cuproxide_codegen::Dialect;

/// The names that generated kernels and the primitives are written in: the dialect's own, then those of every dialect.
pub const PRELUDE: &str = concat!(include_str!("prelude.cuh"), "\n", include_str!("common.cuh"));

/// Indivisible updates.
pub const ATOMICS: &str = include_str!("atomics.cuh");

/// The logarithm of 1 + x in float64, of which an inverse is good to 20 bits.
pub const LOGARITHM: &str = concat!(include_str!("inverse.cuh"), "\n", include_str!("logarithm.cuh"));

/// The CUDA dialect.
pub const DIALECT: Dialect =
    Dialect { name: "cuda", prelude: PRELUDE, atomics: ATOMICS, logarithm: LOGARITHM, warp: 32 };

/// What the primitives need besides [`PRELUDE`], which goes before it.
pub const WARP: &str = include_str!("warp.cuh");

/// The radix sort, to be compiled after [`WARP`] and the definitions that its first lines ask for.
pub const SORT: &str = include_str!("sort.cuh");

/// Elements of matrices, to be compiled after [`PRELUDE`] and the definitions that its first lines ask for.
pub const ELEMENT: &str = include_str!("element.cuh");

/// Factorisations of one matrix a block, to be compiled after [`ELEMENT`] and the definitions that its first lines ask for.
pub const DENSE: &str = include_str!("dense.cuh");

/// Small matrices of large stacks, to be compiled after [`ELEMENT`].
pub const SMALL_MATRICES: &str = include_str!("small_matrices.cuh");

/// Matrices and results for libraries that square elements as they are, to be compiled after [`DENSE`].
pub const SCALING: &str = include_str!("scaling.cuh");

/// Schur forms, to be compiled after [`DENSE`].
pub const SCHUR: &str = include_str!("schur.cuh");

/// Eigenvalues and vectors of general matrices, to be compiled after [`SCHUR`].
pub const EIGEN: &str = include_str!("eigen.cuh");

/// Selecting by flags, to be compiled after [`WARP`].
pub const SELECT: &str = include_str!("select.cuh");

/// Selecting the distinct ones of sorted elements, to be compiled after [`WARP`] and the definitions that its first lines
/// ask for.
pub const DISTINCT: &str = include_str!("distinct.cuh");

/// Counting by bins, to be compiled after [`WARP`] and the definitions that its first lines ask for.
pub const HISTOGRAM: &str = include_str!("histogram.cuh");

/// Searching sorted arrays, to be compiled after [`WARP`] and the definitions that its first lines ask for.
pub const SEARCH: &str = include_str!("search.cuh");

/// Joining of pieces, to be compiled after [`WARP`].
pub const JOIN: &str = include_str!("join.cuh");

/// Elements of a rank in windows, to be compiled after [`WARP`].
pub const RANKS: &str = include_str!("ranks.cuh");

/// Random words.
pub const RANDOM: &str = include_str!("random.cuh");
