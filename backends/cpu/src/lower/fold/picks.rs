//! Folds that keep an element with its position.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cuproxide_hal::DType;
use cuproxide_hal::ir::{self, Fold, Kernel, Op, Stmt};

use super::accumulators::{Carried, Frame};
use super::plan::Plan;
use crate::lower::emit::{Emitter, Position};
use crate::lower::group::{Group, Regs, integer_vector, scalar_type};
use crate::lower::scalar::memory;
use crate::lower::{Span, simd};

/// Whether a fold keeps one of two elements with its position, as the search for an extremum does: both accumulators
/// are chosen by one condition, and positions are only compared and chosen. What is kept is then the first or the last
/// of the best elements, so lanes may take turns with the elements and be joined by any order.
pub(super) fn picks(kernel: &Kernel, fold: &Fold) -> bool {
    let ([value, index], [_, position]) = (&fold.identity.results[..], &fold.map.results[..]) else { return false };
    let [a, i, b, j] = fold.combine.params[..] else { return false };
    let is = |value: &ir::Value, test: &dyn Fn(&Op) -> bool| {
        let binds = |statement: &Stmt| matches!(statement, Stmt::Let(v, op) if v == value && test(op));
        fold.map.body.iter().chain(&fold.combine.body).any(binds)
    };
    let plain = kernel.dtype(*value).size() <= 8 && kernel.dtype(*value) != DType::Bool;
    if !plain || kernel.dtype(*index) != DType::I64 || !is(position, &|op| matches!(op, Op::Index)) {
        return false;
    }
    let chosen = |result: ir::Value, x: ir::Value, y: ir::Value| {
        fold.combine.body.iter().find_map(|statement| match *statement {
            Stmt::Let(v, Op::Select(cond, yes, no)) if v == result && (yes, no) == (x, y) => Some(cond),
            _ => None,
        })
    };
    let [element, place] = fold.combine.results[..] else { return false };
    let later = chosen(element, b, a).is_some_and(|cond| chosen(place, j, i) == Some(cond));
    let positions = [i, j];
    let proper = |statement: &Stmt| match statement {
        Stmt::Let(_, Op::Compare(_, x, y)) => positions.contains(x) == positions.contains(y),
        Stmt::Let(v, Op::Select(..)) if *v == place => true,
        Stmt::Let(_, Op::Select(c, x, y)) => ![c, x, y].iter().any(|used| positions.contains(used)),
        Stmt::Let(_, Op::Unary(_, x) | Op::Cast(x)) => !positions.contains(x),
        Stmt::Let(_, Op::Binary(_, x, y)) => ![x, y].iter().any(|used| positions.contains(used)),
        Stmt::Let(_, Op::Const(_)) => true,
        _ => false,
    };
    later && fold.combine.body.iter().all(proper)
}

impl Plan<'_> {
    /// The fold along the fastest inner dimension, whose lanes take turns and keep the number of the turn, in lanes as
    /// wide as the elements. At the end of a line they are joined with their positions.
    pub(super) fn write_picks(&self, mut e: Emitter<'_, '_>) {
        /// Groups that make up for joining the lanes.
        const WORTH: i64 = 4;
        let lanes = self.lanes;
        let dtype = self.types[0];
        let narrow = integer_vector(dtype.size());
        let frame = Frame::new(&mut e, self);
        let arrays = self.arrays(&mut e, std::mem::offset_of!(Span, accumulators));
        let count = e.count(0);
        let zero = e.b.ins().iconst(types::I64, 0);
        let whole = e.b.ins().band_imm_s(frame.length, -(lanes as i64));
        // More turns could not be told apart in lanes of one byte.
        let most = e.b.ins().iconst(types::I64, if dtype.size() == 1 { 100 * lanes as i64 } else { 1 << 20 });
        let whole = e.b.ins().smin(whole, most);
        let worth = e.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, whole, WORTH * lanes as i64);
        let whole = e.b.ins().select(worth, whole, zero);
        let (values, turns) = (e.scratch(64), e.scratch(64));
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
                let map = |e: &mut Emitter<'_, '_>, lanes: usize, position: Value| {
                    e.lanes = lanes;
                    for (operand, &base) in row_addresses.iter().enumerate() {
                        e.places[operand] = e.place_at(base, frame.inner[operand], position);
                    }
                    e.index = Position::Counting(e.b.ins().iadd(row_index, position));
                    e.block(&self.fold.map.body);
                };
                let (some, after) = (e.b.create_block(), e.b.create_block());
                e.b.ins().brif(whole, some, &[], after, &[]);
                e.b.switch_to_block(some);
                e.lanes = lanes;
                let neutral = self.identity(e);
                let value = e.parts(&neutral[0], dtype);
                let none: [u8; 16] =
                    std::array::from_fn(|byte| if byte % dtype.size() == dtype.size() - 1 { 0x7f } else { 0xff });
                let none = simd::constant(&mut e.b, narrow, none);
                let none = Regs::from_elem(none, value.len());
                let side = Carried::new(e, &[value, none.clone()]);
                e.counted(zero, whole, lanes, |e, position| {
                    map(e, lanes, position);
                    let value = e.value(self.fold.map.results[0]);
                    let value = e.parts(&value, dtype);
                    let turn = e.b.ins().ushr_imm_u(position, i64::from(lanes.trailing_zeros()));
                    let turn = if dtype.size() == 8 { turn } else { e.b.ins().ireduce(narrow.lane_type(), turn) };
                    let turn = e.b.ins().splat(narrow, turn);
                    let later = [Group::Many(value), Group::Many(Regs::from_elem(turn, none.len()))];
                    let before = side.groups(e);
                    let joined: Vec<Regs> = self
                        .combine(e, &before, &later)
                        .into_iter()
                        .map(|group| match group {
                            Group::Many(regs) => regs,
                            Group::One(_) => unreachable!("what is picked of registers is in registers"),
                        })
                        .collect();
                    side.set(e, &joined);
                });
                let ends = side.regs(e);
                for (slot, regs) in [values, turns].into_iter().zip(ends) {
                    for (position, reg) in regs.into_iter().enumerate() {
                        e.b.ins().store(memory(), reg, slot, 16 * position as i32);
                    }
                }
                e.lanes = 1;
                let end = e.b.ins().iconst(types::I64, lanes as i64);
                e.counted(zero, end, 1, |e, lane| {
                    e.lanes = 1;
                    let distance = e.b.ins().ishl_imm_u(lane, i64::from(dtype.size().trailing_zeros()));
                    let at = e.b.ins().iadd(values, distance);
                    let value = e.b.ins().load(scalar_type(dtype), memory(), at, 0);
                    let at = e.b.ins().iadd(turns, distance);
                    let turn = e.b.ins().load(narrow.lane_type(), memory(), at, 0);
                    let turn = if dtype.size() == 8 { turn } else { e.b.ins().uextend(types::I64, turn) };
                    let first = e.b.ins().ishl_imm_u(turn, i64::from(lanes.trailing_zeros()));
                    let position = e.b.ins().iadd(first, lane);
                    let index = e.b.ins().iadd(row_index, position);
                    self.join(e, &single, &[Group::One(value), Group::One(index)]);
                });
                e.b.ins().jump(after, &[]);
                e.b.switch_to_block(after);
                e.counted(whole, frame.length, 1, |e, position| {
                    map(e, 1, position);
                    let mapped: Vec<Group> = self.fold.map.results.iter().map(|&value| e.value(value)).collect();
                    self.join(e, &single, &mapped);
                });
            });
            e.lanes = 1;
            let groups = single.groups(e);
            self.store(e, &arrays, column, &groups);
        });
        e.finish();
    }
}
