//! Sparse products, transpositions and triangular systems by the library of a device, where that has one.

use std::sync::Arc;

use cuproxide_hal::libraries::{
    Libraries, Scratch as LibraryScratch, SparseMatrix, SparseSubstitution, Spmm, Triangle,
};
use cuproxide_hal::{DType, Scalar, Stream};

use crate::array::Array;
use crate::context::Context;
use crate::detach::queueing;
use crate::error::{Error, Result, value_error};
use crate::layout::Order;
use crate::ops::copy::copy;
use crate::ops::library::library;
use crate::timeline::{self, Work};

/// A matrix in compressed rows, whose arrays are dense.
#[derive(Clone)]
struct Operand {
    arrays: [Array; 3],
    rows: usize,
    columns: usize,
}

impl Operand {
    fn new(offsets: &Array, indices: &Array, values: &Array, columns: usize) -> Result<Operand> {
        let dense = |array: &Array| {
            if array.ndim() == 1 && array.layout().c_contiguous && array.is_aligned() {
                Ok(array.clone())
            } else {
                copy(array, Order::C)
            }
        };
        let arrays = [dense(offsets)?, dense(indices)?, dense(values)?];
        let sizes = arrays.each_ref().map(Array::size);
        if arrays.iter().any(|array| array.ndim() != 1) || sizes[0] == 0 || sizes[1] != sizes[2] {
            return value_error("a matrix in compressed rows has offsets, and as many indices as elements");
        }
        if arrays[0].dtype() != arrays[1].dtype() {
            return value_error("offsets and indices of a matrix in compressed rows are of one type");
        }
        Ok(Operand { rows: sizes[0] - 1, arrays, columns })
    }

    fn empty(context: &Arc<Context>, rows: usize, columns: usize, stored: usize, like: &Operand) -> Result<Operand> {
        let [offsets, _, values] = &like.arrays;
        let array = |dtype, length| Array::empty(context, dtype, &[length], Order::C);
        let arrays =
            [array(offsets.dtype(), rows + 1)?, array(offsets.dtype(), stored)?, array(values.dtype(), stored)?];
        Ok(Operand { arrays, rows, columns })
    }

    fn context(&self) -> &Arc<Context> {
        self.arrays[2].context()
    }

    fn dtype(&self) -> DType {
        self.arrays[2].dtype()
    }

    /// The matrix for a library, with addresses to read ([`Array::read_ptr`]) or to write ([`Array::ptr`]).
    fn matrix(&self, address: fn(&Array) -> Result<u64>) -> Result<SparseMatrix> {
        let [offsets, indices, values] = &self.arrays;
        Ok(SparseMatrix {
            rows: self.rows,
            columns: self.columns,
            stored: values.size(),
            dtype: values.dtype(),
            index_dtype: indices.dtype(),
            offsets: address(offsets)?,
            indices: address(indices)?,
            values: address(values)?,
        })
    }

    fn bytes(&self) -> usize {
        self.arrays.iter().map(|array| array.size() * array.dtype().size()).sum()
    }
}

/// Memory of the pool that a library asks for during its calls.
#[derive(Default)]
struct Scratch {
    kept: Vec<Array>,
}

impl Scratch {
    /// Queues a library call; unlike `Context::queue` for work that asks for memory meanwhile.
    ///
    /// # Errors
    /// The pool's error if the pool refused memory, otherwise the library's.
    fn queue<R>(
        &mut self,
        context: &Arc<Context>,
        work: impl FnOnce(&dyn Stream, &mut LibraryScratch<'_>) -> cuproxide_hal::Result<R>,
    ) -> Result<R> {
        let mut refused = None;
        let mut ask = |bytes| {
            let memory = Array::empty(context, DType::U8, &[bytes], Order::C);
            match memory.and_then(|memory| Ok((memory.ptr()?, memory))) {
                Ok((address, memory)) => {
                    self.kept.push(memory);
                    Ok(address)
                }
                Err(error) => {
                    let message = error.to_string();
                    refused = Some(error);
                    Err(cuproxide_hal::Error::unsupported("core", message))
                }
            }
        };
        let stream = context.stream();
        let done = work(stream.as_ref(), &mut ask);
        done.map_err(|error| refused.unwrap_or(Error::Hal(error)))
    }
}

/// The product of a matrix of `columns` columns with a vector or a dense matrix.
///
/// # Errors
/// `ValueError` for operands that do not fit, and those of the library.
pub fn times(offsets: &Array, indices: &Array, values: &Array, columns: usize, x: &Array) -> Result<Array> {
    let a = Operand::new(offsets, indices, values, columns)?;
    let x = if x.layout().c_contiguous && x.is_aligned() { x.clone() } else { copy(x, Order::C)? };
    if !matches!(x.ndim(), 1 | 2) || x.shape()[0] != columns || x.dtype() != a.dtype() {
        return value_error("a sparse product takes a vector or a matrix of its type, with as many rows as columns");
    }
    let context = a.context().clone();
    let mut shape = x.shape().to_vec();
    shape[0] = a.rows;
    let result = Array::empty(&context, a.dtype(), &shape, Order::C)?;
    if result.size() == 0 {
        return Ok(result);
    }
    let library = library(&context, Libraries::sparse)?;
    let product = Spmm {
        a: a.matrix(Array::read_ptr)?,
        n: x.shape().get(1).copied().unwrap_or(1),
        b: x.read_ptr()?,
        c: result.ptr()?,
        alpha: Scalar::real(a.dtype(), 1.0),
        beta: Scalar::real(a.dtype(), 0.0),
    };
    let bytes = queueing(|| library.spmm_scratch_bytes(&product))?;
    let memory = if bytes > 0 { Some(Array::empty(&context, DType::U8, &[bytes], Order::C)?) } else { None };
    let address = memory.as_ref().map_or(Ok(0), Array::ptr)?;
    let moved = || a.bytes() + (x.size() + result.size()) * a.dtype().size();
    let _span = timeline::queued(Work::Library, "sparse product", &context, moved);
    // SAFETY: the arrays live, and freeing memory waits for its stream.
    context.queue(|stream| unsafe { library.spmm(stream, &product, address) })?;
    Ok(result)
}

/// The product of two matrices: values, indices and offsets. Rows are in no order.
///
/// # Errors
/// `ValueError` for operands that do not fit, and those of the library.
pub fn multiply(a: [&Array; 3], b: [&Array; 3], columns: usize) -> Result<[Array; 3]> {
    let b = Operand::new(b[0], b[1], b[2], columns)?;
    let a = Operand::new(a[0], a[1], a[2], b.rows)?;
    if a.dtype() != b.dtype() || a.arrays[0].dtype() != b.arrays[0].dtype() {
        return value_error("two sparse matrices that are multiplied are of one type");
    }
    let context = a.context().clone();
    let library = library(&context, Libraries::sparse)?;
    let offsets = Array::empty(&context, a.arrays[0].dtype(), &[a.rows + 1], Order::C)?;
    let mut scratch = Scratch::default();
    let _span = timeline::queued(Work::Library, "sparse product of two", &context, || a.bytes() + b.bytes());
    let (left, right, begins) = (a.matrix(Array::read_ptr)?, b.matrix(Array::read_ptr)?, offsets.ptr()?);
    // SAFETY: operands, offsets and scratch live until the product is dropped at the end of this function.
    let product =
        scratch.queue(&context, |stream, memory| unsafe { library.multiply(stream, &left, &right, begins, memory) })?;
    let array = |dtype| Array::empty(&context, dtype, &[product.stored()], Order::C);
    let (indices, values) = (array(a.arrays[1].dtype())?, array(a.dtype())?);
    let (places, elements) = (indices.ptr()?, values.ptr()?);
    let stream = context.stream();
    // SAFETY: as above; the arrays have the size that the product says.
    unsafe { product.write(stream.as_ref(), places, elements) }?;
    drop(product);
    Ok([values, indices, offsets])
}

/// The same elements compressed along the other axis: values, indices and offsets, with sorted rows.
///
/// # Errors
/// Those of the library.
pub fn transposed(offsets: &Array, indices: &Array, values: &Array, columns: usize) -> Result<[Array; 3]> {
    let a = Operand::new(offsets, indices, values, columns)?;
    let context = a.context().clone();
    let library = library(&context, Libraries::sparse)?;
    let to = Operand::empty(&context, columns, a.rows, values.size(), &a)?;
    let mut scratch = Scratch::default();
    let _span = timeline::queued(Work::Library, "sparse transposition", &context, || 2 * a.bytes());
    let (from, into) = (a.matrix(Array::read_ptr)?, to.matrix(Array::ptr)?);
    // SAFETY: the arrays and scratch outlive the call, and the pool frees memory after the work on its stream.
    scratch.queue(&context, |stream, memory| unsafe { library.transpose(stream, &from, &into, memory) })?;
    let [offsets, indices, values] = to.arrays;
    Ok([values, indices, offsets])
}

/// A triangle that the library has analysed; it reads the elements at each solution.
pub struct Analysed {
    // Dropped before what it points to.
    substitution: Box<dyn SparseSubstitution>,
    operand: Operand,
    _scratch: Scratch,
}

/// Analyses a triangle of a square matrix in compressed rows.
///
/// # Errors
/// `ValueError` for a matrix that is not square, and those of the library.
pub fn analyse(offsets: &Array, indices: &Array, values: &Array, triangle: Triangle, unit: bool) -> Result<Analysed> {
    let operand = Operand::new(offsets, indices, values, offsets.size().saturating_sub(1))?;
    let context = operand.context().clone();
    let library = library(&context, Libraries::sparse)?;
    let mut scratch = Scratch::default();
    let _span = timeline::queued(Work::Library, "analysis of a triangle", &context, || operand.bytes());
    let matrix = operand.matrix(Array::read_ptr)?;
    // SAFETY: the result owns the operand and scratch and drops the analysis first; if the call fails, the pool frees scratch
    // after the work on its stream.
    let substitution = scratch
        .queue(&context, |stream, memory| unsafe { library.analyse(stream, &matrix, triangle, unit, memory) })?;
    Ok(Analysed { substitution, operand, _scratch: scratch })
}

impl Analysed {
    /// The solution for a vector.
    ///
    /// # Errors
    /// `ValueError` for another shape or type.
    pub fn solve(&self, right: &Array) -> Result<Array> {
        if right.shape() != [self.operand.rows] || right.dtype() != self.operand.dtype() {
            return value_error("a triangular system takes a vector of its size and type");
        }
        let context = self.operand.context();
        let right =
            if right.layout().c_contiguous && right.is_aligned() { right.clone() } else { copy(right, Order::C)? };
        let result = Array::empty(context, right.dtype(), right.shape(), Order::C)?;
        let (b, x) = (right.ptr()?, result.ptr()?);
        let _span = timeline::queued(Work::Library, "sparse triangular system", context, || self.operand.bytes());
        // SAFETY: both vectors live, and freeing memory waits for its stream.
        context.queue(|stream| unsafe { self.substitution.solve(stream, b, x) })?;
        Ok(result)
    }
}
