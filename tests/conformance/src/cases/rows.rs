//! Kernels of rows: folds whose results are used at all points again.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Body, Builder, Fold, Grouping, Kernel, Mode, OperandVar, Rows, Var};

use crate::case::{Case, bytes, contiguous};
use crate::interpreter::Number;
use crate::samples;
use crate::tolerance::Tolerance;

pub fn cases() -> Vec<Case> {
    let mut cases = vec![];
    for dtype in DType::ALL {
        if dtype.is_complex() || dtype == DType::Bool {
            continue;
        }
        for (outer, inner) in SPACES {
            cases.push(normalised(dtype, outer, inner));
        }
        cases.push(normalised(dtype, &[5], &[1023]).unaligned());
    }
    for (outer, inner) in SPACES {
        cases.push(many(outer, inner));
        cases.push(signed(DType::F16, outer, inner));
        cases.push(signed(DType::BF16, outer, inner));
    }
    cases
}

/// Outer and inner dimensions: one row, short rows, ends that no vector fills, several axes, more rows than a block.
const SPACES: [(&[usize], &[usize]); 9] = [
    (&[], &[2]),
    (&[], &[1000]),
    (&[3], &[7]),
    (&[40], &[1000]),
    (&[5], &[1023]),
    (&[7], &[1500]),
    (&[700], &[3]),
    (&[2, 3], &[16, 5]),
    (&[2], &[64, 8]),
];

/// A fold of one accumulator, whose result is known to all that follows.
fn fold<'b>(
    b: &'b Builder,
    op: Binary,
    start: impl FnOnce() -> Var<'b>,
    map: impl FnOnce() -> Var<'b>,
    finish: impl FnOnce(Var<'b>) -> Var<'b>,
) -> Fold {
    let identity = b.lambda(&[], |_| vec![start()]);
    let dtype = b.var(identity.results[0]).dtype();
    Fold {
        identity,
        map: b.lambda(&[], |_| vec![map()]),
        combine: b.lambda(&[dtype, dtype], |vars| vec![vars[0].binary(op, vars[1])]),
        finish: b.lambda(&[dtype], |vars| vec![finish(vars[0])]),
    }
}

/// The least number of a type.
fn least(b: &Builder, dtype: DType) -> Var<'_> {
    if dtype.is_float() {
        return b.real(dtype, f64::NEG_INFINITY);
    }
    b.integer(dtype, samples::edges(dtype).into_iter().map(Number::int).min().unwrap_or(0))
}

/// Two maxima and a sum. Between them pass a quotient, which is dear, a difference and a truth; an operand is the same for
/// all rows, one is read and one written once a row.
fn kernel(dtype: DType) -> Kernel {
    let b = Builder::new(format!("normalised_{dtype}"));
    let total = if dtype.is_float() { DType::F64 } else { DType::I64 };
    let read = |dtype| b.operand(dtype, Mode::Read);
    let [x, weight, shift] = [read(dtype), read(dtype), read(dtype)];
    let write = |dtype| b.operand(dtype, Mode::Write);
    let [result, sums]: [OperandVar; 2] = [write(dtype), write(total)];
    b.group_as(Grouping { element: dtype, accumulators: 1 });
    let first = fold(&b, Binary::Max, || least(&b, dtype), || b.load(x), |most| most + b.load(shift));
    let most = b.var(first.finish.results[0]);
    let points = std::cell::Cell::new(None);
    let second = fold(
        &b,
        Binary::Max,
        || least(&b, dtype),
        || {
            let x = b.load(x);
            let difference = most - x;
            let quotient = difference / x.like_integer(3);
            points.set(Some((difference, quotient, x.gt(x.like_integer(1)))));
            quotient
        },
        |best| best,
    );
    let best = b.var(second.finish.results[0]);
    let (difference, quotient, large) = points.take().expect("the map was written");
    let third = fold(
        &b,
        Binary::Add,
        || b.integer(total, 0),
        || difference.cast(total),
        |sum| {
            b.store(sums, sum);
            sum
        },
    );
    let (map, ()) = b.block(|| {
        let chosen = quotient.when(large, best - difference);
        b.store(result, chosen * b.load(weight));
    });
    b.finish(Body::Rows(Rows { folds: vec![first, second, third], map }))
}

fn normalised(dtype: DType, outer: &[usize], inner: &[usize]) -> Case {
    let name = format!("rows_{dtype}_{outer:?}_{inner:?}").replace(", ", ",");
    let kernel = kernel(dtype);
    let total = kernel.operands[4].dtype;
    let (rows, length): (usize, usize) = (outer.iter().product(), inner.iter().product());
    let whole = contiguous(dtype, &[outer, inner].concat());
    let mut along = [0; cuproxide_hal::MAX_DIMS];
    along[outer.len()..outer.len() + inner.len()].copy_from_slice(&contiguous(dtype, inner)[..inner.len()]);
    let numbers = samples::small(dtype, rows * length);
    Case::new(name, kernel, Tolerance::EXACT_VALUE)
        .outer(outer)
        .inner(inner)
        .operand(bytes(dtype, &numbers), 0, &whole)
        .operand(bytes(dtype, &samples::small(dtype, length)), 0, &along)
        .operand(bytes(dtype, &samples::small(dtype, rows)), 0, &contiguous(dtype, outer))
        .operand(vec![0; rows * length * dtype.size()], 0, &whole)
        .operand(vec![0; rows * total.size()], 0, &contiguous(total, outer))
}

/// A fold with two accumulators of different types, then a fold of what both say.
fn many(outer: &[usize], inner: &[usize]) -> Case {
    let (dtype, total) = (DType::F32, DType::F64);
    let b = Builder::new("many");
    let x = b.operand(dtype, Mode::Read);
    let result = b.operand(dtype, Mode::Write);
    b.group_as(Grouping { element: dtype, accumulators: 1 });
    let both = [total, dtype];
    let first = Fold {
        identity: b.lambda(&[], |_| vec![b.real(total, 0.0), b.real(dtype, f64::INFINITY)]),
        map: b.lambda(&[], |_| vec![b.load(x).cast(total), b.load(x)]),
        combine: b.lambda(&[both, both].concat(), |v| vec![v[0] + v[2], v[1].min(v[3])]),
        finish: b.lambda(&both, |v| vec![v[0].cast(dtype), v[1]]),
    };
    let (sum, lowest) = (b.var(first.finish.results[0]), b.var(first.finish.results[1]));
    let above = std::cell::Cell::new(None);
    let map = || {
        let value = b.load(x) - lowest;
        above.set(Some(value));
        value.gt(value.like(2.0)).cast(DType::I64)
    };
    let second = fold(&b, Binary::Add, || b.integer(DType::I64, 0), map, |count| count.cast(dtype));
    let count = b.var(second.finish.results[0]);
    let (map, ()) = b.block(|| b.store(result, above.take().expect("the map was written") * count + sum));
    let kernel = b.finish(Body::Rows(Rows { folds: vec![first, second], map }));
    let name = format!("rows_many_{outer:?}_{inner:?}").replace(", ", ",");
    let (rows, length): (usize, usize) = (outer.iter().product(), inner.iter().product());
    let whole = contiguous(dtype, &[outer, inner].concat());
    Case::new(name, kernel, Tolerance::EXACT_VALUE)
        .outer(outer)
        .inner(inner)
        .operand(bytes(dtype, &samples::small(dtype, rows * length)), 0, &whole)
        .operand(vec![0; rows * length * dtype.size()], 0, &whole)
}

/// Elements with the sign of the greatest: the bits of a number of 16 bits are passed on beside its value.
fn signed(dtype: DType, outer: &[usize], inner: &[usize]) -> Case {
    let b = Builder::new(format!("signed_{dtype}"));
    let x = b.operand(dtype, Mode::Read);
    let result = b.operand(dtype, Mode::Write);
    b.group_as(Grouping { element: dtype, accumulators: 1 });
    let start = || b.real(DType::F32, f64::NEG_INFINITY);
    let first = fold(&b, Binary::Max, start, || b.load(x).cast(DType::F32), |most| (-most).cast(dtype));
    let most = b.var(first.finish.results[0]);
    let (map, ()) = b.block(|| {
        let magnitude = b.load(x).bitcast(DType::U16) & b.integer(DType::U16, 0x7fff);
        let sign = most.bitcast(DType::U16) & b.integer(DType::U16, 0x8000);
        b.store(result, (magnitude | sign).bitcast(dtype));
    });
    let kernel = b.finish(Body::Rows(Rows { folds: vec![first], map }));
    let name = format!("rows_signed_{dtype}_{outer:?}_{inner:?}").replace(", ", ",");
    let (rows, length): (usize, usize) = (outer.iter().product(), inner.iter().product());
    let whole = contiguous(dtype, &[outer, inner].concat());
    Case::new(name, kernel, Tolerance::EXACT_VALUE)
        .outer(outer)
        .inner(inner)
        .operand(bytes(dtype, &samples::small(dtype, rows * length)), 0, &whole)
        .operand(vec![0; rows * length * dtype.size()], 0, &whole)
}
