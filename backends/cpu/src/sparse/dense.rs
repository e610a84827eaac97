//! Products with a dense matrix: a row of the result is made in registers, as many columns at a time as they hold.

use cuproxide_hal::libraries::Spmm;
use cuproxide_hal::{Result, Scalar};

use super::matrix::{Index, Number, Rows, Target, elements, parts};
use crate::pool;

/// What rows of a product are made of.
struct Work<'a, I: Index, T> {
    a: Rows<'a, I, T>,
    b: &'a [T],
    n: usize,
    c: Target<T>,
    /// Factors of the product and of what `c` holds, unless they are 1 and 0.
    factors: Option<(T, T)>,
}

impl<I: Index, T: Number> Work<'_, I, T> {
    /// Makes `W` neighbouring columns of a row, and adds products up in the order of the row's elements.
    #[inline(always)]
    unsafe fn columns<const W: usize>(&self, row: usize, column: usize) {
        let mut sums = [T::default(); W];
        for place in self.a.row(row) {
            // SAFETY: the places of a row and the columns lie in the matrices, and these columns in rows of `n`.
            let (value, factors) = unsafe {
                let source = self.a.column(self.a.indices.get_unchecked(place)) * self.n + column;
                (*self.a.values.get_unchecked(place), &*self.b.as_ptr().add(source).cast::<[T; W]>())
            };
            for (sum, &factor) in sums.iter_mut().zip(factors) {
                *sum = *sum + value * factor;
            }
        }
        let begin = row * self.n + column;
        // SAFETY: the row is this task's.
        let target = unsafe { self.c.part(begin..begin + W) };
        match self.factors {
            None => target.copy_from_slice(&sums),
            Some((alpha, beta)) => {
                for (target, sum) in target.iter_mut().zip(sums) {
                    let product = alpha * sum;
                    *target = if beta == T::default() { product } else { product + beta * *target };
                }
            }
        }
    }

    /// Makes rows, at most `MOST` bytes of one at a time.
    #[inline(always)]
    unsafe fn rows<const MOST: usize>(&self, first: usize, last: usize) {
        let most = MOST / size_of::<T>();
        for row in first..last {
            let mut column = 0;
            while column < self.n {
                let left = most.min(self.n - column);
                // SAFETY: as above.
                column += unsafe {
                    match left {
                        64.. => {
                            self.columns::<64>(row, column);
                            64
                        }
                        32.. => {
                            self.columns::<32>(row, column);
                            32
                        }
                        16.. => {
                            self.columns::<16>(row, column);
                            16
                        }
                        8.. => {
                            self.columns::<8>(row, column);
                            8
                        }
                        4.. => {
                            self.columns::<4>(row, column);
                            4
                        }
                        2.. => {
                            self.columns::<2>(row, column);
                            2
                        }
                        _ => {
                            self.columns::<1>(row, column);
                            1
                        }
                    }
                };
            }
        }
    }
}

macro_rules! instructions {
    ($name:ident, $most:literal $(, $features:literal)?) => {
        mod $name {
            use super::super::matrix::{Index, Number};

            /// Rows of a product, for one instruction set.
            $(#[target_feature(enable = $features)])?
            pub unsafe fn rows<I: Index, T: Number>(work: &super::Work<'_, I, T>, first: usize, last: usize) {
                // SAFETY: the caller's promise.
                unsafe { work.rows::<$most>(first, last) }
            }
        }
    };
}

instructions!(plain, 128);
#[cfg(target_arch = "x86_64")]
instructions!(avx2, 256, "avx2");
#[cfg(target_arch = "x86_64")]
instructions!(avx512, 256, "avx512f,avx512vl,avx512bw,avx512dq");

type Run<I, T> = unsafe fn(&Work<'_, I, T>, usize, usize);

/// The function for the best instructions that the processor has.
fn best<I: Index, T: Number>() -> Run<I, T> {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq");
        if wide {
            return avx512::rows;
        }
        if is_x86_feature_detected!("avx2") {
            return avx2::rows;
        }
    }
    plain::rows
}

/// # Safety
/// As for `Sparse::spmm`.
pub unsafe fn spmm<I: Index, T: Number>(product: &Spmm) -> Result<()> {
    let Spmm { a, n, b, c, alpha, beta } = *product;
    let is = |scalar: Scalar, number| scalar.to_complex() == (number, 0.0);
    let factors = if is(alpha, 1.0) && is(beta, 0.0) { None } else { Some((T::of(alpha), T::of(beta))) };
    // SAFETY: the caller's promise.
    let work =
        unsafe { Work::<I, T> { a: Rows::new(&a), b: elements(b, a.columns * n), n, c: Target::new(c), factors } };
    let (run, parts) = (best(), parts((a.stored + a.rows).saturating_mul(n)));
    let bounds = work.a.bounds(parts);
    pool::run(parts, |part| {
        // SAFETY: the processor has the instructions; each part has rows of its own.
        unsafe { run(&work, bounds[part], bounds[part + 1]) };
    });
    Ok(())
}
