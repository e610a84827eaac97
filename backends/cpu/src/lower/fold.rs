//! Reductions and scans: functions that start, extend, join and finish accumulators.
//!
//! Accumulators live in memory between calls, one column for each outer point. A fold extends a block of columns by a
//! rectangle of the inner space. Where neighbouring outer points are neighbours in memory, vectors run over columns and
//! the order of the fold is kept; where the inner space is contiguous and every accumulator is combined by a
//! commutative operator, vectors run along it.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Variable;
use cuproxide_hal::ir::{self, Binary, Body, Fold, Kernel, Op, Stmt};
use cuproxide_hal::{Access, DType, Result, Specialization};

use super::Span;
use super::addressing::{Place, Stride};
use super::convert;
use super::emit::{Emitter, Position, group_size, is_straight};
use super::extrema;
use super::group::{Group, Regs, integer_vector, register_count, scalar_type, vector_type};
use super::jit::{Code, Compiler};
use super::map::strides;
use super::scalar::{self, memory};
use super::stages::{Stages, place_fixed, scratch_memory};
use super::{Entry, simd};

/// Vector additions that one partial sum takes before it moves to a total: it bounds the rounding error.
const DEPTH: usize = 16;

/// Which dimension vectors run along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The fastest inner dimension: partial results in lanes, regrouped.
    Lanes,
    /// The fastest outer dimension: neighbouring accumulators.
    Columns,
    /// The fastest inner dimension, for folds that pick one element and tell its position.
    Picks,
    /// The fastest inner dimension, cut into as many parts as there are lanes: the order is kept.
    Parts,
    /// None: one point after the other.
    Points,
}

/// The compiled parts of a reduction or scan.
pub struct FoldCode {
    code: Code,
    /// A loop that takes the place of the compiled fold.
    ready: Option<Entry>,
    /// How the fold is laid out.
    pub layout: Layout,
    /// Storage size of each accumulator.
    pub sizes: Vec<usize>,
}

impl FoldCode {
    /// Bytes of scratch memory that `fold` needs.
    pub fn scratch(&self) -> usize {
        self.code.scratch
    }

    /// Sets accumulators to the identity.
    pub fn init(&self) -> Entry {
        self.code.entry(0)
    }

    /// Extends accumulators by a rectangle of the inner space.
    pub fn fold(&self) -> Entry {
        self.ready.unwrap_or_else(|| self.code.entry(1))
    }

    /// Combines `accumulators` with the later `others`.
    pub fn merge(&self) -> Entry {
        self.code.entry(2)
    }

    /// Stores the results of a reduction.
    pub fn finish(&self) -> Entry {
        self.code.entry(3)
    }

    /// Extends accumulators like `fold` and stores the result of every prefix of a scan.
    pub fn scan(&self) -> Entry {
        self.code.entry(3)
    }
}

/// Compiles a legalised reduction or scan.
pub fn compile_fold(kernel: &Kernel, specialization: Specialization) -> Result<FoldCode> {
    let (fold, scan) = match &kernel.body {
        Body::Reduce(fold) => (fold, false),
        Body::Scan(fold) => (fold, true),
        Body::Map(_) | Body::Rows(_) => unreachable!("the kernel is a reduction or a scan"),
    };
    let plan = Plan::new(kernel, fold, specialization, scan);
    let ready = match plan.layout {
        Layout::Lanes | Layout::Picks if !scan => {
            extrema::find(kernel, fold, &plan.inner, plan.layout == Layout::Picks)
        }
        _ => None,
    };
    let mut compiler = Compiler::new(kernel)?;
    compiler.scratch = plan.stages.as_ref().map_or(0, |stages| stages.bytes);
    compiler.function(|e| plan.write_init(e))?;
    match plan.layout {
        // Nobody calls it.
        _ if ready.is_some() => compiler.function(|e| plan.write_init(e))?,
        Layout::Lanes => compiler.function(|e| plan.write_lanes(e))?,
        Layout::Picks => compiler.function(|e| plan.write_picks(e))?,
        Layout::Parts => compiler.function(|e| plan.write_parts(e))?,
        Layout::Columns | Layout::Points => compiler.function(|e| plan.write_fold(e, false))?,
    }
    compiler.function(|e| plan.write_merge(e))?;
    if scan {
        compiler.function(|e| plan.write_fold(e, true))?;
    } else {
        compiler.function(|e| plan.write_finish(e))?;
    }
    let sizes = plan.types.iter().map(|dtype| dtype.size()).collect();
    Ok(FoldCode { code: compiler.finish()?, ready, layout: plan.layout, sizes })
}

/// Decisions about one fold.
struct Plan<'k> {
    fold: &'k Fold,
    types: Vec<DType>,
    outer: Vec<Access>,
    inner: Vec<Access>,
    /// Operators of the accumulators, if all are commutative and independent.
    operators: Option<Vec<Binary>>,
    layout: Layout,
    /// Points of a group along columns.
    columns: usize,
    /// Points of a group along the inner dimension.
    lanes: usize,
    /// The map in stages, where it calls functions.
    stages: Option<Stages<'k>>,
}

/// The operators of a fold that combines every accumulator alone by a commutative operator.
fn commutative(fold: &Fold) -> Option<Vec<Binary>> {
    let count = fold.identity.results.len();
    let operator = |position: usize| {
        let (a, b) = (fold.combine.params[position], fold.combine.params[count + position]);
        let result = fold.combine.results[position];
        fold.combine.body.iter().find_map(|statement| match *statement {
            Stmt::Let(value, Op::Binary(op, x, y))
                if value == result && ((x, y) == (a, b) || (x, y) == (b, a)) && commutes(op) =>
            {
                Some(op)
            }
            _ => None,
        })
    };
    (0..count).map(operator).collect()
}

fn commutes(op: Binary) -> bool {
    matches!(op, Binary::Add | Binary::Mul | Binary::Min | Binary::Max | Binary::And | Binary::Or | Binary::Xor)
}

/// Whether a fold keeps one of two elements with its position, as the search for an extremum does: both accumulators
/// are chosen by one condition, and positions are only compared and chosen. What is kept is then the first or the last
/// of the best elements, so lanes may take turns with the elements and be joined by any order.
fn picks(kernel: &Kernel, fold: &Fold) -> bool {
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

/// Whether a block reads memory through displacements.
fn gathers(block: &[Stmt]) -> bool {
    block.iter().any(|statement| matches!(statement, Stmt::Let(_, Op::Load { offset: Some(_), .. })))
}

impl<'k> Plan<'k> {
    fn new(kernel: &'k Kernel, fold: &'k Fold, specialization: Specialization, scan: bool) -> Plan<'k> {
        let operands = kernel.operands.len();
        let outer: Vec<Access> = (0..operands).map(|operand| specialization.outer_access(operand)).collect();
        let inner: Vec<Access> = (0..operands).map(|operand| specialization.inner_access(operand, operands)).collect();
        let loads = |operand: usize| {
            let reads = |statement: &Stmt| matches!(*statement, Stmt::Let(_, Op::Load { operand: o, .. }) if o as usize == operand);
            fold.map.body.iter().any(reads)
        };
        let loaded: Vec<usize> = (0..operands).filter(|&operand| loads(operand)).collect();
        let dense = |access: &[Access]| {
            loaded.iter().all(|&operand| access[operand] != Access::Strided)
                && loaded.iter().any(|&operand| access[operand] == Access::Unit)
        };
        let straight = is_straight(kernel) && !gathers(&fold.map.body);
        let operators = commutative(fold);
        let layout = if straight && operators.is_some() && dense(&inner) {
            Layout::Lanes
        } else if straight && dense(&inner) && !scan && picks(kernel, fold) {
            Layout::Picks
        } else if straight && dense(&outer) {
            Layout::Columns
        } else if straight && dense(&inner) {
            Layout::Parts
        } else {
            Layout::Points
        };
        let types: Vec<DType> = fold.identity.results.iter().map(|&value| kernel.dtype(value)).collect();
        // How floats are grouped decides how they round, so it must not depend on what is folded.
        let floats = types.iter().filter(|dtype| dtype.is_float()).map(|dtype| dtype.size()).max();
        let aligned = floats.map_or(1, |size| DEPTH * 128 / size);
        let stages = match layout {
            Layout::Lanes => Stages::new(kernel, &fold.map.body, &fold.map.results, &inner, aligned),
            _ => None,
        };
        let group = group_size(kernel, stages.is_none());
        let lanes = match layout {
            Layout::Picks => 64 / types[0].size(),
            _ => floats.map_or(2 * group, |size| 128 / size),
        };
        Plan {
            fold,
            types,
            columns: if layout == Layout::Columns { if scan { group } else { 2 * group } } else { 1 },
            lanes,
            stages,
            outer,
            inner,
            operators,
            layout,
        }
    }

    /// The arrays of accumulators that a field of the span points to.
    fn arrays(&self, e: &mut Emitter<'_, '_>, field: usize) -> Vec<Value> {
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

    fn load(&self, e: &mut Emitter<'_, '_>, arrays: &[Value], column: Value) -> Vec<Group> {
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

    fn store(&self, e: &mut Emitter<'_, '_>, arrays: &[Value], column: Value, groups: &[Group]) {
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

    fn identity(&self, e: &mut Emitter<'_, '_>) -> Vec<Group> {
        e.block(&self.fold.identity.body);
        self.fold.identity.results.iter().map(|&value| e.value(value)).collect()
    }

    fn combine(&self, e: &mut Emitter<'_, '_>, earlier: &[Group], later: &[Group]) -> Vec<Group> {
        let combine = &self.fold.combine;
        for (&param, group) in combine.params.iter().zip(earlier.iter().chain(later)) {
            e.bind(param, group.clone());
        }
        e.block(&combine.body);
        combine.results.iter().map(|&value| e.value(value)).collect()
    }

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

    fn write_init(&self, mut e: Emitter<'_, '_>) {
        let arrays = self.arrays(&mut e, std::mem::offset_of!(Span, accumulators));
        self.each_column(&mut e, &mut |e, column| {
            let identity = self.identity(e);
            self.store(e, &arrays, column, &identity);
        });
        e.finish();
    }

    fn write_merge(&self, mut e: Emitter<'_, '_>) {
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
    fn place_columns(&self, e: &mut Emitter<'_, '_>, addresses: &[Value], outer: &[Stride]) {
        for (operand, &address) in addresses.iter().enumerate() {
            e.places[operand] = match outer[operand] {
                Stride::None => Place::Fixed(address),
                Stride::Elements(_) => Place::Unit(address),
                Stride::Bytes(stride) => Place::Strided(address, stride),
            };
        }
    }

    fn finish(&self, e: &mut Emitter<'_, '_>, groups: &[Group]) {
        for (&param, group) in self.fold.finish.params.iter().zip(groups) {
            e.bind(param, group.clone());
        }
        e.block(&self.fold.finish.body);
    }

    fn write_finish(&self, mut e: Emitter<'_, '_>) {
        let frame = Frame::new(&mut e, self);
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
    fn write_fold(&self, mut e: Emitter<'_, '_>, scan: bool) {
        let frame = Frame::new(&mut e, self);
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

    /// The fold along the fastest inner dimension with partial results in lanes.
    fn write_lanes(&self, mut e: Emitter<'_, '_>) {
        let operators = self.operators.as_ref().expect("the layout needs commutative operators");
        let additive = |(&op, dtype): (&Binary, &DType)| dtype.is_float() && matches!(op, Binary::Add | Binary::Mul);
        let blocked = operators.iter().zip(&self.types).any(additive);
        let frame = Frame::new(&mut e, self);
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

    /// The fold along the fastest inner dimension, whose lanes take turns and keep the number of the turn, in lanes as
    /// wide as the elements. At the end of a line they are joined with their positions.
    fn write_picks(&self, mut e: Emitter<'_, '_>) {
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

    /// The fold along the fastest inner dimension, whose parts are folded side by side and then joined in order.
    fn write_parts(&self, mut e: Emitter<'_, '_>) {
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

    /// Extends carried accumulators by later ones.
    fn join(&self, e: &mut Emitter<'_, '_>, into: &Carried, later: &[Group]) {
        let before = into.groups(e);
        let joined = self.combine(e, &before, later);
        let joined: Vec<Regs> = joined.iter().zip(&self.types).map(|(g, &dtype)| e.parts(g, dtype)).collect();
        into.set(e, &joined);
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

/// Values that a fold needs from its span.
struct Frame {
    pointers: Vec<Value>,
    outer: Vec<Stride>,
    inner: Vec<Stride>,
    slow: Vec<Value>,
    length: Value,
    rows: Value,
    index: Value,
    index_step: Value,
    outer_index: Value,
}

fn displaced(e: &mut Emitter<'_, '_>, base: Value, stride: Stride, distance: Value) -> Value {
    let bytes = match stride {
        Stride::None => return base,
        Stride::Elements(size) => e.b.ins().ishl_imm_u(distance, i64::from(size.trailing_zeros())),
        Stride::Bytes(stride) => e.b.ins().imul(distance, stride),
    };
    e.b.ins().iadd(base, bytes)
}

impl Frame {
    fn new(e: &mut Emitter<'_, '_>, plan: &Plan<'_>) -> Frame {
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

    fn outer_position(&self, e: &mut Emitter<'_, '_>, column: Value) {
        e.outer_index = Position::Counting(e.b.ins().iadd(self.outer_index, column));
    }

    fn column_addresses(&self, e: &mut Emitter<'_, '_>, column: Value) -> Vec<Value> {
        self.pointers.iter().zip(&self.outer).map(|(&base, &stride)| displaced(e, base, stride, column)).collect()
    }

    fn row(&self, e: &mut Emitter<'_, '_>, addresses: &[Value], row: Value) -> (Vec<Value>, Value) {
        let slow = addresses.iter().zip(&self.slow);
        let addresses = slow.map(|(&base, &stride)| displaced(e, base, Stride::Bytes(stride), row)).collect();
        let distance = e.b.ins().imul(row, self.index_step);
        (addresses, e.b.ins().iadd(self.index, distance))
    }
}

/// Accumulators that a loop carries in variables.
struct Carried {
    variables: Vec<Vec<Variable>>,
    single: bool,
}

impl Carried {
    fn new(e: &mut Emitter<'_, '_>, start: &[Regs]) -> Carried {
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

    fn set(&self, e: &mut Emitter<'_, '_>, values: &[Regs]) {
        for (row, regs) in self.variables.iter().zip(values) {
            for (&variable, &reg) in row.iter().zip(regs) {
                e.b.def_var(variable, reg);
            }
        }
    }

    fn regs(&self, e: &mut Emitter<'_, '_>) -> Vec<Regs> {
        self.variables.iter().map(|row| row.iter().map(|&variable| e.b.use_var(variable)).collect()).collect()
    }

    fn groups(&self, e: &mut Emitter<'_, '_>) -> Vec<Group> {
        let regs = self.regs(e);
        regs.into_iter().map(|regs| if self.single { Group::One(regs[0]) } else { Group::Many(regs) }).collect()
    }
}

impl Emitter<'_, '_> {
    /// The machine values of a group in a fixed form: a mask has byte lanes.
    fn parts(&mut self, group: &Group, dtype: DType) -> Regs {
        if self.lanes == 1 {
            return Regs::from_elem(self.extract(group, dtype, 0), 1);
        }
        let regs = self.registers(group, dtype);
        if dtype == DType::Bool { convert::mask_to(&mut self.b, &regs, self.lanes, 1) } else { regs }
    }

    /// Loads contiguous plain values.
    pub(super) fn load_plain(&mut self, address: Value, dtype: DType) -> Regs {
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
    pub(super) fn store_plain(&mut self, address: Value, dtype: DType, regs: &Regs) {
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
