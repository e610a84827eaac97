//! Direct solvers of systems in device memory: matrices times solutions are right-hand sides.

use cuproxide_hal::libraries::{SparseForm, SparseMatrix, SparseMethod};
use cuproxide_hal::{DType, Result};
use num_complex::Complex64;

use super::Test;
use super::sparse_solver::Matrix;
use crate::rig::{Buffer, Check, Rig, ensure};

pub const TESTS: &[Test] = &[
    ("float32", |rig| systems(rig, DType::F32)),
    ("float64", |rig| systems(rig, DType::F64)),
    ("complex64", |rig| systems(rig, DType::C64)),
    ("complex128", |rig| systems(rig, DType::C128)),
    ("singular", singular),
];

fn packed(dtype: DType, numbers: &[Complex64]) -> Vec<u8> {
    let parts = |z: &Complex64| if dtype.is_complex() { vec![z.re, z.im] } else { vec![z.re] };
    let numbers = numbers.iter().flat_map(parts);
    if matches!(dtype, DType::F32 | DType::C64) {
        numbers.flat_map(|x| (x as f32).to_le_bytes()).collect()
    } else {
        numbers.flat_map(f64::to_le_bytes).collect()
    }
}

fn unpacked(dtype: DType, bytes: &[u8]) -> Vec<Complex64> {
    let parts: Vec<f64> = if matches!(dtype, DType::F32 | DType::C64) {
        bytes.chunks_exact(4).map(|x| f32::from_le_bytes(x.try_into().expect("4 bytes")).into()).collect()
    } else {
        bytes.chunks_exact(8).map(|x| f64::from_le_bytes(x.try_into().expect("8 bytes"))).collect()
    };
    if dtype.is_complex() {
        parts.chunks_exact(2).map(|z| Complex64::new(z[0], z[1])).collect()
    } else {
        parts.into_iter().map(|x| Complex64::new(x, 0.0)).collect()
    }
}

/// The columns of a matrix as the rows of its transpose.
fn upload<'r>(rig: &'r Rig, a: &Matrix, dtype: DType, index_dtype: DType) -> Result<(SparseMatrix, [Buffer<'r>; 3])> {
    let places = |places: &[usize]| -> Vec<u8> {
        if index_dtype == DType::I32 {
            places.iter().flat_map(|&at| (at as i32).to_le_bytes()).collect()
        } else {
            places.iter().flat_map(|&at| (at as i64).to_le_bytes()).collect()
        }
    };
    let buffers =
        [rig.upload(&places(&a.offsets))?, rig.upload(&places(&a.rows))?, rig.upload(&packed(dtype, &a.values))?];
    let [offsets, indices, values] = buffers.each_ref().map(Buffer::ptr);
    let (rows, columns, stored) = (a.order, a.order, a.rows.len());
    Ok((SparseMatrix { rows, columns, stored, dtype, index_dtype, offsets, indices, values }, buffers))
}

fn systems(rig: &Rig, dtype: DType) -> Check {
    let solver = rig.device.libraries().direct_solver()?;
    let bound = if matches!(dtype, DType::F32 | DType::C64) { 1e-4 } else { 1e-11 };
    for (order, index_dtype) in [(1, DType::I32), (2, DType::I64), (17, DType::I32), (90, DType::I64)] {
        for method in [SparseMethod::Lu, SparseMethod::Cholesky] {
            let definite = method == SparseMethod::Cholesky;
            let mut a = Matrix::random(order, dtype.is_complex(), definite);
            let (matrix, _buffers) = upload(rig, &a, dtype, index_dtype)?;
            // SAFETY: everything lives until the end of the loop.
            let factors = unsafe { solver.analyse(&*rig.stream, &matrix, method)? };
            for turn in 0..2 {
                a.values.iter_mut().for_each(|value| *value *= 1.0 + f64::from(turn));
                let values = rig.upload(&packed(dtype, &a.values))?;
                // SAFETY: as above.
                let pivots = unsafe { factors.factor(&*rig.stream, values.ptr())? };
                let name = || format!("{method:?} of order {order}, turn {turn}");
                ensure(pivots.replaced == 0, || format!("{}: {pivots:?}", name()))?;
                for (form, times) in [
                    (SparseForm::Plain, SparseForm::Transposed),
                    (SparseForm::Transposed, SparseForm::Plain),
                    (SparseForm::Adjoint, SparseForm::Plain),
                ] {
                    // A Hermitian matrix is its own adjoint.
                    if definite && dtype.is_complex() && form == SparseForm::Transposed {
                        continue;
                    }
                    let wanted: Vec<Complex64> =
                        (0..2 * order).map(|at| Complex64::new(1.0 + (at % 5) as f64, 0.0)).collect();
                    let bytes = packed(dtype, &wanted);
                    let (b, x) = (rig.upload(&bytes)?, rig.empty(bytes.len())?);
                    // SAFETY: as above; both hold two vectors.
                    unsafe { factors.solve(&*rig.stream, form, 2, b.ptr(), x.ptr())? };
                    let found = unpacked(dtype, &x.download()?);
                    for (b, x) in wanted.chunks(order).zip(found.chunks(order)) {
                        // The adjoint of the transpose is the conjugate: conj(A) x = b where A conj(x) = b.
                        let x: Vec<Complex64> =
                            x.iter().map(|z| if form == SparseForm::Adjoint { z.conj() } else { *z }).collect();
                        let far = a.times(times, &x).iter().zip(b).map(|(f, b)| (f - b).norm()).fold(0.0, f64::max);
                        ensure(far < bound, || format!("{}, {form:?}: a residual of {far}", name()))?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Singular matrices are refused, or their pivots replaced or NaN; so are those of matrices that are not positive.
fn singular(rig: &Rig) -> Check {
    let solver = rig.device.libraries().direct_solver()?;
    let number = |x: f64| Complex64::new(x, 0.0);
    for (values, method) in [
        ([1.0, 2.0, 2.0, 4.0], SparseMethod::Lu),
        ([0.0; 4], SparseMethod::Lu),
        ([1.0, 2.0, 2.0, 1.0], SparseMethod::Cholesky),
        ([-1.0, 0.0, 0.0, 1.0], SparseMethod::Cholesky),
    ] {
        let a = Matrix {
            order: 2,
            offsets: vec![0, 2, 4],
            rows: vec![0, 1, 0, 1],
            values: values.into_iter().map(number).collect(),
        };
        let (matrix, _buffers) = upload(rig, &a, DType::F64, DType::I32)?;
        // SAFETY: everything lives until the end of the loop.
        let Ok(factors) = (unsafe { solver.analyse(&*rig.stream, &matrix, method) }) else { continue };
        // SAFETY: as above.
        if let Ok(pivots) = unsafe { factors.factor(&*rig.stream, matrix.values) } {
            // Of a matrix of zeros cuDSS replaces none, but says that they are no numbers.
            let told = pivots.replaced > 0 || pivots.range.is_some_and(|(least, _)| least.is_nan());
            ensure(told, || format!("{method:?} of {values:?} has factors: {pivots:?}"))?;
        }
    }
    Ok(())
}
