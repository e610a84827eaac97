//! The libraries of a device behind traits: one file an area, each with its contract. [`Libraries`] is the table of those
//! that a device has: a row an interface, at the end of this file. A library only makes faster what `core` can do with
//! kernels, with few exceptions (products of matrices, solvers, transforms, sorting, random words), which every backend
//! that computes has.
//!
//! All calls are queued on the stream they are given. Pointers are device addresses. Strides are in elements here, as
//! the vendors count, not in bytes.

mod blas;
mod collectives;
mod direct_solver;
pub mod dnn;
mod fft;
mod library;
mod pairs;
mod primitives;
mod rng;
mod solver;
mod sparse;
mod sparse_solver;
mod structured;
mod tensors;

use std::sync::Arc;

pub use blas::{Blas, ComputeType, Gemm, Matrix};
pub use collectives::{Collectives, Communicator, ReduceOp};
pub use direct_solver::{DirectFactor, DirectSolver, Pivots};
pub use dnn::Dnn;
pub use fft::{Fft, FftDirection, FftKind, FftPlan, FftSpec};
pub use library::{Gate, Library};
pub use pairs::{Distances, Nearest, Pairs, Term};
pub use primitives::{
    Binning, Bits, Carried, Compaction, Distinct, Edges, Histogram, Joining, Packing, Piece, Ranking, Ranks, Search,
    Searching, Select, Sort, Sorted, Sorting,
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
pub use tensors::{Tensor, TensorCompute, TensorOperation, TensorPlan, TensorSpec, TensorWorkspace, Tensors};

use crate::{Device, Error, Result};

/// Declares the table: field and method, interface, and what a device without it does not support.
macro_rules! libraries {
    ($($(#[$doc:meta])* $name:ident: $interface:ident, $what:literal;)*) => {
        /// What a device has of libraries. A field is the library, if there is one; the method of its name gives it out.
        ///
        /// A backend names those that it has: `Libraries { blas: Library::new(open), ..Libraries::none("cpu") }`.
        #[derive(Debug)]
        pub struct Libraries {
            /// Name of the backend, for messages.
            pub backend: &'static str,
            $($(#[$doc])* pub $name: Library<dyn $interface>,)*
        }

        impl Libraries {
            /// The names of all interfaces.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The table of a device that has none.
            pub const fn none(backend: &'static str) -> Libraries {
                Libraries { backend, $($name: Library::none(),)* }
            }

            /// The table of a device in front of `inner`: the same libraries, given out while `gate` lets them pass.
            pub fn behind(gate: &Gate, inner: &Arc<dyn Device>) -> Libraries {
                let there = inner.libraries();
                Libraries {
                    backend: there.backend,
                    $($name: if there.$name.is_there() {
                        let inner = inner.clone();
                        Library::behind(gate, move || Ok(inner.libraries().$name.shared()?.expect("it was there").clone()))
                    } else {
                        Library::none()
                    },)*
                }
            }

            /// The names of the interfaces that the device has.
            pub fn names(&self) -> impl Iterator<Item = &'static str> {
                [$((stringify!($name), self.$name.is_there())),*].into_iter().filter_map(|(name, there)| there.then_some(name))
            }

            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// [`Error::Unsupported`] where the device has none, and those of opening it.
                pub fn $name(&self) -> Result<&dyn $interface> {
                    self.$name.find()?.ok_or_else(|| Error::unsupported(self.backend, $what))
                }
            )*
        }
    };
}

libraries! {
    /// Matrix products.
    blas: Blas, "matrix products";
    /// Dense factorisations and eigenvalues.
    solver: Solver, "dense solvers";
    /// Fourier transforms.
    fft: Fft, "Fourier transforms";
    /// Random words.
    rng: Rng, "random words";
    /// Sparse matrix products.
    sparse: Sparse, "sparse matrices";
    /// Sparse factorisations in host memory.
    sparse_solver: SparseSolver, "sparse solvers";
    /// Sparse factorisations in device memory.
    direct_solver: DirectSolver, "sparse solvers in device memory";
    /// Communication between devices.
    collectives: Collectives, "collective communication";
    /// Operations on tensors with labels.
    tensors: Tensors, "operations on tensors with labels";
    /// Products of matrices with structured sparsity.
    structured: Structured, "products of matrices with structured sparsity";
    /// Layers of neural networks.
    dnn: Dnn, "layers of neural networks";
    /// Sorting.
    sorting: Sorting, "sorting";
    /// Selecting by flags.
    compaction: Compaction, "selecting by flags";
    /// Counting by bins.
    binning: Binning, "counting by bins";
    /// Packing truth values into bits.
    packing: Packing, "packing truth values into bits";
    /// Joining of pieces.
    joining: Joining, "joining of pieces";
    /// Searching sorted arrays.
    searching: Searching, "searching sorted arrays";
    /// Distances of pairs of rows.
    pairs: Pairs, "distances of pairs of rows";
    /// Selecting the distinct ones of sorted elements.
    distinct: Distinct, "selecting distinct elements";
    /// Elements of a rank in windows.
    ranking: Ranking, "ranks in windows";
}
