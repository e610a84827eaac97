//! Index expressions, and reading and writing through them.

use cuproxide_core::Array;
use cuproxide_core::layout::Order;
use cuproxide_core::ops::indexing::{self, Item};
use cuproxide_core::ops::{copy, creation};
use cuproxide_core::promotion::Casting;
use cuproxide_hal::DType;
use cuproxide_hal::ir::Atomic;
use parking_lot::Mutex;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyList, PySlice, PyString, PyTuple};
use smallvec::SmallVec;

use super::attributes::assign_nested;
use super::{NdArray, peek, wrap, wrap_like, wrap_view};
use crate::arguments::{Argument, is_ellipsis};
use crate::dtypes::{self, Numpy};
use crate::errors::{Failure, Result, index_error, type_error, value_error};
use crate::interop;
use crate::scalars::Number;
use crate::settings::follows_cupy;
use crate::wait;

/// The parts of an index expression.
pub type Items = SmallVec<[Item; 4]>;

/// Parses `key` as an index into `array`.
///
/// # Errors
/// `IndexError` with NumPy's message for anything that is no index.
pub fn parse_items(array: &Array, key: &Bound<'_, PyAny>) -> Result<Items> {
    let mut items = Items::new();
    if let Ok(tuple) = key.cast::<PyTuple>() {
        for item in tuple.iter_borrowed() {
            items.push(parse_item(array, &item)?);
        }
    } else {
        items.push(parse_item(array, key)?);
    }
    Ok(items)
}

fn parse_item(array: &Array, item: &Bound<'_, PyAny>) -> Result<Item> {
    if item.is_exact_instance_of::<PyInt>() {
        return integer(item);
    }
    if let Ok(slice) = item.cast_exact::<PySlice>() {
        return parse_slice(slice);
    }
    if item.is_none() {
        return Ok(Item::NewAxis);
    }
    if is_ellipsis(item) {
        return Ok(Item::Ellipsis);
    }
    if let Ok(indices) = item.cast::<NdArray>() {
        return Ok(Item::Array(indices.get().snapshot()));
    }
    if let Ok(truth) = item.cast_exact::<PyBool>() {
        return Ok(Item::Bool(truth.is_true()));
    }
    slow(array, item)
}

fn integer(item: &Bound<'_, PyAny>) -> Result<Item> {
    match item.extract::<isize>() {
        Ok(index) => Ok(Item::Int(index)),
        Err(_) => Err(index_error(format!("cannot fit '{}' into an index-sized integer", item.get_type().name()?))),
    }
}

/// NumPy scalars and arrays, sequences, and objects that act as integers.
fn slow(array: &Array, item: &Bound<'_, PyAny>) -> Result<Item> {
    let py = item.py();
    let numpy = Numpy::get(py)?;
    let is_sequence = item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>();
    if is_sequence || (numpy.is_array(item)? && item.getattr(intern!(py, "ndim"))?.extract::<usize>()? > 0) {
        return sequence(array, item, is_sequence);
    }
    if let Ok(Some(Number::Typed(scalar))) = Number::parse(item)
        && scalar.dtype == DType::Bool
    {
        return Ok(Item::Bool(scalar.to_integer() != 0));
    }
    if let Ok(index) = item.call_method0(intern!(py, "__index__")) {
        return integer(&index);
    }
    if let Some(indices) = interop::from_device_object(item)? {
        return Ok(Item::Array(indices.array));
    }
    let is_text =
        item.is_instance_of::<PyString>() || item.is_instance_of::<PyBytes>() || item.is_instance_of::<PyDict>();
    if !is_text && item.hasattr(intern!(py, "__len__"))? && item.hasattr(intern!(py, "__getitem__"))? {
        return sequence(array, item, true);
    }
    Err(not_an_index())
}

fn sequence(array: &Array, item: &Bound<'_, PyAny>, is_sequence: bool) -> Result<Item> {
    let mut indices = interop::from_anything(item, array.context())?;
    if is_sequence && indices.size() == 0 {
        // NumPy treats an empty list as integers.
        indices = Array::empty(array.context(), DType::I64, indices.shape(), Order::C)?;
    }
    if indices.dtype() == DType::Bool || indices.dtype().is_integer() {
        return Ok(Item::Array(indices));
    }
    if is_sequence {
        return Err(not_an_index());
    }
    Err(index_error("arrays used as indices must be of integer (or boolean) type"))
}

fn not_an_index() -> Failure {
    index_error(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid \
         indices",
    )
}

fn parse_slice(slice: &Bound<'_, PySlice>) -> Result<Item> {
    let (mut start, mut stop, mut step) = (0, 0, 0);
    // SAFETY: the object is a slice, and there is room for the three bounds.
    if unsafe { ffi::PySlice_Unpack(slice.as_ptr(), &raw mut start, &raw mut stop, &raw mut step) } < 0 {
        let error = PyErr::fetch(slice.py());
        if follows_cupy()
            && error.is_instance_of::<PyTypeError>(slice.py())
            && let Some(whole) = with_whole_bounds(slice)?
        {
            return parse_slice(&whole);
        }
        return Err(error.into());
    }
    Ok(Item::Slice { start: Some(start), stop: Some(stop), step: Some(step) })
}

/// A slice with its bounds converted by `int()`, as CuPy does for floats and arrays of one element; `None` if a bound is no
/// number.
fn with_whole_bounds<'py>(slice: &Bound<'py, PySlice>) -> Result<Option<Bound<'py, PySlice>>> {
    let py = slice.py();
    let mut bounds = [const { None }; 3];
    for (bound, name) in bounds.iter_mut().zip([intern!(py, "start"), intern!(py, "stop"), intern!(py, "step")]) {
        let given = slice.getattr(name)?;
        *bound = Some(if given.is_none() {
            given
        } else if given.hasattr(intern!(py, "__index__"))? || given.hasattr(intern!(py, "__int__"))? {
            py.get_type::<PyInt>().call1((given,))?
        } else {
            return Ok(None);
        });
    }
    let whole = py.get_type::<PySlice>().call1((&bounds[0], &bounds[1], &bounds[2]))?;
    Ok(Some(whole.cast_into::<PySlice>().map_err(PyErr::from)?))
}

/// Calls `select` with the items of an index that consists of integers and slices only; `None` for any other index.
fn basic<T>(key: &Bound<'_, PyAny>, select: impl FnOnce(&[Item]) -> Result<T>) -> Result<Option<T>> {
    let is_simple =
        |item: &Bound<'_, PyAny>| item.is_exact_instance_of::<PySlice>() || item.is_exact_instance_of::<PyInt>();
    let parse = |item: &Bound<'_, PyAny>| match item.cast_exact::<PySlice>() {
        Ok(slice) => parse_slice(slice),
        Err(_) => integer(item),
    };
    if is_simple(key) {
        return select(&[parse(key)?]).map(Some);
    }
    let Ok(tuple) = key.cast_exact::<PyTuple>() else { return Ok(None) };
    if !tuple.iter_borrowed().all(|item| is_simple(&item)) {
        return Ok(None);
    }
    let mut items = Items::new();
    for item in tuple.iter_borrowed() {
        items.push(parse(&item)?);
    }
    select(&items).map(Some)
}

/// Whether an index picks one element by an integer for each axis, without `...`.
fn is_element(array: &Array, items: &[Item]) -> bool {
    items.len() == array.ndim() && items.iter().all(|item| matches!(item, Item::Int(_)))
}

/// Writes one value to a 0-d view.
///
/// # Errors
/// NumPy's for a list or an array with axes.
fn assign_element(element: &Array, value: &Bound<'_, PyAny>) -> Result<()> {
    let dtype = element.dtype();
    match Argument::parse(value)? {
        Some(Argument::Number(number)) => Ok(copy::fill(element, number.assigned(value, dtype)?)?),
        Some(Argument::Array(source)) => {
            // NumPy converts an array of one element to a bool, but not to another number.
            let fits = source.ndim() == 0 || source.size() == 1 && (dtype == DType::Bool || follows_cupy());
            if !fits {
                let message = "setting an array element with a sequence";
                return Err(if dtype.is_complex() { type_error(message) } else { value_error(message) });
            }
            copy::assign(element, &source, Casting::Unsafe, None)?;
            Ok(dtypes::warn_of_lost_parts(value.py(), source.dtype(), dtype)?)
        }
        None => {
            let number = interop::element(value, dtype)?;
            Ok(copy::fill(element, number.element(dtype)?)?)
        }
    }
}

fn is_basic(items: &[Item]) -> bool {
    !items.iter().any(|item| matches!(item, Item::Array(_) | Item::Bool(_)))
}

/// `target[key] op= value` with atomics, so that repeated indices all count. Complex numbers have no atomic minimum or maximum.
pub fn scatter(
    target: &Bound<'_, NdArray>,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    op: Atomic,
) -> Result<()> {
    let array = target.get().target()?;
    if array.dtype().is_complex() && op != Atomic::Add {
        return Err(type_error(format!("scatter_max and scatter_min take no {} arrays", array.dtype())));
    }
    let items = parse_items(&array, key)?;
    let value = values(&array, value)?;
    wait::operation(target.py(), array.context(), value.size(), || indexing::scatter(&array, &items, &value, op))?;
    Ok(dtypes::warn_of_lost_parts(target.py(), value.dtype(), array.dtype())?)
}

/// The right-hand side of an assignment through arrays of indices.
fn values(target: &Array, value: &Bound<'_, PyAny>) -> Result<Array> {
    match Argument::parse(value)? {
        Some(Argument::Array(array)) => Ok(array.clone()),
        Some(Argument::Number(number)) => {
            let element = number.converted(value.py(), target.dtype())?;
            Ok(creation::full(target.context(), target.dtype(), &[], Order::C, element)?)
        }
        None => interop::to_be_assigned(value, target.context(), target.dtype()),
    }
}

#[pymethods]
impl NdArray {
    fn __getitem__<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        // The array is borrowed only here, because user code in `__index__` or `__array_finalize__` may assign a shape.
        let view = basic(key, |items| {
            // SAFETY: this thread is attached, and a view of numbers and slices runs no other code.
            match unsafe { peek(slf.as_ptr()) } {
                Some(array) => Ok(indexing::basic_view(array, items)?),
                None => Ok(indexing::basic_view(&slf.get().read(), items)?),
            }
        })?;
        if let Some(view) = view {
            return wrap_view(slf, view);
        }
        let array = slf.get().snapshot();
        let items = parse_items(&array, key)?;
        if is_basic(&items) {
            return wrap_view(slf, indexing::get(&array, &items)?);
        }
        let taken = wait::operation(slf.py(), array.context(), array.size(), || indexing::get(&array, &items))?;
        if slf.is_exact_instance_of::<NdArray>() { wrap(slf.py(), taken) } else { wrap_like(slf, taken) }
    }

    fn __setitem__(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> Result<()> {
        let array = slf.get().target()?;
        if let Some(view) = basic(key, |items| Ok(indexing::basic_view(&array, items)?))? {
            let is_element = view.ndim() == 0;
            return if is_element { assign_element(&view, value) } else { assign_nested(&view, value, view.ndim()) };
        }
        let items = parse_items(&array, key)?;
        if is_basic(&items) {
            let view = indexing::get(&array, &items)?;
            return if is_element(&array, &items) {
                assign_element(&view, value)
            } else {
                assign_nested(&view, value, view.ndim())
            };
        }
        let value = values(&array, value)?;
        wait::operation(slf.py(), array.context(), array.size(), || indexing::set(&array, &items, &value))?;
        Ok(dtypes::warn_of_lost_parts(slf.py(), value.dtype(), array.dtype())?)
    }

    fn __delitem__(&self, _key: &Bound<'_, PyAny>) -> Result<()> {
        Err(value_error("cannot delete array elements"))
    }
}

/// Iterates over the first axis of an array.
#[pyclass(module = "cuproxide", frozen)]
pub struct ArrayIterator {
    array: Py<NdArray>,
    next: Mutex<usize>,
}

impl ArrayIterator {
    /// An iterator at the first position.
    pub fn new(array: &Bound<'_, NdArray>) -> ArrayIterator {
        ArrayIterator { array: array.clone().unbind(), next: Mutex::new(0) }
    }
}

#[pymethods]
impl ArrayIterator {
    fn __iter__<'py>(slf: Bound<'py, Self>) -> Bound<'py, Self> {
        slf
    }

    fn __length_hint__(&self) -> usize {
        let length = self.array.get().read().shape().first().copied().unwrap_or(0);
        length.saturating_sub(*self.next.lock())
    }

    fn __next__<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyAny>>> {
        let owner = self.array.bind(py);
        let array = owner.get().snapshot();
        let mut next = self.next.lock();
        if array.shape().first().is_none_or(|&length| *next >= length) {
            return Ok(None);
        }
        let row = array.index_axis(0, *next as isize)?;
        *next += 1;
        drop(next);
        wrap_view(owner, row).map(Some)
    }
}
