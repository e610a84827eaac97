//! Matrix products through `faer`, cut into tiles of the result over the backend's threads.
//!
//! Results are taken as row-major ones (else the transposed product is computed), and so is the left operand: `faer`
//! takes twice as long where that is column-major, which a copy of it costs far less than.

use std::mem::MaybeUninit;

use cuproxide_hal::libraries::{Blas, Gemm, Matrix};
use cuproxide_hal::{DType, Error, Result, Stream};
use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use num_complex::Complex;

use crate::bytes::with_scratch;
use crate::vectors::{Factor, Lines};
use crate::{graph, pool};

/// Multiply-adds below which a product stays on the caller's thread.
const SEQUENTIAL: usize = 64 * 64 * 64;
/// Multiply-adds that a tile should have where there are more tiles than threads.
const TILE: usize = 128 * 128 * 128;
/// Most tiles for each thread: a thread that is held up keeps the others waiting for one tile at most.
const TILES: usize = 4;
/// Elements of a vector that are computed at a time: `faer` passes over them for each element of the shared axis.
const LINE: usize = 2048;
/// Elements of a vector that are too few to be shared out among the threads.
const FEW: usize = 64;
/// Multiply-adds of one row that are quickest one by one.
const TINY: usize = 64;
/// Elements of an operand that are copied on the stack where they are not row-major: `faer` prepares itself for such ones,
/// which takes longer than a product of few elements.
const SMALL: usize = 256;
/// Bytes of an operand that are copied at a time.
const COPIED: usize = 32 << 20;
/// Elements from which a copy is worth a second thread.
const PARALLEL_COPY: usize = 1 << 17;

/// The matrix products of the CPU.
pub struct CpuBlas;

/// An element that products are computed in.
trait Element: ComplexField + Factor + PartialEq {
    fn make(re: f64, im: f64) -> Self;
}

macro_rules! elements {
    ($($type:ty, |$re:ident, $im:ident| $make:expr;)*) => {
        $(impl Element for $type {
            fn make($re: f64, $im: f64) -> $type { $make }
        })*
    };
}

elements! {
    f32, |re, _im| re as f32;
    f64, |re, _im| re;
    Complex<f32>, |re, im| Complex::new(re as f32, im as f32);
    Complex<f64>, |re, im| Complex::new(re, im);
}

/// One matrix of a stack, in elements of `T`.
#[derive(Clone, Copy)]
struct View<T> {
    data: *mut T,
    row_stride: isize,
    column_stride: isize,
}

// SAFETY: threads write disjoint tiles of the result and only read the operands.
unsafe impl<T> Send for View<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for View<T> {}

impl<T> View<T> {
    fn of(matrix: &Matrix, batch: usize) -> View<T> {
        let data = (matrix.ptr as *mut T).wrapping_offset(batch as isize * matrix.batch_stride);
        View { data, row_stride: matrix.row_stride, column_stride: matrix.column_stride }
    }

    fn transposed(self) -> View<T> {
        View { data: self.data, row_stride: self.column_stride, column_stride: self.row_stride }
    }

    fn at(&self, row: usize, column: usize) -> *mut T {
        self.data.wrapping_offset(row as isize * self.row_stride + column as isize * self.column_stride)
    }
}

/// Sizes and factors of a product.
#[derive(Clone, Copy)]
struct Product<T> {
    m: usize,
    n: usize,
    k: usize,
    alpha: T,
    beta: T,
}

impl<T: Element> Product<T> {
    /// Writes an element of the result, whose old content counts unless beta is 0.
    ///
    /// # Safety
    /// The element belongs to the caller, and has a content if beta is not 0.
    unsafe fn finish(&self, sum: T, element: *mut T) {
        let (zero, one) = (T::make(0.0, 0.0), T::make(1.0, 0.0));
        // A factor of 1 leaves infinite complex numbers as they are.
        let sum = if self.alpha == one { sum } else { self.alpha * sum };
        // SAFETY: the caller's promise.
        unsafe { element.write(if self.beta == zero { sum } else { sum + self.beta * element.read() }) };
    }
}

impl Blas for CpuBlas {
    unsafe fn gemm(&self, stream: &dyn Stream, gemm: &Gemm) -> Result<()> {
        if gemm.m == 0 || gemm.n == 0 {
            return Ok(());
        }
        let run: unsafe fn(&Gemm) = match gemm.dtype {
            DType::F32 => stack::<f32>,
            DType::F64 => stack::<f64>,
            DType::C64 => stack::<Complex<f32>>,
            DType::C128 => stack::<Complex<f64>>,
            DType::F16 => narrow::<f16>,
            DType::BF16 => narrow::<bf16>,
            dtype => return Err(Error::unsupported("cpu", format!("matrix products of {dtype}"))),
        };
        let gemm = *gemm;
        let work = [gemm.n, gemm.k.max(1), gemm.batch].iter().fold(gemm.m, |work, &length| work.saturating_mul(length));
        graph::run_or_record_brief(stream, "matrix product", work <= SEQUENTIAL, move || {
            // SAFETY: the caller's promise about the matrices.
            unsafe { run(&gemm) };
            Ok(())
        })
    }

    fn takes_overlapping(&self) -> bool {
        true
    }
}

/// How a result is cut: tiles along rows and along columns. The threads share the rows, long lines are cut further.
fn grid(m: usize, n: usize, k: usize, threads: usize) -> (usize, usize) {
    let work = m.saturating_mul(n).saturating_mul(k);
    let shared = threads > 1 && work > SEQUENTIAL;
    if m == 1 {
        return (1, n.div_ceil(LINE).max(if shared { threads.min(n.div_ceil(16)) } else { 1 }));
    }
    if !shared {
        return (1, 1);
    }
    let rows = ((threads * m) as f64 / n as f64).sqrt().round() as usize;
    let rows = rows.clamp(1, threads).min(m.div_ceil(16));
    let tiles = (work / TILE).clamp(threads, TILES * threads);
    (rows, tiles.div_ceil(rows).min(n.div_ceil(16)))
}

unsafe fn stack<T: Element>(gemm: &Gemm) {
    let (alpha, beta) = (gemm.alpha.to_complex(), gemm.beta.to_complex());
    let product =
        Product { m: gemm.m, n: gemm.n, k: gemm.k, alpha: T::make(alpha.0, alpha.1), beta: T::make(beta.0, beta.1) };
    let work = gemm.m.saturating_mul(gemm.n).saturating_mul(gemm.k.max(1));
    let one = |batch: usize, threads: usize| {
        let (a, b, c) = (View::of(&gemm.a, batch), View::of(&gemm.b, batch), View::of(&gemm.c, batch));
        // SAFETY: the caller's promise about the matrices.
        unsafe { tiles::<T>(product, a, b, c, threads) };
    };
    if work.saturating_mul(gemm.batch) <= SEQUENTIAL {
        (0..gemm.batch).for_each(|batch| one(batch, 1));
    } else if gemm.batch >= pool::threads() {
        let share = (SEQUENTIAL / work).clamp(1, gemm.batch);
        pool::run(gemm.batch.div_ceil(share), |task| {
            (task * share..gemm.batch.min((task + 1) * share)).for_each(|batch| one(batch, 1));
        });
    } else {
        (0..gemm.batch).for_each(|batch| one(batch, pool::threads()));
    }
}

/// Copies a matrix in row-major order.
unsafe fn copy_rows<T: Element>(rows: usize, columns: usize, from: View<T>, to: *mut T, threads: usize) {
    /// Rows and columns that are turned over at a time, by way of memory that no other line of theirs competes for.
    const BLOCK: (usize, usize) = (16, 64);
    let to = View { data: to, row_stride: columns as isize, column_stride: 1 };
    let band = |number: usize| {
        let first = number * BLOCK.0;
        let height = BLOCK.0.min(rows - first);
        let mut block = [[T::make(0.0, 0.0); BLOCK.1]; BLOCK.0];
        for start in (0..columns).step_by(BLOCK.1) {
            let width = BLOCK.1.min(columns - start);
            // SAFETY: the elements lie within both matrices; bands are disjoint.
            unsafe {
                for column in 0..width {
                    for (row, line) in block[..height].iter_mut().enumerate() {
                        line[column] = from.at(first + row, start + column).read();
                    }
                }
                for (row, line) in block[..height].iter().enumerate() {
                    std::ptr::copy_nonoverlapping(line.as_ptr(), to.at(first + row, start), width);
                }
            }
        }
    };
    let bands = rows.div_ceil(BLOCK.0);
    let parallel = threads > 1 && rows * columns >= PARALLEL_COPY;
    let tasks = if parallel { bands } else { 1 };
    pool::run(tasks, |task| (task..bands).step_by(tasks).for_each(band));
}

unsafe fn tiles<T: Element>(product: Product<T>, a: View<T>, b: View<T>, c: View<T>, threads: usize) {
    if c.row_stride == 1 && c.column_stride != 1 {
        let product = Product { m: product.n, n: product.m, ..product };
        // SAFETY: the same matrices, transposed.
        return unsafe { tiles(product, b.transposed(), a.transposed(), c.transposed(), threads) };
    }
    let work = product.m.saturating_mul(product.n).saturating_mul(product.k);
    if a.column_stride != 1 && work > SEQUENTIAL && product.n >= 16 {
        let line = product.k * size_of::<T>();
        let band = (COPIED / line).max(16).min(product.m);
        return with_scratch(band * line, |scratch| {
            let copy = View { data: scratch.cast::<T>(), row_stride: product.k as isize, column_stride: 1 };
            for first in (0..product.m).step_by(band) {
                let part = Product { m: band.min(product.m - first), ..product };
                // SAFETY: the caller's promise about the matrices, of which these are rows; the scratch memory has room
                // for those of one.
                unsafe {
                    copy_rows(part.m, part.k, View { data: a.at(first, 0), ..a }, copy.data, threads);
                    tiles(part, copy, b, View { data: c.at(first, 0), ..c }, threads);
                }
            }
        });
    }
    let turned = a.column_stride != 1 || b.column_stride != 1;
    if turned && product.m > 1 && product.n > 1 && product.k * product.m.max(product.n) <= SMALL {
        // SAFETY: the caller's promise.
        return unsafe { turned_over(product, a, b, c) };
    }
    if product.m == 1 && product.n < FEW && work > SEQUENTIAL {
        // SAFETY: the caller's promise.
        return unsafe { summed(product, a, b, c) };
    }
    if product.m == 1 && product.n == 1 && work <= SEQUENTIAL {
        // SAFETY: the caller's promise.
        return unsafe { multiply(product, a, b, c) };
    }
    let (rows, columns) = grid(product.m, product.n, product.k, threads);
    let cut = |length: usize, parts: usize, part: usize| {
        let size = length.div_ceil(parts).next_multiple_of(16);
        (part * size).min(length)..((part + 1) * size).min(length)
    };
    let tile = |task: usize| {
        let (i, j) = (cut(product.m, rows, task / columns), cut(product.n, columns, task % columns));
        if i.is_empty() || j.is_empty() {
            return;
        }
        let part = Product { m: i.len(), n: j.len(), ..product };
        let a = View { data: a.at(i.start, 0), ..a };
        let b = View { data: b.at(0, j.start), ..b };
        let c = View { data: c.at(i.start, j.start), ..c };
        // SAFETY: the tile lies within the matrices and belongs to this task.
        unsafe { multiply(part, a, b, c) };
    };
    let count = rows * columns;
    if threads == 1 || work <= SEQUENTIAL { (0..count).for_each(tile) } else { pool::run(count, tile) }
}

/// A product of two small matrices, of which one at least is not row-major.
unsafe fn turned_over<T: Element>(product: Product<T>, a: View<T>, b: View<T>, c: View<T>) {
    let mut copies = [MaybeUninit::<[T; SMALL]>::uninit(), MaybeUninit::uninit()];
    let [left, right] = &mut copies;
    let row_major = |from: View<T>, rows: usize, columns: usize, room: &mut MaybeUninit<[T; SMALL]>| {
        if from.column_stride == 1 {
            return from;
        }
        let to = View { data: room.as_mut_ptr().cast::<T>(), row_stride: columns as isize, column_stride: 1 };
        for row in 0..rows {
            for column in 0..columns {
                // SAFETY: the elements lie within the caller's matrix, and there is room for as many.
                unsafe { to.at(row, column).write(from.at(row, column).read()) };
            }
        }
        to
    };
    let (a, b) = (row_major(a, product.m, product.k, left), row_major(b, product.k, product.n, right));
    // SAFETY: the caller's matrices, or copies of them.
    unsafe { multiply(product, a, b, c) };
}

/// A product with few results, whose sums are computed in parts of the shared axis.
unsafe fn summed<T: Element>(product: Product<T>, a: View<T>, b: View<T>, c: View<T>) {
    let Product { n, k, .. } = product;
    let (zero, one) = (T::make(0.0, 0.0), T::make(1.0, 0.0));
    // Their number depends on the lengths alone, and so do the results.
    let length = (SEQUENTIAL / 2).div_ceil(n).next_multiple_of(64);
    let parts = k.div_ceil(length);
    let mut sums = vec![zero; parts * n];
    let all = View { data: sums.as_mut_ptr(), row_stride: n as isize, column_stride: 1 };
    pool::run(parts, |number| {
        let first = number * length;
        let part = Product { k: length.min(k - first), alpha: one, beta: zero, ..product };
        let (a, b) = (View { data: a.at(0, first), ..a }, View { data: b.at(first, 0), ..b });
        // SAFETY: the part lies within the matrices, and the row of sums is this task's.
        unsafe { multiply(part, a, b, View { data: all.at(number, 0), ..all }) };
    });
    for at in 0..n {
        let sum = sums.iter().skip(at).step_by(n).fold(zero, |sum, &part| sum + part);
        // SAFETY: the element belongs to the result.
        unsafe { product.finish(sum, c.at(0, at)) };
    }
}

/// A product of one row with a matrix whose rows or columns are contiguous.
unsafe fn vector<T: Element>(product: Product<T>, a: View<T>, b: View<T>, c: View<T>) {
    let Product { n, k, .. } = product;
    let mut sums = vec![T::make(0.0, 0.0); n];
    // SAFETY: the vectors and lines lie within the caller's matrices.
    unsafe {
        let copy: Vec<T>;
        let x = if a.column_stride == 1 {
            std::slice::from_raw_parts(a.data, k)
        } else {
            copy = (0..k).map(|at| a.at(0, at).read()).collect();
            &copy
        };
        if b.column_stride == 1 {
            T::combine(x, Lines { first: b.data, stride: b.row_stride }, &mut sums);
        } else {
            T::dots(x, Lines { first: b.data, stride: b.column_stride }, &mut sums);
        }
        for (at, sum) in sums.into_iter().enumerate() {
            product.finish(sum, c.at(0, at));
        }
    }
}

/// A product of one row that is too small for any preparation.
unsafe fn tiny<T: Element>(product: Product<T>, a: View<T>, b: View<T>, c: View<T>) {
    for column in 0..product.n {
        let mut sum = T::make(0.0, 0.0);
        for at in 0..product.k {
            // SAFETY: the elements lie within the caller's matrices.
            sum += unsafe { a.at(0, at).read() * b.at(at, column).read() };
        }
        // SAFETY: the element belongs to the result.
        unsafe { product.finish(sum, c.at(0, column)) };
    }
}

unsafe fn multiply<T: Element>(product: Product<T>, a: View<T>, b: View<T>, c: View<T>) {
    let Product { m, n, k, alpha, beta } = product;
    if m == 1 && k > 0 {
        if n * k <= TINY {
            // SAFETY: the caller's promise.
            return unsafe { tiny(product, a, b, c) };
        }
        if b.row_stride == 1 || b.column_stride == 1 {
            // SAFETY: the caller's promise.
            return unsafe { vector(product, a, b, c) };
        }
    }
    let (zero, one) = (T::make(0.0, 0.0), T::make(1.0, 0.0));
    if beta != one && (beta != zero || k == 0) {
        for i in 0..m {
            for j in 0..n {
                let element = c.at(i, j);
                // SAFETY: the element belongs to the result. With beta 0 its old content is not read.
                unsafe { element.write(if beta == zero { zero } else { element.read() * beta }) };
            }
        }
    }
    if k == 0 {
        return;
    }
    let accumulate = if beta == zero { Accum::Replace } else { Accum::Add };
    // SAFETY: sizes and strides are those of the caller's matrices.
    unsafe {
        let a = MatRef::from_raw_parts(a.data.cast_const(), m, k, a.row_stride, a.column_stride);
        let b = MatRef::from_raw_parts(b.data.cast_const(), k, n, b.row_stride, b.column_stride);
        let c = MatMut::from_raw_parts_mut(c.data, m, n, c.row_stride, c.column_stride);
        matmul(c, accumulate, a, b, alpha, Par::Seq);
    }
}

/// Elements of a 16-bit type as float32.
trait Narrow: Copy {
    fn widen(from: &[Self], to: &mut [f32]);
    fn narrow(from: &[f32], to: &mut [Self]);
    fn value(self) -> f32;
}

macro_rules! narrow_elements {
    ($($type:ty),*) => {
        $(impl Narrow for $type {
            fn widen(from: &[$type], to: &mut [f32]) { from.convert_to_f32_slice(to) }
            fn narrow(from: &[f32], to: &mut [$type]) { to.convert_from_f32_slice(from) }
            fn value(self) -> f32 { self.to_f32() }
        })*
    };
}

narrow_elements!(f16, bf16);

/// Whether the lines of contiguous elements are rows.
fn is_row_major(matrix: &Matrix) -> bool {
    matrix.column_stride == 1
}

/// Visits the contiguous lines of a matrix as (first row, first column, address, length).
fn lines<T>(
    matrix: &Matrix,
    batch: usize,
    rows: usize,
    columns: usize,
    mut visit: impl FnMut(usize, usize, *mut T, usize),
) {
    let view: View<T> = View::of(matrix, batch);
    if is_row_major(matrix) {
        (0..rows).for_each(|row| visit(row, 0, view.at(row, 0), columns));
    } else if matrix.row_stride == 1 {
        (0..columns).for_each(|column| visit(0, column, view.at(0, column), rows));
    } else {
        (0..rows).for_each(|row| (0..columns).for_each(|column| visit(row, column, view.at(row, column), 1)));
    }
}

/// A float32 copy of a 16-bit matrix, in the order of its lines.
unsafe fn widened<T: Narrow>(matrix: &Matrix, batch: usize, rows: usize, columns: usize) -> (Vec<f32>, isize, isize) {
    let mut copy = vec![0.0; rows * columns];
    let row_major = is_row_major(matrix);
    let (row_stride, column_stride) = if row_major { (columns, 1) } else { (1, rows) };
    lines::<T>(matrix, batch, rows, columns, |row, column, address, length| {
        let at = row * row_stride + column * column_stride;
        // SAFETY: the line lies within the matrix.
        let line = unsafe { std::slice::from_raw_parts(address.cast_const(), length) };
        T::widen(line, &mut copy[at..at + length]);
    });
    (copy, row_stride as isize, column_stride as isize)
}

/// Products of 16-bit elements: computed in float32 and rounded once.
unsafe fn narrow<T: Narrow>(gemm: &Gemm) {
    let Gemm { m, n, k, .. } = *gemm;
    let (alpha, beta) = (gemm.alpha.to_complex().0 as f32, gemm.beta.to_complex().0 as f32);
    for batch in 0..gemm.batch {
        // SAFETY: the caller's promise about the matrices.
        unsafe {
            let view = |copy: &(Vec<f32>, isize, isize)| View {
                data: copy.0.as_ptr().cast_mut(),
                row_stride: copy.1,
                column_stride: copy.2,
            };
            let a = widened::<T>(&gemm.a, batch, m, k);
            let b = widened::<T>(&gemm.b, batch, k, n);
            let row_major = is_row_major(&gemm.c);
            let (row_stride, column_stride) = if row_major { (n, 1) } else { (1, m) };
            let mut c = (vec![0.0; m * n], row_stride as isize, column_stride as isize);
            let product = Product { m, n, k, alpha, beta: 0.0 };
            tiles(product, view(&a), view(&b), View { data: c.0.as_mut_ptr(), ..view(&c) }, pool::threads());
            lines::<T>(&gemm.c, batch, m, n, |row, column, address, length| {
                let at = row * row_stride + column * column_stride;
                let line = std::slice::from_raw_parts_mut(address, length);
                let sums = &mut c.0[at..at + length];
                if beta != 0.0 {
                    sums.iter_mut().zip(&*line).for_each(|(sum, old)| *sum += beta * old.value());
                }
                T::narrow(sums, line);
            });
        }
    }
}
