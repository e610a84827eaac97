//! Calling a ufunc: its arguments, and the class of its results.

use cuproxide_core::layout::Order;
use cuproxide_core::ops::elementwise::{self, Call, Input};
use cuproxide_core::promotion::{Casting, Operand};
use cuproxide_core::ufunc::{self, Signature, Ufunc};
use cuproxide_core::{Array, trace};
use cuproxide_hal::DType;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString, PyTuple};
use smallvec::SmallVec;

use super::{PyUfunc, protocol};
use crate::arguments::{self, Argument, ArrayRef, inputs};
use crate::dtypes;
use crate::errors::{Result, type_error, value_error};
use crate::ndarray::{NdArray, expected, wrap, wrap_like};
use crate::traced_number::TracedNumber;
use crate::wait;

/// The keyword arguments of a call, as they came.
#[derive(Default)]
struct Keywords<'py> {
    out: Option<Bound<'py, PyAny>>,
    mask: Option<Bound<'py, PyAny>>,
    dtype: Option<Bound<'py, PyAny>>,
    signature: Option<Bound<'py, PyAny>>,
    casting: Option<Casting>,
    order: Option<Order>,
    plain: bool,
}

impl<'py> Keywords<'py> {
    fn parse(name: &str, keywords: &Bound<'py, PyDict>) -> Result<Keywords<'py>> {
        let mut parsed = Keywords::default();
        for (key, value) in keywords {
            let key = key.cast_into::<PyString>()?;
            match key.to_str()? {
                "out" => parsed.out = arguments::named_out(Some(&value)).cloned(),
                "where" => parsed.mask = Some(arguments::no_mask_is_false(value)),
                "dtype" => parsed.dtype = Some(value).filter(|value| !value.is_none()),
                "casting" => parsed.casting = Some(arguments::casting(Some(value.extract()?), Casting::SameKind)?),
                "order" if value.is_none() => {}
                "order" => parsed.order = Some(arguments::order(Some(value.extract()?), Order::K)?),
                "subok" => match value.cast::<PyBool>() {
                    Ok(flag) => parsed.plain = !flag.is_true(),
                    Err(_) => return Err(type_error("'subok' must be a boolean")),
                },
                "signature" | "sig" => {
                    if parsed.signature.is_some() {
                        return Err(type_error("cannot specify both 'sig' and 'signature'"));
                    }
                    parsed.signature = Some(value);
                }
                other => return Err(type_error(format!("{name}() got an unexpected keyword argument '{other}'"))),
            }
        }
        if parsed.dtype.is_some() && parsed.signature.is_some() {
            return Err(type_error("cannot specify both 'signature' and 'dtype'"));
        }
        Ok(parsed)
    }
}

impl PyUfunc {
    /// The arrays given for results: from positions after the inputs, or from `out=`.
    fn outputs<'py>(
        &self,
        arguments: &Bound<'py, PyTuple>,
        keywords: &Keywords<'py>,
    ) -> Result<SmallVec<[Option<Bound<'py, PyAny>>; 2]>> {
        let mut given: SmallVec<[Option<Bound<'py, PyAny>>; 2]> = SmallVec::new();
        for position in self.row.nin..arguments.len() {
            given.push(Some(arguments.get_item(position)?).filter(|object| !object.is_none()));
        }
        let is_positional = !given.is_empty();
        if is_positional {
            given.resize(self.row.nout, None);
        }
        let Some(out) = &keywords.out else { return Ok(given) };
        if is_positional {
            return Err(type_error("cannot specify 'out' as both a positional and keyword argument"));
        }
        match out.cast::<PyTuple>() {
            Ok(tuple) if tuple.len() == self.row.nout => {
                arguments::no_ellipsis(tuple)?;
                Ok(tuple.iter().map(|object| Some(object).filter(|object| !object.is_none())).collect())
            }
            Ok(_) => Err(value_error("The 'out' tuple must have exactly one entry per ufunc output")),
            Err(_) if self.row.nout > 1 => Err(type_error("'out' must be a tuple of arrays")),
            Err(_) => {
                given.push(Some(out.clone()));
                Ok(given)
            }
        }
    }

    pub(super) fn call<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        let row = self.row;
        let count = arguments.len();
        if count < row.nin || count > self.operands() {
            return Err(arguments::wrong_count(row.name, row.nin, self.operands(), count).into());
        }
        let keywords = match keywords.filter(|keywords| !keywords.is_empty()) {
            Some(keywords) => Keywords::parse(row.name, keywords)?,
            None if count == row.nin && count <= 2 => {
                return match self.follow(py, arguments)? {
                    Some(made) => Ok(made),
                    None => self.call_plainly(py, arguments),
                };
            }
            None => Keywords::default(),
        };
        let objects: SmallVec<[Bound<'py, PyAny>; 4]> =
            (0..row.nin).map(|position| arguments.get_item(position)).collect::<PyResult<_>>()?;
        let given = self.outputs(arguments, &keywords)?;
        let (made, class) = {
            let operands = arguments::operands(objects.iter())?;
            let inputs = inputs(&operands)?;
            let targets = given
                .iter()
                .map(|object| arguments::out(object.as_ref()))
                .collect::<Result<SmallVec<[Option<ArrayRef<'_>>; 2]>>>()?;
            let out: SmallVec<[Option<&Array>; 2]> = targets.iter().map(Option::as_deref).collect();
            let context = inputs.iter().find_map(|input| match input {
                Input::Array(array) => Some(array.context()),
                _ => None,
            });
            let mask = arguments::mask(keywords.mask.as_ref(), context)?;
            let mask: Option<&Array> = mask.as_deref();
            let types;
            let signature = match (&keywords.dtype, &keywords.signature) {
                (Some(dtype), _) => Signature::Output(dtypes::parse(dtype)?),
                (None, Some(signature)) => {
                    types = self.signature(signature)?;
                    Signature::Full(&types)
                }
                (None, None) => Signature::None,
            };
            let request = Call {
                inputs: &inputs,
                out: &out,
                mask,
                signature,
                casting: keywords.casting.unwrap_or(Casting::SameKind),
                order: keywords.order.unwrap_or_else(Order::of_results),
            };
            let made = wait::operands(py, &inputs, || elementwise::call(row, &request))?;
            warn_of_lost_parts(py, row, &request)?;
            (made, if keywords.plain { None } else { subclass(&objects)? })
        };
        let mut results = made.into_iter().enumerate().map(|(position, array)| {
            if let Some(Some(out)) = given.get(position) {
                return Ok(out.clone());
            }
            match &class {
                None => wrap(py, array),
                Some(like) => wrap_like(like, array),
            }
        });
        if row.nout == 1 {
            return results.next().unwrap_or_else(|| Err(value_error("the operation made no result")));
        }
        let results = results.collect::<Result<Vec<_>>>()?;
        Ok(PyTuple::new(py, results)?.into_any())
    }

    /// The result of a call with one or two operands and nothing else, if the script of the current group predicts it.
    fn follow<'py>(&self, py: Python<'py>, arguments: &Bound<'py, PyTuple>) -> Result<Option<Bound<'py, PyAny>>> {
        if !elementwise::is_any_expected() {
            return Ok(None);
        }
        let first = arguments.get_item(0)?;
        let made = match self.row.nin {
            1 => expected::follow_call(py, self.row, &[&first]),
            _ => expected::follow_call(py, self.row, &[&first, &arguments.get_item(1)?]),
        };
        made.transpose()
    }

    /// The most common call: one or two operands and nothing else.
    fn call_plainly<'py>(&self, py: Python<'py>, arguments: &Bound<'py, PyTuple>) -> Result<Bound<'py, PyAny>> {
        let row = self.row;
        let call = |inputs: &[Input<'_>]| wait::ufunc(py, row, inputs);
        if trace::is_on() && row.nin == 2 {
            for position in 0..2 {
                if let Ok(number) = arguments.get_item(position)?.cast_exact::<TracedNumber>() {
                    let other = arguments.get_item(1 - position)?;
                    return number.get().operand(row.name, |value| {
                        let number = PyFloat::new(py, value).into_any();
                        let both = if position == 0 { [number, other] } else { [other, number] };
                        self.call_plainly(py, &PyTuple::new(py, both)?)
                    });
                }
            }
        }
        let first = arguments.get_item(0)?;
        let beside = || arguments::device_among(arguments.iter_borrowed());
        let left = Argument::operand(&first, beside)?;
        let (made, class) = if row.nin == 1 {
            (call(&[left.input(false)?])?, subclass(std::slice::from_ref(&first))?)
        } else {
            let objects = [first.clone(), arguments.get_item(1)?];
            let right = Argument::operand(&objects[1], beside)?;
            let among_floats = left.is_inexact() || right.is_inexact();
            (call(&[left.input(among_floats)?, right.input(among_floats)?])?, subclass(&objects)?)
        };
        drop(left);
        let count = made.len();
        let mut wrapped = made.into_iter().map(|array| match &class {
            None => wrap(py, array),
            Some(like) => wrap_like(like, array),
        });
        match (count, wrapped.next()) {
            (1, Some(only)) => only,
            (_, first) => {
                let all = first.into_iter().chain(wrapped).collect::<Result<Vec<_>>>()?;
                Ok(PyTuple::new(py, all)?.into_any())
            }
        }
    }
}

/// Warns where a call that may cast anything drops imaginary parts, of operands or of results.
fn warn_of_lost_parts(py: Python<'_>, row: &'static Ufunc, request: &Call<'_>) -> Result<()> {
    if request.casting != Casting::Unsafe {
        return Ok(());
    }
    let operands: SmallVec<[Operand; 4]> = request.inputs.iter().map(Input::operand).collect();
    let Ok(resolved) = ufunc::resolve(row, &operands, request.signature, request.casting) else { return Ok(()) };
    for (operand, &wanted) in operands.iter().zip(&resolved.types.inputs) {
        let given = match operand {
            Operand::Strong(dtype) => *dtype,
            Operand::WeakComplex => DType::C128,
            Operand::WeakInt | Operand::WeakFloat => continue,
        };
        dtypes::warn_of_lost_parts(py, given, wanted)?;
    }
    for (out, &made) in request.out.iter().zip(&resolved.types.outputs) {
        if let Some(out) = out {
            dtypes::warn_of_lost_parts(py, made, out.dtype())?;
        }
    }
    Ok(())
}

/// The operand whose subclass of `ndarray` decides the class of the results.
fn subclass<'a, 'py>(objects: &'a [Bound<'py, PyAny>]) -> Result<Option<Bound<'py, NdArray>>> {
    let mut best: Option<(f64, &'a Bound<'py, NdArray>)> = None;
    for object in objects {
        if object.is_exact_instance_of::<NdArray>() {
            continue;
        }
        if let Ok(array) = object.cast::<NdArray>() {
            let priority: f64 = array.getattr(intern!(array.py(), "__array_priority__"))?.extract()?;
            if best.as_ref().is_none_or(|(highest, _)| priority > *highest) {
                best = Some((priority, array));
            }
        }
    }
    Ok(best.map(|(_, array)| array.clone()))
}

#[pymethods]
impl PyUfunc {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        self.call(args.py(), args, kwargs).or_else(|error| match protocol::delegate(self, args, kwargs)? {
            Some(result) => Ok(result),
            None => Err(error),
        })
    }
}
