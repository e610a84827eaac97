//! Calls of the universal functions: [`resolve`] picks the loop for given operands as NumPy does, and the kernels that
//! calls have asked for are kept. The rows are a crate of their own, [`cuproxide_ufuncs`].

mod kernel;
mod resolve;
#[cfg(test)]
mod tests;

pub use cuproxide_ufuncs::*;

pub(crate) use kernel::cached_kernel;
pub use resolve::{ResolveError, Resolved, Signature, check_output, resolve};
pub(crate) use resolve::{add_code, known_loop, known_loop_of};
