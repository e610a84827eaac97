//! The backend on a real device: kernels of every walk against plain Rust, sorting, products, faults, streams. Without a
//! device the tests say so and pass.

use std::sync::Arc;

use cuproxide_hal::ir::{Atomic, Body, Builder, Fold, Kernel, Mode};
use cuproxide_hal::libraries::{ComputeType, Gemm, Matrix, Sort};
use cuproxide_hal::{
    DType, Device, Error, Fault, Launch, MAX_DIMS, MemoryKind, Operand, Scalar, Specialization, StreamFlags,
};

fn device() -> Option<Arc<dyn Device>> {
    let backend = cuproxide_cuda::backend();
    match backend.device_count() {
        Ok(0) => println!("SKIPPED: no device"),
        Err(error) => println!("SKIPPED: {error}"),
        Ok(_) => return Some(backend.device(0).expect("device 0 opens")),
    }
    None
}

/// Device memory that is freed at the end.
struct Buffer {
    device: Arc<dyn Device>,
    allocation: cuproxide_hal::Allocation,
}

impl Buffer {
    fn new(device: &Arc<dyn Device>, bytes: usize) -> Buffer {
        let allocation = device.allocate(MemoryKind::Device, bytes).expect("memory");
        // SAFETY: the range was just allocated.
        unsafe { device.fill(&*device.default_stream(), allocation.ptr, 0xa5, bytes) }.expect("a fill");
        Buffer { device: device.clone(), allocation }
    }

    fn of<T: Copy>(device: &Arc<dyn Device>, data: &[T]) -> Buffer {
        let buffer = Buffer::new(device, size_of_val(data));
        // SAFETY: both ranges have the size of the data.
        unsafe {
            device.copy_from_host(&*device.default_stream(), buffer.ptr(), data.as_ptr().cast(), size_of_val(data))
        }
        .expect("a copy");
        buffer
    }

    fn ptr(&self) -> u64 {
        self.allocation.ptr
    }

    fn read<T: Copy + Default>(&self, count: usize) -> Vec<T> {
        let mut data = vec![T::default(); count];
        let stream = self.device.default_stream();
        // SAFETY: the buffer holds at least as many bytes.
        unsafe { self.device.copy_to_host(&*stream, data.as_mut_ptr().cast(), self.ptr(), count * size_of::<T>()) }
            .expect("a copy");
        stream.synchronize().expect("the work is done");
        data
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.device.synchronize().expect("the work is done");
        // SAFETY: allocated here, used no more.
        unsafe { self.device.free(self.allocation) }.expect("a free");
    }
}

fn run(
    device: &Arc<dyn Device>,
    kernel: &Kernel,
    outer: &[usize],
    inner: &[usize],
    operands: &[Operand],
    scalars: &[Scalar],
) {
    kernel.validate().expect("a valid kernel");
    let mut launch = Launch { outer, inner, operands, scalars, scratch: 0 };
    let compiled = device.compile(kernel, Specialization::of(kernel, &launch)).expect("a kernel");
    let scratch = Buffer::new(device, compiled.scratch_bytes(&launch).max(1));
    launch.scratch = scratch.ptr();
    // SAFETY: operands were made for the launch.
    unsafe { compiled.launch(&*device.default_stream(), &launch) }.expect("a launch");
    device.synchronize().expect("the work is done");
}

fn operand(ptr: u64, strides: &[isize]) -> Operand {
    let mut all = [0; MAX_DIMS];
    all[..strides.len()].copy_from_slice(strides);
    Operand { ptr, strides: all }
}

/// Byte strides of a C-contiguous array.
fn contiguous(shape: &[usize], size: usize) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut next = size as isize;
    for (stride, length) in strides.iter_mut().zip(shape).rev() {
        *stride = next;
        next *= *length as isize;
    }
    strides
}

fn noise(seed: u64, count: usize) -> Vec<u64> {
    let mut state = seed | 1;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count).map(step).collect()
}

#[test]
fn maps_of_every_layout() {
    let Some(device) = device() else { return };
    let b = Builder::new("subtract");
    let (x, y) = (b.input(DType::F32), b.input(DType::F64));
    b.output(
        DType::F32,
        (x.cast(DType::F64) - y * b.real(DType::F64, 2.0)).cast(DType::F32) + b.index().cast(DType::F32),
    );
    let kernel = b.finish_map();
    for shape in
        [&[][..], &[1], &[7], &[1000], &[65_537], &[3, 5], &[64, 1024], &[100, 36], &[4, 3, 128], &[2, 3, 4, 5, 6]]
    {
        let count: usize = shape.iter().product();
        let x: Vec<f32> = noise(1, count).iter().map(|n| (n % 1000) as f32).collect();
        let y: Vec<f64> = noise(2, count).iter().map(|n| (n % 1000) as f64).collect();
        let (xs, ys, out) = (Buffer::of(&device, &x), Buffer::of(&device, &y), Buffer::new(&device, count * 4 + 64));
        // Plain; with the first operand read backwards; into a target that is off by one element; with the axes of the
        // first operand in the other order.
        for variant in 0..4 {
            let mut strides = contiguous(shape, 4);
            let mut first = xs.ptr();
            if variant == 1 {
                first += (count as u64 - 1) * 4;
                strides.iter_mut().for_each(|stride| *stride = -*stride);
            }
            if variant == 3 {
                let turned: Vec<usize> = shape.iter().rev().copied().collect();
                strides = contiguous(&turned, 4);
                strides.reverse();
            }
            let turned = offsets(shape, &if variant == 3 { strides.clone() } else { contiguous(shape, 4) });
            let shift = if variant == 2 { 4 } else { 0 };
            let operands = [
                operand(first, &strides),
                operand(ys.ptr(), &contiguous(shape, 8)),
                operand(out.ptr() + shift, &contiguous(shape, 4)),
            ];
            run(&device, &kernel, shape, &[], &operands, &[]);
            let result: Vec<f32> = out.read(count + 1);
            for i in 0..count {
                let a = if variant == 1 { x[count - 1 - i] } else { x[turned[i] / 4] };
                let wanted = (f64::from(a) - y[i] * 2.0) as f32 + i as f32;
                assert_eq!(result[i + shift as usize / 4], wanted, "{shape:?} variant {variant} element {i}");
            }
        }
    }
}

#[test]
fn broadcast_and_scalars() {
    let Some(device) = device() else { return };
    let b = Builder::new("scale");
    let (x, y) = (b.input(DType::I16), b.input(DType::C64));
    let s = b.scalar(DType::C64);
    b.output(DType::C64, (x.cast(DType::C64) + y) * s);
    let kernel = b.finish_map();
    let (rows, columns) = (37, 200);
    let x: Vec<i16> = noise(3, columns).iter().map(|n| (n % 100) as i16 - 50).collect();
    let y: Vec<[f32; 2]> = noise(4, rows).iter().map(|n| [(n % 7) as f32, (n % 11) as f32]).collect();
    let (xs, ys, out) = (Buffer::of(&device, &x), Buffer::of(&device, &y), Buffer::new(&device, rows * columns * 8));
    let operands =
        [operand(xs.ptr(), &[0, 2]), operand(ys.ptr(), &[8, 0]), operand(out.ptr(), &[columns as isize * 8, 8])];
    run(&device, &kernel, &[rows, columns], &[], &operands, &[Scalar::complex(DType::C64, 2.0, -3.0)]);
    let result: Vec<[f32; 2]> = out.read(rows * columns);
    for (i, value) in result.iter().enumerate() {
        let (re, im) = (f32::from(x[i % columns]) + y[i / columns][0], y[i / columns][1]);
        assert_eq!(*value, [re * 2.0 + im * 3.0, im * 2.0 - re * 3.0], "element {i}");
    }
}

/// Composition of x -> a * x + b: associative, and wrong in any other order.
fn affine(b: &Builder, value: DType) -> Fold {
    let input = b.operand(value, Mode::Read);
    let (scale, shift) = (b.operand(DType::U64, Mode::Write), b.operand(DType::U64, Mode::Write));
    let u = DType::U64;
    Fold {
        identity: b.lambda(&[], |_| vec![b.integer(u, 1), b.integer(u, 0)]),
        map: b.lambda(&[], |_| {
            let x = b.load(input).cast(u);
            vec![x * b.integer(u, 2) + b.integer(u, 3), x + b.index().cast(u)]
        }),
        combine: b.lambda(&[u, u, u, u], |p| vec![p[0] * p[2], p[1] * p[2] + p[3]]),
        finish: b.lambda(&[u, u], |p| {
            b.store(scale, p[0]);
            b.store(shift, p[1]);
            vec![]
        }),
    }
}

fn sum(b: &Builder, from: DType, to: DType) -> Fold {
    let input = b.operand(from, Mode::Read);
    let output = b.operand(to, Mode::Write);
    Fold {
        identity: b.lambda(&[], |_| vec![b.integer(to, 0)]),
        map: b.lambda(&[], |_| vec![b.load(input).cast(to)]),
        combine: b.lambda(&[to, to], |p| vec![p[0] + p[1]]),
        finish: b.lambda(&[to], |p| {
            b.store(output, p[0]);
            vec![]
        }),
    }
}

/// Shapes with the axes to fold.
const FOLDS: [(&[usize], &[usize]); 24] = [
    (&[1], &[0]),
    (&[31], &[0]),
    (&[4096], &[0]),
    (&[100_003], &[0]),
    (&[4_000_000], &[0]),
    (&[1000, 4], &[1]),
    (&[1000, 4], &[0]),
    (&[100_000, 8], &[1]),
    (&[100_000, 3], &[1]),
    (&[100_000, 3], &[0]),
    (&[300_000, 1], &[0]),
    (&[64, 1024], &[1]),
    (&[64, 1024], &[0]),
    (&[2000, 2048], &[1]),
    (&[2000, 2048], &[0]),
    (&[3, 1_000_000], &[1]),
    (&[3, 1_000_000], &[0]),
    (&[17, 33, 65], &[1]),
    (&[17, 33, 65], &[0, 2]),
    (&[16, 32, 64], &[0, 1]),
    (&[16, 32, 64], &[1, 2]),
    (&[5, 0], &[1]),
    (&[2, 3, 4, 5, 6], &[0, 2, 4]),
    (&[2, 3, 4, 5, 6], &[1, 3]),
];

/// Splits a shape with strides into the kept and the folded axes.
fn split(shape: &[usize], strides: &[isize], axes: &[usize]) -> (Vec<usize>, Vec<usize>, Vec<isize>) {
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let outer = kept.iter().map(|&axis| shape[axis]).collect();
    let inner = axes.iter().map(|&axis| shape[axis]).collect();
    let order = kept.iter().chain(axes).map(|&axis| strides[axis]).collect();
    (outer, inner, order)
}

/// Byte offsets of all points of some dimensions in C order.
fn offsets(shape: &[usize], strides: &[isize]) -> Vec<usize> {
    let mut all = vec![0usize];
    for (&length, &stride) in shape.iter().zip(strides) {
        all = all.iter().flat_map(|&at| (0..length).map(move |i| at + i * stride as usize)).collect();
    }
    all
}

fn folds(scan: bool) {
    let Some(device) = device() else { return };
    for value in [DType::U8, DType::I32, DType::U64] {
        for (shape, axes) in FOLDS {
            let count: usize = shape.iter().product();
            let size = value.size();
            let numbers = noise(5, count + 1);
            let bytes: Vec<u8> = numbers.iter().flat_map(|n| (n % 120).to_le_bytes()[..size].to_vec()).collect();
            let data = Buffer::of(&device, &bytes);
            let (outer, inner, order) = split(shape, &contiguous(shape, size), axes);
            let outer_offsets = offsets(&outer, &order[..outer.len()]);
            let inner_offsets = offsets(&inner, &order[outer.len()..]);
            let points = if scan { outer_offsets.len() * inner_offsets.len() } else { outer_offsets.len() };
            let (first, second) = (Buffer::new(&device, points * 8 + 8), Buffer::new(&device, points * 8 + 8));
            let result_shape: Vec<usize> = if scan { [&outer[..], &inner[..]].concat() } else { outer.clone() };
            let result = contiguous(&result_shape, 8);

            for commutative in [false, true] {
                let b = Builder::new(if commutative { "sum" } else { "affine" });
                let fold = if commutative { sum(&b, value, DType::U64) } else { affine(&b, value) };
                let kernel = b.finish(if scan { Body::Scan(fold) } else { Body::Reduce(fold) });
                let mut operands = vec![operand(data.ptr(), &order), operand(first.ptr(), &result)];
                if !commutative {
                    operands.push(operand(second.ptr(), &result));
                }
                run(&device, &kernel, &outer, &inner, &operands, &[]);
                let (got, got_shift): (Vec<u64>, Vec<u64>) = (first.read(points), second.read(points));
                for (o, outer_offset) in outer_offsets.iter().enumerate() {
                    let (mut a, mut s) = if commutative { (0u64, 0u64) } else { (1, 0) };
                    let expect = |at: usize, a: u64, s: u64| {
                        let what = format!("{value} {shape:?} over {axes:?}, commutative {commutative}, point {at}");
                        assert_eq!(got[at], a, "{what}");
                        if !commutative {
                            assert_eq!(got_shift[at], s, "{what}");
                        }
                    };
                    for (i, inner_offset) in inner_offsets.iter().enumerate() {
                        let x = numbers[(outer_offset + inner_offset) / size] % 120;
                        if commutative {
                            a = a.wrapping_add(x);
                        } else {
                            let (scale, shift) = (x.wrapping_mul(2).wrapping_add(3), x.wrapping_add(i as u64));
                            a = a.wrapping_mul(scale);
                            s = s.wrapping_mul(scale).wrapping_add(shift);
                        }
                        if scan {
                            expect(o * inner_offsets.len() + i, a, s);
                        }
                    }
                    if !scan {
                        expect(o, a, s);
                    }
                }
            }
        }
    }
}

#[test]
fn reductions_keep_the_order() {
    folds(false);
}

#[test]
fn scans_keep_the_order() {
    folds(true);
}

#[test]
fn scatters_and_faults() {
    let Some(device) = device() else { return };
    let bins = 100usize;
    let count = 200_000;
    let at: Vec<i64> = noise(6, count).iter().map(|n| (n % bins as u64) as i64).collect();
    let mut wanted = vec![0u32; bins];
    at.iter().for_each(|&i| wanted[i as usize] += 1);
    let positions = Buffer::of(&device, &at);
    for dtype in
        DType::ALL.into_iter().filter(|dtype| dtype.is_integer() || *dtype == DType::F32 || *dtype == DType::C128)
    {
        let b = Builder::new(format!("count_{dtype}"));
        let index = b.input(DType::I64);
        let target = b.operand(dtype, Mode::Update);
        b.atomic(target, Some(index * b.integer(DType::I64, dtype.size() as i128)), Atomic::Add, b.integer(dtype, 1));
        let kernel = b.finish_map();
        let counts = Buffer::of(&device, &vec![0u8; bins * 16]);
        run(&device, &kernel, &[count], &[], &[operand(positions.ptr(), &[8]), operand(counts.ptr(), &[0])], &[]);
        let bytes: Vec<u8> = counts.read(bins * dtype.size());
        for (bin, element) in bytes.chunks(dtype.size()).enumerate() {
            let mut literal = [0; 16];
            literal[..element.len()].copy_from_slice(element);
            let wrapped = Scalar::integer(dtype, wanted[bin].into());
            let wanted = if dtype.is_integer() { wrapped.to_integer() as f64 } else { f64::from(wanted[bin]) };
            assert_eq!(Scalar { bytes: literal, dtype }.to_complex().0, wanted, "{dtype} bin {bin}");
        }
    }
    assert_eq!(device.take_fault(), None);
    let b = Builder::new("guarded");
    let index = b.input(DType::I64);
    b.require(index.lt(b.scalar(DType::I64)), Fault::IndexOutOfBounds);
    b.output(DType::I64, index);
    let kernel = b.finish_map();
    let out = Buffer::new(&device, count * 8);
    for (limit, fault) in [(100, None), (99, Some(Fault::IndexOutOfBounds)), (100, None)] {
        let operands = [operand(positions.ptr(), &[8]), operand(out.ptr(), &[8])];
        run(&device, &kernel, &[count], &[], &operands, &[Scalar::i64(limit)]);
        assert_eq!(device.take_fault(), fault, "limit {limit}");
        assert_eq!(device.take_fault(), None);
    }
}

#[test]
fn extremes_of_floats_keep_nan() {
    let Some(device) = device() else { return };
    for dtype in [DType::F16, DType::F32, DType::F64] {
        let b = Builder::new(format!("maximum_{dtype}"));
        let index = b.input(DType::I64);
        let value = b.input(dtype);
        let target = b.operand(dtype, Mode::Update);
        b.atomic(target, Some(index * b.integer(DType::I64, dtype.size() as i128)), Atomic::Max, value);
        let kernel = b.finish_map();
        let scalar = |value: f64| Scalar::real(dtype, value).bytes[..dtype.size()].to_vec();
        let values: Vec<u8> = [1.0, 5.0, 3.0, -2.0, f64::NAN, 7.0].into_iter().flat_map(scalar).collect();
        let targets: Vec<u8> = [0.0, -9.0, 2.0].into_iter().flat_map(scalar).collect();
        let (at, values, targets) =
            (Buffer::of(&device, &[0i64, 0, 0, 1, 2, 2]), Buffer::of(&device, &values), Buffer::of(&device, &targets));
        let size = dtype.size() as isize;
        let operands = [operand(at.ptr(), &[8]), operand(values.ptr(), &[size]), operand(targets.ptr(), &[0])];
        run(&device, &kernel, &[6], &[], &operands, &[]);
        let bytes: Vec<u8> = targets.read(3 * dtype.size());
        let results: Vec<f64> = bytes
            .chunks(dtype.size())
            .map(|element| {
                let mut literal = [0; 16];
                literal[..element.len()].copy_from_slice(element);
                Scalar { bytes: literal, dtype }.to_complex().0
            })
            .collect();
        assert_eq!(results[..2], [5.0, -2.0], "{dtype}");
        assert!(results[2].is_nan(), "{dtype}");
    }
}

#[test]
fn sorts_of_every_type() {
    let Some(device) = device() else { return };
    let sorting = device.libraries().sorting().expect("sorting");
    for dtype in DType::ALL {
        for (rows, length) in [(1, 1), (1, 5), (1, 4096), (1, 100_001), (300, 7), (5, 5000), (70_000, 3)] {
            let count = rows * length;
            let size = dtype.size();
            let lanes = dtype.lanes();
            let numbers = noise(7, count * lanes);
            let number = |n: u64| match n % 13 {
                0 if dtype.is_inexact() => f64::NAN,
                1 if dtype.is_inexact() => -0.0,
                2 if dtype.is_inexact() => f64::NEG_INFINITY,
                _ => ((n >> 8) % 50) as f64 - if dtype.is_signed() || dtype.is_inexact() { 25.0 } else { 0.0 },
            };
            let elements: Vec<(f64, f64)> = if lanes == 2 {
                numbers.chunks(2).map(|pair| (number(pair[0]), number(pair[1]))).collect()
            } else {
                numbers.iter().map(|&n| (if dtype == DType::Bool { (n & 1) as f64 } else { number(n) }, 0.0)).collect()
            };
            let bytes: Vec<u8> =
                elements.iter().flat_map(|(re, im)| Scalar::complex(dtype, *re, *im).bytes[..size].to_vec()).collect();
            let keys = Buffer::of(&device, &bytes);
            let (sorted, indices) = (Buffer::new(&device, count * size), Buffer::new(&device, count * 8));
            let mut sort = Sort {
                dtype,
                rows,
                length,
                wanted: (0, length),
                bits: 8 * size,
                keys: keys.ptr(),
                sorted: sorted.ptr(),
                indices: indices.ptr(),
                scratch: 0,
            };
            let scratch = Buffer::new(&device, sorting.scratch_bytes(&sort));
            sort.scratch = scratch.ptr();
            // SAFETY: the buffers have the sizes that the sort states.
            unsafe { sorting.sort(&*device.default_stream(), &sort) }.expect("a sort");
            let got: Vec<i64> = indices.read(count);
            let got_bytes: Vec<u8> = sorted.read(count * size);
            let class = |(re, im): (f64, f64)| (re.is_nan(), im.is_nan());
            let part = |x: f64| if x.is_nan() { 0.0 } else { x };
            for row in 0..rows {
                let here = &elements[row * length..(row + 1) * length];
                let mut wanted: Vec<i64> = (0..length as i64).collect();
                wanted.sort_by(|&i, &j| {
                    let (a, b) = (here[i as usize], here[j as usize]);
                    class(a)
                        .cmp(&class(b))
                        .then((part(a.0), part(a.1)).partial_cmp(&(part(b.0), part(b.1))).expect("no NaN is left"))
                });
                assert_eq!(got[row * length..(row + 1) * length], wanted, "{dtype} {rows} x {length}, row {row}");
            }
            for (at, index) in got.iter().enumerate() {
                let from = (at / length * length + *index as usize) * size;
                assert_eq!(got_bytes[at * size..(at + 1) * size], bytes[from..from + size], "{dtype} element {at}");
            }
        }
    }
}

#[test]
fn products_of_every_layout() {
    let Some(device) = device() else { return };
    let blas = match device.libraries().blas() {
        Ok(blas) => blas,
        Err(error) => return println!("SKIPPED: {error}"),
    };
    let (m, n, batch) = (5usize, 7usize, 3usize);
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64, DType::C64, DType::C128] {
        for k in [0usize, 1, 4] {
            for layout in 0..8 {
                let size = dtype.size();
                let matrix = |rows: usize, columns: usize, by_columns: bool| Matrix {
                    ptr: 0,
                    row_stride: if by_columns { 1 } else { columns.max(1) as isize },
                    column_stride: if by_columns { rows.max(1) as isize } else { 1 },
                    batch_stride: (rows * columns) as isize,
                };
                let mut a = matrix(m, k, layout & 1 > 0);
                let mut b = matrix(k, n, layout & 2 > 0);
                let mut c = matrix(m, n, layout & 4 > 0);
                let numbers = |seed, count: usize| -> Vec<(f64, f64)> {
                    let complex = dtype.is_complex();
                    let value = |n: u64| ((n % 9) as f64 - 4.0, if complex { ((n >> 8) % 5) as f64 } else { 0.0 });
                    noise(seed, count).into_iter().map(value).collect()
                };
                let bytes = |values: &[(f64, f64)]| -> Vec<u8> {
                    values.iter().flat_map(|(re, im)| Scalar::complex(dtype, *re, *im).bytes[..size].to_vec()).collect()
                };
                let (av, bv, cv) = (numbers(1, batch * m * k), numbers(2, batch * k * n), numbers(3, batch * m * n));
                let pad = |mut bytes: Vec<u8>| {
                    bytes.resize(bytes.len() + 16, 0);
                    bytes
                };
                let (ab, bb, cb) = (
                    Buffer::of(&device, &pad(bytes(&av))),
                    Buffer::of(&device, &pad(bytes(&bv))),
                    Buffer::of(&device, &pad(bytes(&cv))),
                );
                (a.ptr, b.ptr, c.ptr) = (ab.ptr(), bb.ptr(), cb.ptr());
                let gemm = Gemm {
                    dtype,
                    compute: ComputeType::Default,
                    m,
                    n,
                    k,
                    batch,
                    a,
                    b,
                    c,
                    alpha: Scalar::real(dtype, 2.0),
                    beta: Scalar::real(dtype, -1.0),
                };
                // SAFETY: the buffers hold the matrices.
                unsafe { blas.gemm(&*device.default_stream(), &gemm) }.expect("a product");
                let result: Vec<u8> = cb.read(batch * m * n * size);
                let at = |matrix: &Matrix, batch: usize, row: usize, column: usize| {
                    (batch as isize * matrix.batch_stride
                        + row as isize * matrix.row_stride
                        + column as isize * matrix.column_stride) as usize
                };
                for (z, i, j) in (0..batch).flat_map(|z| (0..m).flat_map(move |i| (0..n).map(move |j| (z, i, j)))) {
                    let (mut re, mut im) = (0.0, 0.0);
                    for l in 0..k {
                        let (x, y) = (av[at(&a, z, i, l)], bv[at(&b, z, l, j)]);
                        re += x.0 * y.0 - x.1 * y.1;
                        im += x.0 * y.1 + x.1 * y.0;
                    }
                    let place = at(&c, z, i, j);
                    let mut literal = [0; 16];
                    literal[..size].copy_from_slice(&result[place * size..(place + 1) * size]);
                    let got = Scalar { bytes: literal, dtype }.to_complex();
                    let wanted = (2.0 * re - cv[place].0, 2.0 * im - cv[place].1);
                    assert_eq!(got, wanted, "{dtype} k {k} layout {layout} at {z} {i} {j}");
                }
            }
        }
    }
}

#[test]
fn streams_events_and_memory() {
    let Some(device) = device() else { return };
    println!("{:?}", device.info());
    let stream = device.create_stream(StreamFlags { non_blocking: true, priority: -1 }).expect("a stream");
    let (start, end) = (device.create_event(true).expect("an event"), device.create_event(true).expect("an event"));
    let buffer = Buffer::new(&device, 1 << 26);
    device.synchronize().expect("the work is done");
    stream.record(&*start).expect("a record");
    // SAFETY: the range is allocated.
    unsafe { device.fill(&*stream, buffer.ptr(), 7, 1 << 26) }.expect("a fill");
    stream.record(&*end).expect("a record");
    device.default_stream().wait(&*end).expect("a wait");
    end.synchronize().expect("the event comes");
    assert!(end.is_done().expect("a query") && stream.is_idle().expect("a query"));
    assert!(end.elapsed_since(&*start).expect("a time") > 0.0);
    assert_eq!(buffer.read::<u8>(10), [7; 10]);

    let info = device.memory_info().expect("sizes");
    assert!(info.free <= info.total);
    let error = device.allocate(MemoryKind::Device, info.total * 2).expect_err("more than there is");
    assert!(matches!(error, Error::OutOfMemory { requested, .. } if requested == info.total * 2), "{error}");
    for kind in [MemoryKind::Pinned, MemoryKind::Managed] {
        let allocation = device.allocate(kind, 1000).expect("memory");
        // SAFETY: both kinds can be written by the host; nothing else uses them.
        unsafe {
            (allocation.ptr as *mut u8).write(1);
            device.free(allocation).expect("a free");
        }
    }
}

#[test]
fn user_text() {
    let Some(device) = device() else { return };
    let text = "__device__ int table[4]; extern \"C\" __global__ void twice(float* x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }";
    let module = device.compile_source("twice", text, &[]).expect("a module");
    assert_eq!(module.global("table").expect("the variable").1, 16);
    assert!(module.function("thrice").is_err());
    let function = module.function("twice").expect("the function");
    let data = Buffer::of(&device, &[1.0f32, 2.0, 3.0]);
    let (mut pointer, mut count) = (data.ptr(), 3i32);
    let mut parameters = [(&raw mut pointer).cast(), (&raw mut count).cast()];
    let geometry = cuproxide_hal::RawLaunch { grid: [1; 3], block: [32, 1, 1], ..Default::default() };
    // SAFETY: the parameters fit the signature.
    unsafe { function.launch(&*device.default_stream(), geometry, &mut parameters) }.expect("a launch");
    assert_eq!(data.read::<f32>(3), [2.0, 4.0, 6.0]);
    let error = device.compile_source("broken", "int f( {", &[]).err().expect("an error");
    assert!(matches!(error, Error::Compile { .. }));
}

/// What no cache has takes the compiler, in any thread; from then on it is there without one.
#[test]
fn kernels_are_compiled_in_other_threads_and_then_cached() {
    let Some(device) = device() else { return };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock");
    // Nobody has compiled this constant before.
    let constant = (now.as_nanos() % 1_000_000_007) as i64;
    let b = Builder::new("unheard_of");
    let x = b.input(DType::I64);
    b.output(DType::I64, x + b.integer(DType::I64, constant.into()));
    let kernel = b.finish_map();
    let source = Buffer::of(&device, &[1i64, 2, 3]);
    let target = Buffer::new(&device, 24);
    let operands = [&source, &target].map(|buffer| operand(buffer.ptr(), &[8]));
    let launch = Launch { outer: &[3], inner: &[], operands: &operands, scalars: &[], scratch: 0 };
    let version = Specialization::of(&kernel, &launch);
    assert!(device.compile_cached(&kernel, version).expect("an answer").is_none());
    let compiled = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| device.compile(&kernel, version))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic").expect("a kernel")).collect::<Vec<_>>()
    });
    let cached = device.compile_cached(&kernel, version).expect("an answer").expect("it is compiled");
    for version in compiled.iter().chain([&cached]) {
        // SAFETY: operands were made for the launch.
        unsafe { version.launch(&*device.default_stream(), &launch) }.expect("a launch");
        assert_eq!(target.read::<i64>(3), [1 + constant, 2 + constant, 3 + constant]);
    }
    drop((compiled, cached));
    // The modules are gone; the disk has the code, unless it is told to keep nothing.
    if std::env::var_os("CUPROXIDE_CACHE_IN_MEMORY").is_none() {
        assert!(device.compile_cached(&kernel, version).expect("an answer").is_some());
    }
}

#[test]
fn the_report_lists_everything() {
    let report = cuproxide_cuda::backend().report();
    for library in &report.libraries {
        match &library.found {
            Ok((path, version)) => println!("{}: {version} at {path}", library.name),
            Err(missing) => println!("{}: missing after {} attempts", library.name, missing.attempts.len()),
        }
    }
    println!("{:?}", report.facts);
    assert_eq!(report.libraries.len(), 13);
}
