//! The functions of `libhiprtc.so.7`.

use std::ffi::{c_char, c_int, c_void};

use crate::calls::{Needs, enter, export, give};
use crate::compiler::Target;
use crate::hip::{architecture, warp};
use crate::nvrtc::{
    compile, nvrtcAddNameExpression, nvrtcCreateProgram, nvrtcDestroyProgram, nvrtcGetCUBIN, nvrtcGetCUBINSize,
    nvrtcGetErrorString, nvrtcGetLoweredName, nvrtcGetProgramLog, nvrtcGetProgramLogSize,
};
use crate::status::Status;

macro_rules! same {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) = $other:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> Status {
            // SAFETY: the same as the other function asks for.
            enter(stringify!($name), Needs::Nothing, || match unsafe { $other($($argument),*) } {
                0 => Ok(()),
                status => Err(status),
            })
        }
    )*};
}

same! {
    fn hiprtcCreateProgram(
        program: *mut *mut c_void,
        source: *const c_char,
        name: *const c_char,
        headers: c_int,
        header_texts: *const *const c_char,
        header_names: *const *const c_char,
    ) = nvrtcCreateProgram;
    fn hiprtcDestroyProgram(program: *mut *mut c_void) = nvrtcDestroyProgram;
    fn hiprtcAddNameExpression(program: *mut c_void, expression: *const c_char) = nvrtcAddNameExpression;
    fn hiprtcGetLoweredName(program: *mut c_void, expression: *const c_char, name: *mut *const c_char) =
        nvrtcGetLoweredName;
    fn hiprtcGetProgramLogSize(program: *mut c_void, size: *mut usize) = nvrtcGetProgramLogSize;
    fn hiprtcGetProgramLog(program: *mut c_void, log: *mut c_char) = nvrtcGetProgramLog;
    fn hiprtcGetCodeSize(program: *mut c_void, size: *mut usize) = nvrtcGetCUBINSize;
    fn hiprtcGetCode(program: *mut c_void, to: *mut c_char) = nvrtcGetCUBIN;
}

export! {
    Nothing => {
        fn hiprtcVersion(major: *mut c_int, minor: *mut c_int) {
            give(major, 9)?;
            give(minor, 0)?;
        }
        fn hiprtcCompileProgram(program: *mut c_void, count: c_int, options: *const *const c_char) {
            compile(program, count, options, |options| {
                let named = options.iter().find_map(|option| option.strip_prefix("--offload-arch="));
                let architecture = named.map_or_else(architecture, str::to_owned);
                options.retain(|option| !option.starts_with("--offload-arch="));
                let plain = architecture.split(':').next().unwrap_or_default().to_owned();
                let warp = warp(&plain);
                let macros = vec![
                    "__HIP__=1".to_owned(),
                    "__HIPCC__=1".to_owned(),
                    "__HIPCC_RTC__=1".to_owned(),
                    "HIP_VERSION_MAJOR=7".to_owned(),
                    "__HIP_PLATFORM_AMD__=1".to_owned(),
                    "__HIP_DEVICE_COMPILE__=1".to_owned(),
                    format!("__{plain}__=1"),
                    format!("__AMDGCN_WAVEFRONT_SIZE__={warp}"),
                ];
                Ok(Target { macros, warp })
            })?;
        }
    }
}

/// The name of a status, which are those of NVRTC but for their beginning.
#[unsafe(no_mangle)]
extern "C" fn hiprtcGetErrorString(status: c_int) -> *const c_char {
    nvrtcGetErrorString(status)
}
