//! Predicting the next steps of a group.
//!
//! Programs repeat themselves: a group that begins like one that ran before mostly goes on like it. From its second step on a
//! group therefore follows the *script* of the last group that began so: its plan, which knows all steps. The next operation
//! is compared with the script's next step, and if it is that, the step is taken as it stands ([`Group::follow`]). A group that
//! held to its script until the end runs its plan without a search.
//!
//! Results do not depend on predictions. Each step is one that recording would have added, and one that differs is recorded as
//! ever; then a script is looked for that has gone on in this way before. A deferred reduction ends a script: groups with
//! reductions have no plans.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuproxide_hal::{DType, Scalar};

use super::group::Group;
use super::plans::{self, Plan};
use super::record::MEMORY_SHARE;
use super::step::{MAX_INPUTS, Ref, Step};
use super::view::View;
use crate::array::Array;
use crate::context::Context;
use crate::storage::Storage;
use crate::ufunc::{Loop, Ufunc};

/// Steps after which a script is looked for: many programs begin with the same one.
pub(super) const BEGINNING: usize = 2;

/// An input of an operation that may be expected.
#[derive(Clone, Copy)]
pub(crate) enum Given<'a> {
    Array(&'a Array),
    /// A float, for a loop of inexact numbers there.
    Real(f64),
    /// Any other scalar.
    Scalar,
}

/// The inputs of an operation that may be expected.
pub(crate) trait Inputs {
    /// The input at a position, where the loop takes a type.
    fn given(&self, position: usize, dtype: DType) -> Given<'_>;

    /// The scalar at a position as an element of the type; `None` if it cannot be one.
    fn scalar(&self, position: usize, dtype: DType) -> Option<Scalar>;
}

/// An operation that may be expected: a ufunc with one result, and the loop for `N` operands.
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

/// The result of an operation that was expected, in two words: an array of it is made where it is to stay.
pub struct Followed {
    storage: Arc<Storage>,
    dtype: DType,
}

impl Followed {
    /// The array.
    #[inline(always)]
    pub fn array(self) -> Array {
        Array::of_line(self.storage, self.dtype)
    }
}

/// How many groups of the process follow scripts: while none does, no operation is expected.
static FOLLOWERS: AtomicUsize = AtomicUsize::new(0);

/// Whether any operation is expected.
#[inline]
pub fn is_any_expected() -> bool {
    FOLLOWERS.load(Ordering::Relaxed) != 0
}

/// The script of a group.
struct Script(Arc<Plan>);

impl Script {
    /// The script that begins with these steps, of this hash.
    fn of(hash: u64, steps: &[[u64; 2]]) -> Option<Script> {
        let plan = plans::script(hash).filter(|plan| plan.text.starts_with(steps))?;
        FOLLOWERS.fetch_add(1, Ordering::Relaxed);
        Some(Script(plan))
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        FOLLOWERS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What the next steps of a group are expected to be.
pub(super) struct Guide {
    /// What the steps so far are the beginning of.
    script: Option<Script>,
    /// The hash of the steps so far, if there is no script.
    hash: u64,
    /// The number of steps with which a script is looked for.
    branch: usize,
}

impl Default for Guide {
    fn default() -> Guide {
        Guide { script: None, hash: 0, branch: BEGINNING }
    }
}

impl Guide {
    /// Compares the newest of a group's steps with the script. `may_lead`: whether the group may have one.
    #[inline]
    pub fn note(&mut self, steps: &[[u64; 2]], may_lead: bool) {
        let (known, text) = (steps.len() - 1, steps[steps.len() - 1]);
        if let Some(Script(script)) = &self.script {
            if script.text.get(known) == Some(&text) {
                return;
            }
            self.hash = script.hash_of(known);
            self.script = None;
            self.branch = known + 1;
        }
        self.hash = plans::hash_step(self.hash, text);
        if self.branch == known + 1 && may_lead {
            self.script = Script::of(self.hash, steps);
        }
    }

    /// The hash of the group's steps, of which there are so many.
    pub fn hash(&self, steps: usize) -> u64 {
        self.script.as_ref().map_or(self.hash, |script| script.0.hash_of(steps))
    }

    /// The plan whose steps are those of the group, of which there are so many.
    pub fn finished(&self, steps: usize) -> Option<&Arc<Plan>> {
        self.script.as_ref().map(|script| &script.0).filter(|plan| plan.text.len() == steps)
    }

    /// The number of steps with which this group left what was expected of it; those before are of no help.
    pub fn branch(&self) -> usize {
        self.branch
    }
}

impl Group {
    /// Adds an operation of a thread that traces nothing, if it is the next one of the group's script, and returns its result;
    /// otherwise nothing has changed. Its inputs are results of the group, memory, and scalars.
    #[inline(always)]
    pub fn follow<const N: usize>(&mut self, operation: &Operation<'_, N, impl Inputs>) -> Option<Followed> {
        let dtype = operation.types().outputs[0];
        let step = self.next_step(operation, dtype, true)?;
        Some(Followed { storage: self.new_storage(operation.context, step, dtype), dtype })
    }

    /// As [`Group::follow`], for an update of an array that is a result of the group, of the type that the loop makes: casts are
    /// not checked here.
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

    /// Adds the step that an operation is, if it is the next one of the script. `makes_new`: whether its result is a new array.
    #[inline(always)]
    fn next_step<const N: usize>(
        &mut self,
        operation: &Operation<'_, N, impl Inputs>,
        dtype: DType,
        makes_new: bool,
    ) -> Option<u16> {
        // Taken out, so that the group can change while its script is read.
        let script = self.guide.script.take()?;
        let step = self.next_of_script(&script.0, operation, dtype, makes_new);
        self.guide.script = Some(script);
        step
    }

    #[inline(always)]
    fn next_of_script<const N: usize>(
        &mut self,
        script: &Plan,
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
        // Written out, since the compiler keeps a loop.
        let is_expected = self.enter_expected(inputs, 0, &next, &mut order)
            && (N < 2 || self.enter_expected(inputs, 1, &next, &mut order))
            && (N < 3 || self.enter_expected(inputs, 2, &next, &mut order));
        if !is_expected || (makes_new && !order.is_c()) {
            self.forget_since(known);
            return None;
        }
        self.steps.push(script.steps[at]);
        self.text.push(text);
        self.followed += 1;
        Some(at as u16)
    }

    /// Whether an input is what is expected; memory and scalars that the group has not yet are added.
    #[inline(always)]
    fn enter_expected(
        &mut self,
        inputs: &impl Inputs,
        position: usize,
        next: &Next<'_>,
        order: &mut ResultOrder,
    ) -> bool {
        let dtype = next.types.inputs[position];
        match (inputs.given(position, dtype), Step::input_of_text(next.text, position)) {
            (Given::Array(array), Ref::Step(step)) => {
                order.has_line = true;
                self.line_output(array).is_some_and(|output| self.outputs[output].step == step)
            }
            (Given::Array(array), Ref::Operand(operand)) => {
                self.is_line_operand(array, operand, order) || self.enter_operand(array, operand, next, order)
            }
            // Operations that had to wait for other work may have left scalars that no step reads.
            (Given::Real(_) | Given::Scalar, Ref::Scalar(scalar)) if usize::from(scalar) != self.scalars.len() => false,
            (Given::Real(value), Ref::Scalar(_)) => {
                self.scalars.push(Scalar::real(dtype, value));
                true
            }
            (Given::Scalar, Ref::Scalar(_)) => {
                let scalar = inputs.scalar(position, dtype);
                self.scalars.extend(scalar);
                scalar.is_some()
            }
            _ => false,
        }
    }

    /// Whether an array is an operand that the group reads already, at all points in C order.
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

    /// Whether an array is memory that the group reads already or can read, as the operand of a number.
    fn enter_operand(&mut self, array: &Array, operand: u16, next: &Next<'_>, order: &mut ResultOrder) -> bool {
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

/// The step that is expected next.
struct Next<'a> {
    types: &'a Loop,
    text: [u64; 2],
    /// The types of the script's operands.
    operands: &'a [DType],
    context: &'a Arc<Context>,
}

/// What decides in which order the elements of a result lie.
#[derive(Default)]
struct ResultOrder {
    /// Whether an input lies at all points in C order: then the result does.
    has_line: bool,
    /// Whether an input lies in another order than C, or is stretched.
    has_other: bool,
}

impl ResultOrder {
    /// Whether the result surely lies in C order.
    #[inline(always)]
    fn is_c(&self) -> bool {
        self.has_line || !self.has_other
    }
}

/// Whether the elements lie in C order, perhaps with gaps.
fn is_in_c_order(array: &Array) -> bool {
    let mut axes =
        array.shape().iter().zip(array.strides()).filter(|(length, _)| **length != 1).map(|(_, &stride)| stride);
    let first = axes.next().unwrap_or(1);
    first > 0 && axes.try_fold(first, |outer, inner| (0 < inner && inner < outer).then_some(inner)).is_some()
}
