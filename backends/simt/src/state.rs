//! What compiled code and the block that runs it share.

use std::ffi::{c_char, c_void};

/// The other side of `__cpx::state` in `include/detail/runtime.h`.
#[repr(C)]
pub struct State {
    pub operation: u32,
    /// Threads of a warp in the dialect of the text.
    pub warp: u32,
    pub mask: u64,
    pub value: u64,
    pub argument: u32,
    pub width: u32,
    pub result: u64,
    pub result2: u64,
    pub suspend: Option<unsafe extern "C" fn(*mut State)>,
    pub engine: *mut c_void,
    pub shared_bytes: u32,
    pub spins: u32,
    pub cooperative: u32,
    pub unused: u32,
    pub message: [c_char; 256],
    /// Where the running thread goes when it fails.
    pub landing: *mut c_void,
}

impl State {
    /// What the kernel left as the reason of its failure.
    pub fn take_message(&mut self) -> String {
        let bytes: Vec<u8> = self.message.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0).collect();
        self.message[0] = 0;
        if bytes.is_empty() { "failed".to_owned() } else { String::from_utf8_lossy(&bytes).into_owned() }
    }
}
