//! The text of a fused kernel: which ufuncs over which operands, in a canonical form that serves as its key.

use std::borrow::Cow;
use std::cell::RefCell;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Body, Builder, Grouping, Kernel, Mode, OperandVar, Rows, Var};
use smallvec::SmallVec;

use super::contract::contracted;
use crate::fold::{self, Element, FoldId, Options, Plan};
use crate::ufunc::{Ufunc, UfuncId};

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
    #[inline]
    pub fn word(self) -> u32 {
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

/// What a step computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// One result of one call of a ufunc: the loop and which of its results.
    Call { ufunc: UfuncId, index: u8, part: u8 },
    /// The fold of the first input over the axes that the group reduces; the other inputs are the row's arguments.
    Fold(Folding),
}

/// A reduction with its types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Folding {
    pub row: FoldId,
    /// The type of what is folded.
    pub input: DType,
    /// NumPy's `dtype=`.
    pub asked: Option<DType>,
}

impl Folding {
    pub fn plan(self) -> &'static Plan {
        self.row.get().plan(self.input, self.asked).expect("the types were worked out before")
    }
}

/// One computed value, cast to `dtype`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub work: Work,
    pub dtype: DType,
    /// Whether it is the same along the axes that the group reduces.
    pub row: bool,
    pub count: u8,
    pub inputs: [Ref; MAX_INPUTS],
}

impl Step {
    pub fn inputs(&self) -> &[Ref] {
        &self.inputs[..usize::from(self.count)]
    }

    /// The ufunc that the step calls, its loop and which result.
    pub fn call(&self) -> Option<(&'static Ufunc, usize, usize)> {
        match self.work {
            Work::Call { ufunc, index, part } => Some((ufunc.get(), index.into(), part.into())),
            Work::Fold(_) => None,
        }
    }

    /// The reduction that the step is.
    pub fn folding(&self) -> Option<Folding> {
        match self.work {
            Work::Call { .. } => None,
            Work::Fold(folding) => Some(folding),
        }
    }

    /// What the step does, in two words.
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

    /// The step with all that it reads, in two words: steps are the same if these are.
    #[inline]
    pub fn text(&self) -> [u64; 2] {
        let [work, kind] = self.words();
        let inputs = self.inputs.iter().fold(0, |word, input| word << 20 | u64::from(input.word()));
        [u64::from(work) | u64::from(kind) << 32, inputs]
    }

    fn of_words(words: &[u32]) -> Step {
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

/// A program as words: the types of its operands and scalars, its steps, and what it stores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Program {
    words: SmallVec<[u32; 64]>,
    /// The reduction that the program's one value is folded by, unless a map stores it or a step of the program folds.
    fold: Option<fold::Key>,
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
    /// Writes a program, whose value `fold` folds, if any.
    pub fn new(parts: &Parts<'_>, fold: Option<fold::Key>) -> Program {
        let mut words = SmallVec::new();
        words.push(parts.operands.len() as u32 | (parts.scalars.len() as u32) << 16);
        words.push(parts.steps.len() as u32 | (parts.stores.len() as u32) << 16);
        words.extend(parts.operands.iter().chain(parts.scalars).map(|&dtype| dtype as u32));
        for step in parts.steps {
            words.extend(step.words());
            words.extend(step.inputs().iter().map(|input| input.word()));
        }
        for &(value, dtype) in parts.stores {
            words.push(value.word());
            words.push(dtype as u32);
        }
        Program { words, fold }
    }

    /// The map kernel: operands are those that are read, then those that are stored.
    pub fn map_kernel(&self) -> Kernel {
        let reader = Reader::new(&self.words);
        let builder = Builder::new(reader.name("fused"));
        let (operands, targets) = reader.declare(&builder);
        let scalars: Vec<Var<'_>> = reader.scalars.iter().map(|&dtype| builder.scalar(dtype)).collect();
        let values = reader.values(&builder, &operands, &scalars);
        for (&target, &(value, dtype)) in targets.iter().zip(&reader.stores) {
            builder.store(target, values.get(value).cast(dtype));
        }
        builder.finish_map()
    }

    /// The kernel that folds the program's one value: operands are those that are read, then the result, then the mask if
    /// there is one; scalars are the program's, then the plan's.
    pub fn fold_kernel(&self) -> Kernel {
        let fold::Key { plan, stored, options } = self.fold.as_ref().expect("the program has a fold");
        let options = *options;
        let reader = Reader::new(&self.words);
        let builder = Builder::new(reader.name(&format!("fused_{}", plan.row.name)));
        let operands = reader.operands(&builder);
        let target = builder.operand(*stored, Mode::Write);
        let mask = options.masked.then(|| builder.operand(DType::Bool, Mode::Read));
        reader.scalars.iter().for_each(|&dtype| _ = builder.scalar(dtype));
        let load = || {
            let scalars = reader.named_scalars(&builder);
            let values = reader.values(&builder, &operands, &scalars);
            Element { value: values.get(reader.stores[0].0), mask: mask.map(|mask| builder.load(mask)) }
        };
        let store = |results: &[Var<'_>]| builder.store(target, results[0].cast(*stored));
        let body = fold::fold(&builder, plan, options, false, load, store);
        builder.group_as(Grouping { element: plan.input, accumulators: body.identity.results.len() });
        builder.finish(Body::Reduce(body))
    }

    /// The kernel of a program with folds, whose results it uses: operands are those that are read, then those that are
    /// stored. Nothing if something that is stored once a row is not known after a fold.
    pub fn rows_kernel(&self) -> Option<Kernel> {
        let reader = Reader::new(&self.words);
        let builder = Builder::new(reader.name("rows"));
        let (operands, targets) = reader.declare(&builder);
        reader.scalars.iter().for_each(|&dtype| _ = builder.scalar(dtype));
        let parts = reader.parts();
        let count = (0..parts.len())
            .filter(|&step| reader.steps[step].folding().is_some())
            .map(|step| parts[step] + 1)
            .max()?;
        // A store belongs to the rows of the part before, or to the last map.
        let home = |value: Ref| match value {
            Ref::Step(step) => {
                let step = usize::from(step);
                let what = &reader.steps[step];
                match what.folding() {
                    Some(_) => Some(parts[step]),
                    None if what.row => parts[step].checked_sub(1),
                    None => Some(count),
                }
            }
            _ => None,
        };
        if reader.stores.iter().any(|&(value, _)| home(value).is_none()) {
            return None;
        }
        // What is not a value yet is never asked for.
        let (nothing, none) = builder.block(|| builder.boolean(false));
        drop(nothing);
        let values = Values {
            loaded: vec![none; operands.len()],
            scalars: Cow::Owned(vec![]),
            steps: vec![None; reader.steps.len()],
        };
        let writer = RowWriter { builder: &builder, reader: &reader, operands: &operands, parts: &parts, values };
        let writer = RefCell::new(writer);
        let mut loaded = vec![false; operands.len()];
        let store_all = |part: usize| {
            for (&target, &(value, dtype)) in targets.iter().zip(&reader.stores) {
                if home(value) == Some(part) {
                    let stored = writer.borrow().values.get(value).cast(dtype);
                    builder.store(target, stored);
                }
            }
        };
        let mut folds = vec![];
        let mut guide = None;
        for part in 0..count {
            let mut steps: Vec<usize> = (0..reader.steps.len())
                .filter(|&step| reader.steps[step].folding().is_some() && parts[step] == part)
                .collect();
            let plan = |step: usize| reader.steps[step].folding().map(Folding::plan);
            // The first accumulators tell how elements are grouped.
            steps.sort_by_key(|&step| plan(step).is_some_and(|plan| plan.row.is_exact(plan)));
            let plans: Vec<&Plan> = steps.iter().filter_map(|&step| plan(step)).collect();
            guide = guide.or_else(|| plans.iter().find(|plan| !plan.row.is_exact(plan)).map(|plan| plan.input));
            let inputs = RefCell::new(&mut loaded);
            let load = || {
                let mut writer = writer.borrow_mut();
                let mut loaded = inputs.borrow_mut();
                writer.points(part, &mut loaded);
                let mut element = |&step: &usize| {
                    let value = reader.steps[step].inputs[0];
                    writer.load(value, &mut loaded);
                    Element { value: writer.values.get(value), mask: None }
                };
                steps.iter().map(&mut element).collect()
            };
            let argument = |fold: usize, position: usize, _| match reader.steps[steps[fold]].inputs[1 + position] {
                Ref::Scalar(index) => builder.scalar_ref(index),
                _ => unreachable!("arguments of a reduction are scalars"),
            };
            let options: Vec<(&Plan, Options)> = plans.iter().map(|&plan| (plan, Options::default())).collect();
            folds.push(fold::folds(&builder, &options, false, load, argument, |results| {
                let mut all = vec![];
                for (&step, result) in steps.iter().zip(results) {
                    let value = result[0].cast(reader.steps[step].dtype);
                    writer.borrow_mut().values.steps[step] = Some(value);
                    all.push(value);
                }
                let more = writer.borrow_mut().rows(part);
                all.extend(more);
                store_all(part);
                all
            }));
            let element = guide.unwrap_or(plans[0].input);
            builder.group_as(Grouping { element, accumulators: 1 });
        }
        let (map, ()) = builder.block(|| {
            writer.borrow_mut().points(count, &mut loaded);
            store_all(count);
        });
        drop(writer);
        Some(builder.finish(Body::Rows(Rows { folds, map })))
    }

    /// The kernel of a program whose stores are folds, none of which needs another: all of them at once. Operands are
    /// those that are read, then those that are stored.
    pub fn folds_kernel(&self) -> Kernel {
        let reader = Reader::new(&self.words);
        let mut folds: Vec<&Step> = reader.steps.iter().filter(|step| step.folding().is_some()).collect();
        // The first accumulators tell how elements are grouped.
        folds.sort_by_key(|step| step.folding().map(Folding::plan).is_some_and(|plan| plan.row.is_exact(plan)));
        let plans: Vec<&Plan> = folds.iter().filter_map(|step| step.folding()).map(Folding::plan).collect();
        let names: Vec<&str> = plans.iter().map(|plan| plan.row.name).collect();
        let builder = Builder::new(reader.name(&format!("fused_{}", names.join("_"))));
        let guide = plans.iter().find(|plan| !plan.row.is_exact(plan)).unwrap_or(&plans[0]);
        builder.group_as(Grouping { element: guide.input, accumulators: 1 });
        let (operands, targets) = reader.declare(&builder);
        reader.scalars.iter().for_each(|&dtype| _ = builder.scalar(dtype));
        let load = || {
            let scalars = reader.named_scalars(&builder);
            let values = reader.values(&builder, &operands, &scalars);
            folds.iter().map(|step| Element { value: values.get(step.inputs[0]), mask: None }).collect()
        };
        let argument = |fold: usize, position: usize, _| match folds[fold].inputs[1 + position] {
            Ref::Scalar(index) => builder.scalar_ref(index),
            _ => unreachable!("arguments of a reduction are scalars"),
        };
        let finish = |results: &[Vec<Var<'_>>]| {
            for (&target, &(value, dtype)) in targets.iter().zip(&reader.stores) {
                let fold = folds.iter().position(|step| reader.is(step, value)).expect("only folds are stored");
                builder.store(target, results[fold][0].cast(folds[fold].dtype).cast(dtype));
            }
            vec![]
        };
        let parts: Vec<(&Plan, Options)> = plans.iter().map(|&plan| (plan, Options::default())).collect();
        let body = fold::folds(&builder, &parts, false, load, argument, finish);
        builder.finish(Body::Reduce(body))
    }
}

/// A kernel of rows while it is written: each step belongs to the part after the folds that it needs.
struct RowWriter<'r, 'b> {
    builder: &'b Builder,
    reader: &'r Reader,
    operands: &'r [OperandVar],
    /// The number of the part that each step belongs to: before which fold, or after all.
    parts: &'r [usize],
    /// Values so far, and the operands and scalars that they were loaded as.
    values: Values<'r, 'b>,
}

impl<'b> RowWriter<'_, 'b> {
    fn is_row(&self, step: usize) -> bool {
        self.reader.steps[step].row && self.parts[step] > 0
    }

    /// Writes what part `part` computes at every point. Operands are loaded where they are first used.
    fn points(&mut self, part: usize, loaded: &mut [bool]) {
        self.name_scalars();
        for number in 0..self.reader.steps.len() {
            let step = self.reader.steps[number];
            if self.parts[number] == part && step.call().is_some() && !self.is_row(number) {
                self.load_inputs(&step, loaded);
                self.values.steps[number] = self.values.call(&step);
            }
        }
    }

    /// Writes what is computed once a row after the folds of part `part`.
    fn rows(&mut self, part: usize) -> Vec<Var<'b>> {
        let mut results = vec![];
        let mut loaded = vec![false; self.operands.len()];
        let (kept, mut points) = (self.values.loaded.clone(), vec![]);
        self.name_scalars();
        for number in 0..self.reader.steps.len() {
            let step = self.reader.steps[number];
            // What needs no fold was computed at points, where it is not known here.
            let free = step.row && self.parts[number] == 0;
            if step.call().is_some() && (free || (self.parts[number] == part + 1 && self.is_row(number))) {
                self.load_inputs(&step, &mut loaded);
                let value = self.values.call(&step);
                let before = std::mem::replace(&mut self.values.steps[number], value);
                if free {
                    points.push((number, before));
                } else {
                    results.extend(value);
                }
            }
        }
        self.values.loaded = kept;
        points.into_iter().for_each(|(number, before)| self.values.steps[number] = before);
        results
    }

    fn load_inputs(&mut self, step: &Step, loaded: &mut [bool]) {
        for input in step.inputs() {
            self.load(*input, loaded);
        }
    }

    fn load(&mut self, value: Ref, loaded: &mut [bool]) {
        if let Ref::Operand(operand) = value
            && !std::mem::replace(&mut loaded[usize::from(operand)], true)
        {
            self.values.loaded[usize::from(operand)] = self.builder.load(self.operands[usize::from(operand)]);
        }
    }

    fn name_scalars(&mut self) {
        self.values.scalars = Cow::Owned(self.reader.named_scalars(self.builder));
    }
}

/// The parts of a program read back from its words.
pub(super) struct Reader {
    operands: Vec<DType>,
    scalars: Vec<DType>,
    pub(super) steps: Vec<Step>,
    stores: Vec<(Ref, DType)>,
}

/// Values while a program is written.
pub(super) struct Values<'r, 'b> {
    loaded: Vec<Var<'b>>,
    scalars: Cow<'r, [Var<'b>]>,
    steps: Vec<Option<Var<'b>>>,
}

impl<'b> Values<'_, 'b> {
    pub(super) fn get(&self, value: Ref) -> Var<'b> {
        match value {
            Ref::Step(index) => self.steps[usize::from(index)].expect("a step is written before its use"),
            Ref::Operand(index) => self.loaded[usize::from(index)],
            Ref::Scalar(index) => self.scalars[usize::from(index)],
        }
    }

    /// Writes a call of a ufunc.
    fn call(&self, step: &Step) -> Option<Var<'b>> {
        let (ufunc, index, part) = step.call()?;
        let types = &ufunc.loops[index].inputs;
        let inputs: SmallVec<[Var<'b>; MAX_INPUTS]> =
            step.inputs().iter().zip(types).map(|(&input, &dtype)| self.get(input).cast(dtype)).collect();
        Some(ufunc.apply(index, &inputs)[part].cast(step.dtype))
    }
}

impl Reader {
    fn new(words: &[u32]) -> Reader {
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

    /// `fused_multiply_add_3_steps`: the first operators tell kernels apart in a profile.
    fn name(&self, prefix: &str) -> String {
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

    fn operands(&self, builder: &Builder) -> Vec<OperandVar> {
        self.operands.iter().map(|&dtype| builder.operand(dtype, Mode::Read)).collect()
    }

    /// Declares what is read, then what is stored.
    fn declare(&self, builder: &Builder) -> (Vec<OperandVar>, Vec<OperandVar>) {
        let operands = self.operands(builder);
        (operands, self.stores.iter().map(|&(_, dtype)| builder.operand(dtype, Mode::Write)).collect())
    }

    /// The scalars, declared before: a fold has no statements outside its lambdas, so each names them again.
    fn named_scalars<'b>(&self, builder: &'b Builder) -> Vec<Var<'b>> {
        (0..self.scalars.len()).map(|index| builder.scalar_ref(index as u16)).collect()
    }

    /// For each step how many folds, one after another, it needs.
    fn parts(&self) -> Vec<usize> {
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
    fn is(&self, step: &Step, value: Ref) -> bool {
        matches!(value, Ref::Step(index) if std::ptr::eq(&self.steps[usize::from(index)], step))
    }

    /// Writes all calls.
    fn values<'r, 'b>(&self, builder: &'b Builder, operands: &[OperandVar], scalars: &'r [Var<'b>]) -> Values<'r, 'b> {
        // Every operand is read before anything is stored: a store may go to the same place.
        let loaded = operands.iter().map(|&operand| builder.load(operand)).collect();
        let mut values =
            Values { loaded, scalars: Cow::Borrowed(scalars), steps: Vec::with_capacity(self.steps.len()) };
        for step in &self.steps {
            let value = contracted(builder, self, &values, step).or_else(|| values.call(step));
            values.steps.push(value);
        }
        values
    }
}
