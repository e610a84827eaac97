//! Turning operations into steps.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use super::group::{Group, Lookup, MAX_EFFECTS, Output, View, note, writer_of};
use super::log::Reason;
use super::program::{MAX_INPUTS, Ref, Step};
use super::{Guard, MAX_GROUPS, SERIAL, State, flush};
use crate::array::Array;
use crate::context::Context;
use crate::error::Result;
use crate::layout::Layout;
use crate::ops::elementwise::Results;
use crate::storage::Storage;
use crate::ufunc::{self, Ufunc};

/// The part of a device's memory that a group may keep alive alone.
const MEMORY_SHARE: usize = 16;
/// Steps, operands and scalars that one operation adds at most.
const NEEDS: (usize, usize, usize) = (3, MAX_INPUTS + 2, MAX_INPUTS);
/// Steps of an expression of one element that are repeated for every element of another group.
const MAX_REPEATED: usize = 16;

/// An elementwise operation whose types and shapes have been worked out.
pub(crate) struct Request<'a> {
    pub context: &'a Arc<Context>,
    pub ufunc: &'static Ufunc,
    /// The loop.
    pub index: usize,
    /// The inputs, in order; scalars as they enter the kernel.
    pub inputs: &'a [Operand<'a>],
    pub out: &'a [Option<&'a Array>],
    pub mask: Option<&'a Array>,
    pub shape: &'a [usize],
}

/// An input of a [`Request`].
#[derive(Clone, Copy)]
pub(crate) enum Operand<'a> {
    Array(&'a Array),
    Scalar(Scalar),
}

/// Why an operation was not recorded.
enum Stop {
    /// This group has to run first.
    Flush(u64, Reason),
    /// The output overlaps what the group reads: the result goes through a new array.
    Detour,
    /// The operation cannot wait.
    Refused,
}

/// Defers an operation; `layout` gives the layout of new outputs by their type. `None` if it has to run at once.
pub(crate) fn record(request: &Request<'_>, layout: impl Fn(DType) -> Layout) -> Result<Option<Results>> {
    if !is_deferrable(request) {
        return Ok(None);
    }
    let guard = request.context.fuser().lock();
    loop {
        let outcome = guard.borrow_mut().try_record(request, &layout);
        match outcome {
            Ok(results) => return Ok(Some(results)),
            Err(Stop::Flush(serial, reason)) => flush(&guard, serial, reason)?,
            Err(Stop::Detour) => return detour(&guard, request).map(Some),
            Err(Stop::Refused) => return Ok(None),
        }
    }
}

/// Computes into a new array, then copies: for an output that overlaps what is read in another order.
fn detour(guard: &Guard<'_>, request: &Request<'_>) -> Result<Results> {
    let out = request.out[0].expect("only a given output overlaps");
    let fresh = Request { out: &[], ..*request };
    let layout = |dtype: DType| Layout::contiguous(request.shape, dtype.size(), false);
    let value = record(&fresh, layout)?.expect("the operation was deferrable before").remove(0);
    let mut state = guard.borrow_mut();
    let first = writer_of(value.storage());
    let groups = &mut state.groups;
    let before = groups.iter_mut().find(|group| group.serial == first).expect("the value is deferred");
    before.sealed = true;
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let mut group = Group::new(serial, before.stream.clone(), request.shape);
    group.after = Some(first);
    let copy = ufunc::get("copy").expect("the table has a row for copies");
    let index = copy.loop_of(value.dtype()).expect("every type can be copied") as u8;
    let operand = group.operand(View::stretched(&value, request.shape));
    let inputs = [Ref::Operand(operand); MAX_INPUTS];
    let step = group.step(Step { ufunc: copy.id, index, part: 0, dtype: out.dtype(), count: 1, inputs });
    group.write(View::stretched(out, request.shape), step);
    groups.push(group);
    Ok(SmallVec::from_elem(out.clone(), 1))
}

fn is_deferrable(request: &Request<'_>) -> bool {
    let given = || request.out.iter().flatten().copied();
    let arrays = || {
        let inputs = request.inputs.iter().filter_map(|input| match input {
            Operand::Array(array) => Some(*array),
            Operand::Scalar(_) => None,
        });
        inputs.chain(given()).chain(request.mask)
    };
    !super::is_eager()
        && !request.shape.contains(&0)
        && request.inputs.len() <= MAX_INPUTS
        && !may_fault(request)
        && request.out.len() <= 1
        && (request.mask.is_none() || request.out.len() == 1)
        && !arrays().any(|array| array.storage().is_exposed())
        && !given().any(repeats_places)
}

/// Whether an element may be at fault; scalars have been looked at.
fn may_fault(request: &Request<'_>) -> bool {
    request.ufunc.may_fault(request.index) && !matches!(request.inputs, [_, Operand::Scalar(_)])
}

/// Whether two elements of an array may lie in one place.
fn repeats_places(array: &Array) -> bool {
    let layout = array.layout();
    if layout.c_contiguous || layout.f_contiguous {
        return false;
    }
    // Sorted by stride, every axis must step over all that the faster ones reach.
    let mut axes: SmallVec<[(usize, usize); 8]> =
        layout.strides.iter().zip(&layout.shape).map(|(s, &n)| (s.unsigned_abs(), n)).filter(|a| a.1 != 1).collect();
    axes.sort_unstable();
    let mut reach = array.itemsize();
    axes.iter().any(|&(stride, length)| {
        let repeats = stride < reach;
        reach += stride * (length - 1);
        repeats
    })
}

impl State {
    fn try_record(&mut self, request: &Request<'_>, layout: &dyn Fn(DType) -> Layout) -> Result<Results, Stop> {
        let position = self.group(request)?;
        let last = self.groups.len() - 1;
        self.groups.swap(position, last);
        let (group, others) = self.groups.split_last_mut().expect("the group is there");
        record_in(group, others, request, layout)
    }

    /// The position of the group for a request, opened if there is none.
    fn group(&mut self, request: &Request<'_>) -> Result<usize, Stop> {
        request.context.with_stream(|stream| {
            let id = stream.id();
            let fits =
                |group: &Group| !group.sealed && group.shape.as_slice() == request.shape && group.stream.id() == id;
            if let Some(position) = self.groups.iter().position(fits) {
                let group = &self.groups[position];
                if !group.has_room(NEEDS.0, NEEDS.1, NEEDS.2) {
                    return Err(Stop::Flush(group.serial, Reason::Full));
                }
                let bound = request.context.info().total_memory / MEMORY_SHARE;
                if group.operand_bytes > bound && group.held_bytes() > bound {
                    return Err(Stop::Flush(group.serial, Reason::Memory));
                }
                return Ok(position);
            }
            if self.groups.len() >= MAX_GROUPS {
                let oldest = self.groups.iter().map(|group| group.serial).min().expect("several groups");
                return Err(Stop::Flush(oldest, Reason::Shapes));
            }
            let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
            self.groups.push(Group::new(serial, stream.clone(), request.shape));
            Ok(self.groups.len() - 1)
        })
    }
}

fn record_in(
    group: &mut Group,
    others: &[Group],
    request: &Request<'_>,
    layout: &dyn Fn(DType) -> Layout,
) -> Result<Results, Stop> {
    let mut inputs = [Ref::Step(0); MAX_INPUTS];
    for (place, input) in inputs.iter_mut().zip(request.inputs) {
        *place = match *input {
            Operand::Scalar(scalar) => group.scalar(scalar),
            Operand::Array(array) => look_up(group, others, array)?,
        };
    }
    let (index, count) = (request.index as u8, request.inputs.len() as u8);
    let step = Step { ufunc: request.ufunc.id, index, part: 0, dtype: DType::Bool, count, inputs };
    match request.out {
        [Some(out)] => record_into(group, others, request, step, out),
        _ => Ok(record_new(group, request, step, layout)),
    }
}

/// What an array is to a group.
fn look_up(group: &mut Group, others: &[Group], array: &Array) -> Result<Ref, Stop> {
    let writer = writer_of(array.storage());
    if writer != 0 && writer != group.serial {
        let other = others.iter().find(|other| other.serial == writer);
        if let Some(found) = other.and_then(|other| repeat(other, group, array)) {
            return Ok(found);
        }
        let same_shape = array.shape() == group.shape.as_slice();
        return Err(Stop::Flush(writer, if same_shape { Reason::Read } else { Reason::View }));
    }
    match group.look_up(array) {
        Lookup::Found(found) => Ok(found),
        Lookup::Unwritten => Err(Stop::Flush(group.serial, Reason::View)),
    }
}

/// Defers an operation with a given output.
fn record_into(
    group: &mut Group,
    others: &[Group],
    request: &Request<'_>,
    step: Step,
    out: &Array,
) -> Result<Results, Stop> {
    let step = Step { dtype: out.dtype(), ..step };
    // With a mask, the old content is an operand too.
    let choice = match request.mask {
        None => None,
        Some(mask) => {
            let (mask, old) = (look_up(group, others, mask)?, look_up(group, others, out)?);
            let choose = ufunc::get("where").expect("the table has a row for choices");
            let index = choose.loops.iter().position(|types| types.outputs[0] == out.dtype()).ok_or(Stop::Refused)?;
            Some(Step { ufunc: choose.id, index: index as u8, count: 3, inputs: [mask, mask, old], ..step })
        }
    };
    let output = group.output_of(out);
    let target = View::stretched(out, &group.shape);
    if output.is_none() {
        check_target(group, others, &target, request.mask.is_some())?;
    }
    let mut value = group.step(step);
    if let Some(mut choice) = choice {
        choice.inputs[1] = Ref::Step(value);
        value = group.step(choice);
    }
    match output {
        Some(output) => group.outputs[output].step = value,
        None => group.write(target, value),
    }
    Ok(SmallVec::from_elem(out.clone(), 1))
}

/// Whether memory may be written in place when the group runs.
fn check_target(group: &Group, others: &[Group], target: &View, masked: bool) -> Result<(), Stop> {
    let storage = &*target.storage;
    let writer = writer_of(storage);
    if writer != 0 && (writer != group.serial || storage.peek().is_none()) {
        return Err(Stop::Flush(writer, Reason::Write));
    }
    if storage.is_read_by_group()
        && let Some(reader) = others.iter().find(|other| other.touches(storage))
    {
        return Err(Stop::Flush(reader.serial, Reason::Write));
    }
    if !group.may_write(target) {
        // What the mask leaves alone must not be written back: an operation that runs at once does not.
        return Err(if masked { Stop::Refused } else { Stop::Detour });
    }
    let known = group.effects.iter().any(|effect| effect.view.is(target));
    if !known && group.effects.len() >= MAX_EFFECTS {
        return Err(Stop::Flush(group.serial, Reason::Full));
    }
    Ok(())
}

/// Defers an operation whose outputs are new.
fn record_new(group: &mut Group, request: &Request<'_>, step: Step, layout: &dyn Fn(DType) -> Layout) -> Results {
    let types = &request.ufunc.loops[request.index].outputs;
    let mut results = Results::new();
    for (part, &dtype) in types.iter().enumerate() {
        let number = group.step(Step { part: part as u8, dtype, ..step });
        let layout = layout(dtype);
        let bytes = layout.size() * dtype.size();
        let writer = note(group.serial, Some(group.outputs.len()));
        let storage = Storage::deferred(request.context, bytes, writer);
        group.outputs.push(Output { storage: storage.clone(), step: number, dtype, strides: layout.strides.clone() });
        results.push(Array::of_layout(storage, dtype, layout));
    }
    results
}

/// Repeats in `group` the few steps by which `other` computes an array of one element, so that it need not run first.
fn repeat(other: &Group, group: &mut Group, array: &Array) -> Option<Ref> {
    let one = other.shape.iter().all(|&length| length == 1);
    // What a sealed group reads is about to be changed by the group after it.
    let paired = other.sealed || other.after.is_some();
    if !one || !other.effects.is_empty() || paired || other.stream.id() != group.stream.id() {
        return None;
    }
    let output = &other.outputs[other.output_of(array)?];
    let needed = other.needed(std::iter::once(output.step));
    let count = needed.iter().filter(|&&needed| needed).count();
    let room = (count + NEEDS.0, other.operands.len() + NEEDS.1, other.scalars.len() + NEEDS.2);
    if count > MAX_REPEATED || !group.has_room(room.0, room.1, room.2) {
        return None;
    }
    let ndim = group.shape.len();
    let mut made: SmallVec<[Ref; 32]> = SmallVec::from_elem(Ref::Step(0), other.steps.len());
    for (number, step) in other.steps.iter().enumerate().filter(|(number, _)| needed[*number]) {
        let mut copy = *step;
        for input in &mut copy.inputs[..usize::from(step.count)] {
            *input = match *input {
                Ref::Step(earlier) => made[usize::from(earlier)],
                Ref::Scalar(scalar) => group.scalar(other.scalars[usize::from(scalar)]),
                Ref::Operand(operand) => {
                    let mut view = other.operands[usize::from(operand)].clone();
                    view.strides = SmallVec::from_elem(0, ndim);
                    Ref::Operand(group.operand(view))
                }
            };
        }
        made[number] = Ref::Step(group.step(copy));
    }
    Some(made[usize::from(output.step)])
}
