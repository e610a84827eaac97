//! Fourier transforms.

use std::sync::Arc;

use crate::{DType, Result, Stream};

/// What is transformed into what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FftKind {
    /// Complex to complex.
    Complex,
    /// Real to the non-redundant half of a complex spectrum.
    RealToComplex,
    /// The inverse of `RealToComplex`.
    ComplexToReal,
}

/// Sign of the exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FftDirection {
    /// Negative exponent.
    Forward,
    /// Positive exponent, unnormalised.
    Inverse,
}

/// A batch of transforms over one to three contiguous trailing axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FftSpec {
    /// Kind of transform.
    pub kind: FftKind,
    /// Real type of the data: float32 or float64 (float16 where the library can).
    pub dtype: DType,
    /// Logical lengths of the transformed axes, outermost first.
    pub lengths: Vec<usize>,
    /// Number of transforms.
    pub batch: usize,
}

/// A prepared transform. Plans may be used by one stream at a time.
pub trait FftPlan: Send + Sync {
    /// Scratch bytes that `execute` needs.
    fn scratch_bytes(&self) -> usize;

    /// Queues the transform; results are not normalised.
    ///
    /// # Safety
    /// `input` and `output` are contiguous device memory of the plan's sizes; they may be equal for `Complex`.
    unsafe fn execute(
        &self,
        stream: &dyn Stream,
        direction: FftDirection,
        input: u64,
        output: u64,
        scratch: u64,
    ) -> Result<()>;
}

/// Maker of plans; `core` caches them.
pub trait Fft: Send + Sync {
    /// Prepares a transform.
    fn plan(&self, spec: &FftSpec) -> Result<Arc<dyn FftPlan>>;
}
