//! Searching sorted arrays, for several values at a time: each step of one waits for memory, or at least for the last one.

use std::hint::select_unpredictable;
use std::slice;

use cuproxide_hal::libraries::{Search, Searching};
use cuproxide_hal::{DType, Error, Result, Stream};

use crate::elements::by_number;
use crate::sort::{CpuPrimitives, Element};
use crate::truth::Truth;
use crate::{graph, pool};

/// Values of a task.
const TASK: usize = 16 << 10;
/// Values that are searched for at a time.
const TOGETHER: usize = 16;

impl Searching for CpuPrimitives {
    unsafe fn search(&self, stream: &dyn Stream, search: &Search) -> Result<()> {
        macro_rules! of {
            ($type:ty) => {
                all::<$type>
            };
        }
        let run: unsafe fn(&Search) = by_number!(
            search.dtype,
            of,
            Truth,
            other => return Err(Error::unsupported("cpu", format!("a search among {other}"))),
        );
        let search = *search;
        graph::run_or_record(stream, "search", move || {
            // SAFETY: the caller's promise.
            unsafe { run(&search) };
            Ok(())
        })
    }
}

/// # Safety
/// As for [`Searching::search`].
unsafe fn all<T: Element>(search: &Search) {
    let Search { sorted, length, values, count, right, out, .. } = *search;
    // SAFETY: the caller's promise.
    let sorted = unsafe { slice::from_raw_parts(sorted as *const T, length) };
    // Comparing keys is one instruction. They are computed once where that is less work.
    let keys: Vec<T::Key> = if length <= count { sorted.iter().map(|element| element.key()).collect() } else { vec![] };
    pool::run(count.div_ceil(TASK), |task| {
        let start = task * TASK;
        let size = TASK.min(count - start);
        // SAFETY: the caller's promise, and each task has its own part.
        let (values, out) = unsafe {
            let values = slice::from_raw_parts((values as *const T).add(start), size);
            (values, slice::from_raw_parts_mut((out as *mut i64).add(start), size))
        };
        // SAFETY: positions are less than the length.
        let kept = |at: usize| unsafe { *keys.get_unchecked(at) };
        let made = |at: usize| sorted[at].key();
        // Without wide vectors: their gathers took half again as long on an EPYC with AVX-512.
        match (keys.is_empty(), right) {
            (false, false) => part(values, length, kept, |key, value| key < value, out),
            (false, true) => part(values, length, kept, |key, value| key <= value, out),
            (true, false) => part(values, length, made, |key, value| key < value, out),
            (true, true) => part(values, length, made, |key, value| key <= value, out),
        }
    });
}

/// Halves what is left of the sorted array, for every value equally often.
#[inline(always)]
fn part<T: Element>(
    values: &[T],
    length: usize,
    key: impl Fn(usize) -> T::Key,
    before: impl Fn(T::Key, T::Key) -> bool,
    out: &mut [i64],
) {
    for (values, out) in values.chunks(TOGETHER).zip(out.chunks_mut(TOGETHER)) {
        let mut wanted = [values[0].key(); TOGETHER];
        wanted.iter_mut().zip(values).for_each(|(wanted, value)| *wanted = value.key());
        let mut found = [0; TOGETHER];
        let mut left = length;
        while left > 1 {
            let half = left / 2;
            for (found, &value) in found.iter_mut().zip(&wanted) {
                let further = *found + half;
                *found = select_unpredictable(before(key(further - 1), value), further, *found);
            }
            left -= half;
        }
        for ((out, &found), &value) in out.iter_mut().zip(&found).zip(&wanted) {
            *out = (found + usize::from(before(key(found), value))) as i64;
        }
    }
}
