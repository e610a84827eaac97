//! Kernel families: a builder with the kernels that it has made, by key.

use std::hash::Hash;

use cuproxide_hal::ir::Kernel;
use parking_lot::RwLock;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{CachedKernel, intern};
use crate::error::Result;

/// The kernels of one builder, which is declared beside it as a static. The key says all that a kernel depends on.
///
/// Kernels are kept for the life of the process, so references to them need no count.
pub struct Family<K: 'static> {
    build: fn(&K) -> Kernel,
    kernels: RwLock<FxHashMap<K, &'static CachedKernel>>,
}

impl<K: Eq + Hash> Family<K> {
    /// The family of what `build` makes.
    pub const fn new(build: fn(&K) -> Kernel) -> Family<K> {
        Family { build, kernels: RwLock::new(FxHashMap::with_hasher(FxBuildHasher)) }
    }

    /// The kernel of this key, built at the first request.
    ///
    /// # Errors
    /// If the kernel is invalid.
    pub fn kernel(&self, key: K) -> Result<&'static CachedKernel> {
        if let Some(found) = self.kernels.read().get(&key) {
            return Ok(found);
        }
        let made: &'static CachedKernel = Box::leak(Box::new(intern((self.build)(&key))?));
        Ok(self.kernels.write().entry(key).or_insert(made))
    }
}
