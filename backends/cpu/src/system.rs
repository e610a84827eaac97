//! What the host's own memory and processor can do of a driver's extras.

use std::sync::LazyLock;

use cuproxide_hal::{PitchedCopy, PointerInfo, PoolNumber, Result, Stream, System};
use parking_lot::Mutex;
use std::collections::HashMap;

use cuproxide_hal::{Allocation, Error, MemoryKind};

use crate::{bytes, graph, memory};

/// The extras of the CPU.
pub struct CpuSystem;

/// The pool that the device begins with.
const FIRST_POOL: u64 = 1;

/// Blocks in the order of streams, each with its size and pool, and the pools, which only count.
struct Ordered {
    blocks: HashMap<u64, (usize, u64)>,
    pools: Vec<u64>,
    current: u64,
    next: u64,
}

static ORDERED: LazyLock<Mutex<Ordered>> = LazyLock::new(|| {
    let (blocks, pools) = (HashMap::new(), vec![FIRST_POOL]);
    Mutex::new(Ordered { blocks, pools, current: FIRST_POOL, next: FIRST_POOL + 1 })
});

impl Ordered {
    /// A pool that exists.
    fn known(&self, pool: u64) -> Result<u64> {
        if self.pools.contains(&pool) { Ok(pool) } else { Err(invalid(format!("{pool:#x} is not a pool of memory"))) }
    }
}

fn invalid(message: String) -> Error {
    Error::Call { call: "pool", code: 1, name: "invalid value".to_owned(), message }
}

impl System for CpuSystem {
    fn backend(&self) -> &'static str {
        "cpu"
    }

    fn allocate_ordered(&self, _stream: &dyn Stream, pool: u64, bytes: usize) -> Result<u64> {
        let pool = {
            let ordered = ORDERED.lock();
            if pool == 0 { ordered.current } else { ordered.known(pool)? }
        };
        let made = memory::allocate(MemoryKind::Device, bytes)?;
        ORDERED.lock().blocks.insert(made.ptr, (bytes, pool));
        Ok(made.ptr)
    }

    unsafe fn free_ordered(&self, _stream: &dyn Stream, ptr: u64) -> Result<()> {
        let Some((bytes, _)) = ORDERED.lock().blocks.remove(&ptr) else {
            return Err(invalid(format!("{ptr:#x} was not allocated in the order of a stream")));
        };
        // SAFETY: the block was allocated with this size, is freed now for the first time, and no work is queued.
        unsafe { memory::free(Allocation { ptr, bytes, kind: MemoryKind::Device }) };
        Ok(())
    }

    fn pool(&self, first: bool) -> Result<u64> {
        Ok(if first { FIRST_POOL } else { ORDERED.lock().current })
    }

    fn set_pool(&self, pool: u64) -> Result<()> {
        let mut ordered = ORDERED.lock();
        ordered.current = ordered.known(pool)?;
        Ok(())
    }

    fn create_pool(&self) -> Result<u64> {
        let mut ordered = ORDERED.lock();
        let pool = ordered.next;
        ordered.next += 1;
        ordered.pools.push(pool);
        Ok(pool)
    }

    fn destroy_pool(&self, pool: u64) -> Result<()> {
        let mut ordered = ORDERED.lock();
        if ordered.known(pool)? == FIRST_POOL {
            return Err(invalid("the first pool cannot be destroyed".to_owned()));
        }
        ordered.pools.retain(|&other| other != pool);
        if ordered.current == pool {
            ordered.current = FIRST_POOL;
        }
        Ok(())
    }

    fn trim_pool(&self, pool: u64, _keep: usize) -> Result<()> {
        // Nothing is cached.
        ORDERED.lock().known(pool).map(drop)
    }

    fn pool_number(&self, pool: u64, _number: PoolNumber) -> Result<usize> {
        let ordered = ORDERED.lock();
        let pool = ordered.known(pool)?;
        Ok(ordered.blocks.values().filter(|(_, owner)| *owner == pool).map(|(bytes, _)| bytes).sum())
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

    fn check_memory(&self, ptr: u64, bytes: usize) -> Result<()> {
        let Some(last) = bytes.checked_sub(1) else { return Ok(()) };
        let ends = ptr.checked_add(last as u64).map(|end| [ptr, end]);
        match ends {
            Some(ends) if ends.into_iter().all(memory::is_mapped) => Ok(()),
            _ => Err(invalid(format!("there is no memory of {bytes} bytes at {ptr:#x}"))),
        }
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
            unsafe { bytes::copy(dst as *mut u8, src as *const u8, bytes) };
            Ok(())
        })
    }
}
