//! Compression along the other axis by stable counting, in two passes: elements go to buckets of neighbouring columns, which
//! are written one line of a cache after another, and each bucket, which fits into a cache, is sorted by itself.

use std::mem::replace;

use cuproxide_hal::Result;
use cuproxide_hal::libraries::SparseMatrix;

use super::matrix::{Index, Number, Rows, Target, elements, parts};
use crate::pool;

/// Buckets: as many places written to in turns as the nearest cache holds.
const BUCKETS: usize = 256;

/// Elements that leave for memory together, in whole lines of a cache if they have 16 bytes.
const GROUP: usize = 4;

/// An element on its way.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Entry<I, T> {
    row: I,
    column: I,
    value: T,
}

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Group<I, T>([Entry<I, T>; GROUP]);

/// The last elements of each bucket, which wait for others of their group: groups go past the caches, since nobody reads
/// them soon, and the caches need not read a line before it is overwritten.
struct Groups<I, T> {
    /// Where a block's part of each bucket begins.
    firsts: Vec<usize>,
    waiting: Vec<Group<I, T>>,
    moved: Target<Entry<I, T>>,
}

impl<I: Index, T: Number> Groups<I, T> {
    /// # Safety
    /// The places of a bucket come one after another from its first, and the memory has them.
    #[inline(always)]
    unsafe fn put(&mut self, bucket: usize, place: usize, entry: Entry<I, T>) {
        self.waiting[bucket].0[place % GROUP] = entry;
        if place % GROUP == GROUP - 1 {
            let start = place - (GROUP - 1);
            // SAFETY: the caller's promise.
            unsafe {
                if start < self.firsts[bucket] {
                    self.leave(bucket, place + 1);
                } else {
                    stream(&self.waiting[bucket], self.moved.0.add(start));
                }
            }
        }
    }

    /// Writes the elements in front of `end` that do not fill a group.
    unsafe fn leave(&self, bucket: usize, end: usize) {
        let start = (end - 1) / GROUP * GROUP;
        for place in start.max(self.firsts[bucket])..end {
            // SAFETY: the caller's promise.
            unsafe { self.moved.write(place, self.waiting[bucket].0[place % GROUP]) };
        }
    }

    /// Writes what is left; `ends` are behind the last elements.
    ///
    /// # Safety
    /// As for [`Groups::put`].
    unsafe fn finish(self, ends: &[usize]) {
        for (bucket, &end) in ends.iter().enumerate() {
            if end % GROUP > 0 && end > self.firsts[bucket] {
                // SAFETY: the caller's promise.
                unsafe { self.leave(bucket, end) };
            }
        }
        // SAFETY: every such processor has the instruction; other threads read what went past the caches.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::x86_64::_mm_sfence();
        }
    }
}

/// # Safety
/// `to` has room for a group, at a multiple of 16 bytes.
#[inline(always)]
unsafe fn stream<I: Index, T: Number>(group: &Group<I, T>, to: *mut Entry<I, T>) {
    #[cfg(target_arch = "x86_64")]
    if size_of::<Entry<I, T>>() == 2 * size_of::<I>() + size_of::<T>() {
        use std::arch::x86_64::{__m128i, _mm_load_si128, _mm_stream_si128};
        let (from, to) = (group.0.as_ptr().cast::<__m128i>(), to.cast::<__m128i>());
        for part in 0..size_of::<[Entry<I, T>; GROUP]>() / size_of::<__m128i>() {
            // SAFETY: the caller's promise; a group is aligned and has no gaps.
            unsafe { _mm_stream_si128(to.add(part), _mm_load_si128(from.add(part))) };
        }
        return;
    }
    // SAFETY: the caller's promise.
    unsafe { to.copy_from_nonoverlapping(group.0.as_ptr(), GROUP) };
}

/// Bytes that a transposition works in.
pub fn scratch_bytes<I: Index, T: Number>(a: &SparseMatrix) -> Result<usize> {
    Ok(a.stored * size_of::<Entry<I, T>>())
}

/// # Safety
/// As for `Sparse::transpose`; `memory` has the bytes that `scratch_bytes` says.
pub unsafe fn transpose<I: Index, T: Number>(a: &SparseMatrix, to: &SparseMatrix, memory: u64) -> Result<()> {
    // SAFETY: the caller's promise.
    let rows = unsafe { Rows::<I, T>::new(a) };
    let width = a.columns.div_ceil(BUCKETS).next_power_of_two();
    let (shift, buckets) = (width.trailing_zeros(), a.columns.div_ceil(width));
    let blocks = parts(2 * (a.stored + a.rows));
    let bounds = rows.bounds(blocks);
    let mut edges = vec![0; blocks + 1];
    for block in 0..blocks {
        edges[block + 1] = rows.offset(bounds[block + 1]).max(edges[block]);
    }

    // How many elements of each block go to each bucket, and from that where the first of them goes.
    let mut cursors = vec![0; blocks * buckets];
    let counts = Target(cursors.as_mut_ptr());
    pool::run(blocks, |block| {
        // SAFETY: each block has counters of its own.
        let counts: &mut [usize] = unsafe { counts.part(block * buckets..(block + 1) * buckets) };
        for index in &rows.indices[edges[block]..edges[block + 1]] {
            counts[rows.column(index) >> shift] += 1;
        }
    });
    let mut starts = vec![0; buckets + 1];
    let mut total = 0;
    for bucket in 0..buckets {
        for block in 0..blocks {
            let count = &mut cursors[block * buckets + bucket];
            total += replace(count, total);
        }
        starts[bucket + 1] = total;
    }

    let firsts = cursors.clone();
    let (moved, counts) = (Target::<Entry<I, T>>::new(memory), Target(cursors.as_mut_ptr()));
    pool::run(blocks, |block| {
        // Behind a block's part of each bucket comes that of the next block, or the next bucket.
        let ends = |bucket: usize| match firsts.get((block + 1) * buckets + bucket) {
            Some(&end) => end,
            None => starts[bucket + 1],
        };
        let ends: Vec<usize> = (0..buckets).map(ends).collect();
        // SAFETY: as above.
        let cursors: &mut [usize] = unsafe { counts.part(block * buckets..(block + 1) * buckets) };
        let mut groups = Groups { firsts: cursors.to_vec(), waiting: vec![Group::default(); buckets], moved };
        for row in bounds[block]..bounds[block + 1] {
            for place in rows.row(row) {
                let (column, value) = (rows.column(&rows.indices[place]), rows.values[place]);
                let bucket = column >> shift;
                // Not so if indices have changed since they were counted.
                if cursors[bucket] < ends[bucket] {
                    let entry = Entry { row: I::of(row), column: I::of(column), value };
                    // SAFETY: the memory has room up to the end, and no place comes twice.
                    unsafe { groups.put(bucket, cursors[bucket], entry) };
                    cursors[bucket] += 1;
                }
            }
        }
        for (bucket, (cursor, &end)) in cursors.iter_mut().zip(&ends).enumerate() {
            let entry = Entry { row: I::of(0), column: I::of(bucket << shift), value: T::default() };
            for place in *cursor..end {
                // SAFETY: as above.
                unsafe { groups.put(bucket, place, entry) };
            }
            *cursor = end;
        }
        // SAFETY: as above.
        unsafe { groups.finish(cursors) };
    });

    let (offsets, indices, values) =
        (Target::<I>::new(to.offsets), Target::<I>::new(to.indices), Target::<T>::new(to.values));
    // SAFETY: the caller's promise: there are `columns + 1` offsets.
    unsafe { offsets.write(0, I::of(0)) };
    for place in total..a.stored {
        // SAFETY: the caller's promise: there is a place for each element that `a` has.
        unsafe {
            indices.write(place, I::of(0));
            values.write(place, T::default());
        }
    }
    let tasks = parts(2 * total).min(buckets);
    pool::run(tasks, |task| {
        let (offsets, indices, values) = (offsets, indices, values);
        // SAFETY: the second pass has written them all.
        let entries: &[Entry<I, T>] = unsafe { elements(memory, total) };
        let mut cursors = vec![];
        for bucket in (task..buckets).step_by(tasks) {
            let entries = &entries[starts[bucket]..starts[bucket + 1]];
            let first = bucket << shift;
            cursors.clear();
            cursors.resize(width.min(a.columns - first), 0);
            for entry in entries {
                cursors[entry.column.to() - first] += 1;
            }
            let mut place = starts[bucket];
            for (column, cursor) in cursors.iter_mut().enumerate() {
                place += replace(cursor, place);
                // SAFETY: each bucket has columns of its own.
                unsafe { offsets.write(first + column + 1, I::of(place)) };
            }
            for entry in entries {
                let cursor = &mut cursors[entry.column.to() - first];
                // SAFETY: the places of a bucket are its own.
                unsafe {
                    indices.write(*cursor, entry.row);
                    values.write(*cursor, entry.value);
                }
                *cursor += 1;
            }
        }
    });
    Ok(())
}
