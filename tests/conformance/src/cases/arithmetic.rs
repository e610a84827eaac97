//! Operators, comparisons, selections and conversions.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Builder, Compare, Kernel, Unary};

use crate::case::Case;
use crate::interpreter::Number;
use crate::samples;
use crate::tolerance::Tolerance;

const UNARY: [Unary; 32] = {
    use Unary::*;
    [
        Neg, Abs, Not, Popcount, Sqrt, Cbrt, Exp, Exp2, Expm1, Log, Log2, Log10, Log1p, Sin, Cos, Tan, Asin, Acos,
        Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh, Floor, Ceil, Trunc, Rint, Conj, Real, Imag,
    ]
};

const BINARY: [Binary; 18] = {
    use Binary::*;
    [Add, Sub, Mul, Div, Rem, Pow, Atan2, Hypot, Copysign, Nextafter, Min, Max, And, Or, Xor, Shl, Shr, MulHigh]
};

const COMPARE: [Compare; 6] = {
    use Compare::*;
    [Eq, Ne, Lt, Le, Gt, Ge]
};

/// A kernel is made for every type and kept if the operator is defined for it.
fn defined(kernel: Kernel) -> Option<Kernel> {
    kernel.validate().is_ok().then_some(kernel)
}

pub fn cases() -> Vec<Case> {
    let mut cases = vec![];
    for dtype in DType::ALL {
        cases.extend(UNARY.into_iter().filter_map(|op| unary(op, dtype)));
        cases.extend(BINARY.into_iter().filter_map(|op| binary(op, dtype)));
        cases.push(compare(dtype));
        cases.push(select(dtype));
        cases.push(casts(dtype));
        cases.extend(known_operands(dtype));
        if dtype.is_float() {
            cases.push(fma(dtype));
        }
        if dtype.is_complex() {
            cases.extend(complex(dtype));
        }
    }
    cases.extend(bitcasts());
    cases.extend(DType::ALL.map(constants));
    cases.extend(DType::ALL.map(scalars));
    cases
}

fn unary(op: Unary, dtype: DType) -> Option<Case> {
    let name = format!("{op:?}_{dtype}").to_lowercase();
    let builder = Builder::new(name.clone());
    let result = builder.input(dtype).unary(op);
    builder.output(result.dtype(), result);
    let kernel = defined(builder.finish_map())?;
    Some(Case::new(name, kernel, Tolerance::unary(op, dtype)).flat(&[&samples::values(dtype, 400)]))
}

fn binary(op: Binary, dtype: DType) -> Option<Case> {
    let name = format!("{op:?}_{dtype}").to_lowercase();
    let builder = Builder::new(name.clone());
    let (a, b) = (builder.input(dtype), builder.input(dtype));
    builder.output(dtype, a.binary(op, b));
    let kernel = defined(builder.finish_map())?;
    let (mut a, mut b) = samples::pairs(dtype, 400);
    if op == Binary::Pow && dtype.is_complex() {
        (a, b) = powers(dtype);
    }
    Some(Case::new(name, kernel, Tolerance::binary(op, dtype)).flat(&[&a, &b]))
}

/// Bases and exponents of moderate size, with zeros, whole exponents and their neighbours.
fn powers(dtype: DType) -> (Vec<Number>, Vec<Number>) {
    let mut random = samples::Random::new(7);
    let mut pairs = vec![];
    let exponents = [0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 7.0, 0.5, -0.5, 12.0, 1.5, 99.0, 100.0, -3.5];
    let part = |x: f64| crate::interpreter::number::round(dtype.real(), x);
    let complex = |re: f64, im: f64| Number::Complex(num_complex::Complex64::new(part(re), part(im)));
    for re in exponents {
        for im in [0.0, 0.25] {
            pairs.extend(
                [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.8, -0.6)].map(|(x, y)| (complex(x, y), complex(re, im))),
            );
            for _ in 0..8 {
                let base = complex(random.unit() * 3.0 - 1.5, random.unit() * 3.0 - 1.5);
                pairs.push((base, complex(re, im)));
            }
        }
    }
    pairs.into_iter().unzip()
}

fn compare(dtype: DType) -> Case {
    let name = format!("compare_{dtype}");
    let builder = Builder::new(name.clone());
    let (a, b) = (builder.input(dtype), builder.input(dtype));
    for op in COMPARE {
        builder.output(DType::Bool, a.compare(op, b));
    }
    let (a, b) = samples::pairs(dtype, 100);
    Case::new(name, builder.finish_map(), Tolerance::EXACT).flat(&[&a, &b])
}

fn select(dtype: DType) -> Case {
    let name = format!("select_{dtype}");
    let builder = Builder::new(name.clone());
    let cond = builder.input(DType::Bool);
    let (a, b) = (builder.input(dtype), builder.input(dtype));
    builder.output(dtype, a.when(cond, b));
    let (a, b) = samples::pairs(dtype, 50);
    let cond: Vec<Number> = (0..a.len()).map(|i| Number::Int((i % 3 == 0).into())).collect();
    Case::new(name, builder.finish_map(), Tolerance::EXACT).flat(&[&cond, &a, &b])
}

fn casts(from: DType) -> Case {
    let name = format!("cast_{from}");
    let builder = Builder::new(name.clone());
    let x = builder.input(from);
    for to in DType::ALL {
        builder.output(to, x);
    }
    Case::new(name, builder.finish_map(), Tolerance::EXACT).flat(&[&samples::values(from, 600)])
}

/// Division, remainder and shifts by constants, and multiplication and powers of complex numbers.
fn known_operands(dtype: DType) -> Option<Case> {
    let name = format!("known_operand_{dtype}");
    let builder = Builder::new(name.clone());
    let x = builder.input(dtype);
    if dtype.is_integer() {
        for divisor in [0, 1, -1, 3, -7] {
            builder.output(dtype, x / x.like_integer(divisor));
            builder.output(dtype, x % x.like_integer(divisor));
        }
        for count in [0, 1, dtype.bits() as i128 - 1, dtype.bits() as i128, -1] {
            builder.output(dtype, x << x.like_integer(count));
            builder.output(dtype, x >> x.like_integer(count));
        }
    } else if dtype.is_complex() {
        for exponent in [0.0, 1.0, 2.0, 3.0, -2.0, 11.0] {
            builder.output(dtype, x.pow(x.like(exponent)));
        }
    } else {
        return None;
    }
    // A negative power is an inverse of a product, each with an error.
    let tolerance = if dtype.is_complex() { Tolerance::within(8.0) } else { Tolerance::EXACT };
    let values = if dtype.is_complex() { powers(dtype).0 } else { samples::values(dtype, 100) };
    Some(Case::new(name, builder.finish_map(), tolerance).flat(&[&values]))
}

fn fma(dtype: DType) -> Case {
    let name = format!("fma_{dtype}");
    let builder = Builder::new(name.clone());
    let (a, b, c) = (builder.input(dtype), builder.input(dtype), builder.input(dtype));
    builder.output(dtype, builder.fma(a, b, c));
    let (a, b) = samples::pairs(dtype, 1000);
    let mut c = a.clone();
    c.rotate_left(37);
    Case::new(name, builder.finish_map(), Tolerance::EXACT).flat(&[&a, &b, &c])
}

fn complex(dtype: DType) -> Vec<Case> {
    let part = dtype.real();
    let builder = Builder::new(format!("make_{dtype}"));
    let (re, im) = (builder.input(part), builder.input(part));
    let z = builder.complex(re, im);
    builder.output(dtype, z);
    builder.output(part, z.re());
    builder.output(part, z.im());
    builder.output(dtype, z.conj());
    builder.output(DType::Bool, z.is_nan());
    let (re, im) = samples::pairs(part, 20);
    vec![Case::new(format!("make_{dtype}"), builder.finish_map(), Tolerance::EXACT).flat(&[&re, &im])]
}

fn bitcasts() -> Vec<Case> {
    let plain = |dtype: &DType| *dtype != DType::Bool && !dtype.is_complex();
    let from_types = DType::ALL.into_iter().filter(plain);
    let make = |from: DType| {
        let name = format!("bitcast_{from}");
        let builder = Builder::new(name.clone());
        let x = builder.input(from);
        for to in DType::ALL.into_iter().filter(plain).filter(|to| to.size() == from.size()) {
            builder.output(to, x.bitcast(to));
        }
        // Which NaN an operation gives is open, so none goes in.
        let values = samples::values(from, 200);
        let values: Vec<Number> = values.into_iter().filter(|x| !x.real().is_nan()).collect();
        Case::new(name, builder.finish_map(), Tolerance::EXACT).flat(&[&values])
    };
    from_types.map(make).collect()
}

/// Constants of a type, converted to every other type.
fn constants(dtype: DType) -> Case {
    let name = format!("constant_{dtype}");
    let builder = Builder::new(name.clone());
    let x = builder.input(DType::I32).cast(DType::I64);
    let constants = [builder.integer(dtype, 77), builder.real(dtype, 1.1), builder.integer(dtype, -3)];
    for to in [DType::F16, DType::BF16, DType::I16, DType::U64, DType::F64, DType::C64, DType::Bool] {
        for (index, &constant) in constants.iter().enumerate() {
            let chosen = x.eq(x.like_integer(index as i128));
            builder.output(to, constant.cast(to).when(chosen, builder.real(to, 0.0)));
        }
    }
    let values: Vec<Number> = (0..4).map(Number::Int).collect();
    Case::new(name, builder.finish_map(), Tolerance::EXACT).flat(&[&values])
}

/// A launch scalar of each type, added to an element.
fn scalars(dtype: DType) -> Case {
    let name = format!("scalar_{dtype}");
    let builder = Builder::new(name.clone());
    let (first, second) = (builder.scalar(DType::Bool), builder.scalar(dtype));
    let x = builder.input(dtype);
    builder.output(dtype, (x + second).when(first, x));
    let scalars = [cuproxide_hal::Scalar::integer(DType::Bool, 1), cuproxide_hal::Scalar::complex(dtype, 3.0, -2.0)];
    Case::new(name, builder.finish_map(), Tolerance::EXACT).scalars(&scalars).flat(&[&samples::small(dtype, 37)])
}
