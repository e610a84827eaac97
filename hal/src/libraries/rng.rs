//! Random words: those of the package's own stream, which have the same bits on every device, and the sequences of the
//! vendors' libraries by their names.

use std::sync::Arc;

use crate::{Error, Result, Stream};

/// A sequence of a vendor's library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SequenceKind {
    /// Marsaglia's xorwow (2003), in words of 32 bits.
    Xorwow,
    /// L'Ecuyer's MRG32k3a (1999), scaled to words of 32 bits.
    Mrg32k3a,
    /// Sobol's points with scrambled digits, in words of 32 bits.
    ScrambledSobol32,
    /// The same in words of 64 bits.
    ScrambledSobol64,
}

impl SequenceKind {
    /// Bytes of a word.
    pub const fn word_bytes(self) -> usize {
        if matches!(self, SequenceKind::ScrambledSobol64) { 8 } else { 4 }
    }

    /// Whether it is a sequence of points, on which a seed has no influence.
    pub const fn is_quasi(self) -> bool {
        matches!(self, SequenceKind::ScrambledSobol32 | SequenceKind::ScrambledSobol64)
    }
}

/// What tells one sequence from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SequenceSpec {
    /// The algorithm.
    pub kind: SequenceKind,
    /// The seed; of no account to points.
    pub seed: u64,
    /// Dimensions of a point; 1 for what is no sequence of points.
    pub dimensions: u32,
}

/// A sequence that is ready to be written, at any place. Only calls on one stream may follow each other without waiting.
pub trait Sequence: Send + Sync {
    /// Queues writing `count` words at `dst`. They are words `first` and so on of the sequence. Of points, those from point
    /// `first` on are meant: the first coordinates of all, then the second ones and so on.
    ///
    /// # Safety
    /// `dst` is device memory of `count` [words](SequenceKind::word_bytes), aligned to one. `count` is a multiple of the
    /// dimensions.
    unsafe fn fill(&self, stream: &dyn Stream, first: u64, dst: u64, count: usize) -> Result<()>;
}

/// Random words.
pub trait Rng: Send + Sync {
    /// Queues writing `count` blocks of four uint32 of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011) at `out`. The
    /// counter of a block is, from its lowest word, its number, which starts at `first` and has two words, and two zeros.
    /// This is the package's own stream: the words are the same on every device, and the same that kernels of random
    /// numbers compute.
    ///
    /// # Safety
    /// `out` is device memory of 16 bytes for each block, aligned to 8.
    unsafe fn philox(&self, stream: &dyn Stream, key: [u32; 2], first: u64, count: usize, out: u64) -> Result<()>;

    /// Whether [`Rng::philox`] and a kernel that reads its words are faster than a kernel that computes them.
    fn writes_first(&self) -> bool {
        false
    }

    /// A sequence of the vendor's library. XORWOW and MRG32k3a are in the order that depends on no device: what the
    /// libraries call the legacy one.
    ///
    /// # Errors
    /// [`Error::MissingLibrary`], and [`Error::Unsupported`] for what the device does not have.
    fn sequence(&self, spec: &SequenceSpec) -> Result<Arc<dyn Sequence>> {
        Err(Error::unsupported("this device", format!("the sequence {:?}", spec.kind)))
    }
}
