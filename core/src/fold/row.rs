//! What a row of the table says about a reduction, and the plan that it becomes for given types.

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use cuproxide_hal::ir::{Builder, Var};
use cuproxide_hal::{DType, Kind};

use crate::promotion::promote;
use crate::ufunc::{Promotion, Types, Ufunc};

/// Accumulators or results.
pub type Values<'b> = Vec<Var<'b>>;

/// Number of a reduction in the [`table`](super::table()): small and stable within a build, for cache keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FoldId(pub u16);

/// Which types a reduction computes in, by the type of its input and the `dtype=` asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The loop that the ufunc has for two operands of the type; for `add` and `multiply`, bools and small integers
    /// become 64-bit integers.
    Ufunc,
    /// Counts: int64.
    Count,
    /// Positions: int64.
    Index,
    /// The type itself, or float64 for bools and integers.
    Mean,
    /// As `Mean`, but the result is real.
    Spread,
    /// The type itself.
    Same,
    /// The type itself, which must have a difference: not bool.
    Difference,
}

/// How elements are folded.
#[derive(Clone, Copy, Debug)]
pub enum Steps {
    /// One accumulator, combined by a ufunc.
    Ufunc {
        /// The ufunc.
        ufunc: &'static Ufunc,
        /// Makes an accumulator of an element.
        map: for<'b> fn(Var<'b>) -> Var<'b>,
        /// Makes the result of the accumulator and the row's arguments.
        finish: for<'b> fn(Var<'b>, &[Var<'b>]) -> Var<'b>,
    },
    /// Accumulators of the row's own.
    Own {
        /// Neutral accumulators for elements of a type.
        identity: for<'b> fn(&'b Builder, DType) -> Values<'b>,
        /// Makes accumulators of an element.
        map: for<'b> fn(Var<'b>) -> Values<'b>,
        /// Combines earlier with later accumulators.
        combine: for<'b> fn(&[Var<'b>], &[Var<'b>]) -> Values<'b>,
        /// Makes the results of the accumulators and the row's arguments.
        finish: for<'b> fn(&[Var<'b>], &[Var<'b>]) -> Values<'b>,
    },
}

/// A reduction.
#[derive(Debug)]
pub struct Reduction {
    /// Number in the table.
    pub id: FoldId,
    /// Name: NumPy's, or that of the ufunc that is folded.
    pub name: &'static str,
    /// Number of results.
    pub nout: usize,
    /// The types.
    pub rule: Rule,
    /// Whether NaN elements are left out.
    pub skips_nan: bool,
    /// Whether an empty reduction has a value. If not, it is an error that the caller raises; likewise a mask needs an
    /// initial value.
    pub has_identity: bool,
    /// Launch scalars that finishing needs.
    pub arguments: &'static [Argument],
    /// Whether accumulators of the row's own may be combined in any order.
    pub any_order: bool,
    /// One line on what it computes.
    pub doc: &'static str,
    pub(super) steps: Steps,
    pub(super) plans: Plans,
}

/// Rows are the same if their numbers are.
impl PartialEq for Reduction {
    fn eq(&self, other: &Reduction) -> bool {
        self.id == other.id
    }
}

impl Eq for Reduction {}

impl Hash for Reduction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Reduction {
    /// Whether elements may be regrouped. If not, only [`ordered_kernel`](super::ordered_kernel) serves, and one axis.
    pub fn is_reorderable(&self) -> bool {
        self.ufunc().is_none_or(Ufunc::is_reorderable)
    }

    /// Whether [`scan_kernel`](super::scan_kernel) gives the prefixes; if not,
    /// [`ordered_kernel`](super::ordered_kernel) does. The neutral element of a scan must leave a first element alone,
    /// which `gcd` and `hypot` would make positive.
    pub fn is_scannable(&self) -> bool {
        self.is_reorderable() && self.ufunc().is_none_or(|ufunc| !matches!(ufunc.name, "gcd" | "hypot"))
    }

    /// Whether ranges may be folded in parts: what starts each part leaves every element alone, which a factor of 1 does
    /// not for complex numbers with an infinite part.
    pub(crate) fn is_divisible(&self, plan: &Plan) -> bool {
        let product = self.ufunc().is_some_and(|ufunc| ufunc.name == "multiply");
        self.is_scannable() && !(product && plan.accumulator.is_complex())
    }

    /// Whether an `initial=` value may take part: where a ufunc combines elements into the result itself.
    pub fn accepts_initial(&self) -> bool {
        self.rule == Rule::Ufunc
    }

    /// The type in which elements of type `input` are combined for an `out=` of type `output`, where that has a say as
    /// in NumPy: the type that holds both. Truth is found as it is and cast.
    pub fn dtype_for(&self, input: DType, output: Option<DType>) -> Option<DType> {
        let follows = self.accepts_initial() && self.ufunc().is_none_or(|ufunc| ufunc.promotion != Promotion::Truth);
        let sums_up = |output: DType| self.rule == Rule::Mean && input.is_inexact() && output.is_inexact();
        output.filter(|&output| follows || sums_up(output)).map(|output| promote(input, output))
    }

    /// Whether the result for elements of a type does not depend on how they are grouped, not by a bit.
    pub fn is_exact(&self, plan: &Plan) -> bool {
        // Among complex numbers, different ones may be equally large.
        let ordered = !plan.accumulator.is_complex();
        match self.ufunc() {
            Some(ufunc) if matches!(ufunc.name, "add" | "multiply") => !plan.accumulator.is_inexact(),
            Some(ufunc) => {
                !plan.accumulator.is_inexact()
                    || (ordered && matches!(ufunc.name, "maximum" | "minimum" | "fmax" | "fmin"))
            }
            None => self.rule == Rule::Index || (ordered && matches!(self.name, "ptp" | "minmax")),
        }
    }

    /// The ufunc that combines, if one does.
    pub fn ufunc(&self) -> Option<&'static Ufunc> {
        match self.steps {
            Steps::Ufunc { ufunc, .. } => Some(ufunc),
            Steps::Own { .. } => None,
        }
    }
}

/// What a caller asks of a reduction besides its types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// A bool operand says which elements take part (`where=`).
    pub masked: bool,
    /// A launch scalar takes part before all elements (`initial=`); see [`Reduction::accepts_initial`].
    pub initial: bool,
}

/// What a launch scalar of a kernel means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// Number of elements folded into one result.
    Count,
    /// What is taken from the number of elements before dividing by it (`ddof=`).
    Correction,
    /// The `initial=` value, of the type that elements are cast to.
    Initial,
    /// Number of elements along the axis.
    Length,
    /// Distance in bytes from one element of the input to the next along the axis.
    InputStride,
    /// The same for the output.
    OutputStride,
    /// The same for the mask.
    MaskStride,
}

/// A reduction with its types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// The row.
    pub row: &'static Reduction,
    /// The type of the input.
    pub input: DType,
    /// The type that elements are cast to first, as NumPy's `dtype=` says.
    pub value: DType,
    /// The wider type that they are cast to next.
    pub lifted: DType,
    /// The type of the accumulator that a ufunc combines.
    pub accumulator: DType,
    /// The types of the results.
    pub outputs: Types,
    /// The loop of the ufunc that combines accumulators.
    pub(super) index: usize,
    /// The loop that combines without widening, for ordered reductions.
    pub(super) narrow: usize,
}

/// The plans of a reduction that have been worked out, by the type of the elements and the one asked for.
#[derive(Default)]
pub(super) struct Plans(pub(super) OnceLock<Box<[OnceLock<Plan>]>>);

/// The type that elements of `dtype` are added up in.
pub(super) fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F32 => DType::F64,
        DType::C64 => DType::C128,
        other => other.computed(),
    }
}

/// Bools and small integers as the 64-bit integer that sums them up.
pub(super) fn whole(dtype: DType) -> DType {
    match dtype.kind() {
        Kind::Bool | Kind::Signed => DType::I64,
        Kind::Unsigned => DType::U64,
        Kind::Float | Kind::Complex => dtype,
    }
}
