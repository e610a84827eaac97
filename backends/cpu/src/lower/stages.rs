//! Straight code that calls mathematical functions, or others for whole strips, cut into stages.
//!
//! A function is called for a strip of a few hundred points: a loop computes the arguments of all calls that can be
//! made by then and keeps them in buffers, the calls follow, the next loop goes on from their results. Buffers are
//! small enough for the nearest cache. Loads and positions are repeated rather than kept.

use std::collections::BTreeMap;

use cranelift_codegen::ir::{InstBuilder, Value, types};
use cuproxide_hal::ir::{self, Kernel, Mode, Op, Stmt};
use cuproxide_hal::{Access, DType};
use smallvec::{SmallVec, smallvec};

use super::Span;
use super::convert;
use super::emit::{Emitter, Position};
use super::facts::is_call;
use super::group::{Group, scalar_type};
use super::math;
use super::place::Place;
use super::scalar::{self, memory};

/// Bytes that the buffers should fit in, beside the operands.
const CACHE: usize = 24 << 10;
/// Bytes of the place of a uniform value.
const WORD: usize = 8;
/// Fewest and most points of a strip; powers of two, at least a group.
const STRIP: [usize; 2] = [128, 1024];

/// Where a call finds or leaves the values of a strip.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    /// In a buffer, this many bytes into the scratch memory.
    Buffer(usize),
    /// In the memory of an operand.
    Operand(usize),
}

/// The values of a strip, and the bytes of each.
pub(super) type Strip = (Home, usize);

/// A call of a routine for a strip.
#[derive(Debug)]
pub(super) struct Call {
    pub routine: usize,
    pub inputs: SmallVec<[Strip; 2]>,
    pub output: Strip,
}

/// A loop over a strip, and the calls that follow it.
#[derive(Debug, Default)]
pub(super) struct Stage<'k> {
    pub statements: Vec<&'k Stmt>,
    pub calls: Vec<Call>,
}

/// Where code of a stage finds a value of none of its statements.
pub(super) enum Source<'k> {
    /// All points share it, and it is computed once, unless it is the constant, launch scalar or element of this statement.
    Uniform(Option<&'k Stmt>),
    /// It is computed again.
    Repeated(&'k Stmt),
    /// In a buffer.
    Buffer(usize),
}

/// A block in stages.
pub struct Stages<'k> {
    /// What is the same at every point of a line.
    pub(super) uniform: Vec<&'k Stmt>,
    pub(super) stages: Vec<Stage<'k>>,
    /// For each value the offset of its buffer, if it has one.
    pub(super) buffers: Vec<Option<usize>>,
    /// Buffers that hold one value at every point.
    pub(super) fills: Vec<ir::Value>,
    /// For each uniform value that a stage reads the offset of its place in the scratch memory. Loops read it there: registers
    /// are not kept over calls, and Cranelift would store and load them in each round.
    places: Vec<Option<usize>>,
    /// Loads and positions that calls cannot read where they are.
    pub(super) moved: Vec<ir::Value>,
    /// The stage that each value belongs to; `None` for uniform ones.
    levels: Vec<Option<usize>>,
    /// Values that are computed again in every stage.
    repeated: Vec<Option<&'k Stmt>>,
    results: &'k [ir::Value],
    /// Points of a strip, a power of two.
    pub strip: usize,
    /// Bytes of all buffers.
    pub bytes: usize,
}

/// The values that an operation reads.
fn arguments(op: &Op) -> SmallVec<[ir::Value; 3]> {
    let mut values = SmallVec::new();
    op.each_operand(&mut |value| values.push(value));
    values
}

/// The values that a statement of straight code reads.
pub(super) fn uses(statement: &Stmt) -> SmallVec<[ir::Value; 3]> {
    let mut values = SmallVec::new();
    statement.each_use(&mut |value| values.push(value));
    values
}

/// The values that a statement of straight code binds.
fn bound_by(statement: &Stmt) -> &[ir::Value] {
    match statement {
        Stmt::Let(value, _) => std::slice::from_ref(value),
        Stmt::Call { results, .. } => results,
        _ => &[],
    }
}

/// A routine that computes a value for whole strips, and the values that it takes.
type Routine = (usize, SmallVec<[ir::Value; 2]>);

/// The operations that values are bound to so far, or nothing.
type Definitions<'k> = [Option<&'k Op>];

/// Whether a statement calls something, be it for all points once.
pub(super) fn calls(kernel: &Kernel, statement: &Stmt) -> bool {
    matches!(statement, Stmt::Call { .. }) || is_call(kernel, statement)
}

/// The routine for an operation that is no instruction of wide vectors either; `casts` tells whether floats to integers is one.
fn wide_routine(kernel: &Kernel, op: &Op, to: DType, casts: bool) -> Option<Routine> {
    let strip = |routine| if let Some(math::Routine::Strip(address)) = routine { Some(address) } else { None };
    match *op {
        Op::Unary(op, a) => Some((strip(math::unary(op, kernel.dtype(a)))?, smallvec![a])),
        Op::Binary(op, a, b) if kernel.dtype(a).is_integer() => {
            Some((crate::math::pair_strip(op, kernel.dtype(a))?, smallvec![a, b]))
        }
        Op::Binary(op, a, b) => Some((strip(math::binary(op, kernel.dtype(a)))?, smallvec![a, b])),
        Op::Cast(a) if !casts => Some((crate::math::cast_strip(kernel.dtype(a), to)?, smallvec![a])),
        _ => None,
    }
}

/// The routine for an operation whose result is of type `to`. `is_uniform` tells which values are the same at every point.
fn routine(
    kernel: &Kernel,
    definitions: &Definitions<'_>,
    op: &Op,
    to: DType,
    is_uniform: impl Fn(ir::Value) -> bool,
) -> Option<Routine> {
    match *op {
        Op::Unary(op, a) => Some((crate::math::strip(op, kernel.dtype(a))?, smallvec![a])),
        // What rounds the quotient of changing divisors down takes longer in vectors than is gained.
        Op::Binary(ir::Binary::Div, a, b) if kernel.dtype(a).is_integer() && !is_uniform(b) => None,
        Op::Binary(op, a, b) => Some((crate::math::pair_strip(op, kernel.dtype(a))?, smallvec![a, b])),
        Op::Cast(a) => Some((crate::math::cast_strip(kernel.dtype(a), to)?, smallvec![a])),
        Op::Select(..) => {
            let (op, [a, b]) = number_extremum(definitions, op)?;
            Some((crate::math::number_strip(op, to)?, smallvec![a, b]))
        }
        _ => None,
    }
}

/// The operator and the operands of an extremum that is NaN only if both are: the second if the first is NaN, else the first
/// if the second is, else their extremum.
fn number_extremum(definitions: &Definitions<'_>, op: &Op) -> Option<(ir::Binary, [ir::Value; 2])> {
    let defined = |value: ir::Value| definitions[value.0 as usize].copied();
    let is_nan = |cond: ir::Value, x: ir::Value| defined(cond) == Some(Op::Compare(ir::Compare::Ne, x, x));
    let Op::Select(first, y, rest) = *op else { return None };
    let Op::Select(second, x, both) = defined(rest)? else { return None };
    match defined(both)? {
        Op::Binary(op @ (ir::Binary::Min | ir::Binary::Max), a, b) if [a, b] == [x, y] => {
            (is_nan(first, x) && is_nan(second, y)).then_some((op, [x, y]))
        }
        _ => None,
    }
}

/// Which values of a block are needed, where routines take what they take in place of operations.
fn needed(block: &[Stmt], results: &[ir::Value], called: &[Option<Routine>]) -> Vec<bool> {
    let mut needed = vec![false; called.len()];
    let mark = |needed: &mut Vec<bool>, values: &[ir::Value]| {
        values.iter().for_each(|value| needed[value.0 as usize] = true);
    };
    mark(&mut needed, results);
    for statement in block.iter().rev() {
        match statement {
            Stmt::Let(value, _) if !needed[value.0 as usize] => {}
            Stmt::Let(value, op) => match &called[value.0 as usize] {
                Some((_, inputs)) => mark(&mut needed, inputs),
                None => mark(&mut needed, &arguments(op)),
            },
            _ => mark(&mut needed, &uses(statement)),
        }
    }
    needed
}

impl<'k> Stages<'k> {
    /// Cuts a block, unless it calls nothing or is not simple enough. A block without results is a map's. `results` are values that are wanted in the last
    /// stage; `access` says how operands move along the strip, whose length is a multiple of `aligned`, a power of two.
    pub fn new(
        kernel: &'k Kernel,
        block: &'k [Stmt],
        results: &'k [ir::Value],
        access: &[Access],
        aligned: usize,
    ) -> Option<Stages<'k>> {
        Stages::cut(kernel, block, results, access, aligned, None)
    }

    /// Cuts the block of a map for vectors of the processor's width, which leave less to routines; also one that calls nothing.
    /// `casts` tells whether they turn floats into integers.
    pub(super) fn wide(kernel: &'k Kernel, block: &'k [Stmt], access: &[Access], casts: bool) -> Option<Stages<'k>> {
        Stages::cut(kernel, block, &[], access, 1, Some(casts))
    }

    fn cut(
        kernel: &'k Kernel,
        block: &'k [Stmt],
        results: &'k [ir::Value],
        access: &[Access],
        aligned: usize,
        wide: Option<bool>,
    ) -> Option<Stages<'k>> {
        let count = kernel.values.len();
        let mut levels: Vec<Option<usize>> = vec![None; count];
        let mut repeated: Vec<Option<&Stmt>> = vec![None; count];
        let mut called: Vec<Option<Routine>> = vec![None; count];
        let mut definitions: Vec<Option<&Op>> = vec![None; count];
        let mut uniform = vec![];
        let (mut stored, mut last) = (false, 0);
        for statement in block {
            match statement {
                Stmt::Let(value, op) => {
                    let at = value.0 as usize;
                    definitions[at] = Some(op);
                    let level = arguments(op).iter().filter_map(|a| levels[a.0 as usize]).max();
                    match *op {
                        Op::Get(_) | Op::Element(..) => return None,
                        Op::Load { .. } if stored => return None,
                        Op::Load { operand, offset: None, .. } => {
                            let operand = operand as usize;
                            if access[operand] != Access::Broadcast || kernel.operands[operand].mode != Mode::Read {
                                levels[at] = Some(0);
                                repeated[at] = Some(statement);
                            }
                        }
                        Op::Load { .. } => levels[at] = Some(level.unwrap_or(0)),
                        Op::Index | Op::OuterIndex => {
                            levels[at] = Some(0);
                            repeated[at] = Some(statement);
                        }
                        _ => {
                            let is_uniform = |value: ir::Value| levels[value.0 as usize].is_none();
                            let to = kernel.dtype(*value);
                            called[at] = level.and_then(|_| match wide {
                                Some(casts) => wide_routine(kernel, op, to, casts),
                                None => routine(kernel, &definitions, op, to, is_uniform),
                            });
                            let before =
                                |inputs: &[ir::Value]| inputs.iter().filter_map(|a| levels[a.0 as usize]).max();
                            levels[at] = match &called[at] {
                                Some((_, inputs)) => before(inputs).map(|level| level + 1),
                                None => level,
                            };
                        }
                    }
                    match levels[at] {
                        None => uniform.push(statement),
                        Some(level) => last = last.max(level),
                    }
                }
                // A function of the kernel's own is called where its arguments are known.
                Stmt::Call { arguments, results, .. } => {
                    let level = arguments.iter().filter_map(|a| levels[a.0 as usize]).max();
                    results.iter().for_each(|result| levels[result.0 as usize] = level);
                    match level {
                        None => uniform.push(statement),
                        Some(level) => last = last.max(level),
                    }
                }
                Stmt::Store { .. } => stored = true,
                Stmt::Require(..) => {}
                _ => return None,
            }
        }
        // A map may have one stage only, before which it calls what is the same at every point.
        let may_call = results.is_empty() && uniform.iter().any(|statement| calls(kernel, statement));
        if last == 0 && wide.is_none() && !may_call {
            return None;
        }
        let mut stages = Stages {
            uniform,
            stages: (0..=last).map(|_| Stage::default()).collect(),
            buffers: vec![None; count],
            fills: vec![],
            places: vec![None; count],
            moved: vec![],
            levels,
            repeated,
            results,
            strip: aligned,
            bytes: 0,
        };
        stages.distribute(kernel, block, access, &called);
        Some(stages)
    }

    /// The stage that a statement runs in, if its work is not a call or uniform.
    fn stage_of(&self, statement: &Stmt) -> usize {
        match statement {
            Stmt::Let(value, _) => self.levels[value.0 as usize].expect("uniform statements have no stage"),
            Stmt::Call { results, .. } => self.levels[results[0].0 as usize].expect("uniform statements have no stage"),
            Stmt::Require(value, _) => self.levels[value.0 as usize].unwrap_or(0),
            _ => self.stages.len() - 1,
        }
    }

    fn distribute(&mut self, kernel: &'k Kernel, block: &'k [Stmt], access: &[Access], called: &[Option<Routine>]) {
        let needed = needed(block, self.results, called);
        let mut kept = vec![false; kernel.values.len()];
        let mut calls: Vec<(ir::Value, &Routine)> = vec![];
        for statement in block {
            if let Stmt::Let(value, _) = statement {
                let at = value.0 as usize;
                if !needed[at] || self.levels[at].is_none() || self.repeated[at].is_some() {
                    continue;
                }
                if let Some(routine) = &called[at] {
                    calls.push((*value, routine));
                    continue;
                }
            }
            if let Stmt::Call { results, .. } = statement
                && self.levels[results[0].0 as usize].is_none()
            {
                continue;
            }
            let stage = self.stage_of(statement);
            for used in uses(statement) {
                kept[used.0 as usize] |= self.crosses(used, stage) || called[used.0 as usize].is_some();
            }
            self.stages[stage].statements.push(statement);
        }
        for used in self.results {
            kept[used.0 as usize] |= self.crosses(*used, self.stages.len() - 1) || called[used.0 as usize].is_some();
        }
        let direct = self.direct_store(kernel, access, &calls);
        // Which operand holds the values of a plain load as they are.
        let lying = |stages: &Stages<'_>, value: ir::Value| match stages.repeated[value.0 as usize] {
            Some(Stmt::Let(_, Op::Load { operand, .. })) => {
                let operand = *operand as usize;
                let plain = access[operand] == Access::Unit && kernel.operands[operand].dtype == kernel.dtype(value);
                plain.then_some(operand)
            }
            _ => None,
        };
        for (value, (_, inputs)) in &calls {
            if direct.map(|(value, _)| value) != Some(*value) {
                kept[value.0 as usize] = true;
            }
            for &used in inputs {
                kept[used.0 as usize] |= lying(self, used).is_none();
            }
        }
        let widths = kernel.values.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(dtype, _)| dtype.size());
        let [least, most] = STRIP;
        let share = CACHE / widths.sum::<usize>().max(1);
        self.strip = (share.next_power_of_two() / 2).clamp(least, most).max(self.strip);
        for (at, dtype) in kernel.values.iter().enumerate().filter(|(at, _)| kept[*at]) {
            self.buffers[at] = Some(self.bytes);
            self.bytes += self.strip * dtype.size();
            let value = ir::Value(at as u32);
            if self.levels[at].is_none() {
                self.fills.push(value);
            } else if self.repeated[at].is_some() {
                self.moved.push(value);
            }
        }
        self.place_uniform();
        for (value, (routine, inputs)) in calls {
            let buffer =
                |stages: &Stages<'_>, value: ir::Value| Home::Buffer(stages.buffers[value.0 as usize].expect("kept"));
            let inputs = inputs
                .iter()
                .map(|&used| {
                    let home = lying(self, used).map_or_else(|| buffer(self, used), Home::Operand);
                    (home, kernel.dtype(used).size())
                })
                .collect();
            let output = match direct {
                Some((stored, operand)) if stored == value => Home::Operand(operand),
                _ => buffer(self, value),
            };
            let output = (output, kernel.dtype(value).size());
            let level = self.levels[value.0 as usize].expect("calls have a level");
            self.stages[level - 1].calls.push(Call { routine: *routine, inputs, output });
        }
    }

    /// Gives places to the uniform values that are no constants.
    fn place_uniform(&mut self) {
        let read: Vec<ir::Value> =
            self.stages.iter().flat_map(|stage| &stage.statements).flat_map(|s| uses(s)).collect();
        for statement in self.uniform.iter().filter(|statement| !matches!(statement, Stmt::Let(_, Op::Const(_)))) {
            for value in bound_by(statement).iter().filter(|value| read.contains(value)) {
                self.places[value.0 as usize] = Some(self.bytes);
                self.bytes += WORD;
            }
        }
    }

    /// Where code of a stage finds a value of none of its statements.
    pub(super) fn source(&self, value: ir::Value) -> Source<'k> {
        let at = value.0 as usize;
        match (self.levels[at], self.repeated[at]) {
            (None, _) => Source::Uniform(self.uniform.iter().copied().find(
                |statement| matches!(statement, Stmt::Let(bound, Op::Const(_) | Op::Scalar { .. } | Op::Load { .. }) if *bound == value),
            )),
            (_, Some(statement)) => Source::Repeated(statement),
            _ => Source::Buffer(self.buffers[at].unwrap_or_else(|| unreachable!("a value is in a buffer"))),
        }
    }

    /// The values that all points share and that must lie in memory for stages or buffers.
    pub(super) fn wanted_uniform(&self) -> Vec<ir::Value> {
        let read = self.stages.iter().flat_map(|stage| &stage.statements).flat_map(|statement| uses(statement));
        let mut wanted: Vec<ir::Value> = read
            .filter(|&value| self.is_uniform(value) && matches!(self.source(value), Source::Uniform(None)))
            .collect();
        wanted.extend(&self.fills);
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// Whether all points share a value.
    pub(super) fn is_uniform(&self, value: ir::Value) -> bool {
        self.levels[value.0 as usize].is_none()
    }

    /// Whether a value is computed before `stage` and not again in it.
    fn crosses(&self, value: ir::Value, stage: usize) -> bool {
        let at = value.0 as usize;
        self.repeated[at].is_none() && self.levels[at].is_some_and(|level| level < stage)
    }

    /// The last call and the operand that its result goes to, if that is all that the last stage does. The store is
    /// then left to the call.
    fn direct_store(
        &mut self,
        kernel: &Kernel,
        access: &[Access],
        calls: &[(ir::Value, &Routine)],
    ) -> Option<(ir::Value, usize)> {
        let last = self.stages.len() - 1;
        let ready = |call: &&(ir::Value, &Routine)| self.levels[call.0.0 as usize] == Some(last);
        let value = calls.iter().rfind(ready)?.0;
        let [Stmt::Store { operand, offset: None, lane: 0, value: stored }] = self.stages[last].statements[..] else {
            return None;
        };
        let operand = *operand as usize;
        let plain = access[operand] == Access::Unit && kernel.operands[operand].dtype == kernel.dtype(value);
        if *stored != value || !plain || self.results.contains(&value) {
            return None;
        }
        self.stages[last].statements.clear();
        Some((value, operand))
    }

    /// Computes what is the same along a line, and fills the buffers that hold such a value. Operands that do not move
    /// must be in place.
    pub fn write_uniform(&self, e: &mut Emitter<'_, '_>, lanes: usize, length: Value) {
        e.lanes = 1;
        for statement in &self.uniform {
            e.block(std::slice::from_ref(*statement));
        }
        for (at, offset) in self.places.iter().enumerate().filter_map(|(at, offset)| Some((at, (*offset)?))) {
            let Group::One(value) = e.value(ir::Value(at as u32)) else { unreachable!("a uniform value is one") };
            e.b.ins().store(memory(), value, e.scratch_memory, offset as i32);
        }
        if self.fills.is_empty() {
            return;
        }
        let zero = e.b.ins().iconst(types::I64, 0);
        let most = e.b.ins().iconst(types::I64, self.strip as i64);
        let points = e.b.ins().umin(length, most);
        let points = e.b.ins().iadd_imm_u(points, lanes as i64 - 1);
        let points = e.b.ins().band_imm_s(points, -(lanes as i64));
        e.counted(zero, points, lanes, |e, local| {
            e.lanes = lanes;
            for &value in &self.fills {
                let group = e.value(value);
                self.keep(e, value, &group, local);
            }
        });
    }

    /// Calls `body` for every strip of a line with the position of its first point and the number of its points, after
    /// all stages but the last and all calls. `place` moves the emitter to a position; `bases` are the operands'
    /// addresses at position 0.
    pub fn each_strip(
        &self,
        e: &mut Emitter<'_, '_>,
        lanes: usize,
        length: Value,
        bases: &[Value],
        place: &dyn Fn(&mut Emitter<'_, '_>, Value),
        body: &mut dyn FnMut(&mut Emitter<'_, '_>, Value, Value),
    ) {
        let shift = i64::from(self.strip.trailing_zeros());
        let zero = e.b.ins().iconst(types::I64, 0);
        let strips = e.b.ins().iadd_imm_u(length, self.strip as i64 - 1);
        let strips = e.b.ins().ushr_imm_u(strips, shift);
        e.counted(zero, strips, 1, |e, strip| {
            let start = e.b.ins().ishl_imm_u(strip, shift);
            let left = e.b.ins().isub(length, start);
            let most = e.b.ins().iconst(types::I64, self.strip as i64);
            let points = e.b.ins().umin(left, most);
            for stage in 0..self.stages.len() - 1 {
                self.write_loop(e, stage, lanes, start, points, place);
                for call in &self.stages[stage].calls {
                    self.call(e, call, bases, start, points);
                }
            }
            body(e, start, points);
        });
    }

    /// Runs a stage for the points of a strip.
    pub fn write_loop(
        &self,
        e: &mut Emitter<'_, '_>,
        stage: usize,
        lanes: usize,
        start: Value,
        points: Value,
        place: &dyn Fn(&mut Emitter<'_, '_>, Value),
    ) {
        if self.stages[stage].statements.is_empty() && (stage > 0 || self.moved.is_empty()) {
            return;
        }
        let uniform = self.read_uniform(e, stage);
        let zero = e.b.ins().iconst(types::I64, 0);
        let whole = e.b.ins().band_imm_s(points, -(lanes as i64));
        for (from, to, lanes) in [(zero, whole, lanes), (whole, points, 1)] {
            e.counted(from, to, lanes, |e, local| {
                e.lanes = lanes;
                let position = e.b.ins().iadd(start, local);
                place(e, position);
                self.write(e, stage, local);
            });
        }
        for (value, group) in uniform {
            e.bind(value, group);
        }
    }

    /// Takes the uniform values that a stage reads from their places, and gives what they were bound to.
    fn read_uniform(&self, e: &mut Emitter<'_, '_>, stage: usize) -> BTreeMap<ir::Value, Group> {
        let mut before = BTreeMap::new();
        for used in self.stages[stage].statements.iter().flat_map(|statement| uses(statement)) {
            let Some(offset) = self.places[used.0 as usize] else { continue };
            before.entry(used).or_insert_with(|| {
                let held = e.value(used);
                let ty = scalar_type(e.kernel.dtype(used));
                let value = e.b.ins().load(ty, memory(), e.scratch_memory, offset as i32);
                e.bind(used, Group::One(value));
                held
            });
        }
        before
    }

    /// The last stage.
    pub fn last(&self) -> usize {
        self.stages.len() - 1
    }

    /// Writes one stage for the group `local` points into the strip; the emitter is in place.
    pub fn write(&self, e: &mut Emitter<'_, '_>, stage: usize, local: Value) {
        let mut bound = vec![false; self.levels.len()];
        for &statement in &self.stages[stage].statements {
            for used in uses(statement) {
                self.fetch(e, used, stage, local, &mut bound);
            }
            e.block(std::slice::from_ref(statement));
            for &value in bound_by(statement) {
                bound[value.0 as usize] = true;
                if self.buffers[value.0 as usize].is_some() {
                    let group = e.value(value);
                    self.keep(e, value, &group, local);
                }
            }
        }
        if stage == 0 {
            for &value in &self.moved {
                self.fetch(e, value, stage, local, &mut bound);
                let group = e.value(value);
                self.keep(e, value, &group, local);
            }
        }
        if stage == self.last() {
            for &value in self.results {
                self.fetch(e, value, stage, local, &mut bound);
            }
        }
    }

    /// Makes a value of an earlier stage available.
    fn fetch(&self, e: &mut Emitter<'_, '_>, value: ir::Value, stage: usize, local: Value, bound: &mut [bool]) {
        let at = value.0 as usize;
        if self.levels[at].is_none() || std::mem::replace(&mut bound[at], true) {
            return;
        }
        if let Some(statement) = self.repeated[at] {
            return e.block(std::slice::from_ref(statement));
        }
        let offset = self.buffers[at].unwrap_or_else(|| unreachable!("a value of stage {stage} is in a buffer"));
        let dtype = e.kernel.dtype(value);
        let address = self.address(e, offset, local, dtype.size());
        let group = if e.lanes == 1 {
            Group::One(e.b.ins().load(scalar_type(dtype), memory(), address, 0))
        } else {
            let regs = e.load_plain(address, dtype.storage());
            Group::Many(if dtype == DType::Bool { convert::truth(&mut e.b, &regs, DType::U8) } else { regs })
        };
        e.bind(value, group);
    }

    /// Writes a value to its buffer.
    fn keep(&self, e: &mut Emitter<'_, '_>, value: ir::Value, group: &Group, local: Value) {
        let offset = self.buffers[value.0 as usize].expect("the value has a buffer");
        let dtype = e.kernel.dtype(value);
        let address = self.address(e, offset, local, dtype.size());
        if e.lanes == 1 {
            let scalar = e.extract(group, dtype, 0);
            e.b.ins().store(memory(), scalar, address, 0);
            return;
        }
        let mut regs = e.registers(group, dtype);
        if dtype == DType::Bool {
            regs = convert::cast(&mut e.b, &regs, e.lanes, DType::Bool, DType::U8).expect("masks become bytes");
        }
        e.store_plain(address, dtype.storage(), &regs);
    }

    fn address(&self, e: &mut Emitter<'_, '_>, offset: usize, local: Value, size: usize) -> Value {
        let scratch = e.scratch_memory;
        let base = e.b.ins().iadd_imm_u(scratch, offset as i64);
        let bytes = e.b.ins().ishl_imm_u(local, i64::from(size.trailing_zeros()));
        e.b.ins().iadd(base, bytes)
    }

    fn call(&self, e: &mut Emitter<'_, '_>, call: &Call, bases: &[Value], start: Value, points: Value) {
        let zero = e.b.ins().iconst(types::I64, 0);
        let mut parameters: SmallVec<[Value; 4]> = SmallVec::new();
        for &(home, size) in call.inputs.iter().chain([&call.output]) {
            parameters.push(match home {
                Home::Buffer(offset) => self.address(e, offset, zero, size),
                Home::Operand(operand) => {
                    let bytes = e.b.ins().ishl_imm_u(start, i64::from(size.trailing_zeros()));
                    e.b.ins().iadd(bases[operand], bytes)
                }
            });
        }
        parameters.push(points);
        scalar::call(&mut e.b, call.routine, &parameters, None);
    }
}

/// The address of the scratch memory that a span brings.
pub fn scratch_memory(e: &mut Emitter<'_, '_>) -> Value {
    e.span_field(std::mem::offset_of!(Span, scratch))
}

/// Puts operands that do not move, and the position, in place for [`Stages::write_uniform`].
pub fn place_fixed(e: &mut Emitter<'_, '_>, access: &[Access], bases: &[Value], position: Value) {
    e.lanes = 1;
    for (operand, &base) in bases.iter().enumerate() {
        if access[operand] == Access::Broadcast {
            e.places[operand] = Place::Fixed(base);
        }
    }
    (e.index, e.outer_index) = (Position::Same(position), Position::Same(position));
}
