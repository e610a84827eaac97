//! Mathematical functions over strips of numbers, faster than the C library's one by one; divisions of int64 and
//! conversions to integers, which compiled code has no vectors for.
//!
//! Every function is a few dozen branch-free operations on one number, written so that the compiler turns a loop over
//! it into vector code. The loops are compiled for each instruction set that is worth it and chosen at run time; all
//! of them need a fused multiply-add, and without one the C library is used. An element's result depends on nothing
//! but the element.
//!
//! Greatest errors seen, in units of the last place, over samples of all magnitudes (normal results, arguments for
//! which the C library is not called):
//!
//! | | float64 | float32 | | float64 | float32 |
//! | --- | --- | --- | --- | --- | --- |
//! | exp | 0.66 | 1.0 | sinh | 0.78 | 0.51 |
//! | exp2 | 0.66 | 0.90 | cosh | 0.75 | 0.51 |
//! | expm1 | 0.89 | 0.51 | tanh | 0.70 | 0.51 |
//! | log | 0.64 | 0.86 | asinh | 0.96 | 0.51 |
//! | log2 | 0.64 | 0.89 | acosh | 0.66 | 0.51 |
//! | log10 | 0.62 | 0.78 | atanh | 0.65 | 0.51 |
//! | log1p | 0.63 | 0.51 | cbrt | 0.66 | 0.55 |
//! | sin, cos | 0.70 | 0.51 | pow | 0.65 | 0.51 |
//! | tan | 0.91 | 0.51 | atan, atan2 | 0.73 | 0.51 |
//! | asin, acos | 0.64 | 0.51 | hypot | 0.51 | 0.51 |

mod casts;
mod double;
pub mod extrema;
mod integer;
mod polynomials;
mod single;

use std::sync::OnceLock;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Unary};

/// A function over a strip: `fn(input, output, count)`.
pub type Strip<T> = unsafe extern "C" fn(*const T, *mut T, usize);
/// A function over two strips: `fn(x, y, output, count)`.
pub type PairStrip<T> = unsafe extern "C" fn(*const T, *const T, *mut T, usize);

/// The strips of one instruction set.
struct Table {
    single: &'static [(Unary, Strip<f32>)],
    double: &'static [(Unary, Strip<f64>)],
    single_pairs: &'static [(Binary, PairStrip<f32>)],
    double_pairs: &'static [(Binary, PairStrip<f64>)],
    integer_pairs: &'static [(Binary, PairStrip<i64>)],
    /// Extrema that are numbers where one operand is.
    single_numbers: &'static [(Binary, PairStrip<f32>)],
    double_numbers: &'static [(Binary, PairStrip<f64>)],
    casts: &'static [(DType, DType, casts::Cast)],
}

/// Replaces the results of exceptional arguments.
///
/// # Safety
/// `inputs` are readable for as many elements as `to` has, at any address.
#[cold]
#[inline(never)]
unsafe fn amend<T: Copy, const INPUTS: usize>(
    inputs: [*const T; INPUTS],
    to: &mut [T],
    is_exception: impl Fn([T; INPUTS]) -> bool,
    exception: impl Fn([T; INPUTS]) -> T,
) {
    for (lane, to) in to.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        let arguments = inputs.map(|input| unsafe { input.add(lane).read_unaligned() });
        if is_exception(arguments) {
            *to = exception(arguments);
        }
    }
}

/// Applies `function` to one block, and `exception` where `is_exception`. The arguments are read where they are: a copy
/// would be written in small pieces and read in large ones, which processors are slow at.
///
/// # Safety
/// `inputs` are readable for `BLOCK` elements, at any address.
#[inline(always)]
unsafe fn apply_block<T: Copy + Default, const INPUTS: usize, const BLOCK: usize>(
    inputs: [*const T; INPUTS],
    function: impl Fn([T; INPUTS]) -> T,
    is_exception: impl Fn([T; INPUTS]) -> bool,
    exception: impl Fn([T; INPUTS]) -> T,
) -> [T; BLOCK] {
    let mut to = [T::default(); BLOCK];
    let mut exceptional = false;
    #[expect(clippy::needless_range_loop, reason = "the arguments have the same index")]
    for lane in 0..BLOCK {
        // SAFETY: the caller's promise.
        let arguments = inputs.map(|input| unsafe { input.add(lane).read_unaligned() });
        to[lane] = function(arguments);
        exceptional |= is_exception(arguments);
    }
    if exceptional {
        // Another array, so that the one above can stay in registers.
        let mut amended = to;
        // SAFETY: the caller's promise.
        unsafe { amend(inputs, &mut amended, is_exception, exception) };
        return amended;
    }
    to
}

/// Applies `function` to strips, and `exception` where `is_exception`. Blocks have a fixed length, which the compiler
/// turns into vectors.
///
/// # Safety
/// `inputs` are readable and `output` is writable for `count` elements, at any address.
#[inline(always)]
unsafe fn apply<T: Copy + Default, const INPUTS: usize, const BLOCK: usize>(
    inputs: [*const T; INPUTS],
    output: *mut T,
    count: usize,
    function: impl Fn([T; INPUTS]) -> T + Copy,
    is_exception: impl Fn([T; INPUTS]) -> bool + Copy,
    exception: impl Fn([T; INPUTS]) -> T + Copy,
) {
    let mut done = 0;
    while count - done >= BLOCK {
        // SAFETY: the caller's promise. An output may be an input, so results are written after all arguments are read.
        unsafe {
            let here = inputs.map(|input| input.add(done));
            let to = apply_block::<T, INPUTS, BLOCK>(here, function, is_exception, exception);
            output.add(done).cast::<[T; BLOCK]>().write_unaligned(to);
        };
        done += BLOCK;
    }
    if count - done == 1 {
        // What code without vectors asks for. A block would be written in small pieces and read in large ones, and its
        // other numbers computed for nothing.
        // SAFETY: as above.
        unsafe {
            let arguments = inputs.map(|input| input.add(done).read_unaligned());
            let value = if is_exception(arguments) { exception(arguments) } else { function(arguments) };
            output.add(done).write_unaligned(value);
        }
    } else if done < count {
        let mut from = [[T::default(); BLOCK]; INPUTS];
        let rest = (count - done) * size_of::<T>();
        // SAFETY: as above; the rest is shorter than a block.
        unsafe {
            for (from, input) in from.iter_mut().zip(inputs) {
                std::ptr::copy_nonoverlapping(input.add(done).cast::<u8>(), from.as_mut_ptr().cast(), rest);
            }
            let here = from.each_ref().map(|from| from.as_ptr());
            let to = apply_block::<T, INPUTS, BLOCK>(here, function, is_exception, exception);
            std::ptr::copy_nonoverlapping(to.as_ptr().cast::<u8>(), output.add(done).cast(), rest);
        }
    }
}

/// Marks functions without exceptions.
#[inline(always)]
fn never<T>(_: T) -> bool {
    false
}

/// Takes the place of what exceptions would call.
#[inline(always)]
fn same<T>(x: T) -> T {
    x
}

/// [`never`] of two arguments.
#[inline(always)]
fn never_two<T>(_: T, _: T) -> bool {
    false
}

/// [`same`] of two arguments.
#[inline(always)]
fn same_two<T>(x: T, _: T) -> T {
    x
}

macro_rules! strips {
    ($name:ident $(, $features:literal)?) => {
        mod $name {
            use std::ops::Div;

            use cuproxide_hal::DType;
            use cuproxide_hal::ir::{Binary, Unary};

            use super::{
                PairStrip, Strip, Table, apply, casts, double, extrema, integer, never, never_two, same, same_two, single,
            };
            use crate::libm as c;

            macro_rules! strip {
                ($type:ty, $block:literal, $function:path) => {
                    strip!($type, $block, $function, never, same)
                };
                ($type:ty, $block:literal, $function:path, $exception:path, $otherwise:path) => {{
                    $(#[target_feature(enable = $features)])?
                    unsafe extern "C" fn strip(input: *const $type, output: *mut $type, count: usize) {
                        #[inline(always)]
                        fn function([x]: [$type; 1]) -> $type {
                            $function(x)
                        }
                        #[inline(always)]
                        fn is_exception([x]: [$type; 1]) -> bool {
                            $exception(x)
                        }
                        // SAFETY: the caller's promise.
                        unsafe {
                            apply::<$type, 1, $block>([input], output, count, function, is_exception, |[x]| $otherwise(x));
                        }
                    }
                    strip as Strip<$type>
                }};
            }

            macro_rules! pair {
                ($type:ty, $block:literal, $function:path, $exception:path, $otherwise:path) => {{
                    $(#[target_feature(enable = $features)])?
                    unsafe extern "C" fn strip(x: *const $type, y: *const $type, output: *mut $type, count: usize) {
                        #[inline(always)]
                        fn function([x, y]: [$type; 2]) -> $type {
                            $function(x, y)
                        }
                        #[inline(always)]
                        fn is_exception([x, y]: [$type; 2]) -> bool {
                            $exception(x, y)
                        }
                        // SAFETY: the caller's promise.
                        unsafe {
                            apply::<$type, 2, $block>(
                                [x, y], output, count, function, is_exception, |[x, y]| $otherwise(x, y),
                            );
                        }
                    }
                    strip as PairStrip<$type>
                }};
            }

            macro_rules! cast {
                ($from:ty, $to:ty) => {{
                    $(#[target_feature(enable = $features)])?
                    unsafe extern "C" fn strip(input: *const u8, output: *mut u8, count: usize) {
                        // SAFETY: the caller's promise.
                        unsafe { casts::convert::<$from, $to>(input, output, count, |wide| wide as $to) };
                    }
                    strip as casts::Cast
                }};
            }

            macro_rules! division {
                ($remainder:literal) => {{
                    $(#[target_feature(enable = $features)])?
                    unsafe extern "C" fn strip(x: *const i64, y: *const i64, output: *mut i64, count: usize) {
                        // SAFETY: the caller's promise.
                        unsafe { integer::divide::<$remainder>(x, y, output, count) };
                    }
                    strip as PairStrip<i64>
                }};
            }

            pub static TABLE: Table = Table {
                single: &[
                    (Unary::Exp, strip!(f32, 16, single::exp)),
                    (Unary::Exp2, strip!(f32, 16, single::exp2)),
                    (Unary::Expm1, strip!(f32, 16, single::expm1)),
                    (Unary::Log, strip!(f32, 16, single::log)),
                    (Unary::Log2, strip!(f32, 16, single::log2)),
                    (Unary::Log10, strip!(f32, 16, single::log10)),
                    (Unary::Log1p, strip!(f32, 16, single::log1p)),
                    (Unary::Sin, strip!(f32, 16, single::sin, single::is_far, c::sinf)),
                    (Unary::Cos, strip!(f32, 16, single::cos, single::is_far, c::cosf)),
                    (Unary::Tan, strip!(f32, 16, single::tan, single::is_far, c::tanf)),
                    (Unary::Asin, strip!(f32, 16, single::asin)),
                    (Unary::Acos, strip!(f32, 16, single::acos)),
                    (Unary::Atan, strip!(f32, 16, single::atan)),
                    (Unary::Sinh, strip!(f32, 16, single::sinh)),
                    (Unary::Cosh, strip!(f32, 16, single::cosh)),
                    (Unary::Tanh, strip!(f32, 16, single::tanh)),
                    (Unary::Asinh, strip!(f32, 16, single::asinh)),
                    (Unary::Acosh, strip!(f32, 16, single::acosh)),
                    (Unary::Atanh, strip!(f32, 16, single::atanh)),
                    (Unary::Sqrt, strip!(f32, 64, f32::sqrt)),
                    (Unary::Cbrt, strip!(f32, 16, single::cbrt, single::is_extreme_cbrt, c::cbrtf)),
                ],
                double: &[
                    (Unary::Exp, strip!(f64, 16, double::exp)),
                    (Unary::Exp2, strip!(f64, 16, double::exp2)),
                    (Unary::Expm1, strip!(f64, 16, double::expm1)),
                    (Unary::Log, strip!(f64, 16, double::log)),
                    (Unary::Log2, strip!(f64, 16, double::log2)),
                    (Unary::Log10, strip!(f64, 16, double::log10)),
                    (Unary::Log1p, strip!(f64, 16, double::log1p)),
                    (Unary::Sin, strip!(f64, 16, double::sin, double::is_far, c::sin)),
                    (Unary::Cos, strip!(f64, 16, double::cos, double::is_far, c::cos)),
                    (Unary::Tan, strip!(f64, 16, double::tan, double::is_far, c::tan)),
                    (Unary::Asin, strip!(f64, 16, double::asin)),
                    (Unary::Acos, strip!(f64, 16, double::acos)),
                    (Unary::Atan, strip!(f64, 16, double::atan)),
                    (Unary::Sinh, strip!(f64, 16, double::sinh)),
                    (Unary::Cosh, strip!(f64, 16, double::cosh)),
                    (Unary::Tanh, strip!(f64, 16, double::tanh)),
                    (Unary::Asinh, strip!(f64, 16, double::asinh, double::is_beyond_asinh, c::asinh)),
                    (Unary::Acosh, strip!(f64, 16, double::acosh, double::is_beyond_acosh, c::acosh)),
                    (Unary::Atanh, strip!(f64, 16, double::atanh, double::is_beyond_atanh, c::atanh)),
                    (Unary::Sqrt, strip!(f64, 64, f64::sqrt)),
                    (Unary::Cbrt, strip!(f64, 16, double::cbrt, double::is_extreme_cbrt, c::cbrt)),
                ],
                single_pairs: &[
                    (Binary::Div, pair!(f32, 64, f32::div, never_two, same_two)),
                    (Binary::Min, pair!(f32, 64, extrema::smaller_single, never_two, same_two)),
                    (Binary::Max, pair!(f32, 64, extrema::larger_single, never_two, same_two)),
                    (Binary::Pow, pair!(f32, 16, single::pow, single::is_extreme_pow, c::powf)),
                    (Binary::Atan2, pair!(f32, 16, single::atan2, single::is_extreme_atan2, c::atan2f)),
                    (Binary::Hypot, pair!(f32, 16, single::hypot, single::is_extreme_hypot, c::hypotf)),
                ],
                double_pairs: &[
                    (Binary::Div, pair!(f64, 64, f64::div, never_two, same_two)),
                    (Binary::Min, pair!(f64, 64, extrema::smaller_double, never_two, same_two)),
                    (Binary::Max, pair!(f64, 64, extrema::larger_double, never_two, same_two)),
                    (Binary::Pow, pair!(f64, 16, double::pow, double::is_extreme_pow, c::pow)),
                    (Binary::Atan2, pair!(f64, 16, double::atan2, double::is_extreme_atan2, c::atan2)),
                    (Binary::Hypot, pair!(f64, 16, double::hypot, double::is_extreme_hypot, c::hypot)),
                ],
                integer_pairs: &[
                    (Binary::Div, division!(false)),
                    (Binary::Rem, division!(true)),
                ],
                single_numbers: &[
                    (Binary::Min, pair!(f32, 64, extrema::smaller_number_single, never_two, same_two)),
                    (Binary::Max, pair!(f32, 64, extrema::larger_number_single, never_two, same_two)),
                ],
                double_numbers: &[
                    (Binary::Min, pair!(f64, 64, extrema::smaller_number_double, never_two, same_two)),
                    (Binary::Max, pair!(f64, 64, extrema::larger_number_double, never_two, same_two)),
                ],
                casts: &[
                    (DType::F32, DType::I8, cast!(f32, i8)),
                    (DType::F32, DType::U8, cast!(f32, u8)),
                    (DType::F32, DType::I16, cast!(f32, i16)),
                    (DType::F32, DType::U16, cast!(f32, u16)),
                    (DType::F32, DType::I32, cast!(f32, i32)),
                    (DType::F32, DType::U32, cast!(f32, u32)),
                    (DType::F32, DType::I64, cast!(f32, i64)),
                    (DType::F64, DType::I8, cast!(f64, i8)),
                    (DType::F64, DType::U8, cast!(f64, u8)),
                    (DType::F64, DType::I16, cast!(f64, i16)),
                    (DType::F64, DType::U16, cast!(f64, u16)),
                    (DType::F64, DType::I32, cast!(f64, i32)),
                    (DType::F64, DType::U32, cast!(f64, u32)),
                    (DType::F64, DType::I64, cast!(f64, i64)),
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

fn find<O: PartialEq, S: Copy>(rows: &[(O, S)], op: O) -> Option<S> {
    rows.iter().find(|row| row.0 == op).map(|row| row.1)
}

/// The address of the strip for an operator, if there is one here. Among them are some that are one instruction too,
/// for the sake of wider registers than compiled code has.
pub fn strip(op: Unary, dtype: DType) -> Option<usize> {
    let table = table()?;
    match dtype {
        DType::F32 => find(table.single, op).map(|strip| strip as usize),
        DType::F64 => find(table.double, op).map(|strip| strip as usize),
        _ => None,
    }
}

/// The address of the strip for an operator on two numbers, if there is one here.
pub fn pair_strip(op: Binary, dtype: DType) -> Option<usize> {
    let table = table()?;
    match dtype {
        DType::F32 => find(table.single_pairs, op).map(|strip| strip as usize),
        DType::F64 => find(table.double_pairs, op).map(|strip| strip as usize),
        DType::I64 => find(table.integer_pairs, op).map(|strip| strip as usize),
        _ => None,
    }
}

/// The address of the strip for the smaller or larger of two numbers that is NaN only if both are, if there is one here.
pub fn number_strip(op: Binary, dtype: DType) -> Option<usize> {
    let table = table()?;
    match dtype {
        DType::F32 => find(table.single_numbers, op).map(|strip| strip as usize),
        DType::F64 => find(table.double_numbers, op).map(|strip| strip as usize),
        _ => None,
    }
}

/// The address of the strip that converts one type to another, if there is one here.
pub fn cast_strip(from: DType, to: DType) -> Option<usize> {
    table()?.casts.iter().find(|row| (row.0, row.1) == (from, to)).map(|row| row.2 as usize)
}

#[cfg(test)]
mod tests;
