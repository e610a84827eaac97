//! The class `ufunc`: one object for each row of the core's table.

use cuproxide_core::Array;
use cuproxide_core::fold;
use cuproxide_core::layout::Order;
use cuproxide_core::ops::elementwise::{self, Call, Input};
use cuproxide_core::promotion::{Casting, Operand};
use cuproxide_core::ufunc::{self as table, Identity, Signature, Ufunc};
use cuproxide_hal::DType;
use cuproxide_hal::ir::Atomic;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyDict, PyFloat, PyInt, PyString, PyTuple, PyType};
use smallvec::SmallVec;

use crate::arguments::{self, Argument, ArrayRef, inputs};
use crate::dtypes;
use crate::errors::{Failure, Result, type_error, value_error};
use crate::ndarray::{NdArray, scatter, wrap, wrap_like};
use crate::reductions::{Reducer, Request, accumulate, reduce};
use crate::wait;

/// A function that works element by element, as `numpy.ufunc`.
#[pyclass(name = "ufunc", module = "cuproxide", frozen)]
pub struct PyUfunc {
    row: &'static Ufunc,
}

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
                "out" => parsed.out = Some(value).filter(|value| !value.is_none()),
                "where" => parsed.mask = Some(value),
                "dtype" => parsed.dtype = Some(value).filter(|value| !value.is_none()),
                "casting" => parsed.casting = Some(arguments::casting(Some(value.extract()?), Casting::SameKind)?),
                "order" if value.is_none() => {}
                "order" => parsed.order = Some(arguments::order(Some(value.extract()?), Order::K)?),
                "subok" => parsed.plain = !value.is_truthy()?,
                "signature" | "sig" => {
                    if parsed.signature.is_some() {
                        return Err(type_error("cannot specify both 'sig' and 'signature'"));
                    }
                    parsed.signature = Some(value).filter(|value| !value.is_none());
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
    fn operands(&self) -> usize {
        self.row.nin + self.row.nout
    }

    fn type_list(&self) -> impl Iterator<Item = String> {
        self.row.loops.iter().map(ToString::to_string)
    }

    /// The types that `signature=` asks for: letters as `dd->d`, or a type for each operand.
    fn signature(&self, object: &Bound<'_, PyAny>) -> Result<SmallVec<[Option<DType>; 4]>> {
        let wrong = || {
            value_error(format!(
                "a type-tuple must be specified of length {} for ufunc '{}'",
                self.operands(),
                self.row.name
            ))
        };
        if let Ok(text) = object.cast::<PyString>() {
            let text = text.to_str()?;
            let letters: String = text.split("->").collect();
            let types = letters.chars().map(|letter| {
                let known = table::from_letter(letter).map(Some);
                known.ok_or_else(|| type_error(format!("invalid type letter '{letter}' in signature '{text}'")))
            });
            let types: SmallVec<[Option<DType>; 4]> = types.collect::<Result<_>>()?;
            if types.len() == 1 {
                return Err(type_error(format!("signature='{text}' is no signature of all operands: use `dtype`")));
            }
            return if types.len() == self.operands() { Ok(types) } else { Err(wrong()) };
        }
        let Ok(tuple) = object.cast::<PyTuple>() else {
            return Err(type_error("the signature object to ufunc must be a string or a tuple."));
        };
        if tuple.len() != self.operands() {
            return Err(wrong());
        }
        tuple.iter_borrowed().map(|item| dtypes::parse_optional(Some(&item))).collect()
    }

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

    fn call<'py>(
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
            None if count == row.nin && count <= 2 => return self.call_plainly(py, arguments),
            None => Keywords::default(),
        };
        let objects: SmallVec<[Bound<'py, PyAny>; 4]> =
            (0..row.nin).map(|position| arguments.get_item(position)).collect::<PyResult<_>>()?;
        let given = self.outputs(arguments, &keywords)?;
        let (made, class) = {
            let operands: SmallVec<[Argument<'_>; 4]> = objects.iter().map(Argument::require).collect::<Result<_>>()?;
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
                order: keywords.order.unwrap_or(Order::K),
            };
            let made = wait::elementwise(py, &inputs, || elementwise::call(row, &request))?;
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

    /// The common call: one or two operands and nothing else.
    fn call_plainly<'py>(&self, py: Python<'py>, arguments: &Bound<'py, PyTuple>) -> Result<Bound<'py, PyAny>> {
        let row = self.row;
        let call = |inputs: &[Input<'_>]| {
            let request = Call::new(inputs);
            wait::elementwise(py, inputs, || elementwise::call(row, &request))
        };
        let first = arguments.get_item(0)?;
        let left = Argument::require(&first)?;
        let (made, class) = if row.nin == 1 {
            (call(&[left.input(false)?])?, subclass(std::slice::from_ref(&first))?)
        } else {
            let objects = [first.clone(), arguments.get_item(1)?];
            let right = Argument::require(&objects[1])?;
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

    /// What the function computes, and its signature.
    fn documentation(&self) -> String {
        let names = ["x1", "x2", "x3", "x4"];
        let operands = if self.row.nin == 1 { "x".to_owned() } else { names[..self.row.nin.min(4)].join(", ") };
        let example = Python::attach(|py| -> PyResult<String> {
            crate::submodule(py, "_examples")?.call_method1("of", (self.row.name,))?.extract()
        });
        format!(
            "{}({operands}, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None)\n\n{}\n\nSee \
             ``numpy.{}``.\n\n{}",
            self.row.name,
            self.row.doc,
            self.row.name,
            example.unwrap_or_default()
        )
    }

    fn binary_only(&self, method: &str) -> Result<()> {
        if self.row.nin == 2 && self.row.nout == 1 {
            return Ok(());
        }
        Err(value_error(format!("{method} only supported for binary functions")))
    }
}

/// An `axis=` whose default is 0 and where `None` means all axes.
enum Axis<'py> {
    First,
    Given(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Axis<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Axis<'py>> {
        Ok(Axis::Given(object.to_owned()))
    }
}

impl Axis<'_> {
    /// The one axis of a method that takes no more; `None` and a tuple of one will do.
    fn only(&self, method: &str, array: &Bound<'_, PyAny>) -> Result<isize> {
        let Axis::Given(given) = self else { return Ok(0) };
        match arguments::axes(Some(given))?.as_deref() {
            Some([axis]) => Ok(*axis),
            None if arguments::array(array)?.ndim() <= 1 => Ok(0),
            _ => Err(value_error(format!("{method} does not allow multiple axes"))),
        }
    }
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
    #[getter(__name__)]
    fn dunder_name(&self) -> &'static str {
        self.row.name
    }

    #[getter(__qualname__)]
    fn qualified_name(&self) -> &'static str {
        self.row.name
    }

    /// Name, with the package in front as CuPy has it.
    #[getter]
    fn name(&self) -> String {
        format!("cuproxide_{}", self.row.name)
    }

    /// Number of inputs.
    #[getter]
    fn nin(&self) -> usize {
        self.row.nin
    }

    /// Number of outputs.
    #[getter]
    fn nout(&self) -> usize {
        self.row.nout
    }

    /// Number of inputs and outputs.
    #[getter]
    fn nargs(&self) -> usize {
        self.operands()
    }

    /// Number of loops.
    #[getter]
    fn ntypes(&self) -> usize {
        self.row.loops.len()
    }

    /// The loops as type letters.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.type_list().collect()
    }

    /// The neutral element.
    #[getter]
    fn identity<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        Ok(match self.row.identity {
            None => py.None().into_bound(py),
            Some(Identity::Bool(value)) => value.into_bound_py_any(py)?,
            Some(Identity::Int(value)) => value.into_bound_py_any(py)?,
            Some(Identity::NegativeInfinity) => f64::NEG_INFINITY.into_bound_py_any(py)?,
        })
    }

    /// Always `None`: the function works on single elements.
    #[getter(signature)]
    fn core_signature(&self) -> Option<&'static str> {
        None
    }

    /// The arguments of a call, for `inspect.signature`.
    #[getter(__signature__)]
    fn call_signature<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(crate::submodule(slf.py(), "_members")?.call_method1(intern!(slf.py(), "ufunc_signature"), (slf,))?)
    }

    /// The dtypes in which operands of certain dtypes are computed, and those of the results.
    ///
    /// `dtypes` has an entry for each operand: a dtype, `int`, `float` or `complex` for a Python scalar, or `None`.
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

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        self.call(args.py(), args, kwargs)
    }

    /// Reduces an array by applying the function along axes.
    #[pyo3(signature = (array, axis=Axis::First, dtype=None, out=None, keepdims=false, initial=None, r#where=None))]
    fn reduce<'py>(
        &self,
        array: &Bound<'py, PyAny>,
        axis: Axis<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
        initial: Option<&Bound<'py, PyAny>>,
        r#where: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        self.binary_only("reduce")?;
        let out = first(out)?;
        let axis = match axis {
            Axis::First => 0isize.into_bound_py_any(array.py())?,
            Axis::Given(axis) => axis,
        };
        let (axis, out) = (Some(&axis), out.as_ref());
        let request = Request { axis, dtype, out, keepdims, initial, mask: r#where, ddof: 0.0 };
        reduce(arguments::owner(array)?, Reducer::Ufunc(self.row), &request)
    }

    /// The results of reducing longer and longer beginnings of an axis.
    #[pyo3(
        signature = (array, axis=Axis::First, dtype=None, out=None),
        text_signature = "($self, array, axis=0, dtype=None, out=None)"
    )]
    fn accumulate<'py>(
        &self,
        array: &Bound<'py, PyAny>,
        axis: Axis<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        self.binary_only("accumulate")?;
        let out = first(out)?;
        let axis = axis.only("accumulate", array)?;
        accumulate(
            arguments::owner(array)?,
            Reducer::Ufunc(self.row),
            Some(axis),
            dtypes::parse_optional(dtype)?,
            out.as_ref(),
        )
    }

    /// The function of all pairs of elements of two arrays.
    #[pyo3(signature = (a, b, /, **kwargs))]
    fn outer<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        let py = a.py();
        if self.row.nin != 2 {
            return Err(value_error("outer product only supported for binary functions"));
        }
        let first = match a.cast::<NdArray>() {
            Ok(first) => {
                let array = first.get().snapshot();
                let others = match b.cast::<NdArray>() {
                    Ok(second) => second.get().read().ndim(),
                    Err(_) => 0,
                };
                let stretched = (0..others).fold(array, |array, _| array.insert_axis(array.ndim()));
                crate::ndarray::wrap_view(first, stretched)?
            }
            Err(_) => a.clone(),
        };
        self.call(py, &PyTuple::new(py, [first, b.clone()])?, kwargs)
    }

    /// Applies the function in place at positions; repeated positions all count.
    #[pyo3(signature = (a, indices, b=None, /))]
    fn at(
        slf: &Bound<'_, Self>,
        a: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        b: Option<&Bound<'_, PyAny>>,
    ) -> Result<()> {
        let py = slf.py();
        match slf.get().row.nin {
            1 if b.is_some() => return Err(value_error("second operand provided when ufunc is unary")),
            2 if b.is_none() => return Err(value_error("second operand needed for ufunc")),
            _ => {}
        }
        let atomic = match slf.get().row.name {
            "add" => Some(Atomic::Add),
            "maximum" => Some(Atomic::Max),
            "minimum" => Some(Atomic::Min),
            _ => None,
        };
        if let (Some(atomic), Some(values)) = (atomic, b) {
            let owner = arguments::owner(a)?;
            // Complex numbers are ordered by both parts, which no atomic operation does.
            if atomic == Atomic::Add || !owner.get().read().dtype().is_complex() {
                return scatter(owner, indices, values, atomic);
            }
        }
        let helper = crate::submodule(py, "_dispatch")?.getattr("ufunc_at")?;
        helper.call1((slf, a, indices, b))?;
        Ok(())
    }

    /// Reduces slices of an axis.
    #[pyo3(
        signature = (array, indices, axis=Axis::First, dtype=None, out=None),
        text_signature = "($self, array, indices, axis=0, dtype=None, out=None)"
    )]
    fn reduceat<'py>(
        slf: &Bound<'py, Self>,
        array: &Bound<'py, PyAny>,
        indices: &Bound<'py, PyAny>,
        axis: Axis<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        slf.get().binary_only("reduceat")?;
        let axis = axis.only("reduceat", array)?;
        let helper = crate::submodule(slf.py(), "_dispatch")?.getattr("ufunc_reduceat")?;
        Ok(helper.call1((slf, array, indices, axis, dtype, out))?)
    }

    fn __repr__(&self) -> String {
        format!("<ufunc '{}'>", self.row.name)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<(Bound<'py, PyAny>, (&'static str,))> {
        Ok((py.import("cuproxide._cuproxide")?.getattr("_ufunc")?, (self.row.name,)))
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

/// The array in an `out=` that may be a tuple of one.
fn first<'py>(out: Option<&Bound<'py, PyAny>>) -> Result<Option<Bound<'py, PyAny>>> {
    let Some(out) = out.filter(|out| !out.is_none()) else { return Ok(None) };
    match out.cast::<PyTuple>() {
        Ok(tuple) if tuple.len() == 1 => Ok(Some(tuple.get_item(0)?).filter(|out| !out.is_none())),
        Ok(_) => Err(value_error("The 'out' tuple must have exactly one entry per ufunc output")),
        Err(_) => Ok(Some(out.clone())),
    }
}

/// Gives each ufunc its own text and the class another, which a plain attribute of the class cannot.
#[pyclass(module = "cuproxide", frozen)]
struct Documentation;

#[pymethods]
impl Documentation {
    fn __get__(&self, instance: &Bound<'_, PyAny>, _owner: &Bound<'_, PyAny>) -> String {
        match instance.cast::<PyUfunc>() {
            Ok(ufunc) => ufunc.get().documentation(),
            Err(_) => "A function that works element by element, as ``numpy.ufunc``.".to_owned(),
        }
    }
}

/// Makes `__doc__` that of the object where there is one.
pub fn document(py: Python<'_>) -> PyResult<()> {
    py.get_type::<PyUfunc>().setattr(intern!(py, "__doc__"), Bound::new(py, Documentation)?)
}

/// Every ufunc by name, aliases included; those that are not NumPy's have a `_` in front.
#[pyfunction]
pub fn ufuncs(py: Python<'_>) -> Result<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for row in table::table() {
        let object = Bound::new(py, PyUfunc { row })?;
        for name in row.aliases.iter().chain([&row.name]) {
            if row.public {
                all.set_item(name, &object)?;
            } else {
                all.set_item(format!("_{name}"), &object)?;
            }
        }
    }
    Ok(all)
}

/// The ufunc of a name, for pickles.
#[pyfunction]
#[pyo3(name = "_ufunc")]
pub fn ufunc_named<'py>(py: Python<'py>, name: &str) -> Result<Bound<'py, PyAny>> {
    let public = crate::package(py)?.getattr_opt(name)?.filter(PyAnyMethods::is_instance_of::<PyUfunc>);
    match (public, table::get(name)) {
        (Some(ufunc), _) => Ok(ufunc),
        (None, Some(row)) => Ok(Bound::new(py, PyUfunc { row })?.into_any()),
        (None, None) => Err(Failure::from(PyTypeError::new_err(format!("there is no ufunc {name}")))),
    }
}

/// `ndarray.__array_ufunc__`: NumPy's ufunc applied to operands of which one is an array of this library.
pub fn dispatch<'py>(
    py: Python<'py>,
    numpy_ufunc: &Bound<'py, PyAny>,
    method: &str,
    operands: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> Result<Bound<'py, PyAny>> {
    let name: String = numpy_ufunc.getattr(intern!(py, "__name__"))?.extract()?;
    for operand in operands.iter_borrowed() {
        if is_foreign(&operand)? {
            return Ok(py.NotImplemented().into_bound(py));
        }
    }
    // NumPy always passes `out` as a tuple.
    let keywords = match keywords {
        Some(keywords) => {
            let keywords = keywords.copy()?;
            if let Some(out) = keywords.get_item("out")?
                && let Ok(tuple) = out.cast::<PyTuple>()
                && tuple.len() == 1
            {
                keywords.set_item("out", tuple.get_item(0)?)?;
            }
            Some(keywords)
        }
        None => None,
    };
    let function = match table::get(&name).filter(|row| row.public) {
        Some(row) => Bound::new(py, PyUfunc { row })?.into_any(),
        None => match crate::package(py)?.getattr_opt(name.as_str())? {
            Some(function) => function,
            None => return Ok(py.NotImplemented().into_bound(py)),
        },
    };
    let function = if method == "__call__" {
        function
    } else {
        match function.getattr_opt(method)? {
            Some(function) => function,
            None => return Ok(py.NotImplemented().into_bound(py)),
        }
    };
    Ok(function.call(operands, keywords.as_ref())?)
}

/// Whether an operand has its own way with NumPy's ufuncs.
fn is_foreign(object: &Bound<'_, PyAny>) -> Result<bool> {
    let py = object.py();
    if object.is_instance_of::<NdArray>() {
        return Ok(false);
    }
    let numpy = dtypes::Numpy::get(py)?;
    if numpy.is_array(object)? || object.is_instance(numpy.generic.bind(py))? {
        return Ok(false);
    }
    Ok(object.get_type().getattr_opt(intern!(py, "__array_ufunc__"))?.is_some())
}
