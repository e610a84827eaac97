//! Quicksort that partitions whole registers of AVX-512, down to blocks that a network of comparisons sorts.

use crate::pool;

/// Elements from which the two sides of a partition are sorted by different threads.
const PARALLEL: usize = 32 << 10;

/// Words from which a sample is worth it, where few are wanted.
const SELECT: usize = 32 << 10;
/// Words of a sample, how far from the expected place in it a pivot lies, and the partitions that it may take in vain.
const SAMPLE: usize = 1024;
const SAMPLE_GAP: usize = 32;
const SAMPLE_DEPTH: u32 = 20;

/// Whether the processor has the instructions for words of so many bytes.
fn is_able(bytes: usize) -> bool {
    let halves = || is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi2");
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("popcnt") && (bytes > 2 || halves())
}

/// For every choice of lanes the numbers of those chosen, a byte each, and then of the others, both in order.
static APART: [[u8; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut chosen = 0u32;
    while chosen < 256 {
        let (mut next, mut lane) = ([0, chosen.count_ones() as usize], 0);
        while lane < 8 {
            let side = if chosen >> lane & 1 == 1 { 0 } else { 1 };
            all[chosen as usize][next[side]] = lane as u8;
            next[side] += 1;
            lane += 1;
        }
        chosen += 1;
    }
    all
};

/// The chosen lanes of a register and then the others.
#[inline]
#[target_feature(enable = "avx512f")]
fn apart(register: std::arch::x86_64::__m512i, chosen: u8) -> std::arch::x86_64::__m512i {
    use std::arch::x86_64::*;
    let lanes = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(i64::from_le_bytes(APART[usize::from(chosen)])));
    _mm512_permutexvar_epi64(lanes, register)
}

macro_rules! quicksort {
    (
        $module:ident, $word:ty, $signed:ty, $greatest:expr, $order:path, $lanes:literal, $mask:ty, $features:literal,
        $splat:ident, $less:path, $min:path, $max:path, $max_some:path, $blend:ident, $permute:ident, $permute_two:ident,
        $compress:ident, $load_some:ident, $store_some:ident
    ) => {
        pub(super) mod $module {
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

            /// Orders two registers lane by lane.
            #[inline]
            #[target_feature(enable = $features)]
            fn compare(registers: &mut [__m512i], low: usize, high: usize) {
                let (one, other) = (registers[low], registers[high]);
                (registers[low], registers[high]) = ($min(one, other), $max(one, other));
            }

            /// A step of the merges of `2 * HALF` registers: those `GAP` apart, but for the first and the last ones.
            #[inline]
            #[target_feature(enable = $features)]
            fn columns_apart<const HALF: usize, const GAP: usize, const ROWS: usize>(rows: &mut [__m512i; ROWS]) {
                let first = if GAP < HALF { GAP } else { 0 };
                for part in 0..ROWS / (2 * HALF) {
                    for pair in 0..(HALF - first) / GAP {
                        for at in 0..GAP {
                            let low = 2 * HALF * part + first + 2 * GAP * pair + at;
                            compare(rows, low, low + GAP);
                        }
                    }
                }
            }

            /// Merges columns of `HALF` registers, by the steps of the odd-even merge.
            #[inline]
            #[target_feature(enable = $features)]
            fn columns<const HALF: usize, const ROWS: usize>(rows: &mut [__m512i; ROWS]) {
                // By constants, so that steps that are none are not compiled.
                if const { 16 <= HALF } {
                    columns_apart::<HALF, 16, ROWS>(rows);
                }
                if const { 8 <= HALF } {
                    columns_apart::<HALF, 8, ROWS>(rows);
                }
                if const { 4 <= HALF } {
                    columns_apart::<HALF, 4, ROWS>(rows);
                }
                if const { 2 <= HALF } {
                    columns_apart::<HALF, 2, ROWS>(rows);
                }
                columns_apart::<HALF, 1, ROWS>(rows);
            }

            /// Merges the sorted halves of every `WIDTH` columns, of which each continues the one before, by the steps of the
            /// bitonic merge. `LAST` is `WIDTH - 1`.
            #[inline]
            #[target_feature(enable = $features)]
            fn merge<const WIDTH: usize, const LAST: usize, const ROWS: usize>(rows: &mut [__m512i; ROWS]) {
                if ROWS == 1 {
                    rows[0] = exchange::<LAST>(rows[0]);
                }
                for low in 0..ROWS / 2 {
                    let high = ROWS - 1 - low;
                    let (one, other) = (rows[low], exchanged::<LAST>(rows[high]));
                    let (lesser, greater) = ($min(one, other), $max(one, other));
                    rows[low] = $blend(const { upper(LAST) }, lesser, greater);
                    rows[high] = exchanged::<LAST>($blend(const { upper(LAST) }, greater, lesser));
                }
                for row in rows.iter_mut() {
                    *row = if WIDTH > 16 { exchange::<8>(*row) } else { *row };
                    *row = if WIDTH > 8 { exchange::<4>(*row) } else { *row };
                    *row = if WIDTH > 4 { exchange::<2>(*row) } else { *row };
                    *row = if WIDTH > 2 { exchange::<1>(*row) } else { *row };
                }
                if const { ROWS >= 32 } {
                    merge_rows::<16, ROWS>(rows);
                }
                if const { ROWS >= 16 } {
                    merge_rows::<8, ROWS>(rows);
                }
                if const { ROWS >= 8 } {
                    merge_rows::<4, ROWS>(rows);
                }
                if const { ROWS >= 4 } {
                    merge_rows::<2, ROWS>(rows);
                }
                if const { ROWS >= 2 } {
                    merge_rows::<1, ROWS>(rows);
                }
            }

            /// Orders each two registers that lie `GAP` apart.
            #[inline]
            #[target_feature(enable = $features)]
            fn merge_rows<const GAP: usize, const ROWS: usize>(rows: &mut [__m512i; ROWS]) {
                for part in 0..ROWS / (2 * GAP) {
                    for at in 0..GAP {
                        compare(rows, 2 * GAP * part + at, 2 * GAP * part + at + GAP);
                    }
                }
            }

            /// Where the lanes of two registers go that take turns: to the first register or to the second.
            const fn turns(second: bool) -> [$word; LANES] {
                let (mut numbers, mut lane) = ([0; LANES], 0);
                while lane < LANES {
                    let from = lane / 2 + if second { LANES / 2 } else { 0 };
                    numbers[lane] = (from + lane % 2 * LANES) as $word;
                    lane += 1;
                }
                numbers
            }

            /// The words of the first and the second half of the registers in turns.
            #[inline]
            #[target_feature(enable = $features)]
            fn shuffled<const ROWS: usize>(rows: [__m512i; ROWS]) -> [__m512i; ROWS] {
                let (first, second) = const { (turns(false), turns(true)) };
                // SAFETY: the array has the size of a register.
                let first = unsafe { _mm512_loadu_si512(first.as_ptr().cast()) };
                // SAFETY: as above.
                let second = unsafe { _mm512_loadu_si512(second.as_ptr().cast()) };
                let mut shuffled = rows;
                for at in 0..ROWS / 2 {
                    let (one, other) = (rows[at], rows[at + ROWS / 2]);
                    shuffled[2 * at] = $permute_two(one, first, other);
                    shuffled[2 * at + 1] = $permute_two(one, second, other);
                }
                shuffled
            }

            /// Sorts registers as one row: first the columns, which takes no exchange of lanes, then columns are merged with their
            /// neighbours; then the columns are laid out one after the other. K. E. Batcher, Sorting networks and their
            /// applications, 1968.
            #[inline]
            #[target_feature(enable = $features)]
            fn network<const ROWS: usize>(rows: &mut [__m512i; ROWS]) {
                if const { ROWS >= 2 } {
                    columns::<1, ROWS>(rows);
                }
                if const { ROWS >= 4 } {
                    columns::<2, ROWS>(rows);
                }
                if const { ROWS >= 8 } {
                    columns::<4, ROWS>(rows);
                }
                if const { ROWS >= 16 } {
                    columns::<8, ROWS>(rows);
                }
                if const { ROWS >= 32 } {
                    columns::<16, ROWS>(rows);
                }
                merge::<2, 1, ROWS>(rows);
                merge::<4, 3, ROWS>(rows);
                merge::<8, 7, ROWS>(rows);
                if const { LANES >= 16 } {
                    merge::<16, 15, ROWS>(rows);
                }
                if const { LANES >= 32 } {
                    merge::<32, 31, ROWS>(rows);
                }
                *rows = if ROWS > 1 { shuffled(*rows) } else { *rows };
                *rows = if ROWS > 2 { shuffled(*rows) } else { *rows };
                *rows = if ROWS > 4 { shuffled(*rows) } else { *rows };
                *rows = if ROWS > 8 { shuffled(*rows) } else { *rows };
                *rows = if ROWS > 16 { shuffled(*rows) } else { *rows };
            }

            /// The first lanes, as many as there are or all.
            fn some(count: usize) -> $mask {
                ((1u64 << count.min(LANES)) - 1) as $mask
            }

            /// Sorts at most so many registers of words.
            #[target_feature(enable = $features)]
            fn registers<const REGISTERS: usize>(words: &mut [$word]) {
                let mut values = [$splat($greatest as $signed); REGISTERS];
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
                /// Writes the words of a register on their sides, and others behind them in the gap.
                ///
                /// # Safety
                /// At each end of the gap is room for a register, and the two do not overlap.
                #[inline]
                #[target_feature(enable = $features)]
                unsafe fn put_register(&mut self, words: __m512i, left: $mask) {
                    let to_left = left.count_ones() as usize;
                    // SAFETY: the caller's promise; the mask leaves out what is outside of the gap.
                    unsafe {
                        let (low, high) = (self.at.add(self.low), self.at.add(self.high));
                        if LANES == 8 {
                            let words = super::apart(words, left as u8);
                            _mm512_storeu_si512(low.cast(), words);
                            _mm512_storeu_si512(high.sub(LANES).cast(), words);
                        } else {
                            _mm512_storeu_si512(low.cast(), $compress(left, words));
                            let to_right = LANES - to_left;
                            $store_some(high.sub(to_right).cast(), some(to_right), $compress(!left, words));
                        }
                    }
                    (self.low, self.high) = (self.low + to_left, self.high + to_left - LANES);
                }

                /// Writes the words of a step on their sides.
                ///
                /// # Safety
                /// Each end of the gap has room for a step, or the whole gap for two.
                #[inline]
                #[target_feature(enable = $features)]
                unsafe fn put_step<const INCLUSIVE: bool>(&mut self, values: [__m512i; AT_ONCE], bound: __m512i) {
                    for value in values {
                        let left = if INCLUSIVE { !$less(bound, value) } else { $less(value, bound) };
                        // SAFETY: the caller's promise.
                        unsafe { self.put_register(value, left) };
                    }
                }

                /// Writes some words of a register on their sides, and nothing else.
                ///
                /// # Safety
                /// The gap has room for them.
                #[inline]
                #[target_feature(enable = $features)]
                unsafe fn put_some(&mut self, words: __m512i, left: $mask, right: $mask) {
                    let (to_left, to_right) = (left.count_ones() as usize, right.count_ones() as usize);
                    self.high -= to_right;
                    // SAFETY: the caller's promise; the masks leave out what is outside of the gap.
                    unsafe {
                        $store_some(self.at.add(self.low).cast(), some(to_left), $compress(left, words));
                        $store_some(self.at.add(self.high).cast(), some(to_right), $compress(right, words));
                    }
                    self.low += to_left;
                }

                /// Writes words on their sides.
                ///
                /// # Safety
                /// The gap has room for them.
                #[inline]
                #[target_feature(enable = $features)]
                unsafe fn put_all<const INCLUSIVE: bool>(&mut self, words: &[$word], bound: __m512i) {
                    for part in words.chunks(LANES) {
                        // SAFETY: the mask leaves out what is behind the words; the caller's promise.
                        unsafe {
                            let value = $load_some(bound, some(part.len()), part.as_ptr().cast());
                            let left = if INCLUSIVE { !$less(bound, value) } else { $less(value, bound) };
                            if part.len() == LANES && self.high - self.low >= 2 * LANES {
                                self.put_register(value, left);
                            } else {
                                self.put_some(value, left & some(part.len()), !left & some(part.len()));
                            }
                        }
                    }
                }
            }

            /// Registers that are read at a time.
            const AT_ONCE: usize = 8;
            /// Their words.
            const STEP: usize = AT_ONCE * LANES;

            /// What a partition has not read: `first..last`, steps from either end.
            struct Unread {
                at: *const $word,
                first: usize,
                last: usize,
            }

            impl Unread {
                /// A step from the side where there is less room to write.
                ///
                /// # Safety
                /// There is a step.
                #[inline]
                #[target_feature(enable = $features)]
                unsafe fn step(&mut self, gap: &Gap) -> [__m512i; AT_ONCE] {
                    let forward = self.first - gap.low <= gap.high - self.last;
                    self.last -= if forward { 0 } else { STEP };
                    let from = if forward { self.first } else { self.last };
                    self.first += if forward { STEP } else { 0 };
                    let mut values = [_mm512_setzero_si512(); AT_ONCE];
                    for (number, value) in values.iter_mut().enumerate() {
                        // SAFETY: the caller's promise.
                        *value = unsafe { _mm512_loadu_si512(self.at.add(from + number * LANES).cast()) };
                    }
                    values
                }
            }

            /// Moves the words less than `pivot` (or not greater, if `INCLUSIVE`) to the front; returns their number. There are
            /// three steps of words at least. From both ends a step is kept aside, which makes room for what is written. A
            /// step is read before the one before is written, since where it is read depends on what was written.
            #[target_feature(enable = $features)]
            fn partition<const INCLUSIVE: bool>(words: &mut [$word], pivot: $word) -> usize {
                assert!(words.len() >= 3 * STEP);
                let bound = $splat(pivot as $signed);
                let at = words.as_mut_ptr();
                let mut gap = Gap { at, low: 0, high: words.len() };
                // Behind the last whole step too.
                let rest = words.len() % STEP;
                let mut unread = Unread { at, first: STEP, last: words.len() - rest - STEP };
                let mut aside = [[0; LANES]; 3 * AT_ONCE];
                let aside = aside.as_flattened_mut();
                aside[..STEP].copy_from_slice(&words[..STEP]);
                aside[STEP..2 * STEP + rest].copy_from_slice(&words[unread.last..]);
                // SAFETY: two steps are aside and one is in registers, so there is room for three; a step is read on the side
                // with less of it, then both have room for the one that is written. What is put from aside fits between `low`
                // and `high`.
                unsafe {
                    let mut values = unread.step(&gap);
                    while unread.first < unread.last {
                        let next = unread.step(&gap);
                        gap.put_step::<INCLUSIVE>(values, bound);
                        values = next;
                    }
                    gap.put_step::<INCLUSIVE>(values, bound);
                    gap.put_all::<INCLUSIVE>(&aside[..2 * STEP + rest], bound);
                }
                gap.low
            }

            /// Writes `from` with the words less than `pivot` at the front; returns their number.
            #[target_feature(enable = $features)]
            fn partition_into(from: &[$word], words: &mut [$word], pivot: $word) -> usize {
                assert_eq!(from.len(), words.len());
                let bound = $splat(pivot as $signed);
                let mut gap = Gap { at: words.as_mut_ptr(), low: 0, high: words.len() };
                // SAFETY: the gap has room for what has not been read.
                unsafe { gap.put_all::<false>(from, bound) };
                gap.low
            }

            /// The middle of three words.
            fn middle(x: $word, y: $word, z: $word) -> $word {
                let (low, high) = if $order(&y, &x).is_lt() { (y, x) } else { (x, y) };
                if $order(&z, &low).is_lt() {
                    low
                } else if $order(&high, &z).is_lt() {
                    high
                } else {
                    z
                }
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
                        return words.sort_unstable_by($order);
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

quicksort! {
    words16, u16, i16, u16::MAX, u16::cmp, 32, __mmask32, "avx512f,avx512bw,avx512vbmi2,popcnt", _mm512_set1_epi16,
    _mm512_cmplt_epu16_mask, _mm512_min_epu16, _mm512_max_epu16, _mm512_mask_max_epu16, _mm512_mask_blend_epi16,
    _mm512_permutexvar_epi16, _mm512_permutex2var_epi16, _mm512_maskz_compress_epi16, _mm512_mask_loadu_epi16,
    _mm512_mask_storeu_epi16
}
quicksort! {
    signed16, i16, i16, i16::MAX, i16::cmp, 32, __mmask32, "avx512f,avx512bw,avx512vbmi2,popcnt", _mm512_set1_epi16,
    _mm512_cmplt_epi16_mask, _mm512_min_epi16, _mm512_max_epi16, _mm512_mask_max_epi16, _mm512_mask_blend_epi16,
    _mm512_permutexvar_epi16, _mm512_permutex2var_epi16, _mm512_maskz_compress_epi16, _mm512_mask_loadu_epi16,
    _mm512_mask_storeu_epi16
}
quicksort! {
    words32, u32, i32, u32::MAX, u32::cmp, 16, __mmask16, "avx512f,popcnt", _mm512_set1_epi32,
    _mm512_cmplt_epu32_mask, _mm512_min_epu32, _mm512_max_epu32, _mm512_mask_max_epu32, _mm512_mask_blend_epi32,
    _mm512_permutexvar_epi32, _mm512_permutex2var_epi32, _mm512_maskz_compress_epi32, _mm512_mask_loadu_epi32,
    _mm512_mask_storeu_epi32
}
quicksort! {
    signed32, i32, i32, i32::MAX, i32::cmp, 16, __mmask16, "avx512f,popcnt", _mm512_set1_epi32,
    _mm512_cmplt_epi32_mask, _mm512_min_epi32, _mm512_max_epi32, _mm512_mask_max_epi32, _mm512_mask_blend_epi32,
    _mm512_permutexvar_epi32, _mm512_permutex2var_epi32, _mm512_maskz_compress_epi32, _mm512_mask_loadu_epi32,
    _mm512_mask_storeu_epi32
}
quicksort! {
    words64, u64, i64, u64::MAX, u64::cmp, 8, __mmask8, "avx512f,popcnt", _mm512_set1_epi64,
    _mm512_cmplt_epu64_mask, _mm512_min_epu64, _mm512_max_epu64, _mm512_mask_max_epu64, _mm512_mask_blend_epi64,
    _mm512_permutexvar_epi64, _mm512_permutex2var_epi64, _mm512_maskz_compress_epi64, _mm512_mask_loadu_epi64,
    _mm512_mask_storeu_epi64
}
quicksort! {
    signed64, i64, i64, i64::MAX, i64::cmp, 8, __mmask8, "avx512f,popcnt", _mm512_set1_epi64,
    _mm512_cmplt_epi64_mask, _mm512_min_epi64, _mm512_max_epi64, _mm512_mask_max_epi64, _mm512_mask_blend_epi64,
    _mm512_permutexvar_epi64, _mm512_permutex2var_epi64, _mm512_maskz_compress_epi64, _mm512_mask_loadu_epi64,
    _mm512_mask_storeu_epi64
}
quicksort! {
    floats32, i32, i32, f32::INFINITY.to_bits(), crate::quicksort::comparisons::order32, 16, __mmask16,
    "avx512f,popcnt", _mm512_set1_epi32, crate::quicksort::comparisons::less32,
    crate::quicksort::comparisons::min32, crate::quicksort::comparisons::max32,
    crate::quicksort::comparisons::max_some32, _mm512_mask_blend_epi32, _mm512_permutexvar_epi32,
    _mm512_permutex2var_epi32, _mm512_maskz_compress_epi32, _mm512_mask_loadu_epi32, _mm512_mask_storeu_epi32
}
quicksort! {
    floats64, i64, i64, f64::INFINITY.to_bits(), crate::quicksort::comparisons::order64, 8, __mmask8,
    "avx512f,popcnt", _mm512_set1_epi64, crate::quicksort::comparisons::less64,
    crate::quicksort::comparisons::min64, crate::quicksort::comparisons::max64,
    crate::quicksort::comparisons::max_some64, _mm512_mask_blend_epi64, _mm512_permutexvar_epi64,
    _mm512_permutex2var_epi64, _mm512_maskz_compress_epi64, _mm512_mask_loadu_epi64, _mm512_mask_storeu_epi64
}
