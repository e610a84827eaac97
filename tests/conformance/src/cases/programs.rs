//! Random programs of operations whose results are exact, with branches, loops and locals of all types.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Builder, Compare, LocalVar, Unary, Var};

use crate::case::Case;
use crate::interpreter::Number;
use crate::samples::{self, Random};
use crate::tolerance::Tolerance;

const PROGRAMS: u64 = 120;
const WIDE_PROGRAMS: u64 = 80;
const POINTS: usize = 97;

pub fn cases() -> Vec<Case> {
    let all = (0..PROGRAMS).map(|seed| program(seed, false));
    all.chain((0..WIDE_PROGRAMS).map(|seed| program(seed, true))).collect()
}

/// The types that every operation has vectors of, but for what [`Writer::operation`] leaves out.
const WIDE: [DType; 7] = [DType::Bool, DType::I32, DType::U32, DType::I64, DType::U64, DType::F32, DType::F64];

/// A program that is being written: what it can use, by type.
struct Writer<'b> {
    builder: &'b Builder,
    random: Random,
    values: Vec<Var<'b>>,
    locals: Vec<LocalVar<'b>>,
    /// Only types and operations that processors have vectors for, and loops whose rounds differ from point to point.
    wide: bool,
}

impl<'b> Writer<'b> {
    fn dtype(&mut self) -> DType {
        let types: &[DType] = if self.wide { &WIDE } else { &DType::ALL };
        types[self.random.below(types.len())]
    }

    /// A visible value of the type: one that is there, converted if need be.
    fn value(&mut self, dtype: DType) -> Var<'b> {
        let fitting: Vec<Var<'b>> = self.values.iter().copied().filter(|value| value.dtype() == dtype).collect();
        if fitting.is_empty() || self.random.below(8) == 0 {
            return self.values[self.random.below(self.values.len())].cast(dtype);
        }
        fitting[self.random.below(fitting.len())]
    }

    /// The result of an operation on visible values.
    fn operation(&mut self) -> Var<'b> {
        let dtype = self.dtype();
        let (a, b) = (self.value(dtype), self.value(dtype));
        match self.random.below(7) {
            0 => {
                let other = self.dtype();
                a.cast(other)
            }
            // A comparison of a value with itself is a constant, and NVRTC takes 0 * (1 / 0) of constants for a number.
            1 if a.id() != b.id() => {
                let compares = [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];
                a.compare(compares[self.random.below(6)], b)
            }
            2 => {
                let cond = self.value(DType::Bool);
                a.when(cond, b)
            }
            3 => match dtype {
                DType::Bool => !a,
                _ if dtype.is_integer() => [a.unary(Unary::Not), -a, a.abs()][self.random.below(3)],
                _ if dtype.is_float() => {
                    let ops =
                        [Unary::Neg, Unary::Abs, Unary::Floor, Unary::Ceil, Unary::Trunc, Unary::Rint, Unary::Sqrt];
                    a.unary(ops[self.random.below(ops.len())])
                }
                _ => [-a, a.conj(), a.re().cast(dtype), a.im().cast(dtype)][self.random.below(4)],
            },
            _ => {
                use Binary::*;
                // Minima and maxima of floats may choose either zero, which a division would tell apart.
                let ops: &[Binary] = match dtype {
                    DType::Bool => &[And, Or, Xor, Add, Mul, Min, Max],
                    _ if self.wide && dtype.is_integer() => &[Add, Sub, Mul, And, Or, Xor, Shl, Shr, Min, Max],
                    _ if self.wide && dtype.is_float() => &[Add, Sub, Mul, Div, Copysign],
                    _ if dtype.is_integer() => &[Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Min, Max],
                    _ if dtype.is_float() => &[Add, Sub, Mul, Div, Rem, Copysign, Nextafter],
                    _ => &[Add, Sub, Mul, Div],
                };
                match ops[self.random.below(ops.len())] {
                    // Here values may be NaN, whose sign is the processor's.
                    Copysign if self.wide => a.binary(Copysign, self.value(DType::I32).cast(dtype)),
                    op => a.binary(op, b),
                }
            }
        }
    }

    /// Some statements. What they bind is visible in the block only.
    fn block(&mut self, length: usize, depth: usize) {
        let visible = self.values.len();
        for _ in 0..length {
            match self.random.below(if depth < 3 { 12 } else { 10 }) {
                0 | 1 => {
                    let local = self.locals[self.random.below(self.locals.len())];
                    let value = self.value(local.get().dtype());
                    local.set(value);
                }
                2 => {
                    let value = self.locals[self.random.below(self.locals.len())].get();
                    self.values.push(value);
                }
                10 => {
                    let cond = self.value(DType::Bool);
                    let writer = std::cell::RefCell::new(&mut *self);
                    let part = || writer.borrow_mut().block(4, depth + 1);
                    cond.builder().branch(cond, part, part);
                }
                11 => {
                    let (builder, count) = (self.builder, self.random.below(4) as i128);
                    let (zero, one) = (builder.integer(DType::I32, 0), builder.integer(DType::I32, 1));
                    let rounds = builder.integer(DType::I32, count);
                    let rounds = if self.wide { self.value(DType::I32) & (rounds | one) } else { rounds };
                    let left = builder.local(rounds);
                    builder.repeat(
                        || left.get().gt(zero),
                        || {
                            self.block(4, depth + 1);
                            left.set(left.get() - one);
                        },
                    );
                }
                _ => {
                    let value = self.operation();
                    self.values.push(value);
                }
            }
        }
        if depth > 0 {
            self.values.truncate(visible);
        }
    }
}

fn program(seed: u64, wide: bool) -> Case {
    let name = format!("{}program_{seed}", if wide { "wide_" } else { "" });
    let builder = Builder::new(name.clone());
    let mut random = Random::new(seed + 1000);
    let types: &[DType] = if wide { &WIDE } else { &DType::ALL };
    // Bytes of truth are loaded as such.
    let loaded = if wide { &types[1..] } else { types };
    let inputs: Vec<DType> = (0..4).map(|_| loaded[random.below(loaded.len())]).collect();
    let values: Vec<Var<'_>> = inputs.iter().map(|&dtype| builder.input(dtype)).collect();
    let locals = (0..5)
        .map(|_| {
            let dtype = types[random.below(types.len())];
            builder.local(values[random.below(values.len())].cast(dtype))
        })
        .collect();
    let mut writer = Writer { builder: &builder, random, values, locals, wide };
    writer.block(30, 0);
    let results: Vec<Var<'_>> = writer.values.iter().rev().take(8).copied().collect();
    for result in results.into_iter().chain(writer.locals.iter().map(|local| local.get())) {
        builder.output(result.dtype(), result);
    }
    let data: Vec<Vec<Number>> = inputs
        .iter()
        .map(|&dtype| {
            let all = samples::values(dtype, POINTS);
            let mut random = Random::new(seed);
            (0..POINTS).map(|_| all[random.below(all.len())]).collect()
        })
        .collect();
    drop(writer);
    let lists: Vec<&[Number]> = data.iter().map(Vec::as_slice).collect();
    Case::new(name, builder.finish_map(), Tolerance::EXACT).flat(&lists)
}
