//! Eigenvalues and right eigenvectors of general matrices: by `faer`, and where its vectors overflow, as those of a
//! nilpotent matrix do, from the Schur form by a substitution that scales every step, as LAPACK's `trevc` does.

use faer::diag::DiagMut;
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::prelude::default;
use faer::traits::{ComplexField, RealField};
use faer::{MatRef, Par};
use num_complex::Complex;
use rustfft::num_traits::Float;

use crate::schur::{Schur, size};
use crate::solver::{columns, reduce, with_stack};

/// Eigenvalues, and vectors in columns if they are wanted. Of a real matrix, values that are conjugate follow each other,
/// the one with the positive imaginary part first, and only its vector counts.
struct Eigen<F> {
    values: Vec<Complex<F>>,
    vectors: Vec<Complex<F>>,
}

/// Eigenvalues of a real matrix and, if `target` is there, their vectors: of two that are conjugate the real parts in the
/// first column and the imaginary parts in the second. Returns LAPACK's info; the matrix is lost.
pub(crate) fn real<F: RealField + Float>(
    a: &mut [F],
    values: &mut [Complex<F>],
    target: Option<&mut [F]>,
    par: Par,
) -> i32 {
    let (n, wanted) = (values.len(), target.is_some());
    let unit = unit_of(a.iter().fold(F::zero(), |most, x| most.max(x.abs())));
    a.iter_mut().for_each(|x| *x /= unit);
    let found = library_real(a, n, wanted, par).and_then(|eigen| eigen.normalized(true));
    let found = found.map_or_else(|| by_schur_form(a, n, wanted, par, |mut schur| schur.real()), Ok);
    let eigen = match found {
        Ok(eigen) => eigen,
        Err(info) => return info,
    };
    values.iter_mut().zip(&eigen.values).for_each(|(value, &found)| *value = found * unit);
    let Some(target) = target else { return 0 };
    for (i, value) in values.iter().enumerate().filter(|(_, value)| value.im >= F::zero()) {
        for row in 0..n {
            let element = eigen.vectors[i * n + row];
            target[i * n + row] = element.re;
            if value.im > F::zero() {
                target[(i + 1) * n + row] = element.im;
            }
        }
    }
    0
}

/// Eigenvalues of a complex matrix and, if `target` is there, their vectors in its columns. Returns LAPACK's info; the
/// matrix is lost.
pub(crate) fn complex<F: RealField + Float>(
    a: &mut [Complex<F>],
    values: &mut [Complex<F>],
    target: Option<&mut [Complex<F>]>,
    par: Par,
) -> i32
where
    Complex<F>: ComplexField<Real = F>,
{
    let (n, wanted) = (values.len(), target.is_some());
    let unit = unit_of(a.iter().fold(F::zero(), |most, x| most.max(x.re.abs()).max(x.im.abs())));
    a.iter_mut().for_each(|x| *x /= unit);
    let found = library_complex(a, n, wanted, par).and_then(|eigen| eigen.normalized(false));
    match found.map_or_else(|| by_schur_form(a, n, wanted, par, |mut schur| schur.complex()), Ok) {
        Ok(eigen) => {
            values.iter_mut().zip(&eigen.values).for_each(|(value, &found)| *value = found * unit);
            target.into_iter().for_each(|target| target.copy_from_slice(&eigen.vectors));
            0
        }
        Err(info) => info,
    }
}

/// What a matrix of this largest element is divided by, so that no square leaves the range of numbers, and the libraries'
/// own limits for what counts as zero stay far below: a power of two.
pub(crate) fn unit_of<F: Float>(largest: F) -> F {
    if largest == F::zero() {
        return F::one();
    }
    // The reciprocal is to be a normal number, too.
    let first = F::min_positive_value().log2();
    largest.log2().floor().max(first).min(-first).exp2()
}

/// `None` if the iteration does not converge, or ends at numbers that are no eigenvalues of a real matrix.
fn library_real<F: RealField + Float>(a: &[F], n: usize, wanted: bool, par: Par) -> Option<Eigen<F>> {
    let (mut re, mut im) = (vec![F::zero(); n], vec![F::zero(); n]);
    let mut right = vec![F::zero(); if wanted { n * n } else { 0 }];
    let size = evd::evd_scratch::<F>(n, ComputeEigenvectors::No, choice(wanted), par, default());
    with_stack(size, |stack| {
        let a = MatRef::from_column_major_slice(a, n, n);
        let (re, im) = (DiagMut::from_slice_mut(&mut re), DiagMut::from_slice_mut(&mut im));
        evd::evd_real(a, re, im, None, wanted.then(|| columns(&mut right, n, n)), par, stack, default())
    })
    .ok()?;
    let mut values: Vec<_> = re.iter().zip(&im).map(|(&re, &im)| Complex::new(re, im)).collect();
    let mut vectors = vec![Complex::new(F::zero(), F::zero()); right.len()];
    let mut i = 0;
    while i < n {
        let paired = values[i].im != F::zero();
        let is_sound = values[i].re.is_finite() && (!paired || i + 1 < n && values[i + 1].im == -values[i].im);
        if !is_sound {
            return None;
        }
        // The library may have the value with the negative imaginary part first.
        let sign = values[i].im.signum();
        for row in 0..if wanted { n } else { 0 } {
            let im = if paired { sign * right[(i + 1) * n + row] } else { F::zero() };
            vectors[i * n + row] = Complex::new(right[i * n + row], im);
        }
        if paired {
            values[i].im = values[i].im.abs();
            values[i + 1].im = -values[i].im;
        }
        i += 1 + usize::from(paired);
    }
    Some(Eigen { values, vectors })
}

/// `None` if the iteration does not converge.
fn library_complex<F: RealField + Float>(a: &[Complex<F>], n: usize, wanted: bool, par: Par) -> Option<Eigen<F>>
where
    Complex<F>: ComplexField<Real = F>,
{
    let nothing = Complex::new(F::zero(), F::zero());
    let (mut values, mut vectors) = (vec![nothing; n], vec![nothing; if wanted { n * n } else { 0 }]);
    let size = evd::evd_scratch::<Complex<F>>(n, ComputeEigenvectors::No, choice(wanted), par, default());
    with_stack(size, |stack| {
        let a = MatRef::from_column_major_slice(a, n, n);
        let right = wanted.then(|| columns(&mut vectors, n, n));
        evd::evd_cplx(a, DiagMut::from_slice_mut(&mut values), None, right, par, stack, default())
    })
    .ok()?;
    Some(Eigen { values, vectors })
}

fn choice(wanted: bool) -> ComputeEigenvectors {
    if wanted { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No }
}

/// Eigenvalues and vectors from a Schur form that `iterate` makes of the matrix in its place.
fn by_schur_form<F: Float, T: ComplexField + Copy + Into<Complex<F>>>(
    a: &mut [T],
    n: usize,
    wanted: bool,
    par: Par,
    iterate: impl Fn(Schur<'_, T>) -> i32,
) -> Result<Eigen<F>, i32> {
    let mut basis = a.to_vec();
    reduce(a, &mut basis, n, par);
    let info = iterate(Schur { n, form: a, basis: &mut basis });
    if info != 0 {
        return Err(info);
    }
    let wide = |elements: &[T]| elements.iter().map(|&element| element.into()).collect::<Vec<Complex<F>>>();
    let form = Form { n, elements: wide(a) };
    let values = form.values();
    let vectors = if wanted { form.vectors(&values, &wide(&basis)) } else { vec![] };
    Eigen { values, vectors }.normalized(T::IS_REAL).ok_or(1)
}

/// A Schur form in columns: triangular, or of a real matrix with blocks of two rows on the diagonal, whose diagonal
/// elements are equal.
struct Form<F> {
    n: usize,
    elements: Vec<Complex<F>>,
}

impl<F: Float> Form<F> {
    fn at(&self, row: usize, column: usize) -> Complex<F> {
        self.elements[column * self.n + row]
    }

    /// The first row of the block that ends with a row.
    fn start(&self, last: usize) -> usize {
        if last > 0 && size(self.at(last, last - 1)) != F::zero() { last - 1 } else { last }
    }

    fn values(&self) -> Vec<Complex<F>> {
        let mut values: Vec<_> = (0..self.n).map(|k| self.at(k, k)).collect();
        for last in 1..self.n {
            if self.start(last) < last {
                let im = self.at(last - 1, last).re.abs().sqrt() * self.at(last, last - 1).re.abs().sqrt();
                (values[last - 1].im, values[last].im) = (im, -im);
            }
        }
        values
    }

    /// The vectors of the matrix that has this form in this basis; of a block of two rows only the first.
    fn vectors(&self, values: &[Complex<F>], basis: &[Complex<F>]) -> Vec<Complex<F>> {
        let n = self.n;
        let nothing = Complex::new(F::zero(), F::zero());
        let mut vectors = vec![nothing; n * n];
        let mut end = n;
        while end > 0 {
            let (last, start) = (end - 1, self.start(end - 1));
            let mut x = vec![nothing; end];
            x[start].re = F::one();
            if start < last {
                // The vector of the block itself.
                let (above, below) = (self.at(start, last).re, self.at(last, start).re);
                if above.abs() >= below.abs() {
                    x[last].im = values[start].im / above;
                } else {
                    x[start].re = -(values[start].im / below);
                    x[last].im = F::one();
                }
            }
            for row in 0..start {
                x[row] = (start..end).fold(nothing, |sum, column| sum - self.at(row, column) * x[column]);
            }
            self.solve_above(&mut x, start, values[start]);
            let product = &mut vectors[start * n..][..n];
            for (column, &x) in x.iter().enumerate() {
                let column = &basis[column * n..][..n];
                product.iter_mut().zip(column).for_each(|(sum, &element)| *sum = *sum + element * x);
            }
            end = start;
        }
        vectors
    }

    /// Replaces what stands in the rows before `rows` of a vector, b, by the solution of (t - value) x = b, and scales
    /// the whole vector so that nothing overflows.
    fn solve_above(&self, x: &mut [Complex<F>], rows: usize, value: Complex<F>) {
        let least = (F::epsilon() * size(value)).max(F::min_positive_value() / F::epsilon());
        let not_nothing = |x: Complex<F>| if size(x) < least { Complex::new(least, F::zero()) } else { x };
        let mut end = rows;
        while end > 0 {
            let (last, start) = (end - 1, self.start(end - 1));
            let mut corner = self.at(last, last) - value;
            if start < last {
                // Two rows: the one with the larger first element is taken from the other.
                let mut upper = [self.at(start, start) - value, self.at(start, last), x[start]];
                let mut lower = [self.at(last, start), corner, x[last]];
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
                x[start] = x[start] - upper[1] * x[last];
                scale(x, bound(x[start], head));
                x[start] = quotient(x[start], head);
            } else {
                corner = not_nothing(corner);
                scale(x, bound(x[last], corner));
                x[last] = quotient(x[last], corner);
            }
            for row in 0..start {
                x[row] = (start..end).fold(x[row], |rest, column| rest - self.at(row, column) * x[column]);
            }
            end = start;
        }
    }
}

/// The factor that keeps a quotient from exceeding 1.
fn bound<F: Float>(above: Complex<F>, below: Complex<F>) -> F {
    let (most, least) = (size(above), size(below));
    if most > least { least / most } else { F::one() }
}

/// Of a number that is not much larger than the divisor, which may be next to the smallest number.
fn quotient<F: Float>(above: Complex<F>, below: Complex<F>) -> Complex<F> {
    let unit = size(below);
    (above / unit) / (below / unit)
}

fn scale<F: Float>(x: &mut [Complex<F>], factor: F) {
    if factor != F::one() {
        x.iter_mut().for_each(|x| *x = *x * factor);
    }
}

impl<F: Float> Eigen<F> {
    /// With vectors of length 1, of which the largest element of a complex one is real, as in LAPACK. `None` if a vector
    /// has no length, or none that a number can say.
    fn normalized(mut self, of_real: bool) -> Option<Eigen<F>> {
        let n = self.values.len();
        for (x, value) in self.vectors.chunks_exact_mut(n.max(1)).zip(&self.values) {
            if of_real && value.im < F::zero() {
                continue;
            }
            let squares = x.iter().fold(F::zero(), |sum, x| sum + x.norm_sqr());
            if !(squares > F::zero() && squares.is_finite()) {
                return None;
            }
            let length = squares.sqrt();
            if of_real && value.im == F::zero() {
                x.iter_mut().for_each(|x| *x = *x / length);
                continue;
            }
            let largest = (1..n).fold(0, |best, i| if x[i].norm_sqr() > x[best].norm_sqr() { i } else { best });
            let turn = x[largest].conj() / x[largest].norm();
            x.iter_mut().for_each(|x| *x = *x * turn / length);
            x[largest].im = F::zero();
        }
        Some(self)
    }
}
