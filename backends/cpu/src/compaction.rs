//! Selecting by flags, in parts on the threads of the pool.
//!
//! The scratch memory keeps where the selected ones of each part go, and where those of the next one begin. That bounds what is
//! written by what was counted, even if another thread has changed the flags meanwhile.

use cuproxide_hal::libraries::{Compaction, Select};
use cuproxide_hal::{Error, Result, Stream};
use pulp::Arch;

use crate::sort::CpuPrimitives;
use crate::truth::{self, Truth};
use crate::{graph, pool};

/// Flags of a part.
const PART: usize = 64 << 10;

/// # Safety
/// `address` is that of `count` elements, which nobody writes meanwhile.
unsafe fn slice<'a, T>(address: u64, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(address as *const T, count) }
}

impl Compaction for CpuPrimitives {
    fn scratch_bytes(&self, count: usize) -> usize {
        8 * (count.div_ceil(PART) + 1)
    }

    unsafe fn count(&self, stream: &dyn Stream, flags: u64, count: usize, scratch: u64, total: u64) -> Result<()> {
        // SAFETY: the caller's promise.
        graph::run_or_record(stream, "count", move || unsafe { tally(flags, count, scratch, total) })
    }

    unsafe fn write(&self, stream: &dyn Stream, select: &Select) -> Result<()> {
        let select = *select;
        // SAFETY: the caller's promise.
        graph::run_or_record(stream, "select", move || unsafe { write(&select) })
    }
}

/// # Safety
/// As for [`Compaction::count`].
unsafe fn tally(flags: u64, count: usize, scratch: u64, total: u64) -> Result<()> {
    let parts = count.div_ceil(PART);
    pool::run(parts, |part| {
        let begin = part * PART;
        // SAFETY: the caller's flags and scratch memory; every part writes a number of its own.
        unsafe {
            let flags: &[Truth] = slice(flags + begin as u64, PART.min(count - begin));
            let set = Arch::new().dispatch(
                #[inline(always)]
                || truth::count(flags),
            );
            (scratch as *mut u64).add(part).write(set as u64);
        }
    });
    let mut sum = 0;
    // SAFETY: as above; now each number becomes the sum of those before, and the total follows the last one.
    unsafe {
        for part in 0..parts {
            let at = (scratch as *mut u64).add(part);
            let set = at.read();
            at.write(sum);
            sum += set;
        }
        (scratch as *mut u64).add(parts).write(sum);
        (total as *mut u64).write(sum);
    }
    Ok(())
}

/// # Safety
/// As for [`Compaction::write`].
unsafe fn write(select: &Select) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        match (select.items, select.size) {
            (0, 8) => run(select, |at| at as i64),
            (1.., 1) => items::<u8>(select),
            (1.., 2) => items::<u16>(select),
            (1.., 4) => items::<u32>(select),
            (1.., 8) => items::<u64>(select),
            (1.., 16) => items::<[u64; 2]>(select),
            _ => return Err(Error::unsupported("cpu", format!("selecting items of {} bytes", select.size))),
        }
    }
    Ok(())
}

unsafe fn items<T: Copy + Sync>(select: &Select) {
    // SAFETY: the caller's promise.
    unsafe {
        let items: &[T] = slice(select.items, select.count);
        run(select, |at| items[at]);
    }
}

unsafe fn run<T: Copy>(select: &Select, item: impl Fn(usize) -> T + Sync) {
    let Select { flags, count, out, scratch, .. } = *select;
    pool::run(count.div_ceil(PART), |part| {
        let begin = part * PART;
        // SAFETY: the caller's promise; the parts write to places that follow each other.
        let (flags, out): (&[Truth], &mut [T]) = unsafe {
            let [first, end] = [part, part + 1].map(|part| (scratch as *const u64).add(part).read() as usize);
            let out = std::slice::from_raw_parts_mut((out as *mut T).add(first), end - first);
            (slice(flags + begin as u64, PART.min(count - begin)), out)
        };
        let mut next = 0;
        // Nobody foresees flags: what is not selected is overwritten, but for the last place.
        for (at, flag) in flags.iter().enumerate() {
            if next == out.len() {
                break;
            }
            out[next] = item(begin + at);
            next += usize::from(flag.holds());
        }
        // Another thread has cleared flags: the first item stands for those that are missing.
        out[next..].fill(item(begin));
    });
}
