//! Householder QR in compact WY form (Schreiber and Van Loan 1989), its panels by recursion (Elmroth and Gustavson 2000).
//!
//! `faer` 0.24.4 has one as well, in `qr::no_pivoting` and, for matrices with more than 11/6 as many rows as columns, in
//! `svd`. It takes a column as dependent if what remains of it is at most 16 (rows - step) epsilon times its norm, and then
//! does not advance the row, although the reflection has already overwritten the column: the factors are wrong. Above
//! 524,288 rows of float32 that bound exceeds 1 and every column is taken so. Neither is called here.
//!
//! Reflections are LAPACK's: `1 - tau v vᴴ` with `v[0] = 1`, whose adjoint leaves one real element of a column.
//! Long sums are cut into parts of a fixed length, so that results do not depend on the number of threads.

use std::cmp::Ordering;

use faer::linalg::matmul::matmul;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::traits::ComplexField;
use faer::traits::math_utils::{abs1, abs2, conj, from_real, imag, mul_real, one, real, zero};
use faer::{Accum, ColRef, Mat, MatMut, MatRef, Par};
use rustfft::num_traits::Float;
use smallvec::SmallVec;

use crate::matrices::{divide, elements, unit_of};
use crate::pool;

/// Elements up to which a matrix is factorised column by column.
const SMALL: usize = 512;
/// Rows that one sum runs over, of few sums and of many; longer ones are added up in pairs.
const FEW_ROWS: usize = 128;
const ROWS: usize = 8192;
/// Sums that are few.
const FEW: usize = 64;
/// Elements from which panels are wide.
const LARGE: usize = 768 * 768;

/// A type that has such factors.
pub(crate) trait Element: ComplexField<Real: Float> + Copy {}

impl<T: ComplexField<Real: Float> + Copy> Element for T {}

/// Replaces a matrix by R and, below the diagonal, the reflections; `tau` are their factors.
pub(crate) fn factor<T: Element>(mut a: MatMut<'_, T>, tau: &mut [T], par: Par) {
    let (m, n) = a.shape();
    if m * n <= SMALL {
        return factor_by_columns(a, tau);
    }
    let (count, block) = (tau.len(), width(m, n));
    for start in (0..count).step_by(block) {
        let width = block.min(count - start);
        let part = a.rb_mut().submatrix_mut(start, start, m - start, n - start);
        let (mut left, right) = part.split_at_col_mut(width);
        let mut t = Mat::zeros(width, width);
        panel(left.rb_mut(), &mut tau[start..start + width], t.as_mut(), par);
        if right.ncols() > 0 {
            apply(left.rb(), t.as_ref(), true, right, par);
        }
    }
}

/// Multiplies a matrix by the unitary factor of these reflections from the left. If it is `of_identity`, what the
/// columns before a reflection hold is known to stay.
pub(crate) fn multiply<T: Element>(v: MatRef<'_, T>, tau: &[T], mut x: MatMut<'_, T>, of_identity: bool, par: Par) {
    let ((m, n), count) = (x.shape(), tau.len());
    if m * n <= SMALL {
        return multiply_by_columns(v, tau, x, of_identity);
    }
    let block = width(m, count);
    for start in (0..count).step_by(block).rev() {
        let width = block.min(count - start);
        let v = v.submatrix(start, start, m - start, width);
        let t = triangle(v, &tau[start..start + width], par);
        let first = if of_identity { start } else { 0 };
        apply(v, t.as_ref(), false, x.rb_mut().submatrix_mut(start, first, m - start, n - first), par);
    }
}

fn width(m: usize, n: usize) -> usize {
    if m * n >= LARGE { 64 } else { 32 }
}

/// The reflection that leaves only the first element of a column: its factor. The vector takes the place of the others.
pub(crate) fn reflect<T: Element>(column: &mut [T], par: Par) -> T {
    let (head, tail) = column.split_first_mut().expect("a column has an element");
    let alpha = *head;
    let rest = norm(tail, par);
    if rest == zero() && imag(&alpha) == zero() {
        return zero();
    }
    let squares = abs2(&alpha) + rest * rest;
    let length = if is_safe(squares) { squares.sqrt() } else { real(&alpha).hypot(imag(&alpha)).hypot(rest) };
    let beta = if real(&alpha).is_sign_negative() { length } else { -length };
    divide(tail, alpha - from_real::<T>(&beta));
    *head = from_real(&beta);
    if is_safe(squares) {
        return mul_real(&(*head - alpha), &beta.recip());
    }
    // Where beta is next to the smallest number, its reciprocal is none.
    let unit = unit_of(length);
    mul_real(&mul_real(&(*head - alpha), &unit.recip()), &(beta / unit).recip())
}

/// Whether a sum of squares has not lost what underflowed or overflowed.
fn is_safe<F: Float>(squares: F) -> bool {
    squares.is_finite() && squares > F::min_positive_value() / F::epsilon()
}

fn norm<T: Element>(x: &[T], par: Par) -> T::Real {
    let squares = squares(x, par);
    if is_safe(squares) {
        return squares.sqrt();
    }
    let largest = x.iter().fold(zero::<T::Real>(), |most, x| most.max(abs1(x)));
    if largest == zero() {
        return largest;
    }
    let unit = unit_of(largest);
    x.iter().fold(zero::<T::Real>(), |sum, x| sum + abs2(&mul_real(x, &unit.recip()))).sqrt() * unit
}

fn squares<T: Element>(x: &[T], par: Par) -> T::Real {
    if x.len() <= 16 {
        return x.iter().fold(zero::<T::Real>(), |sum, x| sum + abs2(x));
    }
    if x.len() <= ROWS {
        return ColRef::from_slice(x).squared_norm_l2();
    }
    let (first, last) = x.split_at(half(x.len(), ROWS));
    let (first, last) = both(par, || squares(first, par), || squares(last, par));
    first + last
}

/// Where a sum over so many rows is cut.
fn half(rows: usize, part: usize) -> usize {
    (rows / 2).next_multiple_of(part)
}

fn both<A: Send, B: Send>(par: Par, first: impl FnOnce() -> A + Send, last: impl FnOnce() -> B + Send) -> (A, B) {
    if par == Par::Seq { (first(), last()) } else { pool::join(first, last) }
}

fn factor_by_columns<T: Element>(a: MatMut<'_, T>, tau: &mut [T]) {
    let mut columns: SmallVec<[&mut [T]; 8]> = a.col_iter_mut().map(elements).collect();
    for (step, tau) in tau.iter_mut().enumerate() {
        let (done, rest) = columns.split_at_mut(step + 1);
        let column = &mut done[step][step..];
        *tau = reflect(column, Par::Seq);
        rest.iter_mut().for_each(|other| reflect_column(&column[1..], conj(tau), &mut other[step..]));
    }
}

fn multiply_by_columns<T: Element>(v: MatRef<'_, T>, tau: &[T], mut x: MatMut<'_, T>, of_identity: bool) {
    for (step, &tau) in tau.iter().enumerate().rev() {
        let v = v.col(step).try_as_col_major().expect("columns are contiguous").as_slice();
        for column in x.rb_mut().col_iter_mut().skip(if of_identity { step } else { 0 }) {
            reflect_column(&v[step + 1..], tau, &mut elements(column)[step..]);
        }
    }
}

/// Applies `1 - tau v vᴴ`, of which the first element of `v`, 1, is not given.
fn reflect_column<T: Element>(v: &[T], tau: T, x: &mut [T]) {
    let (head, tail) = x.split_first_mut().expect("a column has an element");
    let sum = tau * tail.iter().zip(v).fold(*head, |sum, (&x, v)| sum + conj(v) * x);
    *head -= sum;
    tail.iter_mut().zip(v).for_each(|(x, &v)| *x -= v * sum);
}

/// Factorises a matrix with at least as many rows as columns, and fills the triangle of `1 - v t vᴴ`, whose lower part
/// is zero.
fn panel<T: Element>(a: MatMut<'_, T>, tau: &mut [T], mut t: MatMut<'_, T>, par: Par) {
    let count = a.ncols();
    if count == 1 {
        tau[0] = reflect(elements(a.col_mut(0)), par);
        t[(0, 0)] = tau[0];
        return;
    }
    let (first, last) = (count / 2, count - count / 2);
    let (mut left, mut right) = a.split_at_col_mut(first);
    panel(left.rb_mut(), &mut tau[..first], t.rb_mut().submatrix_mut(0, 0, first, first), par);
    apply(left.rb(), t.rb().submatrix(0, 0, first, first), true, right.rb_mut(), par);
    let mut right = right.split_at_row_mut(first).1;
    panel(right.rb_mut(), &mut tau[first..], t.rb_mut().submatrix_mut(first, first, last, last), par);
    // The corner that couples both halves: -t1 (v1ᴴ v2) t2.
    let (left, right) = (left.rb().split_at_row(first).1, right.rb());
    let mut product = inner(left.split_at_row(last).1, right.split_at_row(last).1, par);
    let head = unit_lower(right.split_at_row(last).0);
    matmul(product.as_mut(), Accum::Add, left.split_at_row(last).0.adjoint(), head.as_ref(), one(), Par::Seq);
    let mut half = Mat::zeros(first, last);
    matmul(half.as_mut(), Accum::Replace, t.rb().submatrix(0, 0, first, first), product.as_ref(), one(), Par::Seq);
    let (upper, lower) = t.split_at_row_mut(first);
    let corner = upper.split_at_col_mut(first).1;
    let t2 = lower.rb().split_at_col(first).1;
    matmul(corner, Accum::Replace, half.as_ref(), t2, -one::<T>(), Par::Seq);
}

/// The triangle of `1 - v t vᴴ` for given reflections.
fn triangle<T: Element>(v: MatRef<'_, T>, tau: &[T], par: Par) -> Mat<T> {
    let count = tau.len();
    let (head, body) = v.split_at_row(count);
    let head = unit_lower(head);
    let mut products = inner(body, body, par);
    matmul(products.as_mut(), Accum::Add, head.adjoint(), head.as_ref(), one(), Par::Seq);
    let mut t = Mat::<T>::zeros(count, count);
    for (column, &tau) in tau.iter().enumerate() {
        for at in 0..column {
            let factor = tau * products[(at, column)];
            (0..=at).for_each(|row| {
                let element = t[(row, at)];
                t[(row, column)] -= element * factor;
            });
        }
        t[(column, column)] = tau;
    }
    t
}

/// Multiplies a matrix by `1 - v t vᴴ`, or by its adjoint, from the left.
fn apply<T: Element>(v: MatRef<'_, T>, t: MatRef<'_, T>, adjoint: bool, x: MatMut<'_, T>, par: Par) {
    let (count, columns) = (v.ncols(), x.ncols());
    let (head, body) = v.split_at_row(count);
    let head = unit_lower(head);
    let (upper, lower) = x.split_at_row_mut(count);
    let mut products = inner(body, lower.rb(), par);
    matmul(products.as_mut(), Accum::Add, head.adjoint(), upper.rb(), one(), par);
    let mut factors = Mat::zeros(count, columns);
    if adjoint {
        matmul(factors.as_mut(), Accum::Replace, t.adjoint(), products.as_ref(), one(), par);
    } else {
        matmul(factors.as_mut(), Accum::Replace, t, products.as_ref(), one(), par);
    }
    matmul(upper, Accum::Add, head.as_ref(), factors.as_ref(), -one::<T>(), par);
    subtract(body, factors.as_ref(), lower, par);
}

/// The square at the top of reflections as it is meant: ones on the diagonal, zeros above.
fn unit_lower<T: Element>(v: MatRef<'_, T>) -> Mat<T> {
    Mat::from_fn(v.nrows(), v.ncols(), |row, column| match row.cmp(&column) {
        Ordering::Less => zero(),
        Ordering::Equal => one(),
        Ordering::Greater => v[(row, column)],
    })
}

/// The product `aᴴ b`.
fn inner<T: Element>(a: MatRef<'_, T>, b: MatRef<'_, T>, par: Par) -> Mat<T> {
    let rows = a.nrows();
    let part = if a.ncols() * b.ncols() <= FEW { FEW_ROWS } else { ROWS };
    if rows <= part {
        let mut product = Mat::zeros(a.ncols(), b.ncols());
        matmul(product.as_mut(), Accum::Replace, a.adjoint(), b, one(), par);
        return product;
    }
    let ((a, a_last), (b, b_last)) = (a.split_at_row(half(rows, part)), b.split_at_row(half(rows, part)));
    let par = if rows <= ROWS { Par::Seq } else { par };
    let (mut product, last) = both(par, || inner(a, b, par), || inner(a_last, b_last, par));
    product += last;
    product
}

/// Subtracts the product of two matrices.
fn subtract<T: Element>(a: MatRef<'_, T>, b: MatRef<'_, T>, c: MatMut<'_, T>, par: Par) {
    let rows = a.nrows();
    if rows <= ROWS {
        return matmul(c, Accum::Add, a, b, -one::<T>(), par);
    }
    let (a, a_last) = a.split_at_row(half(rows, ROWS));
    let (c, c_last) = c.split_at_row_mut(half(rows, ROWS));
    both(par, || subtract(a, b, c, par), || subtract(a_last, b, c_last, par));
}
