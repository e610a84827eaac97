//! Decodes a program, and holds the values of its steps while a kernel is built.

use std::borrow::Cow;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Builder, Mode, OperandVar, Var};
use smallvec::SmallVec;

use super::step::{MAX_INPUTS, Ref, Step};

/// A decoded program.
pub(super) struct Reader {
    pub operands: Vec<DType>,
    pub scalars: Vec<DType>,
    pub steps: Vec<Step>,
    pub stores: Vec<(Ref, DType)>,
}

/// The values of a program while its kernel is built.
pub(super) struct Values<'r, 'b> {
    pub loaded: Vec<Var<'b>>,
    pub scalars: Cow<'r, [Var<'b>]>,
    pub steps: Vec<Option<Var<'b>>>,
}

impl<'b> Values<'_, 'b> {
    pub fn get(&self, value: Ref) -> Var<'b> {
        match value {
            Ref::Step(index) => self.steps[usize::from(index)].expect("a step is written before its use"),
            Ref::Operand(index) => self.loaded[usize::from(index)],
            Ref::Scalar(index) => self.scalars[usize::from(index)],
        }
    }

    /// Writes the ufunc call of a step; `None` for a fold.
    pub fn call(&self, step: &Step) -> Option<Var<'b>> {
        let (ufunc, index, part) = step.call()?;
        let types = &ufunc.loops[index].inputs;
        let inputs: SmallVec<[Var<'b>; MAX_INPUTS]> =
            step.inputs().iter().zip(types).map(|(&input, &dtype)| self.get(input).cast(dtype)).collect();
        Some(ufunc.apply(index, &inputs)[part].cast(step.dtype))
    }
}

impl Reader {
    pub fn new(words: &[u32]) -> Reader {
        let halves = |word: u32| ((word & 0xffff) as usize, (word >> 16) as usize);
        let ((operands, scalars), (steps, stores)) = (halves(words[0]), halves(words[1]));
        let dtype = |&word: &u32| DType::ALL[word as usize];
        let (types, mut rest) = words[2..].split_at(operands + scalars);
        let mut read = Vec::with_capacity(steps);
        for _ in 0..steps {
            let step = Step::of_words(rest);
            rest = &rest[2 + usize::from(step.count)..];
            read.push(step);
        }
        Reader {
            operands: types[..operands].iter().map(dtype).collect(),
            scalars: types[operands..].iter().map(dtype).collect(),
            steps: read,
            stores: rest[..2 * stores].chunks_exact(2).map(|pair| (Ref::of_word(pair[0]), dtype(&pair[1]))).collect(),
        }
    }

    /// The name of the kernel, such as `fused_multiply_add`: the first operators tell kernels apart in a profile.
    pub fn name(&self, prefix: &str) -> String {
        let mut name = prefix.to_owned();
        let calls = || self.steps.iter().filter_map(Step::call);
        for (ufunc, ..) in calls().take(4) {
            name.push('_');
            name.push_str(ufunc.name);
        }
        match calls().count() {
            0..=4 => {}
            more => name.push_str(&format!("_and_{}_more", more - 4)),
        }
        name
    }

    pub fn operands(&self, builder: &Builder) -> Vec<OperandVar> {
        self.operands.iter().map(|&dtype| builder.operand(dtype, Mode::Read)).collect()
    }

    /// Declares the inputs, then the outputs.
    pub fn declare(&self, builder: &Builder) -> (Vec<OperandVar>, Vec<OperandVar>) {
        let operands = self.operands(builder);
        (operands, self.stores.iter().map(|&(_, dtype)| builder.operand(dtype, Mode::Write)).collect())
    }

    /// References to the declared scalars. Each lambda of a fold needs its own, because a fold has no statements outside its
    /// lambdas.
    pub fn named_scalars<'b>(&self, builder: &'b Builder) -> Vec<Var<'b>> {
        (0..self.scalars.len()).map(|index| builder.scalar_ref(index as u16)).collect()
    }

    /// For each step, the length of the longest chain of folds that it needs.
    pub fn parts(&self) -> Vec<usize> {
        let mut parts: Vec<usize> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let after = |input: &Ref| match *input {
                Ref::Step(earlier) => {
                    let earlier = usize::from(earlier);
                    parts[earlier] + usize::from(self.steps[earlier].folding().is_some())
                }
                _ => 0,
            };
            parts.push(step.inputs().iter().map(after).max().unwrap_or(0));
        }
        parts
    }

    /// Whether `value` is the result of a step of this program.
    pub fn is(&self, step: &Step, value: Ref) -> bool {
        matches!(value, Ref::Step(index) if std::ptr::eq(&self.steps[usize::from(index)], step))
    }
}
