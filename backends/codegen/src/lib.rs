//! Kernel IR to C++ text, for every device whose compiler speaks a dialect of CUDA C++.
//!
//! A [`Program`] is the text of one kernel for one [`Specialization`](cuproxide_hal::Specialization), together with
//! what a backend needs to launch it: how the single by-value argument is laid out and how large the grids are. The
//! text is made of three parts: the dialect's prelude, code generated from the IR (`emit`), and a hand-written skeleton
//! (`skeletons/`) that walks the iteration space and calls the generated code. A [`Dialect`] holds all that differs
//! between vendors, so a new one costs a prelude and no code here.
#![deny(missing_docs)]

mod analysis;
pub mod cache;
mod emit;
mod halves;
pub mod headers;
pub mod passed;
mod plan;
mod program;
mod rows;
pub mod samples;
mod segments;
mod shape;
mod sides;
mod visit;
mod words;

pub use plan::{Plan, Step};
pub use program::{CHOICE, LIBRARY, Program};
pub use words::{MAX_WORDS, ROW_BYTES, THREADS};

/// What differs between the vendors' dialects of C++.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Short name for messages, such as `cuda`.
    pub name: &'static str,
    /// Type names, qualifiers, shuffles, barriers and conversions: the names that the skeletons use.
    pub prelude: &'static str,
    /// Indivisible updates, added to kernels that need them.
    pub atomics: &'static str,
    /// The logarithm of 1 + x in float64, added to kernels that need it.
    pub logarithm: &'static str,
    /// Threads that run in lock step.
    pub warp: u32,
}
