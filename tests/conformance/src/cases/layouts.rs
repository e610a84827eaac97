//! Maps over one to eight dimensions with every kind of stride.

use cuproxide_hal::ir::{Builder, Kernel};
use cuproxide_hal::{DType, MAX_DIMS};

use crate::case::{Case, bytes, contiguous};
use crate::interpreter::Number;
use crate::samples;
use crate::tolerance::Tolerance;

const TYPES: [DType; 7] = [DType::F32, DType::F64, DType::I8, DType::I64, DType::F16, DType::C64, DType::C128];

/// How an operand lies in memory.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// One element after the other.
    Contiguous,
    /// The same, starting one element late, so that vectors are not aligned.
    Shifted,
    /// Last index slowest.
    Fortran,
    /// Every dimension backwards.
    Reversed,
    /// Every other element of each dimension.
    Sparse,
    /// Lines that are padded by one element.
    Padded,
    /// A byte between neighbours, so that wider elements are not aligned.
    Gaps,
    /// One value for all.
    Constant,
    /// One value for every line of the last dimension.
    Row,
    /// One line for all the others.
    Column,
}

use Layout::*;

pub fn cases() -> Vec<Case> {
    let mut cases = vec![];
    let shapes: [&[usize]; 10] = [
        &[1],
        &[1000],
        &[1, 1],
        &[17, 33],
        &[64, 64],
        &[4, 5, 19],
        &[3, 2, 5, 16],
        &[2, 3, 2, 3, 7],
        &[2, 2, 3, 2, 2, 5],
        &[2, 2, 2, 2, 2, 2, 2, 3],
    ];
    for dtype in TYPES {
        for shape in shapes {
            for (a, b, out) in [
                (Contiguous, Contiguous, Contiguous),
                (Shifted, Contiguous, Shifted),
                (Contiguous, Constant, Contiguous),
                (Row, Column, Contiguous),
                (Fortran, Contiguous, Padded),
                (Reversed, Sparse, Fortran),
                (Padded, Shifted, Reversed),
                (Constant, Constant, Sparse),
            ] {
                cases.push(add(dtype, shape, [a, b, out]));
            }
        }
        cases.extend([in_place(dtype), in_place(dtype).unaligned()]);
        for shape in [&[1000][..], &[17, 33], &[4, 5, 19]] {
            cases.push(add(dtype, shape, [Contiguous, Contiguous, Contiguous]).unaligned());
            cases.push(add(dtype, shape, [Contiguous, Constant, Fortran]).unaligned());
            cases.push(add(dtype, shape, [Gaps, Contiguous, Contiguous]));
            cases.push(add(dtype, shape, [Contiguous, Row, Gaps]));
        }
    }
    cases.push(no_dimensions());
    for (from, to) in
        [(DType::I8, DType::F64), (DType::F64, DType::F32), (DType::Bool, DType::I64), (DType::F16, DType::F32)]
    {
        cases.push(mixed(from, to));
    }
    cases
}

fn sum(name: &str, dtype: DType) -> Kernel {
    let builder = Builder::new(name);
    let (a, b) = (builder.input(dtype), builder.input(dtype));
    builder.output(dtype, a + b);
    builder.finish_map()
}

/// (bytes, origin, strides) of an operand.
fn place(dtype: DType, shape: &[usize], layout: Layout, seed: usize) -> (Vec<u8>, usize, [isize; MAX_DIMS]) {
    let size = dtype.size() as isize;
    let dims = shape.len();
    let mut strides = contiguous(dtype, shape);
    let mut origin = 0;
    match layout {
        Contiguous => {}
        Shifted => origin = size as usize,
        Fortran => {
            let mut stride = size;
            for (slot, &length) in strides.iter_mut().zip(shape) {
                *slot = stride;
                stride *= length as isize;
            }
        }
        Reversed => {
            for (slot, &length) in strides.iter_mut().zip(shape) {
                origin += (length - 1) * *slot as usize;
                *slot = -*slot;
            }
        }
        Sparse => {
            let doubled: Vec<usize> = shape.iter().map(|length| length * 2).collect();
            strides = contiguous(dtype, &doubled);
            strides[..dims].iter_mut().for_each(|stride| *stride *= 2);
        }
        Padded => {
            let mut padded = shape.to_vec();
            *padded.last_mut().expect("a dimension") += 1;
            strides = contiguous(dtype, &padded);
        }
        Gaps => strides.iter_mut().for_each(|stride| *stride += *stride / size),
        Constant => strides = [0; MAX_DIMS],
        Row => {
            let outer = contiguous(dtype, &shape[..dims - 1]);
            strides = outer;
        }
        Column => {
            strides = [0; MAX_DIMS];
            strides[dims - 1] = size;
        }
    }
    let reach: usize = strides.iter().zip(shape).map(|(&s, &n)| if s > 0 { s as usize * (n - 1) } else { 0 }).sum();
    let count = (origin + reach) / dtype.size() + 2;
    let mut numbers = samples::small(dtype, count + seed);
    numbers.drain(..seed);
    (bytes(dtype, &numbers), origin, strides)
}

fn add(dtype: DType, shape: &[usize], layouts: [Layout; 3]) -> Case {
    let name = format!("layout_{dtype}_{shape:?}_{layouts:?}").replace(", ", ",");
    let mut case = Case::new(name, sum("layout", dtype), Tolerance::EXACT).outer(shape);
    for (seed, layout) in layouts.into_iter().enumerate() {
        let (buffer, origin, strides) = place(dtype, shape, layout, seed);
        case = case.operand(buffer, origin, &strides);
    }
    case
}

/// A result that overwrites its first operand.
fn in_place(dtype: DType) -> Case {
    let shape = [40, 50];
    let (buffer, origin, strides) = place(dtype, &shape, Padded, 0);
    let mut case = Case::new(format!("in_place_{dtype}"), sum("in_place", dtype), Tolerance::EXACT)
        .outer(&shape)
        .operand(buffer, origin, &strides)
        .input(&samples::small(dtype, 2000));
    case.operands.push(case.operands[0]);
    case
}

/// A single point.
fn no_dimensions() -> Case {
    let case = Case::new("no_dimensions", sum("no_dimensions", DType::F64), Tolerance::EXACT).outer(&[]);
    case.input(&[Number::Real(1.25)]).input(&[Number::Real(2.0)]).outputs()
}

/// Elements of different size in one kernel, with a length that no vector divides.
fn mixed(from: DType, to: DType) -> Case {
    let name = format!("mixed_{from}_{to}");
    let builder = Builder::new(name.clone());
    let x = builder.input(from);
    builder.output(to, x.cast(to) + builder.integer(to, 1));
    Case::new(name, builder.finish_map(), Tolerance::EXACT).flat(&[&samples::small(from, 1003)])
}
