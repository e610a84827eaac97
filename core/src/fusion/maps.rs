//! Maps: steps at every point (or once for each row) as one fused kernel, as the kernel of a single operator, or operator by
//! operator ([`unfused`]) while the fused kernel is being compiled.

use cuproxide_hal::{DType, Scalar, Specialization};
use smallvec::SmallVec;

use super::kernels::{find_kernel, kernel};
use super::log::{Name, Outcome, Tier};
use super::operators::{Inputs, queue};
use super::places::stride_over;
use super::plans;
use super::program::Program;
use super::run::{Run, Target};
use super::single;
use super::slice::{Slice, Source};
use super::step::{Ref, Step};
use super::unfused;
use crate::dispatch::{self, CachedKernel, Patience, Place};
use crate::error::Result;
use crate::layout::{Dims, Layout};
use crate::trace;
use crate::ufunc::Ufunc;

/// Computes all targets. Those from `pure` on change existing memory, which steps may read, and come last.
pub(super) fn compute(run: &Run<'_>, targets: &[Target], pure: usize) -> Result<Outcome> {
    let known = if plans::is_worth_it(run.group) { plans::find(run, targets) } else { None };
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
        let plan = plans::keep(run, targets, slice, &kernel, used);
        return launch_kernel(run, &plan.slice, &kernel, targets, false);
    }
    // More results than a kernel has operands: several kernels, each of a slice of its own.
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

/// Computes targets that fit one kernel: at all points, or with `row` once for each row.
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

/// [`launch`] with a given kernel.
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
    let queue = |patience| match lines_of(run, slice, targets, &shape) {
        Some(lines) => {
            let size = shape.iter().product();
            dispatch::try_launch_line(run.context, kernel, size, &lines, &scalars, patience)
        }
        None => {
            let mut places: SmallVec<[(Place, DType); 8]> = slice.places(run).zip(slice.dtypes(run)).collect();
            places.extend(targets.iter().map(|target| (target.place.clone(), target.dtype)));
            queue(run.context, kernel, &shape, &places, &scalars, patience)
        }
    };
    let widest = slice.steps.iter().map(|step| step.dtype.size()).max().unwrap_or(0);
    if queue(run.patience.sparing(run.context, shape.iter().product::<usize>() * widest))? {
        return Ok(outcome);
    }
    let copies = run.copies.borrow().len();
    match unfused::run(run, slice, targets, row) {
        // There is no memory for the intermediate results of the operators. The fused kernel needs none.
        Err(error) if error.is_out_of_memory() => {
            run.copies.borrow_mut().truncate(copies);
            queue(Patience::Wait)?;
            Ok(outcome)
        }
        ran => ran.map(|()| Outcome { tier: Tier::Unfused, ..outcome }),
    }
}

/// Addresses and strides of the operands of a slice, then of the targets; `None` unless all are one-dimensional
/// ([`stride_over`]).
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

/// Runs a single operator with its ordinary kernel, or as a copy or fill of the device.
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
    let mut inputs = Inputs::of(run, slice, step, |_| unreachable!("there is no other step"));
    inputs.places.push((target.place.clone(), target.dtype));
    inputs.queue(run, &shape, ufunc, index, &[step.dtype], Patience::Wait).map(drop)
}

/// Runs a copy or fill by the device's own functions; false if it is neither.
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
