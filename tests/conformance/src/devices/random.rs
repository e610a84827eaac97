//! Random words.

use cuproxide_hal::libraries::{Rng, SequenceKind, SequenceSpec};

use super::Test;
use crate::rig::{Check, Rig, ensure};

pub const TESTS: &[Test] = &[
    ("philox", philox),
    ("xorwow", |rig| sequences(rig, SequenceKind::Xorwow)),
    ("mrg32k3a", |rig| sequences(rig, SequenceKind::Mrg32k3a)),
    ("scrambled sobol of 32 bits", |rig| points(rig, SequenceKind::ScrambledSobol32)),
    ("scrambled sobol of 64 bits", |rig| points(rig, SequenceKind::ScrambledSobol64)),
];

/// One block of Philox4x32-10, as Salmon and others define it.
fn block(mut key: [u32; 2], number: u64) -> [u32; 4] {
    let mut words = [number as u32, (number >> 32) as u32, 0, 0];
    for _ in 0..10 {
        let [first, second] = [u64::from(words[0]) * 0xD251_1F53, u64::from(words[2]) * 0xCD9E_8D57];
        words = [
            (second >> 32) as u32 ^ words[1] ^ key[0],
            second as u32,
            (first >> 32) as u32 ^ words[3] ^ key[1],
            first as u32,
        ];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    words
}

fn philox(rig: &Rig) -> Check {
    // The published answer for zeros.
    let zeros = [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8];
    ensure(block([0, 0], 0) == zeros, || "the reference is wrong".to_owned())?;
    let rng = rig.device.libraries().rng()?;
    let most = if rig.small { 9001 } else { 300_001 };
    for (key, first, count) in [
        ([0, 0], 0, 1),
        ([1, 2], 5, 63),
        ([u32::MAX, 77], u64::from(u32::MAX) - 10, 1000),
        ([0x1234_5678, 0x9abc_def0], u64::MAX - 3, 700),
        ([9, 8], 1 << 40, most),
    ] {
        let out = rig.empty(16 * (count + 1))?;
        // SAFETY: the buffer is larger than the blocks; the second half of a block is aligned to 8.
        unsafe { rng.philox(&*rig.stream, key, first, count, out.ptr() + 8) }?;
        let found = &out.download()?[8..];
        for (at, found) in found.chunks_exact(16).take(count).enumerate() {
            let expected = block(key, first.wrapping_add(at as u64)).map(u32::to_le_bytes).concat();
            ensure(found == expected, || format!("block {at} from {first} on with key {key:?}"))?;
        }
    }
    Ok(())
}

fn fill(rig: &Rig, rng: &dyn Rng, spec: &SequenceSpec, parts: &[(u64, usize)]) -> Result<Vec<u8>, crate::rig::Failure> {
    let width = spec.kind.word_bytes();
    let sequence = rng.sequence(spec)?;
    let out = rig.empty(parts.iter().map(|(_, count)| count * width).sum())?;
    let mut at = out.ptr();
    for &(first, count) in parts {
        // SAFETY: the buffer is as long as all parts together.
        unsafe { sequence.fill(&*rig.stream, first, at, count) }?;
        at += (count * width) as u64;
    }
    Ok(out.download()?)
}

/// A sequence is the same whether it is asked for at once, in parts or from the middle, and spread over all words.
fn sequences(rig: &Rig, kind: SequenceKind) -> Check {
    let rng = rig.device.libraries().rng()?;
    let spec = SequenceSpec { kind, seed: 0x1234_5678_9abc, dimensions: 1 };
    let whole = fill(rig, rng, &spec, &[(0, 30_000)])?;
    let parts = fill(rig, rng, &spec, &[(0, 10), (10, 4087), (4097, 20_000), (24_097, 5903)])?;
    ensure(parts == whole, || "parts are not the whole".to_owned())?;
    let later = fill(rig, rng, &spec, &[(12_345, 5000)])?;
    ensure(later == whole[4 * 12_345..4 * 17_345], || "a later part is not that of the whole".to_owned())?;
    let back = fill(rig, rng, &spec, &[(20_000, 10), (7, 3)])?;
    ensure(back[40..] == whole[28..40], || "an earlier part is not that of the whole".to_owned())?;
    let other = fill(rig, rng, &SequenceSpec { seed: 1, ..spec }, &[(0, 30_000)])?;
    ensure(other != whole, || "the seed is of no account".to_owned())?;
    let words: Vec<u32> = whole.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let mean = words.iter().map(|&word| f64::from(word)).sum::<f64>() / words.len() as f64 / 2f64.powi(32);
    // Five standard deviations.
    ensure((mean - 0.5).abs() < 5.0 / (12.0 * words.len() as f64).sqrt(), || format!("the mean is {mean}"))
}

/// Points of three dimensions: each coordinate has one point in each of as many parts of equal size.
fn points(rig: &Rig, kind: SequenceKind) -> Check {
    let rng = rig.device.libraries().rng()?;
    let (spec, count) = (SequenceSpec { kind, seed: 0, dimensions: 3 }, 256);
    let width = kind.word_bytes();
    let found = fill(rig, rng, &spec, &[(0, 3 * count)])?;
    for coordinates in found.chunks_exact(count * width) {
        let mut parts: Vec<u8> = coordinates.chunks_exact(width).map(|word| word[width - 1]).collect();
        parts.sort_unstable();
        ensure(parts.iter().enumerate().all(|(at, &part)| usize::from(part) == at), || {
            "points leave parts of an axis out".to_owned()
        })?;
    }
    let later = fill(rig, rng, &spec, &[(100, 3 * 50)])?;
    for axis in 0..3 {
        let expected = &found[(axis * count + 100) * width..(axis * count + 150) * width];
        ensure(later[axis * 50 * width..(axis + 1) * 50 * width] == *expected, || {
            format!("later points, axis {axis}")
        })?;
    }
    Ok(())
}
