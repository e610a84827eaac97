//! LU factorisations, and systems with their factors and with triangular matrices.

use cuproxide_hal::libraries::Triangle;
use faer::linalg::{matmul::matmul, triangular_solve};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::traits::ComplexField;
use faer::traits::math_utils::{abs1, one, zero};
use faer::{Accum, MatMut, MatRef, Par};
use rustfft::num_traits::Float;
use smallvec::SmallVec;

use crate::matrices::{divide, elements, is_extreme};
use crate::pool;

/// Unknowns of a system that are eliminated by plain loops: the library's calls cost more than the arithmetic.
pub(crate) const TINY: usize = 4;

/// Columns that LU eliminates one by one.
const LU_LEAF: usize = 4;

/// Multiply-adds of a step of LU, and elements whose rows it swaps, from which threads share them.
const LU_SHARED: usize = 1 << 22;

const SWAPS_SHARED: usize = 1 << 14;

/// LU by recursion on the columns. Unlike the library's, it goes on after a pivot that is zero, as LAPACK does.
pub(crate) fn lu<T: ComplexField<Real: Float> + Copy>(mut a: MatMut<'_, T>, pivots: &mut [i64], par: Par) -> i32 {
    let steps = pivots.len();
    if steps <= LU_LEAF {
        return lu_leaf(a, pivots);
    }
    let half = (steps / 2).next_multiple_of(LU_LEAF).min(steps - 1);
    let first = lu(a.rb_mut().subcols_mut(0, half), &mut pivots[..half], par);
    let (mut left, mut right) = a.split_at_col_mut(half);
    swap_rows(right.rb_mut(), &pivots[..half], par);
    let (mut upper, mut rest) = right.split_at_row_mut(half);
    let (corner, below) = left.rb().split_at_row(half);
    let shared = if rest.nrows() * rest.ncols() * half < LU_SHARED { Par::Seq } else { par };
    triangular_solve::solve_unit_lower_triangular_in_place(corner, upper.rb_mut(), shared);
    matmul(rest.rb_mut(), Accum::Add, below, upper.rb(), -one::<T>(), shared);
    let second = lu(rest, &mut pivots[half..], par);
    swap_rows(left.rb_mut().split_at_row_mut(half).1, &pivots[half..], par);
    pivots[half..].iter_mut().for_each(|pivot| *pivot += half as i64);
    match (first, second) {
        (0, 0) => 0,
        (0, later) => later + half as i32,
        (earlier, _) => earlier,
    }
}

fn lu_leaf<T: ComplexField<Real: Float> + Copy>(a: MatMut<'_, T>, pivots: &mut [i64]) -> i32 {
    let mut columns: SmallVec<[&mut [T]; 2 * LU_LEAF]> = a.col_iter_mut().map(elements).collect();
    let mut info = 0;
    for (step, chosen) in pivots.iter_mut().enumerate() {
        let (mut best, mut most) = (step, abs1(&columns[step][step]));
        for (row, x) in columns[step].iter().enumerate().skip(step + 1) {
            let size = abs1(x);
            if size > most {
                (best, most) = (row, size);
            }
        }
        *chosen = best as i64 + 1;
        columns.iter_mut().for_each(|column| column.swap(step, best));
        let (done, rest) = columns.split_at_mut(step + 1);
        let (head, below) = done[step].split_at_mut(step + 1);
        let pivot = head[step];
        if pivot == zero::<T>() {
            info = if info == 0 { step as i32 + 1 } else { info };
            continue;
        }
        divide(below, pivot);
        for column in rest {
            let (head, tail) = column.split_at_mut(step + 1);
            let factor = head[step];
            tail.iter_mut().zip(&*below).for_each(|(x, &y)| *x -= y * factor);
        }
    }
    info
}

/// Gaussian elimination of at most `TINY` rows with partial pivoting: `b` becomes the solutions, `a` is lost. With `pivots`
/// it becomes the factors of LU. Returns the info of LU.
pub(crate) fn eliminate<T: ComplexField<Real: Float> + Copy>(
    a: &mut [T],
    b: &mut [T],
    m: usize,
    pivots: Option<&mut [i64]>,
) -> i32 {
    // Loops of known length have no loops.
    match m {
        1 => eliminate_rows(a, b, 1, pivots),
        2 => eliminate_rows(a, b, 2, pivots),
        3 => eliminate_rows(a, b, 3, pivots),
        _ => eliminate_rows(a, b, m, pivots),
    }
}

#[inline(always)]
fn eliminate_rows<T: ComplexField<Real: Float> + Copy>(
    a: &mut [T],
    b: &mut [T],
    m: usize,
    mut pivots: Option<&mut [i64]>,
) -> i32 {
    let a = &mut a[..m * m];
    let mut info = 0;
    for step in 0..m {
        let column = &a[step * m..][..m];
        let (mut best, mut most) = (step, abs1(&column[step]));
        for (row, x) in column.iter().enumerate().skip(step + 1) {
            let size = abs1(x);
            if size > most {
                (best, most) = (row, size);
            }
        }
        // Of the lower factor only who keeps it sees the exchanges.
        let first = if pivots.is_some() { 0 } else { step };
        if let Some(pivots) = &mut pivots {
            pivots[step] = best as i64 + 1;
        }
        if best != step {
            a[first * m..].chunks_exact_mut(m).chain(b.chunks_exact_mut(m)).for_each(|column| column.swap(step, best));
        }
        let (done, rest) = a.split_at_mut((step + 1) * m);
        let (head, below) = done[step * m..].split_at_mut(step + 1);
        if head[step] == zero::<T>() {
            info = if info == 0 { step as i32 + 1 } else { info };
            continue;
        }
        divide(below, head[step]);
        for column in rest.chunks_exact_mut(m).chain(b.chunks_exact_mut(m)) {
            let factor = column[step];
            column[step + 1..].iter_mut().zip(&*below).for_each(|(x, &y)| *x -= y * factor);
        }
    }
    for column in b.chunks_exact_mut(m) {
        for step in (0..m).rev() {
            divide(&mut column[step..=step], a[step * m + step]);
            let x = column[step];
            column[..step].iter_mut().zip(&a[step * m..]).for_each(|(above, &y)| *above -= y * x);
        }
    }
    info
}

fn swap_rows<T: ComplexField + Copy>(a: MatMut<'_, T>, pivots: &[i64], par: Par) {
    if par != Par::Seq && a.ncols() > 1 && a.nrows() * a.ncols() > SWAPS_SHARED {
        let half = a.ncols() / 2;
        let (left, right) = a.split_at_col_mut(half);
        pool::join(|| swap_rows(left, pivots, par), || swap_rows(right, pivots, par));
        return;
    }
    for column in a.col_iter_mut() {
        let column = elements(column);
        pivots.iter().enumerate().for_each(|(row, &pivot)| column.swap(row, pivot as usize - 1));
    }
}

pub(crate) fn lu_solve<T: ComplexField<Real: Float> + Copy>(
    factors: MatRef<'_, T>,
    pivots: &[i64],
    mut b: MatMut<'_, T>,
    par: Par,
) -> i32 {
    swap_rows(b.rb_mut(), pivots, par);
    solve_triangular(factors, b.rb_mut(), Triangle::Lower, true, par);
    solve_triangular(factors, b, Triangle::Upper, false, par)
}

pub(crate) fn solve_triangular<T: ComplexField<Real: Float> + Copy>(
    a: MatRef<'_, T>,
    b: MatMut<'_, T>,
    triangle: Triangle,
    unit: bool,
    par: Par,
) -> i32 {
    if !unit && leaves_range(a, triangle) {
        return substitute(a, b, triangle);
    }
    match (triangle, unit) {
        (Triangle::Lower, false) => triangular_solve::solve_lower_triangular_in_place(a, b, par),
        (Triangle::Lower, true) => triangular_solve::solve_unit_lower_triangular_in_place(a, b, par),
        (Triangle::Upper, false) => triangular_solve::solve_upper_triangular_in_place(a, b, par),
        (Triangle::Upper, true) => triangular_solve::solve_unit_upper_triangular_in_place(a, b, par),
    }
    0
}

/// Whether a reciprocal of a pivot, or its product with an element beside it, leaves the range of numbers: the library makes
/// these products in blocks of up to four rows.
fn leaves_range<T: ComplexField<Real: Float> + Copy>(a: MatRef<'_, T>, triangle: Triangle) -> bool {
    let (m, least) = (a.nrows(), T::Real::min_positive_value());
    (0..m).any(|row| {
        let beside = match triangle {
            Triangle::Lower => row.saturating_sub(TINY - 1)..row,
            Triangle::Upper => row + 1..m.min(row + TINY),
        };
        let pivot = a[(row, row)];
        is_extreme(&pivot)
            || beside.into_iter().any(|column| {
                let ratio = abs1(&a[(row, column)]) / abs1(&pivot);
                a[(row, column)] != zero::<T>() && (ratio < least || ratio.is_infinite())
            })
    })
}

/// The library's substitution multiplies by reciprocals, this one divides.
fn substitute<T: ComplexField<Real: Float> + Copy>(a: MatRef<'_, T>, b: MatMut<'_, T>, triangle: Triangle) -> i32 {
    let m = a.nrows();
    for column in b.col_iter_mut() {
        let column = elements(column);
        for step in 0..m {
            let (k, rest) = match triangle {
                Triangle::Lower => (step, step + 1..m),
                Triangle::Upper => (m - 1 - step, 0..m - 1 - step),
            };
            divide(&mut column[k..=k], a[(k, k)]);
            let x = column[k];
            rest.for_each(|row| column[row] -= a[(row, k)] * x);
        }
    }
    0
}
