//! Plans: how to run a group. Each iteration of a loop records a group of the same steps, over operands of the same types, of
//! which the program wants the same results. All these groups share one plan: the slice and the kernel.
//!
//! A plan is found by a hash. Then the steps are compared, so a hash collision costs only time. A group that followed the plan's
//! script ([`guide`](super::guide)) to the end has been compared step by step already.

use std::sync::{Arc, Weak};

use cuproxide_hal::DType;
use once_cell::sync::Lazy;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::cache::Used;
use super::group::Group;
use super::run::{Made, Run, Target};
use super::script::{Script, hash_word};
use super::slice::Slice;
use crate::dispatch::CachedKernel;

/// Fewest steps of a group whose plan is kept: for fewer, making a plan takes no longer than finding it.
const LEAST: usize = 2;
/// Most plans; when the table is full, every other plan is dropped.
const MOST: usize = 256;

static PLANS: Lazy<Mutex<FxHashMap<u64, Arc<Plan>>>> = Lazy::new(Mutex::default);

/// How to run groups of the same steps, types and wanted results.
pub(super) struct Plan {
    /// The part of the group that is computed.
    pub slice: Slice,
    script: Arc<Script>,
    scalars: Box<[DType]>,
    targets: SmallVec<[(u16, DType); 4]>,
    /// The steps whose results were in memory.
    made: SmallVec<[u16; 4]>,
    /// The kernel; the kernel cache may drop it.
    kernel: Weak<CachedKernel>,
    used: Used,
}

/// Whether the plan of a group is kept: groups of several steps without reductions.
#[inline]
pub(super) fn is_worth_it(group: &Group) -> bool {
    group.reduced == 0 && group.steps.len() >= LEAST
}

/// The plan of a group whose wanted results are `targets`, and its kernel.
pub(super) fn find(run: &Run<'_>, targets: &[Target]) -> Option<(Arc<Plan>, Arc<CachedKernel>)> {
    let group = run.group;
    let plan = PLANS.lock().get(&hash(run, targets))?.clone();
    let is_expected = group.guide.has_matched(&plan.script, group.text.len());
    if (!is_expected && plan.script.text[..] != group.text[..]) || !plan.takes(run, targets) {
        return None;
    }
    let kernel = plan.kernel.upgrade()?;
    plan.used.note();
    if !is_expected {
        remember(group, &plan);
    }
    Some((plan, kernel))
}

/// Remembers a plan's script for groups that begin like this one.
fn remember(group: &Group, plan: &Plan) {
    if group.trace.is_none() {
        plan.script.remember(group.guide.prefixes());
    }
}

/// Keeps the plan of a group.
pub(super) fn keep(
    run: &Run<'_>,
    targets: &[Target],
    slice: Slice,
    kernel: &Arc<CachedKernel>,
    used: Used,
) -> Arc<Plan> {
    let group = run.group;
    let operands = group.operands.iter().map(|view| view.dtype).collect();
    let plan = Arc::new(Plan {
        slice,
        script: Arc::new(Script::new(&group.steps, &group.text, operands)),
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
    remember(group, &plan);
    plan
}

impl Plan {
    /// Whether the plan serves a group of the same steps: operands, scalars and targets must have the same types.
    fn takes(&self, run: &Run<'_>, targets: &[Target]) -> bool {
        let group = run.group;
        self.script.operands.iter().copied().eq(group.operands.iter().map(|view| view.dtype))
            && self.scalars.iter().copied().eq(group.scalars.iter().map(|scalar| scalar.dtype))
            && self.targets.iter().copied().eq(targets.iter().map(|target| (target.step, target.dtype)))
            && self.made.iter().copied().eq(made(run))
    }
}

/// The steps whose results are in memory.
fn made<'r>(run: &'r Run<'_>) -> impl Iterator<Item = u16> + 'r {
    let is_made = |(number, made): (usize, &Option<Made>)| made.is_some().then_some(number as u16);
    run.made.iter().enumerate().filter_map(is_made)
}

fn hash(run: &Run<'_>, targets: &[Target]) -> u64 {
    let wanted = targets.iter().map(|target| u64::from(target.step) << 8 | target.dtype as u64);
    let known = made(run).map(|step| 1 << 32 | u64::from(step));
    wanted.chain(known).fold(run.group.guide.hash(run.group.steps.len()), hash_word)
}
