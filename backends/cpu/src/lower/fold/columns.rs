//! Folds in order, of groups of columns or of single points; and what is done to whole columns of accumulators.

use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::accumulators::{Carried, Frame, displaced};
use super::plan::Plan;
use crate::lower::Span;
use crate::lower::emit::{Emitter, Position};
use crate::lower::group::{Group, Regs};
use crate::lower::place::{Place, Stride};

impl Plan<'_> {
    /// Runs `body` on groups of columns and then on single ones.
    fn each_column(&self, e: &mut Emitter<'_, '_>, body: &mut dyn FnMut(&mut Emitter<'_, '_>, Value)) {
        let count = e.count(0);
        let zero = e.b.ins().iconst(types::I64, 0);
        let mut done = zero;
        if self.columns > 1 {
            done = e.b.ins().band_imm_s(count, -(self.columns as i64));
            e.counted(zero, done, self.columns, |e, column| {
                e.lanes = self.columns;
                body(e, column);
            });
        }
        e.counted(done, count, 1, |e, column| {
            e.lanes = 1;
            body(e, column);
        });
    }

    pub(super) fn write_init(&self, mut e: Emitter<'_, '_>) {
        let arrays = self.arrays(&mut e, std::mem::offset_of!(Span, accumulators));
        self.each_column(&mut e, &mut |e, column| {
            let identity = self.identity(e);
            self.store(e, &arrays, column, &identity);
        });
        e.finish();
    }

    pub(super) fn write_merge(&self, mut e: Emitter<'_, '_>) {
        let arrays = self.arrays(&mut e, std::mem::offset_of!(Span, accumulators));
        let others = self.arrays(&mut e, std::mem::offset_of!(Span, others));
        self.each_column(&mut e, &mut |e, column| {
            let (earlier, later) = (self.load(e, &arrays, column), self.load(e, &others, column));
            let joined = self.combine(e, &earlier, &later);
            self.store(e, &arrays, column, &joined);
        });
        e.finish();
    }

    /// Places every operand at the given addresses, in groups along columns.
    pub(super) fn place_columns(&self, e: &mut Emitter<'_, '_>, addresses: &[Value], outer: &[Stride]) {
        for (operand, &address) in addresses.iter().enumerate() {
            e.places[operand] = match outer[operand] {
                Stride::None => Place::Fixed(address),
                Stride::Elements(_) => Place::Unit(address),
                Stride::Bytes(stride) => Place::Strided(address, stride),
            };
        }
    }

    pub(super) fn finish(&self, e: &mut Emitter<'_, '_>, groups: &[Group]) {
        for (&param, group) in self.fold.finish.params.iter().zip(groups) {
            e.bind(param, group.clone());
        }
        e.block(&self.fold.finish.body);
    }

    pub(super) fn write_finish(&self, mut e: Emitter<'_, '_>) {
        let frame = Frame::new(&mut e, self);
        self.bind_range(&mut e);
        let arrays = self.arrays(&mut e, std::mem::offset_of!(Span, accumulators));
        self.each_column(&mut e, &mut |e, column| {
            frame.outer_position(e, column);
            e.index = Position::Same(frame.index);
            let addresses = frame.column_addresses(e, column);
            self.place_columns(e, &addresses, &frame.outer);
            let groups = self.load(e, &arrays, column);
            self.finish(e, &groups);
        });
        e.finish();
    }

    /// The fold in order: groups along columns, or single points. A scan stores every prefix.
    pub(super) fn write_fold(&self, mut e: Emitter<'_, '_>, scan: bool) {
        let frame = Frame::new(&mut e, self);
        self.bind_range(&mut e);
        let arrays = self.arrays(&mut e, std::mem::offset_of!(Span, accumulators));
        self.each_column(&mut e, &mut |e, column| {
            frame.outer_position(e, column);
            let addresses = frame.column_addresses(e, column);
            let start = self.load(e, &arrays, column);
            let shape: Vec<Regs> = start.iter().zip(&self.types).map(|(g, &dtype)| e.parts(g, dtype)).collect();
            let carried = Carried::new(e, &shape);
            let zero = e.b.ins().iconst(types::I64, 0);
            e.counted(zero, frame.rows, 1, |e, row| {
                let (row_addresses, row_index) = frame.row(e, &addresses, row);
                e.counted(zero, frame.length, 1, |e, position| {
                    let here: Vec<Value> = row_addresses
                        .iter()
                        .zip(&frame.inner)
                        .map(|(&base, &stride)| displaced(e, base, stride, position))
                        .collect();
                    self.place_columns(e, &here, &frame.outer);
                    e.index = Position::Same(e.b.ins().iadd(row_index, position));
                    e.block(&self.fold.map.body);
                    let mapped: Vec<Group> = self.fold.map.results.iter().map(|&value| e.value(value)).collect();
                    self.join(e, &carried, &mapped);
                    if scan {
                        let groups = carried.groups(e);
                        self.finish(e, &groups);
                    }
                });
            });
            let groups = carried.groups(e);
            self.store(e, &arrays, column, &groups);
        });
        e.finish();
    }
}
