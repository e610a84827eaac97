//! Folds of values that wide vectors compute, against Cranelift's code: the same bits.

use cuproxide_hal::ir::{Binary, Body, Builder, Compare, Fold, Kernel, LegalizeOptions, Mode, Unary, Var, legalize};
use cuproxide_hal::{DType, Launch, MAX_DIMS, Scalar, Specialization};

use super::{FoldCode, compile_fold_for};
use crate::bytes::with_scratch;
use crate::lower::wide::{Form, has};
use crate::lower::{OPERANDS, Span};

type Map = for<'b> fn(&[Var<'b>]) -> Vec<Var<'b>>;

/// A fold of what `map` computes of two inputs, each value by its operator.
fn fold(dtype: DType, types: &[DType], operators: &[Binary], map: Map) -> Kernel {
    let b = Builder::new("fold");
    let inputs = [b.operand(dtype, Mode::Read), b.operand(dtype, Mode::Read)];
    let outputs: Vec<_> = types.iter().map(|&dtype| b.operand(dtype, Mode::Write)).collect();
    let start = |(&op, &dtype): (&Binary, &DType)| match (op, dtype.is_float()) {
        (Binary::Add | Binary::Or | Binary::Xor, _) => b.integer(dtype, 0),
        (Binary::Mul, _) => b.integer(dtype, 1),
        (Binary::Min, true) => b.real(dtype, f64::INFINITY),
        (_, true) => b.real(dtype, f64::NEG_INFINITY),
        (Binary::And, _) if dtype != DType::Bool => b.integer(dtype, if dtype.is_signed() { -1 } else { most(dtype) }),
        (Binary::Min | Binary::And, _) => b.integer(dtype, most(dtype)),
        (_, _) => b.integer(dtype, if dtype.is_signed() { -most(dtype) - 1 } else { 0 }),
    };
    let identity = b.lambda(&[], |_| operators.iter().zip(types).map(start).collect());
    let map = b.lambda(&[], |_| map(&inputs.map(|input| b.load(input))));
    let combine = b.lambda(&[types, types].concat(), |p| {
        let (earlier, later) = p.split_at(types.len());
        operators.iter().zip(earlier.iter().zip(later)).map(|(&op, (&x, &y))| x.binary(op, y)).collect()
    });
    let finish = b.lambda(types, |values| {
        outputs.iter().zip(values).for_each(|(&output, &value)| b.store(output, value));
        vec![]
    });
    let kernel = b.finish(Body::Reduce(Fold { identity, map, combine, finish }));
    legalize(&kernel, LegalizeOptions::default())
}

/// The largest integer, or true.
fn most(dtype: DType) -> i128 {
    let bits = if dtype == DType::Bool { 1 } else { 8 * dtype.size() - usize::from(dtype.is_signed()) };
    (1 << bits) - 1
}

/// Elements of which a few are not ordinary, if `wild`.
fn elements(dtype: DType, count: usize, seed: u64, wild: bool) -> Vec<u8> {
    let mut state = seed;
    let mut bytes = vec![];
    for _ in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let draw = state >> 33;
        let number = draw as f64 / f64::from(1_u32 << 30) - 1.0;
        let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN, 1e38, 1e-42];
        let number = if wild && draw.is_multiple_of(50) { special[(draw / 50 % 8) as usize] } else { number };
        match dtype {
            DType::F64 => bytes.extend(number.to_le_bytes()),
            DType::F32 => bytes.extend((number as f32).to_le_bytes()),
            DType::Bool => bytes.push((draw & 1) as u8),
            _ => bytes.extend(&(draw.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3).to_le_bytes()[..dtype.size()]),
        }
    }
    bytes
}

/// Points of each level of a span, and the elements of the rows beside these.
type Shape = [usize; 3];
const BESIDE: usize = 3;

/// The accumulators after a fold. Every NaN is the same.
fn run(code: &FoldCode, kernel: &Kernel, types: &[DType], shape: Shape, broadcast: bool, wild: bool) -> Vec<u8> {
    let [columns, length, rows] = shape;
    let scalars: [Scalar; 0] = [];
    let sizes: Vec<usize> = kernel.operands[..2].iter().map(|operand| operand.dtype.size()).collect();
    let line = length + BESIDE;
    let memory: Vec<Vec<u8>> = (0..2)
        .map(|number| elements(kernel.operands[number].dtype, columns * rows * line + 1, 11 + number as u64, wild))
        .collect();
    let capacity = columns.next_multiple_of(16);
    let mut accumulators = vec![0_u64; (capacity * types.iter().map(|dtype| dtype.size()).sum::<usize>()).div_ceil(8)];
    let mut span = Span {
        counts: shape,
        scalars: scalars.as_ptr(),
        index: 5,
        index_step: length as i64,
        outer_index: 0,
        accumulators: accumulators.as_mut_ptr().cast(),
        others: std::ptr::null(),
        scratch: std::ptr::null_mut(),
        bounds: std::ptr::null_mut(),
        capacity,
        pointers: [0; OPERANDS],
        strides: [[0; OPERANDS]; 3],
    };
    for (number, &size) in sizes.iter().enumerate() {
        let size = size as isize;
        span.pointers[number] = memory[number][sizes[number]..].as_ptr() as u64;
        let fixed = broadcast && number == 1;
        span.strides[0][number] = (rows * line) as isize * size;
        span.strides[1][number] = if fixed { 0 } else { size };
        span.strides[2][number] = line as isize * size;
    }
    with_scratch(code.scratch(), |scratch| {
        span.scratch = scratch;
        // SAFETY: there are so many elements and accumulators.
        unsafe {
            code.init()(&span);
            code.fold().run(&span);
        }
    });
    let bytes: Vec<u8> = accumulators.into_iter().flat_map(u64::to_le_bytes).collect();
    let mut seen = vec![];
    let mut at = 0;
    for dtype in types {
        for column in 0..columns {
            let value = &bytes[at + column * dtype.size()..][..dtype.size()];
            match (dtype, value.first_chunk(), value.first_chunk()) {
                (DType::F64, Some(&value), _) if f64::from_le_bytes(value).is_nan() => seen.extend(b"not a 64"),
                (DType::F32, _, Some(&value)) if f32::from_le_bytes(value).is_nan() => seen.extend(b"nan."),
                _ => seen.extend(value),
            }
        }
        at += capacity * dtype.size();
    }
    seen
}

fn compare(name: &str, kernel: &Kernel, types: &[DType]) {
    for broadcast in [false, true] {
        let strides = |number: usize| {
            let mut strides = [0; MAX_DIMS];
            let size = kernel.operands[number].dtype.size() as isize;
            let moves = number < 2 && !(broadcast && number == 1);
            strides[..2].copy_from_slice(&[if number < 2 { 1000 * size } else { size }, if moves { size } else { 0 }]);
            strides
        };
        let operands: Vec<_> = (0..kernel.operands.len())
            .map(|number| cuproxide_hal::Operand { ptr: 64, strides: strides(number) })
            .collect();
        let launch = Launch { outer: &[10], inner: &[1000], operands: &operands, scalars: &[], scratch: 0 };
        let specialization = Specialization::of(kernel, &launch);
        let narrow = compile_fold_for(kernel, specialization, None).expect("it compiles");
        for form in [Form::Evex, Form::Vex].into_iter().filter(|&form| has(form)) {
            let mut wide = compile_fold_for(kernel, specialization, Some(form)).expect("it compiles");
            let strips = wide.strips.as_mut().unwrap_or_else(|| panic!("{name} has no code for {form:?}\n{kernel}"));
            strips.least = 1;
            let lengths = (1..300).chain([511, 512, 513, 1023, 1024, 1025, 1300, 2047, 2048, 2049, 4096, 5000]);
            for (length, columns, rows) in lengths.map(|length| (length, 1 + length % 3, 1 + length / 3 % 3)) {
                for wild in [false, true] {
                    let found = run(&wide, kernel, types, [columns, length, rows], broadcast, wild);
                    let expected = run(&narrow, kernel, types, [columns, length, rows], broadcast, wild);
                    assert_eq!(found, expected, "{name}, {form:?}, {columns} columns, {rows} rows of {length}, {wild}");
                }
            }
        }
    }
}

#[test]
fn floats() {
    for dtype in [DType::F64, DType::F32] {
        for op in [Binary::Add, Binary::Mul, Binary::Min, Binary::Max] {
            let kernel = fold(dtype, &[dtype], &[op], |x| vec![(x[0] - x[1]) * x[0] + x[0].like(0.5)]);
            compare(&format!("{op:?} {dtype}"), &kernel, &[dtype]);
            let kernel = fold(dtype, &[dtype], &[op], |x| vec![(x[0] * x[1]).unary(Unary::Exp) - x[1]]);
            compare(&format!("{op:?} {dtype} in stages"), &kernel, &[dtype]);
        }
    }
}

/// Which folds have registers for accumulators beside those of their maps.
#[test]
fn accumulators_in_registers() {
    let in_registers = |kernel: &Kernel, form: Form| {
        let operand =
            cuproxide_hal::Operand { ptr: 64, strides: std::array::from_fn(|axis| [8000, 8, 0][axis.min(2)]) };
        let operands = vec![operand; kernel.operands.len()];
        let launch = Launch { outer: &[10], inner: &[1000], operands: &operands, scalars: &[], scratch: 0 };
        let code = compile_fold_for(kernel, Specialization::of(kernel, &launch), Some(form)).expect("it compiles");
        code.strips.is_some_and(|strips| strips.folds_in_registers())
    };
    const F64: DType = DType::F64;
    let one = fold(F64, &[F64], &[Binary::Max], |x| vec![x[0] * x[1] - x[1]]);
    let three = fold(F64, &[F64; 3], &[Binary::Add; 3], |x| vec![x[0] * x[1], x[0] + x[1], x[0] - x[1]]);
    let calls = fold(F64, &[F64], &[Binary::Add], |x| vec![(x[0] * x[1]).unary(Unary::Exp)]);
    // All but one of the terms are needed again after the last has been computed.
    let long = fold(F64, &[F64], &[Binary::Add], |x| {
        let terms: Vec<_> = (0..30).map(|number| x[0] * x[1].like(f64::from(number)) - x[1]).collect();
        let last = terms[29];
        vec![terms.into_iter().fold(last, |product, term| product * term + last)]
    });
    compare("several in registers", &three, &[F64; 3]);
    compare("too many values for registers", &long, &[F64]);
    for form in [Form::Evex, Form::Vex].into_iter().filter(|&form| has(form)) {
        assert!(in_registers(&one, form));
        assert_eq!(in_registers(&three, form), form == Form::Evex);
        assert!(!in_registers(&calls, form));
        assert!(!in_registers(&long, form));
    }
}

#[test]
fn integers() {
    for dtype in [DType::I64, DType::U64, DType::I32, DType::U32] {
        for op in [Binary::Add, Binary::Mul, Binary::Min, Binary::Max, Binary::And, Binary::Or, Binary::Xor] {
            let kernel = fold(dtype, &[dtype], &[op], |x| vec![(x[0] ^ x[1]) + (x[0] - x[1])]);
            compare(&format!("{op:?} {dtype}"), &kernel, &[dtype]);
        }
    }
}

#[test]
fn truth_values_and_counts() {
    for dtype in [DType::F64, DType::F32, DType::I64, DType::I32] {
        for op in [Binary::And, Binary::Or, Binary::Xor, Binary::Min, Binary::Max] {
            let kernel = fold(dtype, &[DType::Bool], &[op], |x| vec![x[0].compare(Compare::Lt, x[1])]);
            compare(&format!("{op:?} of {dtype}"), &kernel, &[DType::Bool]);
        }
        let kernel =
            fold(dtype, &[DType::I64], &[Binary::Add], |x| vec![x[0].compare(Compare::Ge, x[1]).cast(DType::I64)]);
        compare(&format!("count of {dtype}"), &kernel, &[DType::I64]);
    }
}

/// Several accumulators, some of elements as they are in memory.
#[test]
fn several_accumulators() {
    for dtype in [DType::F64, DType::F32] {
        let kernel = fold(
            dtype,
            &[dtype, DType::I32, dtype, dtype],
            &[Binary::Add, Binary::Xor, Binary::Mul, Binary::Add],
            |x| {
                let b = x[0].builder();
                vec![x[0] * x[1], b.index().cast(DType::I32), x[0] + x[1], x[0]]
            },
        );
        compare(&format!("several {dtype}"), &kernel, &[dtype, DType::I32, dtype, dtype]);
    }
    let kernel = fold(DType::F32, &[DType::F32], &[Binary::Add], |x| vec![x[0]]);
    compare("elements", &kernel, &[DType::F32]);
}
