//! Folds along the fastest inner dimension with partial results in lanes.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cuproxide_hal::DType;
use cuproxide_hal::ir::Binary;

use super::accumulators::{Carried, Frame};
use super::plan::Plan;
use crate::lower::emit::{Emitter, Position};
use crate::lower::group::{Group, Regs};
use crate::lower::ready::lanes::DEPTH;
use crate::lower::stages::{place_fixed, scratch_memory};
use crate::lower::{Span, scalar, simd};

impl Plan<'_> {
    /// The fold along the fastest inner dimension with partial results in lanes.
    pub(super) fn write_lanes(&self, mut e: Emitter<'_, '_>) {
        let operators = self.operators.as_ref().expect("the layout needs commutative operators");
        let additive = |(&op, dtype): (&Binary, &DType)| dtype.is_float() && matches!(op, Binary::Add | Binary::Mul);
        let blocked = operators.iter().zip(&self.types).any(additive);
        let frame = Frame::new(&mut e, self);
        self.bind_range(&mut e);
        let arrays = self.arrays(&mut e, std::mem::offset_of!(Span, accumulators));
        let count = e.count(0);
        let zero = e.b.ins().iconst(types::I64, 0);
        let whole = e.b.ins().band_imm_s(frame.length, -(self.lanes as i64));
        e.scratch_memory = scratch_memory(&mut e);
        e.lanes = 1;
        let neutral = self.identity(&mut e);
        e.lanes = self.lanes;
        let neutral: Vec<Regs> = neutral.iter().zip(&self.types).map(|(g, &dtype)| e.parts(g, dtype)).collect();
        let total = Carried::new(&mut e, &neutral);
        let partial = Carried::new(&mut e, &neutral);
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
            total.set(e, &neutral);
            e.counted(zero, frame.rows, 1, |e, row| {
                let (row_addresses, row_index) = frame.row(e, &addresses, row);
                let place = |e: &mut Emitter<'_, '_>, position: Value| {
                    for (operand, &base) in row_addresses.iter().enumerate() {
                        e.places[operand] = e.place_at(base, frame.inner[operand], position);
                    }
                    e.index = Position::Counting(e.b.ins().iadd(row_index, position));
                };
                // Folds positions start..start + points of the row, the beginning of a strip and its length.
                let mut run = |e: &mut Emitter<'_, '_>, start: Value, points: Value| {
                    let extend = |e: &mut Emitter<'_, '_>, lanes: usize, position: Value, into: &Carried| {
                        e.lanes = lanes;
                        place(e, position);
                        match &self.stages {
                            Some(stages) => {
                                let local = e.b.ins().isub(position, start);
                                stages.write(e, stages.last(), local);
                            }
                            None => e.block(&self.fold.map.body),
                        }
                        let mapped: Vec<Regs> = (0..operators.len())
                            .map(|k| {
                                let group = e.value(self.fold.map.results[k]);
                                e.parts(&group, self.types[k])
                            })
                            .collect();
                        self.accumulate(e, operators, into, &mapped);
                    };
                    let end = e.b.ins().iadd(start, points);
                    let vectors = e.b.ins().smin(end, whole);
                    if blocked {
                        e.counted(start, vectors, DEPTH * self.lanes, |e, first| {
                            let last = e.b.ins().iadd_imm_u(first, (DEPTH * self.lanes) as i64);
                            let last = e.b.ins().smin(last, vectors);
                            partial.set(e, &neutral);
                            e.counted(first, last, self.lanes, |e, position| extend(e, self.lanes, position, &partial));
                            e.lanes = self.lanes;
                            let parts = partial.regs(e);
                            self.accumulate(e, operators, &total, &parts);
                        });
                    } else {
                        e.counted(start, vectors, self.lanes, |e, position| extend(e, self.lanes, position, &total));
                    }
                    let rest = e.b.ins().smax(start, whole);
                    e.counted(rest, end, 1, |e, position| extend(e, 1, position, &single));
                };
                match &self.stages {
                    Some(stages) => {
                        place_fixed(e, &self.inner, &row_addresses, row_index);
                        stages.write_uniform(e, self.lanes, frame.length);
                        stages.each_strip(e, self.lanes, frame.length, &row_addresses, &place, &mut run);
                    }
                    None => run(e, zero, frame.length),
                }
            });
            self.collapse(e, operators, whole, &total, &single);
            e.lanes = 1;
            let groups = single.groups(e);
            self.store(e, &arrays, column, &groups);
        });
        e.finish();
    }

    /// `into = into op parts`, register by register.
    fn accumulate(&self, e: &mut Emitter<'_, '_>, operators: &[Binary], into: &Carried, parts: &[Regs]) {
        let before = into.regs(e);
        let mut after = vec![];
        for (k, &op) in operators.iter().enumerate() {
            let mut regs = Regs::new();
            for (&x, &y) in before[k].iter().zip(&parts[k]) {
                regs.push(self.apply(e, op, self.types[k], x, y));
            }
            after.push(regs);
        }
        into.set(e, &after);
    }

    fn apply(&self, e: &mut Emitter<'_, '_>, op: Binary, dtype: DType, x: Value, y: Value) -> Value {
        if e.lanes == 1 {
            return scalar::binary(&mut e.b, op, dtype, x, y);
        }
        simd::binary(&mut e.b, op, dtype, x, y, None).expect("commutative operators have a vector form")
    }

    /// Joins the lanes of `total` into `single`, unless no vector was ever used.
    fn collapse(&self, e: &mut Emitter<'_, '_>, operators: &[Binary], whole: Value, total: &Carried, single: &Carried) {
        let (some, after) = (e.b.create_block(), e.b.create_block());
        let used = e.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, whole, 0);
        e.b.ins().brif(used, some, &[], after, &[]);
        e.b.switch_to_block(some);
        let totals = total.regs(e);
        let mut joined = vec![];
        for (k, &op) in operators.iter().enumerate() {
            let dtype = self.types[k];
            let mut regs = totals[k].clone();
            e.lanes = self.lanes;
            while regs.len() > 1 {
                let pairs = regs.chunks(2);
                regs = pairs
                    .map(|pair| if let [x, y] = *pair { self.apply(e, op, dtype, x, y) } else { pair[0] })
                    .collect();
            }
            let per = 16 / dtype.size();
            let mut scalars: Regs =
                (0..per.min(self.lanes)).map(|lane| e.extract(&Group::Many(regs.clone()), dtype, lane)).collect();
            e.lanes = 1;
            while scalars.len() > 1 {
                let pairs = scalars.chunks(2);
                scalars = pairs.map(|pair| self.apply(e, op, dtype, pair[0], pair[1])).collect();
            }
            joined.push(scalars);
        }
        self.accumulate(e, operators, single, &joined);
        e.b.ins().jump(after, &[]);
        e.b.switch_to_block(after);
    }
}
