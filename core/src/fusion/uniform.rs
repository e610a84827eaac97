//! Uniform steps have one value at all points, such as the log-gamma function of a distribution's parameter. If they take much
//! work, a separate kernel computes them once, and the group's kernel reads the results.
//!
//! The decision depends on the steps, the strides of the operands, the number of axes and the device. It never depends on the
//! number of points, except that a group of one point stays one kernel. Both kernels call the same operators, so results have
//! the same bits.

use smallvec::SmallVec;

use super::contract::keeps_product;
use super::group::Group;
use super::log::Outcome;
use super::maps;
use super::run::{Made, Run, Target};
use super::slice::Slice;
use super::step::{Ref, Step, WORTH_ONCE};
use super::view::View;
use crate::error::Result;
use crate::ufunc::Ufunc;

/// Least work of a value that the separate kernel computes: that of an elementary function.
const VALUE: usize = 24;

/// Most values that are computed once; they become operands of the group's kernel.
const MOST: usize = 8;

/// Computes the uniform steps of the targets that are worth a separate kernel.
pub(super) fn compute(run: &mut Run<'_>, targets: &[Target]) -> Result<Outcome> {
    let group = run.group;
    if !may_pay(group) || is_hoisted(run) {
        return Ok(Outcome::default());
    }
    let found = find(group, targets);
    if found.is_empty() || !group.has_operands(found.len()) {
        return Ok(Outcome::default());
    }
    let mut once = Run::new(run.context, group);
    once.is_once = true;
    let mut goals: SmallVec<[Target; MOST]> = SmallVec::new();
    let mut made: SmallVec<[Made; MOST]> = SmallVec::new();
    for &step in &found {
        let result = once.allocate(group.steps[usize::from(step)].dtype, &once.shape(false))?;
        goals.push(Target { step, dtype: result.dtype, place: result.place.clone(), row: false, effect: None });
        made.push(result);
    }
    let slice = Slice::of(&once, found.iter().copied());
    let outcome = maps::launch(&once, &slice, &goals, false)?;
    run.made.resize(group.steps.len(), None);
    for (step, made) in found.into_iter().zip(made) {
        run.made[usize::from(step)] = Some(made);
    }
    Ok(outcome)
}

/// Whether a group may have uniform steps with enough work.
#[inline]
fn may_pay(group: &Group) -> bool {
    let work = || group.steps.iter().filter_map(Step::call).map(|(ufunc, index, _)| usize::from(ufunc.cost(index)));
    group.size() > 1
        && (group.uniform_work >= WORTH_ONCE
            || (group.operands.iter().any(is_one) && work().sum::<usize>() >= WORTH_ONCE))
}

/// Whether the group's kernel computes its uniform steps before its loop anyway: a CPU kernel does so with straight-line
/// functions, once for each line. For a small group that takes less time than another launch. With several axes the lines may
/// be short.
fn is_hoisted(run: &Run<'_>) -> bool {
    let group = run.group;
    let is_line = group.shape.len() == 1 && group.reduced == 0 && group.effects.is_empty();
    let straight = |(ufunc, index, _): (&Ufunc, usize, usize)| ufunc.is_straight(index);
    is_line && !run.context.info().asynchronous && group.steps.iter().filter_map(Step::call).all(straight)
}

/// Whether an operand is one element, broadcast to all points.
#[inline]
fn is_one(view: &View) -> bool {
    view.strides.iter().all(|&stride| stride == 0)
}

/// The uniform steps to be computed once: those that targets or other steps read.
fn find(group: &Group, targets: &[Target]) -> SmallVec<[u16; MOST]> {
    let needed = group.needed(targets.iter().map(|target| target.step), |_| false);
    // The input of a fold stays an expression over all points: the fold groups its terms by how the operands lie.
    let folds = || group.steps.iter().filter(|step| step.folding().is_some());
    let folded = |number: usize| folds().any(|fold| fold.inputs[0] == Ref::Step(number as u16));
    // The work of each uniform step, with its inputs; `None` for all other steps.
    let mut work: SmallVec<[Option<usize>; 32]> = SmallVec::new();
    let mut total = 0;
    for (number, step) in group.steps.iter().enumerate() {
        let own = step.call().filter(|_| needed[number] && !keeps_product(step) && !folded(number));
        let before = |sum: usize, input: &Ref| {
            Some(match *input {
                Ref::Step(earlier) => sum + work[usize::from(earlier)]?,
                Ref::Operand(operand) => is_one(&group.operands[usize::from(operand)]).then_some(sum)?,
                Ref::Scalar(_) => sum,
            })
        };
        let inputs = own.and_then(|_| step.inputs().iter().try_fold(0, before));
        work.push(own.zip(inputs).map(|((ufunc, index, _), inputs)| {
            let cost = usize::from(ufunc.cost(index));
            total += cost;
            cost + inputs
        }));
    }
    let mut found = SmallVec::new();
    if total < WORTH_ONCE {
        return found;
    }
    let mut read: SmallVec<[bool; 32]> = SmallVec::from_elem(false, group.steps.len());
    targets.iter().for_each(|target| read[usize::from(target.step)] = true);
    let varying = |(number, _): &(usize, &Step)| needed[*number] && work[*number].is_none();
    for (_, step) in group.steps.iter().enumerate().filter(varying) {
        for input in step.inputs() {
            if let Ref::Step(earlier) = *input {
                read[usize::from(earlier)] = true;
            }
        }
    }
    for (number, work) in work.iter().enumerate() {
        if read[number] && work.is_some_and(|work| work >= VALUE) && found.len() < MOST {
            found.push(number as u16);
        }
    }
    found
}
