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
        let mut checker = Checker {
            kernel: self,
            legalized,
            region: 0,
            scope: Scope {
                values: vec![false; self.values.len()],
                locals: vec![false; self.locals.len()],
                arrays: vec![false; self.arrays.len()],
            },
            owners: [vec![None; self.locals.len()], vec![None; self.arrays.len()]],
        };
        checker.functions().and_then(|()| checker.body()).map_err(invalid)
    }
}

/// What statements may use from here on.
#[derive(Clone)]
struct Scope {
    /// Values that are bound.
    values: Vec<bool>,
    /// Local variables that have been set.
    locals: Vec<bool>,
    /// Arrays that have been filled.
    arrays: Vec<bool>,
}

struct Checker<'k> {
    kernel: &'k Kernel,
    legalized: bool,
    /// 0 for the body, else one more than the number of the function.
    region: usize,
    scope: Scope,
    /// The region that uses each local variable, and each array.
    owners: [Vec<Option<usize>>; 2],
}

type Check<T = ()> = Result<T, String>;

fn ensure(condition: bool, reason: impl FnOnce() -> String) -> Check {
    if condition { Ok(()) } else { Err(reason()) }
}

impl Checker<'_> {
    fn body(&mut self) -> Check {
        if self.legalized {
            let plain = |dtype: &DType| !dtype.is_complex() && !dtype.is_narrow();
            let arrays = self.kernel.arrays.iter().map(|array| &array.dtype);
            let odd = self.kernel.values.iter().chain(&self.kernel.locals).chain(arrays).find(|dtype| !plain(dtype));
            ensure(odd.is_none(), || format!("a value or local of type {} is left", odd.unwrap_or(&DType::Bool)))?;
        }
        match &self.kernel.body {
            Body::Map(block) => self.block(block),
            Body::Reduce(fold) | Body::Scan(fold) => {
                self.fold(fold, &[])?;
                self.finish(fold)
            }
            Body::Rows(rows) => self.rows(rows),
            Body::Segments(segments) => self.segments(segments),
        }
    }

    /// Checks the arrays and functions of the kernel.
    fn functions(&mut self) -> Check {
        for (index, ArrayDecl { length, .. }) in self.kernel.arrays.iter().enumerate() {
            ensure((1..=ArrayDecl::MAX_LENGTH).contains(length), || {
                format!("array &{index} has {length} elements; 1 to {} are allowed", ArrayDecl::MAX_LENGTH)
            })?;
        }
        let outside = self.scope.clone();
        let kernel = self.kernel;
        for (index, Function { name, lambda }) in kernel.functions.iter().enumerate() {
            self.region = index + 1;
            ensure(!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), || {
                format!("the name of function {name:?} must be letters, digits and underscores")
            })?;
            let results = self.lambda(lambda).map_err(|reason| format!("function {name}: {reason}"))?;
            ensure(!results.is_empty(), || format!("function {name} has no result"))?;
            self.scope = outside.clone();
        }
        self.region = 0;
        Ok(())
    }

    fn finish(&mut self, fold: &Fold) -> Check {
        self.lambda(&fold.finish)?;
        ensure(fold.finish.results.is_empty(), || "finish must yield nothing".to_owned())
    }

    fn segments(&mut self, segments: &Segments) -> Check {
        let Segments { range, fold } = segments;
        let bounds = self.lambda(range)?;
        ensure(range.params.is_empty() && bounds == [DType::I64; 2], || {
            "the range of a segment takes nothing and yields two int64".to_owned()
        })?;
        let mut writes = false;
        range.visit(&mut |statement| writes |= matches!(statement, Stmt::Store { .. } | Stmt::Atomic { .. }));
        ensure(!writes, || "what finds the range of a segment does not write".to_owned())?;
        self.fold(fold, &range.results)?;
        range.results.iter().for_each(|value| self.scope.values[value.0 as usize] = true);
        self.finish(fold)
    }

    /// Notes that this region uses local variable (`kind` 0) or array (1) number `at`.
    fn own(&mut self, kind: usize, at: usize) -> Check {
        let owner = self.owners[kind][at].get_or_insert(self.region);
        ensure(*owner == self.region, || format!("{} {at} is used by more than one function", ["local", "array"][kind]))
    }

    /// Checks a fold but for its finish; `visible` are values that its map may use.
    fn fold(&mut self, fold: &Fold, visible: &[Value]) -> Check {
        let accumulators = self.lambda(&fold.identity)?;
        let outside = self.scope.clone();
        visible.iter().for_each(|value| self.scope.values[value.0 as usize] = true);
        let mapped = self.lambda(&fold.map)?;
        self.scope = outside;
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
        ensure(self.kernel.is_straight(), || {
            "a kernel of rows has no branches, locals, arrays, calls or atomics".to_owned()
        })?;
        let mut points: Vec<Value> = vec![];
        for fold in &rows.folds {
            let outside = self.scope.values.clone();
            points.iter().for_each(|value| self.scope.values[value.0 as usize] = true);
            let stores = fold.map.body.iter().any(|statement| matches!(statement, Stmt::Store { .. }));
            ensure(!stores, || "what a fold maps does not store".to_owned())?;
            self.fold(fold, &[])?;
            self.scope.values = outside;
            points.extend(fold.map.body.iter().filter_map(|statement| match statement {
                Stmt::Let(value, _) => Some(*value),
                _ => None,
            }));
            self.lambda(&fold.finish)?;
            fold.finish.results.iter().for_each(|value| self.scope.values[value.0 as usize] = true);
        }
        points.iter().for_each(|value| self.scope.values[value.0 as usize] = true);
        self.block(&rows.map)
    }

    fn lambda(&mut self, lambda: &Lambda) -> Check<Vec<DType>> {
        for &param in &lambda.params {
            self.define(param)?;
        }
        let before = self.scope.clone();
        self.statements(&lambda.body)?;
        let results = lambda.results.iter().map(|&v| self.used(v)).collect();
        self.scope = before;
        results
    }

    fn block(&mut self, block: &Block) -> Check {
        let before = self.scope.clone();
        self.statements(block)?;
        self.scope = before;
        Ok(())
    }

    fn statements(&mut self, block: &Block) -> Check {
        for statement in block {
            self.statement(statement)?;
        }
        Ok(())
    }

    fn define(&mut self, value: Value) -> Check {
        let slot = self.scope.values.get_mut(value.0 as usize).ok_or_else(|| format!("{value} is not declared"))?;
        ensure(!*slot, || format!("{value} is bound twice"))?;
        *slot = true;
        Ok(())
    }

    fn used(&self, value: Value) -> Check<DType> {
        let visible = self.scope.values.get(value.0 as usize).copied().unwrap_or(false);
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

    /// Functions compute from their parameters alone.
    fn outside_functions(&self, what: &str) -> Check {
        ensure(self.region == 0, || format!("a function has no access to {what}"))
    }

    fn place(&self, operand: u16, offset: Option<Value>, write: bool) -> Check<OperandDecl> {
        self.outside_functions("operands")?;
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
            Stmt::Set(local, value) => {
                self.expect(*value, self.local(*local)?)?;
                self.own(0, local.0 as usize)?;
                self.scope.locals[local.0 as usize] = true;
                Ok(())
            }
            Stmt::Fill(array, value) => {
                self.expect(*value, self.array(*array)?.dtype)?;
                self.own(1, array.0 as usize)?;
                self.scope.arrays[array.0 as usize] = true;
                Ok(())
            }
            Stmt::Put { array, index, value } => {
                self.expect(*value, self.filled(*array)?.dtype)?;
                self.index(*index)
            }
            Stmt::Call { callee, arguments, results } => self.call(*callee, arguments, results),
            Stmt::Store { operand, offset, lane, value } => {
                let declared = self.place(*operand, *offset, true)?;
                self.expect(*value, self.stored(declared.dtype, *lane)?)
            }
            Stmt::Atomic { operand, offset, lane, value, .. } => {
                let declared = self.place(*operand, *offset, true)?;
                ensure(declared.mode == Mode::Update, || format!("atomic on operand @{operand} needs mode Update"))?;
                let stored = self.stored(declared.dtype, *lane)?;
                let narrow = self.legalized && declared.dtype.is_narrow();
                self.expect(*value, if narrow { DType::F32 } else { stored })
            }
            Stmt::If { cond, then, otherwise } => {
                self.expect(*cond, DType::Bool)?;
                self.block(then)?;
                self.block(otherwise)
            }
            Stmt::While { head, cond, body } => {
                let before = self.scope.clone();
                self.statements(head)?;
                self.expect(*cond, DType::Bool)?;
                self.statements(body)?;
                self.scope = before;
                Ok(())
            }
            Stmt::Require(cond, _) => {
                self.outside_functions("faults")?;
                self.expect(*cond, DType::Bool)
            }
        }
    }

    fn call(&mut self, callee: Callee, arguments: &[Value], results: &[Value]) -> Check {
        let kernel = self.kernel;
        let number = usize::from(callee.0);
        let known = if self.region == 0 { kernel.functions.len() } else { self.region - 1 };
        ensure(number < known, || format!("function {number} is called before it is declared"))?;
        let Function { name, lambda } = &kernel.functions[number];
        let types = |values: &[Value]| values.iter().map(|&value| kernel.dtype(value)).collect::<Vec<_>>();
        let given = arguments.iter().map(|&value| self.used(value)).collect::<Check<Vec<_>>>()?;
        ensure(given == types(&lambda.params), || format!("function {name} takes {:?}", types(&lambda.params)))?;
        results.iter().try_for_each(|&value| self.define(value))?;
        ensure(types(results) == types(&lambda.results), || {
            format!("function {name} yields {:?}", types(&lambda.results))
        })
    }

    fn array(&self, array: Array) -> Check<ArrayDecl> {
        self.kernel.arrays.get(array.0 as usize).copied().ok_or_else(|| format!("{array} is not declared"))
    }

    /// An array that has content here.
    fn filled(&self, array: Array) -> Check<ArrayDecl> {
        let declared = self.array(array)?;
        ensure(self.scope.arrays[array.0 as usize], || format!("{array} is used before it is filled"))?;
        Ok(declared)
    }

    fn index(&self, index: Value) -> Check {
        let dtype = self.used(index)?;
        ensure(matches!(dtype, DType::I32 | DType::I64), || format!("index {index} is {dtype}, not int32 or int64"))
    }

    fn local(&self, local: Local) -> Check<DType> {
        self.kernel.locals.get(local.0 as usize).copied().ok_or_else(|| format!("{local} is not declared"))
    }

    fn op(&mut self, result: DType, op: &Op) -> Check {
        let is = |dtype: DType| ensure(result == dtype, || format!("yields {dtype}, not {result}"));
        match *op {
            Op::Const(literal) => is(literal.dtype),
            Op::Scalar { index, lane } => {
                self.outside_functions("launch scalars")?;
                let declared = self.kernel.scalars.get(index as usize).copied();
                is(self.stored(declared.ok_or_else(|| format!("scalar {index} is not declared"))?, lane)?)
            }
            Op::Index | Op::OuterIndex => {
                self.outside_functions("positions")?;
                is(DType::I64)
            }
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
            Op::Get(local) => {
                is(self.local(local)?)?;
                self.own(0, local.0 as usize)?;
                let set = self.region == 0 || self.scope.locals[local.0 as usize];
                ensure(set, || format!("{local} is used before it is set"))
            }
            Op::Element(array, index) => {
                is(self.filled(array)?.dtype)?;
                self.index(index)
            }
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
