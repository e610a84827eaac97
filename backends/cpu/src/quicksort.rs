//! Sorting of integers with AVX-512: quicksort that partitions whole registers, down to blocks that a network of
//! comparisons sorts. Parts without a position that is wanted are left as they are.

use std::ops::Range;

use crate::{counting, pool};

/// Elements from which the two sides of a partition are sorted by different threads.
const PARALLEL: usize = 32 << 10;

/// Words from which a sample is worth it, where few are wanted.
const SELECT: usize = 32 << 10;
/// Words of a sample, how far from the expected place in it a pivot lies, and the partitions that it may take in vain.
const SAMPLE: usize = 1024;
const SAMPLE_GAP: usize = 32;
const SAMPLE_DEPTH: u32 = 20;

/// Integers that can be sorted here.
pub trait Word: Copy + Ord + Send + Sync {
    /// Whether counting sorts this type on every processor: it has at most 65,536 values.
    const COUNTED: bool = false;

    /// Brings the words that belong to the `wanted` positions there, lesser ones before them and greater ones after, if
    /// this processor can do it.
    fn sort(words: &mut [Self], wanted: Range<usize>, parallel: bool) -> bool;

    /// The same for words that are copied `from` elsewhere first; if this processor cannot do it, they are only copied.
    fn sort_from(from: &[Self], words: &mut [Self], wanted: Range<usize>, parallel: bool) -> bool {
        words.copy_from_slice(from);
        Self::sort(words, wanted, parallel)
    }
}

macro_rules! comparison {
    ($($type:ty),*) => {
        $(impl Word for $type {
            fn sort(_: &mut [$type], _: Range<usize>, _: bool) -> bool {
                false
            }
        })*
    };
}

comparison!((u8, u32, u32), (u8, u64, u64));

impl Word for u8 {
    const COUNTED: bool = true;

    fn sort(words: &mut [u8], _: Range<usize>, _: bool) -> bool {
        counting::sort(words);
        true
    }
}

/// From so many words of 16 bits on, few wanted ones are found faster by partitions than all are counted.
const PARTITIONED: usize = 1 << 15;

macro_rules! halves {
    ($($type:ty, $wide:ty, $module:ident;)*) => {
        $(impl Word for $type {
            const COUNTED: bool = true;

            fn sort(words: &mut [$type], wanted: Range<usize>, parallel: bool) -> bool {
                if words.len() >= PARTITIONED && wanted.len() < words.len() / 8 {
                    #[cfg(target_arch = "x86_64")]
                    if $module::run(words, wanted.clone(), parallel) {
                        return true;
                    }
                    let mut wide: Vec<$wide> = words.iter().map(|&word| word.into()).collect();
                    if <$wide>::sort(&mut wide, wanted, parallel) {
                        words.iter_mut().zip(&wide).for_each(|(word, &wide)| *word = wide as $type);
                        return true;
                    }
                }
                counting::sort(words);
                true
            }

            #[cfg(target_arch = "x86_64")]
            fn sort_from(from: &[$type], words: &mut [$type], wanted: Range<usize>, parallel: bool) -> bool {
                $module::run_from(from, words, wanted.clone(), parallel) || {
                    words.copy_from_slice(from);
                    Self::sort(words, wanted, parallel)
                }
            }
        })*
    };
}

halves! {
    u16, u32, words16;
    i16, i32, signed16;
}

#[cfg(not(target_arch = "x86_64"))]
comparison!(u32, u64, i32, i64);

#[cfg(target_arch = "x86_64")]
macro_rules! by_partitions {
    ($($type:ty, $module:ident;)*) => {
        $(impl Word for $type {
            fn sort(words: &mut [$type], wanted: Range<usize>, parallel: bool) -> bool {
                $module::run(words, wanted, parallel)
            }

            fn sort_from(from: &[$type], words: &mut [$type], wanted: Range<usize>, parallel: bool) -> bool {
                $module::run_from(from, words, wanted.clone(), parallel) || {
                    words.copy_from_slice(from);
                    Self::sort(words, wanted, parallel)
                }
            }
        })*
    };
}

#[cfg(target_arch = "x86_64")]
by_partitions! {
    u32, words32;
    i32, signed32;
    u64, words64;
    i64, signed64;
}

/// Whether the processor has the instructions for words of so many bytes.
#[cfg(target_arch = "x86_64")]
fn is_able(bytes: usize) -> bool {
    let halves = || is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi2");
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("popcnt") && (bytes > 2 || halves())
}

#[cfg(target_arch = "x86_64")]
macro_rules! quicksort {
    (
        $module:ident, $word:ty, $signed:ty, $lanes:literal, $mask:ty, $features:literal, $splat:ident, $less:ident,
        $min:ident, $max:ident, $max_some:ident, $permute:ident, $compress:ident, $load_some:ident,
        $store_some:ident
    ) => {
        mod $module {
            use std::arch::x86_64::*;
            use std::ops::Range;

            use super::{PARALLEL, SAMPLE, SAMPLE_DEPTH, SAMPLE_GAP, SELECT, pool};

            const LANES: usize = $lanes;
            /// Most elements of a block.
            const BLOCK: usize = LANES * 32;

            /// The numbers of the lanes, each with an exclusive or.
            const fn lanes(with: usize) -> [$word; LANES] {
                let (mut numbers, mut lane) = ([0; LANES], 0);
                while lane < LANES {
                    numbers[lane] = (lane ^ with) as $word;
                    lane += 1;
                }
                numbers
            }

            /// The lanes that are greater than the one an exclusive or away.
            const fn upper(with: usize) -> $mask {
                let (mut mask, mut lane) = (0, 0);
                while lane < LANES {
                    mask |= ((lane ^ with < lane) as $mask) << lane;
                    lane += 1;
                }
                mask
            }

            /// The lanes whose numbers differ by `WITH`, an exclusive or, change places.
            #[inline]
            #[target_feature(enable = $features)]
            fn exchanged<const WITH: usize>(register: __m512i) -> __m512i {
                let places = const { lanes(WITH) };
                // SAFETY: the array has the size of a register.
                $permute(unsafe { _mm512_loadu_si512(places.as_ptr().cast()) }, register)
            }

            /// Orders each two lanes whose numbers differ by `WITH`, an exclusive or.
            #[inline]
            #[target_feature(enable = $features)]
            fn exchange<const WITH: usize>(register: __m512i) -> __m512i {
                let other = exchanged::<WITH>(register);
                $max_some($min(register, other), const { upper(WITH) }, register, other)
            }

            /// Sorts the lanes of a register in which they rise and then fall, or fall and then rise.
            #[inline]
            #[target_feature(enable = $features)]
            fn ordered(register: __m512i) -> __m512i {
                let register = if LANES > 16 { exchange::<16>(register) } else { register };
                let register = if LANES > 8 { exchange::<8>(register) } else { register };
                exchange::<1>(exchange::<2>(exchange::<4>(register)))
            }

            /// Orders each two registers that lie `GAP` apart.
            #[inline]
            #[target_feature(enable = $features)]
            fn compare<const GAP: usize, const WIDTH: usize>(part: &mut [__m512i; WIDTH]) {
                for start in 0..WIDTH / (2 * GAP) {
                    for at in 0..GAP {
                        let (low, high) = (2 * GAP * start + at, 2 * GAP * start + at + GAP);
                        let (one, other) = (part[low], part[high]);
                        (part[low], part[high]) = ($min(one, other), $max(one, other));
                    }
                }
            }

            /// Merges the sorted halves of every `WIDTH` registers, by the steps of the bitonic network.
            #[inline]
            #[target_feature(enable = $features)]
            fn merge<const WIDTH: usize>(registers: &mut [__m512i]) {
                for part in registers.as_chunks_mut::<WIDTH>().0 {
                    let old = *part;
                    for at in 0..WIDTH / 2 {
                        let other = exchanged::<{ LANES - 1 }>(old[WIDTH - 1 - at]);
                        part[at] = $min(old[at], other);
                        // Backwards, which is as good.
                        part[WIDTH / 2 + at] = $max(old[at], other);
                    }
                    if WIDTH >= 32 {
                        compare::<8, WIDTH>(part);
                    }
                    if WIDTH >= 16 {
                        compare::<4, WIDTH>(part);
                    }
                    if WIDTH >= 8 {
                        compare::<2, WIDTH>(part);
                    }
                    if WIDTH >= 4 {
                        compare::<1, WIDTH>(part);
                    }
                    for register in part {
                        *register = ordered(*register);
                    }
                }
            }

            /// Sorts registers as one row: K. E. Batcher, Sorting networks and their applications, 1968.
            #[inline]
            #[target_feature(enable = $features)]
            fn network<const REGISTERS: usize>(registers: &mut [__m512i; REGISTERS]) {
                for register in registers.iter_mut() {
                    let pairs = exchange::<1>(*register);
                    let fours = exchange::<1>(exchange::<3>(pairs));
                    let eights = exchange::<1>(exchange::<2>(exchange::<7>(fours)));
                    let sixteens = || exchange::<1>(exchange::<2>(exchange::<4>(exchange::<15>(eights))));
                    *register = match LANES {
                        8 => eights,
                        16 => sixteens(),
                        _ => exchange::<1>(exchange::<2>(exchange::<4>(exchange::<8>(exchange::<31>(sixteens()))))),
                    };
                }
                merge::<2>(registers);
                merge::<4>(registers);
                merge::<8>(registers);
                merge::<16>(registers);
                merge::<32>(registers);
            }

            /// The first lanes, as many as there are or all.
            fn some(count: usize) -> $mask {
                ((1u64 << count.min(LANES)) - 1) as $mask
            }

            /// Sorts at most so many registers of words.
            #[target_feature(enable = $features)]
            fn registers<const REGISTERS: usize>(words: &mut [$word]) {
                let mut values = [$splat(<$word>::MAX as $signed); REGISTERS];
                // SAFETY: the masks leave out what is behind the words.
                unsafe {
                    for (value, part) in values.iter_mut().zip(words.chunks(LANES)) {
                        *value = $load_some(*value, some(part.len()), part.as_ptr().cast());
                    }
                    network(&mut values);
                    for (value, part) in values.into_iter().zip(words.chunks_mut(LANES)) {
                        $store_some(part.as_mut_ptr().cast(), some(part.len()), value);
                    }
                }
            }

            /// Sorts at most `BLOCK` words.
            #[target_feature(enable = $features)]
            fn block(words: &mut [$word]) {
                match words.len().div_ceil(LANES).next_power_of_two() {
                    1 => registers::<1>(words),
                    2 => registers::<2>(words),
                    4 => registers::<4>(words),
                    8 => registers::<8>(words),
                    16 => registers::<16>(words),
                    _ => registers::<32>(words),
                }
            }

            /// Where words of either side go: `low..high` is to be written.
            struct Gap {
                at: *mut $word,
                low: usize,
                high: usize,
            }

            impl Gap {
                /// Writes the words of a register on their sides; those to the left may be followed by others.
                ///
                /// # Safety
                /// The gap has room for a register, and nothing between its ends is needed where `WHOLE` registers are written.
                #[inline]
                #[target_feature(enable = $features)]
                unsafe fn put<const WHOLE: bool>(&mut self, words: __m512i, left: $mask, right: $mask) {
                    let (to_left, to_right) = (left.count_ones() as usize, right.count_ones() as usize);
                    // SAFETY: the caller's promise; the masks leave out what is outside of the gap.
                    unsafe {
                        let (low, first) = (self.at.add(self.low).cast(), $compress(left, words));
                        if WHOLE {
                            _mm512_storeu_si512(low, first);
                        } else {
                            $store_some(low.cast(), some(to_left), first);
                        }
                        (self.low, self.high) = (self.low + to_left, self.high - to_right);
                        $store_some(self.at.add(self.high).cast(), some(to_right), $compress(right, words));
                    }
                }
            }

            /// Registers that are read at a time.
            const AT_ONCE: usize = 8;
            /// Their words.
            const STEP: usize = AT_ONCE * LANES;

            /// Moves the words less than `pivot` (or not greater, if `INCLUSIVE`) to the front; returns their number. There are
            /// three steps of words at least. From both ends a step is kept aside, which makes room for what is written, and
            /// the next step is taken from where there is less room.
            #[target_feature(enable = $features)]
            fn partition<const INCLUSIVE: bool>(words: &mut [$word], pivot: $word) -> usize {
                assert!(words.len() >= 3 * STEP);
                let bound = $splat(pivot as $signed);
                let at = words.as_mut_ptr();
                let mut gap = Gap { at, low: 0, high: words.len() };
                // Behind the last whole step too.
                let rest = words.len() % STEP;
                let (mut first, mut last) = (STEP, words.len() - rest - STEP);
                let mut aside = [[0; LANES]; 3 * AT_ONCE];
                let aside = aside.as_flattened_mut();
                aside[..STEP].copy_from_slice(&words[..STEP]);
                aside[STEP..2 * STEP + rest].copy_from_slice(&words[last..]);
                // SAFETY: each side has room for a step before one is written, since it is read from the side with less; what
                // is put from aside fits between `low` and `high`.
                unsafe {
                    while first < last {
                        let forward = first - gap.low <= gap.high - last;
                        last -= if forward { 0 } else { STEP };
                        let from = at.add(if forward { first } else { last });
                        first += if forward { STEP } else { 0 };
                        let mut values = [bound; AT_ONCE];
                        for (number, value) in values.iter_mut().enumerate() {
                            *value = _mm512_loadu_si512(from.add(number * LANES).cast());
                        }
                        for value in values {
                            let left = if INCLUSIVE { !$less(bound, value) } else { $less(value, bound) };
                            gap.put::<true>(value, left, !left);
                        }
                    }
                    for part in aside[..2 * STEP + rest].chunks(LANES) {
                        let value = $load_some(bound, some(part.len()), part.as_ptr().cast());
                        let left = if INCLUSIVE { !$less(bound, value) } else { $less(value, bound) };
                        gap.put::<false>(value, left & some(part.len()), !left & some(part.len()));
                    }
                }
                gap.low
            }

            /// Writes `from` with the words less than `pivot` at the front; returns their number.
            #[target_feature(enable = $features)]
            fn partition_into(from: &[$word], words: &mut [$word], pivot: $word) -> usize {
                assert_eq!(from.len(), words.len());
                let bound = $splat(pivot as $signed);
                let mut gap = Gap { at: words.as_mut_ptr(), low: 0, high: words.len() };
                let (whole, rest) = from.as_chunks::<LANES>();
                // SAFETY: the gap has room for what has not been read.
                unsafe {
                    for part in whole {
                        let value = _mm512_loadu_si512(part.as_ptr().cast());
                        let left = $less(value, bound);
                        gap.put::<true>(value, left, !left);
                    }
                    let value = $load_some(bound, some(rest.len()), rest.as_ptr().cast());
                    let left = $less(value, bound);
                    gap.put::<false>(value, left & some(rest.len()), !left & some(rest.len()));
                }
                gap.low
            }

            /// The middle of three words.
            fn middle(x: $word, y: $word, z: $word) -> $word {
                x.min(y).max(x.max(y).min(z))
            }

            /// About the median: the middle of the middles of some words.
            fn pivot(words: &[$word]) -> $word {
                let step = words.len() / 9;
                let three = |at: usize| middle(words[at * step], words[(at + 3) * step], words[(at + 6) * step]);
                middle(three(0), three(1), three(2))
            }

            /// About the word that belongs to a position, of a sample: a word a little beyond it, on the side where more
            /// words are, so that few are left (R. W. Floyd and R. L. Rivest, Expected time bounds for selection, 1975).
            #[inline(never)]
            #[target_feature(enable = $features)]
            fn sampled(words: &[$word], position: usize) -> $word {
                let step = words.len() / SAMPLE;
                let mut sample: [$word; SAMPLE] = std::array::from_fn(|at| words[at * step + step / 2]);
                let place = (position as u64 * SAMPLE as u64 / words.len() as u64) as usize;
                let place = if 2 * position < words.len() {
                    (place + SAMPLE_GAP).min(SAMPLE - 1)
                } else {
                    place.saturating_sub(SAMPLE_GAP)
                };
                sort(&mut sample, 0..SAMPLE, SAMPLE_DEPTH, false);
                sample[place]
            }

            /// Partitions in vain after which words are compared one by one.
            fn depth(count: usize) -> u32 {
                2 * count.max(1).ilog2()
            }

            /// Sorts what is wanted; after `depth` partitions in vain by comparisons.
            #[target_feature(enable = $features)]
            fn sort(words: &mut [$word], wanted: Range<usize>, depth: u32, parallel: bool) {
                let (mut words, mut wanted, mut depth) = (words, wanted, depth);
                while words.len() > BLOCK {
                    if wanted.is_empty() {
                        return;
                    }
                    if depth == 0 {
                        return words.sort_unstable();
                    }
                    depth -= 1;
                    let few = words.len() >= SELECT && wanted.len() < words.len() / 8;
                    let middle = if few { sampled(words, wanted.start) } else { pivot(words) };
                    let mut low = partition::<false>(words, middle);
                    if low == 0 {
                        // The pivot is the least word: its equals are sorted.
                        low = partition::<true>(words, middle);
                        words = &mut words[low..];
                        wanted = wanted.start.saturating_sub(low)..wanted.end.saturating_sub(low);
                        continue;
                    }
                    let (left, right) = words.split_at_mut(low);
                    let before = wanted.start.min(low)..wanted.end.min(low);
                    let after = wanted.start.saturating_sub(low)..wanted.end.saturating_sub(low);
                    if parallel && before.len().min(after.len()) >= PARALLEL {
                        pool::join(|| sort(left, before, depth, true), || sort(right, after, depth, true));
                        return;
                    }
                    let (first, second) = if left.len() < right.len() {
                        ((left, before), (right, after))
                    } else {
                        ((right, after), (left, before))
                    };
                    sort(first.0, first.1, depth, parallel);
                    (words, wanted) = second;
                }
                block(words);
            }

            /// As [`super::Word::sort`].
            pub fn run(words: &mut [$word], wanted: Range<usize>, parallel: bool) -> bool {
                if !super::is_able(size_of::<$word>()) {
                    return false;
                }
                let depth = depth(words.len());
                match pool::pool() {
                    Some(pool) if parallel && pool::threads() > 1 => {
                        // SAFETY: the processor has the features.
                        pool::inside(pool, || unsafe { sort(words, wanted, depth, true) });
                    }
                    // SAFETY: the processor has the features.
                    _ => unsafe { sort(words, wanted, depth, false) },
                }
                true
            }

            /// Brings a copy of the words to the places that [`run`] brings them to, if they are many and few are wanted:
            /// the first partition makes it.
            pub fn run_from(from: &[$word], words: &mut [$word], wanted: Range<usize>, parallel: bool) -> bool {
                let few = from.len() >= SELECT && wanted.len() < from.len() / 8;
                if !few || wanted.is_empty() || !super::is_able(size_of::<$word>()) {
                    return false;
                }
                // SAFETY: the processor has the features.
                let low = unsafe { partition_into(from, words, sampled(from, wanted.start)) };
                let (left, right) = words.split_at_mut(low);
                let before = wanted.start.min(low)..wanted.end.min(low);
                let after = wanted.start.saturating_sub(low)..wanted.end.saturating_sub(low);
                run(left, before, parallel) && run(right, after, parallel)
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
quicksort!(
    words16,
    u16,
    i16,
    32,
    __mmask32,
    "avx512f,avx512bw,avx512vbmi2,popcnt",
    _mm512_set1_epi16,
    _mm512_cmplt_epu16_mask,
    _mm512_min_epu16,
    _mm512_max_epu16,
    _mm512_mask_max_epu16,
    _mm512_permutexvar_epi16,
    _mm512_maskz_compress_epi16,
    _mm512_mask_loadu_epi16,
    _mm512_mask_storeu_epi16
);
#[cfg(target_arch = "x86_64")]
quicksort!(
    signed16,
    i16,
    i16,
    32,
    __mmask32,
    "avx512f,avx512bw,avx512vbmi2,popcnt",
    _mm512_set1_epi16,
    _mm512_cmplt_epi16_mask,
    _mm512_min_epi16,
    _mm512_max_epi16,
    _mm512_mask_max_epi16,
    _mm512_permutexvar_epi16,
    _mm512_maskz_compress_epi16,
    _mm512_mask_loadu_epi16,
    _mm512_mask_storeu_epi16
);
#[cfg(target_arch = "x86_64")]
quicksort!(
    words32,
    u32,
    i32,
    16,
    __mmask16,
    "avx512f,popcnt",
    _mm512_set1_epi32,
    _mm512_cmplt_epu32_mask,
    _mm512_min_epu32,
    _mm512_max_epu32,
    _mm512_mask_max_epu32,
    _mm512_permutexvar_epi32,
    _mm512_maskz_compress_epi32,
    _mm512_mask_loadu_epi32,
    _mm512_mask_storeu_epi32
);
#[cfg(target_arch = "x86_64")]
quicksort!(
    signed32,
    i32,
    i32,
    16,
    __mmask16,
    "avx512f,popcnt",
    _mm512_set1_epi32,
    _mm512_cmplt_epi32_mask,
    _mm512_min_epi32,
    _mm512_max_epi32,
    _mm512_mask_max_epi32,
    _mm512_permutexvar_epi32,
    _mm512_maskz_compress_epi32,
    _mm512_mask_loadu_epi32,
    _mm512_mask_storeu_epi32
);
#[cfg(target_arch = "x86_64")]
quicksort!(
    words64,
    u64,
    i64,
    8,
    __mmask8,
    "avx512f,popcnt",
    _mm512_set1_epi64,
    _mm512_cmplt_epu64_mask,
    _mm512_min_epu64,
    _mm512_max_epu64,
    _mm512_mask_max_epu64,
    _mm512_permutexvar_epi64,
    _mm512_maskz_compress_epi64,
    _mm512_mask_loadu_epi64,
    _mm512_mask_storeu_epi64
);
#[cfg(target_arch = "x86_64")]
quicksort!(
    signed64,
    i64,
    i64,
    8,
    __mmask8,
    "avx512f,popcnt",
    _mm512_set1_epi64,
    _mm512_cmplt_epi64_mask,
    _mm512_min_epi64,
    _mm512_max_epi64,
    _mm512_mask_max_epi64,
    _mm512_permutexvar_epi64,
    _mm512_maskz_compress_epi64,
    _mm512_mask_loadu_epi64,
    _mm512_mask_storeu_epi64
);

#[cfg(test)]
mod tests {
    use super::Word;

    fn check<W: Word + std::fmt::Debug>(make: impl Fn(u64) -> W) {
        let mut word = 7u64;
        let mut next = || {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            word >> 7
        };
        for count in (0..200).chain((200..1500).step_by(37)).chain([5000, 100_000]) {
            for range in [1, 2, 10, 1000, u64::MAX] {
                let words: Vec<W> = (0..count).map(|_| make(next() % range)).collect();
                let rising: Vec<W> = (0..count as u64).map(&make).collect();
                for words in [words, rising.iter().rev().copied().collect(), rising] {
                    let mut expected = words.clone();
                    expected.sort_unstable();
                    for parallel in [false, true] {
                        let ranges = [0..count, count / 3..count.min(count / 3 + 1), count / 2..count - count / 9];
                        for (wanted, copied) in
                            ranges.into_iter().flat_map(|range| [(range.clone(), false), (range, true)])
                        {
                            let mut sorted = words.clone();
                            let done = if copied {
                                sorted.fill(make(0));
                                W::sort_from(&words, &mut sorted, wanted.clone(), parallel)
                            } else {
                                W::sort(&mut sorted, wanted.clone(), parallel)
                            };
                            if !done {
                                return;
                            }
                            assert_eq!(sorted[wanted.clone()], expected[wanted.clone()], "{count} words below {range}");
                            for part in [0..wanted.start, wanted.end..count] {
                                sorted[part.clone()].sort_unstable();
                                assert_eq!(sorted[part.clone()], expected[part], "beside {wanted:?} of {count}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn words_are_sorted() {
        check(|x| x);
        check(|x| u64::MAX - x);
        check(|x| x as u32);
        check(|x| u32::MAX - x as u32);
        check(|x| x as i64);
        check(|x| 5i64.wrapping_sub(x as i64));
        check(|x| x as i32);
        check(|x| 5i32.wrapping_sub(x as i32));
        check(|x| x as u16);
        check(|x| x as i16);
        check(|x| 5i16.wrapping_sub(x as i16));
    }
}
