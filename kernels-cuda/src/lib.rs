//! CUDA C++ sources: the dialect of generated kernels and the hand-written primitives.
#![deny(missing_docs)]

use cuproxide_cpp::Dialect;

/// The names that generated kernels and the primitives are written in.
pub const PRELUDE: &str = include_str!("prelude.cuh");

/// Indivisible updates.
pub const ATOMICS: &str = include_str!("atomics.cuh");

/// The CUDA dialect.
pub const DIALECT: Dialect = Dialect { name: "cuda", prelude: PRELUDE, atomics: ATOMICS, warp: 32 };
