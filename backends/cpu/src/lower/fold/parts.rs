//! Folds along the fastest inner dimension that keep the order.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::accumulators::{Carried, Frame, displaced};
use super::plan::Plan;
use crate::lower::Span;
use crate::lower::emit::{Emitter, Position};
use crate::lower::group::{Group, Regs};
use crate::lower::place::{Place, Stride};

impl Plan<'_> {
    /// The fold along the fastest inner dimension, whose parts are folded side by side and then joined in order.
    pub(super) fn write_parts(&self, mut e: Emitter<'_, '_>) {
        /// Points of a part that make up for joining the lanes.
        const WORTH: i64 = 16;
        let lanes = self.lanes / 2;
        let frame = Frame::new(&mut e, self);
        let arrays = self.arrays(&mut e, std::mem::offset_of!(Span, accumulators));
        let count = e.count(0);
        let zero = e.b.ins().iconst(types::I64, 0);
        let part = e.b.ins().ushr_imm_u(frame.length, i64::from(lanes.trailing_zeros()));
        let worth = e.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, part, WORTH);
        let part = e.b.ins().select(worth, part, zero);
        let whole = e.b.ins().ishl_imm_u(part, i64::from(lanes.trailing_zeros()));
        let distances: Vec<Stride> = frame
            .inner
            .iter()
            .map(|&stride| match stride {
                Stride::None => Stride::None,
                stride => Stride::Bytes(displaced(&mut e, zero, stride, part)),
            })
            .collect();
        e.counted(zero, count, 1, |e, column| {
            e.lanes = 1;
            frame.outer_position(e, column);
            if let Position::Counting(value) = e.outer_index {
                e.outer_index = Position::Same(value);
            }
            let addresses = frame.column_addresses(e, column);
            let start = self.load(e, &arrays, column);
            let start: Vec<Regs> = start.iter().zip(&self.types).map(|(g, &dtype)| e.parts(g, dtype)).collect();
            let single = Carried::new(e, &start);
            e.counted(zero, frame.rows, 1, |e, row| {
                let (row_addresses, row_index) = frame.row(e, &addresses, row);
                let extend = |e: &mut Emitter<'_, '_>, lanes: usize, position: Value, into: &Carried| {
                    e.lanes = lanes;
                    for (operand, &base) in row_addresses.iter().enumerate() {
                        let here = displaced(e, base, frame.inner[operand], position);
                        e.places[operand] = match distances[operand] {
                            Stride::Bytes(distance) => Place::Strided(here, distance),
                            _ => Place::Fixed(here),
                        };
                    }
                    e.index = Position::Stepping(e.b.ins().iadd(row_index, position), part);
                    e.block(&self.fold.map.body);
                    let mapped: Vec<Group> = self.fold.map.results.iter().map(|&value| e.value(value)).collect();
                    self.join(e, into, &mapped);
                };
                let (some, after) = (e.b.create_block(), e.b.create_block());
                e.b.ins().brif(part, some, &[], after, &[]);
                e.b.switch_to_block(some);
                e.lanes = lanes;
                let neutral = self.identity(e);
                let neutral: Vec<Regs> = neutral.iter().zip(&self.types).map(|(g, &dtype)| e.parts(g, dtype)).collect();
                let side = Carried::new(e, &neutral);
                e.counted(zero, part, 1, |e, position| extend(e, lanes, position, &side));
                e.lanes = lanes;
                let groups = side.groups(e);
                for lane in 0..lanes {
                    let later: Vec<Group> = groups
                        .iter()
                        .zip(&self.types)
                        .map(|(group, &dtype)| Group::One(e.extract(group, dtype, lane)))
                        .collect();
                    e.lanes = 1;
                    self.join(e, &single, &later);
                }
                e.b.ins().jump(after, &[]);
                e.b.switch_to_block(after);
                e.counted(whole, frame.length, 1, |e, position| extend(e, 1, position, &single));
            });
            e.lanes = 1;
            let groups = single.groups(e);
            self.store(e, &arrays, column, &groups);
        });
        e.finish();
    }
}
