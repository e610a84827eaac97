//! Groups with folds. The folds that need no other run first, several in one kernel if they share operands; then the steps that
//! are computed once for each row from their results; then the folds that need these, and so on; last the results at all points.

use std::slice;

use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use super::kernels;
use super::log::{Name, Outcome, Tier};
use super::maps;
use super::operators;
use super::places::{alike, group_alike, ordered, spaces};
use super::program::Program;
use super::rows::{self, Attempt};
use super::run::{Made, Run, Target};
use super::slice::{Slice, Source};
use super::step::Ref;
use crate::dispatch::{self, CachedKernel, Patience, Place};
use crate::error::Result;
use crate::fold::{self, Options, Plan};

/// Work of an expression, in additions for each element, above which it is stored in memory before a reduction, if its array is
/// needed again later, instead of being computed twice.
pub(super) const REPEATABLE_COST: usize = 64;

/// Work of an expression, in additions for each element, up to which a sum over it is unrolled like a sum over stored elements.
pub(super) const GROUPED_COST: usize = 48;

/// The same for an expression with several sums.
const SHARED_COST: usize = 128;

/// Most folds of one kernel.
const MAX_TOGETHER: usize = 4;

/// A fold that can run.
pub(super) struct Ready<'g> {
    pub step: u16,
    pub plan: &'g Plan,
}

/// Computes all targets. Those from `pure` on change existing memory, which steps may read, and come last.
pub(super) fn compute(run: &mut Run<'_>, targets: Vec<Target>, pure: usize) -> Result<Outcome> {
    if let ([target], [(step, plan)]) = (&targets[..], &run.group.plans[..])
        && target.step == *step
    {
        // A reduction alone.
        return fold(run, &[Ready { step: *step, plan }], &targets, &targets);
    }
    match rows::run(run, &targets)? {
        Attempt::Done(outcome) => return Ok(outcome),
        // Until that kernel is compiled, others are compiled only if memory would not suffice.
        Attempt::Unready => run.patience = Patience::Never,
        Attempt::Unfit => {}
    }
    let mut outcome = Outcome::default();
    loop {
        outcome = outcome.and(compute_rows(run, &targets[..pure], &targets)?);
        let ready = ready(run, &targets);
        if ready.is_empty() {
            break;
        }
        for set in together(run, ready) {
            outcome = outcome.and(fold(run, &set, &targets[..pure], &targets)?);
        }
    }
    let (mut rest, mut copies) = (vec![], vec![]);
    let mut pure_rest = 0;
    for (number, target) in targets.into_iter().enumerate() {
        match run.made(target.step.into()) {
            Some(made) if made.place.ptr == target.place.ptr && made.dtype == target.dtype => {}
            Some(_) => copies.push(target),
            None => {
                pure_rest += usize::from(number < pure);
                rest.push(target);
            }
        }
    }
    // New arrays first: the rest changes existing memory.
    for target in &copies {
        operators::store_made(run, run.made(target.step.into()).expect("sorted out above"), target)?;
    }
    if !rest.is_empty() {
        outcome = outcome.and(maps::compute(run, &rest, pure_rest)?);
    }
    Ok(outcome)
}

fn roots(targets: &[Target]) -> impl Iterator<Item = u16> + '_ {
    targets.iter().map(|target| target.step)
}

/// Marks the needed steps that depend on a fold that has not run.
fn blocked(run: &Run<'_>, needed: &[bool]) -> Vec<bool> {
    let steps = &run.group.steps;
    let mut blocked = vec![false; steps.len()];
    for (number, step) in steps.iter().enumerate().filter(|(number, _)| needed[*number] && run.made(*number).is_none())
    {
        blocked[number] = step.inputs().iter().any(|input| match *input {
            Ref::Step(earlier) => {
                let earlier = usize::from(earlier);
                blocked[earlier] || (steps[earlier].folding().is_some() && run.made(earlier).is_none())
            }
            _ => false,
        });
    }
    blocked
}

/// The needed folds that depend on no other fold.
fn ready<'g>(run: &Run<'g>, targets: &[Target]) -> Vec<Ready<'g>> {
    let needed = run.needed(roots(targets));
    let blocked = blocked(run, &needed);
    let open = |step: usize| needed[step] && !blocked[step] && run.made(step).is_none();
    let plans = run.group.plans.iter().filter(|(step, _)| open(usize::from(*step)));
    plans.map(|(step, plan)| Ready { step: *step, plan }).collect()
}

/// Sets of folds that make one kernel each.
fn together<'g>(run: &Run<'g>, ready: Vec<Ready<'g>>) -> Vec<Vec<Ready<'g>>> {
    let mut sets: Vec<Vec<Ready<'g>>> = vec![];
    for fold in ready {
        match sets.iter_mut().find(|set| joins(run, set, &fold)) {
            Some(set) => set.push(fold),
            None => sets.push(vec![fold]),
        }
    }
    sets
}

fn joins(run: &Run<'_>, set: &[Ready<'_>], fold: &Ready<'_>) -> bool {
    if set.len() >= MAX_TOGETHER || !group_alike(set.iter().chain(slice::from_ref(fold)).map(|fold| fold.plan)) {
        return false;
    }
    let alone = Slice::of(run, std::iter::once(fold.step));
    let before = Slice::of(run, set.iter().map(|fold| fold.step));
    let shares = before.operands.iter().any(|source| alone.operands.contains(source));
    shares && Slice::of(run, set.iter().chain(slice::from_ref(fold)).map(|fold| fold.step)).cost() <= SHARED_COST
}

/// Computes the steps that run once for each row on results of folds, if they are targets or are used at all points.
fn compute_rows(run: &mut Run<'_>, places: &[Target], targets: &[Target]) -> Result<Outcome> {
    let needed = run.needed(roots(targets));
    let blocked = blocked(run, &needed);
    let steps = &run.group.steps;
    let mut wanted = vec![false; steps.len()];
    roots(targets).for_each(|step| wanted[usize::from(step)] = true);
    for (_, step) in
        steps.iter().enumerate().filter(|(number, step)| needed[*number] && (!step.row || step.folding().is_some()))
    {
        for input in step.inputs() {
            if let Ref::Step(earlier) = input {
                wanted[usize::from(*earlier)] = true;
            }
        }
    }
    let open = |number: usize| {
        let step = &steps[number];
        step.row && step.call().is_some() && needed[number] && !blocked[number] && run.made(number).is_none()
    };
    let chosen: Vec<u16> =
        (0..steps.len()).filter(|&number| wanted[number] && open(number)).map(|number| number as u16).collect();
    if chosen.is_empty() {
        return Ok(Outcome::default());
    }
    let mut made = vec![];
    for &step in &chosen {
        made.push(place_for(run, step, places)?);
    }
    let goals: Vec<Target> = chosen
        .iter()
        .zip(&made)
        .map(|(&step, made)| Target { step, dtype: made.dtype, place: made.place.clone(), row: true, effect: None })
        .collect();
    let mut outcome = Outcome::default();
    for goals in goals.chunks(MAX_TOGETHER) {
        let slice = Slice::of(run, roots(goals));
        outcome = outcome.and(maps::launch(run, &slice, goals, true)?);
    }
    for (step, made) in chosen.into_iter().zip(made) {
        run.made[usize::from(step)] = Some(made);
    }
    Ok(outcome)
}

/// Memory for the result of a step: that of its target, or new memory.
fn place_for(run: &Run<'_>, step: u16, places: &[Target]) -> Result<Made> {
    let what = &run.group.steps[usize::from(step)];
    let fits = |target: &&Target| target.step == step && target.dtype == what.dtype && target.row == what.row;
    match places.iter().find(fits) {
        Some(target) => Ok(Made { dtype: target.dtype, place: target.place.clone(), buffer: None }),
        None => run.allocate(what.dtype, &run.shape(what.row)),
    }
}

/// Runs a set of folds.
fn fold(run: &mut Run<'_>, set: &[Ready<'_>], places: &[Target], targets: &[Target]) -> Result<Outcome> {
    let slice = Slice::of(run, set.iter().map(|fold| fold.step));
    let single = if let [fold] = set { Some(fold) } else { None };
    let is_call =
        |fold: &&Ready| matches!(input_of(run, fold.step), Ref::Step(step) if run.made(step.into()).is_none());
    if let Some(fold) = single.filter(|fold| !is_call(fold)) {
        return run_alone(run, fold, places);
    }
    if is_absorbable(run, set, &slice, targets)
        && let Some(outcome) = run_fused(run, set, &slice, places)?
    {
        return Ok(outcome);
    }
    let mut outcome = Outcome::default();
    for fold in set {
        if single.is_none() {
            outcome = outcome.and(self::fold(run, slice::from_ref(fold), places, targets)?);
            continue;
        }
        let Ref::Step(value) = input_of(run, fold.step) else { continue };
        let made = place_for(run, value, places)?;
        let goal = Target { step: value, dtype: made.dtype, place: made.place.clone(), row: false, effect: None };
        let slice = Slice::of(run, std::iter::once(value));
        outcome = outcome.and(maps::launch(run, &slice, slice::from_ref(&goal), false)?);
        run.made[usize::from(value)] = Some(made);
        outcome = outcome.and(run_alone(run, fold, places)?);
    }
    Ok(outcome)
}

fn input_of(run: &Run<'_>, fold: u16) -> Ref {
    run.group.steps[usize::from(fold)].inputs[0]
}

/// Whether folds may compute their inputs themselves: computing these again later must not cost more than storing them.
fn is_absorbable(run: &Run<'_>, set: &[Ready<'_>], slice: &Slice, targets: &[Target]) -> bool {
    let cost = slice.cost();
    let most = if set.len() > 1 { SHARED_COST } else { GROUPED_COST };
    let itemsize = set.iter().map(|fold| fold.plan.input.size()).max().unwrap_or(1);
    let cheap = cost <= REPEATABLE_COST && slice.read_bytes(run) <= 3 * run.group.size() * itemsize;
    let needed = || {
        let done = |step: usize| run.made(step).is_some() || set.iter().any(|fold| usize::from(fold.step) == step);
        run.group.needed(roots(targets), done)
    };
    let shared = |needed: &[bool]| {
        set.iter().any(|fold| matches!(input_of(run, fold.step), Ref::Step(value) if needed[usize::from(value)]))
    };
    if !cheap && shared(&needed()) {
        return false;
    }
    set.iter().all(|fold| fold.plan.row.is_exact(fold.plan) || cost <= most)
}

/// Whether all folds of a kernel that reads `places` group their terms as folds of stored values do.
fn all_alike(run: &Run<'_>, set: &[Ready<'_>], slice: &Slice, kernel: &CachedKernel, places: &[Place]) -> bool {
    let mut inexact = set.iter().filter(|fold| !fold.plan.row.is_exact(fold.plan)).peekable();
    if inexact.peek().is_none() {
        return true;
    }
    let sizes = slice.dtypes(run).map(DType::size);
    let read = kernel.folded(0, places.iter().cloned().zip(sizes));
    let (places, sizes): (SmallVec<[Place; 8]>, SmallVec<[usize; 8]>) = read.unzip();
    inexact.all(|fold| alike(run, fold.plan, &places, &sizes, true))
}

/// Runs a fold of a value in memory, with the ordinary kernel of that reduction.
fn run_alone(run: &mut Run<'_>, ready: &Ready<'_>, places: &[Target]) -> Result<Outcome> {
    let step = run.group.steps[usize::from(ready.step)];
    let source = match step.inputs[0] {
        Ref::Operand(operand) => Source::Operand(operand),
        Ref::Step(value) => Source::Made(value),
        Ref::Scalar(_) => unreachable!("scalars are not folded"),
    };
    let made = place_for(run, ready.step, places)?;
    let arguments: SmallVec<[Scalar; 2]> = step.inputs()[1..]
        .iter()
        .filter_map(
            |input| if let Ref::Scalar(index) = input { Some(run.group.scalars[usize::from(*index)]) } else { None },
        )
        .collect();
    let key = fold::Key { plan: ready.plan.clone(), stored: step.dtype, options: Options::default() };
    let kernel = fold::REDUCE.kernel(key)?;
    let (outer, inner) = spaces(run);
    let mut all = ordered(run, SmallVec::from_buf([source.place(run), made.place.clone()]));
    dispatch::launch(run.context, kernel, &outer, &inner, &mut all, &arguments)?;
    run.made[usize::from(ready.step)] = Some(made);
    Ok(Outcome {
        tier: Tier::Single,
        steps: 1,
        operands: 1,
        stored: 1,
        name: Name::Shared(kernel.shared_name()),
        absorbed: 0,
    })
}

/// Runs folds and the expressions that they fold as one kernel; `None` if the kernel has to be compiled first, or if its sums
/// would not group their terms as sums of stored elements do.
fn run_fused(run: &mut Run<'_>, set: &[Ready<'_>], slice: &Slice, targets: &[Target]) -> Result<Option<Outcome>> {
    let stored = |fold: &Ready| (slice.reference(fold.step), run.group.steps[usize::from(fold.step)].dtype);
    let stores: SmallVec<[(Ref, DType); 4]> = set.iter().map(stored).collect();
    let kernel = kernels::kernel(slice.program(run, &stores, None), Program::folds_kernel)?;
    let mut places: SmallVec<[Place; 16]> = ordered(run, slice.places(run).collect());
    if !all_alike(run, set, slice, &kernel, &places) {
        return Ok(None);
    }
    let made = set.iter().map(|fold| place_for(run, fold.step, targets)).collect::<Result<Vec<Made>>>()?;
    places.extend(ordered(run, made.iter().map(|made| made.place.clone()).collect::<SmallVec<[Place; 4]>>()));
    let scalars: Vec<Scalar> = slice.scalars(run).collect();
    let (outer, inner) = spaces(run);
    let input = set.iter().map(|fold| fold.plan.input.size()).max().unwrap_or(0);
    let patience = run.patience.sparing(run.context, run.group.size() * input);
    if !dispatch::try_launch(run.context, &kernel, &outer, &inner, &mut places, &scalars, patience)? {
        return Ok(None);
    }
    for (fold, made) in set.iter().zip(made) {
        run.made[usize::from(fold.step)] = Some(made);
    }
    Ok(Some(Outcome {
        tier: Tier::Fused,
        steps: slice.steps.len(),
        operands: slice.operands.len(),
        stored: set.len(),
        name: Name::Shared(kernel.shared_name()),
        absorbed: set.len(),
    }))
}
