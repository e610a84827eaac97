//! Runs a map operator by operator, while its fused kernel is being compiled.
//!
//! This takes about as much memory as running every operation at once. Values are stored only along the axes along which they
//! vary, new arrays are computed in their final memory, and copies share the values that they copy. A selection (`where=`) takes
//! one more array, and so does each write into an existing array except the last.

use cuproxide_hal::DType;
use smallvec::SmallVec;

use super::operators::{Inputs, store_made};
use super::run::{Made, Run, Target};
use super::slice::Slice;
use super::step::{Ref, Step};
use crate::dispatch::Patience;
use crate::error::Result;
use crate::layout::Dims;
use crate::ufunc;

/// Computes the targets of a slice, at all points or with `row` once for each row. Existing memory is changed last.
pub(super) fn run(run: &Run<'_>, slice: &Slice, targets: &[Target], row: bool) -> Result<()> {
    let mut work = Work::of(run, slice, targets, row);
    let last = work.last(targets);
    if let Some((number, _)) = last {
        work.keep_inputs(number);
    }
    for number in 0..slice.steps.len() {
        let is_copy = work.values[number] != number;
        if !is_copy && last.is_none_or(|(step, _)| step != number) {
            work.compute(number)?;
        }
    }
    for target in targets.iter().filter(|target| last.is_none_or(|(_, other)| !std::ptr::eq(*target, other))) {
        work.store(target)?;
    }
    let Some((number, target)) = last else { return Ok(()) };
    if work.queue(number, Some(target), Patience::Never)? {
        return Ok(());
    }
    work.compute(number)?;
    work.store(target)
}

struct Work<'w> {
    run: &'w Run<'w>,
    slice: &'w Slice,
    /// The shape of all points, or of one for each row.
    shape: Dims,
    /// For each step, the step whose result it has: itself, or the step that it copies.
    values: SmallVec<[usize; 16]>,
    /// The axes along which the result of each step varies, as bits.
    axes: SmallVec<[u64; 16]>,
    /// The last step that reads the result of each step. Results for targets are kept to the end, because a target may be an
    /// operand of a later step.
    last_use: SmallVec<[usize; 16]>,
    /// The new array for the result of each step, if there is one.
    homes: SmallVec<[Option<&'w Target>; 16]>,
    made: Vec<Option<Made>>,
}

/// The steps that a step reads.
fn earlier(step: &Step) -> impl Iterator<Item = usize> + '_ {
    step.inputs().iter().filter_map(|input| if let Ref::Step(number) = *input { Some(number.into()) } else { None })
}

/// The step that a step copies without a cast.
fn copied(slice: &Slice, step: &Step) -> Option<usize> {
    let (ufunc, index, _) = step.call()?;
    let source = earlier(step).next()?;
    let is_copy = ufunc.id == ufunc::copy().id && ufunc.loops[index].inputs[0] == step.dtype;
    (is_copy && slice.steps[source].dtype == step.dtype).then_some(source)
}

impl<'w> Work<'w> {
    fn of(run: &'w Run<'w>, slice: &'w Slice, targets: &'w [Target], row: bool) -> Work<'w> {
        let count = slice.steps.len();
        let mut work = Work {
            run,
            slice,
            shape: run.shape(row),
            values: SmallVec::new(),
            axes: SmallVec::new(),
            last_use: (0..count).collect(),
            homes: SmallVec::from_elem(None, count),
            made: vec![None; count],
        };
        for (number, step) in slice.steps.iter().enumerate() {
            let value = copied(slice, step).map_or(number, |source| work.values[source]);
            work.values.push(value);
            let axes = step.inputs().iter().fold(0, |axes, &input| axes | work.axes_of(input));
            work.axes.push(axes);
            earlier(step).for_each(|source| work.last_use[work.values[source]] = number);
        }
        for target in targets {
            if let Some(value) = work.value(target) {
                work.last_use[value] = usize::MAX;
                if target.effect.is_none() && target.dtype == slice.steps[value].dtype {
                    work.homes[value].get_or_insert(target);
                }
            }
        }
        work
    }

    /// The axes along which an input varies, as bits.
    fn axes_of(&self, input: Ref) -> u64 {
        match input {
            Ref::Step(earlier) => self.axes[usize::from(earlier)],
            Ref::Operand(operand) => {
                let place = self.slice.operands[usize::from(operand)].place(self.run);
                let moves = |(axis, &stride): (usize, &isize)| u64::from(stride != 0) << axis;
                place.strides.iter().enumerate().map(moves).sum()
            }
            Ref::Scalar(_) => 0,
        }
    }

    /// The step whose result a target gets, unless that is in memory already.
    fn value(&self, target: &Target) -> Option<usize> {
        match self.slice.reference(target.step) {
            Ref::Step(number) => Some(self.values[usize::from(number)]),
            _ => None,
        }
    }

    /// The only target that changes existing memory, with its step, if nothing else needs the result: the step can write
    /// directly to the target. If that fails, no memory has changed.
    fn last(&self, targets: &'w [Target]) -> Option<(usize, &'w Target)> {
        let [_] = self.run.group.effects[..] else { return None };
        let target = targets.iter().find(|target| target.effect.is_some())?;
        let value = self.value(target)?;
        let others = || targets.iter().filter(|other| self.value(other) == Some(value)).count() > 1;
        let is_read = || {
            self.slice.steps.iter().enumerate().any(|(number, step)| {
                self.values[number] == number && earlier(step).any(|source| self.values[source] == value)
            })
        };
        let fits = self.slice.steps[value].dtype == target.dtype && self.homes[value].is_none();
        (fits && !others() && !is_read()).then_some((value, target))
    }

    /// Keeps the inputs of a step to the end.
    fn keep_inputs(&mut self, number: usize) {
        earlier(&self.slice.steps[number]).for_each(|source| self.last_use[self.values[source]] = usize::MAX);
    }

    /// Computes a step into its new array, or into memory of its own.
    fn compute(&mut self, number: usize) -> Result<()> {
        self.queue(number, self.homes[number], Patience::Wait)?;
        for source in earlier(&self.slice.steps[number]) {
            let value = self.values[source];
            if self.last_use[value] == number {
                self.made[value] = None;
            }
        }
        Ok(())
    }

    /// Queues a step that writes a target or new memory; false if its kernel still has to be compiled.
    fn queue(&mut self, number: usize, target: Option<&Target>, patience: Patience) -> Result<bool> {
        let step = &self.slice.steps[number];
        let (ufunc, index, part) = step.call().expect("folds are no part of maps");
        let mut types: SmallVec<[DType; 2]> = ufunc.loops[index].outputs.iter().copied().collect();
        types[part] = step.dtype;
        let shape = match target {
            Some(target) => self.run.shape(target.row),
            None => self.own_shape(number),
        };
        let mut inputs = Inputs::of(self.run, self.slice, step, |earlier| {
            self.made[self.values[earlier]].as_ref().expect("kept until its last use")
        });
        let mut results: SmallVec<[Made; 2]> = SmallVec::new();
        for (position, &dtype) in types.iter().enumerate() {
            let made = match target.filter(|_| position == part) {
                Some(target) => Made { dtype, place: target.place.clone(), buffer: None },
                None => self.run.allocate(dtype, &shape)?,
            };
            inputs.places.push((made.place.clone(), dtype));
            results.push(made);
        }
        let is_queued = inputs.queue(self.run, &shape, ufunc, index, &types, patience)?;
        self.made[number] = is_queued.then(|| results.swap_remove(part));
        Ok(is_queued)
    }

    /// The shape over which the result of a step varies.
    fn own_shape(&self, number: usize) -> Dims {
        let length = |(axis, &length): (usize, &usize)| if self.axes[number] >> axis & 1 == 1 { length } else { 1 };
        self.shape.iter().enumerate().map(length).collect()
    }

    /// Copies a target's result to its place, unless it is there already.
    fn store(&self, target: &Target) -> Result<()> {
        let made = match self.value(target) {
            Some(value) => self.made[value].as_ref().expect("kept for the targets"),
            None => self.run.made(target.step.into()).expect("a target is a step"),
        };
        if made.place.ptr == target.place.ptr { Ok(()) } else { store_made(self.run, made, target) }
    }
}
