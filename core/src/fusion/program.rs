//! The text of a fused kernel: which ufuncs over which operands, in a canonical form that serves as its key.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Builder, Kernel, Mode, OperandVar, Var};
use smallvec::SmallVec;

use crate::fold::{self, Element, Options, Plan};
use crate::ufunc::UfuncId;

/// Most inputs of a ufunc that is deferred.
pub(super) const MAX_INPUTS: usize = 3;

/// What an input of a step refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ref {
    /// The result of an earlier step.
    Step(u16),
    /// An element of a memory operand.
    Operand(u16),
    /// A launch scalar.
    Scalar(u16),
}

impl Ref {
    fn word(self) -> u32 {
        match self {
            Ref::Step(index) => u32::from(index),
            Ref::Operand(index) => 1 << 16 | u32::from(index),
            Ref::Scalar(index) => 2 << 16 | u32::from(index),
        }
    }

    fn of_word(word: u32) -> Ref {
        let index = (word & 0xffff) as u16;
        match word >> 16 {
            0 => Ref::Step(index),
            1 => Ref::Operand(index),
            _ => Ref::Scalar(index),
        }
    }
}

/// One result of one call of a ufunc, cast to `dtype`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub ufunc: UfuncId,
    /// The loop.
    pub index: u8,
    /// Which of the ufunc's results.
    pub part: u8,
    pub dtype: DType,
    pub count: u8,
    pub inputs: [Ref; MAX_INPUTS],
}

impl Step {
    pub fn inputs(&self) -> &[Ref] {
        &self.inputs[..usize::from(self.count)]
    }
}

/// A program as words: the types of its operands and scalars, its steps, and what it stores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Program {
    words: SmallVec<[u32; 64]>,
}

/// The parts of a program while it is written.
#[derive(Default)]
pub(super) struct Parts<'a> {
    pub operands: &'a [DType],
    pub scalars: &'a [DType],
    pub steps: &'a [Step],
    /// The steps whose results are stored, with the types there. A fold takes the one value that is given here.
    pub stores: &'a [(Ref, DType)],
}

impl Program {
    /// Writes a program. `fold` distinguishes the folds of one program; it is `None` for a map.
    pub fn new(parts: &Parts<'_>, fold: Option<u128>) -> Program {
        let mut words = SmallVec::new();
        words.push(parts.operands.len() as u32 | (parts.scalars.len() as u32) << 16);
        words.push(parts.steps.len() as u32 | (parts.stores.len() as u32) << 16);
        words.extend(parts.operands.iter().chain(parts.scalars).map(|&dtype| dtype as u32));
        for step in parts.steps {
            words.push(u32::from(step.ufunc.0) | u32::from(step.index) << 16 | u32::from(step.part) << 24);
            words.push(step.dtype as u32 | u32::from(step.count) << 8);
            words.extend(step.inputs().iter().map(|input| input.word()));
        }
        for &(value, dtype) in parts.stores {
            words.push(value.word());
            words.push(dtype as u32);
        }
        if let Some(fold) = fold {
            words.extend([0, 32, 64, 96].map(|shift| (fold >> shift) as u32));
        }
        Program { words }
    }

    /// The map kernel: operands are those that are read, then those that are stored.
    pub fn map_kernel(&self) -> Kernel {
        let reader = Reader::new(&self.words);
        let builder = Builder::new(reader.name("fused"));
        write_map(&builder, reader);
        builder.finish_map()
    }

    /// The kernel that folds the program's one value: operands are those that are read, then the results (of types
    /// `outputs`), then the mask if there is one; scalars are the program's, then the plan's.
    pub fn fold_kernel(&self, plan: &Plan, outputs: &[DType], options: Options) -> Kernel {
        let reader = Reader::new(&self.words);
        let builder = Builder::new(reader.name(&format!("fused_{}", plan.row.name)));
        let body = write_fold(&builder, reader, plan, outputs, options);
        builder.finish(cuproxide_hal::ir::Body::Reduce(body))
    }
}

fn write_map(builder: &Builder, reader: Reader<'_>) {
    let operands: Vec<OperandVar> = reader.operands.iter().map(|&dtype| builder.operand(dtype, Mode::Read)).collect();
    let scalars: Vec<Var<'_>> = reader.scalars.iter().map(|&dtype| builder.scalar(dtype)).collect();
    let values = reader.values(builder, &operands, &scalars);
    for (value, dtype) in values {
        builder.output(dtype, value);
    }
}

fn write_fold(
    builder: &Builder,
    reader: Reader<'_>,
    plan: &Plan,
    outputs: &[DType],
    options: Options,
) -> cuproxide_hal::ir::Fold {
    let operands: Vec<OperandVar> = reader.operands.iter().map(|&dtype| builder.operand(dtype, Mode::Read)).collect();
    let targets: Vec<OperandVar> = outputs.iter().map(|&dtype| builder.operand(dtype, Mode::Write)).collect();
    let mask = options.masked.then(|| builder.operand(DType::Bool, Mode::Read));
    for &dtype in &reader.scalars {
        builder.scalar(dtype);
    }
    let load = || {
        // A fold has no statements outside its lambdas, so scalars are named again where they are used.
        let scalars: Vec<Var<'_>> = (0..reader.scalars.len()).map(|index| builder.scalar_ref(index as u16)).collect();
        let value = reader.values(builder, &operands, &scalars)[0].0;
        Element { value, mask: mask.map(|mask| builder.load(mask)) }
    };
    let store = |results: &[Var<'_>]| {
        for (&target, result) in targets.iter().zip(results) {
            builder.store(target, result.cast(target.dtype()));
        }
    };
    fold::fold(builder, plan, options, false, load, store)
}

/// The parts of a program read back from its words.
struct Reader<'p> {
    operands: Vec<DType>,
    scalars: Vec<DType>,
    steps: usize,
    stores: usize,
    rest: &'p [u32],
}

impl<'p> Reader<'p> {
    fn new(words: &'p [u32]) -> Reader<'p> {
        let halves = |word: u32| ((word & 0xffff) as usize, (word >> 16) as usize);
        let ((operands, scalars), (steps, stores)) = (halves(words[0]), halves(words[1]));
        let dtype = |&word: &u32| DType::ALL[word as usize];
        let (types, rest) = words[2..].split_at(operands + scalars);
        Reader {
            operands: types[..operands].iter().map(dtype).collect(),
            scalars: types[operands..].iter().map(dtype).collect(),
            steps,
            stores,
            rest,
        }
    }

    /// `fused_multiply_add_3_steps`: the first operators tell kernels apart in a profile.
    fn name(&self, prefix: &str) -> String {
        let mut name = prefix.to_owned();
        let mut rest = self.rest;
        for _ in 0..self.steps.min(4) {
            name.push('_');
            name.push_str(UfuncId((rest[0] & 0xffff) as u16).get().name);
            rest = &rest[2 + (rest[1] >> 8) as usize..];
        }
        if self.steps > 4 {
            name.push_str(&format!("_and_{}_more", self.steps - 4));
        }
        name
    }

    /// Writes the steps and returns what is stored.
    fn values<'b>(&self, builder: &'b Builder, operands: &[OperandVar], scalars: &[Var<'b>]) -> Vec<(Var<'b>, DType)> {
        // Every operand is read before anything is stored: a store may go to the same place.
        let loaded: Vec<Var<'b>> = operands.iter().map(|&operand| builder.load(operand)).collect();
        let mut steps: Vec<Var<'b>> = Vec::with_capacity(self.steps);
        let value = |steps: &[Var<'b>], word: u32| match Ref::of_word(word) {
            Ref::Step(index) => steps[usize::from(index)],
            Ref::Operand(index) => loaded[usize::from(index)],
            Ref::Scalar(index) => scalars[usize::from(index)],
        };
        let mut rest = self.rest;
        for _ in 0..self.steps {
            let (head, kind) = (rest[0], rest[1]);
            let count = (kind >> 8) as usize;
            let ufunc = UfuncId((head & 0xffff) as u16).get();
            let (index, part) = ((head >> 16 & 0xff) as usize, (head >> 24) as usize);
            let types = &ufunc.loops[index].inputs;
            let inputs: SmallVec<[Var<'b>; MAX_INPUTS]> =
                rest[2..2 + count].iter().zip(types).map(|(&word, &dtype)| value(&steps, word).cast(dtype)).collect();
            let result = ufunc.apply(index, &inputs)[part];
            steps.push(result.cast(DType::ALL[(kind & 0xff) as usize]));
            rest = &rest[2 + count..];
        }
        let store = |pair: &[u32]| (value(&steps, pair[0]), DType::ALL[pair[1] as usize]);
        rest[..2 * self.stores].chunks_exact(2).map(store).collect()
    }
}
