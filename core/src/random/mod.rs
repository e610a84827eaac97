//! Random numbers: one counter-based stream, defined in the kernel IR, and the distributions drawn from it.
//!
//! Element `i` of a draw is a function of the key, of the position of the draw and of `i` alone, so neither the device
//! nor the shape of a launch has a say. Beyond the four operations and the square root nothing is used that devices
//! round in their own ways: [`elementary`] has the logarithm and other elementary functions.

mod attempts;
mod continuous;
mod discrete;
mod elementary;
mod philox;
mod single;
mod table;
pub mod words;

pub use philox::{Lanes, Stream, join, key_scalars};
pub use table::{DISTRIBUTIONS, Distribution, find};

#[cfg(test)]
mod tests;
