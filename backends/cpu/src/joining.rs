//! Joining of pieces, on the threads of the pool.

use std::ops::Range;

use cuproxide_hal::libraries::{Joining, Piece};
use cuproxide_hal::{Result, Stream};
use smallvec::SmallVec;

use crate::sort::CpuPrimitives;
use crate::{graph, pool};

/// Bytes that are worth a task.
const TASK: usize = 256 << 10;

impl Joining for CpuPrimitives {
    fn scratch_bytes(&self, _pieces: usize) -> usize {
        0
    }

    unsafe fn join(&self, stream: &dyn Stream, out: u64, rows: usize, pieces: &[Piece], _scratch: u64) -> Result<()> {
        let bytes: usize = pieces.iter().map(|piece| piece.width).sum::<usize>().saturating_mul(rows);
        let pieces: SmallVec<[Piece; 4]> = pieces.into();
        // SAFETY: the caller's promise.
        graph::run_or_record_brief(stream, "join", bytes <= TASK, move || unsafe { join(out, rows, &pieces) })
    }
}

/// # Safety
/// As for [`Joining::join`].
unsafe fn join(out: u64, rows: usize, pieces: &[Piece]) -> Result<()> {
    let (mut pitch, mut starts): (usize, SmallVec<[usize; 4]>) = (0, SmallVec::new());
    for piece in pieces {
        starts.push(pitch);
        pitch += piece.width;
    }
    let copy = |piece: usize, row: usize, from: usize, to: usize| {
        let Piece { ptr, width } = pieces[piece];
        let source = (ptr as usize + row * width + from) as *const u8;
        let target = (out as usize + row * pitch + starts[piece] + from) as *mut u8;
        // SAFETY: the caller's promise: the part lies in the row of the piece and of the result.
        unsafe { std::ptr::copy_nonoverlapping(source, target, to - from) };
    };
    if rows == 1 && pitch <= TASK {
        (0..pieces.len()).for_each(|piece| copy(piece, 0, 0, pieces[piece].width));
        return Ok(());
    }
    // A task fills some rows of the result, or a part of the only one.
    if rows == 1 {
        pool::run(pitch.div_ceil(TASK), |task| {
            let (from, to) = (task * TASK, pitch.min((task + 1) * TASK));
            let first = starts.partition_point(|&start| start <= from) - 1;
            let last = starts.partition_point(|&start| start < to);
            for piece in first..last {
                let start = starts[piece];
                copy(piece, 0, from.max(start) - start, (to - start).min(pieces[piece].width));
            }
        });
        return Ok(());
    }
    let share = (TASK / pitch.max(1)).max(1);
    pool::run(rows.div_ceil(share), |task| {
        let rows = task * share..rows.min((task + 1) * share);
        for (piece, &Piece { ptr, width }) in pieces.iter().enumerate() {
            let target = out as usize + starts[piece];
            // SAFETY: the caller's promise, and each task has rows of its own.
            unsafe {
                match width {
                    1 => column::<u8>(ptr, target, pitch, rows.clone()),
                    2 => column::<u16>(ptr, target, pitch, rows.clone()),
                    4 => column::<u32>(ptr, target, pitch, rows.clone()),
                    8 => column::<u64>(ptr, target, pitch, rows.clone()),
                    16 => column::<u128>(ptr, target, pitch, rows.clone()),
                    _ => rows.clone().for_each(|row| copy(piece, row, 0, width)),
                }
            }
        }
    });
    Ok(())
}

/// Copies rows of one element each to rows that are `pitch` bytes apart.
///
/// # Safety
/// Both may be accessed in these rows.
unsafe fn column<T>(ptr: u64, target: usize, pitch: usize, rows: Range<usize>) {
    for row in rows {
        // SAFETY: the caller's promise.
        unsafe { ((target + row * pitch) as *mut T).write_unaligned((ptr as *const T).add(row).read_unaligned()) };
    }
}
