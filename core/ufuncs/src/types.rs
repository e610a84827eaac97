//! NumPy's type letters, and the short notation in which the table lists the loops of a ufunc.
//!
//! A clause `set: pattern` stands for one loop per type of the set: `float: xx->x` is `ee->e EE->E ff->f dd->d`. In a
//! pattern `x` is the type of the loop, `r` its real part and `?` `b` ... `D` are types themselves. A clause without a
//! set is one loop. The sets are `any`, `number` (any but bool), `real` (numbers but complex), `int`, `float`,
//! `complex`, `inexact` and, with `bool`, `truthy` (bool, int).

use std::fmt;

use cuproxide_hal::{DType, Kind};
use smallvec::SmallVec;

/// The types of the inputs or outputs of a loop.
pub type Types = SmallVec<[DType; 4]>;

/// One loop of a ufunc: the types it computes with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Types of the inputs.
    pub inputs: Types,
    /// Types of the outputs.
    pub outputs: Types,
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inputs.iter().try_for_each(|&dtype| write!(f, "{}", letter(dtype)))?;
        f.write_str("->")?;
        self.outputs.iter().try_for_each(|&dtype| write!(f, "{}", letter(dtype)))
    }
}

/// The letter of a type, as in `np.add.types`; `E` is the bfloat16 of `ml_dtypes`.
#[inline]
pub fn letter(dtype: DType) -> char {
    dtype.info().letter
}

/// The type of a letter.
pub fn from_letter(letter: char) -> Option<DType> {
    *BY_LETTER.get(letter as usize)?
}

/// The types by letter, since the table of ufuncs is read when the library is loaded.
static BY_LETTER: [Option<DType>; 128] = {
    let mut types = [None; 128];
    let mut at = 0;
    while at < DType::ALL.len() {
        types[DType::ALL[at].info().letter as usize] = Some(DType::ALL[at]);
        at += 1;
    }
    types
};

/// Smallest and largest value of an integer type (bool counts as one).
#[inline]
pub fn integer_range(dtype: DType) -> Option<(i128, i128)> {
    match dtype.kind() {
        Kind::Bool => Some((0, 1)),
        Kind::Unsigned => Some((0, (1 << dtype.bits()) - 1)),
        Kind::Signed => Some((-(1 << (dtype.bits() - 1)), (1 << (dtype.bits() - 1)) - 1)),
        Kind::Float | Kind::Complex => None,
    }
}

/// Expands the notation of a table of loops.
pub fn parse_loops(notation: &str) -> Vec<Loop> {
    notation.split(',').flat_map(clause).collect()
}

fn clause(clause: &str) -> Vec<Loop> {
    let (set, pattern) = clause.split_once(':').unwrap_or(("", clause));
    let (inputs, outputs) = pattern.trim().split_once("->").expect("a loop has an arrow");
    if set.is_empty() {
        let expand = |pattern: &str| pattern.chars().map(|c| substitute(c, DType::Bool)).collect();
        return vec![Loop { inputs: expand(inputs), outputs: expand(outputs) }];
    }
    let expand = |pattern: &str, x: DType| pattern.chars().map(|c| substitute(c, x)).collect();
    let members = DType::ALL.into_iter().filter(|&dtype| contains(set.trim(), dtype));
    members.map(|x| Loop { inputs: expand(inputs, x), outputs: expand(outputs, x) }).collect()
}

fn contains(set: &str, dtype: DType) -> bool {
    match set {
        "bool" => dtype == DType::Bool,
        "any" => true,
        "number" => dtype != DType::Bool,
        "real" => dtype.is_integer() || dtype.is_float(),
        "truthy" => dtype == DType::Bool || dtype.is_integer(),
        "int" => dtype.is_integer(),
        "float" => dtype.is_float(),
        "complex" => dtype.is_complex(),
        "inexact" => dtype.is_inexact(),
        _ => unreachable!("the table names the set {set}"),
    }
}

fn substitute(symbol: char, x: DType) -> DType {
    match symbol {
        'x' => x,
        'r' => x.real(),
        _ => from_letter(symbol).expect("a pattern holds type letters"),
    }
}
