//! The data structure of a kernel.

use crate::{DType, Fault, Scalar};

use super::ops::{Atomic, Binary, Compare, Unary};

/// Names an immutable value; its type is `kernel.values[id]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// Names a mutable local variable; its type is `kernel.locals[id]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(pub u32);

/// Names a local array; its type and length are `kernel.arrays[id]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Array(pub u32);

/// Names a function of the kernel: `kernel.functions[id]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Callee(pub u16);

/// A declared local array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayDecl {
    /// Type of its elements.
    pub dtype: DType,
    /// Number of its elements: 1 to [`ArrayDecl::MAX_LENGTH`].
    pub length: usize,
}

impl ArrayDecl {
    /// Most elements of a local array: it has to fit the registers or the stack of a thread.
    pub const MAX_LENGTH: usize = 256;
}

/// How a kernel uses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Only loads.
    Read,
    /// Only stores.
    Write,
    /// Loads, stores and atomics.
    Update,
}

/// A declared memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperandDecl {
    /// Element type in memory.
    pub dtype: DType,
    /// Use.
    pub mode: Mode,
}

/// A constant: the bytes of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Literal {
    /// The element's bytes, little endian, the rest zero.
    pub bytes: [u8; 16],
    /// The element's type.
    pub dtype: DType,
}

impl Literal {
    /// The constant as a launch scalar, which knows how to read the bytes.
    pub fn scalar(&self) -> Scalar {
        Scalar { bytes: self.bytes, dtype: self.dtype }
    }
}

impl From<Scalar> for Literal {
    fn from(scalar: Scalar) -> Literal {
        Literal { bytes: scalar.bytes, dtype: scalar.dtype }
    }
}

/// The right-hand side of a binding: a computation without side effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A constant.
    Const(Literal),
    /// A launch scalar; `lane` as for `Load`.
    Scalar {
        /// Number of the scalar.
        index: u16,
        /// Storage lane.
        lane: u8,
    },
    /// Position of the point in C order as int64: in the outer space for a map, in the inner one for a reduction or scan.
    Index,
    /// Position of the outer point in C order as int64; the same as `Index` in a map.
    OuterIndex,
    /// An element of an operand: the one at the current point, moved by `offset` bytes (int64).
    /// Before legalisation `lane` is 0 and the value has the operand's type; afterwards it has its storage type, and
    /// lane 1 is the imaginary part of a complex element.
    Load {
        /// Number of the operand.
        operand: u16,
        /// Bytes to move.
        offset: Option<Value>,
        /// Storage lane.
        lane: u8,
    },
    /// An operator with one operand.
    Unary(Unary, Value),
    /// An operator with two operands.
    Binary(Binary, Value, Value),
    /// A comparison.
    Compare(Compare, Value, Value),
    /// The second value where the first (bool) is true, else the third. Both are computed.
    Select(Value, Value, Value),
    /// a * b + c with one rounding, real.
    Fma(Value, Value, Value),
    /// Conversion to the type of the result. To bool: not equal to zero. Integers wrap. Float to integer truncates;
    /// out of range or NaN, it gives the low bits of the int64 minimum (uint64 accepts its whole range).
    /// Complex to real drops the imaginary part.
    Cast(Value),
    /// The same bits as another type of equal size; not for bool and complex.
    Bitcast(Value),
    /// A complex number of two real parts. Removed by legalisation.
    Complex(Value, Value),
    /// The current content of a local variable.
    Get(Local),
    /// An element of a local array, which was filled before. The index is an int32 or int64; one outside the array means
    /// its nearest element.
    Element(Array, Value),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stmt {
    /// Names the result of an operation.
    Let(Value, Op),
    /// Assigns a local variable.
    Set(Local, Value),
    /// Sets every element of a local array, which is what declares it in this block and those within.
    Fill(Array, Value),
    /// Sets an element of a local array, which was filled before; the index is as for [`Op::Element`].
    Put {
        /// The array.
        array: Array,
        /// Which element.
        index: Value,
        /// Its new content.
        value: Value,
    },
    /// Binds the results of a function.
    Call {
        /// The function, which comes before the one that the call is in: there is no recursion.
        callee: Callee,
        /// A value for each parameter.
        arguments: Vec<Value>,
        /// A new value for each result.
        results: Vec<Value>,
    },
    /// Writes an element; `offset` and `lane` as for [`Op::Load`].
    Store {
        /// Number of the operand.
        operand: u16,
        /// Bytes to move.
        offset: Option<Value>,
        /// Storage lane.
        lane: u8,
        /// What to write.
        value: Value,
    },
    /// Combines a value with an element in memory, atomically. After legalisation the value of a float16 or bfloat16
    /// operand is a float32 and that of a bool operand a uint8; the operand's declared type tells how to combine.
    Atomic {
        /// Number of the operand.
        operand: u16,
        /// Bytes to move.
        offset: Option<Value>,
        /// Storage lane.
        lane: u8,
        /// How to combine.
        op: Atomic,
        /// What to combine with.
        value: Value,
    },
    /// Runs one of two blocks.
    If {
        /// The condition, bool.
        cond: Value,
        /// Runs when true.
        then: Block,
        /// Runs when false.
        otherwise: Block,
    },
    /// Runs `head`, and while `cond` (computed there) is true, `body` and `head` again.
    While {
        /// Computes the condition.
        head: Block,
        /// The condition, bool.
        cond: Value,
        /// Runs while true.
        body: Block,
    },
    /// Records a fault on the device when the condition (bool) is false; execution goes on.
    Require(Value, Fault),
}

/// A sequence of statements. Values are visible after their binding, in the block and its nested blocks.
pub type Block = Vec<Stmt>;

/// A piece of a fold: parameters, statements, results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lambda {
    /// Values bound by the caller.
    pub params: Vec<Value>,
    /// The statements.
    pub body: Block,
    /// Values handed back.
    pub results: Vec<Value>,
}

/// A fold over the inner space with one or several accumulators.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fold {
    /// () -> accumulators: the start value, neutral for `combine`.
    pub identity: Lambda,
    /// () -> accumulators: loads the current point.
    pub map: Lambda,
    /// (earlier accumulators, later accumulators) -> accumulators. Associative; a lowering may regroup but keeps the order.
    pub combine: Lambda,
    /// (accumulators) -> (): stores the results. For a reduction once an outer point, and operands used here have no
    /// inner strides; for a scan at every point, with the accumulators of the prefix that ends there.
    pub finish: Lambda,
}

/// Folds of the inner space, one after another, and then a map over all its points: what normalises a row.
///
/// The results of a fold's `finish` are visible from there on: to the maps and finishes that follow. What a map binds is
/// visible to the maps that follow, at the same point: a lowering keeps it, or computes it again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rows {
    /// The folds. Their `finish` may store once a row and yields what later parts use.
    pub folds: Vec<Fold>,
    /// The map over the points, which may store at each.
    pub map: Block,
}

/// A fold of a range of the inner space for each outer point: rows of a sparse matrix, groups, windows of any length.
///
/// The inner space has one dimension, whose positions the ranges refer to. `map` runs at the positions of the range, in
/// their order; operands lie there as in a reduction. The bounds of the range are visible to `map` and `finish`, so that
/// a finish knows how many elements there were; of an empty range it gets the identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segments {
    /// () -> (first position, one after the last), int64, at the outer point. Positions outside the inner space are moved
    /// to its ends, and a range that would end before it begins is empty; the moved bounds are what is visible.
    pub range: Lambda,
    /// The fold. Its `finish` yields nothing.
    pub fold: Fold,
}

impl Segments {
    /// Whether the range of an outer point may differ from that of its neighbour along a dimension where `moves` tells
    /// which operands move.
    pub fn varies(&self, moves: &dyn Fn(usize) -> bool) -> bool {
        let mut varies = false;
        self.range.visit(&mut |statement| {
            varies |= match statement {
                Stmt::Let(_, Op::Load { operand, .. }) => moves((*operand).into()),
                Stmt::Let(_, Op::Index | Op::OuterIndex) => true,
                _ => false,
            };
        });
        varies
    }
}

/// A function that kernels call: of its parameters alone, without access to memory, positions and launch scalars.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// For generated text: letters, digits and underscores.
    pub name: String,
    /// Parameters, statements and results. Values, local variables and arrays are those of the kernel, but each is used
    /// by one function only.
    pub lambda: Lambda,
}

/// How the points of the iteration space relate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// Every outer point alone.
    Map(Block),
    /// One result for each outer point.
    Reduce(Fold),
    /// One result for each inner prefix of each outer point.
    Scan(Fold),
    /// Results for each outer point and each point of its inner space.
    Rows(Rows),
    /// One result for each outer point, from a range of the inner space that the point says.
    Segments(Segments),
}

/// The reduction that another one groups its elements like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grouping {
    /// The type of its dense elements.
    pub element: DType,
    /// It has so many of the first accumulators of the fold. With fewer than all, the accumulators are those of several
    /// such reductions, side by side.
    pub accumulators: usize,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// For messages and generated text: letters, digits and underscores.
    pub name: String,
    /// Memory operands.
    pub operands: Vec<OperandDecl>,
    /// Types of the launch scalars.
    pub scalars: Vec<DType>,
    /// Types of the values.
    pub values: Vec<DType>,
    /// Types of the local variables.
    pub locals: Vec<DType>,
    /// Local arrays.
    pub arrays: Vec<ArrayDecl>,
    /// Functions, each before those that call it.
    pub functions: Vec<Function>,
    /// The program.
    pub body: Body,
    /// Points must run in order on one thread where the device can (a CPU): scattered stores with repeated targets
    /// then keep the last value, as NumPy promises.
    pub ordered: bool,
    /// A reduction groups its elements as one that loads them from memory: the same sum, bit by bit, whether the elements
    /// were stored first or are computed where they are added. Holds for operands that move as those elements would along
    /// the fastest dimension, or not at all.
    pub grouped_as: Option<Grouping>,
    /// A reduction may combine its elements in any order. Where every accumulator is combined alone by a commutative
    /// operator this need not be said.
    pub any_order: bool,
    /// The last accumulator of the reduction, which also may run in any order, is the position of an element, the others
    /// are its value. `combine` keeps one side as a whole, and looks at positions only where values are equally good: then
    /// the smaller one is kept.
    pub finds_position: bool,
}

fn walk(block: &Block, visit: &mut dyn FnMut(&Stmt)) {
    for statement in block {
        visit(statement);
        match statement {
            Stmt::If { then: first, otherwise: second, .. } | Stmt::While { head: first, body: second, .. } => {
                walk(first, visit);
                walk(second, visit);
            }
            _ => {}
        }
    }
}

/// Reads scalar `first[index]` wherever scalar `index` was read.
fn read_first(block: &mut Block, first: &[u16]) {
    for statement in block {
        match statement {
            Stmt::Let(_, Op::Scalar { index, .. }) => *index = first[usize::from(*index)],
            Stmt::If { then: one, otherwise: other, .. } | Stmt::While { head: one, body: other, .. } => {
                read_first(one, first);
                read_first(other, first);
            }
            _ => {}
        }
    }
}

impl Lambda {
    /// Calls `visit` on every statement, outer ones first.
    pub fn visit(&self, visit: &mut dyn FnMut(&Stmt)) {
        walk(&self.body, visit);
    }
}

impl Kernel {
    /// The type of a value.
    pub fn dtype(&self, value: Value) -> DType {
        self.values[value.0 as usize]
    }

    /// Calls `visit` on every statement of the body, outer ones first.
    pub fn visit(&self, visit: &mut dyn FnMut(&Stmt)) {
        let lambdas = |fold: &Fold, visit: &mut dyn FnMut(&Stmt)| {
            [&fold.identity, &fold.map, &fold.combine, &fold.finish].into_iter().for_each(|lambda| lambda.visit(visit));
        };
        match &self.body {
            Body::Map(block) => walk(block, visit),
            Body::Reduce(fold) | Body::Scan(fold) => lambdas(fold, visit),
            Body::Rows(rows) => {
                rows.folds.iter().for_each(|fold| lambdas(fold, visit));
                walk(&rows.map, visit);
            }
            Body::Segments(segments) => {
                segments.range.visit(visit);
                lambdas(&segments.fold, visit);
            }
        }
    }

    /// The same map for launches in which scalar `index` always equals scalar `first[index]`: it reads only the latter, so
    /// that expressions of equal scalars are one. Nothing if the kernel is no map.
    pub fn with_equal_scalars(&self, first: &[u16]) -> Option<Kernel> {
        let mut kernel = self.clone();
        let Body::Map(block) = &mut kernel.body else { return None };
        read_first(block, first);
        Some(kernel)
    }

    /// The number of operations in the body, but for constants and launch scalars.
    pub fn operations(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |statement| {
            count += usize::from(!matches!(statement, Stmt::Let(_, Op::Const(_) | Op::Scalar { .. })));
        });
        count
    }

    /// Calls `visit` on every statement of the functions and of the body.
    pub fn visit_all(&self, visit: &mut dyn FnMut(&Stmt)) {
        self.functions.iter().for_each(|function| function.lambda.visit(visit));
        self.visit(visit);
    }

    /// Whether the kernel asks for its position, so that axes must not be reordered before a launch.
    pub fn uses_index(&self) -> bool {
        let mut found = false;
        self.visit(&mut |statement| {
            found |= matches!(statement, Stmt::Let(_, Op::Index | Op::OuterIndex));
        });
        found
    }

    /// Whether the kernel can record a fault.
    pub fn can_fault(&self) -> bool {
        let mut found = false;
        self.visit(&mut |statement| found |= matches!(statement, Stmt::Require(..)));
        found
    }
}
