//! The kernels of the process for calls of ufuncs.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Kernel;
use cuproxide_ufuncs::{Source, Ufunc, UfuncId, kernel};
use smallvec::SmallVec;

use crate::dispatch::{CachedKernel, Family};
use crate::error::Result;

/// Most inputs and outputs of a ufunc.
const MOST: [usize; 2] = [8, 4];

/// What the kernel of a ufunc depends on. Each input and output is a byte, so that a call hashes three words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    ufunc: UfuncId,
    index: u8,
    masked: bool,
    inputs: [u8; MOST[0]],
    outputs: [u8; MOST[1]],
}

impl Key {
    fn new(ufunc: UfuncId, index: usize, sources: &[Source], outputs: &[DType], masked: bool) -> Key {
        let mut key = Key { ufunc, index: index as u8, masked, inputs: [0; MOST[0]], outputs: [0; MOST[1]] };
        for (slot, source) in key.inputs.iter_mut().zip(sources) {
            let is_scalar = matches!(source, Source::Scalar(_));
            *slot = 1 + (source.dtype() as u8 * 2 + u8::from(is_scalar));
        }
        for (slot, &dtype) in key.outputs.iter_mut().zip(outputs) {
            *slot = 1 + dtype as u8;
        }
        debug_assert!(sources.len() <= MOST[0] && outputs.len() <= MOST[1] && u8::try_from(index).is_ok());
        key
    }

    fn build(&self) -> Kernel {
        let numbers = |slots: &[u8]| -> SmallVec<[usize; MOST[0]]> {
            slots.iter().take_while(|&&slot| slot > 0).map(|&slot| usize::from(slot) - 1).collect()
        };
        let source = |number: usize| {
            let dtype = DType::ALL[number / 2];
            if number % 2 == 1 { Source::Scalar(dtype) } else { Source::Memory(dtype) }
        };
        let inputs: SmallVec<[Source; MOST[0]]> = numbers(&self.inputs).into_iter().map(source).collect();
        let outputs: SmallVec<[DType; MOST[1]]> =
            numbers(&self.outputs).into_iter().map(|number| DType::ALL[number]).collect();
        kernel(self.ufunc.get(), self.index.into(), &inputs, &outputs, self.masked)
    }
}

static KERNELS: Family<Key> = Family::new(Key::build);

/// The one [`kernel`] of the process for these arguments.
pub(crate) fn cached_kernel(
    ufunc: &Ufunc,
    index: usize,
    sources: &[Source],
    outputs: &[DType],
    masked: bool,
) -> Result<&'static CachedKernel> {
    KERNELS.kernel(Key::new(ufunc.id, index, sources, outputs, masked))
}
