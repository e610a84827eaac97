//! Executable memory, and what the functions in it receive.

use memmap2::{Mmap, MmapMut};

use crate::lower::OPERANDS;

/// What a compiled loop receives.
#[repr(C)]
pub struct Call {
    /// Points of a row.
    pub points: usize,
    /// Rows, one at least.
    pub rows: usize,
    /// The scratch memory.
    pub scratch: *mut u8,
    /// `Index` of the first point.
    pub index: i64,
    /// How `Index` moves from row to row.
    pub index_step: i64,
    /// A bit for each point after the last whole vector.
    pub rest: u64,
    /// Where the elements of the operands at the first point are.
    pub pointers: [u64; OPERANDS],
    /// Bytes from row to row.
    pub steps: [isize; OPERANDS],
}

/// A compiled loop over rows; it may move the call past the last of them.
#[cfg(not(target_arch = "x86_64"))]
pub type Routine = unsafe extern "C" fn(*mut Call);
/// A compiled loop over rows; it may move the call past the last of them.
#[cfg(target_arch = "x86_64")]
pub type Routine = unsafe extern "sysv64" fn(*mut Call);

/// Machine code that may run, but not be written.
pub struct Executable(Mmap);

impl Executable {
    /// A copy of position-independent code in pages of its own; `None` if the system gives none.
    pub fn new(code: &[u8]) -> Option<Executable> {
        let mut pages = MmapMut::map_anon(code.len().max(1)).ok()?;
        pages[..code.len()].copy_from_slice(code);
        Some(Executable(pages.make_exec().ok()?))
    }

    /// The function that begins at an offset.
    ///
    /// # Safety
    /// One does.
    pub unsafe fn routine(&self, at: usize) -> Routine {
        // SAFETY: the caller's promise.
        unsafe { std::mem::transmute::<*const u8, Routine>(self.0[at..].as_ptr()) }
    }
}
