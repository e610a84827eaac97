//! Products and transpositions of sparse matrices as compiled loops, on the threads of the pool.
//!
//! Sums are made in the order in which the package's kernels of the same work make them on a CPU, so that both give the same
//! bits, and on any number of threads.
//!
//! Another thread of the program may write to index arrays while a loop reads them. So each index is loaded once, by a relaxed
//! atomic load, and kept inside; what a first pass has counted bounds what a second pass writes. The numbers are wrong then,
//! but nothing outside is read or written.

/// Calls a function for the types of a matrix.
macro_rules! typed {
    ($a:expr, $($function:ident)::+($($argument:expr),*)) => {
        match ($a.dtype, $a.index_dtype) {
            (DType::F32, DType::I32) => $($function)::+::<i32, f32>($($argument),*),
            (DType::F64, DType::I32) => $($function)::+::<i32, f64>($($argument),*),
            (DType::C64, DType::I32) => $($function)::+::<i32, Complex<f32>>($($argument),*),
            (DType::C128, DType::I32) => $($function)::+::<i32, Complex<f64>>($($argument),*),
            (DType::F32, DType::I64) => $($function)::+::<i64, f32>($($argument),*),
            (DType::F64, DType::I64) => $($function)::+::<i64, f64>($($argument),*),
            (DType::C64, DType::I64) => $($function)::+::<i64, Complex<f32>>($($argument),*),
            (DType::C128, DType::I64) => $($function)::+::<i64, Complex<f64>>($($argument),*),
            (dtype, index) => {
                Err(Error::unsupported("cpu", format!("sparse matrices of {dtype} with indices of {index}")))
            }
        }
    };
}

mod dense;
mod product;
mod transposition;
mod triangle;

use std::ops::{Add, Div, Mul, Range, Sub};
use std::slice;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};

use cuproxide_hal::libraries::{
    Scratch, Sparse, SparseMatrix, SparseProduct, SparseSubstitution, SparseWork, Spmm, Triangle,
};
use cuproxide_hal::{DType, Error, Result, Scalar, Stream};
use num_complex::Complex;

use crate::{graph, pool};

/// The library of the CPU.
pub struct CpuSparse;

/// What an index is: int32 or int64.
trait Index: Copy + Default + Send + Sync + 'static {
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
trait Number:
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
struct Rows<'a, I: Index, T> {
    offsets: &'a [I::Cell],
    /// As many as `values`.
    indices: &'a [I::Cell],
    values: &'a [T],
    /// The last column.
    last: usize,
}

impl<I: Index, T: Number> Rows<'_, I, T> {
    /// # Safety
    /// The addresses are those of memory of such a matrix.
    unsafe fn new(a: &SparseMatrix) -> Self {
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
    fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Where a row begins.
    #[inline(always)]
    fn offset(&self, row: usize) -> usize {
        I::load(&self.offsets[row]).to().min(self.values.len())
    }

    /// The places of a row's elements, which are in `indices` and `values`.
    #[inline(always)]
    fn row(&self, row: usize) -> Range<usize> {
        let begin = self.offset(row);
        begin..self.offset(row + 1).max(begin)
    }

    /// The column of an index, which is one of the matrix.
    #[inline(always)]
    fn column(&self, index: &I::Cell) -> usize {
        I::load(index).to().min(self.last)
    }

    /// The row that a part begins with, of parts of about as many rows and elements each.
    fn part(&self, number: usize, parts: usize) -> usize {
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
    fn bounds(&self, parts: usize) -> Vec<usize> {
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
unsafe fn elements<'a, T>(address: u64, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(address as *const T, count) }
}

/// Memory that threads write to, each to places of its own.
#[derive(Clone, Copy)]
struct Target<T>(*mut T);

// SAFETY: no two threads write to one place.
unsafe impl<T> Send for Target<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Target<T> {}

impl<T> Target<T> {
    fn new(address: u64) -> Target<T> {
        Target(address as *mut T)
    }

    /// # Safety
    /// The place lies in the memory, and is nobody else's.
    #[inline(always)]
    unsafe fn write(self, place: usize, value: T) {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(place).write(value) };
    }

    /// # Safety
    /// The places lie in the memory, hold elements, and are nobody else's.
    unsafe fn part<'a>(self, places: Range<usize>) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { slice::from_raw_parts_mut(self.0.add(places.start), places.len()) }
    }
}

/// Elementary steps that are worth a task.
const TASK: usize = 32 << 10;

/// How many parts work of so many steps is cut into: several for a thread, since some are slower.
fn parts(steps: usize) -> usize {
    if pool::threads() == 1 { 1 } else { (steps / TASK).clamp(1, 8 * pool::threads()) }
}

impl Sparse for CpuSparse {
    fn is_faster(&self, work: SparseWork) -> bool {
        matches!(work, SparseWork::Columns | SparseWork::Product | SparseWork::Transposition)
    }

    fn spmm_scratch_bytes(&self, _: &Spmm) -> Result<usize> {
        Ok(0)
    }

    unsafe fn spmm(&self, stream: &dyn Stream, product: &Spmm, _: u64) -> Result<()> {
        let product = *product;
        // SAFETY: the caller's promise.
        graph::run_or_record(stream, "sparse product", move || unsafe { typed!(product.a, dense::spmm(&product)) })
    }

    unsafe fn multiply(
        &self,
        stream: &dyn Stream,
        a: &SparseMatrix,
        b: &SparseMatrix,
        offsets: u64,
        scratch: &mut Scratch<'_>,
    ) -> Result<Box<dyn SparseProduct>> {
        not_captured(stream, "a product of two sparse matrices")?;
        // SAFETY: the caller's promise.
        unsafe { typed!(a, product::multiply(a, b, offsets, scratch)) }
    }

    unsafe fn transpose(
        &self,
        stream: &dyn Stream,
        a: &SparseMatrix,
        to: &SparseMatrix,
        scratch: &mut Scratch<'_>,
    ) -> Result<()> {
        let (a, to) = (*a, *to);
        let memory = scratch(typed!(a, transposition::scratch_bytes(&a))?)?;
        graph::run_or_record(stream, "sparse transposition", move || {
            // SAFETY: the caller's promise.
            unsafe { typed!(a, transposition::transpose(&a, &to, memory)) }
        })
    }

    unsafe fn analyse(
        &self,
        _: &dyn Stream,
        a: &SparseMatrix,
        triangle: Triangle,
        unit: bool,
        _: &mut Scratch<'_>,
    ) -> Result<Box<dyn SparseSubstitution>> {
        typed!(a, triangle::check())?;
        Ok(Box::new(triangle::Substitution { a: *a, triangle, unit }))
    }
}

fn not_captured(stream: &dyn Stream, what: &str) -> Result<()> {
    match graph::capture_of(stream) {
        Some(capture) => Err(capture.refuse(what)),
        None => Ok(()),
    }
}
