//! The conformance suite: one set of tests over the HAL traits that every backend must pass.
#![deny(missing_docs)]

pub mod case;
pub mod cases;
pub mod interpreter;
pub mod samples;
pub mod tolerance;
