//! Where values come from: what a kernel of rows passes on from one of its maps to the next, and which operands a fold
//! folds.

use std::collections::BTreeSet;

use super::kernel::{Block, Body, Fold, Kernel, Op, Rows, Segments, Stmt, Value};

impl Op {
    /// Calls `visit` on the values that the operation uses.
    pub fn each_operand(&self, visit: &mut dyn FnMut(Value)) {
        match *self {
            Op::Const(_) | Op::Scalar { .. } | Op::Index | Op::OuterIndex | Op::Get(_) => {}
            Op::Load { offset, .. } => offset.into_iter().for_each(visit),
            Op::Unary(_, a) | Op::Cast(a) | Op::Bitcast(a) | Op::Element(_, a) => visit(a),
            Op::Binary(_, a, b) | Op::Compare(_, a, b) | Op::Complex(a, b) => [a, b].into_iter().for_each(visit),
            Op::Select(a, b, c) | Op::Fma(a, b, c) => [a, b, c].into_iter().for_each(visit),
        }
    }
}

impl Stmt {
    /// Calls `visit` on the values that the statement uses, those in its blocks included.
    pub fn each_use(&self, visit: &mut dyn FnMut(Value)) {
        match self {
            Stmt::Let(_, op) => op.each_operand(visit),
            Stmt::Set(_, value) | Stmt::Require(value, _) | Stmt::Fill(_, value) => visit(*value),
            Stmt::Put { index, value, .. } => [*index, *value].into_iter().for_each(visit),
            Stmt::Call { arguments, .. } => arguments.iter().for_each(|&argument| visit(argument)),
            Stmt::Store { offset, value, .. } | Stmt::Atomic { offset, value, .. } => {
                offset.iter().for_each(|&offset| visit(offset));
                visit(*value);
            }
            Stmt::If { cond, then: first, otherwise: second } | Stmt::While { head: first, cond, body: second } => {
                visit(*cond);
                first.iter().chain(second).for_each(|statement| statement.each_use(visit));
            }
        }
    }
}

impl Rows {
    /// The maps: that of each fold, then the last.
    pub fn maps(&self) -> impl Iterator<Item = &Block> + Clone {
        self.folds.iter().map(|fold| &fold.map.body).chain(std::iter::once(&self.map))
    }

    /// The statement of a map that binds each value, with the number of the map.
    pub fn bindings<'r>(&'r self, kernel: &Kernel) -> Vec<Option<(usize, &'r Stmt)>> {
        let mut bindings = vec![None; kernel.values.len()];
        for (number, map) in self.maps().enumerate() {
            for statement in map {
                if let Stmt::Let(value, _) = statement {
                    bindings[value.0 as usize] = Some((number, statement));
                }
            }
        }
        bindings
    }

    /// Adds to the results of a fold the values of its `finish` that later parts use: the bits of a number of 16 bits, for
    /// example, beside its value.
    pub(super) fn pass_on(&mut self) {
        let mut used = BTreeSet::new();
        self.map.iter().for_each(|statement| statement.each_use(&mut |value| _ = used.insert(value)));
        for fold in self.folds.iter_mut().rev() {
            for statement in &fold.finish.body {
                if let Stmt::Let(value, _) = statement
                    && used.contains(value)
                    && !fold.finish.results.contains(value)
                {
                    fold.finish.results.push(*value);
                }
            }
            for lambda in [&fold.finish, &fold.map] {
                lambda.body.iter().for_each(|statement| statement.each_use(&mut |value| _ = used.insert(value)));
                used.extend(&lambda.results);
            }
        }
    }

    /// What map `number` itself uses: by its statements, or as what it folds.
    fn uses(&self, number: usize, visit: &mut dyn FnMut(Value)) {
        if let Some(fold) = self.folds.get(number) {
            fold.map.results.iter().for_each(|&value| visit(value));
        }
        self.maps().nth(number).into_iter().flatten().for_each(|statement| statement.each_use(visit));
    }

    /// For each map, the values of earlier ones that it or a later one uses; where computing such a value again is
    /// `cheap`, what that takes is passed on instead.
    pub fn held(&self, kernel: &Kernel, cheap: &dyn Fn(&Op) -> bool) -> Vec<Vec<Value>> {
        let bindings = self.bindings(kernel);
        let count = self.folds.len() + 1;
        let mut held = vec![vec![]; count];
        for user in 1..count {
            let mut todo = vec![];
            self.uses(user, &mut |value| todo.push(value));
            let mut seen = vec![false; kernel.values.len()];
            while let Some(value) = todo.pop() {
                if std::mem::replace(&mut seen[value.0 as usize], true) {
                    continue;
                }
                let Some((binder, Stmt::Let(_, op))) = bindings[value.0 as usize] else { continue };
                if binder >= user {
                    continue;
                }
                if cheap(op) {
                    op.each_operand(&mut |operand| todo.push(operand));
                    continue;
                }
                for list in &mut held[binder + 1..=user] {
                    if !list.contains(&value) {
                        list.push(value);
                    }
                }
            }
        }
        held.iter_mut().for_each(|list| list.sort_unstable());
        held
    }

    /// The statements by which map `number` computes again what earlier ones computed and what is not `held` for it, in
    /// their order.
    pub fn repeated<'r>(&'r self, kernel: &Kernel, number: usize, held: &[Value]) -> Vec<&'r Stmt> {
        let bindings = self.bindings(kernel);
        let mut needed = vec![false; kernel.values.len()];
        let mut todo = vec![];
        self.uses(number, &mut |value| todo.push(value));
        while let Some(value) = todo.pop() {
            let Some((binder, Stmt::Let(_, op))) = bindings[value.0 as usize] else { continue };
            if binder < number && !held.contains(&value) && !std::mem::replace(&mut needed[value.0 as usize], true) {
                op.each_operand(&mut |operand| todo.push(operand));
            }
        }
        let is_needed = |statement: &&Stmt| matches!(statement, Stmt::Let(value, _) if needed[value.0 as usize]);
        self.maps().take(number).flatten().filter(is_needed).collect()
    }
}

impl Kernel {
    /// Bytes that a kernel of rows at most has to keep of each point between its maps; 0 for other kernels.
    pub fn held_bytes(&self) -> usize {
        let Body::Rows(rows) = &self.body else { return 0 };
        // Narrow floats are kept as the floats that they are computed in.
        let size = |value: &Value| self.dtype(*value).computed().size();
        let bytes = |held: &Vec<Value>| {
            let largest = held.iter().map(size).max().unwrap_or(1);
            held.iter().map(size).sum::<usize>().next_multiple_of(largest)
        };
        let held = rows.held(self, &|op| matches!(op, Op::Const(_) | Op::Scalar { .. }));
        held.iter().map(bytes).max().unwrap_or(0)
    }

    /// For each fold, the operands (bit by bit) whose elements decide what it folds. Of a simplified kernel: what
    /// [`super::legalize`] found to be constant is computed from none.
    pub fn folded_operands(&self) -> Vec<u32> {
        let bit = |operand: u16| 1 << operand;
        match &self.body {
            Body::Map(_) => vec![],
            // All that is left of the map is there for what is folded.
            Body::Reduce(fold) | Body::Scan(fold) | Body::Segments(Segments { fold, .. }) => {
                let mut operands = 0;
                fold.map.visit(&mut |statement| {
                    if let Stmt::Let(_, Op::Load { operand, .. }) = statement {
                        operands |= bit(*operand);
                    }
                });
                vec![operands]
            }
            Body::Rows(rows) => {
                let mut operands = vec![0; self.values.len()];
                for statement in rows.maps().flatten() {
                    if let Stmt::Let(value, op) = statement {
                        let mut found = if let Op::Load { operand, .. } = *op { bit(operand) } else { 0 };
                        op.each_operand(&mut |used| found |= operands[used.0 as usize]);
                        operands[value.0 as usize] = found;
                    }
                }
                let folded =
                    |fold: &Fold| fold.map.results.iter().fold(0, |all, value| all | operands[value.0 as usize]);
                rows.folds.iter().map(folded).collect()
            }
        }
    }

    /// Whether every statement runs exactly once: there are no branches, loops, locals, arrays, calls or atomics.
    pub fn is_straight(&self) -> bool {
        let mut straight = true;
        self.visit(&mut |statement| straight &= matches!(statement, Stmt::Let(..) | Stmt::Store { .. }));
        straight
    }
}
