//! Wide vectors against Cranelift's code: the same bits, and nothing written beside the arrays.

mod encodings;

use cuproxide_hal::ir::{self, Binary, Builder, Compare, LegalizeOptions, Unary, Var, legalize};
use cuproxide_hal::{DType, Launch, MAX_DIMS, Scalar, Specialization};

use super::*;
use crate::bytes::with_scratch;
use crate::lower::map::compile_map_for;
use crate::lower::{Code, Span};

const TYPES: [DType; 11] = [
    DType::Bool,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::F32,
    DType::F64,
];

fn forms() -> Vec<Form> {
    [Form::Evex, Form::Vex].into_iter().filter(|&form| has(form)).collect()
}

/// Bits of numbers at which operations behave in a way of their own.
fn special(dtype: DType) -> Vec<u64> {
    match dtype {
        DType::Bool => vec![0, 1],
        DType::F64 => [
            0.0,
            1.0,
            0.5,
            1.5,
            2.5,
            -2.5,
            3.7,
            1e-3,
            1e300,
            2f64.powi(63),
            2f64.powi(31),
            -1e10,
            5e-324,
            1e-310,
            f64::MAX,
        ]
        .into_iter()
        .flat_map(|x: f64| [x, -x])
        .chain([f64::INFINITY, f64::NEG_INFINITY, f64::NAN])
        .map(f64::to_bits)
        .chain([0x7ff8_0000_0000_1234, 0xfff8_0000_dead_beef, 0x7ff0_0000_0000_0001])
        .collect(),
        DType::F32 => [
            0.0,
            1.0,
            0.5,
            1.5,
            2.5,
            -2.5,
            3.7,
            1e-3,
            1e30,
            2f32.powi(63),
            2f32.powi(31),
            -1e10,
            1e-45,
            1e-40,
            f32::MAX,
        ]
        .into_iter()
        .flat_map(|x: f32| [x, -x])
        .chain([f32::INFINITY, f32::NEG_INFINITY, f32::NAN])
        .map(f32::to_bits)
        .chain([0x7fc0_1234, 0xffc0_beef, 0x7f80_0001])
        .map(u64::from)
        .collect(),
        _ => {
            let top = 1_u64 << (8 * dtype.size() - 1);
            vec![0, 1, 2, 3, 7, 100, top, top - 1, top + 1, !0, !0 - 1, !0 - 99, 0x5a5a_5a5a_5a5a_5a5a, 1 << 6, 1 << 5]
        }
    }
}

/// `count` elements, of which every combination appears with those of other operands once there are enough.
fn elements(dtype: DType, operand: usize, count: usize) -> Vec<u8> {
    let special = special(dtype);
    let period = if operand == 0 { 1 } else { 36_usize.pow(operand as u32) };
    let at = |index: usize| special[(index / period + 7 * operand) % special.len()];
    (0..count).flat_map(|index| at(index).to_le_bytes().into_iter().take(dtype.size())).collect()
}

/// How an operand lies: bytes before its first element, and byte strides between elements and between rows.
#[derive(Clone, Copy, Debug)]
struct Lies {
    before: usize,
    element: isize,
    row: isize,
}

/// Space around arrays that nothing may write to.
const MARGIN: usize = 192;

/// What a kernel makes of special values: the memory of its operands afterwards.
fn run(code: &Code, kernel: &Kernel, lies: &[Lies], scalars: &[Scalar], length: usize, rows: usize) -> Vec<Vec<u8>> {
    let mut memory: Vec<Vec<u8>> = kernel
        .operands
        .iter()
        .zip(lies)
        .enumerate()
        .map(|(number, (operand, lie))| {
            let last = |count: usize, stride: isize| count.saturating_sub(1) * stride.unsigned_abs();
            let bytes = last(length, lie.element) + last(rows, lie.row) + operand.dtype.size();
            let mut memory = vec![0xaa; MARGIN + lie.before];
            memory.extend(elements(operand.dtype, number, bytes.div_ceil(operand.dtype.size())));
            memory.extend([0xaa; MARGIN]);
            memory
        })
        .collect();
    let mut span = empty_span(length);
    (span.counts[1], span.scalars) = (rows, scalars.as_ptr());
    for (number, lie) in lies.iter().enumerate() {
        span.pointers[number] = memory[number][MARGIN + lie.before..].as_mut_ptr() as u64;
        (span.strides[0][number], span.strides[1][number]) = (lie.element, lie.row);
    }
    with_scratch(code.scratch, |scratch| {
        span.scratch = scratch;
        // SAFETY: the operands have room for these rows.
        unsafe { code.run(&span) };
    });
    memory
}

/// Compares code of all widths for one layout and some lengths.
fn compare_layout(
    kernel: &Kernel,
    name: &str,
    covered: fn(Form) -> bool,
    lies: &[Lies],
    scalars: &[Scalar],
    lengths: &[usize],
    rows: usize,
) {
    let place = |(lie, _): (&Lies, _)| {
        let mut strides = [0; MAX_DIMS];
        strides[..2].copy_from_slice(&[lie.row, lie.element]);
        cuproxide_hal::Operand { ptr: 64, strides }
    };
    let operands: Vec<_> = lies.iter().zip(&kernel.operands).map(place).collect();
    let launch = Launch { outer: &[3, 100], inner: &[], operands: &operands, scalars, scratch: 0 };
    let specialization = Specialization::of(kernel, &launch);
    let narrow = compile_map_for(kernel, specialization, None).expect("it compiles");
    for form in forms() {
        let wide = compile_map_for(kernel, specialization, Some(form)).expect("it compiles");
        assert!(wide.is_wide() || !covered(form), "{name} has no code for {form:?}\n{kernel}");
        for &length in lengths {
            let expected = run(&narrow, kernel, lies, scalars, length, rows);
            let found = run(&wide, kernel, lies, scalars, length, rows);
            for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let differs = found.iter().zip(expected).position(|(x, y)| x != y);
                assert!(
                    differs.is_none(),
                    "{name}, {form:?}, {length} points, operand {number}, byte {:?}\n{:02x?}\n{:02x?}\n{kernel}",
                    differs.map(|at| at as isize - (MARGIN + lies[number].before) as isize),
                    &found[differs.unwrap() & !7..][..16],
                    &expected[differs.unwrap() & !7..][..16],
                );
            }
        }
    }
}

/// Compares code of all widths for many layouts.
fn compare(name: &str, kernel: &Kernel, scalars: &[Scalar]) {
    compare_where(name, kernel, scalars, |_| true);
}

/// The same for a kernel that there is wide code for in some forms.
fn compare_where(name: &str, kernel: &Kernel, scalars: &[Scalar], covered: fn(Form) -> bool) {
    let kernel = &legalize(kernel, LegalizeOptions::default());
    let size = |number: usize| kernel.operands[number].dtype.size() as isize;
    let dense = |before: usize| -> Vec<Lies> {
        (0..kernel.operands.len())
            .map(|number| Lies {
                before: before * (number + 1) % 8 * size(number) as usize,
                element: size(number),
                row: 101 * size(number),
            })
            .collect()
    };
    let short: Vec<usize> = (0..70).collect();
    compare_layout(kernel, name, covered, &dense(0), scalars, &short, 1);
    compare_layout(kernel, name, covered, &dense(0), scalars, &[1300, 2592], 1);
    compare_layout(kernel, name, covered, &dense(3), scalars, &[1, 15, 33, 100], 3);
    let read = |number: &usize| kernel.operands[*number].mode == Mode::Read;
    for number in (0..kernel.operands.len()).filter(read) {
        for element in [0, 3 * size(number)] {
            let mut lies = dense(1);
            lies[number].element = element;
            lies[number].row = if element == 0 { size(number) } else { 301 * size(number) };
            compare_layout(kernel, name, covered, &lies, scalars, &[7, 100], 3);
        }
    }
}

fn map(inputs: &[DType], output: DType, work: impl for<'b> Fn(&[Var<'b>]) -> Var<'b>) -> Kernel {
    let b = Builder::new("map");
    let inputs: Vec<Var<'_>> = inputs.iter().map(|&dtype| b.input(dtype)).collect();
    b.output(output, work(&inputs));
    drop(inputs);
    b.finish_map()
}

#[test]
fn arithmetic() {
    for dtype in [DType::F32, DType::F64] {
        for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Min, Binary::Max, Binary::Copysign] {
            // One operation alone is a loop of its own.
            compare(
                &format!("{op:?} {dtype}"),
                &map(&[dtype; 2], dtype, |x| x[0].binary(op, x[1]) * x[0].like(-1.0)),
                &[],
            );
        }
        for op in [Unary::Neg, Unary::Abs, Unary::Sqrt, Unary::Floor, Unary::Ceil, Unary::Trunc, Unary::Rint] {
            compare(&format!("{op:?} {dtype}"), &map(&[dtype], dtype, |x| x[0].unary(op) + x[0].like(-0.0)), &[]);
        }
        compare(&format!("fma {dtype}"), &map(&[dtype; 3], dtype, |x| x[0].builder().fma(x[0], x[1], x[2])), &[]);
    }
}

#[test]
fn comparisons_and_choices() {
    for dtype in TYPES {
        for op in [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge] {
            let kernel = map(&[dtype; 2], dtype, |x| {
                let holds = x[0].compare(op, x[1]);
                x[1].when(holds, x[0])
            });
            compare(&format!("{op:?} {dtype}"), &kernel, &[]);
            let kernel = map(&[dtype; 2], DType::Bool, |x| !x[0].compare(op, x[1]));
            compare(&format!("not {op:?} {dtype}"), &kernel, &[]);
        }
    }
    for op in [Binary::And, Binary::Or, Binary::Xor, Binary::Add, Binary::Mul, Binary::Min, Binary::Max] {
        compare(&format!("{op:?} bool"), &map(&[DType::Bool; 2], DType::Bool, |x| !x[0].binary(op, x[1])), &[]);
    }
    let kernel = map(&[DType::Bool; 3], DType::Bool, |x| x[1].when(x[0], x[2]));
    compare("where bool", &kernel, &[]);
}

#[test]
fn integers() {
    for dtype in TYPES.into_iter().filter(|dtype| dtype.is_integer()) {
        for op in [Binary::Add, Binary::Sub, Binary::And, Binary::Or, Binary::Xor, Binary::Min, Binary::Max] {
            compare(&format!("{op:?} {dtype}"), &map(&[dtype; 2], dtype, |x| x[0].binary(op, x[1]) + x[1]), &[]);
        }
        for op in [Unary::Neg, Unary::Abs, Unary::Not] {
            let covered =
                if op == Unary::Abs && dtype == DType::I64 { |form| form == Form::Evex } else { |_: Form| true };
            let kernel = map(&[dtype], dtype, |x| x[0].unary(op) + x[0]);
            compare_where(&format!("{op:?} {dtype}"), &kernel, &[], covered);
        }
        if dtype.size() > 1 {
            for op in [Binary::Mul, Binary::Shl, Binary::Shr] {
                let covered = if rows::is_wide_only(op, dtype) { |form| form == Form::Evex } else { |_| true };
                let kernel = map(&[dtype; 2], dtype, |x| x[0].binary(op, x[1]) + x[1]);
                compare_where(&format!("{op:?} {dtype}"), &kernel, &[], covered);
                let kernel = map(&[dtype], dtype, |x| x[0].binary(op, x[0].like(3.0)));
                compare_where(&format!("{op:?} {dtype}, 3"), &kernel, &[], covered);
            }
        }
    }
}

#[test]
fn casts() {
    for from in TYPES {
        for to in TYPES.into_iter().filter(|&to| from != to && (to != DType::U64 || !from.is_float())) {
            let only_wide =
                matches!((from, to), (DType::U64, DType::F32 | DType::F64) | (DType::I64 | DType::U32, DType::F32));
            // Whole arrays are converted by routines, what all points share is not.
            let routine = from.is_float() && to.is_integer();
            let covered = if only_wide || routine { |form| form == Form::Evex } else { |_: Form| true };
            compare_where(&format!("{from} to {to}"), &map(&[from], to, |x| x[0].cast(to)), &[], covered);
        }
    }
}

#[test]
fn positions_scalars_and_what_points_share() {
    let b = Builder::new("map");
    let (x, y) = (b.input(DType::F64), b.input(DType::I32));
    let (s, flag) = (b.scalar(DType::F64), b.scalar(DType::Bool));
    let place = b.index().cast(DType::F64) * s + x / s;
    b.output(DType::F64, place.when(flag, s - x));
    b.output(DType::I32, y + b.index().cast(DType::I32));
    let scalars = [Scalar::real(DType::F64, 0.3), Scalar::real(DType::Bool, 1.0)];
    compare("positions", &b.finish_map(), &scalars);
}

#[test]
fn functions_in_stages() {
    for dtype in [DType::F32, DType::F64] {
        let kernel = map(&[dtype; 2], dtype, |x| {
            let a = (x[0] * x[1]).unary(Unary::Exp) + x[0];
            let b = a.unary(Unary::Log).binary(Binary::Pow, x[0].like(1.5)) / x[1];
            b.when(x[0].compare(Compare::Lt, x[1]), b.unary(Unary::Sin).max(a))
        });
        compare(&format!("stages {dtype}"), &kernel, &[]);
    }
    let kernel = map(&[DType::I64; 2], DType::I64, |x| (x[0] + x[1]).binary(Binary::Div, x[1]));
    compare("quotients", &kernel, &[]);
}

/// More values than registers.
#[test]
fn values_that_leave_their_registers() {
    for dtype in [DType::F64, DType::F32, DType::I64] {
        let kernel = map(&[dtype; 4], dtype, |x| {
            let mut held: Vec<Var<'_>> = vec![];
            for number in 0..60 {
                let next = x[number % 4] * x[(number + 1) % 4] + x[0].like(number as f64);
                held.push(next);
            }
            let mut sum = x[0];
            let mut flags = vec![];
            for &value in held.iter().rev() {
                flags.push(value.compare(Compare::Lt, sum));
                sum = sum * value + value;
            }
            for (&flag, &value) in flags.iter().zip(&held) {
                sum = (sum - value).when(flag, sum + x[1]);
            }
            sum
        });
        let covered = if dtype == DType::I64 { |form| form == Form::Evex } else { |_: Form| true };
        compare_where(&format!("many {dtype}"), &kernel, &[], covered);
    }
}

#[test]
fn more_operands_than_general_registers() {
    let b = Builder::new("map");
    let inputs: Vec<Var<'_>> = (0..14).map(|_| b.input(DType::F64)).collect();
    let sum = inputs.iter().copied().reduce(|x, y| x * y + y).expect("there are some");
    for &input in &inputs[..4] {
        b.output(DType::F64, sum + input);
    }
    drop(inputs);
    compare("operands", &b.finish_map(), &[]);
}

/// A sequence of numbers that looks random.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Programs of operations on numbers of all types.
#[test]
fn drawn_programs() {
    for seed in 0..60 {
        let mut draw = Draw(seed);
        let b = Builder::new("map");
        let mut values: Vec<Var<'_>> = (0..3).map(|_| b.input(TYPES[draw.below(TYPES.len())])).collect();
        values.push(b.index());
        values.push(b.scalar(DType::F64));
        for _ in 0..5 + draw.below(60) {
            let x = values[draw.below(values.len())];
            let dtype = if draw.below(4) > 0 { x.dtype() } else { TYPES[draw.below(TYPES.len())] };
            let dtype = if dtype == DType::U64 && x.dtype().is_float() { DType::F64 } else { dtype };
            let x = x.cast(dtype);
            let other = values[draw.below(values.len())];
            let y = if other.dtype() == dtype { other } else { x };
            let flag = values.iter().rev().find(|value| value.dtype() == DType::Bool).copied();
            const COMPARISONS: [Compare; 6] =
                [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];
            values.push(match draw.below(8) {
                0 => x.compare(COMPARISONS[draw.below(6)], y),
                1 | 2 if flag.is_some() => x.when(flag.expect("there is one"), y),
                3 if dtype.is_float() => x.unary([Unary::Neg, Unary::Abs, Unary::Floor, Unary::Sqrt][draw.below(4)]),
                4 => x.binary([Binary::Min, Binary::Max][draw.below(2)], y),
                5 if !dtype.is_float() => x.binary([Binary::And, Binary::Or, Binary::Xor][draw.below(3)], y),
                6 if dtype.size() > 1 => x.binary(Binary::Mul, y),
                _ if dtype == DType::Bool => !x,
                _ => x.binary([Binary::Add, Binary::Sub][draw.below(2)], y),
            });
        }
        for number in 1..3 {
            let value = values[values.len() - number];
            b.output(value.dtype(), value);
        }
        drop(values);
        compare_where(&format!("program {seed}"), &b.finish_map(), &[Scalar::real(DType::F64, -2.75)], |_| false);
    }
}

/// Memory of so many bytes of which the page before and the one after must not be touched.
struct Fenced {
    start: *mut u8,
    pages: usize,
}

impl Fenced {
    const PAGE: usize = 4096;

    fn new(bytes: usize) -> Fenced {
        let pages = bytes.div_ceil(Fenced::PAGE) + 2;
        let (all, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new pages are nobody's, and the first and the last of them stay unused.
        unsafe {
            let start = libc::mmap(std::ptr::null_mut(), pages * Fenced::PAGE, all, private, -1, 0).cast::<u8>();
            assert!(start.addr() != usize::MAX, "there is memory");
            for page in [0, pages - 1] {
                assert_eq!(libc::mprotect(start.add(page * Fenced::PAGE).cast(), Fenced::PAGE, libc::PROT_NONE), 0);
            }
            Fenced { start, pages }
        }
    }

    /// Where so many bytes begin, right after the first page or right before the last one.
    fn place(&self, bytes: usize, at_end: bool) -> *mut u8 {
        let first = if at_end { (self.pages - 1) * Fenced::PAGE - bytes } else { Fenced::PAGE };
        self.start.wrapping_add(first)
    }
}

impl Drop for Fenced {
    fn drop(&mut self) {
        // SAFETY: the pages are this value's.
        unsafe { libc::munmap(self.start.cast(), self.pages * Fenced::PAGE) };
    }
}

#[test]
fn nothing_beside_the_arrays_is_read() {
    for dtype in TYPES {
        let kernel = map(&[dtype, DType::F64], dtype, |x| {
            let other = if dtype == DType::U64 { x[0] } else { x[1].cast(dtype) };
            x[0].binary(Binary::Max, other).when(x[1].compare(Compare::Lt, x[1].like(1.0)), x[0])
        });
        let kernel = legalize(&kernel, LegalizeOptions::default());
        let ir::Body::Map(block) = &kernel.body else { unreachable!("it is a map") };
        for form in forms() {
            let Some((program, scratch)) = compile(&kernel, block, &[Access::Unit; 3], &[], form) else { continue };
            let code = Code::wide(program, scratch);
            let memory: Vec<Fenced> = (0..3).map(|_| Fenced::new(8 * 300)).collect();
            for length in (0..140).chain([300]) {
                for at_end in [false, true] {
                    let mut span = empty_span(length);
                    for (number, memory) in memory.iter().enumerate() {
                        let size = kernel.operands[number].dtype.size();
                        span.pointers[number] = memory.place(length * size, at_end) as u64;
                    }
                    with_scratch(code.scratch, |scratch| {
                        span.scratch = scratch;
                        // SAFETY: there are so many elements.
                        unsafe { code.run(&span) };
                    });
                }
            }
        }
    }
}

/// An output lies where an input does, and what is read comes before what is written.
#[test]
fn in_place() {
    let b = Builder::new("map");
    let (x, y) = (b.input(DType::F64), b.input(DType::F64));
    b.output(DType::F64, x * y + x);
    b.output(DType::F64, x - y * y);
    let kernel = legalize(&b.finish_map(), LegalizeOptions::default());
    let access = [Access::Unit; 4];
    let ir::Body::Map(block) = &kernel.body else { unreachable!("it is a map") };
    for form in forms() {
        let (program, scratch) = compile(&kernel, block, &access, &[], form).expect("there is code");
        let code = Code::wide(program, scratch);
        for count in 0..70 {
            let numbers: Vec<f64> = (0..count).map(|number| number as f64 * 0.7 - 3.0).collect();
            let (mut x, mut y) = (numbers.clone(), numbers.iter().map(|x| 1.0 - x).collect::<Vec<f64>>());
            let expected: Vec<(f64, f64)> = x.iter().zip(&y).map(|(&x, &y)| (x * y + x, x - y * y)).collect();
            let mut span = empty_span(count);
            span.pointers[..4].copy_from_slice(&[
                x.as_mut_ptr() as u64,
                y.as_mut_ptr() as u64,
                x.as_mut_ptr() as u64,
                y.as_mut_ptr() as u64,
            ]);
            with_scratch(code.scratch, |scratch| {
                span.scratch = scratch;
                // SAFETY: both arrays have so many elements.
                unsafe { code.run(&span) };
            });
            let found: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
            assert_eq!(found, expected);
        }
    }
}

fn empty_span(length: usize) -> Span {
    Span {
        counts: [length, 1, 1],
        scalars: std::ptr::null(),
        index: 5,
        index_step: length as i64,
        outer_index: 0,
        scratch: std::ptr::null_mut(),
        accumulators: std::ptr::null_mut(),
        others: std::ptr::null(),
        bounds: std::ptr::null_mut(),
        capacity: 0,
        pointers: [0; OPERANDS],
        strides: [[0; OPERANDS]; 3],
    }
}
