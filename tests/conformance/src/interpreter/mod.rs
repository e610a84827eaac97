//! An interpreter of kernels, written for clarity: the oracle that every lowering is compared with.
//!
//! It runs the IR as it is written, complex numbers and narrow floats included, and shares no code with legalisation. It
//! also runs legalised kernels, which proves legalisation alone.

mod complex;
mod libm;
mod machine;
pub mod number;
pub mod operators;

pub use machine::{Memory, Placed, interpret};
pub use number::Number;
