//! Bools whose bytes are neither 0 nor 1, as flags, keys and values: true, and counted as often as they are written.

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{Edges, Histogram, Search, Select, Sort, Sorted};

use super::Test;
use crate::case;
use crate::interpreter::Number;
use crate::rig::{Check, Rig, ensure};
use crate::samples::Random;

pub const TESTS: &[Test] = &[
    ("select by every byte", selects_every_byte),
    ("select by any bytes", selects),
    ("select by flags that change", selects_what_was_counted),
    ("sort", sorts),
    ("search", searches),
    ("distinct", distinct),
    ("bincount", counts),
    ("histogram", histograms),
];

/// Numbers of bools around those that threads, blocks and tasks take at a time.
const COUNTS: [usize; 12] = [1, 2, 15, 16, 17, 257, 4097, 16_383, 16_385, 65_535, 65_537, 200_003];

/// So many bytes, of which about a share in a hundred is not 0.
fn bytes(random: &mut Random, count: usize, share: usize) -> Vec<u8> {
    let mut byte = || if random.below(100) < share { 1 + random.below(255) as u8 } else { 0 };
    (0..count).map(|_| byte()).collect()
}

fn words(values: impl Iterator<Item = usize>) -> Vec<u8> {
    values.flat_map(|value| (value as u64).to_le_bytes()).collect()
}

/// Counts flags and selects numbers and items by them.
fn select(rig: &Rig, flags: &[u8], sizes: &[usize], what: &str) -> Check {
    let compaction = rig.device.libraries().compaction()?;
    let count = flags.len();
    let chosen: Vec<usize> = (0..count).filter(|&at| flags[at] != 0).collect();
    let place = rig.upload(flags)?;
    let (scratch, total) = (rig.empty(compaction.scratch_bytes(count))?, rig.empty(8)?);
    // SAFETY: the buffers have the sizes that the contract asks for.
    unsafe { compaction.count(&*rig.stream, place.ptr(), count, scratch.ptr(), total.ptr())? };
    ensure(total.download()? == words([chosen.len()].into_iter()), || format!("the total of {count} {what}"))?;
    for &size in sizes {
        let items: Vec<u8> = (0..count * size).map(|at| (at.wrapping_mul(2_654_435_761) >> 9) as u8).collect();
        let source = rig.upload(&items)?;
        for (address, expected) in [
            (source.ptr(), chosen.iter().flat_map(|&at| items[at * size..][..size].to_vec()).collect()),
            (0, words(chosen.iter().copied())),
        ] {
            let size = if address == 0 { 8 } else { size };
            let out = rig.empty(chosen.len() * size)?;
            let (flags, scratch) = (place.ptr(), scratch.ptr());
            let request = Select { flags, count, items: address, size, out: out.ptr(), scratch };
            // SAFETY: as above; there is room for all that were counted.
            unsafe { compaction.write(&*rig.stream, &request)? };
            ensure(out.download()? == expected, || format!("items of {size} bytes by {count} {what}"))?;
        }
    }
    Ok(())
}

fn selects_every_byte(rig: &Rig) -> Check {
    for byte in 0..=255 {
        // In every place of a word, and alone; 255 and 257 of them: sums of bytes would wrap.
        for count in [3, 255, 257, 1030] {
            select(rig, &vec![byte; count], &[4], &format!("flags {byte}"))?;
        }
        let alone: Vec<u8> = (0..600).map(|at| if at % 5 == 0 { byte } else { 0 }).collect();
        select(rig, &alone, &[1], &format!("flags 0 and {byte}"))?;
    }
    select(rig, &vec![255; 100_001], &[8], "flags 255")?;
    select(rig, &vec![2; 100_001], &[16], "flags 2")
}

fn selects(rig: &Rig) -> Check {
    let mut random = Random::new(31);
    for count in COUNTS {
        for share in [1, 50, 100] {
            let flags = bytes(&mut random, count, share);
            let sizes: &[usize] = if rig.small { &[2, 16] } else { &[1, 2, 4, 8, 16] };
            select(rig, &flags, sizes, &format!("flags, {share} % set"))?;
        }
    }
    Ok(())
}

/// Another thread may set or clear flags after they were counted: nothing is written behind what was counted.
fn selects_what_was_counted(rig: &Rig) -> Check {
    let compaction = rig.device.libraries().compaction()?;
    let mut random = Random::new(37);
    for count in [100, 16_385, 70_001] {
        for (before, after) in [(0, 100), (50, 100), (99, 100), (100, 0), (50, 51)] {
            let counted = bytes(&mut random, count, before);
            let set = counted.iter().filter(|&&flag| flag != 0).count();
            let (first, second) = (rig.upload(&counted)?, rig.upload(&bytes(&mut random, count, after))?);
            let (scratch, total) = (rig.empty(compaction.scratch_bytes(count))?, rig.empty(8)?);
            let guarded = vec![0xa5; 8 * (count + 8)];
            let out = rig.upload(&guarded)?;
            // SAFETY: the buffers have the sizes that the contract asks for.
            unsafe {
                compaction.count(&*rig.stream, first.ptr(), count, scratch.ptr(), total.ptr())?;
                let (flags, scratch) = (second.ptr(), scratch.ptr());
                let request = Select { flags, count, items: 0, size: 8, out: out.ptr(), scratch };
                compaction.write(&*rig.stream, &request)?;
            }
            let found = out.download()?;
            ensure(found[8 * set..] == guarded[8 * set..], || {
                format!("{set} of {count} flags were counted, and more were written")
            })?;
        }
    }
    Ok(())
}

fn sorts(rig: &Rig) -> Check {
    let sorting = rig.device.libraries().sorting()?;
    let mut random = Random::new(41);
    for (rows, length) in [(1, 1), (3, 7), (1, 256), (1, 1000), (50, 33), (2, 5000), (1, 20_000), (1, 70_001)] {
        let keys = bytes(&mut random, rows * length, 60);
        let source = rig.upload(&keys)?;
        let places: Vec<usize> = keys
            .chunks(length)
            .flat_map(|row| {
                let mut places: Vec<usize> = (0..length).collect();
                places.sort_by_key(|&at| row[at] != 0);
                places
            })
            .collect();
        let ordered: Vec<u8> = keys
            .chunks(length)
            .flat_map(|row| {
                let mut truths: Vec<u8> = row.iter().map(|&byte| (byte != 0).into()).collect();
                truths.sort_unstable();
                truths
            })
            .collect();
        for (want_keys, want_indices) in [(true, true), (true, false), (false, true)] {
            let (sorted, indices) = (rig.empty(keys.len())?, rig.empty(8 * keys.len())?);
            let mut sort = Sort {
                dtype: DType::Bool,
                rows,
                length,
                wanted: (0, length),
                bits: 8,
                keys: source.ptr(),
                sorted: if want_keys { sorted.ptr() } else { 0 },
                indices: if want_indices { indices.ptr() } else { 0 },
                scratch: 0,
            };
            let scratch = rig.empty(sorting.scratch_bytes(&sort))?;
            sort.scratch = scratch.ptr();
            // SAFETY: the buffers are as large as the shape says.
            unsafe { sorting.sort(&*rig.stream, &sort)? };
            let wrong = |what: &str| format!("{what} of {rows} x {length} bools");
            ensure(!want_keys || sorted.download()? == ordered, || wrong("sorted keys"))?;
            ensure(!want_indices || indices.download()? == words(places.iter().copied()), || wrong("indices"))?;
        }
        ensure(source.download()? == keys, || "the keys were changed".to_owned())?;
    }
    Ok(())
}

fn searches(rig: &Rig) -> Check {
    let searching = rig.device.libraries().searching()?;
    let mut random = Random::new(43);
    for (zeros, ones) in [(0, 1), (1, 0), (3, 4), (700, 900), (5000, 12_000)] {
        let mut sorted = vec![0; zeros];
        sorted.extend(bytes(&mut random, ones, 100));
        let values = bytes(&mut random, 5001, 50);
        let (place, source, out) = (rig.upload(&sorted)?, rig.upload(&values)?, rig.empty(8 * values.len())?);
        for right in [false, true] {
            let search = Search {
                dtype: DType::Bool,
                sorted: place.ptr(),
                length: sorted.len(),
                values: source.ptr(),
                count: values.len(),
                right,
                out: out.ptr(),
            };
            // SAFETY: the buffers are as large as the numbers of elements say.
            unsafe { searching.search(&*rig.stream, &search)? };
            let before = |&value: &u8| match (value != 0, right) {
                (false, false) => 0,
                (true, true) => zeros + ones,
                _ => zeros,
            };
            ensure(out.download()? == words(values.iter().map(before)), || {
                format!("places among {zeros} false and {ones} true ones, from the right: {right}")
            })?;
        }
    }
    Ok(())
}

fn distinct(rig: &Rig) -> Check {
    let distinct = rig.device.libraries().distinct()?;
    let mut random = Random::new(47);
    for (zeros, ones) in [(0, 1), (1, 0), (16, 17), (0, 16_385), (9000, 8000), (30_000, 40_001)] {
        let mut content = vec![0; zeros];
        content.extend(bytes(&mut random, ones, 100));
        let place = rig.upload(&content)?;
        let mut sorted =
            Sorted { dtype: DType::Bool, ptr: place.ptr(), count: content.len(), equal_nan: false, scratch: 0 };
        let scratch = rig.empty(distinct.scratch_bytes(&sorted))?;
        sorted.scratch = scratch.ptr();
        let expected: Vec<u8> =
            [(zeros, 0), (ones, 1)].iter().filter(|(count, _)| *count > 0).map(|part| part.1).collect();
        let (total, out) = (rig.empty(8)?, rig.empty(expected.len())?);
        // SAFETY: the buffers have the sizes that the contract asks for.
        unsafe { distinct.count(&*rig.stream, &sorted, total.ptr())? };
        ensure(total.download()? == words([expected.len()].into_iter()), || {
            format!("the number in {zeros} and {ones}")
        })?;
        // SAFETY: as above; there is room for all that were counted.
        unsafe { distinct.write(&*rig.stream, &sorted, out.ptr())? };
        ensure(out.download()? == expected, || format!("the distinct ones of {zeros} and {ones}"))?;
    }
    Ok(())
}

/// Counts values into bins, with edges or without, where all that are true have one bin.
fn check(rig: &Rig, edges: Option<(DType, &[f64])>, bins: usize, bin: impl Fn(bool) -> Option<usize>) -> Check {
    let binning = rig.device.libraries().binning()?;
    let mut random = Random::new(53);
    for count in COUNTS {
        let values = bytes(&mut random, count, 70);
        let mut expected = vec![0; bins];
        values.iter().filter_map(|&value| bin(value != 0)).for_each(|bin| expected[bin] += 1);
        let (source, counts) = (rig.upload(&values)?, rig.upload(&vec![0; 8 * bins])?);
        let content = |(dtype, edges): (DType, &[f64])| -> Vec<u8> {
            case::bytes(dtype, &edges.iter().map(|&edge| Number::Real(edge)).collect::<Vec<_>>())
        };
        let place = edges.map(|edges| rig.upload(&content(edges))).transpose()?;
        let edges =
            edges.zip(place.as_ref()).map(|((dtype, _), place)| Edges { dtype, ptr: place.ptr(), uniform: false });
        let request = Histogram { dtype: DType::Bool, values: source.ptr(), count, bins, edges, counts: counts.ptr() };
        // SAFETY: the buffers have the sizes that the contract asks for.
        unsafe { binning.histogram(&*rig.stream, &request)? };
        ensure(counts.download()? == words(expected.into_iter()), || format!("{count} bools in {bins} bins"))?;
    }
    Ok(())
}

fn counts(rig: &Rig) -> Check {
    for bins in [1, 2, 256, 9000, 70_000] {
        check(rig, None, bins, |truth| Some(usize::from(truth)).filter(|&bin| bin < bins))?;
    }
    Ok(())
}

fn histograms(rig: &Rig) -> Check {
    let edges: &[f64] = &[0.0, 0.5, 1.0, 3.0, 300.0];
    for dtype in [DType::F32, DType::F64] {
        check(rig, Some((dtype, edges)), 4, |truth| Some(if truth { 2 } else { 0 }))?;
    }
    Ok(())
}
