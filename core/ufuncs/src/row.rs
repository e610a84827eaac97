//! What a row of the table says about a ufunc.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU8;

use cuproxide_hal::ir::{Builder, Compare, Var};
use cuproxide_hal::{DType, Fault, Scalar};
use smallvec::SmallVec;

use crate::types::{Loop, integer_range};

/// Results of a body, in order.
pub type Outputs<'b> = SmallVec<[Var<'b>; 2]>;

/// Number of a ufunc in the [`table`](crate::table()): small and stable within a build, for cache keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UfuncId(pub u16);

/// The computation of a ufunc, for every loop: the inputs tell the types. A result need not have the type of the loop's
/// output; it is cast.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// One input, one output.
    Unary(for<'b> fn(Var<'b>) -> Var<'b>),
    /// Two inputs, one output.
    Binary(for<'b> fn(Var<'b>, Var<'b>) -> Var<'b>),
    /// Three inputs, one output.
    Ternary(for<'b> fn(Var<'b>, Var<'b>, Var<'b>) -> Var<'b>),
    /// Any number of inputs and outputs.
    General(for<'b> fn(&[Var<'b>]) -> Outputs<'b>),
}

/// The neutral element of a binary ufunc, as NumPy names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A truth value.
    Bool(bool),
    /// 0, 1, or -1 (all bits set).
    Int(i8),
    /// Minus infinity.
    NegativeInfinity,
}

impl Identity {
    /// The element as a constant of `dtype`.
    pub fn constant(self, builder: &Builder, dtype: DType) -> Var<'_> {
        match self {
            Identity::Bool(value) => builder.integer(dtype, value.into()),
            Identity::Int(value) if dtype == DType::Bool => builder.boolean(value != 0),
            Identity::Int(value) => builder.integer(dtype, value.into()),
            Identity::NegativeInfinity => builder.real(dtype, f64::NEG_INFINITY),
        }
    }
}

/// The neutral element of a ufunc that has no identity in NumPy, because it depends on the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neutral {
    /// The smallest element: minus infinity, the smallest integer, false.
    Lowest,
    /// The largest element.
    Highest,
    /// NaN, where the type has it; else the smallest element.
    NanOrLowest,
    /// NaN, where the type has it; else the largest element.
    NanOrHighest,
}

impl Neutral {
    /// The element as a constant of `dtype`.
    pub fn constant(self, builder: &Builder, dtype: DType) -> Var<'_> {
        let (low, high) = integer_range(dtype).unwrap_or((0, 0));
        let extreme = |infinity: f64, bound: i128| match dtype {
            dtype if dtype.is_complex() => builder.literal(Scalar::complex(dtype, infinity, infinity).into()),
            dtype if dtype.is_float() => builder.real(dtype, infinity),
            _ => builder.integer(dtype, bound),
        };
        match self {
            Neutral::NanOrLowest | Neutral::NanOrHighest if dtype.is_inexact() => extreme(f64::NAN, 0),
            Neutral::Lowest | Neutral::NanOrLowest => extreme(f64::NEG_INFINITY, low),
            Neutral::Highest | Neutral::NanOrHighest => extreme(f64::INFINITY, high),
        }
    }
}

/// How NumPy chooses the loop, where it is more than the first loop that all inputs cast to safely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    /// The first loop that all inputs cast to safely.
    First,
    /// The loop of the inputs' own types; without one as `First`.
    Exact,
    /// As `First`, but bools and integers alone compute in float64.
    Division,
    /// As `First`, but mixed types are compared with zero each for itself.
    Truth,
    /// As `First`, but bools alone have no loop.
    NotBool,
    /// As `NotBool`, with NumPy's advice.
    NotBoolBecause(&'static str),
}

/// Whose function a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Home {
    /// One that NumPy has, or that behaves as NumPy's do.
    NumPy,
    /// One of `scipy.special`.
    Special,
    /// What other functions are made of.
    Internal,
}

impl Home {
    /// All homes, in the order in which a name is looked for.
    pub const ALL: [Home; 3] = [Home::NumPy, Home::Internal, Home::Special];

    /// The home in a word.
    pub const fn name(self) -> &'static str {
        match self {
            Home::NumPy => "numpy",
            Home::Special => "special",
            Home::Internal => "internal",
        }
    }
}

/// Where a real argument gives a real result: from a number to another, which belong to it or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether the ends belong to it.
    pub closed: bool,
}

impl Domain {
    /// Every number.
    pub const ALL: Domain = Domain::open(f64::NEG_INFINITY, f64::INFINITY);

    /// The numbers between two, which do not belong to it.
    pub const fn open(low: f64, high: f64) -> Domain {
        Domain { low, high, closed: false }
    }

    /// The numbers from one to another.
    pub const fn closed(low: f64, high: f64) -> Domain {
        Domain { low, high, closed: true }
    }
}

/// What loops with exact results refuse: negative integers as an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoNegative {
    /// The input.
    pub position: usize,
    /// The fault that such an element is.
    pub fault: Fault,
}

/// A universal function.
#[derive(Debug)]
pub struct Ufunc {
    /// Number in the table.
    pub id: UfuncId,
    /// NumPy's name.
    pub name: &'static str,
    /// Further names of the same function.
    pub aliases: &'static [&'static str],
    /// Number of inputs.
    pub nin: usize,
    /// Number of outputs.
    pub nout: usize,
    /// The loops, in NumPy's order of search.
    pub loops: Vec<Loop>,
    /// The neutral element.
    pub identity: Option<Identity>,
    /// The neutral element where NumPy names none.
    pub neutral: Option<Neutral>,
    /// How the loop is chosen.
    pub promotion: Promotion,
    /// The comparison that this ufunc makes: a Python int outside the range of the other operand is then no error.
    pub comparison: Option<Compare>,
    /// Whose function this is. Names are unique within a home.
    pub home: Home,
    /// Where real arguments give real results, one for each input; none for functions that take every number.
    pub domains: &'static [Domain],
    /// Where the method and its coefficients come from; nothing for what is made of operators of the IR alone.
    pub source: &'static str,
    /// What loops of integers refuse.
    pub refuses: Option<NoNegative>,
    /// One line on what it computes.
    pub doc: &'static str,
    pub(crate) body: Body,
    /// Whether float16 and bfloat16 loops compute in their own type: those that depend on the spacing of numbers, and
    /// those that pass bits on, of which conversions would change some NaN.
    pub(crate) narrow: bool,
    /// The types of single precision whose loops compute in double precision and round once.
    pub(crate) doubled: &'static [DType],
    /// Loop chosen for each combination of up to three operands, which the search for a loop fills in.
    pub chosen: OnceLock<Box<[AtomicU8]>>,
    /// What each loop costs.
    pub(crate) costs: OnceLock<Box<[Cost]>>,
}

/// What an element of a loop costs; see [`Ufunc::cost`] and [`Ufunc::is_straight`].
#[derive(Debug)]
pub(crate) struct Cost {
    pub work: u8,
    pub straight: bool,
}

impl Ufunc {
    /// Writes loop `index` for inputs of the loop's types; the results have the types of its outputs.
    ///
    /// Narrow floats are computed in float32 and rounded once at the end, as NumPy does; the types of single precision
    /// that the row names, in double precision.
    pub fn apply<'b>(&self, index: usize, inputs: &[Var<'b>]) -> Outputs<'b> {
        let is_narrow = |dtype: DType| dtype.is_narrow() && !self.narrow;
        let widen = |input: &Var<'b>| match input.dtype() {
            dtype if is_narrow(dtype) => input.cast(DType::F32),
            dtype if self.doubled.contains(&dtype) => input.cast(dtype.doubled()),
            _ => *input,
        };
        let wide: SmallVec<[Var<'b>; 4]> = inputs.iter().map(widen).collect();
        let write = || match (self.body, &wide[..]) {
            (Body::Unary(body), &[a]) => smallvec::smallvec![body(a)],
            (Body::Binary(body), &[a, b]) => smallvec::smallvec![body(a, b)],
            (Body::Ternary(body), &[a, b, c]) => smallvec::smallvec![body(a, b, c)],
            (Body::General(body), inputs) => body(inputs),
            _ => unreachable!("{} takes {} inputs", self.name, self.nin),
        };
        let outputs = &self.loops[index].outputs;
        let results: Outputs<'b> = if inputs.iter().any(|input| self.doubled.contains(&input.dtype())) {
            inputs[0].builder().rounding_to(outputs[0], write)
        } else {
            write()
        };
        results.into_iter().zip(outputs).map(|(value, &dtype): (Var<'b>, _)| value.cast(dtype)).collect()
    }

    /// Whether a reduction may regroup its elements, and so run over several axes. If not, it goes from left to right.
    #[inline]
    pub fn is_reorderable(&self) -> bool {
        self.identity.is_some() || self.neutral.is_some()
    }

    /// The element that changes nothing in a reduction of elements of `dtype`, if the ufunc is reorderable.
    pub fn neutral_element<'b>(&self, builder: &'b Builder, dtype: DType) -> Option<Var<'b>> {
        let identity = self.identity.map(|identity| identity.constant(builder, dtype));
        identity.or_else(|| self.neutral.map(|neutral| neutral.constant(builder, dtype)))
    }

    /// The fault that every element would record with this scalar as input `position` of a loop that takes `dtype` there:
    /// found before a launch, it can be raised at once.
    #[inline]
    pub fn scalar_fault(&self, position: usize, dtype: DType, scalar: &Scalar) -> Option<Fault> {
        let refused = self.refuses.as_ref().filter(|refused| refused.position == position)?;
        let negative = dtype.is_signed() && !scalar.dtype.is_inexact() && scalar.to_integer() < 0;
        negative.then_some(refused.fault)
    }

    /// Whether a loop can find fault with an element.
    #[inline]
    pub fn may_fault(&self, index: usize) -> bool {
        self.refuses.is_some() && !self.loops[index].outputs[0].is_inexact()
    }

    /// The loop whose first input is of type `dtype`.
    #[inline]
    pub fn loop_of(&self, dtype: DType) -> Option<usize> {
        self.loops.iter().position(|types| types.inputs[0] == dtype)
    }

    /// What comparing any element of `dtype` with a Python int outside its range gives; `scalar` is the int's position
    /// and `above` says that it is too large. `None` for a ufunc that does not compare.
    pub fn out_of_range_comparison(&self, scalar: usize, above: bool) -> Option<bool> {
        let element_is_less = above == (scalar == 1);
        self.comparison.map(|comparison| match comparison {
            Compare::Eq => false,
            Compare::Ne => true,
            Compare::Lt | Compare::Le => element_is_less,
            Compare::Gt | Compare::Ge => !element_is_less,
        })
    }
}
