//! AMD's part of what the GPU backends share.

use cuproxide_codegen::cache::Key;
use cuproxide_gpu::{Target, UserText, Vendor};
use cuproxide_hal::{Error, Result, SourceText, settings};
use cuproxide_kernels_hip as kernels;

use crate::api::driver::driver;
use crate::{compiler, facts, handles, libraries, options, report};

/// AMD.
pub(crate) static VENDOR: Vendor = Vendor {
    name: "hip",
    driver,
    compiler: compiler::compiler,
    options: &kernels::OPTIONS,
    toolchain: compiler::toolchain,
    registers: |_| None,
    link_options: &[],
    describe: facts::describe,
    dialect: |target| kernels::dialect(target.name),
    libraries: |driver, primary, target| libraries::of_device(&VENDOR, driver, primary, target),
    sequences: libraries::sequences,
    library_handle: handles::handle,
    user_text,
    warnings: |text, target| kernels::user::warnings(text.text, kernels::dialect(target.name).warp),
    advice: kernels::user::advice,
    target: compiler::parse,
    serves: compiler::serves,
    pack: "kernels-hip.pack",
    statuses: report::libraries,
    facts: report::facts,
};

/// The user's text with the options and headers that it needs.
fn user_text<'t>(text: &SourceText<'t>, included: &[String], target: Target) -> Result<UserText<'t>> {
    let names_target = |option: &str| option.starts_with("--offload-arch");
    let choice = match text.options.iter().find(|option| names_target(option)) {
        Some(own) => {
            let name = own.split_once('=').map_or("", |(_, name)| name);
            let unknown = || Error::unsupported("hip", format!("the architecture {name:?} with this ROCm"));
            compiler::choose(compiler::parse(name).filter(|&target| compiler::knows(target)).ok_or_else(unknown)?)
        }
        None => compiler::choose(target),
    };
    let mut options = options::translated(text.options.iter().filter(|option| !names_target(option)));
    if !options.iter().any(|option| option.trim_start_matches('-').starts_with("std")) {
        options.push("-std=c++17".to_owned());
    }
    if settings::DEBUG.is_on() {
        options.push("-g".to_owned());
    }
    let headers = if text.text.contains("#include") { kernels::user::headers().collect() } else { vec![] };
    Ok(UserText { text: kernels::user::translated(text.text, included), choice, options, headers })
}

/// Compiles generated text for an architecture by AMD's name, without looking at any cache, for tests that need a compiler
/// and no device.
///
/// # Errors
/// A missing compiler, or [`cuproxide_hal::Error::Compile`].
pub fn compile_text(name: &str, text: &str, architecture: &str) -> Result<Vec<u8>> {
    cuproxide_gpu::compiler::compile_text(&VENDOR, name, text, Target::new(architecture, true))
}

/// The hash of what [`compile_text`] gives to the compiler: the text and its options.
///
/// # Errors
/// A missing compiler.
pub fn text_hash(text: &str, architecture: &str) -> Result<Key> {
    cuproxide_gpu::compiler::text_hash(&VENDOR, text, Target::new(architecture, true))
}

/// Compiles a text of the user's likewise; returns the machine code and the mangled names of the expressions.
///
/// # Errors
/// A missing compiler, or [`cuproxide_hal::Error::Compile`].
pub fn compile_user_text(text: &SourceText<'_>, architecture: &str) -> Result<(Vec<u8>, Vec<String>)> {
    cuproxide_gpu::compiler::compile_user_text(&VENDOR, text, Target::new(architecture, true))
}
