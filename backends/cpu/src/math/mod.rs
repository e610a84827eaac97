//! Mathematical functions over strips of numbers, faster than the C library's one by one.
//!
//! Every function is a few dozen branch-free operations on one number, written so that the compiler turns a loop over
//! it into vector code. The loops are compiled for each instruction set that is worth it and chosen at run time; all
//! of them need a fused multiply-add, and without one the C library is used. An element's result depends on nothing
//! but the element. Errors stay below two units in the last place.

mod double;
mod single;

use std::sync::OnceLock;

use cuproxide_hal::DType;
use cuproxide_hal::ir::Unary;

/// A function over a strip: `fn(input, output, count)`.
pub type Strip<T> = unsafe extern "C" fn(*const T, *mut T, usize);

/// The strips of one instruction set.
struct Table {
    single: [(Unary, Strip<f32>); 5],
    double: [(Unary, Strip<f64>); 5],
}

/// The first terms of a power series with coefficients `1/n!` for `n = first, first + step, ...`, where every further
/// sign is that of `sign`.
const fn series<const N: usize>(first: usize, step: usize, sign: f64) -> [f64; N] {
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

/// `2 / (2k + 3)`: the series of 2 atanh from its second term on.
const fn atanh_series<const N: usize>() -> [f64; N] {
    let (mut table, mut k) = ([0.0; N], 0);
    while k < N {
        table[k] = 2.0 / (2 * k + 3) as f64;
        k += 1;
    }
    table
}

const fn to_single<const N: usize>(terms: [f64; N]) -> [f32; N] {
    let (mut table, mut k) = ([0.0; N], 0);
    while k < N {
        table[k] = terms[k] as f32;
        k += 1;
    }
    table
}

/// The sum of `terms[k] * x^k`, odd and even powers apart so that two chains run at once.
#[inline(always)]
fn polynomial<T: MulAdd, const N: usize>(x: T, terms: [T; N]) -> T {
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

/// Floats, for [`polynomial`].
trait MulAdd: Copy + std::ops::Mul<Output = Self> {
    fn mul_add(self, factor: Self, term: Self) -> Self;
}

impl MulAdd for f32 {
    #[inline(always)]
    fn mul_add(self, factor: f32, term: f32) -> f32 {
        f32::mul_add(self, factor, term)
    }
}

impl MulAdd for f64 {
    #[inline(always)]
    fn mul_add(self, factor: f64, term: f64) -> f64 {
        f64::mul_add(self, factor, term)
    }
}

/// Applies `function` to a strip, and `exception` where `is_exception`. Blocks have a fixed length, which the compiler
/// turns into vectors without loops around them.
///
/// # Safety
/// `input` is readable and `output` writable for `count` elements.
#[inline(always)]
unsafe fn apply<T: Copy + Default, const BLOCK: usize>(
    input: *const T,
    output: *mut T,
    count: usize,
    function: impl Fn(T) -> T,
    is_exception: impl Fn(T) -> bool,
    exception: impl Fn(T) -> T,
) {
    let block = |from: &[T; BLOCK]| -> [T; BLOCK] {
        let mut to = [T::default(); BLOCK];
        let mut exceptional = false;
        for (to, &from) in to.iter_mut().zip(from) {
            *to = function(from);
            exceptional |= is_exception(from);
        }
        if exceptional {
            for (to, &from) in to.iter_mut().zip(from) {
                if is_exception(from) {
                    *to = exception(from);
                }
            }
        }
        to
    };
    let mut done = 0;
    while count - done >= BLOCK {
        // SAFETY: the caller's promise; blocks need no alignment.
        unsafe {
            output
                .add(done)
                .cast::<[T; BLOCK]>()
                .write_unaligned(block(&input.add(done).cast::<[T; BLOCK]>().read_unaligned()));
        };
        done += BLOCK;
    }
    if done < count {
        let mut rest = [T::default(); BLOCK];
        // SAFETY: the caller's promise; the rest is shorter than a block.
        unsafe {
            std::ptr::copy_nonoverlapping(input.add(done), rest.as_mut_ptr(), count - done);
            std::ptr::copy_nonoverlapping(block(&rest).as_ptr(), output.add(done), count - done);
        }
    }
}

macro_rules! strips {
    ($name:ident $(, $features:literal)?) => {
        mod $name {
            use cuproxide_hal::ir::Unary;

            use super::{Strip, Table, apply, double, single};

            macro_rules! strip {
                ($function:ident, $type:ty, $block:literal, $module:ident, $exception:expr, $otherwise:expr) => {{
                    $(#[target_feature(enable = $features)])?
                    unsafe extern "C" fn strip(input: *const $type, output: *mut $type, count: usize) {
                        // SAFETY: the caller's promise.
                        unsafe { apply::<$type, $block>(input, output, count, |x| $module::$function(x), $exception, $otherwise) }
                    }
                    strip as Strip<$type>
                }};
            }

            pub static TABLE: Table = Table {
                single: [
                    (Unary::Exp, strip!(exp, f32, 32, single, |_| false, |x| x)),
                    (Unary::Log, strip!(log, f32, 32, single, |_| false, |x| x)),
                    (Unary::Sin, strip!(sin, f32, 16, single, single::is_far, f32::sin)),
                    (Unary::Cos, strip!(cos, f32, 16, single, single::is_far, f32::cos)),
                    (Unary::Tanh, strip!(tanh, f32, 32, single, |_| false, |x| x)),
                ],
                double: [
                    (Unary::Exp, strip!(exp, f64, 16, double, |_| false, |x| x)),
                    (Unary::Log, strip!(log, f64, 16, double, |_| false, |x| x)),
                    (Unary::Sin, strip!(sin, f64, 16, double, double::is_far, f64::sin)),
                    (Unary::Cos, strip!(cos, f64, 16, double, double::is_far, f64::cos)),
                    (Unary::Tanh, strip!(tanh, f64, 16, double, |_| false, |x| x)),
                ],
            };
        }
    };
}

#[cfg(target_arch = "x86_64")]
strips!(avx512, "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma");
#[cfg(target_arch = "x86_64")]
strips!(avx2, "avx2,fma");
#[cfg(target_arch = "aarch64")]
strips!(neon);

/// The strips for this processor.
fn table() -> Option<&'static Table> {
    static TABLE: OnceLock<Option<&'static Table>> = OnceLock::new();
    *TABLE.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        {
            let fma = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw");
            match (fma, wide) {
                (true, true) => Some(&avx512::TABLE),
                (true, false) => Some(&avx2::TABLE),
                _ => None,
            }
        }
        #[cfg(target_arch = "aarch64")]
        {
            Some(&neon::TABLE)
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            None
        }
    })
}

/// The address of the strip for an operator, if there is one here.
pub fn strip(op: Unary, dtype: DType) -> Option<usize> {
    let table = table()?;
    match dtype {
        DType::F32 => table.single.iter().find(|row| row.0 == op).map(|row| row.1 as usize),
        DType::F64 => table.double.iter().find(|row| row.0 == op).map(|row| row.1 as usize),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error in units in the last place of `expected`, of which `low` is the rest.
    fn ulps(got: f64, expected: f64, ulp: f64) -> f64 {
        if got == expected || (got.is_nan() && expected.is_nan()) { 0.0 } else { (got - expected).abs() / ulp }
    }

    fn ulp64(x: f64) -> f64 {
        let x = x.abs().max(f64::MIN_POSITIVE);
        f64::from_bits(x.to_bits() + 1) - x
    }

    fn ulp32(x: f64) -> f64 {
        let x = (x.abs() as f32).max(f32::MIN_POSITIVE);
        f64::from(f32::from_bits(x.to_bits() + 1)) - f64::from(x)
    }

    /// Every magnitude and sign, and the special values.
    fn samples() -> Vec<f64> {
        let mut all = vec![0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, -1e-310, f64::MAX, f64::MIN];
        let mut word = 1u64;
        for _ in 0..300_000 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let unit = (word >> 11) as f64 / (1u64 << 53) as f64;
            all.push((unit - 0.5) * 2.0);
            all.push((unit - 0.5) * 60.0);
            all.push((unit - 0.5) * 1500.0);
            all.push(unit * 1e7);
            all.push(f64::from_bits(word));
        }
        all.extend((0..2000).map(|i| f64::from(i) * std::f64::consts::FRAC_PI_2));
        all
    }

    type Row = (Unary, fn(f64) -> f64, f64);
    /// The reference's own error is allowed for: the C library's tanh is off by up to two units.
    const ROWS: [Row; 5] = [
        (Unary::Exp, f64::exp, 2.0),
        (Unary::Log, f64::ln, 2.0),
        (Unary::Sin, f64::sin, 2.0),
        (Unary::Cos, f64::cos, 2.0),
        (Unary::Tanh, f64::tanh, 3.5),
    ];

    #[test]
    fn strips_are_within_two_ulps() {
        if table().is_none() {
            return;
        }
        let input = samples();
        let narrow: Vec<f32> = input.iter().map(|&x| x as f32).collect();
        for (op, reference, limit) in ROWS {
            let strip64 = table().and_then(|t| t.double.iter().find(|row| row.0 == op)).expect("the row exists").1;
            let mut output = vec![0.0; input.len()];
            // SAFETY: both vectors have this length.
            unsafe { strip64(input.as_ptr(), output.as_mut_ptr(), input.len()) };
            let mut worst = (0.0, 0.0);
            for (&x, &y) in input.iter().zip(&output) {
                let error = ulps(y, reference(x), ulp64(reference(x)));
                assert!(error <= limit, "{op:?}({x:e}) = {y:e}, not {:e}", reference(x));
                worst = if error > worst.0 { (error, x) } else { worst };
            }
            let strip32 = table().and_then(|t| t.single.iter().find(|row| row.0 == op)).expect("the row exists").1;
            let mut output = vec![0.0; narrow.len()];
            // SAFETY: both vectors have this length.
            unsafe { strip32(narrow.as_ptr(), output.as_mut_ptr(), narrow.len()) };
            let mut worst_single = (0.0, 0.0);
            for (&x, &y) in narrow.iter().zip(&output) {
                let exact = reference(x.into());
                let rounded = f64::from(exact as f32);
                let error = if f64::from(y) == rounded { 0.0 } else { ulps(y.into(), exact, ulp32(exact)) };
                assert!(error <= limit, "{op:?}({x:e}) = {y:e}, not {exact:e}");
                worst_single = if error > worst_single.0 { (error, x) } else { worst_single };
            }
            println!("{op:?}: {worst:?} {worst_single:?}");
        }
    }

    #[test]
    fn a_result_does_not_depend_on_its_neighbours() {
        let Some(table) = table() else { return };
        let input: Vec<f64> = samples().into_iter().take(1000).collect();
        for (op, strip) in table.double {
            let mut together = vec![0.0; input.len()];
            // SAFETY: both vectors have this length.
            unsafe { strip(input.as_ptr(), together.as_mut_ptr(), input.len()) };
            for (x, y) in input.iter().zip(&together) {
                let mut alone = 0.0;
                // SAFETY: one element each.
                unsafe { strip(x, &mut alone, 1) };
                assert_eq!(alone.to_bits(), y.to_bits(), "{op:?}({x:e})");
            }
        }
    }
}
