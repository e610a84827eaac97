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

/// A batch of transforms over one to three trailing axes of contiguous data, or over leading ones (`interleaved`). Of the
/// half spectrum of a real transform only the last axis is shorter: `n / 2 + 1` elements for a length `n`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FftSpec {
    /// Kind of transform.
    pub kind: FftKind,
    /// Real type of the data: float32 or float64.
    pub dtype: DType,
    /// Logical lengths of the transformed axes, outermost first; none is 0.
    pub lengths: Vec<usize>,
    /// Number of transforms, not 0.
    pub batch: usize,
    /// Whether the batch is the last axis of the data instead of the first, which only `Complex` plans may have.
    pub interleaved: bool,
}

/// A prepared transform. It may be used from any thread and on any stream of its device, each time with other scratch.
pub trait FftPlan: Send + Sync {
    /// Scratch bytes that `execute` needs.
    fn scratch_bytes(&self) -> usize;

    /// Whether `execute` uses its input as scratch, which only plans of `ComplexToReal` may.
    fn overwrites_input(&self) -> bool {
        false
    }

    /// Queues the transform; results are not normalised. `direction` is that of `Complex` plans: `RealToComplex` always
    /// goes forward and `ComplexToReal` back. Of a spectrum that no real signal has, the part that one could have counts:
    /// imaginary parts that must be zero are ignored.
    ///
    /// # Safety
    /// `input` and `output` are contiguous device memory of the plan's sizes, aligned to a complex element, and do not
    /// overlap; they may be equal for `Complex`. `scratch` is device memory of `scratch_bytes`.
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
    /// Whether an interleaved batch is transformed as it lies; otherwise callers bring its axes to the end.
    fn interleaves(&self, lengths: &[usize], batch: usize) -> bool {
        let _ = (lengths, batch);
        false
    }

    /// Prepares a transform, an interleaved one only where `interleaves` allows it.
    fn plan(&self, spec: &FftSpec) -> Result<Arc<dyn FftPlan>>;
}
