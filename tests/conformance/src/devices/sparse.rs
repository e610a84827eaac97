//! Sparse products, transpositions and triangular systems.

use cuproxide_hal::libraries::{SparseMatrix, Spmm, Triangle};
use cuproxide_hal::{DType, Result, Scalar};
use num_complex::Complex64;

use super::Test;
use crate::case::bytes;
use crate::interpreter::number::{Number, decode};
use crate::rig::{Buffer, Check, Rig, ensure};
use crate::samples::Random;
use crate::tolerance::Tolerance;

pub const TESTS: &[Test] = &[
    ("float32", |rig| products(rig, DType::F32)),
    ("float64", |rig| products(rig, DType::F64)),
    ("complex64", |rig| products(rig, DType::C64)),
    ("complex128", |rig| products(rig, DType::C128)),
    ("of two, and transposed", products_of_two),
    ("triangles", triangles),
];

/// A matrix on the device, with its rows on the host.
struct Uploaded<'r> {
    matrix: SparseMatrix,
    rows: Vec<Vec<(usize, f64)>>,
    _buffers: [Buffer<'r>; 3],
}

fn upload<'r>(rig: &'r Rig, rows: Vec<Vec<(usize, f64)>>, columns: usize) -> Result<Uploaded<'r>> {
    let mut offsets = vec![0_i32];
    for row in &rows {
        offsets.push(offsets[offsets.len() - 1] + row.len() as i32);
    }
    let elements = || rows.iter().flatten();
    let indices: Vec<u8> = elements().flat_map(|&(column, _)| (column as i32).to_le_bytes()).collect();
    let values: Vec<u8> = elements().flat_map(|&(_, value)| value.to_le_bytes()).collect();
    let offsets: Vec<u8> = offsets.iter().flat_map(|at| at.to_le_bytes()).collect();
    let buffers = [rig.upload(&offsets)?, rig.upload(&indices)?, rig.upload(&values)?];
    let [offsets, indices, values] = buffers.each_ref().map(Buffer::ptr);
    let (dtype, index_dtype, stored) = (DType::F64, DType::I32, elements().count());
    let matrix = SparseMatrix { rows: rows.len(), columns, stored, dtype, index_dtype, offsets, indices, values };
    Ok(Uploaded { matrix, rows, _buffers: buffers })
}

fn drawn(random: &mut Random, rows: usize, columns: usize, share: usize) -> Vec<Vec<(usize, f64)>> {
    let mut row = || {
        let chosen: Vec<usize> = (0..columns).filter(|_| random.below(100) < share).collect();
        chosen.into_iter().map(|column| (column, 1.0 + random.below(5) as f64)).collect()
    };
    (0..rows).map(|_| row()).collect()
}

fn integers(buffer: &Buffer<'_>) -> Result<Vec<usize>> {
    Ok(buffer
        .download()?
        .chunks_exact(4)
        .map(|part| i32::from_le_bytes(part.try_into().expect("4 bytes")) as usize)
        .collect())
}

fn numbers(buffer: &Buffer<'_>) -> Result<Vec<f64>> {
    Ok(buffer.download()?.chunks_exact(8).map(|part| f64::from_le_bytes(part.try_into().expect("8 bytes"))).collect())
}

/// The rows that three buffers hold, each in the order of its columns.
fn rows_of(offsets: &Buffer<'_>, indices: &Buffer<'_>, values: &Buffer<'_>) -> Result<Vec<Vec<(usize, f64)>>> {
    let (offsets, indices, values) = (integers(offsets)?, integers(indices)?, numbers(values)?);
    Ok(offsets
        .windows(2)
        .map(|ends| {
            let mut row: Vec<_> = (ends[0]..ends[1]).map(|place| (indices[place], values[place])).collect();
            row.sort_by_key(|&(column, _)| column);
            row
        })
        .collect())
}

fn products_of_two(rig: &Rig) -> Check {
    let sparse = rig.device.libraries().sparse()?;
    let mut random = Random::new(20);
    for (rows, shared, columns, share) in [(1, 1, 1, 100), (9, 7, 8, 40), (60, 40, 50, 10)] {
        let (a, b) = (
            upload(rig, drawn(&mut random, rows, shared, share), shared)?,
            upload(rig, drawn(&mut random, shared, columns, share), columns)?,
        );
        let mut kept = vec![];
        let offsets = rig.empty(4 * (rows + 1))?;
        let mut memory = |bytes: usize| {
            let buffer = rig.empty(bytes)?;
            let address = buffer.ptr();
            kept.push(buffer);
            Ok(address)
        };
        // SAFETY: everything lives until the end of the loop.
        let product = unsafe { sparse.multiply(&*rig.stream, &a.matrix, &b.matrix, offsets.ptr(), &mut memory)? };
        let (indices, values) = (rig.empty(4 * product.stored())?, rig.empty(8 * product.stored())?);
        // SAFETY: as above.
        unsafe { product.write(&*rig.stream, indices.ptr(), values.ptr())? };
        let expected: Vec<Vec<(usize, f64)>> = a
            .rows
            .iter()
            .map(|row| {
                let mut sums = std::collections::BTreeMap::new();
                for &(source, factor) in row {
                    for &(column, value) in &b.rows[source] {
                        *sums.entry(column).or_insert(0.0) += factor * value;
                    }
                }
                sums.into_iter().collect()
            })
            .collect();
        ensure(rows_of(&offsets, &indices, &values)? == expected, || format!("{rows}x{shared} by {shared}x{columns}"))?;

        let stored = a.matrix.stored;
        let to = [rig.empty(4 * (shared + 1))?, rig.empty(4 * stored)?, rig.empty(8 * stored)?];
        let [offsets, indices, values] = to.each_ref().map(Buffer::ptr);
        let turned = SparseMatrix { rows: shared, columns: rows, offsets, indices, values, ..a.matrix };
        // SAFETY: as above.
        unsafe { sparse.transpose(&*rig.stream, &a.matrix, &turned, &mut memory)? };
        let mut expected = vec![vec![]; shared];
        for (row, elements) in a.rows.iter().enumerate() {
            for &(column, value) in elements {
                expected[column].push((row, value));
            }
        }
        ensure(rows_of(&to[0], &to[1], &to[2])? == expected, || format!("{rows}x{shared} transposed"))?;
        drop(product);
    }
    Ok(())
}

fn triangles(rig: &Rig) -> Check {
    let sparse = rig.device.libraries().sparse()?;
    let mut random = Random::new(21);
    let order = 30;
    for (triangle, unit) in [(Triangle::Lower, false), (Triangle::Upper, false), (Triangle::Lower, true)] {
        let mut rows = drawn(&mut random, order, order, 15);
        for (row, elements) in rows.iter_mut().enumerate() {
            elements.retain(|&(column, _)| column != row);
            elements.push((row, 8.0));
            elements.sort_by_key(|&(column, _)| column);
        }
        let a = upload(rig, rows, order)?;
        let mut kept = vec![];
        let mut memory = |bytes: usize| {
            let buffer = rig.empty(bytes)?;
            let address = buffer.ptr();
            kept.push(buffer);
            Ok(address)
        };
        // SAFETY: everything lives until the end of the loop.
        let analysed = unsafe { sparse.analyse(&*rig.stream, &a.matrix, triangle, unit, &mut memory)? };
        let right: Vec<f64> = (0..order).map(|_| random.below(9) as f64).collect();
        let b = rig.upload(&right.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())?;
        let x = rig.empty(8 * order)?;
        // SAFETY: as above.
        unsafe { analysed.solve(&*rig.stream, b.ptr(), x.ptr())? };
        let x = numbers(&x)?;
        let size: f64 = x.iter().fold(1.0, |most, value| most.max(value.abs()));
        for (row, elements) in a.rows.iter().enumerate() {
            let takes = |column: usize| (column < row) == (triangle == Triangle::Lower) && column != row;
            let others = elements.iter().filter(|(column, _)| takes(*column)).map(|&(column, value)| value * x[column]);
            let sum: f64 = others.sum::<f64>() + x[row] * if unit { 1.0 } else { 8.0 };
            ensure((sum - right[row]).abs() <= 1e-10 * size * 60.0, || format!("{triangle:?}, row {row}"))?;
        }
        drop(analysed);
    }
    Ok(())
}

/// Small whole numbers, so that every order of summation gives the same.
fn products(rig: &Rig, dtype: DType) -> Check {
    let sparse = rig.device.libraries().sparse()?;
    let mut random = Random::new(19);
    for (rows, columns, n, share) in [(1, 1, 1, 100), (7, 5, 1, 40), (40, 60, 3, 10), (300, 200, 17, 2), (5, 9, 4, 0)] {
        for index_dtype in [DType::I32, DType::I64] {
            let (mut offsets, mut indices, mut values) = (vec![0], vec![], vec![]);
            for _ in 0..rows {
                for column in 0..columns {
                    if random.below(100) < share {
                        indices.push(Number::Int(column as i128));
                        values.push(random.small(dtype));
                    }
                }
                offsets.push(indices.len());
            }
            let places: Vec<Number> = offsets.iter().map(|&at| Number::Int(at as i128)).collect();
            let mut dense = |count: usize| -> Vec<Number> { (0..count).map(|_| random.small(dtype)).collect() };
            let (b, c) = (dense(columns * n), dense(rows * n));
            let [offsets_at, indices_at] =
                [rig.upload(&bytes(index_dtype, &places))?, rig.upload(&bytes(index_dtype, &indices))?];
            let [values_at, b_at, c_at] =
                [rig.upload(&bytes(dtype, &values))?, rig.upload(&bytes(dtype, &b))?, rig.upload(&bytes(dtype, &c))?];
            let a = SparseMatrix {
                rows,
                columns,
                stored: indices.len(),
                dtype,
                index_dtype,
                offsets: offsets_at.ptr(),
                indices: indices_at.ptr(),
                values: values_at.ptr(),
            };
            let factors = [Scalar::real(dtype, 2.0), Scalar::real(dtype, -1.0)];
            let product = Spmm { a, n, b: b_at.ptr(), c: c_at.ptr(), alpha: factors[0], beta: factors[1] };
            let scratch = rig.empty(sparse.spmm_scratch_bytes(&product)?)?;
            // SAFETY: the buffers have the sizes of the shapes.
            unsafe { sparse.spmm(&*rig.stream, &product, scratch.ptr())? };
            for (at, found) in c_at.download()?.chunks_exact(dtype.size()).enumerate() {
                let (row, column) = (at / n, at % n);
                let terms = offsets[row]..offsets[row + 1];
                let sum: Complex64 = terms
                    .map(|term| values[term].complex() * b[indices[term].int() as usize * n + column].complex())
                    .sum();
                let value = sum * 2.0 - c[at].complex();
                let expected = if dtype.is_complex() { Number::Complex(value) } else { Number::Real(value.re) };
                ensure(Tolerance::EXACT_VALUE.accepts(dtype, expected, decode(dtype, found)), || {
                    format!("{rows}x{columns} by {n}: [{at}]")
                })?;
            }
        }
    }
    Ok(())
}
