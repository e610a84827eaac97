//! Sparse products.

use cuproxide_hal::libraries::{SparseMatrix, Spmm};
use cuproxide_hal::{DType, Scalar};
use num_complex::Complex64;

use super::Test;
use crate::case::bytes;
use crate::interpreter::number::{Number, decode};
use crate::rig::{Check, Rig, ensure};
use crate::samples::Random;
use crate::tolerance::Tolerance;

pub const TESTS: &[Test] = &[
    ("float32", |rig| products(rig, DType::F32)),
    ("float64", |rig| products(rig, DType::F64)),
    ("complex64", |rig| products(rig, DType::C64)),
    ("complex128", |rig| products(rig, DType::C128)),
];

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
