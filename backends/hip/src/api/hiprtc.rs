//! hiprtc, the run-time compiler, which lies in a library of its own since ROCm 6.

use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

use cuproxide_gpu::Rtc;
use cuproxide_gpu::api::{Names, missing};
use cuproxide_gpu::loader::{Library, Wanted};
use cuproxide_hal::Result;
use cuproxide_hip_sys::hiprtc::Hiprtc;

use super::adapters;
use crate::api::driver;
use crate::places;

const HINT: &str = "install the run-time compiler of the same ROCm as the runtime (package hip-runtime-amd, or hiprtc)";

/// The compiler by the runtime's major version; what stands for no runtime comes first.
const WANTED: [(u32, Wanted); 4] = [
    (0, wanted(&["libhiprtc.so.7", "libhiprtc.so.6", "libamdhip64.so.6", "libamdhip64.so.5"])),
    (7, wanted(&["libhiprtc.so.7", "libhiprtc.so"])),
    (6, wanted(&["libhiprtc.so.6", "libamdhip64.so.6", "libhiprtc.so"])),
    (5, wanted(&["libamdhip64.so.5", "libhiprtc.so"])),
];

const fn wanted(sonames: &'static [&'static str]) -> Wanted {
    Wanted { name: "hiprtc", sonames, wheel: "", probe: "hiprtcVersion", hint: HINT }
}

static SYMBOLS: OnceLock<Hiprtc> = OnceLock::new();

/// The functions; only adapters ask, which are in a table only once there are some.
fn symbols() -> &'static Hiprtc {
    SYMBOLS.get().expect("adapters are handed out after the library was opened")
}

adapters! {
    install: Rtc, symbols: Hiprtc;
    fn version = hiprtcVersion(major: *mut c_int, minor: *mut c_int) -> (major, minor);
    fn create = hiprtcCreateProgram(
        program: *mut *mut c_void, text: *const c_char, name: *const c_char, headers: c_int,
        header_texts: *const *const c_char, header_names: *const *const c_char,
    ) -> (program.cast(), text, name, headers, header_texts.cast_mut(), header_names.cast_mut());
    fn destroy = hiprtcDestroyProgram(program: *mut *mut c_void) -> (program.cast());
    fn compile = hiprtcCompileProgram(program: *mut c_void, count: c_int, options: *const *const c_char)
        -> (program.cast(), count, options.cast_mut());
    fn add_expression = hiprtcAddNameExpression(program: *mut c_void, expression: *const c_char)
        -> (program.cast(), expression);
    fn lowered = hiprtcGetLoweredName(program: *mut c_void, expression: *const c_char, name: *mut *const c_char)
        -> (program.cast(), expression, name);
    fn log_size = hiprtcGetProgramLogSize(program: *mut c_void, size: *mut usize) -> (program.cast(), size);
    fn log = hiprtcGetProgramLog(program: *mut c_void, text: *mut c_char) -> (program.cast(), text);
    fn cubin_size = hiprtcGetCodeSize(program: *mut c_void, size: *mut usize) -> (program.cast(), size);
    fn cubin = hiprtcGetCode(program: *mut c_void, image: *mut c_char) -> (program.cast(), image);
}

const NAMES: [(&str, &str); CALLED.len() + 1] = {
    let mut all = [("error_text", "hiprtcGetErrorString"); CALLED.len() + 1];
    let mut at = 0;
    while at < CALLED.len() {
        all[at] = CALLED[at];
        at += 1;
    }
    all
};

/// Opens the compiler that belongs to the runtime, which is asked for its version but needs no device.
pub(crate) fn open() -> Result<Rtc> {
    let runtime = driver::runtime().ok();
    let major = runtime.map_or(0, |runtime| runtime.version.0);
    let (_, wanted) = WANTED.iter().find(|(of, _)| *of == major).unwrap_or(&WANTED[0]);
    bind(places::beside(runtime.map(|runtime| &runtime.driver.library)).open(wanted)?)
}

/// How the names of the library begin that hiprtc compiles with.
const COMGR: &[u8] = b"libamd_comgr.so.";
/// That library by the names that were seen, from ROCm 7 and 6.4 on and before.
const COMGR_WANTED: [Wanted; 2] = [comgr(&["libamd_comgr.so.3"]), comgr(&["libamd_comgr.so.2"])];

const fn comgr(sonames: &'static [&'static str]) -> Wanted {
    let hint =
        "install the compiler's library of the same ROCm as the runtime (package comgr, with the LLVM that it needs)";
    Wanted { name: "comgr", sonames, wheel: "", probe: "amd_comgr_get_version", hint }
}

/// Opens the library that the compiler will open by its name alone, at its first text: where it is missing, or what it
/// needs, that ends the process.
fn open_comgr(compiler: &Library) -> Result<()> {
    let Ok(file) = std::fs::read(&compiler.path) else { return Ok(()) };
    // A compiler that has it built in or linked names none.
    if let Some(wanted) = COMGR_WANTED.iter().find(|wanted| names(&file, wanted.sonames[0])) {
        // Never closed, as the compiler itself.
        std::mem::forget(places::beside(Some(compiler)).open(wanted)?);
    }
    Ok(())
}

/// Whether a file has a library's name among its texts.
fn names(file: &[u8], soname: &str) -> bool {
    let rest = &soname.as_bytes()[COMGR.len()..];
    file.windows(COMGR.len()).enumerate().any(|(at, word)| {
        word == COMGR && file[at + COMGR.len()..].strip_prefix(rest).is_some_and(|after| after.first() == Some(&0))
    })
}

fn bind(library: Library) -> Result<Rtc> {
    open_comgr(&library)?;
    let unusable = |symbol: &str| missing(&library, symbol);
    let handle = library.share().ok_or_else(|| unusable("hiprtcVersion"))?;
    // SAFETY: the functions have the signatures of the headers, which did not change from ROCm 5 to 7.
    let symbols = unsafe { Hiprtc::from_library(handle) }.map_err(|_| unusable("hiprtcVersion"))?;
    let symbols = SYMBOLS.get_or_init(|| symbols);
    if symbols.hiprtcCompileProgram.is_err() {
        return Err(unusable("hiprtcCompileProgram"));
    }
    let mut rtc = Rtc::empty(library, Names { functions: &NAMES, status: None });
    install(&mut rtc, symbols);
    Ok(rtc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_that_a_compiler_opens_is_found_in_it() {
        let file = b"\x7fELF\0libamd_comgr.so.31\0libamd_comgr.so.3\0rest";
        assert!(names(file, "libamd_comgr.so.3"));
        assert!(!names(file, "libamd_comgr.so.2"));
        assert!(!names(&file[..24], "libamd_comgr.so.3"), "a longer name");
        assert!(!names(b"libamd_comgr.so.3", "libamd_comgr.so.3"), "a name without its end");
    }
}
