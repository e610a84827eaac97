//! Largest and smallest elements, and where they are.

use std::marker::PhantomData;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Fold, Kernel, Op};

use super::loops::{Loop, apart, defined, entry, is_element, neutral, row, rows};
use super::trial::Search;
use crate::lower::{Entry, Span};

/// Extrema that the loops of floats keep, in several registers, whose comparisons need not wait for each other. With
/// more of them the compiler leaves them in memory.
const LANES: usize = 32;

/// An element type.
pub(super) trait Number: Copy + PartialOrd {
    /// Whether the type has NaN; without it, skipping NaN needs no loop of its own.
    const HAS_NAN: bool;
    /// The extremum of no elements: of a search for the smallest (`MAX` false) or the largest one.
    fn none<const MAX: bool>() -> Self;
    /// NaN, or `none` of a type without it.
    fn nan<const MAX: bool>() -> Self;
    /// The number at the beginning of these bytes.
    fn of_bytes(bytes: [u8; 16]) -> Self;
    /// Whether it is NaN.
    fn is_nan(self) -> bool;
    /// The better of two, where -0 is smaller than 0; NaN loses with `SKIP`, else it wins.
    fn better_of<const MAX: bool, const SKIP: bool>(found: Self, later: Self) -> Self;
    /// The extremum of `first` and the elements of all rows; NaN loses with `SKIP`, else it wins.
    fn extremum<'a, const MAX: bool, const SKIP: bool>(
        first: Self,
        rows: impl Iterator<Item = &'a [Self]> + Clone,
    ) -> Self
    where
        Self: 'a;
}

/// Whether `x` comes before `y` in the search.
#[inline(always)]
fn better<T: PartialOrd, const MAX: bool>(x: T, y: T) -> bool {
    if MAX { x > y } else { x < y }
}

/// The better of a number that was found and a later element that is a number, either if they are equal.
#[inline(always)]
fn choose<T: Number, const MAX: bool>(found: T, later: T) -> T {
    if better::<T, MAX>(later, found) { later } else { found }
}

macro_rules! integers {
    ($($type:ty)*) => {
        $(impl Number for $type {
            const HAS_NAN: bool = false;
            #[inline(always)]
            fn none<const MAX: bool>() -> $type {
                if MAX { <$type>::MIN } else { <$type>::MAX }
            }
            #[inline(always)]
            fn nan<const MAX: bool>() -> $type {
                Self::none::<MAX>()
            }
            fn of_bytes(bytes: [u8; 16]) -> $type {
                <$type>::from_le_bytes(*bytes.first_chunk().expect("there is room for every type"))
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
            #[inline(always)]
            fn better_of<const MAX: bool, const SKIP: bool>(found: $type, later: $type) -> $type {
                if MAX { found.max(later) } else { found.min(later) }
            }
            #[inline(always)]
            fn extremum<'a, const MAX: bool, const SKIP: bool>(
                first: $type,
                rows: impl Iterator<Item = &'a [$type]> + Clone,
            ) -> $type {
                rows.fold(first, |found, row| row.iter().fold(found, |x, &y| if MAX { x.max(y) } else { x.min(y) }))
            }
        })*
    };
}

macro_rules! floats {
    ($($type:ty)*) => {
        $(impl Number for $type {
            const HAS_NAN: bool = true;
            #[inline(always)]
            fn none<const MAX: bool>() -> $type {
                if MAX { <$type>::NEG_INFINITY } else { <$type>::INFINITY }
            }
            #[inline(always)]
            fn nan<const MAX: bool>() -> $type {
                <$type>::NAN
            }
            fn of_bytes(bytes: [u8; 16]) -> $type {
                <$type>::from_le_bytes(*bytes.first_chunk().expect("there is room for every type"))
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            #[inline(always)]
            fn better_of<const MAX: bool, const SKIP: bool>(found: $type, later: $type) -> $type {
                let (x, y) = (found.to_bits(), later.to_bits());
                let tied = <$type>::from_bits(if MAX { x & y } else { x | y });
                let chosen = if better::<$type, MAX>(found, later) { found } else { later };
                let chosen = if found == later { tied } else { chosen };
                let chosen = if SKIP && later.is_nan() { found } else { chosen };
                if !found.is_nan() {
                    chosen
                } else if SKIP {
                    later
                } else {
                    found
                }
            }
            /// Lanes take turns. What they cannot tell apart takes a second pass, where it is the extremum: zeros of both
            /// signs, and with `SKIP` the worst number and no number. So does which NaN there is.
            #[inline(always)]
            fn extremum<'a, const MAX: bool, const SKIP: bool>(
                first: $type,
                rows: impl Iterator<Item = &'a [$type]> + Clone,
            ) -> $type {
                if !SKIP && first.is_nan() {
                    return first;
                }
                let none = Self::none::<MAX>();
                let mut found = if first.is_nan() { none } else { first };
                // Whether one of two elements is NaN takes one comparison of both.
                let (mut lanes, mut nans) = ([none; LANES], [false; LANES / 2]);
                let (mut used, mut nan) = (false, false);
                for row in rows.clone() {
                    let (groups, rest) = row.as_chunks::<LANES>();
                    for group in groups {
                        let (low, high) = lanes.split_at_mut(LANES / 2);
                        let pairs = group[..LANES / 2].iter().zip(&group[LANES / 2..]);
                        for (((x, y), nan), (&a, &b)) in low.iter_mut().zip(high).zip(&mut nans).zip(pairs) {
                            *x = choose::<$type, MAX>(*x, a);
                            *y = choose::<$type, MAX>(*y, b);
                            *nan |= !SKIP && (a.is_nan() | b.is_nan());
                        }
                    }
                    for &element in rest {
                        found = choose::<$type, MAX>(found, element);
                        nan |= !SKIP && element.is_nan();
                    }
                    used |= !groups.is_empty();
                }
                if used {
                    let (mut joined, nans) = apart((lanes, nans));
                    let mut width = LANES;
                    while width > 1 {
                        width /= 2;
                        for lane in 0..width {
                            joined[lane] = choose::<$type, MAX>(joined[lane], joined[lane + width]);
                        }
                    }
                    found = choose::<$type, MAX>(found, joined[0]);
                    nan |= nans.into_iter().fold(false, |any, nan| any | nan);
                }
                if nan {
                    let nan = rows.clone().flatten().find(|element| element.is_nan());
                    return nan.copied().unwrap_or(first);
                }
                let occurs = |wanted: $type| {
                    let is = |x: &$type| x.to_bits() == wanted.to_bits();
                    is(&first) || rows.clone().any(|row| row.iter().fold(false, |any, x| any | is(x)))
                };
                if found == 0.0 {
                    let zero = if MAX { 0.0 } else { -0.0 };
                    found = if occurs(zero) { zero } else { -zero };
                }
                if SKIP && found == none && !occurs(none) {
                    found = Self::nan::<MAX>();
                }
                found
            }
        })*
    };
}

integers!(i8 u8 i16 u16 i32 u32 i64 u64);
floats!(f32 f64);

/// Elements that are compared at a time when one of them is located.
const PIECE: usize = 64;
/// Bytes of a cache line.
const LINE: usize = 64;

/// Prefetches the cache line of an address, which need not be valid.
#[inline(always)]
fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of no memory does nothing.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// The place of the first element of a piece that equals `wanted`, else `PIECE`. Without branches, which would
/// be mispredicted.
#[inline(always)]
fn first_of<T: Number>(piece: &[T; PIECE], wanted: T) -> usize {
    let mut first = PIECE as u8;
    for (&x, place) in piece.iter().zip(0..PIECE as u8) {
        first = first.min(if x == wanted { place } else { PIECE as u8 });
    }
    first.into()
}

/// The place of the first element that equals `wanted`, or is NaN as it is. Meanwhile memory is read where the next row
/// begins if rows follow each other.
#[inline(always)]
fn locate<T: Number>(elements: &[T], wanted: T) -> usize {
    if wanted.is_nan() {
        return elements.iter().position(|x| x.is_nan()).unwrap_or(elements.len());
    }
    if let (Some(head), Some(last), true) = (elements.first_chunk(), elements.last_chunk(), elements.len() < 2 * PIECE)
    {
        let (first, later) = (first_of(head, wanted), elements.len() - PIECE + first_of(last, wanted));
        return if first < PIECE { first } else { later };
    }
    for (number, piece) in elements.as_chunks::<PIECE>().0.iter().enumerate() {
        let next = elements.as_ptr_range().end.wrapping_add(number * PIECE);
        (0..size_of::<T>()).for_each(|line| prefetch(next.cast::<[u8; LINE]>().wrapping_add(line)));
        if piece.iter().fold(0, |found, &x| found | i32::from(x == wanted)) != 0 {
            return number * PIECE + first_of(piece, wanted);
        }
    }
    match elements.last_chunk() {
        Some(last) => elements.len() - PIECE + first_of(last, wanted),
        None => elements.iter().position(|&x| x == wanted).unwrap_or(elements.len()),
    }
}

/// The first extremum of a few elements, NaN if there is one, and its place.
#[inline(always)]
fn extremum_of_few<T: Number, const MAX: bool>(elements: &[T]) -> (T, usize) {
    let (mut best, mut place, mut nan) = (elements[0], 0, false);
    for (at, &x) in elements.iter().enumerate() {
        place = if better::<T, MAX>(x, best) { at } else { place };
        best = choose::<T, MAX>(best, x);
        nan |= x.is_nan();
    }
    let place = if nan { locate(elements, T::nan::<MAX>()) } else { place };
    (elements[place], place)
}

/// Extends accumulators by extrema.
struct Extremum<T, const MAX: bool, const SKIP: bool>(PhantomData<T>);

impl<T: Number, const MAX: bool, const SKIP: bool> Loop for Extremum<T, MAX, SKIP> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(span: &Span) {
        for column in 0..span.counts[0] {
            // SAFETY: the span has an accumulator for each column, and dense rows.
            unsafe {
                let best = &mut *span.accumulators.cast::<T>().add(column);
                *best = T::extremum::<MAX, SKIP>(*best, rows(span, column));
            }
        }
    }
}

/// Extends accumulators by the first extrema with their positions; NaN is the most extreme.
struct Position<T, const MAX: bool>(PhantomData<T>);

impl<T: Number, const MAX: bool> Loop for Position<T, MAX> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(span: &Span) {
        /// Elements of a part: of a row in one part the compiler makes no vectors.
        const PART: usize = 2048;
        /// Elements that are still in the cache when the extremum among them is located.
        const BLOCK: usize = 4 * PART;
        for column in 0..span.counts[0] {
            // SAFETY: the span has both accumulators for each column, those of positions behind those of elements.
            let (best, place) = unsafe {
                let places = span.accumulators.add(span.capacity * size_of::<T>());
                (&mut *span.accumulators.cast::<T>().add(column), &mut *places.cast::<i64>().add(column))
            };
            for number in 0..span.counts[2] {
                // SAFETY: the span has dense rows.
                let elements: &[T] = unsafe { row(span, column, number) };
                let mut first = span.index + span.index_step * number as i64;
                for block in elements.chunks(BLOCK) {
                    let few = (block.len() < PIECE).then(|| extremum_of_few::<T, MAX>(block));
                    let found =
                        few.map_or_else(|| T::extremum::<MAX, false>(block[0], block.chunks(PART)), |few| few.0);
                    let ties = found == *best || (found.is_nan() && best.is_nan());
                    let wins = better::<T, MAX>(found, *best) || (found.is_nan() && !best.is_nan());
                    if wins || (ties && first < *place) {
                        let position = first + few.map_or_else(|| locate(block, found), |few| few.1) as i64;
                        if wins || position < *place {
                            (*best, *place) = (found, position);
                        }
                    }
                    first += block.len() as i64;
                }
            }
        }
    }
}

/// Whether a search starts from the extremum of no elements.
pub(super) fn starts_from_none<T: Number>(fold: &Fold, search: Search) -> bool {
    let Some(start) = neutral(fold, 0).map(|literal| T::of_bytes(literal.bytes)) else { return false };
    let none = match (search.max, search.skips_nan) {
        (true, false) => T::none::<true>(),
        (false, false) => T::none::<false>(),
        (true, true) => T::nan::<true>(),
        (false, true) => T::nan::<false>(),
    };
    start == none || (start.is_nan() && none.is_nan())
}

/// The loop for a search.
pub(super) fn loop_for<T: Number, const MAX: bool>(search: Search) -> Entry {
    if search.located {
        entry::<Position<T, MAX>>()
    } else if const { T::HAS_NAN } && search.skips_nan {
        entry::<Extremum<T, MAX, true>>()
    } else {
        entry::<Extremum<T, MAX, false>>()
    }
}

/// The loop for a fold that searches the elements themselves for an extremum.
pub fn find(kernel: &Kernel, fold: &Fold) -> Option<Entry> {
    let element = fold.map.results[0];
    if !is_element(kernel, &fold.map.body, element) {
        return None;
    }
    let search = Search::of(kernel, fold)?;
    if search.located && !matches!(defined(&fold.map.body, fold.map.results[1]), Some(Op::Index)) {
        return None;
    }
    macro_rules! matching {
        ($($variant:ident $type:ty;)*) => {
            match kernel.dtype(element) {
                $(DType::$variant if starts_from_none::<$type>(fold, search) => {
                    Some(if search.max { loop_for::<$type, true>(search) } else { loop_for::<$type, false>(search) })
                })*
                _ => None,
            }
        };
    }
    matching! {
        I8 i8; U8 u8; I16 i16; U16 u16; I32 i32; U32 u32; I64 i64; U64 u64; F32 f32; F64 f64;
    }
}
