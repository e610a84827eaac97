//! Joining of pieces.

use cuproxide_hal::libraries::{Joining, Piece};
use cuproxide_hal::{Result, Stream};
use cuproxide_kernels_cuda::{JOIN, WARP};
use once_cell::sync::OnceCell;

use super::place::{Loaded, Place};

const THREADS: usize = 256;
/// Accesses of a block.
const CHUNK: usize = 8 * THREADS;
/// Pieces of one launch: what the oldest limit of arguments, 4 KiB, takes.
const PIECES: usize = 168;

pub(super) struct Joiner {
    place: Place,
    loaded: OnceCell<Loaded<1>>,
}

/// A piece as the text lays it out.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Part {
    from: u64,
    start: u64,
    first: u32,
    unit: u32,
}

/// The kernel's argument, as `struct Join` of the text lays it out.
#[repr(C)]
struct Argument {
    out: u64,
    rows: u64,
    pitch: u64,
    count: u64,
    pieces: [Part; PIECES + 1],
}

pub(super) fn text() -> String {
    format!("{WARP}\n{JOIN}")
}

impl Joiner {
    pub fn new(place: Place) -> Joiner {
        Joiner { place, loaded: OnceCell::new() }
    }
}

impl Joining for Joiner {
    unsafe fn join(&self, stream: &dyn Stream, out: u64, rows: usize, pieces: &[Piece]) -> Result<()> {
        let pitch = pieces.iter().map(|piece| piece.width).sum::<usize>() as u64;
        if rows == 0 || pitch == 0 {
            return Ok(());
        }
        self.place.primary.enter(self.place.driver)?;
        let loaded = self.loaded.get_or_try_init(|| self.place.load("join", &text(), ["join"]))?;
        let mut start = 0;
        for group in pieces.chunks(PIECES) {
            let mut argument =
                Argument { out, rows: rows as u64, pitch, count: 0, pieces: [Part::default(); PIECES + 1] };
            let mut blocks = 0;
            for piece in group.iter().filter(|piece| piece.width > 0) {
                let width = piece.width as u64;
                // The widest accesses that fit both sides. A single row has no pitch to keep to.
                let ends = piece.ptr | (out + start) | width | if rows > 1 { pitch } else { 0 };
                let unit = ends.trailing_zeros().min(4);
                argument.pieces[argument.count as usize] = Part { from: piece.ptr, start, first: blocks as u32, unit };
                argument.count += 1;
                blocks += ((width as usize * rows) >> unit).div_ceil(CHUNK);
                start += width;
            }
            argument.pieces[argument.count as usize].start = start;
            if blocks > 0 {
                // SAFETY: the argument has the layout of the text; its addresses are the caller's promise.
                unsafe { self.place.launch(stream.raw(), loaded.functions[0], blocks, THREADS, &argument)? };
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler;

    #[test]
    fn the_text_compiles() {
        compiler::tests::compiles_everywhere("join", &super::text());
    }
}
