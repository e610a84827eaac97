//! Dense solvers on top of `faer`: one matrix over the backend's threads, or a batch with a matrix for each.

use std::slice;

use cuproxide_hal::libraries::{SingularVectors, Solver, SolverOp, SolverSpec, Triangle};
use cuproxide_hal::{DType, Error, Result, Stream};
use faer::diag::DiagMut;
use faer::linalg::evd::{self, ComputeEigenvectors, tridiag};
use faer::linalg::svd::{self, ComputeSvdVectors, SvdParams};
use faer::linalg::{cholesky::llt, matmul::matmul, qr::no_pivoting};
use faer::prelude::{Reborrow, ReborrowMut, default};
use faer::traits::ComplexField;
use faer::traits::math_utils::{abs, abs2, conj, from_f64, mul_real, one, real, zero};
use faer::{Accum, Auto, Mat, MatMut, MatRef, Par};
use num_complex::Complex;
use rustfft::num_traits::Float;
use smallvec::SmallVec;

use crate::hessenberg::reduce;
use crate::lu::{TINY, eliminate, lu, lu_solve, solve_triangular};
use crate::matrices::{all_finite, columns, elements, identity, into_unit, multiply, scaled, with_stack};
use crate::multishift::{Field, schur};
use crate::{eigen, graph, jacobi, pool, qr, tridiagonal};

/// Multiply-adds below which the work stays on the caller's thread.
const SEQUENTIAL: usize = 48 * 48 * 48;
/// Multiply-adds from which threads share a matrix, and the most parts that its work is cut into.
const SHARED: usize = 1 << 23;
const PARTS: usize = 8;
/// Rows of a Hermitian matrix whose eigenvalues are found by plain loops, for the same reason.
const SMALL: usize = 12;
/// What counts as orthonormal, in units of the order times epsilon.
const ORTHONORMAL: f64 = 8.0;
/// Rows and columns of a matrix from which `svd` begins with QR, as the library would by its own, unsound one.
const SVD_TALL: (usize, usize) = (11, 6);
/// Info of a matrix that the iteration refuses: it holds NaN or infinities.
const NOT_FINITE: i32 = 1;

/// The dense solvers of the CPU.
pub struct CpuSolver;

/// The addresses of a batch.
#[derive(Clone, Copy)]
struct Memory<'a> {
    a: u64,
    operands: &'a [u64],
    info: u64,
}

/// One operation of a batch: matrices at their own addresses.
#[derive(Clone, Copy)]
struct Job<'a> {
    spec: &'a SolverSpec,
    memory: Memory<'a>,
    index: usize,
    par: Par,
}

impl<'a> Job<'a> {
    /// `length` elements of operand `which` that belong to this matrix.
    unsafe fn operand<T>(self, which: usize, length: usize) -> &'a mut [T] {
        let start = (self.memory.operands[which] as *mut T).wrapping_add(self.index * length);
        // SAFETY: the caller of `run` promises operands of this size, and each job has its own part.
        unsafe { slice::from_raw_parts_mut(start, length) }
    }

    unsafe fn matrix<T>(self, rows: usize, columns: usize) -> &'a mut [T] {
        let length = rows * columns;
        let start = (self.memory.a as *mut T).wrapping_add(self.index * length);
        // SAFETY: as above.
        unsafe { slice::from_raw_parts_mut(start, length) }
    }
}

impl Solver for CpuSolver {
    fn scratch_bytes(&self, _spec: &SolverSpec) -> Result<usize> {
        Ok(0)
    }

    fn dense_advantage(&self) -> usize {
        // Products in vectors beside single numbers.
        40
    }

    fn has(&self, _op: SolverOp) -> bool {
        true
    }

    unsafe fn run(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        a: u64,
        operands: &[u64],
        info: u64,
        _scratch: u64,
    ) -> Result<()> {
        let (spec, operands) = (*spec, operands.to_vec());
        // SAFETY: the caller's promise about the addresses.
        graph::run_or_record(stream, "solver", move || unsafe {
            let (spec, memory) = (&spec, Memory { a, operands: &operands, info });
            match (spec.dtype, spec.op) {
                (DType::F32, SolverOp::Eigen(_) | SolverOp::Schur) => batch(spec, memory, |job| general::<f32>(job)),
                (DType::F64, SolverOp::Eigen(_) | SolverOp::Schur) => batch(spec, memory, |job| general::<f64>(job)),
                (DType::C64, SolverOp::Eigen(_) | SolverOp::Schur) => {
                    batch(spec, memory, |job| general::<Complex<f32>>(job));
                }
                (DType::C128, SolverOp::Eigen(_) | SolverOp::Schur) => {
                    batch(spec, memory, |job| general::<Complex<f64>>(job));
                }
                (DType::F32, SolverOp::EigenTridiagonal) => batch(spec, memory, |job| eigen_tridiagonal::<f32>(job)),
                (DType::F64, SolverOp::EigenTridiagonal) => batch(spec, memory, |job| eigen_tridiagonal::<f64>(job)),
                (dtype, SolverOp::EigenTridiagonal) => {
                    return Err(Error::unsupported("cpu", format!("symmetric tridiagonal matrices of {dtype}")));
                }
                (DType::F32, _) => batch(spec, memory, |job| solve::<f32>(job)),
                (DType::F64, _) => batch(spec, memory, |job| solve::<f64>(job)),
                (DType::C64, _) => batch(spec, memory, |job| solve::<Complex<f32>>(job)),
                (DType::C128, _) => batch(spec, memory, |job| solve::<Complex<f64>>(job)),
                (dtype, _) => return Err(Error::unsupported("cpu", format!("dense solvers of {dtype}"))),
            }
            Ok(())
        })
    }
}

/// Runs `work` for each matrix and stores what it returns as the info.
unsafe fn batch(spec: &SolverSpec, memory: Memory<'_>, work: impl Fn(Job<'_>) -> i32 + Sync) {
    let one = |index: usize, par: Par| {
        let info = work(Job { spec, memory, index, par });
        // SAFETY: the caller promises an info for each matrix.
        unsafe { (memory.info as *mut i32).add(index).write(info) };
    };
    let [longest, middle, shortest] = match spec.op {
        SolverOp::Solve => [spec.m, spec.m, spec.m.max(spec.n)],
        SolverOp::LuSolve | SolverOp::SolveTriangular(..) => [spec.m, spec.m, spec.n],
        SolverOp::EigenTridiagonal => [spec.n, spec.n, 1],
        _ => [spec.m, spec.n, spec.m.min(spec.n)],
    };
    let cost = longest.saturating_mul(middle).saturating_mul(shortest).max(1);
    // How a matrix is worked on depends on its size alone, and so do the results.
    if cost >= SHARED
        && let Some(pool) = pool::pool()
    {
        let par = Par::rayon((cost / (SHARED / 2)).min(PARTS));
        pool::inside(pool, || (0..spec.batch).for_each(|index| one(index, par)));
        return;
    }
    let share = (SEQUENTIAL / cost).clamp(1, spec.batch);
    pool::run(spec.batch.div_ceil(share), |task| {
        (task * share..spec.batch.min((task + 1) * share)).for_each(|index| one(index, Par::Seq));
    });
}

unsafe fn solve<T: ComplexField<Real: Float> + Copy>(job: Job<'_>) -> i32 {
    let SolverSpec { op, m, n, .. } = *job.spec;
    let par = job.par;
    // SAFETY: the sizes are those that the contract gives each operation's operands.
    unsafe {
        match op {
            SolverOp::Cholesky(triangle) => cholesky(columns(job.matrix::<T>(n, n), n, n), triangle, par),
            SolverOp::Lu if m == n && m <= TINY => {
                eliminate(job.matrix::<T>(m, m), &mut [], m, Some(job.operand(0, m)))
            }
            SolverOp::Lu => lu(columns(job.matrix::<T>(m, n), m, n), job.operand(0, m.min(n)), par),
            SolverOp::LuSolve => {
                let factors = MatRef::from_column_major_slice(job.matrix::<T>(m, m), m, m);
                lu_solve(factors, job.operand(0, m), columns(job.operand(1, m * n), m, n), par)
            }
            SolverOp::Solve => {
                let (factors, pivots) = (job.matrix::<T>(m, m), job.operand(0, m));
                if m <= TINY {
                    return eliminate(factors, job.operand(1, m * n), m, None);
                }
                let info = lu(columns(factors, m, m), pivots, par);
                let factors = MatRef::from_column_major_slice(factors, m, m);
                lu_solve(factors, pivots, columns(job.operand(1, m * n), m, n), par);
                info
            }
            SolverOp::Inverse => {
                let (factors, pivots) = (job.matrix::<T>(n, n), job.operand(0, n));
                let inverse = job.operand::<T>(1, n * n);
                inverse.fill(zero());
                inverse.iter_mut().step_by(n + 1).for_each(|x| *x = one());
                if n <= TINY {
                    return eliminate(factors, inverse, n, None);
                }
                let info = lu(columns(factors, n, n), pivots, par);
                let factors = MatRef::from_column_major_slice(factors, n, n);
                lu_solve(factors, pivots, columns(inverse, n, n), par);
                info
            }
            SolverOp::Qr => factor_qr(job.matrix::<T>(m, n), m, n, job.operand(0, m.min(n)), par),
            SolverOp::QrVectors(count) => qr_vectors(columns(job.matrix::<T>(m, n), m, n), job.operand(0, count), par),
            SolverOp::Svd(vectors) => svd(job, vectors, job.matrix::<T>(m, n)),
            SolverOp::EigenHermitian(vectors, triangle) => {
                eigen_hermitian(job.matrix::<T>(n, n), job.operand(0, n), vectors, triangle, par)
            }
            SolverOp::SolveTriangular(triangle, unit) => {
                let matrix = MatRef::from_column_major_slice(job.matrix::<T>(m, m), m, m);
                solve_triangular(matrix, columns(job.operand(0, m * n), m, n), triangle, unit, par)
            }
            SolverOp::Hessenberg => scaled(job.matrix::<T>(n, n), |a| reduce(a, Some(job.operand(0, n * n)), n, par)),
            SolverOp::Eigen(_) | SolverOp::Schur | SolverOp::EigenTridiagonal => {
                unreachable!("iterations have a function of their own")
            }
        }
    }
}

unsafe fn eigen_tridiagonal<F: Float>(job: Job<'_>) -> i32 {
    let n = job.spec.n;
    // SAFETY: the sizes are those that the contract gives. There may be no memory for no elements.
    let (diagonal, below) =
        unsafe { (job.matrix::<F>(1, n), if n > 1 { job.operand::<F>(0, n - 1) } else { &mut [] }) };
    if diagonal.iter().chain(&*below).any(|x| !x.is_finite()) {
        return NOT_FINITE;
    }
    tridiagonal::eigenvalues(diagonal, below).map_or(1, |()| 0)
}

fn cholesky<T: ComplexField>(a: MatMut<'_, T>, triangle: Triangle, par: Par) -> i32 {
    let size = llt::factor::cholesky_in_place_scratch::<T>(a.nrows(), par, default());
    // The transpose of an upper factor is the lower factor of the transpose.
    let mut a = if triangle == Triangle::Upper { a.transpose_mut() } else { a };
    let made = with_stack(size, |stack| llt::factor::cholesky_in_place(a.rb_mut(), default(), par, stack, default()));
    // Which the library uses as scratch.
    (1..a.ncols()).for_each(|j| a.rb_mut().col_mut(j).subrows_mut(0, j).fill(zero()));
    match made {
        Ok(_) => 0,
        Err(llt::factor::LltError::NonPositivePivot { index }) => index as i32 + 1,
    }
}

/// Eigenvalues and vectors, or the Schur form, of a general matrix.
unsafe fn general<T: Field>(job: Job<'_>) -> i32 {
    let n = job.spec.n;
    // SAFETY: the operands that the contract lists.
    unsafe {
        let a = job.matrix::<T>(n, n);
        match job.spec.op {
            _ if !all_finite(a) => NOT_FINITE,
            SolverOp::Eigen(vectors) => {
                eigen::eigen(a, job.operand(0, n), vectors.then(|| job.operand::<T>(1, n * n)), job.par)
            }
            _ => scaled(a, |form| {
                let basis = job.operand::<T>(0, n * n);
                reduce(form, Some(&mut *basis), n, job.par);
                schur(form, Some(basis), n, job.par)
            }),
        }
    }
}

fn factor_qr<T: ComplexField<Real: Float> + Copy>(a: &mut [T], m: usize, n: usize, tau: &mut [T], par: Par) -> i32 {
    let unit = into_unit(a);
    let mut a = columns(a, m, n);
    qr::factor(a.rb_mut(), tau, par);
    // What lies below the diagonal are reflections.
    a.col_iter_mut().enumerate().for_each(|(j, column)| multiply(&mut elements(column)[..m.min(j + 1)], unit));
    0
}

fn qr_vectors<T: ComplexField<Real: Float> + Copy>(mut a: MatMut<'_, T>, tau: &[T], par: Par) -> i32 {
    let reflections = a.rb().subcols(0, tau.len()).to_owned();
    identity(a.rb_mut());
    qr::multiply(reflections.as_ref(), tau, a, true, par);
    0
}

unsafe fn svd<T: ComplexField<Real: Float> + Copy>(job: Job<'_>, vectors: SingularVectors, a: &mut [T]) -> i32 {
    let SolverSpec { m, n, .. } = *job.spec;
    let par = job.par;
    // SAFETY: the operands that the contract lists.
    let values = unsafe { job.operand::<T::Real>(0, n) };
    if !all_finite(a) {
        return NOT_FINITE;
    }
    let unit = into_unit(a);
    let left_columns = match vectors {
        SingularVectors::None => 0,
        SingularVectors::Thin => n,
        SingularVectors::Full => m,
    };
    let mut v = vec![zero::<T>(); if left_columns == 0 { 0 } else { n * n }];
    let wanted = left_columns > 0;
    // SAFETY: the operands that the contract lists.
    let mut u = wanted.then(|| columns(unsafe { job.operand::<T>(1, m * left_columns) }, m, left_columns));
    let right = wanted.then(|| columns(&mut v, n, n));
    let info = if SVD_TALL.1 * m > SVD_TALL.0 * n {
        // Of the triangular factor.
        let (mut a, mut tau) = (columns(a, m, n), vec![zero::<T>(); n]);
        qr::factor(a.rb_mut(), &mut tau, par);
        let mut triangle = Mat::<T>::zeros(n, n);
        triangle.copy_from_triangular_upper(a.rb().subrows(0, n));
        u.iter_mut().for_each(|u| identity(u.rb_mut()));
        let corner = u.as_mut().map(|u| u.rb_mut().submatrix_mut(0, 0, n, n));
        let info = decompose(triangle.as_ref(), values, corner, right, par);
        u.into_iter().for_each(|u| qr::multiply(a.rb(), &tau, u, false, par));
        info
    } else {
        // The library expects the columns beyond the thin basis to be zero.
        u.iter_mut().for_each(|u| u.fill(zero()));
        decompose(MatRef::from_column_major_slice(a, m, n), values, u, right, par)
    };
    values.iter_mut().for_each(|value| *value *= unit);
    if left_columns > 0 {
        // SAFETY: the operands that the contract lists.
        let adjoint = unsafe { job.operand::<T>(2, n * n) };
        for column in 0..n {
            (0..n).for_each(|row| adjoint[column * n + row] = conj(&v[row * n + column]));
        }
    }
    info
}

/// The singular value decomposition of a matrix that is not tall, by the library.
///
/// From 128 columns on `faer` 0.24.4 divides and conquers. Where singular values are close to the smallest numbers, as those
/// of matrices of low rank and single precision, it may end at vectors that are not orthonormal or at values out of order.
/// Its iteration, which it takes for smaller ones, does not.
fn decompose<T: ComplexField<Real: Float> + Copy>(
    a: MatRef<'_, T>,
    values: &mut [T::Real],
    mut u: Option<MatMut<'_, T>>,
    mut v: Option<MatMut<'_, T>>,
    par: Par,
) -> i32 {
    let (m, n) = a.shape();
    let wanted = |side: &Option<MatMut<'_, T>>| match side {
        None => ComputeSvdVectors::No,
        Some(side) if side.ncols() > n => ComputeSvdVectors::Full,
        Some(_) => ComputeSvdVectors::Thin,
    };
    let (left, right) = (wanted(&u), wanted(&v));
    let mut diagonal = vec![zero::<T>(); n];
    let mut params = <SvdParams as Auto<T>>::auto();
    let first = params.recursion_threshold;
    let mut info = 0;
    for threshold in [first, usize::MAX] {
        params.recursion_threshold = threshold;
        let size = svd::svd_scratch::<T>(m, n, left, right, par, params.into());
        let outcome = with_stack(size, |stack| {
            let (u, v) = (u.as_mut().map(ReborrowMut::rb_mut), v.as_mut().map(ReborrowMut::rb_mut));
            svd::svd(a, DiagMut::from_slice_mut(&mut diagonal), u, v, par, stack, params.into())
        });
        values.iter_mut().zip(&diagonal).for_each(|(value, element)| *value = real(element));
        info = i32::from(outcome.is_err());
        let is_sound = info == 0
            && values.windows(2).all(|pair| pair[0] >= pair[1])
            && values.last().is_none_or(|&last| last >= zero())
            && [&u, &v].into_iter().flatten().all(|side| is_orthonormal(side.rb().subcols(0, n), par));
        if is_sound || n < first {
            break;
        }
        // Which expects them to be zero.
        u.iter_mut().for_each(|u| u.fill(zero()));
    }
    info
}

fn is_orthonormal<T: ComplexField<Real: Float> + Copy>(basis: MatRef<'_, T>, par: Par) -> bool {
    let n = basis.ncols();
    let mut products = Mat::<T>::zeros(n, n);
    matmul(products.as_mut(), Accum::Replace, basis.adjoint(), basis, one(), par);
    (0..n).for_each(|i| products[(i, i)] -= one::<T>());
    products.norm_l2() <= T::Real::epsilon() * from_f64::<T::Real>(ORTHONORMAL * n as f64)
}

fn eigen_hermitian<T: ComplexField<Real: Float> + Copy>(
    a: &mut [T],
    values: &mut [T::Real],
    vectors: bool,
    triangle: Triangle,
    par: Par,
) -> i32 {
    let n = values.len();
    // The library reads the lower triangle; the transpose of a Hermitian matrix is its conjugate.
    let given = MatRef::from_column_major_slice(&*a, n, n);
    let given = if triangle == Triangle::Upper { given.transpose() } else { given };
    let mut source = vec![zero::<T>(); n * n];
    columns(&mut source, n, n).copy_from_triangular_lower(given);
    if !all_finite(&source) {
        return NOT_FINITE;
    }
    let unit = into_unit(&mut source);
    let mut source = columns(&mut source, n, n);
    let found = if vectors {
        let mut diagonal = vec![zero::<T>(); n];
        let size = evd::self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, par, default());
        let found = with_stack(size, |stack| {
            let target = Some(columns(a, n, n));
            evd::self_adjoint_evd(source.rb(), DiagMut::from_slice_mut(&mut diagonal), target, par, stack, default())
        });
        values.iter_mut().zip(&diagonal).for_each(|(value, element)| *value = real(element));
        let found = found.ok().or_else(|| {
            for column in 1..n {
                (0..column).for_each(|row| source[(row, column)] = conj(&source[(column, row)]));
            }
            jacobi::eigen(source, columns(a, n, n), values)
        });
        if triangle == Triangle::Upper {
            a.iter_mut().for_each(|element| *element = conj(element));
        }
        found
    } else {
        eigenvalues_hermitian(source, values, par)
    };
    values.iter_mut().for_each(|value| *value *= unit);
    found.map_or(1, |()| 0)
}

/// The same for at most `SMALL` rows: reflections one by one, since the library prepares more than there is to do.
#[allow(clippy::needless_range_loop, reason = "several arrays have one index")]
fn eigenvalues_small<T: ComplexField<Real: Float> + Copy>(a: MatMut<'_, T>, values: &mut [T::Real]) -> Option<()> {
    let n = values.len();
    let mut columns: SmallVec<[&mut [T]; SMALL]> = a.col_iter_mut().map(elements).collect();
    let mut below: SmallVec<[T::Real; SMALL]> = SmallVec::new();
    for step in 0..n - 1 {
        values[step] = real(&columns[step][step]);
        let (done, rest) = columns.split_at_mut(step + 1);
        let v = &mut done[step][step + 1..];
        let tail = v[1..].iter().fold(zero::<T::Real>(), |sum, x| sum + abs2(x));
        if tail == zero() {
            below.push(abs(&v[0]));
            continue;
        }
        // The reflection takes the column to a multiple of its first unit vector, with the phase of its first element turned.
        let size = abs(&v[0]);
        let length = (size * size + tail).sqrt();
        let phase = if size == zero() { one::<T>() } else { mul_real(&v[0], &size.recip()) };
        v[0] += mul_real(&phase, &length);
        below.push(length);
        // Twice the reciprocal of the squared length of `v`.
        let scale = (length * (length + size)).recip();
        let count = v.len();
        let mut w: SmallVec<[T; SMALL]> = SmallVec::from_elem(zero(), count);
        for column in 0..count {
            let entries = &rest[column][step + 1..];
            w[column] += mul_real(&v[column], &real(&entries[column]));
            for row in column + 1..count {
                w[row] += entries[row] * v[column];
                w[column] += conj(&entries[row]) * v[row];
            }
        }
        w.iter_mut().for_each(|x| *x = mul_real(x, &scale));
        let along = v.iter().zip(&w).fold(zero::<T>(), |sum, (x, y)| sum + conj(x) * *y);
        let half = real(&along) * scale * from_f64::<T::Real>(0.5);
        v.iter().zip(&mut w).for_each(|(x, y)| *y -= mul_real(x, &half));
        for column in 0..count {
            let (at, of) = (conj(&v[column]), conj(&w[column]));
            for row in column..count {
                rest[column][step + 1 + row] -= v[row] * of + w[row] * at;
            }
        }
    }
    values[n - 1] = real(&columns[n - 1][n - 1]);
    tridiagonal::eigenvalues(values, &mut below)
}

/// Eigenvalues from the lower triangle of `a`, which is destroyed.
fn eigenvalues_hermitian<T: ComplexField<Real: Float> + Copy>(
    mut a: MatMut<'_, T>,
    values: &mut [T::Real],
    par: Par,
) -> Option<()> {
    let n = values.len();
    if n <= SMALL {
        return eigenvalues_small(a, values);
    }
    let block = no_pivoting::factor::recommended_block_size::<T>(n, n);
    let mut factors = Mat::<T>::zeros(block, n - 1);
    with_stack(tridiag::tridiag_in_place_scratch::<T>(n, par, default()), |stack| {
        tridiag::tridiag_in_place(a.rb_mut(), factors.as_mut(), par, stack, default());
    });
    values.iter_mut().enumerate().for_each(|(i, value)| *value = real(&a[(i, i)]));
    let mut below: Vec<T::Real> = (1..n).map(|i| abs(&a[(i, i - 1)])).collect();
    tridiagonal::eigenvalues(values, &mut below)
}
