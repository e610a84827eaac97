//! Distances of rows of one matrix to rows of another.

use crate::{DType, Result, Stream};

/// What a pair of coordinates x, y adds to the distance of their rows. Sums go from the first coordinate to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// (x - y)^2.
    Square,
    /// |x - y|.
    Difference,
    /// |x - y|, of which the largest counts instead of the sum; NaN is larger than any number.
    Largest,
    /// |x - y| / (|x| + |y|), zero where both are zero.
    Ratio,
    /// One where they differ.
    Unequal,
}

/// Distances of all rows of a matrix to all rows of another, all of them float64 and contiguous.
#[derive(Clone, Copy, Debug)]
pub struct Distances {
    /// What coordinates add.
    pub term: Term,
    /// Whether the distance is the square root of the sum.
    pub root: bool,
    /// What sums are divided by.
    pub divisor: f64,
    /// Address of the rows.
    pub rows: u64,
    /// Their number.
    pub row_count: usize,
    /// Address of the rows of the other matrix.
    pub others: u64,
    /// Their number.
    pub other_count: usize,
    /// Coordinates of a row.
    pub dimension: usize,
    /// Address of as many factors of the terms; not for [`Term::Largest`].
    pub weights: Option<u64>,
    /// Whether only pairs above the diagonal are wanted, one row of them after another.
    pub condensed: bool,
    /// Where the distances go.
    pub out: u64,
}

/// The nearest of a few codes for each row, by sums of squares; the first one of equally near ones.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// Element type: float32 or float64.
    pub dtype: DType,
    /// Address of the rows, contiguous.
    pub rows: u64,
    /// Their number.
    pub row_count: usize,
    /// Address of the codes, contiguous.
    pub codes: u64,
    /// Their number, at least 1.
    pub code_count: usize,
    /// Coordinates of a row, at least 1.
    pub dimension: usize,
    /// Where an int32 for each row goes: the number of its code, 0 if all are infinitely far or NaN.
    pub numbers: u64,
    /// Where the distances go, infinity in the latter case.
    pub distances: u64,
}

/// Distances of pairs of rows. Sums are added up from the first coordinate to the last, as kernels do, without fused
/// multiplications, so that the bits are theirs.
pub trait Pairs: Send + Sync {
    /// Queues the distances.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes stated in [`Distances`]; `out` overlaps nothing else.
    unsafe fn distances(&self, stream: &dyn Stream, distances: &Distances) -> Result<()>;

    /// Queues the search.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes stated in [`Nearest`]; results overlap nothing else.
    unsafe fn nearest(&self, stream: &dyn Stream, nearest: &Nearest) -> Result<()>;
}
