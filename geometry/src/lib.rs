//! Delaunay triangulations, convex hulls and trees of clusters on the host.
//!
//! Decisions are made by exact predicates ([`predicates`]), so results are correct for any input, degenerate ones
//! included; only what is reported as numbers (normals, areas) is rounded. Both algorithms insert points into a
//! simplicial complex without boundary ([`complex`]): a triangulation is closed by a vertex at infinity ([`delaunay`]),
//! a hull is closed anyway ([`hull`]). Clusters are merged one after another ([`linkage`]), and what is asked of the tree
//! of merges goes over it from the leaves or from the root ([`trees`]).

#![deny(missing_docs)]
#![forbid(unsafe_code)]
#![expect(clippy::needless_range_loop, reason = "an index often stands for a place in several arrays")]

mod complex;
mod delaunay;
mod dual;
mod hull;
mod linkage;
mod pause;
mod points;
mod predicates;
mod start;
mod trees;

pub use delaunay::{Triangulation, triangulate};
pub use dual::{Diagram, Rows, diagram, stars};
pub use hull::{Hull, convex_hull, furthest};
pub use linkage::{Method, linkage};
pub use pause::set_pause;
pub use trees::{Linkage, NotSubtrees};

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Fewer points than a simplex has.
    TooFew,
    /// All points lie in a hyperplane, or nearly so.
    Flat,
    /// More or fewer dimensions than there is code for.
    Dimension,
}

/// The fewest and most dimensions.
pub const DIMENSIONS: std::ops::RangeInclusive<usize> = 2..=9;

/// Calls a function that is generic over the number of vertices of a cell.
macro_rules! for_size {
    ($size:expr, $function:ident($($argument:expr),*)) => {
        match $size {
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4 => $function::<4>($($argument),*),
            5 => $function::<5>($($argument),*),
            6 => $function::<6>($($argument),*),
            7 => $function::<7>($($argument),*),
            8 => $function::<8>($($argument),*),
            9 => $function::<9>($($argument),*),
            10 => $function::<10>($($argument),*),
            _ => Err($crate::Failure::Dimension),
        }
    };
}
pub(crate) use for_size;
