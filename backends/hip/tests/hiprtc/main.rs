//! Every kernel through AMD's run-time compiler: each loop of each ufunc, each fold, every operator of every type, every
//! walk, every kernel that is written by hand. No GPU is needed; without a compiler the tests say so.
//!
//! `ci/compile_hip_kernels` brings the compilers. `CUPROXIDE_HIP_TARGETS` names other architectures than its default, and
//! with `CUPROXIDE_HIP_WHOLE=1` each architecture gets every kernel, where otherwise its name decides which one does. With
//! `CUPROXIDE_HIP_SHARE=1/2` and `2/2` two compilers share the kernels. Texts that a compiler took before, by the table that
//! `CUPROXIDE_TEXTS` names, are left out.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Instant;

use cuproxide_codegen::cache::Key;
use cuproxide_codegen::passed::Passed;
use cuproxide_codegen::samples::{Layout, all_operators, program, scatters, walks};
use cuproxide_codegen::{Dialect, Program};
use cuproxide_core::fold::{self, Options, ordered_kernel, reduce_kernel, scan_kernel};
use cuproxide_core::ufunc::{self, Source};
use cuproxide_gpu::hand_written;
use cuproxide_hal::ir::Kernel;
use cuproxide_hal::{DType, SourceText};
use cuproxide_hip::{compile_text, compile_user_text, compiler_version, text_hash};
use cuproxide_kernels_hip::{WAVE64, dialect};

/// Kernels that are compiled in one piece, which saves most of what the compiler takes to start.
const TOGETHER: usize = 48;

/// Whether there is a compiler; says which.
fn compiler() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| match compiler_version() {
        Ok((path, version)) => {
            println!("compiler: {version}, {path}");
            true
        }
        Err(error) => {
            println!("SKIPPED, no compiler: {error}");
            false
        }
    })
}

fn targets() -> Vec<String> {
    let variable = cuproxide_hal::settings::HIP_TARGETS;
    let named = variable.text().unwrap_or_else(|| variable.default.to_owned());
    named.split(',').map(str::to_owned).collect()
}

/// Which of how many shares of the work is done here, counted from 0.
fn share() -> (usize, usize) {
    let named = cuproxide_hal::settings::HIP_SHARE.text().unwrap_or_default();
    let parsed = named.split_once('/').map(|(own, all)| (own.parse::<usize>(), all.parse::<usize>()));
    match parsed {
        Some((Ok(own), Ok(all))) if (1..=all).contains(&own) => (own - 1, all),
        _ if named.is_empty() => (0, 1),
        _ => panic!("CUPROXIDE_HIP_SHARE={named} is no share such as 1/2"),
    }
}

const EMPTY: &str = "extern \"C\" __global__ void empty() {}";

/// The texts that this compiler took before.
fn passed() -> &'static Passed {
    static PASSED: OnceLock<Passed> = OnceLock::new();
    PASSED.get_or_init(|| {
        let (_, version) = compiler_version().expect("a compiler");
        // The compiler opens the rest of itself for its first text.
        compile_text("empty", EMPTY, &targets()[0]).unwrap_or_else(|error| panic!("{error}"));
        Passed::of_process(&format!("hiprtc-{}", version.rsplit(' ').next().unwrap_or_default().replace('/', "_")))
    })
}

/// A text that is compiled together with others.
struct Text {
    name: String,
    /// As the backend would compile it.
    own: String,
    /// With entries that no other text has.
    unique: String,
}

/// Compiles texts for an architecture; fails with the log and the name of the first that does not compile.
fn compile(target: &str, texts: &[Text]) {
    let run = |text: &str| {
        let code = compile_text("kernels", text, target).map_err(|error| error.to_string())?;
        if code.starts_with(b"\x7fELF") { Ok(()) } else { Err("no machine code".to_owned()) }
    };
    // The texts define the same macros, so each is compiled where those of the others end.
    let macros = |text: &str| {
        let names = text.lines().filter_map(|line| line.trim_start().strip_prefix("#define "));
        let name = |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned);
        let mut names: Vec<String> = names.filter_map(name).collect();
        names.sort();
        names.dedup();
        names.iter().map(|name| format!("#undef {name}\n")).collect::<String>()
    };
    let together: String = texts
        .iter()
        .enumerate()
        .map(|(at, text)| format!("namespace n{at} {{\n{}\n}}\n{}", text.unique, macros(&text.unique)))
        .collect();
    if run(&together).is_err() {
        for Text { name, unique, .. } in texts {
            if let Err(log) = run(unique) {
                panic!("{name} for {target}: {log}\n{unique}");
            }
        }
        panic!("{target}: compiles alone, but not together: {}", run(&together).expect_err("failed before"));
    }
}

/// Compiles kernels for the architectures: all for each, or each for the one that its name stands for, so that a kernel keeps
/// its architecture and its compiler when others come and go.
fn compile_all(what: &str, names: &[String], text: impl Fn(usize, &'static Dialect) -> Text) {
    if !compiler() {
        return;
    }
    let targets = targets();
    let whole = cuproxide_hal::settings::HIP_WHOLE.is_on();
    let (own, shares) = share();
    let chosen = |at: usize, place: usize| {
        let hash = Key::of([names[at].as_bytes()]);
        let [first, second, ..] = hash.bytes() else { unreachable!("a hash has 32 bytes") };
        *first as usize % targets.len() == place && *second as usize % shares == own
    };
    for (place, target) in targets.iter().enumerate() {
        let started = Instant::now();
        let dialect = dialect(target);
        let chosen = (0..names.len()).filter(|&at| whole || chosen(at, place));
        let texts: Vec<Text> = chosen.map(|at| text(at, dialect)).collect();
        let (count, mut compiled) = (texts.len(), 0);
        let mut rest = texts.into_iter().peekable();
        while rest.peek().is_some() {
            let hash = |text: &Text| text_hash(&text.own, target).expect("a compiler");
            let part = rest.by_ref().take(TOGETHER).collect();
            compiled += passed().compile(part, hash, |new| compile(target, new));
        }
        println!("{target}: {count} {what}, {compiled} compiled in {:.1} s", started.elapsed().as_secs_f64());
    }
}

/// The text of a kernel, with entries of its own.
fn unique(program: &Program, name: &str, at: usize) -> Text {
    let own = format!("cuproxide_n{at}_");
    // Shared memory of a size that the launch says has one type under one name, in whatever namespace.
    let unique = program.text().replace("cuproxide_", &own).replace("held", &format!("held{at}"));
    Text { name: name.to_owned(), own: program.text().to_owned(), unique }
}

fn compile_kernels(what: &str, kernels: &[(Kernel, Layout)]) {
    for (kernel, _) in kernels {
        kernel.validate().unwrap_or_else(|error| panic!("{error}"));
    }
    let types =
        |kernel: &Kernel| kernel.operands.iter().map(|operand| format!(" {}", operand.dtype)).collect::<String>();
    let name = |(kernel, layout): &(Kernel, Layout)| format!("{}{} {layout:?}", kernel.name, types(kernel));
    let names: Vec<String> = kernels.iter().map(name).collect();
    compile_all(what, &names, |at, dialect| {
        let (kernel, layout) = &kernels[at];
        unique(&program(kernel, *layout, dialect).expect("a program"), &names[at], at)
    });
}

#[test]
fn every_loop_of_every_ufunc() {
    let mut kernels = vec![];
    for ufunc in ufunc::table() {
        for (index, types) in ufunc.loops.iter().enumerate() {
            let sources: Vec<Source> = types.inputs.iter().map(|&dtype| Source::Memory(dtype)).collect();
            // Both layouts come to every architecture, one of them a loop.
            let layout = if (index / 4) % 2 == 0 { Layout::Contiguous } else { Layout::Strided };
            kernels.push((ufunc::kernel(ufunc, index, &sources, &types.outputs, false), layout));
        }
    }
    compile_kernels("loops of ufuncs", &kernels);
}

#[test]
fn every_fold_of_every_type() {
    let mut kernels = vec![];
    for row in fold::table() {
        for dtype in DType::ALL {
            let Ok(plan) = row.plan(dtype, None) else { continue };
            let options = Options { masked: false, initial: false };
            let layout = if kernels.len() % 3 == 0 { Layout::Strided } else { Layout::Contiguous };
            if row.is_reorderable() {
                kernels.push((reduce_kernel(plan, &plan.outputs, options), layout));
            } else {
                kernels.push((ordered_kernel(plan, plan.outputs[0], false, options), layout));
            }
            if row.is_scannable() && plan.outputs.len() == 1 {
                kernels.push((scan_kernel(plan, &plan.outputs, options), layout));
            }
        }
    }
    compile_kernels("folds", &kernels);
}

#[test]
fn every_operator_of_every_type() {
    let kernels: Vec<_> = DType::ALL
        .into_iter()
        .flat_map(|dtype| all_operators(dtype).into_iter().map(|kernel| (kernel, Layout::Strided)))
        .collect();
    compile_kernels("maps of operators", &kernels);
}

#[test]
fn every_walk() {
    let mut kernels = vec![];
    for dtype in [DType::Bool, DType::I8, DType::F16, DType::F32, DType::I64, DType::C128] {
        for layout in [Layout::Contiguous, Layout::Strided, Layout::Wide] {
            kernels.extend(walks(dtype).into_iter().map(|kernel| (kernel, layout)));
        }
    }
    kernels.extend(DType::ALL.into_iter().flat_map(scatters).map(|kernel| (kernel, Layout::Contiguous)));
    compile_kernels("walks and updates", &kernels);
}

#[test]
fn every_kernel_written_by_hand() {
    // Several texts have one name: a number keeps them from going to one architecture together.
    let mut count = HashMap::new();
    let mut number = |name: &'static str| {
        let before = count.entry(name).or_insert(0);
        *before += 1;
        format!("{name} {before}")
    };
    let names: Vec<String> = hand_written(&WAVE64).iter().map(|(name, _)| number(name)).collect();
    compile_all("texts written by hand", &names, |at, dialect| {
        let (_, text) = &hand_written(dialect)[at];
        // Entries have fixed names.
        let rename = |line: &str| if line.starts_with("ENTRY") { rename(line, at) } else { line.to_owned() };
        let lines: Vec<String> = text.lines().map(rename).collect();
        Text { name: names[at].clone(), own: text.clone(), unique: lines.join("\n") }
    });
}

/// The line that declares an entry, with a number in its name.
fn rename(line: &str, at: usize) -> String {
    line.replacen(" void ", &format!(" void n{at}_"), 1)
}

#[test]
fn errors_carry_the_log_and_the_text() {
    if !compiler() {
        return;
    }
    let error =
        compile_text("broken", "__global__ void f() { undeclared(); }", &targets()[0]).expect_err("it is broken");
    let text = error.to_string();
    assert!(text.contains("undeclared") && text.contains("broken"), "{text}");
}

#[test]
fn texts_that_users_wrote_for_cuda() {
    if !compiler() {
        return;
    }
    let text = include_str!("cuda_user.cu");
    let expressions = ["scale<float>", "scale<float16>", "scale<complex<float>>"].map(str::to_owned);
    let options = [
        "-arch=sm_90",
        "--use_fast_math",
        "--fmad=false",
        "--ftz=true",
        "--maxrregcount=64",
        "--generate-line-info",
        "--restrict",
        "-rdc=true",
        "--diag-suppress=177",
        "--include-path=/",
        "--define-macro",
        "OF_CUDA=1",
        "--device-debug",
    ]
    .map(str::to_owned);
    for target in targets() {
        let source = SourceText { name: "user", text, options: &options, expressions: &expressions };
        let (code, names) = compile_user_text(&source, &target).unwrap_or_else(|error| panic!("{target}: {error}"));
        assert!(code.starts_with(b"\x7fELF"));
        assert!(names.iter().all(|name| name.starts_with("_Z5scale")), "{names:?}");
        let broken = format!("\n{text}\nint last = undeclared;");
        let source = SourceText { name: "broken", text: &broken, options: &[], expressions: &[] };
        let log = compile_user_text(&source, &target).expect_err("it is broken").to_string();
        let line = broken.lines().count();
        assert!(log.contains(&format!(":{line}:")), "the line of the user's text: {log}");
    }
}

#[test]
fn names_of_the_compiler_of_cuda() {
    if !compiler() {
        return;
    }
    for target in targets() {
        let source = SourceText { name: "names", text: include_str!("cuda_names.cu"), options: &[], expressions: &[] };
        let (code, _) = compile_user_text(&source, &target).unwrap_or_else(|error| panic!("{target}: {error}"));
        assert!(code.starts_with(b"\x7fELF"));
    }
}

#[test]
fn images_that_users_wrote_for_cuda() {
    if !compiler() {
        return;
    }
    for target in targets() {
        let text = include_str!("cuda_images.cu");
        // The newer processors for computing have nothing that samples.
        let samples = !["gfx94", "gfx95"].iter().any(|family| target.starts_with(family));
        let source = SourceText { name: "images", text, options: &[], expressions: &[] };
        match compile_user_text(&source, &target) {
            Ok((code, _)) => assert!(code.starts_with(b"\x7fELF") && samples, "{target}"),
            Err(error) => {
                let log = error.to_string();
                assert!(!samples && log.contains("not supported on the device"), "{target}: {log}");
            }
        }
    }
}
