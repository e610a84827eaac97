//! Schur forms of large Hessenberg matrices: chains of small bulges whose reflections are gathered and applied as
//! products, and aggressive early deflation (Braman, Byers and Mathias 2002), as in LAPACK's `hseqr`.

use faer::linalg::matmul::matmul;
use faer::prelude::ReborrowMut;
use faer::traits::ComplexField;
use faer::traits::math_utils::{abs, abs1, conj, from_f64, mul_real, one, zero};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use num_complex::Complex;
use rustfft::num_traits::Float;

use crate::hessenberg::reduce;
use crate::matrices::columns;
use crate::qr::{self, Element, reflect};
use crate::schur::{Form, Schur};

/// Order up to which the rows of a block are worked off one bulge at a time.
const SMALL: usize = 80;
/// The same for a whole matrix, with a basis and without, where products save less.
const WHOLE: usize = 130;
const WHOLE_ALONE: usize = 200;
/// Iterations without a deflation before the algorithm gives up; every sixth takes exceptional shifts.
const ATTEMPTS: usize = 60;
const EXCEPTIONAL: usize = 6;
/// Percentage of the window that must deflate for the next sweep to be left out.
const NIBBLE: usize = 14;

/// An element of a matrix that has a Schur form.
pub(crate) trait Field: Element + Into<Complex<Self::Real>> {
    /// A number that is known to be of this type.
    fn of(value: Complex<Self::Real>) -> Self;
    /// The product with a complex number.
    fn times(self, value: Complex<Self::Real>) -> Complex<Self::Real>;
    /// Brings a small matrix to Schur form, one bulge at a time.
    fn iterate(schur: Schur<'_, Self>) -> i32;
}

macro_rules! fields {
    ($($real:ty),*) => {
        $(impl Field for $real {
            fn of(value: Complex<$real>) -> Self { value.re }
            fn times(self, value: Complex<$real>) -> Complex<$real> { value * self }
            fn iterate(mut schur: Schur<'_, Self>) -> i32 { schur.real() }
        }
        impl Field for Complex<$real> {
            fn of(value: Complex<$real>) -> Self { value }
            fn times(self, value: Complex<$real>) -> Complex<$real> { self * value }
            fn iterate(mut schur: Schur<'_, Self>) -> i32 { schur.complex() }
        })*
    };
}

fields!(f32, f64);

/// Brings an upper Hessenberg matrix to Schur form. The columns of `basis` go along; without it only the eigenvalues of
/// the form are right. Returns 0, or the number of the eigenvalue at which the iteration did not converge.
pub(crate) fn schur<T: Field>(form: &mut [T], basis: Option<&mut [T]>, n: usize, par: Par) -> i32 {
    let mut none = vec![];
    let wanted = basis.is_some();
    let basis = basis.unwrap_or(&mut none);
    if n <= if wanted { WHOLE } else { WHOLE_ALONE } {
        return T::iterate(Schur { n, form, basis });
    }
    Iteration { n, form, basis, wanted, par }.run()
}

struct Iteration<'a, T> {
    n: usize,
    form: &'a mut [T],
    basis: &'a mut [T],
    wanted: bool,
    par: Par,
}

/// Pairs of shifts.
type Shifts<T> = Vec<[Complex<<T as ComplexField>::Real>; 2]>;

impl<T: Field> Iteration<'_, T> {
    fn run(&mut self) -> i32 {
        let (mut end, mut stalled) = (self.n, 0);
        while end > 0 {
            let start = Schur { n: self.n, form: self.form, basis: self.basis }.deflated(end - 1);
            if end - start <= SMALL {
                let (mut block, mut u) = self.window(start, end);
                let basis = if self.wanted { &mut *u } else { &mut [] };
                let info = T::iterate(Schur { n: end - start, form: &mut block, basis });
                if info != 0 {
                    return start as i32 + info;
                }
                self.replace(start, end, &block, &u, start, end);
                (end, stalled) = (start, 0);
                continue;
            }
            if stalled == ATTEMPTS {
                return end as i32;
            }
            let width = window_width(end - start);
            let (deflated, mut shifts) = self.deflate_early(start, end, width);
            if deflated > 0 {
                stalled = 0;
            }
            end -= deflated;
            if 100 * deflated > NIBBLE * width || end - start <= SMALL {
                continue;
            }
            stalled += 1;
            if stalled % EXCEPTIONAL == 0 || shifts.is_empty() {
                shifts = self.exceptional(start, end);
            }
            self.sweep(start, end, &shifts);
        }
        0
    }

    fn at(&self, row: usize, column: usize) -> T {
        self.form[column * self.n + row]
    }

    /// A copy of a diagonal block, and an identity of its order.
    fn window(&self, start: usize, end: usize) -> (Vec<T>, Vec<T>) {
        let order = end - start;
        let block = (start..end).flat_map(|column| &self.form[column * self.n + start..][..order]).copied().collect();
        let mut u = vec![zero(); order * order];
        (0..order).for_each(|i| u[i * order + i] = one());
        (block, u)
    }

    /// Replaces a diagonal block and multiplies the rest of its rows and columns, and of the basis, by the unitary matrix
    /// that led there. Without a basis nothing outside the rows `first..last` is needed any more.
    fn replace(&mut self, start: usize, end: usize, block: &[T], u: &[T], first: usize, last: usize) {
        let (n, order, par) = (self.n, end - start, self.par);
        for (at, column) in block.chunks_exact(order).enumerate() {
            self.form[(start + at) * n + start..][..order].copy_from_slice(column);
        }
        let u = MatRef::from_column_major_slice(u, order, order);
        let (first, last) = if self.wanted { (0, n) } else { (first, last) };
        let mut form = columns(self.form, n, n);
        from_left(form.rb_mut().submatrix_mut(start, end, order, last - end), u, par);
        from_right(form.submatrix_mut(first, start, start - first, order), u, par);
        if self.wanted {
            from_right(columns(self.basis, n, n).subcols_mut(start, order), u, par);
        }
    }

    /// Looks for eigenvalues of the last rows that count as eigenvalues of the whole block. Returns the number of rows
    /// that they take at its end, and the other eigenvalues as shifts.
    fn deflate_early(&mut self, start: usize, end: usize, width: usize) -> (usize, Shifts<T>) {
        let from = end - width;
        let (mut block, mut v) = self.window(from, end);
        if T::iterate(Schur { n: width, form: &mut block, basis: &mut v }) != 0 {
            return (0, vec![]);
        }
        let spike = self.at(from, from - 1);
        let form = Form { n: width, elements: &block };
        let epsilon = T::Real::epsilon();
        let least = T::Real::min_positive_value() / epsilon * from_f64::<T::Real>(self.n as f64);
        let mut kept = width;
        while kept > 0 {
            let first = form.start(kept - 1);
            let residual = (first..kept).fold(zero::<T::Real>(), |most, i| most.max(abs1(&(spike * v[i * width]))));
            let mut size = abs(&form.at(kept - 1, kept - 1));
            if first + 1 < kept {
                size += (abs(&form.at(first, first + 1)) * abs(&form.at(first + 1, first))).sqrt();
            }
            let size = if size == zero() { abs(&spike) } else { size };
            if residual > least.max(epsilon * size) {
                break;
            }
            kept = first;
        }
        let shifts = pairs::<T>(&form.values()[..kept]);
        if kept == width {
            return (0, shifts);
        }
        // The spike is turned into its first element, and the kept part back into Hessenberg form.
        let mut corner = zero();
        if kept > 0 {
            let mut beta: Vec<T> = (0..kept).map(|i| conj(&v[i * width])).collect();
            let mut p = Mat::<T>::identity(kept, kept);
            let mut tau = [zero::<T>()];
            qr::factor(columns(&mut beta, kept, 1), &mut tau, Par::Seq);
            qr::multiply(MatRef::from_column_major_slice(&beta, kept, 1), &tau, p.as_mut(), true, Par::Seq);
            corner = spike * beta[0];
            let mut square = columns(&mut block, width, width);
            let mut part: Vec<T> = vec![zero(); kept * kept];
            let mut copy = columns(&mut part, kept, kept);
            copy.copy_from(square.rb_mut().submatrix_mut(0, 0, kept, kept));
            from_left(copy.rb_mut(), p.as_ref(), Par::Seq);
            from_right(copy, p.as_ref(), Par::Seq);
            let mut turned = vec![zero(); kept * kept];
            reduce(&mut part, Some(&mut turned), kept, Par::Seq);
            let mut u = Mat::<T>::zeros(kept, kept);
            let turned = MatRef::from_column_major_slice(&turned, kept, kept);
            matmul(u.as_mut(), Accum::Replace, p.as_ref(), turned, one(), Par::Seq);
            square
                .rb_mut()
                .submatrix_mut(0, 0, kept, kept)
                .copy_from(MatRef::from_column_major_slice(&part, kept, kept));
            from_left(square.submatrix_mut(0, kept, kept, width - kept), u.as_ref(), Par::Seq);
            from_right(columns(&mut v, width, width).subcols_mut(0, kept), u.as_ref(), Par::Seq);
        }
        self.form[(from - 1) * self.n + from] = corner;
        self.replace(from, end, &block, &v, start, end);
        (width - kept, shifts)
    }

    fn exceptional(&self, start: usize, end: usize) -> Shifts<T> {
        let (large, small) = (from_f64::<T::Real>(0.75), from_f64::<T::Real>(-0.4375));
        let rows = (start + 2..end).rev().step_by(2).take(shift_count(end - start) / 2);
        rows.map(|row| {
            let size = abs(&self.at(row, row - 1)) + abs(&self.at(row - 1, row - 2));
            let middle: Complex<T::Real> = self.at(row, row).into();
            let middle = middle + large * size;
            let apart = Complex::new(small * size * size, zero()).sqrt();
            [middle + apart, middle - apart]
        })
        .collect()
    }

    /// Chases a chain of bulges, one for each pair of shifts, through the rows `start..end`.
    fn sweep(&mut self, start: usize, end: usize, shifts: &Shifts<T>) {
        let n = self.n;
        let count = shifts.len().min(shift_count(end - start) / 2).min((end - start) / 6);
        let shifts = &shifts[shifts.len() - count..];
        let steps = end - 1 - start + 3 * (count - 1);
        let chunk = (3 * count).max(16);
        for from in (0..steps).step_by(chunk) {
            let until = (from + chunk).min(steps);
            let low = start + from.saturating_sub(3 * (count - 1));
            let high = end.min(start + until + 3);
            let order = high - low;
            let (mut block, mut u) = self.window(low, high);
            // What a bulge leaves in the column before the block.
            let mut before = [zero::<T>(); 3];
            let reach = order.min(3);
            if low > start {
                before[..reach].copy_from_slice(&self.form[(low - 1) * n + low..][..reach]);
            }
            for step in from..until {
                for (number, pair) in shifts.iter().enumerate().take(step / 3 + 1) {
                    let row = start + step - 3 * number;
                    if row + 2 > end {
                        continue;
                    }
                    let (k, length) = (row - low, 3.min(end - row));
                    let mut v = [zero::<T>(); 3];
                    if row == start {
                        v = first_column(&block, order, k, pair);
                    } else if k == 0 {
                        v = before;
                    } else {
                        v[..length].copy_from_slice(&block[(k - 1) * order + k..][..length]);
                    }
                    let tau = reflect(&mut v[..length], Par::Seq);
                    let mut cleared = [zero::<T>(); 3];
                    cleared[0] = v[0];
                    if row == start {
                    } else if k == 0 {
                        before = cleared;
                    } else {
                        block[(k - 1) * order + k..][..length].copy_from_slice(&cleared[..length]);
                    }
                    v[0] = one();
                    turn(&mut block, order, k, &v[..length], tau, order.min(k + 4));
                    turn_columns(&mut u, order, k, &v[..length], tau, order);
                }
            }
            if low > start {
                self.form[(low - 1) * n + low..][..reach].copy_from_slice(&before[..reach]);
            }
            self.replace(low, high, &block, &u, start, end);
        }
    }
}

/// Rows among which aggressive early deflation looks, and shifts of a sweep, for a block of an order.
fn window_width(order: usize) -> usize {
    (3 * shift_count(order) / 2).min((order - 1) / 3)
}

fn shift_count(order: usize) -> usize {
    match order {
        0..590 => 10,
        590..3000 => 64,
        _ => 128,
    }
}

/// The last eigenvalues in pairs: those that are conjugate follow each other already, the real ones go together.
fn pairs<T: Field>(values: &[Complex<T::Real>]) -> Shifts<T> {
    let mut single = None;
    let mut found = vec![];
    let mut rest = values.iter().rev().peekable();
    while let Some(&value) = rest.next() {
        if T::IS_REAL && value.im != zero() {
            found.push([value, value.conj()]);
            rest.next();
        } else if let Some(other) = single.take() {
            found.push([value, other]);
        } else {
            single = Some(value);
        }
    }
    found.reverse();
    found
}

/// A multiple of the first column of the block after a shift by both numbers, which only three rows have a part in.
fn first_column<T: Field>(block: &[T], order: usize, k: usize, pair: &[Complex<T::Real>; 2]) -> [T; 3] {
    let at = |row: usize, column: usize| block[(k + column) * order + k + row];
    let (here, next, below): (Complex<T::Real>, Complex<T::Real>, T) = (at(0, 0).into(), at(1, 1).into(), at(1, 0));
    let size = (here - pair[1]).norm() + abs(&below) + abs(&at(2, 1));
    if size == zero() {
        return [zero(); 3];
    }
    let ratio = mul_real(&below, &size.recip());
    [
        ratio * at(0, 1) + T::of((here - pair[0]) * ((here - pair[1]) / size)),
        ratio * T::of(here + next - pair[0] - pair[1]),
        ratio * at(2, 1),
    ]
}

/// Applies a reflection to the rows from `k` on, to their columns from there on, and to these columns down to `bottom`.
fn turn<T: Field>(block: &mut [T], order: usize, k: usize, v: &[T], tau: T, bottom: usize) {
    for column in block.chunks_exact_mut(order).skip(k) {
        let part = &mut column[k..][..v.len()];
        let sum = conj(&tau) * part.iter().zip(v).fold(zero::<T>(), |sum, (&x, v)| sum + conj(v) * x);
        part.iter_mut().zip(v).for_each(|(x, &v)| *x -= v * sum);
    }
    turn_columns(block, order, k, v, tau, bottom);
}

fn turn_columns<T: Field>(matrix: &mut [T], order: usize, k: usize, v: &[T], tau: T, bottom: usize) {
    let (first, rest) = matrix[k * order..][..v.len() * order].split_at_mut(order);
    let (second, third) = rest.split_at_mut(order);
    let lines = first[..bottom].iter_mut().zip(second);
    if v.len() == 2 {
        for (x, y) in lines {
            let sum = tau * (*x + v[1] * *y);
            *x -= sum;
            *y -= sum * conj(&v[1]);
        }
        return;
    }
    for ((x, y), z) in lines.zip(third) {
        let sum = tau * (*x + v[1] * *y + v[2] * *z);
        *x -= sum;
        *y -= sum * conj(&v[1]);
        *z -= sum * conj(&v[2]);
    }
}

/// Multiplies a matrix by the adjoint of `u` from the left.
fn from_left<T: Field>(mut x: MatMut<'_, T>, u: MatRef<'_, T>, par: Par) {
    if x.nrows() > 0 && x.ncols() > 0 {
        let copy = x.to_owned();
        matmul(x.rb_mut(), Accum::Replace, u.adjoint(), copy.as_ref(), one(), par);
    }
}

/// Multiplies a matrix by `u` from the right.
fn from_right<T: Field>(mut x: MatMut<'_, T>, u: MatRef<'_, T>, par: Par) {
    if x.nrows() > 0 && x.ncols() > 0 {
        let copy = x.to_owned();
        matmul(x.rb_mut(), Accum::Replace, copy.as_ref(), u, one(), par);
    }
}
