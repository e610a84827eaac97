//! The host's instruction set, its calling convention and its addresses.

use std::sync::OnceLock;

use cranelift_codegen::ir::types;
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};

/// The host's instruction set, found once; the error says why there is none.
pub(super) fn isa() -> Result<&'static OwnedTargetIsa, &'static String> {
    static ISA: OnceLock<Result<OwnedTargetIsa, String>> = OnceLock::new();
    let find = || {
        let mut flags = settings::builder();
        let options = [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("unwind_info", "false"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ];
        for (name, value) in options {
            flags.set(name, value).map_err(|error| error.to_string())?;
        }
        let mut builder = cranelift_native::builder().map_err(ToOwned::to_owned)?;
        // With it Cranelift multiplies widened 32-bit lanes by an instruction for 64 bits that is three times as slow.
        // Other processors than x86-64 do not know the setting.
        let _ = builder.set("has_avx512dq", "false");
        builder.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())
    };
    ISA.get_or_init(find).as_ref()
}

/// The calling convention of `extern "C"` on this host.
pub fn host_convention() -> CallConv {
    isa().map_or(CallConv::SystemV, |isa| isa.default_call_conv())
}

/// The type of addresses.
pub const POINTER: types::Type = types::I64;
