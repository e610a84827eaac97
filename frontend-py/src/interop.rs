//! Turning Python objects into arrays, and arrays into NumPy's.

use std::any::Any;
use std::sync::Arc;

use cuproxide_core::layout::{Dims, Layout, MAX_NDIM, Order, Strides};
use cuproxide_core::memory::{Buffer, Owner};
use cuproxide_core::ops::{copy, creation, joining, transfer};
use cuproxide_core::promotion::Casting;
use cuproxide_core::storage::Storage;
use cuproxide_core::{Array, Context};
use cuproxide_hal::DType;
use parking_lot::RwLock;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyTuple};

use crate::arguments::{dense, reach, wants_fortran};
use crate::device;
use crate::dlpack;
use crate::dtypes::{self, Numpy};
use crate::errors::{Result, type_error, value_error};
use crate::ndarray::{NdArray, wrap};
use crate::scalars::Number;
use crate::wait;

/// How arrays are exchanged with other libraries.
#[derive(Clone, Copy)]
pub struct Protocols {
    /// Whether to wait for the stream that `__cuda_array_interface__` names, and to name one.
    pub synchronize: bool,
    /// Version of that protocol which is exported.
    pub interface: u32,
    /// Whether DLPack is exported with its version.
    pub versioned_dlpack: bool,
}

/// The settings of the process.
pub static PROTOCOLS: RwLock<Protocols> =
    RwLock::new(Protocols { synchronize: true, interface: 3, versioned_dlpack: true });

/// What `array` was asked for.
#[derive(Clone, Copy)]
pub struct Wish {
    /// The element type, if not the source's.
    pub dtype: Option<DType>,
    /// Whether to copy; `None` where needed only.
    pub copy: Option<bool>,
    /// Memory order.
    pub order: Order,
}

/// Memory of another library as an array. `ptr` is the first element's address.
///
/// # Errors
/// `ValueError` for a shape and strides that no memory can have.
pub fn foreign(
    context: &Arc<Context>,
    dtype: DType,
    shape: Dims,
    strides: Strides,
    ptr: u64,
    owner: Arc<dyn Any + Send + Sync>,
) -> Result<Array> {
    if shape.len() > MAX_NDIM {
        return Err(value_error(format!(
            "maximum supported dimension for an ndarray is {MAX_NDIM}, found {}",
            shape.len()
        )));
    }
    let (low, high) = reach(&shape, &strides, dtype)?;
    let start = ptr.wrapping_add_signed(low as i64);
    let buffer = Buffer { ptr: start, bytes: (high - low) as usize, owner: Owner::Foreign(owner) };
    Ok(Array::from_storage(Storage::ready(context, buffer), dtype, shape, strides, -low as usize))
}

/// The array behind an object that hands one of this library out by `__cupy_get_ndarray__`, CuPy's protocol, or describes
/// GPU memory by `__cuda_array_interface__`.
pub fn from_device_object(object: &Bound<'_, PyAny>) -> Result<Option<Array>> {
    let py = object.py();
    let hand_out = intern!(py, "__cupy_get_ndarray__");
    if object.get_type().getattr_opt(hand_out)?.is_some() {
        let own = object.call_method0(hand_out)?;
        return match own.cast::<NdArray>() {
            Ok(array) => Ok(Some(array.get().snapshot())),
            Err(_) => Err(type_error(format!("__cupy_get_ndarray__ returned {}, not an ndarray", own.get_type()))),
        };
    }
    let name = intern!(py, "__cuda_array_interface__");
    // Looking at the type and the object's own attributes keeps properties with side effects from running on every operand.
    let set_on_it = || -> PyResult<bool> {
        let own = object.getattr_opt(intern!(py, "__dict__"))?;
        own.map_or(Ok(false), |own| own.contains(name))
    };
    if object.get_type().getattr_opt(name)?.is_none() && !set_on_it()? {
        return Ok(None);
    }
    let Some(interface) = object.getattr_opt(name)? else { return Ok(None) };
    let context = device::gpu()?;
    let shape: Vec<usize> = interface.get_item("shape")?.extract()?;
    let (ptr, _read_only): (u64, bool) = interface.get_item("data")?.extract()?;
    let typestr = interface.get_item("typestr")?;
    let dtype = dtypes::parse(&typestr)?;
    let strides = interface.call_method1(intern!(py, "get"), ("strides",))?;
    let strides: Strides = if strides.is_none() {
        Layout::contiguous(&shape, dtype.size(), false).strides
    } else {
        Strides::from_vec(strides.extract()?)
    };
    let stream: Option<u64> = interface.call_method1(intern!(py, "get"), ("stream",))?.extract()?;
    if let Some(raw) = stream
        && PROTOCOLS.read().synchronize
    {
        wait_for_foreign_stream(&context, raw)?;
    }
    let owner: Arc<dyn Any + Send + Sync> = Arc::new(object.clone().unbind());
    foreign(&context, dtype, Dims::from_vec(shape), strides, ptr, owner).map(Some)
}

/// Lets the current stream wait for what another library has queued on its stream so far.
fn wait_for_foreign_stream(context: &Context, raw: u64) -> Result<()> {
    let current = context.stream();
    if current.raw() == raw || (current.raw() == 0 && raw == 1) {
        return Ok(());
    }
    context.flush_onto(current.as_ref())?;
    let device = context.device();
    let event = device.create_event(false)?;
    device.external_stream(raw)?.record(event.as_ref())?;
    Ok(current.wait(event.as_ref())?)
}

/// Address of a NumPy array's first element.
fn address(array: &Bound<'_, PyAny>) -> Result<u64> {
    let interface = array.getattr(intern!(array.py(), "__array_interface__"))?;
    let (address, _read_only): (u64, bool) = interface.get_item(intern!(array.py(), "data"))?.extract()?;
    Ok(address)
}

/// Whether a NumPy array is contiguous in C and in Fortran order.
fn contiguity(array: &Bound<'_, PyAny>) -> Result<(bool, bool)> {
    let py = array.py();
    let flags = array.getattr(intern!(py, "flags"))?;
    Ok((
        flags.getattr(intern!(py, "c_contiguous"))?.is_truthy()?,
        flags.getattr(intern!(py, "f_contiguous"))?.is_truthy()?,
    ))
}

/// A NumPy array's elements on a device, in the same order in memory.
pub fn from_numpy(array: &Bound<'_, PyAny>, context: &Arc<Context>) -> Result<Array> {
    let py = array.py();
    let own = array.getattr(intern!(py, "dtype"))?;
    if !own.getattr(intern!(py, "isnative"))?.is_truthy()? && own.getattr(intern!(py, "names"))?.is_none() {
        // Bytes in the other order have no type on a device.
        let native = own.call_method1(intern!(py, "newbyteorder"), ("=",))?;
        return from_numpy(&array.call_method1(intern!(py, "astype"), (native,))?, context);
    }
    let dtype = dtypes::parse(&own)?;
    let shape: Dims = array.getattr(intern!(py, "shape"))?.extract::<Vec<usize>>()?.into();
    let (c, f) = contiguity(array)?;
    if c || f {
        return upload(array, context, dtype, &shape, f && !c);
    }
    // Dense, but its axes may lie in memory in any order: upload them from slowest to fastest.
    let packed = array.call_method1(intern!(py, "copy"), ("K",))?;
    let strides: Vec<isize> = packed.getattr(intern!(py, "strides"))?.extract()?;
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    axes.sort_by_key(|&axis| std::cmp::Reverse(strides[axis]));
    let lengths: Dims = axes.iter().map(|&axis| shape[axis]).collect();
    let uploaded = upload(&packed, context, dtype, &lengths, false)?;
    let mut back = vec![0; axes.len()];
    axes.iter().enumerate().for_each(|(place, &axis)| back[axis] = place as isize);
    Ok(uploaded.transpose(&back)?)
}

/// Copies a dense NumPy array to a device.
fn upload(
    array: &Bound<'_, PyAny>,
    context: &Arc<Context>,
    dtype: DType,
    shape: &[usize],
    fortran: bool,
) -> Result<Array> {
    let source = address(array)?;
    // SAFETY: `array` is dense, has that many elements of that type, and stays alive over the call.
    wait::long(array.py(), || unsafe { transfer::from_host(context, dtype, shape, fortran, source as *const u8) })
}

/// A new NumPy array with an array's elements, or `out` with them written to it.
pub fn to_numpy<'py>(
    py: Python<'py>,
    array: &Array,
    order: Order,
    out: Option<&Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyAny>> {
    let dtype = dtypes::to_numpy(py, array.dtype())?;
    if let Some(out) = out {
        return into_numpy(array, &dtype, out);
    }
    let source = dense(array, order)?;
    let fortran = wants_fortran(order, array);
    let host = empty(py, &dtype, source.shape(), fortran)?;
    let target = address(&host)?;
    // SAFETY: NumPy just allocated that many bytes, and the new array is not yet known to anybody else.
    wait::long(py, || unsafe { transfer::to_host(&source, target as *mut u8) })?;
    Ok(host)
}

fn empty<'py>(py: Python<'py>, dtype: &Bound<'py, PyAny>, shape: &[usize], fortran: bool) -> Result<Bound<'py, PyAny>> {
    let order = if fortran { intern!(py, "F") } else { intern!(py, "C") };
    Ok(py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "empty"), (PyTuple::new(py, shape)?, dtype, order))?)
}

fn into_numpy<'py>(array: &Array, dtype: &Bound<'py, PyAny>, out: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let py = out.py();
    if !Numpy::get(py)?.is_array(out)? {
        return Err(type_error("Only numpy.ndarray can be obtained from cuproxide.ndarray"));
    }
    let out_dtype = out.getattr(intern!(py, "dtype"))?;
    if !out_dtype.eq(dtype)? {
        return Err(type_error(format!("{out_dtype} array cannot be obtained from {dtype} array")));
    }
    let shape: Vec<usize> = out.getattr(intern!(py, "shape"))?.extract()?;
    if shape != array.shape() {
        return Err(value_error(format!(
            "Shape mismatch. Expected shape: {}, actual shape: {}",
            cuproxide_core::layout::show_shape(array.shape()),
            cuproxide_core::layout::show_shape(&shape)
        )));
    }
    let (c, f) = contiguity(out)?;
    let writeable = out.getattr(intern!(py, "flags"))?.getattr(intern!(py, "writeable"))?.is_truthy()?;
    if !writeable {
        return Err(value_error("assignment destination is read-only"));
    }
    if c || f {
        let source = dense(array, if c { Order::C } else { Order::F })?;
        let target = address(out)?;
        // SAFETY: `out` is dense, writeable, of the array's type and shape, and kept alive by the caller.
        wait::long(py, || unsafe { transfer::to_host(&source, target as *mut u8) })?;
    } else {
        let host = to_numpy(py, array, Order::C, None)?;
        py.import("numpy")?.call_method1("copyto", (out, host))?;
    }
    Ok(out.clone())
}

/// Whether a sequence holds arrays of this library, at most `depth` levels down.
fn holds_arrays(items: &Bound<'_, PyAny>, depth: usize) -> bool {
    let inside = |item: &Bound<'_, PyAny>| is_device_object(item) || (depth > 0 && holds_arrays(item, depth - 1));
    if let Ok(list) = items.cast::<PyList>() {
        return list.iter().any(|item| inside(&item));
    }
    items.cast::<PyTuple>().is_ok_and(|tuple| tuple.iter_borrowed().any(|item| inside(&item)))
}

/// Whether an object is an array of a device, or hands one out.
fn is_device_object(object: &Bound<'_, PyAny>) -> bool {
    if object.is_exact_instance_of::<PyInt>() || object.is_exact_instance_of::<PyFloat>() {
        return false;
    }
    let py = object.py();
    let protocols = [intern!(py, "__cupy_get_ndarray__"), intern!(py, "__cuda_array_interface__")];
    let class = object.get_type();
    object.is_instance_of::<NdArray>() || protocols.iter().any(|name| class.hasattr(name).unwrap_or(false))
}

/// Stacks the members of a sequence, which become arrays each.
fn stack(items: &Bound<'_, PyAny>, context: &Arc<Context>, depth: usize) -> Result<Array> {
    if depth == 0 {
        return Err(value_error("the sequence is nested too deeply"));
    }
    let row = |item: Bound<'_, PyAny>| {
        if let Ok(array) = item.cast::<NdArray>() {
            return Ok(array.get().snapshot().insert_axis(0));
        }
        let is_nested = item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>();
        if is_nested && holds_arrays(&item, depth) {
            return Ok(stack(&item, context, depth - 1)?.insert_axis(0));
        }
        Ok(from_anything(&item, context)?.insert_axis(0))
    };
    let rows = items.try_iter()?.map(|item| row(item?)).collect::<Result<Vec<Array>>>()?;
    if let Some(odd) = rows.iter().find(|row| row.shape() != rows[0].shape()) {
        return Err(value_error(format!(
            "the members of the sequence have different shapes: {} and {}",
            cuproxide_core::layout::show_shape(&rows[0].shape()[1..]),
            cuproxide_core::layout::show_shape(&odd.shape()[1..])
        )));
    }
    Ok(joining::concatenate(&rows, Some(0), None, None, Casting::SameKind)?)
}

/// Any array-like as an array on `context`.
pub fn from_anything(object: &Bound<'_, PyAny>, context: &Arc<Context>) -> Result<Array> {
    if let Ok(array) = object.cast::<NdArray>() {
        return Ok(array.get().snapshot());
    }
    convert(object, context, None).map(|(array, _)| array)
}

/// Like [`from_anything`], where the elements of a sequence become `dtype` as those of `numpy.array(object, dtype)` do.
pub fn to_be_assigned(object: &Bound<'_, PyAny>, context: &Arc<Context>, dtype: DType) -> Result<Array> {
    convert(object, context, Some(dtype)).map(|(array, _)| array)
}

/// What NumPy makes of an object that is assigned to an element of `dtype`.
///
/// # Errors
/// NumPy's, for lists and for text that is no number.
pub fn element(object: &Bound<'_, PyAny>, dtype: DType) -> Result<Number> {
    let py = object.py();
    let host = empty(py, &dtypes::to_numpy(py, dtype)?, &[], false)?;
    host.set_item(PyTuple::empty(py), object)?;
    Number::parse(&host)?.ok_or_else(|| type_error(format!("an element cannot be {}", object.get_type())))
}

/// Whether the elements of a NumPy array are of a kind that no device has, and yet may be numbers.
fn is_foreign_kind(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind: String = array.getattr(intern!(array.py(), "dtype"))?.getattr(intern!(array.py(), "kind"))?.extract()?;
    Ok("OSUMm".contains(&kind))
}

/// Any object but an `ndarray` as an array, and whether it shares the object's memory.
fn convert(object: &Bound<'_, PyAny>, context: &Arc<Context>, dtype: Option<DType>) -> Result<(Array, bool)> {
    let py = object.py();
    let numpy = Numpy::get(py)?;
    if numpy.is_array(object)? {
        let Some(dtype) = dtype.filter(|_| is_foreign_kind(object).unwrap_or(false)) else {
            return Ok((from_numpy(object, context)?, false));
        };
        // Objects, text and dates become numbers on the host.
        let host = object.call_method1(intern!(py, "astype"), (dtypes::to_numpy(py, dtype)?,))?;
        return Ok((from_numpy(&host, context)?, false));
    }
    if let Some(number) = Number::parse(object)? {
        let element = number.converted(py, dtype.unwrap_or_else(|| number.dtype()))?;
        return Ok((creation::full(context, element.dtype, &[], Order::C, element)?, false));
    }
    let is_sequence = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    if is_sequence && holds_arrays(object, MAX_NDIM) {
        return Ok((copy::ascontiguous(&stack(object, context, MAX_NDIM)?, false)?, false));
    }
    if !is_sequence {
        if let Some(array) = from_device_object(object)? {
            return Ok((array, true));
        }
        let class = object.get_type();
        if class.getattr_opt(intern!(py, "__dlpack__"))?.is_some()
            && class.getattr_opt(intern!(py, "__dlpack_device__"))?.is_some()
        {
            return Ok((dlpack::import(object, None, None)?, true));
        }
    }
    let keywords = PyDict::new(py);
    if let Some(dtype) = dtype {
        keywords.set_item("dtype", dtypes::to_numpy(py, dtype)?)?;
    }
    let host = py.import("numpy")?.call_method("array", (object,), Some(&keywords))?;
    Ok((from_numpy(&host, context)?, false))
}

fn refuse_copy() -> crate::errors::Failure {
    value_error("Unable to avoid copy while creating an array as requested.")
}

/// An array with the wished type and order; `shared` says that the source must not be handed out where a copy is wished.
fn adapt(array: Array, wish: Wish, shared: bool) -> Result<(Array, bool)> {
    let dtype = wish.dtype.unwrap_or(array.dtype());
    let layout = array.layout();
    let fits = match wish.order {
        Order::C => layout.c_contiguous,
        Order::F => layout.f_contiguous,
        Order::A => layout.c_contiguous || layout.f_contiguous,
        Order::K => true,
    };
    if dtype == array.dtype() && fits && (wish.copy != Some(true) || !shared) {
        return Ok((array, false));
    }
    if wish.copy == Some(false) {
        return Err(refuse_copy());
    }
    let order = match wish.order {
        Order::A if wants_fortran(Order::A, &array) => Order::F,
        Order::A => Order::C,
        order => order,
    };
    Ok((copy::astype(&array, dtype, order)?, true))
}

fn with_ndim(array: Array, ndmin: usize, order: Order) -> Array {
    let missing = ndmin.saturating_sub(array.ndim());
    if missing == 0 {
        return array;
    }
    let shape: Dims = std::iter::repeat_n(1, missing).chain(array.shape().iter().copied()).collect();
    let fortran = array.layout().f_contiguous && (order == Order::F || !array.layout().c_contiguous);
    array.reshape_view(&shape, fortran).unwrap_or(array)
}

/// `array(...)`: an array of anything. The same object comes back where nothing has to be done and no copy is wished.
pub fn array<'py>(
    object: &Bound<'py, PyAny>,
    wish: Wish,
    ndmin: usize,
    context: Option<Arc<Context>>,
    subok: bool,
) -> Result<Bound<'py, PyAny>> {
    let py = object.py();
    if let Ok(own) = object.cast::<NdArray>() {
        let source = own.get().snapshot();
        let moved = match &context {
            Some(context) if context.id() != source.context().id() => {
                if wish.copy == Some(false) {
                    return Err(refuse_copy());
                }
                Some(wait::long(py, || transfer::to_device(&source, context))?)
            }
            _ => None,
        };
        let is_moved = moved.is_some();
        dtypes::warn_of_lost_parts(py, source.dtype(), wish.dtype.unwrap_or(source.dtype()))?;
        let (made, copied) = adapt(moved.unwrap_or(source), wish, !is_moved)?;
        let is_plain = own.is_exact_instance_of::<NdArray>();
        if !copied && !is_moved && made.ndim() >= ndmin && (is_plain || subok) {
            return Ok(object.clone());
        }
        let made = with_ndim(made, ndmin, wish.order);
        return match (copied || is_moved, subok && !is_plain) {
            (true, true) => crate::ndarray::wrap_like(own, made),
            (false, true) => crate::ndarray::wrap_view(own, made),
            (false, false) => Ok(crate::ndarray::plain_view(own, made)?.into_any()),
            (true, false) => wrap(py, made),
        };
    }
    let chosen = context.is_some();
    let context = match context {
        Some(context) => context,
        None => Context::current()?,
    };
    let (mut array, shared) = convert(object, &context, wish.dtype)?;
    if !shared && wish.copy == Some(false) {
        return Err(refuse_copy());
    }
    let mut shared = shared;
    let elsewhere = array.context().id() != context.id();
    // Memory of the host goes to the device in use; memory of a GPU stays where it is unless told otherwise.
    if elsewhere && (chosen || array.context().info().host_addressable) {
        if wish.copy == Some(false) {
            return Err(refuse_copy());
        }
        array = wait::long(py, || transfer::to_device(&array, &context))?;
        shared = false;
    }
    dtypes::warn_of_lost_parts(py, array.dtype(), wish.dtype.unwrap_or(array.dtype()))?;
    // A fresh upload counts as the copy that was wished for.
    let (made, _) = adapt(array, Wish { copy: if shared { wish.copy } else { None }, ..wish }, shared)?;
    wrap(py, with_ndim(made, ndmin, wish.order))
}
