//! Random words: the package's own by a kernel of ours, other sequences by the vendor's library.

use std::ptr::null_mut;
use std::sync::Arc;

use cuproxide_hal::libraries::{Rng, Sequence, SequenceKind, SequenceSpec};
use cuproxide_hal::{Error, Result, Stream};
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::api::driver::Driver;
use crate::api::random::{Generator, Sequences};
use crate::context::Primary;
use crate::graph::Unrestricted;
use crate::primitives::Words;

/// The order that is the same on every device and in every release; both vendors have this number for it.
const LEGACY: i32 = 103;

const NOT_IMPLEMENTED: i64 = 1000;

/// Random words of one device.
pub(crate) struct GpuRng {
    words: Words,
    driver: &'static Driver,
    primary: Primary,
    open: fn(&Driver) -> Result<Sequences>,
    library: OnceCell<Arc<Sequences>>,
}

impl GpuRng {
    /// Opens nothing yet; `open` opens the vendor's library.
    pub fn new(
        words: Words,
        driver: &'static Driver,
        primary: Primary,
        open: fn(&Driver) -> Result<Sequences>,
    ) -> GpuRng {
        GpuRng { words, driver, primary, open, library: OnceCell::new() }
    }
}

impl Rng for GpuRng {
    unsafe fn philox(&self, stream: &dyn Stream, key: [u32; 2], first: u64, count: usize, out: u64) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.words.philox(stream, key, first, count, out) }
    }

    fn sequence(&self, spec: &SequenceSpec) -> Result<Arc<dyn Sequence>> {
        let library = self.library.get_or_try_init(|| (self.open)(self.driver).map(Arc::new))?.clone();
        self.primary.enter(self.driver)?;
        let _capturing = Unrestricted::enter(self.driver);
        let number = match spec.kind {
            SequenceKind::Xorwow => 0,
            SequenceKind::Mrg32k3a => 1,
            SequenceKind::ScrambledSobol32 => 2,
            SequenceKind::ScrambledSobol64 => 3,
        };
        let mut generator = null_mut();
        // SAFETY: the context is current; the library writes one handle.
        unsafe { library.table.create(&mut generator, library.kinds[number]) }?;
        let made = GpuSequence {
            library,
            driver: self.driver,
            primary: self.primary,
            spec: *spec,
            state: Mutex::new(State { generator, next: Some(0) }),
        };
        let table = &made.library.table;
        // SAFETY: the generator was just made.
        unsafe {
            if spec.kind.is_quasi() {
                table.set_dimensions(generator, spec.dimensions)?;
            } else {
                table.set_seed(generator, spec.seed)?;
                match table.set_ordering(generator, LEGACY) {
                    // Libraries that know no orders have this one.
                    Err(Error::MissingSymbol { .. } | Error::Call { code: NOT_IMPLEMENTED, .. }) => {}
                    other => other?,
                }
            }
        }
        Ok(Arc::new(made))
    }
}

/// A generator of the library. Stream and place are states of it, so calls take turns.
struct GpuSequence {
    library: Arc<Sequences>,
    driver: &'static Driver,
    primary: Primary,
    spec: SequenceSpec,
    state: Mutex<State>,
}

struct State {
    generator: Generator,
    /// The word that comes next, if it is known.
    next: Option<u64>,
}

// SAFETY: the libraries allow a generator to be used from any thread, by one at a time.
unsafe impl Send for State {}

impl Sequence for GpuSequence {
    unsafe fn fill(&self, stream: &dyn Stream, first: u64, dst: u64, count: usize) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        if stream.capture()?.is_some() {
            let message =
                "a random sequence of the library advances with each launch of a graph, so it cannot be captured";
            return Err(Error::capture(self.primary.backend, message));
        }
        self.primary.enter(self.driver)?;
        let table = &self.library.table;
        let mut state = self.state.lock();
        let going_on = state.next == Some(first) && !self.spec.kind.is_quasi();
        // A call that fails may have moved on.
        state.next = None;
        // SAFETY: the generator lives; `dst` is the caller's promise.
        unsafe {
            table.set_stream(state.generator, stream.raw())?;
            if !going_on {
                table.set_offset(state.generator, first)?;
            }
            if self.spec.kind.word_bytes() == 8 {
                table.generate_wide(state.generator, dst, count)?;
            } else {
                table.generate(state.generator, dst, count)?;
            }
        }
        state.next = first.checked_add(count as u64);
        Ok(())
    }
}

impl Drop for GpuSequence {
    fn drop(&mut self) {
        if self.primary.enter(self.driver).is_ok() {
            // SAFETY: nobody else has the generator any more.
            let _ = unsafe { self.library.table.destroy(self.state.get_mut().generator) };
        }
    }
}
