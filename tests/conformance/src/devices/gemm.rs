//! Matrix products.

use cuproxide_hal::libraries::{ComputeType, Gemm, Matrix};
use cuproxide_hal::{DType, Scalar};
use num_complex::Complex64;

use super::Test;
use crate::case::bytes;
use crate::interpreter::number::{Number, decode, round, round_complex};
use crate::rig::{Check, Rig, ensure};
use crate::samples::Random;
use crate::tolerance::Tolerance;

pub const TESTS: &[Test] = &[
    ("float16", |rig| products(rig, DType::F16)),
    ("bfloat16", |rig| products(rig, DType::BF16)),
    ("float32", |rig| products(rig, DType::F32)),
    ("float64", |rig| products(rig, DType::F64)),
    ("complex64", |rig| products(rig, DType::C64)),
    ("complex128", |rig| products(rig, DType::C128)),
];

/// How a matrix lies in memory: rows or columns together, with elements between them.
#[derive(Clone, Copy, Debug)]
struct Order {
    transposed: bool,
    padding: usize,
    /// One matrix for the whole stack.
    shared: bool,
}

impl Order {
    const PLAIN: Order = Order { transposed: false, padding: 0, shared: false };
    const TRANSPOSED: Order = Order { transposed: true, ..Order::PLAIN };
    const PADDED: Order = Order { padding: 3, ..Order::PLAIN };
    const BOTH: Order = Order { transposed: true, padding: 5, shared: false };
    const SHARED: Order = Order { shared: true, ..Order::PLAIN };

    /// (row stride, column stride, batch stride, elements in all)
    fn strides(self, rows: usize, columns: usize, batch: usize) -> (isize, isize, isize, usize) {
        let (lines, length) = if self.transposed { (columns, rows) } else { (rows, columns) };
        let line = length.max(1) + self.padding;
        let stack = lines * line + self.padding;
        let (row, column) = if self.transposed { (1, line) } else { (line, 1) };
        let step = if self.shared { 0 } else { stack };
        (row as isize, column as isize, step as isize, stack * if self.shared { 1 } else { batch })
    }
}

struct Problem {
    m: usize,
    n: usize,
    k: usize,
    batch: usize,
    orders: [Order; 3],
    alpha: f64,
    beta: f64,
}

fn products(rig: &Rig, dtype: DType) -> Check {
    let plain = [Order::PLAIN; 3];
    let mut problems = vec![];
    for (m, n, k) in
        [(1, 1, 1), (1, 17, 5), (17, 1, 5), (3, 4, 5), (16, 16, 16), (33, 65, 70), (128, 96, 40), (5, 6, 0)]
    {
        problems.push(Problem { m, n, k, batch: 1, orders: plain, alpha: 1.0, beta: 0.0 });
        problems.push(Problem { m, n, k, batch: 1, orders: plain, alpha: 2.0, beta: -1.0 });
    }
    let all = [Order::PLAIN, Order::TRANSPOSED, Order::PADDED, Order::BOTH];
    for a in all {
        for b in all {
            for c in all {
                problems.push(Problem { m: 19, n: 23, k: 29, batch: 1, orders: [a, b, c], alpha: 1.0, beta: 1.0 });
            }
        }
    }
    for orders in [plain, [Order::SHARED, Order::BOTH, Order::PLAIN], [Order::TRANSPOSED, Order::SHARED, Order::PADDED]]
    {
        problems.push(Problem { m: 9, n: 10, k: 11, batch: 7, orders, alpha: 1.0, beta: 0.0 });
        problems.push(Problem { m: 9, n: 10, k: 11, batch: 7, orders, alpha: -1.0, beta: 2.0 });
        problems.push(Problem { m: 9, n: 10, k: 0, batch: 3, orders, alpha: 1.0, beta: 2.0 });
    }
    problems.iter().try_for_each(|problem| product(rig, dtype, problem))
}

/// Small whole numbers, whose products are exact in every type but for the last rounding of the result.
fn whole(dtype: DType, count: usize, seed: u64) -> Vec<Number> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.small(dtype)).collect()
}

fn product(rig: &Rig, dtype: DType, problem: &Problem) -> Check {
    let &Problem { m, n, k, batch, orders: [order_a, order_b, order_c], alpha, beta } = problem;
    let blas = rig.device.libraries().blas()?;
    let strides = [order_a.strides(m, k, batch), order_b.strides(k, n, batch), order_c.strides(m, n, batch)];
    let a = whole(dtype, strides[0].3, 1);
    let b = whole(dtype, strides[1].3, 2);
    let mut c = whole(dtype, strides[2].3, 3);
    if beta == 0.0 {
        // What is not read must not matter.
        let nan =
            if dtype.is_complex() { Number::Complex(Complex64::new(f64::NAN, 0.0)) } else { Number::Real(f64::NAN) };
        c.fill(nan);
    }
    let buffers = [rig.upload(&bytes(dtype, &a))?, rig.upload(&bytes(dtype, &b))?, rig.upload(&bytes(dtype, &c))?];
    let [a_matrix, b_matrix, c_matrix] = [0, 1, 2].map(|i| Matrix {
        ptr: buffers[i].ptr(),
        row_stride: strides[i].0,
        column_stride: strides[i].1,
        batch_stride: strides[i].2,
    });
    let gemm = Gemm {
        dtype,
        compute: ComputeType::Default,
        m,
        n,
        k,
        batch,
        a: a_matrix,
        b: b_matrix,
        c: c_matrix,
        alpha: Scalar::real(dtype, alpha),
        beta: Scalar::real(dtype, beta),
    };
    // SAFETY: the buffers are as large as the strides reach.
    unsafe { blas.gemm(&*rig.stream, &gemm)? };
    let found = buffers[2].download()?;
    let found: Vec<Number> = found.chunks_exact(dtype.size()).map(|element| decode(dtype, element)).collect();

    let at = |i: usize, matrix: usize, row: usize, column: usize| {
        let (row_stride, column_stride, batch_stride, _) = strides[matrix];
        i * batch_stride as usize + row * row_stride as usize + column * column_stride as usize
    };
    let mut expected = c.clone();
    for i in 0..batch {
        for row in 0..m {
            for column in 0..n {
                let sum: Complex64 =
                    (0..k).map(|l| a[at(i, 0, row, l)].complex() * b[at(i, 1, l, column)].complex()).sum();
                let target = at(i, 2, row, column);
                let old = if beta == 0.0 { Complex64::new(0.0, 0.0) } else { c[target].complex() * beta };
                let value = sum * alpha + old;
                expected[target] = if dtype.is_complex() {
                    Number::Complex(round_complex(dtype, value))
                } else {
                    Number::Real(round(dtype, value.re))
                };
            }
        }
    }
    let narrow = matches!(dtype, DType::F16 | DType::BF16);
    let tolerance = if narrow { Tolerance { ulp: 1.0, signed_zero: false } } else { Tolerance::EXACT_VALUE };
    for (index, (&expected, &found)) in expected.iter().zip(&found).enumerate() {
        ensure(tolerance.accepts(dtype, expected, found), || {
            let orders = problem.orders;
            format!(
                "{m}x{n}x{k}, batch {batch}, {orders:?}, alpha {alpha}, beta {beta}: [{index}] expected {expected:?}, found {found:?}"
            )
        })?;
    }
    Ok(())
}
