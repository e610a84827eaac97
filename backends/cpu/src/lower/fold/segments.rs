//! Folds of ranges: functions that find the ranges, and that fold short ones one after another.

use cranelift_codegen::ir::{InstBuilder, types};
use cuproxide_hal::ir::{Body, Kernel, Lambda};
use cuproxide_hal::{Access, Result, Specialization};

use super::accumulators::{Carried, Frame, displaced};
use super::plan::{FoldCode, Plan};
use crate::lower::emit::{Emitter, Position};
use crate::lower::group::{Group, Regs};
use crate::lower::jit::Compiler;
use crate::lower::scalar::memory;
use crate::lower::{Entry, Span};

/// The compiled parts of a kernel of segments.
pub struct SegmentsCode {
    /// Folds a part of one range, for neighbouring outer points that share it.
    pub fold: FoldCode,
    /// Whether neighbours along the fastest outer dimension have ranges of their own.
    pub varying: bool,
}

impl SegmentsCode {
    /// Writes the ranges of neighbouring outer points to `bounds`.
    pub fn ranges(&self) -> Entry {
        self.fold.code.entry(4)
    }

    /// Folds the ranges in `bounds` of neighbouring outer points, each from its first element to its last.
    pub fn short(&self) -> Entry {
        self.fold.code.entry(5)
    }
}

/// Compiles a legalised kernel of segments.
pub fn compile_segments(kernel: &Kernel, specialization: Specialization) -> Result<SegmentsCode> {
    let Body::Segments(segments) = &kernel.body else { unreachable!("the kernel has segments") };
    let varying = segments.varies(&|operand| specialization.outer_access(operand) != Access::Broadcast);
    let mut plan = Plan::new(kernel, &segments.fold, specialization, false, Some(varying));
    plan.range = Some(&segments.range);
    let mut compiler = Compiler::new(kernel)?;
    compiler.scratch = plan.stages.as_ref().map_or(0, |stages| stages.bytes);
    plan.write_parts_of_reduction(&mut compiler)?;
    compiler.function(|e| plan.write_ranges(e, &segments.range))?;
    if varying {
        compiler.function(|e| plan.write_short(e))?;
    }
    Ok(SegmentsCode { fold: plan.code(compiler.finish()?, None), varying })
}

impl Plan<'_> {
    /// Binds the bounds of a range, which lie at an address.
    fn bind_range_at(&self, e: &mut Emitter<'_, '_>, range: &Lambda, address: cranelift_codegen::ir::Value) {
        for (position, &bound) in range.results.iter().enumerate() {
            let value = e.b.ins().load(types::I64, memory(), address, 8 * position as i32);
            e.bind(bound, Group::One(value));
        }
    }

    /// Binds the bounds of the range that the span is about, if it is about one.
    pub(super) fn bind_range(&self, e: &mut Emitter<'_, '_>) {
        if let Some(range) = self.range {
            let bounds = e.span_field(std::mem::offset_of!(Span, bounds));
            self.bind_range_at(e, range, bounds);
        }
    }

    fn write_ranges(&self, mut e: Emitter<'_, '_>, range: &Lambda) {
        let frame = Frame::new(&mut e, self);
        let bounds = e.span_field(std::mem::offset_of!(Span, bounds));
        let count = e.count(0);
        let zero = e.b.ins().iconst(types::I64, 0);
        e.counted(zero, count, 1, |e, column| {
            e.lanes = 1;
            frame.outer_position(e, column);
            e.index = Position::Same(zero);
            let addresses = frame.column_addresses(e, column);
            self.place_columns(e, &addresses, &frame.outer);
            e.block(&range.body);
            let [begin, end] = [0, 1].map(|bound| e.single(range.results[bound]));
            let begin = e.b.ins().smax(begin, zero);
            let begin = e.b.ins().smin(begin, frame.length);
            let end = e.b.ins().smax(end, begin);
            let end = e.b.ins().smin(end, frame.length);
            let bytes = e.b.ins().ishl_imm_u(column, 4);
            let target = e.b.ins().iadd(bounds, bytes);
            e.b.ins().store(memory(), begin, target, 0);
            e.b.ins().store(memory(), end, target, 8);
        });
        e.finish();
    }

    fn write_short(&self, mut e: Emitter<'_, '_>) {
        let range = self.range.expect("the kernel has segments");
        let frame = Frame::new(&mut e, self);
        let bounds = e.span_field(std::mem::offset_of!(Span, bounds));
        let count = e.count(0);
        let zero = e.b.ins().iconst(types::I64, 0);
        e.counted(zero, count, 1, |e, column| {
            e.lanes = 1;
            frame.outer_position(e, column);
            let bytes = e.b.ins().ishl_imm_u(column, 4);
            let address = e.b.ins().iadd(bounds, bytes);
            self.bind_range_at(e, range, address);
            let [begin, end] = [0, 1].map(|bound| e.single(range.results[bound]));
            let addresses = frame.column_addresses(e, column);
            let start = self.identity(e);
            let start: Vec<Regs> = start.iter().zip(&self.types).map(|(g, &dtype)| e.parts(g, dtype)).collect();
            let carried = Carried::new(e, &start);
            e.counted(begin, end, 1, |e, position| {
                let here: Vec<_> = addresses
                    .iter()
                    .zip(&frame.inner)
                    .map(|(&base, &stride)| displaced(e, base, stride, position))
                    .collect();
                self.place_columns(e, &here, &frame.outer);
                e.index = Position::Same(position);
                e.block(&self.fold.map.body);
                let mapped: Vec<Group> = self.fold.map.results.iter().map(|&value| e.value(value)).collect();
                self.join(e, &carried, &mapped);
            });
            self.place_columns(e, &addresses, &frame.outer);
            e.index = Position::Same(zero);
            let groups = carried.groups(e);
            self.finish(e, &groups);
        });
        e.finish();
    }
}
