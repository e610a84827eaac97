//! Fixes the types of a reduction.

use std::fmt;
use std::sync::OnceLock;

use cuproxide_hal::DType;
use smallvec::{SmallVec, smallvec};

use super::row::{Argument, Options, Plan, Plans, Reduction, Rule, whole, wide};
use crate::error::Error;
use crate::promotion::{Casting, Operand, can_cast};
use crate::ufunc::{Loop, NO_SUBTRACT, Promotion, ResolveError, Signature, Ufunc, resolve};

impl Plans {
    fn place(&self, input: DType, dtype: Option<DType>) -> &OnceLock<Plan> {
        const TYPES: usize = DType::ALL.len();
        let places = self.0.get_or_init(|| (0..TYPES * (TYPES + 1)).map(|_| OnceLock::new()).collect());
        &places[input as usize * (TYPES + 1) + dtype.map_or(TYPES, |dtype| dtype as usize)]
    }
}

impl fmt::Debug for Plans {
    /// A plan names its row, which has these plans.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Plans")
    }
}

impl Reduction {
    /// The types for elements of type `input`; `dtype` is NumPy's argument (which is the type of `out=` where only that is
    /// given).
    ///
    /// # Errors
    /// Those of [`resolve`], if the ufunc has no loop that takes its own results.
    pub fn plan(&'static self, input: DType, dtype: Option<DType>) -> Result<&'static Plan, ResolveError> {
        let place = self.plans.place(input, dtype);
        match place.get() {
            Some(known) => Ok(known),
            None => {
                let plan = self.choose(input, dtype)?;
                Ok(place.get_or_init(|| plan))
            }
        }
    }

    fn choose(&'static self, input: DType, dtype: Option<DType>) -> Result<Plan, ResolveError> {
        let value = dtype.unwrap_or(if input.is_inexact() { input } else { DType::F64 });
        let mut narrow = None;
        let (value, lifted, accumulator, output) = match (self.rule, self.ufunc()) {
            (Rule::Ufunc, Some(ufunc)) => {
                let sums = matches!(ufunc.name, "add" | "multiply");
                let index = match dtype {
                    Some(dtype) => same_type_loop(ufunc, dtype)?,
                    None => natural_loop(ufunc, if sums { whole(input) } else { input })?,
                };
                narrow = Some(index);
                let value = ufunc.loops[index].outputs[0];
                let extrema = matches!(ufunc.name, "maximum" | "minimum" | "fmax" | "fmin");
                let accumulator = if sums || (extrema && value.is_narrow()) { wide(value) } else { value };
                (value, accumulator, accumulator, value)
            }
            (Rule::Count, _) => (DType::Bool, DType::Bool, DType::I64, DType::I64),
            (Rule::Index, _) => {
                let lifted = if input.is_narrow() { wide(input) } else { input };
                (input, lifted, lifted, DType::I64)
            }
            (Rule::Mean, _) => (value, wide(value), wide(value), value),
            (Rule::Spread, _) if dtype == Some(DType::Bool) && input == DType::Bool => {
                return Err(ResolveError::Boolean(NO_SUBTRACT));
            }
            (Rule::Spread, _) => {
                let lifted = if value.is_inexact() { wide(value) } else { DType::F64 };
                (value, lifted, lifted.real(), value.real())
            }
            (Rule::Difference, _) if input == DType::Bool => return Err(ResolveError::Boolean(NO_SUBTRACT)),
            (Rule::Same | Rule::Difference | Rule::Ufunc, _) => (input, input, input, input),
        };
        let index = self.ufunc().map_or(Ok(0), |ufunc| same_type_loop(ufunc, accumulator))?;
        let outputs = SmallVec::from_elem(output, self.nout);
        Ok(Plan { row: self, input, value, lifted, accumulator, outputs, index, narrow: narrow.unwrap_or(index) })
    }
}

/// The loop whose types are all `dtype`.
fn same_type_loop(ufunc: &'static Ufunc, dtype: DType) -> Result<usize, ResolveError> {
    let same = |types: &Loop| types.inputs.iter().chain(&types.outputs).all(|&other| other == dtype);
    ufunc.loops.iter().position(same).ok_or(ResolveError::NoSignature { ufunc: ufunc.name })
}

/// The loop for two operands of type `dtype`, if its result can be an operand again.
fn natural_loop(ufunc: &'static Ufunc, dtype: DType) -> Result<usize, ResolveError> {
    let resolved = resolve(ufunc, &[Operand::Strong(dtype); 2], Signature::None, Casting::SameKind)?;
    let truth = ufunc.promotion == Promotion::Truth;
    same_type_loop(ufunc, if truth { DType::Bool } else { resolved.types.inputs[0] })
}

impl Plan {
    /// Checks the type of an `out=`. As in NumPy, what a ufunc reduces, and what a mean or a variance of it is divided
    /// by, is cast to any type, since that happens in place; positions are written back from an array of their own.
    ///
    /// # Errors
    /// [`Error::Casting`] if the result is not cast to it, [`Error::Type`] if positions are not.
    pub fn check_output(&self, name: &str, out: DType) -> Result<(), Error> {
        let output = self.outputs[0];
        let in_place = match self.row.rule {
            Rule::Ufunc => true,
            Rule::Mean | Rule::Spread => !self.skips_nan() && self.row.name != "std",
            Rule::Index if !can_cast(out, output, Casting::Safe) => {
                return Err(Error::Type(format!(
                    "Cannot cast array data from dtype('{out}') to dtype('{output}') according to the rule 'safe'"
                )));
            }
            _ => false,
        };
        if in_place || can_cast(output, out, Casting::SameKind) {
            return Ok(());
        }
        Err(Error::Casting(format!(
            "Cannot cast ufunc '{name}' output from dtype('{output}') to dtype('{out}') with casting rule 'same_kind'"
        )))
    }

    /// Whether elements that take part are counted, since the number is not known before the launch.
    pub(super) fn counts(&self, options: Options) -> bool {
        self.row.arguments.contains(&Argument::Count) && (options.masked || self.skips_nan())
    }

    /// Whether the fold has one accumulator that the device combines by one commutative instruction: such folds may run
    /// side by side in one kernel, each as it would alone.
    pub(crate) fn is_plain(&self) -> bool {
        let Some(ufunc) = self.row.ufunc() else { return false };
        let real = !self.accumulator.is_complex() && !self.accumulator.is_narrow();
        let combines = match ufunc.name {
            "add" => self.accumulator != DType::Bool,
            "multiply" | "maximum" | "minimum" => real && self.accumulator != DType::Bool,
            "logical_and" | "logical_or" => self.accumulator == DType::Bool,
            _ => false,
        };
        combines && self.row.nout == 1 && !self.counts(Options::default())
    }

    /// Whether NaN elements may occur and are left out.
    pub(super) fn skips_nan(&self) -> bool {
        self.row.skips_nan && self.input.is_inexact()
    }

    /// The launch scalars of [`reduce_kernel`](super::reduce_kernel), in order, with their types.
    pub fn arguments(&self, options: Options) -> SmallVec<[(Argument, DType); 4]> {
        let needed =
            self.row.arguments.iter().filter(|&&argument| argument != Argument::Count || !self.counts(options));
        let mut arguments: SmallVec<_> = needed.map(|&argument| (argument, DType::F64)).collect();
        if options.initial {
            arguments.push((Argument::Initial, self.value));
        }
        arguments
    }

    /// The launch scalars of [`ordered_kernel`](super::ordered_kernel), in order, with their types.
    pub fn ordered_arguments(&self, accumulate: bool, options: Options) -> SmallVec<[(Argument, DType); 5]> {
        let mut arguments: SmallVec<[_; 5]> =
            smallvec![(Argument::Length, DType::I64), (Argument::InputStride, DType::I64)];
        if accumulate {
            arguments.push((Argument::OutputStride, DType::I64));
        }
        if options.masked {
            arguments.push((Argument::MaskStride, DType::I64));
        }
        if options.initial {
            arguments.push((Argument::Initial, self.value));
        }
        arguments
    }
}
