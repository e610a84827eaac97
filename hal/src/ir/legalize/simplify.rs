//! Removes what the other passes leave behind: repeated computations, unused values, gaps in the numbering.

use std::mem;

use rustc_hash::FxHashMap;

use crate::DType;
use crate::ir::{
    Array, Binary, Block, Body, Callee, Fold, Function, Kernel, Lambda, Local, Op, Segments, Stmt, Unary, Value,
};

/// Simplifies a kernel without changing what it computes.
pub(super) fn simplify(kernel: &mut Kernel) {
    let mut body = mem::replace(&mut kernel.body, Body::Map(vec![]));
    let mut functions = mem::take(&mut kernel.functions);
    let mut sharing = Sharing {
        types: &kernel.values,
        renamed: identity(kernel.values.len()),
        negated: FxHashMap::default(),
        scopes: vec![],
        calls: vec![],
    };
    each_root(&mut functions, &mut body, &mut |block, results| {
        sharing.block(block);
        results.iter_mut().for_each(|result| *result = sharing.renamed[result.0 as usize]);
    });
    let mut liveness = Liveness {
        values: vec![false; kernel.values.len()],
        locals: vec![false; kernel.locals.len()],
        arrays: vec![false; kernel.arrays.len()],
        functions: vec![false; functions.len()],
    };
    each_root(&mut functions, &mut body, &mut |block, _| liveness.find_reads(block));
    find_live(&mut liveness, &mut body);
    for (number, function) in functions.iter_mut().enumerate().rev() {
        if liveness.functions[number] {
            liveness.lambda(&mut function.lambda);
        }
    }
    keep_called(&liveness.functions, &mut functions, &mut body);
    let mut numbering = Numbering { types: &kernel.values, renamed: identity(kernel.values.len()), kept: vec![] };
    each_lambda(&mut functions, &mut body, &mut |params, block, results| {
        params.iter_mut().for_each(|param| numbering.define(param));
        numbering.block(block);
        results.iter_mut().for_each(|result| numbering.replace(result));
    });
    kernel.values = numbering.kept;
    kernel.body = body;
    kernel.functions = functions;
}

/// Drops what nothing uses, from the end of the body to its beginning.
fn find_live(liveness: &mut Liveness, body: &mut Body) {
    let lambdas = |liveness: &mut Liveness, fold: &mut Fold| {
        for lambda in [&mut fold.finish, &mut fold.combine, &mut fold.map, &mut fold.identity] {
            liveness.lambda(lambda);
        }
    };
    match body {
        Body::Map(block) => liveness.block(block),
        Body::Reduce(fold) | Body::Scan(fold) => lambdas(liveness, fold),
        // What a map binds, later ones may use.
        Body::Rows(rows) => {
            liveness.block(&mut rows.map);
            rows.folds.iter_mut().rev().for_each(|fold| lambdas(liveness, fold));
        }
        // What the range is, the fold may use.
        Body::Segments(segments) => {
            lambdas(liveness, &mut segments.fold);
            liveness.lambda(&mut segments.range);
        }
    }
}

/// Keeps the functions that are called.
fn keep_called(called: &[bool], functions: &mut Vec<Function>, body: &mut Body) {
    if called.iter().all(|&called| called) {
        return;
    }
    let number = |callee: Callee| called[..usize::from(callee.0)].iter().filter(|&&called| called).count() as u16;
    let mut kept = called.iter();
    functions.retain(|_| kept.next().copied().unwrap_or(true));
    each_root(functions, body, &mut |block, _| each_call(block, &mut |callee| *callee = Callee(number(*callee))));
}

fn each_call(block: &mut Block, visit: &mut dyn FnMut(&mut Callee)) {
    for statement in block {
        match statement {
            Stmt::Call { callee, .. } => visit(callee),
            Stmt::If { then: first, otherwise: second, .. } | Stmt::While { head: first, body: second, .. } => {
                each_call(first, visit);
                each_call(second, visit);
            }
            _ => {}
        }
    }
}

fn identity(count: usize) -> Vec<Value> {
    (0..count as u32).map(Value).collect()
}

/// Visits parameters, statements and results of the functions and of the kernel's outermost blocks, in the order in which
/// their values are bound.
fn each_lambda(
    functions: &mut [Function],
    body: &mut Body,
    visit: &mut dyn FnMut(&mut [Value], &mut Block, &mut [Value]),
) {
    let mut lambda = |lambda: &mut Lambda| visit(&mut lambda.params, &mut lambda.body, &mut lambda.results);
    functions.iter_mut().for_each(|function| lambda(&mut function.lambda));
    let mut fold = |fold: &mut Fold| {
        [&mut fold.identity, &mut fold.map, &mut fold.combine, &mut fold.finish].into_iter().for_each(&mut lambda);
    };
    match body {
        Body::Map(block) => visit(&mut [], block, &mut []),
        Body::Reduce(one) | Body::Scan(one) => fold(one),
        Body::Rows(rows) => {
            rows.folds.iter_mut().for_each(fold);
            visit(&mut [], &mut rows.map, &mut []);
        }
        Body::Segments(Segments { range, fold: one }) => {
            let Fold { identity, map, combine, finish } = one;
            [range, identity, map, combine, finish].into_iter().for_each(lambda);
        }
    }
}

fn each_root(functions: &mut [Function], body: &mut Body, visit: &mut dyn FnMut(&mut Block, &mut [Value])) {
    each_lambda(functions, body, &mut |_, block, results| visit(block, results));
}

/// Visits the values that an operation uses.
fn each_operand(op: &mut Op, visit: &mut dyn FnMut(&mut Value)) {
    match op {
        Op::Const(_) | Op::Scalar { .. } | Op::Index | Op::OuterIndex | Op::Get(_) => {}
        Op::Load { offset, .. } => offset.iter_mut().for_each(visit),
        Op::Unary(_, a) | Op::Cast(a) | Op::Bitcast(a) | Op::Element(_, a) => visit(a),
        Op::Binary(_, a, b) | Op::Compare(_, a, b) | Op::Complex(a, b) => [a, b].into_iter().for_each(visit),
        Op::Select(a, b, c) | Op::Fma(a, b, c) => [a, b, c].into_iter().for_each(visit),
    }
}

/// Visits the values that a statement itself uses, not those of its blocks.
fn each_use(statement: &mut Stmt, visit: &mut dyn FnMut(&mut Value)) {
    match statement {
        Stmt::Let(_, op) => each_operand(op, visit),
        Stmt::Set(_, value) | Stmt::Require(value, _) | Stmt::Fill(_, value) => visit(value),
        Stmt::Put { index, value, .. } => [index, value].into_iter().for_each(visit),
        Stmt::Call { arguments, .. } => arguments.iter_mut().for_each(visit),
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
    /// Of values that are another one's negative: that one.
    negated: FxHashMap<Value, Value>,
    scopes: Vec<FxHashMap<(DType, Op), Value>>,
    /// For each scope, the results of the calls in it.
    calls: Vec<FxHashMap<(Callee, Vec<Value>), Vec<Value>>>,
}

impl Sharing<'_> {
    fn block(&mut self, block: &mut Block) {
        self.open();
        self.statements(block);
        self.close();
    }

    fn open(&mut self) {
        self.scopes.push(FxHashMap::default());
        self.calls.push(FxHashMap::default());
    }

    fn close(&mut self) {
        self.scopes.pop();
        self.calls.pop();
    }

    fn statements(&mut self, block: &mut Block) {
        block.retain_mut(|statement| self.keep(statement));
    }

    fn keep(&mut self, statement: &mut Stmt) -> bool {
        if let Stmt::While { head, cond, body } = statement {
            self.open();
            self.statements(head);
            *cond = self.renamed[cond.0 as usize];
            self.statements(body);
            self.close();
            return true;
        }
        each_use(statement, &mut |value| *value = self.renamed[value.0 as usize]);
        match statement {
            Stmt::Let(value, op) => {
                self.drop_sign(op);
                self.share(*value, *op)
            }
            Stmt::Call { callee, arguments, results } => self.share_call(*callee, arguments, results),
            Stmt::If { then, otherwise, .. } => {
                self.block(then);
                self.block(otherwise);
                true
            }
            _ => true,
        }
    }

    /// Functions compute the same from the same arguments.
    fn share_call(&mut self, callee: Callee, arguments: &[Value], results: &[Value]) -> bool {
        let key = (callee, arguments.to_vec());
        if let Some(found) = self.calls.iter().rev().find_map(|scope| scope.get(&key)) {
            for (result, &same) in results.iter().zip(found) {
                self.renamed[result.0 as usize] = same;
            }
            return false;
        }
        self.calls.last_mut().expect("a scope is open").insert(key, results.to_vec());
        true
    }

    /// The magnitude of a number is that of its negative.
    fn drop_sign(&self, op: &mut Op) {
        if let Op::Unary(Unary::Abs, value) = op
            && let Some(&positive) = self.negated.get(value)
        {
            *value = positive;
        }
    }

    fn share(&mut self, value: Value, op: Op) -> bool {
        if let Op::Unary(Unary::Neg, positive) = op
            && self.types[value.0 as usize].is_float()
        {
            self.negated.insert(value, positive);
        }
        let same = match op {
            Op::Load { .. } | Op::Get(_) | Op::Element(..) => return true,
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

/// Drops bindings that nothing uses and assignments to locals and arrays that nothing reads.
struct Liveness {
    values: Vec<bool>,
    locals: Vec<bool>,
    arrays: Vec<bool>,
    /// Functions that are called by what is left.
    functions: Vec<bool>,
}

impl Liveness {
    fn find_reads(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Stmt::Let(_, Op::Get(Local(local))) => self.locals[*local as usize] = true,
                Stmt::Let(_, Op::Element(Array(array), _)) => self.arrays[*array as usize] = true,
                Stmt::If { then: first, otherwise: second, .. } | Stmt::While { head: first, body: second, .. } => {
                    self.find_reads(first);
                    self.find_reads(second);
                }
                _ => {}
            }
        }
    }

    fn lambda(&mut self, lambda: &mut Lambda) {
        lambda.results.iter().for_each(|result| self.values[result.0 as usize] = true);
        self.block(&mut lambda.body);
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
            Stmt::Fill(array, _) | Stmt::Put { array, .. } => self.arrays[array.0 as usize],
            Stmt::Call { callee, results, .. } => {
                let live = results.iter().any(|result| self.values[result.0 as usize]);
                self.functions[usize::from(callee.0)] |= live;
                live
            }
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
                Stmt::Call { results, .. } => results.iter_mut().for_each(|result| self.define(result)),
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
