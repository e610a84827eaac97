//! Matrices as `faer` sees them, and their units: powers of two in which no square leaves the range of numbers.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::traits::ComplexField;
use faer::traits::math_utils::{abs1, is_finite, mul_real, one, recip, zero};
use faer::{ColMut, MatMut};
use rustfft::num_traits::Float;

/// What a matrix of this largest element is divided by, so that no square leaves the range of numbers, and the libraries'
/// own limits for what counts as zero stay far below: a power of two.
pub(crate) fn unit_of<F: Float>(largest: F) -> F {
    if largest == F::zero() {
        return F::one();
    }
    // The reciprocal is to be a normal number, too.
    let first = binary_logarithm(F::min_positive_value());
    let two = F::one() + F::one();
    two.powi(binary_logarithm(largest).clamp(first, -first))
}

/// The whole part of the logarithm of a positive number to base 2.
fn binary_logarithm<F: Float>(x: F) -> i32 {
    let (mantissa, exponent, _) = x.integer_decode();
    i32::from(exponent) + mantissa.ilog2() as i32
}

pub(crate) fn columns<T>(elements: &mut [T], rows: usize, columns: usize) -> MatMut<'_, T> {
    MatMut::from_column_major_slice_mut(elements, rows, columns)
}

pub(crate) fn all_finite<T: ComplexField>(elements: &[T]) -> bool {
    elements.iter().all(is_finite)
}

pub(crate) fn with_stack<R>(size: StackReq, work: impl FnOnce(&mut MemStack) -> R) -> R {
    work(MemStack::new(&mut MemBuffer::new(size)))
}

/// Whether a number or its reciprocal may be no normal number.
pub(crate) fn is_extreme<T: ComplexField<Real: Float>>(x: &T) -> bool {
    let (size, least) = (abs1(x), T::Real::min_positive_value());
    size < least || size > least.recip()
}

/// Divides elements by a number, whose reciprocal may be no normal number.
pub(crate) fn divide<T: ComplexField<Real: Float> + Copy>(elements: &mut [T], divisor: T) {
    let unit = if is_extreme(&divisor) { unit_of(abs1(&divisor)) } else { one() };
    let inverse = recip(&mul_real(&divisor, &unit.recip()));
    // In this order no product overflows or loses digits that the quotient has.
    let is_large = unit > one();
    if is_large {
        multiply(elements, unit.recip());
    }
    elements.iter_mut().for_each(|x| *x *= inverse);
    if !is_large {
        multiply(elements, unit.recip());
    }
}

/// A column of a column-major matrix.
pub(crate) fn elements<T>(column: ColMut<'_, T>) -> &mut [T] {
    column.try_as_col_major_mut().expect("columns are contiguous").as_slice_mut()
}

/// What `work` says of the matrix in a unit in which no square leaves the range of numbers.
pub(crate) fn scaled<T: ComplexField<Real: Float>>(a: &mut [T], work: impl FnOnce(&mut [T]) -> i32) -> i32 {
    let unit = into_unit(a);
    let info = work(a);
    multiply(a, unit);
    info
}

/// Divides the elements by the unit that is returned, in which no square leaves the range of numbers.
pub(crate) fn into_unit<T: ComplexField<Real: Float>>(a: &mut [T]) -> T::Real {
    let unit = unit_of(a.iter().fold(zero::<T::Real>(), |most, x| most.max(abs1(x))));
    multiply(a, unit.recip());
    unit
}

pub(crate) fn multiply<T: ComplexField<Real: Float>>(elements: &mut [T], factor: T::Real) {
    if factor != one() {
        elements.iter_mut().for_each(|x| *x = mul_real(x, &factor));
    }
}

/// Ones on the diagonal, zeros elsewhere.
pub(crate) fn identity<T: ComplexField>(mut a: MatMut<'_, T>) {
    a.fill(zero());
    a.diagonal_mut().fill(one());
}
