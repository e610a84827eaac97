//! Groups that come again: what was worked out for a group (its slice, its program, its kernel) serves every later group of
//! the same steps over operands of the same types with the same results wanted, as each turn of a loop makes one.
//!
//! A hash finds the plan; the steps are then compared, so that a hash which two groups share costs time and nothing else.

use std::hash::Hasher;
use std::sync::{Arc, Weak};

use cuproxide_hal::DType;
use once_cell::sync::Lazy;
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::cache::Used;
use super::group::Group;
use super::run::{Made, Run, Target};
use super::slice::Slice;
use crate::dispatch::CachedKernel;

/// Steps from which a group's plan is kept: below, making it takes no longer than finding it.
const LEAST: usize = 2;
/// Most plans; when there are so many, every other one is forgotten.
const MOST: usize = 256;

static PLANS: Lazy<Mutex<FxHashMap<u64, Arc<Plan>>>> = Lazy::new(Mutex::default);

/// What was worked out for groups of one form.
pub(super) struct Plan {
    /// The part of the group that is computed.
    pub slice: Slice,
    text: Box<[[u64; 2]]>,
    operands: Box<[DType]>,
    scalars: Box<[DType]>,
    targets: SmallVec<[(u16, DType); 4]>,
    /// The steps that were in memory.
    made: SmallVec<[u16; 4]>,
    /// Its kernel, which the cache of kernels may forget.
    kernel: Weak<CachedKernel>,
    used: Used,
}

/// Whether a group is of those whose plans are kept: maps that are not small.
#[inline]
pub(super) fn is_worth_it(group: &Group) -> bool {
    group.reduced == 0 && group.steps.len() >= LEAST
}

/// The plan of a group whose `targets` are wanted, and its kernel.
pub(super) fn find(run: &Run<'_>, targets: &[Target]) -> Option<(Arc<Plan>, Arc<CachedKernel>)> {
    let plan = PLANS.lock().get(&hash(run, targets))?.clone();
    if !plan.fits(run, targets) {
        return None;
    }
    let kernel = plan.kernel.upgrade()?;
    plan.used.note();
    Some((plan, kernel))
}

/// Keeps what was worked out for a group.
pub(super) fn keep(
    run: &Run<'_>,
    targets: &[Target],
    slice: Slice,
    kernel: &Arc<CachedKernel>,
    used: Used,
) -> Arc<Plan> {
    let group = run.group;
    let plan = Arc::new(Plan {
        slice,
        text: group.text.as_slice().into(),
        operands: group.operands.iter().map(|view| view.dtype).collect(),
        scalars: group.scalars.iter().map(|scalar| scalar.dtype).collect(),
        targets: targets.iter().map(|target| (target.step, target.dtype)).collect(),
        made: made(run).collect(),
        kernel: Arc::downgrade(kernel),
        used,
    });
    let mut plans = PLANS.lock();
    let mut forgotten: Vec<Arc<Plan>> = vec![];
    if plans.len() >= MOST {
        let mut turn = false;
        let every_other = |_: &u64, _: &mut Arc<Plan>| {
            turn = !turn;
            turn
        };
        forgotten.extend(plans.extract_if(every_other).map(|(_, plan)| plan));
    }
    forgotten.extend(plans.insert(hash(run, targets), plan.clone()));
    drop(plans);
    plan
}

impl Plan {
    fn fits(&self, run: &Run<'_>, targets: &[Target]) -> bool {
        let group = run.group;
        self.text[..] == group.text[..]
            && self.operands.iter().copied().eq(group.operands.iter().map(|view| view.dtype))
            && self.scalars.iter().copied().eq(group.scalars.iter().map(|scalar| scalar.dtype))
            && self.targets.iter().copied().eq(targets.iter().map(|target| (target.step, target.dtype)))
            && self.made.iter().copied().eq(made(run))
    }
}

/// The steps that are in memory.
fn made<'r>(run: &'r Run<'_>) -> impl Iterator<Item = u16> + 'r {
    let is_made = |(number, made): (usize, &Option<Made>)| made.is_some().then_some(number as u16);
    run.made.iter().enumerate().filter_map(is_made)
}

fn hash(run: &Run<'_>, targets: &[Target]) -> u64 {
    let mut hasher = FxHasher::default();
    for &[work, inputs] in &run.group.text {
        hasher.write_u64(work);
        hasher.write_u64(inputs);
    }
    for target in targets {
        hasher.write_u32(u32::from(target.step) << 8 | target.dtype as u32);
    }
    made(run).for_each(|step| hasher.write_u16(step));
    hasher.finish()
}
