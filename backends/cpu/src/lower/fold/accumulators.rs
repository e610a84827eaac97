//! What folds of every layout use: where elements lie, and accumulators in memory and in variables.

use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Variable;
use cuproxide_hal::DType;

use super::plan::Plan;
use crate::lower::Span;
use crate::lower::emit::{Emitter, Position};
use crate::lower::group::{Group, Regs, register_count, scalar_type, vector_type};
use crate::lower::map::strides;
use crate::lower::place::Stride;
use crate::lower::scalar::memory;
use crate::lower::{convert, simd};

impl Plan<'_> {
    /// The arrays of accumulators that a field of the span points to.
    pub(super) fn arrays(&self, e: &mut Emitter<'_, '_>, field: usize) -> Vec<Value> {
        let base = e.span_field(field);
        let capacity = e.span_field(std::mem::offset_of!(Span, capacity));
        let mut before = 0;
        let mut arrays = vec![];
        for dtype in &self.types {
            let distance = e.b.ins().imul_imm_s(capacity, before);
            arrays.push(e.b.ins().iadd(base, distance));
            before += dtype.size() as i64;
        }
        arrays
    }

    pub(super) fn load(&self, e: &mut Emitter<'_, '_>, arrays: &[Value], column: Value) -> Vec<Group> {
        let mut groups = vec![];
        for (&array, &dtype) in arrays.iter().zip(&self.types) {
            let distance = e.b.ins().imul_imm_s(column, dtype.size() as i64);
            let address = e.b.ins().iadd(array, distance);
            groups.push(if e.lanes == 1 {
                Group::One(e.b.ins().load(scalar_type(dtype), memory(), address, 0))
            } else {
                let regs = e.load_plain(address, dtype.storage());
                Group::Many(if dtype == DType::Bool { convert::truth(&mut e.b, &regs, DType::U8) } else { regs })
            });
        }
        groups
    }

    pub(super) fn store(&self, e: &mut Emitter<'_, '_>, arrays: &[Value], column: Value, groups: &[Group]) {
        for ((&array, &dtype), group) in arrays.iter().zip(&self.types).zip(groups) {
            let distance = e.b.ins().imul_imm_s(column, dtype.size() as i64);
            let address = e.b.ins().iadd(array, distance);
            if e.lanes == 1 {
                let value = e.extract(group, dtype, 0);
                e.b.ins().store(memory(), value, address, 0);
                continue;
            }
            let mut regs = e.registers(group, dtype);
            if dtype == DType::Bool {
                regs = convert::cast(&mut e.b, &regs, e.lanes, DType::Bool, DType::U8).expect("masks become bytes");
            }
            e.store_plain(address, dtype.storage(), &regs);
        }
    }

    pub(super) fn identity(&self, e: &mut Emitter<'_, '_>) -> Vec<Group> {
        e.block(&self.fold.identity.body);
        self.fold.identity.results.iter().map(|&value| e.value(value)).collect()
    }

    pub(super) fn combine(&self, e: &mut Emitter<'_, '_>, earlier: &[Group], later: &[Group]) -> Vec<Group> {
        let combine = &self.fold.combine;
        for (&param, group) in combine.params.iter().zip(earlier.iter().chain(later)) {
            e.bind(param, group.clone());
        }
        e.block(&combine.body);
        combine.results.iter().map(|&value| e.value(value)).collect()
    }

    /// Extends carried accumulators by later ones.
    pub(super) fn join(&self, e: &mut Emitter<'_, '_>, into: &Carried, later: &[Group]) {
        let before = into.groups(e);
        let joined = self.combine(e, &before, later);
        let joined: Vec<Regs> = joined.iter().zip(&self.types).map(|(g, &dtype)| e.parts(g, dtype)).collect();
        into.set(e, &joined);
    }
}

/// Values that a fold needs from its span.
pub(super) struct Frame {
    pub pointers: Vec<Value>,
    pub outer: Vec<Stride>,
    pub inner: Vec<Stride>,
    pub slow: Vec<Value>,
    pub length: Value,
    pub rows: Value,
    pub index: Value,
    pub index_step: Value,
    pub outer_index: Value,
}

pub(super) fn displaced(e: &mut Emitter<'_, '_>, base: Value, stride: Stride, distance: Value) -> Value {
    let bytes = match stride {
        Stride::None => return base,
        Stride::Elements(size) => e.b.ins().ishl_imm_u(distance, i64::from(size.trailing_zeros())),
        Stride::Bytes(stride) => e.b.ins().imul(distance, stride),
    };
    e.b.ins().iadd(base, bytes)
}

impl Frame {
    pub fn new(e: &mut Emitter<'_, '_>, plan: &Plan<'_>) -> Frame {
        let operands = plan.outer.len();
        Frame {
            pointers: (0..operands).map(|operand| e.pointer(operand)).collect(),
            outer: strides(e, &plan.outer, 0),
            inner: strides(e, &plan.inner, 1),
            slow: (0..operands).map(|operand| e.stride(2, operand)).collect(),
            length: e.count(1),
            rows: e.count(2),
            index: e.span_field(std::mem::offset_of!(Span, index)),
            index_step: e.span_field(std::mem::offset_of!(Span, index_step)),
            outer_index: e.span_field(std::mem::offset_of!(Span, outer_index)),
        }
    }

    pub fn outer_position(&self, e: &mut Emitter<'_, '_>, column: Value) {
        e.outer_index = Position::Counting(e.b.ins().iadd(self.outer_index, column));
    }

    pub fn column_addresses(&self, e: &mut Emitter<'_, '_>, column: Value) -> Vec<Value> {
        self.pointers.iter().zip(&self.outer).map(|(&base, &stride)| displaced(e, base, stride, column)).collect()
    }

    pub fn row(&self, e: &mut Emitter<'_, '_>, addresses: &[Value], row: Value) -> (Vec<Value>, Value) {
        let slow = addresses.iter().zip(&self.slow);
        let addresses = slow.map(|(&base, &stride)| displaced(e, base, Stride::Bytes(stride), row)).collect();
        let distance = e.b.ins().imul(row, self.index_step);
        (addresses, e.b.ins().iadd(self.index, distance))
    }
}

/// Accumulators that a loop carries in variables.
pub(super) struct Carried {
    variables: Vec<Vec<Variable>>,
    single: bool,
}

impl Carried {
    pub fn new(e: &mut Emitter<'_, '_>, start: &[Regs]) -> Carried {
        let mut variables = vec![];
        for regs in start {
            let mut row = vec![];
            for &reg in regs {
                let variable = e.b.declare_var(e.b.func.dfg.value_type(reg));
                e.b.def_var(variable, reg);
                row.push(variable);
            }
            variables.push(row);
        }
        Carried { variables, single: e.lanes == 1 }
    }

    pub fn set(&self, e: &mut Emitter<'_, '_>, values: &[Regs]) {
        for (row, regs) in self.variables.iter().zip(values) {
            for (&variable, &reg) in row.iter().zip(regs) {
                e.b.def_var(variable, reg);
            }
        }
    }

    pub fn regs(&self, e: &mut Emitter<'_, '_>) -> Vec<Regs> {
        self.variables.iter().map(|row| row.iter().map(|&variable| e.b.use_var(variable)).collect()).collect()
    }

    pub fn groups(&self, e: &mut Emitter<'_, '_>) -> Vec<Group> {
        let regs = self.regs(e);
        regs.into_iter().map(|regs| if self.single { Group::One(regs[0]) } else { Group::Many(regs) }).collect()
    }
}

impl Emitter<'_, '_> {
    /// The machine values of a group in a fixed form: a mask has byte lanes.
    pub(in crate::lower) fn parts(&mut self, group: &Group, dtype: DType) -> Regs {
        if self.lanes == 1 {
            return Regs::from_elem(self.extract(group, dtype, 0), 1);
        }
        let regs = self.registers(group, dtype);
        if dtype == DType::Bool { convert::mask_to(&mut self.b, &regs, self.lanes, 1) } else { regs }
    }

    /// Loads contiguous plain values.
    pub(in crate::lower) fn load_plain(&mut self, address: Value, dtype: DType) -> Regs {
        let ty = vector_type(dtype);
        if self.lanes * dtype.size() < 16 {
            let bits = self.b.ins().load(types::I64, memory(), address, 0);
            let reg = self.b.ins().scalar_to_vector(types::I64X2, bits);
            return Regs::from_elem(simd::recast(&mut self.b, ty, reg), 1);
        }
        let count = register_count(self.lanes, dtype.size()) as i32;
        (0..count).map(|position| self.b.ins().load(ty, memory(), address, 16 * position)).collect()
    }

    /// Stores contiguous plain values.
    pub(in crate::lower) fn store_plain(&mut self, address: Value, dtype: DType, regs: &Regs) {
        if self.lanes * dtype.size() < 16 {
            let reg = simd::recast(&mut self.b, types::I64X2, regs[0]);
            let bits = self.b.ins().extractlane(reg, 0);
            self.b.ins().store(memory(), bits, address, 0);
            return;
        }
        for (position, &reg) in regs.iter().enumerate() {
            self.b.ins().store(memory(), reg, address, 16 * position as i32);
        }
    }
}
