//! Maps: steps at every point (or once a row) as one fused kernel, as the kernel of a single operator, or operator by
//! operator while the fused kernel is being compiled.

use cuproxide_hal::{DType, Scalar, Specialization};
use smallvec::SmallVec;

use super::kernels::{find_kernel, kernel};
use super::log::{Name, Outcome, Tier};
use super::places::stride_over;
use super::plans;
use super::program::Program;
use super::run::{Made, Run, Target};
use super::single;
use super::slice::{Slice, Source};
use super::step::{Ref, Step};
use crate::context::Context;
use crate::dispatch::{self, CachedKernel, Patience, Place};
use crate::error::Result;
use crate::layout::{Dims, Layout};
use crate::trace;
use crate::ufunc::{self, Ufunc};

/// Computes all targets; those from `pure` on change memory that steps may read, and come last.
pub(super) fn compute(run: &Run<'_>, targets: &[Target], pure: usize) -> Result<Outcome> {
    // What ran before in the same form is planned already.
    let known = if plans::is_worth_it(run.group) { plans::find(run.group, targets) } else { None };
    if let Some((plan, kernel)) = known {
        return launch_kernel(run, &plan.slice, &kernel, targets, false);
    }
    let steps = |targets: &[Target]| targets.iter().map(|target| target.step).collect::<SmallVec<[u16; 16]>>();
    let slice = Slice::of(run, steps(targets).into_iter());
    if slice.operands.len() + targets.len() <= Specialization::MAX_OPERANDS {
        if !plans::is_worth_it(run.group) || is_single(&slice, targets) {
            return launch(run, &slice, targets, false);
        }
        let (kernel, used) = find_kernel(slice.map_program(run, targets), Program::map_kernel)?;
        let plan = plans::keep(run.group, targets, slice, &kernel, used);
        return launch_kernel(run, &plan.slice, &kernel, targets, false);
    }
    // More results than a kernel takes: several kernels, each with what it needs.
    let room = Specialization::MAX_OPERANDS - slice.operands.len();
    let mut outcome = Outcome::default();
    let (made, changed) = targets.split_at(pure);
    for part in made.chunks(room).chain(std::iter::once(changed).filter(|part| !part.is_empty())) {
        let slice = Slice::of(run, steps(part).into_iter());
        outcome = outcome.and(launch(run, &slice, part, false)?);
    }
    Ok(outcome)
}

/// Whether a slice is a single operator.
fn is_single(slice: &Slice, targets: &[Target]) -> bool {
    let one = |step: &Step| step.call().is_some_and(|(ufunc, ..)| ufunc.nout == 1);
    matches!((&slice.steps[..], targets), ([step], [_]) if one(step))
}

/// Computes targets that fit one kernel: at all points, or for one of each `row`.
pub(super) fn launch(run: &Run<'_>, slice: &Slice, targets: &[Target], row: bool) -> Result<Outcome> {
    if let ([step], [target]) = (&slice.steps[..], targets)
        && let Some((ufunc, index, _)) = step.call()
        && ufunc.nout == 1
    {
        run_single(run, slice, step, (ufunc, index), target, row)?;
        let name = Name::Static(ufunc.name);
        return Ok(Outcome { tier: Tier::Single, name, ..outcome_of(slice, targets) });
    }
    let kernel = kernel(slice.map_program(run, targets), Program::map_kernel)?;
    launch_kernel(run, slice, &kernel, targets, row)
}

/// [`launch`] with the kernel of the slice's program.
fn launch_kernel(
    run: &Run<'_>,
    slice: &Slice,
    kernel: &CachedKernel,
    targets: &[Target],
    row: bool,
) -> Result<Outcome> {
    let outcome = Outcome { name: Name::Shared(kernel.shared_name()), ..outcome_of(slice, targets) };
    let scalars: SmallVec<[Scalar; 8]> = slice.scalars(run).collect();
    let form = kernel.of_equal_scalars(&scalars)?;
    let kernel = form.as_deref().unwrap_or(kernel);
    let shape = run.shape(row);
    let is_queued = match lines_of(run, slice, targets, &shape) {
        Some(lines) => {
            let size = shape.iter().product();
            dispatch::try_launch_line(run.context, kernel, size, &lines, &scalars, run.patience)?
        }
        None => {
            let mut places: SmallVec<[(Place, DType); 8]> = slice.places(run).zip(slice.dtypes(run)).collect();
            places.extend(targets.iter().map(|target| (target.place.clone(), target.dtype)));
            queue(run.context, kernel, &shape, &places, &scalars, run.patience)?
        }
    };
    if is_queued {
        return Ok(outcome);
    }
    run_unfused(run, slice, targets, row)?;
    Ok(Outcome { tier: Tier::Unfused, ..outcome })
}

/// Addresses and strides of all that a slice reads, and then of the targets, if all lie in lines.
fn lines_of(run: &Run<'_>, slice: &Slice, targets: &[Target], shape: &[usize]) -> Option<SmallVec<[(u64, isize); 8]>> {
    let line = |ptr, dtype, strides: &[isize]| Some((ptr, stride_over(shape, dtype, strides)?));
    let read = slice.operands.iter().map(|&source| match source {
        Source::Operand(operand) => {
            let view = &run.group.operands[usize::from(operand)];
            line(view.ptr(), view.dtype, &view.strides)
        }
        Source::Made(step) => {
            let made = run.made(step.into()).expect("only what is made is read");
            line(made.place.ptr, made.dtype, &made.place.strides)
        }
    });
    let written = targets.iter().map(|target| line(target.place.ptr, target.dtype, &target.place.strides));
    read.chain(written).collect()
}

fn outcome_of(slice: &Slice, targets: &[Target]) -> Outcome {
    Outcome {
        tier: Tier::Fused,
        steps: slice.steps.len(),
        operands: slice.operands.len(),
        stored: targets.len(),
        name: Name::default(),
        absorbed: 0,
    }
}

/// Queues a map kernel over a shape; false if it still has to be compiled.
fn queue(
    context: &Context,
    kernel: &CachedKernel,
    shape: &[usize],
    places: &[(Place, DType)],
    scalars: &[Scalar],
    patience: Patience,
) -> Result<bool> {
    let line = |(place, dtype): &(Place, DType)| Some((place.ptr, stride_over(shape, *dtype, &place.strides)?));
    let lines: Option<SmallVec<[(u64, isize); 8]>> = places.iter().map(line).collect();
    if let Some(lines) = lines {
        return dispatch::try_launch_line(context, kernel, shape.iter().product(), &lines, scalars, patience);
    }
    let mut places: SmallVec<[Place; 4]> = places.iter().map(|(place, _)| place.clone()).collect();
    dispatch::try_launch(context, kernel, shape, &[], &mut places, scalars, patience)
}

/// Runs a single operator with the kernel that serves it anywhere, or as a copy or fill where it is one.
fn run_single(
    run: &Run<'_>,
    slice: &Slice,
    step: &Step,
    (ufunc, index): (&'static Ufunc, usize),
    target: &Target,
    row: bool,
) -> Result<()> {
    let shape = run.shape(row);
    if ufunc.name == "copy" && move_bytes(run, slice, step, target, &shape)? {
        return Ok(());
    }
    let mut inputs = Inputs::of(run, slice, step, &[]);
    inputs.places.push((target.place.clone(), target.dtype));
    inputs.queue(run, &shape, ufunc, index, &[step.dtype])
}

/// Copies the results of a step from memory to a target, at the end if that exists already.
pub(super) fn store_made(run: &Run<'_>, made: &Made, target: &Target) -> Result<()> {
    match target.effect {
        Some(effect) => {
            run.copies.borrow_mut().push((effect, made.clone()));
            Ok(())
        }
        None => copy_made(run, made, target),
    }
}

/// Copies the results of a step from memory to a target.
pub(super) fn copy_made(run: &Run<'_>, made: &Made, target: &Target) -> Result<()> {
    let copy = ufunc::copy();
    let places = SmallVec::from_iter([(made.place.clone(), made.dtype), (target.place.clone(), target.dtype)]);
    let inputs =
        Inputs { sources: SmallVec::from_elem(ufunc::Source::Memory(made.dtype), 1), places, scalars: SmallVec::new() };
    let index = copy.loop_of(target.dtype).expect("every type can be copied");
    inputs.queue(run, &run.shape(target.row), copy, index, &[target.dtype])
}

/// What an operator alone reads, and then where it writes.
struct Inputs {
    sources: SmallVec<[ufunc::Source; 4]>,
    places: SmallVec<[(Place, DType); 4]>,
    scalars: SmallVec<[Scalar; 4]>,
}

impl Inputs {
    /// The inputs of a step; `made` are the results of earlier ones of the slice.
    fn of(run: &Run<'_>, slice: &Slice, step: &Step, made: &[Option<Made>]) -> Inputs {
        let mut inputs = Inputs { sources: SmallVec::new(), places: SmallVec::new(), scalars: SmallVec::new() };
        for input in step.inputs() {
            let source = match *input {
                Ref::Step(earlier) => {
                    let made = made[usize::from(earlier)].as_ref().expect("kept until its last use");
                    inputs.places.push((made.place.clone(), made.dtype));
                    ufunc::Source::Memory(made.dtype)
                }
                Ref::Operand(operand) => {
                    let source = slice.operands[usize::from(operand)];
                    inputs.places.push((source.place(run), source.dtype(run)));
                    ufunc::Source::Memory(source.dtype(run))
                }
                Ref::Scalar(scalar) => {
                    let scalar = run.group.scalars[usize::from(slice.scalars[usize::from(scalar)])];
                    inputs.scalars.push(scalar);
                    ufunc::Source::Scalar(scalar.dtype)
                }
            };
            inputs.sources.push(source);
        }
        inputs
    }

    /// Queues a ufunc that stores types `stored`.
    fn queue(
        &self,
        run: &Run<'_>,
        shape: &[usize],
        ufunc: &'static Ufunc,
        index: usize,
        stored: &[DType],
    ) -> Result<()> {
        let kernel = ufunc::cached_kernel(ufunc, index, &self.sources, stored, false)?;
        queue(run.context, kernel, shape, &self.places, &self.scalars, Patience::Wait).map(drop)
    }
}

/// Copies and fills by the device's own means where that is possible.
fn move_bytes(run: &Run<'_>, slice: &Slice, step: &Step, target: &Target, shape: &[usize]) -> Result<bool> {
    let bytes = shape.iter().product::<usize>() * target.dtype.size();
    let strides = target.place.strides.clone();
    let layout = Layout::new(Dims::from_slice(shape), strides, target.dtype.size());
    if !layout.c_contiguous && !layout.f_contiguous {
        return Ok(false);
    }
    let (context, device, ptr) = (run.context, run.context.below(), target.place.ptr);
    match step.inputs[0] {
        Ref::Scalar(scalar) => {
            let value = run.group.scalars[usize::from(slice.scalars[usize::from(scalar)])];
            if value.dtype != target.dtype || value.bytes != [0; 16] {
                return Ok(false);
            }
            // SAFETY: the target is dense and owns its bytes.
            context.queue_known(|stream| unsafe { device.fill(stream, ptr, 0, bytes) })?;
            trace::moved(context.index(), ptr, None, bytes);
        }
        Ref::Operand(operand) => {
            let source = slice.operands[usize::from(operand)];
            let (place, dtype) = (source.place(run), source.dtype(run));
            let alike = dtype == target.dtype && place.strides == target.place.strides;
            if !alike || step.dtype != target.dtype {
                return Ok(false);
            }
            single::move_line(context, ptr, place.ptr, bytes)?;
        }
        Ref::Step(_) => return Ok(false),
    }
    Ok(true)
}

/// Operator by operator, in order, as the program was written: while the fused kernel is being compiled.
fn run_unfused(run: &Run<'_>, slice: &Slice, targets: &[Target], row: bool) -> Result<()> {
    let mut last_use: Vec<usize> = (0..slice.steps.len()).collect();
    let earlier = |step: &Step| -> SmallVec<[usize; 4]> {
        let steps = step.inputs().iter();
        steps
            .filter_map(|input| if let Ref::Step(number) = input { Some(usize::from(*number)) } else { None })
            .collect()
    };
    for (number, step) in slice.steps.iter().enumerate() {
        earlier(step).into_iter().for_each(|used| last_use[used] = number);
    }
    // What is stored is kept until all is computed: a target may be an operand of a later step.
    for target in targets {
        if let Ref::Step(number) = slice.reference(target.step) {
            last_use[usize::from(number)] = usize::MAX;
        }
    }
    let mut made: Vec<Option<Made>> = vec![None; slice.steps.len()];
    for (number, step) in slice.steps.iter().enumerate() {
        let (ufunc, index, part) = step.call().expect("folds are not part of maps");
        let row = row || step.row;
        let mut inputs = Inputs::of(run, slice, step, &made);
        let mut types: SmallVec<[DType; 2]> = ufunc.loops[index].outputs.iter().copied().collect();
        types[part] = step.dtype;
        let mut results: SmallVec<[Made; 2]> = SmallVec::new();
        for &dtype in &types {
            let result = run.allocate(dtype, row)?;
            inputs.places.push((result.place.clone(), dtype));
            results.push(result);
        }
        inputs.queue(run, &run.shape(row), ufunc, index, &types)?;
        made[number] = Some(results.swap_remove(part));
        earlier(step).into_iter().filter(|&used| last_use[used] == number).for_each(|used| made[used] = None);
    }
    for target in targets {
        let kept = match slice.reference(target.step) {
            Ref::Step(number) => made[usize::from(number)].as_ref().expect("kept for the targets"),
            _ => run.made(target.step.into()).expect("a target is a step"),
        };
        store_made(run, kept, target)?;
    }
    Ok(())
}
