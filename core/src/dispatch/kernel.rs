//! Kernels with the versions of them that were compiled, and what becomes of those that nobody has any more.

use std::sync::{Arc, Weak};

use cuproxide_hal::ir::{Body, Kernel, LegalizeOptions, legalize};
use cuproxide_hal::{CompiledKernel, Specialization};
use once_cell::sync::OnceCell;
use parking_lot::{Mutex, RwLock};

use super::versions::Versions;
use crate::context::Context;
use crate::detach::detached;
use crate::error::Result;
use crate::memory::quiet::quiet;

/// A kernel with its compiled versions.
pub struct CachedKernel {
    pub(super) kernel: Arc<Kernel>,
    pub(super) name: Arc<str>,
    /// The kernel itself, for those who keep it alive.
    pub(super) this: Weak<CachedKernel>,
    pub(super) uses_index: bool,
    pub(super) can_fault: bool,
    /// For each fold, the operands that [`CachedKernel::folded`] tells of.
    pub(super) folded: OnceCell<Vec<u32>>,
    pub(super) compiled: Versions,
    /// Versions that the background was asked for.
    pub(super) requested: Mutex<Vec<(usize, Specialization)>>,
    /// The kernel for launches whose scalars are equal as they have been so far.
    pub(super) alike: Alike,
}

/// Every kernel of the process.
static ALL: RwLock<Vec<Weak<CachedKernel>>> = RwLock::new(Vec::new());

/// Machine code that is not used again, but that a device may still be running.
static RETIRED: Mutex<Vec<Arc<dyn CompiledKernel>>> = Mutex::new(Vec::new());

/// A kernel without a key: its caller keeps it.
pub(crate) fn intern(kernel: Kernel) -> Result<Arc<CachedKernel>> {
    kernel.validate()?;
    let made = Arc::new_cyclic(|this| CachedKernel {
        uses_index: kernel.uses_index(),
        can_fault: kernel.can_fault(),
        name: Arc::from(kernel.name.as_str()),
        kernel: Arc::new(kernel),
        this: this.clone(),
        folded: OnceCell::new(),
        compiled: Versions::default(),
        requested: Mutex::default(),
        alike: Alike::default(),
    });
    ALL.write().push(Arc::downgrade(&made));
    Ok(made)
}

impl Drop for CachedKernel {
    fn drop(&mut self) {
        RETIRED.lock().extend(self.compiled.take());
    }
}

/// Drops kernels, and gives back the machine code of those that nobody has any more once no device can be running it.
pub(crate) fn retire<T>(kernels: Vec<T>) {
    drop(kernels);
    // A capture does not allow to wait for the device. The next call gives back what this one leaves.
    let Some(_quiet) = quiet() else { return };
    ALL.write().retain(|kernel| kernel.strong_count() > 0);
    let retired = std::mem::take(&mut *RETIRED.lock());
    if retired.is_empty() {
        return;
    }
    detached(|| {
        for context in Context::all().iter().filter(|context| context.info().asynchronous) {
            if let Err(error) = context.below().synchronize() {
                tracing::warn!(%error, "waiting for a device before kernels are unloaded failed");
            }
        }
        drop(retired);
    });
}

impl CachedKernel {
    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name, to be kept.
    pub(crate) fn shared_name(&self) -> Arc<str> {
        self.name.clone()
    }

    /// Of what the kernel reads at points, what decides the values that fold `number` folds: how elements are grouped
    /// follows from these alone, and simplification may leave fewer than there were (`isnan` of integers reads none).
    pub(crate) fn folded<T>(&self, number: usize, operands: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        let operands_of = || legalize(&self.kernel, LegalizeOptions::default()).folded_operands();
        let folded = self.folded.get_or_init(operands_of)[number];
        operands.enumerate().filter_map(move |(operand, what)| (folded >> operand & 1 != 0).then_some(what))
    }

    /// The number of folds.
    pub(crate) fn folds(&self) -> usize {
        match &self.kernel.body {
            Body::Map(_) => 0,
            Body::Reduce(_) | Body::Scan(_) | Body::Segments(_) => 1,
            Body::Rows(rows) => rows.folds.len(),
        }
    }
}

/// The kernels of this process with the versions of them that launches have asked for, by name; without fused ones that have
/// been forgotten.
pub fn used_kernels() -> Vec<(Arc<Kernel>, Specialization)> {
    let mut used: Vec<(Arc<Kernel>, Specialization)> = vec![];
    let all: Vec<Arc<CachedKernel>> = ALL.read().iter().filter_map(Weak::upgrade).collect();
    for cached in &all {
        used.extend(cached.compiled.iter().map(|version| (cached.kernel.clone(), version.specialization)));
    }
    used.sort_by(|(a, x), (b, y)| (&a.name, x.0).cmp(&(&b.name, y.0)));
    used.dedup();
    used
}

/// What is known about equal scalars of a kernel.
#[derive(Default)]
pub(super) struct Alike(pub(super) Mutex<State>);

#[derive(Default)]
pub(super) enum State {
    /// There was no launch yet.
    #[default]
    New,
    /// Each scalar equals the one that is given here.
    Some { first: Box<[u16]>, kernel: Arc<CachedKernel>, changes: u8 },
    /// Nothing is gained by equal scalars, or too many differ now and then.
    None,
}
