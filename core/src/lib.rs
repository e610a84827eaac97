//! Arrays with NumPy's semantics on any device: dtypes and promotion, views, ufuncs, reductions, indexing, sorting,
//! products. Knows devices only through [`cuproxide_hal`].
#![deny(missing_docs)]

pub mod array;
pub mod context;
pub mod deferred;
pub mod detach;
pub mod dispatch;
pub mod error;
pub mod fold;
pub mod fork;
pub mod fusion;
pub mod graph;
pub mod layout;
pub mod memory;
pub mod ops;
pub mod plans;
pub mod promotion;
pub mod random;
pub mod replay;
pub mod routes;
pub mod storage;
pub mod timeline;
pub mod trace;
pub mod ufunc;
pub mod waits;
pub mod window;

pub use array::Array;
pub use context::Context;
pub use error::{Error, Result};
