//! One step of a group: an operation, its inputs, and its encoding in words.

use cuproxide_hal::DType;

use crate::fold::{FoldId, Plan};
use crate::ufunc::{Ufunc, UfuncId};

/// Most inputs of a ufunc that can be deferred.
pub(super) const MAX_INPUTS: usize = 3;

/// Work, in additions, from which uniform values are computed once, by a kernel of one point. Special functions exceed it;
/// elementary functions do not.
pub(super) const WORTH_ONCE: usize = 128;

/// An input of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ref {
    /// The result of an earlier step.
    Step(u16),
    /// An element of a memory operand.
    Operand(u16),
    /// A scalar argument of the kernel.
    Scalar(u16),
}

impl Ref {
    #[inline]
    pub fn word(self) -> u32 {
        let (kind, index) = match self {
            Ref::Step(index) => (0, index),
            Ref::Operand(index) => (1, index),
            Ref::Scalar(index) => (2, index),
        };
        kind << 16 | u32::from(index)
    }

    #[inline]
    pub fn of_word(word: u32) -> Ref {
        let index = (word & 0xffff) as u16;
        match word >> 16 {
            0 => Ref::Step(index),
            1 => Ref::Operand(index),
            _ => Ref::Scalar(index),
        }
    }
}

/// What a step computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// One result of a ufunc call: the ufunc, the loop, and the number of the result.
    Call { ufunc: UfuncId, index: u8, part: u8 },
    /// The fold of the first input over the group's reduced axes; the other inputs are the fold's arguments.
    Fold(Folding),
}

/// A reduction with its types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Folding {
    pub row: FoldId,
    /// The type of the input.
    pub input: DType,
    /// NumPy's `dtype=`.
    pub asked: Option<DType>,
}

impl Folding {
    pub fn plan(self) -> &'static Plan {
        self.row.get().plan(self.input, self.asked).expect("the types were worked out before")
    }
}

/// A step: one computed value, cast to `dtype`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub work: Work,
    pub dtype: DType,
    /// Whether the value is the same along the group's reduced axes.
    pub row: bool,
    pub count: u8,
    pub inputs: [Ref; MAX_INPUTS],
}

impl Step {
    pub fn inputs(&self) -> &[Ref] {
        &self.inputs[..usize::from(self.count)]
    }

    /// The ufunc that the step calls, its loop, and the number of the result.
    pub fn call(&self) -> Option<(&'static Ufunc, usize, usize)> {
        match self.work {
            Work::Call { ufunc, index, part } => Some((ufunc.get(), index.into(), part.into())),
            Work::Fold(_) => None,
        }
    }

    /// The reduction, if the step is one.
    pub fn folding(&self) -> Option<Folding> {
        match self.work {
            Work::Call { .. } => None,
            Work::Fold(folding) => Some(folding),
        }
    }

    /// The operation without its inputs, in two words.
    #[inline]
    pub fn words(&self) -> [u32; 2] {
        let kind = self.dtype as u32 | u32::from(self.count) << 8 | u32::from(self.row) << 16;
        match self.work {
            Work::Call { ufunc, index, part } => {
                [u32::from(ufunc.0) | u32::from(index) << 16 | u32::from(part) << 24, kind]
            }
            Work::Fold(Folding { row, input, asked }) => {
                let types = (input as u32) << 16 | asked.map_or(0, |dtype| 1 + dtype as u32) << 24;
                [u32::from(row.0) | types, kind | 1 << 17]
            }
        }
    }

    /// The operation with its inputs, in two words: two steps are the same if these are equal.
    #[inline]
    pub fn text(&self) -> [u64; 2] {
        let [work, kind] = self.words();
        let inputs = self.inputs.iter().fold(0, |word, input| word << 20 | u64::from(input.word()));
        [u64::from(work) | u64::from(kind) << 32, inputs]
    }

    /// The first word of [`Step::text`] for a ufunc with one result, computed at every point.
    #[inline(always)]
    pub fn text_of_call(ufunc: UfuncId, index: usize, count: usize, dtype: DType) -> u64 {
        let [work, kind] = [u32::from(ufunc.0) | (index as u32) << 16, dtype as u32 | (count as u32) << 8];
        u64::from(work) | u64::from(kind) << 32
    }

    /// Decodes an input from [`Step::text`].
    #[inline(always)]
    pub fn input_of_text(text: [u64; 2], position: usize) -> Ref {
        Ref::of_word((text[1] >> (20 * (MAX_INPUTS - 1 - position))) as u32 & 0xf_ffff)
    }

    pub fn of_words(words: &[u32]) -> Step {
        let (head, kind) = (words[0], words[1]);
        let id = (head & 0xffff) as u16;
        let (low, high) = ((head >> 16 & 0xff) as usize, (head >> 24) as usize);
        let work = if kind >> 17 & 1 == 0 {
            Work::Call { ufunc: UfuncId(id), index: low as u8, part: high as u8 }
        } else {
            let asked = high.checked_sub(1).map(|dtype| DType::ALL[dtype]);
            Work::Fold(Folding { row: FoldId(id), input: DType::ALL[low], asked })
        };
        let count = (kind >> 8 & 0xff) as u8;
        let mut inputs = [Ref::Step(0); MAX_INPUTS];
        for (input, &word) in inputs.iter_mut().zip(&words[2..2 + usize::from(count)]) {
            *input = Ref::of_word(word);
        }
        Step { work, dtype: DType::ALL[(kind & 0xff) as usize], row: kind >> 16 & 1 == 1, count, inputs }
    }
}
