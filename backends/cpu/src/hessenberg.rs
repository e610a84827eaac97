//! Hessenberg forms.

use faer::linalg::evd::hessenberg;
use faer::linalg::{householder, qr::no_pivoting};
use faer::prelude::{Reborrow, ReborrowMut, default};
use faer::traits::ComplexField;
use faer::traits::math_utils::zero;
use faer::{Conj, Mat, Par};

use crate::matrices::{columns, identity, with_stack};

/// Hessenberg form in place, and the unitary matrix that leads to it if it is wanted.
pub(crate) fn reduce<T: ComplexField + Copy>(a: &mut [T], basis: Option<&mut [T]>, n: usize, par: Par) -> i32 {
    let mut a = columns(a, n, n);
    let mut basis = basis.map(|basis| columns(basis, n, n));
    basis.iter_mut().for_each(|basis| identity(basis.rb_mut()));
    if n < 3 {
        return 0;
    }
    let block = no_pivoting::factor::recommended_block_size::<T>(n - 1, n - 1);
    let mut factors = Mat::<T>::zeros(block, n - 1);
    let size = hessenberg::hessenberg_in_place_scratch::<T>(n, block, par, default());
    with_stack(size, |stack| {
        hessenberg::hessenberg_in_place(a.rb_mut(), factors.as_mut(), par, stack, default());
    });
    if let Some(basis) = basis {
        let size =
            householder::apply_block_householder_sequence_on_the_right_in_place_scratch::<T>(n - 1, block, n - 1);
        with_stack(size, |stack| {
            householder::apply_block_householder_sequence_on_the_right_in_place_with_conj(
                a.rb().submatrix(1, 0, n - 1, n - 1),
                factors.as_ref(),
                Conj::No,
                basis.submatrix_mut(1, 1, n - 1, n - 1),
                par,
                stack,
            );
        });
    }
    for column in 0..n {
        (column + 2..n).for_each(|row| a[(row, column)] = zero());
    }
    0
}
