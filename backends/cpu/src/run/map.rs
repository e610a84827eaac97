//! Launches of maps.

use std::collections::BTreeSet;

use cuproxide_hal::Launch;
use cuproxide_hal::ir::{Kernel, Op, Stmt};

use super::spans::{set_strides, span};
use super::walk::rectangles;
use crate::bytes::with_scratch;
use crate::lower::{Code, Span, math};
use crate::pool;

/// Work, in plain element operations, below which a thread is not worth waking.
const WORK: usize = 32 << 10;
/// What a called function counts for, in plain operations.
const CALL_WORK: usize = 8;
/// What a loop counts for. How often it goes round is not known: a search does a few times, a pass along a line thousands.
const LOOP_WORK: usize = 512;

/// Most grains of a piece: Ctrl-C ends a launch between pieces.
const LARGEST: usize = 64;

/// Operators that cost what a plain operation does, whose time is that of its memory.
const LIGHT: usize = 16;

/// Points that one thread should get at least. What is the same at all of them is no work of theirs.
pub fn grain(kernel: &Kernel) -> usize {
    let (mut calls, mut loops, mut statements) = (0, false, 0);
    let mut uniform = BTreeSet::new();
    kernel.visit_all(&mut |statement| {
        if let &Stmt::Let(value, op) = statement {
            let mut same = !matches!(op, Op::Load { .. } | Op::Get(_) | Op::Index | Op::OuterIndex | Op::Element(..));
            op.each_operand(&mut |operand| same &= uniform.contains(&operand));
            if same {
                uniform.insert(value);
                return;
            }
        }
        statements += 1;
        match *statement {
            Stmt::Let(_, Op::Unary(op, a)) => calls += usize::from(math::unary(op, kernel.dtype(a)).is_some()),
            Stmt::Let(_, Op::Binary(op, a, _)) => calls += usize::from(math::binary(op, kernel.dtype(a)).is_some()),
            Stmt::While { .. } => loops = true,
            _ => {}
        }
    });
    WORK / (1 + CALL_WORK * calls.min(4) + if loops { LOOP_WORK } else { 0 } + statements / LIGHT)
}

/// Runs a map.
///
/// # Safety
/// The launch fits the kernel that `code` was compiled from.
pub unsafe fn launch(code: &Code, launch: &Launch<'_>, grain: usize) {
    let total = launch.outer_size();
    let dims = launch.outer;
    let mut template = span(launch);
    set_strides(&mut template, launch, 0, dims.len().checked_sub(1));
    set_strides(&mut template, launch, 1, dims.len().checked_sub(2));
    if total <= grain || grain == usize::MAX {
        // SAFETY: the caller's promise.
        return unsafe { range(code, launch, &mut template, 0, total) };
    }
    let fast = dims.last().copied().unwrap_or(1);
    let piece = (total / (8 * pool::threads())).clamp(grain / 2, (8 * WORK).min(LARGEST * grain.max(1)));
    // Whole lines, or whole vectors of what is loaded; points that take long are few in a piece.
    let piece = piece.next_multiple_of(if fast < piece {
        fast
    } else if piece < 1024 {
        16
    } else {
        1024
    });
    let template = Shared(template);
    pool::run(total.div_ceil(piece), |task| {
        let mut span = template.get().clone();
        let start = task * piece;
        // SAFETY: the pieces are disjoint parts of the launch.
        unsafe { range(code, launch, &mut span, start, total.min(start + piece)) };
    });
}

/// A span that threads copy.
pub struct Shared(pub Span);

// SAFETY: the pointers in a span refer to memory that the launch keeps valid for every thread.
unsafe impl Sync for Shared {}

impl Shared {
    /// The span.
    pub fn get(&self) -> &Span {
        &self.0
    }
}

/// Runs the points `start..end`.
unsafe fn range(code: &Code, launch: &Launch<'_>, span: &mut Span, start: usize, end: usize) {
    let dims = launch.outer;
    with_scratch(code.scratch, |scratch| {
        span.scratch = scratch;
        if dims.len() <= 1 {
            // A part of a line is one rectangle.
            for (pointer, operand) in span.pointers.iter_mut().zip(launch.operands) {
                *pointer = operand.ptr.wrapping_add_signed((start as isize * operand.strides[0]) as i64);
            }
            span.index = start as i64;
            span.index_step = (end - start) as i64;
            span.counts = [end - start, 1, 1];
            // SAFETY: the part lies within the launch.
            return unsafe { code.run(span) };
        }
        rectangles(dims, start, end, |rectangle| {
            for (pointer, operand) in span.pointers.iter_mut().zip(launch.operands) {
                let moves = rectangle.corner[..dims.len()].iter().zip(&operand.strides);
                let distance: isize = moves.map(|(&at, &stride)| at as isize * stride).sum();
                *pointer = operand.ptr.wrapping_add_signed(distance as i64);
            }
            span.index = rectangle.position as i64;
            span.index_step = rectangle.length as i64;
            span.counts = [rectangle.length, rectangle.rows, 1];
            // SAFETY: the rectangle lies within the launch.
            unsafe { code.run(span) };
        });
    });
}
