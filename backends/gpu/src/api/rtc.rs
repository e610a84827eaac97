//! The run-time compiler.

use std::ffi::{CStr, c_char, c_int, c_void};

use cuproxide_hal::Error;

use crate::table;

/// Status: the text has errors.
pub const COMPILATION_FAILED: i64 = 6;

table! {
    /// The compiler's functions, by the names that NVRTC gives them.
    Rtc {
        fn version = nvrtcVersion(major: *mut c_int, minor: *mut c_int);
        fn architecture_count = nvrtcGetNumSupportedArchs(count: *mut c_int);
        fn architectures = nvrtcGetSupportedArchs(list: *mut c_int);
        fn create = nvrtcCreateProgram(
            program: *mut *mut c_void,
            text: *const c_char,
            name: *const c_char,
            headers: c_int,
            header_texts: *const *const c_char,
            header_names: *const *const c_char,
        );
        fn destroy = nvrtcDestroyProgram(program: *mut *mut c_void);
        fn compile = nvrtcCompileProgram(program: *mut c_void, count: c_int, options: *const *const c_char);
        fn add_expression = nvrtcAddNameExpression(program: *mut c_void, expression: *const c_char);
        fn lowered = nvrtcGetLoweredName(program: *mut c_void, expression: *const c_char, name: *mut *const c_char);
        fn log_size = nvrtcGetProgramLogSize(program: *mut c_void, size: *mut usize);
        fn log = nvrtcGetProgramLog(program: *mut c_void, text: *mut c_char);
        fn link_code_size = nvrtcGetLTOIRSize(program: *mut c_void, size: *mut usize);
        fn link_code = nvrtcGetLTOIR(program: *mut c_void, image: *mut c_char);
        fn cubin_size = nvrtcGetCUBINSize(program: *mut c_void, size: *mut usize);
        fn cubin = nvrtcGetCUBIN(program: *mut c_void, image: *mut c_char);
        fn ptx_size = nvrtcGetPTXSize(program: *mut c_void, size: *mut usize);
        fn ptx = nvrtcGetPTX(program: *mut c_void, text: *mut c_char);
    }
}

impl Rtc {
    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let message = self.library.symbol(self.called("error_text", "nvrtcGetErrorString")).map(|address| {
            // SAFETY: the function takes a status and returns a static string for any value.
            unsafe {
                let lookup: unsafe extern "C" fn(i32) -> *const c_char = std::mem::transmute(address);
                CStr::from_ptr(lookup(code)).to_string_lossy().into_owned()
            }
        });
        let message = message.unwrap_or_else(|| "unknown".to_owned());
        Error::Call { call, code: code.into(), name: message.clone(), message }
    }
}
