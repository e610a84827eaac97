//! Matrices by the hand-written kernels, a block for each: stacks of small ones, and what no vendor library has.

use std::ffi::c_void;
use std::sync::Arc;

use cuproxide_hal::libraries::{SolverOp, SolverSpec, Triangle};
use cuproxide_hal::{DType, Error, Result, Stream};
use cuproxide_kernels_cuda::{DENSE, EIGEN, ELEMENT, SCALING, SCHUR};
use once_cell::sync::OnceCell;

use crate::api::driver::Driver;
use crate::compiler::Request;
use crate::context::Primary;
use crate::kernel::Module;
use crate::routes;
use crate::target::Target;
use crate::vendor::Vendor;

const ENTRIES: [&str; 16] = [
    "dense_lu",
    "dense_lu_solve",
    "dense_solve_triangular",
    "dense_cholesky",
    "dense_qr",
    "dense_qr_vectors",
    "dense_hessenberg",
    "dense_schur",
    "dense_eigen",
    "dense_identity",
    "dense_order",
    "dense_rows",
    "dense_columns",
    "range_largest",
    "range_scale",
    "range_restore",
];
const EIGEN_ENTRY: usize = 8;

/// What helps other operations. A block takes a column, if nothing else is said.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// `a` becomes the identity.
    Identity = EIGEN_ENTRY as isize + 1,
    /// The order of rows at `c` that the pivots at `b` lead to: row i is the one that was `c[i]`. A block takes a matrix.
    Order,
    /// Row i of `a` becomes row `c[i]` of `b`.
    Rows,
    /// Column `c[j]` of `a` becomes column j of `b`.
    Columns,
    /// The largest element of each column of `a` goes to `b`.
    Largest,
    /// `a` is divided by the unit that the columns' largest elements at `b` ask for.
    Scale,
    /// The values at `c`, one for each column, or else the upper triangle of `a` are multiplied by that unit.
    Restore,
}

/// The kernels of one device; a module for each element type is compiled on first use.
pub struct Dense {
    vendor: &'static Vendor,
    driver: &'static Driver,
    primary: Primary,
    target: Target,
    modules: [OnceCell<Loaded>; 4],
}

struct Loaded {
    /// Keeps the functions alive.
    _module: Arc<Module>,
    functions: [u64; ENTRIES.len()],
}

/// The kernels' argument, as `struct Dense` of the text lays it out.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Argument {
    pub a: u64,
    pub b: u64,
    pub c: u64,
    pub info: u64,
    pub m: u64,
    pub n: u64,
    pub count: u64,
    pub upper: u64,
    pub unit: u64,
}

/// The texts worth precompiling, by name, without the dialect's prelude.
pub(crate) fn texts() -> Vec<(&'static str, String)> {
    [DType::F32, DType::F64, DType::C64, DType::C128].map(|dtype| ("dense", text(dtype))).to_vec()
}

/// The elements of a type, which the text of kernels goes after, without the dialect's prelude.
pub(crate) fn elements(dtype: DType) -> String {
    let complex = u8::from(dtype.is_complex());
    let (real, epsilon, tiny, largest) = if dtype.real() == DType::F32 {
        ("f32", f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE / f32::EPSILON), f64::from(f32::MAX))
    } else {
        ("f64", f64::EPSILON, f64::MIN_POSITIVE / f64::EPSILON, f64::MAX)
    };
    format!(
        "typedef {real} Real;\n#define COMPLEX {complex}\n#define EPSILON {epsilon:e}\n#define TINY {tiny:e}\n\
         #define LARGEST ((Real){largest:e})\n\n\
         {ELEMENT}\n"
    )
}

/// The text of the kernels for an element type.
fn text(dtype: DType) -> String {
    format!("{}{DENSE}\n{SCALING}\n{SCHUR}\n{EIGEN}", elements(dtype))
}

/// The kernel for an operation, if there is one.
fn entry(op: SolverOp) -> Option<usize> {
    Some(match op {
        SolverOp::Lu => 0,
        SolverOp::LuSolve => 1,
        SolverOp::SolveTriangular(..) => 2,
        SolverOp::Cholesky(_) => 3,
        SolverOp::Qr => 4,
        SolverOp::QrVectors(_) => 5,
        SolverOp::Hessenberg => 6,
        SolverOp::Schur => 7,
        SolverOp::Eigen(_) => EIGEN_ENTRY,
        SolverOp::Solve
        | SolverOp::Inverse
        | SolverOp::Svd(_)
        | SolverOp::EigenHermitian(..)
        | SolverOp::EigenTridiagonal => return None,
    })
}

impl Dense {
    /// Compiles nothing yet.
    pub fn new(vendor: &'static Vendor, driver: &'static Driver, primary: Primary, target: Target) -> Dense {
        Dense { vendor, driver, primary, target, modules: Default::default() }
    }

    /// Whether the kernels are the way to go, even if the vendor's library has the operation.
    pub fn takes(&self, spec: &SolverSpec) -> bool {
        match spec.op {
            SolverOp::Hessenberg | SolverOp::Schur => true,
            SolverOp::Eigen(_) => false,
            op if entry(op).is_none() => false,
            op => {
                // Of right-hand sides there may be many.
                let solves = matches!(op, SolverOp::LuSolve | SolverOp::SolveTriangular(..));
                let side = if solves { spec.m } else { spec.m.max(spec.n) };
                let counted = spec.m.saturating_mul(spec.n) <= u32::MAX as usize;
                let stacked = routes::STACK.takes(spec.batch);
                let by_library = if stacked { &routes::STACKED_MATRIX } else { &routes::MATRIX };
                counted && !by_library.takes(side)
            }
        }
    }

    /// Bytes of scratch that [`Dense::run`] needs.
    pub fn scratch_bytes(spec: &SolverSpec) -> usize {
        // The basis of the Schur form lies where vectors would.
        if spec.op == SolverOp::Eigen(false) { spec.batch * spec.n * spec.n * spec.dtype.size() } else { 0 }
    }

    fn loaded(&self, dtype: DType) -> Result<&Loaded> {
        let number = match dtype {
            DType::F32 => 0,
            DType::F64 => 1,
            DType::C64 => 2,
            DType::C128 => 3,
            _ => return Err(Error::unsupported(self.primary.backend, format!("dense solvers of {dtype}"))),
        };
        self.modules[number].get_or_try_init(|| {
            let text = self.vendor.complete(self.target, &text(dtype));
            let request = Request::generated(self.vendor, "dense", &text, self.target);
            let module = Module::compiled(self.driver, self.primary, &request)?;
            let mut functions = [0; ENTRIES.len()];
            for (function, name) in functions.iter_mut().zip(ENTRIES) {
                *function = module.handle(name)?;
            }
            Ok(Loaded { _module: module, functions })
        })
    }

    /// Queues an operation that there is a kernel for.
    ///
    /// # Safety
    /// As for `Solver::run`.
    pub unsafe fn run(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        a: u64,
        operands: &[u64],
        info: u64,
        scratch: u64,
    ) -> Result<()> {
        let Some(entry) = entry(spec.op) else {
            return Err(Error::unsupported(self.primary.backend, format!("{:?} by a kernel", spec.op)));
        };
        if spec.m.max(spec.n) >= 1 << 24 {
            return Err(self.too_large(spec));
        }
        let operand = |which: usize| operands.get(which).copied().unwrap_or(0);
        let (triangle, unit) = match spec.op {
            SolverOp::Cholesky(triangle) => (triangle, false),
            SolverOp::SolveTriangular(triangle, unit) => (triangle, unit),
            _ => (Triangle::Lower, false),
        };
        let argument = Argument {
            a,
            b: operand(0),
            c: if spec.op == SolverOp::Eigen(false) { scratch } else { operand(1) },
            info,
            m: spec.m as u64,
            n: spec.n as u64,
            count: match spec.op {
                SolverOp::QrVectors(count) => count as u64,
                SolverOp::Eigen(vectors) => u64::from(vectors),
                _ => 0,
            },
            upper: u64::from(triangle == Triangle::Upper),
            unit: u64::from(unit),
        };
        // A few elements a thread, in a power of two as the reductions want it.
        let threads = (spec.m * spec.n / 8).next_power_of_two().clamp(32, 256) as u32;
        // SAFETY: the addresses are the caller's promise.
        unsafe { self.launch(stream, spec, entry, spec.batch, threads, argument) }
    }

    /// Queues a step with `spec.batch` matrices of `spec.m` rows.
    ///
    /// # Safety
    /// The addresses are device memory of contiguous matrices, as [`Step`] says.
    pub(crate) unsafe fn step(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        step: Step,
        a: u64,
        b: u64,
        c: u64,
    ) -> Result<()> {
        let argument = Argument { a, b, c, info: 0, m: spec.m as u64, n: spec.n as u64, count: 0, upper: 0, unit: 0 };
        // SAFETY: the addresses are the caller's promise.
        unsafe { self.step_with(stream, spec, step, argument) }
    }

    /// Queues a step with all arguments of its kernel.
    ///
    /// # Safety
    /// As for [`Dense::step`].
    pub(crate) unsafe fn step_with(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        step: Step,
        argument: Argument,
    ) -> Result<()> {
        let whole = matches!(step, Step::Order);
        let blocks = if whole { spec.batch } else { spec.batch.saturating_mul(spec.n) };
        // SAFETY: the addresses are the caller's promise.
        unsafe { self.launch(stream, spec, step as usize, blocks, 256, argument) }
    }

    fn too_large(&self, spec: &SolverSpec) -> Error {
        let SolverSpec { batch, m, n, .. } = spec;
        Error::unsupported(self.primary.backend, format!("{batch} matrices of {m} x {n}"))
    }

    unsafe fn launch(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        entry: usize,
        blocks: usize,
        threads: u32,
        mut argument: Argument,
    ) -> Result<()> {
        self.primary.enter(self.driver)?;
        let Ok(grid) = i32::try_from(blocks) else { return Err(self.too_large(spec)) };
        let function = self.loaded(spec.dtype)?.functions[entry];
        let mut parameters = [(&raw mut argument).cast::<c_void>()];
        // SAFETY: the argument has the layout of the text; its addresses are the caller's promise.
        unsafe {
            self.driver.launch(
                function,
                grid as u32,
                1,
                1,
                threads,
                1,
                1,
                0,
                stream.raw(),
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler;

    /// The kernels compile for every element type, where a compiler is found.
    #[test]
    fn every_type_compiles() {
        for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
            compiler::tests::compiles_everywhere("dense", &text(dtype));
        }
    }
}
