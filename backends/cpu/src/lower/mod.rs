//! From kernel IR to machine code: legalisation, Cranelift, and the signatures that the drivers call.
//!
//! One function runs a rectangle of the iteration space ([`Span`]). Its code keeps every IR value as a [`group::Group`]:
//! one scalar, or the 128-bit registers that hold the value at several neighbouring points. The same emitter writes the
//! vector loop and the scalar one, so both compute the same bits. Straight maps go to [`wide`] first, which writes vectors of the
//! processor's width.

mod addressing;
mod control;
mod convert;
mod division;
mod emit;
mod facts;
mod fold;
mod group;
mod host;
mod jit;
mod map;
pub mod math;
mod place;
mod ready;
mod rows;
mod scalar;
mod simd;
mod stages;
mod straighten;
mod turns;
mod wide;

use cuproxide_hal::Scalar;

pub use facts::{has_loops, runs_alone};
pub use fold::{Extend, FoldCode, Layout, SegmentsCode, compile_fold, compile_segments};
pub use jit::Code;
pub use map::compile_map;
pub use rows::{Part, RowsCode, compile_rows};

/// Most operands of a kernel.
pub const OPERANDS: usize = cuproxide_hal::Specialization::MAX_OPERANDS;

/// Points of the inner space that are folded from the identity, before they are joined in a tree.
pub const CHUNK: usize = 4096;

/// A rectangle of the iteration space, as compiled functions receive it.
///
/// Levels are: 0 the fastest outer dimension, 1 and 2 the fastest and second inner dimension; a map has no inner
/// dimensions and uses level 1 for its second outer one.
#[repr(C)]
#[derive(Clone)]
pub struct Span {
    /// Points along each level.
    pub counts: [usize; 3],
    /// The launch scalars.
    pub scalars: *const Scalar,
    /// `Index` of the first point.
    pub index: i64,
    /// How `Index` moves along the slowest level used.
    pub index_step: i64,
    /// `OuterIndex` of the first point.
    pub outer_index: i64,
    /// Accumulators: for each accumulator an array of `capacity` storage values.
    pub accumulators: *mut u8,
    /// Second accumulators of a merge.
    pub others: *const u8,
    /// Memory for the strips of code in stages, as much as it asks for.
    pub scratch: *mut u8,
    /// The ranges of segments: the first position and the one after the last, of each outer point.
    pub bounds: *mut i64,
    /// Length of each array in `accumulators` and `others`.
    pub capacity: usize,
    /// Addresses of the operands at the first point.
    pub pointers: [u64; OPERANDS],
    /// Byte strides of the operands along each level.
    pub strides: [[isize; OPERANDS]; 3],
}

/// What compiled functions look like.
pub type Entry<S = Span> = unsafe extern "C" fn(*const S);
