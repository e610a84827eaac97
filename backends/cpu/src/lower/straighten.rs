//! Branches as choices: a map whose branches only compute becomes straight code, which runs on several points at once.

use std::collections::{BTreeMap, BTreeSet};

use cuproxide_hal::ir::{Block, Body, Kernel, Literal, Local, Op, Stmt, Value};

/// Most statements of a kernel that pays: more take longer to compile in vectors than is gained.
const MOST: usize = 1500;

/// The kernel with both sides of each branch computed, if it is a map that only branches keep from vectors. It is
/// legalised: every operation is total, so that the side that is not wanted does no harm.
pub fn straighten(kernel: &Kernel) -> Option<Kernel> {
    let Body::Map(block) = &kernel.body else { return None };
    if !block.iter().any(|statement| matches!(statement, Stmt::If { .. })) || !is_possible(block, false) {
        return None;
    }
    let mut count = 0;
    kernel.visit(&mut |_| count += 1);
    if count > MOST {
        return None;
    }
    let mut straight = kernel.clone();
    let mut writer = Writer { kernel: &mut straight, locals: BTreeMap::new(), same: BTreeMap::new(), out: vec![] };
    writer.block(block);
    straight.body = Body::Map(writer.out);
    Some(straight)
}

/// Whether the statements may run for points that do not want them (`guarded`), and are no loops.
fn is_possible(block: &Block, guarded: bool) -> bool {
    block.iter().all(|statement| match statement {
        Stmt::If { then, otherwise, .. } => is_possible(then, true) && is_possible(otherwise, true),
        Stmt::Let(_, Op::Load { offset: Some(_), .. } | Op::Element(..)) => false,
        Stmt::Let(..) | Stmt::Set(..) => true,
        Stmt::Store { .. } => !guarded,
        _ => false,
    })
}

struct Writer<'k> {
    kernel: &'k mut Kernel,
    /// What each local holds here.
    locals: BTreeMap<Local, Value>,
    /// The values that reads of locals are.
    same: BTreeMap<Value, Value>,
    out: Block,
}

impl Writer<'_> {
    fn resolve(&self, value: Value) -> Value {
        self.same.get(&value).copied().unwrap_or(value)
    }

    fn bind(&mut self, local: Local, op: Op) -> Value {
        let value = Value(self.kernel.values.len() as u32);
        self.kernel.values.push(self.kernel.locals[local.0 as usize]);
        self.out.push(Stmt::Let(value, op));
        value
    }

    /// What a local holds; 0 before anything is assigned.
    fn held(&mut self, local: Local) -> Value {
        if let Some(&value) = self.locals.get(&local) {
            return value;
        }
        let dtype = self.kernel.locals[local.0 as usize];
        let value = self.bind(local, Op::Const(Literal { bytes: [0; 16], dtype }));
        self.locals.insert(local, value);
        value
    }

    fn block(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Stmt::If { cond, then, otherwise } => self.choose(self.resolve(*cond), then, otherwise),
                Stmt::Set(local, value) => {
                    self.locals.insert(*local, self.resolve(*value));
                }
                Stmt::Let(value, Op::Get(local)) => {
                    let held = self.held(*local);
                    self.same.insert(*value, held);
                }
                Stmt::Let(value, op) => {
                    let op = self.renamed(*op);
                    self.out.push(Stmt::Let(*value, op));
                }
                Stmt::Store { operand, offset, lane, value } => {
                    let offset = offset.map(|offset| self.resolve(offset));
                    let value = self.resolve(*value);
                    self.out.push(Stmt::Store { operand: *operand, offset, lane: *lane, value });
                }
                _ => unreachable!("such statements are not straightened"),
            }
        }
    }

    /// The operation on what its operands are.
    fn renamed(&self, op: Op) -> Op {
        let at = |value: Value| self.resolve(value);
        match op {
            Op::Unary(op, a) => Op::Unary(op, at(a)),
            Op::Cast(a) => Op::Cast(at(a)),
            Op::Bitcast(a) => Op::Bitcast(at(a)),
            Op::Binary(op, a, b) => Op::Binary(op, at(a), at(b)),
            Op::Compare(op, a, b) => Op::Compare(op, at(a), at(b)),
            Op::Complex(a, b) => Op::Complex(at(a), at(b)),
            Op::Select(a, b, c) => Op::Select(at(a), at(b), at(c)),
            Op::Fma(a, b, c) => Op::Fma(at(a), at(b), at(c)),
            Op::Load { operand, offset, lane } => Op::Load { operand, offset: offset.map(at), lane },
            Op::Const(_) | Op::Scalar { .. } | Op::Index | Op::OuterIndex | Op::Get(_) | Op::Element(..) => op,
        }
    }

    /// Both sides, each from the same locals, and then of each local the content that is wanted.
    fn choose(&mut self, cond: Value, then: &Block, otherwise: &Block) {
        let mut changed = BTreeSet::new();
        [then, otherwise].into_iter().for_each(|side| find_assigned(side, &mut changed));
        // Locals that are read later have a content on both sides.
        changed.iter().for_each(|&local| {
            self.held(local);
        });
        let before = self.locals.clone();
        self.block(then);
        let chosen = std::mem::replace(&mut self.locals, before);
        self.block(otherwise);
        for local in changed {
            let (yes, no) = (chosen[&local], self.locals[&local]);
            if yes != no {
                let value = self.bind(local, Op::Select(cond, yes, no));
                self.locals.insert(local, value);
            }
        }
    }
}

/// Collects the locals that a block assigns.
fn find_assigned(block: &Block, found: &mut BTreeSet<Local>) {
    for statement in block {
        match statement {
            Stmt::Set(local, _) => {
                found.insert(*local);
            }
            Stmt::If { then, otherwise, .. } => {
                find_assigned(then, found);
                find_assigned(otherwise, found);
            }
            _ => {}
        }
    }
}
