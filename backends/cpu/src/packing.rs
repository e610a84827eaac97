//! Truth values packed into bits, and bits as bytes of 0 and 1.

use std::slice;

use cuproxide_hal::libraries::{Bits, Packing};
use cuproxide_hal::{Result, Stream};

use crate::sort::CpuPrimitives;
use crate::{graph, pool};

/// Truth values of a task, a multiple of those of the widest register.
const PIECE: usize = 256 << 10;
/// Eight bytes of 1, and of 127.
const ONES: u64 = 0x0101_0101_0101_0101;
const SEVENS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
/// The bit of each of eight truth values in its own byte, the first one highest or lowest.
const BIG: u64 = 0x0102_0408_1020_4080;
const LITTLE: u64 = 0x8040_2010_0804_0201;

impl Packing for CpuPrimitives {
    unsafe fn pack(&self, stream: &dyn Stream, bits: &Bits) -> Result<()> {
        let bits = in_one_row(*bits);
        // SAFETY: the caller's promise.
        graph::run_or_record(stream, "pack", move || unsafe { pack(&bits) })
    }

    unsafe fn unpack(&self, stream: &dyn Stream, bits: &Bits) -> Result<()> {
        let bits = in_one_row(*bits);
        // SAFETY: the caller's promise.
        graph::run_or_record(stream, "unpack", move || unsafe { unpack(&bits) })
    }
}

/// The same with one row, if all bytes of rows are full.
fn in_one_row(bits: Bits) -> Bits {
    let Bits { rows, length, width, .. } = bits;
    if length == 8 * width { Bits { rows: 1, length: rows * length, width: rows * width, ..bits } } else { bits }
}

/// Turns as many bytes as the second slice takes: truth values into bits, or bits into truth values.
type Turn = fn(&[u8], &mut [u8]);

/// # Safety
/// As for [`Packing::pack`].
unsafe fn pack(bits: &Bits) -> Result<()> {
    let turn = packing(bits.big);
    by_pieces(bits, |truths, bytes, start| {
        // SAFETY: the caller's promise; every byte is that of one piece.
        let (from, to) = unsafe {
            (
                slice::from_raw_parts((bits.truths as *const u8).add(truths.start), truths.len()),
                slice::from_raw_parts_mut((bits.bytes as *mut u8).add(bytes + start / 8), truths.len().div_ceil(8)),
            )
        };
        turn(from, to);
    });
    Ok(())
}

/// # Safety
/// As for [`Packing::unpack`].
unsafe fn unpack(bits: &Bits) -> Result<()> {
    let turn = unpacking(bits.big);
    by_pieces(bits, |truths, bytes, start| {
        let first = (start / 8).min(bits.width);
        let there = (8 * (bits.width - first)).min(truths.len());
        // SAFETY: the caller's promise; every truth value is that of one piece.
        let (from, to) = unsafe {
            (
                slice::from_raw_parts((bits.bytes as *const u8).add(bytes + first), there.div_ceil(8)),
                slice::from_raw_parts_mut((bits.truths as *mut u8).add(truths.start), truths.len()),
            )
        };
        let (to, beyond) = to.split_at_mut(there);
        turn(from, to);
        beyond.fill(0);
    });
    Ok(())
}

/// Runs `work` on pieces of rows: where their truth values are, where the bytes of the row begin, and where the piece
/// begins in the row.
fn by_pieces(bits: &Bits, work: impl Fn(std::ops::Range<usize>, usize, usize) + Sync) {
    let Bits { rows, length, width, .. } = *bits;
    if rows == 0 || length == 0 {
        return;
    }
    let (pieces, together) = (length.div_ceil(PIECE), (PIECE / length).max(1));
    pool::run(rows.div_ceil(together) * pieces, |task| {
        let (first, start) = (task / pieces * together, task % pieces * PIECE);
        for row in first..rows.min(first + together) {
            let place = row * length;
            work(place + start..place + length.min(start + PIECE), row * width, start);
        }
    });
}

/// The byte whose bits say which of eight bytes are not 0.
#[inline(always)]
fn packed<const IS_BIG: bool>(truths: [u8; 8]) -> u8 {
    let word = u64::from_le_bytes(truths);
    let bits = (((word & SEVENS) + SEVENS) | word) >> 7 & ONES;
    // No two of the 64 partial products are the same power of two, so the highest byte gets no carry.
    (bits.wrapping_mul(if IS_BIG { LITTLE } else { BIG }) >> 56) as u8
}

/// The bits of a byte as eight bytes of 0 and 1.
#[inline(always)]
fn unpacked<const IS_BIG: bool>(byte: u8) -> [u8; 8] {
    let alone = (u64::from(byte) * ONES) & if IS_BIG { BIG } else { LITTLE };
    ((alone + SEVENS) >> 7 & ONES).to_le_bytes()
}

fn pack_words<const IS_BIG: bool>(truths: &[u8], bytes: &mut [u8]) {
    let (words, rest) = truths.as_chunks::<8>();
    for (byte, &word) in bytes.iter_mut().zip(words) {
        *byte = packed::<IS_BIG>(word);
    }
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        bytes[words.len()] = packed::<IS_BIG>(word);
    }
}

fn unpack_words<const IS_BIG: bool>(bytes: &[u8], truths: &mut [u8]) {
    let (words, rest) = truths.as_chunks_mut::<8>();
    for (word, &byte) in words.iter_mut().zip(bytes) {
        *word = unpacked::<IS_BIG>(byte);
    }
    if !rest.is_empty() {
        rest.copy_from_slice(&unpacked::<IS_BIG>(bytes[words.len()])[..rest.len()]);
    }
}

fn packing(is_big: bool) -> Turn {
    #[cfg(target_arch = "x86_64")]
    if let Some(turn) = registers::packing(is_big).into_iter().flatten().next() {
        return turn;
    }
    if is_big { pack_words::<true> } else { pack_words::<false> }
}

fn unpacking(is_big: bool) -> Turn {
    #[cfg(target_arch = "x86_64")]
    if let Some(turn) = registers::unpacking(is_big).into_iter().flatten().next() {
        return turn;
    }
    if is_big { unpack_words::<true> } else { unpack_words::<false> }
}

/// A register at a time, where the processor tells the truth of all its bytes at once.
#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::x86_64::*;

    use super::{BIG, LITTLE, Turn, pack_words, unpack_words};

    /// The ways to pack that the processor has, the best one first.
    pub fn packing(is_big: bool) -> [Option<Turn>; 2] {
        let all: [Turn; 2] =
            if is_big { [pack::<true>, pack_half::<true>] } else { [pack::<false>, pack_half::<false>] };
        there(all)
    }

    /// The same for unpacking.
    pub fn unpacking(is_big: bool) -> [Option<Turn>; 2] {
        let all: [Turn; 2] =
            if is_big { [unpack::<true>, unpack_half::<true>] } else { [unpack::<false>, unpack_half::<false>] };
        there(all)
    }

    fn there([avx512, avx2]: [Turn; 2]) -> [Option<Turn>; 2] {
        let has_avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        [has_avx512.then_some(avx512), is_x86_feature_detected!("avx2").then_some(avx2)]
    }

    macro_rules! turns {
        ($($name:ident => $wide:ident;)*) => {
            $(fn $name<const IS_BIG: bool>(from: &[u8], to: &mut [u8]) {
                // SAFETY: it is chosen only where the processor has the instructions.
                unsafe { $wide::<IS_BIG>(from, to) }
            })*
        };
    }

    turns! { pack => pack_avx512; pack_half => pack_avx2; unpack => unpack_avx512; unpack_half => unpack_avx2; }

    /// Where the bytes of 16 come from whose eights are reversed.
    fn reversed() -> __m128i {
        // SAFETY: part of every x86-64 processor.
        unsafe { _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8) }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn pack_avx512<const IS_BIG: bool>(truths: &[u8], bytes: &mut [u8]) {
        let (groups, rest) = truths.as_chunks::<64>();
        let (words, others) = bytes.split_at_mut(8 * groups.len());
        let order = _mm512_broadcast_i32x4(reversed());
        for (word, group) in words.as_chunks_mut::<8>().0.iter_mut().zip(groups) {
            // SAFETY: the group has the size of a register.
            let truths = unsafe { _mm512_loadu_si512(group.as_ptr().cast()) };
            let truths = if IS_BIG { _mm512_shuffle_epi8(truths, order) } else { truths };
            *word = _mm512_test_epi8_mask(truths, truths).to_le_bytes();
        }
        pack_words::<IS_BIG>(rest, others);
    }

    #[target_feature(enable = "avx2")]
    fn pack_avx2<const IS_BIG: bool>(truths: &[u8], bytes: &mut [u8]) {
        let (groups, rest) = truths.as_chunks::<32>();
        let (words, others) = bytes.split_at_mut(4 * groups.len());
        let order = _mm256_broadcastsi128_si256(reversed());
        for (word, group) in words.as_chunks_mut::<4>().0.iter_mut().zip(groups) {
            // SAFETY: the group has the size of a register.
            let truths = unsafe { _mm256_loadu_si256(group.as_ptr().cast()) };
            let truths = if IS_BIG { _mm256_shuffle_epi8(truths, order) } else { truths };
            let zeros = _mm256_movemask_epi8(_mm256_cmpeq_epi8(truths, _mm256_setzero_si256()));
            *word = (!zeros).to_le_bytes();
        }
        pack_words::<IS_BIG>(rest, others);
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn unpack_avx512<const IS_BIG: bool>(bytes: &[u8], truths: &mut [u8]) {
        let (groups, rest) = truths.as_chunks_mut::<64>();
        let (words, others) = bytes.split_at(8 * groups.len());
        let order = _mm512_broadcast_i32x4(reversed());
        for (group, &word) in groups.iter_mut().zip(words.as_chunks::<8>().0) {
            let truths = _mm512_maskz_set1_epi8(u64::from_le_bytes(word), 1);
            let truths = if IS_BIG { _mm512_shuffle_epi8(truths, order) } else { truths };
            // SAFETY: the group has the size of a register.
            unsafe { _mm512_storeu_si512(group.as_mut_ptr().cast(), truths) };
        }
        unpack_words::<IS_BIG>(others, rest);
    }

    #[target_feature(enable = "avx2")]
    fn unpack_avx2<const IS_BIG: bool>(bytes: &[u8], truths: &mut [u8]) {
        let (groups, rest) = truths.as_chunks_mut::<32>();
        let (words, others) = bytes.split_at(4 * groups.len());
        let copies = _mm256_setr_epi64x(0, super::ONES as i64, 2 * super::ONES as i64, 3 * super::ONES as i64);
        let alone = _mm256_set1_epi64x(if IS_BIG { BIG } else { LITTLE } as i64);
        for (group, &word) in groups.iter_mut().zip(words.as_chunks::<4>().0) {
            let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(i32::from_le_bytes(word)), copies);
            let set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, alone), alone);
            // SAFETY: the group has the size of a register.
            unsafe {
                _mm256_storeu_si256(group.as_mut_ptr().cast(), _mm256_and_si256(set, _mm256_set1_epi8(1)));
            }
        }
        unpack_words::<IS_BIG>(others, rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ways that this processor has, of one direction.
    fn ways(portable: Turn, others: &[Option<Turn>]) -> Vec<Turn> {
        others.iter().flatten().copied().chain([portable]).collect()
    }

    fn check(is_big: bool, pack: &[Turn], unpack: &[Turn]) {
        for length in [0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 129, 1000] {
            let truths: Vec<u8> = (0..length).map(|at: usize| (at * at % 7 * 37) as u8).collect();
            let mut expected = vec![0; length.div_ceil(8)];
            for (at, &truth) in truths.iter().enumerate() {
                let bit = if is_big { 7 - at % 8 } else { at % 8 };
                expected[at / 8] |= u8::from(truth != 0) << bit;
            }
            for turn in pack {
                let mut bytes = vec![0xaa; length.div_ceil(8)];
                turn(&truths, &mut bytes);
                assert_eq!(bytes, expected, "{length} packed");
            }
            for turn in unpack {
                let mut found = vec![7; length];
                turn(&expected, &mut found);
                assert!(
                    found.iter().zip(&truths).all(|(&one, &other)| one == u8::from(other != 0)),
                    "{length} unpacked"
                );
            }
        }
    }

    #[test]
    fn all_ways_agree() {
        for is_big in [false, true] {
            let portable: [Turn; 2] = if is_big {
                [pack_words::<true>, unpack_words::<true>]
            } else {
                [pack_words::<false>, unpack_words::<false>]
            };
            #[cfg(target_arch = "x86_64")]
            let others = (registers::packing(is_big), registers::unpacking(is_big));
            #[cfg(not(target_arch = "x86_64"))]
            let others = ([None], [None]);
            check(is_big, &ways(portable[0], &others.0), &ways(portable[1], &others.1));
        }
    }

    #[test]
    fn every_byte_is_its_bits() {
        for byte in 0..=255 {
            assert_eq!(packed::<true>(unpacked::<true>(byte)), byte);
            assert_eq!(packed::<false>(unpacked::<false>(byte)), byte);
            assert_eq!(unpacked::<true>(byte), std::array::from_fn(|at| byte >> (7 - at) & 1));
        }
    }
}
