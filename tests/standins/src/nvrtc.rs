//! The functions of `libnvrtc.so.13`.

use std::ffi::{CString, c_char, c_int, c_void};

use crate::calls::{export, give};
use crate::compiler::{Failure, Program, Target, text};
use crate::status::{INVALID_VALUE, Outcome};

const INVALID_PROGRAM: c_int = 4;
const INVALID_OPTION: c_int = 5;
const COMPILATION: c_int = 6;
const NO_EXPRESSIONS_AFTER: c_int = 8;
const EXPRESSION_NOT_VALID: c_int = 10;
const INTERNAL: c_int = 11;

const NAMES: [(c_int, &str); 9] = [
    (0, "NVRTC_SUCCESS\0"),
    (1, "NVRTC_ERROR_OUT_OF_MEMORY\0"),
    (3, "NVRTC_ERROR_INVALID_INPUT\0"),
    (INVALID_PROGRAM, "NVRTC_ERROR_INVALID_PROGRAM\0"),
    (INVALID_OPTION, "NVRTC_ERROR_INVALID_OPTION\0"),
    (COMPILATION, "NVRTC_ERROR_COMPILATION\0"),
    (NO_EXPRESSIONS_AFTER, "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION\0"),
    (EXPRESSION_NOT_VALID, "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID\0"),
    (INTERNAL, "NVRTC_ERROR_INTERNAL_ERROR\0"),
];

/// The architectures that programs can be compiled for.
const ARCHITECTURES: [c_int; 8] = [75, 80, 86, 87, 89, 90, 100, 120];

/// How the options begin that the compiler knows.
const OPTIONS: [&str; 22] = [
    "-I",
    "-D",
    "-U",
    "-include",
    "-std",
    "-fmad",
    "-use_fast_math",
    "-G",
    "-lineinfo",
    "-maxrregcount",
    "-ftz",
    "-prec-",
    "-rdc",
    "-dc",
    "-w",
    "-dopt",
    "-restrict",
    "-default-device",
    "-extra-device-vectorization",
    "-ptxas-options",
    "-device-as-default-execution-space",
    "-extensible-whole-program",
];
const LONG_OPTIONS: [&str; 11] = [
    "--include-path",
    "--define-macro",
    "--undefine-macro",
    "--pre-include",
    "--device-debug",
    "--generate-line-info",
    "--relocatable-device-code",
    "--device-c",
    "--disable-warnings",
    "--gpu-architecture",
    "-arch",
];

/// The first option that the compiler does not know.
fn unknown(options: &[String]) -> Option<&String> {
    let known = |option: &str| {
        let short = option.strip_prefix('-').filter(|short| short.starts_with('-')).unwrap_or(option);
        OPTIONS.iter().any(|known| short.starts_with(known))
            || LONG_OPTIONS.iter().any(|known| option.starts_with(known))
    };
    let mut list = options.iter();
    while let Some(option) = list.next() {
        if ["-I", "-D", "-U", "-include"].contains(&option.as_str()) {
            list.next();
        } else if !known(option) {
            return Some(option);
        }
    }
    None
}

struct State {
    program: Program,
    compiled: bool,
}

unsafe fn state<'p>(program: *mut c_void) -> Outcome<&'p mut State> {
    // SAFETY: the caller hands in what `nvrtcCreateProgram` made.
    unsafe { program.cast::<State>().as_mut() }.ok_or(INVALID_PROGRAM)
}

/// A list of texts.
unsafe fn list(count: c_int, texts: *const *const c_char) -> Vec<String> {
    // SAFETY: the caller's list has that many entries.
    (0..count.max(0) as usize).map(|index| unsafe { text(*texts.add(index)) }).collect()
}

/// The architecture that the options name.
fn architecture(options: &[String]) -> Outcome<c_int> {
    let named = options.iter().find_map(|option| {
        let value = option.strip_prefix("--gpu-architecture=").or_else(|| option.strip_prefix("-arch="))?;
        value.strip_prefix("sm_").or_else(|| value.strip_prefix("compute_"))?.parse().ok()
    });
    let number = named.unwrap_or(75);
    if ARCHITECTURES.contains(&number) { Ok(number) } else { Err(INVALID_OPTION) }
}

export! {
    Nothing => {
        fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) {
            give(major, crate::device::version() / 1000)?;
            give(minor, 0)?;
        }
        fn nvrtcGetNumSupportedArchs(count: *mut c_int) {
            give(count, ARCHITECTURES.len() as c_int)?;
        }
        fn nvrtcGetSupportedArchs(list: *mut c_int) {
            for (index, number) in ARCHITECTURES.into_iter().enumerate() {
                give(list.add(index), number)?;
            }
        }
        fn nvrtcCreateProgram(
            program: *mut *mut c_void,
            source: *const c_char,
            name: *const c_char,
            headers: c_int,
            header_texts: *const *const c_char,
            header_names: *const *const c_char,
        ) {
            let (texts, names) = (list(headers, header_texts), list(headers, header_names));
            let made = Program::new(text(source), text(name), names.into_iter().zip(texts).collect());
            give(program, Box::into_raw(Box::new(State { program: made, compiled: false })).cast())?;
        }
        fn nvrtcDestroyProgram(program: *mut *mut c_void) {
            state(*program)?;
            drop(Box::from_raw((*program).cast::<State>()));
            *program = std::ptr::null_mut();
        }
        fn nvrtcAddNameExpression(program: *mut c_void, expression: *const c_char) {
            let state = state(program)?;
            if state.compiled {
                return Err(NO_EXPRESSIONS_AFTER);
            }
            state.program.add_expression(text(expression));
        }
        fn nvrtcCompileProgram(program: *mut c_void, count: c_int, options: *const *const c_char) {
            compile(program, count, options, |options| {
                if let Some(unknown) = unknown(options) {
                    return Err(format!("nvrtc: error: unrecognized option {unknown} found"));
                }
                let number = architecture(options)
                    .map_err(|_| "nvrtc: error: invalid value for --gpu-architecture (-arch)".to_owned())?;
                options.retain(|option| !option.starts_with("--gpu-architecture") && !option.starts_with("-arch"));
                let version = crate::device::version();
                let macros = vec![
                    format!("__CUDA_ARCH__={}", number * 10),
                    "__CUDACC__=1".to_owned(),
                    "__CUDACC_RTC__=1".to_owned(),
                    "__NVCC__=1".to_owned(),
                    format!("__CUDACC_VER_MAJOR__={}", version / 1000),
                    format!("CUDA_VERSION={version}"),
                    format!("CUDART_VERSION={version}"),
                ];
                Ok(Target { macros, warp: 32 })
            })?;
        }
        fn nvrtcGetLoweredName(program: *mut c_void, expression: *const c_char, name: *mut *const c_char) {
            let state = state(program)?;
            give(name, state.program.lowered(&text(expression)).ok_or(EXPRESSION_NOT_VALID)?.as_ptr())?;
        }
        fn nvrtcGetProgramLogSize(program: *mut c_void, size: *mut usize) {
            give(size, state(program)?.program.log.as_bytes_with_nul().len())?;
        }
        fn nvrtcGetProgramLog(program: *mut c_void, log: *mut c_char) {
            let bytes = state(program)?.program.log.as_bytes_with_nul();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), log.cast(), bytes.len());
        }
        fn nvrtcGetCUBINSize(program: *mut c_void, size: *mut usize) {
            give(size, image(program)?.len())?;
        }
        fn nvrtcGetCUBIN(program: *mut c_void, to: *mut c_char) {
            let bytes = image(program)?;
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len());
        }
        fn nvrtcGetPTXSize(program: *mut c_void, size: *mut usize) {
            give(size, image(program)?.len())?;
        }
        fn nvrtcGetPTX(program: *mut c_void, to: *mut c_char) {
            let bytes = image(program)?;
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len());
        }
    }
}

/// Compiles a program for the target that its options name, which are left without that.
///
/// # Safety
/// A program and a list of so many options.
pub(crate) unsafe fn compile(
    program: *mut c_void,
    count: c_int,
    options: *const *const c_char,
    target: impl FnOnce(&mut Vec<String>) -> Result<Target, String>,
) -> Outcome {
    // SAFETY: the caller's promise.
    let (state, mut options) = unsafe { (state(program)?, list(count, options)) };
    let target = target(&mut options).map_err(|log| {
        state.program.log = CString::new(log).unwrap_or_default();
        INVALID_OPTION
    })?;
    state.compiled = true;
    state.program.compile(&options, &target).map_err(|failure| match failure {
        Failure::Text => COMPILATION,
        Failure::Compiler => INTERNAL,
    })
}

/// What a program was compiled to.
unsafe fn image<'p>(program: *mut c_void) -> Outcome<&'p [u8]> {
    // SAFETY: as for `state`.
    let image = &unsafe { state(program) }?.program.image;
    if image.is_empty() { Err(INVALID_VALUE) } else { Ok(image) }
}

/// The name of a status.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn nvrtcGetErrorString(status: c_int) -> *const c_char {
    let named = NAMES.iter().find(|(known, _)| *known == status);
    named.map_or("NVRTC_ERROR unknown\0", |(_, name)| name).as_ptr().cast()
}
