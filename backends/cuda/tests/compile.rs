//! Every operator for every element type, and every kind of walk, through the real run-time compiler. No GPU is needed.
//!
//! The compiler is found as the backend finds it; `CUPROXIDE_NVRTC` names one file. Without one the tests say so.

use cuproxide_cpp::Program;
use cuproxide_cuda::{Architecture, compile_text, compile_user_text, compiler_version};
use cuproxide_hal::ir::{Atomic, Binary, Body, Builder, Compare, Fold, Kernel, Mode, Unary};
use cuproxide_hal::{DType, Launch, Operand, Scalar, SourceText, Specialization};
use cuproxide_kernels_cuda::DIALECT;

/// The architectures to compile for, or none without a compiler.
fn architectures() -> Vec<Architecture> {
    let numbers: &[(u32, u32)] = match compiler_version() {
        Ok((path, (major, minor))) => {
            println!("compiler: {path}, {major}.{minor}");
            if major >= 13 { &[(9, 0), (12, 0)] } else { &[(7, 5), (8, 0), (9, 0), (10, 0)] }
        }
        Err(error) => {
            println!("SKIPPED, no compiler: {error}");
            &[]
        }
    };
    numbers.iter().map(|&(major, minor)| Architecture { major, minor }).collect()
}

/// How the operands of a test launch lie in memory.
#[derive(Clone, Copy, Debug)]
enum Layout {
    Contiguous,
    Strided,
    Wide,
}

fn program(kernel: &Kernel, layout: Layout) -> Program {
    kernel.validate().unwrap_or_else(|error| panic!("{error}"));
    let map = matches!(kernel.body, Body::Map(_));
    let (outer, inner): (&[usize], &[usize]) = match (layout, map) {
        (Layout::Contiguous, true) => (&[4096], &[]),
        (Layout::Contiguous, false) => (&[64], &[4096]),
        (Layout::Strided, true) => (&[10, 20, 30], &[]),
        (Layout::Strided, false) => (&[10, 64], &[30, 7]),
        (Layout::Wide, true) => (&[3, 1 << 32], &[]),
        (Layout::Wide, false) => (&[], &[1 << 32]),
    };
    let operands: Vec<Operand> = kernel
        .operands
        .iter()
        .map(|declared| {
            let size = declared.dtype.size() as isize;
            let mut operand = Operand { ptr: 4096, strides: [0; 8] };
            let dims: Vec<usize> = outer.iter().chain(inner).copied().collect();
            let written_once = !map && declared.mode == Mode::Write;
            let last = if written_once { outer.len() } else { dims.len() };
            let mut stride = size;
            for axis in (0..last).rev() {
                let gap = if matches!(layout, Layout::Strided) { 3 } else { 1 };
                operand.strides[axis] = stride;
                stride *= dims[axis] as isize * gap;
            }
            operand
        })
        .collect();
    let scalars: Vec<Scalar> = kernel.scalars.iter().map(|&dtype| Scalar::real(dtype, 1.0)).collect();
    let launch = Launch { outer, inner, operands: &operands, scalars: &scalars, scratch: 0 };
    Program::new(kernel, Specialization::of(kernel, &launch), &DIALECT).expect("a program")
}

fn compile(kernel: &Kernel, layout: Layout, architecture: Architecture) {
    let program = program(kernel, layout);
    if let Err(error) = compile_text(&kernel.name, program.text(), architecture) {
        panic!("{} {layout:?} {architecture:?}: {error}\n{kernel}\n{}", kernel.name, program.text());
    }
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
fn all_operators(dtype: DType) -> Vec<Kernel> {
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

fn scatter(dtype: DType, op: Atomic) -> Kernel {
    let b = Builder::new(format!("scatter_{dtype}"));
    let (at, value) = (b.input(DType::I64), b.input(dtype));
    let target = b.operand(dtype, Mode::Update);
    let inside = at.ge(at.like_integer(0)) & at.lt(b.scalar(DType::I64));
    b.require(inside, cuproxide_hal::Fault::IndexOutOfBounds);
    let offset = at.when(inside, at.like_integer(0)) * b.integer(DType::I64, dtype.size() as i128);
    b.atomic(target, Some(offset), op, value);
    b.finish_map()
}

#[test]
fn every_operator_of_every_type() {
    // One architecture sees all of it; the others differ only in a few lines of the prelude.
    for architecture in architectures().into_iter().filter(|a| a.major == 9) {
        for dtype in DType::ALL {
            for kernel in all_operators(dtype) {
                compile(&kernel, Layout::Strided, architecture);
            }
        }
    }
}

#[test]
fn every_walk_on_every_architecture() {
    for architecture in architectures() {
        for dtype in [DType::Bool, DType::I8, DType::F16, DType::F32, DType::I64, DType::C128] {
            for layout in [Layout::Contiguous, Layout::Strided, Layout::Wide] {
                let b = Builder::new(format!("add_{dtype}"));
                let (x, y) = (b.input(dtype), b.input(dtype));
                b.output(dtype, x + y);
                compile(&b.finish_map(), layout, architecture);

                let b = Builder::new(format!("sum_{dtype}"));
                let body = Body::Reduce(fold(&b, dtype, Binary::Add));
                compile(&b.finish(body), layout, architecture);

                let b = Builder::new(format!("cumsum_{dtype}"));
                let body = Body::Scan(fold(&b, dtype, Binary::Add));
                compile(&b.finish(body), layout, architecture);

                compile(&position_of_maximum(dtype), layout, architecture);
            }
        }
    }
}

#[test]
fn atomics_of_every_type() {
    for architecture in architectures() {
        for dtype in DType::ALL {
            for op in [Atomic::Add, Atomic::Min, Atomic::Max] {
                if dtype.is_complex() && op != Atomic::Add {
                    continue;
                }
                compile(&scatter(dtype, op), Layout::Contiguous, architecture);
            }
        }
    }
}

#[test]
fn errors_carry_the_log_and_the_text() {
    let Some(architecture) = architectures().into_iter().next() else { return };
    let error =
        compile_text("broken", "__global__ void f() { undeclared(); }", architecture).expect_err("it is broken");
    let text = error.to_string();
    assert!(text.contains("undeclared") && text.contains("broken"), "{text}");
}

#[test]
fn texts_of_the_users_with_every_header_of_ours() {
    let text = r#"
        #include <cupy/complex.cuh>
        #include <cupy/carray.cuh>
        #include <cuda_fp16.h>
        #include <cuda_bf16.h>
        #include <cuComplex.h>
        #include <math_constants.h>
        template <typename T> __global__ void scale(CArray<T, 2> x, CIndexer<2> at, float by) {
            CUPY_FOR(i, at.size()) { at.set(i); x._indexing(at.get()) = x[i] * T(by); }
        }
        extern "C" __global__ void mixed(complex<double>* z, __half* h, __nv_bfloat16* b, cuFloatComplex* c) {
            z[0] = exp(z[0]) / 2.0 + pow(z[1], complex<float>(1, 2)) * asin(z[2]) + abs(z[3]) + CUDART_PI;
            h[0] = __hadd(h[1], __float2half(1.5f));
            b[0] = __float2bfloat16(__bfloat162float(b[1]) + 1.0f);
            c[0] = cuCmulf(c[1], make_cuFloatComplex(1, 2));
        }
    "#;
    let expressions = ["scale<float>", "scale<float16>", "scale<complex<float>>"].map(str::to_owned);
    for architecture in architectures() {
        let source = SourceText { name: "user", text, options: &[], expressions: &expressions };
        let (image, names) = compile_user_text(&source, architecture).unwrap_or_else(|error| panic!("{error}"));
        assert!(!image.is_empty());
        assert!(names.iter().all(|name| name.starts_with("_Z5scale")), "{names:?}");
    }
}
