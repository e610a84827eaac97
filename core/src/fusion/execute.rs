//! Running groups: what is still wanted, as few kernels as possible.

use std::sync::Arc;

use cuproxide_hal::{DType, MAX_DIMS, Scalar, Specialization};
use once_cell::sync::Lazy;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::group::{Group, MAX_OPERANDS, View, writer_of};
use super::log::{Outcome, Reason, Tier};
use super::program::{Parts, Program, Ref, Step};
use crate::array::Array;
use crate::context::Context;
use crate::dispatch::{self, CachedKernel, Patience, Place};
use crate::error::Result;
use crate::fold::{Options, Plan};
use crate::layout::{Layout, Strides};
use crate::memory::Buffer;
use crate::ufunc::{Source, Ufunc};

/// Work of an expression, in additions for each element, from which it is computed into memory before a reduction
/// rather than repeated when its array is needed again.
const REPEATABLE_COST: usize = 64;

/// Work of an expression, in additions for each element, up to which a sum of it is unrolled like a sum of its elements.
const GROUPED_COST: usize = 48;

static KERNELS: Lazy<RwLock<FxHashMap<Program, &'static CachedKernel>>> = Lazy::new(Default::default);

/// Fused kernels in the process.
pub(super) fn kernel_count() -> usize {
    KERNELS.read().len()
}

fn kernel(
    program: Program,
    build: impl FnOnce(&Program) -> cuproxide_hal::ir::Kernel,
) -> Result<&'static CachedKernel> {
    if let Some(found) = KERNELS.read().get(&program) {
        return Ok(found);
    }
    let made = dispatch::intern(build(&program))?;
    Ok(KERNELS.write().entry(program).or_insert(made))
}

/// Something to store: a step's result and its place.
struct Target {
    step: u16,
    dtype: DType,
    place: Place,
    /// Whether the place is C-contiguous.
    line: bool,
}

/// The part of a group that some of its steps need, numbered anew.
struct Slice {
    steps: Vec<Step>,
    /// Numbers in the group.
    operands: SmallVec<[u16; 16]>,
    scalars: Vec<u16>,
    /// The new number of each step of the group.
    renamed: Vec<u16>,
}

impl Slice {
    fn of(group: &Group, roots: impl Iterator<Item = u16>) -> Slice {
        const NONE: u16 = u16::MAX;
        let needed = group.needed(roots);
        let mut slice =
            Slice { steps: vec![], operands: SmallVec::new(), scalars: vec![], renamed: vec![NONE; group.steps.len()] };
        let mut operands: SmallVec<[u16; MAX_OPERANDS]> = SmallVec::from_elem(NONE, group.operands.len());
        let mut scalars = vec![NONE; group.scalars.len()];
        for (number, step) in group.steps.iter().enumerate().filter(|(number, _)| needed[*number]) {
            let mut step = *step;
            for input in &mut step.inputs[..usize::from(step.count)] {
                *input = match *input {
                    Ref::Step(earlier) => Ref::Step(slice.renamed[usize::from(earlier)]),
                    Ref::Operand(operand) => {
                        let place = &mut operands[usize::from(operand)];
                        if *place == NONE {
                            *place = slice.operands.len() as u16;
                            slice.operands.push(operand);
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
            slice.renamed[number] = slice.steps.len() as u16;
            slice.steps.push(step);
        }
        slice
    }

    fn program(&self, group: &Group, stores: &[(Ref, DType)], fold: Option<u128>) -> Program {
        let operands: SmallVec<[DType; MAX_OPERANDS]> = self.views(group).map(|view| view.dtype).collect();
        let scalars: Vec<DType> = self.scalars(group).map(|scalar| scalar.dtype).collect();
        Program::new(&Parts { operands: &operands, scalars: &scalars, steps: &self.steps, stores }, fold)
    }

    fn views<'g>(&'g self, group: &'g Group) -> impl Iterator<Item = &'g View> {
        self.operands.iter().map(|&operand| &group.operands[usize::from(operand)])
    }

    fn scalars<'g>(&'g self, group: &'g Group) -> impl Iterator<Item = Scalar> + 'g {
        self.scalars.iter().map(|&scalar| group.scalars[usize::from(scalar)])
    }

    fn reference(&self, step: u16) -> Ref {
        Ref::Step(self.renamed[usize::from(step)])
    }

    /// Additions for each element, roughly.
    fn cost(&self) -> usize {
        self.steps.iter().map(|step| usize::from(step.ufunc.get().cost(usize::from(step.index)))).sum()
    }
}

/// Runs what is still wanted of a group and gives the new arrays their memory.
pub(super) fn run(group: &Group) -> Result<Outcome> {
    let outputs: Vec<usize> =
        (0..group.outputs.len()).filter(|&output| Arc::strong_count(&group.outputs[output].storage) > 1).collect();
    let wanted = |storage| Arc::strong_count(storage) > group.references(storage);
    let effects: SmallVec<[usize; 8]> =
        (0..group.effects.len()).filter(|&effect| wanted(&group.effects[effect].view.storage)).collect();
    let Some(context) = outputs
        .first()
        .map(|&output| &group.outputs[output].storage)
        .or(effects.first().map(|&effect| &group.effects[effect].view.storage))
        .map(|storage| storage.context().clone())
    else {
        return Ok(Outcome::default());
    };
    context.on_stream(&group.stream, || {
        // All memory first: if there is none, nothing has been done yet.
        let buffers: Vec<Buffer> = outputs
            .iter()
            .map(|&output| context.allocate_buffer(group.outputs[output].storage.bytes()))
            .collect::<Result<_>>()?;
        let made = outputs.iter().zip(&buffers).map(|(&output, buffer)| {
            let output = &group.outputs[output];
            let place = Place { ptr: buffer.ptr, strides: output.strides.clone() };
            Target { step: output.step, dtype: output.dtype, line: is_line(group, output.dtype, &place.strides), place }
        });
        let changed = effects.iter().map(|&effect| {
            let (view, step) = (&group.effects[effect].view, group.effects[effect].step);
            let place = Place { ptr: view.ptr(), strides: view.strides.clone() };
            Target { step, dtype: view.dtype, line: is_line(group, view.dtype, &place.strides), place }
        });
        let targets: Vec<Target> = made.chain(changed).collect();
        let outcome = compute(&context, group, &targets, outputs.len())?;
        for (&output, buffer) in outputs.iter().zip(buffers) {
            group.outputs[output].storage.provide(buffer);
        }
        Ok(outcome)
    })
}

fn is_line(group: &Group, dtype: DType, strides: &[isize]) -> bool {
    let mut expected = dtype.size() as isize;
    group.shape.iter().zip(strides).rev().all(|(&length, &stride)| {
        let fits = length == 1 || stride == expected;
        expected *= length as isize;
        fits
    })
}

/// Computes all targets; those from `pure` on change memory that steps may read, and come last.
fn compute(context: &Arc<Context>, group: &Group, targets: &[Target], pure: usize) -> Result<Outcome> {
    let steps = |targets: &[Target]| targets.iter().map(|target| target.step).collect::<SmallVec<[u16; 16]>>();
    let slice = Slice::of(group, steps(targets).into_iter());
    if slice.operands.len() + targets.len() <= Specialization::MAX_OPERANDS {
        return launch(context, group, &slice, targets);
    }
    // More results than a kernel takes: several kernels, each with what it needs.
    let room = Specialization::MAX_OPERANDS - slice.operands.len();
    let mut outcome = Outcome::default();
    let (made, changed) = targets.split_at(pure);
    for part in made.chunks(room).chain(std::iter::once(changed).filter(|part| !part.is_empty())) {
        let slice = Slice::of(group, steps(part).into_iter());
        let next = launch(context, group, &slice, part)?;
        outcome = Outcome { steps: outcome.steps.max(next.steps), stored: outcome.stored + next.stored, ..next };
    }
    Ok(outcome)
}

/// Computes targets that fit one kernel.
fn launch(context: &Arc<Context>, group: &Group, slice: &Slice, targets: &[Target]) -> Result<Outcome> {
    let stores: SmallVec<[(Ref, DType); 8]> =
        targets.iter().map(|target| (slice.reference(target.step), target.dtype)).collect();
    let outcome = Outcome {
        tier: Tier::Fused,
        steps: slice.steps.len(),
        operands: slice.operands.len(),
        stored: targets.len(),
        name: "",
    };
    if let ([step], [target]) = (&slice.steps[..], targets)
        && step.ufunc.get().nout == 1
    {
        let name = step.ufunc.get().name;
        run_single(context, group, slice, step, target)?;
        return Ok(Outcome { tier: Tier::Single, name, ..outcome });
    }
    let kernel = kernel(slice.program(group, &stores, None), Program::map_kernel)?;
    let scalars: Vec<Scalar> = slice.scalars(group).collect();
    let mut places: SmallVec<[(Place, bool); 16]> = slice.views(group).map(|view| place_of(group, view)).collect();
    places.extend(targets.iter().map(|target| (target.place.clone(), target.line)));
    if queue(context, kernel, group, places, &scalars, Patience::Background)? {
        return Ok(Outcome { name: kernel.name(), ..outcome });
    }
    run_unfused(context, group, slice, targets)?;
    Ok(Outcome { tier: Tier::Unfused, name: kernel.name(), ..outcome })
}

/// An operand's place, and whether it lies in one line (or is one element).
fn place_of(group: &Group, view: &View) -> (Place, bool) {
    let line = view.strides.iter().all(|&stride| stride == 0) || is_line(group, view.dtype, &view.strides);
    (Place { ptr: view.ptr(), strides: view.strides.clone() }, line)
}

/// Queues a map kernel over the group's shape; false if it still has to be compiled.
fn queue(
    context: &Context,
    kernel: &'static CachedKernel,
    group: &Group,
    places: SmallVec<[(Place, bool); 16]>,
    scalars: &[Scalar],
    patience: Patience,
) -> Result<bool> {
    let size = group.size();
    if size > 1 && places.iter().all(|(_, line)| *line) {
        let fastest = |place: &Place| {
            // An axis of length 1 may have any stride; of the others the last one is the element's size, or all are 0.
            let axis = (0..group.shape.len()).rev().find(|&axis| group.shape[axis] != 1).expect("several elements");
            place.strides[axis]
        };
        let lines: SmallVec<[(u64, isize); 16]> = places.iter().map(|(place, _)| (place.ptr, fastest(place))).collect();
        return dispatch::try_launch_line(context, kernel, size, &lines, scalars, patience);
    }
    let mut places: SmallVec<[Place; 16]> = places.into_iter().map(|(place, _)| place).collect();
    dispatch::try_launch(context, kernel, &group.shape, &[], &mut places, scalars, patience)
}

/// Runs a single operator with the kernel that serves it anywhere, or as a copy or fill where it is one.
fn run_single(context: &Context, group: &Group, slice: &Slice, step: &Step, target: &Target) -> Result<()> {
    let ufunc = step.ufunc.get();
    if ufunc.name == "copy" && move_bytes(context, group, slice, step, target)? {
        return Ok(());
    }
    let mut inputs = Inputs::of(group, slice, step, &[]);
    inputs.places.push((target.place.clone(), target.line));
    inputs.queue(context, group, ufunc, usize::from(step.index), &[step.dtype])
}

/// What an operator alone reads, and then where it writes.
struct Inputs {
    sources: SmallVec<[Source; 4]>,
    places: SmallVec<[(Place, bool); 16]>,
    scalars: SmallVec<[Scalar; 4]>,
}

impl Inputs {
    /// The inputs of a step; `made` are the results of earlier ones, in one line each.
    fn of(group: &Group, slice: &Slice, step: &Step, made: &[Option<Buffer>]) -> Inputs {
        let mut inputs = Inputs { sources: SmallVec::new(), places: SmallVec::new(), scalars: SmallVec::new() };
        for input in step.inputs() {
            let source = match *input {
                Ref::Step(earlier) => {
                    let dtype = slice.steps[usize::from(earlier)].dtype;
                    let buffer = made[usize::from(earlier)].as_ref().expect("kept until its last use");
                    inputs.places.push(line_of(group, dtype, buffer));
                    Source::Memory(dtype)
                }
                Ref::Operand(operand) => {
                    let view = &group.operands[usize::from(slice.operands[usize::from(operand)])];
                    inputs.places.push(place_of(group, view));
                    Source::Memory(view.dtype)
                }
                Ref::Scalar(scalar) => {
                    let scalar = group.scalars[usize::from(slice.scalars[usize::from(scalar)])];
                    inputs.scalars.push(scalar);
                    Source::Scalar(scalar.dtype)
                }
            };
            inputs.sources.push(source);
        }
        inputs
    }

    /// Queues a ufunc that stores types `stored`.
    fn queue(
        self,
        context: &Context,
        group: &Group,
        ufunc: &'static Ufunc,
        index: usize,
        stored: &[DType],
    ) -> Result<()> {
        let kernel = dispatch::ufunc_kernel(ufunc, index, &self.sources, stored, false)?;
        queue(context, kernel, group, self.places, &self.scalars, Patience::Wait).map(drop)
    }
}

/// A buffer that holds the group's elements in C order.
fn line_of(group: &Group, dtype: DType, buffer: &Buffer) -> (Place, bool) {
    (Place { ptr: buffer.ptr, strides: Layout::contiguous(&group.shape, dtype.size(), false).strides }, true)
}

/// Copies and fills by the device's own means where that is possible.
fn move_bytes(context: &Context, group: &Group, slice: &Slice, step: &Step, target: &Target) -> Result<bool> {
    let bytes = group.size() * target.dtype.size();
    let strides = target.place.strides.clone();
    let layout = Layout::new(group.shape.clone(), strides, target.dtype.size());
    if !layout.c_contiguous && !layout.f_contiguous {
        return Ok(false);
    }
    let (device, ptr) = (context.device(), target.place.ptr);
    match step.inputs[0] {
        Ref::Scalar(scalar) => {
            let value = group.scalars[usize::from(slice.scalars[usize::from(scalar)])];
            if value.dtype != target.dtype || value.bytes != [0; 16] {
                return Ok(false);
            }
            // SAFETY: the target is dense and owns its bytes.
            context.with_stream(|stream| unsafe { device.fill(stream.as_ref(), ptr, 0, bytes) })?;
        }
        Ref::Operand(operand) => {
            let view = &group.operands[usize::from(slice.operands[usize::from(operand)])];
            let alike = view.dtype == target.dtype && view.strides == target.place.strides;
            if !alike || step.dtype != target.dtype {
                return Ok(false);
            }
            if view.ptr() != ptr {
                // SAFETY: both are dense and of one size; a group writes nothing that it reads in another order.
                context.with_stream(|stream| unsafe { device.copy(stream.as_ref(), ptr, view.ptr(), bytes) })?;
            }
        }
        Ref::Step(_) => return Ok(false),
    }
    Ok(true)
}

/// Operator by operator, in order, as the program was written: while the fused kernel is being compiled.
fn run_unfused(context: &Arc<Context>, group: &Group, slice: &Slice, targets: &[Target]) -> Result<()> {
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
    let stored = |target: &Target| usize::from(slice.renamed[usize::from(target.step)]);
    targets.iter().for_each(|target| last_use[stored(target)] = usize::MAX);
    let mut made: Vec<Option<Buffer>> = (0..slice.steps.len()).map(|_| None).collect();
    for (number, step) in slice.steps.iter().enumerate() {
        let (ufunc, index, part) = (step.ufunc.get(), usize::from(step.index), usize::from(step.part));
        let mut inputs = Inputs::of(group, slice, step, &made);
        let mut types: SmallVec<[DType; 2]> = ufunc.loops[index].outputs.iter().copied().collect();
        types[part] = step.dtype;
        let mut buffers: SmallVec<[Buffer; 2]> = SmallVec::new();
        for dtype in &types {
            let buffer = context.allocate_buffer(group.size() * dtype.size())?;
            inputs.places.push(line_of(group, *dtype, &buffer));
            buffers.push(buffer);
        }
        inputs.queue(context, group, ufunc, index, &types)?;
        made[number] = Some(buffers.swap_remove(part));
        earlier(step).into_iter().filter(|&used| last_use[used] == number).for_each(|used| made[used] = None);
    }
    let copy = crate::ufunc::get("copy").expect("the table has a row for copies");
    for target in targets {
        let number = stored(target);
        let dtype = slice.steps[number].dtype;
        let buffer = made[number].as_ref().expect("kept for the targets");
        let places = SmallVec::from_iter([line_of(group, dtype, buffer), (target.place.clone(), target.line)]);
        let inputs =
            Inputs { sources: SmallVec::from_elem(Source::Memory(dtype), 1), places, scalars: SmallVec::new() };
        let index = copy.loop_of(target.dtype).expect("every type can be copied");
        inputs.queue(context, group, copy, index, &[target.dtype])?;
    }
    Ok(())
}

/// A deferred value as the input of another kernel.
pub struct Absorbed<'g> {
    group: &'g Group,
    slice: Slice,
    root: (Ref, DType),
}

impl Absorbed<'_> {
    /// The places of the operands, with strides over the array's shape.
    pub fn places(&self) -> SmallVec<[Place; 6]> {
        self.slice.views(self.group).map(|view| Place { ptr: view.ptr(), strides: view.strides.clone() }).collect()
    }

    /// Whether a reduction over the value groups its elements as one over the stored array does; strides as in
    /// [`Absorbed::places`], brought into the order of `outer` and `inner`.
    pub fn groups_alike(
        &self,
        array: &Array,
        outer: &[usize],
        inner: &[usize],
        input: Strides,
        places: &[Place],
    ) -> bool {
        let sizes: SmallVec<[usize; 8]> = self.slice.views(self.group).map(|view| view.dtype.size()).collect();
        let input = Place { ptr: 0, strides: input };
        array.layout().c_contiguous
            && self.slice.cost() <= GROUPED_COST
            && dispatch::walks_alike(outer, inner, &input, places, &sizes, array.itemsize())
    }

    /// The launch scalars that come first.
    pub fn scalars(&self) -> SmallVec<[Scalar; 5]> {
        self.slice.scalars(self.group).collect()
    }

    /// The kernel that folds the value; `key` tells the folds of a value apart.
    pub fn fold_kernel(
        &self,
        key: u128,
        plan: &Plan,
        outputs: &[DType],
        options: Options,
    ) -> Result<&'static CachedKernel> {
        let program = self.slice.program(self.group, &[self.root], Some(key));
        kernel(program, |program| program.fold_kernel(plan, outputs, options))
    }
}

/// If `array` is a deferred value that is cheap to compute where it is read, calls `consume` with it; the value stays
/// deferred. `consume` says whether it made use of it. Returns that.
pub fn absorb(array: &Array, consume: impl FnOnce(&Absorbed<'_>) -> Result<bool>) -> Result<bool> {
    let storage = array.storage();
    if storage.writer() == 0 || array.ndim() > MAX_DIMS {
        return Ok(false);
    }
    let context = array.context();
    let guard = context.fuser().lock();
    let serial = writer_of(storage);
    let before = guard.borrow().groups.iter().find(|group| group.serial == serial).and_then(|group| group.after);
    if let Some(before) = before {
        super::flush(&guard, before, Reason::Overlap)?;
    }
    let group = {
        let mut state = guard.borrow_mut();
        let position = state.groups.iter().position(|group| group.serial == serial);
        position.map(|position| state.groups.swap_remove(position))
    };
    let Some(group) = group else { return Ok(false) };
    let outcome = absorb_from(&group, array, consume);
    let mut state = guard.borrow_mut();
    if let Ok(Some(outcome)) = &outcome {
        state.log.note_absorbed(&group, *outcome);
    }
    state.groups.push(group);
    Ok(outcome?.is_some())
}

fn absorb_from(
    group: &Group,
    array: &Array,
    consume: impl FnOnce(&Absorbed<'_>) -> Result<bool>,
) -> Result<Option<Outcome>> {
    let Some(output) = group.output_of(array) else { return Ok(None) };
    let context = array.context();
    if context.with_stream(|stream| stream.id()) != group.stream.id() {
        return Ok(None);
    }
    let output = &group.outputs[output];
    let slice = Slice::of(group, std::iter::once(output.step));
    // Repeating the value later must not cost more than keeping it now.
    let read: usize = slice.views(group).map(|view| distinct_bytes(group, view)).sum();
    let cheap = slice.cost() <= REPEATABLE_COST && read <= 3 * group.size() * output.dtype.size();
    if slice.operands.len() > MAX_OPERANDS || (!cheap && is_shared(group, array)) {
        return Ok(None);
    }
    let root = (slice.reference(output.step), output.dtype);
    let (steps, operands) = (slice.steps.len(), slice.operands.len());
    let absorbed = Absorbed { group, slice, root };
    let used = consume(&absorbed)?;
    Ok(used.then_some(Outcome { tier: Tier::Fused, steps, operands, stored: 1, name: "" }))
}

/// Bytes of the different elements that a view reads.
fn distinct_bytes(group: &Group, view: &View) -> usize {
    let steps = group.shape.iter().zip(&view.strides).filter(|(_, stride)| **stride != 0);
    steps.map(|(&length, _)| length).product::<usize>() * view.dtype.size()
}

/// Whether somebody besides the caller's array may want the value in memory.
fn is_shared(group: &Group, array: &Array) -> bool {
    Arc::strong_count(array.storage()) > group.references(array.storage()) + 1
}
