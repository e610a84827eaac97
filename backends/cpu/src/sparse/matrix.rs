//! Sparse matrices in memory that other threads may write to, and what their numbers and indices can do.

use std::ops::{Add, Div, Mul, Range, Sub};
use std::slice;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};

use cuproxide_hal::Scalar;
use cuproxide_hal::libraries::SparseMatrix;
use num_complex::Complex;

use crate::pool;

/// What an index is: int32 or int64.
pub(super) trait Index: Copy + Default + Send + Sync + 'static {
    /// An index in memory that other threads may write to.
    type Cell: Sync;

    fn to(self) -> usize;
    fn of(number: usize) -> Self;
    fn load(cell: &Self::Cell) -> Self;
}

macro_rules! index {
    ($name:ty, $cell:ty) => {
        impl Index for $name {
            type Cell = $cell;

            #[inline(always)]
            fn to(self) -> usize {
                self as usize
            }

            #[inline(always)]
            fn of(number: usize) -> $name {
                number as $name
            }

            #[inline(always)]
            fn load(cell: &$cell) -> $name {
                cell.load(Ordering::Relaxed)
            }
        }
    };
}

index!(i32, AtomicI32);
index!(i64, AtomicI64);

/// What an element is: a real or a complex number.
pub(super) trait Number:
    Copy
    + Default
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + 'static
{
    fn of(scalar: Scalar) -> Self;
}

impl Number for f32 {
    fn of(scalar: Scalar) -> f32 {
        scalar.to_complex().0 as f32
    }
}

impl Number for f64 {
    fn of(scalar: Scalar) -> f64 {
        scalar.to_complex().0
    }
}

impl Number for Complex<f32> {
    fn of(scalar: Scalar) -> Complex<f32> {
        let (re, im) = scalar.to_complex();
        Complex::new(re as f32, im as f32)
    }
}

impl Number for Complex<f64> {
    fn of(scalar: Scalar) -> Complex<f64> {
        let (re, im) = scalar.to_complex();
        Complex::new(re, im)
    }
}

/// A matrix in compressed rows, in memory.
pub(super) struct Rows<'a, I: Index, T> {
    pub(super) offsets: &'a [I::Cell],
    /// As many as `values`.
    pub(super) indices: &'a [I::Cell],
    pub(super) values: &'a [T],
    /// The last column.
    pub(super) last: usize,
}

impl<I: Index, T: Number> Rows<'_, I, T> {
    /// # Safety
    /// The addresses are those of memory of such a matrix.
    pub(super) unsafe fn new(a: &SparseMatrix) -> Self {
        // Without columns there is no place for an element.
        let stored = if a.columns == 0 { 0 } else { a.stored };
        // SAFETY: the caller's promise; atomics have the size and alignment of their integers.
        unsafe {
            Rows {
                offsets: elements(a.offsets, a.rows + 1),
                indices: elements(a.indices, stored),
                values: elements(a.values, stored),
                last: a.columns.saturating_sub(1),
            }
        }
    }

    /// How many rows there are.
    pub(super) fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Where a row begins.
    #[inline(always)]
    pub(super) fn offset(&self, row: usize) -> usize {
        I::load(&self.offsets[row]).to().min(self.values.len())
    }

    /// The places of a row's elements, which are in `indices` and `values`.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> Range<usize> {
        let begin = self.offset(row);
        begin..self.offset(row + 1).max(begin)
    }

    /// The column of an index, which is one of the matrix.
    #[inline(always)]
    pub(super) fn column(&self, index: &I::Cell) -> usize {
        I::load(index).to().min(self.last)
    }

    /// The row that a part begins with, of parts of about as many rows and elements each.
    pub(super) fn part(&self, number: usize, parts: usize) -> usize {
        let rows = self.count();
        let begin = ((rows + self.offset(rows)) as u128 * number as u128 / parts as u128) as usize;
        let (mut low, mut high) = (0, rows);
        while low < high {
            let middle = low.midpoint(high);
            if middle + self.offset(middle) < begin { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The rows that such parts begin with, and the end of the last one: each row is in one part.
    pub(super) fn bounds(&self, parts: usize) -> Vec<usize> {
        let mut bounds = vec![0; parts + 1];
        for number in 1..parts {
            bounds[number] = self.part(number, parts).max(bounds[number - 1]);
        }
        bounds[parts] = self.count();
        bounds
    }
}

/// # Safety
/// `address` is that of `count` elements, which nobody writes meanwhile unless they are atomics.
pub(super) unsafe fn elements<'a, T>(address: u64, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(address as *const T, count) }
}

/// Memory that threads write to, each to places of its own.
#[derive(Clone, Copy)]
pub(super) struct Target<T>(pub(super) *mut T);

// SAFETY: no two threads write to one place.
unsafe impl<T> Send for Target<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Target<T> {}

impl<T> Target<T> {
    pub(super) fn new(address: u64) -> Target<T> {
        Target(address as *mut T)
    }

    /// # Safety
    /// The place lies in the memory, and is nobody else's.
    #[inline(always)]
    pub(super) unsafe fn write(self, place: usize, value: T) {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(place).write(value) };
    }

    /// # Safety
    /// The places lie in the memory, hold elements, and are nobody else's.
    pub(super) unsafe fn part<'a>(self, places: Range<usize>) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { slice::from_raw_parts_mut(self.0.add(places.start), places.len()) }
    }
}

/// Elementary steps that are worth a task.
pub(super) const TASK: usize = 32 << 10;

/// How many parts work of so many steps is cut into: several for a thread, since some are slower.
pub(super) fn parts(steps: usize) -> usize {
    if pool::threads() == 1 { 1 } else { (steps / TASK).clamp(1, 8 * pool::threads()) }
}
