//! Recording an operation that matches the next step of its group's script.

use std::sync::Arc;

use cuproxide_hal::{DType, Scalar};

use super::group::Group;
use super::record::MEMORY_SHARE;
use super::script::Script;
use super::step::{MAX_INPUTS, Ref, Step};
use super::view::View;
use crate::array::Array;
use crate::context::Context;
use crate::storage::Storage;
use crate::ufunc::{Loop, Ufunc};

/// An input of an [`Operation`].
#[derive(Clone, Copy)]
pub(crate) enum InputRef<'a> {
    Array(&'a Array),
    /// A Python float where the loop takes an inexact type: conversion cannot fail.
    Real(f64),
    /// Any other scalar.
    Scalar,
}

/// The inputs of an [`Operation`].
pub(crate) trait Inputs {
    /// The input at a position where the loop takes elements of `dtype`.
    fn get(&self, position: usize, dtype: DType) -> InputRef<'_>;

    /// The scalar at a position as an element of `dtype`; `None` if the type cannot hold it.
    fn scalar(&self, position: usize, dtype: DType) -> Option<Scalar>;
}

/// An operation to be compared with the next step of a script: a ufunc with one result, and its loop for `N` inputs.
pub(crate) struct Operation<'a, const N: usize, I: Inputs> {
    pub ufunc: &'static Ufunc,
    pub index: usize,
    pub inputs: &'a I,
    pub context: &'static Arc<Context>,
    /// The thread's current stream.
    pub stream: u64,
}

impl<const N: usize, I: Inputs> Operation<'_, N, I> {
    #[inline(always)]
    fn types(&self) -> &'static Loop {
        &self.ufunc.loops[self.index]
    }
}

/// The result of an operation that matched its script, in two words; the caller builds the array in its final place.
pub struct Expected {
    storage: Arc<Storage>,
    dtype: DType,
}

impl Expected {
    /// The array.
    #[inline(always)]
    pub fn array(self) -> Array {
        Array::of_line(self.storage, self.dtype)
    }
}

impl Group {
    /// If an operation matches the next step of the group's script, records it and returns its result; otherwise changes
    /// nothing. The calling thread traces nothing. Inputs are results of the group, arrays in memory, and scalars.
    #[inline(always)]
    pub fn follow<const N: usize>(&mut self, operation: &Operation<'_, N, impl Inputs>) -> Option<Expected> {
        let dtype = operation.types().outputs[0];
        let step = self.next_step(operation, dtype, true)?;
        Some(Expected { storage: self.new_storage(operation.context, step, dtype), dtype })
    }

    /// [`Group::follow`] for an in-place update of a result of the group. `out` must have the loop's output type, because this
    /// function checks no casting rule.
    #[inline(always)]
    pub fn follow_into<const N: usize>(
        &mut self,
        operation: &Operation<'_, N, impl Inputs>,
        out: &Array,
    ) -> Option<()> {
        let output = self.line_output(out).filter(|_| operation.types().outputs[0] == out.dtype())?;
        let step = self.next_step(operation, out.dtype(), false)?;
        self.outputs[output].step = step;
        out.storage().note_change();
        Some(())
    }

    /// Adds the step of an operation that matches the script. `makes_new` says whether the result is a new array.
    #[inline(always)]
    fn next_step<const N: usize>(
        &mut self,
        operation: &Operation<'_, N, impl Inputs>,
        dtype: DType,
        makes_new: bool,
    ) -> Option<u16> {
        // The script is taken out, because the group is mutated while the script is read.
        let script = self.guide.script.take()?;
        let step = self.next_of_script(&script.0, operation, dtype, makes_new);
        self.guide.script = Some(script);
        step
    }

    #[inline(always)]
    fn next_of_script<const N: usize>(
        &mut self,
        script: &Script,
        operation: &Operation<'_, N, impl Inputs>,
        dtype: DType,
        makes_new: bool,
    ) -> Option<u16> {
        const { assert!(0 < N && N <= MAX_INPUTS) };
        let (at, known) = (self.text.len(), self.counts());
        let &text = script.text.get(at)?;
        let is_next = text[0] == Step::text_of_call(operation.ufunc.id, operation.index, N, dtype)
            && self.stream_id == operation.stream
            && !self.sealed
            && self.has_room(1, N, N)
            && self.operand_bytes <= operation.context.info().total_memory / MEMORY_SHARE
            && self.points.saturating_mul(dtype.size()) <= operation.context.info().total_memory;
        if !is_next {
            return None;
        }
        let next = Next { types: operation.types(), text, operands: &script.operands, context: operation.context };
        let (inputs, mut order) = (operation.inputs, ResultOrder::default());
        // Unrolled by hand: the compiler does not unroll a loop here.
        let is_expected = self.match_input(inputs, 0, &next, &mut order)
            && (N < 2 || self.match_input(inputs, 1, &next, &mut order))
            && (N < 3 || self.match_input(inputs, 2, &next, &mut order));
        if !is_expected || (makes_new && !order.is_c()) {
            self.roll_back(known);
            return None;
        }
        self.steps.push(script.steps[at]);
        self.text.push(text);
        self.followed += 1;
        Some(at as u16)
    }

    /// Whether an input matches the script. Operands and scalars that are new to the group are added.
    #[inline(always)]
    fn match_input(&mut self, inputs: &impl Inputs, position: usize, next: &Next<'_>, order: &mut ResultOrder) -> bool {
        let dtype = next.types.inputs[position];
        match (inputs.get(position, dtype), Step::input_of_text(next.text, position)) {
            (InputRef::Array(array), Ref::Step(step)) => {
                order.has_line = true;
                self.line_output(array).is_some_and(|output| self.outputs[output].step == step)
            }
            (InputRef::Array(array), Ref::Operand(operand)) => {
                self.is_line_operand(array, operand, order) || self.match_operand(array, operand, next, order)
            }
            // An operation that made the fuser flush a group first may have left scalars that no step reads.
            (InputRef::Real(_) | InputRef::Scalar, Ref::Scalar(scalar))
                if usize::from(scalar) != self.scalars.len() =>
            {
                false
            }
            (InputRef::Real(value), Ref::Scalar(_)) => {
                self.scalars.push(Scalar::real(dtype, value));
                true
            }
            (InputRef::Scalar, Ref::Scalar(_)) => {
                let scalar = inputs.scalar(position, dtype);
                self.scalars.extend(scalar);
                scalar.is_some()
            }
            _ => false,
        }
    }

    /// Whether an array is operand number `operand` of the group, has the group's shape and is C-contiguous.
    #[inline(always)]
    fn is_line_operand(&self, array: &Array, operand: u16, order: &mut ResultOrder) -> bool {
        let Some(view) = self.operands.get(usize::from(operand)) else { return false };
        let is_it = array.storage().writer() == 0
            && view.is_of(array)
            && array.layout().c_contiguous
            && self.has_shape_of(array);
        order.has_line |= is_it;
        is_it
    }

    /// Whether an array in memory is operand number `operand` of the group, or can be added as that operand.
    fn match_operand(&mut self, array: &Array, operand: u16, next: &Next<'_>, order: &mut ResultOrder) -> bool {
        let (storage, operand) = (array.storage(), usize::from(operand));
        let has_shape = self.has_shape_of(array);
        if storage.writer() != 0 || !(has_shape || array.stretches_to(&self.shape)) {
            return false;
        }
        order.has_line |= has_shape && array.layout().c_contiguous;
        order.has_other |= !(has_shape && is_in_c_order(array));
        let view = View::stretched(array, &self.shape);
        if let Some(known) = self.operands.iter().position(|known| known.is(&view)) {
            return known == operand;
        }
        let can_read = operand == self.operands.len()
            && next.operands.get(operand) == Some(&array.dtype())
            && storage.peek().is_some()
            && !storage.is_exposed()
            && Arc::ptr_eq(storage.context(), next.context)
            && self.operand_bytes + storage.bytes() <= next.context.info().total_memory / MEMORY_SHARE;
        if can_read {
            self.new_operand(view);
        }
        can_read
    }
}

/// The next step of the script, and the operation's loop.
struct Next<'a> {
    types: &'a Loop,
    text: [u64; 2],
    /// The types of the script's operands.
    operands: &'a [DType],
    context: &'a Arc<Context>,
}

/// What the memory order of a result depends on.
#[derive(Default)]
struct ResultOrder {
    /// Whether an input has the group's shape and is C-contiguous: then so is the result.
    has_line: bool,
    /// Whether an input is broadcast, or has its elements in an order other than C.
    has_other: bool,
}

impl ResultOrder {
    /// Whether the result is certainly C-contiguous.
    #[inline(always)]
    fn is_c(&self) -> bool {
        self.has_line || !self.has_other
    }
}

/// Whether the elements are in C order, possibly with gaps.
fn is_in_c_order(array: &Array) -> bool {
    let mut axes =
        array.shape().iter().zip(array.strides()).filter(|(length, _)| **length != 1).map(|(_, &stride)| stride);
    let first = axes.next().unwrap_or(1);
    first > 0 && axes.try_fold(first, |outer, inner| (0 < inner && inner < outer).then_some(inner)).is_some()
}
