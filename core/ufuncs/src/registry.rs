//! The ufuncs by number and by name.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::row::{Home, Ufunc, UfuncId};
use crate::table::rows;

impl UfuncId {
    /// The row of the table.
    #[inline]
    pub fn get(self) -> &'static Ufunc {
        &table()[usize::from(self.0)]
    }
}

static TABLE: LazyLock<Vec<Ufunc>> = LazyLock::new(|| {
    let mut rows = rows();
    for (index, row) in rows.iter_mut().enumerate() {
        row.id = UfuncId(index as u16);
    }
    rows
});

static BY_NAME: LazyLock<FxHashMap<(Home, &'static str), UfuncId>> = LazyLock::new(|| {
    let named = |row: &'static Ufunc| row.aliases.iter().chain([&row.name]).map(|&name| ((row.home, name), row.id));
    table().iter().flat_map(named).collect()
});

/// Every ufunc.
#[inline]
pub fn table() -> &'static [Ufunc] {
    &TABLE
}

/// The ufunc of that name or alias: NumPy's, else one of another home.
pub fn get(name: &str) -> Option<&'static Ufunc> {
    Home::ALL.into_iter().find_map(|home| find(home, name))
}

/// The ufunc of a home with that name or alias.
pub fn find(home: Home, name: &str) -> Option<&'static Ufunc> {
    BY_NAME.get(&(home, name)).map(|id| id.get())
}

/// The row of copies, casts among them.
#[inline]
pub fn copy() -> &'static Ufunc {
    static COPY: LazyLock<&'static Ufunc> = LazyLock::new(|| get("copy").expect("the table has a row for copies"));
    &COPY
}

/// The table as text, one line a ufunc: `name nin nout identity loops`. For comparison with NumPy.
pub fn dump() -> String {
    let line = |row: &Ufunc| {
        let loops: Vec<String> = row.loops.iter().map(ToString::to_string).collect();
        format!("{} {} {} {:?} {}\n", row.name, row.nin, row.nout, row.identity, loops.join(" "))
    };
    table().iter().map(line).collect()
}
