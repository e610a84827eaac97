//! Groups that come again: what was worked out for a group (its slice, its program, its kernel) serves every later group of
//! the same steps over operands of the same types with the same results wanted, as each turn of a loop makes one.
//!
//! A hash finds the plan; the steps are then compared, so that a hash which two groups share costs time and nothing else. Plans
//! are also found by how they begin, as scripts of groups that are recorded ([`guide`](super::guide)): then the beginning is
//! compared at once, and each later step when it comes.

use std::sync::{Arc, Weak};

use cuproxide_hal::DType;
use once_cell::sync::Lazy;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::cache::Used;
use super::group::Group;
use super::guide;
use super::run::{Made, Run, Target};
use super::slice::Slice;
use super::step::Step;
use crate::dispatch::CachedKernel;

/// Steps from which a group's plan is kept: below, making it takes no longer than finding it.
const LEAST: usize = 2;
/// Most plans; when there are so many, every other one is forgotten.
const MOST: usize = 256;

/// Most beginnings of plans that are remembered.
const MOST_BEGINNINGS: usize = 1024;

static PLANS: Lazy<Mutex<FxHashMap<u64, Arc<Plan>>>> = Lazy::new(Mutex::default);

/// Plans by the hashes of their first steps: of those that begin alike the one that was found or made last.
static SCRIPTS: Lazy<Mutex<FxHashMap<u64, Weak<Plan>>>> = Lazy::new(Mutex::default);

/// What was worked out for groups of one form.
pub(super) struct Plan {
    /// The part of the group that is computed.
    pub slice: Slice,
    /// The steps of the group.
    pub steps: Box<[Step]>,
    /// The steps as words.
    pub text: Box<[[u64; 2]]>,
    /// The hash of the first steps, for each number of them.
    hashes: Box<[u64]>,
    pub operands: Box<[DType]>,
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
    let group = run.group;
    if let Some(script) = group.guide.finished(group.steps.len())
        && script.takes(run, targets)
        && let Some(kernel) = script.kernel.upgrade()
    {
        script.used.note();
        return Some((script.clone(), kernel));
    }
    let plan = PLANS.lock().get(&hash(run, targets))?.clone();
    if plan.text[..] != group.text[..] || !plan.takes(run, targets) {
        return None;
    }
    let kernel = plan.kernel.upgrade()?;
    plan.used.note();
    note_script(group, &plan);
    Some((plan, kernel))
}

/// The plan that is remembered for groups whose first steps have this hash.
pub(super) fn script(beginning: u64) -> Option<Arc<Plan>> {
    SCRIPTS.lock().get(&beginning)?.upgrade()
}

/// Notes how a group began, and where it was the first to go on in its way.
fn note_script(group: &Group, plan: &Arc<Plan>) {
    if group.trace.is_some() {
        return;
    }
    let mut scripts = SCRIPTS.lock();
    if scripts.len() >= MOST_BEGINNINGS {
        scripts.clear();
    }
    for steps in [guide::BEGINNING, group.guide.branch()] {
        if steps < plan.text.len() {
            scripts.insert(plan.hash_of(steps), Arc::downgrade(plan));
        }
    }
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
        steps: group.steps.as_slice().into(),
        text: group.text.as_slice().into(),
        hashes: hashes(&group.text),
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
    note_script(group, &plan);
    plan
}

impl Plan {
    /// The hash of the first steps.
    pub fn hash_of(&self, steps: usize) -> u64 {
        self.hashes[steps]
    }

    /// Whether it serves a group of the same steps: one with operands, scalars and targets of the same types.
    fn takes(&self, run: &Run<'_>, targets: &[Target]) -> bool {
        let group = run.group;
        self.operands.iter().copied().eq(group.operands.iter().map(|view| view.dtype))
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

/// A hash of steps and one more.
#[inline]
pub(super) fn hash_step(steps: u64, [work, inputs]: [u64; 2]) -> u64 {
    hash_word(hash_word(steps, work), inputs)
}

/// A hash of words and one more. The rotation lets high bits, which the products mix best, count in all later ones.
#[inline]
fn hash_word(words: u64, word: u64) -> u64 {
    (words.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The hashes of the first steps, for each number of them.
fn hashes(text: &[[u64; 2]]) -> Box<[u64]> {
    let more = text.iter().scan(0, |hash, &step| {
        *hash = hash_step(*hash, step);
        Some(*hash)
    });
    std::iter::once(0).chain(more).collect()
}

fn hash(run: &Run<'_>, targets: &[Target]) -> u64 {
    let wanted = targets.iter().map(|target| u64::from(target.step) << 8 | target.dtype as u64);
    let known = made(run).map(|step| 1 << 32 | u64::from(step));
    wanted.chain(known).fold(run.group.guide.hash(run.group.steps.len()), hash_word)
}
