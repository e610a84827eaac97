//! Rewrites a kernel until only plain machine scalars are left.
//!
//! # What is left
//!
//! * Values and locals are bool, 8- to 64-bit integers, float32 or float64. A float16 or bfloat16 value becomes a float32
//!   that the narrow type can represent (every operation rounds to it); a complex value becomes two real ones.
//! * `Load` and `Scalar` yield, and `Store` takes, the storage type of the declared type ([`DType::storage`]): uint8 for
//!   bool, uint16 for the narrow floats, one lane of a complex element at a time. Declarations of operands and scalars
//!   stay as they were. `Atomic` is described at [`Stmt::Atomic`].
//! * Integer `Div` and `Rem` never see a zero divisor or `MIN / -1`; `Shl` and `Shr` never see a count out of range; a
//!   float-to-integer `Cast` only sees numbers that the integer type can hold after truncation.
//! * `Complex`, `Conj`, `Real` and `Imag` are gone; bools know `And`, `Or`, `Xor`, `Not`, `Select` and `Cast` only; math
//!   functions have float32 or float64 operands. Casts are between plain types, never to bool.
//! * `Min` and `Max` of floats stay, with their rules for NaN and zeros; lowerings have instructions for them.
//! * Functions take and yield plain scalars, a complex number as two; those that the lowering wants inline are written
//!   where they are called, and those that nothing calls are gone. Small arrays whose indices are all constants are locals.
//! * `HalfToFloat` and `FloatToHalf` are left only if the lowering asked for them.
//!
//! [`Kernel::validate_legalized`] checks these rules, as far as types tell.

mod cast;
mod complex;
mod half;
mod integer;
mod simplify;

use std::collections::BTreeSet;

use super::{
    Array, ArrayDecl, ArrayVar, Binary, Block, Body, Builder, Callee, Compare, Fold, Function, FunctionVar, Kernel,
    Lambda, Literal, LocalVar, Op, Rows, Segments, Stmt, Unary, Value, Var,
};
use crate::{DType, Kind};

pub use cast::cast_scalar;
use complex::Complex;
use half::{Format, Half};

/// What the target of a lowering can do by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LegalizeOptions {
    /// The lowering implements `HalfToFloat` and `FloatToHalf`; otherwise they become integer arithmetic.
    pub native_half: bool,
    /// Its casts of floats to integers other than uint64 give the lower bits of the int64, or of the least int64 for what
    /// is beyond it and NaN; otherwise what they are given is in range.
    pub total_casts: bool,
    /// Functions of at most this many statements are written where they are called.
    pub inline: usize,
}

impl LegalizeOptions {
    /// Up to so many statements a function is better off written where it is called: a straight one may then run in vectors,
    /// and a call costs as much as a few statements. Longer ones are better off called. A hypergeometric function with its
    /// regions is 1358 statements without calls, and 211 with them:
    ///
    /// | | inline | called |
    /// | --- | --- | --- |
    /// | Cranelift compiles it | 8.9 ms | 2.1 ms |
    /// | ... three of them in a kernel | 14.5 ms | 2.1 ms |
    /// | a point on the CPU | 1306 ns | 1072 ns |
    /// | NVRTC 13.5 compiles it | 4.3 s | 0.2 s |
    /// | ... three of them in a kernel | 27 s | 0.3 s |
    pub const SHORT: usize = 24;
}

/// Most elements of an array that becomes as many locals.
const FEW: usize = 64;

/// Rewrites `kernel` (which must be valid) for a lowering that knows bool, integers, float32 and float64 only.
pub fn legalize(kernel: &Kernel, options: LegalizeOptions) -> Kernel {
    let builder = Builder::new(kernel.name.clone());
    builder.set_ordered(kernel.ordered);
    for operand in &kernel.operands {
        builder.operand(operand.dtype, operand.mode);
    }
    for &dtype in &kernel.scalars {
        builder.block(|| _ = builder.scalar(dtype));
    }
    let mut legalizer = Legalizer::new(kernel, &builder, options);
    legalizer.functions();
    let body = legalizer.body();
    let mut legal = builder.finish(body);
    simplify::simplify(&mut legal);
    legal
}

/// What stands for a value of the original kernel.
#[derive(Clone, Copy)]
enum Lowered<'b> {
    /// A value that is plain already.
    Plain(Var<'b>),
    /// A narrow float.
    Half(Half<'b>),
    /// A complex number.
    Complex(Complex<'b>),
}

/// The plain types that stand for a value of type `dtype`.
fn plain_types(dtype: DType) -> impl Iterator<Item = DType> {
    std::iter::repeat_n(dtype.computed().real(), dtype.lanes())
}

/// What stands for a local array.
enum Elements<'b> {
    /// For each element, a local for each lane.
    Apart(Vec<Vec<LocalVar<'b>>>),
    /// An array for each lane.
    Together(Vec<ArrayVar<'b>>),
}

struct Legalizer<'k, 'b> {
    kernel: &'k Kernel,
    builder: &'b Builder,
    options: LegalizeOptions,
    values: Vec<Option<Lowered<'b>>>,
    constants: Vec<Option<Literal>>,
    locals: Vec<Vec<LocalVar<'b>>>,
    /// For each array whose indices are all constants, that it is split into locals.
    apart: Vec<bool>,
    arrays: Vec<Elements<'b>>,
    /// What each function of the original kernel has become; nothing for those that are written where they are called.
    functions: Vec<Option<FunctionVar<'b>>>,
}

/// The element of an array that an index means, where it is a constant.
fn constant_index(constants: &[Option<Literal>], index: Value, length: usize) -> Option<usize> {
    constants[index.0 as usize].map(|literal| literal.scalar().to_integer().clamp(0, length as i128 - 1) as usize)
}

/// For each array, whether it is small and all its indices are constants.
fn arrays_apart(kernel: &Kernel) -> Vec<bool> {
    let mut apart: Vec<bool> = kernel.arrays.iter().map(|array| array.length <= FEW).collect();
    if apart.is_empty() {
        return apart;
    }
    let mut constants = vec![None; kernel.values.len()];
    kernel.visit_all(&mut |statement| match *statement {
        Stmt::Let(value, Op::Const(literal)) => constants[value.0 as usize] = Some(literal),
        Stmt::Let(_, Op::Element(array, index)) | Stmt::Put { array, index, .. } => {
            apart[array.0 as usize] &= constant_index(&constants, index, 1).is_some();
        }
        _ => {}
    });
    apart
}

/// The statements of a lambda, with those of the functions that it calls.
fn size(kernel: &Kernel, lambda: &Lambda) -> usize {
    let mut total = 0usize;
    lambda.visit(&mut |statement| {
        total += match statement {
            Stmt::Let(_, Op::Const(_) | Op::Get(_)) => 0,
            Stmt::Call { callee, .. } => size(kernel, &kernel.functions[usize::from(callee.0)].lambda),
            _ => 1,
        };
    });
    total
}

impl<'k, 'b> Legalizer<'k, 'b> {
    fn new(kernel: &'k Kernel, builder: &'b Builder, options: LegalizeOptions) -> Self {
        let mut legalizer = Legalizer {
            kernel,
            builder,
            options,
            values: vec![None; kernel.values.len()],
            constants: vec![None; kernel.values.len()],
            locals: vec![],
            apart: arrays_apart(kernel),
            arrays: vec![],
            functions: vec![],
        };
        legalizer.locals = (0..kernel.locals.len()).map(|local| legalizer.new_local(local)).collect();
        legalizer.arrays = (0..kernel.arrays.len()).map(|array| legalizer.new_array(array)).collect();
        legalizer
    }

    fn new_local(&self, local: usize) -> Vec<LocalVar<'b>> {
        plain_types(self.kernel.locals[local]).map(|plain| self.builder.declare_local(plain)).collect()
    }

    fn new_array(&self, array: usize) -> Elements<'b> {
        let declared = self.kernel.arrays[array];
        let lanes = plain_types(declared.dtype);
        if self.apart[array] {
            let lanes: Vec<DType> = lanes.collect();
            let element = || lanes.iter().map(|&plain| self.builder.declare_local(plain)).collect();
            Elements::Apart((0..declared.length).map(|_| element()).collect())
        } else {
            let lane = |dtype| self.builder.declare_array(ArrayDecl { dtype, length: declared.length });
            Elements::Together(lanes.map(lane).collect())
        }
    }

    fn functions(&mut self) {
        let kernel = self.kernel;
        for Function { name, lambda } in &kernel.functions {
            let made = (size(kernel, lambda) > self.options.inline).then(|| {
                let types = self.types(&lambda.params);
                self.builder.function(name.clone(), &types, |vars| self.write(lambda, vars))
            });
            self.functions.push(made);
        }
    }

    /// The plain types that stand for values.
    fn types(&self, values: &[Value]) -> Vec<DType> {
        values.iter().flat_map(|&value| plain_types(self.kernel.dtype(value))).collect()
    }

    /// Lets plain values stand for values of the original kernel.
    fn bind(&mut self, values: &[Value], mut vars: &[Var<'b>]) {
        for &value in values {
            let dtype = self.kernel.dtype(value);
            let (own, rest) = vars.split_at(dtype.lanes());
            self.values[value.0 as usize] = Some(self.gather(dtype, own));
            self.constants[value.0 as usize] = None;
            vars = rest;
        }
    }

    fn write(&mut self, lambda: &Lambda, params: &[Var<'b>]) -> Vec<Var<'b>> {
        self.bind(&lambda.params, params);
        self.statements(&lambda.body);
        lambda.results.iter().flat_map(|&result| self.parts(result)).collect()
    }

    fn call(&mut self, callee: Callee, arguments: &[Value], results: &[Value]) {
        if let Some(function) = self.functions[usize::from(callee.0)] {
            let arguments: Vec<Var<'b>> = arguments.iter().flat_map(|&argument| self.parts(argument)).collect();
            return self.bind(results, &function.call(&arguments));
        }
        let kernel = self.kernel;
        let lambda = &kernel.functions[usize::from(callee.0)].lambda;
        // What the function keeps is its own at every call.
        let (mut locals, mut arrays) = (BTreeSet::new(), BTreeSet::new());
        lambda.visit(&mut |statement| match statement {
            Stmt::Set(local, _) => _ = locals.insert(local.0 as usize),
            Stmt::Fill(array, _) => _ = arrays.insert(array.0 as usize),
            _ => {}
        });
        locals.into_iter().for_each(|local| self.locals[local] = self.new_local(local));
        arrays.into_iter().for_each(|array| self.arrays[array] = self.new_array(array));
        self.rename(arguments, &lambda.params);
        self.statements(&lambda.body);
        self.rename(&lambda.results, results);
    }

    fn rename(&mut self, from: &[Value], to: &[Value]) {
        for (from, to) in from.iter().zip(to) {
            self.values[to.0 as usize] = self.values[from.0 as usize];
            self.constants[to.0 as usize] = self.constants[from.0 as usize];
        }
    }

    fn body(&mut self) -> Body {
        match &self.kernel.body {
            Body::Map(block) => Body::Map(self.block(block)),
            Body::Reduce(fold) => Body::Reduce(self.fold(fold)),
            Body::Scan(fold) => Body::Scan(self.fold(fold)),
            Body::Rows(rows) => {
                let folds = rows.folds.iter().map(|fold| self.fold(fold)).collect();
                let mut rows = Rows { folds, map: self.block(&rows.map) };
                rows.pass_on();
                Body::Rows(rows)
            }
            Body::Segments(segments) => {
                // The fold uses the range.
                let range = self.lambda(&segments.range);
                Body::Segments(Segments { range, fold: self.fold(&segments.fold) })
            }
        }
    }

    fn fold(&mut self, fold: &Fold) -> Fold {
        Fold {
            identity: self.lambda(&fold.identity),
            map: self.lambda(&fold.map),
            combine: self.lambda(&fold.combine),
            finish: self.lambda(&fold.finish),
        }
    }

    fn lambda(&mut self, lambda: &Lambda) -> Lambda {
        let types = self.types(&lambda.params);
        self.builder.lambda(&types, |vars| self.write(lambda, vars))
    }

    fn block(&mut self, block: &Block) -> Block {
        self.builder.block(|| self.statements(block)).0
    }

    fn statements(&mut self, block: &Block) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        let builder = self.builder;
        match *statement {
            Stmt::Let(value, ref op) => {
                // A function that is written a second time may find other constants.
                self.constants[value.0 as usize] = None;
                let lowered = self.op(value, op);
                self.values[value.0 as usize] = Some(lowered);
            }
            Stmt::Set(local, value) => {
                for (target, part) in self.locals[local.0 as usize].iter().zip(self.parts(value)) {
                    target.set(part);
                }
            }
            Stmt::Fill(array, value) => {
                let parts = self.parts(value);
                match &self.arrays[array.0 as usize] {
                    Elements::Apart(elements) => {
                        elements.iter().flat_map(|lanes| lanes.iter().zip(&parts)).for_each(|(to, &part)| to.set(part));
                    }
                    Elements::Together(lanes) => lanes.iter().zip(parts).for_each(|(to, part)| to.fill(part)),
                }
            }
            Stmt::Put { array, index, value } => {
                let parts = self.parts(value);
                match &self.arrays[array.0 as usize] {
                    Elements::Apart(elements) => {
                        let lanes = &elements[self.known_index(array, index)];
                        lanes.iter().zip(parts).for_each(|(to, part)| to.set(part));
                    }
                    Elements::Together(lanes) => {
                        let index = self.plain(index);
                        lanes.iter().zip(parts).for_each(|(to, part)| to.set(index, part));
                    }
                }
            }
            Stmt::Call { callee, ref arguments, ref results } => self.call(callee, arguments, results),
            Stmt::Store { operand, offset, value, .. } => {
                let offset = self.offset(offset);
                for (lane, part) in self.encode(value).into_iter().enumerate() {
                    builder.push(Stmt::Store { operand, offset, lane: lane as u8, value: part.id() });
                }
            }
            Stmt::Atomic { operand, offset, op, value, .. } => {
                let offset = self.offset(offset);
                for (lane, part) in self.parts(value).into_iter().enumerate() {
                    let part = if part.dtype() == DType::Bool { part.cast(DType::U8) } else { part };
                    builder.push(Stmt::Atomic { operand, offset, lane: lane as u8, op, value: part.id() });
                }
            }
            Stmt::If { cond, ref then, ref otherwise } => {
                let cond = self.plain(cond).id();
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                builder.push(Stmt::If { cond, then, otherwise });
            }
            Stmt::While { ref head, cond, ref body } => {
                let (head, cond) = builder.block(|| {
                    self.statements(head);
                    self.plain(cond).id()
                });
                let body = self.block(body);
                builder.push(Stmt::While { head, cond, body });
            }
            Stmt::Require(cond, fault) => builder.require(self.plain(cond), fault),
        }
    }

    fn known_index(&self, array: Array, index: Value) -> usize {
        let length = self.kernel.arrays[array.0 as usize].length;
        constant_index(&self.constants, index, length).expect("all indices of the array are constants")
    }

    fn lowered(&self, value: Value) -> Lowered<'b> {
        self.values[value.0 as usize].expect("a valid kernel binds values before their use")
    }

    /// The value of a bool, an integer, float32 or float64; of a narrow float as float32; the real part of a complex.
    fn plain(&self, value: Value) -> Var<'b> {
        match self.lowered(value) {
            Lowered::Plain(var) => var,
            Lowered::Half(half) => half.value,
            Lowered::Complex(z) => z.re,
        }
    }

    /// The plain values that stand for a value, as locals and lambdas carry them.
    fn parts(&self, value: Value) -> Vec<Var<'b>> {
        match self.lowered(value) {
            Lowered::Complex(z) => vec![z.re, z.im],
            _ => vec![self.plain(value)],
        }
    }

    /// The inverse of [`Self::parts`].
    fn gather(&self, dtype: DType, parts: &[Var<'b>]) -> Lowered<'b> {
        match (self.format(dtype), parts) {
            (Some(format), &[value]) => Lowered::Half(Half { value, bits: None, format }),
            (None, &[re, im]) => Lowered::Complex(Complex { re, im }),
            _ => Lowered::Plain(parts[0]),
        }
    }

    fn format(&self, dtype: DType) -> Option<Format> {
        dtype.is_narrow().then_some(Format { dtype, native: self.options.native_half })
    }

    fn offset(&self, offset: Option<Value>) -> Option<Value> {
        offset.map(|offset| self.plain(offset).id())
    }

    /// An element read from memory or from a scalar, whose storage `read` yields lane by lane.
    fn decode(&self, dtype: DType, read: impl Fn(u8) -> Op) -> Lowered<'b> {
        let lane = |lane| self.builder.bind(dtype.storage(), read(lane));
        match self.format(dtype) {
            Some(format) => Lowered::Half(format.decode(lane(0))),
            None if dtype.is_complex() => Lowered::Complex(Complex { re: lane(0), im: lane(1) }),
            None if dtype == DType::Bool => Lowered::Plain(cast::to_bool(lane(0))),
            None => Lowered::Plain(lane(0)),
        }
    }

    /// The storage values of an element.
    fn encode(&self, value: Value) -> Vec<Var<'b>> {
        match self.lowered(value) {
            Lowered::Half(half) => vec![half.encode()],
            Lowered::Plain(var) if var.dtype() == DType::Bool => vec![var.cast(DType::U8)],
            _ => self.parts(value),
        }
    }

    fn constant(&mut self, value: Value, literal: Literal) -> Lowered<'b> {
        self.constants[value.0 as usize] = Some(literal);
        let (re, im) = literal.scalar().to_complex();
        let builder = self.builder;
        match (literal.dtype, self.format(literal.dtype)) {
            (_, Some(format)) => {
                let bits = u16::from_le_bytes([literal.bytes[0], literal.bytes[1]]);
                let bits = Some(builder.integer(DType::U16, bits.into()));
                Lowered::Half(Half { value: builder.real(DType::F32, re), bits, format })
            }
            (DType::C64 | DType::C128, _) => {
                let real = literal.dtype.real();
                Lowered::Complex(Complex { re: builder.real(real, re), im: builder.real(real, im) })
            }
            _ => Lowered::Plain(builder.literal(literal)),
        }
    }

    fn op(&mut self, value: Value, op: &Op) -> Lowered<'b> {
        let (builder, dtype) = (self.builder, self.kernel.dtype(value));
        match *op {
            Op::Const(literal) if dtype == DType::Bool => self.constant(value, cast::fold(literal, dtype)),
            Op::Const(literal) => self.constant(value, literal),
            Op::Scalar { index, .. } => self.decode(dtype, |lane| Op::Scalar { index, lane }),
            Op::Load { operand, offset, .. } => {
                let offset = self.offset(offset);
                self.decode(dtype, |lane| Op::Load { operand, offset, lane })
            }
            Op::Index => Lowered::Plain(builder.index()),
            Op::OuterIndex => Lowered::Plain(builder.outer_index()),
            Op::Unary(op, a) => self.unary(op, a),
            Op::Binary(op, a, b) => self.binary(op, a, b),
            Op::Compare(op, a, b) => Lowered::Plain(self.compare(op, a, b)),
            Op::Select(cond, yes, no) => {
                let cond = self.plain(cond);
                if let (Lowered::Half(yes), Lowered::Half(no)) = (self.lowered(yes), self.lowered(no)) {
                    return Lowered::Half(yes.when(cond, no));
                }
                let parts: Vec<Var<'b>> =
                    self.parts(yes).into_iter().zip(self.parts(no)).map(|(yes, no)| yes.when(cond, no)).collect();
                self.gather(dtype, &parts)
            }
            Op::Fma(a, b, c) => {
                let (a, b, c) = (self.plain(a), self.plain(b), self.plain(c));
                match self.format(dtype) {
                    Some(format) => Lowered::Half(format.fma(a, b, c)),
                    None => Lowered::Plain(builder.fma(a, b, c)),
                }
            }
            Op::Cast(a) => match self.constants[a.0 as usize] {
                Some(literal) => self.constant(value, cast::fold(literal, dtype)),
                None => self.cast(a, dtype),
            },
            Op::Bitcast(a) => {
                let bits = match self.lowered(a) {
                    Lowered::Half(half) => half.encode(),
                    _ => self.plain(a),
                };
                let same = |var: Var<'b>, dtype| if var.dtype() == dtype { var } else { var.bitcast(dtype) };
                match self.format(dtype) {
                    Some(format) => Lowered::Half(format.decode(same(bits, DType::U16))),
                    None => Lowered::Plain(same(bits, dtype)),
                }
            }
            Op::Complex(re, im) => Lowered::Complex(Complex { re: self.plain(re), im: self.plain(im) }),
            Op::Get(local) => {
                let parts: Vec<Var<'b>> = self.locals[local.0 as usize].iter().map(|part| part.get()).collect();
                self.gather(dtype, &parts)
            }
            Op::Element(array, index) => {
                let parts: Vec<Var<'b>> = match &self.arrays[array.0 as usize] {
                    Elements::Apart(elements) => {
                        elements[self.known_index(array, index)].iter().map(|lane| lane.get()).collect()
                    }
                    Elements::Together(lanes) => {
                        let index = self.plain(index);
                        lanes.iter().map(|lane| lane.get(index)).collect()
                    }
                };
                self.gather(dtype, &parts)
            }
        }
    }

    fn unary(&self, op: Unary, a: Value) -> Lowered<'b> {
        match self.lowered(a) {
            Lowered::Plain(x) if op == Unary::Abs && x.dtype().kind() == Kind::Unsigned => Lowered::Plain(x),
            Lowered::Plain(x) => Lowered::Plain(x.unary(op)),
            Lowered::Half(half) => Lowered::Half(half.unary(op)),
            Lowered::Complex(z) => match op {
                Unary::Abs => Lowered::Plain(z.abs()),
                Unary::Real => Lowered::Plain(z.re),
                Unary::Imag => Lowered::Plain(z.im),
                _ => Lowered::Complex(z.unary(op)),
            },
        }
    }

    fn binary(&self, op: Binary, a: Value, b: Value) -> Lowered<'b> {
        match (self.lowered(a), self.lowered(b)) {
            (Lowered::Half(x), Lowered::Half(y)) => Lowered::Half(x.binary(op, y)),
            (Lowered::Complex(x), Lowered::Complex(y)) => {
                Lowered::Complex(x.binary(op, y, self.constants[b.0 as usize]))
            }
            _ => {
                let (x, y) = (self.plain(a), self.plain(b));
                Lowered::Plain(match x.dtype() {
                    DType::Bool => integer::bool_binary(op, x, y),
                    dtype if dtype.is_integer() => integer::binary(op, x, y, self.constants[b.0 as usize]),
                    _ => x.binary(op, y),
                })
            }
        }
    }

    fn compare(&self, op: Compare, a: Value, b: Value) -> Var<'b> {
        match (self.lowered(a), self.lowered(b)) {
            (Lowered::Complex(x), Lowered::Complex(y)) => x.compare(op, y),
            _ => {
                let (x, y) = (self.plain(a), self.plain(b));
                if x.dtype() == DType::Bool { integer::bool_compare(op, x, y) } else { x.compare(op, y) }
            }
        }
    }

    fn cast(&self, a: Value, dtype: DType) -> Lowered<'b> {
        match (self.format(dtype), dtype) {
            (Some(format), _) => match self.lowered(a) {
                Lowered::Half(half) if half.format == format => Lowered::Half(half),
                _ => Lowered::Half(format.convert(self.plain(a))),
            },
            (None, DType::C64 | DType::C128) => {
                let re = cast::convert(self.plain(a), dtype.real());
                let im = match self.lowered(a) {
                    Lowered::Complex(z) => cast::convert(z.im, dtype.real()),
                    _ => re.like(0.0),
                };
                Lowered::Complex(Complex { re, im })
            }
            (None, DType::Bool) => Lowered::Plain(match self.lowered(a) {
                Lowered::Complex(z) => cast::to_bool(z.re) | cast::to_bool(z.im),
                _ => cast::to_bool(self.plain(a)),
            }),
            _ if self.options.total_casts && dtype != DType::U64 => Lowered::Plain(self.plain(a).cast(dtype)),
            _ => Lowered::Plain(cast::convert(self.plain(a), dtype)),
        }
    }
}
