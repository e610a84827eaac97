//! From straight statements of the kernel IR to vector instructions on as many registers as they like.

use std::collections::{BTreeMap, BTreeSet};

use cuproxide_hal::ir::{self, Binary, Compare, Kernel, Literal, Op, Stmt, Unary};
use cuproxide_hal::{DType, Scalar};

use super::encode::{Form, Row};
use super::rows;
use crate::lower::stages::{self, Source, Stages};

/// Names a value of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(pub u32);

/// Which registers a value lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Vector,
    Mask,
}

/// Where a value can be read from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// One element for all lanes, this many bytes into the pool.
    Uniform(usize),
    /// A whole vector, this many bytes into the pool.
    Whole(usize),
    /// The elements of an operand at the current points.
    Element(usize),
    /// The element of an operand that does not move.
    Fixed(usize),
    /// The values at the current points in a buffer, this many bytes into the buffers.
    Buffer(usize),
    /// The lanes of an accumulator's total, this many bytes into the totals.
    Total(usize),
    /// Where a register was emptied to.
    Spill(usize),
}

/// A value of the code.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub class: Class,
    /// Bytes of a lane; of a mask those in memory.
    pub size: usize,
    /// Where it can be read without having been computed.
    pub home: Option<Home>,
}

impl Held {
    /// Whether all points share it.
    pub fn is_shared(&self) -> bool {
        matches!(self.home, Some(Home::Uniform(_) | Home::Whole(_) | Home::Fixed(_)))
    }
}

/// Where a result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Out {
    Value(Id),
    Memory(Home),
}

/// An instruction. All sources but the second must be in registers.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The instruction; `None` for the current point in all lanes.
    pub row: Option<Row>,
    pub out: Out,
    /// What the register of the result holds before.
    pub merged: Option<Id>,
    pub first: Option<Id>,
    pub second: Option<Id>,
    /// The lanes that the second is for.
    pub mask: Option<Id>,
    pub immediate: Option<u8>,
    /// Bytes of a lane in the widest vector.
    pub size: usize,
    /// Which of several groups of points side by side it belongs to.
    pub copy: usize,
}

impl Step {
    pub(super) fn new(row: Row, out: Id, size: usize) -> Step {
        Step { row: Some(row), ..Step::bare(Out::Value(out), size) }
    }

    fn bare(out: Out, size: usize) -> Step {
        Step { row: None, out, merged: None, first: None, second: None, mask: None, immediate: None, size, copy: 0 }
    }

    /// The values that it reads.
    pub fn sources(&self) -> impl Iterator<Item = Id> {
        [self.merged, self.first, self.second, self.mask].into_iter().flatten()
    }
}

/// What all points share: constants, launch scalars and what is computed of them.
#[derive(Debug)]
pub struct Pool {
    /// Bytes of a place.
    unit: usize,
    /// The contents before a launch.
    pub bytes: Vec<u8>,
    /// Where launch scalars go, by number and part, and how many bytes they have.
    pub scalars: Vec<(usize, usize, u8)>,
    constants: BTreeMap<(usize, [u8; 8]), usize>,
    known_scalars: BTreeMap<(u16, u8), usize>,
    /// Where values lie that are computed once for a line.
    pub computed: BTreeMap<ir::Value, usize>,
    positions: Option<usize>,
}

impl Pool {
    /// A pool whose elements take `unit` bytes: 8, or a whole vector.
    pub fn new(unit: usize) -> Pool {
        Pool {
            unit,
            bytes: vec![],
            scalars: vec![],
            constants: BTreeMap::new(),
            known_scalars: BTreeMap::new(),
            computed: BTreeMap::new(),
            positions: None,
        }
    }

    fn place(&mut self) -> usize {
        let at = self.bytes.len();
        self.bytes.resize(at + self.unit, 0);
        at
    }

    /// The place of an element with these bytes.
    fn constant(&mut self, size: usize, element: &[u8]) -> usize {
        let whole: [u8; 8] = std::array::from_fn(|byte| element[byte % size]);
        if let Some(&at) = self.constants.get(&(size, whole)) {
            return at;
        }
        let at = self.place();
        self.bytes[at..].iter_mut().enumerate().for_each(|(byte, into)| *into = whole[byte % 8]);
        self.constants.insert((size, whole), at);
        at
    }

    fn scalar(&mut self, index: u16, part: u8, dtype: DType) -> usize {
        if let Some(&at) = self.known_scalars.get(&(index, part)) {
            return at;
        }
        let at = self.place();
        let size = dtype.size();
        let from = usize::from(index) * size_of::<Scalar>() + std::mem::offset_of!(Scalar, bytes);
        self.scalars.push((at, from + usize::from(part) * size, size as u8));
        self.known_scalars.insert((index, part), at);
        at
    }

    fn computed(&mut self, value: ir::Value) -> usize {
        if let Some(&at) = self.computed.get(&value) {
            return at;
        }
        let at = self.place();
        self.computed.insert(value, at);
        at
    }

    /// The numbers 0, 1, 2 and so on as int64.
    fn positions(&mut self) -> usize {
        if let Some(at) = self.positions {
            return at;
        }
        let at = self.bytes.len();
        self.bytes.extend((0..8_u64).flat_map(u64::to_le_bytes));
        self.positions = Some(at);
        at
    }
}

/// Code for one group of points.
#[derive(Debug, Default)]
pub struct Straight {
    pub values: Vec<Held>,
    pub steps: Vec<Step>,
    /// What the registers of accumulators hold before and after.
    pub carried: Vec<Carried>,
}

/// An accumulator in registers of its own: its value before the code, if that is read, and after it, if that is another.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    pub before: Option<Id>,
    pub after: Option<Id>,
}

/// How the values of a kernel become code.
pub struct Selector<'k, 'p> {
    kernel: &'k Kernel,
    pub(super) form: Form,
    /// Points of a vector.
    pub(super) lanes: usize,
    pool: &'p mut Pool,
    known: Vec<Option<Id>>,
    /// Constants other than NaN.
    numbers: BTreeSet<Id>,
    /// Values that all points share, by where they are.
    shared: BTreeMap<(usize, usize), Id>,
    pub code: Straight,
}

const FLOAT_64: DType = DType::F64;

impl<'k, 'p> Selector<'k, 'p> {
    pub fn new(kernel: &'k Kernel, form: Form, lanes: usize, pool: &'p mut Pool) -> Selector<'k, 'p> {
        let known = vec![None; kernel.values.len()];
        Selector {
            kernel,
            form,
            lanes,
            pool,
            known,
            numbers: BTreeSet::new(),
            shared: BTreeMap::new(),
            code: Straight::default(),
        }
    }

    fn held(&mut self, class: Class, size: usize, home: Option<Home>) -> Id {
        self.code.values.push(Held { class, size, home });
        Id(self.code.values.len() as u32 - 1)
    }

    pub(super) fn vector(&mut self, size: usize) -> Id {
        self.held(Class::Vector, size, None)
    }

    /// A mask over lanes of so many bytes.
    pub(super) fn mask(&mut self, size: usize) -> Id {
        match self.form {
            Form::Evex => self.held(Class::Mask, 1, None),
            Form::Vex => self.vector(size),
        }
    }

    /// A value at a place of the pool.
    fn uniform(&mut self, at: usize, size: usize) -> Id {
        if let Some(&id) = self.shared.get(&(at, size)) {
            return id;
        }
        let id = self.held(Class::Vector, size, Some(Home::Uniform(at)));
        self.shared.insert((at, size), id);
        id
    }

    fn constant(&mut self, literal: &Literal) -> Id {
        let size = literal.dtype.size();
        let at = self.pool.constant(size, &literal.bytes);
        let id = self.uniform(at, size);
        if !literal.scalar().to_complex().0.is_nan() {
            self.numbers.insert(id);
        }
        id
    }

    pub(super) fn number(&mut self, dtype: DType, value: f64) -> Id {
        self.constant(&Scalar::real(dtype, value).into())
    }

    /// The sign bits of floats, or the others.
    pub(super) fn signs(&mut self, size: usize, sign: bool) -> Id {
        let bits = if sign { 1_u64 << 63 } else { !0 >> 1 };
        let at = self.pool.constant(size, &bits.to_le_bytes()[8 - size..]);
        self.uniform(at, size)
    }

    pub(super) fn step(&mut self, step: Step) {
        self.code.steps.push(step);
    }

    /// A vector from an instruction with up to two sources.
    pub(super) fn make(&mut self, row: Row, size: usize, first: Option<Id>, second: Id) -> Id {
        let out = self.vector(size);
        self.step(Step { first, second: Some(second), ..Step::new(row, out, size) });
        out
    }

    /// All bits.
    pub(super) fn ones(&mut self, size: usize) -> Id {
        let at = self.pool.constant(size, &[0xff; 8]);
        self.uniform(at, size)
    }

    /// What a value is, if it has been bound.
    fn find(&self, value: ir::Value) -> Option<Id> {
        self.known[value.0 as usize]
    }

    /// Whether a value is bound.
    pub fn is_bound(&self, value: ir::Value) -> bool {
        self.find(value).is_some()
    }

    /// Lets a value be read from a place, as what a bool is in memory.
    pub fn bind(&mut self, value: ir::Value, home: Home) {
        let dtype = self.kernel.dtype(value);
        let mut id = self.held(Class::Vector, dtype.size(), Some(home));
        if dtype == DType::Bool {
            id = self.truth(id, DType::U8);
        }
        self.known[value.0 as usize] = Some(id);
    }

    /// Lets a value that all points share be read where it was left.
    pub fn bind_computed(&mut self, value: ir::Value) {
        let at = self.pool.computed(value);
        self.bind(value, Home::Uniform(at));
    }

    /// Leaves a value where [`Selector::bind_computed`] reads it.
    pub fn leave(&mut self, value: ir::Value) -> Option<()> {
        let at = self.pool.computed(value);
        self.keep(value, Home::Uniform(at))
    }

    /// Writes a value to a place.
    pub fn keep(&mut self, value: ir::Value, home: Home) -> Option<()> {
        let mut id = self.find(value)?;
        let mut size = self.kernel.dtype(value).size();
        if self.kernel.dtype(value) == DType::Bool {
            id = self.number_of(id, DType::U8);
            size = 1;
        }
        self.store(id, size, home);
        Some(())
    }

    fn store(&mut self, id: Id, size: usize, home: Home) {
        self.step(Step { second: Some(id), ..Step::bare(Out::Memory(home), size) });
    }

    /// Brings the values that a statement of a stage uses.
    pub fn bring(&mut self, stages: &Stages<'_>, statement: &Stmt, fixed: impl Fn(usize) -> bool + Copy) -> Option<()> {
        stages::uses(statement).into_iter().try_for_each(|used| self.fetch(stages, used, fixed))
    }

    /// Binds a value where it lies, or by the statement that is repeated in each stage, unless it is bound.
    pub fn fetch(&mut self, stages: &Stages<'_>, value: ir::Value, fixed: impl Fn(usize) -> bool + Copy) -> Option<()> {
        if self.is_bound(value) {
            return Some(());
        }
        match stages.source(value) {
            Source::Uniform(Some(statement)) | Source::Repeated(statement) => self.statement(statement, fixed)?,
            Source::Uniform(None) => self.bind_computed(value),
            Source::Buffer(at) => self.bind(value, Home::Buffer(at)),
        }
        Some(())
    }

    /// The element with these bytes in all lanes of a register.
    fn spread(&mut self, dtype: DType, element: &[u8; 8]) -> Id {
        let size = dtype.size();
        let at = self.pool.constant(size, element);
        let element = self.uniform(at, size);
        let row = if self.form == Form::Evex { rows::broadcast(size) } else { rows::MOVE };
        self.make(row, size, None, element)
    }

    /// Stores the element with these bytes as the initial total at a place.
    pub fn clear(&mut self, dtype: DType, element: &[u8; 8], at: usize) {
        let element = self.spread(dtype, element);
        self.store(element, dtype.size(), Home::Total(at));
    }

    /// Loads the element into an accumulator.
    pub fn start(&mut self, dtype: DType, element: &[u8; 8]) {
        let after = self.spread(dtype, element);
        self.code.carried.push(Carried { before: None, after: Some(after) });
    }

    /// Extends an accumulator by a value.
    pub fn extend(&mut self, op: Binary, value: ir::Value) -> Option<()> {
        let dtype = self.kernel.dtype(value);
        let before = self.vector(dtype.size());
        let after = self.find(value).and_then(|value| self.binary(op, dtype, before, value))?;
        self.code.carried.push(Carried { before: Some(before), after: Some(after) });
        Some(())
    }

    /// Extends the total at a place by an accumulator.
    pub fn join(&mut self, op: Binary, dtype: DType, at: usize) -> Option<()> {
        let before = self.vector(dtype.size());
        let total = self.held(Class::Vector, dtype.size(), Some(Home::Total(at)));
        let after = self.binary(op, dtype, before, total)?;
        self.store(after, dtype.size(), Home::Total(at));
        self.code.carried.push(Carried { before: Some(before), after: None });
        Some(())
    }

    /// Writes a statement; `None` if there is no code for it. `fixed` tells which operands do not move.
    pub fn statement(&mut self, statement: &Stmt, fixed: impl Fn(usize) -> bool) -> Option<()> {
        match *statement {
            Stmt::Let(value, Op::Load { operand, offset: None, lane: 0 }) => {
                let operand = usize::from(operand);
                let dtype = self.kernel.operands[operand].dtype;
                if dtype.is_complex() || dtype.size() != self.kernel.dtype(value).size() {
                    return None;
                }
                self.bind(value, if fixed(operand) { Home::Fixed(operand) } else { Home::Element(operand) });
            }
            Stmt::Let(value, ref op) => {
                let id = self.op(value, op)?;
                self.known[value.0 as usize] = Some(id);
            }
            Stmt::Store { operand, offset: None, lane: 0, value } => {
                let operand = usize::from(operand);
                if self.kernel.operands[operand].dtype.size() != self.kernel.dtype(value).size() {
                    return None;
                }
                self.keep(value, Home::Element(operand))?;
            }
            _ => return None,
        }
        Some(())
    }

    fn op(&mut self, value: ir::Value, op: &Op) -> Option<Id> {
        let dtype = self.kernel.dtype(value);
        match *op {
            Op::Const(literal) => {
                if dtype == DType::Bool {
                    let byte = self.number(DType::U8, f64::from(literal.bytes[0]));
                    return Some(self.truth(byte, DType::U8));
                }
                Some(self.constant(&literal))
            }
            Op::Scalar { index, lane } => {
                let at = self.pool.scalar(index, lane, dtype);
                let id = self.uniform(at, dtype.size());
                Some(if dtype == DType::Bool { self.truth(id, DType::U8) } else { id })
            }
            Op::Index | Op::OuterIndex => {
                let first = self.vector(8);
                self.step(Step::bare(Out::Value(first), 8));
                let at = self.pool.positions();
                let steps = self.held(Class::Vector, 8, Some(Home::Whole(at)));
                Some(self.make(rows::binary(Binary::Add, DType::I64)?, 8, Some(first), steps))
            }
            Op::Unary(op, a) => self.unary(op, self.kernel.dtype(a), self.find(a)?),
            Op::Binary(op, x, y) => self.binary(op, dtype, self.find(x)?, self.find(y)?),
            Op::Compare(op, x, y) => Some(self.compare(op, self.kernel.dtype(x), self.find(x)?, self.find(y)?)),
            Op::Select(cond, yes, no) => {
                let (cond, yes, no) = (self.find(cond)?, self.find(yes)?, self.find(no)?);
                Some(self.select(dtype, cond, yes, no))
            }
            Op::Fma(x, y, z) => {
                let (x, y, z) = (self.find(x)?, self.find(y)?, self.find(z)?);
                Some(self.combine(rows::multiply_add(dtype.size()), dtype.size(), [x, y, z], None))
            }
            Op::Cast(a) => self.cast(self.kernel.dtype(a), dtype, self.find(a)?),
            Op::Bitcast(a) => self.find(a),
            _ => None,
        }
    }

    /// An instruction that changes its first source.
    fn combine(&mut self, row: Row, size: usize, [x, y, z]: [Id; 3], immediate: Option<u8>) -> Id {
        let out = self.vector(size);
        let step = Step::new(row, out, size);
        self.step(Step { merged: Some(x), first: Some(y), second: Some(z), immediate, ..step });
        out
    }

    /// An instruction on two operands in the lanes of a mask; the others keep what `merged` has there.
    fn masked(&mut self, row: Row, size: usize, mask: Id, [merged, x, y]: [Id; 3]) -> Id {
        let out = self.vector(size);
        let step = Step::new(row, out, size);
        self.step(Step { merged: Some(merged), first: Some(x), second: Some(y), mask: Some(mask), ..step });
        out
    }

    fn unary(&mut self, op: Unary, dtype: DType, a: Id) -> Option<Id> {
        let size = dtype.size();
        if dtype == DType::Bool {
            return self.unary_truth(op, a);
        }
        if let Some(immediate) = rows::rounding(op) {
            let out = self.vector(size);
            let step = Step::new(rows::round(size), out, size);
            self.step(Step { second: Some(a), immediate: Some(immediate), ..step });
            return Some(out);
        }
        Some(match op {
            Unary::Neg if dtype.is_float() => {
                let signs = self.signs(size, true);
                self.make(rows::float_xor(size), size, Some(a), signs)
            }
            Unary::Abs if dtype.is_float() => {
                let others = self.signs(size, false);
                self.make(rows::float_and(size), size, Some(a), others)
            }
            Unary::Sqrt | Unary::SqrtNormal => self.make(rows::square_root(size), size, None, a),
            Unary::Neg => {
                let zero = self.number(dtype, 0.0);
                self.make(rows::binary(Binary::Sub, dtype)?, size, Some(zero), a)
            }
            Unary::Abs if dtype.is_signed() && size == 8 && self.form == Form::Vex => return None,
            Unary::Abs if dtype.is_signed() => self.make(rows::magnitude(size), size, None, a),
            Unary::Abs => a,
            Unary::Not => {
                let ones = self.ones(size);
                self.make(rows::integer_xor(size), size, Some(a), ones)
            }
            _ => return None,
        })
    }

    fn binary(&mut self, op: Binary, dtype: DType, x: Id, y: Id) -> Option<Id> {
        let size = dtype.size();
        if dtype == DType::Bool {
            return rows::is_of_masks(op).then(|| self.masks(op, x, y));
        }
        if dtype.is_float() {
            match op {
                Binary::Copysign if self.form == Form::Vex => {
                    let (signs, others) = (self.signs(size, true), self.signs(size, false));
                    let sign = self.make(rows::float_and(size), size, Some(y), signs);
                    let magnitude = self.make(rows::float_and(size), size, Some(x), others);
                    return Some(self.make(rows::float_or(size), size, Some(sign), magnitude));
                }
                Binary::Copysign => {
                    // The sign's bit of the second, the others of the first.
                    let signs = self.signs(size, true);
                    return Some(self.combine(rows::choice_of_bits(size), size, [x, y, signs], Some(0xd8)));
                }
                Binary::Min | Binary::Max => {
                    // As `math::extrema`.
                    let min = op == Binary::Min;
                    if self.form == Form::Evex {
                        // Beside a NaN it finds the number: the sum of both is the NaN, quiet and otherwise bit by bit.
                        let (found, nan) = (self.vector(size), self.mask(size));
                        let (range, compare) = (rows::range(size), rows::compare(Compare::Eq, dtype).0);
                        for (row, out, immediate) in
                            [(range, found, rows::ordering(min)), (compare, nan, rows::UNORDERED)]
                        {
                            let step = Step::new(row, out, size);
                            self.step(Step { first: Some(x), second: Some(y), immediate: Some(immediate), ..step });
                        }
                        return Some(self.masked(rows::binary(Binary::Add, dtype)?, size, nan, [found, x, y]));
                    }
                    let ordered = self.make(rows::extremum(min, size), size, Some(x), y);
                    let bits = if min { rows::float_or(size) } else { rows::float_and(size) };
                    let tied = self.make(bits, size, Some(x), y);
                    let equal = self.compare(Compare::Eq, dtype, x, y);
                    let found = self.select(dtype, equal, tied, ordered);
                    let nan = self.compare(Compare::Ne, dtype, x, x);
                    return Some(self.select(dtype, nan, x, found));
                }
                _ => {}
            }
        }
        if self.form == Form::Vex && rows::is_wide_only(op, dtype) {
            if !matches!(op, Binary::Min | Binary::Max) {
                return None;
            }
            let first = self.compare(if op == Binary::Min { Compare::Lt } else { Compare::Gt }, dtype, x, y);
            return Some(self.select(dtype, first, x, y));
        }
        // What memory holds once for all lanes can be the second only. No bit changes if it is no NaN.
        let swaps = matches!(op, Binary::Add | Binary::Mul) && self.numbers.contains(&x) && !self.numbers.contains(&y);
        let (x, y) = if swaps { (y, x) } else { (x, y) };
        Some(self.make(rows::binary(op, dtype)?, size, Some(x), y))
    }

    fn cast(&mut self, from: DType, to: DType, a: Id) -> Option<Id> {
        if from == to {
            return Some(a);
        }
        if from == DType::Bool {
            return Some(self.number_of(a, to));
        }
        if to == DType::Bool {
            return Some(self.truth(a, from));
        }
        match (from.is_float(), to.is_float()) {
            (false, false) => Some(self.resize(a, from, to)),
            (false, true) if from.size() < 4 => {
                // Narrow unsigned integers are non-negative int32s.
                let word = self.resize(a, from, DType::I32);
                self.cast(DType::I32, to, word)
            }
            _ if self.form == Form::Vex && (from, to) == (DType::I64, FLOAT_64) => self.double_of(a),
            _ if self.form == Form::Vex && (from, to) == (DType::U32, FLOAT_64) => {
                let word = self.resize(a, from, DType::I64);
                self.double_of(word)
            }
            _ if self.form == Form::Vex && !rows::converts_narrowly(from, to) => None,
            (_, true) => Some(self.convert(rows::convert(from, to)?, from, to, a)),
            (true, false) if to == DType::U64 => None,
            (true, false) => {
                let whole = self.convert(rows::convert(from, DType::I64)?, from, DType::I64, a);
                Some(self.resize(whole, DType::I64, to))
            }
        }
    }

    /// int64 as float64 without an instruction for it: the halves become the last bits of large numbers, 2^52 and 2^84 more than they
    /// are worth, and only the last sum is rounded.
    fn double_of(&mut self, a: Id) -> Option<Id> {
        let bits = |bits: u64| Literal { bytes: u128::from(bits).to_le_bytes(), dtype: DType::U64 };
        let large = 2f64.powi(84) + 2f64.powi(63) + 2f64.powi(52);
        let [low, exponent, shift, upper, large] =
            [u32::MAX.into(), 2f64.powi(52).to_bits(), 32, (2f64.powi(84) + 2f64.powi(63)).to_bits(), large.to_bits()]
                .map(|word| self.constant(&bits(word)));
        let integer = |op: Binary| rows::binary(op, DType::U64);
        let float = |op: Binary| rows::binary(op, FLOAT_64);
        let lower = self.make(integer(Binary::And)?, 8, Some(a), low);
        let lower = self.make(integer(Binary::Or)?, 8, Some(lower), exponent);
        let higher = self.make(integer(Binary::Shr)?, 8, Some(a), shift);
        let higher = self.make(integer(Binary::Xor)?, 8, Some(higher), upper);
        let higher = self.make(float(Binary::Sub)?, 8, Some(higher), large);
        Some(self.make(float(Binary::Add)?, 8, Some(higher), lower))
    }

    fn convert(&mut self, row: Row, from: DType, to: DType, a: Id) -> Id {
        let out = self.vector(to.size());
        let step = Step::new(row, out, from.size().max(to.size()));
        self.step(Step { second: Some(a), ..step });
        out
    }

    fn resize(&mut self, a: Id, from: DType, to: DType) -> Id {
        self.resized(a, from.size(), to.size(), from.is_signed())
    }

    /// Integers of another width.
    pub(super) fn resized(&mut self, a: Id, from: usize, to: usize, signed: bool) -> Id {
        if from == to {
            return a;
        }
        if from < to || self.form == Form::Evex {
            let out = self.vector(to);
            let step = Step::new(rows::resize(from, to, signed), out, from.max(to));
            self.step(Step { second: Some(a), ..step });
            return out;
        }
        let (mut a, mut size) = (a, from);
        while size > to {
            size /= 2;
            if size < 4 {
                // Saturation must not see the bits that are dropped.
                let at = self.pool.constant(2 * size, &(u64::MAX >> (64 - 8 * size)).to_le_bytes());
                let low = self.uniform(at, 2 * size);
                a = self.make(rows::of_vector_masks(Binary::And), 2 * size, Some(a), low);
            }
            a = self.halves(a, size, rows::pack(size, false));
        }
        a
    }
}

/// Bytes of the widest lane that a statement's code needs.
pub fn widest(kernel: &Kernel, statement: &Stmt) -> usize {
    let mut widest = 1;
    statement.each_use(&mut |value| widest = widest.max(kernel.dtype(value).size()));
    if let Stmt::Let(value, op) = statement {
        widest = widest.max(kernel.dtype(*value).size());
        if let Op::Cast(a) = *op
            && kernel.dtype(a).is_float()
            && kernel.dtype(*value).is_integer()
        {
            widest = FLOAT_64.size();
        }
    }
    widest
}
