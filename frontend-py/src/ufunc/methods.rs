//! The methods of ufuncs: `reduce`, `accumulate`, `outer`, `at` and `reduceat`.

use cuproxide_core::layout::MAX_NDIM;
use cuproxide_core::promotion::{Casting, can_cast};
use cuproxide_hal::DType;
use cuproxide_hal::ir::Atomic;
use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyDict, PyFloat, PyInt, PyTuple};

use super::PyUfunc;
use crate::arguments::{self, Passed};
use crate::dtypes;
use crate::errors::{Result, type_error, value_error};
use crate::ndarray::{NdArray, scatter};
use crate::package;
use crate::reductions::{Reducer, Request, accumulate, reduce};

impl PyUfunc {
    fn binary_only(&self, method: &str) -> Result<()> {
        if self.row.nin == 2 && self.row.nout == 1 {
            return Ok(());
        }
        Err(value_error(format!("{method} only supported for binary functions")))
    }
}

/// The one axis of a method that takes no more, by default 0; `None` and a tuple of one will do.
fn only_axis(axis: &Passed<'_>, method: &str, array: &Bound<'_, PyAny>) -> Result<isize> {
    let Some(given) = &axis.0 else { return Ok(0) };
    match arguments::axes(Some(given))?.as_deref() {
        Some([axis]) => Ok(*axis),
        None if arguments::array(array)?.ndim() <= 1 => Ok(0),
        _ => Err(value_error(format!("{method} does not allow multiple axes"))),
    }
}

#[pymethods]
impl PyUfunc {
    /// Reduces an array by applying the function along axes.
    ///
    /// Parameters
    /// ----------
    /// array : array_like
    ///     The array.
    /// axis : int or tuple of int, optional
    ///     The axis or axes.
    /// dtype : dtype, optional
    ///     The type to compute in.
    /// out : ndarray, optional
    ///     An array for the result, which is then returned.
    /// keepdims : bool or int
    ///     Whether reduced axes stay, with length 1.
    /// initial : scalar, optional
    ///     The value to begin with.
    /// where : array_like of bool, optional
    ///     Which elements count.
    #[pyo3(
        signature = (array, axis=Passed(None), dtype=None, *args, out=None, keepdims=Passed(None), initial=None, r#where=Passed(None)),
        text_signature = "($self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True)"
    )]
    #[expect(clippy::too_many_arguments, reason = "NumPy's arguments")]
    fn reduce<'py>(
        &self,
        array: &Bound<'py, PyAny>,
        axis: Passed<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        args: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyAny>>,
        keepdims: Passed<'py>,
        initial: Option<Bound<'py, PyAny>>,
        r#where: Passed<'py>,
    ) -> Result<Bound<'py, PyAny>> {
        self.binary_only("reduce")?;
        if args.len() > 4 {
            return Err(arguments::wrong_count("reduce", 1, 7, 3 + args.len()).into());
        }
        let out = target("reduce", 7, &args.get_slice(0, args.len().min(1)), out)?;
        let keepdims = placed("reduce", "keepdims", args, 1, keepdims.0)?;
        let keepdims = keepdims.map_or(Ok(false), |flag| arguments::keepdims(&flag))?;
        let initial = placed("reduce", "initial", args, 2, initial)?;
        let mask = placed("reduce", "where", args, 3, r#where.0)?.map(arguments::no_mask_is_false);
        let axis = axis.0.map_or_else(|| 0isize.into_bound_py_any(array.py()), Ok)?;
        let (axis, out) = (Some(&axis), out.as_ref());
        let request = Request { axis, dtype, out, keepdims, initial: initial.as_ref(), mask: mask.as_ref(), ddof: 0.0 };
        reduce(&arguments::owner_or_sequence(array)?, Reducer::Ufunc(self.row), &request)
    }

    /// The results of reducing longer and longer beginnings of an axis.
    ///
    /// Parameters
    /// ----------
    /// array : array_like
    ///     The array.
    /// axis : int
    ///     The axis.
    /// dtype : dtype, optional
    ///     The type to compute in.
    /// out : ndarray, optional
    ///     An array for the result, which is then returned.
    #[pyo3(
        signature = (array, axis=Passed(None), dtype=None, *args, out=None),
        text_signature = "($self, array, axis=0, dtype=None, out=None)"
    )]
    fn accumulate<'py>(
        &self,
        array: &Bound<'py, PyAny>,
        axis: Passed<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        args: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        self.binary_only("accumulate")?;
        let out = target("accumulate", 4, args, out)?;
        let array = arguments::owner_or_sequence(array)?;
        let axis = only_axis(&axis, "accumulate", &array)?;
        accumulate(&array, Reducer::Ufunc(self.row), Some(axis), dtypes::parse_optional(dtype)?, out.as_ref())
    }

    /// The function of all pairs of elements of two arrays.
    ///
    /// Parameters
    /// ----------
    /// a : array_like
    ///     The array.
    /// b : array_like
    ///     The second array.
    /// **kwargs
    ///     The options of ufuncs.
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
        let beside = || arguments::device_among([a, b]);
        let (a, b) = (&arguments::sequence_to_array(a, beside)?, &arguments::sequence_to_array(b, beside)?);
        let first = match a.cast::<NdArray>() {
            Ok(first) => {
                let array = first.get().snapshot();
                let others = match b.cast::<NdArray>() {
                    Ok(second) => second.get().read().ndim(),
                    Err(_) => 0,
                };
                let count = array.ndim() + others;
                if count > MAX_NDIM {
                    return Err(value_error(format!(
                        "maximum supported dimension for an ndarray is {MAX_NDIM}, but `{}.outer()` result would have \
                         {count}.",
                        self.row.name
                    )));
                }
                let stretched = (0..others).fold(array, |array, _| array.insert_axis(array.ndim()));
                crate::ndarray::wrap_view(first, stretched)?
            }
            Err(_) => strong(a)?,
        };
        self.call(py, &PyTuple::new(py, [first, strong(b)?])?, kwargs)
    }

    /// Applies the function in place at positions; repeated positions all count.
    ///
    /// Parameters
    /// ----------
    /// a : ndarray
    ///     The array, which is changed.
    /// indices : array_like of int
    ///     The indices.
    /// b : array_like, optional
    ///     The second operand.
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
        let b = b.map(|b| arguments::sequence_to_array(b, || arguments::device_among([a]))).transpose()?;
        let b = b.as_ref();
        let atomic = match slf.get().row.name {
            "add" => Some(Atomic::Add),
            "maximum" => Some(Atomic::Max),
            "minimum" => Some(Atomic::Min),
            _ => None,
        };
        if let (Some(atomic), Some(values)) = (atomic, b) {
            let owner = arguments::owner(a)?;
            // Complex numbers are ordered by both parts, which no atomic operation does.
            let dtype = owner.get().read().dtype();
            let values = strong(values)?;
            if (atomic == Atomic::Add || !dtype.is_complex()) && can_cast_first(&values, dtype, atomic)? {
                return scatter(owner, indices, &values, atomic);
            }
        }
        // Numbers of Python's count as arrays here, as in NumPy, and may wrap around.
        let b = b.map(strong).transpose()?;
        package::UFUNC_AT.call(py, (slf, a, indices, b))?;
        Ok(())
    }

    /// Reduces slices of an axis.
    ///
    /// Parameters
    /// ----------
    /// array : array_like
    ///     The array.
    /// indices : array_like of int
    ///     The indices.
    /// axis : int
    ///     The axis.
    /// dtype : dtype, optional
    ///     The type to compute in.
    /// out : ndarray, optional
    ///     An array for the result, which is then returned.
    #[pyo3(
        signature = (array, indices, axis=Passed(None), dtype=None, *args, out=None),
        text_signature = "($self, array, indices, axis=0, dtype=None, out=None)"
    )]
    fn reduceat<'py>(
        slf: &Bound<'py, Self>,
        array: &Bound<'py, PyAny>,
        indices: &Bound<'py, PyAny>,
        axis: Passed<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        args: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        slf.get().binary_only("reduceat")?;
        let out = target("reduceat", 5, args, out)?;
        arguments::out(out.as_ref())?;
        let array = arguments::owner_or_sequence(array)?;
        let axis = only_axis(&axis, "reduceat", &array)?;
        Ok(package::UFUNC_REDUCEAT.call(slf.py(), (slf, array, indices, axis, dtype, out))?)
    }
}

/// Whether an operation of elements and `values` gives the same if these are cast to the elements' type first.
fn can_cast_first(values: &Bound<'_, PyAny>, target: DType, op: Atomic) -> Result<bool> {
    let Some(dtype) = values.getattr_opt(intern!(values.py(), "dtype"))? else { return Ok(true) };
    let from = dtypes::parse(&dtype)?;
    Ok(match op {
        // Sums of integers wrap around alike.
        Atomic::Add => from.is_integer() && target.is_integer() || can_cast(from, target, Casting::SameKind),
        _ => from.is_inexact() && target.is_inexact() || can_cast(from, target, Casting::Safe),
    })
}

/// A Python number as a NumPy scalar, whose type counts in promotion as that of an array does.
fn strong<'py>(object: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let is_weak = object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyComplex>();
    if !is_weak {
        return Ok(object.clone());
    }
    Ok(object.py().import("numpy")?.call_method1("asarray", (object,))?.get_item(())?)
}

/// The array for a result: by position an array alone, by name also a tuple of one, or `...`.
fn target<'py>(
    method: &str,
    most: usize,
    args: &Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyAny>>,
) -> Result<Option<Bound<'py, PyAny>>> {
    if args.len() > 1 {
        return Err(arguments::wrong_count(method, 1, most, most - 1 + args.len()).into());
    }
    if args.is_empty() {
        let out = arguments::only_out(named)?;
        // Unlike in a call of the ufunc, a tuple of `None` is no array.
        if out.as_ref().is_some_and(PyAnyMethods::is_none) {
            return Err(type_error("return arrays must be of ArrayType, which here is cuproxide.ndarray"));
        }
        return Ok(out);
    }
    let given = placed(method, "out", args, 0, named.cloned())?;
    // What is no array is refused here: `...` and tuples count by name only.
    arguments::out(given.as_ref())?;
    Ok(given.filter(|out| !out.is_none()))
}

/// An argument that came by position behind `dtype`, or by name.
fn placed<'py>(
    method: &str,
    name: &str,
    args: &Bound<'py, PyTuple>,
    place: usize,
    named: Option<Bound<'py, PyAny>>,
) -> Result<Option<Bound<'py, PyAny>>> {
    match (args.get_item(place), named) {
        (Ok(_), Some(_)) => Err(type_error(format!("{method}() got multiple values for argument '{name}'"))),
        (Ok(given), None) => Ok(Some(given)),
        (Err(_), named) => Ok(named),
    }
}
