//! Factorisations, linear systems and eigenvalues of (stacks of) matrices.
//!
//! Every function returns, beside its results, LAPACK's info values: int32, one for each matrix of the stack. Reading
//! them waits for the device, so that is left to the caller.

use std::sync::Arc;

use cuproxide_hal::libraries::{SingularVectors, SolverOp, SolverSpec, Triangle};
use cuproxide_hal::{DType, Scalar};

use crate::array::{Array, common_context};
use crate::context::Context;
use crate::detach::queueing;
use crate::error::{Error, Result, type_error, value_error};
use crate::layout::{Dims, Order};
use crate::memory::capture;
use crate::ops::copy::{ascontiguous, assign, astype, dense, fill};
use crate::promotion::Casting;
use crate::routes;
use crate::timeline::{self, Work};

/// (Stacks of) matrices in memory as solvers want them.
struct Problem {
    /// Memory of the matrices: their transposes in C order.
    memory: Array,
    stack: Dims,
    m: usize,
    n: usize,
}

impl Problem {
    /// A column-major copy of the matrices in the last two axes.
    fn copy_of(matrices: &Array) -> Result<Problem> {
        let (stack, m, n) = parts(matrices)?;
        let problem = Problem::empty(matrices.context(), matrices.dtype(), &stack, m, n)?;
        assign(&problem.matrices()?, matrices, Casting::No, None)?;
        Ok(problem)
    }

    /// Leaves out what the diagonals of copied Hermitian matrices have of imaginary parts, as LAPACK does.
    fn with_real_diagonal(self) -> Result<Problem> {
        if self.memory.dtype().is_complex() {
            let diagonal = self.memory.diagonal(0, -2, -1)?.part(true);
            fill(&diagonal, Scalar::integer(diagonal.dtype(), 0))?;
        }
        Ok(self)
    }

    /// A copy of the matrices in C order, which the solver sees as their transposes.
    fn transposed_copy_of(matrices: &Array) -> Result<Problem> {
        let (stack, m, n) = parts(matrices)?;
        let problem = Problem::empty(matrices.context(), matrices.dtype(), &stack, n, m)?;
        assign(&problem.memory, matrices, Casting::No, None)?;
        Ok(problem)
    }

    fn empty(context: &Arc<Context>, dtype: DType, stack: &[usize], m: usize, n: usize) -> Result<Problem> {
        let memory = Array::empty(context, dtype, &shape(stack, &[n, m]), Order::C)?;
        Ok(Problem { memory, stack: Dims::from_slice(stack), m, n })
    }

    /// The matrices as the caller sees them.
    fn matrices(&self) -> Result<Array> {
        swapped(&self.memory)
    }

    fn vector(&self, dtype: DType, length: usize) -> Result<Array> {
        Array::empty(self.memory.context(), dtype, &shape(&self.stack, &[length]), Order::C)
    }

    fn matrix(&self, rows: usize, columns: usize) -> Result<Problem> {
        Problem::empty(self.memory.context(), self.memory.dtype(), &self.stack, rows, columns)
    }

    /// Runs an operation on the matrices as `m` x `n` ones and returns the info values.
    fn run(&self, op: SolverOp, operands: &[&Array]) -> Result<Array> {
        self.run_sized(op, self.m, self.n, operands)
    }

    fn run_sized(&self, op: SolverOp, m: usize, n: usize, operands: &[&Array]) -> Result<Array> {
        let context = self.memory.context();
        let info = Array::empty(context, DType::I32, &self.stack, Order::C)?;
        let batch = self.stack.iter().product();
        if batch == 0 || m == 0 || n == 0 {
            fill(&info, Scalar::integer(DType::I32, 0))?;
            return Ok(info);
        }
        let spec = SolverSpec { op, dtype: self.memory.dtype(), m, n, batch };
        let solver = context.device().libraries().solver()?;
        if capture::current(context).is_some() && !queueing(|| solver.is_capturable(&spec)) {
            return Err(uncapturable(&spec, context));
        }
        let bytes = queueing(|| solver.scratch_bytes(&spec))?;
        let scratch = if bytes > 0 { Some(context.allocate(bytes)?) } else { None };
        let addresses = operands.iter().map(|operand| operand.ptr()).collect::<Result<Vec<u64>>>()?;
        let scratch = scratch.as_ref().map_or(0, |block| block.ptr);
        let (matrices, info_ptr) = (self.memory.ptr()?, info.ptr()?);
        let _span = timeline::queued(Work::Library, "solver", context, || self.memory.nbytes());
        // SAFETY: the matrices and operands are contiguous arrays of the sizes that the operation's contract lists.
        context.queue(|stream| unsafe { solver.run(stream, &spec, matrices, &addresses, info_ptr, scratch) })?;
        Ok(info)
    }
}

/// The error of an operation that waits for the device, which a stream that captures cannot.
fn uncapturable(spec: &SolverSpec, context: &Context) -> Error {
    let SolverSpec { op, dtype, m, n, .. } = spec;
    let message = format!(
        "{op:?} of {m} x {n} matrices of {dtype} cannot be captured on {}: the solver waits for the device. Compute it before \
         begin_capture() or after end_capture()",
        context.id()
    );
    cuproxide_hal::Error::capture(context.id().backend, message).into()
}

fn shape(stack: &[usize], last: &[usize]) -> Dims {
    stack.iter().chain(last).copied().collect()
}

/// Lengths of the stack, rows and columns; checks the type.
fn parts(matrices: &Array) -> Result<(Dims, usize, usize)> {
    if !matches!(matrices.dtype(), DType::F32 | DType::F64 | DType::C64 | DType::C128) {
        return type_error(format!("array type {} is unsupported in linalg", matrices.dtype()));
    }
    let [stack @ .., m, n] = matrices.shape() else {
        return value_error(format!("{}-dimensional array given, matrices have two dimensions", matrices.ndim()));
    };
    Ok((Dims::from_slice(stack), *m, *n))
}

fn square(matrices: &Array) -> Result<usize> {
    match parts(matrices)? {
        (_, m, n) if m == n => Ok(n),
        (_, m, n) => value_error(format!("the matrices are {m} x {n}, not square")),
    }
}

/// A view with the last two axes exchanged.
fn swapped(array: &Array) -> Result<Array> {
    let last = array.ndim() as isize - 1;
    let mut order: Vec<isize> = (0..=last).collect();
    order.swap(last as usize - 1, last as usize);
    array.transpose(&order)
}

/// The Cholesky factor of a triangle of Hermitian matrices. Where the other triangle is zero,
/// so is that of the result.
pub fn cholesky(matrices: &Array, upper: bool) -> Result<(Array, Array)> {
    let side = square(matrices)?;
    if !upper && routes::lower_factor(matrices.context(), side)? {
        let problem = Problem::copy_of(matrices)?.with_real_diagonal()?;
        let info = problem.run(SolverOp::Cholesky(Triangle::Lower), &[])?;
        return Ok((ascontiguous(&problem.matrices()?, false)?, info));
    }
    // In C order the solver sees the conjugate matrix, whose other factor lies where this one is wanted.
    let problem = Problem::transposed_copy_of(matrices)?.with_real_diagonal()?;
    let triangle = if upper { Triangle::Lower } else { Triangle::Upper };
    let info = problem.run(SolverOp::Cholesky(triangle), &[])?;
    Ok((problem.memory, info))
}

/// LU factors in one matrix, int64 pivots counted from 1, and info.
pub fn lu(matrices: &Array) -> Result<(Array, Array, Array)> {
    let problem = Problem::copy_of(matrices)?;
    let pivots = problem.vector(DType::I64, problem.m.min(problem.n))?;
    let info = problem.run(SolverOp::Lu, &[&pivots])?;
    Ok((problem.matrices()?, pivots, info))
}

/// Solutions of linear systems from what [`lu`] returned; the stacks of factors and right-hand sides are equal.
pub fn lu_solve(factors: &Array, pivots: &Array, right: &Array) -> Result<Array> {
    common_context("solve", [factors, pivots, right].into_iter())?;
    let order = square(factors)?;
    let (stack, rows, count) = parts(right)?;
    let expected = shape(&stack, &[order, order]);
    let fits = rows == order && factors.shape() == expected.as_slice() && factors.dtype() == right.dtype();
    if !fits || pivots.shape() != &expected[..expected.len() - 1] || pivots.dtype() != DType::I64 {
        return value_error("the factors, pivots and right-hand sides do not fit together");
    }
    let memory = dense(&swapped(factors)?, false)?;
    let pivots = dense(pivots, false)?;
    let problem = Problem { memory, stack, m: order, n: order };
    let solution = Problem::copy_of(right)?;
    problem.run_sized(SolverOp::LuSolve, order, count, &[&pivots, &solution.memory])?;
    solution.matrices()
}

/// Solutions of linear systems, and info; the stacks of matrices and right-hand sides are equal.
pub fn solve(matrices: &Array, right: &Array) -> Result<(Array, Array)> {
    common_context("solve", [matrices, right].into_iter())?;
    let order = square(matrices)?;
    let (stack, rows, count) = parts(right)?;
    let fits = rows == order && matrices.shape() == shape(&stack, &[order, order]).as_slice();
    if !fits || matrices.dtype() != right.dtype() {
        return value_error("the matrices and right-hand sides do not fit together");
    }
    let problem = Problem::copy_of(matrices)?;
    let pivots = problem.vector(DType::I64, order)?;
    let solution = Problem::copy_of(right)?;
    let info = problem.run_sized(SolverOp::Solve, order, count, &[&pivots, &solution.memory])?;
    Ok((solution.matrices()?, info))
}

/// Inverses of square matrices, and info.
pub fn inverse(matrices: &Array) -> Result<(Array, Array)> {
    let order = square(matrices)?;
    // The inverse of the transpose is the transpose of the inverse: both stay in C order.
    let problem = Problem::transposed_copy_of(matrices)?;
    let pivots = problem.vector(DType::I64, order)?;
    let inverse = problem.matrix(order, order)?;
    let info = problem.run(SolverOp::Inverse, &[&pivots, &inverse.memory])?;
    Ok((inverse.memory, info))
}

/// Solutions of systems with a triangle of square matrices; with `unit` its diagonal counts as ones. The stacks of
/// matrices and right-hand sides are equal.
pub fn solve_triangular(matrices: &Array, right: &Array, upper: bool, unit: bool) -> Result<Array> {
    common_context("solve_triangular", [matrices, right].into_iter())?;
    let order = square(matrices)?;
    let (stack, rows, count) = parts(right)?;
    if rows != order
        || matrices.shape() != shape(&stack, &[order, order]).as_slice()
        || matrices.dtype() != right.dtype()
    {
        return value_error("the matrices and right-hand sides do not fit together");
    }
    let memory = dense(&swapped(matrices)?, false)?;
    let problem = Problem { memory, stack, m: order, n: order };
    let solution = Problem::copy_of(right)?;
    let triangle = if upper { Triangle::Upper } else { Triangle::Lower };
    problem.run_sized(SolverOp::SolveTriangular(triangle, unit), order, count, &[&solution.memory])?;
    solution.matrices()
}

/// Householder QR: the reflections and R in one matrix, and the factors `tau`.
pub fn qr(matrices: &Array) -> Result<(Array, Array)> {
    let problem = Problem::copy_of(matrices)?;
    let tau = problem.vector(matrices.dtype(), problem.m.min(problem.n))?;
    problem.run(SolverOp::Qr, &[&tau])?;
    Ok((problem.matrices()?, tau))
}

/// The first `count` columns of the unitary factor that the reflections of [`qr`] stand for.
pub fn qr_vectors(reflections: &Array, tau: &Array, count: usize) -> Result<Array> {
    common_context("qr", [reflections, tau].into_iter())?;
    let (stack, m, n) = parts(reflections)?;
    let used = m.min(n);
    if count > m
        || count < used
        || tau.dtype() != reflections.dtype()
        || tau.shape() != shape(&stack, &[used]).as_slice()
    {
        return value_error("the reflections and their factors do not fit together");
    }
    let problem = Problem::empty(reflections.context(), reflections.dtype(), &stack, m, count)?;
    let columns = |array: &Array| -> Result<Array> {
        let strides = array.strides().to_vec();
        array.as_strided(&shape(&stack, &[m, used]), &strides)
    };
    assign(&columns(&problem.matrices()?)?, &columns(reflections)?, Casting::No, None)?;
    if used == 0 {
        // No reflections: the factor is the identity.
        fill(&problem.memory, Scalar::real(reflections.dtype(), 0.0))?;
        fill(&problem.memory.diagonal(0, -2, -1)?, Scalar::real(reflections.dtype(), 1.0))?;
        return problem.matrices();
    }
    let tau = dense(tau, false)?;
    problem.run(SolverOp::QrVectors(used), &[&tau])?;
    problem.matrices()
}

/// Left singular vectors, singular values and the adjoint of the right vectors; only values with
/// [`SingularVectors::None`]. `Full` asks for all vectors of both sides.
pub struct Svd {
    /// Left and (adjoint) right vectors, if asked for.
    pub vectors: Option<(Array, Array)>,
    /// Singular values, descending.
    pub values: Array,
    /// Info values.
    pub info: Array,
}

/// The singular value decomposition.
pub fn svd(matrices: &Array, vectors: SingularVectors) -> Result<Svd> {
    let (_, m, n) = parts(matrices)?;
    if m < n {
        // The transpose of u s v is v' s u'.
        let other = svd(&swapped(matrices)?, vectors)?;
        let vectors = match other.vectors {
            Some((left, right)) => Some((swapped(&right)?, swapped(&left)?)),
            None => None,
        };
        return Ok(Svd { vectors, ..other });
    }
    if let Some(wide) = wider(matrices, m)? {
        let Svd { vectors, values, info } = svd(&wide, vectors)?;
        let narrow = |array: Array, dtype| astype(&array, dtype, Order::K);
        let vectors = match vectors {
            Some((u, vh)) => Some((narrow(u, matrices.dtype())?, narrow(vh, matrices.dtype())?)),
            None => None,
        };
        return Ok(Svd { vectors, values: narrow(values, matrices.dtype().real())?, info });
    }
    let problem = Problem::copy_of(matrices)?;
    let values = problem.vector(matrices.dtype().real(), n)?;
    let columns = match vectors {
        SingularVectors::None => {
            let info = problem.run(SolverOp::Svd(vectors), &[&values])?;
            return Ok(Svd { vectors: None, values, info });
        }
        SingularVectors::Thin => n,
        SingularVectors::Full => m,
    };
    let (left, right) = (problem.matrix(m, columns)?, problem.matrix(n, n)?);
    let info = problem.run(SolverOp::Svd(vectors), &[&values, &left.memory, &right.memory])?;
    if n == 0 && columns > 0 {
        // Nothing was decomposed: any basis will do.
        fill(&left.memory, Scalar::real(matrices.dtype(), 0.0))?;
        fill(&left.memory.diagonal(0, -2, -1)?, Scalar::real(matrices.dtype(), 1.0))?;
    }
    Ok(Svd { vectors: Some((left.matrices()?, right.matrices()?)), values, info })
}

/// Matrices of single precision in double, where the device's solver loses digits over so many rows.
fn wider(matrices: &Array, rows: usize) -> Result<Option<Array>> {
    let wide = match matrices.dtype() {
        DType::F32 => DType::F64,
        DType::C64 => DType::C128,
        _ => return Ok(None),
    };
    match routes::double_from(matrices.context())? {
        Some(least) if rows >= least => Ok(Some(astype(matrices, wide, Order::K)?)),
        _ => Ok(None),
    }
}

/// Ascending eigenvalues of Hermitian matrices given by a triangle, their vectors if asked for, and info.
pub fn eigen_hermitian(matrices: &Array, vectors: bool, upper: bool) -> Result<(Array, Option<Array>, Array)> {
    let n = square(matrices)?;
    let problem = Problem::copy_of(matrices)?.with_real_diagonal()?;
    let values = problem.vector(matrices.dtype().real(), n)?;
    let triangle = if upper { Triangle::Upper } else { Triangle::Lower };
    let info = problem.run(SolverOp::EigenHermitian(vectors, triangle), &[&values])?;
    Ok((values, if vectors { Some(problem.matrices()?) } else { None }, info))
}

/// Eigenvalues of real symmetric tridiagonal matrices, ascending, and info; `None` where the device has no such operation.
/// Diagonals, and what stands beside them, are rows: the axis before the last one has the length 1.
pub fn eigen_tridiagonal(diagonal: &Array, beside: &Array) -> Result<Option<(Array, Array)>> {
    if !diagonal.context().device().libraries().solver()?.has(SolverOp::EigenTridiagonal) {
        return Ok(None);
    }
    let (problem, beside) = (Problem::copy_of(diagonal)?, Problem::copy_of(beside)?);
    let info = problem.run(SolverOp::EigenTridiagonal, &[&beside.memory])?;
    Ok(Some((problem.matrices()?, info)))
}

/// Complex eigenvalues of general matrices, their right vectors if asked for (of real matrices in LAPACK's packed
/// form), and info.
pub fn eigen(matrices: &Array, vectors: bool) -> Result<(Array, Option<Array>, Array)> {
    let n = square(matrices)?;
    let problem = Problem::copy_of(matrices)?;
    let complex = if matrices.dtype().real() == DType::F32 { DType::C64 } else { DType::C128 };
    let values = problem.vector(complex, n)?;
    if !vectors {
        let info = problem.run(SolverOp::Eigen(false), &[&values])?;
        return Ok((values, None, info));
    }
    let right = problem.matrix(n, n)?;
    let info = problem.run(SolverOp::Eigen(true), &[&values, &right.memory])?;
    Ok((values, Some(right.matrices()?), info))
}

/// The Hessenberg or (with `schur`) the Schur form of square matrices, the unitary matrices that lead there, and info.
pub fn unitary_form(matrices: &Array, schur: bool) -> Result<(Array, Array, Array)> {
    let n = square(matrices)?;
    let problem = Problem::copy_of(matrices)?;
    let basis = problem.matrix(n, n)?;
    let op = if schur { SolverOp::Schur } else { SolverOp::Hessenberg };
    let info = problem.run(op, &[&basis.memory])?;
    Ok((problem.matrices()?, basis.matrices()?, info))
}
