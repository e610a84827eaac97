//! The kernel IR: every numerical kernel of the library is written once, in this form, and lowered to each device.
//!
//! A [`Kernel`] is a small typed program that runs at every point of an iteration space. It loads elements of strided
//! operands, computes with scalars, and stores elements. Its [`Body`] says how points relate: a *map* treats them
//! alone, a *reduction* folds the inner space into one result for each outer point, a *scan* keeps every prefix, a
//! kernel of *rows* folds each row, maybe several times, before it maps its points, and one of *segments* folds a range of
//! the inner space that each outer point says. A kernel may have functions, which it calls, and small local arrays.
//!
//! Kernels are made with the [`Builder`], checked by [`Kernel::validate`], printed by [`std::fmt::Display`], and
//! simplified by [`legalize`] before a backend lowers them: afterwards only plain machine scalars are left.
//!
//! Every operation is total: no input makes it trap, and what C leaves undefined is defined in [`ops`].

mod builder;
mod dump;
mod kernel;
mod legalize;
pub mod ops;
mod rows;
mod validate;

pub use builder::{ArrayVar, Builder, FunctionVar, LocalVar, OperandVar, Var};
pub use kernel::{
    Array, ArrayDecl, Block, Body, Callee, Fold, Function, Grouping, Kernel, Lambda, Literal, Local, Mode, Op,
    OperandDecl, Rows, Segments, Stmt, Value,
};
pub use legalize::{LegalizeOptions, legalize};
pub use ops::{Atomic, Binary, Compare, Unary};
