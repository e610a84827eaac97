//! Prints what the backend reaches: nanoseconds for launches on 1000 elements, gigabytes a second on 10^7, and how
//! long kernels take to compile. `cargo run --release -p cuproxide-cpu --example throughput`

use std::time::Instant;

use cuproxide_hal::ir::{Binary, Body, Builder, Fold, Kernel, Mode, Unary, Var};
use cuproxide_hal::{DType, Launch, MAX_DIMS, MemoryKind, Operand, Specialization};

fn map(arity: usize, dtype: DType, write: impl for<'b> Fn(&[Var<'b>]) -> Var<'b>) -> Kernel {
    let builder = Builder::new("map");
    let inputs: Vec<Var<'_>> = (0..arity).map(|_| builder.input(dtype)).collect();
    let output = write(&inputs);
    builder.output(output.dtype(), output);
    drop(inputs);
    builder.finish_map()
}

fn fold(dtype: DType, scan: bool, identity: f64, combine: impl for<'b> Fn(Var<'b>, Var<'b>) -> Var<'b>) -> Kernel {
    let builder = Builder::new("fold");
    let (source, target) = (builder.operand(dtype, Mode::Read), builder.operand(dtype, Mode::Write));
    let fold = Fold {
        identity: builder.lambda(&[], |_| vec![builder.real(dtype, identity)]),
        map: builder.lambda(&[], |_| vec![builder.load(source)]),
        combine: builder.lambda(&[dtype; 2], |a| vec![combine(a[0], a[1])]),
        finish: builder.lambda(&[dtype], |a| {
            builder.store(target, a[0]);
            vec![]
        }),
    };
    builder.finish(if scan { Body::Scan(fold) } else { Body::Reduce(fold) })
}

fn argmax(dtype: DType) -> Kernel {
    let builder = Builder::new("argmax");
    let (source, target) = (builder.operand(dtype, Mode::Read), builder.operand(DType::I64, Mode::Write));
    let types = [dtype, DType::I64];
    let fold = Fold {
        identity: builder
            .lambda(&[], |_| vec![builder.real(dtype, f64::NEG_INFINITY), builder.integer(DType::I64, -1)]),
        map: builder.lambda(&[], |_| vec![builder.load(source), builder.index()]),
        combine: builder.lambda(&[types, types].concat(), |a| {
            let later = a[2].gt(a[0]);
            vec![a[2].when(later, a[0]), a[3].when(later, a[1])]
        }),
        finish: builder.lambda(&types, |a| {
            builder.store(target, a[1]);
            vec![]
        }),
    };
    builder.finish(Body::Reduce(fold))
}

/// The best time of several runs.
fn best(mut work: impl FnMut()) -> f64 {
    let runs = 15;
    let times = (0..runs).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

struct Case {
    name: &'static str,
    kernel: Kernel,
    outer: Vec<usize>,
    inner: Vec<usize>,
    /// For each operand, strides in elements.
    strides: Vec<Vec<isize>>,
    output: DType,
}

fn cases(dtype: DType, n: usize) -> Vec<Case> {
    let side = if n >= 1_000_000 { 1000 } else { 10 };
    let (rows, columns) = (n / side, side);
    let wide = columns as isize;
    let case = |name, kernel, outer: &[usize], inner: &[usize], strides: &[&[isize]], output| Case {
        name,
        kernel,
        outer: outer.to_vec(),
        inner: inner.to_vec(),
        strides: strides.iter().map(|s| s.to_vec()).collect(),
        output,
    };
    let unary = |name, op| case(name, map(1, dtype, |x| x[0].unary(op)), &[n], &[], &[&[1], &[1]], dtype);
    let mut all = vec![
        case("copy", map(1, dtype, |x| x[0]), &[n], &[], &[&[1], &[1]], dtype),
        case("add", map(2, dtype, |x| x[0] + x[1]), &[n], &[], &[&[1], &[1], &[1]], dtype),
        case("multiply", map(2, dtype, |x| x[0] * x[1]), &[n], &[], &[&[1], &[1], &[1]], dtype),
        case("maximum", map(2, dtype, |x| x[0].max(x[1])), &[n], &[], &[&[1], &[1], &[1]], dtype),
        case("less", map(2, dtype, |x| x[0].lt(x[1])), &[n], &[], &[&[1], &[1], &[1]], DType::Bool),
        case(
            "add transposed",
            map(2, dtype, |x| x[0] + x[1]),
            &[rows, columns],
            &[],
            &[&[1, rows as isize], &[wide, 1], &[wide, 1]],
            dtype,
        ),
        case("sum all", fold(dtype, false, 0.0, |a, b| a + b), &[], &[n], &[&[1], &[0]], dtype),
        case("sum axis 1", fold(dtype, false, 0.0, |a, b| a + b), &[rows], &[columns], &[&[wide, 1], &[1, 0]], dtype),
        case("sum axis 0", fold(dtype, false, 0.0, |a, b| a + b), &[columns], &[rows], &[&[1, wide], &[1, 0]], dtype),
        case(
            "max all",
            fold(dtype, false, f64::NEG_INFINITY, |a, b| a.binary(Binary::Max, b)),
            &[],
            &[n],
            &[&[1], &[0]],
            dtype,
        ),
        case("argmax all", argmax(dtype), &[], &[n], &[&[1], &[0]], DType::I64),
        case("cumsum", fold(dtype, true, 0.0, |a, b| a + b), &[], &[n], &[&[1], &[1]], dtype),
    ];
    if dtype.is_float() {
        all.extend([
            unary("sqrt", Unary::Sqrt),
            unary("sin", Unary::Sin),
            unary("cos", Unary::Cos),
            unary("exp", Unary::Exp),
            unary("log", Unary::Log),
            unary("tanh", Unary::Tanh),
            case("pow", map(2, dtype, |x| x[0].pow(x[1])), &[n], &[], &[&[1], &[1], &[1]], dtype),
            case("to int32", map(1, dtype, |x| x[0].cast(DType::I32)), &[n], &[], &[&[1], &[1]], DType::I32),
        ]);
    }
    all
}

fn main() {
    let device = cuproxide_cpu::backend().device(0).expect("there is a processor");
    let stream = device.default_stream();
    let filter = std::env::args().nth(1).unwrap_or_default();
    for dtype in [DType::F32, DType::F64, DType::I32] {
        for n in [1000, 10_000_000] {
            let buffers: Vec<u64> =
                (0..3).map(|_| device.allocate(MemoryKind::Device, n * 8).expect("there is memory").ptr).collect();
            for buffer in &buffers {
                for i in 0..n {
                    let value = ((i as u64).wrapping_mul(2_654_435_761) % 1_000_003) as f64 / 1e5;
                    // SAFETY: the buffers hold n elements of up to eight bytes.
                    unsafe {
                        match dtype {
                            DType::F32 => *(*buffer as *mut f32).add(i) = value as f32,
                            DType::F64 => *(*buffer as *mut f64).add(i) = value,
                            _ => *(*buffer as *mut i32).add(i) = (value * 1e4) as i32,
                        }
                    }
                }
            }
            for case in cases(dtype, n) {
                if !case.name.contains(&filter) {
                    continue;
                }
                let operands: Vec<Operand> = case
                    .strides
                    .iter()
                    .enumerate()
                    .map(|(position, strides)| {
                        let last = position + 1 == case.strides.len();
                        let size = if last { case.output } else { dtype }.size() as isize;
                        let mut all = [0; MAX_DIMS];
                        all.iter_mut().zip(strides).for_each(|(to, &from)| *to = from * size);
                        Operand { ptr: buffers[if last { 2 } else { position }], strides: all }
                    })
                    .collect();
                let launch =
                    Launch { outer: &case.outer, inner: &case.inner, operands: &operands, scalars: &[], scratch: 0 };
                let specialization = Specialization::of(&case.kernel, &launch);
                let start = Instant::now();
                let compiled = device.compile(&case.kernel, specialization).expect("the kernel compiles");
                let compiling = start.elapsed().as_secs_f64() * 1e3;
                let repeats = if n < 10_000 { 2000 } else { 1 };
                let seconds = best(|| {
                    for _ in 0..repeats {
                        // SAFETY: the operands fit.
                        unsafe { compiled.launch(&*stream, &launch) }.expect("the launch works");
                    }
                }) / repeats as f64;
                let moved = case.strides.iter().enumerate().map(|(position, strides)| {
                    let last = position + 1 == case.strides.len();
                    let size = if last { case.output } else { dtype }.size();
                    if last && strides.contains(&0) { 0 } else { n * size }
                });
                let gigabytes = moved.sum::<usize>() as f64 / seconds / 1e9;
                println!(
                    "{:8} {:9} {:16} {:12.0} ns {:8.2} GB/s   compiled in {:.2} ms",
                    dtype.name(),
                    n,
                    case.name,
                    seconds * 1e9,
                    gigabytes,
                    compiling
                );
            }
        }
    }
}
