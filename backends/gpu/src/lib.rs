//! What the GPU backends share: devices, memory, streams, events, graphs, modules, kernels on disk, hand-written
//! primitives.
//!
//! The vendors' drivers and run-time compilers are alike, call by call. So there is one table of functions in the shape
//! of CUDA's ([`Driver`], [`Rtc`]), which a vendor's backend fills: with CUDA's own functions, or with functions of the
//! same signature that call what corresponds. All else that tells vendors apart is plain data, a [`Vendor`]. Calls go
//! through addresses of functions either way, so sharing costs nothing.
//!
//! Status codes stay integers throughout, since a newer driver may return codes that no header known here lists.
#![deny(missing_docs)]

pub mod api;
mod backend;
pub mod blas;
pub mod choices;
mod collectives;
pub mod compiler;
mod context;
mod dense;
mod device;
mod elf;
pub mod fft;
pub mod graph;
pub mod handles;
mod images;
mod included;
mod kernel;
pub mod layers;
pub mod loader;
pub mod own_handle;
mod pack;
mod peers;
mod precompile;
mod primitives;
mod random;
pub mod registers;
pub mod routes;
mod scaling;
mod small_matrices;
pub mod solver;
mod sparse;
mod staging;
mod stream;
pub mod structured;
pub mod substitution;
mod system;
mod target;
pub mod tensors;
mod unfinished;
mod vendor;

pub use api::driver::Driver;
pub use api::random::Sequences;
pub use api::rtc::Rtc;
pub use backend::GpuBackend;
pub use collectives::GpuCollectives;
pub use context::Primary;
pub use dense::Dense;
pub use precompile::hand_written;
pub use sparse::GpuSparse;
pub use target::{Choice, Compiler, Serves, Target};
pub use vendor::{UserText, Vendor};
