//! Whole formulas as single kernels, as the fusion engine of `core` makes them: compile times, and the processor time of a
//! launch over all threads.
//! `cargo run --release -p cuproxide-cpu --example chains [-- PART-OF-NAME [POINTS]]`

use std::time::Instant;

use cuproxide_hal::ir::{Binary, Body, Builder, Fold, Kernel, Mode, Var};
use cuproxide_hal::{CompiledKernel, DType, Launch, MAX_DIMS, MemoryKind, Operand, Specialization};

/// One launch: a kernel, its spaces, and for each operand a buffer, an offset and strides, both in elements.
struct Step {
    kernel: Kernel,
    outer: Vec<usize>,
    inner: Vec<usize>,
    operands: Vec<(usize, isize, Vec<isize>)>,
}

/// A named sequence of launches.
struct Chain {
    name: &'static str,
    steps: Vec<Step>,
}

/// The standard normal distribution by a polynomial in 1/(1 + 0.23 |x|) (Abramowitz and Stegun 26.2.17).
fn normal<'b>(x: Var<'b>) -> Var<'b> {
    let a = x.abs();
    let one = x.like(1.0);
    let k = one / (one + a * x.like(0.231_641_9));
    let mut sum = x.like(1.330_274_429);
    for term in [-1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530] {
        sum = sum * k + x.like(term);
    }
    let tail = (a * a * x.like(-0.5)).exp() * x.like(0.398_942_280_401_432_7) * sum * k;
    tail.when(x.lt(x.like(0.0)), one - tail)
}

/// Prices of a call and a put.
fn black_scholes(dtype: DType) -> Kernel {
    let b = Builder::new("black_scholes");
    let (s, k, t) = (b.input(dtype), b.input(dtype), b.input(dtype));
    let (rate, volatility) = (b.real(dtype, 0.05), b.real(dtype, 0.2));
    let spread = volatility * t.sqrt();
    let d1 = ((s / k).log() + (rate + volatility * volatility * b.real(dtype, 0.5)) * t) / spread;
    let d2 = d1 - spread;
    let discounted = k * (-(rate * t)).exp();
    let (n1, n2) = (normal(d1), normal(d2));
    let one = b.real(dtype, 1.0);
    let call = s * n1 - discounted * n2;
    let put = discounted * (one - n2) - s * (one - n1);
    b.output(dtype, call);
    b.output(dtype, put);
    b.finish_map()
}

/// A rational function of three variables with about `operations` operations and many live values.
fn equation_of_state(dtype: DType, operations: usize) -> Kernel {
    let b = Builder::new("equation_of_state");
    let (s, t, p) = (b.input(dtype), b.input(dtype), b.input(dtype));
    let root = s.sqrt();
    let mut done = 1;
    let mut terms = vec![];
    let mut seed = 0.37;
    while done < operations {
        let mut inner = b.real(dtype, seed);
        for variable in [t, t, root, t, p, s, t, t] {
            seed = (seed * 7.13) % 1.9 - 0.4;
            inner = inner * variable + b.real(dtype, seed);
            done += 2;
        }
        terms.push(inner);
    }
    let sum = |terms: &[Var<'_>]| terms.iter().map(|term| term.id()).map(|id| b.var(id)).reduce(|x, y| x + y);
    let (over, under) = terms.split_at(terms.len() / 2);
    let (over, under) = (sum(over).expect("there are terms"), sum(under).expect("there are terms"));
    let result = over / (under * s + b.real(dtype, 100.0));
    b.output(dtype, result);
    b.finish_map()
}

/// z = z^2 + c where |z| < 2, and a count of the steps; in real numbers as legalisation makes them.
fn mandelbrot(dtype: DType) -> Kernel {
    let b = Builder::new("mandelbrot");
    let (z, c) = (b.operand(dtype, Mode::Update), b.input(dtype));
    let count = b.operand(DType::I64, Mode::Update);
    let old = b.load(z);
    let inside = old.abs().lt(b.real(dtype.real(), 2.0));
    b.store(z, (old * old + c).when(inside, old));
    let before = b.load(count);
    b.store(count, (before + b.integer(DType::I64, 1)).when(inside, before));
    b.finish_map()
}

/// One explicit step of the heat equation with five shifted slices.
fn heat(dtype: DType) -> Kernel {
    let b = Builder::new("heat");
    let all: Vec<Var<'_>> = (0..5).map(|_| b.input(dtype)).collect();
    let sum = all[1] + all[2] + all[3] + all[4] - all[0] * b.real(dtype, 4.0);
    b.output(dtype, all[0] + sum * b.real(dtype, 0.1));
    drop(all);
    b.finish_map()
}

/// A map of `inputs` operands.
fn map(dtype: DType, inputs: usize, write: impl for<'b> Fn(&'b Builder, &[Var<'b>]) -> Var<'b>) -> Kernel {
    let b = Builder::new("map");
    let all: Vec<Var<'_>> = (0..inputs).map(|_| b.input(dtype)).collect();
    let value = write(&b, &all);
    b.output(value.dtype(), value);
    drop(all);
    b.finish_map()
}

/// A reduction over what `write` makes of `inputs` operands.
fn fold(
    dtype: DType,
    inputs: usize,
    op: Binary,
    identity: f64,
    write: impl for<'b> Fn(&'b Builder, &[Var<'b>]) -> Var<'b>,
) -> Kernel {
    let b = Builder::new("fold");
    let operands: Vec<_> = (0..inputs).map(|_| b.operand(dtype, Mode::Read)).collect();
    let target = b.operand(dtype, Mode::Write);
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.real(dtype, identity)]),
        map: b.lambda(&[], |_| {
            let all: Vec<Var<'_>> = operands.iter().map(|&operand| b.load(operand)).collect();
            vec![write(&b, &all)]
        }),
        combine: b.lambda(&[dtype; 2], |a| vec![a[0].binary(op, a[1])]),
        finish: b.lambda(&[dtype], |a| {
            b.store(target, a[0]);
            vec![]
        }),
    };
    b.finish(Body::Reduce(fold))
}

fn step(kernel: Kernel, outer: &[usize], inner: &[usize], operands: &[(usize, isize, &[isize])]) -> Step {
    let operands = operands.iter().map(|&(buffer, offset, strides)| (buffer, offset, strides.to_vec())).collect();
    Step { kernel, outer: outer.to_vec(), inner: inner.to_vec(), operands }
}

fn chains(dtype: DType, n: usize) -> Vec<Chain> {
    let one = |name, kernel: Kernel| {
        let operands = (0..kernel.operands.len()).map(|buffer| (buffer, 0, vec![1])).collect();
        Chain { name, steps: vec![Step { kernel, outer: vec![n], inner: vec![], operands }] }
    };
    let side = n.isqrt();
    let wide = side as isize;
    let (row, cell): (&[isize], &[isize]) = (&[1, 0], &[wide, 1]);
    let complex = if dtype == DType::F32 { DType::C64 } else { DType::C128 };
    let whole = [wide, 1];
    let shifted = |rows: isize, columns: isize| (1 + rows) * wide + 1 + columns;
    let (inside, frame) = ([side - 2, side - 2], &whole[..]);
    vec![
        one("black-scholes", black_scholes(dtype)),
        one("equation of state", equation_of_state(dtype, 300)),
        one("mandelbrot", mandelbrot(complex)),
        one("sin+cos", map(dtype, 1, |b, x| x[0].sin() * x[0].sin() + x[0].cos() * x[0].cos() + b.real(dtype, 1.0))),
        one("gauss", map(dtype, 2, |b, x| (-(x[0] * x[0] + x[1] * x[1]) * b.real(dtype, 0.5)).exp())),
        one(
            "gelu",
            map(dtype, 1, |b, x| {
                let x = x[0];
                let inside = (x + x * x * x * b.real(dtype, 0.044715)) * b.real(dtype, 0.797_884_560_8);
                x * b.real(dtype, 0.5) * (b.real(dtype, 1.0) + inside.tanh())
            }),
        ),
        Chain {
            name: "heat",
            steps: vec![step(
                heat(dtype),
                &inside,
                &[],
                &[
                    (0, shifted(0, 0), frame),
                    (0, shifted(-1, 0), frame),
                    (0, shifted(1, 0), frame),
                    (0, shifted(0, -1), frame),
                    (0, shifted(0, 1), frame),
                    (1, shifted(0, 0), frame),
                ],
            )],
        },
        Chain {
            name: "softmax",
            steps: vec![
                step(
                    fold(dtype, 1, Binary::Max, f64::NEG_INFINITY, |_, x| x[0]),
                    &[side],
                    &[side],
                    &[(0, 0, cell), (1, 0, row)],
                ),
                step(
                    fold(dtype, 2, Binary::Add, 0.0, |_, x| (x[0] - x[1]).exp()),
                    &[side],
                    &[side],
                    &[(0, 0, cell), (1, 0, row), (2, 0, row)],
                ),
                step(
                    map(dtype, 3, |_, x| (x[0] - x[1]).exp() / x[2]),
                    &[side, side],
                    &[],
                    &[(0, 0, cell), (1, 0, row), (2, 0, row), (3, 0, cell)],
                ),
            ],
        },
        Chain {
            name: "layer norm",
            steps: vec![
                step(fold(dtype, 1, Binary::Add, 0.0, |_, x| x[0]), &[side], &[side], &[(0, 0, cell), (1, 0, row)]),
                step(
                    fold(dtype, 2, Binary::Add, 0.0, |b, x| {
                        let d = x[0] - x[1] * b.real(dtype, 1e-3);
                        d * d
                    }),
                    &[side],
                    &[side],
                    &[(0, 0, cell), (1, 0, row), (2, 0, row)],
                ),
                step(
                    map(dtype, 3, |b, x| (x[0] - x[1] * b.real(dtype, 1e-3)) / (x[2] + b.real(dtype, 1e-5)).sqrt()),
                    &[side, side],
                    &[],
                    &[(0, 0, cell), (1, 0, row), (2, 0, row), (3, 0, cell)],
                ),
            ],
        },
        Chain {
            name: "lennard-jones",
            steps: vec![step(
                fold(dtype, 6, Binary::Add, 0.0, |b, x| {
                    let [dx, dy, dz] = [x[0] - x[1], x[2] - x[3], x[4] - x[5]];
                    let r2 = dx * dx + dy * dy + dz * dz;
                    let far = r2.gt(b.real(dtype, 1e-9));
                    let inverse = b.real(dtype, 1.0) / r2.when(far, b.real(dtype, 1.0));
                    let six = inverse * inverse * inverse;
                    let force = b.real(dtype, 24.0) * inverse * six * (b.real(dtype, 2.0) * six - b.real(dtype, 1.0));
                    (force * dx).when(far, b.real(dtype, 0.0))
                }),
                &[side],
                &[side],
                &[
                    (0, 0, &[1, 0]),
                    (0, 0, &[0, 1]),
                    (1, 0, &[1, 0]),
                    (1, 0, &[0, 1]),
                    (2, 0, &[1, 0]),
                    (2, 0, &[0, 1]),
                    (3, 0, &[1, 0]),
                ],
            )],
        },
    ]
}

/// What all threads of the process have worked, which other processes change little.
fn processor_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn main() {
    let device = cuproxide_cpu::backend().device(0).expect("there is a processor");
    let stream = device.default_stream();
    let mut arguments = std::env::args().skip(1);
    let filter = arguments.next().unwrap_or_default();
    let n: usize = arguments.next().map_or(1_000_000, |text| text.parse().expect("a number of points"));
    for dtype in [DType::F64, DType::F32] {
        let buffers: Vec<u64> =
            (0..6).map(|_| device.allocate(MemoryKind::Device, n * 16 + 4096).expect("there is memory").ptr).collect();
        for (position, buffer) in buffers.iter().enumerate() {
            for i in 0..2 * n {
                let value =
                    0.5 + ((i as u64 + 77 * position as u64).wrapping_mul(2_654_435_761) % 1_000_003) as f64 / 1e6;
                // SAFETY: the buffers hold 2 n elements of up to eight bytes.
                unsafe {
                    if dtype == DType::F32 {
                        *(*buffer as *mut f32).add(i) = value as f32;
                    } else {
                        *(*buffer as *mut f64).add(i) = value;
                    }
                }
            }
        }
        for chain in chains(dtype, n) {
            if !chain.name.contains(&filter) {
                continue;
            }
            let operands: Vec<Vec<Operand>> = chain
                .steps
                .iter()
                .map(|step| {
                    let each = step.operands.iter().zip(&step.kernel.operands);
                    each.map(|((buffer, offset, strides), declared)| {
                        let size = declared.dtype.size() as isize;
                        let mut all = [0; MAX_DIMS];
                        all.iter_mut().zip(strides).for_each(|(to, &from)| *to = from * size);
                        Operand { ptr: buffers[*buffer].wrapping_add_signed((offset * size) as i64), strides: all }
                    })
                    .collect()
                })
                .collect();
            let launches: Vec<Launch<'_>> = chain
                .steps
                .iter()
                .zip(&operands)
                .map(|(s, operands)| Launch { outer: &s.outer, inner: &s.inner, operands, scalars: &[], scratch: 0 })
                .collect();
            let start = Instant::now();
            let compiled: Vec<std::sync::Arc<dyn CompiledKernel>> = chain
                .steps
                .iter()
                .zip(&launches)
                .map(|(step, launch)| {
                    let specialization = Specialization::of(&step.kernel, launch);
                    device.compile(&step.kernel, specialization).expect("the kernel compiles")
                })
                .collect();
            let compiling = start.elapsed().as_secs_f64() * 1e3;
            let mut best = vec![f64::INFINITY; compiled.len()];
            for _ in 0..25 {
                for ((kernel, launch), best) in compiled.iter().zip(&launches).zip(&mut best) {
                    let start = processor_seconds();
                    // SAFETY: the operands fit.
                    unsafe { kernel.launch(&*stream, launch) }.expect("the launch works");
                    *best = best.min(processor_seconds() - start);
                }
            }
            let steps: Vec<String> = best.iter().map(|seconds| format!("{:.1}", seconds * 1e6)).collect();
            println!(
                "{:8} {:20} {:10.1} us ({})   compiled in {compiling:.1} ms",
                dtype.name(),
                chain.name,
                best.iter().sum::<f64>() * 1e6,
                steps.join(" + ")
            );
        }
    }
}
