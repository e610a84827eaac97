//! The engine against what a GPU does: barriers, warps, atomics, early ends, failures.

use std::ffi::c_void;
use std::sync::Arc;

use cuproxide_hal::{Error, RawLaunch, Result, SourceText};
use cuproxide_simt::{Function, Library, Pool};

/// Some threads of the system, so that blocks do meet.
struct Threads;

impl Pool for Threads {
    fn threads(&self) -> usize {
        4
    }

    fn run(&self, tasks: usize, body: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for task in 0..tasks {
                scope.spawn(move || body(task));
            }
        });
    }
}

fn library(text: &str, expressions: &[&str]) -> Result<Arc<Library>> {
    let expressions: Vec<String> = expressions.iter().map(|&name| name.to_owned()).collect();
    Library::compile(&SourceText { name: "test", text, options: &[], expressions: &expressions })
}

fn function(text: &str) -> Function {
    let full = format!("extern \"C\" __global__ void k{text}");
    library(&full, &[]).and_then(|library| library.function("k")).unwrap_or_else(|error| panic!("{error}"))
}

fn geometry(grid: u32, block: u32) -> RawLaunch {
    RawLaunch { grid: [grid, 1, 1], block: [block, 1, 1], ..RawLaunch::default() }
}

/// Launches a kernel whose only parameter is a pointer to `data`.
fn on<T>(function: &Function, geometry: RawLaunch, data: &mut [T]) -> Result<()> {
    let mut pointer = data.as_mut_ptr().cast::<c_void>();
    // SAFETY: the kernels of these tests take one pointer and stay within the data.
    unsafe { function.launch(geometry, &mut [(&raw mut pointer).cast()], &Threads) }
}

fn run<T: Clone + Default>(text: &str, geometry: RawLaunch, length: usize) -> Vec<T> {
    let mut data = vec![T::default(); length];
    on(&function(text), geometry, &mut data).unwrap_or_else(|error| panic!("{error}"));
    data
}

#[test]
fn every_thread_of_every_block_runs_once() {
    let text = "(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1 + gridDim.x * 0; }";
    assert_eq!(run::<i32>(text, geometry(100, 33), 3300), vec![1; 3300]);
}

#[test]
fn indices_have_three_directions() {
    let text = "(int* x) { int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; \
                int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; \
                x[b * 24 + t] = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z + 1000 * threadIdx.z; }";
    let shape = RawLaunch { grid: [2, 3, 2], block: [4, 3, 2], ..RawLaunch::default() };
    let data = run::<i32>(text, shape, 12 * 24);
    assert_eq!((data[0], data[11 * 24], data[11 * 24 + 23]), (0, 121, 1121));
}

#[test]
fn shared_memory_and_barriers_reverse_a_block() {
    let text = "(int* x) { __shared__ int s[64]; int t = threadIdx.x; s[t] = t + blockIdx.x; __syncthreads(); \
                x[blockIdx.x * 64 + t] = s[63 - t]; }";
    let data = run::<i32>(text, geometry(50, 64), 50 * 64);
    for block in 0..50 {
        for thread in 0..64 {
            assert_eq!(data[block * 64 + thread], 63 - thread as i32 + block as i32);
        }
    }
}

#[test]
fn templates_declare_dynamic_shared_memory() {
    let text = "template <typename T> __global__ void f(T* x) { extern __shared__ T s[]; int t = threadIdx.x; \
                s[t] = x[t]; __syncthreads(); x[t] = s[blockDim.x - 1 - t]; }";
    let library = library(text, &["f<float>"]).unwrap_or_else(|error| panic!("{error}"));
    let function = library.function("f<float>").expect("the template's function");
    let mut data: Vec<f32> = (0..64u8).map(f32::from).collect();
    on(&function, RawLaunch { shared: 256, ..geometry(1, 64) }, &mut data).expect("a launch");
    assert!(data.iter().enumerate().all(|(t, &value)| value == (63 - t) as f32), "{data:?}");
}

#[test]
fn dynamic_shared_memory_is_as_large_as_asked_for() {
    let text = "(float* x) { extern __shared__ float s[]; int t = threadIdx.x; s[t] = t; s[t + 1024] = 2 * t; \
                __syncthreads(); x[t] = s[1023 - t] + s[2047 - t]; }";
    let function = function(text);
    let mut data = vec![0f32; 1024];
    let shape = RawLaunch { shared: 8192, ..geometry(1, 1024) };
    on(&function, shape, &mut data).expect("a launch");
    assert!(data.iter().enumerate().all(|(t, &value)| value == 3.0 * (1023 - t) as f32));
    let error = on(&function, RawLaunch { shared: 50_000, ..shape }, &mut data).expect_err("too much");
    assert!(error.to_string().contains("max_dynamic_shared_size_bytes, which is 49152"), "{error}");
    let which = cuproxide_hal::FunctionAttribute::MaxDynamicSharedSizeBytes;
    function.set_attribute(which, 100_000).expect("as CUDA allows");
    on(&function, RawLaunch { shared: 50_000, ..shape }, &mut data).expect("a launch");
    assert!(function.set_attribute(which, 1 << 20).is_err());
}

#[test]
fn barriers_vote() {
    let text = "(int* x) { int t = threadIdx.x; int c = __syncthreads_count(t % 3 == 0); int a = __syncthreads_and(t < 40); \
                int o = __syncthreads_or(t == 39); int p = __syncthreads_and(t < 39); x[t] = c + 100 * a + 1000 * o + 10000 * p; }";
    assert_eq!(run::<i32>(text, geometry(1, 40), 40), vec![14 + 1100; 40]);
}

#[test]
fn threads_that_ended_do_not_hold_a_barrier() {
    let text = "(int* x) { int t = threadIdx.x; if (t >= 20) return; __shared__ int s[64]; s[t] = t; __syncthreads(); \
                if (t >= 10) return; x[t] = s[t + 10] + __syncthreads_count(1); }";
    assert_eq!(run::<i32>(text, geometry(1, 64), 10), (20..30).collect::<Vec<_>>());
}

#[test]
fn warps_sum_by_shuffles() {
    let text = "(int* x) { int v = threadIdx.x; for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d); \
                if (threadIdx.x % 32 == 0) x[threadIdx.x / 32] = v; }";
    assert_eq!(run::<i32>(text, geometry(1, 96), 3), [496, 1520, 2544]);
}

#[test]
fn shuffles_take_all_types_and_widths() {
    let text = "(double* x) { int t = threadIdx.x; double d = __shfl_sync(~0u, t * 0.5, 3, 8); \
                float f = __shfl_up_sync(~0u, (float)t, 1); long long l = __shfl_xor_sync(~0u, (long long)t << 40, 1); \
                x[t] = d + f * 100 + (l >> 40) * 10000; }";
    let data = run::<f64>(text, geometry(1, 32), 32);
    for (t, &value) in data.iter().enumerate() {
        let up = t.saturating_sub(1);
        assert_eq!(value, (t / 8 * 8 + 3) as f64 * 0.5 + up as f64 * 100.0 + (t ^ 1) as f64 * 10000.0);
    }
}

#[test]
fn diverged_parts_of_a_warp_exchange_by_their_masks() {
    let text = "(unsigned* x) { unsigned t = threadIdx.x, m; if (t % 2) { m = 0xaaaaaaaau; x[t] = __ballot_sync(m, t < 8); } \
                else { m = 0x55555555u; x[t] = __shfl_sync(m, t, 30) + __reduce_add_sync(m, 1u) * 100; } }";
    let data = run::<u32>(text, geometry(1, 32), 32);
    assert!(data.iter().skip(1).step_by(2).all(|&value| value == 0xaa), "{data:x?}");
    assert!(data.iter().step_by(2).all(|&value| value == 1630), "{data:?}");
}

#[test]
fn votes_and_matches_count_who_is_left() {
    let text = "(unsigned* x) { int t = threadIdx.x; if (t >= 20) return; int same; unsigned all = __match_all_sync(~0u, 7, &same); \
                x[t] = (__all_sync(~0u, t < 20) && same && all == 0xfffffu && !__any_sync(~0u, t > 19)) \
                ? __match_any_sync(~0u, t % 2) : 0; }";
    let data = run::<u32>(text, geometry(1, 32), 20);
    assert_eq!((data[0], data[1]), (0x55555, 0xaaaaa));
}

#[test]
fn active_threads_are_those_at_one_place() {
    let text =
        "(unsigned* x) { int t = threadIdx.x; if (t < 5) x[t] = 2 * __activemask(); else x[t] = ~__activemask(); }";
    let data = run::<u32>(text, geometry(1, 32), 32);
    assert!(data[..5].iter().all(|&mask| mask == 0x3e), "{data:x?}");
    assert!(data[5..].iter().all(|&mask| mask == 0x1f), "{data:x?}");
}

#[test]
fn atomics_count_over_many_blocks() {
    let text = "(unsigned long long* x) { int i = blockIdx.x * blockDim.x + threadIdx.x; atomicAdd(&x[0], 1ull); \
                atomicMax(&x[1], (unsigned long long)i); atomicAdd((double*)&x[2], 0.5); atomicXor(&x[3], 1ull << (i % 64)); \
                unsigned* w = (unsigned*)&x[4]; atomicInc(w, 9); atomicCAS(&x[5], 0ull, 42ull); \
                atomicAdd((float*)&x[6], 1.0f); atomicMin((int*)&x[7], -i); }";
    let data = run::<u64>(text, geometry(200, 50), 8);
    assert_eq!((data[0], data[1], f64::from_bits(data[2])), (10_000, 9999, 5000.0));
    assert_eq!((data[4] as u32, data[5], f32::from_bits(data[6] as u32), data[7] as i32), (0, 42, 10_000.0, -9999));
}

#[test]
fn a_lock_is_passed_on() {
    let text = "(int* x) { for (bool done = false; !done;) { if (atomicCAS(&x[0], 0, 1) == 0) { x[1] += 1; __threadfence(); \
                atomicExch(&x[0], 0); done = true; } } }";
    assert_eq!(run::<i32>(text, geometry(8, 64), 2), [0, 512]);
}

#[test]
fn a_thread_may_wait_for_a_later_one_of_its_block() {
    let text = "(int* x) { if (threadIdx.x == 0) { while (atomicAdd(&x[0], 0) == 0) __nanosleep(10); x[1] = 7; } \
                else if (threadIdx.x == 40) atomicExch(&x[0], 1); }";
    assert_eq!(run::<i32>(text, geometry(1, 64), 2), [1, 7]);
}

#[test]
fn a_deadlock_is_an_error_that_says_who_waits() {
    let function =
        function("(int* x) { if (threadIdx.x < 8) __syncwarp(0xffff); else if (threadIdx.x < 60) __syncthreads(); }");
    let error = on(&function, geometry(1, 64), &mut [0]).expect_err("nobody can go on").to_string();
    for part in [
        "kernel k",
        "block (0, 0, 0)",
        "deadlock",
        "8 wait for __syncwarp with mask 0xffff",
        "52 wait for __syncthreads",
        "4 have ended",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    // The engine is as good as new afterwards.
    let error = on(&function, geometry(1, 64), &mut [0]).expect_err("again").to_string();
    assert!(error.contains("deadlock"), "{error}");
}

#[test]
fn a_mask_must_name_its_thread() {
    let function = function("(int* x) { __syncwarp(0xfffe); }");
    let error = on(&function, geometry(1, 16), &mut [0]).expect_err("lane 0 is left out").to_string();
    assert!(error.contains("thread (0, 0, 0) calls __syncwarp with the mask 0xfffe"), "{error}");
}

#[test]
fn a_failed_assertion_ends_the_launch_with_its_place() {
    for barrier in ["", "__syncthreads();"] {
        let function = function(&format!("(int* x) {{ {barrier} assert(threadIdx.x < 5); }}"));
        let error = on(&function, geometry(3, 16), &mut [0]).expect_err("it fails").to_string();
        assert!(error.contains("test.cu:1") && error.contains("Assertion `threadIdx.x < 5` failed"), "{error}");
    }
}

#[test]
fn all_blocks_of_a_cooperative_launch_meet() {
    let text = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n\
                extern \"C\" __global__ void k(int* x) { cg::grid_group g = cg::this_grid(); \
                int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = i; g.sync(); int next = x[(i + 40) % 320]; g.sync(); \
                x[i] = next + (g.is_valid() ? 0 : 1000); }";
    let function = library(text, &[]).and_then(|library| library.function("k")).expect("it compiles");
    let mut data = vec![0; 320];
    on(&function, RawLaunch { cooperative: true, ..geometry(10, 32) }, &mut data).expect("a launch");
    assert_eq!(data, (0..320).map(|i| (i + 40) % 320).collect::<Vec<_>>());
    let error = on(&function, geometry(10, 32), &mut data).expect_err("not cooperative").to_string();
    assert!(error.contains("grid.sync()"), "{error}");
}

#[test]
fn tiles_and_coalesced_groups() {
    let text = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n\
                extern \"C\" __global__ void k(int* x) { auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<8>(block); \
                int t = block.thread_rank(); int sum = cg::reduce(tile, t, cg::plus<int>()); int first = tile.shfl(t, 0); \
                int odd = 0; if (t % 2) { auto group = cg::coalesced_threads(); odd = group.size() * 100 + group.shfl(t, 1); } \
                x[t] = sum + first * 1000 + odd * 100000; block.sync(); }";
    let function = library(text, &[]).and_then(|library| library.function("k")).expect("it compiles");
    let mut data = vec![0; 32];
    on(&function, geometry(1, 32), &mut data).expect("a launch");
    for (t, &value) in data.iter().enumerate() {
        let first = t / 8 * 8;
        let odd = if t % 2 == 1 { 1603 } else { 0 };
        assert_eq!(value as usize, first * 8 + 28 + first * 1000 + odd * 100_000, "{t}");
    }
}

#[test]
fn variables_belong_to_one_loaded_module() {
    let text = "__device__ int counter = 5; namespace n { __constant__ float table[3] = {1, 2, 3}; }\n\
                extern \"C\" __global__ void k(int* x) { x[0] = atomicAdd(&counter, 1); }";
    let (first, second) =
        (library(text, &["n::table"]).expect("a module"), library(text, &["n::table"]).expect("a module"));
    let (address, bytes) = first.global("counter").expect("the variable");
    assert_eq!(bytes, 4);
    assert_eq!(first.global("n::table").expect("the variable").1, 12);
    assert!(matches!(first.global("nothing"), Err(Error::NoSuchSymbol { .. })));
    assert_ne!(second.global("counter").expect("the variable").0, address);
    // SAFETY: the variable is an int of the loaded module.
    unsafe { (address as *mut i32).write(70) };
    let mut data = [0];
    on(&first.function("k").expect("the kernel"), geometry(1, 1), &mut data).expect("a launch");
    assert_eq!(data, [70]);
    on(&second.function("k").expect("the kernel"), geometry(1, 1), &mut data).expect("a launch");
    assert_eq!(data, [5]);
}

#[test]
fn templates_are_named_by_expressions() {
    let text = "template <typename T, int N> __global__ void scale(T* x) { x[threadIdx.x] *= N; } __global__ void plain(float* x) {}";
    let library = library(text, &["scale<float, 3>", "scale<short, (1 > 0)>"]).expect("it compiles");
    let mut data = [1f32, 2.0];
    on(&library.function("scale<float, 3>").expect("the instance"), geometry(1, 2), &mut data).expect("a launch");
    assert_eq!(data, [3.0, 6.0]);
    assert!(library.function("scale<double, 3>").is_err());
    assert!(library.function("plain").is_ok() && library.function("_Z5plainPf").is_ok());
}

#[test]
fn parameters_are_passed_by_value() {
    let text = "struct P { float a; double b; char c[40]; }; extern \"C\" __global__ void k(double* x, P p, int n, bool f, const short s) { \
                x[0] = p.a + p.b + p.c[39] + n + f + s; }";
    let function = library(text, &[]).and_then(|library| library.function("k")).expect("it compiles");
    assert_eq!(function.parameters(), [8, 56, 4, 1, 2]);
    let mut result = [0f64];
    let (mut pointer, mut n, mut f, mut s) = (result.as_mut_ptr(), 100i64, true, 2000i16);
    #[repr(C, align(16))]
    struct P(f32, f64, [i8; 40]);
    let mut p = P(0.5, 0.25, [7; 40]);
    let mut list: [*mut u8; 5] =
        [(&raw mut pointer).cast(), (&raw mut p).cast(), (&raw mut n).cast(), (&raw mut f).cast(), (&raw mut s).cast()];
    // SAFETY: the list fits the signature.
    unsafe { function.launch(geometry(1, 1), &mut list, &Threads) }.expect("a launch");
    assert_eq!(result, [2108.75]);
    // SAFETY: nothing is read: the count is wrong.
    let error = unsafe { function.launch(geometry(1, 1), &mut list[..3], &Threads) }.expect_err("too few").to_string();
    assert!(error.contains("takes 5 arguments, 3 were given"), "{error}");
}

#[test]
fn geometries_that_no_gpu_takes_are_refused() {
    let function = function("(int* x) {}");
    for (grid, block) in [
        ([0, 1, 1], [1; 3]),
        ([1; 3], [0, 1, 1]),
        ([1; 3], [1025, 1, 1]),
        ([1; 3], [32, 33, 1]),
        ([1, 70_000, 1], [1; 3]),
    ] {
        let shape = RawLaunch { grid, block, ..RawLaunch::default() };
        assert!(matches!(on(&function, shape, &mut [0]), Err(Error::Kernel { .. })), "{shape:?}");
    }
}

#[test]
fn errors_of_the_compiler_name_the_line() {
    let error = library("\n\nextern \"C\" __global__ void k(int* x) { x[0] = y; }", &[]).err().expect("y is unknown");
    let Error::Compile { log, .. } = &error else { panic!("{error}") };
    assert!(log.contains("test.cu:3:") && log.contains("'y'"), "{log}");
    let error = library("template <class T> __global__ void f(T*) {}", &["g<int>"]).err().expect("g is unknown");
    assert!(error.to_string().contains("kernel g<int>"), "{error}");
}

#[test]
fn intrinsics() {
    let text = "(double* x) { int k = 0; x[k++] = __popc(0xff0u); x[k++] = __clz(1); x[k++] = __ffs(8); x[k++] = __brev(1u) >> 31; \
                x[k++] = __umulhi(0xffffffffu, 16u); x[k++] = __byte_perm(0x33221100, 0x77665544, 0x7041) == 0x77004411; \
                x[k++] = __funnelshift_l(0x80000000u, 1u, 1); x[k++] = rsqrtf(4.0f); x[k++] = max(3, 5u) + min(2.5f, 1.0); \
                x[k++] = __float2int_rn(2.5f) + __float2int_ru(2.1f) * 10 + __double2int_rz(-7.9) * 100; x[k++] = erfinv(0.5); \
                x[k++] = normcdfinv(0.975); x[k++] = __fadd_ru(1.0f, 1e-10f) > 1.0f; x[k++] = __fadd_rd(1.0f, 1e-10f) == 1.0f; \
                x[k++] = sinpi(0.5) + cospi(1.0); x[k++] = __int_as_float(0x3f800000); x[k++] = __mul24(-3, 5); \
                x[k++] = erfcinv(1e-10); x[k++] = __hiloint2double(0x3ff00000, 0); x[k++] = __dp4a(0x01020304, 0x01010101, 5); }";
    let data = run::<f64>(text, geometry(1, 1), 20);
    let expected = [
        8.0,
        31.0,
        4.0,
        1.0,
        15.0,
        1.0,
        3.0,
        0.5,
        6.0,
        2.0 + 30.0 - 700.0,
        0.4769362762044699,
        1.959963984540054,
        1.0,
        1.0,
        0.0,
        1.0,
        -15.0,
        4.572824967389486,
        1.0,
        15.0,
    ];
    for (index, (&ours, wanted)) in data.iter().zip(expected).enumerate() {
        assert!((ours - wanted).abs() <= 1e-14 * wanted.abs(), "{index}: {ours}, not {wanted}");
    }
}

/// From glibc 2.41 on the C library declares `sinpi` and `cospi` itself, from 2.42 on `rsqrt` too.
#[test]
fn functions_that_a_newer_c_library_declares() {
    let folder = std::env::temp_dir().join(format!("cuproxide-newer-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let declared = "#pragma once\n#include_next <math.h>\n#ifdef __GLIBC__\n#undef __GLIBC_MINOR__\n#define __GLIBC_MINOR__ 42\n\
        extern \"C\" { inline double rsqrt(double x) noexcept { return 1 / sqrt(x); } inline double sinpi(double) noexcept { return 1; } \
        inline double cospi(double) noexcept { return -1; } inline float rsqrtf(float x) noexcept { return 1 / sqrtf(x); } \
        inline float sinpif(float) noexcept { return 1; } inline float cospif(float) noexcept { return -1; } }\n#endif\n";
    std::fs::write(folder.join("math.h"), declared).expect("a header");
    let text = "extern \"C\" __global__ void k(double* x) { x[0] = rsqrt(4.0) + rsqrt(4.0f) + rsqrtf(4.0f); \
                x[1] = sinpi(0.5) + cospi(1.0); x[2] = sinpi(0.5f) + cospi(1.0f); double c; sincospi(0.5, x + 3, &c); }";
    let options = [format!("-I{}", folder.display())];
    let library = Library::compile(&SourceText { name: "test", text, options: &options, expressions: &[] });
    std::fs::remove_dir_all(&folder).expect("the folder");
    let function = library.and_then(|library| library.function("k")).unwrap_or_else(|error| panic!("{error}"));
    let mut data = [f64::NAN; 4];
    on(&function, geometry(1, 1), &mut data).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(data, [1.5, 0.0, 0.0, 1.0]);
}

#[test]
fn half_precision_rounds_as_ieee_says() {
    let text = "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(unsigned short* x) { float v[] = {1.0f, 65504.0f, 65520.0f, 6e-8f, \
                2.9e-8f, 0.1f, -2049.0f, 2051.0f, 6.1e-5f, -0.0f}; for (int i = 0; i < 10; i++) x[i] = __half_as_ushort(__float2half(v[i])); \
                half a = 1.5f, b = __hmul(a, a); x[10] = __half_as_ushort(b + a); half2 h = __floats2half2_rn(1, 2); \
                x[11] = (unsigned short)__high2float(__hadd2(h, h)); atomicAdd((half*)&x[12], half(2)); }";
    let function = library(text, &[]).and_then(|library| library.function("k")).expect("it compiles");
    let mut data = [0u16; 13];
    on(&function, geometry(1, 1), &mut data).expect("a launch");
    assert_eq!(
        data[..10],
        [0x3c00, 0x7bff, 0x7c00, 0x0001, 0x0000, 0x2e66, 0xe800, 0x6802, 0x03ff, 0x8000].map(|b: u16| b)
    );
    assert_eq!(data[10..], [0x4380, 4, 0x4000]);
}

#[test]
fn what_is_no_library_is_refused_with_the_loaders_words() {
    let error = Library::load("odd", b"no machine code").err().expect("it is refused").to_string();
    assert!(error.contains("kernel odd") && error.contains("kernel.so: file too short"), "{error}");
    let error = Library::load("odd", &[b'x'; 4096]).err().expect("it is refused").to_string();
    assert!(error.contains("invalid ELF header"), "{error}");
}

#[test]
fn faults_end_the_kernel_and_not_the_process() {
    for barrier in ["", "__syncthreads();"] {
        let bad = function(&format!("(int** x) {{ {barrier} if (threadIdx.x == 3) **x = 1; {barrier} }}"));
        for _ in 0..3 {
            let error = on(&bad, geometry(200, 8), &mut [0u64]).expect_err("a null pointer").to_string();
            assert!(error.contains("kernel k: block (") && error.contains("illegal address 0x0"), "{error}");
        }
        let full = function(&format!(
            "(int* x) {{ struct f {{ static int g(volatile int* p) {{ volatile int a[64]; a[p[0] & 63] = p[0]; \
             return g(p) + a[p[0] & 63]; }} }}; {barrier} *x = f::g(x); }}"
        ));
        let error = on(&full, geometry(2, 4), &mut [0]).expect_err("no end").to_string();
        assert!(error.contains("the stack of a thread is full"), "{error}");
    }
}

#[test]
fn divisions_by_zero_have_results() {
    let text = "(int* x) { int t = threadIdx.x, z = x[15]; x[t] = (t % 2 ? 5 / z : 5 % z) + t; }";
    assert_eq!(run::<i32>(text, geometry(1, 8), 16)[..8], [-1, 0, 1, 2, 3, 4, 5, 6]);
    let text = "(long long* x) { long long z = x[15]; x[threadIdx.x] = (z - 1 - 0x7fffffffffffffffll) / (z - 1); }";
    assert_eq!(run::<i64>(text, geometry(1, 2), 16)[0], i64::MIN);
}
