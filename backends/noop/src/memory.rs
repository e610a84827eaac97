//! The memory of a device: zeroed host blocks and the knowledge of which addresses are live.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;

use cuproxide_hal::{Allocation, MemoryKind};
use parking_lot::Mutex;

const ALIGNMENT: usize = 256;

struct Block {
    base: *mut u8,
    layout: Layout,
    allocation: Allocation,
}

// SAFETY: a block owns its memory, and every access to it obeys the contract of the HAL.
unsafe impl Send for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: `base` came from `alloc_zeroed` with this layout and is freed once.
        unsafe { dealloc(self.base, self.layout) }
    }
}

#[derive(Default)]
struct State {
    blocks: BTreeMap<u64, Block>,
    used: usize,
}

/// Every live block of one device.
pub(crate) struct Memory {
    state: Mutex<State>,
    total: usize,
}

impl Memory {
    pub(crate) fn new(total: usize) -> Memory {
        Memory { state: Mutex::default(), total }
    }

    pub(crate) fn total(&self) -> usize {
        self.total
    }

    pub(crate) fn free_bytes(&self) -> usize {
        self.total - self.state.lock().used
    }

    /// A new block, or nothing when the device is full. Pinned memory is the host's and does not count.
    pub(crate) fn allocate(&self, kind: MemoryKind, bytes: usize) -> Option<Allocation> {
        let mut state = self.state.lock();
        let counted = charge(kind, bytes);
        if counted > self.total - state.used {
            return None;
        }
        // Small alignment keeps `alloc_zeroed` from touching the pages of a large block.
        let layout = Layout::from_size_align(bytes.checked_add(2 * ALIGNMENT)?, 16).ok()?;
        // SAFETY: the layout's size is not zero.
        let base = unsafe { alloc_zeroed(layout) };
        if base.is_null() {
            return None;
        }
        let ptr = (base as usize).next_multiple_of(ALIGNMENT) as u64;
        let allocation = Allocation { ptr, bytes, kind };
        state.blocks.insert(ptr, Block { base, layout, allocation });
        state.used += counted;
        Some(allocation)
    }

    /// Ends a block; says what is wrong if it is not live.
    pub(crate) fn free(&self, allocation: Allocation) -> Result<(), String> {
        let mut state = self.state.lock();
        match state.blocks.get(&allocation.ptr) {
            Some(block) if block.allocation == allocation => {
                state.blocks.remove(&allocation.ptr);
                state.used -= charge(allocation.kind, allocation.bytes);
                Ok(())
            }
            Some(block) => Err(format!("{allocation:?} is freed but {:?} was allocated", block.allocation)),
            None => Err(format!("{allocation:?} is freed but is not live")),
        }
    }

    /// Checks that `start..end` lies within one live block.
    pub(crate) fn check(&self, start: u64, end: u64) -> Result<(), String> {
        let state = self.state.lock();
        let block = state.blocks.range(..=start).next_back().map(|(_, block)| block.allocation);
        match block {
            Some(block) if end <= block.ptr + block.bytes as u64 => Ok(()),
            Some(block) if start < block.ptr + block.bytes as u64 => {
                Err(format!("{start:#x}..{end:#x} runs over the end of {block:?}"))
            }
            _ if start == end => Ok(()),
            _ => Err(format!("{start:#x}..{end:#x} is in no live block")),
        }
    }
}

fn charge(kind: MemoryKind, bytes: usize) -> usize {
    if kind == MemoryKind::Pinned { 0 } else { bytes }
}
