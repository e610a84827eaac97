//! Memory: of devices, of the host that devices may read, and of both.
//!
//! Device memory lies in one range of addresses. Between two kernels nobody may touch it; each block ends at a page that
//! is never mapped, and addresses are not used twice.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::status::{INVALID_VALUE, NOT_REGISTERED, OUT_OF_MEMORY, Outcome};

/// Addresses for device memory in all.
const RANGE: usize = 256 << 30;
const PAGE: usize = 4096;
/// What `malloc` of a device promises.
const ALIGNMENT: usize = 512;
/// Bytes of a new block that are filled with ones; those of floating numbers are NaN.
const FILLED: usize = 8 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of a device.
    Device,
    /// Of a device and the host.
    Managed,
    /// Of the host, page-locked.
    Host,
    /// The program's own, page-locked later.
    Registered,
    /// A variable of a module.
    Variable,
}

#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub start: u64,
    pub bytes: usize,
    pub kind: Kind,
    pub device: usize,
    /// The pool that it was taken from, or 0.
    pub pool: u64,
    mapped: (u64, usize),
}

#[derive(Default)]
struct Memory {
    blocks: BTreeMap<u64, Block>,
    /// Start of the range and how much of it was used.
    range: Option<(u64, usize)>,
    /// Whether work runs, which may touch device memory.
    open: bool,
}

static MEMORY: Mutex<Memory> = Mutex::new(Memory { blocks: BTreeMap::new(), range: None, open: false });

fn map(address: u64, bytes: usize, protection: i32, flags: i32) -> Option<u64> {
    let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: either the system chooses the place or it lies in the range that is ours.
    let found = unsafe { libc::mmap(address as *mut _, bytes, protection, flags, -1, 0) };
    if found == libc::MAP_FAILED { None } else { Some(found as u64) }
}

fn protect((start, bytes): (u64, usize), open: bool) {
    let protection = if open { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
    // SAFETY: the pages belong to a block of ours.
    unsafe { libc::mprotect(start as *mut _, bytes, protection) };
}

impl Memory {
    fn used(&self, device: usize) -> usize {
        let on = |block: &&Block| block.device == device && matches!(block.kind, Kind::Device | Kind::Managed);
        self.blocks.values().filter(on).map(|block| block.bytes).sum()
    }

    fn containing(&self, ptr: u64) -> Option<Block> {
        let (_, block) = self.blocks.range(..=ptr).next_back()?;
        (ptr < block.start + block.bytes.max(1) as u64).then_some(*block)
    }

    /// Addresses for a block, mapped.
    fn pages(&mut self, bytes: usize, device: bool) -> Option<u64> {
        if !device {
            return map(0, bytes, libc::PROT_READ | libc::PROT_WRITE, 0);
        }
        let (start, used) = match self.range {
            Some(range) => range,
            None => (map(0, RANGE, libc::PROT_NONE, 0)?, 0),
        };
        if used + bytes + PAGE > RANGE {
            return None;
        }
        self.range = Some((start, used + bytes + PAGE));
        map(start + used as u64, bytes, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_FIXED)
    }
}

/// A new block.
pub fn allocate(device: usize, bytes: usize, kind: Kind, pool: u64) -> Outcome<u64> {
    let mut memory = MEMORY.lock();
    if bytes == 0 {
        return Err(INVALID_VALUE);
    }
    let total = crate::device::total_memory();
    let on_device = matches!(kind, Kind::Device | Kind::Managed);
    if bytes > total || (on_device && memory.used(device) + bytes > total) {
        return Err(OUT_OF_MEMORY);
    }
    let whole = bytes.next_multiple_of(ALIGNMENT);
    let mapped = whole.next_multiple_of(PAGE);
    let pages = memory.pages(mapped, kind == Kind::Device).ok_or(OUT_OF_MEMORY)?;
    // Its end meets the page that nobody may touch.
    let start = pages + (mapped - whole) as u64;
    // SAFETY: the pages were just mapped for writing.
    unsafe { std::ptr::write_bytes(pages as *mut u8, 0xff, mapped.min(FILLED)) };
    if kind == Kind::Device && !memory.open {
        protect((pages, mapped), false);
    }
    memory.blocks.insert(start, Block { start, bytes, kind, device, pool, mapped: (pages, mapped) });
    Ok(start)
}

/// Gives a block of one of the kinds back.
pub fn free(ptr: u64, kinds: &[Kind]) -> Outcome {
    let mut memory = MEMORY.lock();
    let block = memory.blocks.get(&ptr).filter(|block| kinds.contains(&block.kind)).ok_or(INVALID_VALUE)?;
    let Block { kind, mapped: (pages, bytes), .. } = *block;
    memory.blocks.remove(&ptr);
    match kind {
        Kind::Device => drop(map(pages, bytes, libc::PROT_NONE, libc::MAP_FIXED)),
        // SAFETY: the pages were mapped for this block.
        _ => drop(unsafe { libc::munmap(pages as *mut _, bytes) }),
    }
    Ok(())
}

/// Makes the program's own memory known.
pub fn register(ptr: u64, bytes: usize) -> Outcome {
    let mut memory = MEMORY.lock();
    if bytes == 0 || ptr == 0 {
        return Err(INVALID_VALUE);
    }
    let overlaps = |block: &Block| block.start < ptr + bytes as u64 && ptr < block.start + block.bytes as u64;
    if memory.blocks.values().any(overlaps) {
        return Err(crate::status::ALREADY_REGISTERED);
    }
    let block = Block { start: ptr, bytes, kind: Kind::Registered, device: 0, pool: 0, mapped: (0, 0) };
    memory.blocks.insert(ptr, block);
    Ok(())
}

/// Makes a variable of a module known.
pub fn add_variable(ptr: u64, bytes: usize, device: usize) {
    let block = Block { start: ptr, bytes, kind: Kind::Variable, device, pool: 0, mapped: (0, 0) };
    MEMORY.lock().blocks.insert(ptr, block);
}

/// Forgets one.
pub fn remove_variable(ptr: u64) {
    MEMORY.lock().blocks.remove(&ptr);
}

/// Forgets it again.
pub fn unregister(ptr: u64) -> Outcome {
    let mut memory = MEMORY.lock();
    memory.blocks.get(&ptr).filter(|block| block.kind == Kind::Registered).ok_or(NOT_REGISTERED)?;
    memory.blocks.remove(&ptr);
    Ok(())
}

/// The block that an address lies in.
pub fn find(ptr: u64) -> Option<Block> {
    MEMORY.lock().containing(ptr)
}

/// The block that holds all of a range, or nothing where the range is the program's own memory. A range that leaves its
/// block, or that lies in no block of a device any more, is a wrong argument.
pub fn check(ptr: u64, bytes: usize) -> Outcome<Option<Block>> {
    let memory = MEMORY.lock();
    match memory.containing(ptr) {
        Some(block) if ptr + bytes as u64 <= block.start + block.bytes as u64 => Ok(Some(block)),
        Some(_) => Err(INVALID_VALUE),
        None if memory.range.is_some_and(|(start, _)| (start..start + RANGE as u64).contains(&ptr)) => {
            Err(INVALID_VALUE)
        }
        None if ptr == 0 => Err(INVALID_VALUE),
        None => Ok(None),
    }
}

/// The same for a range that a device has to see.
pub fn check_device(ptr: u64, bytes: usize) -> Outcome<Block> {
    check(ptr, bytes)?.ok_or(INVALID_VALUE)
}

/// Lets device memory be touched, or not.
pub fn open(open: bool) {
    let mut memory = MEMORY.lock();
    memory.open = open;
    memory.blocks.values().filter(|block| block.kind == Kind::Device).for_each(|block| protect(block.mapped, open));
}

/// Bytes in use of a device.
pub fn used(device: usize) -> usize {
    MEMORY.lock().used(device)
}

/// Bytes in use of a pool.
pub fn used_of_pool(pool: u64) -> usize {
    MEMORY.lock().blocks.values().filter(|block| block.pool == pool).map(|block| block.bytes).sum()
}

/// Number of blocks and of bytes of the kinds.
pub fn count(kinds: &[Kind]) -> (usize, usize) {
    let memory = MEMORY.lock();
    let of = memory.blocks.values().filter(|block| kinds.contains(&block.kind));
    of.fold((0, 0), |(count, bytes), block| (count + 1, bytes + block.bytes))
}
