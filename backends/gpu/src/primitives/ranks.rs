//! Elements of a rank in rectangles of bytes.

use cuproxide_hal::libraries::{Ranking, Ranks};
use cuproxide_hal::{DType, Error, Result, Stream};
use cuproxide_kernels_cuda::{RANKS, WARP};
use once_cell::sync::OnceCell;

use super::place::{Loaded, Place};

/// Threads of a block, and results of one of its rows.
const THREADS: usize = 128;
/// Bytes of the histogram of a column.
const COLUMN: usize = 256;
/// Memory of a block that the system keeps for itself.
const RESERVED: usize = 1024;
/// Most rows of a window, since counts of a column are bytes, and most elements, since those of a window are two.
const ROWS: usize = u8::MAX as usize;
const ELEMENTS: usize = u16::MAX as usize;
/// Blocks for each processor: some more than run at a time, as they do not end together.
const BLOCKS: usize = 12;

pub(super) struct Ranker {
    place: Place,
    module: OnceCell<Loaded<1>>,
}

/// The kernel's argument, as `struct Ranks` of the text lays it out.
#[repr(C)]
struct Argument {
    plane: u64,
    out: u64,
    height: u64,
    width: u64,
    rows: u64,
    columns: u64,
    rank: u64,
    flip: u64,
    strips: u64,
    runs: u64,
    run: u64,
}

pub(super) fn text() -> String {
    format!("{WARP}\n{RANKS}")
}

impl Ranker {
    pub fn new(place: Place) -> Ranker {
        Ranker { place, module: OnceCell::new() }
    }

    /// Memory of a block.
    fn memory(ranks: &Ranks) -> usize {
        (THREADS + ranks.window[1] - 1) * COLUMN
    }
}

impl Ranking for Ranker {
    fn takes(&self, ranks: &Ranks) -> bool {
        let [rows, columns] = ranks.window;
        matches!(ranks.dtype, DType::U8 | DType::I8)
            && rows <= ROWS
            && columns <= ELEMENTS / rows
            && Ranker::memory(ranks) + RESERVED <= self.place.block_memory
    }

    unsafe fn ranks(&self, stream: &dyn Stream, ranks: &Ranks) -> Result<()> {
        if !self.takes(ranks) {
            let message = format!("ranks of {} in windows of {:?}", ranks.dtype, ranks.window);
            return Err(Error::unsupported(self.place.primary.backend, message));
        }
        self.place.primary.enter(self.place.driver)?;
        let loaded = self.module.get_or_try_init(|| self.place.load("ranks", &text(), ["ranks"]))?;
        let [planes, height, width] = ranks.shape;
        let [rows, columns] = ranks.window;
        let memory = Ranker::memory(ranks);
        // Few blocks, since each begins with the sums of a window's height.
        let strips = width.div_ceil(THREADS);
        let wanted = (BLOCKS * self.place.processors as usize / (strips * planes)).clamp(1, height);
        let run = height.div_ceil(wanted);
        let runs = height.div_ceil(run);
        let argument = Argument {
            plane: ranks.wide,
            out: ranks.out,
            height: height as u64,
            width: width as u64,
            rows: rows as u64,
            columns: columns as u64,
            rank: ranks.rank as u64,
            flip: if ranks.dtype == DType::I8 { 0x80 } else { 0 },
            strips: strips as u64,
            runs: runs as u64,
            run: run as u64,
        };
        // SAFETY: the caller's promise.
        unsafe {
            let blocks = strips * runs * planes;
            self.place.launch_with(stream.raw(), loaded.functions[0], blocks, THREADS, memory, &argument)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler;

    #[test]
    fn the_text_compiles() {
        compiler::tests::compiles_everywhere("ranks", &text());
    }
}
