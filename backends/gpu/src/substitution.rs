//! Solutions and inverses from LU factors by triangular systems, which the vendors' products solve faster than their
//! solvers substitute.

use std::sync::Arc;

use cuproxide_hal::libraries::{SolverSpec, Triangle};
use cuproxide_hal::{DType, Result, Stream};

use crate::api::driver::Driver;
use crate::dense::{Dense, Step};
use crate::own_handle::Lazy;
use crate::routes;

/// Columns of the inverse of a lower factor that are sought at a time; each block is zero above the diagonal.
const BLOCK: usize = 2048;

const LOWER: (Triangle, bool) = (Triangle::Lower, true);
const UPPER: (Triangle, bool) = (Triangle::Upper, false);

/// Triangular systems with column-major matrices.
#[derive(Clone, Copy, Debug)]
pub struct Systems {
    /// Address of the `rows` x `rows` matrices.
    pub a: u64,
    /// Address of the `rows` x `columns` right-hand sides.
    pub b: u64,
    /// Side of a matrix.
    pub rows: usize,
    /// Right-hand sides of a system.
    pub columns: usize,
    /// Elements from a column to the next, in both matrices.
    pub leading: usize,
    /// Number of systems, one after another in memory; blocks of greater matrices (`leading > rows`) come alone.
    pub batch: usize,
}

/// Triangular systems, which the vendors' libraries of products solve.
pub trait Triangular: Send + Sync {
    /// Solves with a triangle of the matrices; with `true` its diagonal counts as ones.
    ///
    /// # Safety
    /// The addresses are device memory of matrices of the sizes.
    unsafe fn solve_triangular(
        &self,
        stream: &dyn Stream,
        dtype: DType,
        triangle: (Triangle, bool),
        systems: Systems,
    ) -> Result<()>;
}

impl<T: Triangular> Triangular for Lazy<T> {
    unsafe fn solve_triangular(
        &self,
        stream: &dyn Stream,
        dtype: DType,
        triangle: (Triangle, bool),
        systems: Systems,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.get()?.solve_triangular(stream, dtype, triangle, systems) }
    }
}

/// What goes on after the factorisation.
pub(crate) struct Substitution {
    pub driver: &'static Driver,
    pub triangular: Arc<dyn Triangular>,
}

/// Bytes of the order of the rows, before the matrix that rows or columns are moved to.
fn order_bytes(spec: &SolverSpec) -> usize {
    (spec.m * size_of::<u32>()).next_multiple_of(256)
}

impl Substitution {
    /// Whether right-hand sides are many enough.
    pub fn takes(spec: &SolverSpec) -> bool {
        routes::SUBSTITUTION.takes(spec.n)
    }

    /// Bytes of scratch for a solution or an inverse.
    pub fn scratch_bytes(spec: &SolverSpec) -> usize {
        order_bytes(spec) + spec.m * spec.n * spec.dtype.size()
    }

    /// Solves for the right-hand sides at `right`, which the solutions replace.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes that `SolverOp::LuSolve` implies.
    pub unsafe fn solve(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        dense: &Dense,
        [factors, pivots, right]: [u64; 3],
        scratch: u64,
    ) -> Result<()> {
        let (order, moved) = (scratch, scratch + order_bytes(spec) as u64);
        let bytes = spec.m * spec.n * spec.dtype.size();
        let one = SolverSpec { batch: 1, ..*spec };
        let systems = Systems { a: 0, b: 0, rows: spec.m, columns: spec.n, leading: spec.m, batch: 1 };
        for index in 0..spec.batch {
            let at = |start: u64, step: usize| start + (index * step) as u64;
            let a = at(factors, spec.m * spec.m * spec.dtype.size());
            let (pivots, b) = (at(pivots, spec.m * size_of::<i64>()), at(right, bytes));
            // SAFETY: the caller's promise; the scratch holds an order and the right-hand sides.
            unsafe {
                dense.step(stream, &one, Step::Order, 0, pivots, order)?;
                dense.step(stream, &one, Step::Rows, moved, b, order)?;
                self.driver.copy(b, moved, bytes, stream.raw())?;
                for triangle in [LOWER, UPPER] {
                    self.triangular.solve_triangular(stream, spec.dtype, triangle, Systems { a, b, ..systems })?;
                }
            }
        }
        Ok(())
    }

    /// Inverses of square matrices.
    ///
    /// # Safety
    /// The addresses are device memory of the sizes that `SolverOp::Inverse` implies.
    pub unsafe fn invert(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        dense: &Dense,
        [factors, pivots, inverse]: [u64; 3],
        scratch: u64,
    ) -> Result<()> {
        let (side, item) = (spec.m, spec.dtype.size());
        let (order, lower) = (scratch, scratch + order_bytes(spec) as u64);
        let one = SolverSpec { batch: 1, ..*spec };
        for index in 0..spec.batch {
            let at = |start: u64, step: usize| start + (index * step) as u64;
            let (a, b) = (at(factors, side * side * item), at(inverse, side * side * item));
            // SAFETY: the caller's promise; the scratch holds an order and a matrix.
            unsafe {
                dense.step(stream, &one, Step::Order, 0, at(pivots, side * size_of::<i64>()), order)?;
                dense.step(stream, &one, Step::Identity, lower, 0, 0)?;
                for start in (0..side).step_by(BLOCK) {
                    let corner = (start * (side + 1) * item) as u64;
                    let (rows, columns) = (side - start, BLOCK.min(side - start));
                    let systems = Systems { a: a + corner, b: lower + corner, rows, columns, leading: side, batch: 1 };
                    self.triangular.solve_triangular(stream, spec.dtype, LOWER, systems)?;
                }
                dense.step(stream, &one, Step::Columns, b, lower, order)?;
                let systems = Systems { a, b, rows: side, columns: side, leading: side, batch: 1 };
                self.triangular.solve_triangular(stream, spec.dtype, UPPER, systems)?;
            }
        }
        Ok(())
    }
}
