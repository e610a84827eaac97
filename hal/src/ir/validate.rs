//! Checks that a kernel keeps the rules of the IR.

use crate::{DType, Error, Kind, Result, Specialization};

use super::kernel::*;
use super::ops::{Binary, Unary};

impl Kernel {
    /// Checks names, scopes, types and operand use.
    ///
    /// # Errors
    /// [`Error::InvalidKernel`] names the first rule that is broken.
    pub fn validate(&self) -> Result<()> {
        self.check(false)
    }

    /// Checks that [`legalize`](super::legalize) made this kernel, or could have: scopes and types are right and only
    /// what a lowering must know is left.
    ///
    /// # Errors
    /// [`Error::InvalidKernel`] names the first rule that is broken.
    pub fn validate_legalized(&self) -> Result<()> {
        self.check(true)
    }

    fn check(&self, legalized: bool) -> Result<()> {
        let invalid = |reason| Error::InvalidKernel { kernel: self.name.clone(), reason };
        let valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if self.name.is_empty() || !self.name.chars().all(valid) {
            return Err(invalid("its name must be letters, digits and underscores".to_owned()));
        }
        if self.operands.len() > Specialization::MAX_OPERANDS {
            return Err(invalid(format!("{} operands, {} allowed", self.operands.len(), Specialization::MAX_OPERANDS)));
        }
        let mut checker = Checker { kernel: self, legalized, bound: vec![false; self.values.len()] };
        checker.body().map_err(invalid)
    }
}

struct Checker<'k> {
    kernel: &'k Kernel,
    legalized: bool,
    bound: Vec<bool>,
}

type Check<T = ()> = Result<T, String>;

fn ensure(condition: bool, reason: impl FnOnce() -> String) -> Check {
    if condition { Ok(()) } else { Err(reason()) }
}

impl Checker<'_> {
    fn body(&mut self) -> Check {
        if self.legalized {
            let plain = |dtype: &DType| !dtype.is_complex() && !matches!(dtype, DType::F16 | DType::BF16);
            let odd = self.kernel.values.iter().chain(&self.kernel.locals).find(|dtype| !plain(dtype));
            ensure(odd.is_none(), || format!("a value or local of type {} is left", odd.unwrap_or(&DType::Bool)))?;
        }
        match &self.kernel.body {
            Body::Map(block) => self.block(block),
            Body::Reduce(fold) | Body::Scan(fold) => {
                self.fold(fold)?;
                self.lambda(&fold.finish)?;
                ensure(fold.finish.results.is_empty(), || "finish must yield nothing".to_owned())
            }
            Body::Rows(rows) => self.rows(rows),
        }
    }

    /// Checks a fold but for its finish.
    fn fold(&mut self, fold: &Fold) -> Check {
        let accumulators = self.lambda(&fold.identity)?;
        let mapped = self.lambda(&fold.map)?;
        let combined = self.lambda(&fold.combine)?;
        let params = |lambda: &Lambda| lambda.params.iter().map(|&v| self.kernel.dtype(v)).collect::<Vec<_>>();
        ensure(!accumulators.is_empty(), || "a fold needs an accumulator".to_owned())?;
        ensure(fold.identity.params.is_empty() && fold.map.params.is_empty(), || {
            "identity and map take no parameters".to_owned()
        })?;
        ensure(mapped == accumulators && combined == accumulators, || {
            "identity, map and combine must yield the same types".to_owned()
        })?;
        ensure(params(&fold.combine) == [&accumulators[..], &accumulators[..]].concat(), || {
            "combine must take two sets of accumulators".to_owned()
        })?;
        ensure(params(&fold.finish) == accumulators, || "finish must take the accumulators".to_owned())
    }

    /// Checks folds whose maps see what earlier ones bound, and whose results all later parts see.
    fn rows(&mut self, rows: &Rows) -> Check {
        ensure(!rows.folds.is_empty(), || "a kernel of rows needs a fold".to_owned())?;
        ensure(self.kernel.is_straight(), || "a kernel of rows has no branches, locals or atomics".to_owned())?;
        let mut points: Vec<Value> = vec![];
        for fold in &rows.folds {
            let outside = self.bound.clone();
            points.iter().for_each(|value| self.bound[value.0 as usize] = true);
            let stores = fold.map.body.iter().any(|statement| matches!(statement, Stmt::Store { .. }));
            ensure(!stores, || "what a fold maps does not store".to_owned())?;
            self.fold(fold)?;
            self.bound = outside;
            points.extend(fold.map.body.iter().filter_map(|statement| match statement {
                Stmt::Let(value, _) => Some(*value),
                _ => None,
            }));
            self.lambda(&fold.finish)?;
            fold.finish.results.iter().for_each(|value| self.bound[value.0 as usize] = true);
        }
        points.iter().for_each(|value| self.bound[value.0 as usize] = true);
        self.block(&rows.map)
    }

    fn lambda(&mut self, lambda: &Lambda) -> Check<Vec<DType>> {
        for &param in &lambda.params {
            self.define(param)?;
        }
        let before = self.bound.clone();
        self.statements(&lambda.body)?;
        let results = lambda.results.iter().map(|&v| self.used(v)).collect();
        self.bound = before;
        results
    }

    fn block(&mut self, block: &Block) -> Check {
        let before = self.bound.clone();
        self.statements(block)?;
        self.bound = before;
        Ok(())
    }

    fn statements(&mut self, block: &Block) -> Check {
        for statement in block {
            self.statement(statement)?;
        }
        Ok(())
    }

    fn define(&mut self, value: Value) -> Check {
        let slot = self.bound.get_mut(value.0 as usize).ok_or_else(|| format!("{value} is not declared"))?;
        ensure(!*slot, || format!("{value} is bound twice"))?;
        *slot = true;
        Ok(())
    }

    fn used(&self, value: Value) -> Check<DType> {
        let visible = self.bound.get(value.0 as usize).copied().unwrap_or(false);
        ensure(visible, || format!("{value} is used before it is bound"))?;
        Ok(self.kernel.dtype(value))
    }

    fn expect(&self, value: Value, dtype: DType) -> Check {
        let found = self.used(value)?;
        ensure(found == dtype, || format!("{value} is {found}, {dtype} is needed"))
    }

    /// The type of the values that memory or a scalar of type `dtype` yields.
    fn stored(&self, dtype: DType, lane: u8) -> Check<DType> {
        let lanes = if self.legalized { dtype.lanes() } else { 1 };
        ensure(usize::from(lane) < lanes, || format!("{dtype} has no lane {lane}"))?;
        Ok(if self.legalized { dtype.storage() } else { dtype })
    }

    fn place(&self, operand: u16, offset: Option<Value>, write: bool) -> Check<OperandDecl> {
        let declared = self.kernel.operands.get(operand as usize);
        let declared = *declared.ok_or_else(|| format!("operand @{operand} is not declared"))?;
        let forbidden = if write { Mode::Read } else { Mode::Write };
        ensure(declared.mode != forbidden, || format!("operand @{operand} is declared {:?}", declared.mode))?;
        if let Some(offset) = offset {
            self.expect(offset, DType::I64)?;
        }
        Ok(declared)
    }

    fn statement(&mut self, statement: &Stmt) -> Check {
        match statement {
            Stmt::Let(value, op) => {
                let dtype = self.kernel.values.get(value.0 as usize).copied();
                let dtype = dtype.ok_or_else(|| format!("{value} is not declared"))?;
                self.op(dtype, op).map_err(|reason| format!("{value} = {op}: {reason}"))?;
                self.define(*value)
            }
            Stmt::Set(local, value) => self.expect(*value, self.local(*local)?),
            Stmt::Store { operand, offset, lane, value } => {
                let declared = self.place(*operand, *offset, true)?;
                self.expect(*value, self.stored(declared.dtype, *lane)?)
            }
            Stmt::Atomic { operand, offset, lane, value, .. } => {
                let declared = self.place(*operand, *offset, true)?;
                ensure(declared.mode == Mode::Update, || format!("atomic on operand @{operand} needs mode Update"))?;
                let stored = self.stored(declared.dtype, *lane)?;
                let narrow = self.legalized && matches!(declared.dtype, DType::F16 | DType::BF16);
                self.expect(*value, if narrow { DType::F32 } else { stored })
            }
            Stmt::If { cond, then, otherwise } => {
                self.expect(*cond, DType::Bool)?;
                self.block(then)?;
                self.block(otherwise)
            }
            Stmt::While { head, cond, body } => {
                let before = self.bound.clone();
                self.statements(head)?;
                self.expect(*cond, DType::Bool)?;
                self.statements(body)?;
                self.bound = before;
                Ok(())
            }
            Stmt::Require(cond, _) => self.expect(*cond, DType::Bool),
        }
    }

    fn local(&self, local: Local) -> Check<DType> {
        self.kernel.locals.get(local.0 as usize).copied().ok_or_else(|| format!("{local} is not declared"))
    }

    fn op(&self, result: DType, op: &Op) -> Check {
        let is = |dtype: DType| ensure(result == dtype, || format!("yields {dtype}, not {result}"));
        match *op {
            Op::Const(literal) => is(literal.dtype),
            Op::Scalar { index, lane } => {
                let declared = self.kernel.scalars.get(index as usize).copied();
                is(self.stored(declared.ok_or_else(|| format!("scalar {index} is not declared"))?, lane)?)
            }
            Op::Index | Op::OuterIndex => is(DType::I64),
            Op::Load { operand, offset, lane } => is(self.stored(self.place(operand, offset, false)?.dtype, lane)?),
            Op::Unary(op, a) => self.unary(op, self.used(a)?, result),
            Op::Binary(op, a, b) => {
                let dtype = self.used(a)?;
                self.expect(b, dtype)?;
                is(dtype)?;
                let bitwise = matches!(op, Binary::And | Binary::Or | Binary::Xor);
                let accepts = binary_accepts(op, dtype) && (!self.legalized || dtype != DType::Bool || bitwise);
                ensure(accepts, || format!("{op:?} is not defined for {dtype}"))
            }
            Op::Compare(op, a, b) => {
                let dtype = self.used(a)?;
                self.expect(b, dtype)?;
                ensure(!self.legalized || dtype != DType::Bool, || format!("{op:?} of bools is left"))?;
                is(DType::Bool)
            }
            Op::Select(cond, yes, no) => {
                self.expect(cond, DType::Bool)?;
                self.expect(yes, result)?;
                self.expect(no, result)
            }
            Op::Fma(a, b, c) => {
                ensure(result.is_float(), || "fma is for real floating point".to_owned())?;
                [a, b, c].into_iter().try_for_each(|v| self.expect(v, result))
            }
            Op::Cast(a) => {
                self.used(a)?;
                ensure(!self.legalized || result != DType::Bool, || "a cast to bool is left".to_owned())
            }
            Op::Bitcast(a) => {
                let from = self.used(a)?;
                let plain = |dtype: DType| dtype != DType::Bool && !dtype.is_complex();
                ensure(plain(from) && plain(result) && from.size() == result.size(), || {
                    format!("cannot bitcast {from} to {result}")
                })
            }
            Op::Complex(re, im) => {
                ensure(result.is_complex(), || "complex yields a complex type".to_owned())?;
                self.expect(re, result.real())?;
                self.expect(im, result.real())
            }
            Op::Get(local) => is(self.local(local)?),
        }
    }

    fn unary(&self, op: Unary, operand: DType, result: DType) -> Check {
        let (accepts, yields) = match op {
            Unary::Neg => (operand != DType::Bool, operand),
            Unary::Abs => (operand != DType::Bool, operand.real()),
            Unary::Not => (operand == DType::Bool || operand.is_integer(), operand),
            Unary::Popcount => (operand.kind() == Kind::Unsigned, operand),
            Unary::Cbrt | Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Rint => (operand.is_float(), operand),
            Unary::Conj => (operand.is_complex(), operand),
            Unary::Real | Unary::Imag => (operand.is_complex(), operand.real()),
            Unary::HalfToFloat => (self.legalized && operand == DType::U16, DType::F32),
            Unary::FloatToHalf => (self.legalized && operand == DType::F32, DType::U16),
            _ => (operand.is_inexact(), operand),
        };
        ensure(accepts, || format!("{op:?} is not defined for {operand}"))?;
        ensure(yields == result, || format!("yields {yields}, not {result}"))
    }
}

fn binary_accepts(op: Binary, dtype: DType) -> bool {
    let boolean = dtype == DType::Bool;
    match op {
        Binary::Add | Binary::Mul | Binary::Min | Binary::Max => true,
        Binary::Sub | Binary::Div => !boolean,
        Binary::Rem => !boolean && !dtype.is_complex(),
        Binary::Pow => dtype.is_inexact(),
        Binary::Atan2 | Binary::Hypot | Binary::Copysign | Binary::Nextafter => dtype.is_float(),
        Binary::And | Binary::Or | Binary::Xor => boolean || dtype.is_integer(),
        Binary::Shl | Binary::Shr => dtype.is_integer(),
        Binary::MulHigh => matches!(dtype, DType::U32 | DType::U64),
    }
}
