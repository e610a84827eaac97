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
mod segments;
mod steps;
mod table;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use cuproxide_hal::ir::{Builder, Var};
use cuproxide_hal::{DType, Kind};
use rustc_hash::FxHashMap;

use crate::promotion::promote;
use crate::ufunc::{Promotion, Ufunc, UfuncId};

pub use kernel::{Element, Key, fold, folds, ordered_kernel, reduce_kernel, scan_kernel};
pub(crate) use kernel::{ORDERED, REDUCE, SCAN};
use plan::Plans;
pub use plan::{Argument, Options, Plan};
pub(crate) use segments::{ORDERED_SEGMENTS, SEGMENTS};

/// Accumulators or results.
pub type Values<'b> = Vec<Var<'b>>;

/// Number of a reduction in the [`table`]: small and stable within a build, for cache keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FoldId(pub u16);

impl FoldId {
    /// The row of the table.
    pub fn get(self) -> &'static Reduction {
        &table()[usize::from(self.0)]
    }
}

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
    steps: Steps,
    plans: Plans,
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
    /// Whether elements may be regrouped. If not, only [`ordered_kernel`] serves, and one axis.
    pub fn is_reorderable(&self) -> bool {
        self.ufunc().is_none_or(Ufunc::is_reorderable)
    }

    /// Whether [`scan_kernel`] gives the prefixes; if not, [`ordered_kernel`] does. The neutral element of a scan must
    /// leave a first element alone, which `gcd` and `hypot` would make positive.
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

/// The type that elements of `dtype` are added up in.
pub(crate) fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        DType::F32 => DType::F64,
        DType::C64 => DType::C128,
        other => other,
    }
}

/// Bools and small integers as the 64-bit integer that sums them up.
fn whole(dtype: DType) -> DType {
    match dtype.kind() {
        Kind::Bool | Kind::Signed => DType::I64,
        Kind::Unsigned => DType::U64,
        Kind::Float | Kind::Complex => dtype,
    }
}

static TABLE: LazyLock<Vec<Reduction>> = LazyLock::new(|| {
    let mut rows = table::rows();
    for (index, row) in rows.iter_mut().enumerate() {
        row.id = FoldId(index as u16);
    }
    rows
});

static BY_NAME: LazyLock<FxHashMap<&'static str, FoldId>> =
    LazyLock::new(|| table().iter().map(|row| (row.name, row.id)).collect());

/// Every reduction: those with names of their own, then one for each binary ufunc.
pub fn table() -> &'static [Reduction] {
    &TABLE
}

/// The reduction of that name: NumPy's, or that of a binary ufunc.
pub fn get(name: &str) -> Option<&'static Reduction> {
    BY_NAME.get(name).map(|id| id.get())
}

/// The reduction that folds a ufunc (`ufunc.reduce`, `ufunc.accumulate`): `None` unless it has two inputs, one output.
pub fn of_ufunc(ufunc: UfuncId) -> Option<&'static Reduction> {
    get(ufunc.get().name)
}

/// The table as text, one line a reduction: `name has_identity rule`, then the types of each plan. For comparison with
/// NumPy.
pub fn dump() -> String {
    let types = |row: &'static Reduction, dtype| {
        let plan = row.plan(dtype, None).ok()?;
        Some(format!(" {dtype}->{}", plan.outputs.iter().map(|output| output.name()).collect::<Vec<_>>().join("+")))
    };
    let line = |row: &'static Reduction| {
        let types: String = DType::ALL.into_iter().filter_map(|dtype| types(row, dtype)).collect();
        format!("{} {} {:?}{types}\n", row.name, row.has_identity, row.rule)
    };
    table().iter().map(line).collect()
}
