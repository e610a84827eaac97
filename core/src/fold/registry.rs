//! The reductions by number and by name.

use std::sync::LazyLock;

use cuproxide_hal::DType;
use rustc_hash::FxHashMap;

use super::row::{FoldId, Reduction};
use super::table::rows;
use crate::ufunc::UfuncId;

impl FoldId {
    /// The row of the table.
    pub fn get(self) -> &'static Reduction {
        &table()[usize::from(self.0)]
    }
}

static TABLE: LazyLock<Vec<Reduction>> = LazyLock::new(|| {
    let mut rows = rows();
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
