//! Kernels of rows: one kernel for folds and the operations on their results, which keeps each row on the processor meanwhile.

use cuproxide_hal::{DType, Scalar, Specialization};
use smallvec::SmallVec;

use super::kernels::rows_kernel;
use super::log::{Name, Outcome, Tier};
use super::places::{alike, group_alike, ordered, spaces};
use super::run::{Run, Target};
use super::slice::Slice;
use super::step::{Ref, Step};
use crate::dispatch::{self, CachedKernel, Patience, Place};
use crate::error::{Error, Result};
use crate::fold::Plan;

/// Most work of a kernel of rows, in additions for each element.
const MOST_COST: usize = 192;
/// Most work of one of its steps: steps with more work have loops.
const STEP_COST: u8 = 60;

/// The outcome of trying a kernel of rows.
pub(super) enum Attempt {
    /// The kernel runs.
    Done(Outcome),
    /// It has to be compiled first.
    Unready,
    /// The group does not fit a kernel of rows.
    Unfit,
}

/// Computes all targets with one kernel, if the group fits one.
pub(super) fn run(run: &Run<'_>, targets: &[Target]) -> Result<Attempt> {
    let group = run.group;
    let (outer, inner) = spaces(run);
    let trailing = (0..group.shape.len()).all(|axis| group.is_reduced(axis) == (axis >= outer.len()));
    let length: usize = inner.iter().product();
    if !trailing || length < 2 {
        return Ok(Attempt::Unfit);
    }
    let slice = Slice::of(run, targets.iter().map(|target| target.step));
    let folds: SmallVec<[&Plan; 8]> =
        group.plans.iter().filter(|(step, _)| slice.contains(*step)).map(|(_, plan)| plan).collect();
    let again = targets.iter().any(|target| !target.row) || depth(&slice) > 1;
    let Some(guide) = folds.iter().find(|plan| !plan.row.is_exact(plan)).or(folds.first()) else {
        return Ok(Attempt::Unfit);
    };
    let light = slice.steps.iter().filter_map(Step::call).all(|(ufunc, index, _)| ufunc.cost(index) <= STEP_COST);
    let most = run.context.info().row_bytes;
    if !again
        || !light
        || slice.cost() > MOST_COST
        || length * guide.input.size() > most
        || slice.operands.len() + targets.len() > Specialization::MAX_OPERANDS
        || !group_alike(folds.iter().copied())
    {
        return Ok(Attempt::Unfit);
    }
    let mut places: SmallVec<[Place; 16]> = slice.places(run).collect();
    places.extend(targets.iter().map(|target| target.place.clone()));
    let mut places = ordered(run, places);
    let sizes: SmallVec<[usize; 16]> =
        slice.dtypes(run).chain(targets.iter().map(|target| target.dtype)).map(DType::size).collect();
    if !alike(run, guide, &places, &sizes, false) {
        return Ok(Attempt::Unfit);
    }
    let stores: SmallVec<[(Ref, DType); 8]> =
        targets.iter().map(|target| (slice.reference(target.step), target.dtype)).collect();
    let Some((kernel, held)) = rows_kernel(slice.program(run, &stores, None))? else { return Ok(Attempt::Unfit) };
    // The last points of a row take as much room as a whole vector.
    if !folds_move(&kernel, &places) || (length + 16) * held > most {
        return Ok(Attempt::Unfit);
    }
    let scalars: Vec<Scalar> = slice.scalars(run).collect();
    let patience = Patience::Background.sparing(run.context, run.group.size() * guide.input.size());
    match dispatch::try_launch(run.context, &kernel, &outer, &inner, &mut places, &scalars, patience) {
        Ok(true) => {}
        Ok(false) => return Ok(Attempt::Unready),
        // The values that the parts pass on exceed the device's fast memory.
        Err(Error::Hal(cuproxide_hal::Error::Unsupported { .. })) => return Ok(Attempt::Unfit),
        Err(error) => return Err(error),
    }
    Ok(Attempt::Done(Outcome {
        tier: Tier::Fused,
        steps: slice.steps.len(),
        operands: slice.operands.len(),
        stored: targets.len(),
        name: Name::Shared(kernel.shared_name()),
        absorbed: folds.len(),
    }))
}

/// Whether each fold reads an operand that varies along a row. Folds of constant rows group their terms differently.
fn folds_move(kernel: &CachedKernel, places: &[Place]) -> bool {
    let moves = |place: &Place| place.strides.last().is_some_and(|&stride| stride != 0);
    (0..kernel.folds()).all(|fold| kernel.folded(fold, places.iter()).any(moves))
}

/// The length of the longest chain of folds each of which needs the one before.
fn depth(slice: &Slice) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(slice.steps.len());
    for step in &slice.steps {
        let before = step.inputs().iter().map(|input| match input {
            Ref::Step(earlier) => depths[usize::from(*earlier)],
            _ => 0,
        });
        let before = before.max().unwrap_or(0);
        depths.push(before + usize::from(step.folding().is_some()));
    }
    depths.into_iter().max().unwrap_or(0)
}
