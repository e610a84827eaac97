//! Calling the core's reductions with Python arguments; shared by functions, methods and ufuncs.

use cuproxide_core::Array;
use cuproxide_core::layout::Order;
use cuproxide_core::ops::copy;
use cuproxide_core::ops::elementwise::Input;
use cuproxide_core::ops::reduction::{self, Reduction};
use cuproxide_core::ufunc::Ufunc;
use cuproxide_hal::ir::cast_scalar;
use cuproxide_hal::{DType, Scalar};
use pyo3::prelude::*;

use crate::arguments;
use crate::dtypes;
use crate::empty_slices;
use crate::errors::{Result, type_error, value_error};
use crate::ndarray::{NdArray, wrap_like};
use crate::scalars::Number;
use crate::wait;

/// Arguments of a reduction as they came from Python.
#[derive(Default)]
pub struct Request<'a, 'py> {
    /// `axis=`.
    pub axis: Option<&'a Bound<'py, PyAny>>,
    /// `dtype=`.
    pub dtype: Option<&'a Bound<'py, PyAny>>,
    /// `out=`.
    pub out: Option<&'a Bound<'py, PyAny>>,
    /// `keepdims=`.
    pub keepdims: bool,
    /// `initial=`.
    pub initial: Option<&'a Bound<'py, PyAny>>,
    /// `where=`.
    pub mask: Option<&'a Bound<'py, PyAny>>,
    /// `ddof=`.
    pub ddof: f64,
}

/// What reduces.
#[derive(Clone, Copy)]
pub enum Reducer<'a> {
    /// A row of the table of reductions.
    Named(&'a str),
    /// A ufunc of two operands.
    Ufunc(&'static Ufunc),
}

/// Whether NumPy reduces a single number over the axis 0, which it does not have.
fn takes_axis_of_scalar(reducer: Reducer<'_>, masked: bool) -> bool {
    masked || !matches!(reducer, Reducer::Named("mean" | "var" | "std"))
}

impl Reducer<'_> {
    /// The types of the elements and of the result; see [`reduction::types`].
    fn types(self, input: DType, dtype: Option<DType>, out: Option<DType>) -> Result<(DType, DType)> {
        Ok(match self {
            Reducer::Named(name) => reduction::types(name, input, dtype, out)?,
            Reducer::Ufunc(ufunc) => reduction::ufunc_types(ufunc, input, dtype, out)?,
        })
    }

    /// Warns where `dtype=` or `out=` drops imaginary parts.
    fn warn_of_lost_parts(
        self,
        py: Python<'_>,
        array: &Array,
        dtype: Option<DType>,
        out: Option<&Array>,
    ) -> Result<()> {
        if !array.dtype().is_complex() || (dtype.is_none() && out.is_none()) {
            return Ok(());
        }
        let (value, result) = self.types(array.dtype(), dtype, out.map(Array::dtype))?;
        dtypes::warn_of_lost_parts(py, array.dtype(), value)?;
        Ok(out.map_or(Ok(()), |out| dtypes::warn_of_lost_parts(py, result, out.dtype()))?)
    }
}

/// Runs a reduction; the result is `out` itself where one is given.
pub fn reduce<'py>(
    owner: &Bound<'py, NdArray>,
    reducer: Reducer<'_>,
    request: &Request<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let py = owner.py();
    let array = owner.get().snapshot();
    let finds_positions = matches!(reducer, Reducer::Named("argmax" | "argmin"));
    if finds_positions {
        // These take no tuple.
        arguments::axis(request.axis)?;
    }
    let mut axes = arguments::axes(request.axis)?;
    let masked = request.mask.is_some_and(PyAnyMethods::is_instance_of::<NdArray>);
    if array.ndim() == 0 && takes_axis_of_scalar(reducer, masked) && matches!(axes.as_deref(), Some([0 | -1])) {
        // As in NumPy, a lone integer is let through; a tuple of axes is not.
        let lone = request.axis.is_some_and(|axis| axis.extract::<isize>().is_ok());
        axes = axes.filter(|_| !lone);
    }
    let dtype = dtypes::parse_optional(request.dtype)?;
    let target = arguments::out(request.out)?;
    let mask = arguments::mask(request.mask, Some(array.context()))?;
    let initial = match arguments::given(request.initial)? {
        None => None,
        Some(value) => {
            let (elements, _) = reducer.types(array.dtype(), dtype, target.as_deref().map(Array::dtype))?;
            Some(Input::Scalar(initial_of(value, elements)?))
        }
    };
    let (target, mask): (Option<&Array>, Option<&Array>) = (target.as_deref(), mask.as_deref());
    let reduction = Reduction {
        axes: axes.as_deref(),
        keepdims: request.keepdims,
        dtype,
        out: target,
        initial,
        mask,
        ddof: request.ddof,
    };
    let made = wait::operation(py, array.context(), array.size(), || {
        let made = match reducer {
            Reducer::Named(name) => reduction::reduce(name, &array, &reduction),
            Reducer::Ufunc(ufunc) => reduction::ufunc_reduce(ufunc, &array, &reduction),
        }?;
        match dtype {
            // Positions are integers of 64 bits until they are found.
            Some(dtype) if finds_positions && target.is_none() => copy::astype(&made, dtype, Order::K),
            _ => Ok(made),
        }
    })?;
    // Errors come first, as in NumPy.
    reducer.warn_of_lost_parts(py, &array, dtype, target)?;
    if let Reducer::Named(name) = reducer {
        empty_slices::warn(py, name, &array, &reduction, &made)?;
    }
    match request.out.filter(|out| !out.is_none()) {
        Some(out) => Ok(out.clone()),
        None => wrap_like(owner, made),
    }
}

/// The element that an `initial=` is: a number, or an array of one without axes, which is read.
fn initial_of(value: &Bound<'_, PyAny>, elements: DType) -> Result<Scalar> {
    if let Ok(array) = value.cast::<NdArray>() {
        let array = array.get().snapshot();
        if array.ndim() == 0 {
            return Ok(cast_scalar(wait::item(value.py(), &array)?, elements));
        }
    }
    match Number::parse(value)? {
        Some(number) => Ok(number.assigned(value, elements)?),
        None if value.is_instance_of::<NdArray>() => Err(value_error("setting an array element with a sequence.")),
        None => {
            // NumPy assigns it to an element: text is read as a number, and the errors are those of Python's numbers.
            let py = value.py();
            let element = py.import("numpy")?.call_method1("empty", ((), dtypes::to_numpy(py, elements)?))?;
            element.set_item((), value)?;
            let number = Number::parse(&element.get_item(())?)?;
            number.ok_or_else(|| type_error("initial must be a number"))?.element(elements)
        }
    }
}

/// Runs a cumulative operation; over the flattened array without an axis.
pub fn accumulate<'py>(
    owner: &Bound<'py, NdArray>,
    reducer: Reducer<'_>,
    axis: Option<isize>,
    dtype: Option<DType>,
    out: Option<&Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyAny>> {
    let array = owner.get().snapshot();
    let target = arguments::out(out)?;
    let target: Option<&Array> = target.as_deref();
    let (array, axis) = match axis {
        Some(axis) => (array, axis),
        None => (copy::reshape(&array, &[-1], Order::C)?, 0),
    };
    let made = wait::operation(owner.py(), array.context(), array.size(), || match reducer {
        Reducer::Named(name) => reduction::accumulate(name, &array, axis, dtype, target),
        Reducer::Ufunc(ufunc) => reduction::ufunc_accumulate(ufunc, &array, axis, dtype, target),
    })?;
    reducer.warn_of_lost_parts(owner.py(), &array, dtype, target)?;
    match out.filter(|out| !out.is_none()) {
        Some(out) => Ok(out.clone()),
        None => wrap_like(owner, made),
    }
}
