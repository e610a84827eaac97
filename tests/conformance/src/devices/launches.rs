//! Launches that a table of cases cannot express: reuse of a compiled kernel, order, sizes and distances.

use cuproxide_hal::ir::{Body, Builder, Fold, Kernel, Mode};
use cuproxide_hal::{DType, Launch, MAX_DIMS, Operand, Specialization};

use super::Test;
use crate::rig::{Check, Failure, Rig, ensure};
use crate::samples::Random;

pub const TESTS: &[Test] = &[
    ("reused_map", reused_map),
    ("reused_reduction", |rig| reused_fold(rig, false)),
    ("reused_scan", |rig| reused_fold(rig, true)),
    ("ordered_scatter", ordered_scatter),
    ("many_points", many_points),
    ("far_apart", far_apart),
    ("fault_is_cleared", fault_is_cleared),
];

fn strides(strides: &[isize]) -> [isize; MAX_DIMS] {
    let mut all = [0; MAX_DIMS];
    all[..strides.len()].copy_from_slice(strides);
    all
}

fn integers(content: &[u8]) -> Vec<i32> {
    content.chunks_exact(4).map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn words(numbers: impl IntoIterator<Item = i32>) -> Vec<u8> {
    numbers.into_iter().flat_map(i32::to_le_bytes).collect()
}

fn increment() -> Kernel {
    let builder = Builder::new("increment");
    let x = builder.input(DType::I32);
    builder.output(DType::I32, x + x.like_integer(1));
    builder.finish_map()
}

/// One compiled kernel serves every shape and address of its specialisation.
fn reused_map(rig: &Rig) -> Check {
    let kernel = increment();
    let source = rig.upload(&words(0..5000))?;
    let mut compiled = std::collections::HashMap::new();
    for count in (1..70).chain([127, 128, 129, 1000, 4096, 4999]) {
        for start in [0, 1, 4] {
            let target = rig.upload(&words(std::iter::repeat_n(-7, count + start + 1)))?;
            let operand = |ptr: u64, first: usize| Operand { ptr: ptr + 4 * first as u64, strides: strides(&[4]) };
            let operands = [operand(source.ptr(), start.min(5000 - count)), operand(target.ptr(), start)];
            let launch = Launch { outer: &[count], inner: &[], operands: &operands, scalars: &[], scratch: 0 };
            let specialization = Specialization::of(&kernel, &launch);
            let entry = match compiled.entry(specialization) {
                std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(rig.device.compile(&kernel, specialization)?)
                }
            };
            // SAFETY: the kernel was compiled for this specialisation; both buffers hold what the strides reach.
            unsafe { entry.launch(&*rig.stream, &launch)? };
            let found = integers(&target.download()?);
            let first = start.min(5000 - count) as i32;
            let expected: Vec<i32> =
                std::iter::repeat_n(-7, start).chain((0..count as i32).map(|i| first + i + 1)).chain([-7]).collect();
            ensure(found == expected, || format!("{count} elements from {start} on are wrong"))?;
        }
    }
    Ok(())
}

fn sum_kernel(scan: bool) -> Kernel {
    let builder = Builder::new("sum");
    let input = builder.operand(DType::I32, Mode::Read);
    let output = builder.operand(DType::I32, Mode::Write);
    let fold = Fold {
        identity: builder.lambda(&[], |_| vec![builder.integer(DType::I32, 0)]),
        map: builder.lambda(&[], |_| vec![builder.load(input)]),
        combine: builder.lambda(&[DType::I32; 2], |vars| vec![vars[0] + vars[1]]),
        finish: builder.lambda(&[DType::I32], |vars| {
            builder.store(output, vars[0]);
            vec![]
        }),
    };
    builder.finish(if scan { Body::Scan(fold) } else { Body::Reduce(fold) })
}

/// One compiled fold serves few long rows and many short ones, and asks for the scratch memory that each needs.
fn reused_fold(rig: &Rig, scan: bool) -> Check {
    let kernel = sum_kernel(scan);
    let source = rig.upload(&words((0..400_000).map(|i| i % 7 - 2)))?;
    let mut compiled = std::collections::HashMap::new();
    for (rows, length) in
        [(1, 1), (1, 400_000), (3, 100_000), (1000, 4), (100_000, 4), (64, 64), (7, 1023), (2, 33), (4, 0)]
    {
        let results = if scan { rows * length } else { rows };
        let target = rig.upload(&words(std::iter::repeat_n(-7, results + 1)))?;
        let row = 4 * length as isize;
        let operands = [
            Operand { ptr: source.ptr(), strides: strides(&[row, 4]) },
            Operand { ptr: target.ptr(), strides: if scan { strides(&[row, 4]) } else { strides(&[4, 0]) } },
        ];
        let (outer, inner) = ([rows], [length]);
        let mut launch = Launch { outer: &outer, inner: &inner, operands: &operands, scalars: &[], scratch: 0 };
        let specialization = Specialization::of(&kernel, &launch);
        let kernel = match compiled.entry(specialization) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(rig.device.compile(&kernel, specialization)?)
            }
        };
        let scratch = rig.empty(kernel.scratch_bytes(&launch))?;
        launch.scratch = scratch.ptr();
        // SAFETY: the kernel was compiled for this specialisation; the buffers hold what the strides reach.
        unsafe { kernel.launch(&*rig.stream, &launch)? };
        let mut expected = vec![];
        for row in 0..rows {
            let mut sum = 0;
            for column in 0..length {
                sum += ((row * length + column) % 7) as i32 - 2;
                if scan {
                    expected.push(sum);
                }
            }
            if !scan {
                expected.push(sum);
            }
        }
        expected.push(-7);
        let found = integers(&target.download()?);
        ensure(found == expected, || format!("{rows} rows of {length} are wrong"))?;
    }
    Ok(())
}

/// A store to repeated targets keeps one of the values that meet; the last one on a device that runs points in order.
fn ordered_scatter(rig: &Rig) -> Check {
    let builder = Builder::new("scatter");
    builder.set_ordered(true);
    let place = builder.input(DType::I32);
    let target = builder.operand(DType::I32, Mode::Write);
    let index = builder.index().cast(DType::I32);
    builder.store_at(target, place.cast(DType::I64) * builder.integer(DType::I64, 4), index);
    let kernel = builder.finish_map();
    const COUNT: usize = 20_000;
    let mut random = Random::new(3);
    let places: Vec<i32> = (0..COUNT).map(|_| random.below(100) as i32).collect();
    let source = rig.upload(&words(places.iter().copied()))?;
    let target = rig.upload(&words([-1; 100]))?;
    let operands =
        [Operand { ptr: source.ptr(), strides: strides(&[4]) }, Operand { ptr: target.ptr(), strides: strides(&[0]) }];
    let launch = Launch { outer: &[COUNT], inner: &[], operands: &operands, scalars: &[], scratch: 0 };
    let compiled = rig.device.compile(&kernel, Specialization::of(&kernel, &launch))?;
    // SAFETY: the kernel was compiled for this launch and the targets lie within the buffer.
    unsafe { compiled.launch(&*rig.stream, &launch)? };
    let in_order = rig.device.info().writes_in_order;
    for (place, found) in integers(&target.download()?).into_iter().enumerate() {
        let last = places.iter().rposition(|&other| other == place as i32).unwrap_or(COUNT) as i32;
        let met = places.get(found as usize) == Some(&(place as i32));
        ensure(met && (found == last || !in_order), || format!("target {place} keeps {found}, the last is {last}"))?;
    }
    Ok(())
}

/// More points than any grid holds at once.
fn many_points(rig: &Rig) -> Check {
    const COUNT: usize = 40_000_003;
    let builder = Builder::new("many_points");
    let index = builder.index();
    builder.output(DType::U8, index % index.like_integer(251));
    let kernel = builder.finish_map();
    let target = rig.empty(COUNT)?;
    let operands = [Operand { ptr: target.ptr(), strides: strides(&[1]) }];
    let launch = Launch { outer: &[COUNT], inner: &[], operands: &operands, scalars: &[], scratch: 0 };
    let compiled = rig.device.compile(&kernel, Specialization::of(&kernel, &launch))?;
    // SAFETY: the kernel was compiled for this launch and the buffer holds `COUNT` bytes.
    unsafe { compiled.launch(&*rig.stream, &launch)? };
    let content = target.download()?;
    let wrong = content.iter().enumerate().find(|&(i, &found)| usize::from(found) != i % 251);
    ensure(wrong.is_none(), || format!("wrong (index, value): {wrong:?}"))
}

/// Elements further apart than 32-bit offsets reach.
fn far_apart(rig: &Rig) -> Check {
    const DISTANCE: usize = (1 << 31) + 4096;
    let far = match rig.empty(DISTANCE + 4) {
        Ok(far) => far,
        Err(error @ cuproxide_hal::Error::OutOfMemory { .. }) => return Err(Failure::Unsupported(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    let kernel = increment();
    let target = rig.empty(8)?;
    for (place, number) in [(far.ptr(), 10i32), (far.ptr() + DISTANCE as u64, 20)] {
        // SAFETY: both places lie within the buffer; the source outlives the call.
        unsafe { rig.device.copy_from_host(&*rig.stream, place, number.to_le_bytes().as_ptr(), 4)? };
    }
    for (origin, step, expected) in [(0, DISTANCE as isize, [11, 21]), (DISTANCE, -(DISTANCE as isize), [21, 11])] {
        let operands = [
            Operand { ptr: far.ptr() + origin as u64, strides: strides(&[step]) },
            Operand { ptr: target.ptr(), strides: strides(&[4]) },
        ];
        let launch = Launch { outer: &[2], inner: &[], operands: &operands, scalars: &[], scratch: 0 };
        let compiled = rig.device.compile(&kernel, Specialization::of(&kernel, &launch))?;
        // SAFETY: the kernel was compiled for this launch and both elements lie within the buffer.
        unsafe { compiled.launch(&*rig.stream, &launch)? };
        let found = integers(&target.download()?);
        ensure(found == expected, || format!("expected {expected:?}, found {found:?}"))?;
    }
    Ok(())
}

/// A fault is reported once.
fn fault_is_cleared(rig: &Rig) -> Check {
    let builder = Builder::new("fault");
    let x = builder.input(DType::I32);
    builder.require(x.gt(x.like_integer(0)), cuproxide_hal::Fault::NegativeIntegerPower);
    builder.output(DType::I32, x);
    let kernel = builder.finish_map();
    let (source, target) = (rig.upload(&words(0..300))?, rig.empty(1200)?);
    let operands = [source.ptr(), target.ptr()].map(|ptr| Operand { ptr, strides: strides(&[4]) });
    let launch = Launch { outer: &[300], inner: &[], operands: &operands, scalars: &[], scratch: 0 };
    let compiled = rig.device.compile(&kernel, Specialization::of(&kernel, &launch))?;
    // SAFETY: the kernel was compiled for this launch and the buffers hold 300 elements.
    unsafe { compiled.launch(&*rig.stream, &launch)? };
    rig.stream.synchronize()?;
    let faults = [rig.device.take_fault(), rig.device.take_fault()];
    let expected = [Some(cuproxide_hal::Fault::NegativeIntegerPower), None];
    ensure(faults == expected, || format!("faults were {faults:?}"))
}
