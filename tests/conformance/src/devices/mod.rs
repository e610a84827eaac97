//! Tests of what a device does besides running kernels.

mod bools;
mod collectives;
mod counting;
mod direct_solver;
mod dnn;
mod fft;
mod gemm;
mod launches;
mod memory;
mod pairs;
mod random;
mod solver;
mod sort;
mod sparse;
mod sparse_solver;
mod streams;
mod structured;
mod tensors;
mod test;
mod texts;

pub use test::Test;

/// All tests, by group.
pub const GROUPS: [(&str, &[Test]); 20] = [
    ("memory", memory::TESTS),
    ("streams", streams::TESTS),
    ("launches", launches::TESTS),
    ("texts", texts::TESTS),
    ("images", texts::IMAGES),
    ("gemm", gemm::TESTS),
    ("solver", solver::TESTS),
    ("fft", fft::TESTS),
    ("random", random::TESTS),
    ("sparse", sparse::TESTS),
    ("sparse solver", sparse_solver::TESTS),
    ("direct solver", direct_solver::TESTS),
    ("collectives", collectives::TESTS),
    ("tensors", tensors::TESTS),
    ("structured", structured::TESTS),
    ("sort", sort::TESTS),
    ("counting", counting::TESTS),
    ("dnn", dnn::TESTS),
    ("pairs", pairs::TESTS),
    ("bools", bools::TESTS),
];

/// The group that tests each interface of [`Libraries`](cuproxide_hal::libraries::Libraries).
pub const LIBRARIES: [(&str, &str); 20] = [
    ("blas", "gemm"),
    ("solver", "solver"),
    ("fft", "fft"),
    ("rng", "random"),
    ("sparse", "sparse"),
    ("sparse_solver", "sparse solver"),
    ("direct_solver", "direct solver"),
    ("collectives", "collectives"),
    ("tensors", "tensors"),
    ("structured", "structured"),
    ("dnn", "dnn"),
    ("sorting", "sort"),
    ("searching", "sort"),
    ("compaction", "counting"),
    ("binning", "counting"),
    ("packing", "counting"),
    ("joining", "counting"),
    ("distinct", "counting"),
    ("pairs", "pairs"),
    ("ranking", "counting"),
];
