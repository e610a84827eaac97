//! Running groups: what is still wanted, as few kernels as possible.

use std::cell::RefCell;
use std::sync::Arc;

use cuproxide_hal::{DType, Scalar, Specialization};
use smallvec::SmallVec;

use super::cache::{Cache, Used};
use super::folds;
use super::group::{Effect, Group, Held, MAX_OPERANDS, Output, View};
use super::log::{Name, Outcome, Tier};
use super::plans;
use super::program::{MAX_INPUTS, Parts, Program, Ref, Step, Work};
use super::single;
use crate::context::Context;
use crate::dispatch::{self, CachedKernel, Patience, Place};
use crate::error::{Error, Result};
use crate::fold;
use crate::layout::{Dims, Layout, short};
use crate::memory::{Buffer, Owner};
use crate::storage::Storage;
use crate::trace;
use crate::ufunc::{self, Ufunc};

static KERNELS: Cache<Arc<CachedKernel>> = Cache::new();

/// Fused kernels in the process.
pub(super) fn kernel_count() -> usize {
    KERNELS.count(|_| true) + super::rows::kernel_count()
}

pub(super) fn kernel(
    program: Program,
    build: impl FnOnce(&Program) -> cuproxide_hal::ir::Kernel,
) -> Result<Arc<CachedKernel>> {
    find_kernel(program, build).map(|(kernel, _)| kernel)
}

fn find_kernel(
    program: Program,
    build: impl FnOnce(&Program) -> cuproxide_hal::ir::Kernel,
) -> Result<(Arc<CachedKernel>, Used)> {
    if let Some(found) = KERNELS.find(&program) {
        return Ok(found);
    }
    let made = dispatch::intern(build(&program))?;
    Ok(KERNELS.keep(program, made))
}

/// Why a group could not run.
pub(super) struct Failed {
    pub error: Error,
    /// What is left to do, if some of what the group changes has been changed: running all of it again would do that twice.
    pub rest: Option<Held>,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed { error, rest: None }
    }
}

/// Something to store: a step's result and its place.
pub(super) struct Target {
    pub step: u16,
    pub dtype: DType,
    pub place: Place,
    /// Whether there is one element a row.
    pub row: bool,
    /// The group's effect that this is, if it is no new array.
    pub effect: Option<usize>,
}

/// A step's results in memory.
#[derive(Clone)]
pub(super) struct Made {
    pub dtype: DType,
    pub place: Place,
    /// The memory, if it is the group's own; else it is that of a new array.
    pub buffer: Option<Arc<Buffer>>,
}

/// A group at work.
pub(super) struct Run<'g> {
    pub context: &'g Arc<Context>,
    pub group: &'g Group,
    /// Steps whose results are in memory already.
    pub made: Vec<Option<Made>>,
    pub patience: Patience,
    /// Values to be copied to what the group changes, by the number of the effect. They come last: until then nothing but one
    /// launch has changed anything, so that a group whose launch fails can run again.
    pub copies: RefCell<Vec<(usize, Made)>>,
}

impl<'g> Run<'g> {
    pub fn new(context: &'g Arc<Context>, group: &'g Group) -> Run<'g> {
        let made = if group.reduced == 0 { vec![] } else { vec![None; group.steps.len()] };
        Run { context, group, made, patience: Patience::Background, copies: RefCell::default() }
    }

    #[inline]
    pub fn made(&self, step: usize) -> Option<&Made> {
        self.made.get(step).and_then(Option::as_ref)
    }

    pub fn needed(&self, roots: impl Iterator<Item = u16>) -> SmallVec<[bool; 16]> {
        self.group.needed(roots, |step| self.made(step).is_some())
    }

    /// The shape of all points, or of one a row.
    #[inline]
    pub fn shape(&self, row: bool) -> Dims {
        if row { self.group.row_shape() } else { short(&self.group.shape) }
    }

    /// New memory for all points or for one a row, in C order.
    pub fn allocate(&self, dtype: DType, row: bool) -> Result<Made> {
        let shape = self.shape(row);
        let bytes = shape.iter().product::<usize>() * dtype.size();
        let buffer = Arc::new(self.context.allocate_buffer(bytes)?);
        Ok(Made { dtype, place: self.place_of_line(&shape, dtype, &buffer), buffer: Some(buffer) })
    }

    /// A buffer that holds elements in C order; strides along axes of length 1 are 0.
    fn place_of_line(&self, shape: &[usize], dtype: DType, buffer: &Buffer) -> Place {
        let mut strides = Layout::contiguous(shape, dtype.size(), false).strides;
        let ones = shape.iter().zip(&mut strides).filter(|(length, _)| **length == 1);
        ones.for_each(|(_, stride)| *stride = 0);
        Place { ptr: buffer.ptr, strides }
    }
}

/// Where a program reads an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// An operand of the group, by its number.
    Operand(u16),
    /// A step whose results are in memory.
    Made(u16),
}

/// The part of a group that some of its steps need, numbered anew.
pub(super) struct Slice {
    pub steps: SmallVec<[Step; 4]>,
    pub operands: SmallVec<[Source; 8]>,
    /// Numbers in the group.
    scalars: SmallVec<[u16; 8]>,
    /// What each step of the group is here.
    renamed: SmallVec<[Ref; 8]>,
}

impl Slice {
    pub fn of(run: &Run<'_>, roots: impl Iterator<Item = u16>) -> Slice {
        const NONE: u16 = u16::MAX;
        let group = run.group;
        let needed = run.needed(roots);
        let mut slice = Slice {
            steps: SmallVec::new(),
            operands: SmallVec::new(),
            scalars: SmallVec::new(),
            renamed: SmallVec::from_elem(Ref::Step(NONE), group.steps.len()),
        };
        let mut operands: SmallVec<[u16; MAX_OPERANDS]> = SmallVec::from_elem(NONE, group.operands.len());
        let mut scalars: SmallVec<[u16; 16]> = SmallVec::from_elem(NONE, group.scalars.len());
        for (number, step) in group.steps.iter().enumerate().filter(|(number, _)| needed[*number]) {
            if run.made(number).is_some() {
                slice.renamed[number] = Ref::Operand(slice.operands.len() as u16);
                slice.operands.push(Source::Made(number as u16));
                continue;
            }
            let mut step = *step;
            for input in &mut step.inputs[..usize::from(step.count)] {
                *input = match *input {
                    Ref::Step(earlier) => slice.renamed[usize::from(earlier)],
                    Ref::Operand(operand) => {
                        let place = &mut operands[usize::from(operand)];
                        if *place == NONE {
                            *place = slice.operands.len() as u16;
                            slice.operands.push(Source::Operand(operand));
                        }
                        Ref::Operand(*place)
                    }
                    Ref::Scalar(scalar) => {
                        let place = &mut scalars[usize::from(scalar)];
                        if *place == NONE {
                            *place = slice.scalars.len() as u16;
                            slice.scalars.push(scalar);
                        }
                        Ref::Scalar(*place)
                    }
                };
            }
            slice.renamed[number] = Ref::Step(slice.steps.len() as u16);
            slice.steps.push(step);
        }
        slice
    }

    pub fn program(&self, run: &Run<'_>, stores: &[(Ref, DType)], fold: Option<fold::Key>) -> Program {
        let operands: SmallVec<[DType; MAX_OPERANDS]> = self.dtypes(run).collect();
        let scalars: Vec<DType> = self.scalars(run).map(|scalar| scalar.dtype).collect();
        Program::new(&Parts { operands: &operands, scalars: &scalars, steps: &self.steps, stores }, fold)
    }

    /// The program of the kernel that stores the targets.
    fn map_program(&self, run: &Run<'_>, targets: &[Target]) -> Program {
        let stores: SmallVec<[(Ref, DType); 8]> =
            targets.iter().map(|target| (self.reference(target.step), target.dtype)).collect();
        self.program(run, &stores, None)
    }

    /// The types of the operands.
    pub fn dtypes<'s>(&'s self, run: &'s Run<'_>) -> impl Iterator<Item = DType> + 's {
        self.operands.iter().map(|&source| source.dtype(run))
    }

    /// The places of the operands over the group's shape.
    pub fn places<'s>(&'s self, run: &'s Run<'_>) -> impl Iterator<Item = Place> + 's {
        self.operands.iter().map(|&source| source.place(run))
    }

    pub fn scalars<'s>(&'s self, run: &'s Run<'_>) -> impl Iterator<Item = Scalar> + 's {
        self.scalars.iter().map(|&scalar| run.group.scalars[usize::from(scalar)])
    }

    /// Whether a step of the group is one of this program.
    pub fn contains(&self, step: u16) -> bool {
        matches!(self.renamed[usize::from(step)], Ref::Step(number) if usize::from(number) < self.steps.len())
    }

    /// What a step of the group is in this program.
    pub fn reference(&self, step: u16) -> Ref {
        self.renamed[usize::from(step)]
    }

    /// Additions for each element, roughly.
    pub fn cost(&self) -> usize {
        self.steps.iter().filter_map(Step::call).map(|(ufunc, index, _)| usize::from(ufunc.cost(index))).sum()
    }

    /// Bytes of the different elements that are read.
    pub fn read_bytes(&self, run: &Run<'_>) -> usize {
        let distinct = |(place, dtype): (Place, DType)| {
            let lengths = run.group.shape.iter().zip(&place.strides).filter(|(_, stride)| **stride != 0);
            lengths.map(|(&length, _)| length).product::<usize>() * dtype.size()
        };
        self.places(run).zip(self.dtypes(run)).map(distinct).sum()
    }
}

impl Source {
    pub fn dtype(self, run: &Run<'_>) -> DType {
        match self {
            Source::Operand(operand) => run.group.operands[usize::from(operand)].dtype,
            Source::Made(step) => run.made(step.into()).expect("only what is made is read").dtype,
        }
    }

    pub fn place(self, run: &Run<'_>) -> Place {
        match self {
            Source::Operand(operand) => place_of(&run.group.operands[usize::from(operand)]),
            Source::Made(step) => run.made(step.into()).expect("only what is made is read").place.clone(),
        }
    }
}

/// Runs what is still wanted of a group and gives the new arrays their memory; with `rows`, only the results of folds.
///
/// It runs as a whole or, but for new arrays that nobody has seen, not at all: first all that may fail for lack of memory, then
/// at most one launch that changes what exists, then copies to the rest of that. Should one of these fail, the others are left
/// to do.
pub(super) fn run(group: &Group, rows: bool) -> Result<Outcome, Failed> {
    if let Some(target) = single::Target::of(group).filter(|_| !rows) {
        let context = target.context();
        if let Some(outcome) = context.on_stream(group.stream(), || single::run(context, group, &target))? {
            return Ok(outcome);
        }
    }
    let (mut outputs, mut effects) = (SmallVec::<[&Output; 8]>::new(), SmallVec::<[(usize, &Effect); 8]>::new());
    for output in &group.outputs {
        if !output.done && (output.row || !rows) && group.is_wanted(&output.storage) {
            outputs.push(output);
        }
    }
    for (number, effect) in group.effects.iter().enumerate() {
        if !rows && group.is_wanted(&effect.view.storage) {
            effects.push((number, effect));
        }
    }
    let first = outputs.first().map(|output| &output.storage);
    let Some(storage) = first.or(effects.first().map(|(_, effect)| &effect.view.storage)) else {
        return Ok(Outcome::default());
    };
    let context = storage.context();
    context.on_stream(group.stream(), || {
        // All memory first: if there is none, nothing has been done yet.
        let mut buffers: SmallVec<[Buffer; 2]> = SmallVec::new();
        let mut targets: SmallVec<[Target; 2]> = SmallVec::new();
        for output in &outputs {
            let buffer = context.allocate_buffer(output.storage.bytes())?;
            let place = Place { ptr: buffer.ptr, strides: group.strides_of(output) };
            targets.push(Target { step: output.step, dtype: output.dtype, place, row: output.row, effect: None });
            buffers.push(buffer);
        }
        for &(number, Effect { view, step }) in &effects {
            let place = place_of(view);
            targets.push(Target { step: *step, dtype: view.dtype, place, row: false, effect: Some(number) });
        }
        let mut run = Run::new(context, group);
        let outcome = match group.reduced {
            0 => compute(&run, &targets, outputs.len())?,
            _ => folds::compute(&mut run, targets.into_vec(), outputs.len())?,
        };
        for (output, buffer) in outputs.iter().zip(buffers) {
            output.storage.provide(buffer);
        }
        let copies = run.copies.take();
        if copies.is_empty() { Ok(outcome) } else { copy_all(&run, &copies).map(|()| outcome) }
    })
}

/// Copies values to what the group changes.
#[cold]
#[inline(never)]
fn copy_all(run: &Run<'_>, copies: &[(usize, Made)]) -> Result<(), Failed> {
    for (position, (effect, made)) in copies.iter().enumerate() {
        let Effect { view, step } = &run.group.effects[*effect];
        let (dtype, place) = (view.dtype, place_of(view));
        let target = Target { step: *step, dtype, place, row: false, effect: Some(*effect) };
        if let Err(error) = copy_made(run, made, &target) {
            return Err(Failed { error, rest: Some(rest(run.context, run.group, &copies[position..])) });
        }
    }
    Ok(())
}

/// A group that makes the copies that are left to do.
fn rest(context: &Arc<Context>, group: &Group, copies: &[(usize, Made)]) -> Held {
    let mut rest = Held::new(group.serial, group.stream().clone(), &group.shape);
    rest.sealed = true;
    rest.label.clone_from(&group.label);
    let copy = ufunc::copy();
    for (effect, made) in copies {
        let view = &group.effects[*effect].view;
        let of = |output: &&Output| output.storage.peek().is_some_and(|buffer| buffer.ptr == made.place.ptr);
        let storage = match (&made.buffer, group.outputs.iter().find(of)) {
            (None, Some(output)) => output.storage.clone(),
            (buffer, _) => {
                let (ptr, owner) = (made.place.ptr, Owner::Foreign(Arc::new(buffer.clone())));
                Storage::ready(context, Buffer { ptr, bytes: group.size() * made.dtype.size(), owner })
            }
        };
        let strides = made.place.strides.clone();
        let operand = rest.operand(View { storage, offset: 0, dtype: made.dtype, strides });
        let index = copy.loop_of(made.dtype).expect("every type can be copied") as u8;
        let work = Work::Call { ufunc: copy.id, index, part: 0 };
        let inputs = [Ref::Operand(operand); MAX_INPUTS];
        let step = rest.step(Step { work, dtype: view.dtype, row: false, count: 1, inputs });
        rest.effects.push(Effect { view: view.clone(), step });
    }
    rest
}

/// The distance of elements that lie one after another in C order, 0 if all are one; nothing if they lie otherwise.
#[inline]
pub(super) fn stride_of_line(group: &Group, dtype: DType, strides: &[isize]) -> Option<isize> {
    if group.size() == 1 {
        return Some(0);
    }
    stride_over(&group.shape, dtype, strides)
}

/// [`stride_of_line`] over a shape of several elements.
fn stride_over(shape: &[usize], dtype: DType, strides: &[isize]) -> Option<isize> {
    if is_line(shape, dtype, strides) {
        return Some(dtype.size() as isize);
    }
    let moves = shape.iter().zip(strides).any(|(&length, &stride)| length != 1 && stride != 0);
    (!moves).then_some(0)
}

/// Whether elements lie one after another in C order.
fn is_line(shape: &[usize], dtype: DType, strides: &[isize]) -> bool {
    let mut expected = dtype.size() as isize;
    shape.iter().zip(strides).rev().all(|(&length, &stride)| {
        let fits = length == 1 || stride == expected;
        expected *= length as isize;
        fits
    })
}

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

#[inline]
fn place_of(view: &View) -> Place {
    Place { ptr: view.ptr(), strides: short(&view.strides) }
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
fn copy_made(run: &Run<'_>, made: &Made, target: &Target) -> Result<()> {
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
        let (ufunc, index, part) = step.call().expect("folds are no part of maps");
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
