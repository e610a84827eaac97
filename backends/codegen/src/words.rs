//! The words of a kernel's argument, and what a block has.

use crate::shape::Shape;

/// Threads of a block.
pub const THREADS: usize = 256;

/// Bytes of what a kernel of rows may keep of one row: the shared memory that every block has.
pub const ROW_BYTES: usize = 46 << 10;

/// Most 64-bit words that the argument of a kernel takes: CUDA's oldest limit of 4 KiB.
pub const MAX_WORDS: usize = 512;

/// Words before the operands: sizes, fault, scratch and plan.
pub(crate) const HEADER_WORDS: usize = 4 + PLAN_WORDS;

/// Words of a dimension's length and of the division by it.
pub(crate) const WORDS_A_DIVISOR: usize = 4;

pub(crate) const PLAN_WORDS: usize = 8;

/// Words of the argument of a kernel.
pub(crate) fn argument_words(shape: &Shape, operands: usize, scalars: usize) -> usize {
    let dims = shape.dims().max(1);
    HEADER_WORDS + operands.max(1) + dims * (WORDS_A_DIVISOR + operands.max(1)) + 2 * scalars.max(1)
}
