//! Tests of what a device does besides running kernels.

mod counting;
mod gemm;
mod launches;
mod memory;
mod sort;
mod streams;

use crate::rig::{Check, Rig};

/// A named test.
pub type Test = (&'static str, fn(&Rig) -> Check);

/// All tests, by group.
pub const GROUPS: [(&str, &[Test]); 6] = [
    ("memory", memory::TESTS),
    ("streams", streams::TESTS),
    ("launches", launches::TESTS),
    ("gemm", gemm::TESTS),
    ("sort", sort::TESTS),
    ("counting", counting::TESTS),
];
