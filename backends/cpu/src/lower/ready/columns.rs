//! Sums and extrema over rows whose elements belong to neighbouring accumulators.

use std::marker::PhantomData;
use std::ops::Add;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Fold, Kernel, Op};

use super::extrema::{Number, starts_from_none};
use super::loops::{Loop, defined, entry, is_element};
use super::trial::Search;
use crate::lower::{Entry, Span};

/// Rows that are taken at once, so that accumulators move to registers and back less often.
const TOGETHER: usize = 4;

/// Extends accumulators by neighbouring elements.
trait Extend {
    /// The elements.
    type Element: Copy;
    /// The accumulators.
    type Accumulator: Copy;
    /// An accumulator that has taken one more element.
    fn extend(accumulator: Self::Accumulator, element: Self::Element) -> Self::Accumulator;
}

/// A loop over columns.
struct Columns<E>(PhantomData<E>);

impl<E: Extend> Loop for Columns<E> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(span: &Span) {
        let [columns, length, rows] = span.counts;
        // SAFETY: the span has an accumulator for each column.
        let accumulators =
            unsafe { std::slice::from_raw_parts_mut(span.accumulators.cast::<E::Accumulator>(), columns) };
        for row in 0..rows {
            let at = |position: usize| {
                let distance = span.strides[1][0] * position as isize + span.strides[2][0] * row as isize;
                let start = span.pointers[0].wrapping_add_signed(distance as i64);
                // SAFETY: elements of neighbouring columns are neighbours.
                unsafe { std::slice::from_raw_parts(start as *const E::Element, columns) }
            };
            let whole = length / TOGETHER * TOGETHER;
            for position in (0..whole).step_by(TOGETHER) {
                extend::<E, TOGETHER>(accumulators, std::array::from_fn(|next| at(position + next)));
            }
            for position in whole..length {
                extend::<E, 1>(accumulators, [at(position)]);
            }
        }
    }
}

/// Extends all accumulators by rows of elements, one row after the other.
#[inline(always)]
fn extend<E: Extend, const ROWS: usize>(accumulators: &mut [E::Accumulator], rows: [&[E::Element]; ROWS]) {
    let rows = rows.map(|row| &row[..accumulators.len()]);
    for (column, accumulator) in accumulators.iter_mut().enumerate() {
        *accumulator = rows.iter().fold(*accumulator, |before, row| E::extend(before, row[column]));
    }
}

/// A sum of elements that are cast first.
struct Sum<T, A>(PhantomData<(T, A)>);

macro_rules! sums {
    ($($element:ty => $sum:ty, $add:expr;)*) => {
        $(impl Extend for Sum<$element, $sum> {
            type Element = $element;
            type Accumulator = $sum;
            #[inline(always)]
            fn extend(sum: $sum, element: $element) -> $sum {
                $add(sum, element as $sum)
            }
        })*
    };
}

sums! {
    f32 => f64, f64::add; f64 => f64, f64::add;
    i8 => i64, i64::wrapping_add; i16 => i64, i64::wrapping_add; i32 => i64, i64::wrapping_add;
    i64 => i64, i64::wrapping_add; u8 => u64, u64::wrapping_add; u16 => u64, u64::wrapping_add;
    u32 => u64, u64::wrapping_add; u64 => u64, u64::wrapping_add;
}

/// The extremum of numbers.
struct Extremum<T, const MAX: bool, const SKIP: bool>(PhantomData<T>);

impl<T: Number, const MAX: bool, const SKIP: bool> Extend for Extremum<T, MAX, SKIP> {
    type Element = T;
    type Accumulator = T;
    #[inline(always)]
    fn extend(found: T, later: T) -> T {
        T::better_of::<MAX, SKIP>(found, later)
    }
}

fn extremum<T: Number, const MAX: bool>(search: Search) -> Entry {
    if const { T::HAS_NAN } && search.skips_nan {
        entry::<Columns<Extremum<T, MAX, true>>>()
    } else {
        entry::<Columns<Extremum<T, MAX, false>>>()
    }
}

/// The loop for a fold that adds up elements, or keeps the largest or smallest one.
pub fn find(kernel: &Kernel, fold: &Fold) -> Option<Entry> {
    let ([element], [result]) = (&fold.map.results[..], &fold.combine.results[..]) else { return None };
    let map = &fold.map.body;
    let read = match defined(map, *element)? {
        Op::Cast(value) => value,
        _ => *element,
    };
    if !is_element(kernel, map, read) {
        return None;
    }
    let adds = match defined(&fold.combine.body, *result) {
        Some(Op::Binary(Binary::Add, x, y)) => [x, y] == fold.combine.params[..],
        _ => false,
    };
    if adds {
        return sum(kernel.dtype(read), kernel.dtype(*element));
    }
    let search = Search::of(kernel, fold).filter(|_| read == *element)?;
    macro_rules! matching {
        ($($variant:ident $type:ty;)*) => {
            match kernel.dtype(read) {
                $(DType::$variant if starts_from_none::<$type>(fold, search) => {
                    Some(if search.max { extremum::<$type, true>(search) } else { extremum::<$type, false>(search) })
                })*
                _ => None,
            }
        };
    }
    matching! {
        I8 i8; U8 u8; I16 i16; U16 u16; I32 i32; U32 u32; I64 i64; U64 u64; F32 f32; F64 f64;
    }
}

fn sum(element: DType, accumulator: DType) -> Option<Entry> {
    macro_rules! matching {
        ($($element:ident $from:ty => $accumulator:ident $to:ty;)*) => {
            match (element, accumulator) {
                $((DType::$element, DType::$accumulator) => Some(entry::<Columns<Sum<$from, $to>>>()),)*
                _ => None,
            }
        };
    }
    matching! {
        F32 f32 => F64 f64; F64 f64 => F64 f64;
        I8 i8 => I64 i64; I16 i16 => I64 i64; I32 i32 => I64 i64; I64 i64 => I64 i64;
        U8 u8 => U64 u64; U16 u16 => U64 u64; U32 u32 => U64 u64; U64 u64 => U64 u64;
    }
}
