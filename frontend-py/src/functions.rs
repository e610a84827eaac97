//! Functions of the module: thin wrappers of the core's operations.

use std::sync::Arc;

use cuproxide_core::layout::{self, Dims, Order, Strides, normalize_axes, normalize_axis};
use cuproxide_core::ops::elementwise::{self, Call, Input};
use cuproxide_core::ops::indexing::{self, Mode};
use cuproxide_core::ops::{copy, creation, joining, linalg, sorting, transfer};
use cuproxide_core::promotion::{self, Casting, Operand};
use cuproxide_core::ufunc;
use cuproxide_core::{Array, Context};
use cuproxide_hal::ir::Atomic;
use cuproxide_hal::{DType, Scalar};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyDict, PyFloat, PyInt, PyTuple};
use smallvec::SmallVec;

use crate::arguments::{self, Argument, ArrayRef, inputs};
use crate::device;
use crate::dtypes;
use crate::errors::{Result, type_error, value_error};
use crate::interop::{self, Wish};
use crate::ndarray::{self, NdArray, wrap, wrap_like, wrap_view};
use crate::reductions::{Reducer, Request};
use crate::scalars::Number;
use crate::stream::{Stream, on_stream};
use crate::wait;

type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Calls a ufunc of the table on arrays, with NumPy's defaults.
pub fn apply(py: Python<'_>, name: &str, arrays: &[&Array]) -> Result<Array> {
    let inputs: SmallVec<[Input<'_>; 4]> = arrays.iter().map(|array| Input::Array(array)).collect();
    wait::elementwise(py, &inputs, || elementwise::apply(name, &inputs))
}

/// Calls a ufunc of the table on Python objects, with an optional `out`.
fn apply_objects<'py>(
    py: Python<'py>,
    name: &str,
    objects: &[&Bound<'py, PyAny>],
    out: Any<'_, 'py>,
    casting: Casting,
) -> Result<Bound<'py, PyAny>> {
    let row = ufunc::get(name).ok_or_else(|| type_error(format!("there is no ufunc {name}")))?;
    let made = {
        let operands =
            objects.iter().map(|object| Argument::require(object)).collect::<Result<SmallVec<[Argument<'_>; 4]>>>()?;
        let inputs = inputs(&operands)?;
        let target = arguments::out(out)?;
        let outs = [target.as_deref()];
        let request = Call { out: if target.is_some() { &outs } else { &[] }, casting, ..Call::new(&inputs) };
        wait::elementwise(py, &inputs, || elementwise::call(row, &request))?.remove(0)
    };
    match out.filter(|out| !out.is_none()) {
        Some(out) => Ok(out.clone()),
        None => match objects.iter().find_map(|object| object.cast::<NdArray>().ok()) {
            Some(like) => wrap_like(like, made),
            None => wrap(py, made),
        },
    }
}

// ------------------------------------------------------------------------------------------------------------ creation

/// An array of anything.
#[pyfunction]
#[pyo3(signature = (obj, dtype=None, copy=Some(true), order=None, ndmin=0, device=None, subok=false))]
pub fn array<'py>(
    obj: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    copy: Option<bool>,
    order: Option<&str>,
    ndmin: usize,
    device: Any<'_, 'py>,
    subok: bool,
) -> Result<Bound<'py, PyAny>> {
    let wish = Wish { dtype: dtypes::parse_optional(dtype)?, copy, order: arguments::order(order, Order::K)? };
    interop::array(obj, wish, ndmin, device::parse_optional(device)?, subok)
}

/// The elements as a NumPy array on the host.
#[pyfunction]
#[pyo3(signature = (a, stream=None, order=None, out=None, *, blocking=true))]
pub fn asnumpy<'py>(
    a: &Bound<'py, PyAny>,
    stream: Option<&Bound<'py, Stream>>,
    order: Option<&str>,
    out: Any<'_, 'py>,
    blocking: bool,
) -> Result<Bound<'py, PyAny>> {
    // The copy has always arrived on return, whatever was asked for.
    let _ = blocking;
    let py = a.py();
    let order_wish = arguments::order(order, Order::C)?;
    let own = match a.cast::<NdArray>() {
        Ok(array) => Some(array.get().snapshot()),
        Err(_) => interop::from_device_object(a)?,
    };
    if let Some(array) = own {
        return on_stream(stream, || interop::to_numpy(py, &array, order_wish, out.filter(|out| !out.is_none())));
    }
    let numpy = py.import("numpy")?;
    match out.filter(|out| !out.is_none()) {
        Some(out) => {
            numpy.call_method1("copyto", (out, a))?;
            Ok(out.clone())
        }
        None => {
            let keywords = PyDict::new(py);
            keywords.set_item("order", order.unwrap_or("C"))?;
            Ok(numpy.call_method("asarray", (a,), Some(&keywords))?)
        }
    }
}

/// An array that shares the memory of an object with `__dlpack__`, or a copy.
#[pyfunction]
#[pyo3(signature = (x, /, *, device=None, copy=None))]
pub fn from_dlpack<'py>(x: &Bound<'py, PyAny>, device: Any<'_, 'py>, copy: Option<bool>) -> Result<Bound<'py, PyAny>> {
    wrap(x.py(), crate::dlpack::import(x, device::parse_optional(device)?, copy)?)
}

/// An array from a DLPack capsule.
#[pyfunction]
pub fn from_capsule<'py>(capsule: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let (array, read_only) = crate::dlpack::consume(capsule)?;
    wrap(capsule.py(), if read_only { copy::copy(&array, Order::K)? } else { array })
}

fn dense_order(order: Option<&str>) -> Result<Order> {
    match arguments::order(order, Order::C)? {
        Order::F => Ok(Order::F),
        Order::C => Ok(Order::C),
        _ => Err(value_error("only 'C' or 'F' order is permitted")),
    }
}

/// An uninitialised array.
#[pyfunction]
#[pyo3(signature = (shape, dtype=None, order=None, *, device=None))]
pub fn empty<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    device: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let (shape, dtype, order) = (arguments::shape(shape)?, dtypes::parse_or_float(dtype)?, dense_order(order)?);
    wrap(py, Array::empty(&device::parse(device)?, dtype, &shape, order)?)
}

/// An array of zeros.
#[pyfunction]
#[pyo3(signature = (shape, dtype=None, order=None, *, device=None))]
pub fn zeros<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    device: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let (shape, dtype, order) = (arguments::shape(shape)?, dtypes::parse_or_float(dtype)?, dense_order(order)?);
    let zero = Scalar::integer(dtype, 0);
    wrap(py, creation::full(&device::parse(device)?, dtype, &shape, order, zero)?)
}

/// What fills a new array: a number or an array that is broadcast.
enum Filling<'a> {
    Number(Number),
    Array(ArrayRef<'a>),
}

impl<'a> Filling<'a> {
    fn parse(object: &'a Bound<'_, PyAny>, context: &Arc<Context>) -> Result<Filling<'a>> {
        Ok(match Argument::parse(object)? {
            Some(Argument::Number(number)) => Filling::Number(number),
            Some(Argument::Array(array)) => Filling::Array(array),
            None => Filling::Array(ArrayRef::Owned(interop::from_anything(object, context)?)),
        })
    }

    fn dtype(&self) -> DType {
        match self {
            Filling::Number(number) => number.dtype(),
            Filling::Array(array) => array.dtype(),
        }
    }

    fn fill(&self, target: &Array) -> Result<()> {
        match self {
            Filling::Number(number) => Ok(copy::fill(target, number.element(target.dtype())?)?),
            Filling::Array(array) => Ok(copy::assign(target, array, Casting::Unsafe, None)?),
        }
    }
}

/// An array with every element set to a value.
#[pyfunction]
#[pyo3(signature = (shape, fill_value, dtype=None, order=None, *, device=None))]
pub fn full<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyAny>,
    fill_value: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    device: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let context = device::parse(device)?;
    let (shape, order) = (arguments::shape(shape)?, dense_order(order)?);
    let filling = Filling::parse(fill_value, &context)?;
    let dtype = dtypes::parse_optional(dtype)?.unwrap_or_else(|| filling.dtype());
    let out = Array::empty(&context, dtype, &shape, order)?;
    filling.fill(&out)?;
    wrap(py, out)
}

/// An uninitialised array like another one.
fn like(a: &Array, dtype: Any<'_, '_>, order: Option<&str>, shape: Any<'_, '_>, device: Any<'_, '_>) -> Result<Array> {
    let context = device::parse_optional(device)?;
    let dtype = dtypes::parse_optional(dtype)?.unwrap_or(a.dtype());
    let order = arguments::order(order, Order::K)?;
    let order = match order {
        Order::A if arguments::wants_fortran(order, a) => Order::F,
        Order::A => Order::C,
        order => order,
    };
    let shape = shape.filter(|shape| !shape.is_none()).map(arguments::shape).transpose()?;
    let same_device = context.as_ref().is_none_or(|context| context.id() == a.context().id());
    match shape {
        None if same_device => Ok(a.empty_like(dtype, order)?),
        shape => {
            // Another number of dimensions has no order to keep.
            let fortran = match order {
                Order::F => true,
                Order::K => arguments::wants_fortran(order, a) && shape.as_ref().is_none_or(|s| s.len() == a.ndim()),
                _ => false,
            };
            let shape = shape.unwrap_or_else(|| Dims::from_slice(a.shape()));
            let context = context.as_ref().unwrap_or(a.context());
            Ok(Array::empty(context, dtype, &shape, if fortran { Order::F } else { Order::C })?)
        }
    }
}

/// An uninitialised array like another one.
#[pyfunction]
#[pyo3(signature = (a, dtype=None, order=None, shape=None, *, device=None))]
pub fn empty_like<'py>(
    a: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    shape: Any<'_, 'py>,
    device: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    wrap(a.py(), like(&*arguments::array(a)?, dtype, order, shape, device)?)
}

/// An array of zeros like another one.
#[pyfunction]
#[pyo3(signature = (a, dtype=None, order=None, shape=None, *, device=None))]
pub fn zeros_like<'py>(
    a: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    shape: Any<'_, 'py>,
    device: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let out = like(&*arguments::array(a)?, dtype, order, shape, device)?;
    copy::fill(&out, Scalar::integer(out.dtype(), 0))?;
    wrap(a.py(), out)
}

/// An array like another one with every element set to a value.
#[pyfunction]
#[pyo3(signature = (a, fill_value, dtype=None, order=None, shape=None, *, device=None))]
pub fn full_like<'py>(
    a: &Bound<'py, PyAny>,
    fill_value: &Bound<'py, PyAny>,
    dtype: Any<'_, 'py>,
    order: Option<&str>,
    shape: Any<'_, 'py>,
    device: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let out = like(&*arguments::array(a)?, dtype, order, shape, device)?;
    Filling::parse(fill_value, out.context())?.fill(&out)?;
    wrap(a.py(), out)
}

/// `start + i * step` for `i` below `length`.
#[pyfunction]
#[pyo3(signature = (start, step, length, dtype, *, device=None))]
pub fn arange<'py>(
    py: Python<'py>,
    start: &Bound<'py, PyAny>,
    step: &Bound<'py, PyAny>,
    length: usize,
    dtype: &Bound<'py, PyAny>,
    device: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let dtype = dtypes::parse(dtype)?;
    let bound = |object: &Bound<'py, PyAny>| -> Result<Scalar> {
        let number = Number::parse(object)?.ok_or_else(|| arguments::unsupported(object))?;
        // The core computes narrow types in wider ones, so the bounds keep their own type.
        number.natural()
    };
    let (start, step) = (bound(start)?, bound(step)?);
    let context = device::parse(device)?;
    wrap(py, creation::arange(&context, dtype, start, step, length)?)
}

// ---------------------------------------------------------------------------------------------------------- operations

/// A reduction by its name in the core's table.
#[pyfunction]
#[pyo3(signature = (name, a, axis=None, dtype=None, out=None, keepdims=false, initial=None, r#where=None, ddof=0.0))]
pub fn reduce<'py>(
    name: &str,
    a: &Bound<'py, PyAny>,
    axis: Any<'_, 'py>,
    dtype: Any<'_, 'py>,
    out: Any<'_, 'py>,
    keepdims: bool,
    initial: Any<'_, 'py>,
    r#where: Any<'_, 'py>,
    ddof: f64,
) -> Result<Bound<'py, PyAny>> {
    let request = Request { axis, dtype, out, keepdims, initial, mask: r#where, ddof };
    crate::reductions::reduce(own(a)?, Reducer::Named(name), &request)
}

/// A running reduction by its name in the core's table.
#[pyfunction]
#[pyo3(signature = (name, a, axis=None, dtype=None, out=None))]
pub fn accumulate<'py>(
    name: &str,
    a: &Bound<'py, PyAny>,
    axis: Any<'_, 'py>,
    dtype: Any<'_, 'py>,
    out: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let (axis, dtype) = (arguments::axis(axis)?, dtypes::parse_optional(dtype)?);
    crate::reductions::accumulate(own(a)?, Reducer::Named(name), axis, dtype, out)
}

fn own<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Result<&'a Bound<'py, NdArray>> {
    object.cast::<NdArray>().map_err(|_| arguments::unsupported(object))
}

/// Joins arrays along an axis, or flattened.
#[pyfunction]
#[pyo3(signature = (arrays, axis=Some(0), out=None, dtype=None, casting=None))]
pub fn concatenate<'py>(
    arrays: &Bound<'py, PyAny>,
    axis: Option<isize>,
    out: Any<'_, 'py>,
    dtype: Any<'_, 'py>,
    casting: Option<&str>,
) -> Result<Bound<'py, PyAny>> {
    let py = arrays.py();
    let parts = arrays.try_iter()?.map(|item| Ok(arguments::array(&item?)?.clone())).collect::<Result<Vec<Array>>>()?;
    let dtype = dtypes::parse_optional(dtype)?;
    let casting = arguments::casting(casting, Casting::SameKind)?;
    let Some(first) = parts.first() else { return Err(value_error("need at least one array to concatenate")) };
    let elements = parts.iter().map(Array::size).sum();
    let target = arguments::out(out)?;
    if target.is_some() && dtype.is_some() {
        return Err(type_error("concatenate() only takes `out` or `dtype` as an argument, but both were provided."));
    }
    let target: Option<&Array> = target.as_deref();
    let made =
        wait::operation(py, first.context(), elements, || joining::concatenate(&parts, axis, dtype, target, casting))?;
    match out.filter(|out| !out.is_none()) {
        Some(out) => Ok(out.clone()),
        None => wrap(py, made),
    }
}

/// Product of (stacks of) matrices.
#[pyfunction]
#[pyo3(signature = (a, b, out=None, dtype=None))]
pub fn matmul<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    out: Any<'_, 'py>,
    dtype: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let py = a.py();
    let (left, right) = (arguments::array(a)?.clone(), arguments::array(b)?.clone());
    let dtype = dtypes::parse_optional(dtype)?;
    let target = arguments::out(out)?;
    let target: Option<&Array> = target.as_deref();
    let made = wait::long(py, || linalg::matmul(&left, &right, target, dtype))?;
    match out.filter(|out| !out.is_none()) {
        Some(out) => Ok(out.clone()),
        None => wrap_like(own(a)?, made),
    }
}

/// Elements of `x` where a condition is true, else of `y`.
#[pyfunction]
pub fn r#where<'py>(
    condition: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>> {
    // Every type is a condition: what is not zero is true.
    let truth;
    let condition = match Argument::require(condition)? {
        Argument::Array(array) if array.dtype() == DType::Bool => condition,
        Argument::Array(array) => {
            truth = wrap(condition.py(), copy::astype(&array, DType::Bool, Order::K)?)?;
            &truth
        }
        Argument::Number(number) => {
            let element = number.element(DType::Bool)?;
            truth = PyBool::new(condition.py(), element.to_integer() != 0).to_owned().into_any();
            &truth
        }
    };
    apply_objects(condition.py(), "where", &[condition, x, y], None, Casting::SameKind)
}

/// The elements within limits, of which either may be missing.
#[pyfunction]
#[pyo3(signature = (a, min=None, max=None, out=None))]
pub fn clip<'py>(
    a: &Bound<'py, PyAny>,
    min: Any<'_, 'py>,
    max: Any<'_, 'py>,
    out: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    let py = a.py();
    let range = match a.cast::<NdArray>() {
        Ok(array) => promotion::integer_range(array.get().read().dtype()).filter(|&range| range != (0, 1)),
        Err(_) => None,
    };
    // As NumPy: a Python int that no element exceeds is no limit at all, however large it is.
    let matters = |limit: &Bound<'py, PyAny>, is_low: bool| match (range, Number::parse(limit)) {
        (Some((low, high)), Ok(Some(Number::Int(value)))) => {
            if is_low {
                value > low
            } else {
                value < high
            }
        }
        _ => true,
    };
    let given = |limit: Any<'_, 'py>, is_low| limit.filter(|limit| !limit.is_none() && matters(limit, is_low)).cloned();
    match (given(min, true), given(max, false)) {
        (Some(min), Some(max)) => apply_objects(py, "clip", &[a, &min, &max], out, Casting::SameKind),
        (Some(min), None) => apply_objects(py, "maximum", &[a, &min], out, Casting::SameKind),
        (None, Some(max)) => apply_objects(py, "minimum", &[a, &max], out, Casting::SameKind),
        (None, None) => apply_objects(py, "copy", &[a], out, Casting::SameKind),
    }
}

/// The elements rounded to a number of decimals.
pub fn round<'py>(a: &Bound<'py, NdArray>, decimals: i32, out: Any<'_, 'py>) -> Result<Bound<'py, PyAny>> {
    let py = a.py();
    let dtype = a.get().read().dtype();
    let is_whole = dtype.is_integer();
    match (decimals, is_whole) {
        (0.., true) => apply_objects(py, "copy", &[a.as_any()], out, Casting::SameKind),
        (0, false) => apply_objects(py, "rint", &[a.as_any()], out, Casting::SameKind),
        _ => {
            let factor = PyFloat::new(py, 10f64.powi(decimals.abs())).into_any();
            let name = if decimals > 0 { "round_scaled" } else { "round_shrunk" };
            apply_objects(py, name, &[a.as_any(), &factor], out, Casting::Unsafe)
        }
    }
}

/// Elements at positions along an axis, of the flattened array without one.
#[pyfunction]
#[pyo3(name = "take", signature = (a, indices, axis=None, out=None, mode="raise"))]
pub fn take_function<'py>(
    a: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    axis: Any<'_, 'py>,
    out: Any<'_, 'py>,
    mode: &str,
) -> Result<Bound<'py, PyAny>> {
    take(own(a)?, indices, axis, out, mode)
}

/// `ndarray.take`.
pub fn take<'py>(
    a: &Bound<'py, NdArray>,
    indices: &Bound<'py, PyAny>,
    axis: Any<'_, 'py>,
    out: Any<'_, 'py>,
    mode: &str,
) -> Result<Bound<'py, PyAny>> {
    let array = a.get().snapshot();
    let indices = arguments::array_or_number(indices, array.context(), None)?.clone();
    let (axis, mode) = (arguments::axis(axis)?, Mode::parse(mode)?);
    let target = arguments::out(out)?;
    let elements = indices.size();
    let taken = wait::operation(a.py(), array.context(), elements, || indexing::take(&array, &indices, axis, mode))?;
    match (target, out) {
        (Some(target), Some(out)) => {
            if target.shape() != taken.shape() {
                return Err(value_error("output array does not match result of ndarray.take"));
            }
            copy::assign(&target, &taken, Casting::Unsafe, None)?;
            Ok(out.clone())
        }
        _ => wrap_like(a, taken),
    }
}

/// Writes values at positions of the flattened array.
#[pyfunction]
#[pyo3(name = "put", signature = (a, indices, values, mode="raise"))]
pub fn put_function(
    a: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
    mode: &str,
) -> Result<()> {
    put(own(a)?, indices, values, mode)
}

/// `ndarray.put`.
pub fn put(a: &Bound<'_, NdArray>, indices: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>, mode: &str) -> Result<()> {
    let array = a.get().snapshot();
    let mode = Mode::parse(mode)?;
    let indices = arguments::array_or_number(indices, array.context(), None)?.clone();
    let values = arguments::array_or_number(values, array.context(), Some(array.dtype()))?.clone();
    wait::operation(a.py(), array.context(), indices.size(), || indexing::put(&array, &indices, &values, mode))
}

/// `a[slices] op= value` where repeated positions all count.
#[pyfunction]
pub fn scatter(a: &Bound<'_, PyAny>, slices: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, op: &str) -> Result<()> {
    let op = match op {
        "add" => Atomic::Add,
        "max" => Atomic::Max,
        "min" => Atomic::Min,
        other => return Err(value_error(format!("op must be 'add', 'max' or 'min' (got '{other}')"))),
    };
    ndarray::scatter(own(a)?, slices, value, op)
}

/// Positions of the elements that are not zero, an array for each axis.
#[pyfunction]
#[pyo3(name = "nonzero")]
pub fn nonzero_function<'py>(a: &Bound<'py, PyAny>) -> Result<Bound<'py, PyTuple>> {
    nonzero(own(a)?)
}

/// `ndarray.nonzero`.
pub fn nonzero<'py>(a: &Bound<'py, NdArray>) -> Result<Bound<'py, PyTuple>> {
    let py = a.py();
    let array = a.get().snapshot();
    let found = wait::long(py, || indexing::nonzero(&array))?;
    let found = found.into_iter().map(|positions| wrap(py, positions)).collect::<Result<Vec<_>>>()?;
    Ok(PyTuple::new(py, found)?)
}

/// A sorted copy; of the flattened array without an axis.
#[pyfunction]
#[pyo3(signature = (a, axis=Some(-1)))]
pub fn sort<'py>(a: &Bound<'py, PyAny>, axis: Option<isize>) -> Result<Bound<'py, PyAny>> {
    let owner = own(a)?;
    let (array, axis) = along(&owner.get().snapshot(), axis)?;
    let made = wait::operation(a.py(), array.context(), array.size(), || sorting::sort(&array, axis))?;
    wrap_like(owner, made)
}

/// The positions that sort an array; of the flattened array without an axis.
#[pyfunction]
#[pyo3(name = "argsort", signature = (a, axis=Some(-1)))]
pub fn argsort_function<'py>(a: &Bound<'py, PyAny>, axis: Option<isize>) -> Result<Bound<'py, PyAny>> {
    argsort(own(a)?, axis)
}

/// `ndarray.argsort`.
pub fn argsort<'py>(a: &Bound<'py, NdArray>, axis: Option<isize>) -> Result<Bound<'py, PyAny>> {
    let (array, axis) = along(&a.get().snapshot(), axis)?;
    let made = wait::operation(a.py(), array.context(), array.size(), || sorting::argsort(&array, axis))?;
    wrap_like(a, made)
}

fn along(array: &Array, axis: Option<isize>) -> Result<(Array, isize)> {
    match axis {
        Some(axis) => Ok((array.clone(), axis)),
        None => Ok((copy::reshape(array, &[-1], Order::C)?, 0)),
    }
}

/// Writes an array or a number into another array.
#[pyfunction]
#[pyo3(signature = (dst, src, casting=None, r#where=None))]
pub fn copyto(
    dst: &Bound<'_, PyAny>,
    src: &Bound<'_, PyAny>,
    casting: Option<&str>,
    r#where: Any<'_, '_>,
) -> Result<()> {
    let target = own(dst)?.get().snapshot();
    let casting = arguments::casting(casting, Casting::SameKind)?;
    let mask = arguments::mask(r#where, Some(target.context()))?;
    let source = match Argument::require(src)? {
        Argument::Array(array) => array.clone(),
        Argument::Number(number) => {
            let operands = [Operand::Strong(target.dtype()), weak(&number)];
            let fits = promotion::result_type(&operands);
            if !promotion::can_cast(fits, target.dtype(), casting) {
                return Err(type_error(format!(
                    "Cannot cast scalar from dtype('{}') to dtype('{}') according to the rule '{}'",
                    number.dtype(),
                    target.dtype(),
                    casting.name()
                )));
            }
            let element = number.element(target.dtype())?;
            creation::full(target.context(), target.dtype(), &[], Order::C, element)?
        }
    };
    let mask: Option<&Array> = mask.as_deref();
    wait::operation(dst.py(), target.context(), target.size(), || copy::assign(&target, &source, casting, mask))
}

// --------------------------------------------------------------------------------------------------------------- views

/// A view stretched to a shape.
#[pyfunction]
pub fn broadcast_to<'py>(a: &Bound<'py, PyAny>, shape: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let owner = own(a)?;
    let array = owner.get().snapshot();
    let shape = arguments::shape(shape)?;
    layout::checked_size(&shape, array.itemsize())?;
    wrap_view(owner, array.broadcast_to(&shape)?)
}

/// The common shape of several.
#[pyfunction]
#[pyo3(signature = (*shapes))]
pub fn broadcast_shapes<'py>(py: Python<'py>, shapes: &Bound<'py, PyTuple>) -> Result<Bound<'py, PyTuple>> {
    let shapes = shapes.iter().map(|shape| arguments::shape(&shape)).collect::<Result<Vec<Dims>>>()?;
    let common = layout::broadcast_shapes(shapes.iter().map(Dims::as_slice)).map_err(|_| {
        let list = shapes.iter().map(|shape| layout::show_shape(shape)).collect::<Vec<_>>().join(" and ");
        value_error(format!("shape mismatch: objects cannot be broadcast to a single shape. Shapes are {list}"))
    })?;
    Ok(PyTuple::new(py, common)?)
}

/// A view with any shape and strides that stay inside the array's memory.
#[pyfunction]
#[pyo3(signature = (a, shape=None, strides=None))]
pub fn as_strided<'py>(a: &Bound<'py, PyAny>, shape: Any<'_, 'py>, strides: Any<'_, 'py>) -> Result<Bound<'py, PyAny>> {
    let owner = own(a)?;
    let array = owner.get().snapshot();
    let shape = shape.filter(|shape| !shape.is_none()).map(arguments::shape).transpose()?;
    let strides = strides.filter(|strides| !strides.is_none()).map(arguments::integers).transpose()?;
    let shape = shape.unwrap_or_else(|| Dims::from_slice(array.shape()));
    let strides = strides.unwrap_or_else(|| Strides::from_slice(array.strides()));
    arguments::reach(&shape, &strides, array.dtype())?;
    wrap_view(owner, array.as_strided(&shape, &strides)?)
}

/// A view with new axes of length 1 at these positions of the result.
#[pyfunction]
pub fn expand_dims<'py>(a: &Bound<'py, PyAny>, axis: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let owner = own(a)?;
    let array = owner.get().snapshot();
    let axes = arguments::integers(axis)?;
    let mut positions = normalize_axes(&axes, array.ndim() + axes.len()).map_err(|error| {
        if matches!(error, cuproxide_core::Error::Value(_)) { repeated_axis() } else { error.into() }
    })?;
    positions.sort_unstable();
    let expanded = positions.iter().fold(array, |array, &axis| array.insert_axis(axis));
    wrap_view(owner, expanded)
}

fn repeated_axis() -> crate::errors::Failure {
    value_error("repeated axis")
}

/// A view with axes moved to other positions.
#[pyfunction]
pub fn moveaxis<'py>(
    a: &Bound<'py, PyAny>,
    source: &Bound<'py, PyAny>,
    destination: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>> {
    let owner = own(a)?;
    let array = owner.get().snapshot();
    let place = |object: &Bound<'py, PyAny>, name: &str| -> Result<Dims> {
        normalize_axes(&arguments::integers(object)?, array.ndim()).map_err(|error| {
            if matches!(error, cuproxide_core::Error::Value(_)) {
                value_error(format!("repeated axis in `{name}` argument"))
            } else {
                error.into()
            }
        })
    };
    let (from, to) = (place(source, "source")?, place(destination, "destination")?);
    if from.len() != to.len() {
        return Err(value_error("`source` and `destination` arguments must have the same number of elements"));
    }
    let mut order: Vec<isize> =
        (0..array.ndim()).filter(|axis| !from.contains(axis)).map(|axis| axis as isize).collect();
    let mut moves: Vec<(usize, usize)> = to.into_iter().zip(from).collect();
    moves.sort_unstable();
    for (to, from) in moves {
        order.insert(to, from as isize);
    }
    wrap_view(owner, array.transpose(&order)?)
}

/// Whether the byte ranges of two arrays overlap.
#[pyfunction]
pub fn may_share_memory(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> Result<bool> {
    Ok(arguments::array(a)?.may_share_memory(&*arguments::array(b)?))
}

/// An axis counted from the front.
#[pyfunction(name = "normalize_axis")]
pub fn normalize_one_axis(axis: isize, ndim: usize) -> Result<usize> {
    Ok(normalize_axis(axis, ndim)?)
}

/// Distinct axes counted from the front; all of them for `None`.
#[pyfunction(name = "normalize_axes")]
pub fn normalize_all_axes<'py>(py: Python<'py>, axes: Any<'_, 'py>, ndim: usize) -> Result<Bound<'py, PyTuple>> {
    let axes = match arguments::axes(axes)? {
        Some(axes) => normalize_axes(&axes, ndim)?,
        None => (0..ndim).collect(),
    };
    Ok(PyTuple::new(py, axes)?)
}

// --------------------------------------------------------------------------------------------------------------- types

/// The NumPy dtype, if there are arrays of it here.
#[pyfunction]
pub fn dtype<'py>(obj: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    dtypes::to_numpy(obj.py(), dtypes::parse(obj)?)
}

/// The smallest type that both cast to safely.
#[pyfunction]
pub fn promote_types<'py>(type1: &Bound<'py, PyAny>, type2: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    dtypes::to_numpy(type1.py(), promotion::promote(dtypes::parse(type1)?, dtypes::parse(type2)?))
}

fn weak(number: &Number) -> Operand {
    match number {
        Number::Int(_) | Number::Huge(..) => Operand::WeakInt,
        Number::Float(_) => Operand::WeakFloat,
        Number::Complex(..) => Operand::WeakComplex,
        Number::Typed(scalar) => Operand::Strong(scalar.dtype),
    }
}

/// The type of a result of arrays, numbers and types; Python numbers only lend their kind.
#[pyfunction]
#[pyo3(signature = (*arrays_and_dtypes))]
pub fn result_type<'py>(py: Python<'py>, arrays_and_dtypes: &Bound<'py, PyTuple>) -> Result<Bound<'py, PyAny>> {
    if arrays_and_dtypes.is_empty() {
        return Err(value_error("at least one array or dtype is required"));
    }
    let operand = |object: Bound<'py, PyAny>| -> Result<Operand> {
        if let Ok(array) = object.cast::<NdArray>() {
            return Ok(Operand::Strong(array.get().read().dtype()));
        }
        if let Some(number) = Number::parse(&object)? {
            return Ok(weak(&number));
        }
        if dtypes::Numpy::get(py)?.is_array(&object)? {
            return Ok(Operand::Strong(dtypes::parse(&object.getattr("dtype")?)?));
        }
        Ok(Operand::Strong(dtypes::parse(&object)?))
    };
    let operands = arrays_and_dtypes.iter().map(operand).collect::<Result<Vec<_>>>()?;
    dtypes::to_numpy(py, promotion::result_type(&operands))
}

/// Whether a casting rule allows a conversion.
#[pyfunction]
#[pyo3(signature = (from_, to, casting=None))]
pub fn can_cast(from_: &Bound<'_, PyAny>, to: &Bound<'_, PyAny>, casting: Option<&str>) -> Result<bool> {
    let py = from_.py();
    let casting = arguments::casting(casting, Casting::Safe)?;
    let is_python = [py.get_type::<PyInt>(), py.get_type::<PyFloat>(), py.get_type::<PyComplex>()]
        .iter()
        .any(|class| from_.is_instance(class).unwrap_or(false));
    if is_python && from_.get_type().getattr_opt("dtype")?.is_none() {
        return Err(type_error(
            "can_cast() does not support Python ints, floats, and complex because the result used to depend on the \
             value.\nThis change was part of adopting NEP 50, we may explicitly allow them again in the future.",
        ));
    }
    let from = match from_.cast::<NdArray>() {
        Ok(array) => array.get().read().dtype(),
        Err(_) => match Number::parse(from_)? {
            Some(number) => number.dtype(),
            None => dtypes::parse(from_)?,
        },
    };
    Ok(promotion::can_cast(from, dtypes::parse(to)?, casting))
}

/// Makes chosen calls of devices fail from here on, in a process that started with `CUPROXIDE_FAULT`; "off" for none.
#[pyfunction]
pub fn set_fault_plan(plan: &str) -> Result<()> {
    let plan = plan.parse().map_err(|reason: String| value_error(format!("{plan:?} is no fault plan: {reason}")))?;
    cuproxide_backends::fault::global().set_plan(Some(plan));
    Ok(())
}

/// Calls of devices by site since the fault plan was set, and how many were made to fail as "injected".
#[pyfunction]
pub fn fault_counts(py: Python<'_>) -> Result<Bound<'_, PyDict>> {
    use cuproxide_backends::fault::{Site, global};
    let counts = global().counts();
    let out = PyDict::new(py);
    for site in Site::ALL {
        out.set_item(site.name(), counts.of(site))?;
    }
    out.set_item("injected", counts.injected)?;
    Ok(out)
}

/// Number of copies of array data to the host that the process has made.
#[pyfunction]
pub fn host_transfers() -> usize {
    transfer::host_reads()
}
