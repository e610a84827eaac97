//! The fast path into a group, for the most common operations: one result; inputs are C-contiguous arrays of one shape, arrays
//! that broadcast to it, and scalars. It flushes nothing. If a group has to run first, or for any other operation, it returns
//! `None`, and the caller uses [`record`](super::record()). On a CPU it may run the operation at once
//! ([`at_once`](super::at_once)).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cuproxide_hal::{DType, MAX_DIMS};

use super::eager::label;
use super::follow::{Expected, Inputs, Operation};
use super::group::{Group, GroupBox};
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

/// An operation of the fast path, whose types and shape are known.
pub(crate) struct Line<'a> {
    pub context: &'static Arc<Context>,
    pub ufunc: &'static Ufunc,
    /// The number of the loop.
    pub index: usize,
    pub inputs: &'a [Operand<'a>],
    /// Which inputs have the shape and are C-contiguous, as bits.
    pub whole: u8,
    /// The shape of the result, which is C-contiguous.
    pub shape: &'a [usize],
}

/// Defers an operation; `None` if a group has to run first, or if the operation cannot be deferred. The calling thread traces
/// nothing. If the program has so far needed the results of such operations immediately, the operation runs at once.
///
/// # Errors
/// Those of the kernel, if the operation runs at once.
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

/// [`record_line`] into an existing C-contiguous array of the shape; returns whether that was possible.
///
/// # Errors
/// As for [`record_line`].
pub(crate) fn record_line_into(line: &Line<'_>, out: &Array) -> Result<bool> {
    // Several launches may fail in between, and an update must not be made twice.
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

/// [`record_line`] for an operation that can be appended to the last group: its inputs are C-contiguous arrays of the group's
/// shape, at least one of them deferred, and scalars. Returns `None` and records nothing if there is no such group.
///
/// The caller guarantees that the thread traces nothing, that no array is exposed, and that the operation cannot fail on an
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
    let takes = group.can_append(full, stream)
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

/// [`record_next`] for an operation that the last group's script predicts. Otherwise returns `None` and records nothing.
///
/// The caller guarantees that the thread is in the [default mode](super::has_default_mode), and that `index` is the loop for
/// these inputs.
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

/// [`follow`] for an in-place update of an array.
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
    /// The last group, unless it records a loop that has to be cut here: a script must not postpone the cut.
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

    /// The operation as a step of a group.
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
        // From here on nothing can fail.
        group.enter_scalars(line.inputs, &mut inputs);
        let step = group.step(line.step(dtype, inputs));
        Some(group.new_line(line.context, step, dtype))
    }

    fn record_line_into(&mut self, line: &Line<'_>, stream: u64, out: &Array, kind: Option<Kind>) -> Option<()> {
        // For an array that is itself deferred, `record` replaces the step.
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

    /// Makes the group for an operation the last one, if it has room for the operation.
    fn open_line(&mut self, line: &Line<'_>, stream: u64, dtype: DType, kind: Option<Kind>) -> Option<()> {
        // A result that can never fit the device is not deferred, so that this operation raises the error.
        let fits = |points: usize| points.saturating_mul(dtype.size()) <= line.context.info().total_memory;
        let takes = |group: &GroupBox| group.trace.is_none() && group.is_for(line.shape, stream);
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
            // Inputs that no other group makes or changes can be read before or after those groups run.
            None if self.groups.len() < MAX_GROUPS
                && points_of(line.shape).is_some_and(fits)
                && line.inputs.iter().all(is_ready) =>
            {
                let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
                let mut group = GroupBox::new(serial, line.context.current_stream(), line.shape);
                group.kind = kind;
                self.groups.push(group);
            }
            None => return None,
        }
        Some(())
    }
}

/// The number of elements of a shape; `None` if it is 0 or overflows.
fn points_of(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |points, &length| points.checked_mul(length)).filter(|&points| points != 0)
}

/// Whether an input is a scalar or an array in memory that no group is to change.
fn is_ready(input: &Operand<'_>) -> bool {
    match input {
        Operand::Array(array) => array.storage().is_ready(),
        Operand::Scalar(_) => true,
    }
}

impl Group {
    /// Resolves the arrays among the inputs of an operation. If a group has to run for one of them first, returns `None` and adds
    /// nothing. `whole` tells which inputs have the group's shape and are C-contiguous.
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

    /// Resolves an array: a result of the group, or memory that no group fills or changes. `None` if it is neither. `whole`
    /// tells whether the array has the group's shape and is C-contiguous.
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

    /// [`Group::find`] of an array that no group fills or changes; `None` if it has no memory.
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
