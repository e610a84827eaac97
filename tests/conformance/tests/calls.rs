//! A large special function, called and written where it is used: what both cost is printed (`--nocapture`).

use std::time::Instant;

use cuproxide_codegen::samples::hypergeometric;
use cuproxide_hal::{Launch, MAX_DIMS, Operand, Specialization};

#[test]
fn a_function_computes_the_same_wherever_it_is_written() {
    for times in [1, 3] {
        let [called, inline] = [true, false].map(|called| measure(times, called));
        assert_eq!(called, inline);
    }
}

fn measure(times: usize, called: bool) -> Vec<u64> {
    const POINTS: usize = 20_000;
    let device = cuproxide_backends::device("cpu").expect("a CPU is always there");
    let kernel = hypergeometric(times, called);
    kernel.validate().expect("a valid kernel");
    let mut statements = 0;
    kernel.visit_all(&mut |_| statements += 1);
    let point = |n: usize, scale: f64| n as f64 * scale;
    let inputs: [Vec<f64>; 4] = [
        (0..POINTS).map(|n| 0.3 + point(n % 17, 0.11)).collect(),
        (0..POINTS).map(|n| 0.7 + point(n % 13, 0.17)).collect(),
        (0..POINTS).map(|n| 1.9 + point(n % 7, 0.23)).collect(),
        (0..POINTS).map(|n| -3.0 + point(n, 3.9 / POINTS as f64)).collect(),
    ];
    let result = vec![0u64; POINTS];
    let mut strides = [0; MAX_DIMS];
    strides[0] = 8;
    let pointers = inputs.iter().map(|input| input.as_ptr() as u64).chain([result.as_ptr() as u64]);
    let operands: Vec<Operand> = pointers.map(|ptr| Operand { ptr, strides }).collect();
    let launch = Launch { outer: &[POINTS], inner: &[], operands: &operands, scalars: &[], scratch: 0 };
    let start = Instant::now();
    let compiled = device.compile(&kernel, Specialization::of(&kernel, &launch)).expect("it compiles");
    let compiling = start.elapsed();
    let stream = device.default_stream();
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        // SAFETY: the operands are as long as the launch.
        unsafe { compiled.launch(&*stream, &launch) }.expect("it runs");
        stream.synchronize().expect("it ends well");
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!(
        "{}: {statements} statements, compiled in {:.1} ms, {:.0} ns a point",
        kernel.name,
        compiling.as_secs_f64() * 1e3,
        best * 1e9 / POINTS as f64
    );
    result
}
