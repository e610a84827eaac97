//! The short way into a group, for what programs record most: an operation with one new result over C-contiguous arrays of
//! one shape, arrays that stretch to it, and scalars. It never runs anything; where something has to run first, and for all
//! other forms, it leaves the operation to [`record`](super::record()).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cuproxide_hal::DType;

use super::group::{Group, Output, View, note, writer_of};
use super::program::{MAX_INPUTS, Ref, Step, Work};
use super::record::Operand;
use super::{MAX_GROUPS, SERIAL, State};
use crate::array::Array;
use crate::context::Context;
use crate::layout::{Layout, Strides, same_shape};
use crate::storage::Storage;
use crate::ufunc::Ufunc;

/// An operation whose types and shape have been worked out.
pub(crate) struct Line<'a> {
    pub context: &'a Arc<Context>,
    pub ufunc: &'static Ufunc,
    /// The loop.
    pub index: usize,
    pub inputs: &'a [Operand<'a>],
    /// The shape of the result, which lies in C order.
    pub shape: &'a [usize],
}

/// Defers an operation if that takes no other work; `None` if it does, or if the operation cannot wait.
pub(crate) fn record_line(line: &Line<'_>) -> Option<Array> {
    let dtype = line.ufunc.loops[line.index].outputs[0];
    // There is an element, and the device may have room for all: where it has not, the error belongs to this operation.
    let mut bytes = dtype.size();
    for &length in line.shape {
        bytes = bytes.checked_mul(length).filter(|&bytes| bytes != 0)?;
    }
    let is_exposed = |input: &Operand<'_>| matches!(input, Operand::Array(array) if array.storage().is_exposed());
    if bytes > line.context.info().total_memory
        || line.inputs.len() > MAX_INPUTS
        || line.ufunc.may_fault(line.index)
        || line.inputs.iter().any(is_exposed)
    {
        return None;
    }
    line.context.fuser().state.lock().record_line(line, dtype, bytes)
}

impl State {
    fn record_line(&mut self, line: &Line<'_>, dtype: DType, bytes: usize) -> Option<Array> {
        let stream = line.context.stream_id();
        match self.groups.iter().rposition(|group| group.takes(line.shape, stream)) {
            Some(position) => {
                let group = &self.groups[position];
                if group.reduced != 0 || !self.has_room(group, line.context) {
                    return None;
                }
                let last = self.groups.len() - 1;
                if position != last {
                    self.groups.swap(position, last);
                }
            }
            // What no other group makes or changes can be read before them or after.
            None if self.groups.len() < MAX_GROUPS && line.inputs.iter().all(is_ready) => {
                let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
                self.groups.push(Group::new(serial, line.context.current_stream(), line.shape));
            }
            None => return None,
        }
        let group = self.groups.last_mut()?;
        let mut inputs = [Ref::Step(0); MAX_INPUTS];
        for (place, input) in inputs.iter_mut().zip(line.inputs) {
            if let Operand::Array(array) = *input {
                *place = group.find(array)?;
            }
        }
        // From here on nothing is in the way.
        for (place, input) in inputs.iter_mut().zip(line.inputs) {
            if let Operand::Scalar(scalar) = *input {
                *place = group.scalar(scalar);
            }
        }
        if let Some(label) = super::label() {
            group.label = Some(label);
        }
        let work = Work::Call { ufunc: line.ufunc.id, index: line.index as u8, part: 0 };
        let step = group.step(Step { work, dtype, row: false, count: line.inputs.len() as u8, inputs });
        let layout = Layout::contiguous(line.shape, dtype.size(), false);
        let storage = Storage::deferred(line.context, bytes, note(group.serial, Some(group.outputs.len())));
        let strides = Strides::from_slice(&layout.strides);
        let own = storage.clone();
        group.outputs.push(Output { storage: own, step, dtype, strides, row: false, done: false, line: true });
        Some(Array::of_layout(storage, dtype, layout))
    }
}

/// Whether an input is there as it is.
fn is_ready(input: &Operand<'_>) -> bool {
    match input {
        Operand::Array(array) => array.storage().is_ready(),
        Operand::Scalar(_) => true,
    }
}

impl Group {
    /// What an array is to an operation at all points: a result of the group, or memory that nothing has to fill or change
    /// first. Nothing if it is neither.
    fn find(&mut self, array: &Array) -> Option<Ref> {
        let storage = array.storage();
        let writer = writer_of(storage);
        let in_order = array.layout().c_contiguous && same_shape(array.shape(), &self.shape);
        if writer == self.serial && in_order {
            let output = self.outputs.get((storage.writer() & 0xffff) as usize)?;
            let whole = output.line && array.offset() == 0 && array.dtype() == output.dtype;
            return (whole && Arc::ptr_eq(&output.storage, storage)).then_some(Ref::Step(output.step));
        }
        if writer != 0 || storage.peek().is_none() {
            return None;
        }
        if in_order && let Some(known) = self.operands.iter().position(|known| known.is_of(array)) {
            return Some(Ref::Operand(known as u16));
        }
        let view = View::stretched(array, &self.shape);
        Some(Ref::Operand(self.operand(view)))
    }
}
