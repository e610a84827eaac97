//! Sorting, and searching what was sorted on devices that have a primitive for it.

use std::cmp::Ordering;

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{Carried, Search, Sort};
use num_complex::Complex64;

use super::Test;
use crate::case::bytes;
use crate::interpreter::number::{Number, decode};
use crate::rig::{Check, Rig, ensure};
use crate::samples::{self, Random};
use crate::tolerance::Tolerance;

macro_rules! tests {
    ($($name:literal => $dtype:ident;)*) => {
        pub const TESTS: &[Test] = &[$(($name, |rig| sorts(rig, DType::$dtype)),)*];
    };
}

tests! {
    "bool" => Bool; "int8" => I8; "uint8" => U8; "int16" => I16; "uint16" => U16; "int32" => I32; "uint32" => U32;
    "int64" => I64; "uint64" => U64; "float16" => F16; "bfloat16" => BF16; "float32" => F32; "float64" => F64;
    "complex64" => C64; "complex128" => C128;
}

/// NumPy's order: numbers with NaN come last, those with a NaN real part after those with a NaN imaginary part.
fn less(a: Complex64, b: Complex64) -> bool {
    if a.re < b.re {
        !a.im.is_nan() || b.im.is_nan()
    } else if a.re > b.re {
        b.im.is_nan() && !a.im.is_nan()
    } else if a.re == b.re || (a.re.is_nan() && b.re.is_nan()) {
        a.im < b.im || (b.im.is_nan() && !a.im.is_nan())
    } else {
        b.re.is_nan()
    }
}

fn order(a: Number, b: Number) -> Ordering {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => a.cmp(&b),
        _ if less(a.complex(), b.complex()) => Ordering::Less,
        _ if less(b.complex(), a.complex()) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

fn sorts(rig: &Rig, dtype: DType) -> Check {
    let few = samples::small(dtype, 40);
    let mut any = samples::values(dtype, 200);
    let mut random = Random::new(5);
    for i in (1..any.len()).rev() {
        any.swap(i, random.below(i + 1));
    }
    let mut draw =
        |from: &[Number], count: usize| -> Vec<Number> { (0..count).map(|_| from[random.below(from.len())]).collect() };
    // Three tiles or more of what a block sorts: 4,096 keys where they have 8 bytes or carry elements along, else 8,192.
    let most_carrying = if rig.small { 9_001 } else { 100_000 };
    let most = if rig.small && dtype.real().size() < 8 { 17_001 } else { most_carrying };
    for (rows, length) in [(1, 1), (1, 2), (3, 7), (1, 1000), (50, 33), (2, 5000), (1, most), (2000, 2)] {
        let keys = draw(&any, rows * length);
        sort(rig, dtype, rows, length, &keys)?;
        // Many equal keys show whether the sort is stable.
        let keys = draw(&few, rows * length);
        sort(rig, dtype, rows, length, &keys)?;
    }
    if matches!(dtype, DType::I16 | DType::I32 | DType::U32 | DType::I64) {
        for bits in [1, 8, 13, 24, 40].into_iter().filter(|&bits| bits < 8 * dtype.size()) {
            let mut random = Random::new(6);
            let mut low = |count: usize| -> Vec<Number> {
                (0..count).map(|_| Number::Int((random.below(1 << 40) >> (40 - bits)) as i128)).collect()
            };
            let keys = [low(3 * 7), low(most)];
            sort_by(rig, dtype, 3, 7, &keys[0], bits)?;
            sort_by(rig, dtype, 1, most, &keys[1], bits)?;
        }
    }
    if matches!(dtype, DType::I32 | DType::I64) {
        for (length, bits) in [(1, 1), (5000, 13), (most_carrying, 3), (most_carrying, 13), (most_carrying, 20)] {
            let mut random = Random::new(7);
            let keys: Vec<Number> = (0..length).map(|_| Number::Int(random.below(1 << bits) as i128)).collect();
            for sizes in [[4, 8], [4, 16], [8, 1], [8, 2], [8, 16], [4, 4]] {
                carry(rig, dtype, &keys, bits, sizes)?;
            }
        }
    }
    let ascending = {
        let mut keys = any.clone();
        keys.sort_by(|&a, &b| order(a, b));
        keys
    };
    let descending: Vec<Number> = ascending.iter().rev().copied().collect();
    sort(rig, dtype, 1, ascending.len(), &ascending)?;
    sort(rig, dtype, 1, descending.len(), &descending)?;
    for length in [1, 2, ascending.len(), 5000, 20_001] {
        let mut sorted = draw(&any, length);
        sorted.sort_by(|&a, &b| order(a, b));
        search(rig, dtype, &sorted, &draw(&any, 3001))?;
    }
    Ok(())
}

/// Finds the places of values in a sorted array, from either side.
fn search(rig: &Rig, dtype: DType, sorted: &[Number], values: &[Number]) -> Check {
    let Some(searching) = rig.device.libraries().searching.find()?.filter(|_| !dtype.is_complex()) else {
        return Ok(());
    };
    let (place, source) = (rig.upload(&bytes(dtype, sorted))?, rig.upload(&bytes(dtype, values))?);
    for right in [false, true] {
        let out = rig.empty(8 * values.len())?;
        let search = Search {
            dtype,
            sorted: place.ptr(),
            length: sorted.len(),
            values: source.ptr(),
            count: values.len(),
            right,
            out: out.ptr(),
        };
        // SAFETY: the buffers are as large as the numbers of elements say.
        unsafe { searching.search(&*rig.stream, &search)? };
        for (found, &value) in out.download()?.chunks_exact(8).zip(values) {
            let before = |&element: &Number| match order(element, value) {
                Ordering::Less => true,
                Ordering::Equal => right,
                Ordering::Greater => false,
            };
            let expected = sorted.partition_point(before);
            ensure(found == (expected as i64).to_le_bytes(), || {
                format!("{value:?} in {} elements, from the right: {right}", sorted.len())
            })?;
        }
    }
    Ok(())
}

/// Sorts keys below `2^bits` with elements of these sizes, on devices that carry such elements along.
fn carry(rig: &Rig, dtype: DType, keys: &[Number], bits: usize, sizes: [usize; 2]) -> Check {
    let sorting = rig.device.libraries().sorting()?;
    let elements = sizes
        .map(|size| (0..keys.len() * size).map(|at| (at.wrapping_mul(2_654_435_761) >> 9) as u8).collect::<Vec<_>>());
    let source = rig.upload(&bytes(dtype, keys))?;
    let from = [rig.upload(&elements[0])?, rig.upload(&elements[1])?];
    let (sorted, to) =
        (rig.empty(keys.len() * dtype.size())?, [rig.empty(elements[0].len())?, rig.empty(elements[1].len())?]);
    let carried = [0, 1].map(|at| Carried { from: from[at].ptr(), to: to[at].ptr(), size: sizes[at] });
    let mut sort = Sort {
        dtype,
        rows: 1,
        length: keys.len(),
        wanted: (0, keys.len()),
        bits,
        keys: source.ptr(),
        sorted: sorted.ptr(),
        indices: 0,
        scratch: 0,
    };
    let Some(size) = sorting.carrying_scratch_bytes(&sort, &carried) else {
        return Ok(());
    };
    let scratch = rig.empty(size)?;
    sort.scratch = scratch.ptr();
    // SAFETY: the buffers are as large as the numbers of elements say.
    unsafe { sorting.sort_carrying(&*rig.stream, &sort, &carried)? };
    let mut places: Vec<usize> = (0..keys.len()).collect();
    places.sort_by(|&a, &b| order(keys[a], keys[b]));
    let wrong = |what: &str| format!("{} keys of {bits} bits with {sizes:?} bytes: {what} are wrong", keys.len());
    let expected: Vec<Number> = places.iter().map(|&place| keys[place]).collect();
    ensure(sorted.download()? == bytes(dtype, &expected), || wrong("keys"))?;
    for at in [0, 1] {
        let size = sizes[at];
        let expected: Vec<u8> =
            places.iter().flat_map(|&place| elements[at][place * size..][..size].iter().copied()).collect();
        ensure(to[at].download()? == expected, || wrong("elements"))?;
        ensure(from[at].download()? == elements[at], || wrong("elements, which were changed,"))?;
    }
    ensure(source.download()? == bytes(dtype, keys), || "the keys were changed".to_owned())
}

fn sort(rig: &Rig, dtype: DType, rows: usize, length: usize, keys: &[Number]) -> Check {
    sort_by(rig, dtype, rows, length, keys, 8 * dtype.size())
}

/// Sorts keys of which only the low `bits` differ from zero.
fn sort_by(rig: &Rig, dtype: DType, rows: usize, length: usize, keys: &[Number], bits: usize) -> Check {
    let sorting = rig.device.libraries().sorting()?;
    let source = rig.upload(&bytes(dtype, keys))?;
    let expected: Vec<usize> = keys
        .chunks(length)
        .flat_map(|row| {
            let mut places: Vec<usize> = (0..length).collect();
            places.sort_by(|&a, &b| order(row[a], row[b]));
            places
        })
        .collect();
    let part = (length / 3, length / 3 + length.div_ceil(4));
    for (want_keys, want_indices, wanted) in
        [(true, true, (0, length)), (true, false, (0, length)), (false, true, part), (true, false, part)]
    {
        let is_wanted = |at: &usize| (wanted.0..wanted.1).contains(&(at % length));
        let sorted = rig.empty(rows * length * dtype.size())?;
        let indices = rig.empty(rows * length * 8)?;
        let mut sort = Sort {
            dtype,
            rows,
            length,
            wanted,
            bits,
            keys: source.ptr(),
            sorted: if want_keys { sorted.ptr() } else { 0 },
            indices: if want_indices { indices.ptr() } else { 0 },
            scratch: 0,
        };
        let scratch = rig.empty(sorting.scratch_bytes(&sort))?;
        sort.scratch = scratch.ptr();
        // SAFETY: the buffers are as large as the shape says.
        unsafe { sorting.sort(&*rig.stream, &sort)? };
        let wrong = |what: &str, at: usize| format!("{rows}x{length}: {what} {at} is wrong");
        if want_indices {
            let found = indices.download()?;
            for (at, (found, &expected)) in
                found.chunks_exact(8).zip(&expected).enumerate().filter(|(at, _)| is_wanted(at))
            {
                ensure(found == (expected as i64).to_le_bytes(), || wrong("index", at))?;
            }
        }
        if want_keys {
            let found = sorted.download()?;
            for (at, (found, &expected)) in
                found.chunks_exact(dtype.size()).zip(&expected).enumerate().filter(|(at, _)| is_wanted(at))
            {
                let expected = keys[at / length * length + expected];
                let found = decode(dtype, found);
                ensure(Tolerance::EXACT.accepts(dtype, expected, found), || {
                    format!("{}: expected {expected:?}, found {found:?}", wrong("key", at))
                })?;
            }
        }
    }
    ensure(source.download()? == bytes(dtype, keys), || "the keys were changed".to_owned())
}
