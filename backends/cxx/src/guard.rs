//! Ends a kernel that touches an address which it must not, as a GPU does, instead of the process.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::io::Write;
use std::sync::OnceLock;

/// A function of a library that ends the calling kernel with a message: it throws what the kernel's entry catches.
pub type Fault = unsafe extern "C-unwind" fn(*const c_char);

thread_local! {
    /// How to end the kernel that runs on this thread, if one does.
    static RUNNING: Cell<Option<Fault>> = const { Cell::new(None) };
}

static BEFORE: OnceLock<[libc::sigaction; 2]> = OnceLock::new();
const SIGNALS: [c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// From here on, kernels of texts compiled for a device in play fail with `illegal address` where they would otherwise
/// end the process.
pub fn guard_memory() {
    BEFORE.get_or_init(|| {
        SIGNALS.map(|signal| {
            // SAFETY: both structures are plain data; the handler has the signature that its flag promises.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                let mut before: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_signal as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
                libc::sigaction(signal, &action, &mut before);
                before
            }
        })
    });
}

/// Runs a kernel on this thread such that `fault` ends it.
pub fn with<T>(fault: Option<Fault>, run: impl FnOnce() -> T) -> T {
    let before = RUNNING.replace(fault);
    let result = run();
    RUNNING.set(before);
    result
}

extern "C-unwind" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    let Some(fault) = RUNNING.get() else {
        let index = SIGNALS.iter().position(|&known| known == signal).unwrap_or(0);
        if let Some(before) = BEFORE.get() {
            // SAFETY: what was there before; the instruction that failed is tried again under it.
            unsafe { libc::sigaction(signal, &before[index], std::ptr::null_mut()) };
        }
        return;
    };
    let mut message = [0u8; 64];
    // SAFETY: the system fills the structure in.
    let address = unsafe { (*info).si_addr() } as usize;
    let _ = write!(&mut message[..63], "illegal address {address:#x}");
    // SAFETY: the kernel of this thread belongs to the library of the function; its code has tables for unwinding from
    // every instruction that touches memory.
    unsafe { fault(message.as_ptr().cast()) };
}
