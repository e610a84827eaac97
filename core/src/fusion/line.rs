//! The short way into a group, for what programs record most: an operation with one result over C-contiguous arrays of
//! one shape, arrays that stretch to it, and scalars. It flushes nothing: where something has to run first, and for all other
//! forms, it leaves the operation to [`record`](super::record()). On a CPU it may run the operation itself
//! ([`at_once`](super::at_once)).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cuproxide_hal::{DType, MAX_DIMS};

use super::eager::label;
use super::follow::{Expected, Inputs, Operation};
use super::group::{Group, Held};
use super::habits::Kind;
use super::record::{Operand, check_target};
use super::repetition::Rhythm;
use super::state::{MAX_GROUPS, SERIAL, State};
use super::step::{MAX_INPUTS, Ref, Step, Work};
use super::view::View;
use crate::array::Array;
use crate::context::Context;
use crate::error::Result;
use crate::ufunc::Ufunc;

/// An operation whose types and shape have been worked out.
pub(crate) struct Line<'a> {
    pub context: &'static Arc<Context>,
    pub ufunc: &'static Ufunc,
    /// The loop.
    pub index: usize,
    pub inputs: &'a [Operand<'a>],
    /// Which inputs have the shape and lie in C order themselves, as bits.
    pub whole: u8,
    /// The shape of the result, which lies in C order.
    pub shape: &'a [usize],
}

/// Defers an operation of a thread that traces nothing, if that takes no other work; `None` if it does, or if the operation
/// cannot wait. An operation whose result has been needed at once so far runs at once.
///
/// # Errors
/// Those of the kernel of what runs at once.
pub(crate) fn record_line(line: &Line<'_>) -> Result<Option<Array>> {
    if !line.may_wait() {
        return Ok(None);
    }
    let fuser = line.context.fuser();
    let kind = line.kind(None);
    if let Some(kind) = kind
        && let Some(made) = line.run_at_once(fuser, kind)?
    {
        return Ok(Some(made));
    }
    let stream = line.context.stream_id();
    Ok(fuser.state.lock().record_line(line, stream, kind))
}

/// [`record_line`] into an array that exists, of the shape and in C order; whether that was possible.
///
/// # Errors
/// As for [`record_line`].
pub(crate) fn record_line_into(line: &Line<'_>, out: &Array) -> Result<bool> {
    // What takes several launches may fail between them, and an update must not be made twice.
    if !line.may_wait() || out.storage().is_exposed() || line.shape.len() > MAX_DIMS {
        return Ok(false);
    }
    let fuser = line.context.fuser();
    let kind = if out.storage().is_ready() { line.kind(Some(out)) } else { None };
    if let Some(kind) = kind
        && line.run_at_once_into(fuser, kind, out)?
    {
        return Ok(true);
    }
    let stream = line.context.stream_id();
    Ok(fuser.state.lock().record_line_into(line, stream, out, kind).is_some())
}

/// [`record_line`] of an operation that can be appended to the group that was recorded in last: its inputs are arrays of the
/// group's shape in C order, of which one at least is deferred, and scalars. `None` if there is no such group; nothing has been
/// recorded then.
///
/// The caller has made sure that the thread traces nothing, that no array is exposed, and that the operation cannot fail on an
/// element.
pub(crate) fn record_next<const N: usize>(
    ufunc: &'static Ufunc,
    index: usize,
    inputs: &[Operand<'_>; N],
    full: &Array,
) -> Option<Array> {
    let context = full.context();
    let stream = context.stream_id();
    let mut state = context.fuser().state.lock();
    let group = state.groups.last()?;
    let dtype = ufunc.loops[index].outputs[0];
    let takes = group.goes_on_with(full, stream)
        && group.points.saturating_mul(dtype.size()) <= context.info().total_memory
        && state.has_room(group, context);
    if !takes {
        return None;
    }
    let group = state.groups.last_mut()?;
    let mut found = group.find_all(inputs, |_| true)?;
    group.enter_scalars(inputs, &mut found);
    if let Some(label) = label() {
        group.label = Some(label);
    }
    let work = Work::Call { ufunc: ufunc.id, index: index as u8, part: 0 };
    let step = group.step(Step { work, dtype, row: false, count: N as u8, inputs: found });
    Some(group.new_line(context, step, dtype))
}

/// [`record_next`] of an operation that a group's script expects next. Nothing has been recorded if it is not that.
///
/// The caller has made sure that the thread's operations are [usual](super::is_usual), and that `index` is the loop for these operands.
#[inline(always)]
pub(crate) fn follow<const N: usize>(
    ufunc: &'static Ufunc,
    index: usize,
    inputs: &impl Inputs,
    full: &Array,
) -> Option<Expected> {
    let context = full.context();
    let operation = Operation::<N, _> { ufunc, index, inputs, context, stream: context.stream_id() };
    let mut state = context.fuser().state.lock();
    state.guided()?.follow(&operation)
}

/// As [`follow`], for an update of an array.
#[inline(always)]
pub(crate) fn follow_into<const N: usize>(
    ufunc: &'static Ufunc,
    index: usize,
    inputs: &impl Inputs,
    out: &Array,
) -> Option<()> {
    let context = out.context();
    let operation = Operation::<N, _> { ufunc, index, inputs, context, stream: context.stream_id() };
    let mut state = context.fuser().state.lock();
    state.guided()?.follow_into(&operation, out)
}

impl State {
    /// The group that was recorded in last, unless the loop that it records is to be cut here, which is not for a script to say.
    #[inline(always)]
    fn guided(&mut self) -> Option<&mut Group> {
        let group = self.groups.last_mut()?;
        let is_cut = |rhythm: &Rhythm| group.steps.len() >= rhythm.steps && rhythm.fits(group);
        if !self.rhythms.is_empty() && self.rhythms.iter().any(is_cut) { None } else { Some(group) }
    }
}

impl Line<'_> {
    fn may_wait(&self) -> bool {
        let is_exposed = |input: &Operand<'_>| matches!(input, Operand::Array(array) if array.storage().is_exposed());
        self.inputs.len() <= MAX_INPUTS && !self.ufunc.may_fault(self.index) && !self.inputs.iter().any(is_exposed)
    }

    /// The step of a group that the operation is.
    fn step(&self, dtype: DType, inputs: [Ref; MAX_INPUTS]) -> Step {
        let work = Work::Call { ufunc: self.ufunc.id, index: self.index as u8, part: 0 };
        Step { work, dtype, row: false, count: self.inputs.len() as u8, inputs }
    }
}

impl State {
    fn record_line(&mut self, line: &Line<'_>, stream: u64, kind: Option<Kind>) -> Option<Array> {
        let dtype = line.ufunc.loops[line.index].outputs[0];
        self.open_line(line, stream, dtype, kind)?;
        let (group, _) = self.split(self.groups.len() - 1);
        let mut inputs = group.find_all(line.inputs, |position| line.whole >> position & 1 == 1)?;
        // From here on nothing is in the way.
        group.enter_scalars(line.inputs, &mut inputs);
        let step = group.step(line.step(dtype, inputs));
        Some(group.new_line(line.context, step, dtype))
    }

    fn record_line_into(&mut self, line: &Line<'_>, stream: u64, out: &Array, kind: Option<Kind>) -> Option<()> {
        // A result that waits itself is computed anew, not changed.
        if !out.storage().is_ready() {
            return None;
        }
        self.open_line(line, stream, out.dtype(), kind)?;
        let (group, others) = self.split(self.groups.len() - 1);
        let mut inputs = group.find_all(line.inputs, |position| line.whole >> position & 1 == 1)?;
        let target = View::whole(out);
        check_target(group, others, &target, false).ok()?;
        group.enter_scalars(line.inputs, &mut inputs);
        let step = group.step(line.step(out.dtype(), inputs));
        group.write(target, step);
        Some(())
    }

    /// Makes the group that an operation belongs to the last one, if it takes it.
    fn open_line(&mut self, line: &Line<'_>, stream: u64, dtype: DType, kind: Option<Kind>) -> Option<()> {
        // The device may have room for all: where it has not, the error belongs to this operation.
        let fits = |points: usize| points.saturating_mul(dtype.size()) <= line.context.info().total_memory;
        let takes = |group: &Held| group.trace.is_none() && group.is_for(line.shape, stream);
        let last = self.groups.len().wrapping_sub(1);
        // The group that was recorded in last is the last one.
        match self.groups.iter().rposition(takes) {
            Some(position) => {
                let group = &self.groups[position];
                if group.reduced != 0 || !fits(group.points) || !self.has_room(group, line.context) {
                    return None;
                }
                if position != last {
                    self.groups.swap(position, last);
                }
            }
            // What no other group makes or changes can be read before them or after.
            None if self.groups.len() < MAX_GROUPS
                && points_of(line.shape).is_some_and(fits)
                && line.inputs.iter().all(is_ready) =>
            {
                let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
                let mut group = Held::new(serial, line.context.current_stream(), line.shape);
                group.kind = kind;
                self.groups.push(group);
            }
            None => return None,
        }
        Some(())
    }
}

/// The number of elements of a shape, if there are any and they can be counted.
fn points_of(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |points, &length| points.checked_mul(length)).filter(|&points| points != 0)
}

/// Whether an input is there as it is.
fn is_ready(input: &Operand<'_>) -> bool {
    match input {
        Operand::Array(array) => array.storage().is_ready(),
        Operand::Scalar(_) => true,
    }
}

impl Group {
    /// What the arrays among the inputs of an operation are here; nothing is added if one of them needs other work. `whole` says
    /// which have the group's shape, in C order.
    #[inline]
    fn find_all(&mut self, inputs: &[Operand<'_>], whole: impl Fn(usize) -> bool) -> Option<[Ref; MAX_INPUTS]> {
        let (known, bytes) = (self.operands.len(), self.operand_bytes);
        let mut found = [Ref::Step(0); MAX_INPUTS];
        for (position, (place, input)) in found.iter_mut().zip(inputs).enumerate() {
            let Operand::Array(array) = *input else { continue };
            let Some(one) = self.find(array, whole(position)) else {
                self.operands.truncate(known);
                self.operand_bytes = bytes;
                return None;
            };
            *place = one;
        }
        Some(found)
    }

    /// Adds the scalars among the inputs.
    #[inline]
    fn enter_scalars(&mut self, inputs: &[Operand<'_>], found: &mut [Ref; MAX_INPUTS]) {
        for (place, input) in found.iter_mut().zip(inputs) {
            if let Operand::Scalar(scalar) = *input {
                *place = self.scalar(scalar);
            }
        }
    }

    /// What an array is to an operation at all points: a result of the group, or memory that nothing has to fill or change
    /// first. Nothing if it is neither. `whole` says that it has the group's shape, in C order.
    #[inline]
    fn find(&mut self, array: &Array, whole: bool) -> Option<Ref> {
        let storage = array.storage();
        let note = storage.writer();
        if note >> 16 == self.serial && whole {
            let output = self.outputs.get((note & 0xffff) as usize)?;
            let is_all = output.line && array.offset() == 0 && array.dtype() == output.dtype;
            return (is_all && Arc::ptr_eq(&output.storage, storage)).then_some(Ref::Step(output.step));
        }
        if note != 0 { None } else { self.find_memory(array, whole) }
    }

    /// [`Group::find`] of an array that nothing has to fill or change first, if it is there.
    fn find_memory(&mut self, array: &Array, whole: bool) -> Option<Ref> {
        array.storage().peek()?;
        if whole {
            return Some(match self.operands.iter().position(|known| known.is_of(array)) {
                Some(known) => Ref::Operand(known as u16),
                None => Ref::Operand(self.new_operand(View::whole(array))),
            });
        }
        let view = View::stretched(array, &self.shape);
        Some(Ref::Operand(self.operand(view)))
    }
}
