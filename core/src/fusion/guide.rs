//! Predicting the next steps of a group.
//!
//! Programs repeat themselves: a group that begins like one that ran before mostly goes on like it. From its second step on a
//! group therefore follows the *script* of the last group that began so: its plan, which knows all steps. The next operation
//! is compared with the script's next step, and if it is that, the step is taken as it stands ([`Group::follow`]). A group that
//! held to its script until the end runs its plan without a search.
//!
//! Nothing depends on a prediction. Each step is one that recording would have added, and one that differs is recorded as ever;
//! then a script is looked for that has gone on in this way before.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuproxide_hal::{DType, Scalar};

use super::group::Group;
use super::plans::{self, Plan};
use super::step::{MAX_INPUTS, Ref, Step};
use crate::array::Array;
use crate::context::Context;
use crate::storage::Storage;
use crate::ufunc::Ufunc;

/// Steps after which a script is looked for: many programs begin with the same one.
pub(super) const BEGINNING: usize = 2;

/// An input of an operation that may be expected.
#[derive(Clone, Copy)]
pub(crate) enum Given<'a> {
    Array(&'a Array),
    /// A number that any type of the loop's holds, for a loop of inexact numbers.
    Real(f64),
    Scalar(&'a Scalar),
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
pub(crate) fn is_any_expected() -> bool {
    FOLLOWERS.load(Ordering::Relaxed) != 0
}

/// The script of a group.
struct Script(Arc<Plan>);

impl Script {
    fn of(beginning: u64) -> Option<Script> {
        let plan = plans::script(beginning)?;
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
    /// Compares a new step, the one after `known` others, with the script. `may_lead`: whether the group may have one.
    #[inline]
    pub fn note(&mut self, known: usize, text: [u64; 2], may_lead: bool) {
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
            self.script = Script::of(self.hash);
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
    /// otherwise nothing has changed. Its inputs are results of the group, memory that it reads already, and scalars.
    #[inline(always)]
    pub fn follow<const N: usize>(
        &mut self,
        ufunc: &Ufunc,
        index: usize,
        inputs: &[Given<'_>; N],
        context: &'static Arc<Context>,
        stream: u64,
    ) -> Option<Followed> {
        // Taken out, so that the group can change while its script is read.
        let script = self.guide.script.take()?;
        let followed = self.follow_script(&script.0, ufunc, index, inputs, context, stream);
        self.guide.script = Some(script);
        followed
    }

    #[inline(always)]
    fn follow_script<const N: usize>(
        &mut self,
        script: &Plan,
        ufunc: &Ufunc,
        index: usize,
        inputs: &[Given<'_>; N],
        context: &'static Arc<Context>,
        stream: u64,
    ) -> Option<Followed> {
        const { assert!(N <= MAX_INPUTS) };
        let at = self.text.len();
        let (row, &text) = (&ufunc.loops[index], script.text.get(at)?);
        // An update in place may write its result as another type.
        let dtype = row.outputs[0];
        let is_next = text[0] == Step::text_of_call(ufunc.id, index, N, dtype)
            && self.stream_id == stream
            && !self.sealed
            && self.has_room(1, 0, N)
            && self.points.saturating_mul(dtype.size()) <= context.info().total_memory;
        if !is_next {
            return None;
        }
        for position in 0..N {
            if !self.is_expected(inputs[position], Step::input_of_text(text, position)) {
                return None;
            }
        }
        for position in 0..N {
            match inputs[position] {
                Given::Array(_) => {}
                Given::Real(value) => self.scalars.push(Scalar::real(row.inputs[position], value)),
                Given::Scalar(scalar) => self.scalars.push(*scalar),
            }
        }
        self.steps.push(script.steps[at]);
        self.text.push(text);
        Some(Followed { storage: self.new_storage(context, at as u16, dtype), dtype })
    }

    #[inline(always)]
    fn is_expected(&self, input: Given<'_>, expected: Ref) -> bool {
        match (input, expected) {
            (Given::Array(array), Ref::Step(step)) => self.line_of(array, step),
            (Given::Array(array), Ref::Operand(operand)) => {
                let known = self.operands.get(usize::from(operand));
                array.storage().writer() == 0
                    && known.is_some_and(|view| view.is_of(array))
                    && array.layout().c_contiguous
                    && self.has_shape_of(array)
            }
            (Given::Real(_) | Given::Scalar(_), Ref::Scalar(_)) => true,
            _ => false,
        }
    }
}
