//! Every operator for every element type, and every kind of walk, through the real run-time compiler. No GPU is needed.
//!
//! The compiler is found as the backend finds it; `CUPROXIDE_NVRTC` names one file. Without one the tests say so. Texts that
//! it took before, by the table that `CUPROXIDE_TEXTS` names, are left out.

use std::sync::OnceLock;
use std::time::Instant;

use cuproxide_codegen::passed::Passed;
use cuproxide_codegen::samples::{Layout, all_operators, hypergeometric, program, scatters, walks};
use cuproxide_cuda::{Architecture, compile_text, compile_user_text, compiler_version, text_hash};
use cuproxide_gpu::registers::of_cubin;
use cuproxide_hal::ir::Kernel;
use cuproxide_hal::{DType, SourceText};
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

const EMPTY: &str = "extern \"C\" __global__ void empty() {}";

/// The texts that this compiler took before.
fn passed() -> &'static Passed {
    static PASSED: OnceLock<Passed> = OnceLock::new();
    PASSED.get_or_init(|| {
        let (_, (major, minor)) = compiler_version().expect("a compiler");
        // The compiler opens the rest of itself for its first text.
        compile_text("empty", EMPTY, Architecture { major: 9, minor: 0 }).unwrap_or_else(|error| panic!("{error}"));
        Passed::of_process(&format!("nvrtc-{major}.{minor}"))
    })
}

/// Compiles the text of a kernel if it is new; says whether it was.
fn compile(kernel: &Kernel, layout: Layout, architecture: Architecture) -> bool {
    kernel.validate().unwrap_or_else(|error| panic!("{error}"));
    let program = program(kernel, layout, &DIALECT).expect("a program");
    let hash = |text: &&str| text_hash(text, architecture).expect("a compiler");
    let compiled = passed().compile(vec![program.text()], hash, |texts| {
        for text in texts {
            if let Err(error) = compile_text(&kernel.name, text, architecture) {
                panic!("{} {layout:?} {architecture:?}: {error}\n{kernel}\n{text}", kernel.name);
            }
        }
    });
    compiled > 0
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
    let layouts = [Layout::Contiguous, Layout::Strided, Layout::Wide];
    for (turn, architecture) in architectures().into_iter().enumerate() {
        for (number, dtype) in
            [DType::Bool, DType::I8, DType::F16, DType::F32, DType::I64, DType::C128].into_iter().enumerate()
        {
            for (position, layout) in layouts.into_iter().enumerate() {
                // One architecture sees all layouts of a type, the others one each, in turns.
                if architecture.major != 9 && (turn + number + position) % layouts.len() != 0 {
                    continue;
                }
                for kernel in walks(dtype) {
                    compile(&kernel, layout, architecture);
                }
            }
        }
    }
}

/// Prints what compiling a large special function takes, called and written where it is used.
#[test]
fn functions() {
    for architecture in architectures().into_iter().filter(|a| a.major == 9) {
        for times in [1, 3] {
            for called in [true, false] {
                let kernel = hypergeometric(times, called);
                let start = Instant::now();
                if compile(&kernel, Layout::Contiguous, architecture) {
                    println!("{}: {:.0} ms", kernel.name, start.elapsed().as_secs_f64() * 1e3);
                }
            }
        }
    }
}

#[test]
fn atomics_of_every_type() {
    for architecture in architectures() {
        for dtype in DType::ALL {
            for kernel in scatters(dtype) {
                compile(&kernel, Layout::Contiguous, architecture);
            }
        }
    }
}

/// A text whose threads keep 96 numbers of 8 bytes, with or without the choice that maps have.
fn crowded(choice: bool) -> String {
    let bounds = "__launch_bounds__(256)";
    let bounds = match choice {
        true => format!("#if defined(RESIDENT)\n__launch_bounds__(256, RESIDENT)\n#else\n{bounds}\n#endif\n"),
        false => bounds.to_owned(),
    };
    let all = "_Pragma(\"unroll\") for (int i = 0; i < 96; ++i)";
    format!(
        "extern \"C\" __global__\n{bounds} void crowded(const double* from, double* to) {{\n\
         double kept[96];\n{all} kept[i] = from[i * 7];\n{all} to[i * 5] = 3.0 * kept[95 - i] + kept[i];\n}}\n"
    )
}

#[test]
fn a_map_takes_half_of_the_registers_at_most() {
    for architecture in architectures() {
        let registers = |choice| {
            let image =
                compile_text("crowded", &crowded(choice), architecture).unwrap_or_else(|error| panic!("{error}"));
            of_cubin(&image).expect("a number of registers")
        };
        assert!(registers(false) > 128 && registers(true) <= 128, "{architecture:?}");
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
        #include <cupy/math_constants.h>
        #include <cupy/cuda_workaround.h>
        template <> struct std::is_floating_point<float16> : std::true_type {};
        template <> struct std::is_signed<float16> : std::true_type {};
        template <class T> __device__ std::enable_if_t<std::is_floating_point<T>::value || std::is_signed<T>::value, T>
        size(T x) { return x < T(0) ? T(-x) : x; }
        template <class T> __device__ std::enable_if_t<std::is_unsigned<T>::value, T> size(T x) { return x; }
        template <class T> __device__ std::make_unsigned_t<T> bits(T x) { return size(std::make_unsigned_t<T>(x)); }
        static_assert(std::is_same<std::make_signed_t<unsigned short>, short>::value && !std::is_signed<bool>::value, "");
        static_assert(cupy::type_traits::is_same<cupy::type_traits::conditional<false, int, float>::type, float>::value, "");
        template <typename T> __global__ void scale(CArray<T, 2> x, CIndexer<2> at, float by) {
            CUPY_FOR(i, at.size()) { at.set(i); x._indexing(at.get()) = x[i] * T(by); }
        }
        extern "C" __global__ void mixed(complex<double>* z, __half* h, __nv_bfloat16* b, cuFloatComplex* c) {
            z[0] = exp(z[0]) / 2.0 + pow(z[1], complex<float>(1, 2)) * asin(z[2]) + abs(z[3]) + CUDART_PI;
            h[0] = __hadd(h[1], __float2half(1.5f));
            b[0] = __float2bfloat16(__bfloat162float(b[1]) + 1.0f);
            c[0] = cuCmulf(c[1], make_cuFloatComplex(1, 2));
            atomicAdd(reinterpret_cast<long long*>(z), -3ll);
            atomicAdd(reinterpret_cast<float16*>(h), float16(0.5f));
            atomicMax(reinterpret_cast<float*>(z), 2.0f);
            atomicMin(reinterpret_cast<double*>(z), CUDART_PI);
            h[2] = size(float16(h[3])) + size(-2.5f) + bits(-3);
        }
        extern "C" __global__ void pairs(__half2* h, __nv_bfloat162* b) {
            h[0] = __hfma2(h[1], h2rsqrt(h[2]), -h[3]);
            if (__hbgt2(b[0], b[1])) atomicAdd(b + 2, __float2bfloat162_rn(__low2float(b[3])));
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
