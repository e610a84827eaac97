//! Sorting of unsigned integers with AVX-512: quicksort that partitions whole registers, down to blocks whose elements
//! count how many are less. Parts without a position that is wanted are left as they are.

use std::ops::Range;

use crate::{counting, pool};

/// Elements from which the two sides of a partition are sorted by different threads.
const PARALLEL: usize = 32 << 10;

/// Unsigned integers that can be sorted here.
pub trait Word: Copy + Ord + Send + Sync {
    /// Brings the words that belong to the `wanted` positions there, lesser ones before them and greater ones after, if
    /// this processor can do it.
    fn sort(words: &mut [Self], wanted: Range<usize>, parallel: bool) -> bool;
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

macro_rules! counting {
    ($($type:ty),*) => {
        $(impl Word for $type {
            fn sort(words: &mut [$type], _: Range<usize>, _: bool) -> bool {
                counting::sort(words);
                true
            }
        })*
    };
}

counting!(u8, u16);

#[cfg(not(target_arch = "x86_64"))]
comparison!(u32, u64);

/// Whether the processor has the instructions.
#[cfg(target_arch = "x86_64")]
fn is_able() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
macro_rules! quicksort {
    (
        $module:ident, $word:ty, $lanes:literal, $load:ident, $store:ident, $splat:ident, $less:ident, $add:ident,
        $compress:ident
    ) => {
        mod $module {
            use std::arch::x86_64::*;
            use std::ops::Range;

            use super::{PARALLEL, pool};

            const LANES: usize = $lanes;
            /// Registers of a block.
            const REGISTERS: usize = 4;
            /// Most elements of a block.
            const BLOCK: usize = LANES * REGISTERS;

            /// Sorts at most `BLOCK` words: each element's place is how many are less.
            #[target_feature(enable = "avx512f,popcnt")]
            fn block(words: &mut [$word]) {
                let mut padded = [<$word>::MAX; BLOCK];
                padded[..words.len()].copy_from_slice(words);
                let mut ranks = [0 as $word; BLOCK];
                // SAFETY: all accesses are within the two arrays.
                unsafe {
                    let from = padded.as_ptr();
                    let values: [_; REGISTERS] = std::array::from_fn(|reg| $load(from.add(reg * LANES).cast()));
                    let mut places = [_mm512_setzero_si512(); REGISTERS];
                    let one = $splat(1);
                    for &word in words.iter() {
                        let word = $splat(word.cast_signed());
                        for reg in 0..REGISTERS {
                            places[reg] = $add(places[reg], $less(word, values[reg]), places[reg], one);
                        }
                    }
                    for reg in 0..REGISTERS {
                        $store(ranks.as_mut_ptr().add(reg * LANES).cast(), places[reg]);
                    }
                }
                // Equal words share a place; the gaps behind it are theirs.
                words.fill(0);
                let count = words.len();
                for (&word, &rank) in padded[..count].iter().zip(&ranks[..count]) {
                    words[rank as usize] = word;
                }
                let mut most = 0;
                for word in words {
                    most = most.max(*word);
                    *word = most;
                }
            }

            /// Moves the words less than `pivot` (or not greater, if `inclusive`) to the front; returns their number.
            /// `spare` has room for all words and one register more.
            #[target_feature(enable = "avx512f,popcnt")]
            fn partition(words: &mut [$word], spare: &mut [$word], pivot: $word, inclusive: bool) -> usize {
                let (count, at) = (words.len(), words.as_mut_ptr());
                let (mut low, mut high, mut next) = (0, 0, 0);
                let bound = $splat(pivot.cast_signed());
                // SAFETY: `low` never passes what has been read, so that a whole register may be written there; `spare`
                // has room for a register behind its last word.
                unsafe {
                    while next + LANES <= count {
                        let words = $load(at.add(next).cast());
                        let left = if inclusive { !$less(bound, words) } else { $less(words, bound) };
                        $store(at.add(low).cast(), $compress(left, words));
                        $store(spare.as_mut_ptr().add(high).cast(), $compress(!left, words));
                        let taken = left.count_ones() as usize;
                        (low, high, next) = (low + taken, high + LANES - taken, next + LANES);
                    }
                    while next < count {
                        let word = *at.add(next);
                        if word < pivot || (inclusive && word == pivot) {
                            *at.add(low) = word;
                            low += 1;
                        } else {
                            spare[high] = word;
                            high += 1;
                        }
                        next += 1;
                    }
                    std::ptr::copy_nonoverlapping(spare.as_ptr(), at.add(low), high);
                }
                low
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

            /// Sorts what is wanted; after `depth` partitions in vain by comparisons.
            #[target_feature(enable = "avx512f,popcnt")]
            pub fn sort(words: &mut [$word], spare: &mut [$word], wanted: Range<usize>, depth: u32, parallel: bool) {
                let (mut words, mut wanted, mut depth) = (words, wanted, depth);
                while words.len() > BLOCK {
                    if wanted.is_empty() {
                        return;
                    }
                    if depth == 0 {
                        return words.sort_unstable();
                    }
                    depth -= 1;
                    let middle = pivot(words);
                    let mut low = partition(words, spare, middle, false);
                    if low == 0 {
                        // The pivot is the least word: its equals are sorted.
                        low = partition(words, spare, middle, true);
                        words = &mut words[low..];
                        wanted = wanted.start.saturating_sub(low)..wanted.end.saturating_sub(low);
                        continue;
                    }
                    let (left, right) = words.split_at_mut(low);
                    let before = wanted.start.min(low)..wanted.end.min(low);
                    let after = wanted.start.saturating_sub(low)..wanted.end.saturating_sub(low);
                    if parallel && before.len().min(after.len()) >= PARALLEL {
                        // Each side needs a register more than its words.
                        let mut other = vec![0; left.len() + LANES];
                        let work =
                            |words: &mut [$word], spare: &mut [$word], wanted| sort(words, spare, wanted, depth, true);
                        rayon::join(|| work(left, &mut other, before), || work(right, spare, after));
                        return;
                    }
                    let (first, second) = if left.len() < right.len() {
                        ((left, before), (right, after))
                    } else {
                        ((right, after), (left, before))
                    };
                    sort(first.0, spare, first.1, depth, parallel);
                    (words, wanted) = second;
                }
                block(words);
            }

            impl super::Word for $word {
                fn sort(words: &mut [$word], wanted: Range<usize>, parallel: bool) -> bool {
                    if !super::is_able() {
                        return false;
                    }
                    if words.len() <= BLOCK {
                        // SAFETY: the processor has the features.
                        unsafe { block(words) };
                        return true;
                    }
                    let mut spare = vec![0; words.len() + LANES];
                    let depth = 2 * words.len().ilog2();
                    match pool::pool() {
                        Some(pool) if parallel && pool::threads() > 1 => {
                            // SAFETY: the processor has the features.
                            pool.install(|| unsafe { sort(words, &mut spare, wanted, depth, true) });
                        }
                        // SAFETY: the processor has the features.
                        _ => unsafe { sort(words, &mut spare, wanted, depth, false) },
                    }
                    true
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
quicksort!(
    words32,
    u32,
    16,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_set1_epi32,
    _mm512_cmplt_epu32_mask,
    _mm512_mask_add_epi32,
    _mm512_maskz_compress_epi32
);
#[cfg(target_arch = "x86_64")]
quicksort!(
    words64,
    u64,
    8,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_set1_epi64,
    _mm512_cmplt_epu64_mask,
    _mm512_mask_add_epi64,
    _mm512_maskz_compress_epi64
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
        for count in (0..200).chain([1000, 5000, 100_000]) {
            for range in [1, 2, 10, 1000, u64::MAX] {
                let words: Vec<W> = (0..count).map(|_| make(next() % range)).collect();
                let rising: Vec<W> = (0..count as u64).map(&make).collect();
                for words in [words, rising.iter().rev().copied().collect(), rising] {
                    let mut expected = words.clone();
                    expected.sort_unstable();
                    for parallel in [false, true] {
                        for wanted in [0..count, count / 3..count.min(count / 3 + 1), count / 2..count - count / 9] {
                            let mut sorted = words.clone();
                            if !W::sort(&mut sorted, wanted.clone(), parallel) {
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
    }
}
