//! The universal functions: every elementwise operator of the library as one row of a table.
//!
//! A [`Ufunc`] is data: name, arity, the loops (element types it computes with), NumPy's identity and promotion rule,
//! and a body that writes the operator in the kernel IR. [`resolve`] picks the loop for given operands as NumPy does,
//! [`kernel`] builds the map kernel of a loop, [`Ufunc::apply`] writes the loop into a larger kernel.

mod build;
mod complex;
mod floating;
mod integer;
mod kernel;
mod registry;
mod resolve;
mod row;
mod special;
mod table;
#[cfg(test)]
mod tests;
mod types;

use cuproxide_hal::ir::Var;

pub(crate) use kernel::cached_kernel;
pub use kernel::{Source, kernel};
pub(crate) use registry::copy;
pub use registry::{dump, find, get, table};
pub use resolve::{ResolveError, Resolved, Signature, check_output, resolve};
pub(crate) use resolve::{add_code, known_loop, known_loop_of};
pub use row::{Body, Domain, Home, Identity, Neutral, NoNegative, Outputs, Promotion, Ufunc, UfuncId};
pub(crate) use table::NO_SUBTRACT;
pub use types::{Loop, Types, from_letter, letter};
