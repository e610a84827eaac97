//! Fourier transforms that are only recorded.

use std::sync::Arc;

use cuproxide_hal::libraries::{Fft, FftDirection, FftKind, FftPlan, FftSpec};
use cuproxide_hal::{Result, Stream};

use crate::core::Core;
use crate::libraries::Recorded;
use crate::recorder::Call;

/// Scratch bytes that a transform asks for, so that callers prove that they pass scratch on.
const SCRATCH: usize = 256;

struct NoopPlan {
    core: Arc<Core>,
    spec: FftSpec,
}

impl Fft for Recorded {
    fn interleaves(&self, _lengths: &[usize], _batch: usize) -> bool {
        true
    }

    fn plan(&self, spec: &FftSpec) -> Result<Arc<dyn FftPlan>> {
        if !(1..=3).contains(&spec.lengths.len()) || spec.lengths.contains(&0) || spec.batch == 0 {
            self.core.violation("fft", format!("{} transforms of lengths {:?}", spec.batch, spec.lengths))?;
        }
        if spec.interleaved && spec.kind != FftKind::Complex {
            self.core.violation("fft", format!("{:?} of an interleaved batch", spec.kind))?;
        }
        Ok(Arc::new(NoopPlan { core: self.core.clone(), spec: spec.clone() }))
    }
}

impl FftPlan for NoopPlan {
    fn scratch_bytes(&self) -> usize {
        SCRATCH
    }

    fn overwrites_input(&self) -> bool {
        self.spec.kind == FftKind::ComplexToReal
    }

    unsafe fn execute(
        &self,
        stream: &dyn Stream,
        _direction: FftDirection,
        input: u64,
        output: u64,
        scratch: u64,
    ) -> Result<()> {
        let stream = self.core.stream("fft", stream)?;
        let FftSpec { kind, dtype, ref lengths, batch, .. } = self.spec;
        let (last, outer) =
            lengths.split_last().map_or((1, 1), |(last, outer)| (*last, outer.iter().product::<usize>()));
        let real = batch * outer * last * dtype.size();
        let complex = |length: usize| 2 * batch * outer * length * dtype.size();
        let (from, to) = match kind {
            FftKind::Complex => (complex(last), complex(last)),
            FftKind::RealToComplex => (real, complex(last / 2 + 1)),
            FftKind::ComplexToReal => (complex(last / 2 + 1), real),
        };
        self.core.check_range("fft", input, from)?;
        self.core.check_range("fft", output, to)?;
        self.core.check_range("fft", scratch, SCRATCH)?;
        if !(input | output).is_multiple_of(2 * dtype.size() as u64) {
            self.core.violation("fft", "an address is not aligned to a complex element".to_owned())?;
        }
        if input != output && input < output + to as u64 && output < input + from as u64 {
            self.core.violation("fft", "input and output overlap".to_owned())?;
        }
        self.core.record(stream, Call::Fft { dtype, lengths: lengths.clone(), batch });
        Ok(())
    }
}
