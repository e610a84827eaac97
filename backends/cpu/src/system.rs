//! What the host's own memory and processor can do of a driver's extras.

use std::sync::LazyLock;

use cuproxide_hal::{PitchedCopy, PointerInfo, Result, Stream, System};
use parking_lot::Mutex;
use std::collections::HashMap;

use cuproxide_hal::{Allocation, Error, MemoryKind};

use crate::{graph, memory, run};

/// The extras of the CPU.
pub struct CpuSystem;

/// Sizes of the blocks that were allocated in the order of a stream.
static ORDERED: LazyLock<Mutex<HashMap<u64, usize>>> = LazyLock::new(Mutex::default);

impl System for CpuSystem {
    fn backend(&self) -> &'static str {
        "cpu"
    }

    fn allocate_ordered(&self, _stream: &dyn Stream, _pool: u64, bytes: usize) -> Result<u64> {
        let made = memory::allocate(MemoryKind::Device, bytes)?;
        ORDERED.lock().insert(made.ptr, bytes);
        Ok(made.ptr)
    }

    unsafe fn free_ordered(&self, _stream: &dyn Stream, ptr: u64) -> Result<()> {
        let Some(bytes) = ORDERED.lock().remove(&ptr) else {
            return Err(Error::Call {
                call: "free",
                code: 1,
                name: "invalid value".to_owned(),
                message: format!("{ptr:#x} was not allocated in the order of a stream"),
            });
        };
        // SAFETY: the block was allocated with this size, is freed now for the first time, and no work is queued.
        unsafe { memory::free(Allocation { ptr, bytes, kind: MemoryKind::Device }) };
        Ok(())
    }

    unsafe fn register(&self, ptr: u64, bytes: usize, _flags: u32) -> Result<()> {
        memory::register(ptr, bytes);
        Ok(())
    }

    fn unregister(&self, ptr: u64) -> Result<()> {
        memory::unregister(ptr);
        Ok(())
    }

    fn pointer(&self, ptr: u64) -> Result<PointerInfo> {
        let kind = u32::from(memory::is_pinned(ptr));
        Ok(PointerInfo { device: Some(0), kind, device_ptr: ptr, host_ptr: ptr })
    }

    unsafe fn prefetch(&self, _stream: &dyn Stream, _ptr: u64, _bytes: usize, _device: Option<usize>) -> Result<()> {
        // The memory is where everybody wants it.
        Ok(())
    }

    unsafe fn advise(&self, _ptr: u64, _bytes: usize, _advice: i32, _device: Option<usize>) -> Result<()> {
        Ok(())
    }

    unsafe fn copy_pitched(&self, stream: &dyn Stream, copy: &PitchedCopy) -> Result<()> {
        let copy = *copy;
        graph::run_or_record(stream, "copy", move || {
            for row in 0..copy.rows {
                let dst = copy.dst as usize + row * copy.dst_pitch;
                let src = copy.src as usize + row * copy.src_pitch;
                // SAFETY: the caller's promise.
                unsafe { std::ptr::copy_nonoverlapping(src as *const u8, dst as *mut u8, copy.width) };
            }
            Ok(())
        })
    }

    unsafe fn copy_any(&self, stream: &dyn Stream, dst: u64, src: u64, bytes: usize) -> Result<()> {
        graph::run_or_record(stream, "copy", move || {
            // SAFETY: the caller's promise.
            unsafe { run::copy(dst as *mut u8, src as *const u8, bytes) };
            Ok(())
        })
    }
}
