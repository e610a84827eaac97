//! Kernels as text, for snapshots and for people.

use std::fmt::{self, Display, Formatter};

use crate::Scalar;

use super::kernel::*;

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for Local {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

impl Display for Array {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "&{}", self.0)
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let scalar = Scalar { bytes: self.bytes, dtype: self.dtype };
        match scalar.to_complex() {
            (re, im) if self.dtype.is_complex() => write!(f, "({re:?}, {im:?})"),
            (re, _) if self.dtype.is_float() => write!(f, "{re:?}"),
            _ => write!(f, "{}", scalar.to_integer()),
        }
    }
}

/// ` + %offset .lane` of a memory access, where present.
struct Place(u16, Option<Value>, u8);

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)?;
        if let Some(offset) = self.1 {
            write!(f, "[{offset}]")?;
        }
        if self.2 > 0 {
            write!(f, ".{}", self.2)?;
        }
        Ok(())
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Op::Const(literal) => write!(f, "const {literal}"),
            Op::Scalar { index, lane: 0 } => write!(f, "scalar {index}"),
            Op::Scalar { index, lane } => write!(f, "scalar {index}.{lane}"),
            Op::Index => f.write_str("index"),
            Op::OuterIndex => f.write_str("outer_index"),
            Op::Load { operand, offset, lane } => write!(f, "load {}", Place(operand, offset, lane)),
            Op::Unary(op, a) => write!(f, "{} {a}", name(&op)),
            Op::Binary(op, a, b) => write!(f, "{} {a}, {b}", name(&op)),
            Op::Compare(op, a, b) => write!(f, "{} {a}, {b}", name(&op)),
            Op::Select(cond, yes, no) => write!(f, "select {cond}, {yes}, {no}"),
            Op::Fma(a, b, c) => write!(f, "fma {a}, {b}, {c}"),
            Op::Cast(a) => write!(f, "cast {a}"),
            Op::Bitcast(a) => write!(f, "bitcast {a}"),
            Op::Complex(re, im) => write!(f, "complex {re}, {im}"),
            Op::Get(local) => write!(f, "get {local}"),
            Op::Element(array, index) => write!(f, "element {array}[{index}]"),
        }
    }
}

fn name(op: &impl fmt::Debug) -> String {
    format!("{op:?}").to_lowercase()
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = match self.body {
            Body::Map(_) => "map",
            Body::Reduce(_) => "reduce",
            Body::Scan(_) => "scan",
            Body::Rows(_) => "rows",
            Body::Segments(_) => "segments",
        };
        let ordered = if self.ordered { "ordered " } else { "" };
        writeln!(f, "{ordered}{kind} {} {{", self.name)?;
        for (index, operand) in self.operands.iter().enumerate() {
            writeln!(f, "  operand @{index}: {} {}", name(&operand.mode), operand.dtype)?;
        }
        for (index, dtype) in self.scalars.iter().enumerate() {
            writeln!(f, "  scalar {index}: {dtype}")?;
        }
        for (index, dtype) in self.locals.iter().enumerate() {
            writeln!(f, "  local ${index}: {dtype}")?;
        }
        for (index, ArrayDecl { dtype, length }) in self.arrays.iter().enumerate() {
            writeln!(f, "  array &{index}: {dtype}[{length}]")?;
        }
        for function in &self.functions {
            self.lambda(f, &format!("function {}", function.name), &function.lambda)?;
        }
        match &self.body {
            Body::Map(block) => self.block(f, block, 1)?,
            Body::Reduce(fold) | Body::Scan(fold) => {
                self.fold(f, fold)?;
            }
            Body::Rows(rows) => {
                for fold in &rows.folds {
                    self.fold(f, fold)?;
                }
                writeln!(f, "  map() {{")?;
                self.block(f, &rows.map, 2)?;
                writeln!(f, "  }}")?;
            }
            Body::Segments(segments) => {
                self.lambda(f, "range", &segments.range)?;
                self.fold(f, &segments.fold)?;
            }
        }
        writeln!(f, "}}")
    }
}

impl Kernel {
    fn fold(&self, f: &mut Formatter<'_>, fold: &Fold) -> fmt::Result {
        let parts =
            [("identity", &fold.identity), ("map", &fold.map), ("combine", &fold.combine), ("finish", &fold.finish)];
        parts.into_iter().try_for_each(|(label, lambda)| self.lambda(f, label, lambda))
    }

    fn lambda(&self, f: &mut Formatter<'_>, label: &str, lambda: &Lambda) -> fmt::Result {
        writeln!(f, "  {label}({}) {{", self.typed(&lambda.params))?;
        self.block(f, &lambda.body, 2)?;
        if !lambda.results.is_empty() {
            writeln!(f, "    yield {}", self.typed(&lambda.results))?;
        }
        writeln!(f, "  }}")
    }

    fn typed(&self, values: &[Value]) -> String {
        values.iter().map(|&v| format!("{v}: {}", self.dtype(v))).collect::<Vec<_>>().join(", ")
    }

    fn block(&self, f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
        let pad = "  ".repeat(depth);
        for statement in block {
            match statement {
                Stmt::Let(value, op) => writeln!(f, "{pad}{value}: {} = {op}", self.dtype(*value))?,
                Stmt::Set(local, value) => writeln!(f, "{pad}set {local}, {value}")?,
                Stmt::Fill(array, value) => writeln!(f, "{pad}fill {array}, {value}")?,
                Stmt::Put { array, index, value } => writeln!(f, "{pad}put {array}[{index}], {value}")?,
                Stmt::Call { callee, arguments, results } => {
                    let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
                    // A kernel that is not valid may name a function that is not there.
                    let name = self.functions.get(usize::from(callee.0)).map_or("?", |function| &function.name);
                    writeln!(f, "{pad}{} = call {name}({})", self.typed(results), arguments.join(", "))?;
                }
                Stmt::Store { operand, offset, lane, value } => {
                    writeln!(f, "{pad}store {}, {value}", Place(*operand, *offset, *lane))?;
                }
                Stmt::Atomic { operand, offset, lane, op, value } => {
                    writeln!(f, "{pad}atomic {} {}, {value}", name(op), Place(*operand, *offset, *lane))?;
                }
                Stmt::If { cond, then, otherwise } => {
                    writeln!(f, "{pad}if {cond} {{")?;
                    self.block(f, then, depth + 1)?;
                    if !otherwise.is_empty() {
                        writeln!(f, "{pad}}} else {{")?;
                        self.block(f, otherwise, depth + 1)?;
                    }
                    writeln!(f, "{pad}}}")?;
                }
                Stmt::While { head, cond, body } => {
                    writeln!(f, "{pad}while {{")?;
                    self.block(f, head, depth + 1)?;
                    writeln!(f, "{pad}}} {cond} {{")?;
                    self.block(f, body, depth + 1)?;
                    writeln!(f, "{pad}}}")?;
                }
                Stmt::Require(cond, fault) => writeln!(f, "{pad}require {cond}, {}", name(fault))?,
            }
        }
        Ok(())
    }
}
