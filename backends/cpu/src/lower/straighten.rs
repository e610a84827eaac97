//! Branches as choices, and loops as rounds: a map whose branches and loops only compute becomes code that runs on several
//! points at once. A loop goes on while any of them wants another round; the others keep what they have.

use std::collections::{BTreeMap, BTreeSet};

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Block, Body, Kernel, Literal, Local, Op, Stmt, Unary, Value};

/// Most statements of a kernel that pays: more take longer to compile in vectors than is gained.
const MOST: usize = 1500;

/// The kernel with both sides of each branch computed, and loops in rounds, if it is a map that only they keep from vectors.
/// It is legalised: every operation is total, so that what is not wanted does no harm.
pub fn straighten(kernel: &Kernel) -> Option<Kernel> {
    let Body::Map(block) = &kernel.body else { return None };
    let branches = |statement: &Stmt| matches!(statement, Stmt::If { .. } | Stmt::While { .. });
    if !block.iter().any(branches) || !is_possible(block, false) || (has_loop(block) && !is_worth_rounds(kernel, block))
    {
        return None;
    }
    let mut count = 0;
    kernel.visit(&mut |_| count += 1);
    if count > MOST {
        return None;
    }
    let mut straight = kernel.clone();
    let (locals, same) = (BTreeMap::new(), BTreeMap::new());
    let mut writer = Writer { kernel: &mut straight, locals, same, wanted: None, out: vec![] };
    writer.block(block);
    straight.body = Body::Map(writer.out);
    Some(straight)
}

/// Whether a block has a loop.
fn has_loop(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Stmt::While { .. } => true,
        Stmt::If { then, otherwise, .. } => has_loop(then) || has_loop(otherwise),
        _ => false,
    })
}

/// Whether loops pay in rounds: all operations have a form for vectors (a loop that takes lanes one by one is quicker point
/// by point), integers are `light` unless floats are computed too (products have at most 32 bits, shift counts are the same
/// at all points), and all points take the same side of a branch around a loop.
fn is_worth_rounds(kernel: &Kernel, block: &Block) -> bool {
    let (mut quick, mut light, mut floats) = (true, true, false);
    let mut uniform = BTreeSet::new();
    kernel.visit_all(&mut |statement| {
        let Stmt::Let(value, op) = statement else { return };
        let mut same = !matches!(op, Op::Load { .. } | Op::Get(_) | Op::Index | Op::OuterIndex | Op::Element(..));
        op.each_operand(&mut |operand| same &= uniform.contains(&operand));
        floats |= kernel.dtype(*value).is_float();
        if same {
            uniform.insert(*value);
            return;
        }
        quick &= match *op {
            Op::Binary(Binary::Div | Binary::Rem, x, _) => kernel.dtype(x).is_float(),
            Op::Binary(Binary::MulHigh, x, _) => kernel.dtype(x) == DType::U32,
            Op::Binary(op, ..) => op != Binary::Nextafter,
            _ => true,
        };
        light &= match *op {
            Op::Binary(Binary::Mul, x, _) => kernel.dtype(x).size() <= 4,
            Op::Binary(Binary::Shl | Binary::Shr, _, count) => uniform.contains(&count),
            _ => true,
        };
    });
    quick && (floats || light) && together(block, &uniform)
}

/// Whether the conditions of branches around loops are among the `uniform` values.
fn together(block: &Block, uniform: &BTreeSet<Value>) -> bool {
    block.iter().all(|statement| match statement {
        Stmt::If { cond, then, otherwise } => {
            let loops = has_loop(then) || has_loop(otherwise);
            (!loops || uniform.contains(cond)) && together(then, uniform) && together(otherwise, uniform)
        }
        Stmt::While { head, body, .. } => together(head, uniform) && together(body, uniform),
        _ => true,
    })
}

/// Whether the statements may run for points that do not want them (`guarded`).
fn is_possible(block: &Block, guarded: bool) -> bool {
    block.iter().all(|statement| match statement {
        Stmt::If { then, otherwise, .. } => is_possible(then, true) && is_possible(otherwise, true),
        Stmt::While { head, body, .. } => is_possible(head, true) && is_possible(body, true),
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
    /// Which points want what is written here, unless all do. Only loops ask for it.
    wanted: Option<Value>,
    out: Block,
}

impl Writer<'_> {
    fn resolve(&self, value: Value) -> Value {
        self.same.get(&value).copied().unwrap_or(value)
    }

    fn bind(&mut self, dtype: DType, op: Op) -> Value {
        let value = Value(self.kernel.values.len() as u32);
        self.kernel.values.push(dtype);
        self.out.push(Stmt::Let(value, op));
        value
    }

    fn dtype(&self, local: Local) -> DType {
        self.kernel.locals[local.0 as usize]
    }

    /// What a local holds; 0 before anything is assigned.
    fn held(&mut self, local: Local) -> Value {
        if let Some(&value) = self.locals.get(&local) {
            return value;
        }
        let dtype = self.dtype(local);
        let value = self.bind(dtype, Op::Const(Literal { bytes: [0; 16], dtype }));
        self.locals.insert(local, value);
        value
    }

    fn block(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Stmt::If { cond, then, otherwise } => self.choose(self.resolve(*cond), then, otherwise),
                Stmt::While { head, cond, body } => self.rounds(head, *cond, body),
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
        let (before, wanted) = (self.locals.clone(), self.wanted);
        if has_loop(then) {
            self.narrow(cond);
        }
        self.block(then);
        let chosen = std::mem::replace(&mut self.locals, before);
        self.wanted = wanted;
        if has_loop(otherwise) {
            let other = self.bind(DType::Bool, Op::Unary(Unary::Not, cond));
            self.narrow(other);
        }
        self.block(otherwise);
        self.wanted = wanted;
        for local in changed {
            let (yes, no) = (chosen[&local], self.locals[&local]);
            self.select(local, cond, yes, no);
        }
    }

    /// Of the points that want what is written here only those where `cond` holds do from now on.
    fn narrow(&mut self, cond: Value) {
        self.wanted = Some(match self.wanted {
            Some(wanted) => self.bind(DType::Bool, Op::Binary(Binary::And, wanted, cond)),
            None => cond,
        });
    }

    /// Makes a local hold either of two values.
    fn select(&mut self, local: Local, cond: Value, yes: Value, no: Value) {
        let value = if yes == no { yes } else { self.bind(self.dtype(local), Op::Select(cond, yes, no)) };
        self.locals.insert(local, value);
    }

    /// Whatever changes in a round lies in a variable from one to the next, and so does which points go on.
    fn rounds(&mut self, head: &Block, cond: Value, body: &Block) {
        let mut changed = BTreeSet::new();
        [head, body].into_iter().for_each(|block| find_assigned(block, &mut changed));
        for &local in &changed {
            let held = self.held(local);
            self.out.push(Stmt::Set(local, held));
        }
        let truth = Literal { bytes: std::array::from_fn(|byte| u8::from(byte == 0)), dtype: DType::Bool };
        let wanted = self.wanted;
        let all = wanted.unwrap_or_else(|| self.bind(DType::Bool, Op::Const(truth)));
        let open = Local(self.kernel.locals.len() as u32);
        self.kernel.locals.push(DType::Bool);
        self.out.push(Stmt::Set(open, all));
        let before = std::mem::take(&mut self.out);

        let opened = self.bind(DType::Bool, Op::Get(open));
        self.wanted = Some(opened);
        self.read(&changed);
        self.kept(head, opened);
        let goes = self.bind(DType::Bool, Op::Binary(Binary::And, opened, self.resolve(cond)));
        let head = std::mem::take(&mut self.out);

        self.wanted = Some(goes);
        self.kept(body, goes);
        self.out.push(Stmt::Set(open, goes));
        let body = std::mem::replace(&mut self.out, before);
        self.out.push(Stmt::While { head, cond: goes, body });
        self.wanted = wanted;
        self.read(&changed);
    }

    /// Takes what locals hold from their variables.
    fn read(&mut self, locals: &BTreeSet<Local>) {
        for &local in locals {
            let value = self.bind(self.dtype(local), Op::Get(local));
            self.locals.insert(local, value);
        }
    }

    /// A block of a loop, whose changes of variables are for the points that want them.
    fn kept(&mut self, block: &Block, wanted: Value) {
        let before = self.locals.clone();
        self.block(block);
        let mut changed = BTreeSet::new();
        find_assigned(block, &mut changed);
        for local in changed {
            self.select(local, wanted, self.locals[&local], before[&local]);
            self.out.push(Stmt::Set(local, self.locals[&local]));
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
            Stmt::While { head, body, .. } => {
                find_assigned(head, found);
                find_assigned(body, found);
            }
            _ => {}
        }
    }
}
