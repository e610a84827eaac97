//! Vendor random number generators, for programs that need a vendor's exact stream. The package's own generator is a
//! kernel and needs nothing from here.

use crate::{DType, Result, Stream};

/// The algorithm of a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RngKind {
    /// XORWOW.
    Xorwow,
    /// MRG32k3a.
    Mrg32k3a,
    /// Philox4x32-10.
    Philox,
}

/// A distribution that a vendor library draws from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RngDistribution {
    /// Uniform over [0, 1).
    Uniform,
    /// Normal with mean and standard deviation.
    Normal(f64, f64),
    /// Uniform 32-bit words.
    Bits,
}

/// A seeded generator.
pub trait RngGenerator: Send {
    /// Queues filling `count` contiguous elements of `dtype` at `dst`.
    ///
    /// # Safety
    /// `dst` is writable device memory for `count` elements.
    unsafe fn fill(
        &mut self,
        stream: &dyn Stream,
        distribution: RngDistribution,
        dtype: DType,
        dst: u64,
        count: usize,
    ) -> Result<()>;
}

/// Maker of generators.
pub trait Rng: Send + Sync {
    /// A generator with the given seed and offset into its stream.
    fn generator(&self, kind: RngKind, seed: u64, offset: u64) -> Result<Box<dyn RngGenerator>>;
}
