//! Bandwidth of kernels beside the driver's own device-to-device copy, in one run, and the cost of a launch.
//!
//! `cargo run --release -p cuproxide-cuda --example bandwidth [MiB]`

use std::sync::Arc;
use std::time::Instant;

use cuproxide_hal::ir::{Body, Builder, Fold, Kernel, Mode};
use cuproxide_hal::libraries::Sort;
use cuproxide_hal::{
    CompiledKernel, DType, Device, Launch, MAX_DIMS, MemoryKind, Operand, Result, Scalar, Specialization,
};

struct Bench {
    device: Arc<dyn Device>,
    copy: f64,
}

const REPEATS: usize = 7;

impl Bench {
    fn buffer(&self, bytes: usize) -> Result<u64> {
        Ok(self.device.allocate(MemoryKind::Device, bytes)?.ptr)
    }

    /// Median seconds of one call.
    fn time(&self, mut call: impl FnMut() -> Result<()>) -> Result<f64> {
        let stream = self.device.default_stream();
        let (start, end) = (self.device.create_event(true)?, self.device.create_event(true)?);
        call()?;
        call()?;
        let mut times = vec![];
        for _ in 0..REPEATS {
            stream.record(&*start)?;
            for _ in 0..4 {
                call()?;
            }
            stream.record(&*end)?;
            end.synchronize()?;
            times.push(f64::from(end.elapsed_since(&*start)?) / 4e3);
        }
        times.sort_by(f64::total_cmp);
        Ok(times[REPEATS / 2])
    }

    fn report(&self, name: &str, seconds: f64, bytes: usize) {
        let rate = bytes as f64 / seconds;
        println!(
            "{name:34} {:9.3} ms {:8.0} GB/s {:5.1} % of copy",
            seconds * 1e3,
            rate / 1e9,
            rate / self.copy * 100.0
        );
    }

    fn kernel(&self, kernel: &Kernel, launch: &Launch<'_>) -> Result<(Arc<dyn CompiledKernel>, u64)> {
        kernel.validate()?;
        let start = Instant::now();
        let compiled = self.device.compile(kernel, Specialization::of(kernel, launch))?;
        let took = start.elapsed().as_secs_f64() * 1e3;
        let scratch = self.buffer(compiled.scratch_bytes(launch).max(256))?;
        print!("[{took:4.0} ms] ");
        Ok((compiled, scratch))
    }

    fn launch(&self, name: &str, kernel: &Kernel, mut launch: Launch<'_>, bytes: usize) -> Result<()> {
        let (compiled, scratch) = self.kernel(kernel, &launch)?;
        launch.scratch = scratch;
        let stream = self.device.default_stream();
        // SAFETY: the operands are buffers of the sizes that the launch reaches.
        let seconds = self.time(|| unsafe { compiled.launch(&*stream, &launch) })?;
        self.report(name, seconds, bytes);
        Ok(())
    }
}

fn operand(ptr: u64, strides: &[isize]) -> Operand {
    let mut all = [0; MAX_DIMS];
    all[..strides.len()].copy_from_slice(strides);
    Operand { ptr, strides: all }
}

fn reduction(name: &str, dtype: DType, to: DType) -> Kernel {
    let b = Builder::new(name);
    let input = b.operand(dtype, Mode::Read);
    let output = b.operand(to, Mode::Write);
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.integer(to, 0)]),
        map: b.lambda(&[], |_| vec![b.load(input).cast(to)]),
        combine: b.lambda(&[to, to], |p| vec![p[0] + p[1]]),
        finish: b.lambda(&[to], |p| {
            b.store(output, p[0]);
            vec![]
        }),
    };
    b.finish(Body::Reduce(fold))
}

fn argmax(dtype: DType) -> Kernel {
    let b = Builder::new("argmax");
    let input = b.operand(dtype, Mode::Read);
    let output = b.operand(DType::I64, Mode::Write);
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.real(dtype, f64::NEG_INFINITY), b.integer(DType::I64, -1)]),
        map: b.lambda(&[], |_| vec![b.load(input), b.index()]),
        combine: b.lambda(&[dtype, DType::I64, dtype, DType::I64], |p| {
            let none = b.integer(DType::I64, 0);
            let later = p[1].lt(none) | (p[3].ge(none) & (p[2].gt(p[0]) | (p[2].is_nan() & !p[0].is_nan())));
            vec![p[2].when(later, p[0]), p[3].when(later, p[1])]
        }),
        finish: b.lambda(&[dtype, DType::I64], |p| {
            b.store(output, p[1]);
            vec![]
        }),
    };
    b.finish(Body::Reduce(fold))
}

fn main() -> Result<()> {
    let mebibytes: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1024);
    let bytes = mebibytes << 20;
    let device = cuproxide_cuda::backend().device(0)?;
    println!("{} ({}), {mebibytes} MiB an array", device.info().name, device.info().architecture);
    let mut bench = Bench { device: device.clone(), copy: 1.0 };
    let (x, y, z) = (bench.buffer(bytes)?, bench.buffer(bytes)?, bench.buffer(2 * bytes)?);
    let stream = device.default_stream();

    // Random numbers: zeros can run faster than data.
    let b = Builder::new("noise");
    let n = b.index().cast(DType::U32);
    let n = (n ^ (n >> b.integer(DType::U32, 15))) * b.integer(DType::U32, 0x2c1b_3c6d);
    let n = (n ^ (n >> b.integer(DType::U32, 12))) * b.integer(DType::U32, 0x297a_2d39);
    b.output(DType::F32, (n >> b.integer(DType::U32, 8)).cast(DType::F32) * b.real(DType::F32, 1e-6));
    let noise = b.finish_map();
    let count = bytes / 4;
    for target in [x, y] {
        bench.launch(
            "noise",
            &noise,
            Launch { outer: &[count], inner: &[], operands: &[operand(target, &[4])], scalars: &[], scratch: 0 },
            bytes,
        )?;
    }

    // SAFETY: the buffers hold that many bytes.
    let seconds = bench.time(|| unsafe { device.copy(&*stream, y, x, bytes) })?;
    bench.copy = 2.0 * bytes as f64 / seconds;
    bench.report("cuMemcpyDtoD", seconds, 2 * bytes);

    let flat = |name: &str, build: &dyn Fn(&Builder), operands: &[(u64, DType)], count: usize| -> Result<()> {
        let b = Builder::new("kernel");
        build(&b);
        let kernel = b.finish_map();
        let total: usize = operands.iter().map(|(_, dtype)| dtype.size() * count).sum();
        let operands: Vec<Operand> =
            operands.iter().map(|(ptr, dtype)| operand(*ptr, &[dtype.size() as isize])).collect();
        let scalars: Vec<Scalar> = vec![];
        bench.launch(
            name,
            &kernel,
            Launch { outer: &[count], inner: &[], operands: &operands, scalars: &scalars, scratch: 0 },
            total,
        )
    };
    for dtype in [DType::F32, DType::F64, DType::U8, DType::F16, DType::C128] {
        let name = format!("copy {dtype}");
        flat(
            &name,
            &|b| {
                let v = b.input(dtype);
                b.output(dtype, v);
            },
            &[(x, dtype), (y, dtype)],
            bytes / dtype.size(),
        )?;
    }
    for dtype in [DType::F32, DType::F16, DType::F64, DType::C64, DType::I8] {
        let name = format!("add {dtype}");
        let build = |b: &Builder| {
            let (u, v) = (b.input(dtype), b.input(dtype));
            b.output(dtype, u + v);
        };
        flat(&name, &build, &[(x, dtype), (y, dtype), (z, dtype)], bytes / dtype.size())?;
    }
    flat(
        "sin float32",
        &|b| {
            let v = b.input(DType::F32);
            b.output(DType::F32, v.sin());
        },
        &[(x, DType::F32), (z, DType::F32)],
        count,
    )?;
    flat(
        "exp float32",
        &|b| {
            let v = b.input(DType::F32);
            b.output(DType::F32, v.exp());
        },
        &[(x, DType::F32), (z, DType::F32)],
        count,
    )?;
    flat(
        "sin float64",
        &|b| {
            let v = b.input(DType::F64);
            b.output(DType::F64, v.sin());
        },
        &[(x, DType::F64), (z, DType::F64)],
        count / 2,
    )?;
    flat(
        "astype float32 float64",
        &|b| {
            let v = b.input(DType::F32);
            b.output(DType::F64, v.cast(DType::F64));
        },
        &[(x, DType::F32), (z, DType::F64)],
        count,
    )?;
    flat(
        "astype float32 int8",
        &|b| {
            let v = b.input(DType::F32);
            b.output(DType::I8, v.cast(DType::I8));
        },
        &[(x, DType::F32), (z, DType::I8)],
        count,
    )?;
    flat(
        "astype uint8 float32",
        &|b| {
            let v = b.input(DType::U8);
            b.output(DType::F32, v.cast(DType::F32));
        },
        &[(x, DType::U8), (z, DType::F32)],
        count,
    )?;
    flat(
        "astype float64 float16",
        &|b| {
            let v = b.input(DType::F64);
            b.output(DType::F16, v.cast(DType::F16));
        },
        &[(x, DType::F64), (z, DType::F16)],
        count / 2,
    )?;
    let choose = |b: &Builder| {
        let (c, u, v) = (b.input(DType::Bool), b.input(DType::F32), b.input(DType::F32));
        b.output(DType::F32, u.when(c, v));
    };
    flat(
        "where bool float32",
        &choose,
        &[(z + bytes as u64, DType::Bool), (x, DType::F32), (y, DType::F32), (z, DType::F32)],
        count,
    )?;

    let side = 1usize << (count.ilog2() / 2);
    let row = (side * 4) as isize;
    let square = side * side * 4;
    let b = Builder::new("copy");
    let v = b.input(DType::F32);
    b.output(DType::F32, v);
    let copy = b.finish_map();
    let two = |name: &str, from: [isize; 2], to: [isize; 2], shape: [usize; 2]| -> Result<()> {
        let operands = [operand(x, &from), operand(z, &to)];
        bench.launch(
            name,
            &copy,
            Launch { outer: &shape, inner: &[], operands: &operands, scalars: &[], scratch: 0 },
            shape[0] * shape[1] * 8,
        )
    };
    two("copy of a transposed view", [4, row], [row, 4], [side, side])?;
    two("copy of rows, aligned gap", [row, 4], [row - 64, 4], [side, side - 16])?;
    two("copy of rows, odd gap", [row, 4], [row - 4, 4], [side, side - 1])?;
    two("copy of every second element", [row, 8], [row / 2, 4], [side, side / 2])?;

    let sum = reduction("sum", DType::F32, DType::F32);
    let fold = |name: &str,
                kernel: &Kernel,
                outer: &[usize],
                inner: &[usize],
                strides: &[isize],
                result: &[isize]|
     -> Result<()> {
        let size = kernel.operands[0].dtype.size();
        let total = outer.iter().chain(inner).product::<usize>() * size;
        let operands = [operand(x, strides), operand(z, result)];
        bench.launch(name, kernel, Launch { outer, inner, operands: &operands, scalars: &[], scratch: 0 }, total)
    };
    fold("sum float32, all", &sum, &[], &[count], &[4], &[])?;
    fold("sum float32, axis 1", &sum, &[side], &[side], &[row, 4], &[4])?;
    fold("sum float32, axis 0", &sum, &[side], &[side], &[4, row], &[4])?;
    fold("sum float32, axis 1 of (n, 1000)", &sum, &[count / 1000], &[1000], &[4000, 4], &[4])?;
    fold("sum float32, axis 0 of (n, 1000)", &sum, &[1000], &[count / 1000], &[4, 4000], &[4])?;
    fold("sum float32, axis 1 of (n, 64)", &sum, &[count / 64], &[64], &[256, 4], &[4])?;
    fold("sum float32, axis 1 of (n, 3)", &sum, &[count / 3], &[3], &[12, 4], &[4])?;
    fold("sum float32, axis 0 of (n, 3)", &sum, &[3], &[count / 3], &[4, 12], &[4])?;
    fold("sum float32, axis 1 of (64, n)", &sum, &[64], &[count / 64], &[count as isize / 16, 4], &[4])?;
    fold("sum float32, axis 0 of (64, n)", &sum, &[count / 64], &[64], &[4, count as isize / 16], &[4])?;
    let columns = [256, side, side / 256];
    let middle = [(side * columns[2] * 4) as isize, 4, (columns[2] * 4) as isize];
    fold(
        "sum float32, axis 1 of 3",
        &sum,
        &[columns[0], columns[2]],
        &[columns[1]],
        &middle,
        &[columns[2] as isize * 4, 4],
    )?;
    fold("sum float16 as float32, all", &reduction("sum", DType::F16, DType::F32), &[], &[bytes / 2], &[2], &[])?;
    fold("sum uint8 as int64, all", &reduction("sum", DType::U8, DType::I64), &[], &[bytes], &[1], &[])?;
    fold("sum float64, all", &reduction("sum", DType::F64, DType::F64), &[], &[bytes / 8], &[8], &[])?;
    let argmax = argmax(DType::F32);
    fold("argmax float32, all", &argmax, &[], &[count], &[4], &[])?;
    fold("argmax float32, axis 1", &argmax, &[side], &[side], &[row, 4], &[8])?;
    fold("argmax float32, axis 0", &argmax, &[side], &[side], &[4, row], &[8])?;

    let scan = |kernel: Kernel| match kernel {
        Kernel { body: Body::Reduce(fold), .. } => {
            Kernel { body: Body::Scan(fold), ..reduction("cumsum", DType::F32, DType::F32) }
        }
        other => other,
    };
    let cumsum = scan(reduction("cumsum", DType::F32, DType::F32));
    for (name, outer, inner, strides) in [
        ("cumsum float32, all", &[][..], &[count][..], &[4][..]),
        ("cumsum float32, axis 1", &[side], &[side], &[row, 4]),
        ("cumsum float32, axis 0", &[side], &[side], &[4, row]),
    ] {
        let operands = [operand(x, strides), operand(z, strides)];
        bench.launch(
            name,
            &cumsum,
            Launch { outer, inner, operands: &operands, scalars: &[], scratch: 0 },
            square * 2,
        )?;
    }

    for (dtype, length, rows) in
        [(DType::F32, 1usize << 26, 1), (DType::I64, 1 << 25, 1), (DType::F32, 1 << 10, 1 << 16)]
    {
        let sorting = device.libraries().sorting()?;
        let mut sort = Sort {
            dtype,
            rows,
            length,
            wanted: (0, length),
            bits: 8 * dtype.size(),
            keys: x,
            sorted: y,
            indices: 0,
            scratch: 0,
        };
        sort.scratch = bench.buffer(sorting.scratch_bytes(&sort))?;
        // SAFETY: the buffers are larger than the sort.
        let seconds = bench.time(|| unsafe { sorting.sort(&*stream, &sort) })?;
        println!(
            "sort {dtype} {rows} x {length}: {:.3} ms, {:.0} M/s",
            seconds * 1e3,
            (rows * length) as f64 / seconds / 1e6
        );
    }

    let b = Builder::new("add");
    let (u, v) = (b.input(DType::F32), b.input(DType::F32));
    b.output(DType::F32, u + v);
    let add = b.finish_map();
    let operands = [operand(x, &[4]), operand(y, &[4]), operand(z, &[4])];
    for count in [1usize, 10_000, 1_000_000] {
        let outer = [count];
        let launch = Launch { outer: &outer, inner: &[], operands: &operands, scalars: &[], scratch: 0 };
        let (compiled, _) = bench.kernel(&add, &launch)?;
        let calls = 20_000;
        device.synchronize()?;
        let start = Instant::now();
        for _ in 0..calls {
            // SAFETY: the buffers are larger than the launch.
            unsafe { compiled.launch(&*stream, &launch) }?;
        }
        let queued = start.elapsed().as_secs_f64() / f64::from(calls);
        device.synchronize()?;
        let done = start.elapsed().as_secs_f64() / f64::from(calls);
        println!("launch of {count} elements: {:.2} us queued, {:.2} us done", queued * 1e6, done * 1e6);
    }
    Ok(())
}
