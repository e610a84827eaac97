//! Programs: the canonical form of a fused kernel, which is the key of the kernel cache, and the kernels that are built from it.

use std::borrow::Cow;
use std::cell::RefCell;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Body, Builder, Grouping, Kernel, Mode, OperandVar, Rows, Var};
use smallvec::SmallVec;

use super::contract::contracted;
use super::reader::{Reader, Values};
use super::step::{Folding, Ref, Step};
use crate::fold::{self, Element, Options, Plan};

/// A program as words: the types of its operands and scalars, its steps, and its stores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Program {
    words: SmallVec<[u32; 64]>,
    /// The reduction of the program's only value, if a kernel that runs at once absorbs the program.
    fold: Option<fold::Key>,
}

/// The parts of a program.
#[derive(Default)]
pub(super) struct Parts<'a> {
    pub operands: &'a [DType],
    pub scalars: &'a [DType],
    pub steps: &'a [Step],
    /// The values that are stored, with their stored types; for an absorbed program, the value that is folded.
    pub stores: &'a [(Ref, DType)],
}

impl Program {
    /// Encodes a program. `fold` is the reduction that absorbs it, if any.
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

    /// The map kernel. Operands: inputs, then outputs.
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

    /// The kernel that folds the program's only value. Operands: inputs, the result, and the mask if there is one. Scalars:
    /// those of the program, then those of the plan.
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

    /// The kernel of a program that uses the results of its folds. Operands: inputs, then outputs. `None` if a value that is
    /// stored once for each row follows no fold.
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
        // A store belongs to the rows after a fold, or to the last map.
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
        // Placeholders: `load` replaces each before its first use.
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
            // The first accumulators decide how terms are grouped.
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

    /// The kernel of a program whose stores are independent folds: all in one pass. Operands: inputs, then outputs.
    pub fn folds_kernel(&self) -> Kernel {
        let reader = Reader::new(&self.words);
        let mut folds: Vec<&Step> = reader.steps.iter().filter(|step| step.folding().is_some()).collect();
        // The first accumulators decide how terms are grouped.
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

/// Writes a kernel of rows in parts: each step belongs to the part after the folds that it needs.
struct RowWriter<'r, 'b> {
    builder: &'b Builder,
    reader: &'r Reader,
    operands: &'r [OperandVar],
    /// The part of each step, by number.
    parts: &'r [usize],
    /// The values so far, with the loaded operands and scalars.
    values: Values<'r, 'b>,
}

impl<'b> RowWriter<'_, 'b> {
    fn is_row(&self, step: usize) -> bool {
        self.reader.steps[step].row && self.parts[step] > 0
    }

    /// Writes the steps of part `part` at every point. Operands are loaded at their first use.
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

    /// Writes the steps that run once for each row after the folds of part `part`.
    fn rows(&mut self, part: usize) -> Vec<Var<'b>> {
        let mut results = vec![];
        let mut loaded = vec![false; self.operands.len()];
        let (kept, mut points) = (self.values.loaded.clone(), vec![]);
        self.name_scalars();
        for number in 0..self.reader.steps.len() {
            let step = self.reader.steps[number];
            // Steps without a fold were computed at every point; those values are out of scope here.
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

impl Reader {
    /// Writes the calls of all steps.
    fn values<'r, 'b>(&self, builder: &'b Builder, operands: &[OperandVar], scalars: &'r [Var<'b>]) -> Values<'r, 'b> {
        // All loads come before all stores, because an output may be an input too.
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
