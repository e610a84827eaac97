//! Reductions and scans.

use cuproxide_hal::ir::{Binary, Body, Builder, Fold, Kernel, Mode, OperandVar, Var};
use cuproxide_hal::{DType, MAX_DIMS};

use crate::case::{Case, bytes, contiguous};
use crate::interpreter::Number;
use crate::samples;
use crate::tolerance::Tolerance;

pub fn cases() -> Vec<Case> {
    let mut cases = vec![];
    for dtype in DType::ALL {
        for (outer, inner) in SPACES {
            cases.push(sum(dtype, outer, inner));
        }
        if !dtype.is_complex() {
            for op in [Binary::Min, Binary::Max] {
                cases.push(extremum(op, dtype));
                if dtype.is_float() {
                    cases.extend([
                        zeros(op, dtype, 7, false),
                        zeros(op, dtype, 900, false),
                        zeros(op, dtype, 900, true),
                    ]);
                }
            }
            cases.push(argmax(dtype, &[3], &[1000]));
            cases.push(argmax(dtype, &[], &[70_000]));
            cases.push(argmax(dtype, &[200], &[5]));
        }
        for (outer, inner) in [(1, 1), (1, 1000), (7, 33), (1, 100_000), (3, 5000)] {
            cases.push(scan(dtype, outer, inner));
        }
        for (rows, length) in [(1, 70_000), (7, 33)] {
            cases.push(scan(dtype, rows, length).unaligned());
        }
        cases.extend([argmax(dtype, &[3], &[1000]).unaligned(), argmax(dtype, &[200], &[5]).unaligned()]);
    }
    for dtype in [DType::F32, DType::I64, DType::C64] {
        for permuted in [&[1, 0, 2][..], &[2, 0, 1], &[0, 2, 1], &[1, 2, 0]] {
            cases.push(mixed_axes(dtype, permuted));
        }
        cases.extend([reversed(dtype), reversed(dtype).unaligned(), mixed_axes(dtype, &[1, 0, 2]).unaligned()]);
    }
    cases.extend([moments(&[4], &[300]), moments(&[], &[100_000]), moments(&[300], &[2, 2])]);
    cases.extend([
        first_and_last(&[3], &[50, 70]),
        first_and_last(&[1], &[100_000]),
        strided_scan(),
        pair_scan(),
        any(),
    ]);
    cases
}

/// Outer and inner dimensions: empty, single, few long rows, many short ones, several axes.
const SPACES: [(&[usize], &[usize]); 10] = [
    (&[], &[0]),
    (&[3], &[0]),
    (&[5], &[1]),
    (&[], &[1000]),
    (&[], &[300_001]),
    (&[2], &[65_537]),
    (&[1000], &[3]),
    (&[33], &[257]),
    (&[4, 3], &[5, 11]),
    (&[1], &[2, 3, 4, 5]),
];

/// The type that a sum of `dtype` is kept in, so that the test's sums are exact.
fn wide(dtype: DType) -> DType {
    match dtype {
        DType::Bool | DType::I8 | DType::I16 => DType::I64,
        DType::U8 | DType::U16 => DType::U64,
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}

struct Accumulator {
    kernel_name: String,
    dtype: DType,
    accumulators: Vec<DType>,
    results: Vec<DType>,
}

type Values<'b> = Vec<Var<'b>>;

impl Accumulator {
    /// A fold over one operand with the given parts; `finish` gives the results.
    fn kernel(
        &self,
        scan: bool,
        identity: impl for<'b> Fn(&'b Builder) -> Values<'b>,
        map: impl for<'b> Fn(&'b Builder, Var<'b>) -> Values<'b>,
        combine: impl for<'b> Fn(&'b Builder, &[Var<'b>], &[Var<'b>]) -> Values<'b>,
        finish: impl for<'b> Fn(&'b Builder, &[Var<'b>]) -> Values<'b>,
    ) -> Kernel {
        let builder = Builder::new(self.kernel_name.clone());
        let input = builder.operand(self.dtype, Mode::Read);
        let outputs: Vec<OperandVar> = self.results.iter().map(|&dtype| builder.operand(dtype, Mode::Write)).collect();
        let count = self.accumulators.len();
        let both = [&self.accumulators[..], &self.accumulators[..]].concat();
        let fold = Fold {
            identity: builder.lambda(&[], |_| identity(&builder)),
            map: builder.lambda(&[], |_| map(&builder, builder.load(input))),
            combine: builder.lambda(&both, |vars| combine(&builder, &vars[..count], &vars[count..])),
            finish: builder.lambda(&self.accumulators, |vars| {
                for (&output, value) in outputs.iter().zip(finish(&builder, vars)) {
                    builder.store(output, value);
                }
                vec![]
            }),
        };
        builder.finish(if scan { Body::Scan(fold) } else { Body::Reduce(fold) })
    }
}

fn sum_kernel(dtype: DType, scan: bool) -> Kernel {
    let total = wide(dtype);
    let kernel_name = format!("{}_{dtype}", if scan { "cumsum" } else { "sum" });
    Accumulator { kernel_name, dtype, accumulators: vec![total], results: vec![total] }.kernel(
        scan,
        |b| vec![b.integer(total, 0)],
        |_, x| vec![x.cast(total)],
        |_, a, b| vec![a[0] + b[0]],
        |_, a| vec![a[0]],
    )
}

fn product(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Adds the reduced operand, contiguous over outer then inner dimensions, and the results.
fn reduced(case: Case, outer: &[usize], inner: &[usize], numbers: &[Number]) -> Case {
    let dtype = case.kernel.operands[0].dtype;
    let strides = contiguous(dtype, &[outer, inner].concat());
    let case = case.outer(outer).inner(inner).operand(bytes(dtype, numbers), 0, &strides);
    case.outputs()
}

fn sum(dtype: DType, outer: &[usize], inner: &[usize]) -> Case {
    let name = format!("sum_{dtype}_{outer:?}_{inner:?}").replace(", ", ",");
    let numbers = samples::small(dtype, product(outer) * product(inner));
    reduced(Case::new(name, sum_kernel(dtype, false), Tolerance::EXACT_VALUE), outer, inner, &numbers)
}

/// Extrema of the edges of a type and random numbers.
fn extremum(op: Binary, dtype: DType) -> Case {
    let name = format!("reduce_{op:?}_{dtype}").to_lowercase();
    let numbers: Vec<Number> = samples::values(dtype, 4000).into_iter().take(4000).collect();
    let count = numbers.len() / 40 * 40;
    let kernel = extremum_kernel(op, dtype, &name, |x| x);
    reduced(Case::new(name, kernel, Tolerance::EXACT), &[40], &[count / 40], &numbers[..count])
}

/// Extrema of zeros: those of both signs in any order, of one sign, and of few of one sign among many of the other.
fn zeros(op: Binary, dtype: DType, length: usize, negated: bool) -> Case {
    let name = format!("reduce_{op:?}_zeros_{dtype}_{length}{}", if negated { "_negated" } else { "" }).to_lowercase();
    let mut random = samples::Random::new(length as u64);
    let numbers: Vec<Number> = [2, 0, 1, 50, length]
        .into_iter()
        .flat_map(|rarity| (0..length).map(|_| (rarity, random.below(rarity.max(1)))).collect::<Vec<_>>())
        .map(|(rarity, draw)| Number::Real(if rarity != 0 && draw == 0 { 0.0 } else { -0.0 }))
        .collect();
    let kernel = extremum_kernel(op, dtype, &name, |x| if negated { -x } else { x });
    reduced(Case::new(name, kernel, Tolerance::EXACT), &[5], &[length], &numbers)
}

fn extremum_kernel(op: Binary, dtype: DType, name: &str, map: impl Fn(Var<'_>) -> Var<'_>) -> Kernel {
    let worst = |b: &Builder| -> cuproxide_hal::ir::Value {
        let sign = if op == Binary::Min { 1.0 } else { -1.0 };
        if dtype.is_float() {
            return b.real(dtype, f64::INFINITY * sign).id();
        }
        let edges = samples::edges(dtype).into_iter().map(Number::int);
        let worst = if op == Binary::Min { edges.max() } else { edges.min() };
        b.integer(dtype, worst.unwrap_or(0)).id()
    };
    let shape = Accumulator { kernel_name: name.to_owned(), dtype, accumulators: vec![dtype], results: vec![dtype] };
    shape.kernel(
        false,
        |b| vec![b.var(worst(b))],
        |_, x| vec![map(x)],
        |_, a, b| vec![a[0].binary(op, b[0])],
        |_, a| vec![a[0]],
    )
}

/// The largest value and where it first stands; NaN counts as largest.
fn argmax(dtype: DType, outer: &[usize], inner: &[usize]) -> Case {
    let name = format!("argmax_{dtype}_{outer:?}_{inner:?}").replace(", ", ",");
    let kernel_name = format!("argmax_{dtype}");
    let pair = vec![dtype, DType::I64];
    let kernel = Accumulator { kernel_name, dtype, accumulators: pair.clone(), results: pair }.kernel(
        false,
        |b| vec![b.integer(dtype, 0), b.integer(DType::I64, i64::MAX.into())],
        |b, x| vec![x, b.index()],
        |b, left, right| {
            let none = left[1].eq(b.integer(DType::I64, i64::MAX.into()));
            let better = right[0].gt(left[0]) | (right[0].is_nan() & !left[0].is_nan());
            let some = right[1].ne(b.integer(DType::I64, i64::MAX.into()));
            let take = some & (none | better);
            vec![right[0].when(take, left[0]), right[1].when(take, left[1])]
        },
        |_, a| a.to_vec(),
    );
    let mut numbers = samples::small(dtype, product(outer) * product(inner));
    if dtype.is_float() {
        let middle = numbers.len() / 2;
        numbers[middle] = Number::Real(f64::NAN);
    }
    reduced(Case::new(name, kernel, Tolerance::EXACT), outer, inner, &numbers)
}

/// Reductions of arrays whose axes are permuted in memory.
fn mixed_axes(dtype: DType, permuted: &[usize]) -> Case {
    let name = format!("sum_axes_{dtype}_{permuted:?}").replace(", ", ",");
    let stored = [30, 21, 44];
    let strides = contiguous(dtype, &stored);
    let shape: Vec<usize> = permuted.iter().map(|&axis| stored[axis]).collect();
    let mut moved = [0; MAX_DIMS];
    for (slot, &axis) in moved.iter_mut().zip(permuted) {
        *slot = strides[axis];
    }
    let case = Case::new(name, sum_kernel(dtype, false), Tolerance::EXACT_VALUE).outer(&shape[..1]).inner(&shape[1..]);
    case.operand(bytes(dtype, &samples::small(dtype, product(&stored))), 0, &moved).outputs()
}

/// A reduction that walks backwards over padded rows.
fn reversed(dtype: DType) -> Case {
    let size = dtype.size() as isize;
    let case = Case::new(format!("sum_reversed_{dtype}"), sum_kernel(dtype, false), Tolerance::EXACT_VALUE);
    let case = case.outer(&[20]).inner(&[100]);
    case.operand(bytes(dtype, &samples::small(dtype, 20 * 103)), 99 * size as usize, &[103 * size, -size]).outputs()
}

/// Count, sum and sum of squares at once, of three types.
fn moments(outer: &[usize], inner: &[usize]) -> Case {
    let name = format!("moments_{outer:?}_{inner:?}").replace(", ", ",");
    let types = vec![DType::I64, DType::F64, DType::C128];
    let shape = Accumulator {
        kernel_name: "moments".into(),
        dtype: DType::F32,
        accumulators: types.clone(),
        results: vec![DType::I64, DType::F64, DType::C128, DType::F64],
    };
    let kernel = shape.kernel(
        false,
        |b| vec![b.integer(DType::I64, 0), b.real(DType::F64, 0.0), b.real(DType::C128, 0.0)],
        |b, x| {
            let x = x.cast(DType::F64);
            vec![b.integer(DType::I64, 1), x, b.complex(x * x, -x)]
        },
        |_, a, b| a.iter().zip(b).map(|(&a, &b)| a + b).collect(),
        |_, a| vec![a[0], a[1], a[2], a[2].re() - a[1]],
    );
    let numbers = samples::small(DType::F32, product(outer) * product(inner));
    reduced(Case::new(name, kernel, Tolerance::EXACT_VALUE), outer, inner, &numbers)
}

/// The first and last nonzero element: a fold that is not commutative, so order must be kept.
fn first_and_last(outer: &[usize], inner: &[usize]) -> Case {
    let name = format!("first_and_last_{outer:?}_{inner:?}").replace(", ", ",");
    let types = vec![DType::I32, DType::I32];
    let shape = Accumulator {
        kernel_name: "first_and_last".into(),
        dtype: DType::I32,
        accumulators: types.clone(),
        results: types,
    };
    let kernel = shape.kernel(
        false,
        |b| vec![b.integer(DType::I32, 0), b.integer(DType::I32, 0)],
        |b, x| {
            let keep = (b.index() % b.integer(DType::I64, 3)).ne(b.integer(DType::I64, 0));
            let kept = x.when(keep, x.like_integer(0));
            vec![kept, kept]
        },
        |b, left, right| {
            let zero = b.integer(DType::I32, 0);
            vec![right[0].when(left[0].eq(zero), left[0]), left[1].when(right[1].eq(zero), right[1])]
        },
        |_, a| a.to_vec(),
    );
    let count = product(outer) * product(inner);
    let numbers: Vec<Number> = (0..count).map(|i| Number::Int((i % 1009) as i128)).collect();
    reduced(Case::new(name, kernel, Tolerance::EXACT), outer, inner, &numbers)
}

/// Whether any element is true.
fn any() -> Case {
    let shape = Accumulator {
        kernel_name: "any".into(),
        dtype: DType::Bool,
        accumulators: vec![DType::Bool],
        results: vec![DType::Bool],
    };
    let kernel =
        shape.kernel(false, |b| vec![b.boolean(false)], |_, x| vec![x], |_, a, b| vec![a[0] | b[0]], |_, a| vec![a[0]]);
    let numbers: Vec<Number> = (0..60 * 70).map(|i| Number::Int((i % 140 == 3).into())).collect();
    reduced(Case::new("any", kernel, Tolerance::EXACT), &[60], &[70], &numbers)
}

/// Inclusive sums of the rows of a matrix.
fn scan(dtype: DType, rows: usize, length: usize) -> Case {
    let name = format!("cumsum_{dtype}_{rows}x{length}");
    let total = wide(dtype);
    let numbers = samples::small(dtype, rows * length);
    let shape = [rows, length];
    let case = Case::new(name, sum_kernel(dtype, true), Tolerance::EXACT_VALUE).outer(&shape[..1]).inner(&shape[1..]);
    let case = case.operand(bytes(dtype, &numbers), 0, &contiguous(dtype, &shape));
    case.operand(vec![0; rows * length * total.size()], 0, &contiguous(total, &shape))
}

/// Sums down the columns of a matrix.
fn strided_scan() -> Case {
    let dtype = DType::F64;
    let numbers = samples::small(dtype, 60 * 90);
    let case = Case::new("cumsum_columns", sum_kernel(dtype, true), Tolerance::EXACT_VALUE).outer(&[90]).inner(&[60]);
    case.operand(bytes(dtype, &numbers), 0, &[8, 720]).operand(vec![0; 60 * 90 * 8], 0, &[8, 720])
}

/// Running maximum and its position, over two scanned dimensions.
fn pair_scan() -> Case {
    let pair = vec![DType::F16, DType::I64];
    let shape =
        Accumulator { kernel_name: "cummax".into(), dtype: DType::F16, accumulators: pair.clone(), results: pair };
    let kernel = shape.kernel(
        true,
        |b| vec![b.real(DType::F16, f64::NEG_INFINITY), b.integer(DType::I64, 0)],
        |b, x| vec![x, b.index()],
        |_, left, right| {
            let take = right[0].gt(left[0]);
            vec![right[0].when(take, left[0]), right[1].when(take, left[1])]
        },
        |_, a| a.to_vec(),
    );
    let dims = [4, 20, 30];
    let case = Case::new("cummax", kernel, Tolerance::EXACT).outer(&dims[..1]).inner(&dims[1..]);
    let case = case.operand(bytes(DType::F16, &samples::small(DType::F16, 2400)), 0, &contiguous(DType::F16, &dims));
    let case = case.operand(vec![0; 4800], 0, &contiguous(DType::F16, &dims));
    case.operand(vec![0; 2400 * 8], 0, &contiguous(DType::I64, &dims))
}
