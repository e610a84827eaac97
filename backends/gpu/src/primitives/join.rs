//! Joining of pieces.

use cuproxide_hal::libraries::{Joining, Piece};
use cuproxide_hal::{Result, Stream};
use cuproxide_kernels_cuda::{JOIN, WARP};
use once_cell::sync::OnceCell;

use super::place::{Loaded, Place};
use crate::graph;

const THREADS: usize = 256;
/// Accesses of a block.
const CHUNK: usize = 4 * THREADS;
/// Pieces that the argument of a launch takes: as many as the oldest limit, 4 KiB, allows. More lie in device memory.
const PIECES: usize = 168;

pub(super) struct Joiner {
    place: Place,
    loaded: OnceCell<Loaded<2>>,
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
struct Argument<Parts> {
    out: u64,
    rows: u64,
    pitch: u64,
    count: u32,
    alike: u32,
    pieces: Parts,
}

pub(super) fn text() -> String {
    format!("{WARP}\n{JOIN}")
}

impl Joiner {
    pub fn new(place: Place) -> Joiner {
        Joiner { place, loaded: OnceCell::new() }
    }
}

/// The pieces that hold something and the end of the last one, how many blocks they take, and whether each takes as many.
fn parts(out: u64, rows: usize, pitch: u64, pieces: &[Piece]) -> (Vec<Part>, usize, bool) {
    let mut parts: Vec<Part> = Vec::with_capacity(pieces.len() + 1);
    let (mut start, mut blocks) = (0, 0);
    let mut sizes = None;
    let mut alike = true;
    for piece in pieces.iter().filter(|piece| piece.width > 0) {
        let width = piece.width as u64;
        // The widest accesses that fit both sides. A single row has no pitch to keep to.
        let ends = piece.ptr | (out + start) | width | if rows > 1 { pitch } else { 0 };
        let unit = ends.trailing_zeros().min(4);
        parts.push(Part { from: piece.ptr, start, first: blocks as u32, unit });
        let size = ((width as usize * rows) >> unit).div_ceil(CHUNK);
        alike &= *sizes.get_or_insert(size) == size;
        blocks += size;
        start += width;
    }
    parts.push(Part { start, ..Part::default() });
    (parts, blocks, alike)
}

impl Joining for Joiner {
    fn scratch_bytes(&self, pieces: usize) -> usize {
        if pieces > PIECES { (pieces + 1) * size_of::<Part>() } else { 0 }
    }

    unsafe fn join(&self, stream: &dyn Stream, out: u64, rows: usize, pieces: &[Piece], scratch: u64) -> Result<()> {
        let pitch = pieces.iter().map(|piece| piece.width).sum::<usize>() as u64;
        if rows == 0 || pitch == 0 {
            return Ok(());
        }
        let (place, stream) = (&self.place, stream.raw());
        place.primary.enter(place.driver)?;
        let loaded = self.loaded.get_or_try_init(|| place.load("join", &text(), ["join", "join_table"]))?;
        let (parts, blocks, alike) = parts(out, rows, pitch, pieces);
        let (rows, count, alike) = (rows as u64, parts.len() as u32 - 1, u32::from(alike));
        if parts.len() <= PIECES + 1 {
            let mut held = [Part::default(); PIECES + 1];
            held[..parts.len()].copy_from_slice(&parts);
            let argument = Argument { out, rows, pitch, count, alike, pieces: held };
            // SAFETY: the argument has the layout of the text; its addresses are the caller's promise.
            return unsafe { place.launch(stream, loaded.functions[0], blocks, THREADS, &argument) };
        }
        let bytes = size_of_val(parts.as_slice());
        let source = graph::stable_source(place.driver, stream, parts.as_ptr().cast(), bytes)?;
        // SAFETY: the scratch memory is as large as asked for; the driver stages pageable memory before it returns.
        unsafe { place.driver.copy_from_host(scratch, source.cast(), bytes, stream) }?;
        let argument = Argument { out, rows, pitch, count, alike, pieces: scratch };
        // SAFETY: as above, and the table is in place when the kernel begins.
        unsafe { place.launch(stream, loaded.functions[1], blocks, THREADS, &argument) }
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
