//! Sorting of integers, with AVX-512 where the processor has it. Parts without a position that is wanted are left as they are.

use std::ops::Range;

use crate::counting;

#[cfg(target_arch = "x86_64")]
mod comparisons;
#[cfg(target_arch = "x86_64")]
mod partitions;

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

    /// [`Word::sort`] of words that are the bits of floats, by these floats: none is NaN, a negative zero or subnormal.
    fn sort_bits(_words: &mut [Self], _wanted: Range<usize>, _parallel: bool) -> bool {
        false
    }

    /// The same for words that are copied `from` elsewhere first.
    fn sort_bits_from(from: &[Self], words: &mut [Self], wanted: Range<usize>, parallel: bool) -> bool {
        words.copy_from_slice(from);
        Self::sort_bits(words, wanted, parallel)
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
                    if partitions::$module::run(words, wanted.clone(), parallel) {
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
                partitions::$module::run_from(from, words, wanted.clone(), parallel) || {
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
    ($($type:ty, $module:ident, $floats:ident;)*) => {
        $(impl Word for $type {
            fn sort(words: &mut [$type], wanted: Range<usize>, parallel: bool) -> bool {
                partitions::$module::run(words, wanted, parallel)
            }

            fn sort_from(from: &[$type], words: &mut [$type], wanted: Range<usize>, parallel: bool) -> bool {
                partitions::$module::run_from(from, words, wanted.clone(), parallel) || {
                    words.copy_from_slice(from);
                    Self::sort(words, wanted, parallel)
                }
            }

            fn sort_bits(words: &mut [$type], wanted: Range<usize>, parallel: bool) -> bool {
                // SAFETY: integers of the same size.
                let words = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len()) };
                partitions::$floats::run(words, wanted, parallel)
            }

            fn sort_bits_from(from: &[$type], words: &mut [$type], wanted: Range<usize>, parallel: bool) -> bool {
                // SAFETY: integers of the same size.
                let bits = unsafe { std::slice::from_raw_parts(from.as_ptr().cast(), from.len()) };
                // SAFETY: as above.
                let part = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len()) };
                partitions::$floats::run_from(bits, part, wanted.clone(), parallel) || {
                    words.copy_from_slice(from);
                    Self::sort_bits(words, wanted, parallel)
                }
            }
        })*
    };
}

#[cfg(target_arch = "x86_64")]
by_partitions! {
    u32, words32, floats32;
    i32, signed32, floats32;
    u64, words64, floats64;
    i64, signed64, floats64;
}

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

    #[test]
    fn bits_are_sorted_as_floats() {
        let mut word = 7u64;
        let mut next = || {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            word.rotate_left(23)
        };
        for count in [0, 1, 2, 9, 100, 1000, 100_000] {
            let floats: Vec<f64> = (0..count)
                .map(|_| f64::from_bits(next()))
                .map(|x| if x.is_normal() || x.is_infinite() { x } else { 0.0 })
                .collect();
            let mut sorted: Vec<u64> = floats.iter().map(|x| x.to_bits()).collect();
            if !u64::sort_bits(&mut sorted, 0..count, true) {
                return;
            }
            let mut expected = floats;
            expected.sort_by(f64::total_cmp);
            assert_eq!(sorted, expected.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), "{count} words");
            let singles: Vec<f32> = expected
                .iter()
                .rev()
                .map(|&x| x as f32)
                .map(|x| if x.is_subnormal() || x == 0.0 { 0.0 } else { x })
                .collect();
            let mut sorted: Vec<u32> = singles.iter().map(|x| x.to_bits()).collect();
            assert!(u32::sort_bits(&mut sorted, 0..count, true));
            let mut expected = singles;
            expected.sort_by(f32::total_cmp);
            assert_eq!(sorted, expected.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), "{count} words");
        }
    }
}
