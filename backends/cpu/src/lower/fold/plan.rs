//! What was decided about one fold, and what it is compiled to.

use cuproxide_hal::ir::{Binary, Fold, Lambda};
use cuproxide_hal::{Access, DType};

use super::strips::Strips;
use crate::lower::jit::Code;
use crate::lower::ready::Ready;
use crate::lower::stages::Stages;
use crate::lower::{Entry, Span};

/// Which dimension vectors run along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The fastest inner dimension: partial results in lanes, regrouped.
    Lanes,
    /// The fastest outer dimension: neighbouring accumulators.
    Columns,
    /// The fastest inner dimension, for folds that pick one element and tell its position.
    Picks,
    /// The fastest inner dimension, cut into as many parts as there are lanes: the order is kept.
    Parts,
    /// None: one point after the other.
    Points,
}

/// The compiled parts of a reduction or scan.
pub struct FoldCode {
    pub(super) code: Code,
    /// A loop that takes the place of the compiled fold.
    pub(super) ready: Option<Ready>,
    /// The fold in vectors of the processor's width, for rows that are long enough.
    pub(super) strips: Option<Box<Strips>>,
    /// How the fold is laid out.
    pub layout: Layout,
    /// Storage size of each accumulator.
    pub sizes: Vec<usize>,
    /// The truth value that no other changes, if truth values are folded so.
    pub absorbing: Option<bool>,
    /// The same where the position of the first such value is found with it: no later element changes it.
    pub first: Option<bool>,
}

impl FoldCode {
    /// Bytes of scratch memory that `fold` needs.
    pub fn scratch(&self) -> usize {
        self.strips.as_ref().map_or(0, |strips| strips.scratch).max(self.code.scratch)
    }

    /// Sets accumulators to the identity.
    pub fn init(&self) -> Entry {
        self.code.entry(0)
    }

    /// Extends accumulators by a rectangle of the inner space.
    pub fn fold(&self) -> Extend<'_> {
        let entry = self.ready.map_or_else(|| self.code.entry(1), |ready| ready.entry);
        Extend { entry, strips: self.strips.as_deref() }
    }

    /// Folds one line of several chunks and joins them in a tree, from no accumulators, if there is a loop for all of that.
    pub fn tree(&self) -> Option<Entry> {
        self.ready.and_then(|ready| ready.tree)
    }

    /// Whether results do not depend on how elements along the inner space are grouped.
    pub fn any_groups(&self) -> bool {
        self.ready.is_some_and(|ready| ready.any_groups)
    }

    /// Combines `accumulators` with the later `others`.
    pub fn merge(&self) -> Entry {
        self.code.entry(2)
    }

    /// Stores the results of a reduction.
    pub fn finish(&self) -> Entry {
        self.code.entry(3)
    }

    /// Extends accumulators like `fold` and stores the result of every prefix of a scan.
    pub fn scan(&self) -> Entry {
        self.code.entry(3)
    }
}

/// What runs over a rectangle.
#[derive(Clone, Copy)]
pub struct Extend<'c> {
    entry: Entry,
    /// What takes its place where rows are long enough.
    strips: Option<&'c Strips>,
}

impl From<Entry> for Extend<'_> {
    fn from(entry: Entry) -> Self {
        Extend { entry, strips: None }
    }
}

impl Extend<'_> {
    /// Runs over the rectangle of a span.
    ///
    /// # Safety
    /// The span describes a part of a launch that fits the kernel, with the scratch memory that the code asks for.
    #[inline]
    pub unsafe fn run(self, span: &Span) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.strips {
                Some(strips) if span.counts[1] >= strips.least => strips.run(span),
                _ => (self.entry)(span),
            }
        }
    }
}

/// Decisions about one fold.
pub(super) struct Plan<'k> {
    pub(super) fold: &'k Fold,
    pub(super) types: Vec<DType>,
    pub(super) outer: Vec<Access>,
    pub(super) inner: Vec<Access>,
    /// Operators of the accumulators, if all are commutative and independent.
    pub(super) operators: Option<Vec<Binary>>,
    pub(super) layout: Layout,
    /// Points of a group along columns.
    pub(super) columns: usize,
    /// Points of a group along the inner dimension.
    pub(super) lanes: usize,
    /// The map in stages, where it calls functions.
    pub(super) stages: Option<Stages<'k>>,
    /// What finds the range that is folded, where that is not the whole inner space.
    pub(super) range: Option<&'k Lambda>,
}
