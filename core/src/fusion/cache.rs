//! The cache of fused kernels by their programs. Kernels that are still used stay; others are dropped when it is full.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cuproxide_hal::settings;
use once_cell::sync::Lazy;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use super::program::Program;
use crate::dispatch;

/// Most programs of a cache.
static CAPACITY: Lazy<usize> = Lazy::new(|| {
    // Importing the package reports an invalid value.
    settings::FUSED_KERNELS.count().ok().flatten().unwrap_or(4096)
});

/// A cache of values by program.
///
/// A full cache drops all programs that have not been used since it was last full, or every other one if all have been used. So
/// a hit only sets a flag, which is mostly set already, and eviction takes constant time for each new program.
pub(super) struct Cache<V> {
    entries: Lazy<RwLock<FxHashMap<Program, Entry<V>>>>,
}

struct Entry<V> {
    value: V,
    used: Used,
}

/// Whether a program has been used since its cache was last full. Code that keeps a program's value notes its uses here.
#[derive(Clone, Default)]
pub(super) struct Used(Arc<AtomicBool>);

impl Used {
    #[inline]
    pub fn note(&self) {
        if !self.0.load(Ordering::Relaxed) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    fn reset(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

impl<V: Clone> Cache<V> {
    pub const fn new() -> Cache<V> {
        Cache { entries: Lazy::new(Default::default) }
    }

    pub fn get(&self, program: &Program) -> Option<V> {
        self.find(program).map(|(value, _)| value)
    }

    /// [`Cache::get`], with the flag that keeps the program in the cache.
    pub fn find(&self, program: &Program) -> Option<(V, Used)> {
        let entries = self.entries.read();
        let entry = entries.get(program)?;
        entry.used.note();
        Some((entry.value.clone(), entry.used.clone()))
    }

    /// Keeps a value; returns it, or the one that another thread has inserted meanwhile.
    pub fn insert(&self, program: Program, value: V) -> V {
        self.keep(program, value).0
    }

    /// [`Cache::insert`], with the flag that keeps the program in the cache.
    pub fn keep(&self, program: Program, value: V) -> (V, Used) {
        let (kept, forgotten) = {
            let mut entries = self.entries.write();
            let forgotten = if entries.len() < *CAPACITY { vec![] } else { forget(&mut entries) };
            let entry = entries.entry(program).or_insert_with(|| Entry { value, used: Used::default() });
            ((entry.value.clone(), entry.used.clone()), forgotten)
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
    let unused = |_: &Program, entry: &mut Entry<V>| !entry.used.reset();
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
