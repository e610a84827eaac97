//! Large stacks of small matrices by the hand-written kernels that keep each in the registers of a few lanes.

use std::ffi::c_void;
use std::sync::Arc;

use cuproxide_hal::libraries::{SolverOp, SolverSpec, Triangle};
use cuproxide_hal::{DType, Error, Result, Stream};
use cuproxide_kernels_cuda::SMALL_MATRICES;
use once_cell::sync::OnceCell;

use crate::api::driver::Driver;
use crate::compiler::Request;
use crate::context::Primary;
use crate::dense::{self, Argument};
use crate::kernel::Module;
use crate::routes;
use crate::target::Target;
use crate::vendor::Vendor;

/// Longest side of a matrix.
const MOST: usize = 32;
const THREADS: usize = 128;

/// The kernels, for groups of 4, 8, 16 and 32 lanes each.
const ENTRIES: [[&str; 4]; 5] = [
    ["tiny_solve_4", "tiny_solve_8", "tiny_solve_16", "tiny_solve_32"],
    ["tiny_inverse_4", "tiny_inverse_8", "tiny_inverse_16", "tiny_inverse_32"],
    ["tiny_cholesky_4", "tiny_cholesky_8", "tiny_cholesky_16", "tiny_cholesky_32"],
    ["tiny_qr_4", "tiny_qr_8", "tiny_qr_16", "tiny_qr_32"],
    ["tiny_qr_vectors_4", "tiny_qr_vectors_8", "tiny_qr_vectors_16", "tiny_qr_vectors_32"],
];

/// The kernels of one device; a module for each element type is compiled on first use.
pub(crate) struct Tiny {
    vendor: &'static Vendor,
    driver: &'static Driver,
    primary: Primary,
    target: Target,
    modules: [OnceCell<Loaded>; 4],
}

struct Loaded {
    /// Keeps the functions alive.
    _module: Arc<Module>,
    functions: [[u64; 4]; ENTRIES.len()],
}

fn text(dtype: DType) -> String {
    format!("{}{SMALL_MATRICES}", dense::elements(dtype))
}

/// The texts worth precompiling, by name, without the dialect's prelude.
pub(crate) fn texts() -> Vec<(&'static str, String)> {
    [DType::F32, DType::F64, DType::C64, DType::C128].map(|dtype| ("tiny", text(dtype))).to_vec()
}

impl Tiny {
    pub fn new(vendor: &'static Vendor, driver: &'static Driver, primary: Primary, target: Target) -> Tiny {
        Tiny { vendor, driver, primary, target, modules: Default::default() }
    }

    /// Whether the kernels are the way to go.
    pub fn takes(&self, spec: &SolverSpec) -> bool {
        if matches!(spec.op, SolverOp::Qr | SolverOp::QrVectors(_)) {
            // A lane holds two columns. Those of wide elements fill its registers earlier.
            let most = if spec.dtype.size() > 8 { MOST / 2 } else { MOST };
            return spec.m.max(spec.n) <= most && spec.batch <= u32::MAX as usize;
        }
        let known = matches!(spec.op, SolverOp::Solve | SolverOp::Inverse | SolverOp::Cholesky(_));
        let few =
            !routes::SIDES_OF_LANES.takes(spec.n) || (routes::STACK_OF_LANES.takes(spec.batch) && spec.n < 1 << 24);
        known && few && spec.m <= MOST && spec.batch <= u32::MAX as usize
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
            let request = Request::generated(self.vendor, "tiny", &text, self.target);
            let module = Module::compiled(self.driver, self.primary, &request)?;
            let mut functions = [[0; 4]; ENTRIES.len()];
            for (function, name) in functions.iter_mut().flatten().zip(ENTRIES.iter().flatten()) {
                *function = module.handle(name)?;
            }
            Ok(Loaded { _module: module, functions })
        })
    }

    /// Queues an operation that [`Tiny::takes`].
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
    ) -> Result<()> {
        self.primary.enter(self.driver)?;
        let operand = |which: usize| operands.get(which).copied().unwrap_or(0);
        let mut argument = Argument {
            a,
            b: operand(0),
            c: operand(1),
            info,
            m: spec.m as u64,
            n: spec.n as u64,
            count: spec.batch as u64,
            upper: match spec.op {
                SolverOp::QrVectors(count) => count as u64,
                op => u64::from(matches!(op, SolverOp::Cholesky(Triangle::Upper))),
            },
            unit: 0,
        };
        let (kind, side) = match spec.op {
            SolverOp::Solve => (0, spec.m),
            SolverOp::Inverse => (1, spec.m),
            SolverOp::Qr => (3, spec.m.max(spec.n)),
            SolverOp::QrVectors(_) => (4, spec.m.max(spec.n)),
            _ => (2, spec.m),
        };
        let lanes = side.next_power_of_two().max(4);
        let function = self.loaded(spec.dtype)?.functions[kind][lanes.trailing_zeros() as usize - 2];
        let blocks = spec.batch.div_ceil(THREADS / lanes) as u32;
        let mut parameters = [(&raw mut argument).cast::<c_void>()];
        // SAFETY: the argument has the layout of the text; its addresses are the caller's promise.
        unsafe {
            self.driver.launch(
                function,
                blocks,
                1,
                1,
                THREADS as u32,
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

    #[test]
    fn every_type_compiles() {
        for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
            compiler::tests::compiles_everywhere("tiny", &text(dtype));
        }
    }
}
