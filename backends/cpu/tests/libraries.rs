//! Matrix products and sorting against plain Rust.
#![allow(clippy::needless_range_loop, reason = "positions are compared, not elements")]

mod common;

use common::device;
use cuproxide_hal::libraries::{ComputeType, Gemm, Matrix, Sort};
use cuproxide_hal::{DType, Scalar};
use half::{bf16, f16};

/// Reads and writes elements as complex float64.
trait Number: Copy + Default {
    const DTYPE: DType;
    fn make(re: f64, im: f64) -> Self;
    fn parts(self) -> (f64, f64);
}

macro_rules! numbers {
    ($($type:ty, $dtype:ident, |$re:ident, $im:ident| $make:expr, |$x:ident| $parts:expr;)*) => {
        $(impl Number for $type {
            const DTYPE: DType = DType::$dtype;
            fn make($re: f64, $im: f64) -> $type { $make }
            fn parts(self) -> (f64, f64) { let $x = self; $parts }
        })*
    };
}

numbers! {
    f32, F32, |re, _im| re as f32, |x| (f64::from(x), 0.0);
    f64, F64, |re, _im| re, |x| (x, 0.0);
    f16, F16, |re, _im| f16::from_f64(re), |x| (x.to_f64(), 0.0);
    bf16, BF16, |re, _im| bf16::from_f64(re), |x| (x.to_f64(), 0.0);
    [f32; 2], C64, |re, im| [re as f32, im as f32], |x| (f64::from(x[0]), f64::from(x[1]));
    [f64; 2], C128, |re, im| [re, im], |x| (x[0], x[1]);
}

fn small(seed: usize) -> (f64, f64) {
    (((seed * 7919) % 17) as f64 / 4.0 - 2.0, ((seed * 104_729) % 13) as f64 / 4.0 - 1.5)
}

/// Whether something lies in the upper halves of vector registers, which slows the instructions down that follow; `None`
/// where the processor does not tell.
fn upper_halves_are_in_use() -> Option<bool> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__cpuid_count, _xgetbv};
        #[target_feature(enable = "xsave")]
        fn in_use() -> u64 {
            // SAFETY: the caller has asked the processor whether it knows register 1.
            unsafe { _xgetbv(1) }
        }
        let known = is_x86_feature_detected!("avx") && is_x86_feature_detected!("xsave");
        if known && __cpuid_count(0xd, 1).eax & 1 << 2 != 0 {
            // SAFETY: the processor has the instruction.
            return Some(unsafe { in_use() } & 1 << 2 != 0);
        }
    }
    None
}

#[test]
fn products_leave_nothing_in_the_upper_halves_of_registers() {
    let blas = device().libraries().blas().expect("products are supported");
    for side in [8, 30, 64, 300] {
        let (a, c) = (vec![1.0f64; side * side], vec![0.0f64; side * side]);
        let matrix = |data: &[f64]| Matrix {
            ptr: data.as_ptr() as u64,
            row_stride: side as isize,
            column_stride: 1,
            batch_stride: 0,
        };
        let one = |value| Scalar::complex(DType::F64, value, 0.0);
        let gemm = Gemm {
            dtype: DType::F64,
            compute: ComputeType::Default,
            m: side,
            n: side,
            k: side,
            batch: 1,
            a: matrix(&a),
            b: matrix(&a),
            c: matrix(&c),
            alpha: one(1.0),
            beta: one(0.0),
        };
        // SAFETY: the matrices are live vectors of these sizes.
        unsafe { blas.gemm(&*device().default_stream(), &gemm) }.expect("the product works");
        assert_ne!(upper_halves_are_in_use(), Some(true), "{side}");
    }
}

fn products<T: Number>(tolerance: f64) {
    for (m, n, k, batch) in
        [(1, 1, 1, 1), (3, 5, 4, 2), (17, 33, 9, 3), (200, 150, 120, 1), (64, 80, 0, 1), (65, 1, 300, 5)]
    {
        for order in 0..8 {
            let matrix = |rows: usize, columns: usize, transposed: bool| {
                let strides = if transposed { (1, rows as isize) } else { (columns as isize, 1) };
                (strides.0, strides.1, (rows * columns) as isize)
            };
            let shapes = [matrix(m, k, order & 1 != 0), matrix(k, n, order & 2 != 0), matrix(m, n, order & 4 != 0)];
            let fill = |count: usize, seed: usize| -> Vec<T> {
                (0..count.max(1)).map(|i| T::make(small(i + seed).0, small(i + seed).1)).collect()
            };
            let (a, b) = (fill(batch * m * k, 1), fill(batch * k * n, 2));
            for (alpha, beta) in [((1.0, 0.0), (0.0, 0.0)), ((0.5, 0.0), (1.0, 0.0)), ((2.0, 0.0), (-0.5, 0.0))] {
                let c = fill(batch * m * n, 3);
                let before = c.clone();
                let view = |data: &[T], (row_stride, column_stride, batch_stride): (isize, isize, isize)| Matrix {
                    ptr: data.as_ptr() as u64,
                    row_stride,
                    column_stride,
                    batch_stride,
                };
                let gemm = Gemm {
                    dtype: T::DTYPE,
                    compute: ComputeType::Default,
                    m,
                    n,
                    k,
                    batch,
                    a: view(&a, shapes[0]),
                    b: view(&b, shapes[1]),
                    c: view(&c, shapes[2]),
                    alpha: Scalar::complex(T::DTYPE, alpha.0, alpha.1),
                    beta: Scalar::complex(T::DTYPE, beta.0, beta.1),
                };
                let blas = device().libraries().blas().expect("products are supported");
                // SAFETY: the matrices are live vectors of these sizes.
                unsafe { blas.gemm(&*device().default_stream(), &gemm) }.expect("the product works");
                for z in 0..batch {
                    for i in (0..m).step_by(1 + m / 20) {
                        for j in 0..n {
                            let at = |data: &[T], s: (isize, isize, isize), i: usize, j: usize| {
                                data[(z as isize * s.2 + i as isize * s.0 + j as isize * s.1) as usize].parts()
                            };
                            let (mut re, mut im) = (0.0, 0.0);
                            for l in 0..k {
                                let (x, y) = (at(&a, shapes[0], i, l), at(&b, shapes[1], l, j));
                                re += x.0 * y.0 - x.1 * y.1;
                                im += x.0 * y.1 + x.1 * y.0;
                            }
                            let old = at(&before, shapes[2], i, j);
                            let expected = (alpha.0 * re + beta.0 * old.0, alpha.0 * im + beta.0 * old.1);
                            let got = at(&c, shapes[2], i, j);
                            let error = (got.0 - expected.0).hypot(got.1 - expected.1);
                            assert!(
                                error <= tolerance * (1.0 + expected.0.hypot(expected.1)),
                                "{} {m}x{n}x{k} {order} {got:?} {expected:?}",
                                T::DTYPE
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn products_of_every_type_and_order() {
    products::<f32>(1e-5);
    products::<f64>(1e-13);
    products::<[f32; 2]>(1e-5);
    products::<[f64; 2]>(1e-13);
    products::<f16>(2e-3);
    products::<bf16>(1e-2);
}

fn sorted<T: Copy + PartialEq + std::fmt::Debug>(
    dtype: DType,
    rows: usize,
    keys: &[T],
    bits: impl Fn(&T) -> u128,
    order: impl Fn(&T, &T) -> std::cmp::Ordering,
) {
    let length = keys.len() / rows;
    let wants = [(true, false), (false, true), (true, true)];
    let places = [(0, length), (length / 3, length / 3 + 1), (length / 2, length)];
    for ((want_keys, want_indices), wanted) in wants.into_iter().flat_map(|want| places.map(|places| (want, places))) {
        let (mut out, mut indices) = (keys.to_vec(), vec![-1i64; keys.len()]);
        out.reverse();
        let sort = Sort {
            dtype,
            rows,
            length,
            wanted,
            bits: 8 * dtype.size(),
            keys: keys.as_ptr() as u64,
            sorted: if want_keys { out.as_mut_ptr() as u64 } else { 0 },
            indices: if want_indices { indices.as_mut_ptr() as u64 } else { 0 },
            scratch: 0,
        };
        let sorting = device().libraries().sorting().expect("sorting is supported");
        // SAFETY: the addresses are live vectors of these sizes.
        unsafe { sorting.sort(&*device().default_stream(), &sort) }.expect("the sort works");
        for row in 0..rows {
            let line = &keys[row * length..(row + 1) * length];
            let mut expected: Vec<usize> = (0..length).collect();
            expected.sort_by(|&i, &j| order(&line[i], &line[j]));
            for (position, &from) in expected.iter().enumerate().take(wanted.1).skip(wanted.0) {
                if want_keys {
                    assert_eq!(
                        bits(&out[row * length + position]),
                        bits(&line[from]),
                        "{dtype} at {position} of {length}"
                    );
                }
                if want_indices {
                    assert_eq!(indices[row * length + position], from as i64, "{dtype} at {position} of {length}");
                }
            }
        }
    }
}

fn float_order(a: f64, b: f64) -> std::cmp::Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[test]
fn sorts_of_every_type() {
    let noise = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
    for (rows, length) in [(1, 1), (3, 7), (50, 100), (1, 200_001)] {
        let count = rows * length;
        macro_rules! integers {
            ($($type:ty => $dtype:ident),*) => {$(
                let keys: Vec<$type> = (0..count).map(|i| noise(i) as $type).collect();
                sorted(DType::$dtype, rows, &keys, |&x| x as u128, Ord::cmp);
            )*};
        }
        integers!(i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64);
        let truths: Vec<u8> = (0..count).map(|i| (noise(i) & 1) as u8).collect();
        sorted(DType::Bool, rows, &truths, |&x| x.into(), Ord::cmp);
        let special = [f64::NAN, -f64::NAN, 0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1.5, -1.5];
        let float = |i: usize| {
            let word = noise(i);
            if word % 3 == 0 { special[(word >> 8) as usize % 8] } else { (word >> 40) as f64 - 8e6 }
        };
        let doubles: Vec<f64> = (0..count).map(float).collect();
        sorted(DType::F64, rows, &doubles, |x| x.to_bits().into(), |a, b| float_order(*a, *b));
        let singles: Vec<f32> = doubles.iter().map(|&x| x as f32).collect();
        sorted(DType::F32, rows, &singles, |x| x.to_bits().into(), |a, b| float_order((*a).into(), (*b).into()));
        let halves: Vec<f16> = doubles.iter().map(|&x| f16::from_f64(x / 1e3)).collect();
        sorted(DType::F16, rows, &halves, |x| x.to_bits().into(), |a, b| float_order((*a).into(), (*b).into()));
        let brains: Vec<bf16> = doubles.iter().map(|&x| bf16::from_f64(x)).collect();
        sorted(DType::BF16, rows, &brains, |x| x.to_bits().into(), |a, b| float_order((*a).into(), (*b).into()));
        let pairs: Vec<[f32; 2]> = (0..count).map(|i| [(float(i) as f32 / 1e6).trunc(), float(i + 5) as f32]).collect();
        let bits = |x: &[f32; 2]| u128::from(x[0].to_bits()) << 32 | u128::from(x[1].to_bits());
        let class = |x: &[f32; 2]| (x[0].is_nan(), x[1].is_nan());
        sorted(DType::C64, rows, &pairs, bits, |a, b| {
            let parts = float_order(a[0].into(), b[0].into()).then(float_order(a[1].into(), b[1].into()));
            class(a).cmp(&class(b)).then(parts)
        });
    }
}

/// Positions of 64-bit elements are sorted by their leading bits first: few, many or all of these are the same.
#[test]
fn sorts_of_equal_leading_bits() {
    let noise = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
    let far = |i: usize, word: u64| if i % 1000 == 5 { u64::MAX - (i as u64) } else { word };
    for (rows, length) in [(2, 19), (2, 22), (3, 300), (1, 5_001), (1, 200_003)] {
        let count = rows * length;
        let kinds: [&dyn Fn(usize) -> u64; 7] = [
            &noise,
            &|i| far(i, noise(i) >> 40),
            &|i| far(i, noise(i) & 1),
            &|i| noise(i) << 62 | noise(i + 1) >> 59,
            &|i| i as u64 >> 3,
            &|i| (count - i) as u64,
            &|_| 7,
        ];
        for kind in kinds {
            let words: Vec<u64> = (0..count).map(kind).collect();
            sorted(DType::U64, rows, &words, |&x| x.into(), Ord::cmp);
            let signed: Vec<i64> = words.iter().map(|&word| word as i64).collect();
            sorted(DType::I64, rows, &signed, |&x| x as u128, Ord::cmp);
            let floats: Vec<f64> = words.iter().map(|&word| f64::from_bits(word)).collect();
            sorted(DType::F64, rows, &floats, |x| x.to_bits().into(), |a, b| float_order(*a, *b));
        }
    }
}
