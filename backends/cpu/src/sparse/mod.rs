//! Products and transpositions of sparse matrices as compiled loops, on the threads of the pool.
//!
//! Sums are made in the order in which the package's kernels of the same work make them on a CPU, so that both give the same
//! bits, and on any number of threads.

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
    fn to(self) -> usize;
    fn of(number: usize) -> Self;
}

impl Index for i32 {
    #[inline(always)]
    fn to(self) -> usize {
        self as usize
    }

    #[inline(always)]
    fn of(number: usize) -> i32 {
        number as i32
    }
}

impl Index for i64 {
    #[inline(always)]
    fn to(self) -> usize {
        self as usize
    }

    #[inline(always)]
    fn of(number: usize) -> i64 {
        number as i64
    }
}

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
#[derive(Clone, Copy)]
struct Rows<'a, I, T> {
    offsets: &'a [I],
    indices: &'a [I],
    values: &'a [T],
}

impl<I: Index, T: Number> Rows<'_, I, T> {
    /// # Safety
    /// The addresses are those of such a matrix, which nobody writes meanwhile.
    unsafe fn new(a: &SparseMatrix) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Rows {
                offsets: elements(a.offsets, a.rows + 1),
                indices: elements(a.indices, a.stored),
                values: elements(a.values, a.stored),
            }
        }
    }

    /// How many rows there are.
    fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The places of a row's elements.
    #[inline(always)]
    fn row(&self, row: usize) -> Range<usize> {
        self.offsets[row].to()..self.offsets[row + 1].to()
    }

    /// The row that a part begins with, of parts of about as many rows and elements each.
    fn part(&self, number: usize, parts: usize) -> usize {
        let rows = self.count();
        let begin = ((rows + self.offsets[rows].to()) as u128 * number as u128 / parts as u128) as usize;
        let (mut low, mut high) = (0, rows);
        while low < high {
            let middle = low.midpoint(high);
            if middle + self.offsets[middle].to() < begin { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// # Safety
/// `address` is that of `count` elements, which nobody writes meanwhile.
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
