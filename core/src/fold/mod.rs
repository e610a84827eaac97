//! Reductions and scans as rows of a table.
//!
//! A [`Reduction`] says which types it computes in and how elements become accumulators, are combined and finished,
//! written in the kernel IR. Most rows are a ufunc folded over the elements (`sum` is `add`), and every binary ufunc
//! with one output has such a row; the others (`var`, `argmax`) bring accumulators of their own. [`Reduction::plan`]
//! fixes the types, [`reduce_kernel`], [`scan_kernel`] and [`ordered_kernel`] build the kernels.
//!
//! Accumulators are wider than the elements: float32 adds and multiplies in float64, the 16-bit floats in float32.

mod kernel;
mod plan;
mod registry;
mod row;
mod segments;
mod steps;
mod table;
#[cfg(test)]
mod tests;

pub use kernel::{Element, Key, fold, folds, ordered_kernel, reduce_kernel, scan_kernel};
pub(crate) use kernel::{ORDERED, REDUCE, SCAN};
pub use registry::{dump, get, of_ufunc, table};
pub use row::{Argument, FoldId, Options, Plan, Reduction, Rule, Steps, Values};
pub(crate) use segments::{ORDERED_SEGMENTS, SEGMENTS};
