//! Fourier transforms, against sums over all points.

use std::f64::consts::TAU;

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{FftDirection, FftKind, FftSpec};
use num_complex::Complex64;

use super::Test;
use crate::case::bytes;
use crate::interpreter::number::{Number, decode, round};
use crate::rig::{Check, Rig, ensure};
use crate::samples::Random;

pub const TESTS: &[Test] = &[
    ("complex64", |rig| transforms(rig, FftKind::Complex, DType::F32)),
    ("complex128", |rig| transforms(rig, FftKind::Complex, DType::F64)),
    ("float32 to half a spectrum", |rig| transforms(rig, FftKind::RealToComplex, DType::F32)),
    ("float64 to half a spectrum", |rig| transforms(rig, FftKind::RealToComplex, DType::F64)),
    ("half a spectrum to float32", |rig| transforms(rig, FftKind::ComplexToReal, DType::F32)),
    ("half a spectrum to float64", |rig| transforms(rig, FftKind::ComplexToReal, DType::F64)),
];

const SHAPES: [(&[usize], usize); 12] = [
    (&[2], 1),
    (&[3], 5),
    (&[8], 3),
    (&[13], 2),
    (&[60], 1),
    (&[64], 7),
    (&[101], 1),
    (&[210], 2),
    (&[4, 6], 3),
    (&[9, 5], 1),
    (&[3, 4, 5], 2),
    (&[2, 8, 7], 1),
];

fn transforms(rig: &Rig, kind: FftKind, dtype: DType) -> Check {
    for (lengths, batch) in SHAPES {
        for direction in [FftDirection::Forward, FftDirection::Inverse] {
            let spec = FftSpec { kind, dtype, lengths: lengths.to_vec(), batch, interleaved: false };
            transform(rig, &spec, direction, false)?;
            if kind == FftKind::Complex {
                transform(rig, &spec, direction, true)?;
                let spec = FftSpec { batch: 17 * batch, interleaved: true, ..spec };
                if rig.device.libraries().fft()?.interleaves(&spec.lengths, spec.batch) {
                    transform(rig, &spec, direction, false)?;
                    transform(rig, &spec, direction, true)?;
                }
            }
        }
    }
    Ok(())
}

/// The transform of one axis of a C-ordered array, point by point.
fn along(data: &[Complex64], lengths: &[usize], axis: usize, sign: f64) -> Vec<Complex64> {
    let length = lengths[axis];
    let inner: usize = lengths[axis + 1..].iter().product();
    let roots: Vec<Complex64> = (0..length).map(|k| Complex64::cis(sign * TAU * k as f64 / length as f64)).collect();
    let value = |at: usize| {
        let (outer, k, place) = (at / (inner * length), at / inner % length, at % inner);
        (0..length).map(|j| data[(outer * length + j) * inner + place] * roots[j * k % length]).sum()
    };
    (0..data.len()).map(value).collect()
}

fn all_axes(mut data: Vec<Complex64>, lengths: &[usize], sign: f64) -> Vec<Complex64> {
    for axis in 0..lengths.len() {
        data = along(&data, lengths, axis, sign);
    }
    data
}

/// The whole spectrum of which a half is given: what a real signal would have.
fn completed(half: &[Complex64], lengths: &[usize]) -> Vec<Complex64> {
    let (last, outer) = lengths.split_last().expect("there is an axis");
    let kept = last / 2 + 1;
    let lines: usize = outer.iter().product();
    // The line whose frequencies are the negative ones.
    let mirrored = |mut line: usize| {
        let (mut at, mut scale) = (0, 1);
        for &length in outer.iter().rev() {
            at += (length - line % length) % length * scale;
            scale *= length;
            line /= length;
        }
        at
    };
    let value = |at: usize| {
        let (line, k) = (at / last, at % last);
        let own = |line: usize, k: usize| half[line * kept + k];
        match k {
            k if k < kept && k != 0 && 2 * k != *last => own(line, k),
            // Frequencies that are their own mirror images along the last axis.
            k if k < kept => (own(line, k) + own(mirrored(line), k).conj()) / 2.0,
            k => own(mirrored(line), last - k).conj(),
        }
    };
    (0..lines * last).map(value).collect()
}

fn transform(rig: &Rig, spec: &FftSpec, direction: FftDirection, in_place: bool) -> Check {
    let FftSpec { kind, dtype, lengths, batch, interleaved } = spec;
    let complex = if *dtype == DType::F32 { DType::C64 } else { DType::C128 };
    let points: usize = lengths.iter().product();
    let last = lengths[lengths.len() - 1];
    let half = points / last * (last / 2 + 1);
    let (sizes, types) = match kind {
        FftKind::Complex => ([points, points], [complex, complex]),
        FftKind::RealToComplex => ([points, half], [*dtype, complex]),
        FftKind::ComplexToReal => ([half, points], [complex, *dtype]),
    };
    let mut random = Random::new(points as u64);
    let mut number = |_| {
        let mut part = || round(*dtype, random.unit() * 2.0 - 1.0);
        if types[0].is_complex() { Number::Complex(Complex64::new(part(), part())) } else { Number::Real(part()) }
    };
    let mut input: Vec<Number> = (0..sizes[0] * batch).map(&mut number).collect();
    let sign = match (kind, direction) {
        (FftKind::RealToComplex, _) | (FftKind::Complex, FftDirection::Forward) => -1.0,
        _ => 1.0,
    };
    let mut expected = vec![];
    for part in input.chunks(sizes[0]) {
        let part: Vec<Complex64> = part.iter().map(|number| number.complex()).collect();
        match kind {
            FftKind::Complex => expected.extend(all_axes(part, lengths, sign)),
            FftKind::RealToComplex => {
                let whole = all_axes(part, lengths, sign);
                let kept = |(at, value): (usize, Complex64)| (at % last <= last / 2).then_some(value);
                expected.extend(whole.into_iter().enumerate().filter_map(kept));
            }
            FftKind::ComplexToReal => expected.extend(all_axes(completed(&part, lengths), lengths, sign)),
        }
    }
    if *interleaved {
        // From one transform after another to their elements in turns.
        input = (0..input.len()).map(|at| input[at % batch * points + at / batch]).collect();
        expected = (0..expected.len()).map(|at| expected[at % batch * points + at / batch]).collect();
    }
    let plan = rig.device.libraries().fft()?.plan(spec)?;
    let source = rig.upload(&bytes(types[0], &input))?;
    let target = rig.empty(sizes[1] * batch * types[1].size())?;
    let scratch = rig.empty(plan.scratch_bytes())?;
    let out = if in_place { &source } else { &target };
    // SAFETY: the buffers have the sizes of the plan; the same one twice is allowed for complex transforms.
    unsafe { plan.execute(&*rig.stream, direction, source.ptr(), out.ptr(), scratch.ptr()) }?;
    let epsilon = if *dtype == DType::F32 { 1e-6 } else { 1e-15 };
    let largest = expected.iter().map(|value| value.norm()).fold(0.0, f64::max);
    let bound = epsilon * largest * (2.0 + (points as f64).log2());
    let found = out.download()?;
    for (at, (element, expected)) in found.chunks_exact(types[1].size()).zip(&expected).enumerate() {
        let found = decode(types[1], element).complex();
        ensure((found - expected).norm() <= bound, || {
            let side = if *interleaved { " side by side" } else { "" };
            format!("{kind:?} {direction:?} of {lengths:?} x {batch}{side}: [{at}] expected {expected}, found {found}")
        })?;
    }
    if !in_place && !plan.overwrites_input() {
        ensure(source.download()? == bytes(types[0], &input), || format!("{kind:?} of {lengths:?} changed its input"))?;
    }
    ensure(*kind == FftKind::ComplexToReal || !plan.overwrites_input(), || format!("{kind:?} destroys its input"))
}
