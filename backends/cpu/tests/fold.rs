//! Reductions and scans over dtypes and layouts against plain loops.
#![allow(clippy::needless_range_loop, reason = "positions are compared, not elements")]

mod common;

use common::{Element, fold, launch, numbers, operand};
use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Body, Builder, Fold, Kernel, Mode};

fn sum(input: DType, accumulator: DType) -> Kernel {
    fold(input, accumulator, false, 0.0, |a, b| a + b)
}

/// Sums of a (rows, columns) matrix along both axes, all elements, and a strided part.
fn sums<T: Element>(add: fn(T, T) -> T) {
    let kernel = sum(T::DTYPE, T::DTYPE);
    let s = size_of::<T>() as isize;
    for (rows, columns) in [(1, 1), (3, 5), (17, 100), (100, 17), (1000, 37), (5, 20_011), (20_011, 5), (300, 300)] {
        let a: Vec<T> = numbers(rows * columns);
        let line = s * columns as isize;
        let total = |positions: &mut dyn Iterator<Item = usize>| positions.map(|i| a[i]).fold(T::default(), add);
        let along_columns = vec![T::default(); rows];
        launch(&kernel, &[rows], &[columns], &[operand(&a, 0, &[line, s]), operand(&along_columns, 0, &[s, 0])], &[]);
        for r in 0..rows {
            assert_eq!(
                along_columns[r],
                total(&mut (0..columns).map(|c| r * columns + c)),
                "{} {rows}x{columns}",
                T::DTYPE
            );
        }
        let along_rows = vec![T::default(); columns];
        launch(&kernel, &[columns], &[rows], &[operand(&a, 0, &[s, line]), operand(&along_rows, 0, &[s, 0])], &[]);
        for c in 0..columns {
            assert_eq!(along_rows[c], total(&mut (0..rows).map(|r| r * columns + c)), "{} {rows}x{columns}", T::DTYPE);
        }
        let all = vec![T::default(); 1];
        launch(&kernel, &[], &[rows, columns], &[operand(&a, 0, &[line, s]), operand(&all, 0, &[0, 0])], &[]);
        assert_eq!(all[0], total(&mut (0..rows * columns)));
        let half = columns / 2 + 1;
        let every_other = vec![T::default(); rows];
        let source = operand(&a, 0, &[line, 2 * s]);
        launch(&kernel, &[rows], &[half.min(columns.div_ceil(2))], &[source, operand(&every_other, 0, &[s, 0])], &[]);
        for r in 0..rows {
            assert_eq!(every_other[r], total(&mut (0..half.min(columns.div_ceil(2))).map(|c| r * columns + 2 * c)));
        }
    }
}

#[test]
fn sums_of_every_integer_type() {
    sums::<i8>(i8::wrapping_add);
    sums::<u8>(u8::wrapping_add);
    sums::<i16>(i16::wrapping_add);
    sums::<u16>(u16::wrapping_add);
    sums::<i32>(i32::wrapping_add);
    sums::<u32>(u32::wrapping_add);
    sums::<i64>(i64::wrapping_add);
    sums::<u64>(u64::wrapping_add);
}

#[test]
fn sums_of_small_floats_are_exact() {
    sums::<f64>(|a, b| a + b);
    sums::<f32>(|a, b| a + b);
}

#[test]
fn wider_accumulators() {
    let a: Vec<f32> = numbers(100_001);
    let out = vec![0.0f64];
    launch(&sum(DType::F32, DType::F64), &[], &[a.len()], &[operand(&a, 0, &[4]), operand(&out, 0, &[0])], &[]);
    assert_eq!(out[0], a.iter().map(|&x| f64::from(x)).sum::<f64>());
    let a: Vec<u8> = numbers(100_001);
    let out = vec![0i64];
    launch(&sum(DType::U8, DType::I64), &[], &[a.len()], &[operand(&a, 0, &[1]), operand(&out, 0, &[0])], &[]);
    assert_eq!(out[0], a.iter().map(|&x| i64::from(x)).sum::<i64>());
}

#[test]
fn empty_inner_space_gives_the_identity() {
    let kernel = fold(DType::F64, DType::F64, false, 1.0, |a, b| a * b);
    let out = vec![0.0; 3];
    launch(&kernel, &[3], &[0], &[operand(&out, 0, &[0, 8]), operand(&out, 0, &[8, 0])], &[]);
    assert_eq!(out, [1.0; 3]);
}

#[test]
fn minima_any_and_all() {
    for count in [1, 10, 1000, 50_021] {
        let mut a: Vec<f32> = (0..count).map(|i| ((i * 7919) % 1013) as f32 - 500.0).collect();
        let out = vec![0f32];
        let low = fold(DType::F32, DType::F32, false, f64::INFINITY, |a, b| a.binary(Binary::Min, b));
        launch(&low, &[], &[count], &[operand(&a, 0, &[4]), operand(&out, 0, &[0])], &[]);
        assert_eq!(out[0], a.iter().copied().fold(f32::INFINITY, f32::min));
        a[count / 2] = f32::NAN;
        launch(&low, &[], &[count], &[operand(&a, 0, &[4]), operand(&out, 0, &[0])], &[]);
        assert!(out[0].is_nan());
        for (value, kernel) in [
            (0u8, fold(DType::U8, DType::Bool, false, 0.0, |a, b| a | b)),
            (1u8, fold(DType::U8, DType::Bool, false, 1.0, |a, b| a & b)),
        ] {
            let mut flags = vec![value; count];
            let out = vec![7u8];
            launch(&kernel, &[], &[count], &[operand(&flags, 0, &[1]), operand(&out, 0, &[0])], &[]);
            assert_eq!(out[0], value);
            flags[count / 3] = 1 - value;
            launch(&kernel, &[], &[count], &[operand(&flags, 0, &[1]), operand(&out, 0, &[0])], &[]);
            assert_eq!(out[0], 1 - value);
        }
    }
}

/// The position of the first largest element: a fold with two accumulators that does not commute.
fn argmax() -> Kernel {
    let builder = Builder::new("argmax");
    let source = builder.operand(DType::F64, Mode::Read);
    let target = builder.operand(DType::I64, Mode::Write);
    let types = [DType::F64, DType::I64];
    let fold = Fold {
        identity: builder
            .lambda(&[], |_| vec![builder.real(DType::F64, f64::NEG_INFINITY), builder.integer(DType::I64, -1)]),
        map: builder.lambda(&[], |_| vec![builder.load(source), builder.index()]),
        combine: builder.lambda(&[types, types].concat(), |a| {
            let later = a[2].gt(a[0]) | a[1].lt(a[1].like_integer(0));
            vec![a[2].when(later, a[0]), a[3].when(later, a[1])]
        }),
        finish: builder.lambda(&types, |a| {
            builder.store(target, a[1]);
            vec![]
        }),
    };
    builder.finish(Body::Reduce(fold))
}

#[test]
fn argmax_keeps_the_first_along_both_axes() {
    let kernel = argmax();
    for (rows, columns) in [(1, 1), (4, 1000), (1000, 4), (3, 40_000), (40_000, 3), (200, 200)] {
        let a: Vec<f64> = (0..rows * columns).map(|i| ((i * 7919) % 101) as f64).collect();
        let line = 8 * columns as isize;
        let first = |positions: Vec<usize>| {
            let mut best = 0;
            for (k, &position) in positions.iter().enumerate() {
                if a[position] > a[positions[best]] {
                    best = k;
                }
            }
            best as i64
        };
        let out = vec![0i64; rows];
        launch(&kernel, &[rows], &[columns], &[operand(&a, 0, &[line, 8]), operand(&out, 0, &[8, 0])], &[]);
        for r in 0..rows {
            assert_eq!(out[r], first((0..columns).map(|c| r * columns + c).collect()), "{rows}x{columns} row {r}");
        }
        let out = vec![0i64; columns];
        launch(&kernel, &[columns], &[rows], &[operand(&a, 0, &[8, line]), operand(&out, 0, &[8, 0])], &[]);
        for c in 0..columns {
            assert_eq!(out[c], first((0..rows).map(|r| r * columns + c).collect()), "{rows}x{columns} column {c}");
        }
        let out = vec![0i64];
        launch(&kernel, &[], &[rows, columns], &[operand(&a, 0, &[line, 8]), operand(&out, 0, &[0, 0])], &[]);
        assert_eq!(out[0], first((0..rows * columns).collect()), "{rows}x{columns}");
    }
}

#[test]
fn float32_sums_are_as_accurate_as_pairwise_ones() {
    let count = 10_000_000;
    let kernel = sum(DType::F32, DType::F32);
    for a in [vec![0.1f32; count], (0..count).map(|i| ((i * 2_654_435_761) % 1_000_003) as f32 / 1e6).collect()] {
        let out = vec![0f32];
        launch(&kernel, &[], &[count], &[operand(&a, 0, &[4]), operand(&out, 0, &[0])], &[]);
        let exact: f64 = a.iter().map(|&x| f64::from(x)).sum();
        assert!(((f64::from(out[0]) - exact) / exact).abs() < 2e-7, "{} {exact}", out[0]);
        let columns = vec![0f32; 10];
        let rows = count / 10;
        launch(&kernel, &[10], &[rows], &[operand(&a, 0, &[4, 40]), operand(&columns, 0, &[4, 0])], &[]);
        for c in 0..10 {
            let exact: f64 = (0..rows).map(|r| f64::from(a[10 * r + c])).sum();
            assert!(((f64::from(columns[c]) - exact) / exact).abs() < 3e-6, "{} {exact}", columns[c]);
        }
    }
}

#[test]
fn complex_and_three_dimensional_sums() {
    let kernel = sum(DType::C128, DType::C128);
    let a: Vec<f64> = numbers(2 * 7 * 11 * 13);
    let out = vec![0.0; 2 * 11];
    // Axes 0 and 2 of a (7, 11, 13) array.
    let source = operand(&a, 0, &[13 * 16, 11 * 13 * 16, 16]);
    launch(&kernel, &[11], &[7, 13], &[source, operand(&out, 0, &[16, 0, 0])], &[]);
    for j in 0..11 {
        for part in 0..2 {
            let expected: f64 = (0..7 * 13).map(|ik| a[2 * ((ik / 13 * 11 + j) * 13 + ik % 13) + part]).sum();
            assert_eq!(out[2 * j + part], expected);
        }
    }
}

#[test]
fn scans_along_both_axes() {
    let kernel = fold(DType::I64, DType::I64, true, 0.0, |a, b| a + b);
    for (rows, columns) in [(1, 1), (1, 100_000), (100_000, 1), (7, 1000), (1000, 7), (400, 300)] {
        let a: Vec<i64> = numbers(rows * columns);
        let line = 8 * columns as isize;
        let out = vec![0i64; rows * columns];
        launch(&kernel, &[rows], &[columns], &[operand(&a, 0, &[line, 8]), operand(&out, 0, &[line, 8])], &[]);
        for r in 0..rows {
            let mut total = 0;
            for c in 0..columns {
                total += a[r * columns + c];
                assert_eq!(out[r * columns + c], total, "{rows}x{columns} at {r}, {c}");
            }
        }
        let out = vec![0i64; rows * columns];
        launch(&kernel, &[columns], &[rows], &[operand(&a, 0, &[8, line]), operand(&out, 0, &[8, line])], &[]);
        for c in 0..columns {
            let mut total = 0;
            for r in 0..rows {
                total += a[r * columns + c];
                assert_eq!(out[r * columns + c], total, "{rows}x{columns} at {r}, {c}");
            }
        }
    }
}

/// The position of the first greatest element, as `core` writes it: NaN is greatest.
fn first_greatest<T: Element>() -> Kernel {
    let b = Builder::new("argmax");
    let (source, target) = (b.operand(T::DTYPE, Mode::Read), b.operand(DType::I64, Mode::Write));
    let types = [T::DTYPE, DType::I64];
    let fold = Fold {
        identity: b.lambda(&[], |_| {
            let least = if T::DTYPE.is_float() { f64::NEG_INFINITY } else { 0.0 };
            vec![b.real(T::DTYPE, least), b.integer(DType::I64, i64::MAX.into())]
        }),
        map: b.lambda(&[], |_| vec![b.load(source), b.index()]),
        combine: b.lambda(&[types, types].concat(), |a| {
            let (x, y) = (a[0], a[2]);
            let tied = (y.eq(x) | (x.is_nan() & y.is_nan())) & a[3].lt(a[1]);
            let take = y.gt(x) | tied | (y.is_nan() & !x.is_nan());
            vec![y.when(take, x), a[3].when(take, a[1])]
        }),
        finish: b.lambda(&types, |a| {
            b.store(target, a[1]);
            vec![]
        }),
    };
    b.finish(Body::Reduce(fold))
}

fn check_first_greatest<T: Element + PartialOrd>(greatest: T, length: usize, rows: usize) {
    let size = size_of::<T>() as isize;
    let kernel = first_greatest::<T>();
    for place in [0, 1.min(length - 1), length / 3, length / 2, length - 1] {
        let mut data: Vec<T> = (0..rows * length).map(|i| T::small(i * 31 % 90)).collect();
        let expected: Vec<i64> = (0..rows)
            .map(|row| {
                let line = &mut data[row * length..][..length];
                // Twice, so that the first counts.
                line[place] = greatest;
                line[length - 1 - (length - 1 - place) / 2] = greatest;
                let first = line.iter().position(|x| *x == greatest || x.partial_cmp(x).is_none());
                first.expect("it was put there") as i64
            })
            .collect();
        let found = vec![-5i64; rows];
        let operands = [operand(&data, 0, &[length as isize * size, size]), operand(&found, 0, &[8, 0])];
        launch(&kernel, &[rows], &[length], &operands, &[]);
        assert_eq!(found, expected, "{} of {rows} x {length} at {place}", T::DTYPE);
    }
}

#[test]
fn the_first_of_the_greatest_is_found() {
    for (length, rows) in [(1, 3), (7, 2), (63, 3), (64, 1), (300, 4), (5000, 2), (20_001, 1)] {
        check_first_greatest::<u8>(200, length, rows);
        check_first_greatest::<i8>(100, length, rows);
        check_first_greatest::<i16>(300, length, rows);
        check_first_greatest::<i32>(1000, length, rows);
        check_first_greatest::<i64>(1000, length, rows);
        check_first_greatest::<f32>(1000.0, length, rows);
        check_first_greatest::<f32>(f32::NAN, length, rows);
        check_first_greatest::<f64>(f64::INFINITY, length, rows);
        check_first_greatest::<f64>(f64::NAN, length, rows);
    }
}
