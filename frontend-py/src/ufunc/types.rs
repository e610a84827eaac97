//! The types that a ufunc is asked for, and those that it chooses.

use cuproxide_core::fold;
use cuproxide_core::promotion::{Casting, Operand};
use cuproxide_core::ufunc::{self as table, Signature};
use cuproxide_hal::DType;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyString, PyTuple, PyType};
use smallvec::SmallVec;

use super::PyUfunc;
use crate::arguments;
use crate::dtypes;
use crate::errors::{Result, type_error, value_error};

impl PyUfunc {
    /// The types that `signature=` asks for: letters as `dd->d`, or a type for each operand.
    pub(super) fn signature(&self, object: &Bound<'_, PyAny>) -> Result<SmallVec<[Option<DType>; 4]>> {
        let wrong = || {
            value_error(format!(
                "a type-tuple must be specified of length {} for ufunc '{}'",
                self.operands(),
                self.row.name
            ))
        };
        if let Ok(text) = object.cast::<PyString>() {
            let text = text.to_str()?;
            let fits = match text.split_once("->") {
                Some((inputs, outputs)) => {
                    (inputs.chars().count(), outputs.chars().count()) == (self.row.nin, self.row.nout)
                }
                // Without the arrow it may be the letter of one type, which has its own error.
                None => text.chars().count() == 1,
            };
            if !fits {
                return Err(wrong());
            }
            let letters: String = text.split("->").collect();
            let types = letters.chars().map(|letter| {
                let known = table::from_letter(letter).map(Some);
                known.ok_or_else(|| type_error(format!("invalid type letter '{letter}' in signature '{text}'")))
            });
            let types: SmallVec<[Option<DType>; 4]> = types.collect::<Result<_>>()?;
            if types.len() == 1 {
                return Err(type_error(format!("signature='{text}' is not a signature of all operands: use `dtype`")));
            }
            return if types.len() == self.operands() { Ok(types) } else { Err(wrong()) };
        }
        let Ok(tuple) = object.cast::<PyTuple>() else {
            return Err(type_error("the signature object to ufunc must be a string or a tuple."));
        };
        if tuple.len() == 1 {
            return Err(type_error(
                "a signature of one type is what `dtype` says: give that, or a type for each operand",
            ));
        }
        if tuple.len() != self.operands() {
            return Err(wrong());
        }
        tuple.iter_borrowed().map(|item| dtypes::parse_optional(Some(&item))).collect()
    }
}

#[pymethods]
impl PyUfunc {
    /// The dtypes in which operands of certain dtypes are computed, and those of the results.
    ///
    /// `dtypes` has an entry for each operand: a dtype, `int`, `float` or `complex` for a Python scalar, or `None`.
    ///
    /// Parameters
    /// ----------
    /// dtypes : tuple of dtype
    ///     The types of operands and results; None where they are open.
    /// signature : optional
    ///     The types of operands and results.
    /// casting : str, optional
    ///     Which casts are allowed.
    /// reduction : bool
    ///     Whether a reduction is meant.
    #[pyo3(signature = (dtypes, *, signature=None, casting=None, reduction=false))]
    fn resolve_dtypes<'py>(
        &self,
        py: Python<'py>,
        dtypes: &Bound<'py, PyAny>,
        signature: Option<&Bound<'py, PyAny>>,
        casting: Option<&str>,
        reduction: bool,
    ) -> Result<Bound<'py, PyTuple>> {
        let count = self.operands();
        let Some(given) = dtypes.cast::<PyTuple>().ok().filter(|given| given.len() == count) else {
            return Err(type_error("resolve_dtypes: The dtypes must be a tuple of `ufunc.nargs` length."));
        };
        if reduction && (self.row.nin, self.row.nout) != (2, 1) {
            return Err(value_error("ufunc is not compatible with reduction operations."));
        }
        let casting = arguments::casting(casting, Casting::SameKind)?;
        let mut operands: SmallVec<[Option<Operand>; 4]> =
            given.iter().map(|object| operand(&object)).collect::<Result<_>>()?;
        if reduction && operands[0].is_none() {
            // A reduction has its own rule, such as int64 for sums of smaller integers.
            let plan = match (operands[1], &signature, fold::of_ufunc(self.row.id)) {
                (Some(Operand::Strong(input)), None, Some(fold)) => fold.plan(input, None).ok(),
                _ => None,
            };
            operands[0] = plan.map_or(operands[1], |plan| Some(Operand::Strong(plan.value)));
            operands[1] = operands[0];
        }
        let missing = || type_error("All input dtypes must be provided (except the first one in reductions)");
        let inputs: Option<SmallVec<[Operand; 4]>> = operands[..self.row.nin].iter().copied().collect();
        let types;
        let wanted = match signature.filter(|signature| !signature.is_none()) {
            Some(signature) => {
                types = self.signature(signature)?;
                Signature::Full(&types)
            }
            None => Signature::None,
        };
        let resolved = table::resolve(self.row, &inputs.ok_or_else(missing)?, wanted, casting)
            .map_err(cuproxide_core::Error::from)?;
        let outputs = operands[self.row.nin..].iter().enumerate();
        for (position, to) in outputs.filter_map(|(position, to)| Some((position, (*to)?))) {
            table::check_output(self.row, resolved, position, to.default_dtype(), casting)
                .map_err(cuproxide_core::Error::from)?;
        }
        let all = resolved.types.inputs.iter().chain(&resolved.types.outputs);
        let all = all.map(|&dtype| dtypes::to_numpy(py, dtype)).collect::<Result<Vec<_>>>()?;
        Ok(PyTuple::new(py, all)?)
    }
}

/// An entry of `resolve_dtypes`: a dtype, a Python type for its scalars, or nothing.
fn operand(object: &Bound<'_, PyAny>) -> Result<Option<Operand>> {
    let py = object.py();
    let is = |class: Bound<'_, PyType>| object.is(&class);
    Ok(if object.is_none() {
        None
    } else if is(py.get_type::<PyInt>()) {
        Some(Operand::WeakInt)
    } else if is(py.get_type::<PyFloat>()) {
        Some(Operand::WeakFloat)
    } else if is(py.get_type::<PyComplex>()) {
        Some(Operand::WeakComplex)
    } else if object.is_instance(&py.import("numpy")?.getattr("dtype")?)? {
        Some(Operand::Strong(dtypes::parse(object)?))
    } else {
        return Err(type_error("Provided dtype must be a valid NumPy dtype, int, float, complex, or None."));
    })
}
