//! Bools whose bytes are neither 0 nor 1: true, wherever they are loaded, and 0 or 1 where they are stored.

use cuproxide_hal::ir::{Atomic, Binary, Body, Builder, Fold, Kernel, Literal, Mode, Rows, Segments, Var};
use cuproxide_hal::{DType, Scalar};

use crate::case::{Case, contiguous};
use crate::interpreter::Number;
use crate::samples::{self, Random};
use crate::tolerance::Tolerance;

/// The cases among `others` that read or update bools, with any byte for true, and kernels of all other ways to load one.
pub fn cases<'c>(others: impl IntoIterator<Item = &'c Case>) -> Vec<Case> {
    let mut cases: Vec<Case> = others.into_iter().filter_map(with_any_bytes).collect();
    cases.extend([constants(), conditions(), array(), function(), updates(Atomic::Add)]);
    cases.extend([updates(Atomic::Min), updates(Atomic::Max)]);
    for op in [Binary::Or, Binary::And, Binary::Xor] {
        for (outer, inner) in SPACES {
            cases.push(fold(op, outer, inner, false));
        }
        cases.extend([fold(op, &[70], &[300], true), scan(op, 1, 70_000), scan(op, 9, 33), segments(op)]);
    }
    for (outer, inner) in SPACES {
        cases.push(rows(outer, inner));
    }
    cases
}

/// Outer and inner dimensions: one row, many short ones, few long ones, ends that no vector fills.
const SPACES: [(&[usize], &[usize]); 5] =
    [(&[], &[1000]), (&[700], &[3]), (&[40], &[1000]), (&[5], &[1023]), (&[2], &[7, 9])];

/// Bytes of bools, half of which are false; those that are true take turns.
fn any_bytes(count: usize) -> Vec<u8> {
    let mut random = Random::new(count as u64);
    (0..count).map(|at| if random.below(2) == 0 { 0 } else { any_true(at) }).collect()
}

/// A byte that is true, one after the other from 255 down.
fn any_true(at: usize) -> u8 {
    255 - (at % 255) as u8
}

/// A case with other bytes for its bools that are true, if there are any.
fn with_any_bytes(case: &Case) -> Option<Case> {
    let mut found = false;
    let mut case = case.clone();
    for (placed, declared) in case.operands.iter().zip(&case.kernel.operands) {
        if declared.dtype == DType::Bool {
            found |= declared.mode != Mode::Write;
            let set = case.buffers[placed.buffer].iter_mut().filter(|byte| **byte != 0);
            set.enumerate().for_each(|(at, byte)| *byte = any_true(at));
        }
    }
    for scalar in case.scalars.iter_mut().filter(|scalar| scalar.dtype == DType::Bool && scalar.bytes[0] != 0) {
        scalar.bytes[0] = 6;
        found = true;
    }
    case.name = format!("any_bytes_{}", case.name);
    found.then_some(case)
}

/// The kernel of a map over as many bools as there are bytes, and then some.
fn map(name: &str, kernel: Kernel) -> Case {
    let bytes: Vec<u8> = (0..=255).chain(any_bytes(3000)).collect();
    Case::new(name, kernel, Tolerance::EXACT).outer(&[bytes.len()]).operand(bytes, 0, &[1])
}

/// Constants and scalars that no bool of a program's has.
fn constants() -> Case {
    let b = Builder::new("constants");
    let x = b.input(DType::Bool);
    let bytes = std::array::from_fn(|at| if at == 0 { 0xfe } else { 0 });
    let constant = b.literal(Literal { bytes, dtype: DType::Bool });
    let scalar = b.scalar(DType::Bool);
    for known in [constant, scalar] {
        b.output(DType::Bool, known);
        b.output(DType::Bool, known ^ x);
        b.output(DType::Bool, known.eq(x));
        b.output(DType::I32, known.cast(DType::I32) + x.cast(DType::I32));
        b.output(DType::F32, b.real(DType::F32, 2.0).when(known, b.real(DType::F32, 3.0)));
    }
    map("constants", b.finish_map()).scalars(&[Scalar { bytes, dtype: DType::Bool }]).outputs()
}

/// Choices, branches, loops and casts by what was loaded.
fn conditions() -> Case {
    let b = Builder::new("conditions");
    let x = b.input(DType::Bool);
    for dtype in DType::ALL {
        b.output(dtype, x.cast(dtype));
    }
    let (one, zero) = (b.integer(DType::I32, 1), b.integer(DType::I32, 0));
    b.output(DType::I32, one.when(x, zero));
    let local = b.local(zero);
    b.branch(x, || local.set(local.get() + one), || local.set(local.get() - one));
    let (open, turns) = (b.local(x), b.local(zero));
    b.repeat(
        || open.get(),
        || {
            turns.set(turns.get() + one);
            open.set(open.get() & turns.get().lt(b.integer(DType::I32, 3)));
        },
    );
    b.output(DType::I32, local.get());
    b.output(DType::I32, turns.get());
    map("conditions", b.finish_map()).outputs()
}

/// A local array of bools.
fn array() -> Case {
    let b = Builder::new("array");
    let x = b.input(DType::Bool);
    let array = b.array(5, x);
    let at = b.index() % b.integer(DType::I64, 5);
    array.set(at, !x);
    array.set_at(3, x ^ array.get(at));
    let sum = (0..5).fold(b.integer(DType::U8, 0), |sum, at| sum + array.at(at).cast(DType::U8));
    b.output(DType::U8, sum);
    b.output(DType::Bool, array.get(at));
    map("array", b.finish_map()).outputs()
}

/// A function of bools.
fn function() -> Case {
    let b = Builder::new("function");
    let x = b.input(DType::Bool);
    let function = b.function("majority", &[DType::Bool; 3], |p| {
        let both = (p[0] & p[1]) | (p[1] & p[2]) | (p[0] & p[2]);
        vec![both, both.cast(DType::I16) + p[0].cast(DType::I16)]
    });
    let results = function.call(&[x, b.boolean(true), !x]);
    b.output(DType::Bool, results[0]);
    b.output(DType::I16, results[1]);
    map("function", b.finish_map()).outputs()
}

/// Atomics on elements with any byte, one after the other and of many points on one.
fn updates(op: Atomic) -> Case {
    let name = format!("atomic_{op:?}").to_lowercase();
    let b = Builder::new(name.clone());
    let (index, value) = (b.input(DType::I64), b.input(DType::Bool));
    let target = b.operand(DType::Bool, Mode::Update);
    b.atomic(target, Some(index), op, value);
    let places: Vec<Number> = (0..1280).map(|at| Number::Int(if at < 512 { at } else { 512 + at % 97 })).collect();
    let case = Case::new(name, b.finish_map(), Tolerance::EXACT).outer(&[1280]).input(&places);
    let targets: Vec<u8> = (0..=255).chain(0..=255).chain(any_bytes(97)).collect();
    let values: Vec<u8> = (0..1280).map(|at| if at < 256 { 0 } else { any_true(at) * u8::from(at % 7 != 0) }).collect();
    case.operand(values, 0, &[1]).operand(targets, 0, &[0])
}

/// A fold of bools by an operator, with how many are true beside it.
fn parts<'b>(b: &'b Builder, op: Binary, map: impl FnOnce() -> Var<'b>, finish: impl FnOnce(&[Var<'b>])) -> Fold {
    let types = [DType::Bool, DType::I64];
    Fold {
        identity: b.lambda(&[], |_| vec![b.boolean(op == Binary::And), b.integer(DType::I64, 0)]),
        map: b.lambda(&[], |_| {
            let x = map();
            vec![x, x.cast(DType::I64)]
        }),
        combine: b.lambda(&[types, types].concat(), |v| vec![v[0].binary(op, v[2]), v[1] + v[3]]),
        finish: b.lambda(&types, |v| {
            finish(v);
            vec![]
        }),
    }
}

/// A fold of bools by an operator alone.
fn single<'b>(b: &'b Builder, op: Binary, map: impl FnOnce() -> Var<'b>, finish: impl FnOnce(Var<'b>)) -> Fold {
    Fold {
        identity: b.lambda(&[], |_| vec![b.boolean(op == Binary::And)]),
        map: b.lambda(&[], |_| vec![map()]),
        combine: b.lambda(&[DType::Bool; 2], |v| vec![v[0].binary(op, v[1])]),
        finish: b.lambda(&[DType::Bool], |v| {
            finish(v[0]);
            vec![]
        }),
    }
}

/// Folds of rows, or of columns, that decide early, late or never.
fn fold(op: Binary, outer: &[usize], inner: &[usize], columns: bool) -> Case {
    let name = format!("reduce_{op:?}_{outer:?}_{inner:?}{}", if columns { "_columns" } else { "" });
    let name = name.replace(", ", ",").to_lowercase();
    let b = Builder::new(format!("reduce_{op:?}").to_lowercase());
    let (input, output) = (b.operand(DType::Bool, Mode::Read), b.operand(DType::Bool, Mode::Write));
    let fold = single(&b, op, || b.load(input), |found| b.store(output, found));
    let kernel = b.finish(Body::Reduce(fold));
    let count: usize = outer.iter().chain(inner).product();
    let length: usize = inner.iter().product();
    // Rows of one kind, but for a place that differs from row to row.
    let row = |at: usize| if columns { at % outer[0] } else { at / length };
    let bytes = (0..count).map(|at| {
        let odd = at % 501 == row(at) % 501;
        if (op == Binary::And) != odd { any_true(at) } else { 0 }
    });
    let strides =
        if columns { vec![1, outer[0] as isize] } else { contiguous(DType::Bool, &[outer, inner].concat()).to_vec() };
    let case = Case::new(name, kernel, Tolerance::EXACT).outer(outer).inner(inner);
    case.operand(bytes.collect(), 0, &strides).outputs()
}

fn scan(op: Binary, rows: usize, length: usize) -> Case {
    let name = format!("scan_{op:?}_{rows}x{length}").to_lowercase();
    let b = Builder::new(format!("scan_{op:?}").to_lowercase());
    let (input, output) = (b.operand(DType::Bool, Mode::Read), b.operand(DType::Bool, Mode::Write));
    let fold = single(&b, op, || b.load(input), |found| b.store(output, found));
    let kernel = b.finish(Body::Scan(fold));
    let shape = [rows, length];
    let strides = contiguous(DType::Bool, &shape);
    Case::new(name, kernel, Tolerance::EXACT)
        .outer(&shape[..1])
        .inner(&shape[1..])
        .operand(any_bytes(rows * length), 0, &strides)
        .operand(vec![0; rows * length], 0, &strides)
}

/// Folds of ranges, whose mask and data are bools.
fn segments(op: Binary) -> Case {
    let name = format!("segments_{op:?}").to_lowercase();
    let b = Builder::new(name.clone());
    let bounds = [0; 2].map(|_| b.operand(DType::I64, Mode::Read));
    let (input, mask) = (b.operand(DType::Bool, Mode::Read), b.operand(DType::Bool, Mode::Read));
    let (output, count) = (b.operand(DType::Bool, Mode::Write), b.operand(DType::I64, Mode::Write));
    let range = b.lambda(&[], |_| bounds.map(|bound| b.load(bound)).to_vec());
    let map = || b.load(input).when(b.load(mask), b.boolean(op == Binary::And));
    let fold = parts(&b, op, map, |v| {
        b.store(output, v[0]);
        b.store(count, v[1]);
    });
    let kernel = b.finish(Body::Segments(Segments { range, fold }));
    let offsets = [0, 1, 1, 9, 73, 80, 400, 4096, 9000];
    let content: Vec<u8> = offsets.iter().flat_map(|&offset: &i64| offset.to_le_bytes()).collect();
    let (ranges, total) = (offsets.len() - 1, 9000);
    let mut case = Case::new(name, kernel, Tolerance::EXACT).outer(&[ranges]).inner(&[total]);
    for origin in [0, 8] {
        case = case.operand(content.clone(), origin, &[8, 0]);
    }
    case.operand(any_bytes(total), 0, &[0, 1])
        .operand((0..total).map(|at| any_true(at) * u8::from(at % 3 != 0)).collect(), 0, &[0, 1])
        .operand(vec![0; ranges], 0, &[1])
        .operand(vec![0; 8 * ranges], 0, &[8])
}

/// Rows whose counts and bools are used at all points again: bools pass from one part of the kernel to the next.
fn rows(outer: &[usize], inner: &[usize]) -> Case {
    let name = format!("rows_{outer:?}_{inner:?}").replace(", ", ",");
    let b = Builder::new("rows");
    let (input, weight) = (b.operand(DType::Bool, Mode::Read), b.operand(DType::F32, Mode::Read));
    let outputs = [DType::Bool, DType::F32].map(|dtype| b.operand(dtype, Mode::Write));
    let points = std::cell::Cell::new(None);
    let results = std::cell::Cell::new(None);
    let types = [DType::Bool, DType::I64];
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.boolean(false), b.integer(DType::I64, 0)]),
        map: b.lambda(&[], |_| {
            let x = b.load(input);
            points.set(Some(x));
            vec![x, x.cast(DType::I64)]
        }),
        combine: b.lambda(&[types, types].concat(), |v| vec![v[0] ^ v[2], v[1] + v[3]]),
        finish: b.lambda(&types, |v| {
            results.set(Some((v[0], v[1])));
            vec![v[0], v[1]]
        }),
    };
    let (x, (odd, count)) = (points.take().expect("the map was written"), results.take().expect("so was the end"));
    let (map, ()) = b.block(|| {
        b.store(outputs[0], x ^ odd);
        b.store(outputs[1], (count.cast(DType::F32) + b.load(weight)).when(x, b.real(DType::F32, -1.0)));
    });
    let kernel = b.finish(Body::Rows(Rows { folds: vec![fold], map }));
    let shape = [outer, inner].concat();
    let count: usize = shape.iter().product();
    let case = Case::new(name, kernel, Tolerance::EXACT).outer(outer).inner(inner);
    let weights = crate::case::bytes(DType::F32, &samples::small(DType::F32, count));
    case.operand(any_bytes(count), 0, &contiguous(DType::Bool, &shape))
        .operand(weights, 0, &contiguous(DType::F32, &shape))
        .operand(vec![1; count], 0, &contiguous(DType::Bool, &shape))
        .operand(vec![0; 4 * count], 0, &contiguous(DType::F32, &shape))
}
