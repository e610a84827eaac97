//! Scratch memory of a thread, and copies and fills on the threads of the pool.

use std::cell::Cell;

use cuproxide_hal::interrupt;

use crate::pool;

/// A piece of scratch memory, aligned to the widest registers.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Line(#[expect(dead_code, reason = "compiled code uses the memory")] pub(crate) [u8; 64]);

/// Bytes of scratch memory that a thread keeps for later work.
const KEPT: usize = 64 << 20;

/// Gives `work` this much scratch memory of the thread.
#[inline]
pub(crate) fn with_scratch(bytes: usize, work: impl FnOnce(*mut u8)) {
    thread_local! {
        static SCRATCH: Cell<Vec<Line>> = const { Cell::new(vec![]) };
    }
    if bytes == 0 {
        return work(std::ptr::null_mut());
    }
    // Taken out, so that a launch within a launch would get memory of its own.
    let mut lines = SCRATCH.take();
    lines.resize(lines.len().max(bytes.div_ceil(size_of::<Line>())), Line([0; 64]));
    work(lines.as_mut_ptr().cast());
    if size_of_val(&lines[..]) <= KEPT {
        SCRATCH.set(lines);
    }
}

/// Bytes from which a copy is split over threads, and the size of the pieces.
pub const COPY_PIECE: usize = 1 << 20;

/// Copies memory.
///
/// # Safety
/// `src` is readable and `dst` writable for `bytes`; they do not overlap.
pub unsafe fn copy(dst: *mut u8, src: *const u8, bytes: usize) {
    if (1..=COPY_PIECE).contains(&bytes) {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(src, dst, bytes) };
        return;
    }
    let (dst, src) = (dst as usize, src as usize);
    let one = |piece: usize| {
        let at = piece * COPY_PIECE;
        // SAFETY: the pieces are disjoint parts of the caller's ranges.
        unsafe {
            std::ptr::copy_nonoverlapping((src + at) as *const u8, (dst + at) as *mut u8, COPY_PIECE.min(bytes - at));
        }
    };
    interrupt::held(|| pool::run(bytes.div_ceil(COPY_PIECE), one));
}

/// Sets memory.
///
/// # Safety
/// `dst` is writable for `bytes`.
pub unsafe fn fill(dst: *mut u8, value: u8, bytes: usize) {
    let dst = dst as usize;
    let one = |piece: usize| {
        let at = piece * COPY_PIECE;
        // SAFETY: the pieces are disjoint parts of the caller's range.
        unsafe { std::ptr::write_bytes((dst + at) as *mut u8, value, COPY_PIECE.min(bytes - at)) };
    };
    interrupt::held(|| pool::run(bytes.div_ceil(COPY_PIECE), one));
}
