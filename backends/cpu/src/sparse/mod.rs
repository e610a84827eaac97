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
mod matrix;
mod product;
mod transposition;
mod triangle;

use cuproxide_hal::libraries::{
    Scratch, Sparse, SparseMatrix, SparseProduct, SparseSubstitution, SparseWork, Spmm, Triangle,
};
use cuproxide_hal::{DType, Error, Result, Stream};
use num_complex::Complex;

use crate::graph;

/// The library of the CPU.
pub struct CpuSparse;

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
