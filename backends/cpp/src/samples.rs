//! Kernels that show every operator and every walk, for tests that compile them in a dialect.

use cuproxide_hal::ir::{Atomic, Binary, Body, Builder, Compare, Fold, Grouping, Kernel, Mode, Op, Rows, Stmt, Unary};
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
    let reduces = matches!(kernel.body, Body::Reduce(_));
    let (outer, inner): (&[usize], &[usize]) = match (layout, map) {
        (Layout::Contiguous, true) => (&[4096], &[]),
        (Layout::Contiguous, false) => (&[64], &[4096]),
        (Layout::Strided, true) => (&[10, 20, 30], &[]),
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

/// An addition, a sum, running sums, the position of the maximum and, of floats, rows divided by their sum: each way to
/// walk over elements of a type.
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
    let mut kernels = vec![add, sum, scan, position_of_maximum(dtype)];
    kernels.extend(dtype.is_float().then(|| normalised(dtype)));
    kernels
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
