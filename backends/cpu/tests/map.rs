//! Maps over dtypes and layouts against plain loops.
#![allow(clippy::needless_range_loop, reason = "positions are compared, not elements")]

mod common;

use common::{Element, launch, map, numbers, operand};
use cuproxide_hal::ir::{Atomic, Builder, Mode, Unary};
use cuproxide_hal::{DType, Scalar};

const SIZES: [usize; 9] = [1, 2, 7, 8, 15, 64, 100, 1001, 100_003];

fn contiguous<T: Element>() -> isize {
    size_of::<T>() as isize
}

fn adds<T: Element>(add: fn(T, T) -> T) {
    let kernel = map(2, T::DTYPE, T::DTYPE, |x| x[0] + x[1]);
    for count in SIZES {
        let (a, b) = (numbers::<T>(count), numbers::<T>(2 * count));
        let mut out = vec![T::default(); count];
        let s = contiguous::<T>();
        launch(&kernel, &[count], &[], &[operand(&a, 0, &[s]), operand(&b, 0, &[2 * s]), operand(&out, 0, &[s])], &[]);
        for i in 0..count {
            assert_eq!(out[i], add(a[i], b[2 * i]), "strided, {} {i} of {count}", T::DTYPE);
        }
        out.fill(T::default());
        launch(
            &kernel,
            &[count],
            &[],
            &[operand(&a, 0, &[s]), operand(&b, 3 % count, &[0]), operand(&out, 0, &[s])],
            &[],
        );
        for i in 0..count {
            assert_eq!(out[i], add(a[i], b[3 % count]), "broadcast, {} {i} of {count}", T::DTYPE);
        }
    }
}

#[test]
fn addition_of_every_plain_type() {
    adds::<i8>(i8::wrapping_add);
    adds::<u8>(u8::wrapping_add);
    adds::<i16>(i16::wrapping_add);
    adds::<u16>(u16::wrapping_add);
    adds::<i32>(i32::wrapping_add);
    adds::<u32>(u32::wrapping_add);
    adds::<i64>(i64::wrapping_add);
    adds::<u64>(u64::wrapping_add);
    adds::<f32>(|a, b| a + b);
    adds::<f64>(|a, b| a + b);
}

macro_rules! casts {
    ($from:ty => $($to:ty),*) => {$({
        let kernel = map(1, <$from>::DTYPE, <$to>::DTYPE, |x| x[0].cast(<$to>::DTYPE));
        for count in [5, 16, 77, 1000] {
            let a: Vec<$from> = numbers(count);
            let out = vec![<$to>::default(); count];
            launch(&kernel, &[count], &[], &[operand(&a, 0, &[contiguous::<$from>()]), operand(&out, 0, &[contiguous::<$to>()])], &[]);
            let expected: Vec<$to> = a.iter().map(|&x| x as $to).collect();
            assert_eq!(out, expected, "{} to {}", <$from>::DTYPE, <$to>::DTYPE);
        }
    })*};
    ($($from:ty),*) => { $(casts!($from => i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);)* };
}

#[test]
fn casts_between_all_plain_types() {
    casts!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);
}

#[test]
fn casts_of_negative_and_large_integers_wrap() {
    let a: Vec<i64> = (0..100).map(|i| (i - 50) * 1_234_567_891_011).collect();
    macro_rules! to {
        ($($to:ty),*) => {$({
            let kernel = map(1, DType::I64, <$to>::DTYPE, |x| x[0].cast(<$to>::DTYPE));
            let out = vec![<$to>::default(); a.len()];
            launch(&kernel, &[a.len()], &[], &[operand(&a, 0, &[8]), operand(&out, 0, &[contiguous::<$to>()])], &[]);
            let expected: Vec<$to> = a.iter().map(|&x| x as $to).collect();
            assert_eq!(out, expected, "int64 to {}", <$to>::DTYPE);
        })*};
    }
    to!(i8, u8, i16, u16, i32, u32, u64, f32, f64);
}

#[test]
fn comparison_selects_and_stores_bool() {
    for count in SIZES {
        let (a, b) = (numbers::<f64>(count), (0..count).map(|i| (i % 50) as f64).collect::<Vec<_>>());
        let out = vec![9u8; count];
        let kernel = map(2, DType::F64, DType::Bool, |x| x[0].lt(x[1]));
        launch(&kernel, &[count], &[], &[operand(&a, 0, &[8]), operand(&b, 0, &[8]), operand(&out, 0, &[1])], &[]);
        assert!((0..count).all(|i| out[i] == u8::from(a[i] < b[i])), "{count}");
        let kernel = map(2, DType::F64, DType::F32, |x| x[0].when(x[0].lt(x[1]), x[1]).cast(DType::F32));
        let low = vec![0f32; count];
        launch(&kernel, &[count], &[], &[operand(&a, 0, &[8]), operand(&b, 0, &[8]), operand(&low, 0, &[4])], &[]);
        assert!((0..count).all(|i| low[i] == a[i].min(b[i]) as f32), "{count}");
    }
}

#[test]
fn minimum_keeps_nan_in_any_position() {
    let values = [1.0, f64::NAN, -2.0, f64::INFINITY, 0.0, f64::NEG_INFINITY, 5.0];
    let pairs: Vec<(f64, f64)> = values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b))).collect();
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    for (kernel, fold) in [
        (map(2, DType::F64, DType::F64, |x| x[0].min(x[1])), f64::min as fn(f64, f64) -> f64),
        (map(2, DType::F64, DType::F64, |x| x[0].max(x[1])), f64::max),
    ] {
        let out = vec![0.0; a.len()];
        launch(&kernel, &[a.len()], &[], &[operand(&a, 0, &[8]), operand(&b, 0, &[8]), operand(&out, 0, &[8])], &[]);
        for i in 0..a.len() {
            let expected = if a[i].is_nan() || b[i].is_nan() { f64::NAN } else { fold(a[i], b[i]) };
            assert!(out[i] == expected || (out[i].is_nan() && expected.is_nan()), "{} {} gave {}", a[i], b[i], out[i]);
        }
    }
}

#[test]
fn every_dimension_count_and_order_of_axes() {
    let kernel = map(1, DType::I32, DType::I32, |x| x[0] + x[0].like_integer(1));
    for dims in [vec![], vec![3], vec![4, 5], vec![3, 4, 5], vec![2, 3, 4, 5], vec![2, 1, 3, 2, 2, 7, 2, 3]] {
        let total: usize = dims.iter().product();
        let a: Vec<i32> = (0..total as i32).collect();
        let out = vec![0i32; total];
        let mut c_order = vec![0isize; dims.len()];
        let mut f_order = vec![0isize; dims.len()];
        let (mut back, mut front) = (4, 4);
        for axis in 0..dims.len() {
            f_order[axis] = front;
            front *= dims[axis] as isize;
            let last = dims.len() - 1 - axis;
            c_order[last] = back;
            back *= dims[last] as isize;
        }
        launch(&kernel, &dims, &[], &[operand(&a, 0, &f_order), operand(&out, 0, &c_order)], &[]);
        for position in 0..total {
            let (mut rest, mut source) = (position, 0);
            for axis in (0..dims.len()).rev() {
                source += (rest % dims[axis]) as isize * f_order[axis] / 4;
                rest /= dims[axis];
            }
            assert_eq!(out[position], a[source as usize] + 1, "{dims:?} at {position}");
        }
    }
}

#[test]
fn negative_strides_and_large_transposes() {
    let (rows, columns) = (701, 503);
    let a = numbers::<f32>(rows * columns);
    let out = vec![0f32; rows * columns];
    let kernel = map(1, DType::F32, DType::F32, |x| -x[0]);
    let reversed = operand(&a, a.len() - 1, &[-4, -4 * columns as isize]);
    launch(&kernel, &[columns, rows], &[], &[reversed, operand(&out, 0, &[4 * rows as isize, 4])], &[]);
    for i in 0..columns {
        for j in 0..rows {
            assert_eq!(out[i * rows + j], -a[a.len() - 1 - i - j * columns]);
        }
    }
}

#[test]
fn scalars_index_and_in_place_update() {
    let builder = Builder::new("affine");
    let target = builder.operand(DType::I64, Mode::Update);
    let value = builder.load(target) * builder.scalar(DType::I64) + builder.index();
    builder.store(target, value);
    let kernel = builder.finish_map();
    for count in [1, 9, 100, 70_001] {
        let data = numbers::<i64>(count);
        let before = data.clone();
        launch(&kernel, &[count], &[], &[operand(&data, 0, &[8])], &[Scalar::i64(-3)]);
        for i in 0..count {
            assert_eq!(data[i], before[i] * -3 + i as i64);
        }
    }
}

#[test]
fn gather_and_ordered_scatter() {
    let count = 50_000;
    let source = numbers::<f64>(count);
    let positions: Vec<i64> = (0..count as i64).map(|i| i * 7919 % count as i64).collect();
    let builder = Builder::new("gather");
    let from = builder.operand(DType::F64, Mode::Read);
    let position = builder.input(DType::I64);
    let value = builder.load_at(from, position * position.like_integer(8));
    builder.output(DType::F64, value);
    let kernel = builder.finish_map();
    let out = vec![0.0; count];
    launch(
        &kernel,
        &[count],
        &[],
        &[operand(&source, 0, &[0]), operand(&positions, 0, &[8]), operand(&out, 0, &[8])],
        &[],
    );
    assert!((0..count).all(|i| out[i] == source[positions[i] as usize]));

    let builder = Builder::new("scatter");
    builder.set_ordered(true);
    let value = builder.input(DType::F64);
    let position = builder.input(DType::I64);
    let to = builder.operand(DType::F64, Mode::Write);
    builder.store_at(to, (position & position.like_integer(15)) * position.like_integer(8), value);
    let kernel = builder.finish_map();
    let out = vec![0.0; 16];
    launch(
        &kernel,
        &[count],
        &[],
        &[operand(&source, 0, &[8]), operand(&positions, 0, &[8]), operand(&out, 0, &[0])],
        &[],
    );
    let mut expected = vec![0.0; 16];
    (0..count).for_each(|i| expected[(positions[i] & 15) as usize] = source[i]);
    assert_eq!(out, expected);
}

#[test]
fn loops_and_branches() {
    // Collatz steps: a while loop with a branch and local variables.
    let builder = Builder::new("collatz");
    let start = builder.input(DType::I64);
    let (x, steps) = (builder.local(start), builder.local(start.like_integer(0)));
    builder.repeat(
        || x.get().gt(start.like_integer(1)),
        || {
            let even = (x.get() & start.like_integer(1)).eq(start.like_integer(0));
            builder.branch(
                even,
                || x.set(x.get() >> start.like_integer(1)),
                || x.set(x.get() * start.like_integer(3) + start.like_integer(1)),
            );
            steps.set(steps.get() + start.like_integer(1));
        },
    );
    builder.output(DType::I64, steps.get());
    let kernel = builder.finish_map();
    let a: Vec<i64> = (0..9000).collect();
    let out = vec![0i64; a.len()];
    launch(&kernel, &[a.len()], &[], &[operand(&a, 0, &[8]), operand(&out, 0, &[8])], &[]);
    for (&start, &steps) in a.iter().zip(&out) {
        let (mut x, mut expected) = (start, 0);
        while x > 1 {
            x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
            expected += 1;
        }
        assert_eq!(steps, expected, "{start}");
    }
}

#[test]
fn integer_arithmetic_is_total() {
    macro_rules! check {
        ($($type:ty),*) => {$({
            let edge = [<$type>::MIN, <$type>::MAX, 0, 1, 2, 3, (0 as $type).wrapping_sub(1), 7, 100];
            let pairs: Vec<_> = edge.iter().flat_map(|&a| edge.iter().map(move |&b| (a, b))).collect();
            let (a, b): (Vec<$type>, Vec<$type>) = pairs.iter().copied().unzip();
            let s = contiguous::<$type>();
            let run = |kernel| {
                let out = vec![0 as $type; a.len()];
                launch(&kernel, &[a.len()], &[], &[operand(&a, 0, &[s]), operand(&b, 0, &[s]), operand(&out, 0, &[s])], &[]);
                out
            };
            let (mul, div) = (run(map(2, <$type>::DTYPE, <$type>::DTYPE, |x| x[0] * x[1])), run(map(2, <$type>::DTYPE, <$type>::DTYPE, |x| x[0] / x[1])));
            let (rem, low) = (run(map(2, <$type>::DTYPE, <$type>::DTYPE, |x| x[0] % x[1])), run(map(2, <$type>::DTYPE, <$type>::DTYPE, |x| x[0].min(x[1]))));
            let shl = run(map(2, <$type>::DTYPE, <$type>::DTYPE, |x| x[0] << x[1]));
            for i in 0..a.len() {
                let (x, y) = (a[i], b[i]);
                assert_eq!(mul[i], x.wrapping_mul(y));
                assert_eq!(low[i], x.min(y));
                assert_eq!(div[i], if y == 0 { 0 } else { x.wrapping_div(y) });
                assert_eq!(rem[i], if y == 0 { 0 } else { x.wrapping_rem(y) });
                let inside = u32::try_from(y).is_ok_and(|y| y < <$type>::BITS);
                assert_eq!(shl[i], if inside { x << y } else { 0 }, "{x} << {y}");
            }
        })*};
    }
    check!(i8, u8, i16, u16, i32, u32, i64, u64);
}

#[test]
fn mathematical_functions_match_the_library() {
    let count = 1003;
    let a: Vec<f64> = (0..count).map(|i| (i as f64 - 500.0) / 37.0).collect();
    let single: Vec<f32> = a.iter().map(|&x| x as f32).collect();
    type Row = (Unary, fn(f64) -> f64);
    let rows: [Row; 6] = [
        (Unary::Sin, f64::sin),
        (Unary::Cos, f64::cos),
        (Unary::Exp, f64::exp),
        (Unary::Log, f64::ln),
        (Unary::Tanh, f64::tanh),
        (Unary::Sqrt, f64::sqrt),
    ];
    for (number, (function, expected)) in rows.into_iter().enumerate() {
        let kernel = map(1, DType::F64, DType::F64, |x| x[0].unary(function));
        let out = vec![0.0; count];
        launch(&kernel, &[count], &[], &[operand(&a, 0, &[8]), operand(&out, 0, &[8])], &[]);
        for (&x, &y) in a.iter().zip(&out) {
            let e = expected(x);
            assert!(
                (y - e).abs() <= 4e-16 * e.abs().max(1e-300) || y == e || (y.is_nan() && e.is_nan()),
                "{number}: f({x}) = {y}, {e}"
            );
        }
        let kernel = map(1, DType::F32, DType::F32, |x| x[0].unary(function));
        let out = vec![0f32; count];
        launch(&kernel, &[count], &[], &[operand(&single, 0, &[4]), operand(&out, 0, &[4])], &[]);
        for (&x, &y) in single.iter().zip(&out) {
            let e = expected(f64::from(x)) as f32;
            assert!(
                (y - e).abs() <= 3e-7 * e.abs().max(1e-30) || y == e || (y.is_nan() && e.is_nan()),
                "{number}: f({x}) = {y}, {e}"
            );
        }
    }
}

#[test]
fn complex_elements() {
    for count in [1, 5, 16, 333] {
        let a: Vec<f32> = numbers(2 * count);
        let b: Vec<f32> = (0..2 * count).map(|i| (i % 13) as f32 - 6.0).collect();
        let out = vec![0f32; 2 * count];
        let kernel = map(2, DType::C64, DType::C64, |x| x[0] * x[1]);
        launch(&kernel, &[count], &[], &[operand(&a, 0, &[8]), operand(&b, 0, &[8]), operand(&out, 0, &[8])], &[]);
        for i in 0..count {
            let (ar, ai, br, bi) = (a[2 * i], a[2 * i + 1], b[2 * i], b[2 * i + 1]);
            assert_eq!(out[2 * i], ar * br - ai * bi);
            assert_eq!(out[2 * i + 1], ar * bi + ai * br);
        }
    }
}

#[test]
fn half_precision_rounds_to_nearest() {
    let a: Vec<half::f16> = (0..3000).map(|i| half::f16::from_f32(i as f32 * 0.37 - 500.0)).collect();
    let out = vec![half::f16::ZERO; a.len()];
    let kernel = map(2, DType::F16, DType::F16, |x| x[0] * x[1]);
    launch(&kernel, &[a.len()], &[], &[operand(&a, 0, &[2]), operand(&a, 0, &[2]), operand(&out, 0, &[2])], &[]);
    for (x, y) in a.iter().zip(&out) {
        assert_eq!(y.to_bits(), half::f16::from_f32(x.to_f32() * x.to_f32()).to_bits());
    }
}

#[test]
fn a_fault_is_recorded_once() {
    let builder = Builder::new("fault");
    let x = builder.input(DType::I64);
    builder.require(x.lt(x.like_integer(50)), cuproxide_hal::Fault::IndexOutOfBounds);
    builder.output(DType::I64, x);
    let kernel = builder.finish_map();
    let a: Vec<i64> = (0..100).collect();
    let out = vec![0i64; 100];
    launch(&kernel, &[50], &[], &[operand(&a, 0, &[8]), operand(&out, 0, &[8])], &[]);
    assert_eq!(common::device().take_fault(), None);
    launch(&kernel, &[100], &[], &[operand(&a, 0, &[8]), operand(&out, 0, &[8])], &[]);
    assert_eq!(common::device().take_fault(), Some(cuproxide_hal::Fault::IndexOutOfBounds));
    assert_eq!(common::device().take_fault(), None);
    assert_eq!(out, a);
}

#[test]
fn atomics_of_many_threads_add_up() {
    macro_rules! check {
        ($($type:ty => $dtype:ident),*) => {$({
            let builder = Builder::new("histogram");
            let position = builder.input(DType::I64);
            let bins = builder.operand(DType::$dtype, Mode::Update);
            let size = position.like_integer(size_of::<$type>() as i128);
            builder.atomic(bins, Some(position * size), Atomic::Add, builder.integer(DType::$dtype, 1));
            let kernel = builder.finish_map();
            let positions: Vec<i64> = (0..100_000).map(|i| i % 2500).collect();
            let out = vec![<$type>::default(); 2500];
            launch(&kernel, &[positions.len()], &[], &[operand(&positions, 0, &[8]), operand(&out, 0, &[0])], &[]);
            assert!(out.iter().all(|&x| f64::from(x) == 40.0), "{}", DType::$dtype);
        })*};
    }
    check!(i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, f32 => F32, f64 => F64);
    check!(half::f16 => F16, half::bf16 => BF16);

    let builder = Builder::new("extrema");
    let value = builder.input(DType::F64);
    let (low, high) = (builder.operand(DType::F64, Mode::Update), builder.operand(DType::F64, Mode::Update));
    builder.atomic(low, None, Atomic::Min, value);
    builder.atomic(high, None, Atomic::Max, value);
    let kernel = builder.finish_map();
    let mut values: Vec<f64> = (0..100_000).map(|i| f64::from(i * 7919 % 100_003) - 50_000.0).collect();
    let (least, most) = (vec![0.0], vec![0.0]);
    let run = |values: &[f64]| {
        let operands = [operand(values, 0, &[8]), operand(&least, 0, &[0]), operand(&most, 0, &[0])];
        launch(&kernel, &[values.len()], &[], &operands, &[]);
    };
    run(&values);
    assert_eq!(least[0], values.iter().copied().fold(0.0, f64::min));
    assert_eq!(most[0], values.iter().copied().fold(0.0, f64::max));
    values[777] = f64::NAN;
    run(&values);
    assert!(least[0].is_nan() && most[0].is_nan());
}
