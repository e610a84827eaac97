//! Selecting by flags.

use cuproxide_hal::libraries::{Compaction, Select};
use cuproxide_hal::{Error, Result, Stream};
use cuproxide_kernels_cuda::{SELECT, WARP};
use once_cell::sync::OnceCell;

use super::place::{Loaded, Place};

const THREADS: usize = 256;
/// Flags that one block looks at.
const TILE: usize = 16384;
/// Bytes before the states of the tiles: the ticket.
const TICKET: usize = 16;
const ENTRIES: [&str; 7] =
    ["select_count", "select_positions", "select_1", "select_2", "select_4", "select_8", "select_16"];

pub(super) struct Selector {
    place: Place,
    loaded: OnceCell<Loaded<{ ENTRIES.len() }>>,
}

/// The kernels' argument, as `struct Select` of the text lays it out.
#[repr(C)]
struct Argument {
    flags: u64,
    count: u64,
    states: u64,
    total: u64,
    ticket: u64,
    items: u64,
    out: u64,
}

pub(super) fn text() -> String {
    format!("{WARP}\n{SELECT}")
}

impl Selector {
    pub fn new(place: Place) -> Selector {
        Selector { place, loaded: OnceCell::new() }
    }

    fn loaded(&self) -> Result<&Loaded<{ ENTRIES.len() }>> {
        self.place.primary.enter(self.place.driver)?;
        self.loaded.get_or_try_init(|| self.place.load("select", &text(), ENTRIES))
    }
}

impl Compaction for Selector {
    fn scratch_bytes(&self, count: usize) -> usize {
        TICKET + 8 * count.div_ceil(TILE)
    }

    unsafe fn count(&self, stream: &dyn Stream, flags: u64, count: usize, scratch: u64, total: u64) -> Result<()> {
        let loaded = self.loaded()?;
        let argument = Argument {
            flags,
            count: count as u64,
            states: scratch + TICKET as u64,
            total,
            ticket: scratch,
            items: 0,
            out: 0,
        };
        let tiles = count.div_ceil(TILE).max(1);
        // SAFETY: the caller's promise.
        unsafe {
            self.place.driver.fill(scratch, 0, self.scratch_bytes(count), stream.raw())?;
            if count == 0 {
                return self.place.driver.fill(total, 0, 8, stream.raw());
            }
            self.place.launch(stream.raw(), loaded.functions[0], tiles, THREADS, &argument)
        }
    }

    unsafe fn write(&self, stream: &dyn Stream, select: &Select) -> Result<()> {
        let Select { flags, count, items, size, out, scratch } = *select;
        if count == 0 {
            return Ok(());
        }
        let loaded = self.loaded()?;
        let entry = match (items, size) {
            (0, 8) => 1,
            (1.., 1 | 2 | 4 | 8 | 16) => 2 + size.trailing_zeros() as usize,
            _ => {
                return Err(Error::unsupported(self.place.primary.backend, format!("selecting items of {size} bytes")));
            }
        };
        let argument = Argument {
            flags,
            count: count as u64,
            states: scratch + TICKET as u64,
            total: 0,
            ticket: scratch,
            items,
            out,
        };
        // SAFETY: the caller's promise.
        unsafe { self.place.launch(stream.raw(), loaded.functions[entry], count.div_ceil(TILE), THREADS, &argument) }
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler;

    #[test]
    fn the_text_compiles() {
        compiler::tests::compiles_everywhere("select", &super::text());
    }
}
