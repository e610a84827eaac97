//! Selecting by flags and of repeated elements, counting by bins, packing bits and joining of pieces, on devices that have primitives for
//! them.

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{Bits, Edges, Histogram, Piece, Ranks, Select, Sorted};

use super::Test;
use crate::case::bytes;
use crate::interpreter::number::{Number, decode};
use crate::rig::{Check, Rig, ensure};
use crate::samples::{self, Random};

pub const TESTS: &[Test] = &[
    ("select", selects),
    ("bincount", counts_numbers),
    ("histogram of evenly spaced bins", |rig| histograms(rig, true)),
    ("histogram of any bins", |rig| histograms(rig, false)),
    ("pack", packs),
    ("join", joins),
    ("distinct", distinct),
    ("ranks", ranks),
];

/// Numbers of elements around those that blocks and threads take at a time.
const COUNTS: [usize; 9] = [1, 15, 16, 33, 1000, 16_383, 16_385, 100_001, 700_000];

fn selects(rig: &Rig) -> Check {
    let compaction = rig.device.libraries().compaction()?;
    let mut random = Random::new(7);
    for count in COUNTS {
        for share in [0, 1, 50, 99, 100] {
            let flags: Vec<u8> = (0..count).map(|_| u8::from(random.below(100) < share)).collect();
            let chosen: Vec<usize> = (0..count).filter(|&at| flags[at] != 0).collect();
            let place = rig.upload(&flags)?;
            let scratch = rig.empty(compaction.scratch_bytes(count))?;
            let total = rig.empty(8)?;
            // SAFETY: the buffers have the sizes that the contract asks for.
            unsafe { compaction.count(&*rig.stream, place.ptr(), count, scratch.ptr(), total.ptr())? };
            ensure(total.download()? == (chosen.len() as u64).to_le_bytes(), || {
                format!("the total of {count} is wrong")
            })?;
            for (size, numbers) in [(8, true), (1, false), (2, false), (4, false), (8, false), (16, false)] {
                let items: Vec<u8> = (0..count * size).map(|_| random.below(256) as u8).collect();
                let source = rig.upload(&items)?;
                let out = rig.empty(chosen.len() * size)?;
                let select = Select {
                    flags: place.ptr(),
                    count,
                    items: if numbers { 0 } else { source.ptr() },
                    size,
                    out: out.ptr(),
                    scratch: scratch.ptr(),
                };
                // SAFETY: as above; there is room for all that were counted.
                unsafe { compaction.write(&*rig.stream, &select)? };
                let expected: Vec<u8> = chosen
                    .iter()
                    .flat_map(|&at| match numbers {
                        true => (at as u64).to_le_bytes().to_vec(),
                        false => items[at * size..(at + 1) * size].to_vec(),
                    })
                    .collect();
                ensure(out.download()? == expected, || format!("{share} % of {count} items of {size} bytes"))?;
            }
        }
    }
    Ok(())
}

/// Runs a histogram and compares it with counts found one by one.
fn check(rig: &Rig, histogram: Histogram, bins: impl Iterator<Item = Option<usize>>) -> Check {
    let binning = rig.device.libraries().binning()?;
    // What is there already stays.
    let mut expected: Vec<i64> = (0..histogram.bins as i64).collect();
    let start: Vec<u8> = expected.iter().flat_map(|count| count.to_le_bytes()).collect();
    let counts = rig.upload(&start)?;
    // SAFETY: the buffers have the sizes that the contract asks for.
    unsafe { binning.histogram(&*rig.stream, &Histogram { counts: counts.ptr(), ..histogram })? };
    bins.flatten().for_each(|bin| expected[bin] += 1);
    let expected: Vec<u8> = expected.iter().flat_map(|count| count.to_le_bytes()).collect();
    ensure(counts.download()? == expected, || {
        format!("{} {} in {} bins", histogram.count, histogram.dtype, histogram.bins)
    })
}

fn counts_numbers(rig: &Rig) -> Check {
    let mut random = Random::new(11);
    let whole = DType::ALL.into_iter().filter(|dtype| !dtype.is_inexact());
    for dtype in whole {
        for (count, bins) in
            [(1, 1), (17, 2), (5000, 100), (100_003, 7), (100_003, 9000), (30_000, 70_000), (160_003, 9000)]
        {
            // Some lie outside.
            let most = match dtype {
                DType::Bool => 2,
                DType::I8 => 128,
                DType::U8 => 256,
                DType::I16 => 1 << 15,
                _ => 1 << 16,
            };
            let values: Vec<Number> =
                (0..count).map(|_| Number::Int(random.below((bins + bins / 8 + 1).min(most)) as i128)).collect();
            let source = rig.upload(&bytes(dtype, &values))?;
            let histogram = Histogram { dtype, values: source.ptr(), count, bins, edges: None, counts: 0 };
            let bin = |value: &Number| match *value {
                Number::Int(value) => Some(value as usize).filter(|&bin| bin < bins),
                _ => None,
            };
            check(rig, histogram, values.iter().map(bin))?;
        }
    }
    Ok(())
}

fn histograms(rig: &Rig, uniform: bool) -> Check {
    let mut random = Random::new(13);
    let real = DType::ALL.into_iter().filter(|dtype| !dtype.is_complex());
    for dtype in real {
        let any = samples::values(dtype, 300);
        for edge_type in [DType::F32, DType::F64] {
            // The edges are whole numbers, so no type rounds them.
            let exact = !(edge_type == DType::F32 && matches!(dtype, DType::F64))
                && (dtype.is_inexact() || (dtype.size() < 4) || edge_type == DType::F64);
            if !exact {
                continue;
            }
            for (count, bins) in [(1, 1), (1000, 3), (50_001, 100), (20_000, 5000)] {
                let edges: Vec<f64> = match uniform {
                    true => (0..=bins).map(|at| at as f64 - 2.0).collect(),
                    false => (0..=bins).map(|at| (at * at / 3) as f64 - 5.0).collect(),
                };
                let values: Vec<Number> = (0..count)
                    .map(|_| match random.below(3) {
                        0 => any[random.below(any.len())],
                        _ if dtype.is_inexact() => Number::Real(random.below(120) as f64 - 4.0),
                        _ => Number::Int(random.below(if dtype == DType::Bool { 2 } else { 120 }) as i128),
                    })
                    .collect();
                let source = rig.upload(&bytes(dtype, &values))?;
                let numbers: Vec<Number> = edges.iter().map(|&edge| Number::Real(edge)).collect();
                let place = rig.upload(&bytes(edge_type, &numbers))?;
                let edges_of = Edges { dtype: edge_type, ptr: place.ptr(), uniform };
                let histogram =
                    Histogram { dtype, values: source.ptr(), count, bins, edges: Some(edges_of), counts: 0 };
                let bin = |value: &Number| {
                    let value = value.complex().re;
                    let inside = value >= edges[0] && value <= edges[bins];
                    inside.then(|| edges[1..bins].partition_point(|&edge| edge <= value))
                };
                check(rig, histogram, values.iter().map(bin))?;
            }
        }
    }
    Ok(())
}

fn joins(rig: &Rig) -> Check {
    let joining = rig.device.libraries().joining()?;
    let mut random = Random::new(17);
    for (rows, count, most, unit) in [
        (1, 1, 9usize, 1),
        (1, 300, 5000, 1),
        (1, 1000, 40, 1),
        (1, 200, 90, 16),
        (1, 5, 600_000, 1),
        (3, 5, 700, 8),
        (1000, 70, 12, 4),
        (77, 3, 40_000, 2),
        (1, 2, 200_000, 0),
        (1, 900, 20_000, 0),
        (5, 7, 6000, 0),
        (90, 400, 12, 0),
    ] {
        // Some are empty, and some begin off the widest alignment; without a unit all are as wide.
        let wide = |random: &mut Random| most.checked_div(unit).map_or(most, |units| random.below(units + 1) * unit);
        let widths: Vec<usize> = (0..count).map(|_| wide(&mut random)).collect();
        let contents: Vec<Vec<u8>> =
            widths.iter().map(|width| (0..rows * width).map(|_| random.below(256) as u8).collect()).collect();
        let mut places = vec![];
        for content in &contents {
            let shift = random.below(3) * unit;
            let padded: Vec<u8> = std::iter::repeat_n(0, shift).chain(content.iter().copied()).collect();
            places.push((rig.upload(&padded)?, shift));
        }
        let pieces: Vec<Piece> = places
            .iter()
            .zip(&widths)
            .map(|((place, shift), &width)| Piece { ptr: place.ptr() + *shift as u64, width })
            .collect();
        let expected: Vec<u8> = (0..rows)
            .flat_map(|row| {
                contents.iter().zip(&widths).flat_map(move |(content, &width)| &content[row * width..(row + 1) * width])
            })
            .copied()
            .collect();
        let out = rig.empty(expected.len())?;
        let scratch = rig.empty(joining.scratch_bytes(count))?;
        // SAFETY: the pieces, the result and the scratch memory have the sizes that the contract asks for.
        unsafe { joining.join(&*rig.stream, out.ptr(), rows, &pieces, scratch.ptr())? };
        ensure(out.download()? == expected, || format!("{count} pieces of {rows} rows"))?;
    }
    Ok(())
}

/// Sorted elements with repetitions: the first ones of equal ones remain. Zeros of either sign are equal.
fn distinct(rig: &Rig) -> Check {
    let distinct = rig.device.libraries().distinct()?;
    let mut random = Random::new(23);
    for dtype in DType::ALL.into_iter().filter(|dtype| !dtype.is_complex()) {
        let any = samples::values(dtype, 200);
        for count in [1, 16, 33, 1000, 16_385, 70_001] {
            // The fewer kinds there are, the more repeat.
            for kinds in [1, 7, any.len()] {
                let mut elements: Vec<Number> = (0..count).map(|_| any[random.below(kinds)]).collect();
                elements.sort_by(|a, b| match (a, b) {
                    (Number::Int(a), Number::Int(b)) => a.cmp(b),
                    (a, b) => {
                        let (a, b) = (a.real(), b.real());
                        a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
                    }
                });
                let content = bytes(dtype, &elements);
                // What the device sees, which the type may have rounded.
                let seen: Vec<Number> = content.chunks_exact(dtype.size()).map(|bytes| decode(dtype, bytes)).collect();
                for equal_nan in [false, true] {
                    let same = |a: Number, b: Number| match (a, b) {
                        (Number::Int(a), Number::Int(b)) => a == b,
                        (a, b) if a.real().is_nan() && b.real().is_nan() => equal_nan,
                        (a, b) => a.real() == b.real(),
                    };
                    let first = |&at: &usize| at == 0 || !same(seen[at - 1], seen[at]);
                    let expected: Vec<usize> = (0..count).filter(first).collect();
                    let place = rig.upload(&content)?;
                    let mut sorted = Sorted { dtype, ptr: place.ptr(), count, equal_nan, scratch: 0 };
                    let scratch = rig.empty(distinct.scratch_bytes(&sorted))?;
                    sorted.scratch = scratch.ptr();
                    let (total, out) = (rig.empty(8)?, rig.empty(expected.len() * dtype.size())?);
                    // SAFETY: the buffers have the sizes that the contract asks for.
                    unsafe { distinct.count(&*rig.stream, &sorted, total.ptr())? };
                    ensure(total.download()? == (expected.len() as u64).to_le_bytes(), || {
                        format!("the number of distinct ones of {count} {dtype}, NaN equal: {equal_nan}")
                    })?;
                    // SAFETY: as above; there is room for all that were counted.
                    unsafe { distinct.write(&*rig.stream, &sorted, out.ptr())? };
                    let size = dtype.size();
                    let kept = expected.iter().flat_map(|&at| content[at * size..(at + 1) * size].to_vec());
                    ensure(out.download()? == kept.collect::<Vec<u8>>(), || {
                        format!("the distinct ones of {count} {dtype}, NaN equal: {equal_nan}")
                    })?;
                }
            }
        }
    }
    Ok(())
}

fn ranks(rig: &Rig) -> Check {
    let ranking = rig.device.libraries().ranking()?;
    let mut random = Random::new(19);
    for (shape, window) in [
        ([1, 1, 1], [1, 1]),
        ([2, 9, 300], [3, 5]),
        ([1, 40, 129], [15, 15]),
        ([1, 3, 31], [255, 2]),
        ([3, 20, 65], [1, 100]),
    ] {
        for dtype in [DType::U8, DType::I8] {
            let [planes, height, width] = shape;
            let [rows, columns] = window;
            let (tall, pitch) = (height + rows - 1, width + columns - 1);
            // Many equal ones, and both ends of the range.
            let spread = 1 + random.below(256);
            let bytes: Vec<u8> = (0..planes * tall * pitch).map(|_| (random.below(spread) + 120) as u8).collect();
            for rank in [0, rows * columns / 2, rows * columns - 1] {
                let (wide, out) = (rig.upload(&bytes)?, rig.empty(planes * height * width)?);
                let request = Ranks { dtype, wide: wide.ptr(), shape, window, rank, out: out.ptr() };
                if !ranking.takes(&request) {
                    continue;
                }
                // SAFETY: the buffers have the sizes that the contract asks for.
                unsafe { ranking.ranks(&*rig.stream, &request)? };
                let flip = if dtype == DType::I8 { 0x80 } else { 0 };
                let mut expected = Vec::new();
                for (plane, y, x) in
                    (0..planes * height * width).map(|i| (i / width / height, i / width % height, i % width))
                {
                    let mut inside: Vec<u8> = (0..rows * columns)
                        .map(|i| bytes[(plane * tall + y + i / columns) * pitch + x + i % columns] ^ flip)
                        .collect();
                    expected.push(*inside.select_nth_unstable(rank).1 ^ flip);
                }
                ensure(out.download()? == expected, || format!("rank {rank} in {window:?} of {shape:?} {dtype}"))?;
            }
        }
    }
    Ok(())
}

fn packs(rig: &Rig) -> Check {
    let packing = rig.device.libraries().packing()?;
    let mut random = Random::new(59);
    for (rows, length) in
        [(1_usize, 1_usize), (1, 8), (5, 63), (3, 64), (7, 65), (1, 300_001), (2, 262_145), (40_000, 9)]
    {
        let truths: Vec<u8> =
            (0..rows * length).map(|_| if random.below(2) == 0 { 0 } else { 1 + random.below(255) as u8 }).collect();
        let width = length.div_ceil(8);
        for big in [false, true] {
            let mut expected = vec![0; rows * width];
            for (at, _) in truths.iter().enumerate().filter(|(_, truth)| **truth != 0) {
                let bit = at % length % 8;
                expected[at / length * width + at % length / 8] |= 1 << if big { 7 - bit } else { bit };
            }
            let (from, to) = (rig.upload(&truths)?, rig.empty(rows * width)?);
            let request = Bits { rows, length, width, big, truths: from.ptr(), bytes: to.ptr() };
            // SAFETY: the buffers have the sizes that the contract asks for.
            unsafe { packing.pack(&*rig.stream, &request)? };
            ensure(to.download()? == expected, || format!("{rows} x {length} packed"))?;
            // Fewer than there are, and more.
            for wanted in [length, length.saturating_sub(9), 8 * width + 70] {
                let out = rig.empty(rows * wanted)?;
                let request = Bits { length: wanted, truths: out.ptr(), ..request };
                // SAFETY: as above.
                unsafe { packing.unpack(&*rig.stream, &request)? };
                let truth = |row: usize, at: usize| at < length && truths[row * length + at] != 0;
                let places = (0..rows * wanted).map(|at| u8::from(truth(at / wanted, at % wanted)));
                ensure(out.download()? == places.collect::<Vec<u8>>(), || {
                    format!("{wanted} bits of {rows} x {length} unpacked")
                })?;
            }
        }
    }
    Ok(())
}
