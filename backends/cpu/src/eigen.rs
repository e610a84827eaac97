//! Eigenvalues and right eigenvectors of general matrices, from their Schur form: by a substitution that scales every
//! step, as LAPACK's `trevc` does, so that nothing overflows.
//!
//! `faer` 0.24.4 has `evd`, which is not called here. Its substitution for real matrices replaces the determinant of a
//! block of two rows by epsilon times the norm of the matrix where it is smaller. A determinant is a product of two
//! differences of eigenvalues, so that is no small change: with eigenvalues below the root of epsilon the vectors are wrong.
//! It also drops what its iteration says about convergence.

use faer::linalg::matmul::matmul;
use faer::prelude::Reborrow;
use faer::traits::ComplexField;
use faer::traits::math_utils::{abs1, mul_real, one, zero};
use faer::{Accum, MatRef, Par};
use num_complex::Complex;
use rustfft::num_traits::Float;
use smallvec::SmallVec;

use crate::hessenberg::reduce;
use crate::matrices::{columns, into_unit};
use crate::multishift::{Field, schur};
use crate::pool;
use crate::schur::{Form, quotient, size};

/// Rows that the substitution solves one by one before a product takes what they change to the rows above.
const ROWS: usize = 48;
/// Vectors that one thread substitutes.
const SHARE: usize = 24;

type Value<T> = Complex<<T as ComplexField>::Real>;

/// Eigenvalues and, if `target` is there, vectors of length 1 in its columns, of which the largest element of a complex
/// one is real, as in LAPACK. Of a real matrix, values that are conjugate follow each other, the one with the positive
/// imaginary part first; the first of their columns holds the real parts of its vector, the second the imaginary ones.
/// Returns LAPACK's info; the matrix is lost.
pub(crate) fn eigen<T: Field>(a: &mut [T], values: &mut [Value<T>], target: Option<&mut [T]>, par: Par) -> i32 {
    let n = values.len();
    let unit = into_unit(a);
    let mut basis = vec![zero::<T>(); if target.is_some() { n * n } else { 0 }];
    let mut basis = target.is_some().then_some(&mut *basis);
    reduce(a, basis.as_deref_mut(), n, par);
    let info = schur(a, basis.as_deref_mut(), n, par);
    if info != 0 {
        return info;
    }
    let form = Form { n, elements: a };
    let found = form.values();
    values.iter_mut().zip(&found).for_each(|(value, &found)| *value = found * unit);
    if let (Some(target), Some(basis)) = (target, basis) {
        let mut x = vec![zero::<T>(); n * n];
        substitute(form, &found, &mut x, par);
        let (basis, x) = (MatRef::from_column_major_slice(basis, n, n), MatRef::from_column_major_slice(&x, n, n));
        matmul(columns(target, n, n), Accum::Replace, basis, x, one(), par);
        groups(form, 0, n).for_each(|(start, end)| normalize(&mut target[start * n..end * n], n));
    }
    0
}

/// First and last column, which is not one of them, of each vector among these columns of a form.
fn groups<T: Field>(form: Form<'_, T>, from: usize, until: usize) -> impl Iterator<Item = (usize, usize)> {
    (from..until).filter_map(move |last| {
        let is_first_of_two = last + 1 < form.n && form.start(last + 1) == last;
        (!is_first_of_two).then(|| (form.start(last), last + 1))
    })
}

/// The vectors of a Schur form, packed like those of the matrix.
fn substitute<T: Field>(form: Form<'_, T>, values: &[Value<T>], x: &mut [T], par: Par) {
    let n = form.n;
    for (start, end) in groups(form, 0, n) {
        let last = end - 1;
        x[start * n + start] = one();
        if start < last {
            // The vector of the block itself.
            let (above, below, im) = (form.at(start, last), form.at(last, start), T::of(values[start].im.into()));
            if abs1(&above) >= abs1(&below) {
                x[last * n + last] = im / above;
            } else {
                x[start * n + start] = -(im / below);
                x[last * n + last] = one();
            }
        }
    }
    let elements = MatRef::from_column_major_slice(form.elements, n, n);
    let mut end = n;
    while end > 0 {
        let low = form.start(end.saturating_sub(ROWS));
        let solve = |start: usize, vector: &mut [T]| solve_rows(form, low, end, start, values[start], vector);
        each_vector(form, low, n, &mut x[low * n..], par, &solve);
        let right = columns(x, n, n).subcols_mut(low, n - low);
        let (above, rows) = right.split_at_row_mut(low);
        let rows = rows.rb().subrows(0, end - low);
        if low > 0 {
            matmul(above, Accum::Add, elements.submatrix(0, low, low, end - low), rows, -one::<T>(), par);
        }
        end = low;
    }
}

/// Calls `work` with the first column of each vector among the columns `from..until` and with its elements.
fn each_vector<T: Field>(
    form: Form<'_, T>,
    from: usize,
    until: usize,
    x: &mut [T],
    par: Par,
    work: &(impl Fn(usize, &mut [T]) + Sync),
) {
    let n = form.n;
    if par == Par::Seq || until - from <= SHARE {
        groups(form, from, until).for_each(|(start, end)| work(start, &mut x[(start - from) * n..(end - from) * n]));
        return;
    }
    let middle = form.start(from.midpoint(until));
    let (first, last) = x.split_at_mut((middle - from) * n);
    pool::join(
        || each_vector(form, from, middle, first, par, work),
        || each_vector(form, middle, until, last, par, work),
    );
}

/// Solves the rows from `low` on to `end` of (t - value) x = 0 for a vector whose block begins at the row `start`, and
/// scales the whole of it so that no element exceeds 1.
fn solve_rows<T: Field>(form: Form<'_, T>, low: usize, end: usize, start: usize, value: Value<T>, vector: &mut [T]) {
    let n = form.n;
    let last = vector.len() / n - 1 + start;
    let stop = end.min(last + 1);
    let mut x: SmallVec<[Value<T>; ROWS + 1]> = (low..stop)
        .map(|row| {
            let element: Value<T> = vector[row].into();
            if last > start { Complex::new(element.re, vector[n + row].into().re) } else { element }
        })
        .collect();
    (end.min(start)..stop).for_each(|column| subtract(form, low, start - low, column, &mut x));
    let factor = solve_above(form, low, end.min(start) - low, value, &mut x);
    if factor != one::<T::Real>() {
        vector.iter_mut().for_each(|x| *x = mul_real(x, &factor));
    }
    for (row, x) in (low..stop).zip(x) {
        if last > start {
            (vector[row], vector[n + row]) = (T::of(x.re.into()), T::of(x.im.into()));
        } else {
            vector[row] = T::of(x);
        }
    }
}

/// Subtracts a column of the form times the element of `x` in its row from the first `rows` of those from `low` on.
fn subtract<T: Field>(form: Form<'_, T>, low: usize, rows: usize, column: usize, x: &mut [Value<T>]) {
    let factor = x[column - low];
    let column = &form.elements[column * form.n + low..][..rows];
    x.iter_mut().zip(column).for_each(|(x, &element)| *x -= element.times(factor));
}

/// Replaces what stands in the first `rows` of a vector from row `low` on, b, by the solution of (t - value) x = b, and
/// scales all of it. Returns by what.
fn solve_above<T: Field>(form: Form<'_, T>, low: usize, rows: usize, value: Value<T>, x: &mut [Value<T>]) -> T::Real {
    let (epsilon, tiny) = (T::Real::epsilon(), T::Real::min_positive_value());
    let least = (epsilon * size(value)).max(tiny / epsilon);
    let not_nothing = |x: Value<T>| if size(x) < least { Complex::new(least, zero::<T::Real>()) } else { x };
    let mut total = one::<T::Real>();
    let at = |row: usize, column: usize| -> Value<T> { form.at(low + row, low + column).into() };
    let mut end = rows;
    while end > 0 {
        let (last, start) = (end - 1, form.start(low + end - 1) - low);
        let mut corner = at(last, last) - value;
        let mut scale = |x: &mut [Value<T>], factor: T::Real| {
            if factor != one::<T::Real>() {
                x.iter_mut().for_each(|x| *x *= factor);
                total *= factor;
            }
        };
        if start < last {
            // Two rows: the one with the larger first element is taken from the other.
            let mut upper = [at(start, start) - value, at(start, last), x[start]];
            let mut lower = [at(last, start), corner, x[last]];
            if size(lower[0]) > size(upper[0]) {
                (upper, lower) = (lower, upper);
            }
            let head = not_nothing(upper[0]);
            let ratio = quotient(lower[0], head);
            corner = not_nothing(lower[1] - ratio * upper[1]);
            x[last] = lower[2] - ratio * upper[2];
            x[start] = upper[2];
            scale(x, bound(x[last], corner));
            x[last] = quotient(x[last], corner);
            x[start] -= upper[1] * x[last];
            scale(x, bound(x[start], head));
            x[start] = quotient(x[start], head);
        } else {
            corner = not_nothing(corner);
            scale(x, bound(x[last], corner));
            x[last] = quotient(x[last], corner);
        }
        (start..end).for_each(|column| subtract(form, low, start, low + column, x));
        end = start;
    }
    total
}

/// The factor that keeps a quotient from exceeding 1.
fn bound<F: Float>(above: Complex<F>, below: Complex<F>) -> F {
    let (most, least) = (size(above), size(below));
    if most > least { least / most } else { F::one() }
}

/// Gives a vector of one or of two columns, real and imaginary parts, the length 1.
fn normalize<T: Field>(vector: &mut [T], n: usize) {
    // In parts, for the sake of long vectors of equal elements.
    let squares =
        vector.chunks(64).map(|part| part.iter().fold(zero::<T::Real>(), |sum, &x| sum + x.into().norm_sqr()));
    let length = squares.fold(zero::<T::Real>(), |sum, part| sum + part).sqrt();
    let (re, im) = vector.split_at_mut(n);
    if T::IS_REAL && im.is_empty() {
        re.iter_mut().for_each(|x| *x = mul_real(x, &length.recip()));
        return;
    }
    let pair = |re: &[T], im: &[T], i: usize| -> Value<T> {
        let element: Value<T> = re[i].into();
        if T::IS_REAL { Complex::new(element.re, im[i].into().re) } else { element }
    };
    let largest =
        (1..n).fold(0, |best, i| if pair(re, im, i).norm_sqr() > pair(re, im, best).norm_sqr() { i } else { best });
    let most = pair(re, im, largest);
    let turn = most.conj() / most.norm() / length;
    for i in 0..n {
        let mut element = pair(re, im, i) * turn;
        if i == largest {
            element.im = zero::<T::Real>();
        }
        if T::IS_REAL {
            (re[i], im[i]) = (T::of(element.re.into()), T::of(element.im.into()));
        } else {
            re[i] = T::of(element);
        }
    }
}
