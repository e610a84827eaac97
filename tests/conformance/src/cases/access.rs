//! Loads and stores away from the current point, and atomics.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Atomic, Builder, Mode};

use crate::case::{Case, bytes, contiguous};
use crate::interpreter::Number;
use crate::samples::{self, Random};
use crate::tolerance::Tolerance;

pub fn cases() -> Vec<Case> {
    let mut cases = vec![];
    for dtype in DType::ALL {
        cases.push(gather(dtype));
        cases.push(scatter(dtype));
        cases.push(repeated_scatter(dtype));
        for op in [Atomic::Add, Atomic::Min, Atomic::Max] {
            // Lanes are combined one at a time, which only a sum survives.
            if !dtype.is_complex() || op == Atomic::Add {
                cases.push(atomic(op, dtype));
            }
        }
    }
    cases.push(histogram());
    cases
}

fn indices(count: usize, limit: usize) -> Vec<Number> {
    let mut random = Random::new(11);
    (0..count).map(|_| Number::Int(random.below(limit) as i128)).collect()
}

fn permutation(count: usize) -> Vec<Number> {
    (0..count).map(|i| Number::Int((i * 7919 % count) as i128)).collect()
}

/// `take`: an element of a table chosen by an index.
fn gather(dtype: DType) -> Case {
    let name = format!("gather_{dtype}");
    let builder = Builder::new(name.clone());
    let index = builder.input(DType::I64);
    let table = builder.operand(dtype, Mode::Read);
    let size = index.like_integer(dtype.size() as i128);
    builder.output(dtype, builder.load_at(table, index * size));
    let case = Case::new(name, builder.finish_map(), Tolerance::EXACT).outer(&[700]).input(&indices(700, 90));
    case.operand(bytes(dtype, &samples::small(dtype, 90)), 0, &[0]).outputs()
}

/// Stores at targets that differ.
fn scatter(dtype: DType) -> Case {
    let name = format!("scatter_{dtype}");
    let builder = Builder::new(name.clone());
    let (index, value) = (builder.input(DType::I64), builder.input(dtype));
    let target = builder.operand(dtype, Mode::Write);
    builder.store_at(target, index * index.like_integer(dtype.size() as i128), value);
    let case = Case::new(name, builder.finish_map(), Tolerance::EXACT).outer(&[701]);
    let case = case.input(&permutation(701)).input(&samples::small(dtype, 701));
    case.operand(vec![0; 701 * dtype.size()], 0, &[0])
}

/// Stores at repeated targets in order; all values that meet are equal, so that the order matters to no device.
fn repeated_scatter(dtype: DType) -> Case {
    let name = format!("repeated_scatter_{dtype}");
    let builder = Builder::new(name.clone());
    builder.set_ordered(true);
    let (index, value) = (builder.input(DType::I64), builder.input(dtype));
    let target = builder.operand(dtype, Mode::Write);
    builder.store_at(target, index * index.like_integer(dtype.size() as i128), value);
    let places = indices(900, 50);
    let values = samples::small(dtype, 50);
    let values: Vec<Number> = places.iter().map(|place| values[place.int() as usize]).collect();
    let case = Case::new(name, builder.finish_map(), Tolerance::EXACT).outer(&[900]).input(&places).input(&values);
    case.operand(vec![0; 50 * dtype.size()], 0, &[0])
}

/// Many points combine with few elements.
fn atomic(op: Atomic, dtype: DType) -> Case {
    let name = format!("atomic_{op:?}_{dtype}").to_lowercase();
    let builder = Builder::new(name.clone());
    let (index, value) = (builder.input(DType::I64), builder.input(dtype));
    let target = builder.operand(dtype, Mode::Update);
    let offset = index * index.like_integer(dtype.size() as i128);
    builder.atomic(target, Some(offset), op, value);
    let mut values = samples::small(dtype, 1000);
    if op != Atomic::Add {
        values = values
            .into_iter()
            .zip(samples::values(dtype, 1000))
            .map(|(small, any)| if any.real().is_nan() { small } else { any })
            .collect();
        if dtype.is_float() {
            values[500] = Number::Real(f64::NAN);
        }
    }
    let tolerance = if op == Atomic::Add { Tolerance::EXACT_VALUE } else { Tolerance::EXACT };
    let case = Case::new(name, builder.finish_map(), tolerance).outer(&[1000]);
    let case = case.input(&indices(1000, 13)).input(&values[..1000]);
    case.operand(bytes(dtype, &samples::small(dtype, 13)), 0, &[0])
}

/// Counting over two dimensions, without an offset along one of them.
fn histogram() -> Case {
    let builder = Builder::new("histogram");
    let bin = builder.input(DType::U8);
    let counts = builder.operand(DType::I32, Mode::Update);
    let one = builder.integer(DType::I32, 1);
    builder.atomic(counts, Some(bin.cast(DType::I64) * builder.integer(DType::I64, 4)), Atomic::Add, one);
    let shape = [5, 1000];
    let case = Case::new("histogram", builder.finish_map(), Tolerance::EXACT).outer(&shape);
    let strides = contiguous(DType::I32, &[5, 16]);
    case.input(&indices(5000, 16)).operand(vec![0; 5 * 16 * 4], 0, &[strides[0], 0])
}
