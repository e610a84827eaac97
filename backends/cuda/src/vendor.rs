//! NVIDIA's part of what the GPU backends share.

use std::borrow::Cow;

use cuproxide_codegen::cache::Key;
use cuproxide_codegen::headers::{Header, OWN, SUBSTITUTES};
use cuproxide_gpu::{Choice, Target, UserText, Vendor, registers};
use cuproxide_hal::{Result, SourceText, settings};
use cuproxide_kernels_cuda::DIALECT;

use crate::api::driver::driver;
use crate::compiler::{self, Architecture};
use crate::{facts, handles, libraries, places, report};

/// NVIDIA.
pub(crate) static VENDOR: Vendor = Vendor {
    name: "cuda",
    driver,
    compiler: compiler::compiler,
    // No contraction, since a fused multiply-add rounds once where NumPy rounds twice.
    options: &["--std=c++17", "--fmad=false"],
    // The driver takes machine code of any compiler, or refuses it.
    toolchain: |_| String::new(),
    registers: registers::of_cubin,
    link_options: &["-dlto", "--relocatable-device-code=true"],
    describe: facts::describe,
    dialect: |_| &DIALECT,
    libraries: |driver, primary, target| libraries::of_device(&VENDOR, driver, primary, target),
    sequences: libraries::sequences,
    library_handle: handles::handle,
    user_text,
    warnings: |_, _| vec![],
    advice: |_| None,
    target: compiler::parse,
    serves: compiler::serves,
    pack: "kernels-cuda.pack",
    statuses: report::libraries,
    facts: report::facts,
};

/// The user's text as it is, with the options and headers that it needs.
fn user_text<'t>(text: &SourceText<'t>, _included: &[String], target: Target) -> Result<UserText<'t>> {
    let names_target = |option: &str| option.starts_with("--gpu-architecture") || option.starts_with("-arch");
    let choice = match text.options.iter().find(|option| names_target(option)) {
        Some(own) => Choice { binary: own.contains("sm_"), option: own.clone(), more: &[] },
        None if settings::COMPILE_WITH_PTX.is_on() => compiler::choose(compiler::portable(target)),
        None => compiler::choose(target),
    };
    let mut options: Vec<String> = text.options.iter().filter(|option| !names_target(option)).cloned().collect();
    if !options.iter().any(|option| option.trim_start_matches('-').starts_with("std")) {
        options.push("--std=c++17".to_owned());
    }
    if settings::DEBUG.is_on() {
        options.extend(["--device-debug", "--generate-line-info"].map(str::to_owned));
    }
    if settings::USE_PCH.is_on() && compiler::keeps_headers() {
        options.push("--pch".to_owned());
    }
    let mut headers = vec![];
    if text.text.contains("#include") {
        let folders = places::include_folders(&places::of_process());
        headers.extend(OWN);
        let missing = |(name, _): &Header| !folders.iter().any(|folder| folder.join(name).is_file());
        headers.extend(SUBSTITUTES.into_iter().filter(missing));
        // The C++ library, which headers of toolkits from 13 on include, lies in a folder of its own.
        let library = folders.iter().map(|folder| folder.join("cccl")).filter(|folder| folder.is_dir());
        let folders: Vec<_> = folders.iter().cloned().chain(library).collect();
        options.extend(folders.iter().map(|folder| format!("--include-path={}", folder.display())));
    }
    Ok(UserText { text: Cow::Borrowed(text.text), choice, options, headers })
}

/// Compiles generated text without looking at any cache, for tests that need a compiler and no device.
///
/// # Errors
/// A missing compiler, or [`cuproxide_hal::Error::Compile`].
pub fn compile_text(name: &str, text: &str, architecture: Architecture) -> Result<Vec<u8>> {
    cuproxide_gpu::compiler::compile_text(&VENDOR, name, text, architecture.target(true))
}

/// The hash of what [`compile_text`] gives to the compiler: the text and its options.
///
/// # Errors
/// A missing compiler.
pub fn text_hash(text: &str, architecture: Architecture) -> Result<Key> {
    cuproxide_gpu::compiler::text_hash(&VENDOR, text, architecture.target(true))
}

/// Compiles a text of the user's likewise; returns the machine code and the mangled names of the expressions.
///
/// # Errors
/// A missing compiler, or [`cuproxide_hal::Error::Compile`].
pub fn compile_user_text(text: &SourceText<'_>, architecture: Architecture) -> Result<(Vec<u8>, Vec<String>)> {
    cuproxide_gpu::compiler::compile_user_text(&VENDOR, text, architecture.target(true))
}
