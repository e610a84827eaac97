//! Writes the statements of a kernel for a group of points.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{FuncRef, InstBuilder, StackSlot, StackSlotData, StackSlotKind, Value, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, Variable};
use cuproxide_hal::ir::{self, Atomic, Kernel, Lambda, Op, Stmt, Unary};
use cuproxide_hal::{DType, Fault, Scalar};

use super::convert;
use super::division;
use super::facts::is_straight;
use super::group::{Group, Regs, integer_vector, register_count, scalar_type, vector_type};
use super::host::POINTER;
use super::math::{self, Routine};
use super::place::Place;
use super::scalar::{self, memory};
use super::simd;
use super::{OPERANDS, Span};
use crate::atomics;

/// A position in the iteration space.
#[derive(Clone, Copy, Debug)]
pub enum Position {
    /// The same for all points of the group.
    Same(Value),
    /// This for the first point and one more for each further one.
    Counting(Value),
    /// The first value for the first point and the second one more for each further one.
    Stepping(Value, Value),
}

/// State while one function is written.
pub struct Emitter<'k, 'f> {
    /// The function.
    pub b: FunctionBuilder<'f>,
    /// The legalised kernel.
    pub kernel: &'k Kernel,
    /// Points that a group covers; 1 in scalar code.
    pub lanes: usize,
    /// Where the operands' elements are.
    pub places: Vec<Place>,
    /// Elements that were loaded before the loop.
    pub hoisted: Vec<[Option<Value>; 2]>,
    /// `Index`.
    pub index: Position,
    /// `OuterIndex`.
    pub outer_index: Position,
    /// One part of a complex element that waits to be stored with the other.
    pub waiting: Option<(usize, Regs)>,
    /// Address of the [`Span`].
    pub span: Value,
    /// Whether the function may return before its end, because the program is to stop.
    pub ends_early: bool,
    /// Whether no other thread runs such a kernel meanwhile, so that updates of memory are atomic anyway.
    pub alone: bool,
    /// Where scalar code notes that a demand of the kernel did not hold, whose faults are all this one: loops without
    /// branches have more loads under way.
    pub failed: Option<(Variable, Fault)>,
    /// Address of the memory for strips, where code has stages.
    pub scratch_memory: Value,
    pub(super) values: Vec<Option<Group>>,
    pub(super) addresses: Vec<Option<Value>>,
    pub(super) locals: Vec<Variable>,
    /// The registers of locals where loops run on several points at once.
    pub(super) vector_locals: Vec<Vec<Variable>>,
    pub(super) straight_locals: Vec<Option<Group>>,
    pub(super) straight: bool,
    pub(super) scalars: Vec<[Value; 2]>,
    /// Where the local arrays lie that have been used so far.
    pub(super) arrays: Vec<Option<StackSlot>>,
    /// The kernel's functions that this one may call.
    pub(super) callees: Vec<FuncRef>,
    pub(super) config: TargetFrontendConfig,
}

impl<'k, 'f> Emitter<'k, 'f> {
    /// Opens a function that takes a [`Span`].
    pub fn new(
        kernel: &'k Kernel,
        b: FunctionBuilder<'f>,
        config: TargetFrontendConfig,
        callees: Vec<FuncRef>,
    ) -> Emitter<'k, 'f> {
        let mut emitter = Emitter::open(kernel, b, config, callees, is_straight(kernel));
        let entry = emitter.b.current_block().expect("a function has an entry");
        emitter.span = emitter.b.block_params(entry)[0];
        emitter.load_scalars();
        emitter
    }

    /// Writes one of the kernel's own functions.
    pub fn write_callee(
        kernel: &'k Kernel,
        b: FunctionBuilder<'f>,
        config: TargetFrontendConfig,
        callees: Vec<FuncRef>,
        lambda: &Lambda,
    ) {
        let mut e = Emitter::open(kernel, b, config, callees, false);
        let entry = e.b.current_block().expect("a function has an entry");
        let arguments = e.b.block_params(entry).to_vec();
        for (&param, &argument) in lambda.params.iter().zip(&arguments) {
            e.bind(param, Group::One(argument));
        }
        e.block(&lambda.body);
        let results: Regs = lambda.results.iter().map(|&result| e.single(result)).collect();
        match results[..] {
            [one] => _ = e.b.ins().return_(&[one]),
            _ => {
                let target = *arguments.last().expect("the address of the results");
                for (position, &result) in results.iter().enumerate() {
                    e.b.ins().store(memory(), result, target, 8 * position as i32);
                }
                e.b.ins().return_(&[]);
            }
        }
        e.b.seal_all_blocks();
        e.b.finalize(config);
    }

    pub(super) fn open(
        kernel: &'k Kernel,
        mut b: FunctionBuilder<'f>,
        config: TargetFrontendConfig,
        callees: Vec<FuncRef>,
        straight: bool,
    ) -> Emitter<'k, 'f> {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let zero = b.ins().iconst(types::I64, 0);
        let locals = kernel.locals.iter().map(|&dtype| b.declare_var(scalar_type(dtype))).collect();
        let mut emitter = Emitter {
            b,
            kernel,
            lanes: 1,
            places: vec![Place::Fixed(zero); kernel.operands.len()],
            hoisted: vec![[None; 2]; kernel.operands.len()],
            index: Position::Same(zero),
            outer_index: Position::Same(zero),
            waiting: None,
            span: zero,
            ends_early: false,
            alone: false,
            failed: None,
            scratch_memory: zero,
            values: vec![None; kernel.values.len()],
            addresses: vec![None; kernel.values.len()],
            locals,
            vector_locals: vec![vec![]; kernel.locals.len()],
            straight_locals: vec![None; kernel.locals.len()],
            straight,
            scalars: vec![],
            arrays: vec![None; kernel.arrays.len()],
            callees,
            config,
        };
        for (position, &dtype) in kernel.locals.iter().enumerate() {
            let zero = emitter.zero(dtype);
            emitter.b.def_var(emitter.locals[position], zero);
        }
        emitter
    }

    /// Closes the function.
    pub fn finish(mut self) {
        self.report_failed();
        self.b.ins().return_(&[]);
        self.b.seal_all_blocks();
        self.b.finalize(self.config);
    }

    pub(super) fn load_scalars(&mut self) {
        let table = self.span_field(std::mem::offset_of!(Span, scalars));
        for (position, &dtype) in self.kernel.scalars.iter().enumerate() {
            let storage = dtype.storage();
            let at = position * size_of::<Scalar>() + std::mem::offset_of!(Scalar, bytes);
            let mut part = |part: usize| {
                let ty = scalar_type(storage);
                self.b.ins().load(ty, memory(), table, (at + part * storage.size()) as i32)
            };
            let first = part(0);
            let second = if dtype.is_complex() { part(1) } else { first };
            self.scalars.push([first, second]);
        }
    }

    /// Loads a word of the [`Span`].
    pub fn span_field(&mut self, offset: usize) -> Value {
        self.b.ins().load(types::I64, memory(), self.span, offset as i32)
    }

    /// The number of points along a level.
    pub fn count(&mut self, level: usize) -> Value {
        self.span_field(std::mem::offset_of!(Span, counts) + 8 * level)
    }

    /// The address of an operand's first element.
    pub fn pointer(&mut self, operand: usize) -> Value {
        self.span_field(std::mem::offset_of!(Span, pointers) + 8 * operand)
    }

    /// The byte stride of an operand along a level.
    pub fn stride(&mut self, level: usize, operand: usize) -> Value {
        self.span_field(std::mem::offset_of!(Span, strides) + 8 * (OPERANDS * level + operand))
    }

    /// The zero of a type.
    pub fn zero(&mut self, dtype: DType) -> Value {
        scalar::constant(&mut self.b, &ir::Literal { bytes: [0; 16], dtype })
    }

    /// A loop over `start..end` in steps; `body` gets the counter. `end - start` must be a multiple of `step`.
    pub fn counted(&mut self, start: Value, end: Value, step: usize, body: impl FnOnce(&mut Self, Value)) {
        let counter = self.b.declare_var(types::I64);
        let (inside, after) = (self.b.create_block(), self.b.create_block());
        self.b.def_var(counter, start);
        let any = self.b.ins().icmp(IntCC::SignedLessThan, start, end);
        self.b.ins().brif(any, inside, &[], after, &[]);
        self.b.switch_to_block(inside);
        let current = self.b.use_var(counter);
        body(self, current);
        let current = self.b.use_var(counter);
        let next = self.b.ins().iadd_imm_u(current, step as i64);
        self.b.def_var(counter, next);
        let more = self.b.ins().icmp(IntCC::SignedLessThan, next, end);
        self.b.ins().brif(more, inside, &[], after, &[]);
        self.b.switch_to_block(after);
    }

    /// The group that a parameter or binding holds.
    pub fn value(&self, value: ir::Value) -> Group {
        self.values[value.0 as usize].clone().expect("values are bound before use")
    }

    /// Binds a value, for parameters of lambdas.
    pub fn bind(&mut self, value: ir::Value, group: Group) {
        self.values[value.0 as usize] = Some(group);
        self.addresses[value.0 as usize] = None;
    }

    /// Writes statements.
    pub fn block(&mut self, block: &[Stmt]) {
        for statement in block {
            self.statement(statement);
        }
    }

    pub(super) fn offset(&self, offset: Option<ir::Value>) -> Option<Group> {
        offset.map(|value| self.value(value))
    }

    pub(super) fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Let(value, op) => {
                let group = self.op(*value, op);
                self.values[value.0 as usize] = Some(group);
            }
            Stmt::Set(local, value) => {
                let group = self.value(*value);
                if self.lanes > 1 && !self.straight {
                    return self.set_vector(*local, &group);
                }
                match group {
                    Group::One(scalar) if !self.straight => self.b.def_var(self.locals[local.0 as usize], scalar),
                    group => self.straight_locals[local.0 as usize] = Some(group),
                }
            }
            Stmt::Fill(array, value) => {
                let ir::ArrayDecl { dtype, length } = self.kernel.arrays[array.0 as usize];
                let (slot, value) = (self.array(*array), self.single(*value));
                self.fill(slot, dtype, length, value);
            }
            Stmt::Put { array, index, value } => {
                let (address, offset) = self.element(*array, *index);
                let value = self.single(*value);
                self.b.ins().store(memory(), value, address, offset);
            }
            Stmt::Call { callee, arguments, results } => self.call(*callee, arguments, results),
            Stmt::Store { operand, offset, lane, value } => {
                // A later call must not read the overwritten element through its address.
                self.addresses.iter_mut().for_each(|address| *address = None);
                let (offset, value) = (self.offset(*offset), self.value(*value));
                self.store((*operand).into(), offset, (*lane).into(), value);
            }
            Stmt::Atomic { operand, offset, lane, op, value } => {
                let dtype = self.kernel.operands[*operand as usize].dtype;
                let offset = self.offset(*offset);
                let address = self.address((*operand).into(), offset, (*lane).into());
                let value = self.value(*value);
                let value = self.extract(&value, dtype.real(), 0);
                if self.alone && dtype.storage() == dtype.real() {
                    self.update(*op, dtype.real(), address, value);
                } else {
                    scalar::call(&mut self.b, atomics::routine(*op, dtype), &[address, value], None);
                }
            }
            Stmt::If { cond, then, otherwise } => self.branch(*cond, then, otherwise),
            Stmt::While { head, cond, body } if self.lanes > 1 => self.rounds(head, *cond, body),
            Stmt::While { head, cond, body } => self.repeat(head, *cond, body),
            Stmt::Require(cond, fault) => self.require(*cond, *fault),
        }
    }

    /// The stack slot of an array.
    pub(super) fn array(&mut self, array: ir::Array) -> StackSlot {
        if let Some(slot) = self.arrays[array.0 as usize] {
            return slot;
        }
        let ir::ArrayDecl { dtype, length } = self.kernel.arrays[array.0 as usize];
        // Whole registers, so that filling needs no remainder.
        let bytes = (dtype.size() * length).next_multiple_of(16) as u32;
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 4));
        self.arrays[array.0 as usize] = Some(slot);
        slot
    }

    pub(super) fn fill(&mut self, slot: StackSlot, dtype: DType, length: usize, value: Value) {
        /// Registers that are stored one by one; more are stored in a loop.
        const UNROLLED: usize = 16;
        let register = self.b.ins().splat(vector_type(dtype), value);
        let start = self.b.ins().stack_addr(POINTER, slot, 0);
        let registers = register_count(length, dtype.size());
        if registers <= UNROLLED {
            for number in 0..registers {
                self.b.ins().store(memory(), register, start, 16 * number as i32);
            }
            return;
        }
        let zero = self.b.ins().iconst(types::I64, 0);
        let end = self.b.ins().iconst(types::I64, 16 * registers as i64);
        self.counted(zero, end, 16, |e, bytes| {
            let address = e.b.ins().iadd(start, bytes);
            e.b.ins().store(memory(), register, address, 0);
        });
    }

    /// Where an element of an array lies: an index outside means the nearest element.
    pub(super) fn element(&mut self, array: ir::Array, index: ir::Value) -> (Value, i32) {
        let slot = self.array(array);
        let ir::ArrayDecl { dtype, length } = self.kernel.arrays[array.0 as usize];
        let start = self.b.ins().stack_addr(POINTER, slot, 0);
        let mut at = self.single(index);
        if self.kernel.dtype(index) == DType::I32 {
            at = self.b.ins().sextend(types::I64, at);
        }
        let zero = self.b.ins().iconst(types::I64, 0);
        let last = self.b.ins().iconst(types::I64, length as i64 - 1);
        let at = self.b.ins().smax(at, zero);
        let at = self.b.ins().smin(at, last);
        let bytes = self.b.ins().ishl_imm_u(at, i64::from(dtype.size().trailing_zeros()));
        (self.b.ins().iadd(start, bytes), 0)
    }

    /// Calls one of the kernel's functions, for one point after the other.
    pub(super) fn call(&mut self, callee: ir::Callee, arguments: &[ir::Value], results: &[ir::Value]) {
        let groups: Vec<Group> = arguments.iter().map(|&argument| self.value(argument)).collect();
        let uniform = groups.iter().all(|group| matches!(group, Group::One(_)));
        let lanes = if uniform { 1 } else { self.lanes };
        let mut found: Vec<Regs> = vec![];
        for lane in 0..lanes {
            let mut parameters: Regs = arguments
                .iter()
                .zip(&groups)
                .map(|(&argument, group)| self.extract(group, self.kernel.dtype(argument), lane))
                .collect();
            let callee = self.callees[usize::from(callee.0)];
            if let [_] = results {
                let call = self.b.ins().call(callee, &parameters);
                found.push(Regs::from_slice(self.b.inst_results(call)));
                continue;
            }
            let target = self.scratch(8 * results.len());
            parameters.push(target);
            self.b.ins().call(callee, &parameters);
            let load = |(position, &result): (usize, &ir::Value)| {
                let ty = scalar_type(self.kernel.dtype(result));
                self.b.ins().load(ty, memory(), target, 8 * position as i32)
            };
            found.push(results.iter().enumerate().map(load).collect());
        }
        for (position, &result) in results.iter().enumerate() {
            let group = match lanes {
                1 => Group::One(found[0][position]),
                lanes => self.assemble(self.kernel.dtype(result), lanes, |_, lane| found[lane][position]),
            };
            self.bind(result, group);
        }
    }

    /// Combines with memory that no other thread changes meanwhile.
    pub(super) fn update(&mut self, op: Atomic, dtype: DType, address: Value, value: Value) {
        let old = self.b.ins().load(scalar_type(dtype), memory(), address, 0);
        let op = match op {
            Atomic::Add => ir::Binary::Add,
            Atomic::Min => ir::Binary::Min,
            Atomic::Max => ir::Binary::Max,
        };
        let new = scalar::binary(&mut self.b, op, dtype, old, value);
        self.b.ins().store(memory(), new, address, 0);
    }

    /// The value of code for single points.
    pub fn single(&self, value: ir::Value) -> Value {
        match self.value(value) {
            Group::One(value) => value,
            Group::Many(_) => unreachable!("branches, arrays and functions are written for single points"),
        }
    }

    pub(super) fn position(&mut self, position: Position) -> Group {
        match position {
            Position::Same(value) => Group::One(value),
            Position::Counting(value) | Position::Stepping(value, _) if self.lanes == 1 => Group::One(value),
            Position::Stepping(first, step) => self.assemble(DType::I64, self.lanes, |e, lane| {
                let distance = e.b.ins().imul_imm_s(step, lane as i64);
                e.b.ins().iadd(first, distance)
            }),
            Position::Counting(first) => {
                let start = self.b.ins().splat(types::I64X2, first);
                let reg = |reg: usize| {
                    let mut bytes = [0; 16];
                    bytes[..8].copy_from_slice(&(2 * reg as u64).to_le_bytes());
                    bytes[8..].copy_from_slice(&(2 * reg as u64 + 1).to_le_bytes());
                    let steps = simd::constant(&mut self.b, types::I64X2, bytes);
                    self.b.ins().iadd(start, steps)
                };
                Group::Many((0..register_count(self.lanes, 8)).map(reg).collect())
            }
        }
    }

    pub(super) fn op(&mut self, value: ir::Value, op: &Op) -> Group {
        let dtype = self.kernel.dtype(value);
        match *op {
            Op::Const(literal) => Group::One(scalar::constant(&mut self.b, &literal)),
            Op::Scalar { index, lane } => Group::One(self.scalars[index as usize][lane as usize]),
            Op::Index => self.position(self.index),
            Op::OuterIndex => self.position(self.outer_index),
            Op::Load { operand, offset, lane } => {
                let operand = operand as usize;
                self.addresses[value.0 as usize] = match (offset, self.places[operand]) {
                    (None, Place::Unit(base)) if self.kernel.operands[operand].dtype == dtype => Some(base),
                    _ => None,
                };
                let offset = self.offset(offset);
                self.load(operand, offset, lane.into())
            }
            Op::Unary(op, a) => self.unary(op, a),
            Op::Binary(op, x, y) => {
                let operand = self.kernel.dtype(x);
                let groups = [self.value(x), self.value(y)];
                if let [Group::One(x), Group::One(y)] = groups {
                    return Group::One(scalar::binary(&mut self.b, op, operand, x, y));
                }
                if let Some(Routine::Strip(routine)) = math::binary(op, operand) {
                    return Group::Many(self.strip(routine, operand, &[x, y]));
                }
                self.binary(op, operand, &groups[0], &groups[1])
            }
            Op::Compare(op, x, y) => {
                let operand = self.kernel.dtype(x);
                let groups = [self.value(x), self.value(y)];
                if let [Group::One(x), Group::One(y)] = groups {
                    return Group::One(scalar::compare(&mut self.b, op, operand, x, y));
                }
                let [x, y] = groups.map(|group| self.registers(&group, operand));
                let test = |(&x, &y)| simd::compare(&mut self.b, op, operand, x, y);
                Group::Many(x.iter().zip(&y).map(test).collect())
            }
            Op::Select(cond, yes, no) => {
                let (cond, yes, no) = (self.value(cond), self.value(yes), self.value(no));
                self.select(dtype, &cond, &yes, &no)
            }
            Op::Fma(x, y, z) => {
                let groups = [self.value(x), self.value(y), self.value(z)];
                if let [Group::One(x), Group::One(y), Group::One(z)] = groups {
                    return Group::One(self.b.ins().fma(x, y, z));
                }
                let [x, y, z] = groups.map(|group| self.registers(&group, dtype));
                Group::Many((0..x.len()).map(|reg| self.b.ins().fma(x[reg], y[reg], z[reg])).collect())
            }
            Op::Cast(a) => {
                let from = self.kernel.dtype(a);
                match self.value(a) {
                    Group::One(value) => Group::One(scalar::cast(&mut self.b, from, dtype, value)),
                    Group::Many(regs) => match convert::cast(&mut self.b, &regs, self.lanes, from, dtype) {
                        Some(regs) => Group::Many(regs),
                        None => self.each_lane(&[(Group::Many(regs), from)], dtype, |e, lane| {
                            scalar::cast(&mut e.b, from, dtype, lane[0])
                        }),
                    },
                }
            }
            Op::Bitcast(a) => match self.value(a) {
                Group::One(value) => Group::One(scalar::bitcast(&mut self.b, dtype, value)),
                Group::Many(regs) => {
                    Group::Many(regs.iter().map(|&reg| simd::recast(&mut self.b, vector_type(dtype), reg)).collect())
                }
            },
            Op::Get(local) => match &self.straight_locals[local.0 as usize] {
                Some(group) if self.straight => group.clone(),
                _ if self.lanes > 1 => {
                    Group::Many(self.vector_locals[local.0 as usize].iter().map(|&reg| self.b.use_var(reg)).collect())
                }
                _ => Group::One(self.b.use_var(self.locals[local.0 as usize])),
            },
            Op::Element(array, index) => {
                let (address, offset) = self.element(array, index);
                Group::One(self.b.ins().load(scalar_type(dtype), memory(), address, offset))
            }
            Op::Complex(..) => unreachable!("complex numbers are legalised"),
        }
    }

    pub(super) fn unary(&mut self, op: Unary, operand: ir::Value) -> Group {
        let dtype = self.kernel.dtype(operand);
        let regs = match self.value(operand) {
            Group::One(value) => return Group::One(scalar::unary(&mut self.b, op, dtype, value)),
            Group::Many(regs) => regs,
        };
        if let Some(Routine::Strip(routine)) = math::unary(op, dtype) {
            return Group::Many(self.strip(routine, dtype, &[operand]));
        }
        let simple: Option<Regs> = regs.iter().map(|&reg| simd::unary(&mut self.b, op, dtype, reg)).collect();
        match simple {
            Some(regs) => Group::Many(regs),
            None => self
                .each_lane(&[(Group::Many(regs), dtype)], dtype, |e, lane| scalar::unary(&mut e.b, op, dtype, lane[0])),
        }
    }

    /// Calls a strip routine on all lanes.
    pub(super) fn strip(&mut self, routine: usize, dtype: DType, operands: &[ir::Value]) -> Regs {
        let bytes = self.lanes * dtype.size();
        let mut arguments = Regs::new();
        for operand in operands {
            let input = self.addresses[operand.0 as usize].unwrap_or_else(|| {
                let group = self.value(*operand);
                let slot = self.scratch(bytes);
                for (position, reg) in self.registers(&group, dtype).into_iter().enumerate() {
                    self.b.ins().store(memory(), reg, slot, 16 * position as i32);
                }
                slot
            });
            arguments.push(input);
        }
        let output = self.scratch(bytes);
        let count = self.b.ins().iconst(types::I64, self.lanes as i64);
        arguments.extend([output, count]);
        scalar::call(&mut self.b, routine, &arguments, None);
        let ty = vector_type(dtype);
        (0..register_count(self.lanes, dtype.size()))
            .map(|position| self.b.ins().load(ty, memory(), output, 16 * position as i32))
            .collect()
    }

    /// Applies a binary operator to two groups of which one may be uniform.
    pub fn binary(&mut self, op: ir::Binary, dtype: DType, x: &Group, y: &Group) -> Group {
        let count = match *y {
            Group::One(count) => Some(count),
            Group::Many(_) => None,
        };
        if math::binary(op, dtype).is_none() {
            let (a, c) = (self.registers(x, dtype), self.registers(y, dtype));
            let (a, c) = if dtype == DType::Bool { self.same_masks(a, c) } else { (a, c) };
            let apply = |(&a, &c)| simd::binary(&mut self.b, op, dtype, a, c, count);
            let simple: Option<Regs> = a.iter().zip(&c).map(apply).collect();
            if let Some(regs) = simple.or_else(|| division::divide(&mut self.b, op, dtype, self.lanes, &a, &c)) {
                return Group::Many(regs);
            }
        }
        self.each_lane(&[(x.clone(), dtype), (y.clone(), dtype)], dtype, |e, lane| {
            scalar::binary(&mut e.b, op, dtype, lane[0], lane[1])
        })
    }

    pub(super) fn same_masks(&mut self, x: Regs, y: Regs) -> (Regs, Regs) {
        let width = convert::mask_width(&self.b, &x).min(convert::mask_width(&self.b, &y));
        (convert::mask_to(&mut self.b, &x, self.lanes, width), convert::mask_to(&mut self.b, &y, self.lanes, width))
    }

    pub(super) fn select(&mut self, dtype: DType, cond: &Group, yes: &Group, no: &Group) -> Group {
        match (cond, yes, no) {
            (&Group::One(cond), &Group::One(yes), &Group::One(no)) => {
                return Group::One(self.b.ins().select(cond, yes, no));
            }
            (&Group::One(cond), ..) => {
                let (yes, no) = (self.registers(yes, dtype), self.registers(no, dtype));
                let (yes, no) = if dtype == DType::Bool { self.same_masks(yes, no) } else { (yes, no) };
                return Group::Many(
                    yes.iter().zip(&no).map(|(&yes, &no)| self.b.ins().select(cond, yes, no)).collect(),
                );
            }
            _ => {}
        }
        let Group::Many(mask) = cond else { unreachable!("a uniform condition was handled") };
        let (yes, no) = (self.registers(yes, dtype), self.registers(no, dtype));
        let (yes, no) = if dtype == DType::Bool { self.same_masks(yes, no) } else { (yes, no) };
        let ty = self.b.func.dfg.value_type(yes[0]);
        let mask = convert::mask_to(&mut self.b, mask, self.lanes, ty.lane_type().bytes() as usize);
        Group::Many((0..mask.len()).map(|reg| simd::blend(&mut self.b, ty, mask[reg], yes[reg], no[reg])).collect())
    }

    /// The group in registers; a bool becomes a mask.
    pub fn registers(&mut self, group: &Group, dtype: DType) -> Regs {
        match *group {
            Group::Many(ref regs) => regs.clone(),
            Group::One(value) if dtype == DType::Bool => {
                let all = self.b.ins().ineg(value);
                let reg = self.b.ins().splat(types::I8X16, all);
                Regs::from_elem(reg, register_count(self.lanes, 1))
            }
            Group::One(value) => {
                let reg = self.b.ins().splat(vector_type(dtype), value);
                Regs::from_elem(reg, register_count(self.lanes, dtype.size()))
            }
        }
    }

    /// The scalar in one lane; a bool is 0 or 1.
    pub fn extract(&mut self, group: &Group, dtype: DType, lane: usize) -> Value {
        match group {
            Group::One(value) => *value,
            Group::Many(regs) => {
                let width = self.b.func.dfg.value_type(regs[0]).lane_type().bytes() as usize;
                let per = 16 / width;
                let element = self.b.ins().extractlane(regs[lane / per], (lane % per) as u8);
                if dtype == DType::Bool { self.b.ins().icmp_imm_u(IntCC::NotEqual, element, 0) } else { element }
            }
        }
    }

    /// Registers filled lane by lane.
    pub fn assemble(&mut self, dtype: DType, lanes: usize, mut lane: impl FnMut(&mut Self, usize) -> Value) -> Group {
        let ty = if dtype == DType::Bool { integer_vector(1) } else { vector_type(dtype) };
        let per = ty.lane_count() as usize;
        let mut regs = Regs::new();
        for first in (0..lanes).step_by(per) {
            let value = lane(self, first);
            let narrow = ty.lane_bits() < 32;
            let mut reg = if narrow { self.b.ins().splat(ty, value) } else { self.b.ins().scalar_to_vector(ty, value) };
            for position in 1..per.min(lanes - first) {
                let value = lane(self, first + position);
                reg = self.b.ins().insertlane(reg, value, position as u8);
            }
            regs.push(if dtype == DType::Bool { self.b.ins().ineg(reg) } else { reg });
        }
        Group::Many(regs)
    }

    /// Applies a scalar operation lane by lane.
    pub(super) fn each_lane(
        &mut self,
        groups: &[(Group, DType)],
        result: DType,
        mut apply: impl FnMut(&mut Self, &[Value]) -> Value,
    ) -> Group {
        self.assemble(result, self.lanes, |e, lane| {
            let scalars: Regs = groups.iter().map(|(group, dtype)| e.extract(group, *dtype, lane)).collect();
            apply(e, &scalars)
        })
    }
}
