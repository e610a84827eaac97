//! Functions of the module that methods of arrays share: reductions, products, indexing, sorting, copies.

use std::sync::LazyLock;

use cuproxide_core::Array;
use cuproxide_core::layout::Order;
use cuproxide_core::ops::elementwise::{self, Call, Input};
use cuproxide_core::ops::indexing::{self, Mode};
use cuproxide_core::ops::{copy, creation as core_creation, joining, products, sorting};
use cuproxide_core::promotion::{self, Casting, Operand};
use cuproxide_core::ufunc::{self, Ufunc};
use cuproxide_hal::DType;
use cuproxide_hal::ir::Atomic;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyList, PyTuple};
use smallvec::SmallVec;

use crate::arguments::{self, Argument, Passed, inputs};
use crate::dtypes;
use crate::errors::{Result, type_error, value_error};
use crate::ndarray::{self, NdArray, expected, wrap, wrap_like};
use crate::reductions::{Reducer, Request};
use crate::scalars::Number;
use crate::wait;

pub(super) type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Calls a ufunc of the table on arrays, with NumPy's defaults.
pub fn apply(py: Python<'_>, name: &str, arrays: &[&Array]) -> Result<Array> {
    let inputs: SmallVec<[Input<'_>; 4]> = arrays.iter().map(|array| Input::Array(array)).collect();
    wait::operands(py, &inputs, || elementwise::apply(name, &inputs))
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
        let operands = arguments::operands(objects.iter().copied())?;
        let inputs = inputs(&operands)?;
        let target = arguments::out(out)?;
        match target.as_deref() {
            None if casting == Casting::SameKind => wait::ufunc(py, row, &inputs)?.remove(0),
            target => {
                let outs = [target];
                let request = Call { out: if target.is_some() { &outs } else { &[] }, casting, ..Call::new(&inputs) };
                wait::operands(py, &inputs, || elementwise::call(row, &request))?.remove(0)
            }
        }
    };
    match out.filter(|out| !out.is_none()) {
        Some(out) => Ok(out.clone()),
        None => match objects.iter().find_map(|object| object.cast::<NdArray>().ok()) {
            Some(like) => wrap_like(like, made),
            None => wrap(py, made),
        },
    }
}

/// A reduction by its name in the core's table.
#[pyfunction]
#[pyo3(
    signature = (name, a, axis=None, dtype=None, out=None, keepdims=Passed(None), initial=None, r#where=None, ddof=0.0),
    text_signature = "(name, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, ddof=0.0)"
)]
pub fn reduce<'py>(
    name: &str,
    a: &Bound<'py, PyAny>,
    axis: Any<'_, 'py>,
    dtype: Any<'_, 'py>,
    out: Any<'_, 'py>,
    keepdims: Passed<'py>,
    initial: Any<'_, 'py>,
    r#where: Any<'_, 'py>,
    ddof: f64,
) -> Result<Bound<'py, PyAny>> {
    // As in NumPy, what finds positions takes anything that is true or false; all others take an integer.
    let read = if matches!(name, "argmax" | "argmin" | "nanargmax" | "nanargmin") {
        arguments::flag
    } else {
        arguments::keepdims
    };
    let keepdims = keepdims.0.as_ref().map_or(Ok(false), read)?;
    let request = Request { axis, dtype, out, keepdims, initial, mask: r#where, ddof };
    crate::reductions::reduce(arguments::owner(a)?, Reducer::Named(name), &request)
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
    crate::reductions::accumulate(arguments::owner(a)?, Reducer::Named(name), axis, dtype, out)
}

/// Joins arrays along an axis, or flattened.
#[pyfunction]
#[pyo3(signature = (arrays, axis=Some(0), out=None, dtype=None, casting=None))]
pub fn concatenate<'py>(
    arrays: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arguments::given_axis)] axis: Option<isize>,
    out: Any<'_, 'py>,
    dtype: Any<'_, 'py>,
    casting: Option<&str>,
) -> Result<Bound<'py, PyAny>> {
    let py = arrays.py();
    let parts = arrays.try_iter()?.map(|item| Ok(arguments::array(&item?)?.clone())).collect::<Result<Vec<Array>>>();
    let parts = match parts {
        Ok(parts) => parts,
        Err(failure) => return crate::records::instead(py, failure, &[Some(arrays)], "concatenate", (arrays, axis)),
    };
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
    // Errors come first, as in NumPy.
    if let Some(kept) = target.map(Array::dtype).or(dtype) {
        parts.iter().try_for_each(|part| dtypes::warn_of_lost_parts(py, part.dtype(), kept))?;
    }
    match out.filter(|out| !out.is_none()) {
        Some(out) => Ok(out.clone()),
        None => wrap(py, made),
    }
}

/// [`concatenate`] of what most calls have: a tuple or list of arrays that are of no subclass, and no options. `None` for all else.
#[pyfunction]
pub fn fast_concatenate<'py>(
    arrays: &Bound<'py, PyAny>,
    axis: &Bound<'py, PyAny>,
) -> Result<Option<Bound<'py, PyAny>>> {
    let py = arrays.py();
    let mut parts: SmallVec<[Array; 4]> = SmallVec::new();
    let mut elements = 0;
    let mut enter = |item: &Bound<'py, PyAny>| {
        let Ok(array) = item.cast_exact::<NdArray>() else { return false };
        let array = array.get().snapshot();
        elements += array.size();
        parts.push(array);
        true
    };
    let are_arrays = match (arrays.cast_exact::<PyTuple>(), arrays.cast_exact::<PyList>()) {
        (Ok(tuple), _) => tuple.iter_borrowed().all(|item| enter(&item)),
        (_, Ok(list)) => list.iter().all(|item| enter(&item)),
        _ => false,
    };
    let Some(context) = parts.first().map(Array::context).filter(|_| are_arrays) else { return Ok(None) };
    let axis = arguments::given_axis(axis)?;
    let join = || joining::concatenate(&parts, axis, None, None, Casting::SameKind);
    wrap(py, wait::operation(py, context, elements, join)?).map(Some)
}

/// The product of two vectors of one type of floating-point numbers and of one length, as most calls have them. `None` for all else.
#[pyfunction]
pub fn fast_dot<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> Result<Option<Bound<'py, PyAny>>> {
    let py = a.py();
    let (Ok(left), Ok(right)) = (a.cast_exact::<NdArray>(), b.cast_exact::<NdArray>()) else { return Ok(None) };
    let (left, right) = (left.get().snapshot(), right.get().snapshot());
    let made = wait::library_call(py, left.context(), left.size(), || products::dot(&left, &right))?;
    made.map(|made| wrap(py, made)).transpose()
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
    let operations = left.size().saturating_mul(right.size());
    let multiply = || products::matmul(&left, &right, target, dtype);
    let made = wait::library_call(py, left.context(), operations, multiply)?;
    match out.filter(|out| !out.is_none()) {
        Some(out) => Ok(out.clone()),
        None => wrap_like(arguments::owner(a)?, made),
    }
}

static WHERE: LazyLock<&'static Ufunc> =
    LazyLock::new(|| ufunc::get("where").expect("the table has a row for choices"));

/// `where` for a bool array as the condition, and arrays or floats to choose from; `None` for any other operands.
#[pyfunction]
pub fn fast_where<'py>(
    condition: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
) -> Result<Option<Bound<'py, PyAny>>> {
    let py = condition.py();
    if let Some(made) = expected::follow_call(py, &WHERE, &[condition, x, y]) {
        return made.map(Some);
    }
    let Ok(mask) = condition.cast_exact::<NdArray>() else { return Ok(None) };
    let mask = mask.get().read();
    if mask.dtype() != DType::Bool {
        return Ok(None);
    }
    let arrays = [x, y].map(|object| object.cast_exact::<NdArray>().ok().map(|array| array.get().read()));
    let mut inputs = [Input::Array(&mask); 3];
    for ((input, object), array) in inputs[1..].iter_mut().zip([x, y]).zip(&arrays) {
        *input = match (array, object.cast_exact::<PyFloat>()) {
            (Some(array), _) => Input::Array(array),
            (None, Ok(number)) => Input::Float(number.value()),
            _ => return Ok(None),
        };
    }
    wrap(py, wait::ufunc(py, &WHERE, &inputs)?.remove(0)).map(Some)
}

/// Elements of `x` where a condition is true, else of `y`.
#[pyfunction]
pub fn r#where<'py>(
    condition: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>> {
    if let Some(made) = fast_where(condition, x, y)? {
        return Ok(made);
    }
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
    let out = arguments::only_out(out)?.filter(|out| !out.is_none());
    let out = out.as_ref();
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
    if arguments::out(out)?.is_some_and(|target| target.size() != a.get().read().size()) {
        return Err(value_error("invalid output shape"));
    }
    if dtype == DType::Bool && decimals != 0 && out.is_none_or(PyAnyMethods::is_none) {
        let step = if decimals > 0 { "multiply" } else { "divide" };
        return Err(cuproxide_core::Error::Casting(format!(
            "Cannot cast ufunc '{step}' output from dtype('float64') to dtype('bool') with casting rule 'same_kind'"
        ))
        .into());
    }
    match (decimals, is_whole) {
        (0.., true) => apply_objects(py, "copy", &[a.as_any()], out, Casting::SameKind),
        (0, false) => apply_objects(py, "rint", &[a.as_any()], out, Casting::SameKind),
        _ => {
            let factor = PyFloat::new(py, 10f64.powi(decimals.abs())).into_any();
            let name = if decimals > 0 { "round_scaled" } else { "round_shrunk" };
            // Whole numbers are rounded as floats, and are whole again.
            let casting = if is_whole { Casting::Unsafe } else { Casting::SameKind };
            apply_objects(py, name, &[a.as_any(), &factor], out, casting)
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
    take(arguments::owner(a)?, indices, axis, out, mode)
}

/// Positions in an array; an empty list has no type of its own.
fn positions(indices: &Bound<'_, PyAny>, array: &Array) -> Result<Array> {
    if indices.is_instance_of::<PyList>() && indices.len()? == 0 {
        return Ok(Array::empty(array.context(), DType::I64, &[0], Order::C)?);
    }
    Ok(arguments::array_or_number(indices, array.context(), None)?.clone())
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
    let indices = positions(indices, &array)?;
    let (axis, mode) = (arguments::axis(axis)?, Mode::parse(mode)?);
    let target = arguments::out(out)?;
    let elements = indices.size();
    let taken = wait::operation(a.py(), array.context(), elements, || indexing::take(&array, &indices, axis, mode))?;
    match (target, out) {
        (Some(target), Some(out)) => {
            if target.shape() != taken.shape() {
                return Err(value_error("output array does not match result of ndarray.take"));
            }
            arguments::warn_of_another_kind(a.py(), taken.dtype(), target.dtype())?;
            copy::assign(&target, &taken, Casting::Unsafe, None)?;
            dtypes::warn_of_lost_parts(a.py(), taken.dtype(), target.dtype())?;
            Ok(out.clone())
        }
        _ => wrap_like(a, taken),
    }
}

/// Whether the thread may read an array's elements now without a wait to speak of.
#[pyfunction]
pub fn reads_at_once(a: &Bound<'_, PyAny>) -> Result<bool> {
    Ok(arguments::array(a)?.context().reads_at_once())
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
    put(arguments::owner(a)?, indices, values, mode)
}

/// `ndarray.put`.
pub fn put(a: &Bound<'_, NdArray>, indices: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>, mode: &str) -> Result<()> {
    let array = a.get().target()?;
    let mode = Mode::parse(mode)?;
    let indices = positions(indices, &array)?;
    let values = arguments::array_or_number(values, array.context(), Some(array.dtype()))?.clone();
    wait::operation(a.py(), array.context(), indices.size(), || indexing::put(&array, &indices, &values, mode))?;
    Ok(dtypes::warn_of_lost_parts(a.py(), values.dtype(), array.dtype())?)
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
    ndarray::scatter(arguments::owner(a)?, slices, value, op)
}

/// Positions of the elements that are not zero, an array for each axis.
#[pyfunction]
#[pyo3(name = "nonzero")]
pub fn nonzero_function<'py>(a: &Bound<'py, PyAny>) -> Result<Bound<'py, PyTuple>> {
    nonzero(arguments::owner(a)?)
}

/// `ndarray.nonzero`.
pub fn nonzero<'py>(a: &Bound<'py, NdArray>) -> Result<Bound<'py, PyTuple>> {
    let py = a.py();
    let array = a.get().snapshot();
    let found = wait::long(py, || indexing::nonzero(&array))?;
    let found = found.into_iter().map(|positions| wrap(py, positions)).collect::<Result<Vec<_>>>()?;
    Ok(PyTuple::new(py, found)?)
}

/// A sorted copy; of the flattened array without an axis. `places` are the first position that has to be right and the
/// one after the last, as for `numpy.partition`.
#[pyfunction]
#[pyo3(signature = (a, axis=Some(-1), places=None))]
pub fn sort<'py>(
    a: &Bound<'py, PyAny>,
    axis: Option<isize>,
    places: Option<(usize, usize)>,
) -> Result<Bound<'py, PyAny>> {
    let places = places.map(|(first, end)| first..end);
    let owner = arguments::owner(a)?;
    let (array, axis) = along(&owner.get().snapshot(), axis)?;
    let made = wait::operation(a.py(), array.context(), array.size(), || sorting::sort(&array, axis, places))?;
    wrap_like(owner, made)
}

/// The positions that sort an array; of the flattened array without an axis. `places` as in `sort`.
#[pyfunction]
#[pyo3(name = "argsort", signature = (a, axis=Some(-1), places=None))]
pub fn argsort_function<'py>(
    a: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arguments::given_axis)] axis: Option<isize>,
    places: Option<(usize, usize)>,
) -> Result<Bound<'py, PyAny>> {
    argsort(arguments::owner(a)?, axis, places)
}

/// The positions that sort a row of integers from 0 to `2**bits - 1`.
#[pyfunction]
pub fn argsort_below<'py>(a: &Bound<'py, PyAny>, bits: usize) -> Result<Bound<'py, PyAny>> {
    let owner = arguments::owner(a)?;
    let array = owner.get().snapshot();
    let made = wait::operation(a.py(), array.context(), array.size(), || sorting::argsort_below(&array, bits))?;
    wrap_like(owner, made)
}

/// Integers from 0 to `2**bits - 1` sorted, and two arrays in their order; `None` if the device leaves it to other ways.
#[pyfunction]
pub fn sort_carrying<'py>(
    keys: &Bound<'py, PyAny>,
    bits: usize,
    first: &Bound<'py, PyAny>,
    second: &Bound<'py, PyAny>,
) -> Result<Option<[Bound<'py, PyAny>; 3]>> {
    let py = keys.py();
    let (keys, first, second) =
        (arguments::array(keys)?.clone(), arguments::array(first)?.clone(), arguments::array(second)?.clone());
    let made =
        wait::operation(py, keys.context(), keys.size(), || sorting::sort_carrying(&keys, bits, [&first, &second]))?;
    let Some((sorted, [first, second])) = made else { return Ok(None) };
    Ok(Some([wrap(py, sorted)?, wrap(py, first)?, wrap(py, second)?]))
}

/// `ndarray.argsort`.
pub fn argsort<'py>(
    a: &Bound<'py, NdArray>,
    axis: Option<isize>,
    places: Option<(usize, usize)>,
) -> Result<Bound<'py, PyAny>> {
    let array = a.get().snapshot();
    // As in NumPy a single number is sorted as an array of one.
    let axis = axis.filter(|axis| array.ndim() > 0 || !matches!(axis, -1 | 0));
    let (array, axis) = along(&array, axis)?;
    let made = wait::operation(a.py(), array.context(), array.size(), || {
        sorting::argsort(&array, axis, places.map(|(first, end)| first..end))
    })?;
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
    let target = arguments::owner(dst)?.get().target()?;
    let casting = arguments::casting(casting, Casting::SameKind)?;
    let mask = arguments::mask(r#where, Some(target.context()))?;
    let source = match Argument::require(src)? {
        Argument::Array(array) => array.clone(),
        Argument::Number(number) => {
            let operands = [Operand::Strong(target.dtype()), number.operand()];
            let fits = promotion::result_type(&operands);
            if !promotion::can_cast(fits, target.dtype(), casting) {
                return Err(type_error(format!(
                    "Cannot cast scalar from dtype('{}') to dtype('{}') according to the rule '{}'",
                    number.dtype(),
                    target.dtype(),
                    casting.name()
                )));
            }
            let element = number.cast(src.py(), target.dtype())?;
            core_creation::full(target.context(), target.dtype(), &[], Order::C, element)?
        }
    };
    let mask: Option<&Array> = mask.as_deref();
    wait::operation(dst.py(), target.context(), target.size(), || copy::assign(&target, &source, casting, mask))?;
    Ok(dtypes::warn_of_lost_parts(src.py(), source.dtype(), target.dtype())?)
}
