//! Chooses the loop of a ufunc for given operands, as NumPy does.

use std::sync::atomic::{AtomicU8, Ordering};

use cuproxide_hal::{DType, Kind};
use cuproxide_ufuncs::{Loop, Promotion, Types, Ufunc};
use smallvec::SmallVec;
use thiserror::Error;

use crate::promotion::{Casting, Operand, can_cast};

/// The types a caller asks for: NumPy's `dtype=` and `signature=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature<'a> {
    /// Nothing is asked for.
    None,
    /// The type of all outputs.
    Output(DType),
    /// A type for each input, then each output, where given.
    Full(&'a [Option<DType>]),
}

/// A chosen loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Position of the loop in the ufunc.
    pub index: usize,
    /// Its types.
    pub types: &'static Loop,
}

/// Why no loop serves. All are `TypeError`s in Python, in NumPy's words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResolveError {
    /// No loop takes the operands.
    #[error(
        "ufunc '{ufunc}' not supported for the input types, and the inputs could not be safely coerced to any supported types according to the casting rule ''safe''"
    )]
    NotSupported {
        /// Name of the ufunc.
        ufunc: &'static str,
    },
    /// No loop takes the operands, of a ufunc with one type in all places.
    #[error("ufunc '{ufunc}' did not contain a loop with signature matching types {} -> None", list(types))]
    NoLoop {
        /// Name of the ufunc.
        ufunc: &'static str,
        /// The operands' types.
        types: Types,
    },
    /// No loop has the types that were asked for.
    #[error("No loop matching the specified signature and casting was found for ufunc {ufunc}")]
    NoSignature {
        /// Name of the ufunc.
        ufunc: &'static str,
    },
    /// Bools alone, where NumPy advises another operator.
    #[error("{0}")]
    Boolean(&'static str),
    /// An input does not cast to the type of the loop.
    #[error("Cannot cast ufunc '{ufunc}' input{} from dtype('{from}') to dtype('{to}') with casting rule '{}'", place(*position), casting.name())]
    Input {
        /// Name of the ufunc.
        ufunc: &'static str,
        /// Which input, if there are several.
        position: Option<usize>,
        /// The operand's type.
        from: DType,
        /// The loop's type.
        to: DType,
        /// The rule that forbids it.
        casting: Casting,
    },
    /// A result does not cast to the type of the array it is written to.
    #[error("Cannot cast ufunc '{ufunc}' output{} from dtype('{from}') to dtype('{to}') with casting rule '{}'", place(*position), casting.name())]
    Output {
        /// Name of the ufunc.
        ufunc: &'static str,
        /// Which output, if there are several.
        position: Option<usize>,
        /// The loop's type.
        from: DType,
        /// The array's type.
        to: DType,
        /// The rule that forbids it.
        casting: Casting,
    },
}

fn place(position: Option<usize>) -> String {
    position.map_or_else(String::new, |position| format!(" {position}"))
}

fn list(types: &Types) -> String {
    let types: Vec<String> = types.iter().map(|dtype| format!("dtype('{dtype}')")).collect();
    if types.len() == 1 { types[0].clone() } else { format!("({})", types.join(", ")) }
}

/// Chooses the loop that `operands` (one for each input) run in.
///
/// # Errors
/// Those of [`ResolveError`] but `Output`, which [`check_output`] finds.
pub fn resolve(
    ufunc: &'static Ufunc,
    operands: &[Operand],
    signature: Signature<'_>,
    casting: Casting,
) -> Result<Resolved, ResolveError> {
    debug_assert_eq!(operands.len(), ufunc.nin);
    let truth = ufunc.promotion == Promotion::Truth && signature == Signature::Output(DType::Bool);
    let free = signature == Signature::None || truth;
    let index = if free { automatic(ufunc, operands)? } else { requested(ufunc, operands, signature)? };
    let types = &ufunc.loops[index];
    // What becomes a truth value may always be cast.
    let checked = casting < Casting::Safe && !(free && ufunc.promotion == Promotion::Truth);
    if !free || checked {
        check_inputs(ufunc, operands, types, casting)?;
    }
    Ok(Resolved { index, types })
}

/// Checks that output `position` of the loop may be written to an array of type `to`.
///
/// # Errors
/// [`ResolveError::Output`].
pub fn check_output(
    ufunc: &'static Ufunc,
    resolved: Resolved,
    position: usize,
    to: DType,
    casting: Casting,
) -> Result<(), ResolveError> {
    let from = resolved.types.outputs[position];
    if can_cast(from, to, casting) {
        return Ok(());
    }
    let position = (ufunc.nout > 1).then_some(position);
    Err(ResolveError::Output { ufunc: ufunc.name, position, from, to, casting })
}

/// The loop that up to three operands run in if nothing is asked for, where that was looked up before.
#[inline]
pub(crate) fn known_loop(ufunc: &Ufunc, operands: &[Operand]) -> Option<usize> {
    known_loop_of(ufunc, operands.len(), number(operands))
}

/// [`known_loop`] by the combination of `count` operands, which [`add_code`] has made.
#[inline]
pub(crate) fn known_loop_of(ufunc: &Ufunc, count: usize, combination: usize) -> Option<usize> {
    let index = ufunc.chosen.get()?.get(combination)?.load(Ordering::Relaxed);
    (count == ufunc.nin && index < UNKNOWN).then_some(index.into())
}

/// A combination of operands and one more.
#[inline]
pub(crate) fn add_code(combination: usize, operand: Operand) -> usize {
    combination * CODES + code(operand)
}

const MISSING: u8 = u8::MAX;
const UNKNOWN: u8 = MISSING - 1;
const CODES: usize = DType::ALL.len() + 3;

/// The place of a combination of operands in the table of their loops.
#[inline]
fn number(operands: &[Operand]) -> usize {
    operands.iter().fold(0, |combination, &operand| add_code(combination, operand))
}

/// The loop by the operands alone: kept, since it depends on nothing else.
fn automatic(ufunc: &'static Ufunc, operands: &[Operand]) -> Result<usize, ResolveError> {
    if operands.len() > 3 {
        return search(ufunc, operands).ok_or_else(|| failure(ufunc, operands));
    }
    let unknown = || (0..CODES.pow(ufunc.nin as u32)).map(|_| AtomicU8::new(UNKNOWN)).collect();
    let place = &ufunc.chosen.get_or_init(unknown)[number(operands)];
    let index = match place.load(Ordering::Relaxed) {
        UNKNOWN => {
            let found = search(ufunc, operands).map_or(MISSING, |index| index as u8);
            place.store(found, Ordering::Relaxed);
            found
        }
        known => known,
    };
    if index == MISSING { Err(failure(ufunc, operands)) } else { Ok(index.into()) }
}

#[inline]
fn code(operand: Operand) -> usize {
    match operand {
        Operand::Strong(dtype) => dtype as usize,
        Operand::WeakInt => CODES - 3,
        Operand::WeakFloat => CODES - 2,
        Operand::WeakComplex => CODES - 1,
    }
}

fn failure(ufunc: &'static Ufunc, operands: &[Operand]) -> ResolveError {
    let bools = operands.iter().all(|&operand| operand == Operand::Strong(DType::Bool));
    match ufunc.promotion {
        Promotion::NotBoolBecause(advice) if bools => ResolveError::Boolean(advice),
        Promotion::NotBool => {
            let types = operands.iter().map(|operand| operand.default_dtype()).collect();
            ResolveError::NoLoop { ufunc: ufunc.name, types }
        }
        _ => ResolveError::NotSupported { ufunc: ufunc.name },
    }
}

/// NumPy's search: the first loop to which every strong operand casts safely and every weak one by kind.
fn search(ufunc: &Ufunc, operands: &[Operand]) -> Option<usize> {
    let operands = settle(operands);
    let is = |test: fn(DType) -> bool| operands.iter().all(|operand| test(operand.default_dtype()));
    let exactly = |wanted: &[DType]| ufunc.loops.iter().position(|types| types.inputs[..] == *wanted);
    match ufunc.promotion {
        Promotion::Exact => {
            let own = |operand: Operand, to| {
                if operand.is_weak() { fits(operand, to) } else { operand.default_dtype() == to }
            };
            let exact = |types: &Loop| operands.iter().zip(&types.inputs).all(|(&operand, &to)| own(operand, to));
            if let Some(index) = ufunc.loops.iter().position(exact) {
                return Some(index);
            }
        }
        Promotion::NotBool | Promotion::NotBoolBecause(_) if is(|dtype| dtype == DType::Bool) => return None,
        Promotion::Division if is(|dtype| dtype == DType::Bool || dtype.is_integer()) => {
            return exactly(&[DType::F64; 2][..ufunc.nin]);
        }
        Promotion::Truth if !operands.windows(2).all(|pair| pair[0] == pair[1] && !pair[0].is_weak()) => {
            return exactly(&[DType::Bool; 2][..ufunc.nin]);
        }
        _ => {}
    }
    ufunc.loops.iter().position(|types| operands.iter().zip(&types.inputs).all(|(&operand, &to)| fits(operand, to)))
}

/// Python scalars of a higher kind than all strong operands take their default type; without strong operands all do.
fn settle(operands: &[Operand]) -> SmallVec<[Operand; 4]> {
    let rank = |dtype: DType| match dtype.kind() {
        Kind::Bool => 0,
        Kind::Unsigned | Kind::Signed => 1,
        Kind::Float | Kind::Complex => 2,
    };
    let strong = operands.iter().filter(|operand| !operand.is_weak());
    let strong = strong.map(|operand| rank(operand.default_dtype())).max();
    let settled = |&operand: &Operand| {
        let dtype = operand.default_dtype();
        if strong.is_none_or(|strong| rank(dtype) > strong) { Operand::Strong(dtype) } else { operand }
    };
    operands.iter().map(settled).collect()
}

fn fits(operand: Operand, to: DType) -> bool {
    match operand {
        Operand::Strong(dtype) => can_cast(dtype, to, Casting::Safe),
        Operand::WeakInt => to != DType::Bool,
        Operand::WeakFloat => to.is_inexact(),
        Operand::WeakComplex => to.is_complex(),
    }
}

/// Among the loops with the requested types: the one that the search would take, else the first, whose inputs are
/// checked then. A loop of mixed types is not taken for its output alone.
fn requested(ufunc: &Ufunc, operands: &[Operand], signature: Signature<'_>) -> Result<usize, ResolveError> {
    let matches = |types: &Loop| match signature {
        Signature::None => true,
        Signature::Output(dtype) => types.outputs.iter().all(|&output| output == dtype),
        Signature::Full(wanted) => {
            let places = types.inputs.iter().chain(&types.outputs);
            wanted.len() == types.inputs.len() + types.outputs.len()
                && places.zip(wanted).all(|(dtype, wanted)| wanted.is_none_or(|wanted| wanted == *dtype))
        }
    };
    let candidates = || ufunc.loops.iter().enumerate().filter(|(_, types)| matches(types));
    let settled = settle(operands);
    let natural = |types: &Loop| settled.iter().zip(&types.inputs).all(|(&operand, &to)| fits(operand, to));
    let uniform = |types: &Loop| types.inputs.iter().all(|&input| input == types.outputs[0]);
    let found = candidates().find(|(_, types)| natural(types)).or_else(|| candidates().next());
    match found {
        Some((index, types)) if natural(types) || uniform(types) || matches!(signature, Signature::Full(_)) => {
            Ok(index)
        }
        _ => Err(ResolveError::NoSignature { ufunc: ufunc.name }),
    }
}

fn check_inputs(ufunc: &Ufunc, operands: &[Operand], types: &Loop, casting: Casting) -> Result<(), ResolveError> {
    for (position, (&operand, &to)) in operands.iter().zip(&types.inputs).enumerate() {
        let from = operand.default_dtype();
        let allowed = can_cast(from, to, casting) || (operand.is_weak() && fits(operand, to));
        if !allowed {
            let position = (ufunc.nin > 1).then_some(position);
            return Err(ResolveError::Input { ufunc: ufunc.name, position, from, to, casting });
        }
    }
    Ok(())
}
