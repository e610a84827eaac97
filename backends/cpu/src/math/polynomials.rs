//! Polynomials, and the series that they begin.

/// The first terms of a power series with coefficients `1/n!` for `n = first, first + step, ...`, where every further
/// sign is that of `sign`.
pub(super) const fn series<const N: usize>(first: usize, step: usize, sign: f64) -> [f64; N] {
    let (mut table, mut k, mut factor) = ([0.0; N], 0, 1.0);
    while k < N {
        let (mut factorial, mut n) = (1.0, 2);
        while n <= first + k * step {
            factorial *= n as f64;
            n += 1;
        }
        table[k] = factor / factorial;
        factor *= sign;
        k += 1;
    }
    table
}

/// `2 / (first + 2k)`: the series of 2 atanh from the power `first` on.
pub(super) const fn atanh_series<const N: usize>(first: usize) -> [f64; N] {
    let (mut table, mut k) = ([0.0; N], 0);
    while k < N {
        table[k] = 2.0 / (first + 2 * k) as f64;
        k += 1;
    }
    table
}

/// The sum of `terms[k] * x^k`, odd and even powers apart so that two chains run at once.
#[inline(always)]
pub(super) fn polynomial<const N: usize>(x: f64, terms: [f64; N]) -> f64 {
    let square = x * x;
    let (mut high, mut low) = (terms[N - 1], terms[N - 2]);
    let mut k = N - 2;
    while k >= 2 {
        high = high.mul_add(square, terms[k - 1]);
        low = low.mul_add(square, terms[k - 2]);
        k -= 2;
    }
    if N.is_multiple_of(2) { high.mul_add(x, low) } else { low.mul_add(x, high.mul_add(square, terms[0])) }
}
