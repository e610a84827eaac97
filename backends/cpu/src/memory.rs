//! Host memory as device memory.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cuproxide_hal::{Allocation, Error, MemoryInfo, MemoryKind, Result};
use parking_lot::Mutex;

use crate::control_groups;

/// Blocks of pinned memory by address, with their sizes: graphs read these at each launch.
static PINNED: Mutex<BTreeMap<u64, usize>> = Mutex::new(BTreeMap::new());

/// Alignment of every block.
const ALIGNMENT: usize = 256;
/// Blocks from this size on are mapped by themselves and backed by huge pages, which makes the first touch cheap.
const MAPPED: usize = 4 << 20;
const HUGE_PAGE: usize = 2 << 20;
/// Requests from this size on are checked against the memory that is left: the system would grant and then kill.
const CHECKED: usize = 64 << 20;

/// The error for a request that cannot be met.
pub fn out_of_memory(requested: usize) -> Error {
    let info = information();
    Error::OutOfMemory { device: "cpu:0".to_owned(), requested, free: info.free, total: info.total }
}

/// Allocates a block.
pub fn allocate(kind: MemoryKind, bytes: usize) -> Result<Allocation> {
    if bytes > isize::MAX as usize - 2 * HUGE_PAGE || (bytes >= CHECKED && bytes > information().free) {
        return Err(out_of_memory(bytes));
    }
    let ptr = if bytes >= MAPPED { map(bytes) } else { plain(bytes) };
    if ptr == 0 {
        return Err(out_of_memory(bytes));
    }
    if kind == MemoryKind::Pinned {
        PINNED.lock().insert(ptr, bytes);
    }
    Ok(Allocation { ptr, bytes, kind })
}

/// Counts host memory that exists as pinned.
pub fn register(ptr: u64, bytes: usize) {
    PINNED.lock().insert(ptr, bytes);
}

/// Ends that.
pub fn unregister(ptr: u64) {
    PINNED.lock().remove(&ptr);
}

/// Whether an address lies in pinned memory.
pub fn is_pinned(ptr: u64) -> bool {
    let pinned = PINNED.lock();
    pinned.range(..=ptr).next_back().is_some_and(|(start, bytes)| ptr - start < *bytes as u64)
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes.max(1), ALIGNMENT).expect("small blocks have a layout")
}

fn plain(bytes: usize) -> u64 {
    // SAFETY: the layout's size is not zero.
    unsafe { alloc(layout(bytes)) as u64 }
}

/// Maps a block that starts at a huge page; 0 if there is no memory.
fn map(bytes: usize) -> u64 {
    let length = mapped_length(bytes);
    let reserved = length + HUGE_PAGE;
    // SAFETY: a new private mapping at an address of the system's choice; the trimmed ends lie within it.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let start = libc::mmap(std::ptr::null_mut(), reserved, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return 0;
        }
        let aligned = (start as usize).next_multiple_of(HUGE_PAGE);
        let before = aligned - start as usize;
        if before > 0 {
            libc::munmap(start, before);
        }
        libc::munmap((aligned + length) as *mut _, reserved - before - length);
        #[cfg(target_os = "linux")]
        libc::madvise(aligned as *mut _, length, libc::MADV_HUGEPAGE);
        aligned as u64
    }
}

fn mapped_length(bytes: usize) -> usize {
    bytes.next_multiple_of(4096)
}

/// Frees a block.
///
/// # Safety
/// It came from [`allocate`] and is freed once.
pub unsafe fn free(allocation: Allocation) {
    let Allocation { ptr, bytes, kind } = allocation;
    if kind == MemoryKind::Pinned {
        PINNED.lock().remove(&ptr);
    }
    // SAFETY: the block was made in the way that its size tells.
    unsafe {
        if bytes >= MAPPED {
            libc::munmap(ptr as *mut _, mapped_length(bytes));
        } else {
            dealloc(ptr as *mut u8, layout(bytes));
        }
    }
}

/// Free and total memory: of the machine, or of the process's control groups if these allow less.
pub fn information() -> MemoryInfo {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<usize>().ok()
    };
    let total = kilobytes("MemTotal:").map_or(isize::MAX as usize, |count| count << 10);
    let free = kilobytes("MemAvailable:").map_or(total, |count| count << 10);
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    control_groups::limited(MemoryInfo { free, total }, Path::new("/sys/fs/cgroup"), &groups)
}

/// Whether the byte at an address can be read; where the system does not tell, it is assumed.
pub fn is_mapped(address: u64) -> bool {
    let mut byte = 0u8;
    let own = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    let there = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: 1 };
    // SAFETY: the system writes at most one byte, to `byte`, and answers an error where nothing can be read.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &raw const own, 1, &raw const there, 1, 0) };
    read == 1 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
}
