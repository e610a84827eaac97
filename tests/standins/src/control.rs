//! What tests ask for: counts of what lives, of calls, and failures to come.

use std::ffi::c_char;

use crate::compiler::text;
use crate::memory::{Kind, count};
use crate::{calls, code, cudnn, cudss, queue, sparse, structured, tensors};

/// How many there are: `memory`, `bytes` (of devices), `host`, `streams`, `events`, `modules`, `graphs`, `executables`,
/// `descriptors` (of the libraries of sparse matrices, direct solvers and layers), `tensors` and `structured` (objects of those libraries);
/// -1 for another word.
///
/// # Safety
/// The address is that of a text that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn standin_live(what: *const c_char) -> i64 {
    // SAFETY: the caller's promise.
    let what = unsafe { text(what) };
    let device = [Kind::Device, Kind::Managed];
    let found = match what.as_str() {
        "memory" => count(&device).0,
        "bytes" => count(&device).1,
        "host" => count(&[Kind::Host, Kind::Registered]).0,
        "streams" => queue::state().streams.keys().filter(|&&id| id > 0x1000).count(),
        "events" => queue::state().events.len(),
        "descriptors" => sparse::descriptors() + cudnn::descriptors() + cudss::live(),
        "modules" => code::modules(),
        "graphs" => queue::state().captures.counts().0,
        "tensors" => tensors::live(),
        "structured" => structured::live(),
        "executables" => queue::state().captures.counts().1,
        _ => return -1,
    };
    found as i64
}

/// How often a function was called.
///
/// # Safety
/// As for [`standin_live`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn standin_calls(name: *const c_char) -> u64 {
    // SAFETY: the caller's promise.
    calls::count(&unsafe { text(name) })
}

/// Plans failures, as `STANDIN_FAIL` does: `cuMemAlloc_v2:3=2` lets the third call from now return 2. An empty text
/// ends the plan. Returns 0, or 1 for a text that is not understood.
///
/// # Safety
/// As for [`standin_live`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn standin_fail(plan: *const c_char) -> i32 {
    // SAFETY: the caller's promise.
    calls::plan(&unsafe { text(plan) }).err().unwrap_or(0)
}
