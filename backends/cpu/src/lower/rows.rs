//! Kernels of rows, as reductions and maps that take turns over a few rows at a time.
//!
//! What one part hands on to the next lies in temporary memory: the results of folds, one element a row, and what is
//! expensive to compute again, one element a point. Temporaries are further operands of each part, so each part is an
//! ordinary kernel, and folds group their elements as they always do.

use cuproxide_hal::ir::{
    Binary, Body, Compare, Fold, Kernel, Lambda, Literal, Mode, Op, OperandDecl, Rows, Stmt, Value,
};
use cuproxide_hal::{Access, DType, Error, Result, Scalar, Specialization};

use super::{Code, FoldCode, OPERANDS, compile_fold, compile_map, math};

/// A part of a kernel of rows.
pub enum Part {
    /// A fold: its results, one a row.
    Fold(FoldCode),
    /// A map over all points.
    Map(Code),
}

/// Memory for the results of one part, for the rows at hand.
#[derive(Clone, Copy, Debug)]
pub struct Temporary {
    /// Bytes of an element.
    pub size: usize,
    /// One element a row, or one a point.
    pub row: bool,
}

/// The compiled parts of a kernel of rows.
pub struct RowsCode {
    /// The parts, in order.
    pub parts: Vec<Part>,
    /// The operands that follow the kernel's own.
    pub temporaries: Vec<Temporary>,
}

/// Whether computing a value again is as cheap as reading it.
fn is_cheap(kernel: &Kernel, op: &Op) -> bool {
    match *op {
        Op::Unary(op, a) => math::unary(op, kernel.dtype(a)).is_none(),
        Op::Binary(op, a, _) => !matches!(op, Binary::Div | Binary::Rem) && math::binary(op, kernel.dtype(a)).is_none(),
        _ => true,
    }
}

/// The kernel whose parts are being made.
struct Splitter<'k> {
    kernel: &'k Kernel,
    rows: &'k Rows,
    /// Operands and values of every part: the kernel's own, then those added.
    operands: Vec<OperandDecl>,
    values: Vec<DType>,
    access: Vec<(Access, Access)>,
    temporaries: Vec<Temporary>,
    /// The operand that holds a value.
    homes: Vec<Option<u16>>,
}

/// Compiles a legalised kernel of rows.
pub fn compile_rows(kernel: &Kernel, specialization: Specialization) -> Result<RowsCode> {
    let Body::Rows(rows) = &kernel.body else { unreachable!("the kernel is one of rows") };
    let count = kernel.operands.len();
    let access = |operand| (specialization.outer_access(operand), specialization.inner_access(operand, count));
    let mut splitter = Splitter {
        kernel,
        rows,
        operands: kernel.operands.clone(),
        values: kernel.values.clone(),
        access: (0..count).map(access).collect(),
        temporaries: vec![],
        homes: vec![None; kernel.values.len()],
    };
    let held = rows.held(kernel, &|op| is_cheap(kernel, op));
    let bindings = rows.bindings(kernel);
    let mut bodies = vec![];
    for (number, fold) in rows.folds.iter().enumerate() {
        let made = held[number + 1..].iter().flatten().copied();
        let mut made: Vec<Value> =
            made.filter(|v| bindings[v.0 as usize].is_some_and(|(map, _)| map == number)).collect();
        made.sort_unstable();
        made.dedup();
        if !made.is_empty() {
            bodies.push(splitter.keep(number, &held[number], &made));
        }
        bodies.push(splitter.fold(number, fold, &held[number], &made));
    }
    if !rows.map.is_empty() {
        let last = rows.folds.len();
        let mut block = splitter.before(last, &held[last]);
        block.extend(rows.map.iter().cloned());
        bodies.push(Body::Map(block));
    }
    if splitter.operands.len() > OPERANDS {
        return Err(Error::unsupported(
            "cpu",
            format!("rows of kernel {}: too many values between its parts", kernel.name),
        ));
    }
    let (outer, inner) = (specialization.outer(), specialization.inner());
    let mut parts = vec![];
    for body in bodies {
        let mut part = Kernel {
            name: kernel.name.clone(),
            operands: splitter.operands.iter().map(|operand| OperandDecl { mode: Mode::Read, ..*operand }).collect(),
            scalars: kernel.scalars.clone(),
            values: splitter.values.clone(),
            locals: vec![],
            arrays: vec![],
            functions: vec![],
            body,
            ordered: false,
            grouped_as: None,
            any_order: kernel.any_order,
            finds_position: false,
        };
        let mut written = vec![];
        part.visit(&mut |statement| {
            if let Stmt::Store { operand, .. } = statement {
                written.push(usize::from(*operand));
            }
        });
        written.into_iter().for_each(|operand| part.operands[operand].mode = Mode::Write);
        parts.push(match part.body {
            Body::Map(_) => {
                let along_line: Vec<_> = splitter.access.iter().map(|&(_, inner)| (inner, inner)).collect();
                Part::Map(compile_map(&part, specialization.derive(outer + inner, 0, &along_line))?)
            }
            _ => Part::Fold(compile_fold(&part, specialization.derive(outer, inner, &splitter.access))?),
        });
    }
    Ok(RowsCode { parts, temporaries: splitter.temporaries })
}

impl Splitter<'_> {
    fn fresh(&mut self, dtype: DType) -> Value {
        self.values.push(dtype);
        Value(self.values.len() as u32 - 1)
    }

    /// A new operand for a value, written by one part and read by later ones.
    fn home(&mut self, value: Value, row: bool) -> u16 {
        let dtype = self.kernel.dtype(value);
        let operand = self.operands.len() as u16;
        self.operands.push(OperandDecl { dtype: dtype.storage(), mode: Mode::Write });
        self.access.push(if row { (Access::Unit, Access::Broadcast) } else { (Access::Strided, Access::Unit) });
        self.temporaries.push(Temporary { size: dtype.storage().size(), row });
        self.homes[value.0 as usize] = Some(operand);
        operand
    }

    /// Writes a value to its home.
    fn store(&mut self, block: &mut Vec<Stmt>, value: Value, operand: u16) {
        let mut stored = value;
        if self.kernel.dtype(value) == DType::Bool {
            stored = self.fresh(DType::U8);
            block.push(Stmt::Let(stored, Op::Cast(value)));
        }
        block.push(Stmt::Store { operand, offset: None, lane: 0, value: stored });
    }

    /// Reads a value from its home.
    fn load(&mut self, block: &mut Vec<Stmt>, value: Value, operand: u16) {
        let load = Op::Load { operand, offset: None, lane: 0 };
        if self.kernel.dtype(value) != DType::Bool {
            block.push(Stmt::Let(value, load));
            return;
        }
        let (byte, zero) = (self.fresh(DType::U8), self.fresh(DType::U8));
        block.push(Stmt::Let(byte, load));
        block.push(Stmt::Let(zero, Op::Const(Literal::from(Scalar::integer(DType::U8, 0)))));
        block.push(Stmt::Let(value, Op::Compare(Compare::Ne, byte, zero)));
    }

    /// Reads the results of folds that are used by `block` or to yield `results`.
    fn rows_for(&mut self, block: Vec<Stmt>, results: &[Value]) -> Vec<Stmt> {
        let mut used = vec![false; self.values.len()];
        block.iter().for_each(|statement| statement.each_use(&mut |value| used[value.0 as usize] = true));
        results.iter().for_each(|value| used[value.0 as usize] = true);
        let mut whole = vec![];
        let finished: Vec<Value> = self.rows.folds.iter().flat_map(|fold| fold.finish.results.clone()).collect();
        for value in finished {
            if let (true, Some(operand)) = (used[value.0 as usize], self.homes[value.0 as usize]) {
                self.load(&mut whole, value, operand);
            }
        }
        whole.extend(block);
        whole
    }

    /// What comes before the statements of map `number`.
    fn before(&mut self, number: usize, held: &[Value]) -> Vec<Stmt> {
        let mut block = vec![];
        for &value in held {
            let operand = self.homes[value.0 as usize].expect("an earlier part keeps the value");
            self.load(&mut block, value, operand);
        }
        block.extend(self.rows.repeated(self.kernel, number, held).into_iter().cloned());
        let own = self.rows.maps().nth(number).cloned().unwrap_or_default();
        let (results, count) = (self.rows.folds.get(number).map(|fold| fold.map.results.clone()), own.len());
        block.extend(own);
        // The statements of the map itself are the caller's to choose from.
        let mut whole = self.rows_for(block, &results.unwrap_or_default());
        whole.truncate(whole.len() - count);
        whole
    }

    /// The map that computes and keeps values for later parts.
    fn keep(&mut self, number: usize, held: &[Value], made: &[Value]) -> Body {
        let mut block = self.before(number, held);
        let map = &self.rows.folds[number].map.body;
        let mut needed = vec![false; self.values.len()];
        made.iter().for_each(|value| needed[value.0 as usize] = true);
        for statement in map.iter().rev() {
            if let Stmt::Let(value, op) = statement
                && needed[value.0 as usize]
            {
                op.each_operand(&mut |operand| needed[operand.0 as usize] = true);
            }
        }
        let is_needed = |statement: &&Stmt| matches!(statement, Stmt::Let(value, _) if needed[value.0 as usize]);
        block.extend(map.iter().filter(is_needed).cloned());
        for &value in made {
            let operand = self.home(value, false);
            self.store(&mut block, value, operand);
        }
        Body::Map(block)
    }

    /// The fold of a map, of whose values those just `made` are read.
    fn fold(&mut self, number: usize, fold: &Fold, held: &[Value], made: &[Value]) -> Body {
        let mut map = vec![];
        for &value in made {
            let operand = self.homes[value.0 as usize].expect("the value was just kept");
            self.load(&mut map, value, operand);
        }
        let is_made = |statement: &&Stmt| !matches!(statement, Stmt::Let(value, _) if made.contains(value));
        let before = self.before(number, held);
        let own: Vec<Stmt> = fold.map.body.iter().filter(is_made).cloned().collect();
        map.extend(before);
        map.extend(own);
        let map = self.pruned(map, &fold.map.results);
        let mut finish = self.rows_for(fold.finish.body.clone(), &[]);
        let mut used = vec![false; self.values.len()];
        let mut mark = |value: Value| used[value.0 as usize] = true;
        self.rows.maps().skip(number + 1).flatten().for_each(|statement| statement.each_use(&mut mark));
        for later in &self.rows.folds[number + 1..] {
            later.finish.body.iter().for_each(|statement| statement.each_use(&mut mark));
            later.map.results.iter().chain(&later.finish.results).for_each(|&value| mark(value));
        }
        for &value in &fold.finish.results {
            if used[value.0 as usize] && self.homes[value.0 as usize].is_none() {
                let operand = self.home(value, true);
                self.store(&mut finish, value, operand);
            }
        }
        Body::Reduce(Fold {
            identity: fold.identity.clone(),
            map: Lambda { params: vec![], body: map, results: fold.map.results.clone() },
            combine: fold.combine.clone(),
            finish: Lambda { params: fold.finish.params.clone(), body: finish, results: vec![] },
        })
    }

    /// The statements that `results` need.
    fn pruned(&self, block: Vec<Stmt>, results: &[Value]) -> Vec<Stmt> {
        let mut needed = vec![false; self.values.len()];
        results.iter().for_each(|value| needed[value.0 as usize] = true);
        let mut kept: Vec<Stmt> = vec![];
        for statement in block.into_iter().rev() {
            if let Stmt::Let(value, op) = &statement
                && needed[value.0 as usize]
            {
                op.each_operand(&mut |operand| needed[operand.0 as usize] = true);
                kept.push(statement);
            }
        }
        kept.reverse();
        kept
    }
}
