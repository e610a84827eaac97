//! The universal functions: every elementwise operator of the library as one row of a table.
//!
//! A [`Ufunc`] is data: name, arity, the loops (element types it computes with), NumPy's identity and promotion rule,
//! and a body that writes the operator in the kernel IR. [`kernel()`] builds the map kernel of a loop, [`Ufunc::apply`]
//! writes the loop into a larger kernel. Which loop serves given operands is the core's to choose.
//!
//! Bodies run once for each kernel that is built, so this crate is compiled without optimisation, which takes a
//! fraction of the time; what a call asks of a row is inlined into the core.
#![deny(missing_docs)]

mod build;
mod complex;
mod floating;
mod integer;
mod kernel;
mod registry;
mod row;
mod special;
mod table;
mod types;

pub use kernel::{Source, kernel};
pub use registry::{copy, dump, find, get, table};
pub use row::{Body, Domain, Home, Identity, Neutral, NoNegative, Outputs, Promotion, Ufunc, UfuncId};
pub use table::NO_SUBTRACT;
pub use types::{Loop, Types, from_letter, integer_range, letter, parse_loops};

use cuproxide_hal::ir::Var;
