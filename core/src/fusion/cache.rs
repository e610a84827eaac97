//! Fused kernels by their programs: those that go on being used stay, others make room.

use std::sync::atomic::{AtomicBool, Ordering};

use cuproxide_hal::settings;
use once_cell::sync::Lazy;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use super::program::Program;
use crate::dispatch;

/// Most programs of a cache.
static CAPACITY: Lazy<usize> = Lazy::new(|| {
    // A value without a meaning was reported when the package was imported.
    settings::FUSED_KERNELS.count().ok().flatten().unwrap_or(4096)
});

/// What was made of programs.
///
/// A cache that is full forgets all programs that have not been asked for since it was last full (and half of them if all
/// have): so a hit costs a flag that is mostly set already, and forgetting costs a constant time for each new program.
pub(super) struct Cache<V> {
    entries: Lazy<RwLock<FxHashMap<Program, Entry<V>>>>,
}

struct Entry<V> {
    value: V,
    used: AtomicBool,
}

impl<V: Clone> Cache<V> {
    pub const fn new() -> Cache<V> {
        Cache { entries: Lazy::new(Default::default) }
    }

    pub fn get(&self, program: &Program) -> Option<V> {
        let entries = self.entries.read();
        let entry = entries.get(program)?;
        if !entry.used.load(Ordering::Relaxed) {
            entry.used.store(true, Ordering::Relaxed);
        }
        Some(entry.value.clone())
    }

    /// Keeps a value, and returns that or the one that another thread has made meanwhile.
    pub fn insert(&self, program: Program, value: V) -> V {
        let (kept, forgotten) = {
            let mut entries = self.entries.write();
            let forgotten = if entries.len() < *CAPACITY { vec![] } else { forget(&mut entries) };
            let entry = entries.entry(program).or_insert(Entry { value, used: AtomicBool::new(false) });
            (entry.value.clone(), forgotten)
        };
        if !forgotten.is_empty() {
            dispatch::retire(forgotten);
        }
        kept
    }

    pub fn count(&self, counts: impl Fn(&V) -> bool) -> usize {
        self.entries.read().values().filter(|entry| counts(&entry.value)).count()
    }
}

#[expect(
    clippy::mutable_key_type,
    reason = "a key names a row of the table, of which only what it has worked out changes"
)]
fn forget<V>(entries: &mut FxHashMap<Program, Entry<V>>) -> Vec<V> {
    let unused = |_: &Program, entry: &mut Entry<V>| !std::mem::replace(entry.used.get_mut(), false);
    let mut forgotten: Vec<V> = entries.extract_if(unused).map(|(_, entry)| entry.value).collect();
    if forgotten.is_empty() {
        let mut turn = false;
        let every_other = |_: &Program, _: &mut Entry<V>| {
            turn = !turn;
            turn
        };
        forgotten.extend(entries.extract_if(every_other).map(|(_, entry)| entry.value));
    }
    forgotten
}
