//! Random words of the package's own stream.

use cuproxide_hal::{Result, Stream};
use cuproxide_kernels_cuda::RANDOM;
use once_cell::sync::OnceCell;

use super::place::{Loaded, Place};

const THREADS: usize = 256;
/// Blocks of threads for each processor; more would only wait.
const PER_PROCESSOR: usize = 8;

pub(crate) struct Words {
    place: Place,
    loaded: OnceCell<Loaded<1>>,
}

/// The kernel's argument, as `struct Words` of the text lays it out.
#[repr(C)]
struct Argument {
    out: u64,
    first: u64,
    count: u64,
    key: [u32; 2],
}

pub(super) fn text() -> String {
    RANDOM.to_owned()
}

impl Words {
    pub fn new(place: Place) -> Words {
        Words { place, loaded: OnceCell::new() }
    }

    /// Queues writing the words.
    ///
    /// # Safety
    /// As for [`cuproxide_hal::libraries::Rng::philox`].
    pub unsafe fn philox(&self, stream: &dyn Stream, key: [u32; 2], first: u64, count: usize, out: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.place.primary.enter(self.place.driver)?;
        let loaded = self.loaded.get_or_try_init(|| self.place.load("philox", &text(), ["philox"]))?;
        let blocks = count.div_ceil(THREADS).min(self.place.processors as usize * PER_PROCESSOR);
        let argument = Argument { out, first, count: count as u64, key };
        // SAFETY: the argument has the layout of the text; its address is the caller's promise.
        unsafe { self.place.launch(stream.raw(), loaded.functions[0], blocks, THREADS, &argument) }
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler;

    #[test]
    fn the_text_compiles() {
        compiler::tests::compiles_everywhere("philox", &super::text());
    }
}
