//! Dense solvers, by what their results must satisfy.

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{SingularVectors, SolverOp, SolverSpec, Triangle};
use num_complex::Complex64;

use super::Test;
use crate::case::bytes;
use crate::interpreter::number::{Number, decode, round_complex};
use crate::rig::{Check, Failure, Rig, ensure};
use crate::samples::Random;

pub const TESTS: &[Test] = &[
    ("cholesky", |rig| all(rig, &[1, 2, 5, 33, 70], cholesky)),
    ("lu", |rig| all(rig, &[1, 2, 5, 33, 70], lu)),
    ("systems", |rig| all(rig, &[1, 2, 5, 33, 70], systems)),
    ("triangular systems", |rig| all(rig, &[1, 2, 5, 33, 70], triangular)),
    ("qr", |rig| all(rig, &[1, 2, 5, 33, 70], qr)),
    ("singular values", |rig| all(rig, &[1, 2, 5, 33, 70], singular)),
    ("hermitian eigenvalues", |rig| all(rig, &[1, 2, 5, 33, 70], hermitian)),
    ("tridiagonal eigenvalues", |rig| all(rig, &[1, 2, 5, 33, 70], tridiagonal)),
    ("eigenvalues", |rig| all(rig, &[1, 2, 5, 33], general)),
    ("hessenberg and schur forms", |rig| all(rig, &[1, 2, 5, 33], forms)),
    ("failures", failures),
];

fn all(rig: &Rig, sides: &[usize], test: fn(&Rig, DType, usize) -> Check) -> Check {
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        for &side in sides.iter().filter(|&&side| !rig.small || side <= 33) {
            test(rig, dtype, side)?;
        }
    }
    Ok(())
}

/// A matrix in columns.
#[derive(Clone)]
struct Matrix {
    rows: usize,
    columns: usize,
    data: Vec<Complex64>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, element: impl FnMut((usize, usize)) -> Complex64) -> Matrix {
        let places = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
        Matrix { rows, columns, data: places.map(element).collect() }
    }

    fn random(random: &mut Random, dtype: DType, rows: usize, columns: usize) -> Matrix {
        Matrix::new(rows, columns, |_| {
            let mut part = || random.unit() * 2.0 - 1.0;
            let value = Complex64::new(part(), if dtype.is_complex() { part() } else { 0.0 });
            round_complex(if dtype.real() == DType::F32 { DType::C64 } else { DType::C128 }, value)
        })
    }

    fn identity(side: usize) -> Matrix {
        Matrix::new(side, side, |(row, column)| Complex64::from(f64::from(u8::from(row == column))))
    }

    fn at(&self, row: usize, column: usize) -> Complex64 {
        self.data[column * self.rows + row]
    }

    fn times(&self, other: &Matrix) -> Matrix {
        Matrix::new(self.rows, other.columns, |(row, column)| {
            (0..self.columns).map(|k| self.at(row, k) * other.at(k, column)).sum()
        })
    }

    fn adjoint(&self) -> Matrix {
        Matrix::new(self.columns, self.rows, |(row, column)| self.at(column, row).conj())
    }

    fn plus(&self, other: &Matrix, factor: f64) -> Matrix {
        Matrix::new(self.rows, self.columns, |(row, column)| self.at(row, column) + other.at(row, column) * factor)
    }

    /// The elements of some places, zeros elsewhere.
    fn only(&self, keep: impl Fn(usize, usize) -> bool) -> Matrix {
        let zero = Complex64::from(0.0);
        Matrix::new(
            self.rows,
            self.columns,
            |(row, column)| if keep(row, column) { self.at(row, column) } else { zero },
        )
    }

    /// The first columns.
    fn first(&self, columns: usize) -> Matrix {
        Matrix { rows: self.rows, columns, data: self.data[..self.rows * columns].to_vec() }
    }

    fn diagonal(rows: usize, columns: usize, values: &[Complex64]) -> Matrix {
        let zero = Complex64::from(0.0);
        Matrix::new(rows, columns, |(row, column)| if row == column { values[row] } else { zero })
    }

    fn norm(&self) -> f64 {
        self.data.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
    }

    fn bytes(&self, dtype: DType) -> Vec<u8> {
        let number = |&z: &Complex64| if dtype.is_complex() { Number::Complex(z) } else { Number::Real(z.re) };
        bytes(dtype, &self.data.iter().map(number).collect::<Vec<Number>>())
    }

    fn of(dtype: DType, rows: usize, columns: usize, content: &[u8]) -> Matrix {
        let data = content.chunks_exact(dtype.size()).map(|element| decode(dtype, element).complex()).collect();
        Matrix { rows, columns, data }
    }
}

/// What a run left behind.
struct Results {
    dtype: DType,
    a: Vec<Matrix>,
    operands: Vec<Vec<u8>>,
    info: Vec<i32>,
    batch: usize,
}

impl Results {
    /// A matrix of an operand.
    fn operand(&self, which: usize, dtype: DType, (rows, columns): (usize, usize), index: usize) -> Matrix {
        let bytes = self.operands[which].len() / self.batch;
        Matrix::of(dtype, rows, columns, &self.operands[which][index * bytes..(index + 1) * bytes])
    }

    fn matrix(&self, which: usize, shape: (usize, usize), index: usize) -> Matrix {
        self.operand(which, self.dtype, shape, index)
    }

    fn reals(&self, which: usize, index: usize) -> Vec<Complex64> {
        let bytes = self.operands[which].len() / self.batch / self.dtype.real().size();
        self.operand(which, self.dtype.real(), (bytes, 1), index).data
    }

    fn pivots(&self, which: usize, index: usize) -> Vec<usize> {
        self.operand(which, DType::I64, (self.operands[which].len() / self.batch / 8, 1), index)
            .data
            .iter()
            .map(|pivot| pivot.re as usize)
            .collect()
    }
}

/// Runs an operation on a batch of matrices, whose further operands begin as given.
fn run(
    rig: &Rig,
    op: SolverOp,
    dtype: DType,
    (m, n): (usize, usize),
    matrices: &[Matrix],
    operands: &[Vec<u8>],
) -> Result<Results, Failure> {
    let batch = matrices.len();
    let spec = SolverSpec { op, dtype, m, n, batch };
    let solver = rig.device.libraries().solver()?;
    let content: Vec<u8> = matrices.iter().flat_map(|matrix| matrix.bytes(dtype)).collect();
    let a = rig.upload(&content)?;
    let held = operands.iter().map(|operand| rig.upload(operand)).collect::<cuproxide_hal::Result<Vec<_>>>()?;
    let addresses: Vec<u64> = held.iter().map(super::super::rig::Buffer::ptr).collect();
    let info = rig.upload(&vec![0x55; 4 * batch])?;
    let scratch = rig.empty(solver.scratch_bytes(&spec)?)?;
    // SAFETY: the buffers have the sizes that the specification implies.
    unsafe { solver.run(&*rig.stream, &spec, a.ptr(), &addresses, info.ptr(), scratch.ptr()) }?;
    let shape = (matrices[0].rows, matrices[0].columns);
    let bytes = content.len() / batch;
    let part = |part: &[u8]| Matrix::of(dtype, shape.0, shape.1, part);
    Ok(Results {
        dtype,
        a: a.download()?.chunks_exact(bytes).map(part).collect(),
        operands: held.iter().map(super::super::rig::Buffer::download).collect::<cuproxide_hal::Result<Vec<_>>>()?,
        info: info.download()?.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().unwrap())).collect(),
        batch,
    })
}

/// Checks that two matrices are as near as rounding allows.
fn near(what: &str, dtype: DType, expected: &Matrix, found: &Matrix, scale: f64) -> Check {
    let epsilon = if dtype.real() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let (side, error) = (expected.rows.max(expected.columns) as f64, expected.plus(found, -1.0).norm());
    let bound = 30.0 * side * epsilon * scale.max(expected.norm());
    ensure(error <= bound, || format!("{what} of {dtype}, side {side}: an error of {error:e} exceeds {bound:e}"))
}

fn succeeded(what: &str, results: &Results) -> Check {
    ensure(results.info.iter().all(|&info| info == 0), || format!("{what}: info {:?}", results.info))
}

fn orthonormal(what: &str, dtype: DType, q: &Matrix) -> Check {
    near(what, dtype, &Matrix::identity(q.columns), &q.adjoint().times(q), 1.0)
}

/// As many matrices as go with a side: batches of small ones.
fn count(side: usize) -> usize {
    if side <= 5 { 9 } else { 2 }
}

fn several(seed: u64, dtype: DType, rows: usize, columns: usize) -> Vec<Matrix> {
    let mut random = Random::new(seed);
    (0..count(rows.max(columns))).map(|_| Matrix::random(&mut random, dtype, rows, columns)).collect()
}

fn room(batch: usize, elements: usize, dtype: DType) -> Vec<u8> {
    vec![0; batch * elements * dtype.size()]
}

fn cholesky(rig: &Rig, dtype: DType, n: usize) -> Check {
    let positive = |a: &Matrix| a.times(&a.adjoint()).plus(&Matrix::identity(n), 1.0);
    let rounded = |a: Matrix| Matrix::of(dtype, n, n, &a.bytes(dtype));
    let matrices: Vec<Matrix> = several(1, dtype, n, n).iter().map(positive).map(rounded).collect();
    for triangle in [Triangle::Lower, Triangle::Upper] {
        let inside = |row: usize, column: usize| match triangle {
            Triangle::Lower => row >= column,
            Triangle::Upper => row <= column,
        };
        // What is zero in the other triangle stays so.
        let given: Vec<Matrix> = matrices.iter().map(|a| a.only(inside)).collect();
        let results = run(rig, SolverOp::Cholesky(triangle), dtype, (n, n), &given, &[])?;
        succeeded("cholesky", &results)?;
        for (factor, a) in results.a.iter().zip(&matrices) {
            let product = match triangle {
                Triangle::Lower => factor.times(&factor.adjoint()),
                Triangle::Upper => factor.adjoint().times(factor),
            };
            near("a Cholesky factor", dtype, a, &product, 0.0)?;
            ensure(factor.only(|row, column| !inside(row, column)).norm() == 0.0, || {
                format!("{triangle:?} Cholesky factors of {dtype} have another triangle")
            })?;
        }
    }
    Ok(())
}

/// Rows in the order of pivots, which exchange one after the other.
fn exchanged(a: &Matrix, pivots: &[usize]) -> Matrix {
    let mut order: Vec<usize> = (0..a.rows).collect();
    pivots.iter().enumerate().for_each(|(row, &pivot)| order.swap(row, pivot - 1));
    Matrix::new(a.rows, a.columns, |(row, column)| a.at(order[row], column))
}

fn lu(rig: &Rig, dtype: DType, side: usize) -> Check {
    for (m, n) in [(side, side), (side + 3, side), (side, side + 4)] {
        let (matrices, least) = (several(2, dtype, m, n), m.min(n));
        let results = run(rig, SolverOp::Lu, dtype, (m, n), &matrices, &[room(matrices.len(), least, DType::I64)])?;
        succeeded("lu", &results)?;
        for (index, (factors, a)) in results.a.iter().zip(&matrices).enumerate() {
            let pivots = results.pivots(0, index);
            let lower = Matrix::new(m, least, |(row, column)| match row.cmp(&column) {
                std::cmp::Ordering::Greater => factors.at(row, column),
                std::cmp::Ordering::Equal => Complex64::from(1.0),
                std::cmp::Ordering::Less => Complex64::from(0.0),
            });
            let upper =
                Matrix::new(
                    least,
                    n,
                    |(row, column)| {
                        if row <= column { factors.at(row, column) } else { Complex64::from(0.0) }
                    },
                );
            near("an LU factorisation", dtype, &exchanged(a, &pivots), &lower.times(&upper), 0.0)?;
            // Partial pivoting takes the largest element of a column, by the sum of its parts.
            let largest = lower.data.iter().map(|z| z.norm()).fold(0.0, f64::max);
            ensure(largest <= 1.5, || format!("a multiplier of {largest}"))?;
        }
    }
    Ok(())
}

/// Matrices whose inverses are small.
fn tame(seed: u64, dtype: DType, n: usize) -> Vec<Matrix> {
    several(seed, dtype, n, n).iter().map(|a| a.plus(&Matrix::identity(n), 2.0 * n as f64)).collect()
}

fn systems(rig: &Rig, dtype: DType, m: usize) -> Check {
    let (matrices, n) = (tame(3, dtype, m), 3);
    let batch = matrices.len();
    let sides: Vec<Matrix> = several(4, dtype, m, n).into_iter().cycle().take(batch).collect();
    let content: Vec<u8> = sides.iter().flat_map(|b| b.bytes(dtype)).collect();
    let pivots = room(batch, m, DType::I64);
    let solved = |results: &Results, which: usize| -> Check {
        for (index, (a, b)) in matrices.iter().zip(&sides).enumerate() {
            let x = results.matrix(which, (m, n), index);
            near("a solution", dtype, b, &a.times(&x), a.norm() * x.norm())?;
        }
        Ok(())
    };
    let results = run(rig, SolverOp::Solve, dtype, (m, n), &matrices, &[pivots.clone(), content.clone()])?;
    succeeded("solve", &results)?;
    solved(&results, 1)?;
    let factors = run(rig, SolverOp::Lu, dtype, (m, m), &matrices, std::slice::from_ref(&pivots))?;
    let operands = [factors.operands[0].clone(), content];
    let results = run(rig, SolverOp::LuSolve, dtype, (m, n), &factors.a, &operands)?;
    succeeded("solve by factors", &results)?;
    solved(&results, 1)?;
    let results = run(rig, SolverOp::Inverse, dtype, (m, m), &matrices, &[pivots, room(batch, m * m, dtype)])?;
    succeeded("inverse", &results)?;
    for (index, a) in matrices.iter().enumerate() {
        let inverse = results.matrix(1, (m, m), index);
        near("an inverse", dtype, &Matrix::identity(m), &a.times(&inverse), a.norm() * inverse.norm())?;
    }
    Ok(())
}

fn triangular(rig: &Rig, dtype: DType, m: usize) -> Check {
    // With ones on the diagonal, small elements beside it keep the solutions small.
    let scaled = |a: &Matrix| a.plus(a, 1.0 / m as f64 - 1.0).plus(&Matrix::identity(m), 2.0);
    let rounded = |a: Matrix| Matrix::of(dtype, m, m, &a.bytes(dtype));
    let matrices: Vec<Matrix> = several(5, dtype, m, m).iter().map(scaled).map(rounded).collect();
    let n = 4;
    let sides: Vec<Matrix> = several(6, dtype, m, n).into_iter().cycle().take(matrices.len()).collect();
    let content: Vec<u8> = sides.iter().flat_map(|b| b.bytes(dtype)).collect();
    for triangle in [Triangle::Lower, Triangle::Upper] {
        for unit in [false, true] {
            let results = run(
                rig,
                SolverOp::SolveTriangular(triangle, unit),
                dtype,
                (m, n),
                &matrices,
                std::slice::from_ref(&content),
            )?;
            succeeded("triangular", &results)?;
            for (index, (a, b)) in matrices.iter().zip(&sides).enumerate() {
                let strict = a.only(|row, column| match triangle {
                    Triangle::Lower => row > column,
                    Triangle::Upper => row < column,
                });
                let diagonal = if unit { Matrix::identity(m) } else { a.only(|row, column| row == column) };
                let x = results.matrix(0, (m, n), index);
                near("a triangular solution", dtype, b, &strict.plus(&diagonal, 1.0).times(&x), x.norm())?;
            }
            ensure(results.a.iter().zip(&matrices).all(|(after, before)| after.data == before.data), || {
                "a triangular system changed its matrix".to_owned()
            })?;
        }
    }
    Ok(())
}

fn qr(rig: &Rig, dtype: DType, side: usize) -> Check {
    for (m, n) in [(side, side), (side + 5, side), (side, side + 2)] {
        let (matrices, least) = (several(7, dtype, m, n), m.min(n));
        let batch = matrices.len();
        let results = run(rig, SolverOp::Qr, dtype, (m, n), &matrices, &[room(batch, least, dtype)])?;
        succeeded("qr", &results)?;
        // The first columns of the unitary factor, and for tall matrices all of them.
        for columns in if m > least { vec![least, m] } else { vec![least] } {
            let zero = Complex64::from(0.0);
            let reflections: Vec<Matrix> = results
                .a
                .iter()
                .map(|a| Matrix::new(m, columns, |(row, column)| if column < least { a.at(row, column) } else { zero }))
                .collect();
            let op = SolverOp::QrVectors(least);
            let vectors = run(rig, op, dtype, (m, columns), &reflections, &results.operands)?;
            succeeded("vectors of qr", &vectors)?;
            for ((q, factors), a) in vectors.a.iter().zip(&results.a).zip(&matrices) {
                orthonormal("columns of Q", dtype, q)?;
                let upper =
                    Matrix::new(
                        columns,
                        n,
                        |(row, column)| {
                            if row <= column && row < least { factors.at(row, column) } else { zero }
                        },
                    );
                near("a QR factorisation", dtype, a, &q.times(&upper), 0.0)?;
            }
        }
    }
    Ok(())
}

fn descending(values: &[Complex64]) -> bool {
    values.windows(2).all(|pair| pair[0].re >= pair[1].re) && values.iter().all(|value| value.re >= 0.0)
}

fn singular(rig: &Rig, dtype: DType, n: usize) -> Check {
    for m in [n, n + 4] {
        let matrices = several(8, dtype, m, n);
        let batch = matrices.len();
        for vectors in [SingularVectors::None, SingularVectors::Thin, SingularVectors::Full] {
            let mut operands = vec![room(batch, n, dtype.real())];
            let left = if vectors == SingularVectors::Full { m } else { n };
            if vectors != SingularVectors::None {
                operands.extend([room(batch, m * left, dtype), room(batch, n * n, dtype)]);
            }
            let results = run(rig, SolverOp::Svd(vectors), dtype, (m, n), &matrices, &operands)?;
            succeeded("svd", &results)?;
            for (index, a) in matrices.iter().enumerate() {
                let values = results.reals(0, index);
                ensure(descending(&values), || format!("singular values {values:?}"))?;
                let squares = values.iter().map(|value| value.re * value.re).sum::<f64>().sqrt();
                ensure((squares - a.norm()).abs() <= 1e-4 * a.norm(), || "the norm is lost".to_owned())?;
                if vectors != SingularVectors::None {
                    let u = results.matrix(1, (m, left), index);
                    let v = results.matrix(2, (n, n), index);
                    orthonormal("left singular vectors", dtype, &u)?;
                    orthonormal("right singular vectors", dtype, &v)?;
                    let product = u.first(n).times(&Matrix::diagonal(n, n, &values)).times(&v);
                    near("a singular value decomposition", dtype, a, &product, 0.0)?;
                }
            }
        }
    }
    Ok(())
}

fn hermitian(rig: &Rig, dtype: DType, n: usize) -> Check {
    let symmetric = |a: &Matrix| a.plus(&a.adjoint(), 1.0);
    let rounded = |a: Matrix| Matrix::of(dtype, n, n, &a.bytes(dtype));
    let matrices: Vec<Matrix> = several(9, dtype, n, n).iter().map(symmetric).map(rounded).collect();
    let batch = matrices.len();
    for triangle in [Triangle::Lower, Triangle::Upper] {
        let inside = |row: usize, column: usize| match triangle {
            Triangle::Lower => row >= column,
            Triangle::Upper => row <= column,
        };
        let given: Vec<Matrix> = matrices.iter().map(|a| a.only(inside)).collect();
        for vectors in [false, true] {
            let op = SolverOp::EigenHermitian(vectors, triangle);
            let results = run(rig, op, dtype, (n, n), &given, &[room(batch, n, dtype.real())])?;
            succeeded("hermitian eigenvalues", &results)?;
            for (index, a) in matrices.iter().enumerate() {
                let values = results.reals(0, index);
                ensure(values.windows(2).all(|pair| pair[0].re <= pair[1].re), || format!("eigenvalues {values:?}"))?;
                let trace: f64 = (0..n).map(|at| a.at(at, at).re).sum();
                let sum: f64 = values.iter().map(|value| value.re).sum();
                ensure((trace - sum).abs() <= 1e-4 * a.norm().max(1.0), || format!("a trace of {trace}, not {sum}"))?;
                if vectors {
                    let v = &results.a[index];
                    orthonormal("eigenvectors", dtype, v)?;
                    near("eigenvectors", dtype, &a.times(v), &v.times(&Matrix::diagonal(n, n, &values)), a.norm())?;
                }
            }
        }
    }
    Ok(())
}

/// An operation that devices may lack.
fn tridiagonal(rig: &Rig, dtype: DType, n: usize) -> Check {
    if dtype.is_complex() || !rig.device.libraries().solver()?.has(SolverOp::EigenTridiagonal) {
        return Ok(());
    }
    let (diagonals, beside) = (several(12, dtype, 1, n), several(13, dtype, 1, n - 1));
    let content: Vec<u8> = beside.iter().flat_map(|row| row.bytes(dtype)).collect();
    // There is something to upload for one row, too.
    let content = if content.is_empty() { room(1, 1, dtype) } else { content };
    let results = run(rig, SolverOp::EigenTridiagonal, dtype, (1, n), &diagonals, &[content])?;
    succeeded("tridiagonal eigenvalues", &results)?;
    for (index, (d, e)) in diagonals.iter().zip(&beside).enumerate() {
        let values: Vec<f64> = results.a[index].data.iter().map(|value| value.re).collect();
        ensure(values.windows(2).all(|pair| pair[0] <= pair[1]), || format!("eigenvalues {values:?}"))?;
        let squares = |data: &[Complex64]| data.iter().map(|x| x.re * x.re).sum::<f64>();
        let expected = [d.data.iter().map(|x| x.re).sum::<f64>(), squares(&d.data) + 2.0 * squares(&e.data)];
        let found = [values.iter().sum::<f64>(), values.iter().map(|x| x * x).sum::<f64>()];
        let close = expected.iter().zip(found).all(|(a, b)| (a - b).abs() <= 1e-4 * expected[1].max(1.0));
        ensure(close, || format!("a trace and a squared norm of {expected:?}, not {found:?}"))?;
    }
    Ok(())
}

fn general(rig: &Rig, dtype: DType, n: usize) -> Check {
    let matrices = several(10, dtype, n, n);
    let batch = matrices.len();
    let complex = if dtype.real() == DType::F32 { DType::C64 } else { DType::C128 };
    for vectors in [false, true] {
        let mut operands = vec![room(batch, n, complex)];
        if vectors {
            operands.push(room(batch, n * n, dtype));
        }
        let results = run(rig, SolverOp::Eigen(vectors), dtype, (n, n), &matrices, &operands)?;
        succeeded("eigenvalues", &results)?;
        for (index, a) in matrices.iter().enumerate() {
            let values = results.operand(0, complex, (n, 1), index).data;
            let trace: Complex64 = (0..n).map(|at| a.at(at, at)).sum();
            let sum: Complex64 = values.iter().sum();
            ensure((trace - sum).norm() <= 1e-3 * a.norm().max(1.0), || format!("a trace of {trace}, not {sum}"))?;
            if !vectors {
                continue;
            }
            let held = results.matrix(1, (n, n), index);
            // Of a pair of conjugates the parts lie in two columns.
            let mut full = held.clone();
            if !dtype.is_complex() {
                let mut column = 0;
                while column < n {
                    if values[column].im == 0.0 {
                        column += 1;
                        continue;
                    }
                    for row in 0..n {
                        let (re, im) = (held.at(row, column).re, held.at(row, column + 1).re);
                        full.data[column * n + row] = Complex64::new(re, im);
                        full.data[(column + 1) * n + row] = Complex64::new(re, -im);
                    }
                    column += 2;
                }
            }
            for column in 0..n {
                let length: f64 = (0..n).map(|row| full.at(row, column).norm_sqr()).sum::<f64>().sqrt();
                ensure((length - 1.0).abs() < 1e-4, || format!("an eigenvector has length {length}"))?;
            }
            let moved = full.times(&Matrix::diagonal(n, n, &values));
            near("eigenvectors", dtype, &a.times(&full), &moved, 10.0 * a.norm())?;
        }
    }
    Ok(())
}

fn forms(rig: &Rig, dtype: DType, n: usize) -> Check {
    let matrices = several(11, dtype, n, n);
    for op in [SolverOp::Hessenberg, SolverOp::Schur] {
        let results = run(rig, op, dtype, (n, n), &matrices, &[room(matrices.len(), n * n, dtype)])?;
        succeeded("a form", &results)?;
        for (index, (form, a)) in results.a.iter().zip(&matrices).enumerate() {
            let q = results.matrix(0, (n, n), index);
            orthonormal("vectors of a form", dtype, &q)?;
            near("a form", dtype, a, &q.times(form).times(&q.adjoint()), 0.0)?;
            // Of a real Schur form pairs of eigenvalues remain as blocks; no two blocks touch.
            let bordering = op == SolverOp::Hessenberg || !dtype.is_complex();
            let lower = form.only(|row, column| row > column + usize::from(bordering));
            ensure(lower.norm() == 0.0, || format!("{op:?} of {dtype} is not zero below"))?;
            if op == SolverOp::Schur {
                let below: Vec<bool> = (1..n).map(|row| form.at(row, row - 1).norm() > 0.0).collect();
                ensure(below.windows(2).all(|pair| pair != [true, true]), || "blocks of three".to_owned())?;
                for row in (1..n).filter(|row| below[row - 1]) {
                    let (first, second) = (form.at(row - 1, row - 1).re, form.at(row, row).re);
                    let signs = form.at(row - 1, row).re * form.at(row, row - 1).re;
                    ensure(first == second && signs < 0.0, || "a block is not in standard form".to_owned())?;
                }
            }
        }
    }
    Ok(())
}

/// Failures of the numbers are values of `info`, of the matrices that have them only.
fn failures(rig: &Rig) -> Check {
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        for n in [2, 5, 40] {
            let good = Matrix::identity(n);
            let singular = Matrix::new(n, n, |_| Complex64::from(1.0));
            let indefinite = good.plus(&good, -3.0);
            let operands = [room(2, n, DType::I64)];
            let results = run(rig, SolverOp::Lu, dtype, (n, n), &[good.clone(), singular], &operands)?;
            ensure(results.info[0] == 0 && results.info[1] == 2, || format!("LU: info {:?}", results.info))?;
            let results = run(rig, SolverOp::Cholesky(Triangle::Lower), dtype, (n, n), &[good, indefinite], &[])?;
            ensure(results.info[0] == 0 && results.info[1] == 1, || format!("Cholesky: info {:?}", results.info))?;
        }
    }
    Ok(())
}
