//! Schur forms by the QR algorithm with small bulges: double shifts for real matrices, single ones for complex ones
//! (Golub and Van Loan, section 7.5, with the criteria of Ahues and Tisseur for negligible elements).

use faer::Par;
use faer::traits::math_utils::{abs1, zero};
use faer::traits::{ComplexField, RealField};
use num_complex::Complex;
use rustfft::num_traits::Float;

use crate::qr::{Element, reflect};

/// Iterations for each eigenvalue before the algorithm gives up; every tenth takes an exceptional shift.
const ATTEMPTS: usize = 30;
const EXCEPTIONAL: usize = 10;

/// Two matrices of order `n` in columns that every step transforms alike: the form and the basis so far.
pub(crate) struct Schur<'a, T> {
    pub n: usize,
    /// Upper Hessenberg at the start, zeros below the subdiagonal.
    pub form: &'a mut [T],
    /// Unitary; empty if only the eigenvalues count.
    pub basis: &'a mut [T],
}

impl<T: Copy> Schur<'_, T> {
    fn at(&self, row: usize, column: usize) -> T {
        self.form[column * self.n + row]
    }

    fn set(&mut self, row: usize, column: usize, value: T) {
        self.form[column * self.n + row] = value;
    }
}

impl<T: Element> Schur<'_, T> {
    /// The first row of the last block that does not fall apart.
    pub fn deflated(&mut self, last: usize) -> usize {
        let epsilon = T::Real::epsilon();
        // Beside a largest element near 1; below it rotations have no digits left.
        let tiny = T::Real::min_positive_value() / (epsilon * epsilon);
        for k in (1..=last).rev() {
            let below = abs1(&self.at(k, k - 1));
            let (upper, lower) = (self.at(k - 1, k - 1), self.at(k, k));
            let mut size = abs1(&upper) + abs1(&lower);
            if size == zero() {
                size = if k > 1 { abs1(&self.at(k - 1, k - 2)) } else { size };
                size = if k + 1 < self.n { size + abs1(&self.at(k + 1, k)) } else { size };
            }
            let small = below <= epsilon * size
                && negligible(below, abs1(&self.at(k - 1, k)), abs1(&lower), abs1(&(upper - lower)));
            if below <= tiny || small {
                self.set(k, k - 1, zero());
                return k;
            }
        }
        0
    }
}

/// A Schur form in columns: triangular, or of a real matrix with blocks of two rows on the diagonal, whose diagonal
/// elements are equal.
#[derive(Clone, Copy)]
pub(crate) struct Form<'a, T> {
    pub n: usize,
    pub elements: &'a [T],
}

impl<T: Element + Into<Complex<T::Real>>> Form<'_, T> {
    pub fn at(&self, row: usize, column: usize) -> T {
        self.elements[column * self.n + row]
    }

    /// The first row of the block that ends with a row.
    pub fn start(&self, last: usize) -> usize {
        if T::IS_REAL && last > 0 && self.at(last, last - 1) != zero::<T>() { last - 1 } else { last }
    }

    pub fn values(&self) -> Vec<Complex<T::Real>> {
        let mut values: Vec<Complex<T::Real>> = (0..self.n).map(|k| self.at(k, k).into()).collect();
        for last in 1..self.n {
            if self.start(last) < last {
                let im = abs1(&self.at(last - 1, last)).sqrt() * abs1(&self.at(last, last - 1)).sqrt();
                (values[last - 1].im, values[last].im) = (im, -im);
            }
        }
        values
    }
}

fn half<F: Float>() -> F {
    F::one() / (F::one() + F::one())
}

fn number<F: Float>(value: f64) -> F {
    F::from(value).expect("a float type holds the constant")
}

/// Whether the subdiagonal element of a 2 x 2 block with these absolute values is nothing beside its neighbours.
fn negligible<F: Float>(below: F, above: F, last: F, difference: F) -> bool {
    let tiny = F::min_positive_value() / F::epsilon();
    let (more, less) = (below.max(above), below.min(above));
    let (wide, narrow) = (last.max(difference), last.min(difference));
    let sum = wide + more;
    sum == F::zero() || less * (more / sum) <= tiny.max(F::epsilon() * (narrow * (wide / sum)))
}

/// The rotation that brings a real 2 x 2 block to standard form: triangular, or with equal diagonal elements and other
/// elements of opposite signs.
struct Standard<F> {
    block: [F; 4],
    cosine: F,
    sine: F,
}

fn standardize<F: Float>(a: F, b: F, c: F, d: F) -> Standard<F> {
    let (zero, one) = (F::zero(), F::one());
    if c == zero {
        return Standard { block: [a, b, c, d], cosine: one, sine: zero };
    }
    if b == zero {
        return Standard { block: [d, -c, zero, a], cosine: zero, sine: one };
    }
    if a == d && (b > zero) != (c > zero) {
        return Standard { block: [a, b, c, d], cosine: one, sine: zero };
    }
    let difference = a - d;
    let p = half::<F>() * difference;
    let (most, least) = (b.abs().max(c.abs()), b.abs().min(c.abs()));
    let least = if (b > zero) == (c > zero) { least } else { -least };
    let scale = p.abs().max(most);
    let z = p / scale * p + most / scale * least;
    if z >= number::<F>(4.0) * F::epsilon() {
        // Two real eigenvalues.
        let root = scale.sqrt() * z.sqrt();
        let z = p + if p < zero { -root } else { root };
        let length = c.hypot(z);
        let block = [d + z, b - c, zero, d - most / z * least];
        return Standard { block, cosine: z / length, sine: c / length };
    }
    // Complex or almost equal ones: make the diagonal elements equal.
    let sigma = b + c;
    let length = sigma.hypot(difference);
    let mut cosine = (half::<F>() * (one + sigma.abs() / length)).sqrt();
    let mut sine = -(p / (length * cosine)) * if sigma < zero { -one } else { one };
    let (aa, bb) = (a * cosine + b * sine, -a * sine + b * cosine);
    let (cc, dd) = (c * cosine + d * sine, -c * sine + d * cosine);
    let (a, b) = (aa * cosine + cc * sine, bb * cosine + dd * sine);
    let (c, d) = (-aa * sine + cc * cosine, -bb * sine + dd * cosine);
    let middle = half::<F>() * (a + d);
    let mut block = [middle, b, c, middle];
    if c != zero && b != zero && (b > zero) == (c > zero) {
        // Real after all.
        let (above, below) = (b.abs().sqrt(), c.abs().sqrt());
        let p = if c > zero { above * below } else { -(above * below) };
        let inverse = one / (b + c).abs().sqrt();
        block = [middle + p, b - c, zero, middle - p];
        let (more, turn) = (above * inverse, below * inverse);
        (cosine, sine) = (cosine * more - sine * turn, cosine * turn + sine * more);
    } else if c != zero && b == zero {
        block = [middle, -c, zero, middle];
        (cosine, sine) = (-sine, cosine);
    }
    Standard { block, cosine, sine }
}

impl<F: RealField + Float> Schur<'_, F> {
    /// The real form. Returns 0, or the number of the eigenvalue at which it did not converge.
    pub fn real(&mut self) -> i32 {
        let mut end = self.n;
        while end > 0 {
            let mut steps = 0;
            let start = loop {
                let start = self.deflated(end - 1);
                if start + 2 >= end {
                    break start;
                }
                if steps == ATTEMPTS * self.n.max(10) {
                    return end as i32;
                }
                steps += 1;
                self.double_step(start, end - 1, steps);
            };
            if start + 2 == end {
                self.split(start);
            }
            end = start;
        }
        0
    }

    /// Sum and product of the two shifts, as (real parts, imaginary parts).
    fn shifts(&self, start: usize, last: usize, step: usize) -> ([F; 2], [F; 2]) {
        let zero = F::zero();
        let exceptional = |size: F, near: F| {
            let a = number::<F>(0.75) * size + near;
            [a, number::<F>(-0.4375) * size, size, a]
        };
        let [a, b, c, d] = if step.is_multiple_of(2 * EXCEPTIONAL) {
            let size = self.at(last, last - 1).abs() + self.at(last - 1, last - 2).abs();
            exceptional(size, self.at(last, last))
        } else if step.is_multiple_of(EXCEPTIONAL) {
            let size = self.at(start + 1, start).abs() + self.at(start + 2, start + 1).abs();
            exceptional(size, self.at(start, start))
        } else {
            let i = last - 1;
            [self.at(i, i), self.at(i, last), self.at(last, i), self.at(last, last)]
        };
        let size = a.abs() + b.abs() + c.abs() + d.abs();
        if size == zero {
            return ([zero; 2], [zero; 2]);
        }
        let [a, b, c, d] = [a, b, c, d].map(|x| x / size);
        let middle: F = (a + d) * half::<F>();
        let determinant: F = (a - middle) * (d - middle) - b * c;
        let root = determinant.abs().sqrt();
        if determinant >= zero {
            return ([middle * size; 2], [root * size, -(root * size)]);
        }
        let (more, less) = (middle + root, middle - root);
        let near = if (more - d).abs() <= (less - d).abs() { more } else { less };
        ([near * size; 2], [zero; 2])
    }

    /// One sweep of a bulge of two shifts through the rows `start..=last`.
    fn double_step(&mut self, start: usize, last: usize, step: usize) {
        let (re, im) = self.shifts(start, last, step);
        let mut v = [F::zero(); 3];
        // Two small neighbours on the subdiagonal let the bulge begin below them.
        let mut first = last - 2;
        loop {
            let (here, next) = (self.at(first, first), self.at(first + 1, first + 1));
            let below = self.at(first + 1, first);
            let size = (here - re[1]).abs() + im[1].abs() + below.abs();
            let ratio = below / size;
            v[0] =
                ratio * self.at(first, first + 1) + (here - re[0]) * ((here - re[1]) / size) - im[0] * (im[1] / size);
            v[1] = ratio * (here + next - re[0] - re[1]);
            v[2] = ratio * self.at(first + 2, first + 1);
            let total = v.iter().fold(F::zero(), |sum, x| sum + x.abs());
            v = v.map(|x| x / total);
            if first == start {
                break;
            }
            let around = self.at(first - 1, first - 1).abs() + here.abs() + next.abs();
            if self.at(first, first - 1).abs() * (v[1].abs() + v[2].abs()) <= F::epsilon() * v[0].abs() * around {
                break;
            }
            first -= 1;
        }
        for k in first..last {
            let width = 3.min(last - k + 1);
            if k > first {
                (0..width).for_each(|i| v[i] = self.at(k + i, k - 1));
            }
            let tau = reflect(&mut v[..width], Par::Seq);
            let beta = v[0];
            if k > first {
                self.set(k, k - 1, beta);
                (1..width).for_each(|i| self.set(k + i, k - 1, F::zero()));
            } else if first > start {
                let old = self.at(k, k - 1);
                self.set(k, k - 1, old * (F::one() - tau));
            }
            v[0] = F::one();
            self.reflect(k, &v[..width], tau, (k + 4).min(last + 1));
        }
    }

    /// Applies a reflection to the rows from `k` on, to the columns from `k` on down to row `bottom`, and to the basis.
    fn reflect(&mut self, k: usize, v: &[F], tau: F, bottom: usize) {
        let n = self.n;
        for column in k..n {
            let part = &mut self.form[column * n + k..][..v.len()];
            let sum = tau * part.iter().zip(v).fold(F::zero(), |sum, (&x, &v)| sum + x * v);
            part.iter_mut().zip(v).for_each(|(x, &v)| *x -= sum * v);
        }
        for (matrix, rows) in [(&mut *self.form, bottom), (&mut *self.basis, n)] {
            if matrix.is_empty() {
                continue;
            }
            let columns = &mut matrix[k * n..(k + v.len()) * n];
            for row in 0..rows {
                let sum = tau * v.iter().enumerate().fold(F::zero(), |sum, (i, &v)| sum + columns[i * n + row] * v);
                v.iter().enumerate().for_each(|(i, &v)| columns[i * n + row] -= sum * v);
            }
        }
    }

    /// Brings the block of the rows `k` and `k + 1` to standard form.
    fn split(&mut self, k: usize) {
        let n = self.n;
        let standard = standardize(self.at(k, k), self.at(k, k + 1), self.at(k + 1, k), self.at(k + 1, k + 1));
        let Standard { block: [a, b, c, d], cosine, sine } = standard;
        for column in k + 2..n {
            let (x, y) = (self.at(k, column), self.at(k + 1, column));
            self.set(k, column, cosine * x + sine * y);
            self.set(k + 1, column, cosine * y - sine * x);
        }
        for (matrix, rows) in [(&mut *self.form, k), (&mut *self.basis, n)] {
            if matrix.is_empty() {
                continue;
            }
            let (left, right) = matrix[k * n..(k + 2) * n].split_at_mut(n);
            for (x, y) in left[..rows].iter_mut().zip(right) {
                (*x, *y) = (cosine * *x + sine * *y, cosine * *y - sine * *x);
            }
        }
        self.set(k, k, a);
        self.set(k, k + 1, b);
        self.set(k + 1, k, c);
        self.set(k + 1, k + 1, d);
    }
}

/// What serves as a modulus and costs no root.
pub(crate) fn size<F: Float>(x: Complex<F>) -> F {
    x.re.abs() + x.im.abs()
}

/// Of a number that is not much larger than the divisor, which may be next to the smallest number: the operator squares it.
pub(crate) fn quotient<F: Float>(above: Complex<F>, below: Complex<F>) -> Complex<F> {
    let unit = size(below);
    (above / unit) / (below / unit)
}

impl<F: RealField + Float> Schur<'_, Complex<F>>
where
    Complex<F>: ComplexField<Real = F>,
{
    /// The complex form. Returns 0, or the number of the eigenvalue at which it did not converge.
    pub fn complex(&mut self) -> i32 {
        let mut end = self.n;
        while end > 0 {
            let mut steps = 0;
            loop {
                let start = self.deflated(end - 1);
                if start + 1 == end {
                    break;
                }
                if steps == ATTEMPTS * self.n.max(10) {
                    return end as i32;
                }
                steps += 1;
                self.single_step(start, end - 1, steps);
            }
            end -= 1;
        }
        0
    }

    /// The eigenvalue of the last 2 x 2 block that is nearer to its last element.
    fn shift(&self, start: usize, last: usize, step: usize) -> Complex<F> {
        let zero = F::zero();
        let off = |size: F| Complex::new(number::<F>(0.75) * size, zero);
        if step.is_multiple_of(2 * EXCEPTIONAL) {
            return off(size(self.at(last, last - 1))) + self.at(last, last);
        }
        if step.is_multiple_of(EXCEPTIONAL) {
            return off(size(self.at(start + 1, start))) + self.at(start, start);
        }
        let corner = self.at(last, last);
        let product = self.at(last - 1, last).sqrt() * self.at(last, last - 1).sqrt();
        if size(product) == zero {
            return corner;
        }
        let x = (self.at(last - 1, last - 1) - corner) * half::<F>();
        let scale = size(product).max(size(x));
        let (xs, us) = (x / scale, product / scale);
        let mut y = (xs * xs + us * us).sqrt() * scale;
        // Of x itself the products would underflow.
        if xs.re * y.re + xs.im * y.im < zero {
            y = -y;
        }
        if size(x + y) == zero { corner } else { corner - product * quotient(product, x + y) }
    }

    fn single_step(&mut self, start: usize, last: usize, step: usize) {
        let n = self.n;
        let shift = self.shift(start, last, step);
        let mut v = [self.at(start, start) - shift, self.at(start + 1, start)];
        for k in start..last {
            if k > start {
                v = [self.at(k, k - 1), self.at(k + 1, k - 1)];
            }
            // The reflection 1 - tau w w' with w = (1, z), whose adjoint leaves only beta, which is real.
            let length = v[0].norm().hypot(v[1].norm());
            let beta = if v[0].re > F::zero() { -length } else { length };
            let (tau, z) = if length == F::zero() || (v[1].norm() == F::zero() && v[0].im == F::zero()) {
                (Complex::new(F::zero(), F::zero()), v[1])
            } else {
                (Complex::new((beta - v[0].re) / beta, -v[0].im / beta), quotient(v[1], v[0] - beta))
            };
            if k > start {
                let kept = if tau.norm() == F::zero() { v[0] } else { Complex::new(beta, F::zero()) };
                self.set(k, k - 1, kept);
                self.set(k + 1, k - 1, Complex::new(F::zero(), F::zero()));
            }
            for column in k..n {
                let part = &mut self.form[column * n + k..][..2];
                let sum = tau.conj() * (part[0] + z.conj() * part[1]);
                part[0] -= sum;
                part[1] -= sum * z;
            }
            for (matrix, rows) in [(&mut *self.form, (k + 3).min(last + 1)), (&mut *self.basis, n)] {
                if matrix.is_empty() {
                    continue;
                }
                let (left, right) = matrix[k * n..(k + 2) * n].split_at_mut(n);
                for (x, y) in left[..rows].iter_mut().zip(right) {
                    let sum = tau * (*x + *y * z);
                    *x -= sum;
                    *y -= sum * z.conj();
                }
            }
        }
    }
}
