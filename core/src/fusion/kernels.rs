//! The fused kernels of the process, by their programs.

use std::sync::Arc;

use cuproxide_hal::ir::{LegalizeOptions, legalize};

use super::cache::{Cache, Used};
use super::program::Program;
use crate::dispatch::{self, CachedKernel};
use crate::error::Result;

static KERNELS: Cache<Arc<CachedKernel>> = Cache::new();

/// Fused kernels in the process.
pub(super) fn kernel_count() -> usize {
    KERNELS.count(|_| true) + ROWS_KERNELS.count(Option::is_some)
}

/// The kernel of a program, which `build` makes if no group has needed it before.
pub(super) fn kernel(
    program: Program,
    build: impl FnOnce(&Program) -> cuproxide_hal::ir::Kernel,
) -> Result<Arc<CachedKernel>> {
    find_kernel(program, build).map(|(kernel, _)| kernel)
}

/// [`kernel`], with the mark that keeps it in the cache.
pub(super) fn find_kernel(
    program: Program,
    build: impl FnOnce(&Program) -> cuproxide_hal::ir::Kernel,
) -> Result<(Arc<CachedKernel>, Used)> {
    if let Some(found) = KERNELS.find(&program) {
        return Ok(found);
    }
    let made = dispatch::intern(build(&program))?;
    Ok(KERNELS.keep(program, made))
}

/// A kernel of rows, if a program can be one, with the bytes that it keeps of each point.
pub(super) type Found = Option<(Arc<CachedKernel>, usize)>;

static ROWS_KERNELS: Cache<Found> = Cache::new();

/// The kernel of rows that a program becomes, if it can be one.
pub(super) fn rows_kernel(program: Program) -> Result<Found> {
    if let Some(found) = ROWS_KERNELS.get(&program) {
        return Ok(found);
    }
    let built = program
        .rows_kernel()
        .filter(|kernel| kernel.is_straight() && legalize(kernel, LegalizeOptions::default()).is_straight());
    let made = match built {
        Some(kernel) => {
            let bytes = kernel.held_bytes();
            Some((dispatch::intern(kernel)?, bytes))
        }
        None => None,
    };
    Ok(ROWS_KERNELS.insert(program, made))
}
