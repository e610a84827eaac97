//! Writes kernels as readable Rust: [`Var`] overloads the operators, so that an array operator is one line.

use std::cell::{Cell, RefCell};
use std::ops;

use crate::{DType, Fault, Scalar};

use super::kernel::*;
use super::ops::{Atomic, Binary, Compare, Unary};

/// Collects a kernel. Types are not checked here but by [`Kernel::validate`].
pub struct Builder {
    inner: RefCell<Inner>,
    rounds_to: Cell<Option<DType>>,
}

struct Inner {
    name: String,
    operands: Vec<OperandDecl>,
    scalars: Vec<DType>,
    values: Vec<DType>,
    locals: Vec<DType>,
    arrays: Vec<ArrayDecl>,
    functions: Vec<Function>,
    blocks: Vec<Block>,
    ordered: bool,
    grouped_as: Option<Grouping>,
    any_order: bool,
    finds_position: bool,
}

/// A value under construction.
#[derive(Clone, Copy)]
pub struct Var<'b> {
    builder: &'b Builder,
    id: Value,
}

/// A declared operand.
#[derive(Clone, Copy, Debug)]
pub struct OperandVar {
    index: u16,
    dtype: DType,
}

/// A mutable local variable.
#[derive(Clone, Copy)]
pub struct LocalVar<'b> {
    builder: &'b Builder,
    id: Local,
}

/// A local array.
#[derive(Clone, Copy)]
pub struct ArrayVar<'b> {
    builder: &'b Builder,
    id: Array,
}

/// A function of the kernel under construction.
#[derive(Clone, Copy)]
pub struct FunctionVar<'b> {
    builder: &'b Builder,
    id: Callee,
}

impl OperandVar {
    /// The operand's number.
    pub fn index(self) -> u16 {
        self.index
    }

    /// The operand's element type.
    pub fn dtype(self) -> DType {
        self.dtype
    }
}

impl Builder {
    /// An empty kernel. The name may hold letters, digits and underscores.
    pub fn new(name: impl Into<String>) -> Builder {
        let inner = Inner {
            name: name.into(),
            operands: vec![],
            scalars: vec![],
            values: vec![],
            locals: vec![],
            arrays: vec![],
            functions: vec![],
            blocks: vec![vec![]],
            ordered: false,
            grouped_as: None,
            any_order: false,
            finds_position: false,
        };
        Builder { inner: RefCell::new(inner), rounds_to: Cell::new(None) }
    }

    /// Writes a computation in a wider type whose result is rounded to `dtype`, so that approximations may stop at its
    /// digits.
    pub fn rounding_to<R>(&self, dtype: DType, write: impl FnOnce() -> R) -> R {
        let before = self.rounds_to.replace(Some(dtype));
        let result = write();
        self.rounds_to.set(before);
        result
    }

    /// The type that the result of what is being written is rounded to; see [`Builder::rounding_to`].
    pub fn rounds_to(&self) -> Option<DType> {
        self.rounds_to.get()
    }

    /// Asks for sequential execution where the device can; see [`Kernel::ordered`].
    pub fn set_ordered(&self, ordered: bool) {
        self.inner.borrow_mut().ordered = ordered;
    }

    /// Asks a fold to group its elements as a fold of stored elements would; see [`Kernel::grouped_as`].
    pub fn group_as(&self, grouping: Grouping) {
        self.inner.borrow_mut().grouped_as = Some(grouping);
    }

    /// Lets a reduction combine its elements in any order; see [`Kernel::any_order`].
    pub fn allow_any_order(&self) {
        self.inner.borrow_mut().any_order = true;
    }

    /// Says that a reduction finds the position of an element; see [`Kernel::finds_position`].
    pub fn find_position(&self) {
        self.inner.borrow_mut().finds_position = true;
    }

    /// Declares the next operand.
    pub fn operand(&self, dtype: DType, mode: Mode) -> OperandVar {
        let mut inner = self.inner.borrow_mut();
        inner.operands.push(OperandDecl { dtype, mode });
        OperandVar { index: (inner.operands.len() - 1) as u16, dtype }
    }

    /// Declares an operand that is read and loads its element.
    pub fn input(&self, dtype: DType) -> Var<'_> {
        self.load(self.operand(dtype, Mode::Read))
    }

    /// Declares an operand that is written and stores `value` (cast to `dtype`) in its element.
    pub fn output(&self, dtype: DType, value: Var<'_>) {
        let operand = self.operand(dtype, Mode::Write);
        self.store(operand, value.cast(dtype));
    }

    /// Declares the next launch scalar.
    pub fn scalar(&self, dtype: DType) -> Var<'_> {
        let index = {
            let mut inner = self.inner.borrow_mut();
            inner.scalars.push(dtype);
            inner.scalars.len() - 1
        };
        self.bind(dtype, Op::Scalar { index: index as u16, lane: 0 })
    }

    /// Refers to launch scalar `index`, declared before.
    pub fn scalar_ref(&self, index: u16) -> Var<'_> {
        let dtype = self.inner.borrow().scalars[index as usize];
        self.bind(dtype, Op::Scalar { index, lane: 0 })
    }

    /// Binds any operation to a new value of type `dtype`.
    pub fn bind(&self, dtype: DType, op: Op) -> Var<'_> {
        let id = self.fresh(dtype);
        self.push(Stmt::Let(id, op));
        Var { builder: self, id }
    }

    fn fresh(&self, dtype: DType) -> Value {
        let mut inner = self.inner.borrow_mut();
        inner.values.push(dtype);
        Value((inner.values.len() - 1) as u32)
    }

    /// Appends a statement to the current block.
    pub fn push(&self, statement: Stmt) {
        self.inner.borrow_mut().blocks.last_mut().expect("a block is open").push(statement);
    }

    /// A value by its number, for passes that rewrite kernels.
    pub fn var(&self, id: Value) -> Var<'_> {
        Var { builder: self, id }
    }

    /// A constant given by its bytes.
    pub fn literal(&self, literal: Literal) -> Var<'_> {
        self.bind(literal.dtype, Op::Const(literal))
    }

    /// A constant number of any type, rounded to it.
    pub fn real(&self, dtype: DType, value: f64) -> Var<'_> {
        self.literal(Scalar::real(dtype, value).into())
    }

    /// A constant integer of any type.
    pub fn integer(&self, dtype: DType, value: i128) -> Var<'_> {
        if dtype.is_inexact() {
            self.real(dtype, value as f64)
        } else {
            self.literal(Scalar::integer(dtype, value).into())
        }
    }

    /// A truth value.
    pub fn boolean(&self, value: bool) -> Var<'_> {
        self.integer(DType::Bool, value.into())
    }

    /// Position in C order: see [`Op::Index`].
    pub fn index(&self) -> Var<'_> {
        self.bind(DType::I64, Op::Index)
    }

    /// Position of the outer point: see [`Op::OuterIndex`].
    pub fn outer_index(&self) -> Var<'_> {
        self.bind(DType::I64, Op::OuterIndex)
    }

    /// The operand's element at the current point.
    pub fn load(&self, operand: OperandVar) -> Var<'_> {
        self.bind(operand.dtype, Op::Load { operand: operand.index, offset: None, lane: 0 })
    }

    /// The operand's element `offset` bytes (int64) away from the current point.
    pub fn load_at(&self, operand: OperandVar, offset: Var<'_>) -> Var<'_> {
        self.bind(operand.dtype, Op::Load { operand: operand.index, offset: Some(offset.id), lane: 0 })
    }

    /// Stores at the current point.
    pub fn store(&self, operand: OperandVar, value: Var<'_>) {
        self.push(Stmt::Store { operand: operand.index, offset: None, lane: 0, value: value.id });
    }

    /// Stores `offset` bytes away from the current point.
    pub fn store_at(&self, operand: OperandVar, offset: Var<'_>, value: Var<'_>) {
        self.push(Stmt::Store { operand: operand.index, offset: Some(offset.id), lane: 0, value: value.id });
    }

    /// Combines with memory `offset` bytes away from the current point.
    pub fn atomic(&self, operand: OperandVar, offset: Option<Var<'_>>, op: Atomic, value: Var<'_>) {
        let offset = offset.map(|var| var.id);
        self.push(Stmt::Atomic { operand: operand.index, offset, lane: 0, op, value: value.id });
    }

    /// Records a fault when `cond` is false.
    pub fn require(&self, cond: Var<'_>, fault: Fault) {
        self.push(Stmt::Require(cond.id, fault));
    }

    /// `yes` where `cond` is true, else `no`.
    pub fn select<'b>(&'b self, cond: Var<'b>, yes: Var<'b>, no: Var<'b>) -> Var<'b> {
        self.bind(yes.dtype(), Op::Select(cond.id, yes.id, no.id))
    }

    /// a * b + c with one rounding.
    pub fn fma<'b>(&'b self, a: Var<'b>, b: Var<'b>, c: Var<'b>) -> Var<'b> {
        self.bind(a.dtype(), Op::Fma(a.id, b.id, c.id))
    }

    /// The complex number of two real parts.
    pub fn complex<'b>(&'b self, re: Var<'b>, im: Var<'b>) -> Var<'b> {
        let dtype = if re.dtype() == DType::F32 { DType::C64 } else { DType::C128 };
        self.bind(dtype, Op::Complex(re.id, im.id))
    }

    /// A mutable local variable with its first content.
    pub fn local<'b>(&'b self, init: Var<'b>) -> LocalVar<'b> {
        let id = {
            let mut inner = self.inner.borrow_mut();
            let dtype = inner.values[init.id.0 as usize];
            inner.locals.push(dtype);
            Local((inner.locals.len() - 1) as u32)
        };
        let local = LocalVar { builder: self, id };
        local.set(init);
        local
    }

    /// Declares a local variable without content, for passes that rewrite kernels.
    pub fn declare_local(&self, dtype: DType) -> LocalVar<'_> {
        let mut inner = self.inner.borrow_mut();
        inner.locals.push(dtype);
        LocalVar { builder: self, id: Local((inner.locals.len() - 1) as u32) }
    }

    /// A local array of `length` elements, each `init` at first.
    pub fn array<'b>(&'b self, length: usize, init: Var<'b>) -> ArrayVar<'b> {
        let array = self.declare_array(ArrayDecl { dtype: init.dtype(), length });
        array.fill(init);
        array
    }

    /// Declares a local array without content, for passes that rewrite kernels.
    pub fn declare_array(&self, declared: ArrayDecl) -> ArrayVar<'_> {
        let mut inner = self.inner.borrow_mut();
        inner.arrays.push(declared);
        ArrayVar { builder: self, id: Array((inner.arrays.len() - 1) as u32) }
    }

    /// A function of parameters of the given types, which may call those that were made before. It sees no values but its
    /// parameters and what it binds.
    pub fn function<'b>(
        &'b self,
        name: impl Into<String>,
        params: &[DType],
        write: impl FnOnce(&[Var<'b>]) -> Vec<Var<'b>>,
    ) -> FunctionVar<'b> {
        let lambda = self.lambda(params, write);
        let mut inner = self.inner.borrow_mut();
        inner.functions.push(Function { name: name.into(), lambda });
        FunctionVar { builder: self, id: Callee((inner.functions.len() - 1) as u16) }
    }

    /// The function of this name and these types, which `write` makes where it is asked for first.
    pub fn function_once<'b>(
        &'b self,
        name: &str,
        params: &[DType],
        write: impl FnOnce(&[Var<'b>]) -> Vec<Var<'b>>,
    ) -> FunctionVar<'b> {
        let known = {
            let inner = self.inner.borrow();
            inner.functions.iter().position(|Function { name: known, lambda }| {
                known == name
                    && lambda.params.iter().map(|param| inner.values[param.0 as usize]).eq(params.iter().copied())
            })
        };
        match known {
            Some(number) => FunctionVar { builder: self, id: Callee(number as u16) },
            None => self.function(name, params, write),
        }
    }

    /// Collects the statements that `write` makes into a block of their own.
    pub fn block<R>(&self, write: impl FnOnce() -> R) -> (Block, R) {
        self.inner.borrow_mut().blocks.push(vec![]);
        let result = write();
        (self.inner.borrow_mut().blocks.pop().expect("the block pushed above"), result)
    }

    /// Runs `then` where `cond` is true, else `otherwise`.
    pub fn branch(&self, cond: Var<'_>, then: impl FnOnce(), otherwise: impl FnOnce()) {
        let (then, ()) = self.block(then);
        let (otherwise, ()) = self.block(otherwise);
        self.push(Stmt::If { cond: cond.id, then, otherwise });
    }

    /// Runs `body` while `head` gives true.
    pub fn repeat<'b>(&'b self, head: impl FnOnce() -> Var<'b>, body: impl FnOnce()) {
        let (head, cond) = self.block(head);
        let (body, ()) = self.block(body);
        self.push(Stmt::While { head, cond: cond.id, body });
    }

    /// A lambda with parameters of the given types.
    pub fn lambda<'b>(&'b self, params: &[DType], write: impl FnOnce(&[Var<'b>]) -> Vec<Var<'b>>) -> Lambda {
        let params: Vec<Var<'b>> = params.iter().map(|&dtype| Var { builder: self, id: self.fresh(dtype) }).collect();
        let (body, results) = self.block(|| write(&params));
        Lambda {
            params: params.iter().map(|var| var.id).collect(),
            body,
            results: results.iter().map(|var| var.id).collect(),
        }
    }

    /// Ends a map: the statements written so far are its block.
    pub fn finish_map(self) -> Kernel {
        let block = self.inner.borrow_mut().blocks.pop().expect("the outermost block");
        self.finish(Body::Map(block))
    }

    /// Ends a kernel with the given body.
    pub fn finish(self, body: Body) -> Kernel {
        let inner = self.inner.into_inner();
        Kernel {
            name: inner.name,
            operands: inner.operands,
            scalars: inner.scalars,
            values: inner.values,
            locals: inner.locals,
            arrays: inner.arrays,
            functions: inner.functions,
            body,
            ordered: inner.ordered,
            grouped_as: inner.grouped_as,
            any_order: inner.any_order,
            finds_position: inner.finds_position,
        }
    }
}

impl<'b> LocalVar<'b> {
    /// The current content.
    pub fn get(self) -> Var<'b> {
        let dtype = self.builder.inner.borrow().locals[self.id.0 as usize];
        self.builder.bind(dtype, Op::Get(self.id))
    }

    /// Assigns.
    pub fn set(self, value: Var<'b>) {
        self.builder.push(Stmt::Set(self.id, value.id));
    }

    /// The variable's number.
    pub fn id(self) -> Local {
        self.id
    }
}

impl<'b> ArrayVar<'b> {
    /// The element at `index`, an int32 or int64; see [`Op::Element`].
    pub fn get(self, index: Var<'b>) -> Var<'b> {
        let dtype = self.builder.inner.borrow().arrays[self.id.0 as usize].dtype;
        self.builder.bind(dtype, Op::Element(self.id, index.id))
    }

    /// The element at a known index.
    pub fn at(self, index: usize) -> Var<'b> {
        self.get(self.builder.integer(DType::I32, index as i128))
    }

    /// Sets the element at `index`.
    pub fn set(self, index: Var<'b>, value: Var<'b>) {
        self.builder.push(Stmt::Put { array: self.id, index: index.id, value: value.id });
    }

    /// Sets the element at a known index.
    pub fn set_at(self, index: usize, value: Var<'b>) {
        self.set(self.builder.integer(DType::I32, index as i128), value);
    }

    /// Sets all elements.
    pub fn fill(self, value: Var<'b>) {
        self.builder.push(Stmt::Fill(self.id, value.id));
    }

    /// The number of elements.
    pub fn length(self) -> usize {
        self.builder.inner.borrow().arrays[self.id.0 as usize].length
    }

    /// The array's number.
    pub fn id(self) -> Array {
        self.id
    }
}

impl<'b> FunctionVar<'b> {
    /// Calls the function; gives its results.
    pub fn call(self, arguments: &[Var<'b>]) -> Vec<Var<'b>> {
        let types: Vec<DType> = {
            let inner = self.builder.inner.borrow();
            let results = &inner.functions[usize::from(self.id.0)].lambda.results;
            results.iter().map(|result| inner.values[result.0 as usize]).collect()
        };
        let results: Vec<Var<'b>> =
            types.into_iter().map(|dtype| self.builder.var(self.builder.fresh(dtype))).collect();
        self.builder.push(Stmt::Call {
            callee: self.id,
            arguments: arguments.iter().map(|argument| argument.id).collect(),
            results: results.iter().map(|result| result.id).collect(),
        });
        results
    }

    /// The function's number.
    pub fn id(self) -> Callee {
        self.id
    }
}

impl<'b> Var<'b> {
    /// The value's number.
    pub fn id(self) -> Value {
        self.id
    }

    /// The builder that the value belongs to.
    pub fn builder(self) -> &'b Builder {
        self.builder
    }

    /// The value's type.
    pub fn dtype(self) -> DType {
        self.builder.inner.borrow().values[self.id.0 as usize]
    }

    /// A constant of this value's type.
    pub fn like(self, value: f64) -> Var<'b> {
        self.builder.real(self.dtype(), value)
    }

    /// An integer constant of this value's type.
    pub fn like_integer(self, value: i128) -> Var<'b> {
        self.builder.integer(self.dtype(), value)
    }

    /// Converts; nothing if the type is right already.
    pub fn cast(self, dtype: DType) -> Var<'b> {
        if self.dtype() == dtype { self } else { self.builder.bind(dtype, Op::Cast(self.id)) }
    }

    /// The same bits as another type.
    pub fn bitcast(self, dtype: DType) -> Var<'b> {
        self.builder.bind(dtype, Op::Bitcast(self.id))
    }

    /// Applies a unary operator.
    pub fn unary(self, op: Unary) -> Var<'b> {
        let dtype = match op {
            Unary::Abs | Unary::Real | Unary::Imag => self.dtype().real(),
            Unary::HalfToFloat => DType::F32,
            Unary::FloatToHalf => DType::U16,
            _ => self.dtype(),
        };
        self.builder.bind(dtype, Op::Unary(op, self.id))
    }

    /// Applies a binary operator.
    pub fn binary(self, op: Binary, other: Var<'b>) -> Var<'b> {
        self.builder.bind(self.dtype(), Op::Binary(op, self.id, other.id))
    }

    /// Compares.
    pub fn compare(self, op: Compare, other: Var<'b>) -> Var<'b> {
        self.builder.bind(DType::Bool, Op::Compare(op, self.id, other.id))
    }

    /// Whether the value is NaN; a complex number is when either part is. False for other types.
    pub fn is_nan(self) -> Var<'b> {
        if self.dtype().is_inexact() { self.ne(self) } else { self.builder.boolean(false) }
    }

    /// This value where `cond` is true, else `other`.
    pub fn when(self, cond: Var<'b>, other: Var<'b>) -> Var<'b> {
        self.builder.select(cond, self, other)
    }
}

macro_rules! unary_methods {
    ($($(#[$doc:meta])* $name:ident => $op:ident;)*) => {
        impl<'b> Var<'b> {
            $($(#[$doc])* pub fn $name(self) -> Var<'b> { self.unary(Unary::$op) })*
        }
    };
}

unary_methods! {
    /// [`Unary::Abs`]
    abs => Abs; /// [`Unary::Popcount`]
    popcount => Popcount; /// [`Unary::Sqrt`]
    sqrt => Sqrt; /// [`Unary::SqrtNormal`]
    sqrt_normal => SqrtNormal; /// [`Unary::Cbrt`]
    cbrt => Cbrt; /// [`Unary::Exp`]
    exp => Exp; /// [`Unary::Exp2`]
    exp2 => Exp2; /// [`Unary::Expm1`]
    expm1 => Expm1; /// [`Unary::Log`]
    log => Log; /// [`Unary::Log2`]
    log2 => Log2; /// [`Unary::Log10`]
    log10 => Log10; /// [`Unary::Log1p`]
    log1p => Log1p; /// [`Unary::Sin`]
    sin => Sin; /// [`Unary::Cos`]
    cos => Cos; /// [`Unary::Tan`]
    tan => Tan; /// [`Unary::Asin`]
    asin => Asin; /// [`Unary::Acos`]
    acos => Acos; /// [`Unary::Atan`]
    atan => Atan; /// [`Unary::Sinh`]
    sinh => Sinh; /// [`Unary::Cosh`]
    cosh => Cosh; /// [`Unary::Tanh`]
    tanh => Tanh; /// [`Unary::Asinh`]
    asinh => Asinh; /// [`Unary::Acosh`]
    acosh => Acosh; /// [`Unary::Atanh`]
    atanh => Atanh; /// [`Unary::Floor`]
    floor => Floor; /// [`Unary::Ceil`]
    ceil => Ceil; /// [`Unary::Trunc`]
    trunc => Trunc; /// [`Unary::Rint`]
    rint => Rint; /// [`Unary::Conj`]
    conj => Conj; /// [`Unary::Real`]
    re => Real; /// [`Unary::Imag`]
    im => Imag;
}

macro_rules! binary_methods {
    ($($(#[$doc:meta])* $name:ident => $op:ident;)*) => {
        impl<'b> Var<'b> {
            $($(#[$doc])* pub fn $name(self, other: Var<'b>) -> Var<'b> { self.binary(Binary::$op, other) })*
        }
    };
}

binary_methods! {
    /// [`Binary::Pow`]
    pow => Pow; /// [`Binary::Atan2`]
    atan2 => Atan2; /// [`Binary::Hypot`]
    hypot => Hypot; /// [`Binary::Copysign`]
    copysign => Copysign; /// [`Binary::Nextafter`]
    nextafter => Nextafter; /// [`Binary::Min`]
    min => Min; /// [`Binary::Max`]
    max => Max; /// [`Binary::MulHigh`]
    mul_high => MulHigh;
}

macro_rules! compare_methods {
    ($($(#[$doc:meta])* $name:ident => $op:ident;)*) => {
        impl<'b> Var<'b> {
            $($(#[$doc])* #[allow(clippy::should_implement_trait, reason = "comparisons of the IR give IR values")]
            pub fn $name(self, other: Var<'b>) -> Var<'b> { self.compare(Compare::$op, other) })*
        }
    };
}

compare_methods! {
    /// Equal.
    eq => Eq; /// Not equal.
    ne => Ne; /// Less.
    lt => Lt; /// Less or equal.
    le => Le; /// Greater.
    gt => Gt; /// Greater or equal.
    ge => Ge;
}

macro_rules! operators {
    ($($trait:ident::$method:ident => $op:ident;)*) => {
        $(impl<'b> ops::$trait for Var<'b> {
            type Output = Var<'b>;
            fn $method(self, other: Var<'b>) -> Var<'b> { self.binary(Binary::$op, other) }
        })*
    };
}

operators! {
    Add::add => Add;
    Sub::sub => Sub;
    Mul::mul => Mul;
    Div::div => Div;
    Rem::rem => Rem;
    BitAnd::bitand => And;
    BitOr::bitor => Or;
    BitXor::bitxor => Xor;
    Shl::shl => Shl;
    Shr::shr => Shr;
}

impl<'b> ops::Neg for Var<'b> {
    type Output = Var<'b>;
    fn neg(self) -> Var<'b> {
        self.unary(Unary::Neg)
    }
}

impl<'b> ops::Not for Var<'b> {
    type Output = Var<'b>;
    fn not(self) -> Var<'b> {
        self.unary(Unary::Not)
    }
}
