//! Removes what the other passes leave behind: repeated computations, unused values, gaps in the numbering.

use std::mem;

use rustc_hash::FxHashMap;

use crate::DType;
use crate::ir::{Binary, Block, Body, Kernel, Lambda, Local, Op, Stmt, Value};

/// Simplifies a kernel without changing what it computes.
pub(super) fn simplify(kernel: &mut Kernel) {
    let mut body = mem::replace(&mut kernel.body, Body::Map(vec![]));
    let mut sharing = Sharing { types: &kernel.values, renamed: identity(kernel.values.len()), scopes: vec![] };
    each_root(&mut body, &mut |block, results| {
        sharing.block(block);
        results.iter_mut().for_each(|result| *result = sharing.renamed[result.0 as usize]);
    });
    let mut liveness = Liveness { values: vec![false; kernel.values.len()], locals: vec![false; kernel.locals.len()] };
    each_root(&mut body, &mut |block, _| liveness.find_reads(block));
    let mut find_live = |block: &mut Block, results: &mut [Value]| {
        results.iter().for_each(|result| liveness.values[result.0 as usize] = true);
        liveness.block(block);
    };
    match &mut body {
        // What a map binds, later ones may use.
        Body::Rows(rows) => {
            find_live(&mut rows.map, &mut []);
            for fold in rows.folds.iter_mut().rev() {
                for lambda in [&mut fold.finish, &mut fold.combine, &mut fold.map, &mut fold.identity] {
                    find_live(&mut lambda.body, &mut lambda.results);
                }
            }
        }
        body => each_root(body, &mut find_live),
    }
    let mut numbering = Numbering { types: &kernel.values, renamed: identity(kernel.values.len()), kept: vec![] };
    each_lambda(&mut body, &mut |params, block, results| {
        params.iter_mut().for_each(|param| numbering.define(param));
        numbering.block(block);
        results.iter_mut().for_each(|result| numbering.replace(result));
    });
    kernel.values = numbering.kept;
    kernel.body = body;
}

fn identity(count: usize) -> Vec<Value> {
    (0..count as u32).map(Value).collect()
}

/// Visits parameters, statements and results of the kernel's outermost blocks.
fn each_lambda(body: &mut Body, visit: &mut dyn FnMut(&mut [Value], &mut Block, &mut [Value])) {
    match body {
        Body::Map(block) => visit(&mut [], block, &mut []),
        Body::Reduce(fold) | Body::Scan(fold) => {
            for lambda in [&mut fold.identity, &mut fold.map, &mut fold.combine, &mut fold.finish] {
                let Lambda { params, body, results } = lambda;
                visit(params, body, results);
            }
        }
        Body::Rows(rows) => {
            for fold in &mut rows.folds {
                for lambda in [&mut fold.identity, &mut fold.map, &mut fold.combine, &mut fold.finish] {
                    let Lambda { params, body, results } = lambda;
                    visit(params, body, results);
                }
            }
            visit(&mut [], &mut rows.map, &mut []);
        }
    }
}

fn each_root(body: &mut Body, visit: &mut dyn FnMut(&mut Block, &mut [Value])) {
    each_lambda(body, &mut |_, block, results| visit(block, results));
}

/// Visits the values that an operation uses.
fn each_operand(op: &mut Op, visit: &mut dyn FnMut(&mut Value)) {
    match op {
        Op::Const(_) | Op::Scalar { .. } | Op::Index | Op::OuterIndex | Op::Get(_) => {}
        Op::Load { offset, .. } => offset.iter_mut().for_each(visit),
        Op::Unary(_, a) | Op::Cast(a) | Op::Bitcast(a) => visit(a),
        Op::Binary(_, a, b) | Op::Compare(_, a, b) | Op::Complex(a, b) => [a, b].into_iter().for_each(visit),
        Op::Select(a, b, c) | Op::Fma(a, b, c) => [a, b, c].into_iter().for_each(visit),
    }
}

/// Visits the values that a statement itself uses, not those of its blocks.
fn each_use(statement: &mut Stmt, visit: &mut dyn FnMut(&mut Value)) {
    match statement {
        Stmt::Let(_, op) => each_operand(op, visit),
        Stmt::Set(_, value) | Stmt::Require(value, _) => visit(value),
        Stmt::Store { offset, value, .. } | Stmt::Atomic { offset, value, .. } => {
            offset.iter_mut().for_each(&mut *visit);
            visit(value);
        }
        Stmt::If { cond, .. } | Stmt::While { cond, .. } => visit(cond),
    }
}

/// The operation with its operands in one order where the order does not matter.
fn sorted(op: Op) -> Op {
    match op {
        Op::Binary(op @ (Binary::Add | Binary::Mul | Binary::And | Binary::Or | Binary::Xor), a, b) => {
            Op::Binary(op, a.min(b), a.max(b))
        }
        _ => op,
    }
}

/// Lets equal computations share one value.
struct Sharing<'k> {
    types: &'k [DType],
    renamed: Vec<Value>,
    scopes: Vec<FxHashMap<(DType, Op), Value>>,
}

impl Sharing<'_> {
    fn block(&mut self, block: &mut Block) {
        self.scopes.push(FxHashMap::default());
        self.statements(block);
        self.scopes.pop();
    }

    fn statements(&mut self, block: &mut Block) {
        block.retain_mut(|statement| self.keep(statement));
    }

    fn keep(&mut self, statement: &mut Stmt) -> bool {
        if let Stmt::While { head, cond, body } = statement {
            self.scopes.push(FxHashMap::default());
            self.statements(head);
            *cond = self.renamed[cond.0 as usize];
            self.statements(body);
            self.scopes.pop();
            return true;
        }
        each_use(statement, &mut |value| *value = self.renamed[value.0 as usize]);
        match statement {
            Stmt::Let(value, op) => self.share(*value, *op),
            Stmt::If { then, otherwise, .. } => {
                self.block(then);
                self.block(otherwise);
                true
            }
            _ => true,
        }
    }

    fn share(&mut self, value: Value, op: Op) -> bool {
        let same = match op {
            Op::Load { .. } | Op::Get(_) => return true,
            Op::Select(_, yes, no) if yes == no => Some(yes),
            _ => {
                let key = (self.types[value.0 as usize], sorted(op));
                let found = self.scopes.iter().rev().find_map(|scope| scope.get(&key).copied());
                if found.is_none() {
                    self.scopes.last_mut().expect("a scope is open").insert(key, value);
                }
                found
            }
        };
        self.renamed[value.0 as usize] = same.unwrap_or(value);
        same.is_none()
    }
}

/// Drops bindings that nothing uses and assignments to locals that nothing reads.
struct Liveness {
    values: Vec<bool>,
    locals: Vec<bool>,
}

impl Liveness {
    fn find_reads(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Stmt::Let(_, Op::Get(Local(local))) => self.locals[*local as usize] = true,
                Stmt::If { then: first, otherwise: second, .. } | Stmt::While { head: first, body: second, .. } => {
                    self.find_reads(first);
                    self.find_reads(second);
                }
                _ => {}
            }
        }
    }

    fn block(&mut self, block: &mut Block) {
        let mut kept = Vec::with_capacity(block.len());
        while let Some(mut statement) = block.pop() {
            if self.keep(&mut statement) {
                each_use(&mut statement, &mut |value| self.values[value.0 as usize] = true);
                // The head binds the condition, so it comes after its use.
                if let Stmt::While { head, .. } = &mut statement {
                    self.block(head);
                }
                kept.push(statement);
            }
        }
        kept.reverse();
        *block = kept;
    }

    fn keep(&mut self, statement: &mut Stmt) -> bool {
        match statement {
            Stmt::Let(value, _) => self.values[value.0 as usize],
            Stmt::Set(local, _) => self.locals[local.0 as usize],
            Stmt::If { then, otherwise, .. } => {
                self.block(then);
                self.block(otherwise);
                !(then.is_empty() && otherwise.is_empty())
            }
            Stmt::While { body, .. } => {
                self.block(body);
                true
            }
            _ => true,
        }
    }
}

/// Numbers the remaining values in the order of their bindings.
struct Numbering<'k> {
    types: &'k [DType],
    renamed: Vec<Value>,
    kept: Vec<DType>,
}

impl Numbering<'_> {
    fn define(&mut self, value: &mut Value) {
        self.kept.push(self.types[value.0 as usize]);
        self.renamed[value.0 as usize] = Value(self.kept.len() as u32 - 1);
        self.replace(value);
    }

    fn replace(&self, value: &mut Value) {
        *value = self.renamed[value.0 as usize];
    }

    fn block(&mut self, block: &mut Block) {
        for statement in block {
            if let Stmt::While { head, .. } = statement {
                self.block(head);
            }
            each_use(statement, &mut |value| self.replace(value));
            match statement {
                Stmt::Let(value, _) => self.define(value),
                Stmt::If { then, otherwise, .. } => {
                    self.block(then);
                    self.block(otherwise);
                }
                Stmt::While { body, .. } => self.block(body),
                _ => {}
            }
        }
    }
}
