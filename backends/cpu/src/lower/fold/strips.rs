//! Folds along the fastest inner dimension whose values wide vectors compute. Where registers suffice, they extend the lanes at once;
//! else, and after the last whole group, they go to memory, strip by strip, from which loops compiled ahead extend the lanes. Lanes and
//! blocks are those of [`super::lanes`], so the bits are the same.

use cuproxide_hal::ir::{Binary, Fold, Kernel, Mode, Op, OperandDecl, Stmt};
use cuproxide_hal::{Access, DType};

use crate::lower::ready::lanes::LANES;
use crate::lower::ready::strips::{Piece, find};
use crate::lower::ready::{defined, neutral};
use crate::lower::wide::memory::Call;
use crate::lower::wide::program::Program;
use crate::lower::wide::{self, Folded, Form};
use crate::lower::{Entry, OPERANDS, Span};

/// Points of a strip of computed values: whole blocks of all types.
const STRIP: usize = 1024;
/// Points of a row from which strips are faster than the narrow code.
const LEAST: usize = 96;

/// Where the values of an accumulator lie.
#[derive(Clone, Copy)]
enum Values {
    /// They are the elements of an operand.
    Operand(usize),
    /// A map leaves them in the scratch memory.
    Scratch(usize),
}

/// One of the values that are folded.
struct Accumulator {
    fold: Entry<Piece>,
    /// Bytes of a value.
    size: usize,
    values: Values,
    neutral: [u8; 8],
    /// Where its lanes are in the scratch memory.
    total: usize,
    /// Whether the loop has lanes: floats, which are grouped as compiled code groups them.
    lanes: bool,
}

/// A fold in strips.
pub struct Strips {
    /// Computes the values of a strip, if some are not in memory. They are its last operands.
    map: Option<Program>,
    /// Operands that the fold reads.
    read: Vec<usize>,
    /// Operands of the map that hold computed values, and where those are in the scratch memory.
    written: Vec<(usize, usize)>,
    accumulators: Vec<Accumulator>,
    /// Points of a strip.
    strip: usize,
    /// Bytes of scratch memory.
    pub scratch: usize,
    /// Points of a row from which it is faster than the other code.
    pub least: usize,
}

impl Strips {
    /// The fold of aligned elements, if there is code for all that it does.
    pub(super) fn new(
        kernel: &Kernel,
        fold: &Fold,
        operators: &[Binary],
        inner: &[Access],
        form: Form,
    ) -> Option<Strips> {
        let map = &fold.map;
        let types: Vec<DType> = map.results.iter().map(|&value| kernel.dtype(value)).collect();
        // The widest floats decide how many lanes there are.
        let mut floats = types.iter().filter(|dtype| dtype.is_float()).map(|dtype| dtype.size());
        if floats.next().is_some_and(|size| floats.any(|other| other != size)) {
            return None;
        }
        // The map stores its values, and what it does not read does not move.
        let mut kernel = kernel.clone();
        let mut access = vec![Access::Broadcast; kernel.operands.len()];
        let mut block = map.body.clone();
        let mut read = vec![];
        for statement in &map.body {
            match *statement {
                Stmt::Let(_, Op::OuterIndex) => return None,
                Stmt::Let(_, Op::Load { operand, .. }) => {
                    let operand = usize::from(operand);
                    if kernel.operands[operand].mode != Mode::Read {
                        return None;
                    }
                    access[operand] = inner[operand];
                    read.push(operand);
                }
                _ => {}
            }
        }
        read.sort_unstable();
        read.dedup();
        let element = |value| {
            let lies = |operand: usize, dtype: DType| {
                let plain = inner[operand] == Access::Unit && kernel.operands[operand].dtype == dtype;
                plain && dtype != DType::Bool
            };
            match defined(&map.body, value) {
                Some(Op::Load { operand, offset: None, lane: 0 }) => {
                    Some(usize::from(operand)).filter(|&operand| lies(operand, kernel.dtype(value)))
                }
                _ => None,
            }
        };
        let elements: Vec<Option<usize>> = map.results.iter().map(|&value| element(value)).collect();
        let computed = || (0..elements.len()).filter(|&number| elements[number].is_none());
        for number in computed() {
            let operand = kernel.operands.len() as u16;
            kernel.operands.push(OperandDecl { dtype: types[number], mode: Mode::Write });
            access.push(Access::Unit);
            block.push(Stmt::Store { operand, offset: None, lane: 0, value: map.results[number] });
        }
        if kernel.operands.len() > OPERANDS {
            return None;
        }
        let mut folds = vec![];
        for (number, (&op, &dtype)) in operators.iter().zip(&types).enumerate() {
            let neutral = neutral(fold, number)?.bytes.first_chunk().copied()?;
            folds.push(Folded { op, value: map.results[number], dtype, neutral });
        }
        let (map, mut scratch) = match computed().next() {
            Some(_) => {
                wide::compile(&kernel, &block, &access, &folds, form).map(|(map, scratch)| (Some(map), scratch))?
            }
            None => (None, 0),
        };
        let mut room = |bytes: usize| {
            let at = scratch.next_multiple_of(64);
            scratch = at + bytes;
            at
        };
        let mut written = vec![];
        let mut accumulators = vec![];
        let first = kernel.operands.len() - computed().count();
        for (number, &Folded { op, dtype, neutral, .. }) in folds.iter().enumerate() {
            let size = dtype.size();
            let values = elements[number].map_or_else(
                || {
                    let at = room(STRIP * size);
                    written.push((first + written.len(), at));
                    Values::Scratch(at)
                },
                Values::Operand,
            );
            let total = match map.as_ref().and_then(|map| map.fold.as_ref()) {
                Some(fold) => fold.totals[number],
                None => room(LANES),
            };
            let lanes = dtype.is_float();
            accumulators.push(Accumulator { fold: find(op, dtype)?, size, values, neutral, total, lanes });
        }
        let strip = if map.is_some() { STRIP } else { usize::MAX >> 8 };
        Some(Strips { map, read, written, accumulators, strip, scratch, least: LEAST })
    }

    /// Whether values extend accumulators in registers.
    #[cfg(test)]
    pub(super) fn folds_in_registers(&self) -> bool {
        self.map.as_ref().is_some_and(|map| map.fold.is_some())
    }

    /// Extends the accumulators of a span.
    ///
    /// # Safety
    /// The span describes a part of a launch that fits the kernel, with as much scratch memory as the fold asks for.
    pub unsafe fn run(&self, span: &Span) {
        let [columns, length, rows] = span.counts;
        if length == 0 || rows == 0 {
            return;
        }
        let mut strip = span.clone();
        // SAFETY: the caller's promise.
        let mut call = self.map.as_ref().map(|map| unsafe { map.begin(span) });
        let folding = self.map.as_ref().and_then(|map| map.fold.as_ref());
        let groups = folding.map_or(0, |fold| length / fold.group);
        for column in 0..columns {
            for row in 0..rows {
                let element = |operand: usize, point: usize| {
                    let step =
                        |level: usize, count: usize| span.strides[level][operand].wrapping_mul(count as isize) as i64;
                    let pointer = span.pointers[operand].wrapping_add_signed(step(0, column));
                    pointer.wrapping_add_signed(step(1, point)).wrapping_add_signed(step(2, row))
                };
                let place = |call: &mut Call, point: usize| {
                    for &operand in &self.read {
                        call.pointers[operand] = element(operand, point);
                    }
                    let index = span.index.wrapping_add(span.index_step.wrapping_mul(row as i64));
                    call.index = index.wrapping_add(point as i64);
                };
                let whole = folding.map_or(0, |fold| groups * fold.group);
                let mut start = whole;
                loop {
                    let points = (length - start).min(self.strip);
                    let ends = start + points == length;
                    if let (Some(map), Some(call), 1..) = (&self.map, &mut call, points) {
                        place(call, start);
                        for &(operand, at) in &self.written {
                            call.pointers[operand] = span.scratch as u64 + at as u64;
                        }
                        strip.counts[0] = points;
                        // SAFETY: the strip lies within the span, and the scratch memory has room for its values.
                        unsafe { map.line(&strip, call, 0) };
                    }
                    // After the strip's stores, so that its loads below need not wait for them.
                    if let (Some(map), Some(call), Some(fold), 1..) = (&self.map, &mut call, folding, groups) {
                        place(call, 0);
                        // SAFETY: so many groups of points lie within the span.
                        unsafe { map.extend(fold, call, groups, row == 0) };
                    }
                    let mut array = span.accumulators;
                    for accumulator in &self.accumulators {
                        let total = span.scratch.wrapping_add(accumulator.total);
                        let last = ends && row + 1 == rows;
                        let piece = Piece {
                            values: match accumulator.values {
                                Values::Operand(operand) => element(operand, start) as *const u8,
                                Values::Scratch(at) => span.scratch.wrapping_add(at),
                            },
                            points,
                            total,
                            single: array.wrapping_add(column * accumulator.size),
                            neutral: accumulator.neutral,
                            first: groups == 0 && row == 0 && start == 0,
                            last: last && length * accumulator.size >= LANES,
                        };
                        // SAFETY: the values are in memory, and the span has an accumulator for each column.
                        unsafe { (accumulator.fold)(&piece) };
                        if let Some(fold) = folding.filter(|_| last && groups > 0 && !accumulator.lanes) {
                            // SAFETY: as above.
                            unsafe { (accumulator.fold)(&Piece { values: total, points: fold.group, ..piece }) };
                        }
                        array = array.wrapping_add(span.capacity * accumulator.size);
                    }
                    start += points;
                    if ends {
                        break;
                    }
                }
            }
        }
    }
}
