//! Kernels that show every operator and every walk, for tests that compile them in a dialect.

use cuproxide_hal::ir::{
    Atomic, Binary, Body, Builder, Compare, Fold, Grouping, Kernel, Mode, Op, Rows, Segments, Stmt, Unary, Var,
};
use cuproxide_hal::{DType, Launch, Operand, Result, Scalar, Specialization};

use crate::{Dialect, Program};

/// How the operands of a launch lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In C order.
    Contiguous,
    /// With gaps, in more dimensions than merge.
    Strided,
    /// In C order, with more elements than 32 bits count.
    Wide,
}

/// The text of a kernel for operands of that layout.
///
/// # Errors
/// Those of [`Program::new`].
pub fn program(kernel: &Kernel, layout: Layout, dialect: &Dialect) -> Result<Program> {
    let map = matches!(kernel.body, Body::Map(_));
    let segments = matches!(kernel.body, Body::Segments(_));
    let reduces = segments || matches!(kernel.body, Body::Reduce(_));
    let (outer, inner): (&[usize], &[usize]) = match (layout, map) {
        (Layout::Contiguous, true) => (&[4096], &[]),
        (Layout::Contiguous, false) => (&[64], &[4096]),
        (Layout::Strided, true) => (&[10, 20, 30], &[]),
        (Layout::Strided, false) if segments => (&[10, 64], &[210]),
        (Layout::Strided, false) => (&[10, 64], &[30, 7]),
        (Layout::Wide, true) => (&[3, 1 << 32], &[]),
        (Layout::Wide, false) => (&[], &[1 << 32]),
    };
    let dims: Vec<usize> = outer.iter().chain(inner).copied().collect();
    let operands: Vec<Operand> = kernel
        .operands
        .iter()
        .map(|declared| {
            let mut operand = Operand { ptr: 4096, strides: [0; 8] };
            let last = if reduces && declared.mode == Mode::Write { outer.len() } else { dims.len() };
            let mut stride = declared.dtype.size() as isize;
            for axis in (0..last).rev() {
                let gap = if layout == Layout::Strided { 3 } else { 1 };
                operand.strides[axis] = stride;
                stride *= dims[axis] as isize * gap;
            }
            operand
        })
        .collect();
    let scalars: Vec<Scalar> = kernel.scalars.iter().map(|&dtype| Scalar::real(dtype, 1.0)).collect();
    let launch = Launch { outer, inner, operands: &operands, scalars: &scalars, scratch: 0 };
    Program::new(kernel, Specialization::of(kernel, &launch), dialect)
}

const UNARY: [Unary; 34] = [
    Unary::Neg,
    Unary::Abs,
    Unary::Not,
    Unary::Popcount,
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
    Unary::Floor,
    Unary::Ceil,
    Unary::Trunc,
    Unary::Rint,
    Unary::Conj,
    Unary::Real,
    Unary::Imag,
    Unary::HalfToFloat,
    Unary::FloatToHalf,
];

const BINARY: [Binary; 18] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::Pow,
    Binary::Atan2,
    Binary::Hypot,
    Binary::Copysign,
    Binary::Nextafter,
    Binary::Min,
    Binary::Max,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Shl,
    Binary::Shr,
    Binary::MulHigh,
];

/// A map with many results: all operators that a type has, an output each. Kernels are limited in operands, so several
/// are made.
pub fn all_operators(dtype: DType) -> Vec<Kernel> {
    let mut makers: Vec<Box<dyn Fn(&Builder)>> = vec![];
    for op in UNARY {
        makers.push(Box::new(move |b| {
            let value = b.input(dtype).unary(op);
            b.output(value.dtype(), value);
        }));
    }
    for op in BINARY {
        makers.push(Box::new(move |b| {
            let value = b.input(dtype).binary(op, b.input(dtype));
            b.output(dtype, value);
        }));
    }
    for op in [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge] {
        makers.push(Box::new(move |b| {
            let value = b.input(dtype).compare(op, b.input(dtype));
            b.output(DType::Bool, value);
        }));
    }
    for to in DType::ALL {
        makers.push(Box::new(move |b| {
            let value = b.input(dtype).cast(to);
            b.output(to, value);
        }));
    }
    // Only what validates is an operator of the type.
    let valid = |maker: &dyn Fn(&Builder)| {
        let b = Builder::new("probe");
        maker(&b);
        b.finish_map().validate().is_ok()
    };
    let makers: Vec<_> = makers.into_iter().filter(|maker| valid(maker)).collect();
    let several = makers.chunks(8).enumerate().map(|(number, chunk)| {
        let b = Builder::new(format!("operators_{dtype}_{number}"));
        for maker in chunk {
            maker(&b);
        }
        b.finish_map()
    });
    several.collect()
}

/// An addition, a sum, running sums, the position of the maximum, sums of ranges, a function that sorts a local array and,
/// of floats, rows divided by their sum: each way to walk over elements of a type.
pub fn walks(dtype: DType) -> Vec<Kernel> {
    let add = {
        let b = Builder::new(format!("add_{dtype}"));
        let (x, y) = (b.input(dtype), b.input(dtype));
        b.output(dtype, x + y);
        b.finish_map()
    };
    let sum = {
        let b = Builder::new(format!("sum_{dtype}"));
        let body = Body::Reduce(fold(&b, dtype, Binary::Add));
        b.finish(body)
    };
    let scan = {
        let b = Builder::new(format!("cumsum_{dtype}"));
        let body = Body::Scan(fold(&b, dtype, Binary::Add));
        b.finish(body)
    };
    let mut kernels = vec![add, sum, scan, position_of_maximum(dtype), segments(dtype), sorted(dtype)];
    kernels.extend(dtype.is_float().then(|| normalised(dtype)));
    kernels
}

/// Sums of ranges, with the number of elements of each.
pub fn segments(dtype: DType) -> Kernel {
    let b = Builder::new(format!("segments_{dtype}"));
    let (begin, end) = (b.operand(DType::I32, Mode::Read), b.operand(DType::I32, Mode::Read));
    let fold = fold(&b, dtype, Binary::Add);
    let count = b.operand(DType::I64, Mode::Write);
    let range = b.lambda(&[], |_| [begin, end].map(|bound| b.load(bound).cast(DType::I64)).to_vec());
    let [first, last] = [0, 1].map(|bound| b.var(range.results[bound]));
    let mut fold = fold;
    let (store, ()) = b.block(|| b.store(count, last - first));
    fold.finish.body.extend(store);
    b.finish(Body::Segments(Segments { range, fold }))
}

/// Four elements sorted by insertion, by a function with a local array.
fn sorted(dtype: DType) -> Kernel {
    let b = Builder::new(format!("sorted_{dtype}"));
    let inputs = [0; 4].map(|_| b.input(dtype));
    let insert = b.function("sort", &[dtype; 4], |values| {
        let array = b.array(4, values[0]);
        for (count, &value) in values.iter().enumerate().skip(1) {
            let place = b.local(b.integer(DType::I32, count as i128));
            let (zero, one) = (b.integer(DType::I32, 0), b.integer(DType::I32, 1));
            b.repeat(
                || {
                    let at = place.get();
                    at.gt(zero) & value.binary(Binary::Min, array.get(at - one)).eq(value)
                },
                || {
                    let at = place.get();
                    array.set(at, array.get(at - one));
                    place.set(at - one);
                },
            );
            array.set(place.get(), value);
        }
        (0..4).map(|at| array.at(at)).collect()
    });
    for value in insert.call(&inputs) {
        b.output(dtype, value);
    }
    b.finish_map()
}

/// Gauss's hypergeometric function of real arguments, by its series and the transformations that lead to it: what a large
/// special function is like. It is evaluated `times` over, with its parts `called` or written where they are used.
pub fn hypergeometric(times: usize, called: bool) -> Kernel {
    let b = Builder::new(format!("hypergeometric{times}_{}", if called { "called" } else { "inline" }));
    let f64s = [DType::F64; 4];
    let inputs = f64s.map(|dtype| b.input(dtype));
    let gamma_here = |x: Var<'_>| gamma(&b, b.var(x.id()));
    let series_here = |v: &[Var<'_>]| series(&b, &v.iter().map(|v| b.var(v.id())).collect::<Vec<_>>());
    let results: Vec<Var<'_>> = if called {
        let gamma = b.function("gamma", &f64s[..1], |v| vec![gamma_here(v[0])]);
        let series = b.function("series", &f64s, |v| vec![series_here(v)]);
        let whole = b.function("hypergeometric", &f64s, |v| {
            vec![regions(&b, v, &|x| gamma.call(&[x])[0], &|v| series.call(v)[0])]
        });
        (0..times).map(|n| whole.call(&shifted(&inputs, n))[0]).collect()
    } else {
        (0..times).map(|n| regions(&b, &shifted(&inputs, n), &gamma_here, &series_here)).collect()
    };
    let sum = results.into_iter().reduce(|x, y| x + y).unwrap_or(inputs[0]);
    b.output(DType::F64, sum);
    b.finish_map()
}

fn shifted<'b>(v: &[Var<'b>; 4], by: usize) -> [Var<'b>; 4] {
    [v[0] + v[0].like(by as f64), v[1], v[2] + v[2].like(by as f64), v[3]]
}

/// The gamma function by Lanczos' sum, reflected for arguments below 1/2.
fn gamma<'b>(b: &'b Builder, x: Var<'b>) -> Var<'b> {
    const SUM: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let (half, one) = (x.like(0.5), x.like(1.0));
    let small = x.lt(half);
    let z = (one - x).when(small, x) - one;
    let terms = SUM[1..].iter().enumerate().map(|(n, &c)| x.like(c) / (z + x.like(n as f64 + 1.0)));
    let sum = terms.fold(x.like(SUM[0]), |sum, term| sum + term);
    let t = z + x.like(7.5);
    let large = x.like(std::f64::consts::TAU.sqrt()) * t.pow(z + half) * (-t).exp() * sum;
    let result = b.local(large);
    let pi = x.like(std::f64::consts::PI);
    b.branch(small, || result.set(pi / ((pi * x).sin() * large)), || ());
    result.get()
}

/// The sum of (a)_n (b)_n / (c)_n x^n / n!.
fn series<'b>(b: &'b Builder, v: &[Var<'b>]) -> Var<'b> {
    let x = v[3];
    let (zero, one) = (x.like(0.0), x.like(1.0));
    let (term, sum, n) = (b.local(one), b.local(one), b.local(zero));
    b.repeat(
        || term.get().abs().gt(sum.get().abs() * x.like(1e-16)) & n.get().lt(x.like(500.0)),
        || {
            let at = n.get();
            term.set(term.get() * (v[0] + at) * (v[1] + at) / ((v[2] + at) * (at + one)) * x);
            sum.set(sum.get() + term.get());
            n.set(at + one);
        },
    );
    sum.get()
}

fn regions<'b>(
    b: &'b Builder,
    v: &[Var<'b>],
    gamma: &dyn Fn(Var<'b>) -> Var<'b>,
    series: &dyn Fn(&[Var<'b>]) -> Var<'b>,
) -> Var<'b> {
    let [p, q, c, x] = [v[0], v[1], v[2], v[3]];
    let (zero, one) = (x.like(0.0), x.like(1.0));
    let result = b.local(zero);
    let beyond = || {
        // In 1 / x.
        let half = |p: Var<'b>, q: Var<'b>| {
            let factor = gamma(c) * gamma(q - p) / (gamma(q) * gamma(c - p));
            factor * (-x).pow(-p) * series(&[p, p - c + one, p - q + one, one / x])
        };
        result.set(half(p, q) + half(q, p));
    };
    let negative = || result.set((one - x).pow(-p) * series(&[p, c - q, c, x / (x - one)]));
    let near_one = || {
        let rest = c - p - q;
        let first = gamma(c) * gamma(rest) / (gamma(c - p) * gamma(c - q)) * series(&[p, q, one - rest, one - x]);
        let second = gamma(c) * gamma(-rest) / (gamma(p) * gamma(q));
        let second = second * (one - x).pow(rest) * series(&[c - p, c - q, rest + one, one - x]);
        result.set(first + second);
    };
    b.branch(x.lt(-one), beyond, || {
        b.branch(x.lt(zero), negative, || b.branch(x.le(x.like(0.5)), || result.set(series(&[p, q, c, x])), near_one));
    });
    result.get()
}

/// Rows of exponentials, shifted by the largest element and divided by their sum.
pub fn normalised(dtype: DType) -> Kernel {
    let b = Builder::new(format!("normalised_{dtype}"));
    let (input, output) = (b.operand(dtype, Mode::Read), b.operand(dtype, Mode::Write));
    b.group_as(Grouping { element: dtype, accumulators: 1 });
    let most = Fold {
        identity: b.lambda(&[], |_| vec![b.real(dtype, f64::NEG_INFINITY)]),
        map: b.lambda(&[], |_| vec![b.load(input)]),
        combine: b.lambda(&[dtype, dtype], |p| vec![p[0].max(p[1])]),
        finish: b.lambda(&[dtype], <[_]>::to_vec),
    };
    let (largest, element) = (b.var(most.finish.results[0]), b.var(most.map.results[0]));
    let sum = Fold {
        identity: b.lambda(&[], |_| vec![b.real(DType::F64, 0.0)]),
        map: b.lambda(&[], |_| vec![(element - largest).exp().cast(DType::F64)]),
        combine: b.lambda(&[DType::F64, DType::F64], |p| vec![p[0] + p[1]]),
        finish: b.lambda(&[DType::F64], |p| vec![p[0].cast(dtype)]),
    };
    let total = b.var(sum.finish.results[0]);
    let exponential = sum.map.body.iter().find_map(|statement| match statement {
        Stmt::Let(value, Op::Unary(..)) => Some(b.var(*value)),
        _ => None,
    });
    let exponential = exponential.unwrap_or(element);
    let (map, ()) = b.block(|| b.store(output, exponential / total));
    b.finish(Body::Rows(Rows { folds: vec![most, sum], map }))
}

fn fold(b: &Builder, dtype: DType, op: Binary) -> Fold {
    let input = b.operand(dtype, Mode::Read);
    let output = b.operand(dtype, Mode::Write);
    Fold {
        identity: b.lambda(&[], |_| vec![b.real(dtype, 0.0)]),
        map: b.lambda(&[], |_| vec![b.load(input)]),
        combine: b.lambda(&[dtype, dtype], |p| vec![p[0].binary(op, p[1])]),
        finish: b.lambda(&[dtype], |p| {
            b.store(output, p[0]);
            vec![]
        }),
    }
}

fn position_of_maximum(dtype: DType) -> Kernel {
    let b = Builder::new(format!("argmax_{dtype}"));
    let input = b.operand(dtype, Mode::Read);
    let output = b.operand(DType::I64, Mode::Write);
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.real(dtype, 0.0), b.integer(DType::I64, -1)]),
        map: b.lambda(&[], |_| vec![b.load(input), b.index()]),
        combine: b.lambda(&[dtype, DType::I64, dtype, DType::I64], |p| {
            let none = b.integer(DType::I64, 0);
            let later = p[1].lt(none) | (p[3].ge(none) & p[2].gt(p[0]));
            vec![p[2].when(later, p[0]), p[3].when(later, p[1])]
        }),
        finish: b.lambda(&[dtype, DType::I64], |p| {
            b.store(output, p[1]);
            vec![]
        }),
    };
    b.finish(Body::Reduce(fold))
}

/// Indivisible updates of a type at positions that an index names; all that the type has.
pub fn scatters(dtype: DType) -> Vec<Kernel> {
    let ops = [Atomic::Add, Atomic::Min, Atomic::Max];
    ops.into_iter().filter(|&op| op == Atomic::Add || !dtype.is_complex()).map(|op| scatter(dtype, op)).collect()
}

fn scatter(dtype: DType, op: Atomic) -> Kernel {
    let b = Builder::new(format!("scatter_{op:?}_{dtype}"));
    let (at, value) = (b.input(DType::I64), b.input(dtype));
    let target = b.operand(dtype, Mode::Update);
    let inside = at.ge(at.like_integer(0)) & at.lt(b.scalar(DType::I64));
    b.require(inside, cuproxide_hal::Fault::IndexOutOfBounds);
    let offset = at.when(inside, at.like_integer(0)) * b.integer(DType::I64, dtype.size() as i128);
    b.atomic(target, Some(offset), op, value);
    b.finish_map()
}
