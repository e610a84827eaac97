//! A mathematical function gives the same bits wherever its argument lies: in a vector or in what is left of a line, at
//! any offset and length, read from an operand or computed before, in straight code, in a loop or under a fold.

mod common;

use common::{launch, operand};
use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Body, Builder, Fold, Kernel, Mode, Unary, Var};

const UNARY: [Unary; 22] = [
    Unary::Sqrt,
    Unary::Cbrt,
    Unary::Exp,
    Unary::Exp2,
    Unary::Expm1,
    Unary::Log,
    Unary::Log2,
    Unary::Log10,
    Unary::Log1p,
    Unary::Sin,
    Unary::Cos,
    Unary::Tan,
    Unary::Asin,
    Unary::Acos,
    Unary::Atan,
    Unary::Sinh,
    Unary::Cosh,
    Unary::Tanh,
    Unary::Asinh,
    Unary::Acosh,
    Unary::Atanh,
    Unary::Rint,
];
const BINARY: [Binary; 7] =
    [Binary::Div, Binary::Pow, Binary::Atan2, Binary::Hypot, Binary::Rem, Binary::Nextafter, Binary::Max];

/// A float whose bits can be compared.
trait Float: Copy + Default + common::Element {
    fn from_double(x: f64) -> Self;
    fn bits(self) -> u64;
}

impl Float for f32 {
    fn from_double(x: f64) -> f32 {
        x as f32
    }
    fn bits(self) -> u64 {
        if self.is_nan() { u64::MAX } else { self.to_bits().into() }
    }
}

impl Float for f64 {
    fn from_double(x: f64) -> f64 {
        x
    }
    fn bits(self) -> u64 {
        if self.is_nan() { u64::MAX } else { self.to_bits() }
    }
}

fn bits<T: Float>(all: &[T]) -> Vec<u64> {
    all.iter().map(|x| x.bits()).collect()
}

/// Numbers of all kinds, with those that functions treat apart scattered among ordinary ones.
fn arguments<T: Float>(count: usize, seed: u64) -> Vec<T> {
    const SPECIAL: [f64; 14] = [
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        5e-324,
        1e-40,
        1e-310,
        1.0,
        -1.0,
        1e22,
        -3.4e38,
        1e300,
        88.8,
    ];
    let mut word = seed;
    let next = |index: usize| {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (word >> 11) as f64 / (1u64 << 53) as f64;
        T::from_double(match (word >> 5) % 4 {
            0 if index.is_multiple_of(3) => SPECIAL[(word >> 40) as usize % SPECIAL.len()],
            0 | 1 => (unit - 0.5) * 2.0,
            2 => (unit - 0.5) * 60.0,
            _ => unit * 1500.0,
        })
    };
    (0..count).map(next).collect()
}

/// A function of two arguments; functions of one leave the second out.
type Function<'f> = &'f dyn for<'b> Fn(Var<'b>, Var<'b>) -> Var<'b>;

fn plain(dtype: DType, function: Function<'_>) -> Kernel {
    let b = Builder::new("plain");
    let (x, y) = (b.input(dtype), b.input(dtype));
    b.output(dtype, function(x, y));
    b.finish_map()
}

/// The same behind and before other operations, several times, with two results.
fn amid(dtype: DType, function: Function<'_>) -> Kernel {
    let b = Builder::new("amid");
    let (x, y) = (b.input(dtype), b.input(dtype));
    let positive = x.gt(b.real(dtype, 0.0));
    let argument = (-(-x)).when(positive, x);
    let first = function(argument, y);
    let nested = function(function(y, x), first);
    b.output(dtype, -(-first));
    b.output(dtype, nested);
    b.finish_map()
}

/// The same where code cannot run on several points at once.
fn looped(dtype: DType, function: Function<'_>) -> Kernel {
    let b = Builder::new("looped");
    let (x, y) = (b.input(dtype), b.input(dtype));
    let result = b.local(x);
    let round = b.local(b.integer(DType::I64, 0));
    b.repeat(
        || round.get().lt(b.integer(DType::I64, 1)),
        || {
            result.set(function(x, y));
            round.set(round.get() + b.integer(DType::I64, 1));
        },
    );
    b.output(dtype, result.get());
    b.finish_map()
}

/// The last element of function(x, y), and of its sum.
fn folded(dtype: DType, add: bool, function: Function<'_>) -> Kernel {
    let b = Builder::new("folded");
    let (x, y) = (b.operand(dtype, Mode::Read), b.operand(dtype, Mode::Read));
    let target = b.operand(dtype, Mode::Write);
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.real(dtype, 0.0)]),
        map: b.lambda(&[], |_| vec![function(b.load(x), b.load(y))]),
        combine: b.lambda(&[dtype; 2], |a| vec![if add { a[0] + a[1] } else { a[0].binary(Binary::Max, a[1]) }]),
        finish: b.lambda(&[dtype], |a| {
            b.store(target, a[0]);
            vec![]
        }),
    };
    b.finish(Body::Reduce(fold))
}

fn check<T: Float>(name: &str, function: Function<'_>) {
    const COUNT: usize = 80;
    let size = size_of::<T>() as isize;
    let (x, y) = (arguments::<T>(COUNT, 1), arguments::<T>(COUNT, 99));
    let kernel = plain(T::DTYPE, function);
    let single = |x: &[T], y: &[T]| {
        let mut one = vec![T::default(); 1];
        launch(&kernel, &[1], &[], &[operand(x, 0, &[size]), operand(y, 0, &[size]), operand(&one, 0, &[size])], &[]);
        std::mem::take(&mut one)[0]
    };
    let alone: Vec<T> = x.iter().zip(&y).map(|(&x, &y)| single(&[x], &[y])).collect();
    let crossed: Vec<T> = y.iter().zip(&x).map(|(&y, &x)| single(&[y], &[x])).collect();
    let nested: Vec<T> = crossed.iter().zip(&alone).map(|(&x, &y)| single(&[x], &[y])).collect();
    // Every offset within a register and every length around the sizes of groups.
    for offset in 0..5 {
        for length in (1..COUNT - offset).step_by(1 + offset) {
            let out = vec![T::default(); length];
            let at = |data: &[T]| operand(data, offset, &[size]);
            launch(&kernel, &[length], &[], &[at(&x), at(&y), operand(&out, 0, &[size])], &[]);
            assert_eq!(bits(&out), bits(&alone[offset..offset + length]), "{name} at {offset}, {length} of them");
        }
    }
    // Strided operands, and one argument for a whole line.
    let half = COUNT / 2;
    let out = vec![T::default(); half];
    let even: Vec<T> = alone.iter().copied().step_by(2).collect();
    launch(
        &kernel,
        &[half],
        &[],
        &[operand(&x, 0, &[2 * size]), operand(&y, 0, &[2 * size]), operand(&out, 0, &[size])],
        &[],
    );
    assert_eq!(bits(&out), bits(&even), "{name} of strided operands");
    let out = vec![T::default(); COUNT];
    launch(&kernel, &[COUNT], &[], &[operand(&x, 0, &[size]), operand(&y, 5, &[0]), operand(&out, 0, &[size])], &[]);
    let same: Vec<T> = x.iter().map(|&x| single(&[x], &[y[5]])).collect();
    assert_eq!(bits(&out), bits(&same), "{name} of one argument for all");
    // In place.
    let own = x.clone();
    launch(
        &kernel,
        &[COUNT],
        &[],
        &[operand(&own, 0, &[size]), operand(&y, 0, &[size]), operand(&own, 0, &[size])],
        &[],
    );
    assert_eq!(bits(&own), bits(&alone), "{name} in place");
    // Among other operations: over one line, and over two short rows.
    for (outer, strides) in [(vec![COUNT], vec![size]), (vec![2, half], vec![half as isize * size, size])] {
        let (first, second) = (vec![T::default(); COUNT], vec![T::default(); COUNT]);
        let operands = [&x, &y, &first, &second].map(|data| operand(data, 0, &strides));
        launch(&amid(T::DTYPE, function), &outer, &[], &operands, &[]);
        assert_eq!(bits(&first), bits(&alone), "{name} amid other operations");
        assert_eq!(bits(&second), bits(&nested), "{name} of its own result");
    }
    let out = vec![T::default(); COUNT];
    launch(&looped(T::DTYPE, function), &[COUNT], &[], &[&x, &y, &out].map(|data| operand(data, 0, &[size])), &[]);
    assert_eq!(bits(&out), bits(&alone), "{name} in a loop");
}

/// A fold over the results of a function has the bits of the fold over the stored results.
fn check_folds<T: Float>(name: &str, function: Function<'_>) {
    const COUNT: usize = 3000;
    let size = size_of::<T>() as isize;
    let finite = |seed| -> Vec<T> {
        let all = arguments::<T>(COUNT, seed);
        all.into_iter().enumerate().map(|(i, _)| T::from_double(0.1 + (i * 7919 % 1009) as f64 / 1300.0)).collect()
    };
    let (x, y) = (finite(1), finite(2));
    let stored = vec![T::default(); COUNT];
    let at = |data: &[T]| operand(data, 0, &[size]);
    launch(&plain(T::DTYPE, function), &[COUNT], &[], &[at(&x), at(&y), at(&stored)], &[]);
    let value: Function<'_> = &|x, _| x;
    for add in [false, true] {
        let (fused, simple) = (folded(T::DTYPE, add, function), folded(T::DTYPE, add, value));
        for length in [1, 7, 100, 257, 1024, 1500, COUNT] {
            let (one, other) = (vec![T::default(); 1], vec![T::default(); 1]);
            let outer = |data: &[T]| operand(data, 0, &[0]);
            launch(&fused, &[], &[length], &[at(&x), at(&y), outer(&one)], &[]);
            launch(&simple, &[], &[length], &[at(&stored), at(&y), outer(&other)], &[]);
            assert_eq!(bits(&one), bits(&other), "{name}: fold of {length}, add {add}");
        }
        // Rows, whose results are many.
        let (rows, columns) = (10, COUNT / 10);
        let wide = columns as isize * size;
        let (one, other) = (vec![T::default(); rows], vec![T::default(); rows]);
        let matrix = |data: &[T]| operand(data, 0, &[wide, size]);
        let kept = |data: &[T]| operand(data, 0, &[size, 0]);
        launch(&fused, &[rows], &[columns], &[matrix(&x), matrix(&y), kept(&one)], &[]);
        launch(&simple, &[rows], &[columns], &[matrix(&stored), matrix(&y), kept(&other)], &[]);
        assert_eq!(bits(&one), bits(&other), "{name}: fold of rows, add {add}");
    }
}

fn check_all<T: Float>() {
    for op in UNARY {
        check::<T>(&format!("{op:?}"), &|x, _| x.unary(op));
        check_folds::<T>(&format!("{op:?}"), &|x, _| x.unary(op));
    }
    for op in BINARY {
        check::<T>(&format!("{op:?}"), &|x, y| x.binary(op, y));
        check_folds::<T>(&format!("{op:?}"), &|x, y| x.binary(op, y));
    }
}

#[test]
fn float32_results_do_not_depend_on_their_place() {
    check_all::<f32>();
}

#[test]
fn float64_results_do_not_depend_on_their_place() {
    check_all::<f64>();
}

#[test]
fn mixed_types_pass_through_stages() {
    const COUNT: usize = 1300;
    let b = Builder::new("mixed");
    let (x, n, m) = (b.input(DType::F64), b.input(DType::I32), b.input(DType::U8));
    let truth = m.cast(DType::Bool);
    let wave = x.sin();
    let single = wave.cast(DType::F32).exp();
    let integer = (single.cast(DType::F64) * x.like(10.0)).rint().cast(DType::I64) + n.cast(DType::I64);
    let chosen = integer.cast(DType::F64).when(truth, wave.cos());
    b.output(DType::F64, chosen);
    b.output(DType::I64, integer + b.index());
    b.output(DType::Bool, chosen.gt(wave) & truth);
    let kernel = b.finish_map();
    let x = arguments::<f64>(COUNT, 5).iter().map(|x| if x.abs() < 1e3 { *x } else { 1.5 }).collect::<Vec<f64>>();
    let n: Vec<i32> = (0..COUNT as i32).collect();
    let m: Vec<u8> = (0..COUNT).map(|i| (i % 3) as u8).collect();
    let run = |first: usize, length: usize| {
        let (reals, integers, truths) = (vec![0f64; length], vec![0i64; length], vec![0u8; length]);
        launch(
            &kernel,
            &[length],
            &[],
            &[
                operand(&x, first, &[8]),
                operand(&n, first, &[4]),
                operand(&m, first, &[1]),
                operand(&reals, 0, &[8]),
                operand(&integers, 0, &[8]),
                operand(&truths, 0, &[1]),
            ],
            &[],
        );
        (bits(&reals), integers, truths)
    };
    let all = run(0, COUNT);
    for (at, &selected) in m.iter().enumerate() {
        let one = run(at, 1);
        assert_eq!(one.0[0], all.0[at]);
        assert_eq!(one.1[0] + at as i64, all.1[at]);
        assert_eq!(one.2[0], all.2[at]);
        assert!(all.2[at] <= 1 && (selected != 0 || all.2[at] == 0));
    }
}
