//! Folds in registers: values of a map extend accumulators as soon as they are computed, in the lanes and blocks of compiled folds.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{self, Binary, Kernel};

use super::allocate::{Allocated, allocate, registers};
use super::encode::{Assembler, Form, general};
use super::loops::{Frame, Layout, MANY, POINTS, width, write_moves};
use super::select::{Pool, Selector, Straight};
use crate::lower::ready::lanes::{DEPTH, LANES};
use crate::lower::stages::Stages;

/// A value of a map that extends an accumulator.
pub struct Folded {
    pub op: Binary,
    pub value: ir::Value,
    pub dtype: DType,
    /// What lanes start from.
    pub neutral: [u8; 8],
}

/// The code of a fold.
pub(super) struct Fold {
    /// What lets totals start, what a block begins with, what each of its groups does, and what ends it.
    parts: [Allocated; 4],
    /// Points of a group.
    pub(super) group: usize,
    /// Where the total of each accumulator begins, after the first.
    pub(super) totals: Vec<usize>,
    /// Bytes of all totals.
    pub(super) bytes: usize,
}

impl Fold {
    /// The fold of values of a map without calls, if there is code for it and registers suffice.
    pub(super) fn new(
        kernel: &Kernel,
        stages: &Stages<'_>,
        folds: &[Folded],
        (form, lanes): (Form, usize),
        pool: &mut Pool,
        fixed: impl Fn(usize) -> bool + Copy,
    ) -> Option<Fold> {
        let [stage] = &stages.stages[..] else { return None };
        let floats = folds.iter().filter(|folded| folded.dtype.is_float()).map(|folded| folded.dtype.size()).max();
        // Others may be grouped at will.
        let group = floats.map_or(4 * lanes, |size| LANES / size);
        let copies = group / lanes;
        let fits = |folded: &Folded| folded.dtype != DType::Bool && lanes * folded.dtype.size() <= width(form);
        let most = registers(form) / 2;
        if folds.is_empty() || !folds.iter().all(fits) || copies * folds.len() > most || !stage.calls.is_empty() {
            return None;
        }
        let mut bytes = 0;
        let places = folds.iter().map(|folded| {
            let at = bytes;
            bytes += (group * folded.dtype.size()).next_multiple_of(64);
            at
        });
        let totals: Vec<usize> = places.collect();

        let mut first = Selector::new(kernel, form, lanes, pool);
        folds.iter().zip(&totals).for_each(|(folded, &at)| first.clear(folded.dtype, &folded.neutral, at));
        let first = first.code;
        let mut start = Selector::new(kernel, form, lanes, pool);
        folds.iter().for_each(|folded| start.start(folded.dtype, &folded.neutral));
        let start = start.code;
        let mut body = Selector::new(kernel, form, lanes, pool);
        for statement in stage.statements.iter().filter(|statement| !matches!(statement, ir::Stmt::Store { .. })) {
            body.bring(stages, statement, fixed)?;
            body.statement(statement, fixed)?;
        }
        for folded in folds {
            body.fetch(stages, folded.value, fixed)?;
            body.extend(folded.op, folded.value)?;
        }
        let body = body.code;
        let mut end = Selector::new(kernel, form, lanes, pool);
        for (folded, &at) in folds.iter().zip(&totals) {
            end.join(folded.op, folded.dtype, at)?;
        }
        let place = |code: &Straight| allocate(code, form, lanes, copies, false);
        let parts = [&first, &start, &body, &end.code].map(place);
        let fits = copies * body.steps.len() <= MANY && parts.iter().all(|part| part.spills == 0);
        fits.then_some(Fold { parts, group, totals, bytes })
    }

    /// Writes a function that extends totals by as many whole groups as the call has rows; if it has points, totals start first.
    pub(super) fn write(&self, assembler: &mut Assembler, form: Form, layout: &Layout) {
        let frame = Frame::enter(assembler, self.parts.iter());
        let [first, start, body, end] = &self.parts;
        let write = |assembler: &mut Assembler, code: &Allocated| write_moves(assembler, form, code, layout, &frame);
        assembler.clear(general::POINT);
        assembler.load(general::BRIEF, general::CALL, POINTS);
        let begun = assembler.jump_if_zero(general::BRIEF);
        write(assembler, first);
        assembler.land(begun, assembler.code.len());
        let block = assembler.code.len();
        assembler.copy(general::LAST, general::ROWS);
        let short = assembler.jump_if_less(general::LAST, DEPTH as i32);
        assembler.clear(general::LAST);
        assembler.add(general::LAST, DEPTH as i32);
        assembler.land(short, assembler.code.len());
        write(assembler, start);
        assembler.align(32);
        let top = assembler.code.len();
        write(assembler, body);
        assembler.add(general::POINT, self.group as i32);
        let again = assembler.count_down(general::LAST);
        assembler.land(again, top);
        write(assembler, end);
        assembler.add(general::ROWS, -(DEPTH as i32));
        let again = assembler.jump_if_more(general::ROWS, 0);
        assembler.land(again, block);
        frame.leave(assembler);
    }
}
