//! Builds the kernels of a planned reduction.

use cuproxide_hal::ir::{Body, Builder, Fold, Kernel, Mode, OperandVar, Var};
use cuproxide_hal::{DType, Scalar};

use super::row::{Argument, Options, Plan, Rule, Steps, Values};
use crate::dispatch::Family;

/// What the kernel of a reduction, or of a cumulative operation, that stores a type depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The reduction with its types.
    pub plan: Plan,
    /// The type that is stored.
    pub stored: DType,
    /// What else is asked.
    pub options: Options,
}

/// [`reduce_kernel`] of one result.
pub(crate) static REDUCE: Family<Key> =
    Family::new(|key| reduce_kernel(&key.plan, std::slice::from_ref(&key.stored), key.options));

/// [`scan_kernel`] of one result.
pub(crate) static SCAN: Family<Key> =
    Family::new(|key| scan_kernel(&key.plan, std::slice::from_ref(&key.stored), key.options));

/// [`ordered_kernel`], and whether it stores every prefix.
pub(crate) static ORDERED: Family<(Key, bool)> =
    Family::new(|(key, accumulate)| ordered_kernel(&key.plan, key.stored, *accumulate, key.options));

/// An element of a reduction, as its kernel loads it.
#[derive(Clone, Copy)]
pub struct Element<'b> {
    /// The element, of the plan's input type.
    pub value: Var<'b>,
    /// Whether it takes part, where the caller masks.
    pub mask: Option<Var<'b>>,
}

/// The kernel that folds the input over the inner space.
///
/// Its operands are the input, the outputs (of types `outputs`), and with [`Options::masked`] a bool operand; its
/// scalars are those of [`Plan::arguments`].
pub fn reduce_kernel(plan: &Plan, outputs: &[DType], options: Options) -> Kernel {
    let builder = Builder::new(name("", plan, outputs, options));
    let body = Body::Reduce(write(&builder, plan, outputs, options, false));
    builder.finish(body)
}

/// The kernel that folds every prefix of the input along the inner space, with the operands and scalars of [`reduce_kernel`].
pub fn scan_kernel(plan: &Plan, outputs: &[DType], options: Options) -> Kernel {
    let builder = Builder::new(name("cumulative_", plan, outputs, options));
    let body = Body::Scan(write(&builder, plan, outputs, options, true));
    builder.finish(body)
}

fn write(builder: &Builder, plan: &Plan, outputs: &[DType], options: Options, scan: bool) -> Fold {
    let input = builder.operand(plan.input, Mode::Read);
    let targets: Vec<OperandVar> = outputs.iter().map(|&dtype| builder.operand(dtype, Mode::Write)).collect();
    let mask = options.masked.then(|| builder.operand(DType::Bool, Mode::Read));
    let load = || Element { value: builder.load(input), mask: mask.map(|mask| builder.load(mask)) };
    let store = |results: &[Var<'_>]| {
        for (&target, result) in targets.iter().zip(results) {
            builder.store(target, result.cast(target.dtype()));
        }
    };
    fold(builder, plan, options, scan, load, store)
}

/// Writes the fold of a plan into any kernel: `load` gives the element at the current point, `store` takes the results
/// (of the plan's output types). Launch scalars are declared as [`Plan::arguments`] lists them.
pub fn fold<'b>(
    builder: &'b Builder,
    plan: &Plan,
    options: Options,
    scan: bool,
    load: impl Fn() -> Element<'b>,
    store: impl Fn(&[Var<'b>]),
) -> Fold {
    let finish = |results: &[Values<'b>]| {
        store(&results[0]);
        vec![]
    };
    folds(builder, &[(plan, options)], scan, || vec![load()], |_, _, dtype| builder.scalar(dtype), finish)
}

/// Writes the folds of several plans as one, whose accumulators are those of all. `load` gives each plan's element at
/// the current point, `argument` the launch scalar for an argument of a plan (by their numbers), and `finish` takes the
/// results of each and says what the fold yields.
pub fn folds<'b>(
    builder: &'b Builder,
    plans: &[(&Plan, Options)],
    scan: bool,
    load: impl Fn() -> Vec<Element<'b>>,
    argument: impl Fn(usize, usize, DType) -> Var<'b>,
    finish: impl Fn(&[Values<'b>]) -> Values<'b>,
) -> Fold {
    if plans.iter().all(|(plan, _)| plan.row.any_order) {
        builder.allow_any_order();
    }
    if let [(plan, _)] = plans
        && plan.row.rule == Rule::Index
    {
        builder.find_position();
    }
    let neutral = |(plan, options): &(&Plan, Options)| {
        let mut values = plan.neutral(builder, scan);
        values.extend(plan.counts(*options).then(|| builder.integer(DType::I64, 0)));
        values
    };
    let mut counts = vec![];
    let identity = builder.lambda(&[], |_| {
        let mut all = vec![];
        for part in plans {
            let values = neutral(part);
            counts.push(values.len());
            all.extend(values);
        }
        all
    });
    let types: Vec<DType> = identity.results.iter().map(|&value| builder.var(value).dtype()).collect();
    let map = builder.lambda(&[], |_| {
        let mut all = vec![];
        for (element, part) in load().iter().zip(plans) {
            let (plan, options) = *part;
            let mut values = plan.map(element.value);
            values.extend(plan.counts(options).then(|| builder.integer(DType::I64, 1)));
            let present = plan.skips_nan().then(|| !element.value.is_nan());
            match [element.mask, present].into_iter().flatten().reduce(|a, b| a & b) {
                Some(takes_part) => {
                    all.extend(values.iter().zip(neutral(part)).map(|(v, none)| v.when(takes_part, none)));
                }
                None => all.extend(values),
            }
        }
        all
    });
    let combine = builder.lambda(&[&types[..], &types[..]].concat(), |params| {
        let (mut earlier, mut later) = params.split_at(types.len());
        let mut all = vec![];
        for (&(plan, options), &count) in plans.iter().zip(&counts) {
            let (mine, theirs);
            (mine, earlier) = earlier.split_at(count);
            (theirs, later) = later.split_at(count);
            all.extend(plan.combine(mine, theirs));
            all.extend(plan.counts(options).then(|| mine[count - 1] + theirs[count - 1]));
        }
        all
    });
    let finish = builder.lambda(&types, |mut accumulators| {
        let mut results = vec![];
        for (number, &(plan, options)) in plans.iter().enumerate() {
            let (mine, rest) = accumulators.split_at(counts[number]);
            accumulators = rest;
            let mut own = mine.to_vec();
            let mut arguments: Values<'b> = vec![];
            arguments.extend(plan.counts(options).then(|| own.pop()).flatten());
            for (position, (kind, dtype)) in plan.arguments(options).into_iter().enumerate() {
                let scalar = argument(number, position, dtype);
                match kind {
                    Argument::Initial => own = plan.combine(&[scalar.cast(plan.accumulator)], &own),
                    _ => arguments.push(scalar),
                }
            }
            results.push(plan.finish(&own, &arguments));
        }
        finish(&results)
    });
    Fold { identity, map, combine, finish }
}

impl Plan {
    fn neutral<'b>(&self, builder: &'b Builder, scan: bool) -> Values<'b> {
        match self.row.steps {
            // -0 changes no number, not even -0; but a sum of no elements, which only a reduction has, is 0.
            Steps::Ufunc { ufunc, .. } if scan && ufunc.name == "add" && self.accumulator.is_inexact() => {
                vec![builder.literal(Scalar::complex(self.accumulator, -0.0, -0.0).into())]
            }
            Steps::Ufunc { ufunc, .. } => ufunc.neutral_element(builder, self.accumulator).into_iter().collect(),
            Steps::Own { identity, .. } => identity(builder, self.lifted),
        }
    }

    fn map<'b>(&self, element: Var<'b>) -> Values<'b> {
        let lifted = element.cast(self.value).cast(self.lifted);
        match self.row.steps {
            Steps::Ufunc { map, .. } => vec![map(lifted).cast(self.accumulator)],
            Steps::Own { map, .. } => map(lifted),
        }
    }

    fn combine<'b>(&self, earlier: &[Var<'b>], later: &[Var<'b>]) -> Values<'b> {
        match self.row.steps {
            Steps::Ufunc { ufunc, .. } => ufunc.apply(self.index, &[earlier[0], later[0]]).to_vec(),
            Steps::Own { combine, .. } => combine(earlier, later),
        }
    }

    /// The sum that a mean divides: infinite where NumPy's, which is of the type of the result, has overflowed.
    fn rounded<'b>(&self, sum: Var<'b>) -> Var<'b> {
        let output = self.outputs[0];
        if self.row.rule != Rule::Mean || !matches!(output, DType::F32 | DType::C64) {
            return sum;
        }
        let part = |wide: Var<'b>| {
            let narrow = wide.cast(output.real()).cast(wide.dtype());
            narrow.when(narrow.abs().eq(wide.like(f64::INFINITY)), wide)
        };
        if sum.dtype().is_complex() { sum.builder().complex(part(sum.re()), part(sum.im())) } else { part(sum) }
    }

    /// The results, rounded to the plan's output types before a caller casts them further.
    fn finish<'b>(&self, accumulators: &[Var<'b>], arguments: &[Var<'b>]) -> Values<'b> {
        let results = match self.row.steps {
            Steps::Ufunc { finish, .. } => vec![finish(self.rounded(accumulators[0]), arguments)],
            Steps::Own { finish, .. } => finish(accumulators, arguments),
        };
        results.into_iter().zip(&self.outputs).map(|(result, &dtype)| result.cast(dtype)).collect()
    }
}

/// The kernel that folds a ufunc along one axis strictly from left to right, each outer point alone: the form for
/// ufuncs that are not reorderable. With `accumulate` every prefix is stored, else the last one.
///
/// It is a map over the outer space. Its operands are the input, the output and with [`Options::masked`] a bool operand,
/// each at the origin of the axis; its scalars are those of [`Plan::ordered_arguments`]. Without an initial value the
/// axis must not be empty, and the caller must not mask.
pub fn ordered_kernel(plan: &Plan, output: DType, accumulate: bool, options: Options) -> Kernel {
    let prefix = if accumulate { "ordered_cumulative_" } else { "ordered_" };
    let builder = Builder::new(name(prefix, plan, &[output], options));
    write_ordered(&builder, plan, output, accumulate, options);
    builder.finish_map()
}

fn write_ordered<'b>(builder: &'b Builder, plan: &Plan, output: DType, accumulate: bool, options: Options) {
    let input = builder.operand(plan.input, Mode::Read);
    let target = builder.operand(output, Mode::Write);
    let mask = options.masked.then(|| builder.operand(DType::Bool, Mode::Read));
    let (mut length, mut steps, mut initial) = (None, [None; 3], None);
    for (argument, dtype) in plan.ordered_arguments(accumulate, options) {
        let scalar = Some(builder.scalar(dtype));
        match argument {
            Argument::InputStride => steps[0] = scalar,
            Argument::OutputStride => steps[1] = scalar,
            Argument::MaskStride => steps[2] = scalar,
            Argument::Initial => initial = scalar,
            _ => length = scalar,
        }
    }
    let zero = builder.integer(DType::I64, 0);
    let one = builder.integer(DType::I64, 1);
    let at = |step: usize, position: Var<'b>| position * steps[step].unwrap_or(zero);
    let load = |position| builder.load_at(input, at(0, position)).cast(plan.value);
    let store = |position, value: Var<'_>| builder.store_at(target, at(1, position), value.cast(output));
    let (first, start) = initial.map_or_else(|| (load(zero), one), |initial| (initial, zero));
    let (accumulator, position) = (builder.local(first), builder.local(start));
    if accumulate && initial.is_none() {
        store(zero, first);
    }
    builder.repeat(
        || position.get().lt(length.unwrap_or(zero)),
        || {
            let (current, before) = (position.get(), accumulator.get());
            let after = plan.step(before, load(current));
            let takes_part = mask.map(|mask| builder.load_at(mask, at(2, current)));
            accumulator.set(takes_part.map_or(after, |takes_part| after.when(takes_part, before)));
            if accumulate {
                store(current, accumulator.get());
            }
            position.set(current + one);
        },
    );
    if !accumulate {
        store(zero, accumulator.get());
    }
}

impl Plan {
    /// One application of the ufunc in the type of the loop.
    pub(super) fn step<'b>(&self, before: Var<'b>, element: Var<'b>) -> Var<'b> {
        match self.row.steps {
            Steps::Ufunc { ufunc, .. } => ufunc.apply(self.narrow, &[before, element])[0],
            Steps::Own { .. } => before,
        }
    }
}

/// `sum_float32`; cast results add their types, a mask `where`, an initial value `initial`.
pub(super) fn name(prefix: &str, plan: &Plan, outputs: &[DType], options: Options) -> String {
    let mut name = format!("{prefix}{}_{}", plan.row.name, plan.input);
    if plan.value != plan.input {
        name += &format!("_as_{}", plan.value);
    }
    if plan.outputs[..] != *outputs {
        name += "_to";
        for output in outputs {
            name += &format!("_{output}");
        }
    }
    name += if options.masked { "_where" } else { "" };
    name += if options.initial { "_initial" } else { "" };
    name
}
