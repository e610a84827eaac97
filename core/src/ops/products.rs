//! Matrix products.

use std::sync::atomic::{AtomicU8, Ordering};

use cuproxide_hal::ir::{Body, Builder, Fold, Kernel, Mode};
use cuproxide_hal::libraries::{Blas, ComputeType, Gemm, Matrix};
use cuproxide_hal::{DType, Kind, Scalar};
use smallvec::SmallVec;

use crate::array::{Array, common_context};
use crate::context::Context;
use crate::detach::queueing;
use crate::dispatch::{self, Family, Place};
use crate::error::{Error, Result, value_error};
use crate::layout::{Dims, Order, Strides, broadcast_shapes, show_shape};
use crate::ops::copy::{assign, astype, copy, fill};
use crate::promotion::{Casting, promote};
use crate::routes;
use crate::timeline::{self, Work};
use crate::trace;

/// The arithmetic of products by dtype, as numbers of [`COMPUTE_NAMES`].
static COMPUTE: [AtomicU8; DType::ALL.len()] = [const { AtomicU8::new(0) }; DType::ALL.len()];
const COMPUTE_NAMES: [(&str, ComputeType); 3] =
    [("default", ComputeType::Default), ("tf32", ComputeType::Tf32), ("half", ComputeType::Half)];

/// Which of [`COMPUTE_NAMES`] products of a dtype use.
fn chosen(dtype: DType) -> usize {
    COMPUTE[dtype as usize].load(Ordering::Relaxed).into()
}

/// The name of the arithmetic that products of a dtype use.
pub fn compute_type_name(dtype: DType) -> &'static str {
    COMPUTE_NAMES[chosen(dtype)].0
}

/// Chooses the arithmetic of products of a dtype: "default", "tf32" for float32 and complex64, "half" for float16. A
/// device without it computes as by default.
///
/// # Errors
/// `ValueError` for another name, or one that does not go with the dtype.
pub fn set_compute_type(dtype: DType, name: &str) -> Result<()> {
    let fits = match name {
        "default" => true,
        "tf32" => matches!(dtype, DType::F32 | DType::C64),
        "half" => dtype == DType::F16,
        _ => false,
    };
    match COMPUTE_NAMES.iter().position(|(known, _)| *known == name) {
        Some(number) if fits => COMPUTE[dtype as usize].store(number as u8, Ordering::Relaxed),
        _ => return value_error(format!("'{name}' is not an arithmetic for products of {dtype}")),
    }
    Ok(())
}

/// `numpy.matmul`: products of (stacks of) matrices; a one-dimensional operand is a row or a column. Computes in the
/// promoted type of the operands, or in `dtype`.
///
/// # Errors
/// `ValueError` for scalars and for sizes that do not fit, `TypeError` if `out` cannot take the result.
pub fn matmul(a: &Array, b: &Array, out: Option<&Array>, dtype: Option<DType>) -> Result<Array> {
    let context = common_context("matmul", [a, b].into_iter().chain(out))?.expect("two arrays").clone();
    if out.is_none()
        && dtype.is_none_or(|dtype| dtype == a.dtype())
        && let Some(product) = dot(a, b)?
    {
        return Ok(product);
    }
    for (position, operand) in [a, b].into_iter().enumerate() {
        if operand.ndim() == 0 {
            return value_error(format!(
                "matmul: Input operand {position} does not have enough dimensions (has 0, gufunc core with signature \
                 (n?,k),(k,m?)->(n?,m?) requires 1)"
            ));
        }
    }
    let left = if a.ndim() == 1 { a.insert_axis(0) } else { a.clone() };
    let right = if b.ndim() == 1 { b.insert_axis(1) } else { b.clone() };
    let (m, k) = (left.shape()[left.ndim() - 2], left.shape()[left.ndim() - 1]);
    let (inner, n) = (right.shape()[right.ndim() - 2], right.shape()[right.ndim() - 1]);
    if k != inner {
        return value_error(format!(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature \
             (n?,k),(k,m?)->(n?,m?) (size {inner} is different from {k})"
        ));
    }
    let stacks = [&left.shape()[..left.ndim() - 2], &right.shape()[..right.ndim() - 2]];
    let mut shape = broadcast_shapes(stacks.into_iter())?;
    let stack = shape.clone();
    shape.extend([m, n]);
    let computed = dtype.unwrap_or_else(|| promote(a.dtype(), b.dtype()));
    let product = Array::empty(&context, computed, &shape, Order::C)?;

    // What the caller sees lacks the axes that one-dimensional operands were given.
    let mut dropped: SmallVec<[usize; 2]> = SmallVec::new();
    if a.ndim() == 1 {
        dropped.push(shape.len() - 2);
    }
    if b.ndim() == 1 {
        dropped.push(shape.len() - 1);
    }
    let visible = product.squeeze(Some(&dropped))?;
    if let Some(out) = out {
        check_output(&visible, stack.len(), out)?;
        if !crate::promotion::can_cast(computed, out.dtype(), Casting::SameKind) {
            return Err(Error::Casting(format!(
                "Cannot cast ufunc 'matmul' output from dtype('{computed}') to dtype('{}') with casting rule \
                 'same_kind'",
                out.dtype()
            )));
        }
    }
    if product.size() > 0 {
        let cast = |x: &Array| if x.dtype() == computed { Ok(x.clone()) } else { astype(x, computed, Order::K) };
        let (left, right) = (cast(&left)?, cast(&right)?);
        let is_gpu = context.info().asynchronous;
        let by_sums = routes::dots_by_reduction(is_gpu, computed, product.shape())
            || (routes::large_matrix_times_vector(is_gpu, computed, product.shape(), k)
                && has_wide_lines(&left, &right)?);
        match (computed.kind(), k) {
            (_, 0) => fill(&product, Scalar::integer(computed, 0))?,
            _ if routes::tiny_products(is_gpu, computed, product.shape(), k) => {
                tiny_product(&left, &right, &product)?;
            }
            (Kind::Float | Kind::Complex, _) if !by_sums => {
                library_product(&left, &right, &product, &stack)?;
            }
            _ => kernel_product(&left, &right, &product)?,
        }
    }
    match out {
        None => Ok(visible),
        Some(out) => {
            assign(out, &visible, Casting::SameKind, None)?;
            Ok(out.clone())
        }
    }
}

/// The product of two vectors of one type of floating-point numbers, of one device and of one length that is not 0, that lie in
/// memory without gaps: a library takes these as they are. `None` for all else, which [`matmul`] serves.
///
/// # Errors
/// Those of the library, and of what makes the vectors.
pub fn dot(a: &Array, b: &Array) -> Result<Option<Array>> {
    let (context, dtype) = (a.context(), a.dtype());
    let ([k], [length]) = (a.shape(), b.shape()) else { return Ok(None) };
    let k = *k;
    let is_usual = [a, b].iter().all(|array| array.layout().c_contiguous && array.is_aligned())
        && matches!(dtype.kind(), Kind::Float | Kind::Complex)
        && b.dtype() == dtype
        && b.context() == context
        && k == *length
        && k > 0;
    let is_gpu = context.info().asynchronous;
    let may_be_sums = routes::dots_by_reduction(is_gpu, dtype, &[1, 1])
        || routes::large_matrix_times_vector(is_gpu, dtype, &[1, 1], k);
    if !is_usual || may_be_sums {
        return Ok(None);
    }
    let product = Array::empty(context, dtype, &[], Order::C)?;
    let matrix = |ptr, row_stride, column_stride| Matrix { ptr, row_stride, column_stride, batch_stride: 0 };
    let (a, b, c) = (a.read_ptr()?, b.read_ptr()?, product.ptr()?);
    let line = k as isize;
    let gemm = Gemm {
        dtype,
        compute: COMPUTE_NAMES[chosen(dtype)].1,
        m: 1,
        n: 1,
        k,
        batch: 1,
        a: matrix(a, line, 1),
        b: matrix(b, 1, line),
        c: matrix(c, 1, 1),
        alpha: Scalar::real(dtype, 1.0),
        beta: Scalar::real(dtype, 0.0),
    };
    let blas = queueing(|| context.below().libraries().blas())?;
    let _span = timeline::queued(Work::Library, "matrix product", context, || (2 * k + 1) * dtype.size());
    multiply(context, blas, gemm)?;
    Ok(Some(product))
}

/// Queues a library's product.
fn multiply(context: &Context, blas: &dyn Blas, gemm: Gemm) -> Result<()> {
    // SAFETY: the callers give views of live arrays with the stated sizes, and a product that is freshly allocated.
    context.queue_known(|stream| unsafe { blas.gemm(stream, &gemm) })?;
    let (dtype, item) = (gemm.dtype, gemm.dtype.size());
    trace::call(context.index(), &[(gemm.a.ptr, item), (gemm.b.ptr, item)], &[(gemm.c.ptr, item)], || {
        let device = context.below().clone();
        Box::new(move |stream, ptrs| {
            let mut gemm = gemm;
            (gemm.a.ptr, gemm.b.ptr, gemm.c.ptr) = (ptrs[0], ptrs[1], ptrs[2]);
            gemm.compute = COMPUTE_NAMES[chosen(dtype)].1;
            // SAFETY: as when it was traced, on memory of the same sizes.
            unsafe { device.libraries().blas()?.gemm(stream, &gemm) }
        })
    });
    Ok(())
}

/// Whether both operands are contiguous along the shared axis, and each of these lines is aligned for the widest loads.
fn has_wide_lines(left: &Array, right: &Array) -> Result<bool> {
    const WIDEST: u64 = 16;
    let (rows, columns) = (left.ndim() - 2, right.ndim() - 2);
    let item = left.itemsize() as isize;
    let dense = left.strides()[rows + 1] == item && right.strides()[columns] == item;
    let steps = [(left, rows), (right, columns + 1)]
        .map(|(array, axis)| if array.shape()[axis] == 1 { 0 } else { array.strides()[axis].unsigned_abs() as u64 });
    Ok(dense && (left.read_ptr()? | right.read_ptr()? | steps[0] | steps[1]) % WIDEST == 0)
}

/// As NumPy: the matrices of the output are those of the result, and its stack may be larger.
fn check_output(result: &Array, stack: usize, out: &Array) -> Result<()> {
    let cores = result.ndim() - stack;
    if out.ndim() < cores {
        return value_error(format!(
            "matmul: Output operand 0 does not have enough dimensions (has {}, gufunc core with signature \
             (n?,k),(k,m?)->(n?,m?) requires {cores})",
            out.ndim()
        ));
    }
    let pairs = out.shape()[out.ndim() - cores..].iter().zip(&result.shape()[stack..]);
    for (position, (given, wanted)) in pairs.enumerate() {
        if given != wanted {
            return value_error(format!(
                "matmul: Output operand 0 has a mismatch in its core dimension {position}, with gufunc signature \
                 (n?,k),(k,m?)->(n?,m?) (size {given} is different from {wanted})"
            ));
        }
    }
    if result.layout().broadcast_strides(out.shape()).is_none() {
        return value_error(format!(
            "matmul: non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
            show_shape(out.shape()),
            show_shape(result.shape())
        ));
    }
    Ok(())
}

/// Strides of a stack of matrices over the broadcast stack shape, then of one matrix.
fn stretched(array: &Array, stack: &[usize]) -> Strides {
    let mut shape = Dims::from_slice(stack);
    shape.extend_from_slice(&array.shape()[array.ndim() - 2..]);
    array.layout().broadcast_strides(&shape).expect("stacks were broadcast together")
}

/// An operand in a form that the library takes: one of the two matrix strides is an element, the other at least a line,
/// or less if lines may overlap.
fn for_library(array: &Array, overlapping: bool) -> Result<Array> {
    let item = array.itemsize() as isize;
    let (shape, strides) = (array.shape(), array.strides());
    let last = array.ndim() - 1;
    let fits = |fast: usize, slow: usize| {
        let line = if overlapping { item } else { shape[fast] as isize * item };
        (strides[fast] == item || shape[fast] == 1)
            && (shape[slow] == 1 || (strides[slow] >= line && strides[slow] % item == 0))
    };
    let stack = strides[..last - 1].iter().all(|&s| s >= 0 && s % item == 0);
    if array.is_aligned() && stack && (fits(last, last - 1) || fits(last - 1, last)) {
        Ok(array.clone())
    } else {
        copy(array, Order::C)
    }
}

fn matrix(array: &Array, ptr: u64, batch_stride: isize) -> Matrix {
    let item = array.itemsize() as isize;
    let last = array.ndim() - 1;
    let (rows, columns) = (array.shape()[last - 1], array.shape()[last]);
    let (mut row, mut column) = (array.strides()[last - 1] / item, array.strides()[last] / item);
    // A dimension of length 1 has any stride: choose one that the library accepts.
    if columns == 1 && column != 1 && row != 1 {
        column = 1;
    }
    if columns == 1 {
        column = if row == 1 { rows.max(1) as isize } else { 1 };
    } else if rows == 1 {
        row = if column == 1 { columns as isize } else { 1 };
    }
    Matrix { ptr, row_stride: row, column_stride: column, batch_stride: batch_stride / item }
}

fn library_product(left: &Array, right: &Array, product: &Array, stack: &[usize]) -> Result<()> {
    let context = product.context();
    let blas = queueing(|| context.below().libraries().blas())?;
    let overlapping = blas.takes_overlapping();
    let (left, right) = (for_library(left, overlapping)?, for_library(right, overlapping)?);
    let dtype = product.dtype();
    let operands = [&left, &right, product];
    let mut lengths = Dims::from_slice(stack);
    let mut strides: [Strides; 3] =
        operands.map(|array| if stack.is_empty() { Strides::new() } else { stretched(array, stack) });
    strides.iter_mut().for_each(|s| s.truncate(stack.len()));
    // Merge the axes of the stack; the fastest is the library's batch, the others are looped over.
    for axis in (0..lengths.len()).rev() {
        if lengths[axis] == 1 {
            lengths.remove(axis);
            for s in &mut strides {
                s.remove(axis);
            }
        }
    }
    for axis in (1..lengths.len()).rev() {
        if strides.iter().all(|s| s[axis - 1] == s[axis] * lengths[axis] as isize) {
            lengths[axis - 1] *= lengths[axis];
            lengths.remove(axis);
            for s in &mut strides {
                s.remove(axis - 1);
            }
        }
    }
    let batch = lengths.pop().unwrap_or(1);
    let batch_strides: [isize; 3] =
        std::array::from_fn(|which| strides[which].get(lengths.len()).copied().unwrap_or(0));
    let (m, n, k) =
        (product.shape()[product.ndim() - 2], product.shape()[product.ndim() - 1], left.shape()[left.ndim() - 1]);
    let base = [left.read_ptr()?, right.read_ptr()?, product.ptr()?];
    let loops = lengths.iter().product::<usize>();
    let bytes = || (m * n + m * k + k * n) * batch * loops * dtype.size();
    let _span = timeline::queued(Work::Library, "matrix product", context, bytes);
    for position in 0..loops {
        let mut ptrs = base;
        let mut rest = position;
        for axis in (0..lengths.len()).rev() {
            let index = (rest % lengths[axis]) as isize;
            rest /= lengths[axis];
            for (ptr, s) in ptrs.iter_mut().zip(&strides) {
                *ptr = ptr.wrapping_add_signed((index * s[axis]) as i64);
            }
        }
        let gemm = Gemm {
            dtype,
            compute: COMPUTE_NAMES[chosen(dtype)].1,
            m,
            n,
            k,
            batch,
            a: matrix(&left, ptrs[0], batch_strides[0]),
            b: matrix(&right, ptrs[1], batch_strides[1]),
            c: matrix(product, ptrs[2], batch_strides[2]),
            alpha: Scalar::real(dtype, 1.0),
            beta: Scalar::real(dtype, 0.0),
        };
        multiply(context, blas, gemm)?;
    }
    Ok(())
}

static PRODUCT: Family<DType> = Family::new(|&dtype| product_kernel(dtype));

/// The places of the factors and the product over the product's shape, and the strides of the factors along the shared axis.
fn places_of_factors(left: &Array, right: &Array, product: &Array) -> Result<([Place; 3], [isize; 2])> {
    let stack = &product.shape()[..product.ndim() - 2];
    let (a, b, c) = (stretched(left, stack), stretched(right, stack), product.strides());
    let depth = stack.len();
    let place = |array: &Array, strides: &[isize], row: isize, column: isize| -> Result<Place> {
        let mut all = Strides::from_slice(&strides[..depth]);
        all.extend([row, column]);
        Ok(Place { ptr: array.ptr()?, strides: all })
    };
    let places =
        [place(left, &a, a[depth], 0)?, place(right, &b, 0, b[depth + 1])?, place(product, c, c[depth], c[depth + 1])?];
    Ok((places, [a[depth + 1], b[depth]]))
}

/// Products as reductions over the shared axis: integer and bool products, which libraries do not have, stacks of dot products,
/// and large matrices times vectors.
fn kernel_product(left: &Array, right: &Array, product: &Array) -> Result<()> {
    let kernel = PRODUCT.kernel(product.dtype())?;
    let (mut places, [a, b]) = places_of_factors(left, right, product)?;
    for (place, inner) in places.iter_mut().zip([a, b, 0]) {
        place.strides.push(inner);
    }
    let inner = [left.shape()[left.ndim() - 1]];
    dispatch::launch(product.context(), kernel, product.shape(), &inner, &mut places, &[])
}

/// Kernels by the type and the length of the shared axis.
static TINY_PRODUCT: Family<(DType, usize)> = Family::new(|&(dtype, inner)| {
    let b = Builder::new(format!("matmul_{dtype}_{inner}"));
    let operands = [b.operand(dtype, Mode::Read), b.operand(dtype, Mode::Read)];
    let strides = [b.scalar(DType::I64), b.scalar(DType::I64)];
    let element =
        |which: usize, at: usize| b.load_at(operands[which], strides[which] * b.integer(DType::I64, at as i128));
    let first = element(0, 0) * element(1, 0);
    let total = (1..inner).fold(first, |total, at| total + element(0, at) * element(1, at));
    b.output(dtype, total);
    b.finish_map()
});

/// Products of few rows and columns: a thread computes one element, and loads all of its factors first.
fn tiny_product(left: &Array, right: &Array, product: &Array) -> Result<()> {
    let kernel = TINY_PRODUCT.kernel((product.dtype(), left.shape()[left.ndim() - 1]))?;
    let (mut places, strides) = places_of_factors(left, right, product)?;
    let scalars = strides.map(|stride| Scalar::i64(stride as i64));
    dispatch::launch_map(product.context(), kernel, product.shape(), &mut places, &scalars)
}

fn product_kernel(dtype: DType) -> Kernel {
    let b = Builder::new(format!("matmul_{dtype}"));
    let (left, right) = (b.operand(dtype, Mode::Read), b.operand(dtype, Mode::Read));
    let target = b.operand(dtype, Mode::Write);
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.integer(dtype, 0)]),
        map: b.lambda(&[], |_| vec![b.load(left) * b.load(right)]),
        combine: b.lambda(&[dtype, dtype], |v| vec![v[0] + v[1]]),
        finish: b.lambda(&[dtype], |v| {
            b.store(target, v[0]);
            vec![]
        }),
    };
    b.finish(Body::Reduce(fold))
}
