//! Turning operations into steps.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cuproxide_hal::{DType, MAX_DIMS, Scalar};
use smallvec::SmallVec;

use super::eager::{is_eager, label};
use super::group::{Form, Group, GroupBox, Lookup, MAX_EFFECTS, NEEDS, Space, note, writer_of};
use super::log::Reason;
use super::repeat::repeat;
use super::repetition::Rhythm;
use super::state::{Fuser, MAX_GROUPS, MAX_TRACED_GROUPS, Running, SERIAL, State};
use super::step::{Folding, MAX_INPUTS, Ref, Step, Work};
use super::view::View;
use crate::array::{Array, Results};
use crate::context::Context;
use crate::error::Result;
use crate::fold::Plan;
use crate::layout::Layout;
use crate::storage::Storage;
use crate::trace;
use crate::ufunc::{self, Ufunc};

/// The share of a device's memory that a group alone may keep alive: one part in this many.
pub(super) const MEMORY_SHARE: usize = 16;

/// An elementwise operation whose types and shapes are known.
pub(crate) struct Request<'a> {
    pub context: &'a Arc<Context>,
    pub ufunc: &'static Ufunc,
    /// The number of the loop.
    pub index: usize,
    /// The inputs, in order; scalars are converted to the loop's types.
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
pub(super) enum Stop {
    /// This group has to run first.
    Flush(u64, Reason),
    /// This result of a reduction has to be in memory first.
    Settle(Arc<Storage>, Reason),
    /// The output overlaps an input of the group: the result is first computed into a new array.
    Detour,
    /// The operation cannot be deferred.
    Refused,
}

/// All groups except the one that the operation is recorded in.
#[derive(Clone, Copy)]
pub(super) struct Others<'s> {
    pending: &'s [GroupBox],
    running: &'s [Running],
}

impl Others<'_> {
    /// A group that reads, fills or changes a storage.
    fn toucher(self, storage: &Storage) -> Option<u64> {
        let groups = self.pending.iter().map(|held| &**held).chain(self.running.iter().map(Running::group));
        groups.into_iter().find(|group| group.touches(storage)).map(|group| group.serial)
    }
}

/// Defers an operation; `layout` returns the layout of a new output of a type. `None` if the operation has to run at once.
pub(crate) fn record(request: &Request<'_>, layout: impl Fn(DType) -> Layout) -> Result<Option<Results>> {
    if !is_deferrable(request) {
        return Ok(None);
    }
    let fuser = request.context.fuser();
    loop {
        let outcome = fuser.state.lock().record(request, &layout);
        match outcome {
            Ok(results) => return Ok(Some(results)),
            Err(Stop::Refused | Stop::Detour) => return Ok(None),
            Err(stop) => stop.resolve(fuser)?,
        }
    }
}

impl Stop {
    /// Runs the group that has to run first.
    fn resolve(self, fuser: &Fuser) -> Result<()> {
        match self {
            Stop::Flush(serial, reason) => fuser.flush(serial, reason),
            Stop::Settle(storage, reason) => match writer_of(&storage) {
                0 => Ok(()),
                writer => fuser.flush_for(writer, &storage, reason),
            },
            Stop::Detour | Stop::Refused => Ok(()),
        }
    }
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
    !is_eager()
        && !request.shape.contains(&0)
        && may_fit(request)
        && request.inputs.len() <= MAX_INPUTS
        && !may_fault(request)
        && request.out.len() <= 1
        && (request.mask.is_none() || request.out.len() == 1)
        && !arrays().any(|array| array.storage().is_exposed())
        && !given().any(repeats_places)
        // Several launches may fail in between, and an update in place must not be made twice.
        && (request.out.is_empty() || request.shape.len() <= MAX_DIMS)
}

/// Whether the result could fit the device. If not, this operation runs at once and raises the error.
fn may_fit(request: &Request<'_>) -> bool {
    let size = request.ufunc.loops[request.index].outputs[0].size();
    let bytes = request.shape.iter().try_fold(size, |bytes, &length| bytes.checked_mul(length));
    bytes.is_some_and(|bytes| bytes <= request.context.info().total_memory)
}

/// Whether the operation can fail on an element. Scalars have been checked.
fn may_fault(request: &Request<'_>) -> bool {
    request.ufunc.may_fault(request.index) && !matches!(request.inputs, [_, Operand::Scalar(_)])
}

/// Whether two elements of an array may share memory.
fn repeats_places(array: &Array) -> bool {
    let layout = array.layout();
    if layout.c_contiguous || layout.f_contiguous {
        return false;
    }
    // Sorted by stride: the stride of each axis must exceed the extent of the faster axes.
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
    fn record(&mut self, request: &Request<'_>, layout: &dyn Fn(DType) -> Layout) -> Result<Results, Stop> {
        match self.try_record(request, layout) {
            Err(Stop::Detour) => self.detour(request),
            outcome => outcome,
        }
    }

    /// Computes into a new array, then copies: for an output that overlaps an input in another order.
    fn detour(&mut self, request: &Request<'_>) -> Result<Results, Stop> {
        let out = request.out[0].expect("only a given output overlaps");
        let fresh = Request { out: &[], ..*request };
        let layout = |dtype: DType| Layout::contiguous(request.shape, dtype.size(), false);
        let value = self.try_record(&fresh, &layout)?.remove(0);
        let first = writer_of(value.storage());
        let groups = &mut self.groups;
        let before = groups.iter_mut().find(|group| group.serial == first).expect("the value is deferred");
        before.sealed = true;
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let mut group = GroupBox::new(serial, before.stream().clone(), request.shape);
        group.after = Some(first);
        let copy = ufunc::copy();
        let index = copy.loop_of(value.dtype()).expect("every type can be copied") as u8;
        let operand = group.operand(View::stretched(&value, request.shape));
        let inputs = [Ref::Operand(operand); MAX_INPUTS];
        let work = Work::Call { ufunc: copy.id, index, part: 0 };
        let step = group.step(Step { work, dtype: out.dtype(), row: false, count: 1, inputs });
        group.write(View::stretched(out, request.shape), step);
        groups.push(group);
        Ok(SmallVec::from_elem(out.clone(), 1))
    }

    fn try_record(&mut self, request: &Request<'_>, layout: &dyn Fn(DType) -> Layout) -> Result<Results, Stop> {
        let (position, space) = match self.host(request) {
            Some((position, space)) => {
                self.check_room(position, request.context)?;
                (position, space)
            }
            None => (self.group(request.context, request.shape)?, Space::Points),
        };
        let (group, others) = self.split(position);
        record_in(group, others, &space, request, layout)
    }

    /// Group `position`, labelled with the thread's present name for its kernel, and the other groups.
    #[inline]
    pub(super) fn split(&mut self, position: usize) -> (&mut Group, Others<'_>) {
        let last = self.groups.len() - 1;
        if position != last {
            self.groups.swap(position, last);
        }
        let (group, others) = self.groups.split_last_mut().expect("the group is there");
        if let Some(label) = label() {
            group.label = Some(label);
        }
        (group, Others { pending: others, running: &self.running })
    }

    /// The group whose folds make an input of an operation over their results, and the points of the group at which the operation
    /// runs.
    fn host(&self, request: &Request<'_>) -> Option<(usize, Space)> {
        if self.groups.iter().all(|group| group.reduced == 0) {
            return None;
        }
        let id = request.context.stream_id();
        request.inputs.iter().find_map(|input| {
            let Operand::Array(array) = input else { return None };
            let makes = |group: &GroupBox| group.makes_row(array.storage());
            let position = self.groups.iter().position(makes)?;
            let group = &self.groups[position];
            let open = !group.sealed
                && group.stream_id == id
                && trace::is_of(group.trace.as_ref())
                && group.shape.as_slice() != request.shape;
            Some((position, group.rows_of(request.shape).filter(|_| open)?))
        })
    }

    /// Whether a group has room for any other operation. If not, [`State::check_room`] finds the reason.
    #[inline]
    pub(super) fn has_room(&self, group: &Group, context: &Context) -> bool {
        // A group of a known loop is full when it has as many steps as its rhythm.
        self.rhythms.iter().all(|rhythm| group.steps.len() < rhythm.steps || !rhythm.fits(group))
            && group.has_room(NEEDS.0, NEEDS.1, NEEDS.2)
            && group.operand_bytes <= context.info().total_memory / MEMORY_SHARE
    }

    fn check_room(&mut self, position: usize, context: &Context) -> Result<(), Stop> {
        let group = &self.groups[position];
        if self.has_room(group, context) {
            return Ok(());
        }
        let is_due = |rhythm: &Rhythm| rhythm.fits(group) && group.steps.len() >= rhythm.steps;
        if let Some(due) = self.rhythms.iter().position(is_due) {
            if self.rhythms[due].goes_on(group) {
                return Err(Stop::Flush(group.serial, Reason::Full));
            }
            // The program has left the loop.
            self.rhythms.remove(due);
        }
        if !group.has_room(NEEDS.0, NEEDS.1, NEEDS.2) {
            let found = Rhythm::of(group);
            let serial = group.serial;
            if let Some(found) = found {
                self.rhythms.retain(|rhythm| (&rhythm.shape, rhythm.stream) != (&found.shape, found.stream));
                self.rhythms.truncate(MAX_GROUPS - 1);
                self.rhythms.insert(0, found);
            }
            return Err(Stop::Flush(serial, Reason::Full));
        }
        let bound = context.info().total_memory / MEMORY_SHARE;
        if group.operand_bytes > bound && group.held_bytes() > bound {
            return Err(Stop::Flush(group.serial, Reason::Memory));
        }
        Ok(())
    }

    /// The position of the group for a shape, opened if there is none.
    fn group(&mut self, context: &Context, shape: &[usize]) -> Result<usize, Stop> {
        let id = context.stream_id();
        // The last group is the one that was recorded in last.
        if let Some(position) = self.groups.iter().rposition(|group| group.takes(shape, id)) {
            self.check_room(position, context)?;
            return Ok(position);
        }
        if self.groups.len() >= if trace::is_on() { MAX_TRACED_GROUPS } else { MAX_GROUPS } {
            let oldest = self.groups.iter().map(|group| group.serial).min().expect("several groups");
            return Err(Stop::Flush(oldest, Reason::Shapes));
        }
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        self.groups.push(GroupBox::new(serial, context.current_stream(), shape));
        Ok(self.groups.len() - 1)
    }
}

fn record_in(
    group: &mut Group,
    others: Others<'_>,
    space: &Space,
    request: &Request<'_>,
    layout: &dyn Fn(DType) -> Layout,
) -> Result<Results, Stop> {
    let mut inputs = [Ref::Step(0); MAX_INPUTS];
    for (place, input) in inputs.iter_mut().zip(request.inputs) {
        *place = match *input {
            Operand::Scalar(scalar) => group.scalar(scalar),
            Operand::Array(array) => look_up(group, others, array, request.shape, space)?,
        };
    }
    if request.inputs.iter().all(|input| matches!(input, Operand::Scalar(_))) {
        group.uniform_work += usize::from(request.ufunc.cost(request.index));
    }
    let (index, count) = (request.index as u8, request.inputs.len() as u8);
    let work = Work::Call { ufunc: request.ufunc.id, index, part: 0 };
    let step = Step { work, dtype: DType::Bool, row: space.is_rows(), count, inputs };
    match request.out {
        [Some(out)] => record_into(group, others, space, request, step, out),
        _ => Ok(record_new(group, space, request, step, layout)),
    }
}

/// How an operation over `shape` in a group reads an array.
fn look_up(group: &mut Group, others: Others<'_>, array: &Array, shape: &[usize], space: &Space) -> Result<Ref, Stop> {
    let writer = writer_of(array.storage());
    if writer != 0 && writer != group.serial {
        let other = others.pending.iter().find(|other| other.serial == writer);
        if let Some(found) = other.and_then(|other| repeat(other, group, array, space.is_rows())) {
            return Ok(found);
        }
        if other.is_some_and(|other| other.makes_row(array.storage())) {
            return Err(Stop::Settle(array.storage().clone(), Reason::View));
        }
        let same_shape = array.shape() == group.shape.as_slice();
        return Err(Stop::Flush(writer, if same_shape { Reason::Read } else { Reason::View }));
    }
    match group.look_up(array, shape, space) {
        Lookup::Found(found) => Ok(found),
        Lookup::Unwritten => Err(Stop::Flush(group.serial, Reason::View)),
    }
}

/// Defers an operation with a given output.
fn record_into(
    group: &mut Group,
    others: Others<'_>,
    space: &Space,
    request: &Request<'_>,
    step: Step,
    out: &Array,
) -> Result<Results, Stop> {
    let step = Step { dtype: out.dtype(), ..step };
    // With a mask, the old content is an input too.
    let choice = match request.mask {
        None => None,
        Some(mask) => {
            let mut find = |array| look_up(group, others, array, request.shape, space);
            let (mask, old) = (find(mask)?, find(out)?);
            let choose = ufunc::get("where").expect("the table has a row for choices");
            let index = choose.loops.iter().position(|types| types.outputs[0] == out.dtype()).ok_or(Stop::Refused)?;
            let work = Work::Call { ufunc: choose.id, index: index as u8, part: 0 };
            Some(Step { work, count: 3, inputs: [mask, mask, old], ..step })
        }
    };
    let output = group.output_of(out, request.shape, space);
    if output.is_none() && space.is_rows() {
        // A group writes existing memory only at all of its points.
        return Err(Stop::Flush(group.serial, Reason::Write));
    }
    let target = View::stretched(out, request.shape);
    if output.is_none() {
        check_target(group, others, &target, request.mask.is_some())?;
    }
    let mut value = group.step(step);
    if let Some(mut choice) = choice {
        choice.inputs[1] = Ref::Step(value);
        value = group.step(choice);
    }
    match output {
        Some(output) => {
            let output = &mut group.outputs[output];
            output.storage.note_change();
            output.step = value;
            output.row = space.is_rows();
        }
        None => group.write(target, value),
    }
    Ok(SmallVec::from_elem(out.clone(), 1))
}

/// Whether the group may write memory in place when it runs.
pub(super) fn check_target(group: &Group, others: Others<'_>, target: &View, masked: bool) -> Result<(), Stop> {
    let storage = &*target.storage;
    let writer = writer_of(storage);
    if writer != 0 && (writer != group.serial || storage.peek().is_none()) {
        return Err(Stop::Flush(writer, Reason::Write));
    }
    if storage.is_read_by_group()
        && let Some(reader) = others.toucher(storage)
    {
        return Err(Stop::Flush(reader, Reason::Write));
    }
    if !group.may_write(target) {
        // Unselected elements must not be written back: an operation that runs at once does not touch them.
        return Err(if masked { Stop::Refused } else { Stop::Detour });
    }
    let known = group.effects.iter().any(|effect| effect.view.is(target));
    if !known && group.effects.len() >= MAX_EFFECTS {
        return Err(Stop::Flush(group.serial, Reason::Full));
    }
    Ok(())
}

/// Defers an operation whose outputs are new.
fn record_new(
    group: &mut Group,
    space: &Space,
    request: &Request<'_>,
    step: Step,
    layout: &dyn Fn(DType) -> Layout,
) -> Results {
    let types = &request.ufunc.loops[request.index].outputs;
    let mut results = Results::new();
    for (part, &dtype) in types.iter().enumerate() {
        let work = match step.work {
            Work::Call { ufunc, index, .. } => Work::Call { ufunc, index, part: part as u8 },
            fold => fold,
        };
        let number = group.step(Step { work, dtype, ..step });
        results.push(new_output(group, space, request.context, number, dtype, layout(dtype)));
    }
    results
}

/// Adds the array of a step's results.
pub(super) fn new_output(
    group: &mut Group,
    space: &Space,
    context: &Arc<Context>,
    step: u16,
    dtype: DType,
    layout: Layout,
) -> Array {
    if !space.is_rows() && group.is_line(&layout, dtype.size()) {
        return group.new_line(context.shared(), step, dtype);
    }
    let writer = note(group.serial, Some(group.outputs.len()));
    let storage = Storage::deferred(context, layout.size() * dtype.size(), writer);
    let strides = space.spread(&layout.strides, group.shape.len());
    let form = match space {
        Space::Rows(_) => Form::Row(strides),
        Space::Points => Form::Points(strides, layout.c_contiguous && layout.shape.len() == group.shape.len()),
    };
    group.output(storage.clone(), step, dtype, form);
    Array::of_layout(storage, dtype, Arc::new(layout))
}

/// A reduction whose types and shapes are known.
pub(crate) struct FoldRequest<'a> {
    pub context: &'a Arc<Context>,
    /// The input.
    pub array: &'a Array,
    /// The axes that are reduced; at least one.
    pub reduced: &'a [usize],
    pub folding: Folding,
    pub plan: &'a Plan,
    /// The fold's arguments.
    pub arguments: &'a [Scalar],
    /// The type of the results.
    pub dtype: DType,
    /// Their layout, over the other axes.
    pub layout: Layout,
}

/// Whether the fold of an array over some axes may be deferred. It is where that can pay off: if the array is deferred too, or if
/// the fold may join a kernel that reads each row once for several reductions and the operations on their results.
pub(crate) fn may_wait(array: &Array, reduced: &[usize]) -> bool {
    let is_trailing = || reduced.len() < array.ndim() && reduced[0] + reduced.len() == array.ndim();
    (array.storage().writer() != 0 || is_trailing())
        && !is_eager()
        && !array.storage().is_exposed()
        && array.layout().c_contiguous
        && array.ndim() <= MAX_DIMS
        && array.size() != 0
}

/// Defers a reduction that [`may_wait`]; `None` if it has to run at once.
pub(crate) fn record_fold(request: &FoldRequest<'_>) -> Result<Option<Array>> {
    let fuser = request.context.fuser();
    loop {
        let outcome = fuser.state.lock().try_record_fold(request);
        match outcome {
            Ok(result) => return Ok(Some(result)),
            Err(Stop::Refused | Stop::Detour) => return Ok(None),
            Err(stop) => stop.resolve(fuser)?,
        }
    }
}

impl State {
    fn try_record_fold(&mut self, request: &FoldRequest<'_>) -> Result<Array, Stop> {
        let array = request.array;
        let reduced = request.reduced.iter().fold(0, |bits, axis| bits | 1 << axis);
        let writer = writer_of(array.storage());
        if writer != 0 {
            let shape = array.shape();
            let known = |group: &Group| group.serial == writer && group.shape.as_slice() == shape;
            let group = self.groups.iter().find(|group| known(group)).ok_or(Stop::Refused)?;
            // Unless the array is a result of the group, it has to be in memory first, and then the fold can run at once.
            if array.storage().peek().is_none() {
                group.output_of(array, shape, &Space::Points).ok_or(Stop::Refused)?;
            }
            if group.sealed || group.after.is_some() || (group.reduced != 0 && group.reduced != reduced) {
                return Err(Stop::Refused);
            }
        }
        let position = self.group(request.context, array.shape())?;
        let (group, others) = self.split(position);
        if group.reduced != 0 && group.reduced != reduced {
            return Err(Stop::Refused);
        }
        let value = look_up(group, others, array, array.shape(), &Space::Points)?;
        let mut inputs = [value; MAX_INPUTS];
        for (place, &argument) in inputs[1..].iter_mut().zip(request.arguments) {
            *place = group.scalar(argument);
        }
        group.reduced = reduced;
        let count = 1 + request.arguments.len() as u8;
        let work = Work::Fold(request.folding);
        let step = group.step(Step { work, dtype: request.dtype, row: true, count, inputs });
        group.plans.push((step, request.plan.clone()));
        let mut kept = (0..array.ndim()).filter(|axis| reduced >> axis & 1 == 0);
        let axis = |_| kept.next().filter(|&axis| array.shape()[axis] != 1).map(|axis| axis as u8);
        let space = Space::Rows(request.layout.shape.iter().map(axis).collect());
        Ok(new_output(group, &space, request.context, step, request.dtype, request.layout.clone()))
    }
}
