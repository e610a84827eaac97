//! Launches of kernels of rows: the parts take turns over as many rows as stay in cache.

use std::cell::Cell;

use cuproxide_hal::{Launch, MAX_DIMS, Operand};
use smallvec::SmallVec;

use super::walk::coordinates;
use super::{fold, map};
use crate::bytes::Line;
use crate::lower::{Part, RowsCode};
use crate::pool;

/// Points of the rows that the parts take turns over: fewer where threads would get less than some blocks each.
const BLOCK: usize = 32 << 10;
const LEAST: usize = 8 << 10;
/// Blocks that each thread should get.
const TURNS: usize = 4;
/// Points from which threads are used.
const PARALLEL: usize = 16 << 10;

/// Runs a kernel of rows.
///
/// # Safety
/// The launch fits the kernel that `code` was compiled from.
pub unsafe fn launch(code: &RowsCode, launch: &Launch<'_>) {
    let inner = launch.inner_size();
    let fast = launch.outer.last().copied().unwrap_or(1);
    let lines = launch.outer_size() / fast;
    let total = lines * fast * inner;
    let points = (total / (TURNS * pool::threads())).clamp(LEAST, BLOCK);
    let rows = (points / inner.max(1)).clamp(1, fast);
    let blocks = fast.div_ceil(rows);
    let work = |task: usize| {
        let (line, part) = (task / blocks, task % blocks);
        let first = part * rows;
        // SAFETY: the blocks are disjoint parts of the launch.
        unsafe { block(code, launch, line * fast + first, rows.min(fast - first), inner) };
    };
    if total >= PARALLEL {
        pool::run(lines * blocks, work);
    } else {
        (0..lines * blocks).for_each(work);
    }
}

/// Runs all parts over `rows` rows from `first` on.
unsafe fn block(code: &RowsCode, launch: &Launch<'_>, first: usize, rows: usize, inner: usize) {
    thread_local! {
        static MEMORY: Cell<Vec<Line>> = const { Cell::new(vec![]) };
    }
    let dims = launch.outer.len();
    let corner = coordinates(launch.outer, first);
    let mut operands: SmallVec<[Operand; 16]> = SmallVec::new();
    for operand in launch.operands {
        let moves = corner[..dims].iter().zip(&operand.strides);
        let distance: isize = moves.map(|(&at, &stride)| at as isize * stride).sum();
        operands.push(Operand { ptr: operand.ptr.wrapping_add_signed(distance as i64), ..*operand });
    }
    let lines =
        |size: usize, row: bool| (if row { rows * size } else { rows * inner * size }).div_ceil(size_of::<Line>());
    let total: usize = code.temporaries.iter().map(|temporary| lines(temporary.size, temporary.row)).sum();
    let mut memory = MEMORY.take();
    memory.resize(memory.len().max(total), Line([0; 64]));
    let mut at = memory.as_mut_ptr();
    for temporary in &code.temporaries {
        let mut strides = [0; MAX_DIMS];
        let mut step = temporary.size as isize;
        if !temporary.row {
            for (axis, &length) in launch.inner.iter().enumerate().rev() {
                strides[dims + axis] = step;
                step *= length as isize;
            }
        }
        if let Some(last) = dims.checked_sub(1) {
            strides[last] = step;
        }
        operands.push(Operand { ptr: at as u64, strides });
        at = at.wrapping_add(lines(temporary.size, temporary.row));
    }
    let mut shape: SmallVec<[usize; MAX_DIMS]> = SmallVec::from_elem(1, dims);
    if let Some(last) = shape.last_mut() {
        *last = rows;
    }
    shape.extend_from_slice(launch.inner);
    let scalars = launch.scalars;
    for part in &code.parts {
        // SAFETY: the parts were compiled for these operands, and the temporaries have room for the rows.
        unsafe {
            match part {
                Part::Fold(code) => {
                    let (outer, inner) = shape.split_at(dims);
                    fold::reduce(code, &Launch { outer, inner, operands: &operands, scalars, scratch: 0 }, true);
                }
                Part::Map(code) => {
                    let launch = Launch { outer: &shape, inner: &[], operands: &operands, scalars, scratch: 0 };
                    map::launch(code, &launch, usize::MAX);
                }
            }
        }
    }
    MEMORY.set(memory);
}
